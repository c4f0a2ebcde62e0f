"""Names that parts of a script bind, read and change."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_CHANGES = frozenset("append add update extend insert setdefault pop popitem remove discard clear sort reverse".split())


def binds(statement: ast.AST) -> Iterator[str]:
    """The names that a statement binds."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name
    elif isinstance(statement, (ast.Import, ast.ImportFrom)):
        yield from ((alias.asname or alias.name).split(".")[0] for alias in statement.names)
    elif isinstance(statement, (ast.If, ast.For, ast.While, ast.With, ast.Try)):
        for child in ast.iter_child_nodes(statement):
            yield from binds(child)
    else:
        for part in ast.walk(statement):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                yield part.id


def reads(part: ast.AST) -> list[str]:
    """Names that may be read from outside; some are bound within, and looking for those does no harm."""
    stores = {each.arg for each in ast.walk(part) if isinstance(each, ast.arg)}
    names = [each for each in ast.walk(part) if isinstance(each, ast.Name)]
    if not isinstance(part, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        stores |= {each.id for each in names if isinstance(each.ctx, ast.Store)}
        stores |= {each.name for each in ast.walk(part) if isinstance(each, (ast.FunctionDef, ast.ClassDef))}
        stores |= {each.name for each in ast.walk(part) if isinstance(each, ast.ExceptHandler) and each.name}
        imports = (each for each in ast.walk(part) if isinstance(each, (ast.Import, ast.ImportFrom)))
        stores |= {name for each in imports for name in binds(each)}
    return [each.id for each in names if isinstance(each.ctx, ast.Load) and each.id not in stores]


def mutated(part: ast.AST) -> Iterator[str]:
    """The names of what a call changes, or what an item or attribute is set in."""
    if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in _CHANGES:
        yield from _root(part.func.value)
    elif isinstance(part, (ast.Subscript, ast.Attribute)) and isinstance(part.ctx, (ast.Store, ast.Del)):
        yield from _root(part.value)


def _root(part: ast.expr) -> Iterator[str]:
    while isinstance(part, (ast.Subscript, ast.Attribute)):
        part = part.value
    if isinstance(part, ast.Name):
        yield part.id
