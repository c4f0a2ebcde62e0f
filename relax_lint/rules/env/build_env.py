"""The environment module has no `build_env` that the rollout can call.

## What

A module that a config's `rollout_interaction_env_path` or a rollout's `DEFAULT_ENV_MODULE` names, or an environment's
own, without `build_env`, or with one that can be called neither as `build_env(sample=…, args=…)` nor as
`build_env(sample, args)`, or that is async, or that is given each of the two by the other's name; or with an import
that fails, as RLX201 tells those of rewards. A warning where it can be called, but not in both ways, takes nothing
further, or has no defaults: the guide's is `build_env(sample=None, args=None, **_)`.

## Why

The rollout takes `build_env` from the module for every sample, calls it with keywords, and after any TypeError, one
raised inside of it too, once more by position. Without it, the first sample is an AttributeError; with other parameter
names, errors of `build_env` itself come back as complaints about its arguments.

## Source

Guide, step 2: `def build_env(sample: Sample = None, args=None, **_)`, a factory function, required by Relax's rollout;
`examples/deepeyes/rollout.py`.

## Example

    def build_env(args, tokenizer):
        return ZoomEnv(args.max_turns)

## Fix

Adds `**_` and the defaults.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Edit, Finding, Fix, NotChecked
from relax_lint.environment_files import holds_wanted, names_wanted
from relax_lint.fixers.python_edits import add_keywords
from relax_lint.import_findings import failing_besides, modules_of
from relax_lint.project import Project, Recipe
from relax_lint.rules import ERROR, WARNING, Example, rule

if TYPE_CHECKING:
    from relax_lint.diagnostics import Place
    from relax_lint.environments import Environments, EnvModule
    from relax_lint.flow.shapes import Function
    from relax_lint.sources.python import PythonSource

_ENV = "examples/demo/env_demo.py"
_NOT_AWAITED = "build_env is async: the rollout does not await it, and takes the coroutine for the environment"
_WANTED = "the guide's is build_env(sample=None, args=None, **_)"
_CONFIG = "examples/demo/demo_config.yaml"
_ROLLOUT = "examples/demo/rollout.py"
_CLASS = """\
from examples.demo.base_env import BaseInteractionEnv


class Env(BaseInteractionEnv):
    def reset(self):
        return {}, {}

    def step(self, response_text):
        return {"obs_str": "."}, True, {}
"""
_NAMES = f"max_turns: 3\nrollout_interaction_env_path: {_ENV[:-3].replace('/', '.')}\n"


def _env(text: str, head: str = _CLASS + "\n\n", **others: str) -> dict[str, str]:
    return {_ENV: head + text, **{f"examples/demo/{name}.py": other for name, other in others.items()}}


VALID = [
    Example(
        _env(
            "async def build_env(sample=None, args=None, **_):\n    return Env()\n",
            rollout="from .env_demo import build_env\n\n\nasync def generate(args, sample, sampling_params):\n"
            "    env = await build_env(sample=sample, args=args)\n    return sample\n",
        )
    ),
    Example(_env("def build_env(sample=None, args=None, **_):\n    return Env()\n")),
    Example(_env("def build_env(sample=None, args=None, **kwargs):\n    return Env()\n") | {_CONFIG: _NAMES}),
    Example(
        _env(
            "def build_env(sample, args, tokenizer):\n    return Env()\n",
            rollout="from .env_demo import build_env\n\n\nasync def generate(args, sample, sampling_params):\n"
            "    env = build_env(sample, args, load())\n    return sample\n",
        )
    ),
    Example(_env("def build_env(*args, **kwargs):\n    return Env()\n")),
    Example(
        _env("def build_env(sample: Sample | None = None, args: Any = None, turns=3, **_) -> Env:\n    return Env()\n")
    ),
    Example(
        _env(
            "from .factory import build_env\n",
            factory="from functools import partial\n\n\ndef _make(kind, sample=None, args=None, **_):\n"
            "    return kind()\n\n\nbuild_env = partial(_make, dict)\n",
        )
    ),
    Example(
        _env(
            """\
class Factory:
    def __call__(self, sample=None, args=None, **_):
        return Env()


