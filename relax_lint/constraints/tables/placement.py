"""Relax's own checks, second half: who trains where, batches, the length of the run, and what else excludes what."""

from __future__ import annotations

from relax_lint.constraints.schema import RL, Constraint, section

_S = section("validate", "relax/utils/arguments.py")
_L = section("late", "relax/utils/arguments.py")
_OPD = section("validate", "relax/utils/opd/opd_utils.py")

PLACEMENT: tuple[Constraint, ...] = (
    _S.overwrites(
        "sft-balance-data",
        'is_sft and given("--balance-data")',
        "supervised fine-tuning always balances",
        2737,
        modes=("sft",),
        severity="A",
    ),
    _S.overwrites(
        "offload-beats-no-offload",
        'offload and given("--no-offload-train", "--no-offload-rollout")',
        "--offload switches both on again",
        2750,
        flags=("--no-offload-train", "--no-offload-rollout"),
    ),
    _S.crashes(
        "debug-rollout-gpus-none",
        "debug_rollout_only and not colocate and rollout_total is None",
        "--debug-rollout-only needs --rollout-num-gpus or a rollout in --resource",
        2758,
        flags=("--debug-rollout-only",),
        behind=(
            "resource-missing",
            "resource-not-object",
            "role-missing",
        ),
        rule="RLX412",
    ),
    _S.crashes(
        "debug-rollout-gpus-zero",
        "debug_rollout_only and rollout_total == 0 and (not colocate)",
        "--debug-rollout-only with 0 rollout GPUs divides by zero",
        2759,
        flags=("--rollout-num-gpus", "--resource"),
        rule="RLX412",
    ),
    _S.overwrites(
        "debug-rollout-overrides",
        'debug_rollout_only and given("--colocate", "--offload", "--offload-train", "--offload-rollout", '
        '"--train-memory-margin-bytes", "--actor-num-gpus-per-node", "--actor-num-nodes")',
        "--debug-rollout-only replaces it",
        2754,
        flags=(
            "--colocate",
            "--offload",
            "--offload-train",
            "--offload-rollout",
            "--train-memory-margin-bytes",
            "--actor-num-gpus-per-node",
            "--actor-num-nodes",
        ),
        severity="A",
    ),
    _S.refuses(
        "async-with-colocate",
        "fully_async and colocate and not hybrid and not debug_rollout_only",
        "--fully-async and --colocate exclude each other: both together are --hybrid",
        2779,
        rule="RLX413",
        flags=("--colocate",),
    ),
    _S.refuses(
        "debug-both",
        "debug_rollout_only and trains_only",
        "only one debug mode: --load-debug-rollout-data trains only, as --debug-train-only does",
        2784,
    ),
    _S.overwrites(
        "hybrid-computes-advantages",
        'hybrid and given("--disable-compute-advantages-and-returns")',
        "hybrid mode always computes advantages",
        2803,
        flags=("--disable-compute-advantages-and-returns",),
    ),
    _OPD.crashes(
        "teacher-entry-shape",
        'shares_gpus and not hybrid and managed_teacher and not is_number(roles["teacher"])',
        "--resource: the entry of teacher is not [1, GPUs]",
        448,
        rule="RLX412",
        flags=("--resource",),
    ),
    _OPD.refuses(
        "teacher-colocate-rollout",
        'shares_gpus and not hybrid and managed_teacher and rollout_total is None and "rollout" not in roles',
        "a teacher beside a colocated actor needs --rollout-num-gpus or a rollout in --resource",
        439,
        flags=("--resource",),
        behind=(
            "resource-missing",
            "resource-not-object",
            "role-missing",
        ),
        rule="RLX412",
    ),
    _OPD.refuses(
        "teacher-colocate-split",
        "shares_gpus and not hybrid and managed_teacher and rollout_total is not None and rollout_total + "
        'roles["teacher"] != (actor_entry if actor_entry is not None else actor_total)',
        "rollout ({rollout_total}) and teacher must together have the actor's GPUs ({actor_total})",
        450,
        rule="RLX412",
        flags=("--resource",),
        behind=(
            "resource-entry-shape",
            "resource-actor-remainder",
            "resource-actor-zero",
        ),
    ),
    _S.overwrites(
        "colocate-rollout-gpus",
        "shares_gpus and not hybrid and not managed_teacher and genrm_model_path is None "
        "and is_number(rollout_total) and rollout_total != actor_total",
        "--colocate gives the rollout the actor's {actor_total} GPUs, not {rollout_total}",
        2816,
        rule="RLX412",
        flags=("--rollout-num-gpus", "--resource"),
        severity="E",
        behind=(
            "resource-entry-shape",
            "resource-actor-remainder",
            "resource-actor-zero",
            "resource-actor-negative",
            "async-with-colocate",
        ),
    ),
    _S.refuses(
        "genrm-colocate-rollout",
        "shares_gpus and not hybrid and not managed_teacher and genrm_model_path is not None and rollout_total is None",
        "a judge beside a colocated actor needs --rollout-num-gpus or a rollout in --resource",
        2827,
        flags=("--genrm-model-path",),
        behind=(
            "resource-missing",
            "resource-not-object",
            "role-missing",
        ),
        rule="RLX412",
    ),
    _S.refuses(
        "genrm-colocate-split",
        "shares_gpus and not hybrid and not managed_teacher and genrm_model_path is not None "
        "and rollout_total is not None and rollout_total + genrm_total != actor_total "
        "and not (rollout_total == actor_total and genrm_total == actor_total)",
        "rollout ({rollout_total}) and judge ({genrm_total}) must share the actor's {actor_total} GPUs or have all",
        2852,
        rule="RLX412",
        flags=("--genrm-num-gpus", "--resource"),
        behind=(
            "resource-entry-shape",
            "genrm-role",
            "resource-actor-remainder",
            "resource-actor-zero",
        ),
    ),
)

