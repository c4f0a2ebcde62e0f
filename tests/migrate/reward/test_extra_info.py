"""extra_info, as a function that scores gets it: equal to verl's, whatever the function does with it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from relax_lint.migrate.reward.request import Function, Manager
from tests.migrate.reward.produced import Workshop, run

_ROWS: list[dict[str, Any]] = [
    {},
    {"index": 7, "split": "train"},
    {"index": 7, "data_source": "inner", "num_turns": 9, "rollout_reward_scores": {"own": 1}},
]
"""What verl's rows have in extra_info."""
_USES = {
    "all": "return sorted(extra_info.items(), key=str)",
    "handed on": "return told(extra_info)",
    "keys": "return [key for key in extra_info]",
    "truth": "return bool(extra_info)",
    "or": "return sorted(extra_info or {}, key=str)",
    "copied": "return {**extra_info}",
    "other name": "info = extra_info\n    return sorted(info)",
    "source": "return extra_info.get('data_source', 'none')",
    "source in": "return 'data_source' in extra_info, 'relax_label_encoding' in extra_info",
    "turns": "return extra_info.get('num_turns', 'none')",
    "scores": "return extra_info.get('rollout_reward_scores', 'none')",
    "changed": "extra_info['x'] = extra_info.get('x', 0) + 1\n    return extra_info['x']",
    "own key": "return extra_info.get('index'), 'split' in extra_info, extra_info is None",
}
_PUT_THERE: dict[str, dict[str, Any]] = {
    "naive": {"num_turns": 2, "rollout_reward_scores": {}},
    "rate_limited": {},
    "dapo": {},
}
"""What verl's managers put there after a single turn."""


def _converted(row: dict[str, Any]) -> dict[str, Any]:
    """A row's metadata, as the conversion and Relax's rollout make it."""
    source = {"verl_data_source" if "data_source" in row else "data_source": "d"}
    return {**row, **source, "relax_label_encoding": "json", "_timing": {}, "start_rollout_id": 3}


def _scored(text: str, row: dict[str, Any], kind: str) -> Any:
    """What verl's manager makes of it; the DAPO manager of older versions has scores, for code that names them."""
    named: dict[str, Any] = {"rollout_reward_scores": {}} if kind == "dapo" and "rollout_reward_scores" in text else {}
    space: dict[str, Any] = {}
    exec(text, space)
    return space["compute_score"]("d", "r", 1, {**row, **_PUT_THERE[kind], **named})["got"]


@pytest.mark.parametrize("kind", _PUT_THERE)
@pytest.mark.parametrize("use", _USES)
def test_it_is_what_verl_hands_on(use: str, kind: str, workshop: Workshop) -> None:
    text = (
        "def told(info):\n    return sorted(info)\n\n\ndef use(extra_info):\n"
        f"    {_USES[use]}\n\n\n"
        "def compute_score(data_source, solution_str, ground_truth, extra_info=None):\n"
        f"    got = None\n    {_USES[use].replace('return ', 'got = ')}\n"
        "    return {'score': 1, 'got': got}\n"
    )
    path = workshop.write("mine.py", text)
    carried = workshop.carry("mine", function=Function(path, "compute_score"), manager=Manager(kind))
    assert not carried.problems
    if use == "own key":
        assert "extra_info=sample.metadata" in carried.files[0].text
    samples = [workshop.sample("r", 1, **_converted(row)) for row in _ROWS]
    metadata = json.dumps([sample.metadata for sample in samples])
    assert [each["got"] for each in run(workshop.reward("mine"), samples)] == [
        _scored(text, row, kind) for row in _ROWS
    ]
    assert json.dumps([sample.metadata for sample in samples]) == metadata


@pytest.mark.parametrize(
    ("parameters", "function"),
    [
        ("ground_truth, **given", "lambda given: sorted(given['extra_info'])"),
        ("extra_info, **given", "lambda given: sorted(extra_info)"),
    ],
)
def test_of_all_that_is_given_it_is_no_less(parameters: str, function: str, workshop: Workshop) -> None:
    text = f"def compute_score({parameters}):\n    return {{'score': 1, 'got': ({function})(given)}}\n"
    workshop.carry("mine", function=Function(workshop.write("mine.py", text), "compute_score"))
    (made,) = run(workshop.reward("mine"), [workshop.sample("r", "l", data_source="d", index=3)])
    assert made["got"] == ["index", "num_turns", "rollout_reward_scores"]


def test_a_batch_gets_it_for_each_response(workshop: Workshop) -> None:
    text = (
        "def compute_score(data_sources, solution_strs, ground_truths, extra_infos):\n"
        "    return [{'score': 1, 'got': sorted(each)} for each in extra_infos]\n"
    )
    path = workshop.write("mine.py", text)
    workshop.carry("mine", function=Function(path, "compute_score"), manager=Manager("batch"))
    (made,) = run(workshop.reward("mine"), [[workshop.sample("r", "l", data_source="d", index=3)] * 2])
    assert [each["got"] for each in made] == [["index", "rollout_reward_scores"]] * 2


def test_what_a_rollout_of_several_turns_has_counted_is_kept(workshop: Workshop) -> None:
    text = (
        "def compute_score(ground_truth, extra_info, **rest):\n"
        "    return {'score': 0, 'got': [extra_info['num_turns'], extra_info['rollout_reward_scores']],\n"
        "            'all': sorted(extra_info)}\n"
    )
    path = workshop.write("mine.py", text.replace(", **rest", ""))
    workshop.carry("mine", function=Function(path, "compute_score"), turns=True)
    told = {"num_turns": 4, "rollout_reward_scores": {"t": 1}, "tool_rewards": [1.0], "rollout_traces": [{}]}
    samples = [workshop.sample("r", "l", data_source="d", **each) for each in (told, {})]
    counted, not_counted = run(workshop.reward("mine"), samples)
    assert counted["got"] == [4, {"t": 1}]
    assert not_counted["got"] == [2, {}]
    assert counted["all"] == ["num_turns", "rollout_reward_scores", "tool_rewards"]
