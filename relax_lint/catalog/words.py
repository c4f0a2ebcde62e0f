"""The words of a launch, each flag with those behind it: what a parser took of them and what nobody did."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from typing import TYPE_CHECKING

from relax_lint.catalog.argparse_model import NegativeNumber
from relax_lint.invisible import invisible_in, visible
from relax_lint.records import record

if TYPE_CHECKING:
    from relax_lint.catalog.flags import Catalogue, Flag
    from relax_lint.catalog.namespace import Namespace, Parsers
    from relax_lint.shell.launch import Word

_HYPHENS = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_WITH_ANOTHER_HYPHEN = re.compile(rf"(?=-?[{_HYPHENS}])[-{_HYPHENS}]{{1,2}}[A-Za-z][\w-]*(?:=.*)?", re.DOTALL)
_FLAG_IN_TEXT = re.compile(r"(?P<flag>--[A-Za-z][\w-]*)(?:=\S*)?\s")


@record
class Group:
    """A flag as it is written, and the words behind it up to the next flag.

    ``word`` is ``None`` for those in front of the first flag. ``name`` is what is known of the flag's name. ``flags``
    are those that it names, in full or, where ``abbreviated``, by a beginning that a parser takes. ``strays`` are the
    words that are nobody's value, up to the first one that may be a flag itself.
    """

    at: int
    word: Word | None
    name: str
    flags: tuple[Flag, ...]
    abbreviated: bool
    strays: tuple[Word, ...]


def groups_in(namespace: Namespace) -> list[Group]:
    """The flags of a launch in order, a bare ``--`` last: what stands behind it is nobody's."""
    words = namespace.words
    flags: set[int] = set()
    taken: set[int] = set()
    for parsed in namespace.parsed.values():
        flags.update(parsed.flags)
        for match in parsed.matches:
            if not match.inline:
                taken.update(range(match.at + 1, match.at + 1 + len(match.values)))
    catalogue = namespace.parsers.catalogue
    flags.update(at for at, word in enumerate(words) if at not in taken and _is_meant_as_flag(catalogue, word.text))
    return list(_groups(namespace.parsers, words, _up_to_the_end(words, sorted(flags)), taken))


def _up_to_the_end(words: Sequence[Word], flags: list[int]) -> list[int]:
    ends = (number for number, at in enumerate(flags, start=1) if words[at].text == "--")
    return flags[: next(ends, len(flags))]


def _groups(parsers: Parsers, words: Sequence[Word], starts: Sequence[int], taken: Container[int]) -> Iterator[Group]:
    for at, end in zip((-1, *starts), (*starts, len(words)), strict=True):
        strays = tuple(_strays(words, range(at + 1, end), taken))
        if at < 0:
            if strays:
                yield Group(at, None, "", (), False, strays)
            continue
        name = known_name(words[at])
        flags, abbreviated = parsers.named(name)
        yield Group(at, words[at], name, flags, abbreviated, () if words[at].text == "--" else strays)


def _strays(words: Sequence[Word], positions: range, taken: Container[int]) -> Iterator[Word]:
    for at in positions:
        word = words[at]
        if word.unknowns and word.text.startswith(word.unknowns[0].text):
            return
        if at not in taken and (not word.open or flag_in_text(word) is not None):
            yield word
        if word.open:
            return


def known_name(word: Word) -> str:
    """A flag's name as far as it is known: up to ``=``, or to the first part that is not known."""
    head = word.text.partition(word.unknowns[0].text)[0] if word.unknowns else word.text
    return head.partition("=")[0]


def is_whole_name(word: Word) -> bool:
    """Whether all of a flag's name is known."""
    return word.known or "=" in word.text.partition(word.unknowns[0].text)[0]


def with_dashes(catalogue: Catalogue, text: str) -> str | None:
    """The flag that a word names whose dashes are missing, or are other characters than argparse's."""
    plain = "--" + text.partition("=")[0].lstrip(_HYPHENS + "-").replace("_", "-").lower()
    return plain if catalogue.flag(plain) else None


def _is_meant_as_flag(catalogue: Catalogue, text: str) -> bool:
    if text.startswith("-"):
        return False
    if invisible_in(text) is not None:
        return bool(catalogue.flags(visible(text).split("=")[0].strip()))
    return has_other_hyphens(text) or with_dashes(catalogue, text) is not None


def has_other_hyphens(text: str) -> bool:
    """Whether a word is a flag but for its dashes, which are what word processors make of a hyphen."""
    return text[:1] in _HYPHENS + "-" and _WITH_ANOTHER_HYPHEN.fullmatch(text) is not None


def flag_in_text(word: Word) -> str | None:
    """The flag that a word of several begins with, which quotes make a value of any other flag."""
    found = _FLAG_IN_TEXT.match(word.text)
    return None if found is None else found["flag"]


def is_number(text: str) -> bool:
    """Whether a word that begins with a dash is a number that argparse takes for a flag: ``-1e-6``."""
    if NegativeNumber.match(text) or not text.startswith("-"):
        return False
    try:
        float(text)
    except ValueError:
        return False
    return True
