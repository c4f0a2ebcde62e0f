"""The KL penalty is not what the flags seem to say.

## What

`--kl-coef` and `--kl-loss-coef` both other than 0; `--kl-loss-coef` other than 0 without `--use-kl-loss`; a KL penalty
without `--ref-load`; a `--kl-loss-type` that there is not, such as verl's `kl`. As warnings, `--use-kl-loss` with no
`--kl-loss-coef`, and a `--kl-coef` for an estimator that takes no KL from the reward. Coefficients that are written out
as 0 are right, and so is supervised fine-tuning, which switches all of it off.

## Why

Relax refuses the two coefficients together, and argparse the type. A coefficient without its switch is ignored
without a word: the run trains without the penalty that its launcher shows. The reverse computes the penalty, with a
reference model in memory, and multiplies it by 0. The estimators that Relax runs never read `--kl-coef`, but load the
reference for it.

## Source

Guide: `--use-kl-loss --kl-loss-coef 0.001`, only one of the two coefficients, types k1, k2, k3 and low_var_kl. Relax's
argument checks and its losses.

## Example

    --kl-loss-coef 0.001 --kl-loss-type kl

## Fix

Writes the type that verl's stands for: `kl` is `k1`, `mse` is `k2`.
"""

from __future__ import annotations

from collections.abc import Iterator

from relax_lint.constraints.engine import Violation
from relax_lint.constraints.reporting import outcomes
from relax_lint.diagnostics import Finding, Fix, NotChecked
from relax_lint.fixers.launcher_edits import replace_value
from relax_lint.project import Project
from relax_lint.rules import ERROR, WARNING, Example, rule
from relax_lint.shell.launch import Launch
from relax_lint.shell.queries import is_own

_VERL_TYPES = {"kl": "k1", "mse": "k2"}
"""What verl's types are called in Relax; the others are the same or there is none."""

_TRAIN = "python3 relax/entrypoints/train.py"
_REF = "--ref-load /m/Q"

VALID: list[Example | str] = [
    f"{_TRAIN} {_REF} --use-kl-loss --kl-loss-coef 0.001 --kl-loss-type low_var_kl\n",
    f"{_TRAIN} {_REF} --use-kl-loss --kl-loss-coef 0.00\n",
    f"{_TRAIN} --kl-loss-coef 0.00 --kl-loss-type low_var_kl\n",
    f"{_TRAIN} {_REF} --use-kl-loss --kl-loss-coef 0.01 --kl-coef 0.00\n",
    f"{_TRAIN} --loss-type sft --kl-loss-coef 0.1\n",
    f"{_TRAIN} --colocate --lr 1e-6\n",
    f'{_TRAIN} {_REF} --use-kl-loss "$@"\n',
    f'{_TRAIN} --kl-loss-coef "${{KL}}"\n',
    f"{_TRAIN} --kl-loss-coef 0.001 ${{KL_ARGS}}\n",
    (
        f"KL_TYPE=${{KL_TYPE:-k3}}\nGRPO=({_REF} --use-kl-loss --kl-loss-coef 1e-3 --kl-loss-type=$KL_TYPE)\n"
        f'{_TRAIN} "${{GRPO[@]}}"\n'
    ),
    (
        f'if [ -n "$KL" ]; then\n    GRPO=({_REF} --use-kl-loss --kl-loss-coef "$KL")\nelse\n    GRPO=()\nfi\n'
        f'{_TRAIN} "${{GRPO[@]}}"\n'
    ),
    f"{_TRAIN} --use-kl-loss --kl-loss-coef 0.001 --ref-load ${{MODEL_DIR}}/Q\n",
    f"{_TRAIN} {_REF} --kl-coef 0.1 --kl-coef 0\n",
    f"{_TRAIN} {_REF} --kl-coef 0.1 --advantage-estimator reinforce_plus_plus --normalize-advantages\n",
    Example(
        {
            "examples/demo/run_demo.sh": f"{_TRAIN} {_REF} --use-kl-loss --custom-config-path examples/demo/d.yaml\n",
            "examples/demo/d.yaml": "kl_loss_coef: 0.001\n",
        }
    ),
    "python3 -m verl.trainer.main_ppo actor_rollout_ref.actor.kl_loss_coef=0.001 algorithm.kl_ctrl.kl_coef=0.1\n",
]

