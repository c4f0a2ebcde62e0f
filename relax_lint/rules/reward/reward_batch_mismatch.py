"""The reward function is written for one form of call, and the launch uses the other.

## What

A function for all samples of a prompt in a launch without `--group-rm`, or one for a single sample in a launch with
it. Its form is told by the annotation of the second parameter (`list[Sample]`, `Sequence` …, or `Sample`), else by
the name `samples`, else by whether it goes through the parameter. Functions that handle both, unclear ones, and
launches whose generate function returns a list (which Relax scores as a batch) are left alone.

## Why

The function gets a Sample where it expects a list, or the reverse. Iterating a Sample, or reading `response` of a
list, ends the rollout with the first score.

## Source

Guide: `async def reward_func(args, samples: list[Sample], **kwargs)` goes with `--group-rm`, and only that.

## Example

    async def reward_func(args, samples: list[Sample], **kwargs): ...    # and no --group-rm

## Fix

Adds `--group-rm` behind `--custom-rm-path`, or takes it away.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Edit, Finding, Fix, NotChecked, Place, Related
from relax_lint.fixers.launcher_edits import insert_after, remove
from relax_lint.launch_config import overridden_by_config
from relax_lint.project import Project
from relax_lint.rewards import GROUP, RewardUse, function_place, on_every
from relax_lint.rules import ERROR, Example, rule
from relax_lint.shell.queries import is_broken_off, is_own, open_word

if TYPE_CHECKING:
    from relax_lint.flow.shapes import Function

_RUN = "examples/demo/run_demo.sh"
_REWARD = "examples/demo/reward_demo.py"
_NAMED = "examples.demo.reward_demo.reward_func"
_TRAIN = f"python3 relax/entrypoints/train.py --custom-rm-path {_NAMED}"
_BATCH = """\
async def reward_func(args, samples: list[Sample], **kwargs):
    return [1.0 for sample in samples]
"""
_SINGLE = """\
async def reward_func(args, sample: Sample, **kwargs):
    return float(sample.response == sample.label)
"""


def _tree(reward: str, flags: str = "", **files: str) -> dict[str, str]:
    return {
        _RUN: f"{_TRAIN}{flags}\n",
        _REWARD: reward,
        **{f"examples/demo/{name}.py": text for name, text in files.items()},
    }


def _array(*flags: str) -> str:
    lines = "".join(f"    {flag}\n" for flag in (f"--custom-rm-path {_NAMED}", *flags))
    return f'ARGS=(\n{lines})\npython3 relax/entrypoints/train.py "${{ARGS[@]}}"\n'


def _untyped(second: str, body: str) -> str:
    return f"async def reward_func(args, {second}, **kwargs):\n    {body}\n"


VALID = [
    Example(_tree(_SINGLE)),
    Example(_tree(_BATCH, " --group-rm")),
    Example(_tree(_untyped("sample: Sample | list[Sample]", "return score(sample)"))),
    Example(_tree(_untyped("sample: 'Union[Sample, list[Sample]]'", "return score(sample)"), " --group-rm")),
    Example(
        _tree(
            _untyped("sample", "return [1.0 for s in sample] if isinstance(sample, list) else float(sample.response)")
        )
    ),
    Example(_tree(_untyped("data", "return await judge(args, data)"))),
    Example(_tree(_untyped("data", "return await judge(args, data)"), " --group-rm")),
    Example(_tree(_BATCH, ' "${EXTRA_ARGS[@]}" $MORE')),
    Example(
        _tree(
            _BATCH,
            " --custom-generate-function-path examples.demo.rollout.generate",
            rollout="""\
async def generate(args, sample, sampling_params):
    return [sample, sample]
""",
        )
    ),
    Example(_tree(_BATCH, " --custom-generate-function-path elsewhere.rollout.generate")),
    Example(
        _tree(
            """\
async def reward_func(*args, **kwargs):
    return 1.0
