"""A model file that asks for the numbers of an architecture that is not known."""

from __future__ import annotations

_ASKED = (
    ("--num-layers", "NUM_LAYERS", "num_hidden_layers"),
    ("--hidden-size", "HIDDEN_SIZE", "hidden_size"),
    ("--ffn-hidden-size", "FFN_HIDDEN_SIZE", "intermediate_size"),
    ("--num-attention-heads", "NUM_ATTENTION_HEADS", "num_attention_heads"),
    ("--num-query-groups", "NUM_QUERY_GROUPS", "num_key_value_heads"),
    ("--vocab-size", "VOCAB_SIZE", "vocab_size"),
    ("--rotary-base", "ROTARY_BASE", "rope_theta"),
    ("--norm-epsilon", "NORM_EPSILON", "rms_norm_eps"),
)


def rewriting(stem: str) -> str:
    """The command that puts the numbers of a config in the place of the form."""
    return f"relax-lint model-config CONFIG.json --output scripts/models/{stem}.sh --force"


def form_text(stem: str) -> str:
    """The file: bash stops at the first number that is not given, and says which key of the config it is."""
    asked = [f'    {flag} "${{{name}:?{key} in the config.json of the checkpoint}}"' for flag, name, key in _ASKED]
    return "\n".join(
        [
            f"# {stem}: its architecture is not known to relax-lint. Write this file anew with",
            f"#     {rewriting(stem)}",
            "# or set each number here, or in the environment.",
            "MODEL_ARGS=(",
            *asked,
            "",
            "    --group-query-attention",
            "    --normalization RMSNorm",
            "    --swiglu",
            "    --disable-bias-linear",
            "    --position-embedding-type rope",
            "    --untie-embeddings-and-output-weights",
            ")",
            "",
        ]
    )
