"""What a launch means, read from verl's side and from Relax's, by two readers that know nothing of the migration.

Each knows its side's defaults, units and names, from their sources; neither uses the mapping. A launch that was
migrated rightly means the same to both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from relax_lint.catalog.flags import embedded
from relax_lint.catalog.namespace import Namespace, Parsers
from relax_lint.shell.evaluate import Reading, evaluate
from relax_lint.shell.launch import Launch

A = "actor_rollout_ref.actor."
R = "actor_rollout_ref.rollout."


@dataclass(frozen=True)
class Meaning:
    """One experiment. Intervals and lengths of schedules count rollouts; ``None`` is never, or without a bound."""

    estimator: str
    divides_by_deviation: bool
    aggregation: str
    clip: tuple[float, float]
    taus: tuple[float, float] | None
    kl: tuple[str, float] | None
    entropy: float

    lr: float
    decay: str
    least_lr: float
    warm_up: float
    warm_up_is_share: bool
    weight_decay: float
    betas: tuple[float, float]
    grad_clip: float

    prompts: int
    samples_of_a_prompt: int
    updates: int
    epochs: int | None
    rollouts: int | None
    save_every: int | None
    evaluate_every: int | None
    evaluates_first: bool

    temperature: float
    top_p: float
    top_k: int
    prompt_length: int
    response_length: int
    engine_gpus: int
    evaluation: tuple[float, float, int, int] | None
    """Temperature, top_p, top_k, samples of a prompt."""

    gpus: int
    shuffles: bool
    order_seed: int | None
    prompt_column: str
    chat_template: bool


# ---------------------------------------------------------------- verl

VERL: Mapping[str, Any] = {
    "algorithm.adv_estimator": "gae", "algorithm.norm_adv_by_std_in_grpo": True,
    A + "policy_loss.loss_mode": "vanilla", A + "loss_agg_mode": "token-mean", A + "clip_ratio_low": 0.2,
    A + "clip_ratio_high": 0.2, A + "tau_pos": 1.0, A + "tau_neg": 1.05, A + "entropy_coeff": 0,
    A + "use_kl_loss": False, A + "kl_loss_coef": 0.001, A + "kl_loss_type": "low_var_kl",
    A + "ppo_mini_batch_size": 256, A + "optim.clip_grad": 1.0, A + "optim.lr": 1e-6,
    A + "optim.weight_decay": 0.01, A + "optim.betas": [0.9, 0.999], A + "optim.lr_warmup_steps": -1,
    A + "optim.lr_warmup_steps_ratio": 0.0, A + "optim.lr_scheduler_type": "constant", A + "optim.min_lr_ratio": 0.0,
    A + "optim.lr_decay_style": "constant", A + "optim.min_lr": 0.0,
    R + "n": 1, R + "temperature": 1.0, R + "top_p": 1.0, R + "top_k": -1, R + "tensor_model_parallel_size": 2,
    R + "val_kwargs.temperature": 0, R + "val_kwargs.top_p": 1.0, R + "val_kwargs.top_k": -1, R + "val_kwargs.n": 1,
    "data.train_batch_size": 1024, "data.max_prompt_length": 512, "data.max_response_length": 512,
    "data.shuffle": True, "data.seed": None, "data.prompt_key": "prompt",
    "trainer.nnodes": 1, "trainer.n_gpus_per_node": 8, "trainer.total_epochs": 30,
    "trainer.total_training_steps": None, "trainer.save_freq": -1, "trainer.test_freq": -1,
    "trainer.val_before_train": True,
}  # fmt: skip
KL_OF_VERL = {"kl": "difference", "k1": "difference", "mse": "square", "k2": "square", "low_var_kl": "low variance",
              "k3": "low variance"}  # fmt: skip
MEAN_OF_MEANS = ("gspo", "sapo")
"""Losses whose aggregation verl fixes, whatever is set."""


def verl_settings(launch: Launch, configs: Path) -> dict[str, Any]:
    """The settings of a launch, from verl's defaults, the recipe's configuration and the words of the launch."""
    given: dict[str, Any] = {}
    for argument in launch.arguments:
        key, equals, value = argument.word.text.partition("=")
        if key == "--config-name":
            given["--config-name"] = value.strip("'").removesuffix(".yaml")
        elif equals and not key.startswith("-"):
            given[key.lstrip("+")] = _scalar(value)
    own = configs / f"{given.get('--config-name')}.yaml"
    recipe = dict(_leaves(yaml.safe_load(own.read_text()))) if own.is_file() else {}
    return {**VERL, **recipe, **given}


def _leaves(tree: Any, key: str = "") -> list[tuple[str, Any]]:
    if not isinstance(tree, dict):
        return [(key, tree)]
    return [leaf for name, value in tree.items() for leaf in _leaves(value, f"{key}.{name}" if key else name)]


def _scalar(text: str) -> Any:
    try:
        return float(text) if "e" in text or "." in text else int(text)
    except ValueError:
        return yaml.safe_load(text) if not text.startswith("$") else text


def meaning_in_verl(settings: Mapping[str, Any], *, keep_updates: bool) -> Meaning:
    """What verl's trainer makes of settings."""
    megatron = "megatron" in str(settings.get("--config-name"))
    loss = settings[A + "policy_loss.loss_mode"]
    share = settings[A + "optim.lr_warmup_steps"] < 0
    lr = settings[A + "optim.lr"]
    prompts = settings["data.train_batch_size"]
    test = _interval(settings["trainer.test_freq"])
    validation = [settings[f"{R}val_kwargs.{name}"] for name in ("temperature", "top_p", "top_k", "n")]
    return Meaning(
        estimator=settings["algorithm.adv_estimator"] if loss == "vanilla" else loss,
        divides_by_deviation=settings["algorithm.norm_adv_by_std_in_grpo"],
        aggregation="seq-mean-token-mean" if loss in MEAN_OF_MEANS else settings[A + "loss_agg_mode"],
        clip=(settings[A + "clip_ratio_low"], settings[A + "clip_ratio_high"]),
        taus=(settings[A + "tau_pos"], settings[A + "tau_neg"]) if loss == "sapo" else None,
        kl=(KL_OF_VERL[settings[A + "kl_loss_type"]], settings[A + "kl_loss_coef"])
        if settings[A + "use_kl_loss"]
        else None,
        entropy=settings[A + "entropy_coeff"],
        lr=lr,
        decay=settings[A + ("optim.lr_decay_style" if megatron else "optim.lr_scheduler_type")],
        least_lr=settings[A + "optim.min_lr"] if megatron else lr * settings[A + "optim.min_lr_ratio"],
        warm_up=settings[A + ("optim.lr_warmup_steps_ratio" if share else "optim.lr_warmup_steps")],
        warm_up_is_share=share and settings[A + "optim.lr_warmup_steps_ratio"] > 0,
        weight_decay=settings[A + "optim.weight_decay"],
        # verl does not hand them to Megatron's optimizer.
        betas=(0.9, 0.999) if megatron else tuple(settings[A + "optim.betas"]),
        grad_clip=settings[A + "optim.clip_grad"],
        prompts=prompts,
        samples_of_a_prompt=settings[R + "n"],
        updates=prompts // settings[A + "ppo_mini_batch_size"] if keep_updates else 1,
        epochs=settings["trainer.total_epochs"],
        rollouts=settings["trainer.total_training_steps"],
        save_every=_interval(settings["trainer.save_freq"]),
        evaluate_every=test,
        evaluates_first=test is not None and settings["trainer.val_before_train"],
        temperature=settings[R + "temperature"],
        top_p=settings[R + "top_p"],
        top_k=settings[R + "top_k"],
        prompt_length=settings["data.max_prompt_length"],
        response_length=settings["data.max_response_length"],
        engine_gpus=settings[R + "tensor_model_parallel_size"],
        evaluation=(validation[0], validation[1], validation[2], validation[3]) if test else None,
        gpus=settings["trainer.nnodes"] * settings["trainer.n_gpus_per_node"],
        shuffles=settings["data.shuffle"],
        order_seed=settings["data.seed"],
        prompt_column=settings["data.prompt_key"],
        chat_template=True,
    )


