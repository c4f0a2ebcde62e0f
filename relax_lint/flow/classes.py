"""What a class of the recipe is made of: methods, fields and bases, as far as all bases can be told."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.flow.shapes import Class, Library, Shape, alternatives
from relax_lint.records import record

if TYPE_CHECKING:
    from relax_lint.flow.interpreter import Interpreter
    from relax_lint.sources.python import PythonSource

_PLAIN_BASES = frozenset({"object", "abc.ABC", "typing.Protocol", "typing.Generic", "pydantic.BaseModel"})
_DATACLASS = frozenset({"dataclass", "dataclasses.dataclass"})
_NO_FIELDS = ("ClassVar", "typing.ClassVar", "InitVar", "dataclasses.InitVar")
_DEEPEST = 20


@record
class Make:
    """What calling a class makes. Not ``known`` when a base or a decorator hides it."""

    known: bool
    is_dictionary: bool = False
    is_tuple: bool = False
    is_dataclass: bool = False
    is_model: bool = False
    fields: tuple[str, ...] = ()
    only_fields: bool = False
    """Whether there is nothing else in the class that could say how a model is dumped."""


def is_plain(node: ast.ClassDef) -> bool:
    """Whether a class's decorators leave it what it is."""
    return all(
        _decorator_name(decorator) in {*_DATACLASS, "final", "typing.final"} for decorator in node.decorator_list
    )


def _decorator_name(node: ast.expr) -> str:
    return ast.unparse(node.func if isinstance(node, ast.Call) else node)


def lineage(interpreter: Interpreter, cls: Class) -> Iterator[Class | Library | None]:
    """A class and its bases, in the order that attributes are looked up; ``None`` for a base that cannot be told."""
    yield cls
    bases = list(_bases(interpreter, cls))
    later = {current.node: index for index, current in enumerate(bases) if isinstance(current, Class)}
    for index, current in enumerate(bases):
        # What several bases derive from comes behind all of them.
        if not isinstance(current, Class) or later[current.node] == index:
            yield current


def _bases(interpreter: Interpreter, cls: Class) -> Iterator[Class | Library | None]:
    """The bases of a class and theirs, depth first."""
    pending: list[Class | Library | None] = [cls]
    seen: set[ast.ClassDef] = set()
    while pending and len(seen) < _DEEPEST:
        current = pending.pop()
        if current is not cls:
            yield current
        if not isinstance(current, Class) or current.node in seen:
            continue
        seen.add(current.node)
        for base in reversed(current.node.bases):
            expression = base.value if isinstance(base, ast.Subscript) else base
            shapes = alternatives(interpreter.in_module(current.source, expression))
            one = shapes[0] if len(shapes) == 1 else None
            pending.append(one if isinstance(one, (Class, Library)) else None)


def find_method(
    interpreter: Interpreter, cls: Class, name: str, behind: ast.ClassDef | None = None
) -> tuple[PythonSource, ast.stmt] | None:
    """The statement in a class body, or in the first base's that has one, that binds a name; ``behind`` a class, only
    what comes after it counts."""
    for current in lineage(interpreter, cls):
        if behind is not None:
            if isinstance(current, Class) and current.node is behind:
                behind = None
            continue
        if current is None or (isinstance(current, Library) and current.name not in _PLAIN_BASES):
            return None
        if isinstance(current, Class):
            bound = [node for node in current.node.body if _binds(node, name)]
            if bound:
                return current.source, bound[-1]
    return None


def lacks(interpreter: Interpreter, cls: Class, name: str) -> bool:
    """Whether objects of a class certainly have no attribute of this name."""
    for current in lineage(interpreter, cls):
        if current is None or (isinstance(current, Library) and current.name not in _PLAIN_BASES):
            return False
        if isinstance(current, Class):
            if any(_binds(node, name) or _binds(node, "__getattr__") for node in current.node.body):
                return False
            if any(isinstance(node, (ast.If, ast.Try, ast.With)) for node in current.node.body):
                return False
    return True


def _binds(node: ast.stmt, name: str) -> bool:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return node.name == name
    if isinstance(node, ast.Assign):
        return any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
    return isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == name


def fields_of(interpreter: Interpreter, cls: Class) -> Make:
    """What calling a class makes, and the fields of a dataclass or model in their order."""
    bases = list(lineage(interpreter, cls))
    libraries = {base.name for base in bases if isinstance(base, Library)}
    if libraries & {"typing.TypedDict", "typing_extensions.TypedDict"}:
        return Make(True, is_dictionary=True)
    classes = [base for base in bases if isinstance(base, Class)]
    if "typing.NamedTuple" in libraries:
        own = dict.fromkeys(name for base in reversed(classes) for name in _own_fields(base.node))
        return Make(True, is_tuple=True, fields=tuple(own))
    if None in bases or not libraries <= _PLAIN_BASES or any(_hides(base.node) for base in classes):
        return Make(False)
    fields = dict.fromkeys(name for base in reversed(classes) for name in _own_fields(base.node))
    decorated = {_decorator_name(decorator) for base in classes for decorator in base.node.decorator_list}
    return Make(
        True,
        is_dataclass=bool(decorated & _DATACLASS),
        is_model="pydantic.BaseModel" in libraries,
        fields=tuple(fields),
        only_fields=all(_is_plain_part(part) for base in classes for part in base.node.body),
    )


def default_of(interpreter: Interpreter, cls: Class, name: str) -> Shape | None:
    """What a field of a class is where it is not given; ``None`` where it has to be."""
    for current in lineage(interpreter, cls):
        for part in current.node.body if isinstance(current, Class) else ():
            if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name) and part.target.id == name:
                if part.value is None or not isinstance(current, Class):
                    return None
                return interpreter.in_module(current.source, part.value)
    return None


def _is_plain_part(node: ast.stmt) -> bool:
    """A field that is dumped as it is, or a method that has no part in it."""
    if isinstance(node, ast.AnnAssign):
        return isinstance(node.target, ast.Name) and not (
            isinstance(node.value, ast.Call) and any(keyword.arg == "exclude" for keyword in node.value.keywords)
        )
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return not node.decorator_list and node.name not in ("model_dump", "dict")
    return isinstance(node, (ast.Expr, ast.Pass))


def _hides(node: ast.ClassDef) -> bool:
    return bool(node.keywords) or any(_binds(part, "__new__") for part in node.body) or not is_plain(node)


def _own_fields(node: ast.ClassDef) -> Iterator[str]:
    for part in node.body:
        if not isinstance(part, ast.AnnAssign) or ast.unparse(part.annotation).startswith(_NO_FIELDS):
            continue
        if isinstance(part.target, ast.Name):
            yield part.target.id
