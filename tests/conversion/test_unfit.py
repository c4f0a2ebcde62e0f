"""Values that fit into no column are told by file, row and key, and the other files are written."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from relax_lint.conversion.columns import Wanted
from relax_lint.conversion.program import run
from relax_lint.conversion.script import RecipeData, script

GOOD = {
    "data_source": "a",
    "prompt": [{"role": "user", "content": "how?"}],
    "reward_model": {"ground_truth": "1"},
    "extra_info": {"id": 1, "at": [1.5], "of": [{"ids": [1]}]},
}
LARGE = "holds an integer outside of -2^63 to 2^63-1: write it as text"
BEYOND = "holds an integer beyond 2^53 where others are fractions: write it as text"
HALF = "holds half a character, a lone surrogate, which is no text"
DEEP = "nests deeper than parquet can"


def nested(levels: int, *, lists: bool) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value] if lists else {"a": value}
    return value


def extra(**more: Any) -> dict[str, Any]:
    return {**GOOD, "extra_info": {"id": 1, **more}}


BAD = [
    *((extra(id=number), f"extra_info.id {LARGE}") for number in (2**63, 2**64, -(2**63) - 1, 10**400)),
    (extra(at=[1, 2**70]), f"extra_info.at[] {LARGE}"),
    (extra(of=[{"ids": [3, 2**70]}]), f"extra_info.of[].ids[] {LARGE}"),
    (extra(alone=2**70), f"extra_info.alone {LARGE}"),
    ({**GOOD, "data_source": 2**70}, f"data_source {LARGE}"),
    ({**GOOD, "images": [{"bytes": 2**70}]}, f"images[].bytes {LARGE}"),
    ({**GOOD, "tools_kwargs": {"calc": {"x": 2**70}}}, f"tools_kwargs.calc.x {LARGE}"),
    (extra(at=[2**53 + 1]), f"extra_info.at[] {BEYOND}"),
    (extra(id="one"), "extra_info.id is text, elsewhere "),
    (extra(id=[1]), "extra_info.id is a list, elsewhere "),
    (extra(of=[{"ids": [{"no": 1}]}]), "extra_info.of[].ids[] is a dictionary, elsewhere "),
    (extra(alone=[1, "a"]), "extra_info.alone[] is text, elsewhere an integer"),
    ({**GOOD, "extra_info": "none"}, "extra_info is text, elsewhere "),
    ({**GOOD, "prompt": "how?"}, "prompt is text, elsewhere "),
    (extra(alone="\ud800"), f"extra_info.alone {HALF}"),
    ({**GOOD, "reward_model": {"ground_truth": "\ud800"}}, f"reward_model.ground_truth {HALF}"),
    ({**GOOD, "reward_model": {"ground_truth": ["\ud800"]}}, f"reward_model.ground_truth {HALF}"),
    ({**GOOD, "prompt": [{"role": "user", "content": "\udfff"}]}, f"prompt[].content {HALF}"),
    *((extra(alone=nested(levels, lists=True)), f"extra_info {DEEP}") for levels in (50, 300)),
    *((extra(alone=nested(levels, lists=False)), f"extra_info {DEEP}") for levels in (99, 300)),
]


def directory_with(bad: Any, before: int, home: Path) -> Path:
    """A file with a row that is bad, and one behind it in which all is well."""
    (home / "in").mkdir()
    (home / "in/a.jsonl").write_text("\n".join(map(json.dumps, [*[GOOD] * before, bad, GOOD])))
    (home / "in/b.jsonl").write_text(json.dumps(GOOD))
    return home / "in"


@pytest.mark.parametrize("before", [1, 600], ids=["beside others", "long after others"])
@pytest.mark.parametrize(("bad", "said"), BAD, ids=[said for _, said in BAD])
def test_it_is_told_by_file_row_and_key(
    bad: Any, said: str, before: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = directory_with(bad, before, tmp_path)
    assert run(source, tmp_path / "out", Wanted()) == 1
    assert f"{source}/a.jsonl: row {before + 1}: {said}" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["b.parquet"]


@pytest.mark.parametrize("levels", [5_000, 200_000])
def test_a_line_that_nests_too_deep_for_json(levels: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = directory_with(GOOD, 1, tmp_path)
    with (source / "a.jsonl").open("a") as file:
        file.write(f'\n{{"a": {"[" * levels}{"]" * levels}}}')
    assert run(source, tmp_path / "out", Wanted()) == 1
    assert f"{source}/a.jsonl: " in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["b.parquet"]


@pytest.mark.parametrize(
    "deepest", [{"alone": nested(47, lists=True)}, {"alone": nested(97, lists=False)}, {"id": 2**63 - 1, "at": [2**53]}]
)
def test_what_fits_is_written(deepest: dict[str, Any], tmp_path: Path) -> None:
    assert run(directory_with(extra(**deepest), 1, tmp_path), tmp_path / "out", Wanted()) == 0


@pytest.mark.parametrize(("bad", "said"), [BAD[0], BAD[11], BAD[-1]])
def test_the_script_of_a_recipe_tells_it_too(bad: Any, said: str, tmp_path: Path) -> None:
    source = directory_with(bad, 1, tmp_path)
    (tmp_path / "process_demo.py").write_text(script(RecipeData("demo")))
    command = [sys.executable, "-I", "process_demo.py", "--input-dir", str(source), "--output-dir", "out"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert f"a.jsonl: row 2: {said}" in done.stderr
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["b.parquet"]
