"""A call waits on the event loop that all samples share.

## What

A call that keeps its thread waiting and runs on the event loop when Relax calls the reward, the generate function or
the environment: `requests`, `urllib`, httpx without its async client, `openai.OpenAI`, `time.sleep`, `subprocess`,
sockets, `result()` of what a pool was given. It is followed through the recipe: helpers, methods, clients that a module
or an object keeps, aliases, `functools.partial`. What runs in a thread, a process or on an event loop of its own may
wait as long as it likes: `asyncio.to_thread`, `run_in_executor`, executors, `threading.Thread`.

`asyncio.run` and `run_until_complete` there are errors.

## Why

Relax scores the samples of a rollout as coroutines of one event loop. While one of them waits in a blocking call, no
other one is generated, scored or answered: a judge that takes two seconds turns a batch of 512 into seventeen minutes.
An event loop cannot be run inside another one: `asyncio.run` raises RuntimeError with the first sample, and `step` of
an environment is called from a running loop, too.

## Source

Guide: reward functions are async, with `httpx.AsyncClient` or `openai.AsyncOpenAI` for a judge. Relax: rewards and
generate functions are awaited, `step` is called from `generate`.

## Example

    async def reward_func(args, sample, **kwargs):
        return requests.post(JUDGE, json={"text": sample.response}).json()["score"]

## Fix

`time.sleep` in a coroutine becomes `await asyncio.sleep`. Other calls directly in a coroutine are moved into a thread,
and coroutines that were run are awaited, which is not safe: other samples run meanwhile.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.catalog.blocking import MENTIONS
from relax_lint.diagnostics import Finding, Related
from relax_lint.rules import ERROR, WARNING, Example, rule

if TYPE_CHECKING:
    from relax_lint.blocking_uses import BlockingCall
    from relax_lint.calls.entries import Entry
    from relax_lint.project import Project, Recipe

_REWARD = "examples/demo/reward_demo.py"
_RUN = {
    "examples/demo/run_demo.sh": (
        "python3 relax/entrypoints/train.py --custom-rm-path examples.demo.reward_demo.reward_func\n"
    )
}
_ROLLOUT = "examples/demo/rollout.py"
_ENV = "examples/demo/env_demo.py"
_ENVIRONMENT = {
    "examples/demo/run_demo.sh": (
        "python3 relax/entrypoints/train.py --rm-type math --custom-config-path examples/demo/config.yaml"
        " --custom-generate-function-path examples.demo.rollout.generate\n"
    ),
    "examples/demo/config.yaml": "max_turns: 3\nrollout_interaction_env_path: examples.demo.env_demo\n",
    _ROLLOUT: "async def generate(args, sample, sampling_params):\n    return sample\n",
}


def _reward(text: str, *found: tuple[object, ...], fixed: str | None = None, unsafe: bool = False) -> Example:
    """A reward, the launch that names it, and where in the reward something is found."""
    mended = None if fixed is None else {_REWARD: fixed}
    return Example({**_RUN, _REWARD: text}, tuple((_REWARD, *place) for place in found), mended, unsafe)


VALID: list[str | Example] = [
    _reward("""\
import httpx

CLIENT = httpx.AsyncClient(timeout=60)


async def reward_func(args, sample, **kwargs):
    answer = await CLIENT.post(args.judge_url, json={"text": sample.response})
    return {"score": float(answer.json()["score"])}
"""),
    _reward("""\
import asyncio

import requests


def judge(text):
    return requests.post("http://judge", json={"text": text}, timeout=9).json()["score"]


async def reward_func(args, sample, **kwargs):
    return await asyncio.to_thread(judge, sample.response)
"""),
    _reward("""\
import asyncio
from functools import partial

from openai import OpenAI

CLIENT = OpenAI(timeout=60)


async def reward_func(args, sample, **kwargs):
    ask = partial(CLIENT.responses.create, model="judge", input=sample.response)
    return float(bool(await asyncio.get_running_loop().run_in_executor(None, ask)))
"""),
    _reward("""\
import asyncio
import threading
import time

LOOP = asyncio.new_event_loop()
threading.Thread(target=LOOP.run_forever, daemon=True).start()


async def slow(text):
    time.sleep(1)
    return len(text)


async def reward_func(args, sample, **kwargs):
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(slow(sample.response), LOOP))
"""),
    _reward("""\
