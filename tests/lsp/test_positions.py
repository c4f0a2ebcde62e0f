"""Places as the protocol counts them."""

from __future__ import annotations

import pytest
from lsprotocol.types import Position, PositionEncodingKind

from relax_lint.lsp.edits import replacements
from relax_lint.lsp.positions import Lines

TEXT = "a\U0001f600b\r\nzwei é\rdrei\n\x0cvier\u2028noch vier"
UTF8, UTF16, UTF32 = PositionEncodingKind.Utf8, PositionEncodingKind.Utf16, PositionEncodingKind.Utf32


@pytest.mark.parametrize("encoding", PositionEncodingKind)
def test_every_offset_comes_back(encoding: PositionEncodingKind) -> None:
    lines = Lines(TEXT, encoding)
    for offset in range(len(TEXT) + 1):
        if TEXT[offset - 1 : offset + 1] != "\r\n":
            assert lines.offset(lines.position(offset)) == offset


@pytest.mark.parametrize(
    ("encoding", "piece", "line", "character"),
    [
        (UTF16, "b", 0, 3),
        (UTF8, "b", 0, 5),
        (UTF32, "b", 0, 2),
        (UTF8, "\rdrei", 1, 7),
        (UTF16, "drei", 2, 0),
        (UTF16, "vier", 3, 1),
        (UTF16, "noch", 3, 6),
        (UTF8, "noch", 3, 8),
    ],
)
def test_columns_are_in_the_units_that_were_agreed_on(
    encoding: PositionEncodingKind, piece: str, line: int, character: int
) -> None:
    assert Lines(TEXT, encoding).position(TEXT.index(piece)) == Position(line, character)


@pytest.mark.parametrize(
    ("position", "offset"),
    [
        (Position(0, 99), TEXT.index("\r\n")),  # beyond the line: its end
        (Position(0, 2), 1),  # in the middle of a character: before it
        (Position(99, 0), len(TEXT)),
        (Position(3, 99), len(TEXT)),
    ],
)
def test_places_that_are_not_there_are_moved_to_the_nearest_before(position: Position, offset: int) -> None:
    assert Lines(TEXT, UTF16).offset(position) == offset


def test_the_middle_of_a_lines_end_is_the_end_of_the_line() -> None:
    assert Lines("a\r\nb").position(2) == Position(0, 1)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("a b\nc\n", "a b\nc\n", []),
        ("a b\nc\n", "a x b\nc\n", [(2, 2, "x ")]),
        ("a\nb\nc\n", "a\nc\n", [(2, 4, "")]),
        ("a\r\nb\r\n", "a\r\nb\r\nc\r\n", [(6, 6, "c\r\n")]),
        ("a \\ \r\nb\r\n", "a \\\r\nb\r\n", [(3, 4, "")]),
        ("", "new\n", [(0, 0, "new\n")]),
    ],
)
def test_no_more_is_replaced_than_differs(before: str, after: str, expected: list[tuple[int, int, str]]) -> None:
    assert list(replacements(before, after)) == expected
