"""The launcher of the clean recipes, by the guide's dual-mode template."""

from __future__ import annotations

LAUNCHER = """\
#!/bin/bash
# Usage: bash examples/@algo@/run_@algo@.sh [sync|async]
#
# Prerequisites:
#   1. Convert data:  python3 scripts/tools/process_@algo@.py \\
#                       --input-dir /path/to/verl/data --output-dir /path/to/relax/data
#   2. Set env vars:  MODEL_DIR=/path/to/models  DATA_DIR=/path/to/data
#   3. Run:           bash examples/@algo@/run_@algo@.sh

set -ex
set -o pipefail

MODE=${1:-${MODE:-"sync"}}

TIMESTAMP=$(date "+%Y-%m-%d-%H:%M:%S")

SCRIPT_DIR="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" &>/dev/null && pwd)"
if [ -z "${RELAX_ENTRYPOINT_MODE:-}" ]; then
    source "${SCRIPT_DIR}/../../scripts/entrypoint/local.sh"
fi
source "${MODEL_CONFIG_DIR}/@model@.sh"

PROJECT_NAME="${PROJECT_NAME:=Relax/dev/@algo@}"
EXP_NAME="@model@-@algo@-${MODE}-${TIMESTAMP}"
NUM_ROLLOUT="${NUM_ROLLOUT:=200}"
PROMPT_SET="['${DATA_DIR}/@algo@/train.@ext@']"
TEST_FILES="${DATA_DIR}/@algo@/test.@ext@"

CKPT_ARGS=(
    --hf-checkpoint ${MODEL_DIR}/@Model@
    --ref-load ${MODEL_DIR}/@Model@
    --megatron-to-hf-mode bridge
)

ROLLOUT_ARGS=(
    --prompt-data "${PROMPT_SET}"
    --input-key prompt
    --label-key label
    --metadata-key extra_info
    --reward-key score
    --apply-chat-template
    --custom-rm-path examples.@algo@.reward_@algo@.reward_func
@rollout@    --num-rollout ${NUM_ROLLOUT}
    --rollout-batch-size 32
    --n-samples-per-prompt 8
    --rollout-max-response-len 1024
    --rollout-max-prompt-len 512
    --rollout-temperature 1
    # rollout-batch-size × n-samples-per-prompt
    --global-batch-size 256
    --rollout-shuffle
    --use-fault-tolerance
)

PERF_ARGS=(
    --tensor-model-parallel-size 4
    --sequence-parallel
    --pipeline-model-parallel-size 1
    --context-parallel-size 1
    --expert-model-parallel-size 1
    --expert-tensor-parallel-size 1
    --recompute-granularity full
    --recompute-method uniform
    --recompute-num-layers 1
    --use-dynamic-batch-size
    --max-tokens-per-gpu 9216
)

GRPO_ARGS=(
    --advantage-estimator grpo
    --use-kl-loss
    --kl-loss-coef 0.001
    --kl-loss-type low_var_kl
    --entropy-coef 0
    --eps-clip 0.2
    --eps-clip-high 0.28
    --use-tis
)

OPTIMIZER_ARGS=(
    --optimizer adam
    --lr 1e-6
    --lr-decay-style constant
    --weight-decay 0.1
    --adam-beta1 0.9
    --adam-beta2 0.98
    --clip-grad 1.0
    --optimizer-cpu-offload
    --overlap-cpu-optimizer-d2h-h2d
    --use-precision-aware-optimizer
)

SGLANG_ARGS=(
    --rollout-num-gpus-per-engine 2
    --sglang-mem-fraction-static 0.8
)

LOG_ARGS=(
    --use-tensorboard
    --use-metrics-service
    --tb-project-name ${PROJECT_NAME}
    --tb-experiment-name ${EXP_NAME}
)

MISC_ARGS=(
    --attention-dropout 0.0
    --hidden-dropout 0.0
    --accumulate-allreduce-grads-in-fp32
    --attention-softmax-in-fp32
    --attention-backend flash
@misc@)

EVAL_ARGS=(
    --eval-interval 100
    --eval-prompt-data @algo@ ${TEST_FILES}
)

mkdir -p logs

if [ "${MODE}" = "async" ]; then
    python3 relax/entrypoints/train.py \\
        --resource '{"actor": [1, 4], "rollout": [1, 2], "reference": [1, 2], "advantages": [1, 0]}' \\
        --max-staleness 3 \\
        --num-data-storage-units 1 \\
        --num-iters-per-train-update 8 \\
        --ref-actor-config '{"tensor_model_parallel_size": 1, "sequence_parallel": false}' \\
        --fully-async \\
        --use-health-check \\
        "${MODEL_ARGS[@]}" "${CKPT_ARGS[@]}" "${ROLLOUT_ARGS[@]}" \\
        "${OPTIMIZER_ARGS[@]}" "${GRPO_ARGS[@]}" "${LOG_ARGS[@]}" \\
        "${PERF_ARGS[@]}" "${SGLANG_ARGS[@]}" "${MISC_ARGS[@]}" "${EVAL_ARGS[@]}" \\
        2>&1 | tee "logs/${EXP_NAME}.log"
else
    python3 relax/entrypoints/train.py \\
        --resource '{"actor": [1, 8], "rollout": [1, 8]}' \\
        --max-staleness 0 \\
        --num-data-storage-units 1 \\
        --colocate \\
        --use-health-check \\
        --balance-data \\
        "${MODEL_ARGS[@]}" "${CKPT_ARGS[@]}" "${ROLLOUT_ARGS[@]}" \\
        "${OPTIMIZER_ARGS[@]}" "${GRPO_ARGS[@]}" "${LOG_ARGS[@]}" \\
        "${PERF_ARGS[@]}" "${SGLANG_ARGS[@]}" "${MISC_ARGS[@]}" "${EVAL_ARGS[@]}" \\
        2>&1 | tee "logs/${EXP_NAME}.log"
fi
"""


