"""What requests does its own way, when one client of httpx sends it: queries, forms, encodings, cookies, errors."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import ssl
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import trustme

from relax_lint.migrate.reward.request import Argument, Function
from tests.migrate.reward.produced import Workshop, run

pytestmark = [pytest.mark.filterwarnings("ignore::ResourceWarning"), pytest.mark.usefixtures("ends_clients")]
_ASKED_AT_ONCE, _CONNECTIONS = 40, 4


class _Echo(BaseHTTPRequestHandler):
    """Tells what it was asked, and gives a cookie; some paths answer in another way."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        told = [self.command, self.path, body, *map(self.headers.get, ("Content-Type", "Authorization", "Cookie"))]
        answer, status, kind = json.dumps(told), 200, "text/plain"
        if self.path.startswith("/umlauts"):
            answer = '{"ä": "éé"}'
        elif self.path.startswith("/slow"):
            time.sleep(0.2)
        elif self.path.startswith("/never"):
            time.sleep(1)
        elif self.path.startswith("/broken"):
            answer = "{"
        elif self.path.startswith("/missing"):
            status = 404
        elif self.path.startswith(("/away", "/login", "/round")):
            status = 302
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "/round" if self.path.startswith("/round") else "/there?r=1")
            if self.path.startswith("/login"):
                self.send_header("Set-Cookie", "token=2")
                self.send_header("Set-Cookie", "way=3; Path=/elsewhere")
        else:
            self.send_header("Set-Cookie", "session=1")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(answer.encode())))
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(answer.encode())

    do_POST = do_PUT = do_GET

    def log_message(self, *told: object) -> None:
        """Nothing is logged."""


