"""What the editor shows of the findings: files that are open ask for theirs where they can, the others are told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from lsprotocol import types

from relax_lint.lsp.diagnostics import Translator
from relax_lint.lsp.documents import Documents
from relax_lint.lsp.workspace import Checked, Findings


class Editor(Protocol):
    """Whom to tell."""

    def text_document_publish_diagnostics(self, params: types.PublishDiagnosticsParams) -> None:
        """These are the findings of a file."""

    def refresh_diagnostics(self) -> None:
        """Ask again for the findings of all files that are open."""


class Shown:
    """The findings of the last check, and what of them the editor knows."""

    def __init__(self, editor: Editor, documents: Documents, translator: Translator, *, pulls: bool) -> None:
        self._editor = editor
        self._documents = documents
        self._translator = translator
        self._pulls = pulls
        self._published: dict[Path, tuple[int | None, list[types.Diagnostic]]] = {}
        self._pulled: dict[Path, str] = {}
        self.asking: Counter[Path] = Counter()
        """How many requests for a file's findings are waiting for a check."""
        self.checked = Checked({})

    def findings(self, path: Path) -> Findings:
        """What stands of a file."""
        return self.checked.files.get(path, Findings(None))

    def show(self, checked: Checked) -> None:
        """A check is done."""
        self.checked = checked
        stale = False
        for path in sorted({*checked.files, *self._published, *self._pulled}):
            if self._is_asked_for(path):
                if not stale and not self.asking[path] and path in self._pulled:
                    stale = self._pulled[path] != _identity(self._items(path))
            else:
                self._publish(path, self._items(path))
        if stale:
            self._editor.refresh_diagnostics()

    def opened(self, path: Path) -> None:
        """A file is open: what it was told before, it now asks for."""
        if self._is_asked_for(path) and path in self._published:
            self._publish(path, [])

    def closed(self, path: Path) -> None:
        """A file is open no more."""
        self._pulled.pop(path, None)

    def report(self, path: Path, known: str | None) -> types.DocumentDiagnosticReport:
        """The answer to a file that asks, of which the editor knows a result already."""
        items = self._items(path)
        identity = self._pulled[path] = _identity(items)
        if known == identity:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=identity)
        return types.RelatedFullDocumentDiagnosticReport(items=items, result_id=identity)

    def _items(self, path: Path) -> list[types.Diagnostic]:
        return self._translator.all_of(path, self.findings(path))

    def _is_asked_for(self, path: Path) -> bool:
        return self._pulls and path in self._documents

    def _publish(self, path: Path, items: list[types.Diagnostic]) -> None:
        document = self._documents.at(path)
        version = None if document is None else document.version
        if self._published.get(path, (None, [])) == (version, items):
            return
        if items or document is not None:
            self._published[path] = (version, items)
        else:
            self._published.pop(path, None)
        told = types.PublishDiagnosticsParams(self._documents.uri_of(path), items, version)
        self._editor.text_document_publish_diagnostics(told)


def _identity(items: Sequence[types.Diagnostic]) -> str:
    return sha256("\n".join(map(repr, items)).encode("utf-8", "surrogatepass")).hexdigest()[:20]
