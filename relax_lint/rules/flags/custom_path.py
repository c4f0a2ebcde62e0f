"""A flag names a function or class that cannot be found.

## What

A flag whose value Relax imports, `--custom-generate-function-path`, `--rollout-function-path`, filters, hooks, loss
functions and the others, or the key of a `--custom-config-path` file that sets the same, where:

- the value is a file (`examples/demo/rollout.py`, `examples/demo/rollout.py:generate`) and no module path,
- the module is not there, looked for from the repository's root,
- the module is there and has no such name, or the value names a module and nothing in it.

Only paths that begin in the repository are judged, and those into Relax (`relax.…`) when its checkout is at hand; what
else is installed where the training runs is not known. A reward function or a generate function that is missing from
a recipe is told by `reward-missing` and `generate`.

## Why

Relax imports these names when it needs them: some when it starts, some with the first sample, some only at the end of
the first rollout, after the model is loaded. A file form never works: the text is split at its last dot.

## Source

Relax's `load_function`: the part before the last dot is imported, the part behind it is taken from the module.

## Example

    --custom-generate-function-path examples/demo/rollout.py:generate

## Fix

Writes the module path in place of a file, if it leads to the function.
"""

from __future__ import annotations

from collections.abc import Iterator

from relax_lint.catalog.module_paths import MODULE_PATH_FLAGS, PACKAGE_FLAGS, SEVERAL_PATHS, SPEC_FLAG, USUAL_NAMES
from relax_lint.diagnostics import Finding, Fix, NotChecked, Related
from relax_lint.fixers.launcher_edits import replace_value, replace_word
from relax_lint.launch_config import CONFIG, Setting, dest_of, setting
from relax_lint.module_paths import as_module_path, fault, is_file_form, package_fault
from relax_lint.project import Project
from relax_lint.rules import ERROR, Example, rule
from relax_lint.shell.launch import Argument, Launch, Word
from relax_lint.shell.queries import place_of, why_unknown

_IMPORTED = MODULE_PATH_FLAGS | PACKAGE_FLAGS | {SPEC_FLAG}
_JUDGED_IN_RECIPES = frozenset({"--custom-rm-path", "--custom-generate-function-path"})
"""Flags whose functions rules of their own look into, in recipes."""

_TRAIN = "python3 relax/entrypoints/train.py"
_RUN, _ROLLOUT, _FILTER = "examples/demo/run_demo.sh", "examples/demo/rollout.py", "examples/demo/filters.py"
_GENERATE = "async def generate(args, sample, sampling_params):\n    return sample\n"
_KEEP = "def keep(args, samples):\n    return True\n"
_RELAX = {
    "relax/entrypoints/train.py": "",
    "relax/engine/filters.py": "def check_std(args, samples):\n    return True\n",
}


def _tree(flags: str, **files: str) -> dict[str, str]:
    names = {"rollout": _ROLLOUT, "filters": _FILTER, "init": "examples/demo/__init__.py"}
    return {_RUN: f"{_TRAIN} {flags}\n", **{names.get(key, key): text for key, text in files.items()}}


VALID: list[Example | str] = [
    Example(_tree("--custom-generate-function-path examples.demo.rollout.generate", rollout=_GENERATE)),
    Example(_tree("--dynamic-sampling-filter-path examples.demo.filters.keep", filters=_KEEP)),
    Example(
        _tree("--dynamic-sampling-filter-path examples.demo.keep", filters=_KEEP, init="from .filters import keep\n")
    ),
    Example(_tree("--dynamic-sampling-filter-path examples.demo.filters.keep", filters="from elsewhere import *\n")),
    Example(_tree("--rollout-function-path relax.engine.rollout.sglang_rollout.generate_rollout")),
    Example({**_tree("--dynamic-sampling-filter-path relax.engine.filters.check_std"), **_RELAX}),
    Example(_tree("--rollout-function-path our_package.rollout.generate_rollout")),
    Example(_tree('--dynamic-sampling-filter-path "${FILTER}"', filters=_KEEP)),
    Example(_tree("--custom-config-path examples/demo/demo_config.yaml --agent-command 'bash examples/demo/run.sh'")),
    Example(_tree("--buffer-filter-path ''", filters=_KEEP)),
    Example(
        _tree(
            "--custom-loss-function-path examples.demo.losses.LOSS",
            **{"examples/demo/losses.py": "import functools\n\nLOSS = functools.partial(print, 1)\n"},
        )
    ),
    Example(
        _tree(
            "--custom-dataset-class examples.demo.dataset.Chats --spec examples.demo.dataset Chats",
            **{"examples/demo/dataset.py": "class Chats:\n    pass\n"},
        )
    ),
    Example(
        _tree(
            "--data-source-path examples.my-demo.source.Source",
            **{"examples/my-demo/source.py": "class Source:\n    pass\n"},
        )
    ),
    Example(
        _tree(
            "--custom-megatron-init-path examples.demo.hooks.on_init",
            **{"examples/demo/hooks.py": "for name in ('on_init',):\n    globals()[name] = print\n"},
        )
    ),
    Example(
        _tree(
            "--dynamic-sampling-filter-path examples.demo.gone.keep --custom-config-path examples/demo/demo.yaml",
            filters=_KEEP,
            **{"examples/demo/demo.yaml": "dynamic_sampling_filter_path: examples.demo.filters.keep\n"},
        )
    ),
    Example(
        {_RUN: f"FILTER=examples/demo/filters.py\n{_TRAIN} --rm-type math # {_TRAIN} --buffer-filter-path a/b.py\n"}
    ),
    Example({_RUN: "python3 -m verl.trainer.main_ppo custom_reward_function.path=examples/demo/rollout.py\n"}),
]

