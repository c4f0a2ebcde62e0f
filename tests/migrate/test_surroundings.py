"""What a verl script does besides launching."""

from __future__ import annotations

from relax_lint.migrate.exported import Left
from relax_lint.migrate.surroundings import needed_statements, surroundings, variables_in
from relax_lint.migrate.withheld import Secrets
from relax_lint.project import Project
from relax_lint.sources.launcher import LauncherSource
from tests.migrate.plans import VERL

TRAIN = "python3 -m verl.trainer.main_ppo a.b=1\n"


def script_of(text: str) -> LauncherSource:
    source = Project.from_files({"examples/math/train.sh": text}).launcher(VERL)
    assert source is not None
    return source


def around(text: str) -> list[Left]:
    source = script_of(text)
    return surroundings(source, source.launches, Secrets.of(source))


def test_commands_are_named_with_their_lines() -> None:
    found = around(
        "set -x\npip install verl\nray stop --force\nif true; then\n    python3 prepare.py \\\n        --out /d\nfi\n"
        f"cd $ROOT\necho done\nmkdir -p logs\n{TRAIN}"
    )
    told = {left.text: left.place.source.position(left.place.start)[0] for left in found}
    assert told == {
        "pip install verl": 2,
        "ray stop --force": 3,
        "python3 prepare.py --out /d": 5,
        "cd $ROOT": 8,
        "mkdir -p logs": 10,
    }
    assert all(left.reason for left in found)


def test_a_secret_is_left_out_of_commands() -> None:
    long = "x" * 110
    left = around(f"wandb login abc\nexport HF_TOKEN=abcdef1\npython3 prepare.py {long} abcdef1\n{TRAIN}")
    assert left[0].text == "wandb login …"
    assert left[1].text == f"python3 prepare.py {long[:98]}…"


def test_what_stands_around_a_training_is_told() -> None:
    (left,) = around(f'docker run -v /d:/d -e WANDB_API_KEY=abc1234 verl bash -lc "cd /w && {TRAIN.strip()}"\n')
    assert left.text.startswith("docker run -v /d:/d -e WANDB_API_KEY=${WANDB_API_KEY} verl bash")
    assert "start the launcher inside the same" in left.reason


def test_settings_that_bash_takes_for_commands_never_reached_verl() -> None:
    (left,) = around(f"{TRAIN.strip()} \\\n# c.d=2 \\\n  trainer.total_epochs=7\n")
    assert left.text == "trainer.total_epochs=7"
    assert "verl never had it" in left.reason


def test_functions_are_told_by_what_they_run() -> None:
    left = around(f"run() {{\n    pip install verl\n    {TRAIN}}}\nrun\n")
    assert [each.text for each in left] == ["pip install verl"]


def test_assignments_come_with_what_they_need() -> None:
    source = script_of("ROOT=/d\nexport MODEL=$ROOT/m\nOTHER=1\nNAME=$(basename $MODEL)\nX=1 true\n" + TRAIN)
    assert [name for name, _ in needed_statements(["$NAME", "$HOME/${X}"], source)] == ["ROOT", "MODEL", "NAME"]
    assert needed_statements(["$NAME"], source)[-1][1] == "NAME=$(basename $MODEL)"


def test_functions_come_along_when_they_are_called() -> None:
    source = script_of("FORMAT=%F\nfunction now() {\n    date +$FORMAT\n}\nother() { true; }\n" + TRAIN)
    found = needed_statements(["run-$(now)"], source)
    assert [name for name, _ in found] == ["FORMAT", "now"]
    assert found[1][1] == "function now() {\n    date +$FORMAT\n}"


def test_variables_are_found_wherever_bash_reads_them() -> None:
    assert list(variables_in('$A/${B:-x}/$((C * 2))/$(basename "$D")')) == ["A", "B", "C", "D"]
