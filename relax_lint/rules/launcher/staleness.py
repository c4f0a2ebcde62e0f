"""How far the rollout may run ahead of the trainer does not suit the mode.

## What

`--max-staleness` above 1 in a colocated launch; below 2 or above 3 in a fully asynchronous one, where absent means 0; a
negative one, which Relax refuses. As advice, 1 in a colocated launch, which the guide writes where today's Relax
means 0 by on-policy, and a fully asynchronous launch whose rollout is one update, which Relax then takes for
on-policy although the rollout runs ahead, and that does not correct with `--use-tis`. Hybrid launches and runs that
debug one half of the machinery are left alone.

## Why

The staleness is the number of rollouts that may wait while the trainer still works on an older one. In colocated
training it only makes samples old, since both take turns on the same GPUs. In asynchronous training 0 and 1 make the
two sides wait for each other, so that the GPUs of one of them idle, and much more than 3 trains on samples of a policy
that is long gone.

## Source

Guide: 1 (strictly on-policy) for colocate, 3 (2 to 3 recommended) for fully async. Relax counts from 0 and refuses
less.

## Example

    --colocate --max-staleness 3

## Fix

Unsafe, since another staleness changes what is learned: the nearest value that the guide wants, or 0 in colocated
training; `--use-tis`.
"""

from __future__ import annotations

from collections.abc import Iterator

from relax_lint.constraints.reporting import outcomes
from relax_lint.diagnostics import Finding, NotChecked
from relax_lint.fixers.constraint_fixes import named_fix
from relax_lint.project import Project
from relax_lint.rules import ADVICE, ERROR, WARNING, Example, rule
from relax_lint.shell.launch import Launch

_TRAIN = "python3 relax/entrypoints/train.py"
_BATCH = "--rollout-batch-size 32 --n-samples-per-prompt 8 --global-batch-size"
_REASON = "another staleness, and what corrects for it, change what is learned"

VALID: list[Example | str] = [
    f"{_TRAIN} --colocate --max-staleness 0\n",
    f"{_TRAIN} --colocate --lr 1e-6\n",
    f"{_TRAIN} --fully-async --max-staleness 2\n",
    f'ASYNC=(--fully-async --max-staleness=3)\n{_TRAIN} "${{ASYNC[@]}}"\n',
    f"{_TRAIN} --hybrid --max-staleness 5\n",
    f'{_TRAIN} --max-staleness 5 --resource \'{{"actor": [1, 4], "rollout": [1, 4]}}\'\n',
    f"{_TRAIN} --loss-type sft --max-staleness 4 --colocate\n",
    f"{_TRAIN} --fully-async --max-staleness 2 {_BATCH} 256 --use-tis\n",
    f"{_TRAIN} --fully-async --max-staleness 3 {_BATCH} 128\n",
    f'{_TRAIN} --fully-async --max-staleness "$STALENESS"\n',
    f'{_TRAIN} --fully-async "$@"\n',
    f"{_TRAIN} --colocate --debug-rollout-only --max-staleness 4\n",
    f"{_TRAIN} --fully-async --debug-train-only\n",
    f"{_TRAIN} --fully-async --load-debug-rollout-data /d/{{rollout_id}}.pt --max-staleness 0\n",
    f"{_TRAIN} --colocate --max-staleness 3 --max-staleness 0\n",
    (
        f'M=${{1:-sync}}\ncase "$M" in\n  async) MODE=(--fully-async --max-staleness 2) ;;\n'
        f'  *) MODE=(--colocate --max-staleness 0) ;;\nesac\n{_TRAIN} "${{MODE[@]}}"\n'
    ),
    (
        f'STALENESS=3\n[ "$1" = async ] || STALENESS=0\nif [ "$1" = async ]; then\n'
        f"  {_TRAIN} --fully-async --max-staleness $STALENESS\nelse\n  {_TRAIN} --colocate --max-staleness 0\nfi\n"
    ),
    "python3 -m verl.trainer.main_ppo trainer.max_staleness=9\n",
]

