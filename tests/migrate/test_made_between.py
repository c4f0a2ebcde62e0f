"""Models that a script makes of its own checkpoints."""

from __future__ import annotations

from relax_lint.migrate.choices import Choices
from relax_lint.migrate.effective import effective_settings
from relax_lint.migrate.made_between import told_of_models
from relax_lint.migrate.planning import plan
from relax_lint.migrate.surroundings import surroundings
from relax_lint.migrate.withheld import Secrets
from relax_lint.project import Project
from tests.migrate.planned import GRPO, QWEN3_8B, M

TRAIN = f"python3 -m verl.trainer.main_ppo {' '.join(GRPO)}"
FIRST = f"{TRAIN} trainer.save_freq=50 trainer.default_local_dir=/ck/a\n"
MERGE = "python -m verl.model_merger merge --local_dir /ck/a/global_step_50/actor --target_dir /ck/hf\n"


def told(script: str) -> list[str]:
    """What is to be done for each launch of a script, of its models."""
    project = Project.from_files({"run.sh": script})
    source = project.launcher(project.root / "run.sh")
    assert source is not None
    plans = [plan(effective_settings(launch, project), Choices("demo", shape=QWEN3_8B)) for launch in source.launches]
    made = told_of_models(plans, surroundings(source, source.launches, Secrets.of(source)))
    return ["\n".join(todo.text for todo in new.todos[len(old.todos) :]) for old, new in zip(plans, made, strict=True)]


def test_a_model_that_the_script_makes_is_asked_for_before_the_run_that_takes_it() -> None:
    first, second = told(f"{FIRST}{MERGE}{TRAIN} {M}.path=/ck/hf\n")
    assert not first
    assert second.startswith(f"{M}.path=/ck/hf: the script makes it by `python -m verl.model_merger merge")
    assert "--save-hf" in second


def test_a_model_below_checkpoints_of_an_earlier_run_is_asked_for_too() -> None:
    assert "where an earlier run saves its checkpoints" in told(f"{FIRST}{TRAIN} {M}.path=/ck/a/hf\n")[1]
    assert told(f"{FIRST}{TRAIN} {M}.path=/ck/ab/hf\n") == ["", ""]


def test_a_model_of_a_path_that_is_not_written_out_is_told_of_in_any_case() -> None:
    (only,) = told(f"{FIRST}{MERGE}")
    assert "makes a model of a checkpoint of verl's" in only
