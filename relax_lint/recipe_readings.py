"""What the code that Relax calls reads of the samples and arguments that it is given, for the rules about them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from relax_lint.attached import attached
from relax_lint.calls.entries import Entry, entries, entries_in, reached
from relax_lint.calls.values import SAMPLE, SAMPLES, Given, Kind, Object, Outside, Routine, Several, Value
from relax_lint.catalog.rewards import WITHOUT_REWARDS
from relax_lint.catalog.sample import CLASS, MODULE, names_of_class
from relax_lint.flow.interpreter import interpreter_of
from relax_lint.flow.scopes import NOT_CHANGING, is_logging
from relax_lint.generates import generate_uses
from relax_lint.patterns import pattern
from relax_lint.records import record
from relax_lint.sample_stores import files_behind
from relax_lint.sources.python import walk
from relax_lint.supposed_launches import launches_of

if TYPE_CHECKING:
    from pathlib import Path

    from relax_lint.calls.reached import ReachedFunction
    from relax_lint.project import Project, Recipe
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.python import PythonSource

_QUESTION = pattern(r"\bhasattr\([^(),]+,\s*[\"'](\w+)[\"']\s*\)|\bgetattr\([^(),]+,\s*[\"'](\w+)[\"']\s*,\s*[^)\s]")


@record
class Read:
    """``holder.name``, ``getattr(holder, "name")`` or ``vars(holder)["name"]``."""

    source: PythonSource
    node: ast.Attribute | ast.Call | ast.Subscript
    holder: ast.expr
    name: str


def called(recipe: Recipe, project: Project) -> list[tuple[Launch, Entry]]:
    """What the launches of a recipe have Relax call, samples of evaluations included, as far as a file may be reached
    from there of which findings are wanted."""
    return project.once(("called", recipe), lambda: list(_called(recipe, project)))


def _called(recipe: Recipe, project: Project) -> Iterator[tuple[Launch, Entry]]:
    for launch in launches_of(recipe, project):
        if launch.kind != "relax" or launch.mode == "sft" or any(launch.has(flag) for flag in WITHOUT_REWARDS):
            continue
        found = entries(launch, project) if recipe.wanted is None else entries_in(launch, project, recipe.wants_of)
        yield from ((launch, entry) for entry in found)
        for use in generate_uses(launch, project):
            if use.evaluates and use.module is not None and recipe.wants_of(use.module.path) and use.status == "found":
                yield launch, Entry("generate", use.module, use.name)


def functions_of(entry: Entry, recipe: Recipe, project: Project) -> list[ReachedFunction]:
    """The functions of a recipe that run for one call. Those of other recipes are looked at with theirs."""
    whole = project.recipe_of(recipe.directory / "_")
    result = reached(entry, project)
    return [function for function in result.functions if project.recipe_of(function.source.path) is whole]


def reads(function: ReachedFunction, given: Given) -> Iterator[Read]:
    """The attributes of what Relax handed over that a function reads, for sure, without a default."""
    for node in function.attributes:
        if is_read(node, function.source) and function.is_certainly(node.value, given, node.attr):
            yield Read(function.source, node, node.value, node.attr)
    for call in function.calls:
        if isinstance(call.func, ast.Name) and call.func.id == "getattr" and len(call.args) == 2:
            name = call.args[1].value if isinstance(call.args[1], ast.Constant) else None
            if isinstance(name, str) and function.is_certainly(call.args[0], given, name):
                yield Read(function.source, call, call.args[0], name)
        elif isinstance(call.func, ast.Name) and call.func.id == "vars" and len(call.args) == 1:
            subscript = function.source.parent(call)
            key = subscript.slice if isinstance(subscript, ast.Subscript) and subscript.value is call else None
            if isinstance(key, ast.Constant) and isinstance(key.value, str) and isinstance(subscript, ast.Subscript):
                if isinstance(subscript.ctx, ast.Load) and function.is_certainly(call.args[0], given):
                    yield Read(function.source, subscript, call.args[0], key.value)


def is_read(node: ast.Attribute, source: PythonSource) -> bool:
    """Whether an attribute has to be there: it is read, deleted, or changed by ``+=`` and the like."""
    return not isinstance(node.ctx, ast.Store) or isinstance(source.parent(node), ast.AugAssign)


def of_annotated(source: PythonSource, project: Project) -> list[Read]:
    """What functions read of parameters that are annotated to be samples, whoever calls them."""
    return project.once(("read of annotated", source), lambda: list(_of_annotated(source, project)))


def _of_annotated(source: PythonSource, project: Project) -> Iterator[Read]:
    for nodes, names in annotated(source, project):
        for node in nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and is_read(node, source):
                if node.value.id in names:
                    yield Read(source, node, node.value, node.attr)


def annotated(source: PythonSource, project: Project) -> Iterator[tuple[list[ast.AST], set[str]]]:
    """The functions with parameters that are annotated to be samples: what is in them, and the names of those that stay
    what they are."""
    if CLASS not in source.text or not _knows_samples(source, project):
        return
    functions: list[ast.FunctionDef | ast.AsyncFunctionDef] = [
        *source.nodes(ast.FunctionDef),
        *source.nodes(ast.AsyncFunctionDef),
    ]
    for function in functions:
        spec = function.args
        names = {
            parameter.arg
            for parameter in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)
            if parameter.annotation is not None and ast.unparse(parameter.annotation).strip("'\"") == CLASS
        }
        if not names:
            continue
        nodes = [node for statement in function.body for node in walk(statement)]
        bound = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
        bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
        yield nodes, names - bound


def _knows_samples(source: PythonSource, project: Project) -> bool:
    """Whether ``Sample`` is Relax's in a file."""
    resolution = interpreter_of(project).resolver.resolve(source, CLASS)
    if resolution.external is not None:
        return resolution.external == f"{MODULE}.{CLASS}"
    return any(found.source.path.as_posix().endswith(f"/{MODULE.replace('.', '/')}.py") for found in resolution.found)


