"""``python -m tests.docs.relax_checkout`` makes the working directory a Relax that recipes can be put into."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.migrate.on_disk import write_relax
from tools.docs_builder.sessions import ROOT

if __name__ == "__main__":
    write_relax(Path.cwd())
    shutil.copytree(ROOT / "tests/recipes/good_gsm8k/scripts", "scripts", dirs_exist_ok=True)
