"""RLX407, RLX410 to RLX413: batch sizes, media, roles, modes."""

from __future__ import annotations

from tests.faults.cases.places import (
    ASYNC_LAUNCH,
    BOTH_LAUNCHES,
    CHARTS_RUN,
    RUN,
    SFT_RUN,
    SYNC_END,
    SYNC_LAUNCH,
    flags,
    instead,
    without,
)
from tests.faults.trees import Edit, Fault, Maker, swap, write

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


def last(line: str) -> Edit:
    """A flag at the end of the synchronous launch, where it wins."""
    end = '"${EVAL_ARGS[@]}" \\\n        2>&1 | tee "logs/${EXP_NAME}.log"\nfi\n'
    return swap(RUN, end, end.replace(" 2>&1", f" {line} \\\n        2>&1"))


def _batch() -> list[Fault]:
    made = Maker("RLX407", "text", RUN, "error|warning", may=("RLX412",))
    sizes = ("--global-batch-size", "--rollout-batch-size", "--n-samples-per-prompt")
    made("half", sizes, instead("--global-batch-size 256", "--global-batch-size 128"))
    made(
        "double",
        sizes,
        instead("--global-batch-size 256", "--global-batch-size 512"),
        severity="error",
        may=("RLX505",),
    )
    made(
        "not-a-divisor",
        sizes,
        instead("--global-batch-size 256", "--global-batch-size 96"),
        severity="error",
        may=("RLX416", "RLX505"),
    )
    made("rollout-doubled", sizes, instead("--rollout-batch-size 32", "--rollout-batch-size 64"))
    made("samples-halved", sizes, instead("--n-samples-per-prompt 8", "--n-samples-per-prompt 16"))
    made("equals-form", sizes, instead("--global-batch-size 256", "--global-batch-size=64"))
    made("arithmetic", sizes, instead("--global-batch-size 256", "--global-batch-size $((32 * 4))"))
    made(
        "variable",
        (*sizes, "BATCH="),
        instead("--global-batch-size 256", '--global-batch-size "${BATCH}"'),
        swap(RUN, "ROLLOUT_ARGS=(", "BATCH=128\nROLLOUT_ARGS=("),
    )
    made("default-value", sizes, instead("--global-batch-size 256", "--global-batch-size ${UNUSUAL:+}128"))
    made(
        "only-in-sync",
        (*sizes[1:], "--global-batch-size 128", "--global-batch-size 256"),
        last("--global-batch-size 128"),
        may=("RLX503",),
    )
    made(
        "steps-do-not-fit",
        (*sizes, "--num-steps-per-rollout"),
        flags("--num-steps-per-rollout 4"),
        severity="error",
        may=("RLX505",),
    )
    made(
        "samples-default",
        sizes[:2],
        without("--n-samples-per-prompt 8"),
        severity="error",
        may=("RLX505", "RLX415", "RLX416"),
    )
    made(
        "async-without-rollout-batch",
        "--n-samples-per-prompt 8",
        without("--rollout-batch-size 32"),
        inline("--rollout-batch-size 32"),
        severity="error",
        may=("RLX505",),
    )
    made(
        "appended",
        (*sizes[1:], "--global-batch-size 64", "--global-batch-size 256"),
        swap(RUN, "mkdir -p logs\n", "ROLLOUT_ARGS+=(--global-batch-size 64)\nmkdir -p logs\n"),
        may=("RLX503",),
    )
    made(
        "in-function",
        'ROLLOUT_ARGS+=(--global-batch-size "$1")',
        without("--global-batch-size 256"),
        swap(
            RUN,
            "mkdir -p logs\n",
            'sizes() {\n    ROLLOUT_ARGS+=(--global-batch-size "$1")\n}\nsizes 128\nmkdir -p logs\n',
        ),
    )
    made(
        "case",
        "*) ROLLOUT_ARGS+=(--global-batch-size 128) ;;",
        without("--global-batch-size 256"),
        swap(
            RUN,
            "mkdir -p logs\n",
            'case "${MODE}" in\nasync) ROLLOUT_ARGS+=(--global-batch-size 256) ;;\n'
            "*) ROLLOUT_ARGS+=(--global-batch-size 128) ;;\nesac\nmkdir -p logs\n",
        ),
    )
    made(
        "sourced",
        "examples/arith/sizes.sh|--global-batch-size",
        without("--global-batch-size 256"),
        write("examples/arith/sizes.sh", "SIZE_ARGS=(\n    --global-batch-size 128\n)\n"),
        swap(RUN, "CKPT_ARGS=(", 'source "${SCRIPT_DIR}/sizes.sh"\nCKPT_ARGS=('),
        swap(RUN, '"${MODEL_ARGS[@]}"', '"${MODEL_ARGS[@]}" "${SIZE_ARGS[@]}"', 2),
        path="examples/arith/sizes.sh",
    )
    return made.made


