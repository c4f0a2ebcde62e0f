"""Hydra's `key.sub=value` in a launch of Relax.

## What

Words of a Relax launch that only Hydra understands: overrides such as `data.train_batch_size=1024`, also with `+`, `++`
or `~` in front, and the options `--config-path` and `--config-name`. A word with a dot and an equals sign that is the
value of a flag (a path, JSON, `--agent-env KEY=VALUE`) is no override.

## Why

Relax reads flags with argparse and ignores what it does not know. The override is dropped without a word, and the run
trains with the default of what it should have set.

## Source

Guide: NEVER use Hydra config syntax in Relax launch scripts; key conversion rule 2 and the table of arguments.

## Example

    python3 relax/entrypoints/train.py --colocate data.train_batch_size=256 trainer.total_epochs=3

## Fix

By hand: write the Relax flag that the guide's table names for the key.
"""

from __future__ import annotations

from collections.abc import Iterator

from relax_lint.diagnostics import Finding
from relax_lint.patterns import pattern
from relax_lint.project import Project
from relax_lint.rules import ERROR, Example, rule
from relax_lint.shell.launch import Launch, Word
from relax_lint.shell.queries import place_of

_OVERRIDE = pattern(r"(?P<root>[A-Za-z_]\w*)(?:\.[\w-]+(?:\[\d+\])?)+=")
_PREFIXED = pattern(r"\+{1,2}[A-Za-z_][\w./@-]*=|~[A-Za-z_][\w-]*(?:\.[\w-]+)+(?:=|\Z)")
_GROUPS = frozenset(
    {
        "actor", "actor_rollout_ref", "algorithm", "checkpoint", "critic", "custom_reward_function", "data", "engine",
        "global_profiler", "hydra", "model", "optim", "ray_init", "ray_kwargs", "reward", "reward_manager",
        "reward_model", "rollout", "trainer", "transfer_queue",
    }
)  # fmt: skip
"""Where verl's settings live. A flag may take a dotted word as its value, but not one of these."""
_OPTIONS = pattern(r"(--config-path|--config-name|--config-dir)(?:=|\Z)")

_TRAIN = "python3 relax/entrypoints/train.py"

VALID: list[Example | str] = [
    f"{_TRAIN} --global-batch-size 256 --num-epoch 3\n",
    "python3 -m verl.trainer.main_ppo data.train_batch_size=1024 --config-name=ppo_trainer\n",
    f"{_TRAIN} --use-agentic-rollout --agent-env JUDGE=http://judge.local/v1 API.KEY=none\n",
    f'{_TRAIN} --agent-command "python3 app.py model.name=x trainer.mode=y" --agent-cwd examples/demo/app\n',
    f"{_TRAIN} --prompt-data '/data/train.parquet@[0:5000]' --input-key prompt\n",
    f'{_TRAIN} --resource \'{{"actor": [1, 8], "rollout": [1, 8]}}\' --colocate\n',
    f"{_TRAIN} --custom-config-path examples/demo/demo_config.yaml --lr=1e-6\n",
    f"{_TRAIN} --tb-experiment-name lr.a=1e-6 --colocate\n",
    f"PYTHONPATH=relax.d/x=y env OMP.NUM=3 {_TRAIN} --lr 1e-6\n",
    f"data_path=/d/data.train=1.parquet\n{_TRAIN} --prompt-data ${{data_path}}\n",
    f"# data.train_batch_size=1024 became:\n{_TRAIN} --rollout-batch-size 1024\n",
    f"{_TRAIN} --apply-chat-template-kwargs '{{\"enable_thinking\": false}}' --dump-details /tmp/a.b=c\n",
    f"sed -i 's/trainer.nnodes=1/trainer.nnodes=2/' notes.txt\n{_TRAIN} --lr 1e-6 2>&1 | grep a.b=c\n",
]

INVALID = [
    Example(f"{_TRAIN} data.train_batch_size=256\n", findings=((1, 36),)),
    Example(f"{_TRAIN} --colocate trainer.total_epochs=3 --lr 1e-6\n", findings=((1, 47),)),
    Example(f"{_TRAIN} --lr 1e-6 +trainer.val_before_train=False\n", findings=((1, 46),)),
    Example(f"{_TRAIN} ++actor_rollout_ref.model.path=/m/Q ~critic.optim\n", findings=((1, 36), (1, 72))),
    Example(f"{_TRAIN} --config-name=ppo_trainer --lr 1e-6\n", findings=((1, 36),)),
    Example(f"{_TRAIN} --config-path examples/demo/config --config-name demo\n", findings=((1, 36), (1, 71))),
    Example(
        f"ALGO_ARGS=(\n    --advantage-estimator grpo\n    algorithm.use_kl_in_reward=False  # from verl\n)\n"
        f'{_TRAIN} "${{ALGO_ARGS[@]}}"\n',
        findings=((3, 5),),
    ),
    Example(
        f"{_TRAIN} \\\n    --lr 1e-6 \\\n    actor_rollout_ref.rollout.n=${{N:-8}} \\\n    --colocate\n",
        findings=((3, 5),),
    ),
    Example(f'EXTRA="data.max_prompt_length=512"\n{_TRAIN} --colocate $EXTRA\n', findings=((2, 47),)),
    Example(
        "ray job submit --address=http://10.0.0.7:8265 -- python3 -m relax.entrypoints.train \\\n"
        "    \"data.train_files=['/d/a.parquet']\"\n",
        findings=((2, 5),),
    ),
    Example(f'launch() {{\n    {_TRAIN} --lr 1e-6 "$@"\n}}\nlaunch trainer.nnodes=2\n', findings=((4, 8),)),
    Example(f"{_TRAIN} --eval-prompt-data aime /d/aime.parquet data.shuffle=True\n", findings=((1, 76),)),
    Example(f"{_TRAIN} env.endpoint=http://judge:8000 --lr 1e-6\n", findings=((1, 36),)),
]


@rule("RLX402", "hydra-override", ERROR, on="launch", everywhere=True, valid=VALID, invalid=INVALID)
def hydra_override(launch: Launch, project: Project) -> Iterator[Finding]:
    """Say what only Hydra would read."""
    if launch.kind != "relax":
        return
    may_be_a_value = False
    for word in launch.argv[launch.entry + 1 :]:
        if word.text.startswith("--"):
            option = _OPTIONS.match(word.text)
            if option:
                message = f"{option.group(1)} is an option of Hydra; Relax has no configuration tree and ignores it"
                yield _finding(launch, word, message, option.group(1))
            may_be_a_value = "=" not in word.text
        elif _is_override(word.text, may_be_a_value):
            given = word.text.partition("=")[0]
            key = given.lstrip("+~")
            message = f"{given} is a Hydra override; Relax ignores it, and what {key} stands for keeps its default"
            yield _finding(launch, word, message, key)
            may_be_a_value = False


def _finding(launch: Launch, word: Word, message: str, subject: str) -> Finding:
    return Finding(place_of(launch, word), message, launch=launch, subject=subject)


def _is_override(text: str, may_be_a_value: bool) -> bool:
    """Whether a word is an override; where it may be a flag's value, only if it is one of verl's."""
    if _PREFIXED.match(text):
        return True
    if "=" not in text:
        return False
    match = _OVERRIDE.match(text)
    return match is not None and (match.group("root") in _GROUPS or not may_be_a_value)
