"""Blocking calls are found whatever part of a recipe is looked at, and only where they block."""

from __future__ import annotations

import pytest

from relax_lint.config import Settings
from relax_lint.engine import lint
from relax_lint.project import Project
from relax_lint.rules import load_rules
from relax_lint.selection import Layer
from tests.cases import for_each

RUN = "examples/demo/run_demo.sh"
REWARD = "examples/demo/reward_demo.py"
HELPERS = "examples/demo/helpers.py"
TRAIN = "python3 relax/entrypoints/train.py --custom-rm-path examples.demo.reward_demo.reward_func\n"


def lines(tree: dict[str, str], *targets: str, code: str = "RLX210") -> list[str]:
    project = Project.from_files({RUN: TRAIN, **tree})
    settings = Settings(selection=(Layer(select=(code,)),))
    wanted = [project.root / target for target in targets] if targets else None
    report = lint(project, load_rules(), settings, wanted)
    assert report.failures == []
    return [f"{found.path.name}:{found.line} {found.severity.value}" for found in report.diagnostics]


def reward(body: str, head: str = "") -> dict[str, str]:
    return {REWARD: f"{head}\n\nasync def reward_func(args, sample, **kwargs):\n{body}\n    return 0.0\n"}


@pytest.mark.parametrize("targets", [(), (HELPERS,), (REWARD, HELPERS)])
def test_a_helper_is_judged_alone_as_with_its_launcher(targets: tuple[str, ...]) -> None:
    tree = {
        REWARD: "from .helpers import ask\n\n\nasync def reward_func(args, sample):\n    return ask(sample)\n",
        HELPERS: "import requests\n\n\ndef ask(sample):\n    return requests.get(sample.label).json()\n",
    }
    assert lines(tree, *targets) == ["helpers.py:5 warning"]


def test_what_no_launch_reaches_may_block() -> None:
    tree = reward("    pass")
    tree["examples/demo/old_reward.py"] = "import time\n\n\nasync def score(args, sample):\n    time.sleep(1)\n"
    assert lines(tree) == []


@for_each(
    ("head", "call"),
    [
        ("import requests", "requests.post('u')"),
        ("import requests as r", "r.request('GET', 'u')"),
        ("from requests import post", "post('u')"),
        ("import requests\nS = requests.Session()", "S.get('u')"),
        ("from requests.sessions import Session\nS = Session()", "S.put('u')"),
        ("import urllib.request", "urllib.request.urlopen('u')"),
        ("from urllib.request import urlopen as get", "get('u')"),
        ("import urllib3\nP = urllib3.PoolManager()", "P.request('GET', 'u')"),
        ("import http.client", "http.client.HTTPSConnection('h').request('GET', '/')"),
        ("import httpx", "httpx.get('u')"),
        ("import httpx\nC = httpx.Client()", "C.post('u')"),
        ("import openai\nC = openai.OpenAI()", "C.chat.completions.create(model='m')"),
        ("from openai import AzureOpenAI\nC = AzureOpenAI()", "C.with_options(timeout=3).responses.create()"),
        ("import time", "time.sleep(1)"),
        ("import requests", "getattr(requests, 'post')('u')"),
        ("import functools, requests\nGET = functools.partial(requests.get, timeout=3)", "GET('u')"),
        ("import requests\nASK = lambda url: requests.get(url)", "ASK('u').json()"),
        ("import time\nsleep = time.sleep", "sleep(1)"),
        ("import subprocess", "subprocess.run(['true'])"),
        ("from subprocess import Popen", "Popen(['true']).wait()"),
        ("import os", "os.system('true')"),
        ("import socket\nS = socket.socket()", "S.connect(('h', 1))"),
        ("CLIENTS = []\nimport openai\nCLIENTS.append(openai.OpenAI())", "CLIENTS[0].models.list()"),
    ],
)
def test_every_way_to_block(head: str, call: str) -> None:
    line = 2 if "ASK" in head else head.count("\n") + 4
    assert lines(reward(f"    {call}", head)) == [f"reward_demo.py:{line} warning"]


@for_each(
    ("head", "statement"),
    [
        ("import asyncio", "await asyncio.sleep(1)"),
        ("import openai\nC = openai.AsyncOpenAI()", "await C.chat.completions.create(model='m')"),
        ("import httpx\nC = httpx.AsyncClient()", "await C.post('u')"),
        ("import asyncio, time", "await asyncio.to_thread(time.sleep, 1)"),
        ("import asyncio, time", "await asyncio.to_thread(lambda: time.sleep(1))"),
        ("import asyncio, requests", "await asyncio.get_event_loop().run_in_executor(None, requests.get, 'u')"),
        ("import asyncio", "await (await asyncio.create_subprocess_exec('true')).wait()"),
        ("import subprocess", "subprocess.Popen(['true'])"),
        ("import requests", "requests.Request('GET', 'u').prepare()"),
        ("import aiohttp", "aiohttp.ClientSession().get('u')"),
        ("import socket", "socket.gethostname()"),
        ("import openai", "openai.OpenAI(timeout=3)"),
        ("import threading, time", "threading.Thread(target=time.sleep, args=(3,)).start()"),
        ("from anyio import to_thread\nimport time", "await to_thread.run_sync(time.sleep, 1)"),
    ],
)
def test_what_does_not_block(head: str, statement: str) -> None:
    assert lines(reward(f"    {statement}", head)) == []


