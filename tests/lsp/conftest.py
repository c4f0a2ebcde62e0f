"""A real client and the real program, over pipes: one server for the tests of a module."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient

ROOT = Path(__file__).parents[2]
RECIPES = ROOT / "tests/recipes"
LAUNCHER, REWARD = Path("examples/countdown/run_countdown.sh"), Path("examples/countdown/reward_countdown.py")
PATIENCE = 20
"""Seconds after which something will not happen any more."""


def config() -> ClientServerConfig:
    """How the server is started: as editors do."""
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    return ClientServerConfig(
        server_command=[sys.executable, "-m", "relax_lint", "lsp"], server_env={**os.environ, "PYTHONPATH": path}
    )


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A recipe with mistakes of all kinds."""
    return Path(shutil.copytree(RECIPES / "broken_countdown", tmp_path / "tree"))


class Editor:
    """What an editor does, for tests to say it in a line."""

    def __init__(self, client: LanguageClient) -> None:
        self.client = client
        self.texts: dict[Path, str] = {}
        self.versions: dict[Path, int] = {}

    def open(self, path: Path, text: str | None = None) -> None:
        self.texts[path] = path.read_bytes().decode() if text is None else text
        self.versions[path] = 1
        item = types.TextDocumentItem(path.as_uri(), "", 1, self.texts[path])
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def type(self, path: Path, text: str) -> None:
        self.edit(path, [types.TextDocumentContentChangeWholeDocument(text)], text)

    def edit(self, path: Path, changes: Sequence[types.TextDocumentContentChangeEvent], after: str) -> None:
        self.texts[path] = after
        self.versions[path] += 1
        document = types.VersionedTextDocumentIdentifier(self.versions[path], path.as_uri())
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, changes))

    def close(self, path: Path) -> None:
        del self.texts[path], self.versions[path]
        document = types.TextDocumentIdentifier(path.as_uri())
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(document))

    def close_all(self) -> None:
        for path in list(self.texts):
            self.close(path)

    def found(self, path: Path) -> Sequence[types.Diagnostic]:
        """What the editor was told of a file last."""
        return self.client.diagnostics.get(path.as_uri(), ())

    def codes(self, path: Path) -> set[object]:
        return {item.code for item in self.found(path)}

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait for the server to have told something."""

        async def held() -> None:
            while not holds():
                await asyncio.sleep(0.005)

        await asyncio.wait_for(held(), PATIENCE)

    async def until_found(self, path: Path, code: str) -> None:
        await self.until(lambda: code in self.codes(path))
