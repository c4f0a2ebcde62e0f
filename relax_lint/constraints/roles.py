"""Which roles a launch starts, with how many GPUs each, and whether their models fit them."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import TYPE_CHECKING, Any

from relax_lint.catalog.hidden import is_hidden

if TYPE_CHECKING:
    from relax_lint.constraints.facts import Facts

_PARALLEL = ("tensor_model_parallel_size", "pipeline_model_parallel_size", "context_parallel_size")
_OF_EXPERTS = ("expert_tensor_parallel_size", "expert_model_parallel_size", "pipeline_model_parallel_size")
FORWARD_ROLES = ("reference", "actor_fwd")
"""The services that ``--ref-actor-config`` speaks to."""
OVERWRITTEN_KEYS = {
    "max_tokens_per_gpu": "both services take log_probs_max_tokens_per_gpu instead",
    "only_load_weight": "both services set it themselves",
}
"""Keys of ``--ref-actor-config`` that Relax sets again right after it has read them."""
READS_OF_ROLES = ("roles", "mode", "debug_rollout_only", "trains_only", "sft_predict_interval", "genrm_model_path")
"""What decides which roles there are."""
READS_OF_FITTING = (
    "created_roles", "ref_actor_config", *_PARALLEL, "expert_tensor_parallel", "expert_model_parallel_size",
)  # fmt: skip


def wanted_roles(facts: Facts) -> list[str]:
    """The roles that the mode has; those that ``--resource`` does not name are left out with a warning."""
    if facts["debug_rollout_only"]:
        roles = ["rollout"]
    elif facts["trains_only"]:
        roles = ["actor"]
    elif facts["mode"] == "sft":
        roles = ["sft", "actor", *(["rollout"] if _is_there(facts, "sft_predict_interval") else [])]
    elif facts["mode"] == "async":
        roles = ["actor", "rollout", "advantages", "reference", *([] if facts["true_on_policy"] else ["actor_fwd"])]
    else:
        roles = ["actor", "rollout"]
    return [*roles, "genrm"] if _is_there(facts, "genrm_model_path") else roles


def _is_there(facts: Facts, name: str) -> bool:
    """Whether an argument is given anything at all, known or not."""
    value = facts.get(name)
    return True if is_hidden(value) and value.present else facts[name] is not None


def created_roles(facts: Facts) -> dict[str, Any]:
    """The roles that are started, with their GPUs."""
    roles = facts["roles"]
    return {role: roles[role] for role in facts["wanted_roles"] if role in roles}


def missing_roles(facts: Facts) -> list[str]:
    """The roles without which a run gets nowhere and that ``--resource`` does not name."""
    return [role for role in facts["wanted_roles"] if role in ("actor", "rollout") and role not in facts["roles"]]


def idle_roles(facts: Facts) -> list[str]:
    """The roles in ``--resource`` that this launch never starts, and that have GPUs."""
    known = (*facts["wanted_roles"], "sft", "teacher")
    return [role for role, gpus in facts["roles"].items() if role not in known and gpus != 0]


def misshapen_roles(facts: Facts) -> list[str]:
    """The started roles whose entry is not ``[1, GPUs]``."""
    resource = facts["resource"]
    return [
        role
        for role in facts["created_roles"]
        if role not in facts["bad_entries"]
        and not (
            isinstance(resource[role], list)
            and len(resource[role]) == 2
            and resource[role][0] == 1
            and isinstance(resource[role][1], int)
            and not isinstance(resource[role][1], bool)
            and resource[role][1] >= 0
        )
    ]


def sizes_of_forward_roles(facts: Facts) -> Iterator[tuple[str, int, dict[str, int]]]:
    """The roles that only compute log-probabilities, with their GPUs and the parallel sizes of their model."""
    config = facts["ref_actor_config"]
    overrides = config if isinstance(config, dict) else {}
    sizes = {name: overrides.get(name, facts[name]) for name in (*_PARALLEL, "expert_model_parallel_size")}
    sizes["expert_tensor_parallel_size"] = overrides.get("expert_tensor_parallel_size", facts["expert_tensor_parallel"])
    for role, gpus in forward_roles(facts).items():
        yield role, gpus, sizes


def forward_roles(facts: Facts) -> dict[str, int]:
    """The started roles that only compute log-probabilities, with their GPUs where they have any."""
    created = facts["created_roles"]
    gpus = {role: created[role] for role in FORWARD_ROLES if role in created}
    return {role: count for role, count in gpus.items() if isinstance(count, int) and count > 0}


def forward_roles_without_gpus(facts: Facts) -> list[str]:
    """The started roles that compute log-probabilities, and have nothing to do it with."""
    created = facts["created_roles"]
    return [role for role in FORWARD_ROLES if role in created and created[role] == 0]


def misfit_roles(facts: Facts) -> list[str]:
    """The forward roles whose GPUs their parallel sizes do not divide."""
    if facts["mode"] != "async":
        return []
    found = []
    for role, gpus, sizes in sizes_of_forward_roles(facts):
        wrong = next((names for names in (_PARALLEL, _OF_EXPERTS) if gpus % prod(sizes[name] for name in names)), None)
        if wrong is not None:
            product = " × ".join(f"{name} {sizes[name]}" for name in wrong if sizes[name] != 1)
            found.append(f"{role} ({product} on {gpus} GPU{'s' if gpus > 1 else ''})")
    return found


def starving_roles(facts: Facts) -> list[str]:
    """The asynchronous services whose share of a batch is not a positive number of whole groups."""
    if facts["mode"] != "async" or facts["use_dynamic_batch_size"]:
        return []
    parts = facts["num_iters_per_train_update"]
    sampled = facts["data_parallel_size"] if facts["balance_data"] else 1
    shares = {"advantages": facts["train_batch"] // parts}
    for role, gpus, sizes in sizes_of_forward_roles(facts):
        dense = prod(sizes[name] for name in _PARALLEL)
        shares[role] = facts["train_batch"] // (gpus // dense) // parts
    size = facts["n_samples_per_prompt"]
    return [f"{role} ({share} samples)" for role, share in shares.items() if share <= 0 or share * sampled % size]


def dead_config_keys(facts: Facts) -> list[str]:
    """The keys of ``--ref-actor-config`` that are no attribute, or that Relax sets itself."""
    config = facts["ref_actor_config"]
    if not isinstance(config, dict):
        return []
    knows = facts.namespace.knows
    return [key for key in config if not knows(key) or key in OVERWRITTEN_KEYS]
