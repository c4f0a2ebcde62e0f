"""What can be typed next on a command line: asked by the shell at every TAB, answered from the parsers themselves, so
that no shell ever knows of other options than the program has."""

from __future__ import annotations

from argparse import SUPPRESS, Action, ArgumentParser, _SubParsersAction
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from relax_lint.cli import COMMANDS
from relax_lint.command_line import command_module, parser_for

Files = Literal["none", "files", "directories"]
Word = tuple[str, str]
"""A word, and what it means."""

_TOP_LEVEL = (("--help", "show the help"), ("--version", "print the version"))
_MOST_DESCRIBED = 300


class Answer(NamedTuple):
    """Words that fit what is typed, and whether paths fit, too, which the shell knows best."""

    words: tuple[Word, ...] = ()
    files: Files = "none"


def answer(typed: Sequence[str]) -> Answer:
    """What may become of the last of the words behind the program's name."""
    *before, current = _joined(typed) or [""]
    if before and before[0] in COMMANDS:
        return _State(before[0], before[1:]).answer(current)
    found = _State("check", before).answer(current)
    if before:
        return found
    first = _TOP_LEVEL if current.startswith("-") else tuple(COMMANDS.items())
    return found._replace(words=_fitting([*first, *found.words], current))


def _joined(typed: Iterable[str]) -> list[str]:
    """The words with ``--option = value`` as one, as bash takes it apart."""
    words: list[str] = []
    for word in typed:
        if words and (word == "=" or words[-1].endswith("=")) and words[-1].startswith("--"):
            words[-1] += word
        else:
            words.append(word)
    return words


class _State:
    """How far the parsing of a command has come."""

    def __init__(self, name: str, before: Iterable[str]) -> None:
        self._takes_rest = getattr(command_module(name), "TAKES_REST", False)
        self._parser: ArgumentParser = parser_for(name)
        self._given = 0
        self._waiting: Action | None = None
        """The option whose value comes next."""
        self._options_end = False
        for word in before:
            self._take(word)

    def _take(self, word: str) -> None:
        if self._waiting is not None:
            self._waiting = None
        elif word == "--":
            self._options_end = True
        elif word.startswith("-") and not self._options_end:
            action = self._parser._option_string_actions.get(word)
            self._waiting = action if action is not None and action.nargs != 0 else None
        else:
            self._take_positional(word)

    def _take_positional(self, word: str) -> None:
        action = self._positional
        if isinstance(action, _SubParsersAction):
            self._parser, self._given = action.choices.get(word, ArgumentParser(add_help=False)), 0
        elif action is not None and action.nargs not in ("*", "+"):
            self._given += 1

    @property
    def _positional(self) -> Action | None:
        actions = [action for action in self._parser._actions if not action.option_strings]
        return actions[self._given] if self._given < len(actions) else None

    def answer(self, current: str) -> Answer:
        """What may become of the word that is being typed."""
        if self._waiting is not None:
            return _values(self._waiting, current)
        if self._options_end and self._takes_rest:
            return Answer(files="files")
        if current.startswith("-") and not self._options_end:
            return self._options(current)
        return Answer() if self._positional is None else _values(self._positional, current)

    def _options(self, current: str) -> Answer:
        option, equals, value = current.partition("=")
        if equals:
            action = self._parser._option_string_actions.get(option)
            found = Answer() if action is None else _values(action, value)
            return found._replace(words=tuple((f"{option}={word}", what) for word, what in found.words))
        options = [
            (option, _about(action))
            for action in self._parser._actions
            for option in action.option_strings
            if action.help != SUPPRESS and (option.startswith("--") or current == "-")
        ]
        more = _flags(current).words if getattr(self._positional, "metavar", None) == "FLAG" else ()
        return Answer((*_fitting(options, current), *more))


def _values(action: Action, current: str) -> Answer:
    """The values of an option or argument: its choices, or what its metavar stands for."""
    if isinstance(action, _SubParsersAction):
        named = ((each.dest, each.help or "") for each in action._choices_actions)
        return Answer(_fitting(named, current))
    if action.choices is not None:
        return Answer(_fitting(((str(choice), "") for choice in action.choices), current))
    return VALUES.get(str(action.metavar), _nothing)(current)


def _about(action: Action) -> str:
    text = (action.help or "") % {**vars(action), "prog": "relax-lint"}
    return " ".join(text.split())


def _fitting(words: Iterable[Word], current: str) -> tuple[Word, ...]:
    return tuple((word, what) for word, what in words if word.startswith(current))


# ---------------------------------------------------------------- what metavars stand for


def _paths(current: str) -> Answer:
    return Answer(files="files")


def _directories(current: str) -> Answer:
    return Answer(files="directories")


def _rules(current: str) -> Answer:
    return Answer(_fitting(_codes_and_names(), current))


def _codes(current: str) -> Answer:
    """The last of several codes, names and prefixes with commas between them."""
    before, comma, last = current.rpartition(",")
    used = set(before.split(","))
    found = _fitting([("ALL", "every rule"), *_families(), *_codes_and_names()], last)
    return Answer(tuple((f"{before}{comma}{word}", what) for word, what in found if word not in used))


def _codes_and_names() -> Iterator[Word]:
    from relax_lint.rules.index import INDEX

    for code, name, *_ in INDEX:
        yield code, name
    for code, name, *_ in INDEX:
        yield name, code


def _families() -> Iterator[Word]:
    from relax_lint.rules.index import INDEX

    prefixes = [code[:4] for code, *_ in INDEX]
    return ((prefix, f"{prefixes.count(prefix)} rules") for prefix in dict.fromkeys(prefixes))


def _flags(current: str) -> Answer:
    """Flags of Relax, with their dashes or without."""
    from relax_lint.catalog.flags import embedded

    catalogue = embedded()
    start = "--" + current.lstrip("-")
    found = [word for word in catalogue.words if word.startswith(start)]
    described = found if len(found) <= _MOST_DESCRIBED else ()
    owners = {word: flag.owner for word in described if (flag := catalogue.flag(word)) is not None}
    left_out = 0 if current.startswith("-") else len("--")
    return Answer(tuple((word[left_out:], owners.get(word, "")) for word in found))


def _nothing(current: str) -> Answer:
    return Answer()


VALUES: Mapping[str, Callable[[str], Answer]] = {
    **dict.fromkeys(("CONFIG.json", "FILE", "IN", "LAUNCHER", "NAME", "OUT", "PATH", "RUN.sh", "SOURCE"), _paths),
    "CODES": _codes,
    "CODE-OR-NAME": _rules,
    "DIR": _directories,
    "FLAG": _flags,
    **dict.fromkeys(("COLUMN", "GLOB", "N", "NAME=VALUE", "REASON", "REV", "STEM", "TEXT"), _nothing),
}
"""What completes an option or argument, by what its help calls its value."""
