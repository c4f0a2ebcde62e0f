"""The page on configuration shows a file that is accepted, and leaves no key out."""

from __future__ import annotations

import re
from pathlib import Path

from relax_lint.config import as_table, read_settings

PAGE = Path(__file__).resolve().parents[1] / "docs/configuration.md"
INTERNAL = {"source", "directory", "selection"}


def test_the_example_is_accepted_and_complete(tmp_path: Path) -> None:
    example = re.findall(r"```toml\n(.*?)```", PAGE.read_text(), re.DOTALL)[0]
    (tmp_path / "pyproject.toml").write_text(example)
    settings = read_settings(tmp_path / "pyproject.toml")
    assert settings.env == {"MODEL_DIR": "/models"}
    assert [key for key in as_table(settings) if key not in example and key not in INTERNAL] == []
