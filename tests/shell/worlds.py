"""Scripts in memory, for tests of the evaluator."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from relax_lint.shell.evaluate import Evaluation, Reading, evaluate
from relax_lint.shell.launch import Launch
from relax_lint.sources.script import ScriptFile

ROOT = Path("/repository")


def evaluation(text: str, files: Mapping[str, str] | None = None, **known: object) -> Evaluation:
    """What a script at ``examples/x/run.sh`` of a repository can do."""
    sources = {ROOT / path: ScriptFile(ROOT / path, body.encode()) for path, body in (files or {}).items()}
    script = ScriptFile(ROOT / "examples/x/run.sh", text.encode("utf-8", "surrogateescape"))
    sources[script.path] = script
    return evaluate(script, Reading(root=ROOT, read=sources.get, **known))  # type: ignore[arg-type]


def launches(text: str, files: Mapping[str, str] | None = None, **known: object) -> list[Launch]:
    """Its launches."""
    return evaluation(text, files, **known).launches


def argvs(text: str, files: Mapping[str, str] | None = None, **known: object) -> list[list[str]]:
    """The words behind the program of each launch."""
    return [[word.text for word in launch.argv[1:]] for launch in launches(text, files, **known)]
