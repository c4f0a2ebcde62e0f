"""Commands that were to start Relax and start nothing: a path or a module that is not there, no Python in front, a
shell instead of it, a command in quotes."""

from __future__ import annotations

import os.path
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint import looks
from relax_lint.diagnostics import Edit, Fix
from relax_lint.fixers.entry_words import by_path, module_words, renamed
from relax_lint.invisible import invisible_in, visible
from relax_lint.records import record
from relax_lint.shell.launch import Launch, Word, classify, entry_name
from relax_lint.shell.near_entries import as_command, is_command, is_python, is_shell, near_entry, torn_command
from relax_lint.shell.queries import program
from relax_lint.slips import is_slip

if TYPE_CHECKING:
    from relax_lint.project import Project
    from relax_lint.sources.launcher import LauncherSource

ENTRY = "relax/entrypoints/train.py"
MODULE = "relax.entrypoints.train"
_LIKE_ENOUGH = 0.85
_FIRST_LIKE_ENOUGH = 0.8
_QUOTES = frozenset("'\"\\")
_PROGRAMS = ("python3", "python")
_SCRATCH = frozenset({"/", "/tmp", "/var/tmp", "/dev/shm"})
_OTHER_PROGRAMS = frozenset({"ipython", "ipython3", "bpython", "pythonw", "cpython"})
_OF_TRAINING = frozenset(
    {
        *("--advantage-estimator", "--rollout-batch-size", "--custom-rm-path", "--rm-type", "--num-rollout"),
        *("--colocate", "--fully-async", "--resource", "--prompt-data", "--n-samples-per-prompt", "--loss-type"),
        *("--custom-generate-function-path", "--rollout-max-response-len", "--max-staleness"),
    }
)
"""Flags that no tool of Relax takes but what trains."""


@record
class Slip:
    """A command that starts nothing, the word that is wrong in it, what is wrong, and what to write."""

    launch: Launch
    word: Word
    message: str
    fix: Fix | None


def entry_slips(launcher: LauncherSource, project: Project) -> Iterator[Slip]:
    """The commands of a launcher that were to start Relax and do not."""
    for launch in launcher.launches:
        if launch.kind == "relax":
            yield from _astray(launch, project)
            yield from _named_otherwise(launch)
    for launch in launcher.evaluation.near_launches:
        at = near_entry(launch.argv)
        if at is None:
            continue
        torn = torn_command(launch.argv)
        if torn is not None:
            yield from _torn(launch, torn)
        elif is_command(launch.argv[0]):
            yield from _in_one_word(launch)
        elif is_python(launch.argv[0]) or at > 1:
            yield from _misspelt(launch, at, launcher, project)
        elif at == 0:
            yield from _without_python(launch, project)
        else:
            yield from _misspelt_python(launch)


def _astray(launch: Launch, project: Project) -> Iterator[Slip]:
    """The right path, in a directory from which it leads nowhere: one of the repository's, or one for scratch."""
    word = launch.argv[launch.entry]
    if launch.directory is None or not word.known or not word.text.endswith(ENTRY) or word.text.startswith("/"):
        return
    if any(program(other) == "ray" for other in launch.argv[: launch.entry]):
        return
    directory, at = Path(launch.directory), _below(launch, word.text, project)
    entry = project.root / ENTRY
    if project.root in directory.parents and project.is_dir(directory):
        way = os.path.relpath(entry, directory)
        if project.root in at.parents and at != entry and not project.exists(at):
            shown = directory.relative_to(project.root).as_posix()
            message = f"the launch is in {shown}, where there is no {word.text}: write {way}"
            yield Slip(launch, word, message, _written(renamed(word, word.text, way), way, None))
    elif launch.directory in _SCRATCH and directory not in project.root.parents and at != entry:
        message = f"the launch is in {directory}, where there is no {word.text}: change to Relax's directory first"
        yield Slip(launch, word, message, None)


def names_no_module(launch: Launch) -> bool:
    """Whether Python is given the name of Relax's module where it looks for a file."""
    argv, at = launch.argv, launch.entry
    return argv[at].text == MODULE and module_words(argv, at) is None and any(map(is_python, argv[:at]))


def _named_otherwise(launch: Launch) -> Iterator[Slip]:
    """A module's name where Python looks for a file."""
    word = launch.argv[launch.entry]
    if names_no_module(launch):
        message = f"python3 {MODULE} is the name of a module, and no file is called that: write python3 {ENTRY}"
        yield Slip(launch, word, message, _written(renamed(word, MODULE, ENTRY), ENTRY, None))


