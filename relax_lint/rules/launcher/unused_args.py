"""An array of flags that no launch is given, of which only the first element is, or one that is given twice.

## What

An array assigned in the launcher's own files that holds flags and is expanded in no launch, no other array and no call;
printing it is no use of it. An array of which a launch is given only the first element, since it is expanded without
`[@]`: `$ROLLOUT_ARGS`, `"${ROLLOUT_ARGS}"`; one that holds no flags, or a single element, is left alone. An array whose
index stands outside of the braces, `"$ROLLOUT_ARGS[@]"`, or that is one word, `"${ROLLOUT_ARGS[*]}"`, and not the value
of a flag. As a warning, an array that one launch expands twice. A file that several launchers of the recipe source is
judged with all of them together, and a file that launches nothing is not judged at all. A script that lists the names
of its variables, or puts names together, may pass an array that it does not name, which is not checked.

## Why

bash does not mind, and neither does Relax: the run starts without the optimizer, the evaluation or the sampling that
the launcher spells out, and trains with defaults. Passed twice, the second expansion overrides what stands between the
two.

## Source

The guide's own template defines `EVAL_ARGS` and never passes it.

## Example

    EVAL_ARGS=(
        --eval-interval 100
    )
    python3 relax/entrypoints/train.py "${ROLLOUT_ARGS[@]}"

## Fix

Unsafe, since the flags may have been left out on purpose: passes the array to every launch of the file, expands it
whole, or takes the second expansion out. Where the launcher expands an array that nothing sets, by a name so much alike
that this one was meant, the name is put right. Safe where all elements were meant, and none of their flags is given
elsewhere, too: writes `"${ROLLOUT_ARGS[@]}"` for an index that is outside of the braces, or for `[*]`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from relax_lint.array_expansions import misspelt, whole_array, without_index
from relax_lint.attached import attached
from relax_lint.catalog.launches import namespace_of
from relax_lint.catalog.switches import takes_several
from relax_lint.catalog.words import flag_in_text
from relax_lint.diagnostics import Edit, Finding, Fix, NotChecked, Place
from relax_lint.fixers.launcher_edits import append_to_command, remove
from relax_lint.flag_arrays import FilledArray, arrays_in, is_flag
from relax_lint.project import Project
from relax_lint.rules import ERROR, WARNING, Example, rule
from relax_lint.shell.launch import Argument, Launch, Word
from relax_lint.shell.nodes import Function, Parameter, SimpleCommand
from relax_lint.shell.nodes import Word as WrittenWord
from relax_lint.shell.queries import why_not_whole, written_command
from relax_lint.shell.walk import commands_of, nodes_of
from relax_lint.sources.launcher import LauncherSource
from relax_lint.sources.script import ScriptFile
from relax_lint.sources.text import SourceFile
from relax_lint.unused_arrays import misspelling_of, own_files, unused_arrays

_FLAG_IN_TEXT = re.compile(r"(?<!\S)--[A-Za-z][\w-]*")

_TRAIN = "python3 relax/entrypoints/train.py"
_EVAL = "EVAL_ARGS=(\n    --eval-interval 100\n)\n"

VALID: list[Example | str] = [
    f'A=(--lr 1e-6)\nrun() {{ {_TRAIN} "$@"; }}\nrun --colocate "${{A[@]}}"\nrun --fully-async "${{A[@]}}"\n',
    f'A=()\nfor kind in a b; do A+=(--eval-prompt-data $kind); done\nrun() {{ {_TRAIN} "$@"; }}\nrun "${{A[@]}}"\n',
    f'{_EVAL}{_TRAIN} --lr 1e-6 "${{EVAL_ARGS[@]}}"\n',
    f'{_EVAL}ALL=(--lr 1e-6 "${{EVAL_ARGS[@]}}")\n{_TRAIN} "${{ALL[@]}}"\n',
    f"{_EVAL}{_TRAIN} ${{EVAL_ARGS[*]}}\n",
    f'{_EVAL}run() {{ {_TRAIN} "$@"; }}\nrun "${{EVAL_ARGS[@]}}"\n',
    f'{_EVAL}FLAGS="${{EVAL_ARGS[*]}}"\n{_TRAIN} $FLAGS\n',
    f'{_EVAL}pass() {{ local -n flags=$1; {_TRAIN} "${{flags[@]}}"; }}\npass EVAL_ARGS\n',
    f'{_EVAL}if [ "${{EVAL:-1}}" = 1 ]; then\n    {_TRAIN} "${{EVAL_ARGS[@]}}"\nelse\n    {_TRAIN}\nfi\n',
    f"FILES=(a.parquet b.parquet)\n{_TRAIN} --lr 1e-6\n",
    f'{_EVAL}echo "nothing is launched here"\n',
    f"# EVAL_ARGS=(--eval-interval 100)\n{_TRAIN} --lr 1e-6\n",
    f'{_EVAL}bash -c "{_TRAIN} ${{EVAL_ARGS[*]}}"\n',
    f"{_EVAL}CMD=$(printf '%s ' \"${{EVAL_ARGS[@]}}\")\n{_TRAIN} $CMD\n",
    f'for i in 1 2; do EXTRA+=(--agent-env "K$i=v"); done\n{_TRAIN} "${{EXTRA[@]}}"\n',
    Example(
        {
            "examples/demo/common.sh": f"{_EVAL}LR=(--lr 1e-6)\n",
            "examples/demo/run_a.sh": f'source "$(dirname "$0")/common.sh"\n{_TRAIN} "${{LR[@]}}" '
            f'"${{EVAL_ARGS[@]}}"\n',
            "examples/demo/run_b.sh": f'source "$(dirname "$0")/common.sh"\n{_TRAIN} "${{LR[@]}}"\n',
        }
    ),
    Example(
        {
            "examples/demo/run_demo.sh": f'MODEL_CONFIG_DIR=scripts/models\nsource "${{MODEL_CONFIG_DIR}}/q.sh"\n'
            f"{_TRAIN} --lr 1e-6\n",
            "scripts/models/q.sh": "MODEL_ARGS=(--num-layers 2)\n",
        }
    ),
    f'FILES=(a.parquet b.parquet)\n{_TRAIN} --prompt-data "${{FILES[@]}}" --dump-details "${{FILES[@]}}"\n',
    f'if [ -n "$BIG" ]; then ALL=(--lr 1e-6); else ALL=(--lr 1e-5); fi\n{_TRAIN} "${{ALL[@]}}"\n',
    f'{_EVAL}source "$LAUNCH_SCRIPT"\n{_TRAIN} --lr 1e-6\n',
    f'FILES=(/data/test.parquet)\n{_TRAIN} --prompt-data "${{FILES}}" --lr 1e-6\n',
    f"FLAG=(--colocate)\n{_TRAIN} $FLAG --lr 1e-6\n",
    f"FILES=(a.parquet b.parquet)\n{_TRAIN} --prompt-data $FILES --lr 1e-6\n",
    f'EVAL_ARGS="--eval-interval 100 --eval-top-p 0.7"\n{_TRAIN} $EVAL_ARGS\n',
    f'CMD=(--host h --port 1)\n{_TRAIN} --agent-command "${{CMD[*]}}" --lr 1e-6\n',
    f'ONE=(--colocate)\n{_TRAIN} "${{ONE[*]}}" --lr 1e-6\n',
    f'FILES=(a.parquet b.parquet)\n{_TRAIN} --prompt-data "${{FILES[*]}}" --lr 1e-6\n',
    f'{_EVAL}echo "flags: ${{EVAL_ARGS[*]}} $EVAL_ARGS[@]"\n{_TRAIN} ${{EVAL_ARGS[*]}}\n',
    f'NODE=(--num-nodes 1)\necho "$NODE"\n{_TRAIN} "${{NODE[0]}}" "${{NODE[1]}}"\n',
    f'CP=(--colocate --lr 1e-6)\n[ -n "$CP" ] && {_TRAIN} "${{CP[@]}}"\n',
]

INVALID = [
    Example(
        f'ARGS=(\n    --lr 1e-6\n)\nrun() {{\n    {_TRAIN} "$@"\n}}\nrun --colocate "${{ARGS[@]}}" "${{ARGS[@]}}"\n',
        findings=((7, 29, WARNING),),
        fixed=f'ARGS=(\n    --lr 1e-6\n)\nrun() {{\n    {_TRAIN} "$@"\n}}\nrun --colocate "${{ARGS[@]}}"\n',
        unsafe=True,
    ),
    Example(
        f'LR=(\n    --lr 1e-6\n)\nARGS=("${{LR[@]}}")\n{_TRAIN} "${{ARGS[@]}}" "${{ARGS[@]}}"\n',
        findings=((5, 49, WARNING),),
        fixed=f'LR=(\n    --lr 1e-6\n)\nARGS=("${{LR[@]}}")\n{_TRAIN} "${{ARGS[@]}}"\n',
        unsafe=True,
    ),
    Example(
        f"{_EVAL}{_TRAIN} --lr 1e-6\n",
        findings=((1, 1),),
        fixed=f'{_EVAL}{_TRAIN} --lr 1e-6 "${{EVAL_ARGS[@]}}"\n',
        unsafe=True,
    ),
    Example(
        f"ROLLOUT_ARGS=(--rollout-batch-size 32)\n{_EVAL}{_TRAIN} \\\n    --colocate \\\n    "
        f'"${{ROLLOUT_ARGS[@]}}" \\\n'
        "    2>&1 | tee x.log\n",
        findings=((2, 1),),
        fixed=f"ROLLOUT_ARGS=(--rollout-batch-size 32)\n{_EVAL}{_TRAIN} \\\n    --colocate \\\n"
        '    "${ROLLOUT_ARGS[@]}" \\\n    "${EVAL_ARGS[@]}" \\\n    2>&1 | tee x.log\n',
        unsafe=True,
    ),
    Example(
        f"EVAL_ARGS=(--eval-interval 100)\nEVAL_ARGS+=(--eval-top-p 0.7)\n{_TRAIN} --lr 1e-6\n", findings=((1, 1),)
    ),
    Example(
        f'{_EVAL}EVAL_ARGS=("${{EVAL_ARGS[@]}}" --skip-eval-before-train)\n{_TRAIN} --lr 1e-6\n', findings=((1, 1),)
    ),
    Example(f'{_EVAL}echo "flags: ${{EVAL_ARGS[@]}}"\n{_TRAIN} --lr 1e-6\n', findings=((1, 1),)),
    Example(
        f"{_EVAL}if [ ${{#EVAL_ARGS[@]}} -gt 0 ]; then echo evaluates; fi\n{_TRAIN} --lr 1e-6\n", findings=((1, 1),)
    ),
    Example(f"declare -a PERF_ARGS=(--micro-batch-size 1)\n{_TRAIN} --lr 1e-6\n", findings=((1, 12),)),
    Example(
        f'OPTIMISER_ARGS=(\n    # Adam\n    --optimizer adam\n)\n{_TRAIN} "${{OPTIMIZER_ARGS[@]}}"\n',
        findings=((1, 1),),
        fixed=f'OPTIMISER_ARGS=(\n    # Adam\n    --optimizer adam\n)\n{_TRAIN} "${{OPTIMISER_ARGS[@]}}"\n',
        unsafe=True,
    ),
    Example(
        f'MISC_ARGS=(--attention-dropout 0.0)\nALL=(--lr 1e-6 "${{MISCC_ARGS[@]}}")\n{_TRAIN} "${{ALL[@]}}"\n',
        findings=((1, 1),),
        fixed=f'MISC_ARGS=(--attention-dropout 0.0)\nALL=(--lr 1e-6 "${{MISC_ARGS[@]}}")\n{_TRAIN} "${{ALL[@]}}"\n',
        unsafe=True,
    ),
    Example(
        f'ALL=("${{ROLLOUT[@]}}")\nROLLOUT=(--input-key prompt)\nSGLANG=(--sglang-mem-fraction-static=0.8)\n'
        f'{_TRAIN} "${{ALL[@]}}"\n',
        findings=((3, 1),),
    ),
    Example(
        {
            "examples/demo/common.sh": f"{_EVAL}LR=(--lr 1e-6)\n",
            "examples/demo/run_a.sh": f'source "$(dirname "$0")/common.sh"\n{_TRAIN} "${{LR[@]}}"\n',
            "examples/demo/run_b.sh": f'source "$(dirname "$0")/common.sh"\n{_TRAIN} "${{LR[@]}}" --colocate\n',
        },
        findings=(("examples/demo/common.sh", 1, 1),),
    ),
    Example(
        f'{_EVAL}{_TRAIN} "${{EVAL_ARGS[@]}}" --lr 1e-6 "${{EVAL_ARGS[@]}}"\n',
        findings=((4, 64, WARNING),),
        fixed=f'{_EVAL}{_TRAIN} "${{EVAL_ARGS[@]}}" --lr 1e-6\n',
        unsafe=True,
    ),
    Example(
        f'{_EVAL}if [ "${{1:-sync}}" = async ]; then\n    {_TRAIN} --fully-async \\\n        "${{EVAL_ARGS[@]}}" \\\n'
        f'        --lr 1e-6 \\\n        "${{EVAL_ARGS[@]}}"\nelse\n    {_TRAIN} "${{EVAL_ARGS[@]}}"\nfi\n',
        findings=((8, 9, WARNING),),
    ),
    Example(
        f'{_EVAL}ALL=(--lr 1e-6 "${{EVAL_ARGS[@]}}")\n{_TRAIN} "${{ALL[@]}}" "${{EVAL_ARGS[@]}}"\n',
        findings=((5, 48, WARNING),),
    ),
    Example(
        f"function defaults {{\n    MISC=(--attention-dropout 0.0)\n}}\ndefaults\nunset MISC\n{_TRAIN} --lr 1e-6\n",
        findings=((2, 5),),
    ),
    Example(
        f"ROLLOUT_ARGS=(--rollout-batch-size 32 --global-batch-size 128)\n{_TRAIN} --colocate $ROLLOUT_ARGS\n",
        findings=((2, 47),),
        fixed="ROLLOUT_ARGS=(--rollout-batch-size 32 --global-batch-size 128)\n"
        f'{_TRAIN} --colocate "${{ROLLOUT_ARGS[@]}}"\n',
        unsafe=True,
    ),
    Example(
        f'{_EVAL}EVAL_ARGS+=(--eval-top-p 0.7)\n{_TRAIN} \\\n    --colocate \\\n    "${{EVAL_ARGS}}"\n',
        findings=((7, 5),),
        fixed=f'{_EVAL}EVAL_ARGS+=(--eval-top-p 0.7)\n{_TRAIN} \\\n    --colocate \\\n    "${{EVAL_ARGS[@]}}"\n',
        unsafe=True,
    ),
    Example(
        f'{_EVAL}ALL=(--lr 1e-6 $EVAL_ARGS)\n{_TRAIN} "${{ALL[@]}}"\n',
        findings=((4, 16),),
        fixed=f'{_EVAL}ALL=(--lr 1e-6 "${{EVAL_ARGS[@]}}")\n{_TRAIN} "${{ALL[@]}}"\n',
        unsafe=True,
    ),
    Example(
        f'{_EVAL}if [ "${{1:-sync}}" = async ]; then\n    {_TRAIN} --fully-async $EVAL_ARGS\nelse\n'
        f'    {_TRAIN} "${{EVAL_ARGS[@]}}"\nfi\n',
        findings=((5, 54),),
    ),
    Example(
        f'{_EVAL}{_TRAIN} --colocate "${{EVAL_ARGS[*]}}"\n',
        findings=((4, 47),),
        fixed=f'{_EVAL}{_TRAIN} --colocate "${{EVAL_ARGS[@]}}"\n',
    ),
    Example(
        f'{_EVAL}{_TRAIN} --colocate "$EVAL_ARGS[@]"\n',
        findings=((4, 47),),
        fixed=f'{_EVAL}{_TRAIN} --colocate "${{EVAL_ARGS[@]}}"\n',
    ),
    Example(
        f"{_EVAL}{_TRAIN} --colocate $EVAL_ARGS[@]\n",
        findings=((4, 47),),
        fixed=f'{_EVAL}{_TRAIN} --colocate "${{EVAL_ARGS[@]}}"\n',
    ),
    Example(
        f'{_EVAL}ALL=(--lr 1e-6 "${{EVAL_ARGS}}[@]")\n{_TRAIN} "${{ALL[@]}}"\n',
        findings=((4, 16),),
        fixed=f'{_EVAL}ALL=(--lr 1e-6 "${{EVAL_ARGS[@]}}")\n{_TRAIN} "${{ALL[@]}}"\n',
    ),
    Example(
        f'{_EVAL}{_TRAIN} --eval-prompt-data gsm8k /d/a.parquet "${{EVAL_ARGS[*]}}"\n',
        findings=((4, 74),),
        fixed=f'{_EVAL}{_TRAIN} --eval-prompt-data gsm8k /d/a.parquet "${{EVAL_ARGS[@]}}"\n',
    ),
    Example(
        f'{_EVAL}{_TRAIN} --eval-interval 5 --colocate "${{EVAL_ARGS[*]}}"\n',
        findings=((4, 65),),
        fixed=f'{_EVAL}{_TRAIN} --eval-interval 5 --colocate "${{EVAL_ARGS[@]}}"\n',
        unsafe=True,
    ),
    Example(
        "COMMON=(\n    --lr 1e-6\n)\nSYNC=(--colocate --balance-data)\n"
        f'run() {{ {_TRAIN} "${{COMMON[@]}}" "$@"; }}\nrun "${{SYNC[*]}}"\n',
        findings=((6, 5),),
        fixed="COMMON=(\n    --lr 1e-6\n)\nSYNC=(--colocate --balance-data)\n"
        f'run() {{ {_TRAIN} "${{COMMON[@]}}" "$@"; }}\nrun "${{SYNC[@]}}"\n',
    ),
]


_Arrays: TypeAlias = Mapping[str, Sequence[FilledArray]]


@rule("RLX421", "unused-args", ERROR, on="launcher", everywhere=True, valid=VALID, invalid=INVALID, fixable="safe")
def unused_args(launcher: LauncherSource, project: Project) -> Iterator[Finding | NotChecked]:
    """Say which arrays go nowhere, and which twice."""
    launches = [launch for launch in launcher.launches if launch.kind == "relax"]
    if not launches:
        return
    unread = why_not_whole(launcher)
    if unread is not None:
        yield NotChecked(Place(launcher, 0, 0), unread)
        return
    files = [launcher, *launcher.evaluation.sourced]
    for array, because in unused_arrays(launcher, launches, project):
        if because is not None:
            yield NotChecked(array.place, because)
            continue
        message = f"{array.name} holds flags and is passed to no launch: they have no effect"
        misspelt = misspelling_of(array.name, files)
        if misspelt is not None:
            message += f"; {misspelt}, which nothing sets, is expanded in its place"
        own = own_files(launcher, project)
        fix = _pass(array.name, launches) if misspelt is None else _respelled(misspelt, array.name, files, own)
        yield Finding(array.place, message, fix=fix, subject=array.name)
    arrays = _by_name(files)
    for launch in launches:
        yield from _first_only(launch, files, arrays)
        yield from _misspelt_expansions(launch, launches, arrays, project)
        yield from _twice(launch, files, arrays)


def _pass(name: str, launches: Sequence[Launch]) -> Fix | None:
    edits: dict[int, Edit] = {}
    for launch in launches:
        written = written_command(launch)
        edit = None if written is None else append_to_command(*written, [f'"${{{name}[@]}}"'])
        if edit is None:
            return None
        edits[edit.start] = edit
    reason = "the flags may have been left out on purpose"
    return Fix(f"pass {name} to the launch", lambda: list(edits.values()), safe=False, reason=reason)


def _respelled(misspelt: str, name: str, files: Sequence[ScriptFile], own: Sequence[ScriptFile]) -> Fix | None:
    """The right name wherever the wrong one is read; no fix where other recipes' files do."""
    edits = []
    for source in files:
        for parameter in nodes_of(source, Parameter):
            if parameter.name == misspelt:
                if source not in own:
                    return None
                at = source.text.index(misspelt, parameter.start)
                edits.append(Edit.at(Place(source, at, at + len(misspelt)), name))
    reason = "the flags have had no effect until now"
    return Fix(f"write {name} for {misspelt}", lambda: edits, safe=False, reason=reason)