INVALID = [
    Example(
        f"{_TRAIN} {_REF} --use-kl-loss --kl-loss-coef 0.01 --kl-coef 0.1\n",
        findings=((1, 86, ERROR),),
    ),
    Example(
        f'A=(--kl-loss-coef=0.1)\nB=(--kl-coef=0.1)\n{_TRAIN} {_REF} "${{A[@]}}" "${{B[@]}}"\n', findings=((2, 4),)
    ),
    Example(f"{_TRAIN} --colocate \\\n    --kl-loss-coef 0.001\n", findings=((2, 5),)),
    Example(
        f"GRPO_ARGS=(\n    --advantage-estimator gspo\n    # --use-kl-loss\n    --kl-loss-coef 0.02\n)\n"
        f'{_TRAIN} "${{GRPO_ARGS[@]}}"\n',
        findings=((4, 5),),
    ),
    Example(f"{_TRAIN} --use-unbiased-kl\n", findings=((1, 36),)),
    Example(
        f"{_TRAIN} {_REF} --use-kl-loss --kl-loss-coef 0.001 --kl-loss-type kl\n",
        findings=((1, 87),),
        fixed=f"{_TRAIN} {_REF} --use-kl-loss --kl-loss-coef 0.001 --kl-loss-type k1\n",
    ),
    Example(
        f'GRPO_ARGS=(\n    --kl-loss-type=mse\n)\n{_TRAIN} "${{GRPO_ARGS[@]}}"\n',
        findings=((2, 5),),
        fixed=f'GRPO_ARGS=(\n    --kl-loss-type=k2\n)\n{_TRAIN} "${{GRPO_ARGS[@]}}"\n',
    ),
    Example(
        f'KL=(--kl-loss-type kl)\nGRPO=(--kl-loss-type low_var_kl)\n{_TRAIN} "${{KL[@]}}" "${{GRPO[@]}}"\n',
        findings=((1, 5),),
        fixed=f'KL=(--kl-loss-type k1)\nGRPO=(--kl-loss-type low_var_kl)\n{_TRAIN} "${{KL[@]}}" "${{GRPO[@]}}"\n',
    ),
    Example(f"TYPE=full\n{_TRAIN} --kl-loss-type $TYPE\n", findings=((2, 36),)),
    Example(
        f'{_TRAIN} --loss-type sft --kl-loss-type "abs"\n',
        findings=((1, 52),),
    ),
    Example(f"{_TRAIN} --use-kl-loss --kl-loss-coef 0.001\n", findings=((1, 36),)),
    Example(f"{_TRAIN} {_REF} --use-kl-loss --kl-loss-type k3\n", findings=((1, 52, WARNING),)),
    Example(
        f"{_TRAIN} {_REF} --kl-coef 0.05 --advantage-estimator cispo\n",
        findings=((1, 52, WARNING),),
    ),
    Example(f"{_TRAIN} --kl-coef 0.05 --lr 1e-6\n", findings=((1, 36), (1, 36, WARNING))),
    Example(
        f'run() {{ {_TRAIN} {_REF} "$@"; }}\nrun --kl-loss-coef 0.1\nrun --use-kl-loss --kl-loss-coef 0.1\n',
        findings=((2, 5),),
    ),
    Example(
        {"scripts/training/text/run-demo.sh": f'KL=(--use-kl-loss)\n{_TRAIN} {_REF} "${{KL[@]}}" --colocate\n'},
        findings=(("scripts/training/text/run-demo.sh", 1, 5, WARNING),),
    ),
]


@rule("RLX417", "kl", ERROR, on="launch", everywhere=True, valid=VALID, invalid=INVALID, fixable="safe")
def kl(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """Report what the table of constraints says of the launch."""
    yield from outcomes(launch, project, "RLX417", fix=lambda violation: _fix(violation, launch, project))


def _fix(violation: Violation, launch: Launch, project: Project) -> Fix | None:
    argument = violation.argument
    if violation.constraint.id != "kl-loss-type-choice" or argument is None or argument.word.place is None:
        return None
    wanted = _VERL_TYPES.get(argument.value or "")
    if wanted is None or not is_own(project, launch, argument.word.place):
        return None
    edit = replace_value(argument, wanted)
    return None if edit is None else Fix(f"write {wanted}", lambda: [edit])
