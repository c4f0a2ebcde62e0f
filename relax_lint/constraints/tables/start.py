"""What the controller, the registry and the roles refuse when they start."""

from __future__ import annotations

from relax_lint.constraints.schema import RL, Constraint, section

_CONTROLLER = section("start", "relax/core/controller.py")
_SFT = section("start", "relax/engine/sft/bootstrap.py")
_OPD = section("start", "relax/utils/opd/opd_utils.py")
_ROLLOUT = section("start", "relax/distributed/ray/rollout.py")
_RESOURCE = ("--resource",)
_TEACHERS = "managed_teacher and not trains_only and "

CONTROLLER: tuple[Constraint, ...] = (
    _SFT.refuses(
        "sft-custom-num-rollout",
        "is_sft and custom_dataset_class_path and num_rollout is None",
        "a data set class of one's own needs --num-rollout",
        52,
        modes=("sft",),
        flags=("--custom-dataset-class-path", "--num-epoch"),
    ),
    _SFT.ignores(
        "sft-custom-num-epoch",
        "is_sft and custom_dataset_class_path and num_epoch is not None",
        "--num-epoch is not read with a data set class of one's own",
        53,
        modes=("sft",),
        flags=("--num-epoch",),
    ),
    _SFT.refuses(
        "num-rollout-positive",
        "num_rollout is not None and num_rollout <= 0 and not trains_only",
        "--num-rollout {num_rollout} is not above 0",
        56,
        behind=("run-has-an-update",),
    ),
    _SFT.refuses(
        "num-epoch-positive",
        "num_epoch is not None and num_epoch <= 0 and not trains_only and not (is_sft and custom_dataset_class_path)",
        "--num-epoch {num_epoch} is not above 0",
        75,
    ),
    _SFT.crashes(
        "sft-rollout-batch-zero",
        "is_sft and not custom_dataset_class_path and rollout_groups == 0",
        "a rollout of 0 prompts divides by zero",
        67,
        modes=("sft",),
        flags=("--rollout-batch-size", "--global-batch-size"),
    ),
    _SFT.refuses(
        "sft-dataset-small",
        "",
        "the data has fewer rows than --rollout-batch-size",
        68,
        modes=("sft",),
        static="needs the data",
    ),
    _SFT.refuses(
        "sft-resource-role",
        'is_sft and "sft" not in roles',
        "--resource needs an sft role, such as [1, 0]",
        92,
        modes=("sft",),
        rule="RLX412",
        flags=_RESOURCE,
        behind=(
            "resource-missing",
            "resource-not-object",
        ),
    ),
    _CONTROLLER.refuses(
        "estimator-not-registered",
        'not is_sft and advantage_estimator not in ("grpo", "gspo", "sapo", "cispo", "ppo")',
        "no mode runs {advantage_estimator}: grpo, gspo, sapo and cispo run",
        332,
        modes=RL,
        flags=("--advantage-estimator",),
    ),
    _CONTROLLER.crashes(
        "resource-missing",
        "resource is None",
        "--resource is missing",
        361,
        rule="RLX412",
        by_default=True,
        behind=("resource-spelling",),
    ),
    _CONTROLLER.refuses(
        "resource-entry",
        "resource is not None and len(misshapen_roles) > 0",
        "--resource: {misshapen_roles} must be [1, GPUs]",
        367,
        rule="RLX412",
        flags=_RESOURCE,
        behind=(
            "resource-entry-type",
            "resource-actor-negative",
        ),
    ),
    _CONTROLLER.crashes(
        "role-missing",
        "resource is not None and len(missing_roles) > 0",
        "--resource names no {missing_roles}, for which the others then wait",
        361,
        rule="RLX412",
        flags=_RESOURCE,
        behind=(
            "resource-missing",
            "resource-not-object",
        ),
    ),
    _CONTROLLER.crashes(
        "async-advantages-role",
        'mode == "async" and resource is not None and "advantages" not in roles and not debug_rollout_only '
        "and not trains_only",
        "--resource names no advantages, for which the actor waits",
        361,
        modes=("async",),
        rule="RLX412",
        severity="W",
        flags=_RESOURCE,
        behind=(
            "resource-missing",
            "resource-not-object",
            "async-with-colocate",
        ),
    ),
    _CONTROLLER.crashes(
        "genrm-role",
        'genrm_model_path is not None and resource is not None and "genrm" not in roles',
        "--genrm-model-path needs a genrm role in --resource",
        361,
        rule="RLX412",
        flags=("--genrm-model-path",),
        behind=(
            "resource-missing",
            "resource-not-object",
        ),
    ),
    _CONTROLLER.ignores(
        "resource-role-unused",
        "not debug_rollout_only and not trains_only and len(idle_roles) > 0",
        "--resource gives GPUs to {idle_roles}, which this launch never starts",
        350,
        rule="RLX412",
        severity="A",
        flags=_RESOURCE,
        behind=("guide-mode",),
    ),
    _CONTROLLER.refuses(
        "cluster-too-small",
        "",
        "the cluster has fewer GPUs than --resource asks for",
        284,
        rule="RLX412",
        static="needs the cluster",
    ),
    _CONTROLLER.crashes(
        "colocate-needs-actor",
        'shares_gpus and not hybrid and not trains_only and not managed_teacher and "actor" not in roles '
        "and resource is not None and (not is_sft or sft_predict_interval is not None)",
        "--colocate looks for the actor in --resource",
        378,
        rule="RLX412",
        flags=_RESOURCE,
        behind=(
            "resource-missing",
            "resource-not-object",
            "role-missing",
        ),
    ),
    _CONTROLLER.refuses(
        "controller-dp-size",
        "(is_sft or balance_data) and (debug_rollout_only or world_size % model_gpus == 0) "
        "and not (is_async and use_dynamic_batch_size) and resource is not None "
        'and (roles["actor"] if "actor" in roles else 1) // model_gpus <= 0',
        "the actor has fewer GPUs than one copy of its model ({model_gpus})",
        "relax/utils/utils.py:583",
        rule="RLX416",
        flags=_RESOURCE,
        behind=(
            "resource-actor-remainder",
            "mega-world-size",
            "resource-actor-negative",
            "role-missing",
            "resource-not-object",
            "resource-missing",
        ),
    ),
    _CONTROLLER.crashes(
        "storage-capacity-zero",
        "rollout_groups == 0 and not is_sft",
        "a rollout of 0 prompts: nothing can be stored",
        129,
        flags=("--rollout-batch-size", "--global-batch-size"),
    ),
    _CONTROLLER.ignores(
        "balance-data-async-dynamic",
        "is_async and use_dynamic_batch_size and balance_data and not is_sft",
        "--balance-data does nothing in asynchronous training with dynamic batches",
        137,
        modes=("async", "hybrid"),
        rule="RLX413",
        severity="A",
        flags=("--balance-data",),
    ),
    _CONTROLLER.crashes(
        "train-role-gpus",
        'mode == "async" and not debug_rollout_only and not trains_only and len(forward_roles_without_gpus) > 0',
        "--resource gives 0 GPUs to {forward_roles_without_gpus}, where log-probabilities are computed",
        "relax/distributed/ray/actor_group.py:52",
        modes=("async",),
        rule="RLX412",
        flags=_RESOURCE,
        behind=("async-with-colocate",),
    ),
    _CONTROLLER.refuses(
        "global-dataset-needed",
        "not is_sft and not rollout_global_dataset and not trains_only and default_rollout",
        "the built-in rollout needs the data set that --disable-rollout-global-dataset takes away",
        "relax/distributed/ray/rollout.py:1003",
        modes=RL,
        flags=("--disable-rollout-global-dataset",),
    ),
    _CONTROLLER.crashes(
        "wandb-group-missing",
        "use_wandb and wandb_random_suffix and wandb_group is None",
        "--use-wandb needs --wandb-group, or --disable-wandb-random-suffix",
        "relax/utils/metrics/adapters/wandb.py:49",
        flags=("--use-wandb",),
    ),
)

