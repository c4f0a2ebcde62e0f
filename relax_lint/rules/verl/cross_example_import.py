"""A recipe reaches into another example.

## What

An import of another example's module (`from examples.other…`, `import examples.other…`, a relative import that leaves
the recipe, `importlib.import_module("examples.other…")`), and a module path in a launcher's flag or in a YAML file of
the recipe that leads into another example. A module that lies directly under `examples/` belongs to nobody and is left
alone.

## Why

Each example stands for itself: whoever changes, moves or deletes the other one breaks this recipe without looking at
it, and a recipe that is handed on alone cannot be imported.

## Source

Guide, step 3: each example is self-contained, no cross-example dependencies. It allows one:
`examples.deepeyes.base_env`, which is advice here; it says to copy that file, or to import it.

## Example

    from examples.deepeyes.reward_deepeyes import extract_answer    # in examples/zoom/reward_zoom.py

## Fix

Copies the module beside and names the copy, where the module takes nothing from its own example itself and no file of
that name is there. It is not safe: from then on there are two.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from relax_lint.catalog.module_paths import MODULE_PATH_FLAGS
from relax_lint.diagnostics import Edit, Finding, Fix, Place, Severity
from relax_lint.patterns import pattern
from relax_lint.rules import ADVICE, WARNING, Example, rule

if TYPE_CHECKING:
    from relax_lint.project import Project, Recipe
    from relax_lint.shell.launch import Argument, Launch
    from relax_lint.sources.python import PythonSource

_ALLOWED = "examples.deepeyes.base_env"
_ROOT = "examples"
_ENV_PATH = "rollout_interaction_env_path"
_DOTTED = pattern(r"examples(?:\.[A-Za-z_]\w*)+")
_FILE = pattern(r"(?:\./)?examples/[\w./-]+\.py(?::\w+)?")
_NAMES_EXAMPLES = pattern(r"\bexamples\b", words=("examples",))
_TAKES_FROM_ABOVE = pattern(r"from\s*\.\.")

_OTHER = "def extract(text):\n    return text.strip()\n"
_REWARD = "async def reward_func(args, sample, **kwargs):\n    return 1.0\n"
_RUN = "python3 relax/entrypoints/train.py --custom-rm-path {}\n"


def _tree(text: str, path: str = "examples/demo/reward_demo.py") -> dict[str, str]:
    return {"examples/other/scoring.py": _OTHER, "examples/demo/run_demo.sh": "true\n", path: text}


VALID: list[str | Example] = [
    "from examples.demo.scoring import extract\n",
    "from relax.utils.types import Sample\n",
    "import examples\n",
    Example({"examples/demo/nested/deep.py": "from ..scoring import extract\nfrom .. import scoring\n"}),
    Example(
        {
            "examples/common.py": _OTHER,
            "examples/demo/reward_demo.py": "from examples.common import extract\nfrom ..common import extract\n",
        }
    ),
    '"""Taken from examples.other.scoring: from examples.other import extract."""\n',
    Example(_tree("DEFAULT_ENV_MODULE = 'examples.other.env_other'\n", "examples/demo/rollout.py")),
    """\
import importlib


def load(args):
    return importlib.import_module(args.rollout_interaction_env_path)
