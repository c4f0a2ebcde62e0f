"""The command line: what ``--help`` of each command prints on a terminal of 80 columns."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
from collections.abc import Iterator
from pathlib import Path

from relax_lint.cli import COMMANDS, main
from relax_lint.command_line import parser_for
from tools.docs_builder.blocks import GENERATED, fenced

PAGE = Path("docs/reference/command-line.md")
COLUMNS = 80
SHOWN = "<!-- shown: what the parser prints -->"


def page() -> str:
    """The page."""
    parts = [
        f"{GENERATED}\n# Command line",
        "`relax-lint PATH...` is `relax-lint check PATH...`. Options cannot be shortened.",
        _block("--help"),
    ]
    for name in COMMANDS:
        parts += [f"## {name}", _block(name, "--help")]
        for nested in _nested(name):
            parts += [f"### {name} {nested}", _block(name, nested, "--help")]
    return "\n\n".join(parts) + "\n"


def _nested(name: str) -> Iterator[str]:
    for action in parser_for(name)._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices


def _block(*words: str) -> str:
    return f"{SHOWN}\n{fenced(help_of(*words), 'text')}"


def help_of(*words: str) -> str:
    """What the program prints for words that end in ``--help``."""
    printed = _Printed()
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = str(COLUMNS)
    try:
        with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
            main(words)
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before
    return printed.getvalue()


class _Printed(io.StringIO):
    """A stream that the program may set up as it sets up a terminal's."""

    def reconfigure(self, **_: object) -> None:
        """As :meth:`io.TextIOWrapper.reconfigure`; text needs no encoding here."""
