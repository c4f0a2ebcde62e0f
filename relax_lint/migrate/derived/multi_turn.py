"""Conversations of several turns, with tools or a user that answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from relax_lint.migrate.batches import trainer_of
from relax_lint.migrate.environment.files import named_file, shown_path
from relax_lint.migrate.environment.writing import produced_text
from relax_lint.migrate.plan import Fate, Need, Obstacle, Passed, RecipeFile, Step, Todo, YamlEntry
from relax_lint.migrate.readings import R, below, fates, is_on, shown, text, whole
from relax_lint.migrate.texts import ENVIRONMENT
from relax_lint.records import changed

if TYPE_CHECKING:
    from pathlib import Path

    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.environment.carry import CarriedEnvironment
    from relax_lint.migrate.settings import Settings

_TURNS, _AGENT = f"{R}.multi_turn", f"{R}.agent"
_ENABLED, _MOST, _MOST_OF_USER = (
    f"{_TURNS}.{name}" for name in ("enable", "max_assistant_turns", "max_user_turns")
)  # fmt: skip
_TOOLS, INTERACTIONS = f"{_TURNS}.tool_config_path", f"{_TURNS}.interaction_config_path"
_DEFAULT_LOOP, _LOOPS = f"{_AGENT}.default_agent_loop", f"{_AGENT}.agent_loop_config_path"
_FUNCTIONS = f"{_TURNS}.function_tool_path"
_OF_DATA = ("data.tool_config_path", "data.function_tool_path")
_OF_LOOP = tuple(
    f"{_TURNS}.{name}"
    for name in ("max_parallel_calls", "max_tool_response_length", "tool_response_truncate_side", "format")
)
_GENERATE, _CONFIG = "--custom-generate-function-path", "--custom-config-path"
_SINGLE = ("single_turn_agent", None)
_OF_VERL = ("single_turn_agent", "tool_agent", "diffusion_single_turn_agent")
"""Agent loops of verl's own, by their names."""
_FEW_TURNS = 8
"""Where verl has no bound: turns end with the response's length."""
_EXAMPLE = "examples/deepeyes"
_AT_HAND = frozenset(
    "PIL aiohttp httpx numpy omegaconf openai pydantic qwen_vl_utils ray regex requests torch transformers yaml".split()
)
"""Packages that Relax's environment has."""


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
    yield RecipeFile("rollout.py", "", because, f"{_EXAMPLE}/rollout.py")
    yield from _bounded(settings)
    yield YamlEntry("rollout_interaction_env_path", choices.module(f"env_{name}"), because)
    yield from fates(settings, because, "derived", "a rollout of several turns", (_GENERATE, _CONFIG))
    yield from _environment(settings, choices)
    told = (*because, _MOST, _MOST_OF_USER, _TOOLS, INTERACTIONS, _FUNCTIONS, *_OF_DATA, *_OF_LOOP, _LOOPS)
    for key in keys:
        if key not in told:
            yield Fate(key, "dropped", (), "the rollout of Relax has no such setting")


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
            named = shown(settings.value(key))
            todo = f"{key}={named}: write its agent loops for {_GENERATE}; till then each prompt gets one response"
            yield Fate(key, "by hand", (), "rows may name an agent loop of their own", todo)
            yield _obstacle(settings, key, f"the agent loops of {named}, which are your own code")
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
        own = [key for key in settings.leaves if key.rpartition(".")[2] == "max_turns" and settings.value(key)]
        bound = ", ".join(f"{key}={shown(settings.value(key))}" for key in own)
        why = f"{bound} is no setting of verl's own" if bound else "verl's run has no bound"
        yield Todo(f"max_turns is {_FEW_TURNS} in the config, since {why}; set what you need", (_MOST,))


def _environment(settings: Settings, choices: Choices) -> Iterator[Step]:
    """The environment, with the tools and interactions that can be carried over; else one to be written by hand."""
    code = {key: settings.value(key) for key in (_TOOLS, INTERACTIONS, _FUNCTIONS, _LOOPS) if key in settings.leaves}
    named = {key: path for key in code if key != _LOOPS and (path := _named(settings, choices, key)) is not None}
    carried = _carried(settings, choices, named) if named else None
    env, because = f"env_{choices.name}.py", (_ENABLED, _DEFAULT_LOOP)
    if carried is not None:
        yield from _told(choices, carried)
    if carried is None or carried.empty:
        yield RecipeFile("base_env.py", produced_text("base_env"), because)
        yield RecipeFile(env, ENVIRONMENT.format(name=choices.name, base=choices.module("base_env")), because)
    else:
        yield from (changed(file, because=(*because, *named)) for file in carried.files)
    for key in code:
        yield from _of_code(settings, key, env, carried=key in named)
    loop = text(settings, _DEFAULT_LOOP)
    if all(value is None for value in code.values()):
        yield Todo(f"write what a turn brings ({loop or 'multi_turn'}) into step() of {env}", (_ENABLED,))
        if loop not in (None, *_OF_VERL):
            yield _obstacle(settings, _DEFAULT_LOOP, f"the agent loop {loop}, which is none of verl's own")
    for key in _OF_DATA:
        yield Fate(key, "same" if settings.value(key) is None else "derived", (), "the same tools")
    for key in _OF_LOOP:
        if carried is None or carried.empty:
            yield Fate(key, "dropped", (), "the environment's step reads calls, makes them and cuts the answers")
        else:
            yield Fate(key, "derived", (), f"{env} has it")


