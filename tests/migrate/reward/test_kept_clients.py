"""Clients that coroutines make for each call: carried over, one serves all calls of an event loop, and the scores are
the same."""

from __future__ import annotations

import asyncio
import importlib.util
from pathlib import Path
from typing import Any

import pytest

from relax_lint.migrate.reward.request import Argument, Function
from tests.migrate.reward.judge_server import Judge
from tests.migrate.reward.produced import Workshop, run

pytestmark = [pytest.mark.filterwarnings("ignore::ResourceWarning"), pytest.mark.usefixtures("ends_clients")]


_AIOHTTP = "import aiohttp\n\n\n"
_HEAD = "async def compute_score(data_source, solution_str, ground_truth, extra_info=None, url='u'):\n"
_SHARED = {
    "entered": f"{_AIOHTTP}{_HEAD}    async with aiohttp.ClientSession() as session:\n"
    "        async with session.post(url, json={'t': solution_str}) as answer:\n"
    "            return (await answer.json())['n']\n",
    "both entered": f"{_AIOHTTP}{_HEAD}    async with (\n        aiohttp.ClientSession() as session,\n"
    "        session.post(url, json={'t': solution_str}) as answer,\n    ):\n"
    "        return (await answer.json(content_type=None))['n']\n",
    "closed": f"{_AIOHTTP}{_HEAD}    timeout = aiohttp.ClientTimeout(total=None)\n"
    "    session = aiohttp.ClientSession(timeout=timeout, connector=aiohttp.TCPConnector(limit=4), trust_env=True)\n"
    "    try:\n        answer = await session.post(url, json={'t': solution_str})\n"
    "        return (await answer.json())['n']\n    finally:\n        await session.close()\n",
    "class": f"import asyncio\nfrom aiohttp import ClientSession as Made, ClientTimeout\n\n\n{_HEAD}"
    "    async with Made(timeout=ClientTimeout(total=5), headers={'X-Key': 'k'}) as session:\n"
    "        async with session.request('POST', url, json={'t': solution_str}) as answer:\n"
    "            told = await answer.json()\n            return told['n'] + len(told['key'])\n",
    "handed on": f"{_AIOHTTP}async def ask(session, url, text):\n"
    "    for attempt in range(3):\n        async with session.post(url, json={'t': text}) as answer:\n"
    "            told = await answer.json()\n"
    "            if answer.status == 200:\n                return told\n"
    f"\n\n{_HEAD}    async with aiohttp.ClientSession(json_serialize=__import__('json').dumps) as session:\n"
    "        return (await ask(session, url, 'no' + solution_str))['n']\n",
    "httpx": f"import httpx\n\n\n{_HEAD}"
    "    async with httpx.AsyncClient(timeout=httpx.Timeout(4), trust_env=False) as client:\n"
    "        return (await client.post(url, json={'t': solution_str})).json()['n']\n",
    "httpx closed": f"import httpx as h\n\n\n{_HEAD}    client = h.AsyncClient(headers={{'X-Key': data_source}})\n"
    "    told = (await client.post(url, json={'t': solution_str})).json()\n    await client.aclose()\n"
    "    return told['n'] + len(told['key'])\n",
    "openai": f"import openai\n\n\n{_HEAD}"
    "    async with openai.AsyncOpenAI(base_url=url, api_key=data_source, max_retries=0) as client:\n"
    "        said = await client.post('/x', body={'t': solution_str}, cast_to=dict)\n        return said['n']\n",
}
_TEXTS = ("", "a", "ab" * 30, "a", "xyz")


def _original(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("original", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.compute_score


@pytest.mark.parametrize("form", _SHARED)
def test_one_client_asks_for_all_and_gives_the_same(form: str, judge: str, workshop: Workshop) -> None:
    path = workshop.write("mine.py", _SHARED[form])
    score = _original(path)
    expected = [asyncio.run(score("d", text, "l", {}, judge)) for text in _TEXTS]
    Judge.refused, made = set(), Judge.connections
    assert made >= len(_TEXTS)
    arguments = (Argument("url", "judge_url", judge),)
    carried = workshop.carry("mine", function=Function(path, "compute_score"), arguments=arguments)
    assert not carried.problems
    samples = [workshop.sample(text, "l", data_source="d") for text in _TEXTS]
    for _ in range(2):  # each in an event loop of its own
        Judge.connections = 0
        scores = [each["score"] for each in run(workshop.reward("mine"), samples, at_once=1)]
        assert scores == [float(each) for each in expected]
        assert Judge.connections == 1
    many = run(workshop.reward("mine"), samples * 20, at_once=100)
    assert [each["score"] for each in many] == [float(each) for each in expected] * 20


def test_each_of_what_a_client_is_made_of_has_one(judge: str, workshop: Workshop) -> None:
    path = workshop.write("mine.py", _SHARED["httpx closed"])
    arguments = (Argument("url", "judge_url", judge),)
    workshop.carry("mine", function=Function(path, "compute_score"), arguments=arguments)
    samples = [workshop.sample("a", "l", data_source=each) for each in ("d", "long", "d", "long", "d")]
    assert [each["score"] for each in run(workshop.reward("mine"), samples, at_once=1)] == [2, 5, 2, 5, 2]
    assert Judge.connections == 2


_USED = (
    "session.cookie_jar.clear()",
    "await session.get(url); await session.get(url)",
    "answers = [session]",
    "outside(session)",
    "await asyncio.gather(*(each.get(url) for each in [session]))",
    "session = session or 1",
)


@pytest.mark.parametrize("use", _USED)
def test_a_client_of_which_more_is_done_stays_as_it_is(use: str, workshop: Workshop) -> None:
    text = (
        f"import asyncio\nfrom json import dumps as outside\n\nimport httpx\n\n\n{_HEAD}"
        f"    async with httpx.AsyncClient(timeout=5) as session:\n        {use}\n    return 1\n"
    )
    path = workshop.write("mine.py", text)
    carried = workshop.carry("mine", function=Function(path, "compute_score"))
    assert "_cached_in_loop" not in carried.files[0].text


@pytest.mark.parametrize(
    "made", ["transport=extra_info", "**extra_info", "auth=data_source", "event_hooks={'request': [data_source]}"]
)
def test_a_client_that_is_made_of_more_than_plain_values_stays_as_it_is(made: str, workshop: Workshop) -> None:
    text = f"import httpx\n\n\n{_HEAD}    async with httpx.AsyncClient({made}) as s:\n        return await s.get(url)\n"
    path = workshop.write("mine.py", text)
    carried = workshop.carry("mine", function=Function(path, "compute_score"))
    assert "_cached_in_loop" not in carried.files[0].text
