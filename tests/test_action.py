"""`action.yml`: what GitHub reads of it, and its scripts as a runner would run them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: dict[str, dict[str, Any]] = {step["name"]: step for step in ACTION["runs"]["steps"]}
DEFAULTS: dict[str, str] = {name: given["default"] for name, given in ACTION["inputs"].items()}
RECIPE = ROOT / "tests/recipes/broken_countdown"


class Runner:
    """Runs the scripts of the action with some inputs, in a workspace."""

    def __init__(self, place: Path) -> None:
        self.workspace, self.temp, self.output = place / "workspace", place / "temp", place / "output"
        self.temp.mkdir()
        shutil.copytree(RECIPE, self.workspace)

    def run(self, step: str, /, **inputs: str) -> subprocess.CompletedProcess[str]:
        given = {**DEFAULTS, **{name.replace("_", "-"): value for name, value in inputs.items()}}
        script = self.temp / "script.sh"
        script.write_text(STEPS[step]["run"])
        directory = self.workspace / filled(STEPS[step].get("working-directory", "."), given)
        self.output.write_text("")
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=directory,
            env={
                **os.environ,
                **{name: filled(text, given) for name, text in STEPS[step]["env"].items()},
                "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
                "RUNNER_TEMP": str(self.temp),
                "GITHUB_OUTPUT": str(self.output),
                "XDG_CACHE_HOME": str(self.temp / "cache"),
            },
            capture_output=True,
            text=True,
        )

    def outputs(self) -> dict[str, str]:
        return dict(line.split("=", 1) for line in self.output.read_text().splitlines())


def filled(text: str, inputs: dict[str, str]) -> str:
    """A text with what GitHub puts in for its expressions."""
    known = {f"inputs.{name}": value for name, value in inputs.items()} | {"github.action_path": str(ROOT)}
    return re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda match: known[match[1]], text)


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    """A runner on which relax-lint is installed."""
    runner = Runner(tmp_path)
    place = runner.temp / "relax-lint/bin"
    place.mkdir(parents=True)
    (place / "relax-lint").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m relax_lint "$@"\n')
    (place / "relax-lint").chmod(0o755)
    return runner


# ---------------------------------------------------------------- what GitHub reads


def test_it_is_what_github_expects_of_an_action() -> None:
    found = find_spec("check_jsonschema")
    assert found is not None
    assert found.origin is not None
    schema = json.loads((Path(found.origin).parent / "builtin_schemas/vendor/github-actions.json").read_text())
    jsonschema.validators.validator_for(schema)(schema).validate(ACTION)


def test_inputs_reach_scripts_as_variables_only() -> None:
    for step in STEPS.values():
        assert "${{" not in step.get("run", ""), step["name"]
    used = set(re.findall(r"\binputs\.([\w-]+)", (ROOT / "action.yml").read_text()))
    assert used == DEFAULTS.keys()


def test_every_input_and_output_is_documented() -> None:
    page = (ROOT / "docs/reports.md").read_text(encoding="utf-8")
    for name in [*ACTION["inputs"], *ACTION["outputs"]]:
        assert f"| `{name}` |" in page
    assert all(given["description"] for given in [*ACTION["inputs"].values(), *ACTION["outputs"].values()])


# ---------------------------------------------------------------- its scripts


def test_findings_are_annotations_and_fail_the_job(runner: Runner) -> None:
    done = runner.run("Check", paths="examples")
    assert done.returncode == 1
    assert "::error title=RLX202 (reward-not-async),file=examples/countdown/reward_countdown.py," in done.stdout
    assert runner.outputs() == {"exit-status": "1"}


def test_options_and_a_report_for_code_scanning(runner: Runner) -> None:
    done = runner.run("Check", paths="examples", args="--select RLX202\t--exit-zero", upload_sarif="true")
    assert done.returncode == 0
    assert runner.outputs() == {"exit-status": "0", "sarif-file": str(runner.temp / "relax-lint.sarif")}
    results = json.loads(Path(runner.outputs()["sarif-file"]).read_text())["runs"][0]["results"]
    assert [result["ruleId"] for result in results] == ["RLX202"]


def test_a_line_is_a_word_where_there_are_several(runner: Runner) -> None:
    (runner.workspace / "examples/countdown").rename(runner.workspace / "examples/count down")
    (runner.workspace / "examples/empty").mkdir()
    done = runner.run(
        "Check",
        paths="examples/count down\nexamples/empty\n",
        args="--select\nRLX403,RLX404\n",
        format="junit",
        output_file="report.xml",
        working_directory=".",
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "count down/run_countdown.sh" in (runner.workspace / "report.xml").read_text()


@pytest.mark.parametrize("text", ["$(touch owned)", "`touch owned`", '"; touch owned; "', "a\n$(touch owned)\n", "*"])
def test_no_input_is_run(runner: Runner, text: str) -> None:
    runner.run("Check", paths=text, args=text, format=text, output_file=text, upload_sarif=text)
    runner.run("Check", paths="examples", args=text)
    for name in ("version", "extras"):
        done = runner.run("Install relax-lint", **{name: text})
        assert (done.returncode, done.stdout[:8]) == (2, "::error ")
    assert not list(runner.workspace.rglob("owned"))


def test_wrong_usage_fails_the_job(runner: Runner) -> None:
    done = runner.run("Check", paths="nowhere")
    assert (done.returncode, runner.outputs()) == (2, {"exit-status": "2"})
    assert "no such file or directory: nowhere" in done.stderr


def test_no_report_is_told_of_where_none_was_made(runner: Runner) -> None:
    (runner.temp / "relax-lint.sarif").write_text("of an earlier step")
    assert runner.run("Check", args="--frobnicate", upload_sarif="true").returncode == 2
    assert runner.outputs() == {"exit-status": "2"}


def test_a_path_may_have_blanks(runner: Runner) -> None:
    (runner.workspace / "examples").rename(runner.workspace / "some examples")
    done = runner.run("Check", paths="some examples", format="text")
    assert "no such file" not in done.stderr
    assert done.returncode != 2


def test_code_scanning_gets_what_fixes_leave(runner: Runner) -> None:
    runner.run("Check", paths="examples", args="--fix --select RLX202", upload_sarif="true")
    results = json.loads(Path(runner.outputs()["sarif-file"]).read_text())["runs"][0]["results"]
    assert results == []


def test_it_installs_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From its own directory, with what this environment has of what that takes."""
    monkeypatch.setenv("PYTHONPATH", sysconfig.get_path("purelib"))
    for name, value in (("NO_BUILD_ISOLATION", "0"), ("NO_DEPS", "1"), ("NO_INDEX", "1"), ("IGNORE_INSTALLED", "1")):
        monkeypatch.setenv(f"PIP_{name}", value)
    runner = Runner(tmp_path)
    done = runner.run("Install relax-lint")
    assert done.returncode == 0, done.stderr
    done = runner.run("Check", paths="examples", format="text")
    assert done.returncode == 1, done.stderr
    assert "RLX202" in done.stdout
