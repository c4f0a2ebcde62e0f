"""The reward function that a launch names does not exist.

## What

`--custom-rm-path package.module.function` where the repository has the package but not the module, or the module but
not the function: names that are defined, assigned, imported, re-exported or brought in by `import *` count, and so do
those that only some branches define. A value that names a module and no function is an error too; one that is a file
path is told by `custom-path`. An import that fails when the reward module is imported, there or in a module of the
recipe that it imports: of a file that is not in the recipe, or a name that the file lacks; the same of Relax, where its
sources are at hand; and of a file beside it by its bare name (`import helper`), where nothing in the recipe puts its
directory on the path. Imports in conditions and in `try`, of files that something may make (git-ignored, compiled,
written by a script) and in directories without `__init__.py` are left alone.

A `reward_*.py` without `reward_func`, whose functions no launch names and which nothing in the recipe imports, is a
warning.

## Why

Relax imports the module and takes the attribute when the first sample is to be scored. A wrong name ends the run
there, after the model is loaded and the first responses are generated; so does an import that fails.

## Source

Guide: the reward is registered by `--custom-rm-path examples.<algo>.reward_<algo>.reward_func`, and
`examples/<algo>/reward_<algo>.py` provides `reward_func`. Relax splits the value at its last dot.

## Example

    --custom-rm-path examples.gsm8k.reward_gsm8k.reward_fn

## Fix

None: write the function, `reward_func` around a `compute_score` of verl for example, or the name that it has.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Finding, NotChecked, Place, Related
from relax_lint.import_findings import lacking
from relax_lint.module_paths import is_file_form, meant_among, shown_path
from relax_lint.project import Project, Recipe
from relax_lint.rewards import RewardUse, reward_uses
from relax_lint.rules import ERROR, WARNING, Example, rule
from relax_lint.sources.python import PythonSource

if TYPE_CHECKING:
    from relax_lint.failing_imports import FailingImport

_RUN = "examples/demo/run_demo.sh"
_REWARD = "examples/demo/reward_demo.py"
_TRAIN = "python3 relax/entrypoints/train.py --custom-rm-path "
_GOOD = """\
async def reward_func(args, sample, **kwargs):
    return 1.0
"""


def _tree(named: str, **files: str) -> dict[str, str]:
    names = {"reward": _REWARD, "init": "examples/demo/__init__.py", "scores": "examples/demo/scores.py"}
    return {_RUN: f"{_TRAIN}{named}\n", **{names.get(key, key): text for key, text in files.items()}}


_NAMED = "examples.demo.reward_demo.reward_func"

VALID = [
    Example(_tree(_NAMED, reward=_GOOD)),
    Example(
        _tree(_NAMED, reward="from .scores import score as reward_func\n", scores=_GOOD.replace("reward_func", "score"))
    ),
    Example(
        _tree("examples.demo.reward_func", init="from examples.demo.reward_demo import reward_func\n", reward=_GOOD)
    ),
    Example(_tree(_NAMED, reward="from .scores import *\n", scores=_GOOD)),
    Example(_tree(_NAMED, reward="from elsewhere import *\n")),
    Example(_tree(_NAMED, reward=_GOOD.replace("reward_func", "score") + "\n\nreward_func = score\ndel score\n")),
    Example(
        _tree(
            _NAMED,
            reward="""\
try:
    from fast import reward_func
except ImportError:
    reward_func = print
""",
        )
    ),
    Example(_tree(_NAMED, reward="globals()['reward_' + 'func'] = print\n")),
    Example(
        _tree(
            _NAMED,
            reward="""\
def __getattr__(name):
    return print
""",
        )
    ),
    Example(_tree("rewards_of_us.gsm8k.reward_func", reward=_GOOD)),
    Example(_tree("examples/demo/reward_demo.py:reward_func", reward=_GOOD)),
    Example(_tree('"${REWARD}"', reward=_GOOD)),
    Example(
        _tree(
            _NAMED,
            reward="""\
import functools

from .scores import f

reward_func = functools.partial(f, k=1)
""",
            scores="""\
async def f(args, sample, k):
    return k
""",
        )
    ),
    Example(
        {
            _RUN: f"{_TRAIN}examples.demo.rewards.math.score\n",
            "examples/demo/rewards/math/__init__.py": "from .rule import score\n",
            "examples/demo/rewards/math/rule.py": """\
async def score(args, sample, **kwargs):
    return 0
""",
        }
    ),
    Example(
        {
            _RUN: f"{_TRAIN}{_NAMED}\n",
            _REWARD: _GOOD.replace("1.0", "helper()")
            + """\


from .reward_parts import helper
""",
            "examples/demo/reward_parts.py": """\
def helper():
    return 1.0
