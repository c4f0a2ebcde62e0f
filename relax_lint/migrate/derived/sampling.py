"""How responses are drawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.migrate.plan import Fate, Passed, Step
from relax_lint.migrate.readings import R, carried, fates, real, unset

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.settings import Settings

_TEMPERATURE, _TOP_P, _TOP_K = (f"{R}.{name}" for name in ("temperature", "top_p", "top_k"))
ALL_TOKENS = "-1"


def steps(settings: Settings, choices: Choices) -> Iterator[Step]:
    """The flags and fates of sampling in training."""
    if settings.value(_TEMPERATURE) is None:
        yield from unset(settings, (_TEMPERATURE,), "--rollout-temperature", "takes 1")
    else:
        yield Passed("--rollout-temperature", (carried(settings, _TEMPERATURE),), "rollout", (_TEMPERATURE,))
        yield Fate(_TEMPERATURE, "mapped", ("--rollout-temperature",))
    if real(settings, _TOP_P) in (None, 1) and not _unknown(settings, _TOP_P):
        yield from fates(settings, (_TOP_P,), "same", "1 in Relax, too")
    else:
        yield Passed("--rollout-top-p", (carried(settings, _TOP_P),), "rollout", (_TOP_P,))
        yield Fate(_TOP_P, "mapped", ("--rollout-top-p",))
    count = real(settings, _TOP_K)
    if count in (None, -1) and not _unknown(settings, _TOP_K):
        yield from fates(settings, (_TOP_K,), "same", "all tokens")
    elif count == 0:
        yield from fates(settings, (_TOP_K,), "same", "all tokens, which SGLang calls -1")
    else:
        yield Passed("--rollout-top-k", (carried(settings, _TOP_K),), "rollout", (_TOP_K,))
        yield Fate(_TOP_K, "mapped", ("--rollout-top-k",))
    yield from fates(settings, (f"{R}.do_sample",), "no effect", "the temperature decides")


def _unknown(settings: Settings, key: str) -> bool:
    return settings.value(key) is not None and real(settings, key) is None