def is_sample_class(function_or_source: ReachedFunction, node: ast.expr) -> bool:
    """Whether an expression is the class of samples."""
    for value in function_or_source.values(node):
        if isinstance(value, Outside):
            return value.name == f"{MODULE}.{CLASS}"
        if isinstance(value, Kind):
            return value.node.name == CLASS and value.source.path.as_posix().endswith("relax/utils/types.py")
    return False


def is_guarded(read: Read) -> bool:
    """Whether the absence of the attribute is expected: code of the file asks for it or gives a default, or catches
    what its absence raises."""
    if any(read.name in names for names in _questions(read.source)):
        return True
    spelled = ast.unparse(read.holder)
    for holder in read.source.ancestors(read.node):
        if isinstance(holder, (ast.FunctionDef, ast.AsyncFunctionDef)) and spelled in _of_several_kinds(holder):
            return True
        if isinstance(holder, ast.Try) and any(map(_catches_absence, holder.handlers)):
            return True
        if isinstance(holder, (ast.With, ast.AsyncWith)) and "suppress" in ast.dump(holder.items[0].context_expr):
            return True
    return False


@attached
def _questions(source: PythonSource) -> list[tuple[str, str]]:
    """What a file asks of the attributes of things."""
    return _QUESTION.findall(source.text)


@lru_cache(maxsize=256)
def _of_several_kinds(function: ast.AST) -> frozenset[str]:
    """What a function asks the class of since it expects others than samples too."""
    return frozenset(
        ast.unparse(node.args[0])
        for node in walk(function)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("isinstance", "type")
        and node.args
        and not _is_expected_kind(node)
    )


def _is_expected_kind(test: ast.Call) -> bool:
    """Whether ``isinstance`` asks for a sample, or for the list of them that a batch is."""
    return len(test.args) == 2 and ast.unparse(test.args[1]) in (CLASS, "list", "(list, tuple)", "Sequence", "tuple")


