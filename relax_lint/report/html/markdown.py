"""Markdown as HTML, as far as manual pages and MIGRATION.md use it; all else in it stays text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from relax_lint.report.html.markup import Html, code, element, join, prose, scrolling, text

Row = Callable[[Sequence[str], Sequence[str]], dict[str, str]]
"""What a row of a table has as attributes, by the head and its cells."""

_INLINE = re.compile(
    r"(?P<ticks>`+) ?(?P<code>.+?) ?(?P=ticks)(?!`)|(?P<br><br>)"
    r"|\*\*(?P<strong>[^*]+)\*\*|(?<!\*)\*(?P<em>[^*\s][^*]*)\*"
)
_ITEM = re.compile(r"^(?:-|\d+\.) +", re.MULTILINE)
_NUMBERED = re.compile(r"\d+\. ")
_BAR = re.compile(r"(?<!\\)\|")
_INDENT = "    "


def markdown(page: str, row: Row | None = None) -> Iterator[Html]:
    """Headings, paragraphs, lists, tables and indented code, one after the other."""
    for indented, blocks in groupby(page.strip("\n").split("\n\n"), key=lambda block: block.startswith(_INDENT)):
        if indented:
            lines = (line.removeprefix(_INDENT) for line in "\n\n".join(blocks).split("\n"))
            yield scrolling("example", element("pre", text("\n".join(lines), "\n")))
        else:
            yield from (_block(block.strip("\n"), row) for block in blocks if block.strip())


def _block(block: str, row: Row | None) -> Html:
    if block.startswith("#"):
        marks, _, title = block.partition(" ")
        return element(f"h{min(len(marks) + 2, 6)}", inline(title))
    if block.startswith("|"):
        return _table(block.split("\n"), row)
    if _ITEM.match(block):
        kind = "ol" if _NUMBERED.match(block) else "ul"
        return element(kind, *(element("li", inline(item)) for item in _ITEM.split(block)[1:]))
    return element("p", inline(block))


def _table(lines: Sequence[str], row: Row | None) -> Html:
    head, _, *rows = [*(_cells(line) for line in lines), [], []][: max(len(lines), 2)]
    titles = element("tr", *(element("th", inline(cell), scope="col") for cell in head))
    body = [
        element("tr", *(element("td", inline(cell)) for cell in cells), **(row(head, cells) if row is not None else {}))
        for cells in rows
    ]
    return scrolling("table", element("table", element("thead", titles), element("tbody", *body)))


def _cells(line: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in _BAR.split(line.strip())[1:-1]]


def inline(paragraph: str) -> Html:
    """Code, emphasis and ends of lines in a paragraph."""
    lines = [" ".join(line.split()) for line in paragraph.split("\\\n")]
    return join([join(_spans(line)) for line in lines], Html("<br>"))


def _spans(line: str) -> Iterator[Html]:
    end = 0
    for found in _INLINE.finditer(line):
        yield prose(line[end : found.start()])
        end = found.end()
        if found["code"]:
            yield code(found["code"])
        elif found["br"]:
            yield Html("<br>")
        else:
            yield element("strong" if found["strong"] else "em", found["strong"] or found["em"])
    yield prose(line[end:])
