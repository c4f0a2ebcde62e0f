"""Ways to write preprocessing: the conversion makes of raw rows what the script makes of them, converted."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

from relax_lint.conversion.own_rows import own_rows
from relax_lint.conversion.script import RecipeData, script
from tests.conversion import datasets_stand_in
from tests.conversion.reference import expected, rows_in, same
from tests.parquet_files import write_parquet

HEAD = """\
import argparse
import os
from functools import partial
from pathlib import Path

import datasets
from datasets import Dataset, DatasetDict, concatenate_datasets, load_dataset

OUT = "out"


def row(question, answer, **more):
    prompt = [{"role": "user", "content": question}]
    extra = {"from": "here", **more}
    return {"data_source": "sums", "prompt": prompt, "reward_model": {"ground_truth": answer}, "extra_info": extra}


def plain(example):
    return row(example["question"], example["answer"], level=example["level"])


def numbered(example, idx):
    return row(example.pop("question"), example.pop("answer"), index=idx)


def of(example, idx, split, mark="?"):
    return row(example["question"] + mark, example["answer"], index=idx, split=split)


def make_map_fn(split):
    def process_fn(example, idx):
        return of(example, idx, split)

    return process_fn


"""
STYLES = {
    "a loop over splits": """
dataset = load_dataset("demo/sums")
for split in ("train", "test"):
    d = dataset[split].map(function=make_map_fn(split), with_indices=True, num_proc=8)
    d.to_parquet(os.path.join(os.path.expanduser(OUT), f"{split}.parquet"))
""",
    "a loop over pairs": """
dataset = load_dataset("demo/sums")
for name, split in zip(["a", "b"], ["train", "test"]):
    dataset[split].map(lambda e, i: of(e, i, name + split), with_indices=True).to_parquet(f"{OUT}/{name}.parquet")
""",
    "splits in a dictionary": """
data = load_dataset("demo/sums")
made = {}
for split in ["train", "test"]:
    made[split] = data[split].map(make_map_fn(split), with_indices=True)
for split, table in made.items():
    table.to_parquet(OUT + "/" + split + ".parquet")
""",
    "a comprehension": """
data = load_dataset("demo/sums")
made = {split: data[split].map(make_map_fn(split), True) for split in ("train", "test")}
for name in made:
    made[name].to_parquet(str(Path(OUT) / f"{name}.parquet"))
""",
    "all splits at once": """
data = load_dataset("demo/sums").map(numbered, with_indices=True).filter(lambda e: e["level"] != 2)
data["train"].to_parquet(f"{OUT}/train.parquet")
data["test"].to_parquet(f"{OUT}/test.parquet")
""",
    "a dictionary of data sets": """
data = DatasetDict({"train": load_dataset("demo/sums", split="train"), "val": load_dataset("demo/sums", split="test")})
data = data.map(plain)
for name, table in data.items():
    table.to_parquet(f"{OUT}/{name}.parquet")
""",
    "functions that take the data": """
def process(table, split):
    table = table.map(make_map_fn(split), with_indices=True)
    return table.filter(longer)


def longer(example):
    return len(example["prompt"][0]["content"]) > 3


def save(table, name):
    os.makedirs(OUT, exist_ok=True)
    table.to_parquet(os.path.join(OUT, name + ".parquet"))


def main():
    data = load_dataset("demo/sums")
    train, test = process(data["train"], "train"), process(data["test"], "test")
    save(train, "train")
    save(test, name="test")


if __name__ == "__main__":
    main()
""",
    "functions that are given functions": """
def each(table, function, name="train"):
    return table.map(function, with_indices=True).to_parquet(f"{OUT}/{name}.parquet")


data = load_dataset("demo/sums")
each(data["train"], make_map_fn("a"))
each(data["test"], function=lambda e, i: of(e, i, "b"), name="test")
""",
    "maps one after the other": """
def ask(example):
    example["question"] = example["question"] + " = ?"
    return example


train = load_dataset("demo/sums")["train"].map(ask).map(lambda e: {"level": e["level"] * 10}).map(plain)
train.to_parquet(f"{OUT}/train.parquet")
""",
    "partial functions and keywords": """
