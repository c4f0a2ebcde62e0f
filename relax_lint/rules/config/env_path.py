"""The environment of a multi-turn recipe cannot be found, or it may take no turn.

## What

A YAML file with `rollout_interaction_env_path` whose value is neither a module of this repository nor a `.py` file in
it, seen from the root: `examples.demo.env_demo`, without the name of a function behind it. Next to it, `max_turns` that
is missing or no whole number above 0. An empty path is fine: the rollout then takes its own `DEFAULT_ENV_MODULE`.

Modules of packages that are not in this repository are not judged.

## Why

The rollout imports the module when the first sample starts, after all models have been loaded, and reads
`args.max_turns` without a default: what is missing ends the run there. A text such as `"5"` ends in a `TypeError`;
`false`, as 0 turns, gives samples without a response, and `true` one turn.

## Source

Guide, step 3: the config YAML holds `max_turns` and `rollout_interaction_env_path`. Relax's multi-turn rollout imports
the whole path as a module, or loads it as a file when it ends in `.py` and exists.

## Example

    rollout_interaction_env_path: examples.demo.env_demo.build_env
    max_turns: "5"

## Fix

Writes the one environment module of the recipe that can be meant, and a number without quotes. A missing `max_turns` is
added as 5, which is the guide's example: unsafe, since only the recipe's author knows how many turns it needs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from relax_lint.diagnostics import Edit, Finding, Fix, NotChecked, Place
from relax_lint.patterns import pattern
from relax_lint.project import Project
from relax_lint.rules import ERROR, Example, rule
from relax_lint.sibling_imports import may_be_on_path
from relax_lint.sources.config_yaml import Entry, YamlSource

ENV_PATH, TURNS = "rollout_interaction_env_path", "max_turns"
GUIDES_TURNS = 5
_READS_TURNS = re.compile(r"\bargs\.max_turns\b")
_BUILDS = pattern(r"^\ufeff?(?:(?:async )?def )?build_env\b", re.MULTILINE, words=("build_env",))
_COMPUTED = re.compile(r"\$[{(\w]|\{\{")

_CONFIG, _ENV = "examples/demo/demo_config.yaml", "examples/demo/env_demo.py"
_CODE = "def build_env(sample=None, args=None):\n    return Env()\n"
_GOOD = f"{TURNS}: 5\n{ENV_PATH}: examples.demo.env_demo\n"


def _tree(config: str, **more: str) -> dict[str, str]:
    return {_CONFIG: config, _ENV: _CODE, **more}


_ROLLOUT = {
    "examples/demo/rollout.py": "async def generate(args, sample, sampling_params):\n    turns = args.max_turns\n"
}

VALID: list[Example | str] = [
    Example(_tree(_GOOD)),
    Example(_tree(f"{TURNS}: 5\n{ENV_PATH}: {_ENV}\n")),
    Example(_tree(f"{TURNS}: 5\n{ENV_PATH}: ./examples/demo/env_demo.py\n")),
    Example(_tree(f"{TURNS}: 1\n{ENV_PATH}:\n")),
    Example(_tree(f"{TURNS}: 1\n{ENV_PATH}: ''\n")),
    Example(_tree(f"{TURNS}: 5\n{ENV_PATH}: my_envs.search\n")),
    Example(_tree(f"{TURNS}: 5\n{ENV_PATH}: /site/envs/search.py\n")),
    Example(_tree(f"{TURNS}: 5\n{ENV_PATH}: relax.envs.search\n")),
    Example(_tree(f'{TURNS}: 5\n{ENV_PATH}: "examples.${{ALGO}}.env"\n')),
    Example(_tree(f"{TURNS}: 5\n{ENV_PATH}: examples.demo\n", **{"examples/demo/__init__.py": ""})),
    Example(
        _tree(
            f"{TURNS}: 5\n{ENV_PATH}: env_demo\n",
            **{"examples/demo/run_demo.sh": 'export PYTHONPATH="$(dirname "$0"):$PYTHONPATH"\n'},
        )
    ),
    Example(_tree(f"base: &base {{{TURNS}: 5}}\n<<: *base\n{ENV_PATH}: examples.demo.env_demo\n")),
    Example(_tree(f"environment:\n  {ENV_PATH}: nowhere\n  {TURNS}: none\n")),
    Example(_tree("max_turns: many\nsandbox: local\n")),
    Example(_tree("judge_url: http://judge\n", **_ROLLOUT)),
    Example(_tree(f"{TURNS}: 0x10\n{ENV_PATH}: examples.demo.env_demo\n")),
    Example(_tree(f"{TURNS}: {{{{ turns }}}}\n{ENV_PATH}: {{{{ env }}}}\n")),
]

INVALID: list[Example] = [
    Example(
        _tree(f"{TURNS}: 5\n{ENV_PATH}: examples.demo.env_demo.build_env\n"),
        findings=((_CONFIG, 2, 31),),
        fixed={_CONFIG: _GOOD},
    ),
    Example(
        _tree(f"{TURNS}: 5\n{ENV_PATH}: 'examples/demo/env_demo'  # ours\n"),
        findings=((_CONFIG, 2, 31),),
        fixed={_CONFIG: f"{TURNS}: 5\n{ENV_PATH}: examples.demo.env_demo  # ours\n"},
    ),
    Example(
        _tree(f"{TURNS}: 5\n{ENV_PATH}: &env examples.demo.env\n"),
        findings=((_CONFIG, 2, 36),),
        fixed={_CONFIG: f"{TURNS}: 5\n{ENV_PATH}: &env examples.demo.env_demo\n"},
    ),
    Example(
        _tree(f"{TURNS}: 5\n{ENV_PATH}: examples/demo/env_dmo.py\n"),
        findings=((_CONFIG, 2, 31),),
        fixed={_CONFIG: _GOOD},
    ),
    Example(
        _tree(f"{TURNS}: 5\n{ENV_PATH}: >-\n  examples.demo.env_demo:build_env\n"),
        findings=((_CONFIG, 2, 31),),
        fixed={_CONFIG: _GOOD},
    ),
    Example(
        {_CONFIG: f"{TURNS}: 5\n{ENV_PATH}: examples.demo.env_demo\n", "examples/demo/reward_demo.py": "x = 1\n"},
        findings=((_CONFIG, 2, 31),),
    ),
    Example(
        _tree(f"{TURNS}: 5\n{ENV_PATH}: examples.demo.tools\n", **{"examples/demo/env_more.py": _CODE}),
        findings=((_CONFIG, 2, 31),),
    ),
    Example(
        _tree(f"{TURNS}: 5\n{ENV_PATH}: env_demo.py\n"),
        findings=((_CONFIG, 2, 31),),
        fixed={_CONFIG: _GOOD},
    ),
    Example(
        _tree(f"{TURNS}: 5\n{ENV_PATH}: env_demo\n", **{"examples/demo/run_demo.sh": "export PYTHONPATH=/megatron\n"}),
        findings=((_CONFIG, 2, 31),),
        fixed={_CONFIG: _GOOD},
    ),
    Example(_tree(f"{TURNS}: 5\n{ENV_PATH}: [examples.demo.env_demo]\n"), findings=((_CONFIG, 2, 31),)),
    Example(
        _tree(f"{ENV_PATH}: examples.demo.env_demo\nmax_turn: 5\n"),
        findings=((_CONFIG, 2, 1),),
        fixed={_CONFIG: f"{TURNS}: 5\n{ENV_PATH}: examples.demo.env_demo\nmax_turn: 5\n"},
        unsafe=True,
    ),
    Example(
        _tree(f"# multi-turn\n{ENV_PATH}: examples.demo.env_demo\njudge: x\n"),
        findings=((_CONFIG, 2, 1),),
        fixed={_CONFIG: f"# multi-turn\n{TURNS}: 5\n{ENV_PATH}: examples.demo.env_demo\njudge: x\n"},
        unsafe=True,
    ),
    Example(
        _tree(f"{{{ENV_PATH}: examples.demo.env_demo}}\n"),
        findings=((_CONFIG, 1, 2),),
        fixed={_CONFIG: f"{{{TURNS}: 5, {ENV_PATH}: examples.demo.env_demo}}\n"},
        unsafe=True,
    ),
    Example(
        _tree(f'{TURNS}: "5"\n{ENV_PATH}: examples.demo.env_demo\n'),
        findings=((_CONFIG, 1, 12),),
        fixed={_CONFIG: _GOOD},
    ),
    Example(
        _tree(f"{TURNS}: 5.0  # turns\n{ENV_PATH}: examples.demo.env_demo\n"),
        findings=((_CONFIG, 1, 12),),
        fixed={_CONFIG: f"{TURNS}: 5  # turns\n{ENV_PATH}: examples.demo.env_demo\n"},
    ),
    Example(_tree(f"{TURNS}: 0\n{ENV_PATH}: examples.demo.env_demo\n"), findings=((_CONFIG, 1, 12),)),
    Example(_tree(f"{TURNS}: -1\n{ENV_PATH}: examples.demo.env_demo\n"), findings=((_CONFIG, 1, 12),)),
    Example(_tree(f"{TURNS}: true\n{ENV_PATH}: examples.demo.env_demo\n"), findings=((_CONFIG, 1, 12),)),
    Example(_tree(f"{TURNS}: off\n{ENV_PATH}: examples.demo.env_demo\n"), findings=((_CONFIG, 1, 12),)),
    Example(_tree(f"{TURNS}:\n{ENV_PATH}: examples.demo.env_demo\n"), findings=((_CONFIG, 1, 1),)),
    Example(_tree(f"{TURNS}: many\n", **_ROLLOUT), findings=((_CONFIG, 1, 12),)),
]


@rule("RLX605", "env-path", ERROR, on="yaml", valid=VALID, invalid=INVALID, fixable="safe")
def env_path(source: YamlSource, project: Project) -> Iterator[Finding | NotChecked]:
    """Judge the environment's path and its turns."""
    if TURNS not in source.text and ENV_PATH not in source.text:
        return
    if source.error is not None or source.is_template:
        return
    path, turns = source.top.get(ENV_PATH), source.top.get(TURNS)
    if path is not None:
        yield from _path(source, path, project)
    if turns is not None:
        if path is not None or _reads_turns(source, project):
            yield from _turns(source, turns)
    elif path is not None:
        message = f"{TURNS} is missing: the rollout reads it without a default"
        place, meant = source.key_place(path), _meant_turns(source)
        if meant is not None:
            place, message = source.key_place(meant), f"{message}; did you mean it by {meant.name}?"
        yield Finding(place, message, fix=_added(source, path), subject=TURNS)


