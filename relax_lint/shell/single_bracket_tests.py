"""``[ … ]`` and ``test``: the grammar of their words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relax_lint.shell.conditions import (
    BINARY,
    UNARY,
    TestFault,
    binary,
    both,
    either,
    is_empty,
    negate,
    unary,
)  # fmt: skip
from relax_lint.shell.state import Outcome, State, Undecided
from relax_lint.shell.values import Value

if TYPE_CHECKING:
    from relax_lint.shell.interpret import Shell


def test_command(words: list[Value], state: State, shell: Shell) -> Outcome:
    """The words between ``[`` and ``]``; raises :class:`TestFault` where bash returns 2."""
    if any(word.many for word in words):
        return Undecided()
    return _Test(words, state, shell).evaluate()


class _Test:
    """POSIX fixes the meaning by the number of words; beyond four, a grammar with ``-a`` and ``-o``."""

    def __init__(self, words: list[Value], state: State, shell: Shell) -> None:
        self.words = words
        self.texts = [state.resolve(word).likely for word in words]
        self.state = state
        self.shell = shell
        self.at = 0

    def evaluate(self) -> Outcome:
        return self.counted(0, len(self.words))

    def counted(self, start: int, end: int) -> Outcome:
        count = end - start
        first = self.texts[start] if count else None
        if count == 0:
            return False
        if count == 1:
            return negate(is_empty(self.words[start], self.state))
        if count == 2:
            if first == "!":
                return negate(self.counted(start + 1, end))
            return self.one(start)
        if count == 3:
            if self.texts[start + 1] in BINARY:
                return binary(self.texts[start + 1] or "", self.words[start], self.words[start + 2], self.state)
            if self.texts[start + 1] in ("-a", "-o"):
                join = both if self.texts[start + 1] == "-a" else either
                return join(self.counted(start, start + 1), self.counted(start + 2, end))
            if first == "!":
                return negate(self.counted(start + 1, end))
            if first == "(" and self.texts[end - 1] == ")":
                return self.counted(start + 1, end - 1)
            raise TestFault
        if count == 4:
            if first == "!":
                return negate(self.counted(start + 1, end))
            if first == "(" and self.texts[end - 1] == ")":
                return self.counted(start + 1, end - 1)
        self.at = start
        outcome = self.disjunction()
        if self.at != end:
            raise TestFault
        return outcome

    def one(self, at: int) -> Outcome:
        operator = self.texts[at]
        if operator not in UNARY:
            raise TestFault
        return unary(operator or "", self.words[at + 1], self.state, self.shell)

    def text(self) -> str | None:
        if self.at >= len(self.words):
            raise TestFault
        return self.texts[self.at]

    def disjunction(self) -> Outcome:
        outcome = self.conjunction()
        while self.at < len(self.words) and self.text() == "-o":
            self.at += 1
            outcome = either(outcome, self.conjunction())
        return outcome

    def conjunction(self) -> Outcome:
        outcome = self.term()
        while self.at < len(self.words) and self.text() == "-a":
            self.at += 1
            outcome = both(outcome, self.term())
        return outcome

    def term(self) -> Outcome:
        text = self.text()
        if text == "!":
            self.at += 1
            return negate(self.term())
        if self.at + 2 < len(self.words) and self.texts[self.at + 1] in BINARY:
            outcome = binary(self.texts[self.at + 1] or "", self.words[self.at], self.words[self.at + 2], self.state)
            self.at += 3
            return outcome
        if text == "(":
            self.at += 1
            outcome = self.disjunction()
            if self.text() != ")":
                raise TestFault
            self.at += 1
            return outcome
        if text in UNARY and self.at + 1 < len(self.words):
            self.at += 2
            return self.one(self.at - 2)
        self.at += 1
        return negate(is_empty(self.words[self.at - 1], self.state))