def _first_only(launch: Launch, files: Sequence[ScriptFile], arrays: _Arrays) -> Iterator[Finding]:
    """Arrays of flags of which nothing but the first element reaches a launch."""
    reached = launch.written
    for name, filled in arrays.items():
        for array in filled:
            first, second = (array.words[at : at + 1] for at in range(2))
            if array.append or not _reach(array, first, reached) or _reach(array, second, reached):
                continue
            added = [each for each in filled if each.append]
            lost = [*array.words[1:], *(word for each in added for word in each.words)]
            if not lost or not any(each.flags for each in (array, *added)):
                continue
            if not (
                _reach(array, array.words[1:], reached) or any(_reach(each, each.words, reached) for each in added)
            ):
                yield from _cut_expansions(name, lost, launch, files)


def _reach(array: FilledArray, words: Iterable[WrittenWord], reached: Container[tuple[SourceFile, int]]) -> bool:
    """Whether one of some elements reaches a launch."""
    return any((array.source, word.start) in reached for word in words)


def _cut_expansions(
    name: str, lost: Sequence[WrittenWord], launch: Launch, files: Sequence[ScriptFile]
) -> Iterator[Finding]:
    """Where a launch, or what leads to it, expands an array without its index."""
    named = _named([word.literal for word in lost if is_flag(word) and word.literal] or ["the others"])
    whole = f'"${{{name}[@]}}"'
    message = (
        f"only the first element of {name} is passed, {named} not: without [@] bash expands no more; write {whole}"
    )
    found = [(source, *each) for source in files for each in without_index(source).get(name, ())]
    written = written_command(launch)
    here = [
        (source, word, part)
        for source, word, part in found
        if written is not None and source is written[0] and written[1].start <= part.start < written[1].end
    ]
    for source, word, part in here or found:
        fix = None
        place = Place(source, part.start, part.end)
        if word is not None:
            place = Place(source, word.start, word.end)
            fix = _expanded(name, Edit.at(place, whole), "the other elements may not be meant")
        yield Finding(place, message, fix=fix, launch=launch, subject=name)


