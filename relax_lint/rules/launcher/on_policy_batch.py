"""The batch sizes do not make one update of every rollout.

## What

`--rollout-batch-size` × `--n-samples-per-prompt`, divided by `--num-steps-per-rollout` if that is given, must be
`--global-batch-size`. Absent flags count with what Relax takes for them. An explicit number of steps that fits is
accepted: its author means it. A key of the `--custom-config-path` YAML counts in place of its flag, but for what Relax
refuses before it reads that file. Updates that cannot share a rollout's prompts evenly among the data-parallel ranks,
and an asynchronous batch that is no whole number of groups, are reported as what they come from: the batch size.
Supervised fine-tuning has no rollouts; a dynamic global batch size has no fixed product.

## Why

A product that the global batch size does not divide is refused at the first training step, an explicit step count that
does not fit already when arguments are checked, and a fully asynchronous launch without `--rollout-batch-size` crashes
there. A product that is a multiple trains several times on one rollout, off-policy from the second update on, without a
word.

## Source

Guide: ALWAYS ensure `--global-batch-size` = `--rollout-batch-size` × `--n-samples-per-prompt`. Relax's argument checks,
and its plan of updates per rollout.

## Example

    --rollout-batch-size 32 --n-samples-per-prompt 8 --global-batch-size 128

## Fix

Writes the number that follows from the others. Safe where only one number can be meant: a global batch size beside a
step count that divides the samples, or one that is absent; an absent rollout batch size in a fully asynchronous launch.
Unsafe otherwise: where the step count does not divide the samples, it is the one to change. None while words of
Hydra's that speak of batches are in the launch (RLX402): they become flags first; nor while a misspelt word may be
one of these flags (RLX501).
"""

from __future__ import annotations

from collections.abc import Iterator

from relax_lint.catalog.hidden import is_hidden
from relax_lint.catalog.proposals import proposals
from relax_lint.constraints.engine import Violation
from relax_lint.constraints.reporting import Judged, judged, launches_with, outcomes, severity
from relax_lint.diagnostics import Finding, Fix, NotChecked
from relax_lint.fixers.hydra_words import hydra_words
from relax_lint.fixers.launcher_edits import insert_after, replace_value
from relax_lint.project import Project
from relax_lint.rules import ERROR, WARNING, Example, rule
from relax_lint.shell.launch import Argument, Launch
from relax_lint.shell.queries import is_own, other_launches

R, N, G, S = "--rollout-batch-size", "--n-samples-per-prompt", "--global-batch-size", "--num-steps-per-rollout"
_OF_VERL = frozenset(
    {
        "data.train_batch_size", "data.gen_batch_size", "actor_rollout_ref.actor.ppo_mini_batch_size",
        "actor_rollout_ref.rollout.n",
    }
)  # fmt: skip
"""The settings of verl's that become one of these."""
NAMES = {R: "rollout_batch_size", N: "n_samples_per_prompt", G: "global_batch_size", S: "num_steps_per_rollout"}

_TRAIN = "python3 relax/entrypoints/train.py"
_GUESS = "which of the numbers was meant is not known, and another batch size changes what is learned"


_RUN = "examples/demo/run_demo.sh"
_CONFIG = "examples/demo/demo.yaml"
_CONFIGURED = f"{_TRAIN} --custom-config-path {_CONFIG}"

VALID: list[Example | str] = [
    Example({_RUN: f"{_CONFIGURED} {R} 32 {N} 8 {G} 128\n", _CONFIG: "global_batch_size: 256\n"}),
    Example({_RUN: f"{_CONFIGURED} {R} 32 {N} 8 {G} 128\n", _CONFIG: "global_batch_size: 0x100\n"}),
    Example({_RUN: f"{_TRAIN} --custom-config-path $C {R} 8 {G} 8\n", _CONFIG: "n_samples_per_prompt: 2\n"}),
    f"{_TRAIN} {R} 32 {N} 8 {G} 256\n",
    f"{_TRAIN} {R} 32 {N} 8 {S} 2 {G} 128\n",
    f"{_TRAIN} {R} 32 {N} 8 {S} 4\n",
    f"{_TRAIN} --colocate {G} 256 {N} 8\n",
    f"{_TRAIN} {R} 64 {G} 64\n",
    (
        f"RBS=32\nNSAMPLES=8\nROLLOUT_ARGS=(\n    {R} ${{RBS}}\n    {N} ${{NSAMPLES}}\n    {G} $((RBS * NSAMPLES))\n)\n"
        f'{_TRAIN} "${{ROLLOUT_ARGS[@]}}"\n'
    ),
    f"{_TRAIN} {R} ${{RBS:-32}} {N} 8 {G} ${{GBS:-256}}\n",
    f"{_TRAIN} {R} ${{RBS}} {N} 8 {G} 128\n",
    f"{_TRAIN} --loss-type sft {R} 32 {N} 1 {G} 128\n",
    f'A=({R} 16 {N} 8 {G} 256)\n{_TRAIN} "${{A[@]}}" {R} 32\n',
    f"{_TRAIN} --colocate --partial-rollout --use-dynamic-global-batch-size {R} 32 {N} 8 {G} 128\n",
    f"{_TRAIN} --debug-rollout-only {R} 32 {N} 8 {G} 100\n",
    f'{_TRAIN} {R} 32 {N} 8 {G} 128 "$@"\n',
    f"{_TRAIN} --fully-async {R} 32 {N} 8 {G} 256\n",
    f"{_TRAIN} {R}=32 {N}=8 {G}=256  # was {G} 128\n",
    # one machine of 8 GPUs, TP 4: two samples an update, as many as there are
    f'{_TRAIN} {R} 2 --tensor-model-parallel-size 4 --resource \'{{"actor": [1, 8], "rollout": [1, 8]}}\' --colocate\n',
]

