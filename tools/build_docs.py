"""Write what comes from the program: a page for each rule, their table in README, the reference, the site's navigation.

``--check`` writes nothing and fails when a page is not what the program says. What commands print in the other pages is
held against them by the tests.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from relax_lint.rules import Rule, import_rules
from tools.docs_builder import rule_pages
from tools.docs_builder.blocks import between, fenced

ROOT = Path(__file__).resolve().parents[1]
README = Path("README.md")
SITE = Path("mkdocs.yml")
SAMPLE_RECIPE = ROOT / "tests/recipes/broken_countdown"
SAMPLE_CODES = ("RLX202", "RLX407")
"""Findings of the bundled broken recipe that README shows."""


def sample() -> str:
    """What a user sees of the bundled broken recipe, shortened."""
    command = [sys.executable, "-m", "relax_lint", "examples/"]
    environ = {**os.environ, "NO_COLOR": "1"}
    done = subprocess.run(command, cwd=SAMPLE_RECIPE, env=environ, stdout=subprocess.PIPE, text=True)
    *findings, summary = done.stdout.strip().split("\n\n")
    shown = [finding for finding in findings if any(code in finding for code in SAMPLE_CODES)]
    return fenced("\n\n".join(["$ relax-lint examples/", *shown, "…", summary]), "text")


def render(rules: Mapping[str, Rule], readme: str, site: str) -> dict[Path, str]:
    """Every generated file, by path from the repository's root."""
    rows = rule_pages.table(rules.values(), f"{rule_pages.PAGES.as_posix()}/")
    readme = between(readme, "rules", f"\n{rows}\n")
    return {
        **rule_pages.files(rules),
        README: between(readme, "sample", f"\n{sample()}\n\n"),
        SITE: between(site, "rules", rule_pages.navigation(rules), comment="# {}"),
    }


def stale(root: Path, wanted: Mapping[Path, str]) -> list[Path]:
    """Files that are not as the program says, and pages of what is gone."""
    on_disk = {path.relative_to(root) for path in (root / rule_pages.PAGES).glob("*.md")}
    gone = on_disk - wanted.keys()
    return sorted(
        {
            path
            for path, text in wanted.items()
            if not (root / path).is_file() or (root / path).read_text(encoding="utf-8") != text
        }
        | gone
    )


def write(root: Path, wanted: Mapping[Path, str]) -> None:
    """Write the files that are not so yet."""
    for path, text in wanted.items():
        if not (root / path).is_file() or (root / path).read_text(encoding="utf-8") != text:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
            print(f"wrote {path}")


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Write, or with ``--check`` compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, fail when a page is stale")
    options = parser.parse_args(arguments)
    rules = import_rules()
    if not options.check:
        # README shows what the program prints, which has to know its rules for that.
        write(root, {rule_pages.PROGRAM_INDEX: rule_pages.program_index(rules.values())})
    readme, site = ((root / path).read_text(encoding="utf-8") for path in (README, SITE))
    wanted = render(rules, readme, site)
    if options.check:
        changed = stale(root, wanted)
        for path in changed:
            print(f"{path} is stale: run `make docs`", file=sys.stderr)
        return 1 if changed else 0
    write(root, wanted)
    for path in stale(root, wanted):
        (root / path).unlink()
        print(f"removed {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
