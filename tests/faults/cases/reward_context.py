"""RLX209 to RLX211: where a sample comes from, and what blocks the event loop."""

from __future__ import annotations

from tests.faults.cases.places import (
    ENTRY,
    ENV,
    REWARD,
    ROLLOUT,
    TEST,
    TRAIN,
    answer,
    rows,
)
from tests.faults.clean.shared import sums
from tests.faults.trees import Edit, Fault, Maker, append, swap

SCORED = "compute_score(sample.response, sample.label)"


def top(line: str, path: str = REWARD) -> Edit:
    """An import beside the others."""
    return swap(path, "import re\n", f"import re\n{line}\n")


def before(*lines: str) -> Edit:
    """Lines at the top of the entry point's body."""
    return swap(REWARD, ENTRY, ENTRY + "".join(f"    {line}\n" for line in lines))


def mixed(*sources: str) -> Edit:
    """Training rows of several sources."""
    held = [row | {"data_source": source} for row, source in zip(sums(len(sources)), sources, strict=True)]
    return rows(TRAIN, *held)


def _sources() -> list[Fault]:
    one = Maker("RLX209", "text", REWARD, "warning")
    one(
        "if",
        "if sample.metadata",
        answer(
            f"if sample.metadata['data_source'] == 'local/sums':\n    return {SCORED}\nraise ValueError('unknown')\n"
        ),
    )
    one(
        "if-elif",
        "if source == 'local/sums':",
        answer(
            f"source = sample.metadata['data_source']\nif source == 'local/sums':\n    return {SCORED}\n"
            f"elif source in ('local/products', 'local/powers'):\n    return {SCORED}\nelse:\n"
            f"    raise NotImplementedError(source)\n"
        ),
    )
    one(
        "get",
        "if source in ['local/sums', 'other']:",
        answer(
            f"source = sample.metadata.get('data_source')\nif source in ['local/sums', 'other']:\n"
            f"    return {SCORED}\nreturn {{'score': 0.0}}\n"
        ),
    )
    one(
        "match",
        "match sample.metadata['data_source']:",
        answer(
            f"match sample.metadata['data_source']:\n    case 'local/sums':\n"
            f"        return {SCORED}\n    case _:\n        return {{'score': 0.0}}\n"
        ),
    )
    one(
        "table",
        "return SCORERS[sample.metadata['data_source']](sample.response,",
        swap(
            REWARD, "async def", "SCORERS = {'local/sums': compute_score, 'local/powers': compute_score}\n\n\nasync def"
        ),
        answer("return SCORERS[sample.metadata['data_source']](sample.response, sample.label)\n"),
    )
    one(
        "helper",
        "if data_source == 'local/sums':",
        swap(
            REWARD,
            "async def",
            "def dispatch(data_source, text, truth):\n    if data_source == 'local/sums':\n"
            "        return compute_score(text, truth)\n"
            "    raise NotImplementedError(data_source)\n\n\nasync def",
        ),
        answer("return dispatch(sample.metadata['data_source'], sample.response, sample.label)\n"),
    )
    one(
        "startswith",
        "if sample.metadata['data_source'].startswith('local/'):",
        answer(
            f"if sample.metadata['data_source'].startswith('local/'):\n    return {SCORED}\n"
            f"raise ValueError('unknown')\n"
        ),
    )
    two = Maker("RLX209", "text", REWARD)
    known = f"source = sample.metadata['data_source']\nif source == 'local/sums':\n    return {SCORED}\n"
    two(
        "raises",
        "if source == 'local/sums':",
        mixed("local/sums", "local/powers"),
        answer(known + "raise ValueError(source)\n"),
    )
    two("falls-off", "if source == 'local/sums':", mixed("local/sums", "local/powers"), answer(known), may=("RLX205",))
    two(
        "not-in-list",
        "if sample.metadata['data_source']",
        mixed("local/sums", "local/powers", "local/roots"),
        answer(
            f"if sample.metadata['data_source'] in {{'local/sums', 'local/powers'}}:\n"
            f"    return {SCORED}\nelse:\n    raise NotImplementedError\n"
        ),
    )
    two(
        "match-of-two",
        "match sample.metadata['data_source']:",
        mixed("local/sums", "local/roots"),
        answer(
            f"match sample.metadata['data_source']:\n    case 'local/sums' | 'local/powers':\n"
            f"        return {SCORED}\n    case other:\n        raise KeyError(other)\n"
        ),
    )
    two(
        "table-of-two",
        "return SCORERS[sample.metadata['data_source']](sample.response,",
        mixed("local/sums", "local/powers"),
        swap(REWARD, "async def", "SCORERS = {'local/sums': compute_score}\n\n\nasync def"),
        answer("return SCORERS[sample.metadata['data_source']](sample.response, sample.label)\n"),
    )
    two(
        "helper-of-two",
        "if data_source == 'local/sums':",
        mixed("local/sums", "local/powers"),
        swap(
            REWARD,
            "async def",
            "def dispatch(data_source, text, truth):\n    if data_source == 'local/sums':\n"
            "        return compute_score(text, truth)\n"
            "    raise NotImplementedError(data_source)\n\n\nasync def",
        ),
        answer("return dispatch(sample.metadata['data_source'], sample.response, sample.label)\n"),
    )
    two(
        "only-in-evaluation",
        "if source == 'local/sums':",
        rows(TEST, *(row | {"data_source": "local/powers"} for row in sums(2))),
        answer(known + "raise ValueError(source)\n"),
    )
    two(
        "in-column-of-metadata",
        "if source == 'local/sums':",
        rows(
            TRAIN,
            *(
                row | {"data_source": source, "extra_info": {"data_source": source}}
                for row, source in zip(sums(2), ("local/sums", "local/cubes"), strict=True)
            ),
        ),
        answer(known + "raise ValueError(source)\n"),
    )
    return [*one.made, *two.made]


