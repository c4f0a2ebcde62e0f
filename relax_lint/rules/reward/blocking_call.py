"""A call waits on the event loop that all samples share.

## What

A call that keeps its thread waiting and runs on the event loop when Relax calls the reward, the generate function or
the environment: `requests`, `urllib`, httpx without its async client, `openai.OpenAI`, `time.sleep`, `subprocess`,
sockets. It is followed through the recipe: helpers, methods, clients that a module or an object keeps, aliases,
`functools.partial`. What runs in a thread, a process or on an event loop of its own may wait as long as it likes:
`asyncio.to_thread`, `run_in_executor`, executors, `threading.Thread`.

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
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from relax_lint.catalog.blocking import MENTIONS
from relax_lint.diagnostics import Edit, Finding, Fix, Related
from relax_lint.rules import ERROR, WARNING, Example, rule

if TYPE_CHECKING:
    from relax_lint.blocking_uses import BlockingCall
    from relax_lint.calls.entries import Entry
    from relax_lint.project import Project, Recipe
    from relax_lint.sources.python import PythonSource

_REWARD = "examples/demo/reward_demo.py"
_RUN = {
    "examples/demo/run_demo.sh": (
        "python3 relax/entrypoints/train.py --custom-rm-path examples.demo.reward_demo.reward_func\n"
    )
}


def _reward(text: str, **others: str) -> dict[str, str]:
    return {**_RUN, _REWARD: text, **{f"examples/demo/{name}.py": other for name, other in others.items()}}


_ENVIRONMENT = {
    "examples/demo/run_demo.sh": (
        "python3 relax/entrypoints/train.py --rm-type math --custom-config-path examples/demo/config.yaml"
        " --custom-generate-function-path examples.demo.rollout.generate\n"
    ),
    "examples/demo/config.yaml": "max_turns: 3\nrollout_interaction_env_path: examples.demo.env_demo\n",
    "examples/demo/rollout.py": """\
async def generate(args, sample, sampling_params):
    return sample
""",
}

VALID: list[str | Example] = [
    Example(
        _reward("""\
import httpx

CLIENT = httpx.AsyncClient(timeout=60)


async def reward_func(args, sample, **kwargs):
    answer = await CLIENT.post(args.judge_url, json={"text": sample.response})
    return {"score": float(answer.json()["score"])}
""")
    ),
    Example(
        _reward("""\
import asyncio
import time

import requests


def judge(text):
    time.sleep(0.1)
    return requests.post("http://judge", json={"text": text}, timeout=9).json()["score"]


async def reward_func(args, sample, **kwargs):
    return await asyncio.to_thread(judge, sample.response)
""")
    ),
    Example(
        _reward("""\
import asyncio
import functools
from concurrent.futures import ThreadPoolExecutor

from openai import OpenAI

POOL = ThreadPoolExecutor(8)
CLIENT = OpenAI(timeout=60)


def judge(text, *, model):
    return CLIENT.chat.completions.create(model=model, messages=[{"role": "user", "content": text}])


async def reward_func(args, sample, **kwargs):
    loop = asyncio.get_running_loop()
    answer = await loop.run_in_executor(POOL, functools.partial(judge, sample.response, model="judge"))
    more = list(POOL.map(judge, [sample.response]))
    return float(len(more) > 0 and bool(answer))
""")
    ),
    Example(
        _reward("""\
import asyncio
import threading

import aiohttp


async def ask(text):
    async with aiohttp.ClientSession() as session:
        async with session.post("http://judge", json={"text": text}) as answer:
            return await answer.json()


class Loop:
    def __init__(self):
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        self.loop.run_until_complete(self.loop.create_future())

    def submit(self, text):
        return asyncio.run_coroutine_threadsafe(ask(text), self.loop)


LOOP = Loop()


async def reward_func(args, sample, **kwargs):
    return await asyncio.wrap_future(LOOP.submit(sample.response))
""")
    ),
    Example(
        _reward("""\
import requests


