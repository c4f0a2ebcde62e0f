"""Writes to variables that are read-only: what bash gives up, in every way a variable can be written."""

from __future__ import annotations

import pytest

from tests.shell.whole_scripts import launched, printed

WRITES = [
    "a=2",
    "a+=2",
    "a[0]=2",
    "a=(2)",
    "a=$(echo 1)",
    "a=2 true",
    "a=2 f",
    "readonly a=2",
    "readonly a=(2)",
    "readonly a",
    "export a=2",
    "export -n a",
    "declare a=2",
    "declare a=(2)",
    "declare -g a=2",
    "declare -n a=b",
    "typeset a=2",
    "read a <<< x",
    "read -a a <<< x",
    "mapfile a <<< x",
    "printf -v a x",
    "getopts x a -x",
    "let a=2",
    "(( a = 2 ))",
    "(( a++ ))",
    ": $(( a = 2 ))",
    "for a in 1 2; do python3 body; done",
    "for ((a = 0; a < 1; a++)); do python3 body; done",
    "unset a",
    ": ${a:=3}",
    ": ${a=3}",
]
AROUND = [
    "{}; python3 same",
    "{} || python3 failed",
    "if {}; then python3 yes; else python3 no; fi",
    "g() {{ {} || python3 failed; python3 inside; }}; g; python3 outside",
    "({}; python3 inside); python3 outside",
]


@pytest.mark.parametrize("options", ["", "set -e\n"])
def test_what_follows_a_refused_write_is_what_bash_goes_on_with(options: str) -> None:
    texts = [
        f"{options}f() {{ :; }}\nreadonly a=1\n{around.format(write)}\npython3 end\n"
        for write in WRITES
        for around in AROUND
    ]
    assert {text: launched(text) for text in texts} == {text: printed(text) for text in texts}


@pytest.mark.parametrize("options", ["", "set -e\n"])
@pytest.mark.parametrize("write", ["local a=2", "declare a=2", "local -r a=2", "a=2"])
def test_what_a_function_may_hide_it_may_write(options: str, write: str) -> None:
    texts = [
        f"{options}readonly a=1\nf() {{ {write} || python3 failed; python3 in$a; }}\nf\npython3 end\n",
        f"{options}f() {{ local -r a=1; g; }}\ng() {{ {write} || python3 failed; python3 in$a; }}\nf\npython3 end\n",
        f"{options}f() {{ local -r a=1; {write} || python3 failed; python3 in$a; }}\nf\npython3 end\n",
    ]
    assert [launched(text) for text in texts] == [printed(text) for text in texts]
