"""Exact-match reward for grade-school arithmetic: the answer stands after the last ``####``."""

from __future__ import annotations

import re

from relax.utils.types import Sample

FINAL_ANSWER = re.compile(r"####\s*(-?[\d.,]+)")


def final_answer(text: str) -> str | None:
    """The last number that follows ``####``, without thousands separators; ``None`` when there is none."""
    found = FINAL_ANSWER.findall(text)
    return found[-1].replace(",", "").rstrip(".") if found else None


def compute_score(response: str, label: str) -> dict[str, float]:
    """Full marks for the labelled number, nothing for any other, and whether there was an answer at all."""
    answer = final_answer(response)
    correct = answer is not None and answer == label.replace(",", "").strip()
    return {"score": float(correct), "answered": float(answer is not None)}


async def reward_func(args, sample: Sample, **kwargs):
    """What the launcher names: scores one sample."""
    return compute_score(sample.response, sample.label)
