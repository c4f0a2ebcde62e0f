"""Functions that verl takes as tools, and the schemas that it reads off their signatures and docstrings."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from relax_lint.records import record

if TYPE_CHECKING:
    from relax_lint.migrate.carrying.code import Code

DECORATOR = "function_tool"
_OF_VERL = "verl.tools.function_tool"
_TYPES = {
    "int": "integer",
    "float": "number",
    "str": "string",
    "bool": "boolean",
    "list": "array",
    "tuple": "array",
    "dict": "object",
    "List": "array",
    "Tuple": "array",
    "Dict": "object",
}
_SECTION = re.compile(r"Args:|Returns:|Raises:")
_END = re.compile(r"Returns:|Raises:")
_ARGUMENTS = re.compile(r"\n[^\S\n]*Args:\n")
_ARGUMENT = re.compile(r"(?:\A|\n)[^\S\n]*(\w+):")
_CHOICES = re.compile(r"\(choices:\s*", re.IGNORECASE)


@record
class FunctionEntry:
    """A function that is a tool. ``schema`` is what the model is told, ``None`` where only running it says that, which
    ``problem`` explains."""

    name: str
    function: str
    line: int
    schema: Mapping[str, Any] | None
    problem: str = ""


class _Unclear(Exception):
    """Why a schema cannot be read off."""


def function_entries(code: Code) -> Iterator[FunctionEntry]:
    """The function tools of a module, in the order of their names, as verl has them."""
    spelled = set(_spellings(code.tree))
    found = []
    for each in code.tree.body:
        if not isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        for decorator in each.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if ast.unparse(called) in spelled:
                found.append(_entry(each, decorator))
    return iter(sorted(found, key=lambda entry: entry.name))


def own_schema(tool: ast.ClassDef) -> Any:
    """The schema that a tool's class returns, where all that it does is to return one that is written out."""
    for each in tool.body:
        if isinstance(each, ast.FunctionDef) and each.name == "get_openai_tool_schema" and not each.decorator_list:
            body = each.body[1:] if ast.get_docstring(each) is not None else each.body
            value = body[0].value if len(body) == 1 and isinstance(body[0], ast.Return) else None
            if isinstance(value, ast.Call) and len(value.args) == 1 and not value.keywords:
                value = value.args[0] if ast.unparse(value.func).endswith("ToolSchema.model_validate") else None
            try:
                return None if value is None else ast.literal_eval(value)
            except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                return None
    return None


def _spellings(tree: ast.Module) -> Iterator[str]:
    """What the decorator is called in a module."""
    for each in ast.walk(tree):
        if isinstance(each, ast.ImportFrom):
            for alias in each.names:
                bound = alias.asname or alias.name
                if each.module == _OF_VERL and alias.name == DECORATOR:
                    yield bound
                elif each.module == "verl.tools" and alias.name == DECORATOR:
                    yield f"{bound}.{DECORATOR}"
        elif isinstance(each, ast.Import):
            for alias in each.names:
                if alias.name == _OF_VERL:
                    yield f"{alias.asname or alias.name}.{DECORATOR}"


def _entry(function: ast.FunctionDef | ast.AsyncFunctionDef, decorator: ast.expr) -> FunctionEntry:
    name: Any = function.name
    schema: Any = None
    try:
        if isinstance(decorator, ast.Call):
            given = {each.arg: each.value for each in decorator.keywords}
            named = decorator.args[0] if decorator.args else given.get("name")
            name = function.name if named is None else _value(named, "the name of the tool")
            name = name or function.name
            if "schema" in given:
                schema = _value(given["schema"], "the schema")
        schema = schema or _schema(function, name)
    except _Unclear as problem:
        return FunctionEntry(str(name), function.name, function.lineno, None, str(problem))
    return FunctionEntry(str(name), function.name, function.lineno, schema)


def _value(expression: ast.expr, what: str) -> Any:
    try:
        return ast.literal_eval(expression)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise _Unclear(f"{what} is known only when it runs") from None


