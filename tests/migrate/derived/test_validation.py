"""Evaluation, and launches that do nothing else."""

from __future__ import annotations

import pytest

from relax_lint.migrate.choices import Choices
from relax_lint.migrate.plan import Refusal
from relax_lint.migrate.planning import plan
from relax_lint.migrate.settings import Setting
from relax_lint.migrate.values import Template
from relax_lint.records import changed
from relax_lint.shell.launch import Unknown
from tests.migrate.planned import QWEN3_8B, composed, fate, planned, todos

ASYNC = "verl.experimental.fully_async_policy.fully_async_main"
ONLY = "trainer.val_only"


def test_a_launch_that_only_evaluates_is_refused() -> None:
    with pytest.raises(Refusal, match=r"trains nothing.*no run that only evaluates") as refused:
        planned(f"{ONLY}=True")
    assert refused.value.key == ONLY
    assert refused.value.place is not None


def test_verl_trains_where_it_never_comes_to_the_evaluation_that_would_be_all() -> None:
    assert fate(planned(f"{ONLY}=True", "trainer.val_before_train=False"), ONLY).kind == "no effect"
    sizes = ("async_training.require_batches=1", "rollout.total_rollout_steps=null")
    assert fate(planned(f"{ONLY}=True", *sizes, main=ASYNC), ONLY).kind == "no effect"


def test_what_only_bash_knows_is_told() -> None:
    value = Template((Unknown("${VAL_ONLY}", "VAL_ONLY"),))
    settings = composed()
    given = changed(settings, leaves={**settings.leaves, ONLY: Setting(ONLY, value, "command line")})
    made = plan(given, Choices("demo", shape=QWEN3_8B))
    assert "trainer.val_only=${VAL_ONLY}: where this is true, verl only evaluates" in todos(made)
