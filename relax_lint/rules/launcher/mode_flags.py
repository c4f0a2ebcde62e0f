"""The flags that say how a launch runs contradict each other, are missing, or do nothing.

## What

`--fully-async` and `--colocate` together, unless `--hybrid` is there, which is both; a reinforcement-learning launch
with none of the three; and, as advice, `--balance-data` in an asynchronous launch with dynamic batches. Runs that debug
one half of the machinery need no mode.

## Why

Relax refuses the pair. With none of the flags actor and rollout take GPUs of their own and wait for each other: the
launch needs twice the machines, and half of them idle. The streaming sampler of asynchronous training with dynamic
batches balances by tokens itself and never looks at `--balance-data`.

## Source

Guide: every launch is `--colocate` (sync) or `--fully-async`; `--balance-data` belongs to colocate. Relax's argument
checks and its choice of a sampler.

## Example

    --fully-async --colocate --resource '{"actor": [1, 4], "rollout": [1, 4], "advantages": [1, 0]}'

## Fix

Takes `--colocate` away where `--resource` has roles that only asynchronous training starts; adds `--colocate` where it
gives actor and rollout as many GPUs and nobody else any; takes `--balance-data` away where it does nothing. Unsafe
where the roles do not tell which mode is meant: `--hybrid`, as Relax's own message says.
"""

from __future__ import annotations

from collections.abc import Iterator

from relax_lint.constraints.engine import Violation
from relax_lint.constraints.reporting import judged, outcomes
from relax_lint.diagnostics import Finding, Fix, NotChecked
from relax_lint.fixers.constraint_fixes import may_change, named_fix
from relax_lint.fixers.launcher_edits import insert_after
from relax_lint.project import Project
from relax_lint.rules import ADVICE, ERROR, WARNING, Example, rule
from relax_lint.shell.launch import Launch

ASYNC_ROLES = frozenset({"advantages", "reference", "actor_fwd"})

_TRAIN = "python3 relax/entrypoints/train.py"
_SPLIT = '--resource \'{"actor": [1, 4], "rollout": [1, 4], "advantages": [1, 0]}\''
_SHARED = '--resource \'{"actor": [1, 8], "rollout": [1, 8]}\''
_APART = '--resource \'{"actor": [1, 8], "rollout": [1, 4]}\''
_DYNAMIC = "--use-dynamic-batch-size --max-tokens-per-gpu 9216"

VALID: list[Example | str] = [
    f"{_TRAIN} --colocate {_SHARED}\n",
    f"{_TRAIN} --fully-async {_SPLIT}\n",
    f"{_TRAIN} --hybrid {_APART}\n",
    f"{_TRAIN} --hybrid --fully-async --colocate {_APART}\n",
    f'{_TRAIN} --loss-type sft --resource \'{{"sft": [1, 0], "actor": [1, 8]}}\'\n',
    f"{_TRAIN} --debug-rollout-only --colocate --fully-async\n",
    f"{_TRAIN} --debug-train-only --lr 1e-6\n",
    f"{_TRAIN} --debug-rollout-only --rollout-num-gpus 8\n",
    f"{_TRAIN} --load-debug-rollout-data /d/{{rollout_id}}.pt\n",
    f"{_TRAIN} --colocate --balance-data {_DYNAMIC}\n",
    f"{_TRAIN} --fully-async --balance-data --micro-batch-size 1\n",
    f'{_TRAIN} {_SHARED} "$@"\n',
    f"{_TRAIN} {_SHARED} ${{MODE_ARGS}}\n",
    (
        f'MODE=${{1:-sync}}\nif [ "$MODE" = async ]; then\n    M=(--fully-async)\nelse\n    M=(--colocate)\nfi\n'
        f'{_TRAIN} "${{M[@]}}"\n'
    ),
    f'run() {{ {_TRAIN} "$@"; }}\nrun --colocate\n',
    f'RAY_ARGS=(--fully-async\n  # --colocate\n)\n{_TRAIN} "${{RAY_ARGS[@]}}"\n',
    "python3 -m verl.trainer.main_ppo trainer.n_gpus_per_node=8\n",
    f'{_TRAIN} --fully-async "${{EXTRA_ARGS[@]}}"\n',
    Example(
        {
            "examples/demo/run_demo.sh": f'source "$(dirname "$0")/m.sh"\n{_TRAIN} $MODE_FLAG\n',
            "examples/demo/m.sh": "MODE_FLAG=--colocate\n",
        }
    ),
]

