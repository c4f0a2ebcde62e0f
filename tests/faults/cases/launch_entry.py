"""RLX401 to RLX406, RLX408, RLX409: how a launcher starts Relax, and what it must name."""

from __future__ import annotations

from tests.faults.cases.places import (
    BOTH_LAUNCHES,
    RM_PATH,
    RUN,
    SFT_RUN,
    SYNC_LAUNCH,
    flags,
    instead,
    plain_reward,
    without,
)
from tests.faults.trees import Edit, Fault, Maker, append, remove, swap, write

START = "    python3 relax/entrypoints/train.py \\\n"
SYNC = "else\n" + START
ASYNC = "; then\n" + START
OLD = "examples/arith/run_old.sh"


def started(new: str, which: str = SYNC) -> Edit:
    """Start Relax in another way."""
    return swap(RUN, which, which.replace("    python3 relax/entrypoints/train.py", new))


def _verl() -> list[Fault]:
    made = Maker("RLX401", "text", RUN, may=("RLX405", "RLX421", "RLX402", "RLX423"))
    main = "python3 -m verl.trainer.main_ppo"
    made("appended", main, append(RUN, f"\n{main} data.train_batch_size=8\n"))
    made(
        "wrapped",
        "main_ppo",
        append(RUN, "\nnohup python3 -u -m verl.trainer.main_ppo data.train_batch_size=8 > logs/old.log 2>&1 &\n"),
    )
    made("recipe", "recipe.dapo", append(RUN, "\npython3 -m recipe.dapo.main_dapo data.train_batch_size=8\n"))
    made(
        "torchrun",
        "fsdp_sft_trainer",
        append(
            RUN, "\ntorchrun --standalone --nproc_per_node=8 -m verl.trainer.fsdp_sft_trainer data.micro_batch_size=4\n"
        ),
    )
    made(
        "in-function",
        "main_ppo",
        append(RUN, "\nold() {\n    python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo\n}\nold\n"),
    )
    made(
        "variable",
        'python3 -m "${ENTRY}" algorithm.adv_estimator=grpo',
        append(RUN, '\nENTRY=verl.trainer.main_ppo\npython3 -m "${ENTRY}" algorithm.adv_estimator=grpo\n'),
    )
    made(
        "ray-job",
        "main_ppo",
        append(RUN, "\nray job submit --address=http://127.0.0.1:8265 -- python3 -m verl.trainer.main_ppo a.b=1\n"),
    )
    made("file", "main_ppo.py", append(RUN, "\npython3 verl/trainer/main_ppo.py algorithm.adv_estimator=grpo\n"))
    made(
        "environment-before",
        "main_ppo",
        append(RUN, "\nCUDA_VISIBLE_DEVICES=0 PYTHONUNBUFFERED=1 python -m verl.trainer.main_ppo a.b=1\n"),
    )
    made(
        "another-launcher",
        "verl.trainer",
        write(
            OLD,
            "#!/bin/bash\nset -ex\nset -o pipefail\npython3 -m verl.trainer.main_ppo \\\n"
            "    algorithm.adv_estimator=grpo\n",
        ),
        path=OLD,
        may=("RLX802", "RLX409", "RLX419", "RLX418", "RLX420"),
    )
    made(
        "in-branch",
        "verl.trainer",
        swap(RUN, SYNC, 'elif [ -n "${OLD:-}" ]; then\n    python3 -m verl.trainer.main_ppo a.b=1\n' + SYNC),
    )
    sft = Maker("RLX401", "sft", SFT_RUN, may=("RLX402", "RLX421"))
    sft(
        "sft-trainer",
        "verl.trainer",
        append(SFT_RUN, "\ntorchrun -m verl.trainer.sft_trainer data.train_batch_size=8\n"),
    )
    return [*made.made, *sft.made]