def _meant_turns(source: YamlSource) -> Entry | None:
    """A key that is spelled nearly so."""
    from difflib import get_close_matches

    near = get_close_matches(TURNS, source.top, n=1, cutoff=0.8)
    return source.top[near[0]] if near else None


def _reads_turns(source: YamlSource, project: Project) -> bool:
    recipe = project.recipe_of(source.path)
    return recipe is not None and any(
        TURNS in python.text and _READS_TURNS.search(python.text) for python in recipe.python
    )


def _turns(source: YamlSource, turns: Entry) -> Iterator[Finding]:
    value = turns.value
    if value.tag == "int" and not re.fullmatch(r"-.*|[+]?0+", value.text):
        return
    shown = source.key_place(turns) if value.is_null else source.place(turns)
    number = re.fullmatch(r"0*([1-9]\d*)(?:\.0*)?", value.text) if value.tag in ("str", "float") else None
    fix = None
    if number is not None:
        fix = Fix(f"write {number[1]}", lambda: [Edit.at(shown, number[1])])
    written = source.text[shown.start : shown.end].split("\n")[0]
    message = f"{TURNS} is {'empty' if value.is_null else written}: it is a whole number above 0"
    yield Finding(shown, message, fix=fix, subject=TURNS)


def _added(source: YamlSource, before: Entry) -> Fix:
    """A `max_turns` in front of a key."""
    start = before.key.start
    line = source.line_starts[source.position(start)[0] - 1]
    lone = not source.text[line:start].strip(" \ufeff")
    end = "\r\n" if "\r\n" in source.text else "\n"
    text = f"{TURNS}: {GUIDES_TURNS}" + (end + source.text[line:start].strip("\ufeff") if lone else ", ")
    return Fix(
        f"add {TURNS}: {GUIDES_TURNS}",
        lambda: [Edit(source.path, start, start, text)],
        safe=False,
        reason=f"{GUIDES_TURNS} is the guide's example; how many turns the environment needs is not known",
    )


