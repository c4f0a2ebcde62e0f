"""A call of a function of the repository, with all that its names may hold whoever calls it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Literal

from relax_lint.calls.values import Values

if TYPE_CHECKING:
    from relax_lint.calls.bindings import Bindings
    from relax_lint.flow.scopes import AnyFunction
    from relax_lint.sources.python import PythonSource

Where = Literal["loop", "elsewhere", "import"]
"""Whether code runs on the event loop that calls the recipe, in a thread, process or loop of its own, or when its
module is imported."""


class Frame:
    """One function, called in one way: all calls of it from the same surroundings are one.

    ``caller`` is the call that first led here, ``None`` for what Relax calls itself.
    """

    def __init__(
        self,
        source: PythonSource,
        node: AnyFunction | ast.Module,
        where: Where,
        outer: Frame | None,
        bindings: Bindings,
    ) -> None:
        self.source = source
        self.node = node
        self.where = where
        self.outer = outer
        self.bindings = bindings
        self.given: dict[str, Values] = {}
        self.caller: tuple[Frame, ast.Call | None] | None = None

    def __repr__(self) -> str:
        return f"Frame({getattr(self.node, 'name', 'lambda')!r}, {self.where!r})"

    @property
    def holder(self) -> ast.ClassDef | None:
        """The class that this is a method of."""
        holder = self.source.parent(self.node)
        return holder if isinstance(holder, ast.ClassDef) else None
