"""The reward function is not async: Relax awaits what it returns.

## What

What a launch names in `--custom-rm-path` and what, called, gives something that cannot be awaited. `async def`,
partials and decorated forms of one, objects with an async `__call__`, and plain functions that return a coroutine, a
task or `asyncio.to_thread(…)` are fine. What cannot be told is left alone. Where the Relax at hand runs rewards that
are not async in workers of their own, it is a warning. The same inside: a reward that awaits a plain function of the
recipe, or hands what that returns to `asyncio.gather` and the like.

## Why

Relax calls `await rm_function(args, sample)`. A float or a dict cannot be awaited: the first score ends the rollout
with a TypeError, and so does an `await` of such a function in the reward.

## Source

Guide: ALWAYS provide an `async def reward_func(args, sample: Sample, **kwargs)` entry point.

## Example

    def reward_func(args, sample, **kwargs):
        return compute_score(sample.response, sample.label)

## Fix

Writes `async` in front of `def`, where no code needs the function as it is: calls it, hands it on, or wraps something
else in the same decorator. Where some does, the finding says which. Takes an `await` away that
cannot wait for anything.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from relax_lint.awaited_calls import in_vain
from relax_lint.catalog.rewards import runs_sync_rewards
from relax_lint.diagnostics import Finding, Fix, NotChecked, Place, Related
from relax_lint.fixers.python_edits import make_async
from relax_lint.project import Project
from relax_lint.rewards import RewardUse
from relax_lint.rules import ERROR, WARNING, Example, rule
from relax_lint.rules.reward._awaiting_examples import AWAITING_INVALID, AWAITING_VALID

if TYPE_CHECKING:
    from relax_lint.flow.shapes import Shape

_REWARD = "examples/demo/reward_demo.py"
_RUN = "examples/demo/run_demo.sh"
_LAUNCH = "python3 relax/entrypoints/train.py --custom-rm-path examples.demo.reward_demo.reward_func\n"
_WORKERS = """\
async def execute(self, args, sample, **kwargs):
    rm_function = load_function(args.custom_rm_path)
    if not asyncio.iscoroutinefunction(rm_function):
        return await self._next_worker().custom.remote(rm_function, args, sample)
    return await rm_function(args, sample, **kwargs)
"""
_SYNC = """\
def reward_func(args, sample, **kwargs):
    return 1.0
"""

VALID = [
    *AWAITING_VALID,
    """\
async def reward_func(args, sample, **kwargs):
    return 1.0
""",
    """\
async def _score(args, sample, **kwargs):
    return 1.0


def reward_func(args, sample, **kwargs):
    return _score(args, sample, **kwargs)
""",
    """\
import asyncio


def _score(text):
    return 1.0


def reward_func(args, sample, **kwargs):
    return asyncio.to_thread(_score, sample.response)
""",
    """\
from functools import partial


async def _score(args, sample, weight=1.0):
    return weight


reward_func = partial(_score, weight=0.5)
""",
    """\
class Judge:
    async def __call__(self, args, sample, **kwargs):
        return 1.0


reward_func = Judge()
""",
    """\
class Judge:
    async def score(self, args, sample, **kwargs):
        return 1.0


reward_func = Judge().score
""",
    """\
import functools


def logged(function):
    @functools.wraps(function)
    async def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner


@logged
"""
    + _SYNC,
    """\
from tenacity import retry


@retry(stop=3)
"""
    + _SYNC,
    """\
from judges import make_reward

reward_func = make_reward('gsm8k')
""",
    """\
import judges


def reward_func(args, sample, **kwargs):
    return judges.score(sample)
""",
    """\
async def _score(args, sample):
    return 1.0


reward_func = lambda args, sample, **kwargs: _score(args, sample)
""",
    "try:\n    from fast_rewards import reward_func\nexcept ImportError:\n    " + _SYNC.replace("\n    ", "\n        "),
    """\
def reward_func(args, sample, **kwargs):
    raise NotImplementedError
""",
    """\
import asyncio


async def _score(sample):
    return 1.0


def reward_func(args, sample, **kwargs):
    return asyncio.ensure_future(_score(sample))
""",
]

INVALID = [
    *AWAITING_INVALID,
    Example(_SYNC, findings=((1, 1),), fixed="async " + _SYNC),
    Example(
        """\
