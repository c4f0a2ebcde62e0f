"""Every flag that Relax's parsers know, as committed data; read when it is asked for."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relax_lint.records import record

if TYPE_CHECKING:
    pass

DATA = Path(__file__).with_name("flags.json")
MERGED = ("main", "pre", "sglang", "teacher")
"""Relax's parsers in the order in which their values enter the namespace; a later one overwrites."""
HELPER_PARSER = "sglang-tp"
"""Only computes the default of another flag; what it knows, others know too."""
MOST_SUGGESTIONS = 3

ROWS, BETWEEN, END = '\n"flags": [\n', ",\n", "\n]\n}\n"
"""The shape of the data: the head, then one row a line."""
_NAME_AT, _MORE, _DEST = len('{"name":"'), ',"more"', ',"dest":"'


@record
class Flag:
    """A flag of one parser.

    ``name`` is its first long option string, ``names`` all of them. ``owner`` is relax, megatron, sglang, router,
    teacher or pre; ``parser`` the one of Relax's parsers that reads it: pre, sglang-tp, sglang, teacher, main.
    ``action`` is as in argparse, with ``boolean_optional`` for a flag that has a ``--no-`` twin and ``ignored`` for a
    switch that does nothing. ``type`` is str, int, float, json (any JSON), bool-text (any text but the empty one is
    true), enum (a name out of ``choices``), or the name of a converter of its owner; None for switches. ``default`` is
    what argparse is given: a text is converted as a word would be; ``suppressed`` leaves the dest unset.
    ``json_shape`` tells the JSON wanted, also of flags whose text is read as JSON later.
    """

    name: str
    names: tuple[str, ...]
    owner: str
    parser: str
    dest: str
    action: str
    type: str | None
    nargs: int | str | None
    choices: tuple[Any, ...] | None
    default: Any
    required: bool
    suppressed: bool
    deprecated: str | None
    deprecated_values: Mapping[str, str]
    json_shape: str | None

    @property
    def is_switch(self) -> bool:
        """Whether it takes no value."""
        return self.type is None


class Catalogue:
    """The flags of one Relax, by word and by destination.

    A row of the data is parsed when its flag is asked for: most launches use sixty flags out of two thousand.
    """

    def __init__(self, text: str) -> None:
        head, _, rows = text.partition(ROWS)
        self._head: Mapping[str, Any] = json.loads(f"{head}{ROWS}]}}")
        self._lines = rows.removesuffix(END).split(BETWEEN)
        self._made: dict[int, Flag] = {}
        self.text = text
        self.versions: Mapping[str, str] = self._head["versions"]
        self.relax_files: Mapping[str, str] = self._head["relax_files"]
        self.all_earlier: Mapping[str, str] = self._head["earlier"]

    def __iter__(self) -> Iterator[Flag]:
        return map(self._flag, range(len(self._lines)))

    def __len__(self) -> int:
        return len(self._lines)

    # ------------------------------------------------------------ words

    def flag(self, word: str) -> Flag | None:
        """The flag that a word names exactly; ``--x=value`` names ``--x``."""
        found = self.flags(word)
        return found[0] if found else None

    def flags(self, word: str) -> tuple[Flag, ...]:
        """The same flag of every parser that reads it, the one that only computes a default last."""
        found = map(self._flag, self._by_word.get(word.partition("=")[0], ()))
        return tuple(sorted(found, key=lambda flag: flag.parser == HELPER_PARSER))

    def abbreviated(self, word: str) -> tuple[Flag, ...]:
        """The flags whose option strings a word begins, in parsers that take abbreviations: one entry per string.

        Empty for a word that is no abbreviation. More than one entry of the same ``parser`` is ambiguous, and refused.
        """
        stem = word.partition("=")[0]
        if not stem.startswith("--") or stem == "--":
            return ()
        exact = {flag.parser for flag in self.flags(stem)}
        begun = [flag for name in self._by_word if name.startswith(stem) for flag in self.flags(name)]
        return tuple(flag for flag in begun if flag.parser in self._head["abbreviating"] and flag.parser not in exact)

    def near(self, word: str) -> list[str]:
        """Flags that a word which names none may be meant to be, the likeliest first."""
        stem = word.partition("=")[0]
        plain = "--" + stem.strip("-").replace("_", "-").lower()
        if plain in self._by_word:
            return [plain]
        parts = sorted(plain[2:].split("-"))
        reordered = [name for name in self._by_word if sorted(name[2:].split("-")) == parts]
        if reordered:
            return sorted(reordered)[:MOST_SUGGESTIONS]
        from difflib import get_close_matches

        return get_close_matches(plain, self._by_word, n=MOST_SUGGESTIONS, cutoff=0.8)

    @cached_property
    def words(self) -> list[str]:
        """All option strings, sorted."""
        return sorted(self._by_word)

    def may_know(self, word: str) -> bool:
        """Whether a word that names no flag may be one all the same: its Relax registers some that cannot be told."""
        name = word.partition("=")[0]
        return any(re.fullmatch(pattern, name, re.DOTALL) for pattern in self._head.get("possible", ()))

    def left_out(self, word: str) -> bool:
        """Whether this is a server's flag that Relax does not pass on: it sets the value itself."""
        return word.partition("=")[0] in self._head["left_out"]

    def earlier(self, word: str) -> str | None:
        """What had a flag that is not accepted any more: "Relax of DAY (COMMIT)", "Relax's sglang patch v0.5.9"."""
        return self.all_earlier.get(word.partition("=")[0])

    # ------------------------------------------------------------ destinations

    def by_dest(self, dest: str) -> tuple[Flag, ...]:
        """The flags that set one name of the namespace."""
        return tuple(map(self._flag, self._by_dest.get(dest, ())))

    def sets(self, dest: str) -> bool:
        """Whether some flag sets a name of the namespace."""
        return dest in self._by_dest

    @cached_property
    def defaults(self) -> Mapping[str, object]:
        """The namespace of a launch without any flag, texts converted as argparse does; computed when looked up."""
        return _Defaults(self)

    @cached_property
    def dests(self) -> tuple[str, ...]:
        """All names of the namespace."""
        return tuple(self._by_dest)

    # ------------------------------------------------------------ indexes

    def _flag(self, number: int) -> Flag:
        if number not in self._made:
            self._made[number] = flag_of(json.loads(self._lines[number]))
        return self._made[number]

    @cached_property
    def _by_word(self) -> dict[str, list[int]]:
        made: dict[str, list[int]] = {}
        for number, line in enumerate(self._lines):
            end = line.index('"', _NAME_AT)
            made.setdefault(line[_NAME_AT:end], []).append(number)
            if line.startswith(_MORE, end + 1):
                for name in self._flag(number).names[1:]:
                    made.setdefault(name, []).append(number)
        return made

    @cached_property
    def _by_dest(self) -> dict[str, list[int]]:
        made: dict[str, list[int]] = {}
        for number, line in enumerate(self._lines):
            at = line.find(_DEST)
            if at > 0:
                dest = line[at + len(_DEST) : line.index('"', at + len(_DEST))]
            else:
                dest = line[_NAME_AT : line.index('"', _NAME_AT)].lstrip("-").replace("-", "_")
            made.setdefault(dest, []).append(number)
        return made


