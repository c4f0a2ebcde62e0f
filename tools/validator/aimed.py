"""Command lines that are made to reach one refusal each, from ``aimed.txt``."""

from __future__ import annotations

import json
import random
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tools.validator.requests import Request, edited, groups

ROWS = Path(__file__).with_name("aimed.txt")

BASES = {
    "colocate": "text/run-qwen3-4B-8xgpu.sh",
    "async": "text/run-qwen3-4B-8xgpu-async.sh",
    "moe": "text/run-qwen3-30B-A3B-8xgpu.sh",
    "vision": "multimodal/run-qwen3-vl-4B-8xgpu.sh",
    "sft": "sft/run-qwen3-vl-4B-math-8xgpu.sh",
    "opd": "run-opd-sampled-8xgpu-colocate.sh",
    "mopd": "run-mopd-qwen3-vl-2b-4xgpu-colocate.sh",
    "genrm": "generate_reward_model/run-qwen3-4B-8xgpu-colocated.sh",
    "agentic": "run_deepeyes_agentic.sh",
}
"""The launcher behind each base, by the end of its path; it runs without an argument."""

FILES: Mapping[str, object] = {
    "good.yaml": {"eval": {"datasets": [{"name": "a", "path": "/x"}]}},
    "list.yaml": [1],
    "evalint.yaml": {"eval": 3},
    "nodatasets.yaml": {"eval": {"defaults": {}}},
    "noname.yaml": {"eval": {"datasets": [{"path": "/x"}]}},
    "dsint.yaml": {"eval": {"datasets": 3}},
    "meta.yaml": {"eval": {"datasets": [{"name": "a", "path": "/x", "metadata_overrides": 3}]}},
    "bogus.yaml": {"eval": {"datasets": [{"name": "a", "path": "/x", "bogus": 3}]}},
    "custom.yaml": {"rollout_batch_size": 4},
    "customlist.yaml": [1],
}
"""What rows find in ``FILES``. JSON is YAML, too."""


class BadRow(Exception):
    """A row that cannot be read; it carries the row."""


@dataclass(slots=True)
class Row:
    """An edit of a launch, and what it finds around it."""

    base: str
    words: tuple[str, ...]
    without: tuple[str, ...] = ()
    environment: dict[str, str | None] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    saved: bool = False
    config: Mapping[str, Any] | None = None

    def on(self, launch: Request, folder: str) -> Request:
        """The launch, edited; the files that rows name are in ``folder``."""
        words = tuple(word.replace("FILES/", f"{folder}/") for word in self.words)
        changes = [*words, *(f"without {flag}" for flag in self.without)]
        count = len(groups(self.words)) + len(self.without)
        return replace(
            launch,
            kind="aimed" if count <= 1 else "combined",
            argv=edited(launch.argv, words, self.without),
            change=" ".join(changes),
            environment=self.environment,
            missing=self.missing,
            saved=self.saved,
            config=self.config,
        )


def rows_in(text: str) -> Iterator[Row]:
    """The rows of a file; raises :class:`BadRow`."""
    for line in text.splitlines():
        if line and line[0] not in "#[":
            yield row_in(line)


def row_in(line: str) -> Row:
    """One row; raises :class:`BadRow`."""
    start, colon, rest = line.partition(":")
    words, *settings = rest.strip().split("| ") if rest.strip().startswith("| ") else rest.split(" | ")
    if not colon or len(start.split()) != 2:
        raise BadRow(line)
    row = Row(start.split()[1], tuple(shlex.split(words)))
    for setting in settings:
        key, _, value = setting.strip().partition(" ")
        if key == "without":
            row.without += tuple(value.split())
        elif key == "env":
            name, _, content = value.partition("=")
            row.environment[name] = content
        elif key == "unset":
            row.environment[value] = None
        elif key == "missing":
            row.missing += tuple(value.split())
        elif key == "saved":
            row.saved = True
        elif key == "config":
            row.config = json.loads(value)
        else:
            raise BadRow(line)
    return row


def write_files(folder: Path) -> None:
    """Write what rows find in ``FILES``."""
    for name, content in FILES.items():
        (folder / name).write_text(json.dumps(content), encoding="utf-8")


def bases_among(launches: Sequence[Request]) -> dict[str, Request]:
    """The bases that there are."""
    found: dict[str, Request] = {}
    for name, ending in BASES.items():
        for launch in launches:
            if launch.name.endswith(ending):
                found.setdefault(name, launch)
    return found


def aimed(rows: Sequence[Row], launches: Sequence[Request], folder: str) -> Iterator[Request]:
    """Each row on its base, where the checkout has that."""
    bases = bases_among(launches)
    for row in rows:
        if row.base in bases:
            yield row.on(bases[row.base], folder)


def aimed_elsewhere(rows: Sequence[Row], launches: Sequence[Request], folder: str, rng: random.Random) -> Request:
    """A row on any launch."""
    return rng.choice(rows).on(rng.choice(launches), folder)