build_env = Factory()
"""
        )
    ),
    Example(
        {
            "examples/demo/__init__.py": "",
            _CONFIG: _NAMES.replace("env_demo", "envs"),
            "examples/demo/base_env.py": "class BaseInteractionEnv: ...\n",
            "examples/demo/envs/__init__.py": "from .zoom import build_env as build_env\n",
            "examples/demo/envs/zoom.py": _CLASS
            + "\n\ndef build_env(sample=None, args=None, **_):\n    return Env()\n",
        }
    ),
    Example(
        {_CONFIG: "rollout_interaction_env_path: elsewhere.envs.zoom\n", "examples/demo/reward_demo.py": "x = 1\n"}
    ),
    Example(
        _env(
            "",
            factories="from .env_demo import Env\n\n\ndef build_env(sample=None, args=None, **_):\n    return Env()\n",
        )
        | {_CONFIG: _NAMES.replace("env_demo", "factories")}
    ),
    Example(
        _env(
            """\
from elsewhere import logged


@logged
def build_env(settings):
    return Env()
"""
        )
    ),
    Example(
        _env(
            "try:\n    from fast_envs import build_env\nexcept ImportError:\n"
            "    def build_env(sample=None, args=None, **_):\n        return Env()\n"
        )
    ),
    Example({"examples/demo/agent.py": "def build_env(task):\n    return {'task': task}\n"}),
]

INVALID = [
    Example(_env("", head=_CLASS), findings=((_ENV, 4, 7),)),
    Example(
        {_ENV: "def make_env(sample=None, args=None, **_):\n    return None\n", _CONFIG: _NAMES},
        findings=((_ENV, 1, 1),),
    ),
    Example(
        {
            _ENV: "X = 1\n",
            _ROLLOUT: 'DEFAULT_ENV_MODULE: str = "examples.demo.env_demo"\n',
        },
        findings=((_ENV, 1, 1),),
    ),
    Example(_env("def build_env(sample):\n    return Env()\n"), findings=((_ENV, 12, 5),)),
    Example(_env("def build_env(args, sample, tokenizer):\n    return Env()\n"), findings=((_ENV, 12, 5),)),
    Example(_env("async def build_env(sample=None, args=None, **_):\n    return Env()\n"), findings=((_ENV, 12, 11),)),
    Example(
        _env(
            "async def build_env(sample=None, args=None, **_):\n    return Env()\n",
            rollout="import importlib\n\n\nasync def generate(args, sample, sampling_params):\n"
            "    env = importlib.import_module('examples.demo.env_demo').build_env(sample=sample, args=args)\n"
            "    env.reset()\n    return sample\n",
        ),
        findings=((_ENV, 12, 11),),
    ),
    Example(_env("build_env = lambda config: Env()\n"), findings=((_ENV, 12, 13),)),
    Example(_env("def build_env(config: dict, sample):\n    return Env()\n"), findings=((_ENV, 12, 5),)),
    Example(_env("def build_env(args, item, *, seed=0):\n    return Env()\n"), findings=((_ENV, 12, 5),)),
    Example(_env("def build_env():\n    return Env()\n") | {_CONFIG: _NAMES}, findings=((_ENV, 12, 5),)),
    Example(_env("def build_env(*, config, **_):\n    return Env()\n"), findings=((_ENV, 12, 5),)),
    Example(
        _env("def build_env(sample, args):\n    return Env()\n"),
        findings=((_ENV, 12, 5, WARNING),),
        fixed={_ENV: _CLASS + "\n\ndef build_env(sample=None, args=None, **_):\n    return Env()\n"},
    ),
    Example(
        _env(
            "def build_env(sample: Sample, args, **_) -> Env:\n    return Env()\n",
            rollout="from . import env_demo\n\n\nasync def generate(args, sample, sampling_params):\n"
            "    env = env_demo.build_env(sample=sample, args=args)\n    return sample\n",
        ),
        findings=((_ENV, 12, 5, WARNING),),
        fixed={_ENV: _CLASS + "\n\ndef build_env(sample: Sample = None, args=None, **_) -> Env:\n    return Env()\n"},
    ),
    Example(
        _env("def build_env(\n    sample: Sample,\n    args,  # of the launch\n):\n    return Env()\n"),
        findings=((_ENV, 12, 5, WARNING),),
        fixed={
            _ENV: _CLASS + "\n\ndef build_env(\n    sample: Sample = None,\n    args=None,  # of the launch\n"
            "    **_,\n):\n    return Env()\n"
        },
    ),
    Example(
        _env("def build_env(\n    sample=None,\n    args=None,\n):\n    return Env()\n"),
        findings=((_ENV, 12, 5, WARNING),),
        fixed={_ENV: _CLASS + "\n\ndef build_env(\n    sample=None,\n    args=None,\n    **_,\n):\n    return Env()\n"},
    ),
    Example(
        _env(
            "def build_env(sample=None, args=None):\n    return Env()\n",
            rollout="from .env_demo import build_env\n\n\nasync def generate(args, sample, sampling_params):\n"
            "    env = build_env(sample=sample, args=args)\n    return sample\n",
        ),
        findings=((_ENV, 12, 5, WARNING),),
        fixed={_ENV: _CLASS + "\n\ndef build_env(sample=None, args=None, **_):\n    return Env()\n"},
    ),
    Example(
        _env("def build_env(item, config, **_):\n    return Env()\n"),
        findings=((_ENV, 12, 5, WARNING),),
    ),
    Example(
        _env("def build_env(args=None, sample=None, **_):\n    return Env()\n"),
        findings=((_ENV, 12, 5, WARNING),),
    ),
    Example(
        _env("def build_env(*, sample=None, args=None, **_):\n    return Env()\n"),
        findings=((_ENV, 12, 5, WARNING),),
    ),
    Example(
        _env(
            "from .factory import build_env\n",
            factory="def build_env(instance_id, **kwargs):\n    return None\n",
        )
        | {_CONFIG: "rollout_interaction_env_path: examples/demo/env_demo.py\n"},
        findings=(("examples/demo/factory.py", 1, 5),),
    ),
    Example(
        _env(
            "build_env = Env\n",
            head=_CLASS + "\n    def __init__(self, max_turns):\n        self.left = max_turns\n\n\n",
        ),
        findings=((_ENV, 15, 1),),
    ),
    Example(
        _env("def build_env(sample=None, args=None, **_):\n    Env()\n"),
        findings=((_ENV, 12, 5),),
    ),
]


@rule("RLX304", "build-env", ERROR, on="recipe", only_python=True, valid=VALID, invalid=INVALID, fixable="safe")
def build_env(recipe: Recipe, project: Project) -> Iterator[Finding | NotChecked]:
    """Say it at the function, or at the environment that has none."""
    if not (holds_wanted(recipe) or names_wanted(recipe)):
        return
    from relax_lint.environments import environments_of

    environments = environments_of(recipe, project)
    for module in environments.modules:
        yield from _judged(environments, module)
    if not environments.modules and environments.needs_module:
        for cls in environments.concrete:
            yield _missing(cls.source.name_place(cls.node), "the rollout takes its environments from it")
    starts = {module.source: None for module in environments.modules if environments.owns(module.source)}
    yield from failing_besides(starts, recipe, project, lambda: _named_by_launches(recipe, project))


def _named_by_launches(recipe: Recipe, project: Project) -> Iterator[PythonSource]:
    """The modules of rewards and generate functions."""
    from relax_lint.generates import generate_uses
    from relax_lint.rewards import reward_uses
    from relax_lint.supposed_launches import launches_of

    for launch in launches_of(recipe, project):
        yield from modules_of([*reward_uses(launch, project), *generate_uses(launch, project)], project)


def _missing(place: Place, why: str) -> Finding:
    return Finding(place, f"no build_env in this module: {why}", subject="build_env")


def _judged(environments: Environments, module: EnvModule) -> Iterator[Finding | NotChecked]:
    source, interpreter = module.source, environments.interpreter
    if source.tree is None or not environments.owns(source):
        return
    if interpreter.resolver.resolve(source, "build_env").missing:
        own = [cls for cls in environments.concrete if cls.source.path == source.path]
        yield _missing(source.name_place(own[0].node) if own else source.place(source.tree), f"{module.named} names it")
        return
    for function, makes in environments.factories(source):
        if function is None:
            yield NotChecked(source.place(source.tree), "build_env")
        elif environments.owns(function.source):
            yield from _called(environments, function, _place(environments, source, function, makes), makes=makes)


def _place(environments: Environments, source: PythonSource, function: Function, makes: bool) -> Place:
    """Where build_env is defined; for a class that gets this name, where it does."""
    from relax_lint.rewards import function_place

    bound = environments.interpreter.resolver.names.of(source).of("build_env") if makes else []
    statement = source.parent(bound[0].node) if len(bound) == 1 and bound[0].kind == "value" else None
    if isinstance(statement, ast.Assign):
        return source.place(statement.targets[0])
    return function_place(function)


def _called(environments: Environments, function: Function, place: Place, *, makes: bool) -> Iterator[Finding]:
    from relax_lint.flow.shapes import UNKNOWN, Arguments, NoneValue, alternatives

    def finding(message: str, fix: Fix | None = None, *, error: bool = True) -> Finding:
        return Finding(place, message, severity=ERROR if error else WARNING, fix=fix, subject="build_env")

    takes = f"it takes ({ast.unparse(function.node.args)}), {_WANTED}"
    by_name = Arguments((), (("sample", UNKNOWN), ("args", UNKNOWN)))
    by_position = Arguments((UNKNOWN, UNKNOWN))
    interpreter = environments.interpreter
    named, placed = (interpreter.bind(function, each) is not None for each in (by_name, by_position))
    own = environments.own_calls
    if own and all(interpreter.bind(function, each) is not None for each in own):
        if isinstance(function.node, ast.AsyncFunctionDef) and not environments.awaits_what_is_built:
            yield finding(_NOT_AWAITED)
            return
        # Whatever the recipe's own code gives it and does with it works; a rollout of Relax's may come to it as well.
        if named and placed and _begins_as_called(function):
            yield from _lacking(function, place)
        return
    if not named and not placed:
        yield finding(f"build_env cannot be called with (sample=…, args=…) or (sample, args): {takes}")
        return
    if isinstance(function.node, ast.AsyncFunctionDef):
        yield finding(_NOT_AWAITED)
        return
    results = alternatives(interpreter.result(function, by_name if named else by_position))
    if not makes and all(isinstance(part, NoneValue) for part in results):
        yield finding("build_env returns nothing: the rollout calls reset() on what it returns")
    elif not named and _crosses(function):
        yield finding(f"build_env is given (sample, args) in this order, each by the other's name: {takes}")
    elif not named:
        yield finding(f"build_env cannot be called by the names sample and args: {takes}", error=False)
    elif not placed or not _begins_as_called(function):
        yield finding(f"build_env cannot be called as (sample, args), which comes next: {takes}", error=False)
    else:
        yield from _lacking(function, place)


def _lacking(function: Function, place: Place) -> Iterator[Finding]:
    """What the guide's signature has and this one has not."""
    spec, bare = function.node.args, _bare(function)
    names = " and ".join(part.arg for part in bare)
    lacks = ["**kwargs"] * (spec.kwarg is None) + [f"defaults for {names}"] * bool(bare)
    if lacks:
        message = f"build_env has no {' and no '.join(lacks)}: {_WANTED}"
        yield Finding(place, message, severity=WARNING, fix=_fix(function), subject="build_env")


