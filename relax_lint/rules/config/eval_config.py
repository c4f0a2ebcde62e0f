"""What a launch says of its evaluation data does not come to data sets.

## What

In the file of `--eval-config`: no `datasets`; a data set without `path`, or without `name` in a list; a key that Relax
does not know, be it in a data set, in `defaults`, of which nine are taken, or beside these two; a key that is written
twice. In `--eval-prompt-data`: words that are no pairs of a name and a path, and a file where a name is meant, since
several files for one name are several pairs.

Keys that other values of the file are made of, by an anchor or an interpolation, are fine, and so is a single word for
`--eval-prompt-data`.

## Why

Relax stops on an unknown key of a data set, and drops one of `defaults` or beside it without a word: `rm_type`, `stop`
or `path` under `defaults` change nothing, and a misspelt `n_samples_per_eval_prompt` evaluates with the samples of
training. A file in the place of a name is never read: its own results appear under the name of another.

## Source

Relax: `_resolve_eval_datasets` in its arguments, and `relax/utils/training/eval_config.py`. The file is read by
OmegaConf, which takes no key twice.

## Example

    eval:
      defaults:
        rm_type: math            # dropped
      datasets:
        - name: aime
          path: /data/aime.parquet
          n_samples: 8           # refused

## Fix

None: the message names the key that may be meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from relax_lint.catalog.words import flag_in_text
from relax_lint.constraints.documents import DATASET_KEYS
from relax_lint.constraints.reporting import outcomes
from relax_lint.diagnostics import Finding, NotChecked, Place
from relax_lint.named_configs import EVAL, named_config, where
from relax_lint.project import Project
from relax_lint.rules import ERROR, Example, rule
from relax_lint.shell.launch import Launch, Word
from relax_lint.shell.queries import NotKnown, place_of
from relax_lint.sources.config_yaml import Entry, Node, YamlSource

DEFAULT_KEYS = (
    "n_samples_per_eval_prompt", "temperature", "top_p", "top_k", "max_response_len", "input_key", "label_key",
    "tool_key", "metadata_key",
)  # fmt: skip
"""What Relax takes out of ``defaults``."""
PAIRS = "--eval-prompt-data"
_CODE = "RLX606"
_IS_FILE = re.compile(r"\S+\.(?:parquet|jsonl|json)(?:@\[.*\])?\Z")

_TRAIN = "python3 relax/entrypoints/train.py"
_RUN, _CONFIG = "examples/demo/run_demo.sh", "examples/demo/eval.yaml"


def _tree(config: str, flags: str = "") -> dict[str, str]:
    return {_RUN: f"{_TRAIN} {EVAL} {_CONFIG}{flags}\n", _CONFIG: config}


_LIST = "datasets:\n  - name: aime\n    path: a.parquet\n"

VALID: list[Example | str] = [
    f'{_TRAIN} {PAIRS} gsm8k ${{DATA_DIR}}/test.parquet "--eval-top-p 0.7"\n',
    Example(_tree(_LIST)),
    Example(_tree("eval:\n  defaults: {temperature: 0.6, input_key: prompt}\n  datasets: {aime: {path: a.jsonl}}\n")),
    Example(_tree(f"defaults:\n{_LIST}")),
    Example(_tree("root: /data\neval:\n  datasets:\n    - name: aime\n      path: ${root}/a.parquet\n")),
    Example(
        _tree(
            "common: &common {rm_type: math, top_k: 4}\nextra: &extra\n  top_p: 0.9\n"
            "datasets:\n  aime: {<<: [*common, *extra], path: a.parquet}\n"
        )
    ),
    Example(
        _tree(f"{_LIST}    metadata_overrides: {{split: test, n_samples: 3}}\n    stop: [a]\n    min_new_tokens: 1\n")
    ),
    Example(
        _tree(f"{_LIST}    metadata_overrides:\n    custom_generate_function_path: examples.demo.rollout.generate\n")
    ),
    Example(_tree("datasets:\n  aime:\n    path: a.parquet\n    name: aime24\n  math: {path: b.parquet}\n")),
    Example(_tree("datasets: {{ datasets }}\n")),
    Example({_RUN: f"{_TRAIN} {EVAL} /site/eval.yaml\n"}),
    Example({_RUN: f'{_TRAIN} {EVAL} "$EVAL"\n', _CONFIG: "datasets: []\n"}),
    Example({_RUN: f"{_TRAIN} --custom-config-path {_CONFIG}\n", _CONFIG: "datasets: []\n"}),
    Example({_RUN: f"{_TRAIN} --loss-type sft {EVAL} {_CONFIG}\n", _CONFIG: "datasets: []\n"}),
    f"{_TRAIN} {PAIRS} aime /data/aime.parquet math /data/math.parquet@[0:100]\n",
    f"{_TRAIN} {PAIRS} /data/aime.parquet\n",
    f'{_TRAIN} {PAIRS} "${{EVAL_DATA[@]}}" --lr 1e-6\n',
    f'{_TRAIN} {PAIRS} aime "$DATA_DIR/aime.parquet" --lr 1e-6\n',
    f"{_TRAIN} {PAIRS} a b c --loss-type sft {PAIRS} aime a.parquet\n",
]

INVALID: list[Example] = [
    Example(_tree("eval:\n  defaults: {top_k: 1}\n"), findings=((_CONFIG, 2, 3),)),
    Example(_tree("datasets: []\n"), findings=((_CONFIG, 1, 11),)),
    Example(_tree(""), findings=((_CONFIG, 1, 1),)),
    Example(_tree("eval:\n"), findings=((_CONFIG, 1, 1),)),
    Example(_tree("eval: [aime]\n"), findings=((_CONFIG, 1, 7),)),
    Example(_tree("datasets:\n  - aime\n"), findings=((_CONFIG, 2, 5),)),
    Example(_tree("datasets: aime\n"), findings=((_CONFIG, 1, 11),)),
    Example(_tree("datasets:\n  - path: a.parquet\n"), findings=((_CONFIG, 2, 5),)),
    Example(_tree("datasets:\n  aime:\n    rm_type: math\n"), findings=((_CONFIG, 3, 5),)),
    Example(_tree("datasets:\n  aime:\n"), findings=((_CONFIG, 2, 3),)),
    Example(_tree(f"{_LIST}    n_samples: 8\n"), findings=((_CONFIG, 4, 5),)),
    Example(_tree("datasets: {aime: {path: a.parquet, topk: 3}}\n"), findings=((_CONFIG, 1, 36),)),
    Example(_tree(f"defaults:\n  rm_type: math\n  top_p: 1\n{_LIST}"), findings=((_CONFIG, 2, 3),)),
    Example(_tree(f"defaults: [a]\n{_LIST}"), findings=((_CONFIG, 1, 11),)),
    Example(_tree(f"temperature: 0.6\n{_LIST}"), findings=((_CONFIG, 1, 1),)),
    Example(
        _tree(f"dataset: [a]\n{_LIST}eval:\n  datasets: {{a: {{path: b}}}}\n"),
        findings=((_CONFIG, 1, 1), (_CONFIG, 2, 1)),
    ),
    Example(_tree(f"{_LIST}    path: b.parquet\n"), findings=((_CONFIG, 4, 5),)),
    Example(_tree(f"{_LIST}    metadata_overrides: [split]\n"), findings=((_CONFIG, 4, 25),)),
    Example(f"{_TRAIN} {PAIRS} aime /data/a.parquet /data/b.parquet\n", findings=((1, 36),)),
    Example(f'ARGS=(\n    {PAIRS} aime\n    a.parquet math\n)\n{_TRAIN} "${{ARGS[@]}}"\n', findings=((2, 5),)),
    Example(f"{_TRAIN} --loss-type sft {PAIRS} a b c\n", findings=((1, 52),)),
    Example(f"{_TRAIN} {PAIRS} aime a.parquet b.parquet c.parquet\n", findings=((1, 70),)),
    Example(f'{_TRAIN} {PAIRS} "$DATA/test.jsonl@[0:8]" aime\n', findings=((1, 55),)),
    Example(f"{_TRAIN} {PAIRS} ${{DATA_DIR}}/test.parquet gsm8k --lr 1e-6\n", findings=((1, 55),)),
]


@rule(_CODE, "eval-config", ERROR, on="launch", valid=VALID, invalid=INVALID)
def eval_config(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """Judge both ways to name evaluation data."""
    if launch.kind != "relax":
        return
    try:
        named = None if launch.mode == "sft" else named_config(launch, project, EVAL)
    except NotKnown as hidden:
        yield NotChecked(hidden.place, hidden.because)
        return
    if named is None:
        yield from _pairs(launch, project)
    elif named.source is not None and named.source.error is None:
        for at, message in faults(named.source):
            place, related = where(named, at, launch, project, message)
            yield Finding(place, message, related=related, launch=launch, subject=EVAL)


def _pairs(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """What is wrong with the names and paths on the command line."""
    argument = launch.last(PAIRS)
    if argument is not None and any(project.catalogue.flag(flag_in_text(word) or "") for word in argument.values):
        return  # a flag in quotes, which RLX421 or RLX502 reports
    refused = list(outcomes(launch, project, _CODE))
    yield from refused
    if refused or argument is None or len(argument.values) < 2 or any(map(_may_be_several, argument.values)):
        return
    for name in argument.values[::2]:
        if _IS_FILE.match(name.text):
            message = f"{name.text} stands where a name is meant: every file needs its own name in {PAIRS}"
            yield Finding(place_of(launch, name), message, launch=launch, subject=PAIRS)


def _may_be_several(word: Word) -> bool:
    """Whether a word is nothing but what is not known, so that it may be any number of words."""
    return word.open and word.text == word.unknowns[0].text


def faults(source: YamlSource) -> Iterator[tuple[Place, str]]:
    """What is wrong with a file for ``--eval-config``, and where; its root's kind aside."""
    root = source.root
    if root is None:
        if not source.documents:
            yield Place(source, 0, 0), "it has no data sets: evaluation needs `datasets`"
        return
    if root.kind != "mapping" or source.is_template:
        return
    yield from _repeated(source)
    top = root.effective
    inner = top.get("eval")
    if inner is None:
        yield from _of_evaluation(source, root, None)
    elif inner.value.kind != "mapping":
        at = source.key_place(inner) if inner.value.is_null else source.place(inner)
        yield at, "`eval` is no mapping: `datasets` belongs under it"
    else:
        yield from (_dropped(source, entry, "beside `eval`") for entry in _idle(source, root, ("eval",)))
        yield from _of_evaluation(source, inner.value, inner)


