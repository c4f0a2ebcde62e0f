"""A recipe of Relax out of a launcher of verl.

SOURCE is a bash script that starts a training of verl. What its launches really use (command line, configuration,
verl's defaults) becomes examples/NAME: run_NAME.sh, which trains synchronously or, asked to, fully asynchronously, a
config YAML where one is needed, a file in scripts/models/ where Relax has none for the model, and MIGRATION.md, which
says of every setting what became of it and what is left to be done by hand.
"""

from __future__ import annotations

import keyword
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.commands import USAGE_ERROR, absolute, complain, given, pairs

if TYPE_CHECKING:
    from relax_lint.diagnostics import Place
    from relax_lint.files import Files
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.migrated import Migrated, Refused
    from relax_lint.project import Project
    from relax_lint.sources.launcher import LauncherSource

_MOST_TODOS = 15
"""More would scroll away what matters most; the page has them all."""
_HEAD, _TAIL = 200, 90
"""How much is shown of what begins and of what ends a long one: what to do stands at its end."""
_OF_VERL = "verl/trainer/main_ppo.py"
_NAMES_IT = "it by --relax-root DIR"
_TO_MOVE = (
    "Move what is written here into a checkout of Relax, to the same places below its root: there was none around. "
    f"Or migrate again, and name {_NAMES_IT}: then its own model files and flags count"
)

EXAMPLES = (
    ("relax-lint migrate run_qwen3.sh --name gsm8k", "a launcher of verl"),
    ("relax-lint migrate verl/geo3k --name geo3k", "all launchers of a directory"),
    ("relax-lint migrate run.sh --name x --dry-run", "write nothing, show it"),
)
EXIT_STATUS = {
    0: "migrated",
    1: "refused, or not all of it could be migrated, or something in the recipe is to be checked: the reason is told "
    "with its place; or a file could not be written. All files are written, or none",
    2: "wrong usage, the recipe is there already, or the extra `migrate` is not installed",
}


def add_arguments(parser: ArgumentParser) -> None:
    """What `relax-lint migrate` takes."""
    parser.usage = "relax-lint migrate SOURCE --name NAME [OPTION...]"
    parser.add_argument("source", metavar="SOURCE", type=Path, help="a launcher of verl, or a directory of them")
    parser.add_argument(
        "--name", metavar="NAME", help="what the recipe is called: its directory, and part of its files"
    )
    parser.add_argument("--into", metavar="DIR", default="examples", help="where recipes are (default: %(default)s)")
    parser.add_argument(
        "--batch-unit",
        choices=("prompts", "samples"),
        default="prompts",
        help="what train_batch_size counts in Relax: prompts of a rollout, as in verl (default), or samples of an "
        "update, as the guide's short table has it",
    )
    parser.add_argument(
        "--keep-updates", action="store_true", help="keep several updates a rollout, if verl makes them"
    )
    parser.add_argument("--hf-config", metavar="FILE", type=Path, help="the model's config.json in Hugging Face's form")
    parser.add_argument("--relax-root", metavar="DIR", type=Path, help="the Relax checkout that the recipe is for")
    parser.add_argument("--verl-root", metavar="DIR", type=Path, help="the verl checkout whose defaults count")
    parser.add_argument("--env", metavar="NAME=VALUE", action="append", default=[], help="a variable of the launcher")
    parser.add_argument("--dry-run", action="store_true", help="write nothing; print what would be written, as a diff")
    parser.add_argument(
        "--force", action="store_true", help="write though the recipe is there; what was is kept beside"
    )
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="how the outcome is told (default: %(default)s)"
    )


def run(options: Namespace) -> int:
    """Migrate; the exit status."""
    from relax_lint.config import ConfigError
    from relax_lint.extras import ExtraMissing, require

    try:
        require("migrate", "migrating")
        return _migrate(options)
    except (ConfigError, ExtraMissing, ValueError) as refused:
        return _failed(str(refused), options)
    except BrokenPipeError:
        raise
    except OSError as problem:
        return _failed(f"{problem.filename or options.source}: {problem.strerror or problem}", options)


def _failed(why: str, options: Namespace) -> int:
    """Say why there is no migration, to programs, too."""
    complain(why)
    if options.format == "json":
        from relax_lint.migrate.report import failure

        _print_json(failure(_shown(absolute(options.source)), why))
    return USAGE_ERROR


def _migrate(options: Namespace) -> int:
    from relax_lint.migrate.report import obstacles

    migrated, project = planned(options, complain)
    problem = _write(migrated, project) if migrated.launches and not options.dry_run else ""
    _tell(migrated, options, problem)
    left = migrated.refused or migrated.unwritten or migrated.findings or obstacles(migrated)
    return int(bool(problem or left))


