"""Which words of a launch belong to which flag, and which to none."""

from __future__ import annotations

import pytest

from relax_lint.catalog.words import has_other_hyphens, is_number
from tests.cases import for_each
from tests.constraints.launches import namespace_of


def groups(flags: str) -> list[tuple[str, list[str]]]:
    return [(group.name, [word.text for word in group.strays]) for group in namespace_of(flags).groups]


@for_each(
    ("flags", "expected"),
    [
        ("--lr 1e-6 --colocate", [("--lr", []), ("--colocate", [])]),
        ("--lr 1e-6 2e-6 x --colocate true", [("--lr", ["2e-6", "x"]), ("--colocate", ["true"])]),
        ("sync --lr=1e-6 2e-6", [("", ["sync"]), ("--lr", ["2e-6"])]),
        ("--rollout-stop a b -1 'c d'", [("--rollout-stop", [])]),
        ("--rampup-batch-size 1 2 3 4", [("--rampup-batch-size", ["4"])]),
        ("--made-up 1 2", [("--made-up", ["1", "2"])]),
        ("--lr -1 -1e-6 3", [("--lr", []), ("-1e-6", ["3"])]),
        ("--lr 1e-6 '$X' 2", [("--lr", ["$X", "2"])]),
        ('--lr 1e-6 "$X" 2', [("--lr", [])]),
        ('--lr 1e-6 2 "$X" 3', [("--lr", ["2"])]),
        ('--lr 1e-6 /d/"$X" 3', [("--lr", ["/d/${X}", "3"])]),
        ("--lr 1e-6 /d/$X 3", [("--lr", [])]),
        ("--lr 1e-6 –colocate x", [("--lr", []), ("–colocate", ["x"])]),
        ("--lr 1e-6 colocate x", [("--lr", []), ("colocate", ["x"])]),
        ("--loss-type colocate", [("--loss-type", [])]),
        ("--save –x --lr 1", [("--save", []), ("--lr", [])]),
        ("--lr 1 -- --colocate x", [("--lr", []), ("--", [])]),
        ("", []),
    ],
)
def test_strays(flags: str, expected: list[tuple[str, list[str]]]) -> None:
    assert groups(flags) == expected


def test_what_a_name_means() -> None:
    exact, short, unclear, unknown = namespace_of(
        "--sglang-tp-size 2 --sglang-mem-frac=0.8 --sglang-disable --rollout-batch 3"
    ).groups
    assert ([flag.parser for flag in exact.flags], exact.abbreviated) == (["sglang"], False)
    assert ([flag.name for flag in short.flags], short.abbreviated) == (["--sglang-mem-fraction-static"], True)
    assert len(unclear.flags) > 10
    assert (unknown.flags, unknown.abbreviated) == ((), False)


@pytest.mark.parametrize(
    ("text", "answer"), [("-1e-6", True), ("-1", False), ("-x", False), ("-inf", True), ("1", False)]
)
def test_numbers_that_argparse_takes_for_flags(text: str, answer: bool) -> None:
    assert is_number(text) is answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("–lr", True),
        ("−−lr=3", True),
        ("-–lr", True),
        ("--lr", False),
        ("–3", False),
        ("– a word", False),
        ("–lr x", False),
    ],
)
def test_dashes_that_are_no_hyphens(text: str, answer: bool) -> None:
    assert has_other_hyphens(text) is answer
