"""What chooses among the rows of a report. It needs the script, and is not there without it."""

from __future__ import annotations

from collections.abc import Sequence

from relax_lint.records import record
from relax_lint.report.html.markup import Html, element, join


@record
class Choice:
    """A button that shows only items whose ``group`` is ``value``, several of one group together."""

    group: str
    value: str
    count: int
    label: str = ""


def toolbar(of: str, noun: str, choices: Sequence[Choice], count: int) -> Html:
    """Buttons and a field to search by, for the items in the element of an id."""
    buttons = [
        element(
            "button",
            element("span", choice.label or choice.value),
            " ",
            element("span", str(choice.count), class_="count"),
            type="button",
            aria_pressed="false",
            data_group=choice.group,
            data_value=choice.value,
            class_=f"chip {choice.value.replace(' ', '-')}",
        )
        for choice in choices
    ]
    field = element(
        "input", type="search", placeholder=f"search {count} {noun}s", aria_label=f"search {noun}s", autocomplete="off"
    )
    said = element("output", aria_live="polite", class_="muted")
    return element("div", join(buttons), field, said, class_="toolbar", data_for=of, hidden=True)
