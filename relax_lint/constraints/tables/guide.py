"""What the migration guide demands and Relax itself does not refuse."""

from __future__ import annotations

from typing import Any

from relax_lint.constraints.schema import RL, Constraint

_TRAINS = "not debug_rollout_only and not trains_only and "


def _wants(id: str, when: str, message: str, line: int, /, **more: Any) -> Constraint:
    return Constraint(id, when, message, source=f"verl-to-relax-guide.md:{line}", kind="guide", stage="train", **more)


OPTIMIZER: tuple[Constraint, ...] = (
    _wants(
        "guide-optimizer-flags",
        'not debug_rollout_only and optimizer == "adam" and len(missing_optimizer_flags) > 0',
        "{missing_optimizer_flags} missing: the guide wants all three optimizer flags in every training",
        764,
        modes=RL,
        rule="RLX406",
        flags=("--optimizer", "--lr"),
        by_default=True,
    ),
)

BATCHES: tuple[Constraint, ...] = (
    _wants(
        "guide-one-update",
        "not debug_rollout_only and not (partial_rollout and use_dynamic_global_batch_size) "
        "and num_steps_per_rollout is None and train_batch > 0 and rollout_samples != train_batch",
        "{samples_sum}, but {batch_sum}: the guide wants one update of each rollout, what comes after it is off-policy "
        "(--num-steps-per-rollout says that it is meant)",
        763,
        modes=RL,
        rule="RLX407",
        flags=("--global-batch-size", "--rollout-batch-size", "--n-samples-per-prompt"),
        by_default=True,
        behind=(
            "no-batch-size",
            "async-no-rollout-batch",
            "rollout-minis-divide-total",
            "async-static-batch-zero",
            "batch-splits-prompts",
            "async-batch-groups",
            "storage-capacity-zero",
            "run-has-an-update",
        ),
    ),
)

ROLES: tuple[Constraint, ...] = (
    _wants(
        "guide-ref-actor-config",
        _TRAINS + "ref_actor_config is None and len(forward_roles) > 0",
        "--ref-actor-config missing: the forward services ({forward_roles} GPUs) would take the actor's own "
        "parallelism",
        775,
        modes=("async",),
        rule="RLX411",
        flags=("--ref-actor-config", "--resource"),
        behind=(
            "ref-actor-config-needed",
            "ref-actor-config-spelling",
            "async-with-colocate",
        ),
        by_default=True,
    ),
    _wants(
        "guide-mode",
        _TRAINS + "True",
        "neither --colocate nor --fully-async nor --hybrid: actor and rollout take GPUs of their own and wait for each "
        "other",
        587,
        modes=("separate",),
        rule="RLX413",
        flags=("--colocate",),
        by_default=True,
    ),
)

_STALE_BY_DEFAULT = 'not given("--max-staleness") and max_staleness == 0'

STALENESS: tuple[Constraint, ...] = (
    _wants(
        "guide-colocate-staleness",
        _TRAINS + "max_staleness > 1",
        "--max-staleness {max_staleness} in colocated training: 0 is on-policy, the guide allows 1",
        588,
        modes=("colocate",),
        rule="RLX414",
        flags=("--max-staleness",),
        fix="set --max-staleness 0",
    ),
    _wants(
        "colocate-staleness-one",
        _TRAINS + "max_staleness == 1",
        "--max-staleness 1 as the guide writes it: today's Relax counts from 0, which is on-policy",
        588,
        modes=("colocate",),
        rule="RLX414",
        severity="A",
        flags=("--max-staleness",),
        fix="set --max-staleness 0",
    ),
    _wants(
        "guide-async-staleness-absent",
        _TRAINS + f"{_STALE_BY_DEFAULT} and max_staleness < 2",
        "--max-staleness missing, so it is {max_staleness}: the guide wants 2 or 3 in fully asynchronous training, "
        "so that the rollout can run ahead",
        659,
        modes=("async",),
        rule="RLX414",
        flags=("--fully-async",),
        fix="set --max-staleness 2",
        by_default=True,
        behind=("async-with-colocate",),
    ),
    _wants(
        "guide-async-staleness-low",
        _TRAINS + f"not ({_STALE_BY_DEFAULT}) and max_staleness >= 0 and max_staleness < 2",
        "--max-staleness {max_staleness} in fully asynchronous training: the guide wants 2 or 3, so that the rollout "
        "can run ahead",
        659,
        modes=("async",),
        rule="RLX414",
        flags=("--max-staleness", "--fully-async"),
        fix="set --max-staleness 2",
        by_default=True,
        behind=("async-with-colocate",),
    ),
    _wants(
        "guide-async-staleness-high",
        _TRAINS + "max_staleness > 3",
        "--max-staleness {max_staleness} in fully asynchronous training: the guide wants 2 or 3, what is older is far "
        "off-policy",
        659,
        modes=("async",),
        rule="RLX414",
        flags=("--max-staleness",),
        fix="set --max-staleness 3",
        behind=("async-with-colocate",),
    ),
    _wants(
        "async-on-policy-but-stale",
        _TRAINS + "max_staleness > 0 and true_on_policy and not use_tis",
        "one rollout is one update, so Relax takes its own log-probabilities for the old ones, which --max-staleness "
        "{max_staleness} makes wrong without --use-tis",
        659,
        modes=("async",),
        rule="RLX414",
        severity="A",
        flags=("--max-staleness",),
        fix="set --use-tis",
        behind=("async-with-colocate",),
    ),
)

ITERATIONS: tuple[Constraint, ...] = (
    _wants(
        "guide-async-iters",
        _TRAINS + 'not given("--num-iters-per-train-update") and num_iters_per_train_update == 1',
        "--num-iters-per-train-update missing: the guide wants 4 to 8 in fully asynchronous training",
        658,
        modes=("async",),
        rule="RLX415",
        flags=("--fully-async",),
        fix="set --num-iters-per-train-update 8",
        by_default=True,
        behind=("async-with-colocate",),
    ),
)

PENALTY: tuple[Constraint, ...] = (
    _wants(
        "guide-kl-loss-coef",
        'use_kl_loss and not given("--kl-loss-coef") and kl_loss_coef == 0',
        "--use-kl-loss without --kl-loss-coef: the loss is computed and multiplied by 0",
        677,
        modes=RL,
        rule="RLX417",
        flags=("--use-kl-loss",),
    ),
)
