"""The reward is a dict, and the launch does not say which of its keys to learn from.

## What

A reward function that returns a dict on some way, or an `--rm-type` whose built-in reward is one (`dapo`,
`dapo-genrm`), in a launch that trains on it or evaluates with it and has no `--reward-key`. `--eval-reward-key`
serves evaluation only; a function that post-processes rewards may take dicts as they are.

## Why

Relax makes a tensor of the rewards: of dicts that fails after the first rollout. Evaluation averages them and fails
likewise.

## Source

Guide: when returning a dict, ALWAYS add `--reward-key score`.

## Example

    --custom-rm-path examples.gsm8k.reward_gsm8k.reward_func     # returns {"score": …}; no --reward-key

## Fix

Adds `--reward-key score` behind the flag that names the reward, or the only key whose value is a number; not where
what is written there goes to another launch, too, whose reward has no such key, or which needs none.
"""

from __future__ import annotations

from collections.abc import Iterator

from relax_lint.catalog.rewards import BOXED, BUILT_IN_DICTS, OWN_TRAINING_VALUES
from relax_lint.diagnostics import Finding, Fix, NotChecked, Place, Related
from relax_lint.fixers.launcher_edits import insert_after
from relax_lint.launch_config import overridden_by_config
from relax_lint.project import Project
from relax_lint.records import record
from relax_lint.rewards import (
    EVAL_KEY,
    FLAG,
    KEY,
    TYPE,
    RewardUse,
    exit_place,
    hidden_rewards,
    reward_uses,
    takes_rewards,
)
from relax_lint.rules import ERROR, Example, rule
from relax_lint.shell.launch import Argument, Launch
from relax_lint.shell.queries import (
    is_broken_off,
    is_own,
    is_written_at,
    launches_fed_from,
    open_word,
    place_of,
    start_of,
)
from relax_lint.shell.quoting import as_word

_RUN = "examples/demo/run_demo.sh"
_REWARD = "examples/demo/reward_demo.py"
_NAMED = "--custom-rm-path examples.demo.reward_demo.reward_func"
_TRAIN = "python3 relax/entrypoints/train.py"
_DICT = """\
async def reward_func(args, sample, **kwargs):
    return {'score': 1.0, 'acc': True}
"""


def _tree(reward: str, flags: str = "") -> dict[str, str]:
    return {_RUN: f"{_TRAIN} {_NAMED}{flags}\n", _REWARD: reward}


def _returning(expression: str) -> str:
    return f"async def reward_func(args, sample, **kwargs):\n    return {expression}\n"


_CONFIG = "examples/demo/demo.yaml"
_CONFIGURED = "python3 relax/entrypoints/train.py --custom-config-path examples/demo/demo.yaml"


def _configured(config: str, flags: str = "") -> dict[str, str]:
    return {_RUN: f"{_CONFIGURED}{flags}\n", _REWARD: _DICT, _CONFIG: config}


_IN_CONFIG = "custom_rm_path: examples.demo.reward_demo.reward_func\n"
VALID: list[str | Example] = [
    Example(_configured(_IN_CONFIG, " --reward-key score")),
    Example(_configured(f"{_IN_CONFIG}reward_key: score\n")),
    Example(_configured("custom_rm_path:\n", f" {_NAMED}")),
    Example(_configured("custom_rm_path: examples.demo.other.reward_func\n", f" {_NAMED}")),
    Example(_configured("rm_type: math\n", " --rm-type dapo")),
    Example(_tree(_DICT, " --reward-key score")),
    Example(_tree(_DICT, " --reward-key=acc")),
    Example(_tree(_returning("float(sample.response == sample.label)"))),
    Example(_tree(_returning("await judge(sample)"))),
    Example(_tree(_DICT, ' "${REWARD_ARGS[@]}" ${MORE}')),
    Example(_tree(_DICT, " --custom-reward-post-process-path examples.demo.post.process")),
    Example(_tree(_DICT, " --loss-type sft_loss")),
    Example(
        {
            **_tree(_DICT, " --custom-config-path examples/demo/demo.yaml"),
            "examples/demo/demo.yaml": "judge: local\nreward_key: score\n",
        }
    ),
    Example({**_tree(_DICT, " --custom-config-path ${CONFIG}"), "examples/demo/demo.yaml": "reward_key: score\n"}),
    Example(_tree(_DICT, " --debug-train-only")),
    Example(_tree(_returning("sum({'score': 1.0}.values())"))),
    f"{_TRAIN} --rm-type dapo --reward-key score\n",
    f"{_TRAIN} --rm-type mopd\n",
    f"{_TRAIN} --rm-type remote_rm --rm-url http://localhost:8000\n",
    f'{_TRAIN} --rm-type "${{RM_TYPE}}"\n',
    f"{_TRAIN} --rm-type dummy --custom-reward-post-process-path examples.demo.post.process\n",
    Example(_tree(_returning("1.0"), " --rm-type dapo")),
]

