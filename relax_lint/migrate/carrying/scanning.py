"""Places where code asks for names of its module, or for classes, that it does not name."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from relax_lint.records import record
from relax_lint.sources.python import called_name, children, literal_text, walk

_SCANNING = frozenset({"globals", "vars", "locals", "dir", "__subclasses__", "getmembers", "__dict__"})
_OWN = frozenset({"self", "cls"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@record
class Scan:
    """One such place: what is written there. It asks for names that begin and end with a pair of ``parts``; for the
    subclasses of ``base``, which are statements that name it, when there are no parts."""

    line: int
    what: str
    parts: tuple[tuple[str, str, bool], ...] = (("", "", False),)
    base: str = ""

    @property
    def is_open(self) -> bool:
        """Whether it may ask for any name."""
        return any(not begin and not end for begin, end, _ in self.parts)

    def asks(self, name: str) -> bool:
        """Whether it may ask for a name."""
        return any(
            name == begin if exact else name.startswith(begin) and name.endswith(end) and len(name) >= len(begin + end)
            for begin, end, exact in self.parts
        )


def scans(statements: Sequence[ast.stmt]) -> Iterator[Scan]:
    """The places in statements that ask for what they do not name."""
    for statement in statements:
        nodes = list(walk(statement))
        names = {getattr(each, "id", getattr(each, "attr", "")) for each in nodes}
        if not names & _SCANNING and not {"sys", "modules"} <= names:
            continue
        above = {id(below): each for each in nodes for below in children(each)}
        for each in nodes:
            found = _scan(each, above)
            if found is not None:
                yield found


def _scan(node: ast.AST, above: dict[int, ast.AST]) -> Scan | None:
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    if isinstance(node, ast.Attribute) and name == "modules" and ast.unparse(node) == "sys.modules":
        return _of_modules(node, above)
    if name not in _SCANNING:
        return None
    line = node.lineno if isinstance(node, ast.expr) else 1
    if isinstance(node, ast.Attribute) and name == "__subclasses__":
        base = node.value.id if isinstance(node.value, ast.Name) else ""
        return Scan(line, ast.unparse(node) + "()", (), base)
    if isinstance(node, ast.Attribute) and name == "__dict__":
        return None if _is_own(node.value) else Scan(line, ast.unparse(node))
    call = above.get(id(node))
    if not isinstance(call, ast.Call) or call.func is not node:
        return Scan(line, name)
    if name == "locals" and _is_in_function(node, above):
        return None
    if name in ("vars", "dir", "getmembers") and call.args and _is_own(call.args[0]):
        return None
    what = f"{ast.unparse(call.func)}()"
    return Scan(line, what, tuple(_asked(call, above)) if name == "globals" else (("", "", False),))


def _of_modules(node: ast.Attribute, above: dict[int, ast.AST]) -> Scan | None:
    """What is asked of ``sys.modules``: nothing of this module where it is another one that is written out."""
    taken = above.get(id(node))
    if isinstance(taken, ast.Subscript) and taken.value is node:
        if literal_text(taken.slice) is not None:
            return None
        call = above.get(id(taken))
        if isinstance(call, ast.Call) and called_name(call) in ("getattr", "hasattr") and call.args[0] is taken:
            return Scan(node.lineno, ast.unparse(taken), (_parts(call.args[1]),))
    if isinstance(taken, ast.Compare) and literal_text(taken.left) is not None:
        return None
    return Scan(node.lineno, "sys.modules")


def _asked(call: ast.Call, above: dict[int, ast.AST]) -> Iterator[tuple[str, str, bool]]:
    """The names that are asked of ``globals()``."""
    around = above.get(id(call))
    if isinstance(around, ast.Subscript) and around.value is call and isinstance(around.ctx, ast.Load):
        yield _parts(around.slice)
        return
    if isinstance(around, ast.Compare) and around.comparators == [call]:
        yield _parts(around.left)
        return
    method = above.get(id(around)) if isinstance(around, ast.Attribute) else None
    if isinstance(around, ast.Attribute) and isinstance(method, ast.Call) and around.attr == "get" and method.args:
        yield _parts(method.args[0])
        return
    items: ast.AST = call
    if isinstance(around, ast.Attribute) and isinstance(method, ast.Call) and around.attr in ("items", "keys"):
        items = method
    wrapper = above.get(id(items))
    if isinstance(wrapper, ast.Call) and called_name(wrapper) in ("list", "sorted", "dict", "tuple"):
        items = wrapper
    yield from _filtered(items, above.get(id(items))) or (("", "", False),)


def _filtered(items: ast.AST, loop: ast.AST | None) -> list[tuple[str, str, bool]]:
    """The beginnings of names that a loop over all of them wants."""
    tests: list[ast.expr] = []
    target: ast.AST | None = None
    if isinstance(loop, ast.comprehension) and loop.iter is items:
        target, tests = loop.target, loop.ifs
    elif isinstance(loop, ast.For) and loop.iter is items and len(loop.body) == 1 and isinstance(loop.body[0], ast.If):
        target, tests = loop.target, [] if loop.body[0].orelse else [loop.body[0].test]
    if isinstance(target, ast.Tuple) and target.elts:
        target = target.elts[0]
    if not isinstance(target, ast.Name):
        return []
    while any(isinstance(each, ast.BoolOp) and isinstance(each.op, ast.And) for each in tests):
        tests = [one for each in tests for one in (each.values if isinstance(each, ast.BoolOp) else [each])]
    for test in tests:
        function = test.func if isinstance(test, ast.Call) else None
        if not isinstance(test, ast.Call) or not isinstance(function, ast.Attribute) or not test.args:
            continue
        if ast.unparse(function.value) != target.id or function.attr not in ("startswith", "endswith"):
            continue
        given = test.args[0].elts if isinstance(test.args[0], ast.Tuple) else [test.args[0]]
        texts = [literal_text(each) for each in given]
        if all(texts):
            at_start = function.attr == "startswith"
            return [(str(each), "", False) if at_start else ("", str(each), False) for each in texts]
    return []


def _parts(name: ast.expr) -> tuple[str, str, bool]:
    """How a name begins and ends, and whether that is all of it."""
    text = literal_text(name)
    if text is not None:
        return text, "", True
    if isinstance(name, ast.JoinedStr) and name.values:
        return literal_text(name.values[0]) or "", literal_text(name.values[-1]) or "", False
    if isinstance(name, ast.BinOp) and isinstance(name.op, ast.Add):
        begin, end = _parts(name.left), _parts(name.right)
        return begin[0], end[0] if end[2] else end[1], False
    return "", "", False


def _is_own(expression: ast.expr) -> bool:
    return isinstance(expression, ast.Name) and expression.id in _OWN


def _is_in_function(node: ast.AST, above: dict[int, ast.AST]) -> bool:
    around = above.get(id(node))
    while around is not None and not isinstance(around, _FUNCTIONS):
        around = above.get(id(around))
    return around is not None
