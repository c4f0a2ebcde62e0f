"""The reward function cannot take what Relax gives it.

## What

A function that cannot be called with two positional arguments, or whose parameters are verl's (`solution_str`,
`ground_truth`, `data_source`, `extra_info` …). Warnings: no `**kwargs`, and other names than the guide's `args` and
`sample` or `samples` (a leading underscore is fine). What `partial` has bound already is left out; functions that take
`*args` are fine.

## Why

Relax calls `rm_function(args, sample)`, by position, and passes keyword arguments on where a rollout gives any. Too
many required parameters are a TypeError with the first sample; verl's parameters receive the command line and a
Sample object where they expect texts.

## Source

Guide: ALWAYS provide `async def reward_func(args, sample: Sample, **kwargs)`, or `samples: list[Sample]` with
`--group-rm`.

## Example

    async def reward_func(data_source, solution_str, ground_truth, extra_info=None): ...

## Fix

Adds `**kwargs`. A function with verl's parameters stays as it is: write `reward_func` around it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Edit, Finding, Fix, NotChecked
from relax_lint.fixers.python_edits import add_keywords
from relax_lint.project import Project
from relax_lint.rewards import RewardUse, function_place, on_every
from relax_lint.rules import ERROR, WARNING, Example, rule

if TYPE_CHECKING:
    from relax_lint.flow.shapes import Function

VERL_PARAMETERS = frozenset(
    {
        *("data_source", "solution_str", "ground_truth", "extra_info", "predict_str", "model_output"),
        *("data_sources", "solution_strs", "ground_truths", "extra_infos", "reward_router_address"),
    }
)
GUIDE_NAMES = (("args",), ("sample", "samples"))

VALID = [
    """\
async def reward_func(args, sample, **kwargs):
    return 1.0
""",
    """\
async def reward_func(args, samples: list, **kwargs):
    return [1.0] * len(samples)
""",
    """\
async def reward_func(_args, sample: "Sample", /, **_):
    return 1.0
""",
    """\
async def reward_func(args, sample, *, weight=1.0, **kwargs):
    return weight
""",
    """\
async def reward_func(*args, **kwargs):
    return 1.0
""",
    """\
from functools import partial


async def _score(rules, args, sample, weight, **kwargs):
    return weight


reward_func = partial(_score, {}, weight=0.5)
""",
    """\
class Judge:
    async def __call__(self, args, sample, **kwargs):
        return 1.0


reward_func = Judge()
""",
    """\
import functools


def logged(function):
    @functools.wraps(function)
    async def inner(*args, **kwargs):
        return await function(*args, **kwargs)

    return inner


@logged
async def reward_func(a, b):
    return 1.0
""",
    """\
from elsewhere import decorate


@decorate
async def reward_func(sample):
    return 1.0
""",
    """\
def compute_score(solution_str, ground_truth, extra_info=None):
    return 1.0


async def reward_func(args, sample, extra=None, **kwargs):
    return compute_score(sample.response, sample.label)
""",
    """\
async def _single(args, sample, **kwargs):
    return 1.0


reward_func = _single
""",
]

INVALID = [
    Example(
        """\
async def reward_func(args, sample):
    return 1.0
""",
        findings=((1, 11, WARNING),),
        fixed="""\
async def reward_func(args, sample, **kwargs):
    return 1.0
""",
    ),
    Example(
        """\
async def reward_func(
    args,
    sample: "Sample",  # scored
) -> float:
    return 1.0
""",
        findings=((1, 11, WARNING),),
        fixed="""\
async def reward_func(
    args,
    sample: "Sample",  # scored
    **kwargs,
) -> float:
    return 1.0
""",
    ),
    Example(
        """\
async def reward_func(data_source, solution_str, ground_truth, extra_info=None):
    return 1.0
""",
        findings=((1, 11),),
    ),
    Example(
        """\
def compute_score(solution_str, ground_truth, **kwargs):
    return 1.0


reward_func = compute_score
""",
        findings=((1, 5),),
    ),
    Example(
        """\
async def reward_func(sample, **kwargs):
    return 1.0
""",
        findings=((1, 11),),
    ),
    Example(
        """\
async def reward_func(args, sample, tokenizer, **kwargs):
    return 1.0
