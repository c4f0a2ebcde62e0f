"""The text of what is carried of a module: its statements as they were, its imports as the recipe has them."""

from __future__ import annotations

import ast
import codecs
from collections.abc import Iterator, Sequence

import libcst as cst

from relax_lint.migrate.carrying.called_imports import facts
from relax_lint.migrate.carrying.called_writing import Calls
from relax_lint.migrate.carrying.closure import Copied, Part
from relax_lint.migrate.carrying.code import Code
from relax_lint.migrate.carrying.imports import ALL, Alias, OfModule, OfName, Supplied, Target, aliases
from relax_lint.migrate.carrying.sources import Origin
from relax_lint.migrate.plan import Piece, RecipeFile
from relax_lint.sources.python import walk

_EMPTY_LINE = cst.EmptyLine(indent=False)


def carried_module(copied: Copied, part: Part) -> cst.Module:
    """The module that is written for one part."""
    code = part.code
    body: list[cst.BaseStatement] = []
    rewriter = _Imports(copied, part)
    above = _packages_above(copied, part)
    for statement in code.statements:
        original = code.module.body[statement.index]
        if statement.index in part.indices:
            body += _run_before(copied, part, statement.nodes, above)
            top = statement.is_import
            rewriter.needed = part.needed if top else None
            rewriter.calls.begin(statement.nodes)
            made = original.visit(rewriter)
            if isinstance(made, cst.FlattenSentinel):
                body += made
            elif not isinstance(made, cst.RemovalSentinel):
                body.append(made)
        elif _is_kept(statement.nodes, statement.index):
            body.append(original)
    at = _after_future(body)
    body[at:at] = [*above.values(), *_supplied_names(copied, part)]
    return code.module.with_changes(body=_begun(body, code.module))


def carried_text(copied: Copied, part: Part) -> str:
    """The text that is written for one part, with one line end at its end, of the kind that its file has."""
    text = carried_module(copied, part).code.rstrip("\n") + "\n"
    original = copied.resolver.sources.project.read(part.code.origin.path) or b""
    if b"\r\n" in original and original.count(b"\n") == original.count(b"\r\n"):
        text = text.replace("\n", "\r\n")
    return f"\ufeff{text}" if original.startswith(codecs.BOM_UTF8) else text


def files(copied: Copied) -> Iterator[RecipeFile]:
    """The files for all modules but the first, and those that they read."""
    for part in copied.parts[1:]:
        pieces = (copied.piece(part),)
        yield RecipeFile(f"{copied.names.of(part.code.origin)}.py", carried_text(copied, part), pieces=pieces)
    for name, (path, text) in copied.data.items():
        yield RecipeFile(name, text, pieces=(Piece(path),))


def _is_kept(nodes: Sequence[ast.stmt], index: int) -> bool:
    """Docstrings, and imports of the future, which every copy wants."""
    first = nodes[0]
    if isinstance(first, ast.ImportFrom):
        return first.module == "__future__"
    return index == 0 and isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)


def _supplied_names(copied: Copied, part: Part) -> list[cst.BaseStatement]:
    """The imports of what a module of verl has, and the recipe elsewhere: so there is one of each."""
    elsewhere = copied.resolver.supplied_of(part.code.origin.dotted)
    names = [name for name in sorted(part.needed) if name in elsewhere and name in part.code.binding]
    made = _joined([_from(elsewhere[name], [(name, None)]) for name in names])
    return [cst.SimpleStatementLine([each]) for each in made]


def _packages_above(copied: Copied, part: Part) -> dict[Origin, cst.BaseStatement]:
    """The imports of packages that run before modules in them are imported."""
    known = {each.code.origin for each in copied.parts}
    return {each: cst.SimpleStatementLine([_import(copied.names.module(each))]) for each in part.above if each in known}


def _run_before(
    copied: Copied, part: Part, nodes: Sequence[ast.stmt], above: dict[Origin, cst.BaseStatement]
) -> Iterator[cst.BaseStatement]:
    """Those of the packages that a statement is the first to import from, which are taken out of ``above``."""
    origins = [
        copied.resolver.origin_of(part.code, alias) for node in nodes for each in walk(node) for alias in aliases(each)
    ]
    for package in list(above):
        if any(one is not None and one.dotted.startswith(f"{package.dotted}.") for one in origins):
            yield above.pop(package)


