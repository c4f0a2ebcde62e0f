"""The words of a verl launch as Hydra reads them: options, and overrides by Hydra's own grammar."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from relax_lint.migrate.plan import Refusal
from relax_lint.migrate.values import SAFE_DEFAULT, Template, with_default
from relax_lint.records import node
from relax_lint.shell.launch import Unknown

if TYPE_CHECKING:
    from hydra.core.override_parser.types import Override

    from relax_lint.migrate.values import Data
    from relax_lint.shell.launch import Launch, Word

_MARK = "RELAXLINTPART"
MARKED = re.compile(rf"{_MARK}(\d+)END")
"""What stands for an unknown part."""
_GRAMMAR_HELP = re.compile(r"\s*See https?://\S+ for details\Z")
_PLAIN_VALUE = re.compile(r"<[^<>]+>|[^\s\[\]{}()'\",=$\\]+[})\]>]")
"""Texts that Hydra's grammar has no place for and that can mean nothing but themselves: a placeholder like
``<path_to_model>``, and a name with a bracket too many at its end."""
_NOTHING = " \t\r\n\\"
"""What is left of a broken continuation of a line."""
_EXCEPTION = re.compile(r"\A\w+Exception: ")
_NAMES_A_RUN = tuple(
    f"trainer.{name}="
    for name in ("project_name", "experiment_name", "default_local_dir", "rollout_data_dir", "validation_data_dir")
)
_OPTIONS_WITH_VALUE = ("--config-path", "-cp", "--config-name", "-cn", "--config-dir", "-cd")


class Hidden:
    """The unknown parts of a launch's words, each behind a mark that Hydra takes for a part of a name."""

    def __init__(self) -> None:
        self.parts: list[Unknown] = []

    def mark(self, part: Unknown) -> str:
        """A mark for an unknown part."""
        if part not in self.parts:
            self.parts.append(part)
        return f"{_MARK}{self.parts.index(part)}END"

    def hide(self, word: Word) -> str:
        """The text of a word with marks for what is not known."""
        text, done = "", 0
        for start, end, part in _open_parts(word):
            text += word.text[done:start] + self.mark(part)
            done = end
        return text + word.text[done:]

    def shown(self, text: str) -> str:
        """The text with the unknown parts as they were written."""
        return MARKED.sub(lambda found: self.parts[int(found[1])].text, text)

    def template(self, text: str) -> str | Template:
        """The text; a template when parts of it are not known."""
        if _MARK not in text:
            return text
        parts: list[str | Unknown] = []
        done = 0
        for found in MARKED.finditer(text):
            if found.start() > done:
                parts.append(text[done : found.start()])
            parts.append(self.parts[int(found[1])])
            done = found.end()
        if done < len(text):
            parts.append(text[done:])
        return Template(tuple(parts))

    def data(self, value: Any) -> Data:
        """A value with templates for its texts that are not known."""
        if isinstance(value, str):
            return self.template(value)
        if isinstance(value, list):
            return [self.data(item) for item in value]
        if isinstance(value, dict):
            return {self.shown(str(key)): self.data(item) for key, item in value.items()}
        return value if value is None or isinstance(value, bool | int | float) else str(value)


def _open_parts(word: Word) -> Iterator[tuple[int, int, Unknown]]:
    """The parts of a word that a mark has to stand for: those that are not known, and in what names a run, variables
    with a default, which the name is to follow."""
    found = []
    done = 0
    for part in word.unknowns:
        start = word.text.find(part.text, done)
        if start >= 0:
            done = start + len(part.text)
            found.append((start, done, part))
    if word.text.lstrip("+").startswith(_NAMES_A_RUN):
        for span in word.spans:
            default = word.text[span.start : span.end]
            if span.variable and SAFE_DEFAULT.fullmatch(default):
                found.append((span.start, span.end, with_default(span.variable, default)))
    return iter(sorted(found, key=lambda part: part[:2]))


class _Text(str):
    """A word's text that remembers the word."""

    __slots__ = ("word",)
    word: Word


@node
class Given:
    """An override with the word that gives it; ``problem`` as in ``Setting``."""

    override: Override
    word: Word
    problem: str = ""


@node
class Command:
    """What a launch tells Hydra. The options are texts with marks, ``hidden`` tells what these stand for."""

    config_path: str | None
    config_name: str | None
    config_dir: str | None
    overrides: list[Given]
    hidden: Hidden
    words: dict[str, Word]

    def place_of(self, option: str) -> Word | None:
        """The word that gives an option."""
        return self.words.get(option)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Refusal(f"Hydra refuses the command line: {message}")

    def knows(self, text: str) -> bool:
        """Whether a word is one of the options, in full or short."""
        name = text.partition("=")[0]
        return any(option.startswith(name) for option in self._option_string_actions)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise Refusal("Hydra shows something here and trains nothing")


