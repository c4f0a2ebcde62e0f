"""What expressions give of a model's text, and where they raise if it is not as it should be."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from relax_lint.class_bodies import last_name
from relax_lint.records import changed
from relax_lint.replies.guards import Fact, is_caught
from relax_lint.replies.patterns import holds_number
from relax_lint.replies.texts import text_of
from relax_lint.replies.values import (
    ATTRIBUTE,
    INDEX,
    KEY,
    NUMBER,
    NUMBERS,
    OF_MATCH,
    PARSED,
    PARSERS,
    PARSING_METHODS,
    SEARCHES,
    STOP,
    TEXT,
    TEXT_TO_TEXT,
    VALUE,
    Reply,
    Risk,
    either,
)

if TYPE_CHECKING:
    from relax_lint.replies.statements import Walk

_KEEPING = frozenset(
    {"list", "tuple", "sorted", "reversed", "iter", "set", "copy.deepcopy", "copy.copy", "typing.cast", "dict"}
)
_LATER = {"to_thread": 0, "run_in_executor": 1, "submit": 0, "partial": 0}
"""Calls that call what they are given, and where that stands."""
_FORGIVING = frozenset({"defaultdict", "Counter", "ChainMap"})


class Expressions:
    """Evaluates the expressions of one function."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.follower = walk.follower
        self.source = walk.source

    def value(self, node: ast.expr) -> Reply | None:
        """What an expression gives, if it comes from the model; what it raises is kept."""
        evaluator = _EVALUATORS.get(type(node))
        if evaluator is not None:
            return evaluator(self, node)
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                self.value(part)
        return None

    def peek(self, node: ast.expr) -> Reply | None:
        """What a name or attribute holds."""
        name = text_of(node) if isinstance(node, ast.Attribute) else getattr(node, "id", "")
        values = self.walk.state.values
        return values[name] if name in values else self.follower.attributes.get(name)

    # ------------------------------------------------------------ risks

    def _raises(
        self, node: ast.AST, what: str, catch: frozenset[str], held: Reply | None, then: Fact | None = None
    ) -> bool:
        """Whether a bad reply raises here and nothing catches it; kept, unless it only follows from what is. ``then``
        is what holds where nothing was raised."""
        if then is not None:
            self.walk.state.facts |= {then}
        if is_caught(catch, self.walk.around):
            return False
        if held is None or not held.reported:
            self.follower.risk(Risk(self.source, node, what, catch))
        return True

    def _knows(self, *facts: Fact) -> bool:
        return any(fact in self.walk.state.facts for fact in facts)

    def pieces(self, target: ast.AST, value: Reply) -> None:
        """A split text is taken apart into names."""
        holder = self.source.parent(target)
        of = text_of(holder.value) if isinstance(holder, ast.Assign) else ""
        text = of.partition(".split")[0].partition(".rsplit")[0]
        if not self._knows(Fact("some", of), Fact("marked", text), Fact("checked", text)):
            self._raises(target, "taking the pieces of a split text apart", VALUE, value)

    # ------------------------------------------------------------ names and parts

    def name(self, node: ast.Name) -> Reply | None:
        """A name."""
        return self.peek(node)

    def attribute(self, node: ast.Attribute) -> Reply | None:
        """``value.name``."""
        known = self.peek(node)
        holder = self.value(node.value)
        if known is not None or holder is None:
            return known
        if holder.kind == "match" and node.attr in ("string", "lastgroup"):
            self._of_match(node, node.value, holder, node.attr)
        return TEXT if holder.kind in ("match", "sure match", "text") else (holder if holder.kind == "parsed" else None)

    def subscript(self, node: ast.Subscript) -> Reply | None:
        """``value[index]``."""
        holder = self.value(node.value)
        if isinstance(node.slice, ast.Slice):
            for end in (node.slice.lower, node.slice.upper, node.slice.step):
                if end is not None:
                    self.value(end)
            return changed(holder, kind="found") if holder is not None and holder.kind == "split" else holder
        index = self.value(node.slice)
        key = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if holder is None:
            return self._from_table(node, index)
        if holder.kind == "made":
            return holder.field(key) if key is not None else either(value for _, value in holder.fields)
        if holder.kind in ("match", "sure match"):
            if holder.kind == "match":
                self._of_match(node, node.value, holder, "[…]")
            return changed(TEXT, pattern=holder.pattern, group=key if isinstance(key, (int, str)) else None)
        if holder.kind in ("found", "split"):
            return self._from_list(node, holder)
        return self._from_parsed(node, holder) if holder.kind == "parsed" else holder

    def _from_table(self, node: ast.Subscript, index: Reply | None) -> Reply | None:
        """``TOOLS[name]`` for a name that the model chose."""
        if index is None or index.kind not in ("text", "parsed", "number") or not isinstance(node.ctx, ast.Load):
            return None
        written, table = text_of(node.slice), text_of(node.value)
        if self._knows(Fact("key", written), Fact("has", table, written), Fact("checked", written)):
            return None
        local = self.walk.assigned.get(node.value.id) if isinstance(node.value, ast.Name) else None
        made = [local] if local is not None else self.follower.definitions(self.source, node.value)
        if made and all(isinstance(part, ast.Call) and last_name(part.func) in _FORGIVING for part in made):
            return None
        catch = INDEX if index.kind == "number" else KEY
        self._raises(node, f"{table}[{written}]", catch, index, Fact("key", written))
        return None

    def _from_list(self, node: ast.Subscript, holder: Reply) -> Reply | None:
        at = node.slice
        first = isinstance(at, ast.Constant) and at.value == 0
        last = isinstance(at, ast.UnaryOp) and text_of(at) == "-1"
        if holder.kind == "split" and (first or last):
            return holder.item
        of = text_of(node.value)
        text = of.partition(".split")[0].partition(".rsplit")[0]
        known = self._knows(Fact("some", of), Fact("checked", of), Fact("marked", text), Fact("checked", text))
        if not known and self._raises(node, f"{of}[{text_of(at)}]", INDEX, holder, Fact("some", of)):
            return None if holder.item is None else changed(holder.item, reported=True)
        return holder.item

    def _from_parsed(self, node: ast.Subscript, holder: Reply) -> Reply:
        of, key = text_of(node.value), text_of(node.slice)
        known = self._knows(Fact("has", of, key), Fact("checked", of), Fact("has", f"{of}.keys()", key))
        if not known and isinstance(node.ctx, ast.Load):
            if self._raises(node, f"{of}[{key}]", KEY, holder, Fact("checked", of)):
                return changed(PARSED, reported=True)
        return changed(PARSED, reported=holder.reported)

    def _of_match(self, node: ast.AST, of: ast.expr, holder: Reply, name: str) -> bool:
        written = of.target.id if isinstance(of, ast.NamedExpr) else text_of(of)
        if self._knows(Fact("some", written), Fact("checked", written)):
            return False
        what = f".{name}() of a search that may find nothing"
        return self._raises(node, what, ATTRIBUTE, holder, Fact("some", written))

    # ------------------------------------------------------------ operators

    def walrus(self, node: ast.NamedExpr) -> Reply | None:
        """``name := value``."""
        value = self.value(node.value)
        self.walk.assign(node.target, value)
        return value

    def boolean(self, node: ast.BoolOp) -> Reply | None:
        """``a and b``: each is looked at with what those before it say."""
        values = [self.value(node.values[0])]
        before = self.walk.state.facts
        for last, part in zip(node.values, node.values[1:], strict=False):
            self.walk.state.facts |= self.walk.facts(last, isinstance(node.op, ast.And))
            values.append(self.value(part))
        self.walk.state.facts = before
        return either(values)

    def ternary(self, node: ast.IfExp) -> Reply | None:
        """``a if test else b``."""
        self.value(node.test)
        values = []
        before = self.walk.state.facts
        for part, holds in ((node.body, True), (node.orelse, False)):
            self.walk.state.facts = before | self.walk.facts(node.test, holds)
            values.append(self.value(part))
        self.walk.state.facts = before
        return either(values)

    def binary(self, node: ast.BinOp) -> Reply | None:
        """``left + right``: text stays text."""
        value = either((self.value(node.left), self.value(node.right)))
        return value if value is not None and value.kind in ("text", "number", "found") else None

    def formatted(self, node: ast.JoinedStr) -> Reply | None:
        """A formatted string."""
        parts = [self.value(part.value) for part in node.values if isinstance(part, ast.FormattedValue)]
        return None if either(parts) is None else TEXT

    def comparison(self, node: ast.Compare) -> Reply | None:
        """A comparison."""
        for part in (node.left, *node.comparators):
            self.value(part)
        return None

    def awaited(self, node: ast.Await) -> Reply | None:
        """``await value``."""
        return self.value(node.value)

    # ------------------------------------------------------------ displays

    def dictionary(self, node: ast.Dict) -> Reply | None:
        """``{key: value}``."""
        fields: list[tuple[object, Reply]] = []
        for key, part in zip(node.keys, node.values, strict=True):
            if key is not None:
                self.value(key)
            value = self.value(part)
            if value is not None and isinstance(key, ast.Constant):
                fields.append((key.value, value))
            elif value is not None and key is None and value.kind == "made":
                fields.extend(value.fields)
        return Reply("made", fields=tuple(fields)) if fields else None

    def sequence(self, node: ast.List | ast.Tuple | ast.Set) -> Reply | None:
        """``[a, b]``."""
        values = [self.value(part) for part in node.elts]
        fields = tuple((index, value) for index, value in enumerate(values) if value is not None)
        return Reply("made", fields=fields) if fields else None

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Reply | None:
        """A comprehension."""
        before = self.walk.state
        self.walk.state = before.copy()
        for generator in node.generators:
            self.walk.assign(generator.target, self.item(self.value(generator.iter)))
            for test in generator.ifs:
                self.value(test)
                self.walk.state.facts |= self.walk.facts(test, True)
        if isinstance(node, ast.DictComp):
            self.value(node.key)
            element = self.value(node.value)
        else:
            element = self.value(node.elt)
        self.walk.state = before
        return None if element is None else Reply("found", item=element)

    def item(self, value: Reply | None) -> Reply | None:
        """What iterating over a value gives."""
        if value is None:
            return None
        if value.kind in ("found", "split"):
            return value.item
        return either(held for _, held in value.fields) if value.kind == "made" else value

    # ------------------------------------------------------------ calls

    def call(self, node: ast.Call) -> Reply | None:
        """A call."""
        positional = [self.value(part.value if isinstance(part, ast.Starred) else part) for part in node.args]
        keywords = {word.arg: self.value(word.value) for word in node.keywords if word.arg is not None}
        for word in node.keywords:
            if word.arg is None:
                self.value(word.value)
        if isinstance(node.func, ast.Attribute):
            holder = self.value(node.func.value)
            if holder is not None:
                return self._method(node, node.func, holder)
        elif not isinstance(node.func, ast.Name):
            self.value(node.func)
        later = _LATER.get(last_name(node.func))
        if later is not None and len(node.args) > later:
            return self._run(node.args[later], positional[later + 1 :], keywords)
        known, result = self._own(node.func, positional, keywords)
        return result if known else self._outside(node, positional, keywords)

    def _own(
        self, function: ast.expr, positional: list[Reply | None], keywords: dict[str, Reply | None]
    ) -> tuple[bool, Reply | None]:
        """What a function of the recipe gives, if this is one."""
        local = self.walk.local.get(function.id) if isinstance(function, ast.Name) else function
        if isinstance(local, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            outer = self.walk.state.values
            return True, self.follower.call(self.source, local, positional, keywords, self.walk.around, outer)
        if isinstance(function, ast.Name) and function.id in self.walk.state.values:
            return False, None
        found = self.follower.function_of(self.source, function)
        if found is None:
            return False, None
        target, bound = found
        given = [None, *positional] if bound else positional
        return True, self.follower.call(target.source, target.node, given, keywords, self.walk.around)

    def _run(
        self, function: ast.expr, positional: list[Reply | None], keywords: dict[str, Reply | None]
    ) -> Reply | None:
        """What is called in another thread, say."""
        known, result = self._own(function, positional, keywords)
        if known:
            return result
        given: list[ast.expr] = [ast.copy_location(ast.Constant(...), function) for _ in positional]
        call = ast.copy_location(ast.Call(func=function, args=given, keywords=[]), function)
        return self._outside(call, positional, keywords)

    def _outside(
        self, node: ast.Call, positional: list[Reply | None], keywords: dict[str, Reply | None]
    ) -> Reply | None:
        """What a function from elsewhere gives."""
        given = either([*positional, *keywords.values()])
        if given is None:
            return None
        name = self.follower.name_of(self.source, node.func, self.walk.imported)
        last = name.rpartition(".")[2]
        first = positional[0] if positional else given
        if name in PARSERS or last in PARSING_METHODS:
            return self._parse(node, name, PARSERS.get(name, VALUE), given)
        if name == "map" and len(node.args) > 1:
            item = self._run(node.args[0], [self.item(value) for value in positional[1:]], {})
            return None if item is None else Reply("found", item=item, reported=item.reported)
        if name in NUMBERS and first is not None:
            return self._number(node, name, first)
        if last in SEARCHES:
            return Reply("match", pattern=self.follower.pattern_of(self.source, node), reported=given.reported)
        if last in ("finditer", "findall"):
            match = Reply("sure match", pattern=self.follower.pattern_of(self.source, node))
            item = match if last == "finditer" else self._found(node)
            return Reply("found", item=item, reported=given.reported)
        if last == "split":
            return Reply("split", item=TEXT, reported=given.reported)
        if name == "next":
            raised = len(node.args) < 2 and first is not None and first.kind in ("found", "parsed", "made")
            if raised and self._raises(node, "next()", STOP, first):
                return changed(self.item(first) or TEXT, reported=True)
            return self.item(first)
        if name == "getattr":
            self._attribute_by_name(node, positional)
            return None
        if name in ("str", "repr", "format") or last in ("sub", "dumps", "unescape", "dedent", "normalize"):
            return TEXT
        if name == "enumerate":
            counted = self.item(first)
            return None if counted is None else Reply("found", item=Reply("made", fields=((1, counted),)))
        return given if name in _KEEPING else None

    def _parse(self, node: ast.Call, name: str, catch: frozenset[str], given: Reply) -> Reply:
        written = [text_of(part) for part in node.args]
        if any(self._knows(Fact("checked", text)) for text in written):
            return PARSED
        shown = f"{'.'.join(name.split('.')[-2:])}()"
        return changed(PARSED, reported=self._raises(node, shown, catch, given) or given.reported)

    def _number(self, node: ast.Call, name: str, given: Reply) -> Reply | None:
        written = text_of(node.args[0]) if node.args else ""
        if given.kind not in ("text", "parsed"):
            return NUMBER
        facts = [Fact(kind, part) for part in _chain(written) for kind in ("number", "checked")]
        if self._knows(*facts):
            return NUMBER
        if given.pattern is not None and given.group is not None and holds_number(given.pattern, given.group, name):
            return NUMBER
        raised = self._raises(node, f"{name}({written})", NUMBERS[name], given, Fact("number", written))
        return changed(NUMBER, reported=raised)

    def _found(self, node: ast.Call) -> Reply:
        """What ``findall`` finds: texts of the one group, if there is one."""
        pattern = self.follower.pattern_of(self.source, node)
        groups = 0 if pattern is None else pattern.count("(") - pattern.count("(?") - pattern.count("\\(")
        return changed(TEXT, pattern=pattern, group=groups if groups in (0, 1) else None)

    def _attribute_by_name(self, node: ast.Call, positional: list[Reply | None]) -> None:
        if len(node.args) != 2 or positional[1] is None:
            return
        name = node.args[1]
        parts = {text_of(part) for part in ast.walk(name) if isinstance(part, ast.expr)}
        if not self._knows(*(Fact("key", part) for part in parts), *(Fact("checked", part) for part in parts)):
            self._raises(node, f"getattr(…, {text_of(name)})", ATTRIBUTE, positional[1])

    # ------------------------------------------------------------ methods

    def _method(self, node: ast.Call, function: ast.Attribute, holder: Reply) -> Reply | None:
        name = function.attr
        if holder.kind in ("match", "sure match") and name in OF_MATCH:
            raised = holder.kind == "match" and self._of_match(node, function.value, holder, name)
            return self._group(node, name, changed(holder, reported=raised or holder.reported))
        if holder.kind in ("text", "parsed") and name in TEXT_TO_TEXT:
            return changed(TEXT, reported=holder.reported)
        if holder.kind == "text":
            return self._of_text(node, function, holder)
        if holder.kind in ("parsed", "made") and name in (
            "get",
            "pop",
            "setdefault",
            "items",
            "values",
            "keys",
            "copy",
        ):
            return self._of_mapping(node, function, holder)
        if holder.kind in ("found", "split") and name == "pop":
            return holder.item
        return holder if name in ("copy", "__iter__") else None

    def _group(self, node: ast.Call, name: str, match: Reply) -> Reply | None:
        if name in ("start", "end", "span"):
            return None
        if name in ("groups", "groupdict"):
            return changed(TEXT, reported=match.reported)
        given = node.args[0] if node.args else None
        group = given.value if isinstance(given, ast.Constant) else (0 if given is None else None)
        known = group if isinstance(group, (int, str)) else None
        return changed(TEXT, pattern=match.pattern, group=known, reported=match.reported)

    def _of_text(self, node: ast.Call, function: ast.Attribute, holder: Reply) -> Reply | None:
        name, written = function.attr, text_of(function.value)
        if name in ("split", "rsplit"):
            text = changed(TEXT, reported=holder.reported)
            return Reply("split" if node.args else "found", item=text, reported=holder.reported)
        if name == "splitlines":
            return Reply("found", item=changed(TEXT, reported=holder.reported), reported=holder.reported)
        if name in ("partition", "rpartition"):
            return Reply("made", fields=tuple((index, TEXT) for index in range(3)))
        if name in ("index", "rindex"):
            marks = [Fact("marked", written), Fact("checked", written)]
            if not self._knows(*marks):
                self._raises(node, f".{name}()", VALUE, holder)
            return None
        return TEXT if name in ("format", "join") else None

    def _of_mapping(self, node: ast.Call, function: ast.Attribute, holder: Reply) -> Reply | None:
        name = function.attr
        key = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
        if holder.kind == "made":
            if name in ("get", "pop", "setdefault"):
                return holder.field(key)
            return Reply("found", item=either(value for _, value in holder.fields))
        if name == "pop" and len(node.args) == 1:
            of = text_of(function.value)
            known = self._knows(Fact("has", of, text_of(node.args[0])), Fact("checked", of))
            if not known and self._raises(node, f"{of}.pop({text_of(node.args[0])})", KEY, holder):
                return changed(PARSED, reported=True)
        return changed(PARSED, reported=holder.reported)


def _chain(text: str) -> Iterator[str]:
    """An expression, and what it is made of by methods: ``x.strip().lower()``, ``x.strip()``, ``x``."""
    try:
        node: ast.expr = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return
    yield text
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        node = node.func.value
        yield text_of(node)


_EVALUATORS: dict[type[ast.expr], Callable[..., Reply | None]] = {
    ast.Name: Expressions.name,
    ast.Attribute: Expressions.attribute,
    ast.Subscript: Expressions.subscript,
    ast.NamedExpr: Expressions.walrus,
    ast.BoolOp: Expressions.boolean,
    ast.IfExp: Expressions.ternary,
    ast.BinOp: Expressions.binary,
    ast.JoinedStr: Expressions.formatted,
    ast.Compare: Expressions.comparison,
    ast.Await: Expressions.awaited,
    ast.Dict: Expressions.dictionary,
    ast.List: Expressions.sequence,
    ast.Tuple: Expressions.sequence,
    ast.Set: Expressions.sequence,
    ast.ListComp: Expressions.comprehension,
    ast.SetComp: Expressions.comprehension,
    ast.GeneratorExp: Expressions.comprehension,
    ast.DictComp: Expressions.comprehension,
    ast.Call: Expressions.call,
}
