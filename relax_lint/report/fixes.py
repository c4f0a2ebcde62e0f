"""What is said of fixes: what they leave, and what was done that is more than an edit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.report import shown_path

if TYPE_CHECKING:
    from relax_lint.fixing import Fixed
    from relax_lint.migrate.in_place import Bundle, Rewritten


def remarks(done: Rewritten) -> Iterator[str]:
    """What the fixes do not do, what they take out, and what a rewritten launcher wants of its reader."""
    for dropped in done.fixed.dropped:
        found = dropped.found
        place = f"{shown_path(found.path)}:{found.line}"
        yield f"{place}: the fix of {found.code} ({found.name}) is left out: {dropped.reason}"
    yield from unrest(done.fixed)
    for left in done.fixed.left:
        found = left.found
        yield f"{shown_path(found.path)}:{found.line}: {found.subject} is left to you: {left.reason}"
    for found in sorted(done.fixed.fixed, key=lambda found: (found.path, found.line, found.column)):
        note = found.fix.note() if found.fix is not None and found.fix.note is not None else ""
        if note:
            yield f"{shown_path(found.path)}:{found.line}: {found.subject} is taken out: {note}"
    yield from done.said


def unrest(fixed: Fixed) -> Iterator[str]:
    """Which fixes undo each other, or would go on for ever."""
    for unit, codes in fixed.restless.items():
        left_out = "does not come to rest and is" if len(codes) == 1 else "do not come to rest and are"
        fixes = "fix" if len(codes) == 1 else "fixes"
        yield f"{shown_path(unit)}: the {fixes} of {', '.join(codes)} {left_out} left out; nothing of that is written"


def rewritten(bundle: Bundle) -> str:
    """That a launcher is one of Relax now, and where its original is."""
    told = []
    for path, became, before in bundle.before():
        if path not in (bundle.launcher, bundle.page):
            kept = "git has it as it was" if before is None else f"kept as {before.name}"
            told.append(f"{shown_path(path)} is {became} ({kept})")
        elif before is not None:
            told.append(f"{shown_path(path)} is kept as {before.name}")
    rest = "".join(f"; {each}" for each in told)
    return f"{shown_path(bundle.launcher)} is rewritten for Relax: {shown_path(bundle.page)} says all{rest}"
