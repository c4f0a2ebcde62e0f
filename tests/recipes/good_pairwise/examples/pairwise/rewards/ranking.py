"""A group reward: every answer is judged against the others to the same prompt."""

from __future__ import annotations

from collections.abc import Sequence

from relax.utils.types import Sample


def wins(lengths: Sequence[int], index: int) -> float:
    """The share of the other answers that are longer than this one."""
    others = [length for position, length in enumerate(lengths) if position != index]
    return sum(length > lengths[index] for length in others) / max(len(others), 1)


async def rank_group(args, samples: list[Sample], **kwargs):
    """One dict a sample, in the order of the samples; an answer without the label scores nothing."""
    lengths = [len(sample.response) for sample in samples]
    results = []
    for index, sample in enumerate(samples):
        correct = str(sample.label) in sample.response
        results.append({"score": wins(lengths, index) if correct else 0.0, "correct": float(correct)})
    return results
