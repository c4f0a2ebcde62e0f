"""The conversion as one would write it down for a row, without a thought of speed; and data of verl to try it on."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

Row = dict[str, Any]
TOOLS = ("need_tools_kwargs", "tools_kwargs", "interaction_kwargs")
WORDS = "how many apples are left ü 数 🍎 \\frac{1}{2} \n \" ' <think> \x7f".split(" ")


def expected(row: Row, home: Path = Path()) -> Row:
    """A row of Relax for one of verl."""
    truth = row["reward_model"]["ground_truth"]
    extra = dict(row.get("extra_info") or {})
    if "data_source" in extra and "data_source" in row:
        extra["verl_data_source"] = row["data_source"]
    for name in ("data_source", *TOOLS):
        if name in row and extra.get(name) is None:
            extra[name] = row[name]
    made = {
        "prompt": row["prompt"],
        "label": truth if isinstance(truth, str) else json.dumps(truth, ensure_ascii=False),
    }
    if not isinstance(truth, str):
        extra["relax_label_encoding"] = "json"
    for name in ("images", "videos"):
        if name in row:
            made[name] = row[name] and [_bytes(item, home) for item in row[name]]
    return {**made, "extra_info": extra}


def _bytes(item: Any, home: Path) -> Any:
    if isinstance(item, dict):
        item = item["bytes"] if item.get("bytes") is not None else item["path"]
    return item if isinstance(item, bytes) else (home / item).read_bytes()


def without_nulls(value: Any) -> Any:
    """A value without the fields that other rows have: what Arrow fills in is not told from what was never there."""
    if isinstance(value, dict):
        return {name: without_nulls(part) for name, part in sorted(value.items()) if part is not None}
    return [without_nulls(part) for part in value] if isinstance(value, list) else value


def rows_in(path: Path) -> list[Row]:
    """The rows of a file, or of all files of a directory, read the way Relax does it: a row group at a time."""
    files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    opened = [pq.ParquetFile(file) for file in files]
    return [
        row for file in opened for group in range(file.num_row_groups) for row in file.read_row_group(group).to_pylist()
    ]


def same(found: Iterable[Row], wanted: Iterable[Row]) -> bool:
    """Whether rows are equal, in their order, with labels that decode to what scorers of verl were given."""
    return [without_nulls(row) for row in found] == [without_nulls(row) for row in wanted]


class Maker:
    """Makes rows of verl."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.truth = self.random.choice(["text", "int", "float", "bool", "texts", "struct", "structs"])
        self.image = self.random.choice(["struct", "bytes", "one"])

    def text(self) -> str:
        return " ".join(self.random.choices(WORDS, k=self.random.randint(0, 30)))

    def ground_truth(self) -> Any:
        pick = self.random
        made: dict[str, Callable[[], Any]] = {
            "text": self.text,
            "int": lambda: pick.randint(-(2**62), 2**62),
            "float": lambda: pick.choice([0.1, 1.0, -2.5e-9, 1e22, pick.random()]),
            "bool": lambda: pick.random() < 0.5,
            "texts": lambda: [self.text() for _ in range(pick.randint(0, 3))],
            "struct": lambda: {"target": [self.text(), self.text()], "n": pick.randint(0, 9), "none": None},
            "structs": lambda: [{"input": self.text(), "output": self.text()} for _ in range(pick.randint(0, 2))],
        }
        return made[self.truth]()

    def text_row(self, number: int) -> Row:
        """A row as of gsm8k."""
        return {
            "data_source": self.random.choice(["openai/gsm8k", "lighteval/MATH"]),
            "prompt": [{"role": "user", "content": self.text()} for _ in range(self.random.randint(1, 3))],
            "ability": "math",
            "reward_model": {"style": "rule", "ground_truth": self.ground_truth()},
            "extra_info": {"split": "train", "index": number, "answer": self.text()},
        }

    def tool_row(self, number: int) -> Row:
        """A row whose tools and interaction are told something."""
        row = self.text_row(number)
        about = {"calc": {"create_kwargs": {"ground_truth": self.text()}}} if self.random.random() < 0.8 else None
        row["extra_info"] |= {"need_tools_kwargs": about is not None, "tools_kwargs": about}
        row["extra_info"]["interaction_kwargs"] = {"query": self.text(), "name": "gsm8k"}
        return row | {"agent_name": "tool_agent"}

    def media_row(self, number: int) -> Row:
        """A row with images."""
        row, count = self.text_row(number), self.random.randint(0, 3)
        images = [self.random.randbytes(self.random.randint(0, 3000)) for _ in range(count)]
        row["images"] = [{"bytes": each, "path": None} for each in images] if self.image == "struct" else images
        if self.random.random() < 0.1:
            row["images"] = None
        return row
