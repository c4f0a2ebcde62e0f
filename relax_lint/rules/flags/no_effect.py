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
from relax_lint.rules import WARNING, Example, rule
from relax_lint.shell.launch import Launch

_TRAIN = "python3 relax/entrypoints/train.py"

VALID: list[Example | str] = [
    f"{_TRAIN} --use-tis --tis-clip 2.0\n",
]

INVALID = [
    Example(f"{_TRAIN} --tis-clip 2.0\n", findings=((1, 35),)),
]


@rule("RLX508", "no-effect", WARNING, on="launch", everywhere=True, valid=VALID, invalid=INVALID)
def no_effect(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """Report what the table of constraints says of the launch."""
    yield from outcomes(launch, project, "RLX508", named=True)
