"""The top of a module whose text was changed: imports that it needs now go there, those that it needs no more go."""

from __future__ import annotations

import ast

from relax_lint.sources.python import walk


def without_unused(made: str, text: str) -> str:
    """A changed text without the imports that the text before used, and this one does not."""
    tree = ast.parse(made)
    before, after = _used(ast.parse(text)), _used(tree)
    lines = made.split("\n")
    for each in reversed(tree.body):
        if not isinstance(each, (ast.Import, ast.ImportFrom)) or each.lineno != each.end_lineno:
            continue
        gone = {bound for bound in _bound(each) if bound in before and bound not in after}
        if not gone or lines[each.lineno - 1].strip() != ast.unparse(each):
            continue
        each.names = [one for one in each.names if (one.asname or one.name.partition(".")[0]) not in gone]
        lines[each.lineno - 1 : each.lineno] = [ast.unparse(each)] if each.names else []
    return "\n".join(lines)


def _bound(statement: ast.Import | ast.ImportFrom) -> list[str]:
    return [each.asname or each.name.partition(".")[0] for each in statement.names]


def _used(tree: ast.AST) -> set[str]:
    return {each.id for each in walk(tree) if isinstance(each, ast.Name)}


def after_imports(text: str, imports: list[str], added: str) -> str:
    """A text with imports that it may have already, and something else after them."""
    tree = ast.parse(text)
    have = {ast.unparse(each) for each in tree.body}
    have |= {
        f"import {one.name}"
        for each in tree.body
        if isinstance(each, ast.Import)
        for one in each.names
        if not one.asname
    }
    head = [each for each in imports if each not in have]
    last = 0
    for number, each in enumerate(tree.body):
        is_text = number == 0 and isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
        if is_text or isinstance(each, (ast.Import, ast.ImportFrom)):
            last = each.end_lineno or each.lineno
        else:
            break
    lines = text.split("\n")
    new = [*head, *([""] if added else []), *added.rstrip("\n").split("\n")] if added else head
    if added and lines[last : last + 1] != [""]:
        new += ["", ""]
    return "\n".join([*lines[:last], *new, *lines[last:]])
