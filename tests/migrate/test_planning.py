"""What a plan says of each setting, whichever step it comes from."""

from __future__ import annotations

import pytest

from relax_lint.migrate.choices import Choices
from relax_lint.migrate.planning import plan
from relax_lint.migrate.settings import NOT_THERE
from relax_lint.records import changed
from tests.migrate.planned import fate, settings_of


@pytest.mark.parametrize(
    ("key", "known", "problem", "said"),
    [
        ("data.train_batch_size", True, "Hydra refuses the + before it", "Hydra refuses the + before it"),
        ("data.seed", True, NOT_THERE, "another verl has it, verl 0.9.1 asks for a + before it"),
        ("data.seed", False, NOT_THERE, NOT_THERE),
    ],
)
def test_what_hydra_has_against_a_setting_is_said(key: str, known: bool, problem: str, said: str) -> None:
    settings = settings_of(f"{key}=64", version="0.9.1")
    leaves = {**settings.leaves, key: changed(settings.leaves[key], known=known, problem=problem)}
    made = plan(changed(settings, leaves=leaves), Choices("demo"))
    assert fate(made, key).reason.endswith(said)
