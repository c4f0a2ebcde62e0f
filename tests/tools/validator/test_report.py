from __future__ import annotations

from tools.validator.report import by_kind, disagreement, full, listing, matrix, share
from tools.validator.requests import Outcome, Request, Verdict
from tools.validator.sites import Site

ACCEPTS = Verdict(True)
REFUSES = Verdict(False, "refusal", "a.py:3", "ValueError: no")
OURS = Verdict(False, "refusal", "a.py:3", "some-id: no")


def outcome(kind: str, relax: Verdict, ours: Verdict) -> Outcome:
    return Outcome(Request("run.sh", kind, ("--x",), "--x", {"A": None}, ("/gone",), True, {"a": 1}), relax, ours)


def test_the_matrix_counts_all_four_cases() -> None:
    outcomes = [outcome("add", ACCEPTS, ACCEPTS)] * 5 + [outcome("add", REFUSES, OURS)] * 3
    outcomes += [outcome("add", ACCEPTS, OURS), outcome("add", REFUSES, ACCEPTS)]
    title, accepts, refuses, agreement = matrix("mutations", outcomes)
    assert title.split() == ["mutations", "Relax", "accepts", "Relax", "refuses"]
    assert accepts.split()[-2:] == ["5", "1"]
    assert refuses.split()[-2:] == ["1", "3"]
    assert agreement.strip() == "agreement 80.00 % of 10; Relax refuses 4, 40.00 %"


def test_all_of_nothing_agrees() -> None:
    assert share(0, 0) == "100.00 %"
    assert share(1, 3) == "33.33 %"


def test_kinds_are_told_apart() -> None:
    outcomes = [outcome("add", ACCEPTS, ACCEPTS)] * 2 + [outcome("drop", REFUSES, ACCEPTS)]
    assert [line.split() for line in by_kind(outcomes)] == [
        ["add", "2,", "0", "refused,", "0", "disagreements"],
        ["drop", "1,", "1", "refused,", "1", "disagreements"],
    ]


def test_a_disagreement_says_what_both_said() -> None:
    assert list(disagreement(outcome("add", REFUSES, ACCEPTS))) == [
        "run.sh: add --x",
        "  with A=None, no /gone, a saved checkpoint, config.json {'a': 1}",
        "  Relax: refusal at a.py:3: ValueError: no",
        "  relax-lint accepts",
    ]
    assert list(disagreement(outcome("add", ACCEPTS, OURS)))[2:] == [
        "  Relax accepts",
        "  relax-lint refuses: some-id: no",
    ]


def test_every_site_is_listed_once() -> None:
    sites = [Site("a.py:3", "f"), Site("a.py:9", "f"), Site("b.py:1", "g")]
    lines = list(listing(sites, [outcome("add", REFUSES, OURS)], {"a.py:9": "needs data"}))
    assert lines[0] == "refusals: 3 sites, 1 occurred"
    assert "        3     1  f" in lines
    assert "  a.py:9 f: needs data" in lines
    assert "  b.py:1 g: NO REASON KNOWN" in lines


def test_real_launches_stand_apart() -> None:
    text = "\n".join(full([outcome("launch", ACCEPTS, ACCEPTS), outcome("add", REFUSES, ACCEPTS)], [], {}))
    assert "disagreements: 1" in text
    assert "agreement 100.00 % of 1; Relax refuses 0" in text
    assert "agreement 0.00 % of 1; Relax refuses 1" in text
    assert "agreement 50.00 % of 2; Relax refuses 1" in text
