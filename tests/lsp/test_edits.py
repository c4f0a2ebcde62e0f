"""Edits in the form that an editor takes, by what it says that it can do."""

from __future__ import annotations

from lsprotocol import types

from relax_lint.lsp.documents import Documents
from relax_lint.lsp.edits import EditWriter
from relax_lint.project import Project
from tests.cases import for_each

REWARD = "examples/demo/reward_demo.py"


def capabilities(**given: object) -> types.ClientCapabilities:
    edit = types.WorkspaceEditClientCapabilities(**given)  # type: ignore[arg-type]
    return types.ClientCapabilities(workspace=types.WorkspaceClientCapabilities(workspace_edit=edit))


def edited(of: types.ClientCapabilities) -> types.WorkspaceEdit:
    """The edit that changes a file and makes an empty one beside it."""
    project = Project.from_files({REWARD: "x = 1\n"})
    changes = {project.root / REWARD: b"x = 2\n", project.root / "examples/demo/__init__.py": b""}
    return EditWriter(Documents(), of).edit(project, changes)


@for_each("given", [{}, {"document_changes": True}])
def test_an_empty_file_is_left_out_for_an_editor_that_makes_no_files(given: dict[str, object]) -> None:
    edit = edited(capabilities(**given))
    changes = [one for one in edit.document_changes or () if isinstance(one, types.TextDocumentEdit)]
    sizes = {one.text_document.uri: len(one.edits) for one in changes}
    sizes |= {uri: len(edits) for uri, edits in (edit.changes or {}).items()}
    assert {uri.rpartition("/")[2]: size for uri, size in sizes.items()} == {"reward_demo.py": 1}


def test_an_editor_that_makes_files_is_told_to() -> None:
    edit = edited(capabilities(resource_operations=[types.ResourceOperationKind.Create]))
    made = [one for one in edit.document_changes or () if isinstance(one, types.CreateFile)]
    assert [one.uri.rpartition("/")[2] for one in made] == ["__init__.py"]
