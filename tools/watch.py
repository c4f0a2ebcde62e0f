"""What a run of relax-lint asks of the system: which programs it starts, sockets it opens, and files it changes.

    python tools/watch.py check --fix examples           as JSON, on standard output
    python tools/watch.py --program flake8 examples      another program that is started like a module

The run is a real one. The kernel tells of each such call before it happens, those of child processes included.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tools.faults.calls import CALLS, CHANGING, PASSING_BY, SPEAKING, STARTING
from tools.faults.supervisor import supervised


def main(words: list[str]) -> int:
    """Run it, and print what it asked for."""
    program = "relax_lint"
    if words[:1] == ["--program"]:
        _, program, *words = words
    with tempfile.TemporaryDirectory() as scratch:
        outputs = [Path(scratch, name) for name in ("out", "err")]

        def run() -> int:
            for number, path in enumerate(outputs, start=1):
                os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
            sys.argv = [program, *words]
            runpy.run_module(program, run_name="__main__", alter_sys=True)
            return 0

        ended = supervised(run, CALLS, lambda call: None)
        out, err = (path.read_text(errors="replace") for path in outputs)
        ours = {str(path) for path in outputs}
        changed = {path for call in ended.calls if call.name in CHANGING for path in call.told} - ours
        told = {
            "status": ended.status,
            "started": [call.told[-1] for call in ended.calls if call.name in STARTING],
            "spoke": [call.name for call in ended.calls if call.name in SPEAKING],
            "passed_by": [call.name for call in ended.calls if call.name in PASSING_BY],
            "changed": sorted(path for path in changed if not path.startswith("pipe:")),
            "out": out,
            "err": err,
        }
    print(json.dumps(told, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
