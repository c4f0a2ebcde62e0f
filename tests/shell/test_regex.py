"""Every expression is also matched by real bash, which has the last word."""

from __future__ import annotations

import random
import re
import shlex
from contextlib import suppress

import pytest

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


@pytest.mark.parametrize("seed", range(4))
def test_brackets_hold_what_bash_finds_in_them(seed: int) -> None:
    dice, characters = random.Random(seed), "ab-+z]^[&~|.\\09A,!:="
    inner = ["".join(dice.choices(characters, k=dice.randrange(1, 6))) for _ in range(150)]
    inner += ["[:alpha:]".join(dice.choices(characters, k=2)) for _ in range(20)]
    inner += [f"[.{dice.choice(characters)}.]{dice.choice(characters)}" for _ in range(20)]
    brackets = [f"[{dice.choice(('', '^'))}{each}]" for each in inner]
    each_one = f"for x in {shlex.join(characters)}; do [[ $x =~ $p ]]; printf %s $?; done"
    found = outputs([f"p={shlex.quote(bracket)}; {each_one}" for bracket in brackets], prologue="LC_ALL=C")
    for bracket, statuses in zip(brackets, found, strict=True):
        try:
            pattern = compile_regex([(bracket, False)]).pattern
        except re.error:
            assert set(statuses) == {"2"}, bracket
            continue
        assert statuses == "".join(str(int(pattern.search(each) is None)) for each in characters), bracket


@pytest.mark.parametrize("seed", range(4))
def test_what_is_quoted_in_brackets_is_what_bash_takes_it_for(seed: int) -> None:
    dice, characters = random.Random(seed), "ab-]^[\\"
    words = []
    for _ in range(200):
        inner = ["".join(dice.choices(characters, k=dice.randrange(1, 3))) for _ in range(3)]
        words.append(
            [("[", False), (inner[0], True), (inner[1].replace("\\", "b"), False), (inner[2], True), ("]", False)]
        )
    parts = [
        [f'"${{p[{at}]}}"' if quoted else f"${{p[{at}]}}" for at, (_, quoted) in enumerate(word)] for word in words
    ]
    each_one = f"for x in {shlex.join(characters)}; do [[ $x =~ %s ]]; printf %%s $?; done"
    snippets = [
        f"p=({shlex.join(text for text, _ in word)}); {each_one % ''.join(part)}"
        for word, part in zip(words, parts, strict=True)
    ]
    for word, statuses in zip(words, outputs(snippets, prologue="LC_ALL=C"), strict=True):
        try:
            pattern = compile_regex(word).pattern
        except re.error:
            assert set(statuses) == {"2"}, word
            continue
        assert statuses == "".join(str(int(pattern.search(each) is None)) for each in characters), word


@pytest.mark.parametrize("text", ["[" * 50_000, "[:" * 25_000, "[[:" * 300, "[" * 999, "[a]" * 20_000])
def test_long_expressions_are_read_or_refused_at_once(text: str) -> None:
    with suppress(re.error):
        assert compile_regex([(text, False), ("-", True)]).pattern.search("a" * 20_000 + "-") is not None
