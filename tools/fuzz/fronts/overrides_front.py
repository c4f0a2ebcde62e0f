"""What verl launches tell Hydra, as migrating reads it: launchers whose words are overrides."""

from __future__ import annotations

import random
import re

from relax_lint.migrate.overrides import read_command
from relax_lint.migrate.plan import Refusal
from relax_lint.project import MEMORY_ROOT, Project
from tools.fuzz.judging import SETTINGS, judge
from tools.fuzz.languages import Language
from tools.fuzz.mutating import mutated
from tools.fuzz.outcome import Depth, Outcome, Tree

OVERRIDES = Language(
    "overrides",
    re.compile(r"[ \t]+|\w+|[^\w\s]|\s"),
)


class OverridesFront:
    """The front end with its seeds."""

    modules = ("migrate/overrides.py",)

    def __init__(self) -> None:
        self.seeds = [OVERRIDES.tokens(OVERRIDES.write(random.Random(number))) for number in range(300)]

    def make(self, chance: random.Random) -> Tree:
        """A launcher of verl."""
        text = OVERRIDES.write(chance)[:600]
        if chance.random() < 0.7:
            text = mutated(chance, OVERRIDES, chance.choice(self.seeds)[:200], chance.choice(self.seeds))[:1500]
        script = f"python3 -m verl.trainer.main_ppo {text} trainer.total_epochs=1\n"
        return {"examples/demo/run_demo.sh": script.encode("utf-8", "surrogateescape")}

    def judge(self, tree: Tree, depth: Depth) -> Outcome:
        """Have the overrides read."""
        project = Project.from_files(tree, SETTINGS)
        source = project.launcher(MEMORY_ROOT / "examples/demo/run_demo.sh")
        assert source is not None
        said = "told: cannot " if source.script.problems else ""
        for launch in source.launches:
            if launch.kind != "verl":
                continue
            try:
                command = read_command(launch)
                kinds = sorted(
                    {
                        f"{given.override.type} {given.override.value_type} {bool(given.problem)}"
                        for given in command.overrides
                    }
                )
                said += f"{len(command.overrides)} {kinds} {command.config_name is not None}"
            except Refusal as refusal:
                said += f"told: {re.sub(r'[0-9]+', '', refusal.reason)[:40]}"
        outcome = Outcome(said, parses=not source.script.problems)
        if depth is not Depth.READ:
            judge(project, tree, outcome, depth)
        return outcome


def make() -> OverridesFront:
    """The front end with its seeds."""
    return OverridesFront()
