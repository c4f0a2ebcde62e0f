"""A launch passes a flag that no parser of Relax knows.

## What

A word with dashes in front that none of the parsers takes which Relax puts its command line through: its own flags,
Megatron's, SGLang's and the router's under the prefixes that Relax gives them, the teacher's, and what the patches
add that Relax applies to Megatron and SGLang. Shortened flags are unknown too, except those that the parsers of
SGLang's and the teacher's flags take (RLX504). So are flags whose dashes are missing or are not hyphens, those with a
character that nobody sees, such as a no-break space, and everything behind a bare `--`.

The flags are those of the Relax checkout around the linted files or named by `--relax-root`; without one, those that
this program was built with. The message says which. `extra-flags` in the configuration names flags that your own
Relax knows. Names that verl gives to what Relax has are told by Relax's name.

## Why

Every parser of Relax throws away what it does not know, without a word. The run starts, and what the flag was to
change has its default.

## Source

Relax: all parsers read the command line with `parse_known_args`, and Megatron's with `ignore_unknown_args=True`.

## Example

    python3 relax/entrypoints/train.py --rollout-batch-sizes 32

## Fix

Unsafe, where exactly one flag can be meant and the launch does not pass it yet: writes that flag. Unsafe since the
flag starts to count.
"""

from __future__ import annotations

from collections.abc import Iterator

from relax_lint.catalog.flags import Catalogue
from relax_lint.catalog.launches import namespace_of
from relax_lint.catalog.namespace import Namespace
from relax_lint.catalog.proposals import likely, unread
from relax_lint.catalog.unknown import completions, may_be_known, relax_of, where_else
from relax_lint.catalog.words import Group, has_other_hyphens, is_whole_name, with_dashes
from relax_lint.diagnostics import Finding, Fix, NotChecked
from relax_lint.fixers.launcher_edits import rename_flag, replace_word
from relax_lint.invisible import invisible_in, visible
from relax_lint.project import Project
from relax_lint.rules import ERROR, Example, rule
from relax_lint.shell.launch import Launch, Word
from relax_lint.shell.queries import is_own, place_of, why_unknown

_TRAIN = "python3 relax/entrypoints/train.py"

_STARTS_TO_COUNT = "a flag that was ignored starts to count"
_MODES = ("--colocate", "--fully-async", "--hybrid")

VALID: list[Example | str] = [
    f"{_TRAIN} --rollout-batch-size 32 --n-samples-per-prompt 8 --global-batch-size=256\n",
    f"{_TRAIN} --sglang-mem-fraction-static 0.8 --sglang-router-policy x --teacher-sglang-tp-size 2\n",
    f"{_TRAIN} --sglang-mem-frac 0.8\n",
    f"{_TRAIN} --no-rope-fusion --swiglu --moe-layer-freq '[0]*1+[1]*47' --optimizer adam --lr -1\n",
    f"{_TRAIN} --lr -1e-6\n",
    f'{_TRAIN} "$@"\n',
    f"{_TRAIN} ${{EXTRA_ARGS}} --lr 1e-6\n",
    f'{_TRAIN} --system-prompt "--answer in one word, as --this" --lr 1e-6\n',
    f'# --old-flag went away\nARGS=(\n    --lr 1e-6\n    # --num-rollouts 5\n)\n{_TRAIN} "${{ARGS[@]}}"\n',
    f"torchrun --nproc-per-node 8 other.py --my-flag 3\n{_TRAIN} --lr 1e-6 2>&1 | tee --append log.txt\n",
    "python3 -m verl.trainer.main_ppo --my-flag data.train_batch_size=3\n",
    f"ray job submit --address=http://10.0.0.7:8265 --no-wait -- {_TRAIN} --lr 1e-6\n",
    f"{_TRAIN} --debug-train-only --sglang-mem-fraction-static 0.8 --sglang-log-level info\n",
    f"{_TRAIN} --train-backend megatron --skip-hf-validate --hf-checkpoint /m/Q\n",
    f"{_TRAIN} --config-name=ppo_trainer --runtime-env-json '{{}}'\n",
    f'ARGS=(--typo-flag 3)\necho "${{ARGS[@]}}"\n{_TRAIN} --lr 1e-6\n',
    f'FLAG=lr\n{_TRAIN} "--${{FLAG}}" 1e-6 "--rollout-batch-${{WHAT}}" 8\n',
    f"{_TRAIN} --prompt-data –dash.parquet --save /s/–x\n",
    f"{_TRAIN} --use-rollout-logprobs --log-passrate --attention-backend flash --exit-signal SIGTERM\n",
    f"{_TRAIN} --no-sglang-lora-strict-loading --sglang-tp 2 --router-policy round_robin --worker-urls a b\n",
]

