"""A launcher cannot be started by hand: it does not set its machine up itself.

## What

A reinforcement-learning launcher of a recipe without the guard of the guide's template: where `RELAX_ENTRYPOINT_MODE`
is not set, no entry point has prepared the machine, and the launcher sources `scripts/entrypoint/local.sh` (any
`local*.sh` will do). Found are launchers that source no entry point and do not ask for the variable, or only to say so,
and those that source one whether it is set or not, or where it is. Any way to ask will do: `if`, `case`, `&&`, a
variable or function in between, a message and an exit. And launchers that source an entry point by a way from their own
directory that does not lead to it, as one copied from `scripts/training` does.

## Why

The entry point sets `MODEL_CONFIG_DIR` and `PYTHONPATH` and starts Ray. Without it a launcher works only for who knows
what to call first. With it, but without the guard, it is left to the entry point to notice that another one, such as
`spmd-multinode.sh`, is at work already; one that does not notice ends the processes of the job that it is part of.

## Source

The guide's launcher template: `local.sh` is sourced when the launcher is not started by an external entry point.

## Example

    set -ex
    source "${MODEL_CONFIG_DIR}/qwen3-8B.sh"
    python3 relax/entrypoints/train.py "${MODEL_ARGS[@]}"

## Fix

Writes the guard above the first use of `MODEL_CONFIG_DIR`, or above the launch; or puts it around what is sourced; or
writes the way to the entry point.
Launchers that start Ray themselves, or are for other machines than GPU ones, are left to their authors.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Edit, Finding, Fix, NotChecked, Place
from relax_lint.fixers.launcher_edits import lines_before
from relax_lint.patterns import pattern
from relax_lint.project import Project
from relax_lint.recipe_kinds import trains
from relax_lint.rules import WARNING, Example, rule
from relax_lint.shell.nodes import AndOr, Assignment, Case, Command, Function, If, Loop, Pipeline, SimpleCommand, Word
from relax_lint.shell.queries import is_part_of_another, start_of, why_not_whole
from relax_lint.shell.walk import command_lists, commands_of, nodes_of
from relax_lint.sources.launcher import LauncherSource
from relax_lint.unused_arrays import own_files

if TYPE_CHECKING:
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.script import ScriptFile

_GUARD = "RELAX_ENTRYPOINT_MODE"
_TEST = f'if [ -z "${{{_GUARD}:-}}" ]; then'
_ENTRYPOINT = pattern(r"entrypoint/|(?<![\w.-])local[\w-]*\.sh")
_LEAVES = pattern(r"(?<![\w-])(?:exit|return|exec)\b")
_SPEAKING = frozenset({"echo", "printf", ":", "true", "false", "[", "test"})
_OWN_DIRECTORY = pattern(r"BASH_SOURCE|\$0|\$\{0")
_HERE = '$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" &>/dev/null && pwd)'
_PREPARES_ITSELF = pattern(r"\bray[ \t]+start\b|(?<![a-z])(?:npu|ascend|hccl|klx|kunlun)", re.IGNORECASE)
_SETS_UP_MODELS = pattern(r"MODEL_CONFIG_DIR|/models/")

_TRAIN = "python3 relax/entrypoints/train.py --lr 1e-6"
_LOCAL = 'source "${SCRIPT_DIR}/../../scripts/entrypoint/local.sh"'
_DIRECTORY = 'SCRIPT_DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"\n'
_MODEL = 'source "${MODEL_CONFIG_DIR}/qwen3-8B.sh"\n'
_IF = f"{_TEST}\n    {_LOCAL}\nfi\n"
_RUN = "examples/demo/run_demo.sh"

_ENTRY = {"scripts/entrypoint/local.sh": "ray start --head\n", "relax/entrypoints/train.py": ""}

VALID: list[Example | str] = [
    Example({_RUN: f"{_DIRECTORY}{_IF}{_MODEL}{_TRAIN}\n", **_ENTRY}),
    Example({_RUN: f"{_DIRECTORY}{_IF.replace('/../..', '/../../..').replace('R}', 'R}/x')}{_TRAIN}\n", **_ENTRY}),
    Example(
        {
            _RUN: 'ROOT="$(cd "$(dirname "$0")/../.." && pwd)"\n'
            f'{_TEST}\n    source "$ROOT/scripts/entrypoint/local.sh"\nfi\n{_TRAIN}\n',
            **_ENTRY,
        }
    ),
    Example(
        {
            _RUN: f'{_TEST}\n    source "$(dirname "$0")/local_mine.sh"\nfi\n{_TRAIN}\n',
            "examples/demo/local_mine.sh": "ray start --head\n",
            **_ENTRY,
        }
    ),
    f"{_DIRECTORY}{_IF}{_MODEL}{_TRAIN}\n",
    f"{_DIRECTORY}if [[ -z $RELAX_ENTRYPOINT_MODE ]]; then . scripts/entrypoint/local-npu.sh; fi\n{_TRAIN}\n",
    f'{_DIRECTORY}[ -n "${{RELAX_ENTRYPOINT_MODE:-}}" ] || {_LOCAL}\n{_TRAIN}\n',
    f'{_DIRECTORY}test -z "$RELAX_ENTRYPOINT_MODE" && {{\n    echo local\n    {_LOCAL}\n}}\n{_TRAIN}\n',
    f'case "${{RELAX_ENTRYPOINT_MODE:-none}}" in\n    none) {_LOCAL} ;;\n    *) echo "by $0" ;;\nesac\n{_TRAIN}\n',
    f'if [ -n "${{RELAX_ENTRYPOINT_MODE+set}}" ]; then\n    echo external\nelse\n    {_LOCAL}\nfi\n{_TRAIN}\n',
    f'started_by="${{RELAX_ENTRYPOINT_MODE:-}}"\nif [ -z "$started_by" ]; then\n    {_LOCAL}\nfi\n{_TRAIN}\n',
    f'is_external() {{ [ -n "${{RELAX_ENTRYPOINT_MODE:-}}" ]; }}\nis_external || {_LOCAL}\n{_TRAIN}\n',
    f'prepare() {{\n    [ -n "$RELAX_ENTRYPOINT_MODE" ] && return 0\n    {_LOCAL}\n}}\nprepare\n{_TRAIN}\n',
    f'prepare() {{ {_LOCAL}; }}\nif [ -z "$RELAX_ENTRYPOINT_MODE" ]; then prepare; fi\n{_TRAIN}\n',
    f'ENTRY="${{SCRIPT_DIR}}/../../scripts/entrypoint/local.sh"\n{_TEST}\n    source "$ENTRY"\nfi\n{_TRAIN}\n',
    f'{_TEST}\n    echo "start it by scripts/entrypoint/ray-job.sh" >&2\n    exit 1\nfi\n{_TRAIN}\n',
    f"{_TRAIN} --loss-type sft\n",
    f"{_TRAIN} --debug-rollout-only\n",
    "python3 -m verl.trainer.main_ppo trainer.nnodes=1\n",
    Example({"scripts/training/text/run-qwen3-4B.sh": f"{_MODEL}{_TRAIN}\n"}),
    Example(
        {
            _RUN: f'source "$(dirname "$0")/setup.sh"\n{_TRAIN}\n',
            "examples/demo/setup.sh": f"{_DIRECTORY}{_IF}{_MODEL}",
        }
    ),
    Example(
        {
            _RUN: f'{_IF}source "$(dirname "$0")/launch.sh"\n',
            "examples/demo/launch.sh": f"{_MODEL}{_TRAIN}\n",
        }
    ),
]

INVALID = [
    Example(
        {_RUN: f"{_DIRECTORY}{_IF.replace('/scripts', '')}{_MODEL}{_TRAIN}\n", **_ENTRY},
        findings=((_RUN, 3, 5),),
        fixed={_RUN: f"{_DIRECTORY}{_IF}{_MODEL}{_TRAIN}\n"},
    ),
    Example(
        f'{_TEST}\n    . "$(dirname "${{BASH_SOURCE[0]}}")"/../scripts/entrypoint/local.sh || exit 1\nfi\n{_TRAIN}\n',
        findings=((2, 5),),
        fixed=f'{_TEST}\n    . "$(dirname "${{BASH_SOURCE[0]}}")"/../../scripts/entrypoint/local.sh || exit 1\n'
        f"fi\n{_TRAIN}\n",
    ),
    Example(
        {_RUN: f"{_DIRECTORY}{_IF.replace('local.sh', 'local_gpu.sh')}{_TRAIN}\n", **_ENTRY},
        findings=((_RUN, 3, 5),),
    ),
    Example(
        {
            "examples/group/demo/run_demo.sh": f'HERE=$(dirname "$0")\n{_TEST} source $HERE/../../scripts/entrypoint/'
            f"local.sh; fi\n{_TRAIN}\n",
            **_ENTRY,
        },
        findings=(("examples/group/demo/run_demo.sh", 2, 46),),
        fixed={
            "examples/group/demo/run_demo.sh": f'HERE=$(dirname "$0")\n{_TEST} source $HERE/../../../scripts/'
            f"entrypoint/local.sh; fi\n{_TRAIN}\n"
        },
    ),
    Example(
        f'{_DIRECTORY}if [ -n "${{RELAX_ENTRYPOINT_MODE:-}}" ]; then\n    {_LOCAL}\nfi\n{_MODEL}{_TRAIN}\n',
        findings=((3, 5),),
        fixed=f"{_DIRECTORY}{_IF}{_MODEL}{_TRAIN}\n",
    ),
    Example(
        f'{_DIRECTORY}{_TEST}\n    echo "started by hand"\nelse\n    {_LOCAL}\nfi\n{_MODEL}{_TRAIN}\n',
        findings=((5, 5),),
    ),
    Example(
        f'{_DIRECTORY}{_TEST}\n    echo "started by hand"\nfi\n{_MODEL}{_TRAIN}\n',
        findings=((6, 1),),
        fixed=f'{_DIRECTORY}{_TEST}\n    echo "started by hand"\nfi\n{_IF}{_MODEL}{_TRAIN}\n',
    ),
    Example(
        f"set -ex\n\n{_DIRECTORY}{_MODEL}{_TRAIN}\n",
        findings=((5, 1),),
        fixed=f"set -ex\n\n{_DIRECTORY}{_IF}{_MODEL}{_TRAIN}\n",
    ),
    Example(
        f"#!/bin/bash\nset -ex\n{_TRAIN} --colocate \\\n    --rm-type math\n",
        findings=((3, 1),),
        fixed=f'#!/bin/bash\nset -ex\n{_TEST}\n    source "$(cd -- "$(dirname -- "${{BASH_SOURCE[0]}}")" &>/dev/null '
        f'&& pwd)/../../scripts/entrypoint/local.sh"\nfi\n{_TRAIN} --colocate \\\n    --rm-type math\n',
    ),
    Example(
        f"{_DIRECTORY}{_LOCAL}\n{_MODEL}{_TRAIN}\n",
        findings=((2, 1),),
        fixed=f"{_DIRECTORY}{_IF}{_MODEL}{_TRAIN}\n",
    ),
    Example(
        f'{_DIRECTORY}if [ -n "$LOCAL" ]; then\n    {_LOCAL} || exit 1  # sets up Ray\nfi\n{_TRAIN}\n',
        findings=((3, 5),),
        fixed=f'{_DIRECTORY}if [ -n "$LOCAL" ]; then\n    {_TEST}\n        {_LOCAL} || exit 1\n    fi  # sets up Ray\n'
        f"fi\n{_TRAIN}\n",
    ),
    Example(f"ray stop --force\nray start --head --num-gpus 8\n{_MODEL}{_TRAIN}\n", findings=((4, 1),)),
    Example(
        f'MODE=${{1:-sync}}\nif [ "$MODE" = async ]; then\n    {_TRAIN} --fully-async\n'
        f"else\n    {_TRAIN} --colocate\nfi\n",
        findings=((3, 5),),
        fixed=f'MODE=${{1:-sync}}\n{_TEST}\n    source "$(cd -- "$(dirname -- "${{BASH_SOURCE[0]}}")" &>/dev/null '
        f'&& pwd)/../../scripts/entrypoint/local.sh"\nfi\nif [ "$MODE" = async ]; then\n    {_TRAIN} --fully-async\n'
        f"else\n    {_TRAIN} --colocate\nfi\n",
    ),
    Example(
        {"examples/group/demo/run_demo.sh": f'{_DIRECTORY}{_MODEL}run() {{ {_TRAIN} "$@"; }}\nrun --colocate\n'},
        findings=(("examples/group/demo/run_demo.sh", 3, 9),),
        fixed={
            "examples/group/demo/run_demo.sh": f"{_DIRECTORY}{_TEST}\n    "
            f'source "${{SCRIPT_DIR}}/../../../scripts/entrypoint/local.sh"\nfi\n{_MODEL}'
            f'run() {{ {_TRAIN} "$@"; }}\nrun --colocate\n'
        },
    ),
    Example(
        f"# {_TEST} {_LOCAL}; fi\nexport RELAX_ENTRYPOINT_MODE=local\necho $RELAX_ENTRYPOINT_MODE\n"
        f"{_DIRECTORY}{_MODEL}{_TRAIN}\n",
        findings=((6, 1),),
        fixed=f"# {_TEST} {_LOCAL}; fi\nexport RELAX_ENTRYPOINT_MODE=local\necho $RELAX_ENTRYPOINT_MODE\n"
        f"{_DIRECTORY}{_IF}{_MODEL}{_TRAIN}\n",
    ),
    Example(f"export ASCEND_RT_VISIBLE_DEVICES=0,1\n{_MODEL}{_TRAIN}\n", findings=((3, 1),)),
    Example(
        {
            _RUN: f'{_DIRECTORY}source "$SCRIPT_DIR/setup.sh"\n{_TRAIN}\n',
            "examples/demo/setup.sh": f"set -e\n. scripts/entrypoint/local.sh\n{_MODEL}",
        },
        findings=(("examples/demo/setup.sh", 2, 1),),
        fixed={"examples/demo/setup.sh": f"set -e\n{_TEST}\n    . scripts/entrypoint/local.sh\nfi\n{_MODEL}"},
    ),
    Example(
        f"bash scripts/entrypoint/local.sh\n{_DIRECTORY}{_MODEL}{_TRAIN}\n",
        findings=((4, 1),),
        fixed=f"bash scripts/entrypoint/local.sh\n{_DIRECTORY}{_IF}{_MODEL}{_TRAIN}\n",
    ),
    Example(
        f'ENTRY=scripts/entrypoint/local.sh; echo "$RELAX_ENTRYPOINT_MODE"\nsource "$ENTRY"\n{_TRAIN}\n',
        findings=((2, 1),),
        fixed=f'ENTRY=scripts/entrypoint/local.sh; echo "$RELAX_ENTRYPOINT_MODE"\n{_TEST}\n    source "$ENTRY"\nfi\n'
        f"{_TRAIN}\n",
    ),
]


@rule("RLX419", "local-entrypoint", WARNING, on="launcher", valid=VALID, invalid=INVALID, fixable="safe")
def local_entrypoint(launcher: LauncherSource, project: Project) -> Iterator[Finding | NotChecked]:
    """Look for the guard in the launcher and what it sources of its own recipe."""
    launches = [launch for launch in launcher.launches if trains(launch)]
    if not launches or is_part_of_another(launcher, project):
        return
    unread = why_not_whole(launcher)
    if unread is not None:
        yield NotChecked(start_of(launches[0]), unread)
        return
    own = own_files(launcher, project)
    sourcing = [(source, command) for source in own for command in _entrypoints(source)]
    astray = next(_astray(launcher, [one for source, one in sourcing if source is launcher], project), None)
    if astray is not None:
        yield astray
        return
    guarded = [(source, command) for source, command in sourcing if _is_guarded(source, command)]
    reversed_ = [(source, command) for source, command in guarded if _is_for_set(source, command)]
    if len(reversed_) < len(guarded):
        return
    if reversed_:
        source, command = reversed_[0]
        yield Finding(
            Place(source, command.start, command.end),
            f"sourced where {_GUARD} is set: there the machine is prepared already, source it where it is not",
            fix=_turned(source, command),
            subject=_GUARD,
        )
    elif sourcing:
        source, command = sourcing[0]
        yield Finding(
            Place(source, command.start, command.end),
            f"sourced without the {_GUARD} guard: ask whether another entry point has prepared the machine already",
            fix=_around(source, command),
            subject=_GUARD,
        )
    elif not any(
        _does_something(source, guard) for source in own for guard in _guards(source)
    ) and not _is_sourced_elsewhere(launcher, project):
        hidden = _unread(launcher)
        if hidden is not None:
            yield NotChecked(start_of(launches[0]), hidden)
            return
        yield Finding(
            start_of(launches[0]),
            f"no {_GUARD} guard: started by hand, nothing sets MODEL_CONFIG_DIR and PYTHONPATH or starts Ray",
            fix=_above(launcher, launches[0], own, project),
            launch=launches[0],
            subject=_GUARD,
        )


def _entrypoints(source: ScriptFile) -> Iterator[SimpleCommand]:
    """The commands that source an entry point, named by a variable of the file maybe."""
    if not _ENTRYPOINT.search(source.text):
        return
    names = [assigned.name for assigned in nodes_of(source, Assignment) if _ENTRYPOINT.search(_text(source, assigned))]
    by_variable = re.compile(rf"\$\{{?(?:{'|'.join(names)})\b") if names else None
    for command in commands_of(source):
        if len(command.words) > 1 and _text(source, command.words[0]) in ("source", "."):
            named = _text(source, command.words[1])
            if _ENTRYPOINT.search(named) or (by_variable is not None and by_variable.search(named)):
                yield command


def _astray(launcher: LauncherSource, sourcing: Sequence[SimpleCommand], project: Project) -> Iterator[Finding]:
    """The entry points that are sourced by a way from the launcher's directory, and are not there."""
    own = [re.escape(one.name) for one in nodes_of(launcher, Assignment) if _is_own_directory(_text(launcher, one))]
    from_own = re.compile(rf"\"?(?:\$\{{?(?:{'|'.join(own)})\b\}}?|(?P<here>\$\(.*\)))\"?/(?P<way>[\w./-]+\.sh)\"?")
    entrypoints = project.root / "scripts" / "entrypoint"
    for command in sourcing:
        word = command.words[1]
        found = from_own.fullmatch(_text(launcher, word))
        if found is None or not (found["here"] is None or _is_own_directory(found["here"])):
            continue
        target = Path(os.path.normpath(launcher.path.parent / found["way"]))
        if project.is_file(target) or (target.parent == entrypoints and not project.is_dir(entrypoints)):
            continue
        there = entrypoints / target.name
        fix = None
        if there != target and (project.is_file(there) or not project.is_dir(entrypoints)):
            start = word.start + found.start("way")
            way = os.path.relpath(there, launcher.path.parent)
            edit = Edit(launcher.path, start, start + len(found["way"]), way)
            fix = Fix(f"source {way}", lambda edit=edit: [edit])  # type: ignore[misc]
        message = f"{found['way']} leads nowhere from here: the entry points are in scripts/entrypoint of Relax"
        yield Finding(Place(launcher, command.start, command.end), message, fix=fix, subject=_GUARD)


