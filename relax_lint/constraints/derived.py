"""Values that Relax and Megatron derive from the arguments before they check them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from relax_lint.catalog.hidden import UNKNOWN, Hidden
from relax_lint.constraints import arithmetic, roles
from relax_lint.constraints.documents import custom_config_fault, eval_config_fault
from relax_lint.constraints.expressions import Expression, Failed, NotKnown
from relax_lint.constraints.spelling import fault_of, json_fault_of
from relax_lint.patterns import pattern
from relax_lint.records import record

if TYPE_CHECKING:
    from relax_lint.constraints.facts import Facts


@record
class Function:
    """A derived value that is worked out in Python; ``reads`` names what it asks for."""

    reads: tuple[str, ...]
    of: Callable[[Facts], Any]


def _roles(facts: Facts) -> dict[str, Any]:
    """The GPUs of each role by ``--resource``; an entry that is no pair stays as it is."""
    resource = facts["resource"]
    if not isinstance(resource, dict):
        return {}
    return {
        role: entry[1] if isinstance(entry, list) and len(entry) == 2 else entry for role, entry in resource.items()
    }


def _bad_entries(facts: Facts) -> list[str]:
    """The roles that Relax reads at once and whose entry is no pair."""
    resource = facts["resource"]
    if not isinstance(resource, dict):
        return []
    read = ("actor", "rollout", "critic", "genrm")
    return [role for role in read if role in resource and not (_is_pair(resource[role]))]


def _is_pair(entry: object) -> bool:
    return isinstance(entry, list | str | dict) and len(entry) == 2


def _dynamic_context_parallel(facts: Facts) -> Any:
    """With dynamic context parallelism Relax takes the power of two that the longest sample needs."""
    if not facts["dynamic_context_parallel"]:
        return facts["context_parallel_size"]
    per_gpu = facts["max_tokens_per_gpu"]
    parts = (facts["rollout_max_context_len"] + per_gpu - 1) // per_gpu
    return 1 << (parts - 1).bit_length()


_MULTIMODAL = pattern(r"-vl|qwen3\.[56]|kimi-k2\.[56]|omni", re.IGNORECASE)


def _multimodal(facts: Facts) -> Any:
    """Whether the checkpoint is of a family that Relax sees as multimodal; not known for other names."""
    config = facts.get("checkpoint")
    if isinstance(config, dict):
        return "text_config" in config or "thinker_config" in config
    path = facts["hf_checkpoint"]
    if isinstance(path, str) and _MULTIMODAL.search(path):
        return True
    raise NotKnown(UNKNOWN)


def _unknown_media(facts: Facts) -> list[str]:
    """The keys of ``--multimodal-keys`` that are no media type."""
    keys = facts["multimodal_keys"]
    return [key for key in keys if key not in ("image", "video", "audio")] if isinstance(keys, dict) else []


def _bad_agent_env(facts: Facts) -> str | None:
    """The first entry of ``--agent-env`` that is not ``KEY=VALUE``, or whose key is Relax's own."""
    for item in facts["agent_env"] or ():
        key, equals, _ = str(item).partition("=")
        if not equals or not key.strip() or key.strip().startswith("RELAX_"):
            return str(item)
    return None


_REPEATED = (re.compile(r"\(([^)]+)\)\*(\d+)"), re.compile(r"(.)\*(\d+)"))


def _layout_stages(facts: Facts) -> int | None:
    """How many stages ``--pipeline-model-parallel-layout`` describes; ``None`` when it is not valid."""
    layout = str(facts["pipeline_model_parallel_layout"]).replace(",", "")
    for repeated in _REPEATED:
        layout = repeated.sub(lambda found: found[1] * min(int(found[2]), 10_000), layout)
    return layout.count("|") + 1 if set(layout) <= set("ELtm|") else None


def _hybrid_pattern(facts: Facts) -> Any:
    """The layers of a hybrid model, with its predicted depths behind slashes."""
    pattern = facts["hybrid_layer_pattern"]
    if facts["hybrid_override_pattern"] is not None:
        pattern = facts["hybrid_override_pattern"]
    own, depths = facts["mtp_hybrid_override_pattern"], facts["mtp_num_layers"]
    if own is not None and depths is not None and depths > 0 and (pattern is None or "/" not in pattern):
        pattern = (pattern or "") + "/" + "/".join([own] * depths)
    return pattern