def _hydra() -> list[Fault]:
    made = Maker("RLX402", "text", RUN, may=("RLX501",))
    made("in-array", "data.train_batch_size=8", flags("data.train_batch_size=8"))
    made(
        "inline",
        "algorithm.adv_estimator=grpo",
        swap(RUN, "        --colocate \\\n", "        --colocate \\\n        algorithm.adv_estimator=grpo \\\n"),
    )
    made("plus", "+data.max=3", flags("+data.max=3"))
    made("double-plus", "++trainer.total_epochs=3", flags("++trainer.total_epochs=3"))
    made("tilde", "~trainer.logger", flags("~trainer.logger=console"))
    made("config-path", "--config-path", flags("--config-path config"))
    made("config-name", "--config-name=ppo", flags("--config-name=ppo_trainer"))
    made(
        "variable",
        ("trainer.save_freq", "${HYDRA}"),
        swap(RUN, "ROLLOUT_ARGS=(", 'HYDRA="trainer.save_freq=20"\nROLLOUT_ARGS=('),
        flags('"${HYDRA}"'),
    )
    made(
        "appended-to-array",
        "trainer.test_freq",
        swap(RUN, "mkdir -p logs\n", "ROLLOUT_ARGS+=(trainer.test_freq=5)\nmkdir -p logs\n"),
    )
    made("quoted-value", "data.train_files", flags("data.train_files=\"['/data/a.parquet']\""))
    made(
        "only-in-async",
        "actor_rollout_ref.rollout.n=5",
        swap(RUN, "        --fully-async \\\n", "        --fully-async \\\n        actor_rollout_ref.rollout.n=5 \\\n"),
    )
    sft = Maker("RLX402", "sft", SFT_RUN, may=("RLX501",))
    sft("sft", "optim.lr=1e-5", swap(SFT_RUN, '    "${MISC_ARGS[@]}"', '    optim.lr=1e-5 \\\n    "${MISC_ARGS[@]}"'))
    return [*made.made, *sft.made]


def _entry() -> list[Fault]:
    made = Maker("RLX403", "text", RUN, "warning")
    made("module", "-m relax.entrypoints.train", started("    python3 -m relax.entrypoints.train"))
    made("module-joined", "-mrelax", started("    python3 -u -mrelax.entrypoints.train"))
    made(
        "ray-local",
        "ray job submit",
        started('    ray job submit --address="http://127.0.0.1:8265" -- python3 relax/entrypoints/train.py'),
    )
    made(
        "ray-address-variable",
        "ray job submit",
        started("    RAY_ADDRESS=http://127.0.0.1:8265 ray job submit --no-wait -- python3 relax/entrypoints/train.py"),
    )
    made(
        "ray-localhost",
        "ray job submit",
        started("    ray job submit --address localhost:8265 -- python3 relax/entrypoints/train.py", ASYNC),
    )
    made(
        "ray-variable",
        ("ray job submit", "ADDRESS="),
        started('    ray job submit --address="${ADDRESS}" -- python3 relax/entrypoints/train.py'),
        swap(RUN, "mkdir -p logs\n", "ADDRESS=http://127.0.0.1:8265\nmkdir -p logs\n"),
    )
    made(
        "ray-in-array",
        "SUBMIT=(ray job submit --address=http://127.0.0.1:8265 --)",
        started('    "${SUBMIT[@]}" python3 relax/entrypoints/train.py'),
        swap(RUN, "mkdir -p logs\n", "SUBMIT=(ray job submit --address=http://127.0.0.1:8265 --)\nmkdir -p logs\n"),
    )
    made(
        "ray-module",
        "ray job submit",
        started("    ray job submit --address=http://127.0.0.1:8265 -- python3 -m relax.entrypoints.train"),
    )
    sft = Maker("RLX403", "sft", SFT_RUN, "warning")
    sft("module", "-m relax", swap(SFT_RUN, "python3 relax/entrypoints/train.py", "python3 -m relax.entrypoints.train"))
    sft(
        "ray",
        "ray job submit",
        swap(
            SFT_RUN,
            "python3 relax/entrypoints/train.py",
            "ray job submit --address localhost:8265 -- python3 relax/entrypoints/train.py",
        ),
    )
    env = Maker("RLX404", "text", RUN, "warning", may=("RLX403",))
    env(
        "equals",
        "--runtime-env-json",
        started(
            '    ray job submit --address="http://10.1.2.3:8265" '
            '--runtime-env-json="${RUNTIME_ENV_JSON}" -- python3 relax/entrypoints/train.py'
        ),
    )
    env(
        "two-words",
        "--runtime-env-json",
        started(
            "    ray job submit --address http://10.1.2.3:8265 --runtime-env-json '{\"env_vars\": {}}' "
            "-- python3 relax/entrypoints/train.py"
        ),
    )
    env(
        "local",
        "--runtime-env-json",
        started(
            '    ray job submit --address=auto --runtime-env-json="${RUNTIME_ENV_JSON}" -- python3 '
            "relax/entrypoints/train.py",
            ASYNC,
        ),
        also=("RLX403",),
    )
    env(
        "in-array",
        "--runtime-env-json",
        started('    ray job submit "${RAY_ARGS[@]}" -- python3 relax/entrypoints/train.py'),
        swap(
            RUN,
            "mkdir -p logs\n",
            "RAY_ARGS=(\n    --address=http://10.1.2.3:8265\n    --runtime-env-json '{}'\n)\nmkdir -p logs\n",
        ),
    )
    env(
        "after-entry",
        "--runtime-env-json",
        swap(RUN, "        --colocate \\\n", "        --colocate \\\n        --runtime-env-json '{}' \\\n"),
        may=("RLX501",),
    )
    env.made.append(
        Fault(
            "sft",
            "sft",
            "RLX404",
            SFT_RUN,
            ("--runtime-env-json",),
            (
                swap(
                    SFT_RUN,
                    "python3 relax",
                    "ray job submit --address=http://10.1.2.3:8265 --runtime-env-json='{}' -- python3 relax",
                ),
            ),
            "warning",
        )
    )
    return [*made.made, *sft.made, *env.made]