def _is_own_directory(text: str) -> bool:
    """Whether what is written gives the directory of the script itself, and none around it."""
    return _OWN_DIRECTORY.search(text) is not None and ".." not in text and text.count("dirname") == 1


def _guards(source: ScriptFile) -> Iterator[Command]:
    """The commands that do something else by whether the variable is set."""
    if _GUARD not in source.text:
        return
    asks = re.compile(rf"\b(?:{'|'.join([_GUARD, *_standing_for(source)])})\b")
    commands: list[Command] = [*nodes_of(source, If), *nodes_of(source, Case), *nodes_of(source, AndOr)]
    commands += nodes_of(source, Loop)
    yield from (each for each in commands if any(asks.search(source.text, *span) for span in _asked(each)))


def _standing_for(source: ScriptFile) -> Iterator[str]:
    """The variables and functions in which the answer is."""
    nodes: list[Assignment | Function] = [*nodes_of(source, Assignment), *nodes_of(source, Function)]
    yield from (re.escape(node.name) for node in nodes if node.name != _GUARD and _GUARD in _text(source, node))


def _asked(command: Command) -> Iterator[tuple[int, int]]:
    """The spans of what decides."""
    if isinstance(command, If):
        yield from ((asked[0].start, asked[-1].end) for asked, _ in command.branches if asked)
    elif isinstance(command, Case):
        yield command.subject.start, command.subject.end
    elif isinstance(command, AndOr):
        yield command.left.start, command.left.end
    elif isinstance(command, Loop) and command.condition:
        yield command.condition[0].start, command.condition[-1].end


