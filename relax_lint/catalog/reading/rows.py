"""Registered options as rows of the catalogue: plain data, what goes without saying left out."""

from __future__ import annotations

import ast
import enum
import json
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from relax_lint.catalog.reading.parsers import SUPPRESS, Option
from relax_lint.catalog.reading.values import Function, Unknown

Row = dict[str, Any]

_PLAIN_TYPES: dict[Any, str] = {None: "str", str: "str", int: "int", float: "float", bool: "bool-text"}
_JSON_READERS = ("json_list_type",)
_SPEAKS_OF_ITS_END = re.compile(r"^\W*deprecated|\bdeprecated[:.]|deprecated from|--\S+ is deprecated", re.IGNORECASE)
_POINTS_ELSEWHERE = re.compile(
    r"\b(use|see|replaced by)\s+(?:unified\s+)?[`'\"]*(--[a-z][\w-]*\w|[a-z]+\d*(?:_[a-z\d]+)+)(?!\S*\s+to\b)",
    re.IGNORECASE,
)


class TypeName(str):
    """A type by its name in the catalogue: what options made from rows have."""

    __slots__ = ()


def rows_of(parsers: Iterable[Any]) -> list[Row]:
    """A row for every flag of some parsers."""
    return [row(option, name, parser) for name, parser in named_parsers(parsers) for option in parser._actions]


def named_parsers(parsers: Iterable[Any]) -> list[tuple[str, Any]]:
    """Parsers by what they are called in the catalogue."""
    listed = list(parsers)
    return list(zip(_name_parsers(listed), listed, strict=True))


def _name_parsers(parsers: list[Any]) -> list[str]:
    """What each parser is called: by what it holds, for its functions may be renamed."""

    def share(parser: Any, prefix: str) -> float:
        strings = parser._option_string_actions
        begun = [name for name in strings if name.startswith(prefix)]
        return len(begun) / max(1, len(strings))

    def name(parser: Any) -> str:
        if any(option.module.startswith("megatron.") for option in parser._actions):
            return "main"
        if share(parser, "--teacher-") > 0.5:
            return "teacher"
        if share(parser, "--sglang-") > 0.9:
            return "sglang"
        strings = set(parser._option_string_actions)
        elsewhere = {name for other in parsers if other is not parser for name in other._option_string_actions}
        return "sglang-tp" if strings & elsewhere else "pre"

    return [name(parser) for parser in parsers]


def row(option: Option, parser_name: str, parser: Any) -> Row:
    """One option's row; what is unknown in it stays in it as :class:`Unknown`."""
    strings = option.option_strings
    name = next((text for text in strings if text.startswith("--")), strings[0] if strings else option.dest)
    action, kind, choices = option.action, _type(option), _choices(option)
    if action not in _KNOWN_ACTIONS:
        action = _custom_action(option)
    made: Row = {"name": name, "parser": parser_name, "owner": owner(option.module, parser_name)}
    if len(strings) > 1 and [text for text in strings if text != name]:
        made["more"] = [text for text in strings if text != name]
    if option.dest != name.lstrip("-").replace("-", "_"):
        made["dest"] = option.dest
    if action != "store":
        made["action"] = action
    if option.nargs != 0:
        if kind == "enum" and not choices:
            choices = _looked_up(option.type)
        if kind != "str":
            made["type"] = kind
    if option.nargs is not None and option.nargs != 0:
        made["nargs"] = option.nargs
    if choices is not None:
        made["choices"] = choices
    made.update(_defaults(option))
    if option.required:
        made["required"] = True
    ended = _deprecation(option, parser)
    if ended:
        made["deprecated"] = ended
    return made


_KNOWN_ACTIONS = (
    "store", "store_true", "store_false", "store_const", "append", "append_const", "count", "extend", "help",
    "boolean_optional", "ignored",
)  # fmt: skip


def owner(module: str, parser_name: str) -> str:
    """Whose flag it is."""
    if parser_name in ("pre", "teacher"):
        return parser_name
    top = module.partition(".")[0]
    return {"sglang_router": "router"}.get(top, top)


def _type(option: Option) -> Any:
    kind = option.type
    if isinstance(kind, (Unknown, TypeName)):
        return kind if isinstance(kind, Unknown) else str(kind)
    if (isinstance(kind, type) and kind.__module__ == "builtins") or kind is None:
        return _PLAIN_TYPES.get(kind, getattr(kind, "__name__", "str"))
    if kind is json.loads:
        return "json"
    if isinstance(kind, Function):
        if _is_enum(option.choices) or _looked_up(kind):
            return "enum"
        return "json" if kind.name in _JSON_READERS else kind.name
    return Unknown(f"type {kind!r}")


