"""Code reads an attribute of args that nothing sets.

## What

`args.x` without a default, in the reward, the generate function, the environment or what they call, where `x` is no
flag of Relax, Megatron or SGLang, nothing that Relax sets itself, no key of the YAML file that the launch names in
`--custom-config-path`, and nothing that the recipe's own code stores. As advice, in that file: a key that no code
reads, and one that cannot be read as an attribute, for a dash in it or because it is nested in another.

## Why

`args.x` is an AttributeError with the first sample. A key that nobody reads is a setting that somebody believes in; and
of `reward: {url: …}` args has a `reward`, a dict, and no `url`.

## Source

Guide: PREFER the YAML file of `--custom-config-path` for passing extra reward config, read by
`getattr(args, "judge_url", default)`. Relax sets each key at the top of that file on args, and nothing below.

## Example

    async def reward_func(args, sample, **kwargs):
        return await judge(args.judge_url, sample)    # no judge_url in any config

## Fix

By hand: add the key to the config, or read it with a default.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Finding, NotChecked
from relax_lint.launch_config import dest_of
from relax_lint.patterns import pattern
from relax_lint.project import Project, Recipe
from relax_lint.rules import ADVICE, ERROR, Example, rule

if TYPE_CHECKING:
    from pathlib import Path

    from relax_lint.calls.entries import Entry as Call
    from relax_lint.named_configs import NamedConfig
    from relax_lint.recipe_readings import Read
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.config_yaml import Entry, YamlSource

_RUN = "examples/demo/run_demo.sh"
_REWARD = "examples/demo/reward_demo.py"
_CONFIG = "examples/demo/demo_config.yaml"
_TRAIN = "python3 relax/entrypoints/train.py --custom-rm-path examples.demo.reward_demo.reward_func"
_NAMES_IT = f"--custom-config-path {_CONFIG}"
_HEAD = "async def reward_func(args, sample, **kwargs):\n"
_JUDGE = "    return await ask(args.judge_url, sample)\n"


def _tree(body: str, config: str | None = None, flags: str = "", **more: str) -> dict[str, str]:
    """A recipe whose launcher names the config, where there is one."""
    named = "" if config is None else _NAMES_IT
    tree = {_RUN: f"{_TRAIN} {named} {flags}\n", _REWARD: body if "reward_func" in body else _HEAD + body}
    tree.update({f"examples/demo/{name}.py": text for name, text in more.items()})
    return tree if config is None else {**tree, _CONFIG: config}


VALID: list[Example | str] = [
    Example(_tree("    return args.rollout_temperature * args.n_samples_per_prompt\n")),
    Example(_tree(_JUDGE, "judge_url: http://localhost:8000\n")),
    Example(_tree("    return await ask(getattr(args, 'judge_url', None), sample)\n")),
    Example(_tree("    return args.judge_url if hasattr(args, 'judge_url') else 0.0\n")),
    Example(_tree("    try:\n        return args.weight\n    except AttributeError:\n        return 1.0\n")),
    Example(_tree("    return args.world_size + args.eval_datasets[0].n_samples_per_eval_prompt\n")),
    Example(_tree("    args.cache = {}\n    return args.cache.get(sample.index, 0.0)\n")),
    Example(_tree("    return args.judge_url\n", flags='--custom-config-path "$CONFIG"')),
    Example(_tree("    return args.weights['length']\n", "weights:\n  length: 0.5\n")),
    Example(
        _tree("""\
import argparse

PARSER = argparse.ArgumentParser()
PARSER.add_argument('--judge-url')
PARSER.add_argument('-w', dest='weight')


def options():
    return PARSER.parse_args([])


async def reward_func(args, sample, **kwargs):
    args = options()
    return await ask(args.judge_url, args.weight)
