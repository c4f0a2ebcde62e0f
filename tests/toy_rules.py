"""Rules that find words, for tests of what the engine does with findings whatever they are about."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from relax_lint.diagnostics import Edit, Finding, Fix, NotChecked, Place, Severity
from relax_lint.project import Project
from relax_lint.rules import ERROR, Contents, Rule
from relax_lint.sources.text import SourceFile

PYTHON = "examples/demo/reward_demo.py"
LAUNCHER = "examples/demo/run_demo.sh"


def word_rule(
    code: str,
    word: str,
    *,
    on: str = "python",
    name: str = "",
    severity: Severity = ERROR,
    replacement: str | None = None,
    safe: bool = True,
    everywhere: bool = False,
) -> Rule:
    """A rule that finds a word outside of comments, and replaces it when told to; the words behind it on its line
    are the finding's subject. ``unknown`` instead of the word keeps it silent."""

    def check(subject: Any, project: Project) -> Iterator[Finding | NotChecked]:
        source: SourceFile = subject
        for match in re.finditer(rf"\b(?:{word}|unknown_{word})\b", source.text):
            line = source.text[source.text.rfind("\n", 0, match.start()) + 1 : match.start()]
            if "#" in line:
                continue
            place = Place(source, *match.span())
            if match[0] != word:
                yield NotChecked(place, match[0])
                continue
            edit = None if replacement is None else replacing(place, replacement)
            fix = None if edit is None else Fix(f"write {replacement}", edit, safe, None if safe else "it is a guess")
            rest = re.compile(r"[ \t]*([\w-]*)").match(source.text, match.end())
            yield Finding(place, f"{word} is bad", fix=fix, subject=rest[1] if rest else "")

    return toy(code, name or f"no-{word}", check, on=on, severity=severity, everywhere=everywhere)


def replacing(place: Place, text: str) -> Callable[[], list[Edit]]:
    return lambda: [Edit.at(place, text)]


def toy(
    code: str,
    name: str,
    check: Callable[[Any, Project], Any],
    *,
    on: str = "python",
    severity: Severity = ERROR,
    everywhere: bool = False,
) -> Rule:
    """A rule around a check."""
    contents = Contents(check, name, (), ())
    return Rule(code, name, severity, on=on, contents=lambda: contents, everywhere=everywhere)  # type: ignore[arg-type]


def by_code(*rules: Rule) -> dict[str, Rule]:
    return {rule.code: rule for rule in rules}
