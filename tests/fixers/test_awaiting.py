"""Edits of calls that wait, and of those that make clients."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from relax_lint.diagnostics import Edit
from relax_lint.fixers.awaiting import add_import, await_coroutine, call_in_thread, sleep_on_the_loop
from relax_lint.fixers.clients import add_argument, move_to_module
from relax_lint.fixing import apply_edits
from relax_lint.sources.python import PythonSource

Make = Callable[[PythonSource, ast.Call], list[Edit] | None]


def edited(text: str, named: str, make: Make) -> str | None:
    """A text after the edits for the call of a name; ``None`` where there are none to make."""
    source = PythonSource(Path("a.py"), text.encode())
    [call] = [node for node in source.nodes(ast.Call) if ast.unparse(node.func) == named]
    edits = make(source, call)
    if edits is None:
        return None
    after = apply_edits(source, edits).decode()
    ast.parse(after)
    return after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("get(url)", "await asyncio.to_thread(get, url)"),
        ("get()", "await asyncio.to_thread(get)"),
        ("x = get( url , timeout=3, )", "x = await asyncio.to_thread(get, url , timeout=3, )"),
        ("x = get(url).json()", "x = (await asyncio.to_thread(get, url)).json()"),
        ("x = 1 + get(*urls)", "x = 1 + (await asyncio.to_thread(get, *urls))"),
        ("return get(\n        url,\n    )", "return await asyncio.to_thread(get, url,\n    )"),
        ("x = [get(url) for url in urls]", "x = [(await asyncio.to_thread(get, url)) for url in urls]"),
    ],
)
def test_a_call_goes_to_a_thread(before: str, after: str) -> None:
    head = "import asyncio\nfrom requests import get\n\n\nasync def go(url, urls):\n    "
    assert edited(f"{head}{before}\n", "get", call_in_thread) == f"{head}{after}\n"


@pytest.mark.parametrize("statement", ["x = (get(url) for url in urls)", "x = lambda: get(url)"])
def test_what_runs_later_stays(statement: str) -> None:
    text = f"import asyncio\n\n\nasync def go(url, urls):\n    {statement}\n"
    assert edited(text, "get", call_in_thread) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("return asyncio.run(ask(1))", "return await ask(1)"),
        ("x = asyncio.run(made).score", "x = (await made).score"),
        ("x = asyncio.run(\n        ask(1),\n    )", "x = await ask(1)"),
    ],
)
def test_a_coroutine_is_awaited(before: str, after: str) -> None:
    head = "import asyncio\n\n\nasync def go(made):\n    "
    assert edited(f"{head}{before}\n", "asyncio.run", await_coroutine) == f"{head}{after}\n"


def test_only_a_plain_sleep_becomes_asyncios() -> None:
    head = "import asyncio\nimport time\n\n\nasync def go():\n    "
    assert edited(f"{head}time.sleep(1)\n", "time.sleep", sleep_on_the_loop) == f"{head}await asyncio.sleep(1)\n"
    assert edited(f"{head}x = time.sleep(1)\n", "time.sleep", sleep_on_the_loop) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"""Doc."""\n\nfrom __future__ import annotations\n\nimport time\n', "import asyncio\nimport time\n"),
        ("\ufeffimport time\n", "\ufeffimport asyncio\nimport time\n"),
        ("import time, asyncio\n", "import time, asyncio\n"),
    ],
)
def test_a_module_is_imported_once(text: str, expected: str) -> None:
    source = PythonSource(Path("a.py"), text.encode())
    edits = add_import(source, "asyncio")
    assert edits is not None
    assert apply_edits(source, edits).decode().endswith(expected)


@pytest.mark.parametrize("text", ["import time\nasyncio = None\n", "import time\nimport trio as asyncio\n", "x = 1\n"])
def test_a_name_that_is_taken_is_left(text: str) -> None:
    assert add_import(PythonSource(Path("a.py"), text.encode()), "asyncio") is None


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("Client()", "Client(timeout=60)"),
        ("Client(url)", "Client(url, timeout=60)"),
        ("Client(\n    base=url,\n)", "Client(\n    base=url, timeout=60,\n)"),
        ("Client( )", "Client(timeout=60)"),
        ("Client(\n    url,  # where\n)", None),
    ],
)
def test_an_argument_is_added_behind_the_others(call: str, expected: str | None) -> None:
    def make(source: PythonSource, node: ast.Call) -> list[Edit] | None:
        edit = add_argument(source, node, "timeout=60")
        return None if edit is None else [edit]

    assert edited(f"{call}\n", "Client", make) == (None if expected is None else f"{expected}\n")


@pytest.mark.parametrize(
    "body",
    [
        "    client = Client(args.url)\n",
        "    self.client = Client(URL)\n",
        "    client = Client(make())\n",
        "    with Client(URL) as client:\n        pass\n",
        "    client = Client(\n        URL\n    )\n",
        "    client = Client(URL)\n    return _client\n",
    ],
)
def test_a_client_that_needs_more_than_imports_stays(body: str) -> None:
    text = f"from settings import URL, Client, make\n\n\nasync def go(self, args):\n{body}"
    moved = edited(
        text.replace("(make())", "(later())"), "Client", lambda source, node: move_to_module(source, node, None)
    )
    assert moved is None


def test_a_client_moves_in_front_of_its_function_and_decorators() -> None:
    head = "from settings import URL, Client, logged\n\n\n"
    text = f"{head}@logged\nasync def go(args):\n    client = Client(URL)\n    return client\n"
    moved = edited(text, "Client", lambda source, node: move_to_module(source, node, "timeout=60"))
    assert moved == (
        "from settings import URL, Client, logged\n\n_client = Client(URL, timeout=60)\n\n\n"
        "@logged\nasync def go(args):\n    client = _client\n    return client\n"
    )
