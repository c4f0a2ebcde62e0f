"""Where each setting of verl's goes, as data: ``catalog/verl_mapping/*.yaml``, read when it is asked for.

A file holds a mapping of keys to entries. A key is a setting's dotted name; ``a.{b,c}.d`` stands for two, a last part
``*`` for all settings below. The longest key that fits counts. An entry is one of

- ``flag`` (with ``group``, and ``convert``, one of ``conversions.py``): the setting says what the flag says; ``flags``
  is a mapping of flags to conversions, ``pass`` for none. A ``*`` in a flag is what the key has below its own ``*``.
  ``given`` is why a value that nobody gave is not passed (speed or memory, where each side knows best), ``modes``
  the mode that the flag is for;
- ``derived``: a step of that name makes flags of it, together with others. With a ``flag``, too, that is what the
  setting is called when it stands alone;
- ``dropped``: Relax needs nothing like it, and this is why;
- ``no_effect``: verl itself does not read it, and this is why;
- ``unsupported``: what Relax lacks, with the ``neutral`` values that ask for nothing, and what ``todo``; ``refuse``
  says that without it the run would be another.

``when`` makes an entry count only if other settings have one of the values named, ``{not: [...]}`` any but those
(several conditions at once, or a list of alternatives); ``otherwise`` says why the setting has no effect when they
have not. A list of entries is tried in order. In a condition ``main`` is the module that runs (``*`` stands for
anything), ``flavour`` the trainer's engine. ``advice`` is told to who writes the setting in a launch of Relax,
``spelled`` lists the names without dots under which a setting is met as a flag. ``multiplies`` is a setting of verl's
that one of a fork is a further factor of. The entry of the key ``main`` is
that of the program that runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from relax_lint.migrate.values import Data, is_known
from relax_lint.records import changed, record

if TYPE_CHECKING:
    from relax_lint.migrate.plan import Group, Modes
    from relax_lint.migrate.settings import Settings

FOLDER = Path(__file__).parents[1] / "catalog" / "verl_mapping"
PASS = "pass"
"""The conversion that passes a value on as it is."""

EntryKind = Literal["flag", "derived", "dropped", "no effect", "unsupported"]
KINDS: Mapping[str, EntryKind] = {
    "derived": "derived",
    "flag": "flag",
    "flags": "flag",
    "dropped": "dropped",
    "no_effect": "no effect",
    "unsupported": "unsupported",
}
"""What says an entry's kind; the first that is there counts."""
_FIELDS = frozenset(
    "group convert given modes neutral todo refuse when otherwise advice spelled multiplies".split(),
).union(KINDS)
_BRACES = re.compile(r"\{([^{}]*)\}")
_OVERRIDE_SIGNS = "+~"


@record
class Condition:
    """That another setting has one of these values, or none of them."""

    key: str
    values: tuple[Data, ...]
    negated: bool = False

    def holds(self, settings: Settings) -> bool:
        """Whether the launch meets it; a value that only bash knows may."""
        if self.key == "main":
            return any(fnmatchcase(settings.main, str(pattern)) for pattern in self.values) != self.negated
        value = settings.flavour if self.key == "flavour" else settings.value(self.key)
        return not is_known(value) or any(same(value, other) for other in self.values) != self.negated


@record
class Entry:
    """What becomes of a setting.

    ``flags`` are those that take its value, each with its conversion; ``given`` says why verl's default is not passed;
    ``reason`` why it is dropped, has no effect, or is unsupported; ``when`` are alternatives of conditions, all of one
    must hold.
    """

    key: str
    kind: EntryKind
    flags: tuple[tuple[str, str], ...] = ()
    group: Group = "misc"
    given: str = ""
    modes: Modes = "both"
    derived: str = ""
    reason: str = ""
    neutral: tuple[Data, ...] = ()
    todo: str = ""
    refuse: bool = False
    when: tuple[tuple[Condition, ...], ...] = ()
    advice: str = ""
    spelled: tuple[str, ...] = ()
    multiplies: str = ""

    def counts(self, settings: Settings) -> bool:
        """Whether it is the one that counts in a launch."""
        return not self.when or any(all(condition.holds(settings) for condition in part) for part in self.when)

    def is_neutral(self, value: Data) -> bool:
        """Whether a value asks for nothing that Relax lacks."""
        return any(same(value, other) for other in self.neutral)


def entries(key: str) -> tuple[Entry, ...]:
    """The entries of a setting, in the order in which they are tried; none for one that verl does not know."""
    exact, below = _table(FOLDER)
    if key in exact:
        return exact[key]
    prefix = key
    while prefix:
        prefix = prefix.rpartition(".")[0]
        if prefix in below:
            rest = key[len(prefix) + 1 :].replace("_", "-").replace(".", "-")
            return tuple(_named(found, rest) for found in below[prefix])
    return ()


def entry(key: str) -> Entry | None:
    """What becomes of a setting where it counts: its first entry."""
    found = entries(key)
    return found[0] if found else None


def entry_in(settings: Settings, key: str) -> Entry | None:
    """The entry of a setting that counts in a launch."""
    return next((found for found in entries(key) if found.counts(settings)), None)


def _named(found: Entry, rest: str) -> Entry:
    """The entry of a setting out of one for several: a ``*`` in its flags is the setting's name."""
    if not any("*" in flag for flag, _ in found.flags):
        return found
    return changed(found, flags=tuple((flag.replace("*", rest), conversion) for flag, conversion in found.flags))


def all_entries() -> Iterator[Entry]:
    """Every entry, patterns included."""
    exact, below = _table(FOLDER)
    for found in (*exact.values(), *below.values()):
        yield from found