def _is_guarded(source: ScriptFile, command: SimpleCommand) -> bool:
    """Whether a command runs by a guard: inside of one, behind one that may leave, or in a function called so."""
    guards = list(_guards(source))
    if any(_holds(guard, command) for guard in guards):
        return True
    if any(guard.end <= command.start and _LEAVES.search(source.text, guard.start, guard.end) for guard in guards):
        return True
    names = {function.name for function in nodes_of(source, Function) if _holds(function, command)}
    calls = [call for call in commands_of(source) if call.words and _text(source, call.words[0]) in names]
    return any(_holds(guard, call) for guard in guards for call in calls)


_PLAIN = pattern(
    r"(?:\[\[?|test)\s+(?P<not>!\s+)?(?P<asks>-[zn])\s+"
    rf'"?\$(?:{_GUARD}|\{{{_GUARD}(?::?-|:?\+[^}}"]+)?\}})"?(?:\s+\]\]?)?'
)


def _is_for_set(source: ScriptFile, command: SimpleCommand) -> bool:
    """Whether a plain test lets a command run only where the variable is set."""
    for choice in nodes_of(source, If):
        if not _holds(choice, command):
            continue
        for asked, body in choice.branches:
            means_set = _means_set(source, asked[0]) if len(asked) == 1 else None
            if any(_holds(one, command) for one in body):
                if means_set:
                    return True
                break
            if means_set is False:
                return not any(_holds(one, command) for one in asked)
    return any(
        _holds(both.right, command) and _means_set(source, both.left) is (both.operator == "&&")
        for both in nodes_of(source, AndOr)
    )