INVALID = [
    *(
        Example(f"{_TRAIN} {written} --lr 1\n", findings=((1, 36),), fixed=f"{_TRAIN} --seed 1 --lr 1\n", unsafe=True)
        for written in ("--seed\u00a01", "\u200b--seed 1", "--se\u200bed 1", "--seed\u00ad 1", "\ufeff--seed 1")
    ),
    Example(f'FLAG=--colocate\n{_TRAIN} --lr 1e-6 "$FLAG[@]"\n', findings=((2, 46),)),
    Example(
        f"{_TRAIN} --temperature 0.7 --use-dynamic-bsz --ppo-mini-batch-size 32\n",
        findings=((1, 36), (1, 54), (1, 72)),
        fixed=f"{_TRAIN} --rollout-temperature 0.7 --use-dynamic-batch-size --ppo-mini-batch-size 32\n",
        unsafe=True,
    ),
    Example(
        f"{_TRAIN} --rollout-batch-sizes 32 --colocate\n",
        findings=((1, 36),),
        fixed=f"{_TRAIN} --rollout-batch-size 32 --colocate\n",
        unsafe=True,
    ),
    Example(
        f'ARGS=(\n    --lr 1e-6\n    --kl-loss-coeff=0.01\n)\n{_TRAIN} "${{ARGS[@]}}"\n',
        findings=((3, 5),),
        fixed=f'ARGS=(\n    --lr 1e-6\n    --kl-loss-coef=0.01\n)\n{_TRAIN} "${{ARGS[@]}}"\n',
        unsafe=True,
    ),
    Example(
        f"{_TRAIN} \\\n    --rollout_batch_size 32 \\\n    --colocate\n",
        findings=((2, 5),),
        fixed=f"{_TRAIN} \\\n    --rollout-batch-size 32 \\\n    --colocate\n",
        unsafe=True,
    ),
    Example(
        f"{_TRAIN} --rollout-batch 32 --lr 1e-6\n",
        findings=((1, 36),),
        fixed=f"{_TRAIN} --rollout-batch-size 32 --lr 1e-6\n",
        unsafe=True,
    ),
    Example(f"{_TRAIN} --use-gated-attention --lr 1e-6\n", findings=((1, 36),)),
    Example(f"{_TRAIN} --sglang-port 30000 --sglang-model-path=/m/Q\n", findings=((1, 36), (1, 56))),
    Example(f"{_TRAIN} --made-up-thing 3 --another\n", findings=((1, 36), (1, 54))),
    Example(
        f"{_TRAIN} –lr 1e-6 --colocate\n",
        findings=((1, 36),),
        fixed=f"{_TRAIN} --lr 1e-6 --colocate\n",
        unsafe=True,
    ),
    Example(
        f"{_TRAIN} --colocate lr 1e-6\n",
        findings=((1, 47),),
        fixed=f"{_TRAIN} --colocate --lr 1e-6\n",
        unsafe=True,
    ),
    Example(
        f"{_TRAIN} -lr 1e-6\n",
        findings=((1, 36),),
        fixed=f"{_TRAIN} --lr 1e-6\n",
        unsafe=True,
    ),
    Example(f"{_TRAIN} --lr 1e-6 -- --colocate --num-rollout 5\n", findings=((1, 46),)),
    Example(
        f'run() {{\n    {_TRAIN} --lr 1e-6 "$@"\n}}\nrun --num-rollouts 5\n',
        findings=((4, 5),),
        fixed=f'run() {{\n    {_TRAIN} --lr 1e-6 "$@"\n}}\nrun --num-rollout 5\n',
        unsafe=True,
    ),
    Example(
        f'EXTRA="--lr 1e-6 --num-rollouts 5"\nif [ "$MODE" = async ]; then\n    {_TRAIN} --fully-async $EXTRA\n'
        f"else\n    {_TRAIN} --colocate $EXTRA\nfi\n",
        findings=((1, 18),),
        fixed=f'EXTRA="--lr 1e-6 --num-rollout 5"\nif [ "$MODE" = async ]; then\n    {_TRAIN} --fully-async $EXTRA\n'
        f"else\n    {_TRAIN} --colocate $EXTRA\nfi\n",
        unsafe=True,
    ),
    Example(
        f'for flag in --colocate --balance-datas; do\n    ARGS+=("$flag")\ndone\n{_TRAIN} "${{ARGS[@]}}"\n',
        findings=((1, 24),),
        fixed=f'for flag in --colocate --balance-data; do\n    ARGS+=("$flag")\ndone\n{_TRAIN} "${{ARGS[@]}}"\n',
        unsafe=True,
    ),
    Example(
        {
            "examples/demo/run_demo.sh": 'source "$(dirname "$0")/common.sh"\n'
            f'case "$1" in\n    a) {_TRAIN} "${{COMMON[@]}}" --fully-async ;;\n'
            f'    *) {_TRAIN} "${{COMMON[@]}}" --colocate ;;\nesac\n',
            "examples/demo/common.sh": "COMMON=(\n    --prompt-dat /d/x.parquet\n)\n",
        },
        findings=(("examples/demo/common.sh", 2, 5),),
        fixed={"examples/demo/common.sh": "COMMON=(\n    --prompt-data /d/x.parquet\n)\n"},
        unsafe=True,
    ),
    Example(
        {"scripts/training/text/run-qwen3-4B.sh": f"{_TRAIN} --lr 1e-6 --vision-dp-when-cp\n"},
        findings=(("scripts/training/text/run-qwen3-4B.sh", 1, 46),),
    ),
    Example(f"{_TRAIN} --made-up-${{THING}} 3 --rollout-batch-sizes=${{RBS}}\n", findings=((1, 36), (1, 57))),
    Example(
        f"{_TRAIN} --lr 1e-6 --num-rollouts 5 --num-rollout 7\n",
        findings=((1, 46),),
    ),
    Example(f"{_TRAIN} --no-sglang-enable-metrics --sglang-no-lora-strict-loading\n", findings=((1, 36), (1, 63))),
]


