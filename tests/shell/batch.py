"""Run many generated scripts under real bash, quickly: one driver process, stubs for what they call, no sandbox.

Generated scripts touch nothing; launchers that somebody wrote belong into ``tools.bash_oracle``'s sandbox.
"""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.shell.generator.script import GeneratedScript
from tools.bash_oracle import ENVIRONMENT, read_record

_SECONDS_OF_CPU = 10


def place(script: GeneratedScript, folder: Path) -> Path:
    """Write a script and its files; beside them an empty directory to run in, where no glob matches."""
    here = folder / str(script.seed)
    (here / "cwd").mkdir(parents=True)
    for name, text in {"run.sh": script.text, **script.files}.items():
        (here / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    return here


def environment(script: GeneratedScript, programs: Path) -> dict[str, str]:
    """All variables that the script starts with."""
    return {"PATH": str(programs), **ENVIRONMENT, **script.environment}


def launches(scripts: Sequence[GeneratedScript], folder: Path, programs: Path) -> list[tuple[tuple[str, ...], ...]]:
    """What each of the scripts, placed in ``folder``, launches."""
    driver = [f"ulimit -t {_SECONDS_OF_CPU}"]
    for script in scripts:
        variables = [f"{name}={shlex.quote(value)}" for name, value in script.environment.items()]
        call = [*variables, "/bin/bash", "../run.sh", *map(shlex.quote, script.arguments)]
        driver.append(f"cd {shlex.quote(str(folder / str(script.seed) / 'cwd'))}; unset OLDPWD")
        driver.append(" ".join(call) + " 9>>../record </dev/null >/dev/null 2>../errors")
    subprocess.run(
        ["/bin/bash", "--norc"],
        input="\n".join(driver).encode("utf-8", "surrogateescape"),
        env={"PATH": str(programs), **ENVIRONMENT},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    return [read_record((folder / str(script.seed) / "record").read_bytes()) for script in scripts]
