"""A launch needs a variable that nothing sets.

## What

A variable in the flags of a launch that neither the script nor what it sources sets, checks or gives a default, that
the comments at the script's head do not name, and that is not one that users or entry points set by convention
(`MODEL_DIR`, `DATA_DIR`, `SAVE_DIR`, `MODE`, `HOME`, `RAY_*` …). An array that nothing fills counts too: bash passes
nothing for it; where its name misspells that of an array of flags which goes nowhere, RLX421 says so instead.

## Why

An empty variable leaves its flag without a value, or, unquoted, lets the next flag be its value. A misspelt name has
the same effect as one that the user was never told to set. An array by a wrong name drops all its flags in silence.

## Source

Guide: the table of variables that a launcher relies on, and who sets them; the conversion header names the others.

## Example

    python3 relax/entrypoints/train.py --prompt-data "${PROMPT_SET}"

## Fix

Set it, give it a default (`${PROMPT_SET:-…}`), let the script refuse to start without it (`${PROMPT_SET:?}`), or name
it in the header.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from relax_lint.asked_variables import is_asked_for
from relax_lint.catalog.relax_defaults import KNOWN_ENVIRONMENT
from relax_lint.diagnostics import Finding, NotChecked, Place
from relax_lint.patterns import pattern
from relax_lint.project import Project
from relax_lint.rules import WARNING, Example, rule
from relax_lint.shell.launch import Launch
from relax_lint.shell.launch import Word as PassedWord
from relax_lint.shell.nodes import Parameter, Word
from relax_lint.shell.queries import (
    is_part_of_another,
    place_of,
    start_of,
    unread_sources,
    why_not_whole,
    written_command,
)
from relax_lint.sources.launcher import LauncherSource
from relax_lint.sources.script import EvaluatedText, ScriptFile
from relax_lint.unused_arrays import is_set, misspelling_of, unused_arrays

if TYPE_CHECKING:
    from relax_lint.shell.evaluate import Evaluation

_NEEDED = pattern(r"\$\{?(?P<name>[A-Za-z_]\w*)(?:\}|(?:##?|%%?|//?|\^|,|:\d|:\$)[^}]*\}|\Z)")
_DECLARES_COMPUTED = pattern(r"\b(?:declare|typeset|local|export|readonly)[ \t]+(?:[-+]\w+[ \t]+)*[\"']?\w*\$\S*")
_ARITHMETIC = pattern(r"\$\(\(([^?|]*)\)\)")
_NAME_IN_ARITHMETIC = pattern(r"\$\{\w+[^\w}][^}]*\}|\$\(.*\)|(?<!\w)(?P<name>[A-Za-z_]\w*)(?![\w\[#])")

_TRAIN = "python3 relax/entrypoints/train.py"

VALID: list[Example | str] = [
    f'{_TRAIN} --hf-checkpoint "${{MODEL_DIR}}/Q" --prompt-data "$DATA_DIR/a.parquet" --save ${{SAVE_DIR}}/x\n',
    f'PROMPT_SET="[\'${{DATA_DIR}}/a.parquet\']"\n{_TRAIN} --prompt-data "${{PROMPT_SET}}"\n',
    f'{_TRAIN} --num-rollout "${{NUM_ROLLOUT:-200}}"\n',
    f': "${{NUM_ROLLOUT:=200}}"\n{_TRAIN} --num-rollout "${{NUM_ROLLOUT}}"\n',
    f'{_TRAIN} --num-rollout "${{NUM_ROLLOUT:?set it}}"\n',
    (
        f'if [ -z "${{PROMPT_SET}}" ]; then\n    echo "set PROMPT_SET"\n    exit 1\nfi\n'
        f'{_TRAIN} --prompt-data "${{PROMPT_SET}}"\n'
    ),
    f'#!/bin/bash\n# Usage: PROMPT_SET=/data/a.parquet bash run_demo.sh\n\n{_TRAIN} --prompt-data "${{PROMPT_SET}}"\n',
    f"{_TRAIN} ${{USE_WANDB:+--use-wandb}} --lr 1e-6\n",
    f"{_TRAIN} --lr 1e-6 ${{EXTRA_ARGS:-}} ${{MORE_ARGS-}}\n",
    f'[[ -v LR ]] || exit 1\n{_TRAIN} --lr "$LR" --tb-experiment-name "run-$RANDOM-${{EPOCHSECONDS}}"\n',
    f"STEPS=4\n{_TRAIN} --num-rollout $((STEPS * ${{TIMES:-2}} / NUM_GPUS)) --seed $((OFFSET ? OFFSET : 1))\n",
    f'{_TRAIN} --wandb-key "${{WANDB_API_KEY}}" --wandb-group "${{USER}}-$SLURM_JOB_ID" "$@"\n',
    f'for lr in 1e-6 1e-5; do\n    {_TRAIN} --lr "$lr"\ndone\n',
    f'while getopts "n:" opt; do case $opt in n) N=$OPTARG ;; esac; done\n{_TRAIN} --num-rollout "$N"\n',
    f'read -r LR STEPS <<< "$(cat settings.txt)"\n{_TRAIN} --lr "$LR" --num-rollout "$STEPS"\n',
    f'if [ -f env.sh ]; then\n    source env.sh\nfi\n{_TRAIN} --num-rollout "$NUM_ROLLOUT"\n',
    f'echo "$UNSET_NOTE"\n{_TRAIN} --lr 1e-6 2>&1 | tee "$LOG_FILE"\n',
    f'if [ "$1" = long ]; then STEPS=400; fi\n{_TRAIN} --num-rollout "$STEPS"\n',
    f'source "${{MODEL_CONFIG_DIR}}/qwen3-8B.sh"\n{_TRAIN} --lr 1e-6 "${{MODEL_ARGS[@]}}"\n',
    f'OPTIMIZER_ARGS=(--lr 1e-6)\n{_TRAIN} --colocate "${{OPTIMISER_ARGS[@]}}"\n',
    Example(
        {
            "examples/demo/run_demo.sh": 'source "$(dirname "${BASH_SOURCE[0]}")/data.sh"\n'
            f'{_TRAIN} --prompt-data "${{PROMPT_SET}}" --eval-prompt-data demo ${{TEST_FILES}}\n',
            "examples/demo/data.sh": "PROMPT_SET=/d/a.parquet\nTEST_FILES=(/d/b.parquet)\n",
        }
    ),
    Example(
        {
            "examples/demo/run_demo.sh": "PROMPT_SET=/d/a.parquet\nARGS=(--lr 1e-6)\nsource examples/demo/launch.sh\n",
            "examples/demo/launch.sh": f'{_TRAIN} --prompt-data "${{PROMPT_SET}}" "${{ARGS[@]}}"\n',
        }
    ),
    f'export $(grep -v "^#" site.env | xargs)\n{_TRAIN} --lr "$LR"\n',
    f'for given in "$@"; do declare "${{given%%=*}}=${{given#*=}}"; done\n{_TRAIN} --lr "$lr"\n',
    f'while IFS== read -r key value; do declare -g "$key=$value"; done < site.env\n{_TRAIN} --lr "$LR"\n',
]

INVALID = [
    Example(f'{_TRAIN} --prompt-data "${{PROMPT_SET}}" --lr 1e-6\n', findings=((1, 51),)),
    Example(
        f'ROLLOUT_ARGS=(\n    --num-rollout ${{NUM_ROLLOUT}}\n)\n{_TRAIN} "${{ROLLOUT_ARGS[@]}}"\n', findings=((2, 19),)
    ),
    Example(f"{_TRAIN} --eval-prompt-data demo ${{TEST_FILES}} --eval-interval 10\n", findings=((1, 60),)),
    Example(
        f"NUM_ROLLOUTS=200\n{_TRAIN} \\\n    --num-rollout $NUM_ROLLOUT \\\n    --lr 1e-6\n",
        findings=((3, 19),),
    ),
    Example(f'{_TRAIN} --save "/ckpt/${{EXPERIMENT}}/${{VARIANT}}"\n', findings=((1, 50), (1, 64))),
    Example(f'OPTIMIZER_ARGS=(--lr 1e-6)\n{_TRAIN} --colocate "${{ROLLOUT_ARGS[@]}}"\n', findings=((2, 47),)),
    Example(f'{_TRAIN} --tb-experiment-name="demo-${{RUN_NAME}}"\n', findings=((1, 63),)),
    Example(
        f'set -x\n# the number of rollouts is NUM_ROLLOUT\n{_TRAIN} --num-rollout "${{NUM_ROLLOUT}}"\n',
        findings=((3, 51),),
    ),
    Example(f'EXP="demo-${{TAG}}"\n{_TRAIN} --tb-experiment-name "${{EXP}}"\n', findings=((1, 11),)),
    Example(
        f'run() {{\n    local steps=$1\n    {_TRAIN} --num-rollout "$steps" --lr "$LEARNING_RATE"\n}}\nrun 200\n',
        findings=((3, 69),),
    ),
    Example(f"{_TRAIN} --num-rollout $((EPOCHS * 100)) --lr 1e-6\n", findings=((1, 53),)),
    Example(f'{_TRAIN} --hf-checkpoint "${{CHECKPOINT%/}}" --lr 1e-6\n', findings=((1, 53),)),
    Example(
        'if [ "${1:-sync}" = async ]; then\n'
        f'    {_TRAIN} --fully-async --num-rollout "$STEPS"\nelse\n    {_TRAIN} --colocate '
        f'--num-rollout "$STEPS"\nfi\n',
        findings=((2, 69),),
    ),
]


@rule("RLX423", "unset-variable", WARNING, on="launcher", everywhere=True, valid=VALID, invalid=INVALID)
def unset_variable(launcher: LauncherSource, project: Project) -> Iterator[Finding | NotChecked]:
    """Say which names nobody sets, each once."""
    evaluation = launcher.evaluation
    if not evaluation.launches or is_part_of_another(launcher, project):
        return
    unread = why_not_whole(launcher)
    if unread is not None:
        yield NotChecked(Place(launcher, 0, 0), unread)
        return
    files: list[ScriptFile] = [launcher, *evaluation.sourced]
    provided: set[str] = set()
    for launch in launcher.launches:
        if launch.kind != "relax":
            continue
        needed: Iterable[tuple[str, PassedWord | Place]] = (*_variables(launch), *_arrays(launch))
        for name, found in needed:
            if name in provided:
                continue
            provided.add(name)
            if KNOWN_ENVIRONMENT.fullmatch(name) or _is_provided(name, files, launcher):
                continue
            if not isinstance(found, PassedWord) and name in _misspelt(launcher, project):
                continue
            place = _reading(name, place_of(launch, found), files) if isinstance(found, PassedWord) else found
            hidden = _unread(evaluation) or _computed_declaration(files)
            if hidden is not None:
                yield NotChecked(place, hidden)
                continue
            empty = "" if isinstance(found, PassedWord) else None
            if is_asked_for(name, files):
                continue
            if not _starts_with(name, empty, launch, launcher):
                provided.discard(name)  # another launch may go without
                continue
            yield Finding(
                place,
                f"{name} is set nowhere: neither the script nor what it sources sets it, checks it "
                f"or gives it a default",
                launch=launch,
                subject=name,
            )


def _variables(launch: Launch) -> Iterator[tuple[str, PassedWord]]:
    """The variables of the flags that are not known and may be empty, with the words that hold them."""
    for word in launch.argv[launch.entry + 1 :]:
        for unknown in word.unknowns:
            for name in () if unknown.checked else _needed(unknown.text):
                yield name, word


@lru_cache(maxsize=1024)
def _needed(expansion: str) -> list[str]:
    """The variables without which an expansion is empty, or counts with zero."""
    needed = _NEEDED.fullmatch(expansion)
    if needed is not None:
        return [needed.group("name")]
    arithmetic = _ARITHMETIC.fullmatch(expansion)
    if arithmetic is None:
        return []
    return [match.group("name") for match in _NAME_IN_ARITHMETIC.finditer(arithmetic.group(1)) if match.group("name")]


def _reading(name: str, place: Place, files: Sequence[ScriptFile]) -> Place:
    """Where a variable is read: in the word of the launch, else in what that word was made of."""
    read = re.compile(rf"\$(?:{name}(?!\w)|\{{{name}(?!\w)[^}}\n]*\}})|(?<=\(\()[^\n()]*(?<!\w){name}(?!\w)[^\n()]*")
    match = read.search(place.source.text, place.start, place.end)
    if match is not None:
        return Place(place.source, match.start(), match.end())
    for source in files:
        for match in read.finditer(source.text):
            if not any(start <= match.start() < end for start, end in source.script.comments):
                return Place(source, match.start(), match.end())
    return place


def _arrays(launch: Launch) -> Iterator[tuple[str, Place]]:
    """The arrays that the command expands whole."""
    written = written_command(launch)
    if written is None:
        return
    source, command = written
    for word in command.words:
        part = word.parts[0] if isinstance(word, Word) and len(word.parts) == 1 else None
        if isinstance(part, Parameter) and part.subscript is not None and not part.operator and not part.indirect:
            if part.subscript.literal in ("@", "*"):
                yield part.name, Place(source, word.start, word.end)


def _misspelt(launcher: LauncherSource, project: Project) -> set[str | None]:
    """The names in whose place unused-args wants an array of flags that goes nowhere."""
    files = [launcher, *launcher.evaluation.sourced]
    launches = [launch for launch in launcher.launches if launch.kind == "relax"]
    unused = unused_arrays(launcher, launches, project)
    return {misspelling_of(array.name, files) for array, because in unused if because is None}


def _is_provided(name: str, files: Sequence[ScriptFile], script: ScriptFile) -> bool:
    """Whether a name is set anywhere, or the script knows that it may not be, or its head tells users of it."""
    return is_set(name, files) or _is_in_header(name, script)


def _starts_with(name: str, empty: str | None, launch: Launch, launcher: LauncherSource) -> bool:
    """Whether a script comes to a launch when a variable is empty, too, in whatever way it would check that."""
    outcome = launcher.evaluate_with(None, {name: empty})
    return outcome.too_complex is not None or any(_is_at(other, start_of(launch)) for other in outcome.launches)


def _is_at(launch: Launch, place: Place) -> bool:
    """Whether a launch is at a place; what stands in a string that is run moves with the values in it."""
    start = start_of(launch)
    if not isinstance(place.source, ScriptFile) or isinstance(place.source, EvaluatedText):
        return start.source.path == place.source.path
    return start == place


def _is_in_header(name: str, script: ScriptFile) -> bool:
    """Whether the comments before the first command name a variable."""
    commands = script.script.commands
    end = commands[0].start if commands else len(script.text)
    named = re.compile(rf"(?<!\w){name}(?!\w)")
    return any(named.search(script.text, start, stop) for start, stop in script.script.comments if stop <= end)


def _computed_declaration(files: Iterable[ScriptFile]) -> str | None:
    """A declaration of names that are worked out, as of each word of an env file."""
    found = (_DECLARES_COMPUTED.search(source.text) for source in files)
    return next((match.group() for match in found if match is not None), None)


def _unread(evaluation: Evaluation) -> str | None:
    """A sourced file that could not be read and might set anything: not the models' and the entry points'."""
    place = next(unread_sources(evaluation), None)
    return None if place is None else place.source.text[place.start : place.end]
