"""RLX301 to RLX304, RLX308: environments."""

from __future__ import annotations

from tests.faults.cases.places import ENV, ROLLOUT, code
from tests.faults.trees import Edit, Fault, Maker, append, swap, write

RESET = '    def reset(self):\n        self.turn = 0\n        return {"obs_str": "", "role": "user"}, {}\n\n'
STEP_HEAD = "    def step(self, response_text: str):\n"
LAST = '        return observation, self.turn >= self.max_turns, {"told": told}\n'
OBSERVED = '        observation = {"obs_str": f"<tool_response>{told}</tool_response>", "role": "tool"}\n'
BUILD = (
    "def build_env(sample: Sample = None, args=None, **_) -> DeskEnv:\n"
    "    return DeskEnv(max_turns=args.max_turns if args else 5)\n"
)


def observed(text: str) -> Edit:
    """Another observation."""
    return swap(ENV, OBSERVED, "".join(f"        {line}\n" for line in text.splitlines()))


def built(text: str) -> Edit:
    """Another factory."""
    return swap(ENV, BUILD, code(text))


def stepped(text: str) -> Edit:
    """Another end of ``step``."""
    return swap(ENV, LAST, "".join(f"        {line}\n" for line in text.splitlines()))


def _incomplete() -> list[Fault]:
    made = Maker("RLX301", "turns", ENV)
    made("no-reset", "class DeskEnv", swap(ENV, RESET, ""))
    made(
        "no-step",
        "class DeskEnv",
        swap(ENV, STEP_HEAD, "    def steps(self, response_text: str):\n"),
        may=("RLX210", "RLX308"),
    )
    made("reset-misspelt", "class DeskEnv", swap(ENV, "    def reset(self):", "    def restart(self):"))
    made(
        "nested-in-method",
        "class DeskEnv",
        swap(
            ENV,
            "    def reset(self):\n        self.turn = 0\n",
            "    def start(self):\n        def reset():\n            self.turn = 0\n\n        reset()\n",
        ),
    )
    made(
        "through-local-base",
        ("class DeskEnv", "class Timed"),
        swap(
            ENV,
            "class DeskEnv(BaseInteractionEnv)",
            "class Timed(BaseInteractionEnv):\n    limit = 5\n\n\nclass DeskEnv(Timed)",
        ),
        swap(ENV, RESET, ""),
    )
    made(
        "through-base-in-other-file",
        ("class DeskEnv", "examples/desk/timed.py|class Timed"),
        write(
            "examples/desk/timed.py",
            "from examples.desk.base_env import BaseInteractionEnv\n\n\n"
            "class Timed(BaseInteractionEnv):\n    limit = 5\n",
        ),
        swap(ENV, "from examples.desk.base_env import BaseInteractionEnv", "from examples.desk.timed import Timed"),
        swap(ENV, "class DeskEnv(BaseInteractionEnv)", "class DeskEnv(Timed)"),
        swap(ENV, RESET, ""),
    )
    made(
        "alias",
        "class DeskEnv",
        swap(ENV, "import BaseInteractionEnv", "import BaseInteractionEnv as Base"),
        swap(ENV, "(BaseInteractionEnv)", "(Base)"),
        swap(ENV, RESET, ""),
    )
    made(
        "module-alias",
        "class DeskEnv",
        swap(
            ENV, "from examples.desk.base_env import BaseInteractionEnv", "from examples.desk import base_env as base"
        ),
        swap(ENV, "(BaseInteractionEnv)", "(base.BaseInteractionEnv)"),
        swap(ENV, RESET, ""),
    )
    made(
        "verl-names",
        "class DeskEnv",
        swap(ENV, "    def reset(self):", "    def create(self):"),
        swap(ENV, STEP_HEAD, "    def execute(self, response_text: str):\n"),
        may=("RLX308",),
    )
    made(
        "second-class",
        "class Other",
        append(
            ENV,
            "\n\nclass Other(BaseInteractionEnv):\n    def step(self, response_text):\n        return {}, True, {}\n",
        ),
    )
    return made.made


