"""How a launch spreads its roles and models over GPUs: by ``--resource`` and the parallel sizes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from relax_lint.catalog.hidden import Hidden, is_hidden
from relax_lint.constraints.expressions import NotKnown
from relax_lint.constraints.roles import sizes_of_forward_roles
from relax_lint.records import record

if TYPE_CHECKING:
    from relax_lint.constraints.facts import Facts

IN_ONE_GROUP = ("actor", "rollout", "genrm", "teacher")
"""The roles that share the actor's GPUs in a colocated launch."""
_NO_MODEL = ("advantages", "sft")
_IDLE = "never started by this launch"


@record
class RoleLayout:
    """A role, its GPUs (``None`` where they are not known), and how its model lies on them."""

    name: str
    gpus: int | None
    model: str
    shared: bool = False


@record
class Layout:
    """All roles of a launch.

    ``total`` counts shared GPUs once; ``missing`` are roles that the mode has and ``--resource`` does not name;
    ``hidden`` is what keeps the whole from being told.
    """

    roles: tuple[RoleLayout, ...]
    total: int | None = None
    missing: tuple[str, ...] = ()
    hidden: Hidden | None = None


def layout(facts: Facts) -> Layout:
    """The layout of a launch, as far as it can be told."""
    for name in ("mode", "resource", "wanted_roles"):
        value = facts.get(name)
        if is_hidden(value):
            return Layout((), hidden=value)
    started = tuple(_started(facts))
    idle = tuple(RoleLayout(role, _count(facts["roles"][role]), _IDLE) for role in facts["idle_roles"])
    missing = () if facts["resource"] is None else tuple(_missing(facts))
    return Layout((*started, *idle), _total(started), missing)


def _missing(facts: Facts) -> Iterator[str]:
    roles = facts["roles"]
    for role in facts["wanted_roles"]:
        needed = role != "reference" or facts.get("uses_kl") is True
        if role not in roles and needed:
            yield role


def _total(roles: tuple[RoleLayout, ...]) -> int | None:
    if any(role.gpus is None for role in roles):
        return None
    shared = max((role.gpus or 0 for role in roles if role.shared), default=0)
    return shared + sum(role.gpus or 0 for role in roles if not role.shared)


def _started(facts: Facts) -> Iterator[RoleLayout]:
    share = facts["mode"] == "colocate" or (facts["mode"] == "sft" and facts.get("colocate") is True)
    named = facts["roles"] if facts["resource"] is not None else {"actor": None, "rollout": None}
    for role in facts["wanted_roles"]:
        if role in named:
            yield _role(role, facts, share)
    if "teacher" in named:
        if facts.get("managed_teacher") is True:
            yield _role("teacher", facts, share)
        else:
            yield RoleLayout("teacher", _count(named["teacher"]), "no teacher that Relax runs is asked for")


def _role(role: str, facts: Facts, share: bool) -> RoleLayout:
    gpus, model = _GPUS_OF.get(role, _of_entry)(role, facts)
    return RoleLayout(role, gpus, model, shared=share and role in IN_ONE_GROUP)


def _count(entry: object) -> int | None:
    return entry if isinstance(entry, int) and not isinstance(entry, bool) else None


def _known(facts: Facts, name: str) -> Any:
    """The value of a name; ``None`` where it cannot be told."""
    value = facts.get(name)
    return None if is_hidden(value) else value


def _of_entry(role: str, facts: Facts) -> tuple[int | None, str]:
    gpus = _count(facts["roles"].get(role))
    return gpus, "" if gpus or role in _NO_MODEL else "no GPUs"


def _actor(role: str, facts: Facts) -> tuple[int | None, str]:
    gpus, trains = _count(facts["roles"].get(role)), _known(facts, "actor_total")
    sizes = [_known(facts, f"{name}_model_parallel_size") for name in ("tensor", "pipeline")]
    context = _known(facts, "context_parallel")
    if trains is None or context is None or None in sizes:
        return gpus if gpus is not None else trains, "not known"
    text = _split(trains, sizes[0], sizes[1], context)
    experts = _known(facts, "experts")
    if experts:
        text += f"; {_experts(facts)}"
    if gpus is not None and trains != gpus:
        text += f"; trains on {trains} of them"
    return gpus if gpus is not None else trains, text


