"""File paths as URIs, whatever bytes they are made of."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit


def path_of(uri: str) -> Path | None:
    """The file that a URI names, without ``..``; ``None`` for what is no file on this machine."""
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost") or not parts.path.startswith("/"):
        return None
    return Path(os.path.abspath(os.fsdecode(unquote_to_bytes(parts.path))))  # noqa: PTH100 -- links are kept


def uri_of(path: Path) -> str:
    """The URI of a file."""
    return path.as_uri()
