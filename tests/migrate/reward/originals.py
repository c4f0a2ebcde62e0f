"""The scorers of verl as PyPI has it, loaded by file: nothing of the package around them is run."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

SCORES = "verl.utils.reward_score"


def originals() -> Path:
    """The directory that holds verl; it is an error not to have it."""
    root = Path(os.environ.get("RELAX_LINT_ORIGINALS") or Path(sys.prefix) / "originals")
    assert (root / "verl/utils/reward_score/__init__.py").is_file(), (
        f"verl is not in {root}: `make test` puts it there, pip install --no-deps --target {root} verl==0.9.1, too"
    )
    return root


def stand_in() -> None:
    """Make the packages above the scorers empty, and a module for metrics that wants torch."""
    root = originals()
    for name in ("verl", "verl.utils", "verl.utils.metric"):
        if name not in sys.modules:
            made = ModuleType(name)
            made.__path__ = [str(root.joinpath(*name.split(".")))]
            sys.modules[name] = made
    sys.modules["verl.utils.metric"].__dict__["Metric"] = object


def original(module: str, function: str) -> Callable[..., Any]:
    """A function of a scorer."""
    stand_in()
    found: Callable[..., Any] = getattr(importlib.import_module(module), function)
    return found


def outcome(function: Callable[..., Any], *arguments: object, **more: object) -> Any:
    """What a scorer gives, as verl's managers read it, or the name of what it raises."""
    try:
        result = function(*arguments, **more)
    except ImportError:
        raise
    except Exception as problem:
        return type(problem).__name__
    if isinstance(result, dict):
        return {**result, "score": float(result["score"])}
    return {"score": float(result[0] if isinstance(result, (tuple, list)) else result)}
