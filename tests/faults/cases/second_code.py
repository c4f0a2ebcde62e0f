"""Faults in code, of a second look: forms that a first reading of the contract does not suggest."""

from __future__ import annotations

from tests.faults.cases.places import (
    CONFIG,
    ENTRY,
    ENV,
    REWARD,
    ROLLOUT,
    RUN,
    answer,
    ending,
    flags,
    without,
)
from tests.faults.trees import Edit, Fault, append, swap, write

ASYNC = """'{"actor": [1, 4], "rollout": [1, 2], "reference": [1, 2], "advantages": [1, 0]}'"""
SCORED = "compute_score(sample.response, sample.label)"
MADE: list[Fault] = []


def fault(
    code: str,
    name: str,
    marks: str | tuple[str, ...],
    *edits: Edit,
    recipe: str = "text",
    severity: str = "error",
    path: str = REWARD,
    may: tuple[str, ...] = (),
    also: tuple[str, ...] = (),
) -> None:
    """Keep one more fault."""
    named = (marks,) if isinstance(marks, str) else marks
    MADE.append(Fault(f"again-{name}", recipe, code, path, named, edits, severity, also, may))


def top(line: str, path: str = REWARD) -> Edit:
    """An import beside the others."""
    return swap(path, "import re\n", f"import re\n{line}\n")


def before(*lines: str) -> Edit:
    """Lines at the top of the entry point's body."""
    return swap(REWARD, ENTRY, ENTRY + "".join(f"    {line}\n" for line in lines))


KEYED = ("RLX206", "RLX207", "RLX208")


