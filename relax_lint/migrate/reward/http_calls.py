"""Calls of requests and httpx, as calls of one httpx client: what each argument, answer and error is called there."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from relax_lint.migrate.carrying.closure import dotted_name
from relax_lint.records import record
from relax_lint.sources.python import PythonSource, walk

CLIENT = "_CLIENT"
_SAME = frozenset({"json", "headers", "params", "timeout", "auth", "cookies", "url", "content", "follow_redirects"})
_ANSWER = frozenset(
    {"json", "text", "content", "status_code", "headers", "raise_for_status", "url", "elapsed", "encoding"}
)
_ANSWER_NAMES = {"reason": "reason_phrase"}
_ERRORS = {
    "RequestException": "_REQUEST_ERRORS",
    "Timeout": "httpx.TimeoutException",
    "ConnectTimeout": "httpx.ConnectTimeout",
    "ReadTimeout": "httpx.ReadTimeout",
    "HTTPError": "httpx.HTTPStatusError",
    "ConnectionError": "(httpx.NetworkError, httpx.ProtocolError, httpx.ConnectTimeout)",
    "JSONDecodeError": "json.JSONDecodeError",
}
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
    """Something that a client of httpx does in another way: then the code is left as it is, and runs in a thread."""


@record
class Request:
    """A request: the method of the client, and texts that go before arguments (for keywords: in place of the name)."""

    method: str
    edits: Sequence[tuple[ast.AST, str]]


def request_of(call: ast.Call) -> Request:
    """The request that a call of ``requests`` or ``httpx`` makes."""
    name = dotted_name(call.func) or ""
    module, method = name.split(".")[0], name.rpartition(".")[2]
    edits: list[tuple[ast.AST, str]] = []
    positional = list(call.args)
    most = 2 if method == "request" else 1
    for number, each in enumerate(positional):
        if isinstance(each, ast.Starred):
            raise NotLikeIt(f"line {call.lineno} hands on a list of arguments")
        if number >= most:
            if method == "get" and number == most:
                edits.append((each, "params="))
            elif method in ("post", "put", "patch") and number == most:
                edits.append((each, f"{_body(each)}="))
            elif method == "post" and number == most + 1:
                edits.append((each, "json="))
            else:
                raise NotLikeIt(f"line {call.lineno} has more arguments than are understood")
    for keyword in call.keywords:
        if keyword.arg == "allow_redirects":
            edits.append((keyword, "follow_redirects="))
        elif keyword.arg == "data" and module != "httpx":
            edits.append((keyword, f"{_body(keyword.value)}="))
        elif keyword.arg == "timeout" and isinstance(keyword.value, ast.Tuple):
            raise NotLikeIt(f"line {call.lineno} has two timeouts")
        elif keyword.arg not in _SAME and not (keyword.arg == "data" and module == "httpx"):
            raise NotLikeIt(f"line {call.lineno} passes {keyword.arg or '**'}, which belongs to a client")
    return Request(method, edits)


def _body(value: ast.expr) -> str:
    """What httpx calls ``data``: forms are data, texts are content."""
    if isinstance(value, ast.Dict):
        return "data"
    is_text = isinstance(value, (ast.JoinedStr, ast.Constant)) or (
        isinstance(value, ast.Call) and (dotted_name(value.func) or "").rpartition(".")[2] in ("dumps", "encode")
    )
    if is_text:
        return "content"
    raise NotLikeIt(f"line {value.lineno} sends data of which nothing is known")


def response_edits(source: PythonSource, call: ast.Call, function: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """What has another name of the answer to a request, wherever the function reads it."""
    parent = source.parent(call)
    if isinstance(parent, ast.Attribute):
        yield from _attribute(parent, source)
        return
    if not isinstance(parent, ast.Assign) or not all(isinstance(each, ast.Name) for each in parent.targets):
        if isinstance(parent, ast.Expr):
            return
        raise NotLikeIt(f"line {call.lineno} hands its answer on")
    names = {each.id for each in parent.targets if isinstance(each, ast.Name)}
    for each in walk(function):
        if isinstance(each, ast.Name) and each.id in names and isinstance(each.ctx, ast.Load):
            holder = source.parent(each)
            if not isinstance(holder, ast.Attribute):
                raise NotLikeIt(f"line {each.lineno} hands an answer on")
            yield from _attribute(holder, source)


def _attribute(attribute: ast.Attribute, source: PythonSource) -> Iterator[tuple[ast.AST, str]]:
    if attribute.attr in _ANSWER:
        return
    if isinstance(attribute.value, ast.Name):
        if attribute.attr == "ok":
            yield attribute, f"(not {attribute.value.id}.is_error)"
            return
        if attribute.attr in _ANSWER_NAMES:
            yield attribute, f"{attribute.value.id}.{_ANSWER_NAMES[attribute.attr]}"
            return
    raise NotLikeIt(f"line {attribute.lineno} reads {attribute.attr} of an answer")


def caught_of(caught: ast.expr, modules: Mapping[str, str]) -> Iterator[tuple[ast.AST, str, set[str]]]:
    """The errors of requests that a handler names, as they are called by httpx; with what is to be imported."""
    each_of = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    for each in each_of:
        name = dotted_name(each)
        if name is None or modules.get(name.split(".")[0]) != "requests":
            continue
        error = name.rpartition(".")[2]
        if error not in _ERRORS:
            raise NotLikeIt(f"line {each.lineno} catches {name}")
        text = _ERRORS[error]
        if isinstance(caught, ast.Tuple) and text.startswith("("):
            text = text[1:-1]
        if isinstance(caught, ast.Tuple) and text == "_REQUEST_ERRORS":
            text = "*_REQUEST_ERRORS"
        yield each, text, {"import httpx", "import json"} if "json" in text else {"import httpx"}


def needs_brackets(parent: ast.AST | None) -> bool:
    """Whether ``await call`` has to stand in brackets there."""
    return not isinstance(parent, _PLAIN)


def client_text(text: str, http: bool, more: Sequence[str]) -> str:
    """What a module needs at its top: the client, its timeout, and the errors that requests had one name for."""
    lines = []
    if http or "_TIMEOUT" in "".join([text, *more]):
        lines.append("_TIMEOUT = 300.0  # seconds for an answer, where the code itself says nothing")
    if http:
        lines.append(f"{CLIENT} = httpx.AsyncClient(timeout=_TIMEOUT, follow_redirects=True)")
    if "_REQUEST_ERRORS" in text:
        lines.append("_REQUEST_ERRORS = (httpx.HTTPError, httpx.InvalidURL, json.JSONDecodeError)")
    made = "\n".join(lines)
    return "\n\n\n".join(filter(None, [made, *more])) + "\n" if lines or more else ""
