"""The order in which a launcher lists flags, as readers of Relax's launchers know it; and why some are always there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from relax_lint.migrate.plan import Passed

_ORDER = {
    flag: position
    for position, flag in enumerate(
        f"--{name}"
        for name in """
        hf-checkpoint ref-load load save save-interval save-hf async-save no-save-optim max-actor-ckpt-to-keep
        megatron-to-hf-mode

        prompt-data input-key label-key metadata-key multimodal-keys apply-chat-template apply-chat-template-kwargs
        rollout-shuffle rollout-seed custom-rm-path rm-type reward-key group-rm custom-generate-function-path
        custom-config-path num-epoch num-rollout rollout-batch-size n-samples-per-prompt global-batch-size
        num-steps-per-rollout over-sampling-batch-size dynamic-sampling-filter-path rollout-max-prompt-len
        rollout-max-response-len rollout-max-context-len rollout-temperature rollout-top-p rollout-top-k

        eval-interval eval-prompt-data n-samples-per-eval-prompt eval-temperature eval-top-p eval-top-k
        skip-eval-before-train

        advantage-estimator disable-grpo-std-normalization disable-rewards-normalization calculate-per-token-loss
        custom-pg-loss-reducer-function-path use-kl-loss kl-loss-coef kl-loss-type kl-coef eps-clip eps-clip-high
        sapo-tau-pos sapo-tau-neg entropy-coef gamma lambd use-rollout-logprobs use-tis tis-clip

        optimizer lr lr-decay-style lr-decay-iters min-lr lr-warmup-init lr-warmup-iters lr-warmup-fraction
        weight-decay weight-decay-incr-style adam-beta1 adam-beta2 adam-eps clip-grad optimizer-cpu-offload
        optimizer-offload-fraction overlap-cpu-optimizer-d2h-h2d use-precision-aware-optimizer

        tensor-model-parallel-size sequence-parallel pipeline-model-parallel-size context-parallel-size
        expert-model-parallel-size expert-tensor-parallel-size use-dynamic-batch-size max-tokens-per-gpu
        log-probs-max-tokens-per-gpu micro-batch-size recompute-granularity recompute-method recompute-num-layers

        rollout-num-gpus-per-engine sglang-mem-fraction-static

        use-tensorboard no-use-tensorboard tb-project-name tb-experiment-name use-wandb wandb-project wandb-group
        use-clearml

        resource num-gpus-per-node max-staleness num-iters-per-train-update num-data-storage-units ref-actor-config
        colocate fully-async
        """.split()
    )
}
_LAST = len(_ORDER)

_ALWAYS = {
    "--megatron-to-hf-mode": "the checkpoint is loaded by Megatron-Bridge",
    "--metadata-key": "what extra_info was to verl",
    "--optimizer-cpu-offload": "the guide always wants it",
    "--overlap-cpu-optimizer-d2h-h2d": "the guide always wants it",
    "--use-precision-aware-optimizer": "the guide always wants it; --optimizer-cpu-offload needs it",
    "--use-fault-tolerance": "as in the guide's launcher",
    "--use-health-check": "as in the guide's launcher",
    "--use-metrics-service": "as in the guide's launcher",
    "--num-data-storage-units": "as in the guide's launcher",
    "--attention-dropout": "verl trains without dropout; Megatron drops a tenth unless told otherwise",
    "--hidden-dropout": "verl trains without dropout; Megatron drops a tenth unless told otherwise",
    "--accumulate-allreduce-grads-in-fp32": "gradients are summed up in full precision, as in verl",
    "--attention-softmax-in-fp32": "as in the guide's launcher",
    "--attention-backend": "as in the guide's launcher",
    "--colocate": "training and generation share the GPUs, as in verl",
    "--fully-async": "the other mode",
    "--max-staleness": "how many rollouts generation may be ahead",
    "--num-iters-per-train-update": "a batch is trained in as many parts, while the next is generated",
    "--ref-actor-config": "how the model lies on the GPUs of the reference and of the log-probabilities",
    "--no-rope-fusion": "Relax wants this of a model that sees or hears",
    "--balance-data": "samples are shared out by length",
}


def in_order(passed: Iterable[Passed]) -> list[Passed]:
    """Arguments as they are to be listed; flags that have no place of their own keep their order, at the end."""
    return sorted(passed, key=lambda each: _ORDER.get(each.flag, _LAST))


def why_always(flag: str) -> str:
    """Why a launcher has a flag that no setting of verl asks for."""
    return _ALWAYS.get(flag, "")
