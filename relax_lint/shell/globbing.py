"""Path names: unquoted patterns are replaced by the files that match, and stay as they are when none does."""

from __future__ import annotations

import os
from collections.abc import Sequence

from relax_lint import looks
from relax_lint.shell.patterns import compile_pattern, has_glob, matches
from relax_lint.shell.state import State
from relax_lint.shell.values import Chunk, Known, Value, known

_MOST_FILES = 2000


def expand_glob(value: Value, pieces: Sequence[tuple[Chunk, bool]], state: State) -> list[Value]:
    """The paths that a field matches."""
    extglob = "extglob" in state.options
    texts: list[tuple[str, bool]] = []
    for chunk, quoted in pieces:
        if not isinstance(chunk, Known):
            return [value]
        texts.append((chunk.text, quoted))
    if "noglob" in state.options or not has_glob(texts, extglob=extglob):
        return [value]
    found = _matching(texts, state, extglob)
    if found:
        return [known(path)._replace(place=value.place) for path in found]
    return [] if "nullglob" in state.options else [value]


def _matching(pieces: Sequence[tuple[str, bool]], state: State, extglob: bool) -> list[str]:
    text = "".join(piece for piece, _ in pieces)
    if not text.startswith("/") and state.cwd is None:
        return []
    base = "/" if text.startswith("/") else state.cwd or "/"
    paths = ["/" if text.startswith("/") else ""]
    components = _components(pieces)
    for number, component in enumerate(components):
        last = number == len(components) - 1
        plain = "".join(piece for piece, _ in component)
        if not component:
            if last:
                paths = [path + "/" for path in paths if looks.is_dir(os.path.join(base, path))]
            continue
        extended: list[str] = []
        for path in paths:
            if not has_glob(component, extglob=extglob):
                candidate = _join(path, plain)
                if looks.lexists(os.path.join(base, candidate)):
                    extended.append(candidate)
                continue
            try:
                names = looks.names(os.path.join(base, path))
            except OSError:
                continue
            pattern = compile_pattern(component, extglob=extglob, ignore_case="nocaseglob" in state.options)
            hidden = plain.startswith(".") or "dotglob" in state.options
            for name in names[:_MOST_FILES]:
                if name.startswith(".") and not hidden:
                    continue
                candidate = _join(path, name)
                if matches(pattern, name) and (last or looks.is_dir(os.path.join(base, candidate))):
                    extended.append(candidate)
        paths = extended[:_MOST_FILES]
    return paths


def _join(path: str, name: str) -> str:
    return path + name if path in ("", "/") or path.endswith("/") else f"{path}/{name}"


def _components(pieces: Sequence[tuple[str, bool]]) -> list[list[tuple[str, bool]]]:
    components: list[list[tuple[str, bool]]] = [[]]
    for text, quoted in pieces:
        for index, part in enumerate(text.split("/")):
            if index:
                components.append([])
            if part:
                components[-1].append((part, quoted))
    return components[1:] if components and not components[0] else components
