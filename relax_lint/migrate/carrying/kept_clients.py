"""Clients that coroutines make for each call, made once for each event loop: with the timeout, headers and all else
that they are made with, and left open."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from relax_lint.migrate.carrying.async_waits import coroutine_of, with_waits
from relax_lint.migrate.carrying.code import Code
from relax_lint.migrate.carrying.module_names import ModuleNames
from relax_lint.migrate.carrying.module_top import after_imports, without_unused
from relax_lint.records import record
from relax_lint.sources.python import PythonSource, walk

_ASKING = frozenset({"get", "post", "put", "patch", "delete", "head", "options", "request", "stream"})
_CLOSING = frozenset({"close", "aclose"})
_BY_VALUE = frozenset(
    "timeout headers trust_env base_url api_key raise_for_status max_retries organization project default_headers "
    "default_query verify follow_redirects proxy http2 limits params api_version azure_endpoint azure_deployment "
    "json_serialize".split()
)
"""What may be another thing for each call: a client is made for each value."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_KEEPER = "_cached_in_loop"


@record
class _Kind:
    """A client: what it has to be made with when others share it, unless that is said, and whether it keeps cookies."""

    usual: tuple[tuple[str, str], ...]
    cookies: str = ""


_AIOHTTP = _Kind(
    (
        ("timeout", "{m}.client.DEFAULT_TIMEOUT"),
        ("connector", "{m}.TCPConnector(limit=0, keepalive_timeout=1)"),
        ("cookie_jar", "{m}.DummyCookieJar()"),
    ),
    "cookie_jar",
)
_HTTPX = _Kind(
    (
        ("timeout", "{m}.Timeout(5.0)"),
        ("limits", "{m}.Limits(max_connections=None, max_keepalive_connections=None, keepalive_expiry=1.0)"),
        ("cookies", "CookieJar(DefaultCookiePolicy(allowed_domains=()))"),
    ),
    "cookies",
)
_OPENAI = _Kind((("timeout", "600.0"),))
_KINDS = {
    "aiohttp.ClientSession": _AIOHTTP,
    "httpx.AsyncClient": _HTTPX,
    "openai.AsyncOpenAI": _OPENAI,
    "openai.AsyncAzureOpenAI": _OPENAI,
}


@record
class _Site:
    """A client that is made in a coroutine; ``closed`` are the calls that close it."""

    call: ast.Call
    kind: _Kind
    module: str
    is_entered: bool
    closed: tuple[ast.Call, ...]
    holder: ast.AsyncFunctionDef


def for_one_loop(code: Code) -> Code:
    """The module, whose coroutines share an event loop well: they do not keep it waiting, and share their clients."""
    return with_kept_clients(with_waits(code))


def with_kept_clients(code: Code) -> Code:
    """The module whose coroutines share the clients that they make, where all that is done with them is to ask."""
    if "async def" not in code.text or not any(each.rpartition(".")[2] in code.text for each in _KINDS):
        return code
    source = PythonSource(code.origin.path, code.text.encode("utf-8", "surrogateescape"))
    if source.tree is None:
        return code
    names = ModuleNames(source.tree)
    wanted = ("asyncio", "weakref", "contextlib")
    if not all(map(names.may_import, wanted)) or not names.is_free(_KEEPER):
        return code
    sites = list(_Sites(source, names).found())
    if not sites:
        return code
    edits: dict[tuple[int, int], str] = {}
    makers = [_KEEPER_TEXT]
    for number, site in enumerate(sites, 1):
        makers.append(_edit(source, names, site, f"_make_client{number if len(sites) > 1 else ''}", edits))
    made = code.text
    for (start, end), new in sorted(edits.items(), reverse=True):
        made = made[:start] + new + made[end:]
    imports = ["import asyncio", "import weakref"]
    imports += [f"import {each.module}" for each in sites if isinstance(each.call.func, ast.Name)]
    imports += ["import contextlib"] if any(each.is_entered for each in sites) else []
    if any("=CookieJar(" in each for each in makers):
        imports.append("from http.cookiejar import CookieJar, DefaultCookiePolicy")
    try:
        text = without_unused(after_imports(made, sorted(set(imports)), "\n\n\n".join(makers)), code.text)
    except SyntaxError:
        return code
    return Code(code.origin, text, code.original or code.text)


