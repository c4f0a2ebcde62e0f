"""The text of an environment: the file that comes with this package, with what is the recipe's own put in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relax_lint.migrate.environment.literals import literal
from relax_lint.records import node

if TYPE_CHECKING:
    from relax_lint.migrate.environment.configs import InteractionEntry, ToolEntry
    from relax_lint.migrate.environment.functions import FunctionEntry

_PRODUCED = Path(__file__).with_name("produced")
_OWN = "relax_lint.migrate.environment.produced"
_OWN_PART = re.compile(r"# <recipe>\n(.*?)# </recipe>\n", re.DOTALL)
_BASE_NAMES = re.compile(r"(from [\w.]+ import \(\n)((?:    \w+,\n)+)(\)\n)")
_HELPERS = ("OpenAIFunctionToolSchema", "PlainText", "function_tools", "mcp_tools")
_FAILED = {
    False: ("Error when executing tool: {error}", "Error when executing tool: {key}"),
    True: ("Error executing tool '{name}': {error}", "Unknown function '{name}'. Available tools: {names}"),
}
"""What verl tells the model of a call that failed, and of one of an unknown tool: older versions, newer ones."""


@node
class Parts:
    """What is the recipe's own in its environment. ``base`` is the package of the tools' code."""

    name: str
    package: str
    base: str
    calls: int
    longest: int
    keeps: str
    newer: bool
    tools: Sequence[str]
    interactions: Sequence[str]
    parser: str | None
    imports: Sequence[str] = ()
    missing: Sequence[str] = ()


@cache
def produced_text(name: str) -> str:
    """A file that comes with this package."""
    return (_PRODUCED / f"{name}.py").read_text(encoding="utf-8")


def environment_text(parts: Parts) -> str:
    """The text of ``env_NAME.py``."""
    own = _own_part(parts)
    text = produced_text("environment").replace("{name}", parts.name, 1)
    text = text.replace(f"{_OWN}.base_env", f"{parts.package}.base_env")
    text = text.replace(f"{_OWN}.tool_base", f"{parts.base}.base")
    needed = [name for name in _HELPERS if re.search(rf"\b{name}\b", own)]
    text = _BASE_NAMES.sub(lambda found: found[1] + _names(found[2], needed) + found[3], text, count=1)
    if "os.environ" in own:
        text = text.replace("import logging\n", "import logging\nimport os\n", 1)
    imports = "".join(f"{line}\n" for line in sorted(parts.imports))
    return _OWN_PART.sub(lambda _: own, text.replace("\n# <recipe>\n", f"{imports}\n# <recipe>\n", 1))


def native_tool(name: str, entry: ToolEntry) -> str:
    """The statement that makes a tool of a class of its own."""
    schema = f"OpenAIFunctionToolSchema.model_validate(\n            {literal(entry.schema, 12)}\n        )"
    return _made(name, {"config": literal(entry.config, 8, 8), "tool_schema": schema if entry.schema else "None"})


def mcp_tool(name: str, manager: str, entry: ToolEntry) -> str:
    """The statement that makes the tools which MCP servers offer."""
    mcp = entry.mcp or {}
    servers, selected = mcp.get("mcp_servers_config_path"), mcp.get("tool_selected_list")
    values = [name, manager, literal(entry.config, 8), literal(servers, 8), literal(selected, 8)]
    return "    yield mcp_tools(\n" + "".join(f"        {value},\n" for value in values) + "    )\n"


def function_tools(entries: Iterable[FunctionEntry]) -> str:
    """The statement that makes tools of functions."""
    schemas: dict[str, Any] = {entry.name: entry.schema for entry in entries}
    return f"    yield from function_tools(\n        {literal(schemas, 8)}\n    )\n"


def interaction(name: str, entry: InteractionEntry) -> str:
    """The entry of a dict that makes an interaction."""
    return f"        {literal(entry.name)}: {name}(config={literal(entry.config, 8, len(name) + 20)}),\n"


def _made(name: str, arguments: dict[str, str]) -> str:
    listed = "".join(f"        {key}={value},\n" for key, value in arguments.items())
    return f"    yield {name}(\n{listed}    )\n"


def _own_part(parts: Parts) -> str:
    """What stands between the marks, with the recipe's values."""
    found = _OWN_PART.search(produced_text("environment"))
    own = "" if found is None else found[1]
    failed, unknown = _FAILED[parts.newer]
    calls = f"{parts.calls}, {parts.longest}, {literal(parts.keeps)}"
    missing = "".join(f"    # To be carried over by hand: {each}\n" for each in parts.missing)
    users = "".join(parts.interactions)
    parser = f"{parts.parser}(PlainText())" if parts.parser else "None"
    values = {
        'KEEPS = 1, 256, "both"': f"KEEPS = {calls}",
        f"UNKNOWN = {literal(_FAILED[False][0])}, {literal(_FAILED[False][1])}": "UNKNOWN = "
        f"{literal(failed)}, {literal(unknown)}",
        "KEEPS_RESPONSES = False": f"KEEPS_RESPONSES = {parts.newer}",
        "    yield from ()\n": missing + ("".join(parts.tools) or "    yield from ()\n"),
        "    return {}\n": f"    return {{\n{users}    }}\n" if users else "    return {}\n",
        "PARSER: Any = None": f"PARSER: Any = {parser}",
    }
    for old, new in values.items():
        assert own.count(old) == 1, old
        own = own.replace(old, new)
    return own


def _names(listed: str, more: Iterable[str]) -> str:
    """The names of an import, one a line, constants first as they are sorted everywhere."""
    names = {line.strip(" ,") for line in listed.splitlines()} | set(more)
    return "".join(f"    {name},\n" for name in sorted(names, key=lambda name: (name[0].islower(), name)))