def planned(options: Namespace, say: Callable[[str], None]) -> tuple[Migrated, Project]:
    """What comes of it, and the tree that it is for; nothing is written. ``say`` is told what that tree lacks."""
    from relax_lint.migrate.migrated import Migrated

    name = _name(options)
    sources = _sources(options, name, say)
    project = _project(options, sources[0].path)
    target = project.root / _into(options) / name
    astray = "" if _is_checkout(project.root) else _astray(project.root, target)
    if astray:
        say(astray)
    completed = not options.dry_run and _completed(project.root, target)
    if not (options.force or completed) and _is_taken(target):
        raise ValueError(f"{_shown(target)} is there already: choose another --name, or write over it with --force")
    unfit = [refused for refused in map(_unfit, sources) if refused is not None]
    fit = [source for source in sources if all(refused.place.source is not source for refused in unfit)]
    if fit:
        return _migrated(options, name, fit, project, _TO_MOVE if astray else "", unfit), project
    return Migrated(absolute(options.source), target, {}, [], unfit, [], []), project


def _migrated(
    options: Namespace,
    name: str,
    sources: Sequence[LauncherSource],
    project: Project,
    first: str,
    unfit: Sequence[Refused],
) -> Migrated:
    """What comes of it. Raises :class:`ValueError`, too, when this program fails."""
    from relax_lint.migrate.options import Options
    from relax_lint.migrate.recipe import migrate_recipe

    path = absolute(options.source)
    recipe = path if path.is_dir() else None
    places = Options(given(options.verl_root), given(options.hf_config), options.into, first=first, recipe=recipe)
    try:
        return migrate_recipe(sources, project, _choices(options, name), places, unfit=unfit)
    except Exception as problem:  # whatever the fault is, the user's files are left alone and it is named
        from relax_lint.engine import fault

        raise ValueError(f"internal error: {fault(problem)}; nothing is written") from problem


# ---------------------------------------------------------------- what is asked for


def _name(options: Namespace) -> str:
    name: str | None = options.name
    if not name:
        raise ValueError("--name is required: what the recipe is to be called, as in --name gsm8k")
    if not _is_module(name):
        raise ValueError(f"--name {name}: {_not_a_module(name)}")
    return name


def _into(options: Namespace) -> Path:
    into = Path(options.into)
    if into.is_absolute() or ".." in into.parts:
        raise ValueError(f"--into {into}: a directory below the root of the Relax checkout")
    unfit = next((part for part in into.parts if not _is_module(part)), None)
    if unfit is not None:
        raise ValueError(f"--into {into}: {_not_a_module(unfit)}")
    return into


def _is_module(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name)


def _not_a_module(name: str) -> str:
    if keyword.iskeyword(name):
        return f"{name} cannot be a part of module paths, it is a word of Python's own"
    return f"{name} becomes a part of module paths: letters, digits and underscores only, and no digit first"


def _sources(options: Namespace, name: str, say: Callable[[str], None]) -> list[LauncherSource]:
    """The launcher, or those of a directory, the main one first, in the repository that they are of."""
    from relax_lint.config import Configuration, Settings, with_options
    from relax_lint.discovery import root_of
    from relax_lint.files import Files
    from relax_lint.project import Project

    path = absolute(options.source)
    if not path.is_file() and not path.is_dir():
        there = path.exists() or path.is_symlink()
        raise ValueError(
            f"{options.source} is no file that can be read" if there else f"no such file: {options.source}"
        )
    env = pairs(options.env)

    def override(settings: Settings) -> Settings:
        return with_options(settings, env={**settings.env, **env})

    files = Files()
    directory = path if path.is_dir() else path.parent
    settings = Configuration(override).settings_for(path)
    root = root_of(directory, files) or (_runs_from(path, files) if path.is_dir() else directory)
    project = _with_line_feeds(Project(root, settings, files), path, say)
    if path.is_dir():
        return _launchers_in(path, project, name)
    source = project.launcher(path)
    if source is None or not source.is_shell:
        raise ValueError(f"{options.source} cannot be read as a shell script")
    return [source]


def _runs_from(directory: Path, files: Files) -> Path:
    """Where the launchers of a directory are run from that is in no checkout: beside it, when they name it."""
    from relax_lint.discovery import is_launcher, walk

    scripts = (files.read(path) or b"" for path in walk(directory, files) if is_launcher(path, files))
    name = f"{directory.name}/".encode()
    return directory.parent if any(name in text for text in scripts) else directory


def _with_line_feeds(project: Project, path: Path, say: Callable[[str], None]) -> Project:
    """As --fix does it; bash itself would take the carriage returns for parts of words."""
    from relax_lint.discovery import is_launcher, walk

    paths = (
        [each for each in walk(path, project.files) if is_launcher(each, project.files)] if path.is_dir() else [path]
    )
    sources = filter(None, map(project.launcher, paths))
    changes = {each.path: each.data.replace(b"\r\n", b"\n") for each in sources if each.has_crlf_ends}
    for each in changes:
        say(f"{_shown(each)} has CRLF line ends, with which bash breaks commands off: it is read as if they were LF")
    return project.with_changes(changes) if changes else project


