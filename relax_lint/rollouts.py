"""What a recipe's rollout does with an environment, read from its code: how it calls ``step`` and ``reset``, whether it
awaits them, and into how many parts it takes a step's result."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.catalog.environments import STEP_PARTS
from relax_lint.class_bodies import last_name
from relax_lint.flow.interpreter import interpreter_of
from relax_lint.flow.shapes import TEXT, UNKNOWN, Arguments, Function
from relax_lint.generates import AGENTIC
from relax_lint.named_functions import ROLLOUT, own_rollout
from relax_lint.patterns import pattern
from relax_lint.records import record
from relax_lint.rewards import GENERATE
from relax_lint.sources.python import children, walk

if TYPE_CHECKING:
    from pathlib import Path

    from relax_lint.project import Project, Recipe
    from relax_lint.sources.python import PythonSource

_NAMED = pattern(GENERATE + r"(?:=|[ \t]+)[\"']?([A-Za-z_][\w.]*)")
_ASKS = frozenset(
    {"isawaitable", "iscoroutine", "iscoroutinefunction", "isfuture", "ensure_future", "create_task", "wait_for"}
)
"""Calls that ask whether something is to be awaited, or see to it that it is."""
_NOT_AWAITING = frozenset(
    {
        "len",
        "print",
        "str",
        "repr",
        "type",
        "isinstance",
        "tuple",
        "list",
        "debug",
        "info",
        "warning",
        "error",
        "append",
    }
)
"""Calls that leave what they are given as it is."""
_LATER = {"to_thread": 1, "run_in_executor": 2}
"""Calls that call what they are given, and where that is followed by its arguments."""
_NO_ENVIRONMENTS = frozenset({"optimizer", "optim", "scheduler", "lr_scheduler", "profiler", "prof", "scaler"})


@record
class Uses:
    """How a rollout uses one method of the environment. ``parts`` are the numbers of names that the result is taken
    apart into, ``taken`` says that the result is used at all, ``site`` is the first call."""

    arguments: tuple[Arguments, ...]
    awaits: bool
    parts: frozenset[int] = frozenset()
    taken: bool = False
    site: tuple[PythonSource, ast.AST] | None = None


@record
class Rollout:
    """What one rollout does; ``name`` is how it is shown."""

    name: str
    step: Uses
    reset: Uses
    formats: bool = True
    """Whether it leaves it to ``format_observation`` what becomes of an observation."""
    catches: bool = False
    """Whether it goes on where a step raises."""
    keys: frozenset[str] = frozenset()
    """What it takes from an observation itself."""


STANDARD = Rollout(
    "examples/deepeyes/rollout.py",
    Uses((Arguments((TEXT,)),), awaits=True, parts=frozenset({STEP_PARTS}), taken=True),
    Uses((Arguments(),), awaits=False),
)
"""The rollout that the guide has recipes copy."""


def rollouts_of(recipe: Recipe, project: Project) -> tuple[Rollout, ...]:
    """What drives the environments of a recipe: the functions that its launches name; its own where none names any; the
    standard rollout for those that are not at hand."""
    named, agentic = _named_by(recipe)
    found = [_by_name(project, dotted, start) for dotted, start in named.items()]
    if not named:
        stepping = [source for source in recipe.python if ".step" in source.text]
        own = [source for source in stepping if agentic or "def generate" in source.text]
        found = [_of(source, project) for source in own] or ([_unclear("the agent")] if agentic else [])
    if not recipe.launchers and recipe.launcher_paths:
        # Asked without its launchers, to find out whether these matter: all that they can name.
        found += [_by_name(project, dotted, recipe.directory) for dotted in _mentioned(recipe, project)]
        found.append(STANDARD)
    return tuple(dict.fromkeys(found)) or (STANDARD,)


def _named_by(recipe: Recipe) -> tuple[dict[str, Path], bool]:
    """The functions that launches have generate samples, by module path, and whether there are agents that do so."""
    named: dict[str, Path] = {}
    agentic = False
    for launch in recipe.launches:
        if launch.kind != "relax" or launch.mode == "sft":
            continue
        flag = GENERATE if own_rollout(launch) is None else ROLLOUT
        if launch.has(flag):
            named[launch.value(flag) or ""] = launch.script.parent
        agentic = agentic or launch.has(AGENTIC)
    return named, agentic


def _by_name(project: Project, dotted: str, start: Path) -> Rollout:
    if not dotted:
        return _unclear("the rollout")
    source = _defining(project, dotted, start)
    return STANDARD if source is None else _of(source, project)


def _mentioned(recipe: Recipe, project: Project) -> Iterator[str]:
    for path in recipe.launcher_paths:
        yield from _NAMED.findall((project.read(path) or b"").decode("utf-8", "replace"))


def _defining(project: Project, dotted: str, start: Path) -> PythonSource | None:
    """The file that defines a generate function."""
    module, _, name = dotted.rpartition(".")
    source = project.module(module, start) if module else None
    if source is None:
        return None
    interpreter = interpreter_of(project)
    shape = interpreter.named(source, name)
    return shape.source if isinstance(shape, Function) else source


def _of(source: PythonSource, project: Project) -> Rollout:
    return interpreter_of(project).answers.ask(("rollout", source), lambda: _read(source, project))


def _read(source: PythonSource, project: Project) -> Rollout:
    """Read a rollout, and what it takes from files of its recipe."""
    recipe = project.recipe_of(source.path)
    reached = project.imports.reached(source.path)
    sources = [source, *(other for other in (recipe.python if recipe else []) if other.path in reached - {source.path})]
    name = source.path.relative_to(project.root).as_posix()
    step, reset = _uses(sources, "step"), _uses(sources, "reset")
    if not step.arguments:
        return STANDARD if not any("env" in other.text.lower() for other in sources) else _unclear(name)
    formats = any("format_observation(" in other.text for other in sources)
    catches = all(_is_caught(other, value) for other in sources for value, _ in _calls(other, "step"))
    keys = frozenset(key for other in sources for key in _keys_taken(other))
    return Rollout(name, step, reset if reset.arguments else STANDARD.reset, formats, catches, keys)


def _unclear(name: str) -> Rollout:
    anything = Arguments(complete=False)
    return Rollout(name, Uses((anything,), True), Uses((anything,), True), formats=False)


def _uses(sources: list[PythonSource], method: str) -> Uses:
    found = [(source, *call) for source in sources for call in _calls(source, method)]
    handlings = [_handling(source, value) for source, value, _ in found]
    return Uses(
        tuple(dict.fromkeys(arguments for _, _, arguments in found)),
        all(handling.awaits for handling in handlings) or any(_asks_about(source, method) for source in sources),
        frozenset(part for handling in handlings for part in handling.parts),
        any(handling.taken for handling in handlings),
        (found[0][0], found[0][1]) if found else None,
    )


def _calls(source: PythonSource, method: str) -> Iterator[tuple[ast.expr, Arguments]]:
    """The expressions that give what a method of an environment returns, with the arguments it is called with."""
    if f".{method}" not in source.text:
        return
    for call in source.nodes(ast.Call):
        if _is_method(call.func, method) and not _is_in_environment(source, call):
            yield call, _arguments(call.args, call.keywords)
            continue
        at = _LATER.get(last_name(call.func), 0)
        if at and len(call.args) >= at and _is_method(call.args[at - 1], method):
            holder = source.parent(call)
            yield holder if isinstance(holder, ast.Await) else call, _arguments(call.args[at:], call.keywords)


def _is_method(node: ast.expr, method: str) -> bool:
    if not isinstance(node, ast.Attribute) or node.attr != method:
        return False
    holder = node.value
    name = last_name(holder.value if isinstance(holder, ast.Subscript) else holder)
    return not _is_super(holder) and name.lower() not in _NO_ENVIRONMENTS and "env" in name.lower()


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "super"


def _is_in_environment(source: PythonSource, node: ast.AST) -> bool:
    """Whether this is in a class that has the method itself, and so passes it on to another environment."""
    return any(
        isinstance(holder, ast.ClassDef)
        and any(
            isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)) and part.name == "step" for part in holder.body
        )
        for holder in source.ancestors(node)
    )


def _arguments(positional: list[ast.expr], keywords: list[ast.keyword]) -> Arguments:
    complete = not any(isinstance(item, ast.Starred) for item in positional) and all(word.arg for word in keywords)
    given = tuple(TEXT if index == 0 else UNKNOWN for index, _ in enumerate(positional)) if complete else ()
    named = tuple((word.arg, TEXT if not given else UNKNOWN) for word in keywords if word.arg) if complete else ()
    return Arguments(given, named, complete)


@record
class _Handling:
    awaits: bool
    parts: frozenset[int] = frozenset()
    taken: bool = True


def _handling(source: PythonSource, value: ast.expr) -> _Handling:
    """What is done with the value of an expression."""
    holder = source.parent(value)
    if isinstance(holder, ast.Await):
        inner = _handling(source, holder)
        return _Handling(True, inner.parts, inner.taken)
    if isinstance(holder, ast.Expr):
        return _Handling(False, taken=False)
    if isinstance(holder, ast.Call):
        return _Handling(last_name(holder.func) not in _NOT_AWAITING)
    if not isinstance(holder, (ast.Assign, ast.AnnAssign)):
        return _Handling(not isinstance(holder, (ast.Subscript, ast.Attribute)))
    targets = holder.targets if isinstance(holder, ast.Assign) else [holder.target]
    parts: set[int] = set()
    awaits = False
    for target in targets:
        parts.update(_parts(target))
        if isinstance(target, ast.Name):
            inner = _handling_of_name(source, holder, target.id)
            parts |= inner.parts
            awaits = awaits or inner.awaits
        elif not isinstance(target, (ast.Tuple, ast.List)):
            awaits = True
    return _Handling(awaits, frozenset(parts))


def _parts(target: ast.expr) -> Iterator[int]:
    if isinstance(target, (ast.Tuple, ast.List)) and not any(isinstance(part, ast.Starred) for part in target.elts):
        yield len(target.elts)


def _handling_of_name(source: PythonSource, assignment: ast.AST, name: str) -> _Handling:
    """What a function does with a variable behind its assignment."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    scope = next((holder for holder in source.ancestors(assignment) if isinstance(holder, functions)), None)
    parts: set[int] = set()
    awaits = False
    for node in walk(scope) if scope is not None else ():
        for part in children(node):
            if not (isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Load)):
                continue
            if isinstance(node, ast.Assign):
                parts.update(count for target in node.targets for count in _parts(target))
            handed_on = isinstance(node, ast.Call) and last_name(node.func) not in _NOT_AWAITING
            awaits = awaits or handed_on or isinstance(node, (ast.Await, ast.Return, ast.keyword))
    return _Handling(awaits, frozenset(parts))


