"""Entry to the evaluator: a script and what is known of its world in, its launches out."""

from __future__ import annotations

import copy
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from relax_lint import looks
from relax_lint.diagnostics import Place
from relax_lint.records import node
from relax_lint.shell.bounds import TooComplex
from relax_lint.shell.calls import Frame, run_exit_traps, run_lines
from relax_lint.shell.courses import Course, Rejoined
from relax_lint.shell.interpret import Shell
from relax_lint.shell.launch import Launch
from relax_lint.shell.memory import Memory
from relax_lint.shell.nodes import SimpleCommand
from relax_lint.shell.recorder import Recorder
from relax_lint.shell.state import State, UnknownArguments
from relax_lint.shell.values import REMOVED, Sym, Value, Variable, known
from relax_lint.sources.script import EvaluatedText, ScriptFile
from relax_lint.sources.text import SourceFile

MAXIMUM_FILE = 4_000_000
_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*shellcheck[ \t]+(.*)")


ReadScript = Callable[[Path], "ScriptFile | None"]


def read_script(path: Path) -> ScriptFile | None:
    """A script from disk; None when there is none, or it is out of bounds."""
    looks.content(str(path))
    try:
        if not path.is_file() or path.stat().st_size > MAXIMUM_FILE:
            return None
        return ScriptFile(path, path.read_bytes())
    except OSError:
        return None


class Reading:
    """What is known of the world a script runs in.

    ``clean``: exactly what happens; ``env`` is the whole environment, ``args`` the arguments, ``cwd`` the directory.
    Otherwise, what can happen: variables and arguments not given may be anything; a variable given as None is certainly
    unset, and ``args`` of None are unknown. ``root`` is the repository's root. ``only_trainings``: what
    starts no training is not recorded. ``trainings_succeed``: only what happens when no training fails.
    """

    def __init__(
        self,
        clean: bool = False,
        env: Mapping[str, str | None] | None = None,
        args: tuple[str, ...] | None = None,
        cwd: Path | None = None,
        root: Path | None = None,
        name: str | None = None,
        read: ReadScript = read_script,
        memory: Memory | None = None,
        only_trainings: bool = False,
        trainings_succeed: bool = False,
    ) -> None:
        self.clean = clean
        self.env = env or {}
        self.args = args
        self.cwd = cwd
        self.root = root or Path.cwd()
        self.name = name
        self.read = read
        self.memory = memory or Memory()
        self.only_trainings = only_trainings
        self.trainings_succeed = trainings_succeed
        self._texts: dict[tuple[str, Place], EvaluatedText] = {}

    def script(self, path: Path) -> ScriptFile | None:
        """A file that a script reads or runs."""
        return self.read(path)

    def find_source(
        self, shell: Shell, node: SimpleCommand, word: Value, state: State
    ) -> tuple[str, ScriptFile | None]:  # fmt: skip
        """The file that ``source`` names, and how it names it."""
        value = state.resolve(word)
        spelled = value.likely
        if spelled is not None:
            found = self._source_at(shell, spelled, state)
            if found is not None or self.clean:
                return spelled, found
        shown = value.shown
        guess = self._model_config(value)
        if guess is None:
            guess = self._directive(shell, node)
        if guess is not None:
            found = self.script(guess)
            if found is not None:
                return str(guess), found
        return spelled or shown, None

    def _source_at(self, shell: Shell, spelled: str, state: State) -> ScriptFile | None:
        path = shell.resolve_path(spelled, state)
        return self.script(Path(path)) if path is not None else None

    def _model_config(self, value: Value) -> Path | None:
        """``${MODEL_CONFIG_DIR}/x.sh`` is in ``scripts/models/`` of the checkout, whatever the entrypoint."""
        chunks = value.chunks
        first = chunks[0]
        if not isinstance(first, Sym) or first.root.variable != "MODEL_CONFIG_DIR":
            return None
        rest = Value(chunks[1:]).likely if len(chunks) > 1 else None
        return self.root / "scripts" / "models" / rest.lstrip("/") if rest else None

    def _directive(self, shell: Shell, node: SimpleCommand) -> Path | None:
        """``# shellcheck source=path`` on the line above."""
        source = shell.source
        line = source.position(node.start)[0]
        while line > 1:
            line -= 1
            match = _DIRECTIVE.match(source.line_text(line))
            if match is None:
                return None
            named = re.search(r"(?:^|\s)source=(\S+)", match.group(1))
            if named:
                path = Path(named.group(1).strip("'\""))
                for base in (source.path.parent, self.root):
                    if named.group(1) != "/dev/null" and self.script(base / path) is not None:
                        return Path(os.path.normpath(base / path))
                return None
        return None

    def is_entrypoint(self, source: ScriptFile) -> bool:
        """Whether a file is one of Relax's entrypoints, which set up the machine and leave the launch alone."""
        return not self.clean and source.path.parent == self.root / "scripts" / "entrypoint"

    def evaluated(self, text: str, origin: Place, source: SourceFile) -> EvaluatedText:
        """A string to evaluate, the same object for the same string at the same place."""
        key = (text, origin)
        found = self._texts.get(key)
        if found is None:
            found = self._texts[key] = EvaluatedText(text, origin)
        return found

    def initial_variables(self) -> dict[str, Variable]:
        """What every bash sets at its start."""
        variables = {
            "IFS": Variable(known(" \t\n")),
            "OPTIND": Variable(known("1")),
            "OPTERR": Variable(known("1")),
            "PS4": Variable(known("+ ")),
        }
        exported = frozenset("x")
        for name, text in self.env.items():
            if name != "IFS":
                variables[name] = REMOVED if text is None else Variable(known(text), None, exported)
        return variables


