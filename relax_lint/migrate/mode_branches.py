"""The flags of the mode that a launch of Relax lacks: the same training on the same GPUs, colocated or asynchronous."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.migrate.async_split import Split, Splitter, forward_config, iterations
from relax_lint.migrate.choices import shape_of
from relax_lint.migrate.parallelism import Parallel, Wanted, fitted
from relax_lint.records import record
from relax_lint.shell.queries import Way, way_of

if TYPE_CHECKING:
    from relax_lint.shell.launch import Launch

OF_A_MODE = (
    "--colocate", "--fully-async", "--hybrid", "--resource", "--max-staleness", "--num-iters-per-train-update",
    "--ref-actor-config", "--balance-data",
)  # fmt: skip
"""What each branch says for itself."""
UNREAD = "--balance-data"
"""The one of them that fully asynchronous runs only do not read."""
_RESOURCE, _STALENESS, _ITERATIONS, _REF_CONFIG = (
    "--resource", "--max-staleness", "--num-iters-per-train-update", "--ref-actor-config",
)  # fmt: skip
_ENGINE, _WEIGHTS = "--rollout-num-gpus-per-engine", "--use-tis"
_SIZES = (
    "--tensor-model-parallel-size", "--pipeline-model-parallel-size", "--context-parallel-size",
    "--expert-model-parallel-size", "--expert-tensor-parallel-size",
)  # fmt: skip
"""How the model is divided, in the order of :class:`Parallel`."""
_USUAL_PER_NODE = 8
_SHARED, _APART = ("actor", "rollout"), ("actor", "rollout", "reference", "actor_fwd", "advantages")
_ON_POLICY, _AHEAD = "0", "2"
"""Today's Relax counts rollouts ahead from 0; the guide wants 2 or 3 where generation runs ahead."""


class NotDecided(Exception):
    """Something that a branch is made of is not known; the message says what."""


@record
class Branch:
    """The flags of a mode: ``own`` stand where the other mode has its own, ``last`` behind all others, as they win over
    what both share. ``comment`` says how the GPUs are used, and ``gpus`` what was chosen of them."""

    own: tuple[str, ...]
    last: tuple[str, ...]
    comment: str
    gpus: str


def branch(launch: Launch, way: Way) -> Branch | str:
    """The flags with which a launch is of the other mode, or why there is no such mode. Raises :class:`NotDecided`."""
    seen = _Seen(launch)
    return seen.asynchronous() if way == "async" else seen.colocated()


