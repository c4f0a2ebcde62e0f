"""A tool, an interaction or an agent loop of verl is left: Relax drives environments.

## What

A class that derives from verl's `BaseTool`, `FunctionTool`, `BaseInteraction` or `AgentLoopBase`, or from one of
verl's own that do, directly or through the recipe's classes; functions and classes under verl's `function_tool` and
agent loop decorators; and code outside of such classes that uses `ToolResponse`, `OpenAIFunctionToolSchema` and what
else verl's tools exchange.

## Why

Relax never makes or calls these. A launch with several turns runs a generate function, which asks an environment for
`reset` and `step`; what only a tool of verl does is never done.

## Source

Guide: `BaseTool` becomes a `BaseInteractionEnv` with `reset`, `step`, `close` and a `build_env`; tool calls are parsed
in `step`; observations are plain dicts.

## Example

    class Calculator(BaseTool):
        async def execute(self, instance_id, parameters, **kwargs):
            return ToolResponse(text=str(add(**parameters))), 0.0, {}

## Fix

By hand: `create` becomes `build_env` and `reset`, `execute` the parsing and the work in `step`, `calc_reward` the
reward function, `release` becomes `close`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.catalog.verl_names import TOOL_MODULES, is_exchanged, is_in, tool_advice
from relax_lint.diagnostics import Finding
from relax_lint.rules import ERROR, Example, rule
from relax_lint.rules.verl.leftovers import derived_classes, is_verls, mentions, real_name

if TYPE_CHECKING:
    from relax_lint.flow.origins import Origins
    from relax_lint.project import Project
    from relax_lint.sources.python import Definition, PythonSource

_SCHEMAS = "verl.tools.schemas"
_MARKS = ("Tool", "Interaction", "AgentLoop", "verl.tools", "verl.interactions", "agent_loop", "function_tool")

VALID: list[str | Example] = [
    """\
from examples.demo.base_env import BaseInteractionEnv


class Calculator(BaseInteractionEnv):
    def reset(self):
        return {}, {}

    def step(self, response_text):
        return {"obs_str": response_text}, True, {}
""",
    """\
class BaseTool:
    def execute(self, text):
        raise NotImplementedError


class Search(BaseTool):
    def execute(self, text):
        return text
""",
    Example(
        {
            "examples/demo/tools.py": "class BaseTool:\n    pass\n\n\nclass ToolResponse(dict):\n    pass\n",
            "examples/demo/env_demo.py": """\
from examples.demo.tools import BaseTool, ToolResponse


class Search(BaseTool):
    def run(self):
        return ToolResponse(text="")
""",
        }
    ),
    """\
from langchain_core.tools import BaseTool


class Search(BaseTool):
    name: str = "search"
""",
    """\
from verl.tools.schemas import ToolResponse

CALL = "<tool_call>"
""",
    '"""What was a BaseTool of verl.tools with a ToolResponse is an environment now."""\n\nTURNS = 3\n',
    """\
from openai.types import FunctionDefinition as FunctionTool


def schema(name):
    return FunctionTool(name=name)
""",
    """\
try:
    from qwen_agent.tools.base import BaseTool, register_tool
except ImportError:
    BaseTool = object


class Zoom(BaseTool):
    pass
""",
    """\
from agents import function_tool


@function_tool
def add(a: int, b: int) -> int:
    return a + b
""",
    """\
class AgentLoopBase:
    async def run(self, messages):
        return messages


class Loop(AgentLoopBase):
    pass
""",
    """\
import verlib.tools


class Search(verlib.tools.BaseTool):
    pass
""",
    Example(
        {
            "examples/demo/schemas.py": "class ToolResponse:\n    text: str = ''\n",
            "examples/demo/env_demo.py": "from .schemas import ToolResponse\n\nEMPTY = ToolResponse()\n",
        }
    ),
]

INVALID = [
    Example(
        """\
from verl.tools.base_tool import BaseTool
from verl.tools.schemas import OpenAIFunctionToolSchema, ToolResponse


class Calculator(BaseTool):
    def __init__(self, config: dict, tool_schema: OpenAIFunctionToolSchema):
        super().__init__(config, tool_schema)

    async def execute(self, instance_id, parameters, **kwargs):
        return ToolResponse(text="3"), 0.0, {}
""",
        findings=((5, 7),),
    ),
    Example(
        """\
from verl.interactions.base import BaseInteraction as Base


class Teacher(Base):
    async def generate_response(self, instance_id, messages, **kwargs):
        return True, "", 0.0, {}
""",
        findings=((4, 7),),
    ),
    Example(
        """\
from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopOutput, register


@register("search_agent")
class Search(AgentLoopBase):
    async def run(self, sampling_params, **kwargs):
        return AgentLoopOutput()
""",
        findings=((5, 7),),
    ),
    Example(
        """\
import verl.tools.search_tool as tools


class Mine(tools.SearchTool):
    pass


class Narrower(Mine):
    pass
""",
        findings=((4, 7), (8, 7)),
    ),
    Example(
        """\
from verl.tools.function_tool import function_tool


@function_tool("add")
def add(a: int, b: int) -> int:
    return a + b