class _Defaults(Mapping[str, object]):
    """Defaults by destination."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._known: dict[str, object] = {}

    def __getitem__(self, dest: str) -> object:
        if dest not in self._known:
            parsers = {
                flag.parser: flag
                for flag in reversed(self._catalogue.by_dest(dest))
                if not flag.suppressed and flag.action != "help"
            }
            setting = [parsers[parser] for parser in MERGED if parser in parsers]
            if not setting:
                raise KeyError(dest)
            self._known[dest] = _converted(setting[-1])
        return self._known[dest]

    def __iter__(self) -> Iterator[str]:
        return (dest for dest in self._catalogue.dests if dest in self)

    def __contains__(self, dest: object) -> bool:
        return isinstance(dest, str) and self.get(dest, ...) is not ...

    def __len__(self) -> int:
        return sum(1 for _ in self)


def flag_of(row: Mapping[str, Any]) -> Flag:
    """The flag that a row of the data describes."""
    name, action = row["name"], row.get("action", "store")
    choices = row.get("choices")
    return Flag(
        name,
        (name, *row.get("more", ())),
        row["owner"],
        row["parser"],
        row.get("dest") or name.lstrip("-").replace("-", "_"),
        action,
        row.get("type", "str") if action in ("store", "append", "extend") else None,
        row.get("nargs"),
        None if choices is None else tuple(choices),
        row.get("default"),
        row.get("required", False),
        row.get("suppressed", False),
        row.get("deprecated"),
        row.get("deprecated_values", {}),
        row.get("json_shape"),
    )


def document(head: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> str:
    """The data of a catalogue: JSON, one row a line."""
    parts = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items()]
    order = {key: number for number, key in enumerate(("name", "more", "dest"))}
    sorted_rows = [dict(sorted(row.items(), key=lambda pair: order.get(pair[0], len(order)))) for row in rows]
    lines = BETWEEN.join(json.dumps(row, separators=(",", ":"), ensure_ascii=False) for row in sorted_rows)
    return "{\n" + ",\n".join(parts) + "," + ROWS + lines + END


def rows_in(text: str) -> list[dict[str, Any]]:
    """The rows of a catalogue's data."""
    rows: list[dict[str, Any]] = json.loads(text)["flags"]
    return rows


def left_out_flags(servers: Iterable[Mapping[str, Any]], known: Container[str]) -> list[str]:
    """The words by which the servers' own flags would be passed on, if they were."""
    prefixes = {"sglang": ("--sglang-", "--teacher-sglang-"), "router": ("--sglang-router-",)}
    words = {
        prefix + name.lstrip("-")
        for row in servers
        for name in (row["name"], *row.get("more", ()))
        if not (row.get("action") == "boolean_optional" and name.startswith("--no-"))
        for prefix in prefixes[row["server"]]
    }
    return sorted(word for word in words if word not in known)


def _converted(flag: Flag) -> object:
    if not isinstance(flag.default, str):
        return flag.default
    converters: dict[str, Callable[[str], object]] = {"json": json.loads, "int": int, "float": float}
    return converters.get(flag.type or "str", str)(flag.default)


_EMBEDDED: list[Catalogue] = []


def embedded() -> Catalogue:
    """The catalogue of the Relax that this program was built with."""
    if not _EMBEDDED:
        _EMBEDDED.append(Catalogue(DATA.read_text(encoding="utf-8")))
    return _EMBEDDED[0]
