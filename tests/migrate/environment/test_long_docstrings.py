"""Docstrings are read in time that grows with their length alone, whatever they are made of."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import bounded

LONG = 60_000
DOCSTRINGS = {
    "blank lines": "'T' + '\\n' * LONG + 'x'",
    "blanks": "'T' + ' ' * LONG + 'x'",
    "blank lines below Args": "'T\\nArgs:\\n    a: x' + '\\n \\n' * LONG + 'y'",
    "blanks of an argument": "'T\\nArgs:\\n    a: x' + ' ' * LONG + 'y'",
    "many sections": "'T' + '\\nArgs:\\n' * LONG",
    "many arguments": "'T\\nArgs:\\n' + '    a: x\\n' * LONG",
    "a long name": "'T\\nArgs:\\n    ' + 'a' * LONG",
    "many choices": "'T\\nArgs:\\n    a: ' + '(choices: ' * LONG + ') ' * LONG + 'x'",
}
READING = """
import ast, sys
from relax_lint.migrate.environment.functions import _schema, _Unclear
LONG = {long}
function = ast.parse("def f(a: int): pass").body[0]
function.body.insert(0, ast.Expr(ast.Constant({docstring})))
try:
    _schema(function, "f")
except _Unclear:
    pass
"""


@pytest.mark.parametrize("docstring", DOCSTRINGS.values(), ids=DOCSTRINGS)
def test_a_long_docstring_takes_no_long_time(docstring: str, tmp_path: Path) -> None:
    done = bounded.run(["-c", READING.format(long=LONG, docstring=docstring)], tmp_path, seconds=5)
    assert (done.returncode, done.stderr) == (0, "")
