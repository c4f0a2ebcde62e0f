"""The parser: what it reads of broken scripts, and the places it gives."""

from __future__ import annotations

import pytest

from relax_lint.shell.nodes import SimpleCommand
from relax_lint.shell.syntax import parse
from tests.cases import for_each
from tests.shell.worlds import argvs, evaluation, launches


@for_each(
    ("broken", "message"),
    [
        ('A="never closed', "double quote"),
        ("A='never closed", "single quote"),
        ("A=$(never closed", "parenthesis"),
        ("A=(never closed", "array"),
        ("A=${never closed", "brace"),
        ("A=`never closed", "backquote"),
        ("if true; then", "fi"),
        ("while true; do", "done"),
        ("case x in a) true ;;\n\n", ""),
        ("f() {", "}"),
        ("( true", ")"),
        ("[[ a == b", "]]"),
        ("fi", "fi"),
        ("echo a | ; b", ""),
        ("echo )", ")"),
        ("cat <", "redirection"),
        ("$((1 + ", "closes"),
        ("for do in; x", ""),
        ("((1 + 2", "closes"),
    ],
)
def test_what_cannot_be_read_is_reported_and_the_rest_evaluated(broken: str, message: str) -> None:
    found = evaluation(f"python3 before\n{broken}\npython3 after\n")
    assert found.problems
    assert message in found.problems[0][1]
    words = [[word.text for word in launch.argv] for launch in found.launches]
    assert ["python3", "before"] in words
    assert ["python3", "after"] in words


def test_a_problem_has_the_place_of_what_is_wrong() -> None:
    text = 'python3 a\nX="b\npython3 c\n'
    ((place, _),) = evaluation(text).problems
    assert place.source.position(place.start) == (2, 3)


@pytest.mark.parametrize(
    "text", ["for i in |(a); do :; done", "ls !(a)", "a=(|(b))", "echo > |(a)", "case a in &(b)) ;; esac"]
)
def test_operators_in_the_place_of_a_word_come_to_an_end(text: str) -> None:
    parse(text)


@pytest.mark.parametrize("opening", ["(", "$(", "{ ", "if ", "${a:-", "$((", "[[ ( ", "@(", "case x in "])
def test_nesting_beyond_all_reason_is_a_problem_and_no_crash(opening: str) -> None:
    found = evaluation("python3 a\n" + opening * 10_000 + "\npython3 b\n")
    assert found.problems
    assert [launch.argv[1].text for launch in found.launches] == ["a", "b"]


@for_each(
    "text",
    ["", "\n", "#", "\\", "\\\n", "\0", "\ufeff", "a\0b", "<<", "<<EOF", "cat <<EOF\n", "$", "${", "$(", "'", '"', "`",
     "{", "}", "\udcff", "a=", "a[", "a[1", "a[1]=", "((", "[[", "!", "|", "&", ";", ";;", "case", "for", "function",
     "time", "\r\n"],
)  # fmt: skip
def test_no_text_makes_the_parser_fail(text: str) -> None:
    parse(text)
    evaluation(text)


def test_comments_and_continuations_have_their_places() -> None:
    text = "a \\\n  --b '# no' # yes\nA=( # one\n  --c # two\n)\ncat <<E\n# no\nE\necho a#b\n"
    script = parse(text)
    assert [text[start:end] for start, end in script.comments] == ["# yes", "# one", "# two"]
    assert [text[at] for at in script.continuations] == ["\\"]


def test_a_command_reaches_from_its_first_word_to_its_last() -> None:
    text = "  python3 a \\\n --b 'c d'   2>&1 | tee x\n"
    (pipeline,) = parse(text).commands
    first = pipeline.commands[0]  # type: ignore[union-attr]
    assert isinstance(first, SimpleCommand)
    assert text[first.start : first.end] == "python3 a \\\n --b 'c d'   2>&1"