class _Server(ThreadingHTTPServer):
    request_queue_size = 1024
    daemon_threads = True


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    made = _Server(("127.0.0.1", 0), _Echo)
    thread = threading.Thread(target=made.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{made.server_port}"
    made.shutdown()
    thread.join()
    made.server_close()


_ASKS = {
    "query of the URL": 'requests.get(url + "/e?key=1", params={"q": solution_str}, timeout=5).text',
    "query by place": 'requests.get(url + "/e?key=1&", {"q": [solution_str, 2]}, timeout=5).text',
    "none in a query": 'requests.get(url + "/e", params={"a": None, "b": True, "c": [1, None]}, timeout=5).text',
    "odd signs in the URL": 'requests.get(f"{url}/e|{solution_str}?q={solution_str}^", timeout=5).text',
    "form": 'requests.post(url + "/e", data={"a": solution_str, "b": None, "c": True}, timeout=5).text',
    "form by place": 'requests.post(url + "/e", {"a": [1, 2]}, timeout=5).text',
    "text": 'requests.post(url + "/e", data=f"ä{solution_str}", timeout=5).text',
    "bytes": 'requests.put(url + "/e", data="x=1é".encode(), timeout=5).text',
    "json": 'requests.post(url + "/e", json={"a": solution_str}, headers={"Authorization": "x"}, timeout=5).json()[3:]',
    "no json": 'requests.post(url + "/e", json={}, timeout=5).text',
    "no number": 'requests.post(url + "/e", json={"a": float("nan")}, timeout=5).text',
    "files": 'requests.post(url + "/e", files={"a": ("n", b"12")}, timeout=5).json()[2].splitlines()[1:-1]',
    "auth": 'requests.get(url + "/e", auth=("u", "p"), timeout=5).text',
    "method": 'requests.request("PUT", url=url + "/e", json={"a": 1}, timeout=(3, 5)).text',
    "encoding": 'requests.get(url + "/umlauts", timeout=5).text',
    "encoding of JSON": 'requests.get(url + "/umlauts", timeout=5).json()',
    "cookies": '[requests.get(url + "/e", timeout=5).text for _ in range(2)]',
    "cookies sent": 'requests.get(url + "/e", cookies={"a": "b"}, timeout=5).text',
    "status": 'requests.get(url + "/missing", timeout=5).status_code',
    "truth": 'bool(requests.get(url + "/missing", timeout=5))',
    "error": 'requests.get(url + "/missing", timeout=5).raise_for_status()',
    "no JSON": 'requests.get(url + "/broken", timeout=5).json()',
    "no URL": 'requests.get("not a url", timeout=5).json()',
    "another scheme": 'requests.get("ftp://nowhere", timeout=5).json()',
    "nobody there": 'requests.get("http://127.0.0.1:9/x", timeout=5).json()',
    "no answer": 'requests.get(url + "/never", timeout=0.2).json()',
    "redirected": '(lambda r: [r.text, r.url[-3:], len(r.history), r.reason, r.ok])(requests.get(url + "/away"))',
    "redirected with a cookie": 'requests.get(url + "/login", timeout=5).text',
    "redirected with cookies of both": 'requests.post(url + "/login", data={"a": 1}, cookies={"a": "b"}).text',
    "redirected without end": 'requests.get(url + "/round", timeout=5).text',
    "cookies of an answer": 'sorted(requests.get(url + "/login", timeout=5).history[0].cookies.items())',
    "not redirected": 'requests.get(url + "/away", timeout=5, allow_redirects=False).status_code',
}
_SCORING = """\
import requests

CAUGHT = (
    requests.exceptions.ConnectTimeout,
    requests.exceptions.Timeout,
    requests.exceptions.JSONDecodeError,
    requests.HTTPError,
    requests.exceptions.MissingSchema,
    requests.exceptions.InvalidSchema,
    requests.exceptions.InvalidJSONError,
    requests.TooManyRedirects,
    requests.exceptions.ConnectionError,
    OSError,
)


def compute_score(solution_str, ground_truth, url="http://nowhere", **_):
    try:
        told = {ask}
    except CAUGHT as error:
        number = next(number for number, kind in enumerate(CAUGHT) if isinstance(error, kind))
        answer = error.response
        return {{"score": -1, "told": f"{{number}} {{None if answer is None else answer.status_code}}"}}
    return {{"score": 1, "told": str(told)}}
"""


@pytest.mark.parametrize("ask", _ASKS.values(), ids=list(_ASKS))
def test_what_is_asked_and_what_is_answered_are_those_of_requests(ask: str, server: str, workshop: Workshop) -> None:
    path = workshop.write("judged.py", _SCORING.format(ask=ask))
    spec = importlib.util.spec_from_file_location("judged", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    responses = ["a b&ü", "'"]
    expected = [module.compute_score(response, "", server) for response in responses]

    function = Function(path, "compute_score")
    carried = workshop.carry("judged", function=function, arguments=(Argument("url", "judge_url", server),))
    assert not carried.problems
    assert not carried.notes
    assert "to_thread" not in carried.files[0].text
    samples = [workshop.sample(response, "", data_source="d") for response in responses]
    assert run(workshop.reward("judged"), samples) == expected


_IMPATIENT = """\
import {module}


def compute_score(solution_str, ground_truth, url="http://nowhere", **_):
    try:
        return {module}.get(url + "/slow", timeout=1).status_code
    except {error}:
        return 0.0
"""


@pytest.mark.parametrize(("module", "error"), [("requests", "requests.RequestException"), ("httpx", "httpx.HTTPError")])
def test_waiting_for_a_free_connection_is_no_lack_of_an_answer(
    module: str, error: str, server: str, workshop: Workshop
) -> None:
    """Each answer comes in time, however many are asked for by few connections."""
    path = workshop.write("judged.py", _IMPATIENT.format(module=module, error=error))
    function = Function(path, "compute_score")
    carried = workshop.carry("judged", function=function, arguments=(Argument("url", "judge_url", server),))
    few = carried.files[0].text.replace("max_connections=256", f"max_connections={_CONNECTIONS}")
    assert few != carried.files[0].text
    (workshop.root / "examples/judged/reward_judged.py").write_text(few)
    samples = [workshop.sample("a", "", data_source="d")] * _ASKED_AT_ONCE
    scores = run(workshop.reward("judged"), samples, at_once=_ASKED_AT_ONCE)
    assert [each["score"] for each in scores] == [200.0] * _ASKED_AT_ONCE


_SESSIONS = {
    "cookies": """
    with requests.Session() as session:
        session.post(url + "/login", json={}, timeout=5)
        return {"score": 1, "told": session.get(url + "/e", timeout=5).text + str(session.cookies.get_dict())}
""",
    "headers": """
    with requests.Session() as session:
        session.headers["Authorization"] = "token"
        session.headers.update({"Content-Type": "text/x"})
        first = session.post(url + "/e", data="x", timeout=5).text
        return {"score": 1, "told": first + session.get(url + "/e", headers={"Authorization": "own"}, timeout=5).text}
""",
    "all that holds for requests": """
    session = requests.session()
    session.auth = ("a", "b")
    session.params = {"every": "time"}
    session.cookies.set("own", "1")
    session.trust_env = False
    told = [session.get(url + "/e", params={"q": solution_str}, timeout=5).text for _ in range(2)]
    session.close()
    return {"score": 1, "told": str(told)}
""",
    "redirects": """
    session = requests.Session()
    session.max_redirects = 2
    try:
        session.get(url + "/round", timeout=5)
    except requests.TooManyRedirects as error:
        return {"score": 0, "told": str(error)}
""",
}


@pytest.mark.parametrize("session", _SESSIONS.values(), ids=list(_SESSIONS))
def test_what_is_set_on_a_session_holds_for_what_it_asks(session: str, server: str, workshop: Workshop) -> None:
    head = "def compute_score(solution_str, ground_truth, url='http://nowhere', **_):"
    path = workshop.write("judged.py", f"import requests\n\n\n{head}{session}")
    given: dict[str, Any] = {"__name__": "judged"}
    exec(compile(path.read_text(), "judged", "exec"), given)
    expected = given["compute_score"]("r", "", server)
    arguments = (Argument("url", "judge_url", server),)
    carried = workshop.carry("judged", function=Function(path, "compute_score"), arguments=arguments)
    assert not carried.notes
    assert "to_thread" not in carried.files[0].text
    assert run(workshop.reward("judged"), [workshop.sample("r", "", data_source="d")]) == [expected]


_KEPT_ELSEWHERE = """\
import requests


def compute_score(solution_str, ground_truth, url="http://nowhere", **_):
    with requests.Session() as session:
        session.mount("http://", requests.adapters.HTTPAdapter(max_retries=3))
        return len(session.get(url + "/e", timeout=5).text)
"""


def test_a_session_with_an_adapter_of_its_own_runs_in_a_thread(workshop: Workshop) -> None:
    path = workshop.write("judged.py", _KEPT_ELSEWHERE)
    carried = workshop.carry("judged", function=Function(path, "compute_score"))
    assert "line 6 does more with session than to ask" in carried.notes[0]
    assert "await asyncio.to_thread(" in carried.files[0].text


@pytest.mark.parametrize("variable", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_who_is_trusted_is_what_requests_is_told(
    variable: str, tmp_path: Path, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority, trusted = trustme.CA(), tmp_path / "trusted.pem"
    authority.cert_pem.write_to_path(str(trusted))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    made = _Server(("127.0.0.1", 0), _Echo)
    made.socket = context.wrap_socket(made.socket, server_side=True)
    thread = threading.Thread(target=made.serve_forever)
    thread.start()
    path = workshop.write("judged.py", _SCORING.format(ask='requests.get(url + "/e", timeout=5).status_code'))
    function = Function(path, "compute_score")
    url = f"https://localhost:{made.server_port}"
    workshop.carry("judged", function=function, arguments=(Argument("url", "judge_url", url),))
    reward, sample = workshop.reward("judged"), workshop.sample("a", "", data_source="d")
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    assert [each["score"] for each in run(reward, [sample])] == [-1]
    monkeypatch.setenv(variable, str(trusted))
    assert run(reward, [sample]) == [{"score": 1, "told": "200"}]
    made.shutdown()
    thread.join()
    made.server_close()