""",
    Example({"examples/demo/run_demo.sh": _RUN.format("examples.demo.reward_demo.reward_func")}),
    Example({"examples/demo/run_demo.sh": _RUN.format("relax.engine.rewards.math.reward_func")}),
    Example(
        {
            "examples/demo/run_demo.sh": "true\n",
            "examples/demo/config.yaml": "rollout_interaction_env_path: examples.demo.env_demo\nmax_turns: 3\n",
        }
    ),
    Example(
        {
            "examples/opd/math/run_math.sh": _RUN.format("examples.opd.shared.reward.reward_func"),
            "examples/opd/math/teacher.py": "from examples.opd.shared.reward import reward_func\n",
            "examples/opd/shared/reward.py": _REWARD,
        }
    ),
    Example(
        _tree("# see examples/other/README.md\nnote: 'run examples/other/run_other.sh first'\n", "examples/demo/n.yaml")
    ),
    "from examples_of_ours.scoring import extract\n",
    Example(
        {
            "examples/demo/run_demo.sh": _RUN.format("examples.dmo.reward_demo.reward_func"),
            "examples/demo/demo_config.yaml": "rollout_interaction_env_path: examples.dmo.env_demo\n",
            "examples/demo/reward_demo.py": _REWARD,
        }
    ),
]

_LOADED = ((6, 14), (7, 15), (8, 14), (9, 24))

INVALID = [
    Example(
        _tree("from examples.other.scoring import extract\n\nprint(extract('a'))\n"),
        findings=(("examples/demo/reward_demo.py", 1, 1),),
        fixed={
            "examples/demo/reward_demo.py": "from examples.demo.scoring import extract\n\nprint(extract('a'))\n",
            "examples/demo/scoring.py": _OTHER,
        },
        unsafe=True,
    ),
    Example(
        _tree("def late():\n    from ..other import scoring\n    return scoring\n"),
        findings=(("examples/demo/reward_demo.py", 2, 5),),
        fixed={
            "examples/demo/reward_demo.py": "def late():\n    from examples.demo import scoring\n    return scoring\n",
            "examples/demo/scoring.py": _OTHER,
        },
        unsafe=True,
    ),
    Example(
        _tree("import examples.other.scoring as scoring\n"),
        findings=(("examples/demo/reward_demo.py", 1, 8),),
        fixed={
            "examples/demo/reward_demo.py": "import examples.demo.scoring as scoring\n",
            "examples/demo/scoring.py": _OTHER,
        },
        unsafe=True,
    ),
    Example(
        _tree("import json, examples.other.scoring\n\nextract = examples.other.scoring.extract\n"),
        findings=(("examples/demo/reward_demo.py", 1, 14),),
    ),
    Example(
        _tree("from examples.other.scoring import *\n"),
        findings=(("examples/demo/reward_demo.py", 1, 1),),
        fixed={
            "examples/demo/reward_demo.py": "from examples.demo.scoring import *\n",
            "examples/demo/scoring.py": _OTHER,
        },
        unsafe=True,
    ),
    Example(
        {
            "examples/other/scoring.py": "from . import words\n",
            "examples/other/words.py": "",
            "examples/demo/reward_demo.py": "from examples.other.scoring import words\n",
        },
        findings=(("examples/demo/reward_demo.py", 1, 1),),
    ),
    Example(
        {
            "examples/deepeyes/base_env.py": "class BaseInteractionEnv:\n    pass\n",
            "examples/demo/env_demo.py": "from examples.deepeyes.base_env import BaseInteractionEnv\n",
            "examples/demo/env_more.py": "from examples.deepeyes import base_env, env_deepeyes\n",
        },
        findings=(("examples/demo/env_demo.py", 1, 1, ADVICE), ("examples/demo/env_more.py", 1, 1)),
        fixed={
            "examples/demo/base_env.py": "class BaseInteractionEnv:\n    pass\n",
            "examples/demo/env_demo.py": "from examples.demo.base_env import BaseInteractionEnv\n",
        },
        unsafe=True,
    ),
    Example(
        _tree("import importlib\n\nscoring = importlib.import_module('examples.other.scoring')\n"),
        findings=(("examples/demo/reward_demo.py", 3, 35),),
        fixed={
            "examples/demo/reward_demo.py": (
                "import importlib\n\nscoring = importlib.import_module('examples.demo.scoring')\n"
            ),
            "examples/demo/scoring.py": _OTHER,
        },
        unsafe=True,
    ),
    Example(
        _tree("""\
from importlib import import_module as load

from relax.utils.misc import load_function

NAME = "examples.other.scoring"
first = load(NAME)
second = load(f"examples.other.{__name__}")
third = load("..other.scoring", package=__package__)
fourth = load_function("examples.other.scoring.extract")
"""),
        findings=tuple(("examples/demo/reward_demo.py", line, column) for line, column in _LOADED),
    ),
    Example(
        {
            "examples/other/reward_other.py": _REWARD,
            "examples/demo/run_demo.sh": _RUN.format("examples.other.reward_other.reward_func"),
        },
        findings=(("examples/demo/run_demo.sh", 1, 53),),
        fixed={
            "examples/demo/run_demo.sh": _RUN.format("examples.demo.reward_other.reward_func"),
            "examples/demo/reward_other.py": _REWARD,
        },
        unsafe=True,
    ),
    Example(
        {
            "examples/other/rollout.py": "async def generate(args, sample, sampling_params):\n    return sample\n",
            "examples/demo/run_demo.sh": """\
