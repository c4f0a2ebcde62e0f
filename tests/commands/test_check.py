"""`relax-lint check` as a user meets it: what it prints, writes, and ends with."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from relax_lint import checking
from relax_lint.diagnostics import Edit, Finding, Fix, Place
from relax_lint.project import Project
from relax_lint.sources.text import SourceFile
from tests.commands.running import RULES, Run, running_in, write
from tests.toy_rules import LAUNCHER, PYTHON, by_code, toy, word_rule


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command in a temporary directory, with rules whose findings are plain to see."""
    return running_in(tmp_path, monkeypatch, capsys)


# ---------------------------------------------------------------- findings and exit statuses


def test_findings_are_printed_with_their_source_and_end_with_1(run: Run) -> None:
    write(PYTHON, "import os\nx = bad.thing\n")
    done = run("check", "examples")
    assert done.status == 1
    assert done.out == (
        "examples/demo/reward_demo.py:2:5: RLX101 [*] bad is bad\n"
        "  |\n"
        "2 | x = bad.thing\n"
        "  |     ^^^\n"
        "  = fix: write good\n"
        "\n"
        "Found 1 error in 1 file, 1 recipe, 0 launches.\n"
        "[*] 1 can be fixed with `--fix`.\n"
    )
    assert done.err == ""


def test_a_clean_tree_ends_with_0_and_says_what_was_looked_at(run: Run) -> None:
    write(PYTHON, "x = 1\n")
    write(LAUNCHER, "python3 relax/entrypoints/train.py --lr 1\n")
    assert run().out == "All clean in 2 files, 1 recipe, 1 launch.\n"
    assert run().status == 0


def test_check_is_the_default_and_options_may_come_first(run: Run) -> None:
    write(PYTHON, "bad\n")
    assert run("--quiet", "examples").out == run("check", "examples", "-q").out == run("-q").out != ""


@pytest.mark.parametrize(
    ("text", "arguments", "status"),
    [
        ("bad\n", [], 1),
        ("worse\n", [], 1),
        ("plain\n", [], 0),
        ("plain\n", ["--strict"], 1),
        ("bad\n", ["--exit-zero"], 0),
        ("bad  # noqa: RLX101\n", [], 0),
        ("bad, worse\n", ["--ignore", "RLX101"], 1),
        ("bad, worse\n", ["--ignore", "RLX101,no-worse"], 0),
        ("bad, worse\n", ["--select", "RLX2,RLX0", "--extend-select", "RLX103"], 2),
        ("worse\n", ["--profile", "runtime"], 0),
        ("bad\n", ["--profile", "runtime"], 1),
        ("unknown_bad\n", [], 0),
        ("unknown_bad\n", ["--require-checked"], 1),
        ("bad  # noqa: RLX101\n", ["--require-reasons"], 1),
        ("bad  # noqa: RLX101 meant\n", ["--require-reasons"], 0),
        ("x = 1\n", ["--require-recipes"], 0),
    ],
)
def test_exit_status(run: Run, text: str, arguments: list[str], status: int) -> None:
    write(PYTHON, text)
    assert run(*arguments).status == status


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("notes/a.txt", "it is no bash script, no Python and no YAML"),
        ("notes/run.slurm", "it is no bash script, no Python and no YAML"),
        ("tools/a.py", "it is in no recipe"),
    ],
)
def test_a_named_file_that_no_rule_reads_is_told(run: Run, path: str, reason: str) -> None:
    write(PYTHON, "x = 1\n")
    write(path, "hello\n")
    done = run(path, "examples")
    assert done.err == f"relax-lint: {path}: nothing in it is checked: {reason}\n"
    assert (done.status, run(path, "examples", "--exclude", path, "--force-exclude").err) == (0, "")


