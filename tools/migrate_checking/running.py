"""What a migrated launcher launches, by bash and by this project's evaluator."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from tools.bash_oracle import ENVIRONMENT, Oracle, Outcome, Run
from tools.corpus_check import DIRECTORIES, GIVEN, ask_until_content, compare, differing_word, predicted
from tools.migrate_checking.results import Ran, Result

MODES: Mapping[str, tuple[str, ...]] = {"default": (), "sync": ("sync",), "async": ("async",)}
"""The ways to call a launcher, with its arguments; without one it is sync."""
FLAGS = {"default": "--colocate", "sync": "--colocate", "async": "--fully-async"}
COUNTS = {"SLURM_JOB_NUM_NODES": "2", "SLURM_GPUS_PER_NODE": "8", "ARNOLD_WORKER_NUM": "2", "ARNOLD_WORKER_GPU": "8"}
"""Variables of schedulers, from which launchers count their GPUs."""
MODEL = {
    "NUM_LAYERS": "36", "HIDDEN_SIZE": "4096", "FFN_HIDDEN_SIZE": "12288", "NUM_ATTENTION_HEADS": "32",
    "NUM_QUERY_GROUPS": "8", "VOCAB_SIZE": "151936", "ROTARY_BASE": "1000000", "NORM_EPSILON": "1e-6",
}  # fmt: skip
"""What the file of a model asks for that nobody knows."""
TRAINER = "relax/entrypoints/train.py"
_DEMANDED = re.compile(r"line \d+: (\w+): (?!unbound|command not found)")
_COUNTED = re.compile(r"NODE|GPU|NUM|SIZE|BATCH|WORKER|PER_|(?:\A|_)(?:BS|N|LR|K)\Z", re.IGNORECASE)
"""Names of variables that are numbers."""
_TRACE = re.compile(r"\++ ")
_NEEDED = 8


def run_all(launcher: Path, tree: Path, oracle: Oracle, result: Result) -> None:
    """Run a launcher in every mode; what goes wrong is noted."""
    for mode, arguments in MODES.items():
        run, outcome = _ask(oracle, _run(launcher, tree, arguments))
        name = f"{launcher.name} {' '.join(arguments)}".strip()
        if outcome.status is None:
            result.fail("bash", f"{name} never ends")
            continue
        trainings = [words for words in outcome.launches if TRAINER in words]
        if not trainings and outcome.status:
            result.refused[mode] = last_words(outcome.errors)
            continue
        for difference in _differences(run, outcome, oracle):
            result.fail("bash", f"{name}: {difference}")
        if not trainings:
            result.fail("bash", f"{name} launches nothing and says nothing")
        for words in trainings:
            behind = words[words.index(TRAINER) + 1 :]
            if FLAGS[mode] not in behind:
                result.fail("bash", f"{name} launches without {FLAGS[mode]}")
            result.ran.append(Ran(mode, behind))


def run_by_itself(launcher: Path, tree: Path, oracle: Oracle, result: Result) -> None:
    """Run a launcher that has to source the local entry point itself."""
    run = _run(launcher, tree, ())
    environment = {name: value for name, value in run.environment.items() if name not in _OF_AN_ENTRY_POINT}
    run, outcome = _ask(oracle, replace(run, environment=environment))
    for difference in _differences(run, outcome, oracle):
        result.fail("bash", f"{launcher.name} without an entry point: {difference}")
    if not any(TRAINER in words for words in outcome.launches) and "default" not in result.refused:
        result.fail("bash", f"{launcher.name} without an entry point launches nothing: {last_words(outcome.errors)}")


_OF_AN_ENTRY_POINT = ("RELAX_ENTRYPOINT_MODE", "MODEL_CONFIG_DIR", "RUNTIME_ENV_JSON")


def _run(launcher: Path, tree: Path, arguments: tuple[str, ...]) -> Run:
    environment = {**GIVEN, **COUNTS, **MODEL, "MODEL_CONFIG_DIR": str(tree / "scripts" / "models")}
    return Run(launcher, arguments, environment, tree, DIRECTORIES, (f"{ENVIRONMENT['HOME']}/.bashrc",))


def _ask(oracle: Oracle, run: Run) -> tuple[Run, Outcome]:
    """Run a launcher, and again with what it demands."""
    run, outcome = ask_until_content(oracle, run)
    for _ in range(_NEEDED):
        demanded = _DEMANDED.search(outcome.errors)
        if outcome.launches or not demanded or demanded[1] in run.environment:
            break
        value = "8" if _COUNTED.search(demanded[1]) else f"/x/{demanded[1]}"
        run = replace(run, environment={**run.environment, demanded[1]: value})
        run, outcome = ask_until_content(oracle, run)
    return run, outcome


def _differences(run: Run, outcome: Outcome, oracle: Oracle) -> Iterator[str]:
    evaluation = predicted(run, oracle.environment(run))
    found = compare(run, outcome, evaluation)
    candidates = [[word.text for word in launch.argv] for launch in evaluation.launches]
    for argv in found.missing:
        yield f"bash launches what is not predicted, {differing_word(argv, candidates)}"
    for argv in found.extra:
        yield f"predicted is what bash does not launch, {differing_word(argv, outcome.launches)}"


def last_words(errors: str) -> str:
    """The last line that a script itself wrote, of all that it says."""
    lines = [line.strip() for line in errors.splitlines() if line.strip() and not _TRACE.match(line)]
    return lines[-1] if lines else ""
