"""What a verl launch really uses."""

from __future__ import annotations

import pytest

from relax_lint.migrate.effective import effective_settings
from relax_lint.migrate.plan import Refusal
from relax_lint.migrate.settings import Settings
from relax_lint.migrate.values import Template
from relax_lint.project import MEMORY_ROOT, Project

MAIN = "python3 -m verl.trainer.main_ppo"


def settings(command: str, before: str = "", **files: str) -> Settings:
    tree: dict[str, str | bytes] = {"examples/x/run.sh": f"{before}\n{command}\n"}
    tree.update({name.replace("__", "/") + ".yaml": text for name, text in files.items()})
    project = Project.from_files(tree)
    launcher = project.launcher(MEMORY_ROOT / "examples/x/run.sh")
    assert launcher is not None
    (launch,) = launcher.launches
    return effective_settings(launch, project)


def refusal(command: str, before: str = "", **files: str) -> Refusal:
    with pytest.raises(Refusal) as refused:
        settings(command, before, **files)
    return refused.value


def test_the_command_line_wins_over_the_defaults() -> None:
    found = settings(f"{MAIN} data.train_batch_size=64 trainer.logger='[\"console\",wandb]'")
    assert found.value("data.train_batch_size") == 64
    assert found.value("trainer.logger") == ["console", "wandb"]
    assert found.leaves["data.train_batch_size"].origin == "command line"
    assert found.leaves["data.train_batch_size"].given == "data.train_batch_size=64"
    assert found.value("data.shuffle") is True
    assert found.leaves["data.shuffle"].origin == "verl default"


def test_defaults_that_are_made_of_others_follow_them() -> None:
    assert settings(f"{MAIN} actor_rollout_ref.rollout.n=7").value("actor_rollout_ref.actor.rollout_n") == 7


def test_the_last_of_several_counts() -> None:
    assert settings(f"{MAIN} data.seed=1 data.seed=2").value("data.seed") == 2


def test_parts_that_only_bash_knows_stay_theirs() -> None:
    found = settings(f"{MAIN} data.train_files=$HOME/a.parquet \"data.val_files=['$HOME/b.parquet',c]\"")
    path = found.value("data.train_files")
    assert isinstance(path, Template)
    assert path.quoted == "${HOME}/a.parquet"
    files = found.value("data.val_files")
    assert isinstance(files, list)
    assert isinstance(files[0], Template)
    assert files[1] == "c"
