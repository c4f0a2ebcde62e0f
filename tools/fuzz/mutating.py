"""Texts changed at random, token by token: what comes out is mostly still what it was before."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from tools.fuzz.languages import Language

SPECIAL = (
    "\0",
    "\r",
    "\r\n",
    "\ufeff",
    "\udcff",
    "\udc80",
    "\udced\udca0\udc80",
    "\x1b[31m",
    "\x7f",
    "\x0c",
    "\x0b",
    "\x85",
    "\u2028",
    "\u00a0",
    "\u200b",
    "\u202e",
    "é",
    "ａ",
    "\U0001f600",
    "e\u0301",
    "\t",
    "  ",
    "\n\n",
    "\\",
    "\\\n",
    "\\\r\n",
    "\\ \n",
    "0" * 400,
    "9" * 30,
    "-1",
    "1e999",
    "0x",
    "1_000",
    "\u0661",
    "'" * 3,
    '"' * 3,
    "a" * 3000,
    "#",
    "# noqa",
    "# noqa: RLX501",
    "# relax-lint: ignore[RLX501]",
    "# relax-lint: disable=RLX4 -- x",
    "# noqa:RLX202,,",
    "# shellcheck source=x.sh",
)
LONGEST = 6_000
"""Characters; what grows beyond is cut, as a thousand inputs of usual size tell more than one that is large."""

Tokens = list[str]


def mutated(chance: random.Random, language: Language, seed: Sequence[str], other: Sequence[str]) -> str:
    """The text of a seed after a few changes; ``other`` is the seed from which pieces are taken."""
    tokens = list(seed)
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 4, 6, 10))):
        chance.choice(_CHANGES)(chance, language, tokens, other)
    return "".join(tokens)[:LONGEST]


def raw(chance: random.Random, largest: int = 300) -> bytes:
    """Bytes of any kind; now and then few different ones, or text."""
    size = chance.randrange(largest)
    kind = chance.randrange(3)
    if kind == 0:
        return chance.randbytes(size)
    if kind == 1:
        return bytes(chance.choices(chance.randbytes(4), k=size))
    return bytes(chance.choices(range(32, 127), k=size))


def damaged(chance: random.Random, data: bytes) -> bytes:
    """The bytes with a few of them changed, left out or put in twice."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 3, 8, 30))):
        at = chance.randrange(len(changed) + 1)
        kind = chance.randrange(6)
        if kind == 0:
            del changed[at : at + chance.choice((1, 1, 4, 50))]
        elif kind == 1:
            changed[at:at] = chance.randbytes(chance.choice((1, 1, 4, 20)))
        elif kind == 2 and at < len(changed):
            changed[at] ^= 1 << chance.randrange(8)
        elif kind == 3 and at < len(changed):
            changed[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, 0xFE, 0x0D, 0x0A))
        elif kind == 4:
            changed[at:at] = changed[at : at + chance.choice((1, 8, 100))]
        else:
            del changed[at:]
            changed += data[chance.randrange(len(data) + 1) :]
    return bytes(changed[:200_000])


# ---------------------------------------------------------------- changes


def _piece(chance: random.Random, tokens: Sequence[str]) -> tuple[int, int]:
    start = chance.randrange(len(tokens) + 1)
    return start, min(len(tokens), start + chance.choice((1, 1, 1, 2, 3, 5, 10, 40)))


def _leave_out(chance: random.Random, language: Language, tokens: Tokens, other: Sequence[str]) -> None:
    start, end = _piece(chance, tokens)
    del tokens[start:end]


def _repeat(chance: random.Random, language: Language, tokens: Tokens, other: Sequence[str]) -> None:
    start, end = _piece(chance, tokens)
    tokens[end:end] = tokens[start:end] * chance.choice((1, 1, 1, 2, 5, 30))


def _move(chance: random.Random, language: Language, tokens: Tokens, other: Sequence[str]) -> None:
    start, end = _piece(chance, tokens)
    taken = tokens[start:end]
    del tokens[start:end]
    at = chance.randrange(len(tokens) + 1)
    tokens[at:at] = taken


def _put_word(chance: random.Random, language: Language, tokens: Tokens, other: Sequence[str]) -> None:
    at = chance.randrange(len(tokens) + 1)
    tokens.insert(at, chance.choice(language.words))


def _replace(chance: random.Random, language: Language, tokens: Tokens, other: Sequence[str]) -> None:
    if tokens:
        tokens[chance.randrange(len(tokens))] = chance.choice(language.words)


def _splice(chance: random.Random, language: Language, tokens: Tokens, other: Sequence[str]) -> None:
    start, end = _piece(chance, tokens)
    from_, to = _piece(chance, other)
    tokens[start:end] = other[from_:to]


def _swap_same(chance: random.Random, language: Language, tokens: Tokens, other: Sequence[str]) -> None:
    """A token for one of the other text of the same kind: a word for a word, a sign for a sign."""
    if not tokens or not other:
        return
    at = chance.randrange(len(tokens))
    for _ in range(8):
        found = chance.choice(other)
        if found[:1].isalnum() == tokens[at][:1].isalnum() and found.isspace() == tokens[at].isspace():
            tokens[at] = found
            return


def _put_around(chance: random.Random, language: Language, tokens: Tokens, other: Sequence[str]) -> None:
    start, end = _piece(chance, tokens)
    before, behind = chance.choice(language.around)
    depth = chance.choice((1, 1, 1, 1, 2, 3, 40))
    tokens.insert(end, behind * depth)
    tokens.insert(start, before * depth)


def _put_special(chance: random.Random, language: Language, tokens: Tokens, other: Sequence[str]) -> None:
    tokens.insert(chance.randrange(len(tokens) + 1), chance.choice(SPECIAL))


def _cut_token(chance: random.Random, language: Language, tokens: Tokens, other: Sequence[str]) -> None:
    """A token with a sign of it left out, doubled or changed."""
    if not tokens:
        return
    at = chance.randrange(len(tokens))
    token = tokens[at]
    where = chance.randrange(len(token)) if token else 0
    tokens[at] = (
        token[:where]
        + chance.choice(("", token[where : where + 1] * 2, chr(chance.randrange(32, 127))))
        + token[where + 1 :]
    )


def _write(chance: random.Random, language: Language, tokens: Tokens, other: Sequence[str]) -> None:
    """Something from the grammar, in the place of a piece or between two."""
    start, end = _piece(chance, tokens)
    tokens[start : chance.choice((start, end))] = [language.write(chance, chance.choice(language.parts))]


def _end_here(chance: random.Random, language: Language, tokens: Tokens, other: Sequence[str]) -> None:
    del tokens[chance.randrange(len(tokens) + 1) :]


_CHANGES: tuple[Callable[[random.Random, Language, Tokens, Sequence[str]], None], ...] = (
    _leave_out,
    _leave_out,
    _repeat,
    _move,
    _put_word,
    _put_word,
    _replace,
    _replace,
    _splice,
    _splice,
    _swap_same,
    _swap_same,
    _put_around,
    _put_special,
    _cut_token,
    _write,
    _write,
    _end_here,
)