def compute_score(text, label):
    return {'score': float(text == label)}


def reward_func(args, sample, **kwargs):
    return compute_score(sample.response, sample.label)
""",
        findings=((5, 1),),
        fixed="""\
def compute_score(text, label):
    return {'score': float(text == label)}


async def reward_func(args, sample, **kwargs):
    return compute_score(sample.response, sample.label)
""",
    ),
    Example(
        {
            _RUN: _LAUNCH,
            _REWARD: "from .scores import score as reward_func\n",
            "examples/demo/scores.py": """\


def score(args, sample, **kwargs):
    return 0
""",
        },
        findings=(("examples/demo/scores.py", 3, 1),),
        fixed={
            "examples/demo/scores.py": """\


async def score(args, sample, **kwargs):
    return 0
"""
        },
    ),
    Example("reward_func = lambda args, sample, **kwargs: 1.0\n", findings=((1, 15),)),
    Example(
        """\
from functools import partial


def _score(args, sample, weight=1.0, **kwargs):
    return weight


reward_func = partial(_score, weight=0.5)
""",
        findings=((4, 1),),
        fixed="""\
from functools import partial


async def _score(args, sample, weight=1.0, **kwargs):
    return weight


reward_func = partial(_score, weight=0.5)
""",
    ),
    Example(
        """\
class Judge:
    def __call__(self, args, sample, **kwargs):
        return 1.0


reward_func = Judge()
""",
        findings=((2, 5),),
        fixed="""\
class Judge:
    async def __call__(self, args, sample, **kwargs):
        return 1.0


reward_func = Judge()
""",
    ),
    Example(
        """\
class reward_func:
    def __init__(self, args, sample):
        self.score = 1.0
""",
        findings=((1, 1),),
    ),
    Example(
        """\
async def reward_func(args, sample, **kwargs):
    yield 1.0
""",
        findings=((1, 1),),
    ),
    Example(
        """\
import asyncio


async def _score(sample):
    return 1.0


def reward_func(args, sample, **kwargs):
    return asyncio.run(_score(sample))
""",
        findings=((8, 1),),
    ),
    Example(
        """\
async def _judge(sample):
    return 1.0


def reward_func(args, sample, **kwargs):
    if not sample.response:
        return 0.0
    return _judge(sample)
""",
        findings=((5, 1),),
    ),
    Example(
        """\
class Rewards:
    @staticmethod
    def exact(args, sample, **kwargs):
        return int(sample.response == sample.label)


reward_func = Rewards.exact
""",
        findings=((3, 5),),
        fixed="""\
class Rewards:
    @staticmethod
    async def exact(args, sample, **kwargs):
        return int(sample.response == sample.label)


reward_func = Rewards.exact
""",
    ),
    Example(
        _SYNC
        + """\


if __name__ == '__main__':
    print(reward_func(None, None))
""",
        findings=((1, 1),),
    ),
    Example(
        """\
def compute_score(data_source, solution_str, ground_truth, extra_info=None):
    return 1.0


