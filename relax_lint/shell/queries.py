"""Questions about a launch that several rules ask."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from relax_lint.diagnostics import Place
from relax_lint.patterns import pattern
from relax_lint.shell.launch import Argument, Launch, Word
from relax_lint.shell.nodes import SimpleCommand
from relax_lint.shell.walk import command_at
from relax_lint.sources.script import ScriptFile

if TYPE_CHECKING:
    from relax_lint.project import Project
    from relax_lint.shell.evaluate import Evaluation
    from relax_lint.sources.launcher import LauncherSource

_SETS_UP = pattern(r"MODEL_CONFIG_DIR|/models/|entrypoint")

Way = Literal["sync", "async"]
"""The two modes that the guide's launchers have."""


class NotKnown(Exception):
    """A value that is not known statically, with the word that hides it and where it stands."""

    def __init__(self, because: str, place: Place) -> None:
        super().__init__(because)
        self.because = because
        self.place = place


def start_of(launch: Launch) -> Place:
    """Where a launch is written in its script: the command itself, or what calls it when a function from a sourced file
    runs it."""
    if launch.site.source.path == launch.script:
        return launch.site
    for word in launch.argv:
        place = word.place
        if place is not None and place.source.path == launch.script and isinstance(place.source, ScriptFile):
            command = command_at(place.source, place.start)
            return place if command is None else Place(place.source, command.start, command.end)
    return launch.site


def way_of(launch: Launch) -> Way:
    """The mode of the guide's two that a launch starts."""
    return "async" if launch.mode in ("async", "hybrid") else "sync"


def written_command(launch: Launch) -> tuple[ScriptFile, SimpleCommand] | None:
    """The command of a launch as its script spells it, for edits; ``None`` when it stands in a string that is run."""
    place = start_of(launch)
    source = place.source
    if not isinstance(source, ScriptFile):
        return None
    command = launch.command if place == launch.site else command_at(source, place.start)
    if command is None or (command.start, command.end) != (place.start, place.end):
        return None
    return source, command


def place_of(launch: Launch, word: Word | None) -> Place:
    """Where a word is written; the launch itself when it was computed."""
    return start_of(launch) if word is None or word.place is None else word.place


def why_unknown(word: Word) -> str:
    """The part of a word that is not known, or by default only, as it is written."""
    if word.unknowns:
        return word.unknowns[0].text
    origins = [origin for span in word.spans for origin in span.origins]
    return f"${{{origins[0]}}}" if origins else word.text


def open_word(launch: Launch, *flags: str) -> str:
    """The first word that is not known and could be, or hold, one of some flags."""
    for flag in flags:
        word = None if launch.has(flag) else launch.hiding(flag)
        if word is not None:
            return why_unknown(word)
    return "an unknown word"


def is_broken_off(launch: Launch) -> bool:
    """Whether a broken continuation keeps flags from this launch: then nothing can be said of what is absent."""
    return cut_off_at(launch) is not None


def cut_off_at(launch: Launch) -> Place | None:
    """Where a broken continuation ends a launch before its end."""
    from relax_lint.shell.continuations import cut_at

    place = start_of(launch)
    return cut_at(place.source, place.start) if isinstance(place.source, ScriptFile) else None


def why_not_whole(launcher: LauncherSource) -> str | None:
    """Why bash would not come to the end of a launcher, or of a file that it sources: then nothing can be said of what
    the launcher does as a whole."""
    if launcher.has_crlf_ends:
        return "CRLF line ends"
    broken = next((each for each in (launcher, *launcher.evaluation.sourced) if each.script.problems), None)
    return None if broken is None else f"{broken.path.name} cannot be read to its end"


def unread_sources(evaluation: Evaluation) -> Iterator[Place]:
    """Where files are sourced that are not there and might set anything: not the models' and the entry points'."""
    for place in evaluation.unresolved_sources:
        if not _SETS_UP.search(place.source.text, place.start, place.end):
            yield place


def is_own(project: Project, launch: Launch, place: Place) -> bool:
    """Whether a place is in a file that belongs to this launcher: itself, its recipe, or its own directory."""
    path = place.source.path
    recipe = project.recipe_of(launch.script)
    if recipe is not None:
        return recipe.directory in path.parents
    return path == launch.script


def is_part_of_another(launcher: LauncherSource, project: Project) -> bool:
    """Whether another launcher of the recipe sources this file, and so decides for it."""
    recipe, path = project.recipe_of(launcher.path), launcher.path
    if recipe is None:
        return False

    def answer() -> bool:
        return any(other.path != path and other.sources(path) for other in recipe.launchers)

    return project.once_firmly(("part of another", path), answer)


def program(word: Word) -> str:
    """The name of the program that a word runs, without its directory."""
    parts = [part for part in word.text.split("/") if part not in ("", ".")]
    return parts[-1] if parts else ""


def other_launches(launch: Launch, project: Project, argument: Argument) -> Iterator[Launch]:
    """The other launches of the script to which the same written flag goes."""
    script = project.launcher(launch.script)
    for other in script.launches if script is not None else ():
        if other is not launch and any(given.word.place == argument.word.place for given in other.all(argument.flag)):
            yield other


def launches_fed_from(place: Place, launch: Launch, project: Project) -> Iterator[Launch]:
    """The launches, but for one, of whatever script, that a word which is written in one place goes to."""
    source = place.source.path
    for path in dict.fromkeys((launch.script, *project.reach.scripts)):
        if path in (launch.script, source) or project.reach.may_reach(path, (source,)):
            script = project.launcher(path)
            for other in script.launches if script is not None else ():
                if other is not launch and any(is_written_at(word, place) for word in other.argv):
                    yield other


def is_written_at(word: Word, at: Place) -> bool:
    """Whether a word is the one that is written in a place, be the file read for another launcher."""
    place = word.place
    return place is not None and place[1:] == at[1:] and place.source.path == at.source.path
