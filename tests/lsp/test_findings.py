"""Findings that come by themselves, in an editor that does not ask for them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from .conftest import LAUNCHER, REWARD, Editor, config

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_lsp.fixture(config=config(), scope="module")  # type: ignore[untyped-decorator]
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    await lsp_client.initialize_session(types.InitializeParams(capabilities=types.ClientCapabilities()))
    yield
    await lsp_client.shutdown_session()


@pytest_asyncio.fixture(loop_scope="module")
async def editor(client: LanguageClient) -> AsyncIterator[Editor]:
    opened = Editor(client)
    yield opened
    await opened.leave()


async def test_opening_one_file_shows_what_is_wrong_in_its_whole_recipe(editor: Editor, tree: Path) -> None:
    editor.open(tree / REWARD)
    await editor.until_found(tree / LAUNCHER, "RLX422")
    editor.close_all()
    await editor.until(lambda: not editor.found(tree / LAUNCHER))
