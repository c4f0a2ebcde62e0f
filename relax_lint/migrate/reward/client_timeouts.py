"""Clients of openai that code keeps as they are: each says how long it waits, which is what openai waits by itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from relax_lint.migrate.carrying.closure import dotted_name
from relax_lint.migrate.carrying.code import Code
from relax_lint.sources.python import PythonSource, walk

SECONDS = 600.0
"""How long openai waits for an answer where it is told nothing."""
_MAKERS = frozenset({"OpenAI", "AzureOpenAI", "AsyncOpenAI", "AsyncAzureOpenAI"})
_SAYS_IT = frozenset({"timeout", "http_client", None})


def with_timeouts(code: Code) -> tuple[Code, list[int]]:
    """The module whose clients all have a timeout, and the lines where one was given; a client that is made of ``**``
    or of another client may have one already."""
    made = list(_without(code.tree)) if "OpenAI" in code.text else []
    if not made:
        return code, []
    source = PythonSource(code.origin.path, code.text.encode("utf-8", "surrogateescape"))
    assert source.tree is not None
    text = code.text
    calls = list(_without(source.tree))
    for call in sorted(calls, key=lambda each: source.place(each).end, reverse=True):
        given = [*call.args, *(each.value for each in call.keywords)]
        end = max((source.place(each).end for each in given), default=source.place(call).end - 1)
        text = f"{text[:end]}{', ' if given else ''}timeout={SECONDS}{text[end:]}"
    return Code(code.origin, text, code.original or code.text), sorted(each.lineno for each in calls)


def _without(tree: ast.Module) -> Iterator[ast.Call]:
    """The calls that make a client and say nothing of how long it waits."""
    modules = {"openai"}
    makers = set[str]()
    for each in walk(tree):
        if isinstance(each, ast.Import):
            modules |= {alias.asname or alias.name for alias in each.names if alias.name == "openai"}
        elif isinstance(each, ast.ImportFrom) and each.module == "openai":
            makers |= {alias.asname or alias.name for alias in each.names if alias.name in _MAKERS}
    for each in walk(tree):
        if isinstance(each, ast.Call) and not _SAYS_IT & {keyword.arg for keyword in each.keywords}:
            module, _, last = (dotted_name(each.func) or "").rpartition(".")
            if (module in modules and last in _MAKERS) or (isinstance(each.func, ast.Name) and each.func.id in makers):
                yield each
