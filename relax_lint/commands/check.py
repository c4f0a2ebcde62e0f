"""Check recipes and launchers, and fix them."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from relax_lint.commands import USAGE_ERROR, complain
from relax_lint.config import PROFILES, ConfigError
from relax_lint.report import FORMATS

EXAMPLES = (
    ("relax-lint examples/", "all recipes"),
    ("relax-lint --diff examples/", "what --fix would change"),
    ("relax-lint --fix examples/", "apply the safe fixes"),
    ("relax-lint --select RLX4 examples/gsm8k", "one recipe, the rules on launchers"),
    ("relax-lint --since origin/main", "the recipes that a branch touches"),
)
EXIT_STATUS = {
    0: "nothing of severity error or warning is left (advice counts with --strict)",
    1: "something is, a --require-... is not met, or --diff would change something",
    2: "wrong usage, a path that does not exist, a configuration that cannot be used, a file that --fix cannot write, "
    "or an internal failure",
}
_SOURCES = (".py", ".pyi", ".ipynb", ".yaml", ".yml", ".toml", ".parquet")
"""The suffixes of what recipes consist of, and is no report, beside their scripts."""


def add_arguments(parser: ArgumentParser) -> None:
    """What `relax-lint check` takes."""
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and directories (default: the current one)")
    _add_fixing(parser)
    _add_selection(parser)
    _add_files(parser)
    _add_output(parser)
    _add_demands(parser)


def _add_fixing(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("fixing")
    group.add_argument("--fix", action="store_true", help="apply safe fixes")
    group.add_argument("--unsafe-fixes", action="store_true", help="unsafe fixes too: apply, show or count them")
    group.add_argument("--diff", action="store_true", help="print what --fix would change, and change nothing")
    group.add_argument(
        "--no-migrate",
        action="store_true",
        help="with --fix: single edits only. Without it, launchers of verl in recipes are rewritten for Relax where "
        "they stand (what git could not give back is kept as NAME.orig), and launchers of one mode get both "
        "(with --unsafe-fixes where another mode would start by default then)",
    )
    group.add_argument(
        "--show-fixes",
        action="store_true",
        default=None,
        help="after --fix: how many findings of which rule were fixed in each file",
    )
    group.add_argument("--exit-non-zero-on-fix", action="store_true", help="exit with 1 when something was fixed")
    group.add_argument(
        "--add-suppressions",
        metavar="REASON",
        help="write a comment above every finding in the given paths that silences it, and why",
    )


def _add_selection(parser: ArgumentParser) -> None:
    group = parser.add_argument_group(
        "rules", "CODES are codes, prefixes such as RLX4, names, or ALL, with commas between them."
    )
    for name, what in (
        ("select", "judge by these rules only"),
        ("ignore", "leave these rules out"),
        ("extend-select", "judge by these rules too"),
        ("extend-ignore", "leave these rules out too"),
    ):
        group.add_argument(f"--{name}", metavar="CODES", action="append", help=what)
    group.add_argument("--profile", choices=PROFILES, help="guide (the default): all rules; runtime: errors only")
    group.add_argument("--strict", action="store_true", default=None, help="advice changes the exit status too")


def _add_files(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("files and configuration")
    group.add_argument("--exclude", metavar="GLOB", action="append", default=[], help="leave out, as .gitignore would")
    group.add_argument(
        "--force-exclude", action="store_true", default=None, help="leave excluded files out even when they are named"
    )
    group.add_argument(
        "--staged",
        action="store_true",
        help="only recipes that the git index touches, or what pre-commit's refs span (and all that pre-commit runs on "
        "when nothing is staged); files are judged as the work tree has them",
    )
    group.add_argument(
        "--since", metavar="REV", help="only recipes that changed since a git revision, or that read a file that did"
    )
    group.add_argument("--config", metavar="FILE", type=Path, help="use this configuration for everything")
    group.add_argument("--isolated", action="store_true", help="read no configuration")
    group.add_argument(
        "--env", metavar="NAME=VALUE", action="append", default=[], help="a variable's value at this site"
    )
    group.add_argument("--relax-root", metavar="DIR", type=Path, help="the Relax checkout to judge by")
    group.add_argument("--verl-root", metavar="DIR", type=Path, help="the verl checkout to look things up in")
    group.add_argument("--stdin-filename", metavar="NAME", help="with PATH `-`: what standard input is called")
    group.add_argument("--baseline", metavar="FILE", type=Path, help="known findings that do not count")
    group.add_argument("--write-baseline", metavar="FILE", type=Path, help="remember today's findings there, and leave")
    group.add_argument("--prune-baseline", action="store_true", help="take what is found no more out of the baseline")


def _add_output(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument(
        "--format", choices=FORMATS, default="text", help="how the report is written (default: %(default)s)"
    )
    group.add_argument("--output-file", metavar="FILE", type=Path, help="write the report there")
    group.add_argument("-q", "--quiet", action="store_true", help="findings only, no summary")
    group.add_argument("--statistics", action="store_true", help="how many findings each rule has")
    group.add_argument("--show-suppressed", action="store_true", help="silenced findings too, with the reason")
    group.add_argument("--show-settings", metavar="FILE", type=Path, help="print what holds for a file, and leave")
    group.add_argument("--timings", action="store_true", help="print what took how long")
    group.add_argument("-j", "--jobs", metavar="N", type=int, help="processes (default: as many as pay)")
    group.add_argument("--no-cache", action="store_true", help="keep nothing between runs, use nothing kept")
    group.add_argument("--clear-cache", action="store_true", help="remove what earlier runs kept, and leave")


def _add_demands(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("what must be")
    group.add_argument("--exit-zero", action="store_true", help="exit with 0 whatever is found")
    for name, what in (
        ("require-recipes", "finding no recipe, or none that launches, is a failure"),
        ("require-checked", "so is anything that could not be judged, or no launch at all"),
        ("require-reasons", "so is a suppression that does not say why"),
    ):
        group.add_argument(f"--{name}", action="store_true", default=None, help=what)


def run(options: Namespace) -> int:
    """Check; the exit status."""
    from relax_lint.checking import Checking
    from relax_lint.parallel import WorkerFailed
    from relax_lint.selection import UnknownRule

    problem = _contradiction(options)
    if problem is not None:
        complain(problem)
        return USAGE_ERROR
    if options.clear_cache:
        from relax_lint.store import clear

        clear()
        return 0
    try:
        return Checking(options).run()
    except (ConfigError, UnknownRule, WorkerFailed) as refused:
        complain(str(refused))
        return USAGE_ERROR


def _contradiction(options: Namespace) -> str | None:
    """What is wrong with options that do not go together."""
    stdin = "-" in options.paths
    if stdin and len(options.paths) > 1:
        return "`-` stands for standard input and cannot be mixed with other paths"
    if stdin != bool(options.stdin_filename):
        return "standard input needs both --stdin-filename NAME and the path `-`"
    if stdin and (options.staged or options.since or options.add_suppressions or options.write_baseline):
        return (
            "standard input is one unsaved file; --staged, --since, --add-suppressions, --write-baseline do not apply"
        )
    if stdin and Path(options.stdin_filename).is_dir():
        return f"--stdin-filename wants the name of a file; {options.stdin_filename} is a directory"
    if options.staged and options.since:
        return "--staged and --since exclude each other"
    if options.add_suppressions is not None and (options.fix or options.diff):
        return "--add-suppressions does not go with --fix or --diff"
    if options.add_suppressions is not None and not options.add_suppressions.strip():
        return "--add-suppressions wants a reason"
    if options.write_baseline is not None and (options.diff or options.add_suppressions is not None):
        return "--write-baseline does not go with --diff or --add-suppressions"
    if options.prune_baseline and (
        options.write_baseline is not None or options.add_suppressions is not None or options.diff or stdin
    ):
        return "--prune-baseline does not go with --write-baseline, --add-suppressions, --diff or standard input"
    if options.statistics and options.format != "text":
        return "--statistics is a table for people; --format json has every finding to count"
    if options.diff and options.format != "text":
        return f"--diff prints a patch, not --format {options.format}; without --diff, json and sarif hold the edits"
    if options.show_fixes and (not options.fix or options.diff):
        return "--show-fixes lists what --fix has fixed; --diff shows it beforehand"
    if options.show_fixes and options.format != "text":
        return "--show-fixes is a list for people; it goes with --format text"
    if options.select is not None and not "".join(options.select).strip(" ,"):
        return "--select names no rule; ALL selects every one"
    if options.isolated and options.config is not None:
        return "--isolated and --config exclude each other"
    if options.jobs is not None and options.jobs < 1:
        return f"-j wants a number from 1, not {options.jobs}"
    if options.output_file is not None and (what := _lost_under(options.output_file, options)):
        return f"--output-file: {options.output_file} is {what}: it is left alone"
    return None


def _lost_under(output: Path, options: Namespace) -> str:
    """What a report would be written over that is no report; nothing when it can be written."""
    from relax_lint.discovery import is_launcher
    from relax_lint.files import Files

    if not output.is_file():
        return ""
    for option, file in (("--baseline", options.baseline), ("--config", options.config)):
        if file is not None and file.is_file() and output.samefile(file):
            return f"the file that {option} names"
    real = output.resolve()
    if real.suffix in _SOURCES or is_launcher(real, Files()):
        return "there and is a source file, no report"
    return ""
