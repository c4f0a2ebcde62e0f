"""Scoring that waits for an answer over HTTP, made to wait on the event loop: one client for all, with a timeout."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from relax_lint.migrate.carrying.closure import dotted_name
from relax_lint.migrate.carrying.code import Code
from relax_lint.migrate.carrying.module_top import after_imports, without_unused
from relax_lint.migrate.reward.http_calls import (
    IMPORTED,
    OF_SESSIONS,
    OWN,
    SESSION,
    NotLikeIt,
    check_answers,
    client_text,
    needed_imports,
    needs_brackets,
    request_of,
)
from relax_lint.sources.python import PythonSource, walk

_OPENAI = {"OpenAI": "AsyncOpenAI", "AzureOpenAI": "AsyncAzureOpenAI"}
_ASKING = frozenset({"create", "parse", "generate", "retrieve", "list"})
_HTTP = ("requests", "httpx")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.GeneratorExp, ast.ClassDef)


@dataclass
class _Plan:
    """What has to change in a module."""

    source: PythonSource
    edits: dict[tuple[int, int], str] = field(default_factory=dict)
    awaited: set[ast.Call] = field(default_factory=set)
    imports: set[str] = field(default_factory=set)
    top: list[str] = field(default_factory=list)

    def replace(self, node: ast.AST, text: str) -> None:
        """Put a text in the place of a node."""
        place = self.source.place(node)
        self.edits[place.start, place.end] = text

    def insert(self, offset: int, text: str) -> None:
        """Put a text before what stands somewhere."""
        self.edits[offset, offset] = text + self.edits.get((offset, offset), "")


def asks_over_http(code: Code) -> bool:
    """Whether a module calls a client that keeps everything else waiting."""
    return any(True for _ in _senders(code.tree, _Clients(code.tree)))


def on_the_loop(code: Code, function: str) -> Code | str:
    """The module with a function, and all that calls for it, awaiting answers; or why that is not done. A module whose
    function asks nobody is given back as it is."""
    try:
        return _converted(code, function)
    except NotLikeIt as reason:
        return str(reason)


# ------------------------------------------------------------ finding


class _Clients:
    """The clients of a module: modules by the names they go by, and names that clients are bound to."""

    def __init__(self, tree: ast.Module) -> None:
        self.modules: dict[str, str] = {}
        self.makers: dict[str, str] = {}
        self.sleeps: set[str] = set()
        self.made: dict[str, ast.Call] = {}
        self.sessions: dict[str, list[ast.Call]] = {}
        """Names of clients of requests and httpx that are made without arguments, and where they are made."""
        for each in walk(tree):
            if isinstance(each, ast.Import):
                for alias in each.names:
                    if alias.name in (*_HTTP, "openai", "time"):
                        self.modules[alias.asname or alias.name] = alias.name
            elif isinstance(each, ast.ImportFrom) and each.module == "openai":
                self.makers |= {a.asname or a.name: a.name for a in each.names if a.name in _OPENAI}
            elif isinstance(each, ast.ImportFrom) and each.module == "time":
                self.sleeps |= {a.asname or a.name for a in each.names if a.name == "sleep"}
        for each in walk(tree):
            if isinstance(each, ast.Assign) and isinstance(each.value, ast.Call) and self.maker(each.value):
                for target in each.targets:
                    if isinstance(target, ast.Name):
                        self.made[target.id] = each.value
            elif isinstance(each, ast.Assign) and isinstance(each.value, ast.Call) and self._is_session(each.value):
                for target in each.targets:
                    if isinstance(target, ast.Name):
                        self.sessions.setdefault(target.id, []).append(each.value)
            elif isinstance(each, ast.withitem) and isinstance(each.context_expr, ast.Call):
                if self._is_session(each.context_expr) and isinstance(each.optional_vars, ast.Name):
                    self.sessions.setdefault(each.optional_vars.id, []).append(each.context_expr)

    def http_module(self, call: ast.Call) -> str:
        """Which of requests and httpx a call that asks belongs to."""
        first = (dotted_name(call.func) or "").split(".")[0]
        made = self.sessions.get(first)
        of = (dotted_name(made[0].func) or "").split(".")[0] if made else first
        return self.modules[of]

    def _is_session(self, call: ast.Call) -> bool:
        module, _, last = (dotted_name(call.func) or "").rpartition(".")
        known = self.modules.get(module) in _HTTP and last in ("Session", "session", "Client")
        return known and not call.args and not call.keywords

    def maker(self, call: ast.Call) -> str | None:
        """The class of openai's that a call makes a client of."""
        if isinstance(call.func, ast.Name):
            return self.makers.get(call.func.id)
        if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
            known = self.modules.get(call.func.value.id) == "openai"
            return call.func.attr if known and call.func.attr in _OPENAI else None
        return None

    def kind(self, call: ast.Call) -> str | None:
        """What a call is: "http", "openai", "sleep", or nothing of the kind."""
        name = dotted_name(call.func)
        if isinstance(call.func, ast.Name):
            return "sleep" if call.func.id in self.sleeps else None
        if name is None:
            return None
        first, *middle, last = name.split(".")
        module = self.modules.get(first)
        if (module in _HTTP or first in self.sessions) and not middle:
            return "http" if last in ("get", "post", "put", "patch", "delete", "request", "head") else None
        if module == "time" and name.endswith(".sleep"):
            return "sleep"
        return "openai" if first in self.made and last in _ASKING and middle else None


