"""The program around the server: what goes wrong, and how it ends."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from .conftest import LAUNCHER, Editor, config

WITH_A_BROKEN_RULE = """
import sys
from relax_lint.cli import main
from relax_lint.diagnostics import Severity
from relax_lint.rules import Contents, REGISTRY, Rule

def check(launch, project):
    print("this is no part of the protocol")
    return [len(project.no_such_thing)]

contents = Contents(check, "A rule that fails.", (), ())
REGISTRY["RLX999"] = Rule("RLX999", "broken", Severity.ERROR, on="launch", contents=lambda: contents)
sys.exit(main(["lsp"]))
"""


@pytest_lsp.fixture(config=config("-c", WITH_A_BROKEN_RULE), scope="module")  # type: ignore[untyped-decorator]
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    await lsp_client.initialize_session(types.InitializeParams(capabilities=types.ClientCapabilities()))
    yield
    await lsp_client.shutdown_session()


@pytest.mark.asyncio(loop_scope="module")
async def test_a_rule_that_fails_is_named_once_and_the_others_go_on(editor: Editor, tree: Path) -> None:
    editor.open(tree / LAUNCHER)
    await editor.until_found(tree / LAUNCHER, "RLX422")
    (told,) = {message.message for message in editor.client.messages}
    assert told.startswith("relax-lint: internal error: RLX999 broken failed on ")
    assert "no_such_thing" in told
    count = len(editor.client.messages)
    editor.type(tree / LAUNCHER, editor.texts[tree / LAUNCHER].replace("--colocate \\  ", "--colocate \\"))
    await editor.until(lambda: "RLX422" not in editor.codes(tree / LAUNCHER))
    assert len(editor.client.messages) == count


def test_without_its_package_the_command_says_what_to_install() -> None:
    program = "import sys; sys.modules['pygls'] = None\nfrom relax_lint.cli import main; sys.exit(main(['lsp']))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "relax-lint lsp needs pygls: " in done.stderr
    assert "relax-lint[lsp]" in done.stderr


@pytest.mark.parametrize("said", [b"", b"Content-Length: 5\r\n\r\n{nope", b"nonsense\r\n\r\n"])
def test_an_editor_that_goes_away_ends_the_server(said: bytes) -> None:
    words = [sys.executable, "-m", "relax_lint", "lsp"]
    done = subprocess.run(words, input=said, capture_output=True, check=False, timeout=30)
    assert done.returncode == 1
    assert b"Traceback" not in done.stdout
