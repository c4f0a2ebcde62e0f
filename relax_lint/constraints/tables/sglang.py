"""Relax's checks of the engines, the last before the run starts."""

from __future__ import annotations

from relax_lint.constraints.schema import Constraint, section

_S = section("sglang", "relax/backends/sglang/arguments.py")
_MODELS = section("start", "sglang/srt/models/qwen3.py")

ENGINES: tuple[Constraint, ...] = (
    _S.refuses(
        "sglang-pp-divides",
        "sglang_pipeline_parallel_size > 1 and rollout_num_gpus_per_engine % sglang_pipeline_parallel_size != 0",
        "--rollout-num-gpus-per-engine {rollout_num_gpus_per_engine} is no multiple of the engine's "
        "{sglang_pipeline_parallel_size} pipeline stages",
        305,
        flags=("--rollout-num-gpus-per-engine", "--sglang-pipeline-parallel-size"),
    ),
    _S.ignores(
        "sglang-tp-overwritten",
        'given("--sglang-tensor-parallel-size", "--sglang-tp-size")',
        "the engine's tensor parallel size is --rollout-num-gpus-per-engine // pipeline stages",
        309,
    ),
    _S.refuses(
        "sglang-dp-attention",
        "sglang_data_parallel_size > 1 and not sglang_enable_dp_attention",
        "--sglang-data-parallel-size {sglang_data_parallel_size} needs --sglang-enable-dp-attention",
        314,
        flags=("--sglang-data-parallel-size",),
    ),
    _MODELS.crashes(
        "engine-heads",
        "runs_engines and sglang_config is None and num_attention_heads is not None and engine_tensor_parallel > 0 "
        "and num_attention_heads % engine_tensor_parallel != 0",
        "{num_attention_heads} attention heads cannot be divided among the {engine_tensor_parallel} GPUs that an "
        "engine gives to a layer (--rollout-num-gpus-per-engine {rollout_num_gpus_per_engine})",
        84,
        rule="RLX416",
        flags=("--rollout-num-gpus-per-engine",),
        behind=(
            "engine-count-zero",
            "engine-incomplete",
            "rollout-gpus-not-multiple",
            "sglang-pp-divides",
            "heads-divide-tp",
        ),
    ),
    _MODELS.crashes(
        "engine-query-groups",
        "runs_engines and sglang_config is None and group_query_attention and num_query_groups > 0 "
        "and engine_tensor_parallel > 0 and num_query_groups % engine_tensor_parallel != 0 "
        "and engine_tensor_parallel % num_query_groups != 0",
        "{num_query_groups} query groups are neither a multiple nor a divisor of the {engine_tensor_parallel} GPUs "
        "that an engine gives to a layer (--rollout-num-gpus-per-engine {rollout_num_gpus_per_engine})",
        90,
        rule="RLX416",
        flags=("--rollout-num-gpus-per-engine",),
        behind=(
            "engine-heads",
            "engine-count-zero",
            "engine-incomplete",
            "rollout-gpus-not-multiple",
            "sglang-pp-divides",
            "query-groups-vs-tp",
            "heads-divide-tp",
        ),
    ),
    _S.refuses(
        "prefill-vs-external",
        "prefill_num_servers is not None and rollout_external",
        "--prefill-num-servers does not go with external engines",
        320,
    ),
    _S.refuses(
        "sglang-config-vs-external",
        "sglang_config is not None and rollout_external",
        "--sglang-config does not go with external engines",
        324,
    ),
    _S.refuses(
        "sglang-config-vs-prefill",
        "sglang_config is not None and prefill_num_servers is not None",
        "--sglang-config and --prefill-num-servers exclude each other",
        328,
    ),
)
