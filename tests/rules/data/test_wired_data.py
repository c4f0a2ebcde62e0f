"""Data and the flags that bring it to the code, on real parquet files and with conversion scripts beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from relax_lint.cli import main
from relax_lint.config import Settings
from relax_lint.engine import Report, lint
from relax_lint.files import Files
from relax_lint.project import Project
from relax_lint.rules import load_rules
from relax_lint.selection import Layer
from tests.parquet_files import asked, image, write_parquet

RULES = load_rules()
CODES = ("RLX214", "RLX410", "RLX701", "RLX706", "RLX707")
KEYS = "--input-key prompt --label-key label --apply-chat-template"
REWARD = "--custom-rm-path examples.demo.reward_demo.reward_func"
IMAGES = '--multimodal-keys \'{"image": "images"}\''
HEAD = "async def reward_func(args, sample, **kwargs):\n"
COMPARES = HEAD + "    return {'score': float(sample.response == sample.label.strip())}\n"
VERL = {
    "data_source": "geo3k",
    "prompt": asked("<image>What?"),
    "ability": "math",
    "reward_model": {"style": "rule", "ground_truth": "x"},
    "extra_info": {"index": 0},
    "images": [image()],
}
CONVERTED = {"prompt": asked("<image>What?"), "label": "x"}


class Tree:
    """A recipe on disk."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def data(self, name: str, rows: list[dict[str, Any]], schema: Any = None) -> None:
        write_parquet(self.root / name, rows, schema)

    def write(self, flags: str, reward: str = "", head: str = "", data: str = "data/train.parquet") -> Path:
        home = self.root / "examples/demo"
        home.mkdir(parents=True, exist_ok=True)
        run = home / "run_demo.sh"
        run.write_text(f"{head}python3 relax/entrypoints/train.py --prompt-data {data} {flags}\n")
        (home / "reward_demo.py").write_text(reward)
        (home / "__init__.py").write_text("")
        return run

    def report(self, *args: Any, **kwargs: Any) -> Report:
        self.write(*args, **kwargs)
        settings = Settings(selection=(Layer(select=CODES),))
        report = lint(Project(self.root, settings, Files()), RULES, settings)
        assert report.failures == []
        return report

    def found(self, *args: Any, **kwargs: Any) -> list[str]:
        return [f"{item.code} {item.severity.name[0]}" for item in self.report(*args, **kwargs).diagnostics]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def test_verl_data_as_it_is(tree: Tree) -> None:
    tree.data("data/train.parquet", [VERL] * 3)
    flags = f"--input-key prompt --label-key reward_model --apply-chat-template {IMAGES} {REWARD}"
    assert tree.found(flags, COMPARES) == ["RLX701 W"]
    assert tree.found(flags, HEAD + "    return float(sample.label['ground_truth'] in sample.response)\n") == []


def test_media_columns_are_known_by_the_rows_and_not_read_for_it(tree: Tree) -> None:
    tree.data("data/train.parquet", [{**CONVERTED, "images": [image(size=50_000)]}] * 300)
    assert tree.found(f"{KEYS} --rm-type geo3k") == ["RLX410 E"]
    tree.data("data/train.parquet", [{**CONVERTED, "images": []}] * 3, pa.schema(
        {"prompt": pa.list_(pa.struct({"role": pa.string(), "content": pa.string()})), "label": pa.string(),
         "images": pa.list_(pa.string())}
    ))  # fmt: skip
    assert tree.found(f"{KEYS} --rm-type geo3k") == []


@pytest.mark.parametrize(
    ("kind", "value", "told"),
    [
        (pa.string(), "a.png", True),
        (pa.binary(), b"x", True),
        (pa.struct({"bytes": pa.binary(), "path": pa.string()}), {"bytes": b"x", "path": None}, True),
        (pa.list_(pa.binary()), [b"x"], False),
        (pa.large_list(pa.string()), ["a.png"], False),
        (pa.list_(pa.struct({"bytes": pa.binary()})), [{"bytes": b"x"}], False),
    ],
)
def test_media_columns_are_lists(tree: Tree, kind: Any, value: Any, told: bool) -> None:
    prompt = pa.list_(pa.struct({"role": pa.string(), "content": pa.string()}))
    schema = pa.schema({"prompt": prompt, "label": pa.string(), "images": kind})
    tree.data("data/train.parquet", [{**CONVERTED, "images": value}], schema)
    assert tree.found(f"{KEYS} {IMAGES} --rm-type geo3k") == (["RLX706 E"] if told else [])