ROLLOUT_ARGS=(
    --custom-generate-function-path=examples.other.rollout.generate
    --rollout-batch-size 8
)
python3 relax/entrypoints/train.py "${ROLLOUT_ARGS[@]}"
""",
        },
        findings=(("examples/demo/run_demo.sh", 2, 5),),
        fixed={
            "examples/demo/run_demo.sh": """\
ROLLOUT_ARGS=(
    --custom-generate-function-path=examples.demo.rollout.generate
    --rollout-batch-size 8
)
python3 relax/entrypoints/train.py "${ROLLOUT_ARGS[@]}"
""",
            "examples/demo/rollout.py": "async def generate(args, sample, sampling_params):\n    return sample\n",
        },
        unsafe=True,
    ),
    Example(
        {
            "examples/deepeyes/env_deepeyes.py": "def build_env(sample=None, args=None, **_):\n    return None\n",
            "examples/demo/config.yaml": "max_turns: 3\nrollout_interaction_env_path: examples.deepeyes.env_deepeyes\n",
        },
        findings=(("examples/demo/config.yaml", 2, 31),),
        fixed={
            "examples/demo/config.yaml": "max_turns: 3\nrollout_interaction_env_path: examples.demo.env_deepeyes\n",
            "examples/demo/env_deepeyes.py": "def build_env(sample=None, args=None, **_):\n    return None\n",
        },
        unsafe=True,
    ),
    Example(
        {
            "examples/demo/config.yaml": """\
datasets:
  - name: aime
    custom_generate_function_path: "examples.gone.rollout.generate"
