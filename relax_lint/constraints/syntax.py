"""What a condition may hold: anything else is refused, with the place."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from relax_lint.constraints.expressions import ENVIRONMENT, FUNCTIONS, GIVEN, ExpressionError, on_one_line

_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Div, ast.Mod)
_BOUNDED: Mapping[type[ast.operator], str] = {ast.Mult: "times ", ast.Mod: "remainder "}
_LONGEST = 4000


def tree_of(text: str) -> ast.expr:
    """The syntax of a condition, with calls of ``given`` and ``env`` turned into names. Raises
    :class:`ExpressionError`."""
    return _Checker(text).tree()


def names_of(tree: ast.expr) -> frozenset[str]:
    """The names that a condition reads."""
    return frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id not in FUNCTIONS)


def bounded(line: str) -> ast.Expression:
    """The syntax of a condition in which functions stand for operations that could take any time and memory."""
    return ast.fix_missing_locations(_Bounding().visit(ast.parse(line, mode="eval")))  # type: ignore[no-any-return]


class _Bounding(ast.NodeTransformer):
    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        name = _BOUNDED.get(type(node.op))
        return node if name is None else ast.Call(ast.Name(name, ast.Load()), [node.left, node.right], [])


class _Checker:
    """Turns text into a tree that holds nothing but what conditions may hold."""

    def __init__(self, text: str) -> None:
        self.text = text
        line = on_one_line(text)
        self.line = line.lstrip()
        self.shift = len(line) - len(self.line)

    def tree(self) -> ast.expr:
        if len(self.text) > _LONGEST:
            raise ExpressionError(f"a condition has at most {_LONGEST} characters", _LONGEST)
        try:
            return self.checked(ast.parse(self.line, mode="eval").body)
        except SyntaxError as error:
            at = self.shift + error.offset - 1 if error.offset else len(self.text)
            raise ExpressionError(f"not a condition: {error.msg}", min(at, len(self.text))) from None
        except (ValueError, RecursionError, MemoryError) as error:
            raise ExpressionError(f"not a condition: {error}", 0) from None

    def _refuse(self, node: ast.expr, message: str) -> ExpressionError:
        return ExpressionError(message, self.shift + len(self.line.encode()[: node.col_offset].decode()))

    def checked(self, node: ast.expr) -> ast.expr:
        """The node itself, or the name that it stands for."""
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.Name):
            if node.id in FUNCTIONS or node.id in ("given", "env"):
                raise self._refuse(node, f"{node.id} is a function: write {node.id}(…)")
        elif isinstance(node, ast.Constant):
            if not isinstance(node.value, str | int | float | None):
                raise self._refuse(node, "only text, numbers, True, False and None")
        elif isinstance(node, ast.BoolOp):
            node.values = [self.checked(value) for value in node.values]
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
            node.operand = self.checked(node.operand)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, _OPERATORS):
            node.left, node.right = self.checked(node.left), self.checked(node.right)
            for side in (node.left, node.right):
                if type(node.op) in _BOUNDED and _is_no_number(side):
                    raise self._refuse(side, "* and % are for numbers only")
        elif isinstance(node, ast.Compare):
            self._comparison(node)
        elif isinstance(node, ast.IfExp):
            node.test, node.body = self.checked(node.test), self.checked(node.body)
            node.orelse = self.checked(node.orelse)
        elif isinstance(node, ast.Tuple | ast.List):
            node.elts = [self.checked(item) for item in node.elts]
        elif isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
            node.value, node.slice = self.checked(node.value), self.checked(node.slice)
        else:
            raise self._refuse(node, f"{_named(node)} cannot stand in a condition")
        return node

    def _comparison(self, node: ast.Compare) -> None:
        for comparison, right in zip(node.ops, node.comparators, strict=True):
            if isinstance(comparison, ast.Is | ast.IsNot):
                if not (isinstance(right, ast.Constant) and (right.value is None or isinstance(right.value, bool))):
                    raise self._refuse(right, "`is` compares with None, True and False only")
        node.left = self.checked(node.left)
        node.comparators = [self.checked(right) for right in node.comparators]

    def _call(self, node: ast.Call) -> ast.expr:
        if not isinstance(node.func, ast.Name) or node.keywords:
            raise self._refuse(node, "only plain calls of the known functions")
        name = node.func.id
        if name in ("given", "env"):
            return self._pseudo_name(node, name)
        if name not in FUNCTIONS:
            known = ", ".join(["given", "env", *sorted(FUNCTIONS)])
            raise self._refuse(node, f"no function {name}; there are {known}")
        node.args = [self.checked(argument) for argument in node.args]
        return node

    def _pseudo_name(self, node: ast.Call, name: str) -> ast.expr:
        texts = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        if not texts or len(texts) != len(node.args) or (name == "env" and len(texts) > 1):
            wanted = 'given("--flag", …)' if name == "given" else 'env("NAME")'
            raise self._refuse(node, f"write {wanted}")
        if name == "given":
            for text, one in zip(texts, node.args, strict=True):
                if not text.startswith("-"):
                    raise self._refuse(one, "a flag begins with --")
        prefix = GIVEN if name == "given" else ENVIRONMENT
        found: list[ast.expr] = [ast.Name(prefix + text, ast.Load()) for text in texts]
        made = found[0] if len(found) == 1 else ast.BoolOp(ast.Or(), found)
        return ast.copy_location(made, node)


def _is_no_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Tuple | ast.List) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _named(node: ast.expr) -> str:
    names: Mapping[str, str] = {
        "Lambda": "a lambda", "Attribute": "an attribute", "JoinedStr": "an f-string", "NamedExpr": ":=",
        "ListComp": "a comprehension", "GeneratorExp": "a comprehension", "SetComp": "a comprehension",
        "DictComp": "a comprehension", "Subscript": "a slice", "Starred": "*", "Dict": "a dict", "Set": "a set",
    }  # fmt: skip
    return names.get(type(node).__name__, "this")
