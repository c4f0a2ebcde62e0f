"""The function that generates samples cannot be called, or gives no sample that can be trained on.

## What

What `--custom-generate-function-path`, or a dataset of `--eval-config`, names: it does not exist, is not async, cannot
be called as `(args, sample, sampling_params)`, or returns something that is no sample on some way: nothing, a tuple, a
dict; or an import of its module fails, as RLX201 tells those of rewards. Where no reward is registered: a way on which
the sample gets no `reward`. In training: no code that ever stores `rollout_log_probs`. A warning where the response
grows turn by turn by what others have written, and no code ever adds to `loss_mask`.

## Why

Relax awaits `generate(args, sample, sampling_params)` and looks at the status of what comes back: None ends the run.
Every trainer waits for the field `rollout_log_probs`, which Relax sends only when samples have it: without it the run
hangs before the first step. A `loss_mask` that is shorter than the response is filled with ones: the model is then
trained to write the tools' answers itself.

## Source

Guide: a multi-turn recipe copies `rollout.py` of deepeyes, whose `generate` keeps tokens, log-probabilities and mask
together. Relax's rollout calls the function, asks for a reward where the sample has none, and fills masks up.

## Example

    def generate(args, sample, sampling_params):
        sample.response = call_engine(sample.prompt)

## Fix

By hand: start from `examples/deepeyes/rollout.py`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Finding, NotChecked, Place
from relax_lint.generates import GenerateUse, generate_uses
from relax_lint.import_findings import failing_besides, modules_of
from relax_lint.module_paths import fault, is_file_form
from relax_lint.project import Project, Recipe
from relax_lint.rewards import exit_place, function_place, on_every, reward_uses
from relax_lint.rules import ERROR, WARNING, Example, rule
from relax_lint.supposed_launches import is_supposed, launches_of

if TYPE_CHECKING:
    from relax_lint.diagnostics import Severity
    from relax_lint.flow.shapes import Function
    from relax_lint.loss_masks import Growth
    from relax_lint.sources.python import PythonSource

LOG_PROBS = "rollout_log_probs"

_RUN = "examples/demo/run_demo.sh"
_ROLLOUT = "examples/demo/rollout.py"
_TRAIN = "python3 relax/entrypoints/train.py --custom-rm-path examples.demo.reward_demo.reward_func"
_FLAG = "--custom-generate-function-path examples.demo.rollout.generate"


def _tree(rollout: str, flags: str = "", **more: str) -> dict[str, str]:
    tree = {_RUN: f"{_TRAIN} {_FLAG} {flags}\n", _ROLLOUT: rollout}
    return {**tree, **{f"examples/demo/{name.replace('__', '.')}": text for name, text in more.items()}}


def _unscored(rollout: str) -> dict[str, str]:
    return {_RUN: f"python3 relax/entrypoints/train.py {_FLAG}\n", _ROLLOUT: rollout}


_HEAD = "async def generate(args, sample, sampling_params):\n"
_STORED = "    sample.rollout_log_probs = await play(args, sampling_params)\n"
_GOOD = _HEAD + _STORED + "    return sample\n"
_MULTI_TURN = """\
async def generate(args, sample, sampling_params):
    env = build_env(sample, args)
    sample.rollout_log_probs = []
    for turn in range(args.max_turns):
        tokens, log_probs, text = await call_engine(sample.tokens, sampling_params)
        add(sample, tokens, log_probs, 1)
        observation, done, _ = env.step(text)
        if done:
            break
        add(sample, encode(observation), None, 0)
    return sample


def add(sample, tokens, log_probs, trained):
    sample.tokens.extend(tokens)
    sample.response_length += len(tokens)
    sample.rollout_log_probs.extend(log_probs or [0.0] * len(tokens))
"""
_MASKED = _MULTI_TURN + "    sample.loss_mask = (sample.loss_mask or []) + [trained] * len(tokens)\n"

VALID: list[Example | str] = [
    Example(_tree(_GOOD)),
    Example(_tree(_MASKED)),
    Example(_tree(_GOOD.replace("sampling_params):", "sampling_params, evaluation=False):"))),
    Example(_tree(_GOOD.replace("sampling_params):", "sampling_params, *, evaluation):"))),
    Example(_tree(_GOOD.replace("(args, sample, sampling_params)", "(*rest)").replace("sample", "rest[1]"))),
    Example(
        _tree(
            _HEAD
            + _STORED
            + "    if not sample.response:\n        sample.status = 'failed'\n        return sample\n"
            + "    return [sample, sample]\n"
        )
    ),
    Example(
        _tree("""\
from functools import partial


async def _generate(turns, args, sample, sampling_params):
    sample.rollout_log_probs = await play(turns, args)
    return sample