def _launchers_in(directory: Path, project: Project, name: str) -> list[LauncherSource]:
    from relax_lint.migrate.recipe_directory import MOST, launchers_in

    found = launchers_in(directory, project, name)
    if not found:
        raise ValueError(f"{_shown(directory)}: no script in it starts a training of verl that can be seen")
    if len(found) > MOST:
        raise ValueError(
            f"{_shown(directory)} has {len(found)} launchers of verl, those of several recipes: name the directory of "
            "one of them"
        )
    return found


def _project(options: Namespace, source: Path) -> Project:
    """The tree that the recipe is for: the checkout that is named, else one around the working directory or the source,
    else the working directory."""
    from relax_lint.config import Configuration, refuse_unusable
    from relax_lint.project import Project
    from relax_lint.rules import load_rules

    root = _checkout(source) if options.relax_root is None else absolute(options.relax_root)
    if options.relax_root is not None and not _is_checkout(root):
        raise ValueError(f"--relax-root {options.relax_root}: no Relax checkout, it has no relax/entrypoints/train.py")
    settings = Configuration().settings_for(root / "examples")
    refuse_unusable(settings, settings.selection, load_rules)
    project = Project(root, settings)
    _refuse_unreadable(options, project)
    return project


def _refuse_unreadable(options: Namespace, project: Project) -> None:
    """What the user names has to be there, and to be what it is named for."""
    from relax_lint.migrate.model_config import NotConverted, config_in
    from relax_lint.migrate.plan import Refusal
    from relax_lint.migrate.verl_defaults import verls

    if options.verl_root is not None:
        if not options.verl_root.is_dir():
            raise ValueError(f"--verl-root {options.verl_root}: no such directory")
        try:
            verls(project, absolute(options.verl_root))
        except Refusal as why:
            raise ValueError(f"--verl-root {options.verl_root}: {why.reason}") from why
    if options.hf_config is not None:
        try:
            config_in(project.read(absolute(options.hf_config)))
        except NotConverted as why:
            raise ValueError(f"--hf-config {options.hf_config}: {why}") from why


def _checkout(source: Path) -> Path:
    for start in (Path.cwd(), source.parent):
        found = next((each for each in (start, *start.parents) if _is_checkout(each)), None)
        if found is not None:
            return found
    return Path.cwd()


def _is_checkout(directory: Path) -> bool:
    from relax_lint.config import RELAX_FILES

    return (directory / RELAX_FILES[0]).is_file()


def _astray(root: Path, target: Path) -> str:
    """What is to be said of a recipe that is written into no checkout of Relax."""
    verl = next((each for each in (root, *root.parents) if (each / _OF_VERL).is_file()), None)
    where = "there is no Relax checkout around" if verl is None else f"{verl} is a checkout of verl, not of Relax"
    return f"{where}: the recipe goes into {target}. To have it in Relax, run this in its checkout, or name {_NAMES_IT}"


def _choices(options: Namespace, name: str) -> Choices:
    from relax_lint.migrate.choices import Choices

    return Choices(name=name, unit=options.batch_unit, keep_updates=options.keep_updates)


def _unfit(source: LauncherSource) -> Refused | None:
    """Why a script cannot be migrated at all."""
    from relax_lint.diagnostics import Place
    from relax_lint.migrate.in_place import why_not_followed
    from relax_lint.migrate.migrated import Refused

    head = Place(source, 0, 0)
    unfollowed = why_not_followed(source)
    if unfollowed is not None:
        place, message = unfollowed
        return Refused(message, place)
    kinds = {launch.kind for launch in source.launches}
    if "verl" in kinds:
        return None
    return Refused(
        "it launches Relax already" if "relax" in kinds else "it starts no training of verl that can be seen", head
    )


# ---------------------------------------------------------------- what comes of it


def _completed(root: Path, target: Path) -> bool:
    """Complete what an ended run had begun to write; whether that was this recipe."""
    from relax_lint.turn import say_completed, say_waiting
    from relax_lint.writing import turns

    inside = [path for path in (target, *target.rglob("*")) if path.is_dir()]
    with turns([root], [*inside, root / "scripts/tools", root / "scripts/models"], say_waiting) as turn:
        say_completed(turn, complain)
    return any(target in path.parents for path in turn.written)


def _is_taken(target: Path) -> bool:
    """Whether a place holds anything but what Python leaves behind. An ended run may have made directories, and come no
    further."""
    if target.is_symlink() or not target.is_dir():
        return target.exists() or target.is_symlink()
    return any(not path.is_dir() and "__pycache__" not in path.relative_to(target).parts for path in target.rglob("*"))


