"""A YAML file as nodes that know where they are written."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from relax_lint.catalog.hidden import UNKNOWN
from relax_lint.diagnostics import Place
from relax_lint.records import node, record
from relax_lint.sources.text import SourceFile

if TYPE_CHECKING:
    import yaml

_BOM = "\ufeff"
_TEMPLATE_MARKS = ("{{", "{%")
_CORE = "tag:yaml.org,2002:"
_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)+")
"""Anchors and tags in front of a value."""
_OF_KIND = {"mapping": "map", "sequence": "seq"}
_PLAIN = ("str", "merge", "value")
_ODD_COLLECTIONS = ("set", "omap", "pairs")
MOST_MERGED = 100_000
"""How many keys ``<<`` may bring in all; a file that multiplies them is meant to do harm."""


class NotLoaded(Exception):
    """What ends ``yaml.safe_load`` where nothing is wrong with the grammar, and where."""

    def __init__(self, message: str, start: int = 0, end: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.end = end


@record
class Problem:
    """Why a text is no YAML, and the offset at which that shows."""

    message: str
    offset: int


@node
class Node:
    """A value, with the span of its text; ``tag`` is without YAML's own prefix: ``str``, ``int``, ``map``, or ``!x``.

    ``text`` is a scalar's; ``items`` are those of a sequence, ``entries`` those of a mapping, as they are written, and
    ``inherited`` those that it merges, by key. What an alias names is the node of its anchor, so nodes may be shared,
    or hold themselves.
    """

    kind: Literal["scalar", "sequence", "mapping"]
    tag: str
    start: int
    end: int
    text: str
    items: list[Item]
    entries: list[Entry]
    inherited: Mapping[str, Entry]

    @property
    def is_null(self) -> bool:
        """Whether this is ``null``, or nothing at all."""
        return self.tag == "null"

    def all(self, key: str) -> list[Entry]:
        """Every time a mapping has a key itself."""
        return [entry for entry in self.entries if entry.key.text == key and entry.key.kind == "scalar"]

    def get(self, key: str) -> Entry | None:
        """The entry of a mapping that counts: its own last one, else one that it merges."""
        return self.effective.get(key)

    @property
    def own(self) -> dict[str, Entry]:
        """The entries that a mapping has itself, by key, the last for each; keys that are no scalars are left out."""
        return {entry.name: entry for entry in self.entries if entry.key.kind == "scalar" and entry.key.tag != "merge"}

    @property
    def effective(self) -> dict[str, Entry]:
        """The entries of a mapping that count, by key."""
        return {**self.inherited, **self.own}

    def walk(self) -> Iterator[Node]:
        """This node and all below it, each once."""
        seen: set[int] = set()
        pending = [self]
        while pending:
            found = pending.pop()
            if id(found) in seen:
                continue
            seen.add(id(found))
            yield found
            inner = [item.value for item in found.items]
            inner += [part for entry in found.entries for part in (entry.key, entry.value)]
            pending += reversed(inner)


@record
class Item:
    """An item of a sequence; the span is that of the alias where it is one."""

    value: Node
    start: int
    end: int


@record
class Entry:
    """A key of a mapping with its value; the span is that of the value, or of the alias that names it."""

    key: Node
    value: Node
    start: int
    end: int

    @property
    def name(self) -> str:
        """The key's text."""
        return self.key.text


class YamlSource(SourceFile):
    """A YAML file: its documents, or the reason why there are none."""

    @cached_property
    def _read(self) -> tuple[list[Node], Problem | None]:
        try:
            return Composer(self.text).documents(), None
        except Malformed as malformed:
            return [], malformed.problem

    @property
    def error(self) -> Problem | None:
        """Why it is no YAML."""
        return self._read[1]

    @property
    def documents(self) -> list[Node]:
        """Its documents that hold anything."""
        return self._read[0]

    @property
    def root(self) -> Node | None:
        """What it holds, if that is one document."""
        return self.documents[0] if len(self.documents) == 1 else None

    @property
    def top(self) -> Mapping[str, Entry]:
        """The keys of its one document that count; empty where that is no mapping."""
        return {} if self.root is None else self.root.effective

    @property
    def is_template(self) -> bool:
        """Whether another program is meant to make YAML of it."""
        return any(mark in self.text for mark in _TEMPLATE_MARKS)

    def place(self, at: Node | Entry | Item | Problem) -> Place:
        """The place of a node or of a value as it is written."""
        if isinstance(at, Problem):
            return Place(self, at.offset, at.offset)
        return Place(self, at.start, at.end)

    def key_place(self, entry: Entry) -> Place:
        """The place of a key."""
        return Place(self, entry.key.start, entry.key.end)

    def load(self) -> Any:
        """What ``yaml.safe_load`` makes of it. Raises :class:`NotLoaded`; the file must be YAML."""
        if len(self.documents) > 1:
            second = self.documents[1]
            raise NotLoaded("it holds several documents", second.start, second.start)
        return None if self.root is None else value_of(self.root)


