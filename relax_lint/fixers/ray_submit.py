"""What a launch says to ``ray job submit``, and what would be lost with it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relax_lint.attached import attached
from relax_lint.catalog.relax_defaults import ENTRYPOINT_VARIABLES
from relax_lint.diagnostics import Place
from relax_lint.records import record
from relax_lint.shell.launch import Argument, Launch, Word
from relax_lint.shell.nodes import CommandSubstitution, ProcessSubstitution
from relax_lint.shell.queries import program, written_command
from relax_lint.shell.walk import nodes_of
from relax_lint.sources.script import ScriptFile

if TYPE_CHECKING:
    from relax_lint.project import Project
    from relax_lint.sources.text import SourceFile

RUNTIME_ENV = "--runtime-env-json"
RAY_ADDRESS = "RAY_ADDRESS"

_DEFAULT_ADDRESS = "http://127.0.0.1:8265"
_HOST = re.compile(r"(?:\w+://)?(?P<host>\[[0-9a-fA-F:]+\]|[^:/]+)(?::\d+)?/?")
_THIS_MACHINE = re.compile(r"localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]")
_VARIABLE = re.compile(r"(?P<quote>\"?)\$(?:(?P<name>\w+)|\{(?P<braced>\w+)\})(?P=quote)")
_HARMLESS_OPTIONS = ("--address", RUNTIME_ENV, "--working-dir", "--verbose", "-v", "--log-style", "--log-color")
_SWITCHES = ("--verbose", "-v", "--no-wait")
_OF_RELAX = {
    "RAY_NO_WAIT": re.compile(r"\$\{RAY_NO_WAIT:?\+--no-wait\}"),
    "WORKING_DIR": re.compile(r"\$\{WORKING_DIR:?\+--working-dir[ =]\"?\$\{?WORKING_DIR\}?\"?\}"),
}
"""What Relax's own launchers let a variable add, which the guide takes out."""
_WITHOUT = {
    "RAY_NO_WAIT": "RAY_NO_WAIT=1 has no effect any more: end the command that starts the launcher with &",
    "WORKING_DIR": "WORKING_DIR has no effect any more: the run is in the directory that the launcher is in",
}
_JOB_ID = "raysubmit"
_HARMLESS_DIRECTORIES = (".", "./", "${PWD}", "$PWD", "$(pwd)")
_VARIABLES, _DIRECTORY = "env_vars", "working_dir"
_A_KEY = re.compile(
    r"[\"'](worker_process_setup_hook|py_modules|pip|conda|uv|container|image_uri|py_executable)[\"']\s*:"
)
"""What a JSON that is not known to its end tells the workers, and no environment variable does."""


@record
class Submission:
    """``ray job submit OPTIONS -- COMMAND``: the options, and the index in the argv of the command's first word.
    ``hidden`` are words in front of it that may be options."""

    options: tuple[Argument, ...]
    command: int
    environment: Word | None
    hidden: tuple[Word, ...] = ()

    @property
    def address(self) -> Word | None:
        """The last ``--address``, else what the script sets for RAY_ADDRESS; Ray's own when it sets that to nothing."""
        given = [option.values[0] for option in self.options if option.flag == "--address" and option.values]
        if given:
            return given[-1]
        return Word(_DEFAULT_ADDRESS) if self.environment == Word("") else self.environment


def submission(launch: Launch) -> Submission | None:
    """How a launch is submitted; ``None`` when it is run directly."""
    words = launch.argv
    if [program(words[0]), *(word.text for word in words[1:3])] != ["ray", "job", "submit"]:
        return None
    command = next((at for at in range(3, launch.entry) if words[at].text == "--"), None)
    end = command
    if command is None:
        found = (
            at for at in range(3, launch.entry + 1) if re.match(r"(?:python[\d.]*|bash|env)\Z", program(words[at]))
        )
        command = end = next(found, None)
        if command is None:
            return None
    else:
        command += 1
    options = words[3:end]
    read = [option for at in range(len(options)) if (option := _option(options, at)) is not None]
    known = {id(word) for option in read for word in (option.word, *option.values)}
    hidden = tuple(word for word in options if id(word) not in known)
    return Submission(tuple(read), command, launch.ray_address, hidden)


