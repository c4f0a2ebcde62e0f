"""The picture of a report in docs/html.md: a page about the bundled broken recipe, as a browser shows it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.report.html.browser import browser

ROOT = Path(__file__).resolve().parents[1]
RECIPE = ROOT / "tests/recipes/broken_countdown"
PICTURE = ROOT / "docs/assets/report.png"
WIDTH, HEIGHT = 1280, 1190


def main() -> None:
    """Write it."""
    with tempfile.TemporaryDirectory(prefix="relax-lint-picture-") as scratch:
        page = Path(scratch, "page.html")
        command: list[str | Path] = [
            sys.executable,
            "-m",
            "relax_lint",
            "report",
            "examples/countdown",
            "--output",
            page,
        ]
        subprocess.run(command, cwd=RECIPE, check=True)
        with browser(Path(scratch, "profile")) as tab:
            tab.size(WIDTH, HEIGHT)
            tab.prefer("light")
            tab.open(page.as_uri())
            tab.evaluate("document.querySelector('.tall').style.maxHeight = '17.5rem'")
            tab.picture(PICTURE)
    print(f"wrote {PICTURE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