@rule("RLX501", "unknown-flag", ERROR, on="launch", everywhere=True, valid=VALID, invalid=INVALID, fixable="unsafe")
def unknown_flag(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """Say which flags nobody reads."""
    if launch.kind != "relax":
        return
    namespace = namespace_of(launch, project)
    for group in unread(namespace, project.settings.extra_flags):
        if group.word is not None and group.word.text == "--":
            yield from _behind_the_end(group, namespace)
        else:
            yield from _judged(group, namespace, project)


def _judged(group: Group, namespace: Namespace, project: Project) -> Iterator[Finding | NotChecked]:
    word, launch, catalogue = group.word, namespace.launch, namespace.parsers.catalogue
    assert word is not None
    if not is_whole_name(word) and _may_become_known(catalogue, group.name, project.settings.extra_flags):
        yield NotChecked(place_of(launch, word), why_unknown(word))
        return
    name = group.name if is_whole_name(word) else word.text
    unseen = invisible_in(name)
    if unseen is not None:
        message = f"{visible(name)} is no flag and ignored silently: it holds a {unseen}, which nobody sees"
        fix = _by_visible(word, launch, project)
        yield Finding(place_of(launch, word), message, fix=fix, launch=launch, subject=visible(name))
        return
    untold = may_be_known(project, name)
    if untold is not None:
        yield NotChecked(place_of(launch, word), untold)
        return
    reason = where_else(catalogue, name)
    candidates = likely(catalogue, name, project.settings.extra_flags)
    parts = [f"{name} {_what_is_wrong(catalogue, name)}: it is ignored silently"]
    if reason:
        parts.append(reason)
    if candidates:
        parts.append(f"did you mean {' or '.join(candidates)}?")
    fix = _renaming(group, candidates[0], namespace, project) if len(candidates) == 1 else None
    yield Finding(place_of(launch, word), "; ".join(parts), fix=fix, launch=launch, subject=name)


def _by_visible(word: Word, launch: Launch, project: Project) -> Fix | None:
    """Writes a blank for what looks like one, and takes away what looks like nothing."""
    if word.place is None or not word.known or not is_own(project, launch, word.place):
        return None
    edit = replace_word(word, visible(word.text))
    title = "leave nothing but what is seen"
    return None if edit is None else Fix(title, lambda: [edit], safe=False, reason=_STARTS_TO_COUNT)


def _what_is_wrong(catalogue: Catalogue, name: str) -> str:
    if has_other_hyphens(name):
        return "begins with another character than a hyphen, so it is no flag"
    if not name.startswith("--") and with_dashes(catalogue, name):
        return f"is no flag of {relax_of(catalogue)}, flags have two hyphens in front"
    if completions(catalogue, name):
        return f"is no flag of {relax_of(catalogue)}, whose parser takes no abbreviation of it"
    return f"is no flag of {relax_of(catalogue)}"


def _may_become_known(catalogue: Catalogue, head: str, extra: tuple[str, ...]) -> bool:
    """Whether a flag whose end is not known may be one that is known."""
    return any(word.startswith(head) for word in (*catalogue.words, *extra))


def _renaming(group: Group, new: str, namespace: Namespace, project: Project) -> Fix | None:
    """Writes the flag that was meant, unless that one is passed, too, or is a second mode, in any launch that the word
    goes to, or takes other values than are there."""
    word, launch = group.word, namespace.launch
    flag = namespace.parsers.catalogue.flag(new)
    if word is None or word.place is None or not is_own(project, launch, word.place) or namespace.given(new) is True:
        return None
    if flag is not None and flag.is_switch and (group.strays or "=" in word.text):
        return None
    others = _launches_with(word, launch, project)
    if new in _MODES and any(other.has(mode) for other in others for mode in _MODES):
        return None
    if any(namespace_of(other, project).given(new) is True for other in others):
        return None
    edit = rename_flag(word, group.name, new)
    if edit is None:
        return None
    return Fix(f"write {new}", lambda: [edit], safe=False, reason=_STARTS_TO_COUNT)


def _launches_with(word: Word, launch: Launch, project: Project) -> list[Launch]:
    """The launches of the script to which what is written in one place goes."""
    script = project.launcher(launch.script)
    launches = [] if script is None else script.launches
    return [launch, *(one for one in launches if any(other.place == word.place for other in one.argv))]


def _behind_the_end(group: Group, namespace: Namespace) -> Iterator[Finding]:
    ignored = [word.text for word in namespace.words[group.at + 1 :] if word.text.startswith("-")]
    if ignored:
        launch = namespace.launch
        more = f" and {len(ignored) - 1} more" if len(ignored) > 1 else ""
        message = f"-- ends the flags: {ignored[0]}{more} behind it are ignored silently"
        if not more:
            message = message.replace(" are ", " is ")
        yield Finding(place_of(launch, group.word), message, launch=launch, subject="--")
