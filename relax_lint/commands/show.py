"""What a launcher launches: every argv, under which conditions, on which GPUs, and where each flag comes from.

Without --clean-env, what the launcher can launch: variables and arguments that are not given are unknown, and both ways
of a condition that hangs on them are shown. What the script itself gives unless something else is given, by
`${X:-8}` or in front of a loop over its arguments, counts as the value. With --clean-env, exactly what running it so
would launch. Words after `--` are the launcher's own arguments.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.commands import USAGE_ERROR, absolute, complain, pairs, say_unread

if TYPE_CHECKING:
    from relax_lint.files import Files
    from relax_lint.project import Project
    from relax_lint.report import Shown
    from relax_lint.shell.evaluate import Evaluation, Reading

EXAMPLES = (
    ("relax-lint show run.sh", "every launch that is possible"),
    ("relax-lint show --env MODE=async run.sh", "with a variable set"),
    ("relax-lint show --clean-env run.sh -- --debug", "what `run.sh --debug` starts"),
)
EXIT_STATUS = {
    0: "it is shown",
    1: "a script has an error that bash would stop at, or was not followed to its end",
    2: "wrong usage, or a file that cannot be read",
}

TAKES_REST = True
"""Words after ``--`` are kept apart, as ``options.rest``."""


def add_arguments(parser: ArgumentParser) -> None:
    """What `relax-lint show` takes."""
    parser.add_argument("launchers", nargs="+", metavar="LAUNCHER", help="bash scripts")
    parser.add_argument("--env", metavar="NAME=VALUE", action="append", default=[], help="a variable and its value")
    parser.add_argument("--clean-env", action="store_true", help="the environment is what --env gives, nothing else")
    parser.add_argument("--cwd", metavar="DIR", type=Path, help="the directory it is run in")
    parser.add_argument("--all", action="store_true", help="other recorded commands too, not training launches only")
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="how it is written (default: %(default)s)"
    )


def run(options: Namespace) -> int:
    """Evaluate and print; the exit status."""
    from importlib import import_module

    from relax_lint.config import ConfigError
    from relax_lint.discovery import has_shebang, is_launcher
    from relax_lint.files import Files
    from relax_lint.report import Shown

    try:
        env = pairs(options.env)
    except ValueError as problem:
        complain(str(problem))
        return USAGE_ERROR
    if options.cwd is not None and not options.cwd.is_dir():
        complain(f"no such directory: {options.cwd}")
        return USAGE_ERROR
    shown: list[Shown] = []
    files, failed, broken = Files(), False, False
    for name in options.launchers:
        path = absolute(name)
        if (reason := _why_not(path, files)) is not None:
            complain(f"{name} cannot be read: {reason}" if files.exists(path) else f"no such file: {name}")
            failed = True
            continue
        if not (is_launcher(path, files) or has_shebang(path, files)):
            complain(f"not a shell script: {name}")
            failed = True
            continue
        try:
            evaluation = _evaluated(path, env, options)
            launches = [one for one in evaluation.launches if options.all or one.kind != "other"]
            shown.append(Shown(path, launches, _project(path), evaluation.too_complex is None))
            broken = broken or bool(evaluation.problems) or evaluation.too_complex is not None
        except FileNotFoundError:
            complain(f"{name} cannot be read: it is too large")
            failed = True
        except ConfigError as problem:
            complain(str(problem))
            failed = True
    sys.stdout.write(import_module(f"relax_lint.report.show_{options.format}").render(shown))
    say_unread([one.project for one in shown])
    return USAGE_ERROR if failed else int(broken)


def _why_not(path: Path, files: Files) -> str | None:
    """Why a path cannot be evaluated."""
    if files.is_dir(path):
        return "it is a directory"
    return files.why_closed(path) if files.is_file(path) else "it is no regular file"


def _evaluated(path: Path, env: dict[str, str], options: Namespace) -> Evaluation:
    """What a script launches, after complaints of what could not be followed."""
    from relax_lint.shell.evaluate import evaluate
    from relax_lint.shell.queries import unread_sources

    evaluation = evaluate(path, _reading(path, env, options))
    for place, message in evaluation.problems:
        line, column = place.source.position(place.start)
        complain(f"{place.source.path}:{line}:{column}: {message}")
    for place in unread_sources(evaluation):
        line, column = place.source.position(place.start)
        sourced = place.source.text[place.start : place.end]
        complain(f"{place.source.path}:{line}:{column}: not read, so that what it sets is not known: {sourced}")
    if evaluation.too_complex is not None:
        complain(f"{path} has more to do, or more ways through it, than is followed; there may be more launches")
    return evaluation


def _project(path: Path) -> Project:
    """The repository of a script."""
    from relax_lint.config import Configuration, refuse_no_checkout
    from relax_lint.discovery import root_of
    from relax_lint.files import Files
    from relax_lint.project import Project

    settings = Configuration().settings_for(path)
    refuse_no_checkout(settings)
    return Project(root_of(path.parent, Files()) or path.parent, settings)


def _reading(path: Path, env: dict[str, str], options: Namespace) -> Reading:
    from relax_lint.config import Configuration
    from relax_lint.discovery import root_of
    from relax_lint.files import Files
    from relax_lint.shell.evaluate import Reading

    root = root_of(path.parent, Files()) or path.parent
    cwd = None if options.cwd is None else absolute(options.cwd)
    if options.clean_env:
        return Reading(clean=True, env=env, args=tuple(options.rest), cwd=cwd or Path.cwd(), root=root)
    site = Configuration().settings_for(path).env
    args = tuple(options.rest) if options.rest else None
    return Reading(env={**site, **env}, args=args, cwd=cwd, root=root)
