"""Blocking calls found on longer ways than the rule's page shows, in recipes that are run as its examples are."""

from __future__ import annotations

from relax_lint.rules import ERROR, Example
from tests import test_rule_examples as harness
from tests.cases import for_each
from tests.rules.reward.blocking_trees import ENVIRONMENT, REWARD, reward

RULE = harness.RULES["RLX210"]

INVALID = [
    Example(
        reward("""\
import asyncio
import time


async def reward_func(args, sample, **kwargs):
    for attempt in range(3):
        time.sleep(2**attempt)
    await asyncio.sleep(0)
    return 0.0
"""),
        findings=((REWARD, 7, 9),),
        fixed={
            REWARD: """\
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
        reward("""\
from __future__ import annotations

from time import sleep as wait


async def ask(text):
    wait(1)
    return text


async def reward_func(args, sample, **kwargs):
    return float(bool(await ask(sample.response)))
"""),
        findings=((REWARD, 7, 5),),
        fixed={
            REWARD: """\
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
        reward("""\
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
        findings=((REWARD, 14, 14),),
    ),
    Example(
        reward(
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
        reward("""\
import asyncio


async def score(text):
    return float(bool(text))


async def reward_func(args, sample, **kwargs):
    return asyncio.run(score(sample.response))
"""),
        findings=((REWARD, 9, 12, ERROR),),
        fixed={
            REWARD: """\
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
            **ENVIRONMENT,
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
            **ENVIRONMENT,
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
        reward("""\
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
        findings=((REWARD, 8, 12),),
    ),
    Example(
        reward("""\
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
        findings=((REWARD, 16, 10), (REWARD, 17, 9), (REWARD, 18, 22)),
    ),
]


@for_each("example", INVALID)
def test_what_keeps_the_event_loop_waiting(example: Example) -> None:
    harness.gives_its_findings(RULE, example)
    harness.is_fixed_as_shown(RULE, example)
