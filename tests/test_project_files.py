"""What the project's own files say of each other stays true."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest
import yaml

from relax_lint.engine import lint
from relax_lint.fixing import fix
from relax_lint.project import Project
from relax_lint.rules import REGISTRY, load_rules

ROOT = Path(__file__).resolve().parents[1]
CODE_BLOCK = re.compile(r"^(`{3,}).*?^\1$|^ {4}[^\n]*$", re.DOTALL | re.MULTILINE)


def test_the_rule_that_contributors_are_shown_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [code] = re.findall(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "loud_launch.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    before = dict(load_rules())
    try:
        importlib.import_module("loud_launch")
        rule = REGISTRY["RLX499"]
    finally:
        REGISTRY.clear()
        REGISTRY.update(before)
    assert [line for line in rule.doc.splitlines() if line.startswith("## ")] == [
        "## What",
        "## Why",
        "## Source",
        "## Fix",
    ]
    [valid], [invalid] = rule.valid, rule.invalid
    assert isinstance(valid, str)
    assert isinstance(invalid.files, str)
    rules = {rule.code: rule}
    path = "examples/demo/run.sh"
    assert lint(Project.from_files({path: valid}), rules).diagnostics == []
    faulty = Project.from_files({path: invalid.files})
    assert [(found.line, found.column) for found in lint(faulty, rules).diagnostics] == list(invalid.findings)
    assert [data.decode() for data in fix(faulty, rules).changes.values()] == [invalid.fixed]


def test_own_hooks_use_the_pinned_ruff() -> None:
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    wanted = {
        requirement
        for repository in config["repos"]
        for hook in repository["hooks"]
        for requirement in hook.get("additional_dependencies", [])
    }
    assert wanted
    assert wanted <= set(pins)


def slugs(page: Path) -> set[str]:
    """The anchors that GitHub and the site give a page's headings."""
    found: dict[str, int] = {}
    for heading in re.findall(r"^#+ (.*)$", CODE_BLOCK.sub("", page.read_text(encoding="utf-8")), re.MULTILINE):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.replace("`", ""))
        slug = re.sub(r"[^\w -]", "", text).strip().lower().replace(" ", "-")
        found[slug] = found.get(slug, -1) + 1
        found.setdefault(f"{slug}-{found[slug]}", 0)
    return set(found)


def test_links_between_pages_lead_somewhere() -> None:
    pages = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    broken = []
    for page in [*pages, *(ROOT / "docs").rglob("*.md")]:
        for link in re.findall(r"\]\(([^)\s]+)\)", CODE_BLOCK.sub("", page.read_text(encoding="utf-8"))):
            target, _, anchor = link.partition("#")
            path = page.parent / target if target else page
            if "://" not in link and not (path.exists() and (not anchor or anchor in slugs(path))):
                broken.append(f"{page.relative_to(ROOT)}: {link}")
    assert broken == []


def test_make_help_and_readme_name_targets_that_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z][a-z-]*):", makefile, re.MULTILINE))
    named = {
        word
        for line in re.findall(
            r"^(?:#   )?make ([a-z ]+?)(?:  |$)",
            makefile + (ROOT / "README.md").read_text(encoding="utf-8"),
            re.MULTILINE,
        )
        for word in line.split()
    }
    assert {"demo", "test", "lint", "types", "bench", "property"} <= named
    assert named <= targets