def _senders(tree: ast.AST, clients: _Clients) -> Iterator[tuple[ast.Call, str]]:
    for each in walk(tree):
        if isinstance(each, ast.Call):
            kind = clients.kind(each)
            if kind in ("http", "openai"):
                yield each, kind


def _reached(
    source: PythonSource, function: str, clients: _Clients
) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions of a module that ask somebody, or call one that does, as far as ``function`` needs them."""
    assert source.tree is not None
    top = {each.name: each for each in source.tree.body if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))}
    calls = {
        name: {
            each.id
            for each in walk(definition)
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load) and each.id in top
        }
        for name, definition in top.items()
    }
    asking = {name for name, definition in top.items() if any(True for _ in _senders(definition, clients))}
    before = -1
    while before != len(asking):
        before = len(asking)
        asking |= {name for name, called in calls.items() if called & asking}
    needed, pending = set[str](), [function]
    while pending:
        name = pending.pop()
        if name not in needed:
            needed.add(name)
            pending += calls.get(name, ())
    return {name: top[name] for name in top if name in asking & needed}


# ------------------------------------------------------------ changing


def _converted(code: Code, function: str) -> Code:
    source = PythonSource(code.origin.path, code.text.encode("utf-8", "surrogateescape"))
    assert source.tree is not None
    clients = _Clients(source.tree)
    reached = _reached(source, function, clients)
    if function not in reached:
        return code
    taken = {each.id for each in walk(source.tree) if isinstance(each, ast.Name) and each.id in OWN} | {
        each.id
        for each in walk(source.tree)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store) and each.id in IMPORTED
    }
    if taken:
        raise NotLikeIt(f"{min(taken)} is a name of its own")
    plan = _Plan(source)
    _check_references(source, reached)
    for name, definition in reached.items():
        if isinstance(definition, ast.FunctionDef):
            if definition.decorator_list:
                raise NotLikeIt(f"{name} has decorators")
            if any(isinstance(each, (ast.Yield, ast.YieldFrom)) for each in walk(definition)):
                raise NotLikeIt(f"{name} yields")
            plan.insert(source.place(definition).start, "async ")
        _await_calls(plan, definition, reached, clients)
    _make_clients(plan, clients, reached)
    return Code(code.origin, _applied(plan, code.text), code.original or code.text)


def _check_references(source: PythonSource, reached: dict[str, ast.FunctionDef | ast.AsyncFunctionDef]) -> None:
    """Functions that become coroutines may only be called, and only by each other."""
    assert source.tree is not None
    for each in walk(source.tree):
        if not isinstance(each, ast.Name) or each.id not in reached or not isinstance(each.ctx, ast.Load):
            continue
        parent = source.parent(each)
        if not isinstance(parent, ast.Call) or parent.func is not each:
            raise NotLikeIt(f"{each.id} is handed on as a value")


def _await_calls(
    plan: _Plan,
    definition: ast.FunctionDef | ast.AsyncFunctionDef,
    reached: dict[str, ast.FunctionDef | ast.AsyncFunctionDef],
    clients: _Clients,
) -> None:
    """Await what a function calls that waits now."""
    for each in walk(definition):
        if not isinstance(each, ast.Call):
            continue
        kind = clients.kind(each)
        own = isinstance(each.func, ast.Name) and each.func.id in reached
        if kind is None and not own:
            continue
        _check_place(plan.source, each, definition)
        if isinstance(plan.source.parent(each), ast.Await):
            continue
        if kind == "sleep":
            plan.imports.add("import asyncio")
            plan.replace(each.func, "asyncio.sleep")
        elif kind == "http":
            _send_by_client(plan, each, definition, clients)
        _await(plan, each)


def _send_by_client(plan: _Plan, call: ast.Call, definition: ast.AST, clients: _Clients) -> None:
    """The request of a call, made by the module's client."""
    module = clients.http_module(call)
    if module == "requests":
        check_answers(definition)
    first = (dotted_name(call.func) or "").split(".")[0]
    request = request_of(call, module, first if first in clients.sessions else "")
    plan.replace(call.func, request.called)
    for node, text in request.before:
        plan.insert(plan.source.place(node).start, text)
    for node, text in request.after:
        plan.insert(plan.source.place(node).end, text)


def _await(plan: _Plan, call: ast.Call) -> None:
    place = plan.source.place(call)
    if needs_brackets(plan.source.parent(call)):
        plan.insert(place.start, "(await ")
        plan.edits[place.end, place.end] = ")"
    else:
        plan.insert(place.start, "await ")


