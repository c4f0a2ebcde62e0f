"""The faults: what happens in front of a system call."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from tools.faults.judging import faults_of, faults_of_second
from tools.faults.supervisor import KILL, Call
from tools.faults.table import Row
from tools.faults.trees import finished
from tools.faults.trial import Outcome, Trial

_TIDYING = ("unlink", "unlinkat", "rmdir")
_REFUSALS: Mapping[str, tuple[int, tuple[str, ...]]] = {
    "disk full": (errno.ENOSPC, ("open", "openat", "write", "pwrite64", "writev", "fsync", "fdatasync", "rename",
                                 "renameat", "renameat2", "link", "linkat", "mkdir", "mkdirat", "ftruncate")),
    "quota": (errno.EDQUOT, ("open", "openat", "write", "pwrite64", "fsync", "mkdir", "mkdirat", "link", "linkat")),
    "disk broken": (errno.EIO, ("open", "openat", "write", "pwrite64", "fsync", "rename", "renameat", "renameat2",
                                "link", "linkat", "unlink", "unlinkat", "fchmod", "fchown", "mkdir", "mkdirat")),
    "read-only": (errno.EROFS, ("open", "openat", "rename", "renameat", "renameat2", "link", "linkat", "unlink",
                                "unlinkat", "mkdir", "mkdirat", "chmod", "fchmod", "fchown")),
    "forbidden": (errno.EACCES, ("open", "openat", "rename", "renameat", "renameat2", "link", "linkat", "unlink",
                                 "unlinkat", "mkdir", "mkdirat", "chmod", "fchmod", "fchown", "fsetxattr")),
}  # fmt: skip
"""Errors, and the calls that the system refuses with them."""

Try: TypeAlias = Callable[[Trial, "int | None"], Row]


def spread(calls: Sequence[Call], most: int | None) -> list[Call]:
    """At most so many of them, from all over the run."""
    if most is None or len(calls) <= most:
        return list(calls)
    return [calls[round(place * (len(calls) - 1) / (most - 1))] for place in range(most)] if most > 1 else [calls[-1]]


def _state(trial: Trial, outcome: Outcome) -> str:
    tree = finished(outcome.tree)
    return "old" if tree == trial.before else "new" if tree == trial.after else "part"


def _judge(trial: Trial, row: Row, at: Call, outcome: Outcome, found: Iterator[str]) -> None:
    row.tried += 1
    row.calls[at.name] += 1
    row.left[_state(trial, outcome)] += 1
    faults = list(found)
    second = trial.run(lambda call: None, fresh=False)
    faults_then = list(faults_of_second(trial, second))
    row.completed += not faults_then
    row.faults += [f"at {at.number} {_shortly(trial, at)}: {fault}" for fault in (*faults, *faults_then)]


def _shortly(trial: Trial, call: Call) -> str:
    return str(call).replace(f"{trial.root}/", "")


def _killed(trial: Trial, most: int | None) -> Row:
    row = Row(trial.scenario.name, "kill")
    for at in spread(trial.clean.calls, most):
        outcome = trial.run(partial(_at, at.number, KILL))
        _judge(trial, row, at, outcome, faults_of(trial, outcome, may_leave=True))
    return row


def _refused(kind: str, trial: Trial, most: int | None) -> Row:
    number, names = _REFUSALS[kind]
    row = Row(trial.scenario.name, kind)
    for at in spread([call for call in trial.clean.calls if call.name in names], most):
        outcome = trial.run(partial(_at, at.number, number))
        _judge(trial, row, at, outcome, faults_of(trial, outcome, may_leave=at.name in _TIDYING))
    return row


def _refused_from(trial: Trial, most: int | None) -> Row:
    """From a call on there is no more space for anything: taking back must not need any."""
    row = Row(trial.scenario.name, "full from here on")
    number, _ = _REFUSALS["disk full"]
    needing = [call for call in trial.clean.calls if call.name in ("open", "openat", "write", "pwrite64", "mkdir")]
    for at in spread(needing, most):
        outcome = trial.run(partial(_from, at.number, number, ("open", "openat", "write", "pwrite64", "mkdir", "link")))
        _judge(trial, row, at, outcome, faults_of(trial, outcome, may_leave=False))
    return row


def _at(count: int, answer: int, call: Call) -> int | None:
    return answer if call.number == count else None


def _from(count: int, answer: int, names: Sequence[str], call: Call) -> int | None:
    return answer if call.number >= count and call.name in names else None


KINDS: Mapping[str, Try] = {
    "kill": _killed,
    **{kind: partial(_refused, kind) for kind in _REFUSALS},
    "full from here on": _refused_from,
}
