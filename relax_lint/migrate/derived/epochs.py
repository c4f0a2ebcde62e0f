"""How long the run is: epochs, or rollouts, whichever ends first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.migrate.batches import batches, filters, is_v1, trainer_of
from relax_lint.migrate.plan import Fate, Passed, Step, Todo
from relax_lint.migrate.readings import carried, fates, shown, whole
from relax_lint.migrate.values import Template

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.settings import Settings

_EPOCHS, _STEPS, _PROMPTS = "trainer.total_epochs", "trainer.total_training_steps", "rollout.total_rollout_steps"
_OTHER_EPOCHS = "rollout.total_epochs"
_NUM_EPOCH, _NUM_ROLLOUT = "--num-epoch", "--num-rollout"


def steps(settings: Settings, choices: Choices) -> Iterator[Step]:
    """The flags and fates of the length of the run."""
    decides = _deciding(settings)
    for key in (_EPOCHS, _OTHER_EPOCHS):
        if key != decides:
            yield from fates(settings, (key,), "no effect", f"{decides} counts")
    if settings.value(decides) is not None:
        yield Passed(_NUM_EPOCH, (carried(settings, decides),), "rollout", (decides,))
        drawn = filters(settings) and not is_v1(settings)
        reason = "verl's end when all prompts were drawn, those that it drops, too" if drawn else ""
        yield Fate(decides, "derived" if drawn else "mapped", (_NUM_EPOCH,), reason)
    else:
        yield from fates(settings, (_EPOCHS,), "no effect", f"{_STEPS} counts")
    if trainer_of(settings) == "fully async":
        yield from _by_prompts(settings, choices)
        return
    count = whole(settings, _STEPS)
    if isinstance(settings.value(_STEPS), Template) or (count is not None and count > 0):
        note = "rollouts; the run ends with them or with the epochs, whichever is first"
        yield Passed(_NUM_ROLLOUT, (carried(settings, _STEPS),), "rollout", (_STEPS,), note)
        yield Fate(_STEPS, "mapped", (_NUM_ROLLOUT,), "the run ends with these or with the epochs, as verl's")
    else:
        yield from fates(settings, (_STEPS,), "same", "the epochs decide")


def _deciding(settings: Settings) -> str:
    """The setting that says how many epochs there are: the fully asynchronous trainer of verl has two, and ends with
    the smaller one."""
    trained, fed = whole(settings, _EPOCHS), whole(settings, _OTHER_EPOCHS)
    if trainer_of(settings) == "fully async" and fed is not None and (trained is None or fed < trained):
        return _OTHER_EPOCHS
    return _EPOCHS


def _by_prompts(settings: Settings, choices: Choices) -> Iterator[Step]:
    """The fully asynchronous trainer of verl counts prompts."""
    yield from fates(settings, (_STEPS,), "no effect", f"this trainer goes by {_PROMPTS}")
    total, prompts = whole(settings, _PROMPTS), batches(settings, choices).prompts
    if settings.value(_PROMPTS) is None:
        yield from fates(settings, (_PROMPTS,), "same", "the epochs decide")
    elif total is not None and prompts:
        rollouts = max(1, total // prompts)
        yield Passed(_NUM_ROLLOUT, (str(rollouts),), "rollout", (_PROMPTS,), f"{total} prompts, {prompts} a rollout")
        yield Fate(_PROMPTS, "derived", (_NUM_ROLLOUT,), f"{total} prompts in rollouts of {prompts}")
    else:
        value = shown(settings.value(_PROMPTS))
        todo = f"{_PROMPTS}={value}: pass {_NUM_ROLLOUT} with this divided by the prompts of a rollout"
        yield Fate(_PROMPTS, "by hand", (), "only bash knows how many", todo)
        yield Todo(todo, (_PROMPTS,))
