"""`--resource` does not give the launch what its mode needs.

## What

`--resource` missing, not JSON, or with an entry that is not `[1, GPUs]`; a role missing that the mode needs (actor and
rollout; `sft` in supervised fine-tuning; `reference` in asynchronous training with a KL penalty, `actor_fwd` where one
rollout is not one update, a judge and a teacher where the launch names their models); an actor, or a service that
computes log-probabilities, with 0 GPUs; a colocated launch whose rollout does not have the actor's GPUs, or whose judge
or teacher does not fit beside it; an actor with more GPUs than a node and no whole number of nodes. As a warning, an
asynchronous launch without `advantages`; as advice, a role with GPUs that this launch never starts.

## Why

Relax reads most of it without a check: it divides by the actor's GPUs, trains on fewer than it started, gives the
rollout of a colocated launch others than written, or waits for a role that nobody starts. A role that is not wanted
holds its GPUs until the run ends.

## Source

Guide: `[1, N]` for actor and rollout in colocate, a split among five roles in async. Relax's argument checks, its
registry of roles and its controller.

## Example

    --fully-async --use-kl-loss --resource '{"actor": [1, 4], "rollout": [1, 4], "advantages": [1, 0]}'

## Fix

An object that bash takes apart, or that is written as Python writes it, is written as JSON in single quotes. Who gets
how many GPUs is for the author to say.
"""

from __future__ import annotations

from collections.abc import Iterator

from relax_lint.constraints.engine import Violation
from relax_lint.constraints.reporting import outcomes
from relax_lint.diagnostics import Finding, Fix, NotChecked
from relax_lint.fixers.json_values import quoted_json
from relax_lint.project import Project
from relax_lint.rules import ADVICE, ERROR, WARNING, Example, rule
from relax_lint.shell.launch import Launch
from relax_lint.shell.queries import is_own

_TRAIN = "python3 relax/entrypoints/train.py"
_SHARED = '{"actor": [1, 8], "rollout": [1, 8]}'
_SPLIT = '{"actor": [1, 4], "rollout": [1, 4], "advantages": [1, 0]}'
_ALL = '{"actor": [1, 4], "rollout": [1, 2], "reference": [1, 1], "actor_fwd": [1, 1], "advantages": [1, 0]}'
_ON_POLICY = "--rollout-batch-size 32 --n-samples-per-prompt 8 --global-batch-size 256"
_SEVERAL = "--rollout-batch-size 32 --n-samples-per-prompt 8 --num-steps-per-rollout 2"
_ASYNC = f"{_TRAIN} --fully-async {_ON_POLICY}"
_JUDGE = "--genrm-model-path /m/judge"

VALID: list[Example | str] = [
    f"{_TRAIN} --colocate --resource '{_SHARED}'\n",
    f"{_ASYNC} --resource '{_SPLIT}'\n",
    f"{_TRAIN} --fully-async {_SEVERAL} --use-kl-loss --resource '{_ALL}'\n",
    f"{_ASYNC} --true-on-policy-mode --resource '{_SPLIT}'\n",
    (f'RES=\'{_SHARED}\'\nRAY_ARGS=(\n    --colocate\n    --resource "$RES"\n)\n{_TRAIN} "${{RAY_ARGS[@]}}"\n'),
    f'N=${{N:-8}}\n{_TRAIN} --colocate --resource "{{\\"actor\\": [1, $N], \\"rollout\\": [1, $N]}}"\n',
    f'{_TRAIN} --colocate --resource "$RESOURCE"\n',
    f'{_TRAIN} --colocate "$@"\n',
    f"{_TRAIN} --colocate $RAY_ARGS\n",
    f'{_TRAIN} --loss-type sft --resource \'{{"sft": [1, 0], "actor": [1, 8]}}\'\n',
    f'{_TRAIN} --hybrid {_SEVERAL} --use-kl-loss --resource \'{{"actor": [1, 4], "rollout": [1, 8]}}\'\n',
    f'{_TRAIN} --colocate --resource \'{{"actor": [1, 16], "rollout": [1, 16]}}\'\n',
    f'{_TRAIN} --colocate --num-gpus-per-node 4 --resource \'{{"actor": [1, 12], "rollout": [1, 12]}}\'\n',
    (
        f'{_TRAIN} --colocate {_JUDGE} --genrm-num-gpus 4 --resource \'{{"actor": [1, 8], "rollout": [1, 4], "genrm": '
        "[1, 4]}'\n"
    ),
    f"{_TRAIN} --debug-rollout-only --resource '{{\"rollout\": [1, 8]}}'\n",
    f"{_TRAIN} --debug-train-only --resource '{{\"actor\": [1, 8]}}'\n",
    f"{_TRAIN} --resource='{_SHARED}' --colocate\n",
    f"{_TRAIN} --resource '[]' --colocate --resource '{_SHARED}'\n",
    "python3 -m verl.trainer.main_ppo trainer.n_gpus_per_node=8\n",
]

