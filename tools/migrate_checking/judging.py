"""Migrate one launcher and look at all that comes of it."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from relax_lint.cli import main as relax_lint
from relax_lint.discovery import root_of
from relax_lint.files import Files
from relax_lint.shell.launch import Launch
from relax_lint.unwritten import UNWRITTEN
from tools.bash_oracle import Oracle
from tools.migrate_checking.composing import NotComposed, agrees, composed
from tools.migrate_checking.results import Result
from tools.migrate_checking.running import run_all, run_by_itself
from tools.migrate_checking.trees import Trees

_SHOWN = 4


class Judge:
    """Migrates launchers of ``root`` into trees of a Relax checkout; ``verl`` is a checkout that holds verl itself."""

    def __init__(self, root: Path, verl: Path, trees: Trees, oracle: Oracle) -> None:
        self.root, self.verl, self.trees, self.oracle = root, verl, trees, oracle

    def judge(self, script: Path, launches: Sequence[Launch], name: str) -> Result:
        """Migrate a launcher, and judge the result."""
        result = Result(str(script.relative_to(self.root)), name)
        tree = self.trees.new(name)
        told = self._migrate(script, tree, result)
        written = self.trees.written(tree)
        if result.end != "migrated" or told is None:
            if written:
                result.fail("migrate", f"nothing was migrated, but {written[0]} written")
            return result
        for path in written:
            if path.suffix == ".sh":
                self._syntax(tree / path, result)
        for path in written:
            if path.suffix == ".sh" and path.parts[0] == "examples":
                run_all(tree / path, tree, self.oracle, result)
                run_by_itself(tree / path, tree, self.oracle, result)
        self._modes(told, result)
        self._lint(tree, written, result)
        self._settings(told, tree / "examples" / name, result)
        self._compare_with_hydra(told, script, launches, result)
        return result

    def _migrate(self, script: Path, tree: Path, result: Result) -> Any:
        words = ["migrate", str(script), "--name", result.name, "--format", "json"]
        words += ["--relax-root", str(tree), "--verl-root", str(self.verl)]
        try:
            status, out, err = _run(words, tree)
        except Exception:
            result.reason = traceback.format_exc().splitlines()[-1]
            return None
        try:
            # From there the original would be run.
            told = json.loads(out.replace("${PWD}", str(root_of(script.parent, Files()) or script.parent)))
        except ValueError:
            result.reason = err.strip()
            if status == 1:
                result.end = "refused"
            return None
        result.reason = "; ".join(dict.fromkeys(refused["reason"] for refused in told["refused"]))
        result.end = "migrated" if told["launches"] else "refused"
        result.settings = sum(len(launch["settings"]) for launch in told["launches"])
        if (status == 0) != (not told["refused"] and not told["problems"]):
            result.fail(
                "migrate",
                f"{len(told['refused'])} refused, {len(told['problems'])} problems, but the status is {status}",
            )
        return told

    def _syntax(self, script: Path, result: Result) -> None:
        done = subprocess.run(["/bin/bash", "-n", str(script)], capture_output=True, text=True, check=False)
        if done.returncode or done.stderr:
            result.fail("syntax", done.stderr.strip()[:300])

    def _modes(self, told: Any, result: Result) -> None:
        """What a launcher refuses must be what was said, and the other way round."""
        said = {one["mode"]: one["reason"] for launch in told["launches"] for one in launch["refused_modes"]}
        for mode, words in result.refused.items():
            if mode.replace("default", "sync") not in said:
                result.fail("bash", f"{mode} does not launch, which nothing says: {words}")
        for mode, reason in said.items():
            if all(launch["refused_modes"] for launch in told["launches"]) and mode not in result.refused:
                result.fail("bash", f"{mode} is said to be refused, but launches: {reason}")

    def _lint(self, tree: Path, written: Sequence[Path], result: Result) -> None:
        """Findings in files of Relax itself are not of the migration, and the page tells which rewards are to write."""
        models = [str(path) for path in written if path.suffix == ".sh" and path.parts[0] != "examples"]
        words = ["check", f"examples/{result.name}", *models, "--isolated", "--no-cache", "-j", "1"]
        _, out, err = _run([*words, "--format", "json"], tree)
        try:
            found = json.loads(out)["diagnostics"]
        except ValueError:
            result.fail("lint", f"no JSON: {err.strip()[:300]}")
            return
        for each in found:
            counts = each["severity"] != "advice" and not each["suppressed"] and Path(each["path"]) in written
            if counts and UNWRITTEN not in each["message"]:
                result.fail("lint", f"{each['code']} {each['path']}:{each['line']}: {each['message']}")

    def _settings(self, told: Any, folder: Path, result: Result) -> None:
        """Every setting must be on the page."""
        page = folder / "MIGRATION.md"
        if not page.is_file():
            result.fail("settings", "there is no MIGRATION.md")
            return
        named = set(re.findall(r"`([^`]+)`", page.read_text(encoding="utf-8")))
        for launch in told["launches"]:
            keys = [setting["key"] for setting in launch["settings"]]
            for missing in sorted(set(keys) - named)[:_SHOWN]:
                result.fail("settings", f"{missing} is not in MIGRATION.md")
            if len(set(keys)) < len(keys):
                result.fail("settings", "a setting has two fates")

    def _compare_with_hydra(self, told: Any, script: Path, launches: Sequence[Launch], result: Result) -> None:
        """The settings must be those that Hydra composes, by key and value."""
        originals = {_identity(launch): launch for launch in launches}
        for launch in told["launches"]:
            ours = {setting["key"]: setting for setting in launch["settings"]}
            at = originals.get((launch["line"], tuple(launch["conditions"])))
            if at is None:
                result.fail("hydra", f"there is no launch at line {launch['line']} of {script.name}")
                continue
            try:
                real = composed(at, self.root, self.verl)
            except NotComposed:
                continue
            for key in sorted(real.keys() ^ ours.keys())[:_SHOWN]:
                result.fail("hydra", f"{key} is {'no' if key in real else 'a'} setting, Hydra says otherwise")
            differing = [key for key in real if key in ours and not agrees(real[key], ours[key]["value"])]
            for key in differing[:_SHOWN]:
                result.fail("hydra", f"{key} is {ours[key]['value']!r}, by Hydra {real[key]!r}")


def _identity(launch: Launch) -> tuple[int, tuple[str, ...]]:
    """The line of a launch, and the way to it."""
    return launch.site.source.position(launch.site.start)[0], launch.conditions


def _run(words: Sequence[str], folder: Path) -> tuple[int, str, str]:
    """A run of relax-lint in this process."""
    out, err, before = _Text(), _Text(), Path.cwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = relax_lint(words)
    except SystemExit as left:
        status = left.code if isinstance(left.code, int) else 2
    finally:
        os.chdir(before)
    return status, out.getvalue(), err.getvalue()


class _Text(io.StringIO):
    """Takes what is written; the program sets up its streams first."""

    def reconfigure(self, **_: object) -> None:
        """There is no encoding."""