@cache
def multipliers(key: str) -> tuple[str, ...]:
    """The settings that multiply another one, where they are there."""
    return tuple(dict.fromkeys(found.key for found in all_entries() if found.multiplies == key))


def spelled(name: str) -> Entry | None:
    """The entry whose setting is met under a name without dots, ``n`` or ``train-batch-size``."""
    return next((found for found in _spelled(FOLDER).get(name, ())), None)


def may_be_spelled(name: str) -> bool:
    """Whether the data may know a name without dots; cheap, nothing is parsed."""
    return any(name in text for text in _texts(FOLDER).values())


def plain_key(word: str) -> str:
    """The dotted name in a word of a launch: without Hydra's signs, dashes in front, and value."""
    return word.partition("=")[0].lstrip(_OVERRIDE_SIGNS + "-")


def same(value: Data, other: Data) -> bool:
    """Whether two values are the same: 1 and 1.0 are, 1 and True are not."""
    return value == other and isinstance(value, bool) == isinstance(other, bool)


# ---------------------------------------------------------------- reading


class BadMapping(ValueError):
    """Data that is no mapping: the file, the key and what is wrong."""


def read(text: str, name: str) -> dict[str, tuple[Entry, ...]]:
    """The entries of one file, by key."""
    import yaml

    try:
        document = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise BadMapping(f"{name}: {error}") from error
    if not isinstance(document, dict):
        raise BadMapping(f"{name}: not a mapping")
    found: dict[str, tuple[Entry, ...]] = {}
    for pattern, given in document.items():
        if not isinstance(pattern, str):
            raise BadMapping(f"{name}: {pattern!r} is no key")
        tried = tuple(_alternatives(given, f"{name}: {pattern}"))
        for key in _expanded(pattern):
            if key in found:
                raise BadMapping(f"{name}: {key} stands there twice")
            found[key] = tuple(changed(made, key=key) for made in tried)
    return found


def _alternatives(given: Any, where: str) -> Iterator[Entry]:
    tried = given if isinstance(given, list) else [given]
    for number, fields in enumerate(tried, 1):
        if not isinstance(fields, dict):
            raise BadMapping(f"{where}: no entry")
        conditions = tuple(_conditions(fields.get("when"), where))
        last = number == len(tried)
        if last and bool(conditions) != ("otherwise" in fields):
            raise BadMapping(f"{where}: the last entry needs both of when and otherwise, or none")
        yield _entry(fields, conditions, where)
        if "otherwise" in fields:
            yield Entry("", "no effect", reason=_text(fields, "otherwise", where))


def _entry(fields: Mapping[str, Any], conditions: tuple[tuple[Condition, ...], ...], where: str) -> Entry:
    unknown = [name for name in fields if name not in _FIELDS]
    if unknown:
        raise BadMapping(f"{where}: unknown fields {', '.join(map(str, unknown))}")
    said = next((name for name in KINDS if name in fields), None)
    if said is None:
        raise BadMapping(f"{where}: none of {', '.join(KINDS)}")
    kind = KINDS[said]
    flags = fields.get("flags") or ({fields["flag"]: fields.get("convert", PASS)} if "flag" in fields else {})
    reasoned = kind in ("dropped", "no effect", "unsupported")
    return Entry(
        "",
        kind,
        tuple((str(flag), str(conversion)) for flag, conversion in flags.items()),
        cast("Group", fields.get("group", "misc")),
        _text(fields, "given", where) if "given" in fields else "",
        cast("Modes", fields.get("modes", "both")),
        _text(fields, "derived", where) if kind == "derived" else "",
        _text(fields, said, where) if reasoned else "",
        tuple(fields.get("neutral", ())),
        _text(fields, "todo", where) if "todo" in fields else "",
        fields.get("refuse") is True,
        conditions,
        _text(fields, "advice", where) if "advice" in fields else "",
        tuple(map(str, fields.get("spelled", ()))),
        _text(fields, "multiplies", where) if "multiplies" in fields else "",
    )


def _conditions(given: Any, where: str) -> Iterator[tuple[Condition, ...]]:
    if given is None:
        return
    for part in given if isinstance(given, list) else [given]:
        if not isinstance(part, dict) or not part:
            raise BadMapping(f"{where}: no conditions")
        yield tuple(_condition(key, values) for key, values in part.items())


def _condition(key: str, values: Any) -> Condition:
    negated = isinstance(values, dict) and list(values) == ["not"]
    wanted = values["not"] if negated else values
    return Condition(key, tuple(wanted) if isinstance(wanted, list) else (wanted,), negated)


def _text(fields: Mapping[str, Any], name: str, where: str) -> str:
    text = fields[name]
    if not isinstance(text, str) or not text.strip():
        raise BadMapping(f"{where}: {name} is no text")
    return " ".join(text.split())


def _expanded(pattern: str) -> Iterable[str]:
    pieces = _BRACES.split(pattern)
    choices = [piece.split(",") if number % 2 else [piece] for number, piece in enumerate(pieces)]
    return map("".join, product(*choices))


@cache
def _texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.yaml"))}


@cache
def _table(folder: Path) -> tuple[dict[str, tuple[Entry, ...]], dict[str, tuple[Entry, ...]]]:
    exact: dict[str, tuple[Entry, ...]] = {}
    below: dict[str, tuple[Entry, ...]] = {}
    for name, text in _texts(folder).items():
        for key, found in read(text, name).items():
            stem = key.removesuffix(".*")
            table = exact if stem == key else below
            if stem in table:
                raise BadMapping(f"{name}: {key} stands in another file, too")
            table[stem] = found
    return exact, below


@cache
def _spelled(folder: Path) -> dict[str, list[Entry]]:
    names: dict[str, list[Entry]] = {}
    for found in all_entries():
        for name in found.spelled:
            names.setdefault(name, []).append(found)
    return names
