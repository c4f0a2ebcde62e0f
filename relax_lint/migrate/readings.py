"""Reading settings: as numbers, as switches, as text, and as shell where only bash knows them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from math import isfinite
from typing import TYPE_CHECKING

from relax_lint.migrate.conversions import text_of
from relax_lint.migrate.plan import Fate, FateKind, Refusal, Todo
from relax_lint.migrate.values import SAFE_DEFAULT, Data, Template, with_default

if TYPE_CHECKING:
    from relax_lint.migrate.plan import Step
    from relax_lint.migrate.settings import Settings

A, R, REF, M = (f"actor_rollout_ref.{part}" for part in ("actor", "rollout", "ref", "model"))
"""The actor's settings, the rollout's, the reference's and the model's."""


def real(settings: Settings, key: str) -> int | float | None:
    """A finite number; ``None`` when there is none, or only bash knows it."""
    value = settings.value(key)
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, float) and not isfinite(value):
        return None
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def counted(settings: Settings, key: str, what: str) -> int | None:
    """A whole number of things of which there is at least one; ``None`` as :func:`whole` says it. Raises
    :class:`Refusal` for none."""
    number, value = whole(settings, key), settings.value(key)
    if isinstance(value, (bool, float)) if number is None else number < 1:
        raise refusal(settings, key, f"{key}={shown(value)}: {what}")
    return number


def whole(settings: Settings, key: str) -> int | None:
    """A whole number; ``None`` when there is none, or only bash knows it."""
    value = real(settings, key)
    return int(value) if value is not None and value == int(value) else None


def is_on(settings: Settings, key: str, default: bool = False) -> bool:
    """Whether a switch is on, as Python takes it: every text but the empty one is, and null is not; ``default`` when it
    is not there, or only bash knows."""
    value = settings.value(key)
    return default if key not in settings.leaves or isinstance(value, Template) else bool(value)


def text(settings: Settings, key: str) -> str | None:
    """A text that is known and not empty."""
    value = settings.value(key)
    return value if isinstance(value, str) and value else None


def given(settings: Settings, key: str) -> bool:
    """Whether the launch or its recipe sets a key, so that it is more than verl's default."""
    setting = settings.leaves.get(key)
    return setting is not None and setting.origin != "verl default"


def refusal(settings: Settings, key: str, reason: str) -> Refusal:
    """A refusal because of a setting, at the place where it is written."""
    setting = settings.leaves.get(key)
    return Refusal(reason, key, None if setting is None else setting.place)


def first_key(settings: Settings, *keys: str) -> str:
    """The first of some spellings of a setting that this verl has; given ones before defaults."""
    there = [key for key in keys if key in settings.leaves]
    return next((key for key in there if given(settings, key)), there[0] if there else keys[0])


def below(settings: Settings, *prefixes: str) -> Iterator[str]:
    """The keys that are one of some names, or lie below one."""
    starts = tuple(f"{prefix}." for prefix in prefixes)
    return (key for key in settings.leaves if key in prefixes or key.startswith(starts))


def fates(
    settings: Settings, keys: tuple[str, ...], kind: FateKind, reason: str = "", flags: tuple[str, ...] = ()
) -> Iterator[Fate]:
    """The same fate for those of some keys that are there."""
    return (Fate(key, kind, flags, reason) for key in keys if key in settings.leaves)


def unset(settings: Settings, keys: tuple[str, ...], flag: str, otherwise: str) -> Iterator[Step]:
    """What becomes of settings that are null where verl wants a number."""
    there = [key for key in keys if key in settings.leaves]
    if there:
        todo = f"{there[0]} is null, with which verl fails: pass {flag}, without which Relax {otherwise}"
        yield from (Fate(key, "by hand", (), "verl wants a number", todo) for key in there)
        yield Todo(todo, tuple(there))


def shown(value: Data) -> str:
    """A value as a reader of the report knows it."""
    return value.quoted if isinstance(value, Template) else text_of(value)


def carried(settings: Settings, key: str) -> str | Template:
    """A value that one flag takes as it is: what bash puts in stays, a variable with a default stays overridable."""
    value = settings.value(key)
    if isinstance(value, Template):
        return value
    setting = settings.leaves[key]
    written = setting.given.partition("=")[2]
    words = text_of(value)
    with suppress(ValueError):
        words = written if float(written) == float(words) else words
    if setting.variable and SAFE_DEFAULT.fullmatch(words):
        return Template((with_default(setting.variable, words),))
    return words


def arithmetic(value: Data) -> str:
    """A number as an operand of bash's arithmetic."""
    if isinstance(value, Template):
        variable = value.parts[0].variable if len(value.parts) == 1 and not isinstance(value.parts[0], str) else None
        return variable if variable and variable.isidentifier() else value.quoted
    return text_of(value)
