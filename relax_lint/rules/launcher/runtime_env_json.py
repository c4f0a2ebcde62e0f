"""`--runtime-env-json` in a launch.

## What

The option `--runtime-env-json` anywhere in the words of a Relax launch, as `ray job submit` or as the training would
read it, with `=` or as two words, written in the launcher or in a file of the recipe that it sources. The entry points
below `scripts/entrypoint` may use it.

## Why

The entry points start Ray with the environment that every worker needs. A second environment from the launcher replaces
it for the job, goes stale when the entry points change, and is the reason that a launcher works on one machine only.
Behind the entry point nobody reads it at all.

## Source

Guide: NEVER add `--runtime-env-json`, the entrypoint layer handles it.

## Example

    ray job submit --address="${RAY_ADDRESS}" --runtime-env-json="${RUNTIME_ENV_JSON}" \\
        -- python3 relax/entrypoints/train.py

## Fix

Removes the option with its value, and its line if it has one. Unsafe where the JSON is built in the launcher and holds
more than what the entry points set: such variables must be exported instead, before Ray is started. Unsafe, too, where
the job is not surely submitted to this machine: the workers of another one may have their environment from here alone.
None where the JSON holds what no exported variable replaces: `worker_process_setup_hook`, `pip`, another `working_dir`.
"""

from __future__ import annotations

from collections.abc import Iterator

from relax_lint.diagnostics import Finding, Fix, Place
from relax_lint.fixers.launcher_edits import remove
from relax_lint.fixers.ray_submit import (
    RUNTIME_ENV,
    irreplaceable,
    is_entry_layer,
    lost_without_environment,
    runtime_environments,
)
from relax_lint.project import Project
from relax_lint.rules import WARNING, Example, rule
from relax_lint.shell.launch import Argument, Launch
from relax_lint.shell.queries import place_of
from relax_lint.sources.launcher import LauncherSource

_TRAIN = "python3 relax/entrypoints/train.py"
_REMOTE = 'ray job submit --address="http://${HEAD_IP}:8265"'
_HERE = "ray job submit --address=http://127.0.0.1:8265"

_USUAL = 'RUNTIME_ENV_JSON=\'{"env_vars": {"PYTHONPATH": "/root/Megatron-LM/", "CUDA_DEVICE_MAX_CONNECTIONS": "1"}}\'\n'

VALID: list[Example | str] = [
    f"{_TRAIN} --lr 1e-6\n",
    f"{_REMOTE} -- {_TRAIN} --lr 1e-6\n",
    f'# --runtime-env-json="${{RUNTIME_ENV_JSON}}" is for the entry points\n{_TRAIN} --lr 1e-6\n',
    f"RUNTIME_ENV_JSON='{{\"env_vars\": {{}}}}'\nexport RUNTIME_ENV_JSON\n{_TRAIN} --lr 1e-6\n",
    f'{_TRAIN} --train-env-vars \'{{"NCCL_DEBUG": "WARN"}}\'\n',
    f'ray job submit --runtime-env-json="$RUNTIME_ENV_JSON" -- python3 judge_service.py\n{_TRAIN} --lr 1e-6\n',
    f'echo "pass --runtime-env-json yourself if you must"\n{_TRAIN} --lr 1e-6\n',
    'ray job submit --runtime-env-json="{}" -- python3 -m verl.trainer.main_ppo trainer.nnodes=1\n',
    (
        f"SUBMIT_ARGS=(\n    --address http://10.0.0.7:8265\n    # --runtime-env-json x\n)\n"
        f'ray job submit "${{SUBMIT_ARGS[@]}}" -- {_TRAIN} --lr 1e-6\n'
    ),
    f"{_REMOTE} --runtime-env env.yaml -- {_TRAIN} --lr 1e-6\n",
    Example(
        {
            "examples/demo/run_demo.sh": 'source "$(dirname "$0")/../../scripts/entrypoint/ray-job.sh"\n'
            f"submit {_TRAIN} --lr 1e-6\n",
            "scripts/entrypoint/ray-job.sh": "submit() {\n"
            '    ray job submit --runtime-env-json="$RUNTIME_ENV_JSON" -- "$@"\n}\n',
        }
    ),
]

