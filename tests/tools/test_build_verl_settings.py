"""The builder of verl's embedded configuration, over small checkouts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from omegaconf import OmegaConf

from relax_lint.migrate.applying import hidden_environment, resolved
from relax_lint.migrate.composing import compose
from relax_lint.migrate.overrides import Hidden
from relax_lint.migrate.values import Data
from relax_lint.migrate.verl_defaults import TRAINER, Verl, apply_difference, embedded
from tools.build_verl_settings import difference, main

HYDRA_MAIN = (
    "import hydra\n\n@hydra.main(config_path='{}', config_name='{}', version_base=None)\ndef main(config): ...\n"
)
NEWER = {
    "verl/version/version": "2.0\n",
    "verl/trainer/main_ppo.py": HYDRA_MAIN.format("config", "ppo_trainer"),
    "verl/trainer/sft_trainer.py": HYDRA_MAIN.format("config", "sft_trainer"),
    "verl/trainer/config/ppo_trainer.yaml": (
        "defaults: [data@data: plain, _self_]\na: {_target_: verl.A, b: 1e-6, c: [1]}\n"
    ),
    "verl/trainer/config/data/plain.yaml": "# @package data\nsize: 5 # rows\n",
    "verl/trainer/config/sft_trainer.yaml": "x: 1\n",
    "verl/trainer/config/_generated_ppo_trainer.yaml": "x: 1\n",
}
OLDER = {
    "verl/version/version": "1.0\n",
    "verl/trainer/main_ppo.py": HYDRA_MAIN.format("config", "ppo_trainer"),
    "verl/trainer/config/ppo_trainer.yaml": "a: {b: 1, c: [1], d: {}}\n",
}
RECIPES = {
    "r/main_r.py": HYDRA_MAIN.format("../r/config", "r_trainer"),
    "r/config/r_trainer.yaml": "defaults: [ppo_trainer, _self_]\nmine: 1\n",
    "r/config/r_megatron_trainer.yaml": "defaults: [ppo_trainer, _self_]\nmine: 2\n",
    "r/config/other.yaml": "x: 1\n",
    "copy/main_copy.py": HYDRA_MAIN.format("config", "ppo_trainer"),
    "copy/config/ppo_trainer.yaml": "a: 1\n",
}


@pytest.fixture
def checkouts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The arguments of the builder, which writes to a file of its own."""
    for name, files in {"recipes": RECIPES, "newer": NEWER, "older": OLDER}.items():
        for path, text in files.items():
            (tmp_path / name / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name / path).write_text(text)
    monkeypatch.setattr("tools.build_verl_settings.DATA", tmp_path / "data.json")
    return [str(tmp_path / "recipes"), str(tmp_path / "newer"), f"{tmp_path / 'older'}=1.0 of old"]


def test_names_values_and_composition_are_taken_and_nothing_else(checkouts: list[str], tmp_path: Path) -> None:
    assert main(checkouts) == 0
    data = json.loads((tmp_path / "data.json").read_text())
    newer, older = data["versions"]
    files = apply_difference({}, newer["files"])
    assert newer["version"] == "2.0"
    assert newer["mains"] == {"verl.trainer.main_ppo": ["verl/trainer/config", "ppo_trainer"]}
    assert files == {
        "verl/trainer/config/ppo_trainer.yaml": {
            "config": {"a": {"_target_": "verl.A", "b": 1e-6, "c": [1]}, "defaults": [{"data@data": "plain"}, "_self_"]}
        },
        "verl/trainer/config/data/plain.yaml": {"config": {"size": 5}, "package": "data"},
    }
    assert older["version"] == "1.0 of old"
    assert apply_difference(files, older["files"]) == {
        "verl/trainer/config/ppo_trainer.yaml": {"config": {"a": {"b": 1, "c": [1], "d": {}}}}
    }
    assert data["mains"] == {"recipe.r.main_r": ["recipe/r/config", "r_trainer"]}
    assert set(data["recipes"]) == {"recipe/r/config/r_trainer.yaml", "recipe/r/config/r_megatron_trainer.yaml"}


def test_check_tells_whether_the_file_is_as_built(checkouts: list[str], tmp_path: Path) -> None:
    assert main([*checkouts, "--check"]) == 1
    assert not (tmp_path / "data.json").exists()
    assert main(checkouts) == 0
    assert main([*checkouts, "--check"]) == 0
    (tmp_path / "newer/verl/trainer/config/data/plain.yaml").write_text("size: 6\n")
    assert main([*checkouts, "--check"]) == 1


@pytest.mark.parametrize(
    ("base", "other"),
    [
        ({}, {"a": {"b": 1}}),
        ({"a": {"b": 1}}, {}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}}),
        ({"a": 1}, {"a": True}),
        ({"a": 1}, {"a": 1.0}),
        ({"a": {"b": 1}}, {"a": {}}),
        ({"a": {}}, {"a": {"b": None}}),
        ({"a": [1]}, {"a": [1, 2]}),
    ],
)
def test_a_difference_gives_the_other_again(base: dict[str, object], other: dict[str, object]) -> None:
    assert json.dumps(apply_difference(base, difference(base, other))) == json.dumps(other)


def default_leaves(verl: Verl, directory: str, name: str) -> dict[str, Data]:
    """The settings that a configuration of verl's has by itself, by key."""
    found = verl.directory(directory)
    assert found is not None
    composed = compose(name, [found], verl.named, ())
    hidden = Hidden()
    values = resolved(OmegaConf.create(hidden_environment(composed.tree, hidden)))
    return {".".join(path): hidden.data(value) for path, value in values}


def known_trees() -> Iterator[tuple[str, str, dict[str, Data]]]:
    """The settings of every configuration of the verls known here that a training by rewards can be started with: the
    version, the file's path in a checkout, and its leaves."""
    for verl in embedded():
        for path in sorted(verl.files):
            directory, _, name = path.rpartition("/")
            if directory == TRAINER and not name.startswith("ppo_"):
                continue
            if directory.startswith(f"{TRAINER}/"):
                continue
            yield verl.version, path, default_leaves(verl, directory, name)


def test_every_configuration_known_can_be_composed() -> None:
    trees = {(version, path.rpartition("/")[2]): leaves for version, path, leaves in known_trees()}
    assert {version for version, _ in trees} == {verl.version for verl in embedded()}
    for verl in embedded():
        fsdp, megatron = (trees[verl.version, f"ppo_{name}trainer.yaml"] for name in ("", "megatron_"))
        assert fsdp["actor_rollout_ref.actor.strategy"] == "fsdp"
        assert megatron["actor_rollout_ref.actor.strategy"] == "megatron"
        assert len(fsdp) > 500
