"""A directory on a module path that a launcher uses has no `__init__.py`.

## What

Flags such as `--custom-rm-path examples.demo.reward_demo.reward_func` name a function by its module, and so may the
YAML file of `--custom-config-path`, as in `rollout_interaction_env_path: examples.demo.envs.env_demo`. Every directory
of the repository along such a path should hold an `__init__.py`. Paths into Relax itself, and modules that are not in
this repository, are left alone.

## Why

Python imports a directory without `__init__.py` as a namespace package, which is searched for on the whole path: an
`examples` package that is installed in the environment, or that Megatron-LM brings along on `PYTHONPATH`, wins, and the
reward that runs is another one, or none.

## Source

Guide, step 0: `touch examples/<algo>/__init__.py`, and the target structures of its decision tree.

## Example

    examples/demo/reward_demo.py
    examples/demo/run_demo.sh        # --custom-rm-path examples.demo.reward_demo.reward_func

## Fix

Creates the empty file.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from relax_lint.catalog.module_paths import MODULE_PATH_FLAGS
from relax_lint.diagnostics import Edit, Finding, Fix, NotChecked, Place
from relax_lint.launch_config import CONFIG, dest_of, setting
from relax_lint.project import Project, Recipe
from relax_lint.rules import WARNING, Example, rule
from relax_lint.shell.launch import Launch, Word
from relax_lint.shell.queries import place_of, why_unknown

_ENV_PATH = "rollout_interaction_env_path"

_TRAIN = "python3 relax/entrypoints/train.py"
_LAUNCH = f"{_TRAIN} --custom-rm-path examples.demo.reward_demo.reward_func\n"
_RUN, _REWARD = "examples/demo/run_demo.sh", "examples/demo/reward_demo.py"
_CODE = "async def reward_func(args, sample, **kwargs):\n    return 0.0\n"
_INITS = {"examples/__init__.py": "", "examples/demo/__init__.py": ""}


def _tree(launcher: str, **more: str) -> dict[str, str]:
    return {"examples/__init__.py": "", _RUN: launcher, _REWARD: _CODE, **more}


VALID: list[Example | str] = [
    Example({**_INITS, _RUN: _LAUNCH, _REWARD: _CODE}),
    Example({**_INITS, _RUN: _LAUNCH}),
    Example({_RUN: f"{_TRAIN} --rm-type math --lr 1e-6\n", _REWARD: _CODE}),
    Example({_RUN: f"{_TRAIN} --rollout-function-path relax.engine.rollout.sglang_rollout.generate_rollout\n"}),
    Example({_RUN: f"{_TRAIN} --custom-rm-path other_package.rewards.reward_func\n", _REWARD: _CODE}),
    Example({_RUN: f'{_TRAIN} --custom-rm-path "${{RM}}"\n', _REWARD: _CODE}),
    Example({_RUN: f"{_TRAIN} --custom-rm-path examples/demo/reward_demo.py:reward_func\n", _REWARD: _CODE}),
    Example({_RUN: f"# {_LAUNCH}{_TRAIN} --rm-type math\n", _REWARD: _CODE}),
    Example(
        {
            _RUN: f"{_TRAIN} --custom-config-path examples/demo/demo_config.yaml\n",
            "examples/demo/demo_config.yaml": "a: 1\n",
        }
    ),
    Example(
        {
            _RUN: "python3 -m verl.trainer.main_ppo custom_reward_function.path=examples/demo/reward_demo.py\n",
            _REWARD: _CODE,
        }
    ),
    Example(
        {
            **_INITS,
            "examples/demo/rewards/__init__.py": "from .math import reward_func\n",
            "examples/demo/rewards/math.py": _CODE,
            _RUN: f"{_TRAIN} --custom-rm-path examples.demo.rewards.reward_func\n",
        }
    ),
    Example({_RUN: f"{_TRAIN} --custom-rm-path reward_demo.reward_func\n", "reward_demo.py": _CODE}),
    Example(
        {
            **_INITS,
            _RUN: f"{_TRAIN} --custom-config-path examples/demo/demo_config.yaml\n",
            "examples/demo/demo_config.yaml": f"{_ENV_PATH}: examples/demo/envs/env_demo.py\n",
            "examples/demo/envs/env_demo.py": "def build_env(sample=None, args=None, **_): ...\n",
        }
    ),
]

INVALID = [
    Example(
        {
            **_INITS,
            _RUN: f"{_TRAIN} --custom-config-path examples/demo/demo_config.yaml\n",
            "examples/demo/demo_config.yaml": f"max_turns: 3\n{_ENV_PATH}: examples.demo.envs.env_demo\n",
            "examples/demo/envs/env_demo.py": "def build_env(sample=None, args=None, **_): ...\n",
        },
        findings=(("examples/demo/demo_config.yaml", 2, 31),),
        fixed={"examples/demo/envs/__init__.py": ""},
    ),
    Example(
        {
            "examples/demo/__init__.py": "",
            _REWARD: _CODE,
            _RUN: f"{_TRAIN} --custom-config-path examples/demo/demo_config.yaml\n",
            "examples/demo/demo_config.yaml": "custom_rm_path: examples.demo.reward_demo.reward_func\n",
        },
        findings=(("examples/demo/demo_config.yaml", 1, 17),),
        fixed={"examples/__init__.py": ""},
    ),
    Example(_tree(_LAUNCH), findings=((_RUN, 1, 53),), fixed={"examples/demo/__init__.py": ""}),
    Example(
        {_RUN: _LAUNCH, _REWARD: _CODE},
        findings=((_RUN, 1, 53), (_RUN, 1, 53)),
        fixed={"examples/__init__.py": "", "examples/demo/__init__.py": ""},
    ),
    Example(
        _tree(
            f"ROLLOUT_ARGS=(\n    --custom-rm-path=examples.demo.reward_demo.reward_func\n)\n"
            f'{_TRAIN} "${{ROLLOUT_ARGS[@]}}"\n'
        ),
        findings=((_RUN, 2, 5),),
        fixed={"examples/demo/__init__.py": ""},
    ),
    Example(
        _tree(f'NAME=demo\n{_TRAIN} --custom-rm-path "examples.${{NAME}}.reward_${{NAME}}.reward_func"\n'),
        findings=((_RUN, 2, 53),),
        fixed={"examples/demo/__init__.py": ""},
    ),
    Example(
        _tree(
            f"{_TRAIN} --custom-generate-function-path examples.demo.rollout.generate \\\n"
            "    --custom-rm-path examples.demo.reward_demo.reward_func\n",
            **{"examples/demo/rollout.py": "async def generate(args, sample, sampling_params):\n    return sample\n"},
        ),
        findings=((_RUN, 1, 68),),
        fixed={"examples/demo/__init__.py": ""},
    ),
    Example(
        {
            **_INITS,
            "examples/demo/rewards/math.py": _CODE,
            _RUN: f"{_TRAIN} --custom-rm-path examples.demo.rewards.math.reward_func\n",
        },
        findings=((_RUN, 1, 53),),
        fixed={"examples/demo/rewards/__init__.py": ""},
    ),
    Example(
        {
            **_INITS,
            "examples/demo/filters/keep.py": "def keep(args, samples):\n    return True\n",
            _RUN: f"{_TRAIN} --dynamic-sampling-filter-path examples.demo.filters.keep.keep\n",
        },
        findings=((_RUN, 1, 67),),
        fixed={"examples/demo/filters/__init__.py": ""},
    ),
    Example(
        {
            "examples/__init__.py": "",
            _REWARD: _CODE,
            "examples/demo/run_a.sh": _LAUNCH,
            "examples/demo/run_b.sh": f"{_TRAIN} --fully-async --custom-rm-path "
            f"examples.demo.reward_demo.reward_func\n",
        },
        findings=(("examples/demo/run_a.sh", 1, 53),),
        fixed={"examples/demo/__init__.py": ""},
    ),
    Example(
        _tree(f'run() {{\n    {_TRAIN} "$@"\n}}\nrun --custom-rm-path examples.demo.reward_demo.reward_func\n'),
        findings=((_RUN, 4, 22),),
        fixed={"examples/demo/__init__.py": ""},
    ),
    Example(
        _tree(
            f"{_TRAIN} --loss-type sft --custom-dataset-class-path examples.demo.dataset.Chats\n",
            **{"examples/demo/dataset.py": "class Chats:\n    pass\n"},
        ),
        findings=((_RUN, 1, 80),),
        fixed={"examples/demo/__init__.py": ""},
    ),
    Example(
        {
            "examples/__init__.py": "",
            "examples/shared/rewards.py": _CODE,
            _RUN: f"{_TRAIN} --custom-rm-path examples.shared.rewards.reward_func\n",
        },
        findings=((_RUN, 1, 53),),
        fixed={"examples/shared/__init__.py": ""},
    ),
]


@rule("RLX801", "missing-init", WARNING, on="recipe", valid=VALID, invalid=INVALID, fixable="safe")
def missing_init(recipe: Recipe, project: Project) -> Iterator[Finding | NotChecked]:
    """Say which directories are no packages, once each."""
    seen: set[Path] = set()
    for launch in recipe.launches:
        for flag, word in _module_paths(launch):
            if not word.known:
                yield NotChecked(place_of(launch, word), why_unknown(word))
                continue
            for directory in _without_init(word.text, seen, project):
                yield _finding(directory, flag, word.text, place_of(launch, word), launch, project)
        named = project.once(("modules in config", launch), partial(_named_in_config, launch, project))
        for key, text, place in named:
            for directory in _without_init(text, seen, project):
                yield _finding(directory, key, text, place, launch, project)


def _module_paths(launch: Launch) -> Iterator[tuple[str, Word]]:
    """The values that name modules; each flag's last time counts."""
    if launch.kind != "relax":
        return
    for flag in dict.fromkeys(argument.flag for argument in launch.arguments):
        argument = launch.last(flag) if flag in MODULE_PATH_FLAGS else None
        for word in argument.values if argument is not None else ():
            yield flag, word


