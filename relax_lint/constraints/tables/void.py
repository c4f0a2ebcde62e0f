"""Flags that the launch's other flags make void."""

from __future__ import annotations

from relax_lint.constraints.schema import RL, Constraint, section

_UTILS = section("train", "relax/utils/arguments.py")
_LOSS = section("train", "relax/backends/megatron/loss.py")
_ROLLOUT = section("train", "relax/engine/rollout/sglang_rollout.py")
_SFT = section("train", "relax/components/sft.py")


def _given(*flags: str) -> str:
    return "given({})".format(", ".join(f'"{flag}"' for flag in flags))


_UNREAD = (
    "--eval-min-new-tokens", "--eps-clip-c", "--opd-teacher-video-key", "--opd-teacher-audio-key",
    "--rollout-buffer-url", "--fetch-trajectory-retry-times", "--min-batch-collection-ratio", "--rollout-task-type",
    "--loss-mask-type", "--disable-rollout-trim-samples", "--rlsp-server-port", "--http-proxy",
    "--rollout-all-samples-process-path", "--custom-convert-samples-to-train-data-path",
)  # fmt: skip
_SLIME_ROUTER = (
    "--slime-router-middleware-paths", "--slime-router-timeout", "--slime-router-max-connections",
    "--slime-router-health-check-failure-threshold", "--slime-router-sticky-idle-secs",
)  # fmt: skip
_FREEZES = (
    "--freeze-language-model", "--freeze-vision-model", "--freeze-vision-projection", "--freeze-audio-model",
    "--freeze-audio-projection",
)  # fmt: skip
_ENGINE_PROFILE = (
    "--sglang-profile-steps", "--sglang-profile-num-steps", "--sglang-profile-step-start", "--sglang-profile-step-end",
    "--sglang-profile-activities", "--sglang-profile-by-stage", "--sglang-profile-output-dir",
    "--sglang-profile-record-shapes", "--sglang-profile-with-stack",
)  # fmt: skip
_JUDGE = (
    "--genrm-num-gpus", "--genrm-num-gpus-per-engine", "--genrm-engine-config", "--genrm-sampling-config",
    "--defer-reward-to-post-process",
)  # fmt: skip
_RL_ONLY = (
    "--rm-type", "--custom-rm-path", "--reward-key", "--group-rm", "--dynamic-sampling-filter-path", "--use-tis",
    "--eps-clip", "--eps-clip-high", "--advantage-estimator", "--rollout-shuffle",
)  # fmt: skip
_OTHER_LOADER = ("--custom-prompt-path", "--use-streaming-dataset", "--rollout-max-prompt-len", "--apply-chat-template")

BATCHING: tuple[Constraint, ...] = (
    _UTILS.ignores(
        "max-tokens-without-dynamic",
        "not use_dynamic_batch_size and not dynamic_context_parallel and "
        + _given("--max-tokens-per-gpu", "--log-probs-max-tokens-per-gpu"),
        "it is read with --use-dynamic-batch-size only",
        1197,
        severity="A",
        flags=("--max-tokens-per-gpu", "--log-probs-max-tokens-per-gpu"),
    ),
    _ROLLOUT.ignores(
        "num-iters-not-async",
        _given("--num-iters-per-train-update"),
        "only asynchronous training splits an update",
        833,
        modes=("sft", "colocate", "separate"),
        rule="RLX415",
        flags=("--num-iters-per-train-update",),
        fix="drop --num-iters-per-train-update",
        behind=("guide-mode",),
    ),
    _ROLLOUT.ignores(
        "dynamic-global-batch-without-partial",
        "use_dynamic_global_batch_size and not partial_rollout",
        "--use-dynamic-global-batch-size works with --partial-rollout only",
        "relax/core/controller.py:126",
        modes=("colocate", "separate"),
        flags=("--use-dynamic-global-batch-size",),
    ),
    _ROLLOUT.ignores(
        "mask-offpolicy-without-partial",
        "mask_offpolicy_in_partial_rollout and not partial_rollout",
        "--mask-offpolicy-in-partial-rollout works with --partial-rollout only",
        444,
        modes=RL,
        flags=("--mask-offpolicy-in-partial-rollout",),
    ),
    _ROLLOUT.ignores(
        "partial-max-aborted-without-partial",
        _given("--partial-rollout-max-aborted-count") + " and not partial_rollout",
        "--partial-rollout-max-aborted-count works with --partial-rollout only",
        653,
        modes=RL,
        flags=("--partial-rollout-max-aborted-count",),
    ),
    _ROLLOUT.ignores(
        "critic-only-steps",
        "num_critic_only_steps > 0",
        "there is no critic: the first {num_critic_only_steps} steps train nothing",
        "relax/components/actor.py:238",
    ),
)

