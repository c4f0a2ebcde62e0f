from __future__ import annotations

import ast
from pathlib import Path

import pytest

from relax_lint.diagnostics import Edit
from relax_lint.fixers.python_edits import add_keywords, append_statement, remove_statement
from relax_lint.sources.python import PythonSource
from tests.cases import for_each


def read(text: str) -> PythonSource:
    return PythonSource(Path("x.py"), text.encode())


def applied(text: str, edit: Edit | None) -> str | None:
    return None if edit is None else text[: edit.start] + edit.text + text[edit.end :]


@for_each(
    ("text", "expected"),
    [
        ("async def f(args, sample): pass\n", "async def f(args, sample, **kwargs): pass\n"),
        ("def f(args, sample,): pass\n", "def f(args, sample, **kwargs,): pass\n"),
        ("def f(args, sample=(None)): pass\n", "def f(args, sample=(None), **kwargs): pass\n"),
        ("def f(args, sample, /): pass\n", "def f(args, sample, /, **kwargs): pass\n"),
        ("def f(args, *, k=(3)): pass\n", "def f(args, *, k=(3), **kwargs): pass\n"),
        ("def f(args, *rest): pass\n", "def f(args, *rest, **kwargs): pass\n"),
        (
            "def f(\n    args,\n    sample: 'S(' = (1, 2),  # ):\n): pass\n",
            "def f(\n    args,\n    sample: 'S(' = (1, 2),  # ):\n    **kwargs,\n): pass\n",
        ),
        ("def f(a,\n      b): pass\n", "def f(a,\n      b,\n      **kwargs): pass\n"),
        ("def f(): pass\n", None),
        ("def f(a, **rest): pass\n", None),
    ],
)
def test_add_keywords(text: str, expected: str | None) -> None:
    source = read(text)
    assert source.tree is not None
    function = source.tree.body[0]
    assert isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
    changed = applied(text, add_keywords(source, function, "kwargs"))
    assert changed == expected
    if changed is not None:
        ast.parse(changed)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import a\nimport verl\nimport b\n", "import a\nimport b\n"),
        ("import verl  # why\nx = 1\n", "x = 1\n"),
        ("from verl import (\n    a,\n    b,\n)\nx = 1\n", "x = 1\n"),
        ("if x:\n    import verl\n", "if x:\n    pass\n"),
        ("if x:\n    import verl\n    y = 1\n", "if x:\n    y = 1\n"),
        ("import a; import verl\n", None),
        ("import verl", ""),
    ],
)
def test_remove_statement(text: str, expected: str | None) -> None:
    source = read(text)
    imports = [*source.nodes(ast.Import), *source.nodes(ast.ImportFrom)]
    (statement,) = [node for node in imports if "verl" in source.segment(node)]
    assert applied(text, remove_statement(source, statement)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f():\n    x = 1\n", "def f():\n    x = 1\n    return 0\n"),
        (
            "def f():\n    if x:\n        y()  # one\n\ng = f\n",
            "def f():\n    if x:\n        y()  # one\n    return 0\n\ng = f\n",
        ),
        ("class A:\n\tdef f(self):\n\t\tpass", "class A:\n\tdef f(self):\n\t\tpass\n\t\treturn 0"),
        ("def f(): pass\n", None),
    ],
)
def test_append_statement(text: str, expected: str | None) -> None:
    source = read(text)
    (function,) = source.nodes(ast.FunctionDef)
    assert applied(text, append_statement(source, function, "return 0")) == expected
