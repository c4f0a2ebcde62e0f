"""`relax-lint data check`."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow as pa
import pytest

from relax_lint.cli import main
from relax_lint.data_check import Examined
from relax_lint.extras import how_to_install
from relax_lint.files import Entry, Files
from relax_lint.project import Project
from relax_lint.report.progress import Progress
from tests.parquet_files import asked, image, write_parquet

RUN = "examples/demo/run_demo.sh"
FLAGS = """\
    --prompt-data "${DATA_DIR}/train.parquet"
    --input-key prompt
    --label-key label
    --apply-chat-template
    --rm-type math
    --eval-interval 10
    --eval-prompt-data test "${DATA_DIR}/test.parquet"
    --eval-label-key gold
"""
ROW = {"prompt": asked("1 + 1?"), "label": "2", "data_source": "sums", "images": [image()]}
TEXT_ROW = {name: value for name, value in ROW.items() if name != "images"}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    run = tmp_path / RUN
    run.parent.mkdir(parents=True)
    run.write_text(f'ARGS=(\n{FLAGS})\npython3 relax/entrypoints/train.py "${{ARGS[@]}}"\n')
    return tmp_path


def told(capsys: pytest.CaptureFixture[str], *arguments: str, status: int) -> str:
    assert main(["data", "check", *arguments]) == status
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def test_a_table_of_the_columns(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{**ROW, "label": None if number == 3 else str(number)} for number in range(100)]
    write_parquet(home / "train.parquet", rows)
    assert (
        told(capsys, "train.parquet", status=0)
        == """\
train.parquet: 100 rows in 1 file

column       type    nulls  size        values
prompt       list        -  1
  []         struct      -  -
    role     string      -  4           user ×100
    content  string      -  6           1 + 1? ×100
label        string      1  1–2, ~1.91  0
data_source  string      -  4           sums ×100
images       list        -  1
  []         struct      -  -
    bytes    bytes       -  124         b'\\x89PNG\\r\\n\\x1a\\n\\x00\\x00\\x00\\rIHDR\\x…
    path     null      100  -

