"""Launches for people: what runs, when, and where each flag comes from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from shlex import quote

from relax_lint.report import shown_path
from relax_lint.report.conditions import short
from relax_lint.shell.launch import Argument, Launch, Word

_WIDEST = 60


def render(shown: Iterable[tuple[Path, list[Launch]]]) -> str:
    """A block for each launch."""
    blocks = [block for path, launches in shown for block in _blocks(path, launches)]
    return "\n".join(blocks)


def _blocks(path: Path, launches: list[Launch]) -> Iterator[str]:
    if not launches:
        yield f"{shown_path(path)}: launches nothing\n"
    for launch in launches:
        yield "".join(f"{line}\n" for line in _lines(launch))


def _lines(launch: Launch) -> Iterator[str]:
    site = launch.site
    kind = "" if launch.kind == "other" else f" {launch.kind}"
    yield f"{shown_path(site.source.path)}:{site.source.position(site.start)[0]}:{kind} launch"
    for condition in launch.conditions:
        yield f"  when {short(condition)}"
    arguments = list(launch.arguments)
    words = {id(word) for argument in arguments for word in (argument.word, *argument.values)}
    command = [word for word in launch.argv if id(word) not in words]
    yield f"  {' '.join(_shown(word) for word in command)}"
    rows = [(_flag(argument), _place(argument)) for argument in arguments]
    width = min(_WIDEST, max((len(flag) for flag, _ in rows), default=0))
    for flag, place in rows:
        yield f"    {flag:<{width}}  {place}".rstrip()


def _flag(argument: Argument) -> str:
    if argument.inline:
        return _shown(argument.word)
    return " ".join([argument.flag, *(_shown(word) for word in argument.values)])


def _shown(word: Word) -> str:
    """A word as one would type it; what is not known stands as it is written in the script."""
    return quote(word.text) if word.known else word.text


def _place(argument: Argument) -> str:
    place = argument.word.place
    if place is None:
        return ""
    return f"{shown_path(place.source.path)}:{place.source.position(place.start)[0]}"
