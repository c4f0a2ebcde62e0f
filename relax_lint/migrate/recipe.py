"""A verl script made a recipe of Relax: which files, with what in them. Nothing is written here."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Diagnostic, Severity
from relax_lint.migrate.absence import forwards, told_of_absence, words_of_bash
from relax_lint.migrate.arguments import Arguments
from relax_lint.migrate.choices import Choices, shape_of
from relax_lint.migrate.data_files import conversions, sources_in
from relax_lint.migrate.effective import effective_settings
from relax_lint.migrate.exported import Left, environment
from relax_lint.migrate.launcher_header import changed_by_loops, read_by
from relax_lint.migrate.launcher_text import Facts, launcher_text
from relax_lint.migrate.machines import machines_of, todo
from relax_lint.migrate.made_between import told_of_models
from relax_lint.migrate.migrated import Migrated, Refused, SameAs, Written
from relax_lint.migrate.model_architecture import flags_of_file
from relax_lint.migrate.model_match import MODEL_PATH, model_for
from relax_lint.migrate.movable import movable
from relax_lint.migrate.open_variables import fixed, gives_nothing, is_followed, not_followed, settled
from relax_lint.migrate.page import page
from relax_lint.migrate.plan import FateKind, Passed, Plan, RecipeFile, Refusal, Todo
from relax_lint.migrate.planning import plan
from relax_lint.migrate.repetition import told_of_repetition
from relax_lint.migrate.report import KINDS, plain, report
from relax_lint.migrate.runs import named_runs
from relax_lint.migrate.surroundings import needed_statements, surroundings, variables_in
from relax_lint.migrate.values import Template
from relax_lint.migrate.ways import Way, ways
from relax_lint.migrate.withheld import Secrets, secrets_in
from relax_lint.model_files import MODELS
from relax_lint.records import changed, record
from relax_lint.shell.queries import start_of

if TYPE_CHECKING:
    from relax_lint.migrate.machines import Machines
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
    "write it; it reads the files of verl's data, puts the ground truth of reward_model into a column label, and "
    "keeps the prompt, extra_info, data_source and media"
)
_CONFIG = "--custom-config-path"
_UNFUSED = Passed("--no-rope-fusion", (), "misc", (MODEL_PATH,), "Relax wants this of a model that sees or hears")
_OWN_ENVIRONMENT = re.compile(r"""^(DEFAULT_ENV_MODULE\s*=\s*["'])[\w.]+(["'])""", re.MULTILINE)
_ACTED_ON: tuple[FateKind, ...] = ("mapped", "derived", "by hand")
_REQUIRED = "a secret, set it in your environment"


@record
class Options:
    """Where things are: ``verl_root`` the checkout whose defaults count, ``hf_config`` the model's config.json,
    ``into`` the directory of the recipes below the root, ``launcher`` the path of the main launcher in the recipe (else
    ``run_NAME.sh``), ``page`` the name of the page that says all about it. With ``spare``, further files never have the
    names of files that are there. ``first`` is something to do before all else."""

    verl_root: Path | None = None
    hf_config: Path | None = None
    into: str = "examples"
    launcher: str = ""
    page: str = PAGE
    spare: bool = False
    first: str = ""


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
        self.choices = changed(choices, package=".".join(Path(options.into).parts))
        self.options = options
        self.target = project.root / options.into / choices.name
        self.files: dict[Path, str] = {}
        self.written: list[Written] = []
        self.refused: list[Refused] = []
        self.same: list[SameAs] = []
        self.kept: dict[Path, None] = {}
        self.carried: dict[str, None] = {}
        self.launches = [launch for launch in source.launches if launch.kind == "verl"]
        self.secrets = Secrets.of(source)
        self.arguments = Arguments(source)
        self.environment = environment(source, self.launches, self.secrets)
        self.around = surroundings(source, self.launches, self.secrets)

    def run(self) -> Migrated:
        known: dict[tuple[object, ...], Path] = {}
        found = list(map(self._without_secrets, ways(self.source)))
        written = found if len(found) <= _MOST_WAYS else found[:1]
        settings = [list(self._settings(way)) for way in written]
        paths = (path for each in settings for one in each for path in sources_in(one))
        self.choices = changed(self.choices, data=tuple(dict.fromkeys(paths)))
        for way, of_way in zip(written, settings, strict=True):
            plans, closed = self._plans(way, of_way)
            if not plans:
                continue
            script = self._script(way)
            meaning = (*map(_meaning, plans), *(word.text for word in words_of_bash(way.launches)))
            if meaning in known:
                self.same.append(SameAs(way.conditions, known[meaning]))
                continue
            known[meaning] = script
            self._write(way, plans, script, closed)
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
            sorted([*self.around, *self._left()], key=lambda left: left.place.start),
            unwritten,
            kept=list(self.kept),
        )
        if self.written:
            done = changed(done, findings=self._findings())
            self.files[self.target / self.options.page] = page(report(done, self._named))
        return done

    def _without_secrets(self, way: Way) -> Way:
        """A way through the script whose conditions can be told."""
        if not any(each.conditions for each in way.launches):
            return way
        launches = (changed(each, conditions=self._hidden(each.conditions)) for each in way.launches)
        return changed(way, conditions=self._hidden(way.conditions), launches=tuple(launches))

    def _hidden(self, conditions: Sequence[str]) -> tuple[str, ...]:
        return tuple(map(self.secrets.hidden, conditions))

    # ------------------------------------------------------------ planning

    def _settings(self, way: Way) -> Iterator[Settings]:
        """The settings of the launches of one way, as whoever runs the recipe knows them."""
        for launch in way.launches:
            try:
                found = effective_settings(launch, self.source.project, self.options.verl_root)
                yield self.arguments.named(self.secrets.without(movable(found, self.source.project.root)))
            except Refusal as refusal:
                self._refuse(refusal, launch, way)

    def _plans(self, way: Way, settings: Sequence[Settings]) -> tuple[list[Plan], frozenset[str]]:
        """The plans of launches, and the variables with a default that not all follows in them."""
        plans = list(self._planned(way, settings))
        closed = not_followed(plans, self.arguments)
        if any(is_followed(name, plans) for name in closed):
            plans = list(self._planned(way, [fixed(each, closed) for each in settings]))
        return plans, closed

    def _planned(self, way: Way, settings: Sequence[Settings]) -> Iterator[Plan]:
        """The plans; those that cannot be are noted."""
        for each in settings:
            try:
                yield self._plan(each)
            except Refusal as refusal:
                self._refuse(refusal, each.launch, way)

    def _refuse(self, refusal: Refusal, launch: Launch, way: Way) -> None:
        """Note a refusal; the same of several launches is one."""
        reason = self.secrets.hidden(refusal.reason)
        refused = Refused(reason, refusal.place or start_of(launch), refusal.key, way.conditions)
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
        machines = machines_of(settings, self.choices, self.project)
        if machines is not None:
            todos.append(todo(machines, settings))
        converts = f"{_TOOLS}/process_{self.choices.name}.py"
        if not self.project.is_file(self.project.root / converts):
            todos.insert(0, Todo(f"{converts}: {_CONVERSION}", ("data.train_files", "data.val_files")))
        if self.options.first:
            todos.insert(0, Todo(self.options.first))
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

    def _write(self, way: Way, plans: Sequence[Plan], script: Path, closed: frozenset[str]) -> None:
        differences = self._differences(way)
        plans = [self._told(self._configured(each), differences) for each in told_of_models(plans, self.around)]
        secrets = dict.fromkeys(name for made in plans for name in _secrets_of(made))
        needed = {name for made in plans for name in _secrets_of(made, _ACTED_ON)}
        required = [(name, f'{name}="${{{name}:?{_REQUIRED}}}"') for name in secrets if name in needed]
        told = [name for name in secrets if name in needed or name not in self.secrets.invented]
        carried, exports = self._statements(plans)
        assignments = [
            (name, settled(statement, name) if name in closed else statement)
            for name, statement in self.arguments.statements(carried)
            if not gives_nothing(statement, name)
        ]
        facts = Facts(
            self.choices.name,
            script.relative_to(self.project.root).as_posix(),
            self._named(self.source.path),
            (*required, *exports),
            tuple(assignments),
            tuple(dict.fromkeys((*told, *self.environment.secrets))),
            any(map(forwards, way.launches)),
            conversions(plans, self.choices),
            self.arguments.told,
            differences,
            page=self.options.page,
            machines=self._machines(plans),
        )
        self.files[script] = launcher_text(plans, facts)
        for made in plans:
            for file in made.files:
                self._add(file)
        for run in named_runs(plans):
            name = "" if len(plans) == 1 else run.name
            self.written.append(Written(run.plan.settings.launch, run.plan, script, name))

    def _machines(self, plans: Sequence[Plan]) -> Machines | None:
        """The machines of the launch that needs the most of them."""
        found = [machines_of(made.settings, self.choices, self.project) for made in plans]
        return max(filter(None, found), key=lambda one: one.count, default=None)

    def _differences(self, way: Way) -> tuple[str, ...]:
        """What runs in another way than in the script."""
        told = [*told_of_repetition(way.launches), *told_of_absence(way.launches, self.source)]
        return tuple(map(self.secrets.hidden, told))

    def _told(self, made: Plan, differences: Sequence[str]) -> Plan:
        """The plan with what the user has to know of how the script is called, and how often it trains."""
        read: dict[str, tuple[str, ...]] = {}
        for passed in made.passed:
            for value in passed.values:
                for name in variables_in(value.quoted) if isinstance(value, Template) else ():
                    read[name] = (*read.get(name, ()), *passed.because)
        told = (Todo(f"{text[0].upper()}{text[1:]}.") for text in differences)
        return changed(made, todos=[*made.todos, *told, *self.arguments.todos(read)])

    def _statements(self, plans: Sequence[Plan]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """What launches need of the script: variables and functions, and what it exports besides. An exported variable
        that another statement needs comes among the former."""
        exports = self.environment.exports
        exported = {**dict(exports), **{name: statement for name, (statement, _) in self.environment.used.items()}}
        needed = needed_statements([*read_by(plans), *(statement for _, statement in exports)], self.source)
        changing = set(changed_by_loops(plans))
        assignments: list[tuple[str, str]] = []
        for name, statement in needed:
            if name in changing:
                continue
            if exported.get(name) == statement:
                self.carried[name] = None
                assignments.append((name, f"export {statement}"))
            elif not re.match(rf"{name}(?:\[.*?\])?\+?=", statement):
                assignments.append((name, self.secrets.hidden(statement)))
            elif not self.secrets.given_away_by(name, statement):
                assignments.append((name, statement))
        return assignments, [(name, statement) for name, statement in exports if (name, statement) not in needed]

    def _left(self) -> Iterator[Left]:
        """The variables that no launcher has."""
        yield from self.environment.left
        yield from (left for name, (_, left) in self.environment.used.items() if name not in self.carried)

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
            text = _OWN_ENVIRONMENT.sub(rf"\g<1>{self.choices.module(f'env_{self.choices.name}')}\g<2>", original.text)
        if not self.project.is_file(path):
            self.files[path] = text
        elif self.project.read(path) != text.encode("utf-8", "surrogateescape"):
            self.kept[path] = None

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


def _secrets_of(plan: Plan, kinds: Collection[FateKind] = KINDS) -> Iterator[str]:
    """The secret variables that settings of the launch are made of, those with some fates."""
    for fate in plan.fates:
        if fate.kind in kinds:
            yield from secrets_in(plan.settings.value(fate.key))


def _yaml(entries: Mapping[str, object]) -> str:
    import yaml

    text: str = yaml.safe_dump(dict(entries), sort_keys=False, allow_unicode=True)
    return text
