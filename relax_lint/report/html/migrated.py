"""A recipe that was made out of verl's: its MIGRATION.md, as it is now, with what chooses among the settings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from relax_lint.report.html.markdown import markdown
from relax_lint.report.html.markup import Html, element, folded, join
from relax_lint.report.html.settings import FATES
from relax_lint.report.html.toolbars import Choice, toolbar

LONGEST = 1_000_000
"""Characters of a page that are shown."""
_HEADING = re.compile(r"^(?=#{1,6} )", re.MULTILINE)
_FOLDED = "### Other defaults"
_FATE = "fate"


def migrated(page: str, of: str) -> Html:
    """The page without its title; the long list of defaults that nobody has to look at is folded."""
    fates: Counter[str] = Counter()

    def attributes(head: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
        at = head.index(_FATE) if _FATE in head else len(cells)
        fate = cells[at] if 0 < at < len(cells) else ""
        if fate not in FATES:
            return {}
        fates[fate] += 1
        return {"data_item": "", "data_fate": fate}

    parts = list(filter(str.strip, map(_without_title, _HEADING.split(page[:LONGEST]))))
    body: list[Html] = []
    first = len(parts)
    for number, part in enumerate(parts):
        body.append(_part(part, [_with_badges(block) for block in markdown(part, attributes)]))
        first = min(first, number) if fates else first
    name = f"migration-{of}"
    choices = [Choice(_FATE, fate, fates[fate]) for fate in FATES if fates[fate]]
    tools = [toolbar(name, "setting", choices, fates.total())] if choices else []
    return element("div", *body[:first], *tools, element("div", *body[first:], id=name), class_="migrated")


def _without_title(part: str) -> str:
    return part.partition("\n")[2] if part.startswith("# ") else part


def _with_badges(block: Html) -> Html:
    """A table whose fates are marked. A cell that is just such a word is nothing else."""
    for fate in FATES:
        badge = element("span", fate, class_=f"fate {fate.replace(' ', '-')}")
        block = Html(block.replace(f"<td>{fate}</td>", f"<td>{badge}</td>"))
    return block


def _part(source: str, drawn: Sequence[Html]) -> Html:
    if not source.startswith(_FOLDED) or not drawn:
        return join(drawn)
    title, _, _ = source.partition("\n")
    return folded(title.lstrip("# "), *drawn[1:])
