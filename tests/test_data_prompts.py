"""Prompts as Relax reads them, whatever a row holds."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from relax_lint.config import Settings
from relax_lint.data_prompts import Reading, placed_media, prompt_faults, sft_faults
from relax_lint.engine import lint
from relax_lint.project import Project
from relax_lint.rules import load_rules
from relax_lint.selection import Layer
from tests.cases import for_each

RULES = load_rules()
WORDS = ("role", "content", "user", "assistant", "type", "text", "image", "<image>", "prompt", "label", "")
COLUMNS = ("prompt", "label", "images", "metadata", "tools")
LAUNCHES = (
    '--apply-chat-template --rm-type math --hf-checkpoint m/Qwen3-VL-4B --multimodal-keys \'{"image": "images"}\'',
    "--rm-type geo3k --hf-checkpoint m/Qwen3-4B --metadata-key metadata --rollout-max-prompt-len 5",
    "--loss-type sft",
    '--loss-type sft --use-streaming-dataset --conversation-key-map \'{"from": "role"}\'',
)


def value(chance: Random, depth: int = 4) -> Any:
    """Any JSON value, of words that mean something to the loader."""
    kind = chance.random()
    if depth and kind < 0.35:
        return [value(chance, depth - 1) for _ in range(chance.randint(0, 3))]
    if depth and kind < 0.7:
        return {chance.choice(WORDS): value(chance, depth - 1) for _ in range(chance.randint(0, 4))}
    return chance.choice([None, True, False, 3, -1, 2.5, *WORDS])


def row(chance: Random) -> Any:
    if chance.random() < 0.1:
        return value(chance)
    return {name: value(chance) for name in COLUMNS if chance.random() < 0.8}


@for_each("seed", range(60))
@for_each("flags", LAUNCHES)
def test_no_row_is_too_odd_to_be_judged(seed: int, flags: str) -> None:
    chance = Random(seed)
    label = chance.choice(["", "--label-key label"])
    script = f"python3 relax/entrypoints/train.py --prompt-data data/train.jsonl --input-key prompt {label} {flags}\n"
    lines = "".join(json.dumps(row(chance)) + "\n" for _ in range(5))
    project = Project.from_files({"examples/demo/run_demo.sh": script, "data/train.jsonl": lines})
    report = lint(project, RULES, Settings(selection=(Layer(select=("RLX7",)),)))
    assert report.failures == []


@pytest.mark.parametrize(
    ("prompt", "room", "brought"),
    [
        ("<image> and <image>", 2, 0),
        (
            [
                {"role": "user", "content": "<image>"},
                {"role": "user", "content": [{"type": "image"}, {"type": "text"}]},
            ],
            1,
            1,
        ),
        ([{"role": "user", "content": [{"type": "text", "text": "<image>"}]}], 0, 0),
        ([], 0, 0),
    ],
)
def test_places_for_media(prompt: Any, room: int, brought: int) -> None:
    assert placed_media(prompt, {"image": "images"}) == ({"image": room}, {"image": brought})


@pytest.mark.parametrize("prompt", [None, 3, {"content": "x"}, [{"content": None}], ["x"]])
def test_no_places_are_counted_where_there_is_no_prompt(prompt: Any) -> None:
    assert placed_media(prompt, {"image": "images"}) is None


@pytest.mark.parametrize("sees_media", [True, False, None])
def test_what_is_not_known_of_a_launch_is_not_held_against_a_prompt(sees_media: bool | None) -> None:
    unknown = Reading(template=None, media=None, sees_media=sees_media)
    assert list(prompt_faults("hi", unknown)) == []
    assert list(prompt_faults([{"role": "user", "content": "hi"}], unknown)) == []


def test_what_a_message_learns_is_said_by_itself_or_by_its_role() -> None:
    asked, told = {"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}
    assert [kind for kind, *_ in sft_faults([asked], labelled=False, renamed=None)] == ["unlearnt"]
    assert [kind for kind, *_ in sft_faults([asked, {**told, "learn": False}], labelled=False, renamed=None)] == [
        "unlearnt"
    ]
    assert list(sft_faults([{**asked, "learn": True}], labelled=False, renamed=None)) == []
    assert list(sft_faults([asked, told], labelled=False, renamed=None)) == []
