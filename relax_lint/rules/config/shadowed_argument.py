"""A key of a config sets an argument that is also a flag's, or is given again.

## What

A key at the top of the YAML file of `--custom-config-path` that is the name of an argument which one of Relax's flags
sets: `lr`, `global_batch_size`, `sglang_mem_fraction_static`. It is an error when the launch passes that flag with
another value, compared as Relax reads both: `1e-6` without a dot is a text in YAML, not a number.

And a key that a mapping of this file, or of that of `--eval-config`, has twice with different values.

## Why

Relax reads the file after most of its checks and sets each key over whatever the flags have set. The launcher says one
thing, the run does another, and of what is derived from the argument some is made of the old value and some of the
new one: the checks of the batch sizes have already passed when `global_batch_size` changes. Of a key that is given
twice YAML keeps the last value, without a word.

## Source

Relax: `parse_args` sets every key of the file on the arguments, with a line in the log for those that exist. Guide: the
file is for what has no flag, `max_turns`, `rollout_interaction_env_path`, the reward's own settings.

## Example

    --global-batch-size 256 --custom-config-path examples/demo/demo_config.yaml

    global_batch_size: 128

## Fix

None: take the key out of the file, and pass the flag; of two, keep the one that is meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from relax_lint.catalog.hidden import is_hidden
from relax_lint.catalog.launches import namespace_of
from relax_lint.diagnostics import Finding, NotChecked, Related, Severity
from relax_lint.generates import EVAL
from relax_lint.named_configs import CUSTOM, NamedConfig, named_config, where
from relax_lint.project import Project
from relax_lint.rules import ERROR, WARNING, Example, rule
from relax_lint.shell.launch import Launch
from relax_lint.shell.queries import NotKnown, place_of
from relax_lint.sources.config_yaml import Entry, NotLoaded, YamlSource, value_of

_TRAIN = "python3 relax/entrypoints/train.py"
_RUN, _CONFIG = "examples/demo/run_demo.sh", "examples/demo/demo_config.yaml"
_NAMED = f"{_TRAIN} {CUSTOM} {_CONFIG}"


def _tree(flags: str, config: str) -> dict[str, str]:
    return {_RUN: f"{_NAMED} {flags}\n", _CONFIG: config}


VALID: list[Example | str] = [
    Example(_tree("", "max_turns: 5\nmax_turns: 5\njudge: {max_turns: 3}\n")),
    Example({**_tree("", "max_turns: 5\n"), "examples/demo/other.yaml": "max_turns: 5\nmax_turns: 3\n"}),
    Example(_tree("--lr 1e-6", "max_turns: 5\nrollout_interaction_env_path: examples.demo.env_demo\n")),
    Example(_tree("--lr 1e-6", "judge_url: http://judge\njudge_model: m\nreward_weights: {format: 0.1}\n")),
    Example(_tree("--lr 1e-6", "judge:\n  lr: 1.0e-6\n  seed: 3\n")),
    Example(_tree("--lr 1e-6", "# lr: 3.0e-6\njudge: x\n")),
    Example(_tree("--lr 1e-6", "global-batch-size: 3\n")),
    Example(_tree("--lr 1e-6", "Lr: 3\nLR: 4\n")),
    Example(_tree("--lr 1e-6", "")),
    Example({_RUN: f"{_TRAIN} --lr 1e-6\n", _CONFIG: "lr: 3.0e-6\n"}),
    Example({_RUN: f'{_TRAIN} --lr 1e-6 {CUSTOM} "$CONFIG"\n', _CONFIG: "lr: 3.0e-6\n"}),
    Example({_RUN: f"{_TRAIN} --lr 1e-6 {CUSTOM} /site/demo.yaml\n", _CONFIG: "lr: 3.0e-6\n"}),
    Example(
        {
            _RUN: f"{_TRAIN} {CUSTOM} {_CONFIG} {CUSTOM} examples/demo/b.yaml\n",
            _CONFIG: "lr: 1.0\n",
            "examples/demo/b.yaml": "a: 1\n",
        }
    ),
    Example({_RUN: f"{_TRAIN} --eval-config {_CONFIG}\n", _CONFIG: "seed: 3\ndatasets: {a: {path: a.parquet}}\n"}),
    Example(_tree("--lr 1e-6", "lr: {{ lr }}\n{% if x %}\n")),
    Example(_tree("--lr 1e-6", "text: |\n  lr: 3.0e-6\n  seed: 4\n")),
    Example({_RUN: f"python3 -m verl.trainer.main_ppo {CUSTOM}={_CONFIG} x=1\n", _CONFIG: "lr: 3.0e-6\n"}),
]

INVALID: list[Example] = [
    Example(_tree("", "max_turns: 5\nlr: 3.0e-6\n"), findings=((_CONFIG, 2, 1),)),
    Example(_tree("--lr 1e-6", "lr: 3.0e-6\n"), findings=((_CONFIG, 1, 1, ERROR),)),
    Example(_tree("--lr=0.000001", "'lr': 1.0e-6\n"), findings=((_CONFIG, 1, 1),)),
    Example(_tree("--lr 1e-6", "lr: 1e-6\n"), findings=((_CONFIG, 1, 1, ERROR),)),
    Example(
        _tree("--global-batch-size 256", "{max_turns: 5, global_batch_size: 128}\n"),
        findings=((_CONFIG, 1, 16, ERROR),),
    ),
    Example(_tree("--group-rm", "group_rm: true\n"), findings=((_CONFIG, 1, 1),)),
    Example(_tree("--group-rm", "group_rm: no\n"), findings=((_CONFIG, 1, 1, ERROR),)),
    Example(_tree("", "group_rm: true\n"), findings=((_CONFIG, 1, 1),)),
    Example(_tree("--reward-key score", "reward_key:\n"), findings=((_CONFIG, 1, 1, ERROR),)),
    Example(
        _tree("--sglang-mem-fraction-static 0.7", "sglang_mem_fraction_static: 0.8\n"),
        findings=((_CONFIG, 1, 1, ERROR),),
    ),
    Example(_tree('--seed "$SEED"', "seed: 42\n"), findings=((_CONFIG, 1, 1),)),
    Example(
        _tree("--rollout-stop a b", "rollout_stop: [a, b]\nseed: 1\n"),
        findings=((_CONFIG, 1, 1), (_CONFIG, 2, 1)),
    ),
    Example(_tree("--seed 3", "base: &base\n  seed: 4\n<<: *base\nmax_turns: 5\n"), findings=((_CONFIG, 2, 3, ERROR),)),
    Example(
        {
            _RUN: f'SEED=3\nARGS=(--seed "$SEED")\nARGS+=({CUSTOM} "examples/demo/${{NAME:-demo}}_config.yaml")\n'
            f'{_TRAIN} "${{ARGS[@]}}"\n',
            _CONFIG: "seed: 4\r\nseed: 3\r\n",
        },
        findings=((_CONFIG, 1, 1), (_CONFIG, 2, 1)),
    ),
    Example(
        _tree("", "max_turns: 5\njudge: {url: a, url: b}\nmax_turns: 3\n"), findings=((_CONFIG, 1, 1), (_CONFIG, 2, 9))
    ),
    Example(
        {
            _RUN: f"{_TRAIN} --eval-config {_CONFIG}\n",
            _CONFIG: "datasets:\n  a:\n    path: a.parquet\n    path: b.parquet\n",
        },
        findings=((_CONFIG, 3, 5),),
    ),
    Example(
        {
            _RUN: f'N=(--n-samples-per-prompt 8)\nif [ "$1" = big ]; then N=(--n-samples-per-prompt 16); fi\n'
            f'{_NAMED} "${{N[@]}}"\n',
            _CONFIG: "n_samples_per_prompt: 8\n",
        },
        findings=((_CONFIG, 1, 1, ERROR), (_CONFIG, 1, 1)),
    ),
    Example(
        {_RUN: f"{_TRAIN} --seed 3 {CUSTOM} configs/demo.yaml\n", "configs/demo.yaml": "seed: 4\n"},
        findings=((_RUN, 1, 66, ERROR),),
    ),
]


@rule("RLX603", "shadowed-argument", WARNING, on="launch", valid=VALID, invalid=INVALID)
def shadowed_argument(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """Say which keys of the config win over flags, and which of a config never count."""
    for flag in (CUSTOM, EVAL):
        yield from _repeated(launch, project, flag)
    try:
        named = named_config(launch, project, CUSTOM)
    except NotKnown as hidden:
        yield NotChecked(hidden.place, hidden.because)
        return
    if named is None or named.source is None or named.source.error is not None:
        return
    for key, entry in named.source.top.items():
        if entry.key.tag == "str" and project.catalogue.by_dest(key):
            yield _finding(named, named.source, entry, launch, project)


def _repeated(launch: Launch, project: Project, flag: str) -> Iterator[Finding]:
    """The entries that a later one of the same mapping replaces with another value."""
    try:
        named = named_config(launch, project, flag)
    except NotKnown:
        return
    source = None if named is None else named.source
    if named is None or source is None or source.error is not None or source.is_template or source.root is None:
        return
    for mapping in source.root.walk():
        last = {(entry.key.tag, entry.name): entry for entry in mapping.entries if entry.key.kind == "scalar"}
        for entry in mapping.entries:
            wins = last.get((entry.key.tag, entry.name), entry)
            if wins is not entry and entry.key.tag != "merge" and not _is_same(entry, wins):
                line = source.position(wins.key.start)[0]
                message = f"{entry.name} is given again at line {line}: YAML keeps the last value only"
                place, related = where(named, source.key_place(entry), launch, project, f"{entry.name} is given twice")
                yield Finding(place, message, related=related, launch=launch, subject=entry.name)


def _is_same(one: Entry, other: Entry) -> bool:
    try:
        return bool(value_of(one.value) == value_of(other.value))
    except NotLoaded:
        return True  # nothing comes of it, which RLX604 says


def _finding(named: NamedConfig, source: YamlSource, entry: Entry, launch: Launch, project: Project) -> Finding:
    namespace = namespace_of(launch, project)
    argument = namespace.argument(entry.name)
    flag = project.catalogue.by_dest(entry.name)[0].name if argument is None else argument.flag
    value, severity = namespace.value(entry.name), None
    shown = f"{entry.name} in the config"
    if argument is None:
        message = f"{shown} sets what {flag} sets, after most checks of Relax: that belongs on the command line"
    elif is_hidden(value):
        message = f"{shown} wins over {flag}, which the launch passes: keep one of them"
    elif (difference := _difference(source, entry, value)) is not None:
        message = f"{shown} wins over {flag}: the run takes {difference}, not {_spelled(value)}"
        severity = Severity.ERROR
    else:
        message = f"{shown} repeats {flag}, and would win over it: keep the flag"
    place, related = where(named, source.key_place(entry), launch, project, f"{entry.name} is set here")
    if argument is not None and named.word.place is not None and place.source is source:
        related = (Related(place_of(launch, argument.word), f"{flag} is passed here"),)
    return Finding(place, message, severity, related=related, launch=launch, subject=flag)


def _difference(source: YamlSource, entry: Entry, value: Any) -> str | None:
    """What the file sets, if that is something else than a value."""
    try:
        other = value_of(entry.value)
    except NotLoaded:
        return None  # nothing comes of it, which RLX604 says
    if is_hidden(other) or _plain(other) == _plain(value):
        return None
    if isinstance(other, str) and not isinstance(value, str):
        return f"the text {other!r}"
    return _spelled(other)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _spelled(value: Any) -> str:
    """A value as YAML writes it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


_LONGEST = 40
