from __future__ import annotations

import random
from collections import Counter

from tools.validator.mutations import KINDS, Mutator, Option
from tools.validator.requests import Request

OPTIONS = [
    Option(("--lr",), "lr", "main", kind="float"),
    Option(("-l", "--layers"), "layers", "main", kind="int"),
    Option(("--colocate",), "colocate", "main", nargs=0),
    Option(("--names",), "names", "main", nargs="*"),
    Option(("--betas",), "betas", "main", nargs=2, kind="float"),
    Option(("--format",), "format", "main", choices=("thd", "bshd")),
    Option(("--sglang-device",), "sglang_device", "sglang"),
    Option(("-h",), "help", "main", nargs=0),
]
LAUNCH = Request("run.sh", "launch", ("--lr", "1", "--colocate", "--layers", "36", "--names", "a", "b"))


def mutator(seed: int = 1, named: frozenset[str] = frozenset({"layers"})) -> Mutator:
    return Mutator(OPTIONS, named, random.Random(seed))


def drawn(count: int, launch: Request = LAUNCH) -> list[Request]:
    source = mutator()
    return [source.of(launch) for _ in range(count)]


def test_the_same_seed_draws_the_same() -> None:
    first, second = mutator(7), mutator(7)
    assert [first.of(LAUNCH) for _ in range(50)] == [second.of(LAUNCH) for _ in range(50)]


def test_all_kinds_are_drawn_and_change_one_place() -> None:
    requests = drawn(600)
    assert set(Counter(request.kind for request in requests)) == set(KINDS)
    for request in requests:
        assert request.name == LAUNCH.name
        if request.kind == "drop":
            assert len(request.argv) < len(LAUNCH.argv)
        if request.kind == "add":
            assert request.argv[: len(LAUNCH.argv)] == LAUNCH.argv
            assert request.argv[len(LAUNCH.argv)].startswith("--")
            assert request.change == " ".join(request.argv[len(LAUNCH.argv) :])


def test_most_added_flags_are_such_as_constraints_name() -> None:
    added = [request.argv[len(LAUNCH.argv)] for request in drawn(600) if request.kind == "add"]
    assert 0.8 < added.count("--layers") / len(added) < 0.95


def test_most_changed_flags_are_such_as_constraints_name() -> None:
    dropped = [request.change for request in drawn(900) if request.kind == "drop"]
    assert dropped.count("--layers 36") / len(dropped) > 0.8


def test_a_flag_gets_as_many_values_as_it_takes() -> None:
    source = mutator()
    counts = {option.dest: {len(source.words_of(option)) - 1 for _ in range(50)} for option in OPTIONS[:-1]}
    assert counts["colocate"] == {0}
    assert counts["betas"] == {2}
    assert counts["names"] == {0, 1, 2}
    assert counts["lr"] == counts["layers"] == {1}


def test_choices_are_mostly_kept() -> None:
    source = mutator()
    values = Counter(source.value_of(OPTIONS[5]) for _ in range(300))
    assert values["thd"] > 80
    assert values["bshd"] > 80
    assert len(values) > 2


def test_a_number_becomes_a_number_near_it() -> None:
    source = mutator()
    seen = {source.changed(["--layers", "36"])[0][-1] for _ in range(200)}
    assert {"72", "18", "37", "35", "0"} < seen


def test_a_changed_switch_is_dropped() -> None:
    assert mutator().changed(["--colocate"]) == []
    assert mutator().changed(["--unknown", "1"]) == []


def test_spellings_that_argparse_may_mind() -> None:
    source = mutator()
    seen = {tuple(map(tuple, source.spelled(["--lr", "1"]))) for _ in range(400)}
    assert (("--lr=1",),) in seen
    assert (("--l", "1"),) in seen
    assert (("--lr", "1"), ("--lr", "1")) in seen
    assert any(part[-1][0].startswith("--sglan") for part in seen)


def test_an_empty_command_line_only_grows() -> None:
    assert {request.kind for request in drawn(50, Request("run.sh", "launch", ()))} == {"add"}