generate = partial(_generate, 3)
""")
    ),
    Example(
        _tree("""\
class Agent:
    async def __call__(self, args, sample, sampling_params):
        try:
            setattr(sample, 'rollout_log_probs', await play(args))
        except TimeoutError:
            sample.remove_sample = True
            return sample
        else:
            return sample
        finally:
            print('done')


generate = Agent()
""")
    ),
    Example(
        _tree("""\
from relax.engine.rollout.sglang_rollout import generate as plain


async def generate(args, sample, sampling_params):
    sample = await plain(args, sample, sampling_params)
    sample.metadata['turns'] = 1
    return sample
""")
    ),
    Example(
        {
            **_tree("from examples.demo.turns import play as generate\n"),
            "examples/demo/turns.py": """\
async def play(args, sample, sampling_params):
    while True:
        reply = await ask(sample)
        if reply.finished:
            keep(sample, reply)
            return sample


def keep(sample, reply):
    sample.response = reply.text
    sample.rollout_log_probs = reply.log_probs
""",
        }
    ),
    Example(_tree(_GOOD.replace(_STORED, ""), "--debug-rollout-only")),
    Example(_tree("def generate(sample):\n    pass\n", "--loss-type sft")),
    Example(_tree("def generate(sample):\n    pass\n", '--use-agentic-rollout --agent-command "bash agent.sh"')),
    Example(_tree("def generate(sample):\n    pass\n", "--rollout-function-path examples.demo.own.rollout")),
    Example(
        _unscored(
            _HEAD
            + _STORED
            + "    if aborted:\n        sample.status = Sample.Status.ABORTED\n        return sample\n"
            + "    sample.reward = 1.0 if sample.response else 0.0\n    return sample\n"
        )
    ),
    Example(
        _unscored("""\
async def generate(args, sample, sampling_params):
    sample.rollout_log_probs = await play(args)
    return finish(sample)


def finish(sample, won=False):
    if won:
        sample.reward = 1.0
    else:
        sample.reward = 0.0
    return sample
""")
    ),
    Example(
        {
            **_tree(_GOOD, "--eval-config examples/demo/eval.yaml"),
            "examples/demo/eval.yaml": """\
eval:
  datasets:
    - name: aime
      path: data/aime.jsonl
      custom_generate_function_path: examples.demo.rollout.generate
    - {name: gsm8k, path: data/gsm8k.jsonl, custom_generate_function_path: null}
""",
        }
    ),
    Example(
        _tree(
            _HEAD
            + "    mask = []\n"
            + "    for turn in range(3):\n"
            + "        sample.tokens += await ask(sample, 'tool')\n"
            + "        mask += [1]\n"
            + "    sample.loss_mask, sample.rollout_log_probs = mask, log_probs\n"
            + "    return sample\n"
        )
    ),
    Example(
        _tree("""\
async def generate(args, sample, sampling_params):
    tokens, mask = [], []
    for turn in range(args.max_turns):
        reply = await call_engine(sample.tokens)
        tokens += reply.tokens
        observation = await run_tool(reply.text)
        tokens += observation
        loss_mask += [1] * len(reply.tokens) + [0] * len(observation)
        sample.rollout_log_probs += reply.log_probs + [0.0] * len(observation)
    sample.tokens = sample.tokens + tokens
    sample.loss_mask = loss_mask
    return sample
""")
    ),
    Example(
        _tree("""async def generate(args, sample, sampling_params):
    sample.rollout_log_probs = []
    while sample.response_length < args.rollout_max_response_len:
        reply = await call_engine(sample.tokens)
        sample.tokens += reply.tokens
        sample.response_length += len(reply.tokens)
        sample.rollout_log_probs += reply.log_probs
    return sample
""")
    ),
]

INVALID = [
    Example({_RUN: f"{_TRAIN} {_FLAG}\n"}, findings=((_RUN, 1, 123),)),
    Example(_tree(_GOOD.replace("generate", "rollout")), findings=((_RUN, 1, 123),)),
    Example(_tree(_GOOD.replace("async ", "").replace("await ", "")), findings=((_ROLLOUT, 1, 5),)),
    Example(_tree(_GOOD.replace("args, sample, ", "sample, ")), findings=((_ROLLOUT, 1, 11),)),
    Example(
        _tree(_GOOD.replace("(args, sample, sampling_params)", "(args, sample, sampling_params, tokenizer)")),
        findings=((_ROLLOUT, 1, 11),),
    ),
    Example(_tree(_GOOD.replace("    return sample\n", "")), findings=((_ROLLOUT, 1, 11),)),
    Example(
        _tree(_HEAD + _STORED + "    if not sample.response:\n        return\n    return sample\n"),
        findings=((_ROLLOUT, 4, 9),),
    ),
    Example(
        _tree(
            _HEAD + "    try:\n    " + _STORED + "        return sample\n    except OSError:\n        print('late')\n"
        ),
        findings=((_ROLLOUT, 1, 11),),
    ),
    Example(_tree(_GOOD.replace("return sample", "return sample, 1.0")), findings=((_ROLLOUT, 3, 5),)),
    Example(
        _tree(_HEAD + _STORED + "    return finish(sample)\n\n\ndef finish(sample):\n    sample.status = 'done'\n"),
        findings=((_ROLLOUT, 6, 5),),
    ),
    Example(
        _tree("""\