INVALID = [
    Example(
        {_RUN: f"{_CONFIGURED} {R} 32 {N} 8 {G} 256\n", _CONFIG: "global_batch_size: 128\n"},
        findings=((_RUN, 1, 130, WARNING),),
    ),
    Example(
        {_RUN: f"{_CONFIGURED} {G} 256 {N} 8\n", _CONFIG: "n_samples_per_prompt: 7\n"},
        findings=((_RUN, 1, 81),),
    ),
    Example(
        {_RUN: f"{_CONFIGURED} {R} 32 {N} 8 {S} 2 {G} 256\n", _CONFIG: "global_batch_size: 128\n"},
        findings=((_RUN, 1, 156),),
        fixed={_RUN: f"{_CONFIGURED} {R} 32 {N} 8 {S} 2 {G} 128\n"},
    ),
    Example(
        f"{_TRAIN} {R} 32 {N} 8 {G} 128\n",
        findings=((1, 85, WARNING),),
        fixed=f"{_TRAIN} {R} 32 {N} 8 {G} 256\n",
        unsafe=True,
    ),
    Example(
        f'ROLLOUT_ARGS=(\n    {R} 32\n    {N} 8\n    {G} 100\n)\n{_TRAIN} --colocate "${{ROLLOUT_ARGS[@]}}"\n',
        findings=((4, 5),),
    ),
    Example(
        f"{_TRAIN} {R} 32 {N} 8 {S} 2 \\\n    {G} 256\n",
        findings=((2, 5),),
        fixed=f"{_TRAIN} {R} 32 {N} 8 {S} 2 \\\n    {G} 128\n",
    ),
    Example(
        f'ROLLOUT_ARGS=(\n    {N} 8\n    {G} 256\n)\n{_TRAIN} --fully-async "${{ROLLOUT_ARGS[@]}}"\n',
        findings=((2, 5),),
        fixed=f'ROLLOUT_ARGS=(\n    {N} 8\n    {R} 32\n    {G} 256\n)\n{_TRAIN} --fully-async "${{ROLLOUT_ARGS[@]}}"\n',
    ),
    Example(f"{_TRAIN} --fully-async {N} 8 {G} 100\n", findings=((1, 75),)),
    Example(f"{_TRAIN} --colocate {N} 8\n", findings=((1, 47),)),
    Example(f"{_TRAIN} --colocate {G} 100 {N} 8\n", findings=((1, 47),)),
    Example(
        f"ROLLOUT_ARGS=(\n    {R} 32\n    {N} 5\n)\n{_TRAIN} --colocate --tensor-model-parallel-size 1 \\\n"
        '    --micro-batch-size 3 --resource \'{"actor": [1, 8], "rollout": [1, 8]}\' "${ROLLOUT_ARGS[@]}"\n',
        findings=((2, 5),),
        fixed=f"ROLLOUT_ARGS=(\n    {R} 32\n    {G} 160\n    {N} 5\n)\n"
        f"{_TRAIN} --colocate --tensor-model-parallel-size 1 \\\n"
        '    --micro-batch-size 3 --resource \'{"actor": [1, 8], "rollout": [1, 8]}\' "${ROLLOUT_ARGS[@]}"\n',
    ),
    Example(
        f'{_TRAIN} --colocate {R} 64 --resource \'{{"actor": [1, 8], "rollout": [1, 8]}}\'\n',
        findings=((1, 47, WARNING),),
        fixed=f'{_TRAIN} --colocate {R} 64 {G} 64 --resource \'{{"actor": [1, 8], "rollout": [1, 8]}}\'\n',
    ),
    Example(
        f'RBS=32\nGBS=128\nexport N=${{N:-8}}\n{_TRAIN} {R} "$RBS" {N} $N {G} $GBS\n',
        findings=((4, 90, WARNING),),
    ),
    Example(
        f'A=({R} 32 {N} 8 {G} 256)\nif [ "$1" = async ]; then\n'
        f'    {_TRAIN} --fully-async "${{A[@]}}" {R} 64\nelse\n    {_TRAIN} --colocate "${{A[@]}}"\nfi\n',
        findings=((1, 53, WARNING),),
    ),
    Example(
        f'args=({R} 16)\nargs+=({N} 8)\nargs+=({G}=512)\n{_TRAIN} "${{args[@]}}"\n',
        findings=((3, 8),),
        fixed=f'args=({R} 16)\nargs+=({N} 8)\nargs+=({G}=128)\n{_TRAIN} "${{args[@]}}"\n',
        unsafe=True,
    ),
    Example(
        f'run() {{ {_TRAIN} {R} 48 {N} 4 {G} 128 "$@"; }}\nrun --hybrid\n',
        findings=((1, 93),),
    ),
    Example(
        f"{_TRAIN} {R} 32 {N} 8 {S} 3 {G} 64\n",
        findings=((1, 111),),
        fixed=f"{_TRAIN} {R} 32 {N} 8 {S} 4 {G} 64\n",
        unsafe=True,
    ),
    Example(f"{_TRAIN} {R} 32 {N} 8 {S} 3 {G} 100\n", findings=((1, 111),)),
    Example(f'A=({S} 3)\n{_TRAIN} {R} 32 {N} 8 {G} 257 "${{A[@]}}"\n', findings=((2, 85),)),
    Example(
        f"{_TRAIN} --debug-rollout-only {R} 32 {N} 8 {S} 2 {G} 256\n",
        findings=((1, 132),),
        fixed=f"{_TRAIN} --debug-rollout-only {R} 32 {N} 8 {S} 2 {G} 128\n",
    ),
]


