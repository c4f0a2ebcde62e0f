"""Labels that are no plain text.

## What

Rows, of a sample or of all with `relax-lint data check`, whose label is an object or a list, while the reward uses it
as a text: the function of `--custom-rm-path`, followed through the code of the repository, or a built-in `--rm-type`
that needs one. A warning: an object or a list where nothing shows what the reward does with it, numbers, and nulls. In
fine-tuning, where the label is the answer to learn: a null, an object, a list of anything but parts.

## Why

`--label-key` puts the value of the column as it is into `sample.label`. A dict never equals the text of an answer, so
every response scores 0 and training goes on without a signal; or a method of texts fails on it, in the first reward.

## Source

Guide: `--label-key` names the column with the ground truth, a plain string; verl's `reward_model` is extracted into a
flat `label`. Relax: what each built-in reward does with a label. A reward that reads the dict is fine.

## Example

    --label-key reward_model     with   return float(sample.response.strip() == sample.label.strip())

## Fix

By hand: write the answer as a text into a column of its own when the data is converted, or have the reward read the
object.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from relax_lint.catalog.hidden import is_hidden
from relax_lint.catalog.labels import NUMBER_FAILS, OBJECT_FAILS, OBJECTS_WITH, UNUSED
from relax_lint.catalog.rewards import BOXED
from relax_lint.data_prompts import in_words
from relax_lint.datasets import datasets_of
from relax_lint.diagnostics import Finding, NotChecked, Related, Severity
from relax_lint.kept import kept_property
from relax_lint.row_judges import Fault, RowJudge, judged
from relax_lint.rules import ERROR, WARNING, Example, rule
from relax_lint.rules.data._examples import DATA, RUN, TRAIN, lines, script, tree

if TYPE_CHECKING:
    from relax_lint.label_uses import LabelUse
    from relax_lint.project import Project
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.dataset import DataFile, Row

_KEYS = "--input-key prompt --label-key label"
_CUSTOM = f"{_KEYS} --custom-rm-path examples.demo.reward_demo.reward_func"
_REWARD = "examples/demo/reward_demo.py"
_HEAD = "async def reward_func(args, sample, **kwargs):\n"
_GROUND_TRUTH = {"ground_truth": "2", "style": "rule"}


def _row(label: object) -> dict[str, object]:
    return {"prompt": "1 + 1?", "label": label}


def _with_reward(code: str, *labels: object, flags: str = _CUSTOM) -> Mapping[str, str]:
    return {**tree(flags, *map(_row, labels)), _REWARD: code, "examples/demo/__init__.py": ""}


_COMPARES = _HEAD + "    return float(sample.response.strip() == sample.label)\n"
_READS = _HEAD + '    return float(sample.response.strip() == sample.label["ground_truth"])\n'

VALID: list[Example | str] = [
    Example(tree(f"{_KEYS} --rm-type math", _row("2"))),
    Example(_with_reward(_COMPARES, "2")),
    Example(_with_reward(_READS, _GROUND_TRUTH)),
    Example(
        _with_reward(
            "def answer_of(label):\n    return label.get('ground_truth') if isinstance(label, dict) else label\n\n\n"
            + _HEAD
            + "    return float(sample.response.strip() == answer_of(sample.label))\n",
            _GROUND_TRUTH,
        )
    ),
    Example(
        _with_reward(_HEAD + "    return float(any(one in sample.response for one in sample.label))\n", ["2", "two"])
    ),
    Example(_with_reward(_HEAD + "    return float(len(sample.response) < 100)\n", _GROUND_TRUTH)),
    Example(tree(f"{_KEYS} --rm-type geo3k", _row(_GROUND_TRUTH))),
    Example(tree(f"{_KEYS} --rm-type random", _row({"a": 1}), _row(3))),
    Example(tree("--input-key prompt --rm-type math", _row(_GROUND_TRUTH))),
    Example(tree(f"--loss-type sft {_KEYS}", _row("two"))),
    Example(
        tree(
            f"{_KEYS} --rm-type math --eval-interval 5 --eval-config examples/demo/eval.yaml",
            _row("2"),
            examples__demo__eval_yaml="eval:\n  datasets:\n    - {name: t, path: data/test.jsonl, rm_type: geo3k}\n",
            data__test_jsonl=lines(_row(_GROUND_TRUTH)),
        )
    ),
    Example(tree(f'{_KEYS} --rm-type "$REWARD" --label-key $LABEL', _row(_GROUND_TRUTH))),
    Example(
        _with_reward(
            "import asyncio\n\n\nasync def one(sample):\n    truth = sample.label\n"
            "    return float(truth['ground_truth'] in sample.response)\n\n\n"
            "async def reward_func(args, samples: list, **kwargs):\n"
            "    return await asyncio.gather(*[one(sample) for sample in samples])\n",
            _GROUND_TRUTH,
            flags=f"{_CUSTOM} --group-rm",
        )
    ),
]

INVALID = [
    Example(_with_reward(_COMPARES, _GROUND_TRUTH), findings=((RUN, 1, 86),)),
    Example(
        _with_reward(
            "import re\n\n\ndef compute_score(text, ground_truth, extra_info=None):\n"
            "    found = re.findall(r'\\d+', ground_truth)\n    return {'score': float(text in found)}\n\n\n"
            + _HEAD
            + "    truth = sample.label\n    return compute_score(sample.response, truth, sample.metadata)\n",
            _GROUND_TRUTH,
        ),
        findings=((RUN, 1, 86),),
    ),
    Example(tree(f"{_KEYS} --rm-type=math", _row("2"), _row(_GROUND_TRUTH)), findings=((RUN, 1, 86),)),
    Example(
        script(
            f"ROLLOUT=(\n  --prompt-data {DATA}\n  --input-key prompt\n  --label-key label\n)\n"
            f'{TRAIN} "${{ROLLOUT[@]}}" --rm-type boxed_dapo --reward-key score\n',
            _row(["2", "two"]),
        ),
        findings=((RUN, 4, 3),),
    ),
    Example(tree(f"{_KEYS} --rm-type math", _row(2)), findings=((RUN, 1, 86, Severity.WARNING),)),
    Example(tree(f"{_KEYS} --rm-type f1", _row(2.5)), findings=((RUN, 1, 86),)),
    Example(_with_reward(_COMPARES, "2", None), findings=((RUN, 1, 86, Severity.WARNING),)),
    Example(
        _with_reward(
            "from mathlib import judge\n\n\n" + _HEAD + "    return judge(sample.response, sample.label)\n",
            _GROUND_TRUTH,
        ),
        findings=((RUN, 1, 86, Severity.WARNING),),
    ),
    Example(tree(f"{_KEYS} --rm-type geo3k", _row({"solution": "2"})), findings=((RUN, 1, 86),)),
    Example(tree(f"--loss-type sft {_KEYS}", _row("two"), _row(None)), findings=((RUN, 1, 102),)),
    Example(
        tree(
            f"{_KEYS} --rm-type math --eval-interval 5 --eval-prompt-data t data/test.jsonl --eval-label-key truth",
            _row("2"),
            data__test_jsonl=lines({**_row("2"), "truth": _GROUND_TRUTH}),
        ),
        findings=((RUN, 1, 174),),
    ),
    Example(
        _with_reward(
            "class Judge:\n    def __init__(self, label):\n        self.truth = label\n\n    def score(self, text):\n"
            "        return float(self.truth.lower() in text.lower())\n\n\n"
            + _HEAD
            + "    return Judge(sample.label).score(sample.response)\n",
            _GROUND_TRUTH,
        ),
        findings=((RUN, 1, 86),),
    ),
]


@rule("RLX703", "label-type", ERROR, on="launch", everywhere=True, valid=VALID, invalid=INVALID)
def check(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """Every dataset of the launch by itself."""
    for use in datasets_of(launch, project):
        yield from judged(use, LabelType)


class LabelType(RowJudge):
    """Looks at labels."""

    needs: ClassVar[tuple[str, ...]] = ("label",)
    places: ClassVar[tuple[str, ...]] = ("label",)

    @property
    def applies(self) -> bool:
        """Where a label is taken."""
        return self.use.keys.label is not None

    @property
    def columns(self) -> tuple[str, ...]:
        """The label."""
        return (self.use.keys.label,)

    def faults(self, row: Row, file: DataFile) -> Iterator[Fault]:
        """By what the value is."""
        if self.use.keys.label not in row:
            return
        label = row[self.use.keys.label]
        if isinstance(label, str):
            return
        yield from _as_answer(label) if self.use.sft else self._for_reward(label)

    def findings(self) -> Iterator[Finding | NotChecked]:
        """With the place where the reward wants a text; and the nulls that a sample may not hold."""
        for found in super().findings():
            text = self._custom.place if self._custom is not None else None
            if isinstance(found, Finding) and found.severity is ERROR and text is not None and not self.use.sft:
                found = found._replace(related=(Related(text, "the label is taken for a text here"),))
            yield found
        if "null" not in self.noted:
            yield from self._nulls_by_footer()

    def _nulls_by_footer(self) -> Iterator[Finding]:
        column = self.use.keys.label
        if not self.use.sft and self._unused:
            return
        for file in self.use.readable:
            count = file.nulls(column) if file.is_whole else None
            if count:
                severity = ERROR if self.use.sft else WARNING
                message = f"{count:,} labels of {file.text} are null"
                yield Finding(self.place, message, severity=severity, launch=self.use.launch, subject=self.subject)

    # ------------------------------------------------------------ the reward

    @kept_property
    def _custom(self) -> LabelUse | None:
        """What the function that the launch names does with labels."""
        from relax_lint.label_uses import label_use
        from relax_lint.rewards import reward_uses

        if not reward_uses(self.use.launch, self.use.project):
            return None
        return label_use(self.use.launch, self.use.project)

    @kept_property
    def _built_in(self) -> str | None:
        """The reward of Relax itself, if it is one, and known."""
        named = self.use.given.get("rm_type") or self.use.arguments.settled("rm_type")
        return None if is_hidden(named) or not isinstance(named, str) else named.strip().removeprefix(BOXED)

    @property
    def _unused(self) -> bool:
        if self._custom is not None:
            return self._custom.verdict == "unused"
        return self._built_in in UNUSED

    def _for_reward(self, label: Any) -> Iterator[Fault]:
        if self._unused:
            return
        if label is None:
            yield "null", "a label is null", WARNING
        elif isinstance(label, (dict, list)):
            yield from self._of_object(label)
        else:
            fails = NUMBER_FAILS.get(self._built_in or "") if self._custom is None else None
            what = f"a label is {in_words(label)}, not a text"
            if fails is not None:
                yield "number", f"{what}: --rm-type {self._built_in} {fails}", ERROR
            else:
                yield "number", what, WARNING

    def _of_object(self, label: dict[str, Any] | list[Any]) -> Iterator[Fault]:
        kind = "object" if isinstance(label, dict) else "list"
        what = f"a label is {_described(label)}"
        if self._custom is not None:
            if self._custom.verdict == "text":
                yield kind, f"{what}, and the reward takes it for a text", ERROR
            elif self._custom.verdict == "unclear":
                yield kind, f"{what}, not a text, and nothing shows that the reward takes it", WARNING
            return
        name = self._built_in or ""
        keys = OBJECTS_WITH.get(name)
        if name in OBJECT_FAILS:
            yield kind, f"{what}, not a text: --rm-type {name} {OBJECT_FAILS[name]}", ERROR
        elif keys is not None and isinstance(label, dict):
            if not any(key in label for key in keys):
                yield kind, f"{what}: --rm-type {name} looks for {' or '.join(keys)} in it", ERROR
        elif name or not self.use.arguments.generates_itself:
            yield kind, f"{what}, not a text, and nothing shows that the reward takes it", WARNING


def _as_answer(label: Any) -> Iterator[Fault]:
    """The label of fine-tuning is the content of the message to learn."""
    if label is None:
        yield "null", "an answer is null, which Relax refuses", ERROR
    elif isinstance(label, dict):
        yield "object", f"an answer is {_described(label)}, not a text", ERROR
    elif isinstance(label, list):
        if not all(isinstance(part, dict) and "type" in part for part in label):
            yield "list", f"an answer is {_described(label)}, not a text", ERROR
    else:
        yield "number", f"an answer is {in_words(label)}, not a text", WARNING


def _described(label: dict[str, Any] | list[Any]) -> str:
    if isinstance(label, list):
        return "a list"
    shown = ", ".join(map(str, list(label)[:4]))
    return f"an object ({shown}{' …' if len(label) > 4 else ''})"
