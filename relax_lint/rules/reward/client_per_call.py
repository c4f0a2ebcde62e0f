"""Every sample makes its own client for the judge, or one that waits for ever.

## What

An HTTP or OpenAI client (httpx, openai, anthropic, aiohttp, `requests.Session`) that is made while a sample is scored
and not kept: not in a module's variable, an object that lasts or a cached function. And one that the reward uses and
that has no `timeout`, neither of its own nor in the calls made with it.

As advice: a judge's answer that is turned into a number or read as JSON where nothing catches what it cannot be.

## Why

A client per sample opens its own connections: a batch of rewards runs out of sockets and file descriptors, pays a TLS
handshake each time, and connections are closed while others wait. Without a timeout, one answer that never comes holds
the whole rollout. And a judge says "I would give 8/10" sooner or later, which `float` refuses: one such answer ends the
run.

## Source

Guide, judges as rewards: one client of the module, `httpx.AsyncClient(timeout=60)`, and `await` in the reward.

## Example

    async def reward_func(args, sample, **kwargs):
        client = AsyncOpenAI(base_url=args.judge_url)

## Fix

Moves a client that needs nothing of the sample to the top of the module, and gives one without a timeout sixty seconds.
Not safe: how long a judge may take is for you to say.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.catalog.clients import MENTIONS
from relax_lint.diagnostics import Finding, Fix
from relax_lint.rules import ADVICE, WARNING, Example, rule

if TYPE_CHECKING:
    from relax_lint.calls.entries import Entry
    from relax_lint.calls.reached import Reached, ReachedFunction
    from relax_lint.project import Project
    from relax_lint.rewards import RewardUse
    from relax_lint.sources.python import PythonSource

_SECONDS = 60

_PLAIN = """\
import httpx

_client = httpx.AsyncClient(timeout=60)


async def reward_func(args, sample, **kwargs):
    answer = await _client.post(args.judge_url, json={"text": sample.response})
    try:
        return {"score": float(answer.json()["choices"][0]["message"]["content"])}
    except (KeyError, ValueError):
        return {"score": 0.0}
"""

VALID: list[str | Example] = [
    _PLAIN,
    """\
import requests
from anthropic import AsyncAnthropic

_session = requests.Session()
_session.headers.update({"x": "y"})
_judge = AsyncAnthropic()


async def reward_func(args, sample, **kwargs):
    lasting = _judge.with_options(timeout=5)
    return {"score": float(_judge.is_closed() or _session.headers is None or lasting.is_closed())}
""",
    """\
import httpx

_client = None


async def reward_func(args, sample, **kwargs):
    global _client
    _client = _client or httpx.AsyncClient(timeout=60)
    return {"score": float((await _client.get(args.judge_url)).is_success)}
""",
    """\
from openai import AsyncOpenAI


class Judge:
    client = AsyncOpenAI(timeout=60)

    async def score(self, args, sample, **kwargs):
        return {"score": float(bool(await self.client.models.retrieve("judge")))}


reward_func = Judge().score
""",
    """\
from openai import AsyncOpenAI

_client = AsyncOpenAI(timeout=20)


async def reward_func(args, sample, **kwargs):
    text = (await _client.responses.create(model="judge", input=sample.response)).output_text
    return {"score": int(text) if text.isdigit() else 0}
""",
    """\
import requests

if __name__ == "__main__":
    print(requests.Session().get("http://judge/health").ok)


async def reward_func(args, sample, **kwargs):
    return {"score": float(sample.response)}
""",
    """\
from functools import lru_cache

from openai import AsyncOpenAI


@lru_cache(maxsize=None)
def client(url):
    return AsyncOpenAI(base_url=url, timeout=60)


async def reward_func(args, sample, **kwargs):
    answer = await client(args.judge_url).chat.completions.create(model="judge", messages=[])
    return {"score": float(answer is not None)}
""",
    """\
import asyncio

from openai import AsyncOpenAI

_client = AsyncOpenAI()


async def reward_func(args, sample, **kwargs):
    answer = await _client.chat.completions.create(model="judge", messages=[], timeout=30)
    again = await asyncio.wait_for(_client.chat.completions.create(model="judge", messages=[]), 30)
    return {"score": float(bool(answer) and bool(again))}
""",
    """\
import httpx
from openai import AsyncOpenAI

_client = AsyncOpenAI(http_client=httpx.AsyncClient(timeout=60))


