"""Settings of verl's that are written as flags of Relax."""

from __future__ import annotations

import re
import subprocess
import sys

from relax_lint.catalog.flags import embedded
from relax_lint.catalog.unknown import meant, where_else
from relax_lint.catalog.verl_flags import otherwise_in_relax, same_in_relax
from relax_lint.migrate.mapping import all_entries
from tests.cases import for_each


def test_what_they_are_called_in_relax_is_there() -> None:
    catalogue = embedded()
    spelled = [f"--{name}" for found in all_entries() for name in found.spelled]
    named = [same_in_relax(name) for name in spelled]
    advised = [flag for name in spelled for flag in re.findall(r"--[\w-]+", otherwise_in_relax(name) or "")]
    assert [flag for flag in (*named, *advised) if flag and catalogue.flag(flag) is None] == []
    assert [name for name in spelled if catalogue.flag(name) is not None] == []
    assert [name for name in spelled if same_in_relax(name) is None and otherwise_in_relax(name) is None] == []


@for_each(
    ("word", "flag"),
    [
        ("--temperature", "--rollout-temperature"),
        ("--use-dynamic-bsz", "--use-dynamic-batch-size"),
        ("--use_dynamic_bsz", "--use-dynamic-batch-size"),
        ("--rollout.temperature", "--rollout-temperature"),
        ("--actor_rollout_ref.rollout.val_kwargs.temperature", "--eval-temperature"),
        ("--actor_rollout_ref.actor.clip_ratio_high", "--eps-clip-high"),
        ("--n", "--n-samples-per-prompt"),
        ("--model-path", "--hf-checkpoint"),
        ("--project-name", "--tb-project-name"),
        ("--save-freq", "--save-interval"),
        ("--resume-from-path", "--load"),
    ],
)
def test_the_flag_of_relax_is_meant(word: str, flag: str) -> None:
    assert meant(embedded(), word) == [flag]


def test_what_counts_otherwise_is_explained_and_not_renamed() -> None:
    assert "samples" in (where_else(embedded(), "--ppo-mini-batch-size") or "")
    assert "--eval-prompt-data" in (where_else(embedded(), "--data.val_files") or "")
    assert "--skip-eval-before-train" in (where_else(embedded(), "--val-before-train") or "")
    assert "--resource" in (where_else(embedded(), "--nnodes") or "")
    assert where_else(embedded(), "--made-up") is None


def test_a_word_that_no_setting_has_costs_no_parsing() -> None:
    asked = "from relax_lint.catalog.verl_flags import same_in_relax; assert same_in_relax('--made-up') is None"
    program = f"import sys; {asked}; assert 'yaml' not in sys.modules, 'the mapping was parsed'"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
