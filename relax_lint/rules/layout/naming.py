"""A file of a recipe is not named after its directory.

## What

Files directly in a recipe's directory that the guide names after it: launchers `run_<algo>.sh`, modules with a
`reward_func` `reward_<algo>.py`, modules with a `build_env` `env_<algo>.py`, and the config of the turns
`<algo>_config.yaml`; the module of a launch's generate function is `rollout.py`, or has that in its name. More behind
the name is fine (`run_<algo>_async.sh`), and so are dashes for underscores; in a directory of directories the nearest
name counts too. Modules of packages nested in a recipe are named as they are, and so are SFT launchers.

## Why

Nothing fails. But who looks for the reward of a recipe looks for `reward_<algo>.py`, and module paths in flags are
shorter to check by eye when they say the same name twice.

## Source

Guide: the target structures of its decision tree.

## Example

    examples/gsm8k/train.sh
    examples/gsm8k/scoring.py

## Fix

Rename the file, and the paths in the launchers that name it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from relax_lint.diagnostics import Finding, Place
from relax_lint.discovery import JOB_SUFFIXES
from relax_lint.generates import GENERATE
from relax_lint.patterns import pattern
from relax_lint.project import Project, Recipe
from relax_lint.rules import ADVICE, Example, rule
from relax_lint.shell.queries import is_part_of_another

if TYPE_CHECKING:
    from relax_lint.sources.text import SourceFile

_REWARDS = pattern(r"^(?:async )?def reward_func\b", re.MULTILINE, words=("def reward_func",))
_BUILDS = pattern(r"^(?:async )?def build_env\b", re.MULTILINE, words=("def build_env",))
_SETTINGS = re.compile(rb"^(?:max_turns|rollout_interaction_env_path)\s*:", re.MULTILINE)

_TRAIN = "python3 relax/entrypoints/train.py --rm-type math\n"
_MULTI = "python3 relax/entrypoints/train.py --custom-generate-function-path examples.demo.{}.generate\n"
_GENERATE = "async def generate(args, sample, sampling_params):\n    return sample\n"
_CODE = "async def reward_func(args, sample, **kwargs):\n    return 0.0\n"
_ENV = "def build_env(sample=None, args=None, **_):\n    return None\n"

VALID: list[Example | str] = [
    Example({"examples/demo/run_demo.sh": _TRAIN, "examples/demo/reward_demo.py": _CODE}),
    Example({"examples/demo/run_demo_async.sh": _TRAIN, "examples/demo/reward_demo_judge.py": _CODE}),
    Example({"examples/my-demo/run-my-demo.sh": _TRAIN}),
    Example({"examples/my-demo/run_my_demo.sh": _TRAIN, "examples/my-demo/env_my_demo.py": _ENV}),
    Example({"examples/demo/env_demo.py": _ENV, "examples/demo/demo_config.yaml": "max_turns: 5\n"}),
    Example({"examples/demo/demo_config_long.yml": "max_turns: 50\n"}),
    Example({"examples/group/demo/run_demo.sh": _TRAIN, "examples/group/demo/reward_demo.py": _CODE}),
    Example({"examples/group/demo/run_group_all.sh": _TRAIN}),
    Example({"examples/demo/judge_service.sh": "python3 -m sglang.launch_server\n"}),
    Example({"examples/demo/common.sh": _TRAIN, "examples/demo/run_demo.sh": '. "$(dirname "$0")/common.sh"\n'}),
    Example({"examples/demo/rewards/ranking.py": _CODE, "examples/demo/rewards/__init__.py": ""}),
    Example({"examples/demo/scoring.py": "def compute_score(text, label):\n    return 0.0\n"}),
    Example({"examples/demo/judge.yaml": "judge_url: http://localhost:8000\n"}),
    Example({"examples/demo/train_sft.sh": "python3 relax/entrypoints/train.py --loss-type sft\n"}),
    Example({"scripts/training/text/run-qwen3-4B.sh": _TRAIN}),
    Example({"examples/Demo/run_demo.sh": _TRAIN}),
    Example({"examples/demo/run_demo.sh": _MULTI.format("rollout"), "examples/demo/rollout.py": _GENERATE}),
    Example({"examples/demo/run_demo.sh": _MULTI.format("demo_rollout"), "examples/demo/demo_rollout.py": _GENERATE}),
    Example({"examples/demo/run_demo.sh": _MULTI.format("parts.turns"), "examples/demo/parts/turns.py": _GENERATE}),
    Example({"examples/demo/run_demo.sh": _MULTI.format("env_demo"), "examples/demo/env_demo.py": _ENV + _GENERATE}),
]

INVALID = [
    Example(
        {"examples/demo/run_demo.sh": _MULTI.format("turns"), "examples/demo/turns.py": _GENERATE},
        findings=(("examples/demo/turns.py", 1, 1),),
    ),
    Example({"examples/demo/train.sh": _TRAIN}, findings=(("examples/demo/train.sh", 1, 1),)),
    Example({"examples/demo/run.sh": f"set -e\n{_TRAIN}"}, findings=(("examples/demo/run.sh", 1, 1),)),
    Example({"examples/demo/run_demos.sh": _TRAIN}, findings=(("examples/demo/run_demos.sh", 1, 1),)),
    Example({"examples/demo/demo_run.sh": _TRAIN}, findings=(("examples/demo/demo_run.sh", 1, 1),)),
    Example({"examples/demo/run-qwen3-4B-8xgpu.sh": _TRAIN}, findings=(("examples/demo/run-qwen3-4B-8xgpu.sh", 1, 1),)),
    Example({"examples/demo/reward.py": _CODE}, findings=(("examples/demo/reward.py", 1, 1),)),
    Example({"examples/demo/demo_reward.py": _CODE}, findings=(("examples/demo/demo_reward.py", 1, 1),)),
    Example(
        {"examples/demo_agentic/reward_demo.py": _CODE}, findings=(("examples/demo_agentic/reward_demo.py", 1, 1),)
    ),
    Example({"examples/demo/environment.py": _ENV}, findings=(("examples/demo/environment.py", 1, 1),)),
    Example(
        {"examples/demo/config.yaml": "rollout_interaction_env_path: examples.demo.env_demo\n"},
        findings=(("examples/demo/config.yaml", 1, 1),),
    ),
    Example(
        {"examples/group/demo/run_other.sh": _TRAIN, "examples/group/demo/reward.py": _CODE},
        findings=(("examples/group/demo/run_other.sh", 1, 1), ("examples/group/demo/reward.py", 1, 1)),
    ),
    Example(
        {"examples/demo/launch": f"#!/bin/bash\n{_TRAIN}"},
        findings=(("examples/demo/launch", 1, 1),),
    ),
]


class _Misnamed(NamedTuple):
    """A file, and where the guide has it."""

    source: SourceFile
    wanted: Path


@rule("RLX803", "naming", ADVICE, on="recipe", valid=VALID, invalid=INVALID)
def naming(recipe: Recipe, project: Project) -> Iterator[Finding]:
    """Compare each name with those that the guide has for it."""
    found = list(_misnamed(recipe, project))
    wanted = Counter(one.wanted for one in found)
    for one in found:
        name = one.wanted.name
        if wanted[one.wanted] > 1 or project.exists(one.wanted):  # only one file can have it
            name = f"{one.wanted.stem}_…{one.wanted.suffix}"
        yield Finding(Place(one.source, 0, 0), f"named {one.source.path.name}, where a recipe has {name}", subject=name)


def _misnamed(recipe: Recipe, project: Project) -> Iterator[_Misnamed]:
    for launcher in recipe.launchers:
        if not _is_named(launcher.path, recipe, "run_{}") and any(
            launch.kind == "relax" and launch.mode != "sft" for launch in launcher.launches
        ):
            if not is_part_of_another(launcher, project):
                suffix = launcher.path.suffix
                yield _called(launcher, recipe, "run_{}", suffix if suffix in JOB_SUFFIXES else ".sh")
    for source in recipe.python:
        if _is_in_package(source.path, recipe):
            continue
        forms = [form for form, found in (("reward_{}", _REWARDS), ("env_{}", _BUILDS)) if found.search(source.text)]
        if forms and not any(_is_named(source.path, recipe, form) for form in forms):
            yield _called(source, recipe, forms[0], ".py")
    yield from _rollouts(recipe, project)
    for path in recipe.yaml:
        config = project.source(path) if _SETTINGS.search(project.read(path) or b"") else None
        if config is not None and not _is_in_package(path, recipe) and not _is_named(path, recipe, "{}_config"):
            yield _called(config, recipe, "{}_config", ".yaml")


def _rollouts(recipe: Recipe, project: Project) -> Iterator[_Misnamed]:
    """The modules of generate functions."""
    from relax_lint.supposed_launches import launches_of

    launches = launches_of(recipe, project) if recipe.is_partial else recipe.launches
    named = {launch.value(GENERATE) for launch in launches if launch.kind == "relax"}
    for dotted in sorted(one.rpartition(".")[0] for one in named if one):
        source = project.module(dotted)
        if source is None or source.path.parent != recipe.directory or "rollout" in source.path.stem:
            continue
        if not _REWARDS.search(source.text) and not _BUILDS.search(source.text):
            yield _called(source, recipe, "rollout", ".py")


def _is_named(path: Path, recipe: Recipe, form: str) -> bool:
    stem = _plain(path.stem)
    wanted = [form.format(_plain(name)) for name in _names(path, recipe)]
    return any(stem == name or stem.startswith(f"{name}_") for name in wanted)


def _names(path: Path, recipe: Recipe) -> list[str]:
    """The directories that a file may be named after, the nearest first."""
    inside = path.parent.relative_to(recipe.directory).parts
    return [*reversed(inside), recipe.name]


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower())


def _is_in_package(path: Path, recipe: Recipe) -> bool:
    """Whether a file is in a package nested in the recipe, or in an application that it runs."""
    if path.parent == recipe.directory:
        return False
    return not any(launcher.parent == path.parent for launcher in recipe.launcher_paths)


def _called(source: SourceFile, recipe: Recipe, form: str, suffix: str) -> _Misnamed:
    name = form.format(_plain(_names(source.path, recipe)[0])) + suffix
    return _Misnamed(source, source.path.with_name(name))