def _media() -> list[Fault]:
    made = Maker("RLX410", "vision", CHARTS_RUN, may=("RLX702", "RLX705", "RLX704", "RLX706", "RLX505", "RLX502"))
    keys = """    --multimodal-keys '{"image":"image"}'\n"""

    def keyed(name: str, text: str, **more: str) -> None:
        made(name, ("--multimodal-keys",), swap(CHARTS_RUN, keys, f"    --multimodal-keys {text}\n"), **more)  # type: ignore[arg-type]

    made("dropped", '--prompt-data "${PROMPT_SET}"', swap(CHARTS_RUN, keys, ""))
    made("commented-out", '--prompt-data "${PROMPT_SET}"', swap(CHARTS_RUN, keys, "    # " + keys.strip() + "\n"))
    made(
        "only-in-async",
        '--prompt-data "${PROMPT_SET}"',
        swap(CHARTS_RUN, keys, ""),
        swap(CHARTS_RUN, "        --fully-async \\\n", "        --fully-async \\\n    " + keys.rstrip() + " \\\n"),
    )
    keyed("key-of-verl", """'{"images":"image"}'""")
    keyed("unknown-media", """'{"picture":"image"}'""")
    keyed("one-of-two-unknown", """'{"image":"image","depth":"image"}'""")
    keyed("capital", """'{"Image":"image"}'""")
    made(
        "known-from-conversion-script",
        '--prompt-data "${PROMPT_SET}"',
        swap(CHARTS_RUN, keys, ""),
        swap(CHARTS_RUN, "${DATA_DIR}/charts/train.parquet", "${DATA_DIR}/elsewhere/train.parquet"),
        swap(CHARTS_RUN, "${DATA_DIR}/charts/test.parquet", "${DATA_DIR}/elsewhere/test.parquet"),
    )
    return made.made


def _ref_actor() -> list[Fault]:
    made = Maker("RLX411", "text", RUN, "error")
    made("missing", '--resource \'{"actor": [1, 4],', swap(RUN, REF, ""))
    made("commented", '--resource \'{"actor": [1, 4],', swap(RUN, REF, "        $(: ref-actor-config) \\\n"))
    made(
        "not-json",
        "--ref-actor-config",
        swap(
            RUN,
            """'{"tensor_model_parallel_size": 1, "sequence_parallel": false}'""",
            """'{"tensor_model_parallel_size": 1, "sequence_parallel": False}'""",
        ),
        severity="error",
        may=("RLX502",),
    )
    made(
        "single-quotes",
        "--ref-actor-config",
        swap(
            RUN,
            """'{"tensor_model_parallel_size": 1, "sequence_parallel": false}'""",
            """"{'tensor_model_parallel_size': 1}\"""",
        ),
        severity="error",
        may=("RLX502",),
    )
    made(
        "trailing-comma",
        "--ref-actor-config",
        swap(RUN, """1, "sequence_parallel": false}'""", """1,}'"""),
        severity="error",
        may=("RLX502",),
    )
    made(
        "key-without-effect",
        "--ref-actor-config",
        swap(RUN, """"sequence_parallel": false}'""", """"sequence_parallel": false, "tp": 1}'"""),
        severity="advice",
    )
    made(
        "dashes-in-key",
        "--ref-actor-config",
        swap(RUN, """'{"tensor_model_parallel_size": 1,""", """'{"tensor-model-parallel-size": 1,"""),
        severity="advice",
        may=("RLX416",),
    )
    made(
        "in-sync-only",
        '--resource \'{"actor": [1, 4],',
        swap(RUN, REF, ""),
        swap(RUN, "        --colocate \\\n", "        --colocate \\\n" + REF),
        may=("RLX508",),
    )
    return made.made


