"""A small verl, and tools, functions, MCP servers and interactions as users write them for it; none is verl's own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

VERL = {
    "verl/__init__.py": "",
    "verl/version/version": "0.7.0\n",
    "verl/trainer/config/ppo_trainer.yaml": "{}\n",
    "verl/tools/__init__.py": "",
    "verl/tools/schemas.py": """\
class ToolResponse:
    def __init__(self, text=None, image=None, video=None):
        if image is not None and not isinstance(image, list):
            raise ValueError("the image must be a list")
        self.text, self.image, self.video = text, image, video


class Shown:
    def __init__(self, values):
        self.values = values
        for name, value in values.items():
            setattr(self, name, Shown(value) if isinstance(value, dict) else value)

    @classmethod
    def model_validate(cls, values):
        return values if isinstance(values, cls) else cls(values)


class OpenAIFunctionToolSchema(Shown):
    pass
""",
    "verl/tools/base_tool.py": """\
from .schemas import OpenAIFunctionToolSchema, ToolResponse


class BaseTool:
    def __init__(self, config, tool_schema):
        self.config = config
        self.tool_schema = tool_schema or self.get_openai_tool_schema()
        self.name = self.tool_schema.function.name

    def get_openai_tool_schema(self):
        return self.tool_schema

    async def create(self, instance_id=None, **kwargs):
        return instance_id or "one", ToolResponse()

    async def execute(self, instance_id, parameters, **kwargs):
        return ToolResponse(text="nothing"), 0.0, {}

    async def calc_reward(self, instance_id, **kwargs):
        return 0.0

    async def release(self, instance_id, **kwargs):
        pass
""",
    "verl/tools/mcp_base_tool.py": """\
from verl.tools.utils.mcp_clients.McpClientManager import ClientManager

from .base_tool import BaseTool
from .schemas import ToolResponse


class MCPBaseTool(BaseTool):
    async def execute(self, instance_id, parameters, **kwargs):
        text = await ClientManager.call_tool(self.name, parameters, self.config.get("timeout", 30))
        return ToolResponse(text=self.shown(text)), 0.0, {"status": "success"}

    def shown(self, text):
        return text
""",
    "verl/tools/utils/__init__.py": "",
    "verl/tools/utils/mcp_clients/__init__.py": "",
    "verl/tools/utils/mcp_clients/McpClientManager.py": """\
import json


class MCPClientManager:
    servers = {}

    async def initialize(self, config_path, rate_limit=10.0):
        with open(config_path) as file:
            self.servers.update(json.load(file)["mcpServers"])

    async def fetch_tool_schemas(self, selected):
        return [
            {
                "type": "function",
                "function": {
                    "name": name,
                    "description": f"{name} of a server",
                    "parameters": {"type": "object", "properties": {"text": {"type": "string"}}, "required": []},
                },
            }
            for name in self.servers
            if not selected or name in selected
        ]

    async def call_tool(self, name, parameters, timeout):
        return self.servers[name] + parameters["text"]


ClientManager = MCPClientManager()
""",
    "verl/interactions/__init__.py": "",
    "verl/interactions/base.py": """\
class BaseInteraction:
    def __init__(self, config):
        self.config = config
        self.name = config.get("name", "interaction_agent")
""",
    "verl/utils/__init__.py": "",
    "verl/utils/rollout_trace.py": "def rollout_trace_op(function):\n    return function\n",
    "verl/utils/reward_score/__init__.py": "",
    "verl/utils/reward_score/sums.py": '''\
# Copyright of somebody's: it stays.
import re

UNUSED = "this is needed by nobody"


def same(answer, wanted):
    """Whether an answer has the number that is wanted."""
    found = re.findall(r"-?\\d+", str(answer))  # the last one counts
    return 1.0 if found and found[-1] == wanted else 0.0
''',
}
NEWER = {
    "verl/tools/function_tool.py": """\
import inspect
import json

from verl.tools.schemas import ToolResponse

FUNCTION_TOOL_REGISTRY = {}


def function_tool(name=None, *, schema=None):
    def decorate(fn):
        called = name if isinstance(name, str) else fn.__name__
        FUNCTION_TOOL_REGISTRY[called] = fn
        return fn

    return decorate(name) if callable(name) else decorate
