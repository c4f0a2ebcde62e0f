"""Every fault of the contract is found: with its code and severity, in its place, and nothing is said besides."""

from __future__ import annotations

import pytest

from tests.faults.cases import all_faults
from tests.faults.clean.recipes import clean
from tests.faults.running import Workspace, findings, wrong_with

FAULTS = sorted(all_faults(), key=lambda fault: fault.recipe)
"""By recipe, so that little is to be written from one to the next."""


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
            wrong[fault.id] = wrong_with(fault, tree, findings(workspace.become(tree), fault.options))
    assert {name: said for name, said in wrong.items() if said} == {}


def test_faults_have_names_of_their_own() -> None:
    names = [fault.id for fault in FAULTS]
    assert [name for name in names if names.count(name) > 1] == []
