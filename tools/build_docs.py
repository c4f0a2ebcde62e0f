"""Write what comes from the program: a page for each rule, their table in README, the reference, the site's navigation.

``--check`` writes nothing and fails when a page is not what the program says. What commands print in the other pages is
held against them by the tests.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from relax_lint.rules import Rule, import_rules
from tools.docs_builder import (
    benchmark_page,
    bounds_table,
    command_pages,
    flag_pages,
    man_page,
    mapping_page,
    rule_pages,
    schema_page,
    server,
    sessions,
    settings_page,
)
from tools.docs_builder.blocks import GENERATED, between

ROOT = Path(__file__).resolve().parents[1]
README = Path("README.md")
SITE = Path("mkdocs.yml")
FOLDERS = (rule_pages.PAGES, Path("docs/reference"))
"""Where every page is made."""


def render(rules: Mapping[str, Rule], readme: str, site: str, explained: str) -> dict[Path, str]:
    """Every generated file, by path from the repository's root."""
    rows = rule_pages.table(rules.values(), f"{rule_pages.PAGES.as_posix()}/")
    readme = between(readme, "rules", f"\n{rows}\n")
    return {
        **reference(),
        **rule_pages.files(rules),
        man_page.PAGE: man_page.page(),
        README: readme,
        bounds_table.PAGE: between(explained, "bounds", f"\n{bounds_table.rows()}\n\n"),
        SITE: between(site, "rules", rule_pages.navigation(rules), comment="# {}"),
    }


def reference() -> dict[Path, str]:
    """The pages that are made of the program as it is, whatever its rules."""
    modules = (benchmark_page, command_pages, mapping_page, schema_page, settings_page)
    made = {module.PAGE: module.page() for module in modules}
    return {**flag_pages.files(), **made}


def written_pages(root: Path) -> list[Path]:
    """The pages that somebody wrote: of these only what commands print is made."""
    pages = [root / README, root / "CONTRIBUTING.md", *(root / "docs").rglob("*.md")]
    return sorted(
        path.relative_to(root) for path in pages if path.is_file() and GENERATED not in path.read_text(encoding="utf-8")
    )


def stale(root: Path, wanted: Mapping[Path, str]) -> list[Path]:
    """Files that are not as the program says, and pages of what is gone."""
    on_disk = {path.relative_to(root) for folder in FOLDERS for path in (root / folder).rglob("*.md")}
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
    texts = ((root / path).read_text(encoding="utf-8") for path in (README, SITE, bounds_table.PAGE))
    wanted = render(rules, *texts)
    if options.check:
        changed = stale(root, wanted)
        for path in changed:
            print(f"{path} is stale: run `make docs`", file=sys.stderr)
        return 1 if changed else 0
    write(root, wanted)
    for path in stale(root, wanted):
        (root / path).unlink()
        print(f"removed {path}")
    # Their commands run the program, whose own files have to be there first.
    with tempfile.TemporaryDirectory() as scratch, server.served(Path(scratch)) as programs:
        for path in written_pages(root):
            write(root, {path: sessions.refreshed((root / path).read_text(encoding="utf-8"), programs)})
    return 0


if __name__ == "__main__":
    sys.exit(main())
