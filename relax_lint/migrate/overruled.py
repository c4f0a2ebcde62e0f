"""What is told of a setting that goes because it does not count: a flag of the launch says otherwise, or verl itself
would not read it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from relax_lint.migrate.leftovers import MINI, NODES, PER_NODE, PROMPTS, SAMPLES, Left, meant, not_read
from relax_lint.migrate.mapping import entry
from relax_lint.migrate.values import Template, is_known

if TYPE_CHECKING:
    from relax_lint.catalog.flags import Catalogue
    from relax_lint.shell.launch import Launch

_ROLLOUT, _GLOBAL, _PER_PROMPT, _RESOURCE = (
    "--rollout-batch-size", "--global-batch-size", "--n-samples-per-prompt", "--resource",
)  # fmt: skip
_INTERVALS = {"trainer.save_freq": "--save-interval", "trainer.test_freq": "--eval-interval"}


def why_gone(left: Left, launch: Launch, others: Mapping[str, Left], catalogue: Catalogue) -> str:
    """Why a setting has no say in a launch, for its author; empty where the launch says the same, or nothing."""
    if left.deleted or others.get(left.key) is not left:
        return ""
    unread = not_read(left, launch, others)
    if unread:
        return unread
    return next(iter(_counting(left, launch, others, catalogue)), "")


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
