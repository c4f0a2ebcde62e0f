"""RLX501 to RLX504: flags against what Relax's parsers take."""

from __future__ import annotations

from tests.faults.cases.places import CHARTS_RUN, DESK_RUN, RM_PATH, RUN, SFT_RUN, SYNC_END, flags, instead, without
from tests.faults.trees import Edit, Fault, Maker, swap, write

MODEL = "scripts/models/qwen3-8B.sh"


def inline(line: str) -> Edit:
    """A flag in the synchronous launch alone."""
    return swap(RUN, SYNC_END, SYNC_END + f"        {line} \\\n")


def below(line: str, *lines: str) -> Edit:
    """Elements below another one."""
    return flags(*lines, below=f"    {line}\n")


def _unknown() -> list[Fault]:
    made = Maker("RLX501", "text", RUN)
    made(
        "misspelt",
        "--rollout-bach-size",
        instead("--rollout-batch-size 32", "--rollout-bach-size 32"),
        may=("RLX407", "RLX505", "RLX412", "RLX415", "RLX416"),
    )
    made("underscores", "--rollout_shuffle", instead("--rollout-shuffle", "--rollout_shuffle"))
    made("equals", "--clip-grads=", instead("--clip-grad 1.0", "--clip-grads=1.0"))
    made(
        "inline",
        "--use-health-checks",
        swap(
            RUN,
            "        --use-health-check \\\n        --balance-data",
            "        --use-health-checks \\\n        --balance-data",
        ),
    )
    made("of-verl", "--ppo-mini-batch-size", flags("--ppo-mini-batch-size 64"))
    made("abbreviation", "--rollout-max-prompt ", flags("--rollout-max-prompt 512"))
    made(
        "abbreviated-megatron",
        "--recompute-gran",
        instead("--recompute-granularity full", "--recompute-gran full"),
        may=("RLX505", "RLX508"),
    )
    made(
        "in-function",
        "--log-pasrate",
        swap(RUN, "mkdir -p logs\n", "more() {\n    LOG_ARGS+=(--log-pasrate)\n}\nmore\nmkdir -p logs\n"),
    )
    made(
        "in-branch",
        "--log-pasrate",
        swap(
            RUN,
            "mkdir -p logs\n",
            'if [ "${MODE}" = "async" ]; then\n    LOG_ARGS+=(--log-pasrate)\nfi\nmkdir -p logs\n',
        ),
    )
    made(
        "in-case",
        "--log-pasrate",
        swap(RUN, "mkdir -p logs\n", 'case "${MODE}" in\nsync) LOG_ARGS+=(--log-pasrate) ;;\nesac\nmkdir -p logs\n'),
    )
    made(
        "in-loop",
        "for flag in --log-passrate --log-pasrate; do",
        swap(
            RUN,
            "mkdir -p logs\n",
            'for flag in --log-passrate --log-pasrate; do\n    LOG_ARGS+=("${flag}")\ndone\nmkdir -p logs\n',
        ),
    )
    made(
        "in-variable",
        'EXTRA="--log-pasrate"',
        swap(RUN, "mkdir -p logs\n", 'EXTRA="--log-pasrate"\nmkdir -p logs\n'),
        swap(RUN, SYNC_END, SYNC_END + "        ${EXTRA} \\\n"),
    )
    made(
        "in-words-of-a-variable",
        'EXTRA="--log-passrate --seeds 3"',
        swap(RUN, "mkdir -p logs\n", 'EXTRA="--log-passrate --seeds 3"\nmkdir -p logs\n'),
        swap(RUN, SYNC_END, SYNC_END + "        ${EXTRA} \\\n"),
    )
    made("in-model-file", f"{MODEL}|--qk-layer-norm", swap(MODEL, "--qk-layernorm", "--qk-layer-norm"), path=MODEL)
    made(
        "in-sourced-file",
        "examples/arith/common.sh|--optimiser",
        write("examples/arith/common.sh", "COMMON_ARGS=(\n    --optimiser adam\n)\n"),
        swap(RUN, "CKPT_ARGS=(", 'source "${SCRIPT_DIR}/common.sh"\nCKPT_ARGS=('),
        swap(RUN, '"${MODEL_ARGS[@]}"', '"${COMMON_ARGS[@]}" "${MODEL_ARGS[@]}"', 2),
        path="examples/arith/common.sh",
    )
    made(
        "sglang-unknown",
        "--sglang-memory-fraction",
        instead("--sglang-mem-fraction-static 0.8", "--sglang-memory-fraction 0.8"),
    )
    made("one-dash", "-rollout-shuffle", instead("--rollout-shuffle", "-rollout-shuffle"))
    made("glued-value", "--lr1e-6", instead("--lr 1e-6", "--lr1e-6"))
    made("of-slime", "--actor-num-node", flags("--actor-num-node 1"))
    made("no-prefix-of-flag", "--no-rollout-shuffle", instead("--rollout-shuffle", "--no-rollout-shuffle"))
    sft = Maker("RLX501", "sft", SFT_RUN)
    sft("misspelt", "--num-epochs", swap(SFT_RUN, "--num-epoch 2", "--num-epochs 2"), may=("RLX505",))
    sft("inline", "--num-data-storage-unit ", swap(SFT_RUN, "--num-data-storage-units 1", "--num-data-storage-unit 1"))
    turns = Maker("RLX501", "turns", DESK_RUN)
    turns(
        "misspelt",
        "--custom-generate-function",
        swap(DESK_RUN, "--custom-generate-function-path", "--custom-generate-function"),
        may=("RLX307", "RLX213", "RLX802"),
    )
    return [*made.made, *sft.made, *turns.made]


