from __future__ import annotations

import pytest

from relax_lint.catalog.rewards import runs_sync_rewards
from relax_lint.project import Project
from relax_lint.rewards import RewardUse, reward_uses

RUN = "examples/demo/run_demo.sh"
REWARD = "examples/demo/reward_demo.py"
TRAIN = "python3 relax/entrypoints/train.py"
NAMED = "--custom-rm-path examples.demo.reward_demo.reward_func"
GOOD = "async def reward_func(args, sample, **kwargs):\n    return 1.0\n"


def uses(launcher: str, **files: str) -> list[RewardUse]:
    tree = {RUN: launcher, REWARD: GOOD}
    tree.update({f"examples/demo/{name}.py": text for name, text in files.items()})
    project = Project.from_files(tree)
    source = project.launcher(project.root / RUN)
    assert source is not None
    return [use for launch in source.launches for use in reward_uses(launch, project)]


def test_each_launch_names_its_reward() -> None:
    found = uses(f"{TRAIN} {NAMED}\n{TRAIN} {NAMED} --group-rm\n")
    assert [use.dotted for use in found] == ["examples.demo.reward_demo.reward_func"] * 2
    assert [use.batch for use in found] == [False, True]
    assert {use.status for use in found} == {"found"}


def test_the_last_path_counts() -> None:
    (use,) = uses(f"{TRAIN} --custom-rm-path a.b {NAMED}\n")
    assert use.name == "reward_func"


@pytest.mark.parametrize(
    "launcher",
    [
        f"{TRAIN} --rm-type math\n",
        f"{TRAIN} {NAMED} --loss-type sft_loss\n",
        f"{TRAIN} {NAMED} --debug-train-only\n",
        f"python3 -m verl.trainer.main_ppo {NAMED}\n",
    ],
)
def test_launches_that_score_nothing_use_no_reward(launcher: str) -> None:
    assert uses(launcher) == []


@pytest.mark.parametrize(
    ("flags", "because"),
    [
        ('--custom-rm-path "examples.${ALGO}.reward.reward_func"', "${ALGO}"),
        (
            f"{NAMED} --rollout-function-path examples.demo.run",
            "--rollout-function-path examples.demo.run",
        ),
    ],
)
def test_what_hides_a_reward_is_named(flags: str, because: str) -> None:
    (use,) = uses(f"{TRAIN} {flags}\n")
    assert use.status == "unclear"
    assert use.unclear == because
    assert use.functions == ()


def test_the_file_that_really_defines_it_is_found() -> None:
    (use,) = uses(
        f"{TRAIN} --custom-rm-path examples.demo.reward_func\n",
        __init__="from .parts import score as reward_func\n",
        parts=GOOD.replace("reward_func", "score"),
    )
    assert use.source is not None
    assert use.source.path.name == "parts.py"


def test_a_name_that_may_come_from_elsewhere_is_not_judged() -> None:
    attempt = "try:\n    from fast import f\nexcept ImportError:\n    f = 1\n"
    (use,) = uses(f"{TRAIN} --custom-rm-path examples.demo.a.f\n", a=attempt)
    assert use.status == "found"
    assert use.functions == ()


def test_open_words_could_be_the_group_flag() -> None:
    (use,) = uses(f"{TRAIN} {NAMED} $MORE\n")
    assert use.batch is None


@pytest.mark.parametrize(
    ("returned", "expected"), [("sample", False), ("[sample, sample]", True), ("await run(sample)", None)]
)
def test_generate_functions_may_return_several_samples(returned: str, expected: bool | None) -> None:
    (use,) = uses(
        f"{TRAIN} {NAMED} --custom-generate-function-path examples.demo.rollout.generate\n",
        rollout=f"async def generate(args, sample, sampling_params):\n    return {returned}\n",
    )
    assert use.generates_lists is expected


AWAITING = """\
class RewardExecutor:
    async def execute(self, args, sample, **kwargs):
        rm_function = load_function(args.custom_rm_path)
        return await rm_function(args, sample, **kwargs)


async def batched_async_rm(args, samples, **kwargs):
    rm_function = load_function(args.custom_rm_path)
    return await rm_function(args, samples, **kwargs)
"""
ASKING = AWAITING.replace(
    "        return await rm_function(args, sample, **kwargs)\n",
    "        if asyncio.iscoroutinefunction(rm_function):\n            return await rm_function(args, sample)\n"
    "        return await asyncio.to_thread(rm_function, args, sample)\n",
)


@pytest.mark.parametrize(
    ("rewards", "single", "batch"), [(AWAITING, False, False), (ASKING, True, False), ("", False, False)]
)
def test_how_the_checkout_runs_plain_functions(rewards: str, single: bool, batch: bool) -> None:
    tree = {"relax/entrypoints/train.py": "", "relax/engine/rewards/__init__.py": rewards}
    project = Project.from_files(tree)
    assert runs_sync_rewards(project, batch=False) is single
    assert runs_sync_rewards(project, batch=True) is batch
