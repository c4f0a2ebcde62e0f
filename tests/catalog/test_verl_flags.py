"""Settings of verl's that are written as flags of Relax."""

from __future__ import annotations

import re

import pytest

from relax_lint.catalog.flags import embedded
from relax_lint.catalog.unknown import meant, where_else
from relax_lint.catalog.verl_flags import _OTHERWISE, _SAME


def test_what_they_are_called_in_relax_is_there() -> None:
    catalogue = embedded()
    named = {*_SAME.values(), *(flag for advice in _OTHERWISE.values() for flag in re.findall(r"--[\w-]+", advice))}
    assert [flag for flag in sorted(named) if catalogue.flag(flag) is None] == []
    assert [name for name in (*_SAME, *_OTHERWISE) if catalogue.flag(f"--{name}") is not None] == []


@pytest.mark.parametrize(
    ("word", "flag"),
    [
        ("--temperature", "--rollout-temperature"),
        ("--use-dynamic-bsz", "--use-dynamic-batch-size"),
        ("--use_dynamic_bsz", "--use-dynamic-batch-size"),
        ("--rollout.temperature", "--rollout-temperature"),
        ("--actor_rollout_ref.actor.clip_ratio_high", "--eps-clip-high"),
        ("--n", "--n-samples-per-prompt"),
        ("--model-path", "--hf-checkpoint"),
        ("--project-name", "--tb-project-name"),
    ],
)
def test_the_flag_of_relax_is_meant(word: str, flag: str) -> None:
    assert meant(embedded(), word) == [flag]


def test_what_counts_otherwise_is_explained_and_not_renamed() -> None:
    assert "samples" in (where_else(embedded(), "--ppo-mini-batch-size") or "")
    assert "--eval-prompt-data" in (where_else(embedded(), "--data.val_files") or "")
    assert where_else(embedded(), "--made-up") is None
