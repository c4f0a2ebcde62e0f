"""What Megatron's own validation refuses, in its order: parallel sizes, batches, pipeline, optimizer and precision."""

from __future__ import annotations

from relax_lint.constraints.schema import Constraint, section

_S = section("megatron", "megatron/training/arguments.py")
_DYNAMIC = section("megatron", "relax/backends/megatron/arguments.py")
_NO_PIPELINE_FLAGS = (
    "num_layers_per_virtual_pipeline_stage is None and num_virtual_stages_per_pipeline_rank is None "
    "and pipeline_model_parallel_layout is None and hybrid_pattern is None"
)
_NOT_GIVEN_WITH_PATTERN = (
    "num_layers_per_virtual_pipeline_stage is not None or num_virtual_stages_per_pipeline_rank is not None "
    "or pipeline_model_parallel_layout is not None or account_for_embedding_in_pipeline_split "
    "or account_for_loss_in_pipeline_split"
)

CONTEXT_PARALLEL: tuple[Constraint, ...] = (
    _DYNAMIC.refuses(
        "dcp-dynamic-batch",
        "dynamic_context_parallel and not use_dynamic_batch_size",
        "--dynamic-context-parallel needs --use-dynamic-batch-size",
        34,
        flags=("--dynamic-context-parallel",),
    ),
    _DYNAMIC.refuses(
        "dcp-context-len",
        "dynamic_context_parallel and not rollout_max_context_len",
        "--dynamic-context-parallel needs --rollout-max-context-len",
        35,
        flags=("--dynamic-context-parallel",),
    ),
    _DYNAMIC.refuses(
        "dcp-max-tokens",
        "dynamic_context_parallel and not max_tokens_per_gpu",
        "--dynamic-context-parallel needs --max-tokens-per-gpu",
        38,
        flags=("--dynamic-context-parallel",),
    ),
    _DYNAMIC.overwrites(
        "dcp-overrides-cp",
        'dynamic_context_parallel and given("--context-parallel-size")',
        "--dynamic-context-parallel works the context parallel size out ({context_parallel})",
        41,
        flags=("--context-parallel-size",),
    ),
    _DYNAMIC.refuses(
        "dcp-world-size",
        "dynamic_context_parallel and world_size % model_gpus != 0",
        "tensor × pipeline × context parallel = {model_gpus}, with the {context_parallel} that the longest "
        "sample needs, does not divide the actor's {world_size} GPUs",
        43,
        flags=("--dynamic-context-parallel",),
        behind=("resource-actor-remainder",),
    ),
)

