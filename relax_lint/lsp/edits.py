"""Files with other contents as edits of what the editor shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from pathlib import Path

from lsprotocol import types

from relax_lint.lsp.documents import Documents
from relax_lint.lsp.positions import BOM, Lines
from relax_lint.lsp.uris import uri_of
from relax_lint.project import Project
from relax_lint.sources.text import SourceFile


class EditWriter:
    """Writes edits in the form that the editor takes, for the versions of its files that are open now."""

    def __init__(self, documents: Documents, capabilities: types.ClientCapabilities) -> None:
        self._open = {document.path: (document.uri, document.version) for document in documents}
        self._encoding = documents.encoding
        takes = None if capabilities.workspace is None else capabilities.workspace.workspace_edit
        self._creates = types.ResourceOperationKind.Create in ((takes and takes.resource_operations) or ())
        # Neovim 0.11 says the one and not the other, which it implies.
        self._versioned = self._creates or bool(takes and takes.document_changes)

    def edit(self, project: Project, changes: Mapping[Path, bytes]) -> types.WorkspaceEdit:
        """The edit that makes the files of a project what ``changes`` has. The project is in the state that the editor
        shows."""
        after = project.with_changes(changes)
        texts: dict[Path, list[types.TextEdit]] = {}
        for path in sorted(changes):
            old, new = project.source(path), after.source(path)
            if new is not None:
                texts[path] = self._text_edits(path, old, new)
        if not self._creates:  # an empty file that is not there yet cannot be had by editing it
            texts = {path: edits for path, edits in texts.items() if edits}
        if not self._versioned:
            return types.WorkspaceEdit(changes={self._identifier(path).uri: each for path, each in texts.items()})
        operations: list[types.TextDocumentEdit | types.CreateFile | types.RenameFile | types.DeleteFile] = []
        for path, edits in texts.items():
            if self._creates and project.source(path) is None:
                operations.append(types.CreateFile(uri_of(path)))
            if edits:
                operations.append(types.TextDocumentEdit(self._identifier(path), list(edits)))
        return types.WorkspaceEdit(document_changes=operations)

    def _identifier(self, path: Path) -> types.OptionalVersionedTextDocumentIdentifier:
        uri, version = self._open[path] if path in self._open else (uri_of(path), None)
        return types.OptionalVersionedTextDocumentIdentifier(uri, version)

    def _text_edits(self, path: Path, old: SourceFile | None, new: SourceFile) -> list[types.TextEdit]:
        before, after = "" if old is None else old.text, new.text
        if path not in self._open:  # a byte-order mark is the file's, not the text's
            before, after = before.removeprefix(BOM), after.removeprefix(BOM)
        lines = Lines(before, self._encoding)
        return [types.TextEdit(lines.range(start, end), text) for start, end, text in replacements(before, after)]


def replacements(before: str, after: str) -> Iterator[tuple[int, int, str]]:
    """What has to be replaced to make one text another: start, end and new text of stretches as short as lines that
    are alike allow."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    for kind, first, last, new_first, new_last in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            start, end, text = starts[first], starts[last], "".join(new[new_first:new_last])
            kept = _common(before[start:end], text)
            kept -= _cuts_line_end(before, start + kept)
            rest = _common(before[start + kept : end][::-1], text[kept:][::-1])
            rest -= _cuts_line_end(before, end - rest)
            yield start + kept, end - rest, text[kept : len(text) - rest]


def _cuts_line_end(text: str, at: int) -> bool:
    """Whether an offset is within the end of a line, where no edit can begin or end."""
    return text[max(at - 1, 0) : at + 1] == "\r\n"


def _common(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginnings."""
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    return count