import requests

if __name__ == "__main__":
    print(requests.get("http://judge/health", timeout=1))


async def reward_func(args, sample, **kwargs):
    return float(sample.response == sample.label)
"""),
    _reward("""\
import time

STARTED = time.time()


async def reward_func(args, sample, **kwargs):
    retry = {"wait": time.sleep, "seconds": time.time() - STARTED}
    return float(retry["seconds"] > 1)
"""),
    _reward("""\
import asyncio


def run(coroutine):
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    return coroutine


async def reward_func(args, sample, **kwargs):
    return await run(asyncio.sleep(0, 1.0))
"""),
    _reward("""\
class Judge:
    requests = []

    async def post(self, text):
        self.requests.append(text)
        return float(len(text))


async def reward_func(args, sample, **kwargs):
    return await Judge().post(sample.response)
"""),
    _reward("""\
import subprocess


async def reward_func(args, sample, **kwargs):
    subprocess.Popen(["touch", "scored"])
    return 0.0
"""),
    Example(
        {
            **_RUN,
            _REWARD: "async def reward_func(args, sample, **kwargs):\n    return 0.0\n",
            "examples/demo/prepare.py": "import time\n\n\ndef main():\n    time.sleep(1)\n",
        }
    ),
    _reward("""\
import multiprocessing
import time


async def reward_func(args, sample, **kwargs):
    multiprocessing.Process(target=time.sleep, args=(2,)).start()
    return 0.0
"""),
    _reward("""\
import asyncio

import requests


async def reward_func(args, sample, **kwargs):
    return await asyncio.to_thread(lambda: requests.post(args.judge_url, timeout=3).json()["score"])
"""),
    _reward("""\
import asyncio
import inspect
import time


def slow(text):
    return time.sleep(1)

async def judge(ask, text):
    if inspect.iscoroutinefunction(ask):
        return await ask(text)
    return await asyncio.to_thread(ask, text)


async def reward_func(args, sample, **kwargs):
    return await judge(slow, sample.response)
"""),
]

INVALID = [
    _reward(
        """\
import requests


async def reward_func(args, sample, **kwargs):
    answer = requests.post(args.judge_url, json={"text": sample.response})
    return float(requests.get(args.judge_url).json()["score"])
""",
        (5, 14),
        (6, 18),
        fixed="""\
import asyncio
import requests


async def reward_func(args, sample, **kwargs):
    answer = await asyncio.to_thread(requests.post, args.judge_url, json={"text": sample.response})
    return float((await asyncio.to_thread(requests.get, args.judge_url)).json()["score"])
""",
        unsafe=True,
    ),
    _reward(
        """\
import time


async def reward_func(args, sample, **kwargs):
    time.sleep(args.pause)
    return 0.0
""",
        (5, 5),
        fixed="""\
import asyncio
import time


async def reward_func(args, sample, **kwargs):
    await asyncio.sleep(args.pause)
    return 0.0
""",
    ),
    _reward(
        """\
from time import sleep as wait


def score(text):
    wait(1)
    return float(text)


async def reward_func(args, sample, **kwargs):
    return score(sample.response)
""",
        (5, 5),
    ),
    _reward(
        """\
from openai import OpenAI

judge = OpenAI(timeout=60)


def score(text):
    return judge.responses.create(model="judge", input=text).output_text == "yes"


async def reward_func(args, sample, **kwargs):
    return float(score(sample.response))
""",
        (7, 12),
    ),
    _reward(
        """\
from requests import Session


class Judge(Session):
    def __call__(self, text):
        return self.post("http://judge", json={"text": text}).json()["score"]


JUDGE = Judge()


async def reward_func(args, sample, **kwargs):
    return JUDGE(sample.response)
""",
        (6, 16),
    ),
    _reward(
        """\
import asyncio


async def reward_func(args, sample, **kwargs):
    return asyncio.run(asyncio.sleep(0, 1.0))
""",
        (5, 12, ERROR),
        fixed="""\
import asyncio


async def reward_func(args, sample, **kwargs):
    return await asyncio.sleep(0, 1.0)
""",
        unsafe=True,
    ),
    Example(
        {
            **_ENVIRONMENT,
            _ENV: """\
import asyncio


