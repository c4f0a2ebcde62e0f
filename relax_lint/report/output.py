"""Where reports go: rendered in a format, printed or put into a file; settings and timings beside them."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

from relax_lint.config import ConfigError, Settings, as_table
from relax_lint.report import Outcome
from relax_lint.selection import Layer


def render(outcome: Outcome, name: str, *, statistics: bool) -> str:
    """The report in a format; ``statistics`` replaces the findings in the text that people read."""
    if statistics and name == "text":
        from relax_lint.report import text

        return text.statistics(outcome)
    rendered: str = import_module(f"relax_lint.report.{name}").render(outcome)
    return rendered


def put(report: str | bytes, output: Path | None) -> None:
    """Print a report, or write it into a file; bytes as they are."""
    if output is None:
        if isinstance(report, str):
            sys.stdout.write(report)
            return
        sys.stdout.flush()
        sys.stdout.buffer.write(report)
        sys.stdout.buffer.flush()
        return
    from relax_lint.writing import put as put_whole

    try:
        put_whole(output, report if isinstance(report, bytes) else report.encode("utf-8", "backslashreplace"))
    except OSError as problem:
        raise ConfigError(f"{output}: cannot be written: {problem.strerror}") from problem


def shown_settings(settings: Settings) -> str:
    """Every setting, one a line, as a configuration spells it as far as it can."""
    table = {**as_table(settings), "selection": "; ".join(filter(None, map(_layer, settings.selection))) or "all rules"}
    table["exclude"] = [pattern for _, pattern in settings.exclude]
    table["constraint"] = [f"{one.id}: {one.when}" for one in settings.constraint]
    return "".join(f"{name} = {_shown(value)}\n" for name, value in table.items())


def _layer(layer: Layer) -> str:
    """What one place selects; the last wins."""
    given = {"select": layer.select, "extend-select": layer.extend_select, "ignore": layer.ignore}
    return ", ".join(f"{key} {' '.join(names)}" for key, names in given.items() if names)


def _shown(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, (str, Path)):
        return str(value)
    import json

    return json.dumps(dict(value) if isinstance(value, Mapping) else value, ensure_ascii=False)


class Clock:
    """What each stage took."""

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self._laps: list[tuple[str, float]] = []

    def lap(self, stage: str) -> None:
        """Close a stage."""
        now = time.perf_counter()
        self._laps.append((stage, now - self._began))
        self._began = now

    def table(self, seconds: Mapping[str, float]) -> str:
        """The stages, then the rules, the slowest first."""
        slowest = sorted(seconds.items(), key=lambda item: (-item[1], item[0]))
        return "".join(f"{1000 * taken:9.1f} ms  {what}\n" for what, taken in [*self._laps, *slowest])
