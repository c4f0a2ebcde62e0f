"""Rewards that ask a judge over HTTP: asked by one client, they give what verl's code gives, and wait side by side."""

from __future__ import annotations

import ast
import importlib.util
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from relax_lint.migrate.reward.request import Argument, Function
from tests.migrate.reward.originals import SCORES, original, outcome
from tests.migrate.reward.produced import Workshop, run

pytestmark = [pytest.mark.filterwarnings("ignore::ResourceWarning"), pytest.mark.usefixtures("ends_clients")]


class _Judge(BaseHTTPRequestHandler):
    """Scores a text by its length; some texts make it fail in one way or another."""

    protocol_version = "HTTP/1.1"
    running = most = 0
    lock = threading.Lock()

    def do_POST(self) -> None:
        kind = type(self)
        with self.lock:
            kind.running += 1
            kind.most = max(kind.most, kind.running)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(0.02)
        status, answer = self._answer(json.loads(body))
        with self.lock:
            kind.running -= 1
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def _answer(self, asked: Any) -> tuple[int, bytes]:
        if "code" in asked:
            told_by = {"print(2)": "2\n", "print(3)": "3\n"}.get(asked["code"].strip(), "")
            result = {"status": "Finished", "return_code": 0, "stdout": told_by, "stderr": ""}
            return 200, json.dumps({"status": "Success", "run_result": result}).encode()
        text = asked["messages"][-1]["content"] if "messages" in asked else asked["text"]
        if text == "refused":
            return 403, b'{"error": "no"}'
        if text == "broken":
            return 200, b"{"
        if text == "empty":
            return 200, b"{}"
        if "messages" in asked:
            message = {"role": "assistant", "content": f"Score: {len(text)}"}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            told: dict[str, Any] = {"id": "1", "object": "chat.completion", "created": 1, "model": "m"}
            return 200, json.dumps({**told, "choices": [choice]}).encode()
        return 200, json.dumps({"score": len(text) / 10}).encode()

    def log_message(self, *told: object) -> None:
        """Nothing is logged."""


@pytest.fixture
def judge() -> Iterator[str]:
    _Judge.most = 0
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Judge)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


_WITH_REQUESTS = '''\
"""Asks a judge."""

import json
import time

import requests

RETRIES = 2


def ask(text, url):
    """Ask a few times."""
    for attempt in range(RETRIES):
        try:
            # the judge answers with a number
            response = requests.post(url, data=json.dumps({"text": text}), headers={"X-Try": str(attempt)}, timeout=5)
            if not response.ok:
                return -1.0
            return response.json()["score"]
        except requests.exceptions.RequestException:
            time.sleep(0.01)
    return -2.0


def compute_score(data_source, solution_str, ground_truth, extra_info=None, url="http://nowhere"):
    try:
        score = ask(solution_str, url) + ask(ground_truth, url)
    except KeyError:
        score = -3.0
    return {"score": score, "asked": 2}
'''
_WITH_A_SESSION = """\
import requests


def compute_score(data_source, solution_str, ground_truth, extra_info=None, url="http://nowhere"):
    with requests.Session() as session:
        response = session.post(url, json={"text": solution_str})
    try:
        response.raise_for_status()
        return response.json()["score"]
    except (requests.HTTPError, KeyError, ValueError):
        return 0
"""
_WITH_OPENAI = """\
import re

from openai import OpenAI, APIStatusError


def compute_score(data_source, solution_str, ground_truth, extra_info=None, url="http://nowhere"):
    client = OpenAI(base_url=url, api_key="none", max_retries=0)
    try:
        said = client.chat.completions.create(model="m", messages=[{"role": "user", "content": solution_str}])
    except APIStatusError as error:
        return -error.status_code
    found = re.search(r"Score: (\\\\d+)", said.choices[0].message.content)
    return float(found.group(1)) if found else 0.0
""".replace("\\\\d", "\\d")


@pytest.mark.parametrize("program", ["print(2)", "print(3)", ""])
def test_a_sandbox_is_asked_as_verl_asks_it(program: str, judge: str, workshop: Workshop) -> None:
    """It is asked in threads, and never by more than it has slots for."""
    tests = json.dumps({"inputs": ["1\n", "5\n"], "outputs": ["2\n", "6\n"]})
    score = original(SCORES, "default_compute_score")
    expected = [
        outcome(score, "apps", f"```python\n{program}\n```", label, None, judge, None, 1024)
        for label in (tests, "{", "{}")
    ]
    sandbox = (
        Argument("sandbox_fusion_url", "sandbox_fusion_url", judge),
        Argument("concurrent_semaphore", "sandbox_fusion_max_concurrent", 2),
        Argument("memory_limit_mb", "sandbox_fusion_memory_limit_mb", 1024),
    )
    carried = workshop.carry("sandboxed", sources=("apps",), sandbox=sandbox)
    assert not carried.problems
    _Judge.most = 0
    samples = [workshop.sample(f"```python\n{program}\n```", label, data_source="apps") for label in (tests, "{", "{}")]
    assert run(workshop.reward("sandboxed"), samples) == expected
    assert _Judge.most <= 2


