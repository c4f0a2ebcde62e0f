"""Follows calls from what Relax calls itself: which functions they reach, and what their names may hold there.

The order of statements and their conditions do not count: what may be in a name anywhere may be in it everywhere.
"""

from __future__ import annotations

import ast
from collections import deque
from typing import TYPE_CHECKING

from relax_lint.calls.bindings import Bindings, globals_set
from relax_lint.calls.frames import Frame, Where
from relax_lint.calls.look import Look, Passed
from relax_lint.calls.values import NOTHING, UNTOLD, Routine, Values, several, together
from relax_lint.flow.names import package_around
from relax_lint.flow.scopes import parameters
from relax_lint.kept import Kept

if TYPE_CHECKING:
    from pathlib import Path

    from relax_lint.flow.names import Resolution, Resolver
    from relax_lint.flow.scopes import AnyFunction
    from relax_lint.project import Project
    from relax_lint.sources.python import PythonSource

MOST_FRAMES = 600
"""Functions that one entry is followed through; more are not looked at."""
MOST_VISITS = 12
"""How often a function is looked at again because more is known of what it is given."""

_Key = tuple[object, ...]


class Readings:
    """What the files of a project say of themselves, read once for all calls that are followed."""

    def __init__(self, project: Project, resolver: Resolver) -> None:
        self.project = project
        self.resolver = resolver
        self._bindings: dict[ast.AST, Bindings] = {}
        self._resolved = Kept()
        self._setters = Kept()
        self._followed: dict[Path, bool] = {}

    def bindings(self, source: PythonSource, scope: AnyFunction | ast.Module) -> Bindings:
        """What a function or the top level of a module binds."""
        if scope not in self._bindings:
            self._bindings[scope] = Bindings(scope, package_around(source.path, self.project.root))
        return self._bindings[scope]

    def resolve(self, source: PythonSource, name: str) -> Resolution:
        """What a module's top-level name leads to."""
        return self._resolved.ask((source, name), lambda: self.resolver.resolve(source, name))

    def setters(self, source: PythonSource) -> dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]]:
        """The functions that bind names of a module."""
        return self._setters.ask(source, lambda: globals_set(source))

    def follows(self, source: PythonSource) -> bool:
        """Whether the code of a file is followed: Relax's own is not."""
        path, root = source.path, self.project.root
        if path not in self._followed:
            self._followed[path] = root in path.parents and path.relative_to(root).parts[0] != "relax"
        return self._followed[path]