ds = load_dataset("demo/sums")
columns = ds["train"].column_names
tr = ds["train"].map(of, with_indices=True, fn_kwargs={"split": "train", "mark": "!"}, remove_columns=columns)
te = ds["test"].map(partial(of, split="test"), with_indices=True, remove_columns=ds["test"].column_names)
tr.to_parquet("out/train.parquet")
te.to_parquet("out/test.parquet")
""",
    "rows are numbered after they are left out": """
data = load_dataset("demo/sums")["train"]
data = data.filter(lambda e: e["level"] != 1).map(numbered, with_indices=True).filter(lambda e, i: i % 3, True)
data.map(lambda e, i: {"extra_info": {**e["extra_info"], "left": i}}, with_indices=True).to_parquet("out/train.parquet")
""",
    "some of the rows": """
COUNT = 5
data = load_dataset("demo/sums")
train = data["train"].select(range(min(COUNT, len(data["train"]))))
train.map(numbered, with_indices=True).to_parquet("out/train.parquet")
data["train"].select(range(5, len(data["train"]))).map(numbered, with_indices=True).to_parquet("out/val.parquet")
data["test"].select([0, 2]).map(plain).to_parquet("out/test.parquet")
""",
    "some of a split": """
load_dataset("demo/sums", split="train[:6]").map(numbered, with_indices=True).to_parquet("out/train.parquet")
load_dataset("demo/sums", split="train[6:]").skip(1).take(3).map(plain).to_parquet("out/val.parquet")
""",
    "columns get other names": """
data = load_dataset("demo/sums")["train"].rename_column("question", "problem").rename_columns({"answer": "solution"})
data = data.map(lambda e: {**row(e["problem"], e["solution"]), "tools_kwargs": {"k": e["level"]}})
data.remove_columns(["problem"]).remove_columns("solution").to_parquet("out/train.parquet")
data.select_columns(["prompt", "reward_model"]).map(lambda e: {"data_source": "b", "extra_info": {"n": 1}}).to_parquet(
    "out/test.parquet"
)
""",
    "columns are given alone": """
data = load_dataset("demo/sums")["train"].filter(lambda level: level < 3, input_columns="level")
data.map(lambda q, a: row(q, a, n=1), input_columns=["question", "answer"]).to_parquet("out/train.parquet")
""",
    "nothing comes of a function": """
seen = []
data = load_dataset("demo/sums")["train"].map(lambda e: seen.append(e["level"])).map(lambda e: plain(e))
data.to_parquet("out/train.parquet")
""",
    "rows that were there are left out": """
def once():
    seen = set()

    def is_new(example):
        if example["level"] in seen:
            return False
        seen.add(example["level"])
        return True

    return is_new


data = load_dataset("demo/sums")
for split in ("train", "test"):
    data[split].filter(once()).map(plain).to_parquet(f"out/{split}.parquet")
""",
    "options have defaults": """
if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    group = parser.add_argument_group("rows")
    parser.add_argument("--local_dir", default="out")
    parser.add_argument("--hdfs_dir", default=None)
    group.add_argument("--style", default="boxed")
    group.add_argument("-n", "--most", type=int, default="7")
    group.add_argument("--reverse", action="store_true")
    args = parser.parse_args()
    instruction = 'Think.'
    if args.style == "boxed":
        instruction += " Box it."
    elif args.style == "plain":
        instruction += " Say it."
    if args.reverse:
        instruction = instruction[::-1]
    train = load_dataset("demo/sums")["train"].select(range(args.most))
    train = train.map(lambda e: row(e["question"] + instruction, e["answer"], style=args.style))
    train.to_parquet(os.path.join(args.local_dir, "train.parquet"))
    if args.hdfs_dir is not None:
        raise NotImplementedError
""",
    "options in a dictionary": """
def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--style", default="plain")
    return vars(parser.parse_args())


given = options()
load_dataset("demo/sums")["train"].map(lambda e: row(given["style"], e["answer"])).to_parquet("out/train.parquet")
""",
    "data sets put together": """
def sums():
    data = load_dataset("demo/sums", split="train")
    return data.map(partial(of, split="sums"), with_indices=True, remove_columns=data.column_names)


