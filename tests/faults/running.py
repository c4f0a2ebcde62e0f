"""Runs the tool on a tree as a user does, and reads what it says."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from relax_lint.cli import main
from tests.faults.trees import Fault, Tree, put


@dataclass(frozen=True, order=True)
class Said:
    """One finding."""

    code: str
    severity: str
    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.code} {self.message} ({self.severity})"


class Workspace:
    """A directory that becomes one tree after the other: only what differs is written."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.held: dict[str, str | bytes] = {}

    def become(self, tree: Mapping[str, str | bytes]) -> Path:
        """Hold this tree and nothing else."""
        for path in self.held.keys() - tree.keys():
            gone = self.root / path
            gone.unlink()
            while not any(gone.parent.iterdir()):
                gone = gone.parent
                gone.rmdir()
        put({path: held for path, held in tree.items() if self.held.get(path) != held}, self.root)
        self.held = dict(tree)
        return self.root


def check(tree: Mapping[str, str | bytes], root: Path, options: tuple[str, ...] = ()) -> list[Said]:
    """What the tool finds in a tree."""
    put(tree, root)
    return findings(root, options)


def findings(root: Path, options: tuple[str, ...] = ()) -> list[Said]:
    """What the tool finds below a directory. Nothing is written: no tree is met again, and a disk takes its time."""
    printed = io.BytesIO()
    before = Path.cwd()
    os.chdir(root)
    try:
        paths = ["examples", *(["scripts/training"] if (root / "scripts/training").is_dir() else [])]
        common = ["--format", "json", "--no-cache", "-j", "1", "--isolated", "--exit-zero"]
        with redirect_stdout(io.TextIOWrapper(printed, encoding="utf-8", write_through=True)) as stream:
            status = main(["check", *common, "--env", f"DATA_DIR={root}/data", *options, *paths])
            stream.flush()
    finally:
        os.chdir(before)
    if status != 0:
        raise RuntimeError(f"exit status {status}")
    found = json.loads(printed.getvalue())["diagnostics"]
    return [Said(one["code"], one["severity"], one["path"], one["line"], one["message"]) for one in found]


def is_grave(said: Said) -> bool:
    """Whether it makes the exit status 1."""
    return said.severity in ("error", "warning")


def wrong_with(fault: Fault, tree: Tree, said: list[Said]) -> list[str]:
    """What the tool should have said of a fault and did not, and what it said besides."""
    places = fault.places(tree)
    hits = [one for one in said if one.code == fault.code and (one.path, one.line) in places]
    wanted = ", ".join(f"{path}:{line}" for path, line in sorted(places)[:4])
    right = any(one.severity in fault.severity.split("|") for one in hits)
    wrong = [] if right else [f"not said: {fault.code} ({fault.severity}) at {wanted}"]
    wrong += [f"not said: {code}" for code in fault.also if not any(one.code == code for one in said)]
    let = {*fault.also, *fault.may}
    wrong += [f"said besides: {one}" for one in said if is_grave(one) and one not in hits and one.code not in let]
    return wrong