def _value() -> list[Fault]:
    made = Maker("RLX502", "text", RUN, may=("RLX505", "RLX416", "RLX407", "RLX417", "RLX408"))
    made("float-for-int", "--rollout-batch-size 32.0", instead("--rollout-batch-size 32", "--rollout-batch-size 32.0"))
    made("text-for-float", "--lr fast", instead("--lr 1e-6", "--lr fast"))
    made(
        "exponent-for-int",
        "--rollout-max-response-len 1e3",
        instead("--rollout-max-response-len 1024", "--rollout-max-response-len 1e3"),
    )
    made(
        "unit",
        "--rollout-max-prompt-len 512k",
        instead("--rollout-max-prompt-len 512", "--rollout-max-prompt-len 512k"),
    )
    made("comma", "--eps-clip 0,2", instead("--eps-clip 0.2", "--eps-clip 0,2"))
    made(
        "outside-choices",
        "--advantage-estimator gae",
        instead("--advantage-estimator grpo", "--advantage-estimator gae"),
    )
    made(
        "choice-case", "--advantage-estimator GRPO", instead("--advantage-estimator grpo", "--advantage-estimator GRPO")
    )
    made(
        "megatron-choice",
        "--recompute-method unifrom",
        instead("--recompute-method uniform", "--recompute-method unifrom"),
    )
    made(
        "bridge",
        "--megatron-to-hf-mode bridged",
        instead("--megatron-to-hf-mode bridge", "--megatron-to-hf-mode bridged"),
    )
    made("rm-type", "--rm-type mathx", instead(RM_PATH, "--rm-type mathx"), without("--reward-key score"))
    made("rm-type-of-verl", "--rm-type naive", instead(RM_PATH, "--rm-type naive"), without("--reward-key score"))
    made("switch-false", "--rollout-shuffle False", instead("--rollout-shuffle", "--rollout-shuffle False"))
    made("switch-zero", "--use-kl-loss 0", instead("--use-kl-loss", "--use-kl-loss 0"))
    made("switch-equals", "--use-kl-loss=", instead("--use-kl-loss", "--use-kl-loss=false"))
    made(
        "switch-true",
        "--rollout-shuffle true",
        instead("--rollout-shuffle", "--rollout-shuffle true"),
        severity="warning",
    )
    made(
        "switch-true-inline",
        "--colocate True",
        swap(RUN, "        --colocate \\\n", "        --colocate True \\\n"),
        severity="warning",
    )
    made("no-value", "--lr-decay-style", instead("--lr-decay-style constant", "--lr-decay-style"))
    made(
        "no-value-at-end",
        "--clip-grad",
        swap(RUN, "    --clip-grad 1.0\n", ""),
        swap(RUN, "    --use-precision-aware-optimizer\n", "    --use-precision-aware-optimizer\n    --clip-grad\n"),
    )
    made("two-values", "--lr 1e-6 1e-7", instead("--lr 1e-6", "--lr 1e-6 1e-7"), severity="error|warning")
    made(
        "json-broken",
        "--apply-chat-template-kwargs",
        below("--apply-chat-template", "--apply-chat-template-kwargs '{enable_thinking: false}'"),
    )
    made(
        "json-python-false",
        "--apply-chat-template-kwargs",
        below("--apply-chat-template", "--apply-chat-template-kwargs '{\"enable_thinking\": False}'"),
    )
    made(
        "json-split-by-bash",
        "--apply-chat-template-kwargs",
        below("--apply-chat-template", '--apply-chat-template-kwargs {"enable_thinking": false}'),
    )
    made(
        "json-shape",
        "--apply-chat-template-kwargs",
        below("--apply-chat-template", "--apply-chat-template-kwargs '[1, 2]'"),
    )
    made(
        "json-quotes-eaten",
        "--apply-chat-template-kwargs",
        below("--apply-chat-template", '--apply-chat-template-kwargs "{"enable_thinking":false}"'),
    )
    made(
        "variable",
        "--rollout-batch-size ${SIZE}",
        instead("--rollout-batch-size 32", "--rollout-batch-size ${SIZE}"),
        swap(RUN, "ROLLOUT_ARGS=(", "SIZE=thirty\nROLLOUT_ARGS=("),
    )
    made(
        "empty-variable",
        '--rollout-temperature "${HEAT}"',
        instead("--rollout-temperature 1", '--rollout-temperature "${HEAT}"'),
        swap(RUN, "ROLLOUT_ARGS=(", 'HEAT=""\nROLLOUT_ARGS=('),
    )
    made(
        "text-bool",
        "--rollout-shuffle no",
        instead("--rollout-shuffle", "--rollout-shuffle no"),
        severity="error|warning",
    )
    made(
        "sglang-type",
        "--sglang-mem-fraction-static most",
        instead("--sglang-mem-fraction-static 0.8", "--sglang-mem-fraction-static most"),
    )
    made(
        "inline-only",
        "--num-data-storage-units one",
        swap(
            RUN,
            "--num-data-storage-units 1 \\\n        --colocate",
            "--num-data-storage-units one \\\n        --colocate",
        ),
    )
    vision = Maker("RLX502", "vision", CHARTS_RUN, may=("RLX410", "RLX505", "RLX705", "RLX704"))
    keys = """--multimodal-keys '{"image":"image"}'"""
    vision("json-quotes", "--multimodal-keys", swap(CHARTS_RUN, keys, """--multimodal-keys "{'image':'image'}\""""))
    vision("json-unquoted", "--multimodal-keys", swap(CHARTS_RUN, keys, """--multimodal-keys {"image":"image"}"""))
    vision("json-shape", "--multimodal-keys", swap(CHARTS_RUN, keys, """--multimodal-keys '["image"]'"""))
    sft = Maker("RLX502", "sft", SFT_RUN, may=("RLX505",))
    sft(
        "loss-type",
        "--loss-type",
        swap(SFT_RUN, "--loss-type sft", "--loss-type sft-los"),
        may=("RLX412", "RLX408", "RLX407", "RLX413"),
    )
    sft("style", "--lr-decay-style cos", swap(SFT_RUN, "--lr-decay-style cosine", "--lr-decay-style cos"))
    sft(
        "unset-again",
        "--num-epoch",
        swap(SFT_RUN, "--num-epoch 2", "--num-epoch ${EPOCHS}"),
        swap(SFT_RUN, "CKPT_ARGS=(", "EPOCHS=2\nunset EPOCHS\nCKPT_ARGS=("),
        may=("RLX423",),
    )
    return [*made.made, *vision.made, *sft.made]


