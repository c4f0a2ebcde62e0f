"""The optimizer flags that the guide always wants are missing.

## What

A reinforcement-learning launch of a recipe without one of `--optimizer-cpu-offload`, `--overlap-cpu-optimizer-d2h-h2d`
and `--use-precision-aware-optimizer`. Flags in an array that the launch does not pass are missing. It is an error to
offload the optimizer without the precision-aware one, in supervised fine-tuning too, which otherwise is left alone, as
rollout-only debugging and other optimizers than Adam are.

## Why

Without the three, Adam's state stays in GPU memory beside the inference engines, and the recipe runs out of memory on
machines it was written for. Megatron refuses `--optimizer-cpu-offload` without `--use-precision-aware-optimizer` when
it checks its arguments.

## Source

Guide: ALWAYS include the three in the optimizer config; Megatron's `validate_args`.

## Example

    OPTIMIZER_ARGS=(
        --optimizer adam
        --lr 1e-6
    )

## Fix

Adds the missing flags at the end of the array that holds `--optimizer` or `--lr`, or behind that flag in the command;
at the end of the command where another launch that has them gets that array, too. None where an array of the launcher
holds optimizer flags that do not reach the launch: that array is to be passed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from relax_lint.constraints.derived import OPTIMIZER_FLAGS
from relax_lint.constraints.reporting import outcomes
from relax_lint.diagnostics import Edit, Finding, Fix, NotChecked
from relax_lint.fixers.launcher_edits import append_to_array, append_to_command, holder, insert_after
from relax_lint.flag_arrays import arrays_in
from relax_lint.project import Project
from relax_lint.rules import ERROR, WARNING, Example, rule
from relax_lint.shell.launch import Argument, Launch
from relax_lint.shell.nodes import ArrayLiteral
from relax_lint.shell.queries import is_own, other_launches, start_of, written_command

OFFLOAD, OVERLAP, PRECISION = OPTIMIZER_FLAGS
_ANCHORS = ("--optimizer", "--lr")

_TRAIN = "python3 relax/entrypoints/train.py"
_ALL = f"{OFFLOAD} {OVERLAP} {PRECISION}"

VALID: list[Example | str] = [
    f"{_TRAIN} --optimizer adam --lr 1e-6 {_ALL}\n",
    (
        f"OPTIMIZER_ARGS=(\n    --optimizer adam\n    --lr 1e-6\n    {OFFLOAD}\n    {OVERLAP}\n    {PRECISION}\n)\n"
        f'{_TRAIN} --colocate "${{OPTIMIZER_ARGS[@]}}"\n'
    ),
    f'A=(--lr 1e-6)\nif true; then A+=({_ALL}); fi\n{_TRAIN} "${{A[@]}}"\n',
    f'OPTIM="--lr 1e-6 {OFFLOAD} {OVERLAP}"\n{_TRAIN} ${{OPTIM}} {PRECISION}\n',
    f"{_TRAIN} --loss-type sft --optimizer adam --lr 1e-5 --prompt-data /d/x.parquet\n",
    f"{_TRAIN} --loss-type sft --lr 1e-5 {OFFLOAD} {PRECISION}\n",
    f"{_TRAIN} --debug-rollout-only --optimizer adam --lr 1e-6\n",
    f'{_TRAIN} --optimizer adam --lr 1e-6 "$@"\n',
    f"{_TRAIN} --optimizer adam --lr 1e-6 ${{EXTRA_ARGS}}\n",
    f'{_TRAIN} --optimizer adam --lr 1e-6 {OFFLOAD} {PRECISION} "${{@:2}}"\n',
    f"{_TRAIN} --optimizer sgd --lr 1e-3 --colocate\n",
    "python3 -m verl.trainer.main_ppo actor_rollout_ref.actor.optim.lr=1e-6\n",
    f'add() {{ ARGS+=("$@"); }}\nadd --optimizer adam --lr 1e-6\nadd {_ALL}\n{_TRAIN} "${{ARGS[@]}}"\n',
    Example({"scripts/training/text/run-qwen3-4B.sh": f"{_TRAIN} --optimizer adam --lr 1e-6 --colocate\n"}),
    Example(
        {
            "examples/demo/run_demo.sh": f'source "$(dirname "$0")/optim.sh"\n{_TRAIN} "${{OPTIM[@]}}"\n',
            "examples/demo/optim.sh": f"OPTIM=(--optimizer adam --lr 1e-6 {_ALL})\n",
        }
    ),
]

INVALID = [
    Example(
        f'CMD="{_TRAIN} --colocate --hf-checkpoint ${{MODEL_DIR}}/Q --optimizer adam --lr 1e-6"\neval "$CMD"\n',
        findings=((2, 1),),
    ),
    Example(
        f"OPTIMIZER_ARGS=(\n    --optimizer adam\n    --lr 1e-6\n    --weight-decay 0.1\n)\n"
        f'{_TRAIN} --colocate "${{OPTIMIZER_ARGS[@]}}"\n',
        findings=((2, 5),),
        fixed="OPTIMIZER_ARGS=(\n    --optimizer adam\n    --lr 1e-6\n    --weight-decay 0.1\n"
        f"    {OFFLOAD}\n    {OVERLAP}\n    {PRECISION}\n)\n"
        f'{_TRAIN} --colocate "${{OPTIMIZER_ARGS[@]}}"\n',
    ),
    Example(
        f"OPTIMIZER_ARGS=(\n   --lr 1e-6   # G\n   {OFFLOAD}\n   {PRECISION}\n   # {OVERLAP}\n)\n"
        f'{_TRAIN} \\\n   --fully-async \\\n   "${{OPTIMIZER_ARGS[@]}}"\n',
        findings=((2, 4),),
        fixed=f"OPTIMIZER_ARGS=(\n   --lr 1e-6   # G\n   {OFFLOAD}\n   {PRECISION}\n   # {OVERLAP}\n   {OVERLAP}\n)\n"
        f'{_TRAIN} \\\n   --fully-async \\\n   "${{OPTIMIZER_ARGS[@]}}"\n',
    ),
    Example(
        f"{_TRAIN} --optimizer adam --lr 1e-6 --colocate\n",
        findings=((1, 36),),
        fixed=f"{_TRAIN} --optimizer adam {_ALL} --lr 1e-6 --colocate\n",
    ),
    Example(
        f"{_TRAIN} \\\n    --optimizer adam \\\n    --lr 1e-6 \\\n    {OFFLOAD} \\\n    {OVERLAP} \\\n    --colocate\n",
        findings=((2, 5, ERROR),),
        fixed=f"{_TRAIN} \\\n    --optimizer adam \\\n    {PRECISION} \\\n    --lr 1e-6 \\\n    {OFFLOAD} \\\n"
        f"    {OVERLAP} \\\n    --colocate\n",
    ),
    Example(
        f"{_TRAIN} --colocate \\\n    --lr=1e-6\n",
        findings=((2, 5),),
        fixed=f"{_TRAIN} --colocate \\\n    --lr=1e-6 \\\n    {OFFLOAD} \\\n    {OVERLAP} \\\n    {PRECISION}\n",
    ),
    Example(
        f"MISC_ARGS=(\n    --attention-backend flash\n)\n{_TRAIN} --colocate \\\n    "
        f'"${{MISC_ARGS[@]}}" 2>&1 | tee x.log\n',
        findings=((4, 1),),
        fixed="MISC_ARGS=(\n    --attention-backend flash\n)\n"
        f'{_TRAIN} --colocate \\\n    "${{MISC_ARGS[@]}}" \\\n    {OFFLOAD} \\\n    {OVERLAP} \\\n    {PRECISION}'
        " 2>&1 | tee x.log\n",
    ),
    Example(
        f'OPTIM=(--optimizer adam --lr 1e-6)\nOFFLOAD_ARGS=({_ALL})\n{_TRAIN} "${{OPTIM[@]}}"\n',
        findings=((1, 8),),
    ),
    Example(
        f"OPTIMIZER_ARGS=(\n    --optimizer adam\n    --lr 1e-6\n    {OFFLOAD}\n)\n"
        'if [ "${1:-sync}" = async ]; then\n'
        f"    {_TRAIN} --fully-async\nelse\n    {_TRAIN} --colocate\nfi\n",
        findings=((7, 5), (9, 5)),
    ),
    Example(f"OPTIMIZER_ARGS=(--optimizer adam --lr 1e-6)\n{_TRAIN} --colocate\n", findings=((2, 1),)),
    Example(
        f"{_TRAIN} --loss-type sft --lr 1e-5 {OFFLOAD}\n",
        findings=((1, 52, ERROR),),
        fixed=f"{_TRAIN} --loss-type sft --lr 1e-5 {PRECISION} {OFFLOAD}\n",
    ),
    Example(f"OPTIMIZER_ARGS=(--lr 1e-6 --adam-beta1 0.9)\n{_TRAIN} --colocate $OPTIMIZER_ARGS\n", findings=((1, 17),)),
    Example(
        f'if [ -n "$BIG" ]; then\n    A=(--lr 1e-6)\nelse\n    A=(--lr 2e-6 {_ALL})\nfi\n{_TRAIN} "${{A[@]}}"\n',
        findings=((2, 8),),
    ),
    Example(
        f'if [ -n "$BIG" ]; then\n    A=(--lr 1e-6)\nelse\n    A=(--lr 2e-6)\nfi\n{_TRAIN} "${{A[@]}}"\n',
        findings=((2, 8), (4, 8)),
        fixed=f'if [ -n "$BIG" ]; then\n    A=(--lr 1e-6 {_ALL})\nelse\n    A=(--lr 2e-6 {_ALL})\nfi\n'
        f'{_TRAIN} "${{A[@]}}"\n',
    ),
    Example(
        f'OPTIM=(--optimizer adam --lr "${{LR:-1e-6}}" {PRECISION})\n'
        'if [ "${1:-sync}" = async ]; then\n'
        f'    {_TRAIN} --fully-async "${{OPTIM[@]}}"\nelse\n    {_TRAIN} --colocate "${{OPTIM[@]}}"\nfi\n',
        findings=((1, 8),),
        fixed=f'OPTIM=(--optimizer adam --lr "${{LR:-1e-6}}" {PRECISION} {OFFLOAD} {OVERLAP})\n'
        'if [ "${1:-sync}" = async ]; then\n'
        f'    {_TRAIN} --fully-async "${{OPTIM[@]}}"\nelse\n    {_TRAIN} --colocate "${{OPTIM[@]}}"\nfi\n',
    ),
    Example(
        {
            "examples/demo/run_demo.sh": f'source "$(dirname "$0")/optim.sh"\n{_TRAIN} "${{OPTIM[@]}}"\n',
            "examples/demo/optim.sh": "OPTIM=(\n    --optimizer adam\n)\n",
        },
        findings=(("examples/demo/optim.sh", 2, 5),),
        fixed={
            "examples/demo/optim.sh": f"OPTIM=(\n    --optimizer adam\n    {OFFLOAD}\n    "
            f"{OVERLAP}\n    {PRECISION}\n)\n"
        },
    ),
    Example(
        f'OPTIM="--optimizer adam --lr 1e-6"\n{_TRAIN} --colocate $OPTIM\n',
        findings=((1, 8),),
        fixed=f'OPTIM="--optimizer adam --lr 1e-6"\n{_TRAIN} --colocate $OPTIM {_ALL}\n',
    ),
    Example(
        f'run() {{\n    {_TRAIN} --hybrid --lr 1e-6 "$@"\n}}\nrun {OFFLOAD} {PRECISION}\n',
        findings=((2, 49),),
        fixed=f'run() {{\n    {_TRAIN} --hybrid --lr 1e-6 {OVERLAP} "$@"\n}}\nrun {OFFLOAD} {PRECISION}\n',
    ),
    Example(
        f'A=(--lr 1e-6)\nA+=({OFFLOAD})\n{_TRAIN} "${{A[@]}}"\n',
        findings=((1, 4, ERROR),),
        fixed=f'A=(--lr 1e-6 {OVERLAP} {PRECISION})\nA+=({OFFLOAD})\n{_TRAIN} "${{A[@]}}"\n',
    ),
]


@rule("RLX406", "optimizer-flags", WARNING, on="launch", valid=VALID, invalid=INVALID, fixable="safe")
def optimizer_flags(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """Say which flags are missing, and whether Megatron refuses what there is."""
    told = list(outcomes(launch, project, "RLX406", fix=lambda violation: None))
    yield from (one for one in told if isinstance(one, NotChecked))
    found = [one for one in told if isinstance(one, Finding)]
    if found:
        yield _with_place(found, launch, project)


def _with_place(found: Sequence[Finding], launch: Launch, project: Project) -> Finding:
    """One finding for all, beside the settings of the optimizer, with the edit that adds what is missing."""
    refused = any(one.severity is ERROR for one in found)
    wanted = (PRECISION,) if launch.mode == "sft" else OPTIMIZER_FLAGS
    missing = [flag for flag in wanted if not launch.has(flag)]
    elsewhere = _lost_array(missing, launch, project)
    message = "; ".join(one.message for one in reversed(found))
    if elsewhere:
        message += f" ({elsewhere} holds optimizer flags that do not reach this launch)"
    anchor = _anchor(launch, project)
    place = anchor.word.place if anchor is not None and anchor.word.place is not None else start_of(launch)
    # Those behind a -- are there, and count for nothing.
    edit = None if elsewhere or not missing else _insertion(anchor, launch, missing, project)
    return Finding(
        place,
        message,
        severity=ERROR if refused else None,
        fix=None if edit is None else Fix(f"add {' '.join(missing)}", lambda: [edit]),
        launch=launch,
        subject=next(iter(missing), wanted[0]),
    )


def _anchor(launch: Launch, project: Project) -> Argument | None:
    """The flag beside which users look for optimizer settings, if it is written in the launcher's own files."""
    for flag in _ANCHORS:
        argument = launch.last(flag)
        if argument is not None and argument.word.place is not None and is_own(project, launch, argument.word.place):
            return argument
    return None