def _repeated(source: YamlSource) -> Iterator[tuple[Place, str]]:
    for node in source.root.walk() if source.root is not None else ():
        seen: set[str] = set()
        for entry in node.entries:
            if entry.key.tag == "str" and entry.name in seen:
                yield source.key_place(entry), f"{entry.name} is there twice, which OmegaConf refuses"
            seen.add(entry.name)


def _of_evaluation(source: YamlSource, inner: Node, holder: Entry | None) -> Iterator[tuple[Place, str]]:
    keys = inner.effective
    yield from (
        _dropped(source, entry, "beside `datasets`") for entry in _idle(source, inner, ("defaults", "datasets"))
    )
    defaults, datasets = keys.get("defaults"), keys.get("datasets")
    if defaults is not None:
        yield from _of_defaults(source, defaults)
    if datasets is None or datasets.value.is_null or _is_empty(datasets.value):
        at = source.place(inner) if datasets is None else source.place(datasets)
        first = source.key_place(datasets) if datasets is not None and datasets.value.is_null else at
        yield (
            Place(source, first.start, first.end if datasets is not None else first.start),
            ("it has no data sets: evaluation needs `datasets`"),
        )
    elif datasets.value.kind == "scalar":
        yield source.place(datasets), "`datasets` is neither a list nor a mapping"
    else:
        for entry in datasets.value.effective.values():
            yield from _of_dataset(source, entry.value, source.place(entry), source.key_place(entry), named=True)
        for item in datasets.value.items:
            yield from _of_dataset(source, item.value, source.place(item), source.place(item), named=False)


