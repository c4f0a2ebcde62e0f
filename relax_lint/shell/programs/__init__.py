"""Harmless programs whose output follows from their arguments and input: ``dirname``, ``seq``, ``tr``, ``cut`` …

Nothing is run; what is not modelled exactly is not known.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import cast

from relax_lint.shell.escapes import to_bytes, to_text
from relax_lint.shell.programs.result import Call, Result, Unsupported

__all__ = ["ANSWERING", "PROGRAMS", "Result", "Unsupported", "reads_input", "run"]

# Where each is: most scripts use one or two of them.
_BY_BYTES = {
    **dict.fromkeys(("cat", "head", "paste", "sort", "tac", "tail", "tee", "uniq", "wc"), "lines"),
    **dict.fromkeys(("cut", "tr"), "characters"),
}
_BY_CHARACTERS = {
    **dict.fromkeys(("awk", "grep", "sed"), "filters"),
    **dict.fromkeys(("basename", "dirname", "readlink", "realpath"), "paths"),
    **dict.fromkeys(("expr", "seq"), "numbers"),
    "rev": "lines",
}
PROGRAMS = frozenset(_BY_BYTES) | frozenset(_BY_CHARACTERS)
ANSWERING = frozenset(("expr", "grep"))
"""Those whose status tells something about what they are given."""
_WITHOUT_INPUT = frozenset(("basename", "dirname", "expr", "readlink", "realpath", "seq"))


def reads_input(name: str) -> bool:
    """Whether a program that is modelled takes its standard input, all of it."""
    return name not in _WITHOUT_INPUT


def run(
    name: str,
    arguments: Sequence[str],
    stdin: str | None,
    cwd: str = "/",
    *,
    exists: Callable[[str], bool] = lambda path: True,
    resolve: Callable[[str], str] = lambda path: _normal(path),
) -> Result | None:
    """What a program called with ``arguments`` (its name not among them) writes, and its status.

    ``None`` when that is not known. ``stdin`` is the text it reads, if known; ``exists`` tells whether a path is
    there, and ``resolve`` follows the links of one; without them every path is there and none is a link.
    """
    try:
        if name in _BY_CHARACTERS:
            return _program(_BY_CHARACTERS, name)(Call(arguments, stdin, cwd, exists, resolve))
        if name not in _BY_BYTES:
            return None
        read = None if stdin is None else _to_characters(stdin)
        call = Call([_to_characters(argument) for argument in arguments], read, cwd, exists, resolve)
        result = _program(_BY_BYTES, name)(call)
        return Result(to_text(result.output.encode("latin-1")), result.status)
    except Unsupported:
        return None


def _program(where: dict[str, str], name: str) -> Callable[[Call], Result]:
    module = importlib.import_module(f"{__name__}.{where[name]}")
    return cast("Callable[[Call], Result]", getattr(module, name))


def _to_characters(text: str) -> str:
    """One character for each byte."""
    return text if text.isascii() else to_bytes(text).decode("latin-1")


def _normal(path: str) -> str:
    import posixpath

    return "/" + posixpath.normpath(path).lstrip("/")
