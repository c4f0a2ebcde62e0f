"""The conversion script that a recipe gets."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from relax_lint.config import Settings
from relax_lint.conversion.own_rows import own_rows
from relax_lint.conversion.script import RecipeData, script
from relax_lint.engine import lint
from relax_lint.project import Project
from relax_lint.rules import load_rules
from tests.conversion.reference import Maker, expected, rows_in, same
from tests.parquet_files import write_parquet

ROOT = Path(__file__).parents[2]
OWN = '''\
# Copyright somebody
"""Make the data."""

import argparse
import os
import re

import datasets

from verl.utils.hdfs_io import copy, makedirs

# how an answer ends
ENDS = r"""####
 *(.*)"""


def extract(text):
    return re.search(ENDS.replace("\\n", ""), text).group(1)  # the answer


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_dir", default="~/data/gsm8k")
    args = parser.parse_args()
    data_source = "openai/gsm8k"
    dataset = datasets.load_dataset(data_source, "main")
    train_dataset = dataset["train"]
    test_dataset = dataset["test"]
    instruction = "Think."

    def make_map_fn(split):
        def process_fn(example, idx):
            question = example.pop("question") + " " + instruction
            return {
                "data_source": data_source,
                "prompt": [{"role": "user", "content": question}],
                "reward_model": {"style": "rule", "ground_truth": extract(example.pop("answer"))},
                "extra_info": {"split": split, "index": idx},
            }

        return process_fn

    train_dataset = train_dataset.map(function=make_map_fn("train"), with_indices=True)
    test_dataset = test_dataset.map(function=make_map_fn("test"), with_indices=True)
    train_dataset.to_parquet(os.path.join(args.local_dir, "train.parquet"))
    test_dataset.to_parquet(os.path.join(args.local_dir, "test.parquet"))
'''


def written(directory: Path, data: RecipeData | None = None) -> Path:
    path = directory / "process_demo.py"
    path.write_text(script(data or RecipeData("demo")))
    return path


def own(text: str = OWN) -> RecipeData:
    return RecipeData("demo", own_rows=own_rows(Path("prepare.py"), text, "prepare.py").text)


def run(program: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run it as a user would, who has nothing of relax-lint."""
    command = [sys.executable, "-I", str(program), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=program.parent)


@pytest.mark.parametrize("kind", ["text_row", "tool_row", "media_row"])
def test_it_stands_alone(kind: str, tmp_path: Path) -> None:
    maker = Maker(3)
    source = write_parquet(tmp_path / "in/train.parquet", [getattr(maker, kind)(number) for number in range(300)])
    done = run(written(tmp_path), "--input-dir", tmp_path / "in", "--output-dir", tmp_path / "out")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{source} -> {tmp_path}/out/train.parquet: 300 rows\n"
    assert same(rows_in(tmp_path / "out/train.parquet"), map(expected, pq.read_table(source).to_pylist()))


def test_it_has_the_columns_of_the_recipe(tmp_path: Path) -> None:
    program = written(tmp_path, RecipeData("demo", prompt="question", data_source="origin", media={"scan": "image"}))
    row = {"question": "how?", "origin": "a", "reward_model": {"ground_truth": "1"}, "scan": [b"x"]}
    write_parquet(tmp_path / "a.parquet", [row])
    assert run(program, "--input-dir", "a.parquet", "--output-dir", "b.parquet").returncode == 0
    wanted = {"question": "how?", "label": "1", "scan": [b"x"], "extra_info": {"data_source": "a"}}
    assert rows_in(tmp_path / "b.parquet") == [wanted]