def _keys_taken(source: PythonSource) -> Iterator[str]:
    """The keys of observations that a file looks at, under the names that it gives them."""
    names: set[str] = set()
    for value, _ in _calls(source, "step"):
        holder = source.parent(value)
        holder = source.parent(holder) if isinstance(holder, ast.Await) else holder
        for target in holder.targets if isinstance(holder, ast.Assign) else ():
            first = target.elts[0] if isinstance(target, (ast.Tuple, ast.List)) and target.elts else target
            names.add(last_name(first))
    for node in source.nodes(ast.Subscript) if names else ():
        if last_name(node.value) in names and isinstance(node.slice, ast.Constant):
            yield str(node.slice.value)
    for call in source.nodes(ast.Call) if names else ():
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("get", "pop") and call.args:
            if last_name(call.func.value) in names and isinstance(call.args[0], ast.Constant):
                yield str(call.args[0].value)


def _is_caught(source: PythonSource, value: ast.expr) -> bool:
    """Whether whatever an expression raises is caught in its function, and not raised again."""
    inner: ast.AST = value
    for holder in source.ancestors(value):
        if isinstance(holder, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            return False
        handlers: list[ast.ExceptHandler] = getattr(holder, "handlers", [])
        if inner in getattr(holder, "body", []) and any(
            (handler.type is None or last_name(handler.type) in ("Exception", "BaseException"))
            and not isinstance(handler.body[-1], ast.Raise)
            for handler in handlers
        ):
            return True
        inner = holder
    return False


def _asks_about(source: PythonSource, method: str) -> bool:
    """Whether a file asks of the method itself if it is async."""
    for call in source.nodes(ast.Call):
        if last_name(call.func) in _ASKS and any(_is_method(part, method) for part in call.args):
            return True
    return False
