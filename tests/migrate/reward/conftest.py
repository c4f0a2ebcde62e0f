"""What tests of carried rewards have in common."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.migrate.reward.judge_server import judge_server
from tests.migrate.reward.originals import originals
from tests.migrate.reward.produced import Workshop


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    made = Workshop(tmp_path, originals())
    yield made
    made.close()


@pytest.fixture
def ends_clients() -> Iterator[None]:
    """Clients live as long as the program, which goes on after a test: a collection ends them, and has nothing but
    what the test made to look at."""
    gc.freeze()
    yield
    gc.collect()


@pytest.fixture
def judge() -> Iterator[str]:
    yield from judge_server()
