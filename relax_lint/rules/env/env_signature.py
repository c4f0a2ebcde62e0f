"""An environment's `reset` or `step` cannot be called as the rollout calls it.

## What

A `reset` that needs an argument, is async or a generator; a `step` that cannot be called with the response alone; an
async `step` where the recipe's rollout does not await what `step` gives. How they are called is read from the rollout
that the launches name, if it is at hand; else it is the one of `examples/deepeyes`: `env.reset()`, and a `step` that is
awaited where it is to be.

## Why

Wrong arguments are a TypeError with the first sample. What an async `reset` returns is thrown away unawaited, and what
a generator gives, unstarted: nothing in it ever runs, and the episode starts with whatever `__init__` left. A coroutine
in the place of `(observation, done, info)` cannot be taken apart.

## Source

Guide, step 2: `reset` takes no arguments, the sample's data come by `build_env()`; `step(response_text)`.
`examples/deepeyes/rollout.py`: `env.reset()` is not awaited, the result of `env.step` is where it is awaitable.

## Example

    class SearchEnv(BaseInteractionEnv):
        async def reset(self):
            self.session = await connect()

## Fix

`--unsafe-fixes` makes `reset` a plain function if nothing in it is awaited, though other code may await it, and has the
recipe's rollout await an async `step`, though another environment's may be plain.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Edit, Finding, Fix, NotChecked, Related
from relax_lint.environment_files import holds_wanted
from relax_lint.project import Project, Recipe
from relax_lint.rules import ERROR, Example, rule
from relax_lint.sources.python import walk

if TYPE_CHECKING:
    from relax_lint.environments import Environments
    from relax_lint.flow.shapes import Function
    from relax_lint.rollouts import Rollout, Uses

_WANTED = {"reset": ": the guide's is reset(self)", "step": ": the guide's is step(self, response_text)"}
_ENV = "examples/demo/env_demo.py"
_ROLLOUT = "examples/demo/rollout.py"
_RUN = "examples/demo/run_demo.sh"
_HEAD = "from examples.demo.base_env import BaseInteractionEnv\n\n\n"
_LAUNCH = "python3 relax/entrypoints/train.py --custom-generate-function-path examples.demo.rollout.generate\n"
_DONE = '        return {"obs_str": "."}, True, {}\n'
_RESET = "    def reset(self):\n        return {}, {}\n"


def _env(body: str, rollout: str = "", reset: str = "env.reset()") -> dict[str, str]:
    files = {_ENV: f"{_HEAD}class Env(BaseInteractionEnv):\n{body}"}
    if rollout:
        head = f"async def generate(args, sample, sampling_params):\n    env = build(args, sample)\n    {reset}\n"
        files[_ROLLOUT] = f"{head}{rollout}    return sample\n"
        files[_RUN] = _LAUNCH
    return files


_ASYNC = f"{_RESET}\n    async def step(self, response_text):\n{_DONE}"

VALID = [
    Example(_env(f"{_RESET}\n    def step(self, response_text):\n{_DONE}")),
    Example(
        _env(
            f"    def reset(self, seed=None, **options):\n        return {{}}, {{}}\n\n    def step(self, *a):\n{_DONE}"
        )
    ),
    Example(_env(_ASYNC)),
    Example(_env(_ASYNC, "    observation, done, info = await env.step(sample.response)\n")),
    Example(
        _env(
            _ASYNC,
            """\
    result = env.step(sample.response)
    if inspect.isawaitable(result):
        result = await result
    observation, done, info = result
""",
        )
    ),
    Example(
        _env(
            _ASYNC, "    stepping = asyncio.ensure_future(env.step(sample.response))\n    _, done, _ = await stepping\n"
        )
    ),
    Example(
        _env(
            "    @staticmethod\n    def reset():\n        return {}, {}\n\n"
            f"    def step(self, response_text, n=0):\n{_DONE}"
        )
    ),
    Example(
        _env(
            f"    def reset(self, sample):\n        return {{}}, {{}}\n\n    def step(self, text, tokens):\n{_DONE}",
            "    _, done, _ = env.step(sample.response, sample.tokens)\n",
            reset="env.reset(sample)",
        )
    ),
    Example(
        {
            "examples/demo/agent.py": "class AgentEnv:\n    async def reset(self, task):\n        self.task = task\n\n"
            "    async def step(self, action, budget):\n        return action\n"
        }
    ),
    Example(
        _env(
            f"{_RESET}\n    def step(self, response_text):\n{_DONE}\n"
            "    async def reset_later(self, seconds):\n        self.reset()\n"
        )
    ),
    Example(
        _env(
            """\
    @locked
    def reset(self, lock):
        return {}, {}

    @locked
    def step(self, lock, response_text):
        return {"obs_str": "."}, True, {}
