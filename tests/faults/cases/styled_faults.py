"""Faults of many rules in a launcher of another style: functions, ``case``, a sourced file, ``--flag=value``."""

from __future__ import annotations

from tests.faults.trees import Edit, Fault, swap, write

RUN = "examples/sums/run_sums.sh"
COMMON = "examples/sums/common.sh"
REWARD = "examples/sums/reward_sums.py"
KEY = "    --reward-key=score\n"
CUT = ("RLX405", "RLX406", "RLX407", "RLX408", "RLX411", "RLX412", "RLX413", "RLX414", "RLX415", "RLX416", "RLX417")
ASYNC = """'{"actor": [1, 4], "rollout": [1, 2], "reference": [1, 2], "advantages": [1, 0]}'"""
REF = """        --ref-actor-config='{"tensor_model_parallel_size": 1, "sequence_parallel": false}'\n"""
MADE: list[Fault] = []


def fault(
    code: str,
    name: str,
    marks: str | tuple[str, ...],
    *edits: Edit,
    severity: str = "error",
    path: str = RUN,
    may: tuple[str, ...] = (),
    also: tuple[str, ...] = (),
) -> None:
    """Keep one more fault of the styled recipe."""
    named = (marks,) if isinstance(marks, str) else marks
    MADE.append(Fault(name, "styled", code, path, named, edits, severity, also, may))


def run(old: str, new: str) -> Edit:
    """Change the launcher."""
    return swap(RUN, old, new)


def common(old: str, new: str) -> Edit:
    """Change what it sources."""
    return swap(COMMON, old, new)


def _code() -> None:
    fault("RLX202", "sync", "def reward_func", swap(REWARD, "async def", "def"), path=REWARD)
    fault("RLX206", "no-key", "--custom-rm-path=examples.sums.reward_sums.reward_func", run(KEY, ""))
    fault("RLX207", "other-key", "--reward-key", run("--reward-key=score", "--reward-key=points"))
    fault("RLX204", "group", (f"{REWARD}|async def", "--group-rm"), run(KEY, KEY + "    --group-rm\n"), may=("RLX205",))
    fault("RLX201", "renamed", "--custom-rm-path", swap(REWARD, "async def reward_func", "async def rewarded"))
    fault(
        "RLX507",
        "file",
        "--custom-rm-path",
        run("examples.sums.reward_sums.reward_func", "examples/sums/reward_sums.py"),
        may=("RLX201", "RLX802"),
    )
    fault("RLX214", "no-label", '--prompt-data="${DATA_DIR}/sums/train.jsonl"', run("    --label-key=label\n", ""))
    fault(
        "RLX702", "no-column", "--label-key", run("--label-key=label", "--label-key=answer"), may=("RLX703", "RLX214")
    )


