"""How a launch spreads its roles and models over GPUs: by ``--resource`` and the parallel sizes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from relax_lint.catalog.hidden import Hidden, is_hidden
from relax_lint.constraints.expressions import NotKnown
from relax_lint.constraints.roles import sizes_of_forward_roles
from relax_lint.records import changed, record

if TYPE_CHECKING:
    from relax_lint.constraints.facts import Facts
    from relax_lint.project import Project
    from relax_lint.shell.launch import Launch

IN_ONE_GROUP = ("actor", "rollout", "genrm", "teacher")
"""The roles that share the actor's GPUs in a colocated launch."""
_NO_MODEL = ("advantages", "sft")
_LONGEST_SHOWN = 30
_IDLE, _NOT_KNOWN, _NO_GPUS = "never started by this launch", "not known", "no GPUs"


@record
class Blocks:
    """How the GPUs of a role fall into blocks side by side: ``size`` GPUs each, called ``noun``. In a pipeline of
    several ``stages`` the blocks of one stage come before those of the next."""

    noun: str
    size: int
    stages: int = 1


@record
class RoleLayout:
    """A role, its GPUs (``None`` where they are not known), and how its model lies on them, in words and, where all of
    them are used, in blocks."""

    name: str
    gpus: int | None
    model: tuple[str, ...]
    shared: bool = False
    blocks: Blocks | None = None


@record
class Layout:
    """All roles of a launch.

    ``total`` counts shared GPUs once; ``missing`` are roles that the mode has and ``--resource`` does not name;
    ``hidden`` is what keeps the whole from being told, ``why_none`` why there are no roles at all. ``idle`` are the
    names of roles that this launch never starts.
    """

    roles: tuple[RoleLayout, ...]
    total: int | None = None
    missing: tuple[str, ...] = ()
    hidden: Hidden | None = None
    why_none: str = ""
    idle: tuple[str, ...] = ()


def layout(facts: Facts) -> Layout:
    """The layout of a launch, as far as it can be told."""
    for name in ("mode", "resource", "wanted_roles"):
        value = facts.get(name)
        if is_hidden(value):
            return Layout((), hidden=value)
    resource = facts["resource"]
    if resource is None:
        return Layout((), why_none="no --resource, without which nothing is placed")
    if not isinstance(resource, dict):
        return Layout((), why_none=f"not known: --resource is {_shown(resource)}, no object")
    started = tuple(_started(facts))
    idle = tuple(RoleLayout(role, _count(facts["roles"][role]), (_IDLE,)) for role in facts["idle_roles"])
    return Layout((*started, *idle), _total(started), tuple(_missing(facts)), idle=tuple(role.name for role in idle))


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
    named = facts["roles"]
    for role in facts["wanted_roles"]:
        if role in named:
            yield _role(role, facts, share)
    if "teacher" in named:
        if facts.get("managed_teacher") is True:
            yield _role("teacher", facts, share)
        else:
            yield RoleLayout("teacher", _count(named["teacher"]), ("no teacher that Relax runs is asked for",))


def _role(role: str, facts: Facts, share: bool) -> RoleLayout:
    entry = facts["resource"].get(role)
    if role in facts["resource"] and not (isinstance(entry, list) and len(entry) == 2 and _count(entry[1]) is not None):
        return RoleLayout(role, None, (f"its entry {_shown(entry)} is not [1, GPUs]",), role in IN_ONE_GROUP and share)
    try:
        gpus, parts, blocks = _LAYOUTS.get(role, _of_entry)(role, facts)
    except (NotKnown, TypeError):
        gpus, parts, blocks = _count(facts["roles"].get(role)), [_NOT_KNOWN], None
    if blocks is not None and (gpus is None or not 0 < blocks.size * blocks.stages <= gpus or gpus % blocks.size):
        blocks = None
    return RoleLayout(role, gpus, tuple(parts), shared=share and role in IN_ONE_GROUP, blocks=blocks)


def _count(entry: object) -> int | None:
    return entry if isinstance(entry, int) and not isinstance(entry, bool) and entry >= 0 else None


