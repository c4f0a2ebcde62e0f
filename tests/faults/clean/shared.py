"""What every clean recipe has: model files, the entry point, small data files."""

from __future__ import annotations

import json
from typing import Any

from tests.faults.trees import Tree
from tests.parquet_files import asked, image, parquet

LOCAL_SH = """\
#!/bin/bash
# Sets a single machine up; launchers source it.
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
export MODEL_CONFIG_DIR="${here}/../models"
export PYTHONPATH="${here}/../..:${PYTHONPATH:-}"
export CUDA_DEVICE_MAX_CONNECTIONS=1
ray start --head --num-gpus "${NUM_GPUS:-8}" --dashboard-port=8265
export RELAX_ENTRYPOINT_MODE=local
"""

DENSE = """\
MODEL_ARGS=(
    --swiglu
    --num-layers 36
    --hidden-size {hidden}
    --ffn-hidden-size {ffn}
    --num-attention-heads 32
    --group-query-attention
    --num-query-groups 8
    --position-embedding-type rope
    --disable-bias-linear
    --normalization RMSNorm
    --norm-epsilon 1e-6
    --rotary-base {base}
    --vocab-size 151936
    --kv-channels 128
    --qk-layernorm
{more})
"""

QWEN3_8B = DENSE.format(hidden=4096, ffn=12288, base=1000000, more="    --untie-embeddings-and-output-weights\n")
QWEN3_4B = DENSE.format(hidden=2560, ffn=9728, base=1000000, more="")
QWEN3_VL_4B = DENSE.format(hidden=2560, ffn=9728, base=5000000, more="")


def shared() -> Tree:
    """The files outside the recipe."""
    return {
        "examples/__init__.py": "",
        "scripts/entrypoint/local.sh": LOCAL_SH,
        "scripts/models/qwen3-8B.sh": QWEN3_8B,
        "scripts/models/qwen3-4B.sh": QWEN3_4B,
        "scripts/models/qwen3-vl-4B.sh": QWEN3_VL_4B,
    }


def jsonl(rows: list[dict[str, Any]]) -> str:
    """Rows as the text of a .jsonl file."""
    return "".join(json.dumps(row) + "\n" for row in rows)


def sums(count: int = 4) -> list[dict[str, Any]]:
    """Rows of small sums."""
    return [
        {
            "prompt": asked(f"What is {number} + {number}? End with the number."),
            "label": str(2 * number),
            "data_source": "local/sums",
            "extra_info": {"split": "train", "index": number},
        }
        for number in range(1, count + 1)
    ]


def charts(count: int = 3) -> list[dict[str, Any]]:
    """Rows with one picture each."""
    return [
        {
            "prompt": asked(f"<image>Which bar is the tallest in chart {number}?"),
            "label": "red",
            "image": [image()["bytes"]],
            "extra_info": {"split": "train", "index": number},
        }
        for number in range(count)
    ]


def talks(count: int = 3) -> list[dict[str, Any]]:
    """Rows of whole conversations, for supervised tuning."""
    return [
        {"messages": [*asked(f"Say note {number}."), {"role": "assistant", "content": f"This is note {number}."}]}
        for number in range(count)
    ]


def parquet_of(rows: list[dict[str, Any]]) -> bytes:
    """Rows as the bytes of a parquet file."""
    return parquet(rows)
