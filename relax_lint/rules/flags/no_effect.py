"""A flag changes nothing, because of the launch's other flags.

## What

A flag that Relax, Megatron or SGLang parses and then overwrites, or never reads, in a launch like this one. Each case
is one named constraint; its name stands in brackets behind the message. As advice where it does no harm and is common,
as `--max-tokens-per-gpu` without `--use-dynamic-batch-size`, which the guide's own template writes.

## Why

Who reads the launcher believes that it does what it says: that the KL loss is on, that advantages are normalized, that
the judge has two GPUs.

## Source

Relax's argument checks and the code that reads the arguments later.

## Example

    --tis-clip 2.0    # and no --use-tis

## Fix

By hand: either the flag goes, or the one that it needs is missing.
"""

from __future__ import annotations

from collections.abc import Iterator

from relax_lint.constraints.reporting import outcomes
from relax_lint.diagnostics import Finding, NotChecked
from relax_lint.project import Project
from relax_lint.rules import ADVICE, WARNING, Example, rule
from relax_lint.shell.launch import Launch

_TRAIN = "python3 relax/entrypoints/train.py"

VALID: list[Example | str] = [
    f"{_TRAIN} --use-tis --tis-clip 2.0\n",
    f"{_TRAIN} --get-mismatch-metrics --custom-tis-function-path examples.demo.tis_demo.reject\n",
    f"{_TRAIN} --use-dynamic-batch-size --max-tokens-per-gpu 9216\n",
    f'PERF_ARGS=(--max-tokens-per-gpu 9216)\n{_TRAIN} --use-dynamic-batch-size "${{PERF_ARGS[@]}}"\n',
    f"{_TRAIN} --advantage-estimator sapo --sapo-tau-pos 1.0 --sapo-tau-neg 1.05\n",
    f"{_TRAIN} --advantage-estimator grpo --rm-type math --n-samples-per-prompt 1 --disable-rewards-normalization\n",
    f"{_TRAIN} --rm-type math --n-samples-per-prompt 2\n",
    f"{_TRAIN} --tensor-model-parallel-size 2 --sequence-parallel\n",
    f"{_TRAIN} --tensor-model-parallel-size ${{TP}} --sequence-parallel\n",
    f'{_TRAIN} --tis-clip 2.0 "$@"\n',
    f"{_TRAIN} --genrm-model-path /m/judge --genrm-num-gpus 2\n",
    f"{_TRAIN} --use-opd --opd-type sglang --opd-teacher-url http://t --opd-kl-coef 1.0\n",
    f"{_TRAIN} --kl-loss-coef 0.00 --kl-loss-type low_var_kl --kl-coef 0.00 --entropy-coef 0.00\n",
    f"{_TRAIN} --save /c --save-interval 20 --max-actor-ckpt-to-keep 2\n",
    f"{_TRAIN} --eval-interval 20 --eval-prompt-data demo /d/test.jsonl\n",
    f"{_TRAIN} --loss-type custom_loss --custom-loss-function-path examples.demo.loss.loss\n",
]

INVALID = [
    Example(f"{_TRAIN} --tis-clip 2.0\n", findings=((1, 36),)),
    Example(
        f'PERF_ARGS=(\n    --max-tokens-per-gpu 9216\n)\n{_TRAIN} "${{PERF_ARGS[@]}}"\n', findings=((2, 5, ADVICE),)
    ),
    Example(f"{_TRAIN} --advantage-estimator=grpo --sapo-tau-pos=1.0\n", findings=((1, 63),)),
    Example(f"{_TRAIN} --rm-type math --n-samples-per-prompt 1\n", findings=((1, 36),)),
    Example(f"{_TRAIN} --sequence-parallel\n", findings=((1, 36, ADVICE),)),
    Example(f"{_TRAIN} --genrm-num-gpus 2\n", findings=((1, 36),)),
    Example(f"{_TRAIN} --opd-type sglang --opd-teacher-url http://t\n", findings=((1, 36), (1, 54))),
    Example(f"{_TRAIN} --max-actor-ckpt-to-keep 2 --lr 1e-6\n", findings=((1, 36),)),
    Example(f'run() {{ {_TRAIN} "$@" --lr 1e-6; }}\nrun \\\n    --rm-type f1 --rm-url http://r\n', findings=((3, 18),)),
    Example(
        f"{_TRAIN} --eval-config /d/eval.yaml --eval-interval 5 \\\n    --eval-prompt-data demo /d/t.jsonl\n",
        findings=((2, 5),),
    ),
    Example(f"{_TRAIN} --eval-prompt-data demo $DATA_DIR/test.parquet\n", findings=((1, 36),)),
    Example(f'{_TRAIN} --custom-loss-function-path "examples.demo.loss.loss"\n', findings=((1, 36),)),
    Example(f"{_TRAIN} --eps-clip-c 3.0\n", findings=((1, 36, ADVICE),)),
    Example(
        f'ARGS=(\n    --partial-rollout-max-aborted-count 2\n)\nif [ "$1" = a ]; then\n    {_TRAIN} --partial-rollout '
        f'"${{ARGS[@]}}"\nelse\n    {_TRAIN} "${{ARGS[@]}}"\nfi\n',
        findings=((2, 5),),
    ),
]


@rule("RLX508", "no-effect", WARNING, on="launch", everywhere=True, valid=VALID, invalid=INVALID)
def no_effect(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """Report what the table of constraints says of the launch."""
    for outcome in outcomes(launch, project, "RLX508", named=True):
        if isinstance(outcome, Finding) and outcome.subject.startswith("--") and outcome.subject not in outcome.message:
            outcome = outcome._replace(message=f"{outcome.subject} has no effect: {outcome.message}")
        yield outcome
