"""Some way through the reward function returns what is no reward.

## What

A way that returns None or reaches the function's end, a tuple, a string, a coroutine that nobody awaits; of a
single-sample function a list; of a batch function a number, a dict, or a list that can have fewer or more items than
there are samples. An object of a class that is no number, and in which Relax finds no key: a dataclass, a
`SimpleNamespace`; not where a function of the launch makes numbers of rewards. Ways that return numbers beside ways
that return dicts. A dict that has something else than a number under the launch's `--reward-key`. A reward of which
every call ends in `raise NotImplementedError`, in itself or in a function that it always calls: it is still to be
written. Calls within the recipe are followed, with what they are called with; so are branches, early returns,
exceptions, loops that may not run, dicts built key by key. Booleans, integers, numpy scalars and tensors of no
dimension are numbers. What is not known is left alone.

## Why

Training builds a tensor from all rewards of a rollout, or takes one key of each: a single None, string or tuple ends
the run, hours in, on the first response that takes this way. Of a list that is too short, Relax silently leaves the
last samples without a reward.

## Source

Guide: ALWAYS return a dict with a `"score"` key, or a plain float; a list with one of them for each sample in batch
mode.

## Example

    async def reward_func(args, sample, **kwargs):
        if sample.response:
            return {"score": 1.0}

## Fix

None is safe, for only the author knows what such a response deserves. `--unsafe-fixes` awaits a forgotten coroutine,
and gives 0 where nothing is returned.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Edit, Finding, Fix, NotChecked, Related
from relax_lint.fixers.python_edits import append_statement
from relax_lint.project import Project
from relax_lint.rewards import KEY, RewardUse, exit_place, on_every
from relax_lint.rules import ERROR, Example, rule
from relax_lint.rules.reward._return_examples import MORE_INVALID, MORE_VALID, REWARD, batch, single

if TYPE_CHECKING:
    from relax_lint.flow.shapes import Exit, Function
    from relax_lint.reward_values import CalledForm

VALID: list[str | Example] = [
    single("    return float(sample.response == sample.label)\n"),
    single("""\
    if not sample.response:
        return {'score': 0.0}
    result = {'score': 1.0}
    result['acc'] = True
    return result
"""),
    single("""\
    for attempt in range(3):
        try:
            return {'score': await judge(sample)}
        except TimeoutError:
            if attempt == 2:
                raise
"""),
    single("""\
    for attempt in range(args.retries):
        try:
            return float(await judge(sample))
        except TimeoutError:
            if attempt == args.retries - 1:
                raise
"""),
    single("""\
    while True:
        reply = await judge(sample)
        if reply:
            return float(reply)
"""),
    single("""\
    if type(sample) is list:
        return [1.0 for _ in sample]
    return 0.0
"""),
    """\
async def reward_func(args, samples, **kwargs):
    single = not isinstance(samples, list)
    rewards = [1.0 for _ in ([samples] if single else samples)]
    return rewards[0] if single else rewards
""",
    single("""\
    result = None
    found = False
    for line in sample.response.splitlines():
        if line.startswith('####'):
            result, found = {'score': 1.0}, True
    if not found:
        return {'score': 0.0}
    return result
"""),
    """\
def extract(text):
    return text.split('####')[-1] if '####' in text else None


"""
    + single("""\
    answer = extract(sample.response)
    if answer is None:
        return 0.0
    return 1.0 if answer == sample.label else 0
"""),
    """\
import asyncio


def score(text):
    return {'score': float(bool(text))}


"""
    + single("    return await asyncio.to_thread(score, sample.response)\n"),
    """\
def fail(reason):
    raise ValueError(reason)


"""
    + single("""\
    if sample.label is None:
        fail('no label')
    else:
        return 1.0
"""),
    single("""\
    match sample.status:
        case Sample.Status.COMPLETED:
            return 1.0
        case Sample.Status.TRUNCATED:
            return 0.0
"""),
    """\
import judges


"""
    + single("""\
    if not sample.response:
        return judges.nothing()
    return judges.score(sample)
"""),
    """\
import numpy as np


"""
    + single("""\
    if sample.label:
        return np.float32(1.0)
    return bool(sample.response)
