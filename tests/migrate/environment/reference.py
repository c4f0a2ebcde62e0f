"""Tools run as verl's agent loop runs them, plainly: what an environment has to give, too."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)


@dataclass
class Loop:
    """verl's loop for one conversation; ``newer`` is the wording of its newer versions."""

    tools: Mapping[str, Any]
    tools_kwargs: Mapping[str, Any] = field(default_factory=dict)
    calls: int = 1
    longest: int = 256
    side: str = "middle"
    newer: bool = False
    rewards: list[Any] = field(default_factory=list)
    data: Any = field(default_factory=lambda: SimpleNamespace(extra_fields={}, messages=[]))

    async def turn(self, response: str) -> list[tuple[Any, Any, Any, Any]] | None:
        """Text, images, reward and metrics of each call; ``None`` when the conversation ends here."""
        calls = []
        for found in CALL.findall(response):
            try:
                call = json.loads(found)
                calls.append((call["name"], call["arguments"]))
            except (ValueError, KeyError, TypeError):
                continue
        if not calls:
            return None
        answers = await asyncio.gather(*(self.call(*call) for call in calls[: self.calls]))
        self.rewards += [answer[2] for answer in answers if answer[2] is not None]
        return list(answers)

    async def call(self, name: str, arguments: Any) -> tuple[Any, Any, Any, Any]:
        """One call."""
        if self.newer and name not in self.tools:
            return f"Unknown function '{name}'. Available tools: {list(self.tools)}", [], 0.0, {}
        tool: Any = None
        instance: Any = None
        try:
            tool = self.tools[name]
            if inspect.isfunction(tool):
                response, reward, metrics = await self.function(tool, arguments)
            else:
                kwargs = self.tools_kwargs.get(name, {})
                instance, _ = await tool.create(create_kwargs=kwargs.get("create_kwargs", {}))
                response, reward, metrics = await tool.execute(instance, arguments, agent_data=self.data)
        except Exception as error:
            said = f"Error executing tool '{name}': {error}" if self.newer else f"Error when executing tool: {error}"
            return said, [], 0.0, {}
        finally:
            if instance:
                await tool.release(instance)
        return self.cut(response.text), list(response.image or ()), reward, metrics

    async def function(self, function: Any, arguments: Any) -> tuple[Any, Any, Any]:
        """What a function returns, as a response with reward and metrics."""
        returned = await function(**arguments) if inspect.iscoroutinefunction(function) else function(**arguments)
        parts = returned if isinstance(returned, tuple) else (returned,)
        if len(parts) > 3:
            raise TypeError(f"a function tool returns up to three values in a tuple, not {len(parts)}: {returned!r}")
        first = parts[0]
        if isinstance(first, dict):
            first = SimpleNamespace(text=json.dumps(first, ensure_ascii=False), image=None)
        elif not hasattr(first, "text"):
            first = SimpleNamespace(text=str(first), image=None)
        return first, parts[1] if len(parts) > 1 else 0.0, parts[2] if len(parts) > 2 else {}

    def cut(self, text: str | None) -> str | None:
        """A long text is cut: the older versions name the side that is kept, the newer ones the side that is cut."""
        if not text or len(text) <= self.longest:
            return text
        side = {"left": "right", "right": "left"}.get(self.side, self.side) if self.newer else self.side
        if side == "left":
            return text[: self.longest] + "...(truncated)"
        if side == "right":
            return "(truncated)..." + text[-self.longest :]
        half = self.longest // 2
        return text[:half] + "...(truncated)..." + text[-half:]


@contextmanager
def imported(root: Path, *names: str) -> Iterator[list[ModuleType]]:
    """Modules below a directory, of which nothing stays behind for what is imported later, and which find nothing of
    another verl that was imported before."""
    others = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "verl"}
    for name in others:
        del sys.modules[name]
    before = set(sys.modules)
    sys.path.insert(0, str(root))
    try:
        yield [importlib.import_module(name) for name in names]
    finally:
        sys.path.remove(str(root))
        for name in set(sys.modules) - before:
            file = getattr(sys.modules[name], "__file__", None) or ""
            if file.startswith(str(root)):
                del sys.modules[name]
        sys.modules.update(others)
        importlib.invalidate_caches()
