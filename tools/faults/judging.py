"""What must hold after a run in which something went wrong."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator

from relax_lint.replacing import CHANGED
from tools.faults.trees import Entry, finished, unfinished
from tools.faults.trial import Outcome, Trial

_INTERRUPTED = 130
MARK = b"\n# written by another program\n"


def faults_of(trial: Trial, outcome: Outcome, *, may_leave: bool) -> Iterator[str]:
    """What is wrong with what a run left; ``may_leave`` says whether it had no way to tidy up."""
    tree = finished(outcome.tree)
    names = sorted({*trial.before, *trial.after, *tree})
    for name in names:
        if tree.get(name) not in (trial.before.get(name), trial.after.get(name)):
            yield f"{name} is neither old nor new: {_told(tree.get(name))}"
    new = [name for name in names if trial.before.get(name) != trial.after.get(name) == tree.get(name)]
    old = [name for name in names if trial.before.get(name) == tree.get(name) != trial.after.get(name)]
    for name in new:
        kept = f"{name}.orig"
        if name in trial.before and kept in trial.after and kept not in tree:
            yield f"{name} is lost: {kept} is not there"
    if outcome.was_killed:
        return
    if not may_leave and unfinished(outcome.tree):
        yield f"left behind: {', '.join(unfinished(outcome.tree))}"
    if old and outcome.status == trial.clean.status and outcome.status != 2:
        yield f"exit status {outcome.status}, though {', '.join(old)} is as it was"
    if "Traceback" in outcome.said:
        yield f"a traceback: {outcome.said[-300:]}"
    if old and not outcome.said.strip() and outcome.status != _INTERRUPTED:
        yield "not a word about it"
    one, other = (fnmatch.filter(each, trial.scenario.together) for each in (new, old))
    if one and other:
        yield f"half done: {', '.join(one)} new, {', '.join(other)} old"


def faults_of_second(trial: Trial, outcome: Outcome) -> Iterator[str]:
    """What is wrong with what a second run, in which nothing goes wrong, has made of what the first one left."""
    tree = finished(outcome.tree)
    for name in sorted({*trial.after, *tree}):
        if tree.get(name) != trial.after.get(name):
            yield f"the second run leaves {name} as {_told(tree.get(name))}"
    if unfinished(outcome.tree):
        yield f"the second run leaves {', '.join(unfinished(outcome.tree))}"
    if outcome.status not in (trial.clean.status, trial.again.status) and CHANGED not in outcome.said:
        yield f"the second run has exit status {outcome.status}: {outcome.said[-300:]}"


def faults_of_changed(trial: Trial, outcome: Outcome, victim: str) -> Iterator[str]:
    """What is wrong with what a run left that another program wrote to."""
    tree = finished(outcome.tree)
    for name in sorted({*trial.before, *trial.after, *tree}):
        is_its = name == victim or name.startswith(f"{victim}.orig")
        if not is_its and tree.get(name) not in (trial.before.get(name), trial.after.get(name)):
            yield f"{name} is neither old nor new: {_told(tree.get(name))}"
    yield from faults_of_lost(outcome, victim)


def faults_of_lost(outcome: Outcome, victim: str) -> Iterator[str]:
    """Whether what another program wrote is lost, or a run has left something of its own."""
    tree = finished(outcome.tree)
    its = [entry.content or b"" for name, entry in tree.items() if name == victim or name.startswith(f"{victim}.orig")]
    if not any(MARK.strip() in content for content in its):
        yield f"what another program wrote into {victim} is lost"
    if unfinished(outcome.tree):
        yield f"left behind: {', '.join(unfinished(outcome.tree))}"
    if "Traceback" in outcome.said:
        yield f"a traceback: {outcome.said[-300:]}"


def _told(entry: Entry | None) -> str:
    if entry is None:
        return "nothing"
    size = "no file" if entry.content is None else f"{len(entry.content)} bytes"
    return f"{size}, mode {entry.mode & 0o7777:o}, of {entry.owner[0]}:{entry.owner[1]}"
