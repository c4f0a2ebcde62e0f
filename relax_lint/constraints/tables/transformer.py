"""What the model itself refuses when the workers build it."""

from __future__ import annotations

from relax_lint.constraints.schema import Constraint, section

_C = section("train", "megatron/core/transformer/transformer_config.py")
_GROUPS = section("train", "megatron/core/parallel_state.py")
_TRAINS = "not debug_rollout_only and "
_RAW = _TRAINS + 'megatron_to_hf_mode != "bridge" and '

MODEL: tuple[Constraint, ...] = (
    _GROUPS.refuses(
        "expert-world-size",
        _TRAINS + "world_size % model_gpus == 0 "
        "and world_size % (expert_tensor_parallel * expert_model_parallel_size * pipeline_model_parallel_size) "
        "!= 0",
        "expert tensor {expert_tensor_parallel} × expert {expert_model_parallel_size} × pipeline "
        "{pipeline_model_parallel_size} does not divide the actor's {world_size} GPUs",
        787,
        rule="RLX416",
        flags=("--expert-model-parallel-size", "--expert-tensor-parallel-size", "--resource"),
        behind=(
            "resource-actor-remainder",
            "mega-world-size",
            "resource-actor-negative",
            "mega-expert-parallel-dense",
        ),
    ),
    _C.refuses(
        "heads-divide-tp",
        _TRAINS + "num_attention_heads is not None and num_attention_heads % tensor_model_parallel_size != 0",
        "{num_attention_heads} attention heads are no multiple of --tensor-model-parallel-size "
        "{tensor_model_parallel_size}",
        1189,
        rule="RLX416",
        flags=("--tensor-model-parallel-size",),
        behind=("mega-world-size",),
    ),
    _C.refuses(
        "query-groups-vs-tp",
        _TRAINS + "group_query_attention and num_query_groups > 0 "
        "and num_query_groups % tensor_model_parallel_size != 0 and tensor_model_parallel_size % num_query_groups != 0",
        "{num_query_groups} query groups are neither a multiple nor a divisor of --tensor-model-parallel-size "
        "{tensor_model_parallel_size}",
        1205,
        rule="RLX416",
        flags=("--tensor-model-parallel-size",),
        behind=(
            "mega-world-size",
            "heads-divide-tp",
        ),
    ),
    _C.refuses(
        "linear-attention-heads",
        _TRAINS + 'experimental_attention_variant == "gated_delta_net" and given("--linear-num-key-heads") '
        "and (linear_num_key_heads % (tensor_model_parallel_size * context_parallel) != 0 "
        "or linear_num_value_heads % (tensor_model_parallel_size * context_parallel) != 0)",
        "the heads of linear attention are no multiple of tensor {tensor_model_parallel_size} × context "
        "{context_parallel}",
        1250,
        rule="RLX416",
        flags=("--tensor-model-parallel-size",),
        behind=(
            "mega-world-size",
            "heads-divide-tp",
        ),
    ),
    _C.refuses(
        "recompute-full-needs-method",
        _TRAINS + 'recompute == "full" and (recompute_method is None or recompute_num_layers is None)',
        "--recompute-granularity full needs --recompute-method and --recompute-num-layers",
        1526,
        flags=("--recompute-granularity",),
    ),
    _C.refuses(
        "recompute-selective-layers",
        _TRAINS + 'recompute == "selective" and recompute_num_layers is not None',
        "--recompute-num-layers does not go with selective recomputation",
        1540,
        flags=("--recompute-num-layers",),
    ),
    _C.ignores(
        "recompute-no-effect",
        "recompute is None and (recompute_method is not None or recompute_num_layers is not None)",
        "nothing is recomputed without --recompute-granularity",
        1514,
        flags=("--recompute-method", "--recompute-num-layers"),
    ),
    _C.refuses(
        "distribute-activations-sp",
        _TRAINS + "distribute_saved_activations and sequence_parallel_on and recompute is not None",
        "--distribute-saved-activations and --sequence-parallel exclude each other",
        1547,
        flags=("--distribute-saved-activations",),
    ),
    _C.refuses(
        "deepep-needs-flex",
        _TRAINS + 'moe_enable_deepep and moe_token_dispatcher_type != "flex"',
        "--moe-enable-deepep needs --moe-token-dispatcher-type flex",
        1413,
        flags=("--moe-enable-deepep",),
    ),
    _C.refuses(
        "shared-expert-overlap",
        _TRAINS + "moe_shared_expert_overlap and moe_shared_expert_intermediate_size is not None "
        'and moe_token_dispatcher_type not in ("alltoall", "allgather")',
        "--moe-shared-expert-overlap needs the alltoall dispatcher",
        1442,
        flags=("--moe-shared-expert-overlap",),
    ),
    _C.refuses(
        "expert-bias-score",
        _TRAINS + 'moe_router_enable_expert_bias and moe_router_score_function not in ("sigmoid", "sqrtsoftplus")',
        "--moe-router-enable-expert-bias needs --moe-router-score-function sigmoid",
        2124,
        flags=("--moe-router-enable-expert-bias",),
    ),
    _C.refuses(
        "moe-bias-etp",
        _RAW + "experts is not None and add_bias_linear and expert_tensor_parallel != 1",
        "experts with a bias need --expert-tensor-parallel-size 1",
        2120,
        flags=("--expert-tensor-parallel-size", "--num-experts"),
    ),
    _C.refuses(
        "moe-ffn-without-experts",
        _RAW + "experts is None and moe_ffn_hidden_size is not None and is_number(moe_layer_freq) "
        "and moe_layer_freq <= 1",
        "--moe-ffn-hidden-size without --num-experts",
        1392,
        flags=("--moe-ffn-hidden-size",),
    ),
    _C.crashes(
        "moe-tp-needs-sequence-parallel",
        _TRAINS + "experts is not None and tensor_model_parallel_size > 1 and not sequence_parallel",
        "experts with tensor parallelism need --sequence-parallel",
        "megatron/core/transformer/moe/moe_layer.py:619",
        flags=("--tensor-model-parallel-size",),
    ),
    _C.refuses(
        "overlap-moe-comm",
        _TRAINS + "overlap_moe_expert_parallel_comm and ((pipeline_model_parallel_size > 1 and virtual_stages is None) "
        'or expert_model_parallel_size <= 1 or recompute == "full" or recompute_method is not None '
        "or recompute_num_layers is not None "
        'or (recompute_modules is not None and "moe" in recompute_modules) '
        "or moe_shared_expert_overlap "
        "or mtp_num_layers not in (None, 1) or (mtp_num_layers == 1 and pipeline_model_parallel_size <= 1))",
        "--overlap-moe-expert-parallel-comm needs expert parallelism, virtual stages with a pipeline, and nothing "
        "recomputed in full",
        2403,
        flags=("--overlap-moe-expert-parallel-comm",),
    ),
    _C.refuses(
        "uneven-pipeline",
        _TRAINS + "pipeline_model_parallel_size > 1 and (decoder_first_pipeline_num_layers is not None "
        "or decoder_last_pipeline_num_layers is not None) and uneven_stages_fault is not None",
        "{uneven_stages_fault}",
        1764,
        rule="RLX416",
        flags=("--decoder-first-pipeline-num-layers", "--decoder-last-pipeline-num-layers"),
    ),
    _C.refuses(
        "cpu-offloading-layers",
        _TRAINS + "cpu_offloading_num_layers > 0 and (cpu_offloading_num_layers >= num_layers "
        "or pipeline_model_parallel_size > 1 or recompute is not None)",
        "--cpu-offloading-num-layers is below --num-layers, without pipeline or recomputation",
        1498,
        flags=("--cpu-offloading-num-layers",),
    ),
)
