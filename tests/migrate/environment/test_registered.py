"""What the modules of a tool do when they are imported is done in its environment, too."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from tests.migrate.environment.originals import VERL, schema, write
from tests.migrate.environment.recipes import args, environment, sample, stepped

__all__ = ["environment"]
_TOOL = """\
from verl.tools.base_tool import BaseTool
from verl.tools.schemas import ToolResponse

import more_ops  # noqa: F401
from ops import OPS


class OpTool(BaseTool):
    async def execute(self, instance_id, parameters, **kwargs):
        return ToolResponse(text=" ".join(f"{name}={OPS[name](2, 3)}" for name in OPS)), 1.0, {}
"""
_OPS = """\
OPS = {}


def op(name):
    def put(function):
        OPS[name] = function
        return function

    return put


@op("add")
def add(a, b):
    return a + b


OPS["less"], other = lambda a, b: a - b, None
"""
_MORE = "from ops import op\n\n\n@op('times')\ndef times(a, b):\n    return a * b\n"


def test_operations_that_register_themselves_are_there(tmp_path: Path, environment: Any) -> None:
    config = f"tools:\n  - class_name: op_tool.OpTool\n    config: {{type: native}}\n{schema('op', '{}')}"
    files = {"op_tool.py": _TOOL, "ops.py": _OPS, "more_ops.py": _MORE, "tools.yaml": config}
    module, carried = environment(write(tmp_path / "checkout", {**VERL, **files}), tools="tools.yaml")
    assert not carried.problems
    call = '<tool_call>{"name": "op", "arguments": {}}</tool_call>'
    observation, _, _ = asyncio.run(stepped(module.build_env(sample(), args()), call))
    assert observation["obs_str"] == "add=5 less=-1 times=6"