def _means_set(source: ScriptFile, condition: Command) -> bool | None:
    """Whether a plain condition is true where the variable is set (or, false, where it is not)."""
    if isinstance(condition, Pipeline) and len(condition.commands) == 1:
        inner = _means_set(source, condition.commands[0])
        return None if inner is None else inner != condition.negated
    found = _PLAIN.fullmatch(_text(source, condition))
    return None if found is None else (found["asks"] == "-n") != bool(found["not"])


def _turned(source: ScriptFile, command: SimpleCommand) -> Fix | None:
    """The test turned round, where nothing else hangs on it."""
    plain = (
        asked[0]
        for choice in nodes_of(source, If)
        for asked, body in choice.branches[:1]
        if len(choice.branches) == len(asked) == len(body) == 1 and not choice.otherwise and _holds(body[0], command)
    )
    condition = next(plain, None)
    found = None if condition is None else _PLAIN.fullmatch(_text(source, condition))
    if condition is None or found is None:
        return None
    start = condition.start + found.start("asks")
    edit = Edit(source.path, start, start + 2, "-z" if found["asks"] == "-n" else "-n")
    return Fix(f"source it where {_GUARD} is not set", lambda: [edit])


def _does_something(source: ScriptFile, guard: Command) -> bool:
    """Whether a guard does more than to speak."""
    inside = [one for one in commands_of(source) if _holds(guard, one)]
    return any(not one.words or _text(source, one.words[0]) not in _SPEAKING for one in inside)


