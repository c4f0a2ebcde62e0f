"""Characters that nobody sees, and that bash and argparse take for a part of a word."""

from __future__ import annotations

_SPACE, _HIDDEN = "Zs", "Cf"


def invisible_in(text: str) -> str | None:
    """The first such character of a text, by its name and number."""
    if text.isascii():
        return None
    import unicodedata

    found = next((each for each in text if not each.isascii() and _kind(each)), None)
    return None if found is None else f"{unicodedata.name(found, '?').lower()} (U+{ord(found):04X})"


def visible(text: str) -> str:
    """A text with a blank for each such space that is not at its end, and without the others."""
    kinds = {_SPACE: " ", _HIDDEN: ""}
    return "".join(each if each.isascii() else kinds.get(_kind(each), each) for each in text).strip()


def _kind(character: str) -> str:
    import unicodedata

    kind = unicodedata.category(character)
    return kind if kind in (_SPACE, _HIDDEN) else ""