""",
        }
    ),
    Example({_RUN: f"{_TRAIN}{_NAMED} --loss-type sft_loss\n"}),
    Example(
        _tree(_NAMED, init="", reward=f"try:\n    from .fast import f\nexcept ImportError:\n    f = None\n\n\n{_GOOD}")
    ),
    Example(_tree(_NAMED, reward=f"from .scors import f\n\n\n{_GOOD}")),
    Example(_tree(_NAMED, init="", reward=f"from ..common.scores import f\n\n\n{_GOOD}")),
    Example(
        {**_tree(_NAMED, init="", reward=f"from .fast import f\n\n\n{_GOOD}"), "examples/demo/fast.pyx": "f = 1\n"}
    ),
    Example({_RUN: f"{_TRAIN}examples.demo.reward_demo.judge\n", _REWARD: _GOOD.replace("reward_func", "judge")}),
    Example(
        _tree(
            _NAMED,
            reward="""\
if True:
    async def reward_func(args, sample, **kwargs):
        return 0
""",
        )
    ),
    Example(_tree(_NAMED, reward="def broken(:\n")),
]

INVALID = [
    Example(
        {
            _RUN: "python3 relax/entrypoints/train.py --custom-config-path examples/demo/demo.yaml\n",
            "examples/demo/demo.yaml": "custom_rm_path: examples.demo.reward_demo.reward_fn\n",
            _REWARD: _GOOD,
        },
        findings=((_RUN, 1, 57),),
    ),
    Example(_tree(_NAMED, reward=_GOOD.replace("reward_func", "reward_fn")), findings=((_RUN, 1, 53),)),
    Example(_tree(_NAMED, reward=f"{_GOOD}\n\ndel reward_func\n"), findings=((_RUN, 1, 53),)),
    Example(_tree("examples.demo.reward_dmo.reward_func", reward=_GOOD), findings=((_RUN, 1, 53),)),
    Example(_tree("examples.other.reward.reward_func", reward=_GOOD), findings=((_RUN, 1, 53),)),
    Example(_tree("examples.demo.reward_demo", reward=_GOOD), findings=((_RUN, 1, 53),)),
    Example(_tree("reward_func", reward=_GOOD), findings=((_RUN, 1, 53),)),
    Example(
        _tree(
            _NAMED,
            reward="from .scores import *\n",
            scores="""\
__all__ = ['score']


"""
            + _GOOD,
        ),
        findings=((_RUN, 1, 53),),
    ),
    Example(_tree(_NAMED, reward="from .scores import reward_func\n", scores="score = 1\n"), findings=((_RUN, 1, 53),)),
    Example(
        _tree(
            _NAMED,
            reward="""\
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .scores import reward_func
""",
            scores=_GOOD,
        ),
        findings=((_RUN, 1, 53),),
    ),
    Example(
        _tree(
            _NAMED,
            reward="""\
class Rewards:
    async def reward_func(self, args, sample):
        return 1.0
""",
        ),
        findings=((_RUN, 1, 53),),
    ),
    Example(
        _tree(
            _NAMED,
            reward="""\
def make():
    async def reward_func(args, sample):
        return 1.0
""",
        ),
        findings=((_RUN, 1, 53),),
    ),
    Example(
        _tree(
            _NAMED,
            reward="""\
if __name__ == "__main__":
    reward_func = print
""",
        ),
        findings=((_RUN, 1, 53),),
    ),
    Example(
        {
            _RUN: "ARGS=(\n    --rm-type math\n"
            f'    --custom-rm-path={_NAMED}\n)\npython3 relax/entrypoints/train.py "${{ARGS[@]}}"\n',
            _REWARD: """\
def compute_score(text, label):
    return 1.0
""",
        },
        findings=((_RUN, 3, 5),),
    ),
    Example(
        {
            _RUN: f"{_TRAIN}examples.demo.scores.score\n",
            "examples/demo/scores.py": """\
async def score(args, sample, **kwargs):
    return 1
""",
            _REWARD: """\
def compute_score(text, label):
    return 1.0
""",
        },
        findings=((_REWARD, 1, 1, WARNING),),
    ),
    Example(
        _tree(_NAMED, init="", reward=f"from examples.demo.scors import f\n\n\n{_GOOD}", scores="f = 1\n"),
        findings=((_REWARD, 1, 1),),
    ),
    Example(_tree(_NAMED, init="", reward="from .scors import reward_func\n"), findings=((_REWARD, 1, 1),)),
    Example(
        _tree(_NAMED, init="", reward=f"from .scores import f\n\n\n{_GOOD}", scores="from .parts import f\n"),
        findings=(("examples/demo/scores.py", 1, 1),),
    ),
    Example(
        _tree(_NAMED, init="", reward=f"from .scores import scor\n\n\n{_GOOD}", scores="score = 1\n"),
        findings=((_REWARD, 1, 1),),
    ),
    Example(
        _tree(_NAMED, reward="from .scores import scor as reward_func\n", scores="score = 1\n"),
        findings=((_RUN, 1, 53),),
    ),
    Example(
        {
            _REWARD: """\
import re