def _holds(outer: Command, inner: SimpleCommand) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _is_sourced_elsewhere(launcher: LauncherSource, project: Project) -> bool:
    """Whether an entry point is sourced by a file of others."""
    return any(one.path.parent == project.root / "scripts" / "entrypoint" for one in launcher.evaluation.sourced)


def _unread(launcher: LauncherSource) -> str | None:
    """A sourced file that could not be read and is no model's: it may be the guard's."""
    for place in launcher.evaluation.unresolved_sources:
        text = place.source.text[place.start : place.end]
        if not _SETS_UP_MODELS.search(text):
            return text
    return None


def _around(source: ScriptFile, command: SimpleCommand) -> Fix | None:
    """The guard around the statement, which has its lines for itself."""
    statement = _statement(source.script.commands, source, command)
    text = source.text
    line_start = text.rfind("\n", 0, statement.start) + 1
    indent = text[line_start : statement.start]
    rest = text[statement.end :].partition("\n")[0].strip(" \t\r")
    written = _text(source, statement)
    if indent.strip(" \t") or (rest and not rest.startswith("#")) or "\n" in written:
        return None
    edit = Edit(source.path, statement.start, statement.end, f"{_TEST}\n{indent}    {written}\n{indent}fi")
    return Fix(f"ask for {_GUARD} first", lambda: [edit])