def _schema(function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> dict[str, Any]:
    """The schema as transformers reads it off a function, with what verl keeps of it."""
    documented = inspect.cleandoc(ast.get_docstring(function) or "").strip()
    if not documented:
        raise _Unclear("it has no docstring to read its schema off")
    arguments = _described(documented)
    every = function.args
    if every.vararg or every.kwarg:
        raise _Unclear("it takes any number of arguments, which no schema says")
    listed = [*every.posonlyargs, *every.args]
    defaults: list[ast.expr | None] = [None] * (len(listed) - len(every.defaults)) + list(every.defaults)
    pairs = [*zip(listed, defaults, strict=True), *zip(every.kwonlyargs, every.kw_defaults, strict=True)]
    properties: dict[str, Any] = {}
    required = []
    for argument, default in pairs:
        if argument.annotation is None:
            raise _Unclear(f"its argument {argument.arg} has no type")
        if argument.arg not in arguments:
            raise _Unclear(f"its docstring says nothing of the argument {argument.arg}")
        properties[argument.arg] = _property(argument.annotation, arguments[argument.arg])
        if default is None:
            required.append(argument.arg)
    parameters: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        parameters["required"] = required
    description = _SECTION.split(documented, maxsplit=1)[0].strip()
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


def _described(documented: str) -> dict[str, str]:
    """What a docstring says of each argument; one of which nothing is said has the next one's line."""
    found = _ARGUMENTS.search(documented)
    section = "" if found is None else _END.split(documented[found.end() :], maxsplit=1)[0].strip()
    text = "\n".join(line for line in section.split("\n") if line.strip())
    descriptions: dict[str, str] = {}
    name, begin = "", 0
    for match in _ARGUMENT.finditer(text):
        said = text[begin : match.start()].strip()
        if name and not said:
            continue
        if name:
            descriptions[name] = _on_one_line(said)
        name, begin = match[1], match.end()
    if name:
        descriptions[name] = _on_one_line(text[begin:].strip())
    return descriptions


def _on_one_line(text: str) -> str:
    return " ".join(line.strip() for line in text.split("\n"))


def _property(annotation: ast.expr, description: str) -> dict[str, Any]:
    kind, enum = _kind(annotation)
    choices = _CHOICES.search(description)
    if choices is not None and description.endswith(")"):
        listed = description[choices.end() : -1]
        try:
            enum = [each.strip() for each in json.loads(listed)]
        except (ValueError, AttributeError, TypeError, RecursionError):
            raise _Unclear(f"the choices in its docstring are no JSON list: {listed}") from None
        description = description[: choices.start()].strip()
    return {"type": kind, "description": description, **({"enum": enum} if enum else {})}


def _kind(annotation: ast.expr) -> tuple[Any, list[Any]]:
    """The type in a schema, and what values there are."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            return _kind(ast.parse(annotation.value, mode="eval").body)
        except SyntaxError:
            raise _Unclear(f"the type {annotation.value!r} is not understood") from None
    name = ast.unparse(annotation.value if isinstance(annotation, ast.Subscript) else annotation).rpartition(".")[2]
    if name in _TYPES:
        return _TYPES[name], []
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        return _union([annotation.left, annotation.right])
    if isinstance(annotation, ast.Subscript):
        inner = annotation.slice
        parts = list(inner.elts) if isinstance(inner, ast.Tuple) else [inner]
        if name == "Literal":
            values = [_value(part, "a value of Literal") for part in parts]
            kinds = sorted({_TYPES.get(type(each).__name__, "") for each in values})
            return kinds[0] if len(kinds) == 1 else kinds, values
        if name in ("Optional", "Union"):
            return _union(parts)
        if name == "Annotated":
            return _kind(parts[0])
    raise _Unclear(f"the type {ast.unparse(annotation)} has no place in a schema")


def _union(parts: list[ast.expr]) -> tuple[Any, list[Any]]:
    """The types of several; None only says that a value may be missing."""
    kinds: list[str] = []
    for part in parts:
        if isinstance(part, ast.Constant) and part.value is None:
            continue
        kind, enum = _kind(part)
        if enum:
            return kind, enum
        kinds += kind if isinstance(kind, list) else [kind]
    kinds = sorted(set(kinds))
    return kinds[0] if len(kinds) == 1 else kinds, []