ANSWER = re.compile('x')
"""
        },
        findings=((_REWARD, 1, 1, WARNING),),
    ),
]


@rule("RLX201", "reward-missing", ERROR, on="recipe", valid=VALID, invalid=INVALID)
def reward_missing(recipe: Recipe, project: Project) -> Iterator[Finding | NotChecked]:
    """What launches name and is not there, and reward modules that nothing leads to."""
    uses = [use for launch in recipe.launches for use in reward_uses(launch, project)]
    for use in uses:
        if not use.dotted:
            yield NotChecked(use.place, use.unclear or use.dotted)
        elif is_file_form(use.dotted):
            continue  # RLX507 says it, and how it is to be written
        elif use.status in ("no-module", "no-function") or "." not in use.dotted:
            message = _message(use, project)
            related = (*_in_config(use), *_imported_at(use))
            yield Finding(use.place, message, related=related, launch=use.launch, subject=use.dotted)
    yield from _failing(recipe, uses, project)
    for source in recipe.python:
        if source.path.name.startswith("reward_") and recipe.wants(source.path) and source.tree is not None:
            yield from _unused(source, recipe, uses, project)


def _in_config(use: RewardUse) -> tuple[Related, ...]:
    place = None if use.given is None else use.given.place
    return () if place is None else (Related(place, f"{use.flag} is set here, over any flag"),)


def _message(use: RewardUse, project: Project) -> str:
    named = use.dotted
    if "." not in named:
        return f"{use.flag} {named} names no module: write package.module.{named}"
    module = project.module(named)
    if module is not None and module.path.name == "__init__.py":
        return f"{named} is a package; {use.flag} names a function of a module: {named}.<module>.<function>"
    if module is not None:
        return f"{named} is a module; {use.flag} names a function in it: {named}.reward_func"
    if use.module is None and use.status == "no-module":
        return f"there is no module {use.module_name}{meant_among(use.module_name, _modules_near(use, project))}"
    if use.module is None:
        return f"{use.module_name} has no {use.name}"
    step = _last_import(use)
    if step is None or step.holder is None:
        return lacking(shown_path(use.module, project), use.module, use.name, project)
    line = step.source.position(step.place.start)[0]
    where = f"{shown_path(step.holder, project)}, imported at line {line} of {step.source.path.name},"
    return lacking(where, step.holder, step.name, project)


def _last_import(use: RewardUse) -> FailingImport | None:
    """The import through which a launch's name leads to a file that lacks it."""
    if use.status != "no-function" or use.module is None:
        return None
    from relax_lint.failing_imports import last_import

    return last_import(use.module, use.name, use.interpreter.resolver)


def _imported_at(use: RewardUse) -> tuple[Related, ...]:
    step = _last_import(use)
    return () if step is None else (Related(step.place, f"{step.name} is imported here"),)


def _failing(recipe: Recipe, uses: list[RewardUse], project: Project) -> Iterator[Finding]:
    """The imports that fail when a launch imports its reward; where not all launchers are there, those of any file."""
    from relax_lint.import_findings import failing_findings, modules_of

    told = {(step.statement, step.name) for step in map(_last_import, uses) if step is not None}
    starts: dict[PythonSource, RewardUse | None] = dict(modules_of(uses, project))
    for source in recipe.python if recipe.is_partial else ():
        starts.setdefault(source, None)
    yield from failing_findings(starts, recipe, project, told)


def _modules_near(use: RewardUse, project: Project) -> list[str]:
    from relax_lint.flow.names import dotted_name

    recipe = project.recipe_of(use.launch.script)
    modules = [] if recipe is None else [source for source in recipe.python if source.path.name != "__init__.py"]
    return [dotted_name(source.path, project.root) for source in modules]


def _unused(
    source: PythonSource, recipe: Recipe, uses: list[RewardUse], project: Project
) -> Iterator[Finding | NotChecked]:
    from relax_lint.flow.interpreter import interpreter_of
    from relax_lint.flow.names import dotted_name

    resolver = interpreter_of(project).resolver
    dotted = dotted_name(source.path, project.root)
    if not resolver.resolve(source, "reward_func").missing or _leads_to(source, dotted, recipe, project):
        return
    place = Place(source, 0, 0)
    hidden = next((use for use in uses if not use.dotted), None)
    if any(use.module is source or use.source is source for use in uses):
        return
    if hidden is not None:
        yield NotChecked(place, hidden.unclear or "")
        return
    message = f"{source.path.name} has no reward_func and no launch names another function of it"
    yield Finding(place, message, severity=WARNING, subject=source.path.stem)


def _leads_to(source: PythonSource, dotted: str, recipe: Recipe, project: Project) -> bool:
    """Whether another file of the recipe imports the module, or any launcher or configuration names it."""
    stem = source.path.stem
    if any(other is not source and stem in other.text for other in recipe.python):
        return True
    texts = [path for path in recipe.files if path.suffix in (".yaml", ".yml", ".sh")]
    texts += [path for other in project.recipes if other is not recipe for path in other.launcher_paths]
    return any(f"{dotted}.".encode() in (project.read(path) or b"") for path in texts)
