"""What verl's reward managers hand on as ``extra_info``: the row's own, and what they put there themselves.

Relax's metadata has more: what the conversion of the data and the rollout put there. A function that only reads keys of
the row's own may get it as it is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Set
from typing import TYPE_CHECKING

from relax_lint.migrate.reward.request import BATCH, DAPO, NAIVE, REMOTE
from relax_lint.records import record
from relax_lint.sources.python import PythonSource, walk

if TYPE_CHECKING:
    from relax_lint.migrate.reward.entry import Entry

NAMES = ("extra_info", "extra_infos")
_TURNS, _SCORES = "num_turns", "rollout_reward_scores"
_PUT_THERE = {NAIVE: (_TURNS, _SCORES), REMOTE: (_TURNS, _SCORES), BATCH: (_SCORES,)}
"""What managers put there always; the DAPO manager of older versions its scores, too."""
_VALUES = {_TURNS: "2", _SCORES: "{}"}
_CONVERTED = ("relax_label_encoding", "verl_data_source")
_OF_ROLLOUT = ("_timing", "start_rollout_id")
_OF_TURNS = ("environment_messages", "rollout_traces", "rollout_turns", "rollout_stop_reason", "tools")
_HEAD = '''\
def _extra_info(sample: Sample) -> dict:
    """extra_info as verl's reward manager hands it on, without what Relax's metadata has besides."""
'''
_REST = """\
    if "verl_data_source" not in sample.metadata:  # else extra_info has a data_source of its own
        added.add("data_source")
    own = {key: value for key, value in sample.metadata.items() if key not in added}
"""
_NOT_OF_ROWS = frozenset({_TURNS, _SCORES, "data_source", *_CONVERTED, *_OF_ROLLOUT, *_OF_TURNS})


@record
class ExtraInfo:
    """What is to be made of the metadata: ``adds`` are keys that verl's manager adds."""

    adds: tuple[str, ...]
    turns: bool

    @property
    def text(self) -> str:
        """The function that makes it."""
        names = [*_CONVERTED, *_OF_ROLLOUT, *(_OF_TURNS if self.turns else ())]
        listed = "".join(f'        "{each}",\n' for each in names)
        return f"{_HEAD}    added = {{\n{listed}    }}\n{_REST}    return {self._made()}"

    def _made(self) -> str:
        """The dict. A rollout of several turns has counted them; otherwise verl says so over what the row has."""
        added = ", ".join(f'"{each}": {_VALUES[each]}' for each in self.adds)
        if not added:
            return "own"
        return f"{{{added}, **own}}" if self.turns else f"{{**own, {added}}}"


def extra_info(entry: Entry, kind: str, constants: Set[object], *, turns: bool) -> ExtraInfo | None:
    """What has to be made for a function that scores; nothing where the metadata is as good. ``constants`` are those of
    all code that scores."""
    given = [each for each in entry.values if each in NAMES]
    if not given:
        return None
    read = _read(entry)
    if read is not None and not read & _NOT_OF_ROWS:
        return None
    adds = _PUT_THERE.get(kind, (_SCORES,) if kind == DAPO and _SCORES in constants else ())
    return ExtraInfo(adds if read is None else tuple(each for each in adds if each in read), turns)


def _read(entry: Entry) -> frozenset[str] | None:
    """The keys that a function reads; ``None`` where it does more with what it gets than to read keys."""
    definition = entry.code.definition(entry.function)
    if not isinstance(definition, (ast.FunctionDef, ast.AsyncFunctionDef)) or definition.decorator_list:
        return None
    keywords = {each.keyword or each.expression for each in entry.given if each.expression in NAMES}
    own = {each.arg for each in (*definition.args.posonlyargs, *definition.args.args, *definition.args.kwonlyargs)}
    if definition.args.kwarg is not None and not keywords <= own:
        keywords = {definition.args.kwarg.arg}
        return None if any(True for _ in _uses(definition, keywords)) else frozenset()
    if "extra_infos" in keywords or not keywords <= own:
        return None
    source = PythonSource(entry.code.origin.path, ast.unparse(definition).encode())
    assert source.tree is not None
    keys = [_key(source, each) for each in _uses(source.tree, keywords)]
    return None if None in keys else frozenset(each for each in keys if each)


def _uses(tree: ast.AST, names: Iterable[str]) -> Iterator[ast.Name]:
    wanted = {*names}
    return (each for each in walk(tree) if isinstance(each, ast.Name) and each.id in wanted)


def _key(source: PythonSource, use: ast.Name) -> str | None:
    """The key that is read where a name stands, empty where it is only asked whether there is anything; ``None`` where
    it is something else."""
    holder = source.parent(use)
    key: ast.AST | None = None
    if isinstance(holder, ast.Subscript) and holder.value is use and isinstance(holder.ctx, ast.Load):
        key = holder.slice
    elif isinstance(holder, ast.Attribute) and holder.attr == "get":
        call = source.parent(holder)
        key = call.args[0] if isinstance(call, ast.Call) and call.func is holder and call.args else None
    elif isinstance(holder, ast.Compare) and len(holder.ops) == 1:
        if isinstance(holder.ops[0], (ast.Is, ast.IsNot)):
            return ""
        key = holder.left if isinstance(holder.ops[0], (ast.In, ast.NotIn)) and holder.left is not use else None
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else None
