"""The GPUs of each role in fully asynchronous training: 8 and 16 as the guide lays them out, others in proportion."""

from __future__ import annotations

from collections.abc import Iterator

from relax_lint.migrate.parallelism import BYTES_LOADED, LARGEST_TENSOR, LOADED, TIGHT, Parallel, Wanted, fitted
from relax_lint.records import record

_OF_ACTOR, _OF_FORWARD = 2, 8
"""Half of the GPUs train, an eighth each computes the log-probabilities of the reference and of the old policy."""
_ITERATIONS_TRIED = (8, 4, 2, 1)
_FURTHER = 16
"""How many times the GPUs there are it is looked for what would do."""


@record
class Split:
    """The GPUs of each role; ``forward`` is how the model lies where nothing is trained."""

    actor: int
    rollout: int
    reference: int
    actor_fwd: int
    engine: int
    parallel: Parallel
    forward: Parallel

    @property
    def forward_roles(self) -> bool:
        """Whether any role only computes log-probabilities."""
        return bool(self.reference or self.actor_fwd)


@record
class Splitter:
    """What a split is made for.

    ``base`` and ``engine`` are verl's division of the model and its size of an engine, ``roles`` the services beside
    actor and rollout, ``actor`` the GPUs that verl itself trains on where it keeps them apart.
    """

    wanted: Wanted
    per_node: int
    base: Parallel
    engine: int
    roles: tuple[str, ...]
    actor: int = 0

    def split(self, total: int) -> Split | str:
        """The split of so many GPUs, or why there is none."""
        found = self._split(total)
        return self._too_few(total) if found is None else found

    def _split(self, total: int) -> Split | None:
        forward = self._forward(total) if self.roles else (1, Parallel())
        if forward is None:
            return None
        each, parallel_of_forward = forward
        aside = len(self.roles) * each
        for count in self._actors(total // _OF_ACTOR, total - aside):
            parallel = fitted(self.base, self.wanted, count, TIGHT)
            left = total - aside - count
            size = self._engine(left)
            if parallel is None or size is None:
                continue
            return Split(
                count,
                left // size * size,
                each if "reference" in self.roles else 0,
                each if "actor_fwd" in self.roles else 0,
                size,
                parallel,
                parallel_of_forward,
            )
        return None

    def _actors(self, half: int, most: int) -> Iterator[int]:
        """The numbers of GPUs to try for the actor, from the best on: whole nodes, or a part of one."""
        if most < 2:
            return
        first = min(self.actor or half, most - 1)
        for count in (*range(first, 0, -1), *range(first + 1, most)):
            if count <= self.per_node or count % self.per_node == 0:
                yield count

    def _forward(self, total: int) -> tuple[int, Parallel] | None:
        """The GPUs of a role that only loads the model, and how it lies on them."""
        size = _power_of_two(max(1, total // _OF_FORWARD))
        while size < total:
            parallel = self._loaded_on(size)
            if parallel is not None and self.wanted.weight(parallel, BYTES_LOADED) <= LOADED:
                return size, parallel
            size *= 2
        return None

    def _loaded_on(self, gpus: int) -> Parallel | None:
        """One copy of the model on so many GPUs, or a few of them."""
        tensor = min(gpus, LARGEST_TENSOR)
        while not self.wanted.heads_allow(tensor):
            tensor //= 2
        shape = self.wanted.shape
        experts = shape.experts if shape is not None else 0
        expert = gpus if experts and experts % gpus == 0 else 1
        return Parallel(tensor, expert=expert)

    def _engine(self, gpus: int) -> int | None:
        """The GPUs of an engine: verl's, or fewer if there are no more and the model still fits."""
        if self.engine <= gpus:
            return self.engine
        size = self.engine
        while size > gpus:
            size //= 2
        if size < 1 or not self.wanted.heads_allow(size):
            return None
        fits = self.wanted.weight(Parallel(size, expert=size), BYTES_LOADED) <= LOADED
        return size if fits else None

    def _too_few(self, total: int) -> str:
        names = ["actor", "rollout", *self.roles]
        wants = f"{', '.join(names[:-1])} and {names[-1]} want GPUs of their own"
        there = f"and there {'is' if total == 1 else 'are'} {total}"
        for more in range(total + 1, max(total * _FURTHER, LARGEST_TENSOR * _FURTHER)):
            found = self._split(more)
            if found is not None:
                numbers = [found.actor, found.rollout, found.reference, found.actor_fwd]
                shown = " + ".join(str(number) for number in numbers if number)
                return f"{wants}, at least {shown} = {sum(numbers)} for this model, {there}: take the sync mode"
        return f"{wants}, {there}, among which the model cannot be divided: take the sync mode"


def forward_config(split: Split) -> dict[str, object]:
    """How the model lies where nothing is trained; what is not named is the actor's."""
    parallel, forward = split.parallel, split.forward
    config: dict[str, object] = {"tensor_model_parallel_size": forward.tensor}
    if parallel.pipeline > 1:
        config["pipeline_model_parallel_size"] = 1
    if parallel.context > 1:
        config["context_parallel_size"] = 1
    if parallel.expert > 1 or parallel.expert_tensor > 1:
        config["expert_model_parallel_size"] = forward.expert
        config["expert_tensor_parallel_size"] = 1
    config["sequence_parallel"] = forward.tensor > 1
    return config


def iterations(split: Split, batch: int | None, per_prompt: int | None) -> int:
    """The parts in which a batch of so many samples is handed on: whole groups of samples in each, for every role."""
    if batch is None or per_prompt is None:
        return 1
    shares = [batch]
    shares += [batch // (gpus // split.forward.gpus) for gpus in (split.reference, split.actor_fwd) if gpus]
    for parts in _ITERATIONS_TRIED:
        if all(share % parts == 0 and (share // parts) % per_prompt == 0 for share in shares):
            return parts
    return 1


def _power_of_two(number: int) -> int:
    return 1 << (number.bit_length() - 1)
