"""The batch sizes do not make one update of every rollout.

## What

`--rollout-batch-size` × `--n-samples-per-prompt`, divided by `--num-steps-per-rollout` if that is given, must be
`--global-batch-size`. Absent flags count with what Relax takes for them. An explicit number of steps that fits is
accepted: its author means it. A key of the `--custom-config-path` YAML counts in place of its flag, but for what Relax
refuses before it reads that file. Supervised fine-tuning has no rollouts; a dynamic global batch size has no fixed
product.

## Why

A product that the global batch size does not divide is refused at the first training step, an explicit step count that
does not fit already when arguments are checked, and a fully asynchronous launch without `--rollout-batch-size` crashes
there. A product that is a multiple trains several times on one rollout, off-policy from the second update on, without a
word.

## Source

Guide: ALWAYS ensure `--global-batch-size` = `--rollout-batch-size` × `--n-samples-per-prompt`. Relax's argument checks,
and its plan of updates per rollout.

## Example

    --rollout-batch-size 32 --n-samples-per-prompt 8 --global-batch-size 128

## Fix

Writes the number that follows from the others. Safe where the launch would be refused and only one number can be
meant: a global batch size beside a step count that divides the samples, or one that is absent; an absent rollout batch
size in a fully asynchronous launch. Unsafe otherwise: where the step count does not divide the samples, it is the one
to change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from relax_lint.diagnostics import Edit, Finding, Fix, NotChecked
from relax_lint.fixers.launcher_edits import insert_after, replace_value
from relax_lint.launch_config import Setting, set_integer, setting
from relax_lint.project import Project
from relax_lint.records import record
from relax_lint.rules import ERROR, WARNING, Example, rule
from relax_lint.shell.launch import Argument, Launch
from relax_lint.shell.queries import NotKnown, integer, is_broken_off, is_own, other_launches, place_of, start_of
from relax_lint.shell.resources import data_parallel_size

R, N, G, S = "--rollout-batch-size", "--n-samples-per-prompt", "--global-batch-size", "--num-steps-per-rollout"

_TRAIN = "python3 relax/entrypoints/train.py"
_GUESS = "which of the numbers was meant is not known, and another batch size changes what is learned"


@record
class Verdict:
    """What is wrong with the numbers. ``repair`` is the flag to write and its number; ``sure`` says that no other
    repair would keep what the launcher says; ``early`` that Relax refuses it before it reads the config."""

    message: str
    refused: bool
    repair: tuple[str, int] | None = None
    sure: bool = False
    early: bool = False


_RUN = "examples/demo/run_demo.sh"
_CONFIG = "examples/demo/demo.yaml"
_CONFIGURED = f"{_TRAIN} --custom-config-path {_CONFIG}"

VALID: list[Example | str] = [
    Example({_RUN: f"{_CONFIGURED} {R} 32 {N} 8 {G} 128\n", _CONFIG: "global_batch_size: 256\n"}),
    Example({_RUN: f"{_CONFIGURED} {R} 32 {N} 8 {G} 128\n", _CONFIG: "global_batch_size: 0x100\n"}),
    Example({_RUN: f"{_TRAIN} --custom-config-path $C {R} 8 {G} 8\n", _CONFIG: "n_samples_per_prompt: 2\n"}),
    f"{_TRAIN} {R} 32 {N} 8 {G} 256\n",
    f"{_TRAIN} {R} 32 {N} 8 {S} 2 {G} 128\n",
    f"{_TRAIN} {R} 32 {N} 8 {S} 4\n",
    f"{_TRAIN} --colocate {G} 256 {N} 8\n",
    f"{_TRAIN} {R} 64 {G} 64\n",
    (
        f"RBS=32\nNSAMPLES=8\nROLLOUT_ARGS=(\n    {R} ${{RBS}}\n    {N} ${{NSAMPLES}}\n    {G} $((RBS * NSAMPLES))\n)\n"
        f'{_TRAIN} "${{ROLLOUT_ARGS[@]}}"\n'
    ),
    f"{_TRAIN} {R} ${{RBS:-32}} {N} 8 {G} ${{GBS:-256}}\n",
    f"{_TRAIN} {R} ${{RBS}} {N} 8 {G} 128\n",
    f"{_TRAIN} --loss-type sft {R} 32 {N} 1 {G} 128\n",
    f'A=({R} 16 {N} 8 {G} 256)\n{_TRAIN} "${{A[@]}}" {R} 32\n',
    f"{_TRAIN} --colocate --partial-rollout --use-dynamic-global-batch-size {R} 32 {N} 8 {G} 128\n",
    f"{_TRAIN} --debug-rollout-only {R} 32 {N} 8 {G} 100\n",
    f'{_TRAIN} {R} 32 {N} 8 {G} 128 "$@"\n',
    f"{_TRAIN} --fully-async {R} 32 {N} 8 {G} 256\n",
    f"{_TRAIN} {R}=32 {N}=8 {G}=256  # was {G} 128\n",
    # one machine of 8 GPUs, TP 4: two samples an update, as many as there are
    f'{_TRAIN} {R} 2 --tensor-model-parallel-size 4 --resource \'{{"actor": [1, 8], "rollout": [1, 8]}}\' --colocate\n',
]

INVALID = [
    Example(
        {_RUN: f"{_CONFIGURED} {R} 32 {N} 8 {G} 256\n", _CONFIG: "global_batch_size: 128\n"},
        findings=((_RUN, 1, 130, WARNING),),
    ),
    Example(
        {_RUN: f"{_CONFIGURED} {G} 256 {N} 8\n", _CONFIG: "n_samples_per_prompt: 7\n"},
        findings=((_RUN, 1, 81),),
    ),
    Example(
        {_RUN: f"{_CONFIGURED} {R} 32 {N} 8 {S} 2 {G} 256\n", _CONFIG: "global_batch_size: 128\n"},
        findings=((_RUN, 1, 156),),
        fixed={_RUN: f"{_CONFIGURED} {R} 32 {N} 8 {S} 2 {G} 128\n"},
    ),
    Example(
        f"{_TRAIN} {R} 32 {N} 8 {G} 128\n",
        findings=((1, 85, WARNING),),
        fixed=f"{_TRAIN} {R} 32 {N} 8 {G} 256\n",
        unsafe=True,
    ),
    Example(
        f'ROLLOUT_ARGS=(\n    {R} 32\n    {N} 8\n    {G} 100\n)\n{_TRAIN} --colocate "${{ROLLOUT_ARGS[@]}}"\n',
        findings=((4, 5),),
    ),
    Example(
        f"{_TRAIN} {R} 32 {N} 8 {S} 2 \\\n    {G} 256\n",
        findings=((2, 5),),
        fixed=f"{_TRAIN} {R} 32 {N} 8 {S} 2 \\\n    {G} 128\n",
    ),
    Example(
        f'ROLLOUT_ARGS=(\n    {N} 8\n    {G} 256\n)\n{_TRAIN} --fully-async "${{ROLLOUT_ARGS[@]}}"\n',
        findings=((2, 5),),
        fixed=f'ROLLOUT_ARGS=(\n    {N} 8\n    {R} 32\n    {G} 256\n)\n{_TRAIN} --fully-async "${{ROLLOUT_ARGS[@]}}"\n',
    ),
    Example(f"{_TRAIN} --fully-async {N} 8 {G} 100\n", findings=((1, 75),)),
    Example(f"{_TRAIN} --colocate {N} 8\n", findings=((1, 47),)),
    Example(f"{_TRAIN} --colocate {G} 100 {N} 8\n", findings=((1, 47),)),
    Example(
        f"ROLLOUT_ARGS=(\n    {R} 32\n    {N} 5\n)\n{_TRAIN} --colocate --tensor-model-parallel-size 1 \\\n"
        '    --micro-batch-size 3 --resource \'{"actor": [1, 8], "rollout": [1, 8]}\' "${ROLLOUT_ARGS[@]}"\n',
        findings=((2, 5),),
        fixed=f"ROLLOUT_ARGS=(\n    {R} 32\n    {G} 160\n    {N} 5\n)\n"
        f"{_TRAIN} --colocate --tensor-model-parallel-size 1 \\\n"
        '    --micro-batch-size 3 --resource \'{"actor": [1, 8], "rollout": [1, 8]}\' "${ROLLOUT_ARGS[@]}"\n',
    ),
    Example(
        f'{_TRAIN} --colocate {R} 64 --resource \'{{"actor": [1, 8], "rollout": [1, 8]}}\'\n',
        findings=((1, 47, WARNING),),
    ),
    Example(
        f'RBS=32\nGBS=128\nexport N=${{N:-8}}\n{_TRAIN} {R} "$RBS" {N} $N {G} $GBS\n',
        findings=((4, 90, WARNING),),
    ),
    Example(
        f'A=({R} 32 {N} 8 {G} 256)\nif [ "$1" = async ]; then\n'
        f'    {_TRAIN} --fully-async "${{A[@]}}" {R} 64\nelse\n    {_TRAIN} --colocate "${{A[@]}}"\nfi\n',
        findings=((1, 53, WARNING),),
    ),
    Example(
        f'args=({R} 16)\nargs+=({N} 8)\nargs+=({G}=512)\n{_TRAIN} "${{args[@]}}"\n',
        findings=((3, 8),),
        fixed=f'args=({R} 16)\nargs+=({N} 8)\nargs+=({G}=128)\n{_TRAIN} "${{args[@]}}"\n',
        unsafe=True,
    ),
    Example(
        f'run() {{ {_TRAIN} {R} 48 {N} 4 {G} 128 "$@"; }}\nrun --hybrid\n',
        findings=((1, 93),),
    ),
    Example(
        f"{_TRAIN} {R} 32 {N} 8 {S} 3 {G} 64\n",
        findings=((1, 111),),
        fixed=f"{_TRAIN} {R} 32 {N} 8 {S} 4 {G} 64\n",
        unsafe=True,
    ),
    Example(f"{_TRAIN} {R} 32 {N} 8 {S} 3 {G} 100\n", findings=((1, 111),)),
    Example(f'A=({S} 3)\n{_TRAIN} {R} 32 {N} 8 {G} 257 "${{A[@]}}"\n', findings=((2, 85),)),
    Example(
        f"{_TRAIN} --debug-rollout-only {R} 32 {N} 8 {S} 2 {G} 256\n",
        findings=((1, 132),),
        fixed=f"{_TRAIN} --debug-rollout-only {R} 32 {N} 8 {S} 2 {G} 128\n",
    ),
]


@rule("RLX407", "on-policy-batch", ERROR, on="launch", everywhere=True, valid=VALID, invalid=INVALID, fixable="safe")
def on_policy_batch(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """Show the arithmetic that does not come out."""
    if launch.kind != "relax" or launch.mode == "sft":
        return
    if is_broken_off(launch):
        yield NotChecked(start_of(launch), "a broken continuation")
        return
    try:
        verdict = judge(launch, project)
    except NotKnown as unknown:
        yield NotChecked(unknown.place, unknown.because)
        return
    if verdict is None:
        return
    anchor = next((given for given in map(launch.last, (G, R, N)) if given is not None), None)
    if verdict.repair is not None and verdict.repair[0] == R:
        anchor = launch.last(N) or anchor
    yield Finding(
        place_of(launch, None if anchor is None else anchor.word),
        verdict.message,
        severity=None if verdict.refused else WARNING,
        fix=_fix(verdict, anchor, launch, project),
        launch=launch,
        subject=G,
    )


def judge(launch: Launch, project: Project) -> Verdict | None:
    """Do the sum; raises :class:`NotKnown`."""
    over = {flag: given for flag in (R, N, G, S) if (given := setting(launch, project, flag)) is not None}
    verdict = _of_flags(launch)
    return _of_config(launch, over) if over and not (verdict is not None and verdict.early) else verdict


def _of_config(launch: Launch, over: Mapping[str, Setting]) -> Verdict | None:
    """The sum after the config has set its keys. No flag repairs what that decides."""
    if _has_no_fixed_batch(launch):
        return None
    if S in over or integer(launch, S) is not None:
        raise NotKnown(next(iter(over.values())).named, start_of(launch))
    numbers = {flag: set_integer(launch, over[flag]) if flag in over else integer(launch, flag) for flag in (R, N, G)}
    rollout, samples, batch = numbers[R], numbers[N], numbers[G]
    if rollout is None:  # derived of the flags, before the config is read
        given, each = integer(launch, G), integer(launch, N)
        rollout = given // each if given and each else None
    if rollout is None or samples is None or samples <= 0:
        return None
    factors = ((R, rollout), (N, samples))
    product = " × ".join(f"{flag} {n}{f' (by {over[flag].named})' if flag in over else ''}" for flag, n in factors)
    verdict = _one_update(launch, product, rollout * samples, batch, over[G].named if G in over else None)
    return None if verdict is None else Verdict(verdict.message, verdict.refused)


def _of_flags(launch: Launch) -> Verdict | None:
    steps = integer(launch, S)
    if steps is None and _has_no_fixed_batch(launch):
        return None
    rollout, samples, batch = integer(launch, R), integer(launch, N), integer(launch, G)
    if samples is None or samples <= 0 or (steps is not None and steps <= 0):
        return None  # refused for other reasons
    if rollout is None:
        return _without_rollout(launch, samples, batch, steps)
    product = f"{R} {rollout} × {N} {samples}"
    total = rollout * samples
    if steps is not None:
        if batch is None or batch == total // steps:
            return None
        message = f"{product} // {S} {steps} = {total // steps}, but {G} is {batch}: Relax refuses it"
        if total % steps == 0:
            return Verdict(message, True, (G, total // steps), sure=True, early=True)
        message += f" ({steps} steps do not divide {total})"
        divides = batch > 0 and total % batch == 0
        return Verdict(message, True, (S, total // batch) if divides else None, early=True)
    return _one_update(launch, product, total, batch)


def _without_rollout(launch: Launch, samples: int, batch: int | None, steps: int | None) -> Verdict | None:
    """Relax derives the rollout batch size from the global one, but not in time for fully asynchronous runs."""
    if batch is None:
        return Verdict(f"neither {R} nor {G} is given: Relax refuses it", True, early=True)
    derived = f"{G} {batch} // {N} {samples} = {batch // samples}"
    if launch.has("--fully-async"):
        repair = (R, batch // samples) if batch % samples == 0 and steps is None else None
        message = f"--fully-async without {R} crashes before Relax derives it ({derived})"
        return Verdict(message, True, repair, sure=True, early=True)
    total = batch // samples * samples
    if total // (steps or 1) == batch:
        return None
    if steps is not None:
        message = f"{R} is derived as {derived}; × {samples} // {S} {steps} = {total // steps}, not {batch}"
        return Verdict(f"{message}: Relax refuses it", True, early=True)
    return Verdict(f"{R} is derived as {derived}; × {samples} = {total}, not {batch}: Relax refuses it", True)


def _one_update(
    launch: Launch, product: str, total: int, batch: int | None, config: str | None = None
) -> Verdict | None:
    absent = batch is None
    if batch is None:
        micro, ranks = integer(launch, "--micro-batch-size"), data_parallel_size(launch)
        if micro is None or micro <= 0:
            return None
        batch = micro * ranks
        given = f"{G} is absent and becomes --micro-batch-size {micro} × {ranks} data-parallel ranks = {batch}"
    else:
        given = f"{G} is {batch}" if config is None else f"{G} is {batch} by {config}"
    if batch <= 0 or total == batch:
        return None
    start = f"{product} = {total}, but {given}"
    if total % batch:
        return Verdict(f"{start}, which does not divide it: Relax refuses it", True, (G, total), sure=absent)
    message = f"{start}: {total // batch} updates a rollout, off-policy from the second on ({S} says that it is meant)"
    return Verdict(message, False, (G, total))


def _has_no_fixed_batch(launch: Launch) -> bool:
    """Whether nothing is trained, or every rollout's own number of samples is the batch."""
    is_dynamic = launch.has("--partial-rollout") and launch.has("--use-dynamic-global-batch-size")
    return is_dynamic or launch.has("--debug-rollout-only")


def _fix(verdict: Verdict, anchor: Argument | None, launch: Launch, project: Project) -> Fix | None:
    if verdict.repair is None:
        return None
    flag, number = verdict.repair
    if flag == S:
        anchor = launch.last(S)
    if anchor is None or anchor.word.place is None:
        return None
    if not is_own(project, launch, anchor.word.place) or not _suits(verdict, anchor, launch, project):
        return None
    edit = replace_value(anchor, str(number)) if anchor.flag == flag else insert_after(anchor, [f"{flag} {number}"])
    if edit is None:
        return None
    edits: Sequence[Edit] = [edit]
    return Fix(f"write {flag} {number}", lambda: edits, safe=verdict.sure, reason=None if verdict.sure else _GUESS)


def _suits(verdict: Verdict, anchor: Argument, launch: Launch, project: Project) -> bool:
    """Whether the other launches that the same text goes to need the same repair."""
    for other in other_launches(launch, project, anchor):
        try:
            needed = judge(other, project)
        except NotKnown:
            return False
        if needed is None or needed.repair != verdict.repair:
            return False
    return True
