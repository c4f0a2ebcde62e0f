"""A launcher of another style: functions, ``case``, a sourced file, ``--flag=value``, one array that grows."""

from __future__ import annotations

COMMON = """\
# What every launcher of this recipe passes.
common_args() {
    ARGS+=(
        --advantage-estimator=grpo
        --eps-clip=0.2
        --eps-clip-high=0.28
        --use-tis
        --entropy-coef=0
    )
    ARGS+=(--use-kl-loss --kl-loss-coef=0.001 --kl-loss-type=low_var_kl)
}

readonly OPTIMIZER=(
    --optimizer=adam
    --lr=1e-6
    --lr-decay-style=constant
    --optimizer-cpu-offload
    --overlap-cpu-optimizer-d2h-h2d
    --use-precision-aware-optimizer
)
"""

LAUNCHER = """\
#!/usr/bin/env bash
# Trains on sums. Convert the data first:
#   python3 scripts/tools/process_sums.py --input-dir verl/ --output-dir relax/
# then: MODEL_DIR=... DATA_DIR=... bash examples/sums/run_sums.sh [sync|async]
set -euo pipefail

HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
if [[ -z "${RELAX_ENTRYPOINT_MODE:-}" ]]; then
    source "${HERE}/../../scripts/entrypoint/local.sh"
fi
. "${MODEL_CONFIG_DIR}/qwen3-4B.sh"
source "${HERE}/common.sh"

MODE="${1:-${MODE:-sync}}"
BATCH=32
SAMPLES=8
GPUS=8
LOGS="${HERE}/logs"
mkdir -p "${LOGS}"

declare -a ARGS=("${MODEL_ARGS[@]}")
ARGS+=(
    --hf-checkpoint="${MODEL_DIR}/Qwen3-4B"
    --ref-load="${MODEL_DIR}/Qwen3-4B"
    --megatron-to-hf-mode=bridge
    --prompt-data="${DATA_DIR}/sums/train.jsonl"
    --input-key=prompt
    --label-key=label
    --metadata-key=extra_info
    --apply-chat-template
    --custom-rm-path=examples.sums.reward_sums.reward_func
    --reward-key=score
    --num-epoch=2
    --rollout-batch-size=${BATCH}
    --n-samples-per-prompt=${SAMPLES}
    --global-batch-size=$((BATCH * SAMPLES))
    --rollout-max-response-len=1024
    --rollout-max-prompt-len=512
)
common_args
ARGS+=("${OPTIMIZER[@]}")
ARGS+=(
    --tensor-model-parallel-size=2
    --sequence-parallel
    --use-dynamic-batch-size
    --max-tokens-per-gpu=9216
    --rollout-num-gpus-per-engine=1
)

case "${MODE}" in
sync)
    ARGS+=(
        --colocate
        --max-staleness=0
        --resource="{\\"actor\\": [1, ${GPUS}], \\"rollout\\": [1, ${GPUS}]}"
    )
    ;;
async)
    ARGS+=(
        --fully-async
        --max-staleness=2
        --num-iters-per-train-update=8
        --ref-actor-config='{"tensor_model_parallel_size": 1, "sequence_parallel": false}'
        --resource='{"actor": [1, 4], "rollout": [1, 2], "reference": [1, 2], "advantages": [1, 0]}'
    )
    ;;
*)
    echo "usage: $0 [sync|async]" >&2
    exit 2
    ;;
esac

launch() {
    python3 relax/entrypoints/train.py "$@" 2>&1 | tee "${LOGS}/sums-${MODE}.log"
}

launch "${ARGS[@]}"
"""
