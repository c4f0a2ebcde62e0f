"""Launchers for the examples of how Relax is started, and how it is not."""

from __future__ import annotations

from relax_lint.rules import Example

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