class Graph:
    """All that is reached from some calls. ``whole`` says that nothing was left out for its size."""

    def __init__(self, readings: Readings) -> None:
        self.readings = readings
        self.resolver = readings.resolver
        self.frames: dict[_Key, Frame] = {}
        self.whole = True
        self._stored: dict[_Key, Values] = {}
        self._readers: dict[_Key, set[Frame]] = {}
        self._waiting: deque[Frame] = deque()
        self._visits: dict[Frame, int] = {}

    def run(self) -> None:
        """Look at every function that is reached until nothing more becomes known."""
        while self._waiting:
            frame = self._waiting.popleft()
            visits = self._visits.get(frame, 0)
            if visits >= MOST_VISITS:
                self.whole = False
                continue
            self._visits[frame] = visits + 1
            Look(self, frame, frame).follow()

    # ------------------------------------------------------------ what is known

    def read(self, key: _Key, reader: Frame) -> Values:
        """What is stored under a key; the reader is looked at again when that becomes more."""
        self._readers.setdefault(key, set()).add(reader)
        return self._stored.get(key, NOTHING)

    def store(self, key: _Key, values: Values) -> None:
        """Add to what is stored under a key."""
        known = self._stored.get(key, NOTHING)
        more = together((known, values))
        if more != known:
            self._stored[key] = more
            for reader in self._readers.get(key, ()):
                self._look_again(reader)

    def return_from(self, frame: Frame, values: Values) -> None:
        """Add to what a function gives back."""
        self.store(("result", frame), values)

    def _look_again(self, frame: Frame) -> None:
        if frame not in self._waiting:
            self._waiting.append(frame)

    # ------------------------------------------------------------ scopes

    def module(self, source: PythonSource) -> Frame:
        """The top level of a module, which runs when it is imported."""
        key = ("module", source.path)
        if key not in self.frames:
            assert source.tree is not None
            frame = Frame(source, source.tree, "import", None, self.readings.bindings(source, source.tree))
            self.frames[key] = frame
            if self.readings.follows(source):
                self._look_again(frame)
        return self.frames[key]

    def touch(self, module: str) -> None:
        """Take a module for imported."""
        source = self.resolver.names.module(module)
        if source is not None and source.tree is not None:
            self.module(source)

    def detached(self, source: PythonSource, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Frame:
        """A function whoever calls it."""
        key = ("detached", node)
        if key not in self.frames:
            frame = Frame(source, node, "import", None, self.readings.bindings(source, node))
            frame.given = dict.fromkeys(_names(node), UNTOLD)
            self.frames[key] = frame
        return self.frames[key]

    # ------------------------------------------------------------ calls

    def enter(self, look: Look | None, routine: Routine, passed: Passed, where: Where, node: ast.Call | None) -> Values:
        """Follow a call into a function of the repository; what it gives, as far as that is known by now."""
        if not self.readings.follows(routine.source):
            return UNTOLD
        key = (routine.node, where, routine.scope)
        frame = self.frames.get(key)
        if frame is None:
            if len(self.frames) >= MOST_FRAMES:
                self.whole = False
                return UNTOLD
            self.module(routine.source)
            bindings = self.readings.bindings(routine.source, routine.node)
            frame = Frame(routine.source, routine.node, where, routine.scope, bindings)
            if look is not None and node is not None:
                frame.caller = (look.frame, node)
            elif look is not None:
                frame.caller = (look.frame, None)
            self.frames[key] = frame
            self._look_again(frame)
        self._give(frame, routine, passed, look)
        return (
            self._stored.get(("result", frame), NOTHING) if look is None else self.read(("result", frame), look.reader)
        )

    def _give(self, frame: Frame, routine: Routine, passed: Passed, look: Look | None) -> None:
        """Note what the parameters are given."""
        spec = routine.node.args
        names = [parameter.arg for parameter in parameters(routine.node)]
        positional = (*routine.bound, *passed.positional)
        given = dict(zip(names, positional, strict=False))
        keyworded = {*names, *(parameter.arg for parameter in spec.kwonlyargs)}
        extra = []
        for name, values in (*routine.keywords, *passed.keywords):
            if name in keyworded:
                given[name] = values
            else:
                extra.append(values)
        for name in keyworded:
            if name not in given:
                given[name] = UNTOLD if not passed.complete else self._default(routine, name, look)
        if spec.vararg is not None:
            given[spec.vararg.arg] = several(positional[len(names) :], placed=True) if passed.complete else UNTOLD
        if spec.kwarg is not None:
            given[spec.kwarg.arg] = several([together(extra)]) if passed.complete else UNTOLD
        more = {name: together((frame.given.get(name, NOTHING), values)) for name, values in given.items()}
        if more != frame.given:
            frame.given = more
            self._look_again(frame)

    def _default(self, routine: Routine, name: str, look: Look | None) -> Values:
        spec = routine.node.args
        positional = parameters(routine.node)
        defaults = dict(
            zip(reversed([parameter.arg for parameter in positional]), reversed(spec.defaults), strict=False)
        )
        for parameter, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
            if default is not None:
                defaults[parameter.arg] = default
        expression = defaults.get(name)
        if expression is None or isinstance(expression, ast.Constant):
            return NOTHING
        if look is None:
            frame = self.module(routine.source)
            return Look(self, frame, frame).value(expression)
        scope = look.at_module(routine.source) if routine.scope is None else look.at(routine.scope)
        return scope.value(expression)


def _names(node: AnyFunction) -> list[str]:
    spec = node.args
    given = [*parameters(node), *spec.kwonlyargs, spec.vararg, spec.kwarg]
    return [parameter.arg for parameter in given if parameter is not None]
