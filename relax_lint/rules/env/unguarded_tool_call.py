"""An environment's `step` trusts the model to write what it can parse.

## What

In `step`, or in what it hands the response on to: `json.loads` and other parsers, `int()`, `float()`, `.group()` of a
search that may find nothing, a key of a parsed call, a table of tools asked for a name that the model chose, a piece of
a split text; with no `try` that catches what they raise, here or around the call that leads here, and no condition that
has looked. `.get()`, `in`, `if match:`, `isdigit()`, `len()` and `case` are guards, and so is a regular expression of
which a group can hold nothing but a number. What follows from one such place is not said again.

## Why

Nothing around `step` catches what it raises: one reply with a broken bracket, out of the thousands of a rollout, ends
the run.

## Source

Guide, step 2: Relax handles tool parsing in the environment's `step()`; `examples/deepeyes/env_deepeyes.py` answers a
bad call with an error that the model can read, and `rollout.py` lets exceptions through.

## Example

    call = json.loads(response_text)
    result = self.tools[call["name"]](**call["arguments"])

## Fix

None: what the model is to be told is the author's to say.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Finding, NotChecked
from relax_lint.environment_files import holds_wanted
from relax_lint.project import Project, Recipe
from relax_lint.rules import WARNING, Example, rule

if TYPE_CHECKING:
    from relax_lint.environments import Environments
    from relax_lint.replies import Risk

_ENV = "examples/demo/env_demo.py"
_HEAD = """\
import json
import re

from examples.demo.base_env import BaseInteractionEnv

CALL = re.compile(r"<call>(.*?)</call>", re.DOTALL)
COUNT = re.compile(r"count=(\\d+) rate=(-?\\d+(?:\\.\\d+)?)")
TOOLS = {"add": sum}


class Env(BaseInteractionEnv):
    def reset(self):
        return {}, {}

"""


def _step(body: str, after: str = "") -> Example:
    """An environment whose ``step`` has this body, from line 16 on."""
    end = '        return {"obs_str": "."}, True, {}\n'
    return Example({_ENV: f"{_HEAD}    def step(self, response_text):\n{body}{end}{after}"})


def _found(example: Example, *findings: tuple[int, int]) -> Example:
    return Example(example.files, findings=tuple((_ENV, *finding) for finding in findings))


VALID = [
    _step("""\
        try:
            call = json.loads(response_text)
        except json.JSONDecodeError:
            return {"obs_str": "Error: no JSON"}, False, {}
        tool = TOOLS.get(call.get("name"))
"""),
    _step("""\
        match = CALL.search(response_text)
        if match is None:
            return {"obs_str": "no call"}, True, {}
        name = match.group(1).strip()
        if name not in TOOLS:
            return {"obs_str": f"no tool {name}"}, False, {}
        result = TOOLS[name]([1, 2])
"""),
    _step(
        """\
        try:
            self._run(response_text)
        except Exception as problem:
            return {"obs_str": str(problem)}, False, {}
""",
        """\

    def _run(self, text):
        call = json.loads(CALL.search(text).group(1))
        return TOOLS[call["name"]](float(call["value"]))
""",
    ),
    _step("""\
        if match := COUNT.search(response_text):
            count, rate = int(match.group(1)), float(match.group(2))
"""),
    _step("""\
        value = response_text.strip()
        count = int(value) if value.isdigit() else 0
"""),
    _step("""\
        for match in CALL.finditer(response_text):
            self.calls.append(match.group(1))
        names = CALL.findall(response_text)
        last = names[-1] if names else None
"""),
    _step(
        """\
        call = self._parse(response_text)
        if not call:
            return {"obs_str": "no call"}, True, {}
        self.used.append(call["name"])
""",
        """\

    def _parse(self, text):
        try:
            payload = json.loads(text)
        except ValueError:
            return None
        return {"name": payload.get("name"), "arguments": payload.get("arguments") or {}}
""",
    ),
    _step("""\
        try:
            payload = json.loads(response_text)
        except ValueError as problem:
            return {"obs_str": f"Error: {problem}"}, False, {}
        if not isinstance(payload, dict) or "name" not in payload:
            return {"obs_str": "Error: no name"}, False, {}
        name = payload["name"]
        match name:
            case "add" | "mul":
                tool = TOOLS[name]
            case _:
                tool = None
"""),
    _step("""\
        parts = response_text.split("</think>")
        answer = parts[-1]
        if "<answer>" in answer:
            answer = answer.split("<answer>")[1].split("</answer>")[0]
"""),
    _step("""\
        limit = float(self.config["limit"])
        tool = TOOLS[self.default]
        settings = json.loads(self.settings)
        turns = int(self.args.max_turns)
"""),
    _step("""\
        import contextlib
        value = None
        with contextlib.suppress(ValueError, TypeError):
            value = float(response_text)
"""),
    _step(
        """\
        if not self._is_valid(response_text):
            return {"obs_str": "Error"}, False, {}
        call = json.loads(response_text)
""",
        """\

    def _is_valid(self, text):
        try:
            json.loads(text)
        except ValueError:
            return False
        return True
""",
    ),
    _step(
        """\
        class ToolError(Exception):
            pass
        try:
            call = self._call(response_text)
        except ToolError as problem:
            return {"obs_str": str(problem)}, False, {}
