"""Characters that nobody sees."""

from __future__ import annotations

import pytest

from relax_lint.invisible import invisible_in, visible


@pytest.mark.parametrize(
    ("text", "unseen", "seen"),
    [
        ("--lr 1", None, "--lr 1"),
        ("naïve–“x”", None, "naïve–“x”"),
        ("--lr\u00a01", "no-break space (U+00A0)", "--lr 1"),
        ("--lr\u200b", "zero width space (U+200B)", "--lr"),
        ("\u3000--lr\u00ad", "ideographic space (U+3000)", "--lr"),
    ],
)
def test_they_are_named_and_taken_for_what_they_look_like(text: str, unseen: str | None, seen: str) -> None:
    assert invisible_in(text) == unseen
    assert visible(text) == seen
