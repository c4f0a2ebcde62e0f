"""Every word is also expanded by real bash, which has the last word."""

from __future__ import annotations

import random
import re

from relax_lint.shell.braces import expand_braces
from relax_lint.shell.patterns import Piece
from tests.shell.real_bash import outputs

WORDS = """
a{b,c}d {a,b}{1,2} {a,{b,c}} {a} {} {a,} {,a} x{} {}x {}{a,b} {{a,b}} {{a,b},c} a{b a}b {a,b a,b} {a,b}} {{a,b}
{1..5} {5..1} {1..10..3} {10..1..3} {1..3..-1} {1..3..0} {01..10} {1..010} {-01..1} {-2..2} {a..e} {e..a}
{a..i..2} {A..C} {a..3} {1..a} {1..} {..3} {1...3} {a..} {1..2}{a,b} x{1..2}y {1..{2,3}} {a,b..c} {1..3,5}
{a,"b,c"} {"a,b"} {'1'..3} \\{a,b} {a\\,b} {a,b\\} "{a,b}" {a,b}"{c,d}" {"a",'b_c',} {a,b}{} {a,b}{
pre{x,y}post{1..2} {a,b,c}{,,} {{1..3},{a..c}} {a,{b},c} {+1..3} {1..+3} {00..3} {-5..-1..2} {0x1..3} {1.2..3}
{é,ü} --{lr,wd}=1 /a/{b,c/{d,e}}/f {a..c}{1..3} {a,b}c} {a,{b,c} a,{b,c} {"",x} {x,""}y {a..e..-2} {9..11}
{1..3}..{4..5} {..} {,} {,,} a{,}b {a}{b,c} {a}{b} {abc..def} {1..1} {a..a} {-0..2} {1..-0} {{}} {{},a} {a,{}}
{a,{},b} }{a,b}
"""


def pieces_of(word: str) -> list[Piece]:
    pieces: list[Piece] = []
    for found in re.finditer(r'"([^"]*)"|\'([^\']*)\'|\\(.)|([^"\'\\]+)', word):
        quoted = next((group for group in found.groups()[:3] if group is not None), None)
        pieces.append((found[4], False) if quoted is None else (quoted, True))
    return pieces


def check(words: list[str]) -> None:
    snippets = [f"set -f; printf '<%s>' {word}" for word in words]
    for word, expected in zip(words, outputs(snippets), strict=True):
        expanded = ["".join(text for text, _ in pieces) for pieces in expand_braces(pieces_of(word)) if pieces]
        assert "".join(f"<{text}>" for text in expanded or [""]) == expected, word


def test_words() -> None:
    check(WORDS.split())


def test_generated_words() -> None:
    chance = random.Random(7)
    alphabet = ["{", "}", "{", "}", ",", ",", "a", "b", "1", "..", "2", '"x}"', "\\,", "\\{"]
    check(["w" + "".join(chance.choices(alphabet, k=chance.randint(3, 14))) for _ in range(2000)])


def test_quoted_pieces_stay_whole() -> None:
    assert expand_braces([("{", False), ("$A", True), (",b}", False), ("c,d", True)]) == [
        [("$A", True), ("c,d", True)],
        [("b", False), ("c,d", True)],
    ]
