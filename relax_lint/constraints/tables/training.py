"""What the trainer refuses at its first step: batches, the schedule, weights, and the forward roles."""

from __future__ import annotations

from relax_lint.constraints.schema import RL, Constraint, section

_DATA = section("train", "relax/backends/megatron/data.py")
_ACTOR = section("train", "relax/backends/megatron/actor.py")
_MODEL = section("train", "relax/backends/megatron/model.py")
_SCHEDULER = section("train", "megatron/core/optimizer_param_scheduler.py")
_TRAINS = "not debug_rollout_only and "
_PLANS = _TRAINS + "not is_sft and plans_minis and "
_SEVERAL = "num_steps_per_rollout is None and rollout_samples != train_batch"
"""What the global batch size makes of a rollout is not one update, and nothing else says how many there are to be."""
_BATCH = ("--global-batch-size", "--rollout-batch-size", "--num-steps-per-rollout")

BATCH_PLAN: tuple[Constraint, ...] = (
    _DATA.refuses(
        "rollout-minis-divide-total",
        _PLANS + "num_steps_per_rollout is None and rollout_samples % train_batch != 0",
        "{samples_sum}, but {batch_sum}, which does not divide it: Relax refuses it",
        73,
        modes=RL,
        rule="RLX407",
        flags=_BATCH,
        behind=(
            "async-no-rollout-batch",
            "no-batch-size",
        ),
    ),
    _DATA.refuses(
        "batch-splits-prompts",
        _PLANS + f"{_SEVERAL} and minis > 0 and (rollout_groups % minis != 0 "
        "or (rollout_groups // minis) % data_parallel_size != 0)",
        "{samples_sum}, but {batch_sum}: {minis} updates cannot share {rollout_groups} prompts evenly among "
        "{data_parallel_size} data-parallel ranks: Relax refuses it",
        83,
        modes=RL,
        rule="RLX407",
        flags=_BATCH,
        behind=(
            "mega-world-size",
            "resource-actor-remainder",
            "async-no-rollout-batch",
            "no-batch-size",
            "rollout-minis-divide-total",
        ),
    ),
    _DATA.refuses(
        "rollout-minis-divide-prompts",
        _PLANS + f"not ({_SEVERAL}) and minis > 0 and rollout_groups % minis != 0",
        "--rollout-batch-size {rollout_groups} is no multiple of the {minis} updates of a rollout",
        83,
        modes=RL,
        rule="RLX416",
        flags=("--rollout-batch-size", *_BATCH),
        behind=(
            "steps-global-batch",
            "rollout-minis-divide-total",
            "async-no-rollout-batch",
            "mega-eval-batch",
        ),
    ),
    _DATA.refuses(
        "rollout-minis-divide-dp",
        _PLANS + f"not ({_SEVERAL}) and minis > 0 and rollout_groups % minis == 0 "
        "and (rollout_groups // minis) % data_parallel_size != 0",
        "{rollout_groups} prompts in {minis} updates are no multiple of the data parallel size {data_parallel_size}",
        92,
        modes=RL,
        rule="RLX416",
        flags=("--rollout-batch-size", *_BATCH),
        behind=(
            "resource-actor-remainder",
            "mega-world-size",
            "steps-global-batch",
            "rollout-minis-divide-total",
            "async-no-rollout-batch",
            "mega-eval-batch",
        ),
    ),
    _DATA.refuses(
        "rollout-mini-equals-batch",
        _PLANS + "minis > 0 and rollout_groups % minis == 0 and train_batch != (rollout_groups // minis) "
        "* n_samples_per_prompt",
        "an update of {rollout_groups} // {minis} prompts is not the global batch {train_batch}",
        107,
        modes=RL,
        rule="RLX407",
        flags=_BATCH,
        behind=(
            "steps-global-batch",
            "rollout-minis-divide-total",
            "async-no-rollout-batch",
            "rollout-minis-divide-prompts",
            "mega-eval-batch",
            "batch-splits-prompts",
        ),
    ),
    _DATA.refuses(
        "micro-batch-divides-mini",
        _PLANS + "not use_dynamic_batch_size and minis > 0 and rollout_groups % minis == 0 and micro_batch_size > 0 "
        "and ((rollout_groups // minis) * n_samples_per_prompt // data_parallel_size) % micro_batch_size != 0",
        "each replica's samples are no multiple of --micro-batch-size {micro_batch_size}",
        803,
        modes=("hybrid", "colocate", "separate"),
        rule="RLX416",
        flags=("--micro-batch-size",),
        behind=(
            "resource-actor-remainder",
            "mega-world-size",
            "steps-global-batch",
            "rollout-minis-divide-total",
            "async-no-rollout-batch",
            "mega-eval-batch",
            "rollout-minis-divide-dp",
            "batch-splits-prompts",
        ),
    ),
    _DATA.refuses(
        "global-batch-divides-micro-dp",
        _TRAINS + "(eval_global_batch_size is not None or eval_micro_batch_size is not None) "
        "and not decrease_batch_size_if_needed and rampup_batch_size is None and micro_batch_size > 0 "
        "and train_batch % (micro_batch_size * data_parallel_size) != 0",
        "the global batch {train_batch} is no multiple of micro batch {micro_batch_size} × data parallel "
        "{data_parallel_size}",
        "megatron/core/num_microbatches_calculator.py:340",
        rule="RLX416",
        flags=_BATCH,
        behind=(
            "resource-actor-remainder",
            "mega-world-size",
            "mega-eval-batch",
            "batch-splits-prompts",
        ),
    ),
    _DATA.refuses(
        "dynamic-global-batch-micro",
        "",
        "the samples of a step are no multiple of --micro-batch-size",
        803,
        modes=("colocate", "separate"),
        static="the number of samples is decided by the rollout",
    ),
    _ACTOR.refuses(
        "async-vpp-minis",
        _TRAINS + "use_dynamic_batch_size and virtual_stages is not None and minis != 1",
        "asynchronous dynamic batches with virtual stages make one update a rollout, not {minis}",
        1917,
        modes=("async",),
        flags=("--num-layers-per-virtual-pipeline-stage", "--num-virtual-stages-per-pipeline-rank"),
    ),
    _ACTOR.crashes(
        "async-static-batch-zero",
        _TRAINS + "not use_dynamic_batch_size and micro_batch_size > 0 "
        "and (train_batch // data_parallel_size // micro_batch_size == 0 or rollout_samples // train_batch == 0)",
        "a rollout of {rollout_samples} samples and updates of {train_batch} leave nothing to train",
        "relax/utils/data/stream_dataloader.py:209",
        modes=("async",),
        rule="RLX407",
        flags=_BATCH,
        behind=(
            "no-batch-size",
            "async-no-rollout-batch",
            "storage-capacity-zero",
            "steps-global-batch",
            "async-with-colocate",
            "mega-global-batch-positive",
        ),
    ),
    _ACTOR.crashes(
        "async-batch-groups",
        _TRAINS + "not use_dynamic_batch_size and train_batch > 0 and n_samples_per_prompt > 0 "
        "and train_batch % n_samples_per_prompt != 0",
        "{samples_sum}, but {batch_sum}, which is no whole number of groups of {n_samples_per_prompt}",
        "transfer_queue/sampler/grpo_group_n_sampler.py:150",
        modes=("async",),
        rule="RLX407",
        flags=_BATCH,
        behind=(
            "no-batch-size",
            "async-no-rollout-batch",
            "async-static-batch-zero",
            "steps-global-batch",
            "async-with-colocate",
        ),
    ),
    _ACTOR.crashes(
        "async-iters-zero",
        'mode == "async" and num_iters_per_train_update == 0',
        "--num-iters-per-train-update 0 divides by zero",
        "relax/components/advantages.py:88",
        modes=("async",),
        rule="RLX415",
    ),
    _ACTOR.crashes(
        "async-iters-share",
        _TRAINS + "num_iters_per_train_update != 0 and len(starving_roles) > 0",
        "global batch {train_batch} in {num_iters_per_train_update} parts: {starving_roles} cannot be whole groups of "
        "{n_samples_per_prompt}",
        "transfer_queue/sampler/grpo_group_n_sampler.py:150",
        modes=("async",),
        rule="RLX415",
        flags=("--num-iters-per-train-update", "--global-batch-size"),
        behind=(
            "async-static-batch-zero",
            "role-gpus-vs-parallelism",
            "ref-actor-config-needed",
            "rollout-minis-divide-total",
            "no-batch-size",
            "async-no-rollout-batch",
            "async-batch-groups",
            "batch-splits-prompts",
            "steps-global-batch",
            "async-with-colocate",
        ),
    ),
    _ACTOR.refuses(
        "sft-n-samples",
        "is_sft and (train_batch // data_parallel_size * data_parallel_size) % n_samples_per_prompt != 0",
        "--n-samples-per-prompt {n_samples_per_prompt} does not divide the global batch {train_batch}",
        "transfer_queue/sampler/seqlen_balanced_sampler.py:112",
        modes=("sft",),
        flags=("--n-samples-per-prompt",),
    ),
    _ACTOR.crashes(
        "sft-batch-exceeds-queue",
        "is_sft and train_batch > rollout_groups * ((max_staleness if sft_max_in_flight_steps is None "
        "else sft_max_in_flight_steps - 1) + 1) * n_samples_per_prompt",
        "a step of {train_batch} samples does not fit the queue of {rollout_groups} × {n_samples_per_prompt} a step",
        "relax/components/sft.py:322",
        modes=("sft",),
        severity="W",
        flags=("--rollout-batch-size", "--global-batch-size"),
    ),
)

