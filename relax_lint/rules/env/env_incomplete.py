"""An environment lacks `reset` or `step`.

## What

A class that derives from BaseInteractionEnv, directly or through classes of its own, without a `reset` or `step` of its
own: nothing of that name, or one that only raises NotImplementedError. Classes that others derive from, and that nobody
makes objects of, are left alone; so are those with bases or decorators that may bring the method along unseen.

## Why

The rollout calls both on every sample. BaseInteractionEnv's own raise NotImplementedError, so the first sample ends the
run.

## Source

Guide, step 2: an environment has `reset()`, `step()` and `close()`; `examples/deepeyes/base_env.py`.

## Example

    class ZoomEnv(BaseInteractionEnv):
        def step(self, response_text): ...

## Fix

None: only the author knows what the environment is to do.
"""

from __future__ import annotations

from collections.abc import Iterator

from relax_lint.diagnostics import Finding, NotChecked
from relax_lint.environment_files import holds_wanted
from relax_lint.project import Project, Recipe
from relax_lint.rules import ERROR, Example, rule

_ENV = "examples/demo/env_demo.py"
_BASE = "examples/demo/base_env.py"
_IMPORT = "from examples.demo.base_env import BaseInteractionEnv\n\n\n"
_BASE_TEXT = """\
class BaseInteractionEnv:
    def reset(self):
        raise NotImplementedError

    def step(self, response_text: str):
        raise NotImplementedError

    def close(self):
        pass
"""


def _env(text: str, head: str = _IMPORT, **others: str) -> dict[str, str]:
    more = {f"examples/demo/{name}.py": other for name, other in others.items()}
    return {_BASE: _BASE_TEXT, _ENV: head + text, **more}


VALID = [
    Example(
        _env("""\
class Env(BaseInteractionEnv):
    def reset(self):
        return {}, {}

    def step(self, response_text):
        return {"obs_str": "."}, True, {}
""")
    ),
    Example(
        _env("""\
class ToolEnv(BaseInteractionEnv):
    def reset(self):
        return {}, {}

    def call(self, name):
        raise NotImplementedError


class Env(ToolEnv):
    def step(self, response_text):
        return {"obs_str": self.call("x")}, False, {}

    def call(self, name):
        return name
""")
    ),
    Example(
        _env("""\
class Resetting:
    def reset(self):
        return {}, {}


class Env(Resetting, BaseInteractionEnv):
    def step(self, response_text):
        return {"obs_str": "."}, True, {}
""")
    ),
    Example(
        _env("""\
from tools.mixins import StepMixin


class Env(StepMixin, BaseInteractionEnv):
    def reset(self):
        return {}, {}
""")
    ),
    Example(
        _env("""\
def _step(self, response_text):
    return {"obs_str": "."}, True, {}


class Env(BaseInteractionEnv):
    def reset(self):
        return {}, {}

    step = _step
""")
    ),
    Example(
        _env("""\
class BaseToolEnv(BaseInteractionEnv):
    def reset(self):
        return {}, {}
""")
    ),
    Example(
        _env(
            """\
class Env(BaseInteractionEnv):
    def close(self):
        self.pool.shutdown()
""",
            concrete="""\
from .env_demo import Env


class Zoom(Env):
    def reset(self):
        return {}, {}

    def step(self, response_text):
        return {"obs_str": "."}, True, {}
""",
        )
    ),
    Example(
        _env("""\
import abc


class Searching(BaseInteractionEnv, abc.ABC):
    def reset(self):
        return {}, {}

    @abc.abstractmethod
    def step(self, response_text): ...
""")
    ),
    Example(
        _env("""\
class Env(BaseInteractionEnv):
    def __getattr__(self, name):
        return getattr(self.inner, name)
""")
    ),
    Example(
        _env(
            """\
class Agent:
    def step(self, response_text):
        return response_text


class AgentEnv:
    async def run(self, session):
        return await session.chat()
""",
            head="",
        )
    ),
    Example(
        _env("""\
def with_reset(cls):
    cls.reset = lambda self: ({}, {})
    return cls


@with_reset
class Env(BaseInteractionEnv):
    def step(self, response_text):
        return {"obs_str": "."}, True, {}
""")
    ),
    Example(
        _env("""\
class Env(BaseInteractionEnv):
    def step(self, response_text):
        return {"obs_str": "."}, True, {}


def _reset(self):
    return {}, {}


Env.reset = _reset
""")
    ),
    Example(
        {
            _BASE: _BASE_TEXT.replace("raise NotImplementedError", "return {}, {}", 1),
            _ENV: _IMPORT + "class Env(BaseInteractionEnv):\n    def step(self, text):\n        return {}, True, {}\n",
        }
    ),
]

