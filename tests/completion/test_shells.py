"""The scripts in the shells that are here: what is typed is completed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DRIVERS = {
    "bash": """
        eval "$(relax-lint completion bash)"
        [[ $(complete -p relax-lint) == 'complete -F _relax_lint relax-lint' ]] || exit
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _relax_lint
        ((${#COMPREPLY[@]} == 0)) || printf '%s\\n' "${COMPREPLY[@]}"
    """,
    "zsh": """
        compdef() { : }
        compset() { [[ $words[CURRENT] == --*=* ]] && current=${words[CURRENT]#--*=} }
        _describe() { for each in "${(@P)4}"; do print -r -- "${each%%:*}"; done }
        _files() { for each in ${current}*(N); do print -r -- $each; done }
        eval "$(relax-lint completion zsh)"
        words=("$@") CURRENT=$# current=$@[-1]
        _relax_lint
    """,
    "fish": """
        relax-lint completion fish | source
        for each in (complete -C (string join ' ' -- $argv))
            echo (string split \\t -- $each)[1]
        end
    """,
}
ARGUMENTS = {"bash": ["--norc", "-c"], "zsh": ["-f", "-c"], "fish": ["--no-config", "-c"]}
SHELLS = [name for name in DRIVERS if name == "bash" or shutil.which(name)]


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program = tmp_path / "bin/relax-lint"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m relax_lint "$@"\n')
    program.chmod(0o755)
    home = tmp_path / "home"
    home.mkdir()
    for name in ("run_a.sh", "run_b.sh", "with space.sh"):
        (home / name).touch()
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    monkeypatch.setenv("HOME", str(home))
    return home


def completed(shell: str, directory: Path, *typed: str) -> list[str]:
    names = () if shell == "fish" else (shell,)
    command = [shell, *ARGUMENTS[shell], DRIVERS[shell], *names, "relax-lint", *typed]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=True)
    return sorted(done.stdout.splitlines())


@pytest.mark.parametrize("shell", SHELLS)
def test_what_is_typed_is_completed(shell: str, directory: Path) -> None:
    assert completed(shell, directory, "mig") == ["migrate"]
    assert completed(shell, directory, "check", "--fi") == ["--fix"]
    assert completed(shell, directory, "rule", "RLX9") == []
    assert completed(shell, directory, "show", "run") == ["run_a.sh", "run_b.sh"]


def test_bash_takes_options_apart_at_the_equals_sign(directory: Path) -> None:
    assert completed("bash", directory, "--format", "=", "j") == ["json", "junit"]
    assert completed("bash", directory, "--select", "=", "RLX2,RLX801") == ["RLX2,RLX801"]
    assert completed("bash", directory, "show", "with") == ["with space.sh"]


def test_an_alias_of_another_path_asks_the_program_that_it_names(directory: Path) -> None:
    (directory / "mine").symlink_to(directory.parent / "bin/relax-lint")
    driver = DRIVERS["bash"].replace('("$@")', '("~/mine" "${@:2}")')
    command = ["bash", "--norc", "-c", driver, "bash", "relax-lint", "mig"]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=True)
    assert done.stdout == "migrate\n"
