# Stand-in for a model file: the architecture of Qwen3-8B as Megatron flags.
MODEL_ARGS=(
    --num-layers 36
    --hidden-size 4096
    --ffn-hidden-size 12288
    --num-attention-heads 32
    --group-query-attention
    --num-query-groups 8
    --kv-channels 128
    --vocab-size 151936
    --normalization RMSNorm
    --norm-epsilon 1e-6
    --rotary-base 1000000
    --use-rotary-position-embeddings
    --swiglu
    --qk-layernorm
    --disable-bias-linear
    --untie-embeddings-and-output-weights
)