def _resource() -> list[Fault]:
    made = Maker("RLX412", "text", RUN, may=("RLX505", "RLX502", "RLX416", "RLX508", "RLX417"))
    a, s = '"actor": [1, 4]', '"actor": [1, 8]'
    made(
        "missing-in-sync",
        "python3 relax/entrypoints/train.py \\\n        --max-staleness 0 \\",
        swap(RUN, f"        --resource {SYNC_RESOURCE} \\\n", ""),
    )
    made(
        "missing-in-async",
        "python3 relax/entrypoints/train.py \\\n        --max-staleness 3 \\",
        swap(RUN, f"        --resource {ASYNC_RESOURCE} \\\n", ""),
        may=("RLX411",),
    )
    made("not-json", "actor: [1, 8]", sync_roles("'{actor: [1, 8], rollout: [1, 8]}'"))
    made("python-quotes", "'actor'", sync_roles("\"{'actor': [1, 8], 'rollout': [1, 8]}\""))
    made("not-an-object", "[[1, 8]]", sync_roles("'[[1, 8]]'"))
    made("entry-a-number", '"actor": 8', sync_roles("""'{"actor": 8, "rollout": [1, 8]}'"""))
    made("entry-of-one", '"actor": [8]', sync_roles("""'{"actor": [8], "rollout": [1, 8]}'"""))
    made("entry-of-three", "[1, 8, 0]", sync_roles("""'{"actor": [1, 8, 0], "rollout": [1, 8]}'"""))
    made("entry-nodes", "[2, 8]", sync_roles("""'{"actor": [2, 8], "rollout": [2, 8]}'"""))
    made(
        "entry-negative",
        "[1, -1]",
        async_roles("""'{"actor": [1, 4], "rollout": [1, 2], "reference": [1, 2], "advantages": [1, -1]}'"""),
    )
    made("entry-text", '"8"', sync_roles("""'{"actor": [1, "8"], "rollout": [1, "8"]}'"""))
    made(
        "actor-zero",
        '"actor": [1, 0]',
        async_roles("""'{"actor": [1, 0], "rollout": [1, 2], "reference": [1, 2], "advantages": [1, 0]}'"""),
    )
    made("no-rollout-in-sync", s, sync_roles("""'{"actor": [1, 8]}'"""))
    made("no-actor-in-sync", '"rollout": [1, 8]', sync_roles("""'{"rollout": [1, 8]}'"""))
    made(
        "no-reference-in-async",
        a,
        async_roles("""'{"actor": [1, 4], "rollout": [1, 2], "advantages": [1, 0]}'"""),
        may=("RLX411", "RLX508"),
    )
    made("no-rollout-in-async", a, async_roles("""'{"actor": [1, 4], "reference": [1, 2], "advantages": [1, 0]}'"""))
    made(
        "no-advantages",
        a,
        async_roles("""'{"actor": [1, 4], "rollout": [1, 2], "reference": [1, 2]}'"""),
        severity="warning",
    )
    made(
        "no-actor-fwd",
        (a, "--global-batch-size", "--num-steps-per-rollout"),
        instead("--global-batch-size 256", "--global-batch-size 128"),
        flags("--num-steps-per-rollout 2"),
        may=("RLX407",),
    )
    made("role-misspelt", '"roll_out"', sync_roles("""'{"actor": [1, 8], "roll_out": [1, 8]}'"""))
    made("counts-differ", '"rollout": [1, 4]', sync_roles("""'{"actor": [1, 8], "rollout": [1, 4]}'"""))
    made("twelve", "[1, 12]", sync_roles("""'{"actor": [1, 12], "rollout": [1, 12]}'"""))
    made(
        "variable",
        '--resource "${ROLES}"',
        sync_roles('"${ROLES}"'),
        swap(RUN, "mkdir -p logs\n", """ROLES='{"actor": [1, 8]}'\nmkdir -p logs\n"""),
    )
    made("escaped", '\\"actor\\": [1, 8], \\"rollout\\": 8', sync_roles('"{\\"actor\\": [1, 8], \\"rollout\\": 8}"'))
    made(
        "superfluous-actor-fwd",
        "actor_fwd",
        async_roles(
            """'{"actor": [1, 4], "rollout": [1, 2], "reference": [1, 1], "actor_fwd": [1, 1], "advantages": [1, 0]}'"""
        ),
        severity="advice",
    )
    sft = Maker("RLX412", "sft", SFT_RUN, may=("RLX505", "RLX416"))
    sft("no-sft-role", '"actor": [1, 8]', swap(SFT_RUN, SFT_RESOURCE, """'{"actor": [1, 8]}'"""))
    sft("no-actor", '"sft": [1, 0]', swap(SFT_RUN, SFT_RESOURCE, """'{"sft": [1, 0]}'"""))
    sft(
        "missing",
        "python3 relax/entrypoints/train.py \\\n    --num-data-storage-units 1 \\",
        swap(SFT_RUN, f"    --resource {SFT_RESOURCE} \\\n", ""),
    )
    return [*made.made, *sft.made]