def warm_up():
    return requests.get("http://judge/health", timeout=1)


if __name__ == "__main__":
    warm_up()


async def reward_func(args, sample, **kwargs):
    return float(sample.response == sample.label)
""")
    ),
    Example(
        _reward("""\
import time

STARTED = time.time()


async def reward_func(args, sample, **kwargs):
    retry = {"wait": time.sleep, "seconds": time.time() - STARTED}
    return float(retry["seconds"] > 1)
""")
    ),
    Example(
        _reward("""\
import asyncio

import requests


def run(coroutine):
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    return coroutine


async def score(text):
    return await asyncio.to_thread(lambda: requests.get(text, timeout=3).status_code)


async def reward_func(args, sample, **kwargs):
    return await run(score(sample.response))
""")
    ),
    Example(
        _reward(
            """\
from examples.demo.client import Client

CLIENT = Client()


async def reward_func(args, sample, **kwargs):
    return await CLIENT.post(sample.response)
""",
            client="""\
import asyncio


class Client:
    def __init__(self):
        self.requests = []

    async def post(self, text):
        self.requests.append(text)
        process = await asyncio.create_subprocess_exec("score", text)
        await asyncio.sleep(0.1)
        return await process.wait()
""",
        )
    ),
    Example(
        {
            **_ENVIRONMENT,
            "examples/demo/rollout.py": """\
import asyncio


async def generate(args, sample, sampling_params):
    env = args.env
    await asyncio.to_thread(env.step, sample.response)
    return sample
""",
            "examples/demo/env_demo.py": """\
import subprocess


class Shell:
    def step(self, response_text):
        return {"obs_str": subprocess.check_output(response_text, text=True)}, True, {}


def build_env(sample=None, args=None, **_):
    return Shell()
""",
        }
    ),
    Example(
        {
            **_RUN,
            _REWARD: "async def reward_func(args, sample, **kwargs):\n    return 0.0\n",
            "examples/demo/prepare.py": """\
import subprocess
import time


def main():
    time.sleep(1)
    subprocess.run(["tar", "-xf", "data.tar"], check=True)
""",
        }
    ),
    Example(
        _reward("""\
import multiprocessing
import time


def slow(text):
    time.sleep(2)
    return len(text)


async def reward_func(args, sample, **kwargs):
    process = multiprocessing.Process(target=slow, args=(sample.response,))
    process.start()
    return 0.0
""")
    ),
    Example(
        _reward("""\
import asyncio
from functools import wraps

import requests


def threaded(function):
    @wraps(function)
    async def wrapper(*args, **kwargs):
        return await asyncio.to_thread(function, *args, **kwargs)

    return wrapper


@threaded
def judge(text):
    return requests.post("http://judge", data=text, timeout=3).json()


async def reward_func(args, sample, **kwargs):
    return await judge(sample.response)
""")
    ),
]

INVALID = [
    Example(
        _reward("""\
import requests


async def reward_func(args, sample, **kwargs):
    answer = requests.post(args.judge_url, json={"text": sample.response})
    return float(requests.get(args.judge_url).json()["score"])
"""),
        findings=((_REWARD, 5, 14), (_REWARD, 6, 18)),
        fixed={
            _REWARD: """\
import asyncio
import requests


async def reward_func(args, sample, **kwargs):
    answer = await asyncio.to_thread(requests.post, args.judge_url, json={"text": sample.response})
    return float((await asyncio.to_thread(requests.get, args.judge_url)).json()["score"])
"""
        },
        unsafe=True,
    ),
    Example(
        _reward("""\
import asyncio
import time


async def reward_func(args, sample, **kwargs):
    for attempt in range(3):
        time.sleep(2**attempt)
    await asyncio.sleep(0)
    return 0.0
"""),
        findings=((_REWARD, 7, 9),),
        fixed={
            _REWARD: """\
import asyncio
import time


async def reward_func(args, sample, **kwargs):
    for attempt in range(3):
        await asyncio.sleep(2**attempt)
    await asyncio.sleep(0)
    return 0.0