def _after_future(body: Sequence[cst.BaseStatement]) -> int:
    """Where imports may begin: behind the docstring and the imports of the future."""
    for index, each in enumerate(body):
        small = each.body[0] if isinstance(each, cst.SimpleStatementLine) else None
        if isinstance(small, cst.ImportFrom) and small.module is not None and _written(small.module) == "__future__":
            continue
        if not (index == 0 and isinstance(small, cst.Expr) and isinstance(small.value, cst.SimpleString)):
            return index
    return len(body)


def _begun(body: list[cst.BaseStatement], module: cst.Module) -> list[cst.BaseStatement]:
    """The statements, with one empty line at most before one that is the first now."""
    if not body or body[0] is module.body[0]:
        return body
    lines = list(_lines(body[0]))
    while lines and lines[0].comment is None:
        lines.pop(0)
    if module.header and module.header[-1].comment is not None:
        lines.insert(0, _EMPTY_LINE)
    return [body[0].with_changes(leading_lines=lines), *body[1:]]


def _lines(statement: cst.BaseStatement) -> Sequence[cst.EmptyLine]:
    lines: Sequence[cst.EmptyLine] = getattr(statement, "leading_lines", ())
    return lines


class _Imports(cst.CSTTransformer):
    """Puts imports from the recipe in the place of those from verl or from the user's modules."""

    def __init__(self, copied: Copied, part: Part) -> None:
        super().__init__()
        self.copied = copied
        self.code: Code = part.code
        self.needed: frozenset[str] | None = None
        """The names that a top-level import has to bind; ``None`` for all."""
        self.part = part
        project = copied.resolver.sources.project
        self.calls = Calls(part.code, facts(part.code, project), copied.resolver, copied.names)
        self.modules: dict[str, str] = {}
        """Modules that are imported by their dotted names, and what they are called now."""
        for each in ast.walk(self.code.tree):
            if isinstance(each, ast.Import):
                for alias in each.names:
                    target = copied.resolver.target(self.code, Alias(alias.name, 0, None, alias.asname, each.lineno))
                    if isinstance(target, OfModule) and alias.asname is None and "." in alias.name:
                        self.modules[alias.name] = copied.names.of(target.origin)

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement] | cst.RemovalSentinel:
        """A line that imports becomes as many lines as there are modules to import from."""
        made: list[cst.BaseSmallStatement] = []
        tried: list[cst.BaseStatement] = []
        changed = False
        for small in updated_node.body:
            if isinstance(small, (cst.Import, cst.ImportFrom)):
                rewritten = self._rewritten(small)
                if isinstance(small, cst.ImportFrom) and isinstance(small.names, cst.ImportStar):
                    tried += self._perhaps(small)
                changed = changed or rewritten != [small]
                made += rewritten
            else:
                made.append(small)
        if not changed:
            return updated_node
        if not made:
            kept = [line for line in updated_node.leading_lines if line.comment is not None]
            return (
                cst.SimpleStatementLine([cst.Pass()], leading_lines=kept)
                if self.needed is None
                else cst.RemoveFromParent()
            )
        lost = _comments(cst.SimpleStatementLine(updated_node.body), without=_comments(cst.SimpleStatementLine(made)))
        first = updated_node.with_changes(
            body=[made[0].with_changes(semicolon=cst.MaybeSentinel.DEFAULT)],
            leading_lines=[*updated_node.leading_lines, *(cst.EmptyLine(comment=each) for each in lost)],
        )
        rest = [cst.SimpleStatementLine([each.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)]) for each in made[1:]]
        return cst.FlattenSentinel([first, *rest, *tried])

    def visit_Call(self, node: cst.Call) -> bool:
        """Calls are met in the order of the text."""
        self.calls.meet(node)
        return True

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        """Calls that import, and that ask what to import."""
        return self.calls.written(original_node, updated_node)

    def visit_ImportAlias(self, node: cst.ImportAlias) -> bool:
        """The names of imports are dealt with as a whole."""
        return False

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        """``verl.utils.reward_score.gsm8k`` where that was imported by this name."""
        if not self.modules:
            return updated_node
        name = self.modules.get(_dotted(updated_node) or "")
        return updated_node if name is None else cst.Name(name)

    # ------------------------------------------------------------ one statement

    def _rewritten(self, small: cst.Import | cst.ImportFrom) -> list[cst.BaseSmallStatement]:
        kept: list[cst.ImportAlias] = []
        moved: list[cst.BaseSmallStatement] = []
        ran: list[cst.BaseSmallStatement] = []
        names = small.names
        if isinstance(names, cst.ImportStar):
            return self._star(small) if isinstance(small, cst.ImportFrom) else [small]
        for each in names:
            alias = _alias(small, each)
            if self.needed is not None and alias.bound not in self.needed:
                run = self._run_only(alias)
                if run is not None:
                    ran.append(run)
                continue
            target = self.copied.resolver.target(self.code, alias)
            replaced = self._replaced(alias, target)
            if replaced is None:
                kept.append(each)
            else:
                moved.append(replaced)
        if len(kept) == len(names):
            return [small]
        if isinstance(small, cst.ImportFrom) and len(moved) == len(names):
            same = _moved_whole(small, moved)
            if same is not None:
                return [same]
        stay: list[cst.BaseSmallStatement] = [_with_names(small, kept)] if kept else []
        return [*stay, *ran, *_joined(moved)]

    def _run_only(self, alias: Alias) -> cst.Import | None:
        """The import of a module for what it does."""
        origin = self.copied.resolver.run_only(self.code, alias)
        if origin is None or all(each.code.origin != origin for each in self.copied.parts[1:]):
            return None
        return _import(self.copied.names.module(origin))

    def _star(self, small: cst.ImportFrom) -> list[cst.BaseSmallStatement]:
        """The names that are needed of those that a star import gives for certain, and what it runs."""
        star = _star_alias(small)
        target = self.copied.resolver.target(self.code, star)
        if not isinstance(target, OfName):
            return [small]
        exports, module = self.copied.resolver.exports, self.copied.names.module(target.origin)
        given = exports.of_star(self.code, star, target.origin, self.part.needed)
        written = [Alias(star.module, star.level, name, None, 0) for name, sure in given.items() if sure]
        targets = [self.copied.resolver.target(self.code, each) for each in written]
        made = [
            replaced
            if isinstance(each, OfModule) and (replaced := self._replaced(alias, each)) is not None
            else _from(module, [(alias.bound, None)])
            for alias, each in zip(written, targets, strict=True)
        ]
        below = {each.origin for each in targets if isinstance(each, OfModule)}
        run = [each for each in exports.submodules(target.origin) if each not in below]
        is_run = not target.origin.of_verl and not self.code.origin.of_verl and target.origin != self.code.origin
        if is_run and all(isinstance(each, OfModule) for each in targets):
            made.insert(0, _import(module))
        return [*_joined_imports(made), *(_import(self.copied.names.module(each)) for each in run)]

    def _perhaps(self, small: cst.ImportFrom) -> list[cst.BaseStatement]:
        """The imports of names that a star import gives if its module has them."""
        star = _star_alias(small)
        target = self.copied.resolver.target(self.code, star)
        if not isinstance(target, OfName):
            return []
        given = self.copied.resolver.exports.of_star(self.code, star, target.origin, self.part.needed)
        module = self.copied.names.module(target.origin)
        return [
            cst.parse_statement(f"try:\n    from {module} import {name}\nexcept ImportError:\n    pass\n")
            for name, sure in given.items()
            if not sure
        ]

    def _replaced(self, alias: Alias, target: Target) -> cst.BaseSmallStatement | None:
        names = self.copied.names
        if isinstance(target, Supplied):
            return _from(target.module, [(target.name, alias.bound)])
        if isinstance(target, OfName):
            return _from(names.module(target.origin), [(target.name, alias.bound)])
        if isinstance(target, OfModule):
            stem = names.of(target.origin)
            bound = stem if alias.name is None and alias.asname is None and "." in alias.module else alias.bound
            return _from(names.package, [(stem, bound)])
        return None


