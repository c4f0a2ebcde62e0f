"""The reading that ``check`` uses: what a launcher can launch when its environment and arguments are not known."""

from __future__ import annotations

import pytest

from tests.cases import for_each
from tests.shell.worlds import argvs, evaluation, launches


def ways(text: str, **known: object) -> dict[tuple[str, ...], list[str]]:
    return {launch.conditions: [word.text for word in launch.argv[1:]] for launch in launches(text, **known)}  # type: ignore[arg-type]


# ---------------------------------------------------------------- what is not known


@for_each(
    ("script", "words", "unknown"),
    [
        ("python3 --a $X", ["--a", "${X}"], [("${X}", "X")]),
        ("python3 --a pre${X}post", ["--a", "pre${X}post"], [("${X}", "X")]),
        ('python3 "$1"', ["$1"], [("$1", "1")]),
        ("python3 $(date +%s)", ["$(date +%s)"], [("$(date +%s)", None)]),
        ("T=$(date +%s); python3 --name run-$T", ["--name", "run-$(date +%s)"], [("$(date +%s)", None)]),
        ("python3 --n $((X * 2))", ["--n", "$((X * 2))"], [("$((X * 2))", None)]),
        ("python3 ${X##*/}", ["${X##*/}"], [("${X##*/}", None)]),
        ("python3 $RANDOM $$", ["${RANDOM}", "$$"], [("${RANDOM}", "RANDOM"), ("$$", "$")]),
        ("python3 ${#X}", ["${#X}"], [("${#X}", None)]),
        ('A=$(echo "x-$(date)-y"); python3 "$A"', ["x-$(date)-y"], [("$(date)", None)]),
        ("python3 $(printf '%s-%s' a \"$X\")", ["$(printf '%s-%s' a \"$X\")"], [("$(printf '%s-%s' a \"$X\")", None)]),
        ('read -r A B < <(some-program); python3 "$A"', ["${A}"], [("${A}", None)]),
    ],
)
def test_unknown_parts_stay_as_their_source_text(
    script: str, words: list[str], unknown: list[tuple[str, str | None]]
) -> None:  # fmt: skip
    (launch,) = launches(script)
    assert [word.text for word in launch.argv[1:]] == words
    assert [(part.text, part.variable) for word in launch.argv for part in word.unknowns] == unknown


@pytest.mark.parametrize(
    "script",
    [
        'CMD="python3 relax/entrypoints/train.py --load $DIR/x --colocate"; eval "$CMD"',
        'eval "python3 relax/entrypoints/train.py" "--load $DIR/x" --colocate',
        "bash -c \"exec python3 relax/entrypoints/train.py --load '$DIR/x' --colocate\"",
        "bash <<EOF\npython3 relax/entrypoints/train.py --load $DIR/x --colocate\nEOF",
        "bash -s -- --colocate <<'EOF'\npython3 relax/entrypoints/train.py --load $DIR/x \"$@\"\nEOF",
        'bash <<< "python3 relax/entrypoints/train.py --load $DIR/x --colocate"',
        'echo "python3 relax/entrypoints/train.py --load $DIR/x --colocate" | sh -e',
        'ARGS=(--load x); eval "ARGS=(--load $DIR/x --colocate)"; python3 relax/entrypoints/train.py "${ARGS[@]}"',
    ],
)
def test_a_command_spelled_in_a_string_is_followed_though_a_part_is_not_known(script: str) -> None:
    (launch,) = launches(script)
    assert [word.text for word in launch.argv[2:]] == ["--load", "${DIR}/x", "--colocate"]
    assert [part.text for word in launch.argv for part in word.unknowns] == ["${DIR}"]


@for_each(
    "wrapper",
    [
        "nohup", "env -u B A=1", "timeout -k 5 3d", "numactl -N 0", "sudo -E -u me A=1", "flock -w 5 /tmp/lock",
        "/usr/bin/time -o t.log", "uv run --frozen", "conda run -n rl --no-capture-output", "poetry run",
    ],
)  # fmt: skip
def test_a_program_that_runs_another_is_left_off(wrapper: str) -> None:
    (launch,) = launches(f"{wrapper} python3 -m relax.entrypoints.train --lr 1")
    assert [word.text for word in launch.argv] == ["python3", "-m", "relax.entrypoints.train", "--lr", "1"]


