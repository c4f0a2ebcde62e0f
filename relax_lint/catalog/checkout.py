"""The flags of a Relax checkout: its own are read from its sources, those of Megatron and the servers are embedded.

What the checkout does with them counts: which of a server's flags it passes on and under which prefix, which defaults
of Megatron it resets.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relax_lint.catalog.flags import DATA, Catalogue, document, embedded, left_out_flags, rows_in

if TYPE_CHECKING:
    from relax_lint.catalog.reading.interpreter import Interpreter
    from relax_lint.catalog.reading.modules import Sources
    from relax_lint.catalog.reading.parsers import Parsers
    from relax_lint.files import Files

    Row = dict[str, Any]

SERVERS = DATA.with_name("servers.json")
_KEPT = ("json_shape", "deprecated_values")
"""What people know of a flag and no source says."""


def catalogue_of(root: Path, files: Files) -> Catalogue:
    """The catalogue of the checkout at ``root``; the embedded one when its sources are those that this was built from,
    or cannot be followed."""
    from relax_lint.catalog.reading.modules import Sources
    from relax_lint.files import Unreadable

    def read(path: Path) -> bytes | None:
        try:
            return files.read(path)
        except Unreadable:
            return None

    base = embedded()
    if _is_as_built(base, root, read):
        return base
    return _read(base, Sources([root], read)) or base


def _is_as_built(base: Catalogue, root: Path, read: Any) -> bool:
    from relax_lint.catalog.reading.modules import digest

    contents = ((read(root / path), known) for path, known in base.relax_files.items())
    return all(data is not None and digest(data) == known for data, known in contents)


def _read(base: Catalogue, sources: Sources) -> Catalogue | None:
    from relax_lint.catalog.reading.reader import read_parsers
    from relax_lint.catalog.reading.rows import rows_of, without_unknown

    servers = rows_in(SERVERS.read_text(encoding="utf-8"))
    own = rows_in(base.text)

    def stand_ins(interpreter: Interpreter, parsers: Parsers) -> Mapping[str, Mapping[str, Any]]:
        return _stand_ins(interpreter, parsers, own, servers)

    reading = read_parsers(sources, stand_ins)
    names = [name for name, _ in reading.named()]
    if "main" not in names:
        return None
    known = {(row["parser"], row["name"]): row for row in own}
    rows = without_unknown(rows_of(reading.parsers), known)
    for row in rows:
        before = known.get((row["parser"], row["name"]), {})
        row.update({key: before[key] for key in _KEPT if key in before})
    words = {name for row in rows for name in (row["name"], *row.get("more", ()))}
    gone = {name: f"Relax {base.versions['relax']}" for row in own for name in (row["name"],) if name not in words}
    head = {
        "versions": {**base.versions, "relax": "the checkout"},
        "relax_files": {},
        "abbreviating": [name for name, parser in reading.named() if parser.allow_abbrev],
        "left_out": left_out_flags(servers, words),
        "earlier": {name: where for name, where in {**base.all_earlier, **gone}.items() if name not in words},
    }
    return Catalogue(document(head, sorted(rows, key=lambda row: (row["name"], row["parser"]))))


def _stand_ins(
    interpreter: Interpreter, parsers: Parsers, own: list[Row], servers: list[Row]
) -> Mapping[str, Mapping[str, Any]]:
    """Modules that register what the embedded catalogue knows of Megatron, SGLang and the router."""
    from relax_lint.catalog.reading.reader import LAST_PARSER

    def register(container: Any, rows: Iterable[Row], module: str) -> None:
        for row in rows:
            interpreter.register(module, container, (row["name"], *_other_names(row)), _given(row))

    def megatron_arguments(extra_args_provider: Any = None, *_: Any, **__: Any) -> Any:
        with interpreter.acting_as(LAST_PARSER):
            parser = parsers.module["ArgumentParser"](allow_abbrev=False)
        rows = [row for row in own if row["owner"] == "megatron" and row["parser"] == "main"]
        register(parser, (_as_registered(row) for row in rows if row.get("action") != "help"), LAST_PARSER)
        if extra_args_provider is not None:
            parser = extra_args_provider(parser)
        return parser.parse_known_args()[0]

    def sglang_arguments(parser: Any) -> None:
        register(parser, (row for row in servers if row["server"] == "sglang"), "sglang.srt.server_args")

    def router_arguments(parser: Any, use_router_prefix: bool = False, exclude_host_port: bool = False) -> None:
        if use_router_prefix:
            rows = [row for row in own if row["owner"] == "router" and row["parser"] == "main"]
        else:
            hidden = ("--host", "--port") if exclude_host_port else ()
            rows = [row for row in servers if row["server"] == "router" and row["name"] not in hidden]
        register(parser.add_argument_group(), rows, "sglang_router.router_args")

    server_class = type("ServerArgs", (), {"add_cli_args": staticmethod(sglang_arguments)})
    router = {"RouterArgs": type("RouterArgs", (), {"add_cli_args": staticmethod(router_arguments)})}
    return {
        LAST_PARSER: {"parse_args": megatron_arguments},
        "sglang.srt.server_args": {"ServerArgs": server_class},
        "sglang_router.router_args": router,
        "sglang_router.launch_router": router,
    }


def _other_names(row: Row) -> list[str]:
    negations = row.get("action") == "boolean_optional"
    return [name for name in row.get("more", ()) if not (negations and name.startswith("--no-"))]


def _as_registered(row: Row) -> Row:
    """A Megatron flag as Megatron itself registers it, without what Relax resets."""
    return {**row, "default": row["registered"]} if "registered" in row else row


def _given(row: Row) -> dict[str, Any]:
    """The arguments of ``add_argument`` that a row stands for."""
    from relax_lint.catalog.reading.rows import TypeName

    plain = {"int": int, "float": float, "bool-text": bool}
    given: dict[str, Any] = {key: row[key] for key in ("dest", "action", "nargs", "choices", "required") if key in row}
    given["default"] = row.get("default")
    if "type" in row:
        given["type"] = plain.get(row["type"]) or TypeName(row["type"])
    if "deprecated" in row:
        given["deprecated"] = row["deprecated"]
    return given
