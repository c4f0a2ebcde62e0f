"""Patterns that are compiled when they are first used are patterns all the same."""

from __future__ import annotations

import re

import pytest

from relax_lint.patterns import pattern


def test_it_finds_what_a_compiled_one_finds() -> None:
    lazy, compiled = pattern(r"(?P<word>r\w+)", re.IGNORECASE), re.compile(r"(?P<word>r\w+)", re.IGNORECASE)
    text = "Relax runs rewards"
    assert lazy.findall(text) == compiled.findall(text) == ["Relax", "runs", "rewards"]
    assert [found["word"] for found in lazy.finditer(text, 3)] == ["runs", "rewards"]
    assert lazy.sub("_", text) == "_ _ _"
    assert (lazy.pattern, lazy.groups) == (compiled.pattern, compiled.groups)


def test_a_broken_one_is_told_when_it_is_used() -> None:
    broken = pattern("(")
    with pytest.raises(re.error):
        broken.match("")
