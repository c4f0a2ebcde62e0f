#!/bin/bash
# GRPO on Countdown with Qwen3-8B on one machine of 8 GPUs.
#
# Convert the data first:  python3 scripts/tools/process_countdown.py --input-dir verl_data --output-dir "${DATA_DIR}/countdown"
# then:  MODEL_DIR=/models DATA_DIR=/data bash examples/countdown/run_countdown.sh [sync|async]

set -x

MODE=${1:-${MODE:-"sync"}}
TIMESTAMP=$(date "+%Y-%m-%d-%H:%M:%S")
SCRIPT_DIR="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" &>/dev/null && pwd)"

if [ -z "${RELAX_ENTRYPOINT_MODE:-}" ]; then
    source "${SCRIPT_DIR}/../../scripts/entrypoint/local.sh"
fi
source "${MODEL_CONFIG_DIR}/qwen3-8B.sh"

RUNTIME_ENV_JSON='{"env_vars": {"CUDA_DEVICE_MAX_CONNECTIONS": "1"}}'
EXP_NAME="qwen3-8B-countdown-${MODE}-${TIMESTAMP}"
ROLLOUT_BATCH_SIZE=32
N_SAMPLES=8

CKPT_ARGS=(
    --hf-checkpoint ${MODEL_DIR}/Qwen3-8B
    --ref-load ${MODEL_DIR}/Qwen3-8B
    --megatron-to-hf-mode bridge
)

ROLLOUT_ARGS=(
    --prompt-data "['${DATA_DIR}/countdown/train.parquet']"
    --input-key prompt
    --label-key label
    --metadata-key extra_info
    --apply-chat-template
    --custom-rm-path examples.countdown.reward_countdown.reward_func
    --num-rollout 200
    --rollout-batch-size ${ROLLOUT_BATCH_SIZE}
    --n-samples-per-prompt ${N_SAMPLES}
    --rollout-max-response-len 1024
    --rollout-max-prompt-len 512
    --rollout-temperature 1
    --global-batch-size 128
    --rollout-shuffle
)

PERF_ARGS=(
    --tensor-model-parallel-size 4
    --sequence-parallel
    --micro-batch-size 1
    --use-dynamic-batch-size
    --max-tokens-per-gpu 9216
)

GRPO_ARGS=(
    --advantage-estimator grpo
    --use-kl-loss
    --kl-loss-coef 0.001
    --kl-loss-type low_var_kl
    --eps-clip 0.2
    --use-tis
)

OPTIMIZER_ARGS=(
    --optimizer adam
    --lr 1e-6
    --lr-decay-style constant
)

SGLANG_ARGS=(
    --rollout-num-gpus-per-engine 2
    --sglang-mem-fraction-static 0.8
)

EVAL_ARGS=(
    --eval-interval 100
    --eval-prompt-data countdown ${DATA_DIR}/countdown/test.parquet
)

if [ "${MODE}" = "async" ]; then
    python3 -m relax.entrypoints.train \
        --resource '{"actor": [1, 4], "rollout": [1, 2], "reference": [1, 1], "actor_fwd": [1, 1], "advantages": [1, 0]}' \
        --max-staleness 3 \
        --num-iters-per-train-update 8 \
        --fully-async \
        "${MODEL_ARGS[@]}" "${CKPT_ARGS[@]}" "${ROLLOUT_ARGS[@]}" "${PERF_ARGS[@]}" \
        "${GRPO_ARGS[@]}" "${OPTIMIZER_ARGS[@]}" "${SGLANG_ARGS[@]}" "${EVAL_ARGS[@]}" \
        2>&1 | tee logs/${EXP_NAME}.log
else
    ray job submit --address="http://127.0.0.1:8265" \
        --runtime-env-json="${RUNTIME_ENV_JSON}" \
        -- python3 relax/entrypoints/train.py \
        --resource '{"actor": [1, 8], "rollout": [1, 8]}' \
        --max-staleness 0 \
        --colocate \  
        "${MODEL_ARGS[@]}" "${CKPT_ARGS[@]}" "${ROLLOUT_ARGS[@]}" "${PERF_ARGS[@]}" \
        "${GRPO_ARGS[@]}" "${OPTIMIZER_ARGS[@]}" "${SGLANG_ARGS[@]}" "${EVAL_ARGS[@]}" \
        2>&1 | tee logs/${EXP_NAME}.log
fi
