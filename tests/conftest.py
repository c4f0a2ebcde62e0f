"""A test that cannot run its real part fails: nothing is skipped, nothing is expected to fail."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator, Iterator
from typing import Any

import pytest

# Tests start programs by the hundred: each would be compiled anew where nothing that is compiled may be kept.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# What tests are collected from, and most of what they make, is there to stay: to look for garbage in it takes a while.
gc.set_threshold(100_000, 20, 20)


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What tests keep between runs is not the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


def pytest_collection_finish() -> None:
    """What is there before the first test stays until the end: no collection of garbage has to look at it again."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish() -> None:
    """pytest collects several times at the end, for warnings of what was not closed: once is all that is there."""
    gc.collect()
    gc.freeze()


def refuse_skip(report: Any) -> None:
    if report.skipped:
        report.outcome = "failed"
        report.longrepr = f"tests here do not skip: {report.longrepr}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    refuse_skip(report)
    return report
