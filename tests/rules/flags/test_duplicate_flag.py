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


@pytest.mark.parametrize(
    "launcher",
    [
        f"{TRAIN} --lr 1e-6 --lr 2e-6 --lr 3e-6\n",
        f'A=(--lr 1e-6)\nA+=(--lr 2e-6)\nA+=(--lr 3e-6)\n{TRAIN} "${{A[@]}}"\n',
        f'A=(--lr 1e-6)\nB=(--lr 2e-6 --lr 3e-6)\n{TRAIN} "${{A[@]}}" "${{B[@]}}"\n',
        f'case "$1" in a) A=(--lr 1e-6) ;; *) A=(--lr 2e-6) ;; esac\n{TRAIN} "${{A[@]}}" --lr 3e-6\n',
    ],
)
def test_all_that_does_not_count_is_said_at_what_does(launcher: str) -> None:
    (message,) = messages(launcher, CODE)
    assert message == "--lr is passed more than once: --lr 3e-6 counts, --lr 1e-6 and --lr 2e-6 do not"


def test_a_word_is_reported_once_whatever_it_follows() -> None:
    added = "".join(f'if [ "${{O{n}:-0}}" = 1 ]; then A+=(--lr {n}e-6); fi\n' for n in range(1, 7))
    found = report_on(f'A=(--lr 7e-6)\n{added}{TRAIN} "${{A[@]}}"\n', CODE).diagnostics
    assert [one.line for one in found] == [2, 3, 4, 5, 6, 7]
    assert found[-1].message == (
        "--lr is passed more than once: --lr 6e-6 counts, --lr 7e-6, --lr 1e-6 and 4 others do not"
    )
    assert len(found[-1].related) == 6


def test_a_word_with_several_values_is_reported_once() -> None:
    (message,) = messages(f"for lr in 1e-6 2e-6 4e-6; do\n    {TRAIN} --lr 3e-6 --lr $lr\ndone\n", CODE)
    assert message == "--lr is passed twice: --lr 1e-6, --lr 2e-6 or --lr 4e-6 counts, --lr 3e-6 does not"


def test_a_value_that_comes_back_counts() -> None:
    (message,) = messages(f"{TRAIN} --lr 1e-6 --lr 2e-6 --lr 1e-6\n", CODE)
    assert message == "--lr is passed twice: --lr 1e-6 counts, --lr 2e-6 does not"


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