def _torn(launch: Launch, at: int) -> Iterator[Slip]:
    """``bash -c python3 FILE``: the shell runs Python alone."""
    shell = program(launch.argv[0])
    option, python = launch.argv[at - 1].text, launch.argv[at].text
    message = (
        f"{shell} {option} takes one word for the command, {python}, which is then run alone: write {python} itself"
    )
    fix = _without(launch.argv[0], launch.argv[at], f"{launch.argv[0].text} -c")
    yield Slip(launch, launch.argv[0], message, fix)


def _in_one_word(launch: Launch) -> Iterator[Slip]:
    """A whole command in quotes, which bash takes for the name of a program."""
    word = launch.argv[0]
    if invisible_in(word.text) is not None:
        yield _with_invisible(launch, word)
        return
    shown = _spelt(word)
    start = " ".join(each.text for each in as_command(word)[:2])
    if len(shown) > len(start):
        shown = f"{start} …"
    ways = "an array, or eval" if _QUOTES.intersection(word.text) else "no quotes"
    message = f"{shown} in quotes is one word, the name of a program that nobody has: write it with {ways}"
    yield Slip(launch, word, message, None)


def _with_invisible(launch: Launch, word: Word) -> Slip:
    """The right words, with a character in them that nobody sees."""
    right = visible(word.text)
    message = f"{right} does not start Relax: it holds a {invisible_in(word.text)}, which nobody sees"
    return Slip(launch, word, message, _written(renamed(word, word.text, right), right, None))


def _without(first: Word, after: Word, dropped: str) -> Fix | None:
    """Takes away what stands from one word up to another, if it is no more than that."""
    if first.place is None or after.place is None:
        return None
    written = first.place.source.text[first.place.start : first.place.end]
    if f"{written} {_between(first, after)}".strip() != dropped:
        return None
    edit = Edit(first.place.source.path, first.place.start, after.place.start, "")
    return Fix(f"drop {dropped}", lambda: [edit])


def _between(first: Word, after: Word) -> str | None:
    """What is written between two words, blanks and continued lines aside; ``None`` where they stand apart."""
    if first.place is None or after.place is None or first.place.source is not after.place.source:
        return None
    between = first.place.source.text[first.place.end : after.place.start]
    return " ".join(between.replace("\\\n", " ").split()) if first.place.end < after.place.start else None


def _without_python(launch: Launch, project: Project) -> Iterator[Slip]:
    """The path itself as a program, which it is if it may be executed."""
    word = launch.argv[0]
    if classify((word, word)) == "relax" and not looks.executable(str(_below(launch, word.text, project))):
        message = f"{word.text} is run as a program, which it is not: write python3 {word.text}"
        place = word.place
        edits = [] if place is None else [Edit(place.source.path, place.start, place.start, "python3 ")]
        yield Slip(launch, word, message, Fix("start it with python3", lambda: edits) if edits else None)


def _misspelt_python(launch: Launch) -> Iterator[Slip]:
    """The right path behind a program that nobody has, or a shell."""
    word = launch.argv[0]
    if classify(launch.argv[:2]) != "relax" or not word.known or word.text in _OTHER_PROGRAMS:
        return
    if is_shell(word):
        message = f"{word.text} takes {launch.argv[1].text} for a script of the shell, which it is not: write python3"
        fix = (
            _written(renamed(word, word.text, "python3"), "python3", None)
            if _between(word, launch.argv[1]) == ""
            else None
        )
        yield Slip(launch, word, message, fix)
        return
    if visible(word.text) in _PROGRAMS and invisible_in(word.text) is not None:
        yield _with_invisible(launch, word)
    elif any(is_slip(word.text, meant) for meant in _PROGRAMS):
        message = f"there is no program {word.text}: write python3"
        yield Slip(launch, word, message, _written(renamed(word, word.text, "python3"), "python3", None))


