"""The YAML files that name verl's tools and interactions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from relax_lint.migrate.carrying.closure import Problem
from relax_lint.migrate.environment.literals import resolved
from relax_lint.records import record

if TYPE_CHECKING:
    from pathlib import Path

    from relax_lint.project import Project
    from relax_lint.sources.config_yaml import Node, YamlSource

_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_EXPONENT = re.compile(r"[-+]?(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)[eE][-+]?\d+")
_MOST_NODES = 20_000


@record
class ToolEntry:
    """A tool of a configuration. ``mcp`` are the settings of its servers, where it is an MCP tool."""

    class_name: str
    config: dict[str, Any]
    schema: dict[str, Any] | None
    mcp: dict[str, Any] | None
    path: Path
    line: int


@record
class InteractionEntry:
    """An interaction of a configuration."""

    name: str
    class_name: str
    config: dict[str, Any]
    path: Path
    line: int


def tool_entries(path: Path, project: Project) -> tuple[list[ToolEntry], list[Problem]]:
    """The tools that a file names, and what is wrong with it."""
    reader = _Reader(path, project)
    found: list[ToolEntry] = []
    for line, entry in reader.entries("tools"):
        made = reader.tool(entry, line)
        found += [] if made is None else [made]
    return found, reader.problems


def interaction_entries(path: Path, project: Project) -> tuple[list[InteractionEntry], list[Problem]]:
    """The interactions that a file names, and what is wrong with it."""
    reader = _Reader(path, project)
    found: dict[str, InteractionEntry] = {}
    for line, entry in reader.entries("interaction"):
        made = reader.interaction(entry, line)
        if made is not None and made.name in found:
            reader.problem(line, f"there are two interactions named {made.name!r}")
        elif made is not None:
            found[made.name] = made
    return list(found.values()), reader.problems


class _Reader:
    """One file."""

    def __init__(self, path: Path, project: Project) -> None:
        self.path = path
        self.problems: list[Problem] = []
        self.root: Any = None
        self.source: YamlSource | None = project.yaml(path)

    def problem(self, line: int, message: str) -> None:
        """Note what is wrong in a line."""
        self.problems.append(Problem(self.path, line, message))

    def entries(self, key: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """The entries of the list under ``key`` that are mappings, with their lines."""
        listed = self._list(key)
        for item in [] if listed is None else listed.items:
            line = self._line(item.start)
            entry = _data(item.value, self._written)
            if isinstance(entry, dict):
                known = resolved(entry, self.root, lambda message, line=line: self.problem(line, message))  # type: ignore[misc]
                if not isinstance(known.get("class_name"), str):
                    known["class_name"] = entry.get("class_name")
                yield line, known
            else:
                self.problem(line, f"an entry of {key} has to be a mapping with class_name and config")

    def tool(self, entry: dict[str, Any], line: int) -> ToolEntry | None:
        """One entry of ``tools``."""
        name, config = self._class(entry, line), self._config(entry, line)
        kind = config.get("type")
        if kind not in ("native", "mcp"):
            self.problem(line, f"config.type is {kind!r}; it has to be native or mcp")
        schema, mcp = entry.get("tool_schema"), entry.get("mcp")
        if name is None or kind not in ("native", "mcp"):
            return None
        if kind == "mcp" and not (isinstance(mcp, dict) and mcp.get("mcp_servers_config_path")):
            self.problem(line, "an MCP tool needs mcp.mcp_servers_config_path")
            return None
        if schema is not None and not isinstance(schema, dict):
            self.problem(line, "tool_schema has to be a mapping")
            return None
        return ToolEntry(name, config, schema, mcp if kind == "mcp" else None, self.path, line)

    def interaction(self, entry: dict[str, Any], line: int) -> InteractionEntry | None:
        """One entry of ``interaction``; without a name it is called by its class."""
        class_name, config = self._class(entry, line), self._config(entry, line)
        if class_name is None:
            return None
        simple = class_name.rpartition(".")[2]
        named = entry.get("name")
        name = str(named) if named is not None else simple.removesuffix("Interaction").lower()
        return InteractionEntry(name, class_name, {**config, "name": name}, self.path, line)

    def _class(self, entry: dict[str, Any], line: int) -> str | None:
        name = entry.get("class_name")
        if isinstance(name, str) and _DOTTED.fullmatch(name):
            return name
        shown = "there is no class_name" if name is None else f"class_name {name} is known only when it runs"
        self.problem(line, f"{shown}: name the class as package.module.Class")
        return None

    def _config(self, entry: dict[str, Any], line: int) -> dict[str, Any]:
        config = entry.get("config")
        if config is not None and not isinstance(config, dict):
            self.problem(line, "config has to be a mapping")
        return config if isinstance(config, dict) else {}

    def _list(self, key: str) -> Node | None:
        source = self.source
        if source is None:
            self.problem(1, "there is no such file")
            return None
        if source.error is not None:
            self.problem(source.position(source.error.offset)[0], f"this is no YAML: {source.error.message}")
            return None
        document = source.documents[0] if source.documents else None
        found = None if document is None or document.kind != "mapping" else document.get(key)
        if found is None or found.value.kind != "sequence":
            self.problem(1, f"there is no list {key} in it")
            return None
        if document is not None and _size(document, {}) > _MOST_NODES:
            self.problem(1, "it is too large for a list of tools")
            return None
        self.root = _data(document, self._written) if document is not None else None
        return found.value

    def _line(self, offset: int) -> int:
        return 1 if self.source is None else self.source.position(offset)[0]

    def _written(self, node: Node) -> str:
        return "" if self.source is None else self.source.text[node.start : node.start + 1]


def _size(node: Node, known: dict[int, int]) -> int:
    """How many values a node holds, each counted as often as an alias brings it in."""
    if id(node) not in known:
        known[id(node)] = 1
        inner = [*(item.value for item in node.items), *(entry.value for entry in node.effective.values())]
        known[id(node)] = 1 + sum(_size(each, known) for each in inner)
    return known[id(node)]


def _data(node: Node, written: Any, above: frozenset[int] = frozenset()) -> Any:
    """A node as data. What holds itself ends there."""
    if id(node) in above:
        return None
    above |= {id(node)}
    if node.kind == "mapping":
        return {key: _data(entry.value, written, above) for key, entry in node.effective.items()}
    if node.kind == "sequence":
        return [_data(item.value, written, above) for item in node.items]
    if node.tag in ("int", "float", "bool", "null"):
        import yaml

        return yaml.safe_load(node.text) if node.text else None
    if node.tag == "str" and _EXPONENT.fullmatch(node.text) and written(node) not in "'\"":
        return float(node.text.replace("_", ""))
    return node.text
