"""A migrated launcher means to Relax what the original means to verl."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from relax_lint.cli import main
from relax_lint.shell.evaluate import Reading, evaluate
from relax_lint.shell.launch import Launch
from tests.migrate.meaning import Meaning, launches_of, meaning_in_relax, meaning_in_verl, verl_settings
from tests.migrate.on_disk import LAUNCHERS, SCRIPTS, write_relax

BY_PPO = [name for name in SCRIPTS if name != "fully_async"]
EACH_BY_PPO = pytest.mark.parametrize(
    "script", [pytest.param(name, marks=pytest.mark.xdist_group(f"{name} is migrated")) for name in BY_PPO]
)
"""One process makes what the tests of a script have in common."""
OF_ASYNC_VERL = (
    "estimator", "aggregation", "clip", "kl", "entropy", "lr", "decay", "weight_decay", "betas", "grad_clip",
    "samples_of_a_prompt", "temperature", "top_p", "top_k", "prompt_length", "response_length",
)  # fmt: skip
"""What means the same to verl's asynchronous trainer as to its other one."""


def write_checkout(root: Path) -> Path:
    """A Relax of which there is only what a recipe names, and verl's launchers beside it."""
    write_relax(root / "relax")
    shutil.copytree(LAUNCHERS, root / "verl")
    return root


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a test is."""
    monkeypatch.chdir(write_checkout(tmp_path) / "relax")
    return tmp_path


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The new launcher of a script, which is migrated once for all tests that only look at it."""

    def migrate(script: str) -> Path:
        root = write_checkout(tmp_path_factory.mktemp(script))
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(root / "relax")
            return migrated(root, script)

    return cache(migrate)


def migrated(checkout: Path, script: str, *options: str) -> Path:
    """The new launcher of a script."""
    source = str(checkout / "verl" / f"{script}.sh")
    # The class of its tools is not in this checkout, and that is said.
    status = 1 if script == "multi_turn" else 0
    assert main(["migrate", source, "--name", "demo", "--relax-root", str(checkout / "relax"), *options]) == status
    return checkout / "relax" / "examples" / "demo" / "run_demo.sh"


def relax_launches(launcher: Path, mode: str) -> list[Launch]:
    """What the new launcher launches."""
    root = launcher.parents[2]
    models = str(root / "scripts" / "models")
    return launches_of(launcher, root, mode, RELAX_ENTRYPOINT_MODE="local", MODEL_CONFIG_DIR=models)


def verl_launches(script: str) -> list[Launch]:
    """What the original launches."""
    found = evaluate(LAUNCHERS / f"{script}.sh", Reading(clean=True, env={"HOME": "/home/user"}, cwd=LAUNCHERS))
    return [launch for launch in found.launches if launch.kind == "verl"]


def in_verl(script: str, *, keep_updates: bool = False) -> list[Meaning]:
    """What the launches of the original mean."""
    settings = [verl_settings(launch, LAUNCHERS / "config") for launch in verl_launches(script)]
    return [meaning_in_verl(each, keep_updates=keep_updates) for each in settings]


def compared(meaning: Meaning, *without: str) -> dict[str, Any]:
    """A meaning for comparison."""
    return {name: value for name, value in asdict(meaning).items() if name not in without}


def approximately(meaning: Meaning, *without: str) -> Any:
    """The same; numbers may have been written another way."""
    return {
        name: pytest.approx(value) if isinstance(value, float | int | tuple) and not _has_text(value) else value
        for name, value in compared(meaning, *without).items()
    }


def _has_text(value: object) -> bool:
    return isinstance(value, tuple) and any(isinstance(item, str) for item in value)


def unseeded(meaning: Meaning) -> tuple[str, ...]:
    """verl draws the order of the data anew when no seed is set, and Relax does not; nobody can tell."""
    return ("order_seed",) if meaning.order_seed is None else ()


@EACH_BY_PPO
def test_a_launch_means_the_same(kept: Callable[[str], Path], script: str) -> None:
    launcher = kept(script)
    expected = in_verl(script)
    found = [meaning_in_relax(launch) for launch in relax_launches(launcher, "sync")]
    assert len(found) == len(expected)
    for verl, relax in zip(expected, found, strict=True):
        ignored = unseeded(verl)
        assert compared(relax, *ignored) == approximately(verl, *ignored)


@EACH_BY_PPO
def test_it_means_the_same_fully_async(kept: Callable[[str], Path], script: str) -> None:
    launcher = kept(script)
    expected = in_verl(script)
    found = [meaning_in_relax(launch) for launch in relax_launches(launcher, "async")]
    if not found:
        assert expected[0].gpus < 4
        return
    assert len(found) == len(expected)
    for verl, relax in zip(expected, found, strict=True):
        ignored = ("gpus", "engine_gpus", *unseeded(verl))
        assert compared(relax, *ignored) == approximately(verl, *ignored)
        assert relax.gpus <= verl.gpus
        assert relax.engine_gpus <= verl.engine_gpus


@pytest.mark.parametrize("script", ["several_updates", "grpo_gsm8k", "sapo"])
def test_several_updates_of_a_rollout_are_kept_on_request(checkout: Path, script: str) -> None:
    launcher = migrated(checkout, script, "--keep-updates")
    (verl,) = in_verl(script, keep_updates=True)
    (relax,) = [meaning_in_relax(launch) for launch in relax_launches(launcher, "sync")]
    assert verl.updates > 1
    assert compared(relax, *unseeded(verl)) == approximately(verl, *unseeded(verl))


def test_batches_may_be_taken_for_samples(checkout: Path) -> None:
    launcher = migrated(checkout, "several_updates", "--batch-unit", "samples")
    (relax,) = [meaning_in_relax(launch) for launch in relax_launches(launcher, "sync")]
    assert (relax.prompts * relax.samples_of_a_prompt, relax.updates) == (128, 1)


def test_verls_own_asynchronous_trainer(checkout: Path) -> None:
    launcher = migrated(checkout, "fully_async")
    (verl,) = in_verl("fully_async")
    (relax,) = [meaning_in_relax(launch) for launch in relax_launches(launcher, "async")]
    others = [name for name in asdict(verl) if name not in OF_ASYNC_VERL]
    assert compared(relax, *others) == approximately(verl, *others)
    # An update takes 32 prompts; weights go over every fourth, which is what its intervals count.
    assert (relax.prompts, relax.updates) == (32, 1)
    assert (relax.save_every, relax.evaluate_every) == (4 * 10, 4 * 20)
    assert relax.rollouts == 51_200 // 32
    assert relax.gpus == 8