@pytest.mark.parametrize("script", ["uv pip install ray", "conda install python", "sudo apt-get install python3"])
def test_what_a_program_only_names_is_not_launched(script: str) -> None:
    assert launches(script) == []


@pytest.mark.parametrize("script", ['eval "$CMD"', 'eval "$CMD" --colocate', "bash -c $CMD", "bash", "bash <<< $CMD"])
def test_a_string_of_which_the_command_is_not_known_launches_nothing(script: str) -> None:
    assert launches(script) == []


@for_each(
    ("word", "is_open"),
    [
        ("$X", True), ('"$X"', False), ('"$@"', True), ("$@", True), ('"${@:2}"', True), ('"$*"', False),
        ('"${A[@]}"', True), ("$(date)", True), ('"$(date)"', False), ("--x=$X", True), ('"--x=$X"', False),
        ("${X:+--flag}", True), ("$((X))", False), ("$?", False), ("$RANDOM", False),
    ],
)  # fmt: skip
def test_an_unquoted_unknown_word_may_be_several_or_none(word: str, is_open: bool) -> None:
    (launch,) = launches(f"python3 {word}")
    assert launch.argv[1].open is is_open


def test_what_a_conditional_word_can_be_is_kept() -> None:
    (launch,) = launches("python3 relax/entrypoints/train.py ${RAY_NO_WAIT:+--no-wait}")
    assert launch.argv[2].unknowns[0].only == "--no-wait"
    assert launch.may_have("--no-wait")
    assert not launch.may_have("--reward-key")


# ---------------------------------------------------------------- defaults that a script gives


@pytest.mark.parametrize(
    "script",
    [
        'N=${N:-8}; python3 "$N"',
        'python3 "${N:-8}"',
        ': "${N:=8}"; python3 "$N"',
        'N="${N:=8}"; python3 $N',
        'N=${1:-${N:-8}}; python3 "$N"',
        'if [ -z "$N" ]; then N=8; else N=8; fi; python3 "$N"',
        'D=8; N=${N:-$D}; python3 "$N"',
        "N=${N:-4}; python3 $((N * 2))",
        'N=${N:-"08"}; python3 "${N#0}"',
    ],
)
def test_a_default_counts_as_the_value(script: str) -> None:
    assert argvs(script) == [["8"]]


def test_a_condition_on_a_default_is_followed_both_ways() -> None:
    script = """
MODE=${1:-${MODE:-"sync"}}
NAME="run-${MODE}"
if [ "$MODE" = async ]; then FLAG=--fully-async; else FLAG=--colocate; fi
python3 $FLAG --name "$NAME"
"""
    assert ways(script) == {
        ('[ "$MODE" = async ]',): ["--fully-async", "--name", "run-async"],
        ('! [ "$MODE" = async ]',): ["--colocate", "--name", "run-sync"],
    }


@pytest.mark.parametrize(
    "condition",
    ['[ "$N" -gt 8 ]', "(( N > 8 ))", '[[ "$N" -gt 8 ]]', "[ $N != 8 ]", "[[ $N != 8 ]]", "! [ $N = 8 ]"],
)
def test_a_contradicted_default_is_unknown(condition: str) -> None:
    script = f'N=${{N:-8}}; M=$((N / 2)); if {condition}; then python3 big "$N" "$M"; else python3 small "$N" "$M"; fi'
    assert argvs(script) == [["big", "${N}", "$((N / 2))"], ["small", "8", "4"]]


