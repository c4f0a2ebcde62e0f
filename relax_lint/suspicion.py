"""Whether anything can be found in a recipe's Python files at all, told without working out its launches.

flake8 asks about one Python file after the other, and to work out what every launcher passes would cost more than all
else that flake8 does. So the reward functions that scripts name are judged as if each were launched, in every form that
a script mentions. Where nothing is found so, the real launches give nothing either. Where something is, or a script
does not say plainly which function it names, they have to be worked out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from relax_lint.diagnostics import Finding, Place
from relax_lint.kept import Kept, kept_property
from relax_lint.launch_config import CONFIG, dest_of, setting_in
from relax_lint.project import Project, Recipe
from relax_lint.rewards import FLAG, GROUP, KEY, RewardUse, reward_uses
from relax_lint.rules import Rule
from relax_lint.shell.launch import Launch, Word
from relax_lint.sources.python import PythonSource
from relax_lint.sources.text import SourceFile

_MENTIONS = ("custom-rm", "rm-path")
"""What a script that passes the flag cannot do without, be it put together from parts."""
_CONFIG_MENTIONS = ("custom-config", "config-path")
_PLAIN = re.compile(FLAG + r"(?:=|[ \t]+)([A-Za-z_][\w.]*)(?![^\s)])")
_PLAIN_CONFIG = re.compile(CONFIG + r"(?:=|[ \t]+)(\w[\w./-]*)(?![^\s)])")
_KEY_MENTION = "reward-key"
_PLAIN_KEY = re.compile(r"--(?:eval-)?reward-key(?:=|[ \t]+)([A-Za-z_][\w.-]*)(?![^\s)])")
_PUT_TOGETHER = re.compile(r"--[\w-]*[$`{]")
"""A flag of which a part is computed."""


class Suspicion:
    """What may be wrong in the recipes of a project, by rules whose findings lie in Python files."""

    def __init__(self, project: Project, rules: Iterable[Rule]) -> None:
        self._project = project
        self._rules = list(rules)
        self._recipes: dict[Path, dict[str, set[Path]]] = {}

    def work_out(self) -> None:
        """Find out now what is the same for every file."""
        _ = self._of_rewards

    def in_file(self, source: PythonSource) -> bool:
        """Whether rules that look at a file alone find something in it."""
        return any(place.source.path == source.path for _, place in self._places("python", source))

    def of_recipe(self, recipe: Recipe) -> dict[str, set[Path]]:
        """The rules on rewards and whole recipes that may find something in the recipe's Python files, by code, each
        with these files."""
        if recipe.directory not in self._recipes:
            files = frozenset(source.path for source in recipe.python)
            found = {code: paths & files for code, paths in self._of_rewards.items() if paths & files}
            for code, place in self._places("recipe", recipe.with_launchers((), files)):
                if place.source.path in files:
                    found.setdefault(code, set()).add(place.source.path)
            self._recipes[recipe.directory] = found
        return self._recipes[recipe.directory]

    @kept_property
    def _of_rewards(self) -> dict[str, set[Path]]:
        """The files in which something may be found for a reward, by the code of the rule."""
        found: dict[str, set[Path]] = {}
        for use in self._uses:
            for code, place in self._places("reward", use):
                found.setdefault(code, set()).add(place.source.path)
        return found

    @kept_property
    def _uses(self) -> list[RewardUse]:
        supposed, project = self._project.supposed, self._project
        uses: dict[int, RewardUse] = {}
        for recipe in project.recipes:
            for path in recipe.launcher_paths:
                named = supposed.uses(path)
                launcher = project.launcher(path) if named is None else None
                if launcher is not None:
                    named = [use for launch in launcher.launches for use in reward_uses(launch, project)]
                uses.update((id(use), use) for use in named or ())
        return list(uses.values())

    def _places(self, on: str, subject: object) -> Iterator[tuple[str, Place]]:
        for rule in self._rules:
            if rule.on == on:
                found = rule.check(subject, self._project)
                yield from ((rule.code, outcome.place) for outcome in found if isinstance(outcome, Finding))


class _Named(NamedTuple):
    """The rewards that a text names plainly, whether a launch of it may score whole groups, and the keys of dicts that
    one may look under."""

    rewards: frozenset[str]
    groups: bool
    keys: frozenset[str]


class Supposed:
    """The rewards that launchers may use, as their texts and those of the scripts that they reach tell it."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._of_text = Kept()
        self._uses = Kept()

    def uses(self, script: Path) -> list[RewardUse] | None:
        """The rewards that a launcher names, as if each were launched in every form that is mentioned; ``None`` when it
        is not plain which these are."""
        reached = self._project.reach.of(script)
        if not reached.are_all:
            return None
        texts = [self._named_in(path) for path in reached.scripts]
        named = [text for text in texts if text is not None]
        if len(named) < len(texts):
            return None
        forms = (False, True) if any(text.groups for text in named) else (False,)
        rewards = sorted(frozenset().union(*(text.rewards for text in named)))
        keys = sorted(frozenset().union(*(text.keys for text in named))) or [""]
        uses = [self._use(dotted, groups, key) for dotted in rewards for groups in forms for key in keys]
        directories = {path.parent for path in reached.scripts}
        if any(use.module is None and self._is_beside(use.module_name, directories) for use in uses):
            return None
        return uses

    def _is_beside(self, module: str, directories: Iterable[Path]) -> bool:
        """Whether there is such a module where a script may look for it first."""
        return any(self._project.module(module, directory) is not None for directory in directories)

    def _named_in(self, script: Path) -> _Named | None:
        return self._of_text.ask(script, lambda: self._read(self._project.reach.unquoted(script)))

    def _read(self, text: str) -> _Named | None:
        plain, configs, keys = (found.findall(text) for found in (_PLAIN, _PLAIN_CONFIG, _PLAIN_KEY))
        if _PUT_TOGETHER.search(text) or any(text.count(part) != len(plain) for part in _MENTIONS):
            return None
        if any(text.count(part) != len(configs) for part in _CONFIG_MENTIONS) or text.count(_KEY_MENTION) != len(keys):
            return None
        rewards = set(plain)
        for config in configs:
            given = setting_in(self._project.root / config, self._project, dest_of(FLAG), CONFIG)
            if given is not None and given.kind not in ("str", "null"):
                return None
            if given is not None and given.text and given.kind == "str":
                rewards.add(given.text)
        return _Named(frozenset(rewards), GROUP in text, frozenset(keys))

    def _use(self, dotted: str, groups: bool, key: str) -> RewardUse:

        def answer() -> RewardUse:
            form = ((GROUP,) if groups else ()) + ((KEY, key) if key else ())
            return reward_uses(_launch(self._project, dotted, form), self._project)[0]

        return self._uses.ask((dotted, groups, key), answer)


def _launch(project: Project, dotted: str, form: tuple[str, ...]) -> Launch:
    script = SourceFile(project.root / "run.sh", b"")
    words = ("python3", "relax/entrypoints/train.py", FLAG, dotted, *form)
    return Launch("relax", tuple(Word(word) for word in words), Place(script, 0, 0), script.path)
