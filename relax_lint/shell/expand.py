"""Expansion: from a word as written to the words that a command gets.

The order is bash's: braces, tildes, parameters, commands and arithmetic from left to right, splitting, globs, quotes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from relax_lint.diagnostics import Place
from relax_lint.shell import arithmetic
from relax_lint.shell.globbing import expand_glob
from relax_lint.shell.nodes import (
    ArithmeticExpansion,
    Assignment,
    BadSubstitution,
    CommandSubstitution,
    Literal,
    Parameter,
    Part,
    ProcessSubstitution,
    Word,
)  # fmt: skip
from relax_lint.shell.parameters import Parameters
from relax_lint.shell.refusals import Discard, Refused
from relax_lint.shell.splitting import Segment, split_fields
from relax_lint.shell.state import NUMBERS, State
from relax_lint.shell.subshells import process_substitution, substitute
from relax_lint.shell.values import EMPTY, Chunk, Known, Root, Sym, Value, known, unknown

if TYPE_CHECKING:
    from relax_lint.shell.interpret import Shell
    from relax_lint.sources.text import SourceFile

_ASSIGNMENT_LIKE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_OPAQUE = 0xE000


class Expander:
    """Expands the words of one shell."""

    def __init__(self, shell: Shell) -> None:
        self.shell = shell
        self.parameters = Parameters(self)
        self.roots = shell.reading.memory.roots
        self.in_document = False

    @property
    def source(self) -> SourceFile:
        """The file that the words at hand are written in."""
        return self.shell.source

    def whole(self, word: Word) -> Place:
        """Where a word stands."""
        place = word.place
        if place is None:
            place = word.place = Place(self.source, word.start, word.end)
        return cast("Place", place)

    # ------------------------------------------------------------ what is not known

    def root(self, node: Any, parents: tuple[Root, ...] = (), *, alternative: str | None = None) -> Root:
        """The root of what a node gives, the same for the same node and operands."""
        key = (self.source, node.start, node.end, parents, alternative)
        found = self.roots.get(key)
        if found is None:
            text = self.source.text[node.start : node.end] or "?"
            found = self.roots[key] = Root(text, None, parents, alternative=alternative)
        return found

    def variable_root(self, name: str, text: str = "") -> Root:
        """The root of an environment variable or argument that is not given."""
        found = self.roots.get(name)
        if found is None:
            found = self.roots[name] = Root(text or f"${{{name}}}", name)
        return found

    def piece_root(self, root: Root, start: int) -> Root:
        """The root of one word of a default that is split into several."""
        key = ("piece", root, start)
        found = self.roots.get(key)
        if found is None:
            found = self.roots[key] = Root(root.text, None, (root,))
        return found

    def computed(self, node: Any, state: State, inputs: list[Value], compute: Callable[..., str]) -> Value:
        """What ``compute`` gives of the texts, as far as they are known."""
        inputs = [state.resolve(value) for value in inputs]
        texts = [value.text for value in inputs]
        if None not in texts:
            return known(compute(*texts))
        parents = tuple(dict.fromkeys(root for value in inputs for root in value.roots))
        likely = [value.likely for value in inputs]
        default = compute(*likely) if None not in likely else None
        return unknown(self.root(node, parents), default or None)

    # ------------------------------------------------------------ words

    def fields(self, word: Word, state: State, *, element: bool = False) -> list[Value]:
        """The words that a word of a command, or with ``element`` one of an array literal, becomes."""
        cached = word.cached
        if cached is not None:
            return cast("list[Value]", cached)
        if word.literal is not None:
            place = self.whole(word)
            part = word.parts[0] if len(word.parts) == 1 else None
            start = part.start if isinstance(part, Literal) and part.end - part.start == len(part.text) else -1
            fields = [Value((Known(word.literal, self.source if start >= 0 else None, start),), place)]
            word.cached = fields
            return fields
        parts = word.parts
        if len(parts) == 1 and isinstance(parts[0], Parameter):
            parameter = parts[0]
            if parameter.quoted:
                value = self.parameters.plain(parameter, state)
                if value is not None and len(value.chunks) == 1:
                    chunk = value.chunks[0]
                    many = isinstance(chunk, Sym) and chunk.root.many
                    return [Value(value.chunks, self.field_place(chunk, word), many)]
                words = self.parameters.plain_words(parameter, state)
                if words is not None:
                    return words
        if _may_have_braces(parts):
            return [
                field
                for expanded in _brace_expanded(parts)
                for field in self.split(self.segments(expanded, state, word, element=element), state, word)
            ]
        return self.split(self.segments(parts, state, word, element=element), state, word)

    def declared(self, node: Assignment) -> list[Assignment]:
        """What an argument of ``declare`` and its like stands for: braces in it make several of it."""
        word = node.value
        if not isinstance(word, Word) or word.literal is not None or not _may_have_braces(word.parts):
            return [node]
        words = [Word(parts, word.start, word.end) for parts in _brace_expanded(word.parts)]
        return [Assignment(node.name, node.start, node.end, each, node.subscript, node.append) for each in words]

    def value(
        self, word: Word, state: State, *, assigned: bool = False, taken: bool = False, apart: str = " "
    ) -> Value:  # fmt: skip
        """A word without splitting and globs: what is assigned, compared, or read from.

        ``apart`` is what stands between the elements of a list that is no starred one. ``taken``: by a here-string,
        which joins lists as an assignment does.
        """
        if word.cached is not None:
            return cast("list[Value]", word.cached)[0]
        if word.literal is not None:
            return self.fields(word, state)[0] if word.parts else EMPTY
        chunks: list[Chunk] = []
        many = False
        segments = self.segments(word.parts, state, word, assigned=assigned)
        for segment in segments:
            if not isinstance(segment, tuple):
                joined = segment.joined if segment else " "
                if segment and segment.assigned is not None and (assigned or taken):
                    joined = segment.assigned
                chunks.append(Known(apart if joined == " " else joined))
            else:
                chunk = segment[0]
                chunks.append(chunk)
                many = many or (isinstance(chunk, Sym) and chunk.root.many)
        place = self.whole(word)
        return Value(_joined(chunks), place, many and len(chunks) == 1)

    def document(self, body: Word, state: State) -> Value:
        """A here-document, where lists are joined by spaces."""
        self.in_document = True
        try:
            return self.value(body, state)
        finally:
            self.in_document = False

    def pieces(self, word: Word, state: State) -> list[tuple[str, bool]] | None:
        """A pattern as characters, quoted ones marked; None when a part is not known."""
        pieces: list[tuple[str, bool]] = []
        for segment in self.segments(word.parts, state, word):
            if not isinstance(segment, tuple):
                pieces.append((segment.joined if segment else " ", False))
                continue
            chunk = segment[0]
            if not isinstance(chunk, Known):
                return None
            pieces.append((chunk.text, segment[1]))
        return pieces

    def segments(
        self, parts: tuple[Part, ...], state: State, word: Word, *, assigned: bool = False, element: bool = False
    ) -> list[Segment]:  # fmt: skip
        """Every part expanded, not yet split. An array's element keeps its tilde in ``x=~``, a command's word not."""
        segments: list[Segment] = []
        source = self.source
        first = True
        tilde_after = assigned
        plain = assigned or element
        for part in parts:
            if isinstance(part, Literal):
                if part.cached is not None:
                    segments.append(cast("Segment", part.cached))
                    first = False
                    continue
                text, quoted = part.text, part.quoted
                start = part.start if part.end - part.start == len(text) else -1
                if not quoted and "~" in text:
                    if first and not plain and _ASSIGNMENT_LIKE.match(text):
                        tilde_after = True
                    text = self.tildes(text, state, part, first=first, assigned=tilde_after, last=part is parts[-1])
                    start = start if text == part.text else -1
                segment = (Known(text, source if start >= 0 else None, start), quoted, False, None)
                segments.append(segment)
                if quoted:
                    part.cached = segment
                elif first and not plain and _ASSIGNMENT_LIKE.match(text):
                    tilde_after = True
                elif "~" not in part.text and not (first and "=" in text):
                    part.cached = segment
            elif isinstance(part, Parameter):
                value = self.parameters.plain(part, state)
                if value is not None:
                    quoted = part.quoted
                    splits = not quoted and (part.name not in NUMBERS or value.text is not None)
                    for chunk in value.chunks:
                        segments.append((chunk, quoted, splits, None))
                else:
                    segments.extend(self.parameters.segments(part, state))
            elif isinstance(part, CommandSubstitution):
                value = substitute(self.shell, part, state)
                quoted = part.quoted
                segments.extend((chunk, quoted, not quoted, None) for chunk in value.chunks)
            elif isinstance(part, ArithmeticExpansion):
                value = self.arithmetic_value(part.expression, state, part)
                splits = not part.quoted and value.text is not None
                segments.extend((chunk, part.quoted, splits, None) for chunk in value.chunks)
            elif isinstance(part, ProcessSubstitution):
                segments.append((Sym(process_substitution(self.shell, part, state)), True, False, None))
            elif isinstance(part, BadSubstitution):
                raise Refused
            first = False
        return segments

    def tildes(self, text: str, state: State, part: Part, *, first: bool, assigned: bool, last: bool) -> str:
        """Tildes at the start of a word, and after ``=`` and ``:`` of what is assigned."""
        home = state.lookup("HOME")
        value = state.resolve(home.value).text if home is not None and home.value is not None else None

        def replaced(match: re.Match[str]) -> str:
            prefix, user = match.group(1), match.group(2)
            ends_here = match.end() < len(text) or last
            if not ends_here:
                return match.group()
            if user == "" and value is not None:
                return prefix + value
            if user == "+" and state.cwd is not None:
                return prefix + state.cwd
            return match.group()

        if assigned:
            begin = r"(\A|:|\A[A-Za-z_]\w*\+?=)" if first else r"(:)"
        elif first:
            begin = r"(\A)"
        else:
            return text
        end = r"(?=[/:]|\Z)" if assigned else r"(?=/|\Z)"
        return re.sub(begin + r"~([^/:~]*)" + end, replaced, text)

    # ------------------------------------------------------------ splitting

    def split(self, segments: list[Segment], state: State, word: Word) -> list[Value]:
        """Fields out of segments: splitting by IFS, then globs, then quotes."""
        if len(segments) == 1:
            segment = segments[0]
            assert isinstance(segment, tuple)
            chunk, quoted, _, place = segment
            if quoted:
                many = isinstance(chunk, Sym) and chunk.root.many
                return [Value((chunk,), place or self.field_place(chunk, word), many)]
        fields = split_fields(segments, self.separators(state), self.piece_root)
        single = len(fields) == 1
        whole = self.whole(word)
        found: list[Value] = []
        for pieces, place, many in fields:
            value = Value(_joined([chunk for chunk, _ in pieces]), place, many)
            if place is None:
                chunks = value.chunks
                if not single:
                    place = _chunk_place(chunks[0]) or whole
                else:
                    place = self.field_place(chunks[0], word) if len(chunks) == 1 else whole
                value = Value(chunks, place, many)
            for chunk, quoted in pieces:
                if not quoted and isinstance(chunk, Known) and _GLOB(chunk.text):
                    found.extend(expand_glob(value, pieces, state))
                    break
            else:
                found.append(value)
        return found

    def field_place(self, chunk: Chunk, word: Word) -> Place:
        """Where a user would edit a field: where the word stands, or where a flag kept in a variable was written."""
        if isinstance(chunk, Known) and chunk.source is not None and chunk.text.startswith("-"):
            return Place(chunk.source, chunk.start, chunk.start + len(chunk.text))
        return self.whole(word)

    def separators(self, state: State) -> str:
        """The characters of IFS."""
        variable = state.lookup("IFS")
        if variable is None or variable.scalar is None:
            return " \t\n"
        text = state.resolve(variable.scalar).likely
        return " \t\n" if text is None else text

    # ------------------------------------------------------------ arithmetic

    def arithmetic_value(self, expression: Word, state: State, node: Any) -> Value:
        """The number that an expression gives, as text."""
        text = self.value(expression, state)
        return self.arithmetic_of(text, state, node)

    def arithmetic_of(self, text: Value, state: State, node: Any) -> Value:
        """The same for an expression that is expanded already."""
        text = state.resolve(text)
        soft: list[Root] = list(text.roots)
        likely = text.likely
        if likely is None:
            return unknown(self.root(node, tuple(dict.fromkeys(soft))))

        def read(name: str, index: arithmetic.Index) -> str:
            value = self.parameters.element(name, index, state)
            if value is None:
                variable = state.lookup(state.resolve_name(name))
                if "nounset" in state.options and (variable is None or variable.elements is None):
                    raise self.parameters.unbound()
                return ""
            value = state.resolve(value)
            soft.extend(value.roots)
            if value.likely is None:
                raise arithmetic.UnknownOperand
            return value.likely

        def write(name: str, index: arithmetic.Index, number: int) -> None:
            value = known(str(number))
            if soft:
                value = unknown(self.root(node, tuple(dict.fromkeys(soft))), str(number))
            self.parameters.assign_element(name, index, value, state)

        def associative(name: str) -> bool:
            variable = state.lookup(state.resolve_name(name))
            return variable is not None and "A" in variable.attributes

        try:
            number = arithmetic.evaluate(likely, read, write, associative)
        except arithmetic.UnknownOperand:
            for name in re.findall(r"\b([A-Za-z_]\w*)\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)|(?:\+\+|--)([A-Za-z_]\w*)", likely):
                target = name[0] or name[1]
                state.set_value(target, unknown(self.root(node, tuple(dict.fromkeys(soft)))))
            return unknown(self.root(node, tuple(dict.fromkeys(soft))))
        except arithmetic.ArithmeticFault:
            raise Discard from None
        if soft:
            return unknown(self.root(node, tuple(dict.fromkeys(soft))), str(number))
        return known(str(number))

    def integer(self, expression: Word, state: State, node: Any) -> Value:
        """An expression that stands where bash wants a number, such as a subscript or an offset."""
        if expression.literal is not None and re.fullmatch(r"-?[1-9][0-9]*|0", expression.literal):
            return known(expression.literal)
        return self.arithmetic_value(expression, state, node)


_GLOB = re.compile(r"[*?\[]|[+@!]\(").search


def _chunk_place(chunk: Chunk) -> Place | None:
    if isinstance(chunk, Known) and chunk.source is not None:
        return Place(chunk.source, chunk.start, chunk.start + len(chunk.text))
    return None


def _joined(chunks: list[Chunk]) -> tuple[Chunk, ...]:
    """Chunks without empty ones, unless nothing else is there."""
    if len(chunks) > 1:
        chunks = [chunk for chunk in chunks if isinstance(chunk, Sym) or chunk.text] or chunks[:1]
    return tuple(chunks) if chunks else EMPTY.chunks


# ---------------------------------------------------------------- braces


def _may_have_braces(parts: tuple[Part, ...]) -> bool:
    opened = False
    for part in parts:
        if isinstance(part, Literal) and not part.quoted:
            opened = opened or "{" in part.text
            if opened and "}" in part.text:
                return True
    return False


def _brace_expanded(parts: tuple[Part, ...]) -> list[tuple[Part, ...]]:
    """The words that ``a{b,c}`` stands for; expansions inside are moved about unopened."""
    from relax_lint.shell.braces import expand_braces

    pieces: list[tuple[str, bool]] = []
    for index, part in enumerate(parts):
        if isinstance(part, Literal):
            pieces.append((part.text, part.quoted))
        else:
            pieces.append((chr(_OPAQUE + index), True))
    expanded = expand_braces(pieces)
    if len(expanded) == 1:
        return [parts]
    words = []
    for variant in expanded:
        word: list[Part] = []
        for text, quoted in variant:
            opaque = ord(text) - _OPAQUE if quoted and len(text) == 1 else -1
            if 0 <= opaque < len(parts) and not isinstance(parts[opaque], Literal):
                word.append(parts[opaque])
                continue
            if not quoted and word:
                text = _lengthen_name(word, text)
            if text or quoted:
                word.append(Literal(text, quoted, -1, -2))
        words.append(tuple(word))
    return words


def _lengthen_name(word: list[Part], text: str) -> str:
    """Braces come first, so in ``{$a,b}c`` the variable is ``$ac``; what is left of the text behind it."""
    last = word[-1]
    if not isinstance(last, Parameter) or last.quoted or last.end - last.start != len(last.name) + 1:
        return text
    tail = re.match(r"\w*", text, re.ASCII)
    if tail is None or not re.match(r"[A-Za-z_]", last.name):
        return text
    word[-1] = Parameter(last.name + tail[0], False, last.start, last.end)
    return text[tail.end() :]
