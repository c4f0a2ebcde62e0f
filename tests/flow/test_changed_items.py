"""Dictionaries in a list that code changes one by one."""

from __future__ import annotations

import pytest

from tests.cases import for_each
from tests.flow.test_interpreter import outcomes

HELPERS = """
def mark(result):
    result["score"] = 1.0

def mark_all(results):
    for result in results:
        result["score"] = 1.0

def mark_first(results):
    results[0]["score"] = 1.0

def weigh(result):
    return len(result)
"""


def keys_after(change: str, *, made: str = "[{'acc': 1.0} for sample in samples]") -> set[str]:
    text = f"""{HELPERS}
async def f(args, samples):
    results = {made}
    {change}
    return results[0]
"""
    return outcomes(text, batch=True)


@for_each(
    "change",
    [
        "for result in results:\n        mark(result)",
        "for number, result in enumerate(results):\n        mark(result)",
        "for result in results:\n        result.__setitem__('score', 1.0)",
        "mark_all(results)",
        "mark_first(results)",
    ],
)
@for_each("made", ["[{'acc': 1.0} for sample in samples]", "[{'acc': 1.0}, {'acc': 0.0}]"])
def test_what_changes_an_item_is_seen_in_the_list(change: str, made: str) -> None:
    assert "dict(acc)" not in keys_after(change, made=made)


def test_what_changes_an_item_beside_its_sample_is_seen_in_the_list() -> None:
    assert keys_after("for result, sample in zip(results, samples):\n        mark(result)") == {"dict(acc?…)"}


@pytest.mark.parametrize("change", ["for result in results:\n        weigh(result)", "weigh(results)", "pass"])
def test_what_only_reads_an_item_leaves_it_known(change: str) -> None:
    assert keys_after(change) == {"dict(acc)"}
