"""The rules: one file each, in a folder per family, found on disk when the index of them is made.

A rule file's docstring is its manual page. It holds one function under :func:`rule` and the examples that the test
suite runs and the documentation shows.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal

from relax_lint.diagnostics import Finding, NotChecked, Severity
from relax_lint.records import record
from relax_lint.rules.index import INDEX

Subject = Literal["python", "launcher", "launch", "reward", "recipe", "yaml", "engine"]
Fixable = Literal["safe", "unsafe", ""]
Row = tuple[str, str, str, Subject, bool, Fixable, bool, str]
"""What the index has of a rule: its code, name, severity and subject, ``everywhere``, ``fixable``, ``only_python``, and
its file."""
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
class Contents:
    """What a rule's file holds beyond what the index knows of it."""

    check: Check
    doc: str
    valid: tuple[Example | str, ...]
    invalid: tuple[Example, ...]


class Rule:
    """A rule. Its ``contents`` are asked for when it has something to check, or its manual page is shown: until then
    the file of a rule is not imported."""

    def __init__(
        self,
        code: str,
        name: str,
        severity: Severity,
        *,
        on: Subject,
        contents: Callable[[], Contents],
        everywhere: bool = False,
        fixable: Fixable = "",
        only_python: bool = False,
    ) -> None:
        self.code = code
        self.name = name
        self.severity = severity
        self.on = on
        self.everywhere = everywhere
        self.fixable = fixable
        self.only_python = only_python
        self._contents = contents

    @cached_property
    def check(self) -> Check:
        """What judges a subject."""
        return self._contents().check

    @property
    def doc(self) -> str:
        """The manual page, without examples."""
        return self._contents().doc

    @property
    def valid(self) -> tuple[Example | str, ...]:
        """Examples of which the rule says nothing."""
        return self._contents().valid

    @property
    def invalid(self) -> tuple[Example, ...]:
        """Examples of which it does."""
        return self._contents().invalid

    @property
    def severities(self) -> tuple[Severity, ...]:
        """Those that its findings have: its own first, then those that its examples tell of."""
        told = {item for example in self.invalid for found in example.findings for item in found}
        return (self.severity, *(each for each in Severity if each in told and each is not self.severity))

    @property
    def fixes(self) -> tuple[Fixable, ...]:
        """What its fixes are, some of them safe and some not; none where nothing is fixed."""
        fixed = {"unsafe" if each.unsafe else "safe" for each in self.invalid if each.fixed is not None}
        kinds: tuple[Fixable, ...] = ("safe", "unsafe")
        return tuple(kind for kind in kinds if kind in fixed | {self.fixable})

    @property
    def row(self) -> Row:
        """What the index has of it."""
        module = self.check.__module__.removeprefix(f"{__name__}.")
        return (
            self.code, self.name, self.severity.value, self.on, self.everywhere, self.fixable, self.only_python, module,
        )  # fmt: skip


REGISTRY: dict[str, Rule] = {}
_IMPORTED: dict[str, Contents] = {}


def rule(
    code: str,
    name: str,
    severity: Severity,
    *,
    on: Subject,
    valid: Iterable[Example | str],
    invalid: Iterable[Example],
    everywhere: bool = False,
    fixable: Fixable = "",
    only_python: bool = False,
) -> Callable[[Check], Check]:
    """Register a check under its code.

    ``on`` says what the check is called with, each time together with the project: every Python file of a recipe, every
    launcher, every launch, every (launch, reward function) pair, every recipe, every YAML file of a
    recipe. ``everywhere`` means that launchers outside recipes are judged too; ``only_python`` that whatever the rule
    says of a recipe lies in Python files.
    """

    def register(check: Check) -> Check:
        doc = importlib.import_module(check.__module__).__doc__ or ""
        contents = _IMPORTED[code] = Contents(check, doc, tuple(valid), tuple(invalid))
        REGISTRY[code] = Rule(
            code,
            name,
            severity,
            on=on,
            contents=lambda: contents,
            everywhere=everywhere,
            fixable=fixable,
            only_python=only_python,
        )
        return check

    return register


def load_rules(without: Collection[str] = ()) -> dict[str, Rule]:
    """The rules of the index, but for some families, and whatever else is registered; by code."""
    for code, name, severity, on, everywhere, fixable, only_python, module in INDEX:
        if code not in REGISTRY and module.partition(".")[0] not in without:
            REGISTRY[code] = Rule(
                code,
                name,
                Severity(severity),
                on=on,
                contents=partial(_import, code, module),
                everywhere=everywhere,
                fixable=fixable,
                only_python=only_python,
            )
    return dict(sorted(REGISTRY.items()))


def _import(code: str, module: str) -> Contents:
    importlib.import_module(f"{__name__}.{module}")
    return _IMPORTED[code]


def import_rules() -> dict[str, Rule]:
    """Import every rule file below this package; the rules, by code. This is what the index is made from."""
    for family in sorted(Path(__path__[0]).iterdir()):
        if not family.suffix:
            for module in sorted(family.glob("[!_]*.py")):
                importlib.import_module(f"{__name__}.{family.name}.{module.stem}")
    return dict(sorted(REGISTRY.items()))
