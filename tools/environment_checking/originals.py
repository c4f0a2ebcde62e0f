"""verl's own tools and agent loop, loaded by file; what is heavy around them is stubbed."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

_PACKAGES = (
    "verl",
    "verl.tools",
    "verl.tools.utils",
    "verl.tools.utils.mcp_clients",
    "verl.utils",
    "verl.utils.reward_score",
    "verl.utils.reward_score.sandbox_fusion",
    "verl.interactions",
    "verl.interactions.utils",
    "verl.experimental",
    "verl.experimental.agent_loop",
)
"""Packages whose ``__init__`` is not run."""
_LOOP = "verl.experimental.agent_loop"


class Anything(ModuleType):
    """A module that has whatever is asked of it: classes to derive from, decorators that change nothing."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name[:1].isupper():
            return type(name, (), {})
        if name == "simple_timer":
            return lambda *_: contextlib.nullcontext()
        return lambda *_, **__: lambda thing: thing


def _identity(function: Any = None, **_: Any) -> Any:
    return function


@contextlib.contextmanager
def originals(root: Path) -> Iterator[None]:
    """``verl`` can be imported from a checkout; afterwards nothing of it is there."""
    trace = ModuleType("verl.utils.rollout_trace")
    trace.rollout_trace_op = _identity  # type: ignore[attr-defined]
    stubs: dict[str, ModuleType] = {trace.__name__: trace}
    for name in ("torch", "transformers", f"{_LOOP}.agent_loop", f"{_LOOP}.utils", "verl.utils.profiler"):
        if name.startswith("verl") or not _installed(name):
            stubs[name] = Anything(name)
    for name in _PACKAGES:
        package = ModuleType(name)
        package.__path__ = [str(root / name.replace(".", "/"))]
        stubs[name] = package
    sys.modules.update(stubs)
    try:
        yield
    finally:
        for name in [each for each in sys.modules if each == "verl" or each.startswith("verl.")]:
            del sys.modules[name]


def _installed(name: str) -> bool:
    return name in sys.modules or find_spec(name) is not None


async def make_tools(config: dict[str, Any]) -> dict[str, Any]:
    """The tools of a configuration, by name, as verl's registry makes them."""
    schemas = importlib.import_module("verl.tools.schemas")
    made = {}
    for entry in config["tools"]:
        module, _, name = entry["class_name"].rpartition(".")
        tool_class = getattr(importlib.import_module(module), name)
        if entry["config"]["type"] == "mcp":
            manager = importlib.import_module("verl.tools.utils.mcp_clients.McpClientManager").ClientManager
            await manager.initialize(entry["mcp"]["mcp_servers_config_path"], entry["config"]["rate_limit"])
            listed = await manager.fetch_tool_schemas(entry["mcp"]["tool_selected_list"])
        else:
            listed = [entry["tool_schema"]]
        for schema in listed:
            with contextlib.redirect_stdout(None):
                tool = tool_class(
                    config=entry["config"], tool_schema=schemas.OpenAIFunctionToolSchema.model_validate(schema)
                )
            made[tool.name] = tool
    return made


class Loop:
    """verl's agent loop for one conversation, as far as calls of tools go."""

    def __init__(self, tools: dict[str, Any], tools_kwargs: dict[str, Any], limits: dict[str, Any]) -> None:
        module = importlib.import_module(f"{_LOOP}.tool_agent_loop")
        parsers = importlib.import_module(f"{_LOOP}.tool_parser")
        self.loop_class = module.ToolAgentLoop
        self.parser = parsers.ToolParser.get_tool_parser("hermes", SimpleNamespace(decode=lambda text: text))
        self.own = SimpleNamespace(tools=tools, **limits)
        self.tools_kwargs = tools_kwargs
        self.data = SimpleNamespace(extra_fields={}, messages=[], image_data=None, _active_tools=tools)
        self.rewards: list[Any] = []

    async def turn(self, response: str) -> list[tuple[Any, list[Any], Any, Any]] | None:
        """Text, images, reward and metrics of each call that is made; ``None`` when there is none."""
        _, calls = await self.parser.extract_tool_calls(response)
        if not calls:
            return None
        calls = calls[: self.own.max_parallel_calls]
        made = await asyncio.gather(
            *(self.loop_class._call_tool(self.own, call, self.tools_kwargs, self.data) for call in calls)
        )
        self.rewards += [reward for _, reward, _ in made if reward is not None]
        return [(response.text, list(response.image or ()), reward, metrics) for response, reward, metrics in made]

    def schemas(self) -> list[dict[str, Any]]:
        """What verl's chat template is given."""
        tools = self.own.tools.values()
        return [tool.tool_schema.model_dump(exclude_unset=True, exclude_none=True) for tool in tools]