def _misspelt(launch: Launch, at: int, launcher: LauncherSource, project: Project) -> Iterator[Slip]:
    """A path or a module that is nearly Relax's entry point, or below Relax, and is not there."""
    word = launch.argv[at]
    text = entry_name(word)
    is_path = _is_path(text)
    words = module_words(launch.argv, at)
    as_module = words if is_path else None
    if invisible_in(text) is not None and classify((word, Word(visible(text).partition(" ")[0]))) == "relax":
        yield _with_invisible(launch, word)
        return
    if as_module is None and _may_be_there(text, word, launch, project):
        return
    behind = launch.argv[at + 1] if at + 1 < len(launch.argv) else Word("")
    if classify((word, Word(text + behind.text))) == "relax":
        message = f"a blank tears {text + behind.text} in two: python3 {text} starts nothing"
        yield Slip(launch, word, message, _joined(word, behind))
        return
    tail = "/".join(text.split("/")[-3:]) if is_path else text
    meant = ENTRY if is_path else MODULE
    is_entry = as_module is not None and tail in (ENTRY, f"{MODULE}.py")
    is_near = _is_near(tail, meant)
    is_below = "relax/" in f"{text}/" if is_path else text.startswith("relax.")
    is_in_reach = word.known and launch.directory is not None and not text.startswith("/")
    if not is_entry and not (_trains(launch, at, project) and (is_near or is_below or is_in_reach)):
        if not is_near or _launches_otherwise(launcher, project):
            return
    if "\\" in _spelt(word):
        message = f"{_spelt(word)} has backslashes, which separate nothing: write python3 {ENTRY}"
        edit = renamed(word, _spelt(word), ENTRY) if is_near else None
        yield Slip(launch, word, message, _written(edit, ENTRY, None))
        return
    start = text if words is None else f"-m {text}"
    message = f"python3 {start} does not start Relax: write python3 {ENTRY}"
    reason = None if is_entry or is_slip(tail, meant) else "another program may be meant"
    wrong = tail if is_near else text
    edit = renamed(word, wrong, meant) if as_module is None else by_path(*as_module, wrong, meant)
    yield Slip(launch, word, message, _written(edit, meant, reason))


def _joined(word: Word, behind: Word) -> Fix | None:
    """Takes away the blank between two words."""
    if word.place is None or behind.place is None or _between(word, behind) != "":
        return None
    edit = Edit(word.place.source.path, word.place.end, behind.place.start, "")
    return Fix("take the blank away", lambda: [edit])


def _spelt(word: Word) -> str:
    return word.text if word.place is None else word.place.source.text[word.place.start : word.place.end]


def _may_be_there(text: str, word: Word, launch: Launch, project: Project) -> bool:
    """Whether there is such a program, or one where nobody can look."""
    if not _is_path(text):
        directory = project.root / text.replace(".", "/")
        return project.module(text) is not None or project.exists(directory / "__main__.py")
    if not word.known:
        return False
    at = _below(launch, text, project)
    if project.is_dir(at):
        return project.exists(at / "__main__.py")
    return project.exists(at) if project.root in at.parents else not _is_near("/".join(at.parts[-3:]), ENTRY)


def _is_path(text: str) -> bool:
    return "/" in text or text.endswith(".py")


def _below(launch: Launch, text: str, project: Project) -> Path:
    """Where a path leads from the directory of a launch, which is the repository's if nothing else is known."""
    return Path(os.path.normpath(Path(launch.directory or project.root) / text))


def _is_near(tail: str, meant: str) -> bool:
    """Whether a name is nearly another one, its first part too."""
    separator = "/" if "/" in meant else "."
    parts, wanted = tail.split(separator), meant.split(separator)
    if len(parts) == len(wanted) and _likeness(parts[0], wanted[0]) < _FIRST_LIKE_ENOUGH:
        return False
    return _likeness(tail, meant) >= _LIKE_ENOUGH


def _likeness(name: str, meant: str) -> float:
    from difflib import SequenceMatcher

    return SequenceMatcher(None, name.lower(), meant, autojunk=False).ratio()


def _trains(launch: Launch, at: int, project: Project) -> bool:
    """Whether flags of Relax's training follow."""
    flags = {word.text.partition("=")[0] for word in launch.argv[at + 1 :]}
    return any(project.catalogue.flag(flag) is not None for flag in flags & _OF_TRAINING)


def _launches_otherwise(launcher: LauncherSource, project: Project) -> bool:
    """Whether the launcher, or another one of its recipe, launches a training as it should."""
    recipe = project.recipe_of(launcher.path)
    return bool(launcher.launches or (recipe is not None and recipe.launches))


def _written(edit: Edit | None, right: str, reason: str | None) -> Fix | None:
    return None if edit is None else Fix(f"write {right}", lambda: [edit], safe=reason is None, reason=reason)
