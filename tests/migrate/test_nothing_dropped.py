"""Every setting that a verl run really has is on the page of its migration, with one fate.

Which settings those are is asked of Hydra itself, which composes verl's configuration from files on disk.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from relax_lint.cli import main
from tests.migrate.on_disk import SCRIPTS, write_relax, write_verl
from tools.migrate_checking.composing import agrees, composed
from tools.migrate_checking.launchers import trainings

KINDS = {"mapped", "derived", "same", "no effect", "dropped", "unsupported", "by hand", "unknown key"}


@pytest.fixture(scope="module")
def verl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_verl(tmp_path_factory.mktemp("verl"))


@pytest.fixture(scope="module")
def relax(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_relax(tmp_path_factory.mktemp("relax"))


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_setting_has_its_fate(
    script: str, verl: Path, relax: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(relax)
    source = verl / "examples" / "launchers" / f"{script}.sh"
    words = ["--name", script, "--relax-root", str(relax), "--verl-root", str(verl), "--format", "json"]
    # The class of its tools is not in this checkout, and that is said.
    assert main(["migrate", str(source), *words]) == (1 if script == "multi_turn" else 0)
    told = json.loads(capsys.readouterr().out.replace("${PWD}", str(verl)))
    page = (relax / "examples" / script / "MIGRATION.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([^`]+)`", page))
    launches = trainings(source, verl)
    assert len(told["launches"]) == len(launches)
    for launch, original in zip(told["launches"], launches, strict=True):
        settings = {setting["key"]: setting for setting in launch["settings"]}
        real = composed(original, verl, verl)
        assert settings.keys() == real.keys()
        assert list(differing(real, settings)) == []
        assert len(settings) == len(launch["settings"]) == sum(launch["counts"].values())
        assert settings.keys() <= named
        assert {setting["fate"] for setting in settings.values()} <= KINDS
        assert list(unexplained(settings)) == []


def differing(real: Mapping[str, Any], ours: Mapping[str, Any]) -> Iterator[str]:
    """The settings whose value is another one."""
    return (
        f"{key}: {ours[key]['value']!r}, {real[key]!r}" for key in real if not agrees(real[key], ours[key]["value"])
    )


def unexplained(settings: Mapping[str, Any]) -> Iterator[str]:
    """The settings of which neither flags nor a reason tell what becomes of them."""
    for key, setting in settings.items():
        if not (setting["flags"] or setting["reason"] or setting["todo"] or setting["fate"] == "same"):
            yield key