@pytest.mark.parametrize("name", ["run_demo.slurm", "run_demo.SH", "run_demo.job"])
def test_a_named_bash_script_is_checked_whatever_its_suffix(run: Run, name: str) -> None:
    write(f"examples/demo/{name}", "#!/usr/bin/env bash\npython3 relax/entrypoints/train.py --lr 1\n")
    done = run(f"examples/demo/{name}")
    assert (done.out, done.err) == ("All clean in 1 file, 1 recipe, 1 launch.\n", "")


@pytest.mark.parametrize("demand", ["--require-recipes", "--require-checked"])
def test_a_gate_is_not_green_where_no_launcher_launches_anything(run: Run, demand: str) -> None:
    write(PYTHON, "x = 1\n")
    write(LAUNCHER, 'python3 "$TRAIN" --lr 1\n')
    done = run("examples", demand)
    assert (done.status, done.err) == (1, f"relax-lint: required: a launch to judge, and {LAUNCHER} has none\n")
    assert run("examples").status == run(PYTHON, demand).status == 0


def test_a_script_that_only_others_source_need_not_launch_anything(run: Run) -> None:
    write("examples/demo/common.sh", "ARGS=(--lr 1)\n")
    write(LAUNCHER, 'source "$(dirname "$0")/common.sh"\npython3 relax/entrypoints/train.py "${ARGS[@]}"\n')
    assert run("examples/demo/common.sh", "--require-recipes").status == 0


def test_nothing_to_check_is_said(run: Run) -> None:
    write("notes/a.txt", "")
    done = run("notes")
    assert (done.status, done.err) == (0, "relax-lint: no recipe is under the given paths\n")
    assert done.out == run("nowhere").out == "Nothing to check.\n"
    assert run("notes", "--require-recipes").status == 1


@pytest.mark.parametrize("path", ["examples/common.sh", "scripts/training/run_t.sh"])
def test_a_script_outside_recipes_is_said_to_be_checked(run: Run, path: str) -> None:
    write(path, "python3 relax/entrypoints/train.py\n")
    done = run(path)
    assert done.err == "relax-lint: no recipe is under the given paths; 1 script outside recipes checked\n"
    assert "1 file" in done.out


def test_a_path_that_is_not_there_is_an_error_and_the_rest_is_checked(run: Run) -> None:
    write(PYTHON, "bad\n")
    done = run("examples", "nowhere", "examples/demo/gone.py")
    assert done.status == 2
    assert "no such file or directory: nowhere" in done.err
    assert "no such file or directory: examples/demo/gone.py" in done.err
    assert "RLX101" in done.out


