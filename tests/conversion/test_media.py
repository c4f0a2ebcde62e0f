"""Images become lists of their bytes, wherever they are."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from relax_lint.conversion.columns import Wanted
from relax_lint.conversion.program import run
from tests.conversion.reference import rows_in
from tests.parquet_files import PNG, image, reads_nulls_in_lists_of_one_size, write_parquet

DATA_URI = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"


def made(tmp_path: Path, column: str, values: list[Any], schema: Any = None) -> list[Any]:
    rows = [{"prompt": "<image>", "reward_model": {"ground_truth": "1"}, column: value} for value in values]
    source = write_parquet(tmp_path / "a.parquet", rows, schema)
    assert run(source, tmp_path / "b.parquet", Wanted()) == 0
    return [row["images" if column == "preprocessed_images" else column] for row in rows_in(tmp_path / "b.parquet")]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "ünï code.png"
    path.write_bytes(PNG)
    return path


def test_every_form_that_verl_reads(tmp_path: Path, file: Path) -> None:
    forms = [
        {"bytes": PNG, "path": None},
        {"bytes": None, "path": file.name},
        {"path": str(file)},
        {"image": DATA_URI},
        {"image": file.as_uri()},
        {"base64": base64.b64encode(PNG).decode()},
        {"image_url": {"url": DATA_URI}},
    ]
    for form in forms:
        assert made(tmp_path, "images", [[form, form], [form], []]) == [[PNG, PNG], [PNG], []], form
        (tmp_path / "b.parquet").unlink()


def test_items_that_are_no_dictionaries(tmp_path: Path, file: Path) -> None:
    for items in ([PNG, PNG], [file.name, DATA_URI]):
        assert made(tmp_path, "images", [items, None]) == [[PNG, PNG], None]
        (tmp_path / "b.parquet").unlink()


def test_one_image_is_a_list_of_one(tmp_path: Path) -> None:
    assert made(tmp_path, "images", [image()["bytes"], None, PNG]) == [[image()["bytes"]], None, [PNG]]


def test_the_column_of_the_guide(tmp_path: Path) -> None:
    assert made(tmp_path, "preprocessed_images", [[{"bytes": PNG}]]) == [[PNG]]


def test_videos_stay_where_they_are(tmp_path: Path) -> None:
    videos = [[{"video": "file:///v/a%20b.mp4", "fps": 2.0}], [{"video": "/v/c.mp4", "fps": None}]]
    assert made(tmp_path, "videos", videos) == [["/v/a b.mp4"], ["/v/c.mp4"]]


def test_images_compress_only_where_they_do(tmp_path: Path) -> None:
    random = [bytes(range(256)) * 4, PNG * 400]
    made(tmp_path, "images", [[each] for each in random])
    assert pq.read_metadata(tmp_path / "b.parquet").row_group(0).column(2).compression == "LZ4"
    (tmp_path / "b.parquet").unlink()
    import random as source

    made(tmp_path, "images", [[source.Random(1).randbytes(5000)]])
    assert pq.read_metadata(tmp_path / "b.parquet").row_group(0).column(2).compression == "UNCOMPRESSED"


@pytest.mark.parametrize(
    "kind",
    [
        pa.large_list(pa.binary()),
        pa.list_(pa.large_binary()),
        *([pa.list_(pa.binary(), 2)] if reads_nulls_in_lists_of_one_size() else []),
    ],
)
def test_lists_of_other_types(kind: pa.DataType, tmp_path: Path) -> None:
    model = pa.struct([("ground_truth", pa.string())])
    schema = pa.schema([("prompt", pa.string()), ("reward_model", model), ("images", kind)])
    assert made(tmp_path, "images", [[PNG, b""], None, [b"a", b"b"]], schema) == [[PNG, b""], None, [b"a", b"b"]]


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ("gone.png", "image: No such file or directory: "),
        ("https://example.org/a.png", "image: https://example.org/a.png is not on this machine"),
        ("data:image/png;base64,?", "image: "),
        (None, "image: an item is empty"),
    ],
)
def test_images_that_cannot_be_had(
    item: str | None, reason: str, tmp_path: Path, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {"prompt": "", "reward_model": {"ground_truth": "1"}, "images": images}
        for images in ([file.name, file.name], [], [file.name, item], [item])
    ]
    source = write_parquet(tmp_path / "a.parquet", rows)
    assert run(source, tmp_path / "b.parquet", Wanted()) == 1
    assert f"{source}: rows 3, 4: {reason}" in capsys.readouterr().err
    assert not (tmp_path / "b.parquet").exists()


def test_rows_that_are_left_out_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"prompt": "", "reward_model": {"ground_truth": truth}, "images": images}
        for truth, images in ((None, []), ("1", []), (None, []), ("1", ["gone.png"]))
    ]
    for source in (write_parquet(tmp_path / "a.parquet", rows), tmp_path / "a.jsonl"):
        (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
        assert run(source, tmp_path / "b.parquet", Wanted(without_truth="skip")) == 1
        assert f"{source}: row 4: image: No such file" in capsys.readouterr().err


def test_what_is_said_of_media_and_not_kept_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made(tmp_path, "images", [[{"bytes": PNG, "path": None, "max_pixels": 4}]])
    assert "images.max_pixels is not kept" in capsys.readouterr().err
