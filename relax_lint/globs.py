"""Path patterns as .gitignore writes them; excludes and per-file ignores use the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache, partial

from relax_lint.records import record

_SPECIAL = re.compile(r"[*?[\\]")
_FEW_STARS = 3

_NAME, _REST, _DIRECTORIES, _ABOVE = "[^/]*", ".*", "(?:[^/]+/)*", "(?:.*/)?"
"""What parts of a pattern match more than a character: of a name, of a path, and all of some directories."""

_Matcher = Callable[[str, int], bool]
"""Tells whether a pattern means all of a text from an index on."""


@record
class _Pattern:
    """``anywhere`` is whether only the last name of a path counts."""

    body: str
    keeps: bool
    anywhere: bool
    directories_only: bool

    @property
    def expression(self) -> str:
        """A regular expression for what it matches: the whole path, or its last name."""
        return f"(?s:{''.join(self.parts)})"

    @property
    def parts(self) -> list[str]:
        """The expression in its parts, as :func:`_parts` has them."""
        anchored = self.anywhere or "/" in self.body
        within = [] if anchored else [_ABOVE]
        return [*within, *_parts(self.body.lstrip("/")), "/" if self.directories_only else "/?"]

    @property
    def wanders(self) -> bool:
        """Whether it has more stars than a regular expression tries the places of in bounded time."""
        return self.body.count("*") > _FEW_STARS

    @property
    def ends(self) -> tuple[str, ...]:
        """What a name ends in that it matches, where that is all there is to it."""
        return (f"{self.body}/",) if self.directories_only else (self.body, f"{self.body}/")


class Patterns:
    """The patterns of one file or option; paths are given relative to where they apply, with ``/``."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._patterns = [pattern for pattern in map(_parse, lines) if pattern is not None]
        names: set[str] = set()
        suffixes: list[str] = []
        others: list[_Pattern] = []
        # Most are names or endings; these need no regular expression, which takes long to compile.
        for pattern in self._patterns:
            if not pattern.anywhere or _SPECIAL.search(pattern.body, 1):
                others.append(pattern)
            elif pattern.body[0] == "*":
                suffixes += (ending[1:] for ending in pattern.ends)
            elif pattern.body[0] in "?[\\":
                others.append(pattern)
            else:
                names.update(pattern.ends)
        self._names = frozenset(names)
        self._suffixes = tuple(suffixes)
        usual = [pattern for pattern in others if not pattern.wanders]
        self._named = _either(pattern for pattern in usual if pattern.anywhere)
        self._placed = _either(pattern for pattern in usual if not pattern.anywhere)
        self._wandering = [(_matcher(pattern), pattern.anywhere) for pattern in others if pattern.wanders]

    def __bool__(self) -> bool:
        return bool(self._patterns)

    @cached_property
    def _last_first(self) -> list[tuple[_Matcher, _Pattern]]:
        """Each pattern, where one takes something back: only then one needs to know which came last."""
        if not any(pattern.keeps for pattern in self._patterns):
            return []
        return [(_matcher(pattern), pattern) for pattern in reversed(self._patterns)]

    def match(self, path: str, is_dir: bool) -> bool | None:
        """Whether a path itself is meant (``True``), taken back by ``!`` (``False``), or not spoken of (``None``)."""
        subject = f"{path}/" if is_dir else path
        start = path.rfind("/") + 1
        if not self._matches(subject, start):
            return None
        for matcher, pattern in self._last_first:
            if matcher(subject, start if pattern.anywhere else 0):
                return not pattern.keeps
        return True

    def _matches(self, subject: str, start: int) -> bool:
        return (
            subject[start:] in self._names
            or subject.endswith(self._suffixes)
            or (self._named is not None and self._named.fullmatch(subject, start) is not None)
            or (self._placed is not None and self._placed.fullmatch(subject) is not None)
            or any(matcher(subject, start if anywhere else 0) for matcher, anywhere in self._wandering)
        )

    def covers(self, path: str) -> bool:
        """Whether a file is meant, itself or by one of the directories that it is in."""
        parts = path.split("/")
        for count in range(1, len(parts)):
            if self.match("/".join(parts[:count]), True):
                return True
        return bool(self.match(path, False))


@lru_cache(maxsize=256)
def single(pattern: str) -> Patterns:
    """The one pattern, read once."""
    return Patterns((pattern,))


def _either(patterns: Iterable[_Pattern]) -> re.Pattern[str] | None:
    expressions = [f"(?:{pattern.expression})" for pattern in patterns]
    return re.compile("|".join(expressions)) if expressions else None