def test_a_rule_that_raises_is_named_and_ends_with_2(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(subject: object, project: object) -> list[object]:
        raise KeyError("boom")

    monkeypatch.setattr(checking, "load_rules", lambda: RULES | by_code(toy("RLX199", "fails", fails)))
    write(PYTHON, "bad\n")
    done = run("--exit-zero")
    assert done.status == 2
    assert "internal error: RLX199 fails failed on" in done.err
    assert "Found 1 error in 1 file, 1 recipe, 0 launches, with 1 internal error." in done.out
    write(PYTHON, "good\n")
    assert run().out == "Nothing found in 1 file, 1 recipe, 0 launches, with 1 internal error.\n"
    assert "Traceback" not in done.err
    assert "RLX101" in done.out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--select", "RLX9"], "no rule is called 'RLX9'"),
        (["--ignore", "no-bda"], "did you mean no-bad?"),
        (["--frobnicate"], "--frobnicate"),
        (["--format", "toml"], "toml"),
        (["--env", "A"], "--env wants NAME=VALUE"),
        (["--select", " , "], "--select names no rule"),
        (["--form", "json"], "--form"),
        (["--config", "nothing.toml"], "nothing.toml: cannot be read"),
        (["--config", "/dev/zero"], "/dev/zero: cannot be read: it is a device"),
        (["--baseline", "nothing.json"], "nothing.json: cannot be read"),
        (["--baseline", "/dev/zero"], "/dev/zero: cannot be read: it is a device"),
        (["--write-baseline", "/dev/full"], "/dev/full: cannot be read: it is a device"),
        (["--write-baseline", "known.json", "--diff"], "does not go with --diff"),
        (["--write-baseline", "known.json", "--add-suppressions", "why"], "does not go with"),
        (["--statistics", "--format", "json"], "--statistics is a table for people"),
        (["--diff", "--format", "json"], "--diff prints a patch"),
        (["--show-fixes"], "--show-fixes lists what --fix has fixed"),
        (["--show-fixes", "--fix", "--diff"], "--show-fixes lists what --fix has fixed"),
        (["--show-fixes", "--fix", "--format", "json"], "--show-fixes is a list for people"),
        (["--stdin-filename", ".", "-"], "--stdin-filename wants the name of a file; . is a directory"),
        (["--isolated", "--config", "x"], "exclude each other"),
        (["--staged", "--since", "HEAD"], "exclude each other"),
        (["-j", "0"], "-j wants a number from 1"),
        (["-"], "--stdin-filename"),
        (["--stdin-filename", "x.py"], "--stdin-filename"),
        (["--stdin-filename", "x.py", "-", "examples"], "cannot be mixed"),
        (["--add-suppressions", " "], "wants a reason"),
        (["--staged"], "not a git repository"),
        (["--output-file", "no/such/directory/report"], "cannot be written"),
    ],
)
def test_wrong_usage_is_refused_with_2(run: Run, arguments: list[str], complaint: str) -> None:
    write(PYTHON, "x = 1\n")
    done = run(*arguments)
    assert done.status == 2
    assert complaint in done.err
    assert "Traceback" not in done.err


# ---------------------------------------------------------------- configuration


def test_the_nearest_configuration_decides_for_each_file(run: Run) -> None:
    write("examples/a/x.py", "bad, worse\n")
    write("examples/b/x.py", "bad, worse\n")
    write("examples/a/relax-lint.toml", "ignore = ['RLX101']\n")
    write("pyproject.toml", "[tool.relax-lint]\nignore = ['no-worse']\n")
    lines = [line.split(" ")[:2] for line in run("-q").out.splitlines() if line.startswith("examples")]
    assert lines == [["examples/a/x.py:1:6:", "RLX102"], ["examples/b/x.py:1:1:", "RLX101"]]
    assert "RLX102" in run("-q", "examples/a/x.py").out
    assert "RLX101" in run("-q", "--isolated", "examples/a/x.py").out
    assert "RLX101" in run("-q", "--extend-select", "RLX101", "examples/a").out


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("selct = []\n", "unknown key 'selct'; did you mean 'select'?"),
        ("ignore = ['RLX9']\n", "relax-lint.toml: no rule is called 'RLX9'"),
        ("[per-file-ignores]\n'*' = ['nope']\n", "relax-lint.toml: no rule is called 'nope'"),
    ],
)
def test_configuration_that_cannot_be_used_is_refused(run: Run, text: str, complaint: str) -> None:
    write(PYTHON, "bad\n")
    write("relax-lint.toml", text)
    done = run()
    assert (done.status, done.out) == (2, "")
    assert complaint in done.err


def test_settings_are_shown_for_a_file(run: Run, tmp_path: Path) -> None:
    write("relax-lint.toml", "strict = true\n[env]\nA = '1'\n")
    done = run("--show-settings", "examples/x.py", "--env", "B=2")
    assert done.status == 0
    assert f"source = {tmp_path / 'relax-lint.toml'}" in done.out
    assert "strict = true" in done.out
    assert 'env = {"A": "1", "B": "2"}' in done.out


