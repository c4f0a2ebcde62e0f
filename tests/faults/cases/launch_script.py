"""RLX417 to RLX423: KL, model file, entry point, and the bash of a launcher."""

from __future__ import annotations

import json

from tests.faults.cases.places import (
    ASYNC_LAUNCH,
    ASYNC_TEE,
    BOTH_LAUNCHES,
    BOTH_TEES,
    RUN,
    SFT_RUN,
    SYNC_END,
    SYNC_LAUNCH,
    SYNC_TEE,
    flags,
    instead,
    without,
)
from tests.faults.trees import Edit, Fault, Maker, append, swap, write

GRPO = "    --advantage-estimator grpo\n"
MODEL = "scripts/models/qwen3-8B.sh"
SOURCE = 'source "${MODEL_CONFIG_DIR}/qwen3-8B.sh"\n'
REST_OF_ASYNC = f'"${{MISC_ARGS[@]}}" "${{EVAL_ARGS[@]}}" \\\n        {ASYNC_TEE}'
REST_OF_SYNC = f'"${{MISC_ARGS[@]}}" "${{EVAL_ARGS[@]}}" \\\n        {SYNC_TEE}'
GUARD = (
    'if [ -z "${RELAX_ENTRYPOINT_MODE:-}" ]; then\n    source "${SCRIPT_DIR}/../../scripts/entrypoint/local.sh"\nfi\n'
)
LOST = (
    "RLX405",
    "RLX406",
    "RLX407",
    "RLX408",
    "RLX411",
    "RLX412",
    "RLX413",
    "RLX414",
    "RLX415",
    "RLX416",
    "RLX417",
    "RLX418",
    "RLX420",
    "RLX421",
    "RLX505",
    "RLX214",
    "RLX201",
    "RLX206",
    "RLX502",
    "RLX401",
    "RLX802",
    "RLX403",
)
"""What is missing as well where the rest of a launch is cut off."""


def _kl() -> list[Fault]:
    made = Maker("RLX417", "text", RUN, may=("RLX505", "RLX508", "RLX502", "RLX503"))
    made("both-coefficients", ("--kl-coef", "--kl-loss-coef"), flags("--kl-coef 0.01", below=GRPO))
    made("loss-unused", ("--kl-loss-coef", "--kl-loss-type"), without("--use-kl-loss"))
    made("loss-unused-by-comment", ("--kl-loss-coef",), instead("--use-kl-loss", "# --use-kl-loss"))
    made("type-of-verl", "--kl-loss-type kl", instead("--kl-loss-type low_var_kl", "--kl-loss-type kl"))
    made("type-mse", "--kl-loss-type=mse", instead("--kl-loss-type low_var_kl", "--kl-loss-type=mse"))
    made(
        "type-abs-in-variable",
        ("--kl-loss-type", "KL=abs"),
        instead("--kl-loss-type low_var_kl", '--kl-loss-type "${KL}"'),
        swap(RUN, "GRPO_ARGS=(", "KL=abs\nGRPO_ARGS=("),
    )
    made("type-full", "--kl-loss-type", instead("--kl-loss-type low_var_kl", "--kl-loss-type full"))
    made("no-coefficient", ("--use-kl-loss", "--kl-loss-type"), without("--kl-loss-coef 0.001"), severity="warning")
    made(
        "no-coefficient-inline",
        "--use-kl-loss",
        without("--kl-loss-coef 0.001"),
        without("--kl-loss-type low_var_kl"),
        severity="warning",
    )
    made(
        "ignored-by-grpo",
        "--kl-coef",
        swap(
            RUN, "    --use-kl-loss\n    --kl-loss-coef 0.001\n    --kl-loss-type low_var_kl\n", "    --kl-coef 0.05\n"
        ),
        severity="warning",
    )
    made(
        "ignored-by-gspo",
        "--kl-coef",
        swap(
            RUN,
            GRPO + "    --use-kl-loss\n    --kl-loss-coef 0.001\n    --kl-loss-type low_var_kl\n",
            "    --advantage-estimator gspo\n    --kl-coef=0.05\n",
        ),
        severity="warning",
    )
    made("no-reference", "--use-kl-loss", without("--ref-load ${MODEL_DIR}/Qwen3-8B"), severity="error|warning")
    made(
        "only-in-sync",
        ("--kl-coef 0.02", "--kl-loss-coef"),
        swap(RUN, SYNC_END, SYNC_END + "        --kl-coef 0.02 \\\n"),
    )
    made(
        "coefficients-with-zero-loss-flag-off",
        ("--kl-loss-coef 0.01",),
        swap(RUN, "    --use-kl-loss\n    --kl-loss-coef 0.001\n", "    --kl-loss-coef 0.01\n"),
    )
    return made.made


