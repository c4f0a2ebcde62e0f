"""One HTML file about a recipe or a migration, to be looked at: launches side by side, GPUs, findings, settings.

PATH is a recipe, a tree of them, or a launcher. The launches of each recipe stand side by side with what differs
marked, their layout on GPUs is drawn, and findings are shown in their source. Of a recipe that still starts verl, or
one of its launchers, the page shows what `relax-lint migrate` would make of it, each setting with its fate.

The file needs nothing else: no network, no script from elsewhere. The same input gives the same bytes.
"""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.commands import USAGE_ERROR, absolute, complain, given, pairs, say_unread

if TYPE_CHECKING:
    from relax_lint.config import Configuration
    from relax_lint.engine import Report
    from relax_lint.groups import Group
    from relax_lint.report.html.content import Content

EXAMPLES = (
    ("relax-lint report examples/gsm8k --output gsm8k.html", "a recipe"),
    ("relax-lint report examples/ --output all.html", "all of them"),
    ("relax-lint report ../verl/examples/gsm8k/run.sh --output gsm8k.html", "what a launcher of verl would become"),
)
EXIT_STATUS = {
    0: "it is written, whatever is in it",
    2: "wrong usage, a path at which there is no recipe and no launcher, or an internal failure",
}
_FIRST = re.compile(r"(?i)\s*<!doctype html>")


def add_arguments(parser: ArgumentParser) -> None:
    """What `relax-lint report` takes."""
    parser.add_argument("paths", nargs="+", metavar="PATH", help="recipes, trees of them, launchers")
    parser.add_argument(
        "-o", "--output", metavar="FILE", required=True, help="the file to write; - for standard output"
    )
    parser.add_argument("--title", metavar="TEXT", help="the heading (default: the name of what it is about)")
    parser.add_argument("--note", metavar="TEXT", default="", help="a line below it, such as a date or a revision")
    parser.add_argument("--config", metavar="FILE", type=Path, help="use this configuration for everything")
    parser.add_argument("--isolated", action="store_true", help="read no configuration")
    parser.add_argument("--env", metavar="NAME=VALUE", action="append", default=[], help="a variable's value")
    parser.add_argument("--relax-root", metavar="DIR", type=Path, help="the Relax checkout to judge by")
    parser.add_argument("--verl-root", metavar="DIR", type=Path, help="the verl checkout to look things up in")
    group = parser.add_argument_group("of what still starts verl, as in `relax-lint migrate`")
    group.add_argument("--name", metavar="NAME", help="what the recipe would be called (default: after PATH)")
    group.add_argument("--hf-config", metavar="FILE", type=Path, help="the model's config.json")
    group.add_argument("--batch-unit", choices=("prompts", "samples"), default="prompts", help="of train_batch_size")
    group.add_argument("--keep-updates", action="store_true", help="keep several updates a rollout")


def run(options: Namespace) -> int:
    """Write the report; the exit status."""
    from relax_lint.config import ConfigError
    from relax_lint.extras import ExtraMissing
    from relax_lint.selection import UnknownRule

    output = None if options.output == "-" else absolute(options.output)
    paths = [absolute(path) for path in options.paths]
    named = zip(options.paths, paths, strict=True)
    problem = next(filter(None, (_astray(*pair) for pair in named)), "") or _why_not(output)
    if options.isolated and options.config is not None:
        problem = "--isolated and --config exclude each other"
    if problem:
        complain(problem)
        return USAGE_ERROR
    try:
        content = _content(paths, options)
        from relax_lint.report.html.page import render

        _put(render(content), output)
    except (ConfigError, ExtraMissing, UnknownRule, ValueError) as refused:
        complain(str(refused))
        return USAGE_ERROR
    if output is not None:
        print(f"{options.output}: {_summary(content)}")
    if content.of_verl:
        complain(_how_to_see(content.of_verl))
    for failure in content.failures:
        complain(f"internal error: {failure}")
    return USAGE_ERROR if content.failures else 0


