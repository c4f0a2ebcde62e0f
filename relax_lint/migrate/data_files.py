"""Data files of verl and where their converted form lies."""

from __future__ import annotations

import re
from collections.abc import Sequence

from relax_lint.migrate.values import Data, Template
from relax_lint.records import record
from relax_lint.shell.launch import Unknown

DATA_DIR = Unknown("${DATA_DIR}", "DATA_DIR")
_PARTS = ("train", "test", "val", "valid", "validation", "eval", "dev", "data")
"""Names of files that say which part of a data set they hold, not of which."""
_ABOVE = re.compile(r".*?(?:\A|/)(?:data|dataset|datasets)/")
_SUFFIX = re.compile(r"\.(?:parquet|jsonl?|json\.gz)\Z")
_DEFAULT = re.compile(r"[\w./][\w./-]*\.(?:parquet|jsonl?)(?=[\"'}]*\Z)")
"""The file that a variable stands for unless it is set, in the text of bash."""
UNNAMED = "eval"
"""The name of a file of which nothing is known."""


@record
class DataFile:
    """One file: where the converted form lies, below DATA_DIR unless only bash knows the path; a short name for it."""

    path: str | Template
    name: str
    known: str
    """What is known of verl's own path."""


def files_of(data: Data) -> list[DataFile]:
    """The files that a setting names, one or several."""
    found = data if isinstance(data, list) else [data]
    return [_file(each) for each in found if isinstance(each, (str, Template)) and each != ""]


def named(files: Sequence[DataFile]) -> list[tuple[str, str | Template]]:
    """Names, each only once, with the paths."""
    taken: set[str] = set()
    pairs = []
    for file in files:
        name, number = file.name, 2
        while name in taken:
            name, number = f"{file.name}{number}", number + 1
        taken.add(name)
        pairs.append((name, file.path))
    return pairs


def _file(data: str | Template) -> DataFile:
    known = data if isinstance(data, str) else "".join(part for part in data.parts if isinstance(part, str))
    last = data if isinstance(data, str) else data.parts[-1]
    if not isinstance(last, str) or not last.strip("/"):
        # The whole path, or the file's name, is left to bash.
        default = _DEFAULT.search(last if isinstance(last, str) else last.text)
        return DataFile(data, _name(_below_data(default.group().lstrip("/"))) if default else UNNAMED, known)
    tail = _below_data(last if isinstance(data, str) else f"/{last.lstrip('/')}" if last.startswith("/") else last)
    return DataFile(Template((DATA_DIR, f"/{tail}")), _name(tail), known)


def _below_data(path: str) -> str:
    """The path below the directory of all data, or its last two parts; always a parquet file."""
    path = _SUFFIX.sub("", path.rstrip("/"))
    below = _ABOVE.sub("", path)
    parts = [part for part in below.split("/") if part not in ("", ".", "..", "~")]
    if below == path:
        stem = parts[-1] if parts else "data"
        parts = parts[-2:] if stem.lower() in _PARTS else parts[-1:]
    return f"{'/'.join(parts) or 'data'}.parquet"


def _name(tail: str) -> str:
    parts = tail.removesuffix(".parquet").split("/")
    names = [part for part in parts if part.lower() not in _PARTS]
    name = re.sub(r"[^\w.-]+", "-", names[-1] if names else parts[-1])
    return re.sub(r"[-_.](?:train|test|val|valid|validation|eval|dev)\Z", "", name) or UNNAMED
