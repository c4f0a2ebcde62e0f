"""A recipe lacks a file that its kind needs.

## What

What the guide's decision tree asks for and no file of the recipe provides, whatever its name:

- a launcher, where there is a reward, an environment or a rollout config; one that launches something: of launchers
  that run nothing but programs known to start no training it is said that they never come to a launch,
- an `__init__.py`, where there is Python code (along the module paths of launchers `missing-init` says it),
- a reward function, where a launch names one that is neither in this repository nor Relax's, or names none and nothing
  else gives rewards,
- for multi-turn recipes, those with a launch whose `--custom-generate-function-path` names code that asks an
  environment (or that is not there, or does nothing yet: the copy of deepeyes' then): an environment with
  `build_env`, `BaseInteractionEnv` that it derives from, and a config with its turns,
- the `base_env` module that an environment imports.

Agentic, genrm, distillation and SFT recipes, and those with a rollout function of their own, have their own structure
and are left alone. What a flag names and is not there, other rules say.

## Why

A recipe whose parts are elsewhere runs for its author only.

## Source

Guide: the target structures of the recipe type decision tree; everything that a recipe needs stays in
`examples/<algo>/`.

## Example

    examples/search/run_search.sh        # --custom-generate-function-path examples.search.rollout.generate
    examples/search/rollout.py
    examples/search/reward_search.py

## Fix

Add the files: copy `base_env.py` and `rollout.py` from `examples/deepeyes`, write `env_<algo>.py` and
`<algo>_config.yaml`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.catalog.module_paths import MODULE_PATH_FLAGS
from relax_lint.diagnostics import Finding, NotChecked, Place
from relax_lint.entry_slips import ENTRY
from relax_lint.generates import GENERATE
from relax_lint.idle_launchers import launches_nothing
from relax_lint.launch_config import CONFIG
from relax_lint.module_paths import is_file_form, is_ours
from relax_lint.patterns import pattern
from relax_lint.project import Project, Recipe
from relax_lint.rules import WARNING, Example, rule
from relax_lint.shell.queries import place_of, start_of, why_unknown

if TYPE_CHECKING:
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.python import PythonSource

_REWARD = "--custom-rm-path"
_PARTS = pattern(
    r"^(?:async )?def (?:reward_func|compute_score|build_env)\b|\bBaseInteractionEnv\b",
    re.MULTILINE,
    words=("def reward_func", "def compute_score", "def build_env", "BaseInteractionEnv"),
)
_SCORES = pattern(r"\b(?:reward_func|compute_score)\b", words=("reward_func", "compute_score"))
_SETTINGS = re.compile(rb"^(?:max_turns|rollout_interaction_env_path)\s*:", re.MULTILINE)
_STARTS = re.compile(rb"entrypoints[/.]train|\bverl\b|main_\w+|\btrain\w*\.py")
_BUILDS = pattern(
    r"^(?:async )?def build_env\b|^build_env\b|\bimport\b.*\bbuild_env\b", re.MULTILINE, words=("build_env",)
)
_WAITS = pattern(r"\bawait\b|\basync (?:with|for)\b", words=("await", "async "))
_ENVIRONMENTS = pattern(
    r"\bbuild_env\b|\brollout_interaction_env_path\b|\bDEFAULT_ENV_MODULE\b|\bBaseInteractionEnv\b|\bBaseTool\b|"
    r"\.format_observation\(",
    words=(
        *("build_env", "rollout_interaction_env_path", "DEFAULT_ENV_MODULE", "BaseInteractionEnv", "BaseTool"),
        ".format_observation(",
    ),
)
_BASE, _BEHAVES_ALIKE = "BaseInteractionEnv", "def format_observation("
_ENV_KEY = b"rollout_interaction_env_path"
_TOOL = pattern(r"(?:prepare|process|convert|test|setup|download|conftest)\w*\Z|\w*_(?:test|convert)\Z")

_TRAIN = "python3 relax/entrypoints/train.py"
_RUN, _INIT = "examples/demo/run_demo.sh", "examples/demo/__init__.py"
_LAUNCH = f"{_TRAIN} --custom-rm-path examples.demo.reward_demo.reward_func\n"
_CODE = "async def reward_func(args, sample, **kwargs):\n    return 0.0\n"
_MULTI = (
    f"{_TRAIN} --custom-rm-path examples.demo.reward_demo.reward_func \\\n"
    "    --custom-generate-function-path examples.demo.rollout.generate"
)
_CONFIGURED = f"{_MULTI} \\\n    --custom-config-path examples/demo/demo_config.yaml\n"
_ENV = (
    "from examples.demo.base_env import BaseInteractionEnv\n\n\nclass Env(BaseInteractionEnv):\n    pass\n\n\n"
    "def build_env(sample=None, args=None, **_):\n    return Env()\n"
)
_NAMES = {
    "run": _RUN,
    "init": _INIT,
    "reward": "examples/demo/reward_demo.py",
    "rollout": "examples/demo/rollout.py",
    "env": "examples/demo/env_demo.py",
    "base": "examples/demo/base_env.py",
    "config": "examples/demo/demo_config.yaml",
}
_SINGLE = {"run": _LAUNCH, "init": "", "reward": _CODE}
_WHOLE = {
    **_SINGLE,
    "run": _CONFIGURED,
    "rollout": "async def generate(args, sample, sampling_params):\n    return sample\n",
    "env": _ENV,
    "base": "class BaseInteractionEnv:\n    pass\n",
    "config": "max_turns: 5\nrollout_interaction_env_path: examples.demo.env_demo\n",
}


def _tree(files: dict[str, str], *without: str, **more: str) -> dict[str, str]:
    given = {**files, **more}
    return {_NAMES.get(key, key): text for key, text in given.items() if key not in without}


VALID: list[Example | str] = [
    Example(_tree(_SINGLE)),
    Example(_tree(_WHOLE)),
    Example({_RUN: f"{_TRAIN} --rm-type math\n"}),
    Example(_tree(_SINGLE, "reward", "run", run=f"{_TRAIN} --custom-rm-path relax.engine.rewards.math.reward\n")),
    Example(_tree(_WHOLE, "base", env=_ENV.replace("demo.base_env", "deepeyes.base_env"))),
    Example(_tree(_SINGLE, "run", **{"examples/demo/run_demo.py": "import subprocess\n"})),
    Example(
        _tree(
            _SINGLE,
            run=f"{_TRAIN} --use-agentic-rollout --agent-command 'python3 app.py' "
            "--custom-generate-function-path examples.demo.rollout.generate\n",
        )
    ),
    Example({_RUN: f"{_TRAIN} --loss-type sft\n", "examples/demo/dataset.py": "class Chats:\n    pass\n"}),
    Example({_RUN: f"{_TRAIN} --use-opd --rm-type random\n", "examples/demo/prepare_data.py": "print()\n"}),
    Example(
        {
            _RUN: f"{_TRAIN} --genrm-model-path /m --rm-type dapo-genrm\n",
            "examples/demo/post_process.py": "def post_process(args, samples):\n    return [], []\n",
        }
    ),
    Example(
        {
            _RUN: f"{_TRAIN} --rm-type math --rollout-function-path examples.demo.games.rollout\n",
            "examples/demo/games.py": "def rollout(args, rollout_id, *given, **more):\n    return []\n",
        }
    ),
    Example({"examples/data_preprocess/gsm8k.py": "def make_map_fn(split):\n    return split\n"}),
    Example(
        _tree(
            _WHOLE,
            "env",
            "base",
            **{
                "examples/demo/environment/__init__.py": _ENV.replace("demo.base", "demo.x.base"),
                "examples/demo/x/base_env.py": "class BaseInteractionEnv:\n    pass\n",
            },
        )
    ),
    Example(_tree(_WHOLE, "env", "base", config="rollout_interaction_env_path: tools_of_us.env\n")),
    Example(
        {
            "examples/demo/reward_demo.py": _CODE,
            _INIT: "",
            "scripts/training/text/run-demo.sh": _LAUNCH,
        }
    ),
    Example({_RUN: "python3 -m verl.trainer.main_ppo data.train_files=a\n", "examples/demo/reward_demo.py": _CODE}),
    Example(_tree(_SINGLE, "init", run=_LAUNCH)),
    Example(_tree(_SINGLE, "reward", run=f"{_TRAIN} --metadata-key extra_info\n")),
    Example(
        _tree(
            _SINGLE,
            "reward",
            run=f"{_TRAIN} --custom-config-path examples/demo/demo_config.yaml\n",
            config="rm_type: math\n",
        )
    ),
    Example(
        _tree(
            _WHOLE,
            "reward",
            run=_CONFIGURED.replace("--custom-rm-path examples.demo.reward_demo.reward_func ", ""),
            rollout="async def generate(args, sample, sampling_params):\n    sample.reward = 1.0\n    return sample\n",
        )
    ),
    Example({_RUN: f"{_TRAIN} --rm-type math\n", "examples/demo/prepare_data.py": "print()\n"}),
    *(
        Example(_tree(_SINGLE, run=f"set -e\nmkdir -p logs\n{script}\n"))
        for script in (
            f'LAUNCH="{_TRAIN}"\n"$@" $LAUNCH',
            f"with_gpus {_TRAIN[8:]} --colocate",
            f'[ -n "$DRY" ] && exit\n{_LAUNCH}',
            f'run() {{ {_TRAIN}; }}\nsource "$MORE"',
            f"make train  # {_TRAIN}",
            f"bash ../run.sh  # {_TRAIN}",
            f"python3 run_all.py  # {_TRAIN}",
            f"# {_TRAIN}\nif true; then",
            f"cat > job.sh <<'EOF'\n{_TRAIN}\nEOF\nsbatch job.sh",
        )
    ),
    Example(
        _tree(
            _WHOLE,
            "env",
            "base",
            "config",
            run=f"{_MULTI}\n",
            rollout="async def generate(args, sample, sampling_params):\n"
            "    sample.response = (await post(args.url, sample.prompt))['text']\n    return sample\n",
        )
    ),
]

INVALID = [
    *(
        Example(_tree(_SINGLE, run=f"set -ex\nmkdir -p logs\n{script}\n"), findings=((_RUN, 1, 1),))
        for script in (
            f"# {_TRAIN} --colocate",
            f"run() {{\n    {_LAUNCH}}}\necho ready",
            f"exit 0\n{_LAUNCH}",
            f"if false; then\n    {_LAUNCH}fi",
            f'CMD="{_TRAIN}"\necho $CMD',
            f"cat <<EOF\n{_LAUNCH}EOF",
            f"python3 scripts/tools/process_demo.py --input-dir /d\nray stop --force\nexit\n{_LAUNCH}",
        )
    ),
    Example(_tree(_SINGLE, "run"), findings=(("examples/demo/reward_demo.py", 1, 1),)),
    Example(
        _tree(_SINGLE, "run", **{"examples/demo/judge.sh": "python3 -m sglang.launch_server\n"}),
        findings=(("examples/demo/reward_demo.py", 1, 1),),
    ),
    Example({"examples/demo/demo_config.yaml": "max_turns: 3\n"}, findings=(("examples/demo/demo_config.yaml", 1, 1),)),
    Example(_tree(_WHOLE, "run"), findings=(("examples/demo/reward_demo.py", 1, 1),)),
    Example(_tree(_WHOLE, "env", "base", "config", run=f"{_MULTI}\n"), findings=((_RUN, 2, 5),)),
    Example(_tree(_WHOLE, "env", "base", config="max_turns: 5\n"), findings=((_RUN, 2, 5),)),
    Example(
        _tree(
            _WHOLE,
            "env",
            "base",
            rollout="async def generate(args, sample, sampling_params):\n"
            "    env = load(args.rollout_interaction_env_path).build_env(sample=sample, args=args)\n"
            "    await step(env)\n    return sample\n",
            config="max_turns: 5\n",
        ),
        findings=((_RUN, 2, 5),),
    ),
    Example(
        _tree(
            _WHOLE, "base", env="class Env:\n    pass\n\n\ndef build_env(sample=None, args=None):\n    return Env()\n"
        ),
        findings=((_RUN, 2, 5),),
    ),
    Example(
        _tree(_WHOLE, "base", rollout="from examples.demo.base_env import BaseInteractionEnv\n" + _WHOLE["rollout"]),
        findings=(("examples/demo/env_demo.py", 1, 1),),
    ),
    Example(
        _tree(_WHOLE, "base", env=_ENV.replace("from examples.demo.base_env", "import os\n\nfrom .base_env")),
        findings=(("examples/demo/env_demo.py", 3, 1),),
    ),
    Example(
        _tree(_SINGLE, "reward", run=f"{_TRAIN} --custom-rm-path rewards_of_us.demo.reward\n"),
        findings=((_RUN, 1, 36),),
    ),
    Example(_tree(_SINGLE, "reward", run=f"set -e\n{_TRAIN} --lr 1e-6\n"), findings=((_RUN, 2, 1),)),
    Example(
        _tree(_WHOLE, "reward", run=_CONFIGURED.replace("--custom-rm-path examples.demo.reward_demo.reward_func ", "")),
        findings=((_RUN, 1, 1),),
    ),
    Example(
        {
            _RUN: f'run() {{ {_TRAIN} --rm-type math "$@"; }}\nrun --colocate\n',
            "examples/demo/scoring.py": "def helper():\n    return 1\n",
        },
        findings=((_RUN, 1, 9),),
    ),
    Example(
        _tree(
            _WHOLE,
            "env",
            "base",
            "config",
            run=f'if [ "$1" = async ]; then\n    {_MULTI} --fully-async\nelse\n    {_MULTI}\nfi\n',
        ),
        findings=((_RUN, 3, 5),),
    ),
]


@rule("RLX802", "recipe-files", WARNING, on="recipe", valid=VALID, invalid=INVALID)
def recipe_files(recipe: Recipe, project: Project) -> Iterator[Finding | NotChecked]:
    """What the tree asks for, first without and then with what the launches say."""
    started = _is_started(recipe, project) or _is_started_elsewhere(recipe, project)
    if started and recipe.wanted is not None and not _wants_bases(recipe):
        return
    parts = sorted((source for source in recipe.python if source.says(_PARTS)), key=_is_no_reward)
    if not started:
        yield from _without_launcher(recipe, parts, project)
        return
    told: set[str] = set()
    for source in sorted(parts, key=_builds_nothing):
        for base, node in _missing_bases(source, project):
            if base not in told:
                told.add(base)
                message = f"there is no module {base}: copy base_env.py from examples/deepeyes"
                yield Finding(source.place(node), message, subject="base_env.py")
    if recipe.wanted is not None:
        return
    yield from _idle(recipe, project)
    from relax_lint.recipe_kinds import kind_of

    kinds = [(kind_of(launch), launch) for launch in recipe.launches]
    multi = [launch for kind, launch in kinds if kind == "multi-turn"]
    single = [launch for kind, launch in kinds if kind == "single-turn"]
    yield from _without_environment(recipe, multi, project)
    yield from _foreign_rewards(recipe, [*multi, *single], parts, project)
    yield from _without_reward(recipe, [*multi, *single], parts, project)
    if multi or single:
        yield from _without_init(recipe, (multi or single)[0], project)


def _wants_bases(recipe: Recipe) -> bool:
    """Whether findings are wanted of a file that speaks of the base of environments."""
    return any(recipe.wants(source.path) and _BASE in source.text for source in recipe.python)


def _is_no_reward(source: PythonSource) -> bool:
    return not source.says(_SCORES)


def _builds_nothing(source: PythonSource) -> bool:
    return not source.says(_BUILDS)


def _is_started(recipe: Recipe, project: Project) -> bool:
    """Whether any script of the recipe starts a training, as far as texts tell."""
    return any(_STARTS.search(project.read(path) or b"") for path in recipe.launcher_paths)


def _is_started_elsewhere(recipe: Recipe, project: Project) -> bool:
    """Whether a program of the recipe, or a script beside it, may start one."""
    if any(path.suffix == ".py" and path.stem.startswith(("run", "launch", "main")) for path in recipe.files):
        return True
    named = re.compile(rb"examples[./]" + re.escape(recipe.name.encode()) + rb"(?![\w-])")
    others = (path for path in project.reach.scripts if recipe.directory not in path.parents)
    return any(named.search(project.read(path) or b"") for path in others)


def _idle(recipe: Recipe, project: Project) -> Iterator[Finding]:
    """Launchers of which none launches anything, whatever is set and whichever way is taken."""
    launchers = recipe.launchers
    run = next((launcher for launcher in launchers if launcher.path.stem.startswith("run")), None)
    if run is None or recipe.launches or _is_started_elsewhere(recipe, project):
        return
    if all(launches_nothing(launcher) for launcher in launchers):
        message = f"no script of the recipe launches it: {run.path.name} never comes to python3 {ENTRY}"
        yield Finding(Place(run, 0, 0), message, subject=run.path.name)


def _without_launcher(recipe: Recipe, parts: list[PythonSource], project: Project) -> Iterator[Finding]:
    configs = [path for path in recipe.yaml if _SETTINGS.search(project.read(path) or b"")]
    texts = [project.source(path) for path in configs]
    for source in [*parts, *(text for text in texts if text is not None)][:1]:
        message = f"no script of the recipe launches it: write run_{_plain(recipe)}.sh"
        yield Finding(Place(source, 0, 0), message, subject=f"run_{_plain(recipe)}.sh")


def _missing_bases(source: PythonSource, project: Project) -> Iterator[tuple[str, ast.ImportFrom]]:
    """The imports of a base that is not there; every Relax has that of deepeyes."""
    if _BASE not in source.text or source.tree is None:
        return
    from relax_lint.flow.names import import_target, package_around

    package = package_around(source.path, project.root)
    for node in source.nodes(ast.ImportFrom):
        target = import_target(node, package)
        if not any(alias.name == _BASE for alias in node.names) or target == "examples.deepeyes.base_env":
            continue
        if target and is_ours(target, project) and project.module(target) is None:
            yield target, node


def _without_environment(recipe: Recipe, launches: list[Launch], project: Project) -> Iterator[Finding]:
    """What a multi-turn recipe has nothing of, said once, where a launch turns to its generate function."""
    code = recipe.python
    launches = [launch for launch in launches if _asks_environment(launch, code, project)]
    if not launches:
        return
    configs = [project.read(path) or b"" for path in recipe.yaml]
    builds = any(source.says(_BUILDS) for source in code)
    is_elsewhere = not builds and any(_ENV_KEY in text for text in configs)
    missing = [] if builds or is_elsewhere else [f"env_{_plain(recipe)}.py with build_env"]
    if not is_elsewhere and not any(_BASE in source.text or _BEHAVES_ALIKE in source.text for source in code):
        missing.append(f"base_env.py with {_BASE}")
        if not configs and not any(launch.may_have(CONFIG) for launch in launches):
            missing.append(f"{_plain(recipe)}_config.yaml with max_turns and rollout_interaction_env_path")
    if missing:
        argument = launches[0].last(GENERATE)
        place = start_of(launches[0]) if argument is None else place_of(launches[0], argument.word)
        message = f"a multi-turn recipe, and no {', no '.join(missing)}"
        yield Finding(place, message, launch=launches[0], subject=missing[0].split()[0])


def _asks_environment(launch: Launch, code: list[PythonSource], project: Project) -> bool:
    """Whether what generates for a launch, or other code of its recipe, speaks of environments. So does what is to be
    copied where nothing is there, or nothing yet that waits for an answer."""
    module = (launch.value(GENERATE) or "").rpartition(".")[0]
    source = project.module(module, launch.script.parent) if module else None
    if source is None or not source.says(_WAITS):
        return True
    return any(one.says(_ENVIRONMENTS) for one in (source, *code))


def _foreign_rewards(
    recipe: Recipe, launches: list[Launch], parts: list[PythonSource], project: Project
) -> Iterator[Finding | NotChecked]:
    """Rewards that nobody finds in the repository, where the recipe has none."""
    if any(source.says(_SCORES) for source in parts):
        return
    for launch in launches:
        argument = launch.last(_REWARD)
        if argument is None or not argument.values:
            continue
        named = argument.value
        if named is None:
            yield NotChecked(place_of(launch, argument.word), why_unknown(argument.values[0]))
        elif (
            "." in named and not is_file_form(named) and not named.startswith("relax.") and not is_ours(named, project)
        ):
            message = f"the reward {named} is in no file of the repository: write reward_{_plain(recipe)}.py"
            yield Finding(
                place_of(launch, argument.word), message, launch=launch, subject=f"reward_{_plain(recipe)}.py"
            )


def _without_reward(
    recipe: Recipe, launches: list[Launch], parts: list[PythonSource], project: Project
) -> Iterator[Finding]:
    """A recipe that has no reward and names none, though nothing else scores what it generates."""
    if any(source.says(_SCORES) for source in parts):
        return
    from relax_lint.reward_sources import generate_of, hidden_config, is_unregistered, may_be_in_metadata, never_rewards

    for launch in launches:
        if not is_unregistered(launch, project) or hidden_config(launch, project) is not None:
            continue
        generate = generate_of(launch, project)
        if (generate is None or never_rewards(generate)) and not may_be_in_metadata(launch, project):
            name = f"reward_{_plain(recipe)}.py"
            message = f"no reward: write {name} with reward_func, or choose a built-in one by --rm-type"
            yield Finding(start_of(launch), message, launch=launch, subject=name)
            return


def _without_init(recipe: Recipe, launch: Launch, project: Project) -> Iterator[Finding]:
    """No package, though there is code for one, and no module path of a launch leads through it."""
    if project.exists(recipe.directory / "__init__.py"):
        return
    code = [path for path in recipe.files if path.suffix == ".py" and path.parent == recipe.directory]
    if not any(not _TOOL.match(path.stem) for path in code):
        return
    prefix = f"examples.{recipe.name}."
    flags = [argument for each in recipe.launches for argument in each.arguments if argument.flag in MODULE_PATH_FLAGS]
    if any(word.text.startswith(prefix) for argument in flags for word in argument.values):
        return
    shown = (recipe.directory / "__init__.py").relative_to(project.root).as_posix()
    yield Finding(start_of(launch), f"{shown} is missing: a recipe is a package", launch=launch, subject="__init__.py")


def _plain(recipe: Recipe) -> str:
    """The recipe's name as a part of a module's."""
    return recipe.name.replace("-", "_")