"""
        },
    ),
    Example(
        _reward("""\
from __future__ import annotations

from time import sleep as wait


async def ask(text):
    wait(1)
    return text


async def reward_func(args, sample, **kwargs):
    return float(bool(await ask(sample.response)))
"""),
        findings=((_REWARD, 7, 5),),
        fixed={
            _REWARD: """\
from __future__ import annotations

import asyncio
from time import sleep as wait


async def ask(text):
    await asyncio.sleep(1)
    return text


async def reward_func(args, sample, **kwargs):
    return float(bool(await ask(sample.response)))
"""
        },
    ),
    Example(
        _reward("""\
import openai

_client = None


def client():
    global _client
    if _client is None:
        _client = openai.OpenAI(base_url="http://judge/v1", timeout=60)
    return _client


def judge(text):
    answer = client().chat.completions.create(model="judge", messages=[{"role": "user", "content": text}])
    return answer.choices[0].message.content


async def reward_func(args, sample, **kwargs):
    return float(judge(sample.response) == "yes")
"""),
        findings=((_REWARD, 14, 14),),
    ),
    Example(
        _reward(
            """\
from .helpers import Judge

JUDGE = Judge()


async def reward_func(args, sample, **kwargs):
    return JUDGE(sample.response)
""",
            helpers="""\
from requests import Session


class Judge:
    def __init__(self):
        self.session = Session()

    def __call__(self, text):
        return self.ask(text)

    def ask(self, text):
        return self.session.post("http://judge", json={"text": text}).json()["score"]
""",
        ),
        findings=(("examples/demo/helpers.py", 12, 16),),
    ),
    Example(
        _reward("""\
import asyncio


async def score(text):
    return float(bool(text))


async def reward_func(args, sample, **kwargs):
    return asyncio.run(score(sample.response))
"""),
        findings=((_REWARD, 9, 12, ERROR),),
        fixed={
            _REWARD: """\
import asyncio


async def score(text):
    return float(bool(text))


async def reward_func(args, sample, **kwargs):
    return await score(sample.response)
"""
        },
        unsafe=True,
    ),
    Example(
        {
            **_ENVIRONMENT,
            "examples/demo/env_demo.py": """\
import asyncio


class Search:
    def __init__(self, turns):
        self.turns = turns

    def step(self, response_text):
        if not response_text:
            return {"obs_str": ""}, True, {}
        loop = asyncio.get_event_loop()
        return {"obs_str": loop.run_until_complete(self.ask(response_text))}, False, {}

    async def ask(self, text):
        return text


def build_env(sample=None, args=None, **_):
    return Search(args.max_turns)
""",
        },
        findings=(("examples/demo/env_demo.py", 12, 28, ERROR),),
    ),
    Example(
        {
            **_ENVIRONMENT,
            "examples/demo/env_demo.py": """\
import subprocess as sp


class Base:
    def step(self, response_text):
        return {"obs_str": self.execute(response_text)}, True, {}


class Shell(Base):
    @staticmethod
    def execute(text):
        return sp.run(["python3", "-c", text], capture_output=True, text=True).stdout


def build_env(sample=None, args=None, **_):
    return Shell()
""",
        },
        findings=(("examples/demo/env_demo.py", 12, 16),),
    ),
    Example(
        {
            "examples/demo/run_demo.sh": (
                "python3 relax/entrypoints/train.py --rm-type math"
                " --custom-generate-function-path=examples.demo.rollout.generate\n"
            ),
            "examples/demo/rollout.py": """\
import urllib.request


async def generate(args, sample, sampling_params):
    with urllib.request.urlopen("http://tools/search") as answer:
        sample.response += answer.read().decode()
    return sample
""",
        },
        findings=(("examples/demo/rollout.py", 5, 10),),
        fixed={
            "examples/demo/rollout.py": """\
import asyncio
import urllib.request


