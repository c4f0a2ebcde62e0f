"""The data has no such column, or is not what Relax can load.

## What

For datasets that are on this machine: a column that `--input-key`, `--label-key`, `--metadata-key`, `--tool-key` or
`--multimodal-keys` names, for training or evaluation, and that the file does not have; a file whose name does not end
in `.jsonl` or `.parquet`; rows that are no objects or have no label; a slice that holds no row; a file that cannot be
read. A warning: columns of metadata, tools and media, which are empty then; lines that are no JSON, which are left out;
a file that is not there while the others of its directory are.

## Why

A missing label column is a KeyError at the first row, or, with `--use-streaming-dataset`, every row is dropped and the
run waits for samples that never come. Without the input column every prompt is `None`. Missing metadata and media
are taken for empty without a word, and the reward or the model then works on nothing.

## Source

Guide: column mapping by `--input-key`, `--label-key`, `--metadata-key`, `--multimodal-keys`. Relax reads
`data[label_key]`, and `data.get(…)` for all others, and has readers for the two endings only.

## Example

    --prompt-data data/train.parquet --label-key ground_truth    (the file has: prompt, label, extra_info)

## Fix

By hand: name the column as the file does, or convert the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from relax_lint.catalog.hidden import is_hidden
from relax_lint.datasets import datasets_of, partly_named
from relax_lint.diagnostics import Finding, NotChecked, Severity
from relax_lint.row_judges import Fault, RowJudge, judged, unreadable
from relax_lint.rules import ERROR, WARNING, Example, rule
from relax_lint.rules.data._examples import DATA, RUN, TRAIN, lines, script, tree
from relax_lint.shell.queries import place_of, why_unknown

if TYPE_CHECKING:
    from relax_lint.datasets import DatasetUse
    from relax_lint.project import Project
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.dataset import DataFile, Row

DEFAULT_TOOLS = "tools"
"""The column that tools come from, in the data that has any, whether it is named or not."""

_ROW = {"prompt": "1 + 1?", "label": "2", "extra_info": {"index": 0}}
_KEYS = "--input-key prompt --label-key label"
_EVAL = "--eval-interval 5 --eval-prompt-data t data/test.jsonl"

VALID: list[Example | str] = [
    Example(tree(f"{_KEYS} --metadata-key extra_info", _ROW)),
    Example(tree("--input-key=prompt --label-key=${LABEL_KEY:-label}", _ROW)),
    Example(tree(f"{_KEYS} --label-key $LABEL", _ROW)),
    Example(tree("--label-key labels", path="/data/elsewhere/train.parquet")),
    Example(tree(f"{_KEYS} --eval-interval 5 --eval-prompt-data test ${{DATA_DIR}}/test.json", _ROW)),
    Example(tree("--input-key question --label-key label --custom-prompt-path examples.demo.prompts.ask", _ROW)),
    Example(tree("--label-key labels --data-source-path examples.demo.source.Source", _ROW)),
    Example(
        script(
            f'FILES=(data/train.jsonl data/more.jsonl)\nSET="[$(IFS=,; echo "${{FILES[*]}}")]"\n'
            f'{TRAIN} --prompt-data "$SET@[0:2]" {_KEYS}\n',
            _ROW,
            data__more_jsonl=lines(_ROW, {"prompt": "2?", "label": "x"}),
        )
    ),
    Example(tree(f"{_KEYS} --eval-prompt-data t data/test.jsonl --eval-label-key nothing", _ROW)),
    Example(tree(f'{_KEYS} --multimodal-keys \'{{"image": "images"}}\'', {**_ROW, "images": []}, _ROW)),
    Example(tree(f"{_KEYS} --use-streaming-dataset", _ROW, _ROW, path="data/train.jsonl@[-1:]")),
    Example(
        script(
            f"ARGS=(--input-key prompt)\ncase $1 in\n  a) ARGS+=(--label-key label) ;;\nesac\n"
            f'{TRAIN} --prompt-data data "${{ARGS[@]}}"\n',
            _ROW,
        )
    ),
    Example(tree(f"{_KEYS} --load-debug-rollout-data /tmp/rollout.pt --metadata-key nothing", _ROW)),
    Example(
        f'{TRAIN} --prompt-data "$DATA_DIR/train.parquet" --eval-interval 5 --eval-prompt-data t "$DIR/t.$SUFFIX"\n'
    ),
    Example(f'{TRAIN} --prompt-data "$DATA_DIR/train.csv" --data-source-path examples.demo.source.Source\n'),
    Example(tree("--loss-type sft --input-key messages", {"messages": [{"role": "assistant", "content": "x"}]})),
]

INVALID = [
    Example(tree("--input-key prompt --label-key labels", _ROW), findings=((RUN, 1, 86),)),
    Example(
        script(
            f"ARGS=(\n    --prompt-data data/train.jsonl\n    --input-key question\n    --label-key label\n)\n"
            f'{TRAIN} "${{ARGS[@]}}"\n',
            _ROW,
        ),
        findings=((RUN, 3, 5),),
    ),
    Example(
        script(
            f"DATA={DATA}\n{TRAIN} \\\n  --prompt-data $DATA \\\n  --label-key=answer \\\n  --metadata-key=info\n",
            _ROW,
        ),
        findings=((RUN, 4, 3), (RUN, 5, 3, Severity.WARNING)),
    ),
    Example(
        tree(f'{_KEYS} --multimodal-keys \'{{"image": "pictures"}}\'', {**_ROW, "images": ["a.png"]}),
        findings=((RUN, 1, 104, Severity.WARNING),),
    ),
    Example(
        tree(
            f"{_KEYS} {_EVAL} --eval-label-key gold",
            _ROW,
            data__test_jsonl=lines(_ROW),
        ),
        findings=((RUN, 1, 159),),
    ),
    Example(
        {RUN: f"{TRAIN} --prompt-data data/train.json {_KEYS}\n", "data/train.json": "[]", DATA: lines(_ROW)},
        findings=((RUN, 1, 36),),
    ),
    Example(f"{TRAIN} --input-key prompt --prompt-data ${{DATA_DIR}}/train.json\n", findings=((1, 55),)),
    Example(f'{TRAIN} --prompt-data "$DATA_DIR/train.csv@[0:9]" --input-key prompt\n', findings=((1, 36),)),
    Example(
        script(f'run() {{\n    {TRAIN} --prompt-data "data/trian.jsonl" {_KEYS} "$@"\n}}\nrun --colocate\n', _ROW),
        findings=((RUN, 2, 40, Severity.WARNING),),
    ),
    Example(tree(_KEYS, _ROW, _ROW, path="data/train.jsonl@[5:9]"), findings=((RUN, 1, 36),)),
    Example(tree(_KEYS, _ROW, path="data/train.jsonl@[-1:]"), findings=((RUN, 1, 36),)),
    Example(tree(_KEYS, _ROW, {"prompt": "2 + 2?"}), findings=((RUN, 1, 86),)),
    Example(tree(_KEYS, _ROW, "{broken", path="\"['data/train.jsonl']\""), findings=((RUN, 1, 36, Severity.WARNING),)),
    Example(
        script(f"for set in data/train.jsonl; do\n  {TRAIN} --prompt-data '[data]' {_KEYS}\ndone\n", _ROW),
        findings=((RUN, 2, 38),),
    ),
    Example(
        tree("--loss-type sft --input-key instruction --label-key output", {"instruction": "Say x", "answer": "x"}),
        findings=((RUN, 1, 107),),
    ),
    Example(
        tree(
            f"{_KEYS} --eval-interval 5 --eval-config examples/demo/eval.yaml",
            _ROW,
            examples__demo__eval_yaml="eval:\n  datasets:\n    - name: t\n      path: data/train.jsonl\n"
            "      label_key: gold\n",
        ),
        findings=((RUN, 1, 122),),
    ),
]


@rule("RLX702", "data-column", ERROR, on="launch", everywhere=True, valid=VALID, invalid=INVALID)
def check(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """The paths, then the columns, then the labels of single rows."""
    for argument, word in partly_named(launch, project):
        from relax_lint.data_path_faults import other_format

        suffix = other_format(word)
        if suffix is not None:
            message = f"{word.text}: Relax loads files that end in .jsonl and .parquet only, none in {suffix}"
            yield Finding(place_of(launch, argument.word), message, launch=launch, subject=argument.flag)
    for use in datasets_of(launch, project):
        from relax_lint.data_path_faults import path_faults

        yield from unreadable(use)
        for message, severity in path_faults(use):
            yield Finding(use.place, message, severity=severity, launch=launch, subject=use.flag)
        yield from _columns(use)
        yield from judged(use, LabelInEveryRow)


def _columns(use: DatasetUse) -> Iterator[Finding | NotChecked]:
    """The columns that are named and not there."""
    keys, files = use.keys, [file for file in use.readable if file.columns]
    for key, severity, effect in _wanted(use):
        column, argument = getattr(keys, key), use.naming(key)
        if files and is_hidden(column) and column.words:
            yield NotChecked(use.place_of(key), why_unknown(column.words[0]))
        if argument is None or not isinstance(column, str) or (key == "tool" and column == DEFAULT_TOOLS):
            continue
        lacking = [file for file in files if column not in file.columns]
        if lacking and (severity is ERROR or len(lacking) == len(files)):
            message = f"{_named(argument.flag, key)} {column}: {_without(column, lacking)}; {effect}"
            yield Finding(use.place_of(key), message, severity=severity, launch=use.launch, subject=argument.flag)
    for kind, column in keys.media_columns.items():
        if files and not any(column in file.columns for file in files) and _misses(use, kind):
            message = f"--multimodal-keys {column}: {_without(column, files)}; every row has no {kind} then"
            yield Finding(use.place_of("media"), message, WARNING, launch=use.launch, subject="--multimodal-keys")


def _wanted(use: DatasetUse) -> Iterator[tuple[str, Severity, str]]:
    """The keys whose columns must be there, and what comes of it if they are not."""
    if not (use.role == "train" and not use.sft and use.arguments.rewrites_prompts):
        yield "input", ERROR, "every prompt is None" if not use.sft else "Relax refuses the first row"
    if use.sft:
        yield "label", ERROR, "Relax refuses the first row"
    elif use.is_streamed:
        yield "label", ERROR, "every row is dropped, and the run waits for samples without end"
    else:
        yield "label", ERROR, "a KeyError at the first row"
    yield "metadata", WARNING, "every sample's metadata is empty"
    yield "tool", WARNING, "the prompts get no tools"


def _misses(use: DatasetUse, kind: str) -> bool:
    """Whether media would be expected: evaluation sets without any are common."""
    if use.role == "train":
        return True
    column = use.keys.input
    rows = use.sample(column) if isinstance(column, str) else []
    return any(f"<{kind}>" in str(row.get(column)) for row in rows)


def _named(flag: str, key: str) -> str:
    """How a column is named: by its flag, or by a key of a config that a flag names."""
    return flag if flag.endswith("-key") else f"{flag} {key}_key"


def _without(column: str, files: list[DataFile]) -> str:
    """That files lack a column, and what they have."""
    from difflib import get_close_matches

    names = list(files[0].columns)
    near = get_close_matches(column, names, n=1, cutoff=0.6)
    has = f"did you mean {near[0]}?" if near else f"it has {', '.join(names[:6])}{' …' if len(names) > 6 else ''}"
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    return f"{files[0].text}{more} has no such column, {has}"


class LabelInEveryRow(RowJudge):
    """Rows of a JSON file that lack the label which others have."""

    needs: ClassVar[tuple[str, ...]] = ()
    places: ClassVar[tuple[str, ...]] = ("label",)

    @property
    def applies(self) -> bool:
        """Where a label is taken, and rows may differ in their keys."""
        return isinstance(self.use.keys.label, str) and any(not file.is_parquet for file in self.use.readable)

    @property
    def columns(self) -> tuple[str, ...]:
        """The label."""
        return (self.use.keys.label,)

    def faults(self, row: Row, file: DataFile) -> Iterator[Fault]:
        """A row without label, in a file that has labels."""
        label = self.use.keys.label
        if not file.is_parquet and label not in row and label in file.columns:
            effect = "the row is dropped" if self.use.is_streamed and not self.use.sft else "Relax fails at it"
            yield "lacking", f"a row has no {label}: {effect}", ERROR
