"""The file of a reward: carried code, imports in order, and the functions that Relax calls."""

from __future__ import annotations

import ast
import symtable
import sys
from collections.abc import Iterable, Iterator, Sequence

import libcst as cst

_FIRST_PARTY = ("relax",)


def reward_module(
    carried: cst.Module | None, docstring: str, imports: Iterable[str], definitions: str, package: str
) -> str:
    """The text of the module. The docstring stands where the carried code has none."""
    module = carried if carried is not None else cst.Module([])
    body: list[cst.BaseStatement] = list(module.body)
    kept = body[:1] if body and _is_docstring(body[0]) else []
    rest = body[len(kept) :]
    if not kept:
        made = cst.parse_statement(f'"""{docstring}"""')
        assert isinstance(made, cst.SimpleStatementLine)
        kept = [made.with_changes(leading_lines=[_EMPTY] if _ends_with_comment(module) else [])]
        if rest:
            rest[0] = _after_blank(rest[0])
    count = 0
    while count < len(rest) and _imported(rest[count]) is not None:
        count += 1
    ordered = _ordered(rest[:count], imports, package)
    following = rest[count:]
    if following and ordered:
        following[0] = _after_blank(following[0])
    made_module = module.with_changes(body=[*kept, *ordered, *following])
    return f"{made_module.code.rstrip()}\n\n\n{definitions}"


def renamed(module: cst.Module, old: str, new: str) -> cst.Module:
    """The module with another name for one of its functions."""
    made = module.visit(_Renaming(old, new))
    assert isinstance(made, cst.Module)
    return made


def can_be_renamed(text: str, name: str) -> bool:
    """Whether nothing within the functions of a module goes by this name."""

    def bound(table: symtable.SymbolTable) -> bool:
        return any(
            any(each.get_name() == name and each.is_local() for each in child.get_symbols()) or bound(child)
            for child in table.get_children()
        )

    return not bound(symtable.symtable(text, "<module>", "exec"))


_EMPTY = cst.EmptyLine(indent=False)


class _Renaming(cst.CSTTransformer):
    def __init__(self, old: str, new: str) -> None:
        super().__init__()
        self.old, self.new = old, new

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)

    def leave_Param(self, original_node: cst.Param, updated_node: cst.Param) -> cst.Param:
        return updated_node.with_changes(name=original_node.name)

    def leave_ImportAlias(self, original_node: cst.ImportAlias, updated_node: cst.ImportAlias) -> cst.ImportAlias:
        return original_node

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        return updated_node.with_changes(value=self.new) if updated_node.value == self.old else updated_node


# ------------------------------------------------------------ imports


def _ordered(statements: Sequence[cst.BaseStatement], more: Iterable[str], package: str) -> list[cst.BaseStatement]:
    """The imports at a module's top, those of the standard library first, the recipe's own last."""
    found: dict[str, cst.SimpleStatementLine] = {}
    for each in statements:
        assert isinstance(each, cst.SimpleStatementLine)
        found.setdefault(_code(each), each)
    have = {text for code in found for text in _one_by_one(code)}
    for text in more:
        made = cst.parse_statement(text)
        assert isinstance(made, cst.SimpleStatementLine)
        if _code(made) not in have:
            found.setdefault(_code(made), made)
    keys = {code: _key(each, package) for code, each in found.items()}
    result: list[cst.BaseStatement] = []
    section = -1
    for code in sorted(found, key=lambda each: keys[each]):
        comments = [line for line in found[code].leading_lines if line.comment is not None]
        blank = [_EMPTY] if keys[code][0] != section else []
        section = keys[code][0]
        result.append(found[code].with_changes(leading_lines=[*blank, *comments]))
    return result


def _one_by_one(code: str) -> Iterator[str]:
    """What an import of several names is in a statement each."""
    node = ast.parse(code).body[0]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        for each in node.names:
            yield ast.unparse(ast.Import([each]) if isinstance(node, ast.Import) else _of(node, each))


def _of(node: ast.ImportFrom, name: ast.alias) -> ast.ImportFrom:
    return ast.ImportFrom(node.module, [name], node.level)


def _key(statement: cst.SimpleStatementLine, package: str) -> tuple[int, bool, str]:
    node = _imported(statement)
    assert node is not None
    if isinstance(node, ast.ImportFrom):
        name = "." * node.level + (node.module or "")
    else:
        name = node.names[0].name
    top = name.partition(".")[0]
    if name == "__future__":
        section = 0
    elif top in sys.stdlib_module_names:
        section = 1
    elif top in (*_FIRST_PARTY, package.partition(".")[0]) or not top:
        section = 3
    else:
        section = 2
    if top == package.partition(".")[0]:
        return section, True, package.lower()  # in their order, since they may do something
    return section, isinstance(node, ast.ImportFrom), name.lower()


def _imported(statement: cst.BaseStatement) -> ast.Import | ast.ImportFrom | None:
    """The import that a line is, by itself."""
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return None
    if not isinstance(statement.body[0], (cst.Import, cst.ImportFrom)):
        return None
    node = ast.parse(_code(statement)).body[0]
    return node if isinstance(node, (ast.Import, ast.ImportFrom)) else None


def _code(statement: cst.SimpleStatementLine) -> str:
    return cst.Module([]).code_for_node(statement.body[0])


def _is_docstring(statement: cst.BaseStatement) -> bool:
    return (
        isinstance(statement, cst.SimpleStatementLine)
        and isinstance(statement.body[0], cst.Expr)
        and isinstance(statement.body[0].value, (cst.SimpleString, cst.ConcatenatedString))
    )


def _ends_with_comment(module: cst.Module) -> bool:
    return bool(module.header) and module.header[-1].comment is not None


def _after_blank(statement: cst.BaseStatement) -> cst.BaseStatement:
    """A statement with an empty line before it at least, a definition with two."""
    lines = list[cst.EmptyLine](getattr(statement, "leading_lines", ()))
    wanted = 2 if isinstance(statement, (cst.FunctionDef, cst.ClassDef)) else 1
    blank = next((number for number, line in enumerate(lines) if line.comment is not None), len(lines))
    made: cst.BaseStatement = statement.with_changes(leading_lines=[*[_EMPTY] * max(wanted - blank, 0), *lines])
    return made
