"""A file's findings are the same whether it is judged alone, by flake8, with its recipe, or with everything."""

from __future__ import annotations

from pathlib import Path

import pytest

from relax_lint.engine import Report, lint
from relax_lint.flake8_plugin import IN_PYTHON, WITHOUT_PYTHON, family_of
from relax_lint.project import Project
from relax_lint.rules import load_rules
from relax_lint.suspicion import Suspicion
from tests.cases import for_each

RULES = load_rules()
TRAIN = "python3 relax/entrypoints/train.py"
FAULTY = "def reward_func(sample):\n    return 1.0\n"
ROOT = {"examples/b1/rb.py": FAULTY, "examples/b1/run.sh": f"{TRAIN} --lr 1\n"}
NAMED = "--custom-rm-path examples.s1.rw.reward_func"


def names(value: str, before: str = "") -> dict[str, str]:
    return {**ROOT, "examples/n1/run.sh": f"{before}{TRAIN} --custom-rm-path {value}\n"}


def imports(text: str, others: dict[str, str] | None = None) -> dict[str, str]:
    return {**ROOT, "examples/s1/run.sh": f"{TRAIN} {NAMED}\n", "examples/s1/rw.py": text, **(others or {})}


WITH_REWARD_OF_ANOTHER = [
    imports("from examples.b1.rb import reward_func\n"),
    imports("from ..b1.rb import *\n"),
    imports("from examples.b1 import rb\nreward_func = rb.reward_func\n"),
    imports("import examples.b1.rb as its\nreward_func = its.reward_func\n"),
    imports("from .parts import reward_func\n", {
        "examples/s1/parts.py": "from ..m1.more import reward_func\n",
        "examples/m1/more.py": "from ..b1.rb import reward_func\n",
    }),
    imports("from shared.all import reward_func\n", {
        "shared/all.py": "from examples.b1.rb import reward_func\n",
    }),
    names("examples.${ALGO}.rb.reward_func", "ALGO=b1\n"),
    names("examples.$A.${B}b.reward_func", "A=b1 B=r\n"),
    names("examples.b$N.rb.reward_func", "N=1\n"),
    names("\"exam\"\"ples.b\"'1'.rb.reward_func"),
    names("exam\\\nples.b1.rb.reward_func"),
    names("${D/n/b}.rb.reward_func", "D=examples.n1\n"),
    {**ROOT, "examples/n1/run.sh": f"for a in b1 x; do {TRAIN} --custom-rm-path examples.$a.rb.reward_func; done\n"},
    {**ROOT, "examples/n1/run.sh": f"RM=rm\n{TRAIN} --custom-$RM-path examples.b1.rb.reward_func\n"},
    {**ROOT, "examples/n1/run.sh": f"{TRAIN} --cus'tom-r'\"m-pa\"th examples.b1.rb.reward_func\n"},
    {**ROOT, "examples/n1/run.sh": f"F=--custom-rm-path\nX=b1\n{TRAIN} $F examples.b1.rb.reward_func\n"},
    {
        **ROOT,
        "examples/n1/run.sh": f"{TRAIN} --custom-config-path examples/n1/c.yaml\n",
        "examples/n1/c.yaml": "custom_rm_path: examples.b1.rb.reward_func\n",
    },
    {
        **ROOT,
        "examples/n1/run.sh": f"C=c\n{TRAIN} --custom-config-path examples/n1/$C.yaml\n",
        "examples/n1/c.yaml": "custom_rm_path: examples.b1.rb.reward_func\n",
    },
    {
        **ROOT,
        "examples/x2/lib.sh": "RM=(--custom-rm-path examples.b1.rb.reward_func)\n",
        "examples/x3/run.sh": f'source "$(dirname "$0")/../x2/lib.sh"\n{TRAIN} "${{RM[@]}}"\n',
    },
    {
        **ROOT,
        "tools/lib.sh": "RM=(--custom-rm-path examples.b1.rb.reward_func)\n",
        "examples/x3/run.sh": f'source "$(dirname "$0")/../../tools/lib.sh"\n{TRAIN} "${{RM[@]}}"\n',
    },
]  # fmt: skip

SHARED = "ARGS=(--lr 1e-6)\nEVAL_ARGS=(--eval-interval 10)\n"
WITH_SHARED_SCRIPTS = [
    {"examples/lib.sh": SHARED, "examples/n7/run.sh": f'. "$(dirname "$0")/../lib.sh"\n{TRAIN} "${{ARGS[@]}}"\n'},
    {"scripts/lib.sh": SHARED, "examples/n7/run.sh": f'source scripts/lib.sh\n{TRAIN} "${{ARGS[@]}}"\n'},
    {
        "examples/b1/lib.sh": SHARED,
        "examples/n7/lib.sh": SHARED,
        "examples/n7/run.sh": f'W=b\nsource "$(dirname "$0")/../${{W}}1/lib.sh"\n{TRAIN} "${{ARGS[@]}}"\n',
    },
    {
        "examples/b1/lib.sh": SHARED,
        "scripts/run.sh": f'source examples/b1/lib.sh\n{TRAIN} --colocate "${{ARGS[@]}}" --rollout-batch-size 3\n',
    },
]


