"""Findings as the protocol has them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from lsprotocol import types

from relax_lint.diagnostics import Diagnostic, Severity, Site
from relax_lint.lsp.documents import Documents
from relax_lint.lsp.pages import Pages
from relax_lint.lsp.positions import BOM, Lines
from relax_lint.lsp.uris import uri_of
from relax_lint.lsp.workspace import Findings

SOURCE = "relax-lint"
SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.ADVICE: types.DiagnosticSeverity.Information,
}
_USELESS, _DEPRECATED = [types.DiagnosticTag.Unnecessary], [types.DiagnosticTag.Deprecated]
TAGS = {"RLX002": _USELESS, "RLX421": _USELESS, "RLX506": _DEPRECATED, "RLX508": _USELESS}
"""What a rule says of the text that it marks: it has no effect, or is on its way out."""


class Translator:
    """Turns findings into diagnostics of the protocol, as far as the editor understands them."""

    def __init__(self, documents: Documents, pages: Pages, capabilities: types.ClientCapabilities) -> None:
        self._documents = documents
        self._pages = pages
        text_document = capabilities.text_document
        wanted = text_document and (text_document.publish_diagnostics or text_document.diagnostic)
        self._related = bool(wanted and wanted.related_information)
        self._links = bool(wanted and wanted.code_description_support)
        self._tags = set(wanted.tag_support.value_set) if wanted and wanted.tag_support else set()

    def all_of(self, path: Path, findings: Findings) -> list[types.Diagnostic]:
        """Everything that stands of a file."""
        lines = self.lines_of(path, findings)
        return [self._diagnostic(found, lines, findings) for found in findings.diagnostics]

    def lines_of(self, path: Path, findings: Findings) -> Lines | None:
        """The text of a file as the editor shows it, in lines."""
        document = self._documents.at(path)
        if document is not None:
            return document.lines
        return None if findings.source is None else _on_disk(findings.source.text, self._documents.encoding)

    def _diagnostic(self, found: Diagnostic, lines: Lines | None, findings: Findings) -> types.Diagnostic:
        page = self._pages.page_of(found.code) if self._links else None
        return types.Diagnostic(
            range=_line(found.line) if lines is None else lines.range(*shown_span(found, lines, findings)),
            message=found.message,
            severity=SEVERITIES[found.severity],
            code=found.code,
            code_description=None if page is None else types.CodeDescription(uri_of(page)),
            source=SOURCE,
            tags=[tag for tag in TAGS.get(found.code, ()) if tag in self._tags] or None,
            related_information=list(self._related_to(found)) or None if self._related else None,
            data={"name": found.name, "fingerprint": found.fingerprint},
        )

    def _related_to(self, found: Diagnostic) -> Iterator[types.DiagnosticRelatedInformation]:
        for site in found.related:
            yield self._site(site, site.message)
        if found.launch is not None and (found.launch.path, found.launch.line) != (found.path, found.line):
            yield self._site(found.launch, _in_launch(found.launch.conditions))

    def _site(self, site: Site, message: str) -> types.DiagnosticRelatedInformation:
        document = self._documents.at(site.path)
        span = _line(site.line) if document is None else document.lines.line(site.line - 1)
        return types.DiagnosticRelatedInformation(types.Location(self._documents.uri_of(site.path), span), message)


def shown_span(found: Diagnostic, lines: Lines, findings: Findings) -> tuple[int, int]:
    """The offsets of a finding in the text that the editor shows: it may have taken a byte-order mark off."""
    judged = "" if findings.source is None else findings.source.text
    shift = int(judged.startswith(BOM)) - int(lines.text.startswith(BOM))
    return max(found.start - shift, 0), max(found.end - shift, 0)


def _in_launch(conditions: tuple[str, ...]) -> str:
    from relax_lint.report.text import when

    return f"in this launch{when(conditions)}"


def _line(number: int) -> types.Range:
    """The beginning of a line, counted from 1, of a text that is not at hand."""
    return types.Range(types.Position(number - 1, 0), types.Position(number - 1, 0))


@lru_cache(maxsize=64)
def _on_disk(text: str, encoding: types.PositionEncodingKind | str) -> Lines:
    return Lines(text.removeprefix(BOM), encoding)