def test_settings_are_shown_without_the_insides_of_the_program(run: Run) -> None:
    constraint = "[[constraint]]\nid = 'small'\nwhen = 'lr > 1e-5'\nmessage = 'too much'\n"
    write("relax-lint.toml", f"ignore = ['RLX406']\nexclude = ['old/']\n{constraint}")
    done = run("--show-settings", "examples/x.py", "--select", "RLX1,RLX4")
    assert "selection = ignore RLX406; select RLX1 RLX4\n" in done.out
    assert 'exclude = ["old/"]\n' in done.out
    assert 'constraint = ["small: lr > 1e-5"]\n' in done.out
    assert "verl-root = none\n" in done.out
    assert "(" not in done.out


def test_per_file_ignores_excludes_and_what_is_suppressed(run: Run) -> None:
    write("relax-lint.toml", "exclude = ['old/']\n[per-file-ignores]\n'a.py' = ['no-bad']\n")
    write("examples/demo/a.py", "bad\n")
    write("examples/old/a.py", "worse\n")
    write("examples/demo/b.py", "bad  # noqa: RLX101 for show\n")
    write("examples/skip/c.py", "bad\n")
    assert run("--exclude", "skip/,d.py").status == 0
    shown = run("--exclude", "skip/", "--show-suppressed", "-q").out
    assert "suppressed: per-file-ignores: a.py" in shown
    assert "suppressed at examples/demo/b.py:1: for show" in shown
    assert "worse" not in shown


# ---------------------------------------------------------------- output


def test_json_says_everything(run: Run) -> None:
    text = "\ufeff# \u00e4\nx = bad.thing, unknown_bad\nworse  # noqa: RLX102 why\n"
    write(PYTHON, text)
    done = run("--format", "json", "--show-suppressed")
    output = json.loads(done.out)
    first, second = output["diagnostics"]
    assert done.status == 1
    assert first["path"] == PYTHON
    assert (first["line"], first["column"], first["end_line"], first["end_column"]) == (2, 5, 2, 8)
    (edit,) = first["fix"]["edits"]
    assert text.encode()[edit["start"] : edit["end"]] == b"bad"
    assert (first["fix"]["safe"], first["fix"]["reason"], first["suppressed"]) == (True, None, None)
    assert second["suppressed"] == {"reason": "why"}
    assert second["severity"] == "warning"
    assert output["not_checked"] == [{"code": "RLX101", "path": PYTHON, "line": 2, "because": "unknown_bad"}]
    assert output["summary"]["errors"] == 1
    assert output["summary"]["warnings"] == 0
    assert output["summary"]["recipes"] == 1


def test_statistics_and_timings(run: Run) -> None:
    write(PYTHON, "bad, bad\nworse\n")
    done = run("--statistics", "--timings", "-q")
    assert done.out == "2  RLX101  [*] no-bad\n1  RLX102  [ ] no-worse\n"
    assert "ms  judging" in done.err
    assert "ms  RLX101" in done.err


def test_statistics_tell_rules_of_which_some_findings_can_be_fixed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def some(source: SourceFile, project: Project) -> Iterator[Finding]:
        place = Place(source, 0, 1)
        yield Finding(place, "one", fix=Fix("mend", lambda: [Edit.at(place, "y")]))
        yield Finding(place, "two")

    monkeypatch.setattr(checking, "load_rules", lambda: RULES | by_code(toy("RLX198", "some", some)))
    write(PYTHON, "x, bad, worse\n")
    assert run("--statistics", "-q").out == "2  RLX198  [-] some\n1  RLX101  [*] no-bad\n1  RLX102  [ ] no-worse\n"


