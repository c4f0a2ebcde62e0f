"""Conversations of several turns, with tools or a user that answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.migrate.batches import trainer_of
from relax_lint.migrate.plan import Fate, Passed, RecipeFile, Step, Todo, YamlEntry
from relax_lint.migrate.readings import R, below, fates, is_on, shown, text, whole
from relax_lint.migrate.texts import ENVIRONMENT

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.settings import Settings

_TURNS, _AGENT = f"{R}.multi_turn", f"{R}.agent"
_ENABLED, _MOST, _MOST_OF_USER = (
    f"{_TURNS}.{name}" for name in ("enable", "max_assistant_turns", "max_user_turns")
)  # fmt: skip
_TOOLS, _INTERACTION = f"{_TURNS}.tool_config_path", f"{_TURNS}.interaction_config_path"
_DEFAULT_LOOP, _LOOPS = f"{_AGENT}.default_agent_loop", f"{_AGENT}.agent_loop_config_path"
_OF_DATA = ("data.tool_config_path", "data.function_tool_path")
_GENERATE, _CONFIG = "--custom-generate-function-path", "--custom-config-path"
_SINGLE = ("single_turn_agent", None)
_FEW_TURNS = 8
"""Where verl has no bound: turns end with the response's length."""
_EXAMPLE = "examples/deepeyes"
_NOT_CARRIED = {
    "max_parallel_calls": "the environment's step decides how many tools a turn calls",
    "max_tool_response_length": "the environment's step cuts what a tool says",
    "tool_response_truncate_side": "the environment's step cuts what a tool says",
    "format": "the environment's step reads calls of tools out of a response",
}


def takes_turns(settings: Settings) -> bool:
    """Whether a response is a conversation."""
    return is_on(settings, _ENABLED) or settings.value(_DEFAULT_LOOP) not in _SINGLE


def steps(settings: Settings, choices: Choices) -> Iterator[Step]:
    """The flags, files and fates of conversations."""
    keys = (*below(settings, _TURNS), *below(settings, _AGENT), *_OF_DATA)
    if not takes_turns(settings):
        yield from _single(settings, keys)
        return
    name, because = choices.name, (_ENABLED, _DEFAULT_LOOP)
    yield from _by_column(settings)
    yield Passed(_GENERATE, (f"{choices.module('rollout')}.generate",), "rollout", because)
    yield RecipeFile("base_env.py", "", because, f"{_EXAMPLE}/base_env.py")
    yield RecipeFile("rollout.py", "", because, f"{_EXAMPLE}/rollout.py")
    yield RecipeFile(f"env_{name}.py", ENVIRONMENT.format(name=name, base=choices.module("base_env")), because)
    yield from _bounded(settings)
    yield YamlEntry("rollout_interaction_env_path", choices.module(f"env_{name}"), because)
    yield from fates(settings, because, "derived", "a rollout of several turns", (_GENERATE, _CONFIG))
    yield from _code(settings, name)
    rest = [key for key in keys if key not in (*because, _MOST, _MOST_OF_USER, _TOOLS, _INTERACTION, *_OF_DATA, _LOOPS)]
    for key in rest:
        reason = _NOT_CARRIED.get(key.rpartition(".")[2], "the rollout of Relax has no such setting")
        yield Fate(key, "dropped", (), reason)


def _by_column(settings: Settings) -> Iterator[Step]:
    """verl's trainers look at the column first, and at multi_turn.enable only where they generate asynchronously."""
    if settings.value(_DEFAULT_LOOP) not in _SINGLE or trainer_of(settings) == "fully async":
        return
    yield Todo(
        f"see whether the rows of verl's data have a column agent_name: verl goes by it, else by {_DEFAULT_LOOP}="
        f"{text(settings, _DEFAULT_LOOP) or _SINGLE[0]}, whatever {_ENABLED} says. Without the column it made one "
        f"response a prompt: leave {_GENERATE} out then",
        (_ENABLED, _DEFAULT_LOOP),
    )


