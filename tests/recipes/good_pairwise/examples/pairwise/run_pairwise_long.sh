#!/bin/bash
# Group-ranked answers, long ones. Convert the data first:
#   python3 scripts/tools/process_pairwise.py --input-dir /data/verl/pairwise --output-dir "${DATA_DIR}/pairwise"
# then, with MODEL_DIR and DATA_DIR set:  bash examples/pairwise/run_pairwise_long.sh [sync|async]

set -exo pipefail

MODE=${1:-${MODE:-"sync"}}
HERE="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" &>/dev/null && pwd)"

if [ -z "${RELAX_ENTRYPOINT_MODE:-}" ]; then
    source "${HERE}/../../scripts/entrypoint/local.sh"
fi
source "${MODEL_CONFIG_DIR}/qwen3-8B.sh"
source "${HERE}/common.sh"

ROLLOUT_ARGS+=(--rollout-max-response-len 16384)

case "${MODE}" in
async)
    MODE_ARGS=(
        --fully-async
        --resource '{"actor": [1, 4], "rollout": [1, 2], "reference": [1, 1], "actor_fwd": [1, 1], "advantages": [1, 0]}'
        --max-staleness 2
        --num-iters-per-train-update 4
        --ref-actor-config '{"tensor_model_parallel_size": 1, "sequence_parallel": false, "expert_tensor_parallel_size": 1}'
    )
    ;;
sync)
    MODE_ARGS=(
        --colocate
        --resource '{"actor": [1, 8], "rollout": [1, 8]}'
        --max-staleness 0
    )
    ;;
*)
    echo "usage: $0 [sync|async]" >&2
    exit 1
    ;;
esac

mkdir -p logs
python3 relax/entrypoints/train.py \
    "${MODE_ARGS[@]}" "${MODEL_ARGS[@]}" "${CKPT_ARGS[@]}" "${ROLLOUT_ARGS[@]}" "${PERF_ARGS[@]}" \
    "${GRPO_ARGS[@]}" "${OPTIMIZER_ARGS[@]}" "${SGLANG_ARGS[@]}" 2>&1 | tee "logs/pairwise-${MODE}.log"