def _rewards() -> None:
    fault(
        "RLX101",
        "f-string",
        "import_module(",
        append(
            REWARD,
            "\n\nimport importlib\n\nNAME = 'gsm8k'\n"
            "OLD = importlib.import_module(f'verl.utils.reward_score.{NAME}')\n",
        ),
    )
    fault(
        "RLX101",
        "name-bound-once",
        "import_module(",
        append(REWARD, "\n\nimport importlib\n\nNAME = 'verl.utils'\nOLD = importlib.import_module(NAME)\n"),
    )
    fault(
        "RLX202",
        "partial-alias",
        "def graded(",
        top("from functools import partial as bound"),
        ending(
            "def graded(args, sample, *, scale, **kwargs):\n    return {'score': scale}\n\n\n"
            "reward_func = bound(graded, scale=2.0)\n"
        ),
    )
    fault(
        "RLX202",
        "conditional",
        (
            "def reward_func(args, sample, **kwargs):\n        return {'score': 1.0}",
            "def reward_func(args, sample, **kwargs):\n        return {'score': 0.0}",
        ),
        ending(
            "import sys\n\nif sys.version_info >= (3, 10):\n"
            "    def reward_func(args, sample, **kwargs):\n        return {'score': 1.0}\nelse:\n"
            "    def reward_func(args, sample, **kwargs):\n        return {'score': 0.0}\n"
        ),
    )
    fault(
        "RLX202",
        "class-method",
        "def graded(",
        ending(
            "class Scorer:\n    @classmethod\n    def graded(cls, args, sample, **kwargs):\n"
            "        return {'score': 1.0}\n\n\nreward_func = Scorer.graded\n"
        ),
    )
    fault(
        "RLX203",
        "bound-method",
        "def graded(",
        ending(
            "class Scorer:\n    async def graded(self, sample):\n        return {'score': 1.0}\n\n"
            "\nreward_func = Scorer().graded\n"
        ),
    )
    fault(
        "RLX203",
        "decorated",
        "def inner(",
        top("import functools"),
        ending(
            "def kept(function):\n    @functools.wraps(function)\n    async def inner(sample):\n"
            "        return await function(None, sample)\n\n    return inner\n\n\n@kept\n"
            "async def reward_func(args, sample, **kwargs):\n    return {'score': 1.0}\n"
        ),
    )
    fault(
        "RLX205",
        "update-returns-none",
        "return scored.update(acc=1.0)",
        answer("scored = {'score': 1.0}\nreturn scored.update(acc=1.0)\n"),
        may=KEYED,
    )
    fault(
        "RLX205",
        "sort-returns-none",
        "return scores.sort()",
        answer("scores = [1.0, 0.0]\nreturn scores.sort()\n"),
        may=KEYED,
    )
    fault(
        "RLX205",
        "append-returns-none",
        "return scores.append(1.0)",
        answer("scores = []\nreturn scores.append(1.0)\n"),
        may=KEYED,
    )
    fault(
        "RLX205", "zip", "return list(zip(['score'], [1.0]))", answer("return list(zip(['score'], [1.0]))\n"), may=KEYED
    )
    fault("RLX205", "percent-format", "return '%.2f' % 1.0", answer("return '%.2f' % 1.0\n"), may=KEYED)
    fault("RLX205", "strip", "return sample.response.strip()", answer("return sample.response.strip()\n"), may=KEYED)
    fault(
        "RLX205",
        "try-else",
        "def reward_func(",
        answer(
            f"try:\n    scored = {SCORED}\nexcept ValueError:\n    return {{'score': 0.0}}\nelse:\n"
            f"    scored['acc'] = 1.0\n"
        ),
        may=KEYED,
    )
    fault(
        "RLX205",
        "nested-if",
        "def reward_func(",
        answer(
            f"if sample.response:\n    if sample.label:\n        return {SCORED}\nelse:\n    return {{'score': 0.0}}\n"
        ),
        may=KEYED,
    )
    fault(
        "RLX205",
        "while-break",
        "def reward_func(",
        answer("while True:\n    if sample.response:\n        break\n    return {'score': 0.0}\n"),
        may=KEYED,
    )
    fault(
        "RLX205",
        "dispatch-table",
        "def nothing(",
        swap(REWARD, "async def", "def nothing(sample):\n    print(sample)\n\n\nTABLE = {'a': nothing}\n\n\nasync def"),
        answer("return TABLE['a'](sample)\n"),
        may=KEYED,
    )
    fault(
        "RLX205",
        "lambda-helper",
        "graded = lambda sample: (1.0, sample)",
        swap(REWARD, "async def", "graded = lambda sample: (1.0, sample)\n\n\nasync def"),
        answer("return graded(sample)\n"),
        may=KEYED,
    )
    fault(
        "RLX205",
        "task",
        "return asyncio.create_task(graded())",
        top("import asyncio"),
        ending(
            "async def graded():\n    return 1.0\n\n\n"
            "async def reward_func(args, sample, **kwargs):\n"
            "    return asyncio.create_task(graded())\n"
        ),
        may=KEYED,
    )
    fault(
        "RLX205",
        "gathered-batch-of-pairs",
        ("async def graded", "asyncio.gather("),
        top("import asyncio"),
        flags("--group-rm"),
        ending(
            "async def graded(one):\n    if one.response:\n        return {'score': 1.0}\n\n\n"
            "async def reward_func(args, samples: list[Sample], **kwargs):\n"
            "    return await asyncio.gather(*(graded(one) for one in samples))\n"
        ),
        may=KEYED,
    )
    fault(
        "RLX205",
        "batch-of-strings",
        "return ['1.0' for one in samples]",
        flags("--group-rm"),
        ending(
            "async def reward_func(args, samples: list[Sample], **kwargs):\n    return ['1.0' for one in samples]\n"
        ),
        may=KEYED,
    )
    fault(
        "RLX205",
        "batch-mixed",
        "return scores",
        flags("--group-rm"),
        ending(
            "async def reward_func(args, samples: list[Sample], **kwargs):\n    scores = []\n"
            "    for one in samples:\n        if one.response:\n"
            "            scores.append({'score': 1.0})\n        else:\n"
            "            scores.append(0.0)\n    return scores\n"
        ),
        may=KEYED,
    )
    fault(
        "RLX206",
        "update",
        "--custom-rm-path examples.arith.reward_arith.reward_func",
        without("--reward-key score"),
        answer("scored = dict()\nscored.update(score=1.0, acc=0.0)\nreturn scored\n"),
        path=RUN,
    )
    fault(
        "RLX206",
        "comprehension",
        "--custom-rm-path examples.arith.reward_arith.reward_func",
        without("--reward-key score"),
        answer("return {name: 1.0 for name in ('score', 'acc')}\n"),
        path=RUN,
    )
    fault(
        "RLX207",
        "renamed-key",
        "--reward-key",
        answer("scored = {'score': 1.0}\nscored['reward'] = scored.pop('score')\nreturn scored\n"),
        path=RUN,
        may=("RLX208",),
    )
    fault(
        "RLX207",
        "deleted-key",
        "--reward-key",
        answer("scored = {'score': 1.0, 'acc': 1.0}\ndel scored['score']\nreturn scored\n"),
        path=RUN,
        may=("RLX208",),
    )
    fault(
        "RLX210",
        "walrus",
        "requests.get(",
        top("import requests"),
        before("if (page := requests.get('http://judge', timeout=5)).ok:", "    print(page.text)"),
        severity="warning",
        may=("RLX211",),
    )
    fault(
        "RLX210",
        "default-argument-function",
        "sleep(",
        top("import time"),
        before("def wait(pause=time.sleep):", "    pause(1)", "", "time.sleep(0.1)"),
        severity="warning",
    )
    fault(
        "RLX210",
        "decorated-helper",
        "time.sleep(",
        top("import functools\nimport time"),
        append(REWARD, "\n\n@functools.lru_cache\ndef slow(text):\n    time.sleep(1)\n    return text\n"),
        before("assert slow(sample.response)"),
        severity="warning",
    )
    fault(
        "RLX210",
        "other-module",
        "examples/arith/net.py|requests.get(",
        write(
            "examples/arith/net.py",
            "import requests\n\n\ndef page():\n    return requests.get('http://judge', timeout=5).text\n",
        ),
        top("\nfrom examples.arith.net import page"),
        before("assert page()"),
        severity="warning",
        path="examples/arith/net.py",
        may=("RLX211",),
    )
    fault(
        "RLX210", "os-system", "os.popen(", top("import os"), before("assert os.popen('bc').read()"), severity="warning"
    )
    fault(
        "RLX211",
        "http-session",
        "requests.Session()",
        top("import requests"),
        before("session = requests.Session()", "assert session"),
        severity="warning",
        may=("RLX210",),
    )
    fault(
        "RLX212",
        "loop-in-batch",
        "one.ground_truth",
        flags("--group-rm"),
        ending(
            "async def reward_func(args, samples: list[Sample], **kwargs):\n    scores = []\n"
            "    for at, one in enumerate(samples):\n"
            "        scores.append({'score': float(one.ground_truth == '1')})\n    return scores\n"
        ),
    )
    fault(
        "RLX212",
        "lambda",
        "item.truth",
        flags("--group-rm"),
        ending(
            "async def reward_func(args, samples: list[Sample], **kwargs):\n"
            "    return [{'score': float(len(text))} for text in map(lambda item: item.truth, samples)]\n"
        ),
    )
    fault("RLX213", "f-string", "args.judge_url", before("print(f'{args.judge_url}/v1')"))
    fault(
        "RLX213",
        "default-argument",
        "args.limit",
        before("def cut(text, limit=args.limit):", "    return text[:limit]", "", "assert cut(sample.response)"),
    )


