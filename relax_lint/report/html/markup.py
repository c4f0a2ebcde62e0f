"""HTML out of text: everything that comes from a recipe is escaped exactly once, and what cannot be seen is shown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

_VOID = frozenset(("br", "col", "input", "meta", "wbr"))
_SEEN = "\N{IDEOGRAPHIC SPACE}"
"""A blank of East Asian writing, which Python does not count as printable."""
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_FLAG = re.compile(r"(?<![\w-])--[a-zA-Z][\w-]*")


class Html(str):
    """Markup that is finished: it is not escaped again."""

    __slots__ = ()


Child = str | None
EMPTY = Html("")


def text(value: str, keep: str = "") -> Html:
    """A text as markup. Control characters, directions of writing and bytes that are no text stand as their names."""
    if isinstance(value, Html):
        return value
    if value.isprintable():
        return Html(escape(value))
    return Html("".join(escape(one) if _is_seen(one) or one in keep else _name(one) for one in value))


def _is_seen(character: str) -> bool:
    return character.isprintable() or character == _SEEN


def _name(character: str) -> str:
    return f'<span class="unseen">{name_of(character)}</span>'


def name_of(character: str) -> str:
    """What stands for a character that cannot be seen."""
    number = ord(character)
    if number < 0x80:
        return _SHORT.get(character, f"\\x{number:02x}")
    if 0xDC80 <= number <= 0xDCFF:
        return f"\\x{number - 0xDC00:02x}"
    return f"U+{number:04X}"


def plain(value: str) -> str:
    """A text without what cannot be seen, for attributes and titles; it is not escaped."""
    if value.isprintable():
        return value
    return "".join(one if _is_seen(one) else name_of(one) for one in value)


def element(name: str, /, *children: Child, **attributes: str | float | bool | None) -> Html:
    """An element. Children that are no markup are escaped; ``class_`` is ``class``, ``data_x`` is ``data-x``."""
    given = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escape(plain(str(value)))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in _VOID:
        return Html(f"<{name}{given}>")
    return Html(f"<{name}{given}>{join(children)}</{name}>")


def join(children: Iterable[Child], between: str = "") -> Html:
    """Markup one behind the other."""
    return Html(text(between).join(text(child) for child in children if child))


def code(value: str) -> Html:
    """A text as code."""
    return element("code", value)


def prose(value: str) -> Html:
    """A sentence in which flags are code."""
    parts, end = [], 0
    for found in _FLAG.finditer(value):
        parts += [text(value[end : found.start()]), code(found[0])]
        end = found.end()
    return join([*parts, text(value[end:])])


def folded(summary: Child, *children: Child, opened: bool = False, **attributes: str | None) -> Html:
    """What unfolds under its summary, without any script."""
    return element("details", element("summary", summary), *children, open=opened, **attributes)


def scrolling(label: str, *children: Child, class_: str = "") -> Html:
    """What may be wider than the page and scrolls inside, by keys, too."""
    kind = f"scroll {class_}".rstrip()
    return element("div", *children, class_=kind, tabindex=0, role="group", aria_label=label)
