"""Path patterns as .gitignore writes them; excludes and per-file ignores use the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple


class _Pattern(NamedTuple):
    expression: str
    keeps: bool


class Patterns:
    """The patterns of one file or option; paths are given relative to where they apply, with ``/``."""

    def __init__(self, lines: Iterable[str]) -> None:
        patterns = [pattern for pattern in map(_parse, lines) if pattern is not None]
        self._any = _either(patterns)
        # Only a list that takes something back needs to know which pattern came last.
        self._each = [(re.compile(item.expression), item) for item in patterns if any(p.keeps for p in patterns)]

    def __bool__(self) -> bool:
        return self._any is not None

    def match(self, path: str, is_dir: bool) -> bool | None:
        """Whether a path itself is meant (``True``), taken back by ``!`` (``False``), or not spoken of (``None``)."""
        subject = f"{path}/" if is_dir else path
        if self._any is None or not self._any.fullmatch(subject):
            return None
        for expression, pattern in reversed(self._each):
            if expression.fullmatch(subject):
                return not pattern.keeps
        return True

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


def _either(patterns: Sequence[_Pattern]) -> re.Pattern[str] | None:
    return re.compile("|".join(f"(?:{pattern.expression})" for pattern in patterns)) if patterns else None


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
    anchored = "/" in body
    expression = _translate(body.lstrip("/"))
    if not anchored:
        expression = f"(?:.*/)?{expression}"
    return _Pattern(f"(?s:{expression}{'/' if directories_only else '/?'})", keeps)


def _translate(pattern: str) -> str:
    """A regular expression for a glob: ``*`` and ``?`` stay within a name, ``**`` spans directories."""
    out: list[str] = []
    at = 0
    while at < len(pattern):
        if pattern.startswith("**/", at) and (at == 0 or pattern[at - 1] == "/"):
            out.append("(?:[^/]+/)*")
            at += 3
        elif pattern[at:] == "**" and (at == 0 or pattern[at - 1] == "/"):
            out.append(".+")
            at += 2
        elif pattern[at] == "*":
            alone = pattern[at - 1 : at] in ("", "/") and pattern[at + 1 : at + 2] in ("", "/")
            out.append("[^/]+" if alone else "[^/]*")
            at += 1
        elif pattern[at] == "?":
            out.append("[^/]")
            at += 1
        elif pattern[at] == "[" and (end := _class_end(pattern, at)) > 0:
            out.append(_character_class(pattern[at + 1 : end]))
            at = end + 1
        elif pattern[at] == "\\" and at + 1 < len(pattern):
            out.append(re.escape(pattern[at + 1]))
            at += 2
        else:
            out.append(re.escape(pattern[at]))
            at += 1
    return "".join(out)


def _class_end(pattern: str, start: int) -> int:
    """The index of the bracket that closes a class; -1 when none does."""
    first = start + 1
    if pattern[first : first + 1] in ("!", "^"):
        first += 1
    return pattern.find("]", first + 1)


def _character_class(body: str) -> str:
    negated = body[0] in "!^"
    members = re.sub(r"([\[\\&~|])", r"\\\1", body[1:] if negated else body)
    text = f"(?!/)[{'^' if negated else ''}{members}]"
    try:
        re.compile(text)
    except re.error:
        return re.escape(f"[{body}]")
    return text