INVALID = [
    Example(
        _tree("--custom-generate-function-path examples/demo/rollout.py:generate", rollout=_GENERATE),
        findings=((_RUN, 1, 68),),
        fixed={_RUN: f"{_TRAIN} --custom-generate-function-path examples.demo.rollout.generate\n"},
    ),
    Example(
        _tree(
            "--custom-rm-path examples/demo/reward_demo.py",
            **{"examples/demo/reward_demo.py": "async def reward_func(args, sample, **kwargs):\n    return 0.0\n"},
        ),
        findings=((_RUN, 1, 53),),
        fixed={_RUN: f"{_TRAIN} --custom-rm-path examples.demo.reward_demo.reward_func\n"},
    ),
    Example(
        _tree("--custom-generate-function-path=./examples/demo/rollout.py", rollout=_GENERATE),
        findings=((_RUN, 1, 36),),
        fixed={_RUN: f"{_TRAIN} --custom-generate-function-path=examples.demo.rollout.generate\n"},
    ),
    Example(
        {
            _RUN: 'ROLLOUT_ARGS=(\n    --dynamic-sampling-filter-path "examples/demo/filters:keep"\n)\n'
            f'{_TRAIN} "${{ROLLOUT_ARGS[@]}}"\n',
            _FILTER: _KEEP,
        },
        findings=((_RUN, 2, 36),),
        fixed={
            _RUN: "ROLLOUT_ARGS=(\n    --dynamic-sampling-filter-path examples.demo.filters.keep\n)\n"
            f'{_TRAIN} "${{ROLLOUT_ARGS[@]}}"\n'
        },
    ),
    Example(
        _tree("--rollout-sample-filter-path examples/demo/filters/keep", filters=_KEEP),
        findings=((_RUN, 1, 65),),
        fixed={_RUN: f"{_TRAIN} --rollout-sample-filter-path examples.demo.filters.keep\n"},
    ),
    Example(_tree("--buffer-filter-path ${SCRIPT_DIR}/filters.py:keep", filters=_KEEP), findings=((_RUN, 1, 57),)),
    Example(
        _tree("--dynamic-sampling-filter-path examples.demo.filter.keep", filters=_KEEP), findings=((_RUN, 1, 67),)
    ),
    Example(
        _tree("--dynamic-sampling-filter-path examples.demo.filters.kept", filters=_KEEP), findings=((_RUN, 1, 67),)
    ),
    Example(_tree("--custom-reward-post-process-path examples.demo.filters", filters=_KEEP), findings=((_RUN, 1, 70),)),
    Example(_tree("--rollout-function-path generate_rollout"), findings=((_RUN, 1, 60),)),
    Example(
        {**_tree("--dynamic-sampling-filter-path relax.engine.filters.check_sdt"), **_RELAX}, findings=((_RUN, 1, 67),)
    ),
    Example(
        {**_tree("--data-source-path relax.engine.rollout.data_source.Buffer"), **_RELAX}, findings=((_RUN, 1, 55),)
    ),
    Example(
        _tree("--slime-router-middleware-paths examples.demo.filters.keep examples.demo.filters.Cache", filters=_KEEP),
        findings=((_RUN, 1, 95),),
    ),
    Example(
        {
            "scripts/training/text/run-demo.sh": f"{_TRAIN} --custom-rm-path examples.demo.reward.reward_func\n",
            _FILTER: _KEEP,
        },
        findings=(("scripts/training/text/run-demo.sh", 1, 53),),
    ),
    Example(
        _tree(
            "--custom-tis-function-path examples.demo.tis.clip",
            **{"examples/demo/tis.py": "def main():\n    def clip(**given):\n        return given\n"},
        ),
        findings=((_RUN, 1, 63),),
    ),
    Example(
        {
            _RUN: f'NAME=demo\nrun() {{ {_TRAIN} "$@"; }}\n'
            'run --eval-function-path "examples.${NAME}.evaluation.evaluate"\n',
            _FILTER: _KEEP,
        },
        findings=((_RUN, 3, 26),),
    ),
    Example(
        _tree(
            "--custom-config-path examples/demo/demo.yaml",
            **{"examples/demo/demo.yaml": "buffer_filter_path: examples/demo/filters.py:keep\n", "filters": _KEEP},
        ),
        findings=((_RUN, 1, 57),),
    ),
    Example(
        _tree("--spec examples.demo.filters Keep --sglang-external-model-package examples.demo.models", filters=_KEEP),
        findings=((_RUN, 1, 65), (_RUN, 1, 102)),
    ),
]


