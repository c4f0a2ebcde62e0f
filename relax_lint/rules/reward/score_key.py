"""The reward is a dict without a `score`.

## What

A way through the reward function that returns a dict which certainly has no `"score"` key. Dicts that other code may
add keys to are left alone; so are rewards that are plain numbers.

## Why

Nothing breaks as long as `--reward-key` names another key. But reports, evaluations of other recipes and whoever
copies the launcher expect `score`, and `--reward-key score` is what the guide's template passes.

## Source

Guide: ALWAYS return a dict with a `"score"` key from the reward function (a list of them in batch mode).

## Example

    return {"acc": correct, "format": formatted}

## Fix

None: which of the values is the score, or what is to be made of them, is the author's to say.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Finding, NotChecked
from relax_lint.project import Project
from relax_lint.rewards import RewardUse, exit_place, on_every
from relax_lint.rules import WARNING, Example, rule

if TYPE_CHECKING:
    from relax_lint.flow.shapes import Function

_RUN = "examples/demo/run_demo.sh"
_REWARD = "examples/demo/reward_demo.py"
_LAUNCH = "python3 relax/entrypoints/train.py --custom-rm-path examples.demo.reward_demo.reward_func"


def _single(body: str) -> str:
    return "async def reward_func(args, sample, **kwargs):\n" + body


def _batch(body: str) -> dict[str, str]:
    return {_RUN: f"{_LAUNCH} --group-rm\n", _REWARD: "async def reward_func(args, samples, **kwargs):\n" + body}


VALID: list[str | Example] = [
    _single("    return {'score': 1.0, 'acc': True}\n"),
    _single("    return 1.0\n"),
    _single("    return await judge(sample)\n"),
    _single("""\
    result = {'acc': 1.0}
    result['score'] = result['acc']
    return result
"""),
    _single("""\
    result = {'acc': 1.0}
    result |= {'score': 1.0}
    return result
"""),
    _single("    return dict({'acc': 1.0}, score=1.0)\n"),
    _single("    return {**defaults(), 'acc': 1.0}\n"),
    _single("""\
    result = {'acc': 1.0}
    finish(result)
    return result
"""),
    _single("""\
    key = args.metric
    return {key: 1.0}
"""),
    """\
KEYS = ('score', 'acc')


"""
    + _single("    return dict.fromkeys(KEYS, 0.0)\n"),
    """\
KEYS = ('score', 'acc')


"""
    + _single("    return {key: 0.0 for key in KEYS}\n"),
    Example(_batch("    return [{'score': 1.0} for sample in samples]\n")),
    """\
SCORE = 'score'


"""
    + _single("    return {SCORE: 1.0}\n"),
]

INVALID = [
    Example(_single("    return {'acc': 1.0}\n"), findings=((2, 5),)),
    Example(
        _single("""\
    if not sample.response:
        return {'acc': 0.0, 'why': 'empty'}
    return {'score': 1.0}
"""),
        findings=((3, 9),),
    ),
    Example(_single("    return dict(accuracy=1.0)\n"), findings=((2, 5),)),
    Example(
        _single("""\
    result = {}
    result['reward'] = 1.0
    return result
"""),
        findings=((4, 5),),
    ),
    Example(
        """\
def compute(text):
    return {'acc': float(bool(text)), 'Score': 1.0}


"""
        + _single("    return compute(sample.response)\n"),
        findings=((2, 5),),
    ),
    Example(
        _single("""\
    result = {'score': 1.0, 'acc': 1}
    del result['score']
    return result
"""),
        findings=((4, 5),),
    ),
    Example(_single("    return {'scores': {'score': 1.0}}\n"), findings=((2, 5),)),
    Example(
        _single("""\
    acc = {'acc': 1.0}
    return acc if sample.label else {'score': 0.0, **acc}
"""),
        findings=((3, 5),),
    ),
    Example(
        _batch("    return [{'acc': float(bool(sample.label))} for sample in samples]\n"), findings=((_REWARD, 2, 5),)
    ),
    Example(
        """\
from dataclasses import asdict, dataclass


@dataclass
class Result:
    acc: float


"""
        + _single("    return asdict(Result(acc=1.0))\n"),
        findings=((10, 5),),
    ),
    Example(
        _single("""\
    try:
        value = float(sample.response)
    except ValueError as error:
        return {'error': str(error)}
    return {'score': value}
"""),
        findings=((5, 9),),
    ),
]


@rule("RLX208", "score-key", WARNING, on="reward", valid=VALID, invalid=INVALID)
def score_key(use: RewardUse, project: Project) -> Iterator[Finding | NotChecked]:
    """Say it where the dict is returned."""
    if use.hidden is not None:
        yield NotChecked(use.place, use.hidden)
        return
    yield from on_every(use, lambda function: _judged(use, function))


def _judged(use: RewardUse, function: Function) -> Iterator[Finding]:
    from relax_lint.flow.shapes import Dictionary

    if use.plainly_gives("score", function):
        return
    said: set[tuple[int, int]] = set()
    for way, part in use.values(function):
        place = use.shown(exit_place(way))
        if not isinstance(part, Dictionary) or part.open or part.get("score") or (place.start, place.end) in said:
            continue
        said.add((place.start, place.end))
        keys = ", ".join(str(entry.key) for entry in part.entries[:5]) or "no keys"
        message = f"the reward is a dict without score (it has {keys})"
        yield Finding(place, message, launch=use.launch, subject=use.name)