BATCHES: tuple[Constraint, ...] = (
    _S.refuses(
        "no-batch-size",
        "rollout_batch_size is None and global_batch_size is None",
        "neither --rollout-batch-size nor --global-batch-size is given: Relax refuses it",
        2872,
        modes=RL,
        rule="RLX407",
        flags=("--n-samples-per-prompt",),
        by_default=True,
    ),
    _S.refuses(
        "sft-no-batch-size",
        "rollout_batch_size is None and global_batch_size is None",
        "one of --rollout-batch-size and --global-batch-size is needed",
        2872,
        modes=("sft",),
        by_default=True,
    ),
    _S.crashes(
        "n-samples-zero",
        "rollout_batch_size is None and global_batch_size is not None and n_samples_per_prompt == 0",
        "--n-samples-per-prompt 0 divides by zero",
        2873,
        flags=("--n-samples-per-prompt",),
    ),
    _S.crashes("steps-zero", "num_steps_per_rollout == 0", "--num-steps-per-rollout 0 divides by zero", 2880),
    _S.refuses(
        "steps-global-batch",
        "num_steps_per_rollout is not None and num_steps_per_rollout != 0 and global_batch_size is not None "
        "and global_batch_size != rollout_groups * n_samples_per_prompt // num_steps_per_rollout",
        "{samples_sum}; // --num-steps-per-rollout {num_steps_per_rollout} = {step_batch}, but --global-batch-size is "
        "{global_batch_size}: Relax refuses it",
        2882,
        rule="RLX407",
        flags=("--global-batch-size",),
    ),
    _S.overwrites(
        "n-one-no-std",
        'n_samples_per_prompt == 1 and given("--disable-grpo-std-normalization")',
        "with one sample a prompt there is no deviation to divide by anyway",
        2890,
        flags=("--disable-grpo-std-normalization",),
        severity="A",
    ),
    _S.refuses(
        "over-sampling-small",
        "over_sampling_batch_size is not None and over_sampling_batch_size < rollout_groups",
        "--over-sampling-batch-size {over_sampling_batch_size} is below the rollout's {rollout_groups} prompts",
        2896,
        flags=("--over-sampling-batch-size",),
    ),
    _S.ignores(
        "over-sampling-wasted",
        "over_sampling_batch_size is not None and over_sampling_batch_size > rollout_groups and not is_async "
        "and not partial_rollout and dynamic_sampling_filter_path is None",
        "the surplus of {over_sampling_batch_size} over {rollout_groups} prompts is thrown away each step",
        2909,
        flags=("--over-sampling-batch-size",),
    ),
    _S.refuses(
        "no-length",
        "num_epoch is None and num_rollout is None",
        "one of --num-rollout and --num-epoch is needed",
        2917,
        by_default=True,
    ),
    _S.refuses(
        "epoch-needs-dataset",
        "num_epoch is not None and not is_sft and not rollout_global_dataset",
        "--num-epoch needs the data set that --disable-rollout-global-dataset takes away",
        2919,
        modes=RL,
    ),
)

