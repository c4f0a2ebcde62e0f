"""What a patch makes of the files that it changes."""

from __future__ import annotations

from relax_lint.catalog.reading.patches import Hunk, hunks_of


class DoesNotApply(Exception):
    """A patch and a file that do not fit."""


def apply(hunks: list[Hunk], text: str) -> str:
    """The text with its hunks applied; those that are in it already stay as they are."""
    lines = text.splitlines()
    moved = 0
    for hunk in hunks:
        at = _find(hunk.before, lines, hunk.line - 1 + moved)
        if at is not None:
            lines[at : at + len(hunk.before)] = hunk.after
            moved += len(hunk.after) - len(hunk.before)
        elif _find(hunk.after, lines, hunk.line - 1) is None:
            raise DoesNotApply(f"line {hunk.line}")
    return "\n".join(lines) + "\n"


def _find(wanted: list[str], lines: list[str], near: int) -> int | None:
    """Where a run of lines is, the nearest one to a guess."""
    if not wanted:
        return near
    found = [at for at, line in enumerate(lines) if line == wanted[0] and lines[at : at + len(wanted)] == wanted]
    return min(found, key=lambda at: abs(at - near), default=None)


class Patch:
    """A patch, applied to the files that are read; ``strip`` is left off the paths in it."""

    def __init__(self, text: str, strip: str = "") -> None:
        self._hunks = {path.removeprefix(strip): hunks for path, hunks in hunks_of(text).items()}

    def __call__(self, path: str, data: bytes) -> bytes:
        """The file as the patch leaves it."""
        if path not in self._hunks:
            return data
        try:
            return apply(self._hunks[path], data.decode()).encode()
        except DoesNotApply as problem:
            raise DoesNotApply(f"{path}: {problem}") from None