def read_command(launch: Launch) -> Command:
    """What a launch tells Hydra; words of which nothing is known may hold anything, and are passed over."""
    hidden = Hidden()
    words = list(_telling(launch))
    texts = []
    for word in words:
        text = _Text(hidden.hide(word))
        text.word = word
        texts.append(text)
    parser = _Parser(add_help=False, allow_abbrev=True)
    _add_options(parser)
    try:
        options = parser.parse_intermixed_args(texts)
    except Refusal as refusal:
        flags = [word for word in words if word.text.startswith("--") and not parser.knows(word.text)]
        if flags:
            raise Refusal(_flags_among(flags), place=flags[0].place) from None
        raise Refusal(hidden.shown(refusal.reason), place=words[0].place if words else None) from None
    if options.shows:
        raise Refusal("Hydra shows something here and trains nothing", place=launch.site)
    given: dict[str, Word] = {
        name: word
        for name in ("--config-path", "--config-name", "--config-dir")
        for index, word in enumerate(words)
        if _option(word.text) == name
        for word in [word if "=" in word.text or index + 1 == len(words) else words[index + 1]]
    }
    parsed = [_parsed(text, hidden) for text in options.overrides]
    return Command(options.config_path, options.config_name, options.config_dir, parsed, hidden, given)


def _flags_among(flags: Sequence[Word]) -> str:
    """What is to be done about flags in a launch of verl."""
    names = ", ".join(dict.fromkeys(word.text.partition("=")[0] for word in flags))
    return (
        f"Hydra takes no flags like {names}: take them out, or start relax/entrypoints/train.py instead if they are "
        "Relax's, and --fix turns the words for Hydra into flags"
    )


def passed_over(launch: Launch) -> list[Word]:
    """The words that Hydra reads and of which only bash knows what they are, or whether there are any."""
    return [word for word, tells in _words(launch) if not tells]


def _telling(launch: Launch) -> Iterator[Word]:
    """The words that say something: not those of which nothing is known but an option's value."""
    return (word for word, tells in _words(launch) if tells)


def _words(launch: Launch) -> Iterator[tuple[Word, bool]]:
    """The words that are not blank, and whether each says something."""
    before = ""
    for argument in launch.arguments:
        word = argument.word
        wholly_unknown = len(word.unknowns) == 1 and word.text == word.unknowns[0].text
        begins_unknown = bool(word.unknowns) and "=" not in word.text
        if word.text.strip(_NOTHING):
            yield word, not (wholly_unknown or begins_unknown) or before in _OPTIONS_WITH_VALUE
        before = word.text


def _option(text: str) -> str:
    name = text.partition("=")[0]
    return {"-cp": "--config-path", "-cn": "--config-name", "-cd": "--config-dir"}.get(name, name)


def _add_options(parser: argparse.ArgumentParser) -> None:
    """Hydra's own options."""
    parser.add_argument("overrides", nargs="*")
    parser.add_argument("--config-path", "-cp")
    parser.add_argument("--config-name", "-cn")
    parser.add_argument("--config-dir", "-cd")
    parser.add_argument("--run", "-r", action="store_true")
    parser.add_argument("--multirun", "-m", action="store_true")
    parser.add_argument("--package", "-p")
    parser.add_argument("--resolve", action="store_true")
    parser.add_argument("--experimental-rerun")
    for names in (("--help", "-h"), ("--hydra-help",), ("--version",), ("--shell-completion", "-sc")):
        parser.add_argument(*names, dest="shows", action="store_true")
    parser.add_argument("--cfg", "-c", dest="shows")
    parser.add_argument("--info", "-i", dest="shows", nargs="?", const="all")


def _parsed(text: _Text, hidden: Hidden) -> Given:
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import HydraException

    parser = OverridesParser.create()
    place, shown = text.word.place, hidden.shown(text)
    problem = ""
    try:
        (override,) = parser.parse_overrides([str(text)])
    except HydraException as error:
        reason = _reason(error, hidden, str(text))
        key, separator, value = text.partition("=")
        if not separator or not _PLAIN_VALUE.fullmatch(value):
            raise Refusal(f"Hydra cannot read {shown}: {reason}", place=place) from error
        try:
            (override,) = parser.parse_overrides([f"{key}={hidden.mark(Unknown(value))}"])
        except HydraException:
            raise Refusal(f"Hydra cannot read {shown}: {reason}", place=place) from error
        override._value, problem = value, f"Hydra cannot read the value as it stands: {reason}"
    if override.is_sweep_override():
        raise Refusal(
            f"{shown} sweeps over several values, which are several trainings: migrate a launch for each of them",
            place=place,
        )
    return Given(override, text.word, problem)


def _reason(error: Exception, hidden: Hidden, text: str) -> str:
    """The first line of what Hydra's parser says."""
    lines = [line for line in _GRAMMAR_HELP.sub("", str(error)).splitlines() if line.strip()]
    said = [line for line in lines if not line.startswith("Error parsing override")]
    reason = _EXCEPTION.sub("", (said or lines or ["no override"])[0].strip())
    if reason == text:
        reason = _unreadable(text)
    return hidden.shown(reason)


def _unreadable(text: str) -> str:
    """Why Hydra cannot tell the signs of a text apart, of which its parser says nothing but the text."""
    if not text.isprintable() and any("\ud800" <= character <= "\udfff" for character in text):
        return "it holds bytes that are no UTF-8"
    if any(text.count(quote) % 2 for quote in "'\""):
        return "a quote in it has no second one"
    return "it holds a sign that has no place there"
