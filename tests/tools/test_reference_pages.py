"""The pages that are made of the program hold what it has."""

from __future__ import annotations

import re

import pytest

from relax_lint.catalog.flags import embedded
from relax_lint.cli import COMMANDS
from relax_lint.config import Settings, as_table
from relax_lint.migrate.mapping import all_entries
from tools.docs_builder import bounds_table, command_pages, flag_pages, mapping_page, schema_page, settings_page
from tools.docs_builder.sessions import ROOT

INTERNAL = {"source", "directory", "selection"}


def test_the_command_line_has_every_command_at_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    page = command_pages.page()
    assert re.findall(r"^## (.*)", page, re.MULTILINE) == list(COMMANDS)
    assert "### data convert" in page
    blocks = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    assert all(block.startswith("usage: relax-lint") for block in blocks)
    assert [line for block in blocks for line in block.splitlines() if len(line) > 80] == []


def test_settings_are_those_that_files_may_hold() -> None:
    page = settings_page.page()
    told = set(re.findall(r"^\| `([a-z-]+)` \|.*\|.*\|.*\|", page, re.MULTILINE))
    assert {key for key in as_table(Settings()) if key not in INTERNAL} <= told
    assert '| `profile` | `"guide"` or `"runtime"` | `"guide"` |' in page
    assert "| `cache` | boolean | `true` |" in page


def test_every_flag_is_on_the_page_of_its_owner() -> None:
    pages = {path.stem: text for path, text in flag_pages.files().items()}
    teachers = [flag.name for flag in embedded() if flag.owner == "teacher"]
    assert f"SGLang's {len(teachers)} flags once more" in pages["README"]
    for flag in embedded():
        if flag.owner != "teacher":
            assert f"| `{flag.name}` |" in pages[{"pre": "relax"}.get(flag.owner, flag.owner)]
    assert "`--lr` | float | `1e-06` | in verl: `actor_rollout_ref.actor.optim.lr`" in pages["megatron"]


def test_the_mapping_has_every_setting_that_migrations_know() -> None:
    page = mapping_page.page()
    assert {f"`{entry.key}`" for entry in all_entries() if entry.key} - set(re.findall(r"`[^`]+`", page)) == set()
    assert "| `actor_rollout_ref.actor.entropy_coeff` | `--entropy-coef` |" in page
    assert "| batch | Batch sizes, said exactly" in page


def test_schemas_are_shown_field_by_field() -> None:
    page = schema_page.page()
    for path in sorted((ROOT / "docs/schema").glob("*.json")):
        assert f"(../schema/{path.name})" in page
    assert "| `diagnostics[].fix.edits[].start` | integer, at least 0 |" in page
    assert '| `diagnostics[].severity` | `"error"` or `"warning"` or `"advice"` |' in page


def test_bounds_are_told_with_their_numbers() -> None:
    assert "| 48 | Ways that are followed side by side |" in bounds_table.rows()
