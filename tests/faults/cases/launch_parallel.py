"""RLX414 to RLX416: staleness, parts of an update, parallel sizes."""

from __future__ import annotations

from tests.faults.cases.places import (
    RUN,
    SFT_RUN,
    flags,
    instead,
    without,
)
from tests.faults.trees import Edit, Fault, Maker, swap

ASYNC_RESOURCE = """'{"actor": [1, 4], "rollout": [1, 2], "reference": [1, 2], "advantages": [1, 0]}'"""
SYNC_RESOURCE = """'{"actor": [1, 8], "rollout": [1, 8]}'"""
SFT_RESOURCE = """'{"sft": [1, 0], "actor": [1, 8]}'"""
REF = """        --ref-actor-config '{"tensor_model_parallel_size": 1, "sequence_parallel": false}' \\\n"""
MODEL = "scripts/models/qwen3-8B.sh"


def async_roles(text: str) -> Edit:
    """Other roles in the fully asynchronous launch."""
    return swap(RUN, ASYNC_RESOURCE, text)


def sync_roles(text: str) -> Edit:
    """Other roles in the launch of shared GPUs."""
    return swap(RUN, SYNC_RESOURCE, text)


def inline(line: str, old: str = "        --use-health-check \\\n        --balance-data \\\n") -> Edit:
    """A flag in the synchronous launch alone."""
    return swap(RUN, old, f"{old}        {line} \\\n")


def _staleness() -> list[Fault]:
    made = Maker("RLX414", "text", RUN, "warning", may=("RLX505", "RLX508"))
    made("colocate-two", "--max-staleness 2", swap(RUN, "--max-staleness 0", "--max-staleness 2"))
    made("colocate-equals", "--max-staleness=4", swap(RUN, "--max-staleness 0", "--max-staleness=4"))
    made("async-one", "--max-staleness 1", swap(RUN, "--max-staleness 3", "--max-staleness 1"))
    made(
        "async-zero",
        "--max-staleness 0 \\",
        swap(RUN, "--max-staleness 0 \\\n", "--max-staleness '0' \\\n"),
        swap(RUN, "--max-staleness 3", "--max-staleness 0"),
    )
    made("async-eight", "--max-staleness 8", swap(RUN, "--max-staleness 3", "--max-staleness 8"))
    made("async-default", "--fully-async", swap(RUN, "        --max-staleness 3 \\\n", ""))
    made(
        "negative",
        "--max-staleness -1",
        swap(RUN, "--max-staleness 3", "--max-staleness -1"),
        severity="error",
        may=("RLX502",),
    )
    made(
        "negative-colocate",
        "--max-staleness=-1",
        swap(RUN, "--max-staleness 0", "--max-staleness=-1"),
        severity="error",
        may=("RLX502",),
    )
    made("colocate-one", "--max-staleness 1", swap(RUN, "--max-staleness 0", "--max-staleness 1"), severity="advice")
    made("without-tis", "--max-staleness 3", without("--use-tis"), severity="advice")
    made(
        "variable",
        ('--max-staleness "${STALE}"', "STALE=5"),
        swap(RUN, "--max-staleness 3", '--max-staleness "${STALE}"'),
        swap(RUN, "mkdir -p logs\n", "STALE=5\nmkdir -p logs\n"),
    )
    made(
        "shared-array",
        "--max-staleness 3",
        swap(RUN, "        --max-staleness 3 \\\n", ""),
        swap(RUN, "        --max-staleness 0 \\\n", ""),
        flags("--max-staleness 3"),
    )
    return made.made


def _iters() -> list[Fault]:
    made = Maker("RLX415", "text", RUN, "warning", may=("RLX508",))
    made("missing", "--fully-async", swap(RUN, "        --num-iters-per-train-update 8 \\\n", ""))
    made("colocate", "--num-iters-per-train-update 4", inline("--num-iters-per-train-update 4"))
    made(
        "for-both",
        "--num-iters-per-train-update 8",
        swap(RUN, "        --num-iters-per-train-update 8 \\\n", ""),
        flags("--num-iters-per-train-update 8"),
    )
    made(
        "misspelt",
        "--fully-async",
        swap(RUN, "--num-iters-per-train-update", "--num-iter-per-train-update"),
        also=("RLX501",),
    )
    made(
        "too-many",
        "--num-iters-per-train-update 64",
        swap(RUN, "--num-iters-per-train-update 8", "--num-iters-per-train-update 64"),
        without("--use-dynamic-batch-size"),
        without("--max-tokens-per-gpu 9216"),
        severity="error",
    )
    made(
        "many-of-few",
        "--num-iters-per-train-update 40",
        swap(RUN, "--num-iters-per-train-update 8", "--num-iters-per-train-update 40"),
        without("--use-dynamic-batch-size"),
        without("--max-tokens-per-gpu 9216"),
        severity="error",
    )
    return made.made