""",
        findings=((5, 5),),
    ),
    Example(
        {
            "examples/demo/verl_compat.py": """\
from verl.tools.base_tool import BaseTool
from verl.tools.schemas import ToolResponse as Response

Tool = BaseTool
""",
            "examples/demo/env_demo.py": """\
from .verl_compat import Response, Tool


class Zoom(Tool):
    pass


def nothing():
    return Response(text="")
""",
        },
        findings=(("examples/demo/env_demo.py", 4, 7), ("examples/demo/env_demo.py", 9, 12)),
    ),
    Example(
        """\
from verl.tools.schemas import ToolResponse


def first(text):
    return ToolResponse(text=text)


def second(text):
    answer = ToolResponse(text=text)
    return answer or ToolResponse(text="")
""",
        findings=((5, 12), (9, 14)),
    ),
    Example(
        """\
from verl.tools import schemas

SCHEMA = schemas.OpenAIFunctionToolSchema.model_validate({"type": "function"})
""",
        findings=((3, 10),),
    ),
    Example(
        """\
from .base_tool import BaseTool
from .schemas import ToolResponse


class Copied(BaseTool):
    async def execute(self, instance_id, parameters):
        return ToolResponse(), 0.0, {}
""",
        findings=((5, 7),),
    ),
    Example(
        """\
def make():
    from verl.tools.base_tool import BaseTool

    class Local(BaseTool):
        pass

    return Local
""",
        findings=((4, 11),),
    ),
    Example(
        """\
try:
    from verl.tools.base_tool import BaseTool
except ImportError:
    BaseTool = object


class Maybe(BaseTool):
    pass
""",
        findings=((7, 7),),
    ),
    Example(
        """\
import importlib

Search = type("Search", (importlib.import_module("verl.tools.base_tool").BaseTool,), {})
""",
        findings=((3, 10),),
    ),
    Example(
        """\
from verl.tools.function_tool import FunctionTool


class Mixin:
    pass


class Add(Mixin, FunctionTool):
    pass


TOOLS = [FunctionTool(name="add")]
""",
        findings=((8, 7), (12, 10)),
    ),
]


@rule("RLX105", "verl-tool", ERROR, on="python", valid=VALID, invalid=INVALID)
def verl_tool(source: PythonSource, project: Project) -> Iterator[Finding]:
    """Say it at the class or function, and once in every other place that uses what verl's tools exchange."""
    if not mentions(source, project, _MARKS):
        return
    from relax_lint.flow.origins import Origins

    origins = Origins(project)
    told: set[ast.AST] = set()
    for made in derived_classes(origins, source):
        base = next(filter(_is_tool, made.bases), None)
        if base is not None:
            told.add(made.node)
            message = f"{made.name} derives from verl's {base.rpartition('.')[2]}, which Relax never calls"
            yield Finding(made.place, f"{message}: {tool_advice(base)}", subject=made.name)
    definitions: list[Definition] = [*source.nodes(ast.ClassDef), *source.nodes(ast.FunctionDef)]
    definitions += source.nodes(ast.AsyncFunctionDef)
    for node in definitions:
        name = _registered_with(origins, source, node) if node not in told else None
        if name is not None:
            told.add(node)
            message = f"{node.name} is registered with verl, which is not there under Relax: {tool_advice(name)}"
            yield Finding(source.name_place(node), message, subject=node.name)
    yield from _uses(origins, source, told)


def _registered_with(origins: Origins, source: PythonSource, node: Definition) -> str | None:
    for decorator in node.decorator_list:
        name = _of_verl(origins, source, decorator.func if isinstance(decorator, ast.Call) else decorator)
        if name is not None:
            return name
    return None


def _is_tool(name: str) -> bool:
    return is_verls(name) and is_in(name, TOOL_MODULES) and not is_in(name, (_SCHEMAS,))


def _of_verl(origins: Origins, source: PythonSource, node: ast.expr) -> str | None:
    """The name in verl's tools that an expression leads to."""
    found = origins.of(source, node)
    names = sorted(real_name(name) for name in found if isinstance(name, str))
    return next((name for name in names if is_in(name, TOOL_MODULES) and name not in TOOL_MODULES), None)


def _uses(origins: Origins, source: PythonSource, told: set[ast.AST]) -> Iterator[Finding]:
    """The first use in every top-level function and class that nothing is said of yet, and every use elsewhere."""
    uses: list[ast.Name | ast.Attribute] = [*source.nodes(ast.Name), *source.nodes(ast.Attribute)]
    for node in sorted(uses, key=lambda node: (node.lineno, node.col_offset)):
        if not isinstance(node.ctx, ast.Load):
            continue
        holders = [holder for holder in source.ancestors(node) if isinstance(holder, (*_DEFINITIONS, ast.Call))]
        name = _of_verl(origins, source, node) if told.isdisjoint(holders) else None
        if name is None or not is_exchanged(name):
            continue
        told.update([holder for holder in holders if isinstance(holder, _DEFINITIONS)][-1:])
        shown = name.rpartition(".")[2]
        message = f"{shown} is verl's and not there under Relax: {tool_advice(name)}"
        yield Finding(source.place(node), message, subject=shown)


_DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
