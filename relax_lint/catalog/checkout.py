"""The flags of a Relax checkout: its own are read from its sources, those of Megatron and the servers are embedded.

What the checkout does with them counts: which of a server's flags it passes on and under which prefix, which defaults
of Megatron it resets, which flags its patches add.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.catalog.flags import DATA, Catalogue, document, embedded, left_out_flags, rows_in

if TYPE_CHECKING:
    from relax_lint.catalog.reading.modules import Sources
    from relax_lint.files import Files

SERVERS = DATA.with_name("servers.json")
_KEPT = ("json_shape", "deprecated_values")
"""What people know of a flag and no source says."""


def catalogue_of(root: Path, files: Files, kept_in: str | None = None) -> Catalogue | None:
    """The catalogue of the checkout at ``root``: the embedded one when its sources are those that this was built from,
    none when they cannot be followed. What was read is kept in a directory, if one is given."""
    from relax_lint.files import Unreadable

    def read(path: Path) -> bytes | None:
        try:
            return files.read(path)
        except Unreadable:
            return None

    base = embedded()
    if _is_as_built(base, root, read):
        return base
    if kept_in is None:
        return _read_checkout(base, root, read)
    return _kept_or_read(base, root, read, kept_in)


def _kept_or_read(base: Catalogue, root: Path, read: Callable[[Path], bytes | None], kept_in: str) -> Catalogue | None:
    from relax_lint.catalog.kept import Kept
    from relax_lint.store import digest as exact

    basis = f"{digest(base.text.encode())} {digest(SERVERS.read_bytes())}"
    kept = Kept(kept_in, root, read, basis, base.relax_files)
    known = kept.find()
    if known is not None:
        return known
    seen: dict[str, str | None] = {}

    def noted(path: Path) -> bytes | None:
        data = read(path)
        seen[path.relative_to(root).as_posix()] = exact(data)
        return data

    found = _read_checkout(base, root, noted)
    if found is not None:
        kept.keep(found.text, seen)
    return found


def _read_checkout(base: Catalogue, root: Path, read: Callable[[Path], bytes | None]) -> Catalogue | None:
    from relax_lint.catalog.reading.modules import Sources
    from relax_lint.catalog.reading.patches import PATCHES

    patches = {target: (read(root / path) or b"").decode("utf-8", "replace") for target, path in PATCHES.items()}
    return _read(base, Sources([root], read), patches)


def digest(data: bytes) -> str:
    """Tells a file's content from another; carriage returns of a checkout do not count."""
    from zlib import crc32

    plain = data.replace(b"\r\n", b"\n")
    return f"{len(plain)}-{crc32(plain):08x}"


def _is_as_built(base: Catalogue, root: Path, read: Callable[[Path], bytes | None]) -> bool:
    contents = ((read(root / path), known) for path, known in base.relax_files.items())
    return all(data is not None and digest(data) == known for data, known in contents)


def _read(base: Catalogue, sources: Sources, patches: Mapping[str, str]) -> Catalogue | None:
    from relax_lint.catalog.reading.reader import ANY_ENVIRONMENT, read_parsers
    from relax_lint.catalog.reading.rows import rows_of, without_unknown
    from relax_lint.catalog.reading.stand_ins import StandIns

    servers = rows_in(SERVERS.read_text(encoding="utf-8"))
    own = rows_in(base.text)
    stand_ins = StandIns(own, servers, patches)
    reading = read_parsers(sources, stand_ins)
    parsers = reading.named()
    if "main" not in (name for name, _ in parsers):
        return None
    known = {(row["parser"], row["name"]): row for row in own}
    found, possible = rows_of(reading.parsers), reading.possible
    if reading.depends:
        # What the environment decides may be registered; what is registered without it has its values from there.
        elsewhere = read_parsers(sources, stand_ins, ANY_ENVIRONMENT)
        there = {(row["parser"], row["name"]) for row in found}
        found += [row for row in rows_of(elsewhere.parsers) if (row["parser"], row["name"]) not in there]
        possible |= elsewhere.possible
    rows = without_unknown(found, known)
    for row in rows:
        before = known.get((row["parser"], row["name"]), {})
        row.update({key: before[key] for key in _KEPT if key in before})
    words = {name for row in rows for name in (row["name"], *row.get("more", ()))}
    gone = {row["name"]: f"Relax {base.versions['relax']}" for row in own}
    head = {
        "versions": {**base.versions, "relax": "the checkout"},
        "relax_files": {},
        "abbreviating": [name for name, parser in parsers if parser.allow_abbrev],
        "possible": sorted(possible),
        "left_out": left_out_flags(servers, words),
        "earlier": {name: where for name, where in {**base.all_earlier, **gone}.items() if name not in words},
    }
    return Catalogue(document(head, sorted(rows, key=lambda row: (row["name"], row["parser"]))))