TEACHERS: tuple[Constraint, ...] = (
    _OPD.crashes(
        "teacher-gpus-zero",
        _TEACHERS + "teacher_gpus == 0",
        "--resource gives the teacher 0 GPUs, by which Relax divides",
        219,
        modes=RL,
        flags=_RESOURCE,
        rule="RLX412",
    ),
    _OPD.refuses(
        "teacher-replica-split",
        _TEACHERS + "opd_teacher_routes is None and teacher_gpus > 0 and teacher_num_gpus_per_engine is not None "
        "and teacher_num_gpus_per_engine > 0 and teacher_gpus % teacher_num_gpus_per_engine != 0",
        "the teacher's {teacher_gpus} GPUs are no multiple of --teacher-num-gpus-per-engine "
        "{teacher_num_gpus_per_engine}",
        219,
        modes=RL,
        flags=("--teacher-num-gpus-per-engine",),
    ),
    _OPD.refuses(
        "mopd-teacher-split",
        _TEACHERS + "is_object(routes) and routes and teacher_gpus % len(routes) != 0",
        "the {teacher_gpus} GPUs of the teachers cannot be shared evenly",
        273,
        modes=RL,
        flags=("--opd-teacher-routes",),
    ),
    _OPD.refuses(
        "mopd-replica-split",
        _TEACHERS + "is_object(routes) and routes and teacher_num_gpus_per_engine is not None "
        "and teacher_num_gpus_per_engine > 0 and (teacher_gpus // len(routes)) % teacher_num_gpus_per_engine != 0",
        "each teacher's GPUs are no multiple of --teacher-num-gpus-per-engine {teacher_num_gpus_per_engine}",
        283,
        modes=RL,
        flags=("--teacher-num-gpus-per-engine",),
    ),
    _OPD.refuses(
        "mopd-colocate-only",
        _TEACHERS + "opd_teacher_routes is not None and not (shares_gpus and not hybrid "
        'and "actor" in roles and "rollout" in roles)',
        "several teachers need --colocate, and an actor and a rollout in --resource",
        297,
        modes=RL,
        flags=("--opd-teacher-routes",),
    ),
    _OPD.refuses(
        "opd-topk-allgather-cp",
        'use_opd and not is_sft and opd_token_selection in ("student_topk", "teacher_topk", "union") and allgather_cp',
        "--opd-token-selection {opd_token_selection} does not work with --allgather-cp",
        970,
        modes=RL,
        flags=("--opd-token-selection",),
    ),
    _OPD.crashes(
        "opd-route-key-missing",
        "",
        "a row names no teacher of --opd-teacher-routes",
        "relax/engine/rollout/on_policy_distillation.py:75",
        modes=RL,
        static="needs the data",
    ),
)