def _twice() -> list[Fault]:
    made = Maker("RLX503", "text", RUN, "warning")
    made("in-array", "--rollout-temperature 1", flags("--rollout-temperature 0.7"))
    made("equals", "--lr=2e-6", below("--lr 1e-6", "--lr=2e-6"))
    made("three", ("--lr 2e-6", "--lr 3e-6"), below("--lr 1e-6", "--lr 2e-6", "--lr 3e-6"))
    made("appended-array-below", "--eps-clip 0.3", below("--eps-clip 0.2", "--eps-clip 0.3"))
    made(
        "json",
        "--apply-chat-template-kwargs '{\"a\": 2}'",
        below(
            "--apply-chat-template",
            "--apply-chat-template-kwargs '{\"a\": 1}'",
            "--apply-chat-template-kwargs '{\"a\": 2}'",
        ),
    )
    made(
        "inline",
        "--max-staleness 3 --max-staleness 2",
        swap(RUN, "        --max-staleness 3 \\\n", "        --max-staleness 3 --max-staleness 2 \\\n"),
    )
    made(
        "overrides-sourced-file",
        "--lr 1e-6",
        write("examples/arith/common.sh", "COMMON_ARGS=(\n    --lr 2e-6\n)\n"),
        swap(RUN, "CKPT_ARGS=(", 'source "${SCRIPT_DIR}/common.sh"\nCKPT_ARGS=('),
        swap(RUN, '"${MODEL_ARGS[@]}"', '"${COMMON_ARGS[@]}" "${MODEL_ARGS[@]}"', 2),
        severity="advice",
    )
    sft = Maker("RLX503", "sft", SFT_RUN, "warning")
    sft("in-array", "--lr 2e-5", swap(SFT_RUN, "    --lr 1e-5\n", "    --lr 1e-5\n    --lr 2e-5\n"))
    return [*made.made, *sft.made]


def _short() -> list[Fault]:
    made = Maker("RLX504", "text", RUN, "warning")
    made(
        "sglang",
        "--sglang-mem-fraction-st ",
        instead("--sglang-mem-fraction-static 0.8", "--sglang-mem-fraction-st 0.8"),
    )
    made(
        "sglang-equals",
        "--sglang-mem-fraction-s=",
        instead("--sglang-mem-fraction-static 0.8", "--sglang-mem-fraction-s=0.8"),
    )
    made(
        "sglang-running", "--sglang-max-running ", below("--sglang-mem-fraction-static 0.8", "--sglang-max-running 64")
    )
    made("inline", "--sglang-mem-frac ", inline("--sglang-mem-frac 0.7"), may=("RLX503",))
    made(
        "ambiguous",
        "--sglang-cuda-graph ",
        below("--sglang-mem-fraction-static 0.8", "--sglang-cuda-graph 8"),
        severity="error",
        may=("RLX501",),
    )
    made(
        "ambiguous-disable",
        "--sglang-disable ",
        below("--sglang-mem-fraction-static 0.8", "--sglang-disable "),
        severity="error",
        may=("RLX501",),
    )
    return made.made


FAULTS = [*_unknown(), *_value(), *_twice(), *_short()]