INVALID = [
    Example(
        _configured(_IN_CONFIG, " --lr 1e-6"),
        findings=((_RUN, 1, 57),),
        fixed={_RUN: f"{_CONFIGURED} --reward-key score --lr 1e-6\n"},
    ),
    Example(
        _configured(_IN_CONFIG, " --custom-rm-path examples.demo.other.reward_func"),
        findings=((_RUN, 1, 57),),
        fixed={_RUN: f"{_CONFIGURED} --reward-key score --custom-rm-path examples.demo.other.reward_func\n"},
    ),
    Example(_tree(_DICT), findings=((_RUN, 1, 53),), fixed={_RUN: f"{_TRAIN} {_NAMED} --reward-key score\n"}),
    Example(
        {
            _RUN: f'ARGS=(\n    {_NAMED}\n    --lr 1e-6\n)\n{_TRAIN} "${{ARGS[@]}}"\n',
            _REWARD: """\
def score(text):
    result = {}
    result['score'] = len(text)
    return result


"""
            + _returning("score(sample.response)"),
        },
        findings=((_RUN, 2, 22),),
        fixed={_RUN: f'ARGS=(\n    {_NAMED}\n    --reward-key score\n    --lr 1e-6\n)\n{_TRAIN} "${{ARGS[@]}}"\n'},
    ),
    Example(
        {_RUN: f"{_TRAIN} \\\n    {_NAMED} \\\n    --lr 1e-6\n", _REWARD: _returning("dict(score=1.0)")},
        findings=((_RUN, 2, 22),),
        fixed={_RUN: f"{_TRAIN} \\\n    {_NAMED} \\\n    --reward-key score \\\n    --lr 1e-6\n"},
    ),
    Example(
        _tree(_returning("{'reward': 1.0, 'why': 'exact'}")),
        findings=((_RUN, 1, 53),),
        fixed={_RUN: f"{_TRAIN} {_NAMED} --reward-key reward\n"},
    ),
    Example(_tree(_returning("{'acc': 1.0, 'format': 0.5}")), findings=((_RUN, 1, 53),)),
    Example(
        _tree(_returning("{'score': 1.0} if sample.label else 0.0")),
        findings=((_RUN, 1, 53),),
        fixed={_RUN: f"{_TRAIN} {_NAMED} --reward-key score\n"},
    ),
    Example(
        {
            _RUN: f"{_TRAIN} --group-rm {_NAMED}\n",
            _REWARD: """\
async def reward_func(args, samples, **kwargs):
    scores = []
    for sample in samples:
        scores.append({'score': 1.0})
    return scores
""",
        },
        findings=((_RUN, 1, 64),),
        fixed={_RUN: f"{_TRAIN} --group-rm {_NAMED} --reward-key score\n"},
    ),
    Example(
        _tree(_DICT, " --eval-reward-key acc"),
        findings=((_RUN, 1, 53),),
        fixed={_RUN: f"{_TRAIN} {_NAMED} --reward-key score --eval-reward-key acc\n"},
    ),
    Example(
        _tree(_DICT, " --custom-reward-post-process-path examples.demo.post.f --eval-interval 10"),
        findings=((_RUN, 1, 53),),
        fixed={
            _RUN: f"{_TRAIN} {_NAMED} --reward-key score --custom-reward-post-process-path examples.demo.post.f"
            " --eval-interval 10\n"
        },
    ),
    Example(
        f"{_TRAIN} --rm-type dapo --lr 1e-6\n",
        findings=((1, 46),),
        fixed=f"{_TRAIN} --rm-type dapo --reward-key score --lr 1e-6\n",
    ),
    Example(
        f"{_TRAIN} --rm-type=boxed_dapo\n",
        findings=((1, 36),),
        fixed=f"{_TRAIN} --rm-type=boxed_dapo --reward-key score\n",
    ),
    Example(
        f'RM=(--rm-type dapo-genrm)\n{_TRAIN} "${{RM[@]}}" --fully-async\n',
        findings=((1, 15),),
        fixed=f'RM=(--rm-type dapo-genrm --reward-key score)\n{_TRAIN} "${{RM[@]}}" --fully-async\n',
    ),
    Example(
        {
            **_tree(_DICT, " --custom-config-path examples/demo/demo.yaml"),
            "examples/demo/demo.yaml": "judge:\n  reward_key: score\n",
        },
        findings=((_RUN, 1, 53),),
        fixed={
            _RUN: f"{_TRAIN} {_NAMED} --reward-key score --custom-config-path examples/demo/demo.yaml\n",
        },
    ),
]


