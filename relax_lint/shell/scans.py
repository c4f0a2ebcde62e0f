"""Loops that look through words for a few: for most words a round is sure to do nothing, and need not be run.

Launchers wrap ``ray`` in a function that goes through all the words of a launch to see whether a flag is among them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from relax_lint.shell.nodes import (
    AndOr,
    BinaryTest,
    Case,
    Command,
    Conditional,
    For,
    If,
    Literal,
    LogicalTest,
    Parameter,
    Pipeline,
    SimpleCommand,
    Test,
    Word,
)  # fmt: skip
from relax_lint.shell.patterns import compile_pattern, matches

if TYPE_CHECKING:
    from relax_lint.shell.state import State

Answer = Callable[[str], bool]
"""What a test of the loop's variable says of a text that it holds."""


def has_work(node: For, state: State) -> Answer | None:
    """Whether a round does anything for a word; None where the body is more than tests of the loop's variable."""
    if "nocasematch" in state.options or state.functions.keys() & {"[", "test"}:
        return None
    if node.scan is None:
        node.scan = (_body(node),)
    return cast("tuple[Answer | None]", node.scan)[0]


def _body(node: For) -> Answer | None:
    if len(node.body) != 1:
        return None
    only = node.body[0]
    if isinstance(only, If) and not only.redirects and only.otherwise is None:
        conditions = [condition for condition, _ in only.branches]
        if all(len(condition) == 1 for condition in conditions):
            return _any([_command(condition[0], node.name) for condition in conditions])
    if isinstance(only, Case) and not only.redirects and _reads(only.subject, node.name, quoted=False):
        return _any([_pattern(word) for item in only.items for word in item.patterns])
    return None


def _any(answers: list[Answer | None]) -> Answer | None:
    known = [answer for answer in answers if answer is not None]
    return (lambda text: any(answer(text) for answer in known)) if len(known) == len(answers) else None


def _command(node: Command, name: str) -> Answer | None:
    if isinstance(node, AndOr):
        return _joined(node.operator, _command(node.left, name), _command(node.right, name))
    if isinstance(node, Pipeline) and node.negated and len(node.commands) == 1:
        return _joined("!", _command(node.commands[0], name), None)
    if isinstance(node, Conditional) and not node.redirects:
        return _test(node.expression, name)
    if isinstance(node, SimpleCommand) and not node.redirects and not node.assignments:
        return _bracket(node, name)
    return None


def _bracket(node: SimpleCommand, name: str) -> Answer | None:
    """``[ "$name" = text ]``."""
    words = [word for word in node.words if isinstance(word, Word)]
    texts = [word.literal for word in words]
    if len(words) != len(node.words) or len(words) not in (4, 5):
        return None
    if (texts[0], texts[4:]) not in (("[", ["]"]), ("test", [])) or not _reads(words[1], name, quoted=True):
        return None
    text, operator = texts[3], texts[2]
    if text is None or operator not in ("=", "==", "!="):
        return None
    return (lambda value: value != text) if operator == "!=" else (lambda value: value == text)


def _test(test: Test, name: str) -> Answer | None:
    if isinstance(test, LogicalTest):
        right = _test(test.right, name) if test.right is not None else None
        return _joined(test.operator, _test(test.left, name), right)
    if isinstance(test, BinaryTest) and test.operator in ("=", "==", "!=") and _reads(test.left, name, quoted=False):
        return _joined("!", _pattern(test.right), None) if test.operator == "!=" else _pattern(test.right)
    return None


def _joined(operator: str, left: Answer | None, right: Answer | None) -> Answer | None:
    if left is None:
        return None
    if operator == "!":
        return lambda text: not left(text)
    if right is None:
        return None
    if operator == "&&":
        return lambda text: left(text) and right(text)
    return lambda text: left(text) or right(text)


def _pattern(word: Word) -> Answer | None:
    """A pattern that is written out."""
    pieces = [(part.text, part.quoted) for part in word.parts if isinstance(part, Literal)]
    if len(pieces) != len(word.parts) or any("~" in text for text, _ in pieces):
        return None
    pattern = compile_pattern(pieces, extglob=True)
    return lambda text: matches(pattern, text)


def _reads(word: Word, name: str, *, quoted: bool) -> bool:
    """Whether a word is the variable and nothing else."""
    part = word.parts[0] if len(word.parts) == 1 else None
    return (
        isinstance(part, Parameter)
        and part.name == name
        and (part.quoted or not quoted)
        and not (part.operator or part.length or part.indirect or part.subscript)
    )
