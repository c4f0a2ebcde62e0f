"""The manual pages of the rules that a report names: their Markdown as HTML, as far as they use it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from relax_lint.report.html.markup import Html, code, element, folded, join, scrolling, text

if TYPE_CHECKING:
    from relax_lint.rules import Rule

_INLINE = re.compile(r"(?P<ticks>`+) ?(?P<code>.+?) ?(?P=ticks)(?!`)|\*\*(?P<strong>[^*]+)\*\*")
_ITEM = re.compile(r"^- ", re.MULTILINE)
_FIXES = {"safe": "fixed by --fix", "unsafe": "fixed by --unsafe-fixes", "": "no fix"}
_INDENT = "    "


def summary_of(rule: Rule) -> str:
    """What a rule is about, in a sentence."""
    return " ".join(inspect.cleandoc(rule.doc).split("\n\n", 1)[0].split())


def manual(rule: Rule) -> Html:
    """The page of one rule, under an id that findings lead to."""
    name = element("span", element("span", f"{rule.code} {rule.name}", class_="rule"), " ", inline(summary_of(rule)))
    kind = element("p", f"{rule.severity.value} · {_FIXES[rule.fixable]}", class_="muted")
    _, _, rest = inspect.cleandoc(rule.doc).partition("\n\n")
    return folded(name, element("div", kind, *markdown(rest), id=f"rule-{rule.code}"), class_="manual")


def markdown(page: str) -> Iterator[Html]:
    """Headings, paragraphs, lists and indented code."""
    for indented, blocks in groupby(page.split("\n\n"), key=lambda block: block.startswith(_INDENT)):
        if indented:
            lines = (line.removeprefix(_INDENT) for line in "\n\n".join(blocks).split("\n"))
            yield scrolling("example", element("pre", text("\n".join(lines), "\n")))
        else:
            yield from map(_block, blocks)


def _block(block: str) -> Html:
    if block.startswith("#"):
        return element("h4", block.lstrip("# "))
    if block.startswith("- "):
        return element("ul", *(element("li", inline(item)) for item in _ITEM.split(block)[1:]))
    return element("p", inline(block))


def inline(line: str) -> Html:
    """Code and emphasis in a paragraph."""
    line, parts, end = " ".join(line.split()), [], 0
    for found in _INLINE.finditer(line):
        parts.append(text(line[end : found.start()]))
        parts.append(code(found["code"]) if found["code"] else element("strong", found["strong"]))
        end = found.end()
    return join([*parts, text(line[end:])])
