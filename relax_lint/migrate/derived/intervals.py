"""How often checkpoints are written and the policy is evaluated; -1 stands for never in verl."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.migrate.batches import trainer_of
from relax_lint.migrate.plan import Fate, Passed, Step, Todo
from relax_lint.migrate.readings import carried, fates, given, is_on, real, shown, whole
from relax_lint.migrate.values import Template

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.settings import Settings

SAVE, TEST, BEFORE = "trainer.save_freq", "trainer.test_freq", "trainer.val_before_train"
_OF_ROLLOUT, _PARTS = "rollout.test_freq", "async_training.trigger_parameter_sync_step"
_SAVE_INTERVAL, _EVAL_INTERVAL, _SKIP = "--save-interval", "--eval-interval", "--skip-eval-before-train"


def saves(settings: Settings) -> bool:
    """Whether checkpoints are written."""
    return _is_interval(settings, SAVE)


def evaluates(settings: Settings) -> bool:
    """Whether the policy is evaluated as it trains."""
    return _is_interval(settings, _test_key(settings)) and settings.value("data.val_files") not in (None, "", [])


def _test_key(settings: Settings) -> str:
    """The fully asynchronous trainer of verl goes by a setting of its own."""
    return _OF_ROLLOUT if trainer_of(settings) == "fully async" and _OF_ROLLOUT in settings.leaves else TEST


def _is_interval(settings: Settings, key: str) -> bool:
    number = real(settings, key)
    return isinstance(settings.value(key), Template) or (number is not None and number > 0)


def _is_wrong(settings: Settings, key: str) -> bool:
    """Whether something is given that verl cannot compare with a number."""
    value = settings.value(key)
    return value is not None and not isinstance(value, (Template, bool)) and real(settings, key) is None


def _wrong(settings: Settings, key: str, flag: str) -> Iterator[Step]:
    value = shown(settings.value(key))
    todo = f"{key}={value}: verl itself fails with what is no number; pass {flag} with the number that is meant"
    yield Fate(key, "unsupported", (), "no number, with which verl itself fails", todo)
    yield Todo(todo, (key,))


def _rollouts(settings: Settings, key: str) -> tuple[str | Template, str]:
    """An interval in rollouts, and how it comes about; the fully asynchronous trainer of verl counts versions of the
    weights, each of several steps."""
    count, parts = whole(settings, key), whole(settings, _PARTS)
    if trainer_of(settings) == "fully async" and count is not None and parts is not None and parts > 1:
        return str(count * parts), f"{count} versions of the weights, {parts} steps each"
    return carried(settings, key), "in rollouts, as in verl"


def steps(settings: Settings, choices: Choices) -> Iterator[Step]:
    """The flags and fates of what is done every so often."""
    if saves(settings):
        interval, reason = _rollouts(settings, SAVE)
        yield Passed(_SAVE_INTERVAL, (interval,), "ckpt", (SAVE,))
        yield from fates(settings, (SAVE,), "mapped", reason, (_SAVE_INTERVAL,))
    elif _is_wrong(settings, SAVE):
        yield from _wrong(settings, SAVE, _SAVE_INTERVAL)
    else:
        yield from fates(settings, (SAVE,), "same", "no checkpoints: neither --save nor --save-interval")
    key = _test_key(settings)
    if evaluates(settings):
        interval, reason = _rollouts(settings, key)
        yield Passed(_EVAL_INTERVAL, (interval,), "eval", (key,))
        yield Fate(key, "mapped", (_EVAL_INTERVAL,), f"{reason}; Relax evaluates at the end of an epoch, too")
        if is_on(settings, BEFORE, default=True):
            yield from fates(settings, (BEFORE,), "same", "Relax evaluates before training, too")
        else:
            yield Passed(_SKIP, (), "eval", (BEFORE,))
            yield from fates(settings, (BEFORE,), "mapped", flags=(_SKIP,))
    else:
        if _is_wrong(settings, key):
            yield from _wrong(settings, key, _EVAL_INTERVAL)
        else:
            yield Fate(key, "same", (), "no evaluation: no --eval-interval, and no data for it")
        yield from _once(settings)
    yield from fates(settings, (TEST, _OF_ROLLOUT), "no effect", f"{key} counts")


def _once(settings: Settings) -> Iterator[Step]:
    if not is_on(settings, BEFORE, default=True):
        yield from fates(settings, (BEFORE,), "same", "no evaluation")
        return
    reason = "verl evaluates once before training; Relax does so only where it evaluates as it trains (--eval-interval)"
    asked = given(settings, BEFORE)
    yield from fates(settings, (BEFORE,), "unsupported" if asked else "dropped", reason)
    if asked:
        yield Todo(f"{BEFORE}=True with {TEST} off: {reason}.", (BEFORE, TEST))