EXCLUSIONS: tuple[Constraint, ...] = (
    _S.refuses(
        "mtp-layers", "enable_mtp_training and not mtp_num_layers", "--enable-mtp-training needs --mtp-num-layers", 2925
    ),
    _S.refuses(
        "chunked-logits-tied",
        "sft_chunked_logits and not untie_embeddings_and_output_weights",
        "--sft-chunked-logits needs --untie-embeddings-and-output-weights",
        2939,
        flags=("--sft-chunked-logits",),
    ),
    _S.refuses(
        "chunked-logits-mtp",
        "sft_chunked_logits and enable_mtp_training",
        "--sft-chunked-logits and --enable-mtp-training exclude each other",
        2949,
    ),
    _S.refuses(
        "chunked-logits-1f1b",
        "sft_chunked_logits and overlap_moe_expert_parallel_comm",
        "--sft-chunked-logits and --overlap-moe-expert-parallel-comm exclude each other",
        2958,
    ),
    _S.overwrites(
        "rollout-routing-implies",
        'use_rollout_routing_replay and given("--use-routing-replay")',
        "--use-rollout-routing-replay switches it on anyway",
        2966,
        flags=("--use-routing-replay",),
        severity="A",
    ),
    _S.crashes(
        "custom-config-unreadable",
        "custom_config_path and not custom_config_readable",
        "--custom-config-path {custom_config_path} cannot be read",
        2969,
        rule="RLX604",
    ),
    _S.crashes(
        "custom-config-invalid",
        "custom_config_path and custom_config_readable and custom_config_fault is not None",
        "--custom-config-path {custom_config_path}: {custom_config_fault}",
        2971,
        rule="RLX604",
    ),
    _S.overwrites(
        "custom-config-shadows",
        "",
        "--custom-config-path overrides an argument",
        2974,
        rule="RLX603",
        static="needs the file",
    ),
    _L.refuses(
        "prompt-len-context",
        "rollout_max_context_len is not None and rollout_max_prompt_len is not None "
        "and rollout_max_prompt_len > rollout_max_context_len - 1",
        "--rollout-max-prompt-len {rollout_max_prompt_len} leaves nothing of --rollout-max-context-len "
        "{rollout_max_context_len}",
        2988,
        flags=("--rollout-max-prompt-len",),
    ),
    _L.refuses(
        "bshd-dynamic-batch",
        'qkv_format == "bshd" and use_dynamic_batch_size',
        "--qkv-format bshd takes no dynamic batches",
        2994,
    ),
    _L.refuses(
        "train-and-freeze-lists",
        "only_train_params_name_list and freeze_params_name_list",
        "--only-train-params-name-list and --freeze-params-name-list exclude each other",
        2998,
    ),
    _L.refuses(
        "ppo-unsupported",
        'advantage_estimator == "ppo"',
        "Relax has no PPO any more: grpo, gspo, sapo and cispo run",
        3001,
    ),
    _L.refuses("rotate-save", "rotate_ckpt and save is None", "--rotate-ckpt needs --save", 3008),
    _L.refuses(
        "rotate-save-interval", "rotate_ckpt and save_interval is None", "--rotate-ckpt needs --save-interval", 3009
    ),
    _L.refuses("rotate-async-save", "rotate_ckpt and not async_save", "--rotate-ckpt needs --async-save", 3010),
)