ALGORITHM: tuple[Constraint, ...] = (
    _LOSS.ignores(
        "kl-coef-ignored",
        'not is_sft and kl_coef != 0 and advantage_estimator in ("grpo", "gspo", "sapo", "cispo")',
        "{advantage_estimator} takes no KL from the reward: --use-kl-loss with --kl-loss-coef does",
        571,
        modes=RL,
        rule="RLX417",
        severity="W",
        flags=("--kl-coef",),
        behind=("kl-both-coefs",),
    ),
    _LOSS.ignores(
        "kl-loss-without-use",
        "not is_sft and not use_kl_loss and (kl_loss_coef != 0 or use_unbiased_kl)",
        "the KL loss is off without --use-kl-loss, and its flags are ignored: add the switch, or drop them",
        993,
        modes=RL,
        rule="RLX417",
        severity="E",
        flags=("--kl-loss-coef", "--use-unbiased-kl"),
        behind=("kl-both-coefs",),
    ),
    _LOSS.ignores(
        "one-sample-groups",
        "not is_sft and not debug_rollout_only and n_samples_per_prompt == 1 and rewards_normalization and not use_opd "
        "and custom_reward_post_process_path is None and custom_convert_samples_to_train_data_path is None "
        'and loss_type != "custom_loss" '
        'and advantage_estimator in ("grpo", "gspo", "sapo", "cispo") '
        'and given("--n-samples-per-prompt")',
        "{advantage_estimator} takes the mean of a prompt's samples from each reward, and of --n-samples-per-prompt 1 "
        "nothing is left: no advantage but 0",
        "relax/utils/utils.py:202",
        modes=RL,
        flags=("--custom-rm-path", "--rm-type"),
        behind=("zero-std-filter-one-sample",),
    ),
    _LOSS.ignores(
        "gamma-lambda",
        "not is_sft and (gamma != 1.0 or lambd != 1.0)",
        "only estimators that Relax no longer runs discount",
        586,
        modes=RL,
        flags=("--gamma", "--lambd"),
    ),
    _LOSS.ignores(
        "eps-clip-sapo",
        'advantage_estimator == "sapo" and ' + _given("--eps-clip", "--eps-clip-high"),
        "sapo does not clip: --sapo-tau-pos and --sapo-tau-neg are its own",
        899,
        modes=RL,
        flags=("--eps-clip", "--eps-clip-high"),
    ),
    _LOSS.ignores(
        "sapo-taus-elsewhere",
        'advantage_estimator != "sapo" and ' + _given("--sapo-tau-pos", "--sapo-tau-neg"),
        "only sapo has temperatures",
        899,
        modes=RL,
        flags=("--sapo-tau-pos", "--sapo-tau-neg"),
    ),
    _LOSS.ignores(
        "tis-without-use",
        "not use_tis and not get_mismatch_metrics and "
        + _given("--tis-clip", "--tis-clip-low", "--custom-tis-function-path"),
        "importance sampling is off without --use-tis",
        920,
        modes=RL,
        flags=("--tis-clip", "--tis-clip-low", "--custom-tis-function-path"),
    ),
    _LOSS.ignores(
        "opsm-delta-without-use",
        "not use_opsm and " + _given("--opsm-delta"),
        "--opsm-delta is read with --use-opsm only",
        "relax/utils/arguments.py:1625",
        modes=RL,
        flags=("--opsm-delta",),
    ),
    _LOSS.ignores(
        "custom-loss-path-unused",
        'custom_loss_function_path is not None and loss_type != "custom_loss"',
        "--custom-loss-function-path is read with --loss-type custom_loss only",
        1296,
        flags=("--custom-loss-function-path",),
    ),
    _LOSS.ignores(
        "ref-update-without-ref",
        "ref_update_interval is not None and not uses_kl",
        "there is no reference to update without a KL penalty",
        "relax/backends/megatron/actor.py:810",
        flags=("--ref-update-interval",),
    ),
    _LOSS.ignores(
        "post-process-instead-of-normalization",
        "custom_reward_post_process_path is not None and not is_sft and "
        + _given("--disable-rewards-normalization", "--disable-grpo-std-normalization"),
        "--custom-reward-post-process-path returns the rewards itself",
        "relax/utils/utils.py:176",
        modes=RL,
        severity="A",
        flags=("--disable-rewards-normalization", "--disable-grpo-std-normalization"),
    ),
)

