"""One run of a scenario in a tree of its own, with something that goes wrong in it, or nothing."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from tools.faults.calls import CHANGING
from tools.faults.scenarios import Scenario
from tools.faults.supervisor import Call, Decide, supervised
from tools.faults.trees import Tree, finished, tree_of

_NOT_AHEAD = ("pyarrow", "numpy", "ray", "pandas")
"""Packages that start threads, which a process that is forked would lack."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run did."""

    status: int
    calls: list[Call]
    said: str
    tree: Tree

    @property
    def was_killed(self) -> bool:
        """Whether it did not come to its end."""
        return self.status < 0


class Trial:
    """A scenario, prepared once: what a run makes of it when all goes well, and with which calls."""

    def __init__(self, scenario: Scenario, work: Path) -> None:
        self.scenario = scenario
        self._work = work
        self._running: set[int] = set()
        self.root = work / "tree"
        self._model = work / "model"
        self._model.mkdir(parents=True)
        scenario.prepare(self._model)
        self._preload()
        self.before = finished(tree_of(self._model))
        self.clean = self.run(let_go)
        self.after = finished(self.clean.tree)
        if not self.touched or "Traceback" in self.clean.said:
            raise RuntimeError(f"{scenario.name} does not write even when all goes well: {self.clean.said}")
        self.again = self.run(let_go, fresh=False)

    @property
    def touched(self) -> list[str]:
        """The files that the command changes, makes or takes away."""
        names = sorted({*self.before, *self.after})
        return [name for name in names if self.before.get(name) != self.after.get(name)]

    def _preload(self) -> None:
        """Import ahead what the command imports, so that a run costs what it does."""
        listed = self._work / "modules"
        self.fresh()
        supervised(lambda: self.program(listed=listed), (), let_go)
        for name in listed.read_text().split():
            if not name.startswith(_NOT_AHEAD):
                with suppress(ImportError):  # made up by its package
                    import_module(name)

    def fresh(self) -> None:
        """Make the tree anew."""
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.copytree(self._model, self.root, symlinks=True)

    def run(self, decide: Decide, *, fresh: bool = True, within: Callable[[], None] | None = None) -> Outcome:
        """Run it, in a new tree or in what the run before has left; ``within`` is done in its process first."""
        if fresh:
            self.fresh()
        ended = supervised(lambda: self.program(within=within), CHANGING, self._in_tree(decide))
        self._come_to_rest()
        calls = [Call(count, *call[1:]) for count, call in enumerate(filter(self._concerns, ended.calls))]
        return Outcome(ended.status, calls, self._said(), tree_of(self.root))

    def _in_tree(self, decide: Decide) -> Decide:
        """Ask about calls that concern the tree only, and count those."""
        count = 0

        def decided(call: Call) -> int | None:
            nonlocal count
            if not self._concerns(call):
                return None
            count += 1
            return decide(Call(count - 1, *call[1:]))

        return decided

    def _concerns(self, call: Call) -> bool:
        root = str(self.root)
        return any(path.startswith(root) or not path.startswith(("/", "pipe:")) for path in call.told)

    def beside(self, words: Sequence[str] | None = None) -> int:
        """Start a run beside that nobody supervises; its process, once it has ended or waits for another run's end."""
        child = os.fork()
        if child == 0:
            status = 70
            try:
                status = self.program(words, output="beside")
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(status)
        self._running.add(child)
        while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None and not _waits(child):
            time.sleep(0.002)
        return child

    def _come_to_rest(self) -> None:
        """Wait for the runs beside: a tree in which one still writes is no state that anything is left in."""
        for child in self._running:
            os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)

    def ended(self, child: int) -> Outcome:
        """How a run beside ended."""
        _, status = os.waitpid(child, 0)
        self._running.remove(child)
        return Outcome(os.waitstatus_to_exitcode(status), [], self._said("beside"), tree_of(self.root))

    def _said(self, output: str = "") -> str:
        return "".join((self._work / f"{output}{name}").read_text(errors="replace") for name in ("out", "err"))

    def program(
        self,
        words: Sequence[str] | None = None,
        *,
        output: str = "",
        listed: Path | None = None,
        within: Callable[[], None] | None = None,
    ) -> int:
        """What the process does; the modules that it imports are listed."""
        known = set(sys.modules)
        for number, name in ((1, "out"), (2, "err")):
            path = self._work / f"{output}{name}"
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666), number)
        os.environ["XDG_CACHE_HOME"] = str(self._work / "cache")
        os.chdir(self.root)
        if within is not None:
            within()
        try:
            return self.command(self.scenario.words if words is None else words)
        finally:
            if listed is not None:
                names = [name for name in sys.modules if name not in known and name.split(".")[0] != "__main__"]
                listed.write_text("\n".join(names))

    def command(self, words: Sequence[str]) -> int:
        """The program itself."""
        main: Callable[[list[str]], int] = import_module("relax_lint.cli").main
        return main(list(words))


def _waits(process: int) -> bool:
    """Whether a process waits for a lock that another has."""
    return any(" -> " in line and f" {process} " in line for line in Path("/proc/locks").read_text().splitlines())


def let_go(call: Call) -> None:
    """Let every call happen."""
