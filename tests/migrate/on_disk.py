"""Checkouts of verl and Relax on disk, of which there is only what a migration looks at."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import yaml

from relax_lint.migrate.verl_defaults import DATA

LAUNCHERS = Path(__file__).parent / "launchers"
SCRIPTS = sorted(path.stem for path in LAUNCHERS.glob("*.sh"))
_ENVIRONMENT = """\
class BaseInteractionEnv:
    def reset(self):
        raise NotImplementedError

    def step(self, response_text):
        raise NotImplementedError

    def close(self):
        pass
"""
_ROLLOUT = """\
DEFAULT_ENV_MODULE = "examples.deepeyes.env_deepeyes"


async def generate(args, sample, sampling_params):
    sample.response_length = 1
    sample.loss_mask = [1]
    sample.rollout_log_probs = [0.0]
    return sample
"""
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
    shutil.copytree(LAUNCHERS, root / "examples" / "launchers")
    return root


def write_relax(root: Path) -> Path:
    """A Relax that can be started, with a file for one model, and what recipes with several turns copy."""
    files = {
        "relax/entrypoints/train.py": "",
        "scripts/entrypoint/local.sh": 'export MODEL_CONFIG_DIR="$PWD/scripts/models"\n',
        "scripts/models/toy.sh": "MODEL_ARGS=(--num-layers 2 --hidden-size 64 --num-attention-heads 4)\n",
        "examples/deepeyes/base_env.py": _ENVIRONMENT,
        "examples/deepeyes/rollout.py": _ROLLOUT,
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root
