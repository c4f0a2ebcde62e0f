"""Compare what real bash launches with what the evaluator says, for every launcher of local checkouts.

    python tools/corpus_check.py ROOT… [--only GLOB]

Each launcher runs in the sandbox of ``bash_oracle`` without an argument and, where it assigns MODE, with ``sync`` and
``async`` too; variables, arguments and files that it insists on are given on a further try. Exit status 1 when a
launch is missing or too many, or a word differs.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from relax_lint.shell.evaluate import Evaluation, Reading, evaluate
from relax_lint.shell.launch import Word
from tools.bash_oracle import ENVIRONMENT, RECORDED, Oracle, Outcome, Run

GIVEN = {
    "MODEL_DIR": "/m", "DATA_DIR": "/d", "SAVE_DIR": "/s", "EXP_DIR": "/e", "RELAX_ENTRYPOINT_MODE": "local",
    "WANDB_KEY": "k", "RUNTIME_ENV_JSON": '{"env_vars": {}}', "HEAD_IP": "10.0.0.1", "MASTER_ADDR": "127.0.0.1",
    "BASE_FOLDER": "/b", "BASE_DIR": "/b", "HDFS_ROOT": "/h", "USE_DUMMY_MODEL": "False", "RAY_DATA_HOME": "/r",
}  # fmt: skip
"""Variables that launchers take from their surroundings."""
DIRECTORIES = ("/b", "/d", "/e", "/h", "/m", "/r", "/s")
ATTEMPTS = 6
_UNSET = re.compile(r"line \d+: (\w+): unbound variable")
_NEEDS_ARGUMENTS = re.compile(r"\$?\d: unbound variable|[Uu]sage:")
_NO_FILE = re.compile(r": (/\S+): No such file or directory")
_NO_DIRECTORY = re.compile(r"[Nn]ot found\W+(/[^\s'\"]+)")


@dataclass(slots=True)
class Difference:
    """One run whose launches do not agree; ``missing`` and ``extra`` hold whole argvs."""

    run: Run
    missing: list[tuple[str, ...]] = field(default_factory=list)
    extra: list[tuple[str, ...]] = field(default_factory=list)
    undecided: int = 0
    """Launches that bash did not make, on a way whose conditions could not be decided."""
    exact: int = 0
    unresolved_words: int = 0
    note: str = ""


def launchers(root: Path, only: str) -> list[Path]:
    """Shell scripts of a checkout."""
    return sorted(path for path in root.rglob(only) if path.suffix == ".sh" and path.is_file())


def runs_of(script: Path, root: Path) -> list[Run]:
    """The runs to make of a launcher."""
    environment = dict(GIVEN, MODEL_CONFIG_DIR=str(root / "scripts" / "models"))
    plain = Run(script, (), environment, root, DIRECTORIES, (f"{ENVIRONMENT['HOME']}/.bashrc",))
    if not re.search(r"\bMODE=", script.read_text(errors="replace")):
        return [plain]
    return [plain, replace(plain, arguments=("sync",)), replace(plain, arguments=("async",))]


def ask_until_content(oracle: Oracle, run: Run) -> tuple[Run, Outcome]:
    """Run a launcher; give it what it says it misses, and run it again."""
    outcome = oracle.ask(run)
    for _ in range(ATTEMPTS - 1):
        unset = _UNSET.search(outcome.errors)
        no_file = _NO_FILE.search(outcome.errors)
        no_directory = _NO_DIRECTORY.search(outcome.errors)
        if unset and unset[1] not in run.environment:
            run = replace(run, environment={**run.environment, unset[1]: f"/x/{unset[1]}"})
        elif _NEEDS_ARGUMENTS.search(outcome.errors) and not run.arguments:
            run = replace(run, arguments=("8", "/x/out"))
        elif no_file and not outcome.launches and no_file[1] not in run.files:
            run = replace(run, files=(*run.files, no_file[1]))
        elif no_directory and not outcome.launches and no_directory[1] not in run.directories:
            run = replace(run, directories=(*run.directories, no_directory[1]))
        else:
            break
        outcome = oracle.ask(run)
    return run, outcome


def predicted(run: Run, environment: dict[str, str]) -> Evaluation:
    """What the evaluator says of a run."""
    root = run.cwd or run.script.parent
    return evaluate(run.script, Reading(clean=True, env=environment, args=run.arguments, cwd=root, root=root))


def compare(run: Run, outcome: Outcome, evaluation: Evaluation) -> Difference:
    """Which launches both know, and which only one of them does. An unresolved part stands for any text."""
    result = Difference(run)
    real = list(dict.fromkeys(outcome.launches))
    ours = [launch for launch in evaluation.launches if launch.argv and launch.argv[0].text in RECORDED]
    patterns = [launch_pattern(launch.argv) for launch in ours]
    for argv in real:
        spelled = "".join("\0" + word for word in argv)
        agreeing = [launch for launch, pattern in zip(ours, patterns, strict=True) if pattern.fullmatch(spelled)]
        if not agreeing:
            result.missing.append(argv)
            continue
        result.exact += 1
        result.unresolved_words += min(sum(not word.known for word in launch.argv) for launch in agreeing)
    spellings = ["".join("\0" + word for word in argv) for argv in real]
    for launch, pattern in zip(ours, patterns, strict=True):
        if any(pattern.fullmatch(spelled) for spelled in spellings):
            continue
        if launch.conditions:
            result.undecided += 1
        else:
            result.extra.append(tuple(word.text for word in launch.argv))
    if evaluation.too_complex is not None:
        result.note = "more ways than the bound"
    return result


def launch_pattern(argv: Sequence[Word]) -> re.Pattern[str]:
    """Matches an argv whose words each stand behind a NUL."""
    return re.compile("".join(map(_word_pattern, argv)), re.DOTALL)


def _word_pattern(word: Word) -> str:
    parts: list[str] = []
    rest = word.text
    for unknown in word.unknowns:
        before, found, behind = rest.partition(unknown.text)
        if not found:
            return "(?:\0[^\0]*)*" if word.open else "\0[^\0]*"
        parts += re.escape(before), ("[^\0]*(?:\0[^\0]*)*" if unknown.split else "[^\0]*")
        rest = behind
    if word.open and not rest and not any(parts[::2]):
        return "(?:\0[^\0]*)*"
    return "\0" + "".join(parts) + re.escape(rest)


def differing_word(argv: Sequence[str], candidates: Sequence[Sequence[str]]) -> str:
    """The first word in which the nearest candidate differs."""
    best: tuple[int, Sequence[str]] = (-1, ())
    for candidate in candidates:
        same = next((at for at, (a, b) in enumerate(zip(argv, candidate, strict=False)) if a != b), None)
        at = min(len(argv), len(candidate)) if same is None else same
        best = max(best, (at, candidate), key=lambda entry: entry[0])
    at, candidate = best
    if at < 0:
        return "nothing is predicted"
    ours = repr(candidate[at]) if at < len(candidate) else "the end"
    return f"word {at}: bash has {repr(argv[at]) if at < len(argv) else 'the end'}, predicted {ours}"


def check(oracle: Oracle, root: Path, only: str) -> Iterator[tuple[Difference, Evaluation | None]]:
    """Every run of every launcher of a checkout."""
    runs = [run for script in launchers(root, only) for run in runs_of(script, root)]
    for run, outcome in oracle.each(lambda run: ask_until_content(oracle, run), runs):
        if outcome.status is None:
            yield Difference(run, note="never ended under bash"), None
            continue
        evaluation = predicted(run, oracle.environment(run))
        yield compare(run, outcome, evaluation), evaluation


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the checkouts and print a summary."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("roots", nargs="+", type=Path, metavar="ROOT")
    parser.add_argument("--only", default="*.sh", help="launchers to check, by file name")
    options = parser.parse_args(arguments)
    wrong = False
    with Oracle() as oracle:
        for root in options.roots:
            wrong |= _report(oracle, root.resolve(), options.only)
    return int(wrong)


def _report(oracle: Oracle, root: Path, only: str) -> bool:
    runs = exact = missing = extra = undecided = unresolved = 0
    for result, evaluation in check(oracle, root, only):
        runs += 1
        exact += result.exact
        missing += len(result.missing)
        extra += len(result.extra)
        undecided += result.undecided
        unresolved += result.unresolved_words
        name = " ".join([str(result.run.script.relative_to(root)), *result.run.arguments])
        if result.note:
            print(f"{name}: {result.note}")
        candidates = [[word.text for word in launch.argv] for launch in evaluation.launches] if evaluation else []
        for argv in result.missing:
            print(f"{name}: missing {' '.join(argv[:4])} … {differing_word(argv, candidates)}")
        for argv in result.extra:
            print(f"{name}: extra {' '.join(argv[:6])} …")
    print(
        f"{root.name}: {runs} runs, {exact} launches exact ({unresolved} words with an unresolved part), "
        f"{missing} missing, {extra} extra, {undecided} more behind undecided conditions"
    )
    return bool(missing or extra)


if __name__ == "__main__":
    sys.exit(main())
