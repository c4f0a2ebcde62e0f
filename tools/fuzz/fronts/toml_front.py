"""Configurations: relax-lint.toml and pyproject.toml."""

from __future__ import annotations

import contextlib
import os
import random
import re
import tempfile
from pathlib import Path

from relax_lint.config import ConfigError, read_settings, refuse_unusable
from relax_lint.project import Project
from relax_lint.report.output import shown_settings
from tools.fuzz.judging import RULES, judge
from tools.fuzz.languages import Language
from tools.fuzz.mutating import LONGEST, damaged, mutated, raw
from tools.fuzz.outcome import Depth, Outcome, Tree

TOML = Language(
    "toml",
    re.compile(r"[ \t]+|[\w-]+|\n|[^\w\s]|\s"),
)
_BESIDE: Tree = {
    "examples/demo/run_demo.sh": b"python3 relax/entrypoints/train.py --lr $X --my-flag 1\n",
    "examples/demo/reward_demo.py": b"def reward_func(args, sample, **kwargs):\n    return 1.0  # noqa: RLX202\n",
}


class SettingsFront:
    """The front end with its seeds."""

    modules = (
        "config.py",
        "globs.py",
        "selection.py",
        "constraints/schema.py",
        "constraints/syntax.py",
        "constraints/team.py",
    )

    def __init__(self) -> None:
        self.seeds = [TOML.tokens(TOML.write(random.Random(number))) for number in range(300)]
        self._directory = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))

    def make(self, chance: random.Random) -> Tree:
        """A configuration."""
        kind = chance.random()
        if kind < 0.04:
            data = raw(chance)
        elif kind < 0.4:
            data = TOML.write(chance)[:LONGEST].encode("utf-8", "surrogateescape")
        elif kind < 0.45:
            data = damaged(chance, "".join(chance.choice(self.seeds)).encode())
        else:
            text = mutated(chance, TOML, chance.choice(self.seeds), chance.choice(self.seeds))
            data = text.encode("utf-8", "surrogateescape")
        return {chance.choice(("relax-lint.toml", "pyproject.toml")): data}

    def judge(self, tree: Tree, depth: Depth) -> Outcome:
        """Have it read and, where it can be used, a recipe judged by it."""
        ((name, data),) = tree.items()
        directory = self._directory / str(os.getpid())
        directory.mkdir(exist_ok=True)
        path = directory / name
        path.write_bytes(data)
        try:
            settings = read_settings(path)
            refuse_unusable(settings, settings.selection, lambda: RULES)
            shown_settings(settings)
        except ConfigError as problem:
            said = re.sub(r"\d+|'[^']*'|\"[^\"]*\"", "", str(problem).replace(str(path), ""))[:80]
            return Outcome(f"told: {said}", parses=False)
        finally:
            with contextlib.suppress(OSError):
                path.unlink()
        outcome = Outcome(shown_settings(settings)[:200])
        if depth is not Depth.READ:
            project = Project.from_files(_BESIDE, settings)
            if settings.constraint:
                from relax_lint.constraints.team import refuse_unknown_names

                try:
                    refuse_unknown_names(project)
                except ConfigError:
                    return Outcome("told: an unknown name", parses=False)
            judge(project, _BESIDE, outcome, Depth.JUDGE, settings)
        return outcome


def make() -> SettingsFront:
    """The front end with its seeds."""
    return SettingsFront()
