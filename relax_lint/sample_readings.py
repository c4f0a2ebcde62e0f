"""What the code that a launch has Relax call reads of a sample's label and metadata, and what it sets itself."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from relax_lint.calls.entries import entries, reached
from relax_lint.calls.values import SAMPLE, Given, Value
from relax_lint.flow.scopes import own_nodes
from relax_lint.named_functions import own_rollout
from relax_lint.patterns import pattern
from relax_lint.records import changed, node, record
from relax_lint.rewards import GENERATE, reward_uses
from relax_lint.sources.python import is_none

if TYPE_CHECKING:
    from relax_lint.calls.entries import Entry, EntryKind
    from relax_lint.calls.reached import ReachedFunction
    from relax_lint.diagnostics import Place
    from relax_lint.project import Project
    from relax_lint.shell.launch import Launch

METADATA, LABEL = Given("sample", ("metadata",)), Given("sample", ("label",))
SET_BY_RELAX = frozenset({"data_source", "tools", "rm_type", "start_rollout_id", "eval_dataset", "_timing"})
"""Keys of the metadata that Relax fills in besides what the data has; ``data_source`` from a column of that name."""
SET_BY_CONVERSION = frozenset({"relax_label_encoding", "verl_data_source"})
"""Keys of the metadata that the conversion of verl's data writes only into rows that need them."""

_AGENTS = "--use-agentic-rollout"
_ASKS = frozenset({"isinstance", "hasattr", "type", "callable"})
_MAY_SET = frozenset({"update", "setdefault"})
_TELLS = frozenset({"print", "debug", "info", "warning", "error", "exception", "log"})


@record
class KeyReading:
    """A key of the metadata that is read. ``needed``: without it there is a KeyError; ``plain``: without it there is
    ``None``, and nothing that the code puts in its place; ``reader`` is what reads it."""

    key: str
    place: Place
    needed: bool
    plain: bool = False
    reader: EntryKind = "reward"


@node
class SampleReadings:
    """``label`` is where the label is read, and by what, unless the code also goes without one; ``keys`` are those of
    the metadata that it cannot replace."""

    label: tuple[EntryKind, Place] | None
    keys: dict[str, KeyReading]


def sample_readings(launch: Launch, project: Project) -> SampleReadings | None:
    """What the reward of a launch reads; ``None`` where that cannot be told, or something else may fill samples."""
    from relax_lint.flow.interpreter import interpreter_of

    uses = reward_uses(launch, project)
    if not uses or own_rollout(launch) is not None or launch.has(_AGENTS):
        return None
    called = tuple(entries(launch, project))
    if not any(entry.kind == "reward" for entry in called):
        return None
    if launch.has(GENERATE) and not any(entry.kind == "generate" for entry in called):
        return None
    return interpreter_of(project).answers.ask(("sample readings", called), lambda: _read(called, project))


def _read(called: tuple[Entry, ...], project: Project) -> SampleReadings | None:
    labels: list[tuple[EntryKind, Place]] = []
    optional_label = False
    keys: dict[str, KeyReading] = {}
    optional: set[str] = set()
    for entry in called:
        code = reached(entry, project)
        if not code.whole:
            return None
        for function in code.functions:
            if function.source.text.find("label") < 0 and function.source.text.find("metadata") < 0:
                continue
            reader = _Reader(function)
            optional_label |= reader.may_set_label
            optional |= reader.set_keys
            if reader.replaces_metadata:
                return None
            labels += ((entry.kind, place) for place in reader.labels)
            optional_label |= reader.asks_for_label
            optional |= reader.asked_keys
            for reading in reader.keys:
                known = keys.get(reading.key)
                if known is None or (reading.needed and not known.needed):
                    keys[reading.key] = changed(reading, reader=entry.kind)
    wanted = {key: reading for key, reading in keys.items() if key not in optional}
    return SampleReadings(None if optional_label or not labels else labels[0], wanted)