def checkpoint(config: dict[str, object]) -> tuple[Edit, ...]:
    """A checkpoint at hand, which the launcher names."""
    return (
        write("models/Qwen3-8B/config.json", json.dumps(config)),
        swap(RUN, "--hf-checkpoint ${MODEL_DIR}/Qwen3-8B", '--hf-checkpoint "${SCRIPT_DIR}/../../models/Qwen3-8B"'),
    )


def _model() -> list[Fault]:
    made = Maker("RLX418", "text", RUN, "warning", may=("RLX423", "RLX421", "RLX505", "RLX416"))
    made("not-sourced", ASYNC_LAUNCH, swap(RUN, SOURCE, ""))
    made("commented-out", ASYNC_LAUNCH, swap(RUN, SOURCE, "# " + SOURCE))
    made(
        "not-there",
        'source "${MODEL_CONFIG_DIR}/qwen3-9B.sh"',
        swap(RUN, SOURCE, 'source "${MODEL_CONFIG_DIR}/qwen3-9B.sh"\n'),
    )
    made(
        "not-there-relative",
        'source "${SCRIPT_DIR}/../../scripts/models/qwen3-8b.sh"',
        swap(RUN, SOURCE, 'source "${SCRIPT_DIR}/../../scripts/models/qwen3-8b.sh"\n'),
    )
    made(
        "not-passed-in-sync",
        SYNC_LAUNCH,
        swap(RUN, '--balance-data \\\n        "${MODEL_ARGS[@]}" ', "--balance-data \\\n        "),
        severity="warning|error",
    )
    made(
        "not-passed-in-async",
        ASYNC_LAUNCH,
        swap(RUN, '--use-health-check \\\n        "${MODEL_ARGS[@]}" ', "--use-health-check \\\n        "),
        severity="warning|error",
    )
    made("passed-nowhere", BOTH_LAUNCHES, swap(RUN, '"${MODEL_ARGS[@]}" ', "", 2), severity="warning|error")
    made("overwritten", "MODEL_ARGS=()", swap(RUN, SOURCE, SOURCE + "MODEL_ARGS=()\n"), severity="warning|error")
    made("inline-norm", "--norm-epsilon 1e-5", flags("--norm-epsilon 1e-5"), may=("RLX503",), severity="warning|error")
    arch = {
        "hidden_size": 4096,
        "num_hidden_layers": 36,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "intermediate_size": 12288,
        "rms_norm_eps": 1e-6,
        "rope_theta": 1000000,
        "vocab_size": 151936,
        "tie_word_embeddings": False,
        "model_type": "qwen3",
        "head_dim": 128,
    }
    made(
        "config-hidden",
        'source "${MODEL_CONFIG_DIR}/qwen3-8B.sh"',
        *checkpoint(arch | {"hidden_size": 2560}),
        severity="warning|error",
    )
    made(
        "config-layers",
        'source "${MODEL_CONFIG_DIR}/qwen3-8B.sh"',
        *checkpoint(arch | {"num_hidden_layers": 28}),
        severity="warning|error",
    )
    made(
        "config-eps",
        'source "${MODEL_CONFIG_DIR}/qwen3-8B.sh"',
        *checkpoint(arch | {"rms_norm_eps": 1e-5}),
        severity="warning|error",
    )
    return made.made


