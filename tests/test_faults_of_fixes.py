"""Whatever goes wrong while files are written, each is old or new and whole, and the next run completes what was begun.

A share of what `make faults` tries: real runs, stopped in front of the system calls by which they change files.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

SHARES = {
    "several files": ("kill", "disk full", "another writes by renaming", "the same beside"),
    "one file": ("kill, no exchange", "interrupt", "file protected", "directory protected", "files limited"),
    "migrate --force": ("kill",),
    "recipe of verl": ("kill", "full from here on"),
}
"""The faults of each scenario, tried in one place each; CI tries every fault in two."""

CARELESS = """
import sys, tempfile
from pathlib import Path
from tools.faults.kinds import KINDS
from tools.faults.scenarios import Scenario
from tools.faults.table import table
from tools.faults.trial import Trial

class Careless(Trial):
    def command(self, words):
        with (self.root / "x.py").open("w") as stream:
            stream.write("new = 1\\n")
            stream.flush()
            stream.write("new = 2\\n")
        return 0

with tempfile.TemporaryDirectory() as work:
    scenario = Scenario("careless", (), lambda root: (root / "x.py").write_text("old\\n") and None)
    print(table([KINDS[kind](Careless(scenario, Path(work, kind)), None) for kind in sys.argv[1:]]))
"""

ORDER = """
import json, tempfile
from pathlib import Path
from tools.faults.scenarios import SCENARIOS
from tools.faults.trial import Trial

with tempfile.TemporaryDirectory() as work:
    trial = Trial(SCENARIOS["several files"], Path(work).resolve())
    told = [(call.name, [path.replace(str(trial.root), ".") for path in call.told]) for call in trial.clean.calls]
    print(json.dumps(told))
"""

BESIDE = """
import fcntl, os, sys, tempfile, time
from pathlib import Path
from tools.faults.scenarios import Scenario
from tools.faults.trial import Trial

class Queue(Trial):
    def command(self, words):
        with (self.root / "lock").open("r+") as lock:
            fcntl.lockf(lock, fcntl.LOCK_EX)
            number = len(list(self.root.iterdir()))
            for _ in range(100):
                (self.root / f".{number}.part").write_text("half")
                time.sleep(0.002)
                (self.root / f".{number}.part").replace(self.root / f"written {number}")
        return 0

with tempfile.TemporaryDirectory() as work:
    scenario = Scenario("queue", (), lambda root: (root / "lock").write_text("") and None)
    trial = Queue(scenario, Path(work))
    beside = []
    first = trial.run(lambda call: beside.append(trial.beside()) if call.number == 1 else None)
    print(sorted(first.tree), first.tree == trial.ended(*beside).tree)
"""

CACHE = """
import json, os, shutil, sys, tempfile
from pathlib import Path
from relax_lint.cli import main
from tools.faults.calls import CHANGING
from tools.faults.scenarios import SCENARIOS
from tools.faults.supervisor import KILL, supervised

with tempfile.TemporaryDirectory() as work:
    tree, cache, output = (Path(work).resolve() / name for name in ("tree", "cache", "out"))
    tree.mkdir()
    SCENARIOS["several files"].prepare(tree)
    os.environ["XDG_CACHE_HOME"] = str(cache)

    def run(*words, kill=None):
        def program():
            os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
            os.chdir(tree)
            return main(list(words))

        count = -1

        def decide(call):
            nonlocal count
            count += any(path.startswith(str(cache)) for path in call.told)
            return KILL if count == kill else None

        return supervised(program, CHANGING, decide).status, output.read_text(), count + 1

    *wanted, _ = run("check", "--no-cache", ".")
    told = {"kept": 0, "cleared": 0, "wrong": []}
    for kill in range(run("check", ".")[2]):
        shutil.rmtree(cache)
        assert run("check", ".", kill=kill)[0] == -9
        told["kept"] += 1
        told["wrong"] += [kill] * (list(run("check", ".")[:2]) != wanted)
    shutil.rmtree(cache)
    run("check", ".")
    for kill in range(run("check", "--clear-cache")[2]):
        run("check", ".")
        assert run("check", "--clear-cache", kill=kill)[0] == -9
        told["cleared"] += 1
        told["wrong"] += [kill] * (list(run("check", ".")[:2]) != wanted)
        run("check", "--clear-cache")
        told["wrong"] += [str(path) for path in cache.rglob("*") if path.is_file()]
    print(json.dumps(told))
"""


def run(*words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, env=environment, cwd=ROOT)


@pytest.mark.parametrize("scenario", SHARES)
def test_every_file_is_old_or_new_and_the_next_run_completes_it(scenario: str) -> None:
    kinds = SHARES[scenario]
    faults = [word for kind in kinds for word in ("--fault", kind)]
    done = run("tools/fault_fixes.py", "--at-most", "1", "--scenario", scenario, *faults)
    assert done.returncode == 0, done.stdout + done.stderr
    found = re.search(r"^(\d+) runs under fault, 0 wrong$", done.stdout, re.MULTILINE)
    assert found is not None
    assert int(found[1]) >= len(kinds), "something was tried"


def test_a_program_that_writes_carelessly_is_found_out() -> None:
    done = run("-c", CARELESS, "kill", "another writes in place")
    assert "x.py is neither old nor new: 0 bytes" in done.stdout, done.stdout + done.stderr
    assert "what another program wrote into x.py is lost" in done.stdout, done.stdout


def test_the_tree_that_a_run_left_is_looked_at_when_the_run_beside_has_ended_too() -> None:
    done = run("-c", BESIDE)
    assert done.stdout == "['lock', 'written 1', 'written 2'] True\n", done.stdout + done.stderr


def test_what_is_named_is_on_the_disk_before_and_the_names_are_behind() -> None:
    """What a loss of power leaves: the contents before the journal, the journal before the names, the names before it
    goes."""
    done = run("-c", ORDER)
    assert done.returncode == 0, done.stderr
    calls = [(name, told) for name, told in json.loads(done.stdout) if name != "write"]
    names = [place for place, (name, _) in enumerate(calls) if name == "renameat2"]
    synced = {told[0]: place for place, (name, told) in reversed(list(enumerate(calls))) if name == "fsync"}
    (journal,) = [place for place, (name, told) in enumerate(calls) if name == "rename" and "journal" in told[1]]
    (gone,) = [place for place, (name, told) in enumerate(calls) if name == "unlink" and "journal" in told[0]]
    for place in names:
        beside, target = calls[place][1]
        assert synced[beside] < journal < place
        directory = str(Path(target).parent)
        behind = [at for at, (name, told) in enumerate(calls) if name == "fsync" and Path(told[0]) == Path(directory)]
        assert any(place < at < gone for at in behind), f"{directory} is not synchronised"
    assert calls[journal + 1] == ("fsync", ["."]), "the journal's own name"


def test_a_run_that_is_killed_while_it_remembers_or_forgets_spoils_nothing() -> None:
    done = run("-c", CACHE)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["wrong"] == []
    assert told["kept"] > 2
    assert told["cleared"] > 2
