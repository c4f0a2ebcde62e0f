"""What the conditions of constraints can ask of a launch: its arguments, derived values, its environment, its files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relax_lint.catalog.hidden import UNKNOWN, Hidden, is_hidden
from relax_lint.catalog.namespace import Namespace
from relax_lint.constraints.derived import DERIVED, compute
from relax_lint.constraints.expressions import ENVIRONMENT, FUNCTIONS, GIVEN, NotKnown


class UnknownName(Exception):
    """A name that is neither an attribute of Relax's arguments nor a derived value."""


def _not_known(_: str) -> object:
    return UNKNOWN


class Facts:
    """The values of names in a launch, each worked out once.

    ``environment`` gives the value of a variable of the launch's environment, ``None`` when it is unset; ``readable``
    whether a file can be read there. Both may answer with a hidden value.
    """

    def __init__(
        self,
        namespace: Namespace,
        environment: Callable[[str], object] = _not_known,
        readable: Callable[[str], object] = _not_known,
    ) -> None:
        self.namespace = namespace
        self.environment = environment
        self.readable = readable
        self._known: dict[str, Any] = dict(FUNCTIONS)

    def __getitem__(self, name: str) -> Any:
        value = self.get(name)
        if is_hidden(value):
            raise NotKnown(value)
        return value

    def get(self, name: str) -> Any:
        """The value of a name, or :class:`Hidden`."""
        if name not in self._known:
            self._known[name] = UNKNOWN  # what a value that depends on itself would see
            self._known[name] = self._find(name)
        return self._known[name]

    def _find(self, name: str) -> Any:
        if name in DERIVED:
            return compute(DERIVED[name], self)
        if name.startswith(GIVEN):
            return self.namespace.given(name[len(GIVEN) :])
        if name.startswith(ENVIRONMENT):
            return self.environment(name[len(ENVIRONMENT) :])
        if not self.namespace.knows(name):
            raise UnknownName(name)
        return self.namespace.value(name)

    def is_readable(self, path: object) -> bool:
        """Whether a file is there. Raises :class:`NotKnown`."""
        answer = self.readable(path) if isinstance(path, str) else False
        if isinstance(answer, Hidden):
            raise NotKnown(answer)
        return bool(answer)
