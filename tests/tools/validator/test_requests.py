from __future__ import annotations

from tools.validator.requests import Request, distinct, edited, flag_of, groups, joined

ARGV = ("stray", "--lr", "1e-6", "--colocate", "--eval-prompt-data", "a", "b", "--lr=2")


def test_a_command_line_is_cut_before_its_flags() -> None:
    parts = groups(ARGV)
    assert parts == [["stray"], ["--lr", "1e-6"], ["--colocate"], ["--eval-prompt-data", "a", "b"], ["--lr=2"]]
    assert joined(parts) == ARGV
    assert [flag_of(part) for part in parts] == ["stray", "--lr", "--colocate", "--eval-prompt-data", "--lr"]
    assert groups(()) == []


def test_what_is_given_takes_the_place_of_all_that_was_there() -> None:
    assert edited(ARGV, ["--lr", "-1"]) == ("stray", "--colocate", "--eval-prompt-data", "a", "b", "--lr", "-1")
    assert edited(ARGV, ["--new"], ["--lr", "--eval-prompt-data"]) == ("stray", "--colocate", "--new")
    assert edited(ARGV, []) == ARGV


def test_equal_command_lines_are_judged_once_in_each_surroundings() -> None:
    plain = Request("a", "add", ("--x",))
    same = Request("b", "drop", ("--x",))
    elsewhere = Request("a", "aimed", ("--x",), environment={"A": None})
    assert list(distinct([plain, same, elsewhere, elsewhere])) == [plain, elsewhere]
