"""One reward carried over: from the function that scores to the files of the recipe."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.migrate.carrying.closure import Copied, Problem, closure
from relax_lint.migrate.carrying.left_out import left_out
from relax_lint.migrate.carrying.naming import Names
from relax_lint.migrate.plan import RecipeFile
from relax_lint.migrate.reward.entry import Entry, NotCarried, find_entry
from relax_lint.migrate.reward.extra_info import extra_info
from relax_lint.migrate.reward.form import NAMES, OWN, WORKERS, Form, definitions, imports, workers
from relax_lint.migrate.reward.late import imported_late
from relax_lint.migrate.reward.request import BATCH, PRIME, REMOTE, CarriedReward, Request
from relax_lint.migrate.reward.where import Where, has_processes, sets_own_state, where
from relax_lint.records import changed
from relax_lint.sources.python import walk

if TYPE_CHECKING:
    from relax_lint.migrate.carrying.sources import VerlSources

SCORING = "verl_compute_score"
_OTHERS = ("rollout", "base_env", "reward", "env", "config", WORKERS)


def carry_reward(request: Request, sources: VerlSources) -> CarriedReward:
    """The files of a reward, or the problems that stand in the way."""
    try:
        entry = find_entry(request, sources)
    except NotCarried as refusal:
        return CarriedReward(problems=[refusal.problem])
    entry = _in_time(_awaiting(entry))
    module = f"reward_{request.name}"
    taken = {module, f"env_{request.name}", f"process_{request.name}", *_OTHERS}
    names = Names(request.package, taken, sources)
    copied = closure(entry.code, [entry.function], sources, names)
    if copied.problems:
        return CarriedReward(requires=copied.requires, problems=copied.problems)
    form = _form(request, entry, copied)
    made = list(_files(request, entry, copied, form))
    broken = [each for each in made if each.name.endswith(".py") and not _parses(each.text)]
    if broken:
        path = entry.code.origin.path
        problem = Problem(path, 1, f"{broken[0].name} would not be Python: write {entry.function} more plainly")
        return CarriedReward(requires=copied.requires, problems=[problem])
    return CarriedReward(
        made,
        copied.requires,
        copied.beside,
        [*entry.notes, *_notes(request, entry, copied)],
        form.group,
    )


def _parses(text: str) -> bool:
    try:
        ast.parse(text.removeprefix("\ufeff"))
    except (SyntaxError, ValueError):
        return False
    return True


def _awaiting(entry: Entry) -> Entry:
    """The function, awaiting what it asks over HTTP where that can be done; else that runs in a thread."""
    from relax_lint.migrate.carrying.kept_clients import for_one_loop
    from relax_lint.migrate.reward.judges import asks_over_http, on_the_loop

    known = entry.code.definition(entry.function)
    if not asks_over_http(entry.code) or not isinstance(known, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return changed(entry, code=for_one_loop(entry.code))
    made = on_the_loop(entry.code, entry.function)
    if isinstance(made, str):
        note = f"{entry.function} asks over HTTP in a thread, not by one asynchronous client: {made}"
        return changed(entry, code=for_one_loop(entry.code), notes=(*entry.notes, note))
    made = for_one_loop(made)
    definition = made.definition(entry.function)
    return changed(entry, code=made, is_async=isinstance(definition, ast.AsyncFunctionDef))


def _in_time(entry: Entry) -> Entry:
    """The function, whose clients of openai all say how long they wait."""
    from relax_lint.migrate.reward.client_timeouts import SECONDS, with_timeouts

    made, lines = with_timeouts(entry.code)
    if not lines:
        return entry
    note = (
        f"the client of openai in line {', '.join(map(str, lines))} of {entry.code.origin.path.name} has "
        f"timeout={SECONDS} now, which is what openai waits by itself: one answer that does not come holds the rollout"
    )
    return changed(entry, code=made, notes=(*entry.notes, note))


def _form(request: Request, entry: Entry, copied: Copied) -> Form:
    constants = {each.value for each in _constants(copied)}
    extra = extra_info(entry, request.manager.kind, constants, turns=request.turns)
    place: Where = where(copied)
    if entry.is_async:
        place = "loop"
    elif request.manager.kind in (PRIME, REMOTE):
        place = "process"
    elif place == "loop" and request.manager.timeout is not None:
        place = "thread"
    function = entry.function
    if function in NAMES or not _is_inline(entry, copied, place):
        function = SCORING
    by_name = place == "process" and (copied.beside or not _can_be_handed(entry))
    module = copied.names.module(entry.code.origin) if by_name else ""
    bare = place == "thread" and not entry.is_async and request.manager.kind != BATCH and sets_own_state(copied)
    return Form(entry, request.manager, place, function, extra, request.turns, module, bare)


def _can_be_handed(entry: Entry) -> bool:
    """Whether another process is surely told of the function by its name alone: others are what a class, a call or a
    decorator makes, with all that it holds."""
    definition = entry.code.definition(entry.function)
    return isinstance(definition, (ast.FunctionDef, ast.AsyncFunctionDef)) and not definition.decorator_list


def _is_inline(entry: Entry, copied: Copied, place: Where) -> bool:
    """Whether the code can stand in the reward's own file. What other processes import stands in a file that imports
    nothing of Relax."""
    from relax_lint.migrate.reward.module import can_be_renamed

    if place == "process" or has_processes(copied) or copied.imports_root or copied.beside:
        return False
    code = copied.root.code
    if any(each.scans for each in code.statements if each.index in copied.root.indices):
        return False  # the names of the reward are not to be found there
    bound = {name for each in code.statements if each.index in copied.root.indices for name in each.binds}
    if bound & (OWN | {SCORING}) or (bound & NAMES) - {entry.function}:
        return False
    return entry.function not in NAMES or can_be_renamed(code.text, entry.function)


def _files(request: Request, entry: Entry, copied: Copied, form: Form) -> Iterator[RecipeFile]:
    from relax_lint.migrate.carrying.writing import carried_module, carried_text, files
    from relax_lint.migrate.reward.module import renamed, reward_module

    inline = _is_inline(entry, copied, form.where)
    needed, own = list(imports(form)), definitions(form)
    carried = None
    if inline:
        carried = carried_module(copied, copied.root)
        if form.function != entry.function:
            carried = renamed(carried, entry.function, form.function)
    elif copied.beside and not form.module:
        own = f"{imported_late(form, copied.names.module(copied.root.code.origin))}\n\n\n{own}"
    elif not form.module:
        stem = copied.names.module(copied.root.code.origin)
        bound = "" if entry.function == form.function else f" as {form.function}"
        needed.append(f"from {stem} import {entry.function}{bound}")
    if form.where == "process":
        names = "call_by_name, score_apart" if form.module else "score_apart"
        needed.append(f"from {request.package}.{WORKERS} import {names}")
    docstring = f"The reward of {request.name}: {_origin(entry)}, in the form that Relax calls."
    if request.instead_of:
        docstring = f"A substitute for the reward of {request.name}: {_origin(entry)}."
    text = reward_module(carried, docstring, needed, own, request.package)
    if request.instead_of:
        text = _substitute(request) + text.removeprefix("\ufeff")
    pieces = (copied.piece(copied.root),)
    yield RecipeFile(f"reward_{request.name}.py", text, pieces=pieces if inline else ())
    if not inline:
        beside = f"{copied.names.of(copied.root.code.origin)}.py"
        yield RecipeFile(beside, carried_text(copied, copied.root), pieces=pieces)
    if form.where == "process":
        yield RecipeFile(f"{WORKERS}.py", workers(form))
    yield from files(copied)


def _substitute(request: Request) -> str:
    """What stands first in a reward that is not the run's own."""
    said = (
        f"A SUBSTITUTE. The run scored by {request.instead_of}. That is not carried over: what stands here scores as "
        "verl's naive manager would, and gives other rewards where that one does more or something else."
    )
    return "".join(f"# {line}\n" for line in textwrap.wrap(said, 110)) + "\n"


def _origin(entry: Entry) -> str:
    origin = entry.code.origin
    return f"{entry.function} of {origin.dotted or origin.path.name}"


def _notes(request: Request, entry: Entry, copied: Copied) -> Iterator[str]:
    yield from left_out(copied, "the reward does")
    if request.manager.kind == BATCH:
        yield (
            "verl's batch manager scores all responses of a step at once, Relax the responses to one prompt "
            "(--group-rm): a score that compares responses to different prompts is another one"
        )


def _constants(copied: Copied) -> Iterator[ast.Constant]:
    for part in copied.parts:
        for statement in part.code.statements:
            if statement.index in part.indices:
                for top in statement.nodes:
                    yield from (each for each in walk(top) if isinstance(each, ast.Constant))
