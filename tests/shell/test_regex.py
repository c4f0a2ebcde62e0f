"""Every expression is also matched by real bash, which has the last word."""

from __future__ import annotations

import re
import shlex

from relax_lint.shell.regex import compile_regex
from tests.shell.real_bash import outputs

EXPRESSIONS = r"""
a a+ a* ^a a$ ^$ . .* [a-c]+ [^a] []x] [^]x] [a-] [-a] [[:digit:]]+ [[:space:][:upper:]] (a)(b) (a+)(b*) (ab)+ a?
a{2} a{1,2} a{,2} a{2,} a+? a*? a** a{2}{2} (ab)*? a\.b \\ [\.] \* \[x\] a|b (a|b)x ^(x|y)= (a|ab)(c|bcd) a| () (a
\) ) *a +a a{x a{2,1} { \<a a\> \w+ \W \bab a\' x$y a^b (^a) (a$) [z-a] [[:nope:]] [ ^[0-9]+(\.[0-9]+)?$
^(.*)-(.*)$ ((a)(b))c \$x é (a)\1 \d ]x }
"""
TEXTS = [
    "",
    "a",
    "b",
    "ab",
    "aab",
    "abc",
    "abcd",
    "aa",
    "aaaa",
    "x=1",
    "y=",
    "a.b",
    "\\",
    "[x]",
    "*",
    "12",
    "1.5",
    "a-b-c",
    "A b",
    "é",
]
TEXTS += ["$x", "]x", "-", "a\nb", "a b", "}", "x$y", "d"]


def test_matches_are_those_of_bash() -> None:
    expressions = EXPRESSIONS.split()
    show = 'printf "%s\\036" $? "${BASH_REMATCH[@]}"; printf "\\037"'
    tests = "; ".join(f"[[ {shlex.quote(text)} =~ $r ]]; {show}" for text in TEXTS)
    for expression, line in zip(
        expressions, outputs([f"r={shlex.quote(expression)}; {tests}" for expression in expressions]), strict=True
    ):
        for text, found in zip(TEXTS, line.split("\x1f"), strict=False):
            status, *groups = found.split("\x1e")[:-1]
            try:
                regex = compile_regex([(expression, False)])
            except re.error:
                assert status == "2", expression
                continue
            match = regex.pattern.search(text)
            assert status == str(int(match is None)), (expression, text)
            if match is not None and regex.exact:
                assert groups == [match[0], *(group or "" for group in match.groups())], (expression, text)


def test_quoted_characters_stand_for_themselves() -> None:
    regex = compile_regex([("^", False), ("a.b*", True), ("+$", False)])
    assert regex.pattern.search("a.b**")
    assert not regex.pattern.search("axbb")


def test_case_can_be_ignored() -> None:
    assert compile_regex([("ABC", False)], ignore_case=True).pattern.search("xabcx")