def _signature() -> list[Fault]:
    made = Maker("RLX302", "turns", ENV, may=("RLX303",))
    made("reset-needs-seed", "def reset", swap(ENV, "def reset(self):", "def reset(self, seed):"))
    made("reset-keyword-only", "def reset", swap(ENV, "def reset(self):", "def reset(self, *, sample):"))
    made("reset-of-verl", "def reset", swap(ENV, "def reset(self):", "def reset(self, instance_id, **kwargs):"))
    made("reset-async", "def reset", swap(ENV, "    def reset(self):", "    async def reset(self):"))
    made(
        "step-nothing",
        "def step",
        swap(ENV, "def step(self, response_text: str):", "def step(self):"),
        swap(ENV, "CALL.findall(response_text)", "CALL.findall(self.text)"),
    )
    made(
        "step-two",
        "def step",
        swap(ENV, "def step(self, response_text: str):", "def step(self, response_text: str, args):"),
    )
    made(
        "step-keyword-only",
        "def step",
        swap(ENV, "def step(self, response_text: str):", "def step(self, *, response_text: str):"),
    )
    made(
        "step-required-keyword",
        "def step",
        swap(ENV, "def step(self, response_text: str):", "def step(self, response_text: str, *, limit):"),
    )
    made(
        "step-static",
        "def step",
        swap(
            ENV, "    def step(self, response_text: str):", "    @staticmethod\n    def step(self, response_text: str):"
        ),
        may=("RLX302",),
    )
    made(
        "step-async-not-awaited",
        ("async def step", f"{ROLLOUT}|env.step("),
        swap(ENV, "    def step(self", "    async def step(self"),
        swap(ROLLOUT, "            if inspect.isawaitable(stepped):\n                stepped = await stepped\n", ""),
        swap(ROLLOUT, "import importlib\nimport inspect\n", "import importlib\n"),
    )
    made(
        "step-async-not-awaited-unpacked",
        ("async def step", f"{ROLLOUT}|env.step("),
        swap(ENV, "    def step(self", "    async def step(self"),
        swap(
            ROLLOUT,
            "            stepped = env.step(text)\n            if inspect.isawaitable(stepped):\n"
            "                stepped = await stepped\n"
            "            observation, done, _info = stepped\n",
            "            observation, done, _info = env.step(text)\n",
        ),
    )
    return made.made


def _returns() -> list[Fault]:
    made = Maker("RLX303", "turns", ENV)
    made(
        "two",
        "return observation, self.turn >= self.max_turns",
        stepped("return observation, self.turn >= self.max_turns"),
    )
    made(
        "four",
        "return observation, 0.0, self.turn >= self.max_turns, {}",
        stepped("return observation, 0.0, self.turn >= self.max_turns, {}"),
    )
    made("gym-five", "return observation, 0.0, False, False, {}", stepped("return observation, 0.0, False, False, {}"))
    made("dict-only", "return observation", stepped("return observation"))
    made("nothing", "def step(", stepped("self.last = observation"))
    made(
        "none-on-one-way",
        "return None",
        swap(ENV, '            return {}, True, {"reason": "answered"}\n', "            return None\n"),
    )
    made("falls-off-on-one-way", "def step(", stepped("if self.turn < 9:\n    return observation, False, {}"))
    made("built-tuple", "return result", stepped("result = (observation, False)\nreturn result"))
    made(
        "helper-pair",
        "return observation, False",
        stepped("return self._pack(observation)"),
        swap(
            ENV,
            "    def close(self):\n",
            "    def _pack(self, observation):\n        return observation, False\n\n    def close(self):\n",
        ),
    )
    made("list-of-two", "return [observation, False]", stepped("return [observation, False]"))
    made(
        "no-obs-str",
        'observation = {"text": told, "role": "tool"}',
        observed('observation = {"text": told, "role": "tool"}'),
        may=("RLX303",),
    )
    made(
        "obs-str-number",
        'observation = {"obs_str": len(told), "role": "tool"}',
        observed('observation = {"obs_str": len(told), "role": "tool"}'),
    )
    made(
        "obs-str-none",
        'observation = {"obs_str": None, "role": "tool"}',
        observed('observation = {"obs_str": None, "role": "tool"}'),
    )
    made("obs-text", 'return observation, self.turn >= self.max_turns, {"told": told}', observed("observation = told"))
    made(
        "obs-str-list",
        'observation = {"obs_str": [told], "role": "tool"}',
        observed('observation = {"obs_str": [told], "role": "tool"}'),
    )
    made(
        "image-not-in-a-list",
        'observation = {"obs_str":',
        observed('observation = {"obs_str": told, "role": "tool", "multi_modal_data": {"image": None}}'),
    )
    made(
        "image-number",
        'observation["multi_modal_data"] = {"image": 5}',
        observed('observation = {"obs_str": told, "role": "tool"}\nobservation["multi_modal_data"] = {"image": 5}'),
    )
    soft = Maker("RLX303", "turns", ENV, "warning")
    soft(
        "reset-one",
        'return {"obs_str": "", "role": "user"}',
        swap(
            ENV,
            '        return {"obs_str": "", "role": "user"}, {}\n',
            '        return {"obs_str": "", "role": "user"}\n',
        ),
    )
    soft(
        "reset-three",
        'return {"obs_str": "", "role": "user"}, False, {}',
        swap(
            ENV,
            '        return {"obs_str": "", "role": "user"}, {}\n',
            '        return {"obs_str": "", "role": "user"}, False, {}\n',
        ),
    )
    soft("reset-nothing", "def reset(", swap(ENV, '        return {"obs_str": "", "role": "user"}, {}\n', ""))
    soft(
        "unknown-key",
        'observation = {"obs_str": told, "role": "tool", "reward": 1.0}',
        observed('observation = {"obs_str": told, "role": "tool", "reward": 1.0}'),
    )
    soft(
        "unknown-key-later",
        'observation["images"] = []',
        observed('observation = {"obs_str": told, "role": "tool"}\nobservation["images"] = []'),
    )
    soft(
        "role-function",
        'observation = {"obs_str": told, "role": "function"}',
        observed('observation = {"obs_str": told, "role": "function"}'),
    )
    soft(
        "role-environment-dict-call",
        'observation = dict(obs_str=told, role="environment")',
        observed('observation = dict(obs_str=told, role="environment")'),
    )
    soft(
        "role-capital",
        'observation = {"obs_str": told, "role": role}',
        observed('role = "Tool"\nobservation = {"obs_str": told, "role": role}'),
    )
    return [*made.made, *soft.made]


