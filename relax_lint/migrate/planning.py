"""The plan for one launch: what each setting becomes, and what is passed in the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from relax_lint.migrate.batches import batches
from relax_lint.migrate.derived import DERIVED
from relax_lint.migrate.direct import direct_steps
from relax_lint.migrate.mapping import entry_in
from relax_lint.migrate.plan import Fate, ModeRefused, Need, Obstacle, Passed, Plan, RecipeFile, Step, Todo, YamlEntry
from relax_lint.migrate.readings import shown
from relax_lint.migrate.settings import NOT_THERE
from relax_lint.migrate.values import Template
from relax_lint.records import changed

if TYPE_CHECKING:
    from relax_lint.catalog.flags import Catalogue
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.settings import Setting, Settings


class Contradiction(AssertionError):
    """Two steps pass one flag with different values, or a setting has no fate: a fault of this program."""


def plan(settings: Settings, choices: Choices, catalogue: Catalogue | None = None) -> Plan:
    """What a launch of verl becomes. Raises :class:`~relax_lint.migrate.plan.Refusal` for what Relax cannot train."""
    derived = [step for steps in DERIVED.values() for step in steps(settings, choices)]
    direct = list(direct_steps(settings, catalogue, choices.verl))
    fates = list(_fates(settings, derived, direct))
    every = [*derived, *direct, *_unresolved(settings, fates)]
    return Plan(
        settings,
        list(_passed(each for each in every if isinstance(each, Passed))),
        fates,
        [each for each in every if isinstance(each, YamlEntry)],
        list(dict.fromkeys(each for each in every if isinstance(each, Todo))),
        [each for each in every if isinstance(each, ModeRefused)],
        choices.model,
        batches(settings, choices).text,
        [each for each in every if isinstance(each, RecipeFile)],
        list(dict.fromkeys(each for each in every if isinstance(each, Need))),
        list(dict.fromkeys(each for each in every if isinstance(each, Obstacle))),
        choices.part,
    )


def _passed(every: Iterable[Passed]) -> Iterator[Passed]:
    """Each flag once in each mode; the same from several settings is one, and what a setting says goes before what is
    passed in any case."""
    merged: dict[tuple[str, str], Passed] = {}
    for passed in every:
        key = (passed.flag, passed.modes)
        known = merged.get(key)
        if known is None or (known.values != passed.values and not known.because):
            merged[key] = passed
        elif not passed.because and known.values != passed.values:
            continue
        elif known.values != passed.values:
            raise Contradiction(
                f"{passed.flag}: {known.values} for {known.because}, {passed.values} for {passed.because}"
            )
        else:
            because = tuple(dict.fromkeys((*known.because, *passed.because)))
            merged[key] = changed(known, because=because, note=known.note or passed.note)
    clashing = [flag for flag, modes in merged if modes != "both" and (flag, "both") in merged]
    if clashing:
        raise Contradiction(f"{clashing[0]} is passed in both modes, and in one of them again")
    yield from merged.values()


def _fates(settings: Settings, derived: list[Step], direct: list[Step]) -> Iterator[Fate]:
    """One fate for each setting, in the order of the settings; the mapping says which step it is for."""
    of_derived, of_direct = _by_key(derived), _by_key(direct)
    missing = []
    read = {name for step in (*derived, *direct) if isinstance(step, Passed) for name in _variables(step)}
    for key in settings.leaves:
        found = entry_in(settings, key)
        own = of_derived if found is not None and found.derived else of_direct
        fate = own.get(key)
        if fate is None:
            missing.append(key)
        else:
            fate = _with_variable(fate, settings.leaves[key].variable, read)
            yield _with_problem(fate, settings.leaves[key], settings.version)
    if missing:
        raise Contradiction(f"nothing is said of {', '.join(f'{key} ({_whose(settings, key)})' for key in missing)}")


def _unresolved(settings: Settings, fates: Iterable[Fate]) -> Iterator[Todo]:
    """What is to be done about values that go into flags with an interpolation of Hydra's that is none here."""
    for fate in fates:
        value = settings.leaves[fate.key].value
        texts = value.parts if isinstance(value, Template) else (value,)
        if fate.flags and any(isinstance(text, str) and "${" in text for text in texts):
            yield Todo(
                f"{fate.key}={shown(value)}: only Hydra knows what this stands for, if it does: write that into "
                f"{', '.join(fate.flags)}",
                (fate.key,),
            )


def _with_variable(fate: Fate, variable: str | None, read: set[str]) -> Fate:
    """The fate, with a word about a variable that decided the value in verl's launcher and decides nothing any more."""
    if variable is None or variable in read or not fate.flags:
        return fate
    gone = f"the variable {variable} is no longer read"
    return changed(fate, reason=f"{fate.reason}; {gone}" if fate.reason else gone)


def _with_problem(fate: Fate, setting: Setting, version: str) -> Fate:
    """The fate, with what Hydra has against the setting; what another verl has, is taken as that one does."""
    if not setting.problem:
        return fate
    said = setting.problem
    if said == NOT_THERE and setting.known:
        said = f"another verl has it, verl {version} asks for a + before it"
    return changed(fate, reason=f"{fate.reason}; {said}" if fate.reason else said)


def _variables(passed: Passed) -> Iterator[str]:
    for value in passed.values:
        if isinstance(value, Template):
            yield from value.variables


def _by_key(steps: Iterable[Step]) -> dict[str, Fate]:
    """The first that is said of each setting."""
    found: dict[str, Fate] = {}
    for step in steps:
        if isinstance(step, Fate):
            found.setdefault(step.key, step)
    return found


def _whose(settings: Settings, key: str) -> str:
    found = entry_in(settings, key)
    return "not in the mapping" if found is None else found.derived or found.kind