""",
        """\

    def _call(self, text):
        try:
            return json.loads(text)
        except json.JSONDecodeError as problem:
            raise ToolError("no JSON") from problem
""",
    ),
    Example(
        {
            "examples/demo/agent.py": "import json\n\n\nclass Agent:\n"
            "    def step(self, response_text):\n        return json.loads(response_text)\n"
        }
    ),
    Example(
        {
            _ENV: _HEAD + "    def step(self, text):\n        return json.loads(text), True, {}\n",
            "examples/demo/rollout.py": """\
async def generate(args, sample, sampling_params):
    env = build(args, sample)
    try:
        _, done, _ = env.step(sample.response)
    except Exception as problem:
        sample.metadata["error"] = str(problem)
    return sample
""",
        }
    ),
]

INVALID = [
    _found(_step("        call = json.loads(response_text)\n"), (16, 16)),
    _found(
        _step("""\
        match = CALL.search(response_text)
        if match:
            call = json.loads(match.group(1))
"""),
        (18, 20),
    ),
    _found(_step("        text = CALL.search(response_text).group(1)\n"), (16, 16)),
    _found(
        _step("""\
        match = re.search(r"<answer>(.*)</answer>", response_text)
        self.answers.append(match[1])
"""),
        (17, 29),
    ),
    _found(
        _step("""\
        try:
            call = json.loads(response_text)
        except json.JSONDecodeError:
            return {"obs_str": "Error"}, False, {}
        result = TOOLS[call.get("name")]([1])
"""),
        (20, 18),
    ),
    _found(
        _step("""\
        try:
            call = json.loads(response_text)
        except ValueError:
            return {"obs_str": "Error"}, False, {}
        name = call["name"]
"""),
        (20, 16),
    ),
    _found(
        _step("""\
        value = response_text.strip()
        if value:
            self.total += float(value)
"""),
        (18, 27),
    ),
    _found(
        _step(
            "        call = self._parse(response_text)\n",
            "\n    def _parse(self, text):\n        for part in CALL.findall(text):\n"
            "            return json.loads(part)\n",
        ),
        (21, 20),
    ),
    _found(
        _step(
            "        self.last = response_text\n        call = self._parse()\n",
            "\n    def _parse(self):\n        import ast\n        return ast.literal_eval(self.last)\n",
        ),
        (22, 16),
    ),
    _found(
        _step("""\
        name = response_text.split("(")[0]
        if name not in TOOLS:
            print("unknown", name)
        result = TOOLS[name]([1])
"""),
        (19, 18),
    ),
    _found(
        _step("""\
        try:
            call = json.loads(response_text)
        except KeyError:
            call = {}
"""),
        (17, 20),
    ),
    _found(
        _step("""\
        answer = response_text.split("<answer>")[1]
        kind, query = answer.split(":")
"""),
        (16, 18),
    ),
    _found(_step('        kind, query = response_text.split(":", 1)\n'), (16, 9)),
    _found(
        _step("""\
        count = int(re.findall(r"[\\d.]+", response_text)[-1])
"""),
        (16, 21),
    ),
    _found(
        _step("""\
        for number in re.findall(r"[\\d.]+", response_text):
            self.total += float(number)
"""),
        (17, 27),
    ),
    _found(
        _step("""\
        method = getattr(self, "tool_" + response_text.strip())
"""),
        (16, 18),
    ),
    _found(
        _step(
            "        result = self._call(response_text)\n",
            """\

    def _call(self, text):
        try:
            return json.loads(text)
        except json.JSONDecodeError:
            print("no JSON")
            raise
""",
        ),
        (21, 20),
    ),
    Example(
        {
            "examples/demo/parsing.py": "import yaml\n\n\ndef parse(text):\n    return yaml.safe_load(text)\n",
            _ENV: "from .parsing import parse\n"
            + _HEAD
            + "    async def step(self, response_text):\n        call = await asyncio.to_thread(parse, response_text)\n"
            "        return {'obs_str': '.'}, True, {}\n",
        },
        findings=(("examples/demo/parsing.py", 5, 12),),
    ),
]


@rule("RLX308", "unguarded-tool-call", WARNING, on="recipe", only_python=True, valid=VALID, invalid=INVALID)
def unguarded_tool_call(recipe: Recipe, project: Project) -> Iterator[Finding | NotChecked]:
    """Say it at what raises."""
    if not holds_wanted(recipe):
        return
    from relax_lint.environments import environments_of
    from relax_lint.rollouts import rollouts_of

    environments = environments_of(recipe, project)
    if not environments.concrete or all(rollout.catches for rollout in rollouts_of(recipe, project)):
        return
    yield from environments.once("unguarded", partial(_found_in, environments))


def _found_in(environments: Environments) -> Iterator[Finding | NotChecked]:
    from relax_lint.replies import unguarded

    for cls in environments.concrete:
        step, unseen = environments.method(cls, "step"), environments.unseen(cls, "step")
        if unseen is not None:
            yield unseen
        for risk in () if step is None else unguarded(environments.interpreter, cls, step):
            if environments.owns(risk.source):
                yield Finding(risk.source.place(risk.node), _message(risk), subject=cls.node.name)


def _message(risk: Risk) -> str:
    caught = " or ".join(sorted(risk.catch - {"LookupError", "ArithmeticError"}))
    return f"{risk.what} trusts the model's text: catch {caught}, or look first; one bad reply ends the run"