class _Reader:
    """Reads one function's own code."""

    def __init__(self, function: ReachedFunction) -> None:
        self._function = function
        self._source = function.source
        self.labels: list[Place] = []
        self.keys: list[KeyReading] = []
        self.asks_for_label = self.may_set_label = self.replaces_metadata = False
        self.asked_keys: set[str] = set()
        self.set_keys: set[str] = set()
        for part in own_nodes(function.node):
            self._look_at(part)

    def _look_at(self, part: ast.AST) -> None:
        if isinstance(part, ast.Attribute):
            self._attribute(part)
        elif isinstance(part, ast.Subscript):
            self._subscript(part)
        elif isinstance(part, ast.Call):
            self._call(part)
        elif isinstance(part, ast.Compare):
            self._membership(part)
        if isinstance(part, (ast.Name, ast.Attribute, ast.Call)) and isinstance(getattr(part, "ctx", _LOAD), ast.Load):
            if self._is(part, LABEL):
                if self._goes_without(part) or self._is_one_way(part):
                    self.asks_for_label = True
                elif isinstance(part, ast.Call):
                    self.labels.append(self._source.place(part))

    def _is(self, expression: ast.expr, given: Value) -> bool:
        return given in self._function.values(expression)

    def _attribute(self, part: ast.Attribute) -> None:
        if part.attr not in ("label", "metadata") or not self._is(part.value, SAMPLE):
            return
        if not isinstance(part.ctx, ast.Load):
            self.may_set_label |= part.attr == "label"
            self.replaces_metadata |= part.attr == "metadata" and not self._keeps(part)
        elif part.attr == "label" and self._function.is_certainly(part.value, SAMPLE, "label"):
            if not self._is_told(part):
                self.labels.append(self._source.place(part))

    def _keeps(self, target: ast.Attribute) -> bool:
        """Whether metadata is only given back to the sample: ``sample.metadata = sample.metadata or {}``."""
        statement = self._source.parent(target)
        value = getattr(statement, "value", None)
        return isinstance(value, ast.expr) and self._function.values(value) <= {METADATA}

    def _subscript(self, part: ast.Subscript) -> None:
        key = part.slice.value if isinstance(part.slice, ast.Constant) else None
        if not self._is(part.value, METADATA):
            return
        if not isinstance(key, str):
            self.replaces_metadata |= not isinstance(part.ctx, ast.Load)
        elif not isinstance(part.ctx, ast.Load):
            self.set_keys.add(key)
        elif self._is_guarded(part) or self._is_one_way(part):
            self.asked_keys.add(key)
        else:
            self.keys.append(KeyReading(key, self._source.place(part), True))

    def _call(self, call: ast.Call) -> None:
        method = call.func
        if not isinstance(method, ast.Attribute) or not self._is(method.value, METADATA):
            return
        first = call.args[0] if call.args else None
        key = first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else None
        if method.attr == "get" and key is not None:
            if (len(call.args) > 1 and not _is_trivial(call.args[1])) or self._goes_without(call):
                self.asked_keys.add(key)
            else:
                plain = len(call.args) == 1 and not isinstance(self._source.parent(call), ast.BoolOp)
                self.keys.append(KeyReading(key, self._source.place(call), False, plain))
        elif method.attr in _MAY_SET:
            if key is not None:
                self.set_keys.add(key)
            self.set_keys.update(word.arg for word in call.keywords if word.arg)
            known = isinstance(first, ast.Dict) and all(isinstance(one, ast.Constant) for one in first.keys)
            if known and isinstance(first, ast.Dict):
                self.set_keys.update(str(one.value) for one in first.keys if isinstance(one, ast.Constant))
            elif method.attr == "update" and first is not None:
                self.replaces_metadata = True
        elif method.attr == "pop" and key is not None:
            (self.asked_keys.add if len(call.args) > 1 else self.set_keys.add)(key)

    def _membership(self, comparison: ast.Compare) -> None:
        if isinstance(comparison.ops[0], (ast.In, ast.NotIn)) and isinstance(comparison.left, ast.Constant):
            if self._is(comparison.comparators[0], METADATA):
                self.asked_keys.add(str(comparison.left.value))

    # ------------------------------------------------------------ whether the code can do without

    def _is_told(self, part: ast.expr) -> bool:
        """Whether a value is only written to a log, as itself or in a text."""
        holder = self._source.parent(part)
        while isinstance(holder, (ast.JoinedStr, ast.FormattedValue)):
            holder = self._source.parent(holder)
        name = getattr(holder.func, "attr", getattr(holder.func, "id", "")) if isinstance(holder, ast.Call) else ""
        return name in _TELLS

    def _is_guarded(self, part: ast.Subscript) -> bool:
        """Whether a KeyError is caught."""
        for holder in self._source.ancestors(part):
            if isinstance(holder, ast.Try) and any(
                handler.type is None or any(name in ast.unparse(handler.type) for name in ("KeyError", "Exception"))
                for handler in holder.handlers
            ):
                return True
        return False

    def _is_one_way(self, part: ast.expr) -> bool:
        """Whether a value is read for some data, or some arguments, only; here, or where this is called."""
        sites = [(self._source, part), *self._function.way]
        return any(
            isinstance(holder, (ast.If, ast.IfExp, ast.Match)) and _CHOICE.search(_test_of(holder))
            for source, site in sites
            for holder in source.ancestors(site)
        )

    def _is_stand_in(self, part: ast.expr) -> bool:
        """Whether a value only stands in for what the data has elsewhere: ``metadata.get("answer", sample.label)``."""
        child: ast.AST = part
        holder = self._source.parent(part)
        while isinstance(holder, (ast.IfExp, ast.BoolOp)):
            child, holder = holder, self._source.parent(holder)
        return isinstance(holder, ast.Call) and getattr(holder.func, "attr", "") == "get" and child in holder.args[1:]

    def _goes_without(self, part: ast.expr) -> bool:
        """Whether the code asks if a value is there, and does something else if not."""
        child: ast.AST = part
        holder = self._source.parent(part)
        if self._is_stand_in(part):
            return True
        if isinstance(holder, ast.Call) and child is not holder.func:
            if getattr(holder.func, "id", "") in _ASKS:
                return True
        if isinstance(holder, ast.BoolOp):
            rest = holder.values[holder.values.index(child) + 1 :] if child in holder.values else []
            if isinstance(holder.op, ast.Or) and rest:
                return not all(_is_trivial(one) for one in rest)
            return isinstance(holder.op, ast.Or) or child is not holder.values[-1]
        if isinstance(holder, ast.Compare) and _compares_with_none(holder):
            child, holder = holder, self._source.parent(holder)
        if isinstance(holder, ast.UnaryOp) and isinstance(holder.op, ast.Not):
            child, holder = holder, self._source.parent(holder)
        if isinstance(holder, ast.IfExp) and holder.test is child:
            return not (_is_trivial(holder.body) or _is_trivial(holder.orelse))
        if isinstance(holder, (ast.If, ast.While)) and holder.test is child:
            return not (isinstance(holder, ast.If) and not holder.orelse and _gives_up(holder.body))
        return isinstance(holder, (ast.BoolOp, ast.MatchValue, ast.Match))


