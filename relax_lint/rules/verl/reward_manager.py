"""A reward manager of verl is left: Relax calls reward functions, and never a manager.

## What

A class that derives from one of verl's reward managers (naive, batch, dapo, prime, rate_limited, remote, gdpo, and the
bases of the worker and of the reward loop), directly or through the recipe's own classes; one that is registered as
such, by a decorator or a call; and one that is built as verl's first generations were, with `num_examine` and a
`__call__` for a whole batch.

## Why

Relax scores each sample with the function that `--custom-rm-path` names. A manager is never made or called: what it
does to the scores does not happen, and its base is not there to import.

## Source

Guide: verl's manager classes become `--custom-rm-path`; those that score whole batches a reward with `--group-rm`.

## Example

    @register("dapo")
    class OverlongRewardManager(DAPORewardManager):
        ...

## Fix

By hand: move what scores into `async def reward_func(args, sample, **kwargs)`. Decoding, padding and writing the reward
tensor are Relax's.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.catalog.verl_names import (
    REGISTERING,
    REWARD_MANAGER_ENDINGS,
    REWARD_MANAGER_MODULES,
    is_in,
    manager_advice,
)
from relax_lint.diagnostics import Finding
from relax_lint.rules import ERROR, Example, rule
from relax_lint.rules.verl.leftovers import derived_classes, is_verls, mentions

if TYPE_CHECKING:
    from relax_lint.diagnostics import Place
    from relax_lint.flow.origins import Origins
    from relax_lint.project import Project
    from relax_lint.sources.python import PythonSource

_OLD_PARAMETER = "num_examine"

_REWARD = """\
async def reward_func(args, sample, **kwargs):
    return {"score": float(sample.response == sample.label)}
"""

VALID: list[str | Example] = [
    _REWARD,
    """\
class RewardManager:
    \"\"\"Ours: keeps the clients of the judges.\"\"\"

    def __init__(self, urls):
        self.urls = urls

    def __call__(self, text):
        return self.urls[len(text) % len(self.urls)]
""",
    """\
from examples.demo.managers import NaiveRewardManager


class Manager(NaiveRewardManager):
    pass
""",
    """\
SCORERS = {}


def register(name):
    def add(function):
        SCORERS[name] = function
        return function

    return add


@register("naive")
def naive(text):
    return float(bool(text))
""",
    Example(
        {
            "examples/demo/registry.py": "def register(name):\n    return lambda cls: cls\n",
            "examples/demo/reward_demo.py": """\
from examples.demo.registry import register


@register("dapo")
class DAPORewardManager:
    def __call__(self, samples):
        return [0.0 for _ in samples]
""",
        }
    ),
    '"""Once a NaiveRewardManager of verl.workers.reward_manager, with num_examine."""\n' + _REWARD,
    """\
from verl.workers.reward_manager import NaiveRewardManager

scores = []
""",
    """\
from verlib.workers.reward_manager import NaiveRewardManager


class Manager(NaiveRewardManager):
    pass
""",
    """\
from relax.engine.rewards import RewardExecutor


class Executor(RewardExecutor):
    def __call__(self, samples, num_examine=0):
        return samples
""",
    """\
import atexit
from functools import singledispatch


@singledispatch
def score(value):
    return 0.0


@score.register(str)
def _(value):
    return float(len(value))


@atexit.register
def close():
    pass
""",
    """\
from verl.single_controller.base.decorator import Dispatch, register


class Worker:
    @register(dispatch_mode=Dispatch.ONE_TO_ALL)
    def compute(self):
        return 1
""",
    Example(
        {
            "examples/demo/base.py": "class RewardManagerBase:\n    pass\n",
            "examples/demo/reward_demo.py": """\
from .base import RewardManagerBase


class Manager(RewardManagerBase):
    pass
""",
        }
    ),
]

INVALID = [
    Example(
        """\
from verl.workers.reward_manager import NaiveRewardManager


class MyRewardManager(NaiveRewardManager):
    pass
""",
        findings=((4, 7),),
    ),
    Example(
        """\
from verl.workers.reward_manager import register as register_manager
from verl.workers.reward_manager.abstract import AbstractRewardManager as Base


@register_manager("mine")
class Mine(Base):
    def __call__(self, data, return_dict=False):
        return data
""",
        findings=((6, 7),),
    ),
    Example(
        """\
import verl.workers.reward_manager as managers


@managers.register("dapo")
class Overlong:
    def __call__(self, data, return_dict=False):
        return data
""",
        findings=((5, 7),),
    ),
    Example(
        """\
import verl.workers.reward_manager.dapo


class Penalty(verl.workers.reward_manager.dapo.DAPORewardManager):
    pass


class Longer(Penalty):
    pass
""",
        findings=((4, 7), (8, 7)),
    ),
    Example(
        """\
from verl.experimental.reward_loop.reward_manager import register
from verl.experimental.reward_loop.reward_manager.base import RewardManagerBase


@register("judge")
class Judge(RewardManagerBase):
    async def run_single(self, data):
        return {"reward_score": 0.0}
""",
        findings=((6, 7),),
    ),
    Example(
        {
            "examples/demo/bases.py": """\
try:
    from verl.experimental.reward_loop.reward_manager.limited import RateLimitedRewardManager
except ImportError:
    RateLimitedRewardManager = object
Limited = RateLimitedRewardManager
""",
            "examples/demo/reward_demo.py": """\
from examples.demo import bases


class Judge(bases.Limited):
    pass
""",
        },
        findings=(("examples/demo/reward_demo.py", 4, 7),),
    ),
    Example(
        """\
from verl.workers.reward_manager import get_reward_manager_cls, register


