"""Every fault of the contract is found: with its code and severity, in its place, and nothing is said besides."""

from __future__ import annotations

import pytest

from tests.faults.cases import all_faults
from tests.faults.clean.recipes import clean
from tests.faults.running import Workspace, findings, wrong_with
from tests.faults.trees import Fault

FAULTS = sorted(all_faults(), key=lambda fault: fault.recipe)
"""By recipe, so that little is to be written from one to the next."""


@pytest.fixture(scope="session")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Where one broken recipe after the other is written."""
    return Workspace(tmp_path_factory.mktemp("faults"))


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.id for fault in FAULTS])
def test_fault_is_found(fault: Fault, workspace: Workspace) -> None:
    tree = fault.applied(clean(fault.recipe))
    root = workspace.become(tree)
    assert wrong_with(fault, tree, findings(root, fault.options)) == []


def test_faults_have_names_of_their_own() -> None:
    names = [fault.id for fault in FAULTS]
    assert [name for name in names if names.count(name) > 1] == []
