"""Reports made as a user makes them, of small trees."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from relax_lint.cli import main

RECIPES = Path(__file__).parents[2] / "recipes"
TRAIN = "python3 relax/entrypoints/train.py"
NO_TEXT = "\udcff" if sys.platform == "linux" else ""
"""A byte in names that is no text; other systems refuse it."""
HOSTILE = "</script><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"
"""What must stay text wherever it stands: names, values, comments, messages."""


def copied(recipe: str, where: Path) -> Path:
    """A bundled recipe, to be changed."""
    return Path(shutil.copytree(RECIPES / recipe, where))


def written(tree: Mapping[str, str | bytes], where: Path) -> Path:
    """A tree of files; bytes that are no text may be in names, as ``\\udcff``."""
    for name, content in tree.items():
        path = where / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content)
    return where


def page_of(directory: Path, *arguments: str, status: int = 0) -> str:
    """The page that the command writes in a directory."""
    before = Path.cwd()
    os.chdir(directory)
    try:
        assert main(["report", *(arguments or ("examples",)), "--output", "page.html"]) == status
        return Path("page.html").read_text(encoding="utf-8")
    finally:
        os.chdir(before)


def hostile(where: Path) -> Path:
    """A recipe that wants to be more than text."""
    run = (
        "#!/bin/bash\n"
        f"# {HOSTILE} \u202egnp.exe \x1b[31mred\n"
        f"{TRAIN} --colocate --resource '{{\"actor\": [1, 8], \"<b>\": [1, 8]}}' --seed '{HOSTILE}' \\\n"
        f"    --lr \"$(cat '{HOSTILE}')\" --no-such-flag '{HOSTILE}'\n"
        f"if [ \"$M\" = '{HOSTILE}' ]; then {TRAIN} --fully-async --lr 2; fi\n"
    )
    return written(
        {
            "examples/evil/<img src=x onerror=alert(1)>.py": f'"""{HOSTILE}"""\nimport verl  # {HOSTILE}\n',
            "examples/evil/run_evil.sh": run,
            f"examples/evil/run_\u202e{NO_TEXT}\n'\"&amp;.sh": f"{TRAIN} --colocate --no-such '\udcfe'\n",
            "examples/evil/nul.sh": f"{TRAIN} --colocate\0 {HOSTILE}\n",
            "examples/evil/reward_evil.py": b"import verl\n\xff\xfe = '</style><!--'\n",
        },
        where,
    )


VERL_RUN = """\
set -x
python3 -m verl.trainer.main_ppo \\
    algorithm.adv_estimator=grpo \\
    data.train_files=$HOME/data/gsm8k/train.parquet \\
    data.val_files=$HOME/data/gsm8k/test.parquet \\
    data.train_batch_size=256 \\
    data.max_prompt_length=512 \\
    data.max_response_length=1024 \\
    actor_rollout_ref.model.path=Qwen/Qwen3-8B \\
    actor_rollout_ref.actor.optim.lr=1e-6 \\
    actor_rollout_ref.actor.ppo_mini_batch_size=256 \\
    actor_rollout_ref.rollout.n=8 \\
    actor_rollout_ref.rollout.name=sglang \\
    trainer.n_gpus_per_node=8 trainer.nnodes=1 trainer.total_epochs=15
"""
