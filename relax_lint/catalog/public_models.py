"""Models whose ``config.json`` is public, with its numbers: known without a checkpoint at hand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from relax_lint.records import record

_FILE = Path(__file__).with_suffix(".json")
_NO_PART_OF_A_NAME = re.compile(r"[^a-z0-9.]")


@record
class Public:
    """A model: the stem of its file, the checkpoints that have these numbers, what else names it in a path or a
    script, and the config."""

    stem: str
    names: tuple[str, ...]
    called: tuple[str, ...]
    config: Mapping[str, Any]


@cache
def public_models() -> tuple[Public, ...]:
    """All that are known."""
    known = json.loads(_FILE.read_text("utf-8"))["models"]
    return tuple(
        Public(stem, tuple(one["names"]), tuple(one.get("called", ())), one["config"]) for stem, one in known.items()
    )


def plain(name: str) -> str:
    """A name as it is compared: ``Qwen2.5-7B`` and ``qwen-2.5_7b`` are one."""
    return _NO_PART_OF_A_NAME.sub("", name.lower())


def public_model(parts: Sequence[str], hints: Sequence[str] = ()) -> tuple[Public | None, bool]:
    """The model that a path means, and whether it says the name outright. ``parts`` are those of the path, the first
    first; ``hints`` other names that may hold the model's."""
    behind = [plain(part) for part in reversed(parts)]
    for part in behind:
        for model in public_models():
            if any(plain(name.rpartition("/")[2]) == part for name in model.names):
                return model, True
    for text in (*behind, *map(plain, hints)):
        held = max(_held(text), default=(0, 0))
        if held[0]:
            return public_models()[-held[1]], False
    return None, False


def _held(text: str) -> Iterator[tuple[int, int]]:
    """How long each name is that a text holds, and whose it is."""
    for index, model in enumerate(public_models()):
        for name in (*model.names, *model.called):
            short = plain(name.rpartition("/")[2])
            if short in text:
                yield len(short), -index
