"""Launches judged and shown by a Relax that lacks flags which today's has: older, newer, or somebody's own."""

from __future__ import annotations

from functools import cache

import pytest

from relax_lint.catalog.flags import BETWEEN, END, ROWS, Catalogue, embedded
from relax_lint.config import Settings
from relax_lint.engine import lint
from relax_lint.gpu_layout import batches, facts_for_layout, layout
from relax_lint.project import Project
from relax_lint.report import Shown
from relax_lint.report.show_text import render
from relax_lint.rules import load_rules
from tests.constraints.launches import GOOD, MODEL, RESOURCE, RUN, SCRIPT

OTHERS = "--kl-loss-coef 0.1 --use-kl-loss --opd-teacher-url http://t --use-opd --fully-async"
LAUNCHES = [
    GOOD, f"{MODEL} {RUN}", f"{MODEL} {RESOURCE} --lr 3", f"{GOOD} {OTHERS}", "--loss-type sft", f"{GOOD} $MORE",
]  # fmt: skip
OWN = sorted(flag.dest for flag in embedded() if flag.owner == "relax" and flag.parser == "main")


@cache
def without(*dests: str) -> Catalogue:
    """The flags of a Relax that has not these."""
    head, _, rows = embedded().text.partition(ROWS)
    names = {flag.name for dest in dests for flag in embedded().by_dest(dest)}
    kept = [row for row in rows.removesuffix(END).split(BETWEEN) if row.split('"')[3] not in names]
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


@pytest.mark.parametrize("start", range(0, len(OWN), 20))
@pytest.mark.parametrize("flags", LAUNCHES[:1] + LAUNCHES[3:4])
def test_some_of_relaxs_flags_are_not_there(start: int, flags: str) -> None:
    told(flags, *OWN[start : start + 20])


@pytest.mark.parametrize("flags", LAUNCHES)
def test_none_of_relaxs_flags_is_there(flags: str) -> None:
    told(flags, *OWN)


@pytest.mark.parametrize("flags", LAUNCHES)
@pytest.mark.parametrize("dest", ["hybrid", "loss_type", "resource", "rollout_batch_size", "teacher_hf_checkpoint"])
def test_what_most_derived_values_hang_on_is_not_there(flags: str, dest: str) -> None:
    told(flags, dest)


def test_what_this_relax_checks_in_place_of_what_it_lacks_is_not_guessed() -> None:
    flags = f"{GOOD} --use-opd --opd-type sglang"
    assert "no teacher: --opd-teacher-url" in told(flags)
    assert "no teacher" not in told(flags, "teacher_hf_checkpoint")


def test_what_it_has_is_judged_as_ever() -> None:
    flags = GOOD.replace('"actor": [1, 8]', '"actor": [1, 3]')
    expected = "tensor 2 × pipeline 1 × context 1 = 2 does not divide the actor's 3 GPUs"
    assert expected in told(flags)
    assert expected in told(flags, "hybrid", "teacher_hf_checkpoint", "opd_teacher_routes")
