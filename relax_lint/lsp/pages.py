"""The rules' manual pages as files that editors can open. They are made of the rules, and need no network."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from relax_lint.rules import load_rules


class Pages:
    """A directory with the pages that were asked for; it goes away with the server."""

    def __init__(self) -> None:
        self._directory: TemporaryDirectory[str] | None = None
        self._known: dict[str, Path | None] = {}

    def page_of(self, code: str) -> Path | None:
        """The file with a rule's page; ``None`` where it cannot be written."""
        if code not in self._known:
            try:
                self._known[code] = self._write(code)
            except OSError:
                self._known[code] = None
        return self._known[code]

    def _write(self, code: str) -> Path:
        from relax_lint.commands.rule import page

        if self._directory is None:
            self._directory = TemporaryDirectory(prefix="relax-lint-rules-")
        path = Path(self._directory.name) / f"{code}.md"
        path.write_text(page(load_rules()[code]), encoding="utf-8")
        return path

    def remove(self) -> None:
        """Take the directory away."""
        if self._directory is not None:
            self._directory.cleanup()
