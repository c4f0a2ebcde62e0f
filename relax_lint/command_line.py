"""The parsers of the commands, and help that reads well on a terminal of 80 columns.

A command's module says what it does (its docstring), what it takes (``add_arguments``), and, where it has them, how it
is used (``EXAMPLES``: command and what it does) and how it ends (``EXIT_STATUS``). Help, completion and the manual page
are all made of that.
"""

from __future__ import annotations

import os
import re
from argparse import Action, ArgumentParser, HelpFormatter
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

WIDEST, USUAL = 100, 80
_ITEM = re.compile(r"( +\S+(?: \S+)* {2,}| +)(?=\S)")
"""What a line of a list begins with: the text behind it is wrapped beside it."""

Examples = Sequence[tuple[str, str]]


class Formatter(HelpFormatter):
    """Short usage, paragraphs filled, lists kept.

    argparse makes a formatter for every option, and by default each asks for the terminal's size through shutil, whose
    import costs more than parsing.
    """

    def __init__(self, prog: str, **options: Any) -> None:
        super().__init__(prog, **{"width": min(_columns(), WIDEST) - 2, **options})

    def _format_usage(self, usage: str | None, actions: Iterable[Action], groups: object, prefix: str | None) -> str:
        if usage is None:
            usage = " ".join([self._prog, *_usage(list(actions))])
        return f"{'usage: ' if prefix is None else prefix}{usage}\n\n"

    def _format_action_invocation(self, action: Action) -> str:
        """Several names of an option, and what it takes once behind them, as Python 3.13 writes it."""
        if len(action.option_strings) < 2 or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(action.option_strings)} {value}"

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = re.split(r"\n{2,}", text.strip("\n"))
        return "\n\n".join(self._filled(paragraph, width, indent) for paragraph in paragraphs)

    @staticmethod
    def _filled(paragraph: str, width: int, indent: str) -> str:
        from textwrap import fill

        options: dict[str, Any] = {"break_on_hyphens": False, "break_long_words": False, "initial_indent": indent}
        filled: list[str] = []
        prose: list[str] = []
        for line in [*paragraph.splitlines(), ""]:
            item = _ITEM.match(line)
            if item is None and line:
                prose.append(line)
                continue
            if prose:
                filled.append(fill(" ".join(prose), width, subsequent_indent=indent, **options))
                prose = []
            if item is not None:
                filled.append(fill(line, width, subsequent_indent=indent + " " * item.end(), **options))
        return "\n".join(filled)


class CommandParser(ArgumentParser):
    """A parser whose options cannot be abbreviated, and that explains itself with examples and exit statuses."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"formatter_class": Formatter, "allow_abbrev": False, **options})
        self._positionals.title = "arguments"


def parser_for(name: str) -> CommandParser:
    """The parser of a command."""
    module = command_module(name)
    parser = CommandParser(prog=f"relax-lint {name}", **described_by(module))
    module.add_arguments(parser)
    return parser


def command_module(name: str) -> ModuleType:
    """Where a command is."""
    return import_module(f"relax_lint.commands.{name.replace('-', '_')}")


def described_by(module: ModuleType) -> dict[str, Any]:
    """The description and the epilog of a command's parser, from its module."""
    return described(module.__doc__, getattr(module, "EXAMPLES", ()), getattr(module, "EXIT_STATUS", {}))


def described(what: str | None, examples: Examples = (), statuses: Mapping[int, str] | None = None) -> dict[str, Any]:
    """The description and the epilog of a parser."""
    parts = []
    if examples:
        parts.append("\n".join(["examples:", *_example_lines(examples)]))
    if statuses:
        parts.append("\n".join(["exit status:", *(f"  {status}  {means}" for status, means in statuses.items())]))
    return {"description": what or "", "epilog": "\n\n".join(parts)}


def _example_lines(examples: Examples) -> list[str]:
    widest = max(len(command) for command, _ in examples)
    beside = [f"  {command:<{widest}}  {what}" for command, what in examples]
    if max(map(len, beside)) < USUAL - 1:
        return beside
    return [line for command, what in examples for line in (f"  {command}", f"      {what}")]


def _usage(actions: Sequence[Action]) -> list[str]:
    options = [action for action in actions if action.option_strings]
    words = [f"{action.option_strings[-1]} {_metavar(action)}" for action in options if action.required]
    if any(action.dest != "help" and not action.required for action in options):
        words.append("[OPTION...]")
    return words + [_counted(_metavar(action), action.nargs) for action in actions if not action.option_strings]


def _metavar(action: Action) -> str:
    if isinstance(action.metavar, str):
        return action.metavar
    if action.choices is not None:
        return f"{{{','.join(map(str, action.choices))}}}"
    return action.dest.upper()


def _counted(word: str, nargs: int | str | None) -> str:
    counted = {"?": f"[{word}]", "*": f"[{word}...]", "+": f"{word}...", "A...": f"{word} ..."}
    return counted.get(str(nargs), word)


def _columns() -> int:
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given) > 0:
        return int(given)
    try:
        return os.get_terminal_size().columns or USUAL
    except (OSError, ValueError):
        return USUAL