@attached
def runtime_environments(launch: Launch) -> list[Argument]:
    """Every ``--runtime-env-json`` that is written for a launch, whoever would read it."""
    words = launch.argv
    options = (_option(words, at) for at, word in enumerate(words) if word.text.startswith(RUNTIME_ENV))
    return [found for found in options if found and found.flag == RUNTIME_ENV and _is_written(found.word)]


def _is_written(word: Word) -> bool:
    """Whether a word is spelt out, and not an unknown one that could happen to be it."""
    return word.place is None or RUNTIME_ENV in word.place.source.text[word.place.start : word.place.end]


def is_this_machine(address: Word) -> bool:
    """Whether a known address is one of the machine itself. ``auto`` is the cluster that it belongs to."""
    if address.known and address.text == "auto":
        return True
    match = _HOST.fullmatch(address.text)
    return address.known and match is not None and bool(_THIS_MACHINE.fullmatch(match.group("host")))


def lost_without_submission(launch: Launch, submitted: Submission, project: Project) -> str | None:
    """Why running a command directly would not be the same to its author; ``None`` when it would."""
    address = submitted.address
    if address is not None and address.defaults:
        return f"{address.defaults[0]} can send this launch to another machine"
    for word in submitted.hidden:
        if not any(form.fullmatch(word.text) for form in _OF_RELAX.values()):
            return f"{word.text} may be an option that a plain command does not have"
    if _is_job_id_wanted(launch, project):
        return "the launcher takes the id of the job from what it prints"
    for option in submitted.options:
        if option.flag not in _HARMLESS_OPTIONS and not option.flag.startswith("$"):
            return f"{option.flag} has an effect that a plain command does not have"
        if option.flag == "--working-dir" and option.value not in _HARMLESS_DIRECTORIES:
            return "the job may run in another directory than the launcher"
    for option in runtime_environments(launch):
        reason = lost_without_environment(launch, option, project)
        if reason is not None:
            return reason
    own = submitted.environment
    if own is not None and "://" in own.text and address_prefix(launch) is None:
        return f"RAY_ADDRESS would still be {own.text}, to which ray.init cannot connect"
    return None


def without_effect(submitted: Submission) -> str:
    """What is to be said of the variables that Relax's own launchers take options of the submission from."""
    named = [name for name, form in _OF_RELAX.items() if any(form.fullmatch(word.text) for word in submitted.hidden)]
    return "; ".join(_WITHOUT[name] for name in named)


def _is_job_id_wanted(launch: Launch, project: Project) -> bool:
    """Whether something reads what the submission prints, or looks for a job's id."""
    site = launch.site
    if isinstance(site.source, ScriptFile):
        taken: list[CommandSubstitution | ProcessSubstitution] = [*nodes_of(site.source, CommandSubstitution)]
        taken += nodes_of(site.source, ProcessSubstitution)
        if any(node.start <= site.start < node.end for node in taken):
            return True
    launcher = project.launcher(launch.script)
    sources = [site.source] if launcher is None else [launcher, *launcher.evaluation.sourced]
    return any(_JOB_ID in source.text and not is_entry_layer(source.path, project) for source in sources)


def address_prefix(launch: Launch) -> Place | None:
    """``RAY_ADDRESS=…`` in front of the command itself, with the blanks behind it."""
    written = written_command(launch)
    if written is None:
        return None
    source, command = written
    found = next((each for each in command.assignments if each.name == RAY_ADDRESS), None)
    if found is None:
        return None
    behind = min(each.start for each in (*command.assignments, *command.words) if each.start > found.start)
    return Place(source, found.start, behind)


