"""Data of one JSON object a line, as `data check` reads it and as the rules on data judge it."""

from __future__ import annotations

import json
import random
import re

from tools.fuzz.datasets import DataFront
from tools.fuzz.languages import Language
from tools.fuzz.mutating import LONGEST, damaged, mutated, raw

JSON = Language(
    "jsonl",
    re.compile(r"[ \t]+|\w+|[^\w\s]|\s"),
)


class LinesFront(DataFront):
    """The front end with its seeds."""

    name = "data.jsonl"
    modules = ("sources/jsonl.py", "sources/dataset.py", "sources/columns.py", "rules/data/", "data_profile.py")

    def __init__(self) -> None:
        self.seeds = [JSON.tokens(JSON.write(random.Random(number))) for number in range(300)]

    def data(self, chance: random.Random) -> bytes:
        """A file."""
        kind = chance.random()
        if kind < 0.05:
            return raw(chance)
        if kind < 0.1:
            return json.dumps({"prompt": raw(chance).decode("latin-1"), "label": chance.random()}).encode()
        if kind < 0.4:
            return JSON.write(chance)[:LONGEST].encode("utf-8", "surrogateescape")
        if kind < 0.5:
            return damaged(chance, "".join(chance.choice(self.seeds)).encode())
        text = mutated(chance, JSON, chance.choice(self.seeds), chance.choice(self.seeds))
        return text.encode("utf-8", "surrogateescape")


def make() -> LinesFront:
    """The front end with its seeds."""
    return LinesFront()
