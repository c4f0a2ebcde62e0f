"""What an environment's `step` or `reset` returns is not what the rollout takes.

## What

A `step` of which some way returns no `(observation, done, info)`: nothing, another number of values, a dict; an
observation, where the episode goes on, that is no dict with a text under `obs_str`, or whose `multi_modal_data` holds
what cannot be gone through, such as an image that is not in a list. Warnings: a `reset` that returns no
`(observation, info)`; keys of the observation that nobody looks at; a role other than user, assistant, tool and system.

Calls within the recipe are followed, with what they are called with; so are branches, early returns, exceptions, dicts
built key by key, `**`, `update`, named tuples, `super()`. What is not known is left alone, and so is everything that
the recipe's own rollout or `format_observation` takes in another way.

## Why

The rollout takes the result of `step` apart into three, unless done asks `format_observation` for a message, and goes
through each medium's list. What is not of that shape ends the run with the first response that comes this way. A text
under another key is not shown to the model, which then answers an empty turn; a role that is not known becomes user
without a word.

## Source

Guide, step 2: return `(obs_dict, done, info)`, with `{"obs_str": text, "role": "user", "multi_modal_data": {...}}`;
`examples/deepeyes/base_env.py`, `format_observation`.

## Example

    def step(self, response_text):
        return {"text": self.run(response_text)}, 0.0, False, {}

## Fix

None: only the author knows what the environment is to say.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Finding, NotChecked
from relax_lint.environment_files import holds_wanted
from relax_lint.project import Project, Recipe
from relax_lint.rules import ERROR, WARNING, Example, rule

if TYPE_CHECKING:
    from relax_lint.environments import Environments
    from relax_lint.flow.shapes import Class, Exit, Function, Misfit
    from relax_lint.observations import Fault
    from relax_lint.rollouts import Rollout

_ENV = "examples/demo/env_demo.py"
_HEAD = """\
from examples.demo.base_env import BaseInteractionEnv


class Env(BaseInteractionEnv):
"""
_RESET = """\
    def reset(self):
        return {}, {}

"""


def _step(body: str, *, head: str = "", after: str = "") -> Example:
    """An environment whose ``step`` has this body, from line 9 on."""
    return Example({_ENV: f"{head}{_HEAD}{_RESET}    def step(self, response_text):\n{body}{after}"})


def _found(example: Example, *findings: tuple[object, ...]) -> Example:
    return Example(example.files, findings=tuple((_ENV, *finding) for finding in findings))


VALID = [
    _step('        return {"obs_str": response_text, "role": "user"}, False, {}\n'),
    _step(
        "        if not response_text:\n            return {}, True, {}\n        return None, True, {'why': 'end'}\n"
    ),
    _step("""\
        observation = {"role": "tool"}
        if response_text:
            observation["obs_str"] = "ok"
        else:
            observation.update(obs_str="empty")
        done = self.turn >= self.max_turns
        return observation, done, {}
"""),
    _step("""\
        done = self.is_final(response_text)
        if done:
            return "finished", done, {}
        return {"obs_str": "go on"}, done, {}
"""),
    _step(
        """\
        try:
            result = self.run(response_text)
        except ValueError as problem:
            return self._say(f"Error: {problem}")
        return self._say(result, images=[result])
""",
        after="""\

    def _say(self, text, images=None):
        observation = {"obs_str": str(text), "role": "tool"}
        if images is not None:
            observation["multi_modal_data"] = {"image": images}
        return observation, False, {}
""",
    ),
    _step(
        """\
        return Turn({"obs_str": "."}, done=True)
""",
        head="""\
from typing import NamedTuple


class Turn(NamedTuple):
    observation: dict
    done: bool = False
    info: dict = {}


""",
    ),
    _step(
        "        raise NotImplementedError\n",
        after="""\


class Zoom(Env):
    def step(self, response_text):
        return {"obs_str": "."}, False, {}
""",
    ),
    Example(
        {
            _ENV: _HEAD
            + """\
    def reset(self):
        raise NotImplementedError

    async def step(self, response_text):
        return await self._search(response_text)

    async def _search(self, query):
        return {"obs_str": query, "multi_modal_data": {}}, False, dict(query=query)
"""
        }
    ),
    Example(
        {
            _ENV: _HEAD
            + _RESET
            + """\
    def step(self, response_text):
        return {"text": response_text, "role": "environment"}, False, {}

    def format_observation(self, observation):
        return {"role": "user", "content": observation["text"]}
"""
        }
    ),
    Example(
        {
            _ENV: _HEAD
            + """\
    def reset(self):
        return {"prompt": 1}

    def step(self, response_text):
        return {"prompt": response_text}, 0.5, False, {}
""",
            "examples/demo/rollout.py": """\
