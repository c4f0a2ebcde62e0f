"""Trees for the examples of what reward functions return, and those of what is under ``--reward-key``."""

from __future__ import annotations

from relax_lint.rules import Example

REWARD = "examples/demo/reward_demo.py"
_RUN = "examples/demo/run_demo.sh"
_LAUNCH = "python3 relax/entrypoints/train.py --custom-rm-path examples.demo.reward_demo.reward_func"
_JUDGE = """\
async def judge(sample):
    return 1.0


"""


def single(body: str) -> str:
    """A reward for one sample."""
    return "async def reward_func(args, sample, **kwargs):\n" + body


def batch(body: str) -> dict[str, str]:
    """A reward for all samples of a prompt, and a launch of it; ``body`` may be a whole module."""
    code = body if "def reward_func" in body else "async def reward_func(args, samples, **kwargs):\n" + body
    return {_RUN: f"{_LAUNCH} --group-rm\n", REWARD: code}


def _keyed(body: str, key: str = "score", more: str = "") -> dict[str, str]:
    """A reward for one sample, in whose dicts the launch looks for the number."""
    code = body if "def reward_func" in body else single(body)
    return {_RUN: f"{_LAUNCH} --reward-key {key}{more}\n", REWARD: code}


VALID_UNDER_KEY = [
    Example(_keyed("    return {'score': float(sample.label == 'x'), 'why': None}\n")),
    Example(_keyed("    return {'score': 1.0, 'why': 'exact'}\n", "why", " --custom-reward-post-process-path a.b.c")),
    Example(_keyed("    return {'score': grade(sample)}\n")),
    Example(
        _keyed("""\
    score = None
    for line in sample.response.splitlines():
        if line == sample.label:
            score = 1.0
    if score is None:
        score = 0.0
    return {'score': score}
""")
    ),
    Example(
        _keyed(
            _JUDGE
            + single("""\
    result = {'score': judge(sample)}
    result['score'] = await result['score']
    return result
""")
        )
    ),
    Example(
        _keyed("""\
    result = {'score': None, 'acc': None}
    for key, value in grades(sample):
        result[key] = value
    return result
""")
    ),
]

INVALID_UNDER_KEY = [
    Example(
        _keyed(_JUDGE + single("    return {'score': judge(sample)}\n")),
        findings=((REWARD, 6, 5),),
    ),
    Example(_keyed("    return {'score': None}\n"), findings=((REWARD, 2, 5),)),
    Example(
        _keyed("""\
    score = None
    if sample.response:
        score = 1.0
    return {'score': score}
"""),
        findings=((REWARD, 5, 5),),
    ),
    Example(_keyed("    return {**sample.metadata, 'score': str(sample.label)}\n"), findings=((REWARD, 2, 5),)),
    Example(_keyed("    return {'score': '1.0'}\n"), findings=((REWARD, 2, 5),)),
    Example(_keyed("    return {'score': 1.0, 'parts': (1.0, 2)}\n", "parts"), findings=((REWARD, 2, 5),)),
    Example(
        {
            _RUN: f"{_LAUNCH} --group-rm --reward-key score\n",
            REWARD: """\
async def reward_func(args, samples, **kwargs):
    return [{'score': str(sample.label)} for sample in samples]
""",
        },
        findings=((REWARD, 2, 5),),
    ),
]

_STUB = """\
def compute_score(text):
    '''What scores goes here.'''
    raise NotImplementedError('later')


"""
_SCORED = single("    return {'score': compute_score(sample.response)}\n")
_BASE = """\
class Judge:
    def score(self, sample):
        raise NotImplementedError

    async def __call__(self, args, sample, **kwargs):
        return self.score(sample)


"""
_EXACT = """\
class Exact(Judge):
    def score(self, sample):
        return float(sample.response == sample.label)


reward_func = Exact()
"""
_CALLED = """\
class Judge:
    async def __call__(self, args, sample, **kwargs):
        raise NotImplementedError


reward_func = Judge()
"""


def _unwritten(reward: str, line: int, column: int = 5) -> Example:
    files = {_RUN: f"{_LAUNCH} --reward-key score\n", REWARD: reward}
    return Example(files, findings=((REWARD, line, column),))


_OBJECT = """\
from dataclasses import dataclass


@dataclass
class Score:
    score: float


"""
MORE_INVALID = [
    *INVALID_UNDER_KEY,
    _unwritten(single("    raise NotImplementedError\n"), 2),
    _unwritten(single("    text = sample.response.strip()\n    raise NotImplementedError('score ' + text)\n"), 3),
    _unwritten(_STUB + _SCORED, 3),
    _unwritten(_STUB + single("    score = compute_score(sample.response)\n    return score\n"), 3),
    _unwritten(f"async {_STUB}{_SCORED.replace('compute', 'await compute')}", 3),
    _unwritten(_CALLED, 3, 9),
    Example(single("    sample.reward = 1.0\n    return sample\n"), findings=((3, 5),)),
    Example(single("    return {'yes': 1.0, 'no': 0.0}.get(sample.label)\n"), findings=((2, 5),)),
    Example(batch("    return [x for s in samples for x in (1.0, 2.0)]\n"), findings=((REWARD, 2, 5),)),
    Example(batch("    return [s.response == 'x' for s in samples if s.label]\n"), findings=((REWARD, 2, 5),)),
    Example(batch("    return samples\n"), findings=((REWARD, 2, 5),)),
    Example(batch("    return {'score': [1.0 for _ in samples]}\n"), findings=((REWARD, 2, 5),)),
    Example(batch("    return [{'score': 1.0} if s.label else 0.0 for s in samples]\n"), findings=((REWARD, 2, 5),)),
    Example(
        batch("    rewards = []\n    for sample in samples:\n        rewards.append(1.0)\n        return rewards\n"),
        findings=((REWARD, 5, 9),),
    ),
    Example(_OBJECT + single("    return Score(1.0)\n"), findings=((10, 5),)),
]
MORE_VALID: list[str | Example] = [
    *VALID_UNDER_KEY,
    _OBJECT.replace("    score: float", "    score: float\n\n    def __float__(self):\n        return self.score")
    + single("    return Score(1.0)\n"),
    single("    if not sample.label:\n        raise NotImplementedError\n    return 1.0\n"),
    single("    raise ValueError(sample.label)\n"),
    _STUB + single("    return compute_score(sample.response) if sample.label else 0.0\n"),
    _STUB + single("    try:\n        return compute_score('')\n    except NotImplementedError:\n        return 0.0\n"),
    _STUB + single("    later = lambda: compute_score('')\n    return float(callable(later))\n"),
    _STUB.replace("    raise", "    if text:\n        return 1.0\n    raise") + _SCORED,
    _BASE + _EXACT,
]