""",
}
TOOLS = '''\
"""Tools of a user."""

import asyncio
import os
from uuid import uuid4

from verl.tools.base_tool import BaseTool
from verl.tools.schemas import OpenAIFunctionToolSchema, ToolResponse
from verl.utils.reward_score import sums
from verl.utils.rollout_trace import rollout_trace_op

LIMIT = int(os.getenv("SUM_LIMIT", "1000"))  # more is too much


class SumTool(BaseTool):
    """Checks a sum."""

    def __init__(self, config: dict, tool_schema: OpenAIFunctionToolSchema):
        super().__init__(config, tool_schema)
        self._instances = {}

    async def create(self, instance_id=None, **kwargs):
        instance_id = instance_id or str(uuid4())
        self._instances[instance_id] = {"wanted": kwargs["create_kwargs"]["wanted"], "calls": 0, "reward": 0.0}
        return instance_id, ToolResponse()

    @rollout_trace_op
    async def execute(self, instance_id, parameters, **kwargs):
        state = self._instances[instance_id]
        state["calls"] += 1
        await asyncio.sleep(0)
        if abs(int(parameters["answer"])) > LIMIT:
            raise ValueError("too much")
        state["reward"] = await self.calc_reward(instance_id, answer=parameters["answer"])
        kwargs["agent_data"].extra_fields["answers"] = kwargs["agent_data"].extra_fields.get("answers", 0) + 1
        text = f"{state['reward']=} after {state['calls']} {self.config['unit']}"
        return ToolResponse(text=text), state["reward"] - 0.5, {"calls": state["calls"]}

    async def calc_reward(self, instance_id, **kwargs):
        # The comment inside stays.
        if "answer" in kwargs:
            return sums.same(kwargs["answer"], self._instances[instance_id]["wanted"])
        return self._instances[instance_id]["reward"]

    async def release(self, instance_id, **kwargs):
        del self._instances[instance_id]


class PictureTool(BaseTool):
    async def execute(self, instance_id, parameters, **kwargs):
        pictures = [f"picture {number}" for number in range(parameters["count"])]
        return ToolResponse(text=parameters.get("text"), image=pictures), None, {"success": True}


class LongTool(BaseTool):
    async def execute(self, instance_id, parameters, **kwargs):
        return ToolResponse(text="abcdefghij" * parameters["times"]), 0.25, {}
'''
FUNCTIONS = '''\
"""Functions of a user."""

from typing import Literal, Optional

from verl.tools.function_tool import function_tool
from verl.tools.schemas import ToolResponse


@function_tool("weather")
def get_weather(city: str, days: int = 1, unit: Literal["C", "F"] = "C") -> dict:
    """Tell the weather of a city.

    It is always the same.

    Args:
        city: The city,
            by its name.
        days: How many days.
        unit: What it is measured in.

    Returns:
        The weather.
    """
    return {"city": city, "days": days, "unit": unit, "sky": "blüe"}


@function_tool
async def count(text: str, of: Optional[str] = None):
    """Count letters.

    Args:
        text: Where.
        of: Which one.
    """
    return ToolResponse(text=str(len(text) if of is None else text.count(of))), 0.5, {"letters": len(text)}


@function_tool()
def odd(values: list[int | float]) -> tuple:
    """Return too much.

    Args:
        values: Numbers.
    """
    return 1, 2, 3, 4


def helper():
    return "no tool"
'''
MCP = """\
from verl.tools.mcp_base_tool import MCPBaseTool


class LoudTool(MCPBaseTool):
    def shown(self, text):
        return text.upper()
"""
INTERACTION = """\
from verl.interactions.base import BaseInteraction
from verl.utils.reward_score import sums


class SumInteraction(BaseInteraction):
    def __init__(self, config):
        super().__init__(config)
        self.open = {}

    async def start_interaction(self, instance_id=None, wanted=None, **kwargs):
        self.open[instance_id] = wanted
        return instance_id

    async def generate_response(self, instance_id, messages, **kwargs):
        said = [message["content"] for message in messages if message["role"] == "assistant"][-1]
        score = sums.same(said, self.open[instance_id])
        text = f"{self.config['praise']} {len(messages)}" if score else f"no, {kwargs['hint']}"
        return bool(score), text, score, {"said": said}

    async def calculate_score(self, instance_id, **kwargs):
        return 0.0

    async def finalize_interaction(self, instance_id, **kwargs):
        del self.open[instance_id]
"""


def schema(name: str, properties: str) -> str:
    """The schema of a tool, as YAML."""
    return f"""\
    tool_schema:
      type: function
      function:
        name: {name}
        description: Tool {name}.
        parameters:
          type: object
          properties: {{{properties}}}
          required: []
"""


TOOLS_YAML = f"""\
unit: calls
tools:
  - class_name: my_tools.SumTool
    config: {{type: native, unit: "${{unit}}", home: "${{oc.env:SUM_HOME,/tmp}}/x", rate: 1e-3}}
{schema("sum", "answer: {type: string, description: The sum., item: {type: string}}")}\
  - class_name: my_tools.PictureTool
    config: {{type: native}}
{schema("picture", "count: {type: integer}")}\
  - class_name: my_tools.LongTool
    config: {{type: native}}
{schema("long", "times: {type: integer}")}\
"""
MCP_YAML = """\
tools:
  - class_name: my_mcp.LoudTool
    config: {type: mcp, rate_limit: 9, timeout: 5}
    mcp: {mcp_servers_config_path: SERVERS, tool_selected_list: [echo]}
"""
INTERACTION_YAML = """\
interaction:
  - class_name: my_interaction.SumInteraction
    config: {praise: well done}
"""
FILES = {
    "my_tools.py": TOOLS,
    "my_functions.py": FUNCTIONS,
    "my_mcp.py": MCP,
    "my_interaction.py": INTERACTION,
    "tools.yaml": TOOLS_YAML,
    "mcp.yaml": MCP_YAML,
    "interaction.yaml": INTERACTION_YAML,
    "servers.json": '{"mcpServers": {"echo": "you said ", "other": "no "}}',
}


def write(root: Path, files: Mapping[str, str]) -> Path:
    """Files below a directory."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("SERVERS", str(root / "servers.json")), encoding="utf-8")
    return root
