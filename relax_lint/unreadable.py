"""What the engine itself finds: files that cannot be read or parsed, launchers with too many ways through them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast

from relax_lint.diagnostics import Finding, NotChecked, Place
from relax_lint.patterns import pattern
from relax_lint.project import YAML_SUFFIXES
from relax_lint.scope import Judged
from relax_lint.shell.queries import unread_sources
from relax_lint.sources.text import SourceFile

if TYPE_CHECKING:
    from relax_lint.scope import Scope
    from relax_lint.sources.config_yaml import YamlSource
    from relax_lint.sources.python import PythonSource
    from relax_lint.sources.script import ScriptFile

_SETS_NO_FLAGS = pattern(
    r"\bactivate\b|\bconda\b|\bnvm\b|bash_completion|\.(?:bashrc|bash_profile|profile)\b|/etc/profile|\bset_env\.sh"
    r"|\bsetvars\.sh|/init/bash\b"
)
"""What a machine's own scripts to source are called: they set up programs, and nothing that a launch is given."""


def unreadable(scope: Scope) -> Iterator[tuple[Finding | NotChecked, Judged | None]]:
    """One finding for each target, and each file that a target launcher sources, that cannot be read or parsed; a file
    to source that is not there may be where the training runs, and is told unless it is one of the machine's own."""
    for path in scope.targets:
        source = scope.project.source(path)
        if source is None:
            reason = scope.project.unreadable.get(path, "it is not there")
            yield Finding(Place(SourceFile(path, b""), 0, 0), f"cannot be read: {reason}"), None
        else:
            for finding in _errors(source):
                yield finding, None
    for launcher in (*scope.bearing, *scope.outside):
        judged = Judged(launcher, frozenset((launcher.path,)), launcher.path)
        for sourced in launcher.evaluation.sourced:
            for finding in _shell_error(sourced):
                yield finding, judged
        for place in unread_sources(launcher.evaluation):
            written = place.source.text[place.start : place.end]
            if not _SETS_NO_FLAGS.search(written):
                yield NotChecked(place, written), judged


def too_complex(scope: Scope) -> Iterator[tuple[Finding, Judged | None]]:
    """The launchers of which only some ways were followed."""
    for launcher in (*scope.bearing, *scope.outside):
        place = launcher.evaluation.too_complex
        if place is not None:
            message = "more ways lead through this launcher than are followed; what only the others reach is not judged"
            yield Finding(place, message), Judged(launcher, frozenset((launcher.path,)), launcher.path)


def is_followed_whole(scope: Scope, path: Path) -> bool:
    """Whether a file was read, parsed and, if it is a launcher, followed to its ends."""
    source = scope.project.source(path)
    if source is None or getattr(source, "has_crlf_ends", False) or any(_errors(source)):
        return False
    launchers = (launcher for launcher in (*scope.inside, *scope.outside) if launcher.path == path)
    return all(launcher.evaluation.too_complex is None for launcher in launchers)


def _errors(source: SourceFile) -> Iterator[Finding]:
    if source.path.suffix == ".py":
        yield from _python_error(cast("PythonSource", source))
    elif getattr(source, "script", None) is not None:
        yield from _shell_error(cast("ScriptFile", source))
    elif source.path.suffix in YAML_SUFFIXES:
        yield from _yaml_error(cast("YamlSource", source))


def _python_error(source: PythonSource) -> Iterator[Finding]:
    if source.error is not None:
        at = min(source.error.offset, len(source.text))
        yield Finding(Place(source, at, min(at + 1, len(source.text))), source.error.message)


def _shell_error(source: ScriptFile) -> Iterator[Finding]:
    problem = _not_text(source)
    if problem is not None:
        yield problem
    elif source.script.problems:
        yield from _not_bash(source)


def _not_bash(source: ScriptFile) -> Iterator[Finding]:
    """The first mistake. Those that come from CRLF line ends are not: RLX422 names the ends, and its fix cures them."""
    from relax_lint.shell.mistakes import mistakes
    from relax_lint.sources.script import ScriptFile

    read = source
    if source.has_crlf_ends:
        read = ScriptFile(source.path, source.text.replace("\r\n", "\n").encode(source.encoding, "surrogateescape"))
    for first in mistakes(read)[:1]:
        line, _ = read.position(first.start)
        moved = source.line_starts[line - 1] - read.line_starts[line - 1]
        place = Place(source, first.start + moved, first.end + moved)
        yield Finding(place, f"not understood as bash: {first.message}")


def _yaml_error(source: YamlSource) -> Iterator[Finding]:
    problem = _not_text(source)
    if problem is not None:
        yield problem
    elif source.error is not None and not source.is_template:
        yield Finding(source.place(source.error), f"invalid YAML: {source.error.message}")


def _not_text(source: SourceFile) -> Finding | None:
    """A NUL byte or bytes that are no UTF-8."""
    nul = source.text.find("\0")
    if nul >= 0:
        return Finding(Place(source, nul, nul + 1), "contains a NUL byte")
    if not source.text.isascii():
        try:
            source.text.encode(source.encoding)
        except UnicodeEncodeError as error:
            return Finding(Place(source, error.start, error.start + 1), f"not valid {source.encoding}")
    return None
