"""Findings that a tree is known to have."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from relax_lint import baseline
from relax_lint.config import ConfigError
from relax_lint.diagnostics import Diagnostic
from relax_lint.engine import lint
from relax_lint.project import Project
from relax_lint.rules import load_rules
from tests.toy_rules import by_code, word_rule

RULES = by_code(word_rule("RLX101", "bad"))


def judged(root: Path, **texts: str) -> list[Diagnostic]:
    recipe = root / "examples/demo"
    recipe.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (recipe / f"{name}.py").write_text(text)
    return lint(Project(root), RULES).diagnostics


def test_known_findings_are_silenced_and_new_ones_stand(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    before = judged(tmp_path, a="bad\n", b="bad\n")
    assert baseline.write(path, before, [found.path for found in before]) == 2
    after = judged(tmp_path, a="import os\nbad\nbad\n")
    baseline.apply(after, baseline.read(path))
    assert [(found.path.name, found.line, found.suppressed) for found in after] == [
        ("a.py", 2, "baseline"),
        ("a.py", 3, None),
        ("b.py", 1, "baseline"),
    ]


def test_writing_again_forgets_what_is_mended_and_keeps_what_was_not_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    found = judged(tmp_path, a="bad\n", b="bad\n", c="bad\n")
    baseline.write(path, found, [item.path for item in found])
    (tmp_path / "examples/demo/c.py").unlink()
    left = judged(tmp_path, a="x = 1\n")
    looked_at = tmp_path / "examples/demo/a.py"
    assert baseline.write(path, [item for item in left if item.path == looked_at], [looked_at]) == 1
    entries = json.loads(path.read_text())["findings"]
    assert [(entry["path"], entry["code"]) for entry in entries] == [("examples/demo/b.py", "RLX101")]


def test_the_file_is_stable(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    found = judged(tmp_path, a="bad\nbad\n", b="bad\n")
    baseline.write(path, found, [item.path for item in found])
    first = path.read_bytes()
    baseline.write(path, reversed(found), [item.path for item in found])
    assert path.read_bytes() == first


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"baseline": 2, "findings": []}', '{"baseline": 1, "findings": [1]}']
)
def test_what_is_no_baseline_is_refused_by_name(tmp_path: Path, content: str) -> None:
    path = tmp_path / "known.json"
    path.write_text(content)
    with pytest.raises(ConfigError, match="known"):
        baseline.read(path)


def test_a_baseline_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        baseline.read(tmp_path / "nothing.json")


LAUNCHER = (
    "# How to run it.\nset -e\npython3 relax/entrypoints/train.py --prompt-data /d/x.jsonl --rm-type math --colocate\n"
)


def of_files(text: str) -> dict[str, str]:
    """What is found of the files as a whole: fingerprints, by rule."""
    tree = {"examples/demo/launch.sh": text, "examples/demo/reward_demo.py": f"{text.splitlines()[0]}\nX = 1\n"}
    found = lint(Project.from_files(tree), load_rules()).diagnostics
    return {one.code: one.fingerprint for one in found if one.code in ("RLX201", "RLX409", "RLX803")}


def test_what_is_found_of_a_file_as_a_whole_outlives_another_head() -> None:
    before = of_files(LAUNCHER)
    assert set(before) == {"RLX201", "RLX409", "RLX803"}
    assert of_files(f"# Copyright 2026 ...\n#\n{LAUNCHER}") == before
    assert of_files(f"#!/bin/bash\n{LAUNCHER}") == before
