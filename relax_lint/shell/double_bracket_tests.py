"""``[[ … ]]``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from relax_lint.shell.bounds import MAXIMUM_BACKTRACKING, MAXIMUM_EXPLOSIVE
from relax_lint.shell.conditions import (
    NUMERIC,
    TestFault,
    binary,
    both,
    by_likely,
    either,
    equal,
    matches,
    negate,
    numeric,
    unary,
)  # fmt: skip
from relax_lint.shell.nodes import BinaryTest, LogicalTest, Test, UnaryTest
from relax_lint.shell.refusals import Discard
from relax_lint.shell.regex import compile_regex
from relax_lint.shell.state import Outcome, State, Undecided
from relax_lint.shell.values import Sym, Value, Variable, known

if TYPE_CHECKING:
    from relax_lint.shell.interpret import Shell


def conditional(test: Test, state: State, shell: Shell) -> Outcome:
    """``[[ … ]]``. Raises :class:`TestFault` for an invalid regular expression."""
    expander = shell.expander
    if isinstance(test, LogicalTest):
        left = state.decided(conditional(test.left, state, shell))
        if test.operator == "!":
            return negate(left)
        assert test.right is not None
        if left is (test.operator == "||"):
            return left
        right = state.decided(conditional(test.right, state, shell))
        return both(left, right) if test.operator == "&&" else either(left, right)
    if isinstance(test, UnaryTest):
        return unary(test.operator, expander.value(test.operand, state), state, shell)
    left_value = expander.value(test.left, state)
    operator = test.operator
    if operator in ("=", "==", "!="):
        pieces = expander.pieces(test.right, state)
        if pieces is None:
            outcome = equal(left_value, expander.value(test.right, state), state)
        else:
            outcome = matches(left_value, pieces, state, extglob=True)
        return negate(outcome) if operator == "!=" else outcome
    if operator == "=~":
        return _regex(test, left_value, state, shell)
    if operator in NUMERIC:
        values = left_value, expander.value(test.right, state)
        try:
            numbers = [expander.arithmetic_of(value, state, shell.command) for value in values]
        except Discard:
            raise TestFault(1) from None
        return numeric(operator, numbers[0], numbers[1], state)
    return binary(operator, left_value, expander.value(test.right, state), state)


def _regex(test: BinaryTest, left: Value, state: State, shell: Shell) -> Outcome:
    pieces = shell.expander.pieces(test.right, state)
    left = state.resolve(left)
    likely = left.likely
    if pieces is None:
        return Undecided()
    try:
        regex = compile_regex(pieces, ignore_case="nocasematch" in state.options)
    except re.error:
        raise TestFault from None
    if likely is None or len(likely) > (MAXIMUM_EXPLOSIVE if regex.explosive else MAXIMUM_BACKTRACKING):
        state.store("BASH_REMATCH", Variable(None, {}))
        return by_likely("=~", None, left, known("".join(text for text, _ in pieces)))
    match = regex.pattern.search(likely)
    groups = [match.group(), *(group or "" for group in match.groups())] if match else []
    if left.text is None or not regex.exact:
        root = shell.expander.root(shell.command, left.roots)
        values: dict[int | str, Value] = {
            index: Value((Sym(root, group if group and regex.exact else None),)) for index, group in enumerate(groups)
        }
        state.store("BASH_REMATCH", Variable(None, values))
        if left.text is not None:
            return match is not None
        return by_likely("=~", match is not None, left, known("".join(text for text, _ in pieces)))
    state.store("BASH_REMATCH", Variable(None, {index: known(group) for index, group in enumerate(groups)}))
    return match is not None
