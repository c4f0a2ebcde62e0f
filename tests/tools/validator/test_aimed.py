from __future__ import annotations

import random
from pathlib import Path

import pytest
import yaml

from tools.validator.aimed import (
    BASES,
    FILES,
    ROWS,
    BadRow,
    Row,
    aimed,
    aimed_elsewhere,
    bases_among,
    row_in,
    rows_in,
    write_files,
)
from tools.validator.requests import Request

LAUNCH = Request("scripts/training/text/run-qwen3-4B-8xgpu.sh", "launch", ("--lr", "1", "--save", "/s"))


@pytest.mark.parametrize(
    ("line", "row"),
    [
        ("5 colocate: --lr 2", Row("colocate", ("--lr", "2"))),
        ("- sft: --resource '{\"a\": [1, 8]}'", Row("sft", ("--resource", '{"a": [1, 8]}'))),
        ("5 sft: --lr 2 | without --save --load", Row("sft", ("--lr", "2"), ("--save", "--load"))),
        ("5 sft: | without --save", Row("sft", (), ("--save",))),
        ("5 sft: | env A=b=c | unset B", Row("sft", (), environment={"A": "b=c", "B": None})),
        ("5 sft: --load /x | missing /x | saved", Row("sft", ("--load", "/x"), missing=("/x",), saved=True)),
        ('5 sft: | config {"a": {"b": 1}}', Row("sft", (), config={"a": {"b": 1}})),
        ("5 sft: --pattern '**|**'", Row("sft", ("--pattern", "**|**"))),
    ],
)
def test_rows_are_read(line: str, row: Row) -> None:
    assert row_in(line) == row


@pytest.mark.parametrize("line", ["5 sft --lr 2", "sft: --lr 2", "5 sft: --lr 2 | with --save", "5 6 sft: --lr"])
def test_a_row_that_says_nothing_is_refused(line: str) -> None:
    with pytest.raises(BadRow, match="sft"):
        row_in(line)


def test_headings_and_comments_are_no_rows() -> None:
    assert [row.base for row in rows_in("# a: b\n[file.py]\n\n1 sft: --x\n")] == ["sft"]


def test_every_row_of_the_project_can_be_used() -> None:
    rows = list(rows_in(ROWS.read_text(encoding="utf-8")))
    assert len(rows) > 250
    assert {row.base for row in rows} == set(BASES)
    used = {word.removeprefix("FILES/") for row in rows for word in row.words if word.startswith("FILES/")}
    assert used == set(FILES)


def test_a_row_edits_its_base() -> None:
    rows = [row_in("1 colocate: --lr 2 --f FILES/a | without --save | missing /x"), row_in("1 sft: --lr 2")]
    (request,) = aimed(rows, [LAUNCH], "/tmp/files")
    assert request.argv == ("--lr", "2", "--f", "/tmp/files/a")
    assert request.kind == "combined"
    assert request.missing == ("/x",)
    assert request.change == "--lr 2 --f /tmp/files/a without --save"


def test_a_row_edits_any_launch() -> None:
    request = aimed_elsewhere([row_in("1 sft: --lr 2")], [LAUNCH], "", random.Random(1))
    assert request.argv == ("--save", "/s", "--lr", "2")
    assert request.kind == "aimed"


def test_bases_run_without_an_argument() -> None:
    other = Request(f"{LAUNCH.name} sync", "launch", ())
    assert bases_among([other, LAUNCH]) == {"colocate": LAUNCH}


def test_files_are_yaml(tmp_path: Path) -> None:
    write_files(tmp_path)
    assert {path.name: yaml.safe_load(path.read_text()) for path in tmp_path.iterdir()} == FILES