def _dual() -> list[Fault]:
    made = Maker("RLX405", "text", RUN, "warning", may=("RLX801",))
    mode = 'MODE=${1:-${MODE:-"sync"}}\n'
    made("argument-ignored", 'MODE=${MODE:-"sync"}', swap(RUN, mode, 'MODE=${MODE:-"sync"}\n'))
    made("environment-ignored", 'MODE=${1:-"sync"}', swap(RUN, mode, 'MODE=${1:-"sync"}\n'))
    made("fixed", "MODE=sync", swap(RUN, mode, "MODE=sync\n"))
    made("async-by-default", 'MODE=${1:-${MODE:-"async"}}', swap(RUN, mode, 'MODE=${1:-${MODE:-"async"}}\n'))
    made("second-argument", 'MODE=${2:-${MODE:-"sync"}}', swap(RUN, mode, 'MODE=${2:-${MODE:-"sync"}}\n'))
    made(
        "other-word",
        'MODE=${1:-${MODE:-"sync"}}',
        swap(RUN, '[ "${MODE}" = "async" ]', '[ "${MODE}" = "fully_async" ]'),
    )
    made("capital-word", 'MODE=${1:-${MODE:-"sync"}}', swap(RUN, '[ "${MODE}" = "async" ]', '[ "${MODE}" = "Async" ]'))
    made("reversed", 'MODE=${1:-${MODE:-"sync"}}', swap(RUN, '[ "${MODE}" = "async" ]', '[ "${MODE}" != "async" ]'))
    made(
        "both-colocate",
        'MODE=${1:-${MODE:-"sync"}}',
        swap(RUN, "        --fully-async \\\n", "        --colocate \\\n"),
        may=("RLX411", "RLX412", "RLX413", "RLX414", "RLX415", "RLX508", "RLX505"),
    )
    made("exits-in-async", 'MODE=${1:-${MODE:-"sync"}}', swap(RUN, ASYNC, "; then\n    exit 0\n" + START))
    made(
        "only-sync",
        'MODE=${1:-${MODE:-"sync"}}',
        swap(RUN, 'if [ "${MODE}" = "async" ]; then\n', "if false; then\n"),
    )
    made(
        "case-lacks-sync",
        'MODE=${1:-${MODE:-"sync"}}',
        swap(RUN, 'if [ "${MODE}" = "async" ]; then\n', 'case "${MODE}" in\nasync)\n'),
        swap(RUN, SYNC, "    ;;\ncolocate)\n" + START),
        swap(RUN, '.log"\nfi\n', '.log"\n    ;;\nesac\n'),
    )
    made("mode-overwritten", "MODE=sync", swap(RUN, "mkdir -p logs\n", "MODE=sync\nmkdir -p logs\n"))
    return made.made


