"""What `relax-lint migrate` says and writes of a launcher that holds secrets."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from relax_lint.cli import main
from tests.migrate.on_disk import write_relax

SECRETS = ("sk-abcdefghijk", "0123456789abcdef", "hunter22", "hf_secretsecret", "wandb1234567", "prefix7654321")
SCRIPT = """\
#!/bin/bash
export JUDGE_URL=http://judge:8000/v1
export OPENAI_API_KEY=sk-abcdefghijk
export DB_URL=postgres://me:hunter22@db/x
export HF_TOKEN=${HF_TOKEN:-hf_secretsecret}
wandb login wandb1234567
AUTH="Bearer sk-abcdefghijk"
if [ "$ASKED" = sk-abcdefghijk ]; then
    MORE="+trainer.note='$AUTH'"
fi
SECRET_TOKEN=prefix7654321 NCCL_DEBUG=INFO env FOO=1 python3 -m verl.trainer.main_ppo \\
    algorithm.adv_estimator=grpo data.train_files=$HOME/gsm8k/train.parquet data.val_files=$HOME/gsm8k/test.parquet \\
    data.train_batch_size=32 actor_rollout_ref.actor.ppo_mini_batch_size=32 actor_rollout_ref.rollout.n=8 \\
    actor_rollout_ref.model.path=toy trainer.n_gpus_per_node=8 trainer.nnodes=1 trainer.total_epochs=2 \\
    trainer.experiment_name=run-$HF_TOKEN +trainer.wandb_api_key=0123456789abcdef \\
    custom_reward_function.path=/my/r.py custom_reward_function.name=f \\
    +custom_reward_function.reward_kwargs.url=$JUDGE_URL \\
    +custom_reward_function.reward_kwargs.key=$OPENAI_API_KEY "$MORE"
"""


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout of Relax as the working directory, with a launcher of verl beside it."""
    root = write_relax(tmp_path / "relax")
    (tmp_path / "run.sh").write_text(SCRIPT)
    monkeypatch.chdir(root)
    return root


def without_secrets(text: str) -> str:
    """A text that holds none."""
    assert [secret for secret in SECRETS if secret in text] == []
    return text


@pytest.mark.parametrize("options", [[], ["--format", "json"], ["--dry-run"]])
def test_no_secret_is_told_or_written(checkout: Path, capsys: pytest.CaptureFixture[str], options: list[str]) -> None:
    assert main(["migrate", "../run.sh", "--name", "math", *options]) == 1
    told = capsys.readouterr()
    without_secrets(told.out + told.err)
    for path in (checkout / "examples").rglob("*"):
        if path.is_file():
            without_secrets(path.read_text())


@pytest.mark.parametrize(
    "fault", ["algorithm.adv_estimator=gae", "'data.x=[sk-abcdefghijk'", "data.typo=sk-abcdefghijk"]
)
def test_a_refusal_tells_no_secret(capsys: pytest.CaptureFixture[str], fault: str) -> None:
    Path("../run.sh").write_text(SCRIPT.replace('"$MORE"\n', f"{fault}\n"))
    main(["migrate", "../run.sh", "--name", "math"])
    told = capsys.readouterr()
    without_secrets(told.out + told.err)


def test_the_launcher_reads_the_environment(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["migrate", "../run.sh", "--name", "math", "--format", "json"]) == 1
    told = json.loads(capsys.readouterr().out)
    launcher = checkout / "examples/math/run_math.sh"
    text = launcher.read_text()
    header = text.partition("\nset -")[0]
    for name in ("OPENAI_API_KEY", "HF_TOKEN", "DB_URL", "SECRET_TOKEN", "WANDB_API_KEY"):
        assert f"{name} " in header
    assert "export WANDB_API_KEY" not in text
    assert "\nexport NCCL_DEBUG=INFO\nexport FOO=1\n" in text
    ran = subprocess.run(["bash", launcher], env={"HF_TOKEN": "x"}, capture_output=True, text=True, check=False)
    assert "OPENAI_API_KEY: a secret" in ran.stderr
    assert not (checkout / "examples/math/math_config.yaml").exists()  # no code is there yet that reads it
    assert any("read url of args" in todo["text"] for todo in told["launches"][0]["todos"])
    left = [each["text"] for each in told["not_carried_over"]]
    assert "export JUDGE_URL=http://judge:8000/v1" in left
    assert "SECRET_TOKEN=…" in left
    assert any("read OPENAI_API_KEY from its environment" in todo["text"] for todo in told["launches"][0]["todos"])
