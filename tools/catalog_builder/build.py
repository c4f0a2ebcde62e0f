"""From checkouts to the catalogue's files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from relax_lint.catalog.checkout import digest
from relax_lint.catalog.flags import document, left_out_flags
from relax_lint.catalog.reading.modules import Sources
from relax_lint.catalog.reading.patches import PATCHES
from relax_lint.catalog.reading.reader import read_parsers, read_registration
from relax_lint.catalog.reading.rows import Row, rows_of, unknown_parts, without_unknown
from tools.catalog_builder.facts import (
    DEPRECATED_VALUES,
    FORK_FLAGS,
    FORK_POLICIES,
    JSON_SHAPES,
    POLICY_FLAGS,
    ROUTER_PREFIXES,
)
from tools.catalog_builder.history import earlier_flags, version_of
from tools.catalog_builder.patches import Patch

_TEACHER = "--teacher-"
_SERVERS = {
    "sglang": ("sglang.srt.server_args", "ServerArgs"),
    "router": ("sglang_router.router_args", "RouterArgs"),
}


class Checkouts(NamedTuple):
    """Directories that hold the packages ``relax``, ``megatron``, ``sglang`` and ``sglang_router``."""

    relax: Path
    megatron: Path
    sglang: Path
    router: Path


class Built(NamedTuple):
    """The catalogue's files, and what was not understood on the way."""

    flags: str
    servers: str
    rows: list[Row]
    unknown: list[str]
    doubts: list[str]


def build(checkouts: Checkouts) -> Built:
    """Read everything."""
    sources = _sources(checkouts)
    reading = read_parsers(sources)
    rows = sorted(_completed(rows_of(reading.parsers)), key=lambda row: (row["name"], row["parser"]))
    servers = _server_rows(sources)
    known = {name for row in rows for name in (row["name"], *row.get("more", ()))}
    head = {
        "versions": _versions(checkouts),
        "relax_files": {path: digest(data) for path, data in sorted(_files_of_relax(checkouts.relax, sources))},
        "abbreviating": [name for name, parser in reading.named() if parser.allow_abbrev],
        "left_out": left_out_flags(servers, known),
        "earlier": earlier_flags(checkouts.relax, known),
    }
    unknown = unknown_parts([*rows, *servers])
    servers_text = document({"versions": head["versions"]}, without_unknown(servers))
    return Built(document(head, without_unknown(rows)), servers_text, rows, unknown, reading.doubts)


def _sources(checkouts: Checkouts) -> Sources:
    files = {checkouts.relax / path: "python/" if target == "sglang" else "" for target, path in PATCHES.items()}
    patches = [Patch(path.read_text(errors="replace"), strip) for path, strip in files.items() if path.is_file()]
    return Sources(checkouts, edits=patches)


def _files_of_relax(relax: Path, sources: Sources) -> Iterator[tuple[str, bytes]]:
    """What the flags of a Relax hang on."""
    yield from ((path, data) for path, data in sources.files.items() if path.startswith("relax/"))
    yield from ((path, (relax / path).read_bytes()) for path in PATCHES.values() if (relax / path).is_file())


def _completed(rows: Iterable[Row]) -> list[Row]:
    """The rows with what people know besides."""
    made = list(rows)
    for row in made:
        plain = row["name"].replace(_TEACHER, "--", 1)
        if plain in JSON_SHAPES:
            row["json_shape"] = JSON_SHAPES[plain]
        if row["name"] in DEPRECATED_VALUES:
            row["deprecated_values"] = DEPRECATED_VALUES[row["name"]]
        prefix = next((prefix for prefix in ROUTER_PREFIXES if row["name"].startswith(prefix)), "")
        if row["name"].removeprefix(prefix) in POLICY_FLAGS and "choices" in row and row["owner"] == "router":
            row["choices"] = [*row["choices"], *FORK_POLICIES]
    for flag in FORK_FLAGS:
        for prefix, parser in ROUTER_PREFIXES.items():
            row = {"name": prefix + flag["stem"], "parser": parser, "owner": "router", **_without_stem(flag)}
            if prefix != "--router-":
                row["dest"] = "router_" + flag["stem"].replace("-", "_")
            made.append(row)
    return made


def _server_rows(sources: Sources) -> list[Row]:
    """The flags of the servers as they register them themselves: what a newer Relax may pass on."""
    made: list[Row] = []
    for server, (module, kind) in _SERVERS.items():
        for row in rows_of(read_registration(sources, module, kind, "add_cli_args").parsers):
            del row["parser"], row["owner"]
            if server == "router" and row["name"].removeprefix("--") in POLICY_FLAGS:
                row["choices"] = [*row["choices"], *FORK_POLICIES]
            made.append({"name": row["name"], "server": server, **row})
    for flag in FORK_FLAGS:
        made.append({"name": f"--{flag['stem']}", "server": "router", **_without_stem(flag)})
    return made


def _without_stem(flag: Row) -> Row:
    return {key: value for key, value in flag.items() if key != "stem"}


def _versions(checkouts: Checkouts) -> dict[str, str]:
    patched = {kind: _same_patch(checkouts.relax, kind) for kind in PATCHES}
    return {
        "relax": version_of(checkouts.relax),
        "megatron": f"core {_core_version(checkouts.megatron)}, {patched['megatron']}",
        "sglang": f"{_assigned(checkouts.sglang / 'sglang/_version.py', '__version__')}, {patched['sglang']}",
        "router": _assigned(checkouts.router / "sglang_router/version.py", "__version__"),
    }


def _same_patch(relax: Path, kind: str) -> str:
    """The dated name of the patch in force."""
    patches, latest = relax / "docker/patch", relax / PATCHES[kind]
    if not latest.is_file():
        return "not patched"
    same = [path.stem for path in sorted((patches / kind).glob("*.patch")) if path.read_bytes() == latest.read_bytes()]
    return f"patch {(same or ['latest'])[-1]}"


def _core_version(megatron: Path) -> str:
    path = megatron / "megatron/core/package_info.py"
    return ".".join(_assigned(path, name) for name in ("MAJOR", "MINOR", "PATCH"))


def _assigned(path: Path, name: str) -> str:
    found = re.search(rf"^.*\b{name}\b.*=\s*['\"]?([\w.]+)", path.read_text(), re.MULTILINE) if path.is_file() else None
    return found[1] if found else "unknown"