DATA: tuple[Constraint, ...] = (
    _ROLLOUT.ignores(
        "eval-data-without-interval",
        "not is_sft and eval_interval is None and has_eval_data and not debug_rollout_only",
        "nothing is evaluated without --eval-interval",
        "relax/components/rollout.py:350",
        modes=RL,
        flags=("--eval-prompt-data", "--eval-config"),
    ),
    _ROLLOUT.ignores(
        "chat-template-kwargs",
        "apply_chat_template_kwargs and not apply_chat_template and not use_agentic_rollout and not is_sft",
        "--apply-chat-template-kwargs is read with --apply-chat-template only",
        "relax/utils/data/data_utils.py:259",
        modes=RL,
        flags=("--apply-chat-template-kwargs",),
    ),
    _ROLLOUT.ignores(
        "streaming-flags",
        "not use_streaming_dataset and not is_sft and "
        + _given("--streaming-buffer-size", "--prefetch-chunk-size", "--prefetch-max-cached", "--prefetch-num-workers"),
        "it is read with --use-streaming-dataset only",
        "relax/engine/rollout/data_source.py:72",
        modes=RL,
        flags=("--streaming-buffer-size", "--prefetch-chunk-size", "--prefetch-max-cached", "--prefetch-num-workers"),
    ),
    _ROLLOUT.ignores(
        "buffer-filter-elsewhere",
        'buffer_filter_path is not None and data_source_path == "relax.engine.rollout.data_source.RolloutDataSource"',
        "--buffer-filter-path is read by the data source with a buffer",
        "relax/engine/rollout/data_source.py:304",
        modes=RL,
        flags=("--buffer-filter-path",),
    ),
    _UTILS.ignores("flags-never-read", _given(*_UNREAD), "nothing in Relax reads it", 95, severity="A"),
    _UTILS.ignores(
        "genrm-flags",
        "genrm_model_path is None and " + _given(*_JUDGE),
        "there is no judge without --genrm-model-path",
        2048,
        flags=_JUDGE,
    ),
    _UTILS.ignores(
        "slime-router-flags",
        "not use_slime_router and " + _given(*_SLIME_ROUTER),
        "it is read with --use-slime-router only",
        1667,
        flags=_SLIME_ROUTER,
    ),
    _UTILS.ignores(
        "sglang-profile-off",
        "not trains_only and not sglang_profile and " + _given(*_ENGINE_PROFILE),
        "nothing is profiled without --sglang-profile",
        "relax/utils/profile_utils.py:245",
        flags=_ENGINE_PROFILE,
    ),
    _UTILS.ignores(
        "sglang-flags-when-training",
        "trains_only and len(engine_flags) > 0",
        "{engine_flags}: a launch that only trains starts no engines, and does not even check their flags",
        2311,
        by_default=True,
    ),
    _UTILS.ignores(
        "rollout-seed",
        _given("--rollout-seed") + " and not rollout_shuffle and not use_streaming_dataset and not trains_only "
        "and not sglang_enable_deterministic_inference and not is_sft",
        "--rollout-seed is read when data is shuffled, or sampling is deterministic",
        "relax/engine/rollout/data_source.py:122",
        modes=RL,
        severity="A",
        flags=("--rollout-seed",),
    ),
    _UTILS.ignores(
        "load-subsample",
        "load_debug_rollout_data is None and " + _given("--load-debug-rollout-data-subsample"),
        "--load-debug-rollout-data-subsample is read with --load-debug-rollout-data only",
        1833,
        flags=("--load-debug-rollout-data-subsample",),
    ),
    _UTILS.ignores(
        "sft-logits-chunk",
        "not sft_chunked_logits and " + _given("--sft-logits-chunk-size"),
        "--sft-logits-chunk-size is read with --sft-chunked-logits only",
        363,
        flags=("--sft-logits-chunk-size",),
    ),
)

