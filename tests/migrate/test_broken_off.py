"""What stands behind a broken continuation of a verl launch is named, whatever broke it."""

from __future__ import annotations

from relax_lint.migrate.broken_off import broken_off
from relax_lint.project import Project
from tests.cases import for_each

HEAD = "python3 -m verl.trainer.main_ppo \\\n    a.b=1"
REST = "    data.c=2 \\\n    trainer.d=3\n"


def told(script: str) -> list[tuple[int, str]]:
    project = Project.from_files({"run.sh": script.encode()})
    launcher = project.launcher(project.root / "run.sh")
    assert launcher is not None
    (launch, *_) = (launch for launch in launcher.launches if launch.kind == "verl")
    return [(each.line, each.message.partition(": ")[0]) for each in broken_off(launch)]


@for_each(
    ("script", "line"),
    [
        (f"{HEAD} \\ \n{REST}", 2),
        (f"{HEAD} \\\t\n{REST}", 2),
        (f"{HEAD} \\\r\n{REST}", 2),
        (f"{HEAD}\n{REST}", 2),
        (f"{HEAD} \\\n\n{REST}", 3),
        (f"{HEAD} \\\n    # a comment\n{REST}", 3),
        (f"{HEAD} \\\n    # a comment \\\n{REST}", 3),
        (f"{HEAD}  # a comment\n{REST}", 2),
        (f"set -x\nif true; then\n{HEAD} \\ \n{REST}fi\n", 4),
    ],
)
def test_what_is_cut_off_is_named_with_its_line(script: str, line: int) -> None:
    assert told(script) == [(line, "data.c=2, trainer.d=3")]


@for_each(
    "script",
    [
        f"{HEAD} \\\n{REST}",
        f"{HEAD} \\\n{REST}\necho done \\ \n",
        f"{HEAD} \\\n{REST}\necho a \\\r\n    b\n",
        f"echo a \\\r\n    b\n{HEAD} \\\n{REST}",
        f"{HEAD} \\ \n",
        f"{HEAD} \\ \n\nmkdir -p logs\n",
    ],
)
def test_a_command_that_is_whole_loses_nothing(script: str) -> None:
    assert told(script) == []
