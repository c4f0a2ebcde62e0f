"""The wheel where nothing else is installed: every command says what it lacks, the command that it names installs that,
and then it works."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from relax_lint import __version__


class Failed(Exception):
    """Something does not work as it should; the message says what."""


@dataclass(frozen=True)
class Try:
    """Words that need an extra, and what comes of them once it is there."""

    extra: str
    words: tuple[str, ...]
    status: int = 0
    says: str = ""
    given: str = ""


_INITIALIZE = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"processId": None, "rootUri": None, "capabilities": {}},
    }
)
TRIES = (
    Try("data", ("data", "check", "rows.parquet"), says="rows.parquet: 4 rows"),
    Try("data", ("data", "convert", "rows.parquet", "converted.parquet"), says="4 rows"),
    Try("migrate", ("migrate", "gsm8k/run_gsm8k.sh", "--name", "gsm8k", "--dry-run"), 0, "run_gsm8k.sh"),
    Try("lsp", ("lsp",), 1, '"capabilities"', f"Content-Length: {len(_INITIALIZE)}\r\n\r\n{_INITIALIZE}"),
    Try("ray", ("data", "convert", "rows.parquet", "with-ray", "--ray"), says="4 rows"),
)
"""For the first words with an extra it is missing; those after them find it installed."""


@dataclass
class Installed:
    """The wheel, installed somewhere of its own."""

    bins: Path
    directory: Path
    environ: dict[str, str] = field(default_factory=lambda: dict(os.environ))

    def run(self, *words: str, given: str = "", program: str = "relax-lint") -> tuple[int, str]:
        """The exit status and everything that is printed."""
        command: list[str | Path] = [self.bins / program, *words]
        done = subprocess.run(
            command, cwd=self.directory, env=self.environ, input=given, capture_output=True, text=True, timeout=300
        )
        return done.returncode, done.stdout + done.stderr

    def must(self, status: int, *words: str, says: str = "", given: str = "", program: str = "relax-lint") -> str:
        """What is printed; :class:`Failed` when the status is another, or what is to be said is not."""
        found, printed = self.run(*words, given=given, program=program)
        if found != status or says not in printed:
            raise Failed(f"{shlex.join([program, *words])} left with {found}, not {status}:\n{printed[-2000:]}")
        return printed

    def install_as_told(self, trying: Try) -> None:
        """Have the words refused, and do what the refusal says."""
        printed = self.must(2, *trying.words, says=" needs ", given=trying.given)
        told = (
            next(line for line in printed.splitlines() if " needs " in line).partition(" needs ")[2].partition(": ")[2]
        )
        if f"relax-lint[{trying.extra}]" not in told:
            raise Failed(f"{shlex.join(trying.words)} does not say how to install {trying.extra}: {told}")
        print(f"   {told}", flush=True)
        _do(shlex.split(told), self.environ)

    def works(self, trying: Try) -> None:
        """Have the words work."""
        self.must(trying.status, *trying.words, says=trying.says, given=trying.given)


@dataclass(frozen=True)
class Workshop:
    """Where environments are made: with which wheel, by the programs of which directory."""

    wheel: Path
    constraints: Path
    installers: Path
    scratch: Path

    def environ(self, **more: str) -> dict[str, str]:
        """The environment of programs that install: pinned, and with nothing of the user's."""
        home = self.scratch / "home"
        home.mkdir(exist_ok=True)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
        pinned = {"PIP_CONSTRAINT": str(self.constraints), "UV_CONSTRAINT": str(self.constraints)}
        quiet = {"PIP_QUIET": "1", "UV_NO_PROGRESS": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        trusted = {"UV_NATIVE_TLS": "true", "UV_SYSTEM_CERTS": "true"}  # as pip does; the second is the newer name
        places = {
            "PIPX_HOME": str(home / "pipx"), "PIPX_BIN_DIR": str(home / "bin"), "PIPX_MAN_DIR": str(home / "man"),
            "UV_TOOL_DIR": str(home / "tools"), "UV_TOOL_BIN_DIR": str(home / "tools-bin"),
            "XDG_CACHE_HOME": str(home / "cache"), "UV_CACHE_DIR": self._uv_cache(),
        }  # fmt: skip
        path = os.pathsep.join([str(self.installers), kept.get("PATH", "")])
        return {**kept, **pinned, **quiet, **trusted, **places, "PATH": path, **more}

    def _uv_cache(self) -> str:
        """uv's own place, which outlives the run."""
        done = subprocess.run([self.installers / "uv", "cache", "dir"], stdout=subprocess.PIPE, text=True, check=True)
        return done.stdout.strip()

    def by_uv(self, name: str) -> Installed:
        """An environment of uv's, which has no pip."""
        home = self.scratch / name
        _do(["uv", "venv", "--quiet", "--python", sys.executable, str(home)], self.environ())
        _do(["uv", "pip", "install", "--quiet", "--python", str(home), str(self.wheel)], self.environ())
        return Installed(home / "bin", self.scratch, self.environ())

    def by_pip(self) -> Installed:
        """An environment with pip, as most have it; it is the active one."""
        home = self.scratch / "pip"
        _do([sys.executable, "-m", "venv", str(home)], self.environ())
        environ = self.environ()
        environ["PATH"] = os.pathsep.join([str(home / "bin"), environ["PATH"]])
        _do([str(home / "bin/pip"), "install", str(self.wheel)], environ)
        return Installed(home / "bin", self.scratch, environ)

    def by_pipx(self) -> Installed:
        """As an application of pipx."""
        _do(["pipx", "install", "--quiet", str(self.wheel)], self.environ())
        if not (self.scratch / "home/man/man1/relax-lint.1").exists():
            raise Failed("pipx finds no manual page in the wheel")
        return Installed(self.scratch / "home/bin", self.scratch, self.environ())

    def by_uv_tool(self) -> Installed:
        """As a tool of uv."""
        _do(["uv", "tool", "install", "--quiet", str(self.wheel)], self.environ())
        return Installed(self.scratch / "home/tools-bin", self.scratch, self.environ())

    def once(self, program: str, extras: str, *words: str) -> str:
        """What is printed by a run of uvx or of pipx, which installs nothing that stays."""
        runner = Installed(self.installers, self.scratch, self.environ())
        options = ("--quiet", "--from") if program == "uvx" else ("run", "--spec")
        return runner.must(0, *options, f"{self.wheel}{extras}", "relax-lint", *words, program=program)


def checks(workshop: Workshop, *, ray: bool = True) -> Iterator[tuple[str, Callable[[], None]]]:
    """What is tried, by name."""
    by_extra: dict[str, list[Try]] = {}
    for trying in TRIES:
        by_extra.setdefault(trying.extra, []).append(trying)
    yield "the base, by pip", lambda: _base(workshop.by_pip(), by_extra["data"][0])
    for extra, tries in by_extra.items():
        if extra != "ray" or ray:
            yield f"{extra} alone, by uv", lambda extra=extra, tries=tries: _extra(workshop.by_uv(extra), tries)  # type: ignore[misc]
    yield "flake8", lambda: _flake8(workshop)
    yield "pipx", lambda: _extra(workshop.by_pipx(), by_extra["data"])
    yield "uv tool", lambda: _extra(workshop.by_uv_tool(), by_extra["data"])
    yield "uvx", lambda: _once(workshop, "uvx")
    yield "pipx run", lambda: _once(workshop, "pipx")
    if ray:
        yield "all", lambda: _all(workshop, by_extra)


def _base(installed: Installed, first: Try) -> None:
    installed.must(0, "--version", says=f"relax-lint {__version__}\n")
    installed.must(0, "check", "good_gsm8k/examples")
    installed.must(1, "check", "--quiet", "broken_countdown/examples")
    shutil.copytree(installed.directory / "broken_countdown", installed.directory / "fixed")
    installed.must(1, "check", "--fix", "--quiet", "fixed/examples")
    installed.must(0, "show", "good_gsm8k/examples/gsm8k/run_gsm8k.sh", says="relax/entrypoints/train.py")
    installed.must(0, "rule", "RLX407")
    installed.must(0, "catalog", "show", "--lr")
    installed.install_as_told(first)
    installed.works(first)


def _extra(installed: Installed, tries: list[Try]) -> None:
    installed.install_as_told(tries[0])
    for trying in tries:
        installed.works(trying)
        for made in ("converted.parquet", "with-ray"):
            shutil.rmtree(installed.directory / made, ignore_errors=True)
            (installed.directory / made).unlink(missing_ok=True)


def _flake8(workshop: Workshop) -> None:
    installed = workshop.by_uv("flake8")
    home = str(installed.bins.parent)
    _do(["uv", "pip", "install", "--quiet", "--python", home, f"{workshop.wheel}[flake8]"], workshop.environ())
    installed.must(0, "--version", says=__version__, program="flake8")
    installed.must(0, "--isolated", "--select=RLX", "good_gsm8k/examples", program="flake8")
    installed.must(1, "--isolated", "--select=RLX", "broken_countdown/examples", says="RLX202", program="flake8")


def _once(workshop: Workshop, program: str) -> None:
    if f"relax-lint {__version__}\n" not in workshop.once(program, "", "--version"):
        raise Failed(f"{program} runs another version")
    workshop.once(program, "[data]", "data", "check", "rows.parquet")


def _all(workshop: Workshop, by_extra: dict[str, list[Try]]) -> None:
    installed = workshop.by_uv("all")
    home = str(installed.bins.parent)
    _do(["uv", "pip", "install", "--quiet", "--python", home, f"{workshop.wheel}[all]"], workshop.environ())
    _do(["uv", "pip", "check", "--quiet", "--python", home], workshop.environ())
    for extra in ("data", "migrate", "lsp"):
        installed.works(by_extra[extra][0])
    installed.must(0, "--version", says=__version__, program="flake8")


def _do(command: list[str], environ: dict[str, str]) -> None:
    done = subprocess.run(command, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        raise Failed(f"{shlex.join(command)} left with {done.returncode}:\n{(done.stdout + done.stderr)[-2000:]}")
