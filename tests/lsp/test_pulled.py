"""Findings that the editor asks for, places in UTF-8, and help on what stands there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from .conftest import LAUNCHER, REWARD, Editor, config

pytestmark = pytest.mark.asyncio(loop_scope="module")
CAPABILITIES = types.ClientCapabilities(
    general=types.GeneralClientCapabilities(position_encodings=[types.PositionEncodingKind.Utf8]),
    workspace=types.WorkspaceClientCapabilities(
        diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
    ),
    text_document=types.TextDocumentClientCapabilities(
        diagnostic=types.DiagnosticClientCapabilities(),
        completion=types.CompletionClientCapabilities(
            completion_item=types.ClientCompletionItemOptions(documentation_format=[types.MarkupKind.Markdown])
        ),
    ),
)


@pytest_lsp.fixture(config=config(), scope="module")  # type: ignore[untyped-decorator]
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    answered = await lsp_client.initialize_session(types.InitializeParams(capabilities=CAPABILITIES))
    assert answered.capabilities.position_encoding == types.PositionEncodingKind.Utf8
    assert isinstance(answered.capabilities.diagnostic_provider, types.DiagnosticOptions)
    assert answered.capabilities.diagnostic_provider.inter_file_dependencies
    yield
    await lsp_client.shutdown_session()


async def asked(editor: Editor, path: Path, known: str | None = None) -> types.DocumentDiagnosticReport:
    document = types.TextDocumentIdentifier(path.as_uri())
    params = types.DocumentDiagnosticParams(document, previous_result_id=known)
    return await editor.client.text_document_diagnostic_async(params)


async def items(editor: Editor, path: Path) -> list[types.Diagnostic]:
    report = await asked(editor, path)
    assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
    return list(report.items)


async def codes(editor: Editor, path: Path) -> set[object]:
    return {item.code for item in await items(editor, path)}


async def test_an_answer_is_for_what_was_typed_last(editor: Editor, tree: Path) -> None:
    editor.open(tree / LAUNCHER)
    editor.open(tree / REWARD)
    assert "RLX201" not in await codes(editor, tree / LAUNCHER)
    editor.type(tree / REWARD, "def other(args, sample): ...\n")
    assert "RLX201" in await codes(editor, tree / LAUNCHER)


async def test_what_is_asked_for_is_not_told_and_what_is_closed_is(editor: Editor, tree: Path) -> None:
    editor.open(tree / LAUNCHER)
    await items(editor, tree / LAUNCHER)
    await editor.until_found(tree / REWARD, "RLX202")
    assert not editor.found(tree / LAUNCHER)
    editor.open(tree / REWARD)
    await editor.until(lambda: not editor.found(tree / REWARD))
    assert "RLX202" in await codes(editor, tree / REWARD)
    editor.close(tree / REWARD)
    await editor.until_found(tree / REWARD, "RLX202")


async def test_what_is_known_is_not_sent_again(editor: Editor, tree: Path) -> None:
    editor.open(tree / LAUNCHER)
    first = await asked(editor, tree / LAUNCHER)
    again = await asked(editor, tree / LAUNCHER, first.result_id)
    assert isinstance(again, types.RelatedUnchangedDocumentDiagnosticReport)
    editor.type(tree / LAUNCHER, "true\n")
    assert isinstance(await asked(editor, tree / LAUNCHER, first.result_id), types.RelatedFullDocumentDiagnosticReport)


async def test_the_editor_is_told_to_ask_again_when_another_file_changes_the_answer(editor: Editor, tree: Path) -> None:
    editor.open(tree / LAUNCHER)
    editor.open(tree / REWARD)
    await items(editor, tree / LAUNCHER)
    await items(editor, tree / REWARD)
    before = editor.client.diagnostic_refresh_count
    editor.type(tree / REWARD, "def other(args, sample): ...\n")
    await editor.until(lambda: editor.client.diagnostic_refresh_count > before)


async def test_a_request_that_is_cancelled_is_given_up_and_the_next_one_answered(editor: Editor, tree: Path) -> None:
    editor.open(tree / LAUNCHER)
    waiting = []
    for number in range(10):
        editor.type(tree / LAUNCHER, f"true {number}\n")
        params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier((tree / LAUNCHER).as_uri()))
        name = f"request-{editor.versions[tree / LAUNCHER]}"
        request = editor.client.protocol.send_request_async("textDocument/diagnostic", params, name)  # type: ignore[no-untyped-call]
        waiting.append((name, request))
    for name, _ in waiting[:-1]:
        editor.client.cancel_request(types.CancelParams(name))
    outcomes = await asyncio.gather(*(request for _, request in waiting), return_exceptions=True)
    assert not isinstance(outcomes[-1], BaseException)
    assert {type(outcome).__name__ for outcome in outcomes[:-1]} <= {
        "JsonRpcRequestCancelled", "RelatedFullDocumentDiagnosticReport"
    }  # fmt: skip


async def test_places_are_in_bytes_where_the_editor_offers_that(editor: Editor, tree: Path) -> None:
    text = '#!/bin/bash\necho "\U0001f600 é"; python3 relax/entrypoints/train.py --colour 1\n'
    editor.open(tree / LAUNCHER, text)
    item = next(item for item in await items(editor, tree / LAUNCHER) if item.code == "RLX501")
    line = text.split("\n")[1].encode()
    assert line[item.range.start.character : item.range.end.character] == b"--colour"
    position = types.Position(1, line.index(b"--colour") + 3)
    document = types.TextDocumentIdentifier((tree / LAUNCHER).as_uri())
    hover = await editor.client.text_document_hover_async(types.HoverParams(document, position))
    assert hover is not None
    assert hover.range == item.range
    assert isinstance(hover.contents, types.MarkupContent)
    assert "no flag --colour" in hover.contents.value


async def test_flags_are_completed_and_explained_on_demand(editor: Editor, tree: Path) -> None:
    text = (tree / LAUNCHER).read_text().replace("PERF_ARGS=(\n", "PERF_ARGS=(  # é\n    --rollout-max-resp\n")
    editor.open(tree / LAUNCHER, text)
    line = text.split("\n").index("    --rollout-max-resp")
    document = types.TextDocumentIdentifier((tree / LAUNCHER).as_uri())
    place = types.Position(line, len("    --rollout-max-resp"))
    offered = await editor.client.text_document_completion_async(types.CompletionParams(document, place))
    assert isinstance(offered, types.CompletionList)
    item = next(item for item in offered.items if item.label == "--rollout-max-response-len")
    assert isinstance(item.text_edit, types.TextEdit)
    assert item.text_edit.range == types.Range(types.Position(line, 4), place)
    explained = await editor.client.completion_item_resolve_async(item)
    assert isinstance(explained.documentation, types.MarkupContent)
    assert explained.documentation.value.startswith("**`--rollout-max-response-len`**")


async def test_the_function_that_a_flag_names_is_found_in_what_is_typed(editor: Editor, tree: Path) -> None:
    editor.open(tree / LAUNCHER)
    editor.open(tree / REWARD, "# é\n\n\n" + (tree / REWARD).read_text())
    lines = editor.texts[tree / LAUNCHER].split("\n")
    line = next(number for number, text in enumerate(lines) if "--custom-rm-path" in text)
    document = types.TextDocumentIdentifier((tree / LAUNCHER).as_uri())
    place = types.Position(line, lines[line].index("reward_func"))
    found = await editor.client.text_document_definition_async(types.DefinitionParams(document, place))
    assert isinstance(found, (list, tuple))
    (location,) = found
    assert isinstance(location, types.Location)
    assert location.uri == (tree / REWARD).as_uri()
    named = editor.texts[tree / REWARD].split("\n")[location.range.start.line]
    assert named[location.range.start.character : location.range.end.character] == "reward_func"
    links = await editor.client.text_document_document_link_async(types.DocumentLinkParams(document))
    targets = {link.target for link in links or ()}
    assert (
        f"{(tree / REWARD).as_uri()}#L{location.range.start.line + 1},{location.range.start.character + 1}" in targets
    )
    assert (tree / "scripts/models/qwen3-8B.sh").as_uri() in targets
