"""Every fault of the contract is found: with its code and severity, in its place, and nothing is said besides."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.cases import all_faults
from tests.faults.clean.recipes import clean
from tests.faults.running import check, wrong_with
from tests.faults.trees import Fault

FAULTS = all_faults()


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.id for fault in FAULTS])
def test_fault_is_found(fault: Fault, tmp_path: Path) -> None:
    tree = fault.applied(clean(fault.recipe))
    assert wrong_with(fault, tree, check(tree, tmp_path, fault.options)) == []


def test_faults_have_names_of_their_own() -> None:
    names = [fault.id for fault in FAULTS]
    assert [name for name in names if names.count(name) > 1] == []