@node
class Evaluation:
    """What a script launches, and what could not be told."""

    launches: list[Launch]
    too_complex: Place | None
    problems: list[tuple[Place, str]]
    exits: list[tuple[Place, int | None]]
    unresolved_sources: list[Place]
    sourced: list[ScriptFile]
    near_launches: list[Launch]
    """Commands that start no training and look as if they were to start Relax."""
    not_followed: list[SimpleCommand]
    """The commands that run programs of which nothing is known but their names."""


def evaluate(script: Path | ScriptFile, reading: Reading, course: Course | None = None) -> Evaluation:
    """Everything a script can launch. Raises ``FileNotFoundError`` when it cannot be read."""
    course = course or Course()
    source = script if isinstance(script, ScriptFile) else reading.script(Path(os.path.abspath(script)))
    if source is None:
        raise FileNotFoundError(str(script))
    recorder = Recorder(source.path, reading.memory, course)
    shell = Shell(reading, recorder)
    state = State()
    state.frames[0] = reading.initial_variables()
    cwd = reading.cwd or (Path.cwd() if reading.clean else reading.root)
    state.cwd = str(cwd)
    state.frames[0]["PWD"] = Variable(known(state.cwd), None, frozenset("x"))
    if reading.args is not None or reading.clean:
        state.arguments = tuple(known(text) for text in reading.args or ())
    else:
        state.arguments = UnknownArguments()
    course.arguments, course.given = state.arguments, frozenset(reading.env)
    name = reading.name or str(source.path)
    shell.name_of_script = name
    shell.source = source
    recorder.files.append(source)
    try:
        frame = Frame("main", source, name, 0)
        shell.within(frame, lambda: run_exit_traps(shell, run_lines(shell, source, state)))
    except (TooComplex, MemoryError):
        at = shell.latest
        stopped = Place(shell.latest_source or source, at.start, at.end) if at is not None else Place(source, 0, 0)
        recorder.too_complex(stopped)
    except RecursionError:
        recorder.too_complex(Place(source, 0, 0))
    except Rejoined as rejoined:
        return copy.copy(rejoined.outcome)
    outcome = Evaluation(
        recorder.launches(), recorder.complex_at, recorder.problems, recorder.exits, recorder.unresolved_sources,
        [each for each in recorder.files if each is not source], list(recorder.near.values()),
        list(recorder.not_followed),
    )  # fmt: skip
    return course.ended(shell, outcome)
