"""The typed values that argparse would give a launch, symbolically: what is not known statically stays hidden."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from relax_lint.catalog.argparse_model import Match, Parsed, ParserModel, Problem, candidates
from relax_lint.catalog.conversions import BadValue, converted
from relax_lint.catalog.flags import HELPER_PARSER, Catalogue, Flag
from relax_lint.catalog.hidden import Hidden, is_hidden
from relax_lint.shell.launch import Argument, Launch, Word

if TYPE_CHECKING:
    from relax_lint.catalog.words import Group

ORDER = ("pre", "sglang-tp", "sglang", "teacher", "main")
"""Relax's parsers in the order in which they read the command line."""
_LAST_WRITES = ("teacher", "sglang", "pre", "main")
"""Whose value counts when several of them set the same attribute."""
_SKIPPED_FOR_TRAINING = frozenset({"sglang-tp", "sglang", "teacher"})


class Parsers:
    """The parsers of a catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.models = {name: ParserModel(name, catalogue) for name in ORDER}
        self._settings: dict[str, tuple[tuple[str, Flag], ...]] = {}
        self._named: dict[str, tuple[tuple[Flag, ...], bool]] = {}

    def named(self, name: str) -> tuple[tuple[Flag, ...], bool]:
        """The flags that a word names, and whether it does so as an abbreviation that a parser takes whose values
        count."""
        if name not in self._named:
            flags = self.catalogue.flags(name)
            short = () if flags else self.catalogue.abbreviated(name)
            abbreviated = tuple(flag for flag in short if flag.parser != HELPER_PARSER)
            self._named[name] = flags or abbreviated, bool(abbreviated)
        return self._named[name]

    def settings(self, dest: str) -> tuple[tuple[str, Flag], ...]:
        """The parsers that set an attribute, whose value counts first, each with the flag whose default it takes: its
        first one."""
        if dest not in self._settings:
            flags = self.catalogue.by_dest(dest)
            found = ((name, next((flag for flag in flags if flag.parser == name), None)) for name in _LAST_WRITES)
            self._settings[dest] = tuple((name, flag) for name, flag in found if flag is not None)
        return self._settings[dest]

    def options_of(self, dest: str) -> tuple[str, ...]:
        """All spellings of the flags that set an attribute."""
        return tuple(dict.fromkeys(name for flag in self.catalogue.by_dest(dest) for name in flag.names))

    def dest_of(self, option: str) -> str | None:
        """The attribute that a flag sets."""
        flag = self.catalogue.flag(option)
        return None if flag is None else flag.dest


class Namespace:
    """What argparse makes of a launch.

    ``words`` are those behind the entry point, ``parsed`` what each parser that runs makes of them. ``problems`` is why
    they would stop, in the order in which they run; the first is the one that Relax reports.
    """

    def __init__(self, launch: Launch, parsers: Parsers) -> None:
        self.launch = launch
        self.parsers = parsers
        self.problems: list[Problem] = []
        self._matches: dict[str, dict[str, list[Match]]] = {}
        self._given: dict[str, Match] = {}
        self._values: dict[str, Any] = {}
        self._bad: dict[int, Hidden] = {}
        self.words = [_unlearned(word) for word in launch.argv[launch.entry + 1 :]]
        self.parsed: dict[str, Parsed] = {}
        dashed = candidates(self.words)
        for name in ORDER:
            if name in _SKIPPED_FOR_TRAINING and self.skips_engines:
                continue
            self._keep(name, parsers.models[name].parse(self.words, dashed))

    @cached_property
    def skips_engines(self) -> bool:
        """Whether Relax does not even parse the flags of the engines, since it only trains."""
        found = self._matches["pre"]
        return "debug_train_only" in found or "load_debug_rollout_data" in found

    def _keep(self, parser: str, parsed: Parsed) -> None:
        self.parsed[parser] = parsed
        self.problems.extend(parsed.problems)
        by_dest = self._matches[parser] = {}
        for match in parsed.matches:
            by_dest.setdefault(match.flag.dest, []).append(match)
            self._given[match.option] = match
            bad = self._check(parser, match)
            if bad is not None:
                self._bad[id(match)] = bad

    def _check(self, parser: str, match: Match) -> Hidden | None:
        """Every occurrence of a flag must convert, even if a later one counts."""
        if match.flag.action not in ("store", "append", "extend"):
            return None
        hidden = None
        for word in match.values:
            if not word.known:
                continue
            try:
                converted(word.text, match.flag.type, match.flag.choices)
            except BadValue as bad:
                hidden = Hidden([word])
                self.problems.append(Problem(parser, "bad-value", match.option, word, str(bad), match.at, bad.crash))
        return hidden

    @cached_property
    def groups(self) -> list[Group]:
        """Its flags in order, known or not, each with the words behind it."""
        from relax_lint.catalog.words import groups_in

        return groups_in(self)

    @cached_property
    def given_dests(self) -> frozenset[str]:
        """The attributes that a flag of the launch sets for sure."""
        return frozenset(dest for by_dest in self._matches.values() for dest in by_dest)

    @property
    def given_options(self) -> frozenset[str]:
        """The flags that are passed for sure, each in its full spelling."""
        return frozenset(self._given)

    def given(self, option: str) -> bool | Hidden:
        """Whether a flag is passed, in exactly this spelling or an abbreviation of it."""
        if option in self._given:
            return True
        hidden = self._hidden_by(option)
        return False if hidden is None else hidden

    def _hidden_by(self, *options: str) -> Hidden | None:
        """What could hold one of these flags."""
        if not self._open_words or not any(self.launch.may_have(option) for option in options):
            return None
        hiding = [word for option in options if (word := self.launch.hiding(option)) is not None]
        return Hidden(hiding or self._open_words)

    @cached_property
    def _open_words(self) -> tuple[Word, ...]:
        """The words that are not known at all, or by default only, or are flags whose name is not."""
        return tuple(
            word
            for word in self.launch.argv[self.launch.entry + 1 :]
            if word.is_replaceable
            or (word.unknowns and (word.text == word.unknowns[0].text or word.text.startswith("-")))
        )

    def shadowed(self, parser: str, by: str) -> list[str]:
        """The flags passed to a parser whose attribute another one sets afterwards, given there or not."""
        if by not in self._matches:
            return []
        return [
            matches[-1].option
            for dest, matches in self._matches[parser].items()
            if any(name == by for name, _ in self.parsers.settings(dest))
        ]

    def knows(self, dest: str) -> bool:
        """Whether any flag sets this attribute."""
        return bool(self.parsers.settings(dest))

    def argument(self, dest: str) -> Argument | None:
        """The flag of the launch whose value counts for an attribute."""
        match = self._deciding(dest)
        return None if match is None else match.argument

    def refused(self, option: str) -> Argument | None:
        """A flag where the parsers stop at it, with all the words behind it: at each time that it is passed they look,
        whichever counts."""
        at = next((problem.at for problem in self.problems if problem.option == option), None)
        return None if at is None else next((one for one in self.launch.arguments if one.word is self.words[at]), None)

    def _deciding(self, dest: str) -> Match | None:
        for parser in _LAST_WRITES:
            found = self._matches.get(parser, {}).get(dest)
            if found:
                return found[-1]
        return None

    def value(self, dest: str) -> Any:
        """The value of an attribute; the default without its flag; :class:`Hidden` when it cannot be told.

        An attribute that no flag sets is ``None``.
        """
        if dest not in self._values:
            self._values[dest] = self._value(dest)
        return self._values[dest]

    def _value(self, dest: str) -> Any:
        for parser, flag in self.parsers.settings(dest):
            if parser not in self._matches:
                continue
            found = self._matches[parser].get(dest)
            if found:
                return self._of_matches(found, flag)
            if flag.suppressed:
                continue
            hidden = self._hidden_by(*self.parsers.options_of(dest)) if self._open_words else None
            return _default(flag) if hidden is None else hidden
        return None

    def _of_matches(self, matches: Sequence[Match], flag: Flag) -> Any:
        """The last counts, but for flags that gather."""
        value: Any = _default(flag)
        gathered: list[Any] = []
        for match in matches:
            value = self._of_match(match, value)
            if match.flag.action == "append" and not is_hidden(value):
                gathered.append(value)
                value = list(gathered)
        return value

    def _of_match(self, match: Match, before: Any) -> Any:
        flag = match.flag
        if flag.action == "boolean_optional":
            return not match.option.startswith("--no-")
        if flag.action in ("store_true", "store_false"):
            return flag.action == "store_true"
        if flag.action not in ("store", "append", "extend"):
            return before
        if id(match) in self._bad:
            return self._bad[id(match)]
        unknown = [word for word in match.values if not word.known]
        if unknown:
            return Hidden(
                unknown, present=True, filled=_is_filled(flag, match.values), length=_length(flag, match.values)
            )
        values = [converted(word.text, flag.type, flag.choices) for word in match.values]
        if flag.nargs == "?":
            return values[0] if values else ""
        return values[0] if flag.nargs is None else values


def _is_filled(flag: Flag, words: Sequence[Word]) -> bool:
    """Whether words that are partly known make a list of at least one, or a text that is not empty."""
    if flag.nargs not in (None, "?"):
        return any(not word.open or _has_text(word) for word in words)
    return flag.type == "str" and len(words) == 1 and _has_text(words[0])


def _length(flag: Flag, words: Sequence[Word]) -> int | None:
    """How many values a flag that takes several has: an unquoted ``$DATA_DIR/train.parquet`` is one of them."""
    several = flag.nargs not in (None, "?")
    return len(words) if several and all(not word.open or _has_text(word) for word in words) else None


def _has_text(word: Word) -> bool:
    """Whether a part of a word is written out."""
    return len(word.text) > sum(len(unknown.text) for unknown in word.unknowns)


def _default(flag: Flag) -> Any:
    """The value without a flag; argparse converts a text as it does a word."""
    if isinstance(flag.default, str) and flag.nargs in (None, "?"):
        return converted(flag.default, flag.type, None)
    return flag.default


def _unlearned(word: Word) -> Word:
    """A word that is a flag only where a test of the script found a variable equal to one (``[ "$arg" = --help ]``) is
    a value for everybody else."""
    if word.assumed is None or word.unknowns or not word.text.startswith("-"):
        return word
    return Word(word.assumed.text, (word.assumed,), word.place)