def _optimizer() -> list[Fault]:
    made = Maker("RLX406", "text", RUN, "warning")
    where = ("OPTIMIZER_ARGS=(", "--optimizer adam", "--lr 1e-6")
    made("no-offload", where, without("--optimizer-cpu-offload"))
    made("no-overlap", where, without("--overlap-cpu-optimizer-d2h-h2d"))
    made(
        "no-precision",
        (*where, "--optimizer-cpu-offload"),
        without("--use-precision-aware-optimizer"),
        severity="error",
    )
    made("commented-out", where, instead("--optimizer-cpu-offload", "# --optimizer-cpu-offload"))
    made(
        "all-three",
        where,
        swap(
            RUN,
            "    --optimizer-cpu-offload\n    --overlap-cpu-optimizer-d2h-h2d\n    --use-precision-aware-optimizer\n",
            "",
        ),
    )
    made(
        "in-array-not-passed",
        (*where, "OFFLOAD_ARGS=("),
        swap(
            RUN,
            "    --optimizer-cpu-offload\n    --overlap-cpu-optimizer-d2h-h2d\n"
            "    --use-precision-aware-optimizer\n)\n",
            ")\n\nOFFLOAD_ARGS=(\n    --optimizer-cpu-offload\n"
            "    --overlap-cpu-optimizer-d2h-h2d\n    --use-precision-aware-optimizer\n)\n",
        ),
        also=("RLX421",),
    )
    made(
        "only-in-sync",
        (*where, "--fully-async", '{"actor": [1, 4]'),
        without("--overlap-cpu-optimizer-d2h-h2d"),
        swap(RUN, "        --colocate \\\n", "        --colocate \\\n        --overlap-cpu-optimizer-d2h-h2d \\\n"),
    )
    made(
        "in-branch",
        where,
        without("--overlap-cpu-optimizer-d2h-h2d"),
        swap(
            RUN,
            "mkdir -p logs\n",
            'if [ "${MODE}" = "async" ]; then\n'
            "    OPTIMIZER_ARGS+=(--overlap-cpu-optimizer-d2h-h2d)\nfi\nmkdir -p logs\n",
        ),
    )
    made(
        "array-replaced",
        "OPTIMIZER_ARGS=(--optimizer adam --lr 1e-6)",
        swap(RUN, "mkdir -p logs\n", "OPTIMIZER_ARGS=(--optimizer adam --lr 1e-6)\nmkdir -p logs\n"),
    )
    return made.made


def _registered() -> list[Fault]:
    made = Maker("RLX408", "text", RUN, may=("RLX201", "RLX802"))
    made(
        "neither",
        BOTH_LAUNCHES,
        without(RM_PATH),
        without("--reward-key score"),
        without("--metadata-key extra_info"),
        may=("RLX707",),
        severity="error",
    )
    made(
        "commented-out",
        BOTH_LAUNCHES,
        instead(RM_PATH, f"# {RM_PATH}"),
        without("--reward-key score"),
        severity="error",
    )
    made(
        "sync-lacks-it",
        SYNC_LAUNCH,
        without(RM_PATH),
        without("--reward-key score"),
        swap(RUN, "        --fully-async \\\n", f"        --fully-async {RM_PATH} --reward-key score \\\n"),
        severity="error",
    )
    made("both", "--rm-type math", flags("--rm-type math"), severity="warning", may=("RLX508",))
    made(
        "both-apart",
        "--colocate --rm-type=dapo",
        swap(RUN, "        --colocate \\\n", "        --colocate --rm-type=dapo \\\n"),
        severity="warning",
        may=("RLX508",),
    )
    made(
        "plain-number-and-type",
        "--rm-type f1",
        *plain_reward(),
        flags("--rm-type f1", below="    --apply-chat-template\n"),
        severity="warning",
        may=("RLX508",),
    )
    return made.made


def _conversion() -> list[Fault]:
    made = Maker("RLX409", "text", RUN, "warning")
    named = "#   1. Convert data:  python3 scripts/tools/process_arith.py \\\n"
    made(
        "not-named",
        "# Usage: bash examples/arith/run_arith.sh [sync|async]",
        swap(RUN, named, "#   1. Convert data:  see the wiki \\\n"),
    )
    made(
        "other-name",
        "# Usage: bash examples/arith/run_arith.sh [sync|async]",
        swap(RUN, "process_arith.py", "convert_arith.py"),
        may=("RLX409",),
    )
    made(
        "does-not-exist",
        "#   1. Convert data:  python3 scripts/tools/process_arith.py",
        remove("scripts/tools/process_arith.py"),
        may=("RLX802",),
    )
    made(
        "misspelt",
        "#   1. Convert data:  python3 scripts/tools/process_aritm.py",
        swap(RUN, "process_arith.py", "process_aritm.py"),
    )
    made(
        "below-the-header",
        "# Usage: bash examples/arith/run_arith.sh [sync|async]",
        swap(RUN, named, "#   1. Convert data first \\\n"),
        append(RUN, "# python3 scripts/tools/process_arith.py\n"),
    )
    made(
        "in-other-folder",
        "# Usage: bash examples/arith/run_arith.sh [sync|async]",
        swap(RUN, "scripts/tools/process_arith.py", "tools/process_arith.py"),
    )
    return made.made


FAULTS = [*_verl(), *_hydra(), *_entry(), *_dual(), *_optimizer(), *_registered(), *_conversion()]