_IN_THREAD = """\
import requests


def ask(x):
    return requests.get(x).json()


def compute_score(solution_str, ground_truth, **_):
"""
_TEXTS = ("", "a", "abcdef", "refused", "broken", "empty", "ä" * 40)


@pytest.mark.parametrize(
    ("text", "given"),
    [(_WITH_REQUESTS, _TEXTS), (_WITH_A_SESSION, _TEXTS), (_WITH_OPENAI, ("", "abc", "refused", "ä" * 40))],
    ids=["requests", "session", "openai"],
)
def test_a_judge_gives_the_same_scores_and_is_asked_side_by_side(
    text: str, given: tuple[str, ...], judge: str, workshop: Workshop
) -> None:
    path = workshop.write("judged.py", text)
    spec = importlib.util.spec_from_file_location("judged", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    expected = [module.compute_score("d", response, "xyz", {}, judge) for response in given]
    assert _Judge.most == 1

    carried = workshop.carry(
        "judged", function=Function(path, "compute_score"), arguments=(Argument("url", "judge_url", judge),)
    )
    assert not carried.problems
    assert not carried.notes
    written = carried.files[0].text
    assert "async def verl_compute_score" in written
    assert "to_thread" not in written
    assert [line.strip() for line in text.splitlines() if "#" in line] == [
        line.strip() for line in written.splitlines() if "# the judge" in line
    ]
    samples = [workshop.sample(response, "xyz", data_source="d") for response in given]
    scores = run(workshop.reward("judged"), samples)
    assert [each["score"] for each in scores] == [
        float(each["score"] if isinstance(each, dict) else each) for each in expected
    ]
    assert _Judge.most > 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("max(requests.get(x).json() for x in 'ab')", "line 9 asks within an inner function or generator"),
        ("sum(map(ask, 'ab'))", "ask is handed on"),
        ("requests.get('x', verify=False).json()", "line 9 passes verify"),
    ],
)
def test_what_cannot_be_awaited_runs_in_a_thread_and_that_is_said(text: str, why: str, workshop: Workshop) -> None:
    path = workshop.write("judged.py", _IN_THREAD + f"    return {text}\n")
    carried = workshop.carry("judged", function=Function(path, "compute_score"))
    assert not carried.problems
    assert why in carried.notes[0]
    assert "await asyncio.to_thread(" in carried.files[0].text


_KEEPS_A_CLIENT = """\
import asyncio
import functools

from openai import OpenAI


@functools.lru_cache(maxsize=1)
def get_client(url):
    return OpenAI(
        base_url=url,
        api_key="none",
    )


def ask(url, text):
    client = get_client(url)
    said = client.chat.completions.create(model="m", messages=[{"role": "user", "content": text}])
    return float(said.choices[0].message.content.split()[-1])


async def compute_score(data_source, solution_str, ground_truth, extra_info=None, url="http://nowhere"):
    return await asyncio.to_thread(ask, url, solution_str)
"""


def test_a_client_that_stays_says_how_long_it_waits(judge: str, workshop: Workshop) -> None:
    path = workshop.write("judged.py", _KEEPS_A_CLIENT)
    arguments = (Argument("url", "judge_url", f"{judge}/v1"),)
    carried = workshop.carry("judged", function=Function(path, "compute_score"), arguments=arguments)
    assert "the client of openai in line 9 of judged.py has timeout=600.0 now" in carried.notes[0]
    assert 'api_key="none", timeout=600.0,' in carried.files[0].text
    assert [each["score"] for each in run(workshop.reward("judged"), [workshop.sample("abc", data_source="d")])] == [3]


def test_imports_stand_once_and_only_those_that_are_used(workshop: Workshop) -> None:
    text = (
        "import json, os, re, time\nimport requests\n\n\ndef compute_score(solution_str, ground_truth, **_):\n"
        "    for _ in range(3):\n"
        "        found = requests.post(os.environ['J'], json={'x': re.sub('a', '', solution_str)})\n"
        "        if found.ok:\n            return float(json.loads(found.text))\n"
        "        time.sleep(1)\n    return 0.0\n"
    )
    carried = workshop.carry("judged", function=Function(workshop.write("judged.py", text), "compute_score"))
    tree = ast.parse(carried.files[0].text)
    bound = [name.name for each in tree.body if isinstance(each, ast.Import) for name in each.names]
    assert sorted(bound) == sorted(set(bound))
    assert "asyncio" in bound
    assert "time" not in bound