def _named(flags: Sequence[str]) -> str:
    return ", ".join(flags[:3]) + (f" and {len(flags) - 3} more" if len(flags) > 3 else "")


def _misspelt_expansions(
    launch: Launch, launches: Sequence[Launch], arrays: _Arrays, project: Project
) -> Iterator[Finding]:
    """Words that were meant to be all elements of an array, and hold them as one or are the first with an index."""
    for word in launch.argv[launch.entry + 1 :]:
        meant = None if word.place is None else misspelt(word.place)
        if word.place is None or meant is None:
            continue
        whole = f'"${{{meant.name}[@]}}"'
        lost = _lost(word, launch, project) if meant.joined else "ignored"
        if meant.joined:
            flags = _FLAG_IN_TEXT.findall(word.text) if lost is not None else []
            what = f"all of {meant.name} as one word"
        else:
            flags = [flag.literal or "" for array in arrays.get(meant.name, ()) for flag in array.flags]
            what = f"the first element of {meant.name} with an index behind it"
        flags = list(dict.fromkeys(flags))
        if flags:
            message = f"{meant.written} is {what}: {_named(flags)} {_is_or_are(flags)} {lost}; write {whole}"
            to = [each for each in launches if any(given.place == word.place for given in each.argv)]
            overrides = any(each.has(flag) for each in to for flag in flags)
            reason = "flags that are given elsewhere, too, get other values" if overrides else None
            fix = _expanded(meant.name, Edit.at(word.place, whole), reason)
            yield Finding(word.place, message, fix=fix, launch=launch, subject=meant.name)


