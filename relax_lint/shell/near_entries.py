"""Commands that may have been meant to start Relax and do not: which word of them names what runs."""

from __future__ import annotations

import os.path
from collections.abc import Sequence

from relax_lint.patterns import pattern
from relax_lint.shell.launch import Word, entry_name

_PYTHON = pattern(r"python[0-9.]*\Z")
_NEAR = pattern(
    r"(?:\A|/)(?:\w*relax\w*|entrypoints?)/|(?:\A|/)train\w*\.py\Z|\Arelax\.|\Arelax\\?entrypoints?\\?train\w*\.py\Z"
)
_TAKE_A_VALUE = frozenset({"-X", "-W", "--check-hash-based-pycs"})
_SHELLS = frozenset({"bash", "sh", "dash", "zsh", "ksh"})
_COMMAND_STRING = pattern(r"-[a-z]*c\Z")
_SETTING = pattern(r"\w+=")
_SPAWNERS = frozenset({"torchrun", "accelerate", "deepspeed"})


def is_python(word: Word) -> bool:
    """Whether a word runs Python."""
    return _PYTHON.match(os.path.basename(word.text)) is not None


def is_shell(word: Word) -> bool:
    """Whether a word runs a shell, or has this one run a file."""
    return os.path.basename(word.text) in _SHELLS or word.text in ("source", ".")


def torn_command(argv: Sequence[Word]) -> int | None:
    """The word that a shell takes for all of a command, ``-c python3 train.py``, which is only its program."""
    if not is_shell(argv[0]):
        return None
    at = next((at for at, word in enumerate(argv) if _COMMAND_STRING.match(word.text)), len(argv)) + 1
    return at if at + 1 < len(argv) and is_python(argv[at]) else None


def as_command(word: Word) -> list[Word]:
    """The words of a command that is one word, without the variables that are set for it."""
    words = [Word(text) for text in word.text.split()]
    return words[next((at for at, each in enumerate(words) if not _SETTING.match(each.text)), 0) :]


def is_command(word: Word) -> bool:
    """Whether a word that is to be a program is all of a command that may have been meant to start Relax."""
    words = as_command(word) if len(word.text.split()) > 1 else []
    return bool(words) and is_python(words[0]) and near_entry(words) is not None


def near_entry(argv: Sequence[Word]) -> int | None:
    """The word of a command that names what runs, if that looks as if it were to be Relax's entry point. Where the
    command is no Python, that is its program, or what it is given first."""
    if is_command(argv[0]):
        return 0
    at = _program(argv)
    return at if at is not None and _NEAR.search(entry_name(argv[at])) else None


def _program(argv: Sequence[Word]) -> int | None:
    texts = [word.text for word in argv]
    if texts[0] == "ray":
        first = texts.index("--") + 1 if "--" in texts else len(texts)
        found = _program(argv[first:]) if first < len(texts) else None
        return None if found is None else first + found
    if os.path.basename(texts[0]) in _SPAWNERS:
        return next((at for at, text in enumerate(texts) if text.endswith(".py")), None)
    torn = torn_command(argv)
    if torn is not None:
        found = _program(argv[torn:])
        return None if found is None else torn + found
    if not is_python(argv[0]):
        return 0 if _NEAR.search(texts[0]) or len(texts) == 1 else 1
    at = 1
    while at < len(texts) and texts[at].startswith("-"):
        if texts[at] == "-m":
            return at + 1 if at + 1 < len(texts) else None
        if entry_name(argv[at]) != texts[at]:
            return at
        if texts[at] in ("-", "-c", "--"):
            return None
        at += 2 if texts[at] in _TAKE_A_VALUE else 1
    return at if at < len(texts) else None