async def reward_func(args, sample, **kwargs):
    return {"score": float(bool(await _client.models.retrieve("judge")))}
""",
    """\
import json


async def reward_func(args, sample, **kwargs):
    return {"score": float(json.loads(sample.label)["answer"] == sample.response)}
""",
    """\
import re

import httpx

_options = {"timeout": 60}
_client = httpx.AsyncClient(**_options)


async def reward_func(args, sample, **kwargs):
    answer = (await _client.post(args.judge_url, json={"text": sample.response})).json()["text"]
    found = re.search(r"[0-9]+", answer)
    return {"score": float(found.group()) if found else 0.0}
""",
    """\
class Client:
    def __init__(self, url):
        self.url = url


async def reward_func(args, sample, **kwargs):
    client = Client(args.judge_url)
    return {"score": float(client.url == sample.label)}
""",
]

INVALID = [
    Example(
        """\
from openai import AsyncOpenAI


async def reward_func(args, sample, **kwargs):
    client = AsyncOpenAI(base_url="http://judge/v1", timeout=60)
    answer = await client.chat.completions.create(model="judge", messages=[])
    return {"score": float(answer is not None)}
""",
        findings=((5, 14),),
        fixed="""\
from openai import AsyncOpenAI

_client = AsyncOpenAI(base_url="http://judge/v1", timeout=60)


async def reward_func(args, sample, **kwargs):
    client = _client
    answer = await client.chat.completions.create(model="judge", messages=[])
    return {"score": float(answer is not None)}
""",
        unsafe=True,
    ),
    Example(
        """\
import httpx


async def reward_func(args, sample, **kwargs):
    async with httpx.AsyncClient(timeout=60) as client:
        answer = await client.post(args.judge_url, json={"text": sample.response})
    return {"score": float(answer.status_code == 200)}
""",
        findings=((5, 16),),
    ),
    Example(
        """\
import httpx

_client = httpx.AsyncClient()


async def reward_func(args, sample, **kwargs):
    answer = await _client.post(args.judge_url, json={"text": sample.response})
    return {"score": float(answer.status_code == 200)}
""",
        findings=((3, 11),),
        fixed="""\
import httpx

_client = httpx.AsyncClient(timeout=60)


async def reward_func(args, sample, **kwargs):
    answer = await _client.post(args.judge_url, json={"text": sample.response})
    return {"score": float(answer.status_code == 200)}
""",
        unsafe=True,
    ),
    Example(
        """\
async def ask(url):
    from httpx import AsyncClient

    return await AsyncClient(timeout=60).get(url)


async def reward_func(args, sample, **kwargs):
    return {"score": float((await ask(args.judge_url)).is_success)}
""",
        findings=((4, 18),),
    ),
    Example(
        """\
import httpx


class Judge:
    def __init__(self):
        self.client = httpx.AsyncClient(timeout=60)


async def reward_func(args, sample, **kwargs):
    return {"score": float((await Judge().client.get(args.judge_url)).is_success)}
""",
        findings=((6, 23),),
    ),
    Example(
        """\
from anthropic import AsyncAnthropic as Judge

_judge = Judge(timeout=None)


async def reward_func(args, sample, **kwargs):
    async with _judge.messages.stream(model="judge", max_tokens=9, messages=[]) as stream:
        return {"score": float(bool(await stream.get_final_text()))}
""",
        findings=((3, 10),),
    ),
    Example(
        """\
import openai


def make(url):
    return openai.AsyncOpenAI(base_url=url, timeout=None)


JUDGE = make("http://judge/v1")


async def reward_func(args, sample, **kwargs):
    return {"score": float(bool(await JUDGE.models.retrieve("judge")))}
""",
        findings=((5, 12),),
    ),
    Example(
        """\
import asyncio

import requests

SESSION = requests.Session()


def judge(text):
    return SESSION.post("http://judge", json={"text": text}).ok


async def reward_func(args, sample, **kwargs):
    return {"score": float(await asyncio.to_thread(judge, sample.response))}
""",
        findings=((5, 11),),
    ),
    Example(
        """\
from openai import AsyncOpenAI

_client = AsyncOpenAI(timeout=60)


async def reward_func(args, sample, **kwargs):
    answer = await _client.chat.completions.create(model="judge", messages=[])
    text = answer.choices[0].message.content
    return {"score": float(text.strip()) / 10.0}
""",
        findings=((9, 22, ADVICE),),
    ),
    Example(
        """\
from openai import AsyncOpenAI