env: examples/gone/env_gone.py
""",
        },
        findings=(("examples/demo/config.yaml", 3, 36), ("examples/demo/config.yaml", 4, 6)),
    ),
]


class _Reach(NamedTuple):
    """A way into another example: where it is written, the dotted name, and how to write another module instead."""

    place: Place
    dotted: str
    edit: Edit | None
    module: str
    """The module that would have to be copied."""


@rule("RLX107", "cross-example-import", WARNING, on="recipe", valid=VALID, invalid=INVALID, fixable="unsafe")
def cross_example_import(recipe: Recipe, project: Project) -> Iterator[Finding]:
    """Every import, flag and YAML value of a recipe that leads into another one."""
    for source in recipe.python:
        if recipe.wants(source.path) and _may_import(source) and source.tree is not None:
            for found in project.once(("reaches", source), partial(_all_in_python, source, recipe, project)):
                yield _finding(found, recipe, project)
    if recipe.wanted is not None:
        return
    for path in recipe.yaml:
        for found in _in_yaml(path, recipe, project):
            yield _finding(found, recipe, project)
    for launcher in recipe.launchers:
        for launch in launcher.launches:
            for argument, found in project.once(("reaches", launch), partial(_all_in_launch, launch, recipe, project)):
                yield _finding(found, recipe, project, launch, argument.flag)


def _may_import(source: PythonSource) -> bool:
    return bool(_NAMES_EXAMPLES.search(source.text) or _TAKES_FROM_ABOVE.search(source.text))


def _is_another(dotted: str, recipe: Recipe, project: Project) -> bool:
    """Whether a dotted name leads into an example that is not this one."""
    top, _, rest = dotted.partition(".")
    name = rest.partition(".")[0]
    if top != _ROOT or not name or name == recipe.name:
        return False
    return not project.is_file(project.root / _ROOT / f"{name}.py")


def _is_there(named: str, project: Project) -> bool:
    """Whether the example is there that a module path, or a file's, leads into: where it is not, the rule on what names
    it says that there is no such module, and no other example is reached."""
    return project.is_dir(project.root.joinpath(*re.split(r"[./]", named.removeprefix("./"))[:2]))


def _finding(
    found: _Reach, recipe: Recipe, project: Project, launch: Launch | None = None, flag: str = ""
) -> Finding:  # fmt: skip
    allowed = found.module == _ALLOWED or found.dotted.startswith(f"{_ALLOWED}.")
    name = found.dotted.split(".")[1]
    message = f"{found.dotted} is in another example, {name}: copy what is needed into examples/{recipe.name}"
    if not _is_there(found.dotted, project):
        message = f"{found.dotted} is in another example, and there is none called {name}"
    if allowed:
        message = f"{found.dotted} is in another example, which the guide allows; a copy of base_env.py stands alone"
    severity: Severity = ADVICE if allowed else WARNING
    return Finding(
        found.place,
        message,
        severity=severity,
        fix=_fix(found, recipe, project),
        launch=launch,
        subject=flag or found.dotted,
    )


def _fix(found: _Reach, recipe: Recipe, project: Project) -> Fix | None:
    source = project.module(found.module)
    if found.edit is None or source is None or source.tree is None or source.path.name == "__init__.py":
        return None
    target = recipe.directory / source.path.name
    if project.exists(target) or _depends_on_its_example(source):
        return None
    edit, text = found.edit, source.text
    return Fix(
        f"copy {source.path.name} into examples/{recipe.name}",
        lambda: [Edit.new_file(target, text), edit],
        safe=False,
        reason="from then on the recipe has a copy of its own",
    )


def _depends_on_its_example(source: PythonSource) -> bool:
    """Whether a file takes anything from beside itself, or reads files from there."""
    if any(node.level for node in source.nodes(ast.ImportFrom)) or "__file__" in source.text:
        return True
    modules = [node.module or "" for node in source.nodes(ast.ImportFrom)]
    modules += [alias.name for node in source.nodes(ast.Import) for alias in node.names]
    return any(module.partition(".")[0] == _ROOT for module in modules)


# ---------------------------------------------------------------- Python


def _all_in_python(source: PythonSource, recipe: Recipe, project: Project) -> list[_Reach]:
    return list(_in_python(source, recipe, project))


def _in_python(source: PythonSource, recipe: Recipe, project: Project) -> Iterator[_Reach]:
    from relax_lint.flow.names import import_target, package_around

    package = package_around(source.path, project.root)
    for statement in source.nodes(ast.Import):
        for alias in statement.names:
            if _is_another(alias.name, recipe, project):
                node = source.place(alias)
                place = Place(source, node.start, node.start + len(alias.name))
                edit = Edit.at(place, _own(alias.name, recipe)) if alias.asname else None
                yield _Reach(place, alias.name, edit, alias.name)
    for origin in source.nodes(ast.ImportFrom):
        yield from _from(source, origin, import_target(origin, package), recipe, project)
    for call in source.nodes(ast.Call):
        found = _imported_by(source, call, package, recipe)
        if found is not None and _is_another(found.dotted, recipe, project):
            yield found


def _imported_by(source: PythonSource, call: ast.Call, package: str, recipe: Recipe) -> _Reach | None:
    """What a call imports by a text, or loads as Relax does."""
    from relax_lint.flow.dynamic_imports import beginning, imported_by, module_argument
    from relax_lint.sources.python import called_name

    function = called_name(call)
    first = module_argument(call)
    text = beginning(first, source) if function == "load_function" else imported_by(call, source)
    if first is None or text is None:
        return None
    place, edit = source.place(first), None
    dots = len(text) - len(text.lstrip("."))
    if dots:
        parts = package.split(".")
        text = ".".join([*parts[: len(parts) - dots + 1], text.lstrip(".")])
    elif isinstance(first, ast.Constant) and function != "load_function":
        quoted = source.text[place.start : place.end]
        edit = Edit.at(place, quoted.replace(text, _own(text, recipe))) if text in quoted else None
    dotted = text.rstrip(".")
    return _Reach(place, dotted, edit, dotted)


def _from(
    source: PythonSource, origin: ast.ImportFrom, target: str, recipe: Recipe, project: Project
) -> Iterator[_Reach]:  # fmt: skip
    place = source.place(origin)
    names = [alias.name for alias in origin.names]
    if target == _ROOT:
        for name in names:
            if _is_another(f"{target}.{name}", recipe, project):
                yield _Reach(place, f"{target}.{name}", None, f"{target}.{name}")
        return
    if not _is_another(target, recipe, project):
        return
    module = target
    if len(names) == 1 and project.module(f"{target}.{names[0]}") is not None:
        module = f"{target}.{names[0]}"
    shown = f"{target}.{names[0]}" if len(names) == 1 and names != ["*"] else target
    yield _Reach(place, shown, _repoint(source, origin, module == target, target, recipe), module)


def _repoint(
    source: PythonSource, origin: ast.ImportFrom, is_module: bool, target: str, recipe: Recipe
) -> Edit | None:  # fmt: skip
    """Name the recipe's own module, or the recipe where a module is what is imported."""
    place = source.place(origin)
    head = re.compile(r"from[ \t]+[.\w]+(?=[ \t]+import\b)").match(source.text, place.start)
    if head is None:
        return None
    own = _own(target, recipe) if is_module else f"{_ROOT}.{recipe.name}"
    return Edit(source.path, head.start(), head.end(), f"from {own}")


