"""`relax-lint migrate`, as it is called."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import jsonschema
import pytest

from relax_lint.cli import main
from tests.migrate.model_configs import PUBLIC

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/schema/migrate.schema.json").read_text())
VERL = """\
#!/bin/bash
set -x
python3 -m verl.trainer.main_ppo \\
    algorithm.adv_estimator=grpo \\
    data.train_files=$HOME/data/gsm8k/train.parquet \\
    data.val_files=$HOME/data/gsm8k/test.parquet \\
    data.train_batch_size=32 \\
    data.max_prompt_length=512 \\
    data.max_response_length=1024 \\
    actor_rollout_ref.model.path=Qwen/Qwen3-8B \\
    actor_rollout_ref.actor.optim.lr=1e-6 \\
    actor_rollout_ref.actor.ppo_mini_batch_size=32 \\
    actor_rollout_ref.actor.use_kl_loss=True \\
    actor_rollout_ref.rollout.n=8 \\
    trainer.logger='["console"]' \\
    trainer.n_gpus_per_node=8 \\
    trainer.nnodes=1 \\
    trainer.save_freq=-1 \\
    trainer.total_epochs=2
"""

MODEL = """\
MODEL_ARGS=(
    --num-layers 36
    --hidden-size 4096
    --ffn-hidden-size 12288
    --num-attention-heads 32
    --group-query-attention
    --num-query-groups 8
    --kv-channels 128
    --vocab-size 151936
    --swiglu
    --qk-layernorm
    --disable-bias-linear
    --untie-embeddings-and-output-weights
    --normalization RMSNorm
    --norm-epsilon 1e-6
    --position-embedding-type rope
    --rotary-base 1000000
)
"""
REWARD = 'async def reward_func(args, sample, **kwargs):\n    return {"score": 1.0}\n'


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory like a checkout of Relax, as the working directory, with a launcher of verl beside it."""
    root = tmp_path / "relax"
    files = {"relax/entrypoints/train.py": "", "examples/other/__init__.py": "", "scripts/models/qwen3-8B.sh": MODEL}
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True)
        (root / path).write_text(text)
    (tmp_path / "verl/examples/grpo").mkdir(parents=True)
    (tmp_path / "verl/examples/grpo/run.sh").write_text(VERL)
    monkeypatch.chdir(root)
    return root


SOURCE = "../verl/examples/grpo/run.sh"


def write(text: str) -> None:
    Path(SOURCE).write_text(text)


