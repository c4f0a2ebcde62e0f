"""The command lines that the launchers of a Relax checkout run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tools.bash_oracle import Oracle
from tools.corpus_check import ask_until_content, launchers, runs_of
from tools.validator.requests import Request

FOLDERS = ("examples", "scripts")
_ENTRIES = ("relax/entrypoints/train.py", "relax.entrypoints.train")


def launches_of(root: Path) -> list[Request]:
    """What real bash launches when it runs the launchers of a checkout, in a sandbox without network."""
    runs = [run for folder in FOLDERS for script in launchers(root / folder, "*.sh") for run in runs_of(script, root)]
    with Oracle() as oracle:
        answers = oracle.each(lambda run: ask_until_content(oracle, run), runs)
        return [
            launch
            for run, outcome in answers
            for launch in _requests(str(run.script.relative_to(root)), run.arguments, outcome.launches)
        ]


def recorded(path: Path) -> list[Request]:
    """The launches of a recording: a JSON list of objects with ``script``, ``args`` and ``launches``."""
    return [
        launch
        for run in json.loads(path.read_text(encoding="utf-8"))
        for launch in _requests(run["script"], run["args"], run["launches"])
    ]


def _requests(script: str, arguments: Iterable[str], launches: Iterable[Sequence[str]]) -> Iterator[Request]:
    """The launches of a run that start Relax."""
    name = " ".join([script, *arguments])
    for words in launches:
        behind = next((at for at, word in enumerate(words, 1) if word.endswith(_ENTRIES)), None)
        if behind is not None:
            yield Request(name, "launch", tuple(words[behind:]))