INVALID = [
    Example(
        f'{_HERE} --runtime-env-json="${{RUNTIME_ENV_JSON}}" -- {_TRAIN} --lr 1e-6\n',
        findings=((1, 48),),
        fixed=f"{_HERE} -- {_TRAIN} --lr 1e-6\n",
    ),
    Example(
        f'{_HERE} \\\n   --runtime-env-json="${{RUNTIME_ENV_JSON}}" \\\n   -- {_TRAIN} \\\n   --lr 1e-6\n',
        findings=((2, 4),),
        fixed=f"{_HERE} \\\n   -- {_TRAIN} \\\n   --lr 1e-6\n",
    ),
    Example(
        f'{_HERE} --runtime-env-json "$RUNTIME_ENV_JSON" --verbose -- {_TRAIN} --lr 1e-6\n',
        findings=((1, 48),),
        fixed=f"{_HERE} --verbose -- {_TRAIN} --lr 1e-6\n",
    ),
    Example(
        f'{_HERE} \\\n    --runtime-env-json \\\n        "${{RUNTIME_ENV_JSON}}" \\\n    -- {_TRAIN} --lr 1e-6\n',
        findings=((2, 5),),
        fixed=f"{_HERE} \\\n    -- {_TRAIN} --lr 1e-6\n",
    ),
    Example(
        f'{_TRAIN} \\\n    --lr 1e-6 \\\n    --runtime-env-json="${{RUNTIME_ENV_JSON}}"\n',
        findings=((3, 5),),
        fixed=f"{_TRAIN} \\\n    --lr 1e-6\n",
    ),
    Example(
        f"MISC_ARGS=(\n    --attention-backend flash\n    --runtime-env-json "
        f'"${{RUNTIME_ENV_JSON}}"  # from local.sh\n)\n'
        f'{_TRAIN} "${{MISC_ARGS[@]}}"\n',
        findings=((3, 5),),
        fixed=f'MISC_ARGS=(\n    --attention-backend flash\n)\n{_TRAIN} "${{MISC_ARGS[@]}}"\n',
    ),
    Example(
        f'SUBMIT=(--address localhost:8265 --runtime-env-json="${{RUNTIME_ENV_JSON}}" --verbose)\n'
        f'ray job submit "${{SUBMIT[@]}}" -- {_TRAIN} --lr 1e-6\n',
        findings=((1, 34),),
        fixed=f'SUBMIT=(--address localhost:8265 --verbose)\nray job submit "${{SUBMIT[@]}}" -- {_TRAIN} --lr 1e-6\n',
    ),
    Example(
        f'ENV=(--runtime-env-json="${{RUNTIME_ENV_JSON}}")\n{_HERE} "${{ENV[@]}}" -- {_TRAIN} --lr 1e-6\n',
        findings=((1, 6),),
        fixed=f'ENV=()\n{_HERE} "${{ENV[@]}}" -- {_TRAIN} --lr 1e-6\n',
    ),
    Example(
        _USUAL + f'{_HERE} --runtime-env-json="${{RUNTIME_ENV_JSON}}" -- {_TRAIN} --lr 1e-6\n',
        findings=((2, 48),),
        fixed=_USUAL + f"{_HERE} -- {_TRAIN} --lr 1e-6\n",
    ),
    Example(
        f'{_HERE} \\\n    --runtime-env-json=\'{{"env_vars": {{"JUDGE_URL": "http://judge"}}}}\' '
        f"\\\n    -- {_TRAIN} --lr 1e-6\n",
        findings=((2, 5),),
    ),
    Example(
        'RUNTIME_ENV_JSON=$(echo "${RUNTIME_ENV_JSON}" | jq \'.env_vars.WANDB_API_KEY = "k"\')\n'
        f'{_HERE} --runtime-env-json="${{RUNTIME_ENV_JSON}}" -- {_TRAIN} --lr 1e-6\n',
        findings=((2, 48),),
        fixed='RUNTIME_ENV_JSON=$(echo "${RUNTIME_ENV_JSON}" | jq \'.env_vars.WANDB_API_KEY = "k"\')\n'
        f"{_HERE} -- {_TRAIN} --lr 1e-6\n",
        unsafe=True,
    ),
    Example(
        f'{_REMOTE} --runtime-env-json="${{RUNTIME_ENV_JSON}}" -- {_TRAIN} --lr 1e-6\n',
        findings=((1, 51),),
        fixed=f"{_REMOTE} -- {_TRAIN} --lr 1e-6\n",
        unsafe=True,
    ),
    Example(
        'RAY_ADDRESS="${RAY_ADDRESS:-http://127.0.0.1:8265}"\n'
        f'ray job submit --address="${{RAY_ADDRESS}}" --runtime-env-json="$RUNTIME_ENV_JSON" -- {_TRAIN} --lr 1e-6\n',
        findings=((2, 43),),
        fixed='RAY_ADDRESS="${RAY_ADDRESS:-http://127.0.0.1:8265}"\n'
        f'ray job submit --address="${{RAY_ADDRESS}}" -- {_TRAIN} --lr 1e-6\n',
        unsafe=True,
    ),
    Example(
        f"{_REMOTE} --runtime-env-json='{{}}' -- {_TRAIN} --lr 1e-6\n",
        findings=((1, 51),),
        fixed=f"{_REMOTE} -- {_TRAIN} --lr 1e-6\n",
    ),
    Example(
        f'{_HERE} --runtime-env-json=\'{{"worker_process_setup_hook": "demo.quiet"}}\' -- {_TRAIN} --lr 1e-6\n',
        findings=((1, 48),),
    ),
    Example(
        f'{_HERE} --runtime-env-json="{{\\"env_vars\\": {{\\"A\\": 1}}, $MORE, \\"pip\\": [\\"x\\"]}}" -- {_TRAIN}\n',
        findings=((1, 48),),
    ),
    Example(
        {
            "examples/demo/run_demo.sh": f'source "$(dirname "$0")/common.sh"\nsubmit {_TRAIN} --lr 1e-6\n',
            "examples/demo/common.sh": "submit() {\n"
            '    ray job submit --address="$RAY_ADDRESS" --runtime-env-json="$RUNTIME_ENV_JSON" -- "$@"\n}\n',
        },
        findings=(("examples/demo/common.sh", 2, 45),),
        fixed={"examples/demo/common.sh": 'submit() {\n    ray job submit --address="$RAY_ADDRESS" -- "$@"\n}\n'},
        unsafe=True,
    ),
]


@rule(
    "RLX404", "runtime-env-json", WARNING, on="launcher", everywhere=True, valid=VALID, invalid=INVALID, fixable="safe"
)
def runtime_env_json(launcher: LauncherSource, project: Project) -> Iterator[Finding]:
    """Say where the option stands."""
    seen: set[Place] = set()
    for launch in launcher.launches:
        for argument in runtime_environments(launch) if launch.kind == "relax" else ():
            place = place_of(launch, argument.word)
            if place not in seen and not is_entry_layer(place.source.path, project):
                seen.add(place)
                yield _finding(place, argument, launch, project)


def _finding(place: Place, argument: Argument, launch: Launch, project: Project) -> Finding:
    edit, reason = remove(argument), lost_without_environment(launch, argument, project)
    fix = None
    if edit is not None and not irreplaceable(launch, argument):
        fix = Fix(f"remove {RUNTIME_ENV}", lambda: [edit], safe=reason is None, reason=reason)
    message = f"{RUNTIME_ENV} is the entry points' business; environment variables are exported there, not passed here"
    return Finding(place, message, fix=fix, launch=launch, subject=RUNTIME_ENV)
