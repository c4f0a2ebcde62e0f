"""Relax is started in another way than `python3 relax/entrypoints/train.py`.

## What

A launch that names the entry point as a module (`python3 -m relax.entrypoints.train`), that hands it to
`ray job submit` on the machine it already runs on, or that starts it through torchrun or accelerate. Submitting to
another machine is how several nodes are used and is left alone, as is an address that only the environment knows.

A command that was to launch and does not: a path or a module that is nearly the entry point's, or that is below
`relax/` or in the repository, and is not there; a path behind `-m`, which takes modules, and the module's name without
it; the path without `python3`, or behind `pythn3` or a shell; a command that is one word in quotes, or of which
`bash -c` gets the first alone; a launch in a directory from which the path leads nowhere. Where nothing but a likeness
tells so, that takes flags that only a training has, or a recipe that launches nothing else. Other programs of Relax,
wrappers and programs in variables are left alone.

## Why

The entry points below `scripts/entrypoint` have started Ray by the time the launcher gets here. A submission to the
same machine adds a second environment that hides the launcher's, and gives the launcher an exit status that is not the
run's once somebody adds `--no-wait`. torchrun starts as many controllers as there are GPUs. Tools that look for the
entry point's path do not find a module name. A command that finds no program trains nothing.

## Source

Guide: ALWAYS use `python3 relax/entrypoints/train.py` directly for both modes; key conversion rule 1.

## Example

    ray job submit --address="http://127.0.0.1:8265" -- python3 -m relax.entrypoints.train --colocate

## Fix

Starts the path directly, in the directory that the launcher is in, and puts a misspelt path right; unsafe where that
is more than a slip of one letter. Unsafe where that would lose something: an address that the environment can change,
options such as `--no-wait` or `--submission-id`, be they in a variable, the id of the job where the launcher reads
it, a `--runtime-env-json` that holds more than the entry points set, or a job that starts in another machine's
directory; and where RAY_ADDRESS stays exported as `http://…`, which `ray job submit` understands and `ray.init` does
not. `${RAY_NO_WAIT:+--no-wait}` and `${WORKING_DIR:+--working-dir "${WORKING_DIR}"}`, which Relax's own launchers
have and the guide takes out, do not keep it from being safe: nothing changes while these are not set, and `--fix`
says what they do no more.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterator, Sequence

from relax_lint.diagnostics import Edit, Finding, Fix, NotChecked, Place
from relax_lint.entry_slips import ENTRY, MODULE, entry_slips, names_no_module
from relax_lint.fixers.entry_words import by_path, module_words
from relax_lint.fixers.ray_submit import (
    Submission,
    address_prefix,
    irreplaceable,
    is_this_machine,
    lost_without_submission,
    runtime_environments,
    submission,
    without_effect,
)
from relax_lint.project import Project
from relax_lint.rules import WARNING, rule
from relax_lint.rules.launcher._entry_point_examples import INVALID, VALID
from relax_lint.shell.launch import Launch, Word, entry_name
from relax_lint.shell.queries import place_of, program, start_of, why_unknown
from relax_lint.sources.launcher import LauncherSource

_SPAWNERS = ("torchrun", "accelerate", "mpirun", "deepspeed", "torch.distributed.run", "torch.distributed.launch")


@rule("RLX403", "entry-point", WARNING, on="launcher", everywhere=True, valid=VALID, invalid=INVALID, fixable="safe")
def entry_point(launcher: LauncherSource, project: Project) -> Iterator[Finding | NotChecked]:
    """Say how each command that launches differs from starting the path directly."""
    ways: dict[Place, list[Launch]] = {}
    for launch in launcher.launches:
        if launch.kind == "relax":
            ways.setdefault(start_of(launch), []).append(launch)
    for slip in entry_slips(launcher, project):
        yield Finding(
            place_of(slip.launch, slip.word), slip.message, fix=slip.fix, launch=slip.launch, subject=slip.word.text
        )
    for place, launches in ways.items():
        submissions = [(launch, submission(launch)) for launch in launches]
        local = [
            (launch, submitted, submitted.address)
            for launch, submitted in submissions
            if submitted is not None and submitted.address is not None and is_this_machine(submitted.address)
        ]
        if local:
            yield _local_submission(place, local, len(launches), project)
            continue
        launch, submitted = submissions[0]
        if submitted is not None:
            address = submitted.address
            if address is None or not address.known:
                yield NotChecked(place, "RAY_ADDRESS" if address is None else why_unknown(address))
        spawner = next((word for word in launch.argv[: launch.entry] if program(word) in _SPAWNERS), None)
        if spawner is not None:
            name = program(spawner)
            message = f"{name} starts Relax once per process; Relax spreads over the GPUs by itself: python3 {ENTRY}"
            yield Finding(place_of(launch, spawner), message, launch=launch, subject=name)
        elif entry_name(launch.argv[launch.entry]) == MODULE and not names_no_module(launch):
            yield _module(launch, submitted, project)


def _local_submission(
    place: Place, local: Sequence[tuple[Launch, Submission, Word]], ways: int, project: Project
) -> Finding:
    """The command submits to this machine, on one way through the script at least."""
    reasons = [lost_without_submission(launch, submitted, project) for launch, submitted, _ in local]
    reason = next((reason for reason in reasons if reason is not None), None)
    if reason is None and len(local) < ways:
        reason = "on another way through the script the address is another one"
    launch, submitted, address = local[0]
    fix, note = _direct(launch, submitted.command, reason, project), without_effect(submitted)
    by_default = " by default" if address.defaults or len(local) < ways else ""
    return Finding(
        place_of(launch, launch.argv[0]) if launch.site == place else place,
        f"ray job submit to this machine{by_default} ({address.text}); Ray runs here already: start python3 {ENTRY}"
        " directly",
        fix=fix._replace(note=lambda: note) if fix is not None and note else fix,
        launch=launch,
        subject="ray job submit",
    )


def _module(launch: Launch, submitted: Submission | None, project: Project) -> Finding:
    reason = "the job may start in another directory than the repository's" if submitted is not None else None
    return Finding(
        place_of(launch, (module_words(launch.argv, launch.entry) or launch.argv[launch.entry :])[0]),
        f"the entry point is started by its module; start its path: python3 {ENTRY}",
        fix=_direct(launch, 0, reason, project),
        launch=launch,
        subject=MODULE,
    )


def _direct(launch: Launch, command: int, reason: str | None, project: Project) -> Fix | None:
    """The repair: drop the words in front of ``command``, and name the entry point by its path."""
    edits: list[Edit] = []
    if any(irreplaceable(launch, option) for option in runtime_environments(launch)):
        return None
    if command > 0:
        gone = _span(launch.argv[0], launch.argv[command])
        if gone is None:
            return None
        edits.append(Edit.at(gone, ""))
        if (prefix := address_prefix(launch)) is not None:
            edits.append(Edit.at(prefix, ""))
    if entry_name(launch.argv[launch.entry]) == MODULE:
        path, words = _path_from(launch.directory, project), module_words(launch.argv, launch.entry)
        instead = None if path is None or words is None else by_path(*words, MODULE, path)
        if instead is None:
            return None
        edits.append(instead)
    edit_list: Sequence[Edit] = edits
    return Fix(f"start {ENTRY} directly", lambda: edit_list, safe=reason is None, reason=reason)


def _span(first: Word, after: Word) -> Place | None:
    """From one word up to another of the same text."""
    if first.place is None or after.place is None or first.place.source is not after.place.source:
        return None
    if not first.place.start < after.place.start:
        return None
    between = first.place.source.text[first.place.start : after.place.start]
    if re.search(r"(?<!\\)\n|[;&|]", between):
        return None
    return Place(first.place.source, first.place.start, after.place.start)


def _path_from(directory: str | None, project: Project) -> str | None:
    """The entry point's path as seen from the directory that the launch runs in."""
    if directory is None:
        return None
    return os.path.relpath(project.root / ENTRY, directory).replace(os.sep, "/")
