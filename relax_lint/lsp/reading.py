"""Help for who reads or writes a recipe: hover, completion, definitions and links, as the protocol has them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lsprotocol import types

from relax_lint.lsp import help as texts
from relax_lint.lsp.completion import Choice, Choices, choices_at
from relax_lint.lsp.documents import Document
from relax_lint.lsp.hover import help_at
from relax_lint.lsp.positions import BOM, Lines
from relax_lint.lsp.targets import Target, targets_at, targets_in
from relax_lint.lsp.workspace import Workspace

if TYPE_CHECKING:
    from relax_lint.lsp.server import Server
    from relax_lint.project import Project
    from relax_lint.sources.text import SourceFile

Answer = TypeVar("Answer")

TRIGGERS = ("-", "=", ".")
"""What is typed where completion should be offered unasked."""
_KINDS = {
    "flag": types.CompletionItemKind.Property,
    "value": types.CompletionItemKind.EnumMember,
    "function": types.CompletionItemKind.Function,
    "file": types.CompletionItemKind.File,
}


class Reading:
    """Answers what stands at a place."""

    def __init__(self, server: Server) -> None:
        self._server = server
        options = types.CompletionOptions(list(TRIGGERS), resolve_provider=True)
        server.register(types.TEXT_DOCUMENT_HOVER, self._hover)
        server.register(types.TEXT_DOCUMENT_COMPLETION, self._complete, options)
        server.register(types.COMPLETION_ITEM_RESOLVE, self._resolve)
        server.register(types.TEXT_DOCUMENT_DEFINITION, self._define)
        server.register(types.TEXT_DOCUMENT_DOCUMENT_LINK, self._link, types.DocumentLinkOptions())

    async def _hover(self, params: types.HoverParams) -> types.Hover | None:
        document = self._server.documents.named(params.text_document.uri)
        if document is None:
            return None
        lines, offset = document.lines, document.lines.offset(params.position)
        found = await self._of_source(document, lambda source, project: help_at(source, offset, project))
        if found is None:
            return None
        text_document = self._server.client_capabilities.text_document
        takes = None if text_document is None or text_document.hover is None else text_document.hover.content_format
        return types.Hover(_markup(found.text, takes), lines.range(found.start, found.end))

    # ------------------------------------------------------------ completion

    async def _complete(self, params: types.CompletionParams) -> types.CompletionList | None:
        document = self._server.documents.named(params.text_document.uri)
        if document is None:
            return None
        lines, offset = document.lines, document.lines.offset(params.position)

        def choices(source: SourceFile, project: Project) -> Choices | None:
            from relax_lint.sources.launcher import LauncherSource

            launcher = isinstance(source, LauncherSource)
            return choices_at(source.path, lines.text, offset, project) if launcher else None

        found = await self._of_source(document, choices)
        if found is None:
            return None
        span = lines.range(found.start, found.end)
        items = [_item(choice, span, number, document.uri) for number, choice in enumerate(found.choices)]
        return types.CompletionList(not found.complete, items)

    async def _resolve(self, item: types.CompletionItem) -> types.CompletionItem:
        data: Any = item.data
        document = self._server.documents.named(data["uri"]) if isinstance(data, dict) and "uri" in data else None
        if document is not None:
            text = await self._of_source(document, lambda _, project: texts.of_flag(project.catalogue, item.label))
            item.documentation = None if text is None else _markup(text, self._documentation_formats)
        return item

    @property
    def _documentation_formats(self) -> Sequence[types.MarkupKind] | None:
        text_document = self._server.client_capabilities.text_document
        completion = None if text_document is None else text_document.completion
        item = None if completion is None else completion.completion_item
        return None if item is None else item.documentation_format

    # ------------------------------------------------------------ definitions and links

    async def _define(self, params: types.DefinitionParams) -> list[types.Location] | None:
        document = self._server.documents.named(params.text_document.uri)
        if document is None:
            return None
        offset = document.lines.offset(params.position)
        found = await self._of_source(document, lambda source, project: targets_at(source, offset, project))
        return [self._location(target) for target in found or ()]

    async def _link(self, params: types.DocumentLinkParams) -> list[types.DocumentLink] | None:
        document = self._server.documents.named(params.text_document.uri)
        if document is None:
            return None
        lines = document.lines
        found = await self._of_source(document, targets_in)
        return [
            types.DocumentLink(
                lines.range(target.start, target.end),
                self._server.documents.uri_of(_plain(target.path)) + _fragment(target),
            )
            for target in found or ()
        ]

    def _location(self, target: Target) -> types.Location:
        path = _plain(target.path)
        uri = self._server.documents.uri_of(path)
        if target.place is None:
            return types.Location(uri, types.Range(types.Position(0, 0), types.Position(0, 0)))
        text = target.place.source.text
        shift = 0
        if path not in self._server.documents and text.startswith(BOM):  # the file's, not the text's
            shift, text = 1, text.removeprefix(BOM)
        lines = Lines(text, self._server.documents.encoding)
        return types.Location(uri, lines.range(target.place.start - shift, target.place.end - shift))

    async def _of_source(self, document: Document, question: Callable[[SourceFile, Project], Answer]) -> Answer | None:
        """What is to be said of a file, in the state that the editor shows; nothing of one that is not judged."""

        def ask(workspace: Workspace) -> Answer | None:
            group = workspace.group_of(document.path)
            source = None if group is None else group.project.source(document.path)
            return None if group is None or source is None else question(source, group.project)

        return await self._server.checks.ask(ask)


def _markup(text: str, takes: Sequence[types.MarkupKind] | None) -> types.MarkupContent:
    """A text in Markdown, or without its marks where the editor shows plain text."""
    if types.MarkupKind.Markdown in (takes or ()):
        return types.MarkupContent(types.MarkupKind.Markdown, text)
    return types.MarkupContent(types.MarkupKind.PlainText, text.replace("**", "").replace("`", ""))


def _item(choice: Choice, span: types.Range, number: int, uri: str) -> types.CompletionItem:
    return types.CompletionItem(
        choice.text,
        kind=_KINDS[choice.kind],
        detail=choice.detail or None,
        tags=[types.CompletionItemTag.Deprecated] if choice.deprecated else None,
        sort_text=f"{choice.rank}{number:04}",
        filter_text=choice.text,
        text_edit=types.TextEdit(span, choice.text),
        data={"uri": uri} if choice.kind == "flag" else None,
    )


def _plain(path: Path) -> Path:
    """A path without ``..``."""
    return Path(os.path.normpath(path))


def _fragment(target: Target) -> str:
    """Where in the file a link leads, as editors read it."""
    if target.place is None:
        return ""
    line, column = target.place.source.position(target.place.start)
    return f"#L{line},{column}"