"""),
    Example(
        batch("""\
    rewards = []
    for sample in samples:
        if not sample.response:
            rewards.append({'score': 0.0})
            continue
        rewards.append({'score': 1.0})
    return rewards
""")
    ),
    Example(
        batch("""\
    if not samples:
        return []
    rewards = [0.0] * len(samples)
    for i, sample in enumerate(samples):
        if sample.label:
            rewards[i] = 1.0
    return rewards
""")
    ),
    Example(
        batch("""\
import asyncio


async def one(sample):
    return 1.0


async def reward_func(args, samples, **kwargs):
    return await asyncio.gather(*[one(sample) for sample in samples])
""")
    ),
    Example(
        batch("""\
    rewards = [float(s.response == s.label) for s in samples if s.label]
    rewards += [0.0] * (len(samples) - len(rewards))
    return rewards
""")
    ),
    Example(
        batch("""\
import asyncio


async def reward_func(args, samples, **kwargs):
    rewards = []

    async def one(sample):
        rewards.append(1.0)

    await asyncio.gather(*map(one, samples))
    return rewards
""")
    ),
    *MORE_VALID,
]

INVALID = [
    Example(
        single("""\
    if sample.response == sample.label:
        return 1.0
    elif sample.response:
        return 0.1
"""),
        findings=((1, 11),),
        fixed=single("""\
    if sample.response == sample.label:
        return 1.0
    elif sample.response:
        return 0.1
    return 0.0
"""),
        unsafe=True,
    ),
    Example(
        single("""\
    if not sample.response:
        return
    return {'score': 1.0}
"""),
        findings=((3, 9),),
        fixed=single("""\
    if not sample.response:
        return {"score": 0.0}
    return {'score': 1.0}
"""),
        unsafe=True,
    ),
    Example(
        """\
def compute_score(text, label):
    score = float(text == label)
    print(score)


"""
        + single("    return compute_score(sample.response, sample.label)\n"),
        findings=((1, 5),),
    ),
    Example(
        single("""\
    try:
        return float(sample.response)
    except ValueError:
        print('no number')
"""),
        findings=((1, 11),),
    ),
    Example(
        single("""\
    for line in sample.response.splitlines():
        if line == sample.label:
            return 1.0
"""),
        findings=((1, 11),),
    ),
    Example(
        single("""\
    correct = sample.response == sample.label
    return (1.0 if correct else 0.0), {'correct': correct}
"""),
        findings=((3, 5),),
    ),
    Example(
        single("""\
    score = 1.0
    return f'{score:.2f}'
"""),
        findings=((3, 5),),
    ),
    Example(
        """\
async def judge(sample):
    return {'score': 1.0}


"""
        + single("    return judge(sample)\n"),
        findings=((6, 5),),
        fixed="""\
async def judge(sample):
    return {'score': 1.0}


"""
        + single("    return await judge(sample)\n"),
        unsafe=True,
    ),
    Example(
        single("""\
    scores = []
    for part in sample.response.split():
        scores.append(1.0)
    return scores
"""),
        findings=((5, 5),),
    ),
    Example(
        """\
def score(text):
    if not text:
        return 0.0
    result = dict(score=1.0)
    result.update(acc=1)
    return result


"""
        + single("    return score(sample.response)\n"),
        findings=((3, 9),),
    ),
    Example(
        """\
from contextlib import suppress


"""
        + single("""\
    with suppress(Exception):
        return float(sample.response)
"""),
        findings=((4, 11),),
    ),
    Example(
        """\
def parse(text, strict=True):
    if strict:
        return None
    return 0.0


"""
        + single("""\
    value = parse(sample.response)
    return value
"""),
        findings=((9, 5),),
    ),
    Example(
        """\
def score(sample):
    return 1.0


"""
        + single("    return score\n"),
        findings=((6, 5),),
    ),
    Example(
        batch("""\
    rewards = []
    for sample in samples:
        if not sample.label:
            continue
        rewards.append(1.0)
    return rewards
"""),
        findings=((REWARD, 7, 5),),
    ),
    Example(
        batch("""\
    rewards = []
    for sample in samples:
        rewards.append(0.0)
        if sample.label:
            rewards.append(1.0)
    return rewards
