"""The function that scores: found, cut down to the recipe's sources, and how it is to be called."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

from relax_lint.migrate.carrying.closure import Problem
from relax_lint.migrate.carrying.code import Code, Unparsable
from relax_lint.migrate.carrying.imports import Alias, OfModule, OfName, Resolver
from relax_lint.migrate.carrying.sources import Origin, VerlSources
from relax_lint.migrate.environment.files import shown_path
from relax_lint.migrate.reward.dispatch import direct, folded
from relax_lint.migrate.reward.managers import of_main
from relax_lint.migrate.reward.request import BATCH, PRIME, Argument, Function, Request
from relax_lint.records import record
from relax_lint.sources.python import walk

SINGLE = ("data_source", "solution_str", "ground_truth", "extra_info")
"""What verl gives to a function that scores one response, in the order of its prime manager."""
GROUP = ("data_sources", "solution_strs", "ground_truths", "extra_infos")
_SCORES = "verl.utils.reward_score"
_DEFAULTS = ("default_compute_score", "_default_compute_score")
"""What verl's own scoring is called, and was in early versions."""
_ROUTER = Argument("reward_router_address", "reward_router_address")
_OF_REWARD_MODEL = {"reward_model_tokenizer": "the tokenizer of the reward model that verl served"}

_VALUES = (ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)


class NotCarried(Exception):
    """A reward that cannot be carried over."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


@record
class Given:
    """One argument of the call: the keyword it is given by (empty by position), and the expression."""

    keyword: str
    expression: str


@record
class Entry:
    """The function that scores. ``given`` is how it is called, in terms of verl's own names and of options; ``values``
    are those of verl's names that the call needs."""

    code: Code
    function: str
    is_async: bool
    given: tuple[Given, ...]
    values: tuple[str, ...]
    options: tuple[Argument, ...]
    notes: tuple[str, ...] = ()


def find_entry(request: Request, sources: VerlSources) -> Entry:
    """The function that a request is about; raises ``NotCarried`` with the reason and the place."""
    if request.function is not None:
        return _of_user(request, request.function, sources)
    return _of_verl(request, sources)


def _of_verl(request: Request, sources: VerlSources) -> Entry:
    origin = sources.origin(_SCORES)
    place = request.place or Problem(Path(), 0, "")
    if origin is None:
        reason = "the code of verl is not at hand: name its checkout with --verl-root"
        raise NotCarried(Problem(place.path, place.line, f"verl's own scoring: {reason}"))
    code = _code(origin, sources)
    options = request.sandbox
    default = next((each for each in _DEFAULTS if isinstance(code.definition(each), ast.FunctionDef)), None)
    if default is None:
        raise NotCarried(_of_a_fork(request, origin, sources))
    known = {"sandbox_fusion_url": "given" if options else None}
    text = folded(code.text, default, request.sources, known)
    notes = []
    if request.sources and _only_refuses(text, default):
        names = ", ".join(request.sources)
        notes.append(f"verl scores no data of {names}: all that it scores is kept, by sample.metadata['data_source']")
        text = folded(code.text, default, (), known)
    single = direct(text, default) if request.sources else None
    cut = Code(origin, text, code.text)
    if single is not None:
        level = len(single.module) - len(single.module.lstrip("."))
        module, _, name = single.module[level:].rpartition(".")
        target = Resolver(sources).target(cut, Alias(module, level, name, None, 0))
        if isinstance(target, OfModule):
            given = tuple(Given(keyword, expression) for keyword, expression in single.arguments)
            values = tuple(name for name in SINGLE if any(each.expression == name for each in given))
            used_options = tuple(each for each in options if any(one.expression == each.name for one in given))
            scorer = _code(target.origin, sources)
            return Entry(scorer, single.function, False, given, values, used_options, tuple(notes))
    used = SINGLE[:3]
    arguments = tuple(Given(each, each) for each in used) + tuple(Given(each.name, each.name) for each in options)
    return Entry(cut, default, False, arguments, used, options, tuple(notes))


def _of_a_fork(request: Request, origin: Origin, sources: VerlSources) -> Problem:
    """Where a verl that has no scoring of its own in the usual place scores instead."""
    missing = f"there is no function {_DEFAULTS[0]}"
    manager = of_main(request.main, sources) if request.main else None
    if manager is None:
        return Problem(origin.path, 1, missing)
    where = f"in {shown_path(origin.path, sources)}: this run scores by {manager.shown(sources)}"
    reason = f"{missing} {where}; carry over what that does, and see which text it scores"
    return Problem(manager.path, manager.line, reason)


def _of_user(request: Request, scorer: Function, sources: VerlSources) -> Entry:
    origin = _origin_of(scorer.path, sources)
    if not sources.project.is_file(scorer.path):
        place = request.place or Problem(scorer.path, 0, "")
        raise NotCarried(Problem(place.path, place.line, f"there is no file {shown_path(scorer.path, sources)}"))
    code = _code(origin, sources)
    code, name, definition = _definition(code, scorer.name, sources)
    names = GROUP if request.manager.kind == BATCH else SINGLE
    if request.sources and names is SINGLE:
        text = folded(code.text, name, request.sources, {})
        if text != code.text and not _only_refuses(text, name):
            code = Code(code.origin, text, code.text)
    given, options, notes = _call(code, definition, names, request)
    values = tuple(each for each in names if any(one.expression == each for one in given))
    is_async = isinstance(definition, ast.AsyncFunctionDef)
    return Entry(code, name, is_async, given, values, options, notes)