class Scorer:
    async def __call__(self, args, sample, **kwargs):
        async with AsyncOpenAI(timeout=9) as client:
            answer = await client.chat.completions.create(model="judge", messages=[])
        return {"score": float(bool(answer))}


reward_func = Scorer()
""",
        findings=((6, 20),),
    ),
    Example(
        """\
import json

from openai import AsyncOpenAI

_client = AsyncOpenAI(timeout=60)


async def reward_func(args, sample, **kwargs):
    answer = await _client.responses.create(model="judge", input=sample.response)
    return json.loads(answer.output_text)
""",
        findings=((10, 12, ADVICE),),
    ),
    Example(
        """\
import re

import httpx

_client = httpx.AsyncClient(timeout=60)


async def reward_func(args, sample, **kwargs):
    answer = await _client.post(args.judge_url, json={"text": sample.response})
    return {"score": int(re.search(r"[0-9]+", answer.text).group())}
""",
        findings=((10, 26, ADVICE),),
    ),
]


@rule("RLX211", "client-per-call", WARNING, on="reward", valid=VALID, invalid=INVALID, fixable="unsafe")
def client_per_call(use: RewardUse, project: Project) -> Iterator[Finding]:
    """Say it where the client is made, or the answer is parsed."""
    if use.module is None or not project.imports.say(use.module.path, MENTIONS):
        return
    from relax_lint.calls.entries import of_reward

    entry = of_reward(use)
    for found in _found(entry, project) if entry is not None else ():
        yield found._replace(place=use.shown(found.place))


def _found(entry: Entry, project: Project) -> list[Finding]:
    """What is found in a reward, worked out once for all launches that name it."""
    from relax_lint.calls.entries import reached
    from relax_lint.flow.interpreter import interpreter_of

    def answer() -> list[Finding]:
        return list(_in_reward(reached(entry, project), entry.name))

    return interpreter_of(project).answers.ask(("clients", entry), answer)


def _in_reward(result: Reached, name: str) -> Iterator[Finding]:
    from relax_lint.client_uses import client_made, in_same_statement, is_kept, never_bounded
    from relax_lint.judge_answers import is_unguarded

    told: set[ast.Call] = set()
    for function in result.functions:
        for call in function.calls:
            made = client_made(function, call)
            if made is not None and call not in told and not is_kept(function, call):
                told.update(in_same_statement(function.source, call))
                yield _per_call(function, call, made)
            if is_unguarded(function, call) and call not in told:
                told.add(call)
                text = ast.unparse(call.func)
                message = f"{text} fails on an answer of the judge that it cannot read, and nothing catches that"
                yield Finding(function.source.place(call), message, severity=ADVICE, subject=name)
    for code, call, made in never_bounded(result):
        if call not in told:
            told.add(call)
            yield _without_timeout(code.source, call, made)


def _per_call(function: ReachedFunction, call: ast.Call, made: str) -> Finding:
    message = f"each sample makes its own {made.rpartition('.')[2]}: keep one for all in the module"
    return Finding(function.source.place(call), message, fix=_moved(function, call, made), subject=function.name)


def _moved(function: ReachedFunction, call: ast.Call, made: str) -> Fix | None:
    """Make the client at the top of the module, where it needs nothing of the call."""
    from relax_lint.client_uses import has_timeout
    from relax_lint.fixers.clients import move_to_module

    edits = move_to_module(function.source, call, None if has_timeout(call) else _timeout(made))
    reason = "the client then lasts as long as the process, and keeps to one event loop"
    return None if edits is None else Fix("keep one client in the module", lambda: edits, safe=False, reason=reason)


def _without_timeout(source: PythonSource, call: ast.Call, made: str) -> Finding:
    from relax_lint.fixers.clients import add_timeout

    name, timeout = made.rpartition(".")[2], _timeout(made)
    message = f"{name} without a timeout: one answer that does not come holds the rollout"
    edit = None if timeout is None else add_timeout(source, call, timeout)
    reason = f"{_SECONDS} seconds are a guess"
    fix = None if edit is None else Fix(f"timeout={_SECONDS}", lambda: [edit], safe=False, reason=reason)
    return Finding(source.place(call), message, fix=fix, subject=name)


def _timeout(made: str) -> str | None:
    """The keyword that gives a client a timeout, where it takes plain seconds."""
    return None if made.startswith(("aiohttp.", "requests.")) else f"timeout={_SECONDS}"
