"""Names for findings that outlive edits elsewhere in their files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from relax_lint.diagnostics import Diagnostic


def fingerprint_all(diagnostics: Iterable[Diagnostic], root: Path) -> None:
    """Give each its fingerprint: code, path from the root, subject, the line's text with blanks evened out, and a
    counter for equals. Neither line numbers nor wording go into it."""
    from hashlib import sha256

    equals: Counter[str] = Counter()
    for found in diagnostics:
        path = found.path.relative_to(root).as_posix() if found.path.is_relative_to(root) else found.path.name
        identity = "\0".join((found.code, path, found.subject, " ".join(found.excerpt.split())))
        equals[identity] += 1
        numbered = f"{identity}\0{equals[identity]}"
        found.fingerprint = sha256(numbered.encode("utf-8", "surrogateescape")).hexdigest()[:20]
