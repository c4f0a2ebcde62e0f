"""The launcher of a recipe, from what is planned for each launch: one script for both modes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from relax_lint.migrate.launcher_header import header, needed_variables, required_variables, resource_of
from relax_lint.migrate.mode_line import guard_lines
from relax_lint.migrate.order import in_order
from relax_lint.migrate.runs import Run, common_to, named_runs
from relax_lint.migrate.values import Template
from relax_lint.migrate.written import comment, continued, filled, flag
from relax_lint.records import record

if TYPE_CHECKING:
    from relax_lint.migrate.machines import Machines
    from relax_lint.migrate.plan import Group, ModeRefused, Passed, Plan

Mode = Literal["sync", "async"]

_USUAL_GPUS = 8
"""What entry points of Relax start Ray with where nobody says how many there are."""
_ENTRY = "python3 relax/entrypoints/train.py"
_ORDER: tuple[Group, ...] = ("ckpt", "rollout", "eval", "algorithm", "optimizer", "perf", "sglang", "log", "misc")
_MODES: tuple[Mode, ...] = ("async", "sync")
NO_ARGUMENTS: Mapping[str, str] = MappingProxyType({})
_MODE_OF = {"sync": "Colocated: training and generation take turns on the same GPUs.", "async": "Fully asynchronous:"}


@record
class Facts:
    """What a launcher is to say beside the plans.

    ``name`` is the recipe's, ``path`` its own from the root of the checkout, ``origin`` what it was made of;
    ``exports`` and ``assignments`` are carried over, ``secrets`` are variables that only the user can set; ``forwards``
    says that it passes its arguments on, ``conversions`` has scripts with directories of verl's data, as words of bash,
    and those of their converted form, ``arguments`` variables that stand for arguments of the verl script, with that
    argument, ``differences`` what else runs in another way than there, ``page`` what the page about its settings is
    called; ``machines`` are those that it is for, where they are several.
    """

    name: str
    path: str
    origin: str
    exports: tuple[tuple[str, str], ...] = ()
    assignments: tuple[tuple[str, str], ...] = ()
    secrets: tuple[str, ...] = ()
    forwards: bool = False
    conversions: tuple[tuple[str, str, str], ...] = ()
    arguments: Mapping[str, str] = NO_ARGUMENTS
    differences: tuple[str, ...] = ()
    page: str = "MIGRATION.md"
    machines: Machines | None = None


def launcher_text(plans: Sequence[Plan], facts: Facts) -> str:
    """The whole script for launches that belong together."""
    runs = named_runs(plans)
    common = common_to(plans)
    sections = [
        ["#!/bin/bash", *header(plans, facts)],
        list(_strict(plans, facts)),
        list(_mode(facts)),
        list(_required(plans, facts)),
        list(_surroundings(facts)),
        list(_setup(plans, facts)),
        *_arrays(common),
        ["mkdir -p logs"],
        list(_single(plans[0], common, facts) if len(runs) == 1 else _several(plans, runs, common, facts)),
    ]
    return "\n\n".join("\n".join(section) for section in sections if section) + "\n"


# ---------------------------------------------------------------- before the arrays


def _strict(plans: Sequence[Plan], facts: Facts) -> Iterator[str]:
    if any(name != name.upper() for name in needed_variables(plans, facts)):
        # shellcheck takes only names in capitals for variables of the environment.
        yield "# shellcheck disable=SC2154"
    yield "set -eo pipefail"


def _mode(facts: Facts) -> Iterator[str]:
    yield 'MODE=${1:-${MODE:-"sync"}}    # the first argument, else the environment, else sync'
    yield from guard_lines(facts.path, forwards=facts.forwards)
    if facts.forwards:
        yield "# What follows the mode goes to Relax as it is, and wins."
        yield 'if [ "$#" -gt 0 ]; then'
        yield "    shift"
        yield "fi"


def _required(plans: Sequence[Plan], facts: Facts) -> Iterator[str]:
    for name in required_variables(plans, facts):
        yield f': "${{{name}:?is to be set, the head of this file says what it is}}"'


def _surroundings(facts: Facts) -> Iterator[str]:
    if facts.assignments or facts.exports:
        yield "# As in the launcher of verl" + (
            "; before Ray starts, so that its workers have it." if facts.exports else "."
        )
    for _, statement in facts.assignments:
        yield statement
    for _, statement in facts.exports:
        yield f"export {statement}"


def _setup(plans: Sequence[Plan], facts: Facts) -> Iterator[str]:
    yield 'SCRIPT_DIR="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" &>/dev/null && pwd)"'
    yield "# Without an entry point around it, this machine is set up: paths, Ray."
    yield 'if [ -z "${RELAX_ENTRYPOINT_MODE:-}" ]; then'
    gpus = "" if facts.machines is not None else _gpus_of_ray(plans)
    if gpus:
        yield f"    # Ray would be started with {_USUAL_GPUS} GPUs."
        yield f'    export NUM_GPUS="${{NUM_GPUS:-{gpus}}}"'
    yield "    # shellcheck source=/dev/null"
    way = "../" * facts.path.count("/")
    yield f'    source "${{SCRIPT_DIR}}/{way}scripts/entrypoint/local.sh"'
    yield "fi"
    models = dict.fromkeys(plan.model for plan in plans)
    if len(models) == 1:
        yield "# shellcheck source=/dev/null"
        yield f'source "${{MODEL_CONFIG_DIR}}/{plans[0].model}.sh"'
    yield ""
    yield 'TIMESTAMP="$(date "+%Y%m%d-%H%M%S")"'
    if len(plans) == 1:
        yield f'LOG_FILE="logs/{facts.name}-${{MODE}}-${{TIMESTAMP}}.log"'
    yield "set -x"


def _gpus_of_ray(plans: Sequence[Plan]) -> str:
    """How many GPUs one machine is to have, as a word of bash; empty where they are as many as entry points take."""
    unknown = (
        part.text
        for plan in plans
        for each in plan.passed
        if each.flag == "--resource"
        for value in each.values
        if isinstance(value, Template)
        for part in value.parts
        if not isinstance(part, str)
    )
    if shown := next(unknown, ""):
        return shown
    most = max(map(_per_node, plans))
    return "" if most == _USUAL_GPUS else str(most)


def _per_node(plan: Plan) -> int:
    numbers = (str(each.values[0]) for each in plan.passed if each.flag == "--num-gpus-per-node" and each.values)
    return next((int(number) for number in numbers if number.isdigit()), _USUAL_GPUS)


# ---------------------------------------------------------------- arrays


def _arrays(common: Sequence[Passed]) -> Iterator[list[str]]:
    names = array_names(common)
    for group, name in names.items():
        lines = [f"{name}=("]
        for passed in _in_array(common, group):
            if passed.note:
                lines += comment(passed.note, "    ")
            lines.append(f"    {flag(passed)}")
        yield [*lines, ")"]


def array_names(common: Sequence[Passed]) -> dict[Group, str]:
    """The arrays that hold something, by what they hold, in their order."""
    estimators = [passed.values[0] for passed in common if passed.flag == "--advantage-estimator" and passed.values]
    algorithm = str(estimators[0]).upper() if estimators and isinstance(estimators[0], str) else "ALGORITHM"
    names = {group: f"{group.upper()}_ARGS" for group in _ORDER}
    names["algorithm"] = f"{algorithm}_ARGS" if algorithm.isidentifier() else "ALGORITHM_ARGS"
    return {group: names[group] for group in _ORDER if any(True for _ in _in_array(common, group))}


def _in_array(common: Iterable[Passed], group: Group) -> Iterator[Passed]:
    return iter(in_order(passed for passed in common if passed.group == group and passed.modes == "both"))


# ---------------------------------------------------------------- launches


def _single(plan: Plan, common: Sequence[Passed], facts: Facts) -> Iterator[str]:
    """One launch: both branches written out."""
    yield from _branches(
        [plan],
        {mode: [*_explained(common, mode), *_command(common, mode, facts)] for mode in _MODES},
    )


def _several(plans: Sequence[Plan], runs: Sequence[Run], common: Sequence[Passed], facts: Facts) -> Iterator[str]:
    """Several launches, one after another: what they share in a function, what differs where it is called."""
    models = len({plan.model for plan in plans}) > 1
    yield f"# train NAME {'MODEL ' if models else ''}FLAG...: one run, with its own flags behind those that all share."
    yield "train() {"
    yield f'    local log="logs/{facts.name}-${{1}}-${{MODE}}-${{TIMESTAMP}}.log"'
    if models:
        yield "    # shellcheck source=/dev/null"
        yield '    source "${MODEL_CONFIG_DIR}/${2}.sh"'
    yield "    shift 2" if models else "    shift"
    arrays = ['"${MODEL_ARGS[@]}"', *_expanded(common)]
    lines = [_ENTRY, '"${LAUNCH_ARGS[@]}"', *filled(arrays), '"$@"', '2>&1 | tee "${log}"']
    yield from continued(lines, "    ")
    yield "}"
    yield ""
    apart = any(passed.modes != "both" for run in runs for passed in run.own)
    calls = {mode: list(_calls(mode, runs, facts, models)) for mode in _MODES}
    yield from _branches(
        plans, {mode: [*_mode_arguments(common, mode), *(calls[mode] if apart else [])] for mode in _MODES}
    )
    if not apart:
        yield ""
        yield from calls["sync"]


def _mode_arguments(common: Sequence[Passed], mode: Mode) -> Iterator[str]:
    yield from _explained(common, mode)
    yield "LAUNCH_ARGS=("
    for passed in _of_mode(common, mode):
        if passed.note:
            yield from comment(passed.note, "    ")
        yield f"    {flag(passed)}"
    yield ")"


def _calls(mode: Mode, runs: Sequence[Run], facts: Facts, models: bool) -> Iterator[str]:
    for run in runs:
        first = f"train {run.name}" + (f" {run.plan.model}" if models else "")
        own = [flag(passed) for passed in in_order(run.own) if passed.modes in ("both", mode)]
        rest = ['"$@"'] if facts.forwards else []
        yield from continued([first, *own, *rest], "")


def _branches(plans: Sequence[Plan], bodies: dict[Mode, list[str]]) -> Iterator[str]:
    refused = {mode: _refused(plans, mode) for mode in _MODES}
    yield 'if [ "${MODE}" = "async" ]; then'
    yield from _indented(bodies["async"] if refused["async"] is None else _refusing(refused["async"]))
    yield "else"
    yield from _indented(bodies["sync"] if refused["sync"] is None else _refusing(refused["sync"]))
    yield "fi"


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"    {line}" if line else "" for line in lines)


def _refused(plans: Sequence[Plan], mode: Mode) -> ModeRefused | None:
    return next((refused for plan in plans for refused in plan.refused if refused.mode == mode), None)


def _refusing(refused: ModeRefused) -> list[str]:
    from relax_lint.migrate.written import word

    message = " ".join(f"{refused.mode} is not possible here: {refused.reason}".split())
    return [f"echo {word(message)} >&2", "exit 1"]


def _explained(common: Sequence[Passed], mode: Mode) -> Iterator[str]:
    """A comment that says how the GPUs are used."""
    roles = resource_of(common, mode)
    if mode == "sync" or not roles:
        yield from comment(_MODE_OF["sync"] if mode == "sync" else "Fully asynchronous: each role has its own GPUs.")
        return
    shown = ", ".join(f"{role} {count}" for role, count in roles.items() if count)
    yield from comment(f"Fully asynchronous, each role on GPUs of its own: {shown}.")


def _of_mode(common: Iterable[Passed], mode: Mode) -> list[Passed]:
    """What is passed beside the arrays: how it is launched, then what else is different in this mode."""
    own = in_order(
        passed
        for passed in common
        if passed.modes in ("both", mode) and (passed.group == "launch" or passed.modes != "both")
    )
    return sorted(own, key=lambda passed: passed.group != "launch")


def _expanded(common: Sequence[Passed]) -> list[str]:
    return [f'"${{{name}[@]}}"' for name in array_names(common).values()]


def _command(common: Sequence[Passed], mode: Mode, facts: Facts) -> Iterator[str]:
    own = _of_mode(common, mode)
    for passed in own:
        if passed.note:
            yield from comment(f"{passed.flag}: {passed.note}")
    lines = [_ENTRY, *map(flag, own), *filled(['"${MODEL_ARGS[@]}"', *_expanded(common)])]
    if facts.forwards:
        lines.append('"$@"')
    yield from continued([*lines, '2>&1 | tee "${LOG_FILE}"'], "")
