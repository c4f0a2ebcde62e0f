"""Variables that have defaults in a verl script, and may be set. A launcher follows one everywhere or nowhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from relax_lint.migrate.mapping import plain_key
from relax_lint.migrate.values import Data, Template, default_of
from relax_lint.records import changed

if TYPE_CHECKING:
    from relax_lint.migrate.arguments import Arguments
    from relax_lint.migrate.plan import Fate, Passed, Plan
    from relax_lint.migrate.settings import Setting, Settings

_ACTED_ON = ("mapped", "derived", "same")


def not_followed(plans: Sequence[Plan], arguments: Arguments) -> frozenset[str]:
    """The variables that decide something in verl that does not follow them in the launcher. Nothing else must then: a
    name with a learning rate in it would tell another than the one that runs."""
    return frozenset(name for plan in plans for name in _not_followed(plan, arguments))


def is_followed(name: str, plans: Sequence[Plan]) -> bool:
    """Whether something in the launcher follows a variable."""
    return any(name in _followed_by(passed) for plan in plans for passed in plan.passed)


def fixed(settings: Settings, names: frozenset[str]) -> Settings:
    """The settings with the defaults of variables in their places."""
    return changed(settings, leaves={key: _fixed(setting, names) for key, setting in settings.leaves.items()})


def gives_nothing(statement: str, name: str) -> bool:
    """Whether an assignment leaves a variable as the user sets it, or empty: there is no default."""
    own = re.escape(name)
    return (
        re.fullmatch(rf"(?:export\s+)?{own}=\"?\$(?:{own}|\{{{own}(?::?[-=](?:\"\"|'')?)?\}})\"?", statement)
        is not None
    )


def settled(statement: str, name: str) -> str:
    """An assignment of a variable to its default, without the question whether the user has set it."""
    found = re.fullmatch(
        rf"(?P<sign>(?:export\s+)?{re.escape(name)}=)(?P<quote>\"?)\$\{{{re.escape(name)}:?[-=](?P<default>[^{{}}\"$`]*)\}}"
        r"(?P=quote)",
        statement,
    )
    return f"{found['sign']}{found['quote']}{found['default']}{found['quote']}" if found else statement


def _not_followed(plan: Plan, arguments: Arguments) -> Iterator[str]:
    """The variables that a setting is made of and no flag that it becomes."""
    last = {plain_key(argument.word.text): argument.word for argument in plan.settings.launch.arguments}
    for key, word in last.items():
        open_here = [(arguments.called(name), span.variable) for span in word.spans for name in span.origins]
        for fate in plan.fates if open_here else ():
            if fate.kind in _ACTED_ON and (fate.key == key or fate.key.startswith(f"{key}.")):
                followed = {name for passed in _made_of(fate, plan.passed) for name in _followed_by(passed)}
                yield from (name for name, plain in open_here if plain is None or name not in followed)


def _made_of(fate: Fate, passed: Iterable[Passed]) -> Iterator[Passed]:
    return (each for each in passed if each.flag in fate.flags or fate.key in each.because)


def _followed_by(passed: Passed) -> Iterator[str]:
    for value in passed.values:
        if isinstance(value, Template):
            for part in value.parts:
                if not isinstance(part, str) and part.variable and default_of(part) is not None:
                    yield part.variable


def _fixed(setting: Setting, names: frozenset[str]) -> Setting:
    variable = None if setting.variable in names else setting.variable
    value = _without(setting.value, names)
    if value is setting.value and variable == setting.variable:
        return setting
    return changed(setting, value=value, variable=variable)


def _without(data: Data, names: frozenset[str]) -> Data:
    if not isinstance(data, Template):
        return data
    parts = [
        default if not isinstance(part, str) and part.variable in names and (default := default_of(part)) else part
        for part in data.parts
    ]
    if all(new is old for new, old in zip(parts, data.parts, strict=True)):
        return data
    if all(isinstance(part, str) for part in parts):
        return "".join(part for part in parts if isinstance(part, str))
    return Template(tuple(parts))