def _path(source: YamlSource, path: Entry, project: Project) -> Iterator[Finding | NotChecked]:
    value, place = path.value, source.place(path)
    if value.kind != "scalar":
        yield Finding(place, f"{ENV_PATH} is one module path", subject=ENV_PATH)
        return
    if value.is_null or not value.text:
        return
    if _COMPUTED.search(value.text):
        yield NotChecked(place, value.text)
    elif not _resolves(value.text, project):
        if not (_is_of_repository(value.text, project) or _is_beside(value.text, source, project)):
            yield NotChecked(place, f"{value.text} is not in this repository")
            return
        meant = _meant(value.text, source, project)
        hint = "" if meant is None else f": did you mean {meant}?"
        message = f"{ENV_PATH} {value.text} is no module{hint}"
        yield Finding(place, message, fix=_renamed(place, meant), subject=ENV_PATH)


def _renamed(place: Place, meant: str | None) -> Fix | None:
    return None if meant is None else Fix(f"write {meant}", lambda: [Edit.at(place, meant)])


def _resolves(text: str, project: Project) -> bool:
    if text.endswith(".py") and project.is_file(project.root / text):
        return True
    if project.module(text) is not None:
        return True
    parts = text.split(".")
    return all(part.isidentifier() for part in parts) and project.is_dir(project.root.joinpath(*parts))