def _environments() -> None:
    pack = '        return observation, self.turn >= self.max_turns, {"told": told}\n'
    fault(
        "RLX303",
        "ternary",
        "return (observation,",
        swap(ENV, pack, "        return (observation, True, {}) if self.turn else (observation, True)\n"),
        recipe="turns",
        path=ENV,
    )
    fault(
        "RLX303",
        "generator",
        "def step(",
        swap(ENV, pack, "        yield observation, False, {}\n"),
        swap(ENV, '            return {}, True, {"reason": "answered"}\n', "            return\n"),
        recipe="turns",
        path=ENV,
    )
    fault(
        "RLX303",
        "super-pair",
        "return packed",
        swap(ENV, pack, "        packed = observation, False\n        return packed\n"),
        recipe="turns",
        path=ENV,
    )
    fault(
        "RLX301",
        "second-base",
        "class DeskEnv",
        swap(
            ENV,
            "class DeskEnv(BaseInteractionEnv)",
            "class Named:\n    name = 'desk'\n\n\nclass DeskEnv(Named, BaseInteractionEnv)",
        ),
        swap(ENV, "    def reset(self):", "    def begin(self):"),
        recipe="turns",
        path=ENV,
    )
    fault(
        "RLX302",
        "property",
        "def reset",
        swap(ENV, "    def reset(self):", "    def reset(self, options, /):"),
        recipe="turns",
        path=ENV,
    )
    fault(
        "RLX304",
        "lambda",
        "build_env = ",
        swap(
            ENV,
            "def build_env(sample: Sample = None, args=None, **_) -> DeskEnv:\n"
            "    return DeskEnv(max_turns=args.max_turns if args else 5)\n",
            "build_env = lambda sample: DeskEnv(max_turns=5)\n",
        ),
        recipe="turns",
        path=ENV,
    )
    fault(
        "RLX304", "async", "def build_env(", swap(ENV, "def build_env", "async def build_env"), recipe="turns", path=ENV
    )
    fault(
        "RLX308",
        "index",
        "told = str(int(calls[-1]) + 1)",
        swap(ENV, "        told = self._add(calls[-1])\n", "        told = str(int(calls[-1]) + 1)\n"),
        recipe="turns",
        path=ENV,
        severity="warning",
    )
    fault(
        "RLX306",
        "returns-text",
        "return sample.response",
        swap(ROLLOUT, "    return sample\n", "    return sample.response\n"),
        recipe="turns",
        path=ROLLOUT,
    )
    fault(
        "RLX306",
        "keyword-only",
        "def generate(",
        swap(ROLLOUT, "args, sample: Sample, sampling_params) ->", "args, *, sample: Sample, sampling_params) ->"),
        recipe="turns",
        path=ROLLOUT,
    )
    fault(
        "RLX605",
        "anchor",
        "max_turns: *turns",
        write(CONFIG, "turns: &turns 0\nmax_turns: *turns\nrollout_interaction_env_path: examples.desk.env_desk\n"),
        recipe="turns",
        path=CONFIG,
        may=("RLX213",),
    )
    fault(
        "RLX603",
        "boolean-text",
        "use_tis",
        append(CONFIG, "use_tis: false\n"),
        recipe="turns",
        path=CONFIG,
        may=("RLX414",),
    )


_rewards()
_environments()
FAULTS = MADE