def lost_without_environment(launch: Launch, argument: Argument, project: Project) -> str | None:
    """What the workers would miss without a ``--runtime-env-json``, beyond what the entry points give them anyway."""
    if _is_read_by_nobody(launch, argument):
        return None
    if len(argument.values) != 1:
        return "its value is not known"
    given = _given(argument)
    elsewhere = None if given is not None and not any(given.values()) else _elsewhere(launch)
    if elsewhere is not None:
        return f"{elsewhere}, where the workers may have their environment from this alone"
    variable = _variable_of(argument)
    if variable is not None and not _is_set_here(variable, launch, project):
        return None
    if given is None:
        return "what the launcher puts into it would no longer reach the workers"
    extra = [*(set(given.get(_VARIABLES) or ()) - ENTRYPOINT_VARIABLES), *irreplaceable(launch, argument)]
    return f"it also sets {', '.join(sorted(extra))}" if extra else None


def irreplaceable(launch: Launch, argument: Argument) -> list[str]:
    """What a ``--runtime-env-json`` says that no exported variable could say in its place."""
    if _is_read_by_nobody(launch, argument):
        return []
    given = _given(argument)
    if given is None:
        return sorted({found[1] for value in argument.values for found in _A_KEY.finditer(value.text)})
    harmless = {_VARIABLES, *([_DIRECTORY] if given.get(_DIRECTORY) in _HARMLESS_DIRECTORIES else ())}
    return sorted(given.keys() - harmless)


def _given(argument: Argument) -> dict[str, Any] | None:
    """The value as the document that it is."""
    try:
        given = json.loads(argument.value or "")
    except ValueError:
        return None
    return given if isinstance(given, dict) else None


def _is_read_by_nobody(launch: Launch, argument: Argument) -> bool:
    """Whether an option stands behind the program that is started, which does not know it."""
    return any(word is argument.word for word in launch.argv[launch.entry :])


def _elsewhere(launch: Launch) -> str | None:
    """Why the job may run on another machine than the one that exports variables."""
    submitted = submission(launch)
    address = None if submitted is None else submitted.address
    if address is None:
        return None
    if address.defaults:
        return f"{address.defaults[0]} can send this launch to another machine"
    return None if is_this_machine(address) else f"{address.text} may be another machine"


def _variable_of(argument: Argument) -> str | None:
    """The variable that is the whole value, as it is written."""
    place = argument.values[0].place
    if place is None:
        return None
    written = place.source.text[place.start : place.end]
    if argument.inline:
        written = written.partition("=")[2]
    match = _VARIABLE.fullmatch(written)
    return None if match is None else match.group("name") or match.group("braced")


def _is_set_here(name: str, launch: Launch, project: Project) -> bool:
    """Whether the launcher, or what it sources but for the entry points, gives a variable a value."""
    launcher = project.launcher(launch.script)
    if launcher is None:
        return True
    sources = [launcher, *launcher.evaluation.sourced]
    return any(_assigns(source, name) and not is_entry_layer(source.path, project) for source in sources)


@attached
def _assigns(source: SourceFile, name: str) -> bool:
    """Whether a variable is given a value in a file."""
    return re.search(rf"(?<![\w$]){re.escape(name)}\+?=", source.text) is not None


def is_entry_layer(path: Path, project: Project) -> bool:
    """Whether a file is one of the entry points, which may do what launchers leave to them."""
    return project.root / "scripts" / "entrypoint" in path.parents


def _option(words: Sequence[Word], at: int) -> Argument | None:
    """One of some words as an option, with the word behind it unless that is one too; ``None`` when it is none."""
    word = words[at]
    if not word.text.startswith("-") or word.text == "--":
        return None
    flag, equals, text = word.text.partition("=")
    if equals:
        return Argument(flag, (Word(text, word.unknowns, word.place, word.defaults),), word, inline=True)
    if at + 1 < len(words) and not words[at + 1].text.startswith("-") and flag not in _SWITCHES:
        return Argument(flag, (words[at + 1],), word)
    return Argument(flag, (), word)