def _named_in_config(launch: Launch, project: Project) -> list[tuple[str, str, Place]]:
    """The modules that the launch's config names: for flags, and the environment."""
    if launch.kind != "relax" or not launch.has(CONFIG):
        return []
    keys = (_ENV_PATH, *map(dest_of, MODULE_PATH_FLAGS))
    given = ((key, setting(launch, project, key)) for key in keys)
    return [
        (key, found.text, found.place)
        for key, found in given
        if found is not None and found.kind == "str" and found.place is not None and not found.text.endswith(".py")
    ]


def _without_init(dotted: str, seen: set[Path], project: Project) -> Iterator[Path]:
    """The directories along a module path that are no packages, but for those that were seen before."""
    for directory in _directories(dotted, project):
        if directory not in seen and not project.exists(directory / "__init__.py"):
            seen.add(directory)
            yield directory


def _directories(dotted: str, project: Project) -> Iterator[Path]:
    """The directories of the repository along a module path, as far as they are there and it goes on in them."""
    parts = dotted.split(".")
    if parts[0] == "relax" or not all(part.isidentifier() for part in parts):
        return
    here = project.root
    for part in parts[:-1]:
        here = here / part
        if not project.is_dir(here):
            return
        yield here


def _finding(directory: Path, name: str, dotted: str, place: Place, launch: Launch, project: Project) -> Finding:
    init = directory / "__init__.py"
    shown = init.relative_to(project.root).as_posix()
    return Finding(
        place,
        f"{shown} is missing: {name} imports {dotted} through that directory",
        fix=Fix(f"create {shown}", lambda: [Edit.new_file(init, "")]),
        launch=launch,
        subject=directory.relative_to(project.root).as_posix(),
    )
