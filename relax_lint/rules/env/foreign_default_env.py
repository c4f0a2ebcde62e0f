"""A copied rollout still loads another example's environment by default.

## What

A `DEFAULT_ENV_MODULE` in a recipe that names a module of another example, as a module path or a file.

## Why

`rollout_interaction_env_path` in the config comes first, so nothing is noticed as long as it is there. A launch whose
config leaves it empty trains against the other example's tools: the model is told "no tool call detected", turn after
turn, and the rewards still look like rewards.

## Source

Guide, step 3: copy `examples/deepeyes/rollout.py` and update `DEFAULT_ENV_MODULE` to point to your env module; each
example is self-contained.

## Example

    DEFAULT_ENV_MODULE = "examples.deepeyes.env_deepeyes"    # in examples/zoom/rollout.py

## Fix

Names the recipe's own environment module, if it has exactly one with `build_env`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Edit, Finding, Fix, NotChecked
from relax_lint.environment_files import DEFAULT
from relax_lint.project import Project, Recipe
from relax_lint.rules import WARNING, Example, rule

if TYPE_CHECKING:
    from relax_lint.environments import Default, Environments

_ROLLOUT = "examples/demo/rollout.py"
_OTHER = "examples.deepeyes.env_deepeyes"
_LOADS = "\n\ndef load(path):\n    return importlib.import_module(path or DEFAULT_ENV_MODULE)\n"
_BUILDS = """\
from examples.demo.base_env import BaseInteractionEnv


class Env(BaseInteractionEnv):
    def reset(self):
        return {}, {}

    def step(self, response_text):
        return {"obs_str": "."}, True, {}


def build_env(sample=None, args=None, **_):
    return Env()
