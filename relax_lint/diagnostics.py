"""What rules say and what is shown of it: places, edits, fixes, findings, diagnostics.

Every run imports this, so values are named tuples: they are made several times as fast as frozen dataclasses.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from relax_lint.records import node

if TYPE_CHECKING:
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.text import SourceFile


class Severity(enum.Enum):
    """E fails, is ignored silently or trains something else; W breaks the guide; A is a convention."""

    ERROR = "error"
    WARNING = "warning"
    ADVICE = "advice"


class Place(NamedTuple):
    """A span of one file's text: offsets in characters, the end exclusive."""

    source: SourceFile
    start: int
    end: int


class Edit(NamedTuple):
    """Replace ``start:end`` (offsets in the text) of ``path`` by ``text``; or create the file with ``text``."""

    path: Path
    start: int
    end: int
    text: str
    create: bool = False

    @classmethod
    def at(cls, place: Place, text: str) -> Edit:
        """The edit that replaces a place."""
        return cls(place.source.path, place.start, place.end, text)

    @classmethod
    def new_file(cls, path: Path, text: str) -> Edit:
        """The edit that creates a file."""
        return cls(path, 0, 0, text, create=True)


class Fix(NamedTuple):
    """A repair. ``edits`` is called only when something wants them; a ``reason`` says why a fix is not safe. Where it
    takes long to tell whether there are any edits, ``why_not`` says why there are none. ``note`` is what the user is to
    be told of edits that were made, if anything. ``migrates`` says that ``--fix`` makes it behind the single edits, of
    which it has none, unless ``--no-migrate`` is given; where it takes long to tell whether it can, ``may_migrate``
    does."""

    title: str
    edits: Callable[[], Sequence[Edit]]
    safe: bool = True
    reason: str | None = None
    why_not: Callable[[], str] | None = None
    note: Callable[[], str] | None = None
    migrates: bool = False
    may_migrate: Callable[[], bool] | None = None

    def is_real(self) -> bool:
        """Whether it is more than a promise that was made before anybody looked."""
        if self.migrates:
            return self.may_migrate is None or self.may_migrate()
        return self.why_not is None or bool(self.edits())


class Related(NamedTuple):
    """A second place that explains a finding."""

    place: Place
    message: str


class Finding(NamedTuple):
    """What a rule yields. ``severity`` overrides the rule's own; ``subject`` names what it is about (a flag, a
    function): suppressions narrow by it and fingerprints are made of it. ``of_file`` says that it is about the file as
    a whole, and merely shown at its head."""

    place: Place
    message: str
    severity: Severity | None = None
    fix: Fix | None = None
    related: tuple[Related, ...] = ()
    launch: Launch | None = None
    subject: str = ""
    of_file: bool = False


class NotChecked(NamedTuple):
    """What a rule yields instead of a guess: the unknown word that kept it silent."""

    place: Place
    because: str


class Site(NamedTuple):
    """A line of a file, as reports name it, with what is said of it."""

    path: Path
    line: int
    message: str = ""
    conditions: tuple[str, ...] = ()


@node
class Diagnostic:
    """A finding with its rule's code, as reports show it: plain data that outlives the sources.

    ``path`` is absolute. Positions count from 1, the end exclusive; ``start`` and ``end`` are offsets into the text;
    ``excerpt`` is the first line concerned. ``suppressed`` holds the reason given (it may be empty) and
    ``suppressed_by`` the comment's own line or the option, ``None`` when the finding stands. ``identity`` is what tells
    it from all others, whatever is edited elsewhere.
    """

    code: str
    name: str
    severity: Severity
    message: str
    path: Path
    line: int
    column: int
    end_line: int
    end_column: int
    start: int
    end: int
    excerpt: str
    fix: Fix | None = None
    related: tuple[Site, ...] = ()
    launch: Site | None = None
    subject: str = ""
    suppressed: str | None = None
    suppressed_by: Site | None = None
    identity: str = ""
    of_file: bool = False

    @property
    def fingerprint(self) -> str:
        """A name made of the identity."""
        from hashlib import sha256

        return sha256(self.identity.encode("utf-8", "surrogateescape")).hexdigest()[:20]
