from __future__ import annotations

from pathlib import Path

from tools.validator.requests import Outcome, Request, Verdict
from tools.validator.sites import ALL, Site, all_sites, elsewhere, refusals, sites_of
from tools.validator.unreachable import REASONS, why_unreachable

SOURCE = """
def validate(args):
    assert args.a, "a"
    if args.b:
        raise ValueError("b")
    def inner():
        assert (
            args.c
        )

def convert(text):
    raise TypeError(text)
"""
REQUEST = Request("run.sh", "add", ())


def outcome(kind: str, place: str) -> Outcome:
    return Outcome(REQUEST, Verdict(not kind, kind, place), Verdict(True))


def test_sites_are_the_statements_that_refuse() -> None:
    assert list(sites_of("a.py", SOURCE, frozenset({"validate"}))) == [
        Site("a.py:3", "validate"),
        Site("a.py:5", "validate"),
        Site("a.py:7", "validate.inner"),
    ]
    assert [site.place for site in sites_of("a.py", SOURCE, ALL)][-1] == "a.py:12"


def test_each_file_is_looked_for_in_the_directories_in_turn(tmp_path: Path) -> None:
    for root, file in (("relax", "relax/utils/arguments.py"), ("mega", "megatron/training/arguments.py")):
        path = tmp_path / root / file
        path.parent.mkdir(parents=True)
        path.write_text("def validate_args(args):\n    assert args\n")
    assert all_sites([tmp_path / "relax", tmp_path / "mega"]) == [
        Site("relax/utils/arguments.py:2", "validate_args"),
        Site("megatron/training/arguments.py:2", "validate_args"),
    ]


def test_only_what_was_meant_is_a_refusal() -> None:
    sites = [Site("a.py:3", "validate")]
    outcomes = [outcome(kind, "a.py:3") for kind in ("refusal", "refusal", "crash", "parse", "")]
    assert refusals(outcomes) == {"a.py:3": 2}
    assert elsewhere([*outcomes, outcome("refusal", "b.py:1")], sites) == {
        ("crash", "a.py:3"): 1,
        ("parse", "a.py:3"): 1,
        ("refusal", "b.py:1"): 1,
    }


def test_each_unreachable_place_has_one_reason() -> None:
    places = [place for all_places in REASONS.values() for place in all_places]
    assert len(places) == len(set(places))
    assert why_unreachable(places[0]) == next(iter(REASONS))
    assert why_unreachable("a.py:1") is None
