"""A real client and the real program, over pipes: one server for the tests of a module."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Union

import pytest
import pytest_asyncio
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, make_test_lsp_client

from relax_lint.lsp.positions import Lines

ROOT = Path(__file__).parents[2]
RECIPES = ROOT / "tests/recipes"
LAUNCHER, REWARD = Path("examples/countdown/run_countdown.sh"), Path("examples/countdown/reward_countdown.py")
PATIENCE = 20
"""Seconds after which something will not happen any more."""


def config(*words: str) -> ClientServerConfig:
    """How the server is started: as editors do, or by other words for Python."""
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    return ClientServerConfig(
        server_command=[sys.executable, *(words or ("-m", "relax_lint", "lsp"))],
        server_env={**os.environ, "PYTHONPATH": path},
        client_factory=_client,
    )


def _client() -> LanguageClient:
    """A client that tells an action with a command from a command, which lsprotocol 2025.0.0 does not."""
    client = make_test_lsp_client()
    converter = client.protocol._converter

    def structured(given: Any, _: object) -> types.Command | types.CodeAction:
        if isinstance(given.get("command"), str):
            return converter.structure(given, types.Command)
        return converter.structure(given, types.CodeAction)

    def register(params: types.RegistrationParams) -> None:
        client.registered = [*getattr(client, "registered", ()), *params.registrations]  # type: ignore[attr-defined]

    client.feature(types.CLIENT_REGISTER_CAPABILITY)(register)
    converter.register_structure_hook(Union[types.Command, types.CodeAction], structured)  # noqa: UP007 -- as it is known
    return client


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

    @property
    def registered(self) -> list[types.Registration]:
        """What the server has asked to be told of."""
        return list(getattr(self.client, "registered", ()))

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait for the server to have told something."""

        async def held() -> None:
            while not holds():
                await asyncio.sleep(0.005)

        await asyncio.wait_for(held(), PATIENCE)

    async def until_found(self, path: Path, code: str) -> None:
        await self.until(lambda: code in self.codes(path))

    async def leave(self) -> None:
        """Close everything, so that the next test begins with nothing."""
        self.close_all()
        await self.until(lambda: not any(self.client.diagnostics.values()))

    async def actions(
        self, path: Path, span: types.Range | None = None, only: Sequence[str] | None = None
    ) -> list[types.CodeAction]:
        """What can be done at a place; at the whole file when none is given."""
        everything = types.Range(types.Position(0, 0), types.Position(1_000_000, 0))
        document = types.TextDocumentIdentifier(path.as_uri())
        context = types.CodeActionContext([], only)
        params = types.CodeActionParams(document, span or everything, context)
        found = await self.client.text_document_code_action_async(params)
        return [action for action in found or () if isinstance(action, types.CodeAction)]

    def applied(self, edit: types.WorkspaceEdit) -> dict[Path, str]:
        """The files that an edit changes, as they are after it."""
        texts: dict[Path, str] = {}

        def text_of(path: Path) -> str:
            if path not in texts:
                on_disk = path.read_bytes().decode() if path.exists() else ""
                texts[path] = self.texts.get(path, on_disk.removeprefix("\ufeff"))
            return texts[path]

        for uri, edits in (edit.changes or {}).items():
            path = Path(uri.removeprefix("file://"))
            texts[path] = _replaced(text_of(path), edits)
        for operation in edit.document_changes or ():
            if isinstance(operation, types.CreateFile):
                assert not Path(operation.uri.removeprefix("file://")).exists()
                text_of(Path(operation.uri.removeprefix("file://")))
            elif isinstance(operation, types.TextDocumentEdit):
                path = Path(operation.text_document.uri.removeprefix("file://"))
                assert operation.text_document.version == self.versions.get(path)
                texts[path] = _replaced(text_of(path), operation.edits)
        return texts


def _replaced(text: str, edits: Iterable[Any]) -> str:
    lines = Lines(text)
    for edit in sorted(edits, key=lambda edit: lines.offset(edit.range.start), reverse=True):
        start, end = lines.offset(edit.range.start), lines.offset(edit.range.end)
        text = text[:start] + edit.new_text + text[end:]
    return text


@pytest_asyncio.fixture(loop_scope="module")
async def editor(client: LanguageClient) -> AsyncIterator[Editor]:
    """An editor at the server of the module's ``client``; what a test opens in it is closed for the next."""
    opened = Editor(client)
    yield opened
    await opened.leave()