@for_each(
    ("script", "expected"),
    [
        ('case "${MODE:-sync}" in async) X=a;; sync) X=s;; *) exit 1;; esac; python3 $X', [["a"], ["s"]]),
        ('if [ "${X:-}" = on ]; then python3 on "$X"; else python3 off; fi', [["on", "on"], ["off"]]),
        ('[ -n "$X" ] && python3 "x=$X"', [["x=${X}"]]),
        ('if [ -z "$X" ]; then python3 "empty$X"; else python3 "full$X"; fi', [["empty"], ["full${X}"]]),
        ('if [[ $X == a* ]]; then python3 a "$X"; else python3 b "$X"; fi', [["a", "${X}"], ["b", "${X}"]]),
        ('if [ "x$X" = xy ]; then python3 "$X"; fi', [["y"]]),
        ('if [ "$N" -eq 4 ]; then python3 "$N"; fi', [["4"]]),
        ('N=8; if [ "$N" -eq 4 ]; then python3 never; else python3 always; fi', [["always"]]),
        ('[ "$A" = 1 ] || [ "$A" = 2 ] || exit 1; python3 "$A"', [["${A}"]]),
        ('test -d "$X" && python3 there; python3 end', [["there"], ["end"]]),
    ],
)
def test_what_a_condition_says_holds_on_its_way(script: str, expected: list[list[str]]) -> None:
    assert argvs(script) == expected


def test_the_same_question_has_one_answer() -> None:
    script = 'if nvidia-smi; then A=1; else A=2; fi; if [ "$X" = a ]; then B=1; else B=2; fi\n'
    script += 'if [ "$X" = a ]; then python3 "$B"; else python3 "$B"; fi'
    assert argvs(script) == [["1"], ["2"]]


# ---------------------------------------------------------------- ways that merge, and ways that end


def test_ways_that_reach_equal_states_merge() -> None:
    script = 'if [ "$A" = 1 ]; then echo one; fi; if [ -f b ]; then echo two; else echo three; fi; python3 x'
    assert ways(script) == {(): ["x"]}


def test_ways_that_differ_in_what_nothing_reads_merge() -> None:
    script = "\n".join(f'if [ "$A{n}" = 1 ]; then B{n}=1; else B{n}=2; fi' for n in range(12)) + "\npython3 x"
    found = evaluation(script)
    assert [launch.conditions for launch in found.launches] == [()]
    assert found.too_complex is None


def test_a_launch_needs_only_the_conditions_that_all_its_ways_share() -> None:
    script = 'if [ "$A" = 1 ]; then if [ "$B" = 1 ]; then X=1; else X=1; fi; python3 $X; fi'
    assert ways(script) == {('[ "$A" = 1 ]',): ["1"]}


@pytest.mark.parametrize(
    "refusal",
    [
        'if [ -z "${X:-}" ]; then echo no; exit 1; fi',
        '[ -n "${X:-}" ] || exit 1',
        ': "${X:?must be set}"',
        "[[ -z ${X:-} ]] && { echo no; exit 1; }",
        'die() { echo "$1"; exit 1; }; [ "${X:-}" ] || die "set X"',
        'set -e; [ -n "$X" ]',
        'case "${X:-}" in "") exit 1;; esac',
    ],
)
def test_a_way_that_ends_launches_nothing_and_leaves_what_it_checked(refusal: str) -> None:
    (launch,) = launches(f'{refusal}\npython3 "$X"')
    assert launch.argv[1].unknowns[0].checked


def test_a_program_that_fails_ends_a_strict_script_silently() -> None:
    assert argvs("set -e; false; python3 x") == []
    assert argvs("set -e; some-program; python3 x") == [["x"]]
    assert argvs("false; python3 x") == [["x"]]
    assert argvs("set -e; false || true; python3 x") == [["x"]]


def test_more_ways_than_the_bound_are_said() -> None:
    lines = [f'if [ "$A{n}" = 1 ]; then B{n}=1; else B{n}=2; fi' for n in range(8)]
    found = evaluation("\n".join(lines) + "\npython3 " + " ".join(f"$B{n}" for n in range(8)))
    assert found.too_complex is not None
    assert found.launches


# ---------------------------------------------------------------- arguments and loops


