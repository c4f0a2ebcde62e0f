"""Rewards that were carried over give the very scores that verl's own code gives."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from relax_lint.migrate.reward.request import Function
from tests.migrate.reward import cases
from tests.migrate.reward.originals import SCORES, original, originals, outcome
from tests.migrate.reward.produced import Workshop, run

_SEED = 64
"""Some scorers print one response in many, and fail on what they print."""
QUICK = ("gsm8k", "math", "dapo", "aime", "geo3k", "search")
_WITH_MATH_VERIFY = """\
from verl.utils.reward_score import math_verify


def compute_score(data_source, solution_str, ground_truth, extra_info=None):
    return math_verify.compute_score(solution_str, ground_truth)
"""
_WITH_TOOLS = """\
from verl.utils.reward_score.rlla import compute_score as scored


def compute_score(data_source, solution_str, ground_truth, extra_info):
    return scored(data_source, solution_str, ground_truth, extra_info)
"""


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    made = Workshop(tmp_path_factory.mktemp("rewards"), originals())
    yield made
    made.close()


def _differing(workshop: Workshop, name: str, given: list[Any], expected: list[Any]) -> list[tuple[Any, Any, Any]]:
    samples = [workshop.sample(response, label, **more) for response, label, more in given]
    random.seed(_SEED)
    scores = run(workshop.reward(name), samples)
    assert len(scores) == len(expected) == len(given)
    return [
        (case, ours, theirs)
        for case, ours, theirs in zip(given, scores, expected, strict=True)
        if repr(ours) != repr(theirs)
    ]


@pytest.mark.parametrize("name", QUICK)
def test_a_scorer_of_verl_gives_the_same_scores(name: str, workshop: Workshop) -> None:
    source, made = cases.SCORERS[name]
    carried = workshop.carry(name, sources=(source,))
    assert not carried.problems
    given = [(response, label, {"data_source": source}) for response, label in made()]
    score = original(SCORES, "default_compute_score")
    random.seed(_SEED)
    expected = [outcome(score, source, response, label) for response, label, _ in given]
    assert len(given) == 1000
    assert len({repr(each) for each in expected}) > 1
    assert _differing(workshop, name, given, expected) == []


def test_a_scorer_with_processes_of_its_own_gives_the_same_scores(workshop: Workshop) -> None:
    source, made = cases.SCORERS["prime_math"]
    carried = workshop.carry("prime_math", sources=(source,))
    assert not carried.problems
    given = [(response, label, {"data_source": source}) for response, label in made()]
    asked = Apart(SCORES, "default_compute_score", [(source, *each[:2]) for each in given])
    expected = asked.scores()
    assert len(given) == 500
    assert len({repr(each) for each in expected}) > 1
    assert _differing(workshop, "prime_math", given, expected) == []


def test_programs_get_the_same_scores(workshop: Workshop) -> None:
    """A process for each program takes its time: most are scored by the function that was carried over itself, with
    as little else as can be, the rest by the whole reward."""
    source, made = cases.SCORERS["prime_code"]
    carried = workshop.carry("prime_code", sources=(source,))
    assert not carried.problems
    given = [(response, label, {"data_source": source}) for response, label in made()]
    pairs = [each[:2] for each in given]
    theirs = Apart(f"{SCORES}.prime_code", "compute_score", pairs, quick=True, continuous=True)
    ours = Apart(
        "examples.prime_code.prime_code", "compute_score", pairs, [str(workshop.root)], quick=True, continuous=True
    )
    expected, scores = theirs.scores(), ours.scores()
    assert len(expected) == len(given)
    assert len({repr(each) for each in expected}) > 2
    assert scores == expected
    few = slice(0, 40)
    samples = [workshop.sample(response, label, **more) for response, label, more in given[few]]
    assert run(workshop.reward("prime_code"), samples) == expected[few]


def test_a_function_around_math_verify_gives_the_same_scores(workshop: Workshop) -> None:
    path = workshop.write("with_math_verify.py", _WITH_MATH_VERIFY)
    carried = workshop.carry("with_math_verify", function=Function(path, "compute_score"))
    assert not carried.problems
    given: list[Any] = [(response, label, {"data_source": "x"}) for response, label in cases.math_verify()]
    expected = Apart(f"{SCORES}.math_verify", "compute_score", [each[:2] for each in given]).scores()
    assert len(given) > 350
    assert len({repr(each) for each in expected}) > 1
    assert _differing(workshop, "with_math_verify", given, expected) == []


def test_a_function_around_calls_of_tools_gives_the_same_scores(workshop: Workshop) -> None:
    path = workshop.write("with_tools.py", _WITH_TOOLS)
    carried = workshop.carry("with_tools", function=Function(path, "compute_score"))
    assert not carried.problems
    given: list[Any] = [(response, label, {"data_source": "x", **more}) for response, label, more in cases.tools()]
    score = original(f"{SCORES}.rlla", "compute_score")
    random.seed(_SEED)
    expected = [outcome(score, "x", *each) for each in given]
    assert len(given) == 1000
    assert len({repr(each) for each in expected}) > 1
    assert _differing(workshop, "with_tools", given, expected) == []


def test_all_sources_of_mixed_data_are_scored_each_its_way(workshop: Workshop) -> None:
    names = ("gsm8k", "math", "search")
    sources = tuple(cases.SCORERS[name][0] for name in names)
    carried = workshop.carry("mixed", sources=sources)
    assert not carried.problems
    given: list[Any] = []
    for name in names:
        source, made = cases.SCORERS[name]
        given += [(response, label, {"data_source": source}) for response, label in list(made())[:333]]
    given.append(("x", "y", {"data_source": "unheard of"}))
    score = original(SCORES, "default_compute_score")
    random.seed(_SEED)
    expected = [outcome(score, more["data_source"], response, label) for response, label, more in given]
    assert len(given) == 1000
    assert expected[-1] == "NotImplementedError"
    assert _differing(workshop, "mixed", given, expected) == []


def test_rewards_are_imported_where_there_is_no_verl(workshop: Workshop) -> None:
    for name, (source, _) in cases.SCORERS.items():
        workshop.carry(f"alone_{name}", sources=(source,))
    workshop.carry("alone_all")
    modules = ", ".join(
        f"examples.{path.parent.name}.{path.stem}" for path in workshop.root.glob("examples/alone_*/[!_]*.py")
    )
    program = f"import sys; sys.modules['verl'] = None; sys.path.insert(0, {str(workshop.root)!r}); import {modules}"
    assert modules.count("reward_alone") == 9
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stderr == ""


class Apart:
    """Scores from a program of its own, which starts at once: its scorers fork, which this one must not."""

    def __init__(
        self,
        module: str,
        function: str,
        given: list[Any],
        path: Sequence[str] = (),
        quick: bool = False,
        **more: object,
    ) -> None:
        asked = {"module": module, "function": function, "given": given, "path": path, "quick": quick, "more": more}
        self.asked = json.dumps(asked)
        script = Path(__file__).with_name("score_apart.py")
        self.pool = ThreadPoolExecutor(1)
        self.done = self.pool.submit(
            subprocess.run,
            [sys.executable, str(script)],
            input=self.asked,
            capture_output=True,
            text=True,
            check=True,
        )

    def scores(self) -> list[Any]:
        """All of them, when they are there."""
        made: list[Any] = json.loads(self.done.result().stdout.splitlines()[-1])
        self.pool.shutdown()
        return made
