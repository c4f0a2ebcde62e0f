"""What is run under faults: a small tree, and a command that writes into it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
_RECIPES, _OF_VERL = ROOT / "tests/recipes", ROOT / "tests/verl_recipes"

_MODEL = """\
MODEL_ARGS=(
    --num-layers 36 --hidden-size 4096 --ffn-hidden-size 12288 --num-attention-heads 32 --group-query-attention
    --num-query-groups 8 --kv-channels 128 --vocab-size 151936 --swiglu --qk-layernorm --disable-bias-linear
    --untie-embeddings-and-output-weights --normalization RMSNorm --norm-epsilon 1e-6 --position-embedding-type rope
    --rotary-base 1000000
)
"""
_SCORE = """\
def score(data_source, solution_str, ground_truth, extra_info=None):
    return float(solution_str.strip() == ground_truth)
"""


class Scenario(NamedTuple):
    """``prepare`` makes the tree, in which ``words`` are run. Files whose names match ``together`` are all old or all
    new when the run says that it failed."""

    name: str
    words: tuple[str, ...]
    prepare: Callable[[Path], None]
    together: str = ""


def _countdown(root: Path) -> None:
    shutil.copytree(_RECIPES / "broken_countdown", root, dirs_exist_ok=True)
    (root / "examples/countdown/reward_countdown.py").chmod(0o640)
    (root / "examples/countdown/run_countdown.sh").chmod(0o755)


def _one_file(root: Path) -> None:
    shutil.copytree(_RECIPES / "good_gsm8k", root, dirs_exist_ok=True)
    reward = next(root.glob("examples/*/reward_*.py"))
    reward.write_bytes(b"\xef\xbb\xbf" + reward.read_bytes().replace(b"async def", b"def").replace(b"\n", b"\r\n"))
    reward.chmod(0o600)


def _checkout(root: Path) -> None:
    for name, text in {
        "relax/entrypoints/train.py": "",
        "scripts/entrypoint/local.sh": 'export MODEL_CONFIG_DIR="$PWD/scripts/models"\n',
        "scripts/models/qwen3-8B.sh": _MODEL,
        "examples/__init__.py": "",
    }.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def _verl_in_place(root: Path) -> None:
    """A launcher with its reward, which is carried over and taken away, and a file that is edited alone."""
    _checkout(root)
    recipe = root / "examples/sums"
    recipe.mkdir()
    text = (_OF_VERL / "long_sums/run_long_sums.sh").read_text()
    entry = "verl.trainer.main_ppo \\\n"
    named = "    custom_reward_function.path=examples/sums/scoring.py custom_reward_function.name=score \\\n"
    assert entry in text
    (recipe / "run_sums.sh").write_text(text.replace(entry, entry + named))
    (recipe / "run_sums.sh").chmod(0o750)
    (recipe / "scoring.py").write_text(_SCORE)
    other = root / "examples/other"
    other.mkdir()
    (other / "run_other.sh").write_text("python3 relax/entrypoints/train.py --loss-type sft trainer.total_epochs=3\n")


def _verl_beside(root: Path) -> None:
    _checkout(root)
    shutil.copytree(_OF_VERL / "long_sums", root / "verl/long_sums")


def _verl_again(root: Path) -> None:
    """The recipe is there, and somebody has worked on it."""
    _verl_beside(root)
    for name in ("run_sums.sh", "MIGRATION.md"):
        path = root / "examples/sums" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"# mine: {name}\n")
        path.chmod(0o640)


def _with_baseline(root: Path) -> None:
    _countdown(root)
    (root / "known.json").write_text('{"baseline": 1, "findings": []}\n')
    (root / "known.json").chmod(0o640)


def _with_report(root: Path) -> None:
    _countdown(root)
    (root / "report.json").write_text("{}\n")


def _data(root: Path) -> None:
    import json

    for name in ("train", "test"):
        row = {
            "data_source": "sums",
            "prompt": [{"role": "user", "content": "1 + 1?"}],
            "reward_model": {"style": "rule", "ground_truth": "2"},
        }
        (root / "of_verl").mkdir(exist_ok=True)
        (root / f"of_verl/{name}.jsonl").write_text(f"{json.dumps(row)}\n" * 20)


def _model(root: Path) -> None:
    import json

    _checkout(root)
    (root / "config.json").write_text(
        json.dumps(
            {
                "architectures": ["Qwen3ForCausalLM"],
                "model_type": "qwen3",
                "hidden_size": 64,
                "intermediate_size": 128,
                "num_hidden_layers": 2,
                "num_attention_heads": 4,
                "num_key_value_heads": 2,
                "head_dim": 16,
                "vocab_size": 512,
                "rms_norm_eps": 1e-6,
                "rope_theta": 10000.0,
                "hidden_act": "silu",
                "tie_word_embeddings": False,
                "max_position_embeddings": 1024,
            }
        )
    )


_SUMS = "*sums*"
_MIGRATE = ("migrate", "verl/long_sums", "--name", "sums", "--into", "examples")
SCENARIOS = {
    each.name: each
    for each in (
        Scenario("one file", ("check", "--fix", "--no-cache", "examples"), _one_file),
        Scenario("several files", ("check", "--fix", "--no-cache", "."), _countdown),
        Scenario("recipe of verl", ("check", "--fix", "--no-cache", "examples"), _verl_in_place, together=_SUMS),
        Scenario("migrate", _MIGRATE, _verl_beside, together=_SUMS),
        Scenario("migrate --force", (*_MIGRATE, "--force"), _verl_again, together=_SUMS),
        Scenario("suppressions", ("check", "--add-suppressions", "later", "--no-cache", "."), _countdown),
        Scenario("baseline", ("check", "--write-baseline", "known.json", "--no-cache", "."), _with_baseline),
        Scenario("report", ("check", "--output-file", "report.json", "--format=json", "--no-cache", "."), _with_report),
        Scenario("model file", ("model-config", "config.json", "--output", "scripts/models/tiny.sh"), _model),
        Scenario("data", ("data", "convert", "of_verl", "of_relax"), _data),
    )
}
