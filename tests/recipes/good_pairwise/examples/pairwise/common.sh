# Flags that both launchers of this recipe share; sourced, never run.

CKPT_ARGS=(
    --hf-checkpoint "${MODEL_DIR}/Qwen3-8B"
    --ref-load "${MODEL_DIR}/Qwen3-8B"
    --megatron-to-hf-mode bridge
)

: "${ROLLOUT_BATCH_SIZE:=16}"
: "${N_SAMPLES:=8}"

ROLLOUT_ARGS=(
    --prompt-data "['${DATA_DIR}/pairwise/train.parquet']"
    --input-key prompt
    --label-key label
    --reward-key score
    --apply-chat-template
    --custom-rm-path examples.pairwise.rewards.reward_func
    --group-rm
    --num-rollout "${NUM_ROLLOUT:-100}"
    --rollout-batch-size "${ROLLOUT_BATCH_SIZE}"
    --n-samples-per-prompt "${N_SAMPLES}"
    --global-batch-size $((ROLLOUT_BATCH_SIZE * N_SAMPLES))
    --rollout-max-response-len 2048
    --rollout-max-prompt-len 1024
    --rollout-shuffle
)

PERF_ARGS=(
    --tensor-model-parallel-size 2
    --sequence-parallel
    --use-dynamic-batch-size
    --max-tokens-per-gpu 9216
)

GRPO_ARGS=(
    --advantage-estimator grpo
    --use-kl-loss
    --kl-loss-coef 0.001
    --kl-loss-type low_var_kl
    --use-tis
)

OPTIMIZER_ARGS=(
    --optimizer adam
    --lr "${LR:-1e-6}"
    --lr-decay-style constant
    --optimizer-cpu-offload
    --overlap-cpu-optimizer-d2h-h2d
    --use-precision-aware-optimizer
)

SGLANG_ARGS=(
    --rollout-num-gpus-per-engine 2
    --sglang-mem-fraction-static 0.8
)