def _origin_of(path: Path, sources: VerlSources) -> Origin:
    """The user's file as the module that it is in the project, or in verl."""
    for root in filter(None, (sources.package.parent if sources.package else None, sources.project.root)):
        if path.is_relative_to(root):
            parts = path.relative_to(root).with_suffix("").parts
            if all(part.isidentifier() for part in parts):
                is_package = parts[-1] == "__init__"
                return Origin(".".join(parts[:-1] if is_package else parts), path, is_package)
    return Origin(path.stem, path)


def _code(origin: Origin, sources: VerlSources) -> Code:
    try:
        code = sources.code(origin, waits=True)
        _ = code.module
    except Unparsable as problem:
        raise NotCarried(Problem(problem.path, problem.line, problem.reason)) from problem
    return code


def _definition(
    code: Code, name: str, sources: VerlSources, most: int = 8
) -> tuple[Code, str, ast.FunctionDef | ast.AsyncFunctionDef]:
    """The function of this name, followed through imports and plain assignments."""
    found = code.definition(name)
    path = code.origin.path
    if isinstance(found, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return code, name, found
    if found is None:
        raise NotCarried(Problem(path, 1, f"there is no function {name} here"))
    line = found.lineno
    if isinstance(found, ast.ClassDef):
        raise NotCarried(Problem(path, line, f"{name} is a class, which gives no score: name an instance of it"))
    if isinstance(found, ast.Assign) and isinstance(found.value, ast.Name) and most:
        return _definition(code, found.value.id, sources, most - 1)
    if isinstance(found, ast.ImportFrom) and most:
        resolver = Resolver(sources)
        for each in found.names:
            if (each.asname or each.name) == name:
                target = resolver.target(code, Alias(found.module or "", found.level, each.name, each.asname, line))
                if isinstance(target, OfName):
                    return _definition(_code(target.origin, sources), target.name, sources, most - 1)
    if isinstance(found, (ast.Import, ast.ImportFrom)):
        raise NotCarried(
            Problem(path, line, f"{name} is of another module, which is not carried over: write a function")
        )
    if isinstance(found, ast.Assign) and isinstance(found.value, _VALUES):
        reason = f"{name} is {ast.unparse(found.value)}, which cannot be called"
        raise NotCarried(Problem(path, line, reason))
    return code, name, _stand_in(code, name, found)


def _stand_in(code: Code, name: str, made: ast.stmt) -> ast.FunctionDef | ast.AsyncFunctionDef:
    """How something that is no function, but can be called, is called by verl, which names all that it gives. Of those,
    ``inspect`` knows partial coroutines and methods."""
    value = made.value if isinstance(made, (ast.Assign, ast.AnnAssign)) else None
    if isinstance(value, ast.Call) and ast.unparse(value.func).rpartition(".")[2] == "partial" and value.args:
        value = value.args[0]
    called = {getattr(value, "id", getattr(value, "attr", name))}
    is_async = any(isinstance(each, ast.AsyncFunctionDef) and each.name in called for each in walk(code.tree))
    head = f"{'async ' if is_async else ''}def {name}(**given): ..."
    definition = ast.parse("\n" * (made.lineno - 1) + head).body[0]
    assert isinstance(definition, (ast.FunctionDef, ast.AsyncFunctionDef))
    return definition


def _call(
    code: Code, definition: ast.FunctionDef | ast.AsyncFunctionDef, names: Sequence[str], request: Request
) -> tuple[tuple[Given, ...], tuple[Argument, ...], tuple[str, ...]]:
    """How verl calls a function of the user's: by name, its prime manager by position."""
    parameters = definition.args
    positional = [*parameters.posonlyargs, *parameters.args]
    known = [each.arg for each in (*positional, *parameters.kwonlyargs)]
    optional = {each.arg for each in positional[len(positional) - len(parameters.defaults) :]} | {
        each.arg for each, default in zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True) if default
    }
    options = tuple(each for each in request.arguments if each.name in known or parameters.kwarg is not None)
    asks_model = _ROUTER.name in known and all(each.name != _ROUTER.name for each in options)
    options += (_ROUTER,) if asks_model else ()
    ours = {each.name for each in options}
    if request.manager.kind == PRIME:
        twice = [each for each in names if each in ours]
        if twice:
            message = f"reward_kwargs gives {twice[0]}, which verl's prime manager gives as well: no call works"
            raise NotCarried(Problem(code.origin.path, definition.lineno, message))
        given = [Given("", each) for each in names if each not in ours]
    else:
        given = [Given(each, each) for each in names if each not in ours and (each in known or parameters.kwarg)]
    given += [Given(each.name, each.parameter) for each in options]
    told = {each.keyword for each in given}
    notes = [
        f"{definition.name} has no parameter {each.name}, which reward_kwargs gives it"
        for each in request.arguments
        if each not in options
    ]
    if asks_model:
        todo = f"serve the model that verl's reward model was, and set {_ROUTER.option} in the config to its address"
        notes.append(todo)
    if request.manager.kind != PRIME:
        for each in known:
            if each not in told and each not in optional:
                what = _OF_REWARD_MODEL.get(each, "which verl does not give it")
                message = f"{definition.name} needs {each}, {what}"
                raise NotCarried(Problem(code.origin.path, definition.lineno, message))
    return tuple(given), options, tuple(notes)


def _only_refuses(text: str, function: str) -> bool:
    """Whether nothing is left of the dispatch but the refusal of a source."""
    for each in ast.parse(text).body:
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)) and each.name == function:
            return any(isinstance(statement, ast.Raise) for statement in each.body)
    return False
