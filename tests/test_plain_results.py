"""What is told of a function's results without following it is what following it tells."""

from __future__ import annotations

import pytest

from relax_lint.project import Project
from relax_lint.rewards import RewardUse, reward_uses
from tests.cases import for_each

LAUNCH = "python3 relax/entrypoints/train.py --custom-rm-path examples.demo.reward_demo.reward_func"
HEAD = "import asyncio\nfrom examples.demo.scoring import score_of\n\n\ndef one(text):\n    return {'score': 1.0}\n\n\n"
SCORING = "def score_of(text):\n    if text:\n        return {'score': 1.0}\n    else:\n        raise ValueError\n"
ASYNC = "async def reward_func(args, sample, **kwargs):\n"


def use_of(code: str, flags: str = "") -> RewardUse:
    project = Project.from_files(
        {
            "examples/demo/run_demo.sh": f"{LAUNCH} {flags}\n",
            "examples/demo/reward_demo.py": HEAD + code,
            "examples/demo/scoring.py": SCORING,
        }
    )
    (use,) = reward_uses(project.recipes[0].launches[0], project)
    return use


@pytest.mark.parametrize(
    "code",
    [
        f"{ASYNC}    return {{'score': 1.0}}\n",
        f"{ASYNC}    return one(sample.response)\n",
        f"{ASYNC}    return await asyncio.to_thread(score_of, sample.response)\n",
        f"{ASYNC}    if sample.label:\n        return {{'score': 0.0, 'why': ''}}\n    return score_of('')\n",
        f"async def judged(text):\n    return one(text)\n\n\n{ASYNC}    return await judged(sample.response)\n",
    ],
)
def test_dicts_that_are_written_out_are_plain(code: str) -> None:
    use = use_of(code)
    assert use.plainly_gives("score", use.functions[0])
    assert [shape.get("score") is not None for _, shape in use.values(use.functions[0])]  # type: ignore[attr-defined]


@for_each(
    "code",
    [
        f"{ASYNC}    if sample.label:\n        return {{'score': 0.0}}\n",
        f"{ASYNC}    return {{'acc': 1.0}}\n",
        f"{ASYNC}    return {{**one('')}}\n",
        f"{ASYNC}    return await asyncio.to_thread(reward_func, sample)\n",
        f"{ASYNC}    one = float\n    return one(sample.response)\n",
        f"{ASYNC}    with open('x'):\n        return {{'score': 0.0}}\n",
        f"{ASYNC}    yield 1\n    raise ValueError\n",
        f"{ASYNC}    return reward_func(args, sample)\n",
        f"async def late(text):\n    return one(text)\n\n\n{ASYNC}    return late(sample.response)\n",
        f"def some(text):\n    return None\n\n\n{ASYNC}    return some(sample.response)\n",
        f"@asyncio.coroutine\ndef kept(text):\n    return {{'score': 1.0}}\n\n\n{ASYNC}    return kept('')\n",
        "def reward_func(args, sample, one):\n    return one(sample.response)\n",
        "reward_func = lambda args, sample, **kwargs: {'score': 1.0}\n",
    ],
)
def test_everything_else_has_to_be_followed(code: str) -> None:
    use = use_of(code)
    assert not any(use.plainly_gives("score", function) for function in use.functions)


def test_a_reward_of_a_batch_has_to_be_followed() -> None:
    use = use_of("async def reward_func(args, samples, **kwargs):\n    return {'score': 1.0}\n", "--group-rm")
    assert not use.plainly_gives("score", use.functions[0])


@for_each(
    ("value", "plain"),
    [
        ("1.0", True),
        ("True", True),
        ("float(sample.label)", True),
        ("sample.label == 'x'", True),
        ("1.0 if sample.label else 0", True),
        ("None", False),
        ("'1.0'", False),
        ("1.0 if sample.label else None", False),
        ("judge(sample)", False),
        ("1.0, **one('')", False),
        ("1.0, 'score': None", False),
    ],
)
def test_what_is_plainly_a_number_under_a_key(value: str, plain: bool) -> None:
    use = use_of(f"{ASYNC}    return {{'score': {value}}}\n")
    assert use.plainly_gives("score", use.functions[0], number=True) == plain


def test_numbers_are_looked_for_in_what_is_called() -> None:
    use = use_of(f"{ASYNC}    return score_of(sample.response)\n")
    assert use.plainly_gives("score", use.functions[0], number=True)
    use = use_of(f"def text():\n    return {{'score': '1'}}\n\n\n{ASYNC}    return text()\n")
    assert use.plainly_gives("score", use.functions[0])
    assert not use.plainly_gives("score", use.functions[0], number=True)