SIZES: tuple[Constraint, ...] = (
    _S.refuses(
        "mega-local-checkpoints",
        'non_persistent_ckpt_type is not None and non_persistent_ckpt_type != "global"',
        "--non-persistent-ckpt-type {non_persistent_ckpt_type} does not work: global does",
        308,
    ),
    _S.crashes(
        "mega-heterogeneous-file",
        "heterogeneous_layers_config_path is not None and heterogeneous_layers_config_encoded_json is None "
        "and not heterogeneous_readable",
        "--heterogeneous-layers-config-path cannot be read",
        151,
    ),
    _S.crashes(
        "mega-heterogeneous-json",
        "heterogeneous_layers_config_encoded_json is not None "
        "and (not is_json(heterogeneous_layers_config_encoded_json) "
        "or not is_object(json(heterogeneous_layers_config_encoded_json)))",
        "--heterogeneous-layers-config-encoded-json is no JSON object",
        155,
    ),
    _S.crashes(
        "mega-heterogeneous-keys",
        "heterogeneous_layers_config_encoded_json is not None and heterogeneous_fault is not None",
        "--heterogeneous-layers-config-encoded-json: {heterogeneous_fault}",
        159,
    ),
    _S.refuses(
        "mega-heterogeneous-differs",
        "heterogeneous_layers_config_encoded_json is not None and heterogeneous_fault is None and (not swiglu "
        'or normalization != "RMSNorm" or not group_query_attention or position_embedding_type != "rope" '
        "or rotary_percent != 1 or not use_rope_scaling or not use_rotary_position_embeddings "
        'or json(heterogeneous_layers_config_encoded_json)["num_hidden_layers"] != num_layers '
        'or json(heterogeneous_layers_config_encoded_json)["hidden_size"] != hidden_size '
        'or json(heterogeneous_layers_config_encoded_json)["num_attention_heads"] != num_attention_heads '
        'or json(heterogeneous_layers_config_encoded_json)["rope_theta"] != rotary_base '
        'or json(heterogeneous_layers_config_encoded_json)["rope_scaling"]["factor"] != rope_scaling_factor '
        'or bool(json(heterogeneous_layers_config_encoded_json)["tie_word_embeddings"]) '
        "== untie_embeddings_and_output_weights)",
        "--heterogeneous-layers-config-encoded-json describes another model than the flags",
        202,
        flags=("--heterogeneous-layers-config-encoded-json",),
    ),
    _S.refuses(
        "mega-legacy-format",
        'use_legacy_models and ckpt_format != "torch"',
        "--use-legacy-models knows --ckpt-format torch only",
        326,
    ),
    _S.crashes(
        "mega-parallel-zero",
        "model_gpus == 0",
        "a parallel size of 0 divides by zero",
        338,
        flags=("--tensor-model-parallel-size", "--pipeline-model-parallel-size", "--context-parallel-size"),
        rule="RLX416",
    ),
    _S.refuses(
        "mega-world-size",
        "model_gpus != 0 and world_size % model_gpus != 0",
        "tensor {tensor_model_parallel_size} × pipeline {pipeline_model_parallel_size} × context {context_parallel} "
        "= {model_gpus} does not divide the actor's {world_size} GPUs",
        339,
        rule="RLX416",
        flags=("--resource", "--tensor-model-parallel-size"),
        by_default=True,
        behind=(
            "resource-actor-remainder",
            "dcp-world-size",
            "resource-actor-negative",
        ),
    ),
    _S.refuses(
        "mega-attention-backend-local",
        'attention_backend == "local" and (spec is None or spec[0] != "local")',
        "--attention-backend local needs --spec local",
        342,
    ),
    _S.refuses(
        "mega-hierarchical-product",
        "hierarchical_context_parallel_sizes and context_parallel != context_parallel_product",
        "--hierarchical-context-parallel-sizes multiply to {context_parallel_product}, not to {context_parallel}",
        517,
    ),
    _S.refuses(
        "mega-hierarchical-missing",
        'cp_comm_type is not None and "a2a+p2p" in cp_comm_type and hierarchical_context_parallel_sizes is None',
        "--cp-comm-type a2a+p2p needs --hierarchical-context-parallel-sizes",
        519,
    ),
    _S.refuses(
        "mega-batch-size", "batch_size is not None", "--batch-size is gone: --micro-batch-size took its place", 527
    ),
    _S.refuses("mega-warmup", "warmup is not None", "--warmup is gone: --lr-warmup-fraction took its place", 531),
    _S.refuses(
        "mega-model-parallel-size",
        "model_parallel_size is not None",
        "--model-parallel-size is gone: --tensor-model-parallel-size took its place",
        535,
        flags=("--model-parallel-size",),
    ),
    _S.refuses(
        "mega-checkpoint-activations",
        "checkpoint_activations",
        "--checkpoint-activations ends the run at once, and with status 0: --recompute-activations took its place",
        540,
    ),
    _S.refuses(
        "mega-cuda-graph-old",
        '(enable_cuda_graph or external_cuda_graph) and (cuda_graph_impl != "none" '
        "or (enable_cuda_graph and external_cuda_graph))",
        "only one of --enable-cuda-graph, --external-cuda-graph and --cuda-graph-impl",
        555,
    ),
    _S.refuses(
        "mega-data-path-twice",
        "data_path is not None and data_args_path is not None",
        "--data-path and --data-args-path exclude each other",
        597,
    ),
    _S.refuses(
        "mega-split-data-path-twice",
        "(train_data_path is not None or valid_data_path is not None or test_data_path is not None) "
        "and per_split_data_args_path is not None",
        "paths for each split and --per-split-data-args-path exclude each other",
        607,
    ),
    _S.crashes(
        "mega-phase-transitions",
        "phase_transition_iterations and bad_transitions",
        "--phase-transition-iterations is numbers with commas between them",
        618,
    ),
    _S.refuses(
        "mega-phase-rampup",
        "phase_transition_iterations and rampup_batch_size is not None",
        "--phase-transition-iterations and --rampup-batch-size exclude each other",
        621,
    ),
    _S.refuses(
        "mega-micro-batch-positive",
        "micro_batch_size is None or micro_batch_size <= 0",
        "--micro-batch-size {micro_batch_size} is not above 0",
        626,
    ),
    _S.refuses(
        "mega-global-batch-positive",
        "step_batch is not None and step_batch <= 0",
        "a global batch of {step_batch} samples",
        631,
        flags=("--global-batch-size", "--num-steps-per-rollout", "--rollout-batch-size", "--n-samples-per-prompt"),
    ),
    _S.crashes(
        "mega-no-replica",
        "world_size % model_gpus == 0 and (world_size == 0 or eval_micro_batch_size == 0)",
        "Megatron divides the batch by 0 samples",
        638,
        flags=("--eval-micro-batch-size", "--actor-num-nodes", "--actor-num-gpus-per-node"),
    ),
    _S.refuses(
        "mega-eval-batch",
        "world_size % model_gpus == 0 and (train_batch if eval_global_batch_size is None "
        "else eval_global_batch_size) % ((micro_batch_size if eval_micro_batch_size is None "
        "else eval_micro_batch_size) * data_parallel_size) != 0",
        "the global batch {train_batch} is no multiple of micro batch {micro_batch_size} × data parallel "
        "{data_parallel_size}",
        639,
        rule="RLX416",
        flags=("--eval-global-batch-size", "--global-batch-size", "--rollout-batch-size"),
        by_default=True,
        behind=(
            "resource-actor-remainder",
            "mega-world-size",
            "steps-global-batch",
            "rollout-minis-divide-total",
            "async-static-batch-zero",
            "resource-actor-negative",
            "batch-splits-prompts",
            "async-batch-groups",
        ),
    ),
)