def _start() -> None:
    fault(
        "RLX401",
        "verl",
        "python3 -m verl.trainer.main_ppo",
        run("python3 relax/entrypoints/train.py", "python3 -m verl.trainer.main_ppo"),
        may=(*CUT, "RLX421", "RLX802", "RLX418", "RLX409", "RLX419", "RLX402", "RLX201", "RLX423", "RLX501"),
    )
    fault(
        "RLX403",
        "module",
        "-m relax",
        run("python3 relax/entrypoints/train.py", "python3 -m relax.entrypoints.train"),
        severity="warning",
    )
    fault("RLX402", "override", "trainer.total_epochs", run(KEY, KEY + "    trainer.total_epochs=3\n"))
    fault(
        "RLX402",
        "override-sourced",
        f"{COMMON}|actor.clip",
        common("        --use-tis\n", "        --use-tis\n        actor.clip=0.2\n"),
        path=COMMON,
    )
    fault(
        "RLX404",
        "runtime-env",
        "--runtime-env-json",
        run(
            "    python3 relax",
            "    ray job submit --address=http://10.0.0.1:8265 --runtime-env-json='{}' -- python3 relax",
        ),
        severity="warning",
    )
    fault(
        "RLX405",
        "no-environment",
        'MODE="${1:-sync}"',
        run('MODE="${1:-${MODE:-sync}}"', 'MODE="${1:-sync}"'),
        severity="warning",
    )
    fault(
        "RLX405",
        "renamed-case",
        'MODE="${1:-${MODE:-sync}}"',
        run("\nasync)\n", "\nfully_async)\n"),
        severity="warning",
    )
    fault(
        "RLX405",
        "default-async",
        'MODE="${1:-${MODE:-async}}"',
        run("${MODE:-sync}", "${MODE:-async}"),
        severity="warning",
    )
    fault(
        "RLX406",
        "no-overlap",
        "--optimizer=adam",
        common("    --overlap-cpu-optimizer-d2h-h2d\n", ""),
        severity="warning",
        path=COMMON,
    )
    fault(
        "RLX406",
        "no-precision",
        "--optimizer=adam",
        common("    --use-precision-aware-optimizer\n", ""),
        path=COMMON,
    )
    fault(
        "RLX406",
        "function-not-called",
        "python3 relax/entrypoints/train.py",
        run('ARGS+=("${OPTIMIZER[@]}")\n', ""),
        severity="warning",
        may=("RLX421",),
    )
    fault(
        "RLX408", "both", "--rm-type=math", run(KEY, KEY + "    --rm-type=math\n"), severity="warning", may=("RLX508",)
    )
    fault(
        "RLX409",
        "misspelt",
        "#   python3 scripts/tools/process_sum.py",
        run("process_sums.py", "process_sum.py"),
        severity="warning",
    )
    fault(
        "RLX418",
        "not-sourced",
        "MODEL_ARGS=()",
        run('. "${MODEL_CONFIG_DIR}/qwen3-4B.sh"\n', "MODEL_ARGS=()\n"),
        severity="warning|error",
        may=("RLX505",),
    )
    fault(
        "RLX419",
        "no-guard",
        "python3 relax/entrypoints/train.py",
        run(
            'if [[ -z "${RELAX_ENTRYPOINT_MODE:-}" ]]; then\n'
            '    source "${HERE}/../../scripts/entrypoint/local.sh"\nfi\n',
            "",
        ),
        severity="warning",
    )
    fault(
        "RLX420",
        "no-pipefail",
        "python3 relax/entrypoints/train.py",
        run("set -euo pipefail", "set -eu"),
        severity="warning",
    )
    fault(
        "RLX420",
        "no-directory",
        "python3 relax/entrypoints/train.py",
        run('mkdir -p "${LOGS}"\n', ""),
        severity="warning",
    )
    fault(
        "RLX423",
        "unset",
        "${ROOT_OF_MODELS}",
        run('--ref-load="${MODEL_DIR}/', '--ref-load="${ROOT_OF_MODELS}/'),
        severity="warning",
    )


