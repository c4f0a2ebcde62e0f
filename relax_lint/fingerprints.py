"""What findings are named by so that the names outlive edits elsewhere in their files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from relax_lint.diagnostics import Diagnostic


def identify_all(diagnostics: Iterable[Diagnostic], root: Path) -> None:
    """Give each its identity: code, path from the root, subject, the line's text with blanks evened out, and a
    counter for equals. Neither line numbers nor wording go into it; of what is found of a file as a whole, no text."""
    equals: Counter[str] = Counter()
    for found in diagnostics:
        path = found.path.relative_to(root).as_posix() if found.path.is_relative_to(root) else found.path.name
        of_file = found.of_file or found.start == found.end == 0
        text = "" if of_file else " ".join(found.excerpt.split())
        identity = "\0".join((found.code, path, found.subject, text))
        equals[identity] += 1
        found.identity = f"{identity}\0{equals[identity]}"
