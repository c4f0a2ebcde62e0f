"""A reward that only the config of a launch names is judged like one that a flag names."""

from __future__ import annotations

from relax_lint.config import Settings
from relax_lint.diagnostics import Diagnostic
from relax_lint.engine import lint
from relax_lint.project import Project
from relax_lint.rules import load_rules
from relax_lint.selection import Layer

RUN = "examples/demo/run_demo.sh"
TRAIN = "python3 relax/entrypoints/train.py --custom-config-path examples/demo/config.yaml"


def found(code: str, body: str, flags: str = "", config: str | None = None) -> list[Diagnostic]:
    tree = {
        RUN: f"{TRAIN} {flags}\n",
        "examples/demo/config.yaml": config or "custom_rm_path: examples.demo.reward_demo.reward_func\n",
        "examples/demo/reward_demo.py": f"async def reward_func(args, sample, **kwargs):\n    return {body}\n",
    }
    report = lint(Project.from_files(tree), load_rules(), Settings(selection=(Layer(select=(code,)),)))
    assert report.failures == []
    return report.diagnostics


def test_a_dict_needs_a_key() -> None:
    assert [item.line for item in found("RLX206", "{'score': 1.0}")] == [1]
    assert found("RLX206", "{'score': 1.0}", "--reward-key score") == []
    assert found("RLX206", "1.0") == []


def test_a_key_has_to_be_in_the_dict() -> None:
    assert [item.fix is not None for item in found("RLX207", "{'accuracy': 1.0}", "--reward-key score")] == [True]
    assert found("RLX207", "{'score': 1.0}", "--reward-key score") == []


def test_a_number_has_no_key() -> None:
    assert [item.fix is not None for item in found("RLX207", "1.0", "--reward-key score")] == [True]


def test_the_config_has_the_last_word_on_which_reward_it_is() -> None:
    flags = "--reward-key score --custom-rm-path examples.demo.other.reward_func"
    assert len(found("RLX207", "{'accuracy': 1.0}", flags)) == 1
    assert found("RLX207", "{'score': 1.0}", flags) == []


def test_a_built_in_reward_beside_one_of_the_config_is_not_used() -> None:
    assert found("RLX207", "{'score': 1.0}", "--rm-type math --reward-key score") == []


def test_a_config_that_sets_the_type_is_not_guessed_at() -> None:
    assert found("RLX207", "1.0", "--rm-type math --reward-key score", "rm_type: dapo\n") == []


def test_the_dict_has_a_score() -> None:
    assert [item.path.name for item in found("RLX208", "{'accuracy': 1.0}")] == ["reward_demo.py"]
    assert found("RLX208", "{'score': 1.0}") == []
