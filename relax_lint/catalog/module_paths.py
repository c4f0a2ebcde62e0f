"""Which flags of Relax (July 2026) name Python code, and how."""

from __future__ import annotations

MODULE_PATH_FLAGS = frozenset(
    {
        "--buffer-filter-path",
        "--custom-convert-samples-to-train-data-path",
        "--custom-dataset-class",
        "--custom-dataset-class-path",
        "--custom-eval-rollout-log-function-path",
        "--custom-generate-function-path",
        "--custom-loss-function-path",
        "--custom-megatron-before-log-prob-hook-path",
        "--custom-megatron-before-train-step-hook-path",
        "--custom-megatron-init-path",
        "--custom-model-provider-path",
        "--custom-pg-loss-reducer-function-path",
        "--custom-prompt-path",
        "--custom-reward-post-process-path",
        "--custom-rm-path",
        "--custom-rollout-log-function-path",
        "--custom-tis-function-path",
        "--data-source-path",
        "--dynamic-sampling-filter-path",
        "--eval-function-path",
        "--rollout-all-samples-process-path",
        "--rollout-data-postprocess-path",
        "--rollout-function-path",
        "--rollout-sample-filter-path",
        "--sft-oversize-custom-function-path",
        "--slime-router-middleware-paths",
    }
)
"""Flags whose values each name a function or class: Relax imports what stands before the last dot and takes from it
what stands behind."""

SEVERAL_PATHS = frozenset({"--slime-router-middleware-paths"})
"""Those that take any number of values; of the others only one counts."""

PACKAGE_FLAGS = frozenset({"--sglang-external-model-package"})
"""Flags that name a package, imported as it is."""

SPEC_FLAG = "--spec"
"""Megatron's: a module and a name in it, as two words."""

USUAL_NAMES: dict[str, str] = {
    "--custom-rm-path": "reward_func",
    "--custom-generate-function-path": "generate",
    "--rollout-function-path": "generate_rollout",
}
"""What the function is called that such a flag names in nearly every recipe."""
