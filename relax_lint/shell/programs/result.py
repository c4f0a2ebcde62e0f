"""What a program that only works on text does, as far as it can be known without running it."""

from __future__ import annotations

import getopt
from collections.abc import Callable, Sequence
from typing import NamedTuple

from relax_lint.records import record


class Result(NamedTuple):
    """What a program writes to its standard output, and its status."""

    output: str
    status: int = 0


class Unsupported(Exception):
    """An option, a file or a manner that is not modelled: nothing is known of the output."""


@record
class Call:
    """How a program is called. ``stdin`` is ``None`` when it is not known or comes from a terminal."""

    arguments: Sequence[str]
    stdin: str | None
    cwd: str
    exists: Callable[[str], bool]
    resolve: Callable[[str], str]

    def options(self, short: str, long: Sequence[str] = (), *, mixed: bool = True) -> tuple[dict[str, str], list[str]]:
        """Options, the last of equal ones, and operands; most GNU programs allow them mixed."""
        parse = getopt.gnu_getopt if mixed else getopt.getopt
        try:
            found, operands = parse(list(self.arguments), short, list(long))
        except getopt.GetoptError as error:
            raise Unsupported(str(error)) from None
        return dict(found), operands

    def filter_options(self, short: str, long: Sequence[str] = ()) -> tuple[dict[str, str], list[str], str]:
        """For a program that reads one stream: options, operands that are no ``-``, and what it reads."""
        found, operands = self.options(short, long)
        return found, [operand for operand in operands if operand != "-"], self.text

    @property
    def text(self) -> str:
        """The standard input; a call whose input is not known is not supported."""
        if self.stdin is None:
            raise Unsupported("standard input")
        return self.stdin


def only_standard_input(operands: Sequence[str]) -> None:
    """Refuse a call that names files."""
    if operands:
        raise Unsupported(operands[0])


def lines_of(text: str) -> list[str]:
    """The lines of a text without their ends."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def joined(lines: Sequence[str]) -> str:
    """Lines, each with its end."""
    return "".join(line + "\n" for line in lines)