@rule("RLX507", "custom-path", ERROR, on="launch", everywhere=True, valid=VALID, invalid=INVALID, fixable="safe")
def custom_path(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """Look each named function up as Relax would."""
    if launch.kind != "relax":
        return
    config = launch.last(CONFIG)
    overriding = {} if config is None else _overriding(launch, project)
    if config is not None:
        for flag, given in overriding.items():
            yield from _set_by_config(flag, given, config, launch, project)
    for flag in dict.fromkeys(argument.flag for argument in launch.arguments if argument.flag in _IMPORTED):
        argument = launch.last(flag)
        if argument is None or flag in overriding:
            continue
        if flag in MODULE_PATH_FLAGS:
            values = argument.own_values if flag in SEVERAL_PATHS else argument.own_values[:1]
            for word in values:
                yield from _named(argument, word, launch, project)
        elif flag in PACKAGE_FLAGS and argument.value:
            yield from _found(package_fault(argument.value, project), argument.own_values[0], argument, launch)
        elif flag == SPEC_FLAG and len(argument.own_values) == 2:
            yield from _spec(argument, launch, project)


def _overriding(launch: Launch, project: Project) -> dict[str, Setting]:
    """What the config of a launch sets over these flags."""
    named = launch.value(CONFIG)
    text = None if named is None else project.read(project.root / named) or b""
    flags = [flag for flag in MODULE_PATH_FLAGS - SEVERAL_PATHS if text is None or dest_of(flag).encode() in text]
    found = ((flag, setting(launch, project, flag)) for flag in sorted(flags))
    return {flag: given for flag, given in found if given is not None}


def _named(argument: Argument, word: Word, launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    flag, named = argument.flag, word.text
    if is_file_form(_written_out(word)):
        wanted = as_module_path(named, project, USUAL_NAMES.get(flag)) if word.known else None
        yield Finding(
            place_of(launch, word),
            f"{flag} takes a module path, not a file: {wanted or 'package.module.function'}",
            fix=None if wanted is None else _fix(argument, word, wanted),
            launch=launch,
            subject=flag,
        )
    elif not word.known:
        yield NotChecked(place_of(launch, word), why_unknown(word))
    elif named and not _is_told_elsewhere(flag, launch, project):
        yield from _found(fault(named, project, project.recipe_of(launch.script)), word, argument, launch)


def _written_out(word: Word) -> str:
    """A word without the parts that are not known."""
    text = word.text
    for unknown in word.unknowns:
        text = text.replace(unknown.text, "x", 1)
    return text


def _spec(argument: Argument, launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    module, name = argument.own_values
    if not (module.known and name.known):
        yield NotChecked(place_of(launch, module), why_unknown(module if module.unknowns else name))
        return
    yield from _found(fault(f"{module.text}.{name.text}", project), name, argument, launch)


def _found(problem: str | None, word: Word, argument: Argument, launch: Launch) -> Iterator[Finding]:
    if problem is not None:
        yield Finding(place_of(launch, word), f"{argument.flag}: {problem}", launch=launch, subject=argument.flag)


def _set_by_config(
    flag: str, given: Setting, config: Argument, launch: Launch, project: Project
) -> Iterator[Finding | NotChecked]:
    word = config.own_values[0] if config.own_values else config.word
    place = place_of(launch, word)
    if given.kind != "str":
        if given.kind != "null":
            yield NotChecked(place, given.named)
        return
    if is_file_form(given.text):
        wanted = as_module_path(given.text, project, USUAL_NAMES.get(flag))
        problem: str | None = f"takes a module path, not a file: {wanted or 'package.module.function'}"
    elif not given.text or _is_told_elsewhere(flag, launch, project):
        return
    else:
        problem = fault(given.text, project)
    if problem is not None:
        related = () if given.place is None else (Related(given.place, f"{dest_of(flag)} is set here, over any flag"),)
        message = f"{dest_of(flag)} {given.text} in {config.value}: {problem}"
        yield Finding(place, message, related=related, launch=launch, subject=flag)


def _is_told_elsewhere(flag: str, launch: Launch, project: Project) -> bool:
    """Whether the rule that looks into the function says that it is missing, or nothing would ever call it."""
    return flag in _JUDGED_IN_RECIPES and (launch.mode == "sft" or project.recipe_of(launch.script) is not None)


def _fix(argument: Argument, word: Word, wanted: str) -> Fix | None:
    edit = replace_value(argument, wanted) if argument.inline else replace_word(word, wanted)
    return None if edit is None else Fix(f"write {wanted}", lambda: [edit])
