"""What the wheel and the source distribution hold, against what git has."""

from __future__ import annotations

import subprocess
import tarfile
import zipfile
from collections.abc import Iterator
from email import message_from_string
from email.message import Message
from pathlib import Path

from relax_lint import __version__
from relax_lint.extras import EXTRAS
from tools.docs_builder import man_page

STEM = f"relax_lint-{__version__}"
_INFO = f"{STEM}.dist-info"
_METADATA = {f"{_INFO}/{name}" for name in ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")}
_SHARED = {f"{STEM}.data/data/share/man/man1/{man_page.PAGE.name}"}
_DATA = ("py.typed", "catalog/flags.json", "catalog/verl_mapping/data.yaml")
"""A few of the files that are no modules, and that it would not work without."""


def problems(dist: Path, root: Path) -> Iterator[str]:
    """What is wrong with the files and the metadata of both."""
    wheel, sdist = dist / f"{STEM}-py3-none-any.whl", dist / f"{STEM}.tar.gz"
    if sorted(dist.iterdir()) != sorted([wheel, sdist]):
        yield f"{dist} does not hold {wheel.name} and {sdist.name}, and nothing else"
        return
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
        metadata = message_from_string(archive.read(f"{_INFO}/METADATA").decode())
    yield from _compared("wheel", set(names), {*_of_git(root, "relax_lint"), *_METADATA, *_SHARED})
    yield from (f"the wheel lacks relax_lint/{name}" for name in _DATA if f"relax_lint/{name}" not in names)
    yield from _of_metadata(metadata)
    with tarfile.open(sdist) as bundle:
        held = {member.name.partition("/")[2] for member in bundle.getmembers() if member.isfile()}
    yield from _lacking("source distribution", held, {*_of_git(root), "PKG-INFO"})
    stray = {name for name in held if name.endswith((".pyc", ".orig", ".parquet")) or "__pycache__" in name}
    yield from (f"the source distribution holds {name}" for name in sorted(stray))


def _of_metadata(metadata: Message) -> Iterator[str]:
    if metadata["Version"] != __version__:
        yield f"the metadata have version {metadata['Version']}, not {__version__}"
    if metadata["License-Expression"] != "Apache-2.0" or metadata.get_all("License-File") != ["LICENSE"]:
        yield "the metadata do not name the licence"
    extras = set(metadata.get_all("Provides-Extra") or ())
    if extras != {*EXTRAS, "all", "dev"}:
        yield f"the metadata name the extras {sorted(extras)}"
    needed = metadata.get_all("Requires-Dist") or ()
    base = {requirement.partition(";")[0].rstrip() for requirement in needed if "extra ==" not in requirement}
    if base != {"pyyaml>=6", "tomli>=2.0.1"}:
        yield f"without an extra, more or less is needed than the base: {sorted(base)}"


def _compared(what: str, held: set[str], wanted: set[str]) -> Iterator[str]:
    yield from _lacking(what, held, wanted)
    yield from (f"the {what} holds {name}" for name in sorted(held - wanted))


def _lacking(what: str, held: set[str], wanted: set[str]) -> Iterator[str]:
    yield from (f"the {what} lacks {name}" for name in sorted(wanted - held))


def _of_git(root: Path, *directories: str) -> set[str]:
    """The files that git has, or would add."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *directories]
    listed = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, check=True, text=True).stdout
    return {name for name in listed.split("\0") if name and (root / name).is_file()}