class _Seen:
    """What is known of a launch."""

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        tensor, pipeline, context, expert = (self._size(flag) for flag in _SIZES[:4])
        self.experts = expert > 1 or launch.has("--num-experts")
        self.base = Parallel(tensor, pipeline, context, expert, self._size(_SIZES[4], tensor) if self.experts else 1)
        self.engine = self._size(_ENGINE)
        self.per_node = self._size("--num-gpus-per-node", _USUAL_PER_NODE)
        self.prompts = self._prompts()

    def asynchronous(self) -> Branch | str:
        """Each role on GPUs of its own."""
        roles = self._roles()
        total = max(roles.get("actor", 0), roles.get("rollout", 0))
        found = Splitter(self._wanted(), self.per_node, self.base, self.engine, tuple(self._services())).split(total)
        if isinstance(found, str):
            return found
        given = {"actor": found.actor, "rollout": found.rollout, "reference": found.reference}
        given["actor_fwd"] = found.actor_fwd
        used = {role: count for role, count in given.items() if count}
        own = [
            _resource({**used, "advantages": 0}),
            f"{_STALENESS} {_AHEAD}",
            f"{_ITERATIONS} {iterations(found, self._batch(), self._samples())}",
        ]
        if found.forward_roles:
            own.append(f"{_REF_CONFIG} '{json.dumps(self._forward(found))}'")
        own.append("--fully-async")
        if not self.launch.has(_WEIGHTS) and not self.launch.has("--use-rollout-logprobs"):
            own.append(_WEIGHTS)
        shown = ", ".join(f"{role} {count}" for role, count in used.items())
        comment = f"Fully asynchronous, each role on GPUs of its own: {shown}."
        return Branch(tuple(own), tuple(self._sizes(found.parallel, found.engine)), comment, shown)

    def _forward(self, found: Split) -> dict[str, object]:
        """How the model lies where nothing is trained. What is not said of experts is the actor's tensor size, even
        of a model without experts."""
        config = forward_config(found)
        if self._size(_SIZES[4], found.parallel.tensor) > 1:
            config.setdefault("expert_tensor_parallel_size", 1)
        return config

    def colocated(self) -> Branch | str:
        """Training and generation take turns on all GPUs."""
        total = self._machine(sum(self._roles().values()))
        wanted = self._wanted()
        for gpus in range(total, 0, -1):
            if gpus > self.per_node and gpus % self.per_node:
                continue
            parallel = fitted(self.base, wanted, gpus)
            engine = next(size for size in range(min(self.engine, gpus), 0, -1) if gpus % size == 0)
            if parallel is not None:
                own = (_resource({"actor": gpus, "rollout": gpus}), f"{_STALENESS} {_ON_POLICY}", "--colocate")
                comment = "Colocated: training and generation take turns on the same GPUs."
                shown = f"actor and rollout in turns on {gpus}"
                return Branch(own, tuple(self._sizes(parallel, engine)), comment, shown)
        return f"the model cannot be divided over {total} GPUs"

    def _machine(self, used: int) -> int:
        """The GPUs that are there when so many are used: whole nodes, or of one node a power of two."""
        if used > self.per_node:
            return -(-used // self.per_node) * self.per_node
        return min(self.per_node, 1 << max(0, used - 1).bit_length())

    # ------------------------------------------------------------ what the launch says

    def _roles(self) -> dict[str, int]:
        """The GPUs of each role."""
        given = self.launch.last(_RESOURCE)
        try:
            resource = json.loads(self.launch.value(_RESOURCE) or "")
        except ValueError:
            raise NotDecided(f"{_RESOURCE} is not known") from None
        if given is not None and any(value.defaults for value in given.values):
            raise NotDecided("the number of GPUs can be given by a variable")
        known = _SHARED if way_of(self.launch) == "sync" else _APART
        roles: dict[str, int] = {}
        for role, entry in resource.items() if isinstance(resource, dict) else ():
            if role not in known or not isinstance(entry, list) or len(entry) != 2 or not isinstance(entry[1], int):
                raise NotDecided(f"{role} in {_RESOURCE} has no place of its own in the other mode")
            roles[role] = entry[1]
        return roles

    def _size(self, flag: str, default: int = 1) -> int:
        if not self.launch.has(flag):
            return default
        value = self.launch.value(flag)
        if value is None or not value.isdigit():
            raise NotDecided(f"{flag} is not known")
        return max(1, int(value))

    def _number(self, flag: str) -> int | None:
        value = self.launch.value(flag)
        return int(value) if value is not None and value.isdigit() else None

    def _samples(self) -> int | None:
        return self._number("--n-samples-per-prompt") if self.launch.has("--n-samples-per-prompt") else 1

    def _batch(self) -> int | None:
        """The samples of an update."""
        given = self._number("--global-batch-size")
        samples = self._samples()
        if given is not None or self.prompts is None or samples is None:
            return given
        return self.prompts * samples

    def _prompts(self) -> int | None:
        """The prompts of an update."""
        batch, samples = self._number("--global-batch-size"), self._samples()
        if batch is not None and samples:
            return batch // samples
        rollout = self._number("--rollout-batch-size")
        return None if rollout is None else rollout // (self._number("--num-steps-per-rollout") or 1)

    def _services(self) -> Iterator[str]:
        """The roles beside actor and rollout."""
        if self.launch.has("--use-kl-loss") or self.launch.value("--kl-coef") not in (None, "0", "0.0", "0.00"):
            yield "reference"
        rollout = self._number("--rollout-batch-size")
        if rollout is None or self.prompts != rollout:
            yield "actor_fwd"

    def _wanted(self) -> Wanted:
        shape = None
        flags = {given.flag: [value.text for value in given.values] for given in self.launch.arguments}
        if "--num-layers" in flags and "--hidden-size" in flags:
            shape = shape_of(flags, vision="--multimodal-keys" in flags)
        return Wanted(shape, self.prompts, self.base.context > 1)

    def _sizes(self, parallel: Parallel, engine: int) -> Iterator[str]:
        """The sizes that are not those of the launch."""
        wanted, given = (
            (one.tensor, one.pipeline, one.context, one.expert, one.expert_tensor) for one in (parallel, self.base)
        )
        for flag, size, own in zip(_SIZES, wanted, given, strict=True):
            if size != own:
                yield f"{flag} {size}"
        if engine != self.engine:
            yield f"{_ENGINE} {engine}"


def _resource(roles: dict[str, int]) -> str:
    return f"{_RESOURCE} '{json.dumps({role: [1, count] for role, count in roles.items()})}'"
