"""The number of parts in which an asynchronous update is fetched is missing, or does not suit.

## What

A fully asynchronous launch without `--num-iters-per-train-update`; one whose number leaves a service less than whole
groups of samples (`--global-batch-size`, divided among the replicas of the service and by this number, must be a
multiple of `--n-samples-per-prompt`, unless batches are dynamic), or is 0; and the flag in any other mode but hybrid.

## Why

The number says in how many parts the trainer, the reference and the advantages fetch the samples of an update while the
rollout still makes more. Without it nobody begins before the last sample is there, and asynchronous training loses
most of what it is for. A part that is no whole number of groups ends the service with an error. Other modes never
read the flag.

## Source

Guide: 8 (4 to 8) in fully asynchronous training, not needed in colocate. Relax's samplers and services.

## Example

    --fully-async --global-batch-size 64 --n-samples-per-prompt 8 --num-iters-per-train-update 16

## Fix

Unsafe: adds the flag with the guide's 8, or takes it away where nothing reads it. By hand where the number does not
suit.
"""

from __future__ import annotations

from collections.abc import Iterator

from relax_lint.constraints.engine import Violation
from relax_lint.constraints.reporting import outcomes
from relax_lint.diagnostics import Finding, Fix, NotChecked
from relax_lint.fixers.constraint_fixes import named_fix
from relax_lint.project import Project
from relax_lint.rules import ERROR, WARNING, Example, rule
from relax_lint.shell.launch import Launch

FLAG = "--num-iters-per-train-update"

_TRAIN = "python3 relax/entrypoints/train.py"
_BATCH = "--rollout-batch-size 32 --n-samples-per-prompt 8 --global-batch-size 256"
_ROLES = '--resource \'{"actor": [1, 4], "rollout": [1, 2], "reference": [1, 2], "advantages": [1, 0]}\''
_REASON = "how an update is divided decides how old its samples are"

VALID: list[Example | str] = [
    f"{_TRAIN} --fully-async {FLAG} 8\n",
    f"{_TRAIN} --fully-async {_BATCH} {FLAG} 8 {_ROLES}\n",
    f'{_TRAIN} --fully-async {_BATCH} {FLAG}=32 --resource \'{{"actor": [1, 4], "rollout": [1, 4]}}\'\n',
    f"{_TRAIN} --fully-async {_BATCH} {FLAG} 100 {_ROLES} --use-dynamic-batch-size --max-tokens-per-gpu 9216\n",
    f"{_TRAIN} --fully-async {FLAG} 1\n",
    f"{_TRAIN} --colocate {_BATCH}\n",
    f"{_TRAIN} --hybrid {FLAG} 4\n",
    f"{_TRAIN} --hybrid\n",
    f"{_TRAIN} --loss-type sft --colocate --fully-async\n",
    f'ASYNC=(--fully-async)\nASYNC+=({FLAG} 8)\n{_TRAIN} "${{ASYNC[@]}}"\n',
    f'{_TRAIN} --fully-async "$@"\n',
    f"{_TRAIN} --fully-async $EXTRA_ARGS\n",
    f'{_TRAIN} --fully-async {_BATCH} {FLAG} "${{ITERS}}"\n',
    f"{_TRAIN} --fully-async --debug-rollout-only\n",
    f"{_TRAIN} --fully-async --debug-train-only\n",
    Example(
        {
            "examples/demo/run_demo.sh": f"{_TRAIN} --fully-async --custom-config-path examples/demo/demo.yaml\n",
            "examples/demo/demo.yaml": "num_iters_per_train_update: 8\n",
        }
    ),
    f'if [ "${{1:-sync}}" = async ]; then\n    {_TRAIN} --fully-async {FLAG} 8\nelse\n    {_TRAIN} --colocate\nfi\n',
    f'{_TRAIN} --fully-async --colocate=1 {FLAG} 8 "${{MODEL_ARGS[@]}}"\n',
]