def _interval(frequency: int) -> int | None:
    return frequency if frequency > 0 else None


# ---------------------------------------------------------------- Relax

KL_OF_RELAX = {"k1": "difference", "k2": "square", "k3": "low variance", "low_var_kl": "low variance"}


@cache
def parsers() -> Parsers:
    """The parsers of the Relax that this project knows."""
    return Parsers(embedded())


def meaning_in_relax(launch: Launch) -> Meaning:
    """What Relax makes of a launch."""
    of = Namespace(launch, parsers()).value
    prompts, group = of("rollout_batch_size"), of("n_samples_per_prompt")
    updates = of("num_steps_per_rollout") or prompts * group // of("global_batch_size")
    estimator = of("advantage_estimator")
    evaluates = of("eval_interval") is not None
    share = of("lr_warmup_fraction") is not None
    return Meaning(
        estimator=estimator,
        divides_by_deviation=bool(of("grpo_std_normalization")),
        aggregation="token-mean" if of("calculate_per_token_loss") else "seq-mean-token-mean",
        clip=(of("eps_clip"), of("eps_clip") if of("eps_clip_high") is None else of("eps_clip_high")),
        taus=(of("sapo_tau_pos"), of("sapo_tau_neg")) if estimator == "sapo" else None,
        kl=(KL_OF_RELAX[of("kl_loss_type")], of("kl_loss_coef")) if of("use_kl_loss") else None,
        entropy=of("entropy_coef"),
        lr=of("lr"),
        decay=of("lr_decay_style"),
        least_lr=of("min_lr") or 0.0,
        warm_up=of("lr_warmup_fraction") if share else (of("lr_warmup_iters") or 0) / updates,
        warm_up_is_share=share,
        weight_decay=of("weight_decay"),
        betas=(of("adam_beta1"), of("adam_beta2")),
        grad_clip=of("clip_grad"),
        prompts=prompts,
        samples_of_a_prompt=group,
        updates=updates,
        epochs=of("num_epoch"),
        rollouts=of("num_rollout"),
        save_every=of("save_interval"),
        evaluate_every=of("eval_interval"),
        evaluates_first=evaluates and not of("skip_eval_before_train"),
        temperature=of("rollout_temperature"),
        top_p=of("rollout_top_p"),
        top_k=of("rollout_top_k"),
        prompt_length=of("rollout_max_prompt_len"),
        response_length=of("rollout_max_response_len"),
        engine_gpus=of("rollout_num_gpus_per_engine"),
        evaluation=_evaluation(of) if evaluates else None,
        gpus=sum(count for _, count in of("resource").values()) if of("fully_async") else of("resource")["actor"][1],
        shuffles=bool(of("rollout_shuffle")),
        order_seed=of("rollout_seed"),
        prompt_column=of("input_key"),
        chat_template=bool(of("apply_chat_template")),
    )


def _evaluation(of: Any) -> tuple[float, float, int, int]:
    """What is not said of the evaluation is as in training."""
    names = {"eval_temperature": "rollout_temperature", "eval_top_p": "rollout_top_p", "eval_top_k": "rollout_top_k",
             "n_samples_per_eval_prompt": "n_samples_per_prompt"}  # fmt: skip
    found = [of(other) if of(name) is None else of(name) for name, other in names.items()]
    return found[0], found[1], found[2], found[3]


def launches_of(script: Path, root: Path, *arguments: str, **environment: str) -> list[Launch]:
    """What a script launches."""
    surroundings = {"HOME": "/home/user", "MODEL_DIR": "/m", "DATA_DIR": "/d", "SAVE_DIR": "/s", **environment}
    return evaluate(script, Reading(clean=True, env=surroundings, args=arguments, cwd=root, root=root)).launches
