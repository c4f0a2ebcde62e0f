"""A failed run looks like a success, or its log cannot be written.

## What

A launch that is piped into `tee` while `set -e` or `set -o pipefail` is off (only the latter counts where the launch's
status is looked at), unless the script reads `PIPESTATUS` afterwards; a `trap … ERR` that exits does as well as
`set -e`; and a file that `tee`, or a redirection of the launch's output, writes into a directory of the repository that
is not there and that the script never makes. Directories elsewhere may be there, unless the date or a random number is
in their names.

## Why

The status of a pipeline is that of its last command, and `tee` always succeeds: schedulers, CI and the next line of the
script take a crashed training for a finished one. Without the directory, `tee` only complains, and the log of the run
is lost; a redirection fails before the launch is started.

## Source

The guide's launcher template: `set -ex`, `set -o pipefail`, and `mkdir -p logs` in front of the launch.

## Example

    python3 relax/entrypoints/train.py --lr 1e-6 2>&1 | tee logs/run.log

## Fix

Writes the missing `set`, or `mkdir -p`, on a line above the statement that launches: further up, it could end a script
over a `pkill` that finds nothing. A `set` is unsafe where a command behind it may fail in a good run, too, as `grep`
does that finds nothing: the rest of the script, another launch perhaps, would not be run. No `mkdir` is written for a
path that may be another one there, as with `$RANDOM` or `$(date)`: give it a name first.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from relax_lint.diagnostics import Edit, Finding, Fix, NotChecked, Place
from relax_lint.fixers.launcher_edits import lines_before
from relax_lint.patterns import pattern
from relax_lint.project import Project
from relax_lint.rules import WARNING, Example, rule
from relax_lint.shell.failing import fails_behind
from relax_lint.shell.launch import Launch, Word
from relax_lint.shell.nodes import Assignment, Case, Command, CommandSubstitution, Function, If
from relax_lint.shell.nodes import Word as WrittenWord
from relax_lint.shell.queries import place_of, program, why_unknown
from relax_lint.shell.walk import command_lists, commands_of, nodes_of
from relax_lint.sources.script import ScriptFile

_MAKES = r"(?:\b(?:mkdir|makedirs|install|ln|mv|cp|rsync|clone|tar|unzip|copytree)\b|(?<![\w-])-d\b)"
_PLAIN_VARIABLE = pattern(r"\$(\w+)")
_VARIABLES = pattern(r"\$(\w+)|\$\{(\w+)")
_PASSING = pattern(r"\$\(|`|\$\{?(?:S?RANDOM|SECONDS|EPOCH\w+|LINENO|BASHPID|BASH_COMMAND|_)\b|\$\{?[!?]")
"""What each use of may give another text."""
_OF_THE_MOMENT = pattern(r"(?:\$\(|`)\s*date\b|\$\{?(?:S?RANDOM|SECONDS|EPOCH\w+)\b")
_SWITCHES = pattern(r"\bset \+")
_LEAVES = pattern(r"(?<![\w-])(?:exit|kill|exec)\b")

_IN_A_STRING = re.compile(r"(?:\S+/)?(?:bash|sh|ssh|eval|srun|docker)\s")
"""What a place begins with that is a whole command which has another shell run a string."""

_TRAIN = "python3 relax/entrypoints/train.py --lr 1e-6"
_SAFE = "set -eo pipefail\n"

VALID: list[Example | str] = [
    f"{_SAFE}mkdir -p logs\n{_TRAIN} 2>&1 | tee logs/run.log\n",
    f"set -ex\nset -o pipefail\n{_TRAIN} 2>&1 | tee run.log\n",
    f"set -x\n{_TRAIN} > run.log 2>&1\n",
    f"set -x\n{_TRAIN} 2>&1 | tee run.log\nexit ${{PIPESTATUS[0]}}\n",
    f"set -o pipefail\nif ! {_TRAIN} 2>&1 | tee run.log; then\n    echo failed\n    exit 1\nfi\n",
    f"set -o pipefail\n{_TRAIN} 2>&1 | tee run.log || exit 1\n",
    f'{_SAFE}LOG_DIR=${{LOG_DIR:-logs}}\nmkdir -p "$LOG_DIR"\n{_TRAIN} | tee -a "${{LOG_DIR}}/run.log"\n',
    f"{_SAFE}mkdir -p logs/demo || {{ echo no logs; exit 1; }}\n{_TRAIN} | tee logs/run.log\n",
    f"{_SAFE}[ -d logs ] || mkdir logs\n{_TRAIN} | tee logs/run.log\n",
    f'{_SAFE}{_TRAIN} | tee "${{SAVE_DIR}}/run.log"\n',
    f"{_SAFE}{_TRAIN} | tee /tmp/run.log /dev/stderr\n",
    f"{_SAFE}{_TRAIN} > /dev/null 2>&1\n",
    f"{_SAFE}{_TRAIN} | tee /data/logs/run-$(date +%F).log\n",
    f"{_SAFE}mkdir -p /data/$(date +%F)\n{_TRAIN} | tee /data/$(date +%F)/run.log\n",
    f"{_SAFE}{_TRAIN} | tee /data/$(hostname)/run.log\n",
    f"{_SAFE}mkdir -p logs\nnohup {_TRAIN} &>> logs/run.log &\n",
    f'{_SAFE}{_TRAIN} > "${{SAVE_DIR}}/run.log" 2>&1\n',
    f'{_SAFE}LOG=logs/$(date +%F)/run.log\nmkdir -p "$(dirname "$LOG")"\n{_TRAIN} > "$LOG"\n',
    f"echo start | tee start.log\n{_TRAIN}\n",
    f'{_SAFE}LOG=logs/$(date +%F)/run.log\nmkdir -p "$(dirname "$LOG")"\n{_TRAIN} | tee "$LOG"\n',
    f'trap \'kill 0\' EXIT\nset -euo pipefail\ncd "$(dirname "$0")"\n{_TRAIN} |& tee run.log\n',
    f'{_SAFE}run() {{ bash -c \'exec {_TRAIN} "$@"\' _ "$@"; }}\nrun --colocate 2>&1 | tee run.log\n',
    f'{_SAFE}if [ "$1" = async ]; then\n    mkdir -p logs\nelse\n    mkdir -p logs\nfi\n{_TRAIN} | tee logs/run.log\n',
    f'{_SAFE}case "$1" in\na) mkdir -p logs ;;&\n*) {_TRAIN} | tee logs/run.log ;;\nesac\n',
    f"trap 'exit 1' ERR\nset -o pipefail\n{_TRAIN} | tee run.log\n",
    f"{_SAFE}python3 -c \"import os; os.makedirs('logs', exist_ok=True)\"\n{_TRAIN} | tee logs/run.log\n",
    Example(
        {
            "examples/demo/run_demo.sh": f"{_SAFE}{_TRAIN} | tee examples/demo/logs/run.log\n",
            "examples/demo/logs/.gitkeep": "",
        }
    ),
]

INVALID = [
    Example(
        f'{_SAFE}if [ "${{1:-sync}}" = async ]; then\n    mkdir -p logs\n    {_TRAIN} --fully-async | tee logs/a.log\n'
        f"else\n    {_TRAIN} --colocate | tee logs/s.log\nfi\n",
        findings=((6, 67),),
        fixed=f'{_SAFE}mkdir -p logs\nif [ "${{1:-sync}}" = async ]; then\n    mkdir -p logs\n    {_TRAIN} '
        f"--fully-async | tee logs/a.log\nelse\n    {_TRAIN} --colocate | tee logs/s.log\nfi\n",
    ),
    Example(
        f'{_SAFE}case "$1" in\nsetup) mkdir -p logs ;;\n*) {_TRAIN} | tee logs/run.log ;;\nesac\n',
        findings=((4, 55),),
        fixed=f'{_SAFE}mkdir -p logs\ncase "$1" in\nsetup) mkdir -p logs ;;\n*) {_TRAIN} | tee logs/run.log ;;\nesac\n',
    ),
    Example(
        f"#!/bin/bash\n\n{_TRAIN} 2>&1 | tee run.log\n",
        findings=((3, 53),),
        fixed=f"#!/bin/bash\n\n{_SAFE}{_TRAIN} 2>&1 | tee run.log\n",
    ),
    Example(
        f"set -e\n{_TRAIN} \\\n    --colocate 2>&1 | tee run.log\n",
        findings=((3, 23),),
        fixed=f"set -e\nset -o pipefail\n{_TRAIN} \\\n    --colocate 2>&1 | tee run.log\n",
    ),
    Example(
        f"trap 'echo failed' ERR\nset -o pipefail\n{_TRAIN} | tee run.log\n",
        findings=((3, 48),),
        fixed=f"trap 'echo failed' ERR\nset -o pipefail\nset -e\n{_TRAIN} | tee run.log\n",
    ),
    Example(
        f"set -o pipefail\npkill -9 sglang\n{_TRAIN} |& tee -a run.log\nray stop\n",
        findings=((3, 49),),
        fixed=f"set -o pipefail\npkill -9 sglang\nset -e\n{_TRAIN} |& tee -a run.log\nray stop\n",
    ),
    Example(
        f'set -x\nif [ "${{1:-sync}}" = async ]; then\n    {_TRAIN} --fully-async | tee a.log\nelse\n'
        f"    {_TRAIN} --colocate | tee s.log\nfi\n",
        findings=((3, 66), (5, 63)),
        fixed=f'set -x\n{_SAFE}if [ "${{1:-sync}}" = async ]; then\n    {_TRAIN} --fully-async | tee a.log\nelse\n'
        f"    {_TRAIN} --colocate | tee s.log\nfi\n",
    ),
    Example(
        f"set -x\n{_TRAIN} | tee a.log\ngrep -c nan a.log\n{_TRAIN} --seed 2 | tee b.log\n",
        findings=((2, 48), (4, 57)),
        fixed=f"set -x\n{_SAFE}{_TRAIN} | tee a.log\ngrep -c nan a.log\n{_TRAIN} --seed 2 | tee b.log\n",
        unsafe=True,
    ),
    Example(
        f"set -eo pipefail\nset +e\n{_TRAIN} | tee run.log\n",
        findings=((3, 48),),
        fixed=f"set -eo pipefail\nset +e\nset -e\n{_TRAIN} | tee run.log\n",
    ),
    Example(
        f'run() {{\n    echo starting\n    {_TRAIN} "$@" | tee run.log\n}}\nrun --colocate\n',
        findings=((3, 57),),
        fixed=f'run() {{\n    echo starting\n    {_SAFE}    {_TRAIN} "$@" | tee run.log\n}}\nrun --colocate\n',
    ),
    Example(
        f"{_SAFE}{_TRAIN} 2>&1 | tee logs/run.log\n",
        findings=((2, 57),),
        fixed=f"{_SAFE}mkdir -p logs\n{_TRAIN} 2>&1 | tee logs/run.log\n",
    ),
    Example(
        f"{_SAFE}now=$(date +%F)\nif true; then\n    {_TRAIN} | tee log/sync-${{now}}.log\nfi\n",
        findings=((4, 56),),
        fixed=f"{_SAFE}now=$(date +%F)\nmkdir -p log\nif true; then\n    {_TRAIN} | tee log/sync-${{now}}.log\nfi\n",
    ),
    Example(
        f'{_SAFE}mkdir -p log\nEXP=demo\n{_TRAIN} | tee "logs/${{EXP}}/run.log" out.log\n',
        findings=((4, 52),),
        fixed=f'{_SAFE}mkdir -p log\nEXP=demo\nmkdir -p "logs/${{EXP}}"\n{_TRAIN} | tee '
        f'"logs/${{EXP}}/run.log" out.log\n',
    ),
    Example(
        f"set -e\n{_TRAIN} | tee ./logs/run.log\n",
        findings=((2, 48), (2, 52)),
        fixed=f"set -e\nset -o pipefail\nmkdir -p ./logs\n{_TRAIN} | tee ./logs/run.log\n",
    ),
    Example(
        f"{_SAFE}LOG_DIR=logs/demo\nmkdir -p logs\n{_TRAIN} | stdbuf -oL tee $LOG_DIR/run.log\n",
        findings=((4, 63),),
        fixed=f"{_SAFE}LOG_DIR=logs/demo\nmkdir -p logs\nmkdir -p $LOG_DIR\n{_TRAIN} | stdbuf -oL "
        f"tee $LOG_DIR/run.log\n",
    ),
    Example(
        f"set -e\n{{\n    set -eo pipefail\n    {_TRAIN}\n}} 2>&1 | tee run.log\n",
        findings=((5, 10),),
        fixed=f"set -e\nset -o pipefail\n{{\n    set -eo pipefail\n    {_TRAIN}\n}} 2>&1 | tee run.log\n",
    ),
    Example(
        f'{_SAFE}LOG_DIR=${{LOG_DIR:-/data/logs}}\n{_TRAIN} | tee "${{LOG_DIR}}/$(date +%F)/run.log"\n',
        findings=((3, 52),),
    ),
    Example(f"{_SAFE}{_TRAIN} | tee /data/$RANDOM/run.log\n", findings=((2, 52),)),
    Example(f"{_SAFE}bash <<'EOF'\n{_TRAIN} | tee run.log\nEOF\n", findings=((2, 1),)),
    Example(
        f"#!/bin/bash\n{_TRAIN} > logs/run.log 2>&1\n",
        findings=((2, 48),),
        fixed=f"#!/bin/bash\nmkdir -p logs\n{_TRAIN} > logs/run.log 2>&1\n",
    ),
    Example(
        f"LOG_DIR=logs/demo\nnohup {_TRAIN} &> ${{LOG_DIR}}/run.log &\nwait\n",
        findings=((2, 55),),
        fixed=f"LOG_DIR=logs/demo\nmkdir -p ${{LOG_DIR}}\nnohup {_TRAIN} &> ${{LOG_DIR}}/run.log &\nwait\n",
    ),
    Example(
        f"nohup {_TRAIN} 2>&1 | tee run.log | grep -v DEBUG &\nwait\n",
        findings=((1, 59),),
        fixed=f"{_SAFE}nohup {_TRAIN} 2>&1 | tee run.log | grep -v DEBUG &\nwait\n",
    ),
]


@rule("RLX420", "fail-fast", WARNING, on="launch", everywhere=True, valid=VALID, invalid=INVALID, fixable="safe")
def fail_fast(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """Say which option is off, and which directory is missing."""
    if launch.kind != "relax":
        return
    for stage in launch.pipeline:
        at = next((index for index, word in enumerate(stage) if program(word) == "tee"), None)
        if at is None:
            continue
        place = place_of(launch, stage[at])
        yield from _status(launch, place, project)
        for word in stage[at + 1 :]:
            if not word.text.startswith("-"):
                yield from _directory(launch, word, place, project)
    for target in launch.redirected_to:
        yield from _directory(launch, target, place_of(launch, target), project, redirected=True)


def _status(launch: Launch, place: Place, project: Project) -> Iterator[Finding]:
    """Whether a failure of the launch ends the script."""
    missing = _missing(launch, place, project)
    if not missing or "PIPESTATUS" in place.source.text[place.end :]:
        return
    yield Finding(
        place,
        f"piped into tee without {' and '.join(missing)}: a failed run looks like a success",
        fix=_setting(missing, launch, place, project),
        launch=launch,
        subject="tee",
    )


def _missing(launch: Launch, place: Place, project: Project) -> list[str]:
    ends = "errexit" in launch.options or launch.in_condition or _is_trapped(launch, place, project)
    return [*([] if ends else ["set -e"]), *([] if "pipefail" in launch.options else ["set -o pipefail"])]


def _setting(missing: list[str], launch: Launch, tee: Place, project: Project) -> Fix | None:
    """The options above the launch, or above the first of several in one list that want the same."""
    script = project.launcher(launch.script)
    launches = script.launches if script is not None else [launch]
    line = "set -eo pipefail" if len(missing) == 2 else missing[0]
    fix = _fix(line, tee)
    if fix is None or not isinstance(tee.source, ScriptFile):
        return fix
    (edit,) = fix.edits()
    for other in launches:
        wants_it = bool(other.pipeline) and other.site.source is tee.source and _missing(other, tee, project) == missing
        above = _above_statement(line, other.site) if wants_it and _share_a_list(tee, other.site) else None
        if above is not None and above.start < edit.start:
            edit = edit if _SWITCHES.search(tee.source.text, above.start, edit.start) else above
    failing = _failing(missing, edit.start, launch, tee, project)
    if failing is None:
        return Fix(fix.title, lambda: [edit])
    line_number, _ = failing.source.position(failing.start)
    shown = failing.source.text[failing.start : failing.end].partition("\n")[0]
    of = "" if failing.source is tee.source else f" of {failing.source.path.name}"
    reason = f"line {line_number}{of}, {shown}, may fail in a good run, too, and would end the script then"
    return Fix(fix.title, lambda: [edit], safe=False, reason=reason)


def _failing(missing: list[str], start: int, launch: Launch, tee: Place, project: Project) -> Place | None:
    """What would end the script behind new options in a good run, in the file of the launch or one that sources it."""
    pipes = "set -e" not in missing
    if pipes and "errexit" not in launch.options and not _is_trapped(launch, tee, project):
        return None
    path, recipe = tee.source.path, project.recipe_of(launch.script)
    sourcing = [each for each in (recipe.launchers if recipe is not None else ()) if each.sources(path)]
    script = project.launcher(launch.script)
    own = [*filter(None, [script]), *sourcing]
    launches = [one for each in own for one in each.launches]
    for source in dict.fromkeys([tee.source, *sourcing]):
        if isinstance(source, ScriptFile):
            at = start if source is tee.source else max(0, source.text.find(path.name))
            failing = fails_behind(source, at, launches, pipes=pipes)
            if failing is not None:
                return failing
    return None


def _is_trapped(launch: Launch, place: Place, project: Project) -> bool:
    """Whether ``trap … ERR`` ends the script where ``set -e`` would."""
    script = project.launcher(launch.script)
    files = {place.source, *((script, *script.evaluation.sourced) if script is not None else ())}
    return any(_exits_on_failure(source, place) for source in files if isinstance(source, ScriptFile))


def _exits_on_failure(source: ScriptFile, place: Place) -> bool:
    """Whether the last handler of failures that a file sets, before the place if that is in it, leaves the script."""
    handler = ""
    for command in commands_of(source) if "ERR" in source.text else ():
        words = [word for word in command.words if isinstance(word, WrittenWord)]
        texts = [source.text[word.start : word.end].strip("\"'") for word in words]
        if (
            texts[:1] == ["trap"]
            and "ERR" in texts[2:]
            and not (source is place.source and command.start > place.start)
        ):
            handler = texts[2 if texts[1] == "--" else 1]
    bodies = (
        source.text[function.start : function.end]
        for function in nodes_of(source, Function)
        if re.search(rf"(?<![\w-]){re.escape(function.name)}(?![\w-])", handler)
    )
    return any(_LEAVES.search(text) for text in (handler, *bodies))


def _directory(
    launch: Launch, word: Word, tee: Place, project: Project, *, redirected: bool = False
) -> Iterator[Finding | NotChecked]:
    """Whether the directory of a log file is made."""
    directory = _directory_of(word)
    if directory is None or launch.directory is None:
        return
    wanted, made = _key(directory, launch), [_key(given, launch) for given in launch.made_directories]
    if any(path == wanted or path.startswith(f"{wanted}/") for path in made):
        return
    if directory.unknowns and _begins_unknown(directory):
        yield NotChecked(place_of(launch, word), why_unknown(directory))
        return
    if any(given.unknowns and given.unknowns[0].variable is None for given in launch.made_directories):
        yield NotChecked(place_of(launch, word), "mkdir")
        return
    if not directory.unknowns and project.is_dir(Path(wanted)):
        return
    if not (Path(wanted).is_relative_to(project.root) or _is_new(directory)):
        return
    if _is_made_in_words((directory.text, _spelled(word)), tee):
        return
    lost = (
        "bash cannot write to it, and starts nothing" if redirected else "tee cannot write to it, and the log is lost"
    )
    yield Finding(
        place_of(launch, word),
        f"nothing makes the directory {directory.text}; {lost}",
        fix=_fix(f"mkdir -p {_spelled(word)}", tee, _written(word)),
        launch=launch,
        subject=directory.text,
    )


def _directory_of(word: Word) -> Word | None:
    """The word up to its last slash; one inside a part that is not known does not count."""
    shown = word.text
    for at, unknown in enumerate(word.unknowns):
        shown = shown.replace(unknown.text, f"\0{at}\0", 1)
    head, slash, _ = shown.rpartition("/")
    if not slash or not head.strip("./"):
        return None
    inside = []
    for at, unknown in enumerate(word.unknowns):
        if f"\0{at}\0" in head:
            head = head.replace(f"\0{at}\0", unknown.text)
            inside.append(unknown)
    return Word(head, tuple(inside))


def _key(word: Word, launch: Launch) -> str:
    """A directory's path in one spelling: ``$X`` and ``${X}`` are the same."""
    text = re.sub(r"\$(\w+)", r"${\1}", word.text)
    return os.path.normpath(text if _begins_unknown(word) else Path(launch.directory or "", text))