INVALID = [
    Example(f"{_TRAIN} --colocate --lr 1e-6\n", findings=((1, 1),)),
    Example(
        f"{_TRAIN} --colocate --resource {_SHARED}\n",
        findings=((1, 47),),
        fixed=f"{_TRAIN} --colocate --resource '{_SHARED}'\n",
    ),
    Example(
        f"RAY_ARGS=(\n    --resource \"{{'actor': [1, 8], 'rollout': [1, 8]}}\"\n    --colocate\n)\n"
        f'{_TRAIN} "${{RAY_ARGS[@]}}"\n',
        findings=((2, 5),),
        fixed=f"RAY_ARGS=(\n    --resource '{_SHARED}'\n    --colocate\n)\n{_TRAIN} \"${{RAY_ARGS[@]}}\"\n",
    ),
    Example(
        f'{_TRAIN} --colocate --resource="{_SHARED}"\n',
        findings=((1, 47),),
        fixed=f"{_TRAIN} --colocate --resource='{_SHARED}'\n",
    ),
    Example(
        f'{_TRAIN} --colocate --resource \'{{"actor": [1, 8], "rollout": [1, 8],}}\'\n',
        findings=((1, 47),),
        fixed=f"{_TRAIN} --colocate --resource '{_SHARED}'\n",
    ),
    Example(f"{_TRAIN} --colocate --resource --lr 1e-6\n", findings=((1, 47),)),
    Example(f"{_TRAIN} --colocate --resource 8\n", findings=((1, 47),)),
    Example(f'{_TRAIN} --colocate --resource \'{{"actor": 8, "rollout": 8}}\'\n', findings=((1, 47),)),
    Example(
        f'{_TRAIN} \\\n    --colocate \\\n    --resource \'{{"actor": [2, 8], "rollout": [1, 8]}}\'\n',
        findings=((3, 5),),
    ),
    Example(f'{_TRAIN} --colocate --resource \'{{"actor": [1, "8"], "rollout": [1, 8]}}\'\n', findings=((1, 47),)),
    Example(f'{_TRAIN} --colocate --resource \'{{"actor": [1, 0], "rollout": [1, 0]}}\'\n', findings=((1, 47),)),
    Example(f'{_TRAIN} --colocate --resource \'{{"actor": [1, 12], "rollout": [1, 12]}}\'\n', findings=((1, 47),)),
    Example(f'{_TRAIN} --colocate --resource \'{{"actor": [1, 8], "rollout": [1, 4]}}\'\n', findings=((1, 47),)),
    Example(f"{_TRAIN} --colocate --resource '{{\"actor\": [1, 8]}}'\n", findings=((1, 47),)),
    Example(f"{_ASYNC} --use-kl-loss --resource '{_SPLIT}'\n", findings=((1, 137),)),
    Example(f"{_TRAIN} --fully-async {_SEVERAL} --resource '{_SPLIT}'\n", findings=((1, 125),)),
    Example(
        f"{_TRAIN} --fully-async --rollout-batch-size 32 --n-samples-per-prompt 8 --global-batch-size 128 "
        f"--resource '{_SPLIT}'\n",
        findings=((1, 123),),
    ),
    Example(
        f'{_ASYNC} --resource \'{{"actor": [1, 4], "rollout": [1, 4]}}\'\n',
        findings=((1, 123, WARNING),),
    ),
    Example(f"{_ASYNC} --use-kl-loss --resource '{_ALL}'\n", findings=((1, 137, ADVICE),)),
    Example(
        f'{_ASYNC} --use-kl-loss --resource \'{{"actor": [1, 4], "rollout": [1, 4], "reference": [1, 0], "advantages": '
        "[1, 0]}'\n",
        findings=((1, 137),),
    ),
    Example(f"{_TRAIN} --loss-type sft --resource '{{\"actor\": [1, 8]}}'\n", findings=((1, 52),)),
    Example(f"{_TRAIN} --colocate {_JUDGE} --resource '{_SHARED}'\n", findings=((1, 47),)),
    Example(
        f'{_TRAIN} --colocate {_JUDGE} --resource \'{{"actor": [1, 8], "rollout": [1, 4], "genrm": [1, 2]}}\'\n',
        findings=((1, 75),),
    ),
    Example(
        f"RES='{_SHARED}'\nif [ \"$1\" = async ]; then\n    RES='{{\"actor\": [1, 4]}}'\nfi\n"
        f'run() {{ {_TRAIN} --colocate --resource "$RES" "$@"; }}\nrun --lr 1e-6\n',
        findings=((5, 55),),
    ),
    Example(
        {
            "examples/demo/run_demo.sh": f'source "$(dirname "$0")/ray.sh"\n{_TRAIN} "${{RAY[@]}}"\n',
            "examples/demo/ray.sh": "RAY=(--colocate --resource '{\"rollout\": [1, 8]}')\n",
        },
        findings=(("examples/demo/ray.sh", 1, 17),),
    ),
    Example(
        {"scripts/training/text/run-demo.sh": f"{_TRAIN} --colocate --resource {{actor: 8}}\n"},
        findings=(("scripts/training/text/run-demo.sh", 1, 47),),
    ),
]


@rule("RLX412", "resource", ERROR, on="launch", everywhere=True, valid=VALID, invalid=INVALID, fixable="safe")
def resource(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """Report what the table of constraints says of the launch."""
    yield from outcomes(launch, project, "RLX412", fix=lambda violation: _fix(violation, launch, project))


def _fix(violation: Violation, launch: Launch, project: Project) -> Fix | None:
    argument = violation.argument
    if violation.constraint.id != "resource-spelling" or argument is None or argument.word.place is None:
        return None
    edit = quoted_json(argument) if is_own(project, launch, argument.word.place) else None
    return None if edit is None else Fix("write it as JSON in single quotes", lambda: [edit])