_LOAD = ast.Load()
_CHOICE = pattern(r"\b(?:metadata|meta|data_source|source|extra_info|args|kwargs|evaluation)\b")
"""What chooses between kinds of data, or of launches."""


def _test_of(holder: ast.If | ast.IfExp | ast.Match) -> str:
    return ast.unparse(holder.subject if isinstance(holder, ast.Match) else holder.test)


def _compares_with_none(comparison: ast.Compare) -> bool:
    sides = (comparison.left, *comparison.comparators)
    return any(is_none(side) for side in sides)


def _is_trivial(value: ast.expr) -> bool:
    """Whether a value stands for nothing: ``None``, an empty text, list or dictionary, a zero."""
    if isinstance(value, ast.Constant):
        return not value.value
    if isinstance(value, (ast.List, ast.Tuple)):
        return not value.elts
    return isinstance(value, ast.Dict) and not value.keys


def _gives_up(body: list[ast.stmt]) -> bool:
    """Whether a block only raises, or gives a score of nothing."""
    last = body[-1]
    if isinstance(last, ast.Raise):
        return True
    return isinstance(last, ast.Return) and last.value is not None and _is_no_score(last.value)


def _is_no_score(value: ast.expr) -> bool:
    if isinstance(value, ast.Dict):
        return all(_is_trivial(one) or isinstance(one, ast.Constant) for one in value.values)
    return _is_trivial(value)
