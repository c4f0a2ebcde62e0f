"""A recipe has an interaction environment, and a launch does not use it.

## What

A reinforcement-learning launch in a recipe with a BaseInteractionEnv, without `--custom-generate-function-path`, or
without the `--custom-config-path` whose keys the rollout reads from `args`. Agentic launches, launches with a rollout
function of their own, and those that take their samples from a file are left alone; so is a missing config where
neither the rollout nor the environment reads `args.max_turns` or `args.rollout_interaction_env_path`.

## Why

Without the generate path Relax samples one answer and never asks the environment: the run trains, on first turns that
no tool has answered. Without the config, `args.max_turns` is an AttributeError with the first sample.

## Source

Guide, step 3: `--custom-generate-function-path examples.<algo>.rollout.generate`, and by `--custom-config-path` a YAML
file with `max_turns` and `rollout_interaction_env_path`.

## Example

    ROLLOUT_ARGS=(
        --custom-rm-path examples.zoom.reward_zoom.reward_func
        --custom-config-path examples/zoom/zoom_config.yaml     # and no generate path
    )

## Fix

Adds the flags, where the recipe has exactly one `generate` function and one such YAML file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from relax_lint.catalog.rewards import WITHOUT_REWARDS
from relax_lint.constraints.reporting import launches_with
from relax_lint.diagnostics import Edit, Finding, Fix, NotChecked
from relax_lint.fixers.launcher_edits import append_to_array, append_to_command, holder, insert_after
from relax_lint.flag_arrays import arrays_in
from relax_lint.generates import AGENTIC
from relax_lint.launch_config import CONFIG, overridden_by_config
from relax_lint.named_functions import ROLLOUT, own_rollout
from relax_lint.project import Project, Recipe
from relax_lint.rewards import FLAG, GENERATE
from relax_lint.rules import ERROR, Example, rule
from relax_lint.shell.launch import Argument, Launch
from relax_lint.shell.nodes import ArrayLiteral
from relax_lint.shell.queries import is_broken_off, is_own, open_word, place_of, start_of, written_command
from relax_lint.shell.quoting import as_word

if TYPE_CHECKING:
    from relax_lint.environments import Environments

_ELSEWHERE = (AGENTIC, *WITHOUT_REWARDS)
_READS_CONFIG = re.compile(r"\bargs\.(?:max_turns|rollout_interaction_env_path)\b")

_TRAIN = "python3 relax/entrypoints/train.py"
_RUN = "examples/demo/run_demo.sh"
_CONFIG = "examples/demo/demo_config.yaml"
_REWARD = f"{FLAG} examples.demo.reward_demo.reward_func"
_PATH = f"{GENERATE} examples.demo.rollout.generate"
_YAML = f"{CONFIG} {_CONFIG}"
_TREE = {
    "examples/demo/env_demo.py": """\
from examples.demo.base_env import BaseInteractionEnv


class Env(BaseInteractionEnv):
    def reset(self):
        return {}, {}

    def step(self, response_text):
        return {"obs_str": "."}, True, {}


def build_env(sample=None, args=None, **_):
    return Env(args.max_turns)
""",
    "examples/demo/rollout.py": """\
import importlib


async def generate(args, sample, sampling_params):
    module = importlib.import_module(args.rollout_interaction_env_path)
    env = module.build_env(sample=sample, args=args)
    for _ in range(args.max_turns):
        _, done, _ = env.step(sample.response)
    return sample