def _check_place(source: PythonSource, call: ast.Call, definition: ast.AST) -> None:
    """Whether a call can be awaited where it stands."""
    for holder in source.ancestors(call):
        if holder is definition:
            return
        if isinstance(holder, _SCOPES):
            raise NotLikeIt(f"line {call.lineno} asks within an inner function or generator")
        if isinstance(holder, ast.JoinedStr):
            raise NotLikeIt(f"line {call.lineno} asks within a text")
    raise NotLikeIt(f"line {call.lineno} asks outside of functions")


def _make_clients(plan: _Plan, clients: _Clients, reached: dict[str, ast.FunctionDef | ast.AsyncFunctionDef]) -> None:
    """Clients of openai that await: at the module's top as they are, in functions one for each set of arguments."""
    source = plan.source
    _share_sessions(plan, clients, reached)
    for name, call in clients.made.items():
        maker = clients.maker(call)
        holder = next((each for each in source.ancestors(call) if isinstance(each, _SCOPES)), None)
        if holder is not None and holder not in reached.values():
            raise NotLikeIt(f"{name} is made in a function that asks nobody")
        users = {
            next((each for each in source.ancestors(one) if isinstance(each, _SCOPES)), None)
            for one in walk(source.tree or ast.Module([], []))
            if isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load)
        }
        if any(user not in reached.values() for user in users if user is not None):
            raise NotLikeIt(f"{name} is used where nothing is awaited")
        assert maker is not None
        made = _OPENAI[maker]
        plan.imports.add(f"from openai import {made}")
        timeout = "" if any(each.arg == "timeout" for each in call.keywords) else "timeout=_TIMEOUT"
        if holder is None:
            plan.replace(call.func, made)
            if timeout:
                given_there = [*call.args, *(each.value for each in call.keywords)]
                end = max((source.place(each).end for each in given_there), default=source.place(call).end - 1)
                plan.insert(end, f"{', ' if given_there else ''}{timeout}")
            continue
        if call.args or any(each.arg is None for each in call.keywords):
            raise NotLikeIt(f"{name} is made of more than named values")
        given = [each.arg or "" for each in call.keywords]
        plan.imports.add("import functools")
        plan.replace(call.func, f"_make_{name.lstrip('_')}")
        passed = ", ".join([*(f"{each}={each}" for each in given), *filter(None, [timeout])])
        plan.top.append(
            f"@functools.cache\ndef _make_{name.lstrip('_')}({', '.join(given)}):\n"
            f'    """One client for each of what it is made of."""\n    return {made}({passed})\n'
        )


def _share_sessions(plan: _Plan, clients: _Clients, reached: dict[str, ast.FunctionDef | ast.AsyncFunctionDef]) -> None:
    """Sessions of requests that send by the module's client, with all that is set on them; those of httpx are it."""
    source = plan.source
    for name, calls in clients.sessions.items():
        modules = {clients.modules[(dotted_name(call.func) or "").split(".")[0]] for call in calls}
        asked = 0
        for each in walk(source.tree or ast.Module([], [])):
            if not isinstance(each, ast.Name) or each.id != name or not isinstance(each.ctx, ast.Load):
                continue
            if modules == {"requests"} and _is_of_session(source, each):
                continue
            holder = source.parent(each)
            call = source.parent(holder) if isinstance(holder, ast.Attribute) else None
            scope = next((one for one in source.ancestors(each) if isinstance(one, _SCOPES)), None)
            if not isinstance(call, ast.Call) or clients.kind(call) != "http" or scope not in reached.values():
                raise NotLikeIt(f"line {each.lineno} does more with {name} than to ask")
            asked += 1
        if modules == {"requests"}:
            for call in calls:
                plan.replace(call.func, SESSION)
            continue
        if asked > len(calls):
            raise NotLikeIt(f"{name} asks more than once, and may keep cookies")
        for call in calls:
            stands = clients.modules[(dotted_name(call.func) or "").split(".")[0]]
            plan.imports.add(f"import {stands}")
            if isinstance(source.parent(call), ast.withitem):
                plan.imports.add("import contextlib")
                plan.replace(call, f"contextlib.nullcontext({stands})")
            else:
                plan.replace(call, stands)


def _is_of_session(source: PythonSource, name: ast.Name) -> bool:
    """Whether something of a session is read or set that holds for its requests, or it is closed."""
    holder = source.parent(name)
    if not isinstance(holder, ast.Attribute):
        return False
    around = source.parent(holder)
    if holder.attr == "auth":
        return isinstance(around, ast.Assign) and isinstance(around.value, ast.Tuple)
    if holder.attr == "close":
        return isinstance(around, ast.Call) and not around.args
    return holder.attr in OF_SESSIONS


# ------------------------------------------------------------ writing


def _applied(plan: _Plan, text: str) -> str:
    """The text with all changes, and what is new at its top after the imports."""
    made = text
    for (start, end), replacement in sorted(plan.edits.items(), reverse=True):
        made = made[:start] + replacement + made[end:]
    added = client_text(made, plan.top)
    try:
        return after_imports(without_unused(made, text), sorted(plan.imports | needed_imports(made)), added)
    except SyntaxError as problem:
        raise NotLikeIt("its calls stand in a way that is not understood") from problem
