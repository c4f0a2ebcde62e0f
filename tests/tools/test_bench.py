from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tools import bench


def test_the_written_corpus_has_the_size_of_relaxs_own(tmp_path: Path) -> None:
    bench.write_corpus(tmp_path / "corpus")
    python = list((tmp_path / "corpus").rglob("*.py"))
    assert len(python) == bench.CORPUS_PYTHON_FILES
    assert len(list((tmp_path / "corpus").rglob("*.sh"))) == bench.CORPUS_LAUNCHERS
    for path in python:
        compile(path.read_text(), path, "exec")


def test_repetitions_are_interleaved_and_the_first_round_is_dropped() -> None:
    order: list[str] = []

    def clock(command: Sequence[str | Path]) -> float:
        order.append(str(command[0]))
        return float(len(order))

    times = bench.measure({"a": ["a"], "b": ["b"]}, 2, clock)
    assert order == ["a", "b", "a", "b", "a", "b"]
    assert times == {"a": [3.0, 5.0], "b": [4.0, 6.0]}


def test_rows_say_which_budgets_hold() -> None:
    medians = dict.fromkeys((name for budget in bench.BUDGETS for name in (budget.measured, budget.against)), 1.0)
    medians |= {"check": 0.1, "flake8 F": 0.25, "shellcheck": 0.4}
    verdicts = {(row[1], row[2].rsplit(" ", 2)[0]): (row[3], row[5]) for row in bench.rows(medians)}
    assert verdicts["check 100 ms", "flake8 F"] == ("2.5x faster", "holds")
    assert verdicts["check 100 ms", "shellcheck"] == ("4.0x faster", "OVER")
    assert verdicts["flake8 + plugin 1000 ms", "flake8"] == ("1.00x", "holds")
