"""How many GPUs a launch gives to whom."""

from __future__ import annotations

import json

from relax_lint.shell.launch import Launch
from relax_lint.shell.queries import NotKnown, integer, open_word, place_of, start_of, why_unknown

RESOURCE = "--resource"


def resource(launch: Launch) -> dict[str, int]:
    """The GPUs of each role by ``--resource``; empty without it.

    Raises :class:`NotKnown` when it cannot be told or is not what Relax reads (which another rule says).
    """
    argument = launch.last(RESOURCE)
    if argument is None:
        if launch.may_have(RESOURCE):
            raise NotKnown(open_word(launch, RESOURCE), start_of(launch))
        return {}
    place = place_of(launch, argument.word)
    if argument.value is None:
        raise NotKnown(next((why_unknown(word) for word in argument.own_values if not word.known), RESOURCE), place)
    try:
        given = json.loads(argument.value)
        return {str(role): int(count) for role, (_, count) in given.items()}
    except (ValueError, TypeError, AttributeError):
        raise NotKnown(argument.value, place) from None


def actor_gpus(launch: Launch) -> int:
    """The GPUs that train; whole nodes, as Relax counts them. Raises :class:`NotKnown`."""
    nodes, per_node = integer(launch, "--actor-num-nodes"), integer(launch, "--actor-num-gpus-per-node")
    roles = resource(launch)
    if (nodes, per_node) == (1, 8) and roles.get("actor"):
        on_a_node = min(integer(launch, "--num-gpus-per-node") or 8, roles["actor"])
        return on_a_node * max(1, roles["actor"] // on_a_node)
    return (nodes or 1) * (per_node or 8)


def data_parallel_size(launch: Launch) -> int:
    """How often the actor's model is there. Raises :class:`NotKnown`."""
    if launch.has("--dynamic-context-parallel"):
        raise NotKnown("--dynamic-context-parallel", start_of(launch))
    model = 1
    for kind in ("tensor-model", "pipeline-model", "context"):
        model *= integer(launch, f"--{kind}-parallel-size") or 1
    gpus = actor_gpus(launch)
    if gpus < model or gpus % model:
        raise NotKnown(f"{gpus} GPUs for a model of {model}", start_of(launch))
    return gpus // model