async def generate(args, sample, sampling_params):
    env = build(args, sample)
    observation = env.reset()
    observation, reward, done, info = env.step(sample.response)
    return sample
""",
            "examples/demo/run_demo.sh": "python3 relax/entrypoints/train.py "
            "--custom-generate-function-path examples.demo.rollout.generate\n",
        }
    ),
    _step("""\
        match self.parse(response_text):
            case ("answer", text):
                return {"obs_str": text}, True, {}
            case ("call", text):
                observation, info = self.call(text)
                return observation, False, info
        return {"obs_str": "no call", "role": "user"}, False, {}
"""),
    _step("""\
        crop = self.image.crop(self.box(response_text))
        return {"obs_str": "<image>", "multi_modal_data": {"image": [crop]}}, False, {}
"""),
    _step(
        """\
        return {"obs_str": self._words(self.score(response_text))}, False, {}
""",
        after="""\

    def _words(self, score):
        if score == 1.0:
            return "right"
        elif score == 0.0:
            return "wrong"
""",
    ),
    _step("        return [{'obs_str': '.'}, False, {}]\n"),
    _step("        return tuple(self.tools.run(response_text))\n"),
    Example({"examples/demo/agent.py": "class AgentEnv:\n    def step(self, action):\n        return action, 1.0\n"}),
]

INVALID = [
    _found(_step('        return {"obs_str": response_text}, False\n'), (9, 9)),
    _found(_step('        return {"obs_str": response_text}, 0.0, False, {}\n'), (9, 9)),
    _found(_step('        return {"obs_str": response_text}\n'), (9, 9)),
    _found(_step("        self.turn += 1\n"), (8, 9)),
    _found(
        _step("""\
        if "<answer>" in response_text:
            return
        return {"obs_str": "go on"}, False, {}
"""),
        (10, 13),
    ),
    _found(
        _step(
            "        observation, done, info = self._run(response_text)\n        return observation, done, info\n",
            after="\n    def _run(self, text):\n        if not text:\n            return {'obs_str': 'empty'}, True\n"
            "        return {'obs_str': text}, False, {}\n",
        ),
        (14, 13),
    ),
    _found(
        _step(
            "        return self._show(response_text, self.image)\n",
            after="\n    def _show(self, text, image=None):\n"
            "        return {'obs_str': text, 'multi_modal_data': {'image': image}}, False, {}\n\n"
            "    def _cut(self, box):\n        self.image = self.image.crop(box)\n",
        ),
        (12, 55),
    ),
    _found(
        _step(
            "        if not response_text:\n            return self._done('empty')\n"
            "        return {'obs_str': '.'}, False, {}\n",
            after="\n    def _done(self, why):\n        return {'obs_str': why}, True\n",
        ),
        (14, 9),
    ),
    _found(_step('        yield {"obs_str": response_text}, False, {}\n'), (8, 9)),
    _found(_step('        return {"obs_str": "."}, {"turn": 1}, False\n'), (9, 9)),
    _found(_step("        return response_text, False, {}\n"), (9, 9)),
    _found(_step('        return {"text": response_text, "role": "user"}, False, {}\n'), (9, 17)),
    _found(
        _step("""\
        observation = {"role": "tool"}
        if self.verbose:
            observation["obs_str"] = "ok"
        return observation, self.turn > 3, {}
"""),
        (9, 23),
    ),
    _found(_step("        return {}, False, {'turn': self.turn}\n"), (9, 16)),
    _found(_step('        return {"obs_str": len(response_text)}, False, {}\n'), (9, 17)),
    _found(
        _step(
            '        return {"obs_str": self._run(response_text)}, False, {}\n',
            after="\n    def _run(self, text):\n        if text:\n            return text\n        return None\n",
        ),
        (9, 17),
    ),
    _found(
        _step(
            '        image = Image.open(response_text)\n        observation = {"obs_str": "<image>"}\n'
            '        observation["multi_modal_data"] = {"image": image}\n        return observation, False, {}\n',
            head="from PIL import Image\n",
        ),
        (12, 44),
    ),
    _found(
        _step("""\
        self.image = self.image.crop((0, 0, 9, 9))
        media = {"image": self.image}
        return dict(obs_str="<image>", multi_modal_data=media), False, {}
"""),
        (10, 18),
    ),
    _found(_step('        return {"obs_str": ".", "multi_modal_data": [self.frame]}, False, {}\n'), (9, 33)),
    _found(
        _step('        return {"obs_str": ".", "images": [self.frame]}, False, {}\n'),
        (9, 33, WARNING),
    ),
    _found(
        _step("""\
        observation = {"obs_str": ".", **{"role": "environment"}}
        return observation, False, {}