class Agent:
    def __call__(self, args, sample, sampling_params):
        sample.rollout_log_probs = [0.0]
        return sample


generate = Agent()
"""),
        findings=((_ROLLOUT, 2, 9),),
    ),
    Example(_tree(_GOOD.replace(_STORED, "    sample.response = await play(args)\n")), findings=((_ROLLOUT, 1, 11),)),
    Example(
        _tree(
            _MASKED.replace("    sample.rollout_log_probs = []\n", "").replace(
                "    sample.rollout_log_probs.ext", "    log.ext"
            )
        ),
        findings=((_ROLLOUT, 1, 11),),
    ),
    Example(_tree(_MULTI_TURN), findings=((_ROLLOUT, 15, 5, WARNING),)),
    Example(
        _tree("""\
async def generate(args, sample, sampling_params):
    sample.loss_mask = []
    response, log_probs = [], []
    while len(response) < args.rollout_max_response_len:
        reply = await call_engine(sample.tokens + response)
        response += reply.tokens
        log_probs += reply.log_probs
        result = await run_tool(reply.text)
        if result is None:
            break
        response += result
        log_probs += [0.0] * len(result)
    sample.tokens = sample.tokens + response
    sample.rollout_log_probs = log_probs
    return sample
"""),
        findings=((_ROLLOUT, 6, 9, WARNING),),
    ),
    Example(
        _tree("""\
async def generate(args, sample, sampling_params):
    env = make_env(sample)
    for turn in range(args.max_turns):
        reply = await call_engine(sample.tokens)
        sample.tokens += reply.tokens
        sample.loss_mask += [1] * len(reply.tokens)
        sample.rollout_log_probs += reply.log_probs
        observation, done, _ = env.step(reply.text)
        if not done:
            sample.tokens += observation
            sample.rollout_log_probs += [0.0] * len(observation)
    return sample
"""),
        findings=((_ROLLOUT, 10, 13, WARNING),),
    ),
    Example(
        _unscored(_HEAD + _STORED + "    if sample.label:\n        sample.reward = 1.0\n    return sample\n"),
        findings=((_ROLLOUT, 5, 5),),
    ),
    Example(
        _unscored(
            _HEAD
            + _STORED
            + "    if not sample.response:\n        return sample\n    score(sample)\n    return sample\n"
            "\n\ndef score(sample):\n    sample.reward = 1.0\n"
        ),
        findings=((_ROLLOUT, 4, 9),),
    ),
    Example(
        {
            **_tree(_GOOD, "--eval-config examples/demo/eval.yaml"),
            "examples/demo/eval.yaml": """\
datasets:
  aime:
    path: data/aime.jsonl
    custom_generate_function_path: examples.demo.rollout.evaluate
