"""A test that cannot run its real part fails: nothing is skipped, nothing is expected to fail."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest


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