@record
class _Dict:
    """A dict that a launch's reward gives: where it is named, what it is, and the key to learn from."""

    argument: Argument
    place: Place
    what: str
    key: str | None
    related: tuple[Related, ...] = ()


@rule("RLX206", "reward-key-missing", ERROR, on="launch", valid=VALID, invalid=INVALID, fixable="safe")
def reward_key_missing(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """Say it where the launcher names the reward, which is where the key goes."""
    if not takes_rewards(launch) or launch.has(KEY):
        return
    yield from hidden_rewards(launch, project)
    found = _dict_of(launch, project)
    if found is None or not _needs_key(launch):
        return
    config = overridden_by_config(launch, project, KEY)
    if config is not None:
        yield NotChecked(found.place, config)
        return
    if launch.may_have(KEY) or is_broken_off(launch):
        yield NotChecked(found.place, open_word(launch, KEY))
        return
    key = as_word(found.key) if found.key else "<key>"
    edit = insert_after(found.argument, [f"{KEY} {key}"]) if found.key else None
    own = edit is not None and is_own(project, launch, found.place)
    harmed = _harmed(found, launch, project) if own else None
    yield Finding(
        found.place,
        f"{found.what} is a dict: say which of its keys is the reward with {KEY} {key}",
        fix=Fix(f"add {KEY} {key}", lambda: [edit] if edit else []) if own and harmed is None else None,
        related=found.related if harmed is None else (*found.related, harmed),
        launch=launch,
        subject=KEY,
    )


def _harmed(found: _Dict, launch: Launch, project: Project) -> Related | None:
    """Another launch to which the key would go, too, that is right without it or needs another one."""
    at = found.argument.word.place
    if at is None:
        return None
    for other in launches_fed_from(at, launch, project):
        if not _is_served(other, found, at, project):
            said = f"no fix: what is written there goes to this launch, too, which may not want {KEY} {found.key}"
            return Related(start_of(other), said)
    return None


def _is_served(launch: Launch, found: _Dict, at: Place, project: Project) -> bool:
    """Whether a launch wants the key that is to be written behind a flag which it has, too, or will not see it."""
    if not takes_rewards(launch) or overridden_by_config(launch, project, KEY) is not None:
        return True
    own = launch.last(KEY)
    if own is not None:
        in_front = launch.arguments[: launch.arguments.index(own)]
        return own.value == found.key or any(is_written_at(one.word, at) for one in in_front)
    wanted = _dict_of(launch, project)
    return wanted is not None and wanted.key == found.key and _needs_key(launch) and not launch.may_have(KEY)


def _needs_key(launch: Launch) -> bool:
    """Whether training takes the rewards as they are, or evaluation does."""
    trains = not any(map(launch.has, OWN_TRAINING_VALUES)) and not launch.has("--debug-rollout-only")
    evaluates = launch.has("--eval-interval") and not launch.has(EVAL_KEY)
    return trains or evaluates


def _dict_of(launch: Launch, project: Project) -> _Dict | None:
    uses = reward_uses(launch, project)
    if uses:
        return _dict_of_use(uses[0])
    if launch.has(FLAG) or overridden_by_config(launch, project, TYPE):
        return None
    argument = launch.last(TYPE)
    name = (argument.value or "").strip().removeprefix(BOXED) if argument is not None else ""
    if argument is None or name not in BUILT_IN_DICTS:
        return None
    word = argument.word if argument.inline else argument.values[-1]
    return _Dict(argument, place_of(launch, word), f"the reward of {TYPE} {argument.value}", BUILT_IN_DICTS[name][0])


def _dict_of_use(use: RewardUse) -> _Dict | None:
    from relax_lint.flow.shapes import Dictionary
    from relax_lint.reward_values import key_to_learn_from

    dicts = [
        [(way, part) for way, part in use.values(function) if isinstance(part, Dictionary)]
        for function in use.functions
    ]
    if not dicts or not all(dicts):
        return None
    key = key_to_learn_from([part for found in dicts for _, part in found])
    related = (Related(exit_place(dicts[0][0][0]), "the dict is returned here"),)
    return _Dict(use.argument, use.place, f"what {use.name} returns", key, related)
