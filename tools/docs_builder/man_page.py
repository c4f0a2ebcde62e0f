"""The manual page relax-lint(1), made of the parsers of the commands."""

from __future__ import annotations

import argparse
import inspect
import re
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

from relax_lint import __version__
from relax_lint.cli import COMMANDS
from relax_lint.command_line import command_module, parser_for

PAGE = Path("man/relax-lint.1")

_WIDTH = 78
_NAME = "check and fix recipes moved from verl to Relax"
_DESCRIPTION = """\
`relax-lint` reads a recipe as one thing, its Python, bash launchers, YAML and data together. It works out what the
launchers would really pass, without running anything, and says what would fail at launch, be ignored silently, or train
something else than was meant. What is mechanical it repairs.

`relax-lint PATH...` is `relax-lint check PATH...`. Without a path, the current directory is checked.
"""
_ENVIRONMENT = (
    ("NO_COLOR", "Not empty: no colour, on a terminal, too. There is none where `TERM` is `dumb`."),
    ("COLUMNS", "How wide help is, at most 100."),
    ("XDG_CACHE_HOME", "Where `relax-lint/` is made, which keeps what runs remember; `~/.cache` when unset."),
    ("PRE_COMMIT_FROM_REF, PRE_COMMIT_TO_REF", "With `--staged`: the revisions between which recipes are looked for."),
)
_FILES = (
    ("relax-lint.toml, pyproject.toml", "The configuration: the nearest one above a file, `[tool.relax-lint]` in it."),
    ("~/.cache/relax-lint/", "What runs remember. `--no-cache` does without, `--clear-cache` removes it."),
)


def page() -> str:
    """The page, for man."""
    text = "\n".join([*_lines(), ""])
    return re.sub(r"^(\.S[HS] .*\n)\.PP\n", r"\1", text, flags=re.MULTILINE)  # a heading begins a paragraph


def _lines() -> Iterator[str]:
    yield '.\\" Made by `make docs`.'
    yield f'.TH RELAX\\-LINT 1 "" "relax\\-lint {__version__}" "User Commands"'
    yield from (".SH NAME", f"relax\\-lint \\- {_roff(_NAME)}")
    yield from (".SH SYNOPSIS", ".nf")
    yield from (_bold(_synopsis(parser_for(name))) for name in COMMANDS)
    yield from (".fi", ".SH DESCRIPTION")
    yield from _paragraphs(_DESCRIPTION)
    yield ".SH COMMANDS"
    for name in COMMANDS:
        yield from _command(name)
    yield ".SH ENVIRONMENT"
    yield from _items(_ENVIRONMENT)
    yield ".SH FILES"
    yield from _items(_FILES)
    yield from (".SH SEE ALSO", _roff("`relax-lint rule --all` lists the rules, `relax-lint rule CODE` explains one."))


def _synopsis(parser: argparse.ArgumentParser) -> str:
    return parser.format_usage().removeprefix("usage: ").strip()


def _command(name: str) -> Iterator[str]:
    module, parser = command_module(name), parser_for(name)
    yield f".SS {_roff(f'relax-lint {name}')}"
    yield from _of_parser(parser)
    for nested in _nested(parser):
        yield from (".PP", _bold(_synopsis(nested)))
        yield from _of_parser(nested)
    if statuses := getattr(module, "EXIT_STATUS", None):
        yield from (".PP", "Exit status:")
        yield from _items((str(status), means) for status, means in statuses.items())
    if examples := getattr(module, "EXAMPLES", None):
        yield from (".PP", "Examples:")
        yield from _items(examples)


def _of_parser(parser: argparse.ArgumentParser) -> Iterator[str]:
    yield from _paragraphs(parser.description or "")
    for group in parser._action_groups:
        told = [action for action in group._group_actions if _is_told(action)]
        if told and group.title not in ("arguments", "options"):
            yield from (".PP", f"{_roff((group.title or '').capitalize())}:")
            yield from _paragraphs(group.description or "")
        yield from _items((_spelled(action), _meaning(action)) for action in told)


def _nested(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.values()


def _is_told(action: argparse.Action) -> bool:
    return (
        action.help != argparse.SUPPRESS
        and action.dest != "help"
        and not isinstance(action, argparse._SubParsersAction)
    )


def _spelled(action: argparse.Action) -> str:
    value = action.metavar or ("{" + ",".join(map(str, action.choices)) + "}" if action.choices else action.dest)
    if not action.option_strings:
        return str(value)
    return ", ".join(action.option_strings) + ("" if action.nargs == 0 else f" {value}")


def _meaning(action: argparse.Action) -> str:
    return (action.help or "") % {**vars(action), "prog": "relax-lint"}


def _items(items: Iterable[tuple[str, str]]) -> Iterator[str]:
    for term, what in items:
        yield from (".TP", _bold(term), _roff(what))


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        if paragraph:
            yield from (".PP", _roff(" ".join(paragraph.split())))


def _bold(text: str) -> str:
    return f"\\fB{_escaped(text)}\\fR"


def _roff(text: str) -> str:
    """Text, what stands between backquotes in bold."""
    parts = re.split(r"`([^`]+)`", text)
    line = "".join(_bold(part) if number % 2 else _escaped(part) for number, part in enumerate(parts))
    lines = textwrap.wrap(line, _WIDTH, break_long_words=False, break_on_hyphens=False)
    return "\n".join(f"\\&{line}" if line.startswith((".", "'")) else line for line in lines)


def _escaped(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    return "".join(char if char.isascii() else f"\\[u{ord(char):04X}]" for char in text)
