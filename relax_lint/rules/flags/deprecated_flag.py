"""A deprecated flag, or a deprecated value of one.

## What

A flag or a value that Relax, Megatron or SGLang takes with a warning that it will go. An error where Relax takes it
and then breaks on it: with `--loss-type sft_loss` or `sft-loss`, evaluation and prediction settings are refused or
crash, since the checks before compare with `sft`. As advice where only the help text calls it deprecated.

## Why

With the next version the launch is refused, or the flag is ignored without a word.

## Source

Relax: `--loss-type` in `relax/utils/arguments.py`. Megatron's argument checks and help texts, SGLang's deprecated
actions.

## Example

    --loss-type sft_loss

## Fix

Writes what is wanted instead, or drops what has no effect any more; none where the new flag means something else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from relax_lint.catalog.argparse_model import Match
from relax_lint.catalog.deprecations import DROPPED, HINTS, REPLACEMENTS, SILENT, WARNED, Replacement
from relax_lint.catalog.flags import HELPER_PARSER
from relax_lint.catalog.launches import namespace_of
from relax_lint.catalog.namespace import Namespace
from relax_lint.diagnostics import Edit, Finding, Fix, Severity
from relax_lint.fixers.launcher_edits import is_word, remove, rename_flag, replace_value, whole
from relax_lint.project import Project
from relax_lint.rules import ADVICE, ERROR, WARNING, Example, rule
from relax_lint.shell.launch import Launch
from relax_lint.shell.queries import is_own, place_of

_BREAKS_SFT = ("--eval-interval", "--eval-size", "--sft-predict-interval")
"""Flags that Relax checks while an old name of ``--loss-type sft`` is not replaced yet."""

_TRAIN = "python3 relax/entrypoints/train.py"

VALID: list[Example | str] = [
    f"{_TRAIN} --loss-type sft --eval-interval 5\n",
    f"{_TRAIN} --loss-type policy_loss --position-embedding-type rope --cuda-graph-impl local\n",
    f'{_TRAIN} --loss-type "${{LOSS}}"\n',
    f"{_TRAIN} --debug-train-only --sglang-stream-output\n",
    f"# --use-dist-ckpt\n{_TRAIN} --ckpt-format torch_dist\n",
    f"ARGS=(--loss-type sft_loss)\n{_TRAIN} --lr 1e-6\n",
    f"{_TRAIN} --lr 1e-6 -- --use-dist-ckpt\n",
    f"{_TRAIN} --no-ckpt-fully-parallel-save --hybrid-layer-pattern 'M*M*'\n",
    "python3 -m verl.trainer.main_ppo --loss-type sft_loss\n",
    f"{_TRAIN} --custom-loss-function-path relax.x.sft_loss --tb-project-name sft_loss\n",
    f"{_TRAIN} --use-dist --enable-cuda\n",
    f'{_TRAIN} "$@" ${{EXTRA}} --sglang-swa-full-tokens-ratio 0.5\n',
]

INVALID = [
    Example(f"F=--use-rotary-position-embeddings\n{_TRAIN} $F\n", findings=((1, 3, ADVICE),)),
    Example(f"{_TRAIN} $(echo --use-rotary-position-embeddings)\n", findings=((1, 36, ADVICE),)),
    Example(f"{_TRAIN} ${{ROPE:---use-rotary-position-embeddings}}\n", findings=((1, 36, ADVICE),)),
    Example(
        f"{_TRAIN} --loss-type sft_loss --lr 1e-5\n",
        findings=((1, 36),),
        fixed=f"{_TRAIN} --loss-type sft --lr 1e-5\n",
    ),
    Example(
        f'ARGS=(\n    --loss-type=sft-loss\n    --lr 1e-5\n)\n{_TRAIN} "${{ARGS[@]}}"\n',
        findings=((2, 5),),
        fixed=f'ARGS=(\n    --loss-type=sft\n    --lr 1e-5\n)\n{_TRAIN} "${{ARGS[@]}}"\n',
    ),
    Example(
        f"{_TRAIN} \\\n    --loss-type 'sft_loss' \\\n    --eval-interval 10\n",
        findings=((2, 5, ERROR),),
        fixed=f"{_TRAIN} \\\n    --loss-type sft \\\n    --eval-interval 10\n",
    ),
    Example(
        f'SFT=(--loss-type sft-loss)\nEVAL=(--eval-size 0.1)\n{_TRAIN} "${{SFT[@]}}" "${{EVAL[@]}}"\n',
        findings=((1, 6, ERROR),),
        fixed=f'SFT=(--loss-type sft)\nEVAL=(--eval-size 0.1)\n{_TRAIN} "${{SFT[@]}}" "${{EVAL[@]}}"\n',
    ),
    Example(
        f"{_TRAIN} --enable-cuda-graph --lr 1e-6\n",
        findings=((1, 36),),
        fixed=f"{_TRAIN} --cuda-graph-impl local --lr 1e-6\n",
    ),
    Example(
        f"{_TRAIN} --lr 1e-6 --use-dist-ckpt --dist-ckpt-format torch_dist --colocate\n",
        findings=((1, 46), (1, 62)),
        fixed=f"{_TRAIN} --lr 1e-6 --colocate\n",
    ),
    Example(
        f"{_TRAIN} --hybrid-override-pattern='M*M*' --lr 1e-6\n",
        findings=((1, 36),),
        fixed=f"{_TRAIN} --hybrid-layer-pattern='M*M*' --lr 1e-6\n",
    ),
    Example(
        f'ENGINE=(\n    --sglang-stream-output\n    --sglang-collect-tokens-histogram\n)\n{_TRAIN} "${{ENGINE[@]}}"\n',
        findings=((2, 5), (3, 5)),
        fixed=f'ENGINE=(\n    --sglang-incremental-streaming-output\n)\n{_TRAIN} "${{ENGINE[@]}}"\n',
    ),
    Example(
        f"{_TRAIN} --use-rotary-position-embeddings --lr 1e-6\n",
        findings=((1, 36, ADVICE),),
        fixed=f"{_TRAIN} --position-embedding-type rope --lr 1e-6\n",
    ),
    Example(
        f'run() {{ {_TRAIN} --lr 1e-5 "$@"; }}\nrun --loss-type sft_loss\nrun --loss-type sft\n',
        findings=((2, 5),),
        fixed=f'run() {{ {_TRAIN} --lr 1e-5 "$@"; }}\nrun --loss-type sft\nrun --loss-type sft\n',
    ),
    Example(
        {
            "examples/demo/run_demo.sh": f'source "$(dirname "$0")/loss.sh"\n{_TRAIN} $LOSS --lr 1e-5\n',
            "examples/demo/loss.sh": 'LOSS="--loss-type sft_loss"\n',
        },
        findings=(("examples/demo/loss.sh", 1, 7),),
        fixed={"examples/demo/loss.sh": 'LOSS="--loss-type sft"\n'},
    ),
    Example(
        f"LOSS=sft_loss\n{_TRAIN} --loss-type $LOSS --lr 1e-5\n",
        findings=((2, 36),),
    ),
    Example(
        f"{_TRAIN} --sglang-tool-call-parser qwen25 --optimizer=dist_muon\n",
        findings=((1, 36), (1, 69)),
        fixed=f"{_TRAIN} --sglang-tool-call-parser qwen --optimizer=muon\n",
    ),
    Example(
        f"{_TRAIN} --tiktoken-special-tokens '<a>' '<b>' --tokenizer-hf-use-fast --lr 1e-6\n",
        findings=((1, 36), (1, 74)),
        fixed=f"{_TRAIN} --tokenizer-special-tokens '<a>' '<b>' --lr 1e-6\n",
    ),
    Example(f"{_TRAIN} --sglang-enable-nan-detection --hybrid-context-parallel\n", findings=((1, 36), (1, 66))),
    Example(
        {"scripts/training/text/run-qwen3-4B.sh": f"{_TRAIN} --external-cuda-graph\n"},
        findings=(("scripts/training/text/run-qwen3-4B.sh", 1, 36),),
        fixed={"scripts/training/text/run-qwen3-4B.sh": f"{_TRAIN} --cuda-graph-impl transformer_engine\n"},
    ),
    Example(
        f"{_TRAIN} --cuda-graph-impl local --use-rotary-position-embeddings --position-embedding-type rope\n",
        findings=((1, 60, ADVICE),),
        fixed=f"{_TRAIN} --cuda-graph-impl local --position-embedding-type rope\n",
    ),
]


@rule("RLX506", "deprecated-flag", WARNING, on="launch", everywhere=True, valid=VALID, invalid=INVALID, fixable="safe")
def deprecated_flag(launch: Launch, project: Project) -> Iterator[Finding]:
    """Say what will go."""
    if launch.kind != "relax":
        return
    namespace = namespace_of(launch, project)
    for name, parsed in namespace.parsed.items():
        if name == HELPER_PARSER:
            continue
        for match in parsed.matches:
            if match.flag.deprecated is not None or match.flag.name in WARNED:
                yield _old_flag(match, namespace, project)
            elif match.flag.deprecated_values:
                yield from _old_value(match, namespace, project)


def _old_value(match: Match, namespace: Namespace, project: Project) -> Iterator[Finding]:
    launch = namespace.launch
    for word in match.values:
        new = match.flag.deprecated_values.get(word.text) if word.known else None
        if new is None:
            continue
        message = f"{match.option} {word.text} is deprecated: write {new}"
        broken = [flag for flag in _BREAKS_SFT if match.flag.name == "--loss-type" and namespace.given(flag) is True]
        if broken:
            message += f"; Relax takes it for another loss where it checks {broken[0]}, and stops"
        edit = replace_value(match.argument, new) if len(match.values) == 1 else None
        yield Finding(
            place_of(launch, match.word),
            message,
            severity=ERROR if broken else None,
            fix=_fix(f"write {new}", edit, match, launch, project),
            launch=launch,
            subject=match.option,
        )


def _old_flag(match: Match, namespace: Namespace, project: Project) -> Finding:
    launch, flag = namespace.launch, match.flag
    severity: Severity | None = ADVICE if flag.name in SILENT else None
    deprecated = HINTS.get(flag.name) or flag.deprecated or WARNED.get(flag.name, "")
    new = DROPPED if flag.action == "ignored" else REPLACEMENTS.get(flag.name)
    title, edit = ("", None) if new is None else _edit(match, new, namespace)
    return Finding(
        place_of(launch, match.word),
        f"{match.option} is deprecated: {_advice(deprecated, new)}",
        severity=severity,
        fix=_fix(title, edit, match, launch, project),
        launch=launch,
        subject=match.option,
    )


def _advice(deprecated: str, new: Replacement | None) -> str:
    if new is DROPPED:
        return "it has no effect any more" + (f", {deprecated}" if deprecated.startswith(("see", "use")) else "")
    return f"write {new.words or new.flag}" if new is not None else deprecated


def _edit(match: Match, new: Replacement, namespace: Namespace) -> tuple[str, Edit | None]:
    argument = match.argument
    if new.flag:
        return f"write {new.flag}", rename_flag(match.word, match.word.text.partition("=")[0], new.flag)
    if new.only is not None and argument.value != new.only:
        return "", None
    instead = new.words.partition(" ")[0]
    if not instead:
        return f"drop {match.option}", remove(argument)
    if namespace.given(instead) is not False:
        same = namespace.value(instead.removeprefix("--").replace("-", "_")) == new.words.partition(" ")[2]
        return f"drop {match.option}", remove(argument) if same else None
    place = whole(argument)
    return f"write {new.words}", None if place is None or not is_word(place) else Edit.at(place, new.words)


def _fix(title: str, edit: Edit | None, match: Match, launch: Launch, project: Project) -> Fix | None:
    place = match.word.place
    if edit is None or place is None or not is_own(project, launch, place):
        return None
    edits: Sequence[Edit] = [edit]
    return Fix(title, lambda: edits)