def _write(migrated: Migrated, project: Project) -> str:
    """Write all of it, or nothing: the reason then."""
    from relax_lint.writing import NotWritten, free_beside, turns, write_together

    with turns([project.root]):
        files = {path: text.encode("utf-8", "surrogateescape") for path, text in migrated.files.items()}
        before = {path: path.read_bytes() if path.is_file() else None for path in files}
        there = {path: data for path, data in before.items() if data is not None and data != files[path]}
        beside = {free_beside(path, Path.exists): path for path in there}
        kept = {path: there[original] for path, original in beside.items()}
        before |= dict.fromkeys(kept)
        try:
            write_together(
                {**{path: data for path, data in kept.items() if data}, **files}, before, project.root, beside
            )
        except NotWritten as problem:
            return f"nothing is written: {problem}"
        for path in kept:
            complain(f"what was there is kept as {_shown(path)}")
    return ""


def _tell(migrated: Migrated, options: Namespace, problem: str) -> None:
    from relax_lint.migrate.report import obstructed, report

    if problem:
        complain(problem)
    for path in migrated.kept:
        complain(f"{_shown(path)} is there already and stays as it is")
    for line in _refusals(migrated):
        complain(line)
    for line in obstructed(migrated, _shown):
        complain(line)
    if migrated.unwritten:
        complain(
            f"{len(migrated.unwritten)} other ways through the script are not written, they are too many: "
            "give variables by --env to have others"
        )
    for found in migrated.findings:
        complain(f"please check {_shown(found.path)}:{found.line}: {found.code} {found.message}")
    if options.format == "json":
        written = bool(migrated.launches) and not options.dry_run and not problem
        _print_json({**report(migrated, _shown), "written": written, "error": problem or None})
    elif options.dry_run:
        from relax_lint.report.output import put
        from relax_lint.report.patch import Patch

        patch = Patch()
        for path, text in migrated.files.items():
            before = path.read_bytes() if path.is_file() else None
            patch.change(path, before, text.encode("utf-8", "surrogateescape"))
        put(patch.render(), None)
    elif migrated.launches and not problem:
        sys.stdout.write(_summary(migrated, report(migrated, _shown)))


def _refusals(migrated: Migrated) -> Iterator[str]:
    """The launches that are not migrated; what is said of several stands once."""
    places: dict[str, list[str]] = {}
    for refused in migrated.refused:
        ways = f" (when {' and '.join(refused.conditions)})" if refused.conditions else ""
        places.setdefault(f"not migrated{ways}: {refused.reason}", []).append(_at(refused.place))
    for message, (first, *others) in places.items():
        also = f" (and at {', '.join(others)})" if others else ""
        yield f"{first}: {message}{also}"


def _print_json(told: Mapping[str, object]) -> None:
    import json

    print(json.dumps(told, ensure_ascii=False, indent=2))


def _summary(migrated: Migrated, told: Mapping[str, object]) -> str:
    """What was written, what became of the settings, and what is left to do."""
    from relax_lint.migrate.todo_list import todo_lines
    from relax_lint.report import plural

    lines = [f"{told['source']} is now {told['target']}:"]
    lines += [f"  {_shown(path)}" for path in migrated.files]
    plan = migrated.launches[0].plan
    counts = told["launches"][0]["counts"]  # type: ignore[index]
    lines.append(
        f"{plural(sum(counts.values()), 'setting')}: {', '.join(f'{n} {kind}' for kind, n in counts.items())}."
    )
    if migrated.unused:
        files = f"{plural(len(migrated.unused), 'file')} {'is' if len(migrated.unused) == 1 else 'are'}"
        lines.append(f"Of the recipe, {files} used by nothing; MIGRATION.md names them.")
    lines += [f"{mode.mode} is refused by the launcher: {mode.reason}" for mode in plan.refused]
    left = [line.text for line in todo_lines(told["launches"])]  # type: ignore[arg-type]
    if left:
        lines.append("To do by hand:")
        lines += [f"  {number}. {_shortened(text)}" for number, text in enumerate(left[:_MOST_TODOS], 1)]
    if len(left) > _MOST_TODOS:
        lines.append(f"  and {len(left) - _MOST_TODOS} more in MIGRATION.md")
    return "\n".join(lines) + "\n"


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _HEAD + _TAIL else f"{line[:_HEAD].rstrip()} … {line[-_TAIL:].lstrip()}"


def _at(place: Place) -> str:
    line, column = place.source.position(place.start)
    return f"{_shown(place.source.path)}:{line}:{column}"


def _shown(path: Path) -> str:
    from relax_lint.report import shown_path

    return shown_path(path)
