"""The faults: what happens in front of a system call."""

from __future__ import annotations

import errno
import os
import resource
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

from tools.faults.judging import MARK, faults_of, faults_of_changed, faults_of_lost, faults_of_second
from tools.faults.supervisor import KILL, Call
from tools.faults.table import Row
from tools.faults.trees import finished, unfinished
from tools.faults.trial import Outcome, Trial, let_go

_NOBODY = 65534
_FOR_WORDS = 200
"""Bytes that standard error may need, which is a file, too."""
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
    return [calls[(2 * place + 1) * len(calls) // (2 * most)] for place in range(most)]


def _state(trial: Trial, outcome: Outcome) -> str:
    tree = finished(outcome.tree)
    return "old" if tree == trial.before else "new" if tree == trial.after else "part"


def _judge(trial: Trial, row: Row, at: Call, outcome: Outcome, found: Iterator[str]) -> None:
    row.add(_state(trial, outcome), at.name)
    faults = list(found)
    second = trial.run(let_go, fresh=False)
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


def _limited(trial: Trial, most: int | None) -> Row:
    """Files may not grow beyond a size: writes come to an end in the middle."""
    row = Row(trial.scenario.name, "files limited")
    sizes = sorted({len(trial.after[name].content or b"") for name in trial.touched if name in trial.after})
    limits = sorted({_FOR_WORDS, *(cut for size in sizes for cut in (size // 2, size - 1) if cut > _FOR_WORDS)})
    for limit in limits if most is None else limits[:: max(1, len(limits) // most)]:

        def limited(limit: int = limit) -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))

        outcome = trial.run(let_go, within=limited)
        at = Call(limit, "a limit of bytes", ())
        _judge(trial, row, at, outcome, faults_of(trial, outcome, may_leave=False))
    return row


def _write_protected(what: str, trial: Trial, most: int | None) -> Row:
    """A file, or the directory that it is in, may not be written by the user, who is nobody special."""
    row = Row(trial.scenario.name, f"{what} protected")
    for name in [name for name in trial.touched if name in trial.before][:most]:
        trial.fresh()
        as_nobody = os.geteuid() == 0
        if as_nobody:
            for path in (trial.root, *trial.root.rglob("*")):
                os.chown(path, _NOBODY, _NOBODY, follow_symlinks=False)
        protected = trial.root / name if what == "file" else (trial.root / name).parent
        mode, before = protected.stat().st_mode, _inside(protected)
        protected.chmod(mode & ~0o222)
        outcome = trial.run(let_go, fresh=False, within=_be_nobody if as_nobody else None)
        row.add(_state(trial, outcome), f"a protected {what}")
        found = [] if outcome.status else ["exit status 0"]
        if _inside(protected) != before:
            found.append("it is changed")
        if "Traceback" in outcome.said or unfinished(outcome.tree):
            found.append(f"{unfinished(outcome.tree)} are left, and said is {outcome.said[-300:]}")
        protected.chmod(mode)
        second = finished(trial.run(let_go, fresh=False).tree)
        if {each: entry.content for each, entry in second.items()} != {
            each: entry.content for each, entry in trial.after.items()
        }:
            found.append("the second run does not complete it")
        row.completed += not found
        row.faults += [f"{name}: {fault}" for fault in found]
    return row


def _inside(path: Path) -> object:
    return sorted(path.iterdir()) if path.is_dir() else path.read_bytes()


def _be_nobody() -> None:
    os.setgroups([])
    os.setgid(_NOBODY)
    os.setuid(_NOBODY)


def _at(count: int, answer: int, call: Call) -> int | None:
    return answer if call.number == count else None


def _from(count: int, answer: int, names: Sequence[str], call: Call) -> int | None:
    return answer if call.number >= count and call.name in names else None


def _interrupted(trial: Trial, most: int | None) -> Row:
    """The user presses Ctrl-C."""
    row = Row(trial.scenario.name, "interrupt")
    for at in spread(trial.clean.calls, most):

        def press(call: Call, at: Call = at) -> None:
            if call.number == at.number:
                os.kill(call.process, signal.SIGINT)

        outcome = trial.run(press)
        _judge(trial, row, at, outcome, faults_of(trial, outcome, may_leave=at.name in _TIDYING))
    return row


def _killed_without_exchange(trial: Trial, most: int | None) -> Row:
    """A file system that cannot exchange two files."""
    row = Row(trial.scenario.name, "kill, no exchange")

    def unable(call: Call) -> int | None:
        return errno.EINVAL if call.name == "renameat2" else None

    for at in spread(trial.run(unable).calls, most):
        outcome = trial.run(lambda call, at=at: KILL if call.number == at.number else unable(call))  # type: ignore[misc]
        _judge(trial, row, at, outcome, faults_of(trial, outcome, may_leave=True))
    return row


def _changed_meanwhile(way: str, trial: Trial, most: int | None) -> Row:
    """Another program writes one of the files."""
    row = Row(trial.scenario.name, f"another writes {way}")
    victims = [name for name in trial.touched if name not in trial.scenario.words and not name.endswith(".orig")]
    for at in spread(trial.clean.calls, most) if victims else ():
        victim = victims[at.number % len(victims)]

        def write(call: Call, at: Call = at, victim: str = victim) -> None:
            if call.number == at.number:
                _write(trial.root / victim, way)

        outcome = trial.run(write)
        second = trial.run(let_go, fresh=False)
        row.add(_state(trial, outcome), at.name)
        found = [*faults_of_changed(trial, outcome, victim), *faults_of_lost(second, victim)]
        row.completed += not found
        row.faults += [f"at {at.number} {_shortly(trial, at)}: {fault}" for fault in found]
    return row


def _write(path: Path, way: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    before = path.read_bytes() if path.exists() else b""
    if way == "in place":
        with path.open("ab") as stream:
            stream.write(MARK)
        return
    new = path.with_name("new")
    new.write_bytes(before + MARK)
    new.replace(path)


def _beside(trial: Trial, most: int | None) -> Row:
    """The same command is run at the same time."""
    row = Row(trial.scenario.name, "the same beside")
    for at in spread(trial.clean.calls, most):
        children: list[int] = []

        def start(call: Call, at: Call = at, children: list[int] = children) -> None:
            if call.number == at.number:
                children.append(trial.beside())

        first = trial.run(start)
        other = trial.ended(children[0])
        row.add(_state(trial, other), at.name)
        found = list(faults_of_second(trial, other))
        if first.status not in (trial.clean.status, trial.again.status):
            found.append(f"exit status {first.status}: {first.said[-300:]}")
        row.completed += not found
        row.faults += [f"at {at.number} {_shortly(trial, at)}: {fault}" for fault in found]
    return row


def _checked_beside(trial: Trial, most: int | None) -> Row:
    """A check at the same time, which remembers what it finds."""
    row = Row(trial.scenario.name, "check beside")
    for at in spread(trial.clean.calls, most):
        found: list[str] = []

        def check(call: Call, at: Call = at, found: list[str] = found) -> None:
            if call.number == at.number:
                checked = trial.ended(trial.beside(("check", ".")))
                if checked.status not in (0, 1) or "Traceback" in checked.said:
                    found.append(f"the check has exit status {checked.status}: {checked.said[-300:]}")

        outcome = trial.run(check)
        row.add(_state(trial, outcome), at.name)
        found += faults_of_second(trial, outcome)
        remembered, anew = (trial.ended(trial.beside(("check", ".", *more))) for more in ((), ("--no-cache",)))
        if (remembered.status, remembered.said) != (anew.status, anew.said):
            found.append("what is remembered is not what a check says")
        row.completed += not found
        row.faults += [f"at {at.number} {_shortly(trial, at)}: {fault}" for fault in found]
    return row


KINDS: Mapping[str, Try] = {
    "kill": _killed,
    "kill, no exchange": _killed_without_exchange,
    "interrupt": _interrupted,
    **{kind: partial(_refused, kind) for kind in _REFUSALS},
    "full from here on": _refused_from,
    **{f"another writes {way}": partial(_changed_meanwhile, way) for way in ("in place", "by renaming")},
    "the same beside": _beside,
    "check beside": _checked_beside,
    "files limited": _limited,
    **{f"{what} protected": partial(_write_protected, what) for what in ("file", "directory")},
}
