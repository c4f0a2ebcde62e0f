"""Conditions: true, false, or undecided with what either outcome would mean."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from relax_lint import looks
from relax_lint.shell import patterns
from relax_lint.shell.launch import HOLDS_FLAGS
from relax_lint.shell.state import NONEMPTY, NOT_DEFAULT, Bindings, Outcome, State, Undecided
from relax_lint.shell.values import Known, Root, Sym, Value, Variable, known

if TYPE_CHECKING:
    from relax_lint.shell.interpret import Shell

FILE_TESTS = frozenset("-a -b -c -d -e -f -g -h -k -p -r -s -t -u -w -x -G -L -N -O -S".split())
UNARY = FILE_TESTS | {"-z", "-n", "-o", "-v", "-R"}
NUMERIC = frozenset("-eq -ne -lt -le -gt -ge".split())
BINARY = NUMERIC | frozenset(["=", "==", "!=", "<", ">", "-nt", "-ot", "-ef"])
_INTEGER = re.compile(r"[ \t]*[-+]?[0-9]+[ \t]*")


class TestFault(Exception):
    """What makes ``[`` return 2, and ``[[`` for an operand that is no number 1."""

    def __init__(self, status: int = 2) -> None:
        super().__init__(status)
        self.status = status


# ---------------------------------------------------------------- outcomes


def negate(outcome: Outcome) -> Outcome:
    """``!``."""
    return outcome.negated() if isinstance(outcome, Undecided) else not outcome


def both(left: Outcome, right: Outcome) -> Outcome:
    """``&&``."""
    if left is False or right is False:
        return False
    if left is True:
        return right
    if right is True:
        return left
    assert isinstance(left, Undecided)
    assert isinstance(right, Undecided)
    likely: bool | None = None
    if left.likely is False or right.likely is False:
        likely = False
    elif left.likely and right.likely:
        likely = True
    contradiction = tuple(
        (root, binding) for root, binding in left.when_false + right.when_false if binding is NOT_DEFAULT
    )
    return Undecided(left.when_true + right.when_true, contradiction if likely else (), likely)


def either(left: Outcome, right: Outcome) -> Outcome:
    """``||``."""
    return negate(both(negate(left), negate(right)))


def _contradiction(*values: Value) -> Bindings:
    """What is learned when the opposite of what the defaults give turns out to hold."""
    return tuple(
        (origin, NOT_DEFAULT)
        for value in values
        for chunk in value.chunks
        if isinstance(chunk, Sym) and chunk.default is not None
        for origin in chunk.root.origins
    )


def _question(operator: str, *values: Value) -> object:
    """A key under which the answer is remembered."""
    return (operator, *(tuple(c.text if isinstance(c, Known) else c.root for c in value.chunks) for value in values))


def by_likely(operator: str, likely: bool | None, *values: Value) -> Undecided:
    """Undecided, with nothing learned but that defaults do not hold where they are contradicted."""
    contradiction = _contradiction(*values)
    return Undecided(
        contradiction if likely is False else (),
        contradiction if likely is True else (),
        likely,
        _question(operator, *values),
    )


# ---------------------------------------------------------------- single tests


def is_empty(value: Value, state: State) -> Outcome:
    """``-z``."""
    value = state.resolve(value)
    text = value.text
    if text is not None:
        return text == ""
    if any(isinstance(chunk, Known) and chunk.text for chunk in value.chunks):
        return False
    if any(state.is_nonempty(root) for root in value.roots):
        return False
    likely = None if value.likely is None else value.likely == ""
    symbols = [chunk for chunk in value.chunks if isinstance(chunk, Sym)]
    nonempty: Bindings = ()
    if len(symbols) == 1 and symbols[0].default is None:
        nonempty = ((symbols[0].root, NONEMPTY),)
    empty: Bindings = tuple((chunk.root, "") for chunk in symbols)
    return Undecided(empty, nonempty, likely, _question("-z", value))


def equal(left: Value, right: Value, state: State) -> Outcome:
    """Whether two texts are the same."""
    left, right = state.resolve(left), state.resolve(right)
    left_text, right_text = left.text, right.text
    if left_text is not None and right_text is not None:
        return left_text == right_text
    if left_text is not None:
        left, right, right_text = right, left, left_text
    likely = None
    if left.likely is not None and right.likely is not None:
        likely = left.likely == right.likely
    if right_text is None:
        return by_likely("=", likely, left, right)
    middle = _solve(left, right_text)
    if middle is None or _is_no_flag(left, right_text):
        return False
    symbols = [chunk for chunk in left.chunks if isinstance(chunk, Sym)]
    if len(symbols) > 1:
        return by_likely("=", likely, left, right)
    root = symbols[0].root
    if middle == "" and state.is_nonempty(root):
        return False
    if root.alternative is not None and middle not in ("", root.alternative):
        return False
    contradiction = _contradiction(left)
    when_true = () if likely else (*contradiction, (root, middle))
    when_false = contradiction if likely else ()
    if middle == "" and symbols[0].default is None:
        when_false = ((root, NONEMPTY),)
    return Undecided(when_true, when_false, likely, _question("=", left, right))


def _is_no_flag(value: Value, text: str) -> bool:
    """Whether a text is a flag, and a value begins with a variable that nobody sets to one: its default is none, or it
    is the beginning of a path.

    A script that goes through the words of a command in search of a flag compares every one of them.
    """
    first, *rest = value.chunks
    if not text.startswith("--") or not isinstance(first, Sym):
        return False
    names = [origin.variable for origin in first.root.origins]
    if any(name is None or name.isdecimal() or name == "MODE" or HOLDS_FLAGS.search(name) for name in names):
        return False
    if first.default is not None:
        return not first.default.startswith("-")
    return bool(rest) and isinstance(rest[0], Known) and rest[0].text.startswith("/")


def _solve(value: Value, text: str) -> str | None:
    """What the unknown part must be for the value to equal ``text``; None when it cannot."""
    chunks = list(value.chunks)
    while chunks and isinstance(first := chunks[0], Known):
        if not text.startswith(first.text):
            return None
        text = text[len(first.text) :]
        chunks.pop(0)
    while chunks and isinstance(last := chunks[-1], Known):
        if not text.endswith(last.text):
            return None
        text = text[: len(text) - len(last.text)]
        chunks.pop()
    return text


def matches(subject: Value, pieces: list[tuple[str, bool]] | None, state: State, *, extglob: bool) -> Outcome:
    """Whether a text matches a pattern."""
    subject = state.resolve(subject)
    if pieces is None:
        return Undecided()
    pattern = patterns.compile_pattern(pieces, extglob=extglob, ignore_case="nocasematch" in state.options)
    text = subject.text
    if text is not None:
        return patterns.matches(pattern, text)
    if pattern.literal is not None and "nocasematch" not in state.options:
        return equal(subject, known(pattern.literal), state)
    if not any(text.strip("*") for text, quoted in pieces) and not any(quoted for _, quoted in pieces) and pieces:
        return True
    if _cannot_match(subject, pieces) or _is_no_flag(subject, _plain(pieces)):
        return False
    first = subject.chunks[0]
    if len(subject.chunks) == 1 and isinstance(first, Sym) and first.root.alternative is not None:
        possible = {patterns.matches(pattern, text) for text in ("", first.root.alternative)}
        if len(possible) == 1:
            return possible.pop()
    likely = None if subject.likely is None else patterns.matches(pattern, subject.likely)
    return by_likely("match", likely, subject, known("".join(text for text, _ in pieces)))


def _cannot_match(subject: Value, pieces: list[tuple[str, bool]]) -> bool:
    """Whether the known beginning or end of a text already contradicts a pattern's."""
    first, last = subject.chunks[0], subject.chunks[-1]
    start = first.text if isinstance(first, Known) else ""
    end = last.text if isinstance(last, Known) else ""
    return _conflict(start, _plain(pieces)) or _conflict(end[::-1], _plain([(p[::-1], q) for p, q in reversed(pieces)]))


def _plain(pieces: list[tuple[str, bool]]) -> str:
    """The characters of a pattern up to the first that could stand for others."""
    plain = ""
    for text, quoted in pieces:
        special = None if quoted else re.search(r"[^\w\s./:,=-]", text)
        if special is not None:
            return plain + text[: special.start()]
        plain += text
    return plain


def _conflict(left: str, right: str) -> bool:
    size = min(len(left), len(right))
    return left[:size] != right[:size]


def numeric(operator: str, left: Value, right: Value, state: State) -> Outcome:
    """``-eq`` and its like, on texts that are numbers."""
    left, right = state.resolve(left), state.resolve(right)
    left_likely, right_likely = left.likely, right.likely
    likely = None
    if left_likely is not None and right_likely is not None:
        likely = _compare(operator, int(left_likely), int(right_likely))
    if left.text is not None and right.text is not None:
        assert likely is not None
        return likely
    undecided = by_likely(operator, likely, left, right)
    if operator in ("-eq", "-ne"):
        fixed = _fixed_number(left, right) or _fixed_number(right, left)
        if fixed and operator == "-eq":
            return Undecided((fixed,), undecided.when_false, likely, undecided.key)
        if fixed:
            return Undecided(undecided.when_true, (fixed,), likely, undecided.key)
    return undecided


def _fixed_number(value: Value, number: Value) -> tuple[Root, str] | None:
    if len(value.chunks) == 1 and isinstance(value.chunks[0], Sym) and number.text is not None:
        return value.chunks[0].root, number.text.strip()
    return None


def _compare(operator: str, left: int, right: int) -> bool:
    return {
        "-eq": left == right, "-ne": left != right, "-lt": left < right, "-le": left <= right, "-gt": left > right,
        "-ge": left >= right,
    }[operator]  # fmt: skip


def file_test(operator: str, value: Value, state: State, shell: Shell) -> Outcome:
    """Tests of the file system: decided only where a file is there and is sure to be there on another machine too."""
    value = state.resolve(value)
    undecided = Undecided(key=_question("file" + operator, value))
    text = value.text
    if text == "":
        return False
    if text is None or operator == "-t":
        return undecided
    if not text.startswith("/") and state.cwd is None:
        return undecided
    path = os.path.join(state.cwd or "/", text)
    if not shell.is_certain(path):
        return undecided
    kind = looks.kind(path)
    if not kind:
        return undecided
    if operator == "-s":
        return looks.size(path) > 0
    is_link = looks.link(path) == "link"
    answer = {
        "-e": True, "-a": True, "-r": True, "-f": kind == "file", "-d": kind == "directory",
        "-L": is_link, "-h": is_link,
    }.get(operator)  # fmt: skip
    return undecided if answer is None else answer


def unary(operator: str, value: Value, state: State, shell: Shell) -> Outcome:
    """``-z word`` and the others."""
    if operator == "-z":
        return is_empty(value, state)
    if operator == "-n":
        return negate(is_empty(value, state))
    if operator in ("-v", "-R"):
        return _is_set(value, state, shell)
    if operator == "-o":
        text = state.resolve(value).text
        return Undecided() if text is None else text in state.options
    return file_test(operator, value, state, shell)


def _is_set(value: Value, state: State, shell: Shell) -> Outcome:
    text = state.resolve(value).text
    if text is None:
        return Undecided()
    match = re.fullmatch(r"([A-Za-z_]\w*)(?:\[(.*)\])?|([0-9]+)", text, re.DOTALL)
    if match is None:
        return False
    parameters = shell.expander.parameters
    if match.group(3):
        found = parameters.argument(int(match.group(3)), state)
    else:
        variable: Variable | None = parameters.variable(match.group(1), state)
        if variable is None:
            return False
        index = match.group(2)
        if index is None:
            found = variable.scalar if variable.elements is None else parameters.first(variable)
        elif index in ("@", "*"):
            return bool(variable.elements) if variable.elements is not None else variable.value is not None
        elif "A" in variable.attributes:
            found = (variable.elements or {}).get(index)
        else:
            number = shell.expander.arithmetic_of(known(index), state, shell.command).text
            found = parameters.indexed(variable, int(number)) if number is not None else None
    if found is None:
        return False
    found = state.resolve(found)
    if found.text is None and found.likely is None and not any(state.is_nonempty(root) for root in found.roots):
        return Undecided(key=_question("-v", found))
    return True


def binary(operator: str, left: Value, right: Value, state: State) -> Outcome:
    """``left = right`` and the others of ``[``."""
    if operator in ("=", "=="):
        return equal(left, right, state)
    if operator == "!=":
        return negate(equal(left, right, state))
    if operator in ("<", ">"):
        return _ordered(operator, left, right, state)
    if operator in NUMERIC:
        for value in (left, right):
            likely = state.resolve(value).likely
            if likely is not None and not _INTEGER.fullmatch(likely):
                raise TestFault
        return numeric(operator, left, right, state)
    return Undecided(key=_question(operator, left, right))


def _ordered(operator: str, left: Value, right: Value, state: State) -> Outcome:
    left, right = state.resolve(left), state.resolve(right)
    likely = None
    if left.likely is not None and right.likely is not None:
        likely = left.likely < right.likely if operator == "<" else left.likely > right.likely
    if left.text is not None and right.text is not None and likely is not None:
        return likely
    return by_likely(operator, likely, left, right)