""",
            " --group-rm",
        )
    ),
    Example(_tree(_untyped("samples", "return float(samples.response == samples.label)"))),
    Example(_tree(_untyped("sample", "return sample.metadata['parts'][0]"))),
    Example(
        {
            **_tree(_BATCH, " --custom-config-path examples/demo/demo.yaml"),
            "examples/demo/demo.yaml": "group_rm: true\n",
        }
    ),
]

INVALID = [
    Example(_tree(_BATCH), findings=((_RUN, 1, 53),), fixed={_RUN: f"{_TRAIN} --group-rm\n"}),
    Example(
        {
            _RUN: _array("--lr 1e-6"),
            _REWARD: _BATCH,
        },
        findings=((_RUN, 2, 22),),
        fixed={_RUN: _array("--group-rm", "--lr 1e-6")},
    ),
    Example(_tree(_SINGLE, " --group-rm"), findings=((_RUN, 1, 91),), fixed={_RUN: f"{_TRAIN}\n"}),
    Example(
        {
            _RUN: f"python3 relax/entrypoints/train.py \\\n    --group-rm \\\n    --custom-rm-path={_NAMED}\n",
            _REWARD: _SINGLE,
        },
        findings=((_RUN, 2, 5),),
        fixed={_RUN: f"python3 relax/entrypoints/train.py \\\n    --custom-rm-path={_NAMED}\n"},
    ),
    Example(
        _tree(_untyped("samples", "return await judge(args, samples)")),
        findings=((_RUN, 1, 53),),
        fixed={_RUN: f"{_TRAIN} --group-rm\n"},
    ),
    Example(
        _tree(_untyped("group", "return [float(len(s.response)) for s in group]")),
        findings=((_RUN, 1, 53),),
        fixed={_RUN: f"{_TRAIN} --group-rm\n"},
    ),
    Example(
        _tree(_untyped("batch: 'Sequence[Sample]'", "return await judge(batch)")),
        findings=((_RUN, 1, 53),),
        fixed={_RUN: f"{_TRAIN} --group-rm\n"},
    ),
    Example(
        _tree(_untyped("item", "return float(item.response == item.label)"), " --group-rm"),
        findings=((_RUN, 1, 91),),
        fixed={_RUN: f"{_TRAIN}\n"},
    ),
    Example(
        _tree(
            """\
async def reward_func(args, sample, **kwargs):
    if not isinstance(sample, Sample):
        raise TypeError(sample)
    return await judge(sample)
""",
            " --group-rm",
        ),
        findings=((_RUN, 1, 91),),
        fixed={_RUN: f"{_TRAIN}\n"},
    ),
    Example(
        _tree(
            "from .scores import group_score as reward_func\n",
            scores="""\
from typing import List


async def group_score(args, s: List['Sample'], **kwargs):
    return list(map(len, s))
""",
        ),
        findings=((_RUN, 1, 53),),
        fixed={_RUN: f"{_TRAIN} --group-rm\n"},
    ),
    Example(
        _tree(
            _BATCH,
            " --custom-generate-function-path examples.demo.rollout.generate",
            rollout="""\
async def generate(args, sample, sampling_params):
    sample.response = await call(sample)
    return sample
""",
        ),
        findings=((_RUN, 1, 53),),
        fixed={_RUN: f"{_TRAIN} --group-rm --custom-generate-function-path examples.demo.rollout.generate\n"},
    ),
]


@rule("RLX204", "reward-batch-mismatch", ERROR, on="reward", valid=VALID, invalid=INVALID, fixable="safe")
def reward_batch_mismatch(use: RewardUse, project: Project) -> Iterator[Finding | NotChecked]:
    """Say it in the launcher: at the flag that is too much, or where one is missing."""
    if use.hidden is not None:
        yield NotChecked(use.place, use.hidden)
        return
    if not use.functions:
        return
    config = overridden_by_config(use.launch, project, GROUP)
    if config is not None:
        yield NotChecked(use.place, config)
        return
    if use.batch is None or (not use.batch and is_broken_off(use.launch)):
        yield NotChecked(use.place, open_word(use.launch, GROUP))
        return
    findings = list(on_every(use, lambda function: _judged(use, function, project)))
    if findings and not use.batch and use.generates_lists is not False:
        if use.generates_lists is None:
            yield NotChecked(use.place, "what the generate function returns")
        return
    yield from findings[:1]


def _judged(use: RewardUse, function: Function, project: Project) -> Iterator[Finding]:
    form = use.form(function)
    if use.batch and form == "single":
        group = use.launch.last(GROUP)
        assert group is not None
        place = group.word.place or use.launch.site
        message = f"{use.name} scores one sample, and {GROUP} gives it all samples of a prompt"
        yield _finding(use, function, place, message, _fix(f"drop {GROUP}", remove(group), place, use, project))
    elif use.batch is False and form == "batch":
        message = f"{use.name} scores all samples of a prompt, and without {GROUP} it is given one"
        edit = insert_after(use.argument, [GROUP])
        yield _finding(use, function, use.place, message, _fix(f"add {GROUP}", edit, use.place, use, project))


def _finding(use: RewardUse, function: Function, place: Place, message: str, fix: Fix | None) -> Finding:
    defined = Related(function_place(function), f"{use.name} is defined here")
    return Finding(place, message, fix=fix, related=(defined,), launch=use.launch, subject=GROUP)


def _fix(title: str, edit: Edit | None, place: Place, use: RewardUse, project: Project) -> Fix | None:
    if edit is None or not is_own(project, use.launch, place):
        return None
    return Fix(title, lambda: [edit])