def test_paths_are_relative_to_the_working_directory(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write(PYTHON, "bad\n")
    Path("elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    assert run("-q", "../examples").out.startswith(f"../{PYTHON}:1:1:")


@pytest.mark.parametrize(
    ("line", "below"),
    [
        ("\tx = bad\n", "\t    ^^^"),
        ("x = '漢字', bad\n", "            ^^^"),
        (f"x = '{'a' * 300}', bad, '{'b' * 300}'\n", " " * 81 + "^^^"),
        ("x = '\x1b[31m', bad\n", "             ^^^"),
    ],
)
def test_the_caret_stands_under_the_place(run: Run, line: str, below: str) -> None:
    write(PYTHON, line)
    shown = run("-q").out
    assert f"| {below}\n" in shown
    assert "\x1b" not in shown


def test_the_outcome_does_not_depend_on_the_number_of_processes(run: Run) -> None:
    for number in range(9):
        write(f"examples/r{number}/x.py", "bad\nworse\n")
        write(f"examples/r{number}/run.sh", "echo bad\n")
    assert run("-j1").out == run("-j2").out == run("-j5").out
    one, five = (json.loads(run("--format=json", f"-j{jobs}").out) for jobs in (1, 5))
    assert one == five


# ---------------------------------------------------------------- fixing


def test_fix_writes_safe_fixes_and_shows_what_is_left(run: Run) -> None:
    path = write(PYTHON, "bad\nworse\n")
    done = run("--fix")
    assert done.status == 1
    assert path.read_text() == "good\nworse\n"
    assert "Fixed 1 finding (RLX101). Found 1 warning in" in done.out
    assert run("--fix", "--unsafe-fixes").status == 0
    assert path.read_text() == "good\nfine\n"
    assert run("--fix").out == "All clean in 1 file, 1 recipe, 0 launches.\n"


def test_unsafe_fixes_count_when_they_are_asked_for(run: Run) -> None:
    write(PYTHON, "bad\nworse\n")
    assert "[*] 1 can be fixed with `--fix` (1 more with `--unsafe-fixes`).\n" in run().out
    done = run("--unsafe-fixes")
    assert "RLX102 [*] worse is bad" in done.out
    assert "[*] 2 can be fixed with `--fix --unsafe-fixes`.\n" in done.out
    assert "[*] no-worse" in run("--unsafe-fixes", "--statistics").out


def test_exit_non_zero_on_fix(run: Run) -> None:
    write(PYTHON, "bad\n")
    assert run("--fix", "--exit-non-zero-on-fix").status == 1
    assert run("--fix", "--exit-non-zero-on-fix").status == 0


def test_diff_changes_nothing_and_ends_with_1_if_it_would(run: Run) -> None:
    path = write(PYTHON, "x = 1\nbad\nworse")
    done = run("--diff")
    assert done.status == 1
    assert path.read_text() == "x = 1\nbad\nworse"
    assert done.out == (
        f"diff --git a/{PYTHON} b/{PYTHON}\n--- a/{PYTHON}\n+++ b/{PYTHON}\n"
        "@@ -1,3 +1,3 @@\n x = 1\n-bad\n+good\n worse\n\\ No newline at end of file\n"
    )
    assert run("--diff", "--ignore", "RLX101").status == 0
    subprocess.run(["git", "apply"], input=done.out, text=True, check=True)
    assert path.read_text() == "x = 1\ngood\nworse"


@pytest.mark.parametrize("content", ["", "x = 1\n"])
def test_a_diff_creates_files_too(run: Run, monkeypatch: pytest.MonkeyPatch, content: str) -> None:
    new = Path("examples/demo/__init__.py").resolve()

    def missing(source: SourceFile, project: Project) -> Iterator[Finding]:
        if not project.exists(new):
            yield Finding(Place(source, 0, 1), "gone", fix=Fix("create it", lambda: [Edit.new_file(new, content)]))

    monkeypatch.setattr(checking, "load_rules", lambda: by_code(toy("RLX101", "gone", missing)))
    write(PYTHON, "x = 1\n")
    done = run("--diff", "examples")
    assert done.out.startswith(f"diff --git a/{PYTHON.replace('reward_demo', '__init__')} ")
    subprocess.run(["git", "apply"], input=done.out, text=True, check=True)
    assert new.read_text() == content
    assert run("--diff", "examples").status == 0


@pytest.mark.parametrize("option", ["--fix", "--diff"])
def test_fixes_that_do_not_come_to_rest_are_left_out(run: Run, monkeypatch: pytest.MonkeyPatch, option: str) -> None:
    there, back, other = (
        word_rule("RLX101", "bad", replacement="worse"),
        word_rule("RLX102", "worse", replacement="bad"),
        word_rule("RLX103", "ugly", replacement="fine"),
    )
    monkeypatch.setattr(checking, "load_rules", lambda: by_code(there, back, other))
    path = write(PYTHON, "bad, ugly\n")
    done = run(option)
    assert done.status == 2
    assert "examples/demo: the fixes of RLX101, RLX102 do not come to rest and are left out" in done.err
    if option == "--diff":
        assert "+bad, fine" in done.out
        return
    assert path.read_text() == "bad, fine\n"
    assert "RLX101" in done.out
    assert "can be fixed" not in done.out


def test_a_file_that_changes_while_it_is_judged_is_left(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def saves(subject: object, project: object) -> list[object]:
        Path(PYTHON).write_text("bad  # saved by an editor\n")
        return []

    monkeypatch.setattr(checking, "load_rules", lambda: RULES | by_code(toy("RLX199", "saves", saves)))
    write(PYTHON, "bad\n")
    other = write("examples/demo/other.py", "bad\n")
    done = run("--fix")
    assert done.status == 2
    assert f"{PYTHON} is left as it was: it was changed meanwhile; run again" in done.err
    assert "Fixed 1 finding (RLX101). " in done.out
    assert Path(PYTHON).read_text() == "bad  # saved by an editor\n"
    assert other.read_text() == "good\n"


def test_a_link_that_leads_away_is_not_written_through(run: Run) -> None:
    outside = write("outside.py", "bad\n")
    Path("tree/examples/demo").mkdir(parents=True)
    Path("tree/examples/demo/x.py").symlink_to(outside.resolve())
    done = run("--fix", "tree")
    assert done.status == 1
    assert "RLX101" in done.out
    assert "tree/examples/demo/x.py is left as it was: it is a link that leads out of the given paths" in done.err
    assert outside.read_text() == "bad\n"


def test_suppressions_are_added_with_the_reason(run: Run) -> None:
    path = write(PYTHON, "def f():\n    bad\nworse\n")
    launcher = write(LAUNCHER, "A=(\n    bad\n)\n")
    done = run("--add-suppressions", "agreed  on 3 May")
    assert (done.status, done.out) == (0, "Silenced 3 findings.\n")
    assert path.read_text() == (
        "def f():\n    # relax-lint: ignore[RLX101] agreed on 3 May\n    bad\n"
        "# relax-lint: ignore[RLX102] agreed on 3 May\nworse\n"
    )
    assert launcher.read_text() == "A=(\n    # relax-lint: ignore[RLX401] agreed on 3 May\n    bad\n)\n"
    assert run("--require-reasons").status == 0


def test_what_no_comment_can_silence_is_counted(run: Run) -> None:
    write(PYTHON, "def (\n")
    done = run("--add-suppressions", "why")
    assert (done.status, done.out) == (1, "Silenced 0 findings; 1 finding cannot be silenced by a comment.\n")


# ---------------------------------------------------------------- baseline


def test_a_baseline_lets_a_tree_in_and_new_findings_out(run: Run) -> None:
    path = write(PYTHON, "bad\n")
    done = run("--write-baseline", "known.json")
    assert (done.status, done.out) == (0, "known.json now remembers 1 finding.\n")
    assert run("--baseline", "known.json").status == 0
    path.write_text("import os\nbad\nbad\n")
    done = run("--baseline", "known.json", "-q")
    assert done.status == 1
    assert done.out.startswith(f"{PYTHON}:3:1:")
    write("relax-lint.toml", "baseline = 'known.json'\n")
    assert run("-q").out == done.out
    assert "suppressed: baseline" in run("--show-suppressed").out
