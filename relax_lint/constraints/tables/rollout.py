"""What ends a rollout: rewards, media, prompts, and judges that are not there."""

from __future__ import annotations

from relax_lint.constraints.schema import RL, Constraint, section

_REWARD = section("train", "relax/engine/rewards/__init__.py")
_ROLLOUT = section("train", "relax/engine/rollout/sglang_rollout.py")
_DATA = section("train", "relax/utils/data/data_utils.py")
_SOURCE = section("train", "relax/engine/rollout/data_source.py")
_SAMPLING = section("train", "sglang/srt/sampling/sampling_params.py")
_RL = "not is_sft and not trains_only and "
_ASKS_ENGINES = _RL + "default_rollout and custom_generate_function_path is None and "
_EVALUATES = _ASKS_ENGINES + "eval_interval is not None and eval_config is None and "
_BUILT_IN = _RL + "custom_rm_path is None and "

REWARDS: tuple[Constraint, ...] = (
    _REWARD.crashes(
        "reward-source-missing",
        _RL + 'custom_rm_path is None and (rm_type is None or strip(rm_type) == "") '
        "and custom_generate_function_path is None and default_rollout and not use_opd",
        "nothing gives a reward: --custom-rm-path or --rm-type, unless the data's metadata names one",
        217,
        modes=RL,
        rule="RLX408",
        by_default=True,
    ),
    _REWARD.crashes(
        "reward-source-unclear",
        _RL + 'custom_rm_path is None and (rm_type is None or strip(rm_type) == "") '
        "and (custom_generate_function_path is not None or not default_rollout or use_opd)",
        "neither --custom-rm-path nor --rm-type: the generate function or the data's metadata must give rewards",
        217,
        modes=RL,
        rule="RLX408",
        severity="A",
        by_default=True,
    ),
    _REWARD.crashes(
        "custom-rm-path-empty",
        _RL + 'custom_rm_path is not None and strip(custom_rm_path) == ""',
        "--custom-rm-path is empty: there is no reward, the first response ends the run",
        192,
        modes=RL,
        rule="RLX408",
        flags=("--custom-rm-path",),
    ),
    _REWARD.overwrites(
        "custom-rm-over-rm-type",
        _RL + 'custom_rm_path is not None and strip(custom_rm_path) != "" and rm_type is not None',
        "--custom-rm-path wins over --rm-type {rm_type}",
        191,
        modes=RL,
        rule="RLX408",
        severity="W",
        flags=("--rm-type",),
    ),
    _REWARD.crashes(
        "rm-type-unknown",
        "",
        "--rm-type is no built-in reward",
        95,
        modes=RL,
        rule="RLX502",
        static="RLX502 knows the built-in rewards",
    ),
    _REWARD.crashes(
        "rm-url-missing",
        _BUILT_IN + 'rm_type == "remote_rm" and rm_url is None',
        "--rm-type remote_rm needs --rm-url",
        245,
        modes=RL,
        flags=("--rm-type",),
    ),
    _REWARD.ignores(
        "rm-url-no-effect",
        _BUILT_IN + 'rm_url is not None and rm_type != "remote_rm"',
        "--rm-url is read with --rm-type remote_rm only",
        245,
        modes=RL,
        flags=("--rm-url",),
    ),
    _REWARD.crashes(
        "dapo-genrm-needs-genrm",
        _BUILT_IN + 'rm_type == "dapo-genrm" and (genrm_model_path is None or "genrm" not in roles)',
        "--rm-type dapo-genrm needs --genrm-model-path and a genrm role in --resource: every score would be 0",
        "relax/engine/rewards/dapo_genrm.py:143",
        modes=RL,
        flags=("--rm-type",),
        behind=("genrm-role",),
    ),
    _REWARD.crashes(
        "reward-num-workers-zero",
        _BUILT_IN + 'rm_type is not None and rm_type not in ("remote_rm", "dapo-genrm", "dummy") '
        "and reward_num_workers <= 0",
        "--reward-num-workers {reward_num_workers} is not above 0",
        146,
        modes=RL,
        flags=("--reward-num-workers",),
    ),
    _REWARD.crashes(
        "reward-concurrency",
        _RL + "reward_max_concurrency is not None and reward_max_concurrency <= 0",
        "--reward-max-concurrency {reward_max_concurrency} is not above 0",
        128,
        modes=RL,
        flags=("--reward-max-concurrency",),
    ),
    _REWARD.crashes(
        "log-reward-category-needs-dict",
        _BUILT_IN + "log_reward_category is not None and rm_type is not None "
        'and rm_type not in ("dapo", "dapo-genrm", "remote_rm", "dummy")',
        "--log-reward-category looks into a reward that is a number",
        "relax/distributed/ray/rollout.py:4030",
        modes=RL,
        flags=("--log-reward-category",),
    ),
)

