"""The fuzzer itself, on a few inputs of each front end; thousands are tried after the tests."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tools.fuzz.figures import Figures
from tools.fuzz.fronts import NAMES, Front, load
from tools.fuzz.outcome import Depth, Outcome, Tree, Trouble
from tools.fuzz.running import Task, run, run_here
from tools.fuzz.watching import made, prepare, watched


@pytest.mark.parametrize("name", NAMES)
def test_nothing_comes_of_a_few_inputs(name: str) -> None:
    prepare()
    figures = run_here(Task(load(name), name, 0, 4), range(24))
    assert figures.inputs == 24
    assert dict(figures.troubles) == {}
    assert len(figures.signatures) > 5


def test_an_input_is_always_the_same() -> None:
    front = load("bash")
    assert [made(front, "bash", 7, index) for index in range(20)] == [
        made(front, "bash", 7, index) for index in range(20)
    ]
    assert made(front, "bash", 7, 1) != made(front, "bash", 8, 1)


class Faulty:
    """A front end of which each third input ends its process, hangs, or raises."""

    modules: tuple[str, ...] = ()

    def make(self, chance: random.Random) -> Tree:
        return {"a": chance.randbytes(4)}

    def judge(self, tree: Tree, depth: Depth) -> Outcome:
        import faulthandler
        import os
        import signal

        faulthandler.disable()  # pytest's would print where each of them ends
        kind = tree["a"][0] % 9
        if kind == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        if kind == 1:
            while True:
                pass
        if kind == 2:
            raise KeyError("a")
        return Outcome("good", [Trouble("wrong", "this")] if kind == 3 else [])


def test_what_must_not_be_is_told_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.fuzz.watching.SECONDS", 0.02)
    front: Front = Faulty()
    figures: Figures = run(Task(front, "faulty", 0, 1), range(60), 2)
    kinds = [made(front, "faulty", 0, index)["a"][0] % 9 for index in range(60)]
    assert figures.inputs == 60
    told = {kind: times for (kind, _), times in figures.troubles.items()}
    wanted = {"a process dies": 0, "takes too long": 1, "raises": 2, "wrong": 3}
    assert told == {kind: kinds.count(number) for kind, number in wanted.items()}


def test_what_a_clause_takes_in_is_seen(tmp_path: Path) -> None:
    import subprocess
    import sys

    program = (
        "from tools.fuzz import handlers\nhandlers.install()\n"
        "from relax_lint.constraints import derived\nfrom relax_lint.globs import Patterns\n"
        "import relax_lint.scope as scope\n"
        "class Rule:\n    code = 'X'\n    def check(self, *_):\n        return [][1]\n"
        "class Scope(scope.Scope):\n    def __init__(self):\n        self._targets, self.project = set(), None\n"
        "Scope()._finds(Rule(), None)\n"
        "print([one.clause for one in handlers.take()])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['scope.py:_finds']"


def test_one_input_can_be_looked_at_again() -> None:
    front = load("yaml")
    prepare()
    outcome, seconds = watched(front, {"examples/demo/a.yaml": b"a: 1\n"}, Depth.CLOSELY)
    assert outcome.troubles == []
    assert seconds > 0