""",
        },
        findings=(("examples/demo/eval.yaml", 4, 36),),
    ),
    Example(
        {
            _RUN: f"{_TRAIN} --custom-config-path examples/demo/demo.yaml\n",
            "examples/demo/demo.yaml": "max_turns: 3\ncustom_generate_function_path: examples.demo.rollout.generate\n",
            _ROLLOUT: "def generate(args, sample, sampling_params):\n    return sample\n",
        },
        findings=((_ROLLOUT, 1, 5), (_ROLLOUT, 1, 5)),
    ),
]


@rule("RLX306", "generate", ERROR, on="recipe", valid=VALID, invalid=INVALID)
def generate(recipe: Recipe, project: Project) -> Iterator[Finding | NotChecked]:
    """Say it where it is named, or in the function itself."""
    seen: set[object] = set()
    launches = list(launches_of(recipe, project))
    uses = [use for launch in launches for use in generate_uses(launch, project)]
    uses = [use for use in uses if use.module is None or recipe.wants_of(use.module.path)]
    for use in uses:
        if not (is_supposed(use.launch) and use.status != "found"):
            yield from _judged(use, recipe, project, seen)

    def rewards() -> Iterable[PythonSource]:
        return modules_of((use for launch in launches for use in reward_uses(launch, project)), project)

    yield from failing_besides(modules_of(uses, project), recipe, project, rewards)


def _judged(use: GenerateUse, recipe: Recipe, project: Project, seen: set[object]) -> Iterator[Finding | NotChecked]:
    if use.unclear or (is_file_form(use.dotted) and not use.evaluates):
        if use.unclear:
            yield NotChecked(use.place, use.unclear)
        return
    problem = "takes a module path, not a file" if is_file_form(use.dotted) else fault(use.dotted, project, recipe)
    if problem is not None:
        yield Finding(use.place, f"{use.flag}: {problem}", launch=use.launch, subject=use.dotted)
        return
    if use.hidden is not None:
        yield NotChecked(use.place, use.hidden)
        return
    here = project.recipe_of(recipe.directory / "_")
    if not all(project.recipe_of(function.source.path) is here for function in use.functions):
        return  # it is looked at with its own recipe
    yield from _of_functions(use, seen)
    if not use.evaluates:
        yield from _without_reward(use, project)


def _of_functions(use: GenerateUse, seen: set[object]) -> Iterator[Finding]:
    """What is the same for every launch that names the same functions."""
    if (use.functions, "called") not in seen:
        seen.add((use.functions, "called"))
        yield from on_every(use, lambda function: _of_call(use, function))
        yield from on_every(use, lambda function: _of_results(use, function))
    if use.trains and (use.functions, "trained on") not in seen:
        seen.add((use.functions, "trained on"))
        yield from on_every(use, lambda function: _without_log_probs(use, function))
        yield from on_every(use, lambda function: _without_mask(use, function))


def _finding(use: GenerateUse, place: Place, message: str, severity: Severity | None = None) -> Finding:
    return Finding(use.shown(place), message, severity=severity, launch=use.launch, subject=use.name)


def _of_call(use: GenerateUse, function: Function) -> Iterator[Finding]:
    from relax_lint.generate_results import awaits_without_async

    place = function_place(function)
    if not use.can_be_called(function):
        names = [parameter.arg for parameter in (*function.node.args.posonlyargs, *function.node.args.args)]
        takes = ", ".join(names[len(function.bound) :])
        yield _finding(
            use, place, f"{use.name} cannot be called as (args, sample, sampling_params): it takes ({takes})"
        )
    if awaits_without_async(function.node) or use.is_sync:
        why = "has a yield" if isinstance(function.node, ast.AsyncFunctionDef) else "is not async"
        yield _finding(use, place, f"{use.name} {why}: Relax awaits what it returns")


def _of_results(use: GenerateUse, function: Function) -> Iterator[Finding]:
    from relax_lint.generate_results import without_sample

    ways = use.once(("without sample", use.name, function), lambda: list(without_sample(use, function)))
    for place, what in ways:
        yield _finding(use, place, f"{what}: Relax expects the sample, or a list of samples")


def _without_reward(use: GenerateUse, project: Project) -> Iterator[Finding | NotChecked]:
    from relax_lint.generate_results import is_no_sample
    from relax_lint.reward_sources import endings, is_unregistered, may_be_in_metadata, never_rewards, scores_groups

    if not is_unregistered(use.launch, project):
        return
    if scores_groups(use.launch, project) or may_be_in_metadata(use.launch, project):
        return
    rest = "and the launch registers neither --custom-rm-path nor --rm-type"
    ways = endings(use)
    if ways is None:
        if never_rewards(use):
            yield from on_every(
                use, lambda f: [_finding(use, function_place(f), f"{use.name} gives samples no reward, {rest}")]
            )
        else:
            yield NotChecked(use.place, use.dotted)
        return
    for ending in ways:
        if ending.gives == "none" and not is_no_sample(ending.way):
            place = exit_place(ending.way)
            yield _finding(use, place, f"the sample has no reward when it is returned here, {rest}")


def _without_log_probs(use: GenerateUse, function: Function) -> Iterator[Finding]:
    from relax_lint.reward_sources import may_be_stored

    if not may_be_stored(use, LOG_PROBS):
        message = (
            f"nothing in {use.name} ever stores {LOG_PROBS}, which every trainer of Relax waits for: the run hangs"
        )
        yield _finding(use, function_place(function), message)


def _without_mask(use: GenerateUse, function: Function) -> Iterator[Finding]:
    from relax_lint.loss_masks import unmasked_growth
    from relax_lint.sample_stores import files_behind

    def answer() -> Growth | None:
        behind = files_behind(function.source.path, use.interpreter)
        return unmasked_growth(function.node, function.source, behind, use.project)

    growth = use.once(("unmasked growth", function), answer)
    if growth is not None:
        message = (
            f"{growth.what} grows turn by turn and loss_mask does not: Relax fills it with ones, and trains on what "
            "the model did not write"
        )
        yield _finding(use, growth.source.place(growth.node), message, WARNING)
