"""Run a program with a say in its system calls: each is seen before it happens, and let go, refused, or its last.

The kernel asks (seccomp's user notifications, Linux 5.5 and newer, no privilege needed): nothing is traced, replaced or
simulated, and every process that the program starts is asked about, too.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import platform
import select
import signal
import socket
import struct
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

from tools.faults.calls import CALLS

_PR_SET_NO_NEW_PRIVS = 38
_SET_MODE_FILTER, _NEW_LISTENER = 1, 1 << 3
_SECCOMP = {"x86_64": 317, "aarch64": 277}
_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_CONTINUE = 1
_NOTICE, _ANSWER = struct.Struct("<QIIiIQ6Q"), struct.Struct("<QqiI")

_LOAD, _IS, _HAS, _RETURN = 0x20, 0x15, 0x45, 0x06
_ASK, _ALLOW = 0x7FC00000, 0x7FFF0000
_NUMBER, _FIRST_ARGUMENT = 0, 16
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC

KILL = -1
"""The answer that ends the program in place of the call."""


class Call(NamedTuple):
    """A system call that is about to happen; it is told with its paths as the program gives them, and those of
    descriptors as the system knows them."""

    number: int
    name: str
    told: tuple[str, ...]
    process: int = 0

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.told)})"


@dataclass(slots=True)
class Ended:
    """How a program ended: its status, negative for the signal that ended it."""

    status: int
    calls: list[Call] = field(default_factory=list)


Decide = Callable[[Call], "int | None"]
"""What becomes of a call: ``None`` lets it go, an errno refuses it, :data:`KILL` ends the program."""


def supervised(program: Callable[[], int], names: Iterable[str], decide: Decide) -> Ended:
    """Run a function in a process of its own and decide about its calls of these names. An ``open`` counts that may
    write."""
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        ours.close()
        _be_supervised(program, _filter(names), theirs)
    theirs.close()
    _, descriptors, _, _ = socket.recv_fds(ours, 1, 1)
    ours.close()
    if not descriptors:
        os.waitpid(child, 0)
        raise OSError("this system does not let a process decide about the calls of another")
    listener = descriptors[0]
    ended = Ended(0)
    try:
        _answer_all(listener, child, decide, ended.calls)
    except BaseException:
        _kill(child)
        raise
    finally:
        os.close(listener)
        _, status = os.waitpid(child, 0)
        ended.status = os.waitstatus_to_exitcode(status)
    return ended


def _be_supervised(program: Callable[[], int], rules: bytes, theirs: socket.socket) -> NoReturn:
    status = 70
    try:
        os.setsid()
        socket.send_fds(theirs, [b"."], [_listener(rules)])
        theirs.close()
        status = program()
    except SystemExit as leaving:
        status = leaving.code if isinstance(leaving.code, int) else 1
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):
                status = status or 1
        os._exit(status)


def _listener(rules: bytes) -> int:
    """Be asked about from now on; the descriptor of whoever answers."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    code = ctypes.create_string_buffer(rules, len(rules))
    program = struct.pack("@HxxxxxxP", len(rules) // 8, ctypes.addressof(code))
    listener: int = libc.syscall(_SECCOMP[platform.machine()], _SET_MODE_FILTER, _NEW_LISTENER, program)
    if listener < 0:
        raise OSError(ctypes.get_errno(), "seccomp")
    return listener


def _filter(names: Iterable[str]) -> bytes:
    """The instructions by which the kernel knows the calls that it is to ask about."""
    machine = platform.machine()
    code: list[tuple[int, int, int, int]] = [(_LOAD, 0, 0, _NUMBER)]
    for name in names:
        call = CALLS[name]
        number = call.numbers.get(machine)
        if number is None:
            continue
        if call.flags is None:
            code += [(_IS, 0, 1, number), (_RETURN, 0, 0, _ASK)]
        else:
            flags = _FIRST_ARGUMENT + 8 * call.flags
            code += [(_IS, 0, 4, number), (_LOAD, 0, 0, flags), (_HAS, 0, 1, _WRITES)]
            code += [(_RETURN, 0, 0, _ASK), (_RETURN, 0, 0, _ALLOW)]
    code.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("<HBBI", *one) for one in code)


def _answer_all(listener: int, child: int, decide: Decide, calls: list[Call]) -> None:
    """Answer until nobody is left who could ask."""
    by_number = {
        number: name for name, call in CALLS.items() if (number := call.numbers.get(platform.machine())) is not None
    }
    waiting = select.poll()
    waiting.register(listener, select.POLLIN)
    killed = False
    while True:
        [(_, event)] = waiting.poll()
        if not event & select.POLLIN:
            return
        notice = bytearray(_NOTICE.size)
        try:
            fcntl.ioctl(listener, _RECEIVE, notice)
        except OSError as gone:
            if gone.errno in (errno.ENOENT, errno.EINTR):
                continue
            raise
        ask, pid, _, number, _, _, *arguments = _NOTICE.unpack(notice)
        name = by_number[number]
        call = Call(len(calls), name, tuple(_told(pid, CALLS[name].shape, arguments)), pid)
        answer = None if killed else decide(call)
        calls.append(call)
        if answer == KILL:
            killed = True
            _kill(child)
            continue
        reply = _ANSWER.pack(ask, 0, 0, _CONTINUE) if answer is None else _ANSWER.pack(ask, 0, -answer, 0)
        try:
            fcntl.ioctl(listener, _SEND, reply)
        except OSError as gone:
            if gone.errno != errno.ENOENT:
                raise


def _kill(child: int) -> None:
    """End a program with all that it has started."""
    for end in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError):
            end(child, signal.SIGKILL)


def _told(pid: int, shape: str, arguments: Sequence[int]) -> list[str]:
    return [
        _text(pid, argument) if letter == "p" else _descriptor(pid, argument)
        for letter, argument in zip(shape, arguments, strict=False)
        if letter in "pf"
    ]


def _text(pid: int, address: int) -> str:
    """A string in the memory of another process."""
    found = bytearray()
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:  # noqa: PTH123 -- a path of the system's
        while b"\0" not in found and len(found) < os.pathconf("/", "PC_PATH_MAX"):
            end = (address + len(found) | 0xFFF) + 1  # the next page may not be there
            try:
                memory.seek(address + len(found))
                found += memory.read(end - address - len(found))
            except (OSError, OverflowError):
                return "?"
    return os.fsdecode(bytes(found.partition(b"\0")[0]))


def _descriptor(pid: int, number: int) -> str:
    try:
        return os.readlink(f"/proc/{pid}/fd/{number & 0xFFFFFFFF}")  # noqa: PTH115 -- it may be a name like pipe:[1]
    except OSError:
        return str(number)
