"""Checkouts of verl and Relax on disk, of which there is only what a migration looks at."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import yaml

from relax_lint.migrate.verl_defaults import DATA

LAUNCHERS = Path(__file__).parent / "launchers"
SCRIPTS = sorted(path.stem for path in LAUNCHERS.glob("*.sh"))
_MAINS = {
    "verl/trainer/main_ppo.py": "ppo_trainer",
    "verl/experimental/fully_async_policy/fully_async_main.py": "fully_async_ppo_trainer",
}


def write_verl(root: Path) -> Path:
    """The newest verl that is known: its configuration, mains that say which they use, and launchers."""
    for name, versions in json.loads(DATA.read_text(encoding="utf-8"))["versions"][0]["files"].items():
        file = versions["="]
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        package = f"# @package {file['package']}\n" if file.get("package") else ""
        path.write_text(package + yaml.safe_dump(file["config"], sort_keys=False))
    for name, config in _MAINS.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f'import hydra\n\n@hydra.main(config_path="config", config_name="{config}")\ndef main(config): ...\n'
        )
    shutil.copytree(LAUNCHERS, root / "launchers")
    return root


def write_relax(root: Path) -> Path:
    """A Relax that can be started."""
    for name in ("relax/entrypoints/train.py", "scripts/entrypoint/local.sh"):
        path = root / name
        path.parent.mkdir(parents=True)
        path.touch()
    return root
