"""Which flags, roles and variables play which part in Relax (July 2026), as far as the launcher rules ask."""

from __future__ import annotations

import re

DEBUG_FLAGS = ("--debug-rollout-only", "--debug-train-only", "--load-debug-rollout-data")
"""Runs that look into one half of the machinery; not trainings."""

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
