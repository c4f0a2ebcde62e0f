"""Findings that come by themselves, in an editor that says the most about what it can show."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from .conftest import LAUNCHER, REWARD, Editor, config

pytestmark = pytest.mark.asyncio(loop_scope="module")
CAPABILITIES = types.ClientCapabilities(
    workspace=types.WorkspaceClientCapabilities(
        did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True)
    ),
    text_document=types.TextDocumentClientCapabilities(
        publish_diagnostics=types.PublishDiagnosticsClientCapabilities(
            related_information=True,
            tag_support=types.ClientDiagnosticsTagOptions(list(types.DiagnosticTag)),
            version_support=True,
            code_description_support=True,
            data_support=True,
        )
    ),
)
ODD = '#!/bin/bash\necho "\U0001f600 é"; python3 relax/entrypoints/train.py --colour 1 --custom-rm-path a.b\n'
"""A launch with a flag that nobody knows, behind characters of several lengths."""


@pytest_lsp.fixture(config=config(), scope="module")  # type: ignore[untyped-decorator]
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    await lsp_client.initialize_session(types.InitializeParams(capabilities=CAPABILITIES))
    yield
    await lsp_client.shutdown_session()


def found(editor: Editor, path: Path, code: str) -> types.Diagnostic:
    return next(item for item in editor.found(path) if item.code == code)


def changed_on_disk(editor: Editor, path: Path, kind: types.FileChangeType = types.FileChangeType.Changed) -> None:
    event = types.FileEvent(path.as_uri(), kind)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))


async def test_opening_one_file_shows_what_is_wrong_in_its_whole_recipe(editor: Editor, tree: Path) -> None:
    editor.open(tree / REWARD)
    await editor.until_found(tree / LAUNCHER, "RLX422")
    assert "RLX202" in editor.codes(tree / REWARD)
    editor.close(tree / REWARD)
    await editor.until(lambda: not editor.found(tree / LAUNCHER) and not editor.found(tree / REWARD))


async def test_a_finding_says_all_that_the_editor_can_show(editor: Editor, tree: Path) -> None:
    editor.open(tree / LAUNCHER)
    await editor.until_found(tree / LAUNCHER, "RLX404")
    item = found(editor, tree / LAUNCHER, "RLX404")
    lines = editor.texts[tree / LAUNCHER].split("\n")
    assert lines[item.range.start.line][item.range.start.character : item.range.end.character] == (
        '--runtime-env-json="${RUNTIME_ENV_JSON}"'
    )
    assert item.source == "relax-lint"
    assert item.severity is types.DiagnosticSeverity.Warning
    assert found(editor, tree / LAUNCHER, "RLX422").severity is types.DiagnosticSeverity.Error
    await editor.until_found(tree / "scripts/models/qwen3-8B.sh", "RLX506")
    deprecated = found(editor, tree / "scripts/models/qwen3-8B.sh", "RLX506")
    assert deprecated.severity is types.DiagnosticSeverity.Information
    assert deprecated.tags == (types.DiagnosticTag.Deprecated,)
    launch = (deprecated.related_information or ())[-1]
    assert launch.location.uri == (tree / LAUNCHER).as_uri()
    assert "python3" in lines[launch.location.range.start.line]
    assert launch.message.startswith("in this launch, when ")
    assert item.code_description is not None
    page = Path(item.code_description.href.removeprefix("file://"))
    assert page.read_text().startswith("RLX404 runtime-env-json")


async def test_typing_in_one_file_changes_what_is_found_in_the_other(editor: Editor, tree: Path) -> None:
    editor.open(tree / LAUNCHER)
    editor.open(tree / REWARD)
    await editor.until_found(tree / LAUNCHER, "RLX206")
    text = editor.texts[tree / REWARD]
    editor.type(tree / REWARD, text.replace("def reward_func", "def reward"))
    await editor.until_found(tree / LAUNCHER, "RLX201")
    editor.close(tree / LAUNCHER)
    editor.type(tree / REWARD, text)
    await editor.until(lambda: "RLX201" not in editor.codes(tree / LAUNCHER))


async def test_a_closed_file_is_judged_as_it_is_on_disk(editor: Editor, tree: Path) -> None:
    editor.open(tree / LAUNCHER)
    editor.open(tree / REWARD, "def (\n")
    await editor.until_found(tree / REWARD, "RLX001")
    editor.close(tree / REWARD)
    await editor.until_found(tree / REWARD, "RLX202")
    assert "RLX001" not in editor.codes(tree / REWARD)


async def test_edits_of_a_part_are_followed_exactly(editor: Editor, tree: Path) -> None:
    """Two edits in one message, the second in the text that the first leaves, with characters of two units around."""
    text = "# \U0001f600\x0c\n" + (tree / REWARD).read_text().replace("\n", "\r\n")
    editor.open(tree / REWARD, text)
    await editor.until_found(tree / REWARD, "RLX202")
    at = found(editor, tree / REWARD, "RLX202").range.start
    assert text.split("\n")[at.line].startswith("def reward_func")
    first = types.TextDocumentContentChangePartial(
        types.Range(types.Position(0, 2), types.Position(0, 99)), "\U0001f4a5é"
    )
    place = types.Position(at.line, 0)
    second = types.TextDocumentContentChangePartial(types.Range(place, place), "async ")
    after = text.replace("\U0001f600\x0c", "\U0001f4a5é").replace("\ndef reward_func", "\nasync def reward_func")
    editor.edit(tree / REWARD, [first, second], after)
    await editor.until(lambda: "RLX202" not in editor.codes(tree / REWARD))
    assert "RLX001" not in editor.codes(tree / REWARD)


@pytest.mark.parametrize("text", [ODD, ODD.replace("\n", "\r\n"), "\ufeff" + ODD.removeprefix("#!/bin/bash\n")])
async def test_places_count_as_the_editor_counts(editor: Editor, tree: Path, text: str) -> None:
    editor.open(tree / LAUNCHER, text)
    await editor.until_found(tree / LAUNCHER, "RLX501")
    item = found(editor, tree / LAUNCHER, "RLX501")
    line = text.split("\n")[item.range.start.line].encode("utf-16-le")
    assert line[2 * item.range.start.character : 2 * item.range.end.character].decode("utf-16-le") == "--colour"


async def test_the_mark_in_front_of_a_file_that_is_not_open_does_not_count(editor: Editor, tree: Path) -> None:
    (tree / REWARD).write_bytes(b"\xef\xbb\xbfdef reward_func(args, sample, **kwargs): return {'score': 0.0}\n")
    editor.open(tree / LAUNCHER)
    await editor.until_found(tree / REWARD, "RLX202")
    assert found(editor, tree / REWARD, "RLX202").range.start == types.Position(0, 0)
    assert found(editor, tree / REWARD, "RLX202").range.end == types.Position(0, len("def reward_func"))


async def test_files_that_other_programs_change_are_noticed(editor: Editor, tree: Path) -> None:
    (registration,) = editor.registered
    assert registration.method == "workspace/didChangeWatchedFiles"
    editor.open(tree / LAUNCHER)
    await editor.until_found(tree / LAUNCHER, "RLX801")
    (tree / "examples/countdown/__init__.py").touch()
    changed_on_disk(editor, tree / "examples/countdown/__init__.py", types.FileChangeType.Created)
    await editor.until(lambda: "RLX801" not in editor.codes(tree / LAUNCHER))
    (tree / REWARD).unlink()
    changed_on_disk(editor, tree / REWARD, types.FileChangeType.Deleted)
    await editor.until_found(tree / LAUNCHER, "RLX201")


async def test_the_configuration_counts_and_a_broken_one_is_told_once(editor: Editor, tree: Path) -> None:
    editor.open(tree / LAUNCHER)
    await editor.until_found(tree / LAUNCHER, "RLX422")
    (tree / "relax-lint.toml").write_text('ignore = ["RLX422"]\n')
    changed_on_disk(editor, tree / "relax-lint.toml", types.FileChangeType.Created)
    await editor.until(lambda: "RLX422" not in editor.codes(tree / LAUNCHER))
    (tree / "relax-lint.toml").write_text("ignore = 1\n")
    changed_on_disk(editor, tree / "relax-lint.toml")
    await editor.until(lambda: not editor.found(tree / LAUNCHER) and bool(editor.client.messages))
    told = len(editor.client.messages)
    assert "ignore must be a list of strings" in editor.client.messages[-1].message
    editor.type(tree / LAUNCHER, "true\n")
    (tree / "relax-lint.toml").unlink()
    changed_on_disk(editor, tree / "relax-lint.toml", types.FileChangeType.Deleted)
    editor.type(tree / LAUNCHER, (tree / LAUNCHER).read_text())
    await editor.until_found(tree / LAUNCHER, "RLX422")
    assert len(editor.client.messages) == told


async def test_launchers_are_known_by_their_first_line_and_other_files_left_alone(editor: Editor, tree: Path) -> None:
    editor.open(tree / "launch_it", ODD)
    await editor.until_found(tree / "launch_it", "RLX501")
    editor.open(tree / "notes.txt", ODD)
    editor.open(tree / "tool.py", "def (\n")
    editor.type(tree / "launch_it", ODD.replace("--colour", "--shade"))
    await editor.until(lambda: any("--shade" in item.message for item in editor.found(tree / "launch_it")))
    assert not editor.found(tree / "notes.txt")
    assert not editor.found(tree / "tool.py")


async def test_typing_fast_is_answered_for_what_was_typed_last(editor: Editor, tree: Path) -> None:
    """Everything that is shown is of the version that it names, and the last version is shown in the end."""
    editor.open(tree / LAUNCHER, ODD)
    for number in range(30):
        editor.type(tree / LAUNCHER, ODD.replace("--colour", f"--colour-{number}"))
    await editor.until(lambda: any("--colour-29" in item.message for item in editor.found(tree / LAUNCHER)))


async def test_what_is_no_file_here_is_no_trouble(editor: Editor, tree: Path) -> None:
    for uri in ("untitled:Untitled-1", "git:/x/run.sh?HEAD", "file://elsewhere/run.sh"):
        editor.client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "shellscript", 1, ODD))
        )
        document = types.VersionedTextDocumentIdentifier(2, uri)
        change = types.TextDocumentContentChangeWholeDocument("x")
        editor.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))
        editor.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
    editor.open(tree / LAUNCHER)
    await editor.until_found(tree / LAUNCHER, "RLX422")
