"""What is reached from one thing that Relax calls: the functions, and the names that args and the sample have there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.calls.look import Look
from relax_lint.calls.values import NOTHING, OF_LISTS, SAMPLE, SAMPLES, Given, Outside, Values
from relax_lint.flow.scopes import FUNCTIONS
from relax_lint.records import record

if TYPE_CHECKING:
    from relax_lint.calls.frames import Frame
    from relax_lint.calls.graph import Graph
    from relax_lint.flow.scopes import AnyFunction
    from relax_lint.sources.python import PythonSource


@record
class Reading:
    """``value.name``, where the value is what Relax handed over."""

    function: ReachedFunction
    node: ast.Attribute
    name: str


class ReachedCode:
    """Code that runs: its calls, and what its expressions may be."""

    def __init__(self, graph: Graph, frame: Frame) -> None:
        self._look = Look(graph, frame, frame)
        self.frame = frame
        self.source: PythonSource = frame.source

    @property
    def calls(self) -> list[ast.Call]:
        """The calls in its own code, not those in functions that it holds."""
        return self.frame.bindings.calls

    def values(self, expression: ast.expr) -> Values:
        """What an expression in it may be."""
        return self._look.value(expression)

    def outside_names(self, expression: ast.expr) -> frozenset[str]:
        """The names of what an expression may be from elsewhere; nothing where it may be something else as well."""
        values = self.values(expression)
        names = frozenset(value.name for value in values if isinstance(value, Outside))
        return names if len(names) == len(values) else frozenset()


class ReachedFunction(ReachedCode):
    """A function that runs; ``on_loop`` when it does so on the event loop that Relax calls the recipe from."""

    @property
    def on_loop(self) -> bool:
        """Whether it runs on the event loop that Relax calls the recipe from."""
        return self.frame.where == "loop"

    @property
    def node(self) -> AnyFunction:
        """The definition, or the lambda."""
        assert isinstance(self.frame.node, FUNCTIONS)
        return self.frame.node

    @property
    def name(self) -> str:
        """The function's name."""
        return getattr(self.node, "name", "lambda")

    @property
    def attributes(self) -> list[ast.Attribute]:
        """The attributes read or set in its own code."""
        return self.frame.bindings.attributes

    def is_certainly(self, expression: ast.expr, given: Given, read: str = "") -> bool:
        """Whether an expression is what Relax handed over, whoever calls the function; ``None`` apart. ``read`` is an
        attribute of it: code that is given a sample or samples reads those of a sample when it is given one."""
        values = self.values(expression)
        if read and given == SAMPLE and read not in OF_LISTS:
            values -= {SAMPLES}
        return values == frozenset({given})

    def names_of(self, given: Given) -> frozenset[str]:
        """Its own names that are certainly what Relax handed over: parameters and local variables."""
        names = {*self.frame.given, *self.frame.bindings.names}
        return frozenset(name for name in names if self._look.name(name) == frozenset({given}))

    def readings(self, given: Given) -> Iterator[Reading]:
        """Every ``value.name`` that is read here of what Relax handed over, by whatever name."""
        for node in self.attributes:
            if isinstance(node.ctx, ast.Load) and self.is_certainly(node.value, given, node.attr):
                yield Reading(self, node, node.attr)

    @property
    def way(self) -> list[tuple[PythonSource, ast.AST]]:
        """The calls that lead here from what Relax calls, the last first."""
        found: list[tuple[PythonSource, ast.AST]] = []
        caller = self.frame.caller
        while caller is not None and len(found) < 20:
            frame, call = caller
            if call is not None:
                found.append((frame.source, call))
            caller = frame.caller
        return found


class Reached:
    """All functions that run when Relax makes one call. ``whole`` unless there are too many to follow."""

    def __init__(self, graph: Graph, result: Values = NOTHING) -> None:
        self.whole = graph.whole
        self._graph = graph
        self.functions = [
            ReachedFunction(graph, frame)
            for frame in graph.frames.values()
            if frame.where != "import" and isinstance(frame.node, FUNCTIONS)
        ]

    def readings(self, given: Given) -> Iterator[Reading]:
        """Every attribute of what Relax handed over that is read anywhere on the way."""
        for function in self.functions:
            yield from function.readings(given)

    @property
    def on_import(self) -> list[ReachedCode]:
        """What runs when modules are imported that hold any of this: their top level, and functions called there."""
        frames = self._graph.frames.values()
        return [ReachedCode(self._graph, frame) for frame in frames if frame.where == "import"]