def _is_enum(choices: Any) -> bool:
    return isinstance(choices, (list, tuple)) and bool(choices) and all(isinstance(one, enum.Enum) for one in choices)


def _looked_up(function: Any) -> list[str] | None:
    """The names that a converting lambda takes: members of the enum that it subscripts, and texts that it lets be."""
    if not isinstance(function, Function) or not isinstance(function.node, ast.Lambda):
        return None
    names: list[str] = []
    for node in ast.walk(function.node.body):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            kind = function.value_of(node.value.id)
            if isinstance(kind, type) and issubclass(kind, enum.Enum):
                names += kind.__members__
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.append(node.value)
    return names or None


def _choices(option: Option) -> Any:
    choices = option.choices
    if choices is None or isinstance(choices, Unknown):
        return choices
    return _plain(sorted(choices, key=str) if isinstance(choices, (set, frozenset)) else list(choices))


def _plain(value: Any) -> Any:
    """A value as JSON can hold it."""
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, (list, tuple)):
        items = [_plain(item) for item in value]
        return next((item for item in items if isinstance(item, Unknown)), items)
    if isinstance(value, dict):
        made = {str(key): _plain(item) for key, item in value.items()}
        return next((item for item in made.values() if isinstance(item, Unknown)), made)
    if value is None or isinstance(value, (bool, int, float, str, Unknown)):
        return value
    return Unknown(f"a value of the type {type(value).__name__}")


def _defaults(option: Option) -> Row:
    """The default in force, and the one that it was registered with when something else replaced it."""
    made: Row = {}
    if isinstance(option.default, str) and option.default == SUPPRESS:
        made["suppressed"] = True
    elif option.default is not None:
        made["default"] = _plain(option.default)
    if option.registered_default is not option.default and option.registered_default != option.default:
        made["registered"] = _plain(option.registered_default)
    return made


def _custom_action(option: Option) -> str:
    """What an action class of the sources does with its flag."""
    if option.nargs != 0:
        return "store"
    return "store_true" if option.const is True else "ignored"


def _deprecation(option: Option, parser: Any) -> str | None:
    """What to use in the place of a deprecated flag, in words of our own; ``None`` when it is not deprecated."""
    if "deprecated" in option.more:
        verb, _, flag = option.more["deprecated"].partition(" --")
        spelled = _spelled(f"--{flag}", option, parser) if flag else None
        return option.more["deprecated"] if spelled is None else f"{verb} {spelled}"
    replacement = getattr(option, "new_flag", None)
    text = option.help if isinstance(option.help, str) else ""
    if not (replacement or _SPEAKS_OF_ITS_END.search(text)):
        return None
    pointers = [("use", str(replacement))] if replacement else _POINTS_ELSEWHERE.findall(text)
    for verb, flag in pointers:
        spelled = _spelled(flag, option, parser)
        if spelled is not None and spelled not in option.option_strings:
            return f"{'see' if verb.lower() == 'see' else 'use'} {spelled}"
    return "no longer used"


def _spelled(flag: str, option: Option, parser: Any) -> str | None:
    """A flag that a help text names, under the prefix that the option itself has."""
    stem = flag.removeprefix("--").replace("_", "-")
    parts = option.option_strings[0][2:].split("-")
    prefixes = ["--", *("--" + "-".join(parts[:count]) + "-" for count in range(1, min(4, len(parts))))]
    known = (prefix + stem for prefix in reversed(prefixes))
    return next((name for name in known if name in parser._option_string_actions), None)


def unknown_parts(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """What the rows hold that the sources did not tell."""
    return [
        f"{row.get('parser') or row.get('server')} {row['name']} {key}: {value.reason}"
        for row in rows
        for key, value in row.items()
        if isinstance(value, Unknown)
    ]


def without_unknown(rows: Iterable[Row], known: Mapping[tuple[str, str], Row] = MappingProxyType({})) -> list[Row]:
    """The rows with what the sources did not tell taken from a known row of the same flag, or left open."""
    made: list[Row] = []
    for row in rows:
        before = known.get((row.get("parser", ""), row["name"]), {})
        told = {key: value for key, value in row.items() if not isinstance(value, Unknown)}
        made.append(told | {key: before[key] for key in row.keys() - told.keys() if key in before})
    return made