@for_each(
    ("script", "word", "written"),
    [
        ("A=(--x 1)\npython3 t \"${A[@]}\"", 2, "--x"),
        ("A=(--x 1)\npython3 t \"${A[@]}\"", 3, "1"),
        ('A=(--x "a b")\npython3 t "${A[@]}"', 3, '"a b"'),
        ("A=()\nA+=(--x)\npython3 t \"${A[@]}\"", 2, "--x"),
        ("A=(--x ${Y})\npython3 t \"${A[@]}\"", 3, "${Y}"),
        ("A='--x 1 --y 2'\npython3 t $A", 4, "--y"),
        ("A='--x'\npython3 t $A", 2, "--x"),
        ("A=1\npython3 t --n $A", 3, "$A"),
        ("python3 t --j '{\"a\": 1}'", 3, "'{\"a\": 1}'"),
        ("python3 t \\\n  --k=v", 2, "--k=v"),
        ("f() { python3 t \"$@\"; }\nf --x", 2, "--x"),
        ("set -- --x\npython3 t \"$@\"", 2, "--x"),
        ("eval 'python3 t --x'", 2, "eval 'python3 t --x'"),
    ],
)  # fmt: skip
def test_words_know_where_they_were_written(script: str, word: int, written: str) -> None:
    (launch,) = launches(script)
    place = launch.argv[word].place
    assert place is not None
    assert place.source.text[place.start : place.end] == written


def test_words_of_a_sourced_file_are_in_that_file() -> None:
    (launch,) = launches('cd examples/x; source ./m.sh; python3 "${M[@]}"', {"examples/x/m.sh": "M=(--a)\n"})
    place = launch.argv[1].place
    assert place is not None
    assert place.source.path.name == "m.sh"
    assert place.source.position(place.start) == (1, 4)


@for_each(
    ("text", "expected"),
    [
        ("python3 a\\\nb", [["ab"]]),
        ('python3 "a\\\nb"', [["ab"]]),
        ("python3 'a\\\nb'", [["a\\\nb"]]),
        ("python3 '{\"a\": 1}' \\\n  --b", [['{"a": 1}', "--b"]]),
        ("python3 '{\"a\": 1}'\\\n  --b", [['{"a": 1}', "--b"]]),
        ("A=(\n  --x # comment \\\n  --y\n)\npython3 \"${A[@]}\"", [["--x", "--y"]]),
        ("# comment \\\npython3 a", [["a"]]),
        ("python3 a \\\n# comment\n--b", [["a"]]),
        ("python3 a \\ \n--b", [["a", " "]]),
        ("python3 a --b x\\ y", [["a", "--b", "x y"]]),
        ("python3 a;python3 b&python3 c", [["a"], ["b"], ["c"]]),
        ("python3 a#b '#c' #d", [["a#b", "#c"]]),
        ("A=(1 2)\npython3 \"[$(IFS=,; echo \"${A[*]}\")]\"", [["[1,2]"]]),
        ("X=(a b)\npython3 ${X}", [["a"]]),
        ("ray() { command ray \"$@\" --more; }\nray job submit", [["job", "submit", "--more"]]),
        ("python3 p@[0:5000]", [["p@[0:5000]"]]),
        ("python3 {a,b}c 'x'{1..3}", [["ac", "bc", "x1", "x2", "x3"]]),
        ("cat > f <<EOF\npython3 no\nEOF\npython3 yes", [["yes"]]),
        ("bash -c 'python3 \"$0\" \"$1\"' x y", [["x", "y"]]),
        ('X=g; f() { local X="${X:-d}"; python3 "$X"; }; f', [["g"]]),
        ('A=(g); f() { local A=("${A[@]}" x); python3 "${A[@]}"; }; f', [["g", "x"]]),
        ('a=out; f() { local a=1 b=$a; python3 "$b"; }; f', [["out"]]),
        ('n=5; f() { local -i n="$n+1"; python3 $n; }; f', [["6"]]),
        ('declare -A M=([k]=v); f() { local -A M=([k]="${M[k]}!"); python3 "${M[k]}"; }; f', [["v!"]]),
        ('set -u; Y=y; f() { typeset Y="_$Y"; python3 "$Y"; }; f', [["_y"]]),
        ("python3 a \\", [["a"]]),
        ("python3 a\\", [["a"]]),
        ("eval 'python3 a\\'", [["a\\"]]),
        ("bash -c 'python3 a \\'", [["a", "\\"]]),
        ("env A=1 nohup timeout 5 python3 a &", [["a"]]),
        ("shopt -s extglob\ncase x in !(y|z)) python3 a ;; esac", [["a"]]),
        ("[[ b == !(a|c) ]] && python3 a", [["a"]]),
        ("[[ !(-z a) && a ]] && python3 a", [["a"]]),
        ("shopt -s extglob\npython3 !(*)", [["!(*)"]]),
        ("coproc READER { cat; }\npython3 a", [["a"]]),
    ],
)  # fmt: skip
def test_spellings_that_are_easy_to_get_wrong(text: str, expected: list[list[str]]) -> None:
    assert argvs(text, clean=True) == expected