def _star_alias(small: cst.ImportFrom) -> Alias:
    return Alias(_module_of(small), len(small.relative), ALL, None, 0)


def _joined_imports(statements: Sequence[cst.BaseSmallStatement]) -> list[cst.BaseSmallStatement]:
    """Imports of whole modules as they are, and those from modules with one statement for each."""
    whole = [each for each in statements if isinstance(each, cst.Import)]
    return [*whole, *_joined([each for each in statements if not isinstance(each, cst.Import)])]


def _moved_whole(small: cst.ImportFrom, moved: Sequence[cst.BaseSmallStatement]) -> cst.ImportFrom | None:
    """An import of names that come from one module now: the statement as it is written, but for that."""
    assert not isinstance(small.names, cst.ImportStar)
    module, names = "", []
    for each, made in zip(small.names, moved, strict=True):
        assert isinstance(made, cst.ImportFrom)
        assert not isinstance(made.names, cst.ImportStar)
        if module not in ("", _module_of(made)):
            return None
        module, new = _module_of(made), made.names[0]
        as_before = _written(new.name) == _written(each.name)
        names.append(each if as_before else each.with_changes(name=new.name, asname=each.asname or new.asname))
    return small.with_changes(module=_from(module, [("x", None)]).module, relative=(), names=names)


