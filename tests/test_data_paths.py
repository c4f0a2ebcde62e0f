"""The forms in which Relax takes paths of data."""

from __future__ import annotations

from pathlib import Path

import pytest

from relax_lint.data_paths import ALL_ROWS, Rows, plan_of, sliced
from relax_lint.files import Files, MemoryFiles
from tests.cases import for_each

HERE = Path("/project")
TREE = MemoryFiles(
    {
        HERE / path: b""
        for path in ("data/b.parquet", "data/a.jsonl", "data/deep/c.jsonl", "data/notes.txt", "data/d.PARQUET")
    }
)


def named(text: str, files: Files = TREE) -> list[str]:
    return [item.text for item in plan_of(text, HERE, files).paths]


@pytest.mark.parametrize(
    ("text", "path", "rows"),
    [
        ("a.jsonl", "a.jsonl", ALL_ROWS),
        ("a.jsonl@[0:100]", "a.jsonl", Rows(0, 100)),
        ("a.jsonl@[:5]", "a.jsonl", Rows(None, 5)),
        ("a.jsonl@[-5:]", "a.jsonl", Rows(-5, None)),
        ("a.jsonl@[1:9:2]", "a.jsonl@[1:9:2]", ALL_ROWS),
        ("a@[1:2]@[3:4]", "a@[1:2]", Rows(3, 4)),
    ],
)
def test_slices(text: str, path: str, rows: Rows) -> None:
    assert sliced(text) == (path, rows)


@for_each(
    ("text", "paths"),
    [
        ("data/a.jsonl", ["data/a.jsonl"]),
        ("data", ["data/a.jsonl", "data/b.parquet", "data/deep/c.jsonl"]),
        ("data/", ["data/a.jsonl", "data/b.parquet", "data/deep/c.jsonl"]),
        ("['data/b.parquet', 'data/a.jsonl']", ["data/b.parquet", "data/a.jsonl"]),
        ("[data/b.parquet,data/a.jsonl]", ["data/b.parquet", "data/a.jsonl"]),
        ("(data/b.parquet, 'data/a.jsonl')", ["data/b.parquet", "data/a.jsonl"]),
        ("['data/deep', 'x.jsonl']", ["data/deep/c.jsonl", "x.jsonl"]),
        ("[data/deep,x.jsonl]", ["data/deep", "x.jsonl"]),
        ("[]", []),
        ("data/*.jsonl", ["data/*.jsonl"]),
        ("", [""]),
    ],
)
def test_paths_of_a_text(text: str, paths: list[str]) -> None:
    assert named(text) == paths


def test_items_of_a_list_have_slices_of_their_own_and_the_list_has_one() -> None:
    plan = plan_of("['data/a.jsonl@[0:5]', data/b.parquet]@[2:]", HERE, TREE)
    assert plan.rows == Rows(2, None)
    plan = plan_of("['data/a.jsonl@[0:5]', 'data/b.parquet']@[2:]", HERE, TREE)
    assert [(item.path, item.rows) for item in plan.paths] == [
        (HERE / "data/a.jsonl", Rows(0, 5)),
        (HERE / "data/b.parquet", ALL_ROWS),
    ]


def test_only_two_endings_are_loaded() -> None:
    texts = ("a.jsonl", "a.parquet", "a.json", "a.Parquet", "a")
    assert [plan_of(text, HERE, TREE).paths[0].is_loadable for text in texts] == [True, True, False, False, False]


def test_what_is_no_python_literal_is_split_at_commas_however_odd() -> None:
    assert named("[" * 5000 + "]" * 5000) == ["[" * 4999 + "]" * 4999]
    assert named("[a\0b.jsonl]") == ["a\0b.jsonl"]