SCHEDULE: tuple[Constraint, ...] = (
    _MODEL.refuses(
        "run-has-an-update",
        _TRAINS + "not only_load_weight and num_epoch is None and num_rollout is not None and decay_updates <= 0",
        "{num_rollout} rollouts of {rollout_samples} samples make no update of {train_batch}",
        193,
        rule="RLX416",
        flags=("--num-rollout", *_BATCH),
        behind=(
            "rollout-minis-divide-total",
            "async-static-batch-zero",
            "steps-global-batch",
            "storage-capacity-zero",
        ),
    ),
    _SCHEDULER.refuses(
        "warmup-shorter-than-decay",
        _TRAINS + "num_epoch is None and num_rollout is not None and decay_updates > 0 "
        "and warmup_updates >= decay_updates",
        "the warm-up of {warmup_updates} updates does not end within the {decay_updates} of the run",
        160,
        flags=("--lr-warmup-fraction", "--lr-warmup-iters", "--lr-decay-iters", "--num-rollout"),
    ),
    _SCHEDULER.refuses(
        "lr-bounds",
        _TRAINS + "lr is not None and (min_lr < 0 or lr_warmup_init > lr)",
        "--min-lr is at least 0, and --lr-warmup-init at most --lr {lr}",
        150,
        flags=("--min-lr", "--lr-warmup-init"),
    ),
    _SCHEDULER.refuses(
        "wsd-needs-decay-iters",
        _TRAINS + 'lr_decay_style == "WSD" and lr_wsd_decay_iters is None',
        "--lr-decay-style WSD needs --lr-wsd-decay-iters",
        164,
        flags=("--lr-decay-style",),
    ),
    _SCHEDULER.refuses(
        "weight-decay-schedule",
        _TRAINS + 'weight_decay_incr_style != "constant" and start_weight_decay is not None '
        "and end_weight_decay is not None and (start_weight_decay < 0 or end_weight_decay < start_weight_decay)",
        "weight decay grows from --start-weight-decay to --end-weight-decay",
        168,
        flags=("--start-weight-decay", "--end-weight-decay"),
    ),
    _SCHEDULER.refuses(
        "scheduler-override-and-checkpoint",
        _TRAINS + "override_opt_param_scheduler and use_checkpoint_opt_param_scheduler",
        "--override-opt-param-scheduler and --use-checkpoint-opt-param-scheduler exclude each other",
        176,
    ),
    _MODEL.overwrites(
        "train-iters-overwritten",
        "train_iters is not None",
        "--train-iters is replaced by what the rollouts make",
        193,
        flags=("--train-iters",),
    ),
)

