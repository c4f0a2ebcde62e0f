"""Converted rows are those of the reference."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from relax_lint.conversion import reading, writing
from relax_lint.conversion.columns import Wanted
from relax_lint.conversion.program import run
from tests.conversion.reference import Maker, Row, expected, rows_in, same
from tests.parquet_files import write_parquet


def converted(source: Path, **wanted: Any) -> list[Row]:
    target = source.with_name("converted.parquet")
    assert run(source, target, Wanted(**wanted)) == 0
    return rows_in(target)


@pytest.mark.parametrize("kind", ["text_row", "tool_row", "media_row"])
@pytest.mark.parametrize("seed", range(12))
def test_rows_are_those_of_the_reference(kind: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    maker = Maker(seed)
    rows = [getattr(maker, kind)(number) for number in range(maker.random.randint(1, 200))]
    source = write_parquet(tmp_path / "train.parquet", rows, row_group_size=maker.random.choice([1, 7, 50, 1000]))
    monkeypatch.setattr(reading, "BATCH_BYTES", maker.random.choice([1, 5000, 1 << 20]))
    monkeypatch.setattr(writing, "BATCH_BYTES", maker.random.choice([1, 5000, 1 << 20]))
    read = pq.read_table(source).to_pylist()
    assert same(converted(source), [expected(row) for row in read])


@pytest.mark.parametrize("kind", ["text_row", "tool_row"])
@pytest.mark.parametrize("seed", range(8))
def test_json_lines_too(kind: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    maker = Maker(seed)
    rows = []
    for number in range(maker.random.randint(1, 200)):
        maker.truth = maker.random.choice(["text", "int", "texts", "struct"])  # of all types in one file
        rows.append(getattr(maker, kind)(number))
    source = tmp_path / "train.jsonl"
    source.write_text("\n\n".join(json.dumps(row) for row in rows) + "\n")
    monkeypatch.setattr(reading, "BATCH_ROWS", maker.random.choice([1, 7, 1000]))
    assert same(converted(source), map(expected, rows))


def test_a_label_is_what_the_scorer_was_given(tmp_path: Path) -> None:
    row = Maker(0).text_row(0)
    for number, truth in enumerate(["72", "", "null", 72, 1.0, True, ["a", "ü"], {"target": [1, 2]}, [[1.5], []]]):
        source = write_parquet(tmp_path / f"{number}/a.parquet", [{**row, "reward_model": {"ground_truth": truth}}])
        made = converted(source)[0]
        decoded = (
            json.loads(made["label"]) if made["extra_info"].get("relax_label_encoding") == "json" else made["label"]
        )
        assert decoded == truth
        assert type(decoded) is type(truth)


def test_what_extra_info_has_already_is_kept(tmp_path: Path) -> None:
    row = {**Maker(0).text_row(0), "extra_info": {"data_source": "mine"}, "interaction_kwargs": {"query": "q"}}
    other = {**row, "extra_info": {"data_source": None}, "data_source": "theirs"}
    source = write_parquet(tmp_path / "a.parquet", [row, other, {**other, "extra_info": None}])
    extra = [row["extra_info"] for row in converted(source)]
    assert [each["data_source"] for each in extra] == ["mine", None, None]
    assert [each["verl_data_source"] for each in extra] == [row["data_source"], "theirs", "theirs"]
    assert extra[0]["interaction_kwargs"] == {"query": "q"}


def test_no_entry_of_extra_info_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = {**Maker(0).text_row(0), "reward_model": {"ground_truth": 3}, "extra_info": {"label_encoding": "mine"}}
    extra = converted(write_parquet(tmp_path / "a.parquet", [row]))[0]["extra_info"]
    assert (extra["label_encoding"], extra["relax_label_encoding"]) == ("mine", "json")
    for name in ("relax_label_encoding", "verl_data_source", "raw_prompt"):
        source = write_parquet(tmp_path / f"{name}.parquet", [{**row, "extra_info": {name: "mine"}}])
        assert run(source, tmp_path / "b.parquet", Wanted(raw_prompt=True)) == 1
        told = f"{source}: row 1: extra_info has {name}, which is what the conversion puts there"
        assert f"{told}: give yours another name\n" in capsys.readouterr().err


def test_columns_have_the_names_that_the_recipe_gives_them(tmp_path: Path) -> None:
    row = {"question": "how?", "source": "a", "reward_model": {"ground_truth": "1"}, "level": 3, "scans": [b"x"]}
    source = write_parquet(tmp_path / "a.parquet", [row])
    made = converted(source, prompt="question", data_source="source", media={"scans": "image"}, keep=("level", "other"))
    wanted = {"question": "how?", "label": "1", "level": 3, "scans": [b"x"], "extra_info": {"data_source": "a"}}
    assert made == [wanted]


@pytest.mark.parametrize("text", [pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
def test_texts_of_other_types(text: pa.DataType, tmp_path: Path) -> None:
    truth = pa.array(["72", "73", "72"]).cast(text)
    model = pa.StructArray.from_arrays([truth], names=["ground_truth"])
    table = pa.table({"prompt": pa.array(["a", "b", "c"]).cast(text), "data_source": truth, "reward_model": model})
    pq.write_table(table, tmp_path / "a.parquet")
    made = converted(tmp_path / "a.parquet")
    assert [(row["prompt"], row["label"]) for row in made] == [("a", "72"), ("b", "73"), ("c", "72")]


def test_rows_without_ground_truth(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [Maker(0).text_row(number) | {"reward_model": {"ground_truth": str(number)}} for number in range(10)]
    rows[3]["reward_model"] = {"ground_truth": None}
    rows[8]["reward_model"] = None
    source = write_parquet(tmp_path / "a.parquet", rows, row_group_size=4)
    assert run(source, tmp_path / "b.parquet", Wanted()) == 1
    assert f"relax-lint: {source}: rows 4, 9: no ground truth" in capsys.readouterr().err
    assert not (tmp_path / "b.parquet").exists()
    assert [row["label"] for row in converted(source, without_truth="skip")] == list("01245679")
    assert "8 rows, 2 without ground truth left out" in capsys.readouterr().out
    (tmp_path / "converted.parquet").unlink()
    made = converted(source, without_truth="null")
    assert [(row["label"], row["extra_info"]["relax_label_encoding"]) for row in made[2:5]] == [
        ("2", None),
        ("null", "json"),
        ("4", None),
    ]


@pytest.mark.parametrize("without", ["skip", "null"])
def test_lines_without_ground_truth(without: str, tmp_path: Path) -> None:
    rows = [
        {"prompt": "a", "reward_model": {"ground_truth": "1"}},
        {"prompt": "b"},
        {"prompt": "c", "reward_model": {}},
    ]
    source = tmp_path / "a.jsonl"
    source.write_text("\n".join(map(json.dumps, rows)))
    labels = [row["label"] for row in converted(source, without_truth=without)]
    assert labels == {"skip": ["1"], "null": ["1", "null", "null"]}[without]


def test_empty_dictionaries_have_no_form_in_parquet(tmp_path: Path) -> None:
    row = {"prompt": "a", "reward_model": {"ground_truth": "1"}, "extra_info": {"index": 1, "tools_kwargs": {}}}
    (tmp_path / "a.jsonl").write_text(json.dumps(row))
    assert converted(tmp_path / "a.jsonl")[0]["extra_info"] == {"index": 1, "tools_kwargs": None}


def test_no_row_group_is_too_large_for_a_reader_that_takes_it_whole(tmp_path: Path) -> None:
    rows = [Maker(0).media_row(number) | {"images": [bytes([number % 250]) * 100_000]} for number in range(400)]
    source = write_parquet(tmp_path / "a.parquet", rows, row_group_size=400)
    assert len(converted(source)) == 400
    metadata = pq.read_metadata(tmp_path / "converted.parquet")
    assert metadata.num_row_groups > 2
    assert max(metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups)) < 32 << 20
