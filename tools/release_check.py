"""What still keeps the version of relax_lint/__init__.py from being released; ``--tag`` is what git calls it.

Everything else takes the version from there: the package, `--version`, flake8, JSON and SARIF. What a person writes
cannot: the changelog's section, and the revision in what is shown of pre-commit.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from relax_lint import __version__

ROOT = Path(__file__).resolve().parents[1]
CHANGELOG = "CHANGELOG.md"
_SEMANTIC = re.compile(r"\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?")
_HEADING = re.compile(r"^## \[([^]]+)\](.*)$", re.MULTILINE)
_DATE = re.compile(r" - \d{4}-\d{2}-\d{2}")
_REVISION = re.compile(r"\brev: *v([\w.-]+)")


def sections(changelog: str) -> dict[str, tuple[str, str]]:
    """What stands behind the heading of each version, and below it, newest first."""
    parts = _HEADING.split(changelog)[1:]
    return {parts[at]: (parts[at + 1], parts[at + 2].strip()) for at in range(0, len(parts), 3)}


def newest_release(changelog: str) -> str | None:
    """The last version that was released."""
    return next((name for name in sections(changelog) if name != "Unreleased"), None)


def stale_revisions(root: Path, version: str) -> Iterator[str]:
    """Pages that show another revision than this version's."""
    for path in sorted([*root.glob("*.md"), *(root / "docs").rglob("*.md")]):
        for shown in _REVISION.findall(path.read_text(encoding="utf-8")):
            if shown != version:
                yield f"{path.relative_to(root).as_posix()} shows rev: v{shown}, not v{version}"


def problems(root: Path, version: str, tag: str | None = None) -> Iterator[str]:
    """Everything that is to be done before the release."""
    if not _SEMANTIC.fullmatch(version):
        yield f"{version} is no semantic version"
    if tag is not None and tag != f"v{version}":
        yield f"the tag is {tag}, and the version {version}"
    told = sections((root / CHANGELOG).read_text(encoding="utf-8"))
    dated, text = told.get(version, ("", ""))
    if version not in told:
        yield f"{CHANGELOG} has no section [{version}]"
    elif not _DATE.fullmatch(dated):
        yield f"{CHANGELOG}: [{version}] has no date, as in [{version}] - 2026-01-31"
    elif not text:
        yield f"{CHANGELOG}: [{version}] says nothing"
    if told.get("Unreleased", ("", ""))[1]:
        yield f"{CHANGELOG}: [Unreleased] is not empty: its entries are those of [{version}]"
    yield from stale_revisions(root, version)


def main(arguments: list[str] | None = None, root: Path = ROOT, version: str = __version__) -> int:
    """Print what is to be done; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tag", help="the tag of the release, as v1.2.3")
    options = parser.parse_args(arguments)
    found = list(problems(root, version, options.tag))
    for problem in found:
        print(problem, file=sys.stderr)
    if not found:
        print(f"{version} can be released")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