"""
        )
    ),
    Example(
        _env(
            _ASYNC,
            "    if inspect.iscoroutinefunction(env.step):\n        turn = await env.step(sample.response)\n    else:\n"
            "        turn = env.step(sample.response)\n    observation, done, info = turn\n",
        )
    ),
]

INVALID = [
    Example(
        _env(f"    def reset(self, sample):\n        return {{}}, {{}}\n\n    def step(self, response_text):\n{_DONE}"),
        findings=((_ENV, 5, 9),),
    ),
    Example(
        _env(f"    async def reset(self):\n        return {{}}, {{}}\n\n    def step(self, response_text):\n{_DONE}"),
        findings=((_ENV, 5, 15),),
        fixed={_ENV: _env(f"{_RESET}\n    def step(self, response_text):\n{_DONE}")[_ENV]},
        unsafe=True,
    ),
    Example(
        _env(
            "    async def reset(self):\n        self.session = await connect()\n        return {}, {}\n\n"
            f"    def step(self, response_text):\n{_DONE}"
        ),
        findings=((_ENV, 5, 15),),
    ),
    Example(_env(f"{_RESET}\n    def step(self):\n{_DONE}"), findings=((_ENV, 8, 9),)),
    Example(_env(f"{_RESET}\n    def step(self, action, state):\n{_DONE}"), findings=((_ENV, 8, 9),)),
    Example(_env(f"{_RESET}\n    def step(self, *, response_text):\n{_DONE}"), findings=((_ENV, 8, 9),)),
    Example(_env(f"{_RESET}\n    def step(response_text):\n{_DONE}"), findings=((_ENV, 8, 9),)),
    Example(
        _env(
            "    def reset():\n        return {}, {}\n\n"
            f"    async def step(self, instance_id, parameters, **kwargs):\n{_DONE}"
        ),
        findings=((_ENV, 5, 9), (_ENV, 8, 15)),
    ),
    Example(
        _env(_ASYNC, "    observation, done, info = env.step(sample.response)\n"),
        findings=((_ENV, 8, 15),),
        fixed={
            _ROLLOUT: _env("", "    observation, done, info = await env.step(sample.response)\n")[_ROLLOUT],
        },
        unsafe=True,
    ),
    Example(
        _env(_ASYNC, "    turn = env.step(sample.response)\n    done = turn[1]\n    print(turn)\n"),
        findings=((_ENV, 8, 15),),
        fixed={
            _ROLLOUT: _env("", "    turn = await env.step(sample.response)\n    done = turn[1]\n    print(turn)\n")[
                _ROLLOUT
            ],
        },
        unsafe=True,
    ),
    Example(
        _env(
            _ASYNC,
            "    observation, done, info = await asyncio.to_thread(env.step, sample.response)\n",
        ),
        findings=((_ENV, 8, 15),),
    ),
    Example(
        _env(
            f"{_RESET}\n    async def _step(self, text):\n{_DONE}\n    def step(self, response_text):\n"
            "        return self._step(response_text)\n",
            "    observation, done, info = env.step(sample.response)\n",
        ),
        findings=((_ENV, 11, 9),),
        fixed={
            _ROLLOUT: _env("", "    observation, done, info = await env.step(sample.response)\n")[_ROLLOUT],
        },
        unsafe=True,
    ),
    Example(
        _env(f"    def reset(self):\n        yield {{}}, {{}}\n\n    def step(self, response_text):\n{_DONE}"),
        findings=((_ENV, 5, 9),),
    ),
    Example(
        {
            "examples/demo/tool_env.py": f"{_HEAD}class ToolEnv(BaseInteractionEnv):\n"
            f"    def reset(self, options, /):\n        return {{}}, {{}}\n",
            _ENV: f"from .tool_env import ToolEnv\n\n\nclass Env(ToolEnv):\n    def step(self, text):\n{_DONE}",
        },
        findings=(("examples/demo/tool_env.py", 5, 9),),
    ),
]


@rule("RLX302", "env-signature", ERROR, on="recipe", only_python=True, valid=VALID, invalid=INVALID, fixable="unsafe")
def env_signature(recipe: Recipe, project: Project) -> Iterator[Finding | NotChecked]:
    """Say it at the name of the method."""
    if not holds_wanted(recipe):
        return
    from relax_lint.environments import environments_of
    from relax_lint.rollouts import rollouts_of

    environments = environments_of(recipe, project)
    for rollout in rollouts_of(recipe, project) if environments.concrete else ():
        yield from environments.once(("signature", rollout), partial(_found, environments, rollout))


def _found(environments: Environments, rollout: Rollout) -> Iterator[Finding | NotChecked]:
    for cls in environments.concrete:
        unseen = environments.unseen(cls, "step", "reset")
        if unseen is not None:
            yield unseen
    for name, uses in (("reset", rollout.reset), ("step", rollout.step)):
        methods = (environments.method(cls, name) for cls in environments.concrete)
        for method in dict.fromkeys(method for method in methods if method is not None):
            yield from _judged(environments, method, name, rollout, uses)


def _judged(environments: Environments, method: Function, name: str, rollout: Rollout, uses: Uses) -> Iterator[Finding]:
    node, source = method.node, method.source
    if isinstance(node, ast.Lambda):
        return
    place = source.name_place(node)
    for arguments in uses.arguments:
        if environments.interpreter.bind(method, arguments) is None:
            given = ", ".join([*("…" for _ in arguments.positional), *(f"{key}=…" for key, _ in arguments.keywords)])
            takes = ast.unparse(node.args)
            wanted = _WANTED.get(name, "")
            message = f"{rollout.name} calls {name}({given}), and this {name} takes ({takes}){wanted}"
            yield Finding(place, message, subject=name)
            return
    if uses.awaits:
        return
    kind = _not_run(environments, method)
    if kind is None:
        return
    related: tuple[Related, ...] = ()
    if uses.site is not None:
        related = (Related(uses.site[0].place(uses.site[1]), f"{name} is called here, and not awaited"),)
    if name == "reset":
        message = f"reset is {kind}: {rollout.name} calls it and does not await it, so nothing in it ever runs"
    elif kind == "async":
        message = f"step is async: {rollout.name} does not await it, and cannot take a coroutine apart"
    else:
        return
    fix = _plain(method) if name == "reset" else _awaiting(environments, uses)
    yield Finding(place, message, fix=fix, related=related, subject=name)


def _not_run(environments: Environments, method: Function) -> str | None:
    """What makes a call of a function run nothing of it."""
    from relax_lint.flow.shapes import TEXT, Arguments, Awaitable, Thing, alternatives

    if isinstance(method.node, ast.AsyncFunctionDef):
        return "async"
    arguments = Arguments((TEXT,)) if method.node.name == "step" else Arguments()  # type: ignore[union-attr]
    parts = alternatives(environments.interpreter.result(method, arguments))
    if all(isinstance(part, Thing) and "generator" in part.what for part in parts):
        return "a generator"
    return "async" if all(isinstance(part, Awaitable) for part in parts) else None


def _plain(method: Function) -> Fix | None:
    node, source = method.node, method.source
    if not isinstance(node, ast.AsyncFunctionDef) or any(
        isinstance(part, (ast.Await, ast.AsyncFor, ast.AsyncWith, ast.Yield, ast.comprehension))
        and getattr(part, "is_async", 1)
        for part in walk(node)
    ):
        return None
    place = source.place(node)
    end = source.text.index("def", place.start)
    if source.text[place.start : end].split() != ["async"]:
        return None
    edit = Edit(source.path, place.start, end, "")
    return Fix("make it a plain function", lambda: [edit], safe=False, reason="other code may await it")


def _awaiting(environments: Environments, uses: Uses) -> Fix | None:
    """Have the one call of ``step`` in a rollout of the recipe awaited."""
    if uses.site is None or len(uses.arguments) > 1:
        return None
    source, call = uses.site
    around = (part for part in source.ancestors(call) if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)))
    plain = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "step"
    if not plain or not isinstance(source.parent(call), ast.Assign) or not environments.owns(source):
        return None
    if not isinstance(next(around, None), ast.AsyncFunctionDef):
        return None
    start = source.place(call).start
    edit = Edit(source.path, start, start, "await ")
    return Fix("await it", lambda: [edit], safe=False, reason="another environment's step may not be async")
