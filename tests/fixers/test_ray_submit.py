"""What a submission says, and what would be lost without it."""

from __future__ import annotations

import pytest

from relax_lint.fixers.ray_submit import (
    irreplaceable,
    is_this_machine,
    lost_without_environment,
    lost_without_submission,
    runtime_environments,
    submission,
)
from relax_lint.project import Project
from relax_lint.shell.launch import Launch, Word
from tests.cases import for_each

SCRIPT = "examples/demo/run_demo.sh"
TRAIN = "python3 relax/entrypoints/train.py --lr 1e-6"


def launch_of(text: str) -> tuple[Launch, Project]:
    project = Project.from_files({SCRIPT: text})
    source = project.launcher(project.root / SCRIPT)
    assert source is not None
    return source.launches[0], project


@for_each(
    ("address", "local"),
    [
        ("http://127.0.0.1:8265", True),
        ("http://127.0.1.1:8265/", True),
        ("localhost:8265", True),
        ("http://0.0.0.0:8265", True),
        ("http://[::1]:8265", True),
        ("https://localhost", True),
        ("http://10.0.0.1:8265", False),
        ("http://localhost.example.org:8265", False),
        ("http://127.0.0.1.nip.io:8265", False),
        ("", False),
        ("auto", True),
        ("http://auto:8265", False),
    ],
)
def test_addresses_of_this_machine(address: str, local: bool) -> None:
    assert is_this_machine(Word(address)) is local


def test_the_command_begins_behind_the_dashes() -> None:
    launch, _ = launch_of(f"ray job submit --address http://10.0.0.1:1 --verbose -- env A=1 {TRAIN}\n")
    found = submission(launch)
    assert found is not None
    assert launch.argv[found.command].text == "env"
    assert found.address is not None
    assert found.address.text == "http://10.0.0.1:1"


def test_the_command_is_found_without_dashes() -> None:
    launch, _ = launch_of(f"ray job submit --address=http://10.0.0.1:1 {TRAIN}\n")
    found = submission(launch)
    assert found is not None
    assert launch.argv[found.command].text == "python3"


def test_a_plain_command_is_no_submission() -> None:
    launch, _ = launch_of(f"{TRAIN}\n")
    assert submission(launch) is None


@pytest.mark.parametrize(
    ("options", "loses"),
    [
        ("--address=http://127.0.0.1:8265", None),
        ("--address=http://127.0.0.1:8265 ${RAY_NO_WAIT:+--no-wait}", None),
        ("--address=http://127.0.0.1:8265 --working-dir .", None),
        ("--address=http://127.0.0.1:8265 --working-dir /elsewhere", "another directory"),
        ("--address=http://127.0.0.1:8265 --no-wait", "--no-wait"),
        ("--address=http://127.0.0.1:8265 --submission-id demo", "--submission-id"),
        ("--address=${RAY_ADDRESS:-http://127.0.0.1:8265}", "RAY_ADDRESS"),
    ],
)
def test_what_a_plain_command_would_lose(options: str, loses: str | None) -> None:
    launch, project = launch_of(f"ray job submit {options} -- {TRAIN}\n")
    found = submission(launch)
    assert found is not None
    reason = lost_without_submission(launch, found, project)
    assert reason is None if loses is None else loses in (reason or "")


@pytest.mark.parametrize(
    ("value", "loses"),
    [
        ('"${RUNTIME_ENV_JSON}"', None),
        ("$RUNTIME_ENV_JSON", None),
        ("'{}'", None),
        ('\'{"env_vars": {"PYTHONUNBUFFERED": "1"}}\'', None),
        ('\'{"env_vars": {"PYTHONPATH": "\'$PWD\'"}, "working_dir": "."}\'', None),
        ('\'{"env_vars": {"JUDGE_KEY": "k"}}\'', "JUDGE_KEY"),
        ('\'{"pip": ["judge"]}\'', "pip"),
        ('\'{"working_dir": "/elsewhere"}\'', "working_dir"),
        ('"$(cat env.json)"', "launcher puts into it"),
    ],
)
def test_what_the_workers_would_miss(value: str, loses: str | None) -> None:
    launch, project = launch_of(f"ray job submit --runtime-env-json={value} -- {TRAIN}\n")
    (argument,) = runtime_environments(launch)
    reason = lost_without_environment(launch, argument, project)
    assert reason is None if loses is None else loses in (reason or "")


def test_a_variable_that_the_recipe_extends_is_not_the_entry_points_own() -> None:
    launch, project = launch_of(
        f'RUNTIME_ENV_JSON=$(jq . <<< "$RUNTIME_ENV_JSON")\nray job submit '
        f'--runtime-env-json="$RUNTIME_ENV_JSON" -- {TRAIN}\n'
    )
    (argument,) = runtime_environments(launch)
    assert lost_without_environment(launch, argument, project) is not None


@pytest.mark.parametrize(
    ("address", "surely_here"),
    [
        ("", True),
        ("--address=http://127.0.0.1:8265", True),
        ("--address=auto", True),
        ("--address=http://10.0.0.1:8265", False),
        ("--address=$RAY_ADDRESS", False),
        ("--address=${RAY_ADDRESS:-http://${MASTER_ADDR:-127.0.0.1}:8265}", False),
    ],
)
def test_the_environment_of_another_machine_may_be_the_jobs_alone(address: str, surely_here: bool) -> None:
    for value, holds in (
        ('"$RUNTIME_ENV_JSON"', True),
        ('\'{"env_vars": {"PYTHONPATH": "."}}\'', True),
        ("'{}'", False),
    ):
        launch, project = launch_of(f"ray job submit {address} --runtime-env-json={value} -- {TRAIN}\n")
        (argument,) = runtime_environments(launch)
        assert (lost_without_environment(launch, argument, project) is None) is (surely_here or not holds)


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ('\'{"env_vars": {"A": "1"}, "working_dir": "."}\'', []),
        ('\'{"worker_process_setup_hook": "demo.quiet", "pip": []}\'', ["pip", "worker_process_setup_hook"]),
        ('\'{"working_dir": "/elsewhere"}\'', ["working_dir"]),
        ('"{\\"worker_process_setup_hook\\": \\"demo.quiet\\", \\"env_vars\\": $VARS}"', ["worker_process_setup_hook"]),
        ('"$RUNTIME_ENV_JSON"', []),
    ],
)
def test_what_no_exported_variable_replaces(value: str, names: list[str]) -> None:
    launch, _ = launch_of(f"ray job submit --runtime-env-json={value} -- {TRAIN}\n")
    (argument,) = runtime_environments(launch)
    assert irreplaceable(launch, argument) == names


def test_an_option_of_the_training_is_read_by_nobody() -> None:
    launch, project = launch_of(f'{TRAIN} --runtime-env-json=\'{{"pip": ["x"]}}\'\n')
    (argument,) = runtime_environments(launch)
    assert irreplaceable(launch, argument) == []
    assert lost_without_environment(launch, argument, project) is None