def _single(settings: Settings, keys: tuple[str, ...]) -> Iterator[Step]:
    for key in keys:
        if key == _ENABLED or (key == _DEFAULT_LOOP and settings.value(key) in _SINGLE):
            yield Fate(key, "same", (), "one response to a prompt")
        elif key == _LOOPS and settings.value(key) is not None:
            todo = f"{key}={shown(settings.value(key))}: an agent loop of your own becomes a generate function"
            yield Fate(key, "by hand", (), "rows may name an agent loop of their own", todo)
            yield Todo(todo, (key,))
        elif key == _TOOLS and settings.value(key) is not None:
            yield Fate(key, "by hand", (), "verl's chat template shows the tools to the model", _shown_tools(settings))
            yield Todo(_shown_tools(settings), (key,))
        elif key in _OF_DATA and settings.value(key) is not None:
            yield Fate(key, "by hand", (), "the same tools", _shown_tools(settings))
        else:
            yield Fate(key, "no effect", (), "verl reads it in conversations of several turns only")


def _shown_tools(settings: Settings) -> str:
    """What the model knows of its tools stands in the prompt, by a column of the data in Relax."""
    return (
        f"put the schemas of the tools of {shown(settings.value(_TOOLS))} into a column tools of the converted data "
        "(--tool-key): verl's chat template shows them to the model"
    )


def _bounded(settings: Settings) -> Iterator[Step]:
    """A turn of the assistant is one pass of the rollout; the user's come between."""
    assistant, user = whole(settings, _MOST), whole(settings, _MOST_OF_USER)
    bounds = [bound for bound in (assistant, None if user is None else user + 1) if bound is not None]
    turns = min(bounds, default=_FEW_TURNS)
    because = tuple(key for key in (_MOST, _MOST_OF_USER) if whole(settings, key) is not None)
    yield YamlEntry("max_turns", turns, because)
    reason = "" if bounds else f"verl has no bound; {_FEW_TURNS} turns are taken"
    yield Fate(_MOST, "derived", (_CONFIG,), reason or f"max_turns: {turns}")
    yield Fate(_MOST_OF_USER, "derived", (_CONFIG,), reason or f"max_turns: {turns}")
    if not bounds:
        yield Todo(
            f"max_turns is {_FEW_TURNS} in the config, since verl's run has no bound; set what you need", (_MOST,)
        )


def _bounds(settings: Settings, key: str) -> str:
    """What verl allows a turn's tools."""
    calls, length = (
        whole(settings, f"{_TURNS}.max_parallel_calls"),
        whole(settings, f"{_TURNS}.max_tool_response_length"),
    )
    if key != _TOOLS or calls is None or length is None:
        return ""
    side = text(settings, f"{_TURNS}.tool_response_truncate_side") or "middle"
    return f"; verl makes {calls} of the calls of a turn, and cuts answers longer than {length} characters ({side})"


def _code(settings: Settings, name: str) -> Iterator[Step]:
    """Tools, interactions and agent loops are Python code of the user's."""
    for key, what in ((_TOOLS, "the tools"), (_INTERACTION, "the interaction"), (_LOOPS, "the agent loop")):
        path = settings.value(key)
        if path is None:
            yield Fate(key, "same", (), "none")
            continue
        todo = f"{key}={shown(path)}: write {what} that it names into step() of env_{name}.py{_bounds(settings, key)}"
        yield Fate(key, "by hand", (), f"{what} become the environment's step", todo)
        yield Todo(todo, (key,))
        if key == _TOOLS:
            yield Todo(_shown_tools(settings), (key,))
    loop = text(settings, _DEFAULT_LOOP)
    if all(settings.value(key) is None for key in (_TOOLS, _INTERACTION)):
        yield Todo(f"write what a turn brings ({loop or 'multi_turn'}) into step() of env_{name}.py", (_ENABLED,))
    for key in _OF_DATA:
        yield Fate(key, "same" if settings.value(key) is None else "by hand", (), "the same tools")