def _mode() -> list[Fault]:
    made = Maker(
        "RLX413", "text", RUN, may=("RLX412", "RLX405", "RLX411", "RLX414", "RLX415", "RLX505", "RLX508", "RLX416")
    )
    made(
        "both-inline",
        ("--fully-async --colocate",),
        swap(RUN, "        --fully-async \\\n", "        --fully-async --colocate \\\n"),
    )
    made(
        "both-apart",
        ("--fully-async", "    --colocate  # all"),
        swap(RUN, "        --colocate \\\n", ""),
        flags("--colocate  # all"),
    )
    made("neither-in-sync", SYNC_LAUNCH, swap(RUN, "        --colocate \\\n", ""), severity="warning")
    made("neither-in-async", ASYNC_LAUNCH, swap(RUN, "        --fully-async \\\n", ""), severity="warning")
    made(
        "neither-anywhere",
        BOTH_LAUNCHES,
        swap(RUN, "        --colocate \\\n", ""),
        swap(RUN, "        --fully-async \\\n", ""),
        severity="warning",
    )
    made(
        "colocate-misspelt",
        SYNC_LAUNCH,
        swap(RUN, "        --colocate \\\n", "        --co-locate \\\n"),
        severity="warning",
        also=("RLX501",),
    )
    made(
        "balance-in-async",
        "--balance-data \\\n        --use-health-check \\",
        swap(RUN, "        --fully-async \\\n", "        --fully-async \\\n        --balance-data \\\n"),
        severity="advice",
    )
    made("balance-for-both", "--balance-data", swap(RUN, SYNC_END, ""), flags("--balance-data"), severity="advice")
    sft = Maker("RLX413", "sft", SFT_RUN, may=("RLX505", "RLX412", "RLX508"))
    sft(
        "both",
        "--num-data-storage-units 1 --colocate --fully-async",
        swap(
            SFT_RUN,
            "    --num-data-storage-units 1 \\\n",
            "    --num-data-storage-units 1 --colocate --fully-async \\\n",
        ),
    )
    return [*made.made, *sft.made]


FAULTS = [*_batch(), *_media(), *_ref_actor(), *_resource(), *_mode()]
