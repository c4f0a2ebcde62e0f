"""A flag counts by the words that bash would pass, however a script comes by its name."""

from __future__ import annotations

from itertools import product

from relax_lint.shell.queries import open_word
from tests.cases import for_each
from tests.constraints.launches import launch_of, namespace_of

COMPUTED = {
    "$(echo --lr 5)": "",
    "`echo --lr 5`": "",
    "$(printf '%s ' --lr 5)": "",
    "$(echo --LR,5 | tr ',A-Z' ' a-z')": "",
    "$(f)": "f() { echo --lr 5; }",
    "$(g 5) ": "g() {\n  local n=--lr\n  echo \"$n\"\n  echo \"$1\"\n}",
    '"$(echo --lr)" 5': "",
    '"$(echo --lr=5)"': "",
    "$F 5": "read -r F <<< --lr",
    "$F $G": "read -r F G <<< '--lr 5'",
    "$F": "read -r -d '' F <<EOF\n--lr\n5\nEOF",
    '"$F" 5': "printf -v F '%s%s' -- lr",
    '"${F,,}" 5': "F=--LR",
    '"${F/x/l}" 5': "F=--xr",
    '"${F//_/-}"': "F=__lr=5",
    '"${F%.*}" 5': "F=--lr.old",
    '"${F:2}" 5': "F=xx--lr",
    '"${A[@]}"': "A=($(cat <<EOF\n--lr 5\nEOF\n))",
    '"${A[@]}" ': 'A=("$(echo --lr)" 5)',
    '"${B[@]}"': "read -ra B <<< '--lr 5'",
    '"${C[@]}"': "mapfile -t C <<< $'--lr\\n5'",
    '"${!N}" 5': "N=F; F=--lr",
    '--{lr,min-lr}=5': "",
    "$F 5 ": 'F=--lr; [ "$F" = --lr ] || exit',
    "${F} 5": 'G="${F:=}"; F=$(echo --lr)',
}  # fmt: skip
BY_DEFAULT = {
    "${F:---lr} 5": "",
    "${F---lr} 5": "",
    "${F:---lr 5}": "",
    '"${F:---lr}" 5': "",
    '"${F:---lr=5}"': "",
    "${F:---lr}=5": "",
    "--${F:-lr} 5": "",
    "--${F:-l}r=5": "",
    "$F 5": "F=${F:---lr}",
    "$F": 'F="${F:---lr 5}"',
    '"$F" 5': ': "${F:=--lr}"',
    "$G": "G=$(echo ${F:---lr} 5)",
    '"${G,,}" 5': "G=${F:---LR}",
    '"${A[@]}"': "A=(${F:---lr 5})",
    '"${A[@]}" ': 'A=("${F:---lr}" 5)',
    "${1:---lr} 5": "",
    "$F  5": 'F=${F:---lr}; if [ "$F" != --lr ]; then exit; fi',
}


@for_each(("words", "before"), (COMPUTED | BY_DEFAULT).items())
def test_a_flag_whose_name_is_computed_or_a_default(words: str, before: str) -> None:
    namespace = namespace_of(f"--colocate {words}", before)
    assert namespace.value("lr") == 5.0
    assert namespace.launch.has("--lr")


@for_each(("words", "before"), COMPUTED.items())
def test_what_is_computed_of_known_text_hides_nothing(words: str, before: str) -> None:
    launch = launch_of(f"--colocate {words}", before)
    assert not launch.hides_flags


@for_each(("words", "before"), list(BY_DEFAULT.items())[:-1])
def test_another_value_of_the_variable_may_bring_another_flag(words: str, before: str) -> None:
    launch = launch_of(f"--colocate {words}", before)
    assert launch.may_have("--lr-warmup-fraction")
    assert open_word(launch, "--lr-warmup-fraction") in ("${F}", "${1}")


@for_each("words", ["--lr ${F:-5}", '"--lr=${F:-5}"', "--eval-prompt-data a ${F:-b}", '"--lr-${F:-x}"'])
def test_a_default_that_is_no_name_brings_none(words: str) -> None:
    assert not launch_of(f"--colocate {words}").may_have("--num-rollout")


@for_each(
    ("words", "before"),
    {
        '"$1"': '[ "$1" = --lr=5 ]',
        "$1": '[ "$1" = --lr=5 ] &&',
        '"$F"': '[ "$F" = --lr=5 ] &&',
        '"${A[@]}"': 'for a in "$@"; do case $a in --lr=5) A+=("$a") ;; esac; done',
        '"$G"': 'case $1 in --lr=5) G=$1 ;; esac',
    }.items(),
)  # fmt: skip
def test_a_flag_that_only_a_test_supposes_is_none_for_everybody_else(words: str, before: str) -> None:
    namespace = namespace_of(f"--colocate {words}", before)
    assert "lr" not in namespace.given_dests


WAYS = {
    '"$F"': (
        ("F=$1", 'F="$1"', "set -- $1; F=$1", 'A=("$1"); F=${A[0]}'),
        ("F=--lr=5", "F=$(echo --lr=5)", "L=lr; F=--$L=5; unset L", "F=--lr; F+==5", "A=(--lr=5); F=${A[0]}"),
    ),
    '"${A[@]}"': (
        ('A=("$1")', "A=($1)", 'A=(); A+=("$1")', "F=$1; A=($F); unset F"),
        ("A=(--lr=5)", "A=($(echo --lr=5))", "A=(); A+=(--lr=5)", "F=--lr=5; A=($F); unset F"),
    ),
}  # fmt: skip


@for_each("word", WAYS)
@for_each(
    "asks",
    [
        'if [ "$1" = --lr=5 ]; then {supposed}; else {certain}; fi',
        'if [ "$1" != --lr=5 ]; then {certain}; else {supposed}; fi',
        "case $1 in --lr=5) {supposed} ;; *) {certain} ;; esac",
        'while true; do {certain}; [ "$1" = --lr=5 ] && {{ {supposed}; }}; break; done',
    ],
)
def test_what_another_way_gives_for_certain_is_given_whichever_comes_first(word: str, asks: str) -> None:
    for supposed, certain in product(*WAYS[word]):
        text = asks.format(supposed=supposed, certain=certain)
        assert "lr" in namespace_of(f"--colocate {word}", text).given_dests, text


def test_what_every_way_only_supposes_is_given_by_none() -> None:
    for first, second in (("$1", "$2"), ("$2", "$1"), ("$F", "$1")):
        asks = (
            f'if [ "{first}" = --lr=5 ]; then G={first}; elif [ "{second}" = --lr=5 ]; then G={second}; else exit; fi'
        )
        namespace = namespace_of('--colocate "$G"', asks)
        assert "lr" not in namespace.given_dests, asks
