"""What a bash variable or word holds when parts of it are not known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from relax_lint.diagnostics import Place
from relax_lint.shell.associative import in_bash_order
from relax_lint.shell.bounds import MAXIMUM_PARTS, MAXIMUM_TEXT, TooComplex
from relax_lint.sources.text import SourceFile


class Root:
    """One thing that is not known: an environment variable, an argument, a program's output, or what is derived of
    such. Compared by identity, so that what is learned of it in one place holds in all.

    ``text`` is its source text, ``variable`` the name when it is a bare variable or argument, ``parents`` what it was
    derived from, ``alternative`` the one text that it can be when it is not empty.
    """

    __slots__ = ("alternative", "many", "parents", "text", "variable")

    def __init__(
        self, text: str, variable: str | None = None, parents: tuple[Root, ...] = (), *,
        alternative: str | None = None, many: bool = False,
    ) -> None:  # fmt: skip
        self.text = text
        self.variable = variable
        self.parents = parents
        self.alternative = alternative
        self.many = many

    @property
    def origins(self) -> tuple[Root, ...]:
        """What it was derived from in the end; itself when it was not derived."""
        return tuple(root for root in self.line if not root.parents)

    @property
    def line(self) -> Iterator[Root]:
        """Itself and all that it was derived from, each once, be there ever so many ways from one to the other."""
        seen, pending = set[int](), [self]
        while pending:
            root = pending.pop()
            if id(root) not in seen:
                seen.add(id(root))
                pending.extend(reversed(root.parents))
                yield root

    def __repr__(self) -> str:
        return f"Root({self.text!r})"


class Assumed(str):
    """The text of a root that is known on one way only, since a test found it equal to that."""

    __slots__ = ("root",)
    root: Root

    @classmethod
    def of(cls, root: Root, text: str) -> Assumed:
        """The text as the assumption about a root."""
        assumed = cls(text)
        assumed.root = root
        return assumed


class Known(NamedTuple):
    """Characters, and where they stand in a source when they were written there one to one."""

    text: str
    source: SourceFile | None = None
    start: int = -1


class Sym(NamedTuple):
    """Characters not known. ``default`` is the non-empty value that the script itself gives unless it is overridden."""

    root: Root
    default: str | None = None


Chunk: TypeAlias = Known | Sym


class Value(NamedTuple):
    """A string of known and unknown chunks. ``many``: it may be any number of words."""

    chunks: tuple[Chunk, ...]
    place: Place | None = None
    many: bool = False

    @property
    def text(self) -> str | None:
        """The string, if all of it is known."""
        chunks = self.chunks
        if len(chunks) == 1:
            chunk = chunks[0]
            return chunk.text if isinstance(chunk, Known) else None
        texts = []
        for chunk in chunks:
            if not isinstance(chunk, Known):
                return None
            texts.append(chunk.text)
        return "".join(texts)

    @property
    def likely(self) -> str | None:
        """The string, script-given defaults counted in; None when a part stays unknown."""
        chunks = self.chunks
        if len(chunks) == 1:
            chunk = chunks[0]
            return chunk.text if isinstance(chunk, Known) else chunk.default
        texts = []
        for chunk in chunks:
            text = chunk.text if isinstance(chunk, Known) else chunk.default
            if text is None:
                return None
            texts.append(text)
        return "".join(texts)

    @property
    def unplaced(self) -> Value:
        """The same, written nowhere."""
        return self if self.place is None else Value(self.chunks, None, self.many)

    @property
    def shown(self) -> str:
        """The string with unknown parts as their source text."""
        return "".join(shown_of(chunk) for chunk in self.chunks)

    @property
    def roots(self) -> tuple[Root, ...]:
        """What is not known in it."""
        return tuple(chunk.root for chunk in self.chunks if isinstance(chunk, Sym))


def shown_of(chunk: Chunk) -> str:
    """A chunk, the source text of what is not known."""
    if isinstance(chunk, Known):
        return chunk.text
    return chunk.default if chunk.default is not None else chunk.root.text


def refuse_long(chunks: Sequence[Chunk]) -> None:
    """Raise :class:`TooComplex` for a text of too many characters: what doubles it makes it longer than any memory."""
    size = 0
    for chunk in chunks:
        size += len(chunk.text if isinstance(chunk, Known) else chunk.default or "")
    if size > MAXIMUM_TEXT:
        raise TooComplex


def surer(value: Value, other: Value) -> Value:
    """Of two equal values, the one that is what it is whatever was assumed."""
    return other if _is_supposed(value) and not _is_supposed(other) else value


def _is_supposed(value: Value) -> bool:
    return any(isinstance(chunk, Known) and isinstance(chunk.text, Assumed) for chunk in value.chunks)


EMPTY = Value((Known(""),))


def known(text: str) -> Value:
    """A value of which everything is known."""
    return Value((Known(text),))


def unknown(root: Root, default: str | None = None, *, many: bool = False) -> Value:
    """A value of which nothing is known but its default."""
    return Value((Sym(root, default),), None, many)


def join(values: Iterable[Value], separator: str) -> Value:
    """The values in a row."""
    chunks: list[Chunk] = []
    many = False
    for index, value in enumerate(values):
        if index and separator:
            chunks.append(Known(separator))
        chunks.extend(value.chunks)
        many = many or value.many
    return Value(tuple(chunks), None, many) if chunks else EMPTY


def merged(chunks: Iterable[Chunk]) -> list[Chunk]:
    """Chunks with known ones that stand side by side made one; where they were written is lost."""
    found: list[Chunk] = []
    for chunk in chunks:
        last = found[-1] if found else None
        if isinstance(chunk, Known) and isinstance(last, Known):
            found[-1] = Known(last.text + chunk.text)
        else:
            found.append(chunk)
    return found


class Variable(NamedTuple):
    """A variable: its value, or its elements by index (``a``) or key (``A``), and its attributes.

    ``value`` is None for a name that is declared, or removed by ``unset``, and holds nothing.
    """

    value: Value | None = None
    elements: dict[int | str, Value] | None = None
    attributes: frozenset[str] = frozenset()

    @property
    def in_order(self) -> dict[int | str, Value]:
        """The elements in the order in which bash goes through them."""
        elements = self.elements or {}
        if "A" not in self.attributes:
            return elements
        return {key: elements[key] for key in in_bash_order([str(key) for key in elements])}

    @property
    def exported(self) -> bool:
        """Whether children see it."""
        return "x" in self.attributes

    @property
    def scalar(self) -> Value | None:
        """What ``$name`` gives: an array's element 0."""
        if self.elements is None:
            return self.value
        return self.elements.get("0" if "A" in self.attributes else 0)


REMOVED = Variable()


def compacted(value: Value) -> Value:
    """A value without the places of its characters, which matter only where they hold flags."""
    if len(value.chunks) > MAXIMUM_PARTS:
        value = Value(tuple(merged(value.chunks)), value.place, value.many)
    if len(value.chunks) > MAXIMUM_PARTS:
        raise TooComplex
    refuse_long(value.chunks)
    text = value.text
    if text is None:
        return Value(_without_seam(value.chunks), None, value.many)
    return Value((Known(text),)) if "-" not in text else value.unplaced


def _without_seam(chunks: tuple[Chunk, ...]) -> tuple[Chunk, ...]:
    """The chunks, the last two made one where they can be: a loop that adds to a value would make ever more of them."""
    if len(chunks) < 2:
        return chunks
    *others, before, last = chunks
    if isinstance(before, Known) and isinstance(last, Known) and "-" not in before.text + last.text:
        return (*others, Known(before.text + last.text))
    return chunks
