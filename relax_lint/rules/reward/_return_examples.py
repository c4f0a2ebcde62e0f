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
