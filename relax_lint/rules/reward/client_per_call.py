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
from typing import TYPE_CHECKING, cast

from relax_lint.catalog.clients import MENTIONS
from relax_lint.diagnostics import Edit, Finding, Fix
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
    _PLAIN,
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
]


@rule("RLX211", "client-per-call", WARNING, on="reward", valid=VALID, invalid=INVALID, fixable="unsafe")
def client_per_call(use: RewardUse, project: Project) -> Iterator[Finding]:
    """Say it where the client is made, or the answer is parsed."""
    if use.module is None or not _may_make_any(use.module, project):
        return
    from relax_lint.calls.entries import of_reward

    entry = of_reward(use)
    for found in _found(entry, project) if entry is not None else ():
        yield found._replace(place=use.shown(found.place))


def _may_make_any(module: PythonSource, project: Project) -> bool:
    return any(MENTIONS.search(project.read(path) or b"") for path in project.imports.reached(module.path))


def _found(entry: Entry, project: Project) -> list[Finding]:
    """What is found in a reward, worked out once for all launches that name it."""
    from relax_lint.calls.entries import reached
    from relax_lint.flow.interpreter import interpreter_of

    answers = interpreter_of(project).answers
    key = ("clients", entry)
    if key not in answers:
        answers[key] = list(_in_reward(reached(entry, project), entry.name))
    return cast("list[Finding]", answers[key])


def _in_reward(result: Reached, name: str) -> Iterator[Finding]:
    from relax_lint.client_uses import client_made, is_kept, never_bounded
    from relax_lint.judge_answers import is_unguarded

    told: set[ast.Call] = set()
    for function in result.functions:
        for call in function.calls:
            made = client_made(function, call)
            if made is not None and call not in told and not is_kept(function, call):
                told.update(_in_same_statement(function.source, call))
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


def _in_same_statement(source: PythonSource, call: ast.Call) -> set[ast.Call]:
    """The calls of one statement: what one of them does is said once."""
    statement = next((holder for holder in source.ancestors(call) if isinstance(holder, ast.stmt)), call)
    return {node for node in ast.walk(statement) if isinstance(node, ast.Call)} | {call}


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
    name, timeout = made.rpartition(".")[2], _timeout(made)
    message = f"{name} without a timeout: one answer that does not come holds the rollout"
    fix = None
    edit = _with_keyword(source, call, timeout) if timeout is not None else None
    if edit is not None:
        reason = f"{_SECONDS} seconds are a guess"
        fix = Fix(f"timeout={_SECONDS}", lambda: [edit], safe=False, reason=reason)
    return Finding(source.place(call), message, fix=fix, subject=name)


def _timeout(made: str) -> str | None:
    """The keyword that gives a client a timeout, where it takes plain seconds."""
    return None if made.startswith(("aiohttp.", "requests.")) else f"timeout={_SECONDS}"


def _with_keyword(source: PythonSource, call: ast.Call, keyword: str) -> Edit | None:
    if any(given.arg == "timeout" for given in call.keywords):
        return None
    from relax_lint.fixers.clients import add_argument

    return add_argument(source, call, keyword)
