"""The syntax tree of a bash script. Offsets are into the text of the file, the end exclusive."""

from __future__ import annotations

from typing import TypeAlias

from relax_lint.records import node

# ---------------------------------------------------------------- words


@node
class Literal:
    """Characters that stand for themselves, quotes removed. ``""`` gives an empty quoted one.

    ``cached``, here and below, as also ``place`` and ``scan``, belong to the evaluator.
    """

    text: str
    quoted: bool
    start: int
    end: int
    cached: object = None


@node
class Parameter:
    """``$name``, ``${name}`` with its operator.

    ``operator`` is empty, one of ``:- - := = :? ? :+ +``, ``# ## % %%``, ``/ // /# /%``, ``:`` (substring),
    ``^ ^^ , ,,``, ``@X`` (a transformation), ``#`` in front (``length``), ``!prefix@`` / ``!prefix*``
    (``operator`` is then ``prefix@`` or ``prefix*``) or ``keys@`` / ``keys*`` for ``${!name[@]}``.
    """

    name: str
    quoted: bool
    start: int
    end: int
    subscript: Word | None = None
    operator: str = ""
    arguments: tuple[Word, ...] = ()
    length: bool = False
    indirect: bool = False


@node
class CommandSubstitution:
    """``$( … )`` or backquotes."""

    body: tuple[Command, ...]
    quoted: bool
    start: int
    end: int


@node
class ArithmeticExpansion:
    """``$(( … ))``: the expression as a word, expanded before it is evaluated."""

    expression: Word
    quoted: bool
    start: int
    end: int


@node
class ProcessSubstitution:
    """``<( … )`` or ``>( … )``."""

    body: tuple[Command, ...]
    start: int
    end: int
    quoted: bool = False


@node
class BadSubstitution:
    """``${…}`` that bash refuses when it gets there."""

    text: str
    quoted: bool
    start: int
    end: int


Part: TypeAlias = (
    Literal | Parameter | CommandSubstitution | ArithmeticExpansion | ProcessSubstitution | BadSubstitution
)


@node
class Word:
    """A word as written. ``literal`` is its value when nothing is special."""

    parts: tuple[Part, ...]
    start: int
    end: int
    literal: str | None = None
    cached: object = None
    place: object = None


# ---------------------------------------------------------------- commands


@node
class ArrayElement:
    """An element of ``(…)``: ``value`` or ``[key]=value``."""

    value: Word
    key: Word | None = None
    append: bool = False


@node
class ArrayLiteral:
    """``( … )`` on the right of an assignment."""

    elements: tuple[ArrayElement, ...]
    start: int
    end: int


@node
class Assignment:
    """``name=value``, ``name+=value``, ``name[i]=value``, ``name=(…)``. No value: a bare name after ``declare``."""

    name: str
    start: int
    end: int
    value: Word | ArrayLiteral | None = None
    subscript: Word | None = None
    append: bool = False


@node
class Redirect:
    """``2>&1``, ``< file``, ``<<EOF`` (``body`` holds the document, expanded unless its delimiter was quoted)."""

    operator: str
    descriptor: str
    target: Word
    start: int
    end: int
    body: Word | None = None


@node
class SimpleCommand:
    """Assignments, words, redirections. After ``declare`` and its like, assignments stand among ``words``."""

    assignments: tuple[Assignment, ...]
    words: tuple[Word | Assignment, ...]
    redirects: tuple[Redirect, ...]
    start: int
    end: int


@node
class Pipeline:
    """``a | b``; ``negated`` by ``!``. A single command that is neither piped nor negated has no Pipeline."""

    commands: tuple[Command, ...]
    negated: bool
    start: int
    end: int
    stderr_too: tuple[bool, ...] = ()


@node
class AndOr:
    """``left && right`` or ``left || right``."""

    operator: str
    left: Command
    right: Command
    start: int
    end: int


@node
class Background:
    """``command &``."""

    command: Command
    start: int
    end: int


@node
class If:
    """``branches`` are (condition, body) pairs; ``otherwise`` the body after ``else``."""

    branches: tuple[tuple[tuple[Command, ...], tuple[Command, ...]], ...]
    otherwise: tuple[Command, ...] | None
    start: int
    end: int
    redirects: tuple[Redirect, ...] = ()


@node
class Loop:
    """``while`` or ``until``."""

    condition: tuple[Command, ...]
    body: tuple[Command, ...]
    until: bool
    start: int
    end: int
    redirects: tuple[Redirect, ...] = ()


@node
class For:
    """``for name in words`` (``None``: the positional parameters), or ``select``."""

    name: str
    words: tuple[Word, ...] | None
    body: tuple[Command, ...]
    start: int
    end: int
    select: bool = False
    redirects: tuple[Redirect, ...] = ()
    scan: object = None


@node
class ArithmeticFor:
    """``for ((initial; condition; step))``."""

    initial: Word
    condition: Word
    step: Word
    body: tuple[Command, ...]
    start: int
    end: int
    redirects: tuple[Redirect, ...] = ()


@node
class CaseItem:
    """``patterns) body`` with ``;;``, ``;&`` or ``;;&``."""

    patterns: tuple[Word, ...]
    body: tuple[Command, ...]
    terminator: str
    start: int
    end: int


@node
class Case:
    """``case subject in … esac``."""

    subject: Word
    items: tuple[CaseItem, ...]
    start: int
    end: int
    redirects: tuple[Redirect, ...] = ()


@node
class Group:
    """``{ …; }``, or ``( … )`` when ``subshell``."""

    body: tuple[Command, ...]
    subshell: bool
    start: int
    end: int
    redirects: tuple[Redirect, ...] = ()


@node
class Function:
    """A definition."""

    name: str
    body: Command
    start: int
    end: int


@node
class ArithmeticCommand:
    """``(( … ))``."""

    expression: Word
    start: int
    end: int
    redirects: tuple[Redirect, ...] = ()


@node
class Conditional:
    """``[[ … ]]``."""

    expression: Test
    start: int
    end: int
    redirects: tuple[Redirect, ...] = ()


@node
class UnaryTest:
    """``-z word``; a lone word is ``-n``."""

    operator: str
    operand: Word


@node
class BinaryTest:
    """``left == right`` and the others."""

    operator: str
    left: Word
    right: Word


@node
class LogicalTest:
    """``!``, ``&&``, ``||`` inside ``[[ ]]``; ``right`` is missing for ``!``."""

    operator: str
    left: Test
    right: Test | None = None


Test: TypeAlias = UnaryTest | BinaryTest | LogicalTest

Compound: TypeAlias = If | Loop | For | ArithmeticFor | Case | Group | ArithmeticCommand | Conditional
Command: TypeAlias = SimpleCommand | Pipeline | AndOr | Background | Function | Compound


@node
class Problem:
    """What the parser did not understand, and where."""

    message: str
    start: int
    end: int


@node
class Script:
    """A parsed file. ``comments`` are spans from ``#`` to the line's end; ``continuations`` the offsets of
    backslashes that join lines outside of quotes."""

    commands: tuple[Command, ...]
    problems: list[Problem]
    comments: list[tuple[int, int]]
    continuations: list[int]
