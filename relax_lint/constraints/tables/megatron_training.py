"""What Megatron's own validation refuses, second half: schedule, model, checkpoints and the rest."""

from __future__ import annotations

from relax_lint.constraints.schema import Constraint, section

_S = section("megatron", "megatron/training/arguments.py")
_RELAX = section("megatron", "relax/backends/megatron/arguments.py")

SCHEDULE: tuple[Constraint, ...] = (
    _S.refuses(
        "mega-builder-threads",
        "num_dataset_builder_threads <= 0",
        "--num-dataset-builder-threads is not above 0",
        1196,
    ),
    _S.refuses(
        "mega-train-iters-exclusive",
        "train_iters and not skip_train and (train_samples is not None or lr_decay_samples is not None "
        "or lr_warmup_samples != 0 or rampup_batch_size is not None "
        "or (lr_warmup_fraction is not None and lr_warmup_iters != 0))",
        "--train-iters goes with nothing that counts samples, ramps up, or warms up twice",
        1207,
        flags=("--train-iters",),
    ),
    _S.refuses(
        "mega-train-samples-exclusive",
        "train_samples and not skip_train and (train_iters is not None or lr_decay_iters is not None "
        "or lr_warmup_iters != 0 or (lr_warmup_fraction is not None and lr_warmup_samples != 0))",
        "--train-samples goes with nothing that counts iterations, or warms up twice",
        1222,
        flags=("--train-samples",),
    ),
    _S.refuses(
        "mega-num-layers-twice",
        "num_layers is not None and encoder_num_layers is not None and hybrid_pattern is None",
        "--num-layers and --encoder-num-layers exclude each other",
        1234,
    ),
    _S.refuses(
        "mega-hybrid-encoder-layers",
        "hybrid_pattern is not None and encoder_num_layers is not None",
        "a hybrid pattern and --encoder-num-layers exclude each other",
        1234,
    ),
    _S.refuses(
        "mega-num-layers-missing",
        "layers is None and hybrid_pattern is None",
        "--num-layers is missing: is MODEL_ARGS passed?",
        1239,
        by_default=True,
    ),
    _S.refuses(
        "mega-hidden-size-missing",
        "hidden_size is None and not (layers is None and hybrid_pattern is None)",
        "--hidden-size is missing: is MODEL_ARGS passed?",
        1245,
        by_default=True,
    ),
    _S.refuses(
        "mega-heads-missing",
        "num_attention_heads is None and hidden_size is not None",
        "--num-attention-heads is missing: is MODEL_ARGS passed?",
        1245,
        by_default=True,
    ),
    _S.crashes(
        "mega-heads-zero",
        "kv_channels is None and num_attention_heads == 0",
        "--num-attention-heads 0 divides by zero",
        1262,
    ),
    _S.refuses(
        "mega-kv-channels",
        "kv_channels is None and num_attention_heads is not None and hidden_size is not None "
        "and num_attention_heads != 0 and hidden_size % num_attention_heads != 0",
        "--hidden-size {hidden_size} is no multiple of --num-attention-heads {num_attention_heads}",
        1262,
        flags=("--num-attention-heads",),
    ),
    _S.refuses(
        "mega-seq-length-cp",
        "context_parallel > 1 and sequence_length % (2 * context_parallel) != 0",
        "the sequence length {sequence_length} is no multiple of 2 × context parallel {context_parallel}",
        1266,
        flags=("--seq-length", "--context-parallel-size"),
        behind=("mega-world-size",),
    ),
    _S.refuses(
        "mega-encoder-seq-length",
        "encoder_seq_length is not None",
        "--encoder-seq-length does not go with the sequence length that Relax sets",
        1272,
    ),
    _S.refuses(
        "mega-decoder-seq-length",
        "decoder_seq_length is not None and sequence_length < decoder_seq_length",
        "--decoder-seq-length {decoder_seq_length} is above the sequence length {sequence_length}",
        1284,
    ),
    _S.refuses(
        "mega-min-lr",
        "lr is not None and not min_lr <= lr",
        "--min-lr {min_lr} is above --lr {lr}",
        1286,
        flags=("--min-lr", "--lr"),
    ),
    _S.refuses(
        "mega-save-needs-interval", "save is not None and save_interval is None", "--save needs --save-interval", 1288
    ),
    _S.refuses(
        "mega-save-interval-positive",
        "save is not None and save_interval is not None and save_interval <= 0",
        "--save-interval {save_interval} is not above 0",
        1289,
        flags=("--save-interval",),
    ),
    _S.refuses(
        "mega-save-retain",
        "save is not None and save_retain_interval is not None and save_interval is not None and save_interval > 0 "
        "and (save_retain_interval <= 0 or save_retain_interval % save_interval != 0)",
        "--save-retain-interval {save_retain_interval} is no multiple of --save-interval {save_interval}",
        1291,
        flags=("--save-retain-interval",),
    ),
    _S.crashes(
        "mega-log-interval-zero",
        "log_memory_interval is not None and log_interval == 0",
        "--log-interval 0 divides by zero",
        1294,
    ),
    _S.refuses(
        "mega-log-memory-interval",
        "log_memory_interval is not None and log_interval != 0 and log_memory_interval % log_interval != 0",
        "--log-memory-interval {log_memory_interval} is no multiple of --log-interval {log_interval}",
        1294,
        flags=("--log-memory-interval",),
    ),
    _S.refuses(
        "mega-fp16-lm-cross-entropy",
        "fp16_lm_cross_entropy and not fp16",
        "--fp16-lm-cross-entropy needs --fp16",
        1296,
    ),
    _S.refuses(
        "mega-no-weight-decay",
        'no_weight_decay_cond_type is not None and no_weight_decay_cond_type != "apply_wd_to_qk_layernorm"',
        "--no-weight-decay-cond-type {no_weight_decay_cond_type} is gone",
        1311,
    ),
    _S.refuses(
        "mega-wd-constant",
        '(weight_decay_incr_style == "constant" and (start_weight_decay is not None or end_weight_decay is not None)) '
        'or (weight_decay_incr_style != "constant" and (start_weight_decay is None or end_weight_decay is None))',
        "--start-weight-decay and --end-weight-decay belong, both, to a growing --weight-decay-incr-style",
        1318,
    ),
    _S.refuses(
        "mega-distribute-saved-activations",
        'distribute_saved_activations and (tensor_model_parallel_size <= 1 or recompute != "full" '
        "or recompute_method is None)",
        "--distribute-saved-activations needs tensor parallelism, --recompute-granularity full and --recompute-method",
        1337,
    ),
    _S.refuses(
        "mega-selective-recompute-method",
        'recompute == "selective" and recompute_method is not None',
        "--recompute-method does not go with selective recomputation",
        1353,
        flags=("--recompute-method",),
    ),
    _S.ignores(
        "mega-sequence-parallel-tp1",
        "sequence_parallel and tensor_model_parallel_size == 1",
        "--sequence-parallel does nothing without tensor parallelism",
        1361,
        flags=("--sequence-parallel",),
        severity="A",
    ),
    _S.refuses(
        "mega-tp-comm-overlap",
        "tp_comm_overlap and not sequence_parallel_on",
        "--tp-comm-overlap needs --sequence-parallel and tensor parallelism",
        1369,
    ),
    _S.refuses(
        "mega-dynamic-cp",
        "dynamic_context_parallel and (enable_cuda_graph or use_megatron_fsdp "
        'or dataloader_type not in (None, "single") or not calculate_per_token_loss '
        'or sequence_packing_scheduler not in (None, "default_dynamic_cp") '
        "or min_dynamic_context_parallel_size > data_parallel_size * context_parallel)",
        "--dynamic-context-parallel needs --calculate-per-token-loss, and no graphs, FSDP or other scheduler",
        1374,
        flags=("--dynamic-context-parallel",),
    ),
    _S.crashes(
        "mega-packing-length-missing",
        "sequence_packing_scheduler is not None and not dynamic_context_parallel and max_seqlen_per_dp_cp_rank is None",
        "--sequence-packing-scheduler needs --max-seqlen-per-dp-cp-rank",
        1417,
    ),
    _S.refuses(
        "mega-packing-scheduler",
        "(sequence_packing_scheduler is not None or dynamic_context_parallel) "
        'and (context_parallel if sequence_packing_scheduler == "dp_balanced" '
        "else data_parallel_size * context_parallel) * (max_tokens_per_gpu if dynamic_context_parallel "
        "else max_seqlen_per_dp_cp_rank) < sequence_length",
        "packed sequences do not hold one of {sequence_length} tokens",
        1417,
    ),
    _S.refuses(
        "mega-max-connections",
        "(tensor_model_parallel_size > 1 or context_parallel > 1) and not use_torch_fsdp2 and not use_megatron_fsdp "
        'and not overlap_moe_expert_parallel_comm and env("CUDA_DEVICE_MAX_CONNECTIONS") != "1"',
        "tensor and context parallelism need CUDA_DEVICE_MAX_CONNECTIONS=1 in the launch's environment",
        1449,
        flags=("--tensor-model-parallel-size", "--context-parallel-size"),
    ),
    _S.refuses(
        "mega-qk-clip",
        "qk_clip and not (0.0 < qk_clip_alpha < 1.0 and qk_clip_threshold > 0)",
        "--qk-clip needs an alpha between 0 and 1 and a threshold above 0",
        1469,
    ),
)