"""),
        (9, 43, WARNING),
    ),
    _found(
        _step('        return {"multi_modal_data": {"image": [self.frame]}, "role": "tool"}, False, {}\n'),
        (9, 16, WARNING),
    ),
    Example(
        {
            _ENV: _HEAD
            + "    def reset(self):\n        self.turn = 0\n\n    def step(self, text):\n        return {}, True, {}\n"
        },
        findings=((_ENV, 5, 9, WARNING),),
    ),
    Example(
        {
            _ENV: _HEAD + '    def reset(self):\n        return {"obs_str": "Begin"}\n\n'
            "    def step(self, text):\n        return {}, True, {}\n"
        },
        findings=((_ENV, 6, 9, WARNING),),
    ),
    _found(
        _step(
            "        return Turn(response_text, 0.0, True, {})\n",
            head='from collections import namedtuple\n\nTurn = namedtuple("Turn", "text reward done info")\n\n',
        ),
        (13, 9),
    ),
    _found(
        _step(
            "        return Turn(response_text)\n",
            head="from dataclasses import dataclass\n\n\n@dataclass\nclass Turn:\n    text: str\n\n\n",
        ),
        (17, 9),
    ),
    Example(
        {
            _ENV: """\
from examples.demo.base_env import BaseInteractionEnv


class Tools(BaseInteractionEnv):
    def reset(self):
        return {}, {}

    def step(self, response_text):
        return {"obs_str": "."}, True


class Env(Tools):
    def step(self, response_text):
        self.turn += 1
        return super().step(response_text)
"""
        },
        findings=((_ENV, 9, 9),),
    ),
]


@rule("RLX303", "env-return", ERROR, on="recipe", only_python=True, valid=VALID, invalid=INVALID)
def env_return(recipe: Recipe, project: Project) -> Iterator[Finding | NotChecked]:
    """Say it at the key, the dict or the ``return`` that is wrong."""
    if not holds_wanted(recipe):
        return
    from relax_lint.environments import environments_of
    from relax_lint.rollouts import rollouts_of

    environments = environments_of(recipe, project)
    for rollout in rollouts_of(recipe, project) if environments.concrete else ():
        yield from environments.once(("return", rollout), partial(_found_by, environments, rollout))


def _found_by(environments: Environments, rollout: Rollout) -> Iterator[Finding | NotChecked]:
    judged: set[Function] = set()
    said: dict[ast.ClassDef, set[str]] = {}
    for cls in environments.with_bases_first():
        unseen = environments.unseen(cls, "step", "reset")
        if unseen is not None:
            yield unseen
        known = {message for node in environments.bases_of(cls) for message in said.get(node, ())}
        for name in ("step", "reset"):
            method = environments.method(cls, name)
            if method is None or method in judged:
                continue
            judged.add(method)
            for outcome in _judged(environments, cls, method, name, rollout):
                if isinstance(outcome, Finding):
                    said.setdefault(cls.node, set()).add(outcome.message)
                    if outcome.message in known:
                        continue  # what super().step() gives is said where that is written
                yield outcome


def _judged(
    environments: Environments, cls: Class, method: Function, name: str, rollout: Rollout
) -> Iterator[Finding | NotChecked]:
    from relax_lint.observations import Judge, Reading

    reading = environments.reading(cls) if rollout.formats else None
    if reading is not None and rollout.keys:
        reading = Reading(reading.keys | rollout.keys, reading.roles)
    judge = Judge(environments.interpreter, rollout.step.parts, reading)
    if name == "reset" and rollout.reset.taken and 2 not in rollout.reset.parts:
        return
    uses = rollout.step if name == "step" else rollout.reset
    ways = environments.ways_out(method, uses.arguments[0], awaits=uses.awaits)
    if ways is None:
        yield NotChecked(environments.place_of(method), name)
        return
    for way in ways:
        for fault in judge.step(way) if name == "step" else judge.reset(way):
            yield _finding(environments, way, fault, name)
    for misfit in environments.misfits(cls) if name == "step" else ():
        yield _misfit(environments, misfit)


def _misfit(environments: Environments, misfit: Misfit) -> Finding:
    from relax_lint.rewards import exit_place

    given, at, names = misfit.shape.origin, misfit.at, len(getattr(misfit.at.node, "elts", ()))
    inside = given is not None and environments.owns(given.source)
    place = exit_place(given) if given is not None and inside else at.source.place(at.node)
    of = "this" if given is None else getattr(given.function, "name", "a function")
    values = "1 value" if misfit.count == 1 else f"{misfit.count} values"
    return Finding(place, f"{of} gives {values}, where {names} are taken", subject="step")


def _finding(environments: Environments, way: Exit, fault: Fault, name: str) -> Finding:
    from relax_lint.rewards import exit_place

    at = fault.at
    place = at.source.place(at.node) if at is not None and environments.owns(at.source) else exit_place(way)
    return Finding(place, fault.message, severity=ERROR if fault.error else WARNING, subject=name)
