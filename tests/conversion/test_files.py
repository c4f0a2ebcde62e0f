"""Files and directories, good and bad ones, and what is left when a conversion is ended."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from relax_lint.conversion import writing
from relax_lint.conversion.columns import Wanted
from relax_lint.conversion.program import run
from tests.conversion.reference import Maker, rows_in
from tests.parquet_files import write_parquet

ROW = {"data_source": "a", "prompt": "how?", "reward_model": {"ground_truth": "1"}}
ROOT = Path(__file__).parents[2]


def convert(source: Path, target: Path) -> int:
    return run(source, target, Wanted())


def below(directory: Path) -> list[str]:
    return sorted(path.relative_to(directory).as_posix() for path in directory.rglob("*") if path.is_file())


def test_a_directory_becomes_one_with_the_same_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("train.parquet", "a/b/test.parquet", "ünï 数.parquet", ".hidden/x.parquet"):
        write_parquet(tmp_path / "in" / name, [ROW])
    (tmp_path / "in/more.jsonl").write_text(json.dumps(ROW))
    (tmp_path / "in/train_example.json").write_text("{}")
    assert convert(tmp_path / "in", tmp_path / "in/out") == 0
    assert below(tmp_path / "in/out") == ["a/b/test.parquet", "more.parquet", "train.parquet", "ünï 数.parquet"]
    assert capsys.readouterr().out.count("1 rows") == 4
    assert convert(tmp_path / "in", tmp_path / "in/out") == 1
    assert capsys.readouterr().err.count("is there already") == 4


@pytest.mark.parametrize(("target", "made"), [("out/x.parquet", "out/x.parquet"), ("out", "out/train.parquet")])
def test_a_file_becomes_a_file(target: str, made: str, tmp_path: Path) -> None:
    source = write_parquet(tmp_path / "train.parquet", [ROW])
    assert convert(source, tmp_path / target) == 0
    assert rows_in(tmp_path / made)[0]["label"] == "1"


def test_files_may_differ_in_their_columns(tmp_path: Path) -> None:
    write_parquet(tmp_path / "in/a.parquet", [ROW])
    write_parquet(tmp_path / "in/b.parquet", [{**ROW, "reward_model": {"ground_truth": 2}, "extra_info": {"n": 1}}])
    assert convert(tmp_path / "in", tmp_path / "out") == 0
    assert rows_in(tmp_path / "out/a.parquet")[0]["extra_info"] == {"data_source": "a"}
    assert rows_in(tmp_path / "out/b.parquet")[0]["label"] == "2"


def _missing(path: Path) -> None:
    write_parquet(path, [{"prompt": "a", "answer": "b"}])


def _no_truth(path: Path) -> None:
    write_parquet(path, [{"prompt": "a", "reward_model": "rule"}])


def _no_struct(path: Path) -> None:
    write_parquet(path, [{**ROW, "extra_info": "{}"}])


def _truncated(path: Path) -> None:
    path.write_bytes(write_parquet(path, [ROW] * 100).read_bytes()[:-30])


def _damaged(path: Path) -> None:
    data = bytearray(write_parquet(path, [ROW | {"prompt": str(n)} for n in range(5000)]).read_bytes())
    data[200:2000] = b"\xff" * 1800
    path.write_bytes(data)


def _binary(path: Path) -> None:
    write_parquet(path, [{**ROW, "reward_model": {"ground_truth": b"\xff"}}])


BAD: dict[str, Callable[[Path], object]] = {
    "there is no column reward_model, only prompt, answer": _missing,
    "reward_model has the type string, and no ground_truth": _no_truth,
    "extra_info has the type string, and is no struct": _no_struct,
    "a ground truth of type bytes cannot be written as text": _binary,
    "Parquet magic bytes not found": _truncated,
    "Parquet file size is 0 bytes": lambda path: path.write_bytes(b""),
    "Parquet": lambda path: path.write_bytes(b"no parquet at all"),
    "in.parquet": _damaged,
}


@pytest.mark.parametrize("reason", BAD)
def test_a_bad_file_is_told_and_the_others_are_converted(
    reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_parquet(tmp_path / "in/a.parquet", [ROW])
    write_parquet(tmp_path / "in/z.parquet", [ROW])
    BAD[reason](tmp_path / "in/in.parquet")
    assert convert(tmp_path / "in", tmp_path / "out") == 1
    told = capsys.readouterr().err
    assert reason in told
    assert "in.parquet" in told
    assert told.endswith(f"\nrelax-lint: {tmp_path}/out/in.parquet is not written\n")
    assert "Traceback" not in told
    assert below(tmp_path / "out") == ["a.parquet", "z.parquet"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "{",
        "[1]",
        "3",
        '{"prompt": 1}\nno',
        '{"prompt": "a"}',
        '{"reward_model": {"ground_truth": "1"}}',
        "\0",
    ],
)
def test_bad_lines(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.jsonl").write_text(text)
    assert convert(tmp_path / "a.jsonl", tmp_path / "out") == 1
    told = capsys.readouterr().err
    assert told.startswith(f"relax-lint: {tmp_path}/a.jsonl")
    assert told.endswith(f"\nrelax-lint: {tmp_path}/out/a.parquet is not written\n")
    assert below(tmp_path) == ["a.jsonl"]


NULL = {**ROW, "reward_model": {"ground_truth": None}}


@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet"])
@pytest.mark.parametrize(("rows", "hint"), [([ROW, NULL], "skip"), ([NULL, NULL], "raw"), ([{"prompt": "a"}], "raw")])
def test_rows_are_left_out_only_where_some_remain(
    rows: list[dict[str, object]], hint: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / name
    if source.suffix == ".parquet":
        kind = pa.struct([("ground_truth", pa.string())])
        table = pa.Table.from_pylist(rows)
        at = table.schema.get_field_index("reward_model")
        pq.write_table(table if at < 0 else table.set_column(at, "reward_model", table[at].cast(kind)), source)
    else:
        source.write_text("\n".join(map(json.dumps, rows)))
    assert convert(source, tmp_path / "out") == 1
    told = capsys.readouterr().err
    assert ("skip" in told, "raw rows must go through the preprocessing" in told) == (hint == "skip", hint == "raw")


def test_no_rows_are_a_file_with_the_right_columns(tmp_path: Path) -> None:
    source = write_parquet(tmp_path / "a.parquet", [], schema())
    assert convert(source, tmp_path / "b.parquet") == 0
    assert pq.read_schema(tmp_path / "b.parquet").names == ["prompt", "label", "extra_info"]
    assert convert(tmp_path / "b.parquet", tmp_path / "c.parquet") == 1


def schema() -> pa.Schema:
    return pa.Table.from_pylist([ROW]).schema


@pytest.mark.parametrize("name", ["gone", "gone.parquet", "empty"])
def test_nothing_to_convert(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    assert convert(tmp_path / name, tmp_path / "out") == 2
    assert str(tmp_path / name) in capsys.readouterr().err


def test_a_target_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = write_parquet(tmp_path / "a.parquet", [ROW])
    (tmp_path / "file").write_text("")
    assert convert(source, tmp_path / "file/b.parquet") == 1
    assert f"File exists: {tmp_path / 'file'}" in capsys.readouterr().err
    assert convert(source, Path("/proc/b.parquet")) == 1
    assert "Traceback" not in capsys.readouterr().err


def test_a_file_that_comes_meanwhile_is_not_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = write_parquet(tmp_path / "a.parquet", [ROW]), tmp_path / "b.parquet"
    close = writing.Writer.close

    def close_late(writer: writing.Writer) -> None:
        target.write_text("theirs")
        close(writer)

    monkeypatch.setattr(writing.Writer, "close", close_late)
    assert convert(source, target) == 1
    assert "has come to be meanwhile" in capsys.readouterr().err
    assert target.read_text() == "theirs"
    assert below(tmp_path) == ["a.parquet", "b.parquet"]


def test_where_the_system_has_no_nameless_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "O_TMPFILE")
    source = write_parquet(tmp_path / "a.parquet", [ROW])
    assert convert(source, tmp_path / "b.parquet") == 0
    assert convert(write_parquet(tmp_path / "c.parquet", [{**ROW, "reward_model": None}]), tmp_path / "d.parquet") == 1
    assert below(tmp_path) == ["a.parquet", "b.parquet", "c.parquet"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_end_in_the_middle_leaves_nothing(number: signal.Signals, tmp_path: Path) -> None:
    rows = [Maker(1).text_row(each) | {"reward_model": {"ground_truth": [each]}} for each in range(300)]
    table = pa.concat_tables([pa.Table.from_pylist(rows)] * 2000)
    pq.write_table(table, tmp_path / "a.parquet")
    command = [sys.executable, "-m", "relax_lint", "data", "convert", "a.parquet", "out/b.parquet"]
    controller, terminal = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"}
    program = subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=terminal, stdout=subprocess.PIPE)
    os.close(terminal)
    shown = b""
    while b"rows" not in shown:  # the progress bar: it is at work
        shown += os.read(controller, 1000)
    program.send_signal(number)
    program.communicate(timeout=60)
    assert program.returncode in (128 + number, -number)
    assert below(tmp_path) == ["a.parquet"]
    os.close(controller)


def test_what_ended_processes_have_left_goes_and_what_others_are_writing_stays(tmp_path: Path) -> None:
    write_parquet(tmp_path / "in.parquet", [ROW])
    done = subprocess.Popen(["true"])
    done.wait()
    old, fresh, alive, foreign = (
        tmp_path / f".out.parquet.{name}.part" for name in (done.pid, f"0{done.pid}", os.getpid(), "notes")
    )
    for path in (old, fresh, alive, foreign):
        path.write_bytes(b"")
        if path != fresh:
            os.utime(path, (0, 0))
    assert convert(tmp_path / "in.parquet", tmp_path / "out.parquet") == 0
    assert [path.exists() for path in (old, fresh, foreign)] == [False, True, True]
