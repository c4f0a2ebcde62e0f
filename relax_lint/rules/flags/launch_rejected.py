"""Relax, Megatron or SGLang refuses the launch, or crashes on it.

## What

A launch that does not get through the checks that Relax makes of its arguments, Megatron's and SGLang's after them, or
what the controller, the loader, the rollout and the trainer ask of them later. Every such check is one named
constraint; its name stands in brackets behind the message. Where another rule is about the matter (batch sizes, roles,
parallel sizes, KL) that rule reports it. What is not known statically is not guessed. A team's own constraints,
`[[tool.relax-lint.constraint]]` in the configuration, are reported here too.

## Why

Most of these checks run after the GPUs are taken and the images are pulled, some after the model is loaded, a few after
the first rollout. And a crash does not say which flag it comes from.

## Source

Relax's argument checks, Megatron's and SGLang's; its controller, data loader, rollout and trainer.

## Example

    --save-interval 20    # and no --save

## Fix

By hand: which of the flags was meant is not known.
"""

from __future__ import annotations

from collections.abc import Iterator

from relax_lint.constraints.reporting import outcomes
from relax_lint.diagnostics import Finding, NotChecked
from relax_lint.project import Project
from relax_lint.rules import ERROR, Example, rule
from relax_lint.shell.launch import Launch

_TRAIN = "python3 relax/entrypoints/train.py"

VALID: list[Example | str] = [
    f"{_TRAIN} --num-rollout 10 --rollout-batch-size 8 --save-interval 20 --save /c --rollout-max-response-len 1024\n",
]

INVALID = [
    Example(
        f"{_TRAIN} --num-rollout 10 --rollout-batch-size 8 --rollout-max-response-len 1024 \\\n    --save-interval 20\n",
        findings=((2, 5),),
    ),
]


@rule("RLX505", "launch-rejected", ERROR, on="launch", everywhere=True, valid=VALID, invalid=INVALID)
def launch_rejected(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """Report what the table of constraints says of the launch."""
    yield from outcomes(launch, project, "RLX505", named=True)
