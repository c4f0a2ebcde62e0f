"""What to tell of a word that is no flag of this Relax."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from itertools import islice, takewhile
from typing import TYPE_CHECKING

from relax_lint.catalog.flags import MOST_SUGGESTIONS, Catalogue
from relax_lint.catalog.verl_flags import otherwise_in_relax, same_in_relax
from relax_lint.catalog.words import with_dashes

if TYPE_CHECKING:
    from relax_lint.project import Project

_NEGATION = re.compile(r"\b(?:no|disable|not|without)\b")
_SHORTEST = len("--kl")
_LEAST = 0.88
_AS_NEAR = 0.03
"""By how much less alike a second candidate may be and still be one."""


def relax_of(catalogue: Catalogue) -> str:
    """The Relax that a catalogue describes, as messages name it."""
    version = catalogue.versions["relax"]
    return f"Relax {version}" if version[:1].isdigit() else f"the Relax of {version}"


def may_be_known(project: Project, name: str) -> str | None:
    """Why a word that is no flag of the catalogue may be one of the project's Relax all the same."""
    if project.unread_flags is not None:
        return f"{project.unread_flags.name} of the Relax checkout cannot be read"
    if project.catalogue.may_know(name):
        return f"{relax_of(project.catalogue)} registers flags whose names cannot be told"
    return None


def where_else(catalogue: Catalogue, name: str) -> str | None:
    """Why a flag that others know is none here, or what is said in its place."""
    if catalogue.left_out(name):
        return "the server has it, and Relax does not pass it on"
    earlier = catalogue.earlier(name)
    return otherwise_in_relax(name) if earlier is None else f"{earlier} had it"


def meant(catalogue: Catalogue, name: str, extra: Iterable[str] = ()) -> list[str]:
    """The flags that a word which names none may be meant to be, the likeliest first."""
    spelled = with_dashes(catalogue, name)
    if spelled is not None:
        return [spelled]
    of_verl = same_in_relax(name)
    if of_verl is not None and catalogue.flag(of_verl) is not None:
        return [of_verl]
    begun = dict.fromkeys(flag.name for word in completions(catalogue, name) if (flag := catalogue.flag(word)))
    if begun:
        return list(begun) if len(begun) <= MOST_SUGGESTIONS else []
    near = catalogue.near(name)
    reordered = [word for word in near if _parts(word) == _parts(name)]
    if reordered:
        return reordered
    from difflib import SequenceMatcher, get_close_matches

    found = [*get_close_matches(name, list(extra), n=1, cutoff=_LEAST), *near]
    likeness = {word: SequenceMatcher(None, name.lower(), word).ratio() for word in found}
    best = max(likeness.values(), default=0.0)
    alike = [
        word
        for word, ratio in likeness.items()
        if ratio >= max(best - _AS_NEAR, _LEAST) and not _says_the_opposite(name, word)
    ]
    return sorted(alike, key=lambda word: -likeness[word])


def holding(catalogue: Catalogue, name: str) -> list[str]:
    """The flags whose names end with a word that is none, as ``--sglang-tp-size`` does with ``--tp-size``; the shortest
    first. To look at, not to be put in its place."""
    found = (
        [word for word in catalogue.words if word.endswith(f"-{name.lstrip('-')}")] if len(name) >= _SHORTEST else []
    )
    return sorted(found, key=lambda word: (len(word), word))[:MOST_SUGGESTIONS]


def completions(catalogue: Catalogue, name: str) -> list[str]:
    """The flags that begin with a word which is long enough to mean one, sorted."""
    if len(name) < _SHORTEST:
        return []
    words = catalogue.words
    begun = takewhile(lambda word: word.startswith(name), islice(words, bisect_left(words, name), None))
    return list(begun)


def _parts(name: str) -> list[str]:
    return sorted(name.strip("-").split("-"))


def _says_the_opposite(name: str, other: str) -> bool:
    return _NEGATION.findall(name) != _NEGATION.findall(other)
