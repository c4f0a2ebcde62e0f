"""How often checkpoints are written and the policy is evaluated; -1 stands for never in verl."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.migrate.plan import Passed, Step, Todo
from relax_lint.migrate.readings import carried, fates, given, is_on, real
from relax_lint.migrate.values import Template

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.settings import Settings

SAVE, TEST, BEFORE = "trainer.save_freq", "trainer.test_freq", "trainer.val_before_train"
_OF_ROLLOUT = "rollout.test_freq"
_SAVE_INTERVAL, _EVAL_INTERVAL, _SKIP = "--save-interval", "--eval-interval", "--skip-eval-before-train"


def saves(settings: Settings) -> bool:
    """Whether checkpoints are written."""
    return _is_interval(settings, SAVE)


def evaluates(settings: Settings) -> bool:
    """Whether the policy is evaluated as it trains."""
    return _is_interval(settings, TEST) and settings.value("data.val_files") not in (None, "", [])


def _is_interval(settings: Settings, key: str) -> bool:
    number = real(settings, key)
    return isinstance(settings.value(key), Template) or (number is not None and number > 0)


def steps(settings: Settings, choices: Choices) -> Iterator[Step]:
    """The flags and fates of what is done every so often."""
    if saves(settings):
        yield Passed(_SAVE_INTERVAL, (carried(settings, SAVE),), "ckpt", (SAVE,))
        yield from fates(settings, (SAVE,), "mapped", "in rollouts, as in verl", (_SAVE_INTERVAL,))
    else:
        yield from fates(settings, (SAVE,), "same", "no checkpoints: neither --save nor --save-interval")
    if evaluates(settings):
        yield Passed(_EVAL_INTERVAL, (carried(settings, TEST),), "eval", (TEST,))
        reason = "in rollouts, as in verl; Relax evaluates at the end of an epoch, too"
        yield from fates(settings, (TEST,), "mapped", reason, (_EVAL_INTERVAL,))
        if is_on(settings, BEFORE, default=True):
            yield from fates(settings, (BEFORE,), "same", "Relax evaluates before training, too")
        else:
            yield Passed(_SKIP, (), "eval", (BEFORE,))
            yield from fates(settings, (BEFORE,), "mapped", flags=(_SKIP,))
    else:
        yield from fates(settings, (TEST,), "same", "no evaluation: no --eval-interval, and no data for it")
        yield from _once(settings)
    yield from fates(settings, (_OF_ROLLOUT,), "no effect", f"{TEST} counts")


def _once(settings: Settings) -> Iterator[Step]:
    if not is_on(settings, BEFORE, default=True):
        yield from fates(settings, (BEFORE,), "same", "no evaluation")
        return
    reason = "verl evaluates once before training; Relax does so only where it evaluates as it trains (--eval-interval)"
    asked = given(settings, BEFORE)
    yield from fates(settings, (BEFORE,), "unsupported" if asked else "dropped", reason)
    if asked:
        yield Todo(f"{BEFORE}=True with {TEST} off: {reason}.", (BEFORE, TEST))
