"""Relax, Megatron or SGLang refuses the launch, or crashes on it.

## What

A launch that does not get through the checks that Relax makes of its arguments, Megatron's and SGLang's after them, or
what the controller, the loader, the rollout and the trainer ask of them later. Every such check is one named
constraint; its name stands in brackets behind the message. Where another rule is about the matter (batch sizes, roles,
parallel sizes, KL) that rule reports it. What is not known statically is not guessed. A team's own constraints,
`[[tool.relax-lint.constraint]]` in the configuration, are reported here too.

## Why

Most of these checks run after the GPUs are taken and the images are pulled, some after the model is loaded, a few after
the first rollout. And a crash does not say which flag it comes from.

## Source

Relax's argument checks, Megatron's and SGLang's; its controller, data loader, rollout and trainer.

## Example

    --save-interval 20    # and no --save

## Fix

By hand: which of the flags was meant is not known.
"""

from __future__ import annotations

from collections.abc import Iterator

from relax_lint.constraints.reporting import outcomes
from relax_lint.diagnostics import Finding, NotChecked
from relax_lint.model_files import REFUSED_WITHOUT_A_MODEL, is_told_to_pass_one
from relax_lint.project import Project
from relax_lint.rules import ERROR, Example, rule
from relax_lint.shell.launch import Launch

_TRAIN = "python3 relax/entrypoints/train.py"
_MODEL = "--num-layers 36 --hidden-size 2560 --num-attention-heads 32 --group-query-attention --num-query-groups 8"
_LOAD = "--hf-checkpoint /m/Demo-4B --ref-load /m/Demo-4B --megatron-to-hf-mode bridge"
_BATCH = "--num-rollout 100 --rollout-batch-size 32 --n-samples-per-prompt 8 --global-batch-size 256"
_ROLLOUT = f"--prompt-data /d/a.jsonl --rm-type math {_BATCH} --rollout-max-response-len 4096"
_SYNC = """--colocate --resource '{"actor": [1, 8], "rollout": [1, 8]}'"""
_ASYNC = """--fully-async --resource '{"actor": [1, 4], "rollout": [1, 4], "advantages": [1, 0]}'"""
_GOOD = f"{_MODEL} {_LOAD} {_ROLLOUT}"
_SFT = (
    f"{_MODEL} {_LOAD} --prompt-data a.jsonl --loss-type sft --use-dynamic-batch-size --max-tokens-per-gpu 8192 "
    """--num-epoch 1 --global-batch-size 64 --resource '{"actor": [1, 8], "sft": [1, 0]}'"""
)
_RUN, _CONFIG = "examples/demo/run_demo.sh", "examples/demo/demo.yaml"

VALID: list[Example | str] = [
    f"{_TRAIN} {_GOOD} {_SYNC} --save-interval 20 --save /c\n",
    f"{_TRAIN} {_GOOD} {_ASYNC} --max-staleness 2\n",
    f"{_TRAIN} {_SFT}\n",
    f"{_TRAIN} {_GOOD} {_SYNC} --eval-interval 20 --eval-prompt-data demo $DATA_DIR/test.parquet\n",
    f'CKPT_ARGS=(--save /c --save-interval 20)\n{_TRAIN} {_GOOD} {_SYNC} "${{CKPT_ARGS[@]}}"\n',
    f'{_TRAIN} {_GOOD} {_SYNC} --eval-interval 20 "$@"\n',
    f"{_TRAIN} {_GOOD} {_SYNC} --use-dynamic-batch-size --max-tokens-per-gpu $TOKENS --rollout-max-context-len 8192\n",
    f"{_TRAIN} {_GOOD} {_SYNC} --use-tis\n",
    f"{_TRAIN} {_GOOD} {_SYNC} --partial-rollout --over-sampling-batch-size 64\n",
    Example(
        {
            _RUN: f"{_TRAIN} {_GOOD} {_SYNC} --custom-config-path {_CONFIG}\n",
            _CONFIG: "max_turns: 4\nrollout_max_context_len: 16384\n",
        }
    ),
    f"{_TRAIN} {_GOOD} {_SYNC} --advantage-estimator gspo --lr-warmup-iters 0\n",
    f'if [ "$1" = async ]; then\n {_TRAIN} {_GOOD} {_ASYNC}\nelse\n {_TRAIN} {_GOOD} {_SYNC} --partial-rollout\nfi\n',
]

