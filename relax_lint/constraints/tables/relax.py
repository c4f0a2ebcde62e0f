"""Relax's own checks of a launch, in the order in which it makes them."""

from __future__ import annotations

from relax_lint.constraints.schema import RL, Constraint, section

_S = section("validate", "relax/utils/arguments.py")
_EVAL = section("validate", "relax/utils/training/eval_config.py")

EVALUATION: tuple[Constraint, ...] = (
    _S.overwrites(
        "sft-forces-rl-off",
        'is_sft and given("--use-kl-loss", "--kl-coef", "--kl-loss-coef", "--use-opd", '
        '"--disable-rollout-global-dataset", "--disable-compute-advantages-and-returns")',
        "supervised fine-tuning switches it off, whatever is given",
        2452,
        modes=("sft",),
    ),
    _S.refuses(
        "sft-eval-config",
        "is_sft and eval_config is not None",
        "supervised fine-tuning evaluates --eval-prompt-data, not --eval-config",
        2467,
        modes=("sft",),
    ),
    _EVAL.refuses(
        "sft-eval-pairs",
        "is_sft and eval_prompt_data and len(eval_prompt_data) != 1 and len(eval_prompt_data) % 2 != 0",
        "--eval-prompt-data is pairs of name and path",
        202,
        modes=("sft",),
    ),
    _S.crashes(
        "eval-config-unreadable",
        "not is_sft and eval_config and not eval_config_readable",
        "--eval-config {eval_config} cannot be read",
        2361,
        modes=RL,
    ),
    _S.ignores(
        "eval-prompt-data-shadowed",
        'not is_sft and eval_config and given("--eval-prompt-data")',
        "--eval-config wins over --eval-prompt-data",
        2358,
        modes=RL,
    ),
    _S.refuses(
        "eval-pairs",
        "not is_sft and not eval_config and eval_prompt_data and len(eval_prompt_data) != 1 "
        "and len(eval_prompt_data) % 2 != 0",
        "--eval-prompt-data is pairs of name and path",
        2380,
        modes=RL,
    ),
    _S.overwrites(
        "eval-pairs-single",
        "not eval_config and eval_prompt_data and len(eval_prompt_data) == 1",
        "a single word is taken for the path of a data set named aime",
        2376,
    ),
    _EVAL.crashes(
        "eval-config-invalid",
        "not is_sft and eval_config and eval_config_readable and eval_config_fault is not None",
        "--eval-config {eval_config}: {eval_config_fault}",
        188,
        rule="RLX606",
        modes=RL,
    ),
    _EVAL.ignores(
        "eval-config-defaults-dropped", "", "a key of `defaults` in --eval-config that is dropped", 206, rule="RLX606",
        static="needs the file",
    ),
)  # fmt: skip

