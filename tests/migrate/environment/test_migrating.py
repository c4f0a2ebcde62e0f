"""A launcher with tools becomes a recipe that has them, by one command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from relax_lint.cli import main
from relax_lint.migrate.carrying.sources import verl_sources
from relax_lint.migrate.environment.files import named_file
from relax_lint.project import Project
from tests.migrate.environment.originals import FILES, VERL, write
from tests.migrate.on_disk import write_relax, write_verl

LAUNCHER = """\
set -x
PROJECT_DIR="$(pwd)"
python3 -m verl.trainer.main_ppo \\
    algorithm.adv_estimator=grpo data.train_batch_size=64 actor_rollout_ref.actor.ppo_mini_batch_size=64 \\
    actor_rollout_ref.rollout.n=8 actor_rollout_ref.rollout.name=sglang actor_rollout_ref.model.path=Qwen/Qwen3-8B \\
    data.train_files=$HOME/data/gsm8k/train.parquet data.val_files=$HOME/data/gsm8k/test.parquet \\
    actor_rollout_ref.rollout.multi_turn.enable=True actor_rollout_ref.rollout.multi_turn.max_assistant_turns=5 \\
    actor_rollout_ref.rollout.multi_turn.max_parallel_calls=2 \\
    actor_rollout_ref.rollout.multi_turn.max_tool_response_length=77 \\
    custom_reward_function.path=reward.py \\
    actor_rollout_ref.rollout.multi_turn.tool_config_path="{tools}"
"""
REWARD = "def compute_score(solution_str, ground_truth, **rest):\n    return float(solution_str == ground_truth)\n"


@pytest.fixture
def verl(tmp_path: Path) -> Path:
    """A checkout of verl with a user's tools in it."""
    root = write_verl(tmp_path / "verl")
    return write(root, {name: text for name, text in {**VERL, **FILES}.items() if "trainer" not in name})


def migrate(verl: Path, tools: str, *options: str) -> int:
    write(verl, {"train.sh": LAUNCHER.replace("{tools}", tools), "reward.py": REWARD})
    return main(["migrate", str(verl / "train.sh"), "--name", "sums", *options])


def test_a_launcher_with_tools_becomes_a_recipe(
    verl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = write_relax(tmp_path / "relax")
    monkeypatch.chdir(root)
    assert migrate(verl, "$PROJECT_DIR/tools.yaml", "--hf-config", str(hf_config(tmp_path))) == 0
    said = capsys.readouterr().out
    recipe = root / "examples" / "sums"
    config = yaml.safe_load((recipe / "sums_config.yaml").read_text())
    assert config == {"max_turns": 5, "rollout_interaction_env_path": "examples.sums.env_sums"}
    env = (recipe / "env_sums.py").read_text()
    assert 'PARALLEL_CALLS, LONGEST_RESPONSE, KEEPS = 2, 77, "both"' in env
    assert "from examples.sums.tools.my_tools import" in env
    assert 'DEFAULT_ENV_MODULE = "examples.sums.env_sums"' in (recipe / "rollout.py").read_text()
    assert "--tool-key tools" in (recipe / "run_sums.sh").read_text()
    assert json.loads((recipe / "tools" / "schemas.json").read_text())[0]["function"]["name"] == "sum"
    assert "into step()" not in said
    assert "RLX" not in said


def test_functions_are_named_by_their_file(
    verl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = write_relax(tmp_path / "relax")
    monkeypatch.chdir(root)
    functions = 'tools.yaml" actor_rollout_ref.rollout.multi_turn.function_tool_path="$HOME/any/my_functions.py'
    assert migrate(verl, functions, "--hf-config", str(hf_config(tmp_path))) == 0
    env = (root / "examples/sums/env_sums.py").read_text()
    assert "yield from function_tools(" in env
    assert "Unknown function '{name}'" in env
    names = [each["function"]["name"] for each in json.loads((root / "examples/sums/tools/schemas.json").read_text())]
    assert names == ["sum", "picture", "long", "count", "odd", "weather"]
    assert "into step()" not in capsys.readouterr().out


def test_without_relax_at_hand_it_is_said_where_the_rollout_comes_from(
    verl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    migrate(verl, "tools.yaml", "--hf-config", str(hf_config(tmp_path)))
    page = (tmp_path / "empty/examples/sums/MIGRATION.md").read_text()
    assert "examples/sums/rollout.py is examples/deepeyes/rollout.py of Relax, which is not at hand" in page
    assert 'DEFAULT_ENV_MODULE = "examples.sums.env_sums"' in page
    assert (tmp_path / "empty/examples/sums/base_env.py").is_file()
    assert not (tmp_path / "empty/examples/sums/rollout.py").exists()


def test_what_is_wrong_with_tools_is_told_with_its_place(
    verl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = write_relax(tmp_path / "relax")
    monkeypatch.chdir(root)
    write(verl, {"bad.yaml": "tools:\n  - class_name: ${oc.env:X}\n    config: {type: native}\n"})
    migrate(verl, "bad.yaml", "--hf-config", str(hf_config(tmp_path)))
    page = (root / "examples/sums/MIGRATION.md").read_text()
    assert "bad.yaml:2: class_name ${oc.env:X} is known only when it runs" in page
    assert "raise NotImplementedError" in (root / "examples/sums/env_sums.py").read_text()
    migrate(verl, "gone.yaml", "--force", "--hf-config", str(hf_config(tmp_path)))
    page = (root / "examples/sums/MIGRATION.md").read_text()
    assert "gone.yaml: there is no such file here. Migrate again from where it is, or write the tools" in page


@pytest.mark.parametrize("named", ["recipe/other/reward.py", "./recipe/other/reward.py", "verl/recipe/other/reward.py"])
def test_files_of_a_sibling_recipe_are_found_as_verl_mounts_them(named: str) -> None:
    project = Project.from_files({"other/reward.py": REWARD, "mine/train.sh": "", "mine/other.py": ""})
    launcher = project.root / "mine/train.sh"
    found = named_file(named, verl_sources(project, home=project.root / "mine"), launcher)
    assert found == project.root / "other/reward.py"
    assert named_file("recipe/none/reward.py", verl_sources(project), launcher) is None


def hf_config(root: Path) -> Path:
    """The numbers of a small model."""
    path = root / "config.json"
    path.write_text(
        json.dumps(
            {
                "architectures": ["Qwen3ForCausalLM"],
                "model_type": "qwen3",
                "hidden_size": 64,
                "intermediate_size": 128,
                "num_attention_heads": 8,
                "num_key_value_heads": 8,
                "num_hidden_layers": 2,
                "vocab_size": 1000,
                "head_dim": 8,
                "rms_norm_eps": 1e-6,
                "rope_theta": 1000000,
                "tie_word_embeddings": False,
            }
        )
    )
    return path