def tree(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("into", ["other", "examples/group", "."])
def test_a_recipe_elsewhere_is_named_by_the_modules_that_it_has(
    into: str, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    loss = "    actor_rollout_ref.actor.loss_agg_mode=seq-mean-token-sum \\\n    trainer.nnodes=1"
    turns = "    actor_rollout_ref.rollout.multi_turn.enable=True \\\n    trainer.n_gpus_per_node=8"
    write(
        VERL.replace("    trainer.nnodes=1", loss).replace("    trainer.n_gpus_per_node=8", turns).replace("gsm8k", "d")
    )
    for name in ("base_env", "rollout"):
        original = checkout / f"examples/deepeyes/{name}.py"
        original.parent.mkdir(exist_ok=True)
        original.write_text('DEFAULT_ENV_MODULE = "examples.deepeyes.env_deepeyes"\n')
    assert main(["migrate", SOURCE, "--name", "q", "--into", into, "--format", "json"]) in (0, 1)
    told = json.loads(capsys.readouterr().out)
    texts = {file["path"]: file["text"] for file in told["files"] if not file["path"].endswith(".md")}
    package = ".".join((*Path(into).parts, "q"))
    named = set(re.findall(r"\b[\w.]+\.(?:reward_q|loss_q|rollout|env_q|base_env)\b", "\n".join(texts.values())))
    named = {module for module in named if not module.startswith("actor_rollout_ref.")}
    assert {f"{package}.{module}" for module in ("reward_q", "loss_q", "rollout", "env_q")} <= named
    assert all((checkout / f"{module.replace('.', '/')}.py").is_file() for module in named), named


def test_a_recipe_is_written(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["migrate", SOURCE, "--name", "gsm8k"]) == 0
    told = capsys.readouterr()
    assert told.err == ""
    names = {path.name for path in (checkout / "examples/gsm8k").iterdir()}
    assert {"__init__.py", "run_gsm8k.sh", "MIGRATION.md"} <= names
    assert "examples/gsm8k/run_gsm8k.sh" in told.out
    assert "To do by hand:" in told.out
    assert main(["check", "examples/gsm8k"]) == 1
    left = [line for line in capsys.readouterr().out.splitlines() if re.match(r"\S+:\d+:\d+: RLX", line)]
    assert ["RLX205" in line and "still to be written" in line for line in left] == [True]


def test_the_json_is_what_its_schema_says_and_the_page_holds_every_setting(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["migrate", SOURCE, "--name", "gsm8k", "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    jsonschema.validate(told, SCHEMA)
    assert told["status"] == "migrated"
    assert told["written"] is True
    page = (checkout / "examples/gsm8k/MIGRATION.md").read_text()
    settings = told["launches"][0]["settings"]
    assert len(settings) > 300
    assert [setting["key"] for setting in settings if f"`{setting['key']}`" not in page] == []
    lr = next(setting for setting in settings if setting["key"] == "actor_rollout_ref.actor.optim.lr")
    assert (lr["origin"], lr["path"], lr["line"], lr["becomes"]) == ("command line", SOURCE, 11, ["--lr 1e-6"])


def test_a_dry_run_prints_a_diff_and_writes_nothing(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = tree(checkout)
    assert main(["migrate", SOURCE, "--name", "gsm8k", "--dry-run"]) == 0
    told = capsys.readouterr().out
    assert "+++ b/examples/gsm8k/run_gsm8k.sh" in told
    assert "+    --lr 1e-6" in told
    assert tree(checkout) == before
    subprocess.run(["git", "apply"], input=told, cwd=checkout, text=True, check=True)
    patched = tree(checkout)
    assert main(["migrate", SOURCE, "--name", "gsm8k", "--force"]) == 0
    assert tree(checkout) == patched != before


def test_what_is_there_is_not_touched(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = tree(checkout)
    assert main(["migrate", SOURCE, "--name", "other"]) == 2
    assert "examples/other is there already" in capsys.readouterr().err
    assert tree(checkout) == before


def test_what_python_leaves_behind_takes_no_place(checkout: Path) -> None:
    left = checkout / "examples/gsm8k/__pycache__/reward_gsm8k.cpython-311.pyc"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"x")
    assert main(["migrate", SOURCE, "--name", "gsm8k"]) == 0
    assert (checkout / "examples/gsm8k/run_gsm8k.sh").is_file()


def test_with_force_what_was_there_is_kept_beside(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (checkout / "examples/other/run_other.sh").write_text("echo mine\n")
    (checkout / "examples/other/reward_other.py").write_text(REWARD)
    assert main(["migrate", SOURCE, "--name", "other", "--force"]) == 0
    assert (checkout / "examples/other/run_other.sh.orig").read_text() == "echo mine\n"
    assert (checkout / "examples/other/reward_other.py").read_text() == REWARD
    assert "run_other.sh.orig" in capsys.readouterr().err
    after = tree(checkout)
    assert main(["migrate", SOURCE, "--name", "other", "--force"]) == 0
    assert tree(checkout) == after


def test_files_of_the_user_s_own_that_stay_are_named(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(VERL.replace("gsm8k", "mine"))
    assert main(["migrate", SOURCE, "--name", "mine"]) == 0
    capsys.readouterr()
    assert main(["migrate", SOURCE, "--name", "mine", "--force"]) == 0
    assert capsys.readouterr().err == ""
    (checkout / "examples/mine/reward_mine.py").write_text(REWARD)
    assert main(["migrate", SOURCE, "--name", "mine", "--force", "--format", "json"]) == 0
    told = capsys.readouterr()
    assert told.err == "relax-lint: examples/mine/reward_mine.py is there already and stays as it is\n"
    assert json.loads(told.out)["kept"] == ["examples/mine/reward_mine.py"]
    assert (checkout / "examples/mine/reward_mine.py").read_text() == REWARD


def test_a_reward_of_the_user_s_own_that_relax_cannot_call_is_pointed_at(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(VERL.replace("gsm8k", "mine"))
    (checkout / "examples/mine").mkdir()
    (checkout / "examples/mine/reward_mine.py").write_text("def score(text):\n    return 1.0\n")
    assert main(["migrate", SOURCE, "--name", "mine", "--force", "--format", "json"]) == 1
    told = capsys.readouterr()
    data = json.loads(told.out)
    jsonschema.validate(data, SCHEMA)
    assert (data["status"], data["written"], data["error"]) == ("migrated", True, None)
    assert data["findings"]
    assert "please check examples/mine/run_mine.sh" in told.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([SOURCE], "--name is required"),
        ([SOURCE, "--name", "my-recipe"], "letters, digits and underscores"),
        ([SOURCE, "--name", "../x"], "letters, digits and underscores"),
        (
            [SOURCE, "--name", "class"],
            "--name class: class cannot be a part of module paths, it is a word of Python's own",
        ),
        (
            [SOURCE, "--name", "x", "--into", "examples/my-group"],
            "--into examples/my-group: my-group becomes a part of",
        ),
        ([SOURCE, "--name", "x", "--into", "examples/import"], "--into examples/import: import cannot be a part of"),
        ([SOURCE, "--name", "x", "--into", "../out"], "--into ../out"),
        ([SOURCE, "--name", "x", "--into", "/out"], "--into /out"),
        (["nothing.sh", "--name", "x"], "no such file: nothing.sh"),
        (["/dev/null", "--name", "x"], "/dev/null is no file that can be read"),
        (["scripts", "--name", "x"], "no script in it starts a training of verl that can be seen"),
        ([SOURCE, "--name", "x", "--relax-root", ".."], "no Relax checkout"),
        ([SOURCE, "--name", "x", "--verl-root", "nowhere"], "--verl-root nowhere: no such directory"),
        (
            [SOURCE, "--name", "x", "--verl-root", "examples"],
            "--verl-root examples: there is no configuration of verl's",
        ),
        ([SOURCE, "--name", "x", "--hf-config", "nowhere.json"], "--hf-config nowhere.json: it cannot be read"),
        ([SOURCE, "--name", "x", "--hf-config", SOURCE], f"--hf-config {SOURCE}: it is no JSON: "),
        ([SOURCE, "--name", "other"], "examples/other is there already"),
        ([SOURCE, "--name", "x", "--env", "nothing"], "--env wants NAME=VALUE"),
    ],
)
def test_wrong_usage_is_said_and_nothing_is_written(
    arguments: list[str], message: str, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = tree(checkout)
    assert main(["migrate", *arguments]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert main(["migrate", *arguments, "--format", "json"]) == 2
    told = json.loads(capsys.readouterr().out)
    jsonschema.validate(told, SCHEMA)
    assert (told["status"], told["written"]) == ("failed", False)
    assert said == f"relax-lint: {told['error']}\n"
    assert tree(checkout) == before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("if true; then\n    python3 -m verl.trainer.main_ppo a=1\n", "run.sh:1:1: "),
        ("echo hello\n", "starts no training of verl that can be seen"),
        ("python3 relax/entrypoints/train.py --lr 1e-6\n", "launches Relax already"),
        (VERL.replace("algorithm.adv_estimator=grpo", "algorithm.adv_estimator=gae"), "run.sh:4:5: "),
        (VERL.replace("trainer.nnodes=1", "trainer.nnodes=[1"), "run.sh:17:5: "),
        (VERL.replace("main_ppo", "main_ppo --config-path=config --config-name=nothing"), "nothing"),
        ("python3 -m verl.trainer.fsdp_sft_trainer data.train_files=a\n", "is no training by rewards"),
    ],
)
def test_what_cannot_be_migrated_is_said_with_its_place(
    text: str, message: str, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(text)
    before = tree(checkout)
    assert main(["migrate", SOURCE, "--name", "gsm8k"]) == 1
    told = capsys.readouterr()
    assert message in told.err
    assert told.out == ""
    assert tree(checkout) == before


def test_a_refusal_is_in_the_json_too(capsys: pytest.CaptureFixture[str]) -> None:
    write(VERL.replace("algorithm.adv_estimator=grpo", "algorithm.adv_estimator=gae"))
    assert main(["migrate", SOURCE, "--name", "gsm8k", "--format", "json"]) == 1
    told = json.loads(capsys.readouterr().out)
    jsonschema.validate(told, SCHEMA)
    assert (told["status"], told["written"]) == ("refused", False)
    (refused,) = told["refused"]
    assert refused["key"] == "algorithm.adv_estimator"
    assert (refused["line"], refused["column"]) == (4, 5)


def test_a_script_that_cannot_be_evaluated_is_in_the_json_too(capsys: pytest.CaptureFixture[str]) -> None:
    write("for x in 1 2; do\n")
    assert main(["migrate", SOURCE, "--name", "gsm8k", "--format", "json"]) == 1
    told = json.loads(capsys.readouterr().out)
    jsonschema.validate(told, SCHEMA)
    assert (told["status"], told["files"], told["launches"]) == ("refused", [], [])
    assert (told["refused"][0]["path"], told["refused"][0]["line"]) == (SOURCE, 1)


def test_bytes_that_are_no_text_stay_as_they_are_and_are_pointed_at(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    named = VERL.replace("trainer.nnodes=1", "trainer.experiment_name=\"'a\udcff'\"")
    Path(SOURCE).write_bytes(named.encode(errors="surrogateescape"))
    assert main(["migrate", SOURCE, "--name", "gsm8k"]) == 1
    assert "please check examples/gsm8k/run_gsm8k.sh" in capsys.readouterr().err
    assert b"a\xff" in (checkout / "examples/gsm8k/run_gsm8k.sh").read_bytes()


def test_ways_through_the_script_become_launchers_beside(checkout: Path) -> None:
    ask = 'if [ "${KIND:-small}" = big ]; then LR=3e-6; else LR=1e-6; fi\n'
    write(VERL.replace("python3 -m", f"{ask}python3 -m").replace("lr=1e-6", "lr=$LR"))
    assert main(["migrate", SOURCE, "--name", "gsm8k"]) == 0
    directory = checkout / "examples/gsm8k"
    assert "--lr 1e-6" in (directory / "run_gsm8k.sh").read_text()
    assert "--lr 3e-6" in (directory / "run_gsm8k_big.sh").read_text()
    page = (directory / "MIGRATION.md").read_text()
    assert 'when `[ "${KIND:-small}" = big ]`' in page


def test_the_command_that_a_form_for_a_model_asks_for_does_it(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(VERL.replace("Qwen/Qwen3-8B", "acme/Unheard-7"))
    assert main(["migrate", SOURCE, "--name", "gsm8k"]) == 0
    page = (checkout / "examples/gsm8k/MIGRATION.md").read_text()
    form = (checkout / "scripts/models/Unheard-7.sh").read_text()
    (command,) = set(re.findall(r"relax-lint (model-config .*--force)", page + form))
    (checkout / "CONFIG.json").write_text(json.dumps(PUBLIC["qwen3-8B"]))
    assert main(command.split()) == 0
    assert "--num-layers 36" in (checkout / "scripts/models/Unheard-7.sh").read_text()


def test_a_way_that_relax_refuses_is_left_out_and_said(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ask = 'if [ "$KIND" = ppo ]; then A=gae; else A=grpo; fi\n'
    write(VERL.replace("python3 -m", f"{ask}python3 -m").replace("adv_estimator=grpo", "adv_estimator=$A"))
    assert main(["migrate", SOURCE, "--name", "gsm8k"]) == 1
    assert 'not migrated (when [ "$KIND" = ppo ]): ' in capsys.readouterr().err
    assert (checkout / "examples/gsm8k/run_gsm8k.sh").is_file()
    assert not (checkout / "examples/gsm8k/run_gsm8k_ppo.sh").exists()
    assert "**Not migrated:**" in (checkout / "examples/gsm8k/MIGRATION.md").read_text()


def test_too_many_ways_are_named_and_not_written(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asks = "".join(f'if [ "$V{n}" = on ]; then V{n}=2; else V{n}=1; fi\n' for n in range(4))
    write(VERL.replace("python3 -m", f"{asks}python3 -m").replace("lr=1e-6", "lr=$V0$V1$V2$V3"))
    assert main(["migrate", SOURCE, "--name", "gsm8k"]) == 1
    assert "15 other ways through the script are not written" in capsys.readouterr().err
    assert "--lr 1111" in (checkout / "examples/gsm8k/run_gsm8k.sh").read_text()
    assert '- when `[ "$V0" = on ]`' in (checkout / "examples/gsm8k/MIGRATION.md").read_text()
    assert main(["migrate", SOURCE, "--name", "other", "--force", "--env", "V0=on", "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    jsonschema.validate(told, SCHEMA)
    assert told["not_written"] == []
    assert len({launch["script"] for launch in told["launches"]}) == 8


def test_variables_that_are_no_longer_read_are_named(checkout: Path) -> None:
    write(VERL.replace("python3", "ROOT=${ROOT:-/d}\nLR=${LR:-1e-6}\npython3").replace("=Qwen/", "=$ROOT/Qwen/")
          .replace("lr=1e-6", "lr=$LR"))  # fmt: skip
    assert main(["migrate", SOURCE, "--name", "gsm8k"]) == 0
    assert '--lr "${LR:-1e-6}"' in (checkout / "examples/gsm8k/run_gsm8k.sh").read_text()
    page = (checkout / "examples/gsm8k/MIGRATION.md").read_text()
    assert "| `ROOT` | `actor_rollout_ref.model.path` |" in page.partition("no longer read")[2]
    assert "`LR`" not in page.partition("no longer read")[2]


def test_a_loop_is_one_script_with_all_runs(checkout: Path) -> None:
    write(f"for lr in 1e-6 5e-6; do\n{VERL.replace('lr=1e-6', 'lr=$lr')}done\n".replace("#!/bin/bash\nset -x\n", ""))
    assert main(["migrate", SOURCE, "--name", "gsm8k"]) == 0
    text = (checkout / "examples/gsm8k/run_gsm8k.sh").read_text()
    assert text.count("train lr-1e-6") == text.count("train lr-5e-6") == 1
    assert main(["check", "examples/gsm8k", "--ignore", "RLX205"]) == 0


def test_a_link_that_leads_out_of_the_checkout_is_not_followed(
    checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "outside").mkdir()
    (checkout / "examples/linked").symlink_to(tmp_path / "outside")
    assert main(["migrate", SOURCE, "--name", "x", "--into", "examples/linked"]) == 1
    assert "nothing is written: " in capsys.readouterr().err
    assert list((tmp_path / "outside").iterdir()) == []


def test_all_is_taken_back_when_a_file_cannot_be_written(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (checkout / "examples/gsm8k/MIGRATION.md").mkdir(parents=True)
    before = tree(checkout)
    assert main(["migrate", SOURCE, "--name", "gsm8k", "--force"]) == 1
    assert "MIGRATION.md" in capsys.readouterr().err
    assert main(["migrate", SOURCE, "--name", "gsm8k", "--force", "--format", "json"]) == 1
    told = capsys.readouterr()
    data = json.loads(told.out)
    jsonschema.validate(data, SCHEMA)
    assert (data["status"], data["written"]) == ("migrated", False)
    assert data["error"].startswith("nothing is written: ")
    assert "MIGRATION.md" in data["error"]
    assert tree(checkout) == before


def test_a_script_with_windows_line_ends_is_read_as_if_it_had_none(capsys: pytest.CaptureFixture[str]) -> None:
    Path("windows.sh").write_bytes(VERL.replace("\n", "\r\n").encode())
    assert main(["migrate", "windows.sh", "--name", "windows"]) == 0
    assert "\r" not in Path("examples/windows/run_windows.sh").read_bytes().decode()
    assert "windows.sh has CRLF line ends, with which bash breaks commands off" in capsys.readouterr().err


def test_what_a_broken_continuation_cuts_off_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    write(VERL.replace("rollout.n=8 \\\n", "rollout.n=8 \\ \n"))
    assert main(["migrate", SOURCE, "--name", "gsm8k"]) == 1
    lost = "trainer.logger='[\"console\"]', trainer.n_gpus_per_node=8, trainer.nnodes=1, trainer.save_freq=-1"
    assert f"run.sh:14: not carried over: {lost}" in capsys.readouterr().err
    assert lost in Path("examples/gsm8k/MIGRATION.md").read_text()