reward_func = compute_score
""",
        findings=((1, 1),),
    ),
    Example(
        {
            _RUN: _LAUNCH,
            _REWARD: _SYNC,
            "relax/entrypoints/train.py": "",
            "relax/engine/rewards/__init__.py": _WORKERS,
        },
        findings=((_REWARD, 1, 1, WARNING),),
        fixed={_REWARD: "async " + _SYNC},
    ),
]


@rule("RLX202", "reward-not-async", ERROR, on="reward", valid=VALID, invalid=INVALID, fixable="safe")
def reward_not_async(use: RewardUse, project: Project) -> Iterator[Finding | NotChecked]:
    """Say it where the function is defined."""
    if use.hidden is not None:
        yield NotChecked(use.place, use.hidden)
        return
    found = [_judged(use, shape, project) for shape in use.shapes]
    yield from (finding for finding in found if finding is not None and all(found))
    yield from in_vain(use)


def _judged(use: RewardUse, shape: Shape, project: Project) -> Finding | None:
    from relax_lint.flow.shapes import Awaitable, Function, Library, Unknown, alternatives

    function = next((found for found in use.functions if len(use.shapes) == 1 or found == shape), None)
    if function is not None and shape == function and isinstance(function.node, ast.AsyncFunctionDef):
        if not use.interpreter.facts.scope(function.node).generator:
            return None
    in_batch = function is not None and use.form(function) == "batch"
    results = alternatives(use.result(shape, "batch" if in_batch else "single"))
    given = [
        result
        for result in results
        if not isinstance(result, (Awaitable, Unknown, Library)) and not _may_be_awaitable(use, result)
    ]
    if not given:
        return None
    tolerated = runs_sync_rewards(project, batch=use.batch is True)
    consequence = (
        "runs it in a worker; the guide wants async def"
        if tolerated
        else f"awaits {_what_is_awaited(given, always=len(given) == len(results))}"
    )
    fix = None
    if isinstance(function, Function) and len(given) == len(results):
        fix = _fix(use, function, project)
    return Finding(
        use.shown(_place(shape, function)),
        f"{use.name} {_what_it_is(shape, function)}: Relax {consequence}",
        severity=WARNING if tolerated else ERROR,
        fix=fix if isinstance(fix, Fix) else None,
        related=(fix,) if isinstance(fix, Related) else (),
        launch=use.launch,
        subject=use.name,
    )


def _what_it_is(shape: Shape, function: Shape | None) -> str:
    """What keeps a definition from being a coroutine function."""
    from relax_lint.flow.shapes import Class, Function

    if isinstance(shape, Class):
        return "is a class, not an async function"
    if isinstance(function, Function) and isinstance(function.node, ast.AsyncFunctionDef):
        return "has a yield, which makes it no coroutine"
    return "is not async"


def _what_is_awaited(given: Sequence[Shape], *, always: bool) -> str:
    """That none of the values that are returned can be awaited; None last, as it is what a return forgotten gives."""
    from relax_lint.flow.shapes import NoneValue, in_words

    values = list(dict.fromkeys(in_words(value) for value in sorted(given, key=lambda v: isinstance(v, NoneValue))))
    *others, last = values
    if not always:
        listed = f"{', '.join(others)} or {last}" if others else last
        return f"it, and on some way it returns {listed}, which cannot be awaited"
    if others:
        return f"it, and neither {', '.join(others)} nor {last} can be awaited"
    return f"it, and {last} cannot be awaited"


def _may_be_awaitable(use: RewardUse, result: Shape) -> bool:
    from relax_lint.flow.shapes import Instance

    return isinstance(result, Instance) and not use.lacks(result, "__await__")


def _place(shape: Shape, function: Shape | None) -> Place:
    """The head of the definition, from its keyword to its name: where ``async`` goes."""
    from relax_lint.flow.shapes import Class, Function

    if not isinstance(shape, Class):
        assert isinstance(function, Function)
        shape = function
    head = shape.source.place(shape.node)
    if isinstance(shape.node, ast.Lambda):
        return head
    return Place(shape.source, head.start, shape.source.name_place(shape.node).end)


def _fix(use: RewardUse, function: Shape, project: Project) -> Fix | Related | None:
    from relax_lint.flow.scopes import scope_of
    from relax_lint.flow.shapes import Function
    from relax_lint.plain_uses import plain_use

    if not isinstance(function, Function) or not isinstance(function.node, ast.FunctionDef):
        return None
    node, source = function.node, function.source
    recipe = project.recipe_of(source.path)
    if not use.takes_two(function):  # verl's own signature: it is to be wrapped
        return None
    if recipe is None or scope_of(node).generator or not _is_static(node) or _runs_loop(node):
        return None
    needed = plain_use(node, source, project)
    if needed is not None:
        return Related(needed, f"no fix: this needs {node.name} not to be async")
    return Fix("make it async def", lambda: [make_async(source, node)])


def _is_static(node: ast.FunctionDef) -> bool:
    return all(
        isinstance(part, ast.Name) and part.id in ("staticmethod", "classmethod") for part in node.decorator_list
    )


def _runs_loop(node: ast.FunctionDef) -> bool:
    """Whether it starts an event loop of its own, which cannot be done inside of one."""
    names = ("run", "run_until_complete")
    return any(isinstance(part, ast.Attribute) and part.attr in names for part in ast.walk(node))
