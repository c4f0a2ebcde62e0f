"""The settings of a launch as a request for its reward, and the reward that comes of it."""

from __future__ import annotations

import os.path
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.migrate.carrying.closure import Problem
from relax_lint.migrate.config_names import free_name
from relax_lint.migrate.derived.multi_turn import takes_turns
from relax_lint.migrate.environment.files import named_file
from relax_lint.migrate.readings import below, first_key, is_on, shown, text
from relax_lint.migrate.reward.data_sources import data_sources
from relax_lint.migrate.reward.request import (
    BATCH,
    DAPO,
    LIMITED,
    MANAGERS,
    NAIVE,
    PRIME,
    Argument,
    CarriedReward,
    Function,
    Manager,
    Overlong,
    Request,
)
from relax_lint.migrate.values import Data, Template, is_known
from relax_lint.records import record

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.settings import Settings

CUSTOM, CUSTOM_NOW = "custom_reward_function", "reward.custom_reward_function"
MODEL, MODEL_NOW = "reward_model", "reward.reward_model"
KWARGS = (f"{CUSTOM}.reward_kwargs", f"{CUSTOM_NOW}.reward_kwargs")
OF_MANAGER = (f"{MODEL}.reward_kwargs", "reward.reward_kwargs")
OVERLONG = "overlong_buffer"
_SANDBOX = ("sandbox_fusion", f"{MODEL}.sandbox_fusion", "reward.sandbox_fusion")
_OF_VERL = "pkg://"
_PWD = "PWD"


@record
class Option:
    """An entry of the config that the reward reads: its name there, its value, and the settings it comes from."""

    name: str
    value: Data
    keys: tuple[str, ...]


@record
class Asked:
    """A request with the options that its answer reads from the config."""

    request: Request
    options: tuple[Option, ...]


def carried(asked: Asked, choices: Choices) -> CarriedReward:
    """The reward that a request asks for."""
    from relax_lint.migrate.reward.carry import carry_reward

    assert choices.verl is not None
    return carry_reward(asked.request, choices.verl)


def asked_of(settings: Settings, choices: Choices, manager: str | None, instead_of: str = "") -> Asked | Problem | None:
    """What a launch wants for its reward, ``instead_of`` a manager whose ways are not known; nothing when no code is at
    hand, a problem when its file is known to bash alone."""
    if choices.verl is None:
        return None
    key = first_key(settings, f"{CUSTOM}.path", f"{CUSTOM_NOW}.path")
    place = _place(settings, key)
    function: Function | None = None
    if settings.value(key) is not None:
        path = _file(settings, choices, key)
        if path is None:
            where = shown(settings.value(key))
            return Problem(place.path, place.line, f"{key}={where}: only bash knows which file this is")
        function = Function(path, text(settings, key.replace(".path", ".name")) or "compute_score")
    elif choices.verl.package is None:
        return None
    options: list[Option] = []
    package = choices.module("")
    request = Request(
        choices.name,
        package,
        function,
        data_sources(settings, choices.verl.project),
        _managed(settings, manager, options),
        tuple(_arguments(settings, choices, manager, options)) if function is not None else (),
        tuple(_sandbox(settings, options)) if function is None else (),
        place,
        takes_turns(settings),
        instead_of,
        settings.main,
    )
    return Asked(request, tuple(options))


def penalizes(settings: Settings) -> str | None:
    """The key below which the penalty for long responses is set, when it is on."""
    for key in settings.leaves:
        for name in (f".{OVERLONG}_cfg.enable", f".{OVERLONG}.enable"):
            if key.endswith(name) and is_on(settings, key):
                return key.removesuffix(".enable")
    return None


# ------------------------------------------------------------ the function


def _file(settings: Settings, choices: Choices, key: str) -> Path | None:
    assert choices.verl is not None
    project = choices.verl.project
    value = settings.value(key)
    if isinstance(value, Template):
        parts = [part if isinstance(part, str) else None for part in value.parts]
        first = value.parts[0]
        if not isinstance(first, str) and first.variable == _PWD and None not in parts[1:]:
            value = "".join(part for part in parts[1:] if part is not None).lstrip("/")
    if not isinstance(value, str):
        return named_file(value, choices.verl, settings.launch.script)
    if value.startswith(_OF_VERL):
        origin = choices.verl.origin(value.removeprefix(_OF_VERL))
        return Path(value) if origin is None else origin.path
    path = Path(value.removeprefix("file://"))
    roots = [project.root]
    if choices.verl.package is not None:
        roots.append(choices.verl.package.parent)
    place = settings.leaves[key].place
    if place is not None:
        roots.append(place.source.path.parent)
    tried = [Path(os.path.normpath(root / path)) for root in roots]
    there = next((each for each in tried if project.is_file(each)), None)
    return there or named_file(value, choices.verl, settings.launch.script) or tried[0]


