"""A flag of SGLang's, the router's or the teacher's is shortened.

## What

The beginning of a `--sglang-…` or `--teacher-sglang-…` flag in the place of the whole. The two parsers that read these
flags take any beginning that fits one flag only. An error where several flags begin so. A beginning that no parser
takes is RLX501's: Relax's own parser and Megatron's take none.

## Why

It works until SGLang gets another flag that begins so; then the launch is refused as ambiguous, or another flag is
meant. Nobody finds it by the flag's name.

## Source

argparse's `allow_abbrev`, which Relax leaves on in the parsers of SGLang's and the teacher's flags and turns off in the
others.

## Example

    --sglang-mem-frac 0.8

## Fix

Writes the flag out. None where it is ambiguous.
"""

from __future__ import annotations

from collections.abc import Iterator

from relax_lint.catalog.launches import namespace_of
from relax_lint.catalog.proposals import short_for
from relax_lint.diagnostics import Edit, Finding, Fix
from relax_lint.fixers.launcher_edits import rename_flag
from relax_lint.project import Project
from relax_lint.rules import ERROR, WARNING, Example, rule
from relax_lint.shell.launch import Launch
from relax_lint.shell.queries import is_own, place_of

_MOST_SHOWN = 4

_TRAIN = "python3 relax/entrypoints/train.py"

VALID: list[Example | str] = [
    f"{_TRAIN} --sglang-mem-fraction-static 0.8 --sglang-tp-size 2\n",
    f"{_TRAIN} --teacher-sglang-mem-fraction-static=0.8\n",
    f"{_TRAIN} --rollout-batch 8\n",
    f"{_TRAIN} --rollout-num-gpus 8 --rollout-num-gpus-per-engine 2\n",
    f"{_TRAIN} --debug-train-only --sglang-mem-frac 0.8 --sglang-disable\n",
    f"{_TRAIN} --load-debug-rollout-data=/d/x.pt --teacher-sglang-mem-frac 0.8\n",
    f"{_TRAIN} --sglang-router-policy x --sglang-router-ip 10.0.0.1\n",
    f"{_TRAIN} --sglang-made-up 3\n",
    f"{_TRAIN} --lr 1e-6 -- --sglang-mem-frac 0.8\n",
    f'ARGS=(--sglang-mem-frac 0.8)\necho "${{ARGS[@]}}"\n{_TRAIN} --lr 1e-6\n',
    f"# --sglang-mem-frac 0.8\n{_TRAIN} --sglang-log-level info\n",
    f'{_TRAIN} "--sglang-mem-${{WHAT}}" 0.8 --sglang-${{X}}=3\n',
    f"python3 -m sglang.launch_server --mem-frac 0.8\n{_TRAIN} --lr 1e-6\n",
    f"{_TRAIN} --no-sglang-lora-strict-loading --router-policy random\n",
    f"{_TRAIN} --skip-hf --debug-train --train-back megatron\n",
]