def _shown(value: object) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


_Found = tuple[int | None, list[str], Blocks | None]
"""The GPUs of a role and how its model lies on them. What finds it may raise NotKnown, or TypeError for odd sizes."""


def _of_entry(role: str, facts: Facts) -> _Found:
    gpus = _count(facts["roles"].get(role))
    return gpus, [] if gpus or role in _NO_MODEL else [_NO_GPUS], None


def _actor(role: str, facts: Facts) -> _Found:
    given, trains = _count(facts["roles"].get(role)), facts["actor_total"]
    tensor, pipeline = facts["tensor_model_parallel_size"], facts["pipeline_model_parallel_size"]
    parts = [_split(trains, tensor, pipeline, facts["context_parallel"])]
    experts = facts.get("experts")
    if isinstance(experts, int):
        parts.append(
            _experts(trains, experts, facts["expert_model_parallel_size"], facts["expert_tensor_parallel"], pipeline)
        )
    if given is not None and trains != given:
        parts.append(f"trains on {trains} of them")
    blocks = _parallel(trains, tensor, pipeline, facts["context_parallel"]) if given in (None, trains) else None
    return trains if given is None else given, parts, blocks


def _split(gpus: int, tensor: int, pipeline: int, context: int) -> str:
    """A model's parts over its GPUs."""
    parts = f"TP {tensor} × PP {pipeline}" + (f" × CP {context}" if context != 1 else "")
    size = tensor * pipeline * context
    if min(tensor, pipeline, context) < 1:
        return f"{parts}, where each must be at least 1"
    if gpus % size:
        return f"{parts} = {size} does not divide {gpus}"
    return f"DP {gpus // size} × {parts}"


def _parallel(gpus: int, tensor: int, pipeline: int, context: int) -> Blocks | None:
    """The copies of a model, or of the stages of its pipeline. Megatron numbers TP first, then CP, DP and PP."""
    size = tensor * context
    if min(tensor, pipeline, context) < 1 or gpus % (size * pipeline):
        return None
    return Blocks("DP", size, pipeline)


def _experts(gpus: int, experts: int, parallel: int, tensor: int, pipeline: int) -> str:
    """The parts of the experts, which have a split of their own."""
    size = parallel * tensor * pipeline
    text = f"{experts} experts, EP {parallel} × ETP {tensor}"
    return text if size > 0 and gpus % size == 0 else f"{text} × PP {pipeline} = {size} does not divide {gpus}"


def _rollout(role: str, facts: Facts) -> _Found:
    gpus, given = _count(facts["rollout_final"]), _count(facts["roles"].get(role))
    if facts["sglang_config"] is not None:
        parts = ["engines by --sglang-config"]
    else:
        parts = [_engines(gpus, facts["rollout_num_gpus_per_engine"], "engine")]
    if given is not None and given != gpus:
        parts.append(f"its entry of {given} is overridden")
    each = facts["rollout_num_gpus_per_engine"] if facts["sglang_config"] is None else None
    return gpus, parts, Blocks("engine", each) if each else None


def _engines(gpus: int | None, each: int | None, noun: str) -> str:
    if gpus is None or not each:
        return _NOT_KNOWN
    if gpus < each:
        return f"fewer than the {each} of one {noun}" if gpus else _NO_GPUS
    left = gpus % each
    text = f"{_counted(gpus // each, noun)} × {_counted(each, 'GPU')}"
    return f"{text}, {left} left over" if left else text


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _genrm(role: str, facts: Facts) -> _Found:
    gpus = _count(facts["genrm_total"])
    each = facts["genrm_num_gpus_per_engine"]
    return gpus, [_engines(gpus, each, "engine")], Blocks("engine", each) if each else None


def _teacher(role: str, facts: Facts) -> _Found:
    gpus = _count(facts["teacher_gpus"])
    if facts["opd_teacher_routes"] is not None:
        return gpus, ["by --opd-teacher-routes"], None
    each = facts["teacher_num_gpus_per_engine"] or gpus
    return gpus, [_engines(gpus, each, "replica")], Blocks("replica", each) if each else None


