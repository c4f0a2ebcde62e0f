"""The penalty for leaving the reference: in the loss, or in the reward."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.migrate.plan import Fate, Passed, Step, Todo
from relax_lint.migrate.readings import A, below, carried, fates, is_on, real, refusal, shown, text

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.settings import Settings

_USE, _COEFFICIENT, _TYPE = "--use-kl-loss", "--kl-loss-coef", "--kl-loss-type"
USE_LOSS, LOSS_COEFFICIENT, LOSS_TYPE = f"{A}.use_kl_loss", f"{A}.kl_loss_coef", f"{A}.kl_loss_type"
_IN_REWARD, _REWARD_COEFFICIENT = "algorithm.use_kl_in_reward", "algorithm.kl_ctrl.kl_coef"
_OF_REWARD = ("algorithm.kl_penalty", "algorithm.kl_ctrl")
_TYPES = {"kl": "k1", "k1": "k1", "mse": "k2", "k2": "k2", "low_var_kl": "low_var_kl", "k3": "low_var_kl"}
"""How a distance is called; the reference's log-probabilities enter each in the same way."""
_STRAIGHT_THROUGH, _BY_GRADIENT = "+", "k2"
"""verl's mark of a distance that is reported, while the gradient is that of k2."""
_NO_REWARD_KL = (
    "verl takes it off the rewards before it compares the samples of a prompt; the estimators of Relax ignore --kl-coef"
)


def steps(settings: Settings, choices: Choices) -> Iterator[Step]:
    """The flags and fates of the KL penalty. Raises :class:`Refusal` for a distance that Relax lacks."""
    yield from _in_loss(settings)
    yield from _in_reward(settings)


def _in_loss(settings: Settings) -> Iterator[Step]:
    if not is_on(settings, USE_LOSS):
        yield from fates(settings, (USE_LOSS,), "same", "no KL in the loss")
        yield from fates(settings, (LOSS_COEFFICIENT, LOSS_TYPE), "no effect", "verl reads it with use_kl_loss only")
        return
    named = text(settings, LOSS_TYPE) or "low_var_kl"
    straight = named.endswith(_STRAIGHT_THROUGH)
    kind = _BY_GRADIENT if straight else _TYPES.get(named)
    if kind is None:
        if real(settings, LOSS_COEFFICIENT) != 0:
            raise refusal(
                settings,
                LOSS_TYPE,
                f"{LOSS_TYPE}={named} is a distance that Relax lacks: it has k1, k2 and k3, which verl calls kl, mse "
                "and low_var_kl. Nearest is low_var_kl",
            )
        kind = "low_var_kl"
    yield Passed(_USE, (), "algorithm", (USE_LOSS,))
    yield Passed(_COEFFICIENT, (carried(settings, LOSS_COEFFICIENT),), "algorithm", (LOSS_COEFFICIENT,))
    yield Passed(_TYPE, (kind,), "algorithm", (LOSS_TYPE,))
    yield from fates(settings, (USE_LOSS,), "mapped", flags=(_USE,))
    yield from fates(settings, (LOSS_COEFFICIENT,), "mapped", flags=(_COEFFICIENT,))
    if straight:
        reason = (
            f"Relax has no {named}, whose value is that of {named[:-1]} and whose gradient that of k2: with k2 the "
            "same is learned, and another number reported"
        )
        yield Fate(LOSS_TYPE, "unsupported", (_TYPE,), reason)
    else:
        reason = "" if kind == named else f"verl's {named}"
        yield from fates(settings, (LOSS_TYPE,), "mapped", reason, (_TYPE,))


def _in_reward(settings: Settings) -> Iterator[Step]:
    rest = tuple(below(settings, *_OF_REWARD))
    if not is_on(settings, _IN_REWARD):
        yield from fates(settings, (_IN_REWARD,), "same", "no KL in the reward")
        yield from fates(settings, rest, "no effect", "verl reads it with use_kl_in_reward only")
        return
    coefficient = settings.value(_REWARD_COEFFICIENT)
    if coefficient == 0:
        yield from fates(settings, (_IN_REWARD, *rest), "no effect", "its coefficient is 0")
        return
    todo = (
        f"{_IN_REWARD}=True with {shown(coefficient)}: {_NO_REWARD_KL}. Nearest is the KL in the loss: --use-kl-loss "
        f"--kl-loss-coef {shown(coefficient)} --kl-loss-type k1"
    )
    yield Fate(_IN_REWARD, "unsupported", (), _NO_REWARD_KL, "the KL in the loss (--use-kl-loss) is nearest")
    yield from fates(settings, rest, "unsupported", _NO_REWARD_KL)
    yield Todo(todo, (_IN_REWARD, *rest))
