"""The GPUs of each role in fully asynchronous training: as the guide lays 8 and 16 out, and by its proportions beyond."""

from __future__ import annotations

from collections.abc import Iterator

from relax_lint.migrate.parallelism import BYTES_LOADED, LOADED, TIGHT, Parallel, Wanted, fitted
from relax_lint.records import record

_OF_ACTOR, _OF_FORWARD = 2, 8
"""Half of the GPUs train, an eighth each computes the log-probabilities of the reference and of the old policy."""
_LARGEST_FORWARD = 8


@record
class Split:
    """The GPUs of each role; ``forward`` are the GPUs of one copy of the model where nothing is trained."""

    actor: int
    rollout: int
    reference: int
    actor_fwd: int
    engine: int
    parallel: Parallel
    forward: int

    @property
    def forward_roles(self) -> bool:
        """Whether any role only computes log-probabilities."""
        return bool(self.reference or self.actor_fwd)


def split(
    total: int,
    per_node: int,
    wanted: Wanted,
    base: Parallel,
    engine: int,
    *,
    has_reference: bool,
    has_forward: bool,
    actor: int = 0,
) -> Split | str:
    """The split of so many GPUs, or why there is none. ``actor`` are those that verl itself trains on, where it keeps
    them apart."""
    roles = int(has_reference) + int(has_forward)
    forward = _forward_gpus(total, wanted)
    if roles and forward is None:
        return _too_few(total, wanted, f"{wanted.weight(Parallel(), BYTES_LOADED):.0f} GB of weights of a forward role")
    aside = roles * (forward or 0)
    for count in _actors(actor or total // _OF_ACTOR, total - aside, per_node):
        parallel = fitted(base, wanted, count, TIGHT)
        if parallel is None or wanted.weight(parallel) > max(TIGHT, wanted.weight(base)):
            continue
        left = total - aside - count
        size = _engine(engine, left, wanted)
        if size is None:
            continue
        rollout = left // size * size
        return Split(
            count,
            rollout,
            forward or 0 if has_reference else 0,
            forward or 0 if has_forward else 0,
            size,
            parallel,
            forward or 1,
        )
    needs = ["the actor", "the rollout", *["the reference"] * has_reference, *["actor_fwd"] * has_forward]
    return _too_few(total, wanted, f"{', '.join(needs[:-1])} and {needs[-1]}, each with GPUs of its own")


def _too_few(total: int, wanted: Wanted, what: str) -> str:
    noun = "GPU is" if total == 1 else "GPUs are"
    size = f" of a model of {wanted.shape.parameters:.0f} billion parameters" if wanted.shape is not None else ""
    return f"{total} {noun} too few for {what}{size}; take more, or the sync mode"


def _actors(first: int, most: int, per_node: int) -> Iterator[int]:
    """The numbers of GPUs to try for the actor, from the best on: whole nodes, or a part of one."""
    if most < 2:
        return
    below = range(min(first, most - 1), 0, -1)
    above = range(first + 1, most)
    for count in (*below, *above):
        if count <= per_node or count % per_node == 0:
            yield count


def _forward_gpus(total: int, wanted: Wanted) -> int | None:
    """The GPUs of a role that only loads the model."""
    size = max(1, min(total // _OF_FORWARD, _LARGEST_FORWARD))
    while size & (size - 1):
        size -= 1
    while size <= _LARGEST_FORWARD and size < total:
        if wanted.heads_allow(size) and _loaded(wanted, size) <= LOADED:
            return size
        size *= 2
    return None


def _loaded(wanted: Wanted, gpus: int) -> float:
    """Billions of bytes on each GPU when one copy of the model lies on so many."""
    return wanted.weight(Parallel(gpus, expert=gpus), BYTES_LOADED)


def _engine(size: int, gpus: int, wanted: Wanted) -> int | None:
    """The GPUs of an engine: verl's, or fewer if there are no more and the model still fits."""
    while size > gpus or not wanted.heads_allow(size):
        size //= 2
        if size < 1:
            return None
    return size if _loaded(wanted, size) <= LOADED else None