def _local() -> list[Fault]:
    made = Maker("RLX419", "text", RUN, "warning", may=("RLX418", "RLX423"))
    made("missing", ASYNC_LAUNCH, swap(RUN, GUARD, ""))
    made("commented-out", ASYNC_LAUNCH, swap(RUN, GUARD, "".join(f"# {line}\n" for line in GUARD.splitlines())))
    made(
        "always-sourced",
        'source "${SCRIPT_DIR}/../../scripts/entrypoint/local.sh"',
        swap(RUN, GUARD, 'source "${SCRIPT_DIR}/../../scripts/entrypoint/local.sh"\n'),
    )
    made(
        "other-variable",
        'source "${SCRIPT_DIR}/../../scripts/entrypoint/local.sh"',
        swap(RUN, "RELAX_ENTRYPOINT_MODE:-", "RELAX_ENTRY_MODE:-"),
    )
    made(
        "reversed",
        'source "${SCRIPT_DIR}/../../scripts/entrypoint/local.sh"',
        swap(RUN, '[ -z "${RELAX_ENTRYPOINT_MODE:-}" ]', '[ -n "${RELAX_ENTRYPOINT_MODE:-}" ]'),
    )
    made(
        "does-nothing",
        ASYNC_LAUNCH,
        swap(RUN, '    source "${SCRIPT_DIR}/../../scripts/entrypoint/local.sh"\n', "    echo local\n"),
    )
    return made.made


def _fail_fast() -> list[Fault]:
    made = Maker("RLX420", "text", RUN, "warning")
    made("no-pipefail", BOTH_TEES, swap(RUN, "set -o pipefail\n", ""))
    made("no-errexit", BOTH_TEES, swap(RUN, "set -ex\n", "set -x\n"))
    made("neither", BOTH_TEES, swap(RUN, "set -ex\nset -o pipefail\n", ""))
    made("switched-off", BOTH_TEES, swap(RUN, "mkdir -p logs\n", "set +e\nmkdir -p logs\n"))
    made("pipefail-off-again", BOTH_TEES, swap(RUN, "mkdir -p logs\n", "set +o pipefail\nmkdir -p logs\n"))
    made("commented-out", BOTH_TEES, swap(RUN, "set -o pipefail\n", "# set -o pipefail\n"))
    made("no-directory", BOTH_TEES, swap(RUN, "mkdir -p logs\n", ""))
    made("other-directory", BOTH_TEES, swap(RUN, "mkdir -p logs\n", "mkdir -p log\n"))
    made(
        "deeper-directory",
        ('2>&1 | tee "logs/sync/${EXP_NAME}.log"\nelse', '2>&1 | tee "logs/sync/${EXP_NAME}.log"\nfi'),
        swap(RUN, 'tee "logs/${EXP_NAME}.log"', 'tee "logs/sync/${EXP_NAME}.log"', 2),
    )
    made(
        "directory-in-one-branch",
        SYNC_TEE,
        swap(RUN, "mkdir -p logs\n", ""),
        swap(RUN, "; then\n    python3", "; then\n    mkdir -p logs\n    python3"),
    )
    made(
        "append-tee",
        ('2>&1 | tee -a "logs/${EXP_NAME}.log"\nelse', '2>&1 | tee -a "logs/${EXP_NAME}.log"\nfi'),
        swap(RUN, "set -o pipefail\n", ""),
        swap(RUN, "| tee ", "| tee -a ", 2),
    )
    sft = Maker("RLX420", "sft", SFT_RUN, "warning")
    sft("no-pipefail", '"${MISC_ARGS[@]}" 2>&1 | tee logs/notes.log', swap(SFT_RUN, "set -o pipefail\n", ""))
    sft("no-directory", '"${MISC_ARGS[@]}" 2>&1 | tee logs/notes.log', swap(SFT_RUN, "mkdir -p logs\n", ""))
    return [*made.made, *sft.made]