def _forward(role: str, facts: Facts) -> _Found:
    gpus = _count(facts["roles"].get(role))
    found = {name: sizes for name, _, sizes in sizes_of_forward_roles(facts)}
    if role not in found:
        return gpus, [_NO_GPUS], None
    names = ("tensor_model_parallel_size", "pipeline_model_parallel_size", "context_parallel_size")
    sizes = [found[role][name] for name in names]
    by = "by --ref-actor-config" if isinstance(facts["ref_actor_config"], dict) else "like the actor"
    return gpus, [_split(gpus or 0, *sizes), by], _parallel(gpus or 0, *sizes)


_LAYOUTS: dict[str, Callable[[str, Facts], _Found]] = {
    "actor": _actor,
    "rollout": _rollout,
    "genrm": _genrm,
    "teacher": _teacher,
    "reference": _forward,
    "actor_fwd": _forward,
}


@record
class Batch:
    """The sizes of a step: ``prompts`` of a rollout with ``each`` samples, and what an update takes of them;
    ``updates`` is ``None`` where they do not divide; ``rollouts`` is how many there are, where that is known."""

    prompts: int
    each: int
    samples: int
    update: int
    updates: int | None
    rollouts: int | None


def batch_of(facts: Facts) -> Batch | None:
    """The sizes of a step; none where they are not known, or there are no rollouts."""
    names = ("is_sft", "rollout_groups", "n_samples_per_prompt", "rollout_samples", "train_batch")
    is_sft, groups, size, samples, batch = map(facts.get, names)
    if is_sft is not False or not all(isinstance(number, int) for number in (groups, size, samples, batch)):
        return None
    divides = min(groups, size, batch) > 0 and samples % batch == 0
    rollouts = facts.get("num_rollout")
    known = rollouts if isinstance(rollouts, int) else None
    return Batch(groups, size, samples, batch, samples // batch if divides else None, known)


def batches(facts: Facts) -> str:
    """The sizes of a step in words; empty where there is nothing to tell."""
    found = batch_of(facts)
    if found is None:
        return ""
    text = f"{_counted(found.prompts, 'prompt')} × {_counted(found.each, 'sample')} = {found.samples} a rollout"
    if min(found.prompts, found.each, found.update) < 1:
        return text
    if found.updates is None:
        return f"{text}, which batches of {found.update} do not divide"
    return f"{text}, {_counted(found.updates, 'update')} of {found.update}"


# ---------------------------------------------------------------- what is known of a launch

_SAID_BY_BEING_GIVEN = (
    "genrm_model_path", "teacher_hf_checkpoint", "opd_teacher_routes", "sglang_config", "sft_predict_interval",
    "load_debug_rollout_data", "opd_teacher_load",
)  # fmt: skip
"""Arguments of which it matters only whether they are given."""


def facts_for_layout(launch: Launch, project: Project) -> tuple[Facts, str]:
    """What is known of a launch, and the words that are left out since any flag could come of them: empty where these
    do not matter."""
    facts = _facts(launch, project)
    unknown = [word for word in launch.argv[launch.entry + 1 :] if word.open and word.text == word.unknowns[0].text]
    if not unknown or _is_told(layout(facts)):
        return facts, ""
    left = tuple(word for word in launch.argv if not any(word is other for other in unknown))
    return _facts(changed(launch, argv=left), project), ", ".join(dict.fromkeys(word.text for word in unknown))


def _is_told(found: Layout) -> bool:
    return found.hidden is None and not any(_NOT_KNOWN in role.model for role in found.roles)


def _facts(launch: Launch, project: Project) -> Facts:
    from relax_lint.constraints.reporting import judged

    facts = judged(launch, project).facts.overlaid()
    given = {
        name: " ".join(value.text for value in argument.values)
        for name in _SAID_BY_BEING_GIVEN
        if name not in facts.overlay
        and is_hidden(facts.get(name))
        and (argument := facts.namespace.argument(name)) is not None
    }
    return type(facts)(facts.namespace, facts.around, {**facts.overlay, **given}) if given else facts