def more():
    data = load_dataset("demo/more", split="train")
    return data.map(partial(of, split="more"), with_indices=True, remove_columns=data.column_names)


tables = []
for make in (sums, more):
    tables.append(make())
TESTS = {"more": more}
concatenate_datasets(tables + [tables[1]]).to_parquet("out/train.parquet")
for name in TESTS.keys():
    concatenate_datasets([TESTS[name]() for _ in range(3)]).to_parquet(f"out/{name}.parquet")
""",
    "rows of all that is put together are numbered": """
sums = load_dataset("demo/sums", split="train").filter(lambda e: e["level"] > 0)
all_of_it = concatenate_datasets([sums, load_dataset("demo/more", split="train")])
all_of_it.map(numbered, with_indices=True).to_parquet("out/train.parquet")
""",
    "a loop over data sets": """
names = "sums,more"
tables = []
for name in names.split(","):
    data = load_dataset("demo/" + name)
    train = data["train"]

    def make(split):
        def fill(example, idx):
            return row(example["question"], example["answer"], index=idx, split=split, of=name)

        return fill

    tables.append(train.map(make("train"), with_indices=True))
concatenate_datasets(tables).to_parquet("out/train.parquet")
""",
    "files that are named": """
train = load_dataset("json", data_files="raw/sums/train.jsonl", split="train")
test = load_dataset("json", data_files="raw/sums/test.jsonl", split="train")
train.map(plain).to_parquet("out/train.parquet")
test.map(plain).to_parquet("out/test.parquet")
""",
    "a file whose split is called something else": """
load_dataset("json", data_files="raw/sums/test.jsonl", split="train").map(plain).to_parquet("out/val.parquet")
""",
    "files of splits": """
data = load_dataset("json", data_files={"learn": "raw/sums/train.jsonl", "exam": "raw/sums/test.jsonl"})
for name, table in data.items():
    table.map(plain).to_parquet(f"out/{name}.parquet")
""",
    "names that come to be something else": """
data = load_dataset("demo/sums")
source = "a"
data["train"].map(lambda e: row(source, e["answer"])).to_parquet("out/train.parquet")
source = "b"
data["test"].map(lambda e: row(source, e["answer"])).to_parquet("out/test.parquet")
""",
    "constants that are made step by step": """
LETTERS = {}
for number, letter in enumerate("abcd"):
    LETTERS[number] = letter
WORDS = ["one"]
WORDS.append("two")
data = load_dataset("demo/sums")
data["train"].map(lambda e: row(LETTERS[e["level"]] + WORDS[-1], e["answer"])).to_parquet("out/train.parquet")
""",
    "a loop over the rows": """
from tqdm import tqdm

data = load_dataset("demo/sums")
for split in ["train", "test"]:
    rows = []
    for number, example in enumerate(tqdm(data[split].filter(lambda e: e["level"] < 3))):
        if example["level"] == 1:
            continue
        question = example["question"] + split
        rows.append(row(question, example["answer"], number=number))
    Dataset.from_list(rows).to_parquet(f"out/{split}.parquet")
""",
    "a loop that keeps something": """
seen = set()
rows = []
for example in load_dataset("demo/sums", split="train"):
    if example["level"] not in seen:
        seen.add(example["level"])
        rows.append(plain(example))
Dataset.from_list(rows).to_parquet("out/train.parquet")
""",
    "a list of the rows": """
import pandas as pd

data = load_dataset("demo/sums")
rows = [row(e["question"], e["answer"], n=n) for n, e in enumerate(data["train"]) if e["level"] != 2]
pd.DataFrame(rows).to_parquet("out/train.parquet")
Dataset.from_list([plain(e) for e in data["test"]]).to_parquet("out/test.parquet")
""",
    "answers of any kind": """
