"""Reads the flags of Relax's parsers from its sources and from those of the programs that it takes flags from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from relax_lint.catalog.reading.facts import ABSENT, FACTS
from relax_lint.catalog.reading.interpreter import Interpreter
from relax_lint.catalog.reading.modules import Sources
from relax_lint.catalog.reading.parsers import Parsers
from relax_lint.catalog.reading.rows import named_parsers
from relax_lint.catalog.reading.values import Exceeded, Finished

ENTRY = ("relax.utils.arguments", "parse_args")
LAST_PARSER = "megatron.training.arguments"
"""The module whose parser is the last one; what follows only looks at values."""


class Reading:
    """What was read: the parsers with their options, and what was passed over on the way."""

    def __init__(self, parsers: list[Any], doubts: list[str]) -> None:
        self.parsers = parsers
        self.doubts = doubts

    def named(self) -> list[tuple[str, Any]]:
        """The parsers by what they are called in the catalogue."""
        return named_parsers(self.parsers)


def read_parsers(
    sources: Sources, stand_ins: Callable[[Interpreter, Parsers], Mapping[str, Mapping[str, Any]]] | None = None
) -> Reading:
    """Follow Relax's ``parse_args`` until it has made its last parser; modules may stand in for sources not there."""
    parsers = Parsers(lambda: interpreter.registering(), LAST_PARSER)
    modules = {"argparse": parsers.module}
    interpreter = Interpreter(sources, modules, FACTS, ABSENT)
    if stand_ins is not None:
        modules |= stand_ins(interpreter, parsers)
    try:
        entry = interpreter.member(interpreter.module(ENTRY[0]), ENTRY[1])
        if callable(entry):
            entry()
    except (Finished, Exceeded) as end:
        if isinstance(end, Exceeded):
            interpreter.doubts.append(str(end))
    return Reading(parsers.made, [*sources.unparsed, *interpreter.doubts])


def read_registration(sources: Sources, module: str, kind: str, method: str) -> Reading:
    """Follow one class's own registration into a parser of its own."""
    parsers = Parsers(lambda: interpreter.registering(), LAST_PARSER)
    interpreter = Interpreter(sources, {"argparse": parsers.module}, FACTS, ABSENT)
    parser = parsers.module["ArgumentParser"](add_help=False)
    getattr(interpreter.member(interpreter.module(module), kind), method)(parser)
    return Reading(parsers.made, interpreter.doubts)