@pytest.mark.parametrize("verl", ["data/train.verl/train.parquet", "data/verl/train.parquet"])
def test_images_that_a_verl_file_beside_has(tree: Tree, verl: str) -> None:
    tree.data("data/relax/train.parquet", [CONVERTED] * 3)
    tree.data(verl, [VERL] * 3)
    assert tree.found(f"{KEYS} --rm-type geo3k", data="data/relax/train.parquet") == ["RLX706 E"]
    tree.data("data/relax/train.parquet", [{**CONVERTED, "images": [image()]}] * 3)
    assert tree.found(f"{KEYS} {IMAGES} --rm-type geo3k", data="data/relax/train.parquet") == []


def test_images_that_the_file_named_in_the_header_has(tree: Tree) -> None:
    tree.data("data/train.parquet", [CONVERTED])
    tree.data("raw/geo.parquet", [VERL])
    head = "# Convert data: python3 scripts/tools/process_demo.py --input-dir raw/geo.parquet\n"
    assert tree.found(f"{KEYS} --rm-type geo3k", head=head) == ["RLX706 E"]


@pytest.mark.parametrize(
    ("kind", "value", "told"),
    [
        (pa.string(), '{"index": 0}', ["RLX707 E"]),
        (pa.map_(pa.string(), pa.string()), [("index", "0")], ["RLX707 W"]),
        (pa.struct({"index": pa.int64()}), {"index": 0}, []),
        (pa.struct({"idx": pa.int64()}), {"idx": 0}, ["RLX707 W"]),
        (pa.string(), None, []),
    ],
)
def test_kinds_of_metadata(tree: Tree, kind: Any, value: Any, told: list[str]) -> None:
    schema = pa.schema({"prompt": pa.string(), "label": pa.string(), "extra_info": kind})
    tree.data("data/train.parquet", [{"prompt": "x", "label": "y", "extra_info": value}] * 2, schema)
    flags = f"{KEYS} --metadata-key extra_info {REWARD}"
    assert tree.found(flags, HEAD + "    return float(sample.metadata['index'] == 0)\n") == told


def test_a_key_that_only_a_late_row_of_json_has_is_found_by_data_check(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = ['{"prompt": "x", "label": "y", "extra_info": {"split": "train"}}\n'] * 900
    rows.append('{"prompt": "x", "label": "y", "extra_info": {"index": 0}}\n')
    path = tree.root / "data/train.jsonl"
    path.parent.mkdir()
    path.write_text("".join(rows))
    flags = f"--input-key prompt --label-key label --metadata-key extra_info {REWARD}"
    reward = HEAD + "    return float(sample.metadata['index'] == 0)\n"
    assert tree.found(flags, reward, data="data/train.jsonl") == ["RLX707 W"]
    monkeypatch.chdir(tree.root)
    assert main(["data", "check", "data/train.jsonl", "--launcher", "examples/demo/run_demo.sh"]) == 0
    assert "RLX707" not in capsys.readouterr().out
    path.write_text("".join(rows) + '{"prompt": "x", "label": "y", "extra_info": "late"}\n')
    assert main(["data", "check", "data/train.jsonl", "--launcher", "examples/demo/run_demo.sh"]) == 1
    out = capsys.readouterr().out
    assert "RLX707" in out
    assert "row 902" in out


def test_data_check_tells_of_verl_data_and_lost_lists(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    late = [{**VERL, "images": [image()]}] * 3
    tree.data("data/train.parquet", late)
    tree.write(f"--input-key prompt --label-key reward_model --apply-chat-template {IMAGES} --rm-type math")
    monkeypatch.chdir(tree.root)
    assert main(["data", "check", "data/train.parquet", "--launcher", "examples/demo/run_demo.sh"]) == 1
    assert "RLX701" in capsys.readouterr().out


def test_columns_that_the_script_writes_decide_where_the_data_is_not_here(tree: Tree) -> None:
    tool = tree.root / "scripts/tools/process_demo.py"
    tool.parent.mkdir(parents=True)
    tool.write_text(
        "import pandas as pd\n\n\ndef convert(row):\n"
        '    return {"prompt": row["prompt"], "label": row["answer"], "extra_info": row["extra_info"]}\n'
    )
    head = "# Convert data: python3 scripts/tools/process_demo.py\n"
    reward = HEAD + "    return float(sample.metadata['index'] == sample.label)\n"
    flags = f"--input-key prompt --label-key label {REWARD}"
    assert tree.found(flags, reward, head=head, data="/d/train.parquet") == ["RLX214 E"]
    assert tree.found(f"{flags} --metadata-key extra_info", reward, head=head, data="/d/train.parquet") == []


def test_where_a_word_hides_the_flag_it_is_not_judged(tree: Tree) -> None:
    report = tree.report(f'--input-key prompt {REWARD} "$@"', COMPARES, data="/d/train.parquet")
    assert report.diagnostics == []
    assert [(item.code, item.because) for item in report.not_checked] == [("RLX214", '"$@"')]
