from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from relax_lint.sources.python import PythonSource, children, walk
from tests.cases import for_each


def source(data: bytes | str) -> PythonSource:
    return PythonSource(Path("x.py"), data.encode() if isinstance(data, str) else data)


def segments(data: bytes | str) -> list[str]:
    read = source(data)
    assert read.tree is not None
    return [read.segment(node) for node in read.tree.body]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("x = 1\ny = 2\n", ["x = 1", "y = 2"]),
        ("x = 1\r\ny = 'é'; z = 3\r\n", ["x = 1", "y = 'é'", "z = 3"]),
        ("x = 1\ry = 2\r", ["x = 1", "y = 2"]),
        ("\ufeffx = 'ü'; y = 2\n", ["x = 'ü'", "y = 2"]),
        (b"# -*- coding: latin-1 -*-\nx = '\xe9'; y = 2\n", ["x = 'é'", "y = 2"]),
        ("x = '𝄞'; y = 2\n", ["x = '𝄞'", "y = 2"]),
        ("x = 1\n\fy = 2\n", ["x = 1", "y = 2"]),
        ("# coding of answers\nx = 'é'\n", ["x = 'é'"]),
    ],
)
def test_places_are_exact_whatever_the_encoding_and_line_ends(data: bytes | str, expected: list[str]) -> None:
    assert segments(data) == expected


@for_each(
    ("data", "offset", "reason"),
    [
        (b"x = (\n", 4, "never closed"),
        (b"x = '\xff'\n", 5, "utf-8"),
        (b"x = 1\n\0\n", 6, "NUL"),
        (b"\xff\xfex\0", 3, "NUL"),
        (b"# coding: nope\n", 0, "unknown encoding"),
        (b"# coding: rot13\nk = 1\n", 0, "cannot be decoded"),
        (b"if x:\npass\n", 6, "indented block"),
        (b"import os\nfrom __future__ import annotations\n", 10, "not at the beginning"),
        (b'"""Doc."""\nx = 1\nfrom __future__ import division\n', 17, "not at the beginning"),
        (b'"""Doc."""\n"more"\nfrom __future__ import division\n', 18, "not at the beginning"),
        (b"from __future__ import annotation\n", 0, "no feature annotation"),
    ],
)
def test_what_is_not_python_has_a_position_and_a_reason(data: bytes, offset: int, reason: str) -> None:
    read = source(data)
    assert read.tree is None
    assert read.error is not None
    assert reason in read.error.message
    assert read.error.offset == offset


def test_of_a_fault_of_syntax_it_is_said_which_python_found_it() -> None:
    error = source("type Score[T: = float\n").error
    assert error is not None
    assert error.message.endswith(f"(for Python {sys.version_info[0]}.{sys.version_info[1]}, which relax-lint runs on)")


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10_000,
        "-" * 10_000 + "1",
        "x" + ".a" * 10_000,
        "x = 1" + " + 1" * 10_000,
        "x = " + "[" * 10_000 + "]" * 10_000,
        "x" + "()" * 10_000,
        "".join(" " * depth + "if x:\n" for depth in range(500)) + " " * 500 + "pass\n",
        "lambda: " * 10_000 + "1",
    ],
)
def test_deep_nesting_is_read_or_refused_but_never_fatal(text: str) -> None:
    read = source(text)
    assert (read.tree is None) != (read.error is None)
    if read.tree is not None:
        assert sum(1 for _ in walk(read.tree)) > 100
        assert read.nodes(ast.Name) is not None


@pytest.mark.parametrize(
    "text",
    [
        "from __future__ import annotations\nimport os\n",
        '"""Doc."""\nfrom __future__ import annotations, division\nfrom __future__ import generators\n',
        "import __future__\nfrom .__future__ import x\n",
        "x = '__future__'\n",
    ],
)
def test_imports_of_the_future_that_python_takes(text: str) -> None:
    assert source(text).error is None


def test_a_tree_can_be_given() -> None:
    tree = ast.parse("x = 1\n")
    assert PythonSource(Path("x.py"), b"x = 1\n", tree).tree is tree


def test_warnings_of_the_parser_are_kept_quiet(recwarn: pytest.WarningsRecorder) -> None:
    assert source("x = '\\d'\n").tree is not None
    assert not recwarn.list


def test_name_of_a_definition_is_found_behind_decorators_and_continuations() -> None:
    read = source("@d\nclass é: pass\nasync \\\n  def  f(): pass\n")
    assert read.tree is not None
    places = [
        read.name_place(node) for node in read.tree.body if isinstance(node, (ast.ClassDef, ast.AsyncFunctionDef))
    ]
    assert [read.text[place.start : place.end] for place in places] == ["é", "f"]


def test_parents_and_ancestors() -> None:
    read = source("def f():\n    return g(1)\n")
    (call,) = read.nodes(ast.Call)
    assert isinstance(read.parent(call), ast.Return)
    assert [type(node).__name__ for node in read.ancestors(call)] == ["Return", "FunctionDef", "Module"]


def test_walk_gives_every_node_parents_first_in_the_order_of_the_text() -> None:
    read = source("a = b + c\nd\n")
    assert read.tree is not None
    names = [node.id for node in walk(read.tree) if isinstance(node, ast.Name)]
    assert names == ["a", "b", "c", "d"]
    assert children(read.tree) == list(read.tree.body)
