"""What can be said of flags, of verl's settings and of rules, in Markdown."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from relax_lint.catalog.flags import Catalogue, Flag
    from relax_lint.migrate.mapping import Condition, Entry
    from relax_lint.rules import Rule

_MOST_NAMES = 6
"""How many names of verl's are told of one flag."""
_FLAG = re.compile(r"--[a-z][\w-]*\w")
_KINDS = {
    "derived": "goes into flags of Relax together with other settings",
    "dropped": "is not needed in Relax",
    "no effect": "has no effect",
    "unsupported": "has no counterpart in Relax",
}


def of_flag(catalogue: Catalogue, word: str) -> str | None:
    """A flag, with what verl calls it; ``None`` for a word that is none."""
    from relax_lint.commands.catalog import distinct, facts

    flags = catalogue.flags(word) or catalogue.abbreviated(word)
    if not flags:
        return None
    return "\n\n---\n\n".join(_flag(flag, facts(catalogue, word, flag)) for flag in distinct(flags))


def _flag(flag: Flag, known: Iterable[tuple[str, str]]) -> str:
    lines = [f"**`{flag.name}`**", ""]
    lines += [f"- {label}: {_as_code(label, text)}" for label, text in known]
    named = names_in_verl().get(flag.name, ())
    if named:
        shown = ", ".join(f"`{name}`" for name in named[:_MOST_NAMES])
        lines.append(f"- in verl: {shown}{' …' if len(named) > _MOST_NAMES else ''}")
    return "\n".join(lines)


def _as_code(label: str, text: str) -> str:
    if label in ("also", "choices", "known", "sets", "default"):
        return ", ".join(f"`{part}`" for part in text.split(", "))
    return text


@cache
def names_in_verl() -> dict[str, tuple[str, ...]]:
    """The settings of verl that each flag of Relax takes the place of, alone or with others."""
    from relax_lint.migrate.mapping import all_entries

    found: dict[str, dict[str, None]] = {}
    for entry in all_entries():
        for flag in (*(flag for flag, _ in entry.flags), *_FLAG.findall(entry.advice)):
            found.setdefault(flag, {})[entry.key] = None
    return {flag: tuple(names) for flag, names in found.items()}


def of_verl(key: str) -> str | None:
    """A setting of verl, and where it goes in Relax; ``None`` where verl has none of that name."""
    from relax_lint.migrate.mapping import entries, plain_key

    name = plain_key(key)
    found = entries(name)
    if not found:
        return None
    told = [sentence for entry in found for sentence in _fate(entry)]
    return "\n".join([f"**`{name}`** of verl", "", *(f"- {sentence}" for sentence in told)])


def _fate(entry: Entry) -> Iterator[str]:
    when = f" when {_conditions(entry.when)}" if entry.when else ""
    if entry.flags:
        flags = ", ".join(f"`{flag}`" for flag, _ in entry.flags)
        together = ", together with other settings" if entry.kind == "derived" else ""
        yield f"in Relax: {flags}{together}{when}"
    else:
        reason = f": {entry.reason}" if entry.reason else ""
        yield f"{_KINDS[entry.kind]}{when}{reason}"
    for more in (entry.todo, entry.advice):
        if more:
            yield more


def _conditions(alternatives: Iterable[Iterable[Condition]]) -> str:
    return " or ".join(" and ".join(map(_condition, part)) for part in alternatives)


def _condition(condition: Condition) -> str:
    values = " or ".join(f"`{value}`" for value in condition.values)
    return f"`{condition.key}` is {'not ' if condition.negated else ''}{values}"


def of_rule(rule: Rule) -> str:
    """A rule: what it is about."""
    head, _, rest = inspect.cleandoc(rule.doc).partition("\n\n")
    first = rest.partition("\n\n#")[0].strip()
    title = f"**{rule.code} {rule.name}** ({rule.severity.value})"
    return "\n\n".join(part for part in (title, head, first) if part)
