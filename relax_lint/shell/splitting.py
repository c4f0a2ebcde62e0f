"""Splitting: from the expanded parts of a word to fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from relax_lint.diagnostics import Place
from relax_lint.shell.operators import Between
from relax_lint.shell.values import Chunk, Known, Root, Sym

# (characters, quoted, subject to splitting, the place of an array's element); None stands between two elements.
Segment: TypeAlias = tuple[Chunk, bool, bool, Place | None] | Between | None

Field = tuple[list[tuple[Chunk, bool]], Place | None, bool]


def split_fields(
    segments: list[Segment], separators: str, piece_root: Callable[[Root, int], Root]
) -> list[Field]:  # fmt: skip
    """Fields with their quoted characters marked.

    Unquoted expansions are split: runs of white space in IFS separate, each other character of IFS ends a field, and
    what is empty and unquoted leaves none.
    """
    fields: list[Field] = []
    current: list[tuple[Chunk, bool]] | None = None
    places: list[Place | None] = []
    many = False
    after = "start"
    blank = "".join(char for char in separators if char in " \t\n")

    def flush() -> None:
        nonlocal current, many
        if current is not None:
            fields.append((current, places[0] if all(place is places[0] for place in places) else None, many))
        current, many = None, False
        places.clear()

    for segment in segments:
        if isinstance(segment, Between) and segment.split:
            segment = (Known(segment.split), False, True, None)
        if not isinstance(segment, tuple):
            flush()
            after = "start"
            continue
        chunk, quoted, splits, at = segment
        if not splits:
            if isinstance(chunk, Known) and not chunk.text and not quoted:
                continue
            current = current or []
            current.append((chunk, quoted))
            places.append(at)
            many = many or (isinstance(chunk, Sym) and chunk.root.many)
            after = "in"
            continue
        if isinstance(chunk, Sym) and not (chunk.default and set(chunk.default) & set(separators)):
            current = current or []
            current.append((chunk, False))
            places.append(at)
            many, after = many or chunk.default is None, "in"
            continue
        text = chunk.text if isinstance(chunk, Known) else chunk.default or ""
        if text and isinstance(chunk, Known) and not any(separator in text for separator in separators):
            current = current or []
            current.append((chunk, False))
            places.append(at)
            after = "in"
            continue
        begin = 0
        for index, char in enumerate(text):
            if char not in separators:
                continue
            if index > begin:
                current = current or []
                current.append((_slice(chunk, begin, index, piece_root), False))
                places.append(at)
                after = "in"
            begin = index + 1
            if char in blank:
                if current is not None:
                    flush()
                    after = "blank"
            elif current is not None:
                flush()
                after = "mark"
            elif after == "blank":
                after = "mark"
            else:
                fields.append(([(Known(""), True)], None, False))
                after = "mark"
        if begin < len(text):
            current = current or []
            current.append((_slice(chunk, begin, len(text), piece_root), False))
            places.append(at)
            after = "in"
    flush()
    return fields


def _slice(chunk: Chunk, start: int, end: int, piece_root: Callable[[Root, int], Root]) -> Chunk:
    if isinstance(chunk, Sym):
        return Sym(piece_root(chunk.root, start), (chunk.default or "")[start:end])
    if start == 0 and end == len(chunk.text):
        return chunk
    where = chunk.start + start if chunk.source is not None else -1
    return Known(chunk.text[start:end], chunk.source, where)
