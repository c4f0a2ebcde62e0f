"""Faults by the contract's families: every module here holds ``FAULTS``."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from tests.faults.trees import Fault


def all_faults() -> list[Fault]:
    """The faults of all modules, in the order of their codes."""
    names = [module.name for module in pkgutil.iter_modules(__path__)]
    found: list[Fault] = []
    for name in names:
        found += getattr(import_module(f"{__name__}.{name}"), "FAULTS", [])
    return sorted(found, key=lambda fault: fault.code)