"""),
        findings=((REWARD, 7, 5),),
    ),
    Example(
        batch("""\
    best = max(len(s.response) for s in samples)
    return best / 10
"""),
        findings=((REWARD, 3, 5),),
    ),
    Example(
        batch("""\
async def one(sample):
    return 1.0


async def reward_func(args, samples, **kwargs):
    return [one(sample) for sample in samples]
"""),
        findings=((REWARD, 6, 5),),
    ),
    *MORE_INVALID,
]


@rule("RLX205", "reward-return", ERROR, on="reward", valid=VALID, invalid=INVALID, fixable="unsafe")
def reward_return(use: RewardUse, project: Project) -> Iterator[Finding | NotChecked]:
    """Say it at the ``return`` that is wrong, or at the function whose end is reached."""
    if use.hidden is not None:
        yield NotChecked(use.place, use.hidden)
        return
    yield from on_every(use, lambda function: _judged(use, function))


def _judged(use: RewardUse, function: Function) -> Iterator[Finding]:
    from relax_lint.reward_values import with_dicts
    from relax_lint.unwritten import UNWRITTEN, raised_always

    if (unwritten := raised_always(function, use.interpreter)) is not None:
        yield Finding(unwritten, f"{use.name} {UNWRITTEN}", launch=use.launch, subject=use.name)
        return
    form, key = use.called_in(function), use.key
    plain = use.plainly_gives("score", function) and (not key or use.plainly_gives(key, function, number=True))
    if form is None or plain:
        return
    exits = use.exits(function)
    dicts = with_dicts(exits, form)
    said: set[tuple[int, int]] = set()
    for way in exits:
        place = use.shown(exit_place(way))
        beside = [other for other in exits if other.node is way.node]
        message, related = _fault(use, way, beside, dicts, form)
        if message is None or (place.start, place.end) in said:
            continue
        said.add((place.start, place.end))
        subject = getattr(way.function, "name", use.name)
        fix = _fix(use, way, function, form, bool(dicts))
        yield Finding(place, f"{subject} {message}", fix=fix, related=related, launch=use.launch, subject=subject)


def _fault(
    use: RewardUse, way: Exit, beside: list[Exit], dicts: list[Exit], form: CalledForm
) -> tuple[str | None, tuple[Related, ...]]:
    """What is wrong with what a way out returns, and the places that explain it; ``beside`` is the same ``return``."""
    from relax_lint.reward_objects import fault_of_object
    from relax_lint.reward_values import fault, fault_under, mixed

    if message := fault(way.shape, form):
        return message, ()
    if message := mixed(way, dicts, form):
        return message, (Related(exit_place(dicts[0]), "a dict is returned here"),)
    message = (fault_under(use.key, way, form) if use.key else None) or fault_of_object(use, beside, form)
    argument = use.launch.last(KEY)
    place = None if argument is None else argument.word.place
    return message, (Related(place, f"{KEY} is given here"),) if message and use.key and place is not None else ()


def _fix(use: RewardUse, way: Exit, function: Function, form: str, dicts: bool) -> Fix | None:
    from relax_lint.flow.shapes import Awaitable, NoneValue

    source, node = way.source, way.node
    if use.project.recipe_of(source.path) is None:
        return None
    if isinstance(way.shape, Awaitable):
        if not isinstance(way.function, ast.AsyncFunctionDef) or not isinstance(node, ast.Return) or node.value is None:
            return None
        start = source.place(node.value).start
        reason = "what the coroutine returns has not been looked at as a reward"
        return Fix("await it", lambda: [Edit(source.path, start, start, "await ")], safe=False, reason=reason)
    if not isinstance(way.shape, NoneValue) or form != "single" or way.function is not function.node:
        return None
    value = '{"score": 0.0}' if dicts else "0.0"
    reason = "only the author knows what such a response deserves"
    if isinstance(node, ast.Return) and (node.value is None or isinstance(node.value, ast.Constant)):
        return Fix(
            f"return {value}", lambda: [Edit.at(source.place(node), f"return {value}")], safe=False, reason=reason
        )
    if way.falls_off and isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        edit = append_statement(source, node, f"return {value}")
        return None if edit is None else Fix(f"return {value} at the end", lambda: [edit], safe=False, reason=reason)
    return None
