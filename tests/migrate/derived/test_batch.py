"""Batch sizes, and how prompts are drawn."""

from __future__ import annotations

import pytest

from relax_lint.migrate.choices import Choices
from relax_lint.migrate.planning import plan
from relax_lint.migrate.settings import Setting
from relax_lint.migrate.values import Template
from relax_lint.records import changed
from relax_lint.shell.launch import Unknown
from tests.migrate.planned import QWEN3_8B, A, R, composed, fate, flags, planned, settings_of, todos

DAPO = "recipe.dapo.main_dapo"
ASYNC = "verl.experimental.fully_async_policy.fully_async_main"
FILTER = "algorithm.filter_groups.enable=True"
CHOICES = Choices("demo", shape=QWEN3_8B)


def test_the_paragraph_has_the_numbers() -> None:
    text = planned("data.train_batch_size=1024", f"{R}.n=5", f"{A}.ppo_mini_batch_size=256").batch
    for part in ("1024 prompts a step", "5120 samples", "--rollout-batch-size 1024", "4 updates", "--keep-updates"):
        assert part in text


@pytest.mark.parametrize(("n", "n_agent", "samples"), [(1, 5, 5), (2, 5, 10), (4, 1, 4)])
def test_what_a_fork_repeats_prompts_by_multiplies_the_samples(n: int, n_agent: int, samples: int) -> None:
    made = planned("data.train_batch_size=64", f"{R}.n={n}", f"{R}.n_agent={n_agent}", f"{A}.ppo_mini_batch_size=64")
    given = flags(made)
    assert (given["--n-samples-per-prompt"], given["--global-batch-size"]) == (str(samples), str(64 * samples))
    assert f"{samples} times ({R}.n {n} × {R}.n_agent {n_agent})" in made.batch
    assert fate(made, f"{R}.n_agent").kind == "derived"
    assert "--disable-rewards-normalization" not in given
    assert "one sample a prompt" not in todos(made)
    assert ("makes 5 updates" in made.batch) == (n_agent == 5)


def test_samples_that_bash_alone_knows_are_multiplied_there() -> None:
    made = settings_of(f"{R}.n_agent=5")
    n = Template((Unknown("${N}", "N"),))
    made = changed(made, leaves={**made.leaves, f"{R}.n": Setting(f"{R}.n", n, "command line")})
    given = flags(plan(made, CHOICES))
    assert given["--n-samples-per-prompt"] == "$((N * 5))"


@pytest.mark.parametrize("words", [(f"{R}.n=1",), (f"{R}.n=1", f"{R}.n_agent=1")])
def test_a_group_of_one_is_told(words: tuple[str, ...]) -> None:
    made = planned(*words)
    assert f"{R}.n=1: one sample a prompt, so that grpo has no group" in todos(made)
    assert "--disable-rewards-normalization" in flags(made)


def test_a_mini_batch_larger_than_a_step_is_verls_own_error() -> None:
    made = planned("data.train_batch_size=32", f"{A}.ppo_mini_batch_size=64")
    assert "which verl itself refuses" in made.batch
    assert flags(made)["--global-batch-size"] == "256"


def test_updates_that_do_not_divide_the_prompts_cannot_be_kept() -> None:
    keeps = Choices("demo", keep_updates=True, shape=QWEN3_8B)
    made = planned("data.train_batch_size=64", f"{A}.ppo_mini_batch_size=24", choices=keeps)
    assert "--num-steps-per-rollout" not in flags(made)
    assert "could not be kept" in made.batch


def test_updates_of_several_sizes_cannot_be_kept() -> None:
    sizes = ("data.train_batch_size=100", f"{A}.ppo_mini_batch_size=30", f"{R}.n=7", "trainer.nnodes=12")
    made = planned(*sizes, choices=Choices("demo", keep_updates=True, shape=QWEN3_8B))
    assert "--num-steps-per-rollout" not in flags(made)
    told = "verl's last one has 10 prompts, the others 30"
    assert told in made.batch
    assert told in fate(made, f"{A}.ppo_mini_batch_size").todo
    assert "--keep-updates" not in fate(planned(*sizes), f"{A}.ppo_mini_batch_size").todo
    assert "verl itself refuses these sizes: 700 samples" in made.batch
    assert "verl itself refuses" not in planned(*sizes, f"{A}.use_dynamic_bsz=True").batch


def test_dynamic_sampling() -> None:
    made = planned(FILTER, "algorithm.filter_groups.metric=acc", "data.gen_batch_size=192", main=DAPO)
    words = flags(made)
    assert words["--dynamic-sampling-filter-path"].endswith("check_reward_nonzero_std")
    assert (words["--rollout-batch-size"], words["--over-sampling-batch-size"]) == ("64", "192")


