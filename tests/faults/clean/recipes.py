"""The clean recipes by name."""

from __future__ import annotations

from functools import cache

from tests.faults.clean import code, launchers, styled
from tests.faults.clean.shared import charts, jsonl, parquet_of, shared, sums, talks
from tests.faults.trees import Tree


def _text() -> Tree:
    return {
        "examples/arith/__init__.py": "",
        "examples/arith/reward_arith.py": code.REWARD_SUMS,
        "examples/arith/run_arith.sh": launchers.launcher("arith", "qwen3-8B", "Qwen3-8B", "jsonl"),
        "scripts/tools/process_arith.py": code.PROCESS_SUMS,
        "data/arith/train.jsonl": jsonl(sums()),
        "data/arith/test.jsonl": jsonl(sums(2)),
    }


def _turns() -> Tree:
    asked = (
        "    --custom-generate-function-path examples.desk.rollout.generate\n"
        "    --custom-config-path examples/desk/desk_config.yaml\n"
    )
    return {
        "examples/desk/__init__.py": "",
        "examples/desk/base_env.py": code.BASE_ENV,
        "examples/desk/env_desk.py": code.ENV_DESK,
        "examples/desk/rollout.py": code.ROLLOUT,
        "examples/desk/desk_config.yaml": code.CONFIG_DESK,
        "examples/desk/reward_desk.py": code.REWARD_SUMS,
        "examples/desk/run_desk.sh": launchers.launcher("desk", "qwen3-8B", "Qwen3-8B", "parquet", asked),
        "scripts/tools/process_desk.py": code.PROCESS_SUMS,
        "data/desk/train.parquet": parquet_of(sums()),
        "data/desk/test.parquet": parquet_of(sums(2)),
    }


def _vision() -> Tree:
    keys = '    --multimodal-keys \'{"image":"image"}\'\n'
    script = launchers.launcher("charts", "qwen3-vl-4B", "Qwen3-VL-4B", "parquet", keys, "    --no-rope-fusion\n")
    return {
        "examples/charts/__init__.py": "",
        "examples/charts/reward_charts.py": code.REWARD_CHARTS,
        "examples/charts/run_charts.sh": script,
        "scripts/tools/process_charts.py": code.PROCESS_CHARTS,
        "data/charts/train.parquet": parquet_of(charts()),
        "data/charts/test.parquet": parquet_of(charts(2)),
    }


def _sft() -> Tree:
    return {
        "scripts/training/sft/run-qwen3-4B-notes-8xgpu.sh": launchers.SFT,
        "data/notes/train.jsonl": jsonl(talks()),
    }


def _styled() -> Tree:
    return {
        "examples/sums/__init__.py": "",
        "examples/sums/reward_sums.py": code.REWARD_SUMS,
        "examples/sums/common.sh": styled.COMMON,
        "examples/sums/run_sums.sh": styled.LAUNCHER,
        "scripts/tools/process_sums.py": code.PROCESS_SUMS,
        "data/sums/train.jsonl": jsonl(sums()),
    }


MAKERS = {"text": _text, "turns": _turns, "vision": _vision, "sft": _sft, "styled": _styled}


@cache
def clean(name: str) -> Tree:
    """One clean recipe with all it needs."""
    return shared() | MAKERS[name]()