def _unused() -> list[Fault]:
    made = Maker("RLX421", "text", RUN, may=("RLX417", "RLX505", "RLX412"))
    made("expansion-dropped", "EVAL_ARGS=(", swap(RUN, ' "${EVAL_ARGS[@]}"', "", 2))
    made(
        "misspelt-expansion",
        "EVAL_ARGS=(",
        swap(RUN, "${EVAL_ARGS[@]}", "${EVALS_ARGS[@]}", 2),
        may=("RLX423",),
    )
    made("misspelt-array", "LOGS_ARGS=(", swap(RUN, "LOG_ARGS=(", "LOGS_ARGS=("), may=("RLX423",))
    made(
        "new-array",
        "EXTRA_ARGS=(",
        swap(RUN, "mkdir -p logs\n", "EXTRA_ARGS=(\n    --log-passrate\n)\nmkdir -p logs\n"),
    )
    made(
        "new-array-by-appending",
        "EXTRA_ARGS+=(",
        swap(RUN, "mkdir -p logs\n", "EXTRA_ARGS+=(--log-passrate)\nmkdir -p logs\n"),
    )
    made(
        "declared",
        "declare -a EXTRA",
        swap(RUN, "mkdir -p logs\n", "declare -a EXTRA=(--log-passrate)\nmkdir -p logs\n"),
    )
    made(
        "in-function",
        "EXTRA=(",
        swap(RUN, "mkdir -p logs\n", "more() {\n    EXTRA=(--log-passrate)\n}\nmore\nmkdir -p logs\n"),
    )
    made(
        "in-branch",
        "EXTRA=(",
        swap(
            RUN, "mkdir -p logs\n", 'if [ "${MODE}" = "async" ]; then\n    EXTRA=(--log-passrate)\nfi\nmkdir -p logs\n'
        ),
    )
    made(
        "only-first-element",
        (
            '"${EVAL_ARGS}" \\\n        2>&1 | tee "logs/${EXP_NAME}.log"\nelse',
            '"${EVAL_ARGS}" \\\n        2>&1 | tee "logs/${EXP_NAME}.log"\nfi',
        ),
        swap(RUN, '"${EVAL_ARGS[@]}"', '"${EVAL_ARGS}"', 2),
        may=("RLX502", "RLX501", "RLX606"),
    )
    made(
        "twice",
        (
            f'"${{SGLANG_ARGS[@]}}" {REST_OF_ASYNC}',
            f'"${{SGLANG_ARGS[@]}}" {REST_OF_SYNC}',
        ),
        swap(RUN, '"${SGLANG_ARGS[@]}"', '"${SGLANG_ARGS[@]}" "${SGLANG_ARGS[@]}"', 2),
        severity="warning",
        may=("RLX503",),
    )
    made(
        "twice-in-sync",
        f'"${{LOG_ARGS[@]}}" \\\n        "${{PERF_ARGS[@]}}" "${{SGLANG_ARGS[@]}}" {REST_OF_SYNC}',
        swap(RUN, SYNC_END, SYNC_END + '        "${LOG_ARGS[@]}" \\\n'),
        severity="warning",
        may=("RLX503",),
    )
    made(
        "sourced-own-file",
        "examples/arith/extra.sh|EXTRA=(",
        write("examples/arith/extra.sh", "EXTRA=(\n    --log-passrate\n)\n"),
        swap(RUN, "CKPT_ARGS=(", 'source "${SCRIPT_DIR}/extra.sh"\nCKPT_ARGS=('),
        path="examples/arith/extra.sh",
    )
    sft = Maker("RLX421", "sft", SFT_RUN, may=("RLX505",))
    sft("expansion-dropped", "OPTIMIZER_ARGS=(", swap(SFT_RUN, '    "${OPTIMIZER_ARGS[@]}" \\\n', ""))
    sft(
        "expansion-commented-out",
        "OPTIMIZER_ARGS=(",
        swap(SFT_RUN, '    "${OPTIMIZER_ARGS[@]}" \\\n', ""),
        append(SFT_RUN, '# "${OPTIMIZER_ARGS[@]}"\n'),
    )
    return [*made.made, *sft.made]


