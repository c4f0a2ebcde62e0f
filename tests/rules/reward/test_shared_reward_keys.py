"""The fixes of `--reward-key` where what is edited goes to several launches."""

from __future__ import annotations

import pytest

from relax_lint.engine import lint
from relax_lint.fixing import fix
from relax_lint.project import Project
from relax_lint.rules import load_rules

RULES = {code: rule for code, rule in load_rules().items() if code in ("RLX206", "RLX207")}
REWARDS = """\
async def of_dict(args, sample, **kwargs):
    return {"score": 1.0}


async def of_other(args, sample, **kwargs):
    return {"acc": 1.0}


async def of_number(args, sample, **kwargs):
    return 1.0
"""
PATH = "--custom-rm-path examples.demo.reward_demo."
COMMON = "examples/demo/common.sh"
TRAIN = 'python3 relax/entrypoints/train.py --colocate "${ARGS[@]}"'


def tree(common: str, *launches: str, other: str = "") -> Project:
    files = {
        "examples/demo/reward_demo.py": REWARDS,
        COMMON: f"ARGS=(\n    {common}\n)\n",
        **{
            f"examples/demo/run_demo_{number}.sh": f'source "$(dirname "$0")/common.sh"\n{TRAIN} {flags}\n'
            for number, flags in enumerate(launches)
        },
    }
    if other:
        files["examples/other/run_other.sh"] = f'source "$(dirname "$0")/../demo/common.sh"\n{TRAIN} {other}\n'
    return Project.from_files(files)


def after(project: Project) -> str:
    result = fix(project, RULES)
    assert result.restless == {}
    return (result.project.read(project.root / COMMON) or b"").decode()


@pytest.mark.parametrize(
    "others",
    [
        [f"{PATH}of_number"],
        [f"{PATH}${{REWARD}}"],
        ["--lr 1e-6", "--rm-type math --custom-rm-path ''"],
    ],
)
@pytest.mark.parametrize("elsewhere", [False, True])
def test_no_key_is_added_for_a_launch_that_wants_none_or_another(others: list[str], elsewhere: bool) -> None:
    flags = f"{PATH}of_dict"
    beside, other = (others[:-1], others[-1]) if elsewhere else (others, "")
    project = tree(flags, "", *beside, other=other)
    assert "--reward-key" not in after(project)
    found = [one for one in lint(project, RULES).standing if one.code == "RLX206" and one.path.name == "common.sh"]
    assert [one.fix for one in found] == [None]
    assert any("goes to this launch, too" in site.message for site in found[0].related)


def test_a_key_in_front_of_what_is_shared_would_be_overridden() -> None:
    launch = f'python3 relax/entrypoints/train.py --reward-key acc --colocate "${{ARGS[@]}}" {PATH}of_other'
    project = tree(f"{PATH}of_dict", "", "")
    path = project.root / "examples/demo/run_demo_1.sh"
    changed = project.with_changes({path: f'source "$(dirname "$0")/common.sh"\n{launch}\n'.encode()})
    assert "--reward-key" not in after(changed)


@pytest.mark.parametrize(
    "others", [[""], ["--debug-train-only"], ["--lr 1e-6", ""], ["--reward-key acc"], [f"{PATH}of_other"]]
)
def test_a_key_is_added_for_launches_that_all_want_it_or_take_none_or_say_another_behind(others: list[str]) -> None:
    assert "--reward-key score" in after(tree(f"{PATH}of_dict", "", *others))
    assert "--reward-key score" in after(tree(f"{PATH}of_dict", "", other=others[0]))


@pytest.mark.parametrize("other", [f"{PATH}of_dict", f"{PATH}${{REWARD}}", "--rm-type dapo --custom-rm-path ''"])
def test_no_key_is_taken_out_that_another_launch_needs(other: str) -> None:
    flags = f"{PATH}of_number --reward-key score"
    assert "--reward-key score" in after(tree(flags, "", other))
    assert "--reward-key score" in after(tree(flags, "", other=other))


@pytest.mark.parametrize("other", ["", "--reward-key acc", "--debug-train-only", f"{PATH}of_number"])
def test_a_key_is_taken_out_that_no_launch_needs(other: str) -> None:
    assert "--reward-key" not in after(tree(f"{PATH}of_number\n    --reward-key score", "", other))


def test_a_key_is_not_renamed_for_a_launch_that_has_it() -> None:
    flags = f"{PATH}of_other\n    --reward-key score"
    assert "--reward-key acc" in after(tree(flags, ""))
    assert "--reward-key score" in after(tree(flags, "", f"{PATH}of_dict"))