INVALID = [
    Example(
        f"{_TRAIN} --fully-async --colocate {_SPLIT}\n",
        findings=((1, 50),),
        fixed=f"{_TRAIN} --fully-async {_SPLIT}\n",
    ),
    Example(
        f'RAY_ARGS=(\n    --fully-async\n    --colocate\n    {_SPLIT}\n)\n{_TRAIN} "${{RAY_ARGS[@]}}"\n',
        findings=((3, 5),),
        fixed=f'RAY_ARGS=(\n    --fully-async\n    {_SPLIT}\n)\n{_TRAIN} "${{RAY_ARGS[@]}}"\n',
    ),
    Example(
        f"{_TRAIN} \\\n    --colocate \\\n    --fully-async \\\n    {_APART}\n",
        findings=((2, 5),),
        fixed=f"{_TRAIN} \\\n    --colocate \\\n    --hybrid \\\n    --fully-async \\\n    {_APART}\n",
        unsafe=True,
    ),
    Example(f"{_TRAIN} --loss-type sft --fully-async --colocate\n", findings=((1, 66),)),
    Example(
        f'COMMON=(--colocate --balance-data)\nif [ "$1" = async ]; then\n'
        f'    {_TRAIN} --fully-async "${{COMMON[@]}}" {_SPLIT}\nelse\n    {_TRAIN} "${{COMMON[@]}}" {_SHARED}\nfi\n',
        findings=((1, 9),),
    ),
    Example(
        f"{_TRAIN} {_SHARED} --lr 1e-6\n",
        findings=((1, 1, WARNING),),
        fixed=f"{_TRAIN} {_SHARED} --colocate --lr 1e-6\n",
    ),
    Example(
        f'RAY_ARGS=(\n    {_SHARED}\n    --max-staleness 0\n)\n{_TRAIN} "${{RAY_ARGS[@]}}"\n',
        findings=((5, 1, WARNING),),
        fixed=f'RAY_ARGS=(\n    {_SHARED}\n    --colocate\n    --max-staleness 0\n)\n{_TRAIN} "${{RAY_ARGS[@]}}"\n',
    ),
    Example(f"{_TRAIN} {_APART}\n", findings=((1, 1, WARNING),)),
    Example(f"{_TRAIN} {_SPLIT}\n", findings=((1, 1, WARNING),)),
    Example(
        f'if [ "${{1:-sync}}" = async ]; then\n    {_TRAIN} --fully-async {_SPLIT}\nelse\n    {_TRAIN} {_SHARED}\nfi\n',
        findings=((4, 5, WARNING),),
        fixed=f'if [ "${{1:-sync}}" = async ]; then\n    {_TRAIN} --fully-async {_SPLIT}\nelse\n'
        f"    {_TRAIN} {_SHARED} --colocate\nfi\n",
    ),
    Example(
        f'MODE_ARGS=(--colocate)\n{_TRAIN} --resource="$RESOURCE" --lr 1e-6\n',
        findings=((2, 1, WARNING),),
    ),
    Example(
        f"{_TRAIN} --fully-async --balance-data {_DYNAMIC}\n",
        findings=((1, 50, ADVICE),),
        fixed=f"{_TRAIN} --fully-async {_DYNAMIC}\n",
    ),
    Example(
        f'ARGS=(--balance-data {_DYNAMIC})\nif [ "$1" = async ]; then\n    {_TRAIN} --fully-async "${{ARGS[@]}}"\n'
        f'else\n    {_TRAIN} --colocate "${{ARGS[@]}}"\nfi\n',
        findings=((1, 7, ADVICE),),
    ),
    Example(
        {"scripts/training/text/run-demo.sh": f"{_TRAIN} \\\n    --colocate \\\n    --fully-async\n"},
        findings=(("scripts/training/text/run-demo.sh", 2, 5, ERROR),),
        fixed={
            "scripts/training/text/run-demo.sh": f"{_TRAIN} \\\n    --colocate \\\n    --hybrid \\\n    --fully-async\n"
        },
        unsafe=True,
    ),
]


@rule("RLX413", "mode-flags", ERROR, on="launch", everywhere=True, valid=VALID, invalid=INVALID, fixable="safe")
def mode_flags(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """Report what the table of constraints says of the launch."""
    yield from outcomes(launch, project, "RLX413", fix=lambda violation: _fix(violation, launch, project))


def _fix(violation: Violation, launch: Launch, project: Project) -> Fix | None:
    if violation.constraint.id == "async-with-colocate":
        if not ASYNC_ROLES.isdisjoint(_roles(launch, project)):
            return named_fix(violation, launch, project, wanted="drop --colocate")
        if launch.mode != "sft":
            reason = "whether hybrid, asynchronous or colocated training was meant is not known"
            return named_fix(violation, launch, project, wanted="set --hybrid", reason=reason)
        return None
    if violation.constraint.id == "guide-mode":
        return _colocated(violation, launch, project)
    return named_fix(violation, launch, project, wanted="drop --balance-data")


def _colocated(violation: Violation, launch: Launch, project: Project) -> Fix | None:
    """``--colocate`` behind a resource that gives actor and rollout as many GPUs, and nobody else any."""
    roles, anchor = _roles(launch, project), launch.last("--resource")
    if anchor is None or set(roles) != {"actor", "rollout"} or roles["actor"] != roles["rollout"]:
        return None
    if not may_change(anchor, violation, launch, project):
        return None
    edit = insert_after(anchor, ["--colocate"])
    return None if edit is None else Fix("add --colocate", lambda: [edit])


def _roles(launch: Launch, project: Project) -> dict[str, object]:
    roles = judged(launch, project).facts.get("roles")
    return roles if isinstance(roles, dict) else {}
