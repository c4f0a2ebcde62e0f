"""Bash arithmetic: what ``$(( ))``, ``(( ))``, ``let``, subscripts and integer variables compute.

64-bit integers that wrap around, every operator and base, variables evaluated as expressions in turn.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from relax_lint.patterns import pattern
from relax_lint.records import node, record

Index = int | str | None
"""An element's place: a number, the key of an associative array, or ``None`` for a plain variable."""
Read = Callable[[str, Index], str]
Write = Callable[[str, Index, int], None]


class ArithmeticFault(Exception):
    """What bash answers with an error message; the text is that message."""


class SyntaxFault(ArithmeticFault):
    """The text is no expression."""


class DivisionByZero(ArithmeticFault):
    """A division or remainder by 0."""


class UnknownOperand(Exception):
    """For ``read`` to raise when a variable's value is not known statically."""


def evaluate(expression: str, read: Read, write: Write, associative: Callable[[str], bool] = lambda name: False) -> int:
    """The value of an expression whose ``$`` expansions are done.

    ``read`` gives a variable's text (empty when it is unset) and ``write`` assigns. An element of an array for which
    ``associative`` holds is named by its key as text, any other by its number.
    """
    try:
        return _Context(read, write, associative).evaluate(expression)
    except RecursionError:
        raise ArithmeticFault("expression recursion level exceeded") from None


def wrap(value: int) -> int:
    """What 64 bits keep of a value."""
    return ((value + (1 << 63)) & ((1 << 64) - 1)) - (1 << 63)


_PLAIN = pattern(r"-?[1-9][0-9]{0,17}|0")
_TOKEN = pattern(
    r"""[ \t\n]*(?:
        (?P<number>[0-9][0-9A-Za-z_@\#]*)
      | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<operator><<=|>>=|\+\+|--|\*\*|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&^|]=|[-+*/%&^|~!<>=?:(),])
      | (?P<end>\Z)
      | (?P<other>.)
    )""",
    re.VERBOSE | re.DOTALL,
)
_ASSIGNMENTS = frozenset(("=", "*=", "/=", "%=", "+=", "-=", "<<=", ">>=", "&=", "^=", "|="))
_LEVELS = (
    ("|",), ("^",), ("&",), ("==", "!="), ("<=", ">=", "<", ">"), ("<<", ">>"), ("+", "-"), ("*", "/", "%"),
)  # fmt: skip

_Node = Callable[["_Context"], int]


@node
class _Context:
    read: Read
    write: Write
    associative: Callable[[str], bool]

    def evaluate(self, text: str) -> int:
        if _PLAIN.fullmatch(text):
            return int(text)
        return _parse(text)(self)


@record
class _Variable:
    name: str
    subscript: str | None

    def index(self, context: _Context) -> Index:
        if self.subscript is None or context.associative(self.name):
            return self.subscript
        if not self.subscript.strip():
            raise ArithmeticFault(f"{self.name}[{self.subscript}]: bad array subscript")
        return context.evaluate(self.subscript)

    def value(self, context: _Context, index: Index) -> int:
        return context.evaluate(context.read(self.name, index))

    def __call__(self, context: _Context) -> int:
        return self.value(context, self.index(context))


@lru_cache(maxsize=4096)
def _parse(text: str) -> _Node:
    return _Parser(text).parse()


