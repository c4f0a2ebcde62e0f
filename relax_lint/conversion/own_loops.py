"""Loops over the rows of a data set that put what they make into a list: as a function of one row."""

from __future__ import annotations

import ast
from collections.abc import Collection

from relax_lint.conversion.own_names import binds

_SHOWS_PROGRESS = frozenset({"tqdm", "track", "trange"})
_ROW, _NUMBER = "given_row", "its_number"


def rows_of(turns: ast.expr) -> tuple[ast.expr, bool]:
    """The table that a loop goes over, and whether its rows are numbered."""
    numbered = False
    while isinstance(turns, ast.Call) and turns.args:
        name = getattr(turns.func, "id", getattr(turns.func, "attr", ""))
        if name == "enumerate" and len(turns.args) == 1 and not turns.keywords and not numbered:
            numbered = True
        elif name not in _SHOWS_PROGRESS:
            break
        turns = turns.args[0]
    return turns, numbered


def list_of(loop: ast.For, known: Collection[str]) -> str:
    """The list that a loop puts at most one row into at each turn; empty where it does more than that. ``known`` are
    the names that are bound before."""
    appended = []
    pending: list[ast.AST] = list(loop.body)
    while pending:
        part = pending.pop()
        if isinstance(part, (ast.Break, ast.Return, ast.Yield, ast.AugAssign, ast.Global, ast.Nonlocal)):
            if not (isinstance(part, ast.AugAssign) and not isinstance(part.target, ast.Name)):
                return ""
        if isinstance(part, (ast.For, ast.While)) and _appends(part):
            return ""
        pending += ast.iter_child_nodes(part)
    appended = _appends(loop)
    bound = {name for part in [loop, *loop.body] for name in binds(part)}
    if len(appended) != 1 or bound & set(known) or loop.orelse:
        return ""
    return appended[0]


def _appends(part: ast.AST) -> list[str]:
    """The lists that a part of a script puts dictionaries, or what functions make, into."""
    return [
        each.func.value.id
        for each in ast.walk(part)
        if isinstance(each, ast.Call)
        and isinstance(each.func, ast.Attribute)
        and each.func.attr == "append"
        and isinstance(each.func.value, ast.Name)
    ]


def as_loop(comprehension: ast.ListComp, rows: str) -> ast.For:
    """A comprehension written out."""
    (over,) = comprehension.generators
    append = ast.Call(ast.Attribute(ast.Name(rows, ast.Load()), "append", ast.Load()), [comprehension.elt], [])
    body: ast.stmt = ast.Expr(append)
    for test in reversed(over.ifs):
        body = ast.If(test, [body], [])
    return ast.For(over.target, over.iter, [body], [])


def as_function(loop: ast.For, name: str, rows: str, numbered: bool) -> ast.FunctionDef:
    """The turn of a loop as a function of a row and its number."""
    row, number = ast.Name(_ROW, ast.Load()), ast.Name(_NUMBER, ast.Load())
    turn: ast.expr = ast.Tuple([number, row], ast.Load()) if numbered else row
    once = ast.For(loop.target, ast.List([turn], ast.Load()), loop.body, [])
    begin, end = ast.parse(f"{rows} = []").body[0], ast.parse(f"{rows}[0] if {rows} else None").body[0]
    assert isinstance(end, ast.Expr)
    made = ast.parse(f"def {name}({_ROW}, {_NUMBER}): pass").body[0]
    assert isinstance(made, ast.FunctionDef)
    made.body = [begin, once, ast.Return(end.value)]
    again = ast.parse(ast.unparse(ast.fix_missing_locations(made))).body[0]
    assert isinstance(again, ast.FunctionDef)
    return again