PIPELINE: tuple[Constraint, ...] = (
    _S.refuses(
        "mega-hybrid-pattern-twice",
        "hybrid_override_pattern is not None and hybrid_layer_pattern is not None",
        "--hybrid-override-pattern is the old name of --hybrid-layer-pattern: give one",
        676,
    ),
    _S.refuses(
        "mega-hybrid-pattern",
        "hybrid_pattern is not None and bad_hybrid_pattern",
        "the pattern of a hybrid model is M, G, *, - and E, with | between stages and equal depths behind /",
        "megatron/core/ssm/mamba_hybrid_layer_allocation.py:283",
        flags=("--hybrid-layer-pattern", "--hybrid-override-pattern"),
    ),
    _S.refuses(
        "mega-hybrid-pattern-pipes",
        "hybrid_pattern is not None and hybrid_segments > 1 "
        "and (decoder_first_pipeline_num_layers is not None or decoder_last_pipeline_num_layers is not None)",
        "a pattern with | already says which layers the first and last stage have",
        742,
    ),
    _S.refuses(
        "mega-hybrid-pattern-virtual",
        f"hybrid_pattern is not None and ({_NOT_GIVEN_WITH_PATTERN})",
        "a hybrid pattern says itself how layers are divided",
        752,
    ),
    _S.refuses(
        "mega-hybrid-pattern-stages",
        "hybrid_pattern is not None and not (hybrid_segments == 1 and pipeline_model_parallel_size > 1) "
        "and hybrid_segments % pipeline_model_parallel_size != 0",
        "{hybrid_segments} segments are no multiple of the pipeline's {pipeline_model_parallel_size} stages",
        785,
    ),
    _S.refuses(
        "mega-mtp-position",
        'mtp_num_layers and position_embedding_type not in ("rope", "none")',
        "--mtp-num-layers needs --position-embedding-type rope or none; --use-rotary-position-embeddings is too late",
        818,
        flags=("--mtp-num-layers",),
    ),
    _S.refuses(
        "mega-mtp-legacy", "mtp_num_layers and use_legacy_models", "legacy models have no --mtp-num-layers", 815
    ),
    _S.refuses(
        "mega-vpp-exclusive",
        "int(num_layers_per_virtual_pipeline_stage is not None) "
        "+ int(num_virtual_stages_per_pipeline_rank is not None) + int(pipeline_model_parallel_layout is not None) > 1",
        "only one of --num-layers-per-virtual-pipeline-stage, --num-virtual-stages-per-pipeline-rank and "
        "--pipeline-model-parallel-layout",
        850,
    ),
    _S.refuses(
        "mega-layout-invalid",
        "pipeline_model_parallel_layout is not None and layout_stages is None",
        "--pipeline-model-parallel-layout is made of E, L, t and m, with | between stages",
        "megatron/core/transformer/pipeline_parallel_layer_layout.py:315",
    ),
    _S.refuses(
        "mega-layout-divides-pp",
        "pipeline_model_parallel_layout is not None and layout_stages % pipeline_model_parallel_size != 0",
        "{layout_stages} stages are no multiple of --pipeline-model-parallel-size {pipeline_model_parallel_size}",
        868,
        flags=("--pipeline-model-parallel-layout",),
    ),
    _S.crashes(
        "mega-vpp-zero",
        "num_layers_per_virtual_pipeline_stage == 0 and num_virtual_stages_per_pipeline_rank is None",
        "--num-layers-per-virtual-pipeline-stage 0 divides by zero",
        903,
    ),
    _S.refuses(
        "mega-vpp-uneven",
        "num_layers_per_virtual_pipeline_stage is not None and num_virtual_stages_per_pipeline_rank is None "
        "and (decoder_first_pipeline_num_layers is not None or decoder_last_pipeline_num_layers is not None "
        "or pipeline_layers % pipeline_model_parallel_size != 0 or (pipeline_layers // pipeline_model_parallel_size) "
        "% num_layers_per_virtual_pipeline_stage != 0)",
        "{pipeline_layers} layers do not divide evenly into stages of {num_layers_per_virtual_pipeline_stage}",
        880,
        flags=("--num-layers-per-virtual-pipeline-stage",),
    ),
    _S.refuses(
        "mega-layers-divide-pp",
        f"{_NO_PIPELINE_FLAGS} and decoder_first_pipeline_num_layers is None "
        "and decoder_last_pipeline_num_layers is None and num_layers is not None "
        "and pipeline_layers % pipeline_model_parallel_size != 0",
        "{pipeline_layers} layers do not divide into {pipeline_model_parallel_size} pipeline stages",
        933,
        rule="RLX416",
        flags=("--pipeline-model-parallel-size", "--num-layers"),
        behind=("mega-world-size",),
    ),
    _S.refuses(
        "mega-vpp-needs-pp",
        "virtual_stages is not None and (pipeline_model_parallel_size <= 1 if overlap_p2p_comm "
        "else pipeline_model_parallel_size <= 2)",
        "virtual stages need more than {pipeline_model_parallel_size} pipeline stages",
        938,
    ),
    _S.refuses(
        "mega-overlap-param-gather",
        "overlap_param_gather and not overlap_grad_reduce",
        "--overlap-param-gather needs --overlap-grad-reduce",
        971,
    ),
    _S.refuses(
        "mega-overlap-legacy",
        "overlap_param_gather and use_legacy_models",
        "--overlap-param-gather does not work with legacy models",
        974,
    ),
    _S.refuses(
        "mega-torch-fsdp2",
        "use_torch_fsdp2",
        "--use-torch-fsdp2 excludes the distributed optimizer, which Relax always uses",
        984,
    ),
    _S.refuses(
        "mega-overlap-param-gather-step",
        "overlap_param_gather_with_optimizer_step and (not overlap_param_gather or virtual_stages is None "
        "or saves_distributed)",
        "--overlap-param-gather-with-optimizer-step needs --overlap-param-gather, virtual stages and "
        "--ckpt-format torch",
        1017,
    ),
    _S.refuses("mega-fp4-fp8", "fp4 and fp8", "--fp4-format and --fp8-format exclude each other", 1064),
    _S.refuses("mega-fp4-gather", "fp4_param_gather and not fp4", "--fp4-param-gather needs --fp4-format", 1071),
    _S.refuses(
        "mega-mxfp8-inference",
        "",
        "mxfp8 with inference-optimized layers needs FlashInfer 0.6.4, which is not there",
        1084,
        static="depends on FlashInfer's version",
    ),
    _S.refuses(
        "mega-fsdp-optimizer",
        'use_megatron_fsdp and optimizer not in ("sgd", "adam")',
        "--use-megatron-fsdp works with sgd and adam",
        1103,
    ),
    _S.refuses(
        "mega-fsdp-hashes",
        'use_megatron_fsdp and data_parallel_sharding_strategy == "optim_grads_params" '
        "and check_weight_hash_across_dp_replicas_interval is not None",
        "--check-weight-hash-across-dp-replicas-interval does not work with sharded parameters",
        1116,
    ),
    _S.refuses(
        "mega-fsdp-connections",
        'use_megatron_fsdp and env("CUDA_DEVICE_MAX_CONNECTIONS") == "1"',
        "--use-megatron-fsdp does not run with CUDA_DEVICE_MAX_CONNECTIONS=1, which Relax sets",
        1121,
    ),
    _S.refuses(
        "mega-fsdp-format",
        'use_megatron_fsdp and ckpt_format != "fsdp_dtensor"',
        "--use-megatron-fsdp needs --ckpt-format fsdp_dtensor",
        1125,
    ),
    _S.refuses(
        "mega-fsdp-registration",
        "fsdp_manual_registration and not (use_megatron_fsdp and nccl_ub)",
        "--fsdp-manual-registration needs --use-megatron-fsdp and --nccl-ub",
        1130,
    ),
    _S.refuses(
        "mega-main-grads",
        "not fp16 and accumulate_allreduce_grads_in_fp32 and not main_gradients_fp32",
        "--accumulate-allreduce-grads-in-fp32 needs --main-grads-dtype fp32",
        1154,
        flags=("--main-grads-dtype",),
    ),
    _S.refuses(
        "mega-graph-nan",
        'graphs == "local" and "full_iteration" in cuda_graph_scope and check_nan',
        "a graph of the full iteration needs --no-check-for-nan-in-loss-and-grad",
        1164,
    ),
    _S.refuses(
        "mega-graph-inference-fp8",
        'graphs == "local" and "full_iteration_inference" in cuda_graph_scope and fp8 is not None '
        'and (transformer_impl != "inference_optimized" or fp8_recipe != "mxfp8")',
        "fp8 with this graph needs --transformer-impl inference_optimized and --fp8-recipe mxfp8",
        1173,
    ),
    _S.refuses(
        "mega-graph-count",
        'graphs == "local" and inference_dynamic_batching_num_cuda_graphs <= 0 '
        "and inference_dynamic_batching_num_cuda_graphs != -1",
        "--inference-dynamic-batching-num-cuda-graphs is -1 or above 0",
        1183,
    ),
)
