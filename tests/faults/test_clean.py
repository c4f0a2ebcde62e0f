"""The clean recipes get no finding, so that every finding in a broken one comes from its fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.clean.recipes import MAKERS, clean
from tests.faults.running import check


@pytest.mark.parametrize("name", MAKERS)
def test_clean_recipe_has_no_finding(name: str, tmp_path: Path) -> None:
    assert [str(one) for one in check(clean(name), tmp_path)] == []
