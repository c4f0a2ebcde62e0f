"""The data is verl's as it is, and its label a dict.

## What

`--label-key reward_model`, or `--eval-label-key`, for data that still has verl's columns (`data_source`, `prompt`,
`ability`, `reward_model`, `extra_info`), where nothing shows that the reward reads the dict. Where the data is not at
hand, only if the reward plainly takes the label for a text. Silent when the reward reads the dict, or no label at all.

## Why

verl keeps the ground truth in `reward_model["ground_truth"]`. Relax puts the whole column into `sample.label`: the
answer is compared with a dict, and no response is ever right.

## Source

Guide: verl's parquet files are not directly compatible; a conversion script takes the ground truth out of
`reward_model` into a flat `label` column of plain text.

## Example

    --prompt-data verl_data/train.parquet --label-key reward_model     with   sample.response == sample.label

## Fix

By hand: convert the data with a script `scripts/tools/process_<algo>.py` and pass `--label-key label`; or have the
reward read `sample.label["ground_truth"]`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.catalog.hidden import is_hidden
from relax_lint.catalog.labels import OBJECT_FAILS, OBJECTS_WITH, UNUSED
from relax_lint.catalog.rewards import BOXED, WITHOUT_REWARDS
from relax_lint.diagnostics import Finding, Place, Related
from relax_lint.rules import WARNING, Example, rule
from relax_lint.rules.data._examples import DATA, RUN, TRAIN, lines, script, tree
from relax_lint.shell.queries import place_of

if TYPE_CHECKING:
    from relax_lint.datasets import DatasetUse
    from relax_lint.project import Project
    from relax_lint.shell.launch import Launch

COLUMN = "reward_model"
_VERL = ("data_source", "prompt", "ability", COLUMN, "extra_info")
_ENOUGH = 3
_FLAGS = ("--label-key", "--eval-label-key")

_ROW = {
    "data_source": "openai/gsm8k",
    "prompt": [{"role": "user", "content": "1 + 1?"}],
    "ability": "math",
    "reward_model": {"style": "rule", "ground_truth": "2"},
    "extra_info": {"index": 0},
}
_KEYS = "--input-key prompt --label-key reward_model --apply-chat-template"
_CUSTOM = f"{_KEYS} --custom-rm-path examples.demo.reward_demo.reward_func"
_HEAD = "async def reward_func(args, sample, **kwargs):\n"
_COMPARES = _HEAD + "    return {'score': float(sample.response.strip() == sample.label.strip())}\n"
_READS = _HEAD + "    return {'score': float(sample.response.strip() == sample.label['ground_truth'])}\n"


def _scored(code: str, *rows: object, flags: str = _CUSTOM, path: str = DATA, **more: str) -> dict[str, str]:
    files = tree(flags, *rows, path=path, **more)
    return {**files, "examples/demo/reward_demo.py": code, "examples/demo/__init__.py": ""}


VALID: list[Example | str] = [
    Example(_scored(_READS, _ROW)),
    Example(_scored(_COMPARES, {**_ROW, "label": "2"}, flags=_CUSTOM.replace("reward_model", "label"))),
    Example(tree(f"{_KEYS} --rm-type geo3k", _ROW)),
    Example(tree(f"{_KEYS} --rm-type=boxed_geo3k", _ROW)),
    Example(tree(f"{_KEYS} --rm-type random", _ROW)),
    Example(_scored(_COMPARES, {"prompt": "1 + 1?", "reward_model": "2"})),
    Example(_scored(_HEAD + "    return {'score': float(len(sample.response) < 9)}\n", _ROW)),
    Example(
        _scored(
            "def truth_of(label):\n    return label.get('ground_truth') if isinstance(label, dict) else label\n\n\n"
            + _HEAD
            + "    truth = truth_of(sample.label)\n    return {'score': float(truth in sample.response)}\n",
            _ROW,
        )
    ),
    Example(_scored(_READS, _ROW, path="/data/elsewhere/train.parquet")),
    Example(tree(f"{_KEYS} --rm-type math", path="/data/elsewhere/train.parquet", flags__txt="")),
    Example(_scored(_COMPARES, _ROW, flags=f"{_CUSTOM} --label-key $LABEL_KEY")),
    Example(tree("--loss-type sft --input-key prompt --label-key reward_model", _ROW)),
    Example(_scored(_COMPARES, _ROW, flags=f"{_CUSTOM} --load-debug-rollout-data /tmp/r.pt")),
    Example(
        _scored(
            "import asyncio\n\n\nasync def one(sample):\n    truth = sample.label\n"
            "    return {'score': float(truth['ground_truth'] in sample.response)}\n\n\n"
            "async def reward_func(args, samples: list, **kwargs):\n"
            "    return await asyncio.gather(*[one(sample) for sample in samples])\n",
            _ROW,
            flags=f"{_CUSTOM} --group-rm",
        )
    ),
]

INVALID = [
    Example(_scored(_COMPARES, _ROW), findings=((RUN, 1, 86),)),
    Example(_scored(_COMPARES, path="/data/elsewhere/train.parquet"), findings=((RUN, 1, 99),)),
    Example(tree(f"{_KEYS} --rm-type math", _ROW), findings=((RUN, 1, 86),)),
    Example(tree(f"{_KEYS} --rm-type boxed_f1", _ROW), findings=((RUN, 1, 86),)),
    Example(
        script(
            f'ROLLOUT=(\n  --prompt-data {DATA}\n  --label-key=reward_model\n)\n{TRAIN} "${{ROLLOUT[@]}}" '
            "--rm-type dapo --reward-key score\n",
            _ROW,
        ),
        findings=((RUN, 3, 3),),
    ),
    Example(
        _scored(
            "from mathlib import judge\n\n\n" + _HEAD + "    return judge(sample.response, sample.label)\n",
            {name: value for name, value in _ROW.items() if name != "ability"},
        ),
        findings=((RUN, 1, 86),),
    ),
    Example(
        _scored(
            "def compute_score(text, ground_truth, extra_info=None):\n"
            "    return {'score': float(ground_truth.lower() in text)}\n\n\n"
            + _HEAD
            + "    return compute_score(sample.response, sample.label, extra_info=sample.metadata)\n",
            _ROW,
        ),
        findings=((RUN, 1, 86),),
    ),
    Example(
        script(
            f"KEY=reward_model\nrun() {{\n  {TRAIN} --prompt-data {DATA} --label-key $KEY \"$@\"\n}}\n"
            "run --rm-type deepscaler\n",
            _ROW,
        ),
        findings=((RUN, 3, 69),),
    ),
    Example(
        tree(
            "--input-key prompt --label-key label --rm-type math --eval-interval 5 "
            "--eval-prompt-data t data/test.jsonl --eval-label-key reward_model",
            {"prompt": "1 + 1?", "label": "2"},
            data__test_jsonl=lines(_ROW),
        ),
        findings=((RUN, 1, 174),),
    ),
    Example(
        script(
            f'case "$1" in\n  raw) LABEL=(--label-key reward_model) ;;\n  *) LABEL=(--label-key label) ;;\nesac\n'
            f'{TRAIN} --prompt-data {DATA} "${{LABEL[@]}}" --rm-type math\n',
            {**_ROW, "label": "2"},
        ),
        findings=((RUN, 2, 15),),
    ),
    Example(
        _scored(
            "import re\n\n\nclass Scorer:\n    def __init__(self, truth):\n        self.truth = truth\n\n"
            "    def __call__(self, text):\n        return float(bool(re.search(self.truth, text)))\n\n\n"
            + _HEAD
            + "    return {'score': Scorer(sample.label)(sample.response)}\n",
            path="$DATA_DIR/train.parquet",
        ),
        findings=((RUN, 1, 93),),
    ),
]  # fmt: skip


@rule("RLX701", "verl-parquet", WARNING, on="launch", everywhere=True, valid=VALID, invalid=INVALID)
def verl_parquet(launch: Launch, project: Project) -> Iterator[Finding]:
    """By the columns of each dataset, and what the reward does with labels."""
    if launch.kind != "relax" or launch.mode == "sft" or any(launch.has(flag) for flag in WITHOUT_REWARDS):
        return
    named = [found for flag in _FLAGS if (found := launch.last(flag)) is not None and found.value == COLUMN]
    if not named:
        return
    from relax_lint.datasets import datasets_of

    uses = [use for use in datasets_of(launch, project) if use.keys.label == COLUMN and use.columns]
    told: set[Place] = set()
    for use in uses:
        if _is_of_verl(use) and not _takes_dicts(use):
            place = use.place_of("label")
            told.add(place)
            has = ", ".join(name for name in _VERL if name in use.columns)
            message = (
                f"{use.files[0].text} is verl's data as it is ({has}), and {COLUMN} a dict: convert it to a flat label"
            )
            yield Finding(place, message, launch=launch, subject="--label-key")
    if not uses:
        yield from _without_data(launch, project)


def _without_data(launch: Launch, project: Project) -> Iterator[Finding]:
    """By the name of the column, and a reward that plainly takes a text."""
    from relax_lint.label_uses import label_use
    from relax_lint.rewards import reward_uses

    argument = launch.last(_FLAGS[0])
    if argument is None or argument.value != COLUMN or not reward_uses(launch, project):
        return
    use = label_use(launch, project)
    if use.verdict == "text" and use.place is not None:
        message = f"{COLUMN} is verl's column, a dict, and the reward takes the label for a text: convert the data"
        related = (Related(use.place, "the label is taken for a text here"),)
        yield Finding(place_of(launch, argument.word), message, launch=launch, subject=argument.flag, related=related)


def _is_of_verl(use: DatasetUse) -> bool:
    """Whether the data has verl's columns still."""
    label = use.columns.get(COLUMN)
    is_dict = label is not None and label.kind in ("struct", "map")
    return is_dict and sum(name in use.columns for name in _VERL) >= _ENOUGH


def _takes_dicts(use: DatasetUse) -> bool:
    """Whether the reward reads the dict, or does without."""
    from relax_lint.label_uses import label_use
    from relax_lint.rewards import reward_uses

    if reward_uses(use.launch, use.project):
        return label_use(use.launch, use.project).verdict in ("taken", "unused")
    named = use.given.get("rm_type") or use.arguments.settled("rm_type")
    if is_hidden(named) or not isinstance(named, str):
        return True
    name = named.strip().removeprefix(BOXED)
    return name in UNUSED or name in OBJECTS_WITH or name not in OBJECT_FAILS