MODEL: tuple[Constraint, ...] = (
    _S.refuses(
        "mega-legacy",
        "use_legacy_models and (decoupled_lr is not None or decoupled_min_lr is not None or rotary_interleaved "
        "or context_parallel > 1 or saves_distributed)",
        "legacy models have none of this",
        1485,
        flags=("--use-legacy-models",),
    ),
    _S.refuses(
        "mega-position-embedding",
        'not add_position_embedding and position_embedding != "rope"',
        "--no-position-embedding is gone: --position-embedding-type none took its place",
        1501,
    ),
    _S.refuses(
        "mega-relative-position",
        'position_embedding == "relative" and transformer_impl != "transformer_engine"',
        "relative position embeddings need --transformer-impl transformer_engine",
        1505,
    ),
    _S.refuses(
        "mega-mrope",
        'position_embedding == "mrope" and mrope_section is None',
        "--position-embedding-type mrope needs --mrope-section",
        1512,
    ),
    _S.refuses(
        "mega-expert-parallel-dense",
        "expert_model_parallel_size > 1 and experts is None",
        "--expert-model-parallel-size {expert_model_parallel_size} without --num-experts",
        1528,
        flags=("--expert-model-parallel-size",),
        rule="RLX416",
    ),
    _S.refuses(
        "mega-expert-parallel",
        "expert_model_parallel_size > 1 and experts is not None and experts % expert_model_parallel_size != 0",
        "--num-experts {num_experts} is no multiple of --expert-model-parallel-size {expert_model_parallel_size}",
        1532,
        rule="RLX416",
        flags=("--expert-model-parallel-size",),
    ),
    _S.refuses("mega-ckpt-torch-dcp", 'ckpt_format == "torch_dcp"', "--ckpt-format torch_dcp needs torch's FSDP", 1551),
    _S.refuses(
        "mega-ckpt-fsdp",
        'ckpt_format == "fsdp_dtensor" and not use_megatron_fsdp',
        "--ckpt-format fsdp_dtensor needs --use-megatron-fsdp",
        1561,
    ),
    _S.refuses(
        "mega-one-data-source",
        "int(mock_data) + int(bool(data_path)) + int(bool(train_data_path) or bool(valid_data_path) "
        "or bool(test_data_path)) > 1",
        "Megatron takes a single source of data",
        1566,
    ),
    _S.refuses(
        "mega-fim",
        "fim_data and (mock_data or not fim_rate or not fim_spm_rate or fim_prefix_token is None "
        "or fim_middle_token is None or fim_suffix_token is None or fim_pad_token is None or fim_eod_token is None)",
        "--fim-data needs its rates and tokens",
        1573,
        flags=("--fim-data",),
    ),
    _S.refuses(
        "mega-deterministic",
        'deterministic_mode and (use_flash_attn or cross_entropy_loss_fusion or env("NCCL_ALGO") not in '
        '("Tree", "Ring", "CollnetDirect", "CollnetChain", "^NVLS"))',
        "--deterministic-mode excludes flash attention and fused cross entropy, and needs NCCL_ALGO",
        1589,
        flags=("--deterministic-mode",),
    ),
    _S.crashes(
        "mega-rejected-tracker", "", "--result-rejected-tracker-filename cannot be read", 1606, static="needs the file"
    ),
    _S.refuses(
        "mega-optimizer-emerging",
        'layered_optimizer and (use_megatron_fsdp or ckpt_format not in ("torch", "torch_dist"))',
        "--optimizer {optimizer} works with --ckpt-format torch and torch_dist only",
        1615,
        flags=("--optimizer",),
    ),
    _S.refuses(
        "mega-gloo-needs-dist-ckpt",
        "not use_gloo_process_groups and not layered_optimizer and (not saves_distributed "
        "or (dist_ckpt_optim_fully_reshardable and distrib_optim_fully_reshardable_mem_efficient))",
        "without Gloo process groups checkpoints must be distributed, and not memory-efficient",
        1643,
    ),
    _S.refuses(
        "mega-fake-process-group",
        'fake_process_group and moe_token_dispatcher_type == "flex"',
        "--fake-process-group does not go with the flex dispatcher",
        1651,
    ),
    _S.refuses(
        "mega-main-params",
        'load_main_params_from_ckpt and not (no_load_optim or (megatron_to_hf_mode != "bridge" and load is None))',
        "--load-main-params-from-ckpt needs --no-load-optim",
        1697,
        flags=("--load-main-params-from-ckpt",),
    ),
    _S.overwrites(
        "mega-async-save-worker",
        "async_save and saves_distributed and not use_persistent_ckpt_worker",
        "--async-save is switched off without --use-persistent-ckpt-worker",
        1699,
        flags=("--async-save",),
    ),
    _S.refuses(
        "mega-inference-threshold",
        'inference_batch_times_seqlen_threshold > -1 and (pipeline_model_parallel_size <= 1 or graphs != "none")',
        "--inference-batch-times-seqlen-threshold needs pipeline parallelism, and no graphs",
        1709,
    ),
    _S.refuses("mega-upcycling-save", "moe_use_upcycling and save is None", "--moe-use-upcycling needs --save", 1718),
    _S.refuses(
        "mega-cpu-offload",
        "optimizer_cpu_offload and not use_precision_aware_optimizer",
        "--optimizer-cpu-offload needs --use-precision-aware-optimizer",
        1744,
        rule="RLX406",
    ),
    _S.refuses(
        "mega-cpu-offload-fp8",
        'optimizer_cpu_offload and fp8_param_gather and fp8_recipe != "delayed"',
        "--optimizer-cpu-offload with --fp8-param-gather needs --fp8-recipe delayed",
        1748,
    ),
    _S.refuses(
        "mega-offload-optimizer-states",
        'offload_optimizer_states and (optimizer != "adam" or use_megatron_fsdp)',
        "--offload-optimizer-states works with adam only",
        1754,
    ),
    _S.refuses(
        "mega-replication",
        "replication",
        "--replication belongs to local checkpoints, which do not work here",
        1770,
    ),
    _S.refuses(
        "mega-delay-wgrad",
        'delay_wgrad_compute and transformer_impl != "transformer_engine"',
        "--delay-wgrad-compute needs --transformer-impl transformer_engine",
        1780,
    ),
    _S.refuses(
        "mega-delay-wgrad-graphs",
        "delay_wgrad_compute and overlap_grad_reduce "
        'and ("attn" in cuda_graph_scope or ("moe_router" in cuda_graph_scope '
        "and moe_shared_expert_intermediate_size is not None and not moe_shared_expert_overlap)) "
        "and (not gradient_accumulation_fusion "
        'or ("attn" in cuda_graph_scope and (add_bias_linear or add_qkv_bias)))',
        "graphs with --delay-wgrad-compute need fused gradient accumulation, and no attention bias",
        1793,
    ),
    _S.refuses(
        "mega-activation-offloading",
        'fine_grained_activation_offloading and (transformer_impl != "transformer_engine" '
        'or env("NVTE_CPU_OFFLOAD_V1") != "1")',
        "--fine-grained-activation-offloading needs --transformer-impl transformer_engine and NVTE_CPU_OFFLOAD_V1=1",
        1813,
    ),
    _S.refuses(
        "mega-graph-allocator",
        'graphs == "transformer_engine" and env("NCCL_GRAPH_REGISTER") != "0" '
        'and env("PYTORCH_CUDA_ALLOC_CONF") is not None '
        'and "expandable_segments:True" in env("PYTORCH_CUDA_ALLOC_CONF")',
        "graphs with expandable segments need NCCL_GRAPH_REGISTER=0",
        1842,
    ),
    _S.refuses(
        "mega-graph-full-scope",
        '"full" in cuda_graph_scope and len(cuda_graph_scope) > 1',
        "--cuda-graph-scope full stands alone",
        1853,
    ),
    _S.refuses(
        "mega-mla-gqa",
        "multi_latent_attention and group_query_attention",
        "--multi-latent-attention and --group-query-attention exclude each other",
        1862,
    ),
    _S.refuses(
        "mega-mla-fusion",
        "mla_down_proj_fusion and not multi_latent_attention",
        "--mla-down-proj-fusion needs --multi-latent-attention",
        1868,
    ),
    _S.refuses(
        "mega-moe-latent",
        "moe_latent_size is not None and (moe_latent_size <= 0 or experts is None or use_legacy_models)",
        "--moe-latent-size is above 0, and for models with experts that are not legacy",
        1874,
    ),
    _S.refuses(
        "mega-perform-rl-step",
        "perform_rl_step and (grpo_group_size * grpo_prompts_per_step * grpo_iterations % train_batch != 0 "
        'or ((rl_persist_cuda_graphs or rl_training_cuda_graphs) and graphs == "none") '
        'or (rl_kv_cache_management_mode == "offload" and not rl_persist_cuda_graphs) '
        "or (rl_num_parallel_generations is not None and (rl_num_parallel_generation_batches is not None "
        "or rl_parallel_generation_tasks is not None)) or ((rl_num_parallel_generations is not None "
        "or rl_num_parallel_generation_batches is not None) and not rl_partial_rollouts) "
        "or (rl_use_sequence_packing and micro_batch_size != 1) "
        'or (rl_kv_cache_management_mode == "offload" and inference_dynamic_batching_unified_memory_level > 0) '
        "or (rl_num_parallel_generations is not None and rl_num_parallel_generations % grpo_group_size != 0) "
        "or (exit_interval is not None and exit_interval * train_batch "
        "% (grpo_group_size * grpo_prompts_per_step * grpo_iterations) != 0) "
        "or (save_interval is not None and save_interval * train_batch "
        "% (grpo_group_size * grpo_prompts_per_step * grpo_iterations) != 0) "
        "or (skip_train and no_load_optim and rl_offload_optimizer_during_inference))",
        "--perform-rl-step is Megatron's own loop, which Relax does not run, and does not fit these batches",
        357,
        flags=("--perform-rl-step",),
    ),
    _RELAX.overwrites(
        "moe-allgather",
        'moe_token_dispatcher_type == "allgather" and given("--moe-token-dispatcher-type")',
        "allgather becomes alltoall, since sequences vary in length",
        85,
        flags=("--moe-token-dispatcher-type",),
    ),
    _RELAX.refuses(
        "pp-one-first-last",
        "pipeline_model_parallel_size == 1 and (decoder_first_pipeline_num_layers is not None "
        "or decoder_last_pipeline_num_layers is not None)",
        "the layers of the first and last stage need more than one stage",
        88,
        flags=("--decoder-first-pipeline-num-layers", "--decoder-last-pipeline-num-layers"),
    ),
    _RELAX.refuses(
        "cp-per-token-loss",
        "(context_parallel > 1 or dynamic_context_parallel) and not calculate_per_token_loss",
        "context parallelism needs --calculate-per-token-loss",
        96,
        flags=("--context-parallel-size", "--dynamic-context-parallel"),
    ),
)
