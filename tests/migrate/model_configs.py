"""Numbers of public configs, and the flags that Relax (July 2026) has in its model files for them."""

from __future__ import annotations

from typing import Any

from relax_lint.catalog.public_models import public_models

PUBLIC = {model.stem: dict(model.config) for model in public_models()}

QWEN35 = {
    "model_type": "qwen3_5_moe",
    "tie_word_embeddings": False,
    "vision_config": {},
    "text_config": {
        "model_type": "qwen3_5_moe_text",
        "num_hidden_layers": 40,
        "hidden_size": 2048,
        "num_attention_heads": 16,
        "num_key_value_heads": 2,
        "head_dim": 256,
        "vocab_size": 248320,
        "rms_norm_eps": 1e-06,
        "rope_parameters": {"rope_type": "default", "rope_theta": 10000000, "partial_rotary_factor": 0.25},
        "num_experts": 256,
        "num_experts_per_tok": 8,
        "moe_intermediate_size": 512,
        "shared_expert_intermediate_size": 512,
    },
}
GLM47 = {
    "model_type": "glm4_moe_lite",
    "num_hidden_layers": 47,
    "hidden_size": 2048,
    "intermediate_size": 10240,
    "num_attention_heads": 20,
    "num_key_value_heads": 20,
    "vocab_size": 154880,
    "rms_norm_eps": 1e-05,
    "rope_theta": 1000000,
    "attention_bias": False,
    "tie_word_embeddings": False,
    "q_lora_rank": 768,
    "kv_lora_rank": 512,
    "qk_nope_head_dim": 192,
    "qk_rope_head_dim": 64,
    "v_head_dim": 256,
    "n_routed_experts": 64,
    "num_experts_per_tok": 4,
    "moe_intermediate_size": 1536,
    "n_shared_experts": 1,
    "first_k_dense_replace": 1,
    "n_group": 1,
    "topk_group": 1,
    "routed_scaling_factor": 1.8,
}

_DENSE = (
    "--swiglu --group-query-attention --num-query-groups 8 --use-rotary-position-embeddings --disable-bias-linear "
    "--normalization RMSNorm --norm-epsilon 1e-6 --vocab-size 151936 --kv-channels 128 --qk-layernorm"
)
_MIXTURE = (
    "--disable-bias-linear --qk-layernorm --group-query-attention --num-attention-heads 32 --num-query-groups 4 "
    "--kv-channels 128 --num-layers 48 --hidden-size 2048 --ffn-hidden-size 6144 --normalization RMSNorm "
    "--position-embedding-type rope --norm-epsilon 1e-6 --rotary-percent 1.0 --swiglu "
    "--untie-embeddings-and-output-weights --vocab-size 151936 --moe-ffn-hidden-size 768 "
    "--moe-router-score-function softmax --moe-token-dispatcher-type alltoall --moe-router-topk 8 --num-experts 128 "
    "--moe-grouped-gemm --moe-token-drop-policy probs --moe-router-dtype fp32 --moe-permute-fusion "
    f"--moe-aux-loss-coeff 0 --moe-layer-freq {[1] * 48}".replace(", ", ",")
)

OF_RELAX: dict[str, tuple[dict[str, Any], str]] = {
    "qwen3-4B": (
        PUBLIC["qwen3-4B"],
        (
            f"{_DENSE} --num-layers 36 --hidden-size 2560 --ffn-hidden-size 9728 --num-attention-heads 32 "
            "--rotary-base 1000000"
        ),
    ),
    "qwen3-8B": (
        PUBLIC["qwen3-8B"],
        (
            f"{_DENSE} --num-layers 36 --hidden-size 4096 --ffn-hidden-size 12288 --num-attention-heads 32 "
            "--rotary-base 1000000 --untie-embeddings-and-output-weights"
        ),
    ),
    "qwen3-vl-4B": (
        PUBLIC["qwen3-vl-4B"],
        (
            f"{_DENSE} --num-layers 36 --hidden-size 2560 --ffn-hidden-size 9728 --num-attention-heads 32 "
            "--rotary-base 5000000"
        ),
    ),
    "qwen3-30B-A3B": (PUBLIC["qwen3-30B-A3B"], f"{_MIXTURE} --rotary-base 1000000"),
    "qwen3-vl-30B-A3B": (PUBLIC["qwen3-vl-30B-A3B"], f"{_MIXTURE} --rotary-base 5000000"),
    "qwen36-35B-A3B": (
        QWEN35,
        (
            "--disable-bias-linear --qk-layernorm --group-query-attention --num-attention-heads 16 "
            "--num-query-groups 2 --kv-channels 256 --num-layers 40 --hidden-size 2048 --ffn-hidden-size 512 "
            "--normalization RMSNorm --apply-layernorm-1p --position-embedding-type rope --norm-epsilon 1e-6 "
            "--rotary-percent 0.25 --swiglu --untie-embeddings-and-output-weights --vocab-size 248320 "
            "--rotary-base 10000000 --moe-ffn-hidden-size 512 --moe-shared-expert-intermediate-size 512 "
            "--moe-router-score-function softmax "
            "--moe-token-dispatcher-type alltoall --moe-router-topk 8 --num-experts 256 --moe-grouped-gemm "
            "--moe-token-drop-policy probs --moe-router-dtype fp32 --moe-permute-fusion --moe-aux-loss-coeff 0 "
            "--attention-output-gate --moe-shared-expert-gate --moe-layer-freq [1]*40"
        ),
    ),
    "glm4.7-30B-A3B": (
        GLM47,
        (
            "--moe-layer-freq [0]*1+[1]*46 --num-experts 64 --moe-shared-expert-intermediate-size 1536 "
            "--moe-router-topk 4 --moe-grouped-gemm --moe-permute-fusion --moe-ffn-hidden-size 1536 "
            "--moe-router-score-function sigmoid --moe-router-pre-softmax --moe-router-enable-expert-bias "
            "--moe-router-bias-update-rate 0 --moe-router-load-balancing-type seq_aux_loss "
            "--moe-router-topk-scaling-factor 1.8 --moe-aux-loss-coeff 0 --moe-router-dtype fp32 "
            "--make-vocab-size-divisible-by 64 --num-layers 47 --hidden-size 2048 --ffn-hidden-size 10240 "
            "--num-attention-heads 20 --disable-bias-linear --add-qkv-bias --swiglu "
            "--untie-embeddings-and-output-weights --position-embedding-type rope --no-position-embedding "
            "--normalization RMSNorm --qk-layernorm --multi-latent-attention --q-lora-rank 768 --kv-lora-rank 512 "
            "--qk-head-dim 192 --v-head-dim 256 --kv-channels 192 --qk-pos-emb-head-dim 64 --vocab-size 154880 "
            "--rotary-base 1000000 --no-rope-fusion"
        ),
    ),
}
"""By the name of the file."""

WITHOUT_EFFECT = {
    "--use-rotary-position-embeddings": "the old spelling of --position-embedding-type rope",
    "--rotary-percent": "Megatron's default where it is 1.0",
    "--moe-token-drop-policy": "Megatron's default",
    "--no-position-embedding": "there is no other position embedding with rope",
    "--make-vocab-size-divisible-by": "padding, of which a config.json says nothing",
    "--add-qkv-bias": "latent attention has no such projection",
}
"""What only Relax's files have, and why it makes no other model."""


def flags_in(text: str) -> dict[str, tuple[str, ...]]:
    """Flags with their values."""
    flags: dict[str, tuple[str, ...]] = {}
    for word in text.split():
        if word.startswith("--"):
            flag = word
            flags[flag] = ()
        else:
            flags[flag] += (word,)
    return flags