""")
    ),
    Example(
        _tree(
            "    return await ask(args.judge_url)\n",
            "base: &base\n  x: 1\njudge_url: here\nmax_turns: 3\nrollout_interaction_env_path: examples.demo.env\n",
            "--custom-generate-function-path examples.demo.rollout.generate",
            rollout="async def generate(args, sample, sampling_params):\n"
            "    for turn in range(args.max_turns):\n        await play(args.rollout_interaction_env_path, args.base)\n"
            "    return sample\n",
        )
    ),
    Example(_tree("    return vars(args)['judge-url']\n", "judge-url: here\n")),
    Example(_tree("    return 1.0\n", "reward_key: score\nopd_teacher_connector_limit: 8\n")),
    Example(_tree("    config = {'limit': 3}\n    return config['limit'] + args.seed\n", "limit: 4\n")),
    Example(
        {
            **_tree("    return 1.0\n", "threshold: 0.5\n"),
            "examples/demo/serve.sh": 'python3 serve.py --threshold "$(yq .threshold demo_config.yaml)"\n',
        }
    ),
    Example(_tree("    return args.judge_weight\n", "- judge_weight: 1\n")),
    Example(_tree("    return args.judge_weight\n", "judge_weight: 1\n---\na: 2\n")),
]

INVALID = [
    Example(
        _tree("    def cut(it, most=args.limit):\n        return it[:most]\n\n    return len(cut(sample.response))\n"),
        findings=((_REWARD, 2, 22),),
    ),
    Example(
        _tree("    return max(sample.response.split(), key=lambda word, *, bias=args.bias: len(word) + bias)\n"),
        findings=((_REWARD, 2, 66),),
    ),
    Example(_tree(_JUDGE), findings=((_REWARD, 2, 22),)),
    Example(_tree(_JUDGE, "judge_model: qwen\n"), findings=((_REWARD, 2, 22), (_CONFIG, 1, 1, ADVICE))),
    Example(_tree(_JUDGE, "judge-url: here\n"), findings=((_REWARD, 2, 22), (_CONFIG, 1, 1, ADVICE))),
    Example(_tree(_JUDGE, "judge:\n  judge_url: here\n"), findings=((_REWARD, 2, 22), (_CONFIG, 1, 1, ADVICE))),
    Example(_tree("    return getattr(args, 'judge_url')\n"), findings=((_REWARD, 2, 12),)),
    Example(
        _tree(
            """\
from examples.demo.judge import Judge


async def reward_func(args, sample, **kwargs):
    return await Judge(args).score(sample)
""",
            judge="""\
class Judge:
    def __init__(self, options):
        self.options = options

    async def score(self, sample):
        return await ask(self.options.judge_model, sample.response)
""",
        ),
        findings=(("examples/demo/judge.py", 6, 26),),
    ),
    Example(
        _tree(
            "    return 1.0\n",
            None,
            "--custom-generate-function-path examples.demo.rollout.generate",
            rollout="""\
async def generate(args, sample, sampling_params):
    turns = args.max_turns
    for _ in range(turns):
        await play(sample)
    return sample
""",
        ),
        findings=(("examples/demo/rollout.py", 2, 13),),
    ),
    Example(
        {
            **_tree("    return 1.0\n", "rollout_interaction_env_path: examples.demo.env_demo\n"),
            "examples/demo/env_demo.py": """\
class Env:
    def __init__(self, tools):
        self.tools = tools

    def reset(self):
        return {}, {}

    def step(self, text):
        return {}, True, {}


def build_env(sample=None, args=None, **_):
    return Env(args.tool_timeout)
