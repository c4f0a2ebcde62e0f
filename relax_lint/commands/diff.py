"""How the arguments that launches really get have changed since a git revision, for review.

REV is compared with the work tree, REV..REV2 with another revision, REV...REV2 from where both part; a side that is
left out is HEAD. Launchers are evaluated on both sides, so that changes in the files that they source, and in
variables, count. Nothing is checked out, nothing is run.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from relax_lint.commands import USAGE_ERROR, absolute, complain, given, pairs, say_unread

EXAMPLES = (
    ("relax-lint diff HEAD", "what is not committed yet"),
    ("relax-lint diff main...", "what a branch changes"),
    ("relax-lint diff v1..v2 examples/gsm8k", "a recipe, between two releases"),
)
EXIT_STATUS = {
    0: "it is shown",
    1: "with --exit-code: something has changed, or a submodule, into which it does not look",
    2: "wrong usage, no such revision, or a file that cannot be read",
}


def add_arguments(parser: ArgumentParser) -> None:
    """What `relax-lint diff` takes."""
    parser.add_argument("revision", metavar="REV", help="a revision, REV..REV2 or REV...REV2")
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and directories (default: the current one)")
    parser.add_argument("--env", metavar="NAME=VALUE", action="append", default=[], help="a variable and its value")
    parser.add_argument("--relax-root", metavar="DIR", type=Path, help="the Relax checkout whose flags count")
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="how it is written (default: %(default)s)"
    )
    parser.add_argument("--exit-code", action="store_true", help="exit with 1 when something has changed")


def run(options: Namespace) -> int:
    """Compare and print; the exit status."""
    from importlib import import_module

    from relax_lint.config import ConfigError
    from relax_lint.git import GitError
    from relax_lint.launch_history import Missing, compare

    try:
        found = compare(
            options.revision,
            [absolute(path) for path in options.paths or ["."]],
            pairs(options.env),
            given(options.relax_root),
        )
    except (ConfigError, GitError, Missing, ValueError) as problem:
        complain(str(problem))
        return USAGE_ERROR
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    render = import_module(f"relax_lint.report.diff_{options.format}").render
    sys.stdout.write(render(found, colour=colour))
    for note in found.notes:
        complain(note)
    say_unread(found.projects)
    return int(options.exit_code and bool(found.changes or found.submodules))
