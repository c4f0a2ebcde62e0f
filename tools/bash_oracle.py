"""Ask real bash what a script launches, without launching anything.

Every outside command is replaced: programs that launch training (``python3``, ``ray`` …) write down their words,
wrappers (``nohup``, ``timeout`` …) run what they wrap, text programs (``sed``, ``cut`` …) stay real, and all others
do nothing. A script sees a copy-on-write view of the file system that is thrown away after its run, no network and
no processes but its own. Linux and root are needed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TypeVar

Answer = TypeVar("Answer")

RECORDED = ("python", "python3", "ray", "torchrun", "accelerate", "sbatch")
REAL = (
    *(
        "dirname",
        "basename",
        "realpath",
        "readlink",
        "cat",
        "head",
        "tail",
        "wc",
        "sort",
        "uniq",
        "paste",
        "rev",
        "tee",
    ),
    *("tr", "cut", "grep", "sed", "awk", "seq", "expr", "printf", "env"),
)
SILENT = (
    *("pkill", "kill", "killall", "sleep", "rm", "mv", "cp", "mkdir", "rmdir", "touch", "chmod", "chown", "ls", "find"),
    *("nvidia-smi", "rocm-smi", "npu-smi", "nproc", "lscpu", "free", "ps", "pgrep", "lsof", "ss", "netstat", "ip"),
    *("pip", "pip3", "conda", "apt", "apt-get", "sudo", "docker", "kubectl", "git", "wget", "ssh", "scp", "ifconfig"),
    *("aws", "gsutil", "hdfs", "hf", "huggingface-cli", "modelscope", "jq", "tar", "unzip", "tmux", "mpirun", "ulimit"),
    *("sysctl", "stat", "df", "du", "scontrol", "squeue", "sinfo", "ibstat", "tput", "clear", "source-highlight"),
)
ANSWERS = {
    "date": "@DATE@", "hostname": "host", "whoami": "user", "uname": "Linux", "id": "0", "mktemp": "/tmp/mktemp",
}  # fmt: skip
PLAIN_ANSWERS = {"curl": "200"}
"""Answers without an end of line."""
ENVIRONMENT = {"HOME": "/home/user", "USER": "user", "LANG": "C.UTF-8", "TERM": "dumb"}


def _pass_options(with_value: str = "") -> str:
    """Shell text that drops options; those named take the next word too."""
    longer = f"{with_value}) shift 2;; " if with_value else ""
    return f'while :; do case "$1" in {longer}-*) shift;; *) break;; esac; done'


_PASS_UNTIL_PROGRAM = (
    'while [ $# -gt 0 ]; do case "${1##*/}" in python*|ray|torchrun|accelerate) break;; esac; shift; done'
)
WRAPPERS = {
    "nohup": "",
    "stdbuf": _pass_options("-i|-o|-e"),
    "setsid": _pass_options(),
    "timeout": _pass_options("-k|-s|--kill-after|--signal") + "; shift",
    "numactl": _PASS_UNTIL_PROGRAM,
    "nsys": _PASS_UNTIL_PROGRAM,
    "srun": _PASS_UNTIL_PROGRAM,
}
_RUN_IF_RECORDED = (
    'case "${1##*/}" in python*|ray|torchrun|accelerate|bash|sh|env|nohup|stdbuf|numactl) exec "$@";; esac; exit 1'
)


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a script. ``directories`` and ``files`` are made before it starts."""

    script: Path
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    cwd: Path | None = None
    directories: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run did: its status (``None`` when it was cut off), its launches in order, what it said."""

    status: int | None
    launches: tuple[tuple[str, ...], ...]
    errors: str


class Oracle:
    """The stubs, made once, and the runs that use them."""

    def __init__(self, seconds: float = 60) -> None:
        self.seconds = seconds
        self.folder = Path()

    def __enter__(self) -> Oracle:
        self.folder = Path(tempfile.mkdtemp(prefix="bash-oracle-"))
        self.programs.mkdir()
        _write_stubs(self.programs)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self.folder)

    @property
    def programs(self) -> Path:
        """What stands in ``PATH``."""
        return self.folder / "bin"

    def environment(self, run: Run) -> dict[str, str]:
        """The whole environment that a run starts with."""
        return {"PATH": str(self.programs), **ENVIRONMENT, **run.environment}

    def ask(self, run: Run) -> Outcome:
        """Run one script."""
        own = Path(tempfile.mkdtemp(dir=self.folder))
        record = own / "record"
        record.touch()
        try:
            return self._ask(run, own, record)
        finally:
            shutil.rmtree(own, ignore_errors=True)

    def each(self, ask: Callable[[Run], Answer], runs: Iterable[Run]) -> Iterator[Answer]:
        """Ask about many runs, some at a time; answers come in order."""
        with ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
            yield from pool.map(ask, runs)

    def _ask(self, run: Run, own: Path, record: Path) -> Outcome:
        script = run.script.absolute()
        exports = [f"{name}={value}" for name, value in self.environment(run).items()]
        command = [
            "unshare",
            "--mount",
            "--pid",
            "--net",
            "--fork",
            "--kill-child",
            "--mount-proc",
            "/bin/bash",
            "-c",
            _ENTER,
            "oracle",
        ]
        command += [str(own), str(self.folder), str(run.cwd or script.parent)]
        command += [str(len(run.directories)), *run.directories, str(len(run.files)), *run.files]
        command += [*exports, "/bin/bash", str(script), *run.arguments]
        status: int | None = None
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, timeout=self.seconds, check=False
            )
            status, errors = done.returncode, done.stderr
        except subprocess.TimeoutExpired as expired:
            errors = expired.stderr or b""
        return Outcome(status, read_record(record.read_bytes()), errors.decode("utf-8", "replace"))


def read_record(data: bytes) -> tuple[tuple[str, ...], ...]:
    """The launches in a record: each is its words, ended by NUL, and a mark."""
    text = data.decode("utf-8", "surrogateescape")
    return tuple(tuple(part.split("\0")[:-1]) for part in text.split("\1\0") if part)


_ENTER = r"""
set -e
own=$1 shared=$2 work=$3
shift 3
# A descriptor takes the record: a path in the environment could be seen by the script.
exec 9>>"$own/record"
mount -t tmpfs none "$own"
mkdir "$own/upper" "$own/spare" "$own/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$own/upper,workdir=$own/spare" "$own/root"
root=$own/root
mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --bind "$shared" "$root$shared"
count=$1; shift
for ((; count > 0; count--)); do mkdir -p "$root$1"; shift; done
count=$1; shift
for ((; count > 0; count--)); do mkdir -p "$root${1%/*}"; : >>"$root$1"; shift; done
exec chroot "$root" /usr/bin/env -C "$work" -i "$@"
"""


def _write_stubs(folder: Path) -> None:
    for name in REAL:
        found = shutil.which(name)
        if found:
            (folder / name).symlink_to(found)
    for name in ("bash", "sh"):
        _write_stub(folder, name, 'exec /bin/bash "$@"')
    for name in SILENT:
        _write_stub(folder, name, "exit 0")
    for name, answer in ANSWERS.items():
        _write_stub(folder, name, f"echo {answer}")
    for name, answer in PLAIN_ANSWERS.items():
        _write_stub(folder, name, f"printf %s {answer}")
    for name, skip in WRAPPERS.items():
        _write_stub(folder, name, f"{skip}\n{_RUN_IF_RECORDED}")
    write_recorders(folder)


def write_recorders(folder: Path) -> None:
    """Programs that write their words to descriptor 9."""
    for name in RECORDED:
        _write_stub(folder, name, f"printf '%s\\0' {name} \"$@\" '\1' >&9")


def _write_stub(folder: Path, name: str, body: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
