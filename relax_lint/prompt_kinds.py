"""What the prompts of samples are, texts or lists of messages, and code that takes them for the other."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.records import record
from relax_lint.sources.python import walk

if TYPE_CHECKING:
    from relax_lint.calls.reached import ReachedFunction
    from relax_lint.project import Project
    from relax_lint.shell.launch import Launch

_OF_TEXTS = frozenset(
    (
        *("split", "strip", "lower", "upper", "startswith", "endswith", "replace", "find", "rfind", "splitlines"),
        *("lstrip", "rstrip", "partition", "rpartition", "rsplit", "encode", "removeprefix", "removesuffix", "title"),
    )
)
_OF_LISTS = frozenset({"append", "extend", "insert", "pop", "remove", "reverse", "sort"})


@record
class PromptKind:
    """What the loader makes of prompts: a ``text`` or a ``list``, and by what."""

    kind: str
    why: str


_TEMPLATE = PromptKind("text", "a text in this launch, --apply-chat-template has made one of it")
_MEDIA = PromptKind("list", "a list of messages in this launch, by --multimodal-keys without --apply-chat-template")
_LISTS = PromptKind("list", "a list of messages in this launch, as its data has them, without --apply-chat-template")
_TEXTS = PromptKind("text", "a text in this launch, as its data has them")


def prompt_kinds(launch: Launch, project: Project) -> tuple[PromptKind, ...]:
    """What prompts are once they are loaded; nothing where neither the launch nor its data tells."""
    return project.once(("prompt kinds", launch), lambda: _prompt_kinds(launch, project))


def _prompt_kinds(launch: Launch, project: Project) -> tuple[PromptKind, ...]:
    from relax_lint.supposed_launches import is_supposed

    if is_supposed(launch):
        return _TEMPLATE, _MEDIA
    from relax_lint.catalog.hidden import is_hidden
    from relax_lint.constraints.reporting import judged

    facts = judged(launch, project).facts.overlaid()
    applied, keys, agentic = map(facts.get, ("apply_chat_template", "multimodal_keys", "use_agentic_rollout"))
    if agentic is not False or is_hidden(applied):
        return ()
    if applied:
        return (_TEMPLATE,)
    if is_hidden(keys):
        return ()
    return _in_data(launch, project) if keys is None else (_MEDIA,)


def _in_data(launch: Launch, project: Project) -> tuple[PromptKind, ...]:
    """What prompts are that the loader leaves as they are."""
    from relax_lint.data_arguments import DataArguments
    from relax_lint.known_columns import KnownColumns

    arguments = DataArguments(launch, project)
    column = arguments.settled("input_key")
    if not isinstance(column, str) or arguments.rewrites_prompts or not arguments.reads_prompt_data:
        return ()
    columns = KnownColumns(launch, project)
    if columns.holds_conversations(column):
        return (_LISTS,)
    return (_TEXTS,) if column in columns.types and columns.types[column].kind == "string" else ()


def misuses(function: ReachedFunction, prompt_kind: PromptKind) -> Iterator[tuple[ast.expr, str]]:
    """Where a function takes the prompt for what it is not, and how."""
    wanted = "list" if prompt_kind.kind == "text" else "text"
    from relax_lint.calls.values import Given

    prompt = Given("sample", ("prompt",))
    methods = _OF_TEXTS if wanted == "text" else _OF_LISTS
    for node in function.attributes:
        if node.attr in methods and function.is_certainly(node.value, prompt):
            yield node.value, f".{node.attr} is for a {wanted}"
    for part in walk(function.node):
        if wanted == "text" and isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add):
            for one, other in ((part.left, part.right), (part.right, part.left)):
                if isinstance(one, (ast.JoinedStr, ast.Constant)) and function.is_certainly(other, prompt):
                    yield part, "it cannot be added to a text"
        elif wanted == "list" and isinstance(part, ast.Subscript) and isinstance(part.value, ast.Subscript):
            is_key = isinstance(part.slice, ast.Constant) and isinstance(part.slice.value, str)
            if is_key and function.is_certainly(part.value.value, prompt):
                yield part, "its characters have no keys"
        elif wanted == "list" and isinstance(part, (ast.For, ast.comprehension)) and isinstance(part.target, ast.Name):
            if function.is_certainly(part.iter, prompt) and _reads_keys(function.node, part.target.id):
                yield part.iter, "its characters have no keys"


def _reads_keys(function: ast.AST, name: str) -> bool:
    return any(
        isinstance(part, ast.Subscript)
        and isinstance(part.value, ast.Name)
        and part.value.id == name
        and isinstance(part.slice, ast.Constant)
        and isinstance(part.slice.value, str)
        for part in ast.walk(function)
    )