""",
        },
        findings=(("examples/demo/env_demo.py", 13, 16),),
    ),
    Example(_tree("    return args.reward_keys\n"), findings=((_REWARD, 2, 12),)),
    Example(
        {
            _REWARD: _HEAD + _JUDGE,
            _RUN: f'if [ "$1" = judge ]; then\n    {_TRAIN} {_NAMES_IT}\nelse\n    {_TRAIN} --colocate\nfi\n',
            _CONFIG: "judge_url: here\n",
        },
        findings=((_REWARD, 2, 22),),
    ),
    Example(
        _tree("    return 1.0\n", "reward:\n  weight: 0.5\nmax-turns: 3\nunused: 1\n"),
        findings=((_CONFIG, 1, 1, ADVICE), (_CONFIG, 3, 1, ADVICE), (_CONFIG, 4, 1, ADVICE)),
    ),
    Example(
        {
            **_tree("    return args.judge_url\n"),
            "relax/entrypoints/train.py": "",
            "relax/core/controller.py": "def finish(args):\n    args.judge_uri = 'x'\n",
        },
        findings=((_REWARD, 2, 12),),
    ),
]


@rule("RLX213", "custom-args", ERROR, on="recipe", valid=VALID, invalid=INVALID)
def custom_args(recipe: Recipe, project: Project) -> Iterator[Finding | NotChecked]:
    """Say it where it is read, and of keys in the config."""
    missing: dict[str, list[Read]] = {}
    yield from _read_in_vain(recipe, project, missing)
    if recipe.wanted is None and (recipe.launchers or not recipe.is_partial):
        yield from _unread_keys(recipe, project, missing)


def _read_in_vain(recipe: Recipe, project: Project, missing: dict[str, list[Read]]) -> Iterator[Finding | NotChecked]:
    from relax_lint.supposed_launches import is_supposed, launches_of

    if not any(_may_name_code(launch, project) for launch in launches_of(recipe, project)):
        return
    from relax_lint.recipe_readings import called, calls_outside

    for launch, entry in called(recipe, project):
        if (is_supposed(launch) and not recipe.is_partial) or calls_outside(launch, project):
            continue  # others launch it, with configs of theirs; or others may set what is read
        for read in _not_set(entry, recipe, project):
            from relax_lint.catalog.unknown import may_be_known

            missing.setdefault(read.name, []).append(read)
            untold = may_be_known(project, f"--{read.name.replace('_', '-')}")
            if untold is not None:
                yield NotChecked(read.source.place(read.node), untold)
                continue
            if is_supposed(launch):
                if not _is_configured(read.name, recipe, project):
                    yield _finding(read, {}, launch, project)
                continue
            outcome = _keys(launch, project)
            if isinstance(outcome, NotChecked):
                yield outcome
            elif read.name not in outcome:
                yield _finding(read, outcome, launch, project)


def _may_name_code(launch: Launch, project: Project) -> bool:
    """Whether a launch has Relax call anything, as far as a look at its flags tells."""
    from relax_lint.generates import EVAL
    from relax_lint.launch_config import CONFIG
    from relax_lint.rewards import GENERATE, reward_uses

    return any(map(launch.has, (CONFIG, EVAL, GENERATE))) or bool(reward_uses(launch, project))


def _not_set(entry: Call, recipe: Recipe, project: Project) -> list[Read]:
    """What is read without a default and set by no flag, by nothing of Relax and by nothing of the recipe."""
    from relax_lint.flow.interpreter import interpreter_of

    def answer() -> list[Read]:
        return list(_reads_not_set(entry, recipe, project))

    return interpreter_of(project).answers.ask(("args not set", entry, recipe.directory), answer)


def _reads_not_set(entry: Call, recipe: Recipe, project: Project) -> Iterator[Read]:
    from relax_lint.calls.values import ARGS
    from relax_lint.catalog.args_attributes import OF_NAMESPACES, set_by_relax
    from relax_lint.recipe_readings import functions_of, is_guarded, reads, stored_names

    extra = {dest_of(flag) for flag in project.settings.extra_flags}
    for function in functions_of(entry, recipe, project):
        for read in reads(function, ARGS):
            name = read.name
            if project.catalogue.by_dest(name) or name.startswith("__") or name in OF_NAMESPACES or name in extra:
                continue
            stored = stored_names(read.source, project)
            if stored is None or name in stored or name in set_by_relax(project) or is_guarded(read):
                continue
            yield read


_CONFIGS = pattern(r"custom-config-path[=\s]+[\"']?([\w./-]+\.ya?ml)")
_TRAINS = pattern(r"^(?!.*\b(?:p?grep|pkill|echo)\b).*entrypoints[./]train\b", re.MULTILINE)


def _is_configured(name: str, recipe: Recipe, project: Project) -> bool:
    """Whether every script of a recipe seems to name a config with a key for each of its launches, by its text."""
    for script in recipe.launcher_paths:
        launches, configs = _named_configs(script, project)
        sources = map(project.yaml, configs)
        if launches > sum(source is not None and name in source.top for source in sources):
            return False
    return True


def _named_configs(script: Path, project: Project) -> tuple[int, list[Path]]:
    """How many launches of Relax a script seems to have, and the configs that it seems to name."""

    def answer() -> tuple[int, list[Path]]:
        text = "\n".join(project.reach.text(path) for path in project.reach.of(script).scripts)
        return len(_TRAINS.findall(text)), [project.root / path for path in _CONFIGS.findall(text)]

    return project.once(("named configs", script), answer)


def _finding(read: Read, keys: Mapping[str, object], launch: Launch, project: Project) -> Finding:
    from difflib import get_close_matches

    name = read.name
    dashed = name.replace("_", "-")
    if dashed in keys and dashed != name:
        hint = f": the config's {dashed} cannot be read so, spell it {name}"
    else:
        near = get_close_matches(name, [*map(str, keys), *_dests(project)], n=1, cutoff=0.85)
        hint = f"; did you mean {near[0]}?" if near else ""
    return Finding(
        read.source.place(read.node),
        f"args has no {name}: no flag, no key of the launch's config and no code sets it{hint}",
        launch=launch,
        subject=name,
    )


def _dests(project: Project) -> list[str]:
    return sorted({flag.dest for flag in project.catalogue})


def _keys(launch: Launch, project: Project) -> Mapping[str, Entry] | NotChecked:
    """The keys of a launch's config, if it is known which those are."""
    from relax_lint.named_configs import CUSTOM, named_config
    from relax_lint.shell.queries import NotKnown, open_word, place_of, start_of

    try:
        named = named_config(launch, project, CUSTOM)
    except NotKnown as hidden:
        return NotChecked(hidden.place, hidden.because)
    if named is None:
        hidden_flag = not launch.has(CUSTOM) and launch.may_have(CUSTOM)
        return NotChecked(start_of(launch), open_word(launch, CUSTOM)) if hidden_flag else {}
    if named.source is None or named.source.error is not None or named.source.is_template or _is_refused(named.source):
        return NotChecked(place_of(launch, named.word), named.text)
    return named.source.top


