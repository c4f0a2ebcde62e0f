"""The system calls that change files, start programs or speak to others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class SystemCall(NamedTuple):
    """Its number on each machine; ``shape`` has a letter for each argument that names a file: p, a path; f, an open
    file. ``flags`` is where the flags stand of one that may read as well."""

    numbers: Mapping[str, int]
    shape: str = ""
    flags: int | None = None


def _call(x86: int | None, arm: int | None, shape: str = "", flags: int | None = None) -> SystemCall:
    numbers = {machine: number for machine, number in (("x86_64", x86), ("aarch64", arm)) if number is not None}
    return SystemCall(numbers, shape, flags)


OPENING = {
    "open": _call(2, None, "p", flags=1),
    "openat": _call(257, 56, ".p", flags=2),
    "creat": _call(85, None, "p"),
}
WRITING = {
    "write": _call(1, 64, "f"),
    "pwrite64": _call(18, 68, "f"),
    "writev": _call(20, 66, "f"),
    "pwritev": _call(296, 70, "f"),
    "sendfile": _call(40, 71, "f"),
    "copy_file_range": _call(326, 285, "..f"),
    "ftruncate": _call(77, 46, "f"),
    "truncate": _call(76, 45, "p"),
    "fallocate": _call(285, 47, "f"),
    "fsync": _call(74, 82, "f"),
    "fdatasync": _call(75, 83, "f"),
}
NAMING = {
    "rename": _call(82, None, "pp"),
    "renameat": _call(264, 38, ".p.p"),
    "renameat2": _call(316, 276, ".p.p"),
    "link": _call(86, None, "pp"),
    "linkat": _call(265, 37, ".p.p"),
    "symlink": _call(88, None, ".p"),
    "symlinkat": _call(266, 36, "..p"),
    "unlink": _call(87, None, "p"),
    "unlinkat": _call(263, 35, ".p"),
    "mkdir": _call(83, None, "p"),
    "mkdirat": _call(258, 34, ".p"),
    "rmdir": _call(84, None, "p"),
    "mknod": _call(133, None, "p"),
    "mknodat": _call(259, 33, ".p"),
}
RIGHTS = {
    "chmod": _call(90, None, "p"),
    "fchmod": _call(91, 52, "f"),
    "fchmodat": _call(268, 53, ".p"),
    "chown": _call(92, None, "p"),
    "lchown": _call(94, None, "p"),
    "fchown": _call(93, 55, "f"),
    "fchownat": _call(260, 54, ".p"),
    "utimensat": _call(280, 88, ".p"),
    "setxattr": _call(188, 5, "p"),
    "lsetxattr": _call(189, 6, "p"),
    "fsetxattr": _call(190, 7, "f"),
}
STARTING = {
    "execve": _call(59, 221, "p"),
    "execveat": _call(322, 281, ".p"),
}
SPEAKING = {
    "socket": _call(41, 198),
    "socketpair": _call(53, 199),
    "connect": _call(42, 203),
    "bind": _call(49, 200),
    "listen": _call(50, 201),
    "accept": _call(43, 202),
    "accept4": _call(288, 242),
    "sendto": _call(44, 206),
    "sendmmsg": _call(307, 269),
}
PASSING_BY = {
    "io_uring_setup": _call(425, 425),
    "ptrace": _call(101, 117),
    "process_vm_writev": _call(311, 271),
}
"""Ways to have such things done that nobody would be asked about."""

CHANGING = {**OPENING, **WRITING, **NAMING, **RIGHTS}
CALLS: Mapping[str, SystemCall] = {**CHANGING, **STARTING, **SPEAKING, **PASSING_BY}