INVALID = [
    Example(
        _env("""\
class Env(BaseInteractionEnv):
    def step(self, response_text):
        return {"obs_str": "."}, True, {}
"""),
        findings=((_ENV, 4, 7),),
    ),
    Example(
        _env("""\
class Env(BaseInteractionEnv):
    def reset(self):
        return {}, {}

    def steps(self, response_text):
        return {"obs_str": "."}, True, {}
"""),
        findings=((_ENV, 4, 7),),
    ),
    Example(
        _env("""\
class Env(BaseInteractionEnv):
    def __init__(self, max_turns):
        self.max_turns = max_turns


def build_env(sample=None, args=None, **_):
    return Env(args.max_turns)
"""),
        findings=((_ENV, 4, 7),),
    ),
    Example(
        _env("""\
class Env(BaseInteractionEnv):
    def reset(self):
        return {}, {}

    def step(self, response_text):
        \"\"\"Run the tool.\"\"\"
        raise NotImplementedError("not written yet")


def build_env(sample=None, args=None, **_):
    return Env()
"""),
        findings=((_ENV, 4, 7),),
    ),
    Example(
        _env("""\
class ToolEnv(BaseInteractionEnv):
    def reset(self):
        return {}, {}


class Env(ToolEnv):
    def execute(self, name):
        return name
"""),
        findings=((_ENV, 9, 7),),
    ),
    Example(
        _env(
            """\
class Env(Base):
    def reset(self):
        return {}, {}
""",
            head="from .base_env import BaseInteractionEnv as Base\n\n\n",
        ),
        findings=((_ENV, 4, 7),),
    ),
    Example(
        _env(
            """\
class Env(base_env.BaseInteractionEnv):
    def step(self, response_text):
        return {"obs_str": "."}, True, {}
""",
            head="from examples.demo import base_env\n\n\n",
        ),
        findings=((_ENV, 4, 7),),
    ),
    Example(
        {
            _ENV: """\
from examples.deepeyes.base_env import BaseInteractionEnv


class Env(BaseInteractionEnv):
    def step(self, response_text):
        return {"obs_str": "."}, True, {}
"""
        },
        findings=((_ENV, 4, 7),),
    ),
    Example(
        {
            _BASE: _BASE_TEXT,
            "examples/demo/envs/__init__.py": "from ..base_env import BaseInteractionEnv as Base\n\nEnvBase = Base\n",
            "examples/demo/envs/zoom.py": """\
from . import EnvBase


class Zoom(EnvBase):
    def reset(self):
        return {}, {}
""",
        },
        findings=(("examples/demo/envs/zoom.py", 4, 7),),
    ),
    Example(
        _env("""\
class Closing:
    def close(self):
        pass


class Env(Closing, BaseInteractionEnv):
    async def reset(self):
        return {}, {}
"""),
        findings=((_ENV, 9, 7),),
    ),
    Example(
        _env("""\
def make():
    class Env(BaseInteractionEnv):
        def step(self, response_text):
            return {"obs_str": "."}, True, {}

    return Env()
"""),
        findings=((_ENV, 5, 11),),
    ),
    Example(
        {
            "examples/common/base_env.py": _BASE_TEXT,
            "examples/common/tools.py": """\
from examples.common.base_env import BaseInteractionEnv


class ToolEnv(BaseInteractionEnv):
    def step(self, response_text):
        return {"obs_str": "."}, True, {}
""",
            _ENV: """\
from examples.common.tools import ToolEnv


class Env(ToolEnv):
    max_turns = 3
""",
        },
        findings=((_ENV, 4, 7),),
    ),
]


@rule("RLX301", "env-incomplete", ERROR, on="recipe", only_python=True, valid=VALID, invalid=INVALID)
def env_incomplete(recipe: Recipe, project: Project) -> Iterator[Finding | NotChecked]:
    """Say it at the name of the class."""
    if not holds_wanted(recipe):
        return
    from relax_lint.environments import environments_of

    environments = environments_of(recipe, project)
    for cls in environments.concrete:
        found = {name: environments.implementation(cls, name) for name in ("reset", "step")}
        missing = [name for name, state in found.items() if state == "missing"]
        unseen = environments.unseen(cls, "reset", "step") if "unknown" in found.values() else None
        if unseen is not None:
            yield unseen
        if not missing:
            continue
        lacks = f"no {missing[0]}" if len(missing) == 1 else "neither reset nor step"
        yield Finding(
            cls.source.name_place(cls.node),
            f"{cls.node.name} has {lacks} of its own: BaseInteractionEnv's raises NotImplementedError, on every sample",
            subject=cls.node.name,
        )
