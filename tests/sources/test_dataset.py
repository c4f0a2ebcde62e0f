"""Data files: columns, bounded samples, all rows in pieces, and files that cannot be read."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from relax_lint.data_paths import DataPath, Rows
from relax_lint.extras import how_to_install
from relax_lint.files import Files
from relax_lint.sources.columns import merged, type_of
from relax_lint.sources.dataset import BATCH_BYTES, BATCH_ROWS, SAMPLE_BYTES, SAMPLE_ROWS, DataFile
from tests.parquet_files import asked, image, parquet, reads_nulls_in_lists_of_one_size, write_parquet


def opened(path: Path, rows: Rows | None = None) -> DataFile:
    return DataFile(DataPath(path.name, path, rows or Rows()), Files())


def jsonl(path: Path, *lines: object) -> Path:
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return path


# ------------------------------------------------------------ columns


def test_columns_of_a_parquet_file_come_from_its_footer(tmp_path: Path) -> None:
    schema = pa.schema(
        {
            "prompt": pa.list_(pa.struct({"role": pa.string(), "content": pa.large_string()})),
            "images": pa.list_(pa.struct({"bytes": pa.binary(), "path": pa.string()})),
            "label": pa.dictionary(pa.int32(), pa.string()),
            "reward_model": pa.struct({"ground_truth": pa.string()}),
            "extra": pa.map_(pa.string(), pa.int64()),
            "score": pa.float32(),
            "flag": pa.bool_(),
            "nothing": pa.null(),
            "when": pa.timestamp("ms"),
        }
    )
    file = opened(write_parquet(tmp_path / "a.parquet", [], schema))
    assert {name: kind.text for name, kind in file.columns.items()} == {
        "prompt": "list<struct<role: string, content: string>>",
        "images": "list<struct<bytes: binary, path: string>>",
        "label": "string",
        "reward_model": "struct<ground_truth: string>",
        "extra": "map<string, integer>",
        "score": "float",
        "flag": "boolean",
        "nothing": "null",
        "when": "timestamp[ms]",
    }
    assert file.row_count == 0


def test_columns_of_a_json_file_come_from_its_rows(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "a.jsonl", {"a": 1, "b": {"x": "y"}}, {"a": 2.5, "b": None, "c": [1]}, {"a": None, "c": "z"}
    )
    kinds = {name: kind.text for name, kind in opened(path).columns.items()}
    assert kinds == {"a": "float", "b": "struct<x: string>", "c": "mixed"}


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([[], [1]], "list<integer>"),
        ([{"a": 1}, {"b": "x"}], "struct<a: integer, b: string>"),
        ([None, None], "null"),
        (["x", 1], "mixed"),
        ([[{"role": "user"}], [{"role": None}]], "list<struct<role: string>>"),
    ],
)
def test_types_of_several_values(values: list[Any], text: str) -> None:
    assert merged(map(type_of, values)).text == text


# ------------------------------------------------------------ rows


def test_a_sample_is_bounded_in_rows(tmp_path: Path) -> None:
    rows = [{"label": str(number)} for number in range(SAMPLE_ROWS + 100)]
    for path in (
        write_parquet(tmp_path / "a.parquet", rows, row_group_size=100),
        jsonl(tmp_path / "a.jsonl", *rows),
    ):
        assert opened(path).sample("label") == rows[:SAMPLE_ROWS]


def test_a_sample_is_bounded_in_bytes(tmp_path: Path) -> None:
    text = "".join(chr(97 + number % 26) for number in range(100_000))
    rows = [{"prompt": f"{number}{text}"} for number in range(200)]
    few = len(opened(write_parquet(tmp_path / "a.parquet", rows)).sample("prompt"))
    assert 0 < few <= SAMPLE_BYTES // 100_000 + 1
    assert 0 < len(opened(jsonl(tmp_path / "a.jsonl", *rows)).sample("prompt")) <= SAMPLE_BYTES // 100_000 + 1


def test_of_counted_columns_only_the_smallest_part_is_read(tmp_path: Path) -> None:
    rows = [{"images": [image(size=10_000 + number)] * (number % 3)} for number in range(40)]
    sample = opened(write_parquet(tmp_path / "a.parquet", rows)).sample("images", counted=("images",))
    assert [len(row["images"]) for row in sample] == [number % 3 for number in range(40)]
    assert sample[1]["images"] == [{"path": None}]


def test_only_the_columns_that_are_there_are_given(tmp_path: Path) -> None:
    row = {"a": 1, "b.c": 2}
    for path in (write_parquet(tmp_path / "a.parquet", [row]), jsonl(tmp_path / "a.jsonl", row)):
        assert opened(path).sample("b.c", "nothing") == [{"b.c": 2}]
        assert opened(path).sample("nothing") in ([], [{}])


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (Rows(0, 3), [0, 1, 2]),
        (Rows(8, None), [8, 9]),
        (Rows(4, 6), [4, 5]),
        (Rows(None, 2), [0, 1]),
        (Rows(20, 30), []),
    ],
)
def test_slices_of_rows(tmp_path: Path, rows: Rows, expected: list[int]) -> None:
    data = [{"n": number} for number in range(10)]
    for path in (write_parquet(tmp_path / "a.parquet", data, row_group_size=4), jsonl(tmp_path / "a.jsonl", *data)):
        file = opened(path, rows)
        assert [row["n"] for row in file.sample("n")] == expected
        assert [row["n"] for batch in file.batches("n") for row in batch] == expected
        assert file.count == len(expected)


def test_negative_bounds_count_from_the_end_of_parquet(tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "a.parquet", [{"n": number} for number in range(10)])
    assert [row["n"] for row in opened(path, Rows(-3, -1)).sample("n")] == [7, 8]


def test_batches_hold_all_rows_a_bounded_number_at_a_time(tmp_path: Path) -> None:
    rows = [{"n": number, "prompt": asked(str(number))} for number in range(1000)]
    for path in (write_parquet(tmp_path / "a.parquet", rows), jsonl(tmp_path / "a.jsonl", *rows)):
        batches = list(opened(path).batches())
        assert [row for batch in batches for row in batch] == rows
        assert max(map(len, batches)) <= BATCH_ROWS


def test_nulls_are_told_by_the_footer(tmp_path: Path) -> None:
    rows = [{"label": None if number % 10 == 0 else "x", "prompt": asked("x")} for number in range(100)]
    file = opened(write_parquet(tmp_path / "a.parquet", rows, row_group_size=30))
    assert file.nulls("label") == 10
    assert file.nulls("prompt") is None


# ------------------------------------------------------------ trouble


def test_lines_that_are_no_json_are_left_out_and_counted(tmp_path: Path) -> None:
    file = opened(jsonl(tmp_path / "a.jsonl", {"a": 1}, "", "{broken", "  ", {"a": 2}, "[1]"))
    assert file.sample("a") == [{"a": 1}, {"a": 2}]
    assert (file.bad_lines, file.odd_rows, file.problem) == (1, 1, None)


@pytest.mark.parametrize(
    "data", [b"", b"PAR1", b"no parquet at all", parquet([{"a": 1}])[:-20], b"PAR1" + b"\xff" * 50 + b"PAR1"]
)
def test_a_broken_parquet_file_is_no_traceback(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(data)
    file = opened(path)
    assert file.columns == {}
    assert file.problem
    assert "\n" not in file.problem


def test_parquet_whose_rows_are_broken_has_columns_and_says_why(tmp_path: Path) -> None:
    data = bytearray(parquet([{"label": f"label {number}"} for number in range(1000)], compression="snappy"))
    data[8:400] = b"\xff" * 392
    path = tmp_path / "a.parquet"
    path.write_bytes(data)
    file = opened(path)
    assert list(file.columns) == ["label"]
    assert file.sample("label") == []
    assert file.problem


def test_bytes_that_are_no_text_end_a_json_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": 1}\n\xff\xfe\n{"a": 2}\n')
    file = opened(path)
    assert file.sample("a") == [{"a": 1}]
    assert file.problem == "line 2 is not valid UTF-8"


def test_without_pyarrow_it_is_named_with_the_command_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_parquet(tmp_path / "a.parquet", [{"a": 1}])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    file = opened(path)
    assert file.columns == {}
    assert file.needs_pyarrow
    assert file.problem == f"reading parquet needs pyarrow: {how_to_install('data')}"


OF_ONE_SIZE = [
    pa.list_(pa.int64(), 1 << 20),
    pa.list_(pa.list_(pa.string(), 1 << 10), 1 << 10),
    pa.struct([("a", pa.binary(1 << 21)), ("b", pa.list_(pa.int8(), 1 << 19))]),
]


@pytest.mark.parametrize("kind", [pa.binary(1 << 22), *(OF_ONE_SIZE if reads_nulls_in_lists_of_one_size() else [])])
def test_values_that_are_not_there_count_with_the_memory_that_they_take(tmp_path: Path, kind: pa.DataType) -> None:
    file = opened(
        write_parquet(
            tmp_path / "a.parquet", [{"x": None, "label": "a"}] * 20, pa.schema({"x": kind, "label": pa.string()})
        )
    )
    assert [len(batch) for batch in file.batches("label")] == [20]
    assert max(len(batch) for batch in file.batches()) <= BATCH_BYTES >> 22
    assert len(file.sample("x")) <= SAMPLE_BYTES >> 22
    assert file.problem is None


@pytest.mark.parametrize(
    "kind", [pa.binary(100 << 20), pa.list_(pa.string(), 25 << 20), pa.list_(pa.list_(pa.int8(), 5000), 5000)]
)
@pytest.mark.parametrize(
    "around",
    [lambda kind: kind, lambda kind: pa.list_(pa.struct([("a", kind)])), lambda kind: pa.map_(pa.string(), kind)],
)
def test_a_value_that_takes_more_than_memory_is_not_read(
    tmp_path: Path, kind: pa.DataType, around: Callable[[pa.DataType], pa.DataType]
) -> None:
    file = opened(write_parquet(tmp_path / "a.parquet", [], pa.schema({"x": around(kind)})))
    assert file.columns == {}
    assert file.problem is not None
    assert file.problem.startswith("a value of the column x takes ")
