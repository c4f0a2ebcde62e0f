"""Data files of verl and where their converted form lies."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING

from relax_lint.migrate.values import Data, Template
from relax_lint.migrate.written import directory_of
from relax_lint.records import changed, record
from relax_lint.shell.launch import Unknown

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.plan import Plan
    from relax_lint.migrate.settings import Settings

SOMEWHERE = "DIR_OF_VERL"
"""What stands for a directory that cannot be told."""
TRAINING, VALIDATION = "data.train_files", "data.val_files"
_FLAGS = {TRAINING: "--prompt-data", VALIDATION: "--eval-prompt-data"}
DATA_DIR = Unknown("${DATA_DIR}", "DATA_DIR")
_PARTS = ("train", "test", "val", "valid", "validation", "eval", "dev", "data")
"""Names of files that say which part of a data set they hold, not of which."""
_ABOVE = re.compile(r".*?(?:\A|/)(?:data|dataset|datasets)/")
_SUFFIX = re.compile(r"\.(?:parquet|jsonl?|json\.gz)\Z")
_DEFAULT = re.compile(r"[\w./][\w./-]*\.(?:parquet|jsonl?)(?=[\"'}]*\Z)")
"""The file that a variable stands for unless it is set, in the text of bash."""
TOOLS = "scripts/tools"
"""Where conversion scripts are."""
UNNAMED = "eval"
"""The name of a file of which nothing is known."""


@record
class DataFile:
    """One file: where the converted form lies, below DATA_DIR unless only bash knows the path; a short name for it."""

    path: str | Template
    name: str
    known: str
    """What is known of verl's own path."""
    source: str | Template = ""


def sources_in(settings: Settings) -> list[str | Template]:
    """verl's own paths of all data of a launch."""
    return [path for key in _FLAGS for path in _sources(settings.value(key))]


def files_in(settings: Settings, key: str, choices: Choices) -> list[DataFile]:
    """The files that a setting names, one or several; no two of the recipe's have the same place."""
    return files_of(settings.value(key), choices.data or sources_in(settings), choices.part)


def files_of(data: Data, beside: Sequence[str | Template] = (), part: str = "") -> list[DataFile]:
    """The files of a value, which lie where none of those ``beside`` does, those of a part of the recipe apart."""
    sources = _sources(data)
    tails = _tails([*beside, *sources])
    return [_file(each, tails.get(each, ""), part) for each in sources]


def conversions(plans: Iterable[Plan], choices: Choices) -> tuple[tuple[str, str, str], ...]:
    """The scripts that convert what launches read, each with the directory of verl's files and that of their converted
    form, as words of bash; those cannot be told of files that only bash knows."""
    found: dict[tuple[str, str, str], None] = {}
    for plan in plans:
        script = next((file.name for file in plan.files if file.from_root), f"{TOOLS}/process_{choices.name}.py")
        read = {passed.flag for passed in plan.passed}
        known = len(found)
        for key, flag in _FLAGS.items():
            for file in files_in(plan.settings, key, changed(choices, part=plan.part)) if flag in read else ():
                given, made = (
                    directory_of(path.quoted if isinstance(path, Template) else path)
                    for path in (file.source, file.path)
                )
                if given and made:
                    found[script, given if given != made else SOMEWHERE, made] = None
        if len(found) == known and all(each[0] != script for each in found):
            found[script, SOMEWHERE, '"${DATA_DIR}"'] = None
    return tuple(found)


def _sources(data: Data) -> list[str | Template]:
    found = data if isinstance(data, list) else [data]
    return [each for each in found if isinstance(each, (str, Template)) and each != ""]


def _tails(sources: Iterable[str | Template]) -> Mapping[str | Template, str]:
    """Where the converted form of each file lies below DATA_DIR, which is nowhere that another one does."""
    found: dict[str | Template, str] = {}
    taken = set()
    for source in sources:
        if source not in found and (path := _ends_in(source)):
            found[source] = next(tail for tail in _possible_tails(path) if tail not in taken)
            taken.add(found[source])
    return found


def _possible_tails(path: str) -> Iterator[str]:
    """The short path of a file, the same with more and more of the directories above, then with a number."""
    short = _below_data(path)
    yield short
    parts = _parts(_SUFFIX.sub("", path))
    for length in range(short.count("/") + 2, len(parts) + 1):
        yield f"{'/'.join(parts[-length:])}.parquet"
    yield from (f"{number}/{short}" for number in count(2))


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


def _file(data: str | Template, tail: str, part: str) -> DataFile:
    known = data if isinstance(data, str) else "".join(part for part in data.parts if isinstance(part, str))
    if not tail:
        last = data if isinstance(data, str) else data.parts[-1]
        default = _DEFAULT.search(last if isinstance(last, str) else last.text)
        return DataFile(data, _name(_below_data(default.group().lstrip("/"))) if default else UNNAMED, known, data)
    below = "/".join(filter(None, (part, tail)))
    return DataFile(Template((DATA_DIR, f"/{below}")), _name(_below_data(_ends_in(data))), known, data)


def _ends_in(data: str | Template) -> str:
    """The known end of a path; empty when the whole path, or the file's name, is left to bash."""
    last = data if isinstance(data, str) else data.parts[-1]
    if not isinstance(last, str) or not last.strip("/"):
        return ""
    return f"/{last.lstrip('/')}" if isinstance(data, Template) and last.startswith("/") else last


def _below_data(path: str) -> str:
    """The path below the directory of all data, or its last two parts; always a parquet file."""
    path = _SUFFIX.sub("", path.rstrip("/"))
    below = _ABOVE.sub("", path)
    parts = _parts(below)
    if below == path:
        stem = parts[-1] if parts else "data"
        parts = parts[-2:] if stem.lower() in _PARTS else parts[-1:]
    return f"{'/'.join(parts) or 'data'}.parquet"


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".", "..", "~")]


def _name(tail: str) -> str:
    parts = tail.removesuffix(".parquet").split("/")
    names = [part for part in parts if part.lower() not in _PARTS]
    name = re.sub(r"[^\w.-]+", "-", names[-1] if names else parts[-1])
    return re.sub(r"[-_.](?:train|test|val|valid|validation|eval|dev)\Z", "", name) or UNNAMED