INVALID = [
    Example(
        f"{_TRAIN} --colocate --max-staleness 3\n",
        findings=((1, 47),),
        fixed=f"{_TRAIN} --colocate --max-staleness 0\n",
        unsafe=True,
    ),
    Example(
        f"{_TRAIN} --colocate --max-staleness=1\n",
        findings=((1, 47, ADVICE),),
        fixed=f"{_TRAIN} --colocate --max-staleness=0\n",
        unsafe=True,
    ),
    Example(
        f"{_TRAIN} \\\n    --fully-async \\\n    --max-staleness 1\n",
        findings=((3, 5),),
        fixed=f"{_TRAIN} \\\n    --fully-async \\\n    --max-staleness 2\n",
        unsafe=True,
    ),
    Example(
        f"{_TRAIN} \\\n    --fully-async \\\n    --lr 1e-6\n",
        findings=((2, 5),),
        fixed=f"{_TRAIN} \\\n    --fully-async \\\n    --max-staleness 2 \\\n    --lr 1e-6\n",
        unsafe=True,
    ),
    Example(
        f'RAY_ARGS=(\n    --fully-async\n    --max-staleness 8   # far ahead\n)\n{_TRAIN} "${{RAY_ARGS[@]}}"\n',
        findings=((3, 5),),
        fixed=f'RAY_ARGS=(\n    --fully-async\n    --max-staleness 3   # far ahead\n)\n{_TRAIN} "${{RAY_ARGS[@]}}"\n',
        unsafe=True,
    ),
    Example(
        f"{_TRAIN} --fully-async --max-staleness -1\n",
        findings=((1, 50, ERROR),),
        fixed=f"{_TRAIN} --fully-async --max-staleness 2\n",
        unsafe=True,
    ),
    Example(f"{_TRAIN} --loss-type sft --max-staleness -2\n", findings=((1, 52, ERROR),)),
    Example(
        f"{_TRAIN} --fully-async --max-staleness 2 {_BATCH} 256\n",
        findings=((1, 50, ADVICE),),
        fixed=f"{_TRAIN} --fully-async --max-staleness 2 --use-tis {_BATCH} 256\n",
        unsafe=True,
    ),
    Example(f"S=${{STALENESS:-5}}\n{_TRAIN} --colocate --max-staleness $S\n", findings=((2, 47),)),
    Example(
        f'COMMON=(--max-staleness 2)\nif [ "${{1:-sync}}" = async ]; then\n'
        f'    {_TRAIN} --fully-async "${{COMMON[@]}}"\nelse\n    {_TRAIN} --colocate "${{COMMON[@]}}"\nfi\n',
        findings=((1, 9),),
    ),
    Example(
        f'run() {{ {_TRAIN} --colocate "$@"; }}\nrun --max-staleness 4\n',
        findings=((2, 5),),
        fixed=f'run() {{ {_TRAIN} --colocate "$@"; }}\nrun --max-staleness 0\n',
        unsafe=True,
    ),
    Example(
        {
            "examples/demo/run_demo.sh": f'source "$(dirname "$0")/mode.sh"\n{_TRAIN} "${{MODE_ARGS[@]}}"\n',
            "examples/demo/mode.sh": "MODE_ARGS=(--fully-async)\nMODE_ARGS+=(--max-staleness 0)\n",
        },
        findings=(("examples/demo/mode.sh", 2, 13),),
        fixed={"examples/demo/mode.sh": "MODE_ARGS=(--fully-async)\nMODE_ARGS+=(--max-staleness 2)\n"},
        unsafe=True,
    ),
    Example(
        {
            "examples/demo/run_demo.sh": f"{_TRAIN} --colocate --custom-config-path examples/demo/demo.yaml\n",
            "examples/demo/demo.yaml": "max_staleness: 4\n",
        },
        findings=(("examples/demo/run_demo.sh", 1, 1),),
    ),
]


@rule("RLX414", "staleness", WARNING, on="launch", everywhere=True, valid=VALID, invalid=INVALID, fixable="unsafe")
def staleness(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """Report what the table of constraints says of the launch."""
    yield from outcomes(
        launch, project, "RLX414", fix=lambda violation: named_fix(violation, launch, project, reason=_REASON)
    )
