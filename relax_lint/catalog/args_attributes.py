"""Attributes of args that no flag sets: those that Relax sets itself, and those that it reads if somebody does."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from relax_lint.project import Project

SET_BY_RELAX = frozenset(
    (
        *("eval_datasets", "use_critic", "_genrm_colocate_with_rollout", "rank", "world_size", "data_parallel_size"),
        *("transformer_pipeline_model_parallel_size", "virtual_pipeline_model_parallel_size", "params_dtype"),
        *("use_dist_ckpt", "variable_seq_lengths", "consumed_train_samples", "consumed_valid_samples"),
        *(
            "skipped_train_samples",
            "sglang_dp_size",
            "sglang_ep_size",
            "sglang_tp_size",
            "coordinator_url",
            "tq_config",
        ),
        *("num_rollout_per_epoch", "opd_teacher_urls", "opd_teacher_routes_map", "is_vl_model", "uses_unsplit_forward"),
        *("tq_config", "rollout_service_url", "use_gloo_process_groups"),
    )
)
"""Of Relax of July 2026, by its argument code, controller, placement and rollout, and by Megatron's checks."""
READ_IF_SET = frozenset(
    (
        *("dcs_recv_weight_meta_wait_timeout_s", "eviction_check_interval", "genrm_ray_num_gpus", "max_num_agents"),
        *("opd_teacher_connector_limit", "scale_out_max_concurrent_weight_syncs", "sft_eval_chunk_drain_timeout_sec"),
        *("enable_gloo_process_groups", "keep_quantization_config", "moe_use_legacy_grouped_gemm"),
    )
)
"""What Relax takes a default for, unless a config sets it."""
OF_NAMESPACES = frozenset({"_get_kwargs", "_get_args"})

_FILES = (
    *("relax/utils/arguments.py", "relax/backends/megatron/arguments.py", "relax/backends/sglang/arguments.py"),
    *("relax/core/controller.py", "relax/distributed/ray/placement_group.py", "relax/distributed/ray/rollout.py"),
)
_SETS = re.compile(
    rb"\b(?:args|config)\.([A-Za-z_]\w*)\s*(?::[^=\n]+)?=(?!=)|\bsetattr\(\s*(?:args|config),\s*[\"'](\w+)[\"']"
)


def set_by_relax(project: Project) -> frozenset[str]:
    """What the Relax at hand sets, a newer one's too."""
    root = project.relax_root
    return SET_BY_RELAX if root is None else SET_BY_RELAX | _read(tuple(_texts(project, root)))


def _texts(project: Project, root: Path) -> list[bytes]:
    return [project.read(root / path) or b"" for path in _FILES]


@lru_cache(maxsize=2)
def _read(texts: tuple[bytes, ...]) -> frozenset[str]:
    found = (name for text in texts for names in _SETS.findall(text) for name in names)
    return frozenset(name.decode() for name in found if name)
