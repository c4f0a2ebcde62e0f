"""Which comments are the head of a script."""

from __future__ import annotations

from pathlib import Path

import pytest

from relax_lint.shell.header import header_comments
from relax_lint.sources.script import ScriptFile


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("#!/bin/bash\n# a\n\n#b\nset -e\n# c\n", ["# a", "#b"]),
        ("# a\n", ["# a"]),
        ("#!/bin/sh\n", []),
        ("set -e # a\n# b\n", []),
        ("A=1\n# a\n", []),
        ("run() {\n    # a\n    :\n}\n", []),
        ("\ufeff#!/bin/bash\n# a\nset -e\n# b\n", ["# a"]),
        ("\ufeff# a; b\n# c\nset -e\n", ["# a; b", "# c"]),
        ("\ufeffset -e\n# a\n", []),
        ("", []),
    ],
)
def test_the_comments_before_the_first_command(text: str, head: list[str]) -> None:
    source = ScriptFile(Path("run.sh"), text.encode())
    assert [text[place.start : place.end] for place in header_comments(source)] == head
