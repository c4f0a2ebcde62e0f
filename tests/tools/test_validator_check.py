from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

RELAX = {
    "relax/utils/arguments.py": """
import argparse
import gpu_code
from megatron.training.arguments import validate_args
from torchvision.transforms import InterpolationMode
MODE = InterpolationMode.NEAREST

def parse_args():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--num-rollout", type=int)
    parser.add_argument("--lr", type=float)
    parser.add_argument("--save")
    args, _ = parser.parse_known_args()
    if args.num_rollout is None:
        raise ValueError("it has no end")
    validate_args(args)
    return args
""",
    "relax/backends/megatron/arguments.py": "from transformers import AutoConfig\n",
}
MEGATRON = {
    "megatron/core/utils.py": "",
    "megatron/core/msc_utils.py": "class MultiStorageClientFeature:\n    _enabled = True\n",
    "megatron/training/argument_utils.py": """
class ArgumentGroupFactory:
    def _get_field_docstrings(self, config):
        return {}
""",
    "megatron/training/arguments.py": """
import os

def validate_args(args):
    assert args.save is None or os.path.exists(args.save)
    assert args.num_rollout < 5_000 or args.lr is not None, "too long"
    return 1 / args.num_rollout
""",
    "transformers.py": "AutoConfig = None\n",
}


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def check(folder: Path, launches: list[list[str]], *options: str) -> subprocess.CompletedProcess[str]:
    relax, megatron = write(folder / "Relax", RELAX), write(folder / "mega", MEGATRON)
    words = [["python3", "-u", "relax/entrypoints/train.py", *launch] for launch in launches]
    recording = [{"script": "run.sh", "args": ["sync"], "launches": [*words, ["python3", "other.py"]]}]
    (folder / "launches.json").write_text(json.dumps(recording))
    command = [sys.executable, str(ROOT / "tools" / "validator_check.py"), str(relax), "--path", str(megatron)]
    command += ["--launches", str(folder / "launches.json"), "--jobs", "1", *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_real_validation_is_asked_and_compared(tmp_path: Path) -> None:
    launches = [
        ["--num-rollout", "1", "--save", "/gone"],
        ["--num-rollout", "x"],
        ["--lr", "1"],
        ["--num-rollout", "0"],
    ]
    saved = tmp_path / "saved.jsonl"
    run = check(tmp_path, launches, "--stub", "gpu_code", "--mutations", "60", "--save", str(saved))
    assert run.returncode == 1, run.stderr
    outcomes = [json.loads(line) for line in saved.read_text().splitlines()]
    assert len(outcomes) == 64
    real = [(one["relax"]["kind"], one["relax"]["place"], one["relax"]["message"]) for one in outcomes[:4]]
    assert real == [
        ("", "", ""),
        ("parse", "relax/utils/arguments.py:13", "argument --num-rollout: invalid int value: 'x'"),
        ("refusal", "relax/utils/arguments.py:15", "ValueError: it has no end"),
        ("crash", "megatron/training/arguments.py:7", "ZeroDivisionError: division by zero"),
    ]
    assert [one["ours"]["accepted"] for one in outcomes[:4]] == [False] * 4
    assert {one["request"]["name"] for one in outcomes} == {"run.sh sync"}
    assert "refusals: 3 sites" in run.stdout
    assert "agreement 75.00 % of 4; Relax refuses 3, 75.00 %" in run.stdout


def test_what_cannot_be_imported_is_said(tmp_path: Path) -> None:
    run = check(tmp_path, [])
    assert run.returncode == 2
    assert run.stderr.splitlines()[-1].endswith("cannot be imported: ModuleNotFoundError: No module named 'gpu_code'")


def test_another_argparse_must_be_one(tmp_path: Path) -> None:
    run = check(tmp_path, [], "--argparse", str(tmp_path / "gone.py"))
    assert run.returncode == 2
    assert "gone.py is no module" in run.stderr
