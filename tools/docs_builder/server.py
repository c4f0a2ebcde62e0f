"""Runs relax-lint for many commands in a row: a process that has loaded it once has a child of its own run each.

The ``relax-lint`` that sessions find in their PATH hands its words, directory, environment and streams to it, and ends
as the child does. All that is saved is what each command would load anew.
"""

from __future__ import annotations

import contextlib
import json
import os
import pkgutil
import select
import socket
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import relax_lint
from relax_lint.cli import program
from relax_lint.engine import lint
from relax_lint.project import Project
from relax_lint.rules import load_rules

CLIENT = """\
#!{python} -SE
import json, os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect({socket!r})
told = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
socket.send_fds(server, [len(told).to_bytes(4, "big")], [0, 1, 2])
server.sendall(told)
os._exit(server.recv(1)[0])
"""
LOADED = (
    "hydra.core.override_parser.overrides_parser",
    "libcst",
    "pyarrow.parquet",
    "yaml",
)
"""What some commands import when they need it, besides the modules of the program."""
NOT_LOADED = ("relax_lint.__main__", "relax_lint.lsp")
"""What is not loaded before it is asked for: it runs as soon as it is, or no page starts it."""
RECIPE = Path(__file__).parents[2] / "tests/recipes/broken_countdown"


@contextlib.contextmanager
def served(directory: Path) -> Iterator[Path]:
    """A directory for PATH whose ``relax-lint`` is answered by a server that runs meanwhile."""
    address, programs = directory / "socket", directory / "bin"
    programs.mkdir()
    client = programs / "relax-lint"
    client.write_text(CLIENT.format(python=sys.executable, socket=str(address)), encoding="utf-8")
    client.chmod(0o755)
    command = [sys.executable, "-m", __name__, str(address)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        server.stdout.readline()
        yield programs
        server.communicate()


def serve(address: str) -> None:
    """Answer commands until standard input ends."""
    own = (module.name for module in pkgutil.walk_packages(relax_lint.__path__, "relax_lint."))
    for name in (*LOADED, *(name for name in own if not name.startswith(NOT_LOADED))):
        import_module(name)
    lint(Project(RECIPE), load_rules())  # tables are read, and patterns compiled, the first time that they are needed
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen()
        print("ready", flush=True)
        while sys.stdin not in select.select([listening, sys.stdin], [], [])[0]:
            connection, _ = listening.accept()
            if os.fork() == 0:
                _answer(connection)
            connection.close()
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass


def _answer(connection: socket.socket) -> None:
    """Run a command in a child, and say how it ended."""
    size, streams, _, _ = socket.recv_fds(connection, 4, 3)
    told = b""
    while len(told) < int.from_bytes(size, "big"):
        told += connection.recv(1 << 16)
    child = os.fork()
    if child == 0:
        connection.close()
        _run(streams, *json.loads(told))
    _, status = os.waitpid(child, 0)
    connection.sendall(bytes([os.waitstatus_to_exitcode(status) & 0xFF]))
    os._exit(0)


def _run(streams: list[int], words: list[str], directory: str, environment: dict[str, str]) -> None:
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    # What the streams know of the files that they were opened for is true no more.
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 -- these stay open to the end
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, encoding="utf-8", closefd=False)  # noqa: SIM115
    os.chdir(directory)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["relax-lint", *words]
    program()


if __name__ == "__main__":
    serve(sys.argv[1])
