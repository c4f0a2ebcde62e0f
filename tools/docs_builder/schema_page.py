"""The JSON that the commands print, field by field, out of the schemas that the tests hold it against."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tools.docs_builder.blocks import GENERATED, cell, code, table

PAGE = Path("docs/reference/json-schemas.md")
SCHEMAS = Path(__file__).resolve().parents[2] / "docs/schema"
INTRODUCTION = """\
Every field of the JSON that commands print; [JSON output](../json.md) says what they mean. `[]` stands for each item of
a list, `{}` for each value of a table whose keys are data. A field is always there unless it is *optional*."""
HEAD = ("field", "value", "note")

Schema = Mapping[str, Any]


def page() -> str:
    """The page: a section for each schema."""
    parts = [
        f"{GENERATED}\n# JSON schemas",
        INTRODUCTION,
    ]
    for path in sorted(SCHEMAS.glob("*.schema.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        link = f"[{path.name}](../schema/{path.name})"
        parts += [f"## {document['title']}", f"{link}", table(HEAD, _Reader(document).rows())]
    return "\n\n".join(parts) + "\n"


class _Reader:
    """Goes through a schema, references followed."""

    def __init__(self, document: Schema) -> None:
        self._document = document
        self._open: list[str] = []

    def rows(self) -> list[tuple[str, str, str]]:
        """A row for each field, those of objects below it."""
        return list(self._fields(self._document, ""))

    def _fields(self, schema: Schema, path: str) -> Iterator[tuple[str, str, str]]:
        for name, given in schema.get("properties", {}).items():
            given = {} if given is True else given
            optional = "" if name in schema.get("required", ()) else "*optional*"
            yield from self._field(given, f"{path}.{name}" if path else name, optional)
        more = schema.get("additionalProperties")
        if isinstance(more, dict) and "properties" not in schema:
            yield from self._field(more, f"{path}.{{}}", "")

    def _field(self, given: Schema, path: str, note: str) -> Iterator[tuple[str, str, str]]:
        name = given.get("$ref", "")
        told = "; ".join(filter(None, (note, self._resolved(given).get("description", ""))))
        yield code(path), cell(self._value(given)), cell(told)
        if name in self._open:
            return
        self._open.append(name or path)
        for part in self._parts(given):
            items = part.get("items")
            if items is not None:
                yield from self._items(items, f"{path}[]")
            yield from self._fields(part, path)
        self._open.pop()

    def _items(self, items: Schema, path: str) -> Iterator[tuple[str, str, str]]:
        for part in self._parts(items):
            yield from self._fields(part, path)
            if "items" in part:
                yield from self._items(part["items"], f"{path}[]")

    def _resolved(self, schema: Schema) -> Schema:
        name = schema.get("$ref")
        if name is None:
            return schema
        found: Schema = self._document["$defs"][name.rpartition("/")[2]]
        return {**found, **{key: value for key, value in schema.items() if key != "$ref"}}

    def _parts(self, schema: Schema) -> Iterator[Schema]:
        """The alternatives of a schema, itself where there are none."""
        schema = self._resolved(schema)
        for part in schema.get("anyOf", schema.get("oneOf", [schema])):
            yield self._resolved(part)

    def _value(self, schema: Schema) -> str:
        return " or ".join(dict.fromkeys(map(self._kind, self._parts(schema))))

    def _kind(self, schema: Schema) -> str:
        if "const" in schema:
            return code(json.dumps(schema["const"]))
        if "enum" in schema:
            return " or ".join(code(json.dumps(value)) for value in schema["enum"])
        types = schema.get("type", "any")
        return " or ".join(self._type(one, schema) for one in ([types] if isinstance(types, str) else types))

    def _type(self, name: str, schema: Schema) -> str:
        if name == "array" and "items" in schema:
            return f"list of {self._value(schema['items'])}"
        if name == "array":
            return "list"
        if name == "integer" and "minimum" in schema:
            return f"integer, at least {schema['minimum']}"
        if name == "string" and "pattern" in schema:
            return f"string like {code(schema['pattern'])}"
        return name
