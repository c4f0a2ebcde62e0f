"""Trees that have no end, files that are none, and scripts that lead to themselves."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from tests.fuzz.pathological import LAUNCH
from tests.fuzz.running import checked

DEEPEST = 300
"""Directories in one another; some file systems take no longer path."""


def told(directory: Path) -> dict[str, set[str]]:
    """The codes of each file, by its path below the recipe."""
    report: dict[str, Any] = json.loads(checked(directory))
    found: dict[str, set[str]] = {}
    for one in report["diagnostics"]:
        found.setdefault(one["path"].removeprefix("examples/demo/"), set()).add(one["code"])
    return found


def recipe(directory: Path) -> Path:
    """A recipe with a launcher that is as any other."""
    made = directory / "examples/demo"
    made.mkdir(parents=True)
    (made / "run_demo.sh").write_text(LAUNCH)
    return made


def test_links_in_a_circle_are_walked_once(tmp_path: Path) -> None:
    made = recipe(tmp_path)
    (made / "again").symlink_to(made)
    (made / "up").symlink_to(tmp_path)
    (made / "one.sh").symlink_to(made / "two.sh")
    (made / "two.sh").symlink_to(made / "one.sh")
    (made / "itself.py").symlink_to(made / "itself.py")
    (made / "nothing.yaml").symlink_to(made / "gone.yaml")
    found = told(tmp_path)
    assert "RLX405" in found["run_demo.sh"]
    assert {name for name, codes in found.items() if "RLX001" in codes} == {
        "one.sh", "two.sh", "itself.py", "nothing.yaml",
    }  # fmt: skip


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    made = recipe(tmp_path)
    names = {"pipe.sh", "pipe.py", "pipe.yaml", "zero.sh", "zero.py", "zero.yaml", "random.sh"}
    for name in names:
        if name.startswith("pipe"):
            os.mkfifo(made / name)
        else:
            (made / name).symlink_to("/dev/zero" if name.startswith("zero") else "/dev/urandom")
    os.mkfifo(made / "launcher")  # without a suffix: whether it is a script stands in it
    (made / "device").symlink_to("/dev/zero")
    (made / "run_data.sh").write_text(
        f"source {made}/pipe.sh\nsource /dev/zero\nX=$(cat /dev/zero)\n"
        f"{LAUNCH[:-1]} --prompt-data {made}/pipe.parquet --eval-config {made}/zero.yaml\n"
    )
    os.mkfifo(made / "pipe.parquet")
    found = told(tmp_path)
    assert "RLX405" in found["run_demo.sh"]
    assert "RLX405" in found["run_data.sh"]
    assert {name for name, codes in found.items() if "RLX001" in codes} <= names


def test_what_is_too_large_is_not_read(tmp_path: Path) -> None:
    made = recipe(tmp_path)
    names = ("run_line.sh", "reward_line.py", "line.yaml", "run_hole.sh")
    for name in names:
        with (made / name).open("wb") as stream:
            stream.truncate(10**12 if "hole" in name else 50_000_000)
    found = told(tmp_path)
    assert {name for name, codes in found.items() if "RLX001" in codes} == set(names)
    assert "RLX405" in found["run_demo.sh"]


def test_deep_directories(tmp_path: Path) -> None:
    made = recipe(tmp_path)
    deep = made
    for _ in range(DEEPEST):
        deep /= "d"
    deep.mkdir(parents=True)
    (deep / "run_deep.sh").write_text(LAUNCH)
    found = told(tmp_path)
    assert any(name.endswith("run_deep.sh") for name in found)
    assert "RLX405" in found["run_demo.sh"]


def test_scripts_that_lead_to_themselves(tmp_path: Path) -> None:
    made = recipe(tmp_path)
    (made / "run_self.sh").write_text(f"{LAUNCH}source {made}/run_self.sh\n")
    (made / "run_here.sh").write_text(f'{LAUNCH}source "$(dirname "$0")/run_here.sh"\n. "${{BASH_SOURCE[0]}}"\n')
    (made / "run_one.sh").write_text(f"source {made}/run_two.sh\n{LAUNCH}")
    (made / "run_two.sh").write_text(f"source {made}/run_one.sh\nsource {made}/run_one.sh\n{LAUNCH}")
    (made / "run_again.sh").write_text(f"bash {made}/run_again.sh\n{LAUNCH}exec $0\n")
    for number in range(200):
        (made / f"part_{number}.sh").write_text(f"source {made}/part_{number + 1}.sh\nX{number}=1\n")
    (made / "run_chain.sh").write_text(f"{LAUNCH}source {made}/part_0.sh\n")
    (made / "helper_a.py").write_text("from examples.demo.helper_b import *\n")
    (made / "helper_b.py").write_text("from examples.demo.helper_a import *\n")
    (made / "run_reward.sh").write_text(f"{LAUNCH[:-1]} --custom-rm-path examples.demo.helper_a.reward_func\n")
    found = told(tmp_path)
    for name in ("self", "here", "again", "chain", "reward"):
        assert "RLX405" in found[f"run_{name}.sh"]
    assert "RLX406" in found["run_one.sh"] & found["run_two.sh"]