def _is_or_are(flags: Sequence[str]) -> str:
    return "is" if len(flags) == 1 else "are"


def _lost(word: Word, launch: Launch, project: Project) -> str | None:
    """What becomes of a word of several flags that is nobody's value, or one of any number; ``None`` for others."""
    first = flag_in_text(word)
    if first is None:
        return None
    at = launch.argv.index(word) - launch.entry - 1
    namespace = namespace_of(launch, project)
    matches = (match for parsed in namespace.parsed.values() for match in parsed.matches)
    takers = [match for match in matches if not match.inline and match.at < at <= match.at + len(match.values)]
    if not all(takes_several(match.option) and namespace.parsers.named(first)[0] for match in takers):
        return None
    return f"taken for a value of {takers[0].option}" if takers else "ignored"


def _expanded(name: str, edit: Edit, reason: str | None) -> Fix:
    return Fix(f"expand all of {name}", lambda: [edit], safe=reason is None, reason=reason)


def _twice(launch: Launch, files: Sequence[ScriptFile], arrays: _Arrays) -> Iterator[Finding]:
    """Arrays whose elements reach a launch twice because it expands them twice, itself or through other arrays."""
    flags = [word.place for word in launch.argv[launch.entry + 1 :] if word.place and word.text.startswith("--")]
    if len(set(flags)) == len(flags):
        return
    repeated = [place for place, times in Counter(flags).items() if times > 1]
    for name, place in _second_expansions(launch, repeated, files, arrays):
        written = place.source.text[place.start : place.end].strip('"')
        edit = remove(Argument(written, (), Word(written, place=place)))
        yield Finding(
            place,
            f"{name} is passed twice to this launch",
            severity=WARNING,
            fix=None if edit is None else _removal(name, edit, "what the second expansion overrides changes"),
            launch=launch,
            subject=name,
        )


