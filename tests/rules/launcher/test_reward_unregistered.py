"""What counts as a reward, and what may stand in for one."""

from __future__ import annotations

from relax_lint.config import Settings
from relax_lint.diagnostics import Severity
from relax_lint.engine import Report, lint
from relax_lint.project import Project
from relax_lint.rules import load_rules
from relax_lint.selection import Layer
from tests.cases import for_each

RULES = load_rules()
RUN = "examples/demo/run_demo.sh"
TRAIN = "python3 relax/entrypoints/train.py"
E, W, A = Severity.ERROR, Severity.WARNING, Severity.ADVICE


def report(tree: dict[str, str]) -> Report:
    result = lint(Project.from_files(tree), RULES, Settings(selection=(Layer(select=("RLX408",)),)))
    assert not result.failures
    return result


def severities(flags: str, path: str = RUN, **more: str) -> list[Severity]:
    tree = {path: f"{TRAIN} {flags}\n", **{f"examples/demo/{k.replace('__', '.')}": v for k, v in more.items()}}
    return [item.severity for item in report(tree).diagnostics]


@for_each(
    ("flags", "expected"),
    [
        ("--colocate", [E]),
        ("--hybrid", [E]),
        ("--fully-async", [E]),
        ("--debug-rollout-only", [E]),
        ("--rm-type ' '", [E]),
        ("--use-opd --opd-type sglang", [E]),
        ("--rm-type math", []),
        ("--rm-type nobodys", []),
        ('--rm-type "$RM"', []),
        ("--loss-type sft", []),
        ("--loss-type sft_loss --rm-type math --custom-rm-path a.b.c", []),
        ("--load-debug-rollout-data x.pt", []),
        ("--use-agentic-rollout --agent-command x", [A]),
        ("--use-agentic-rollout --agent-command x --rm-type dapo", []),
        ("--metadata-key extra_info", [A]),
        ("--rollout-function-path examples.demo.own.rollout", []),
        ("--rollout-function-path relax.engine.rollout.sglang_rollout.generate_rollout", [E]),
        ("--rm-type math --custom-rm-path a.b.c", [W]),
        ("--rm-type dummy --custom-rm-path a.b.c", [W]),
    ],
)
def test_launches(flags: str, expected: list[Severity]) -> None:
    assert severities(flags) == expected


def test_launchers_outside_of_recipes_are_judged_too() -> None:
    assert severities("--colocate", path="scripts/training/run.sh") == [E]
    assert severities("--rm-type math", path="scripts/training/run.sh") == []


def test_the_config_wins_over_flags() -> None:
    named = "--custom-config-path examples/demo/demo.yaml"
    assert severities(named, demo__yaml="rm_type: math\n") == []
    assert severities(f"--rm-type math {named}", demo__yaml="rm_type: null\n") == [E]
    assert severities(f"--rm-type math {named}", demo__yaml="custom_rm_path: a.b.c\n") == [W]
    assert severities('--custom-config-path "$CONFIG"', demo__yaml="a: 1\n") == []


def test_what_is_not_known_is_recorded() -> None:
    result = report({RUN: f'{TRAIN} --colocate "${{REWARD_ARGS[@]}}"\n'})
    assert result.diagnostics == []
    assert [item.because for item in result.not_checked] == ["${REWARD_ARGS[@]}"]


def test_the_message_names_what_has_to_give_the_reward() -> None:
    rollout = "async def generate(args, sample, sampling_params):\n    await args.play(sample)\n    return sample\n"
    tree = {
        RUN: f"{TRAIN} --custom-generate-function-path examples.demo.rollout.generate\n",
        "examples/demo/rollout.py": rollout,
    }
    (item,) = report(tree).diagnostics
    assert item.severity is A
    assert "examples.demo.rollout.generate has to set the reward of every sample" in item.message
