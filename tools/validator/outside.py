"""What Relax finds around it while a command line is judged: modules that are not installed, paths, checkpoints.

Relax's image has paths and packages that the machine at hand has not. Packages that only serve at run time are empty
modules; every path exists, but those that a request calls missing; a checkpoint has no values in its configuration,
only what tells that it is multimodal, by its name. Files are really opened.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import os
import sys
import types
from collections.abc import Callable, Iterable, Mapping, MutableSequence, Sequence
from typing import Any

SAVED_MARK = "latest_checkpointed_iteration.txt"
"""The file that tells that a directory holds a checkpoint to go on from."""
MULTIMODAL = {
    "omni": "thinker_config", "-vl": "text_config", "qwen3.5": "text_config", "qwen3.6": "text_config",
    "kimi-k2.5": "text_config", "kimi-k2.6": "text_config",
}  # fmt: skip
"""What a checkpoint's configuration has, by a part of its name."""


class Anything:
    """Answers every attribute, call, subscription and subclassing."""

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Itself; as a decorator, what it decorates."""
        if len(given) == 1 and not named and callable(given[0]):
            return given[0]
        return self

    def __getattr__(self, name: str) -> Anything:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Anything()

    def __getitem__(self, _: object) -> Anything:
        return self

    def __mro_entries__(self, _: object) -> tuple[type, ...]:
        return (object,)


class AnyType(type):
    """Makes classes that have every attribute themselves, too."""

    def __getattr__(cls, name: str) -> Anything:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Anything()


class EmptyModule(types.ModuleType):
    """A module, or package, that has anything one asks for."""

    __path__: MutableSequence[str] = []  # noqa: RUF012 - modules have it so

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        value: Any = AnyType(name, (Anything,), {}) if name[:1].isupper() else Anything()
        setattr(self, name, value)
        return value


class _Loader(importlib.abc.Loader):
    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return EmptyModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        pass


class StubFinder(importlib.abc.MetaPathFinder):
    """Finds packages of which only the name is known; it stands behind all other finders."""

    def __init__(self, packages: Iterable[str]) -> None:
        self.packages = frozenset(packages)

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """An empty package for the names given."""
        if name.partition(".")[0] not in self.packages:
            return None
        return importlib.machinery.ModuleSpec(name, _Loader(), is_package=True)


def stub(packages: Iterable[str]) -> None:
    """Let packages be empty where they are not installed."""
    sys.meta_path.append(StubFinder(packages))


class Paths:
    """Stands before ``os.path``'s questions while ``asked`` is set."""

    def __init__(self) -> None:
        self.asked = False
        self.missing: tuple[str, ...] = ()
        self.saved = False

    def install(self) -> None:
        """Answer for this process."""
        paths: Any = os.path
        paths.exists, paths.isdir = self._answering(os.path.exists), self._answering(os.path.isdir)

    def _answering(self, really: Callable[[Any], bool]) -> Callable[[Any], bool]:
        def answer(path: Any) -> bool:
            if not self.asked or not isinstance(path, str | os.PathLike) or really(path):
                return really(path)
            return self.holds(os.fspath(path))

        return answer

    def holds(self, path: str) -> bool:
        """Whether a path is there for Relax."""
        if not path or path.startswith(self.missing or "\0"):
            return False
        return self.saved if path.rpartition("/")[2] == SAVED_MARK else True


class Checkpoints:
    """Stands for ``transformers.AutoConfig``. ``config`` is what every checkpoint has, if it is given."""

    def __init__(self) -> None:
        self.config: Mapping[str, Any] | None = None

    def from_pretrained(self, name: object, *_: object, **__: object) -> types.SimpleNamespace:
        """The configuration of a checkpoint."""
        if self.config is not None:
            return _namespace(self.config)
        base = str(name).rstrip("/").rpartition("/")[2].lower()
        marks = (mark for part, mark in MULTIMODAL.items() if part in base)
        return types.SimpleNamespace(**{mark: types.SimpleNamespace() for mark in list(marks)[:1]})


def _namespace(values: Mapping[str, Any]) -> types.SimpleNamespace:
    return types.SimpleNamespace(
        **{key: _namespace(value) if isinstance(value, dict) else value for key, value in values.items()}
    )
