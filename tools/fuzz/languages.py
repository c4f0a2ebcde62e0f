"""What the texts of a front end are made of: how they are cut into tokens, and what can be put into them."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

GRAMMARS = Path(__file__).parent / "grammars"
DEEPEST = 5
_HOLE = re.compile("«(\\w+)»")


class Language:
    """A language of ``grammars/``, where a name heads each list and an entry is a line: ``␣`` stands for a blank at its
    ends, ``⏎`` for the end of a line, ``«name»`` for any entry of that list, ``…`` for what goes between.

    The ``tokens`` are put in anywhere, ``around`` are pairs that are put around a piece; all other lists are the
    grammar, a text of which is a ``start``. ``reads`` tells quickly whether a text may be one of the language.
    """

    def __init__(self, name: str, token: re.Pattern[str], reads: Callable[[str], bool] = lambda text: True) -> None:
        self._token = token
        self.reads = reads
        lists = _lists(GRAMMARS / f"{name}.txt")
        self.words = [_plain(word) for line in lists.pop("tokens") for word in line.split()]
        self.around = [
            (before, behind) for before, _, behind in (_plain(one).partition("…") for one in lists.pop("around"))
        ]
        self.parts = list(lists)
        self._forms = {
            part: sorted((_HOLE.split(_plain(form)) for form in forms), key=len) for part, forms in lists.items()
        }
        """Each form cut into texts and, at odd places, names of parts; those without parts first."""

    def tokens(self, text: str) -> list[str]:
        """The text in pieces; nothing is left out."""
        return self._token.findall(text)

    def write(self, chance: random.Random, part: str = "start", depth: int = 0) -> str:
        """A text from the grammar."""
        forms = self._forms[part]
        if depth < DEEPEST:
            form = chance.choice(forms)
        else:
            form = chance.choice([one for one in forms if len(one) == len(forms[0])])
            if depth >= 3 * DEEPEST:
                return "".join(form[::2])
        return "".join(self.write(chance, piece, depth + 1) if at % 2 else piece for at, piece in enumerate(form))


def _lists(path: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            found[list(found)[-1]].append(line[2:])
        else:
            found[line] = []
    return found


def _plain(text: str) -> str:
    return text.replace("␣", " ").replace("⏎", "\n")