def value_of(top: Node) -> Any:
    """What ``yaml.safe_load`` makes of a node: what is shared stays shared. Raises :class:`NotLoaded`."""
    nodes = list(top.walk())
    made = {id(one): _begun(one) for one in nodes}
    for one in nodes:
        value = made[id(one)]
        if isinstance(value, list):
            value.extend(made[id(item.value)] for item in one.items)
        elif isinstance(value, dict):
            for entry in (*one.inherited.values(), *one.entries):
                if entry.key.tag == "merge":
                    _refuse_unmergeable(entry)
                elif entry.key.kind != "scalar" or not isinstance(made[id(entry.key)], Hashable):
                    raise NotLoaded("a key is no scalar", entry.key.start, entry.key.end)
                else:
                    value[made[id(entry.key)]] = made[id(entry.value)]
    return made[id(top)]


def _begun(one: Node) -> Any:
    """The value of a scalar, an empty collection for the others."""
    if one.kind == "scalar":
        return one.text if one.tag in _PLAIN else _scalar(one)
    if one.tag in _ODD_COLLECTIONS:
        return UNKNOWN
    if one.tag not in ("map", "seq"):
        raise NotLoaded(f"its tag {_shown(one.tag)} is not known", one.start, one.end)
    return [] if one.kind == "sequence" else {}


def _scalar(one: Node) -> Any:
    import yaml

    tag = one.tag if one.tag.startswith(("!", "tag:")) else _CORE + one.tag
    try:
        return yaml.constructor.SafeConstructor().construct_object(yaml.ScalarNode(tag, one.text))
    except yaml.YAMLError:
        raise NotLoaded(f"its tag {_shown(one.tag)} is not known", one.start, one.end) from None
    except (ValueError, KeyError, IndexError, AttributeError, TypeError):
        raise NotLoaded(f"{one.text} is no {one.tag}", one.start, one.end) from None


def _shown(tag: str) -> str:
    return tag if tag.startswith(("!", "tag:")) else f"!!{tag}"


def _refuse_unmergeable(entry: Entry) -> None:
    for merged in _merged(entry.value):
        if merged.kind != "mapping":
            raise NotLoaded("what << names is no mapping", entry.start, entry.end)


