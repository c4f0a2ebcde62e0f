from __future__ import annotations

from pathlib import Path

import pytest

from relax_lint.rules import ERROR, Contents, Example, Rule
from tools import build_docs
from tools.docs_builder import rule_pages

README = "# x\n\n<!-- rules: made by `make docs` -->\nold\n<!-- end of rules -->\n\nend\n"

SITE = "nav:\n  - Reference:\n      # rules: made by `make docs`\n      - old\n      # end of rules\n"

EXPLAINED = "# Bounds\n\n<!-- bounds: made by `make docs` -->\n<!-- end of bounds -->\n"

CONTENTS = Contents(
    check=lambda subject, project: (),
    doc="""A reward that does\n    not smile | ever.

    It should.
    """,
    valid=("smile = 1\n",),
    invalid=(
        Example("frown = 1\n", findings=((1, 1),), fixed="smile = 1\n"),
        Example(
            {"examples/x/run.sh": "echo ```\n", "examples/x/a.py": "frown = 1\n"},
            findings=(("examples/x/a.py", 1, 1),),
            fixed={"examples/x/__init__.py": ""},
        ),
    ),
)
RULE = Rule("RLX299", "no-smile", ERROR, on="reward", contents=lambda: CONTENTS, fixable="safe")


def rendered() -> dict[Path, str]:
    return build_docs.render({RULE.code: RULE}, README, SITE, EXPLAINED)


def test_a_page_shows_the_manual_the_examples_and_what_a_fix_changes() -> None:
    page = rendered()[Path("docs/rules/RLX299.md")]
    assert page.startswith("# RLX299 no-smile\n")
    assert "fix: safe, by `--fix`" in page
    assert "It should." in page
    assert "```python\nfrown = 1\n```\n\nFound at line 1, column 1." in page
    assert "-frown = 1\n+smile = 1" in page
    assert "`examples/x/run.sh`:\n\n````bash\necho ```\n````" in page
    assert "+++ examples/x/__init__.py\n(a new, empty file)" in page
    assert "## Fine\n\n```python\nsmile = 1\n```" in page


def test_the_index_and_the_readme_lead_to_the_page() -> None:
    files = rendered()
    row = "RLX299.md) | no-smile | error | safe | A reward that does not smile &#124; ever |"
    assert f"| [RLX299]({row}" in files[Path("docs/rules/README.md")]
    assert f"| [RLX299](docs/rules/{row}" in files[Path("README.md")]
    assert files[Path("README.md")].endswith("<!-- end of rules -->\n\nend\n")
    assert "old" not in files[Path("README.md")]


def test_the_navigation_has_a_section_for_each_family() -> None:
    assert rendered()[Path("mkdocs.yml")] == (
        "nav:\n  - Reference:\n      # rules: made by `make docs`\n"
        "      - Rules:\n          - rules/README.md\n"
        '          - "RLX2: Reward":\n              - RLX299 no-smile: rules/RLX299.md\n'
        "      # end of rules\n"
    )


def test_examples_past_the_first_few_fold_away() -> None:
    folded = "".join(rule_pages.section("Caught", [f"example {number}" for number in range(5)]))
    assert '<details markdown="1"><summary>2 more</summary>' in folded
    assert folded.index("example 2") < folded.index("<details") < folded.index("example 3")


def test_check_names_what_is_stale_and_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "README.md").write_text(README)
    (tmp_path / "mkdocs.yml").write_text(SITE)
    (tmp_path / "docs/explanation").mkdir(parents=True)
    (tmp_path / "docs/explanation/launch-evaluation.md").write_text(EXPLAINED)
    (tmp_path / "docs/rules").mkdir(parents=True)
    (tmp_path / "docs/rules/RLX998.md").write_text("a rule that is gone\n")
    (tmp_path / "docs/reference/flags").mkdir(parents=True)
    (tmp_path / "docs/reference/flags/gone.md").write_text("an owner that is gone\n")
    assert build_docs.main(["--check"], tmp_path) == 1
    told = capsys.readouterr().err
    assert "docs/rules/RLX998.md is stale" in told
    assert "docs/reference/flags/gone.md is stale" in told
    assert (tmp_path / "docs/rules/RLX998.md").exists()
    assert build_docs.main([], tmp_path) == 0
    assert not (tmp_path / "docs/rules/RLX998.md").exists()
    assert not (tmp_path / "docs/reference/flags/gone.md").exists()
    assert build_docs.main(["--check"], tmp_path) == 0