def test_an_argument_loop_leaves_defaults() -> None:
    script = """
LR=1e-6
while [[ $# -gt 0 ]]; do
  case "$1" in
    --lr) LR="$2"; shift 2 ;;
    --debug) DEBUG=--debug; shift ;;
    *) REST+=("$1"); shift ;;
  esac
done
python3 --lr $LR $DEBUG "${REST[@]}"
"""
    (launch,) = launches(script)
    assert [word.text for word in launch.argv[1:3]] == ["--lr", "1e-6"]
    assert launch.argv[3].open
    assert launch.argv[4].open


def test_options_read_with_getopts_are_not_known() -> None:
    script = 'N=4; while getopts "n:m:" o; do case $o in n) N=$OPTARG;; m) M=$OPTARG;; esac; done; python3 $N "$M"'
    (launch,) = launches(script)
    assert launch.argv[1].text == "4"
    assert launch.argv[1].defaults
    assert not launch.argv[2].known


@pytest.mark.parametrize(
    "loop",
    [
        "until curl -s localhost; do sleep 1; done",
        "for i in $(seq 1 60); do curl -s localhost && break; sleep 1; done",
        "n=0; while [ $n -lt 60 ]; do if ping; then break; fi; n=$((n+1)); done",
        "while true; do ready && break; sleep 1; done",
        "wait_for() { local i=0; while [ $i -lt 9 ]; do ready && return 0; i=$((i+1)); done; return 1; }; wait_for",
    ],
)
def test_waiting_for_something_does_not_multiply_ways(loop: str) -> None:
    found = evaluation(f"{loop}\npython3 x")
    assert [[word.text for word in launch.argv] for launch in found.launches] == [["python3", "x"]]
    assert found.too_complex is None


def test_a_loop_that_never_ends_launches_nothing_after_it() -> None:
    assert argvs("while true; do sleep 1; done; python3 x") == []


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("for s in 1 2 3; do python3 seed=$s; done", [["seed=1"], ["seed=2"], ["seed=3"]]),
        ("for f in $FILES; do python3 file=$f; done", [["file=$f"]]),
        ("for ((i = 0; i < 2; i++)); do python3 $i; done", [["0"], ["1"]]),
        ("for s in ${SEEDS:-1 2}; do python3 $s; done", [["1"], ["2"]]),
    ],
)
def test_loops_launch_once_a_round(script: str, expected: list[list[str]]) -> None:
    assert argvs(script) == expected


# ---------------------------------------------------------------- files that are sourced


def test_a_model_file_is_found_whatever_the_entrypoint() -> None:
    files = {"scripts/models/m.sh": "MODEL_ARGS=(--num-layers 4)"}
    script = 'source "${MODEL_CONFIG_DIR}/m.sh"; python3 "${MODEL_ARGS[@]}"'
    assert argvs(script, files) == [["--num-layers", "4"]]


def test_an_entrypoint_is_followed_and_leaves_one_way() -> None:
    files = {
        "scripts/entrypoint/local.sh": """
if nvidia-smi; then export LINK=1; else export LINK=0; fi
if [ -n "${RAY_ADDRESS:-}" ]; then MASTER=$(ray list nodes); if [ -z "$MASTER" ]; then exit 1; fi; fi
export RUNTIME="{\\"link\\": $LINK}"
export MODEL_CONFIG_DIR=/repository/scripts/models
ray start --head
""",
        "scripts/models/m.sh": "MODEL_ARGS=(--num-layers 4)",
    }
    script = """
DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
if [ -z "${RELAX_ENTRYPOINT_MODE:-}" ]; then source "${DIR}/../../scripts/entrypoint/local.sh"; fi
source "${MODEL_CONFIG_DIR}/m.sh"
python3 "${MODEL_ARGS[@]}" "$RUNTIME"
"""
    *asked, trained = launches(script, files)
    assert [[word.text for word in launch.argv[1:]] for launch in asked] == [["list", "nodes"], ["start", "--head"]]
    assert [word.text for word in trained.argv] == ["python3", "--num-layers", "4", "${RUNTIME}"]
    assert trained.conditions == ()


