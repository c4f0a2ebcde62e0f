"""The launches of a recipe; where not all of its launchers are looked at, those that texts suggest besides.

To work out what launchers pass is most of the work of a run. Whoever asks about a Python file alone first wants to know
whether anything may be found in it: so what scripts and configs name of its functions is taken to be launched.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Place
from relax_lint.generates import GENERATE
from relax_lint.launch_config import CONFIG
from relax_lint.patterns import pattern
from relax_lint.rewards import FLAG, GROUP, TYPE
from relax_lint.shell.launch import Launch, Word
from relax_lint.sources.text import SourceFile

if TYPE_CHECKING:
    from pathlib import Path

    from relax_lint.project import Project, Recipe

_SCRIPT = "supposed launch"
_DOTTED = pattern(r"\bexamples(?:\.\w+)+")
_FOR_REWARD = pattern(r"custom[-_]rm[-_]path\W{1,4}\Z")
_FOR_GENERATE = pattern(r"custom[-_]generate[-_]function[-_]path\W{1,4}\Z")
_FOR_SOMETHING_ELSE = pattern(r"(?:--[\w-]+|\w+_path)\W{1,4}\Z")
_LONGEST_FLAG = 60
_ANY = (FLAG, GENERATE, "")
"""What a name may be for that no flag stands in front of: the empty one marks it so."""
_NOT_PLAIN = pattern(r"--custom-generate-function-path(?:=|\s+)[\"']?(?![\"']?[A-Za-z_][\w.]*[\"']?(?:[\s)]|\Z))")
_ENVIRONMENT = b"rollout_interaction_env_path"
_REWARDED = ("custom-rm", "rm-type", "custom_rm", "rm_type")

Mention = tuple[str, str, str]
Mentioned = dict[str, set[Mention]]


def is_supposed(launch: Launch) -> bool:
    """Whether a launch stands for many that may be there: nothing is known of its other flags."""
    return launch.script.name == _SCRIPT


def launches_of(recipe: Recipe, project: Project) -> Iterator[Launch]:
    """Its launches; what others seem to launch of its functions; and, where some of its launchers are left out, what
    they seem to launch."""
    yield from recipe.launches
    known = {launcher.path for launcher in recipe.launchers}
    for path in recipe.launcher_paths if recipe.is_partial else ():
        if path not in known and not _says_plainly(path, project):
            launcher = project.launcher(path)
            yield from launcher.launches if launcher is not None else ()
    yield from _supposed(recipe, project, by_others=not recipe.is_partial)


def _says_plainly(script: Path, project: Project) -> bool:
    """Whether a script and those that it may source write out which functions they name."""
    if project.supposed.uses(script) is None:
        return False
    return not any(_NOT_PLAIN.search(project.reach.text(path)) for path in project.reach.of(script).scripts)


def _supposed(recipe: Recipe, project: Project, *, by_others: bool) -> Iterator[Launch]:
    sources = recipe.python
    if not sources:
        return
    from relax_lint.flow.names import dotted_name

    mentioned = project.once_firmly("mentioned", lambda: _mentioned(project))
    named: list[str] = []
    scored: list[tuple[str, ...]] | None = None
    for source in sources:
        module = dotted_name(source.path, project.root)
        for flag, name, where in sorted(mentioned.get(module, ())):
            told = ("", name, where) not in mentioned[module]
            if not flag or (by_others and (where == recipe.name or not told)):
                continue
            if scored is None:
                scored = [(TYPE, "math"), ()] if _may_be_unrewarded(recipe, project) else [(TYPE, "math")]
                configs = [path for path in recipe.yaml if _ENVIRONMENT in (project.read(path) or b"")]
                named = [word for path in configs for word in (CONFIG, path.relative_to(project.root).as_posix())]
            for more in scored if flag == GENERATE else ((), (GROUP,)):
                yield _launch(project, (flag, f"{module}.{name}", *more, *named))


def _may_be_unrewarded(recipe: Recipe, project: Project) -> bool:
    """Whether some script that launches may name no reward."""
    for script in recipe.launcher_paths:
        texts = [project.reach.text(path) for path in project.reach.of(script).scripts]
        if "train" in texts[0] and not any(mark in text for text in texts for mark in _REWARDED):
            return True
    return False


def _mentioned(project: Project) -> Mentioned:
    """The functions that scripts and configs name, by module: the flag that each is for, its name, and the recipe that
    names it."""
    configs = [path for recipe in project.recipes for path in recipe.yaml]
    found: Mentioned = {}
    for path in (*project.reach.scripts, *configs):
        for module, mention in project.once_firmly(("mentioned in", path), partial(_mentioned_in, path, project)):
            found.setdefault(module, set()).add(mention)
    return found


def _mentioned_in(path: Path, project: Project) -> set[tuple[str, Mention]]:
    """The same of one file, with their modules."""
    data = project.read(path) or b""
    if b"examples." not in data:
        return set()
    recipe = project.recipe_of(path)
    where = "" if recipe is None else recipe.name
    is_script = recipe is None or path not in recipe.yaml
    text = project.reach.text(path) if is_script else data.decode("utf-8", "replace")
    found: set[tuple[str, Mention]] = set()
    for mention in _DOTTED.finditer(text):
        module, _, name = mention[0].rpartition(".")
        before = text[max(0, mention.start() - _LONGEST_FLAG) : mention.start()]
        found.update((module, (flag, name, where)) for flag in _flags(before))
    return found


def _flags(before: str) -> Iterable[str]:
    """What a function is for, by the text in front of it; anything, where that does not say so."""
    if _FOR_REWARD.search(before):
        return (FLAG,)
    if _FOR_GENERATE.search(before):
        return (GENERATE,)
    return () if _FOR_SOMETHING_ELSE.search(before) else _ANY


def _launch(project: Project, words: Iterable[str]) -> Launch:
    script = SourceFile(project.root / _SCRIPT, b"")
    argv = ("python3", "relax/entrypoints/train.py", *words)
    return Launch("relax", tuple(map(Word, argv)), Place(script, 0, 0), script.path)