data = load_dataset("demo/sums")["train"]
data.map(lambda e: row(e["question"], e["level"] * 2)).to_parquet("out/train.parquet")
data.map(lambda e: row(e["question"], [e["answer"]])).to_parquet("out/test.parquet")
""",
}


def raw(root: Path) -> None:
    for name, split, count in (("sums", "train", 40), ("sums", "test", 5), ("more", "train", 4)):
        rows = [{"question": f"{name} {n}", "answer": str(n), "level": n % 4} for n in range(count)]
        (root / f"raw/{name}").mkdir(parents=True, exist_ok=True)
        (root / f"raw/{name}/{split}.jsonl").write_text("\n".join(map(json.dumps, rows)))


def run_for_real(text: str, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", datasets_stand_in)
    monkeypatch.setattr(datasets_stand_in.Dataset, "root", root / "raw")
    monkeypatch.setattr(sys, "argv", ["prepare.py"])
    (root / "prepare.py").write_text(text)
    (root / "out").mkdir()
    runpy.run_path(str(root / "prepare.py"), run_name="__main__")


@pytest.mark.parametrize("style", STYLES)
def test_the_conversion_makes_what_the_script_makes(
    style: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    raw(tmp_path)
    text = HEAD + STYLES[style]
    run_for_real(text, tmp_path, monkeypatch)
    own = own_rows(tmp_path / "prepare.py", text, "prepare.py")
    program = tmp_path / "process.py"
    program.write_text(script(RecipeData("demo", own_rows=own.text)))
    names: dict[str, Any] = runpy.run_path(str(program))
    given = "raw" if "more" in STYLES[style] else "raw/sums"
    assert names["main"](["--input-dir", given, "--output-dir", "made"]) == 0, capsys.readouterr().err
    files = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert sorted(path.name for path in (tmp_path / "made").iterdir()) == files
    for file in files:
        assert same(rows_in(tmp_path / "made" / file), map(expected, rows_in(tmp_path / "out" / file))), own.text


@pytest.mark.parametrize(
    ("steps", "tasks"),
    [
        (".map(numbered, with_indices=True)", 4),
        (".map(plain).filter(lambda e: True)", 4),
        (".filter(lambda e: True).map(numbered, with_indices=True)", 1),
        (".select(range(3)).map(plain)", 1),
        (".map(lambda e: kept.append(e)).map(plain)", 1),
    ],
)
def test_rows_that_depend_on_those_before_them_go_to_one_task(steps: str, tasks: int, tmp_path: Path) -> None:
    text = HEAD + f"kept = []\nload_dataset('a', split='train'){steps}.to_parquet('out/train.parquet')\n"
    program = tmp_path / "process.py"
    program.write_text(script(RecipeData("demo", own_rows=own_rows(tmp_path / "p.py", text, "p.py").text)))
    rows = [{"question": str(number), "answer": "1", "level": 1} for number in range(20)]
    write_parquet(tmp_path / "raw/train.parquet", rows, row_group_size=5)
    names: dict[str, Any] = runpy.run_path(str(program))
    (job,) = names["jobs_for"](tmp_path / "raw", tmp_path / "made")
    assert len(names["tasks_of"](job)) == tasks


def test_other_splits_of_the_data_are_not_taken_for_the_one_that_is_read(tmp_path: Path) -> None:
    text = HEAD + "load_dataset('a', split='train').map(plain).to_parquet('out/x.parquet')\n"
    told = HEAD + (
        "a, b = (load_dataset(name, split='train').map(plain) for name in ('x/a', 'x/b'))\n"
        "concatenate_datasets([a, b]).to_parquet('out/x.parquet')\n"
    )
    row = {"question": "?", "answer": "1", "level": 1}
    for file in ("a/train-0.parquet", "a/test-0.parquet", "b/train/0.parquet", "b/test/0.parquet", "b-test.parquet"):
        write_parquet(tmp_path / "raw" / file, [row])
    for written, files in ((text, ["a/train-0", "b/train/0"]), (told, ["a/train-0", "b/train/0"])):
        program = tmp_path / "process.py"
        program.write_text(script(RecipeData("demo", own_rows=own_rows(tmp_path / "p.py", written, "p.py").text)))
        names: dict[str, Any] = runpy.run_path(str(program))
        (job,) = names["jobs_for"](tmp_path / "raw", tmp_path / "made")
        assert list(job.sources) == [tmp_path / f"raw/{file}.parquet" for file in files]