def _second_expansions(
    launch: Launch, repeated: Sequence[Place], files: Sequence[ScriptFile], arrays: _Arrays
) -> Iterator[tuple[str, Place]]:
    """Where a launch, or a call that hands its words on to it, expands an array with repeated flags once more."""
    written = written_command(launch)
    calls = [(each, command) for each in files for command in _calls(each)]
    told: set[str] = set()
    for source, command in [*([] if written is None else [written]), *calls]:
        expansions = list(_expansions(command.words, source, arrays, ()))
        for name in dict.fromkeys(name for name, _ in expansions):
            places = [place for given, place in expansions if given == name]
            if len(places) < 2 or name in told:
                continue
            along = _along(name, arrays)
            if any(each.holds(place) for given in along for each in arrays.get(given, ()) for place in repeated):
                told |= along
                yield name, places[1]


@attached
def _calls(source: ScriptFile) -> Sequence[SimpleCommand]:
    """The calls of a file's functions in it."""
    names = {function.name for function in nodes_of(source, Function)}
    return [
        command
        for command in commands_of(source)
        if command.words and isinstance(command.words[0], WrittenWord) and command.words[0].literal in names
    ]


def _by_name(files: Sequence[ScriptFile]) -> _Arrays:
    """What each name is set to in some files."""
    found: dict[str, list[FilledArray]] = {}
    for source in files:
        for array in arrays_in(source):
            found.setdefault(array.name, []).append(array)
    return found


def _expansions(
    words: Iterable[object], source: SourceFile, arrays: _Arrays, within: tuple[str, ...]
) -> Iterator[tuple[str, Place]]:
    """Every array that some words expand whole, and those that its elements do, with where it is spelt."""
    for word in words:
        name = whole_array(word) if isinstance(word, WrittenWord) else None
        if name is None or name in within or not isinstance(word, WrittenWord):
            continue
        yield name, Place(source, word.start, word.end)
        for each in arrays.get(name, ()):
            yield from _expansions(each.words, each.source, arrays, (*within, name))


def _along(name: str, arrays: _Arrays) -> set[str]:
    """An array and those that come with it."""
    given = (each for one in arrays.get(name, ()) for each in _expansions(one.words, one.source, arrays, (name,)))
    return {name, *(inner for inner, _ in given)}


def _removal(name: str, edit: Edit, reason: str) -> Fix:
    return Fix(f"take the second {name} out", lambda: [edit], safe=False, reason=reason)