def _catches_absence(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    return any(name in ast.unparse(handler.type) for name in ("AttributeError", "Exception"))


def stored_names(source: PythonSource, project: Project) -> frozenset[str] | None:
    """The attributes that the code behind a file stores on anything but ``self``; ``None`` where it stores some whose
    names cannot be told."""
    found: set[str] = set()
    for path in files_behind(source.path, interpreter_of(project)):
        names = project.once_firmly(("stored names", path), partial(_stored_names_in, path, project))
        if names is None:
            return None
        found |= names
    return frozenset(found)


def _stored_names_in(path: Path, project: Project) -> frozenset[str] | None:
    source = project.python(path)
    if source is None:
        return frozenset()
    found: set[str] = set()
    for node in source.nodes(ast.ClassDef, ast.Attribute, ast.Call):
        if isinstance(node, ast.ClassDef) and any(CLASS in ast.unparse(base) for base in node.bases):
            found.update(names_of_class(node))
        elif isinstance(node, ast.Attribute) and not is_read(node, source):
            if not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")):
                found.add(node.attr)
        elif isinstance(node, ast.Call):
            named = _set_by_call(node)
            if named is None:
                return None
            found |= named
    return frozenset(found)


def _set_by_call(call: ast.Call) -> set[str] | None:
    """What ``setattr`` and the like store; ``None`` when that is any name."""
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if name in ("setattr", "__setattr__"):
        constants = [part.value for part in call.args if isinstance(part, ast.Constant) and isinstance(part.value, str)]
        on_itself = bool(call.args) and isinstance(call.args[0], ast.Name) and call.args[0].id in ("self", "cls")
        return set(constants[:1]) if constants else (set() if on_itself else None)
    if name == "update" and isinstance(function, ast.Attribute):
        holder = function.value
        if isinstance(holder, ast.Attribute) and holder.attr == "__dict__":
            return {keyword.arg for keyword in call.keywords if keyword.arg} if not call.args else None
        if isinstance(holder, ast.Call) and isinstance(holder.func, ast.Name) and holder.func.id == "vars":
            return None
    if name == "add_argument":
        named = [keyword.value for keyword in call.keywords if keyword.arg == "dest"]
        texts = [part.value for part in (*call.args, *named) if isinstance(part, ast.Constant)]
        return {str(text).lstrip("-").replace("-", "_") for text in texts}
    return set()


def hands_samples_outside(entry: Entry, project: Project) -> bool:
    """Whether code that is not the recipes', Relax's included, may be handed a sample on the way from one call: what it
    stores is not known. Printing and copying is fine, and so is making the environment, which is the recipe's."""

    def answer() -> bool:
        result = reached(entry, project)
        return not result.whole or any(
            _is_outside(function, call, project)
            for function in result.functions
            if project.recipe_of(function.source.path) is not None
            for call in function.calls
            if _is_handed_sample(function, call)
        )

    return interpreter_of(project).answers.ask(("hands samples outside", entry), answer)


def _is_handed_sample(function: ReachedFunction, call: ast.Call) -> bool:
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return any(
        _holds_sample(value)
        for part in given
        for value in function.values(part.value if isinstance(part, ast.Starred) else part)
    )


def _holds_sample(value: Value) -> bool:
    if isinstance(value, Several):
        return any(map(_holds_sample, value.any))
    return value in (SAMPLE, SAMPLES)


def _is_outside(function: ReachedFunction, call: ast.Call, project: Project) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if _MAKES_ENVIRONMENTS.search(name):
        return False
    for value in function.values(call.func) or (Value(),):
        if isinstance(value, Outside):
            last = value.name.rpartition(".")[2]
            if value.name not in _HARMLESS and last not in _KEEPING and not is_logging(value.name):
                return True
        elif isinstance(value, Routine):
            if project.recipe_of(value.source.path) is None:
                return True
        elif not (isinstance(value, (Kind, Object)) or (isinstance(value, Given) and value.name == SAMPLE.name)):
            return True
    return False


_MAKES_ENVIRONMENTS = pattern(r"env|build")
_KEEPING = frozenset({"append", "add", "insert", "extend", "put", "put_nowait", "info", "debug", "warning", "error"})
"""Methods that only keep what they are given, or write it down."""
_HARMLESS = NOT_CHANGING | frozenset(
    (
        *("getattr", "setattr", "hasattr", "vars", "inspect.isawaitable", "functools.partial", "asyncio.to_thread"),
        *("asyncio.create_task", "asyncio.ensure_future", "asyncio.wait_for", "asyncio.shield"),
        *("asyncio.get_running_loop().run_in_executor", "asyncio.get_event_loop().run_in_executor"),
    )
)
"""Functions that leave samples as they are, but for functions of the recipe that they call with them."""


def calls_outside(launch: Launch, project: Project) -> bool:
    """Whether a launch names functions that are not in this repository: nobody knows what they store and read."""
    return project.once(("calls outside", launch), lambda: _calls_outside(launch, project))


def _calls_outside(launch: Launch, project: Project) -> bool:
    for argument in launch.arguments:
        named = argument.value or ""
        if argument.flag.endswith("-path") and _MODULE_PATH.fullmatch(named):
            if not named.startswith("relax.") and project.module(named.rpartition(".")[0]) is None:
                return True
    return False


_MODULE_PATH = pattern(r"[A-Za-z_]\w*(?:\.\w+)+")
