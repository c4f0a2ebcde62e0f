"""A launch names a YAML file that is not there, or that Relax cannot read.

## What

The value of `--custom-config-path`, `--eval-config`, `--sglang-config` or `--autoscaler-config` is a file of this
repository that does not exist, a directory, or YAML whose root is no mapping. Relax opens it from the directory that it
runs in, which is the root of the repository, and not from that of the script or of the YAML file. For
`--custom-config-path`, nothing at all is fine, and so is any other value that is false; its keys must be texts.

Paths that lie elsewhere, and files that the launcher may write itself, are not judged.

## Why

The launch ends with a `FileNotFoundError`, an `AttributeError` or a `TypeError`, `--autoscaler-config` and
`--sglang-config` only after the cluster has started.

## Source

Relax: `parse_args` reads the custom config with `yaml.safe_load(…) or {}` and sets each key on the arguments; the
evaluation config must have a mapping at its root; the controller reads the autoscaler's, the rollout manager SGLang's,
which must have a key `sglang`.

## Example

    --custom-config-path demo_config.yaml        # it is examples/demo/demo_config.yaml

## Fix

None: write the path as it is seen from the root of the repository, or add the file.
"""

from __future__ import annotations

from collections.abc import Iterator

from relax_lint.catalog.hidden import is_hidden
from relax_lint.diagnostics import Finding, NotChecked, Place
from relax_lint.named_configs import (
    AUTOSCALER,
    CONFIG_FLAGS,
    CUSTOM,
    EVAL,
    SGLANG,
    NamedConfig,
    beside,
    is_certainly_missing,
    may_be_made,
    named_config,
    where,
)
from relax_lint.project import YAML_SUFFIXES, Project
from relax_lint.rules import ERROR, Example, rule
from relax_lint.shell.launch import Launch
from relax_lint.shell.queries import NotKnown, place_of
from relax_lint.sources.config_yaml import NotLoaded, YamlSource

_TRAIN = "python3 relax/entrypoints/train.py"
_RUN, _CONFIG = "examples/demo/run_demo.sh", "examples/demo/demo_config.yaml"


def _tree(launcher: str, config: str | None = "max_turns: 5\n", path: str = _CONFIG) -> dict[str, str]:
    return {_RUN: launcher, **({} if config is None else {path: config})}


def _named(flag: str = CUSTOM, path: str = _CONFIG) -> str:
    return f"{_TRAIN} {flag} {path}\n"


VALID: list[Example | str] = [
    Example(_tree(_named())),
    Example(_tree(_named(), "")),
    Example(_tree(_named(), "# nothing yet\n---\n")),
    Example(_tree(_named(), "[]\n")),
    Example(_tree(_named(), "0\n")),
    Example(_tree(_named(path="/etc/site/config.yaml"), None)),
    Example(_tree(f'{_TRAIN} {CUSTOM} "${{CONFIG}}"\n', None)),
    Example(_tree(f"{_TRAIN} {CUSTOM} ''\n", None)),
    Example(_tree(f"cat > {_CONFIG} <<EOF\nmax_turns: $TURNS\nEOF\n{_named()}", None)),
    Example(
        _tree(
            f'CONFIG={_CONFIG}\nenvsubst < {_CONFIG}.in > "$CONFIG"\nARGS=({CUSTOM} "$CONFIG")\n'
            f'{_TRAIN} "${{ARGS[@]}}"\n',
            None,
        )
    ),
    Example(_tree(_named(path="../site/config.yaml"), None)),
    Example(_tree(_named(path="configs/demo.yaml"), None)),
    Example(_tree(_named(path=f"./examples/../{_CONFIG}"))),
    Example(_tree(f"cd examples/demo\npython3 ../../relax/entrypoints/train.py {CUSTOM} demo_config.yaml\n")),
    Example(_tree(_named(EVAL), "eval:\n  datasets: {aime: {path: a.parquet}}\n")),
    Example(_tree(f"{_TRAIN} --loss-type sft {EVAL} examples/demo/none.yaml\n", None)),
    Example(_tree(_named(SGLANG), "sglang:\n  - name: actor\n")),
    Example(_tree(_named(AUTOSCALER), "")),
    Example(_tree(_named(), "max_turns: {{ turns }}\n")),
    Example(_tree(_named(), "base: &base {a: 1}\nmax_turns: 5\n<<: *base\n")),
    Example(_tree(f"python3 -m verl.trainer.main_ppo {CUSTOM}=examples/demo/none.yaml\n", None)),
]

