"""``python -m tests.docs.rule_index`` writes the index of the rules in the working directory, as `make docs` does."""

from __future__ import annotations

from relax_lint.rules import import_rules
from tools.docs_builder.rule_pages import PROGRAM_INDEX, program_index

if __name__ == "__main__":
    PROGRAM_INDEX.write_text(program_index(import_rules().values()), encoding="utf-8")
