"""The rules: one file each, in a folder per family, found on disk.

A rule file's docstring is its manual page. It holds one function under :func:`rule` and the examples that the test
suite runs and the documentation shows.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from relax_lint.diagnostics import Finding, NotChecked, Severity
from relax_lint.records import record

Subject = Literal["python", "launcher", "launch", "reward", "recipe", "yaml", "engine"]
Check = Callable[[Any, Any], Iterable[Finding | NotChecked]]

ERROR, WARNING, ADVICE = Severity.ERROR, Severity.WARNING, Severity.ADVICE


@record
class Example:
    """Files of a small tree and what a rule says of it.

    ``files`` maps paths to text; a plain string is the one file of the rule's usual kind. ``findings`` holds
    ``(path, line, column)`` or, for single files, ``(line, column)`` of every finding of this rule, with an optional
    trailing :class:`Severity` where it is not the rule's own. ``fixed`` is the tree after ``--fix`` (``--unsafe-fixes``
    too when ``unsafe``): files that change, ``None`` for files without a fix. ``changed`` are the paths that the git
    change touches which is checked, if one is.
    """

    files: str | Mapping[str, str]
    findings: tuple[tuple[Any, ...], ...] = ()
    fixed: str | Mapping[str, str] | None = None
    unsafe: bool = False
    changed: tuple[str, ...] = ()


@record
class Rule:
    """A registered rule."""

    code: str
    name: str
    severity: Severity
    on: Subject
    check: Check
    doc: str
    everywhere: bool
    valid: tuple[Example | str, ...]
    invalid: tuple[Example, ...]
    fixable: Literal["safe", "unsafe", ""]


REGISTRY: dict[str, Rule] = {}


def rule(
    code: str,
    name: str,
    severity: Severity,
    *,
    on: Subject,
    valid: Iterable[Example | str],
    invalid: Iterable[Example],
    everywhere: bool = False,
    fixable: Literal["safe", "unsafe", ""] = "",
) -> Callable[[Check], Check]:
    """Register a check under its code.

    ``on`` says what the check is called with, each time together with the project: every Python file of a recipe, every
    launcher, every launch, every (launch, reward function) pair, every recipe, every YAML file of a
    recipe. ``everywhere`` means that launchers outside recipes are judged too.
    """

    def register(check: Check) -> Check:
        doc = importlib.import_module(check.__module__).__doc__ or ""
        REGISTRY[code] = Rule(code, name, severity, on, check, doc, everywhere, tuple(valid), tuple(invalid), fixable)
        return check

    return register


def load_rules(without: Collection[str] = ()) -> dict[str, Rule]:
    """Import every rule file below this package, but for some families; the registry, by code."""
    for family in sorted(Path(__path__[0]).iterdir()):
        if family.name not in without and not family.suffix:
            for module in sorted(family.glob("[!_]*.py")):
                importlib.import_module(f"{__name__}.{family.name}.{module.stem}")
    return dict(sorted(REGISTRY.items()))
