"""Where each setting of verl goes, out of the data that migrations use."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import groupby
from pathlib import Path

from relax_lint.migrate.mapping import FOLDER, PASS, Condition, Entry, all_entries, read
from tools.docs_builder.blocks import GENERATED, cell, code, table

PAGE = Path("docs/reference/mapping.md")
INTRODUCTION = """\
Where `relax-lint migrate` takes each setting of verl, and what RLX402 says of one that is left in a launch of Relax.
What became of the settings of a launch of yours, with its values, stands in its MIGRATION.md.

- A flag alone takes the setting's value, converted as is said.
- *derived*: several settings make flags together; the step that does it is named.
- *not needed*: Relax does without; *no effect*: verl itself does not read it, then; *none*: Relax lacks it.
- A setting with conditions has a line for each; the first that holds counts. `*` stands for all settings below."""


def page() -> str:
    """The page: a table for each file of the data."""
    parts = [f"{GENERATED}\n# From verl to Relax", INTRODUCTION]
    for path in sorted(FOLDER.glob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        parts += [f"## {path.stem}", text.partition("\n")[0].removeprefix("# "), _table(read(text, path.name))]
    steps = sorted({entry.derived for entry in all_entries() if entry.derived})
    parts += ["## The steps", "What several settings are made flags of together:"]
    parts.append(table(("step", "what it does"), [(step.replace("_", " "), cell(_step(step))) for step in steps]))
    return "\n\n".join(parts) + "\n"


def _step(name: str) -> str:
    """What the module of a step says of itself first."""
    module = import_module(f"relax_lint.migrate.derived.{name}")
    return inspect.cleandoc(module.__doc__ or "").split("\n\n", 1)[0]


def _table(found: dict[str, tuple[Entry, ...]]) -> str:
    """A row for settings side by side of which the same is said."""
    rows = []
    for said, keys in groupby(found, key=lambda key: list(_fates(found[key]))):
        rows.append(("<br>".join(map(code, keys)), "<br>".join(said)))
    return table(("in verl", "in Relax"), rows)


def _fates(entries: Sequence[Entry]) -> Iterator[str]:
    for entry in entries:
        when = f"when {_alternatives(entry.when)}: " if entry.when else ""
        otherwise = "otherwise " if not entry.when and len(entries) > 1 else ""
        yield cell(f"{when}{otherwise}{_fate(entry)}")


def _fate(entry: Entry) -> str:
    flags = ", ".join(code(flag) + ("" if how == PASS else f" ({how})") for flag, how in entry.flags)
    modes = "" if entry.modes == "both" else f" in {entry.modes}"
    if entry.kind == "flag":
        text = f"{flags}{modes}"
    elif entry.kind == "derived":
        text = f"{flags}{', ' if flags else ''}*derived*: {entry.derived.replace('_', ' ')}"
    else:
        named = {"dropped": "not needed", "no effect": "no effect", "unsupported": "none"}[entry.kind]
        text = f"*{named}*: {entry.reason}"
    more = [entry.advice, f"not passed by default, since {entry.given}" if entry.given else "", entry.todo]
    more.append("refused" if entry.refuse else "")
    if entry.neutral:
        more.append(f"unless it is {' or '.join(code(_shown(value)) for value in entry.neutral)}")
    return "; ".join([text, *filter(None, more)])


def _alternatives(parts: Sequence[Sequence[Condition]]) -> str:
    return ", or ".join(" and ".join(map(_condition, part)) for part in parts)


def _condition(condition: Condition) -> str:
    values = " or ".join(code(_shown(value)) for value in condition.values)
    return f"{code(condition.key)} is {'not ' if condition.negated else ''}{values}"


def _shown(value: object) -> str:
    """A value as verl's YAML writes it."""
    return "null" if value is None else str(value)
