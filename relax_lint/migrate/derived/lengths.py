"""The longest prompts and responses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.migrate.derived.multi_turn import takes_turns
from relax_lint.migrate.plan import Fate, Passed, Step, Todo
from relax_lint.migrate.readings import R, carried, fates, is_on, shown, text, unset, whole

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.settings import Settings

PROMPT, RESPONSE = "data.max_prompt_length", "data.max_response_length"
_ROLLOUT_PROMPT, _ROLLOUT_RESPONSE = f"{R}.prompt_length", f"{R}.response_length"
_MAX_PROMPT, _MAX_RESPONSE, _MAX_CONTEXT, _ENGINE_CONTEXT = (
    "--rollout-max-prompt-len", "--rollout-max-response-len", "--rollout-max-context-len", "--sglang-context-length",
)  # fmt: skip
_ENGINE, _OWN_DATA = f"{R}.max_model_len", "data.custom_cls.path"
_USUAL = 512
"""verl's default of both lengths."""


def prompt_length(settings: Settings) -> int:
    """The longest prompt in tokens."""
    return whole(settings, PROMPT) or whole(settings, _ROLLOUT_PROMPT) or _USUAL


def response_length(settings: Settings) -> int:
    """The longest response in tokens; of all turns together where there are several."""
    return whole(settings, response_key(settings)) or _USUAL


def response_key(settings: Settings) -> str:
    """The setting that bounds what is generated: the rollout's, which follows the data's unless it is set itself."""
    return _ROLLOUT_RESPONSE if settings.value(_ROLLOUT_RESPONSE) is not None else RESPONSE


def steps(settings: Settings, choices: Choices) -> Iterator[Step]:
    """The flags and fates of lengths."""
    decides = response_key(settings)
    if settings.value(PROMPT) is None:
        yield from unset(settings, (PROMPT,), _MAX_PROMPT, "leaves no prompt out")
    else:
        yield Passed(_MAX_PROMPT, (carried(settings, PROMPT),), "rollout", (PROMPT,))
        yield Fate(PROMPT, "mapped", (_MAX_PROMPT,))
    if settings.value(decides) is None:
        yield from unset(settings, (RESPONSE, _ROLLOUT_RESPONSE), _MAX_RESPONSE, "does not start")
    else:
        source = RESPONSE if shown(settings.value(RESPONSE)) == shown(settings.value(decides)) else decides
        yield Passed(_MAX_RESPONSE, (carried(settings, source),), "rollout", (source,))
        yield from fates(settings, (RESPONSE, _ROLLOUT_RESPONSE), "mapped", flags=(_MAX_RESPONSE,))
    yield from fates(settings, (_ROLLOUT_PROMPT,), "no effect", "prompts are bounded where the data is read")
    yield from _turns(settings)
    yield from _overlong(settings)
    if settings.value(_ENGINE) is None:
        yield from fates(settings, (_ENGINE,), "same", "the engine takes the model's own length")
    else:
        yield Passed(_ENGINE_CONTEXT, (carried(settings, _ENGINE),), "sglang", (_ENGINE,))
        yield Fate(_ENGINE, "mapped", (_ENGINE_CONTEXT,))


def _turns(settings: Settings) -> Iterator[Step]:
    if not takes_turns(settings):
        return
    if whole(settings, PROMPT) is None or whole(settings, response_key(settings)) is None:
        yield Todo(
            f"pass {_MAX_CONTEXT} with the longest prompt and the longest response together: verl bounds all turns of "
            "a conversation, Relax each",
            (RESPONSE,),
        )
        return
    total = prompt_length(settings) + response_length(settings)
    note = "verl bounds all turns together, Relax each by --rollout-max-response-len and prompt and turns by this"
    yield Passed(_MAX_CONTEXT, (str(total),), "rollout", (PROMPT, RESPONSE), note)


def _overlong(settings: Settings) -> Iterator[Step]:
    """What becomes of prompts that are too long."""
    key, how = "data.filter_overlong_prompts", "data.truncation"
    if is_on(settings, key):
        yield from fates(settings, (key,), "derived", "longer prompts are left out", (_MAX_PROMPT,))
        yield from fates(settings, (how,), "no effect", "longer prompts are left out")
        return
    yield from fates(settings, (key,), "derived", "Relax leaves longer prompts out", (_MAX_PROMPT,))
    kind = text(settings, how) or "error"
    if kind == "error" or settings.value(_OWN_DATA) is None:
        yield from fates(settings, (how,), "no effect", "verl's data set cuts no prompt; Relax leaves longer ones out")
        return
    todo = (
        f"{how}={kind}: if the data set class of {_OWN_DATA} cuts longer prompts, cut them when the data is converted; "
        "Relax leaves them out"
    )
    yield Fate(how, "by hand", (), "Relax leaves longer prompts out", todo)
    yield Todo(todo, (how,))