def _blocking() -> list[Fault]:
    made = Maker("RLX210", "text", REWARD, "warning", may=("RLX211",))
    made(
        "requests",
        "requests.post(",
        top("import requests"),
        before("reply = requests.post('http://judge/v1', json={}, timeout=5)", "assert reply.ok"),
    )
    made(
        "requests-alias",
        "http.get(",
        top("import requests as http"),
        before("assert http.get('http://judge', timeout=5).ok"),
    )
    made(
        "requests-from", "post(", top("from requests import post"), before("assert post('http://judge', timeout=5).ok")
    )
    made(
        "requests-session",
        "session.post(",
        top("import requests"),
        append(REWARD, "\n\nsession = requests.Session()\n"),
        before("assert session.post('http://judge', timeout=5).ok"),
    )
    made(
        "urllib",
        "urlopen(",
        top("import urllib.request"),
        before("assert urllib.request.urlopen('http://judge', timeout=5)"),
    )
    made(
        "urllib-from",
        "urlopen(",
        top("from urllib import request"),
        before("assert request.urlopen('http://judge', timeout=5)"),
    )
    made("httpx", "httpx.post(", top("import httpx"), before("assert httpx.post('http://judge', timeout=5).is_success"))
    made(
        "httpx-client",
        "client.post(",
        top("import httpx"),
        append(REWARD, "\n\nclient = httpx.Client(timeout=5)\n"),
        before("assert client.post('http://judge').is_success"),
    )
    made(
        "openai",
        "chat.completions.create(",
        top("from openai import OpenAI"),
        append(REWARD, "\n\nJUDGE = OpenAI(timeout=30)\n"),
        before("reply = JUDGE.chat.completions.create(model='judge', messages=[])", "assert reply.choices"),
    )
    made("sleep", "time.sleep(", top("import time"), before("time.sleep(0.5)"))
    made("sleep-alias", "nap(", top("from time import sleep as nap"), before("nap(1)"))
    made(
        "subprocess-run",
        "subprocess.run(",
        top("import subprocess"),
        before("subprocess.run(['python3', '-c', sample.response], timeout=5)"),
    )
    made(
        "subprocess-output",
        "check_output(",
        top("from subprocess import check_output"),
        before("assert check_output(['bc'], input=b'1')"),
    )
    made(
        "subprocess-popen",
        ("Popen(", "communicate("),
        top("import subprocess as sp"),
        before("running = sp.Popen(['bc'])", "running.communicate()"),
    )
    made(
        "socket",
        "socket.create_connection(",
        top("import socket"),
        before("socket.create_connection(('judge', 80), timeout=5)"),
    )
    made(
        "in-helper",
        "time.sleep(",
        top("import time"),
        swap(REWARD, "    found = NUMBER", "    time.sleep(0.1)\n    found = NUMBER"),
    )
    made(
        "two-helpers-deep",
        "requests.get(",
        top("import requests"),
        append(
            REWARD,
            "\n\ndef fetched():\n    return requests.get('http://judge', timeout=5).text\n\n\n"
            "def asked():\n    return fetched()\n",
        ),
        before("assert asked()"),
    )
    made(
        "in-method",
        "time.sleep(",
        top("import time"),
        append(
            REWARD,
            "\n\nclass Judge:\n    def ask(self):\n        time.sleep(1)\n        return 1.0\n\n\nJUDGE = Judge()\n",
        ),
        before("assert JUDGE.ask()"),
    )
    made(
        "in-retry-loop",
        "time.sleep(",
        top("import time"),
        before(
            "for attempt in range(3):",
            "    try:",
            "        break",
            "    except ValueError:",
            "        time.sleep(2**attempt)",
        ),
    )
    made(
        "in-local-function", "time.sleep(", top("import time"), before("def wait():", "    time.sleep(1)", "", "wait()")
    )
    made("imported-inside", "sleep(1)", before("from time import sleep", "sleep(1)"))
    made(
        "in-comprehension",
        "requests.get(",
        top("import requests"),
        before("pages = [requests.get(f'http://judge/{at}', timeout=5) for at in range(2)]", "assert pages"),
    )
    loop = Maker("RLX210", "text", REWARD)
    loop(
        "asyncio-run",
        "asyncio.run(",
        top("import asyncio"),
        append(REWARD, "\n\nasync def graded():\n    return 1.0\n"),
        before("assert asyncio.run(graded())"),
    )
    loop(
        "run-until-complete",
        "run_until_complete(",
        top("import asyncio"),
        append(REWARD, "\n\nasync def graded():\n    return 1.0\n"),
        before("loop = asyncio.get_event_loop()", "assert loop.run_until_complete(graded())"),
    )
    loop(
        "run-in-helper",
        "run(graded",
        top("from asyncio import run"),
        append(REWARD, "\n\nasync def graded():\n    return 1.0\n\n\ndef waited():\n    return run(graded())\n"),
        before("assert waited()"),
    )
    turns = Maker("RLX210", "turns", ENV, "warning", may=("RLX211",))
    turns(
        "step",
        "requests.post(",
        swap(ENV, "import re\n", "import re\n\nimport requests\n"),
        swap(
            ENV,
            "        told = self._add(calls[-1])\n",
            "        told = requests.post('http://tool', data=calls[-1], timeout=5).text\n",
        ),
    )
    turns(
        "step-helper",
        "subprocess.run(",
        swap(ENV, "import re\n", "import re\nimport subprocess\n"),
        swap(
            ENV,
            "            call = json.loads(text)\n",
            "            call = json.loads(text)\n            subprocess.run(['bc'], timeout=5)\n",
        ),
    )
    turns(
        "step-sleep",
        "time.sleep(",
        swap(ENV, "import re\n", "import re\nimport time\n"),
        swap(ENV, "        self.turn += 1\n", "        self.turn += 1\n        time.sleep(0.1)\n"),
    )
    turns(
        "generate",
        "time.sleep(",
        swap(ROLLOUT, "import inspect\n", "import inspect\nimport time\n"),
        swap(ROLLOUT, "    env.reset()\n", "    env.reset()\n    time.sleep(1)\n"),
        path=ROLLOUT,
    )
    turns(
        "generate-helper",
        "requests.post(",
        swap(ROLLOUT, "import inspect\n", "import inspect\n\nimport requests\n"),
        swap(ROLLOUT, "await post(url, asked)", "requests.post(url, json=asked, timeout=60).json()"),
        path=ROLLOUT,
    )
    turns(
        "generate-run",
        "run_until_complete(",
        swap(ROLLOUT, "import inspect\n", "import asyncio\nimport inspect\n"),
        swap(
            ROLLOUT,
            "                stepped = await stepped\n",
            "                stepped = asyncio.get_event_loop().run_until_complete(stepped)\n",
        ),
        path=ROLLOUT,
        severity="error",
        may=("RLX302",),
    )
    return [*made.made, *loop.made, *turns.made]


