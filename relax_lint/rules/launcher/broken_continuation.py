"""A continued command breaks off before its end.

## What

A file that begins with a byte-order mark or whose lines end in CRLF, sourced ones included. A backslash that blanks or
a carriage return follow; a comment or an empty line inside a continued command; a line of flags that the line above
does not join; a comment that ends in a backslash where the command should have gone on. Nothing is said of lines that a
mistake, such as an open quote, keeps from being read. Comments and empty lines between the elements of an array are
fine, and so is a backslash behind the last words of a command.

## Why

bash ends the command at the break, launches what it has so far, and takes the next line for a command of its own. The
run starts, without most of its flags, and trains with defaults; that `--lr: command not found` comes when it is over.
A byte-order mark costs the script its first line: the shebang is none, and of `set -e` only a message is left.

## Source

The grammar of bash: only a backslash right in front of the line's end joins two lines, and none does in a comment.

## Example

    python3 relax/entrypoints/train.py \\
        --colocate \\
        # --use-tis \\
        --lr 1e-6

## Fix

Takes the byte-order mark out, ends all lines with LF, removes the blanks, writes the missing backslash, takes out the
empty line, and moves comments above the command. Where the head of the command is commented out itself, a person has to
decide.
"""

from __future__ import annotations

from collections.abc import Iterator

from relax_lint.diagnostics import Finding, Fix
from relax_lint.project import Project
from relax_lint.rules import ERROR, Example, rule
from relax_lint.shell.continuations import OF_A_FILE, Break, Kind, breaks
from relax_lint.sources.launcher import LauncherSource

_MESSAGES: dict[Kind, str] = {
    "byte-order mark": "a byte-order mark begins the file: to bash it is a part of the first word of this line",
    "blanks": "the backslash is not the last on its line: it quotes a blank, and the command ends here",
    "CRLF": "the lines end in CRLF: bash takes each carriage return for a part of the line's last word",
    "carriage return": "a carriage return follows the backslash, which quotes it and joins no lines",
    "comment": "a comment inside a continued command ends it; the lines below are a command of their own",
    "blank line": "an empty line inside a continued command ends it; the lines below are a command of their own",
    "no backslash": "no backslash joins the next line of flags: the command ends here, and they are one of their own",
    "swallowed": "a backslash in a comment joins nothing; the line below is a command of its own",
    "headless": "flags without a command: bash takes the first of them for a program",
}
_TITLES: dict[Kind, str] = {
    "byte-order mark": "take the byte-order mark out",
    "CRLF": "end all lines with LF",
    "carriage return": "end all lines with LF",
    "blanks": "let the backslash end its line",
    "comment": "move the comment above the command",
    "blank line": "remove the empty line",
    "no backslash": "write the missing backslash",
    "swallowed": "move the comment above the command",
}

_TRAIN = "python3 relax/entrypoints/train.py"

VALID: list[Example | str] = [
    f"{_TRAIN} \\\n    --lr 1e-6 \\\n    --colocate\n",
    f'A=(\n    --lr 1e-6\n    # --colocate \\\n\n    --use-tis  # why \\\n    --hybrid\n)\n{_TRAIN} "${{A[@]}}"\n',
    f"{_TRAIN} \\\n    --lr 1e-6 \\\n\necho done\n",
    f"{_TRAIN} \\\n    --lr 1e-6 \\\n    # the end\n\nwait\n",
    f"# {_TRAIN} \\\n#     --lr 1e-6 \\\n{_TRAIN} --lr 1e-6\n",
    f"# Usage: {_TRAIN} \\\n{_TRAIN} --lr 1e-6\n",
    f"cat > run.sh <<'EOF'\n{_TRAIN} \\ \n    # --x\n    --lr 1e-6\nEOF\n{_TRAIN} --lr 1e-6\n",
    f"IFS=\\ \nread -r a b <<< '1 2'\n{_TRAIN} --lr 1e-6\n",
    f"NOTE='first \\ \nsecond'\n{_TRAIN} --lr 1e-6 2>&1 |\n    # keep a copy\n    tee x.log\n",
    f'CMD=({_TRAIN} --colocate)\nset -x\n"${{CMD[@]}}"\n',
    f"{_TRAIN} --lr 1e-6 --prompt-data /data/a\\ b.parquet \\\n    --colocate\n",
    f"{_TRAIN} --lr 1e-6 &&\n    # it worked\n    echo done\n",
    f'if [ -n "$1" ] \\\n    && [ -d "$1" ]; then\n    {_TRAIN} --lr 1e-6 # last \\\nfi\n',
    f'A=(\n    --prompt-data "/data/x\n    --lr 1e-6\n)\n{_TRAIN} \\\n    --colocate\n    "${{A[@]}}"\n',
    f'{_TRAIN} --system-prompt "one \\ \ntwo" \\\n    --lr 1e-6\n',
    f"{_TRAIN} \\\n    --prompt-data /data/a\\ \n# later: --colocate\n\nwait\n",
]

