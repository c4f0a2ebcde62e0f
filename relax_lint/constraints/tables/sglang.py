"""Relax's checks of the engines, the last before the run starts."""

from __future__ import annotations

from relax_lint.constraints.schema import Constraint, section

_S = section("sglang", "relax/backends/sglang/arguments.py")

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
        fix="set --sglang-enable-dp-attention",
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