class Scores:
    def __call__(self, data, return_dict=False):
        return data


register("scores")(Scores)
""",
        findings=((9, 1),),
    ),
    Example(
        """\
class RewardManager:
    def __init__(self, tokenizer, num_examine, compute_score=None):
        self.tokenizer = tokenizer
        self.num_examine = num_examine

    def __call__(self, data):
        return data
""",
        findings=((1, 7),),
    ),
    Example(
        """\
def build():
    from verl.workers.reward_manager.prime import PrimeRewardManager

    class Inner(PrimeRewardManager):
        pass

    return Inner
""",
        findings=((4, 11),),
    ),
    Example(
        """\
from verl.experimental.reward.reward_loop.base import RewardLoopManagerBase
from typing import Generic, TypeVar

T = TypeVar("T")


class Loop(Generic[T], RewardLoopManagerBase):
    pass
""",
        findings=((7, 7),),
    ),
    Example(
        """\
import importlib

dapo = importlib.import_module("verl.workers.reward_manager.dapo")


class Mixin:
    pass


class Penalty(Mixin, dapo.DAPORewardManager):
    pass
""",
        findings=((10, 7),),
    ),
    Example(
        """\
from verl.workers.reward_manager import *


class Batch(BatchRewardManager):
    pass
""",
        findings=((4, 7),),
    ),
    Example(
        """\
import verl.workers.reward_manager as managers

Penalty = type("Penalty", (managers.DAPORewardManager,), {"overlong": 4096})
""",
        findings=((3, 11),),
    ),
    Example(
        """\
from verl.workers.reward_manager.registry import REWARD_MANAGER_REGISTRY, get_reward_manager_cls, register

Base = get_reward_manager_cls("dapo")


class Longer(Base):
    pass


@register("scores")
def scores(data, return_dict=False):
    return data


REWARD_MANAGER_REGISTRY["plain"] = object
""",
        findings=((6, 7), (11, 5), (15, 1)),
    ),
    Example(
        """\
from .abstract import AbstractRewardManager


class Copied(AbstractRewardManager):
    pass
""",
        findings=((4, 7),),
    ),
]


@rule("RLX104", "reward-manager", ERROR, on="python", valid=VALID, invalid=INVALID)
def reward_manager(source: PythonSource, project: Project) -> Iterator[Finding]:
    """Say it at the class, or at the call that registers one from elsewhere."""
    if _OLD_PARAMETER not in source.text and not mentions(source, project, _MARKS):
        return
    from relax_lint.flow.origins import Origins

    origins = Origins(project)
    for made in derived_classes(origins, source):
        what, base = made.name, next(filter(_is_manager, made.bases), None)
        if base is not None:
            what = f"{made.name} derives from verl's {base.rpartition('.')[2]}"
        elif not isinstance(made.node, ast.ClassDef):
            continue
        elif any(_registers(origins, source, decorator) for decorator in made.node.decorator_list):
            what = f"{made.name} is registered as a reward manager of verl"
        elif _is_of_first_generation(made.node):
            what = f"{made.name} is a reward manager as verl calls them"
        else:
            continue
        message = f"{what}, which Relax never calls: {manager_advice(base or made.name)}"
        yield Finding(made.place, message, subject=made.name)
    for place, named in _registered(origins, source):
        message = f"{named} is registered as a reward manager of verl, which Relax never calls: {manager_advice(named)}"
        yield Finding(place, message, subject=named)


def _registered(origins: Origins, source: PythonSource) -> Iterator[tuple[Place, str]]:
    """What is registered otherwise than by a class's decorator: by a call, in verl's table, or a function."""
    for call in source.nodes(ast.Call):
        if isinstance(call.func, ast.Call) and _registers(origins, source, call.func):
            yield source.place(call), ast.unparse(call.args[0]) if call.args else "a class"
    for node in (*source.nodes(ast.FunctionDef), *source.nodes(ast.AsyncFunctionDef)):
        if isinstance(node, _FUNCTIONS) and any(_registers(origins, source, one) for one in node.decorator_list):
            yield source.name_place(node), node.name
    for statement in source.nodes(ast.Assign):
        for target in statement.targets:
            if isinstance(target, ast.Subscript) and any(map(_is_table, origins.of(source, target.value))):
                yield source.place(statement), ast.unparse(statement.value)


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _is_table(name: object) -> bool:
    return isinstance(name, str) and is_in(name, REWARD_MANAGER_MODULES) and name.endswith("REGISTRY")


_MARKS = ("RewardManager", "RewardLoopManager", "reward_manager", "reward_loop")


def _is_manager(name: str) -> bool:
    return is_verls(name) and (
        name.endswith(REWARD_MANAGER_ENDINGS)
        or (is_in(name, REWARD_MANAGER_MODULES) and ("Manager" in name or name.endswith("get_reward_manager_cls()")))
    )


def _registers(origins: Origins, source: PythonSource, decorator: ast.expr) -> bool:
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    if getattr(function, "attr", getattr(function, "id", None)) is None:
        return False
    return any(
        isinstance(name, str) and is_in(name, REWARD_MANAGER_MODULES) and name.rpartition(".")[2] in REGISTERING
        for name in origins.of(source, function)
    )


def _is_of_first_generation(node: ast.ClassDef) -> bool:
    """Whether a class is made and called as verl did it before there was a base to derive from."""
    methods = {part.name: part for part in node.body if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef))}
    made, called = methods.get("__init__"), methods.get("__call__")
    if made is None or called is None:
        return False
    names = {parameter.arg for parameter in (*made.args.args, *made.args.kwonlyargs)}
    return {"tokenizer", _OLD_PARAMETER} <= names