def test_what_one_entrypoint_does_is_the_same_for_every_launcher() -> None:
    from relax_lint.project import Project

    files = {"scripts/entrypoint/local.sh": "export A=1\nexport MODEL_CONFIG_DIR=x\nray start\n"}
    for name in ("one", "two"):
        files[f"examples/{name}/run.sh"] = (
            f'D="$(cd "$(dirname "$0")" && pwd)"; source "$D/../../scripts/entrypoint/local.sh"\n'
            f'python3 {name}/main_ppo.py "$A"\n'
        )
    project = Project.from_files(files)
    found = [[word.text for word in launch.argv] for recipe in project.recipes for launch in recipe.launches]
    assert found == [["python3", "one/main_ppo.py", "1"], ["python3", "two/main_ppo.py", "1"]]


def test_a_directive_says_what_is_sourced() -> None:
    files = {"examples/x/common.sh": "A=1"}
    assert argvs('# shellcheck source=common.sh\nsource "$SOMEWHERE/common.sh"; python3 $A', files) == [["1"]]


def test_a_file_that_is_not_there_is_said_and_passed_over() -> None:
    found = evaluation('source "$HOME/.bashrc"; python3 x')
    assert [place.source.text[place.start : place.end] for place in found.unresolved_sources] == [
        'source "$HOME/.bashrc"'
    ]
    assert len(found.launches) == 1


def test_files_that_source_each_other_end() -> None:
    files = {"examples/x/a.sh": "source ./b.sh", "examples/x/b.sh": "source ./a.sh; A=1"}
    script = 'cd "$(dirname "$0")"; source ./a.sh; python3 "$A"'
    assert argvs(script, files) == [["1"]]


# ---------------------------------------------------------------- what is given


def test_given_variables_and_arguments_are_known() -> None:
    script = 'python3 "$1" "$X" "$Y"'
    assert argvs(script, args=("a",), env={"X": "b"}) == [["a", "b", "${Y}"]]


def test_a_variable_given_as_none_is_unset() -> None:
    script = 'MODE=${1:-${MODE:-sync}}; if [ "$MODE" = async ]; then python3 async; else python3 sync; fi'
    assert argvs(script, args=(), env={"MODE": None}) == [["sync"]]
    assert argvs(script, args=("async",), env={"MODE": None}) == [["async"]]
    assert argvs(script, args=(), env={"MODE": "async"}) == [["async"]]


# ---------------------------------------------------------------- what a launch knows of its place


def test_options_pipeline_and_directories_at_a_launch() -> None:
    script = "set -e\nset -o pipefail\nmkdir -p logs/x\npython3 a 2>&1 | tee logs/x/run.log\n"
    (launch,) = launches(script)
    assert {"errexit", "pipefail"} <= launch.options
    assert [[word.text for word in stage] for stage in launch.pipeline] == [["tee", "logs/x/run.log"]]
    assert [word.text for word in launch.made_directories] == ["logs/x"]
    assert not launch.in_condition


@pytest.mark.parametrize("log", ["$(date +%F).log", "`date`/x.log", "<(cat)", '"logs/$(echo "$(date)" | tr a b)"'])
def test_what_a_word_runs_is_no_command_of_the_pipeline(log: str) -> None:
    (launch,) = launches(f"python3 a | tee {log} | cat")
    assert [stage[0].text for stage in launch.pipeline] == ["tee", "cat"]


@pytest.mark.parametrize(
    "script", ["if python3 a; then :; fi", "python3 a || exit 1", "! python3 a", "while python3 a; do break; done"]
)
def test_a_launch_whose_status_is_asked(script: str) -> None:
    (launch,) = launches(script)
    assert launch.in_condition


def test_output_redirected_to_a_file() -> None:
    first, second = launches("echo x > other; nohup python3 a > log.txt 2>&1 &\npython3 b")
    assert [word.text for word in first.redirected_to] == ["log.txt"]
    assert second.redirected_to == ()