async def generate(args, sample, sampling_params):
    with (await asyncio.to_thread(urllib.request.urlopen, "http://tools/search")) as answer:
        sample.response += answer.read().decode()
    return sample
"""
        },
        unsafe=True,
    ),
    Example(
        _reward("""\
import asyncio
from functools import partial

import httpx


def ask(client, text):
    return client.post("http://judge", json={"text": text}).json()["score"]


async def one(scorer, sample):
    return scorer(sample.response)


async def reward_func(args, sample, **kwargs):
    with httpx.Client(timeout=30) as client:
        scorer = partial(ask, client)
        return sum(await asyncio.gather(*[one(scorer, sample) for _ in range(3)]))
"""),
        findings=((_REWARD, 8, 12),),
    ),
    Example(
        _reward("""\
import socket

SCORERS = {}


def scorer(name):
    def add(function):
        SCORERS[name] = function
        return function

    return add


@scorer("unit tests")
def run_tests(text):
    with socket.create_connection(("sandbox", 9000)) as connection:
        connection.sendall(text.encode())
        return float(connection.recv(1) == b"1")


async def reward_func(args, sample, **kwargs):
    return SCORERS.get(sample.metadata["kind"])(sample.response)
"""),
        findings=((_REWARD, 16, 10), (_REWARD, 17, 9), (_REWARD, 18, 22)),
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


@rule("RLX210", "blocking-call", WARNING, on="recipe", valid=VALID, invalid=INVALID, fixable="safe")
def blocking_call(recipe: Recipe, project: Project) -> Iterator[Finding]:
    """Every blocking call that is reached on the event loop, said once."""
    if not any(MENTIONS.search(source.data) for source in recipe.python):
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
        for function in reached(entry, project).functions:
            judges = function.on_loop and project.recipe_of(function.source.path) is not None
            for blocking in blocking_calls(function) if judges else ():
                if blocking.call not in told:
                    told.add(blocking.call)
                    yield _finding(blocking, _WHO[entry.kind])


def _finding(blocking: BlockingCall, who: str) -> Finding:
    shown, source = _shown(blocking.call.func), blocking.function.source
    if blocking.kind == "refused":
        message = f"{shown} raises RuntimeError: {who} runs on an event loop already; await the coroutine"
    elif blocking.kind == "nested":
        message = f"{shown} keeps the event loop waiting that {who} runs on: await the coroutine"
    else:
        message = f"{shown} keeps the event loop waiting that {who} runs on, and all other samples: {blocking.advice}"
    return Finding(
        source.place(blocking.call),
        message,
        severity=ERROR if blocking.kind == "refused" else None,
        fix=_fix(blocking),
        related=tuple(Related(at.place(node), "called from here") for at, node in blocking.function.way[:3]),
        subject=blocking.function.name,
    )


def _shown(function: ast.expr) -> str:
    """What is called, in a few words."""
    text = ast.unparse(function)
    if len(text) <= _LONGEST_NAME and "\n" not in text:
        return text
    return function.attr if isinstance(function, ast.Attribute) else f"{text[:_LONGEST_NAME]}…"


_LONGEST_NAME = 60
_WHO = {"reward": "the reward", "generate": "the generate function", "environment": "the environment"}


def _fix(blocking: BlockingCall) -> Fix | None:
    if not isinstance(blocking.function.node, ast.AsyncFunctionDef):
        return None
    from relax_lint.fixers.awaiting import await_coroutine, call_in_thread, sleep_on_the_loop

    make: Callable[[PythonSource, ast.Call], list[Edit] | None]
    if blocking.kind == "sleep":
        make, title, reason = sleep_on_the_loop, "await asyncio.sleep", None
    elif blocking.kind == "other":
        make, title, reason = call_in_thread, "call it in a thread", "other samples run while it waits"
    else:
        make, title, reason = await_coroutine, "await the coroutine", "other samples run while it waits"
    edits = make(blocking.function.source, blocking.call)
    return None if edits is None else Fix(title, lambda: edits, safe=reason is None, reason=reason)