ENGINE_COUNTS: tuple[Constraint, ...] = (
    _ROLLOUT.refuses(
        "rollout-gpus-positive",
        "runs_engines and sglang_config is None and prefill_num_servers is None "
        "and (rollout_final is None or rollout_final <= 0)",
        "the rollout has no GPUs",
        95,
        flags=("--rollout-num-gpus", "--resource"),
        behind=(
            "debug-rollout-gpus-zero",
            "colocate-rollout-gpus",
            "resource-actor-zero",
            "resource-entry",
        ),
        rule="RLX412",
    ),
    _ROLLOUT.refuses(
        "prefill-leaves-no-decode",
        "runs_engines and prefill_num_servers is not None and sglang_config is None "
        "and rollout_final - prefill_num_servers * rollout_num_gpus_per_engine <= 0",
        "--prefill-num-servers {prefill_num_servers} leaves no GPUs to decode",
        200,
        flags=("--prefill-num-servers",),
    ),
    _ROLLOUT.refuses(
        "sglang-config-gpus",
        "",
        "the groups of --sglang-config do not add up to the rollout's GPUs",
        3846,
        static="needs the file",
    ),
    _ROLLOUT.refuses(
        "slime-router-pd",
        "use_slime_router and prefill_num_servers is not None and sglang_router_ip is None",
        "--use-slime-router does not separate prefill from decode",
        3630,
        flags=("--use-slime-router",),
    ),
    _ROLLOUT.crashes(
        "engine-size-zero",
        "runs_engines and sglang_config is None and rollout_num_gpus_per_engine <= 0",
        "--rollout-num-gpus-per-engine {rollout_num_gpus_per_engine} is not above 0",
        3799,
        rule="RLX416",
        flags=("--rollout-num-gpus-per-engine",),
    ),
    _ROLLOUT.crashes(
        "engine-count-zero",
        "runs_engines and sglang_config is None and rollout_final is not None and rollout_final > 0 "
        "and rollout_final < rollout_num_gpus_per_engine",
        "the rollout's {rollout_final} GPUs hold no engine of {rollout_num_gpus_per_engine}",
        3799,
        rule="RLX416",
        flags=("--rollout-num-gpus-per-engine",),
        behind=("colocate-rollout-gpus",),
    ),
    _ROLLOUT.crashes(
        "engine-incomplete",
        "runs_engines and sglang_config is None and rollout_final is not None "
        "and rollout_num_gpus_per_engine > num_gpus_per_node and rollout_final > rollout_num_gpus_per_engine "
        "and rollout_final % rollout_num_gpus_per_engine != 0",
        "the rollout's {rollout_final} GPUs are no multiple of --rollout-num-gpus-per-engine "
        "{rollout_num_gpus_per_engine}: the last engine waits for nodes that are not there",
        3799,
        rule="RLX416",
        flags=("--rollout-num-gpus-per-engine",),
        behind=("colocate-rollout-gpus",),
    ),
    _ROLLOUT.ignores(
        "rollout-gpus-not-multiple",
        "runs_engines and sglang_config is None and rollout_final is not None and engine_gpus > 0 "
        "and rollout_num_gpus_per_engine <= num_gpus_per_node and rollout_final > engine_gpus "
        "and rollout_final % engine_gpus != 0",
        "the rollout's {rollout_final} GPUs are no multiple of --rollout-num-gpus-per-engine "
        "{rollout_num_gpus_per_engine}: the rest idles",
        3799,
        rule="RLX416",
        flags=("--rollout-num-gpus-per-engine",),
        severity="E",
        behind=("colocate-rollout-gpus",),
    ),
    _ROLLOUT.crashes(
        "genrm-engines-zero",
        "genrm_model_path is not None and genrm_total < min(genrm_num_gpus_per_engine, num_gpus_per_node)",
        "the judge's {genrm_total} GPUs hold no engine of {genrm_num_gpus_per_engine}",
        "relax/distributed/ray/genrm.py:45",
        flags=("--genrm-num-gpus-per-engine", "--genrm-num-gpus"),
        behind=(
            "genrm-role",
            "genrm-colocate-split",
        ),
    ),
)