@for_each(
    ("script", "kind"),
    [
        ("python3 relax/entrypoints/train.py --a", "relax"),
        ("python3 -u /root/Relax/relax/entrypoints/train.py", "relax"),
        ("python3 -m relax.entrypoints.train", "relax"),
        ("ray job submit --address=x -- python3 relax/entrypoints/train.py", "relax"),
        ('"$PYTHON" relax/entrypoints/train.py', "relax"),
        ("python3 -m verl.trainer.main_ppo a=b", "verl"),
        ("python -m recipe.dapo.main_dapo a=b", "verl"),
        ("torchrun --nproc 8 -m verl.trainer.fsdp_sft_trainer a=b", "verl"),
        ("python3 -m sglang.launch_server --port 1", "other"),
        ("ray start --head", "other"),
        ("python3 tools/convert.py --output train.py", "other"),
    ],
)
def test_kinds_of_launches(script: str, kind: str) -> None:
    (launch,) = launches(script)
    assert launch.kind == kind


def test_words_before_an_open_one_are_counted() -> None:
    script = """
ray() {
    if [ "$1" = job ]; then
        for arg in "$@"; do
            if [ "$arg" = --runtime ]; then command ray "$@"; return; fi
        done
        command ray job submit --runtime=x "${@:3}"
        return
    fi
    command ray "$@"
}
ray job submit ${NO_WAIT:+--no-wait} -- python3 relax/entrypoints/train.py --a 1
"""
    (launch,) = launches(script)
    assert [word.text for word in launch.argv] == [
        *("ray", "job", "submit", "--runtime=x", "${NO_WAIT:+--no-wait}", "--"),
        *("python3", "relax/entrypoints/train.py", "--a", "1"),
    ]


def test_a_loop_with_more_rounds_than_the_bound_leaves_what_it_counts_unknown() -> None:
    found = evaluation('n=0; while [ $n -lt 100000 ]; do n=$((n+1)); done; python3 "$n"')
    assert [word.known for word in found.launches[0].argv] == [True, False]
    assert found.too_complex is not None


def test_a_case_that_matches_nothing_succeeds() -> None:
    assert argvs('case "$X" in a) exit 1;; esac && python3 x') == [["x"]]


@pytest.mark.parametrize("number", ["$?", "$RANDOM", "$SECONDS", "$$"])
def test_a_number_that_is_not_known_is_not_empty(number: str) -> None:
    script = f"""
ls somewhere
s={number} ref=s
python3 a "${{s:-d}}" "${{!ref:-d}}" "${{s:+set}}"
if [ -z "$s" ]; then python3 empty; fi
"""
    found = launches(script, {})
    assert [launch.argv[1].text for launch in found] == ["a"]
    assert [bool(word.unknowns) for word in found[0].argv[2:]] == [True, True, False]
    assert found[0].argv[4].text == "set"


def test_a_loop_that_may_end_early_is_followed_to_its_end_where_all_launches_count() -> None:
    script = "set -e\nfor w in 1 2 3 4 5; do\npython3 $w\npython3 check $w\ndone\n"
    found = argvs(script, clean=True)
    assert [words for words in found if len(words) == 1] == [["1"], ["2"], ["3"], ["4"], ["5"]]


@for_each("path", ["/proc/self/fd/1", "/dev/stdin", "/etc/mtab", "/elsewhere/link"])
@for_each("program", ["readlink -f", "readlink -m", "realpath", "realpath -m"])
def test_where_links_of_this_machine_lead_is_not_known_of_another(program: str, path: str) -> None:
    (launch,) = launches(f"python3 relax/entrypoints/train.py --save $({program} {path})")
    (save,) = launch.all("--save")
    assert not save.values[0].known


@pytest.mark.parametrize("path", ["/proc/self/fd/1", "/dev/stdin"])
def test_what_a_process_has_open_is_not_known_of_another(path: str) -> None:
    (launch,) = launches(f"python3 relax/entrypoints/train.py --save $(readlink -f {path})", clean=True)
    (save,) = launch.all("--save")
    assert not save.values[0].known
