"""The settings of a launch of verl as Hydra itself composes them, from the files of a checkout."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from omegaconf import OmegaConf

from relax_lint.shell.launch import Launch, Word
from tools.migrate_checking.launchers import main_of

_STANDS_IN = "Unknown{}Part"
_MISSING = "???"
"""A value that somebody has to give."""
_DEFAULT = re.compile(r"\$\{\w+:-([^{}]*)\}")
_STAND_IN = re.compile(r"Unknown\d+Part")


class NotComposed(Exception):
    """Hydra has another opinion than verl's launcher, or a file is not there; it carries which."""


def composed(launch: Launch, root: Path, verl: Path) -> dict[str, Any]:
    """Every leaf by its dotted key. Parts of words that only bash knows are stand-ins. A checkout of verl's recipes
    (``root``) is to verl its package ``recipe``."""
    folder, name, overrides = _asked(launch, root, verl)
    # Where verl's own groups are, recipes say relative to a checkout, or by the name of the package.
    overrides.append(f"hydra.searchpath=[file://{verl / 'verl' / 'trainer' / 'config'}]")
    GlobalHydra.instance().clear()
    try:
        with initialize_config_dir(str(folder), version_base=None):
            tree = OmegaConf.to_container(compose(name, overrides), resolve=True, throw_on_missing=False)
    except Exception as error:
        raise NotComposed(f"{type(error).__name__}: {error}".partition("\n")[0]) from error
    return dict(leaves(tree))


def leaves(tree: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """The leaves of a tree; a list is one, and a mapping without keys."""
    if isinstance(tree, Mapping) and tree:
        for name, value in tree.items():
            yield from leaves(value, f"{key}.{name}" if key else str(name))
    else:
        yield key, tree


def agrees(hydra: Any, ours: Any) -> bool:
    """Whether a value, as the JSON of ``relax-lint migrate`` has it, is the one that Hydra has, as far as it is
    known."""
    if hydra == _MISSING:
        return ours is None
    if isinstance(hydra, list) and isinstance(ours, list):
        return len(hydra) == len(ours) and all(map(agrees, hydra, ours))
    if isinstance(hydra, dict) and isinstance(ours, dict):
        return {*map(str, hydra)} == {*ours} and all(agrees(value, ours[str(key)]) for key, value in hydra.items())
    if isinstance(hydra, str) and isinstance(ours, str) and hydra != ours:
        ours = _DEFAULT.sub(r"\1", ours)
    if isinstance(hydra, str) and _STAND_IN.search(hydra):
        return re.fullmatch(".*".join(map(re.escape, _STAND_IN.split(hydra))), str(ours), re.DOTALL) is not None
    return bool(hydra == ours) and isinstance(hydra, bool) == isinstance(ours, bool)


def _asked(launch: Launch, root: Path, verl: Path) -> tuple[Path, str, list[str]]:
    """The folder and name of the configuration, and the overrides."""
    main = _file_of(main_of(launch), root, verl)
    folder, name = _of_main(main)
    overrides: list[str] = []
    words = iter(launch.argv[launch.entry + 1 :])
    for word in words:
        text = word.text
        option, equals, value = text.partition("=")
        if option in ("--config-path", "-cp", "--config-name", "-cn", "--config-dir", "-cd"):
            value = value if equals else next(words, Word("")).text
            if option in ("--config-path", "-cp"):
                folder = main.parent / value
            elif option in ("--config-name", "-cn"):
                name = value.removesuffix(".yaml")
        elif not (word.unknowns and word.text == word.unknowns[0].text) and text.strip('"') not in ("$@", ""):
            overrides.append(_stood_in(word))
    return folder.resolve(), name, overrides


def _stood_in(word: Word) -> str:
    text = word.text
    for number, unknown in enumerate(word.unknowns):
        text = text.replace(unknown.text, _STANDS_IN.format(number), 1)
    return text


def _file_of(main: str, root: Path, verl: Path) -> Path:
    """The source of a main; what a checkout of the recipes calls ``recipe.x`` is its ``x``."""
    path = Path(main) if main.endswith(".py") else Path(*main.split(".")).with_suffix(".py")
    for candidate in (root / path, root / Path(*path.parts[1:]), verl / path):
        if candidate.is_file():
            return candidate
    raise NotComposed(f"{main} is not in the checkout")


def _of_main(main: Path) -> tuple[Path, str]:
    """What ``@hydra.main`` says."""
    for node in ast.walk(ast.parse(main.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "hydra.main":
            given = {word.arg: ast.literal_eval(word.value) for word in node.keywords}
            return main.parent / str(given.get("config_path") or "."), str(given["config_name"])
    raise NotComposed(f"{main.name} has no hydra.main")
