"""A verl script made a recipe of Relax: which files, with what in them. Nothing is written here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Diagnostic, Severity
from relax_lint.migrate.carrying.sources import verl_sources
from relax_lint.migrate.choices import Choices, shape_of
from relax_lint.migrate.effective import effective_settings
from relax_lint.migrate.launcher_header import read_by
from relax_lint.migrate.launcher_text import Facts, launcher_text
from relax_lint.migrate.migrated import Migrated, Refused, SameAs, Written
from relax_lint.migrate.model_architecture import flags_of_file
from relax_lint.migrate.model_match import MODEL_PATH, model_for
from relax_lint.migrate.movable import movable
from relax_lint.migrate.page import page
from relax_lint.migrate.plan import Passed, Plan, RecipeFile, Refusal, Todo
from relax_lint.migrate.planning import plan
from relax_lint.migrate.report import plain, report
from relax_lint.migrate.runs import named_runs
from relax_lint.migrate.surroundings import needed_statements, surroundings
from relax_lint.migrate.ways import Way, ways
from relax_lint.model_files import MODELS
from relax_lint.records import changed, record
from relax_lint.shell.queries import start_of

if TYPE_CHECKING:
    from relax_lint.migrate.settings import Settings
    from relax_lint.project import Project
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.launcher import LauncherSource

EXPECTED = "RLX409"
"""What the rules may say of a recipe that was just migrated: the conversion script is still to be written."""
PAGE = "MIGRATION.md"
_MOST_WAYS = 9
"""Beyond so many ways through a script only the first is written: nobody would find one among the others."""
_TOOLS = "scripts/tools"
_CONVERSION = (
    "write it; it reads the parquet files of verl, puts the ground truth of reward_model into a column label, and "
    "keeps the prompt, extra_info, data_source and media"
)
_CONFIG = "--custom-config-path"
_UNFUSED = Passed("--no-rope-fusion", (), "misc", (MODEL_PATH,), "Relax wants this of a model that sees or hears")
_OWN_ENVIRONMENT = re.compile(r"""^(DEFAULT_ENV_MODULE\s*=\s*["'])[\w.]+(["'])""", re.MULTILINE)
_ARGUMENTS = frozenset("@*")


@record
class Options:
    """Where things are: ``verl_root`` the checkout whose defaults count, ``hf_config`` the model's config.json,
    ``into`` the directory of the recipes below the root, ``launcher`` the path of the main launcher in the recipe (else
    ``run_NAME.sh``), ``page`` the name of the page that says all about it. With ``spare``, further files never have the
    names of files that are there."""

    verl_root: Path | None = None
    hf_config: Path | None = None
    into: str = "examples"
    launcher: str = ""
    page: str = PAGE
    spare: bool = False


def migrate_launcher(
    source: LauncherSource, project: Project, choices: Choices, options: Options | None = None
) -> Migrated:
    """The recipe that runs in Relax what a script of verl launches; ``project`` is the tree that it is for."""
    return _Migration(source, project, choices, options or Options()).run()


class _Migration:
    """One script on its way."""

    def __init__(self, source: LauncherSource, project: Project, choices: Choices, options: Options) -> None:
        self.source = source
        self.project = project
        self.choices = changed(
            choices,
            package=".".join(Path(options.into).parts),
            verl=verl_sources(source.project, options.verl_root),
        )
        self.options = options
        self.target = project.root / options.into / choices.name
        self.files: dict[Path, str] = {}
        self.written: list[Written] = []
        self.refused: list[Refused] = []
        self.same: list[SameAs] = []
        self.kept: dict[Path, None] = {}

    def run(self) -> Migrated:
        launches = [launch for launch in self.source.launches if launch.kind == "verl"]
        around = surroundings(self.source, launches)
        known: dict[tuple[object, ...], Path] = {}
        found = ways(self.source)
        written = found if len(found) <= _MOST_WAYS else found[:1]
        for way in written:
            plans = list(self._plans(way))
            if not plans:
                continue
            script = self._script(way)
            meaning = tuple(_meaning(each) for each in plans)
            if meaning in known:
                self.same.append(SameAs(way.conditions, known[meaning]))
                continue
            known[meaning] = script
            self._write(way, plans, script, around.exports)
        if self.written:
            self._make_packages()
        unwritten = [way.conditions for way in found[len(written) :]]
        done = Migrated(
            self.source,
            self.target,
            self.files,
            self.written,
            self.refused,
            self.same,
            around.left,
            unwritten,
            kept=list(self.kept),
        )
        if self.written:
            done = changed(done, findings=self._findings())
            self.files[self.target / self.options.page] = page(report(done, self._named))
        return done

    # ------------------------------------------------------------ planning

    def _plans(self, way: Way) -> Iterator[Plan]:
        """The plans of the launches of one way; those that cannot be are noted."""
        for launch in way.launches:
            try:
                settings = effective_settings(launch, self.source.project, self.options.verl_root)
                yield self._plan(movable(settings, self.source.project.root))
            except Refusal as refusal:
                self._refuse(Refused(refusal.reason, refusal.place or start_of(launch), refusal.key, way.conditions))

    def _refuse(self, refused: Refused) -> None:
        """Note a refusal; the same of several launches is one."""
        for number, known in enumerate(self.refused):
            if (known.reason, known.place) == (refused.reason, refused.place):
                shared = known.conditions if known.conditions == refused.conditions else ()
                self.refused[number] = changed(known, conditions=shared)
                return
        self.refused.append(refused)

    def _plan(self, settings: Settings) -> Plan:
        """The plan with the file that describes the model, which is written where Relax has none."""
        model = model_for(settings, self.project, self.options.hf_config)
        path = self.project.root / MODELS / f"{model.stem}.sh"
        project = self.project
        if model.text is not None:
            self.files[path] = model.text
            project = project.with_changes({path: model.text.encode()})
        elif not project.is_file(path) and project.relax_root is not None:
            path = project.relax_root / MODELS / path.name
        shape = None
        if model.numbers is not None:
            shape = shape_of(flags_of_file(path, project) or {}, vision=model.numbers.vision)
        made = plan(settings, changed(self.choices, model=model.stem, shape=shape))
        passed, todos = list(made.passed), list(made.todos)
        if model.unfused_rope and not any(each.flag == _UNFUSED.flag for each in passed):
            passed.append(_UNFUSED)
        if model.todo:
            todos.insert(0, Todo(f"{model.todo[0].upper()}{model.todo[1:]}.".replace("..", "."), (MODEL_PATH,)))
        converts = f"{_TOOLS}/process_{self.choices.name}.py"
        if not self.project.is_file(self.project.root / converts):
            todos.insert(0, Todo(f"{converts}: {_CONVERSION}", ("data.train_files", "data.val_files")))
        todos += self._to_copy(made)
        return changed(made, passed=passed, todos=todos)

    def _script(self, way: Way) -> Path:
        main = self.target / (self.options.launcher or f"run_{self.choices.name}.sh")
        if not way.name:
            return main
        script, number = main.with_name(f"{main.stem}_{way.name}{main.suffix}"), 1
        while self._is_anothers(script):
            number += 1
            script = main.with_name(f"{main.stem}_{way.name}_{number}{main.suffix}")
        return script

    def _is_anothers(self, path: Path, text: str | None = None) -> bool:
        """Whether somebody's file has the name already, with another text than the one wanted."""
        there = self.project.text(path) if self.options.spare else None
        return there is not None and there.text != text

    # ------------------------------------------------------------ writing

    def _write(self, way: Way, plans: Sequence[Plan], script: Path, exports: Sequence[tuple[str, str]]) -> None:
        plans = list(map(self._configured, plans))
        exported = {name for name, _ in exports}
        read = [*read_by(plans), *(statement for _, statement in exports)]
        assignments = [each for each in needed_statements(read, self.source) if each[0] not in exported]
        facts = Facts(
            self.choices.name,
            script.relative_to(self.project.root).as_posix(),
            self._named(self.source.path),
            tuple(exports),
            tuple(assignments),
            any(map(_forwards, way.launches)),
            self.options.page,
        )
        self.files[script] = launcher_text(plans, facts)
        for made in plans:
            for file in made.files:
                self._add(file)
        for run in named_runs(plans):
            name = "" if len(plans) == 1 else run.name
            self.written.append(Written(run.plan.settings.launch, run.plan, script, name))

    def _make_packages(self) -> None:
        """The recipe is a package, and so are the directories that module paths lead through to it."""
        above = [each for each in self.target.parents if self.project.root in each.parents]
        for directory in (self.target, *above):
            init = directory / "__init__.py"
            if not self.project.is_file(init):
                self.files[init] = ""

    def _add(self, file: RecipeFile) -> None:
        """A file that the launcher names; what is there already is somebody's work."""
        path = self.target / file.name
        if path in self.files:
            return
        text = file.text
        if file.copy_of:
            original = self.project.text((self.project.relax_root or self.project.root) / file.copy_of)
            if original is None:
                return
            text = self._copy(original.text, file)
        if not self.project.is_file(path):
            self.files[path] = text
        elif self.project.read(path) != text.encode("utf-8", "surrogateescape"):
            self.kept[path] = None

    def _copy(self, text: str, file: RecipeFile) -> str:
        """A file of Relax's example, as the recipe has it: with its own environment."""
        own = rf"\g<1>{self.choices.module(f'env_{self.choices.name}')}\g<2>"
        base = f"{Path(file.copy_of).parent.as_posix().replace('/', '.')}.base_env"
        text = re.sub(rf"\b{re.escape(base)}\b", self.choices.module("base_env"), text)
        return _OWN_ENVIRONMENT.sub(own, text)

    def _to_copy(self, made: Plan) -> Iterator[Todo]:
        """What to do about files of Relax that are not at hand."""
        into = self.target.relative_to(self.project.root).as_posix()
        own = self.choices.module(f"env_{self.choices.name}")
        for file in made.files:
            there = (self.project.relax_root or self.project.root) / (file.copy_of or file.name)
            if file.copy_of and not self.project.is_file(there) and not self.project.is_file(self.target / file.name):
                yield Todo(
                    f"{into}/{file.name} is {file.copy_of} of Relax, which is not at hand: migrate with --relax-root, "
                    f'or copy it there and write DEFAULT_ENV_MODULE = "{own}" in it',
                    file.because,
                )

    def _configured(self, made: Plan) -> Plan:
        """The plan with the path of its config YAML, which is written; launches with the same entries share one."""
        if not made.config:
            return made
        text = _yaml({entry.key: plain(entry.value) for entry in made.config})
        name, number = self.choices.name, 1
        path = self.target / f"{name}_config.yaml"
        while self.files.get(path, text) != text or self._is_anothers(path, text):
            number += 1
            path = self.target / f"{name}_{number}_config.yaml"
        self.files[path] = text
        shown = path.relative_to(self.project.root).as_posix()
        because = tuple(dict.fromkeys(key for entry in made.config for key in entry.because))
        others = [passed for passed in made.passed if passed.flag != _CONFIG]
        return changed(made, passed=[*others, Passed(_CONFIG, (shown,), "rollout", because)])

    def _named(self, path: Path) -> str:
        """A path as the page shows it: from the root of what it belongs to."""
        for root in (self.project.root, self.source.project.root):
            if path.is_relative_to(root):
                return path.relative_to(root).as_posix()
        return path.name

    # ------------------------------------------------------------ judging

    def _findings(self) -> list[Diagnostic]:
        """What the rules find in the files that would be written."""
        from relax_lint.engine import lint
        from relax_lint.rules import load_rules

        files: Mapping[Path, bytes] = {
            path: text.encode("utf-8", "surrogateescape") for path, text in self.files.items()
        }
        changed_project = self.project.with_changes(files)
        judged = lint(changed_project, load_rules(), targets=list(files))
        return [
            found
            for found in judged.standing
            if found.path in files and found.severity is not Severity.ADVICE and found.code != EXPECTED
        ]


def _meaning(plan: Plan) -> tuple[object, ...]:
    """What a plan makes Relax do."""
    passed = tuple((each.flag, each.values, each.modes) for each in plan.passed)
    config = tuple((entry.key, repr(entry.value)) for entry in plan.config)
    return passed, config, plan.model, tuple(plan.refused)


def _forwards(launch: Launch) -> bool:
    """Whether a launch is given the script's arguments."""
    return any(
        unknown.text.lstrip('"${')[:1] in _ARGUMENTS
        for word in launch.argv
        for unknown in word.unknowns
        if unknown.text
    )


def _yaml(entries: Mapping[str, object]) -> str:
    import yaml

    text: str = yaml.safe_dump(dict(entries), sort_keys=False, allow_unicode=True)
    return text