def _place(settings: Settings, key: str) -> Problem:
    setting = settings.leaves.get(key)
    place = setting.place if setting is not None else None
    if place is None:
        place = settings.launch.argv[settings.launch.entry].place
    if place is None:
        return Problem(Path(), 0, "")
    return Problem(place.source.path, place.source.position(place.start)[0], "")


# ------------------------------------------------------------ what it is told


def _arguments(settings: Settings, choices: Choices, manager: str | None, options: list[Option]) -> Iterator[Argument]:
    """``reward_kwargs`` by their names, each an entry of the config; the batch manager hands its own on, too."""
    assert choices.verl is not None
    told = set[str]()
    for prefix in (*KWARGS, *(OF_MANAGER if manager == BATCH else ())):
        for name, (value, keys) in _by_name(settings, prefix).items():
            if name in told:
                continue
            told.add(name)
            option = free_name(name, {each.name for each in options}, choices.verl.project)
            options.append(Option(option, value, keys))
            yield Argument(name, option, value if is_known(value) else None)


def _by_name(settings: Settings, prefix: str) -> dict[str, tuple[Data, tuple[str, ...]]]:
    """The entries of a mapping of settings, nested ones put together again."""
    found: dict[str, tuple[Data, tuple[str, ...]]] = {}
    for key in below(settings, prefix):
        path = key.removeprefix(prefix).lstrip(".").split(".")
        if path == [""]:
            continue
        value, keys = found.get(path[0], (None, ()))
        if len(path) == 1:
            found[path[0]] = (settings.value(key), (key,))
            continue
        nested = value if isinstance(value, dict) else {}
        inner = nested
        for part in path[1:-1]:
            following = inner.setdefault(part, {})
            inner = following if isinstance(following, dict) else {}
        inner[path[-1]] = settings.value(key)
        found[path[0]] = (nested, (*keys, key))
    return found


def _sandbox(settings: Settings, options: list[Option]) -> Iterator[Argument]:
    """The code sandbox that verl's own scoring asks, when there is one."""
    url = first_key(settings, *(f"{each}.url" for each in _SANDBOX))
    if settings.value(url) is None:
        return
    prefix = url.removesuffix(".url")
    for name, parameter, default in (
        ("url", "sandbox_fusion_url", None),
        ("max_concurrent", "concurrent_semaphore", 64),
        ("memory_limit_mb", "memory_limit_mb", 1024),
    ):
        key = f"{prefix}.{name}"
        value = settings.value(key)
        value = default if value is None else value
        option = f"sandbox_fusion_{name}"
        options.append(Option(option, value, (key,) if key in settings.leaves else ()))
        yield Argument(parameter, option, value if is_known(value) else None)


def _managed(settings: Settings, manager: str | None, options: list[Option]) -> Manager:
    kind = manager if manager in MANAGERS else NAIVE
    timeout, at_once, overlong = None, None, None
    if kind == PRIME:
        timeout = Argument("timeout", "reward_timeout", 300.0)
    elif kind == LIMITED:
        timeout = _optional(settings, ("reward.timeout", f"{MODEL}.timeout"), "reward_timeout", 300.0, options)
        at_once = _optional(
            settings, ("reward.max_concurrent", f"{MODEL}.max_concurrent"), "reward_at_once", 1, options
        )
    elif kind == NAIVE:
        keys = [f"{each}.compute_score_timeout" for each in OF_MANAGER]
        if any(settings.value(key) is not None for key in keys):
            timeout = _optional(settings, tuple(keys), "compute_score_timeout", None, options)
    prefix = penalizes(settings)
    if prefix is not None:
        overlong = _overlong(settings, prefix, options)
        kind = DAPO if kind == NAIVE else kind
    return Manager(kind, overlong, timeout, at_once)


def _optional(
    settings: Settings, keys: tuple[str, ...], option: str, default: object, options: list[Option]
) -> Argument:
    key = first_key(settings, *keys)
    value = settings.value(key)
    if value is None:
        return Argument(option, option, default)
    options.append(Option(option, value, (key,)))
    return Argument(option, option, value if is_known(value) else default)


def _overlong(settings: Settings, prefix: str, options: list[Option]) -> Overlong:
    name = prefix.rpartition(".")[2]
    buffer = _optional(settings, (f"{prefix}.len",), f"{name}_len", None, options)
    factor = _optional(settings, (f"{prefix}.penalty_factor",), f"{name}_penalty_factor", 1.0, options)
    longest = None
    bound = first_key(settings, *(f"{each}.max_resp_len" for each in OF_MANAGER))
    if settings.value(bound) is not None:
        longest = _optional(settings, (bound,), "max_resp_len", None, options)
    return Overlong(buffer, factor, longest, is_on(settings, f"{prefix}.log"))
