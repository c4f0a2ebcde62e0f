"""What verl's settings are called in Relax, for those who write them as flags: read from the mapping when it is asked.

A name that stands nowhere in the data costs a text search; only one that does has the data parsed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from relax_lint.migrate.mapping import Entry

_SAME_VALUE = ("pass", "switch", "positive", "adam")


def same_in_relax(name: str) -> str | None:
    """The flag of Relax that takes what a setting of verl, written as a flag, is given."""
    found = _entry(name)
    if found is None or len(found.flags) != 1:
        return None
    flag, conversion = found.flags[0]
    return flag if conversion in _SAME_VALUE else None


def otherwise_in_relax(name: str) -> str | None:
    """How Relax is told what a setting of verl says, where no flag takes the same."""
    found = _entry(name)
    return None if found is None or same_in_relax(name) is not None else found.advice or None


def _entry(name: str) -> Entry | None:
    """The entry of a setting that a word of a launch names: by its dotted name, or its last part with the dashes of
    flags."""
    from relax_lint.migrate import mapping

    dotted = mapping.plain_key(name)
    last = dotted.rpartition(".")[2].replace("_", "-")
    if "." in dotted and (found := mapping.entry(dotted)) is not None and (found.flags or found.advice):
        return found
    return mapping.spelled(last) if mapping.may_be_spelled(last) else None
