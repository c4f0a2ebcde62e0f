"""The launcher still starts verl.

## What

A launch whose program is a main of verl or of verl-recipe: `python3 -m verl.trainer.main_ppo`, another module below
`verl.`, `python3 -m recipe.<algo>.main_<algo>`, the path of such a file, or a `python3 -c` that imports and
calls it; started here, in a container, on another machine, in a terminal or by a queue. Other programs, and Relax's own
entry point, are left alone.

## Why

A Relax environment has no verl, so the launch fails at its first line; where verl happens to be installed, the run
trains with verl and nothing of the migrated recipe is used.

## Source

Guide, key conversion rule 1: verl's entry point becomes `python3 relax/entrypoints/train.py`, and Hydra overrides
become flags.

## Example

    python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=1024

## Fix

No single edit does it: a launcher of Relax has to be written, with every setting accounted for. `relax-lint migrate`
does that, and so does `--fix` for a launcher of a recipe, where it stands, unless `--no-migrate` is given:
MIGRATION.md beside it says what became of each setting, and an original that git could not give back is kept as
`NAME.orig`. A launcher that cannot be carried over whole is left, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator

from relax_lint.diagnostics import Finding
from relax_lint.project import Project
from relax_lint.rules import ERROR, Example, rule
from relax_lint.shell.launch import Launch, entry_name
from relax_lint.shell.queries import place_of

VALID: list[Example | str] = [
    "python3 relax/entrypoints/train.py --lr 1e-6\n",
    "# was: python3 -m verl.trainer.main_ppo trainer.n_gpus_per_node=8\npython3 relax/entrypoints/train.py --lr 1e-6\n",
    'python3 -m relax.entrypoints.train --custom-rm-path examples.demo.reward_demo.reward_func "${MODEL_ARGS[@]}"\n',
    # converting data that verl prepared is no training
    "python3 scripts/tools/process_demo.py --input-dir /data/verl --output-dir /data/relax\n",
    'echo "python3 -m verl.trainer.main_ppo is replaced by relax/entrypoints/train.py"\n',
    "python3 relax/entrypoints/train.py --tb-project-name verl.trainer.main_ppo --lr 1e-6\n",
    "python3 relax/entrypoints/train.py --prompt-data /data/verl/trainer/main_ppo.py.parquet\n",
    "ray job submit --address=http://10.0.0.7:8265 -- python3 relax/entrypoints/train.py --lr 1e-6\n",
    (
        "cat <<'EOF'\npython3 -m verl.trainer.main_ppo data.train_batch_size=8\nEOF\npython3 "
        "relax/entrypoints/train.py --lr 1\n"
    ),
    "if false; then\n    python3 -m verl.trainer.main_ppo\nfi\npython3 relax/entrypoints/train.py --lr 1e-6\n",
    "exit 0\npython3 -m verl.trainer.main_ppo trainer.nnodes=1\n",
    "python3 -c 'import verl.trainer.main_ppo as verl; print(verl.__file__)'\n",
    "pip show verl && python3 examples/demo/recipe.py\n",
]

INVALID = [
    Example("python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo\n", findings=((1, 12),)),
    Example(
        "set -x\n\nPYTHONUNBUFFERED=1 python3 -m verl.trainer.main_ppo \\\n    trainer.n_gpus_per_node=8 $@\n",
        findings=((3, 31),),
    ),
    Example("python3 -mverl.trainer.main_ppo algorithm.adv_estimator=grpo\n", findings=((1, 9),)),
    Example("python -u -m recipe.dapo.main_dapo data.train_batch_size=512\n", findings=((1, 14),)),
    Example("python3 verl/trainer/main_ppo.py --config-name=ppo_trainer\n", findings=((1, 9),)),
    Example(
        'ray job submit --address="http://127.0.0.1:8265" --working-dir . \\\n'
        "    -- python3 -m verl.trainer.main_ppo trainer.nnodes=2\n",
        findings=((2, 19),),
    ),
    Example(
        "torchrun --standalone --nproc_per_node=8 \\\n    -m verl.trainer.fsdp_sft_trainer model.partial_pretrain=/m\n",
        findings=((2, 8),),
    ),
    Example('ENTRY=verl.trainer.main_ppo\npython3 -m "$ENTRY" trainer.nnodes=1\n', findings=((2, 12),)),
    Example(
        'run() {\n    nohup python3 -m verl.experimental.one_step_off_policy.main_ppo "$@" > log.txt 2>&1 &\n}\n'
        "run trainer.nnodes=1\n",
        findings=((2, 22),),
    ),
    Example(
        'if [ "${BACKEND:-relax}" = verl ]; then\n    python3 -m verl.trainer.main_ppo\nelse\n'
        "    python3 relax/entrypoints/train.py --lr 1e-6\nfi\n",
        findings=((2, 16),),
    ),
    Example('CMD=(python3 -m verl.trainer.main_generation)\n"${CMD[@]}" model.path=/m\n', findings=((1, 17),)),
    Example("bash -c 'python3 -m verl.trainer.main_eval data.path=/d'\n", findings=((1, 1),)),
    Example("bash -s <<'EOF'\npython3 -m verl.trainer.main_ppo trainer.nnodes=1\nEOF\n", findings=((1, 1),)),
    Example(
        "python -m verl.experimental.fully_async_policy.fully_async_main --config-path=config data.shuffle=True\n",
        findings=((1, 11),),
    ),
    Example("docker exec verl bash -lc 'cd /verl && python3 -m verl.trainer.main_ppo'\n", findings=((1, 1),)),
    Example("ssh \"$NODE\" 'python3 -m verl.trainer.main_ppo trainer.nnodes=1'\n", findings=((1, 1),)),
    Example("parallel python3 -m verl.trainer.main_ppo trainer.seed={} ::: 1 2\n", findings=((1, 1),)),
    Example('env -S "python3 -m verl.trainer.main_ppo data.path=${DATA}"\n', findings=((1, 1),)),
    Example("python3 -c 'from verl.trainer.main_ppo import main; main()' trainer.nnodes=1\n", findings=((1, 12),)),
    Example("exec python3 -m verl.trainer.sft_trainer optim.lr=1e-5 2>&1 | tee sft.log\n", findings=((1, 17),)),
]


@rule("RLX401", "verl-entry-point", ERROR, on="launch", everywhere=True, valid=VALID, invalid=INVALID)
def verl_entry_point(launch: Launch, project: Project) -> Iterator[Finding]:
    """Say what starts verl."""
    if launch.kind == "verl":
        entry = launch.argv[launch.entry]
        name = entry_name(entry)
        yield Finding(
            place_of(launch, entry),
            f"{name} starts verl; Relax is started by python3 relax/entrypoints/train.py with flags instead of"
            " Hydra overrides",
            launch=launch,
            subject=name,
        )
