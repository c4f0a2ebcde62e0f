"""Loops that look through words for one: which rounds do something, as real bash has it."""

from __future__ import annotations

import shlex

from relax_lint.shell.nodes import For
from relax_lint.shell.scans import has_work
from relax_lint.shell.state import State
from relax_lint.shell.syntax import parse
from tests.cases import for_each
from tests.shell.real_bash import outputs

WORDS = ["", "--lr", "--lr=1", "a b", "*", "[", "!", "-n", "--LR", "x.json", "\\", "train.py"]
TESTED = [
    'if [ "$a" = "--lr" ]; then echo ran; fi',
    'if test "$a" == --lr; then echo ran; fi',
    'if [ "$a" != "--lr" ]; then echo ran; fi',
    'if ! [ "$a" != --lr ]; then echo ran; fi',
    'if [ "$a" = "--lr" ] || [[ $a == --lr=* ]]; then echo ran; fi',
    'if [[ $a != -* ]] && [ "$a" != "" ]; then echo ran; fi',
    'if [[ ! "$a" == *.@(json|py) ]]; then echo ran; fi',
    "if [[ ( $a == -* || $a = ? ) && $a != *=* ]]; then echo ran; fi",
    "if [[ $a == '*' ]]; then echo ran; elif [[ $a == \\\\ ]]; then echo ran; fi",
    'case $a in --lr) echo ran ;; --lr=* | "*") echo ran ;; esac',
    'case "$a" in [[!-]*) echo ran ;; *.py) echo ran ;; esac',
]
NOT_ONLY_TESTS = [
    "echo $a",
    'if [ "$a" = x ]; then :; else echo ran; fi',
    'if [ "$b" = x ]; then echo ran; fi',
    'if [ "$a" = "$b" ]; then echo ran; fi',
    "if [ $a = x ]; then echo ran; fi",
    'if [ "$a" = x* ]; then echo ran; fi',
    'if [ "${a%x}" = x ]; then echo ran; fi',
    'if [ "$a" = x ] 2>/dev/null; then echo ran; fi',
    'if [ "$a" -eq 1 ]; then echo ran; fi',
    'if n=1; [ "$a" = x ]; then echo ran; fi',
    'if [[ $a == "$b" ]]; then echo ran; fi',
    "if [[ $a == ~ ]]; then echo ran; fi",
    'n=1; if [ "$a" = x ]; then echo ran; fi',
    'case $b in "$a") echo ran ;; esac',
    'case $a in "$b") echo ran ;; esac',
    'if grep -q "$a" file; then echo ran; fi',
]


def loop(body: str) -> For:
    command = parse(f"for a in {' '.join(map(shlex.quote, WORDS))}; do {body}; done").commands[0]
    assert isinstance(command, For)
    return command


@for_each("body", TESTED)
def test_the_rounds_that_do_something_are_those_of_bash(body: str) -> None:
    works = has_work(loop(body), State())
    assert works is not None
    real = outputs([f"a={shlex.quote(word)}; {body}" for word in WORDS])
    assert [works(word) for word in WORDS] == [bool(printed) for printed in real]


@for_each("body", NOT_ONLY_TESTS)
def test_nothing_is_said_of_a_round_that_does_more_than_test_its_word(body: str) -> None:
    assert has_work(loop(body), State()) is None


def test_nothing_is_said_where_tests_mean_something_else() -> None:
    ignoring_case, redefined = State(), State()
    ignoring_case.options = frozenset({"nocasematch"})
    script = parse("[() { :; }")
    redefined.functions = {"[": (script.commands[0], None)}  # type: ignore[dict-item]
    for state in (ignoring_case, redefined):
        assert has_work(loop(TESTED[0]), state) is None
