"""Parallel sizes do not divide what they split.

## What

Tensor × pipeline × context parallel size that does not divide the actor's GPUs; expert tensor (tensor, when absent) ×
expert × pipeline likewise; a `--ref-actor-config` whose sizes do not divide the GPUs of the reference and actor_fwd;
rollout GPUs that are no multiple of `--rollout-num-gpus-per-engine`; attention heads and query groups of the model that
tensor parallelism, or an engine's size, does not divide; layers and pipeline stages; experts and expert parallelism; a
global batch that is no multiple of micro batch × data parallel size, and a rollout whose prompts cannot be shared
evenly by its updates and the data-parallel ranks; a run too short for a single update.

## Why

Megatron refuses the sizes, some when it checks its arguments and some in every worker after the machines are taken. A
rollout that cannot be shared evenly ends the run at its first training step, and GPUs left over by the engines idle
until its end.

## Source

Guide: ALWAYS ensure `TP × PP` divides the actor's GPUs. Megatron's checks of arguments and models, Relax's plan of
updates, SGLang's models.

## Example

    --resource '{"actor": [1, 4], "rollout": [1, 4]}' --tensor-model-parallel-size 4 --pipeline-model-parallel-size 2

## Fix

By hand: which of the numbers was meant is not known. It is reported at the one that stands out: a size that is no power
of two, or what this launch does not share with another that is right.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from relax_lint.constraints.engine import Violation
from relax_lint.constraints.facts import Facts
from relax_lint.constraints.reporting import judged, launches_with, outcomes
from relax_lint.diagnostics import Finding, NotChecked
from relax_lint.project import Project
from relax_lint.rules import ERROR, Example, rule
from relax_lint.shell.launch import Argument, Launch

RESOURCE, GPUS_A_NODE = "--resource", "--actor-num-gpus-per-node"
SIZES = {
    "--tensor-model-parallel-size": "tensor_model_parallel_size",
    "--pipeline-model-parallel-size": "pipeline_model_parallel_size",
    "--context-parallel-size": "context_parallel",
}
EXPERT_SIZES = {
    "--expert-model-parallel-size": "expert_model_parallel_size",
    "--expert-tensor-parallel-size": "expert_tensor_parallel",
    "--pipeline-model-parallel-size": "pipeline_model_parallel_size",
    "--tensor-model-parallel-size": "expert_tensor_parallel",
}
"""What is in the product; tensor parallelism where the experts have none of their own."""
MICRO = "--micro-batch-size"

_TRAIN = "python3 relax/entrypoints/train.py"
_EIGHT = '--resource \'{"actor": [1, 8], "rollout": [1, 8]}\''
_FOUR = '--resource \'{"actor": [1, 4], "rollout": [1, 4], "advantages": [1, 0]}\''
_ROLES = '--resource \'{"actor": [1, 4], "rollout": [1, 2], "reference": [1, 1], "actor_fwd": [1, 1]}\''
_COLOCATE = f"{_TRAIN} --colocate {_EIGHT}"
_MODEL = "--num-layers 36 --num-attention-heads 32 --group-query-attention --num-query-groups 8"
_TP, _PP, _CP, _EP, _ETP = (
    "--tensor-model-parallel-size",
    "--pipeline-model-parallel-size",
    "--context-parallel-size",
    "--expert-model-parallel-size",
    "--expert-tensor-parallel-size",
)
_ENGINE = "--rollout-num-gpus-per-engine"
_BATCH = "--rollout-batch-size 32 --n-samples-per-prompt 8 --global-batch-size 256"

VALID: list[Example | str] = [
    f"{_COLOCATE} {_TP} 4 {_PP} 2 {_MODEL}\n",
    f"{_COLOCATE} {_TP} 2 {_CP} 2 {_BATCH} --micro-batch-size 4\n",
    f"{_COLOCATE} {_TP} 2 {_EP} 8 {_ETP} 1 --num-experts 128\n",
    f"{_COLOCATE} {_TP} 4 --num-attention-heads 32 --group-query-attention --num-query-groups 2\n",
    f"{_TRAIN} --fully-async {_ROLES} {_TP} 4 {_ETP} 1 --ref-actor-config '{{\"tensor_model_parallel_size\": 1}}'\n",
    f"{_COLOCATE} {_ENGINE} 4 {_MODEL}\n",
    f"{_TRAIN} --debug-rollout-only --resource '{{\"rollout\": [1, 8]}}' {_TP} 3\n",
    f'{_TRAIN} --colocate --resource "$RESOURCE" {_TP} 3\n',
    f'{_COLOCATE} {_TP} "$TP" {_PP} 2\n',
    f'{_COLOCATE} "$@"\n',
    f'TP=${{TP:-2}}\nPERF=({_TP} $TP {_PP} $((8 / TP)))\n{_COLOCATE} "${{PERF[@]}}"\n',
    f'{_TRAIN} --colocate --resource \'{{"actor": [1, 16], "rollout": [1, 16]}}\' {_TP}=8 {_PP}=2\n',
    f'{_TRAIN} --loss-type sft --resource \'{{"actor": [1, 8], "sft": [1, 0]}}\' {_TP} 8\n',
    f"{_COLOCATE} {_TP} 3 {_TP} 4\n",
    f"{_COLOCATE} --num-rollout 10 {_BATCH}\n",
    f"{_COLOCATE} {_TP} 2 {_PP} 2 --num-layers 47 --decoder-last-pipeline-num-layers 23\n",
    f'if [ "$1" = async ]; then\n    {_TRAIN} --fully-async {_FOUR} {_TP} 4\nelse\n    {_COLOCATE} {_TP} 8\nfi\n',
    (
        f'{_TRAIN} --colocate --resource \'{{"actor": [1, 8], "rollout": [1, 4], "genrm": [1, 4]}}\' '
        f"--genrm-model-path /m/j {_ENGINE} 4 {_TP} 8\n"
    ),
    (
        f"{_COLOCATE} --dynamic-context-parallel --use-dynamic-batch-size --max-tokens-per-gpu 8192 "
        f"--rollout-max-context-len 32768 {_CP} 3\n"
    ),
    "python3 -m verl.trainer.main_ppo actor_rollout_ref.actor.megatron.tensor_model_parallel_size=3\n",
]

INVALID = [
    Example(f"{_COLOCATE} {_TP} 3\n", findings=((1, 97),)),
    Example(f"{_COLOCATE} {_TP} 2 {_PP} 3\n", findings=((1, 128),)),
    Example(
        f'PERF=(\n    {_TP} 4\n    {_PP} 2\n)\nif [ "${{1:-sync}}" = async ]; then\n'
        f'    {_TRAIN} --fully-async \\\n        {_FOUR} "${{PERF[@]}}"\nelse\n    {_COLOCATE} "${{PERF[@]}}"\nfi\n',
        findings=((7, 9),),
    ),
    Example(
        f'PERF=(\n    {_TP} 5\n)\nif [ "${{1:-sync}}" = async ]; then\n'
        f'    {_TRAIN} --fully-async \\\n        {_FOUR} "${{PERF[@]}}"\nelse\n    {_COLOCATE} "${{PERF[@]}}"\nfi\n',
        findings=((2, 5),),
    ),
    Example(f"{_COLOCATE} {_TP}=16\n", findings=((1, 97),)),
    Example(
        f'{_TRAIN} --colocate {_TP} 4 \\\n    --resource \'{{"actor": [1, 6], "rollout": [1, 6]}}\'\n',
        findings=((2, 5),),
    ),
    Example(f"{_COLOCATE} {_TP} 2 {_CP} 8 --calculate-per-token-loss\n", findings=((1, 128),)),
    Example(f"{_COLOCATE} {_EP} 16 --num-experts 128\n", findings=((1, 97),)),
    Example(f'MOE=({_EP} 8 --num-experts 64)\n{_COLOCATE} {_TP} 2 "${{MOE[@]}}"\n', findings=((1, 6),)),
    Example(
        f"{_TRAIN} --fully-async {_ROLES} {_TP} 4 \\\n    --ref-actor-config '{{\"tensor_model_parallel_size\": 2}}'\n",
        findings=((2, 5),),
    ),
    Example(f"{_COLOCATE} {_ENGINE} 3\n", findings=((1, 97),)),
    Example(f"{_COLOCATE} \\\n    {_ENGINE} 16\n", findings=((2, 5),)),
    Example(f"{_COLOCATE} {_TP} 8 --num-attention-heads 12\n", findings=((1, 97),)),
    Example(
        f"{_COLOCATE} {_TP} 4 --num-attention-heads 24 --group-query-attention --num-query-groups 3\n",
        findings=((1, 97),),
    ),
    Example(f'M=(--num-attention-heads 20)\n{_COLOCATE} {_ENGINE} 8 "${{M[@]}}"\n', findings=((2, 97),)),
    Example(f"{_COLOCATE} {_PP} 8 --num-layers 36\n", findings=((1, 97),)),
    Example(f"{_COLOCATE} {_EP} 8 --num-experts 60\n", findings=((1, 97),)),
    Example(f"{_COLOCATE} {_BATCH} \\\n    --micro-batch-size 3\n", findings=((2, 5),)),
    Example(
        f"{_COLOCATE} \\\n    --rollout-batch-size 4 \\\n    --n-samples-per-prompt 8 --global-batch-size 32\n",
        findings=((2, 5),),
    ),
    Example(
        f"{_COLOCATE} \\\n    --rollout-batch-size 32 --n-samples-per-prompt 8 --num-steps-per-rollout 8\n",
        findings=((2, 5),),
    ),
    Example(f"{_COLOCATE} --num-rollout 0 {_BATCH}\n", findings=((1, 97),)),
    Example(
        f'run() {{\n    {_TRAIN} --colocate "$@"\n}}\nrun {_EIGHT} {_TP} 4 {_PP} 4\n',
        findings=((4, 55),),
    ),
    Example(
        {
            "examples/demo/run_demo.sh": f'source "$(dirname "$0")/perf.sh"\n{_COLOCATE} "${{PERF_ARGS[@]}}"\n',
            "examples/demo/perf.sh": f"PERF_ARGS=({_TP} 2)\nPERF_ARGS+=({_PP}=6)\n",
        },
        findings=(("examples/demo/perf.sh", 2, 13),),
    ),
    Example(
        {"scripts/training/text/run-demo.sh": f"{_TRAIN} --hybrid \\\n    {_TP} 2 \\\n    {_PP} 3 \\\n    {_EIGHT}\n"},
        findings=(("scripts/training/text/run-demo.sh", 3, 5),),
    ),
]


@rule("RLX416", "parallelism", ERROR, on="launch", everywhere=True, valid=VALID, invalid=INVALID)
def parallelism(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """Report what the table of constraints says of the launch."""
    yield from outcomes(
        launch, project, "RLX416", fix=lambda violation: None, at=lambda violation, of: _place(violation, of, project)
    )


def _place(violation: Violation, launch: Launch, project: Project) -> Argument | None:
    """The flag to edit: of those that may be meant, the first that no launch shares which is right."""
    facts = judged(launch, project).facts
    given = [argument for flag in _candidates(violation, facts) if (argument := launch.last(flag)) is not None]
    alone = [argument for argument in given if _is_wrong_everywhere(violation, argument, launch, project)]
    return next(iter([*alone, *given]), violation.argument)


def _candidates(violation: Violation, facts: Facts) -> list[str]:
    """The flags that may be meant, the likeliest first."""
    flags = list(violation.constraint.flags)
    if violation.constraint.id == "mega-world-size":
        return _culprits(facts, SIZES)
    if violation.constraint.id == "expert-world-size":
        return _culprits(facts, EXPERT_SIZES)
    if violation.constraint.id == "mega-eval-batch" and facts.get("train_batch") % facts.get("data_parallel_size") == 0:
        return [MICRO, *flags]
    return flags


def _culprits(facts: Facts, names: Mapping[str, str]) -> list[str]:
    """Who is to blame when a product does not divide the GPUs: what is no power of two, else what is too big alone."""
    gpus, sizes = facts.get("world_size"), {flag: facts.get(name) for flag, name in names.items()}
    by_size = sorted(sizes, key=lambda flag: -sizes[flag])
    odd = [flag for flag in by_size if not _is_power_of_two(sizes[flag])]
    if not odd and not _is_power_of_two(gpus):
        return [RESOURCE, GPUS_A_NODE, *by_size]
    return [*odd, *by_size, RESOURCE, GPUS_A_NODE]


def _is_power_of_two(number: float) -> bool:
    """GPUs are fractions where a bundle is shared."""
    whole = number if isinstance(number, int) else int(number) if number.is_integer() else 0
    return whole > 0 and whole & (whole - 1) == 0


def _is_wrong_everywhere(violation: Violation, argument: Argument, launch: Launch, project: Project) -> bool:
    id = violation.constraint.id
    return all(
        any(one.constraint.id == id for one in judged(other, project).judgement.violations)
        for other in launches_with(argument, launch, project)
    )