def _continuation() -> list[Fault]:
    made = Maker("RLX422", "text", RUN, may=LOST)
    made("blank-after-backslash", "--colocate", swap(RUN, "        --colocate \\\n", "        --colocate \\ \n"))
    made(
        "tab-after-backslash", "--fully-async", swap(RUN, "        --fully-async \\\n", "        --fully-async \\\t\n")
    )
    made(
        "comment-inside",
        "# one machine",
        swap(RUN, "        --colocate \\\n", "        # one machine\n        --colocate \\\n"),
    )
    made(
        "commented-flag",
        "# --num-data-storage-units 1",
        swap(
            RUN,
            "        --num-data-storage-units 1 \\\n        --colocate",
            "        # --num-data-storage-units 1 \\\n        --colocate",
        ),
    )
    made(
        "blank-line",
        "\n        --use-health-check \\\n        --balance-data",
        swap(RUN, "        --colocate \\\n", "        --colocate \\\n\n"),
    )
    made("missing-backslash", "--colocate", swap(RUN, "        --colocate \\\n", "        --colocate\n"))
    made(
        "missing-before-arrays", "--balance-data", swap(RUN, "        --balance-data \\\n", "        --balance-data\n")
    )
    made(
        "comment-after-backslash",
        "--colocate \\  # shared GPUs",
        swap(RUN, "        --colocate \\\n", "        --colocate \\  # shared GPUs\n"),
    )
    made(
        "comment-on-the-line",
        "--colocate # shared GPUs",
        swap(RUN, "        --colocate \\\n", "        --colocate # shared GPUs \\\n"),
    )
    made("in-async", "--max-staleness 3", swap(RUN, "        --max-staleness 3 \\\n", "        --max-staleness 3\n"))
    sft = Maker("RLX422", "sft", SFT_RUN, may=LOST)
    sft("missing-backslash", '"${SFT_ARGS[@]}"', swap(SFT_RUN, '    "${SFT_ARGS[@]}" \\\n', '    "${SFT_ARGS[@]}"\n'))
    sft(
        "blank-after-backslash",
        '"${SFT_ARGS[@]}"',
        swap(SFT_RUN, '    "${SFT_ARGS[@]}" \\\n', '    "${SFT_ARGS[@]}" \\  \n'),
    )
    sft(
        "comment-inside",
        '# "${PERF_ARGS[@]}"',
        swap(SFT_RUN, '    "${PERF_ARGS[@]}" \\\n', '    # "${PERF_ARGS[@]}" \\\n'),
    )
    sft(
        "comment-swallows",
        "# python3 relax/entrypoints/train.py",
        swap(
            SFT_RUN,
            "mkdir -p logs\n",
            "# python3 relax/entrypoints/train.py \\\n    --resource '{\"actor\": [1, 8]}' \\\n"
            "    --num-epoch 1\nmkdir -p logs\n",
        ),
    )
    return [*made.made, *sft.made]


def _unset() -> list[Fault]:
    made = Maker("RLX423", "text", RUN, "warning", may=("RLX409",))
    made(
        "prompt-set",
        '--prompt-data "${PROMPT_SET}"',
        swap(RUN, "PROMPT_SET=\"['${DATA_DIR}/arith/train.jsonl']\"\n", ""),
    )
    made(
        "misspelt",
        '--prompt-data "${PROMT_SET}"',
        swap(RUN, '--prompt-data "${PROMPT_SET}"', '--prompt-data "${PROMT_SET}"'),
    )
    made("own-name", "${CHECKPOINT_ROOT}", swap(RUN, "--ref-load ${MODEL_DIR}/", "--ref-load ${CHECKPOINT_ROOT}/"))
    made("no-braces", "$RUN_TITLE", swap(RUN, "--tb-experiment-name ${EXP_NAME}", "--tb-experiment-name $RUN_TITLE"))
    made(
        "through-other-variable",
        "PROMPT_SET=\"['${MY_DATA}/arith/train.jsonl']\"",
        swap(RUN, "PROMPT_SET=\"['${DATA_DIR}/", "PROMPT_SET=\"['${MY_DATA}/"),
    )
    made("num-rollout", "--num-rollout", swap(RUN, 'NUM_ROLLOUT="${NUM_ROLLOUT:=200}"\n', ""))
    made(
        "inline",
        "${UNITS}",
        swap(
            RUN,
            "--num-data-storage-units 1 \\\n        --colocate",
            "--num-data-storage-units ${UNITS} \\\n        --colocate",
        ),
    )
    sft = Maker("RLX423", "sft", SFT_RUN, "warning")
    sft("own-name", "${NOTES_DIR}", swap(SFT_RUN, "${DATA_DIR}/notes", "${NOTES_DIR}/notes"))
    return [*made.made, *sft.made]


FAULTS = [*_kl(), *_model(), *_local(), *_fail_fast(), *_unused(), *_continuation(), *_unset()]