AGENTIC: tuple[Constraint, ...] = (
    _S.refuses(
        "staleness-negative", "max_staleness < 0", "--max-staleness {max_staleness} is below 0", 2482
    ),
    _S.refuses(
        "spec-v2-env",
        'not trains_only and sglang_speculative_algorithm and lower(env("SGLANG_ENABLE_SPEC_V2")) in '
        '("1", "true", "yes", "y")',
        "with SGLANG_ENABLE_SPEC_V2 speculative decoding yields no log-probabilities: unset it",
        2494,
        flags=("--sglang-speculative-algorithm",),
    ),
    _S.refuses(
        "sft-in-flight-mode",
        "sft_max_in_flight_steps is not None and not is_sft",
        "--sft-max-in-flight-steps belongs to supervised fine-tuning",
        2400,
        modes=RL,
        fix="drop --sft-max-in-flight-steps",
    ),
    _S.refuses(
        "sft-in-flight-min",
        "is_sft and sft_max_in_flight_steps is not None and sft_max_in_flight_steps < 1",
        "--sft-max-in-flight-steps {sft_max_in_flight_steps} is below 1",
        2402,
        modes=("sft",),
    ),
    _S.overwrites(
        "sft-in-flight-staleness",
        'is_sft and sft_max_in_flight_steps is not None and given("--max-staleness") '
        "and max_staleness != sft_max_in_flight_steps - 1",
        "--max-staleness {max_staleness} is replaced by --sft-max-in-flight-steps - 1",
        2403,
        modes=("sft",),
        flags=("--max-staleness",),
    ),
    _S.refuses(
        "sft-tq-timeout",
        "is_sft and sft_tq_timeout_minutes is not None and sft_tq_timeout_minutes <= 0",
        "--sft-tq-timeout-minutes {sft_tq_timeout_minutes} is not above 0",
        2413,
        modes=("sft",),
    ),
    _S.ignores(
        "sft-tq-timeout-rl",
        'not is_sft and given("--sft-tq-timeout-minutes")',
        "it is read in supervised fine-tuning only",
        2407,
        modes=RL,
    ),
    _S.overwrites(
        "agentic-overrides",
        'use_agentic_rollout and given("--rollout-function-path", "--eval-function-path", "--apply-chat-template")',
        "agentic rollouts bring their own functions and switch the chat template off",
        2419,
        flags=("--rollout-function-path", "--eval-function-path", "--apply-chat-template"),
    ),
    _S.refuses(
        "agent-command",
        "use_agentic_rollout and (agent_command is None or not strip(agent_command))",
        "agentic rollouts need --agent-command",
        2423,
    ),
    _S.refuses(
        "agent-cwd",
        "use_agentic_rollout and (agent_cwd is None or not strip(agent_cwd))",
        "agentic rollouts need --agent-cwd",
        2425,
    ),
    _S.refuses(
        "agent-cwd-missing",
        "use_agentic_rollout and agent_cwd and not agent_cwd_exists",
        "--agent-cwd {agent_cwd} is no directory",
        2427,
    ),
    _S.refuses(
        "agent-timeout", "use_agentic_rollout and agent_timeout <= 0", "--agent-timeout is not above 0", 2429
    ),
    _S.refuses(
        "agent-env",
        "use_agentic_rollout and bad_agent_env is not None",
        "--agent-env {bad_agent_env}: entries are KEY=VALUE, and no key begins with RELAX_",
        2434,
        flags=("--agent-env",),
    ),
    _S.refuses(
        "agentic-pool-size",
        "use_agentic_rollout and agentic_prepare_pool_size is not None and agentic_prepare_pool_size < 0",
        "--agentic-prepare-pool-size {agentic_prepare_pool_size} is below 0",
        2441,
    ),
    _S.refuses(
        "agentic-eval-pool-size",
        "use_agentic_rollout and agentic_eval_prepare_pool_size is not None and agentic_eval_prepare_pool_size <= 0",
        "--agentic-eval-prepare-pool-size {agentic_eval_prepare_pool_size} is not above 0",
        2443,
    ),
    _S.ignores(
        "agent-flags-unused",
        'not use_agentic_rollout and given("--agent-command", "--agent-cwd", "--agent-timeout", "--agent-env", '
        '"--agentic-prepare-pool-size", "--agentic-eval-prepare-pool-size")',
        "it is read by agentic rollouts only (--use-agentic-rollout)",
        2417,
        flags=("--agent-command", "--agent-cwd", "--agent-timeout", "--agent-env", "--agentic-prepare-pool-size",
               "--agentic-eval-prepare-pool-size"),
    ),
    _S.refuses(
        "partial-vs-routing-replay",
        "not is_sft and partial_rollout and use_rollout_routing_replay",
        "--partial-rollout and --use-rollout-routing-replay exclude each other",
        2511,
        modes=RL,
    ),
    _S.crashes(
        "kl-ref-load-absent",
        "uses_kl and ref_load is None",
        "a KL penalty needs --ref-load",
        2518,
        modes=RL,
        rule="RLX417",
        flags=("--use-kl-loss", "--kl-coef"),
    ),
    _S.refuses(
        "kl-ref-load-empty",
        'uses_kl and ref_load == ""',
        "a KL penalty needs --ref-load",
        2519,
        modes=RL,
        rule="RLX417",
    ),
    _S.refuses(
        "kl-ref-load-missing",
        "uses_kl and ref_load and not ref_load_exists",
        "--ref-load {ref_load} does not exist",
        2519,
        modes=RL,
        flags=("--ref-load",),
    ),
)  # fmt: skip

