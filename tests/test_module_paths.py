"""What module paths lead to, and what is said where they lead nowhere."""

from __future__ import annotations

import pytest

from relax_lint.config import Settings
from relax_lint.engine import Report, lint
from relax_lint.module_paths import as_module_path, fault, is_file_form, package_fault
from relax_lint.project import Project
from relax_lint.rules import load_rules
from relax_lint.selection import Layer
from tests.cases import for_each

RUN = "examples/demo/run_demo.sh"
TRAIN = "python3 relax/entrypoints/train.py"
TREE = {
    "examples/demo/rollout.py": "import os\n\n\nasync def generate(args, sample, params):\n    return sample\n",
    "examples/demo/again.py": "from .rollout import generate as generate_again\nfrom .parts import *\n",
    "examples/demo/parts.py": "__all__ = ['shown']\nshown = hidden = print\n",
    "examples/demo/package/__init__.py": "",
    "examples/demo/package/inner.py": "VALUE = 1\n",
    "examples/demo/broken.py": "def f(:\n",
    "examples/with-dash/filters.py": "def keep(args, samples):\n    return True\n",
    "tool.py": "def run():\n    return None\n",
}


@pytest.mark.parametrize(
    "dotted",
    [
        "examples.demo.rollout.generate",
        "examples.demo.again.generate_again",
        "examples.demo.again.shown",
        "examples.demo.rollout.os",
        "examples.demo.broken.anything",
        "examples.with-dash.filters.keep",
        "tool.run",
        "elsewhere.rollout.generate",
        "relax.engine.rollout.generate",
    ],
)
def test_paths_without_a_fault(dotted: str) -> None:
    assert fault(dotted, Project.from_files(TREE)) is None


@for_each(
    ("dotted", "said"),
    [
        ("examples.demo.rollout.genrate", "examples/demo/rollout.py has no genrate; did you mean generate?"),
        (
            "examples.demo.rolout.generate",
            "there is no module examples.demo.rolout; did you mean examples.demo.rollout?",
        ),
        ("examples.demos.rollout.generate", "did you mean examples.demo.rollout?"),
        ("examples.demo.again.hidden", "examples/demo/again.py has no hidden"),
        ("examples.demo.rollout", "examples.demo.rollout is a module"),
        ("examples.demo.package.inner", "examples.demo.package.inner is a module"),
        ("examples.demo.generate", "examples.demo is a directory"),
        ("examples.with-dash.filters.drop", "examples/with-dash/filters.py has no drop"),
        ("generate", "names no function in a module"),
        ("examples..rollout.generate", "names no function in a module"),
        (".rollout.generate", "names no function in a module"),
        ("examples.demo.rollout.", "names no function in a module"),
    ],
)
def test_what_is_said_of_a_path(dotted: str, said: str) -> None:
    assert said in (fault(dotted, Project.from_files(TREE)) or "nothing")


@pytest.mark.parametrize(
    ("flag", "code"), [("--custom-generate-function-path", "RLX306"), ("--dynamic-sampling-filter-path", "RLX507")]
)
@pytest.mark.parametrize("named", ["examples.before.rollout.generate", "examples.zzz.parts.rollout.generate"])
def test_a_module_of_a_recipe_that_was_moved_is_looked_for_in_it(flag: str, code: str, named: str) -> None:
    settings = Settings(selection=(Layer(select=(code,)),))
    files = {**TREE, "examples/other/rollout.py": "x = 1\n", RUN: f"{TRAIN} --rm-type math {flag} {named}\n"}
    (found,) = lint(Project.from_files(files, settings), load_rules(), settings).diagnostics
    module = named.rpartition(".")[0]
    assert found.message.endswith(f"there is no module {module}; did you mean examples.demo.rollout?")


def test_paths_into_relax_are_looked_up_in_its_checkout() -> None:
    checkout = {**TREE, "relax/entrypoints/train.py": "", "relax/engine/rollout.py": "def generate():\n    return 1\n"}
    project = Project.from_files(checkout)
    assert fault("relax.engine.rollout.generate", project) is None
    assert fault("relax.engine.rollout.genrate", project) == (
        "relax/engine/rollout.py has no genrate; did you mean generate?"
    )
    assert "no module relax.engine.rolout" in (fault("relax.engine.rolout.generate", project) or "")
    # A directory of that name without the entry point is no checkout: what else is in Relax nobody knows.
    assert fault("relax.engine.other.f", Project.from_files({**TREE, "relax/x.py": ""})) is None