Read to the end; 100 rows.
`--launcher RUN.sh` judges the rows as its launches read them.
"""
    )


def test_lines_fit_into_80_columns_whatever_is_in_the_data(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = {
        "a_name_that_is_much_longer_than_anybody_would_expect_of_a_column": "数" * 300,
        "x": {"b" * 60: {"c" * 60: ["d\n\x1b[31m" * 50]}},
        "n": 123456789.123,
        "m": -1e300,
        "mixed": 1,
    }
    lines = [row, {**row, "n": 1, "mixed": "x"}, {**row, "mixed": [1]}, {"mixed": {"a": None}}]
    (home / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    from relax_lint.report.data_text import columns

    out = told(capsys, "a.jsonl", status=0)
    assert max(map(columns, out.splitlines())) <= 80
    assert "\x1b" not in out


def test_all_rows_are_judged_as_the_launcher_reads_them(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows: list[dict[str, Any]] = [TEXT_ROW] * 3000
    rows[2500] = {**TEXT_ROW, "prompt": []}
    write_parquet(home / "train.parquet", rows, row_group_size=1000)
    out = told(capsys, "train.parquet", "--launcher", RUN, status=1)
    assert "RLX704 a prompt is an empty list (row 2501 of train.parquet)" in out
    assert out.endswith("Found 1 error; 3,000 rows.\n")


def test_a_process_of_its_own_judges_rows(home: Path) -> None:
    write_parquet(home / "train.parquet", [{**TEXT_ROW, "prompt": []}])
    command = [sys.executable, "-m", "relax_lint", "data", "check", "train.parquet", "--launcher", RUN]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert "RLX704 a prompt is an empty list (row 1 of train.parquet)" in done.stdout


def test_data_is_judged_by_the_keys_of_what_it_is_for(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_parquet(home / "test.parquet", [{"prompt": asked("x"), "gold": {"a": "b"}}])
    out = told(capsys, "test.parquet", "--launcher", RUN, status=1)
    assert "--eval-label-key" in out
    assert "RLX703 a label is an object (a), not a text: --rm-type math scores 0 always" in out


def test_variables_of_the_launcher(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_parquet(home / "data/test.parquet", [{"prompt": asked("x"), "gold": "2"}])
    assert main(["data", "check", "data/test.parquet", "--launcher", RUN, "--env", "DATA_DIR=data"]) == 0
    assert capsys.readouterr().out.endswith("All clean; 1 row.\n")


def test_several_files_directories_and_slices(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(3):
        write_parquet(home / f"data/{number}.parquet", [ROW] * 10)
    out = told(capsys, "data", "data/0.parquet@[2:5]", "['data/1.parquet','data/2.parquet']", status=0)
    assert [line for line in out.splitlines() if " rows in " in line] == [
        "data: 30 rows in 3 files",
        "data/0.parquet@[2:5]: 3 rows in 1 file",
        "['data/1.parquet','data/2.parquet']: 20 rows in 2 files",
    ]


def test_advice_counts_under_strict(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "run.sh").write_text(
        "python3 relax/entrypoints/train.py --prompt-data train.parquet --input-key prompt --label-key label "
        "--rollout-max-prompt-len 10 --rm-type math\n"
    )
    write_parquet(home / "train.parquet", [{"prompt": "word " * 100, "label": "2"}])
    assert "RLX708" in told(capsys, "train.parquet", "--launcher", "run.sh", status=0)
    told(capsys, "train.parquet", "--launcher", "run.sh", "--strict", status=1)


# ------------------------------------------------------------ json


def test_the_json_is_what_its_schema_says(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{**ROW, "label": 2, "score": float("nan")}, {**ROW, "label": 3, "score": 0.5}]
    write_parquet(home / "train.parquet", rows)
    content = json.loads(told(capsys, "train.parquet", "--launcher", RUN, "--format", "json", status=1))
    schema = json.loads((Path(__file__).parents[2] / "docs/schema/data.schema.json").read_text())
    jsonschema.validate(content, schema)
    assert [found["code"] for found in content["diagnostics"]] == ["RLX410", "RLX703"]
    (dataset,) = content["datasets"]
    assert (dataset["name"], dataset["rows"], dataset["files"]) == ("train.parquet", 2, ["train.parquet"])
    assert content["summary"]["rows"] == 2
    by_name = {column["name"]: column for column in dataset["columns"]}
    assert by_name["label"]["types"] == {"int": 2}
    assert by_name["prompt[].role"]["values"] == {"user": 2}
    assert by_name["images[].path"]["nulls"] == 2


# ------------------------------------------------------------ trouble


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("gone.parquet",), "no such file or directory: gone.parquet"),
        (("train.parquet", "--launcher", "gone.sh"), "no such file: gone.sh"),
        (("train.parquet", "--launcher", "empty.sh"), "empty.sh launches no training of Relax"),
        (("train.parquet", "--launcher", "."), "no regular file: ."),
        (("train.parquet", "--launcher", "/dev/null"), "no regular file: /dev/null"),
        (("train.parquet", "--launcher", RUN, "--env", "x"), "--env wants NAME=VALUE, not 'x'"),
        (("train.parquet", "--env", "A=b"), "--env gives variables of the launcher that --launcher names"),
        (("train.parquet", "--relax-root", "nowhere"), "nowhere"),
    ],
)
def test_wrong_usage(home: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str) -> None:
    write_parquet(home / "train.parquet", [ROW])
    (home / "empty.sh").write_text("echo hello\n")
    assert main(["data", "check", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("a.parquet", b"no parquet", "a.parquet cannot be read: "),
        ("a.json", b"[]", "a.json: Relax loads files that end in .jsonl and .parquet only"),
        ("a.jsonl", b'{"a": 1}\n\xff\n', "a.jsonl cannot be read: line 2 is not valid UTF-8"),
    ],
)
@pytest.mark.parametrize("launcher", [(), ("--launcher", RUN)])
def test_files_that_cannot_be_read(
    home: Path, capsys: pytest.CaptureFixture[str], name: str, content: bytes, problem: str, launcher: tuple[str, ...]
) -> None:
    (home / name).write_bytes(content)
    assert problem in told(capsys, name, *launcher, status=1)


def test_without_pyarrow(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    write_parquet(home / "train.parquet", [ROW])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for launcher in ((), ("--launcher", RUN)):
        out = told(capsys, "train.parquet", *launcher, status=2)
        assert f"reading parquet needs pyarrow: {how_to_install('data')}" in out
        assert "Found 1 problem; 0 rows." in out


# ------------------------------------------------------------ progress


def test_no_progress_is_shown_where_standard_error_is_no_terminal(home: Path) -> None:
    write_parquet(home / "train.parquet", [ROW] * 1000)
    done = subprocess.run(
        [sys.executable, "-m", "relax_lint", "data", "check", "train.parquet"], capture_output=True, check=True
    )
    assert done.stderr == b""


def test_progress_on_a_terminal_is_one_line_that_is_taken_away(home: Path) -> None:
    rows = [{"prompt": f"{number} " * 50, "label": str(number)} for number in range(20_000)]
    write_parquet(home / "train.parquet", rows)
    parent, child = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "relax_lint", "data", "check", "train.parquet"],
        stdout=subprocess.DEVNULL,
        stderr=child,
        env={**os.environ, "TERM": "xterm"},
    ) as process:
        os.close(child)
        shown = b""
        try:
            while piece := os.read(parent, 65536):
                shown += piece
        except OSError:
            pass  # that is how a terminal ends
        os.close(parent)
        assert process.wait() == 0
    assert b"train.parquet [" in shown
    assert b"rows, " in shown
    assert shown.endswith(b"\r\x1b[K")
    assert b"\n" not in shown


def test_numbers_that_are_not_finite(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ['{"x": NaN, "y": Infinity}', '{"x": 1e400, "y": -Infinity}', f'{{"x": 3, "y": {10**400}}}']
    (home / "a.jsonl").write_text("\n".join(lines))
    out = told(capsys, "a.jsonl", status=0)
    assert "3, 2 not finite" in out
    assert out.splitlines()[4].split()[:5] == ["y", "float/int", "-", "not", "finite"]
    assert main(["data", "check", "a.jsonl", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["datasets"][0]["columns"][0]["size"] == {"min": 3, "mean": 3, "max": 3}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"x": 1}\nno\n{"x": 2}\n', "line 2 is no JSON: Relax leaves it out"),
        ("a\nb\n\n{}\nc\nd\n", "lines 1, 2, 5 … are no JSON: Relax leaves these 4 out"),
        ("1\n[2]\nnull\n", "has rows that are no JSON objects"),
        ("\ufeff" + '{"x": 1}\n', "line 1 is no JSON"),
        ("", "there are no rows"),
        (f'{{"x": 1}}\n{{"x": {"1" * 5000}}}\n', "line 2 has a number too long or nests too deep"),
    ],
)
def test_what_is_wrong_with_lines_is_said_without_a_launcher(
    home: Path, capsys: pytest.CaptureFixture[str], text: str, problem: str
) -> None:
    (home / "a.jsonl").write_text(text)
    out = told(capsys, "a.jsonl", status=1)
    assert problem in out
    assert "Found 1 problem" in out


@pytest.mark.parametrize(("opened", "closed"), [("[", "]"), ('{"a": ', "}")])
def test_rows_may_nest_deep(home: Path, capsys: pytest.CaptureFixture[str], opened: str, closed: str) -> None:
    levels = 800
    (home / "a.jsonl").write_text(f'{{"x": {opened * levels}1{closed * levels}}}\n')
    assert "1 row" in told(capsys, "a.jsonl", status=0)
    assert main(["data", "check", "a.jsonl", "--format", "json"]) == 0


def test_lines_that_are_no_json_are_said_once_with_a_launcher(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "a.jsonl").write_text('{"prompt": "a", "label": "1"}\nno\n')
    out = told(capsys, "a.jsonl", "--launcher", RUN, status=1)
    assert out.count("line 2 is no JSON") == 1


@pytest.mark.parametrize(
    ("name", "evaluated"),
    [("t.jsonl", False), ("test.jsonl", True), ("a/test.jsonl", True), ("st.jsonl", False), ("test.jsonl@[0:1]", True)],
)
def test_data_is_for_evaluation_by_its_whole_name(
    home: Path, capsys: pytest.CaptureFixture[str], name: str, evaluated: bool
) -> None:
    run = home / RUN
    run.write_text(run.read_text().replace("test.parquet", "test.jsonl"))
    path = home / name.partition("@")[0]
    path.parent.mkdir(exist_ok=True)
    path.write_text('{"prompt": [{"role": "user", "content": "a"}], "label": "1"}\n')
    main(["data", "check", name, "--launcher", RUN])
    assert ("has no such column" in capsys.readouterr().out) is evaluated


def test_data_that_a_launch_names_is_judged_by_its_keys_alone(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train = "python3 relax/entrypoints/train.py --input-key prompt --rm-type math"
    (home / RUN).write_text(
        f'if [ "$1" = async ]; then\n  {train} --prompt-data a.jsonl --label-key lab\nelse\n'
        f"  {train} --prompt-data b.jsonl --label-key label\nfi\n"
    )
    for name, key in (("a", "lab"), ("b", "label"), ("c", "lab")):
        (home / f"{name}.jsonl").write_text(json.dumps({"prompt": "1?", key: "1"}) + "\n")
    told(capsys, "a.jsonl", "b.jsonl", "--launcher", RUN, status=0)
    assert "--label-key label: c.jsonl has no such column" in told(capsys, "c.jsonl", "--launcher", RUN, status=1)


def test_verls_label_that_the_data_has_not(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = home / RUN
    run.write_text(run.read_text().replace("--label-key label", "--label-key reward_model"))
    write_parquet(home / "train.parquet", [TEXT_ROW])
    assert "RLX702" in told(capsys, "train.parquet", "--launcher", RUN, status=1)


def test_how_the_rows_are_read_is_judged_too(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = home / RUN
    run.write_text(run.read_text().replace("    --input-key prompt\n", ""))
    write_parquet(home / "train.parquet", [ROW])
    assert "RLX214" in told(capsys, "train.parquet", "--launcher", RUN, status=1)


def test_names_reach_no_terminal_raw(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "a.jsonl").write_text(json.dumps({"a\x1b[31m\nb": {"c\nd": 1}}) + "\n")
    out = told(capsys, "a.jsonl", status=0)
    assert "\x1b" not in out
    assert len(out.splitlines()) == 8


def test_more_parts_than_are_shown_are_mentioned(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "a.jsonl").write_text("".join(json.dumps({"m": {f"k{number}": 1}}) + "\n" for number in range(300)))
    assert "more parts than these 200" in told(capsys, "a.jsonl", status=0)


def test_great_numbers_have_units(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "a.jsonl").write_text("".join(json.dumps({"n": number}) + "\n" for number in (0, 999_999)))
    assert "0–1M, ~500k" in told(capsys, "a.jsonl", status=0)


@pytest.mark.parametrize("spec", ["", "@[0:1]"])
def test_a_path_that_is_empty(home: Path, capsys: pytest.CaptureFixture[str], spec: str) -> None:
    assert main(["data", "check", spec]) == 2
    assert "no such file or directory: ''" in capsys.readouterr().err


def test_columns_of_a_file_without_rows(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema = pa.schema({"prompt": pa.list_(pa.struct({"role": pa.string()})), "label": pa.string()})
    write_parquet(home / "a.parquet", [], schema)
    out = told(capsys, "a.parquet", status=1)
    assert [line.split() for line in out.splitlines()[3:6]] == [
        ["column", "type", "nulls", "size", "values"],
        ["prompt", "list", "-", "-"],
        ["label", "string", "-", "-"],
    ]


def test_types_are_cut_only_where_there_is_no_room(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    values = ["x", 1, [1], {"a": 1}, True]
    (home / "a.jsonl").write_text("".join(json.dumps({"v": value}) + "\n" for value in values))
    assert " string/int/list/struct/bool " in told(capsys, "a.jsonl", status=0)


def test_messages_reach_no_terminal_raw(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = "a\x1b[31m\x9b.jsonl"
    (home / name).write_text(json.dumps({"prompt": "x", "lab\x1b[31m\nel": "1"}) + "\nno\n")
    for arguments in ((name,), (name, "--launcher", RUN)):
        out = told(capsys, *arguments, status=1)
        assert all(character.isprintable() or character == "\n" for character in out)
    assert "has no such column, did you mean" in out


class _Guarded(Files):
    """A tree with directories that may not be listed, whoever runs the tests."""

    def _entries_below(self, directory: Path) -> Iterable[Entry]:
        if directory.name.startswith("closed"):
            self.unlistable[directory] = "Permission denied"
            return []
        return super()._entries_below(directory)


@pytest.mark.parametrize(
    ("spec", "problems"),
    [
        ("closed", ["closed cannot be looked into: Permission denied"]),
        ("data", ["data/closed cannot be looked into: Permission denied"]),
        ("data/open", []),
        ("empty", ["no .jsonl or .parquet file is there"]),
    ],
)
def test_directories_that_cannot_be_looked_into_are_named(home: Path, spec: str, problems: list[str]) -> None:
    for name in ("closed", "data/closed", "data/open", "empty"):
        (home / name).mkdir(parents=True)
        if name != "empty":
            write_parquet(home / name / "a.parquet", [ROW])
    examined = Examined(spec, Project(home, files=_Guarded()), home)
    assert examined.missing == []
    with Progress() as progress:
        examined.read(progress)
    assert examined.problems == problems
    assert examined.profile.rows == int(spec.startswith("data"))
