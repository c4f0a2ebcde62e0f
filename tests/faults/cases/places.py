"""Where faults are put: the files of the clean recipes, and edits that many faults share."""

from __future__ import annotations

from textwrap import dedent

from tests.faults.clean.shared import jsonl
from tests.faults.trees import Edit, swap, write

RUN = "examples/arith/run_arith.sh"
REWARD = "examples/arith/reward_arith.py"
TRAIN = "data/arith/train.jsonl"
TEST = "data/arith/test.jsonl"

DESK_RUN = "examples/desk/run_desk.sh"
ENV = "examples/desk/env_desk.py"
ROLLOUT = "examples/desk/rollout.py"
CONFIG = "examples/desk/desk_config.yaml"
DESK_REWARD = "examples/desk/reward_desk.py"
DESK_TRAIN = "data/desk/train.parquet"

CHARTS_RUN = "examples/charts/run_charts.sh"
CHARTS_REWARD = "examples/charts/reward_charts.py"
CHARTS_TRAIN = "data/charts/train.parquet"

SFT_RUN = "scripts/training/sft/run-qwen3-4B-notes-8xgpu.sh"

RM_PATH = "--custom-rm-path examples.arith.reward_arith.reward_func"
SYNC_LAUNCH = 'python3 relax/entrypoints/train.py \\\n        --resource \'{"actor": [1, 8]'
ASYNC_LAUNCH = 'python3 relax/entrypoints/train.py \\\n        --resource \'{"actor": [1, 4]'
BOTH_LAUNCHES = (ASYNC_LAUNCH, SYNC_LAUNCH)
ASYNC_TEE = '2>&1 | tee "logs/${EXP_NAME}.log"\nelse'
SYNC_TEE = '2>&1 | tee "logs/${EXP_NAME}.log"\nfi'
BOTH_TEES = (ASYNC_TEE, SYNC_TEE)

KEY_LINE = "    --reward-key score\n"
SYNC_END = "        --balance-data \\\n"
ENTRY = "async def reward_func(args, sample: Sample, **kwargs):\n"
ANSWER = "    return compute_score(sample.response, sample.label, extra_info=sample.metadata)\n"


def code(text: str) -> str:
    """A block of code written with the indentation of its surroundings."""
    return dedent(text).lstrip("\n")


def reward(text: str, path: str = REWARD) -> Edit:
    """Replace the whole reward module; ``Sample`` is imported."""
    return write(path, "from relax.utils.types import Sample\n\n" + code(text))


def ending(text: str, path: str = REWARD) -> Edit:
    """Replace the entry point of the reward module, and leave ``compute_score`` as it is."""
    return swap(path, ENTRY + ANSWER, code(text))


def answer(text: str, path: str = REWARD) -> Edit:
    """Replace the body of the entry point."""
    body = "".join(f"    {line}" if line.strip() else line for line in code(text).splitlines(keepends=True))
    return swap(path, ANSWER, body)


def flags(*lines: str, path: str = RUN, below: str = KEY_LINE) -> Edit:
    """Add elements below one that is there."""
    return swap(path, below, below + "".join(f"    {line}\n" for line in lines))


def instead(old: str, new: str, path: str = RUN) -> Edit:
    """Put one flag for another."""
    return swap(path, f"    {old}\n", f"    {new}\n")


def without(flag: str, path: str = RUN) -> Edit:
    """Drop an element of an array."""
    return swap(path, f"    {flag}\n", "")


def plain_reward() -> tuple[Edit, Edit]:
    """A reward that gives a number, and no key for it."""
    return (
        reward(
            """
            async def reward_func(args, sample: Sample, **kwargs):
                return float(sample.response.endswith(sample.label))
            """
        ),
        without("--reward-key score"),
    )


def rows(path: str, *held: dict[str, object]) -> Edit:
    """Write a .jsonl file."""
    return write(path, jsonl(list(held)))
