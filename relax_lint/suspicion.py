"""Whether anything can be found in a recipe's Python files at all, told without working out its launches.

flake8 asks about one Python file after the other, and to work out what every launcher passes would cost more than all
else that flake8 does. So the reward functions that scripts name are judged as if each were launched, in every form that
a script mentions. Where nothing is found so, the real launches give nothing either. Where something is, or a script
does not say plainly which function it names, they have to be worked out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

from relax_lint.diagnostics import Finding, Place
from relax_lint.project import Project, Recipe
from relax_lint.rewards import FLAG, GROUP, RewardUse, reward_uses
from relax_lint.rules import Rule
from relax_lint.shell.launch import Launch, Word
from relax_lint.sources.python import PythonSource
from relax_lint.sources.text import SourceFile

_MENTIONS = (b"custom-rm", b"rm-path")
"""What a script that passes the flag cannot do without, be it put together from parts."""
_PLAIN = re.compile(FLAG.encode() + rb"(?:=|\s+)[\"']?([A-Za-z_][\w.]*)[\"']?(?![^\s)])")


class Suspicion:
    """What may be wrong in the recipes of a project, by rules whose findings lie in Python files."""

    def __init__(self, project: Project, rules: Iterable[Rule]) -> None:
        self._project = project
        self._rules = list(rules)

    def work_out(self) -> None:
        """Find out now what is the same for every file."""
        _ = self._of_rewards

    def in_file(self, source: PythonSource) -> bool:
        """Whether rules that look at a file alone find something in it."""
        return self._finds("python", source, {source.path})

    def of_recipe(self, recipe: Recipe) -> bool:
        """Whether rules that look at the whole recipe may find something in one of its Python files."""
        files = {source.path for source in recipe.python}
        rewards = self._of_rewards
        return rewards is None or bool(files & rewards) or self._finds("recipe", recipe.with_launchers(()), files)

    @cached_property
    def _of_rewards(self) -> set[Path] | None:
        """The files in which something would be found; ``None`` when that is not known."""
        uses = self._uses
        return None if uses is None else {place.source.path for use in uses for place in self._places("reward", use)}

    @cached_property
    def _uses(self) -> list[RewardUse] | None:
        texts = (self._project.read(path) or b"" for path in self._project.reach.scripts)
        return supposed_uses(self._project, texts)

    def _finds(self, on: str, subject: object, files: set[Path]) -> bool:
        return any(place.source.path in files for place in self._places(on, subject))

    def _places(self, on: str, subject: object) -> Iterator[Place]:
        for rule in self._rules:
            if rule.on == on:
                found = rule.check(subject, self._project)
                yield from (outcome.place for outcome in found if isinstance(outcome, Finding))


def supposed_uses(project: Project, scripts: Iterable[bytes]) -> list[RewardUse] | None:
    """The rewards that some scripts name, as if each were launched in every form that they mention; ``None`` when they
    do not say plainly which these are."""
    texts = [text for text in scripts if any(part in text for part in (*_MENTIONS, GROUP.encode()))]
    named: set[str] = set()
    for text in texts:
        plain = _PLAIN.findall(text)
        if any(text.count(part) != len(plain) for part in _MENTIONS):
            return None
        named.update(name.decode() for name in plain)
    forms = ((), (GROUP,)) if any(GROUP.encode() in text for text in texts) else ((),)
    launches = [_launch(project, dotted, form) for dotted in sorted(named) for form in forms]
    uses = [use for launch in launches for use in reward_uses(launch, project)]
    return None if any(use.module is None for use in uses) else uses


def _launch(project: Project, dotted: str, form: tuple[str, ...]) -> Launch:
    script = SourceFile(project.root / "run.sh", b"")
    words = ("python3", "relax/entrypoints/train.py", FLAG, dotted, *form)
    return Launch("relax", tuple(Word(word) for word in words), Place(script, 0, 0), script.path)