WEIGHTS: tuple[Constraint, ...] = (
    _MODEL.refuses("moe-upcycling", _TRAINS + "moe_use_upcycling", "Relax does not upcycle", 248),
    _MODEL.refuses(
        "no-weights-to-load",
        _TRAINS + "initial_load is None and pretrained_checkpoint is None",
        "nothing to load: --load, --ref-load, or --hf-checkpoint with --megatron-to-hf-mode bridge",
        249,
        by_default=True,
    ),
    _MODEL.refuses(
        "hf-weights-need-bridge",
        _TRAINS + 'megatron_to_hf_mode != "bridge" and hf_checkpoint is not None and ref_load == hf_checkpoint '
        "and (load is None or load == hf_checkpoint)",
        "a checkpoint in Hugging Face's form is loaded by --megatron-to-hf-mode bridge only",
        "relax/backends/megatron/checkpoint.py:207",
        flags=("--megatron-to-hf-mode", "--ref-load"),
    ),
    _MODEL.refuses(
        "resume-changed-schedule",
        "",
        "a checkpoint goes on with other batches than it was made with",
        "relax/backends/megatron/checkpoint.py:119",
        static="needs the checkpoint",
    ),
    _MODEL.refuses(
        "raw-mode-model-unknown",
        _TRAINS + 'megatron_to_hf_mode != "bridge" and model_name is not None and not ("glm4" in model_name '
        'or "deepseekv3" in model_name or "qwen2" in model_name or "qwen3" in model_name or "llama" in model_name '
        'or "mimo" in model_name)',
        "raw mode does not know --model-name {model_name}",
        "relax/backends/megatron/weight_conversion/__init__.py:64",
        modes=RL,
        flags=("--model-name",),
    ),
    _MODEL.refuses(
        "ref-load-hf-needs-bridge",
        _TRAINS + 'uses_kl and megatron_to_hf_mode != "bridge" and hf_checkpoint is not None '
        "and ref_load == hf_checkpoint and load is not None and load != hf_checkpoint",
        "a reference in Hugging Face's form is loaded by --megatron-to-hf-mode bridge only",
        "relax/backends/megatron/actor.py:1749",
        modes=RL,
        flags=("--ref-load",),
    ),
    _MODEL.refuses(
        "load-main-params-with-hf",
        _TRAINS + 'load_main_params_from_ckpt and megatron_to_hf_mode == "bridge" and load is None',
        "--load-main-params-from-ckpt needs a Megatron checkpoint in --load",
        "relax/backends/megatron/checkpoint.py:234",
        flags=("--load-main-params-from-ckpt",),
    ),
    _MODEL.refuses(
        "memray-needs-steps",
        'memory_recorder == "memray" and record_memory_history and memory_snapshot_num_steps is None',
        "--memory-recorder memray needs --memory-snapshot-num-steps",
        "relax/utils/profile_utils.py:197",
        flags=("--memory-recorder",),
    ),
    _ACTOR.crashes(
        "weights-backuper-needed",
        "(uses_kl or opd_teacher_load is not None or keep_old_actor) and not enable_weights_backuper "
        "and not debug_rollout_only",
        "--disable-weights-backuper leaves no place for a second model",
        225,
        modes=("hybrid", "colocate", "separate"),
        flags=("--disable-weights-backuper",),
    ),
    _ACTOR.crashes(
        "ref-update-interval-zero",
        "ref_update_interval == 0",
        "--ref-update-interval 0 divides by zero",
        810,
        modes=("colocate", "separate"),
    ),
    _ACTOR.crashes(
        "disable-advantages-in-rl",
        'loss_type == "policy_loss" and not compute_advantages_and_returns and not debug_rollout_only',
        "the policy loss needs the advantages that --disable-compute-advantages-and-returns takes away",
        719,
        modes=("colocate", "separate"),
        flags=("--disable-compute-advantages-and-returns",),
    ),
    _ACTOR.crashes(
        "routing-replay-async",
        "use_routing_replay or use_rollout_routing_replay",
        "asynchronous training records no routing that could be replayed",
        1352,
        modes=("async",),
        flags=("--use-rollout-routing-replay", "--use-routing-replay"),
    ),
    _ACTOR.crashes(
        "custom-loss-needs-path",
        'loss_type == "custom_loss" and custom_loss_function_path is None',
        "--loss-type custom_loss needs --custom-loss-function-path",
        "relax/backends/megatron/loss.py:1297",
        flags=("--loss-type",),
    ),
    _ACTOR.crashes(
        "rollout-temperature-zero",
        _TRAINS + 'rollout_temperature == 0 and loss_type != "custom_loss"',
        "the trainer divides the logits by --rollout-temperature 0: no log-probability is a number, and the first "
        "update fails",
        "relax/backends/megatron/loss.py:185",
        flags=("--rollout-temperature",),
    ),
)