def _sizes() -> None:
    fault(
        "RLX407",
        "fixed",
        "--global-batch-size=128",
        run("$((BATCH * SAMPLES))", "128"),
        severity="error|warning",
        may=("RLX412",),
    )
    fault(
        "RLX407",
        "other-product",
        "--global-batch-size=$((BATCH * SAMPLES / 2))",
        run("$((BATCH * SAMPLES))", "$((BATCH * SAMPLES / 2))"),
        severity="error|warning",
        may=("RLX412",),
    )
    fault(
        "RLX407",
        "changed-later",
        "--global-batch-size=$((BATCH * SAMPLES))",
        run("common_args\nARGS", "common_args\nARGS+=(--n-samples-per-prompt=4)\nARGS"),
        severity="error|warning",
        may=("RLX503", "RLX412"),
    )
    fault(
        "RLX407",
        "operand",
        "--global-batch-size=$((BATCH + SAMPLES))",
        run("$((BATCH * SAMPLES))", "$((BATCH + SAMPLES))"),
        severity="error|warning",
        may=("RLX412", "RLX416", "RLX505"),
    )
    fault("RLX411", "missing", '--resource=\'{"actor":', run(REF, ""), severity="warning", may=("RLX416",))
    fault(
        "RLX411",
        "no-json",
        "--ref-actor-config",
        run(
            """'{"tensor_model_parallel_size": 1, "sequence_parallel": false}'""",
            """{"tensor_model_parallel_size":1}""",
        ),
        may=("RLX502",),
    )
    fault(
        "RLX412",
        "no-rollout",
        '--resource="{\\"actor\\": [1, ${GPUS}]}"',
        run(""", \\"rollout\\": [1, ${GPUS}]""", ""),
        may=("RLX505", "RLX416"),
    )
    fault(
        "RLX412",
        "no-reference",
        '--resource=\'{"actor":',
        run(""", "reference": [1, 2]""", ""),
        may=("RLX505", "RLX411"),
    )
    fault(
        "RLX412",
        "quotes",
        '--resource="{"actor": [1, ${GPUS}], \\"rollout\\": [1, ${GPUS}]}"',
        run("""{\\"actor\\": [1, ${GPUS}]""", """{"actor": [1, ${GPUS}]"""),
        may=("RLX502", "RLX416"),
    )
    fault("RLX412", "twelve", '--resource="{\\"actor\\":', run("GPUS=8\n", "GPUS=12\n"), may=("RLX416", "RLX505"))
    fault(
        "RLX412", "no-advantages", '--resource=\'{"actor":', run(""", "advantages": [1, 0]""", ""), severity="warning"
    )
    fault(
        "RLX413",
        "none",
        "python3 relax/entrypoints/train.py",
        run("        --colocate\n", ""),
        severity="warning",
        may=("RLX405", "RLX412", "RLX505"),
    )
    fault(
        "RLX413",
        "both",
        "--colocate\n        --max-staleness=2",
        run("        --fully-async\n", "        --fully-async\n        --colocate\n"),
        may=(*CUT, "RLX505", "RLX508"),
    )
    fault("RLX414", "five", "--max-staleness=5", run("--max-staleness=2", "--max-staleness=5"), severity="warning")
    fault("RLX414", "colocate", "--max-staleness=3", run("--max-staleness=0", "--max-staleness=3"), severity="warning")
    fault("RLX415", "missing", "--fully-async", run("        --num-iters-per-train-update=8\n", ""), severity="warning")
    fault(
        "RLX415",
        "in-colocate",
        "--num-iters-per-train-update=8\n        --max-staleness=0",
        run("        --colocate\n", "        --colocate\n        --num-iters-per-train-update=8\n"),
        severity="warning",
        may=("RLX508",),
    )
    fault(
        "RLX416",
        "tp",
        "--tensor-model-parallel-size=3",
        run("--tensor-model-parallel-size=2", "--tensor-model-parallel-size=3"),
        may=("RLX505", "RLX407"),
    )
    fault(
        "RLX416",
        "engine",
        "--rollout-num-gpus-per-engine=3",
        run("--rollout-num-gpus-per-engine=1", "--rollout-num-gpus-per-engine=3"),
        may=("RLX505",),
    )
    fault(
        "RLX416",
        "ref",
        '--ref-actor-config=\'{"tensor_model_parallel_size":',
        run('"tensor_model_parallel_size": 1', '"tensor_model_parallel_size": 8'),
        may=("RLX505",),
    )
    fault(
        "RLX416", "gpus", '--resource="{\\"actor\\":', run("GPUS=8\n", "GPUS=7\n"), may=("RLX505", "RLX407", "RLX412")
    )
    fault(
        "RLX417",
        "type",
        f"{COMMON}|--kl-loss-type",
        common("--kl-loss-type=low_var_kl", "--kl-loss-type=kl"),
        path=COMMON,
        may=("RLX502",),
    )
    fault("RLX417", "unused", f"{COMMON}|--kl-loss-coef", common("--use-kl-loss ", ""), path=COMMON)
    fault(
        "RLX417",
        "no-reference",
        "examples/sums/common.sh|ARGS+=(--use-kl-loss",
        run('    --ref-load="${MODEL_DIR}/Qwen3-4B"\n', ""),
        severity="error|warning",
        may=("RLX505",),
    )