class Malformed(Exception):
    """A text is no YAML."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.problem = Problem(message, offset)


class Composer:
    """Makes nodes of a text, without recursion: a file can nest as deep as it likes."""

    def __init__(self, text: str) -> None:
        import yaml

        self._yaml = yaml
        self._text = text
        self._shift = len(text) - len(text.removeprefix(_BOM))
        self._resolver: Any = yaml.resolver.Resolver()
        self._anchors: dict[str, Node] = {}
        self._documents: list[Node] = []
        self._open: list[Node] = []
        self._keys: list[Node | None] = []
        """For each open node the key that waits for its value."""
        self._merged = 0

    def documents(self) -> list[Node]:
        """The documents that hold something. Raises :class:`Malformed`."""
        yaml = self._yaml
        try:
            for event in yaml.parse(self._text[self._shift :], Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
                self._take(event)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            at = self._shift + mark.index if mark else 0
            raise Malformed(f"{error.problem or error.context}", min(at, len(self._text))) from None
        except yaml.reader.ReaderError as error:
            raise Malformed(error.reason, self._offset_of_byte(error.position)) from None
        except (yaml.YAMLError, ValueError) as error:
            raise Malformed(" ".join(str(error).split()), 0) from None
        return self._documents

    def _offset_of_byte(self, position: int) -> int:
        data = self._text[self._shift :].encode("utf-8", "surrogateescape")[:position]
        return min(self._shift + len(data.decode("utf-8", "ignore")), len(self._text))

    def _take(self, event: yaml.Event) -> None:
        yaml = self._yaml
        if isinstance(event, yaml.ScalarEvent):
            self._put(self._scalar(event), event)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._begin(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._end(event)
        elif isinstance(event, yaml.AliasEvent):
            start, end = self._span(event)
            named = self._anchors.get(event.anchor)
            if named is None:
                raise Malformed(f"found undefined alias *{event.anchor}", start)
            self._add(named, start, end)
        elif isinstance(event, yaml.DocumentStartEvent):
            self._anchors.clear()

    def _span(self, event: Any) -> tuple[int, int]:
        return event.start_mark.index + self._shift, event.end_mark.index + self._shift

    def _scalar(self, event: Any) -> Node:
        start, end = self._span(event)
        if event.style in ("|", ">"):
            end = start + len(self._text[start:end].rstrip())
        properties = _PROPERTIES.match(self._text, start, end) if event.anchor or event.tag else None
        tag = event.tag
        if tag is None or tag == "!":
            tag = self._resolver.resolve(self._yaml.ScalarNode, event.value, event.implicit)
        return Node("scalar", _short(tag), properties.end() if properties else start, end, event.value, [], [], {})

    def _begin(self, event: Any) -> None:
        start, end = self._span(event)
        kind: Literal["sequence", "mapping"]
        kind = "sequence" if isinstance(event, self._yaml.SequenceStartEvent) else "mapping"
        tag = _OF_KIND[kind] if event.tag in (None, "!") else _short(event.tag)
        properties = _PROPERTIES.match(self._text, start) if event.anchor or event.tag else None
        made = Node(kind, tag, properties.end() if properties else start, end, "", [], [], {})
        self._put(made, event)
        self._open.append(made)
        self._keys.append(None)

    def _put(self, made: Node, event: Any) -> None:
        if event.anchor is not None:
            if event.anchor in self._anchors:
                raise Malformed(f"found the anchor &{event.anchor} twice", self._span(event)[0])
            self._anchors[event.anchor] = made
        self._add(made, made.start, made.end)

    def _add(self, made: Node, start: int, end: int) -> None:
        if not self._open:
            if not (made.kind == "scalar" and made.is_null and start == end):
                self._documents.append(made)
            return
        holder = self._open[-1]
        if holder.kind == "sequence":
            holder.items.append(Item(made, start, end))
        elif self._keys[-1] is None:
            self._keys[-1] = made
        else:
            holder.entries.append(Entry(self._keys[-1], made, start, end))
            self._keys[-1] = None

    def _end(self, event: Any) -> None:
        """A block ends where its last part does, not where the next one begins."""
        closed = self._open.pop()
        self._keys.pop()
        start, end = self._span(event)
        inner = [item.end for item in closed.items] + [max(entry.end, entry.key.end) for entry in closed.entries]
        closed.end = end if end > start or not inner else inner[-1]
        self._inherit(closed)
        holder = self._open[-1] if self._open else None
        if holder is None:
            return
        if holder.items and holder.items[-1].value is closed:
            holder.items[-1] = Item(closed, closed.start, closed.end)
        elif holder.entries and holder.entries[-1].value is closed:
            holder.entries[-1] = Entry(holder.entries[-1].key, closed, closed.start, closed.end)

    def _inherit(self, mapping: Node) -> None:
        """Now, since all that it can merge is complete; what is still open holds it, and cannot be merged."""
        merging = [entry.value for entry in mapping.entries if entry.key.tag == "merge"]
        if not merging:
            return
        found: dict[str, Entry] = {}
        for merged in (one for value in merging for one in reversed(_merged(value))):
            self._merged += len(merged.inherited) + len(merged.entries)
            if self._merged > MOST_MERGED:
                raise Malformed("it merges more keys than are followed", mapping.start)
            found.update(merged.effective)
        mapping.inherited = found


def _short(tag: str) -> str:
    return tag.removeprefix(_CORE)


def _merged(value: Node) -> list[Node]:
    """The mappings behind ``<<``; the first counts."""
    return [item.value for item in value.items] if value.kind == "sequence" else [value]