CHECKPOINTS: tuple[Constraint, ...] = (
    _S.overwrites(
        "bridge-restart-at-zero",
        'megatron_to_hf_mode == "bridge" and load is None and given("--start-rollout-id")',
        "without a Megatron checkpoint in --load the run starts at 0",
        2539,
        flags=("--start-rollout-id",),
    ),
    _S.overwrites(
        "raw-load-replaced", "", "--load holds no Megatron checkpoint and is replaced by --ref-load", 2551,
        static="needs the checkpoint",
    ),
    _S.overwrites(
        "raw-fresh-start",
        'megatron_to_hf_mode != "bridge" and load is None and (given("--start-rollout-id") '
        'or given("--ckpt-step") and ref_ckpt_step is not None)',
        "without a Megatron checkpoint in --load the run starts at 0, from --ref-load",
        2548,
        flags=("--start-rollout-id", "--ckpt-step"),
    ),
    _S.crashes(
        "sft-alias-eval-interval",
        'loss_type in ("sft_loss", "sft-loss") and eval_interval is not None',
        "with the old spelling {loss_type} --eval-interval ends in an AttributeError: write --loss-type sft",
        2570,
        modes=("sft",),
        flags=("--loss-type",),
        fix="set --loss-type sft",
    ),
    _S.refuses(
        "sft-eval-both",
        'loss_type == "sft" and eval_interval is not None and eval_prompt_data and eval_size is not None',
        "--eval-prompt-data and --eval-size exclude each other",
        2560,
        modes=("sft",),
        flags=("--eval-size",),
    ),
    _S.refuses(
        "sft-eval-none",
        'loss_type == "sft" and eval_interval is not None and not eval_prompt_data and eval_size is None '
        "and not custom_dataset_class_path",
        "--eval-interval needs --eval-prompt-data or --eval-size",
        2565,
        modes=("sft",),
        flags=("--eval-interval",),
    ),
    _S.refuses(
        "eval-without-data",
        "not is_sft and eval_interval is not None and not has_eval_data",
        "--eval-interval needs data: --eval-prompt-data or --eval-config",
        2570,
        modes=RL,
        flags=("--eval-interval",),
    ),
    _S.refuses(
        "eval-size-mode",
        'eval_size is not None and loss_type != "sft"',
        "--eval-size belongs to --loss-type sft",
        2573,
        flags=("--eval-size",),
        fix="drop --eval-size",
    ),
    _S.refuses(
        "eval-size-positive",
        'loss_type == "sft" and eval_size is not None and not eval_size > 0',
        "--eval-size {eval_size} is not above 0",
        2574,
        modes=("sft",),
        flags=("--eval-size",),
    ),
    _S.refuses(
        "save-interval-save", "save_interval is not None and save is None", "--save-interval needs --save", 2577
    ),
    _S.refuses(
        "sft-predict-mode",
        'sft_predict_interval is not None and loss_type != "sft"',
        "--sft-predict-interval belongs to --loss-type sft",
        2580,
        flags=("--sft-predict-interval",),
        fix="drop --sft-predict-interval",
    ),
    _S.refuses(
        "sft-predict-positive",
        'loss_type == "sft" and sft_predict_interval is not None and sft_predict_interval <= 0',
        "--sft-predict-interval {sft_predict_interval} is not above 0",
        2581,
        modes=("sft",),
        flags=("--sft-predict-interval",),
    ),
    _S.refuses(
        "sft-predict-save",
        'loss_type == "sft" and sft_predict_interval is not None and save is None',
        "--sft-predict-interval needs --save",
        2582,
        modes=("sft",),
        flags=("--sft-predict-interval",),
    ),
    _S.refuses(
        "sft-predict-data",
        'loss_type == "sft" and sft_predict_interval is not None and not eval_prompt_data and eval_size is None',
        "--sft-predict-interval needs --eval-prompt-data or --eval-size",
        2586,
        modes=("sft",),
        flags=("--sft-predict-interval",),
    ),
)  # fmt: skip

ALGORITHM: tuple[Constraint, ...] = (
    _S.refuses(
        "kl-both-coefs",
        "not is_sft and kl_coef != 0 and kl_loss_coef != 0",
        "--kl-coef and --kl-loss-coef exclude each other",
        2591,
        modes=RL,
        rule="RLX417",
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
        fix="drop --normalize-advantages",
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
        fix="drop --use-dynamic-global-batch-size",
    ),
    _S.crashes(
        "async-no-rollout-batch",
        "not is_sft and fully_async and rollout_batch_size is None",
        "--fully-async needs --rollout-batch-size",
        2618,
        rule="RLX407",
        flags=("--fully-async",),
    ),
    _S.refuses(
        "async-reference-role",
        'fully_async and resource is not None and uses_kl and "reference" not in roles',
        "a KL penalty needs a reference in --resource",
        2631,
        rule="RLX412",
        flags=("--resource",),
    ),
    _S.refuses(
        "async-actor-fwd-role",
        'not is_sft and fully_async and resource is not None and not true_on_policy and "actor_fwd" not in roles',
        "--resource needs an actor_fwd unless one rollout is one update",
        2637,
        rule="RLX412",
        flags=("--resource",),
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
        fix="set --loss-type sft",
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
        fix="set --use-dynamic-batch-size",
    ),
)  # fmt: skip