def _is_empty(value: Node) -> bool:
    return value.kind != "scalar" and not (value.items or value.effective)


def _of_defaults(source: YamlSource, defaults: Entry) -> Iterator[tuple[Place, str]]:
    value = defaults.value
    if value.kind == "mapping":
        for entry in value.effective.values():
            if entry.name not in DEFAULT_KEYS:
                yield (
                    source.key_place(entry),
                    (
                        f"{entry.name} under `defaults` is dropped without a word{_hint(entry.name, DEFAULT_KEYS)}: "
                        + ("give it to each data set" if entry.name in DATASET_KEYS else "Relax does not know it")
                    ),
                )
    elif not value.is_null and not _is_empty(value):
        yield source.place(defaults), "`defaults` is no mapping"


def _of_dataset(source: YamlSource, value: Node, at: Place, head: Place, *, named: bool) -> Iterator[tuple[Place, str]]:
    """What is wrong with one data set; ``head`` is where it begins, ``named`` that its key is its name."""
    first = Place(source, at.start, at.start) if at.end > at.start else head
    if value.kind != "mapping" and not value.is_null:
        yield at, "a data set is a mapping with name and path"
        return
    keys = value.effective
    if not named and "name" not in keys:
        yield first, "a data set in a list needs a name"
    if "path" not in keys:
        yield first, "a data set needs a path"
    for entry in keys.values():
        if entry.name not in DATASET_KEYS:
            yield (
                source.key_place(entry),
                (f"{entry.name} is no key of a data set{_hint(entry.name, sorted(DATASET_KEYS))}: Relax stops on it"),
            )
    overrides = keys.get("metadata_overrides")
    if overrides is not None and overrides.value.kind != "mapping" and not overrides.value.is_null:
        yield source.place(overrides), "metadata_overrides is no mapping"


def _hint(key: str, known: tuple[str, ...] | list[str]) -> str:
    from difflib import get_close_matches

    begun = [name for name in known if len(key) > 3 and name.startswith(key)]
    near = begun if len(begun) == 1 else get_close_matches(key, known, n=1, cutoff=0.6)
    return f" (did you mean {near[0]}?)" if near else ""


def _idle(source: YamlSource, mapping: Node, read: tuple[str, ...]) -> Iterator[Entry]:
    """The entries that nobody reads and that no other value is made of."""
    for entry in mapping.effective.values():
        if entry.name in read or entry.name.startswith(("x-", "_")):
            continue
        anchored = "&" in source.text[entry.key.end : entry.value.start]
        if not anchored and not re.search(rf"\$\{{(?:\w+\.)*\.*{re.escape(entry.name)}\b", source.text):
            yield entry


def _dropped(source: YamlSource, entry: Entry, where_it_is: str) -> tuple[Place, str]:
    hint = "" if entry.name in ("defaults", "datasets") else _hint(entry.name, ("defaults", "datasets", "eval"))
    return source.key_place(entry), f"{entry.name} {where_it_is} is dropped without a word{hint}"