def _insertion(anchor: Argument | None, launch: Launch, items: Sequence[str], project: Project) -> Edit | None:
    """Flags beside those of the optimizer; in the command itself where another launch that has them gets those, too."""
    place = None if anchor is None else anchor.word.place
    if anchor is not None and place is not None and not _have(other_launches(launch, project, anchor), items):
        inside = holder(place)
        if isinstance(inside, ArrayLiteral):
            return append_to_array(place.source, inside, items)
        edit = insert_after(anchor, items)
        if edit is not None:
            return edit
    written = written_command(launch)
    script = project.launcher(launch.script)
    by_it = [one for one in (script.launches if script is not None else ()) if written_command(one) == written]
    return None if written is None or _have(by_it, items) else append_to_command(*written, items)


def _have(launches: Iterable[Launch], flags: Sequence[str]) -> bool:
    return any(launch.has(flag) for launch in launches for flag in flags)


def _lost_array(missing: Sequence[str], launch: Launch, project: Project) -> str | None:
    """An array of the launcher that holds missing flags, or optimizer flags of which no launch is given all."""
    script = project.launcher(launch.script)
    files = [] if script is None else [script, *script.evaluation.sourced]
    launches = [] if script is None else script.launches
    reached = {place for each in launches for place in each.written}
    for source in files:
        for array in arrays_in(source):
            words = [word for word in array.words if word.literal is not None]
            flags = {word.literal for word in words}
            if not flags.isdisjoint(missing):
                return array.name
            of_optimizer = not flags.isdisjoint(_ANCHORS)
            if of_optimizer and any((source, word.start) not in reached for word in words):
                return array.name
    return None
