"""What waits elsewhere than on the event loop: more recipes than the rule's page shows, run as its examples are."""

from __future__ import annotations

from relax_lint.rules import Example
from tests import test_rule_examples as harness
from tests.cases import for_each
from tests.rules.reward.blocking_trees import ENVIRONMENT, REWARD, RUN, reward

RULE = harness.RULES["RLX210"]

VALID = [
    Example(
        reward("""\
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
        reward("""\
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
        reward("""\
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
        reward("""\
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
        reward("""\
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
        reward(
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
            **ENVIRONMENT,
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
            **RUN,
            REWARD: "async def reward_func(args, sample, **kwargs):\n    return 0.0\n",
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
        reward("""\
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
        reward("""\
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
    Example(
        reward("""\
import asyncio
import inspect
import time


class Judge:
    def __init__(self, ask):
        self.ask = ask
        self.is_async = inspect.iscoroutinefunction(ask)

    async def score(self, text):
        if self.is_async:
            return await self.ask(text)
        return await asyncio.to_thread(self.ask, text)


class Named(Judge):
    name = "judge"


JUDGES = []


def judge(function):
    JUDGES.append(Named(function))
    return function


@judge
def slow(text):
    time.sleep(1)
    return len(text)


@judge
async def quick(text):
    return len(text)


async def reward_func(args, sample, **kwargs):
    return float(sum([await each.score(sample.response) for each in JUDGES]))
""")
    ),
]


@for_each("example", VALID)
def test_what_waits_elsewhere_or_not_at_all(example: Example) -> None:
    harness.gives_no_finding(RULE, example)
