"""The plugin in the real flake8."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from relax_lint.flake8_plugin import WITHOUT_PYTHON, family_of
from relax_lint.rules import Example
from tests.test_rule_examples import RULES
from tools.rule_examples import tree_of

RECIPES = Path(__file__).parent / "recipes"
REWARD = Path("examples/countdown/reward_countdown.py")
SYNC_REWARD = "def reward_func(args, sample, **kwargs):\n    return {'score': 1.0}\n"
ASYNC_REWARD = f"async {SYNC_REWARD}"


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    return Path(shutil.copytree(RECIPES / "broken_countdown", tmp_path / "repository"))


def flake8(directory: Path, *arguments: str, text: str | None = None) -> list[str]:
    """What flake8 prints, a line a finding."""
    command = [sys.executable, "-m", "flake8", "--max-line-length=200", *arguments]
    done = subprocess.run(command, cwd=directory, input=text, capture_output=True, text=True)
    assert done.stderr == ""
    assert done.returncode == (1 if done.stdout else 0)
    return done.stdout.splitlines()


def places(lines: list[str]) -> list[str]:
    """Path, line and code."""
    return [re.sub(r"^(?:\./)?([^:]+:\d+):\d+: (\w+) .*", r"\1 \2", line) for line in lines]


def test_a_reward_is_judged_by_the_launcher_that_names_it(broken: Path) -> None:
    (broken / REWARD).write_text(f"def helper(args, sample):\n    return None\n\n\n{SYNC_REWARD}")
    assert places(flake8(broken, "examples")) == [f"{REWARD}:5 RLX202"]
    launcher = broken / "examples/countdown/run_countdown.sh"
    launcher.write_text(launcher.read_text().replace("--custom-rm-path", "--rm-type math #"))
    assert flake8(broken, "examples") == []


def test_only_python_files_of_recipes_are_judged(broken: Path) -> None:
    (broken / "tools").mkdir()
    for path in ("tools/reward.py", "reward.py", "examples/loose.py"):
        (broken / path).write_text("from verl import DataProto  # noqa: F401\n")
    assert flake8(broken, "--select=RLX101", ".") == []
    (broken / REWARD).write_text("from verl import DataProto\n")
    assert places(flake8(broken, "--select=RLX101", ".")) == [f"{REWARD}:1 RLX101"]


def test_flake8s_own_options_choose(broken: Path) -> None:
    (broken / REWARD).write_text(SYNC_REWARD)
    assert flake8(broken, "--select=F,E", "examples") == []
    assert flake8(broken, "--extend-ignore=RLX2", "examples") == []
    assert flake8(broken, f"--per-file-ignores={REWARD}:RLX202", "examples") == []
    assert places(flake8(broken, "--select=RLX202", "examples")) == [f"{REWARD}:1 RLX202"]


def test_noqa_is_flake8s(broken: Path) -> None:
    (broken / REWARD).write_text(SYNC_REWARD.replace(":\n", ":  # noqa: RLX202\n", 1))
    assert flake8(broken, "examples") == []
    assert places(flake8(broken, "--disable-noqa", "examples")) == [f"{REWARD}:1 RLX202"]


@pytest.mark.parametrize("comment", ["ignore[RLX202]", "ignore[reward-not-async]", "file-ignore[RLX2]"])
def test_own_comments_silence_with_or_without_noqa(broken: Path, comment: str) -> None:
    (broken / REWARD).write_text(f"# relax-lint: {comment} it runs in a worker\n{SYNC_REWARD}")
    assert flake8(broken, "--disable-noqa", "examples") == []


def test_own_configuration_chooses(broken: Path) -> None:
    (broken / REWARD).write_text(SYNC_REWARD)
    (broken / "pyproject.toml").write_text('[tool.relax-lint]\nignore = ["RLX202"]\n')
    assert flake8(broken, "examples") == []
    (broken / "pyproject.toml").write_text(
        '[tool.relax-lint.per-file-ignores]\n"examples/countdown/*.py" = ["reward-not-async"]\n'
    )
    assert flake8(broken, "examples") == []


def test_unsaved_text_from_an_editor_is_judged_in_place_of_the_file(broken: Path) -> None:
    (broken / REWARD).write_text(ASYNC_REWARD)
    display = f"--stdin-display-name={REWARD}"
    assert places(flake8(broken, display, "-", text=f"A = 1\n\n\n{SYNC_REWARD}")) == [f"{REWARD}:4 RLX202"]
    (broken / REWARD).write_text(SYNC_REWARD)
    assert flake8(broken, display, "-", text=ASYNC_REWARD) == []


def test_standard_input_without_a_name_is_nobodys(broken: Path) -> None:
    assert flake8(broken / REWARD.parent, "-", text="import verl  # noqa: F401\n") == []


def test_several_processes_find_the_same(broken: Path) -> None:
    for name in ("a", "b", "c"):
        shutil.copytree(broken / "examples/countdown", broken / "examples" / name)
        (broken / "examples" / name / "tool.py").write_text("import verl.trainer as t\nprint(t)\n")
    alone = flake8(broken, "-j1", "--select=RLX", "examples")
    assert alone == flake8(broken, "-j4", "--select=RLX", "examples")
    assert len({line.split(":")[0] for line in alone}) >= 4


@pytest.mark.parametrize(
    "data",
    [
        "# é\nword = 'é'; import verl\nword, verl\n".encode(),
        "# é\nword = 'é'; import verl\nword, verl\n".encode("utf-8-sig"),
        "# é\r\nword = 'é'; import verl\r\nword, verl\r\n".encode(),
        "# -*- coding: latin-1 -*- é\nword = 'é'; import verl\nword, verl\n".encode("latin-1"),
    ],
    ids=["utf-8", "byte-order mark", "CRLF", "latin-1"],
)
def test_columns_count_characters_whatever_the_encoding(broken: Path, data: bytes) -> None:
    (broken / REWARD).write_bytes(data)
    [line] = flake8(broken, "--select=RLX101", "examples")
    assert line.startswith(f"{REWARD}:2:13: RLX101 ")


def test_a_file_that_is_not_python_is_flake8s_to_report(broken: Path) -> None:
    (broken / REWARD).write_text("def reward_func(:\n")
    [line] = flake8(broken, "--select=E9,RLX", "examples")
    assert "E999" in line


@pytest.mark.parametrize("family", sorted({family_of(rule) for rule in RULES.values()} - set(WITHOUT_PYTHON)))
def test_flake8_says_of_python_files_what_check_says(family: str, tmp_path: Path) -> None:
    """Every example of a family's rules that holds Python, each a repository of its own, judged by both. That rules of
    the other families say nothing of Python files, recall and the examples of these rules show."""
    judged = {code: rule for code, rule in RULES.items() if family_of(rule) == family}
    for rule in judged.values():
        for number, example in enumerate([*rule.valid, *rule.invalid]):
            tree = tree_of(rule, Example(example) if isinstance(example, str) else example)
            for path, text in tree.items() if any(path.endswith(".py") for path in tree) else ():
                file = tmp_path / f"{rule.code}_{number}" / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
    shown = {code for code, rule in RULES.items() if family_of(rule) not in WITHOUT_PYTHON}
    options = ["-j1", "--format=json", "--isolated", "--no-cache", f"--select={','.join(sorted(shown))}"]
    command = [sys.executable, "-m", "relax_lint", "check", *options, "."]
    output = json.loads(subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout)
    in_python = [found for found in output["diagnostics"] if found["path"].endswith(".py")]
    checked = {
        f"{found['path']}:{found['line']}:{found['column']}: {found['code']} {found['message']}"
        for found in in_python
        if found["severity"] != "advice"
    }
    assert checked
    assert {line.removeprefix("./") for line in flake8(tmp_path, "-j1", "--isolated", "--select=RLX", ".")} == checked


@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
@pytest.mark.parametrize(
    ("arguments", "text", "complaint"),
    [
        ([], "selct = []\n", "relax-lint.toml: unknown key 'selct'; did you mean 'select'?"),
        ([], "ignore = ['RLX9']\n", "relax-lint.toml: no rule is called 'RLX9'"),
        ([], "relax-root = 'nope'\n", "relax-root must be a directory that holds relax/"),
        (["--relax-lint-config=nothing.toml"], "", "nothing.toml: cannot be read: No such file or directory"),
    ],
)
def test_configuration_that_cannot_be_used_is_said_in_a_line(
    broken: Path, jobs: str, arguments: list[str], text: str, complaint: str
) -> None:
    (broken / "relax-lint.toml").write_text(text)
    (broken / "examples/countdown/tool.py").write_text("A = 1\n")
    command = [sys.executable, "-m", "flake8", jobs, *arguments, "examples"]
    done = subprocess.run(command, cwd=broken, capture_output=True, text=True)
    assert done.returncode == 1
    assert complaint in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
def test_configuration_of_a_recipe_that_cannot_be_used_is_said_at_its_files(broken: Path, jobs: str) -> None:
    (broken / "examples/countdown/relax-lint.toml").write_text("selct = []\n")
    (broken / "examples/countdown/tool.py").write_text("A = 1\n")
    found = flake8(broken, jobs, "--select=RLX", "examples")
    said = (
        "RLX001 " + str(broken / "examples/countdown/relax-lint.toml") + ": unknown key 'selct'; did you mean 'select'?"
    )
    assert found == [f"examples/countdown/{name}:1:1: {said}" for name in ("reward_countdown.py", "tool.py")]
