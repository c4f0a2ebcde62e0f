"""What of a project is judged: the targets, and whatever in their recipes bears on them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from relax_lint.diagnostics import NotChecked
from relax_lint.discovery import is_launcher, walk
from relax_lint.kept import follows_changes, note
from relax_lint.patterns import pattern
from relax_lint.project import YAML_SUFFIXES

if TYPE_CHECKING:
    from relax_lint.diagnostics import Finding
    from relax_lint.project import Project, Recipe
    from relax_lint.rewards import RewardUse
    from relax_lint.rules import Rule
    from relax_lint.sources.launcher import LauncherSource


_MATTERS_WHAT_RAN = pattern(rb"rlx\d|relax-lint:", re.IGNORECASE, words=(b"rlx", b"relax-lint:"))
"""What a comment that silences one of our findings holds. Whether it is of use depends on all that was judged."""

_NAMES_CONFIG = re.compile(r"custom-config|config-path|eval-config|sglang-config|autoscaler-config|--[\w-]*[$`{]")
"""What a script holds that passes a flag with a YAML file, be the flag put together from parts."""

Fault = tuple[Path, int, int, str]
"""Where a finding is, and what it says: one that is there twice is shown once."""


class Judged(NamedTuple):
    """What a rule is called with, the files that it is about, and the launcher behind it."""

    subject: Any
    paths: frozenset[Path]
    origin: Path | None = None


class Scope:
    """The subjects of a run. A file's findings do not depend on which of its neighbours are targets too: launches
    of a whole recipe are judged, and what is found in other files than the targets is left out."""

    def __init__(
        self,
        project: Project,
        targets: Iterable[Path] | None = None,
        asked: Iterable[Path] | None = None,
        changed: Iterable[Path] = (),
    ) -> None:
        """``asked`` are all targets of a run of which this is a part: what a launcher among them sources is shown with
        that launcher's part. ``changed`` are the files that the git change touches of which this run is, if any."""
        self.project = project
        self.changed = tuple(changed)
        everything = walk(project.root, project.files) if targets is None else targets
        self.targets = [path for path in everything if self._concerns(path)]
        self._targets = set(self.targets)
        self._asked = self._targets if asked is None else set(asked)
        self._left_out: set[Path] = set() if self._tells_of_findings else self._asked
        self._rewards: dict[tuple[Path, ...], list[Judged]] = {}
        self._faults: dict[tuple[str, RewardUse], set[Fault] | None] = {}
        recipes = {id(recipe): recipe for recipe in map(project.recipe_of, self.targets) if recipe is not None}
        self.recipes: list[Recipe] = list(recipes.values())

    def _concerns(self, path: Path) -> bool:
        """Python and YAML concern us in recipes, launchers everywhere."""
        if _is_read_as_it_is(path):
            return self.project.recipe_of(path) is not None
        return is_launcher(path, self.project.files)

    def shows(self, path: Path, origin: Path | None) -> bool:
        """Whether a finding at ``path`` is the run's business: it is in a target, or in a file that a target launcher
        sources."""
        if path in self._asked:
            return True
        return origin in self._targets and is_launcher(path, self.project.files)

    @cached_property
    def outside(self) -> list[LauncherSource]:
        """Launchers that belong to no recipe: targets, and those that may source or run one."""
        own = [path for path in self._scripts if self.project.recipe_of(path) is None]
        known = {*own, *self._left_out}
        shared = self._once("shared", self._reaching_scripts) if self._scripts else []
        found = own + [path for path in shared if path not in known]
        return [source for source in map(self.project.launcher, found) if source is not None]

    def _reaching_scripts(self) -> list[Path]:
        return [path for path in self.project.reach.shared if self._reaches_script(path)]

    @cached_property
    def inside(self) -> list[LauncherSource]:
        """Launchers that have a say in the targets: those of the target recipes, and others that may source, run or
        read a target, or name a reward that leads to one."""
        own = [launcher for recipe in self.recipes for launcher in recipe.launchers]
        others = map(self.project.launcher, self._once("with a say", self._others_with_a_say))
        return own + [source for source in others if source is not None]

    def _others_with_a_say(self) -> list[Path]:
        return [
            path
            for recipe in self.project.recipes
            if recipe not in self.recipes
            for path in recipe.launcher_paths
            if (path not in self._left_out and self._reaches_target(path)) or self._leads_to_python(path)
        ]

    def _once(self, question: str, answer: Callable[[], list[Path]]) -> list[Path]:
        """What is asked of the targets in each of many runs."""
        if not follows_changes():
            return answer()
        return self.project.once((question, tuple(self.targets), frozenset(self._left_out)), answer)

    @cached_property
    def _scripts(self) -> list[Path]:
        return [path for path in self.targets if not _is_read_as_it_is(path)]

    @cached_property
    def _python(self) -> frozenset[Path]:
        return frozenset(path for path in self.targets if path.suffix == ".py")

    @cached_property
    def _configs(self) -> list[Path]:
        return [path for path in self.targets if path.suffix in YAML_SUFFIXES]

    def _reaches_script(self, launcher: Path) -> bool:
        return bool(self._scripts) and self.project.reach.may_reach(launcher, self._scripts)

    def _reaches_target(self, launcher: Path) -> bool:
        """Whether a launcher may source or run a target, or have its training read one."""
        return self._reaches_script(launcher) or (bool(self._configs) and self._may_name_config(launcher))

    def _may_name_config(self, launcher: Path) -> bool:
        reached = self.project.reach.of(launcher)
        return not reached.are_all or any(map(self._names_config, reached.scripts))

    def _names_config(self, script: Path) -> bool:
        """Whether a script passes a flag with a YAML file, as far as its text tells."""

        def answer() -> bool:
            return _NAMES_CONFIG.search(self.project.reach.unquoted(script)) is not None

        return self.project.once(("names config", script), answer)

    def _leads_to_python(self, launcher: Path) -> bool:
        """Whether a launcher may name a reward in a target, or one that takes something from there."""
        if not self._python:
            return False
        uses = self.project.supposed.uses(launcher)
        return uses is None or any(
            use.module is not None and not self._python.isdisjoint(self.project.imports.reached(use.module.path))
            for use in uses
        )

    # ------------------------------------------------------------ what has to be worked out

    @cached_property
    def bearing(self) -> list[LauncherSource]:
        """The launchers inside of which something may be found in a target: those that are one, and those that may
        source, run or read one."""
        if self._is_whole:
            return self.inside
        return [
            launcher
            for launcher in self.inside
            if launcher.path in self._targets
            or (launcher.path not in self._left_out and self._reaches_target(launcher.path))
        ]

    @cached_property
    def _is_whole(self) -> bool:
        """Whether everything inside has to be looked at: it is asked for, or a comment in a target makes it matter
        what was."""
        if all(launcher.path in self._targets for launcher in self.inside):
            return True
        return self._tells_of_findings

    @cached_property
    def _tells_of_findings(self) -> bool:
        return any(self.project.holds(path, _MATTERS_WHAT_RAN) for path in self.targets)

    def _rewarded(self, rule: Rule) -> Iterator[Judged]:
        """The rewards that a rule has to look at. Most have no fault, however they are launched; where the code has one
        that is the same for all launches, no more of them are worked out than it takes to see that one is there."""
        if self._is_whole or not self._python:
            yield from self._rewards_of(self.bearing)
            return
        bearing = {launcher.path for launcher in self.bearing}
        confirmed: set[Fault] = set()
        for launcher in self.inside:
            if launcher.path not in bearing:
                suspected = self._suspected(rule, launcher.path)
                if suspected is not None and suspected <= confirmed:
                    continue
            for judged in self._rewards_of([launcher]):
                if self._is_elsewhere(judged.subject):
                    continue
                yield judged
                confirmed.update(self._faults_of(rule, judged.subject) or ())

    def _suspected(self, rule: Rule, launcher: Path) -> set[Fault] | None:
        """What a rule may find in a target for the rewards that a launcher names, if that depends on the code alone;
        ``None`` where it may be anything."""
        uses = self.project.supposed.uses(launcher)
        suspected: set[Fault] = set()
        for use in uses or ():
            if self._is_elsewhere(use):
                continue
            key = (rule.code, use)
            if key not in self._faults:
                self._faults[key] = self._faults_of(rule, use)
            found = self._faults[key]
            if found is None:
                return None
            suspected |= found
        return None if uses is None else suspected

    def _is_elsewhere(self, use: RewardUse) -> bool:
        """Whether nothing that is said of a reward can be about a target, all of which are Python files."""
        if use.module is None or len(self._python) < len(self._targets):
            return False
        return self._python.isdisjoint(self.project.imports.reached(use.module.path))

    def _faults_of(self, rule: Rule, use: RewardUse) -> set[Fault] | None:
        """What a rule finds in a target for a reward, whoever launches it; ``None`` where it says something of the
        launch."""
        found: set[Fault] = set()
        try:
            for outcome in self.said(rule, use, self._file_of(use)):
                if outcome.place.source.path in self._targets:
                    if isinstance(outcome, NotChecked) or outcome.launch is not None:
                        return None
                    found.add((outcome.place.source.path, outcome.place.start, outcome.place.end, outcome.message))
        except MemoryError:
            raise
        except Exception:  # the engine, which asks again, reports it
            return None
        return found

    @cached_property
    def _with_a_say(self) -> list[Recipe]:
        """The target recipes, and others with launchers that have a say in the targets."""
        others = (self.project.recipe_of(launcher.path) for launcher in self.bearing)
        return list(dict.fromkeys([*self.recipes, *(recipe for recipe in others if recipe is not None)]))

    def is_target(self, path: Path) -> bool:
        """Whether this part of the run is about a file."""
        return path in self._targets

    def _may_find(self, rule: Rule, recipe: Recipe) -> bool:
        """Whether a rule that finds nothing more of a recipe the more launchers that has may find something."""
        if rule.only_python and not self._shows_python:
            return False
        if self._is_whole or recipe in self._bearing_whole:
            return True
        return self._finds(rule, self._as_wanted(recipe, partial=True))

    @cached_property
    def _bearing_whole(self) -> list[Recipe]:
        """The recipes of which each launcher has to be worked out, so that looking at some of them first spares
        nothing."""
        bearing = {launcher.path for launcher in self.bearing}
        return [recipe for recipe in self._with_a_say if bearing.issuperset(one.path for one in recipe.launchers)]

    def _as_wanted(self, recipe: Recipe, *, partial: bool) -> Recipe:
        """A recipe as it is to be looked at: where only Python files are targets, for what is in these; with all of
        its launchers, or with those alone that have to be worked out."""
        if self._is_whole:
            return recipe
        wanted = self._python if len(self._python) == len(self._targets) else None
        if not partial:
            return self.project.once(("narrowed", recipe, wanted), lambda: recipe.wanting(wanted))
        bearing = tuple(launcher for launcher in self.bearing if self.project.recipe_of(launcher.path) is recipe)
        return self.project.once(("narrowed", recipe, wanted, bearing), lambda: recipe.with_launchers(bearing, wanted))

    @cached_property
    def _shows_python(self) -> bool:
        """Whether what is found in Python files matters: one is to be shown, or a comment makes it matter what ran."""
        shown = self._asked if self._is_whole else self._python
        return self._tells_of_findings or any(path.suffix == ".py" for path in shown)

    def _finds(self, rule: Rule, subject: object) -> bool:
        """Whether a rule says something about a target."""
        try:
            return any(outcome.place.source.path in self._targets for outcome in self.said(rule, subject))
        except MemoryError:
            raise
        except Exception:  # the engine, which asks again, reports it
            return True

    def said(self, rule: Rule, subject: Any, paths: Iterable[Path] = ()) -> Iterable[Finding | NotChecked]:
        """What a rule says of a subject, made from ``paths`` among others; remembered where the project will change and
        be judged again."""
        if not follows_changes():
            return rule.check(subject, self.project)

        def answer() -> list[Finding | NotChecked]:
            for path in paths:
                note(path)
            return list(rule.check(subject, self.project))

        return self.project.once(("found by", rule.code, subject), answer)

    @property
    def launches(self) -> int:
        """How many launches the targets have."""
        return sum(
            launch.kind != "other"
            for launcher in (*self.bearing, *self.outside)
            if launcher.path in self._targets
            for launch in launcher.launches
        )

    def subjects(self, rule: Rule) -> Iterator[Judged]:
        """Everything that a rule has to look at."""
        if rule.on == "python":
            for recipe in self.recipes:
                for source in recipe.python:
                    if source.path in self._targets:
                        yield Judged(source, frozenset((source.path,)))
        elif rule.on == "yaml":
            yield from self._yaml
        elif rule.on == "recipe":
            for recipe in self._with_a_say:
                if self._may_find(rule, recipe):
                    yield Judged(self._as_wanted(recipe, partial=False), frozenset(recipe.files))
        elif rule.on == "reward":
            yield from self._rewarded(rule)
        elif rule.on == "launcher":
            yield from self._launchers_inside
            if rule.everywhere:
                yield from self._launchers_outside
        elif rule.on == "launch":
            yield from self._launches_inside
            if rule.everywhere:
                yield from self._launches_outside

    @cached_property
    def _yaml(self) -> list[Judged]:
        paths = [path for recipe in self.recipes for path in recipe.yaml if path in self._targets]
        sources = (self.project.yaml(path) for path in paths)
        return [Judged(source, frozenset((source.path,))) for source in sources if source is not None]

    @cached_property
    def _launchers_inside(self) -> list[Judged]:
        return self._judged(self.bearing)

    @cached_property
    def _launchers_outside(self) -> list[Judged]:
        return self._judged(self.outside)

    @cached_property
    def _launches_inside(self) -> list[Judged]:
        return _launches_of(self._launchers_inside)

    @cached_property
    def _launches_outside(self) -> list[Judged]:
        return _launches_of(self._launchers_outside)

    def _judged(self, launchers: Iterable[LauncherSource]) -> list[Judged]:
        return [Judged(launcher, self._files_of(launcher), launcher.path) for launcher in launchers]

    def _rewards_of(self, launchers: list[LauncherSource]) -> list[Judged]:
        from relax_lint.rewards import reward_uses

        key = tuple(launcher.path for launcher in launchers)
        if key not in self._rewards:
            self._rewards[key] = [
                Judged(use, self._files_of(launcher) | self._file_of(use), launcher.path)
                for launcher in launchers
                for launch in launcher.launches
                for use in reward_uses(launch, self.project)
            ]
        return self._rewards[key]

    @staticmethod
    def _files_of(launcher: LauncherSource) -> frozenset[Path]:
        return frozenset((launcher.path, *(source.path for source in launcher.evaluation.sourced)))

    @staticmethod
    def _file_of(use: Any) -> frozenset[Path]:
        return frozenset(source.path for source in (use.module, use.source) if source is not None)


def _launches_of(launchers: Iterable[Judged]) -> list[Judged]:
    return [judged._replace(subject=launch) for judged in launchers for launch in judged.subject.launches]


def _is_read_as_it_is(path: Path) -> bool:
    """Whether a file is Python or YAML: nothing has to be worked out to know what it says."""
    return path.suffix == ".py" or path.suffix in YAML_SUFFIXES
