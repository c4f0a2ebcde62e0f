"""The forward services of a fully asynchronous launch get no configuration of their own.

## What

A fully asynchronous launch whose `--resource` has a `reference` or `actor_fwd` role and that has no
`--ref-actor-config`; a `--ref-actor-config` that is not a JSON object; and, as advice, keys in it that change nothing:
names with dashes, and `max_tokens_per_gpu` and `only_load_weight`, which Relax sets again right after it has read them.

## Why

Both services inherit the actor's layout. An actor of 4 GPUs with tensor parallelism 4 leaves a reference on one GPU
with a model that is split four ways, and the service dies when it starts. The JSON is read by argparse: a mistake in
it ends the launch.

## Source

Guide: ALWAYS add `--ref-actor-config` for Reference and ActorFwd in the async branch. Relax sets each key on the
arguments, then `max_tokens_per_gpu` to `log_probs_max_tokens_per_gpu` and `only_load_weight` to true.

## Example

    --fully-async --resource '{"actor": [1, 4], "rollout": [1, 2], "reference": [1, 1], "actor_fwd": [1, 1]}'

## Fix

Adds a `--ref-actor-config` behind `--resource` with the largest tensor parallelism that fits both services, and one for
what else the actor splits. An object that bash takes apart, or that is written as Python writes it, is written as JSON
in single quotes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from math import gcd
from typing import Any

from relax_lint.catalog.relax_defaults import FORWARD_CONFIG_OVERWRITTEN, FORWARD_ROLES, PARALLEL_SIZES
from relax_lint.diagnostics import Edit, Finding, Fix, NotChecked, Severity
from relax_lint.fixers.json_values import quoted_json
from relax_lint.fixers.launcher_edits import insert_after
from relax_lint.project import Project
from relax_lint.rules import ADVICE, ERROR, WARNING, Example, rule
from relax_lint.shell.launch import Argument, Launch
from relax_lint.shell.queries import NotKnown, is_broken_off, is_own, open_word, place_of, start_of, why_unknown
from relax_lint.shell.resources import RESOURCE, resource

FLAG = "--ref-actor-config"

_TRAIN = "python3 relax/entrypoints/train.py"
_ROLES = '\'{"actor": [1, 4], "rollout": [1, 2], "reference": [1, 1], "actor_fwd": [1, 1], "advantages": [1, 0]}\''
_ON_POLICY = '\'{"actor": [1, 6], "rollout": [1, 2], "advantages": [1, 0]}\''
_ONE = '{"tensor_model_parallel_size": 1, "sequence_parallel": false}'
_SMALL = '{"tensor_model_parallel_size": 1, "sequence_parallel": false, "expert_tensor_parallel_size": 1}'
_TP4 = "--tensor-model-parallel-size 4"

VALID: list[Example | str] = [
    f"{_TRAIN} --fully-async --resource {_ROLES} {FLAG} '{_ONE}'\n",
    f"{_TRAIN} --fully-async --resource {_ON_POLICY}\n",
    f'{_TRAIN} --colocate --resource \'{{"actor": [1, 8], "rollout": [1, 8]}}\'\n',
    f'{_TRAIN} --hybrid --resource \'{{"actor": [1, 4], "rollout": [1, 4]}}\'\n',
    f"{_TRAIN} --colocate --resource {_ROLES}\n",
    f'{_TRAIN} --fully-async --resource "${{RESOURCE}}"\n',
    f'{_TRAIN} --fully-async --resource {_ROLES} {FLAG} "${{REF_CONFIG}}"\n',
    f"{_TRAIN} --fully-async --resource {_ROLES} {FLAG} '{{}}'\n",
    f'{_TRAIN} --fully-async --resource {_ROLES} "$@"\n',
    f'{_TRAIN} --loss-type sft --fully-async --resource \'{{"sft": [1, 0], "actor": [1, 8]}}\'\n',
    (
        f"REF='{_ONE}'\nRAY_ARGS=(\n    --fully-async\n    --resource {_ROLES}\n    {FLAG} \"$REF\"\n)\n"
        f'{_TRAIN} "${{RAY_ARGS[@]}}"\n'
    ),
    (
        f'{_TRAIN} --fully-async --resource {_ROLES} {FLAG}=\'{{"tensor_model_parallel_size": 1, '
        '"log_probs_max_tokens_per_gpu": 16384}\'\n'
    ),
    f"{_TRAIN} --fully-async --lr 1e-6\n",
    f"{_TRAIN} --fully-async --resource {_ROLES} {FLAG} '{_ONE}' trainer.seed=1 --lr 1e-6\n",
    f'{_TRAIN} --fully-async --resource \'{{"actor": [1, 4], "rollout": [1, 4], "reference": [1, 0]}}\'\n',
]

INVALID = [
    Example(
        f"{_TRAIN} --fully-async {_TP4} --resource {_ROLES} --lr 1e-6\n",
        findings=((1, 81),),
        fixed=f"{_TRAIN} --fully-async {_TP4} --resource {_ROLES} {FLAG} '{_SMALL}' --lr 1e-6\n",
    ),
    Example(
        f"{_TRAIN} \\\n    --resource {_ROLES} \\\n    --fully-async \\\n    {_TP4}\n",
        findings=((2, 5),),
        fixed=f"{_TRAIN} \\\n    --resource {_ROLES} \\\n    {FLAG} '{_SMALL}' \\\n    --fully-async \\\n    {_TP4}\n",
    ),
    Example(
        f"RAY_ARGS=(\n    --resource {_ROLES}\n    --fully-async\n)\nPERF_ARGS=({_TP4} "
        f"--pipeline-model-parallel-size 2)\n"
        f'{_TRAIN} "${{RAY_ARGS[@]}}" "${{PERF_ARGS[@]}}"\n',
        findings=((2, 5),),
        fixed=f"RAY_ARGS=(\n    --resource {_ROLES}\n"
        f'    {FLAG} \'{{"tensor_model_parallel_size": 1, "sequence_parallel": false, '
        '"pipeline_model_parallel_size": 1, "expert_tensor_parallel_size": 1}\'\n'
        f"    --fully-async\n)\nPERF_ARGS=({_TP4} --pipeline-model-parallel-size 2)\n"
        f'{_TRAIN} "${{RAY_ARGS[@]}}" "${{PERF_ARGS[@]}}"\n',
    ),
    Example(
        f'{_TRAIN} --fully-async {_TP4} --resource=\'{{"actor": [1, 8], "rollout": [1, 4], "reference": [1, 2],'
        ' "actor_fwd": [1, 2], "advantages": [1, 0]}\'\n',
        findings=((1, 81),),
        fixed=f'{_TRAIN} --fully-async {_TP4} --resource=\'{{"actor": [1, 8], "rollout": [1, 4], "reference": [1, 2],'
        f' "actor_fwd": [1, 2], "advantages": [1, 0]}}\' {FLAG} \'{{"tensor_model_parallel_size": '
        f'2, "expert_tensor_parallel_size": 1}}\'\n',
    ),
    Example(
        f'RES={_ROLES}\nif [ "${{1:-sync}}" = async ]; then\n    {_TRAIN} --fully-async --resource "$RES"\nelse\n'
        f'    {_TRAIN} --colocate --resource \'{{"actor": [1, 8], "rollout": [1, 8]}}\'\nfi\n',
        findings=((3, 54),),
        fixed=f'RES={_ROLES}\nif [ "${{1:-sync}}" = async ]; then\n'
        f"    {_TRAIN} --fully-async --resource \"$RES\" {FLAG} '{_ONE}'\nelse\n"
        f'    {_TRAIN} --colocate --resource \'{{"actor": [1, 8], "rollout": [1, 8]}}\'\nfi\n',
    ),
    Example(
        f"{_TRAIN} --fully-async --resource {_ROLES} {FLAG} '{{tensor_model_parallel_size: 1}}'\n",
        findings=((1, 164, ERROR),),
    ),
    Example(
        f'{_TRAIN} --fully-async --resource {_ROLES} {FLAG} {{"tensor_model_parallel_size": 1}}\n',
        findings=((1, 164, ERROR),),
        fixed=f"{_TRAIN} --fully-async --resource {_ROLES} {FLAG} '{{\"tensor_model_parallel_size\": 1}}'\n",
    ),
    Example(
        f'{_TRAIN} --fully-async --resource {_ROLES} {FLAG}="{{"tensor_model_parallel_size": 1}}"'
        ' "${MODEL_ARGS[@]}"\n',
        findings=((1, 164, ERROR),),
        fixed=f"{_TRAIN} --fully-async --resource {_ROLES} {FLAG}='{{\"tensor_model_parallel_size\": 1}}'"
        ' "${MODEL_ARGS[@]}"\n',
    ),
    Example(
        f"{_TRAIN} --fully-async --resource {_ROLES} {FLAG} \"{{'sequence_parallel': False}}\" --lr 1e-6\n",
        findings=((1, 164, ERROR),),
        fixed=f"{_TRAIN} --fully-async --resource {_ROLES} {FLAG} '{{\"sequence_parallel\": false}}' --lr 1e-6\n",
    ),
    Example(f"{_TRAIN} --fully-async --resource {_ROLES} {FLAG} '[1, 2]'\n", findings=((1, 164, ERROR),)),
    Example(f"{_TRAIN} --fully-async --resource {_ROLES} {FLAG} --lr 1e-6\n", findings=((1, 164, ERROR),)),
    Example(
        f"{_TRAIN} --fully-async --resource {_ROLES} \\\n"
        f'    {FLAG} \'{{"tensor_model_parallel_size": 1, "max_tokens_per_gpu": 16384, "only_load_weight": true}}\'\n',
        findings=((2, 5, ADVICE), (2, 5, ADVICE)),
    ),
    Example(
        f"{_TRAIN} --fully-async --resource {_ROLES} {FLAG}='{{\"tensor-model-parallel-size\": 1}}'\n",
        findings=((1, 164, ADVICE),),
    ),
    Example(
        f'REF={{\nRAY_ARGS=(--fully-async --resource {_ROLES})\nRAY_ARGS+=({FLAG} "${{REF}}")\n'
        f'{_TRAIN} "${{RAY_ARGS[@]}}"\n',
        findings=((3, 12, ERROR),),
    ),
    Example(
        f'run() {{ {_TRAIN} --resource {_ROLES} "$@"; }}\nrun --fully-async\n',
        findings=((1, 44),),
        fixed=f"run() {{ {_TRAIN} --resource {_ROLES} {FLAG} '{_ONE}' \"$@\"; }}\nrun --fully-async\n",
    ),
]


@rule("RLX411", "ref-actor-config", WARNING, on="launch", everywhere=True, valid=VALID, invalid=INVALID, fixable="safe")
def ref_actor_config(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """Say that it is missing, unreadable or without effect."""
    if launch.kind != "relax" or launch.mode != "async":
        return
    argument = launch.last(FLAG)
    if argument is not None:
        yield from _judged(argument, launch)
        return
    if is_broken_off(launch) or launch.may_have(FLAG):
        broken = is_broken_off(launch)
        yield NotChecked(start_of(launch), "a broken continuation" if broken else open_word(launch, FLAG))
        return
    try:
        gpus = {role: count for role, count in resource(launch).items() if role in FORWARD_ROLES and count}
    except NotKnown as unknown:
        yield NotChecked(unknown.place, unknown.because)
        return
    if gpus:
        yield _missing(launch, gpus, project)


def _judged(argument: Argument, launch: Launch) -> Iterator[Finding | NotChecked]:
    place = place_of(launch, argument.word)
    if argument.values and not argument.values[0].known:
        yield NotChecked(place, why_unknown(argument.values[0]))
        return

    def finding(message: str, severity: Severity, edit: Edit | None = None) -> Finding:
        fix = None if edit is None else Fix("write it as JSON in single quotes", lambda: [edit])
        return Finding(place, message, severity=severity, fix=fix, launch=launch, subject=FLAG)

    if not argument.values:
        yield finding(f"{FLAG} takes one JSON object: it has no value", ERROR)
        return
    try:
        given = json.loads(argument.values[0].text)
    except ValueError as error:
        split = argument.value is None
        reason = (
            "takes one JSON object: bash splits it into several words; quote it" if split else f"is not JSON: {error}"
        )
        yield finding(f"{FLAG} {reason}", ERROR, quoted_json(argument))
        return
    if given is None:
        yield finding(f"{FLAG} null is as good as none", WARNING)
        return
    if not isinstance(given, dict):
        yield finding(f"{FLAG} takes a JSON object, not {json.dumps(given)}", ERROR)
        return
    for key in given:
        if key in FORWARD_CONFIG_OVERWRITTEN:
            yield finding(f"{key} in {FLAG} has no effect: {FORWARD_CONFIG_OVERWRITTEN[key]}", ADVICE)
        elif "-" in key:
            name = key.lstrip("-").replace("-", "_")
            yield finding(f"{key} in {FLAG} has no effect: keys are spelt as attributes, {name}", ADVICE)


def _missing(launch: Launch, gpus: Mapping[str, int], project: Project) -> Finding:
    roles = " and ".join(gpus)
    anchor = launch.last(RESOURCE)
    own = anchor is not None and anchor.word.place is not None and is_own(project, launch, anchor.word.place)
    config = json.dumps(_layout(launch, gpus))
    edit = insert_after(anchor, [f"{FLAG} '{config}'"]) if anchor is not None and own else None
    return Finding(
        place_of(launch, None if anchor is None else anchor.word),
        f"{FLAG} missing: {roles} would take the actor's own parallelism on "
        f"{' and '.join(map(str, gpus.values()))} GPUs",
        fix=None if edit is None else Fix(f"add {FLAG}", lambda: [edit]),
        launch=launch,
        subject=FLAG,
    )


def _layout(launch: Launch, gpus: Mapping[str, int]) -> dict[str, Any]:
    """A layout that fits every service: the actor's tensor parallelism as far as it divides their GPUs, else none."""
    actors = _given(launch, "--tensor-model-parallel-size", absent=1)
    tensor = actors or 1
    for count in gpus.values():
        tensor = gcd(tensor, count)
    layout: dict[str, Any] = {"tensor_model_parallel_size": tensor}
    if tensor == 1:
        layout["sequence_parallel"] = False
    for size in PARALLEL_SIZES[1:]:
        # Expert tensor parallelism becomes the actor's tensor parallelism before this is read.
        absent = actors if size == "expert_tensor_parallel_size" and actors != tensor else 1
        if _given(launch, f"--{size.replace('_', '-')}", absent) != 1:
            layout[size] = 1
    return layout


def _given(launch: Launch, flag: str, absent: int | None) -> int | None:
    argument = launch.last(flag)
    try:
        return absent if argument is None else int(argument.value or "")
    except ValueError:
        return None
