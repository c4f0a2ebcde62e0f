"""The conversion on a Ray of this machine: the same rows, and the same words for what is wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from relax_lint.conversion.script import RecipeData, script
from tests.conversion.reference import Maker, Row, expected, rows_in, without_nulls
from tests.conversion.test_script import ROOT, own
from tests.parquet_files import write_parquet

pytestmark = pytest.mark.xdist_group("ray")


PROGRAM = """
import runpy, sys
for call in CALLS:
    sys.argv = call
    try:
        if call[0] == "data":
            from relax_lint.cli import main

            sys.exit(main(call))
        runpy.run_path(call[0], run_name="__main__")
    except SystemExit as end:
        print("status", end.code)
"""


def counted(rows: list[Row]) -> Counter[str]:
    """Rows as a multiset."""
    return Counter(json.dumps(without_nulls(row), default=repr, sort_keys=True) for row in rows)


def test_the_same_rows_the_same_words(tmp_path: Path) -> None:
    """One test, since Ray takes its time to start: text, images, rows that are refused, and raw rows."""
    maker = Maker(5)
    for kind in ("text_row", "media_row"):
        rows = [getattr(maker, kind)(number) for number in range(200)]
        write_parquet(tmp_path / f"in/{kind}.parquet", rows, row_group_size=30)
    rows = [maker.text_row(number) for number in range(90)]
    rows[70]["reward_model"] = None
    write_parquet(tmp_path / "in/z.parquet", rows, row_group_size=30)
    for part in range(2):
        raw = [{"question": f"{part} {number}?", "answer": f"#### {number}"} for number in range(50)]
        write_parquet(tmp_path / f"raw/train-{part}.parquet", raw, row_group_size=20)
    (tmp_path / "a.py").write_text(script(RecipeData("a")))
    (tmp_path / "b.py").write_text(script(own()))
    calls = [
        ["a.py", "--input-dir", "in", "--output-dir", "out", "--ray"],
        ["a.py", "--input-dir", "in/text_row.parquet", "--output-dir", "out", "--ray"],
        ["b.py", "--input-dir", "raw", "--output-dir", "raw_out", "--ray"],
        ["b.py", "--input-dir", "raw", "--output-dir", "here"],
        ["data", "convert", "in/text_row.parquet", "by_command", "--ray"],
    ]
    environment = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", f"CALLS = {calls!r}\n{PROGRAM}"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert [line for line in done.stdout.splitlines() if line.startswith("status")] == [
        "status 1",
        "status 1",
        "status 0",
        "status 0",
        "status 0",
    ], done.stderr
    for kind in ("text_row", "media_row"):
        target = tmp_path / f"out/{kind}.parquet"
        assert len(list(target.iterdir())) == 7
        read = pq.read_table(tmp_path / f"in/{kind}.parquet").to_pylist()
        assert counted(rows_in(target)) == counted([expected(row) for row in read])
    assert "in/z.parquet: row 71: no ground truth" in done.stderr
    assert "out/text_row.parquet is there already" in done.stderr
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["media_row.parquet", "text_row.parquet"]
    assert counted(rows_in(tmp_path / "by_command/text_row.parquet")) == counted(
        rows_in(tmp_path / "out/text_row.parquet")
    )
    assert counted(rows_in(tmp_path / "raw_out/train.parquet")) == counted(rows_in(tmp_path / "here/train.parquet"))
