from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from relax_lint import __version__
from tools.benchmarks import budgets, commands, editor, record
from tools.docs_builder import benchmark_page

ROOT = Path(__file__).resolve().parents[2]


def test_the_written_corpus_has_the_size_of_relaxs_own(tmp_path: Path) -> None:
    commands.write_corpus(tmp_path / "corpus")
    directories, python, launchers = commands.scope(tmp_path / "corpus")
    assert directories == ["examples", "scripts"]
    assert len(python) == commands.CORPUS_PYTHON_FILES
    assert len(launchers) == commands.CORPUS_LAUNCHERS
    for path in python:
        compile((tmp_path / "corpus" / path).read_text(), path, "exec")


def test_repetitions_are_interleaved_and_the_first_round_is_dropped() -> None:
    order: list[str] = []

    def clock(command: Sequence[str | Path]) -> float:
        order.append(str(command[0]))
        return float(len(order))

    times = commands.measure({"a": ["a"], "b": ["b"]}, 2, clock)
    assert order == ["a", "b", "a", "b", "a", "b"]
    assert times == {"a": [3.0, 5.0], "b": [4.0, 6.0]}


def found() -> list[budgets.Result]:
    medians = dict.fromkeys((name for budget in budgets.BUDGETS for name in (budget.measured, budget.against)), 1.0)
    return [*budgets.results(medians | {"check": 0.1, "flake8 F": 0.25, "shellcheck": 0.4})]


def test_results_say_which_budgets_hold() -> None:
    verdicts = {(row[1], row[2].rsplit(" ", 2)[0]): (row[3], row[5]) for row in (each.cells() for each in found())}
    assert verdicts["check 100 ms", "flake8 F"] == ("2.5x faster", "holds")
    assert verdicts["check 100 ms", "shellcheck"] == ("4.0x faster", "OVER")
    assert verdicts["flake8 + plugin 1,000 ms", "flake8"] == ("1.00x", "holds")
    memory = budgets.result(budgets.MEMORY, 1300, 1000, "MB")
    assert memory.cells()[1:] == ("all rows 1,300 MB", "a quarter of them 1,000 MB", "1.30x", "at most 1.25x", "OVER")


def test_a_run_on_record_gives_the_same_table_again() -> None:
    answers = [editor.Answered("examples/x/run_x.sh", "in a function", 4, 0.010, 0.005)]
    corpus = {"name": "Relax", "python": 56, "launchers": 129}
    document = json.loads(
        json.dumps(record.document(found(), {"check": [0.1]}, answers, corpus, {"flake8": "7"}, "wall"))
    )
    assert budgets.table(record.results_in(document)) == budgets.table(found())
    assert document["version"] == __version__
    assert (
        record.editor_table(document).splitlines()[1].split()
        == "examples/x/run_x.sh in a function 4 10 ms 5.0 ms 2.0x".split()
    )
    assert set(document["machine"]) == {"processor", "processors", "memory_gb", "system", "python"}, "and no name"


def test_the_page_shows_every_budget_of_the_run_on_record() -> None:
    recorded = json.loads((ROOT / record.RECORD).read_text(encoding="utf-8"))
    works = {budget.work for budget in (*budgets.BUDGETS, budgets.EDITED)}
    assert works <= {each["work"] for each in recorded["budgets"]}
    page = benchmark_page.page()
    assert all(f"| {work} |" in page for work in works)
    assert "](benchmarks.json)" in page


def test_the_language_server_is_asked_after_each_change(tmp_path: Path) -> None:
    corpus = Path(shutil.copytree(ROOT / "tests/recipes/broken_countdown", tmp_path / "corpus"))
    ((files, typed),) = editor.recipes(corpus)
    assert [path.name for path in typed] == ["run_countdown.sh", "reward_countdown.py"]
    assert corpus / "scripts/models/qwen3-8B.sh" in files, "what a launcher sources is of the recipe"
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    client = editor.Client([sys.executable, "-m", "relax_lint", "lsp"], corpus, environ)
    before = {path: path.read_bytes() for path in typed}
    places = []
    for path in typed:
        text = path.read_text(encoding="utf-8")
        for where, at in editor.spots(path, text):
            places.append(where)
            assert all(seconds > 0 for seconds in editor.answers(client, path, text, at, 2))
    assert places == ["between commands", "in a function", "between functions"]
    client.leave()
    assert {path: path.read_bytes() for path in typed} == before