def _build() -> list[Fault]:
    made = Maker("RLX304", "turns", ENV)
    made("missing", "class DeskEnv", built(""))
    made("renamed", "class DeskEnv", swap(ENV, "def build_env", "def make_env"))
    made("no-parameters", "def build_env", built("def build_env():\n    return DeskEnv(max_turns=5)\n"))
    made("one-parameter", "def build_env", built("def build_env(sample):\n    return DeskEnv(max_turns=5)\n"))
    made(
        "three-required",
        "def build_env",
        built("def build_env(sample, args, tools):\n    return DeskEnv(max_turns=5)\n"),
    )
    made(
        "required-keyword",
        "def build_env",
        built("def build_env(sample=None, args=None, *, turns):\n    return DeskEnv(max_turns=turns)\n"),
    )
    made(
        "method-only",
        "class DeskEnv",
        built(
            "class Factory:\n    def build_env(self, sample=None, args=None, **_):\n"
            "        return DeskEnv(max_turns=5)\n"
        ),
    )
    made(
        "nested-only",
        "class DeskEnv",
        built(
            "def factory():\n    def build_env(sample=None, args=None, **_):\n"
            "        return DeskEnv(max_turns=5)\n\n    return build_env\n"
        ),
    )
    soft = Maker("RLX304", "turns", ENV, "warning")
    soft(
        "no-kwargs", "def build_env", built("def build_env(sample=None, args=None):\n    return DeskEnv(max_turns=5)\n")
    )
    soft(
        "other-names",
        "def build_env",
        built("def build_env(item, config):\n    return DeskEnv(max_turns=config.max_turns)\n"),
    )
    soft(
        "no-defaults",
        "def build_env",
        built("def build_env(sample, args, **_):\n    return DeskEnv(max_turns=args.max_turns)\n"),
    )
    return [*made.made, *soft.made]


def _guards() -> list[Fault]:
    made = Maker("RLX308", "turns", ENV, "warning")
    guarded = (
        "        try:\n            call = json.loads(text)\n"
        '            return str(sum(float(part) for part in call["arguments"]["numbers"]))\n'
        "        except (ValueError, KeyError, TypeError):\n"
        '            return "this is no call that the calculator knows"\n'
    )

    def called(name: str, mark: str, text: str) -> None:
        made(name, mark, swap(ENV, guarded, "".join(f"        {line}\n" for line in text.splitlines())))

    called("json", "json.loads(text)", "call = json.loads(text)\nreturn str(call)")
    called("float", "float(text)", "return str(float(text) + 1)")
    called("int", "int(text", "return str(int(text.strip()))")
    called(
        "tools-dict",
        "tools[text.strip()]",
        "tools = {'add': sum, 'most': max}\nreturn str(tools[text.strip()]([1, 2]))",
    )
    called(
        "json-key",
        "call['arguments']",
        "try:\n    call = json.loads(text)\nexcept ValueError:\n    return 'no json'\nreturn str(call['arguments'])",
    )
    called(
        "wrong-except", "json.loads(text)", "try:\n    return str(json.loads(text))\nexcept OSError:\n    return 'none'"
    )
    called("only-finally", "json.loads(text)", "try:\n    return str(json.loads(text))\nfinally:\n    self.turn += 0")
    made(
        "in-step",
        "json.loads(calls[-1])",
        swap(
            ENV,
            "        told = self._add(calls[-1])\n",
            "        call = json.loads(calls[-1])\n        told = self._add(json.dumps(call))\n",
        ),
    )
    made(
        "in-module-helper",
        "    return json.loads(text)",
        swap(ENV, "class DeskEnv", "def parsed(text):\n    return json.loads(text)\n\n\nclass DeskEnv"),
        swap(ENV, "        told = self._add(calls[-1])\n", "        told = str(parsed(calls[-1]))\n"),
    )
    made(
        "group",
        ".group(1)",
        swap(
            ENV,
            "        calls = CALL.findall(response_text)\n",
            "        calls = [CALL.search(response_text).group(1)]\n",
        ),
    )
    made(
        "literal-eval",
        "literal_eval(",
        swap(ENV, "import json\n", "import ast\nimport json\n"),
        swap(ENV, "        told = self._add(calls[-1])\n", "        told = str(ast.literal_eval(calls[-1]))\n"),
    )
    return made.made


FAULTS = [*_incomplete(), *_signature(), *_returns(), *_build(), *_guards()]
