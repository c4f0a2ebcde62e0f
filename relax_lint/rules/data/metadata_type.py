"""Metadata that is no dict, or lacks what the reward reads.

## What

Rows, of a sample or of all with `relax-lint data check`, whose metadata (the column of `--metadata-key`, by default
`metadata`) is a text. A warning: a parquet map, or a list of pairs; in evaluation data, whatever else is no dict; a key
that the reward reads from `sample.metadata` and that no row has.

## Why

Relax makes `dict(metadata)` for every sample: of a text that is a ValueError, or, where there is a column
`data_source`, the text gives way to that alone; evaluation empties it without a word. A map arrives as a list of pairs,
which training turns into a dict and evaluation empties. Of a key that is nowhere the reward gets `None`, or a KeyError,
for each sample.

## Source

Guide: `sample.metadata` is a dict, verl's `extra_info`. Relax's `process_raw_sample`, the data source's copy of
samples, and `inject_metadata` of evaluation datasets.

## Example

    {"prompt": "1 + 1?", "label": "2", "extra_info": "{\\"index\\": 0}"}     with --metadata-key extra_info

## Fix

By hand: write the column as an object with a field for each key, parsed when the data is converted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from relax_lint.data_prompts import in_words
from relax_lint.datasets import datasets_of
from relax_lint.diagnostics import Finding, NotChecked, Related
from relax_lint.kept import kept_property
from relax_lint.row_judges import Fault, RowJudge, judged
from relax_lint.rules import ERROR, WARNING, Example, rule
from relax_lint.rules.data._examples import DATA, RUN, TRAIN, lines, script, tree

if TYPE_CHECKING:
    from relax_lint.project import Project
    from relax_lint.sample_readings import KeyReading
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.dataset import DataFile, Row

DATA_SOURCE = "data_source"

_KEYS = "--input-key prompt --label-key label --metadata-key extra_info"
_SCORED = f"{_KEYS} --custom-rm-path examples.demo.reward_demo.reward_func"
_HEAD = "async def reward_func(args, sample, **kwargs):\n"


def _row(metadata: object, **more: object) -> dict[str, object]:
    return {"prompt": "1 + 1?", "label": "2", "extra_info": metadata, **more}


def _reads(code: str, *rows: object, flags: str = _SCORED, **more: str) -> dict[str, str]:
    return {
        **tree(flags, *rows, **more),
        "examples/demo/reward_demo.py": _HEAD + code,
        "examples/demo/__init__.py": "",
    }


_INDEX = "    return {'score': float(sample.metadata['index'] in sample.response)}\n"

VALID: list[Example | str] = [
    Example(tree(_KEYS, _row({"index": 0}))),
    Example(tree(_KEYS, _row(None), _row({}))),
    Example(tree(_KEYS.replace("extra_info", "$KEY"), _row("x"))),
    Example(tree("--input-key prompt --label-key label", _row("no column that is read"))),
    Example(_reads(_INDEX, _row({"index": "0"}))),
    Example(_reads(_INDEX, _row(None), _row({"index": "0"}))),
    Example(_reads("    return float(sample.metadata['data_source'] == 'a')\n", _row({"x": 1}, data_source="a"))),
    Example(_reads("    return float(sample.metadata.get('style', 'plain') == 'plain')\n", _row({"index": 0}))),
    Example(
        _reads(
            "    if sample.metadata.get('relax_label_encoding') == 'json':\n        return 0.0\n    return 1.0\n",
            _row({"index": 0}),
        )
    ),
    Example(
        _reads(
            "    truth = sample.metadata.get('answer') or sample.label\n    return float(truth in sample.response)\n",
            _row({"index": 0}),
        )
    ),
    Example(
        _reads(
            "    if 'answer' in sample.metadata:\n        return float(sample.metadata['answer'] in sample.response)\n"
            "    return 0.0\n",
            _row({"index": 0}),
        )
    ),
    Example(
        _reads(
            "    sample.metadata['seen'] = True\n    return float(sample.metadata['seen'])\n",
            _row({"index": 0}),
        )
    ),
    Example(
        _reads(
            "    try:\n        turns = sample.metadata['turns']\n    except KeyError:\n        turns = 1\n"
            "    return 1.0 / turns\n",
            _row({"index": 0}),
        )
    ),
    Example(
        {
            **_reads(
                "    return float(sample.metadata['turns'] < 3)\n",
                _row({"index": 0}),
                flags=f"{_SCORED} --custom-generate-function-path examples.demo.rollout.generate",
            ),
            "examples/demo/rollout.py": "async def generate(args, sample, sampling_params):\n"
            "    sample.metadata['turns'] = 2\n    return sample\n",
        }
    ),
    Example(tree("--loss-type sft --input-key prompt --label-key label --metadata-key extra_info", _row("x"))),
    Example(tree(f"{_KEYS} --data-source-path examples.demo.source.Source", _row("x"))),
]

INVALID = [
    Example(tree(_KEYS, _row('{"index": 0}')), findings=((RUN, 1, 104),)),
    Example(
        tree("--input-key prompt --label-key label", {"prompt": "1?", "label": "1", "metadata": "easy"}),
        findings=((RUN, 1, 36),),
    ),
    Example(
        script(
            f'ARGS=(\n    --prompt-data {DATA}\n    --metadata-key=extra_info\n)\n{TRAIN} "${{ARGS[@]}}"\n',
            _row({"index": 0}),
            _row("x", data_source="gsm8k"),
        ),
        findings=((RUN, 3, 5),),
    ),
    Example(tree(_KEYS, _row([["index", 0]])), findings=((RUN, 1, 104, WARNING),)),
    Example(tree(_KEYS, _row([["index", 0]], data_source="gsm8k")), findings=((RUN, 1, 104, WARNING),)),
    Example(tree(_KEYS, _row(["easy", "hard"])), findings=((RUN, 1, 104),)),
    Example(tree(_KEYS, _row(7)), findings=((RUN, 1, 104),)),
    Example(
        tree(
            f"{_KEYS} --eval-interval 5 --eval-prompt-data t data/test.jsonl",
            _row({"index": 0}),
            data__test_jsonl=lines(_row("x")),
        ),
        findings=((RUN, 1, 104),),
    ),
    Example(
        tree(
            f"{_KEYS} --eval-interval 5 --eval-prompt-data t data/test.jsonl",
            _row({"index": 0}),
            data__test_jsonl=lines(_row(["easy"])),
        ),
        findings=((RUN, 1, 104, WARNING),),
    ),
    Example(_reads(_INDEX, _row({"idx": "0"})), findings=((RUN, 1, 104, WARNING),)),
    Example(
        _reads(
            "    return float(compute_score(sample.response, extra_info=sample.metadata))\n\n\n"
            "def compute_score(text, extra_info=None):\n    style = extra_info.get('style')\n"
            "    return len(style) if style == 'plain' else 0\n",
            _row({"index": 0}),
            _row({"index": 1, "split": "train"}),
        ),
        findings=((RUN, 1, 104, WARNING),),
    ),
    Example(
        _reads(
            "    metadata = sample.metadata or {}\n    return {'score': float(metadata['a'] == metadata['b'])}\n",
            _row({"a": 0}),
        ),
        findings=((RUN, 1, 104, WARNING),),
    ),
    Example(
        {
            **script(
                f'META=extra_info\nrun() {{\n  {TRAIN} --prompt-data {DATA} --metadata-key $META "$@"\n}}\n'
                "run --custom-rm-path examples.demo.reward_demo.Scorer --group-rm\n",
                _row({"index": 0}),
            ),
            "examples/demo/reward_demo.py": "async def Scorer(args, samples, **kwargs):\n"
            "    return [float(one.metadata['answer'] in one.response) for one in samples]\n",
            "examples/demo/__init__.py": "",
        },
        findings=((RUN, 3, 69, WARNING),),
    ),
]


@rule("RLX707", "metadata-type", ERROR, on="launch", everywhere=True, valid=VALID, invalid=INVALID)
def metadata_type(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """Every dataset of the launch by itself."""
    for use in datasets_of(launch, project):
        yield from judged(use, MetadataType)


class MetadataType(RowJudge):
    """Looks at metadata, and gathers its keys."""

    needs: ClassVar[tuple[str, ...]] = ("metadata",)
    places: ClassVar[tuple[str, ...]] = ("metadata",)

    @kept_property
    def _keys(self) -> set[str]:
        """The keys that some row has."""
        return set()

    @kept_property
    def _wanted(self) -> dict[str, KeyReading]:
        """The keys that the reward reads, but those that Relax or the recipe fills in."""
        from relax_lint.sample_readings import SET_BY_CONVERSION, SET_BY_RELAX, sample_readings

        found = sample_readings(self.use.launch, self.use.project)
        given = self.use.given.get("metadata_overrides")
        more = set(given) if isinstance(given, dict) else set()
        keys = {} if found is None else found.keys
        given_by_others = SET_BY_RELAX - {DATA_SOURCE} | SET_BY_CONVERSION | more
        return {
            key: reading for key, reading in keys.items() if reading.reader == "reward" and key not in given_by_others
        }

    @property
    def applies(self) -> bool:
        """Where a column that is there is taken."""
        column = self.use.keys.metadata
        return not self.use.sft and isinstance(column, str) and column in self.use.columns

    @property
    def columns(self) -> tuple[str, ...]:
        """The metadata, and the column that Relax adds to it."""
        return (self.use.keys.metadata, DATA_SOURCE)

    def faults(self, row: Row, file: DataFile) -> Iterator[Fault]:
        """By what the value is; keys are gathered."""
        value = row.get(self.use.keys.metadata)
        if row.get(DATA_SOURCE) is not None:
            self._keys.add(DATA_SOURCE)
        if isinstance(value, dict):
            self._keys.update(map(str, value))
        elif value:
            yield from self._of_other(value, row)

    def _of_other(self, value: Any, row: Row) -> Iterator[Fault]:
        replaced = row.get(DATA_SOURCE) is not None
        pairs = isinstance(value, list) and all(isinstance(one, (list, tuple)) and len(one) == 2 for one in value)
        if pairs:
            self._keys.update(str(one[0]) for one in value)
            fate = f"Relax puts {DATA_SOURCE} alone in its place" if replaced else "evaluation empties it"
            yield "pairs", f"metadata is a map, which arrives as a list of pairs: {fate}", WARNING
            return
        what = f"metadata is {in_words(value)}, not an object"
        if self.use.role == "eval":
            yield "kind", f"{what}: evaluation empties it", ERROR if isinstance(value, str) else WARNING
        elif replaced:
            yield "kind", f"{what}: Relax puts {DATA_SOURCE} alone in its place", ERROR
        else:
            yield "kind", f"{what}: Relax fails when it copies the sample", ERROR

    def findings(self) -> Iterator[Finding | NotChecked]:
        """With the keys that no row has, where rows have any."""
        yield from super().findings()
        if not self._keys - {DATA_SOURCE} or "kind" in self.noted:
            return
        for key, reading in self._wanted.items():
            if key not in self._keys:
                has = ", ".join(sorted(self._keys)[:6])
                fate = "a KeyError" if reading.needed else "it gets None"
                yield Finding(
                    self.place,
                    f"the reward reads {key} of the metadata, and none of {self.seen:,} rows has it (they have {has}): "
                    f"{fate}",
                    severity=WARNING,
                    launch=self.use.launch,
                    subject=self.subject,
                    related=(Related(reading.place, f"{key} is read here"),),
                )
