"""The launcher does not start both modes as the guide's launchers do.

## What

A recipe's launcher that trains with reinforcement learning must start synchronously (colocated) with no argument and no
`MODE` in the environment, and must reach the mode that its first argument, `sync` or `async`, or `MODE=async` in the
environment asks for. It is judged by what it launches in each of these four cases, however it is written. A branch that
refuses, with a message, counts as reached: too few GPUs, or an estimator that Relax refuses in fully asynchronous runs.

## Why

Users, schedulers and the recipe's documentation switch by that argument or variable. A launcher that ignores it trains
in the other mode without a word, on a layout of GPUs that was not asked for.

## Source

Guide: ALWAYS generate dual-mode scripts with `MODE=${1:-${MODE:-"sync"}}`.

## Example

    MODE=${1:-"async"}

## Fix

Safe where what the launcher starts by itself, without an argument and without `MODE`, is sync today and stays what it
is; else unsafe, as it starts something else then: async by default becomes sync by default. It is no single edit:
`--fix` makes it behind those, unless `--no-migrate` is given. It writes the guide's assignment of `MODE` in place of
another or below the strict-mode lines, and around a launch of one mode an `if` with the flags of the other. The GPUs of
that other mode are a guess, which the run tells: for fully asynchronous runs a split of the same GPUs that fits the
model, for colocated ones all of them for both roles. Where the GPUs are too few, or Relax refuses the mode, the branch
says so and ends. What the launcher starts in the mode that it has stays the same, and so does what it does with
arguments that are no mode: where it reads options, a number or flags for Relax, the mode is taken off in front of them,
and `MODE` is the environment's. Another name of a mode (`fully_async`) starts what it started or is refused. A launcher
is left where that is not certain, where `MODE` is something else in it (`prod`, `bridge`), or where the result would
have another fault, and then the run says why.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Finding, Fix, NotChecked, Place
from relax_lint.patterns import pattern
from relax_lint.project import Project
from relax_lint.recipe_kinds import trains
from relax_lint.records import record
from relax_lint.rules import WARNING, Example, rule
from relax_lint.shell.launch import Launch
from relax_lint.shell.nodes import Assignment, SimpleCommand, Word
from relax_lint.shell.queries import Way, is_broken_off, is_part_of_another, start_of, way_of, why_not_whole
from relax_lint.shell.walk import command_lists, simple_commands
from relax_lint.sources.launcher import LauncherSource

if TYPE_CHECKING:
    from relax_lint.shell.evaluate import Evaluation

_MODE = re.compile(r"MODE(?<!\wMODE)(?!\w)")
_ARGUMENTS = re.compile(r"\$\{?[1@*](?!\w)")
_SHIFT = pattern(r"\bshift\b", words=("shift",))
_WANTED = "the guide wants sync by default, and sync or async by $1 or by MODE"


@record
class _Case:
    """One way to call the launcher, and what it must start."""

    called: str
    args: tuple[str, ...]
    mode: str | None
    wanted: Way


_CASES = (
    _Case("no argument", (), None, "sync"),
    _Case("sync as $1", ("sync",), None, "sync"),
    _Case("async as $1", ("async",), None, "async"),
    _Case("MODE=async in the environment", (), "async", "async"),
)

_NO_MODE = "neither"

_RELAX = "python3 relax/entrypoints/train.py"
_GUIDE = 'MODE=${1:-${MODE:-"sync"}}\n'
_USAGE = (
    'case "${MODE}" in\n    sync | async) ;;\n    *)\n'
    '        echo "usage: bash examples/demo/run_demo.sh [sync|async]: no such mode: ${MODE}" >&2\n'
    "        exit 2\n        ;;\nesac\n"
)
_SHARED = '\'{"actor": [1, 8], "rollout": [1, 8]}\''
_BRANCH = f'if [ "${{MODE}}" = "async" ]; then\n    {_RELAX} --fully-async\nelse\n    {_RELAX} --colocate\nfi\n'

VALID: list[Example | str] = [
    _GUIDE + _BRANCH,
    (
        f'export MODE="${{1:-${{MODE:-sync}}}}"\ncase "$MODE" in\n    async) ARGS=(--fully-async) ;;\n'
        f'    sync) ARGS=(--colocate) ;;\n    *) echo "what is $MODE?"; exit 2 ;;\nesac\n{_RELAX} "${{ARGS[@]}}"\n'
    ),
    (
        f'[ -n "$1" ] && MODE=$1\n: "${{MODE:=sync}}"\nFLAG=--colocate\n[[ $MODE == async ]] && FLAG=--fully-async\n'
        f"{_RELAX} $FLAG\n"
    ),
    _GUIDE + f'if [ "$MODE" = async ]; then\n    echo "reinforce++ is refused in async"\n    exit 1\nfi\n'
    f"{_RELAX} --colocate\n",
    (
        f'ray start --head\n{_GUIDE}die() {{ echo "$*" >&2; exit 1; }}\n'
        f'[ "$MODE" = async ] && die "reinforce++ is refused in async"\n{_RELAX} --colocate\n'
    ),
    (
        f'{_GUIDE}if [ "$MODE" != sync ]; then echo "Relax refuses reinforce++ in async" >&2; exit 1; fi\n'
        f"{_RELAX} --colocate\n"
    ),
    _GUIDE + f'run_sync() {{ {_RELAX} --colocate; }}\nrun_async() {{ {_RELAX} --fully-async; }}\n"run_${{MODE}}"\n',
    f"{_RELAX} --loss-type sft --prompt-data /d/a.parquet\n",
    f"{_RELAX} --debug-rollout-only --colocate\n",
    "python3 -m verl.trainer.main_ppo trainer.nnodes=1\n",
    "echo nothing is launched\n",
    _GUIDE
    + f'if [ "$MODE" = sync ]; then\n    {_RELAX} --colocate\nelif [ "$MODE" = async ]; then\n'
    + f'    [ "${{NUM_GPUS:-8}}" -ge 8 ] || {{ echo "async needs 8 GPUs" >&2; exit 1; }}\n    '
    f"{_RELAX} --fully-async\nfi\n",
    (
        f'MODE=${{1:-${{MODE:-"sync"}}}}; ARGS=(--colocate)\nif [ "$MODE" != "sync" ]; then ARGS=(--hybrid); fi\n'
        f'{_RELAX} "${{ARGS[@]}}"\n'
    ),
    Example(
        {
            "examples/demo/run_demo.sh": 'source "$(dirname "$0")/mode.sh"\n' + _BRANCH,
            "examples/demo/mode.sh": _GUIDE,
        }
    ),
    Example({"scripts/training/text/run-qwen3-4B.sh": f"{_RELAX} --colocate\n"}),
]

INVALID = [
    Example(f"set -x\n{_RELAX} --colocate\n", findings=((2, 1),)),
    Example(
        f"set -x\n{_RELAX} --colocate --resource {_SHARED}\n",
        findings=((2, 1),),
        fixed=f"set -x\n{_GUIDE.rstrip()}    # the first argument, else the environment, else sync\n{_USAGE}\n"
        'if [ "${MODE}" = "async" ]; then\n'
        "    # Fully asynchronous, each role on GPUs of its own: actor 4, rollout 3, actor_fwd 1.\n"
        f"    {_RELAX} --resource "
        '\'{"actor": [1, 4], "rollout": [1, 3], "actor_fwd": [1, 1], "advantages": [1, 0]}\' --max-staleness 2 '
        "--num-iters-per-train-update 1 --ref-actor-config "
        '\'{"tensor_model_parallel_size": 1, "sequence_parallel": false}\' --fully-async --use-tis\n'
        f"else\n    {_RELAX} --colocate --resource {_SHARED}\nfi\n",
    ),
    Example(f"{_RELAX} --fully-async\n", findings=((1, 1),)),
    Example('MODE=${1:-"async"}\n' + _BRANCH, findings=((1, 1),), fixed=_GUIDE + _USAGE + _BRANCH, unsafe=True),
    Example('MODE=${1:-"sync"}\n' + _BRANCH, findings=((1, 1),), fixed=_GUIDE + _USAGE + _BRANCH),
    Example('set -e\nMODE="${MODE:-sync}"\n' + _BRANCH, findings=((2, 1),), fixed=f"set -e\n{_GUIDE}{_USAGE}{_BRANCH}"),
    Example("MODE=sync\n" + _BRANCH, findings=((1, 1),), fixed=_GUIDE + _USAGE + _BRANCH),
    Example(_GUIDE + "MODE=sync\n" + _BRANCH, findings=((2, 1),), fixed=_GUIDE + _USAGE + _BRANCH),
    Example(_GUIDE + f'[ "$MODE" = async ] && echo "asynchronous"\n{_RELAX} --colocate\n', findings=((1, 1),)),
    Example(_GUIDE + f'if [ "$MODE" = sync ]; then\n    {_RELAX} --colocate\nfi\n', findings=((1, 1),)),
    Example(
        f'MODE=${{1:?sync or async}}\nif [ "$MODE" = async ]; then {_RELAX} --fully-async; else '
        f"{_RELAX} --colocate; fi\n",
        findings=((1, 1),),
        fixed=f'{_GUIDE}{_USAGE}if [ "$MODE" = async ]; then {_RELAX} --fully-async; else {_RELAX} --colocate; fi\n',
        unsafe=True,
    ),
    Example(
        f'case "$1" in\n    async) {_RELAX} --fully-async ;;\n    *) {_RELAX} --colocate ;;\nesac\n',
        findings=((2, 12),),
        fixed=f"{_GUIDE.rstrip()}    # the first argument, else the environment, else sync\n{_USAGE}"
        f'case "${{MODE}}" in\n    async) {_RELAX} --fully-async ;;\n    *) {_RELAX} --colocate ;;\nesac\n',
    ),
    Example(
        _GUIDE
        + f'if [ "$MODE" = "asynchronous" ]; then\n    {_RELAX} --fully-async\nelse\n    {_RELAX} --colocate\nfi\n',
        findings=((1, 1),),
        fixed=_GUIDE
        + _USAGE
        + f'if [ "$MODE" = "async" ]; then\n    {_RELAX} --fully-async\nelse\n    {_RELAX} --colocate\nfi\n',
    ),
    Example(
        _GUIDE + f'ARGS=(--fully-async)\n[ "$MODE" = async ] && ARGS=(--colocate)\n{_RELAX} "${{ARGS[@]}}"\n',
        findings=((1, 1),),
    ),
    Example(
        _GUIDE
        + f'case "$MODE" in\n    sync) {_RELAX} --colocate ;;\n    *) echo "no such mode: $MODE"; exit 2 ;;\nesac\n',
        findings=((1, 1),),
    ),
    Example(
        _GUIDE + f'case "$MODE" in\n    sync) {_RELAX} --colocate ;;\n    fully_async) {_RELAX} --fully-async ;;\n'
        '    *) echo "usage: $0 [sync|fully_async]"; exit 2 ;;\nesac\n',
        findings=((1, 1),),
        fixed=f'{_GUIDE}case "$MODE" in\n    sync) {_RELAX} --colocate ;;\n    async) {_RELAX} --fully-async ;;\n'
        '    *) echo "usage: $0 [sync|fully_async]"; exit 2 ;;\nesac\n',
    ),
    Example(
        {
            "examples/demo/run_async.sh": 'MODE=async\nsource "$(dirname "$0")/common.sh"\n',
            "examples/demo/common.sh": "MODE=${MODE:-${1:-sync}}\n" + _BRANCH,
        },
        findings=(("examples/demo/run_async.sh", 1, 1),),
        fixed={
            "examples/demo/run_async.sh": _GUIDE
            + _USAGE.replace("run_demo", "run_async")
            + 'source "$(dirname "$0")/common.sh"\n'
        },
        unsafe=True,
    ),
]


@rule("RLX405", "dual-mode", WARNING, on="launcher", fixable="safe", valid=VALID, invalid=INVALID)
def dual_mode(launcher: LauncherSource, project: Project) -> Iterator[Finding | NotChecked]:
    """Call the launcher in the four ways."""
    launches = [launch for launch in launcher.launches if trains(launch)]
    if not launches or is_part_of_another(launcher, project):
        return
    place = _place(launcher, launches[0])
    unread = why_not_whole(launcher)
    if unread is not None:
        yield NotChecked(place, unread)
        return
    if any(map(is_broken_off, launches)):
        yield NotChecked(place, "a broken continuation")
        return
    if not _asks(launcher, project):
        started, ways = " or ".join(sorted({launch.mode for launch in launches})), set(map(way_of, launches))
        message = f"starts {started} only, whatever it is asked for: {_WANTED}"
        yield Finding(place, message, fix=_fix(launcher, project, ways), subject="MODE")
        return
    found_in = launcher.evaluate_each((case.args, {"MODE": case.mode}) for case in _CASES)
    outcomes = list(zip(_CASES, found_in, strict=True))
    faults: list[str] = []
    for case, outcome in outcomes:
        found = {way_of(launch) for launch in outcome.launches if trains(launch)}
        if outcome.too_complex is not None or len(found) > 1:
            yield NotChecked(place, f"{case.called}: sync or async")
            return
        if not found:
            others = [other for _, other in outcomes if other is not outcome]
            if case is not _CASES[0] and _refuses(outcome, others, launcher):
                continue
            faults.append(f"{case.called} starts nothing")
        elif case.wanted not in found:
            faults.append(f"{case.called} starts {found.pop()}")
    if faults:
        message = f"not dual-mode: {', '.join(faults)}; {_WANTED}"
        unasked = {way_of(launch) for launch in outcomes[0][1].launches if trains(launch)}
        yield Finding(place, message, fix=_fix(launcher, project, unasked), subject="MODE")


def _fix(launcher: LauncherSource, project: Project, unasked: set[Way]) -> Fix:
    from relax_lint.migrate.dual_mode import fix_of

    return fix_of(launcher, project, unasked)


def _asks(launcher: LauncherSource, project: Project) -> bool:
    """Whether anything could tell the launcher which mode to start."""
    if _ARGUMENTS.search(launcher.text) or _SHIFT.search(launcher.text):
        return True
    own = [launcher, *launcher.evaluation.sourced]
    return any(_MODE.search(source.text) for source in own if project.recipe_of(source.path) is not None)


def _place(launcher: LauncherSource, launch: Launch) -> Place:
    """Where the mode is decided, whatever was asked for if there is such a place, else where it is launched."""
    found = [
        assignment
        for command in simple_commands(launcher.script)
        for assignment in (*command.assignments, *command.words)
        if isinstance(assignment, Assignment) and assignment.name == "MODE"
    ]
    if not found:
        return start_of(launch)
    unasked = {command.start for command in launcher.script.commands}
    fixed = (one for one in found[1:] if one.start in unasked and isinstance(one.value, Word) and one.value.literal)
    decided = next(fixed, found[0])
    return Place(launcher, decided.start, decided.end)


def _refuses(outcome: Evaluation, others: list[Evaluation], launcher: LauncherSource) -> bool:
    """Whether a way of calling ends in an exit of its own, behind a message; where any other word ends too, the message
    must speak of asynchronous runs, and no other word may start one: ``async`` is then a mode that is not known."""
    elsewhere = {
        place for other in others if any(trains(launch) for launch in other.launches) for place, _ in other.exits
    }
    own = [place for place, status in outcome.exits if place not in elsewhere and status != 0]
    if not own:
        return False
    starts_async = any(trains(launch) and way_of(launch) == "async" for launch in launcher.launches)
    for_any_word = {place for place, _ in launcher.evaluate_with((_NO_MODE,), {"MODE": _NO_MODE}).exits}
    return any(
        _says_why(place, of_async=place in for_any_word)
        for place in own
        if not (starts_async and place in for_any_word)
    )


def _says_why(place: Place, *, of_async: bool) -> bool:
    """Whether something stands beside an exit that tells the user."""
    script = getattr(place.source, "script", None)
    if script is None or ":?" in place.source.text[place.start : place.end]:
        return not of_async
    for commands in command_lists(script):
        if len(commands) > 1 and any(
            isinstance(command, SimpleCommand) and command.start == place.start for command in commands
        ):
            return not of_async or "async" in place.source.text[commands[0].start : place.end].lower()
    return False