def _parallel() -> list[Fault]:
    made = Maker("RLX416", "text", RUN, may=("RLX505", "RLX407"))
    tp = "--tensor-model-parallel-size"
    made("tp-three", "--tensor-model-parallel-size 3", instead(f"{tp} 4", f"{tp} 3"))
    made("tp-eight-for-four-gpus", '--resource \'{"actor": [1, 4],', instead(f"{tp} 4", f"{tp} 8"))
    made(
        "pp-three",
        "--pipeline-model-parallel-size 3",
        instead("--pipeline-model-parallel-size 1", "--pipeline-model-parallel-size 3"),
    )
    made(
        "tp-times-pp",
        '--resource \'{"actor": [1, 4],',
        instead("--pipeline-model-parallel-size 1", "--pipeline-model-parallel-size 2"),
    )
    made(
        "cp",
        '--resource \'{"actor": [1, 4],',
        instead("--context-parallel-size 1", "--context-parallel-size 2"),
        flags("--calculate-per-token-loss"),
    )
    made(
        "expert",
        "--expert-model-parallel-size 3",
        instead("--expert-model-parallel-size 1", "--expert-model-parallel-size 3"),
        swap(MODEL, "    --swiglu\n", "    --swiglu\n    --num-experts 9\n"),
    )
    made(
        "expert-without-experts",
        "--expert-model-parallel-size 2",
        instead(f"{tp} 4", f"{tp} 2"),
        instead("--expert-model-parallel-size 1", "--expert-model-parallel-size 2"),
    )
    made(
        "engine-three",
        "--rollout-num-gpus-per-engine 3",
        instead("--rollout-num-gpus-per-engine 2", "--rollout-num-gpus-per-engine 3"),
    )
    made(
        "engine-larger-than-rollout",
        "--rollout-num-gpus-per-engine 4",
        instead("--rollout-num-gpus-per-engine 2", "--rollout-num-gpus-per-engine 4"),
    )
    made(
        "ref-actor-tp",
        "--ref-actor-config",
        swap(RUN, '"tensor_model_parallel_size": 1', '"tensor_model_parallel_size": 4'),
    )
    made(
        "ref-actor-pp",
        "--ref-actor-config",
        swap(
            RUN, '"tensor_model_parallel_size": 1', '"tensor_model_parallel_size": 2, "pipeline_model_parallel_size": 2'
        ),
    )
    made(
        "heads",
        "--tensor-model-parallel-size 4",
        swap(MODEL, "--num-attention-heads 32", "--num-attention-heads 30"),
        may=("RLX418",),
    )
    made(
        "groups",
        "--tensor-model-parallel-size 4",
        swap(MODEL, "--num-query-groups 8", "--num-query-groups 6"),
        may=("RLX418",),
    )
    made("micro-batch", "--micro-batch-size 3", flags("--micro-batch-size 3"))
    made(
        "data-parallel",
        "--rollout-batch-size 31",
        instead("--rollout-batch-size 32", "--rollout-batch-size 31"),
        instead("--global-batch-size 256", "--global-batch-size 248"),
        severity="error",
    )
    made(
        "variables",
        "--tensor-model-parallel-size ${TP}",
        instead(f"{tp} 4", f"{tp} ${{TP}}"),
        swap(RUN, "PERF_ARGS=(", "TP=3\nPERF_ARGS=("),
    )
    made("equals", "--tensor-model-parallel-size=5", instead(f"{tp} 4", f"{tp}=5"))
    made(
        "fewer-gpus",
        '--resource \'{"actor": [1, 3],',
        async_roles("""'{"actor": [1, 3], "rollout": [1, 2], "reference": [1, 2], "advantages": [1, 0]}'"""),
    )
    made(
        "layers-by-pp",
        ("--pipeline-model-parallel-size 4", "--ref-actor-config"),
        instead(f"{tp} 4", f"{tp} 1"),
        without("--sequence-parallel"),
        instead("--pipeline-model-parallel-size 1", "--pipeline-model-parallel-size 4"),
        swap(MODEL, "--num-layers 36", "--num-layers 34"),
        may=("RLX418",),
    )
    made(
        "no-update-at-all",
        "--num-rollout ${NUM_ROLLOUT}",
        swap(RUN, 'NUM_ROLLOUT="${NUM_ROLLOUT:=200}"\n', "NUM_ROLLOUT=0\n"),
    )
    sft = Maker("RLX416", "sft", SFT_RUN, may=("RLX505",))
    sft("tp-three", "--tensor-model-parallel-size 3", swap(SFT_RUN, f"{tp} 2", f"{tp} 3"))
    sft(
        "seven-gpus",
        '--resource \'{"sft": [1, 0], "actor": [1, 7]}\'',
        swap(SFT_RUN, SFT_RESOURCE, """'{"sft": [1, 0], "actor": [1, 7]}'"""),
    )
    sft(
        "cp-three", "--context-parallel-size 3", swap(SFT_RUN, "--context-parallel-size 1", "--context-parallel-size 3")
    )
    return [*made.made, *sft.made]


FAULTS = [*_staleness(), *_iters(), *_parallel()]
