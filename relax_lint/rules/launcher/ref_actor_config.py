"""The forward services of a fully asynchronous launch get no configuration of their own.

## What

A fully asynchronous launch whose `--resource` has a `reference` or `actor_fwd` role and that has no
`--ref-actor-config`, an error where the actor's parallel sizes do not fit the GPUs of these roles; a
`--ref-actor-config` that is not a JSON object; and, as advice, keys in it that change nothing: names with dashes, and
`max_tokens_per_gpu` and `only_load_weight`, which Relax sets again right after it has read them.

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
from collections.abc import Iterator
from math import gcd
from typing import Any

from relax_lint.constraints.engine import Violation
from relax_lint.constraints.facts import Facts
from relax_lint.constraints.reporting import Judged, judged, outcomes
from relax_lint.constraints.roles import OVERWRITTEN_KEYS
from relax_lint.diagnostics import Finding, Fix, NotChecked
from relax_lint.fixers.constraint_fixes import may_change
from relax_lint.fixers.json_values import quoted_json
from relax_lint.fixers.launcher_edits import insert_after
from relax_lint.project import Project
from relax_lint.rules import ADVICE, ERROR, WARNING, Example, rule
from relax_lint.shell.launch import Launch
from relax_lint.shell.queries import is_own

FLAG, RESOURCE, EXPERT_TENSOR = "--ref-actor-config", "--resource", "--expert-tensor-parallel-size"

_MISSING = ("guide-ref-actor-config", "ref-actor-config-needed")
"""The constraints that want the flag."""

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
        findings=((1, 81, ERROR),),
        fixed=f"{_TRAIN} --fully-async {_TP4} --resource {_ROLES} {FLAG} '{_SMALL}' --lr 1e-6\n",
    ),
    Example(
        f"{_TRAIN} \\\n    --resource {_ROLES} \\\n    --fully-async \\\n    {_TP4}\n",
        findings=((2, 5, ERROR),),
        fixed=f"{_TRAIN} \\\n    --resource {_ROLES} \\\n    {FLAG} '{_SMALL}' \\\n    --fully-async \\\n    {_TP4}\n",
    ),
    Example(
        f"RAY_ARGS=(\n    --resource {_ROLES}\n    --fully-async\n)\nPERF_ARGS=({_TP4} "
        f"--pipeline-model-parallel-size 2)\n"
        f'{_TRAIN} "${{RAY_ARGS[@]}}" "${{PERF_ARGS[@]}}"\n',
        findings=((2, 5, ERROR),),
        fixed=f"RAY_ARGS=(\n    --resource {_ROLES}\n"
        f'    {FLAG} \'{{"tensor_model_parallel_size": 1, "sequence_parallel": false, '
        '"pipeline_model_parallel_size": 1, "expert_tensor_parallel_size": 1}\'\n'
        f"    --fully-async\n)\nPERF_ARGS=({_TP4} --pipeline-model-parallel-size 2)\n"
        f'{_TRAIN} "${{RAY_ARGS[@]}}" "${{PERF_ARGS[@]}}"\n',
    ),
    Example(
        f'{_TRAIN} --fully-async {_TP4} --resource=\'{{"actor": [1, 8], "rollout": [1, 4], "reference": [1, 2],'
        ' "actor_fwd": [1, 2], "advantages": [1, 0]}\'\n',
        findings=((1, 81, ERROR),),
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
    """Report what the table of constraints says of the launch, each key by itself."""
    about = judged(launch, project)
    is_missing = any(violation.constraint.id in _MISSING for violation in about.violations("RLX411"))
    for found in outcomes(launch, project, "RLX411", fix=lambda violation: _fix(violation, about)):
        if isinstance(found, Finding) and found.severity is ADVICE and about.facts.get("mode") == "async":
            yield from _each_key(found, about)
        elif isinstance(found, Finding) or not is_missing:  # what else it would be is no matter then
            yield found


def _each_key(found: Finding, about: Judged) -> Iterator[Finding]:
    for key in about.facts.get("dead_config_keys"):
        name = key.lstrip("-").replace("-", "_")
        reason = OVERWRITTEN_KEYS.get(key) or (
            f"keys are spelt as attributes, {name}" if key != name else "nobody reads it"
        )
        yield found._replace(message=f"{key} in {FLAG} has no effect: {reason}")


def _fix(violation: Violation, about: Judged) -> Fix | None:
    id, launch, project = violation.constraint.id, about.launch, about.project
    if id == "ref-actor-config-spelling":
        written = violation.argument
        own = written is not None and written.word.place is not None and is_own(project, launch, written.word.place)
        edit = quoted_json(written) if own and written is not None else None
        return None if edit is None else Fix("write it as JSON in single quotes", lambda: [edit])
    anchor = violation.argument
    if id not in _MISSING or anchor is None or anchor.flag != RESOURCE:
        return None
    if not may_change(anchor, violation, launch, project):
        return None
    added = insert_after(anchor, [f"{FLAG} '{json.dumps(_layout(about.facts))}'"])
    return None if added is None else Fix(f"add {FLAG}", lambda: [added])


def _layout(facts: Facts) -> dict[str, Any]:
    """A layout that fits every service: the actor's tensor parallelism as far as it divides their GPUs, else none."""
    actors = facts.get("tensor_model_parallel_size")
    tensor = actors if isinstance(actors, int) else 1
    for count in facts["forward_roles"].values():
        tensor = gcd(tensor, count)
    layout: dict[str, Any] = {"tensor_model_parallel_size": tensor}
    if tensor == 1:
        layout["sequence_parallel"] = False
    for size in ("pipeline_model_parallel_size", "context_parallel_size", "expert_model_parallel_size"):
        if facts.get(size) != 1:
            layout[size] = 1
    experts = facts.get("expert_tensor_parallel")
    if experts != 1 and (experts != tensor or facts.namespace.given(EXPERT_TENSOR) is True):
        layout["expert_tensor_parallel_size"] = 1
    return layout
