"""One launcher of verl made one or more of Relax: the plans of its launches, and the files that they ask for."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.migrate.absence import forwards, told_of_absence, words_of_bash
from relax_lint.migrate.arguments import Arguments
from relax_lint.migrate.broken_off import broken_off
from relax_lint.migrate.choices import shape_of
from relax_lint.migrate.data_files import conversions, sources_in
from relax_lint.migrate.data_script import DATA, data_script, preprocessing
from relax_lint.migrate.effective import effective_settings
from relax_lint.migrate.exported import Left, environment
from relax_lint.migrate.launcher_header import changed_by_loops, read_by
from relax_lint.migrate.launcher_text import Facts, launcher_text
from relax_lint.migrate.machines import machines_of, todo
from relax_lint.migrate.made_between import told_of_models
from relax_lint.migrate.migrated import Refused, SameAs, Written
from relax_lint.migrate.model_architecture import flags_of_file
from relax_lint.migrate.model_match import MODEL_PATH, model_for
from relax_lint.migrate.movable import movable
from relax_lint.migrate.open_variables import fixed, gives_nothing, is_followed, not_followed, settled
from relax_lint.migrate.plan import FateKind, Obstacle, Passed, Plan, Refusal, Todo
from relax_lint.migrate.planning import plan
from relax_lint.migrate.repetition import told_of_repetition
from relax_lint.migrate.report import KINDS
from relax_lint.migrate.runs import named_runs
from relax_lint.migrate.surroundings import needed_statements, surroundings, variables_in
from relax_lint.migrate.values import Template
from relax_lint.migrate.ways import Way, ways
from relax_lint.migrate.withheld import Secrets, secrets_in
from relax_lint.model_files import MODELS
from relax_lint.records import changed
from relax_lint.shell.queries import start_of

if TYPE_CHECKING:
    from relax_lint.migrate.machines import Machines
    from relax_lint.migrate.options import Options
    from relax_lint.migrate.recipe_files import RecipeFiles
    from relax_lint.migrate.settings import Settings
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.launcher import LauncherSource

_MOST_WAYS = 9
"""Beyond so many ways through a script only the first is written: nobody would find one among the others."""
_UNFUSED = Passed("--no-rope-fusion", (), "misc", (MODEL_PATH,), "Relax wants this of a model that sees or hears")
_ACTED_ON: tuple[FateKind, ...] = ("mapped", "derived", "by hand")
_REQUIRED = "a secret, set it in your environment"


class OneLauncher:
    """One script on its way; ``recipe`` gets the files."""

    def __init__(self, source: LauncherSource, recipe: RecipeFiles, options: Options) -> None:
        self.source = source
        self.project = recipe.project
        self.recipe = recipe
        self.options = options
        self.choices = recipe.choices
        self.script = recipe.target
        self.written: list[Written] = []
        self.refused: list[Refused] = []
        self.same: list[SameAs] = []
        self.unwritten: list[tuple[str, ...]] = []
        self.carried: dict[str, None] = {}
        self.launches = [launch for launch in source.launches if launch.kind == "verl"]
        self.secrets = Secrets.of(source)
        self.arguments = Arguments(source)
        self.environment = environment(source, self.launches, self.secrets)
        self.around = surroundings(source, self.launches, self.secrets)
        self.ways: list[tuple[Way, list[Settings]]] = []

    def compose(self) -> Iterator[str | Template]:
        """Find out what the launches use; the paths of their data."""
        found = list(map(self._without_secrets, ways(self.source)))
        taken = found if len(found) <= _MOST_WAYS else found[:1]
        self.unwritten = [way.conditions for way in found[len(taken) :]]
        self.ways = [(way, list(self._settings(way))) for way in taken]
        for _, settings in self.ways:
            for each in settings:
                yield from sources_in(each)

    def write(self, script: Path, data: Sequence[str | Template]) -> None:
        """Make the script, and further ones for other ways; ``data`` are verl's paths of all data of the recipe."""
        self.script = script
        self.choices = changed(self.choices, data=tuple(data))
        known: dict[tuple[object, ...], Path] = {}
        for way, settings in self.ways:
            plans, closed = self._plans(way, settings)
            if not plans:
                continue
            meaning = (*map(_meaning, plans), *(word.text for word in words_of_bash(way.launches)))
            if meaning in known:
                self.same.append(SameAs(way.conditions, known[meaning]))
                continue
            known[meaning] = self._script(way)
            self._write(way, self._apart(plans, known[meaning]), known[meaning], closed)

    def left(self) -> list[Left]:
        """What the script does besides, and no launcher has."""
        return sorted([*self.around, *self._left()], key=lambda left: left.place.start)

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
                yield self._plan(each, "")
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

    def _plan(self, settings: Settings, part: str) -> Plan:
        """The plan with the file that describes the model, which is written where Relax has none, and the script that
        converts the data."""
        model = model_for(settings, self.project, self.options.hf_config)
        path = self.project.root / MODELS / f"{model.stem}.sh"
        project = self.project
        if model.text is not None:
            self.recipe.files[path] = model.text
            project = project.with_changes({path: model.text.encode()})
        elif not project.is_file(path) and project.relax_root is not None:
            path = project.relax_root / MODELS / path.name
        shape = None
        if model.numbers is not None:
            shape = shape_of(flags_of_file(path, project) or {}, vision=model.numbers.vision)
        choices = changed(self.choices, model=model.stem, shape=shape, part=part)
        made = plan(settings, choices)
        passed, todos = list(made.passed), list(made.todos)
        if model.unfused_rope and not any(each.flag == _UNFUSED.flag for each in passed):
            passed.append(_UNFUSED)
        if model.todo:
            todos.insert(0, Todo(f"{model.todo[0].upper()}{model.todo[1:]}.".replace("..", "."), (MODEL_PATH,)))
        machines = machines_of(settings, self.choices, self.project)
        if machines is not None:
            todos.append(todo(machines, settings))
        script, told, obstacles = data_script(choices, made, self._preprocessing(), self.source.project)
        there = self.project.text(self.project.root / script.name)
        if there is not None and there.text != script.text:
            told = [Todo(f"see that {script.name}, which is there already and stays, converts this data", DATA)]
        todos[:0] = told
        obstacles = [*made.obstacles, *obstacles, *self._broken_off(settings)]
        made = changed(made, files=[*made.files, script], obstacles=obstacles)
        todos += self.recipe.to_copy(made)
        if self.options.first:
            todos.insert(0, Todo(self.options.first))
        return changed(made, passed=passed, todos=todos)

    def _broken_off(self, settings: Settings) -> list[Obstacle]:
        """What the launch was to have, as far as it may be shown."""
        return [changed(each, message=self.secrets.hidden(each.message)) for each in broken_off(settings.launch)]

    def _apart(self, plans: Sequence[Plan], script: Path) -> list[Plan]:
        """The plans; one that wants other code under the names that another has it under, gets a part of its own."""
        found: list[Plan] = []
        known: dict[Path, str] = {}
        for made in plans:
            texts = dict(self.recipe.texts(made))
            if self.recipe.clash(texts, known):
                code = tuple(texts.items())
                part = self.recipe.parts.get(code) or self._free_part(script)
                self.recipe.parts[code] = part
                made = self._plan(made.settings, part)
            known.update(self.recipe.texts(made))
            found.append(made)
        return found

    def _free_part(self, script: Path) -> str:
        """A name for a part of the recipe that nothing has, after the script."""
        stem = script.stem.removeprefix(f"run_{self.choices.name}").removeprefix("run_")
        name = re.sub(r"\W+", "_", stem).strip("_").lower() or "part"
        name = name if name.isidentifier() else f"of_{name}"
        for number in count(1):
            part = name if number == 1 else f"{name}_{number}"
            if part not in self.recipe.parts.values() and not self.recipe.has_directory(part):
                return part
        raise AssertionError("there is no end to names")

    def _preprocessing(self) -> Sequence[Path]:
        """The scripts that may have made the data: those of the recipe, or those beside the launcher."""
        whole = self.options.recipe
        return list(preprocessing(whole or self.source.path.parent, self.source.project, below=whole is not None))

    def _script(self, way: Way) -> Path:
        main = self.script
        if not way.name:
            return main
        script, number = main.with_name(f"{main.stem}_{way.name}{main.suffix}"), 1
        while self.recipe.is_taken(script):
            number += 1
            script = main.with_name(f"{main.stem}_{way.name}_{number}{main.suffix}")
        return script

    # ------------------------------------------------------------ writing

    def _write(self, way: Way, plans: Sequence[Plan], script: Path, closed: frozenset[str]) -> None:
        differences = self._differences(way)
        plans = [self._told(self.recipe.configured(each), differences) for each in told_of_models(plans, self.around)]
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
        self.recipe.files[script] = launcher_text(plans, facts)
        for made in plans:
            self.recipe.add(made)
        for run in named_runs(plans):
            name = "" if len(plans) == 1 else run.name
            self.written.append(Written(run.plan.settings.launch, run.plan, script, name, self.source))

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

    def _named(self, path: Path) -> str:
        """A path as the page shows it: from the root of what it belongs to."""
        for root in (self.project.root, self.source.project.root):
            if path.is_relative_to(root):
                return path.relative_to(root).as_posix()
        return path.name


def _meaning(plan: Plan) -> tuple[object, ...]:
    """What a plan makes Relax do."""
    passed = tuple((each.flag, each.values, each.modes) for each in plan.passed)
    config = tuple((entry.key, repr(entry.value)) for entry in plan.config)
    files = tuple((file.name, file.text) for file in plan.files)
    return passed, config, plan.model, tuple(plan.refused), files


def _secrets_of(plan: Plan, kinds: Collection[FateKind] = KINDS) -> Iterator[str]:
    """The secret variables that settings of the launch are made of, those with some fates."""
    for fate in plan.fates:
        if fate.kind in kinds:
            yield from secrets_in(plan.settings.value(fate.key))
