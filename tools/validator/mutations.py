"""Single changes of real launches: a flag dropped, a value changed, a flag added, a spelling that argparse may mind."""

from __future__ import annotations

import random
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace

from tools.validator.requests import Request, flag_of, groups, joined


@dataclass(frozen=True, slots=True)
class Option:
    """A flag as one of the real parsers has it. ``kind`` is int, float, json, or text for all others."""

    names: tuple[str, ...]
    dest: str
    parser: str
    nargs: int | str | None = None
    choices: tuple[str, ...] = ()
    kind: str = "text"

    @property
    def takes_value(self) -> bool:
        """Whether it is no switch."""
        return self.nargs != 0


KINDS = {"drop": 12, "change": 33, "add": 45, "spelling": 10}
"""How often each kind of mutation is drawn."""
NAMED_SHARE = 0.85
"""How many of the flags that are dropped, changed or added are such as a constraint names."""
VALUES = {
    "int": ("0", "1", "2", "3", "4", "8", "16", "-1", "100", "4096", "1.5", "x"),
    "float": ("0", "0.5", "1", "1e-6", "-1", "2", "x"),
    "json": ("{}", '{"actor": [1, 8]}', '{"a": 1}', "[1]", "x"),
    "text": ("x", "/tmp/x", "1", "", "a.b.c", "{}"),
}
ODD = (
    *("-1", "-1e-6", "-.5", "-x", "- 5", "--", "-", "1_000", " 7 ", "nan", "inf", "1e400", "0x10", "٣", "", "="),
    *("--x y", "-1 2", "true", "None", "{}", "[1]", "1.0", "+5", "1e3", "[1]*3", "([0]*1+[1]*2)*3", "[a]", "1,2"),
    *("(1,2)", "1,,2", "1k", "1.5Ki", "2Mi", "@file", "-h", "--help=1"),
)
"""Words that argparse may take for a flag, or a converter for no number."""


class Mutator:
    """Draws mutations; ``named`` are the attributes that constraints name, which most of them concern."""

    def __init__(self, options: Sequence[Option], named: Container[str], rng: random.Random) -> None:
        self.options = [option for option in options if any(name.startswith("--") for name in option.names)]
        self.named = [option for option in self.options if option.dest in named] or self.options
        self.named_flags = {name for option in self.named for name in option.names}
        self.engines = [name for option in self.options if option.parser != "main" for name in option.names]
        self.by_name = {name: option for option in self.options for name in option.names}
        self.rng = rng

    def of(self, launch: Request) -> Request:
        """One mutation of a launch."""
        kind = self.rng.choices(list(KINDS), list(KINDS.values()))[0]
        parts = groups(launch.argv)
        at = self.place_in(parts) if parts else 0
        before = list(parts[at]) if parts else []
        if kind == "add" or not parts:
            added = self.added()
            return _mutated(launch, "add", [*parts, added], added)
        if kind == "drop":
            return _mutated(launch, kind, [*parts[:at], *parts[at + 1 :]], before)
        new = self.changed(before) if kind == "change" else self.spelled(before)
        return _mutated(launch, kind, [*parts[:at], *new, *parts[at + 1 :]], [*before, "→", *joined(new)])

    def place_in(self, parts: Sequence[Sequence[str]]) -> int:
        """Where to change a launch."""
        named = [at for at, part in enumerate(parts) if flag_of(part) in self.named_flags]
        return self.rng.choice(named if named and self.rng.random() < NAMED_SHARE else range(len(parts)))

    def added(self) -> list[str]:
        """A flag with as many values as it takes."""
        pool = self.named if self.rng.random() < NAMED_SHARE else self.options
        return self.words_of(self.rng.choice(pool))

    def words_of(self, option: Option) -> list[str]:
        """A flag, and values that may fit it."""
        name = self.rng.choice([name for name in option.names if name.startswith("--")])
        counts = {None: (1,), "+": (1, 2), "*": (0, 1, 2), "?": (0, 1)}
        count = option.nargs if isinstance(option.nargs, int) else self.rng.choice(counts.get(option.nargs, (1,)))
        return [name, *(self.value_of(option) for _ in range(count))]

    def value_of(self, option: Option) -> str:
        """A value that may fit a flag."""
        if option.choices and self.rng.random() < 0.85:
            return self.rng.choice(option.choices)
        return self.rng.choice(VALUES[option.kind])

    def changed(self, part: list[str]) -> list[list[str]]:
        """Another last value; a switch is dropped."""
        option = self.by_name.get(flag_of(part))
        if option is None or not option.takes_value or len(part) < 2:
            return []
        old = part[-1]
        if old.removeprefix("-").isdecimal() and self.rng.random() < 0.5:
            number = int(old)
            return [[*part[:-1], str(self.rng.choice((number * 2, number // 2, number + 1, number - 1, 0)))]]
        return [[*part[:-1], self.value_of(option)]]

    def spelled(self, part: list[str]) -> list[list[str]]:
        """Another spelling, which may be wrong."""
        return self.rng.choice(list(self._spellings(part)))

    def _spellings(self, part: list[str]) -> Iterator[list[list[str]]]:
        flag, *values = part
        odd = self.rng.choice(ODD)
        if len(values) == 1:
            yield [[f"{flag}={values[0]}"]]
        yield [[f"{flag}={self.rng.choice(('1', '', 'true', 'a=b'))}", *values]]
        yield [[flag, *values[:-1], odd]]
        yield [[flag]]
        yield [part, list(part)]
        yield [[*part, self.rng.choice(("extra", "-1", "5"))]]
        yield [[flag[:-1], *values]]
        yield [[odd], part]
        if self.engines:
            name = self.rng.choice(self.engines)
            short = name[: self.rng.randrange(min(8, len(name)), len(name) + 1)]
            yield [part, [short, *self.rng.choice(((), ("1",), ("0.5",), ("auto",), ("x",)))]]


def _mutated(launch: Request, kind: str, parts: list[list[str]], about: list[str]) -> Request:
    return replace(launch, kind=kind, argv=joined(parts), change=" ".join(about))