def test_a_loop_that_a_loop_would_run() -> None:
    head = "import asyncio\n\n\nasync def inner():\n    return 1\n"
    assert lines(reward("    asyncio.run(inner())", head)) == ["reward_demo.py:9 error"]
    loop = "    asyncio.new_event_loop().run_until_complete(inner())"
    assert lines(reward(loop, head)) == ["reward_demo.py:9 error"]
    assert lines(reward("    await asyncio.to_thread(asyncio.run, inner())", head)) == []
    assert lines(reward("    await asyncio.to_thread(lambda: asyncio.run(inner()))", head)) == []
    patched = f"import nest_asyncio\n{head}\nnest_asyncio.apply()\n"
    assert lines(reward("    asyncio.run(inner())", patched)) == ["reward_demo.py:12 warning"]


def test_a_coroutine_for_another_loop_may_wait() -> None:
    head = "import asyncio, time\nLOOP = asyncio.new_event_loop()\n\n\nasync def slow():\n    time.sleep(1)\n"
    assert lines(reward("    asyncio.run_coroutine_threadsafe(slow(), LOOP)", head)) == []
    body = "    made = slow()\n    asyncio.run_coroutine_threadsafe(made, LOOP)"
    assert lines(reward(body, head)) == []
    assert lines(reward("    await slow()", head)) == ["reward_demo.py:6 warning"]


def test_a_subclass_of_a_client_is_one() -> None:
    judge = "class Judge(requests.Session):\n    def ask(self):\n        return self.get('u')\n"
    head = f"import requests\n\n\n{judge}\n\nJ = Judge()"
    assert lines(reward("    J.ask()", head)) == ["reward_demo.py:6 warning"]


def test_sft_has_no_reward() -> None:
    tree = reward("    time.sleep(1)", "import time")
    assert lines({**tree, RUN: TRAIN.replace("\n", " --loss-type sft\n")}) == []


def test_the_agent_of_an_agentic_launch_runs_elsewhere() -> None:
    tree = {
        RUN: TRAIN.replace("\n", " --use-agentic-rollout --agent-command 'python3 examples/demo/agent.py'\n"),
        "examples/demo/agent.py": "import asyncio, time\n\n\nasync def go():\n    time.sleep(1)\nasyncio.run(go())\n",
        **reward("    pass"),
    }
    assert lines(tree) == []


def test_a_client_that_a_dataclass_makes_is_one() -> None:
    head = """\
from dataclasses import dataclass, field

from openai import OpenAI


@dataclass
class Judge:
    url: str = "u"
    client: OpenAI = field(default_factory=lambda: OpenAI(timeout=3))

    def ask(self):
        return self.client.models.list()


JUDGE = Judge()"""
    assert lines(reward("    JUDGE.ask()", head)) == ["reward_demo.py:12 warning"]


def test_a_client_is_known_through_what_yields_it() -> None:
    head = "import contextlib, requests\n\n\n@contextlib.contextmanager\ndef session():\n    yield requests.Session()\n"
    body = "    with session() as opened:\n        opened.get('u')"
    assert lines(reward(body, head)) == ["reward_demo.py:11 warning"]


def test_advice_is_for_the_function_that_blocks() -> None:
    tree = {
        REWARD: "import time\n\n\ndef wait():\n    time.sleep(1)\n\n\n"
        "async def reward_func(args, sample, **kwargs):\n    wait()\n    time.sleep(2)\n    return 0.0\n"
    }
    project, settings = Project.from_files({RUN: TRAIN, **tree}), Settings(selection=(Layer(select=("RLX210",)),))
    in_helper, in_reward = sorted(lint(project, load_rules(), settings).diagnostics, key=lambda found: found.line)
    assert "await asyncio.to_thread(wait, …)" in in_helper.message
    assert in_reward.message.endswith("use `await asyncio.sleep(…)`")


POOL = "import asyncio\nimport concurrent.futures\n\nPOOL = concurrent.futures.ProcessPoolExecutor(4)\n"


@pytest.mark.parametrize(
    "body",
    [
        "    future = POOL.submit(len, sample.response)\n    score = future.result(timeout=10)",
        "    score = POOL.submit(len, sample.response).result()",
        "    with concurrent.futures.ThreadPoolExecutor() as pool:\n        score = pool.submit(len, 'x').result()",
        "    future = asyncio.run_coroutine_threadsafe(ask(), LOOP)\n    score = future.result()",
    ],
)
def test_a_future_of_a_pool_holds_the_loop(body: str) -> None:
    assert len(lines(reward(body, POOL))) == 1


@pytest.mark.parametrize(
    "body",
    [
        "    future = POOL.submit(len, 'x')\n    score = await asyncio.wrap_future(future)",
        "    future = POOL.submit(len, 'x')\n    await asyncio.wait([ready(future)])\n    future.result()",
        "    future = POOL.submit(len, 'x')\n    score = future.result() if future.done() else 0.0",
        "    task = asyncio.create_task(ask())\n    await asyncio.wait([task])\n    score = task.result()",
        "    future = POOL.submit(len, 'x')\n    if future.done():\n        score = future.result()",
    ],
)
def test_a_future_that_is_awaited_or_done_holds_nothing(body: str) -> None:
    assert lines(reward(body, POOL)) == []