GENERATION: tuple[Constraint, ...] = (
    _ROLLOUT.crashes(
        "response-len-missing",
        _RL + "default_rollout and custom_generate_function_path is None and rollout_max_response_len is None",
        "--rollout-max-response-len is missing",
        282,
        modes=RL,
        by_default=True,
    ),
    _ROLLOUT.crashes(
        "hf-checkpoint-missing",
        "hf_checkpoint is None and (is_sft or not trains_only and (default_rollout or use_agentic_rollout or "
        'rollout_global_dataset and startswith(data_source_path, "relax.engine.rollout.data_source.")))',
        "--hf-checkpoint is missing: the tokenizer is loaded from it",
        59,
        by_default=True,
    ),
    _SAMPLING.refuses(
        "rollout-temperature-negative",
        _ASKS_ENGINES + "rollout_temperature < 0",
        "--rollout-temperature {rollout_temperature} is below 0: SGLang refuses every request",
        122,
        modes=RL,
    ),
    _SAMPLING.refuses(
        "rollout-top-p-range",
        _ASKS_ENGINES + "not (rollout_top_p > 0 and rollout_top_p <= 1)",
        "--rollout-top-p {rollout_top_p} is not above 0 and at most 1: SGLang refuses every request",
        126,
        modes=RL,
    ),
    _SAMPLING.refuses(
        "rollout-top-k-range",
        _ASKS_ENGINES + "rollout_top_k < 1 and rollout_top_k != -1 and rollout_temperature >= 0.000001",
        "--rollout-top-k {rollout_top_k}: SGLang takes -1, which is all tokens, or a number above 0",
        129,
        modes=RL,
        flags=("--rollout-top-k",),
    ),
    _SAMPLING.refuses(
        "eval-temperature-negative",
        _EVALUATES + "eval_temperature is not None and eval_temperature < 0",
        "--eval-temperature {eval_temperature} is below 0: SGLang refuses every request",
        122,
        modes=RL,
        flags=("--eval-temperature",),
    ),
    _SAMPLING.refuses(
        "eval-top-p-range",
        _EVALUATES + "eval_top_p is not None and not (eval_top_p > 0 and eval_top_p <= 1)",
        "--eval-top-p {eval_top_p} is not above 0 and at most 1: SGLang refuses every request",
        126,
        modes=RL,
        flags=("--eval-top-p",),
    ),
    _SAMPLING.refuses(
        "eval-top-k-range",
        _EVALUATES + "eval_top_k is not None and eval_top_k < 1 and eval_top_k != -1 "
        "and (eval_temperature is not None and eval_temperature >= 0.000001 "
        "or eval_temperature is None and rollout_temperature >= 0.000001)",
        "--eval-top-k {eval_top_k}: SGLang takes -1, which is all tokens, or a number above 0",
        129,
        modes=RL,
        flags=("--eval-top-k",),
    ),
    _ROLLOUT.crashes(
        "zero-std-filter-one-sample",
        _RL + "dynamic_sampling_filter_path is not None and n_samples_per_prompt == 1 "
        'and endswith(dynamic_sampling_filter_path, "check_reward_nonzero_std")',
        "the filter drops every group of one sample: generation never ends",
        "relax/engine/filters/dynamic_sampling_filters.py:14",
        modes=RL,
        flags=("--dynamic-sampling-filter-path",),
    ),
    _ROLLOUT.crashes(
        "eval-interval-zero",
        _RL + "eval_interval == 0",
        "--eval-interval 0 divides by zero",
        "relax/components/rollout.py:355",
        modes=RL,
        flags=("--eval-interval",),
    ),
    _ROLLOUT.crashes(
        "eval-group-seeds",
        _RL + "group_rm and sglang_enable_deterministic_inference and n_samples_per_eval_prompt is not None "
        "and n_samples_per_eval_prompt > n_samples_per_prompt",
        "deterministic group rewards have no seeds for {n_samples_per_eval_prompt} samples a prompt",
        569,
        modes=RL,
        flags=("--n-samples-per-eval-prompt",),
    ),
    _ROLLOUT.crashes(
        "rollout-log-probs-needed",
        "",
        "a generate function that stores no log-probabilities hangs the trainer",
        "relax/utils/utils.py:144",
        modes=RL,
        rule="RLX306",
        static="needs the recipe's Python code",
    ),
    _ROLLOUT.crashes(
        "sync-custom-reward",
        "",
        "a reward function that is not async",
        "relax/engine/rewards/__init__.py:193",
        modes=RL,
        rule="RLX202",
        static="needs the recipe's Python code",
    ),
    _DATA.crashes(
        "prompt-data-missing",
        _RL + "rollout_global_dataset and prompt_data is None and runs_engines "
        'and startswith(data_source_path, "relax.engine.rollout.data_source.")',
        "--prompt-data is missing",
        583,
        modes=RL,
        by_default=True,
    ),
    _DATA.crashes(
        "multimodal-keys-object",
        "multimodal_keys is not None and not is_object(multimodal_keys)",
        "--multimodal-keys is a JSON object of media type to column",
        127,
        rule="RLX502",
    ),
    _DATA.crashes(
        "multimodal-keys-type",
        "is_object(multimodal_keys) and len(unknown_media) > 0",
        "--multimodal-keys: {unknown_media} is no media type: image, video and audio are",
        130,
        rule="RLX410",
    ),
    _DATA.crashes(
        "multimodal-needs-template",
        _RL + "multimodal_keys and not apply_chat_template and custom_generate_function_path is None "
        "and default_rollout",
        "--multimodal-keys makes lists of the prompts, which need --apply-chat-template",
        227,
        modes=RL,
        flags=("--multimodal-keys",),
    ),
    _SOURCE.crashes(
        "read-only-data-source",
        _RL + 'data_source_path == "relax.engine.rollout.data_source.RolloutDataSource" and (partial_rollout '
        "or is_async or (over_sampling_batch_size is not None and over_sampling_batch_size > rollout_groups))",
        "this data source takes nothing back, which is needed as soon as a group is carried over",
        232,
        modes=RL,
        flags=("--data-source-path",),
    ),
)
