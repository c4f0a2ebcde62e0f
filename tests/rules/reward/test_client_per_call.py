"""Clients of judges, in more recipes than the rule's page shows; run as the rule's own examples are."""

from __future__ import annotations

import pytest

from relax_lint.rules import ADVICE, Example
from tests import test_rule_examples as harness

RULE = harness.RULES["RLX211"]

VALID = [
    """\
from openai import AsyncOpenAI

_client = None


def client(args):
    global _client
    if _client is None:
        _client = AsyncOpenAI(base_url=args.judge_url, timeout=60)
    return _client


async def reward_func(args, sample, **kwargs):
    answer = await client(args).chat.completions.create(model="judge", messages=[])
    return {"score": float("yes" in answer.choices[0].message.content)}
""",
    """\
import aiohttp


class Judge:
    def __init__(self):
        self._session = None

    async def session(self):
        if self._session is None or self._session.closed:
            self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=30))
        return self._session

    async def ask(self, text):
        session = await self.session()
        async with session.post("http://judge", json={"text": text}) as answer:
            return await answer.json()


JUDGE = Judge()


async def reward_func(args, sample, **kwargs):
    return {"score": float((await JUDGE.ask(sample.response)) is not None)}
""",
    """\
import openai

CLIENTS = {}


def client(url):
    made = CLIENTS.get(url)
    if made is None:
        made = openai.AsyncOpenAI(base_url=url, timeout=60)
        CLIENTS[url] = made
    return made


async def reward_func(args, sample, **kwargs):
    answer = await client(args.judge_url).chat.completions.create(model="judge", messages=[])
    return {"score": 1.0 if answer else 0.0}
""",
    """\
import requests


def check():
    with requests.Session() as session:
        return session.get("http://judge/health").ok


if __name__ == "__main__":
    check()


async def reward_func(args, sample, **kwargs):
    return {"score": float(sample.response)}
""",
    """\
from openai import AsyncOpenAI

_client = AsyncOpenAI(timeout=20)


def number(text):
    return float(text)


async def reward_func(args, sample, **kwargs):
    answer = await _client.chat.completions.create(model="judge", messages=[])
    text = answer.choices[0].message.content.strip()
    if text.isdigit():
        return {"score": int(text)}
    try:
        return {"score": number(text)}
    except ValueError:
        return {"score": 0.0}
""",
]

INVALID = [
    Example(
        """\
from openai import AsyncOpenAI

judge = AsyncOpenAI()


async def reward_func(args, sample, **kwargs):
    known = {model.id async for model in judge.models.list()}
    return {"score": float("judge" in known)}
""",
        findings=((3, 9),),
        fixed="""\
from openai import AsyncOpenAI

judge = AsyncOpenAI(timeout=60)


async def reward_func(args, sample, **kwargs):
    known = {model.id async for model in judge.models.list()}
    return {"score": float("judge" in known)}
""",
        unsafe=True,
    ),
    Example(
        """\
import asyncio
import os


def client():
    from openai import OpenAI

    return OpenAI(api_key=os.environ["JUDGE_KEY"], timeout=60)


def judge(text):
    answer = client().chat.completions.create(model="judge", messages=[{"role": "user", "content": text}])
    return "yes" in answer.choices[0].message.content


async def reward_func(args, sample, **kwargs):
    return {"score": float(await asyncio.to_thread(judge, sample.response))}
""",
        findings=((8, 12),),
    ),
    Example(
        """\
import aiohttp


class Judge:
    def __init__(self, url):
        self.url = url
        self.session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=30))

    async def ask(self, text):
        async with self.session.post(self.url, json={"text": text}) as answer:
            return await answer.json()


async def reward_func(args, sample, **kwargs):
    return {"score": float(bool(await Judge(args.judge_url).ask(sample.response)))}
""",
        findings=((7, 24),),
    ),
    Example(
        """\
import json
import re

import httpx

_client = httpx.AsyncClient(timeout=60)


async def ask(text):
    answer = await _client.post("http://judge", json={"text": text})
    return answer.json()["choices"][0]["message"]["content"]


async def reward_func(args, sample, **kwargs):
    reply = await ask(sample.response)
    score = int(re.search(r"Score: (.*)", reply).group(1))
    return {"score": score + json.loads(reply)["bonus"]}
""",
        findings=((16, 17, ADVICE), (17, 30, ADVICE)),
    ),
    Example(
        {
            "examples/demo/run_demo.sh": (
                "python3 relax/entrypoints/train.py --group-rm --custom-rm-path examples.demo.reward_demo.reward_func\n"
            ),
            "examples/demo/judge.py": """\
import httpx as http


async def judge(sample):
    client = http.AsyncClient()
    answer = await client.post("http://judge", json={"text": sample.response})
    return float(answer.status_code == 200)
""",
            "examples/demo/reward_demo.py": """\
import asyncio

from .judge import judge


async def reward_func(args, samples, **kwargs):
    return await asyncio.gather(*map(judge, samples))
""",
        },
        findings=(("examples/demo/judge.py", 5, 14),),
        fixed={
            "examples/demo/judge.py": """\
import httpx as http

_client = http.AsyncClient(timeout=60)


async def judge(sample):
    client = _client
    answer = await client.post("http://judge", json={"text": sample.response})
    return float(answer.status_code == 200)
""",
        },
        unsafe=True,
    ),
]


@pytest.mark.parametrize("text", VALID)
def test_a_client_that_is_kept_and_waits_its_time(text: str) -> None:
    harness.gives_no_finding(RULE, Example(text))


@pytest.mark.parametrize("example", INVALID)
def test_a_client_for_each_sample_or_without_end(example: Example) -> None:
    harness.gives_its_findings(RULE, example)
    harness.is_fixed_as_shown(RULE, example)


@pytest.mark.parametrize(
    "use",
    [
        "    try:\n        answer = await client.get('http://j')\n    finally:\n        await client.aclose()\n",
        "    async with client:\n        answer = await client.get('http://j')\n",
        "    async with client as session:\n        answer = await session.get('http://j')\n",
        "    async with contextlib.aclosing(client) as session:\n        answer = await session.get('http://j')\n",
        "    answer = await client.get('http://j')\n    await asyncio.shield(client.aclose())\n",
        "    answer = await ask(client)\n\n\nasync def ask(it):\n    await it.get('http://j')\n    await it.aclose()\n",
        "    stack.push_async_callback(client.aclose)\n    answer = await client.get('http://j')\n",
    ],
)
def test_a_client_that_is_closed_is_not_kept_in_the_module(use: str) -> None:
    made, _, helper = use.partition("\n\n\n")
    code = (
        "import asyncio\nimport contextlib\nimport httpx\n\n\nasync def reward_func(args, sample, **kwargs):\n"
        f"    client = httpx.AsyncClient(timeout=5)\n{made.rstrip()}\n    return 1.0\n\n\n{helper}"
    )
    example = Example(code, findings=((7, 14),), unsafe=True)
    harness.gives_its_findings(RULE, example)
    harness.is_fixed_as_shown(RULE, example)
