"""How a checkpoint's ``config.json`` in Hugging Face's form and the flags of a model file say the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

ARCHITECTURE: dict[str, tuple[str, ...]] = {
    "--hidden-size": ("hidden_size",),
    "--num-layers": ("num_hidden_layers",),
    "--num-attention-heads": ("num_attention_heads",),
    "--num-query-groups": ("num_key_value_heads",),
    "--kv-channels": ("head_dim",),
    "--ffn-hidden-size": ("intermediate_size",),
    "--num-experts": ("num_experts", "num_local_experts", "n_routed_experts"),
    "--moe-ffn-hidden-size": ("moe_intermediate_size",),
    "--moe-shared-expert-intermediate-size": ("shared_expert_intermediate_size",),
    "--rotary-base": ("rope_theta",),
}
"""Flags, and the keys that hold the same number. ``rms_norm_eps`` is not among them: Relax itself refuses another."""

COMPARED_BY_RELAX = frozenset(
    {
        "--hidden-size", "--num-layers", "--num-attention-heads", "--ffn-hidden-size", "--moe-ffn-hidden-size",
        "--moe-shared-expert-intermediate-size", "--norm-epsilon",
    }
)  # fmt: skip
"""What Relax (July 2026) means to compare with the checkpoint; by a slip only the last is, and refused when it differs.
``rope_theta`` is in its list too, but checkpoints of one shape differ in it, and the flag is how that is said."""

UNTIED = "--untie-embeddings-and-output-weights"
"""The switch that says the contrary of ``tie_word_embeddings``."""

_MIXTURES = ("num_experts", "num_local_experts", "n_routed_experts")
_LANGUAGE_PARTS = ("text_config", "thinker_config", "llm_config", "language_config")
_SENSES = ("vision", "visual", "audio", "thinker", "image")


def text_part(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """What describes the language model: the config itself, or a part of it in one that sees or hears."""
    for _ in _LANGUAGE_PARTS:
        inner = next((config[name] for name in _LANGUAGE_PARTS if isinstance(config.get(name), Mapping)), None)
        if inner is None:
            break
        config = {**{key: value for key, value in config.items() if key not in _LANGUAGE_PARTS}, **inner}
    return config


def perceives(config: Mapping[str, Any]) -> bool:
    """Whether a model takes images, video or sound."""
    return any(sense in key for key in config for sense in _SENSES)


def numbers(config: Mapping[str, Any]) -> Iterator[tuple[str, str, float]]:
    """The flags that a config speaks of, each with its key and number."""
    part = text_part(config)
    is_mixture = any(part.get(key) for key in _MIXTURES)
    for flag, keys in ARCHITECTURE.items():
        if flag == "--ffn-hidden-size" and is_mixture:
            continue  # no layer may have it
        for key in keys:
            value = part.get(key)
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                yield flag, key, value
                break


def refused_if_different(config: Mapping[str, Any] | None) -> frozenset[str]:
    """The flags for which Relax itself takes no other number than a checkpoint's."""
    return frozenset({"--norm-epsilon"}) if config is not None and "rms_norm_eps" in text_part(config) else frozenset()
