"""Strings that are run as commands although not all of them is known."""

from __future__ import annotations

from relax_lint.patterns import pattern
from relax_lint.shell.state import State
from relax_lint.shell.values import Known, Root, Sym, Value, Variable

Parts = dict[str, Variable]

_OF_A_LAUNCH = pattern(r"relax[/.]entrypoints|(?<!\w)verl[/.]|main_ppo|(?<![\w-])--[a-z]")


def as_commands(value: Value, state: State) -> tuple[str, Parts] | None:
    """The text of a string that is run as commands, with the variables by which it speaks of what is not known.

    A part that is not known is taken for words of the command that the text before it begins, never for syntax: so it
    is where flags are handed on. None when the known text has none, or does not even say which command runs.
    """
    value = state.resolve(value)
    parts: Parts = {}
    text = ""
    quote = ""
    for chunk in value.chunks:
        known = chunk.text if isinstance(chunk, Known) else chunk.default
        if known is not None:
            text += known
            quote = _quote_after(known, quote)
        elif not text.strip():
            return None
        elif isinstance(chunk, Sym):
            name = _name(chunk.root)
            parts[name] = Variable(Value((chunk,)))
            text += f"'\"${{{name}}}\"'" if quote == "'" else f"${{{name}}}"
    return (text, parts) if not parts or _OF_A_LAUNCH.search(text) else None


def _name(root: Root) -> str:
    return f"__not_known_{id(root)}"


def _quote_after(text: str, quote: str) -> str:
    """The quote that is open behind a text."""
    at = 0
    while at < len(text):
        char = text[at]
        if char == "\\" and quote != "'":
            at += 1
        elif char == quote:
            quote = ""
        elif char in "'\"" and not quote:
            quote = char
        at += 1
    return quote