""",
        findings=((1, 11),),
    ),
    Example(
        """\
async def reward_func(*, args, sample):
    return 1.0
""",
        findings=((1, 11),),
    ),
    Example(
        """\
async def reward_func(config, item, **kwargs):
    return 1.0
""",
        findings=((1, 11, WARNING),),
    ),
    Example(
        """\
async def reward_func(sample, args):
    return 1.0
""",
        findings=((1, 11, WARNING), (1, 11, WARNING)),
        fixed="""\
async def reward_func(sample, args, **kwargs):
    return 1.0
""",
    ),
    Example(
        """\
class Judge:
    async def __call__(self, args, sample, label):
        return 1.0


reward_func = Judge()
""",
        findings=((2, 15),),
    ),
    Example(
        """\
import functools


async def _score(args, sample, weight=1.0):
    return weight


reward_func = functools.partial(_score, weight=0.5)
""",
        findings=((4, 11, WARNING),),
        fixed="""\
import functools


async def _score(args, sample, weight=1.0, **kwargs):
    return weight


reward_func = functools.partial(_score, weight=0.5)
""",
    ),
    Example("reward_func = lambda args: 1.0\n", findings=((1, 15),)),
    Example(
        """\
async def reward_func(args, sample, /, *rest):
    return 1.0
""",
        findings=((1, 11, WARNING),),
        fixed="""\
async def reward_func(args, sample, /, *rest, **kwargs):
    return 1.0
""",
    ),
]


@rule("RLX203", "reward-signature", ERROR, on="reward", valid=VALID, invalid=INVALID, fixable="safe")
def reward_signature(use: RewardUse, project: Project) -> Iterator[Finding | NotChecked]:
    """Say it at the name of the function that is really called."""
    if use.hidden is not None:
        yield NotChecked(use.place, use.hidden)
        return
    yield from on_every(use, lambda function: _judged(use, function, project))


def _judged(use: RewardUse, function: Function, project: Project) -> Iterator[Finding]:
    def finding(message: str, fix: Fix | None = None, *, error: bool = True) -> Finding:
        severity = ERROR if error else WARNING
        place = use.shown(function_place(function))
        return Finding(place, message, severity=severity, fix=fix, launch=use.launch, subject=use.name)

    names = free_names(function)
    foreign = [name for name in names[:2] if name in VERL_PARAMETERS]
    if not use.takes_two(function):
        takes = f"takes ({', '.join(names)})" if names else "takes no positional arguments"
        whose = ", verl's parameters" if foreign else ""
        yield finding(f"{use.name} cannot be called as (args, sample): it {takes}{whose}")
        return
    if foreign:
        yield finding(f"{use.name} takes verl's {' and '.join(foreign)}: Relax passes args and a Sample")
        return
    if len(names) >= 2 and not all(
        name.lstrip("_") in wanted for name, wanted in zip(names, GUIDE_NAMES, strict=False)
    ):
        message = f"{use.name} names its parameters {names[0]} and {names[1]}: the guide's are args and sample"
        yield finding(message, error=False)
    if function.node.args.kwarg is None:
        yield finding(f"{use.name} takes no **kwargs", _fix(use, function, project), error=False)


def free_names(function: Function) -> list[str]:
    """The positional parameters that a call still has to give."""
    given = {name for name, _ in function.keywords}
    spec = function.node.args
    free = [*spec.posonlyargs, *spec.args][len(function.bound) :]
    required = len([*spec.posonlyargs, *spec.args]) - len(spec.defaults) - len(function.bound)
    return [
        parameter.arg
        for index, parameter in enumerate(free)
        if parameter.arg not in given and (index < max(required, 2))
    ]


def _fix(use: RewardUse, function: Function, project: Project) -> Fix | None:
    node = function.node
    if isinstance(node, ast.Lambda) or project.recipe_of(function.source.path) is None:
        return None
    if any(
        isinstance(part, (ast.Name, ast.arg)) and "kwargs" in (getattr(part, "id", ""), getattr(part, "arg", ""))
        for part in ast.walk(node)
    ):
        return None
    source = function.source

    def edits() -> list[Edit]:
        edit = add_keywords(source, node, "kwargs")
        return [] if edit is None else [edit]

    return Fix("add **kwargs", edits)
