"""Calls of requests and httpx, as they wait on the event loop: requests makes them and reads their answers, as before,
and one client of httpx sends them."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from relax_lint.migrate.carrying.closure import dotted_name
from relax_lint.records import record

CLIENT = "_CLIENT"
ASK = "_ask"
SESSION = "_Session"
_OF_REQUESTS = frozenset({"url", "params", "data", "json", "headers", "timeout", "cookies", "files", "allow_redirects"})
_OF_HTTPX = frozenset(
    {"url", "params", "data", "json", "headers", "content", "files", "timeout", "auth", "cookies", "follow_redirects"}
)
_OF_THE_CONNECTION = frozenset({"raw", "connection", "next"})
OF_SESSIONS = frozenset({"headers", "cookies", "params", "proxies", "verify", "max_redirects", "trust_env"})
"""What may be read and set of a session: requests itself heeds it, or is asked for it."""
_POSITIONAL = {"get": ("params",), "post": ("data", "json"), "put": ("data",), "patch": ("data",)}
_PLAIN = (
    ast.Expr,
    ast.Assign,
    ast.AnnAssign,
    ast.Return,
    ast.keyword,
    ast.Call,
    ast.List,
    ast.Tuple,
    ast.Dict,
    ast.ListComp,
    ast.NamedExpr,
    ast.If,
    ast.While,
    ast.Raise,
)


class NotLikeIt(Exception):
    """Something that is done in another way on an event loop: then the code is left as it is, and runs in a thread."""


@record
class Request:
    """A request: what is called in place of it, and texts that go before or around arguments."""

    called: str
    before: Sequence[tuple[ast.AST, str]] = ()
    after: Sequence[tuple[ast.AST, str]] = ()


def request_of(call: ast.Call, module: str, session: str = "") -> Request:
    """The request that a call of ``requests`` or ``httpx`` makes, of requests by a ``session`` or without one."""
    method = (dotted_name(call.func) or "").rpartition(".")[2]
    if any(isinstance(each, ast.Starred) for each in call.args):
        raise NotLikeIt(f"line {call.lineno} hands on a list of arguments")
    return _of_httpx(call, method) if module == "httpx" else _of_requests(call, method, session)


def _of_requests(call: ast.Call, method: str, session: str) -> Request:
    if method == "head":
        raise NotLikeIt(f"line {call.lineno} asks for the head alone")
    before: list[tuple[ast.AST, str]] = []
    given_there: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    first = min(given_there, key=lambda each: (each.lineno, each.col_offset), default=None)
    if first is None:
        raise NotLikeIt(f"line {call.lineno} asks nobody")
    own = 2 if method == "request" else 1
    names = _POSITIONAL.get(method, ())
    if len(call.args) > own + len(names):
        raise NotLikeIt(f"line {call.lineno} has more arguments than are understood")
    if method != "request":
        before.append((first, f'"{method.upper()}", '))
    given = list(zip(names, call.args[own:], strict=False))
    before += [(value, f"{name}=") for name, value in given]
    for name, value in [*given, *((each.arg, each.value) for each in call.keywords)]:
        allowed = name in _OF_REQUESTS or (name == "auth" and isinstance(value, ast.Tuple))
        if not allowed and not (name == "method" and method == "request"):
            raise NotLikeIt(f"line {call.lineno} passes {name or '**'}, which belongs to a client")
        if name == "data" and not _is_known(value):
            raise NotLikeIt(f"line {value.lineno} sends data of which nothing is known")
    return Request(f"{session}.ask" if session else ASK, before)


def _is_known(value: ast.expr) -> bool:
    """Whether ``data`` is a form or a text, and no file."""
    if isinstance(value, ast.Call):
        called = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
        return called in ("dumps", "encode", "dict")
    return isinstance(value, (ast.Dict, ast.List, ast.JoinedStr, ast.Constant))


def _of_httpx(call: ast.Call, method: str) -> Request:
    if len(call.args) > (2 if method == "request" else 1):
        raise NotLikeIt(f"line {call.lineno} has more arguments than are understood")
    for keyword in call.keywords:
        if keyword.arg not in _OF_HTTPX and not (keyword.arg == "method" and method == "request"):
            raise NotLikeIt(f"line {call.lineno} passes {keyword.arg or '**'}, which belongs to a client")
    timeout = [each.value for each in call.keywords if each.arg == "timeout"]
    if not all(isinstance(each, (ast.Constant, ast.Tuple)) for each in timeout):
        raise NotLikeIt(f"line {call.lineno} has a timeout of which nothing is known")
    before = [(each, "httpx.Timeout(") for each in timeout]
    return Request(f"{CLIENT}.{method}", before, [(each, ", pool=None)") for each in timeout])


def check_answers(function: ast.AST) -> None:
    """An answer is all that requests makes of it, but for the connection that it came by."""
    for each in ast.walk(function):
        if isinstance(each, ast.Attribute) and each.attr in _OF_THE_CONNECTION:
            raise NotLikeIt(f"line {each.lineno} reads {each.attr}, which an answer may have of its connection")


def needs_brackets(parent: ast.AST | None) -> bool:
    """Whether ``await call`` has to stand in brackets there."""
    return not isinstance(parent, _PLAIN)


def needed_imports(text: str) -> frozenset[str]:
    """What the texts that go to the top of a module have to import."""
    own = set[str]()
    if _asks(text):
        own |= {f"import {each}" for each in ("functools", "io", "os", "ssl", "types", "httpx", "requests")}
        own |= {"from email.message import Message", _COOKIES}
    if f"{CLIENT}." in text:
        own |= {"import httpx", _COOKIES}
    return frozenset(own)


def client_text(text: str, more: Sequence[str]) -> str:
    """What a module needs at its top: how long to wait where it says nothing, and what sends its requests."""
    made = []
    if _asks(text) or "_TIMEOUT" in "".join([text, *more]):
        made.append("_TIMEOUT = 300.0  # seconds for an answer, where the code itself says nothing")
    if f"{CLIENT}." in text:
        made.append(_OF_HTTPX_TEXT)
    parts = ["\n".join(made)]
    if _asks(text):
        parts.append(_SESSION_TEXT)
    if f"{ASK}(" in text:
        parts.append(_ASK_TEXT)
    return "\n\n\n".join(filter(None, [each.strip("\n") for each in [*parts, *more]]))


def _asks(text: str) -> bool:
    """Whether a text asks in the place of requests."""
    return f"{ASK}(" in text or f"{SESSION}(" in text


_COOKIES = "from http.cookiejar import CookieJar, DefaultCookiePolicy"
_OF_HTTPX_TEXT = f"""\
{CLIENT} = httpx.AsyncClient(
    timeout=httpx.Timeout(5.0, pool=None),
    limits=httpx.Limits(max_connections=256, keepalive_expiry=1.0),
    cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
)"""
_SESSION_TEXT = '''
@functools.cache
def _client(proxy, verify):
    """One client for all: it waits for a free connection as long as that takes, and leaves cookies to sessions."""
    if isinstance(verify, str):
        verify = ssl.create_default_context(**{"capath" if os.path.isdir(verify) else "cafile": verify})
    return httpx.AsyncClient(
        timeout=httpx.Timeout(_TIMEOUT, pool=None),
        limits=httpx.Limits(max_connections=256, keepalive_expiry=1.0),
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
        proxy=proxy,
        verify=verify,
        trust_env=False,
    )


class _Session(requests.Session):
    """A session of requests that sends by the one client, without keeping the event loop waiting."""

    def __init__(self):
        super().__init__()
        del self.headers["Accept-Encoding"]  # the client says what it can decode

    async def ask(self, method, url, *, timeout=_TIMEOUT, allow_redirects=True, **given):
        """What the method request gives."""
        asked = self.prepare_request(requests.Request(method.upper(), url, **given))
        history = []
        while True:
            answer = await self._answer(asked, timeout)
            redirects = self.resolve_redirects(answer, asked, yield_requests=True) if allow_redirects else iter(())
            following = next(redirects, None)
            answer.history = [*history]
            if following is None:
                return answer
            if len(history) >= self.max_redirects:
                raise requests.TooManyRedirects(f"Exceeded {self.max_redirects} redirects.", response=answer)
            history.append(answer)
            asked = following

    async def _answer(self, asked, timeout):
        """One answer, as requests reads it."""
        settings = self.merge_environment_settings(asked.url, {}, None, None, None)
        client = _client(requests.utils.select_proxy(asked.url, settings["proxies"]), settings["verify"])
        try:
            answer = await client.request(
                asked.method,
                asked.url,
                content=asked.body,
                headers=dict(asked.headers),
                timeout=httpx.Timeout(timeout, pool=None),
            )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise next(own for of_httpx, own in _ERRORS if isinstance(error, of_httpx))(error, request=asked) from error
        told = requests.Response()
        told.request = asked
        told.url = asked.url
        told.status_code = answer.status_code
        told.reason = answer.reason_phrase
        told.headers.update(answer.headers)
        told.encoding = requests.utils.get_encoding_from_headers(told.headers)
        told.elapsed = answer.elapsed
        told.raw = io.BytesIO(answer.content)
        told.raw._original_response = types.SimpleNamespace(msg=Message())
        for name, value in answer.headers.multi_items():
            told.raw._original_response.msg[name] = value
        for jar in (told.cookies, self.cookies):
            requests.cookies.extract_cookies_to_jar(jar, asked, told.raw)
        return told


_ERRORS = (
    (httpx.ConnectTimeout, requests.ConnectTimeout),
    (httpx.TimeoutException, requests.ReadTimeout),
    (httpx.ProxyError, requests.exceptions.ProxyError),
    (httpx.UnsupportedProtocol, requests.exceptions.InvalidSchema),
    (httpx.InvalidURL, requests.exceptions.InvalidURL),
    (httpx.DecodingError, requests.exceptions.ContentDecodingError),
    (httpx.HTTPError, requests.ConnectionError),
)
'''
_ASK_TEXT = '''
async def _ask(method, url, **given):
    """What requests.request gives, without keeping the event loop waiting."""
    with _Session() as session:
        return await session.ask(method, url, **given)
'''
OWN = frozenset({CLIENT, ASK, SESSION, "_TIMEOUT", "_ERRORS", "_client"})
"""Names that this adds to a module."""
IMPORTED = frozenset(
    {"functools", "io", "os", "ssl", "types", "httpx", "requests", "asyncio"}
    | {"Message", "CookieJar", "DefaultCookiePolicy"}
)
"""Names that these texts import."""