def _is_of_repository(text: str, project: Project) -> bool:
    """Whether it begins with something that is here, so that the rest has to be too."""
    if text.startswith("/"):
        return Path(text).is_relative_to(project.root)
    first = next(iter(PurePosixPath(text).parts), "") if "/" in text else text.split(".")[0]
    if first == "relax":
        return project.relax_root is not None
    return (
        "/" in text
        or text.endswith(".py")
        or project.exists(project.root / first)
        or project.is_file(project.root / f"{first}.py")
    )


def _is_beside(text: str, source: YamlSource, project: Project) -> bool:
    """Whether it names a module of the recipe as if that were on the path, and no script puts it there."""
    recipe = project.recipe_of(source.path)
    if recipe is None or not any(one.path.stem == text for one in recipe.python):
        return False
    return not may_be_on_path(recipe, project)


def _meant(text: str, source: YamlSource, project: Project) -> str | None:
    """The module that may be meant: the path without a function behind it, or as a module, or nearly spelled so."""
    from difflib import get_close_matches

    dotted = text.removeprefix("./").partition(":")[0].removesuffix(".py").strip("/").replace("/", ".")
    for candidate in (dotted, dotted.rpartition(".")[0]):
        if candidate and (found := project.module(candidate)) is not None and _BUILDS.search(found.text):
            return candidate
    recipe = project.recipe_of(source.path)
    known = {} if recipe is None else {one.path.stem: one.path for one in recipe.python if _BUILDS.search(one.text)}
    near = list(known) if len(known) == 1 else get_close_matches(dotted.rpartition(".")[2], known, n=2)
    if len(near) != 1:
        return None
    return ".".join(known[near[0]].relative_to(project.root).with_suffix("").parts)