class _Sites:
    def __init__(self, source: PythonSource, names: ModuleNames) -> None:
        assert source.tree is not None
        self.source, self.names = source, names
        self.top = {each.name: each for each in source.tree.body if isinstance(each, _FUNCTIONS)}
        self.imported = {
            alias.asname or alias.name.partition(".")[0]
            for each in source.tree.body
            if isinstance(each, (ast.Import, ast.ImportFrom))
            for alias in each.names
        }

    def found(self) -> Iterator[_Site]:
        """The clients that can be shared."""
        assert self.source.tree is not None
        for call in walk(self.source.tree):
            if isinstance(call, ast.Call):
                kind = _KINDS.get(self.names.dotted(call.func))
                holder = coroutine_of(self.source, call)
                site = None if kind is None or holder is None else self._site(call, kind, holder)
                if site is not None:
                    yield site

    def _site(self, call: ast.Call, kind: _Kind, holder: ast.AsyncFunctionDef) -> _Site | None:
        parent = self.source.parent(call)
        variable: ast.expr | None = None
        is_entered = isinstance(parent, ast.withitem) and isinstance(self.source.parent(parent), ast.AsyncWith)
        if isinstance(parent, ast.withitem) and is_entered:
            variable = parent.optional_vars
        elif isinstance(parent, ast.Assign) and len(parent.targets) == 1:
            variable = parent.targets[0]
        module = self._module(call)
        if not isinstance(variable, ast.Name) or not module or not self._may_be_made_elsewhere(call):
            return None
        uses = [each for each in walk(holder) if isinstance(each, ast.Name) and each.id == variable.id]
        stores = [each for each in uses if not isinstance(each.ctx, ast.Load)]
        if len(stores) != 1 or any(isinstance(each, (ast.Global, ast.Nonlocal)) for each in walk(holder)):
            return None
        asked, closed = 0, []
        for use in uses:
            if use is variable:
                continue
            asks = self._asks(use, kind)
            close = self._close(use)
            if asks is None and close is None:
                return None
            asked += asks or 0
            closed += [close] if close is not None else []
        if kind.cookies and asked > 1 and all(each.arg != kind.cookies for each in call.keywords):
            return None  # a second request may send cookies of the first
        return _Site(call, kind, module, is_entered, tuple(closed), holder)

    def _module(self, call: ast.Call) -> str:
        """What the client's module is called, where it or the class is imported at the top."""
        written = ast.unparse(call.func)
        if written.partition(".")[0] not in self.imported:
            return ""
        module = self.names.dotted(call.func).partition(".")[0]
        return written.rpartition(".")[0] or (module if self.names.may_import(module) else "")

    def _may_be_made_elsewhere(self, call: ast.Call) -> bool:
        """Whether all that a client is made of is the same for each call, or a plain value."""
        if any(isinstance(each, ast.Starred) or not self.is_fixed(each) for each in call.args):
            return False
        return all(
            each.arg is not None and (self.is_fixed(each.value) or each.arg in _BY_VALUE) for each in call.keywords
        )

    def is_fixed(self, expression: ast.expr) -> bool:
        """Whether an expression is made of what is imported alone."""
        parts = list(walk(expression))
        if any(isinstance(each, (ast.Await, ast.Lambda, ast.Yield, ast.NamedExpr)) for each in parts):
            return False
        return all(each.id in self.imported for each in parts if isinstance(each, ast.Name))

    def _asks(self, use: ast.Name, kind: _Kind, depth: int = 3) -> int | None:
        """How many requests stand where a client is used; ``None`` where something else is done with it."""
        chain: ast.AST = use
        parent = self.source.parent(chain)
        while isinstance(parent, ast.Attribute):
            chain, parent = parent, self.source.parent(parent)
        if isinstance(chain, ast.Attribute) and isinstance(parent, ast.Call) and parent.func is chain:
            if chain.attr in _CLOSING:
                return None
            return 1 if kind is _OPENAI or (chain.value is use and chain.attr in _ASKING) else None
        called = parent if isinstance(parent, ast.Call) else self.source.parent(parent) if parent else None
        if chain is not use or not depth or not isinstance(called, ast.Call) or not isinstance(called.func, ast.Name):
            return None
        return self._asked_by(called, use, kind, depth)

    def _asked_by(self, called: ast.Call, use: ast.Name, kind: _Kind, depth: int) -> int | None:
        """How many requests a function of the module makes with a client that it is given."""
        assert isinstance(called.func, ast.Name)
        function = self.top.get(called.func.id)
        if function is None or not self.names.is_once(called.func.id):
            return None
        positional = [*function.args.posonlyargs, *function.args.args]
        given = next((each.arg for each in called.keywords if each.value is use), None)
        if given is None and use in called.args and not any(isinstance(each, ast.Starred) for each in called.args):
            at = called.args.index(use)
            given = positional[at].arg if at < len(positional) else None
        known = {each.arg for each in (*positional, *function.args.kwonlyargs)}
        if given is None or given not in known:
            return None
        asked = 0
        for each in walk(function):
            if isinstance(each, ast.Name) and each.id == given:
                asks = self._asks(each, kind, depth - 1) if isinstance(each.ctx, ast.Load) else None
                if asks is None:
                    return None
                asked += asks
        return asked

    def _close(self, use: ast.Name) -> ast.Call | None:
        """The awaited call that closes a client."""
        holder = self.source.parent(use)
        call = self.source.parent(holder) if isinstance(holder, ast.Attribute) and holder.attr in _CLOSING else None
        is_awaited = isinstance(call, ast.Call) and isinstance(self.source.parent(call), ast.Await)
        return call if isinstance(call, ast.Call) and is_awaited and not call.args else None