CHECKPOINTS: tuple[Constraint, ...] = (
    _UTILS.ignores(
        "save-hf-without-save",
        "save_hf is not None and (save is None or (save_interval is None and not rotate_ckpt))",
        "--save-hf is written when a checkpoint is: that needs --save and --save-interval",
        "relax/backends/megatron/actor.py:1497",
        flags=("--save-hf",),
    ),
    _UTILS.overwrites(
        "save-hf-without-id",
        'save_hf is not None and save is not None and not ("{rollout_id}" in save_hf)',
        "without the rollout's id in its path each export replaces the last",
        "relax/backends/megatron/model.py:1216",
        severity="A",
        flags=("--save-hf",),
    ),
    _UTILS.ignores(
        "max-ckpt-without-save",
        "max_actor_ckpt_to_keep is not None and save is None",
        "there are no checkpoints to keep without --save",
        "relax/utils/rotate_ckpt.py:17",
        flags=("--max-actor-ckpt-to-keep",),
    ),
    _UTILS.ignores(
        "freeze-flags-raw",
        'megatron_to_hf_mode != "bridge" and ' + _given(*_FREEZES),
        "only --megatron-to-hf-mode bridge freezes parts of a model",
        "relax/backends/megatron/model_provider.py:275",
        flags=_FREEZES,
    ),
    _UTILS.ignores(
        "architecture-flags-bridge",
        "",
        "bridge mode takes the architecture from the checkpoint",
        "relax/backends/megatron/model_provider.py:248",
        static="needs the checkpoint's config.json",
    ),
)

SUPERVISED: tuple[Constraint, ...] = (
    _SFT.ignores(
        "sft-rl-flags",
        "is_sft and sft_predict_interval is None and " + _given(*_RL_ONLY),
        "supervised fine-tuning has no rewards and no advantages",
        127,
        modes=("sft",),
        flags=_RL_ONLY,
    ),
    _SFT.ignores(
        "sft-own-loader",
        "is_sft and " + _given(*_OTHER_LOADER),
        "supervised fine-tuning has a loader of its own, always streaming and with the chat template",
        127,
        modes=("sft",),
        severity="A",
        flags=_OTHER_LOADER,
    ),
    _SFT.ignores(
        "sft-conversation-map",
        "is_sft and conversation_key_map is not None and label_key is not None",
        "--conversation-key-map is read without --label-key only",
        "relax/engine/sft/dataset/streaming.py:143",
        modes=("sft",),
        flags=("--conversation-key-map",),
    ),
    _SFT.ignores(
        "sft-eval-off",
        "is_sft and eval_interval is not None and eval_interval <= 0",
        "--eval-interval {eval_interval} switches evaluation off",
        "relax/engine/sft/runtime.py:53",
        modes=("sft",),
        severity="A",
        flags=("--eval-interval",),
    ),
    _SFT.ignores(
        "sft-rollout-batch",
        "is_sft and rollout_batch_size is not None and rollout_samples != train_batch",
        "a step is --global-batch-size {train_batch}; {rollout_samples} samples only set the schedule and the epochs",
        322,
        modes=("sft",),
        flags=("--rollout-batch-size",),
    ),
)
