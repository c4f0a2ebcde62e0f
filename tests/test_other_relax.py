"""Launches judged and shown by a Relax that lacks flags which today's has: older, newer, or somebody's own."""

from __future__ import annotations

from functools import cache

import pytest

from relax_lint.catalog.flags import BETWEEN, END, ROWS, Catalogue, embedded
from relax_lint.catalog.hidden import is_hidden
from relax_lint.config import Settings
from relax_lint.engine import lint
from relax_lint.gpu_layout import batches, facts_for_layout, layout
from relax_lint.project import Project
from relax_lint.report import Shown
from relax_lint.report.show_text import render
from relax_lint.rules import load_rules
from tests.cases import for_each
from tests.constraints.launches import GOOD, MODEL, RESOURCE, RUN, SCRIPT

OTHERS = "--kl-loss-coef 0.1 --use-kl-loss --opd-teacher-url http://t --use-opd --fully-async"
LAUNCHES = [
    GOOD, f"{MODEL} {RUN}", f"{MODEL} {RESOURCE} --lr 3", f"{GOOD} {OTHERS}", "--loss-type sft", f"{GOOD} $MORE",
]  # fmt: skip
OWN = sorted(flag.dest for flag in embedded() if flag.owner == "relax" and flag.parser == "main")


@cache
def without(*dests: str, renamed: bool = False) -> Catalogue:
    """The flags of a Relax that has not these, or has them under other names."""
    head, _, rows = embedded().text.partition(ROWS)
    names = {flag.name for dest in dests for flag in embedded().by_dest(dest)}
    kept = []
    for row in rows.removesuffix(END).split(BETWEEN):
        name = row.split('"')[3]
        if name not in names:
            kept.append(row)
        elif renamed:
            kept.append(row.replace('"--', '"--my-', 1))
    return Catalogue(head + ROWS + BETWEEN.join(kept) + END)


def project_of(flags: str, *dests: str) -> Project:
    project = Project.from_files({SCRIPT: f"python3 relax/entrypoints/train.py {flags}\n"}, Settings())
    project.catalogue = without(*dests)
    return project


def told(flags: str, *dests: str) -> str:
    """What is said of a launch, which must not fail."""
    project = project_of(flags, *dests)
    report = lint(project, load_rules(), Settings())
    assert not report.failures
    (launch,) = project.recipes[0].launches
    facts, _ = facts_for_layout(launch, project)
    layout(facts)
    batches(facts)
    render([Shown(launch.script, [launch], project)])
    return "\n".join(found.message for found in report.standing)


@for_each("start", range(0, len(OWN), 20))
@for_each("flags", LAUNCHES[:1] + LAUNCHES[3:4])
def test_some_of_relaxs_flags_are_not_there(start: int, flags: str) -> None:
    told(flags, *OWN[start : start + 20])


@pytest.mark.parametrize("flags", LAUNCHES)
def test_none_of_relaxs_flags_is_there(flags: str) -> None:
    told(flags, *OWN)


@for_each("flags", LAUNCHES)
@for_each("dest", ["hybrid", "loss_type", "resource", "rollout_batch_size", "teacher_hf_checkpoint"])
def test_what_most_derived_values_hang_on_is_not_there(flags: str, dest: str) -> None:
    told(flags, dest)


def test_what_this_relax_checks_in_place_of_what_it_lacks_is_not_guessed() -> None:
    flags = f"{GOOD} --use-opd --opd-type sglang"
    assert "no teacher: --opd-teacher-url" in told(flags)
    assert "no teacher" not in told(flags, "teacher_hf_checkpoint")


def test_what_a_relax_without_a_mode_makes_of_the_flags_of_others_is_not_guessed() -> None:
    flags = f"{GOOD} --fully-async --colocate"
    assert "exclude each other" in told(flags)
    assert "exclude each other" not in told(flags, "hybrid")
    assert "exclude each other" in told(flags, "sft_predict_interval", "use_agentic_rollout")


def test_what_it_has_is_judged_as_ever() -> None:
    flags = GOOD.replace('"actor": [1, 8]', '"actor": [1, 3]')
    expected = "tensor 2 × pipeline 1 × context 1 = 2 does not divide the actor's 3 GPUs"
    assert expected in told(flags)
    assert expected in told(flags, "hybrid", "teacher_hf_checkpoint", "opd_teacher_routes")


def test_a_flag_that_is_passed_may_be_the_missing_one_under_another_name() -> None:
    separate = """--resource '{"actor": [1, 6], "rollout": [1, 2]}' --tensor-model-parallel-size 4"""
    project = project_of(f"{separate} --my-hybrid --num-rollout 3")
    project.catalogue = without("hybrid", renamed=True)
    (launch,) = project.recipes[0].launches
    facts, _ = facts_for_layout(launch, project)
    assert is_hidden(facts.get("hybrid"))
    assert layout(facts).hidden is not None
    other = project_of(separate, "hybrid")
    facts, _ = facts_for_layout(other.recipes[0].launches[0], other)
    assert facts.get("hybrid") is False


def test_what_cannot_be_told_of_one_launch_is_hidden_in_all() -> None:
    two = f"{GOOD}\npython3 relax/entrypoints/train.py {GOOD} --colocate"
    project = project_of(two, "loss_type", "rollout_batch_size")
    for launch in project.recipes[0].launches:
        facts, _ = facts_for_layout(launch, project)
        assert is_hidden(facts.get("loss_type"))
        assert "loss_type" not in facts.values