def _bare(function: Function) -> list[ast.arg]:
    """The sample and the arguments of the launch, where they have to be given."""
    spec = function.node.args
    placed = [*spec.posonlyargs, *spec.args]
    without = placed[len(function.bound) : len(placed) - len(spec.defaults)]
    without += [part for part, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if default is None]
    return [part for part in without if part.arg in ("sample", "args")]


def _crosses(function: Function) -> bool:
    """Whether what is given by position arrives under the other's name."""
    spec = function.node.args
    names = [part.arg for part in (*spec.posonlyargs, *spec.args)][len(function.bound) :]
    return names[:1] == ["args"] or names[1:2] == ["sample"]


def _begins_as_called(function: Function) -> bool:
    """Whether what is given by position arrives under the names of the guide."""
    spec = function.node.args
    names = [part.arg for part in (*spec.posonlyargs, *spec.args)][len(function.bound) :]
    return names[:2] == ["sample", "args"] or (spec.vararg is not None and names == ["sample", "args"][: len(names)])


def _fix(function: Function) -> Fix | None:
    node, source, bare = function.node, function.source, _bare(function)
    if isinstance(node, ast.Lambda):
        return None
    takes_more = node.args.kwarg is not None
    if not takes_more and any(part.arg == "_" for part in ast.walk(node.args) if isinstance(part, ast.arg)):
        return None

    def edits() -> list[Edit]:
        added = {source.place(part).end: " = None" if part.annotation else "=None" for part in bare}
        edit = add_keywords(source, node, "_")
        if edit is not None:
            added[edit.start] = added.get(edit.start, "") + edit.text
        return [Edit(source.path, at, at, text) for at, text in added.items()]

    done = ["give defaults to what it takes"] * bool(bare) + ["add **_"] * (not takes_more)
    return Fix(" and ".join(done), edits)
