"""A launch names no reward, or names two.

## What

A launch of reinforcement learning with neither `--custom-rm-path` nor `--rm-type`, in the launcher or in the YAML file
of `--custom-config-path`, or with a `--custom-rm-path` that is empty. As advice where rewards may come from elsewhere:
rows that name theirs in their metadata (data that is at hand tells; else `--metadata-key`, or a recipe whose code
mentions `rm_type`), a generate function that may set `sample.reward`, an agent. A generate function that gives every
sample its reward is fine. A warning where both are given, unless the reward falls back on the built-in one itself.

## Why

Relax asks the sample's metadata for a reward, then `--rm-type`; where nothing is named, the first response ends the
rollout with "Rule-based RM type is not specified". With `--custom-rm-path` it never looks at `--rm-type`: who changes
that flag trains the same as before. With `--group-rm` a reward that the generate function has set does not count.

## Source

Guide: register the reward with `--custom-rm-path`. Relax's reward executor takes the custom reward first, then the
metadata's, then `--rm-type`, and raises where there is none.

## Example

    python3 relax/entrypoints/train.py --prompt-data data/train.parquet --label-key label

## Fix

By hand: `--custom-rm-path examples.<algo>.reward_<algo>.reward_func`, or an `--rm-type` that scores the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from relax_lint.constraints.engine import Violation
from relax_lint.constraints.reporting import finding, findings, judged, silences
from relax_lint.diagnostics import Finding, NotChecked, Severity
from relax_lint.named_functions import own_rollout
from relax_lint.project import Project
from relax_lint.reward_sources import (
    METADATA,
    UNREGISTERED,
    endings,
    generate_of,
    hidden_config,
    is_agentic,
    may_be_in_metadata,
    never_rewards,
    scores_groups,
)
from relax_lint.rewards import FLAG, TYPE, reward_uses
from relax_lint.rules import ADVICE, ERROR, WARNING, Example, rule
from relax_lint.shell.launch import Launch
from relax_lint.shell.queries import is_broken_off, start_of

_NOTHING = f"neither {FLAG} nor {TYPE}"
_FALLING_BACK = ("ignore_custom", "rm_type")
_TRAIN = "python3 relax/entrypoints/train.py"
_RUN = "examples/demo/run_demo.sh"
_GENERATE = "--custom-generate-function-path examples.demo.rollout.generate"


def _generate(body: str, flags: str = "", **more: str) -> dict[str, str]:
    head = "async def generate(args, sample, sampling_params):\n"
    text = body if "def generate" in body else head + body
    tree = {_RUN: f"{_TRAIN} {_GENERATE} {flags}\n", "examples/demo/rollout.py": text}
    return {**tree, **{f"examples/demo/{name}.py": content for name, content in more.items()}}


def _rows(metadata: object, flags: str, key: str = "extra_info") -> dict[str, str]:
    row = json.dumps({"prompt": "1 + 1?", "label": "2", key: metadata})
    return {_RUN: f"{_TRAIN} --prompt-data data/train.jsonl {flags}\n", "data/train.jsonl": f"{row}\n"}


VALID: list[Example | str] = [
    f"{_TRAIN} --rm-type math\n",
    f"{_TRAIN} --custom-rm-path=examples.demo.reward_demo.reward_func\n",
    f"{_TRAIN} --loss-type sft --colocate\n",
    f"{_TRAIN} --debug-train-only --load-debug-rollout-data data/rollout.pt\n",
    f'REWARD_ARGS=(\n    --rm-type dapo\n    --reward-key score\n)\n{_TRAIN} --colocate "${{REWARD_ARGS[@]}}"\n',
    f'{_TRAIN} --colocate "$@"\n',
    f'case "$TASK" in\n    math) REWARD="--rm-type math" ;;\n    *) REWARD="--rm-type f1" ;;\nesac\n{_TRAIN} $REWARD\n',
    Example(
        {
            _RUN: f"{_TRAIN} --custom-config-path examples/demo/demo.yaml\n",
            "examples/demo/demo.yaml": "custom_rm_path: examples.demo.reward_demo.reward_func\n",
        }
    ),
    Example(_generate("    sample.response = await play(args)\n    sample.reward = 1.0\n    return sample\n")),
    Example(
        _generate("""\
async def generate(args, sample, sampling_params):
    reply = await play(args)
    if reply is None:
        sample.status = Sample.Status.ABORTED
        return sample
    finish(sample, reply)
    return sample


def finish(sample, reply):
    sample.response = reply
    sample.reward = float(reply == sample.label)
""")
    ),
    Example(
        {
            _RUN: f"{_TRAIN} --rm-type math --custom-rm-path examples.demo.reward_demo.reward_func\n",
            "examples/demo/reward_demo.py": """\
from relax.engine.rewards import async_rm


async def reward_func(args, sample, **kwargs):
    return 0.5 * await async_rm(args, sample, ignore_custom=True)
