"""Bash patterns: what ``case``, ``[[ == ]]``, ``${v#p}``, ``${v/p/r}`` and ``${v^p}`` match, exactly as bash does.

A pattern comes as pieces ``(text, quoted)``. In a quoted piece every character stands for itself; in an unquoted one
a backslash quotes the character behind it, which is how bash treats the value of an unquoted expansion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Literal

from relax_lint.records import record
from relax_lint.shell.bounds import MAXIMUM_MATCHED, TooComplex

Piece = tuple[str, bool]
Mode = Literal["first", "all", "prefix", "suffix"]

_CLASSES: dict[str, Callable[[str], bool]] = {
    "alnum": str.isalnum,
    "alpha": str.isalpha,
    "ascii": str.isascii,
    "blank": lambda char: char in " \t",
    "cntrl": lambda char: char < " " or char == "\x7f",
    "digit": lambda char: "0" <= char <= "9",
    "graph": lambda char: char.isprintable() and not char.isspace(),
    "lower": str.islower,
    "print": str.isprintable,
    "punct": lambda char: char.isprintable() and not char.isalnum() and not char.isspace(),
    "space": lambda char: char in " \t\n\r\f\v",
    "upper": str.isupper,
    "word": lambda char: char.isalnum() or char == "_",
    "xdigit": lambda char: char in "0123456789abcdefABCDEF",
}
_GROUP_MARKS = "?*+@!"


@record
class _Any:
    """``?``: one character."""


@record
class _Star:
    """``*``: any text."""


@record
class _Set:
    """A bracket expression."""

    negated: bool
    ranges: tuple[tuple[str, str], ...]
    classes: tuple[str, ...]

    def admits(self, folded: str, char: str) -> bool:
        found = any(low <= folded <= high for low, high in self.ranges)
        found = found or any(name in _CLASSES and _CLASSES[name](char) for name in self.classes)
        return found != self.negated


@record
class _Group:
    """An extended pattern, ``@(one|two)``."""

    mark: str
    choices: tuple[tuple[_Node, ...], ...]


@record
class _Rest:
    """A group that never closes: bash compares all that is left as text."""

    text: str


_Node = str | _Any | _Star | _Set | _Group | _Rest
_ANY = _Any()
_STAR = _Star()
_NOTHING = _Set(False, (), ())
"""Matches no character: what a backslash that ends a pattern is behind a star."""


@record
class Pattern:
    """A parsed pattern. ``text`` is its spelling with every quoted character behind a backslash."""

    text: str
    ignore_case: bool
    nodes: tuple[_Node, ...]

    @property
    def literal(self) -> str | None:
        """The only text that matches, when the pattern is plain text that minds case."""
        if self.ignore_case:
            return None
        if not self.nodes:
            return ""
        only = self.nodes[0]
        return only if len(self.nodes) == 1 and isinstance(only, str) else None


def compile_pattern(pieces: Iterable[Piece], *, extglob: bool = False, ignore_case: bool = False) -> Pattern:
    """Parse a pattern. ``extglob`` must be on in ``[[ ]]``; ``ignore_case`` is the option ``nocasematch``."""
    spelling = "".join(_escape(text) if quoted else text for text, quoted in pieces)
    return _compile(spelling, extglob, ignore_case)


def has_glob(pieces: Sequence[Piece], *, extglob: bool = False) -> bool:
    """Whether bash would look for files: an unquoted ``*``, ``?``, ``[…]`` or, with ``extglob``, a group."""
    spelling = "".join(_escape(text) if quoted else text for text, quoted in pieces)
    bracket_open = False
    at = 0
    while at < len(spelling):
        char = spelling[at]
        at += 1
        if char in "?*":
            return True
        if char == "[":
            bracket_open = True
        elif char == "]" and bracket_open:
            return True
        elif char == "/":
            bracket_open = False
        elif char == "\\":
            at += 1
        elif char in "+@!" and extglob and spelling[at : at + 1] == "(":
            return True
    return False


def matches(pattern: Pattern, value: str) -> bool:
    """Whether the whole of ``value`` matches."""
    literal = pattern.literal
    if literal is not None:
        return value == literal
    _refuse_costly(pattern, value, tries=1)
    return len(value) in _ends(pattern, value, 0)


def remove_prefix(value: str, pattern: Pattern, *, longest: bool) -> str:
    """``${v#p}`` and ``${v##p}``."""
    if not pattern.text:
        return value
    _refuse_costly(pattern, value, tries=1)
    ends = _ends(pattern, value, 0)
    if not ends:
        return value
    return value[max(ends) if longest else min(ends) :]


def remove_suffix(value: str, pattern: Pattern, *, longest: bool) -> str:
    """``${v%p}`` and ``${v%%p}``."""
    literal = pattern.literal
    if literal is not None:
        return value.removesuffix(literal)
    _refuse_costly(pattern, value, tries=len(value))
    starts = range(len(value) + 1) if longest else range(len(value), -1, -1)
    for start in starts:
        if len(value) in _ends(pattern, value, start):
            return value[:start]
    return value


def replace(value: str, pattern: Pattern, replacement: Sequence[Piece], mode: Mode) -> str:
    """``${v/p/r}`` and its kin; an unquoted ``&`` in the replacement stands for what matched (bash 5.2)."""
    fill = _replacement(replacement)
    if not pattern.text:
        if mode == "prefix":
            return fill("") + value
        return value + fill("") if mode == "suffix" else value
    if not value:
        return fill("") if _find(pattern, value, 0, mode) is not None else value
    if pattern.literal is None:
        _refuse_costly(pattern, value, tries=1 if mode == "prefix" else len(value))
    parts: list[str] = []
    at = 0
    while at < len(value):
        found = _find(pattern, value, at, mode)
        if found is None:
            break
        start, end = found
        parts += value[at:start], fill(value[start:end])
        at = end
        if mode != "all":
            break
        if start == end:
            parts.append(value[at : at + 1])
            at += 1
    parts.append(value[at:])
    return "".join(parts)


def change_case(value: str, operator: str, pattern: Pattern | None = None) -> str:
    """``${v^p}``, ``^^``, ``,``, ``,,`` and the undocumented ``~`` and ``~~``; no pattern means every character."""
    turn = {"^": _upper, ",": _lower, "~": _toggle}[operator[0]]
    last = len(value) if len(operator) == 2 else 1
    every = pattern is None or not pattern.text
    changed = (turn(char) if every or (pattern and matches(pattern, char)) else char for char in value[:last])
    return "".join(changed) + value[last:]


def _escape(text: str) -> str:
    return "".join("\\" + char for char in text)


def _upper(char: str) -> str:
    return char.upper() if len(char.upper()) == 1 else char


def _lower(char: str) -> str:
    return char.lower() if len(char.lower()) == 1 else char


def _toggle(char: str) -> str:
    return _lower(char) if char.isupper() else _upper(char)


def _fold(text: str) -> str:
    return "".join(map(_lower, text))


def _replacement(pieces: Sequence[Piece]) -> Callable[[str], str]:
    """What to put for a match. In unquoted text a backslash before ``&`` or another backslash goes away."""
    parts: list[str | None] = []
    for text, quoted in pieces:
        if quoted:
            parts.append(text)
            continue
        at = 0
        while at < len(text):
            if text[at] == "\\" and text[at + 1 : at + 2] in ("&", "\\"):
                at += 1
                parts.append(text[at])
            else:
                parts.append(None if text[at] == "&" else text[at])
            at += 1
    if None not in parts:
        plain = "".join(part or "" for part in parts)
        return lambda matched: plain
    return lambda matched: "".join(matched if part is None else part for part in parts)


@lru_cache(maxsize=4096)
def _compile(spelling: str, extglob: bool, ignore_case: bool) -> Pattern:
    nodes = _Parser(spelling, extglob, ignore_case).parse(0, len(spelling))
    return Pattern(spelling, ignore_case, nodes)


def _ends_in_star(nodes: list[_Node]) -> bool:
    while nodes and nodes[-1] is _ANY:
        nodes = nodes[:-1]
    return bool(nodes) and nodes[-1] is _STAR


class _Parser:
    """Reads a spelling as bash's matcher walks it."""

    def __init__(self, spelling: str, extglob: bool, ignore_case: bool) -> None:
        self.spelling = spelling
        self.extglob = extglob
        self.fold = _fold if ignore_case else str

    def parse(self, at: int, end: int) -> tuple[_Node, ...]:
        nodes: list[_Node] = []
        text: list[str] = []

        def add(node: _Node) -> None:
            if text:
                nodes.append(self.fold("".join(text)))
                text.clear()
            nodes.append(node)

        while at < end:
            char = self.spelling[at]
            if self.extglob and char in _GROUP_MARKS and self.spelling[at + 1 : at + 2] == "(":
                group = self._group(at, end)
                if group is None:
                    add(_Rest(self.fold(self.spelling[at:end])))
                    break
                add(group[0])
                at = group[1]
                continue
            at += 1
            if char == "?":
                add(_ANY)
            elif char == "*":
                add(_STAR)
            elif char == "[":
                bracket = self._bracket(at)
                if bracket is None:
                    text.append(char)
                else:
                    add(bracket[0])
                    at = bracket[1]
            elif char == "\\" and at < end:
                text.append(self.spelling[at])
                at += 1
            elif char == "\\" and not text and _ends_in_star(nodes):
                add(_NOTHING)
            else:
                text.append(char)
        if text:
            nodes.append(self.fold("".join(text)))
        return tuple(nodes)

    def _group(self, at: int, end: int) -> tuple[_Group, int] | None:
        """The group whose mark is at ``at`` and the offset behind it."""
        starts = [at + 2]
        depth = 0
        bracket_first: int | None = None
        position = at + 2
        while position < end:
            char = self.spelling[position]
            position += 1
            if char == "\\":
                position += 1
            elif bracket_first is not None:
                if char == "]" and position - 1 > bracket_first:
                    bracket_first = None
            elif char == "[":
                bracket_first = position + 1 if self.spelling[position : position + 1] in ("!", "^") else position
            elif char == "(":
                depth += 1
            elif char == "|" and depth == 0:
                starts.append(position)
            elif char == ")":
                if depth == 0:
                    stops = [start - 1 for start in starts[1:]] + [position - 1]
                    choices = tuple(self.parse(*span) for span in zip(starts, stops, strict=True))
                    return _Group(self.spelling[at], choices), position
                depth -= 1
        return None

    def _bracket(self, at: int) -> tuple[_Set, int] | None:
        """The bracket expression whose content starts at ``at``; ``None`` when it never closes."""
        spelling = self.spelling
        negated = spelling[at : at + 1] in ("!", "^")
        at += negated
        ranges: list[tuple[str, str]] = []
        classes: list[str] = []
        first = True
        while at < len(spelling):
            char = spelling[at]
            if char == "]" and not first:
                return _Set(negated, tuple(ranges), tuple(classes)), at + 1
            first = False
            if spelling.startswith("[:", at):
                close = spelling.find(":]", at + 2)
                if close >= 0:
                    classes.append(spelling[at + 2 : close].replace("\\", ""))
                    at = close + 2
                    continue
            low, at = self._member(at)
            if spelling[at : at + 1] == "-" and spelling[at + 1 : at + 2] not in ("]", ""):
                high, at = self._member(at + 1)
                if low is not None and high is not None:
                    ranges.append((self.fold(low), self.fold(high)))
            elif low is not None:
                ranges.append((self.fold(low), self.fold(low)))
        return None

    def _member(self, at: int) -> tuple[str | None, int]:
        """One character of a bracket expression, a symbol ``[.x.]`` or ``[=x=]`` included."""
        spelling = self.spelling
        for mark in ".=":
            if spelling.startswith("[" + mark, at):
                close = spelling.find(mark + "]", at + 2)
                if close >= 0:
                    symbol = spelling[at + 2 : close]
                    return (symbol if len(symbol) == 1 else None), close + 2
        if spelling[at] == "\\" and at + 1 < len(spelling):
            at += 1
        return spelling[at], at + 1


def _refuse_costly(pattern: Pattern, value: str, tries: int) -> None:
    """A match takes about the length of the text for each part of a pattern; where anything but characters one by one
    is asked for, from each place anew."""
    size, parts, each = len(value), len(pattern.nodes), 1
    if pattern.ignore_case or not all(isinstance(node, (str, _Any, _Set)) for node in pattern.nodes):
        each = size
    if any(isinstance(node, _Group) for node in pattern.nodes):
        parts = len(pattern.text)
        each *= size if "!(" in pattern.text else 1
    if tries * each * parts > MAXIMUM_MATCHED:
        raise TooComplex


def _ends(pattern: Pattern, value: str, start: int) -> set[int]:
    """Where matches that begin at ``start`` can end."""
    folded = _fold(value) if pattern.ignore_case else value
    return _walk(pattern.nodes, folded, value, {start})


def _walk(nodes: Sequence[_Node], folded: str, value: str, starts: set[int]) -> set[int]:
    for node in nodes:
        if not starts:
            break
        starts = _step(node, folded, value, starts)
    return starts


def _step(node: _Node, folded: str, value: str, starts: set[int]) -> set[int]:
    size = len(value)
    if isinstance(node, str):
        return {start + len(node) for start in starts if folded.startswith(node, start)}
    if isinstance(node, _Any):
        return {start + 1 for start in starts if start < size}
    if isinstance(node, _Star):
        return set(range(min(starts), size + 1))
    if isinstance(node, _Set):
        return {start + 1 for start in starts if start < size and node.admits(folded[start], value[start])}
    if isinstance(node, _Rest):
        return {size for start in starts if folded[start:] == node.text}
    if node.mark == "!":
        return {
            end
            for start in starts
            for end in set(range(start, size + 1)).difference(_choices(node, folded, value, {start}))
        }
    if node.mark == "@":
        return _choices(node, folded, value, starts)
    if node.mark == "?":
        return starts | _choices(node, folded, value, starts)
    reached = set(starts) if node.mark == "*" else set()
    fresh = starts
    while fresh:
        fresh = _choices(node, folded, value, fresh) - reached
        reached |= fresh
    return reached


def _choices(group: _Group, folded: str, value: str, starts: set[int]) -> set[int]:
    return set().union(*(_walk(choice, folded, value, starts) for choice in group.choices))


def _find(pattern: Pattern, value: str, at: int, mode: Mode) -> tuple[int, int] | None:
    """The match that bash replaces: the first place, and there the longest."""
    size = len(value)
    if not _may_match_inside(pattern, value, at, mode):
        return None
    if mode == "prefix":
        ends = _ends(pattern, value, at) if _may_start(pattern, at, size) else None
        return (at, max(ends)) if ends else None
    if mode == "suffix":
        return next(((start, size) for start in range(at, size + 1) if size in _ends(pattern, value, start)), None)
    literal = pattern.literal
    if literal is not None:
        start = value.find(literal, at)
        return (start, start + len(literal)) if start >= 0 else None
    for start in range(at, size + 1):
        ends = _ends(pattern, value, start) if _may_start(pattern, start, size) else None
        if ends:
            return start, max(ends)
    return None


def _may_start(pattern: Pattern, start: int, size: int) -> bool:
    """At the very end of a value bash tries only patterns that begin with a star."""
    return start < size or pattern.text.startswith("*")


def _may_match_inside(pattern: Pattern, value: str, at: int, mode: Mode) -> bool:
    r"""Bash first asks whether ``*pattern*`` matches, without the star at the end that the match is bound to, and is
    misled by a pattern that ends in a backslash or ``\*``."""
    text = pattern.text
    if text.startswith("*") and not text.startswith("*(") and text.endswith("\\*"):
        return matches(pattern, value[at:])
    if not text.endswith("\\") or text.endswith("\\\\"):
        return True
    spelled = ("" if mode == "prefix" else "*") + text + ("" if mode == "suffix" else "*")
    return matches(_compile(spelled, extglob=False, ignore_case=pattern.ignore_case), value[at:])