def _is_refused(source: YamlSource) -> bool:
    """Whether Relax stops on a config, as RLX604 says: nothing is known of what would be in a good one."""
    root = source.root
    return len(source.documents) > 1 or (root is not None and root.kind != "mapping" and not root.is_null)


# ------------------------------------------------------------ keys that nobody reads


def _unread_keys(recipe: Recipe, project: Project, missing: Mapping[str, list[Read]]) -> Iterator[Finding]:
    from relax_lint.named_configs import CUSTOM, named_config
    from relax_lint.shell.queries import NotKnown

    seen: set[object] = set()
    for launch in recipe.launches:
        try:
            named = named_config(launch, project, CUSTOM)
        except NotKnown:
            continue
        if named is None or named.path in seen or named.source is None or project.recipe_of(named.path) is None:
            continue
        seen.add(named.path)
        from relax_lint.recipe_readings import calls_outside

        if not calls_outside(launch, project):
            yield from _unread(named, named.source, recipe, launch, project, missing)


def _unread(
    named: NamedConfig,
    source: YamlSource,
    recipe: Recipe,
    launch: Launch,
    project: Project,
    missing: Mapping[str, list[Read]],
) -> Iterator[Finding]:
    from relax_lint.catalog.args_attributes import READ_IF_SET, set_by_relax

    words = _words(named, recipe, project)
    if words is None:
        return
    for key, entry in source.top.items():
        if entry.key.tag != "str" or project.catalogue.by_dest(key):
            continue
        inner = [name for name in entry.value.effective if name in missing] if entry.value.kind == "mapping" else []
        if not inner and (
            key in words or key in READ_IF_SET or key in _READ_BY_ROLLOUTS or key in set_by_relax(project)
        ):
            continue
        if inner:
            message = f"{inner[0]} is nested in {key}: args gets {key}, a dict, and no {inner[0]}"
        elif not key.isidentifier():
            spelled = re.sub(r"\W", "_", key)
            message = f"{key} cannot be read as an attribute of args: spell it {spelled}"
        else:
            message = f"no code of the recipe reads {key}, and no flag of Relax is called so"
        yield Finding(source.key_place(entry), message, severity=ADVICE, launch=launch, subject=key)


_READ_BY_ROLLOUTS = frozenset({"max_turns", "rollout_interaction_env_path"})
"""What the rollout that the guide has every multi-turn recipe copy reads."""


_BY_ANY_NAME = pattern(
    r"\bgetattr\(\s*[\w.]*args\s*,(?!\s*[\"'])|\bvars\(\s*[\w.]*args\s*\)(?!\[[\"'])|\bargs\.__dict__"
)
"""Code that reads attributes whose names it works out."""


def _words(named: NamedConfig, recipe: Recipe, project: Project) -> frozenset[str] | None:
    """All words in the code that may read a config: that of the recipes of both, and what it imports; ``None`` where it
    reads whatever there is."""
    from relax_lint.flow.interpreter import interpreter_of
    from relax_lint.sample_stores import sources_behind

    interpreter = interpreter_of(project)
    texts: list[str] = []
    for holder in {recipe.directory: recipe, **_of(project, named)}.values():
        texts += [other.text for source in holder.python for other in sources_behind(source.path, interpreter)]
        texts += [project.reach.text(script) for script in holder.launcher_paths]
    words: set[str] = set()
    for text in dict.fromkeys(texts):
        found = project.once(("words", text), partial(_words_in, text))
        if found is None:
            return None
        words |= found
    return frozenset(words)


def _words_in(text: str) -> frozenset[str] | None:
    return None if _BY_ANY_NAME.search(text) else frozenset(re.findall(r"[\w-]*\w", text))


def _of(project: Project, named: NamedConfig) -> dict[object, Recipe]:
    recipe = project.recipe_of(named.path)
    return {} if recipe is None else {recipe.directory: recipe}
