"""GitHub's names of lines; what they are to be was worked out by GitHub's own action."""

from __future__ import annotations

import pytest

from relax_lint.report.line_hashes import LineHashes

GREETINGS = [
    "e9496ae3ebfced30:1", "fb7c023a8b9ccb3f:1", "ce8ba1a563dcdaca:1", "e20e36e16fcb0cc8:1",
    "b3edc88f2938467e:1", "c8e28b0b4002a3a0:1", "c129715d7a2bc9a3:1",
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["c129715d7a2bc9a3:1"]),
        (
            " a\nb\n  \t\tc\n d",
            ["271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"],
        ),
        (" hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End\n", GREETINGS),
        (" hello; \t\r\nworld!!!\r\n\r\n\r\n  \t\tGreetings\r\n End\r\n", GREETINGS),
        (" hello; \t\nworld!!!\r\n\n\r  \t\tGreetings\r End\r\n", GREETINGS),
        (
            "Lorem ipsum dolor sit amet.\n" * 10,
            [
                *(f"a7f2ff13bc495cf2:{count}" for count in range(1, 7)),
                "a7f2ff1481e87703:1", "a9cf91f7bbf1862b:1", "55ec222b86bcae53:1", "cc97dc7b1d7d8f7b:1",
                "c129715d7a2bc9a3:1",
            ],
        ),
    ],
)  # fmt: skip
def test_lines_have_the_names_that_github_gives_them(text: str, expected: list[str]) -> None:
    lines = LineHashes(text.encode())
    assert [lines.of(number) for number in range(1, len(expected) + 1)] == expected
    assert lines.of(len(expected) + 1) is None


def test_characters_beyond_the_first_plane_and_bytes_that_are_no_text() -> None:
    text = "x = '\N{GRINNING FACE}\u0a00\u000a'\nbad\n"
    assert LineHashes(text.encode()).of(3) == LineHashes(b"\n\nbad\n").of(3)
    assert LineHashes(b"\xff\nbad\n").of(2) == LineHashes(b"\nbad\n").of(2)