class Search:
    def step(self, response_text):
        return {"obs_str": asyncio.get_event_loop().run_until_complete(self.ask(response_text))}, True, {}

    async def ask(self, text):
        return text


def build_env(sample=None, args=None, **_):
    return Search()
""",
        },
        findings=((_ENV, 6, 28, ERROR),),
    ),
    Example(
        {
            **_ENVIRONMENT,
            _ENV: """\
import subprocess as sp


class Shell:
    def step(self, response_text):
        return {"obs_str": sp.check_output(response_text, text=True)}, True, {}


def build_env(sample=None, args=None, **_):
    return Shell()
""",
        },
        findings=((_ENV, 6, 28),),
    ),
    Example(
        {
            **_ENVIRONMENT,
            _ROLLOUT: """\
import urllib.request


def search(text):
    return urllib.request.urlopen(text).read()


async def generate(args, sample, sampling_params):
    sample.response += search(sample.response).decode()
    return sample
""",
        },
        findings=((_ROLLOUT, 5, 12),),
    ),
    _reward(
        """\
from functools import partial

import httpx

ask = partial(httpx.get, timeout=30)
SCORERS = {"judge": lambda text: ask(text).json()["score"]}


async def reward_func(args, sample, **kwargs):
    return SCORERS[sample.metadata["kind"]](sample.response)
""",
        (6, 34),
    ),
    _reward(
        """\
import socket


def run_tests(text):
    with socket.create_connection(("sandbox", 9000)) as connection:
        return float(connection.recv(1) == b"1")


async def reward_func(args, sample, **kwargs):
    return run_tests(sample.response)
""",
        (5, 10),
        (6, 22),
    ),
    Example(
        {
            "examples/demo/run_demo.sh": """\
REWARD=examples.demo.reward_demo.reward_func
python3 relax/entrypoints/train.py --custom-rm-path "$REWARD" --group-rm
""",
            _REWARD: """\
import time


def slow(sample):
    time.sleep(1)
    return 0.0


async def reward_func(args, samples, **kwargs):
    return list(map(slow, samples))
""",
        },
        findings=((_REWARD, 5, 5),),
    ),
]


@rule("RLX210", "blocking-call", WARNING, on="recipe", only_python=True, valid=VALID, invalid=INVALID, fixable="safe")
def blocking_call(recipe: Recipe, project: Project) -> Iterator[Finding]:
    """Every blocking call that is reached on the event loop, said once."""
    if not any(source.says(MENTIONS) for source in recipe.python):
        return
    from relax_lint.blocking_uses import blocking_calls
    from relax_lint.calls.entries import reached
    from relax_lint.recipe_readings import called

    told: set[ast.Call] = set()
    judged: set[Entry] = set()
    for _, entry in called(recipe, project):
        if entry in judged:
            continue
        judged.add(entry)
        if not project.imports.say(entry.source.path, MENTIONS):
            continue
        for function in reached(entry, project).functions:
            judges = function.on_loop and project.recipe_of(function.source.path) is not None
            for blocking in blocking_calls(function) if judges else ():
                if blocking.call not in told:
                    told.add(blocking.call)
                    yield _finding(blocking, _WHO[entry.kind])


def _finding(blocking: BlockingCall, who: str) -> Finding:
    from relax_lint.fixers.awaiting import unblocked

    shown, function = blocking.shown, blocking.function
    if blocking.kind == "refused":
        message = f"{shown} raises RuntimeError: {who} runs on an event loop already; await the coroutine"
    elif blocking.kind == "nested":
        message = f"{shown} keeps the event loop waiting that {who} runs on: await the coroutine"
    else:
        advice = blocking.advice
        if isinstance(function.node, ast.FunctionDef):
            made_async = f"make it async and {advice}"
            advice = f"call {function.name} by `await asyncio.to_thread({function.name}, …)`, or {made_async}"
        message = f"{shown} keeps the event loop waiting that {who} runs on, and all other samples: {advice}"
    return Finding(
        function.source.place(blocking.call),
        message,
        severity=ERROR if blocking.kind == "refused" else None,
        fix=unblocked(function, blocking.call, blocking.kind),
        related=tuple(Related(at.place(node), "called from here") for at, node in function.way[:3]),
        subject=function.name,
    )


_WHO = {"reward": "the reward", "generate": "the generate function", "environment": "the environment"}