def _own(module: str, recipe: Recipe) -> str:
    """Where the copy of a module is: directly in the recipe, under the same name."""
    return f"{_ROOT}.{recipe.name}.{module.rpartition('.')[2]}"


# ---------------------------------------------------------------- YAML and launchers


def _in_yaml(path: Path, recipe: Recipe, project: Project) -> Iterator[_Reach]:
    if b"examples" not in (project.read(path) or b""):
        return
    source = project.yaml(path)
    entry = None if source is None else source.top.get(_ENV_PATH)
    named = None if entry is None else entry.value
    for document in source.documents if source is not None else ():
        for node in document.walk():
            if source is None or node.kind != "scalar" or node.tag != "str":
                continue
            place = Place(source, node.start, node.end)
            if node is named and not _is_there(node.text, project):
                continue
            if _DOTTED.fullmatch(node.text) and _is_another(node.text, recipe, project):
                written = source.text[place.start : place.end]
                module, copy = _module_in(node.text, recipe, project)
                edit = Edit.at(place, written.replace(node.text, copy)) if node.text in written else None
                yield _Reach(place, node.text, edit, module)
            elif _FILE.fullmatch(node.text):
                dotted = node.text.removeprefix("./").partition(".py")[0].replace("/", ".")
                if _is_another(dotted, recipe, project):
                    yield _Reach(place, dotted, None, dotted)


def _module_in(dotted: str, recipe: Recipe, project: Project) -> tuple[str, str]:
    """The module that a path to it, or to something in it, is about; and the path into its copy."""
    if project.module(dotted) is not None:
        return dotted, _own(dotted, recipe)
    module, _, name = dotted.rpartition(".")
    return module, f"{_own(module, recipe)}.{name}"


def _all_in_launch(launch: Launch, recipe: Recipe, project: Project) -> list[tuple[Argument, _Reach]]:
    return list(_in_launch(launch, recipe, project))


def _in_launch(launch: Launch, recipe: Recipe, project: Project) -> Iterator[tuple[Argument, _Reach]]:
    from relax_lint.fixers.launcher_edits import replace_value
    from relax_lint.shell.queries import is_own, place_of

    if launch.kind != "relax":
        return
    for argument in launch.arguments:
        for word in argument.own_values:
            dotted = argument.value if argument.inline else word.text
            if not word.known or dotted is None or not _DOTTED.fullmatch(dotted):
                continue
            place = place_of(launch, argument.word if argument.inline else word)
            holder = project.recipe_of(place.source.path) or recipe
            is_told = argument.flag in MODULE_PATH_FLAGS and not _is_there(dotted, project)
            if _is_another(dotted, holder, project) and not is_told:
                module, copy = _module_in(dotted, holder, project)
                own = is_own(project, launch, place) and holder.directory == recipe.directory
                yield argument, _Reach(place, dotted, replace_value(argument, copy) if own else None, module)