def _summary(content: Content) -> str:
    from relax_lint.diagnostics import Severity
    from relax_lint.report import plural

    of_verl = [f"{plural(content.of_verl, 'launch')} of verl"] if content.of_verl else []
    of_verl += [f"{plural(content.not_migrated, 'launch')} of verl not migrated"] if content.not_migrated else []
    own = [plural(content.launches, "launch")] if content.launches or not of_verl else []
    found = [plural(sum(one.severity is each for one in content.findings), each.value) for each in Severity]
    return ", ".join([*own, *of_verl, *found])


def _how_to_see(count: int) -> str:
    """How launches of verl are shown as what they would become, and what that needs."""
    from relax_lint.extras import how_to_install, lacking
    from relax_lint.report import plural

    told = f"{plural(count, 'launch')} of verl, maybe of several recipes: to see what becomes of them, name one recipe"
    missing = lacking("migrate")
    needs = "" if missing is None else f"; that needs {missing}: {how_to_install('migrate')}"
    return f"{told} or launcher{needs}"


def _astray(name: str, path: Path) -> str:
    """Why nothing can be told of a path: it is not there, or nothing that holds recipes."""
    if not name or not path.exists():
        return f"no such file or directory: {name or repr(name)}"
    return "" if path.is_file() or path.is_dir() else f"{name} is no regular file and no directory: no recipe is there"


def _why_not(output: Path | None) -> str:
    """Why a report cannot be written where it is to be: no file but an earlier page is written over."""
    if output is None or not (output.exists() or output.is_symlink()):
        return ""
    if not output.is_file():
        return f"{output} is no regular file"
    with output.open(encoding="utf-8", errors="replace") as file:
        start = file.read(200)
    return "" if not start or _FIRST.match(start) else f"{output} is there and is no HTML: it is left alone"


def _put(page: str, output: Path | None) -> None:
    import sys

    data = page.encode("utf-8")
    if output is None:
        sys.stdout.buffer.write(data)
        return
    try:
        from relax_lint.writing import put

        put(output, data)
    except OSError as problem:
        raise ValueError(f"{output}: cannot be written: {problem.strerror}") from problem


# ---------------------------------------------------------------- what it is about


def _content(paths: Sequence[Path], options: Namespace) -> Content:
    from relax_lint.files import Files
    from relax_lint.groups import find, may_concern
    from relax_lint.report import shown_path

    files = Files()
    groups = find(paths, _configuration(options), files)
    if len(paths) == 1 and _is_one_of_verl(paths[0], groups):
        return _of_migration(paths[0], options)
    content = _of_recipes(paths, groups, options)
    empty = [path for path in paths if path.is_file() and not may_concern(path, files)] or paths
    if not content.parts or empty is not paths:
        raise ValueError(f"no recipe and no launcher is there: {', '.join(map(shown_path, empty))}")
    return content


def _configuration(options: Namespace) -> Configuration:
    from relax_lint.config import ConfigError, Configuration, Settings, with_options

    try:
        env = pairs(options.env)
    except ValueError as problem:
        raise ConfigError(str(problem)) from problem

    def override(settings: Settings) -> Settings:
        return with_options(
            settings,
            env={**settings.env, **env},
            relax_root=given(options.relax_root),
            verl_root=given(options.verl_root),
        )

    return Configuration(override, explicit=given(options.config), isolated=options.isolated)


def _is_one_of_verl(path: Path, groups: Sequence[Group]) -> bool:
    """Whether all launches are verl's, and of no more than one recipe."""
    from relax_lint.discovery import is_launcher
    from relax_lint.migrate.recipe_directory import MOST, launchers_in

    kinds: set[str] = set()
    recipes: set[Path] = set()
    for group in groups:
        for target in group.targets:
            launcher = group.project.launcher(target) if is_launcher(target, group.project.files) else None
            recipe = group.project.recipe_of(target)
            recipes |= {recipe.directory} if recipe is not None else set()
            kinds |= {launch.kind for launch in launcher.launches} if launcher is not None else set()
    if "verl" not in kinds or "relax" in kinds or len(recipes) > 1:
        return False
    return path.is_file() or sum(len(launchers_in(path, group.project, "")) for group in groups) <= MOST


