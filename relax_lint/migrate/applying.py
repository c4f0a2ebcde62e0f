"""The overrides of a command line on a composed configuration, and the values that come of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from shlex import quote
from typing import TYPE_CHECKING, Any

from omegaconf import Container, DictConfig, ListConfig, OmegaConf
from omegaconf._utils import split_key
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, OmegaConfBaseException

from relax_lint.migrate.composing import Path, leaves
from relax_lint.migrate.plan import Refusal
from relax_lint.migrate.settings import NOT_THERE
from relax_lint.shell.launch import Unknown

if TYPE_CHECKING:
    from relax_lint.migrate.overrides import Given, Hidden

_FROM_ENVIRONMENT = re.compile(r"\$\{oc\.env:\s*([A-Za-z_]\w*)\s*(?:,\s*([^${}]*?)\s*)?\}")
_NOW = re.compile(r"\$\{now:\s*([^\"'`\\${}]*?)\s*\}")
_NAME = re.compile(r"\$\{([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\}")
_MISSING = "???"


def apply(given: Given, config: DictConfig, hidden: Hidden) -> str:
    """Apply an override; what Hydra has against it: that the tree has no such key, or has it already.

    A key that is not there is added all the same.
    """
    override, shown = given.override, hidden.shown(given.word.text)
    key, value = override.key_or_group, hidden_environment(override.value(), hidden)
    if override.package is not None:
        raise Refusal(f"{shown} chooses a file of the group {key}, and there is no such group", place=given.word.place)
    try:
        if override.is_delete():
            return "" if _delete(config, key) else "there is no such setting to delete"
        adds = override.is_add() or override.is_force_add()
        there = _select(config, key) is not None
        try:
            OmegaConf.update(config, key, value, merge=True, force_add=adds)
        except (ConfigAttributeError, ConfigKeyError):
            OmegaConf.update(config, key, value, merge=True, force_add=True)
            return NOT_THERE
        if override.is_add() and there and not isinstance(value, dict | list):
            return "verl has this setting, so that Hydra refuses the + before it"
        return given.problem
    except (OmegaConfBaseException, AssertionError, ValueError, TypeError) as error:
        said = str(error).partition("\n")[0]
        raise Refusal(f"Hydra refuses {shown}: {hidden.shown(said)}", place=given.word.place) from error


def _select(config: DictConfig, key: str) -> Any:
    try:
        return OmegaConf.select(config, key, throw_on_missing=False)
    except OmegaConfBaseException:
        return None


def real_path(config: DictConfig, path: Path) -> Path:
    """Where a key really is: what stands below an interpolation is where this points to."""
    node: Any = config
    for depth, key in enumerate(path[:-1], 1):
        inside = isinstance(node, DictConfig) and not node._is_none() and key in node
        node = node._get_node(key) if inside else None
        if node is None:
            break
        if node._is_interpolation():
            try:
                target = node._maybe_dereference_node()
            except OmegaConfBaseException:
                break
            if not isinstance(target, DictConfig):
                break
            return real_path(config, (*split_key(str(target._get_full_key(None))), *path[depth:]))
    return path


def _delete(config: DictConfig, key: str) -> bool:
    parent, _, name = key.rpartition(".")
    node = OmegaConf.select(config, parent) if parent else config
    if not isinstance(node, DictConfig) or name not in node:
        return False
    OmegaConf.set_struct(node, False)
    del node[name]
    OmegaConf.set_struct(node, None)
    return True


def hidden_environment(value: Any, hidden: Hidden) -> Any:
    """The value with marks for what only the run has: ``${oc.env:NAME}``, and the time, ``${now:FORMAT}``."""
    if isinstance(value, dict):
        return {key: hidden_environment(item, hidden) for key, item in value.items()}
    if isinstance(value, list):
        return [hidden_environment(item, hidden) for item in value]
    if not isinstance(value, str) or "${" not in value:
        return value

    def marked(found: re.Match[str]) -> str:
        name, default = found[1], found[2]
        text = f"${{{name}}}" if default is None else f"${{{name}:-{default}}}"
        return hidden.mark(Unknown(text, name if default is None else None))

    def dated(found: re.Match[str]) -> str:
        # Python's microseconds are digits of the nanoseconds of date.
        form = found[1].replace("%%", "\0").replace("%f", "%6N").replace("\0", "%%")
        return hidden.mark(Unknown(f"$(date {quote(f'+{form}')})"))

    return _NOW.sub(dated, _FROM_ENVIRONMENT.sub(marked, value))


def resolved(config: DictConfig, inside: Path = ()) -> Iterator[tuple[Path, Any]]:
    """The leaves with their interpolations resolved; one that cannot be stays as it is written."""
    for key in config:
        path = (*inside, str(key))
        node = config._get_node(key)
        if isinstance(node, DictConfig) and not node._is_none() and not node._is_interpolation() and len(node):
            yield from resolved(node, path)
            continue
        value = _value(config, key, node)
        if isinstance(value, dict) and value:
            yield from leaves(value, path)
        else:
            yield path, None if value == _MISSING else value


def _value(config: DictConfig, key: Any, node: Any) -> Any:
    if node._is_missing() or node._is_none():
        return None
    if not (isinstance(node, Container) or node._is_interpolation()):
        return node._value()
    try:
        found = _named(config, node)
        if found is None:
            found = config[key]
        return OmegaConf.to_container(found, resolve=True) if isinstance(found, Container) else found
    except (OmegaConfBaseException, RecursionError):
        return OmegaConf.to_container(node) if isinstance(node, DictConfig | ListConfig) else node._value()


def _named(config: DictConfig, node: Any) -> Any:
    """What a value that is the name of another one stands for; None where it takes omegaconf to find out. Most values
    that stand for something are such, and to parse each by its grammar takes longer than all else."""
    found = _NAME.fullmatch(str(node._value())) if node._is_interpolation() else None
    return None if found is None else OmegaConf.select(config._get_root(), found[1], throw_on_resolution_failure=False)
