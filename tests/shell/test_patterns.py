"""Every row is also run by real bash, which has the last word."""

from __future__ import annotations

import itertools
import shlex

import pytest

from relax_lint.shell.patterns import (
    change_case,
    compile_pattern,
    has_glob,
    matches,
    remove_prefix,
    remove_suffix,
    replace,
)
from tests.cases import for_each
from tests.shell.real_bash import outputs
from tests.shell.whole_scripts import launched, printed

PATTERNS = r"""
a abc * ? a* *c *b* a?c [abc] [a-c] [!a-c]* [^a]* []a]* [!]]* [a-]* [-a]* [z-a] a[ a[b [[:upper:]]*
[[:digit:][:space:]]* [![:alnum:]]* [[:nope:]a] [a\]b]* \* a\* \[a] [\a-\c] *\** ** *.* */* /*/ [[.a.]-c]
[[=a=]b] a\ [*] é* [à-ü] ?? *[0-9] [0-9]*[0-9]
"""
GROUPS = r"""
@(a|b) @(a|ab)c +(a|b) *(ab) ?(a)b* !(a) !(a|b*)c @(a|@(b|c))* +([0-9]) *([!/])/* !(*.*) @(a @() @(a|) x@(*)y
*(a|b)c +(?) !(*) a!(b)c @([)]|a) (a) +( *+(a)*
"""
VALUES = [
    "", "a", "b", "c", "abc", "ac", "bc", "bbc", "aXc", "a*c", "*", "a[", "a[b", "]", "-", "Z", "1 2", " x", "é", "éa",
    "a.b", "/a/", "a/b/c", "ababc", "aab", "a\\", "[a]", "@(a", "a\nb", "12", "1a2", "xy", "(a)", "+(", "a]b", ")",
]  # fmt: skip


def spelled(pieces: list[tuple[str, bool]]) -> tuple[str, str]:
    """Assignments and an expression that give bash the same pieces."""
    names = [f"piece{index}" for index in range(len(pieces))]
    setup = "; ".join(f"{name}={shlex.quote(text)}" for name, (text, _) in zip(names, pieces, strict=True))
    use = "".join(f'"${name}"' if quoted else f"${name}" for name, (_, quoted) in zip(names, pieces, strict=True))
    return setup, use


@pytest.mark.parametrize("ignore_case", [False, True])
@pytest.mark.parametrize("extglob", [False, True])
def test_case_patterns(extglob: bool, ignore_case: bool) -> None:
    patterns = ["", *PATTERNS.split(), *GROUPS.split()]
    values = " ".join(map(shlex.quote, VALUES))
    found = outputs(
        [
            f"p={shlex.quote(p)}; for v in {values}; do case $v in $p) printf 1;; *) printf 0;; esac; done"
            for p in patterns
        ],
        prologue=f"shopt -{'s' if extglob else 'u'} extglob; shopt -{'s' if ignore_case else 'u'} nocasematch",
    )
    for text, line in zip(patterns, found, strict=True):
        pattern = compile_pattern([(text, False)], extglob=extglob, ignore_case=ignore_case)
        ours = "".join("01"[matches(pattern, value)] for value in VALUES)
        differing = [value for value, one, other in zip(VALUES, ours, line, strict=True) if one != other]
        assert not differing, (text, differing)


QUOTED = [
    [("*", True)], [("a", False), ("*", True)], [("a*", True), ("*", False)],
    [("[", False), ("a-c", True), ("]", False)], [("[", True), ("abc]", False)],
    [("[", False), ("!", True), ("a]", False)], [("@(a|", False), ("*", True), (")", False)],
    [("\\", True)], [("a", False), ("\\", True)], [("@(", True), ("a)", False)],
]  # fmt: skip


def test_quoted_pieces_are_text() -> None:
    snippets = []
    for pieces in QUOTED:
        setup, use = spelled(pieces)
        snippets.append(
            "; ".join([setup, *(f"[[ {shlex.quote(v)} == {use} ]] && printf 1 || printf 0" for v in VALUES)])
        )
    for pieces, line in zip(QUOTED, outputs(snippets), strict=True):
        pattern = compile_pattern(pieces, extglob=True)
        assert "".join("01"[matches(pattern, value)] for value in VALUES) == line, pieces


REMOVED = ["", "aXbXc", "/a/b/c.tar.gz", "a*b*c", "ababab", "x", "a\\b", "--flag=value", "été", "a]b[c", "abcabc"]


def test_removal() -> None:
    patterns = [
        "",
        *PATTERNS.split(),
        *GROUPS.split(),
        "*X",
        "X*",
        "*/",
        "/*",
        ".*",
        "*.",
        "*=",
        "--*=",
        "ab",
        "+(ab)",
        "*b",
        "b*",
    ]
    cases = list(itertools.product(REMOVED, patterns))
    snippets = [
        f'v={shlex.quote(v)}; p={shlex.quote(p)}; printf \'%s\\037\' "${{v#$p}}" "${{v##$p}}" "${{v%$p}}" "${{v%%$p}}"'
        for v, p in cases
    ]
    for (value, text), line in zip(cases, outputs(snippets, prologue="shopt -s extglob"), strict=True):
        pattern = compile_pattern([(text, False)], extglob=True)
        ours = [
            edit(value, pattern, longest=longest)
            for edit in (remove_prefix, remove_suffix)
            for longest in (False, True)
        ]
        assert ours == line.split("\x1f")[:-1], (value, text)


