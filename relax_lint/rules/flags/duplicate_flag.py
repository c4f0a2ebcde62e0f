"""A flag is passed twice with different values.

## What

Two values for one flag, by any of its names, in one array or one command. They are compared as the flag reads them:
`1e-6` and `0.000001` are the same, and a switch passed twice says the same twice. Flags that gather their values are
left alone. Also where a sourced file comes after the launcher's own flag and wins over it. The flag that counts is
reported, once, with every value that it overrides in any launch of the script.

As advice where the second value is plainly an override: the launcher's own flag behind one of a file that it sources,
another array's, or one that is added on some ways through the script only. Nothing is said of what overrides a file
under `scripts/models`: that is how such a file is meant to be used.

## Why

argparse takes the last value. Who changes the first one changes nothing.

## Source

argparse: the last value of an option counts.

## Example

    ROLLOUT_ARGS=(
        --num-rollout 200
        --rollout-batch-size 32
        --num-rollout 3000
    )

## Fix

By hand: one of the two is to go.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from relax_lint.catalog.argparse_model import Match
from relax_lint.catalog.conversions import BadValue, converted
from relax_lint.catalog.flags import HELPER_PARSER
from relax_lint.catalog.launches import namespace_of
from relax_lint.diagnostics import Finding, NotChecked, Place, Related, Severity
from relax_lint.fixers.launcher_edits import holder
from relax_lint.flag_arrays import arrays_in
from relax_lint.model_files import MODELS
from relax_lint.project import Project
from relax_lint.rules import ADVICE, WARNING, Example, rule
from relax_lint.shell.launch import Launch
from relax_lint.shell.nodes import ArrayLiteral
from relax_lint.shell.queries import is_own, other_launches, why_unknown
from relax_lint.sources.launcher import LauncherSource
from relax_lint.sources.script import ScriptFile

_TRAIN = "python3 relax/entrypoints/train.py"
_SOURCE = 'source "$(dirname "$0")/common.sh"\n'

VALID: list[Example | str] = [
    f"{_TRAIN} --lr 1e-6 --num-rollout 200 --rollout-batch-size 32\n",
    f"{_TRAIN} --lr 1e-6 --lr 0.000001 --num-rollout 1_000 --num-rollout 1000\n",
    f"{_TRAIN} --colocate --use-tis --colocate\n",
    f"{_TRAIN} --router-decode http://a --router-decode http://b\n",
    f"{_TRAIN} --resource '{{\"actor\": [1, 8]}}' --resource '{{\"actor\":[1,8]}}'\n",
    f'if [ "$1" = async ]; then\n    {_TRAIN} --fully-async --num-rollout 5\nelse\n    {_TRAIN} --num-rollout 9\nfi\n',
    f'ARGS=(--num-rollout 5)\nARGS=(--num-rollout 9)\n{_TRAIN} "${{ARGS[@]}}"\n',
    f'A=(--num-rollout 5)\nB=(--num-rollout 9)\n{_TRAIN} "${{A[@]}}"\n{_TRAIN} "${{B[@]}}"\n',
    f'ARGS=(\n    # --num-rollout 5\n    --num-rollout 9\n)\n{_TRAIN} "${{ARGS[@]}}"\n',
    f'case "$1" in\n    a) N=(--num-rollout 5) ;;\n    *) N=(--num-rollout 9) ;;\nesac\n{_TRAIN} "${{N[@]}}"\n',
    f"{_TRAIN} --sglang-tp-size 2 --rollout-num-gpus-per-engine 2 --rollout-num-gpus 8\n",
    f"{_TRAIN} --made-up 1 --made-up 2\n",
    f"{_TRAIN} --eval-prompt-data a /d/a.parquet b /d/b.parquet --rollout-stop x y\n",
    f"{_TRAIN} --debug-train-only --sglang-tp-size 2 --sglang-tp-size 4\n",
    f'{_TRAIN} --save "$OUT" --lr 1e-6 --save "$OUT"\n',
    "python3 -m verl.trainer.main_ppo --lr 1 --lr 2\n",
    Example(
        {
            "scripts/models/qwen3-4B.sh": "MODEL_ARGS=(\n    --moe-aux-loss-coeff 0.1\n)\n",
            "examples/demo/run_demo.sh": 'source "$(dirname "$0")/../../scripts/models/qwen3-4B.sh"\n'
            f'{_TRAIN} "${{MODEL_ARGS[@]}}" --moe-aux-loss-coeff 0\n',
        }
    ),
]

INVALID = [
    Example(
        f"ARGS=(\n    --num-rollout 200\n    --rollout-batch-size 32\n    --num-rollout 3000\n)\n"
        f'{_TRAIN} "${{ARGS[@]}}"\n',
        findings=((4, 5),),
    ),
    Example(f"{_TRAIN} --lr 1e-6 --colocate --lr=2e-6\n", findings=((1, 57),)),
    Example(f'ARGS=(--lr 1e-6)\nARGS+=(--lr 2e-6)\n{_TRAIN} "${{ARGS[@]}}"\n', findings=((2, 8),)),
    Example(f"{_TRAIN} --sglang-tp-size 2 --sglang-tp 4\n", findings=((1, 55),)),
    Example(f"{_TRAIN} --sglang-mem-fraction-static 0.8 --sglang-mem-frac 0.7\n", findings=((1, 69),)),
    Example(f'FLAGS="--lr 1e-6 --lr 2e-6"\n{_TRAIN} $FLAGS --colocate\n', findings=((1, 18),)),
    Example(f"{_TRAIN} --offload-train --lr 1e-6 --no-offload-train\n", findings=((1, 62),)),
    Example(
        f"{_TRAIN} \\\n    --rollout-stop a b \\\n    --colocate \\\n    --rollout-stop a \\\n    --rollout-stop b\n",
        findings=((5, 5),),
    ),
    Example(f'A=(--lr 1e-6)\nB=(--lr 2e-6)\n{_TRAIN} "${{A[@]}}" "${{B[@]}}"\n', findings=((2, 4, ADVICE),)),
    Example(
        f'ARGS=(--num-rollout 200)\nif [ -n "$DEBUG" ]; then\n    ARGS+=(--num-rollout 2)\nfi\n'
        f'{_TRAIN} "${{ARGS[@]}}"\n',
        findings=((3, 12, ADVICE),),
    ),
    Example(
        f'run() {{\n    {_TRAIN} --num-rollout 200 "$@"\n}}\nrun --num-rollout 2\n',
        findings=((4, 5, ADVICE),),
    ),
    Example(
        {
            "examples/demo/run_demo.sh": f'{_SOURCE}{_TRAIN} "${{COMMON[@]}}" --lr 2e-6\n',
            "examples/demo/common.sh": "COMMON=(--lr 1e-6)\n",
        },
        findings=(("examples/demo/run_demo.sh", 2, 51, ADVICE),),
    ),
    Example(
        {
            "examples/demo/run_demo.sh": f'{_SOURCE}{_TRAIN} --lr 2e-6 "${{COMMON[@]}}"\n',
            "examples/demo/common.sh": "COMMON=(--lr 1e-6)\n",
        },
        findings=(("examples/demo/run_demo.sh", 2, 36),),
    ),
    Example(
        {
            "scripts/models/qwen3-4B.sh": "MODEL_ARGS=(\n    --moe-aux-loss-coeff 0.1\n)\n",
            "scripts/training/text/run-qwen3-4B.sh": "source scripts/models/qwen3-4B.sh\n"
            f'{_TRAIN} --moe-aux-loss-coeff 0 "${{MODEL_ARGS[@]}}"\n',
        },
        findings=(("scripts/training/text/run-qwen3-4B.sh", 2, 36),),
    ),
    Example(
        f'ARGS=(--kl-loss-coef 0.0 --kl-loss-coef "0.01")\nfor mode in --colocate --hybrid; do\n'
        f'    {_TRAIN} "$mode" "${{ARGS[@]}}"\ndone\n',
        findings=((1, 26),),
    ),
]


class _Override(NamedTuple):
    """Two values for one flag in one launch, and where to say so."""

    place: Place
    severity: Severity
    where: str
    option: str
    counts: str
    does_not: str
    other: Related


class _Overrides(NamedTuple):
    """All of a script: those of each launch, and what each place wins over in any of them."""

    of: dict[Launch, list[_Override | NotChecked]]
    at: dict[Place, list[_Override]]


_BY_GRAVITY = tuple(Severity)
_SHOWN = 3


@rule("RLX503", "duplicate-flag", WARNING, on="launch", everywhere=True, valid=VALID, invalid=INVALID)
def duplicate_flag(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """Say which values do not count: once for a word, of all the launches that it is in."""
    if launch.kind != "relax":
        return
    found = _overrides(launch, project)
    own = found.of.get(launch, ())
    yield from (one for one in own if isinstance(one, NotChecked))
    for place in dict.fromkeys(one.place for one in own if isinstance(one, _Override)):
        yield _finding(found.at[place], launch)


def _finding(overrides: list[_Override], launch: Launch) -> Finding:
    first = min(overrides, key=lambda one: _BY_GRAVITY.index(one.severity))
    winners = list(dict.fromkeys(one.counts for one in overrides))
    losers = list(dict.fromkeys(one.does_not for one in overrides))
    if len(losers) == 1:
        message = f"{first.option} is passed twice{first.where}: {_listed(winners, 'or')} counts, {losers[0]} does not"
    else:
        message = f"{first.option} is passed more than once: {_listed(winners, 'or')} counts, {_listed(losers)} do not"
    related = tuple(dict.fromkeys(one.other for one in overrides))
    return Finding(first.place, message, severity=first.severity, related=related, launch=launch, subject=first.option)


def _listed(shown: list[str], word: str = "and") -> str:
    if len(shown) > _SHOWN:
        shown = [*shown[: _SHOWN - 1], f"{len(shown) - _SHOWN + 1} others"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {word} {shown[-1]}"


def _overrides(launch: Launch, project: Project) -> _Overrides:
    """What the launches of the script of one pass twice."""
    script = project.launcher(launch.script)
    if script is None or launch not in script.launches:
        return _all([launch], project)
    return project.once(("overrides", script), lambda: _of_script(script, project))


def _of_script(script: LauncherSource, project: Project) -> _Overrides:
    return _all([launch for launch in script.launches if launch.kind == "relax"], project)


def _all(launches: list[Launch], project: Project) -> _Overrides:
    found = _Overrides({}, {})
    for launch in launches:
        found.of[launch] = list(_of(launch, project))
        for one in found.of[launch]:
            if isinstance(one, _Override):
                found.at.setdefault(one.place, []).append(one)
    return found


def _of(launch: Launch, project: Project) -> Iterator[_Override | NotChecked]:
    """What one launch passes twice: each value, and the last one, which counts."""
    for name, parsed in namespace_of(launch, project).parsed.items():
        if name == HELPER_PARSER:
            continue
        given: dict[str, list[Match]] = {}
        for match in parsed.matches:
            given.setdefault(match.flag.name, []).append(match)
        for *before, last in given.values():
            for earlier in before:
                yield from _judged(earlier, last, launch, project)


def _judged(earlier: Match, later: Match, launch: Launch, project: Project) -> Iterator[_Override | NotChecked]:
    before, after = earlier.word.place, later.word.place
    if before is None or after is None or earlier.flag.action in ("append", "extend"):
        return
    if before == after or [word.text for word in earlier.values] == [word.text for word in later.values] != []:
        return
    how = _how(earlier, later, launch, project)
    if how is None:
        return
    unknown = [word for word in (*earlier.values, *later.values) if not word.known]
    if unknown:
        yield NotChecked(after, why_unknown(unknown[0]))
        return
    try:
        if _value(earlier) == _value(later):
            return
    except BadValue:
        return
    place, severity, where = how
    other, shown = (before, _shown(earlier)) if place is after else (after, _shown(later))
    yield _Override(place, severity, where, later.option, _shown(later), _shown(earlier), Related(other, shown))


def _value(match: Match) -> object:
    if match.flag.action == "boolean_optional":
        return not match.option.startswith("--no-")
    return [converted(word.text, match.flag.type, None) for word in match.values]


def _shown(match: Match) -> str:
    return " ".join((match.option, *(word.text for word in match.values)))


def _how(earlier: Match, later: Match, launch: Launch, project: Project) -> tuple[Place, Severity, str] | None:
    """Where to point, how bad it is, and where both are; ``None`` for the normal use of a model's file."""
    before, after = earlier.word.place, later.word.place
    assert before is not None
    assert after is not None
    if before.source is not after.source:
        first, second = (_is_the_launchers(place, launch, project) for place in (before, after))
        if first and not second:
            return before, WARNING, f", the second time in {after.source.path.name}"
        if before.source.path.parent.parts[-2:] == MODELS.parts:
            return None
        return after, ADVICE, f", the first time in {before.source.path.name}"
    if _comes_only_sometimes(earlier, later, launch, project):
        return after, ADVICE, ""
    array, other = _array_of(before), _array_of(after)
    if array is not None and array == other:
        return after, WARNING, f" in {array}"
    if array is None and other is None and holder(before) is holder(after):
        return after, WARNING, ""
    return after, ADVICE, ""


def _is_the_launchers(place: Place, launch: Launch, project: Project) -> bool:
    path = place.source.path
    return path == launch.script or (is_own(project, launch, place) and path == launch.site.source.path)


def _array_of(place: Place) -> str | None:
    source = place.source
    if not isinstance(source, ScriptFile) or not isinstance(holder(place), ArrayLiteral):
        return None
    return next((array.name for array in arrays_in(source) if array.holds(place)), None)


def _comes_only_sometimes(earlier: Match, later: Match, launch: Launch, project: Project) -> bool:
    """Whether another launch of the script has the first of the two and not the second."""
    argument = next((given for given in launch.arguments if given.word.place == earlier.word.place), None)
    if argument is None:
        return False
    return any(
        all(given.word.place != later.word.place for given in other.arguments)
        for other in other_launches(launch, project, argument)
    )
