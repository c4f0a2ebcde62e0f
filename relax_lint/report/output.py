"""Where reports go: rendered in a format, printed or put into a file; diffs, settings and timings beside them."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

from relax_lint.config import ConfigError, Settings, as_table
from relax_lint.report import Outcome, shown_path


def render(outcome: Outcome, name: str, *, statistics: bool) -> str:
    """The report in a format; ``statistics`` replaces the findings in the text that people read."""
    if statistics and name == "text":
        from relax_lint.report import text

        return text.statistics(outcome)
    rendered: str = import_module(f"relax_lint.report.{name}").render(outcome)
    return rendered


def put(text: str, output: Path | None) -> None:
    """Print a report, or write it into a file."""
    if output is None:
        sys.stdout.write(text)
        return
    try:
        output.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as problem:
        raise ConfigError(f"{output}: cannot be written: {problem.strerror}") from problem


def diff(rewritten: Mapping[Path, tuple[bytes, bytes]]) -> str:
    """Files before and after as one unified diff, which `git apply` takes; it creates empty files, too."""
    import difflib

    pieces: list[str] = []
    for path, (before, after) in sorted(rewritten.items(), key=lambda item: str(item[0])):
        name = shown_path(path)
        created = not before and not path.exists()
        origin = "/dev/null" if created else f"a/{name}"
        if created:
            pieces.append(f"diff --git a/{name} b/{name}\nnew file mode 100644\n")
        changed = difflib.unified_diff(_lines(before), _lines(after), origin, f"b/{name}")
        pieces += [line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in changed]
    return "".join(pieces)


def _lines(data: bytes) -> list[str]:
    """Lines as git counts them: they end at ``\\n`` and nothing else."""
    *whole, rest = data.decode("utf-8", "surrogateescape").split("\n")
    return [f"{line}\n" for line in whole] + ([rest] if rest else [])


def shown_settings(settings: Settings) -> str:
    """Every setting, one a line."""
    lines = []
    for name, value in as_table(settings).items():
        shown = dict(value) if isinstance(value, Mapping) else value
        lines.append(f"{name} = {shown}\n")
    return "".join(lines)


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
