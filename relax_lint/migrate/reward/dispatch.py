"""A function that scores by the source of the data, cut down to the sources that a recipe has."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from relax_lint.records import record

if TYPE_CHECKING:
    import libcst as cst

SOURCE = "data_source"
_METHODS = frozenset({"startswith", "endswith", "lower", "upper", "strip", "casefold"})


class _Unknown(Exception):
    """A test that asks for more than is known."""


@record
class Direct:
    """What a dispatch comes down to when only one source is left: ``module.function(arguments)``."""

    module: str
    function: str
    arguments: tuple[tuple[str, str], ...]
    """Keyword (empty for an argument by position) and expression."""


def folded(text: str, function: str, sources: Sequence[str], known: Mapping[str, object]) -> str:
    """The text of a module in which a function has no branches for other sources. ``known`` are further parameters with
    values that never change. Sources that are scored alike need no tests; of several, each branch keeps its own."""
    import libcst as cst

    module = cst.parse_module(text)
    tables = _tables(ast.parse(text))
    body: list[cst.BaseStatement] = []
    for statement in module.body:
        if isinstance(statement, cst.FunctionDef) and statement.name.value == function:
            values = {**tables, **known}
            if SOURCE in _assigned(statement, module):
                return text
            fold = _Fold([{**values, SOURCE: each} for each in sources] or [values])
            block = statement.body
            if isinstance(block, cst.IndentedBlock):
                statement = statement.with_changes(body=block.with_changes(body=fold.block(block.body, fold.every)))
        body.append(statement)
    return module.with_changes(body=body).code


def direct(text: str, function: str) -> Direct | None:
    """The one call that a cut-down dispatch makes, when it does nothing else but normalise the result."""
    definition = next(
        (each for each in ast.parse(text).body if isinstance(each, ast.FunctionDef) and each.name == function), None
    )
    if definition is None:
        return None
    body = [each for each in definition.body if not _is_text(each)]
    if len(body) < 2 or not isinstance(body[0], ast.ImportFrom) or not isinstance(body[1], ast.Assign):
        return None
    call = body[1].value
    rest = body[2:]
    if not (
        len(body[0].names) == 1
        and isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id == (body[0].names[0].asname or body[0].names[0].name)
        and all(isinstance(each, ast.If) and _is_type_test(each.test) for each in rest)
    ):
        return None
    given = [("", each) for each in call.args] + [(each.arg or "", each.value) for each in call.keywords]
    if any(not isinstance(each, (ast.Name, ast.Constant)) for _, each in given):
        return None
    arguments = tuple((keyword, ast.unparse(each)) for keyword, each in given)
    module = ".".join(filter(None, ("." * body[0].level + (body[0].module or ""), ""))) or "."
    return Direct(f"{module}{body[0].names[0].name}", call.func.attr, arguments)


class _Fold:
    """One function on its way; ``every`` are the values of its names for each source."""

    def __init__(self, every: Sequence[Mapping[str, object]]) -> None:
        self.every = every

    def block(
        self, statements: Sequence[cst.BaseStatement], environments: Sequence[Mapping[str, object]]
    ) -> list[cst.BaseStatement]:
        """Statements without what no source reaches."""
        import libcst as cst

        made: list[cst.BaseStatement] = []
        for each in statements:
            if isinstance(each, cst.If):
                made += self._choice(each, environments)
            else:
                made.append(each)
        return made

    def _choice(self, choice: cst.If, environments: Sequence[Mapping[str, object]]) -> list[cst.BaseStatement]:
        import libcst as cst

        try:
            answers = [bool(_value(_expression(choice.test), each)) for each in environments]
        except _Unknown:
            body = self._suite(choice.body, environments)
            orelse = self._otherwise(choice.orelse, environments)
            return [choice.with_changes(body=body, orelse=orelse)]
        yes = [each for each, answer in zip(environments, answers, strict=True) if answer]
        no = [each for each, answer in zip(environments, answers, strict=True) if not answer]
        if yes and (no or not (len(yes) == len(self.every) or _is_settled(choice.test))):
            body = self._suite(choice.body, yes)
            return [choice.with_changes(body=body, orelse=self._otherwise(choice.orelse, no or environments))]
        if yes:
            inner = self._suite(choice.body, yes)
            return _led(list(inner.body) if isinstance(inner, cst.IndentedBlock) else [], choice.leading_lines)
        if choice.orelse is None:
            return []
        if isinstance(choice.orelse, cst.If):
            return self._choice(choice.orelse, no)
        inner = self._suite(choice.orelse.body, no)
        return list(inner.body) if isinstance(inner, cst.IndentedBlock) else []

    def _otherwise(
        self, orelse: cst.If | cst.Else | None, environments: Sequence[Mapping[str, object]]
    ) -> cst.If | cst.Else | None:
        import libcst as cst

        if orelse is None:
            return None
        if isinstance(orelse, cst.Else):
            return orelse.with_changes(body=self._suite(orelse.body, environments))
        made = self._choice(orelse, environments)
        if not made:
            return None
        if len(made) == 1 and isinstance(made[0], cst.If):
            return made[0]
        return cst.Else(cst.IndentedBlock(made))

    def _suite(self, suite: cst.BaseSuite, environments: Sequence[Mapping[str, object]]) -> cst.BaseSuite:
        import libcst as cst

        if isinstance(suite, cst.IndentedBlock):
            body = self.block(suite.body, environments) or [cst.SimpleStatementLine([cst.Pass()])]
            return suite.with_changes(body=body)
        assert isinstance(suite, cst.SimpleStatementSuite)
        return cst.IndentedBlock([cst.SimpleStatementLine(suite.body)])


def _led(statements: list[cst.BaseStatement], lines: Sequence[cst.EmptyLine]) -> list[cst.BaseStatement]:
    """Statements with the comments of the choice that they come from before them."""
    import libcst as cst

    if not statements or not isinstance(statements[0], (cst.SimpleStatementLine, cst.BaseCompoundStatement)):
        return statements
    first = statements[0].with_changes(leading_lines=[*lines, *statements[0].leading_lines])
    return [first, *statements[1:]]


def _is_settled(test: cst.BaseExpression) -> bool:
    """Whether a test does not ask for the source."""
    return SOURCE not in {each.id for each in ast.walk(_expression(test)) if isinstance(each, ast.Name)}


def _expression(test: cst.BaseExpression) -> ast.expr:
    import libcst as cst

    return ast.parse(f"({cst.Module([]).code_for_node(test)})", mode="eval").body


def _assigned(function: cst.FunctionDef, module: cst.Module) -> set[str]:
    tree = ast.parse(module.code_for_node(function).strip())
    return {each.id for each in ast.walk(tree) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}


def _tables(tree: ast.Module) -> dict[str, object]:
    """Lists and names that a module has as plain values."""
    found: dict[str, object] = {}
    for each in tree.body:
        if isinstance(each, ast.Assign) and len(each.targets) == 1 and isinstance(each.targets[0], ast.Name):
            try:
                found[each.targets[0].id] = ast.literal_eval(each.value)
            except (ValueError, TypeError, SyntaxError, MemoryError):
                continue
    return found


def _value(expression: ast.expr, names: Mapping[str, object]) -> object:
    """What an expression is; raises ``_Unknown`` when that is not known."""
    if isinstance(expression, ast.Constant):
        return expression.value
    if isinstance(expression, ast.Name):
        if expression.id not in names:
            raise _Unknown
        return names[expression.id]
    if isinstance(expression, (ast.List, ast.Tuple, ast.Set)):
        return tuple(_value(each, names) for each in expression.elts)
    if isinstance(expression, ast.UnaryOp) and isinstance(expression.op, ast.Not):
        return not _value(expression.operand, names)
    if isinstance(expression, ast.BoolOp):
        return _joined(expression, names)
    if isinstance(expression, ast.Compare) and len(expression.ops) == 1:
        return _compared(expression, names)
    if isinstance(expression, ast.Call):
        return _called(expression, names)
    raise _Unknown


def _joined(expression: ast.BoolOp, names: Mapping[str, object]) -> object:
    decides = isinstance(expression.op, ast.Or)
    value: object = not decides
    for each in expression.values:
        value = _value(each, names)
        if bool(value) is decides:
            break
    return value


def _compared(expression: ast.Compare, names: Mapping[str, object]) -> bool:
    left, right = _value(expression.left, names), _value(expression.comparators[0], names)
    operator = expression.ops[0]
    if isinstance(operator, (ast.Eq, ast.Is)):
        return left == right
    if isinstance(operator, (ast.NotEq, ast.IsNot)):
        return left != right
    if isinstance(operator, (ast.In, ast.NotIn)) and isinstance(right, (str, tuple, list, set, frozenset, dict)):
        if isinstance(right, str) and not isinstance(left, str):
            raise _Unknown
        return (left in right) is isinstance(operator, ast.In)
    raise _Unknown


def _called(expression: ast.Call, names: Mapping[str, object]) -> object:
    function = expression.func
    if not isinstance(function, ast.Attribute) or function.attr not in _METHODS or expression.keywords:
        raise _Unknown
    owner = _value(function.value, names)
    given = [_value(each, names) for each in expression.args]
    if not isinstance(owner, str) or not all(isinstance(each, (str, tuple)) for each in given):
        raise _Unknown
    try:
        return getattr(owner, function.attr)(*given)
    except TypeError as problem:
        raise _Unknown from problem


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _is_type_test(test: ast.expr) -> bool:
    return isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id == "isinstance"