""",
    _CONFIG: "max_turns: 3\nrollout_interaction_env_path: examples.demo.env_demo\n",
}


def _run(text: str, **changes: str) -> dict[str, str]:
    files = {f"examples/demo/{name}.py": other for name, other in changes.items()}
    return {path: part for path, part in {**_TREE, **files, _RUN: text}.items() if part}


VALID: list[str | Example] = [
    Example(_run(f"{_TRAIN} --colocate {_REWARD} {_PATH} {_YAML}\n")),
    Example(_run(f'ROLLOUT_ARGS=(\n    {_PATH}\n    {_YAML}\n)\n{_TRAIN} --colocate "${{ROLLOUT_ARGS[@]}}"\n')),
    Example(_run(f"{_TRAIN} --loss-type sft --prompt-data /d/x.parquet\n")),
    Example(_run(f"{_TRAIN} --colocate --use-agentic-rollout --agent-command 'bash run.sh'\n")),
    Example(_run(f"{_TRAIN} --colocate --rollout-function-path examples.demo.search.generate_rollout\n")),
    Example(_run(f"{_TRAIN} --debug-train-only --load-debug-rollout-data /d/dump.pt\n")),
    Example(_run(f'{_TRAIN} --colocate {_REWARD} "$@"\n')),
    Example(_run(f"EXTRA_ARGS=$(cat extra.txt)\n{_TRAIN} --colocate {_PATH} $EXTRA_ARGS\n")),
    Example({_RUN: f"{_TRAIN} --colocate {_REWARD}\n", "examples/demo/reward_demo.py": "x = 1\n"}),
    Example(
        _run(
            f"{_TRAIN} --colocate {_PATH}\n",
            rollout="""\
from examples.demo.env_demo import build_env


async def generate(args, sample, sampling_params):
    env = build_env(sample, args)
    _, done, _ = env.step(sample.response)
    return sample