def launcher(algo: str, model: str, checkpoint: str, ext: str, rollout: str = "", misc: str = "") -> str:
    """The launcher of one recipe; ``rollout`` and ``misc`` are further lines of those arrays."""
    filled = LAUNCHER.replace("@algo@", algo).replace("@model@", model).replace("@Model@", checkpoint)
    return filled.replace("@ext@", ext).replace("@rollout@", rollout).replace("@misc@", misc)


SFT = """\
#!/bin/bash
# Supervised tuning on short notes, one machine.
# Usage: bash scripts/training/sft/run-qwen3-4B-notes-8xgpu.sh

set -ex
set -o pipefail

SCRIPT_DIR="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" &>/dev/null && pwd)"
if [ -z "${RELAX_ENTRYPOINT_MODE:-}" ]; then
    source "${SCRIPT_DIR}/../../entrypoint/local.sh"
fi
source "${MODEL_CONFIG_DIR}/qwen3-4B.sh"

CKPT_ARGS=(
    --hf-checkpoint "${MODEL_DIR}/Qwen3-4B"
    --ref-load "${MODEL_DIR}/Qwen3-4B"
    --megatron-to-hf-mode bridge
    --save "${SAVE_DIR}/notes"
    --save-interval 100
    --num-epoch 2
)

SFT_ARGS=(
    --loss-type sft
    --prompt-data "${DATA_DIR}/notes/train.jsonl"
    --input-key messages
    --global-batch-size 256
    --use-dynamic-batch-size
    --max-tokens-per-gpu 20480
)

PERF_ARGS=(
    --tensor-model-parallel-size 2
    --sequence-parallel
    --pipeline-model-parallel-size 1
    --context-parallel-size 1
    --calculate-per-token-loss
    --recompute-granularity full
    --recompute-method uniform
    --recompute-num-layers 1
)

OPTIMIZER_ARGS=(
    --optimizer adam
    --lr 1e-5
    --lr-decay-style cosine
    --min-lr 1e-6
    --weight-decay 0.1
    --clip-grad 1.0
)

MISC_ARGS=(
    --attention-dropout 0.0
    --hidden-dropout 0.0
    --attention-softmax-in-fp32
    --attention-backend flash
)

mkdir -p logs

python3 relax/entrypoints/train.py \\
    --resource '{"sft": [1, 0], "actor": [1, 8]}' \\
    --num-data-storage-units 1 \\
    "${MODEL_ARGS[@]}" \\
    "${CKPT_ARGS[@]}" \\
    "${SFT_ARGS[@]}" \\
    "${PERF_ARGS[@]}" \\
    "${OPTIMIZER_ARGS[@]}" \\
    "${MISC_ARGS[@]}" 2>&1 | tee logs/notes.log
"""