"""


def _rollout(text: str, **others: str) -> dict[str, str]:
    return {_ROLLOUT: text, **{f"examples/demo/{name}.py": other for name, other in others.items()}}


VALID = [
    Example(_rollout('DEFAULT_ENV_MODULE = "examples.demo.env_demo"\n' + _LOADS, env_demo=_BUILDS)),
    Example({"examples/deepeyes/rollout.py": f'DEFAULT_ENV_MODULE = "{_OTHER}"\n{_LOADS}'}),
    Example(_rollout("DEFAULT_ENV_MODULE = None\n" + _LOADS)),
    Example(_rollout('DEFAULT_ENV_MODULE = ""\n')),
    Example(_rollout('import os\n\nDEFAULT_ENV_MODULE = os.environ["ENV_MODULE"]\n')),
    Example(_rollout('DEFAULT_ENV_MODULE = "zoom_envs.table"\n')),
    Example(_rollout('DEFAULT_ENV_MODULE = "relax.envs.search"\n')),
    Example(_rollout('DEFAULT_ENV_MODULE = __name__.rpartition(".")[0] + ".env_demo"\n')),
    Example(_rollout(f'DEFAULT_REWARD_MODULE = "{_OTHER}"\n')),
    Example(_rollout('DEFAULT_ENV_MODULE = "examples/demo/envs/zoom.py"\n')),
    Example(_rollout(f'# DEFAULT_ENV_MODULE = "{_OTHER}"\nDEFAULT_ENV_MODULE = "examples.demo.envs"\n')),
    Example({"examples/demo/zoom/rollout.py": 'DEFAULT_ENV_MODULE = "examples.demo.crop.env_crop"\n'}),
]

INVALID = [
    Example(
        _rollout(f'DEFAULT_ENV_MODULE = "{_OTHER}"\n{_LOADS}', env_demo=_BUILDS),
        findings=((_ROLLOUT, 1, 22),),
        fixed={_ROLLOUT: f'DEFAULT_ENV_MODULE = "examples.demo.env_demo"\n{_LOADS}'},
    ),
    Example(
        _rollout(f"DEFAULT_ENV_MODULE: str = '{_OTHER}'  # if the config names none\n", env_demo=_BUILDS),
        findings=((_ROLLOUT, 1, 27),),
        fixed={_ROLLOUT: "DEFAULT_ENV_MODULE: str = 'examples.demo.env_demo'  # if the config names none\n"},
    ),
    Example(
        _rollout('EXAMPLE = "examples.deepeyes"\nDEFAULT_ENV_MODULE = EXAMPLE + ".env_deepeyes"\n', env_demo=_BUILDS),
        findings=((_ROLLOUT, 2, 22),),
        fixed={_ROLLOUT: 'EXAMPLE = "examples.deepeyes"\nDEFAULT_ENV_MODULE = "examples.demo.env_demo"\n'},
    ),
    Example(_rollout(f'DEFAULT_ENV_MODULE = "{_OTHER}"\n{_LOADS}'), findings=((_ROLLOUT, 1, 22),)),
    Example(
        _rollout(f'DEFAULT_ENV_MODULE = "{_OTHER}"\n', env_demo=_BUILDS, env_other=_BUILDS),
        findings=((_ROLLOUT, 1, 22),),
    ),
    Example(
        {
            "examples/demo/multi/rollout.py": f'DEFAULT_ENV_MODULE = (\n    "{_OTHER}"\n)\n',
            "examples/demo/multi/envs/__init__.py": "from .zoom import build_env\n",
            "examples/demo/multi/envs/zoom.py": "def build_env(sample=None, args=None, **_):\n    return None\n",
        },
        findings=(("examples/demo/multi/rollout.py", 2, 5),),
        fixed={
            "examples/demo/multi/rollout.py": 'DEFAULT_ENV_MODULE = (\n    "examples.demo.multi.envs.zoom"\n)\n',
        },
    ),
    Example(
        _rollout('DEFAULT_ENV_MODULE = "examples/deepeyes/env_deepeyes.py"\n', env_demo=_BUILDS),
        findings=((_ROLLOUT, 1, 22),),
        fixed={_ROLLOUT: 'DEFAULT_ENV_MODULE = "examples.demo.env_demo"\n'},
    ),
    Example(
        _rollout(f'class Config:\n    DEFAULT_ENV_MODULE = "{_OTHER}"\n'),
        findings=((_ROLLOUT, 2, 26),),
    ),
    Example(
        _rollout(f'ENV = DEFAULT_ENV_MODULE = "{_OTHER}"\n'),
        findings=((_ROLLOUT, 1, 28),),
    ),
    Example(
        _rollout(
            f"try:\n    from examples.demo.site import DEFAULT_ENV_MODULE\nexcept ImportError:\n"
            f'    DEFAULT_ENV_MODULE = "{_OTHER}"\n'
        ),
        findings=((_ROLLOUT, 4, 26),),
    ),
    Example(
        _rollout('NAME = "geo3k"\nDEFAULT_ENV_MODULE = f"examples.{NAME}.env_{NAME}"\n'),
        findings=((_ROLLOUT, 2, 22),),
    ),
]


@rule(
    "RLX305",
    "foreign-default-env",
    WARNING,
    on="recipe",
    only_python=True,
    valid=VALID,
    invalid=INVALID,
    fixable="safe",
)
def foreign_default_env(recipe: Recipe, project: Project) -> Iterator[Finding | NotChecked]:
    """Say it at the value."""
    if not any(recipe.wants(source.path) and DEFAULT in source.data for source in recipe.python):
        return
    from relax_lint.environments import DEFAULT_MODULE, environments_of

    environments = environments_of(recipe, project)
    for default in environments.defaults:
        place = default.source.place(default.node)
        if default.value is None:
            if not isinstance(default.node, ast.Constant):
                yield NotChecked(place, default.source.segment(default.node))
            continue
        parts = default.value.removesuffix(".py").replace("/", ".").split(".")
        if parts[0] != "examples" or len(parts) < 3 or parts[1] == recipe.name:
            continue
        message = f"{DEFAULT_MODULE} is {default.value}, another example's: name this recipe's own environment module"
        yield Finding(place, message, fix=_fix(environments, default), subject=DEFAULT_MODULE)


def _fix(environments: Environments, default: Default) -> Fix | None:
    modules = environments.own_modules()
    if len(modules) != 1:
        return None
    place = default.source.place(default.node)
    quote = "'" if place.source.text[place.start] == "'" else '"'
    edit = Edit.at(place, f"{quote}{modules[0]}{quote}")
    return Fix(f"name {modules[0]}", lambda: [edit])