FORWARD_ROLES: tuple[Constraint, ...] = (
    _ACTOR.crashes(
        "ref-actor-config-not-object",
        "ref_actor_config is not None and not is_object(ref_actor_config)",
        "--ref-actor-config is a JSON object",
        "relax/utils/utils.py:515",
        modes=("async",),
        rule="RLX411",
    ),
    _ACTOR.ignores(
        "ref-actor-config-keys",
        "ref_actor_config is not None and len(dead_config_keys) > 0",
        "--ref-actor-config sets {dead_config_keys}, which nobody reads",
        "relax/utils/utils.py:511",
        modes=("async",),
        rule="RLX411",
        severity="A",
        flags=("--ref-actor-config",),
    ),
    _ACTOR.ignores(
        "ref-actor-config-ignored",
        "ref_actor_config is not None",
        "--ref-actor-config is read by the reference and actor_fwd of asynchronous training only",
        135,
        modes=("sft", "hybrid", "colocate", "separate"),
        rule="RLX411",
        severity="A",
        behind=("guide-mode",),
    ),
    _ACTOR.refuses(
        "ref-actor-config-needed",
        _TRAINS + "not trains_only and ref_actor_config is None and len(misfit_roles) > 0",
        "--ref-actor-config missing: the actor's parallel sizes do not divide the GPUs of {misfit_roles}",
        "relax/backends/megatron/initialize.py:44",
        modes=("async",),
        rule="RLX411",
        flags=("--resource",),
        behind=(
            "ref-actor-config-spelling",
            "train-role-gpus",
            "mega-expert-parallel-dense",
            "async-with-colocate",
        ),
    ),
    _ACTOR.refuses(
        "role-gpus-vs-parallelism",
        _TRAINS + "not trains_only and ref_actor_config is not None and len(misfit_roles) > 0",
        "parallel sizes do not divide the GPUs of {misfit_roles}: --ref-actor-config sets them, and those that it does "
        "not name are the actor's",
        "relax/backends/megatron/initialize.py:44",
        modes=("async",),
        rule="RLX416",
        flags=("--ref-actor-config", "--resource"),
        behind=(
            "mega-world-size",
            "ref-actor-config-not-object",
            "train-role-gpus",
            "expert-world-size",
            "mega-expert-parallel-dense",
            "async-with-colocate",
        ),
    ),
)