def test_replacement() -> None:
    # Bash never replaces an empty match of `@(…)` at the end, though `case` finds one.
    groups = [group for group in GROUPS.split() if group not in ("@()", "@(a|)")]
    patterns = ["", *PATTERNS.split(), *groups, "X", "ab", "b", "/", "*\\*", "*b\\*"]
    cases = list(itertools.product(REMOVED, patterns))
    snippets = [
        f"v={shlex.quote(v)}; p={shlex.quote(p)}; "
        'printf \'%s\\037\' "${v/$p/<&>}" "${v//$p/<&>}" "${v/#$p/<&>}" "${v/%$p/<&>}" "${v//$p}"'
        for v, p in cases
    ]
    fill = [("<&>", False)]
    for (value, text), line in zip(cases, outputs(snippets, prologue="shopt -s extglob"), strict=True):
        pattern = compile_pattern([(text, False)], extglob=True)
        ours = [
            replace(value, pattern, fill, "first"), replace(value, pattern, fill, "all"),
            replace(value, pattern, fill, "prefix"), replace(value, pattern, fill, "suffix"),
            replace(value, pattern, [], "all"),
        ]  # fmt: skip
        assert ours == line.split("\x1f")[:-1], (value, text)


FILLS = ["&", "\\&", "\\\\&", "\\\\", "\\\\\\\\", "a\\b", "&\\\\", "&\\a", "\\\\\\&", "x&y\\", "\\", "&\\&", "", "/"]


def test_ampersands_in_replacements() -> None:
    snippets = [
        f'v=abc; r={shlex.quote(r)}; printf \'%s\\037\' "${{v/b/$r}}" "${{v/b/"$r"}}" "${{v/b/"$r"&}}"' for r in FILLS
    ]
    pattern = compile_pattern([("b", False)])
    for fill, line in zip(FILLS, outputs(snippets), strict=True):
        ours = [
            replace("abc", pattern, pieces, "first")
            for pieces in ([(fill, False)], [(fill, True)], [(fill, True), ("&", False)])
        ]
        assert ours == line.split("\x1f")[:-1], fill


def test_case_changes() -> None:
    cases = list(
        itertools.product(
            ["", "abc", "Hello World", "éàü ß", "123a", "ABC"], ["", "?", "[a-m]", "l", "*", "b*", "[[:upper:]]"]
        )
    )
    snippets = [
        f"v={shlex.quote(v)}; p={shlex.quote(p)}; printf '%s\\037' "
        '"${v^$p}" "${v^^$p}" "${v,$p}" "${v,,$p}" "${v~$p}" "${v~~$p}"'
        for v, p in cases
    ]
    for (value, text), line in zip(cases, outputs(snippets), strict=True):
        pattern = compile_pattern([(text, False)])
        ours = [change_case(value, operator, pattern) for operator in ("^", "^^", ",", ",,", "~", "~~")]
        assert ours == line.split("\x1f")[:-1], (value, text)


@for_each(
    ("pieces", "expected"),
    [
        ([("a*", False)], True), ([("a*", True)], False), ([("a?", False)], True), ([("[x]", False)], True),
        ([("[x", False)], False), ([("x]", False)], False), ([("[a/b]", False)], False), ([("\\*", False)], False),
        ([("[", True), ("x]", False)], False), ([("+(a)", False)], False), ([("a", True), ("*", False)], True),
    ],
)  # fmt: skip
def test_words_that_look_for_files(pieces: list[tuple[str, bool]], expected: bool) -> None:
    assert has_glob(pieces) is expected


def test_groups_look_for_files_only_with_extglob() -> None:
    assert has_glob([("+(a)", False)], extglob=True)
    assert not has_glob([("+(a)", True)], extglob=True)


@for_each("value", ["end\\", "end", "\\", "a\\b", "end*", "*\\", ""])
@for_each("pattern", ["end\\", "\\", "*\\", "a\\", "d\\", "?\\", "\\*", "en*\\"])
def test_a_pattern_that_ends_in_a_backslash(value: str, pattern: str) -> None:
    operators = ["#", "##", "%", "%%", "/", "//", "/#", "/%"]
    uses = "\n".join(f'python3 "${{v{each}$p{"/R" if each[0] == "/" else ""}}}"' for each in operators)
    text = f"v='{value}' p='{pattern}'\n{uses}\n[[ $v == $p ]] && python3 same\ncase $v in $p) python3 same ;; esac\n"
    assert launched(text) == printed(text)