def _experts(facts: Facts) -> str:
    sizes = {"EP": "expert_model_parallel_size", "ETP": "expert_tensor_parallel"}
    shown = (f"{short} {size}" for short, name in sizes.items() if (size := _known(facts, name)) is not None)
    return f"{facts['experts']} experts, {' × '.join(shown)}"


def _split(gpus: int, tensor: int, pipeline: int, context: int) -> str:
    """A model's parts over its GPUs."""
    parts = f"TP {tensor} × PP {pipeline}" + (f" × CP {context}" if context != 1 else "")
    size = tensor * pipeline * context
    if size <= 0 or gpus % size:
        return f"{parts} = {size} does not divide {gpus}"
    return f"DP {gpus // size} × {parts}"


def _rollout(role: str, facts: Facts) -> tuple[int | None, str]:
    gpus, given = _count(_known(facts, "rollout_final")), _count(facts["roles"].get(role))
    text = "" if given in (None, gpus) or gpus is None else f"; its entry of {given} is overridden"
    if _known(facts, "sglang_config") is not None:
        return gpus, f"engines by --sglang-config{text}"
    return gpus, _engines(gpus, _known(facts, "rollout_num_gpus_per_engine"), "engine") + text


def _engines(gpus: int | None, each: int | None, noun: str) -> str:
    if gpus is None or not each:
        return "not known"
    if gpus < each:
        return f"fewer than the {each} of one {noun}" if gpus else "no GPUs"
    left = gpus % each
    text = f"{gpus // each} {noun}{'s' if gpus // each > 1 else ''} × {each} GPU{'s' if each > 1 else ''}"
    return f"{text}, {left} left over" if left else text


def _genrm(role: str, facts: Facts) -> tuple[int | None, str]:
    gpus = _count(_known(facts, "genrm_total"))
    return gpus, _engines(gpus, _known(facts, "genrm_num_gpus_per_engine"), "engine")


def _teacher(role: str, facts: Facts) -> tuple[int | None, str]:
    gpus = _count(_known(facts, "teacher_gpus"))
    each = _known(facts, "teacher_num_gpus_per_engine") or gpus
    return gpus, "several teachers" if _known(facts, "opd_teacher_routes") else _engines(gpus, each, "replica")


def _forward(role: str, facts: Facts) -> tuple[int | None, str]:
    gpus = _count(facts["roles"].get(role))
    try:
        found = {name: sizes for name, _, sizes in sizes_of_forward_roles(facts)}
    except (NotKnown, TypeError):
        return gpus, "not known"
    if role not in found:
        return gpus, "no GPUs"
    sizes = found[role]
    by_config = ", by --ref-actor-config" if isinstance(_known(facts, "ref_actor_config"), dict) else ", like the actor"
    split = _split(
        gpus or 0,
        sizes["tensor_model_parallel_size"],
        sizes["pipeline_model_parallel_size"],
        sizes["context_parallel_size"],
    )
    return gpus, split + by_config


_GPUS_OF = {
    "actor": _actor,
    "rollout": _rollout,
    "genrm": _genrm,
    "teacher": _teacher,
    "reference": _forward,
    "actor_fwd": _forward,
}


def batches(facts: Facts) -> str:
    """The sizes of a step in words; empty where there is nothing to tell."""
    if facts.get("is_sft") is not False:
        return ""
    groups, size = _known(facts, "rollout_groups"), _known(facts, "n_samples_per_prompt")
    samples, batch = _known(facts, "rollout_samples"), _known(facts, "train_batch")
    if None in (groups, size, samples, batch):
        return ""
    text = f"{groups} prompts × {size} samples = {samples} a rollout"
    if not batch or samples % batch:
        return f"{text}, which {batch} a batch does not divide"
    updates = samples // batch
    return f"{text}, {updates} update{'s' if updates > 1 else ''} of {batch}"
