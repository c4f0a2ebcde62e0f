"""The syntax of ``[[ … ]]``."""

from __future__ import annotations

from relax_lint.shell.nodes import BinaryTest, Conditional, LogicalTest, Test, UnaryTest, Word
from relax_lint.shell.scanner import METACHARACTERS, ShellSyntaxError
from relax_lint.shell.simple import SimpleParser

_UNARY = frozenset("-a -b -c -d -e -f -g -h -k -p -r -s -t -u -w -x -G -L -N -O -S -z -n -o -v -R".split())
_BINARY = frozenset("= == != =~ < > -eq -ne -lt -le -gt -ge -nt -ot -ef".split())
_NO_STOP: frozenset[str] = frozenset()


class DoubleBracketParser(SimpleParser):
    """Reads ``[[ … ]]``."""

    def parse_conditional(self, start: int) -> Conditional:
        """After ``[[``."""
        expression = self.parse_test_or(start)
        self.skip_empty(_NO_STOP)
        self.expect("]]", start)
        return Conditional(expression, start, self.position)

    def parse_test_or(self, start: int) -> Test:
        """``a || b``."""
        left = self.parse_test_and(start)
        while True:
            self.skip_empty(_NO_STOP)
            if not self.looking_at("||"):
                return left
            self.position += 2
            left = LogicalTest("||", left, self.parse_test_and(start))

    def parse_test_and(self, start: int) -> Test:
        """``a && b``."""
        left = self.parse_test_term(start)
        while True:
            self.skip_empty(_NO_STOP)
            if not self.looking_at("&&"):
                return left
            self.position += 2
            left = LogicalTest("&&", left, self.parse_test_term(start))

    def parse_test_term(self, start: int) -> Test:
        """``! a``, ``( a )``, ``-z a``, ``a = b``."""
        self.skip_empty(_NO_STOP)
        if self.position >= self.limit:
            raise ShellSyntaxError("the script ends before the ']]' that closes this", start)
        if self.reserved() == "!" or self.looking_at("!("):
            self.position += 1
            return LogicalTest("!", self.parse_test_term(start))
        if self.looking_at("("):
            self.position += 1
            self.nested(start)
            inner = self.parse_test_or(start)
            self.skip_empty(_NO_STOP)
            self.expect(")", start)
            self.depth -= 1
            return inner
        first = self.scan_test_word()
        self.skip_blanks()
        if first.literal in _UNARY and self.text[first.start : first.end] in _UNARY and not self.at_test_end():
            before = self.position
            operand = self.scan_test_word()
            self.skip_blanks()
            if operand.literal not in _BINARY or self.at_test_end():
                return UnaryTest(first.literal or "", operand)
            self.position = before
        operator = self.test_operator()
        if operator is None:
            return UnaryTest("-n", first)
        self.skip_empty(_NO_STOP)
        if operator == "=~":
            return BinaryTest(operator, first, self.scan_word(regex=True, pattern=False))
        return BinaryTest(operator, first, self.scan_test_word())

    def at_test_end(self) -> bool:
        """Whether an operand cannot follow."""
        return any(self.looking_at(end) for end in ("]]", "&&", "||", ")", "\n"))

    def test_operator(self) -> str | None:
        """A binary operator at the position."""
        for operator in (
            "==",
            "=~",
            "!=",
            "=",
            "<",
            ">",
            "-eq",
            "-ne",
            "-lt",
            "-le",
            "-gt",
            "-ge",
            "-nt",
            "-ot",
            "-ef",
        ):
            if self.looking_at(operator):
                self.position += len(operator)
                return operator
        return None

    def scan_test_word(self) -> Word:
        """An operand."""
        at = self.position
        if self.peek() in METACHARACTERS:
            raise ShellSyntaxError("an operand is missing in [[ ]]", at)
        return self.scan_word()
