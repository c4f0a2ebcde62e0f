"""Reads the flags of Relax's parsers from its sources and from those of the programs that it takes flags from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from relax_lint.catalog.reading.facts import ABSENT, FACTS
from relax_lint.catalog.reading.interpreter import Interpreter
from relax_lint.catalog.reading.modules import Sources
from relax_lint.catalog.reading.parsers import Parsers
from relax_lint.catalog.reading.rows import named_parsers
from relax_lint.catalog.reading.values import ANY_TEXT, Exceeded, Finished, Jump, Unknown

ENTRY = ("relax.utils.arguments", "parse_args")
LAST_PARSER = "megatron.training.arguments"
"""The module whose parser is the last one; what follows only looks at values."""


class Reading:
    """What was read: the parsers with their options, and what was passed over on the way.

    ``possible`` are patterns of the flags that may be registered, too; ``depends`` says that what is registered may
    depend on the environment.
    """

    def __init__(
        self, parsers: list[Any], doubts: list[str], possible: Iterable[str] = (), depends: bool = False
    ) -> None:
        self.parsers = parsers
        self.doubts = doubts
        self.possible = frozenset(possible)
        self.depends = depends

    def named(self) -> list[tuple[str, Any]]:
        """The parsers by what they are called in the catalogue."""
        return named_parsers(self.parsers)


_ENVIRONMENT = Unknown("the environment")
ANY_ENVIRONMENT: Mapping[str, Any] = {"environ": _ENVIRONMENT, "getenv": _ENVIRONMENT}
"""In the place of ``os``: nothing is known of any variable."""


def read_parsers(
    sources: Sources,
    stand_ins: Callable[[Interpreter, Parsers], Mapping[str, Mapping[str, Any]]] | None = None,
    system: Mapping[str, Any] | None = None,
) -> Reading:
    """Follow Relax's ``parse_args`` until it has made its last parser; modules may stand in for sources not there, and
    one for ``os``, whose environment else is empty."""
    parsers = Parsers(lambda: interpreter.registering(), LAST_PARSER)
    modules = {"argparse": parsers.module}
    if system is not None:
        modules["os"] = system
    interpreter = Interpreter(sources, modules, FACTS, ABSENT)
    if stand_ins is not None:
        modules |= stand_ins(interpreter, parsers)
    try:
        entry = interpreter.member(interpreter.module(ENTRY[0]), ENTRY[1])
        if callable(entry):
            entry()
    except Finished:
        pass
    except (Exceeded, Jump, Exception) as end:
        interpreter.doubts.append(f"{end}")
        interpreter.possible.append(ANY_TEXT)
    possible = [*parsers.possible, *interpreter.possible, *(ANY_TEXT for _ in sources.unparsed)]
    return Reading(
        parsers.made, [*sources.unparsed, *interpreter.doubts], possible, depends=interpreter.reads_environment
    )


def read_registration(sources: Sources, module: str, kind: str, method: str) -> Reading:
    """Follow one class's own registration into a parser of its own."""
    parsers = Parsers(lambda: interpreter.registering(), LAST_PARSER)
    interpreter = Interpreter(sources, {"argparse": parsers.module}, FACTS, ABSENT)
    parser = parsers.module["ArgumentParser"](add_help=False)
    getattr(interpreter.member(interpreter.module(module), kind), method)(parser)
    return Reading(parsers.made, interpreter.doubts)
