"""Relax is started in another way than `python3 relax/entrypoints/train.py`.

## What

A launch that names the entry point as a module (`python3 -m relax.entrypoints.train`), that hands it to
`ray job submit` on the machine it already runs on, or that starts it through torchrun or accelerate. Submitting to
another machine is how several nodes are used and is left alone, as is an address that only the environment knows.

A command that was to launch and does not: a path or a module that is nearly the entry point's, or that is below
`relax/` or in the repository, and is not there; a path behind `-m`, which takes modules, and the module's name without
it; the path without `python3`, or behind `pythn3` or a shell; a command that is one word in quotes, or of which
`bash -c` gets the first alone; a launch in a directory from which the path leads nowhere. Where nothing but a likeness
tells so, that takes flags that only a training has, or a recipe that launches nothing else. Other programs of Relax,
wrappers and programs in variables are left alone.

## Why

The entry points below `scripts/entrypoint` have started Ray by the time the launcher gets here. A submission to the
same machine adds a second environment that hides the launcher's, and gives the launcher an exit status that is not the
run's once somebody adds `--no-wait`. torchrun starts as many controllers as there are GPUs. Tools that look for the
entry point's path do not find a module name. A command that finds no program trains nothing.

## Source

Guide: ALWAYS use `python3 relax/entrypoints/train.py` directly for both modes; key conversion rule 1.

## Example

    ray job submit --address="http://127.0.0.1:8265" -- python3 -m relax.entrypoints.train --colocate

## Fix

Starts the path directly, in the directory that the launcher is in, and puts a misspelt path right; unsafe where that
is more than a slip of one letter. Unsafe where that would lose something: an address that the environment can change,
options such as `--no-wait` or `--submission-id`, be they in a variable, the id of the job where the launcher reads
it, a `--runtime-env-json` that holds more than the entry points set, or a job that starts in another machine's
directory; and where RAY_ADDRESS stays exported as `http://…`, which `ray job submit` understands and `ray.init` does
not. `${RAY_NO_WAIT:+--no-wait}` and `${WORKING_DIR:+--working-dir "${WORKING_DIR}"}`, which Relax's own launchers
have and the guide takes out, do not keep it from being safe: nothing changes while these are not set, and `--fix`
says what they do no more.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterator, Sequence

from relax_lint.diagnostics import Edit, Finding, Fix, NotChecked, Place
from relax_lint.entry_slips import ENTRY, MODULE, entry_slips, names_no_module
from relax_lint.fixers.entry_words import by_path, module_words
from relax_lint.fixers.ray_submit import (
    Submission,
    address_prefix,
    irreplaceable,
    is_this_machine,
    lost_without_submission,
    runtime_environments,
    submission,
    without_effect,
)
from relax_lint.project import Project
from relax_lint.rules import WARNING, Example, rule
from relax_lint.shell.launch import Launch, Word, entry_name
from relax_lint.shell.queries import place_of, program, start_of, why_unknown
from relax_lint.sources.launcher import LauncherSource

_SPAWNERS = ("torchrun", "accelerate", "mpirun", "deepspeed", "torch.distributed.run", "torch.distributed.launch")

_TRAIN = "python3 relax/entrypoints/train.py"
_RUN = "examples/demo/run_demo.sh"
_HEAD = "#!/bin/bash\nset -eo pipefail\n"

VALID: list[Example | str] = [
    "python3 relax/entrypoints/train.py --lr 1e-6\n",
    "set -ex\npython3 relax/entrypoints/train.py \\\n    --lr 1e-6 \\\n    --colocate 2>&1 | tee train.log\n",
    (
        'SCRIPT_DIR="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" &>/dev/null && pwd)"\n'
        "python3 ${SCRIPT_DIR}/../../relax/entrypoints/train.py --lr 1e-6\n"
    ),
    "ray job submit --address=http://10.12.0.4:8265 -- python3 relax/entrypoints/train.py --lr 1e-6\n",
    'ray job submit --address="http://${HEAD_IP}:8265" \\\n    -- python3 relax/entrypoints/train.py --lr 1e-6\n',
    'ray job submit --address="http://ray-head.cluster.local:8265" -- python3 relax/entrypoints/train.py --lr 1e-6\n',
    "export RAY_ADDRESS=http://10.12.0.4:8265\nray job submit -- python3 relax/entrypoints/train.py --lr 1e-6\n",
    "export RAY_ADDRESS\nray job submit -- python3 relax/entrypoints/train.py --lr 1e-6\n",
    "nohup python3 -u relax/entrypoints/train.py --lr 1e-6 > train.log 2>&1 &\nwait\n",
    "ray job submit --address=http://127.0.0.1:8265 -- python3 scripts/tools/process_demo.py --input-dir /data\n",
    (
        "python3 -m relax.utils.quant_cast.convert_moe_int4_to_bf16 --model /m\npython3 "
        "relax/entrypoints/train.py --lr 1\n"
    ),
    (
        "# ray job submit --address=http://127.0.0.1:8265 -- python3 -m relax.entrypoints.train\n"
        "PYTHONUNBUFFERED=1 python3 relax/entrypoints/train.py --lr 1e-6\n"
    ),
    (
        "HOST=$(hostname -I | awk '{print $1}')\n"
        'ray job submit --address="http://${HOST}:8265" -- python3 relax/entrypoints/train.py --lr 1e-6\n'
    ),
    "python3 -m verl.trainer.main_ppo trainer.nnodes=1\n",
    'python3 "$TRAIN" --rollout-batch-size 32\n',
    "$LAUNCH relax/entrypoint/train.py --rollout-batch-size 32\n",
    "with_gpus relax/entrypoints/train.py --rollout-batch-size 32\n",
    "vim relax/entrypoint/train.py\nls -l relax/entrypoints/train.py\n",
    "ipython relax/entrypoints/train.py --rollout-batch-size 32\n",
    "echo python3 relax/entrypoint/train.py --rollout-batch-size 32\n",
    f"python3 relax/entrypoints/trains.py --show\n{_TRAIN} --lr 1e-6\n",
    f"python3 -m relax.tools.convert --hf-checkpoint /m --save /m2\n{_TRAIN} --lr 1e-6\n",
    'CMD="python3 relax/entrypoints/train.py --lr 1e-6"\necho "$CMD"\neval "$CMD"\n$CMD\nbash -c "$CMD"\n',
    f"bash scripts/train.sh\nbash -c python3\nsource train.py/env.sh\n{_TRAIN} --lr 1e-6\n",
    "python3 /root/slime/train.py --rollout-batch-size 32\n",
    'python3 "$SLIME/train.py" --rollout-batch-size 32\n',
    'cd "$SLIME"\npython3 train.py --rollout-batch-size 32\n',
    f"cd /workspace/Relax\n{_TRAIN} --lr 1e-6\n",
    f'[ -n "$1" ] && cd examples/demo\n{_TRAIN} --lr 1e-6\n',
    f'cd "$RELAX"\n{_TRAIN} --lr 1e-6\n',
    f"git clone u Relax\ncd Relax\n{_TRAIN} --lr 1e-6\n",
    Example({_RUN: "python3 train.py --rollout-batch-size 32\n", "train.py": ""}),
    Example({_RUN: "python3 -m relax.train --rollout-batch-size 32\n", "relax/train.py": ""}),
    Example({_RUN: "python3 -m relax.trainers --colocate\n", "relax/trainers/__main__.py": ""}),
    Example({_RUN: "python3 relax/entrypoints/serve.py --colocate\n", "relax/entrypoints/serve.py": ""}),
]

_PUT_RIGHT = [
    ("python3 relax\\entrypoints\\train.py", 9),
    ('python3 "relax\\entrypoints\\train.py"', 9),
    ("python3 relax/entrypoints/ train.py", 9),
    ("python3 relax/ entrypoints/train.py", 9),
    ("python3 relax/entrypoints/train.py\u200b", 9),
    ("python3 \u00a0relax/entrypoints/train.py", 9),
    ("python3\u00a0relax/entrypoints/train.py", 1),
    ("python3\u200b relax/entrypoints/train.py", 1),
    ("bash relax/entrypoints/train.py", 1),
    (". relax/entrypoints/train.py", 1),
    ("bash -c python3 relax/entrypoints/train.py", 1),
    ("python3 relax.entrypoints.train", 9),
    ("python3 -m relax/entrypoints/train.py", 12),
]
_SAID = [
    ("bash -x relax/entrypoints/train.py --lr 1", (1, 1)),
    ("sh -ec python3 relax/entrypoints/train.py --lr 1", (1, 1)),
    ('"python3 relax/entrypoints/train.py" --lr 1', (1, 1)),
    ('CMD="A=1 python3 relax/entrypoints/train.py --load $X"\n"$CMD"', (2, 1)),
    ('CMD=(python3 -m relax.entrypoints.train)\nnohup "${CMD[*]}" &', (2, 7)),
]

INVALID = [
    *(Example(f"{start} --lr 1\n", findings=((1, at),), fixed=f"{_TRAIN} --lr 1\n") for start, at in _PUT_RIGHT),
    *(Example(f"{text}\n", findings=(at,)) for text, at in _SAID),
    Example(
        "python3 relax/entrypoint/train.py --rollout-batch-size 32\n",
        findings=((1, 9),),
        fixed="python3 relax/entrypoints/train.py --rollout-batch-size 32\n",
    ),
    Example('python3 relax/entrypoints/train_async.py "$@"\n', findings=((1, 9),)),
    Example("python3 train.py --rollout-batch-size 32\n", findings=((1, 9),)),
    Example(
        "python3 -u relax/train.py --rollout-batch-size 32\n",
        findings=((1, 12),),
        fixed="python3 -u relax/entrypoints/train.py --rollout-batch-size 32\n",
        unsafe=True,
    ),
    Example("python3 relax/entrypoints/train --colocate\n", findings=((1, 9),)),
    Example("python3 -m relax.train --rollout-batch-size 32\n", findings=((1, 12),)),
    Example(
        'ray job submit --address=http://10.0.0.7:8265 -- python3 "$ROOT"/relax/entrypoint/train.py --hybrid\n',
        findings=((1, 58),),
        fixed='ray job submit --address=http://10.0.0.7:8265 -- python3 "$ROOT"/relax/entrypoints/train.py --hybrid\n',
    ),
    Example(
        "torchrun --nproc_per_node 8 relax/trian.py --colocate\n",
        findings=((1, 29),),
    ),
    Example('TRAIN=relax/entrypoints/trian.py\nnohup python3 $TRAIN "${ARGS[@]}" &\n', findings=((2, 15),)),
    Example(
        "relax/entrypoints/train.py --lr 1e-6\n",
        findings=((1, 1),),
        fixed="python3 relax/entrypoints/train.py --lr 1e-6\n",
    ),
    Example(
        "nohup ./relax/entrypoints/train.py --lr 1e-6 &\n",
        findings=((1, 7),),
        fixed="nohup python3 ./relax/entrypoints/train.py --lr 1e-6 &\n",
    ),
    Example(
        "pythn3 relax/entrypoints/train.py --lr 1e-6\n",
        findings=((1, 1),),
        fixed="python3 relax/entrypoints/train.py --lr 1e-6\n",
    ),
    Example(
        {_RUN: f'cd "$(dirname "$0")"\n{_TRAIN} --lr 1e-6\n'},
        findings=((_RUN, 2, 9),),
        fixed={_RUN: 'cd "$(dirname "$0")"\npython3 ../../relax/entrypoints/train.py --lr 1e-6\n'},
    ),
    Example(f"cd /tmp\n{_TRAIN} --lr 1e-6\n", findings=((2, 9),)),
    Example(
        "python3 -m relax.entrypoints.train --lr 1e-6\n",
        findings=((1, 9),),
        fixed="python3 relax/entrypoints/train.py --lr 1e-6\n",
    ),
    Example(
        f"{_HEAD}python3 -u \\\n    -m relax.entrypoints.train \\\n    --lr 1e-6\n",
        findings=((4, 5),),
        fixed=f"{_HEAD}python3 -u \\\n    relax/entrypoints/train.py \\\n    --lr 1e-6\n",
    ),
    Example(
        "python3 -mrelax.entrypoints.train --lr 1e-6\n",
        findings=((1, 9),),
        fixed="python3 relax/entrypoints/train.py --lr 1e-6\n",
    ),
    *(
        Example(
            f"python3 -u {written} --lr 1e-6\n",
            findings=((1, 12),),
            fixed=f"python3 -u {fixed} --lr 1e-6\n",
        )
        for written, fixed in (
            ('-m "relax.entrypoints.train"', '"relax/entrypoints/train.py"'),
            ("-m 'relax.entrypoints.train'", "'relax/entrypoints/train.py'"),
            ('-m"relax.entrypoints.train"', '"relax/entrypoints/train.py"'),
            ("'-m' relax.entrypoints.train", "relax/entrypoints/train.py"),
        )
    ),
    *(
        Example(
            f"python3 {option}{name} --colocate\n",
            findings=((1, 9 if option == "-m" else 9 + len(option)),),
            fixed=f"python3 {'-u ' if 'u' in option else ''}relax/entrypoints/train.py --colocate\n",
        )
        for option in ("-m ", "-m", "-um ")
        for name in ("relax/entrypoints/train.py", "relax.entrypoints.train.py")
    ),
    Example(
        'python3 -m "$ROOT"/relax/entrypoints/train.py --colocate\n',
        findings=((1, 12),),
        fixed='python3 "$ROOT"/relax/entrypoints/train.py --colocate\n',
    ),
    Example(
        "python3 -m relax/entrypoint/train.py --colocate\n",
        findings=((1, 12),),
        fixed="python3 relax/entrypoints/train.py --colocate\n",
    ),
    Example(
        "python3 -um relax.entrypoints.train --lr 1e-6\n",
        findings=((1, 9),),
        fixed="python3 -u relax/entrypoints/train.py --lr 1e-6\n",
    ),
    Example(
        "python3 -Bumrelax.entrypoints.train --lr 1e-6\n",
        findings=((1, 9),),
        fixed="python3 -Bu relax/entrypoints/train.py --lr 1e-6\n",
    ),
    Example(
        'ray job submit --address="http://127.0.0.1:8265" -- python3 relax/entrypoints/train.py --lr 1e-6\n',
        findings=((1, 1),),
        fixed="python3 relax/entrypoints/train.py --lr 1e-6\n",
    ),
    Example(
        'ray job submit ${RAY_NO_WAIT:+--no-wait} --address="http://127.0.0.1:8265" \\\n'
        '   --runtime-env-json="${RUNTIME_ENV_JSON}" \\\n'
        "   -- python3 -m relax.entrypoints.train \\\n"
        "   --colocate \\\n"
        '   "${MODEL_ARGS[@]}"  2>&1 | tee log/demo.log\n',
        findings=((1, 1),),
        fixed="python3 relax/entrypoints/train.py \\\n"
        "   --colocate \\\n"
        '   "${MODEL_ARGS[@]}"  2>&1 | tee log/demo.log\n',
    ),
    Example(
        "mkdir -p log\nif [ ${MODE:-sync} = async ]; then\n"
        "    python3 relax/entrypoints/train.py --fully-async\n"
        "else\n"
        "    ray job submit --address localhost:8265 --working-dir . \\\n"
        "        -- python3 relax/entrypoints/train.py --colocate\n"
        "fi\n",
        findings=((5, 5),),
        fixed="mkdir -p log\nif [ ${MODE:-sync} = async ]; then\n"
        "    python3 relax/entrypoints/train.py --fully-async\n"
        "else\n"
        "    python3 relax/entrypoints/train.py --colocate\n"
        "fi\n",
    ),
    Example(
        "export MASTER_ADDR=127.0.0.1\n"
        'nohup ray job submit --address="http://${MASTER_ADDR}:8265" -- env A=1 python3 -m relax.entrypoints.train \\\n'
        "    --lr 1e-6 > train.log 2>&1 &\n",
        findings=((2, 7),),
        fixed="export MASTER_ADDR=127.0.0.1\n"
        "nohup env A=1 python3 relax/entrypoints/train.py \\\n"
        "    --lr 1e-6 > train.log 2>&1 &\n",
    ),
    Example(
        'RAY_ADDRESS="${RAY_ADDRESS:-http://127.0.0.1:8265}"\n'
        'ray job submit --address="${RAY_ADDRESS}" -- python3 relax/entrypoints/train.py --lr 1e-6\n',
        findings=((2, 1),),
    ),
    Example(
        'RAY_ADDRESS="${RAY_ADDRESS:-http://127.0.0.1:8265}"\n'
        'ray job submit --address="${RAY_ADDRESS}" -- python3 relax/entrypoints/train.py --lr 1e-5\n',
        findings=((2, 1),),
        fixed='RAY_ADDRESS="${RAY_ADDRESS:-http://127.0.0.1:8265}"\npython3 relax/entrypoints/train.py --lr 1e-5\n',
        unsafe=True,
    ),
    Example(
        "ray job submit --no-wait --address=http://0.0.0.0:8265 -- python3 relax/entrypoints/train.py --lr 1e-6\n",
        findings=((1, 1),),
    ),
    *(
        Example(
            f"ray job submit {hidden} --address=http://127.0.0.1:8265 -- {_TRAIN} --lr 1e-6\n",
            findings=((1, 1),),
            fixed=f"{_TRAIN} --lr 1e-6\n",
            unsafe=True,
        )
        for hidden in (
            "${JOB:+--submission-id $JOB}",
            "$SUBMIT_OPTIONS",
            "${NO_WAIT:+--no-wait}",
            "--verbose ${JOB:+--submission-id=$JOB}",
        )
    ),
    Example(
        f"JOB=$(ray job submit --address=auto -- {_TRAIN} --lr 1e-6 | grep -o 'raysubmit_[a-z0-9]*')\n",
        findings=((1, 7),),
        fixed=f"JOB=$({_TRAIN} --lr 1e-6 | grep -o 'raysubmit_[a-z0-9]*')\n",
        unsafe=True,
    ),
    Example(
        f"read -r JOB < <(ray job submit --address=auto -- {_TRAIN} --lr 1e-6)\n",
        findings=((1, 17),),
        fixed=f"read -r JOB < <({_TRAIN} --lr 1e-6)\n",
        unsafe=True,
    ),
    Example(
        f"ray job submit --address=auto -- {_TRAIN} --lr 1e-6 > out\nJOB=$(grep -o 'raysubmit_[a-z0-9]*' out)\n",
        findings=((1, 1),),
        fixed=f"{_TRAIN} --lr 1e-6 > out\nJOB=$(grep -o 'raysubmit_[a-z0-9]*' out)\n",
        unsafe=True,
    ),
    Example(
        'ray job submit ${RAY_NO_WAIT:+--no-wait} ${WORKING_DIR:+--working-dir "${WORKING_DIR}"} \\\n'
        f"    --address=auto -- {_TRAIN} --lr 1e-6\n",
        findings=((1, 1),),
        fixed=f"{_TRAIN} --lr 1e-6\n",
    ),
    Example(
        "ray job submit --address=http://127.0.0.1:8265 \\\n"
        '    --runtime-env-json=\'{"env_vars": {"JUDGE_URL": "http://judge:8000"}}\' \\\n'
        "    -- python3 relax/entrypoints/train.py --lr 1e-6\n",
        findings=((1, 1),),
    ),
    Example(
        "ray job submit --address=http://10.0.0.7:8265 -- python3 -m relax.entrypoints.train --lr 1e-6\n",
        findings=((1, 58),),
    ),
    Example(
        'cd "$(dirname "$0")"\npython3 -m relax.entrypoints.train --lr 1e-6\n',
        findings=((2, 9),),
        fixed='cd "$(dirname "$0")"\npython3 ../../relax/entrypoints/train.py --lr 1e-6\n',
    ),
    Example(
        'LAUNCH="python3 -m relax.entrypoints.train"\n$LAUNCH --lr 1e-6\n',
        findings=((1, 17),),
        fixed='LAUNCH="python3 relax/entrypoints/train.py"\n$LAUNCH --lr 1e-6\n',
    ),
    Example(
        "export RAY_ADDRESS=http://127.0.0.1:8265\nray job submit -- python3 relax/entrypoints/train.py --lr 1e-6\n",
        findings=((2, 1),),
    ),
    Example(
        "export RAY_ADDRESS=auto\nray job submit -- python3 relax/entrypoints/train.py --lr 1e-6\n",
        findings=((2, 1),),
        fixed="export RAY_ADDRESS=auto\npython3 relax/entrypoints/train.py --lr 1e-6\n",
    ),
    Example(
        "A=1 RAY_ADDRESS=http://127.0.0.1:8265 B=2 nohup \\\n"
        "    ray job submit -- python3 relax/entrypoints/train.py --lr 1\n",
        findings=((2, 5),),
        fixed="A=1 B=2 nohup \\\n    python3 relax/entrypoints/train.py --lr 1\n",
    ),
    Example(
        "env RAY_ADDRESS=http://127.0.0.1:8265 ray job submit -- python3 relax/entrypoints/train.py --lr 1\n",
        findings=((1, 39),),
    ),
    Example(
        "env -u RAY_ADDRESS ray job submit -- python3 relax/entrypoints/train.py --lr 1\n",
        findings=((1, 20),),
        fixed="env -u RAY_ADDRESS python3 relax/entrypoints/train.py --lr 1\n",
    ),
    Example(
        "unset RAY_ADDRESS\nray job submit -- python3 relax/entrypoints/train.py --lr 1e-6\n",
        findings=((2, 1),),
        fixed="unset RAY_ADDRESS\npython3 relax/entrypoints/train.py --lr 1e-6\n",
    ),
    Example("torchrun --nproc_per_node=8 relax/entrypoints/train.py --lr 1e-6\n", findings=((1, 1),)),
    Example(
        "python3 -m torch.distributed.run --nproc_per_node=8 relax/entrypoints/train.py --lr 1e-6\n",
        findings=((1, 12),),
    ),
    Example(
        "ray job submit --address=auto -- python3 relax/entrypoints/train.py --lr 1e-6\n",
        findings=((1, 1),),
        fixed="python3 relax/entrypoints/train.py --lr 1e-6\n",
    ),
]


@rule("RLX403", "entry-point", WARNING, on="launcher", everywhere=True, valid=VALID, invalid=INVALID, fixable="safe")
def entry_point(launcher: LauncherSource, project: Project) -> Iterator[Finding | NotChecked]:
    """Say how each command that launches differs from starting the path directly."""
    ways: dict[Place, list[Launch]] = {}
    for launch in launcher.launches:
        if launch.kind == "relax":
            ways.setdefault(start_of(launch), []).append(launch)
    for slip in entry_slips(launcher, project):
        yield Finding(
            place_of(slip.launch, slip.word), slip.message, fix=slip.fix, launch=slip.launch, subject=slip.word.text
        )
    for place, launches in ways.items():
        submissions = [(launch, submission(launch)) for launch in launches]
        local = [
            (launch, submitted, submitted.address)
            for launch, submitted in submissions
            if submitted is not None and submitted.address is not None and is_this_machine(submitted.address)
        ]
        if local:
            yield _local_submission(place, local, len(launches), project)
            continue
        launch, submitted = submissions[0]
        if submitted is not None:
            address = submitted.address
            if address is None or not address.known:
                yield NotChecked(place, "RAY_ADDRESS" if address is None else why_unknown(address))
        spawner = next((word for word in launch.argv[: launch.entry] if program(word) in _SPAWNERS), None)
        if spawner is not None:
            name = program(spawner)
            message = f"{name} starts Relax once per process; Relax spreads over the GPUs by itself: python3 {ENTRY}"
            yield Finding(place_of(launch, spawner), message, launch=launch, subject=name)
        elif entry_name(launch.argv[launch.entry]) == MODULE and not names_no_module(launch):
            yield _module(launch, submitted, project)


def _local_submission(
    place: Place, local: Sequence[tuple[Launch, Submission, Word]], ways: int, project: Project
) -> Finding:
    """The command submits to this machine, on one way through the script at least."""
    reasons = [lost_without_submission(launch, submitted, project) for launch, submitted, _ in local]
    reason = next((reason for reason in reasons if reason is not None), None)
    if reason is None and len(local) < ways:
        reason = "on another way through the script the address is another one"
    launch, submitted, address = local[0]
    fix, note = _direct(launch, submitted.command, reason, project), without_effect(submitted)
    by_default = " by default" if address.defaults or len(local) < ways else ""
    return Finding(
        place_of(launch, launch.argv[0]) if launch.site == place else place,
        f"ray job submit to this machine{by_default} ({address.text}); Ray runs here already: start python3 {ENTRY}"
        " directly",
        fix=fix._replace(note=lambda: note) if fix is not None and note else fix,
        launch=launch,
        subject="ray job submit",
    )


def _module(launch: Launch, submitted: Submission | None, project: Project) -> Finding:
    reason = "the job may start in another directory than the repository's" if submitted is not None else None
    return Finding(
        place_of(launch, (module_words(launch.argv, launch.entry) or launch.argv[launch.entry :])[0]),
        f"the entry point is started by its module; start its path: python3 {ENTRY}",
        fix=_direct(launch, 0, reason, project),
        launch=launch,
        subject=MODULE,
    )


def _direct(launch: Launch, command: int, reason: str | None, project: Project) -> Fix | None:
    """The repair: drop the words in front of ``command``, and name the entry point by its path."""
    edits: list[Edit] = []
    if any(irreplaceable(launch, option) for option in runtime_environments(launch)):
        return None
    if command > 0:
        gone = _span(launch.argv[0], launch.argv[command])
        if gone is None:
            return None
        edits.append(Edit.at(gone, ""))
        if (prefix := address_prefix(launch)) is not None:
            edits.append(Edit.at(prefix, ""))
    if entry_name(launch.argv[launch.entry]) == MODULE:
        path, words = _path_from(launch.directory, project), module_words(launch.argv, launch.entry)
        instead = None if path is None or words is None else by_path(*words, MODULE, path)
        if instead is None:
            return None
        edits.append(instead)
    edit_list: Sequence[Edit] = edits
    return Fix(f"start {ENTRY} directly", lambda: edit_list, safe=reason is None, reason=reason)


def _span(first: Word, after: Word) -> Place | None:
    """From one word up to another of the same text."""
    if first.place is None or after.place is None or first.place.source is not after.place.source:
        return None
    if not first.place.start < after.place.start:
        return None
    between = first.place.source.text[first.place.start : after.place.start]
    if re.search(r"(?<!\\)\n|[;&|]", between):
        return None
    return Place(first.place.source, first.place.start, after.place.start)


def _path_from(directory: str | None, project: Project) -> str | None:
    """The entry point's path as seen from the directory that the launch runs in."""
    if directory is None:
        return None
    return os.path.relpath(project.root / ENTRY, directory).replace(os.sep, "/")
