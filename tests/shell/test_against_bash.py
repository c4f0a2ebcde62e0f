"""The property that the evaluator stands on: what it says a script launches is what real bash launches, word for word.

``RELAX_LINT_PROPERTY_EXAMPLES`` sets how many scripts are tried.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from relax_lint.shell.bounds import MAXIMUM_WORDS
from relax_lint.shell.evaluate import Reading, evaluate
from tests.shell import batch
from tests.shell.generator.script import CONSTRUCTS, GeneratedScript, generate
from tools.bash_oracle import RECORDED, Oracle
from tools.corpus_check import differing_word, launch_pattern

EXAMPLES = int(os.environ.get("RELAX_LINT_PROPERTY_EXAMPLES", "250"))
"""The first of them hold every construct."""
BATCH = 250
FEWEST = 250


def disagreement(script: GeneratedScript, here: Path, programs: Path, real: tuple[tuple[str, ...], ...]) -> str | None:
    """How bash and the evaluator differ over a script."""
    reading = Reading(
        clean=True,
        env=batch.environment(script, programs),
        args=script.arguments,
        cwd=here / "cwd",
        root=here,
        name="../run.sh",
    )
    evaluation = evaluate(here / "run.sh", reading)
    if evaluation.too_complex is not None:
        return None if any(len(argv) > MAXIMUM_WORDS for argv in real) else "more than the bounds"
    if any("\x01" in word for argv in real for word in argv) and "\x01" not in script.text:
        return None  # bash's own slip: under an empty IFS it lets the marks escape that it keeps for quoted characters
    predicted = [launch for launch in evaluation.launches if launch.argv and launch.argv[0].text in RECORDED]
    patterns = [launch_pattern(launch.argv) for launch in predicted]
    made = {"".join("\0" + word for word in argv): argv for argv in real}
    for spelled, argv in made.items():
        if not any(pattern.fullmatch(spelled) for pattern in patterns):
            candidates = [[word.text for word in launch.argv] for launch in predicted]
            return f"{argv} is missing; {differing_word(argv, candidates)}"
    for launch, pattern in zip(predicted, patterns, strict=True):
        if not launch.conditions and not any(pattern.fullmatch(spelled) for spelled in made):
            return f"{tuple(word.text for word in launch.argv)} is extra"
    return None


@pytest.mark.parametrize("number", range(-(-EXAMPLES // BATCH)))
def test_property_launches_are_those_of_bash(number: int, tmp_path: Path) -> None:
    scripts = [generate(seed) for seed in range(number * BATCH, (number + 1) * BATCH)]
    places = [batch.place(script, tmp_path) for script in scripts]
    with Oracle() as oracle:
        launches = batch.launches(scripts, tmp_path, oracle.programs)
        different = {
            script.seed: reason
            for script, here, real in zip(scripts, places, launches, strict=True)
            if (reason := disagreement(script, here, oracle.programs, real)) is not None
        }
    assert not different


def test_property_scripts_hold_every_construct() -> None:
    used: Counter[str] = Counter()
    for seed in range(FEWEST):
        used += generate(seed).used
    assert not CONSTRUCTS - used.keys()