INVALID: list[Example] = [
    Example(_tree(_named(), None), findings=((_RUN, 1, 57),)),
    Example(_tree(f"{_TRAIN} {CUSTOM}=examples/demo/demo.yaml\n"), findings=((_RUN, 1, 36),)),
    Example(_tree(f"{_TRAIN} {CUSTOM} demo_config.yaml\n"), findings=((_RUN, 1, 57),)),
    Example(
        _tree(
            f'CONFIG="${{CONFIG:-examples/demo/config.yml}}"\nARGS=(\n    {CUSTOM} "$CONFIG"\n)\n'
            f'{_TRAIN} "${{ARGS[@]}}"\n'
        ),
        findings=((_RUN, 3, 26),),
    ),
    Example(_tree(_named(path="examples/demo"), None), findings=((_RUN, 1, 57),)),
    Example(_tree(_named(), "- max_turns: 5\n"), findings=((_CONFIG, 1, 1),)),
    Example(_tree(_named(), "max_turns=5\n"), findings=((_CONFIG, 1, 1),)),
    Example(_tree(_named(), "1: one\nmax_turns: 5\n"), findings=((_CONFIG, 1, 1),)),
    Example(_tree(_named(), "max_turns: 5\n---\nmax_turns: 6\n"), findings=((_CONFIG, 3, 1),)),
    Example(_tree(_named(), "max_turns: 5\njudge: !env JUDGE\n"), findings=((_CONFIG, 2, 13),)),
    Example(_tree(_named(EVAL, "examples/demo/eval.yaml")), findings=((_RUN, 1, 50),)),
    Example(_tree(_named(EVAL), "- name: aime\n  path: a.parquet\n"), findings=((_CONFIG, 1, 1),)),
    Example(_tree(_named(SGLANG), ""), findings=((_CONFIG, 1, 1),)),
    Example(_tree(_named(SGLANG), "engine_groups: []\n"), findings=((_CONFIG, 1, 1),)),
    Example(_tree(_named(AUTOSCALER), "[enabled]\n"), findings=((_CONFIG, 1, 1),)),
    Example(
        {**_tree(_named(path="configs/demo.yaml"), "- a\n", "configs/demo.yaml")},
        findings=((_RUN, 1, 57),),
    ),
    Example(
        _tree(f"launch() {{\n    {_TRAIN} {CUSTOM} examples/$1/$1.yaml\n}}\nlaunch demo\n"),
        findings=((_RUN, 2, 61),),
    ),
]


@rule("RLX604", "config-missing", ERROR, on="launch", valid=VALID, invalid=INVALID)
def config_missing(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """Say which files cannot be read."""
    for flag in CONFIG_FLAGS:
        if flag == EVAL and launch.mode == "sft":
            continue  # refused, whatever it holds
        try:
            named = named_config(launch, project, flag)
        except NotKnown as hidden:
            yield NotChecked(hidden.place, hidden.because)
            continue
        if named is not None:
            yield from _judged(named, launch, project)


def _judged(named: NamedConfig, launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    place = place_of(launch, named.word)
    if named.source is not None:
        yield from _unusable(named, named.source, launch, project)
    elif project.is_dir(named.path):
        yield Finding(place, f"{named.flag} {named.text} is a directory", launch=launch, subject=named.flag)
    elif named.path in project.unreadable:
        yield NotChecked(place, f"{named.text}: {project.unreadable[named.path]}")
    elif not is_certainly_missing(named, launch, project):
        yield NotChecked(place, f"{named.text} is not in this repository")
    elif may_be_made(named, launch, project):
        yield NotChecked(place, f"{named.text} may be written by the launcher")
    else:
        message = f"{named.flag} {named.text} does not exist; paths are seen from the root of the repository"
        likely = _likely(named, launch, project)
        if likely:
            message += f": did you mean {likely}?"
        yield Finding(place, message, launch=launch, subject=named.flag)


def _likely(named: NamedConfig, launch: Launch, project: Project) -> str | None:
    """The file that may be meant: one of that name beside the script, or one of the recipe with nearly that name."""
    from difflib import get_close_matches

    recipe = project.recipe_of(launch.script)
    known = [] if recipe is None else recipe.yaml
    meant = beside(named, launch)
    if meant not in known:
        near = get_close_matches(meant.name, [path.name for path in known], n=1)
        found = [path for path in known if path.name in near]
        if len(found) != 1:
            return None
        meant = found[0]
    return meant.relative_to(project.root).as_posix()


def _unusable(
    named: NamedConfig, source: YamlSource, launch: Launch, project: Project
) -> Iterator[Finding | NotChecked]:
    """What is wrong with the file as a whole."""
    if source.is_template and (source.error is not None or _fault(named.flag, source) is not None):
        yield NotChecked(place_of(launch, named.word), f"{named.text} is a template")
        return
    if source.error is not None:
        if project.recipe_of(named.path) is None or named.path.suffix not in YAML_SUFFIXES:
            message = f"is no YAML: {source.error.message}"
            yield Finding(place_of(launch, named.word), f"{named.flag} {named.text} {message}", launch=launch)
        return
    fault = _fault(named.flag, source)
    if fault is None:
        return
    at, message = fault
    place, related = where(named, at, launch, project, message)
    yield Finding(place, f"{named.flag} {named.text}: {message}", related=related, launch=launch, subject=named.flag)


def _fault(flag: str, source: YamlSource) -> tuple[Place, str] | None:
    """Why what reads the file stops, and where."""
    start = Place(source, 0, 0) if source.root is None else source.place(source.root)
    first = Place(source, start.start, start.start)
    try:
        value = source.load()
    except NotLoaded as problem:
        return Place(source, problem.start, problem.end), problem.message
    if is_hidden(value) or (flag == CUSTOM and not value) or (flag in (AUTOSCALER, EVAL) and value is None):
        return None
    if not isinstance(value, dict):
        return first, f"its root is {_kind(value)}, not a mapping"
    if flag == SGLANG and "sglang" not in value:
        return first, "it has no key sglang"
    odd = next((entry for entry in source.root.entries if not _is_text(entry.key.tag)), None) if source.root else None
    if flag == CUSTOM and odd is not None:
        return source.key_place(odd), f"the key {odd.name} is no text, and cannot name an argument"
    return None


def _is_text(tag: str) -> bool:
    return tag in ("str", "merge", "value")


def _kind(value: object) -> str:
    if value is None:
        return "empty"
    return "a list" if isinstance(value, list) else "a text" if isinstance(value, str) else "a single value"