def test_epochs_of_dynamic_sampling_count_what_is_drawn() -> None:
    drawn = (FILTER, "algorithm.filter_groups.metric=seq_reward", "data.gen_batch_size=192")
    made = planned(*drawn, main=DAPO)
    assert fate(made, "trainer.total_epochs").kind == "derived"
    told = todos(made)
    assert "epochs / 192), or less" in told
    assert "are fewer" not in told
    bounded = todos(planned(*drawn, "trainer.total_training_steps=100", main=DAPO))
    assert "unless the 100 rollouts of trainer.total_training_steps are fewer" in bounded


def test_without_a_size_of_its_own_a_draw_has_the_prompts_of_a_rollout() -> None:
    made = planned(FILTER, "data.gen_batch_size=64", main=DAPO)
    assert "--over-sampling-batch-size" not in flags(made)
    assert "Relax draws the prompts of a rollout at a time" in fate(made, "data.gen_batch_size").reason


def test_a_filter_by_accuracy_is_none_by_a_reward_that_length_changes() -> None:
    drawn = (FILTER, "algorithm.filter_groups.metric=acc")
    alike = planned(*drawn, main=DAPO)
    assert fate(alike, "algorithm.filter_groups.metric").kind == "derived"
    other = planned(*drawn, "reward.reward_kwargs.overlong_buffer_cfg.enable=True", main=DAPO)
    assert fate(other, "algorithm.filter_groups.metric").kind == "unsupported"
    assert "algorithm.filter_groups.metric=acc: let the reward return it" in todos(other)


def test_the_asynchronous_trainer_ends_with_the_smaller_number_of_epochs() -> None:
    sizes = ("async_training.require_batches=1", "rollout.total_rollout_steps=null")
    made = planned(*sizes, "trainer.total_epochs=30", "rollout.total_epochs=10", main=ASYNC)
    assert flags(made)["--num-epoch"] == "10"
    assert fate(made, "trainer.total_epochs").kind == "no effect"
    other = planned(*sizes, "trainer.total_epochs=5", "rollout.total_epochs=10", main=ASYNC)
    assert flags(other)["--num-epoch"] == "5"


def test_without_the_filter_every_drawn_prompt_is_trained_on() -> None:
    made = planned("algorithm.filter_groups.enable=False", "data.gen_batch_size=192", main=DAPO)
    assert flags(made)["--rollout-batch-size"] == "192"
    assert fate(made, "data.train_batch_size").kind == "no effect"


def test_verls_asynchronous_trainer_counts_mini_batches() -> None:
    made = plan(
        settings_of(
            f"{A}.ppo_mini_batch_size=32",
            "data.train_batch_size=0",
            "async_training.require_batches=2",
            "async_training.trigger_parameter_sync_step=4",
            "rollout.total_rollout_steps=6400",
            "rollout.test_freq=5",
            "trainer.save_freq=10",
            main=ASYNC,
        ),
        CHOICES,
    )
    words = flags(made)
    assert (words["--rollout-batch-size"], words["--global-batch-size"]) == ("64", "512")
    assert words["--num-rollout"] == "100"
    # Versions of the weights come after four steps, each of which is a rollout here.
    assert (words["--eval-interval"], words["--save-interval"]) == ("20", "40")
    assert "require_batches" in made.batch
    assert "--keep-updates keeps the 2 updates" in fate(made, f"{A}.ppo_mini_batch_size").todo


def test_sizes_that_only_bash_knows() -> None:
    settings = composed()
    key = "data.train_batch_size"
    value = Template((Unknown("${BATCH}", "BATCH"),))
    made = plan(changed(settings, leaves={**settings.leaves, key: Setting(key, value, "command line")}), CHOICES)
    assert flags(made)["--rollout-batch-size"] == "${BATCH}"
    assert flags(made)["--global-batch-size"] == "$((BATCH * 8))"
    assert "Only bash knows" in made.batch


def test_a_variable_that_numbers_are_worked_out_of_is_not_read_any_more() -> None:
    settings = composed()
    key = "data.train_batch_size"
    leaves = {**settings.leaves, key: Setting(key, 64, "command line", None, f"{key}=64", "BATCH")}
    made = plan(changed(settings, leaves=leaves), CHOICES)
    assert flags(made)["--rollout-batch-size"] == "64"
    assert "BATCH is no longer read" in fate(made, key).reason


def test_samples_of_a_prompt_that_only_bash_knows() -> None:
    settings = composed()
    key = f"{R}.n"
    value = Template((Unknown("${N}", "N"),))
    made = plan(changed(settings, leaves={**settings.leaves, key: Setting(key, value, "command line")}), CHOICES)
    assert flags(made)["--n-samples-per-prompt"] == "${N}"
    assert flags(made)["--global-batch-size"] == "$((64 * N))"