def _is_new(directory: Word) -> bool:
    """Whether a directory's name holds the time or a random number, so that it is there for nobody who does not make
    it."""
    return any(_OF_THE_MOMENT.search(unknown.text) for unknown in directory.unknowns)


def _begins_unknown(word: Word) -> bool:
    return any(word.text.startswith(unknown.text) for unknown in word.unknowns)


def _is_made_in_words(spellings: Iterable[str], tee: Place) -> bool:
    """Whether another command of the script, of whatever language, makes or fills the directory, or tests for it. What
    stands in a branch that the launch is not in does not count."""
    text = _PLAIN_VARIABLE.sub(r"${\1}", _on_the_way(tee))
    for spelling in spellings:
        name = re.escape(_PLAIN_VARIABLE.sub(r"${\1}", spelling.strip('"')).removeprefix("./"))
        named = rf"(?<![\w/.-])(?:\./)?{name}(?![\w-]|\.\w)"
        if re.search(rf"{_MAKES}[^\n]*{named}|{named}[^\n]*\bmkdir\b", text):
            return True
    return False


def _on_the_way(place: Place) -> str:
    """The text of a script, without the branches that are run in place of the one that holds a place."""
    source, text = place.source, place.source.text
    if not isinstance(source, ScriptFile):
        return text
    choices = [[*(body for _, body in one.branches), one.otherwise or ()] for one in nodes_of(source, If)]
    choices += [
        [item.body for item in one.items]
        for one in nodes_of(source, Case)
        if all(item.terminator in ("", ";;") for item in one.items)
    ]
    for bodies in choices:
        spans = [(body[0].start, body[-1].end) for body in bodies if body]
        if any(start <= place.start < end for start, end in spans):
            for start, end in spans:
                if not start <= place.start < end:
                    text = text[:start] + " " * (end - start) + text[end:]
    return text


