"""Whole small scripts, in real bash and in the evaluator: the first argument of every ``python3`` that each reaches."""

from __future__ import annotations

import subprocess
from pathlib import Path

from relax_lint.shell.evaluate import Reading, evaluate
from relax_lint.sources.script import ScriptFile

PROLOGUE = """python3() { printf '%s\\0' "$1"; }\n"""


def printed(text: str) -> list[str]:
    """What real bash would launch: a script of its own each, since a line that is given up ends an ``eval``."""
    done = subprocess.run(["bash", "--norc"], input=PROLOGUE + text, capture_output=True, text=True, check=False)
    return done.stdout.split("\0")[:-1]


def launched(text: str) -> list[str]:
    script = ScriptFile(Path("/here/run.sh"), text.encode())
    evaluation = evaluate(script, Reading(clean=True, cwd=Path("/here"), root=Path("/here")))
    return [launch.argv[1].text for launch in evaluation.launches]
