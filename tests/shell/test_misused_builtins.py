"""Builtins with too few words, empty ones, or options that they do not have."""

from __future__ import annotations

import pytest

from relax_lint.shell import commands
from tests.shell.whole_scripts import launched, printed

WORDS = [
    "",
    "x",
    "-",
    "--",
    "-x",
    "''",
    "x y",
    "-- x",
    "-x y",
    "x -y z",
    "'' ''",
    "1",
    "-1",
    "x=1",
    "=",
    "-n",
    "-t",
    "-p",
]
launched("true\n")  # from then on all builtins are registered
LEAVE = {"exec", "exit", "return", "suspend", "logout"}
NAMES = sorted({*commands.BUILTINS, *commands._DECLARING} - LEAVE)


@pytest.mark.parametrize("name", NAMES)
def test_what_follows_is_reached(name: str) -> None:
    noexec = {"-n", "-t"} if name == "set" else set()
    scripts = [f"{name} {words}\npython3 end\n" for words in WORDS if words not in noexec]
    assert [script for script in scripts if "end" not in launched(script)] == []


@pytest.mark.parametrize("use", ["getopts", "getopts a", "getopts ''", "getopts '' x", "set '' a", "set - a b", "set"])
def test_the_status_and_arguments_are_those_of_bash(use: str) -> None:
    script = f'set -- 1 2 3\nwhile {use}; do python3 yes; break; done\npython3 "$#"\npython3 "$1"\n'
    assert launched(script) == [word.rpartition("\n")[2] for word in printed(script)]