def _named(settings: Settings, choices: Choices, key: str) -> Path | None:
    """The file that a setting names."""
    if choices.verl is None or settings.value(key) is None:
        return None
    return named_file(settings.value(key), choices.verl, settings.launch.script)


def _carried(settings: Settings, choices: Choices, named: Mapping[str, Path]) -> CarriedEnvironment:
    from relax_lint.migrate.environment.carry import HERMES, Request, carry_tools

    assert choices.verl is not None
    calls, longest, side, style = _OF_LOOP
    return carry_tools(
        Request(
            choices.name,
            choices.module(""),
            named.get(_TOOLS),
            named.get(INTERACTIONS),
            named.get(_FUNCTIONS),
            whole(settings, calls) or 1,
            256 if whole(settings, longest) is None else whole(settings, longest) or 0,
            text(settings, side) or "middle",
            text(settings, style) or HERMES,
        ),
        choices.verl,
    )


def _told(choices: Choices, carried: CarriedEnvironment) -> Iterator[Step]:
    """What a carried environment asks for."""
    sources = choices.verl
    assert sources is not None
    for problem in carried.problems:
        yield Todo(f"{shown_path(problem.path, sources)}:{problem.line}: {problem.message}", (_TOOLS,))
        yield Obstacle(problem.path, problem.line, problem.message)
    yield from (Todo(f"env_{choices.name}.py: {note}", (_TOOLS,)) for note in carried.notes)
    if carried.schemas:
        note = "what the model is told of its tools, a column that the conversion of the data adds"
        yield Passed("--tool-key", ("tools",), "rollout", (_TOOLS,), note)
    if carried.unknown:
        module = choices.module(f"env_{choices.name}")
        yield Todo(
            f"what the model is told of {', '.join(carried.unknown)} is known only when it runs: "
            f'python3 -c "import json, {module} as env; print(json.dumps(env.tool_schemas()))" prints all for the '
            "column tools of the converted data (--tool-key)",
            (_TOOLS,),
        )
    for need in carried.requires:
        at_hand = need.package in _AT_HAND
        yield Need(need.package, need.path, need.line, "tools", need.optional, at_hand)
        if not at_hand:
            at = f"{shown_path(need.path, sources)}:{need.line}"
            what = "may import" if need.optional else "imports"
            yield Todo(f"install {need.package} beside Relax: the code of the tools {what} it ({at})", (_TOOLS,))


def _bounds(settings: Settings, key: str) -> str:
    """What verl allows a turn's tools."""
    calls, length, side = (settings.value(each) for each in _OF_LOOP[:3])
    if key == _LOOPS or calls is None or length is None:
        return ""
    return f"; verl makes {calls} of the calls of a turn, and cuts answers longer than {length} characters ({side})"


def _of_code(settings: Settings, key: str, env: str, *, carried: bool) -> Iterator[Step]:
    """Tools, interactions and agent loops are Python code of the user's."""
    what = {_LOOPS: "the agent loop", INTERACTIONS: "the interaction"}.get(key, "the tools")
    path = settings.value(key)
    if path is None:
        yield Fate(key, "same", (), "none")
    elif carried:
        yield Fate(key, "derived", (_GENERATE, _CONFIG), f"{what} are carried over to {env}")
    else:
        missing = "" if key == _LOOPS else "there is no such file here. Migrate again from where it is, or "
        todo = f"{key}={shown(path)}: {missing}write {what} that it names into step() of {env}{_bounds(settings, key)}"
        yield Fate(key, "by hand", (), f"{what} become the environment's step", todo)
        why = "which is your own code" if key == _LOOPS else "which is not here"
        yield _obstacle(settings, key, f"{what} of {shown(path)}, {why}")
        yield Todo(todo, (key,))
        if key == _TOOLS:
            yield Todo(_shown_tools(settings), (key,))


def _obstacle(settings: Settings, key: str, message: str) -> Obstacle:
    """What is not carried over, at the place where the launch asks for it."""
    place = settings.leaves[key].place or settings.launch.argv[settings.launch.entry].place
    assert place is not None
    return Obstacle(place.source.path, place.source.position(place.start)[0], message)
