"""What verl's settings are called in Relax, for those who write them as flags."""

from __future__ import annotations

_SAME = {
    "n": "--n-samples-per-prompt",
    "temperature": "--rollout-temperature",
    "top-p": "--rollout-top-p",
    "top-k": "--rollout-top-k",
    "max-prompt-length": "--rollout-max-prompt-len",
    "max-response-length": "--rollout-max-response-len",
    "gpu-memory-utilization": "--sglang-mem-fraction-static",
    "use-dynamic-bsz": "--use-dynamic-batch-size",
    "ppo-max-token-len-per-gpu": "--max-tokens-per-gpu",
    "log-prob-max-token-len-per-gpu": "--log-probs-max-tokens-per-gpu",
    "ppo-micro-batch-size-per-gpu": "--micro-batch-size",
    "ulysses-sequence-parallel-size": "--context-parallel-size",
    "adv-estimator": "--advantage-estimator",
    "lam": "--lambd",
    "entropy-coeff": "--entropy-coef",
    "clip-ratio": "--eps-clip",
    "clip-ratio-low": "--eps-clip",
    "clip-ratio-high": "--eps-clip-high",
    "clip-ratio-c": "--eps-clip-c",
    "grad-clip": "--clip-grad",
    "lr-warmup-steps": "--lr-warmup-iters",
    "lr-warmup-steps-ratio": "--lr-warmup-fraction",
    "train-files": "--prompt-data",
    "prompt-key": "--input-key",
    "save-freq": "--save-interval",
    "test-freq": "--eval-interval",
    "total-epochs": "--num-epoch",
    "total-training-steps": "--num-rollout",
    "project-name": "--tb-project-name",
    "experiment-name": "--tb-experiment-name",
    "default-local-dir": "--save",
    "resume-from-path": "--load",
    "model-path": "--hf-checkpoint",
}
"""Those that take the same value."""

_OTHERWISE = {
    "train-batch-size": "verl's prompts of a step are --rollout-batch-size, and --global-batch-size counts samples",
    "ppo-mini-batch-size": "verl's counts prompts, and --global-batch-size samples: times --n-samples-per-prompt",
    "val-files": "it is --eval-prompt-data, with a name before each path",
    "val-before-train": "Relax evaluates first unless --skip-eval-before-train is given",
    "n-gpus-per-node": "--resource says how many GPUs each role has in all",
    "nnodes": "--resource says how many GPUs each role has in all",
}
"""Those whose value is another, or that Relax is told differently."""


def same_in_relax(name: str) -> str | None:
    """The flag of Relax that takes what a setting of verl, written as a flag, is given."""
    return _SAME.get(_key(name))


def otherwise_in_relax(name: str) -> str | None:
    """How Relax is told what a setting of verl says."""
    return _OTHERWISE.get(_key(name))


def _key(name: str) -> str:
    """The last part of a setting's name, ``actor_rollout_ref.rollout.temperature``, with the dashes of flags."""
    return name.rpartition(".")[2].lstrip("-").replace("_", "-")
