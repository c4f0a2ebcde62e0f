"""What is told of a setting in whose place nothing stands: a flag of the launch says it, or says otherwise, verl itself
would not read it, or Relax needs nothing for it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from relax_lint.migrate.leftovers import (
    ESTIMATOR,
    FLAG,
    LOSS_MODE,
    MINI,
    NODES,
    PER_NODE,
    PROMPTS,
    SAMPLES,
    A,
    Left,
    R,
    alike,
    meant,
    not_read,
)
from relax_lint.migrate.mapping import entry
from relax_lint.migrate.values import Template, is_known

if TYPE_CHECKING:
    from relax_lint.catalog.flags import Catalogue
    from relax_lint.shell.launch import Launch

_ROLLOUT, _GLOBAL, _PER_PROMPT, _RESOURCE = (
    "--rollout-batch-size", "--global-batch-size", "--n-samples-per-prompt", "--resource",
)  # fmt: skip
_INTERVALS = {"trainer.save_freq": "--save-interval", "trainer.test_freq": "--eval-interval"}


AGAIN = "the same setting comes again behind it"
_NOTHING = "Relax needs nothing for it"
_GOES_WITHOUT: Mapping[str, str] = {
    "trainer.save_freq": "nothing is saved without --save-interval",
    "trainer.test_freq": "nothing is evaluated without --eval-interval",
    "trainer.default_local_dir": "nothing is saved without --save-interval",
    "custom_reward_function.name": "--custom-rm-path names the function, too",
    "reward.custom_reward_function.name": "--custom-rm-path names the function, too",
    "trainer.resume_mode": "Relax goes on from a checkpoint with --load only",
    "trainer.logger": "Relax writes to the console by itself",
    "trainer.project_name": "only --use-wandb and --use-tensorboard take a name",
    "trainer.experiment_name": "only --use-wandb and --use-tensorboard take a name",
    ESTIMATOR: f"{LOSS_MODE} is the estimator in Relax",
    f"{A}.loss_agg_mode": "that is how Relax averages without --calculate-per-token-loss",
    f"{A}.ppo_epochs": "Relax goes over a batch once",
    f"{R}.do_sample": "the temperature decides, to verl, too",
    f"{R}.val_kwargs.do_sample": "the temperature decides, to verl, too",
}
"""Why Relax needs nothing for a setting, where the reason is not that of the mapping."""


def why_gone(left: Left, launch: Launch, others: Mapping[str, Left], catalogue: Catalogue) -> str:
    """Why nothing is written for a setting in a launch, for its author."""
    if left.deleted:
        return "what it takes away is nothing that Relax has"
    unread = not_read(left, launch, others)
    if unread:
        return unread
    return overruling(left, launch, others, catalogue) or _agreeing(left, launch, others, catalogue)


def overruling(left: Left, launch: Launch, others: Mapping[str, Left], catalogue: Catalogue) -> str:
    """The flag that counts instead of a setting and says something else; empty where there is none."""
    if left.deleted or not_read(left, launch, others):
        return ""
    return next(iter(_counting(left, launch, others, catalogue)), "")


def _agreeing(left: Left, launch: Launch, others: Mapping[str, Left], catalogue: Catalogue) -> str:
    """What makes a setting needless that no flag contradicts for sure."""
    if left.key == MINI and not launch.has(_GLOBAL):
        return _one_update(left, others)
    if left.key in (PER_NODE, NODES):
        return f"{_RESOURCE} says how many GPUs each role has"
    flag = _saying(left, launch, others, catalogue)
    if flag:
        given = launch.value(flag) or ""
        wanted = dict(_said(left, launch, others, catalogue)).get(flag, "").strip("\"'")
        return " ".join(filter(None, (flag, given, "says it" if given and _same(wanted, given) else "counts")))
    if left.key in _GOES_WITHOUT:
        return _GOES_WITHOUT[left.key]
    found = entry(left.key)
    if found is not None and found.reason:
        return found.reason
    return "it is off in Relax, too" if left.value is False or left.value is None else _NOTHING


def _one_update(left: Left, others: Mapping[str, Left]) -> str:
    """What is told of the prompts of an update where those of a step are all of one."""
    step, update = (_shown(one) if one is not None else "" for one in (others.get(PROMPTS), left))
    now = "all prompts of a step are one update now, as the guide wants it"
    if not (step.isdigit() and update.isdigit() and int(update)):
        return now
    updates = -(-int(step) // int(update))
    return now if updates == 1 else f"{now}; with it a step of verl's makes {updates}"


def _saying(left: Left, launch: Launch, others: Mapping[str, Left], catalogue: Catalogue) -> str:
    """The flag of a launch that stands for a setting."""
    names = {PROMPTS: _ROLLOUT, MINI: _GLOBAL, **_INTERVALS}
    flags = [names[left.key]] if left.key in names else []
    found = entry(left.key)
    items = meant(left, launch, others, catalogue)
    flags += [item.partition(" ")[0] for item in items] if isinstance(items, list) else []
    flags += [] if found is None else [flag for flag, _ in found.flags]
    flags += [] if found is None else FLAG.findall(found.advice)
    return next((name for flag in flags for name in alike(flag) if launch.has(name)), "")


def _counting(left: Left, launch: Launch, others: Mapping[str, Left], catalogue: Catalogue) -> Iterator[str]:
    """The flags that count instead of a setting, as the launch has them, for each that says otherwise."""
    if left.key == MINI:
        yield from _update(left, launch, others)
    elif left.key == PER_NODE:
        yield from _gpus(launch, others)
    elif left.key != NODES:
        for flag, value in _said(left, launch, others, catalogue):
            yield from _otherwise(flag, value, launch)


def _said(left: Left, launch: Launch, others: Mapping[str, Left], catalogue: Catalogue) -> Iterator[tuple[str, str]]:
    """What a setting would be as flags, each with its only value; ``off`` for a switch that is not to be there."""
    value = left.value
    if left.key == PROMPTS or left.key in _INTERVALS:
        yield _INTERVALS.get(left.key, _ROLLOUT), _shown(left)
        return
    if value is False:
        found = entry(left.key)
        for flag, _ in () if found is None else found.flags:
            known = catalogue.flag(flag)
            if known is not None and known.is_switch:
                yield flag, "off"
        return
    items = meant(left, launch, others, catalogue)
    if isinstance(items, list):
        for item in items:
            flag, _, rest = item.partition(" ")
            known = catalogue.flag(flag)
            if rest and is_known(value) and not isinstance(value, (list, dict)) and known and known.nargs is None:
                yield flag, _shown(left) if rest == left.written else rest


def _otherwise(flag: str, wanted: str, launch: Launch) -> Iterator[str]:
    if not launch.has(flag):
        return
    if wanted == "off":
        yield f"{flag} counts"
        return
    given = launch.value(flag)
    if wanted and given is not None and not _same(wanted.strip("\"'"), given):
        yield f"{flag} {given} counts"


def _update(left: Left, launch: Launch, others: Mapping[str, Left]) -> Iterator[str]:
    """The samples of an update."""
    given, samples = launch.value(_GLOBAL), launch.value(_PER_PROMPT)
    if samples is None and not launch.has(_PER_PROMPT):
        samples = _shown(others[SAMPLES]) if SAMPLES in others else "1"
    prompts = _shown(left)
    known = given is not None and samples is not None and samples.isdigit() and prompts.isdigit()
    if known and given != str(int(prompts) * int(samples or "1")):
        yield f"{_GLOBAL} {given} counts"


def _gpus(launch: Launch, others: Mapping[str, Left]) -> Iterator[str]:
    """All GPUs of all machines, where both roles take turns on them."""
    per_node, nodes = (_shown(others[key]) if key in others else "1" for key in (PER_NODE, NODES))
    if launch.mode != "colocate" or PER_NODE not in others or not (per_node.isdigit() and nodes.isdigit()):
        return
    try:
        count = json.loads(launch.value(_RESOURCE) or "")["actor"][1]
    except (ValueError, LookupError, TypeError):
        return
    if count != int(per_node) * int(nodes):
        yield f"{_RESOURCE} {launch.value(_RESOURCE)} counts"


def _shown(left: Left) -> str:
    """A value that is known, as text."""
    value = left.value
    if isinstance(value, (bool, list, dict, Template)) or value is None:
        return ""
    return value if isinstance(value, str) else str(value)


def _same(one: str, other: str) -> bool:
    """Whether two texts say the same: as numbers, or of paths the last part, as the rest is another machine's."""
    try:
        return float(one) == float(other)
    except ValueError:
        return one.rstrip("/").rpartition("/")[2] == other.rstrip("/").rpartition("/")[2]
