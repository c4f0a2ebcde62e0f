"""Recipes that an environment is carried over to, written and imported as they would be in Relax."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import sys
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from relax_lint.migrate.carrying.sources import VerlSources, verl_sources
from relax_lint.migrate.environment.carry import CarriedEnvironment, Request, carry_tools
from relax_lint.project import Project
from relax_lint.records import changed

_NUMBERS = count()


def sources(root: Path) -> VerlSources:
    """The code below a directory, with the verl that is there."""
    return verl_sources(Project(root))


class NoVerl:
    """A finder that refuses verl, as if nothing of it were installed."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: object = None) -> None:
        """Nobody may import verl."""
        if name.partition(".")[0] in ("verl", "my_tools", "my_functions", "my_mcp", "my_interaction"):
            raise ImportError(f"{name} is not installed")


def written(root: Path, into: Path, **request: Any) -> tuple[CarriedEnvironment, str]:
    """What is carried over, and the package that it was written to below ``into``."""
    package = f"carried_{next(_NUMBERS)}.demo"
    named = {
        key: root / value if key in ("tools", "interactions", "functions") else value for key, value in request.items()
    }
    carried = carry_tools(changed(Request("demo", package), **named), sources(root))
    for file in carried.files:
        path = into.joinpath(*package.split("."), file.name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8")
    return carried, package


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that carries an environment over and imports it where there is no verl."""
    into = tmp_path / "relax"
    into.mkdir()
    monkeypatch.syspath_prepend(str(into))
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])

    def make(root: Path, **request: Any) -> tuple[ModuleType, CarriedEnvironment]:
        carried, package = written(root, into, **request)
        sys.meta_path.insert(0, NoVerl())
        importlib.invalidate_caches()
        return importlib.import_module(f"{package}.env_demo"), carried

    return make


def sample(**fields: Any) -> Any:
    """A sample as far as an environment looks at it."""
    usual: dict[str, Any] = {
        "metadata": {},
        "prompt": "the prompt",
        "multimodal_inputs": None,
        "status": None,
        "response_length": 0,
    }
    return SimpleNamespace(**{**usual, **fields})


def args(**fields: Any) -> Any:
    """The arguments of a launch with its config YAML."""
    return SimpleNamespace(**{"max_turns": 99, **fields})


async def settled() -> None:
    """Let what was started on a loop before go on to its end."""
    for _ in range(50):
        await asyncio.sleep(0)


async def stepped(env: Any, response: str) -> tuple[dict[str, Any], bool, dict[str, Any]]:
    """A step as Relax's rollout makes it."""
    result = env.step(response)
    if inspect.isawaitable(result):
        result = await result
    observation, done, info = result
    return observation, done, info
