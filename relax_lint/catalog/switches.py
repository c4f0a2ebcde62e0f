"""Relax's flags that take no value (July 2026): what stands behind one is another argument."""

from __future__ import annotations

import re

_SWITCHES = frozenset(
    {
        "--accumulate-allreduce-grads-in-fp32", "--add-qkv-bias", "--allgather-cp", "--apply-chat-template",
        "--apply-layernorm-1p", "--async-save", "--attention-output-gate", "--attention-softmax-in-fp32",
        "--balance-data", "--bf16", "--calculate-per-token-loss", "--check-weight-update-equal",
        "--ci-disable-kl-checker", "--ci-test", "--colocate", "--critic-train-only", "--cross-entropy-loss-fusion",
        "--debug-rollout-only", "--debug-train-only", "--defer-reward-to-post-process", "--fp16",
        "--freeze-audio-model", "--freeze-audio-projection", "--freeze-language-model", "--freeze-vision-model",
        "--freeze-vision-projection", "--fully-async", "--get-mismatch-metrics", "--group-query-attention",
        "--group-rm", "--hybrid", "--keep-old-actor", "--keep-quantization-config", "--log-correct-samples",
        "--log-multi-turn", "--log-passrate", "--mask-offpolicy-in-partial-rollout", "--moe-grouped-gemm",
        "--moe-permute-fusion", "--moe-router-enable-expert-bias", "--moe-router-pre-softmax",
        "--moe-shared-expert-gate", "--multi-latent-attention", "--normalize-advantages", "--offload",
        "--only-load-weight", "--opd-disable-rl-reward", "--opd-only-reward", "--optimize-routing-replay",
        "--optimizer-cpu-offload", "--partial-rollout", "--per-rank-fetch", "--profile-with-flops",
        "--profile-with-memory", "--profile-with-stack", "--qk-layernorm", "--recompute-loss-function",
        "--reset-optimizer-states", "--rollout-external", "--rollout-shuffle", "--rollout-skip-special-tokens",
        "--rotate-ckpt", "--sequence-parallel", "--skip-eval-before-train", "--skip-hf-validate",
        "--slime-router-sticky", "--swiglu", "--true-on-policy-mode", "--trust-remote-code",
        "--untie-embeddings-and-output-weights", "--vision-dp-when-cp", "--vision-dp-when-tp",
        "--wandb-always-use-train-step", "--warm-hf-checkpoint-page-cache",
    }
)  # fmt: skip
_NAMED_LIKE_SWITCHES = re.compile(
    r"--(?:(?:teacher-)?sglang-(?:disable|enable|profile)|use|no|disable|enable|overlap)-"
)


def is_switch(flag: str) -> bool:
    """Whether a flag takes no value."""
    return flag in _SWITCHES or _NAMED_LIKE_SWITCHES.match(flag) is not None
