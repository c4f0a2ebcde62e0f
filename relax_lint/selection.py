"""Which rules are wanted: codes, prefixes, names and ALL, layer over layer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from relax_lint.rules import Rule

EVERYTHING = "ALL"
FAMILY = "RLX"
_NUMBERED = re.compile(r"[A-Z]{1,3}[0-9]{0,2}|RLX[0-9]+", re.IGNORECASE)
"""What is spelt like a code, or like the beginning of one."""


class UnknownRule(ValueError):
    """A selector that fits no rule."""

    def __init__(self, selector: str, rules: Mapping[str, Rule]) -> None:
        from difflib import get_close_matches

        # Any number is near to some rule's: which one was meant is not to be told from another.
        codes = [] if _NUMBERED.fullmatch(selector) else list(rules)
        near = get_close_matches(selector, [*codes, *(rule.name for rule in rules.values())], n=1, cutoff=0.7)
        hint = f"; did you mean {near[0]}?" if near else "; `relax-lint rule --all` lists the rules"
        super().__init__(f"no rule is called {selector!r}{hint}")


class Layer(NamedTuple):
    """One place that selects: a configuration file, the command line. ``select`` of ``None`` leaves it to the layer
    below."""

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()

    @property
    def selectors(self) -> tuple[str, ...]:
        """Everything that is said to mean rules."""
        return (*(self.select or ()), *self.ignore, *self.extend_select)


def matching(selector: str, rules: Mapping[str, Rule]) -> list[str]:
    """The codes that a selector means among these rules."""
    upper = selector.upper()
    if upper == EVERYTHING:
        return list(rules)
    if upper.startswith(FAMILY):
        return [code for code in rules if code.startswith(upper)]
    return [code for code, rule in rules.items() if rule.name == selector.lower()]


def refuse_unknown(selectors: Iterable[str], rules: Mapping[str, Rule]) -> None:
    """Raise :class:`UnknownRule` for the first selector that fits no rule."""
    for selector in selectors:
        if not matching(selector, rules):
            raise UnknownRule(selector, rules)


def selected(layers: Iterable[Layer], rules: Mapping[str, Rule]) -> set[str]:
    """The codes that the layers leave, the lowest layer first.

    Within a layer the longer prefix wins and ignore wins a tie; a layer that selects forgets the layers below it.
    """
    chosen = set(rules)
    for layer in layers:
        wanted = [*(layer.select or ()), *layer.extend_select]
        choices = [(_weight(selector, rules), True, selector) for selector in wanted]
        choices += [(_weight(selector, rules), False, selector) for selector in layer.ignore]
        if layer.select is not None:
            chosen = set()
        for _, include, selector in sorted(choices, key=lambda choice: (choice[0], not choice[1])):
            chosen = chosen | set(matching(selector, rules)) if include else chosen - set(matching(selector, rules))
    return chosen


def _weight(selector: str, rules: Mapping[str, Rule]) -> int:
    if selector.upper() == EVERYTHING:
        return 0
    return len(selector) if selector.upper().startswith(FAMILY) else max(map(len, rules), default=0)