def _flags() -> None:
    fault(
        "RLX421",
        "not-expanded",
        (f"{COMMON}|readonly OPTIMIZER=(",),
        run('ARGS+=("${OPTIMIZER[@]}")\n', ""),
        path=COMMON,
        may=("RLX406",),
    )
    fault(
        "RLX421",
        "twice",
        'launch "${ARGS[@]}" "${ARGS[@]}"',
        run('launch "${ARGS[@]}"', 'launch "${ARGS[@]}" "${ARGS[@]}"'),
        severity="warning",
        may=("RLX503",),
    )
    fault(
        "RLX421",
        "first-only",
        'ARGS+=("${OPTIMIZER}")',
        run('ARGS+=("${OPTIMIZER[@]}")', 'ARGS+=("${OPTIMIZER}")'),
        may=("RLX406", "RLX505"),
    )
    fault(
        "RLX422",
        "blank",
        'python3 relax/entrypoints/train.py "$@"',
        run('"$@" 2>&1', '"$@" \\ \n        2>&1'),
        may=(*CUT, "RLX420", "RLX421"),
    )
    fault("RLX501", "misspelt", "--epochs-num", run("--num-epoch=2", "--epochs-num=2"), may=("RLX505",))
    fault(
        "RLX501",
        "sourced",
        f"{COMMON}|--eps-clip-hi",
        common("--eps-clip-high=0.28", "--eps-clip-hi=0.28"),
        path=COMMON,
    )
    fault(
        "RLX501",
        "in-function-argument",
        "--log-pass-rate",
        run('launch "${ARGS[@]}"', 'launch --log-pass-rate "${ARGS[@]}"'),
    )
    fault(
        "RLX502",
        "value",
        "--rollout-max-prompt-len",
        run("--rollout-max-prompt-len=512", "--rollout-max-prompt-len=half"),
        may=("RLX505",),
    )
    fault(
        "RLX502",
        "switch",
        "--apply-chat-template=",
        run("--apply-chat-template\n", "--apply-chat-template=false\n"),
        may=("RLX214", "RLX704"),
    )
    fault("RLX502", "empty", "--lr=", common("--lr=1e-6", "--lr="), path=COMMON, may=("RLX505",))
    fault(
        "RLX503",
        "twice",
        "--input-key=question",
        run(KEY, KEY + "    --input-key=question\n"),
        severity="warning",
        may=("RLX702", "RLX704", "RLX214"),
    )
    fault(
        "RLX504",
        "short",
        "--sglang-mem-fraction-s",
        run(KEY, KEY + "    --sglang-mem-fraction-s=0.8\n"),
        severity="warning",
    )
    fault("RLX505", "no-length", "python3 relax/entrypoints/train.py", run("    --num-epoch=2\n", ""))
    fault(
        "RLX505",
        "ppo",
        "--advantage-estimator=ppo",
        common("--advantage-estimator=grpo", "--advantage-estimator=ppo"),
        path=COMMON,
        may=("RLX508",),
    )
    fault("RLX505", "save", '--save="${HERE}/saved"', run(KEY, KEY + '    --save="${HERE}/saved"\n'))
    fault(
        "RLX508",
        "no-dynamic",
        "--max-tokens-per-gpu=9216",
        run("    --use-dynamic-batch-size\n", ""),
        severity="advice|warning",
    )
    fault(
        "RLX604",
        "no-config",
        "--custom-config-path",
        run(KEY, KEY + "    --custom-config-path=examples/sums/sums_config.yaml\n"),
    )
    fault(
        "RLX606",
        "odd",
        "--eval-prompt-data a b c",
        run(KEY, KEY + "    --eval-interval=5\n    --eval-prompt-data a b c\n"),
        may=("RLX505", "RLX702"),
    )
    fault(
        "RLX801",
        "no-init",
        "--custom-rm-path=examples.sums.more.reward_more.reward_func",
        write(
            "examples/sums/more/reward_more.py",
            "async def reward_func(args, sample, **kwargs):\n    return {'score': 1.0}\n",
        ),
        run("examples.sums.reward_sums", "examples.sums.more.reward_more"),
        severity="warning",
        may=("RLX201",),
    )


_code()
_start()
_sizes()
_flags()
FAULTS = MADE