INVALID = [
    Example(
        f"{_TRAIN} --fully-async --lr 1e-6\n",
        findings=((1, 36),),
        fixed=f"{_TRAIN} --fully-async {FLAG} 8 --lr 1e-6\n",
        unsafe=True,
    ),
    Example(
        f'RAY_ARGS=(\n    --fully-async\n    --use-health-check\n)\n{_TRAIN} "${{RAY_ARGS[@]}}"\n',
        findings=((2, 5),),
        fixed=f'RAY_ARGS=(\n    --fully-async\n    {FLAG} 8\n    --use-health-check\n)\n{_TRAIN} "${{RAY_ARGS[@]}}"\n',
        unsafe=True,
    ),
    Example(
        f'if [ "${{1:-sync}}" = async ]; then\n    {_TRAIN} --fully-async\nelse\n'
        f"    {_TRAIN} --colocate {FLAG} 8\nfi\n",
        findings=((2, 40), (4, 51)),
        fixed=f'if [ "${{1:-sync}}" = async ]; then\n    {_TRAIN} --fully-async {FLAG} 8\nelse\n'
        f"    {_TRAIN} --colocate\nfi\n",
        unsafe=True,
    ),
    Example(
        f"{_TRAIN} \\\n    --colocate \\\n    {FLAG} 8 \\\n    --lr 1e-6\n",
        findings=((3, 5),),
        fixed=f"{_TRAIN} \\\n    --colocate \\\n    --lr 1e-6\n",
        unsafe=True,
    ),
    Example(
        f'A=({FLAG}=4)\n{_TRAIN} --loss-type sft "${{A[@]}}"\n',
        findings=((1, 4),),
        fixed=f'A=()\n{_TRAIN} --loss-type sft "${{A[@]}}"\n',
        unsafe=True,
    ),
    Example(
        f'COMMON=({FLAG} 8)\nif [ "$1" = async ]; then\n    {_TRAIN} --fully-async "${{COMMON[@]}}"\nelse\n'
        f'    {_TRAIN} --colocate "${{COMMON[@]}}"\nfi\n',
        findings=((1, 9),),
    ),
    Example(
        f"{_TRAIN} --fully-async {_BATCH} {FLAG} 64 {_ROLES}\n",
        findings=((1, 123, ERROR),),
    ),
    Example(
        f"{_TRAIN} --fully-async {_BATCH} {FLAG} 512 {_ROLES}\n",
        findings=((1, 123, ERROR),),
    ),
    Example(
        f'ITERS=24\nASYNC=(--fully-async {FLAG} $ITERS)\n{_TRAIN} {_BATCH} {_ROLES} "${{ASYNC[@]}}"\n',
        findings=((2, 22, ERROR),),
    ),
    Example(
        f"{_TRAIN} --fully-async {_BATCH} {FLAG} 32 {_ROLES}\n",
        findings=((1, 123, ERROR),),
    ),
    Example(f"{_TRAIN} --fully-async {FLAG} 0\n", findings=((1, 50, ERROR),)),
    Example(
        f'run() {{ {_TRAIN} "$@"; }}\nrun --fully-async --max-staleness 2\n',
        findings=((2, 5),),
        fixed=f'run() {{ {_TRAIN} "$@"; }}\nrun --fully-async {FLAG} 8 --max-staleness 2\n',
        unsafe=True,
    ),
    Example(
        {
            "scripts/training/text/run-demo.sh": f"{_TRAIN} --colocate --resource '{{}}' {FLAG} 2\n",
        },
        findings=(("scripts/training/text/run-demo.sh", 1, 63),),
        fixed={"scripts/training/text/run-demo.sh": f"{_TRAIN} --colocate --resource '{{}}'\n"},
        unsafe=True,
    ),
]


@rule("RLX415", "async-iters", WARNING, on="launch", everywhere=True, valid=VALID, invalid=INVALID, fixable="unsafe")
def async_iters(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """Report what the table of constraints says of the launch."""

    def fix(violation: Violation) -> Fix | None:
        return named_fix(violation, launch, project, reason=_REASON)

    yield from outcomes(launch, project, "RLX415", fix=fix)