def said(report: Report, targets: list[Path]) -> set[tuple[object, ...]]:
    assert report.failures == []
    found = {(item.path, item.code, item.start, item.message, item.suppressed) for item in report.diagnostics}
    silent = {(item.path, item.code, item.line, item.because) for item in report.not_checked}
    return {item for item in found | silent if item[0] in targets}


@pytest.mark.parametrize("tree", WITH_REWARD_OF_ANOTHER + WITH_SHARED_SCRIPTS)
def test_a_file_alone_and_in_its_directory_and_in_parts_is_judged_as_in_the_whole_tree(tree: dict[str, str]) -> None:
    project = Project.from_files(tree)
    paths = [project.root / path for path in tree]
    everything = said(lint(project, RULES), paths)
    if "examples/b1/rb.py" in tree:
        assert any(item[0] == project.root / "examples/b1/rb.py" for item in everything)
    for path in paths:
        alone = said(lint(Project.from_files(tree), RULES, None, [path]), [path])
        assert alone == {item for item in everything if item[0] == path}, path
    merged = Report()
    for path in paths:
        merged.merge(lint(Project.from_files(tree), RULES, None, [path], paths))
    assert said(merged, paths) == everything


@for_each("tree", WITH_REWARD_OF_ANOTHER)
def test_flake8_suspects_a_reward_that_another_recipe_uses(tree: dict[str, str]) -> None:
    project = Project.from_files(tree)
    ours = [rule for rule in RULES.values() if rule.on in IN_PYTHON and family_of(rule) not in WITHOUT_PYTHON]
    recipe = project.recipe_of(project.root / "examples/b1/rb.py")
    assert recipe is not None
    assert Suspicion(project, ours).of_recipe(recipe)


def test_launchers_that_have_no_say_are_not_worked_out() -> None:
    tree = {
        **ROOT,
        "examples/lib.sh": SHARED,
        "examples/b1/own.sh": "X=1\n",
        "examples/n1/run.sh": f'source "$(dirname "$0")/own.sh"\n{TRAIN} {NAMED}\n',
        "examples/n1/own.sh": "X=1\n",
        "examples/s1/rw.py": "import math\n" + FAULTY,
    }
    project = Project.from_files(tree)
    for path in ("examples/b1/rb.py", "examples/b1/run.sh", "examples/b1/own.sh"):
        lint(project, RULES, None, [project.root / path])
        other = project.launcher(project.root / "examples/n1/run.sh")
        assert other is not None
        assert "evaluation" not in vars(other), path


CLIENT = (
    "from openai import AsyncOpenAI\n\n\n"
    "async def reward_func(args, sample, **kwargs):\n"
    "    client = AsyncOpenAI()\n"
    "    return await client.chat.completions.create(model=args.judge, messages=[])\n"
)
WITH_A_FAULT_OF_ITS_CODE = {
    "examples/b1/rb.py": CLIENT,
    "examples/b1/run_a.sh": f"{TRAIN} --custom-rm-path examples.b1.rb.reward_func\n",
    "examples/b1/run_b.sh": f"{TRAIN} --custom-rm-path examples.b1.rb.reward_func --lr 1\n",
}


def clients_found(tree: dict[str, str]) -> tuple[Project, list[str]]:
    project = Project.from_files(tree)
    rules = {code: RULES[code] for code in ("RLX002", "RLX211")}
    report = lint(project, rules, None, [project.root / "examples/b1/rb.py"])
    return project, [found.code for found in report.diagnostics]


def test_one_launch_confirms_what_code_has_wrong_for_all() -> None:
    project, found = clients_found(WITH_A_FAULT_OF_ITS_CODE)
    assert found == ["RLX211"]
    first, second = (project.launcher(project.root / f"examples/b1/run_{name}.sh") for name in "ab")
    assert first is not None
    assert second is not None
    assert "evaluation" in vars(first)
    assert "evaluation" not in vars(second)


def test_a_launch_that_does_not_come_about_confirms_nothing() -> None:
    never = f"exit 0\n{WITH_A_FAULT_OF_ITS_CODE['examples/b1/run_a.sh']}"
    one = {**WITH_A_FAULT_OF_ITS_CODE, "examples/b1/run_a.sh": never}
    assert clients_found(one)[1] == ["RLX211"]
    assert clients_found({**one, "examples/b1/run_b.sh": never})[1] == []


def test_a_comment_about_other_rules_has_no_launcher_worked_out() -> None:
    tree = {**WITH_A_FAULT_OF_ITS_CODE, "examples/b1/rb.py": f"import os  # noqa: F401\n{CLIENT}"}
    project, found = clients_found(tree)
    second = project.launcher(project.root / "examples/b1/run_b.sh")
    assert found == ["RLX211"]
    assert second is not None
    assert "evaluation" not in vars(second)
