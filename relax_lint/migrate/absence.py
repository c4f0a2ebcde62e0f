"""What counts for a verl run and that nobody can know beforehand: it is told, as the launcher of Relax lacks it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from relax_lint.migrate.launcher_header import OF_A_JOB
from relax_lint.migrate.overrides import passed_over
from relax_lint.migrate.repetition import named
from relax_lint.migrate.ways import GIVEN_BY_THE_SYSTEM, rescues, retries

if TYPE_CHECKING:
    from relax_lint.shell.launch import Launch, Word
    from relax_lint.sources.launcher import LauncherSource

_ARGUMENTS = frozenset("@*")
_CONTINUED = "\\\n"
_SETS_UP_PROGRAMS = re.compile(r"activate|rc|\.?(?:bash_)?profile|conda\.sh|(?:set_?env|set_?vars)\w*\.sh")
"""The names of files that are sourced for what they do to programs."""
_SOURCED = re.compile(r"(?:source|\.)\s+[\"']?(?P<path>[^\s;&|]*[^\s;&|\"'])")
_ARRAY = re.compile(r"^#(?:SBATCH\s+(?:--array|-a)|PBS\s+-[Jt])[\s=].*$", re.MULTILINE)


def told_of_absence(launches: Sequence[Launch], script: LauncherSource) -> Iterator[str]:
    """What a script gives its launches, or launches, that the launcher has nothing of."""
    yield from _words(launches)
    yield from _files(launches, script)
    yield from _tasks(script)
    yield from _rescues(script)
    for line, head in map(named, retries(script)):
        yield (
            f"the loop at line {line}, `{head}`, trains again where a training has failed: here the run ends, and you "
            "start it again"
        )


def forwards(launch: Launch) -> bool:
    """Whether a launch is given the script's arguments."""
    return any(map(_is_forwarded, launch.argv))


def _is_forwarded(word: Word) -> bool:
    return any(unknown.text.lstrip('"${')[:1] in _ARGUMENTS for unknown in word.unknowns if unknown.text)


def words_of_bash(launches: Sequence[Launch]) -> list[Word]:
    """The words that launches give Hydra and that only bash knows, without what the launcher passes on, too."""
    words = (word for launch in launches for word in passed_over(launch) if not _is_forwarded(word))
    return list({word.text: word for word in words}.values())


def _words(launches: Sequence[Launch]) -> Iterator[str]:
    words = words_of_bash(launches)
    if not words:
        return
    names = dict.fromkeys(unknown.variable for word in words for unknown in word.unknowns if unknown.variable)
    given = [name for name in names if name.isidentifier()]
    shown = [f"`{' '.join(word.text.replace(_CONTINUED, ' ').split())}`" for word in words]
    by_variable = "".join(f" --env {name}=…" for name in given)
    again = f" (`relax-lint migrate{by_variable}` takes them over)" if given else ""
    yield (
        f"{', '.join(shown)} may be any words of Hydra, which the launcher has nothing of: "
        f"add the flags of Relax that they stand for{again}"
    )


def _rescues(script: LauncherSource) -> Iterator[str]:
    lines = dict.fromkeys(str(launch.site.source.position(launch.site.start)[0]) for launch in rescues(script))
    if lines:
        yield (
            f"what line {', '.join(lines)} trains when a training has failed is left out: start it yourself where it "
            "is needed"
        )


def _files(launches: Sequence[Launch], script: LauncherSource) -> Iterator[str]:
    """Files that could not be read and may set what is open in launches."""
    words = [argument.word for launch in launches for argument in launch.arguments]
    found = (unknown.variable for word in words for unknown in word.unknowns)
    names = (name for name in found if name is not None and name.isidentifier())
    unset = dict.fromkeys(name for name in names if name not in GIVEN_BY_THE_SYSTEM and not OF_A_JOB.fullmatch(name))
    defaulted = dict.fromkeys(name for word in words for span in word.spans for name in span.origins)
    counts = [f"{', '.join(defaulted)} {_count('counts', defaulted)} with the default"] if defaulted else []
    counts += [f"{', '.join(unset)} {_count('counts', unset)} as not set"] if unset else []
    for place in script.evaluation.unresolved_sources if counts else ():
        sourced = _SOURCED.match(place.source.text, place.start, place.end)
        if sourced is None or _SETS_UP_PROGRAMS.search(sourced["path"].rpartition("/")[2]):
            continue
        yield (
            f"{sourced['path']}, which is sourced at line {place.source.position(place.start)[0]}, was not there to be "
            f"read, so that {' and '.join(counts)}: run `relax-lint migrate` where the file is, or give it what the "
            "file sets by --env"
        )


def _count(verb: str, of: Mapping[str, None]) -> str:
    return verb if len(of) == 1 else verb.removesuffix("s")


def _tasks(script: LauncherSource) -> Iterator[str]:
    """A job that runs the script several times."""
    if array := _ARRAY.search(script.text):
        yield (
            f"a job runs the script for each task of an array (`{' '.join(array[0].split())}`): start the launcher for "
            "each, with the variables of that task"
        )
