"""Data that launchers name: look at all of it, or make it out of verl's."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint import __version__
from relax_lint.command_line import described, described_by
from relax_lint.commands import USAGE_ERROR, absolute, complain, data_convert, pairs, say_unread

if TYPE_CHECKING:
    from relax_lint.data_check import Examined
    from relax_lint.engine import Report
    from relax_lint.project import Project


EXAMPLES = (
    ("relax-lint data check train.parquet", "what the columns hold"),
    ("relax-lint data convert verl/ relax/", "all files below a directory"),
)
_CHECK = """\
Read every row, and print what each column holds.

With --launcher, the rows are judged by the rules on data (RLX7, RLX214, RLX410) as the launches of that script read
them: which columns, with or without the chat template, for which reward. FILE is a .jsonl or .parquet file, or
anything that --prompt-data takes: a directory, a list, `path@[a:b]`.
"""
_CHECK_EXAMPLES = (
    ("relax-lint data check train.parquet", "what the columns hold"),
    ("relax-lint data check data/ --launcher run.sh", "as the launcher reads it"),
)
_CHECK_STATUS = {
    0: "nothing of severity error or warning is found (advice counts with --strict)",
    1: "something is, or a file cannot be read",
    2: "wrong usage, a file that does not exist, or the extra `data` is not installed",
}
_RULES = ("RLX7", "RLX214", "RLX410")
"""The rules on data, and those on flags that say how it is read."""


def add_arguments(parser: ArgumentParser) -> None:
    """What `relax-lint data` takes."""
    actions = parser.add_subparsers(dest="action", metavar="check|convert", required=True, help="one of:")
    told = described(_CHECK, _CHECK_EXAMPLES, _CHECK_STATUS)
    _check_arguments(actions.add_parser("check", help="what data holds, and what is wrong with it", **told))
    told = described_by(data_convert)
    data_convert.add_arguments(actions.add_parser("convert", help="make data of Relax out of data of verl", **told))


def _check_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help="a file, a directory, a list, path@[a:b]")
    parser.add_argument("--launcher", metavar="RUN.sh", type=Path, help="judge the rows as its launches read them")
    parser.add_argument("--env", metavar="NAME=VALUE", action="append", default=[], help="a variable of the launcher")
    parser.add_argument("--relax-root", metavar="DIR", type=Path, help="the Relax checkout to judge by")
    parser.add_argument("--strict", action="store_true", help="advice changes the exit status too")
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="how it is written (default: %(default)s)"
    )


def run(options: Namespace) -> int:
    """Read and report, or convert; the exit status."""
    from relax_lint.config import ConfigError

    if options.action == "convert":
        return data_convert.run(options)

    try:
        return _check(options)
    except (ConfigError, ValueError) as refused:
        complain(str(refused))
        return USAGE_ERROR


def _check(options: Namespace) -> int:
    from relax_lint.data_check import Examined
    from relax_lint.report.progress import Progress

    if options.env and options.launcher is None:
        raise ValueError("--env gives variables of the launcher that --launcher names")
    project = _project(options)
    examined = [Examined(spec, project, Path.cwd()) for spec in options.files]
    missing = [text for one in examined for text in one.missing]
    for text in missing:
        complain(f"no such file or directory: {text or repr(text)}")
    if missing:
        return USAGE_ERROR
    if options.launcher is not None and not _read_as(options.launcher, examined, project):
        return USAGE_ERROR
    with Progress() as progress:
        for one in examined:
            one.read(progress)
    report = _judged(options, examined, project)
    _print(options, examined, report, project)
    return _status(options, examined, report)


def _project(options: Namespace) -> Project:
    """The repository of the launcher."""
    from relax_lint.config import Configuration, Settings, refuse_unusable, with_options
    from relax_lint.discovery import root_of
    from relax_lint.files import Files
    from relax_lint.project import Project
    from relax_lint.rules import load_rules

    env = pairs(options.env)
    root = None if options.relax_root is None else absolute(options.relax_root)

    def override(settings: Settings) -> Settings:
        return with_options(settings, env={**settings.env, **env}, relax_root=root)

    home = Path.cwd() if options.launcher is None else absolute(options.launcher).parent
    about = home / "launcher" if options.launcher is None else absolute(options.launcher)
    settings = Configuration(override).settings_for(about)
    refuse_unusable(settings, settings.selection, load_rules)
    return Project(root_of(home, Files()) or home, settings)


def _read_as(launcher: Path, examined: list[Examined], project: Project) -> bool:
    """Have the data judged as a launcher's launches read it; whether there are any."""
    path = absolute(launcher)
    if not project.is_file(path):
        what = "no regular file" if project.exists(path) else "no such file"
        complain(f"{what}: {launcher}")
        return False
    source = project.launcher(path)
    launches = [] if source is None else [launch for launch in source.launches if launch.kind == "relax"]
    if not launches:
        complain(f"{launcher} launches no training of Relax")
        return False
    from relax_lint.rules import import_rules

    import_rules()  # which brings the judges of rows, for one reading to serve them all
    for one in examined:
        one.read_as(launches)
    return True


def _judged(options: Namespace, examined: list[Examined], project: Project) -> Report:
    """What the data rules say; nothing without a launcher."""
    from relax_lint.engine import Report, lint

    if options.launcher is None:
        return Report()
    from relax_lint.config import with_options
    from relax_lint.data_check import judge_instead
    from relax_lint.rules import load_rules
    from relax_lint.selection import Layer

    judge_instead(examined, project)
    settings = with_options(project.settings, selection=(*project.settings.selection, Layer(select=_RULES)))
    return lint(project, load_rules(), settings, [absolute(options.launcher)])


def _print(options: Namespace, examined: list[Examined], report: Report, project: Project) -> None:
    from relax_lint.report import Outcome, shown_path

    def encode(path: Path, offset: int) -> int:
        source = project.source(path)
        return offset if source is None else source.to_byte(offset)

    say_unread([project])
    root = project.relax_root
    relax = "no checkout; the built-in tables" if root is None else f"checkout at {shown_path(root)}"
    judged_by = {"relax": relax, "catalogue": f"relax-lint {__version__}"}
    outcome = Outcome(report, encode, judged_by=judged_by, quiet=True, colour=_in_colour())
    if options.format == "json":
        from relax_lint.report import data_json

        sys.stdout.write(data_json.render(examined, outcome))
    else:
        from relax_lint.report import data_text

        sys.stdout.write(data_text.render(examined, outcome, judged=options.launcher is not None))


def _in_colour() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _status(options: Namespace, examined: list[Examined], report: Report) -> int:
    from relax_lint.diagnostics import Severity

    for failure in report.failures:
        complain(f"internal error: {failure}")
    if report.failures or any(file.needs_pyarrow for one in examined for file in one.files):
        return USAGE_ERROR
    grave = [found for found in report.standing if options.strict or found.severity is not Severity.ADVICE]
    return int(bool(grave) or any(one.problems for one in examined))