def _statement(commands: Sequence[Command], source: ScriptFile, command: SimpleCommand) -> Command:
    """The innermost statement of a list of statements that holds a command."""
    around = [one for listed in command_lists(source.script) for one in listed if _holds(one, command)]
    return around[-1] if around else command


def _above(launcher: LauncherSource, launch: Launch, own: Sequence[ScriptFile], project: Project) -> Fix | None:
    """The guard above what needs an entry point, on the script's own level."""
    place = start_of(launch)
    if place.source is not launcher or any(_PREPARES_ITSELF.search(source.text) for source in own):
        return None
    commands = launcher.script.commands
    needing = [one for one in commands if "MODEL_CONFIG_DIR" in _text(launcher, one)]
    launching = [one for one in commands if one.start <= place.start < one.end]
    if not launching:
        return None
    anchor = min([*needing[:1], launching[0]], key=lambda one: one.start)
    directories = [
        one for one in nodes_of(launcher, Assignment) if one.name == "SCRIPT_DIR" and one.end <= anchor.start
    ]
    known = bool(directories) and bool(_OWN_DIRECTORY.search(_text(launcher, directories[-1])))
    way = os.path.relpath(project.root / "scripts" / "entrypoint" / "local.sh", launcher.path.parent)
    here = "${SCRIPT_DIR}" if known else _HERE
    edit = lines_before(launcher, anchor.start, [_TEST, f'    source "{here}/{way}"', "fi"])
    if edit is None:
        return None
    return Fix(f"ask for {_GUARD} and source scripts/entrypoint/local.sh", lambda: [edit])


def _text(source: ScriptFile, node: Command | Assignment | Word) -> str:
    return source.text[node.start : node.end]
