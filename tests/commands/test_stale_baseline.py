"""What a baseline remembers in vain: it is told, and taken out when that is asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.running import Run, running_in, write
from tests.toy_rules import LAUNCHER, PYTHON

OTHER = "examples/demo/other.py"
BASELINE = ("--baseline", "known.json")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command in a tree whose findings a baseline remembers."""
    run = running_in(tmp_path, monkeypatch, capsys)
    write(PYTHON, "bad\nworse\n")
    write(OTHER, "bad\n")
    write(LAUNCHER, "bad\n")
    assert run("--write-baseline", "known.json").out == "known.json now remembers 4 findings.\n"
    return run


def remembered() -> list[tuple[str, str]]:
    findings = json.loads(Path("known.json").read_text())["findings"]
    return [(Path(one["path"]).name, one["code"]) for one in findings]


def stale(run: Run, *arguments: str) -> list[tuple[str, str]]:
    found = json.loads(run(*BASELINE, "--format", "json", *arguments).out)["stale"]
    return [(Path(one["path"]).name, one["code"]) for one in found]


def test_what_is_found_no_more_is_told_and_does_not_count(run: Run) -> None:
    assert stale(run) == []
    write(PYTHON, "x = 1\nworse\n")
    done = run(*BASELINE)
    assert (done.status, done.err) == (0, "")
    assert done.out == (
        "All clean in 3 files, 1 recipe, 0 launches.\n"
        "3 silenced; `--show-suppressed` shows what, and why.\n"
        "1 entry of known.json is stale; `--prune-baseline` takes it out:\n"
        f"  {PYTHON}: RLX101 bad is bad\n"
    )
    assert stale(run) == [("reward_demo.py", "RLX101")]
    assert run(*BASELINE, "-q").out == ""


def test_stale_entries_are_taken_out_when_that_is_asked_for(run: Run) -> None:
    write(PYTHON, "x = 1\n")
    done = run(*BASELINE, "--prune-baseline")
    assert (done.status, done.err) == (0, "relax-lint: known.json: 2 stale entries taken out\n")
    assert "stale" not in done.out
    assert remembered() == [("other.py", "RLX101"), ("run_demo.sh", "RLX401")]
    assert run(*BASELINE, "--prune-baseline").err == ""
    write(PYTHON, "bad\n")
    assert run(*BASELINE).status == 1


def test_the_baseline_of_the_configuration_is_pruned_too(run: Run) -> None:
    write("relax-lint.toml", "baseline = 'known.json'\n")
    write(LAUNCHER, "echo\n")
    run("--prune-baseline")
    assert ("run_demo.sh", "RLX401") not in remembered()


def test_what_was_not_looked_at_is_left_alone(run: Run) -> None:
    write(PYTHON, "x = 1\n")
    write(OTHER, "x = 1\n")
    assert stale(run, PYTHON) == [("reward_demo.py", "RLX101"), ("reward_demo.py", "RLX102")]
    assert stale(run, "--select", "RLX102") == [("reward_demo.py", "RLX102")]
    assert stale(run, "--profile", "runtime") == [("other.py", "RLX101"), ("reward_demo.py", "RLX101")]
    Path(OTHER).unlink()
    assert stale(run, LAUNCHER) == []
    assert ("other.py", "RLX101") in stale(run, "examples")


def test_what_cannot_be_told_is_left_alone(run: Run) -> None:
    write(PYTHON, "unknown_bad\ndef (\n")
    assert stale(run) == []
    write(PYTHON, "unknown_bad\n")
    assert stale(run) == [("reward_demo.py", "RLX102")]


def test_a_finding_that_a_comment_silences_needs_no_entry(run: Run) -> None:
    write(OTHER, "bad  # noqa: RLX101\n")
    assert stale(run) == [("other.py", "RLX101")]


def test_of_many_the_first_are_shown(run: Run) -> None:
    for number in range(12):
        write(f"examples/demo/m{number:02}.py", "bad\n")
    run("--write-baseline", "known.json")
    for number in range(12):
        write(f"examples/demo/m{number:02}.py", "x = 1\n")
    lines = run(*BASELINE).out.splitlines()
    assert lines[2] == "12 entries of known.json are stale; `--prune-baseline` takes them out:"
    assert (lines[3], lines[12], lines[13:]) == (
        "  examples/demo/m00.py: RLX101 bad is bad",
        "  examples/demo/m09.py: RLX101 bad is bad",
        ["  … and 2 more"],
    )


def test_a_baseline_that_cannot_be_written_is_said(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    before = Path("known.json").read_bytes()
    write(PYTHON, "x = 1\n")
    Path("kept").mkdir()
    Path("known.json").rename("kept/known.json")
    Path("known.json").symlink_to("nowhere/known.json")
    done = run("--baseline", "known.json", "--prune-baseline")
    assert done.status == 2
    assert "known.json" in done.err
    assert Path("kept/known.json").read_bytes() == before


def test_a_link_is_written_through(run: Run) -> None:
    Path("kept").mkdir()
    Path("known.json").rename("kept/real.json")
    Path("known.json").symlink_to("kept/real.json")
    write(PYTHON, "x = 1\n")
    assert run(*BASELINE, "--prune-baseline").status == 0
    assert Path("known.json").is_symlink()
    assert ("reward_demo.py", "RLX101") not in remembered()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--prune-baseline"], "--prune-baseline wants a baseline"),
        (["--prune-baseline", *BASELINE, "--diff"], "does not go with"),
        (["--prune-baseline", *BASELINE, "--add-suppressions", "why"], "does not go with"),
        (["--prune-baseline", "--write-baseline", "known.json"], "does not go with"),
    ],
)
def test_what_cannot_be_pruned(run: Run, arguments: list[str], complaint: str) -> None:
    done = run(*arguments)
    assert done.status == 2
    assert complaint in done.err