INVALID = [
    Example(
        f"{_TRAIN} --sglang-mem-frac 0.8 --lr 1e-6\n",
        findings=((1, 36),),
        fixed=f"{_TRAIN} --sglang-mem-fraction-static 0.8 --lr 1e-6\n",
    ),
    Example(
        f"{_TRAIN} --sglang-mem-frac=0.8\n",
        findings=((1, 36),),
        fixed=f"{_TRAIN} --sglang-mem-fraction-static=0.8\n",
    ),
    Example(
        f"SGLANG_ARGS=(\n    --sglang-context 4096\n    --sglang-chunked 2048   # tokens\n)\n"
        f'{_TRAIN} "${{SGLANG_ARGS[@]}}"\n',
        findings=((2, 5), (3, 5)),
        fixed=f"SGLANG_ARGS=(\n    --sglang-context-length 4096\n    --sglang-chunked-prefill-size 2048   # tokens\n)\n"
        f'{_TRAIN} "${{SGLANG_ARGS[@]}}"\n',
    ),
    Example(
        f"{_TRAIN} --teacher-sglang-mem-frac 0.5\n",
        findings=((1, 36),),
        fixed=f"{_TRAIN} --teacher-sglang-mem-fraction-static 0.5\n",
    ),
    Example(f"{_TRAIN} --sglang-disable --lr 1e-6\n", findings=((1, 36, ERROR),)),
    Example(f"{_TRAIN} --teacher-sglang-disable=1\n", findings=((1, 36, ERROR),)),
    Example(f"{_TRAIN} --sglang-pp 2\n", findings=((1, 36, ERROR),)),
    Example(
        f'EXTRA="--lr 1e-6 --sglang-mem-frac 0.7"\n{_TRAIN} $EXTRA\n',
        findings=((1, 18),),
        fixed=f'EXTRA="--lr 1e-6 --sglang-mem-fraction-static 0.7"\n{_TRAIN} $EXTRA\n',
    ),
    Example(
        f'run() {{\n    {_TRAIN} "$@"\n}}\nrun --sglang-mem-frac 0.8 --colocate\nrun --fully-async\n',
        findings=((4, 5),),
        fixed=f'run() {{\n    {_TRAIN} "$@"\n}}\nrun --sglang-mem-fraction-static 0.8 --colocate\nrun --fully-async\n',
    ),
    Example(
        {
            "examples/demo/run_demo.sh": f'source "$(dirname "$0")/engine.sh"\n{_TRAIN} "${{ENGINE[@]}}"\n',
            "examples/demo/engine.sh": 'ENGINE=("--sglang-mem-frac" "${MEM:-0.8}")\n',
        },
        findings=(("examples/demo/engine.sh", 1, 9),),
        fixed={"examples/demo/engine.sh": 'ENGINE=("--sglang-mem-fraction-static" "${MEM:-0.8}")\n'},
    ),
    Example(
        {"scripts/training/text/run-qwen3-4B.sh": f"{_TRAIN} --sglang-mem-frac ${{MEM}}\n"},
        findings=(("scripts/training/text/run-qwen3-4B.sh", 1, 36),),
        fixed={"scripts/training/text/run-qwen3-4B.sh": f"{_TRAIN} --sglang-mem-fraction-static ${{MEM}}\n"},
    ),
    Example(
        f'if [ "$MODE" = async ]; then\n    M=(--fully-async --sglang-disable-cuda-graph-pad)\nelse\n'
        f'    M=(--colocate)\nfi\n{_TRAIN} "${{M[@]}}"\n',
        findings=((2, 22),),
        fixed=f'if [ "$MODE" = async ]; then\n    M=(--fully-async --sglang-disable-cuda-graph-padding)\nelse\n'
        f'    M=(--colocate)\nfi\n{_TRAIN} "${{M[@]}}"\n',
    ),
    Example(
        f"{_TRAIN} --sglang-router-prefill http://a\n",
        findings=((1, 36),),
        fixed=f"{_TRAIN} --sglang-router-prefill-policy http://a\n",
    ),
]


@rule("RLX504", "abbreviated-flag", WARNING, on="launch", everywhere=True, valid=VALID, invalid=INVALID, fixable="safe")
def abbreviated_flag(launch: Launch, project: Project) -> Iterator[Finding]:
    """Say what is written short."""
    if launch.kind != "relax":
        return
    namespace = namespace_of(launch, project)
    for group in namespace.groups:
        meant = short_for(group, namespace)
        if group.word is None or not meant:
            continue
        place = place_of(launch, group.word)
        if len(meant) > 1:
            shown = ", ".join(meant[:_MOST_SHOWN]) + (" …" if len(meant) > _MOST_SHOWN else "")
            message = f"{group.name} is refused as ambiguous: {len(meant)} flags begin so, {shown}"
            yield Finding(place, message, severity=ERROR, launch=launch, subject=group.name)
        else:
            message = f"{group.name} is short for {meant[0]}: write it out"
            own = group.word.place is not None and is_own(project, launch, group.word.place)
            edit = rename_flag(group.word, group.name, meant[0]) if own else None
            yield Finding(place, message, fix=_fix(meant[0], edit), launch=launch, subject=group.name)


def _fix(name: str, edit: Edit | None) -> Fix | None:
    return None if edit is None else Fix(f"write {name}", lambda: [edit])