@rule("RLX407", "on-policy-batch", ERROR, on="launch", everywhere=True, valid=VALID, invalid=INVALID, fixable="safe")
def on_policy_batch(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """Report what the table of constraints says of the launch, the first that Relax comes to."""
    about = judged(launch, project)
    told = list(
        outcomes(
            launch,
            project,
            "RLX407",
            fix=lambda violation: _fix(violation, about),
            at=lambda violation, of: _place(violation, judged(of, project)),
        )
    )
    found = next((one for one in told if isinstance(one, Finding)), None)
    if found is None:
        yield from told
    elif not (found.severity is WARNING and _is_refused_elsewhere(about)):
        yield found


def _is_refused_elsewhere(about: Judged) -> bool:
    """Whether another launch that has the same number is told that Relax refuses it."""
    batch = about.launch.last(G)
    return batch is not None and any(
        severity(violation) is ERROR
        for other in launches_with(batch, about.launch, about.project)
        for violation in judged(other, about.project).violations("RLX407")
    )


def _place(violation: Violation, about: Judged) -> Argument | None:
    """The flag to edit, or the one beside which it is to be written."""
    repair = _repair(violation, about)
    flags = (N, G, R) if repair is not None and repair[0] == R else (G, R, N)
    return next((given for given in map(about.launch.last, flags) if given is not None), None)


def _repair(violation: Violation, about: Judged) -> tuple[str, int, bool] | None:
    """The flag to write, its number, and whether no other repair would keep what the launcher says. No flag repairs
    what a config decides."""
    id, facts = violation.constraint.id, about.facts
    given = {flag: facts.get(name) for flag, name in NAMES.items()}
    if any(is_hidden(value) for value in given.values()):
        return None
    if id == "async-no-rollout-batch":
        fits = given[S] is None and given[G] is not None and given[G] % given[N] == 0
        return (R, given[G] // given[N], True) if fits else None
    after = facts.overlaid()
    if given[R] is None or (id != "steps-global-batch" and any(name in after.overlay for name in NAMES.values())):
        return None
    total = given[R] * given[N]
    if id == "steps-global-batch":
        if total % given[S] == 0:
            return G, total // given[S], True
        return (S, total // given[G], False) if given[G] > 0 and total % given[G] == 0 else None
    return G, total, given[G] is None


def _fix(violation: Violation, about: Judged) -> Fix | None:
    repair = _repair(violation, about)
    if repair is None or _waits_for_words(about):
        return None
    flag, number, sure = repair
    anchor = about.launch.last(S) if flag == S else _place(violation, about)
    if anchor is None or not _suits_all(flag, number, anchor, about):
        return None
    edit = replace_value(anchor, str(number)) if anchor.flag == flag else insert_after(anchor, [f"{flag} {number}"])
    return None if edit is None else Fix(f"write {flag} {number}", lambda: [edit], sure, None if sure else _GUESS)


def _waits_for_words(about: Judged) -> bool:
    """Whether a word that only Hydra reads speaks of batches, or a misspelt one may be a flag that does, so that it is
    not known what the flags are to be."""
    speaks = any(word.key in _OF_VERL for word in hydra_words(about.launch))
    return speaks or any(flag in NAMES for flag in proposals(about.launch, about.project))


def _suits_all(flag: str, number: int, anchor: Argument, about: Judged) -> bool:
    """Whether a flag is written in the launcher's own files, and all launches that it goes to want the same number, or
    come to it by themselves."""
    place = anchor.word.place
    if place is None or not is_own(about.project, about.launch, place):
        return False
    others = [judged(other, about.project) for other in other_launches(about.launch, about.project, anchor)]
    return all(
        any((_repair(one, other) or ("", 0))[:2] == (flag, number) for one in other.violations("RLX407"))
        or (flag == R and other.facts.get("rollout_groups") == number)
        for other in others
    )
