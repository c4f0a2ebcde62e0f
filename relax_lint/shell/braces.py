"""Brace expansion: the words that ``a{b,c}`` and ``{1..5}`` stand for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from relax_lint.shell.bounds import MAXIMUM_LOOKED_AT, MAXIMUM_WORDS, TooComplex
from relax_lint.shell.patterns import Piece

_SEQUENCE = re.compile(
    r"(?P<first>[-+]?[0-9]+)\.\.(?P<last>[-+]?[0-9]+)(?:\.\.(?P<step>[-+]?[0-9]+))?"
    r"|(?P<from>[A-Za-z])\.\.(?P<to>[A-Za-z])(?:\.\.(?P<stride>[-+]?[0-9]+))?"
)
_LONGEST_SEQUENCE = 100_000

_Atoms = list[Piece]
"""An unquoted character, or a quoted piece, each."""


def expand_braces(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """All words that one word stands for, in order; the word itself when nothing in it expands.

    Quoted pieces are moved about whole, so a caller can stand them in for expansions.
    """
    atoms: _Atoms = []
    for text, quoted in pieces:
        if quoted:
            atoms.append((text, True))
        else:
            atoms += [(char, False) for char in text]
    if atoms.count(("{", False)) * len(atoms) > MAXIMUM_LOOKED_AT:
        raise TooComplex
    return [_joined(word) for word in _expand(atoms)]


def _joined(atoms: _Atoms) -> list[Piece]:
    pieces: list[Piece] = []
    for text, quoted in atoms:
        if pieces and not quoted and not pieces[-1][1]:
            pieces[-1] = (pieces[-1][0] + text, False)
        else:
            pieces.append((text, quoted))
    return pieces


def _expand(atoms: _Atoms) -> list[_Atoms]:
    opening = _open(atoms, 0)
    while opening is not None and _close(atoms, opening + 1) is None:
        opening = _open(atoms, opening + 1)
    if opening is None:
        return [atoms]
    closing = _close(atoms, opening + 1)
    assert closing is not None
    inside = atoms[opening + 1 : closing]
    if (",", False) in inside:
        middles = [word for choice in _choices(inside) for word in _expand(choice)]
    else:
        middles = _sequence(inside) or [atoms[opening : closing + 1]]
    before, behind = atoms[:opening], atoms[closing + 1 :]
    tails = _expand(behind) if behind else [[]]
    if len(middles) * len(tails) > MAXIMUM_WORDS:
        raise TooComplex
    return [before + middle + tail for middle in middles for tail in tails]


def _open(atoms: _Atoms, at: int) -> int | None:
    """The first opening brace from ``at``; bash passes over ``{}`` at a word's start."""
    for index in range(at, len(atoms)):
        if atoms[index] == ("{", False) and not (index == 0 and atoms[1:2] in ([("}", False)], [])):
            return index
    return None


def _close(atoms: _Atoms, at: int) -> int | None:
    """The brace that closes the one before ``at``, if there is something to expand between them."""
    depth, worth = 0, False
    for index in range(at, len(atoms)):
        text, quoted = atoms[index]
        if quoted:
            continue
        if text == "}" and not depth and worth:
            return index
        if text == "{":
            depth += 1
        elif text == "}":
            depth -= bool(depth)
        elif depth == 0:
            dots = atoms[index : index + 2] == [(".", False)] * 2 and atoms[index + 2 : index + 3] != [("}", False)]
            worth = worth or text == "," or dots
    return None


def _choices(atoms: _Atoms) -> list[_Atoms]:
    choices: list[_Atoms] = [[]]
    depth = 0
    for atom in atoms:
        if atom == (",", False) and depth == 0:
            choices.append([])
            continue
        if atom == ("{", False):
            depth += 1
        elif atom == ("}", False):
            depth -= bool(depth)
        choices[-1].append(atom)
    return choices


def _sequence(atoms: _Atoms) -> list[_Atoms] | None:
    if any(quoted for _, quoted in atoms):
        return None
    found = _SEQUENCE.fullmatch("".join(text for text, _ in atoms))
    if found is None:
        return None
    if found["from"]:
        steps = _range(ord(found["from"]), ord(found["to"]), found["stride"])
        return [[(chr(code), not chr(code).isalpha())] for code in steps]
    first, last = found["first"], found["last"]
    padded = any(re.match(r"-?0[0-9]", end) for end in (first, last))
    width = max(len(first), len(last)) if padded else 0
    steps = _range(int(first), int(last), found["step"])
    return [[(char, False) for char in f"{number:0{width}d}"] for number in steps]


def _range(first: int, last: int, step: str | None) -> Sequence[int]:
    size = abs(int(step or "1")) or 1
    values = range(first, last + 1, size) if first <= last else range(first, last - 1, -size)
    return values if len(values) <= _LONGEST_SEQUENCE else ()