INVALID = [
    Example(
        f"{_TRAIN} \\\n    --colocate \\ \n    --lr 1e-6\n",
        findings=((2, 16),),
        fixed=f"{_TRAIN} \\\n    --colocate \\\n    --lr 1e-6\n",
    ),
    Example(
        f"{_TRAIN} \\\n    --colocate \\ \n    # sizes\n\n    --lr 1e-6 \\\n    --use-tis\n",
        findings=((2, 16),),
        fixed=f"# sizes\n{_TRAIN} \\\n    --colocate \\\n    --lr 1e-6 \\\n    --use-tis\n",
    ),
    Example(
        f"{_TRAIN} \\\n    --colocate \\ \n    # log \\\n    2>&1 | tee x.log\n",
        findings=((2, 16),),
        fixed=f"# log\n{_TRAIN} \\\n    --colocate \\\n    2>&1 | tee x.log\n",
    ),
    Example(
        f'{_TRAIN} \\\t \n    "${{MODEL_ARGS[@]}}" \\\n    --lr 1e-6 2>&1 | tee x.log\n',
        findings=((1, 36),),
        fixed=f'{_TRAIN} \\\n    "${{MODEL_ARGS[@]}}" \\\n    --lr 1e-6 2>&1 | tee x.log\n',
    ),
    Example(
        f'A=(\n    --lr 1e-6 \\  \n    --colocate\n)\n{_TRAIN} "${{A[@]}}"\n',
        findings=((2, 15),),
        fixed=f'A=(\n    --lr 1e-6 \\\n    --colocate\n)\n{_TRAIN} "${{A[@]}}"\n',
    ),
    Example(
        f"{_TRAIN} \\\n    --colocate \\\n    # --use-tis \\\n    --lr 1e-6\n",
        findings=((3, 5),),
        fixed=f"# --use-tis\n{_TRAIN} \\\n    --colocate \\\n    --lr 1e-6\n",
    ),
    Example(
        f"set -e\nif true; then\n    {_TRAIN} \\\n        --colocate \\\n\n        # sizes\n        --lr 1e-6 \\\n"
        "        2>&1 | tee x.log\nfi\n",
        findings=((6, 9),),
        fixed=f"set -e\nif true; then\n    # sizes\n    {_TRAIN} \\\n        --colocate \\\n        --lr 1e-6 \\\n"
        "        2>&1 | tee x.log\nfi\n",
    ),
    Example(
        f"{_TRAIN} \\\n    --colocate \\\n\n    --lr 1e-6\n",
        findings=((3, 1),),
        fixed=f"{_TRAIN} \\\n    --colocate \\\n    --lr 1e-6\n",
    ),
    Example(
        f"{_TRAIN} \\\n    --colocate\n    --lr 1e-6 \\\n    --use-tis\n",
        findings=((2, 5),),
        fixed=f"{_TRAIN} \\\n    --colocate \\\n    --lr 1e-6 \\\n    --use-tis\n",
    ),
    Example(
        f'PERF=(\n    --tensor-model-parallel-size 2\n)\n{_TRAIN} --colocate\n    "${{PERF[@]}}" \\\n    --lr 1e-6\n',
        findings=((4, 36),),
        fixed=f"PERF=(\n    --tensor-model-parallel-size 2\n)\n{_TRAIN} --colocate \\\n    "
        f'"${{PERF[@]}}" \\\n    --lr 1e-6\n',
    ),
    Example(
        f"{_TRAIN} \\\n    --colocate \\\n    --max-staleness 0 # on-policy \\\n    --lr 1e-6\n",
        findings=((3, 23),),
        fixed=f"# on-policy\n{_TRAIN} \\\n    --colocate \\\n    --max-staleness 0 \\\n    --lr 1e-6\n",
    ),
    Example(
        f"{_TRAIN} \\\n    --colocate \\\n    --lr 1e-6 \\\n    # --use-wandb \\\n    2>&1 | tee x.log\n",
        findings=((4, 5),),
        fixed=f"# --use-wandb\n{_TRAIN} \\\n    --colocate \\\n    --lr 1e-6 \\\n    2>&1 | tee x.log\n",
    ),
    Example(
        f"{_TRAIN} --lr 1e-6 \\\n    # no log \\\n    | tee x.log\n",
        findings=((2, 5),),
        fixed=f"# no log\n{_TRAIN} --lr 1e-6 \\\n    | tee x.log\n",
    ),
    Example(
        "ray job submit --address=http://10.0.0.7:8265 \\\n"
        f'    --runtime-env-json="${{RUNTIME_ENV_JSON}}"\n    -- {_TRAIN} \\\n    --lr 1e-6\n',
        findings=((2, 5),),
        fixed="ray job submit --address=http://10.0.0.7:8265 \\\n"
        f'    --runtime-env-json="${{RUNTIME_ENV_JSON}}" \\\n    -- {_TRAIN} \\\n    --lr 1e-6\n',
    ),
    Example(f"# {_TRAIN} \\\n    --lr 1e-6 \\\n    --colocate\n", findings=((2, 5),)),
    Example(
        f"{_TRAIN} \\\n    --kl-loss-type k1 \\  # k1, k2, k3\n    --lr 1e-6\n",
        findings=((2, 23),),
        fixed=f"# k1, k2, k3\n{_TRAIN} \\\n    --kl-loss-type k1 \\\n    --lr 1e-6\n",
    ),
    Example(
        "python3 -m verl.trainer.main_ppo \\\n    data.train_batch_size=8 \\ \n    trainer.nnodes=1\n",
        findings=((2, 29),),
        fixed="python3 -m verl.trainer.main_ppo \\\n    data.train_batch_size=8 \\\n    trainer.nnodes=1\n",
    ),
    Example(
        f'A=(\n    --lr 1e-6\n)\n# {_TRAIN} \\\n    --colocate\n{_TRAIN} "${{A[@]}}"\n',
        findings=((4, 1),),
    ),
    Example(
        f"{_TRAIN} \\\r\n    --lr 1e-6 \\\r\n    --colocate\r\n",
        findings=((1, 1),),
        fixed=f"{_TRAIN} \\\n    --lr 1e-6 \\\n    --colocate\n",
    ),
    Example(
        f'#!/bin/bash\r\nset -e\r\nif [ "$1" = async ]; then\r\n    A=(--fully-async)\r\nfi\r\n'
        f'{_TRAIN} "${{A[@]}}"\r\n',
        findings=((1, 1),),
        fixed=f'#!/bin/bash\nset -e\nif [ "$1" = async ]; then\n    A=(--fully-async)\nfi\n{_TRAIN} "${{A[@]}}"\n',
    ),
    Example(
        f"set -e\n{_TRAIN} \\\r\n    --lr 1e-6\n",
        findings=((2, 36),),
        fixed=f"set -e\n{_TRAIN} \\\n    --lr 1e-6\n",
    ),
    Example(
        f"\ufeff#!/bin/bash\nset -e\n{_TRAIN} --lr 1e-6\n",
        findings=((1, 1),),
        fixed=f"#!/bin/bash\nset -e\n{_TRAIN} --lr 1e-6\n",
    ),
    Example(
        f"\ufeffset -e\r\n{_TRAIN} --lr 1e-6\r\n",
        findings=((1, 1), (1, 1)),
        fixed=f"set -e\n{_TRAIN} --lr 1e-6\n",
    ),
    Example(
        {
            "examples/demo/common.sh": "\ufeffLR=(--lr 1e-6)\n",
            "examples/demo/run_a.sh": f'source "$(dirname "$0")/common.sh"\n{_TRAIN} "${{LR[@]}}"\n',
        },
        findings=(("examples/demo/common.sh", 1, 1),),
        fixed={"examples/demo/common.sh": "LR=(--lr 1e-6)\n"},
    ),
    Example(
        {
            "examples/demo/common.sh": "LR=(--lr 1e-6)\r\n",
            "examples/demo/run_a.sh": f'source "$(dirname "$0")/common.sh"\n{_TRAIN} "${{LR[@]}}"\n',
        },
        findings=(("examples/demo/common.sh", 1, 1),),
        fixed={"examples/demo/common.sh": "LR=(--lr 1e-6)\n"},
    ),
    Example(
        "python3 -m verl.trainer.main_ppo \\\n    # sizes\n    +data.train_batch_size=8 \\\n    trainer.nnodes=1\n",
        findings=((2, 5),),
        fixed="# sizes\npython3 -m verl.trainer.main_ppo \\\n    +data.train_batch_size=8 \\\n    trainer.nnodes=1\n",
    ),
    Example(
        f"{_TRAIN} \\\n    # a\n    --colocate \\\n    # b\n    --lr 1e-6\n",
        findings=((2, 5), (4, 5)),
        fixed=f"# a\n# b\n{_TRAIN} \\\n    --colocate \\\n    --lr 1e-6\n",
    ),
    Example(
        f'{_TRAIN} --resource \\  \n    \'{{"actor": [1, 8], "rollout": [1, 8]}}\' \\\n    --colocate\n',
        findings=((1, 47),),
        fixed=f'{_TRAIN} --resource \\\n    \'{{"actor": [1, 8], "rollout": [1, 8]}}\' \\\n    --colocate\n',
    ),
]


@rule(
    "RLX422", "broken-continuation", ERROR, on="launcher", everywhere=True, valid=VALID, invalid=INVALID, fixable="safe"
)
def broken_continuation(launcher: LauncherSource, project: Project) -> Iterator[Finding]:
    """Say where commands break."""
    spoilt = (file for file in launcher.evaluation.sourced if file.has_crlf_ends or file.has_byte_order_mark)
    sourced = (item for file in spoilt for item in breaks(file) if item.kind in OF_A_FILE)
    for item in (*breaks(launcher), *sourced):
        yield Finding(item.place, _MESSAGES[item.kind], fix=_fix(item), subject=item.kind)


def _fix(item: Break) -> Fix | None:
    if not item.edits:
        return None
    return Fix(_TITLES[item.kind], lambda: item.edits)
