"""Fixes in an editor are what the command line would do, on text that is not saved."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from .conftest import LAUNCHER, REWARD, ROOT, Editor, config

pytestmark = pytest.mark.asyncio(loop_scope="module")
CAPABILITIES = types.ClientCapabilities(
    workspace=types.WorkspaceClientCapabilities(
        workspace_edit=types.WorkspaceEditClientCapabilities(
            document_changes=True, resource_operations=[types.ResourceOperationKind.Create]
        )
    ),
    text_document=types.TextDocumentClientCapabilities(
        code_action=types.CodeActionClientCapabilities(
            data_support=True, resolve_support=types.ClientCodeActionResolveOptions(["edit"])
        )
    ),
    window=types.WindowClientCapabilities(show_document=types.ShowDocumentClientCapabilities(True)),
)


@pytest_lsp.fixture(config=config(), scope="module")  # type: ignore[untyped-decorator]
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    await lsp_client.initialize_session(types.InitializeParams(capabilities=CAPABILITIES))
    yield
    await lsp_client.shutdown_session()


def fixed_by_command_line(tree: Path, *options: str) -> dict[Path, bytes]:
    """A copy of a tree after ``relax-lint --fix``, by the names in the tree itself."""
    copy = Path(shutil.copytree(tree, tree.parent / "copy"))
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    words = [sys.executable, "-m", "relax_lint", "check", "--no-cache", "--fix", *options, "-q", "examples/countdown"]
    done = subprocess.run(words, cwd=copy, env={**os.environ, "PYTHONPATH": path}, check=False, capture_output=True)
    assert done.returncode < 2, done.stderr
    return {
        tree / file.relative_to(copy): file.read_bytes()
        for file in copy.rglob("*")
        if file.is_file()
        and not (
            (tree / file.relative_to(copy)).exists()
            and (tree / file.relative_to(copy)).read_bytes() == file.read_bytes()
        )
    }


async def fix_all(editor: Editor, path: Path) -> types.WorkspaceEdit:
    (action,) = await editor.actions(path, only=["source.fixAll"])
    assert action.kind == "source.fixAll.relax-lint"
    assert action.edit is None
    resolved = await editor.client.code_action_resolve_async(action)
    assert resolved.edit is not None
    return resolved.edit


async def test_fix_all_is_what_the_command_line_does_to_the_recipe(editor: Editor, tree: Path) -> None:
    editor.open(tree / LAUNCHER)
    edit = await fix_all(editor, tree / LAUNCHER)
    assert edit.document_changes
    assert any(isinstance(each, types.CreateFile) for each in edit.document_changes)
    expected = fixed_by_command_line(tree, "--no-migrate")
    assert {path: text.encode() for path, text in editor.applied(edit).items()} == expected


async def test_fix_all_begins_with_what_is_typed(editor: Editor, tree: Path) -> None:
    typed = (tree / LAUNCHER).read_text().replace("--colocate \\  \n", "--colocate \\\n").replace("\n", "\r\n")
    editor.open(tree / REWARD)
    editor.open(tree / LAUNCHER)
    editor.type(tree / LAUNCHER, typed)
    after = editor.applied(await fix_all(editor, tree / REWARD))
    (tree / LAUNCHER).write_bytes(typed.encode())
    expected = fixed_by_command_line(tree, "--no-migrate")
    assert {path: text.encode() for path, text in after.items()} == expected


async def test_fixes_of_findings_add_up_to_the_command_lines(editor: Editor, tree: Path) -> None:
    editor.open(tree / REWARD)
    editor.open(tree / LAUNCHER)
    for path in (tree / REWARD, tree / LAUNCHER):
        for _ in range(30):
            offered = await editor.actions(path, only=["quickfix"])
            safe = [action for action in offered if action.is_preferred]
            if not safe:
                break
            assert safe[0].edit is not None
            for changed, text in editor.applied(safe[0].edit).items():
                if changed in editor.texts:
                    editor.type(changed, text)
                else:
                    editor.open(changed, text)
    expected = fixed_by_command_line(tree, "--no-migrate")
    assert {path: editor.texts[path].encode() for path in expected} == expected


async def test_an_unsafe_fix_says_so_and_why(editor: Editor, tree: Path) -> None:
    editor.open(tree / LAUNCHER)
    unsafe = [action for action in await editor.actions(tree / LAUNCHER) if "unsafe" in action.title]
    assert unsafe
    assert all(action.edit is not None and not action.is_preferred for action in unsafe)
    assert "(unsafe: " in unsafe[0].title


async def test_actions_are_those_of_the_place(editor: Editor, tree: Path) -> None:
    editor.open(tree / LAUNCHER)
    await editor.until_found(tree / LAUNCHER, "RLX404")
    place = next(item.range for item in editor.found(tree / LAUNCHER) if item.code == "RLX404")
    offered = await editor.actions(tree / LAUNCHER, place, only=["quickfix"])
    assert [action.title for action in offered] == [
        "RLX404: remove --runtime-env-json",
        "RLX404: silence with a comment",
        "RLX404: show the rule's page",
    ]
    assert [item.code for item in offered[0].diagnostics or ()] == ["RLX404"]


async def test_a_comment_silences_a_finding(editor: Editor, tree: Path) -> None:
    editor.open(tree / LAUNCHER)
    await editor.until_found(tree / LAUNCHER, "RLX404")
    (action,) = [
        each for each in await editor.actions(tree / LAUNCHER) if each.title == "RLX404: silence with a comment"
    ]
    assert action.edit is not None
    after = editor.applied(action.edit)[tree / LAUNCHER]
    assert "# relax-lint: ignore[RLX404]\n" in after
    editor.type(tree / LAUNCHER, after)
    await editor.until(lambda: "RLX404" not in editor.codes(tree / LAUNCHER))


async def test_the_page_of_a_rule_is_shown(editor: Editor, tree: Path) -> None:
    editor.open(tree / LAUNCHER)
    shows = [
        each.command for each in await editor.actions(tree / LAUNCHER) if each.title == "RLX404: show the rule's page"
    ]
    assert shows[0] is not None
    await editor.client.workspace_execute_command_async(
        types.ExecuteCommandParams(shows[0].command, shows[0].arguments)
    )
    page = Path(editor.client.shown_documents[-1].uri.removeprefix("file://"))
    assert page.read_text().startswith("RLX404 runtime-env-json")
