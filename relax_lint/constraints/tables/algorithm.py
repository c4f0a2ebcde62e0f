"""Relax's own checks of the algorithm: penalties, estimators, roles, batches, and what supervised fine-tuning needs."""

from __future__ import annotations

from relax_lint.constraints.schema import RL, Constraint, section

_S = section("validate", "relax/utils/arguments.py")

ALGORITHM: tuple[Constraint, ...] = (
    _S.refuses(
        "kl-both-coefs",
        "not is_sft and kl_coef != 0 and kl_loss_coef != 0",
        "--kl-coef {kl_coef} and --kl-loss-coef {kl_loss_coef} exclude each other: drop --kl-coef, which no estimator "
        "of this Relax reads, and switch the loss on by --use-kl-loss",
        2591,
        modes=RL,
        rule="RLX417",
        flags=("--kl-coef",),
    ),
    _S.refuses(
        "reinforce-needs-normalize",
        'not is_sft and advantage_estimator in ("reinforce_plus_plus", "reinforce_plus_plus_baseline") '
        "and not normalize_advantages",
        "{advantage_estimator} needs --normalize-advantages",
        2595,
        modes=RL,
        flags=("--advantage-estimator",),
    ),
    _S.refuses(
        "async-normalize",
        "not is_sft and fully_async and normalize_advantages",
        "--normalize-advantages does not work with --fully-async",
        2601,
        flags=("--normalize-advantages",),
    ),
    _S.refuses(
        "async-opd-megatron",
        'not is_sft and fully_async and opd_type == "megatron"',
        "--fully-async takes no Megatron teacher, and looks at --opd-type even without --use-opd",
        2605,
        flags=("--opd-type",),
    ),
    _S.refuses(
        "async-dynamic-global-batch",
        "not is_sft and fully_async and use_dynamic_global_batch_size",
        "--use-dynamic-global-batch-size does not work with --fully-async",
        2609,
        flags=("--use-dynamic-global-batch-size",),
    ),
    _S.crashes(
        "async-no-rollout-batch",
        "not is_sft and fully_async and rollout_batch_size is None",
        "--fully-async without --rollout-batch-size crashes before Relax derives it ({samples_sum})",
        2618,
        rule="RLX407",
        flags=("--fully-async",),
        behind=("no-batch-size",),
    ),
    _S.refuses(
        "async-reference-role",
        'fully_async and resource is not None and uses_kl and "reference" not in roles',
        "a KL penalty needs a reference in --resource",
        2631,
        rule="RLX412",
        flags=("--resource",),
        behind=(
            "resource-missing",
            "resource-not-object",
            "async-with-colocate",
        ),
    ),
    _S.refuses(
        "async-actor-fwd-role",
        'not is_sft and fully_async and resource is not None and not true_on_policy and "actor_fwd" not in roles',
        "{samples_sum}, but {batch_sum}: --resource needs an actor_fwd unless one rollout is one update",
        2637,
        rule="RLX412",
        flags=("--resource",),
        behind=(
            "resource-missing",
            "resource-not-object",
            "async-with-colocate",
            "guide-one-update",
            "async-batch-groups",
            "async-static-batch-zero",
            "steps-global-batch",
            "async-no-rollout-batch",
            "no-batch-size",
        ),
    ),
    _S.refuses(
        "rollout-logprobs-vs-tis",
        "not is_sft and use_rollout_logprobs and use_tis",
        "--use-rollout-logprobs and --use-tis exclude each other",
        2646,
        modes=RL,
    ),
    _S.refuses(
        "mismatch-needs-tis-function",
        "not is_sft and get_mismatch_metrics and custom_tis_function_path is None",
        "--get-mismatch-metrics needs --custom-tis-function-path",
        2649,
        modes=RL,
    ),
    _S.refuses(
        "dynamic-batch-tokens",
        "use_dynamic_batch_size and max_tokens_per_gpu is None",
        "--use-dynamic-batch-size needs --max-tokens-per-gpu",
        2659,
    ),
    _S.refuses(
        "token-budget-context",
        "use_dynamic_batch_size and rollout_max_context_len is not None and not dynamic_context_parallel "
        "and max_tokens_per_gpu * context_parallel_size < rollout_max_context_len",
        "a sample of {rollout_max_context_len} tokens does not fit --max-tokens-per-gpu {max_tokens_per_gpu} × context "
        "parallel {context_parallel_size}",
        2674,
        flags=("--max-tokens-per-gpu", "--rollout-max-context-len"),
    ),
    _S.overwrites(
        "dump-details-overrides",
        'dump_details is not None and given("--save-debug-rollout-data", "--save-debug-train-data")',
        "--dump-details sets this path",
        2694,
        flags=("--save-debug-rollout-data", "--save-debug-train-data"),
    ),
    _S.overwrites(
        "sft-alias-deprecated",
        'loss_type in ("sft_loss", "sft-loss")',
        "{loss_type} is an old spelling of sft",
        2711,
        rule="RLX506",
        modes=("sft",),
    ),
    _S.refuses(
        "sft-prompt-data",
        "is_sft and not custom_dataset_class_path and not prompt_data",
        "supervised fine-tuning needs --prompt-data",
        2715,
        modes=("sft",),
    ),
    _S.refuses(
        "sft-oversize-custom",
        'is_sft and sft_oversize_strategy == "custom" and not sft_oversize_custom_function_path',
        "--sft-oversize-strategy custom needs --sft-oversize-custom-function-path",
        2717,
        modes=("sft",),
        flags=("--sft-oversize-strategy",),
    ),
    _S.ignores(
        "sft-oversize-path-unused",
        'given("--sft-oversize-custom-function-path") and not (is_sft and sft_oversize_strategy == "custom")',
        "it is read with --sft-oversize-strategy custom only",
        2716,
    ),
    _S.refuses(
        "sft-dynamic-batch",
        "is_sft and not use_dynamic_batch_size",
        "supervised fine-tuning needs --use-dynamic-batch-size",
        2725,
        modes=("sft",),
    ),
)
