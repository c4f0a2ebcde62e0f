"""Responses and base classes are those of the environment, however the code of tools imports them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.migrate.environment.originals import NEWER, VERL, schema, write
from tests.migrate.environment.recipes import args, environment, sample, stepped

__all__ = ["environment"]
SPELLINGS = {
    "import verl.tools.schemas, verl.tools.base_tool": ("verl.tools.schemas", "verl.tools.base_tool"),
    "import verl.tools.schemas as sch\nimport verl.tools.base_tool as bt": ("sch", "bt"),
    "from verl.tools import schemas, base_tool": ("schemas", "base_tool"),
    "from verl.tools import schemas as sch, base_tool as bt": ("sch", "bt"),
    "import verl.tools.base_tool as bt": ("bt", "bt"),
    "import verl.tools as vt": ("vt.schemas", "vt.base_tool"),
    "import verl": ("verl.tools.schemas", "verl.tools.base_tool"),
    "from verl import tools": ("tools.schemas", "tools.base_tool"),
    "import verl, verl.tools as vt": ("verl.tools.schemas", "vt.base_tool"),
    "from verl.tools.schemas import *\nfrom verl.tools import base_tool": ("", "base_tool"),
    "from verl.tools.base_tool import *": ("", ""),
    "from verl.tools.base_tool import BaseTool as B, ToolResponse as T\n"
    "class schemas: ToolResponse = T\nclass base_tool: BaseTool = B": ("schemas", "base_tool"),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_response_is_the_environments_own(spelling: str, tmp_path: Path, environment: Any) -> None:
    schemas, base = (f"{name}." if name else "" for name in SPELLINGS[spelling])
    tool = f"""\
{spelling}


class PictureTool({base}BaseTool):
    async def execute(self, instance_id, parameters, **kwargs):
        return {schemas}ToolResponse(text="seen", image=["a picture"]), 0.5, {{}}
"""
    picture = f"tools:\n  - class_name: my_tools.PictureTool\n    config: {{type: native}}\n{schema('picture', '{}')}"
    root = write(tmp_path / "checkout", {**VERL, "my_tools.py": tool, "tools.yaml": picture})
    module, carried = environment(root, tools="tools.yaml")
    assert not carried.problems
    call = '<tool_call>{"name": "picture", "arguments": {}}</tool_call>'
    observation, _, info = asyncio.run(stepped(module.build_env(sample(), args()), call))
    assert observation["obs_str"] == "seen"
    assert observation["multi_modal_data"] == {"image": ["a picture"]}
    assert info["tool_rewards"] == [0.5]


def test_an_interaction_of_an_imported_module_is_one(tmp_path: Path, environment: Any) -> None:
    code = """\
from verl.interactions import base as talk


class EchoInteraction(talk.BaseInteraction):
    async def generate_response(self, instance_id, messages, **kwargs):
        return True, self.name, 1.0, {}
"""
    echo = "interaction:\n  - name: echo\n    class_name: echo.EchoInteraction\n    config: {}\n"
    root = write(tmp_path / "checkout", {**VERL, "echo.py": code, "interaction.yaml": echo})
    module, carried = environment(root, interactions="interaction.yaml")
    assert not carried.problems
    env = module.build_env(sample(metadata={"interaction_kwargs": {"name": "echo"}}), args())
    assert asyncio.run(stepped(env, "hello"))[0]["obs_str"] == "echo"


def test_a_function_tool_of_an_imported_module_is_registered_once(tmp_path: Path, environment: Any) -> None:
    code = '''\
import verl.tools.function_tool as ft
from verl.tools import schemas as sch


@ft.function_tool
def picture():
    """Draw a picture."""
    return sch.ToolResponse(text="drawn", image=["a picture"])
'''
    root = write(tmp_path / "checkout", {**VERL, **NEWER, "functions.py": code})
    module, carried = environment(root, functions="functions.py")
    assert not carried.problems
    call = '<tool_call>{"name": "picture", "arguments": {}}</tool_call>'
    observation, _, _ = asyncio.run(stepped(module.build_env(sample(), args()), call))
    assert observation["multi_modal_data"] == {"image": ["a picture"]}


@pytest.mark.parametrize(
    ("returned", "known"),
    [
        ("OpenAIFunctionToolSchema.model_validate({})", True),
        ("sch.OpenAIFunctionToolSchema.model_validate({})", True),
        ("OpenAIFunctionToolSchema.model_validate(changed({}))", False),
    ],
)
def test_a_schema_that_a_class_writes_out_is_read(returned: str, known: bool, tmp_path: Path, environment: Any) -> None:
    function = {"name": "own", "description": "d", "parameters": {"type": "object", "properties": {}, "required": []}}
    wanted = {"type": "function", "function": function}
    code = f"""\
import verl.tools.schemas as sch
from verl.tools.base_tool import BaseTool
from verl.tools.schemas import OpenAIFunctionToolSchema


def changed(values):
    return dict(values)


class OwnTool(BaseTool):
    def get_openai_tool_schema(self):
        return {returned.replace("{}", repr(wanted))}
"""
    entry = "tools:\n  - class_name: own.OwnTool\n    config: {type: native}\n"
    root = write(tmp_path / "checkout", {**VERL, "own.py": code, "tools.yaml": entry})
    module, carried = environment(root, tools="tools.yaml")
    assert (carried.schemas, carried.unknown) == (([wanted], []) if known else ([], ["OwnTool"]))
    assert module.tool_schemas() == [wanted]