@pytest.mark.parametrize("data", [RecipeData("demo"), RecipeData("demo", tools='[{"type": "function"}]'), own()])
def test_nobody_finds_anything_in_it(data: RecipeData, tmp_path: Path) -> None:
    program = written(tmp_path, data)
    for command in (["check"], ["format", "--check"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--config", str(ROOT / "pyproject.toml"), str(program)],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout
    files = {
        "scripts/tools/process_demo.py": program.read_text(),
        "examples/demo/__init__.py": "",
        "examples/demo/reward_demo.py": "async def reward_func(args, sample, **kwargs):\n    return {'score': 1.0}\n",
        "examples/demo/run_demo.sh": "# python3 scripts/tools/process_demo.py --input-dir /v --output-dir /r\n"
        "python3 relax/entrypoints/train.py --colocate --prompt-data /r/train.parquet --input-key prompt "
        "--label-key label --metadata-key extra_info --apply-chat-template --reward-key score "
        "--custom-rm-path examples.demo.reward_demo.reward_func\n",
    }
    project = Project.from_files(files)
    found = lint(project, load_rules(), Settings(), list(map(project.root.joinpath, files)))
    assert not [each for each in found.standing if each.code.startswith(("RLX1", "RLX2", "RLX410", "RLX409", "RLX7"))]


def test_interactions_find_the_messages_of_the_prompt(tmp_path: Path) -> None:
    program = written(tmp_path, RecipeData("demo", raw_prompt=True))
    messages = [{"role": "user", "content": "1 + 1 = é?"}]
    write_parquet(tmp_path / "a.parquet", [{"prompt": messages, "reward_model": {"ground_truth": "2"}}])
    assert run(program, "--input-dir", "a.parquet", "--output-dir", "b.parquet").returncode == 0
    (row,) = rows_in(tmp_path / "b.parquet")
    assert json.loads(row["extra_info"]["raw_prompt"]) == messages == row["prompt"]


def test_rows_show_the_tools_of_the_recipe(tmp_path: Path) -> None:
    tools = [
        {"type": "function", "function": {"name": "calc", "description": 'say "1 + 1", or \\ ü', "parameters": {}}}
    ]
    program = written(tmp_path, RecipeData("demo", tools=json.dumps(tools)))
    write_parquet(tmp_path / "a.parquet", [{"prompt": "how?", "reward_model": {"ground_truth": "1"}}] * 3)
    assert run(program, "--input-dir", "a.parquet", "--output-dir", "b.parquet").returncode == 0
    assert [json.loads(row["tools"]) for row in rows_in(tmp_path / "b.parquet")] == [tools] * 3


def test_names_of_the_parts_do_not_clash(tmp_path: Path) -> None:
    tree = ast.parse(script(RecipeData("demo")))
    names = [each.name for each in tree.body if isinstance(each, (ast.FunctionDef, ast.ClassDef))]
    assert len(names) == len(set(names))


def test_own_rows_go_from_the_raw_data_to_the_columns_of_relax(tmp_path: Path) -> None:
    program = written(tmp_path, own())
    for name, first, count in (("train-00000-of-2", 0, 300), ("train-00001-of-2", 300, 20), ("test-00000-of-1", 0, 5)):
        rows = [{"question": f"{n}?", "answer": f"so #### {n},0"} for n in range(first, first + count)]
        write_parquet(tmp_path / f"raw/main/{name}.parquet", rows, row_group_size=100)
    done = run(program, "--input-dir", "raw", "--output-dir", "out")
    assert (done.returncode, done.stderr) == (0, "")
    train = rows_in(tmp_path / "out/train.parquet")
    assert len(train) == 320
    assert train[310] == {
        "prompt": [{"role": "user", "content": "310? Think."}],
        "label": "310,0",
        "extra_info": {"split": "train", "index": 310, "data_source": "openai/gsm8k"},
    }
    assert len(rows_in(tmp_path / "out/test.parquet")) == 5
    write_parquet(tmp_path / "verl/test.parquet", [{"prompt": "a", "reward_model": {"ground_truth": "1"}}])
    assert run(program, "--input-dir", "verl", "--output-dir", "out2").returncode == 0
    assert rows_in(tmp_path / "out2/test.parquet") == [{"prompt": "a", "label": "1"}]


@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet"])
def test_raw_rows_are_sent_to_the_preprocessing(name: str, tmp_path: Path) -> None:
    program = written(tmp_path, RecipeData("demo", prepared_by="examples/demo/prepare.py"))
    row = {"prompt": "how?", "answer": "1"}
    (tmp_path / "a.jsonl").write_text(json.dumps(row))
    write_parquet(tmp_path / "a.parquet", [row])
    done = run(program, "--input-dir", name, "--output-dir", "out")
    assert done.returncode == 1
    assert "raw rows must go through examples/demo/prepare.py first\n" in done.stderr
    assert "skip" not in done.stderr


def test_own_code_that_fails_is_told_with_the_row(tmp_path: Path) -> None:
    rows = [{"question": "?", "answer": "#### 1"}] * 3 + [{"question": "?", "answer": "none"}]
    write_parquet(tmp_path / "raw/train.parquet", rows)
    done = run(written(tmp_path, own()), "--input-dir", "raw", "--output-dir", "out")
    assert done.returncode == 1
    assert "relax-lint" not in done.stderr
    assert "raw/train.parquet: row 4: the recipe's own code: AttributeError: 'NoneType'" in done.stderr
    assert not (tmp_path / "out/train.parquet").exists()


def test_raw_data_without_rows_is_told(tmp_path: Path) -> None:
    schema = pa.schema([("question", pa.string()), ("answer", pa.string())])
    write_parquet(tmp_path / "raw/train.parquet", [], schema)
    done = run(written(tmp_path, own()), "--input-dir", "raw", "--output-dir", "out")
    assert (done.returncode, done.stderr) == (
        1,
        "raw/train.parquet: there are no rows\nout/train.parquet is not written\n",
    )
    assert not (tmp_path / "out/train.parquet").exists()
