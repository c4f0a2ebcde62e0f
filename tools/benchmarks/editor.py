"""How long the language server takes to answer a change in one file of a recipe, beside parsing what that touches.

A client speaks to the real program over pipes: it opens a file, types into it, and asks for its findings at once, as
editors that ask do. What is typed is another number each time, in the middle of the file. The peer parses the files of
the same recipe in a program that runs already, with `ast` and tree-sitter, once for each change.
"""

from __future__ import annotations

import ast
import json
import os
import re
import statistics
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, BinaryIO

PARSER = """\
import ast, sys, time, tree_sitter, tree_sitter_bash
parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))
for line in sys.stdin:
    began = time.perf_counter()
    for path in line.rstrip("\\n").split("\\t"):
        with open(path, "rb") as stream:
            data = stream.read()
        ast.parse(data) if path.endswith(".py") else parser.parse(data)
    print(time.perf_counter() - began, flush=True)
"""
_TYPED = {".py": "{}typed = {}\n", ".sh": "{}TYPED={}\n"}
_WARM_UP = 3


@dataclass(frozen=True)
class Answered:
    """A file that was typed into: seconds until the answer, and those that parsing its recipe takes."""

    path: str
    where: str
    files: int
    answer: float
    parsing: float


class Client:
    """Just enough of the protocol: whole texts, and one question at a time."""

    def __init__(self, command: Sequence[str | Path], root: Path, environ: Mapping[str, str]) -> None:
        pipe = subprocess.PIPE
        self._program = subprocess.Popen(
            command, cwd=root, env=environ, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
        )
        self._number = 0
        capabilities: dict[str, Any] = {"textDocument": {"diagnostic": {}}}
        self.ask("initialize", {"processId": None, "rootUri": root.as_uri(), "capabilities": capabilities})
        self.tell("initialized", {})

    def tell(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: Mapping[str, Any] | None) -> Any:
        """Send a request, and wait for its answer."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            message = self._receive()
            if message.get("id") == self._number and "method" not in message:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]

    def leave(self) -> None:
        """End the session."""
        self.ask("shutdown", None)
        self.tell("exit", {})
        with self._program:  # which closes its pipes
            self._program.wait(30)
        if self._program.returncode:
            raise RuntimeError(f"the language server left with {self._program.returncode}")

    def _send(self, content: Mapping[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **content}).encode()
        stream = self._stream(self._program.stdin)
        stream.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        stream.flush()

    def _receive(self) -> dict[str, Any]:
        stream = self._stream(self._program.stdout)
        length = 0
        while line := stream.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if not length:
            raise RuntimeError("the language server went away")
        message: dict[str, Any] = json.loads(stream.read(length))
        return message

    @staticmethod
    def _stream(stream: object) -> BinaryIO:
        return stream  # type: ignore[return-value]


def recipes(corpus: Path) -> Iterator[tuple[list[Path], list[Path]]]:
    """The files that a change in a recipe touches, its own and the scripts that its launchers source; and those which
    are typed into: its first launcher, and its first reward."""
    from relax_lint.config import Configuration
    from relax_lint.project import Project

    project = Project(corpus, Configuration().settings_for(corpus))
    for recipe in project.recipes:
        launchers = [launcher for launcher in recipe.launchers if launcher.launches]
        if not launchers:
            continue
        python = [source.path for source in recipe.python]
        sourced = [script.path for launcher in recipe.launchers for script in launcher.evaluation.sourced]
        files = dict.fromkeys([*python, *(launcher.path for launcher in recipe.launchers), *sourced])
        rewards = [path for path in python if "reward" in path.name]
        yield list(files), [launchers[0].path, *rewards[:1]]


def measure(server: Sequence[str | Path], parser: Path, corpus: Path, cache: Path, rounds: int) -> list[Answered]:
    """Type into files of every recipe, and parse the recipe each time."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environ["XDG_CACHE_HOME"] = str(cache)
    pipe = subprocess.PIPE
    parsing = subprocess.Popen([parser, "-c", PARSER], env=environ, stdin=pipe, stdout=pipe, text=True, bufsize=1)
    assert parsing.stdin is not None
    assert parsing.stdout is not None
    found = []
    client = Client(server, corpus, environ)
    for files, typed in recipes(corpus):
        line = "\t".join(map(str, files)) + "\n"
        for path in typed:
            name, text = path.relative_to(corpus).as_posix(), path.read_text(encoding="utf-8")
            for where, at in spots(path, text):
                taken, parses = [], []
                for number, answer in enumerate(answers(client, path, text, at, _WARM_UP + rounds)):
                    parsing.stdin.write(line)
                    parse = float(parsing.stdout.readline())
                    if number >= _WARM_UP:
                        taken.append(answer)
                        parses.append(parse)
                found.append(Answered(name, where, len(files), statistics.median(taken), statistics.median(parses)))
    client.leave()
    with parsing:
        pass  # it ends when nothing more is said
    return found


def answers(client: Client, path: Path, text: str, at: int, rounds: int) -> Iterator[float]:
    """Seconds from each change of a file, in front of one of its lines, to the answer."""
    uri, lines = path.as_uri(), text.splitlines(keepends=True)
    indent = re.match(r"\s*", lines[at])[0] if at < len(lines) else ""  # type: ignore[index]
    before, after = "".join(lines[:at]), "".join(lines[at:])
    client.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "", "version": 0, "text": text}})
    for number in range(rounds):
        changed = before + _TYPED[path.suffix].format(indent, number) + after
        document = {"uri": uri, "version": number + 1}
        began = perf_counter()
        client.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": changed}]})
        client.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        yield perf_counter() - began
    client.tell("textDocument/didClose", {"textDocument": {"uri": uri}})


def spots(path: Path, text: str) -> Iterator[tuple[str, int]]:
    """Where is typed into a file: in front of which line, counted from 0."""
    lines = text.splitlines()
    middle = range(len(lines) // 2, len(lines))
    begins = (at for at in middle if not lines[at - 1].strip() and lines[at][:1].isalpha())
    if path.suffix != ".py":
        yield "between commands", next(begins, len(lines))
        return
    functions = [node for node in ast.parse(text).body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    statements = (part.lineno - 1 for each in functions for part in each.body)
    yield "in a function", min(statements, key=lambda at: abs(at - middle.start))
    yield "between functions", next(begins, len(lines))


def worst(found: Iterable[Answered]) -> Answered:
    """The answer that takes longest beside its recipe."""
    return max(found, key=lambda each: each.answer / each.parsing)