def _clients() -> list[Fault]:
    made = Maker("RLX211", "text", REWARD, "warning", may=("RLX210",))
    asked = "reply = await client.post('http://judge', json={})"
    made(
        "async-client",
        "httpx.AsyncClient(",
        top("import httpx"),
        before("client = httpx.AsyncClient(timeout=5)", asked, "assert reply"),
    )
    made(
        "async-with",
        "httpx.AsyncClient(",
        top("import httpx"),
        before("async with httpx.AsyncClient(timeout=5) as client:", f"    {asked}", "    assert reply"),
    )
    made(
        "openai",
        "AsyncOpenAI(",
        top("from openai import AsyncOpenAI"),
        before(
            "judge = AsyncOpenAI(timeout=5)",
            "reply = await judge.chat.completions.create(model='m', messages=[])",
            "assert reply",
        ),
    )
    made(
        "openai-attribute",
        "openai.AsyncOpenAI(",
        top("import openai"),
        before("judge = openai.AsyncOpenAI(base_url='http://judge', timeout=5)", "assert await judge.models.list()"),
    )
    made(
        "aiohttp",
        "aiohttp.ClientSession(",
        top("import aiohttp"),
        before(
            "async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=5)) as session:",
            "    assert await session.get('http://judge')",
        ),
    )
    made(
        "in-helper",
        "httpx.AsyncClient(",
        top("import httpx"),
        append(
            REWARD,
            "\n\nasync def asked():\n    async with httpx.AsyncClient(timeout=5) as client:\n"
            "        return await client.get('http://judge')\n",
        ),
        before("assert await asked()"),
    )
    made(
        "alias",
        "Client(",
        top("from httpx import AsyncClient as Client"),
        before("client = Client(timeout=5)", asked, "assert reply"),
    )
    made(
        "no-timeout",
        "AsyncOpenAI()",
        top("from openai import AsyncOpenAI"),
        append(REWARD, "\n\nJUDGE = AsyncOpenAI()\n"),
        before("assert await JUDGE.models.list()"),
    )
    made(
        "timeout-none",
        "timeout=None",
        top("import httpx"),
        append(REWARD, "\n\nCLIENT = httpx.AsyncClient(timeout=None)\n"),
        before("assert await CLIENT.get('http://judge')"),
    )
    advice = Maker("RLX211", "text", REWARD, "advice")
    judged = append(REWARD, "\n\nCLIENT = httpx.AsyncClient(timeout=30)\n")
    advice(
        "unguarded-float",
        "return {'score': float(text.strip())}",
        top("import httpx"),
        judged,
        answer(
            "reply = await CLIENT.post('http://judge/v1/chat/completions', json={'messages': []})\n"
            "text = reply.json()['choices'][0]['message']['content']\nreturn {'score': float(text.strip())}\n"
        ),
    )
    advice(
        "unguarded-json",
        "said = json.loads(reply.json()['choices'][0]['message']['content'])",
        top("import json\n\nimport httpx"),
        judged,
        answer(
            "reply = await CLIENT.post('http://judge/v1/chat/completions', json={'messages': []})\n"
            "said = json.loads(reply.json()['choices'][0]['message']['content'])\n"
            "return {'score': float(said['score'])}\n"
        ),
    )
    advice(
        "unguarded-openai",
        "return {'score': int(reply.choices[0].message.content) / 10}",
        top("from openai import AsyncOpenAI"),
        append(REWARD, "\n\nJUDGE = AsyncOpenAI(timeout=30)\n"),
        answer(
            "reply = await JUDGE.chat.completions.create(model='judge', messages=[])\n"
            "return {'score': int(reply.choices[0].message.content) / 10}\n"
        ),
    )
    return [*made.made, *advice.made]


FAULTS = [*_sources(), *_blocking(), *_clients()]
