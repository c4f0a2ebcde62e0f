"""A launch: one call site of a launcher with the argv that bash would pass to it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from relax_lint.catalog.switches import is_switch, takes_several
from relax_lint.diagnostics import Place
from relax_lint.patterns import pattern
from relax_lint.records import node, record
from relax_lint.shell.nodes import SimpleCommand

if TYPE_CHECKING:
    from relax_lint.sources.text import SourceFile

Kind = Literal["relax", "verl", "other"]
Mode = Literal["sft", "hybrid", "async", "colocate", "separate"]


@record
class Unknown:
    """A part of a word that is not known statically.

    ``text`` is its source text; ``variable`` the name of the environment variable or argument it comes from, when
    that is all it is; ``checked`` says that the script refuses to go on when it is empty; ``split`` that it stands
    unquoted and may be several words or none; ``only`` is the one text it can be when it is not empty
    (``${X:+text}``).
    """

    text: str
    variable: str | None = None
    checked: bool = False
    split: bool = False
    only: str | None = None


@record
class Default:
    """A part of a word that is as it is because of a default: ``variable`` when it is just that variable's, ``origins``
    are the variables that it was made of."""

    start: int
    end: int
    variable: str | None
    origins: tuple[str, ...]


@record
class Word:
    """One word of an argv. Unknown parts stand in ``text`` as their source text.

    ``place`` is where the word was written (an array's element, a piece of a string that was split), ``None`` when
    it was computed. ``defaults`` names overridable variables whose script-given default the text counts with;
    ``default_texts`` are these defaults, ``spans`` say where they stand in ``text``. ``assumed`` is what it begins
    with, where that is its text only because a test of the script found it equal to that (``[ "$1" = --help ]``).
    """

    text: str
    unknowns: tuple[Unknown, ...] = ()
    place: Place | None = None
    defaults: tuple[str, ...] = ()
    default_texts: tuple[str, ...] = ()
    spans: tuple[Default, ...] = ()
    assumed: Unknown | None = None

    @property
    def known(self) -> bool:
        """Whether bash passes exactly ``text``."""
        return not self.unknowns

    @property
    def open(self) -> bool:
        """Whether this may be several words, or none."""
        return any(unknown.split for unknown in self.unknowns)

    @property
    def is_replaceable(self) -> bool:
        """Whether all of it, or the name of the flag that it is, is another where the variable of a default is set."""
        start = self.spans[0].start if self.spans else -1
        return start == 0 or (self.text.startswith("-") and 0 < start < len(self.text.partition("=")[0]))


@record
class Argument:
    """A flag with the values that follow it. For verl launches, an override as given, without values."""

    flag: str
    values: tuple[Word, ...]
    word: Word
    inline: bool = False
    """Written ``--flag=value``."""

    @property
    def value(self) -> str | None:
        """The text of the only value; ``None`` if there is none, several, or it is not known."""
        own = self.own_values
        return own[0].text if len(own) == 1 and own[0].known else None

    @property
    def own_values(self) -> tuple[Word, ...]:
        """The values without the words behind them that are not known at all: ``"${MODEL_ARGS[@]}"``, ``$EXTRA``. These
        are other arguments, but behind a flag that takes any number."""
        end = len(self.values)
        while end > 1 and _is_hidden(self.values[end - 1]) and not takes_several(self.flag):
            end -= 1
        return self.values[:end]


def _is_hidden(word: Word) -> bool:
    """Whether nothing of a word is known."""
    return len(word.unknowns) == 1 and word.text == word.unknowns[0].text


_RELAX_ENTRY = pattern(r"(?:.*/)?relax/entrypoints/train\.py\Z|relax\.entrypoints\.train\Z")
_VERL_ENTRY = pattern(
    r"(?:.*/)?verl/(?:[\w./-]+/)?\w*main(?:_\w+)?\.py\Z|verl(?:\.\w+)*\.(?:(?:\w+_)?main(?:_\w+)?|\w*trainer\w*)\Z"
    r"|recipe(?:\.\w+)*\.(?:\w+_)?main\w*\Z|(?:.*/)?recipe/(?:[\w./-]+/)?(?:\w+_)?main\w*\.py\Z"
    r"|(?:\w+\.)*main_ppo\w*\Z|(?:.*/)?main_ppo\w*\.py\Z"
    r"|verl\.trainer(?:\.\w+)*\Z|(?:.*/)?main_(?:dapo|spin|sppo|eval|generation)\w*\.py\Z"
)
# What the files under scripts/models/ hold: architecture and how the model is divided, nothing of the run.
_OF_A_MODEL = pattern(
    r"--(?:num-(?:layers|attention-heads|query-groups|experts)|hidden-size|ffn-|vocab|kv-channels|norm|rotary|rope"
    r"|use-(?:rotary|rope)|no-rope|group-query|swiglu|qk-|moe-|mla|multi-latent|disable-bias|add-|untie|position"
    r"|seq-length|max-position|spec|attention-(?:output|backend)|mtp-|linear-|expert-|tensor-|pipeline-|context-"
    r"|make-vocab|q-lora|kv-lora|v-head|apply-layernorm)"
)
# Names of variables that are meant to hold flags, and what expands to any number of words.
HOLDS_FLAGS = pattern(
    r"[@*]\Z|\$\{[@*]|\[[@*]\]\Z|\A\$\(cat\)\Z|(?:\A|_)(?:ARGS?|OPTS?|OPTIONS?|FLAGS?|EXTRAS?|PARAMS?|OVERRIDES?)(?:_|\Z)",
    re.IGNORECASE,
)
_HELP = frozenset({"-h", "--help"})
_NEGATIVE_NUMBER = pattern(r"-(?:\d|\.\d)")


_GLUED_MODULE = pattern(r"-[bBdEhiIOPqsSuvx]*m(?P<module>.+)", re.DOTALL)
_MODULE_OPTION = pattern(r"-[bBdEhiIOPqsSuvx]*m")
# A program behind `python3 -c` that imports what starts a training, and runs it.
_PROGRAM = pattern(
    r"(?:\A|[\n;])\s*(?:from|import)\s+(?P<imported>[\w.]*\.(?:\w*main\w*|\w*trainer|train))\b"
    r"(?=.*\b(?:\w*main\w*|run\w*|train\w*|fit)\s*\()|\brun_(?:module|path)\(\s*[\"'](?P<run>[\w./-]+)",
    re.DOTALL,
)
_GLUED_PROGRAM = pattern(r"-[bBdEhiIOPqsSuvx]*c")


def entry_name(word: Word) -> str:
    """The file or module that a word names when it is what runs; Python takes ``-mMODULE`` too, and a program."""
    text = word.text
    if text.startswith("-"):
        glued = _GLUED_MODULE.fullmatch(text)
        if glued is not None:
            return glued["module"]
    if "import" in text and (not text.startswith("-") or _GLUED_PROGRAM.match(text)):
        program = _PROGRAM.search(_GLUED_PROGRAM.sub("", text, count=1) if text.startswith("-") else text)
        if program is not None:
            return program["imported"] or program["run"]
    return text


def classify(argv: Sequence[Word]) -> Kind:
    """Whose training an argv starts: nobody's, where argparse prints its help and ends."""
    at = entry_index(argv)
    if at < 0 or any(map(_asks_for_help, takewhile(lambda word: word.text != "--", argv[at + 1 :]))):
        return "other"
    return "relax" if _RELAX_ENTRY.match(entry_name(argv[at])) else "verl"


def _asks_for_help(word: Word) -> bool:
    return word.text in _HELP and not (word.unknowns or word.spans or word.assumed)


def entry_index(argv: Sequence[Word]) -> int:
    """The word that names what runs; -1 when it is neither Relax nor verl."""
    for index, word in enumerate(argv):
        if index == 0:
            continue
        text = entry_name(word)
        if text.startswith("-"):
            continue
        if _VERL_ENTRY.match(text) or (_RELAX_ENTRY.match(text) and not _is_path_as_module(argv, index)):
            return index
    return -1


def _is_path_as_module(argv: Sequence[Word], at: int) -> bool:
    """Whether Python is to find a path as a module, which it does not."""
    text, before = argv[at].text, argv[at - 1].text
    name = entry_name(argv[at])
    return name.endswith(".py") and (name != text or _MODULE_OPTION.fullmatch(before) is not None)


@node
class _Launch:
    kind: Kind
    argv: tuple[Word, ...]
    site: Place
    script: Path
    conditions: tuple[str, ...] = ()
    options: frozenset[str] = frozenset()
    pipeline: tuple[tuple[Word, ...], ...] = ()
    made_directories: tuple[Word, ...] = ()
    redirected_to: tuple[Word, ...] = ()
    command: SimpleCommand | None = None
    in_condition: bool = False
    directory: str | None = None
    ray_address: Word | None = None
    loop: Place | None = None
    background: bool = False
    again: Place | None = None
    by_default: bool = True


class Launch(_Launch):
    """One call site with one argv.

    ``site`` is the command in its file; ``conditions`` what must hold for it; ``options`` the shell options on at that
    point (errexit, pipefail, nounset …); ``pipeline`` the argv of each command that the launch is piped into;
    ``made_directories`` what ``mkdir`` made on the way; ``in_condition`` says that its status is looked at, so that
    errexit does not apply; ``directory`` is the working directory, when known; ``ray_address`` what the script gives
    Ray as RAY_ADDRESS, empty when it takes that away; ``loop`` is the loop around it of which nobody can tell how often
    it goes round, ``again`` one whose rounds make the same launch; ``background`` says that the script does not wait
    for it; ``by_default`` that no variable and no argument need be other than the script has it by default.
    """

    @cached_property
    def entry(self) -> int:
        """Index of the word that names what runs (``train.py``, the module after ``-m``); -1 when there is none."""
        return entry_index(self.argv)

    @cached_property
    def arguments(self) -> tuple[Argument, ...]:
        """What follows the entry point: flags with their values, or the overrides of a verl launch."""
        words = self.argv[self.entry + 1 :]
        if self.kind == "verl":
            return tuple(Argument(word.text, (), word) for word in words)
        return _arguments(words)

    @cached_property
    def _by_flag(self) -> dict[str, list[Argument]]:
        found: dict[str, list[Argument]] = {}
        for argument in self.arguments:
            found.setdefault(argument.flag, []).append(argument)
        return found

    def all(self, flag: str) -> list[Argument]:
        """Every time a flag is passed."""
        return self._by_flag.get(flag, [])

    def last(self, flag: str) -> Argument | None:
        """The time that counts: argparse takes the last."""
        found = self._by_flag.get(flag)
        return found[-1] if found else None

    def has(self, flag: str) -> bool:
        """Whether a flag is passed for sure."""
        return flag in self._by_flag

    def value(self, flag: str) -> str | None:
        """The single known value that counts; None when the flag is absent or its value is not known."""
        found = self.last(flag)
        return found.value if found is not None else None

    def may_have(self, flag: str) -> bool:
        """Whether a flag is passed, or a word that is not known could hold it."""
        return self.has(flag) or self.hiding(flag) is not None

    def hiding(self, flag: str) -> Word | None:
        """The first word that is not known and could hold a flag."""
        for argument, position in self._open_positions:
            if _may_be(argument, position, flag):
                return argument.word if position < 0 else argument.values[position]
        return None

    @cached_property
    def _open_positions(self) -> list[tuple[Argument, int]]:
        """The words of the arguments that are not known, or are so by default only, and may hold flags, -1 for a flag
        itself. ``--flag=value`` holds no other flag."""
        return [
            (argument, position)
            for argument in self.arguments
            if not argument.inline or argument.word.is_replaceable
            for position, word in enumerate(_words_of(argument), -1)
            if (word.unknowns or word.is_replaceable) and _may_be_some(argument, position)
        ]

    @property
    def hides_flags(self) -> bool:
        """Whether a word that is not known could hold any flag."""
        return bool(self._open_positions)

    @cached_property
    def written(self) -> frozenset[tuple[SourceFile, int]]:
        """Where its words are written: the file and the offset of each."""
        return frozenset([word.place[:2] for word in self.argv if word.place is not None])

    @cached_property
    def mode(self) -> Mode:
        """How Relax runs it: by ``--loss-type``, ``--hybrid``, ``--fully-async``, ``--colocate``."""
        loss = self.value("--loss-type")
        if loss is not None and loss.startswith("sft"):
            return "sft"
        if self.has("--hybrid"):
            return "hybrid"
        if self.has("--fully-async"):
            return "async"
        return "colocate" if self.has("--colocate") else "separate"


def _arguments(words: Sequence[Word]) -> tuple[Argument, ...]:
    """Flags and what follows each up to the next flag; words before the first flag have an empty flag."""
    found: list[Argument] = []
    flag: Word | None = None
    values: list[Word] = []
    for word in (*words, None):
        if word is None or (word.text.startswith("-") and _is_flag(word.text)):
            if flag is not None:
                found.append(Argument(flag.text, tuple(values), flag))
            else:
                found.extend(Argument("", (value,), value) for value in values)
            flag, values = word, []
            if word is not None and "=" in word.text and word.text.startswith("--"):
                found.append(_inline(word))
                flag = None
        elif flag is None and word.open:
            found.append(Argument("", (word,), word))
        else:
            values.append(word)
    return tuple(found)


def _inline(word: Word) -> Argument:
    """``--flag=value``."""
    name, _, value = word.text.partition("=")
    unknowns = tuple(unknown for unknown in word.unknowns if unknown.text in value)
    return Argument(name, (Word(value, unknowns, word.place, word.defaults),), word, inline=True)


def _is_flag(text: str) -> bool:
    """Whether argparse takes a word that begins with a dash for a flag: one with a space in it is a value, but not
    ``--flag=a value``."""
    return len(text) > 1 and not _NEGATIVE_NUMBER.match(text) and not (" " in text and " " in text.partition("=")[0])


def _words_of(argument: Argument) -> tuple[Word, ...]:
    return (argument.word,) if argument.inline else (argument.word, *argument.values)


def _may_be_some(argument: Argument, position: int) -> bool:
    """Whether a word that is not known could be, or hold, any flag at all (see :func:`_may_be`)."""
    word = argument.word if position < 0 else argument.values[position]
    if (position < 0 and argument.flag) or any(unknown.only for unknown in word.unknowns):
        return True
    if _is_a_value(argument, position):
        return _is_named_for_flags(word)
    if word.is_replaceable:
        return True
    begins_unknown = word.text.startswith(word.unknowns[0].text)
    return (begins_unknown or word.open) and any(unknown.only is None for unknown in word.unknowns)


def _is_a_value(argument: Argument, position: int) -> bool:
    """Whether a flag takes a word behind it as its value."""
    return bool(argument.flag) and (takes_several(argument.flag) or (position == 0 and not is_switch(argument.flag)))


def _is_named_for_flags(word: Word) -> bool:
    """Whether nothing of a word is known but a name that says that it holds flags."""
    if not _is_hidden(word):
        return False
    first = word.unknowns[0]
    return first.only is None and bool(HOLDS_FLAGS.search(first.variable or first.text))


def _may_be(argument: Argument, position: int, flag: str) -> bool:
    """Whether a word that is not known could be a flag, or hold it: not what a flag takes as its value, unless its name
    says that it holds flags."""
    word = argument.word if position < 0 else argument.values[position]
    if position < 0 and argument.flag:
        return flag.startswith(_fixed_beginning(word))
    if any(flag in (unknown.only or "").split() for unknown in word.unknowns):
        return True
    if _is_a_value(argument, position):
        return _is_named_for_flags(word)
    if word.is_replaceable:
        return True
    begins_unknown = word.text.startswith(word.unknowns[0].text)
    return (begins_unknown or word.open) and any(_may_hold(unknown, flag) for unknown in word.unknowns)


def _fixed_beginning(word: Word) -> str:
    """What is in front of the first part of a word that is not known, or is so by default only."""
    beginning = word.text[: word.spans[0].start] if word.is_replaceable else word.text
    return beginning.partition(word.unknowns[0].text)[0] if word.unknowns else beginning


def _may_hold(unknown: Unknown, flag: str) -> bool:
    return unknown.only is None and (unknown.variable != "MODEL_ARGS[@]" or bool(_OF_A_MODEL.match(flag)))
