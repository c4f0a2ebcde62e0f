"""No value of a setting is more than a migration can answer: each has a plan, or is refused at its place."""

from __future__ import annotations

from contextlib import suppress

import pytest

from relax_lint.migrate.choices import Choices
from relax_lint.migrate.mapping import entry_in
from relax_lint.migrate.plan import Refusal
from relax_lint.migrate.planning import plan
from relax_lint.migrate.settings import Setting, Settings
from relax_lint.migrate.values import Data
from relax_lint.records import changed
from tests.migrate.planned import MEGATRON, QWEN3_8B, A, R, composed, fate, flags, planned, todos

OTHERS: tuple[Data, ...] = (
    -1, 0.5, True, False, "", "auto", "two words", [1], {"a": 1}, float("inf"), 1_000_000, "${now:%H}",
)  # fmt: skip
CHOICES = Choices("demo", model="qwen3-8B", shape=QWEN3_8B)
OF_BOTH_ENGINES = pytest.mark.parametrize("config", ["", *MEGATRON], ids=["FSDP", "Megatron"])


def _answered(base: Settings, key: str, value: Data) -> None:
    setting = Setting(key, value, "command line", base.leaves["algorithm.adv_estimator"].place, f"{key}={value}")
    with suppress(Refusal):
        made = plan(changed(base, leaves={**base.leaves, key: setting}), CHOICES)
        assert {fate.key for fate in made.fates} == set(base.leaves)


def _keys(settings: Settings) -> list[str]:
    """The settings of which more is said than that Relax has nothing of the kind."""
    found = ((key, entry_in(settings, key)) for key in settings.leaves)
    keys = [key for key, entry in found if entry is not None and (entry.derived or entry.flags)]
    assert len(keys) > 150
    return keys


@OF_BOTH_ENGINES
@pytest.mark.parametrize("value", [None, 0])
def test_every_setting_may_be_nothing(config: str, value: Data) -> None:
    base = composed(config=config)
    for key in _keys(base):
        _answered(base, key, value)


@OF_BOTH_ENGINES
def test_every_setting_may_be_of_any_kind(config: str) -> None:
    base = composed(config=config)
    for number, key in enumerate(_keys(base)):
        _answered(base, key, OTHERS[number % len(OTHERS)])


@pytest.mark.parametrize(
    ("override", "said"),
    [
        (f"{R}.n=0", "a prompt is sampled once or more"),
        (f"{R}.n=0.5", "a prompt is sampled once or more"),
        ("data.train_batch_size=-1", "a step has one prompt or more"),
        (f"{R}.tensor_model_parallel_size=0", "an engine has one GPU or more"),
        ("trainer.nnodes=0", "a training has one machine or more"),
        ("trainer.nnodes=null", "a training has one machine or more"),
        ("trainer.n_gpus_per_node=null", "each one GPU or more"),
        ("trainer.n_gpus_per_node=1000000", "no training has so many"),
    ],
)
def test_numbers_that_no_training_has_are_refused_where_they_are(override: str, said: str) -> None:
    with pytest.raises(Refusal, match=said) as refused:
        planned(override)
    assert refused.value.key == override.partition("=")[0]
    assert refused.value.place is not None


@pytest.mark.parametrize(
    ("key", "flag"),
    [
        ("data.max_prompt_length", "--rollout-max-prompt-len"),
        ("data.max_response_length", "--rollout-max-response-len"),
        (f"{R}.temperature", "--rollout-temperature"),
    ],
)
def test_a_number_that_is_null_is_to_be_chosen(key: str, flag: str) -> None:
    made = planned(f"{key}=null")
    assert fate(made, key).kind == "by hand"
    assert f"{key} is null, with which verl fails: pass {flag}" in todos(made)
    assert flag not in flags(made)


@pytest.mark.parametrize(
    ("value", "is_on"), [("True", True), ("null", False), ("0", False), ("''", False), ("'no'", True)]
)
def test_a_switch_is_what_python_takes_its_value_for(value: str, is_on: bool) -> None:
    assert ("--use-kl-loss" in flags(planned(f"{A}.use_kl_loss={value}"))) is is_on
    by_deviation = flags(planned(f"algorithm.norm_adv_by_std_in_grpo={value}"))
    assert ("--disable-grpo-std-normalization" not in by_deviation) is is_on