class _Parser:
    """Recursive descent with bash's precedences; each rule gives a function from a context to a value."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _tokens(text)
        self.at = 0

    def parse(self) -> _Node:
        if self.kind == "end":
            return lambda context: 0
        node = self.comma()
        if self.kind != "end":
            raise self.fault("syntax error in expression")
        return node

    @property
    def kind(self) -> str:
        return self.tokens[self.at][0]

    def take(self) -> str:
        token = self.tokens[self.at][1]
        self.at += 1
        return token

    def accept(self, *operators: str) -> str | None:
        kind = self.kind
        if kind in operators:
            self.at += 1
            return kind
        return None

    def fault(self, message: str) -> SyntaxFault:
        rest = "".join(token for _, token in self.tokens[self.at :])
        return SyntaxFault(f'{self.text.strip()}: {message} (error token is "{rest}")')

    def comma(self) -> _Node:
        node = self.assignment()
        while self.accept(","):
            node = _sequence(node, self.assignment())
        return node

    def assignment(self) -> _Node:
        node = self.conditional()
        if self.kind not in _ASSIGNMENTS:
            return node
        if not isinstance(node, _Variable):
            raise self.fault("attempted assignment to non-variable")
        operator = self.take()
        return _assign(node, operator[:-1], self.assignment())

    def conditional(self) -> _Node:
        node = self.logical_or()
        if not self.accept("?"):
            return node
        if self.kind in ("end", ":"):
            raise self.fault("expression expected")
        chosen = self.comma()
        if not self.accept(":"):
            raise self.fault("`:' expected for conditional expression")
        if self.kind == "end":
            raise self.fault("expression expected")
        return _choose(node, chosen, self.conditional())

    def logical_or(self) -> _Node:
        node = self.logical_and()
        while self.accept("||"):
            node = _either(node, self.logical_and())
        return node

    def logical_and(self) -> _Node:
        node = self.binary(0)
        while self.accept("&&"):
            node = _both(node, self.binary(0))
        return node

    def binary(self, level: int) -> _Node:
        if level == len(_LEVELS):
            return self.power()
        node = self.binary(level + 1)
        while operator := self.accept(*_LEVELS[level]):
            node = _binary(operator, node, self.binary(level + 1))
        return node

    def power(self) -> _Node:
        node = self.unary()
        if self.accept("**"):
            return _binary("**", node, self.power())
        return node

    def unary(self) -> _Node:
        operator = self.accept("!", "~", "-", "+")
        if operator is None:
            return self.primary()
        operand = self.unary()
        if operator == "!":
            return lambda context: int(not operand(context))
        if operator == "~":
            return lambda context: ~operand(context)
        if operator == "-":
            return lambda context: wrap(-operand(context))
        return lambda context: operand(context)

    def primary(self) -> _Node:
        if step := self.accept("++x", "--x"):
            if self.kind != "name":
                raise self.fault("syntax error: identifier expected after pre-increment or pre-decrement")
            return _step(self.variable(), 1 if step == "++x" else -1, after=False)
        if self.accept("("):
            node = self.comma()
            if not self.accept(")"):
                raise self.fault("missing `)'")
            return lambda context: node(context)
        if self.kind == "number":
            value = _number(self.take())
            return lambda context: value
        if self.kind != "name":
            raise self.fault("syntax error: operand expected")
        variable = self.variable()
        if step := self.accept("x++", "x--"):
            return _step(variable, 1 if step == "x++" else -1, after=True)
        return variable

    def variable(self) -> _Variable:
        name, bracket, subscript = self.take().partition("[")
        return _Variable(name, subscript[:-1] if bracket else None)


def _tokens(text: str) -> list[tuple[str, str]]:
    """Kinds and texts. ``++`` and ``--`` are told apart as bash does: by what stands before and behind."""
    tokens: list[tuple[str, str]] = []
    at = 0
    while True:
        match = _TOKEN.match(text, at)
        assert match is not None
        assert match.lastgroup is not None
        kind, token = match.lastgroup, match[match.lastgroup]
        at = match.end()
        if kind == "name" and text[at : at + 1] == "[":
            close = _subscript_end(text, at)
            token, at = token + text[at:close], close
        elif token in ("++", "--"):
            if tokens and tokens[-1][0] == "name":
                kind = "x" + token
            elif re.match(r"[ \t\n]*[A-Za-z_]", text[at:]):
                kind = token + "x"
            else:
                kind, token, at = token[0], token[0], at - 1
        elif kind == "operator":
            kind = token
        tokens.append((kind, token))
        if kind == "end":
            return tokens


def _subscript_end(text: str, at: int) -> int:
    depth = 0
    for position in range(at, len(text)):
        depth += {"[": 1, "]": -1}.get(text[position], 0)
        if depth == 0:
            return position + 1
    raise SyntaxFault(f"{text.strip()}: bad array subscript")


def _number(token: str) -> int:
    base, digits = 10, token
    if token[:2] in ("0x", "0X"):
        base, digits = 16, token[2:]
    elif token[0] == "0" and len(token) > 1:
        base, digits = 8, token[1:]
    elif "#" in token:
        prefix, _, digits = token.partition("#")
        base = _digits(prefix, 10, token)
        if not 2 <= base <= 64:
            raise SyntaxFault(f"{token}: invalid arithmetic base")
        if not digits:
            raise SyntaxFault(f"{token}: invalid integer constant")
    return _digits(digits, base, token)


def _digits(digits: str, base: int, token: str) -> int:
    value = 0
    for char in digits:
        if "0" <= char <= "9":
            digit = ord(char) - ord("0")
        elif "a" <= char <= "z":
            digit = ord(char) - ord("a") + 10
        elif "A" <= char <= "Z":
            digit = ord(char) - ord("A") + (10 if base <= 36 else 36)
        elif char in "@_":
            digit = 62 + "@_".index(char)
        else:
            raise SyntaxFault(f"{token}: invalid number")
        if digit >= base:
            raise SyntaxFault(f"{token}: value too great for base")
        value = value * base + digit
    return wrap(value)


def _sequence(first: _Node, second: _Node) -> _Node:
    def run(context: _Context) -> int:
        first(context)
        return second(context)

    return run


def _choose(condition: _Node, chosen: _Node, other: _Node) -> _Node:
    return lambda context: chosen(context) if condition(context) else other(context)


def _either(first: _Node, second: _Node) -> _Node:
    return lambda context: int(bool(first(context)) or bool(second(context)))


def _both(first: _Node, second: _Node) -> _Node:
    return lambda context: int(bool(first(context)) and bool(second(context)))


def _binary(operator: str, left: _Node, right: _Node) -> _Node:
    compute = _OPERATORS[operator]

    def run(context: _Context) -> int:
        first = left(context)
        return compute(first, right(context))

    return run


def _assign(variable: _Variable, operator: str, right: _Node) -> _Node:
    def plain(context: _Context) -> int:
        value = right(context)
        context.write(variable.name, variable.index(context), value)
        return value

    def combined(context: _Context) -> int:
        index = variable.index(context)
        value = variable.value(context, index)
        value = _OPERATORS[operator](value, right(context))
        context.write(variable.name, index, value)
        return value

    return combined if operator else plain


def _step(variable: _Variable, by: int, *, after: bool) -> _Node:
    def run(context: _Context) -> int:
        index = variable.index(context)
        old = variable.value(context, index)
        context.write(variable.name, index, wrap(old + by))
        return old if after else wrap(old + by)

    return run


def _divide(left: int, right: int) -> int:
    if right == 0:
        raise DivisionByZero("division by 0")
    quotient = abs(left) // abs(right)
    return wrap(quotient if (left < 0) == (right < 0) else -quotient)


def _remainder(left: int, right: int) -> int:
    if right == 0:
        raise DivisionByZero("division by 0")
    rest = abs(left) % abs(right)
    return -rest if left < 0 else rest


def _power(left: int, right: int) -> int:
    if right < 0:
        raise ArithmeticFault("exponent less than 0")
    return wrap(pow(left, right, 1 << 64))


_OPERATORS: dict[str, Callable[[int, int], int]] = {
    "+": lambda left, right: wrap(left + right),
    "-": lambda left, right: wrap(left - right),
    "*": lambda left, right: wrap(left * right),
    "/": _divide,
    "%": _remainder,
    "**": _power,
    "<<": lambda left, right: wrap(left << (right & 63)),
    ">>": lambda left, right: left >> (right & 63),
    "&": lambda left, right: left & right,
    "^": lambda left, right: left ^ right,
    "|": lambda left, right: left | right,
    "==": lambda left, right: int(left == right),
    "!=": lambda left, right: int(left != right),
    "<": lambda left, right: int(left < right),
    ">": lambda left, right: int(left > right),
    "<=": lambda left, right: int(left <= right),
    ">=": lambda left, right: int(left >= right),
}
