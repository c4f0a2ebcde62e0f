"""Modules in the place of Megatron, SGLang and the router: they register what the embedded catalogue knows of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from relax_lint.catalog.reading.interpreter import Interpreter
from relax_lint.catalog.reading.parsers import Parsers
from relax_lint.catalog.reading.patches import added_registrations, flags_in
from relax_lint.catalog.reading.reader import LAST_PARSER as MEGATRON
from relax_lint.catalog.reading.rows import Row, TypeName
from relax_lint.catalog.reading.values import Scope

SGLANG = "sglang.srt.server_args"
ROUTER = "sglang_router.router_args"
_TYPES = {"int": int, "float": float, "bool-text": bool}


class StandIns:
    """What a checkout's code meets when it imports one of the three.

    ``own`` are the rows of the embedded catalogue, ``servers`` those of the servers without any prefix, ``patches``
    what the checkout's patches hold, by their target.
    """

    def __init__(self, own: list[Row], servers: list[Row], patches: Mapping[str, str]) -> None:
        self._megatron = [row for row in own if row["owner"] == "megatron" and row.get("action") != "help"]
        self._routed = [row for row in own if row["owner"] == "router" and row["parser"] == "main"]
        self._servers = servers
        self._patches = patches

    def __call__(self, interpreter: Interpreter, parsers: Parsers) -> Mapping[str, Mapping[str, Any]]:
        """The modules, for one reading."""

        def megatron(extra_args_provider: Any = None, *_: Any, **__: Any) -> Any:
            with interpreter.acting_as(MEGATRON):
                parser = parsers.module["ArgumentParser"](allow_abbrev=False)
            self._register(interpreter, MEGATRON, parser, map(_as_registered, self._megatron))
            self._register_patched(interpreter, MEGATRON, parser, self._megatron, "megatron")
            if extra_args_provider is not None:
                parser = extra_args_provider(parser)
            return parser.parse_known_args()[0]

        def sglang(parser: Any) -> None:
            rows = list(self._of_server("sglang"))
            self._register(interpreter, SGLANG, parser, rows)
            self._register_patched(interpreter, SGLANG, parser, rows, "sglang")

        def router(parser: Any, use_router_prefix: bool = False, exclude_host_port: bool = False) -> None:
            hidden = ("--host", "--port") if exclude_host_port else ()
            rows = self._routed if use_router_prefix else self._of_server("router")
            shown = (row for row in rows if row["name"] not in hidden)
            self._register(interpreter, ROUTER, parser.add_argument_group(), shown)

        routers = {"RouterArgs": type("RouterArgs", (), {"add_cli_args": staticmethod(router)})}
        return {
            MEGATRON: {"parse_args": megatron},
            SGLANG: {"ServerArgs": type("ServerArgs", (), {"add_cli_args": staticmethod(sglang)})},
            ROUTER: routers,
            "sglang_router.launch_router": routers,
        }

    def _of_server(self, server: str) -> Iterator[Row]:
        return (row for row in self._servers if row["server"] == server)

    def _register(self, interpreter: Interpreter, module: str, container: Any, rows: Iterable[Row]) -> None:
        for row in rows:
            interpreter.register(module, container, (row["name"], *_other_names(row)), _given(row))

    def _register_patched(
        self, interpreter: Interpreter, module: str, parser: Any, rows: list[Row], target: str
    ) -> None:
        """What the checkout's patch adds and is not known: the added statements themselves say it."""
        known = {name for row in rows for name in (row["name"], *row.get("more", ()))}
        for statement in added_registrations(self._patches.get(target, "")):
            if not known.intersection(flags_in(statement)):
                with interpreter.acting_as(module):
                    interpreter.execute([statement], Scope(None, {"parser": parser, "group": parser}))


def _other_names(row: Row) -> list[str]:
    negations = row.get("action") == "boolean_optional"
    return [name for name in row.get("more", ()) if not (negations and name.startswith("--no-"))]


def _as_registered(row: Row) -> Row:
    """A Megatron flag as Megatron itself registers it, without what Relax resets."""
    return {**row, "default": row["registered"]} if "registered" in row else row


def _given(row: Row) -> dict[str, Any]:
    """The arguments of ``add_argument`` that a row stands for."""
    kept = ("dest", "action", "nargs", "choices", "required", "deprecated")
    given: dict[str, Any] = {key: row[key] for key in kept if key in row}
    given["default"] = row.get("default")
    if "type" in row:
        given["type"] = _TYPES.get(row["type"]) or TypeName(row["type"])
    return given
