"""Rewards that await what a function of the recipe returns."""

from __future__ import annotations

from relax_lint.rules import Example

_RUN, _REWARD = "examples/demo/run_demo.sh", "examples/demo/reward_demo.py"
_LAUNCH = "python3 relax/entrypoints/train.py --custom-rm-path examples.demo.reward_demo.reward_func\n"
_SCORE = """\
def score(text, label):
    if not text:
        return 0.0
    return float(text == label)


"""
_REWARDS = "async def reward_func(args, sample, **kwargs):\n"
_AWAITS = f"{_REWARDS}    return await score(sample.response, sample.label)\n"
_GATHERS = f"{_REWARDS}    return sum(await asyncio.gather(score(sample.response, ''), score('', sample.label)))\n"
_CATCHES = f"{_REWARDS}    try:\n        return await score('', '')\n    except TypeError:\n        return 0.0\n"

AWAITING_VALID = [
    f"async {_SCORE}{_AWAITS}",
    f"from elsewhere import score\n\n\n{_AWAITS}",
    f"from elsewhere import wrapped\n\n\n@wrapped\n{_SCORE}{_AWAITS}",
    f"from elsewhere import wrapped\n\n\n{_SCORE}score = wrapped(score)\n\n\n{_AWAITS}",
    f"{_SCORE.replace('return 0.0', 'return run(text)')}{_AWAITS}",
    f"import asyncio\n\n\n{_SCORE}{_AWAITS.replace('score(', 'asyncio.to_thread(score, ')}",
    f"{_SCORE}async def reward_func(args, sample, score=None, **kwargs):\n    return await score(sample.response)\n",
    f"{_SCORE}{_CATCHES}",
    """\
try:
    from elsewhere import score
except ImportError:

    def score(text, label):
        return 1.0


"""
    + _AWAITS,
    """\
def score(text, label):
    async def later():
        return 1.0

    return later()


"""
    + _AWAITS,
    """\
import asyncio

"""
    + _SCORE
    + """\
async def reward_func(args, sample, **kwargs):
    made = score(sample.response, sample.label)
    return await made if asyncio.iscoroutine(made) else made
""",
]

AWAITING_INVALID = [
    Example(f"{_SCORE}{_AWAITS}", findings=((8, 18),), fixed=f"{_SCORE}{_AWAITS.replace('await ', '')}"),
    Example(f"import asyncio\n\n\n{_SCORE}{_GATHERS}", findings=((11, 37), (11, 65))),
    Example(
        {
            _RUN: _LAUNCH,
            _REWARD: f"from .scores import score\n\n\n{_AWAITS}",
            "examples/demo/scores.py": "from .parts import score as score\n",
            "examples/demo/parts.py": _SCORE,
        },
        findings=((_REWARD, 5, 18),),
        fixed={_REWARD: f"from .scores import score\n\n\n{_AWAITS.replace('await ', '')}"},
    ),
    Example(
        f"{_SCORE}async def judged(text):\n    return await score(text, '')\n\n\n"
        f"{_REWARDS}    return await judged(sample.response)\n",
        findings=((8, 18),),
        fixed=f"{_SCORE}async def judged(text):\n    return score(text, '')\n\n\n"
        f"{_REWARDS}    return await judged(sample.response)\n",
    ),
]