""",
            env_demo=_TREE["examples/demo/env_demo.py"].replace("args.max_turns", 'getattr(args, "max_turns", 4)'),
        )
    ),
    Example(
        _run(f"{_TRAIN} --colocate {_YAML}\n")
        | {_CONFIG: f"max_turns: 3\n{GENERATE[2:].replace('-', '_')}: examples.demo.rollout.generate\n"}
    ),
    Example(_run("python3 -m verl.trainer.main_ppo actor_rollout_ref.rollout.multi_turn.enable=True\n")),
    Example(
        {
            _RUN: f"{_TRAIN} --colocate {_REWARD}\n",
            "examples/other/env_other.py": _TREE["examples/demo/env_demo.py"],
        }
    ),
    Example(
        {
            _RUN: f"{_TRAIN} --colocate {_REWARD}\n",
            "examples/demo/agent.py": "class SearchEnv:\n    async def step(self, action):\n        return action\n",
        }
    ),
]

INVALID = [
    Example(
        _run(
            f"ARGS=(\n    --lr 1e-6\n    {_REWARD}\n)\n"
            f'if [ "$1" = async ]; then\n    {_TRAIN} --fully-async "${{ARGS[@]}}"\n'
            f'else\n    {_TRAIN} --colocate "${{ARGS[@]}}"\nfi\n'
        ),
        findings=((_RUN, 3, 5),),
        fixed={
            _RUN: f"ARGS=(\n    --lr 1e-6\n    {_REWARD}\n    {_PATH}\n    {_YAML}\n)\n"
            f'if [ "$1" = async ]; then\n    {_TRAIN} --fully-async "${{ARGS[@]}}"\n'
            f'else\n    {_TRAIN} --colocate "${{ARGS[@]}}"\nfi\n'
        },
    ),
    Example(
        _run(f"{_TRAIN} --colocate {_YAML}\n"),
        findings=((_RUN, 1, 47),),
        fixed={_RUN: f"{_TRAIN} --colocate {_YAML} {_PATH}\n"},
    ),
    Example(
        _run(f"{_TRAIN} --colocate {_PATH}\n"),
        findings=((_RUN, 1, 47),),
        fixed={_RUN: f"{_TRAIN} --colocate {_PATH} {_YAML}\n"},
    ),
    Example(
        _run(f"{_TRAIN} \\\n    --colocate \\\n    {_REWARD}\n"),
        findings=((_RUN, 1, 1),),
        fixed={_RUN: f"{_TRAIN} \\\n    --colocate \\\n    {_REWARD} \\\n    {_PATH} \\\n    {_YAML}\n"},
    ),
    Example(
        _run(f'REWARD_ARGS=(\n    {_REWARD}\n    {_YAML}\n)\n{_TRAIN} --fully-async "${{REWARD_ARGS[@]}}"\n'),
        findings=((_RUN, 3, 5),),
        fixed={
            _RUN: f"REWARD_ARGS=(\n    {_REWARD}\n    {_YAML}\n    {_PATH}\n)\n"
            f'{_TRAIN} --fully-async "${{REWARD_ARGS[@]}}"\n'
        },
    ),
    Example(
        _run(f"ROLLOUT_ARGS=(\n    {_PATH}\n    {_YAML}\n)\n{_TRAIN} --colocate {_REWARD}\n"),
        findings=((_RUN, 5, 1),),
    ),
    Example(
        _run(
            f'if [ "${{1:-sync}}" = async ]; then\n    {_TRAIN} --fully-async {_PATH} {_YAML}\nelse\n'
            f"    {_TRAIN} --colocate {_YAML}\nfi\n"
        ),
        findings=((_RUN, 4, 51),),
        fixed={
            _RUN: f'if [ "${{1:-sync}}" = async ]; then\n    {_TRAIN} --fully-async {_PATH} {_YAML}\nelse\n'
            f"    {_TRAIN} --colocate {_YAML} {_PATH}\nfi\n"
        },
    ),
    Example(
        _run(f"{_TRAIN} --hybrid {CONFIG}={_CONFIG}\n"),
        findings=((_RUN, 1, 45),),
        fixed={_RUN: f"{_TRAIN} --hybrid {CONFIG}={_CONFIG} {_PATH}\n"},
    ),
    Example(
        _run(f"{_TRAIN} --colocate {_YAML}\n", rollout="", multi_turn=_TREE["examples/demo/rollout.py"])
        | {"examples/demo/partial.py": "async def generate(args, sample, sampling_params):\n    return sample\n"},
        findings=((_RUN, 1, 47),),
    ),
    Example(
        _run(f"{_TRAIN} --colocate {_PATH}\n") | {"examples/demo/eval.yaml": "max_turns: 9\n"},
        findings=((_RUN, 1, 47),),
    ),
    Example(
        _run(f'launch() {{\n    {_TRAIN} --colocate "$@"\n}}\nlaunch {_REWARD} {_PATH}\n'),
        findings=((_RUN, 4, 8 + len(_REWARD) + 1),),
        fixed={
            _RUN: f'launch() {{\n    {_TRAIN} --colocate "$@"\n}}\nlaunch {_REWARD} {_PATH} {_YAML}\n',
        },
    ),
    Example(
        _run(f'ENV_CONFIG=""\n{_TRAIN} --colocate {_PATH} {CONFIG} "$ENV_CONFIG"\n'),
        findings=((_RUN, 2, 47),),
    ),
    Example(
        _run(f"{_TRAIN} --colocate {GENERATE} examples.deepeyes.rollout.generate\n"),
        findings=((_RUN, 1, 47),),
        fixed={_RUN: f"{_TRAIN} --colocate {GENERATE} examples.deepeyes.rollout.generate {_YAML}\n"},
    ),
]


@rule("RLX307", "multi-turn-incomplete", ERROR, on="launch", valid=VALID, invalid=INVALID, fixable="safe")
def multi_turn_incomplete(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """Say which flags are missing, beside the one that is there."""
    recipe = project.recipe_of(launch.script)
    if recipe is None or launch.kind != "relax" or launch.mode == "sft" or own_rollout(launch) is not None:
        return
    if any(launch.has(flag) for flag in _ELSEWHERE) or all(_is_given(launch, flag) for flag in (GENERATE, CONFIG)):
        return
    if not recipe.python:
        return
    from relax_lint.environments import environments_of

    environments = environments_of(recipe, project)
    if not environments.concrete:
        return
    missing = list(_missing(launch, environments, project))
    if not missing:
        return
    if is_broken_off(launch):
        yield NotChecked(start_of(launch), "a broken continuation")
        return
    if any(launch.hiding(flag) for flag in (*missing, *_ELSEWHERE, ROLLOUT)):
        yield NotChecked(start_of(launch), open_word(launch, *missing, *_ELSEWHERE, ROLLOUT))
        return
    partner = launch.last(GENERATE) or launch.last(CONFIG)
    written = partner is not None and partner.word.place is not None and is_own(project, launch, partner.word.place)
    place = partner.word.place if partner is not None and written and partner.word.place else start_of(launch)
    cls = environments.concrete[0].node.name
    if GENERATE in missing:
        effect = f"the recipe has an environment, {cls}, and no rollout that asks it: every sample stays a single turn"
    else:
        effect = f"the file that it names has max_turns, which the rollout of the environment {cls} reads from args"
    items = _items(missing, environments, recipe, project)
    lost = _lost_array(missing, launch, project)
    if lost or any(launch.has(flag) for flag in missing):
        items = None
    anchor = partner if written else launch.last(FLAG)
    if anchor is not None and anchor is not partner and _is_shared(anchor, launch, project):
        place = place_of(launch, anchor.word)
    edit = None if items is None else _insertion(anchor, launch, project, items)
    yield Finding(
        place,
        f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing{lost}: {effect}",
        fix=None if edit is None or items is None else Fix(f"add {' '.join(items)}", lambda: [edit]),
        launch=launch,
        subject=missing[0],
    )


def _is_shared(argument: Argument, launch: Launch, project: Project) -> bool:
    """Whether what is written beside a flag goes to several launches of the script, which are told of it once."""
    place = argument.word.place
    return place is not None and is_own(project, launch, place) and len([*launches_with(argument, launch, project)]) > 1


def _lost_array(missing: Sequence[str], launch: Launch, project: Project) -> str:
    """What to add where an array of the launcher holds a missing flag and is not passed."""
    script = project.launcher(launch.script)
    for source in [] if script is None else [script, *script.evaluation.sourced]:
        for array in arrays_in(source):
            if any(word.literal in missing for word in array.words):
                return f" ({array.name}, which holds it, does not reach this launch)"
    return ""


def _is_given(launch: Launch, flag: str) -> bool:
    """Whether a flag is passed, and not with an empty value, which counts for nothing."""
    return launch.has(flag) and launch.value(flag) != ""


def _missing(launch: Launch, environments: Environments, project: Project) -> Iterator[str]:
    if not _is_given(launch, GENERATE) and overridden_by_config(launch, project, GENERATE) is None:
        yield GENERATE
    if not _is_given(launch, CONFIG) and _reads_config(launch, environments, project):
        yield CONFIG


def _reads_config(launch: Launch, environments: Environments, project: Project) -> bool:
    """Whether the rollout that is named, or is to be named, or the environment takes settings from the config."""
    module = (launch.value(GENERATE) or "").rpartition(".")[0]
    source = project.module(module, launch.script.parent) if module else None
    sources = [*environments.sources, *([source] if source is not None else [])]
    if module and source is None:
        return True  # the one that the guide has recipes copy, most likely
    return any(_READS_CONFIG.search(each.text) for each in sources)


def _items(missing: Sequence[str], environments: Environments, recipe: Recipe, project: Project) -> list[str] | None:
    """The missing flags with their values, where the recipe leaves no choice."""
    choices = {
        GENERATE: environments.generate_functions(),
        CONFIG: [path.relative_to(project.root).as_posix() for path in environments.configs()],
    }
    if any(len(choices[flag]) != 1 for flag in missing):
        return None
    return [f"{flag} {as_word(choices[flag][0])}" for flag in missing]


def _insertion(anchor: Argument | None, launch: Launch, project: Project, items: Sequence[str]) -> Edit | None:
    place = None if anchor is None else anchor.word.place
    if anchor is not None and place is not None and is_own(project, launch, place):
        edit = insert_after(anchor, items)
        if edit is not None:
            return edit
        inside = holder(place)
        if isinstance(inside, ArrayLiteral):
            return append_to_array(place.source, inside, items)
    written = written_command(launch)
    return None if written is None else append_to_command(*written, items)