def _written(word: Word) -> str:
    return "" if word.place is None else word.place.source.text[word.place.start : word.place.end]


def _spelled(word: Word) -> str:
    """The directory of a file as the script spells it."""
    written = _written(word)
    match = re.fullmatch(r"(\"?)((?:[\w./:@%+-]|\$\w+|\$\{\w+\})+)/(?:[\w.:@%+-]|\$\w+|\$\{\w+\})+\1", written)
    if match:
        return f"{match.group(1)}{match.group(2)}{match.group(1)}"
    return f'"$(dirname -- {written or word.text})"'


def _fix(line: str, tee: Place, path: str = "") -> Fix | None:
    """A line above the launch, unless it names a path that is another one there."""
    is_of_another_shell = _IN_A_STRING.match(tee.source.text, tee.start, tee.end) is not None
    edit = None if _PASSING.search(path) or is_of_another_shell else _above_statement(line, tee)
    if edit is not None and isinstance(tee.source, ScriptFile):
        named = {found for pair in _VARIABLES.findall(path) for found in pair if found}
        assigned = (one for one in nodes_of(tee.source, Assignment) if edit.start <= one.start < tee.start)
        if any(one.name in named for one in assigned):
            return None
    return None if edit is None else Fix(f"write {line} above the launch", lambda: [edit])


def _above_statement(line: str, place: Place) -> Edit | None:
    """A line above the outermost statement around a place that is run where it stands; a function's body is not."""
    found = _outermost(place)
    return None if found is None else lines_before(found[0], found[2].start, [line])


def _share_a_list(one: Place, other: Place) -> bool:
    """Whether the outermost statements around two places follow each other."""
    first, second = _outermost(one), _outermost(other)
    return first is not None and second is not None and first[1] is second[1]


def _outermost(place: Place) -> tuple[ScriptFile, Sequence[Command], Command] | None:
    """The outermost statement around a place that is run where it stands, and the list that it is of."""
    source = place.source
    if not isinstance(source, ScriptFile):
        return None
    around = [
        (commands, command)
        for commands in command_lists(source.script)
        for command in commands
        if command.start <= place.start < command.end
    ]
    if any(each.start <= place.start < each.end for each in nodes_of(source, CommandSubstitution)):
        return None  # which does without set -e, whatever stands above
    inside = max((at for at, (_, command) in enumerate(around) if isinstance(command, Function)), default=-1)
    statements = around[inside + 1 :]
    if inside >= 0:
        statements = statements[1:]  # the braces
    return (source, *statements[0]) if statements else None
