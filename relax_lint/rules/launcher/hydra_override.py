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

Writes what the table of verl's settings names: the flag with the value as it stands, `--rollout-batch-size` with
`--global-batch-size` for the prompts of a step, `--resource` for the GPUs, `--custom-rm-path` for a reward function of
the checkout. A word is taken out where Relax needs nothing like it, and where the launch has the flags for it: these
count already, whatever the word says. `--fix` says of each that it takes out why. A word is left, and `--fix` says what
to do, where only a person can decide, where Relax lacks what the setting asks for, where only some ways of the script
have it and a flag of all says otherwise, and where the launcher would have another fault with the flag.

`--config-path` and `--config-name` are taken out, unless they name a configuration of the recipe: what that says is to
be carried over first.
"""

from __future__ import annotations

from collections.abc import Iterator

from relax_lint.diagnostics import Finding
from relax_lint.fixers.hydra_words import hydra_words, in_relax
from relax_lint.project import Project
from relax_lint.rules import ERROR, Example, rule
from relax_lint.shell.launch import Launch
from relax_lint.shell.queries import place_of

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
    Example(
        f"{_TRAIN} data.train_batch_size=256\n",
        findings=((1, 36),),
        fixed=f"{_TRAIN} --rollout-batch-size 256 --global-batch-size 256\n",
    ),
    Example(
        f"{_TRAIN} --colocate trainer.total_epochs=3 --lr 1e-6\n",
        findings=((1, 47),),
        fixed=f"{_TRAIN} --colocate --num-epoch 3 --lr 1e-6\n",
    ),
    Example(
        f"{_TRAIN} --lr 1e-6 +trainer.val_before_train=False\n",
        findings=((1, 46),),
        fixed=f"{_TRAIN} --lr 1e-6 --skip-eval-before-train\n",
    ),
    Example(
        f"{_TRAIN} ++actor_rollout_ref.model.path=/m/Q ~critic.optim\n",
        findings=((1, 36), (1, 72)),
        fixed=f"{_TRAIN} --hf-checkpoint /m/Q\n",
    ),
    Example(f"{_TRAIN} --config-name=ppo_trainer --lr 1e-6\n", findings=((1, 36),), fixed=f"{_TRAIN} --lr 1e-6\n"),
    Example(
        f"{_TRAIN} --config-path examples/demo/config --config-name demo\n",
        findings=((1, 36), (1, 71)),
        fixed=f"{_TRAIN}\n",
    ),
    Example(
        {
            "examples/demo/run_demo.sh": f"{_TRAIN} --config-path config --config-name demo\n",
            "examples/demo/config/demo.yaml": "max_turns: 3\n",
        },
        findings=(("examples/demo/run_demo.sh", 1, 36), ("examples/demo/run_demo.sh", 1, 57)),
    ),
    Example(
        f"ALGO_ARGS=(\n    --advantage-estimator grpo\n    algorithm.use_kl_in_reward=False  # from verl\n)\n"
        f'{_TRAIN} "${{ALGO_ARGS[@]}}"\n',
        findings=((3, 5),),
        fixed=f'ALGO_ARGS=(\n    --advantage-estimator grpo\n)\n{_TRAIN} "${{ALGO_ARGS[@]}}"\n',
    ),
    Example(
        f"{_TRAIN} \\\n    --lr 1e-6 \\\n    actor_rollout_ref.rollout.n=${{N:-8}} \\\n    --colocate\n",
        findings=((3, 5),),
        fixed=f"{_TRAIN} \\\n    --lr 1e-6 \\\n    --n-samples-per-prompt ${{N:-8}} \\\n    --colocate\n",
    ),
    Example(
        f'EXTRA="data.max_prompt_length=512"\n{_TRAIN} --colocate $EXTRA\n',
        findings=((2, 47),),
        fixed=f'EXTRA="--rollout-max-prompt-len 512"\n{_TRAIN} --colocate $EXTRA\n',
    ),
    Example(
        "ray job submit --address=http://10.0.0.7:8265 -- python3 -m relax.entrypoints.train \\\n"
        "    \"data.train_files=['/d/a.parquet']\"\n",
        findings=((2, 5),),
        fixed="ray job submit --address=http://10.0.0.7:8265 -- python3 -m relax.entrypoints.train \\\n"
        "    --prompt-data \"['/d/a.parquet']\"\n",
    ),
    Example(f'launch() {{\n    {_TRAIN} --lr 1e-6 "$@"\n}}\nlaunch trainer.nnodes=2\n', findings=((4, 8),)),
    Example(
        f"{_TRAIN} --eval-prompt-data aime /d/aime.parquet data.shuffle=True\n",
        findings=((1, 76),),
        fixed=f"{_TRAIN} --eval-prompt-data aime /d/aime.parquet --rollout-shuffle\n",
    ),
    Example(f"{_TRAIN} env.endpoint=http://judge:8000 --lr 1e-6\n", findings=((1, 36),)),
    Example(
        f"N=4\n{_TRAIN} data.train_batch_size=256 actor_rollout_ref.actor.ppo_mini_batch_size=64 \\\n"
        "    actor_rollout_ref.rollout.n=$N trainer.n_gpus_per_node=8 trainer.nnodes=2 --colocate\n",
        findings=((2, 36), (2, 62), (3, 5), (3, 36), (3, 62)),
        fixed=f"N=4\n{_TRAIN} --rollout-batch-size 256 --global-batch-size $((256 * $N)) \\\n"
        '    --n-samples-per-prompt $N --resource \'{"actor": [1, 16], "rollout": [1, 16]}\' --colocate\n',
    ),
    Example(
        f"ARGS=(\n    --lr 2e-6\n    actor_rollout_ref.actor.optim.lr=1e-6\n    algorithm.lam=1.0   # as it was\n)\n"
        f'{_TRAIN} "${{ARGS[@]}}"\n',
        findings=((3, 5), (4, 5)),
        fixed=f'ARGS=(\n    --lr 2e-6\n    --lambd 1.0   # as it was\n)\n{_TRAIN} "${{ARGS[@]}}"\n',
    ),
    Example(
        f"bash <<'EOF'\n{_TRAIN} data.max_response_length=2048 --lr 1e-6\nEOF\n",
        findings=((1, 1),),
        fixed=f"bash <<'EOF'\n{_TRAIN} --rollout-max-response-len 2048 --lr 1e-6\nEOF\n",
    ),
    Example(
        f"for n in 4 8; do\n    {_TRAIN} actor_rollout_ref.rollout.n=$n\ndone\n",
        findings=((2, 40),),
        fixed=f"for n in 4 8; do\n    {_TRAIN} --n-samples-per-prompt $n\ndone\n",
    ),
]


@rule("RLX402", "hydra-override", ERROR, on="launch", everywhere=True, valid=VALID, invalid=INVALID, fixable="safe")
def hydra_override(launch: Launch, project: Project) -> Iterator[Finding]:
    """Say what only Hydra would read."""
    if launch.kind != "relax":
        return
    for found in hydra_words(launch):
        if found.option:
            message = f"{found.option} is an option of Hydra; Relax has no configuration tree and ignores it"
        else:
            ignored = f"{found.given} is a Hydra override; Relax ignores it"
            message = f"{ignored}, and what {found.key} stands for keeps its default"
        yield Finding(
            place_of(launch, found.word),
            message,
            fix=in_relax(found, launch, project),
            launch=launch,
            subject=found.option or found.key,
        )