INVALID = [
    Example(f"{_TRAIN} {_GOOD} {_SYNC} \\\n    --save-interval 20\n", findings=((2, 5),)),
    Example(f"{_TRAIN} {_GOOD} {_SYNC} \\\n    --eval-interval=20\n", findings=((2, 5),)),
    Example(
        f'ARGS=(--use-tis)\nARGS+=(\n    --get-mismatch-metrics\n)\n{_TRAIN} {_GOOD} {_SYNC} "${{ARGS[@]}}"\n',
        findings=((3, 5),),
    ),
    Example(
        f'ARGS=(\n    --use-dynamic-batch-size\n)\nrun() {{ {_TRAIN} {_GOOD} {_SYNC} "$@"; }}\nrun "${{ARGS[@]}}"\n',
        findings=((2, 5),),
    ),
    Example(
        f'ALGO_ARGS=(\n    --use-tis\n    --use-rollout-logprobs\n)\n{_TRAIN} {_GOOD} {_SYNC} "${{ALGO_ARGS[@]}}"\n',
        findings=((3, 5),),
    ),
    Example(
        f'ARGS=(\n    --normalize-advantages\n)\nif [ "$1" = async ]; then\n    {_TRAIN} {_GOOD} {_ASYNC} '
        f'"${{ARGS[@]}}"\nelse\n    {_TRAIN} {_GOOD} {_SYNC} "${{ARGS[@]}}"\nfi\n',
        findings=((2, 5),),
    ),
    Example(
        f"TOKENS=$((1024 * 4))\n{_TRAIN} {_GOOD} {_SYNC} --use-dynamic-batch-size --rollout-max-context-len 8192 \\\n"
        "    --max-tokens-per-gpu $TOKENS\n",
        findings=((3, 5),),
    ),
    Example(f"{_TRAIN} {_SFT} \\\n    --eval-interval 10\n", findings=((2, 5),)),
    Example(f"{_TRAIN} {_GOOD} {_SYNC} \\\n    --advantage-estimator reinforce_plus_plus\n", findings=((2, 5), (2, 5))),
    Example(f"{_TRAIN} {_GOOD} {_SYNC} \\\n    --over-sampling-batch-size 16\n", findings=((2, 5),)),
    Example(
        {
            _RUN: f"{_TRAIN} {_GOOD} {_SYNC} --rollout-max-prompt-len 8192 --custom-config-path {_CONFIG}\n",
            _CONFIG: "rollout_max_context_len: 4096\n",
        },
        findings=((_RUN, 1, 443),),
    ),
    Example(f"{_TRAIN} {_GOOD} {_SYNC} \\\n    --use-agentic-rollout --agent-command ./run.sh\n", findings=((2, 5),)),
    Example(f"{_TRAIN} {_MODEL} {_ROLLOUT} --hf-checkpoint /m/Demo-4B {_SYNC}\n", findings=((1, 1),)),
]


@rule("RLX505", "launch-rejected", ERROR, on="launch", everywhere=True, valid=VALID, invalid=INVALID)
def launch_rejected(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """Report what the table of constraints says of the launch."""
    for found in outcomes(launch, project, "RLX505", named=True):
        is_of_model = isinstance(found, Finding) and found.subject in REFUSED_WITHOUT_A_MODEL
        if not (is_of_model and is_told_to_pass_one(launch, project)):
            yield found
