"""What ``--custom-config-path`` sets counts for what Relax checks after it has read it, and for nothing before."""

from __future__ import annotations

from relax_lint.catalog.hidden import Hidden, is_hidden
from relax_lint.constraints.facts import Facts
from relax_lint.constraints.reporting import judged
from relax_lint.project import Project
from tests.constraints.launches import GOOD, SCRIPT, Known, facts_of


def overlaid(flags: str, **keys: object) -> Facts:
    around = Known(documents={"c.yaml": keys})
    return facts_of(f"{flags} --custom-config-path c.yaml", around=around).overlaid()


def test_a_key_wins_over_its_flag() -> None:
    assert overlaid(GOOD, global_batch_size=128).get("train_batch") == 128
    assert overlaid(GOOD, max_staleness=3).get("max_staleness") == 3
    assert overlaid(GOOD).get("train_batch") == 256


def test_what_relax_has_stored_before_stays() -> None:
    facts = overlaid("--colocate --global-batch-size 256 --n-samples-per-prompt 8", n_samples_per_prompt=7)
    assert [facts.get(name) for name in ("rollout_groups", "rollout_samples", "train_batch")] == [32, 224, 256]
    facts = overlaid(
        "--rollout-batch-size 32 --n-samples-per-prompt 8 --num-steps-per-rollout 2", rollout_batch_size=64
    )
    assert [facts.get(name) for name in ("rollout_groups", "train_batch")] == [64, 128]


def tree(launch: str, config: str) -> Facts:
    project = Project.from_files(
        {SCRIPT: f"python3 relax/entrypoints/train.py {launch}\n", "examples/demo/demo.yaml": config}
    )
    source = project.launcher(project.root / SCRIPT)
    assert source is not None
    return judged(source.launches[0], project).facts.overlaid()


def test_a_config_that_is_not_known_hides_what_any_of_the_recipe_sets() -> None:
    facts = tree('--global-batch-size 256 --custom-config-path "$CONFIG"', "global_batch_size: 128\nmax_turns: 3\n")
    hidden = facts.get("global_batch_size")
    assert isinstance(hidden, Hidden)
    assert [word.text for word in hidden.words] == ["${CONFIG}"]
    assert facts.get("max_staleness") == 0


def test_a_config_that_cannot_be_read_hides_what_it_may_set() -> None:
    path = "--custom-config-path examples/demo/demo.yaml"
    facts = tree(f"--global-batch-size 256 {path}", "global_batch_size: {{ batch }}\n")
    assert is_hidden(facts.get("global_batch_size"))
    assert tree(f"--global-batch-size 256 {path}", "max_turns: {{ turns }}\n").get("global_batch_size") == 256


def test_a_config_that_is_elsewhere_is_as_good_as_none() -> None:
    facts = tree("--global-batch-size 256 --custom-config-path gone.yaml", "global_batch_size: 128\n")
    assert facts.get("global_batch_size") == 256
