"""A recipe holds a Hydra configuration of verl's trainers.

## What

A YAML file of a recipe that is told to be one by `actor_rollout_ref` or `custom_reward_function`, by a defaults list
with groups of verl's (`ppo_trainer`, `actor@actor_rollout_ref.actor`), by a Hydra search path into verl, by a
`_target_` out of `verl.workers.config` or `verl.trainer.config`, which the parts of such a configuration have, or
by two of `trainer`, `data`, `algorithm`, `critic`, `reward_model`, `rollout` and `model` with keys that verl's have.

## Why

Relax has no Hydra: what the file says has no effect, however much it looks like the settings of the run. Given to
`--custom-config-path`, its top keys become mappings on the arguments that nobody reads, or shadow one that is.

## Source

Guide, its table of key files: a Hydra YAML config becomes flags of `relax/entrypoints/train.py` in the launcher; step 5
maps the settings.

## Example

    defaults:
      - ppo_trainer
      - _self_
    actor_rollout_ref:
      rollout: {n: 8}

## Fix

None here: carry each setting over to a flag of the launcher, what is the recipe's own to `<algo>_config.yaml`, and take
the file away.
"""

from __future__ import annotations

from collections.abc import Iterator

from relax_lint.diagnostics import Finding
from relax_lint.project import Project
from relax_lint.rules import ERROR, Example, rule
from relax_lint.sources.config_yaml import YamlSource

_SIGNS = ("actor_rollout_ref", "custom_reward_function", "trainer", "data", "algorithm", "critic", "verl")
VALID: list[Example | str] = [
    "max_turns: 5\nrollout_interaction_env_path: examples.demo.env_demo\n",
    "eval:\n  defaults: {temperature: 0.6}\n  datasets: {aime: {path: a.parquet}}\n",
    "defaults:\n  - _self_\n  - sandbox: local\n",
    "trainer: {max_epochs: 3, devices: 8}\ndata: {path: a}\n",
    "trainer: {project_name: x, experiment_name: y}\n",
    "data:\n  train_files: a.parquet\n  val_files: b.parquet\n",
    "# actor_rollout_ref:\n#   rollout: {n: 8}\nn: 8\n",
    "actor_rollout_ref: see the launcher\n",
    "notes:\n  actor_rollout_ref: {rollout: {n: 8}}\n",
    "hydra: {run: {dir: outputs}}\nsearch: local\n",
    "prompt: |\n  actor_rollout_ref:\n    rollout: x\n",
    "trainer: {nnodes: 1, logger: console, project_name: x}\nmodel: {name: a}\n",
    "",
    "- defaults: [ppo_trainer]\n",
]

INVALID: list[Example] = [
    Example("actor_rollout_ref:\n  rollout:\n    n: 8\n", findings=((1, 1),)),
    Example("data: {train_files: a}\n'actor_rollout_ref': {actor: {optim: {lr: 1e-6}}}\n", findings=((2, 1),)),
    Example("defaults:\n  - ppo_trainer\n  - _self_\nmax_turns: 5\n", findings=((1, 1),)),
    Example("defaults: [/config/ppo_megatron_trainer, _self_]\n", findings=((1, 1),)),
    Example("# @package _global_\ndefaults:\n  - actor@actor_rollout_ref.actor: dp_actor\n", findings=((2, 1),)),
    Example("hydra:\n  searchpath:\n    - file://verl/trainer/config\ntool: x\n", findings=((1, 1),)),
    Example("hydra: {searchpath: [pkg://verl.trainer.config]}\r\n", findings=((1, 1),)),
    Example(
        "data:\n  train_files: a.parquet\ntrainer:\n  total_epochs: 3\n  project_name: x\n  nnodes: 1\n",
        findings=((3, 1),),
    ),
    Example("# a part\n_target_: verl.workers.config.FSDPActorConfig\nstrategy: fsdp\n", findings=((2, 1),)),
    Example("trainer: {save_freq: 10, test_freq: 5}\nalgorithm: {adv_estimator: grpo}\n", findings=((1, 1),)),
    Example("model: {partial_pretrain: Qwen}\ntrainer: {total_epochs: 3, project_name: sft}\n", findings=((2, 1),)),
    Example(
        "base: &base {nnodes: 1, n_gpus_per_node: 8}\ntrainer:\n  <<: *base\ncritic: {optim: {lr: 1e-5}}\n",
        findings=((2, 1),),
    ),
    Example("max_turns: 5\ncustom_reward_function: {path: reward.py, name: compute_score}\n", findings=((2, 1),)),
    Example("algorithm:\n  adv_estimator: grpo\ndata:\n  train_batch_size: 8\n", findings=((3, 1),)),
    Example("hydra: {searchpath: ['file://${oc.env:HOME}/verl/trainer/config']}\n", findings=((1, 1),)),
    Example("\nactor_rollout_ref: {hybrid_engine: true}\ntools:\n  - class_name: verl.tools.a.B\n", findings=((2, 1),)),
    Example(
        {"examples/demo/config/ppo.yml": "critic: {optim: {lr: 1e-5}}\ntrainer: {critic_warmup: 0, val_only: false}\n"},
        findings=(("examples/demo/config/ppo.yml", 2, 1),),
    ),
]


@rule("RLX602", "verl-trainer-config", ERROR, on="yaml", valid=VALID, invalid=INVALID)
def verl_trainer_config(source: YamlSource, project: Project) -> Iterator[Finding]:
    """One finding a file, where it shows first what it is."""
    if not any(sign in source.text for sign in _SIGNS) or source.error is not None:
        return
    from relax_lint.verl_configs import trainer_sign

    sign = trainer_sign(source)
    if sign is not None:
        message = "a trainer config of verl's, which nothing in Relax reads: its settings are flags of the launcher"
        yield Finding(source.key_place(sign), message, subject=sign.name)