""",
        }
    ),
    f"{_TRAIN} --rollout-function-path examples.demo.rollout.generate_rollout\n",
    f"source ./common.sh\n{_TRAIN} --rm-type math\n",
    "python3 tools/prepare.py --input data\n",
]

INVALID = [
    Example(f"{_TRAIN} --colocate --label-key label\n", findings=((1, 1),)),
    Example(
        f"ROLLOUT_ARGS=(\n    --prompt-data data/train.parquet\n)\nREWARD_ARGS=(--rm-type math)\n"
        f'{_TRAIN} --fully-async "${{ROLLOUT_ARGS[@]}}"\n',
        findings=((5, 1),),
    ),
    Example(f"{_TRAIN} --rm-type '' --hybrid\n", findings=((1, 36),)),
    Example(f"{_TRAIN} --custom-rm-path '' --hybrid\n", findings=((1, 36),)),
    Example(f'{_TRAIN} \\\n    --custom-rm-path="" --rm-type math\n', findings=((2, 5),)),
    Example(f"{_TRAIN} --use-opd --opd-type sglang\n", findings=((1, 1),)),
    Example(f"{_TRAIN} --debug-rollout-only\n", findings=((1, 1),)),
    Example(f"{_TRAIN} --metadata-key extra_info\n", findings=((1, 1, ADVICE),)),
    Example(_rows({"split": "train"}, "--metadata-key extra_info"), findings=((_RUN, 1, 1),)),
    Example(_rows({"rm_type": "math"}, "--metadata-key info"), findings=((_RUN, 1, 1),)),
    Example(_rows(None, "--metadata-key extra_info"), findings=((_RUN, 1, 1),)),
    Example(_rows({"rm_type": "math"}, "--metadata-key extra_info"), findings=((_RUN, 1, 1, ADVICE),)),
    Example(_rows({"rm_type": "f1"}, "", key="metadata"), findings=((_RUN, 1, 1, ADVICE),)),
    Example(
        {
            _RUN: f"{_TRAIN} --prompt-data data/train.jsonl\n",
            "examples/demo/prepare.py": "def row(item):\n    return {'metadata': {'rm_type': item['kind']}}\n",
        },
        findings=((_RUN, 1, 1, ADVICE),),
    ),
    Example(f'{_TRAIN} --use-agentic-rollout --agent-command "bash run.sh"\n', findings=((1, 1, ADVICE),)),
    Example(
        f"{_TRAIN} --rm-type math \\\n    --custom-rm-path examples.demo.reward_demo.reward_func\n",
        findings=((1, 36, WARNING),),
    ),
    Example(
        {
            _RUN: f"{_TRAIN} --rm-type=dapo --custom-config-path examples/demo/demo.yaml\n",
            "examples/demo/demo.yaml": "custom_rm_path: examples.demo.reward_demo.reward_func\n",
        },
        findings=((_RUN, 1, 36, WARNING),),
    ),
    Example(
        _generate("    sample.response = await play(args)\n    sample.loss_mask = [1]\n    return sample\n"),
        findings=((_RUN, 1, 1),),
    ),
    Example(_generate("    sample.reward = 1.0\n    return sample\n", "--group-rm"), findings=((_RUN, 1, 1),)),
    Example(
        _generate("    if sample.label:\n        sample.reward = 1.0\n    return sample\n"),
        findings=((_RUN, 1, 1, ADVICE),),
    ),
    Example(
        {_RUN: f"{_TRAIN} {_GENERATE}\n"},
        findings=((_RUN, 1, 1, ADVICE),),
    ),
    Example(
        {
            _RUN: f'run() {{\n    {_TRAIN} --colocate "$@"\n}}\nrun --custom-config-path examples/demo/demo.yaml\n',
            "examples/demo/demo.yaml": "custom_rm_path: null\nrm_type:\n",
        },
        findings=((_RUN, 2, 5),),
    ),
]


@rule("RLX408", "reward-unregistered", ERROR, on="launch", everywhere=True, valid=VALID, invalid=INVALID)
def reward_unregistered(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """Say it at the launch, or at the flag that does not count."""
    if launch.kind != "relax":
        return
    if is_broken_off(launch):
        yield NotChecked(start_of(launch), "a broken continuation")
        return
    about = judged(launch, project)
    for violation in about.violations("RLX408"):
        if violation.constraint.id in UNREGISTERED:
            yield from _unregistered(violation, launch, project)
        elif not _falls_back(launch, project):
            yield from findings(violation, launch, project)
    yield from silences(about, "RLX408")


def _falls_back(launch: Launch, project: Project) -> bool:
    """Whether the custom reward asks for the built-in one itself."""
    sources = [use.source or use.module for use in reward_uses(launch, project)]
    return any(mark in source.text for source in sources if source is not None for mark in _FALLING_BACK)


def _unregistered(violation: Violation, launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    hidden = own_rollout(launch) or hidden_config(launch, project)
    if hidden is not None:
        yield NotChecked(start_of(launch), hidden)
        return
    told = _told(launch, project)
    if told is not None:
        named = next((argument for argument in violation.arguments if argument.flag in (FLAG, TYPE)), None)
        message, severity = told
        yield finding(violation, launch, named)._replace(message=message, severity=severity)


def _told(launch: Launch, project: Project) -> tuple[str, Severity] | None:
    if is_agentic(launch):
        return f"{_NOTHING}: the agent has to give the reward of every episode", ADVICE
    generate = None if scores_groups(launch, project) else generate_of(launch, project)
    ways = None if generate is None else endings(generate)
    if ways and all(ending.gives == "a reward" for ending in ways):
        return None
    if may_be_in_metadata(launch, project):
        return f"{_NOTHING}: every row has to name its reward as rm_type in its metadata ({METADATA})", ADVICE
    if generate is None:
        return f"{_NOTHING}: nothing scores the responses, and the first one ends the run", ERROR
    named = generate.dotted or generate.flag
    if never_rewards(generate) or (ways and all(ending.gives == "none" for ending in ways)):
        return f"{_NOTHING}, and {named} gives no reward: the first response ends the run", ERROR
    return f"{_NOTHING}: {named} has to set the reward of every sample that it returns", ADVICE
