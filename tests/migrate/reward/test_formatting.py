"""What a user has written stays as it is written: comments, layout, line ends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from relax_lint.migrate.reward.request import Function
from tests.migrate.reward.originals import originals
from tests.migrate.reward.produced import Workshop

_SCORE = (
    "\n\ndef compute_score(data_source, solution_str, ground_truth, extra_info=None):\n    return f() + g() + h()\n"
)
_DEFINED = "def f():\n    return 1\n\n\ndef g():\n    return 2\n\n\ndef h():\n    return 3\n"


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    made = Workshop(tmp_path, originals())
    made.write("lib/__init__.py", "")
    yield made
    made.close()


def _text(workshop: Workshop, text: str) -> str:
    workshop.write("main.py", text + _SCORE)
    carried = workshop.carry("mine", function=Function(workshop.user / "main.py", "compute_score"))
    assert not carried.problems, carried.problems
    return carried.files[0].text


def test_an_import_that_names_another_module_now_is_written_as_before(workshop: Workshop) -> None:
    workshop.write("lib/parts.py", _DEFINED)
    layout = "(\n    f,   # first\n    # second\n    g as g,\n    h,\n)  # all\n"
    assert f"from examples.mine.parts import {layout}" in _text(workshop, f"from lib.parts import {layout}")


def test_no_comment_is_lost_where_an_import_becomes_several(workshop: Workshop) -> None:
    workshop.write("lib/parts.py", f"from lib.others import h\n\n\n{_DEFINED.partition('def h')[0]}")
    workshop.write("lib/others.py", "def h():\n    return 3\n")
    text = _text(
        workshop,
        "# above\nfrom lib.parts import (\n    f,  # first\n    # between\n    g,\n    h,  # third\n)  # all\n",
    )
    assert [each for each in ("# above", "# first", "# between", "# third", "# all") if each not in text] == []


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_and_a_byte_order_mark_stay(workshop: Workshop, mark: str, end: str) -> None:
    text = f"{mark}# A comment.\n'''Doc ✓'''\n\n{_DEFINED}".replace("\n", end).encode()
    (workshop.user / "lib/parts.py").write_bytes(text)
    _text(workshop, "from lib.parts import f, g, h\n")
    assert (workshop.root / "examples/mine/parts.py").read_bytes() == text


def test_an_import_that_only_played_with_the_search_path_goes_with_it(workshop: Workshop) -> None:
    workshop.write("lib/parts.py", _DEFINED)
    hack = "import os, sys\nsys.path.insert(0, os.path.dirname(__file__))\n"
    text = _text(workshop, f"{hack}from lib.parts import f, g, h\n")
    assert "import os" not in text
    assert "sys" not in text