def _bad_hybrid_pattern(facts: Facts) -> bool:
    """Whether a hybrid pattern has layers that do not exist, or depths that differ."""
    main, *depths = str(facts["hybrid_pattern"]).split("/")
    if not set(main) <= set("MG*-E|"):
        return True
    return any(depths) and (len(set(depths)) > 1 or not set(depths[0]) <= set("MG*-E"))


def _hybrid_segments(facts: Facts) -> int:
    return str(facts["hybrid_pattern"]).split("/")[0].count("|") + 1


def _virtual_stages(facts: Facts) -> int | None:
    """The virtual pipeline stages of each rank; ``None`` for one."""
    pipeline = facts["pipeline_model_parallel_size"]
    stages: int | None = None
    if facts["pipeline_model_parallel_layout"] is not None:
        stages = facts["layout_stages"] // pipeline
    elif facts["num_virtual_stages_per_pipeline_rank"] is not None:
        stages = facts["num_virtual_stages_per_pipeline_rank"]
    elif facts["num_layers_per_virtual_pipeline_stage"] is not None:
        stages = facts["pipeline_layers"] // pipeline // facts["num_layers_per_virtual_pipeline_stage"]
    elif facts["hybrid_pattern"] is not None and facts["hybrid_segments"] > pipeline:
        return int(facts["hybrid_segments"] // pipeline)
    return None if stages == 1 else stages


def _uneven_stages_fault(facts: Facts) -> str | None:
    """Why the layers that are left by the first and the last stage do not fit the others."""
    own = [
        facts[f"decoder_{end}_pipeline_num_layers"]
        for end in ("first", "last")
        if facts[f"decoder_{end}_pipeline_num_layers"] is not None
    ]
    layers = facts["layers"] - sum(own)
    stages = facts["pipeline_model_parallel_size"] - len(own)
    virtual = facts["virtual_stages"] or 1
    if any(count <= 0 for count in own):
        return "a stage of 0 layers"
    if bool(layers) != bool(stages) or layers < 0 or (stages and layers % stages):
        return f"{layers} layers are left for {stages} stages"
    if any(count % virtual for count in [*own, *([layers // stages] if stages else [])]):
        return f"the layers of a stage are no multiple of its {virtual} virtual stages"
    if facts["account_for_embedding_in_pipeline_split"] or facts["account_for_loss_in_pipeline_split"]:
        return "stages of given size do not account for the embedding or the loss"
    return None


def _bad_transitions(facts: Facts) -> bool:
    """Whether ``--phase-transition-iterations`` holds something that is no number."""
    try:
        return not [int(part) for part in str(facts["phase_transition_iterations"]).split(",")]
    except ValueError:
        return True


def _product(facts: Facts) -> int:
    product = 1
    for size in facts["hierarchical_context_parallel_sizes"] or ():
        product *= size
    return product


def _shadowed(facts: Facts) -> list[str]:
    """The flags whose setting the engines' parser writes again."""
    return facts.namespace.shadowed("main", "sglang")


def _engine_flags(facts: Facts) -> list[str]:
    """The flags of the engines in a launch that starts none."""
    launch, flags = facts.namespace.launch, facts.namespace.parsers.catalogue.flags
    return [
        argument.flag
        for argument in launch.arguments
        if (found := flags(argument.flag)) and all(flag.parser in ("sglang", "teacher") for flag in found)
    ]


def _readable(dest: str) -> Function:
    return Function((dest,), lambda facts: facts.asked(facts.around.is_readable, dest))


def _exists(dest: str) -> Function:
    return Function((dest,), lambda facts: facts.asked(facts.around.exists, dest))


def _document(dest: str) -> Function:
    return Function((dest,), lambda facts: facts.asked(facts.around.document, dest))


def _checkpoint(facts: Facts) -> Any:
    """The configuration of the model that ``--hf-checkpoint`` names."""
    return facts.asked(facts.around.checkpoint, "hf_checkpoint")


def _text_model(facts: Facts) -> Any:
    """The part of a checkpoint's configuration that is about its language model."""
    config = facts["checkpoint"]
    for part in ("thinker_config", "text_config"):
        config = config.get(part, config)
    return config


def _eval_config_fault(facts: Facts) -> str | None:
    return eval_config_fault(facts.asked(facts.around.document, "eval_config"))


def _resource_has(facts: Facts) -> bool:
    """Whether ``--resource`` is a list or a text that holds the name of a role, which Relax then takes for a key."""
    resource = facts["resource"]
    roles = ("actor", "rollout", "critic", "genrm")
    return isinstance(resource, list | str) and any(role in resource for role in roles)


_HETEROGENEOUS_KEYS = (
    "hidden_act", "block_configs", "num_hidden_layers", "hidden_size", "num_attention_heads", "tie_word_embeddings",
    "rope_theta", "rope_scaling",
)  # fmt: skip


def _heterogeneous_fault(facts: Facts) -> str | None:
    """What a configuration of layers that differ lacks."""
    config = json.loads(facts["heterogeneous_layers_config_encoded_json"])
    missing = [key for key in _HETEROGENEOUS_KEYS if key not in config]
    if missing:
        return f"it has no {missing[0]}"
    return None if config["hidden_act"] == "silu" else "its hidden_act is not silu"


def _routes(facts: Facts) -> Any:
    try:
        return json.loads(facts["opd_teacher_routes"])
    except (ValueError, TypeError, RecursionError):
        return None


def _json_fault(option: str, dest: str) -> Function:
    return Function((dest,), lambda facts: json_fault_of(facts, option))


OPTIMIZER_FLAGS = ("--optimizer-cpu-offload", "--overlap-cpu-optimizer-d2h-h2d", "--use-precision-aware-optimizer")
"""What the guide wants in every reinforcement-learning launch."""
_OPTIMIZER = {flag: flag.removeprefix("--").replace("-", "_") for flag in OPTIMIZER_FLAGS}


def _missing_optimizer_flags(facts: Facts) -> list[str]:
    """The flags of these three that are not there."""
    return [flag for flag, name in _OPTIMIZER.items() if not facts[name]]


_VIRTUAL = (
    "pipeline_model_parallel_layout", "num_virtual_stages_per_pipeline_rank", "num_layers_per_virtual_pipeline_stage",
    "pipeline_model_parallel_size", "hybrid_pattern", "pipeline_layers", "layout_stages", "hybrid_segments",
)  # fmt: skip
_HYBRID = ("hybrid_layer_pattern", "hybrid_override_pattern", "mtp_hybrid_override_pattern", "mtp_num_layers")

DERIVED: Mapping[str, str | Function] = {
    # how it runs
    "is_sft": 'loss_type in ("sft", "sft_loss", "sft-loss")',
    "mode": '"sft" if is_sft else "hybrid" if hybrid else "async" if fully_async else "colocate" if colocate '
    'else "separate"',
    "trains_only": "debug_train_only or load_debug_rollout_data is not None",
    "shares_gpus": "hybrid or (colocate and not debug_rollout_only)",
    "is_async": "hybrid or fully_async",
    "uses_kl": "not is_sft and (use_kl_loss or kl_coef != 0)",
    "skips_hf_check": "debug_rollout_only or skip_hf_validate or not hf_checkpoint",
    "checkpoint": Function(("hf_checkpoint",), _checkpoint),
    "text_model": Function(("checkpoint",), _text_model),
    "multimodal_checkpoint": Function(("checkpoint",), _multimodal),
    "engine_flags": Function((), _engine_flags),
    "shadowed_flags": Function((), _shadowed),
    # GPUs
    "roles": Function(("resource",), _roles),
    "resource_is_no_object": Function(("resource",), _resource_has),
    "bad_entries": Function(("resource",), _bad_entries),
    "resource_fault": _json_fault("--resource", "resource"),
    "ref_actor_config_fault": _json_fault("--ref-actor-config", "ref_actor_config"),
    "kl_loss_type_fault": Function(("kl_loss_type",), lambda facts: fault_of(facts, "--kl-loss-type")),
    "missing_optimizer_flags": Function(tuple(_OPTIMIZER.values()), _missing_optimizer_flags),
    "actor_entry": 'roles["actor"] if "actor" in roles else None',
    "actor_by_resource": "actor_entry is not None and actor_num_gpus_per_node == 8 and actor_num_nodes == 1",
    "actor_per_node": "min(num_gpus_per_node, actor_entry) if actor_by_resource else actor_num_gpus_per_node",
    "actor_nodes": "max(1, actor_entry // actor_per_node) if actor_by_resource else actor_num_nodes",
    "actor_total": "actor_nodes * actor_per_node",
    "rollout_total": 'rollout_num_gpus if rollout_num_gpus is not None else roles["rollout"] if "rollout" in roles '
    "else None",
    "critic_by_resource": 'critic_num_gpus_per_node is None and critic_num_nodes is None and "critic" in roles',
    "critic_per_node": 'min(num_gpus_per_node, roles["critic"]) if critic_by_resource else critic_num_gpus_per_node',
    "critic_nodes": '(max(1, roles["critic"] // critic_per_node) if critic_per_node > 0 else 0) if critic_by_resource '
    "else critic_num_nodes",
    "genrm_total": 'roles["genrm"] if "genrm" in roles and genrm_num_gpus == 1 else genrm_num_gpus',
    "world_size": "critic_nodes * critic_per_node if critic_train_only else actor_total",
    "context_parallel": Function(
        ("dynamic_context_parallel", "context_parallel_size", "max_tokens_per_gpu", "rollout_max_context_len"),
        _dynamic_context_parallel,
    ),
    "model_gpus": "tensor_model_parallel_size * pipeline_model_parallel_size * context_parallel",
    "data_parallel_size": "world_size // model_gpus",
    "expert_tensor_parallel": "expert_tensor_parallel_size if expert_tensor_parallel_size is not None "
    "else tensor_model_parallel_size",
    "managed_teacher": 'use_opd and not is_sft and opd_type == "sglang" and "teacher" in roles '
    "and (teacher_hf_checkpoint is not None or opd_teacher_routes is not None)",
    "routes": Function(("opd_teacher_routes",), _routes),
    "wanted_roles": Function((*roles.READS_OF_ROLES, "true_on_policy"), roles.wanted_roles),
    "created_roles": Function(("wanted_roles",), roles.created_roles),
    "missing_roles": Function(("wanted_roles",), roles.missing_roles),
    "idle_roles": Function(("wanted_roles",), roles.idle_roles),
    "misshapen_roles": Function(("created_roles", "bad_entries"), roles.misshapen_roles),
    "forward_roles_without_gpus": Function(("created_roles",), roles.forward_roles_without_gpus),
    "forward_roles": Function(("created_roles",), roles.forward_roles),
    "misfit_roles": Function(roles.READS_OF_FITTING, roles.misfit_roles),
    "starving_roles": Function(
        (*roles.READS_OF_FITTING, "train_batch", "num_iters_per_train_update", "n_samples_per_prompt"),
        roles.starving_roles,
    ),
    "dead_config_keys": Function(("ref_actor_config",), roles.dead_config_keys),
    "rollout_final": "actor_total if shares_gpus and not hybrid and not managed_teacher and genrm_model_path is None "
    "else rollout_total",
    "runs_engines": 'not trains_only and (not is_sft or sft_predict_interval is not None) and "rollout" in roles',
    "engine_tensor_parallel": "rollout_num_gpus_per_engine // max(1, sglang_pipeline_parallel_size) "
    "// (max(1, sglang_data_parallel_size) if sglang_enable_dp_attention else 1)",
    "engine_gpus": "min(rollout_num_gpus_per_engine, num_gpus_per_node)",
    "teacher_gpus": 'roles["teacher"] if "teacher" in roles else 0',
    "default_rollout": 'rollout_function_path == "relax.engine.rollout.sglang_rollout.generate_rollout" '
    "and not use_agentic_rollout",
    # batches
    "rollout_groups": "rollout_batch_size if rollout_batch_size is not None "
    "else global_batch_size // n_samples_per_prompt",
    "step_batch": "rollout_groups * n_samples_per_prompt // num_steps_per_rollout "
    "if num_steps_per_rollout is not None else global_batch_size",
    "train_batch": "step_batch if step_batch is not None else micro_batch_size * data_parallel_size",
    "rollout_samples": "rollout_groups * n_samples_per_prompt",
    "samples_sum": Function((*arithmetic.READS_OF_SAMPLES, "rollout_samples"), arithmetic.samples_sum),
    "batch_sum": Function(arithmetic.READS_OF_BATCH, arithmetic.batch_sum),
    "true_on_policy": "true_on_policy_mode or (not is_sft and fully_async and rollout_batch_size is not None "
    "and rollout_batch_size * n_samples_per_prompt == global_batch_size)",
    "plans_minis": '(mode in ("colocate", "separate") and not (partial_rollout and use_dynamic_global_batch_size)) '
    'or mode == "hybrid" or (mode == "async" and use_dynamic_batch_size)',
    "minis": "num_steps_per_rollout if num_steps_per_rollout is not None else rollout_samples // train_batch",
    "updates": "num_rollout * rollout_samples // train_batch",
    "decay_updates": "lr_decay_iters if lr_decay_iters is not None else updates",
    "warmup_updates": "lr_warmup_fraction * decay_updates if lr_warmup_fraction is not None else lr_warmup_iters",
    "initial_load": 'load or ref_load or hf_checkpoint if megatron_to_hf_mode == "bridge" else load or ref_load',
    "has_eval_data": "bool(eval_config) or bool(eval_prompt_data)",
    "unknown_media": Function(("multimodal_keys",), _unknown_media),
    "bad_agent_env": Function(("agent_env",), _bad_agent_env),
    # what Megatron makes of its flags
    "sequence_length": "seq_length if seq_length is not None else 4096",
    "experts": "num_experts or None",
    "layers": "num_layers if num_layers is not None else encoder_num_layers",
    "hybrid_pattern": Function(_HYBRID, _hybrid_pattern),
    "bad_hybrid_pattern": Function(("hybrid_pattern",), _bad_hybrid_pattern),
    "hybrid_segments": Function(("hybrid_pattern",), _hybrid_segments),
    "pipeline_layers": "(num_layers if num_layers is not None else decoder_num_layers) "
    "+ int(account_for_embedding_in_pipeline_split) + int(account_for_loss_in_pipeline_split)",
    "layout_stages": Function(("pipeline_model_parallel_layout",), _layout_stages),
    "virtual_stages": Function(_VIRTUAL, _virtual_stages),
    "uneven_stages_fault": Function(
        (
            "layers",
            "pipeline_model_parallel_size",
            "virtual_stages",
            "account_for_embedding_in_pipeline_split",
            "account_for_loss_in_pipeline_split",
            "decoder_first_pipeline_num_layers",
            "decoder_last_pipeline_num_layers",
        ),
        _uneven_stages_fault,
    ),
    "saves_distributed": 'ckpt_format != "torch"',
    "recompute": '"selective" if recompute_activations else recompute_granularity',
    "position_embedding": '"rope" if use_rotary_position_embeddings else position_embedding_type',
    "graphs": '"transformer_engine" if external_cuda_graph else "local" if enable_cuda_graph else cuda_graph_impl',
    "sequence_parallel_on": "sequence_parallel and tensor_model_parallel_size > 1",
    "layered_optimizer": 'optimizer not in ("sgd", "adam")',
    "main_gradients_fp32": 'main_grads_dtype == "fp32"',
    "check_nan": "check_for_nan_in_loss_and_grad and not (fp16 and not loss_scale)",
    "bad_transitions": Function(("phase_transition_iterations",), _bad_transitions),
    "context_parallel_product": Function(("hierarchical_context_parallel_sizes",), _product),
    # files
    "custom_config_readable": _readable("custom_config_path"),
    "custom_config": _document("custom_config_path"),
    "custom_config_fault": Function(("custom_config",), lambda facts: custom_config_fault(facts["custom_config"])),
    "eval_config_readable": _readable("eval_config"),
    "eval_config_fault": Function(("eval_config",), _eval_config_fault),
    "ref_load_exists": _exists("ref_load"),
    "teacher_load_exists": _exists("opd_teacher_load"),
    "agent_cwd_exists": Function(("agent_cwd",), lambda facts: facts.asked(facts.around.is_directory, "agent_cwd")),
    "yaml_cfg_readable": _readable("yaml_cfg"),
    "heterogeneous_fault": Function(("heterogeneous_layers_config_encoded_json",), _heterogeneous_fault),
    "heterogeneous_readable": _readable("heterogeneous_layers_config_path"),
}
"""By name: a formula over arguments and other derived values, or a function."""


@cache
def _expression(text: str) -> Expression:
    return Expression(text)


def compute(derived: str | Function, facts: Facts) -> Any:
    """The value of a derived name; hidden when what it reads is hidden, or does not fit its formula."""
    try:
        if isinstance(derived, Function):
            return derived.of(facts)
        return _expression(derived).value(facts.values)
    except NotKnown as unknown:
        return Hidden(unknown.hidden.words)  # what is known of an argument is not known of what is made of it
    except (Failed, TypeError, ValueError, ArithmeticError, LookupError, OverflowError):
        return UNKNOWN
