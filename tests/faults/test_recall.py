"""Every fault of the contract is found: with its code and severity, in its place, and nothing is said besides."""

from __future__ import annotations

import pytest

from relax_lint.flake8_plugin import WITHOUT_PYTHON, family_of
from relax_lint.rules import import_rules
from tests.faults.cases import all_faults
from tests.faults.clean.recipes import clean
from tests.faults.running import Said, Workspace, findings, wrong_with

FAULTS = sorted(all_faults(), key=lambda fault: fault.recipe)
"""By recipe, so that little is to be written from one to the next."""
RULES = import_rules()
OF_THE_ENGINE = {"RLX001", "RLX002"}
"""Files of any kind that cannot be read, and comments that nothing needs: flake8 has both itself."""


@pytest.fixture(scope="session")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Where one broken recipe after the other is written."""
    return Workspace(tmp_path_factory.mktemp("faults"))


@pytest.mark.parametrize(("recipe", "code"), sorted({(fault.recipe, fault.code) for fault in FAULTS}))
def test_faults_are_found(recipe: str, code: str, workspace: Workspace) -> None:
    wrong = {}
    for fault in FAULTS:
        if (fault.recipe, fault.code) == (recipe, code):
            tree = fault.applied(clean(recipe))
            said = findings(workspace.become(tree), fault.options)
            wrong[fault.id] = [*wrong_with(fault, tree, said), *in_python_of_others(said)]
    assert {name: each for name, each in wrong.items() if each} == {}


def in_python_of_others(said: list[Said]) -> list[str]:
    """Findings in Python files that flake8 would not show: it loads no rules that are not known to have any there."""
    others = {code for code, rule in RULES.items() if family_of(rule) in WITHOUT_PYTHON} - OF_THE_ENGINE
    return [f"in Python: {one}" for one in said if one.path.endswith(".py") and one.code in others]


def test_faults_have_names_of_their_own() -> None:
    names = [fault.id for fault in FAULTS]
    assert [name for name in names if names.count(name) > 1] == []
