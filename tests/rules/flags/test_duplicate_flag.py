"""RLX503: what is a mistake, what an override, and what is not known."""

from __future__ import annotations

import pytest

from relax_lint.diagnostics import Severity
from tests.rules.flags.judging import LAUNCHER, TRAIN, messages, report_on, silences

CODE = "RLX503"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("--lr 1e-6", "--lr 0.0000010"),
        ("--num-rollout 10", "--num-rollout=' 10 '"),
        ("--sglang-context-length 2k", "--sglang-context-length 2000"),
        ("--moe-layer-freq '[1]*2'", "--moe-layer-freq '[1,1]'"),
        ("--eval-prompt-data a /d/a", "--eval-prompt-data 'a' /d/a"),
        ('--multimodal-keys \'{"image": "a"}\'', '--multimodal-keys \'{ "image":"a" }\''),
        ("--save $OUT/x", "--save $OUT/x"),
        ("--lr fast", "--lr 1e-6"),
    ],
)
def test_the_same_value_twice_is_silent(first: str, second: str) -> None:
    launcher = f"{TRAIN} {first} --colocate {second}\n"
    assert messages(launcher, CODE) == []
    assert silences(launcher, CODE) == []


def test_values_that_are_not_known_are_not_compared() -> None:
    assert silences(f"{TRAIN} --lr $A --lr 1e-6\n", CODE) == [(1, "${A}")]


def test_both_places_are_shown() -> None:
    (found,) = report_on(f'ARGS=(\n    --lr 1e-6\n    --lr 2e-6\n)\n{TRAIN} "${{ARGS[@]}}"\n', CODE).diagnostics
    assert found.line == 3
    assert [(site.line, site.message) for site in found.related] == [(2, "--lr 1e-6")]


def test_three_times_are_two_overrides() -> None:
    found = messages(f"{TRAIN} --lr 1e-6 --lr 2e-6 --lr 3e-6\n", CODE)
    assert [message.partition(": ")[2] for message in found] == [
        "--lr 2e-6 counts, --lr 1e-6 does not",
        "--lr 3e-6 counts, --lr 2e-6 does not",
    ]


def test_a_launcher_and_the_files_it_sources() -> None:
    def severities(order: str, where: str) -> list[Severity]:
        files = {
            LAUNCHER: f"source {where}\n{TRAIN} {order}\n",
            where: "SHARED=(\n    --num-rollout 3\n)\n",
        }
        return [found.severity for found in report_on(files, CODE).diagnostics]

    shared, own = '"${SHARED[@]}"', "--num-rollout 5"
    for where in ("examples/demo/common.sh", "scripts/common.sh"):
        assert severities(f"{shared} {own}", where) == [Severity.ADVICE]
        assert severities(f"{own} {shared}", where) == [Severity.WARNING]
    assert severities(f"{shared} {own}", "scripts/models/demo.sh") == []
    assert severities(f"{own} {shared}", "scripts/models/demo.sh") == [Severity.WARNING]
