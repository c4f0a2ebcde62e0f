#!/bin/bash
# GRPO on grade-school arithmetic with Qwen3-8B on one machine of 8 GPUs.
#
# Before the first run:
#   1. Convert the data:  python3 scripts/tools/process_gsm8k.py \
#                           --input-dir /data/verl/gsm8k --output-dir "${DATA_DIR}/gsm8k"
#   2. Say where things are:  MODEL_DIR=/models  DATA_DIR=/data
#   3. Run:  bash examples/gsm8k/run_gsm8k.sh [sync|async]

set -ex
set -o pipefail

MODE=${1:-${MODE:-"sync"}}
TIMESTAMP=$(date "+%Y-%m-%d-%H:%M:%S")
SCRIPT_DIR="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" &>/dev/null && pwd)"

if [ -z "${RELAX_ENTRYPOINT_MODE:-}" ]; then
    source "${SCRIPT_DIR}/../../scripts/entrypoint/local.sh"
fi
source "${MODEL_CONFIG_DIR}/qwen3-8B.sh"

PROJECT_NAME="${PROJECT_NAME:=Relax/dev/gsm8k}"
EXP_NAME="qwen3-8B-gsm8k-${MODE}-${TIMESTAMP}"
NUM_ROLLOUT=${NUM_ROLLOUT:-200}
PROMPT_SET="['${DATA_DIR}/gsm8k/train.parquet']"
TEST_FILES="${DATA_DIR}/gsm8k/test.parquet"

CKPT_ARGS=(
    --hf-checkpoint ${MODEL_DIR}/Qwen3-8B
    --ref-load ${MODEL_DIR}/Qwen3-8B
    # --load ${MODEL_DIR}/Qwen3-8B_mcore/    # to resume
    # --save ${MODEL_DIR}/Qwen3-8B_mcore/
    # --save-interval 20
    --megatron-to-hf-mode bridge
)

ROLLOUT_ARGS=(
    --prompt-data "${PROMPT_SET}"
    --input-key prompt
    --label-key label
    --metadata-key extra_info
    --reward-key score
    --apply-chat-template
    --custom-rm-path examples.gsm8k.reward_gsm8k.reward_func
    --num-rollout ${NUM_ROLLOUT}
    --rollout-batch-size 32
    --n-samples-per-prompt 8
    --rollout-max-response-len 1024
    --rollout-max-prompt-len 512
    --rollout-temperature 1
    # one update a rollout: 32 prompts × 8 samples
    --global-batch-size 256
    --rollout-shuffle
    --use-fault-tolerance
)

PERF_ARGS=(
    --tensor-model-parallel-size 4    # divides the actor's GPUs in both modes
    --sequence-parallel
    --pipeline-model-parallel-size 1
    --context-parallel-size 1
    --expert-model-parallel-size 1
    --expert-tensor-parallel-size 1
    --recompute-granularity full
    --recompute-method uniform
    --recompute-num-layers 1
    --micro-batch-size 1
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
)

EVAL_ARGS=(
    --eval-interval 100
    --eval-prompt-data gsm8k ${TEST_FILES}
)

mkdir -p logs

if [ "${MODE}" = "async" ]; then
    # Each role on its own GPUs: 4 train, 2 generate, 1 holds the reference, 1 recomputes log-probs.
    python3 relax/entrypoints/train.py \
        --resource '{"actor": [1, 4], "rollout": [1, 2], "reference": [1, 1], "actor_fwd": [1, 1], "advantages": [1, 0]}' \
        --max-staleness 3 \
        --num-data-storage-units 1 \
        --num-iters-per-train-update 8 \
        --ref-actor-config '{"tensor_model_parallel_size": 1, "max_tokens_per_gpu": 16384, "sequence_parallel": false, "only_load_weight": true}' \
        --fully-async \
        --use-health-check \
        "${MODEL_ARGS[@]}" "${CKPT_ARGS[@]}" "${ROLLOUT_ARGS[@]}" \
        "${OPTIMIZER_ARGS[@]}" "${GRPO_ARGS[@]}" "${LOG_ARGS[@]}" \
        "${PERF_ARGS[@]}" "${SGLANG_ARGS[@]}" "${MISC_ARGS[@]}" "${EVAL_ARGS[@]}" \
        2>&1 | tee logs/${EXP_NAME}.log
else
    # Training and generation take turns on the same 8 GPUs.
    python3 relax/entrypoints/train.py \
        --resource '{"actor": [1, 8], "rollout": [1, 8]}' \
        --max-staleness 1 \
        --num-data-storage-units 1 \
        --colocate \
        --use-health-check \
        --balance-data \
        "${MODEL_ARGS[@]}" "${CKPT_ARGS[@]}" "${ROLLOUT_ARGS[@]}" \
        "${OPTIMIZER_ARGS[@]}" "${GRPO_ARGS[@]}" "${LOG_ARGS[@]}" \
        "${PERF_ARGS[@]}" "${SGLANG_ARGS[@]}" "${MISC_ARGS[@]}" "${EVAL_ARGS[@]}" \
        2>&1 | tee logs/${EXP_NAME}.log
fi
