"""Which names are mistyped ones."""

from __future__ import annotations

import pytest

from relax_lint.slips import is_slip


@pytest.mark.parametrize("name", ["lable", "labl", "labell", "labep", "albel", "abel", "labels"])
def test_a_slip(name: str) -> None:
    assert is_slip(name, "label")
    assert is_slip("label", name)


@pytest.mark.parametrize("name", ["label", "lebla", "labelling", "able", "level", "group_label", ""])
def test_no_slip(name: str) -> None:
    assert not is_slip(name, "label")
