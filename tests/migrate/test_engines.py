"""A configuration of another engine than the one that trains: it is said, and nothing is made up."""

from __future__ import annotations

import pytest

from relax_lint.migrate.choices import Choices
from relax_lint.migrate.effective import effective_settings
from relax_lint.migrate.plan import Plan, Refusal
from relax_lint.migrate.planning import plan
from relax_lint.project import Project
from tests.migrate.planned import GRPO, MEGATRON, QWEN3_8B, A, fate, flags, todos


def planned_as_composed(*words: str) -> Plan:
    """The plan of a launch that is put together as Hydra does it, so that refusals of Hydra's are known."""
    command = " ".join(("python3 -m verl.trainer.main_ppo", *GRPO, *words))
    project = Project.from_files({"run.sh": f"{command}\n"})
    launcher = project.launcher(project.root / "run.sh")
    assert launcher is not None
    choices = Choices("demo", model="qwen3-8B", shape=QWEN3_8B)
    return plan(effective_settings(launcher.launches[0], project), choices)


@pytest.mark.parametrize(
    ("words", "lacking", "way"),
    [
        ((f"{A}.strategy=megatron",), "megatron", "--config-name=ppo_megatron_trainer has it|model_engine=megatron"),
        ((*MEGATRON, f"{A}.strategy=fsdp"), "fsdp_config", "--config-name=ppo_trainer has it|model_engine=dp"),
        ((*MEGATRON, f"{A}.strategy=fsdp2"), "fsdp_config", "--config-name=ppo_trainer has it|model_engine=dp"),
    ],
)
def test_a_strategy_that_the_configuration_is_not_for_is_to_be_seen_to(
    words: tuple[str, ...], lacking: str, way: str
) -> None:
    made = planned_as_composed(*words)
    said = todos(made)
    assert f"verl fails for want of {A}.{lacking}" in said
    assert any(each in said for each in way.split("|"))


def test_a_strategy_that_verl_has_not_is_to_be_seen_to() -> None:
    assert "verl has no such strategy" in todos(planned_as_composed(f"{A}.strategy=megatorn"))


@pytest.mark.parametrize(
    "size", ["tensor_model_parallel_size", "pipeline_model_parallel_size", "context_parallel_size"]
)
def test_settings_of_an_engine_that_the_configuration_lacks_are_refused_where_they_are(size: str) -> None:
    with pytest.raises(Refusal, match=rf"Hydra refuses {A}\.megatron\.{size}=2") as refused:
        planned_as_composed(f"{A}.megatron.{size}=2")
    assert refused.value.place is not None


def test_settings_of_an_engine_that_are_added_count_for_nothing_where_the_other_one_trains() -> None:
    made = planned_as_composed(f"+{A}.megatron.tensor_model_parallel_size=2")
    assert fate(made, f"{A}.megatron.tensor_model_parallel_size").kind == "no effect"
    assert flags(made)["--tensor-model-parallel-size"]


@pytest.mark.parametrize("words", [(), MEGATRON])
def test_a_configuration_of_the_engine_that_trains_leaves_nothing_to_see_to(words: tuple[str, ...]) -> None:
    assert "strategy" not in todos(planned_as_composed(*words))


@pytest.mark.parametrize(
    ("word", "flag"),
    [(f"~{A}.optim.lr", "--lr"), (f"~{A}.optim", "--lr"), ("~actor_rollout_ref.rollout.top_k", "--rollout-top-k")],
)
def test_what_takes_a_setting_away_that_has_a_flag_is_to_be_seen_to(word: str, flag: str) -> None:
    made = planned_as_composed(word)
    assert fate(made, word).kind == "by hand"
    assert any(word in todo.text and flag in todo.text for todo in made.todos)


@pytest.mark.parametrize("word", ["~trainer.logger", "~trainer.no_such_setting"])
def test_what_takes_another_one_away_leaves_nothing_to_see_to(word: str) -> None:
    assert word not in todos(planned_as_composed(word))
