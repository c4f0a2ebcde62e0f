"""Files made to cost are answered within bounds of time and memory: by RLX001 or RLX003 at a place, or as any other."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz import data, pathological
from tests.fuzz.running import checked, megabytes_taken, run

NOT_READ = {
    "launchers": {
        "parens", "parens_open", "braces", "substitutions", "substitutions_quoted", "parameters", "parameters_open",
        "ifs_deep", "fors_deep", "cases_deep", "functions_deep", "quotes_open", "tests_deep", "tests_not", "pipes_open",
        "nul",
    },
    "python": {"parens", "lists", "ifs_deep", "nul", "cookie_of_bytes", "cookie_zip"},
    "yaml": {
        "flow", "flow_open", "flow_maps", "block", "sequences", "keys", "merges", "long_quoted", "nul", "directive",
    },
}  # fmt: skip
"""Files of which RLX001 says, at a place, that they are not understood."""
PARSED_BY_SOME = {"attributes", "sums", "nots", "minus", "lambdas", "ternaries", "number"}
"""Modules that some versions of Python parse and others do not."""
NOT_FOLLOWED = {
    "and_or", "braces_nested", "range_huge", "alternatives", "loop", "recursion", "recursion_double",
    "recursion_mutual", "doubling", "doubling_array", "doubling_element", "doubling_key", "doubling_read",
    "doubling_replace", "doubling_printf", "output_long", "wide_printf", "long_line",
    "array", "many_lines", "many_functions", "many_commands", "many_launches",
}  # fmt: skip
"""Launchers of which RLX003 says that not all ways were followed."""


def codes(directory: Path, seconds: int) -> dict[str, set[str]]:
    """The codes of each file, by its stem without what stands before the first underscore."""
    report: dict[str, Any] = json.loads(checked(directory, seconds=seconds))
    found: defaultdict[str, set[str]] = defaultdict(set)
    for one in report["diagnostics"]:
        assert one["line"] >= 1
        assert one["column"] >= 1
        found[Path(one["path"]).stem.partition("_")[2]].add(one["code"])
    return found


def written(directory: Path, files: dict[str, str], prefix: str, suffix: str) -> Path:
    """A recipe of these files."""
    recipe = directory / "examples/demo"
    recipe.mkdir(parents=True)
    for name, text in files.items():
        (recipe / f"{prefix}_{name}{suffix}").write_text(text, encoding="utf-8", newline="")
    return recipe


def test_launchers(tmp_path: Path) -> None:
    files = {name: f"{text}\n{pathological.LAUNCH}" for name, text in pathological.launchers().items()}
    written(tmp_path, files, "run", ".sh")
    found = codes(tmp_path, 60)
    assert {name for name in files if "RLX001" in found[name]} == NOT_READ["launchers"]
    assert {name for name in files if "RLX003" in found[name]} >= NOT_FOLLOWED


def test_what_doubles_takes_little_memory_though_there_is_a_lot(tmp_path: Path) -> None:
    growing = {name: text for name, text in pathological.launchers().items() if name.startswith(("doubling", "output"))}
    written(tmp_path, {name: f"{text}\n{pathological.LAUNCH}" for name, text in growing.items()}, "run", ".sh")
    assert megabytes_taken(tmp_path, seconds=60) < 1_500  # one of them alone could take ten times as much


def test_what_cannot_be_followed_hides_nothing_before_it(tmp_path: Path) -> None:
    texts = pathological.launchers()
    names = ("and_or", "braces_nested", "alternatives", "recursion_double", "doubling", "wide_printf", "long_line")
    files = {name: f"{pathological.LAUNCH}{texts[name]}\n" for name in names}
    written(tmp_path, files, "run", ".sh")
    found = codes(tmp_path, 60)
    assert {name for name in files if "RLX003" not in found[name]} == set()
    assert {name for name in files if "RLX405" not in found[name]} == set()  # the launch, which has no resources


def test_modules(tmp_path: Path) -> None:
    files = pathological.python()
    recipe = written(tmp_path, files, "reward", ".py")
    launches = (pathological.launch_of(f"examples.demo.reward_{name}.reward_func") for name in files)
    (recipe / "run_demo.sh").write_text("".join(launches))
    found = codes(tmp_path, 60)
    unread = {name for name in files if "RLX001" in found[name]}
    assert unread - PARSED_BY_SOME == NOT_READ["python"]


def test_configs(tmp_path: Path) -> None:
    files = pathological.yaml()
    recipe = written(tmp_path, files, "config", ".yaml")
    flags = ("--eval-config", "--custom-config-path")
    launches = (
        f"{pathological.LAUNCH[:-1]} {flag} examples/demo/config_{name}.yaml\n" for name in files for flag in flags
    )
    (recipe / "run_demo.sh").write_text("".join(launches))
    found = codes(tmp_path, 60)
    assert {name for name in files if "RLX001" in found[name]} == NOT_READ["yaml"]


@pytest.mark.parametrize(("kind", "files"), [("parquet", data.parquet_files()), ("jsonl", data.json_lines())])
def test_data(tmp_path: Path, kind: str, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        (tmp_path / f"{name}.{kind}").write_bytes(content)
    names = [f"{name}.{kind}" for name in files]
    # Arrow's threads reserve far more address space than they use.
    report = json.loads(run(tmp_path, "data", "check", "--format=json", *names, megabytes=4_096, seconds=60))
    unread = {
        name
        for name, one in zip(files, report["datasets"], strict=True)
        if any("cannot be read" in problem for problem in one["problems"])
    }
    assert unread == {name for name in files if "broken" in name}
