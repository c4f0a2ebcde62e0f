"""Editors that ask for what there is not, and answer nothing: every request is answered, and the session ends."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import pytest

from .conftest import PATIENCE

INVALID_PARAMS = -32602
SHOWS_DOCUMENTS = {"window": {"showDocument": {"support": True}}}


class Wire:
    """Messages as they are, which no client would send."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._to: IO[bytes] = process.stdin
        self._from: IO[bytes] = process.stdout
        self._last = 0

    def send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._to.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._to.flush()

    def ask(self, method: str, params: object = None) -> int:
        self._last += 1
        self.send({"id": self._last, "method": method, "params": params})
        return self._last

    def until(self, **wanted: object) -> dict[str, Any]:
        """The next message with these members."""
        while True:
            length = 0
            while (header := self._from.readline().strip()) or not length:
                assert header, "the server has gone away"
                length = int(header.split()[-1]) if header.startswith(b"Content-Length") else length
            message: dict[str, Any] = json.loads(self._from.read(length))
            if all(message.get(name) == value for name, value in wanted.items()):
                return message

    def answer(self, method: str, params: object = None) -> dict[str, Any]:
        return self.until(id=self.ask(method, params), method=None)


@contextmanager
def session() -> Iterator[Wire]:
    """A session, which ends as it is to end whatever was said in it."""
    words = [sys.executable, "-m", "relax_lint", "lsp"]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    with process:
        try:
            wire = Wire(process)
            wire.answer("initialize", {"processId": None, "rootUri": None, "capabilities": SHOWS_DOCUMENTS})
            wire.send({"method": "initialized", "params": {}})
            yield wire
            ended = wire.answer("shutdown")
            assert "error" not in ended, ended
            wire.send({"method": "exit"})
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()


@pytest.fixture(scope="module")
def wire() -> Iterator[Wire]:
    with session() as wire:
        yield wire


def shown(*arguments: object) -> dict[str, object]:
    return {"command": "relax-lint.showRule", "arguments": list(arguments)}


@pytest.mark.parametrize(
    ("method", "params", "said"),
    [
        ("workspace/executeCommand", shown("RLX9999"), "no rule is called 'RLX9999'"),
        ("workspace/executeCommand", shown("../../etc/passwd"), "no rule is called"),
        ("workspace/executeCommand", shown(), ""),
        ("textDocument/hover", {"bad": 1}, ""),
        ("textDocument/hover", None, ""),
        ("textDocument/codeAction", {"textDocument": 3}, ""),
        ("textDocument/diagnostic", {}, ""),
        ("relax-lint/misshapen", {}, ""),
    ],
)
def test_what_makes_no_sense_is_answered_as_such(wire: Wire, method: str, params: object, said: str) -> None:
    error = wire.answer(method, params)["error"]
    assert error["code"] == INVALID_PARAMS
    assert said in error["message"]
    assert "Traceback" not in json.dumps(error)
    assert "result" in wire.answer("workspace/executeCommand", shown("RLX407"))


@pytest.mark.parametrize("reply", [{"result": None}, {"error": {"code": 1, "message": "no"}}, {"result": 7}, None])
def test_an_editor_need_not_say_whether_it_has_shown_a_page(reply: dict[str, object] | None) -> None:
    with session() as wire:
        asked = wire.ask("workspace/executeCommand", shown("RLX407"))
        request = wire.until(method="window/showDocument")
        assert request["params"]["uri"].endswith("/RLX407.md")
        if reply is not None:
            wire.send({"id": request["id"], **reply})
        assert "error" not in wire.until(id=asked, method=None)