def _comments(node: cst.CSTNode, without: Sequence[cst.Comment] = ()) -> list[cst.Comment]:
    """The comments in a node, but for some."""
    known, found, pending = [each.value for each in without], list[cst.Comment](), [node]
    while pending:
        each = pending.pop()
        if isinstance(each, cst.Comment) and each.value not in known:
            found.append(each)
        pending += reversed(each.children)
    return found


def _alias(small: cst.Import | cst.ImportFrom, each: cst.ImportAlias) -> Alias:
    asname = each.asname.name.value if each.asname and isinstance(each.asname.name, cst.Name) else None
    written = _written(each.name)
    if isinstance(small, cst.Import):
        return Alias(written, 0, None, asname, 0)
    return Alias(_module_of(small), len(small.relative), written, asname, 0)


def _module_of(small: cst.ImportFrom) -> str:
    return "" if small.module is None else _written(small.module)


def _written(name: cst.Attribute | cst.Name) -> str:
    return name.value if isinstance(name, cst.Name) else _dotted(name) or ""


def _dotted(expression: cst.BaseExpression) -> str | None:
    parts: list[str] = []
    while isinstance(expression, cst.Attribute):
        parts.append(expression.attr.value)
        expression = expression.value
    if not isinstance(expression, cst.Name):
        return None
    return ".".join([expression.value, *reversed(parts)])


def _with_names(small: cst.Import | cst.ImportFrom, kept: list[cst.ImportAlias]) -> cst.BaseSmallStatement:
    """The statement with fewer names; a list in brackets that fits on one line stands on one."""
    last = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    changes: dict[str, object] = {"names": [*kept[:-1], last]}
    if isinstance(small, cst.ImportFrom) and small.lpar is not None:
        plain = [each.with_changes(comma=cst.MaybeSentinel.DEFAULT) for each in kept]
        changes = {"names": plain, "lpar": None, "rpar": None}
    made: cst.BaseSmallStatement = small.with_changes(**changes)
    return made


def _import(module: str) -> cst.Import:
    statement = cst.parse_statement(f"import {module}")
    assert isinstance(statement, cst.SimpleStatementLine)
    made = statement.body[0]
    assert isinstance(made, cst.Import)
    return made


def _from(module: str, names: Sequence[tuple[str, str | None]]) -> cst.ImportFrom:
    listed = ", ".join(name if bound in (None, name) else f"{name} as {bound}" for name, bound in names)
    statement = cst.parse_statement(f"from {module} import {listed}")
    assert isinstance(statement, cst.SimpleStatementLine)
    made = statement.body[0]
    assert isinstance(made, cst.ImportFrom)
    return made


def _joined(statements: Sequence[cst.BaseSmallStatement]) -> list[cst.BaseSmallStatement]:
    """Imports from one module in one statement."""
    found: dict[str, list[tuple[str, str | None]]] = {}
    for each in statements:
        assert isinstance(each, cst.ImportFrom)
        assert not isinstance(each.names, cst.ImportStar)
        for alias in each.names:
            made = _alias(each, alias)
            found.setdefault(_module_of(each), []).append((made.name or "", made.asname))
    return [_from(module, names) for module, names in found.items()]
