"""The files that the editor shows, with the text that it has for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lsprotocol import types

from relax_lint.lsp.positions import Lines
from relax_lint.lsp.uris import path_of, uri_of
from relax_lint.records import node


@node
class Document:
    """An open file. ``uri`` is its name as the editor spells it."""

    uri: str
    path: Path
    version: int
    lines: Lines

    @property
    def text(self) -> str:
        """What the editor shows."""
        return self.lines.text


class Documents:
    """The open files, by path. What is no file on this machine (an untitled buffer, a revision) is passed over."""

    def __init__(self) -> None:
        self._open: dict[Path, Document] = {}
        self.encoding: types.PositionEncodingKind | str = types.PositionEncodingKind.Utf16

    def __iter__(self) -> Iterator[Document]:
        return iter(self._open.values())

    def __contains__(self, path: Path) -> bool:
        return path in self._open

    def at(self, path: Path) -> Document | None:
        """The open file at a path."""
        return self._open.get(path)

    def named(self, uri: str) -> Document | None:
        """The open file that a URI names."""
        path = path_of(uri)
        return None if path is None else self._open.get(path)

    def uri_of(self, path: Path) -> str:
        """How the editor spells a file."""
        document = self._open.get(path)
        return uri_of(path) if document is None else document.uri

    def open(self, item: types.TextDocumentItem) -> Document | None:
        """The editor shows a file."""
        path = path_of(item.uri)
        if path is None:
            return None
        document = self._open[path] = Document(item.uri, path, item.version, self._lines(item.text))
        return document

    def change(self, params: types.DidChangeTextDocumentParams) -> Document | None:
        """Something was typed."""
        document = self.named(params.text_document.uri)
        if document is None:
            return None
        for change in params.content_changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                text = document.text
                start, end = document.lines.offset(change.range.start), document.lines.offset(change.range.end)
                document.lines = self._lines(text[:start] + change.text + text[max(start, end) :])
            else:
                document.lines = self._lines(change.text)
        document.version = params.text_document.version
        return document

    def close(self, uri: str) -> Document | None:
        """The editor shows a file no more."""
        path = path_of(uri)
        return None if path is None else self._open.pop(path, None)

    def _lines(self, text: str) -> Lines:
        return Lines(text, self.encoding)
