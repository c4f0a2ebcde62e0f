from __future__ import annotations

import pytest

from relax_lint.report.columns import WIDTH, hanging, row, shortened, wrapped
from tests.cases import for_each

PATH = "/data/models/very/long/directory/names/in/it/Qwen3-8B/config.json"


@for_each("width", range(30, 66))
def test_a_path_loses_whole_directories_of_its_middle(width: int) -> None:
    short = shortened(PATH, width)
    assert len(short) <= width
    assert short.endswith("/Qwen3-8B/config.json") or width < 32
    assert short == PATH or short.startswith("/data/…/")


@pytest.mark.parametrize("text", ["x" * 100, "a/" + "x" * 100, "/" + "x" * 100, "$(cat <<EOF / " + "y" * 90])
def test_any_text_fits(text: str) -> None:
    for width in (10, 33, 72):
        short = shortened(text, width)
        assert len(short) <= width
        assert "…" in short
    assert shortened(text, 200) == text


def test_a_text_is_broken_at_blanks_and_behind_commas() -> None:
    assert wrapped("one two  three", 9) == ["one two", "three"]
    assert wrapped('{"a": [1, 2],"b": 3}', 12) == ['{"a": [1,', '2],"b": 3}']
    assert wrapped("1,2,3,4,5,6", 5) == ["1,2,", "3,4,", "5,6"]
    assert wrapped("", 5) == [""]


def test_what_takes_too_many_lines_is_left_out_and_counted() -> None:
    lines = wrapped(" ".join(f"word{number}" for number in range(20)), 8, 4)
    assert lines == ["word0", "word1", "… 17 lines more …", "word19"]


def test_a_row_has_its_place_at_the_edge_whatever_is_in_it() -> None:
    assert row("    --lr", "1e-6", ":12", 20) == [f"{'    --lr':<20}1e-6{':12':>{WIDTH - 24}}"]
    long = row("    --path", "word " * 20, "other.sh:12", 20)
    assert len(long[0]) == WIDTH
    assert long[0].endswith("other.sh:12")
    assert all(line.startswith("        word") and len(line) <= WIDTH for line in long[1:])
    assert row("    --switch", "", "", 20) == ["    --switch"]
    assert row(f"    {'k' * 90}", "1", ":7", 20) == [f"    {'k' * 90}", f"{'':<8}1{':7':>{WIDTH - 9}}"]


def test_further_lines_hang_under_the_first() -> None:
    assert hanging("  when", "a " * 60, 12)[1].startswith(" " * 12 + "a")
