"""Which flags, roles and variables play which part in Relax (July 2026), as far as the launcher rules ask."""

from __future__ import annotations

import re

GUIDE_OPTIMIZER_FLAGS = (
    "--optimizer-cpu-offload",
    "--overlap-cpu-optimizer-d2h-h2d",
    "--use-precision-aware-optimizer",
)
"""What the guide wants in every reinforcement-learning launch."""

DEBUG_FLAGS = ("--debug-rollout-only", "--debug-train-only", "--load-debug-rollout-data")
"""Runs that look into one half of the machinery; not trainings."""

FORWARD_ROLES = ("reference", "actor_fwd")
"""The services that ``--ref-actor-config`` speaks to."""

FORWARD_CONFIG_OVERWRITTEN: dict[str, str] = {
    "max_tokens_per_gpu": "both services take log_probs_max_tokens_per_gpu instead",
    "only_load_weight": "both services set it themselves",
}
"""Keys of ``--ref-actor-config`` that Relax sets again right after it has read them."""

PARALLEL_SIZES = (
    "tensor_model_parallel_size",
    "pipeline_model_parallel_size",
    "context_parallel_size",
    "expert_model_parallel_size",
    "expert_tensor_parallel_size",
)
"""Keys of ``--ref-actor-config`` that divide a model, as the flags of the actor do."""

ENTRYPOINT_VARIABLES = frozenset(
    {
        "CUDA_DEVICE_MAX_CONNECTIONS", "HAS_NVLINK", "INDEXER_ROPE_NEOX_STYLE", "MASTER_ADDR", "MKL_NUM_THREADS",
        "NCCL_NVLS_ENABLE", "NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME", "NVSHMEM_DISABLE_NCCL",
        "NVTE_CUTLASS_GROUPED_GEMM_WARN_FALLBACK", "NVTE_USE_CUTLASS_GROUPED_GEMM", "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS", "PYTHONPATH", "PYTHONUNBUFFERED", "RAY_OVERRIDE_JOB_RUNTIME_ENV",
        "SGLANG_DEEPEP_NUM_MAX_DISPATCH_TOKENS_PER_RANK", "SGLANG_HEALTH_CHECK_TIMEOUT",
    }
)  # fmt: skip
"""What ``scripts/entrypoint`` provides for every worker by itself."""

KNOWN_ENVIRONMENT = re.compile(
    r"""
    MODEL_DIR | DATA_DIR | SAVE_DIR | EXP_DIR | MODE | MODEL_CONFIG_DIR | MODEL_ARGS | RUNTIME_ENV_JSON | MEGATRON
    | RELAX | RELAX_\w+ | RAY_\w+ | NUM_GPUS | HOST_IP | MASTER_ADDR | MASTER_PORT | WORLD_SIZE | RANK | LOCAL_RANK
    | NODE_RANK | NNODES | CUDA_\w+ | NCCL_\w+ | NVIDIA_\w+ | ASCEND_\w+ | HCCL_\w+ | SGLANG_\w+ | WANDB_\w+
    | HF_\w+ | HUGGINGFACE_\w+ | TRANSFORMERS_\w+ | SLURM_\w+ | KUBERNETES_\w+ | PYTHON\w+ | CONDA_\w+ | VIRTUAL_ENV
    | OMP_\w+ | MKL_\w+ | XDG_\w+ | LC_\w+ | HOME | USER | LOGNAME | HOSTNAME | PATH | PWD | OLDPWD | SHELL | TERM
    | LANG | TMPDIR | EDITOR | HTTP_PROXY | HTTPS_PROXY | NO_PROXY | LD_LIBRARY_PATH | HAS_NVLINK
    | S?RANDOM | SECONDS | EPOCHSECONDS | EPOCHREALTIME | LINENO | E?UID | PPID | BASHPID | BASH_\w+ | SHLVL | FUNCNAME
    | PIPESTATUS | GROUPS | DIRSTACK | IFS | REPLY | OPTARG | OPTIND | HOSTTYPE | MACHTYPE | OSTYPE | COLUMNS | LINES
    """,
    re.VERBOSE,
)
"""Names that bash, the machine, the entry points and the guide's conventions set for a launcher (whole names)."""