def _edit(source: PythonSource, names: ModuleNames, site: _Site, maker: str, edits: dict[tuple[int, int], str]) -> str:
    """Have the client made by a function of its own, whose text is given."""
    sites = _Sites(source, names)
    fixed = [source.text[slice(*_span(source, each))] for each in site.call.args]
    given: list[tuple[str, str]] = []
    for each in site.call.keywords:
        assert each.arg is not None
        text = source.text[slice(*_span(source, each.value))]
        if sites.is_fixed(each.value):
            fixed.append(f"{each.arg}={text}")
        else:
            fixed.append(f"{each.arg}={each.arg}")
            given.append((each.arg, text))
    told = {each.arg for each in site.call.keywords}
    module = site.module
    fixed += [f"{name}={text.format(m=module)}" for name, text in site.kind.usual if name not in told]
    called = f"{maker}({', '.join(f'{name}={text}' for name, text in given)})"
    edits[_span(source, site.call)] = f"contextlib.nullcontext({called})" if site.is_entered else called
    for call in site.closed:
        edits[_span(source, call)] = "asyncio.sleep(0)"
    listed = "".join(f"        {each},\n" for each in fixed)
    return (
        f"@{_KEEPER}\ndef {maker}({', '.join(name for name, _ in given)}):\n"
        f'    """The client of {site.holder.name}."""\n'
        f"    return {ast.unparse(site.call.func)}(\n{listed}    )"
    )


def _span(source: PythonSource, node: ast.AST) -> tuple[int, int]:
    place = source.place(node)
    return place.start, place.end


_KEEPER_TEXT = f'''\
def {_KEEPER}(make):
    """One client for each event loop and each of what it is made of: it stays open, for the next call."""
    loops = weakref.WeakKeyDictionary()

    def frozen(value):
        if isinstance(value, dict):
            return frozenset((key, frozen(each)) for key, each in value.items())
        return value if type(value).__hash__ and not isinstance(value, tuple) else repr(value)

    def kept(**given):
        clients = loops.setdefault(asyncio.get_running_loop(), {{}})
        key = frozen(given)
        if key not in clients:
            clients[key] = make(**given)
        return clients[key]

    return kept'''
