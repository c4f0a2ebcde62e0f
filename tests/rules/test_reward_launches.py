"""The reward rules judge by every launch, however it is spelled or wrapped."""

from __future__ import annotations

from relax_lint.config import Settings
from relax_lint.engine import lint
from relax_lint.project import Project
from relax_lint.rules import load_rules
from relax_lint.selection import Layer
from tests.cases import for_each

RUN = "examples/demo/run_demo.sh"
REWARD = "examples/demo/reward_demo.py"
NAMED = "--custom-rm-path examples.demo.reward_demo.reward_func"
TRAIN = "python3 relax/entrypoints/train.py"


@for_each("whole", [True, False])
@for_each(
    "launch",
    [
        f"python3 -mrelax.entrypoints.train {NAMED}",
        f"nohup python3 -um relax.entrypoints.train {NAMED} &",
        f"RAY_ADDRESS=auto ray job submit -- {TRAIN} {NAMED}",
        f"ray job submit --address=auto {TRAIN} {NAMED}",
        f"echo {NAMED} | xargs {TRAIN}",
        f"xargs {TRAIN} <<< '{NAMED}'",
        f"seq 2 | xargs -I@ {TRAIN} --seed @ {NAMED}",
        f"xargs {TRAIN} {NAMED} < flags.txt",
        f"env -S '{TRAIN} {NAMED}'",
        f"script -qc '{TRAIN} {NAMED}' run.log",
        f"flock lock -c '{TRAIN} {NAMED}'",
        f". /dev/stdin <<'END'\n{TRAIN} {NAMED}\nEND",
    ],
)
def test_a_reward_is_judged_with_the_launch(launch: str, whole: bool) -> None:
    reward = "def reward_func(args, sample):\n    return {'acc': 1.0}\n"
    project = Project.from_files({RUN: f"{launch}\n", REWARD: reward})
    settings = Settings(selection=(Layer(select=("RLX202", "RLX203", "RLX208")),))
    targets = None if whole else [project.root / REWARD]
    report = lint(project, load_rules(), settings, targets)
    assert [found.code for found in report.diagnostics] == ["RLX202", "RLX203", "RLX208"]