def _of_recipes(paths: Sequence[Path], groups: Sequence[Group], options: Namespace) -> Content:
    from relax_lint.config import refuse_unusable
    from relax_lint.engine import lint
    from relax_lint.outcomes import judged_by, source_of
    from relax_lint.report import shown_path
    from relax_lint.report.html.content import Content, Part
    from relax_lint.report.html.gathering import parts_of
    from relax_lint.rules import load_rules

    rules = load_rules()
    parts: list[Part] = []
    failures: list[str] = []
    for group in groups:
        refuse_unusable(group.settings, group.settings.selection, load_rules)
        report = lint(group.project, rules, group.settings, group.targets, group.targets)
        report.keep_real_fixes()
        _silence_known(report, group)
        parts += parts_of(group.project, group.targets, report)
        failures += report.failures
    say_unread([group.project for group in groups])
    return Content(
        title=options.title or (paths[0].name if len(paths) == 1 else f"{len(paths)} paths"),
        subject=", ".join(map(shown_path, paths)),
        parts=parts,
        rules=rules,
        judged_by=judged_by(groups),
        source=source_of(groups),
        files=sum(len(group.targets) for group in groups),
        failures=failures,
        note=options.note,
    )


def _silence_known(report: Report, group: Group) -> None:
    if group.settings.baseline is not None:
        from relax_lint.baseline import apply, read

        apply(report.diagnostics, read(group.settings.baseline))


# ---------------------------------------------------------------- migrations


def _of_migration(path: Path, options: Namespace) -> Content:
    from relax_lint.commands.migrate import planned
    from relax_lint.engine import lint
    from relax_lint.extras import require
    from relax_lint.groups import Group
    from relax_lint.migrate.report import report as told_of
    from relax_lint.model_files import MODELS
    from relax_lint.outcomes import judged_by
    from relax_lint.report import shown_path
    from relax_lint.report.html.content import Content
    from relax_lint.report.html.gathering import parts_of
    from relax_lint.rules import load_rules

    require("migrate", "to show what becomes of a recipe of verl")
    migrated, project = planned(_as_migrate(path, options), lambda message: None)
    rules = load_rules()
    texts = migrated.files if migrated.launches else {}
    files = {each: text.encode("utf-8", "surrogateescape") for each, text in texts.items()}
    made = project.with_changes(files)
    targets = [each for each in files if project.root / MODELS not in each.parents]
    report = lint(made, rules, targets=targets, asked=targets)
    report.keep_real_fixes()
    return Content(
        title=options.title or migrated.target.name,
        subject=f"{shown_path(path)} → {shown_path(migrated.target)}",
        parts=parts_of(made, targets, report),
        rules=rules,
        judged_by=judged_by([Group(made, made.settings, targets)]),
        source=made.source,
        files=len(files),
        failures=report.failures,
        migration=told_of(migrated, shown_path),
        note=options.note,
    )


def _as_migrate(path: Path, options: Namespace) -> Namespace:
    """The options of `relax-lint migrate` for it."""
    return Namespace(
        source=path,
        name=options.name or _name(path),
        into="examples",
        batch_unit=options.batch_unit,
        keep_updates=options.keep_updates,
        hf_config=options.hf_config,
        relax_root=options.relax_root,
        verl_root=options.verl_root,
        env=options.env,
        force=True,
        dry_run=True,
    )


def _name(path: Path) -> str:
    """What a recipe is called after its directory or launcher."""
    stem = path.stem if path.is_file() else path.name
    words = re.sub(r"\W+", "_", re.sub(r"^(?:run|train|test)[-_.]+", "", stem)).strip("_").lower()
    return words if words.isidentifier() else f"recipe_{words}".rstrip("_")
