"""Before the checks: the command line's own oddities, the checkpoint's configuration, GPUs from ``--resource``."""

from __future__ import annotations

from relax_lint.constraints.schema import Constraint, section

_PARSE = section("resource", "relax/utils/arguments.py")
_GPUS = section("resource", "relax/backends/megatron/arguments.py")
_ENGINES = section("resource", "relax/backends/sglang/arguments.py")

RESOURCE: tuple[Constraint, ...] = (
    _ENGINES.crashes(
        "sglang-pp-zero",
        "not trains_only and (sglang_pipeline_parallel_size == 0)",
        "an engine's pipeline of 0 stages divides by zero",
        352,
        flags=("--sglang-pipeline-parallel-size",),
    ),
    _PARSE.ignores(
        "router-flags-shadowed",
        "len(shadowed_flags) > 0",
        "{shadowed_flags}: the engines' parser writes the same setting afterwards, with its own default: use the "
        "--sglang-router- spelling",
        2333,
        by_default=True,
    ),
    _PARSE.ignores(
        "polling-mode-bool",
        'given("--polling-mode") and polling_mode',
        "every value but an empty one turns polling on, False too",
        143,
    ),
    _GPUS.crashes(
        "yaml-cfg-missing",
        "yaml_cfg is not None and not yaml_cfg_readable",
        "Megatron's --yaml-cfg {yaml_cfg} cannot be read",
        "megatron/training/yaml_arguments.py:492",
    ),
    _GPUS.crashes(
        "rank-variables",
        '(env("RANK") is not None and not is_integer(env("RANK"))) '
        'or (env("WORLD_SIZE") is not None and not is_integer(env("WORLD_SIZE")))',
        "RANK and WORLD_SIZE of the environment are read as numbers",
        "megatron/training/arguments.py:114",
        by_default=True,
    ),
    _GPUS.refuses(
        "hf-rope-fusion",
        "not skips_hf_check and apply_rope_fusion and multimodal_checkpoint",
        "fused rotary embedding does not fit the multi-axis one of multimodal models: add --no-rope-fusion",
        142,
        flags=("--hf-checkpoint",),
    ),
    _GPUS.refuses(
        "hf-norm-eps",
        'not skips_hf_check and "rms_norm_eps" in text_model and text_model["rms_norm_eps"] != layernorm_epsilon',
        "--norm-epsilon {layernorm_epsilon} differs from rms_norm_eps of the checkpoint",
        172,
        rule="RLX418",
        flags=("--norm-epsilon", "--hf-checkpoint"),
    ),
    _PARSE.refuses(
        "resource-spelling",
        "resource_fault is not None",
        "--resource {resource_fault}",
        55,
        rule="RLX412",
        flags=("--resource",),
    ),
    _PARSE.refuses(
        "ref-actor-config-spelling",
        "ref_actor_config_fault is not None",
        "--ref-actor-config {ref_actor_config_fault}",
        60,
        rule="RLX411",
        flags=("--ref-actor-config",),
    ),
    _PARSE.refuses(
        "kl-loss-type-choice",
        "kl_loss_type_fault is not None",
        "--kl-loss-type: {kl_loss_type_fault}",
        1450,
        rule="RLX417",
        flags=("--kl-loss-type",),
    ),
    _GPUS.crashes(
        "resource-not-object",
        "is_number(resource) or resource is True or resource is False or resource_is_no_object",
        "--resource is a JSON object of role to [1, GPUs]",
        232,
        rule="RLX412",
        flags=("--resource",),
    ),
    _GPUS.crashes(
        "resource-entry-shape",
        "len(bad_entries) > 0",
        "--resource: the entry of {bad_entries} is not [1, GPUs]",
        233,
        flags=("--resource",),
        rule="RLX412",
    ),
    _GPUS.crashes(
        "resource-entry-type",
        "len(bad_entries) == 0 and (not is_number(actor_entry) if actor_entry is not None else False)",
        "--resource: the actor's GPUs are no number",
        235,
        flags=("--resource",),
        rule="RLX412",
    ),
    _GPUS.crashes(
        "resource-actor-zero",
        "len(bad_entries) == 0 and is_number(actor_entry) and min(num_gpus_per_node, actor_entry) == 0",
        "the actor has 0 GPUs, by which Relax divides",
        236,
        flags=("--resource", "--num-gpus-per-node"),
        rule="RLX412",
    ),
    _GPUS.crashes(
        "resource-actor-negative",
        "len(bad_entries) == 0 and is_number(actor_entry) and actor_entry < 0",
        "--resource: the actor has {actor_entry} GPUs",
        236,
        rule="RLX412",
        flags=("--resource",),
    ),
    _GPUS.overwrites(
        "resource-actor-remainder",
        "actor_by_resource and actor_entry > num_gpus_per_node and actor_entry % num_gpus_per_node != 0",
        "the actor's {actor_entry} GPUs are no whole nodes of {num_gpus_per_node}: Relax checks sizes and batches for "
        "{actor_total}, and starts all; give it a multiple",
        236,
        flags=("--resource",),
        rule="RLX412",
        severity="E",
    ),
    _GPUS.ignores(
        "resource-actor-ignored",
        "actor_entry is not None and not actor_by_resource "
        "and actor_num_gpus_per_node * actor_num_nodes != actor_entry",
        "the actor's GPU flags ({actor_total}), not --resource ({actor_entry}), decide what is validated",
        237,
        flags=("--actor-num-gpus-per-node", "--actor-num-nodes", "--resource"),
    ),
    _GPUS.ignores(
        "actor-gpus-flags-default",
        'actor_by_resource and given("--actor-num-gpus-per-node", "--actor-num-nodes") and actor_entry != 8',
        "8 GPUs on 1 node count as unset, so --resource replaces them by {actor_entry}",
        237,
    ),
    _GPUS.ignores(
        "resource-rollout-ignored",
        'rollout_num_gpus is not None and "rollout" in roles and roles["rollout"] != rollout_num_gpus',
        "--rollout-num-gpus {rollout_num_gpus} counts, not the rollout in --resource, which is placed all the same",
        249,
        flags=("--rollout-num-gpus",),
    ),
    _GPUS.ignores(
        "resource-genrm-ignored",
        '"genrm" in roles and genrm_num_gpus != 1 and genrm_num_gpus != roles["genrm"]',
        "--genrm-num-gpus {genrm_num_gpus} is taken, not the genrm entry of --resource",
        270,
        flags=("--genrm-num-gpus",),
    ),
    _GPUS.overwrites(
        "genrm-num-gpus-one",
        'given("--genrm-num-gpus") and genrm_num_gpus == 1 and "genrm" in roles and roles["genrm"] != 1',
        "--genrm-num-gpus 1 counts as unset and is replaced by --resource",
        270,
    ),
    _GPUS.crashes(
        "critic-train-only-no-critic",
        "critic_train_only and (critic_nodes is None or critic_per_node is None)",
        "--critic-train-only multiplies critic GPUs that are not given",
        289,
    ),
    _GPUS.overwrites(
        "distributed-optimizer-forced",
        'given("--use-distributed-optimizer")',
        "the distributed optimizer is always on",
        190,
        severity="A",
    ),
    _GPUS.overwrites(
        "bf16-forced",
        'given("--bf16")',
        "bf16 is on unless --fp16 is given, whose opposite it is",
        192,
        severity="A",
    ),
    _GPUS.ignores(
        "max-position-embeddings-forced",
        'given("--max-position-embeddings")',
        "it is always replaced by the sequence length ({sequence_length})",
        196,
    ),
    _GPUS.overwrites(
        "dist-ckpt-pre-mcore-014-forced",
        'given("--dist-ckpt-save-pre-mcore-014")',
        "it is always on",
        198,
        severity="A",
    ),
    _GPUS.crashes(
        "vocab-padding-zero",
        "vocab_size and not padded_vocab_size and make_vocab_size_divisible_by * tensor_model_parallel_size == 0",
        "the vocabulary is padded to a multiple of 0",
        204,
        flags=("--tensor-model-parallel-size", "--make-vocab-size-divisible-by"),
        behind=("mega-parallel-zero",),
    ),
    _GPUS.crashes(
        "hf-config-unreadable",
        "",
        "the checkpoint has no configuration that transformers can read",
        280,
        static="needs the checkpoint, local or on the hub",
    ),
    _GPUS.refuses(
        "hf-arch-mismatch",
        "",
        "an architecture flag differs from the checkpoint's configuration",
        158,
        static="needs the checkpoint's config.json, and the comparison is dead with the Megatron that Relax pins",
    ),
)
"""In Relax's order."""
