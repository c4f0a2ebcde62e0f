"""Front ends whose input is a data file: read as `data check` reads it, and judged as a launch reads it."""

from __future__ import annotations

import random
from collections.abc import Sequence

from relax_lint.data_check import Examined
from relax_lint.engine import Report
from relax_lint.project import MEMORY_ROOT, Project
from relax_lint.report import Outcome as Shown
from relax_lint.report import data_json, data_text
from relax_lint.report.progress import Progress
from tools.fuzz.judging import SETTINGS, judge
from tools.fuzz.outcome import Depth, Outcome, Tree, Trouble

_LAUNCHER = "examples/demo/run_demo.sh"
_FLAGS = (
    "",
    "--apply-chat-template",
    "--input-key prompt --label-key label",
    "--metadata-key extra_info",
    '--multimodal-keys \'{"image": "images"}\'',
    "--input-key text",
    "--rollout-max-prompt-len 16",
    "--custom-rm-path examples.demo.reward_demo.reward_func",
    "--label-key a.b",
    "--use-streaming-dataset",
    "--tool-key tools",
    "--rm-type deepscaler",
)


class DataFront:
    """One format. ``name`` is what the file is called."""

    name: str
    modules: tuple[str, ...]

    def data(self, chance: random.Random) -> bytes:
        """A file."""
        raise NotImplementedError

    def make(self, chance: random.Random) -> Tree:
        """A file and a launcher that trains on it."""
        flags = " ".join(chance.sample(_FLAGS, 3))
        rows = chance.choice(("", "", "", "@[0:1]", "@[1:]", "@[-1:]"))
        launcher = f"python3 relax/entrypoints/train.py --prompt-data {MEMORY_ROOT}/{self.name}{rows} {flags}\n"
        return {self.name: self.data(chance), _LAUNCHER: launcher.encode()}

    def judge(self, tree: Tree, depth: Depth) -> Outcome:
        """Have the file read and, as deep as that is wanted, the launch judged that trains on it."""
        project = Project.from_files(tree, SETTINGS)
        one = Examined(f"{MEMORY_ROOT}/{self.name}", project, MEMORY_ROOT)
        with Progress() as progress:
            one.read(progress)
        columns = sorted(one.profile.columns)
        told = "told: " if one.problems else ""
        outcome = Outcome(
            f"{told}{[problem.partition(':')[2][:60] for problem in one.problems]} {columns} {min(one.profile.rows, 6)}"
        )
        outcome.parses = not one.problems
        outcome.troubles += _untold([one])
        if depth is not Depth.READ:
            judge(project, tree, outcome, depth)
            outcome.signature = f"{told}{outcome.signature} {bool(one.problems)}"
        return outcome


def _untold(examined: Sequence[Examined]) -> list[Trouble]:
    """What cannot be told in a format."""
    import json

    shown = Shown(Report(), lambda path, offset: offset, judged_by={}, quiet=True)
    text = data_text.render(list(examined), shown, judged=False) + data_json.render(list(examined), shown)
    text.encode("utf-8", "surrogateescape")
    json.loads(data_json.render(list(examined), shown))
    return []