@for_each(
    ("named", "usual", "wanted"),
    [
        ("examples/demo/rollout.py:generate", None, "examples.demo.rollout.generate"),
        ("./examples/demo/../demo/rollout.py:generate", None, "examples.demo.rollout.generate"),
        ("/project/examples/demo/rollout.py:generate", None, "examples.demo.rollout.generate"),
        ("examples.demo.rollout:generate", None, "examples.demo.rollout.generate"),
        ("examples/demo/rollout/generate", None, "examples.demo.rollout.generate"),
        ("examples/demo/rollout.py", "generate", "examples.demo.rollout.generate"),
        ("examples/demo/rollout", "generate", "examples.demo.rollout.generate"),
        ("examples/demo/rollout.py", None, None),
        ("examples/demo/rollout.py", "keep", None),
        ("examples/demo/rollout.py:keep", "generate", None),
        ("examples/demo/gone.py:generate", None, None),
        ("../demo/rollout.py:generate", None, None),
        ("examples/demo/package:inner", None, None),
        ("https://host/rollout.py", "generate", None),
    ],
)
def test_the_module_path_of_a_file_form(named: str, usual: str | None, wanted: str | None) -> None:
    assert is_file_form(named)
    assert as_module_path(named, Project.from_files(TREE), usual) == wanted


def test_packages_are_modules_or_directories() -> None:
    project = Project.from_files(TREE)
    assert package_fault("examples.demo.package", project) is None
    assert package_fault("examples.demo.rollout", project) is None
    assert package_fault("somebody.models", project) is None
    assert package_fault("examples.demo.packages", project) == "there is no package examples.demo.packages"


# ------------------------------------------------------------ the rule on the launches


def judged(files: dict[str, str]) -> Report:
    settings = Settings(selection=(Layer(select=("RLX201", "RLX507")),))
    return lint(Project.from_files({**TREE, **files}, settings), load_rules(), settings)


def test_a_reward_by_its_file_is_said_once_with_the_fix() -> None:
    reward = {"examples/demo/reward_demo.py": "async def reward_func(args, sample, **kwargs):\n    return 0.0\n"}
    launch = f"{TRAIN} --custom-rm-path examples/demo/reward_demo.py:reward_func\n"
    [found] = judged({**reward, RUN: launch}).diagnostics
    assert found.code == "RLX507"
    assert found.fix is not None
    assert found.fix.safe
    assert found.fix.edits()[0].text == "examples.demo.reward_demo.reward_func"


@pytest.mark.parametrize(
    ("path", "code"), [("examples.demo.reward_gone.reward_func", "RLX201"), ("examples.demo.rollout.score", "RLX201")]
)
def test_a_missing_reward_is_said_once(path: str, code: str) -> None:
    assert [found.code for found in judged({RUN: f"{TRAIN} --custom-rm-path {path}\n"}).diagnostics] == [code]
    outside = {"scripts/training/text/run-demo.sh": f"{TRAIN} --custom-rm-path {path}\n"}
    assert [found.code for found in judged(outside).diagnostics] == ["RLX507"]


def test_what_is_not_known_is_recorded_unless_it_is_a_file_whatever_it_is() -> None:
    report = judged({RUN: f'{TRAIN} --dynamic-sampling-filter-path "examples.${{NAME}}.filters.keep"\n'})
    assert [silence.because for silence in report.not_checked if silence.code == "RLX507"] == ["${NAME}"]
    report = judged({RUN: f'{TRAIN} --dynamic-sampling-filter-path "examples/${{NAME}}/filters.py:keep"\n'})
    assert [found.code for found in report.diagnostics] == ["RLX507"]
    assert report.diagnostics[0].fix is None


def test_the_last_of_several_counts_and_dual_launches_are_one_finding() -> None:
    lines = "ARGS=(--dynamic-sampling-filter-path examples/demo/rollout.py:generate)\n"
    both = f'{lines}if [ "$1" = async ]; then {TRAIN} "${{ARGS[@]}}" --fully-async; else {TRAIN} "${{ARGS[@]}}"; fi\n'
    assert len(judged({RUN: both}).diagnostics) == 1
    later = f'{lines}{TRAIN} "${{ARGS[@]}}" --dynamic-sampling-filter-path tool.run\n'
    assert judged({RUN: later}).diagnostics == []