def _parse(line: str) -> _Pattern | None:
    text = line.rstrip("\r\n")
    stripped = text.rstrip(" ")
    if stripped.endswith("\\"):
        stripped = text[: len(stripped) + 1]  # an escaped blank at the end counts
    if not stripped or stripped.startswith("#"):
        return None
    keeps = stripped.startswith("!")
    body = stripped.removeprefix("!").removeprefix("./")
    directories_only = body.endswith("/")
    body = body.rstrip("/")
    if not body:
        return None
    return _Pattern(body, keeps, "/" not in body and "**" not in body, directories_only)


def _matcher(pattern: _Pattern) -> _Matcher:
    """What tells whether the pattern means all of a text from an index on."""
    if pattern.wanders:
        return partial(_steps, pattern.parts)
    expression = re.compile(pattern.expression)
    return lambda text, start: expression.fullmatch(text, start) is not None


def _steps(parts: Iterable[str], text: str, start: int) -> bool:
    """Whether the parts match all of a text from an index on, in time linear in both: for each part, the indexes up to
    which the text is matched by then. A regular expression tries them one combination after the other."""
    reached = [start]
    for part in parts:
        reached = _further(part, text, reached)
        if not reached:
            return False
    return reached[-1] == len(text)


def _further(part: str, text: str, reached: list[int]) -> list[int]:
    """The indexes in their order up to which a part can match that begins at one of the given ones."""
    if part == _REST:
        return list(range(reached[0], len(text) + 1))
    if part in (_DIRECTORIES, _ABOVE):
        # Both begin where a name does; only the latter takes directories without a name.
        slashes = (at for at in range(reached[0] + 1, len(text) + 1) if text[at - 1] == "/")
        ends = [at for at in slashes if part == _ABOVE or text[at - 2 : at - 1] != "/"]
        return sorted({*reached, *ends})
    if part == _NAME:
        found: list[int] = []
        for begun, following in zip(reached, [*reached[1:], len(text) + 1], strict=True):
            end = text.find("/", begun)
            found += range(begun, min(following, (len(text) if end < 0 else end) + 1))
        return found
    if part == "/?":
        return sorted({*reached, *(at + 1 for at in reached if text.startswith("/", at))})
    one = re.compile(part, re.DOTALL)
    return [at + 1 for at in reached if one.match(text, at)]


def _parts(pattern: str) -> list[str]:
    """Regular expressions, one after the other, for a glob: ``*`` and ``?`` stay within a name, ``**`` spans
    directories. Each is one of a character, of :data:`_NAME`, :data:`_REST` and :data:`_DIRECTORIES`."""
    out: list[str] = []
    at = 0
    while at < len(pattern):
        if pattern.startswith("**/", at) and (at == 0 or pattern[at - 1] == "/"):
            out.append(_DIRECTORIES)
            at += 3
        elif pattern[at:] == "**" and (at == 0 or pattern[at - 1] == "/"):
            out += [".", _REST]
            at += 2
        elif pattern[at] == "*":
            if pattern[at - 1 : at] in ("", "/") and pattern[at + 1 : at + 2] in ("", "/"):
                out.append("[^/]")
            out.append(_NAME)
            at += 1
        elif pattern[at] == "?":
            out.append("[^/]")
            at += 1
        elif pattern[at] == "[" and (end := _class_end(pattern, at)) > 0:
            out += _character_class(pattern[at + 1 : end])
            at = end + 1
        elif pattern[at] == "\\" and at + 1 < len(pattern):
            out.append(re.escape(pattern[at + 1]))
            at += 2
        else:
            out.append(re.escape(pattern[at]))
            at += 1
    return out


def _class_end(pattern: str, start: int) -> int:
    """The index of the bracket that closes a class; -1 when none does."""
    first = start + 1
    if pattern[first : first + 1] in ("!", "^"):
        first += 1
    return pattern.find("]", first + 1)


_MEMBER = re.compile("(.)(?:-(.))?", re.DOTALL)
"""One of a class: a character, or a range of them."""


def _member(char: str) -> str:
    return f"\\{char}" if char in "\\[]^-&~|" else char


def _character_class(body: str) -> list[str]:
    """A class of characters; what is none stands for itself."""
    negated = body[0] in "!^"
    members = _MEMBER.sub(lambda found: "-".join(map(_member, filter(None, found.groups()))), body[negated:])
    text = f"(?!/)[{'^' if negated else ''}{members}]"
    try:
        re.compile(text)
    except re.error:
        return [re.escape(each) for each in f"[{body}]"]
    return [text]
