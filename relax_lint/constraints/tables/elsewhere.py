"""Constraints that no launch decides alone: what they need, and the rule that judges them where it is at hand."""

from __future__ import annotations

from relax_lint.constraints.schema import RL, Constraint, Kind, Stage

_CODE, _DATA, _FILE = "needs the recipe's Python code", "needs the data", "needs the file"
_SFT = ("sft",)
_ROWS: tuple[tuple[str, Kind, Stage, str, str, str | None, tuple[str, ...], str], ...] = (
    ("dict-reward-needs-key", "crash", "train", "the reward is a dict and --reward-key is missing",
     "relax/utils/utils.py:180", "RLX206", RL, _CODE),
    ("scalar-reward-with-key", "crash", "train", "the reward is a number and --reward-key is given",
     "relax/utils/types.py:170", "RLX207", RL, _CODE),
    ("reward-key-not-in-dict", "crash", "train", "the reward has no such key",
     "relax/utils/types.py:170", "RLX207", RL, _CODE),
    ("generate-list-with-partial-mask", "crash", "train", "a generate function that returns lists, with partial masks",
     "relax/engine/rollout/sglang_rollout.py:444", "RLX306", RL, _CODE),
    ("sft-dataset-class-from-args", "refusal", "start", "the data set class has no from_args",
     "relax/components/sft.py:53", None, _SFT, _CODE),
    ("normalize-bbox-unread", "no-effect", "train", "--normalize-bbox is read by the recipe's own code only",
     "relax/utils/arguments.py:1418", None, (), _CODE),
    ("prompt-data-extension", "crash", "start", "data files are .jsonl or .parquet",
     "relax/utils/data/data_utils.py:623", "RLX701", (), _DATA),
    ("prompt-data-negative-slice", "crash", "start", "a slice of data has a negative bound",
     "relax/utils/data/data_utils.py:601", "RLX701", RL, _DATA),
    ("system-prompt-unused", "no-effect", "train", "--system-prompt is not added to prompts that are plain text",
     "relax/utils/data/data_utils.py:117", None, RL, _DATA),
    ("sft-prompt-not-messages", "crash", "train", "the input column holds no messages",
     "relax/engine/sft/dataset/streaming.py:138", None, _SFT, _DATA),
    ("sft-train-pool-empty", "refusal", "train", "no rows are left to train on",
     "relax/components/sft.py:317", None, _SFT, _DATA),
    ("sft-eval-padded", "no-effect", "train", "fewer rows to evaluate than a batch: rows are repeated",
     "relax/components/sft.py:384", None, _SFT, _DATA),
    ("eval-dataset-sampling-keys", "no-effect", "train", "stop conditions of a data set in --eval-config are not read",
     "relax/engine/rollout/sglang_rollout.py:1109", "RLX606", RL, _FILE),
    ("samples-differ-from-plan", "crash", "train", "a rollout delivers other samples than the trainer planned for",
     "relax/backends/megatron/actor.py:652", None, RL, "decided by the rollout"),
    ("megatron-too-old", "refusal", "megatron", "Megatron has no dynamic context parallelism",
     "relax/backends/megatron/arguments.py:30", None, (), "depends on Megatron's version"),
)  # fmt: skip

ELSEWHERE: tuple[Constraint, ...] = tuple(
    Constraint(id, "", message, source=source, kind=kind, stage=stage, rule=rule, modes=modes, static=static)
    for id, kind, stage, message, source, rule, modes, static in _ROWS
)
