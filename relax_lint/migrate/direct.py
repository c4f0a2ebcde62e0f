"""The settings of verl that one flag of Relax says, or none: the part of a plan that the mapping alone decides."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.catalog.conversions import BadValue, converted
from relax_lint.catalog.flags import Catalogue, embedded
from relax_lint.migrate.conversions import Unsuitable, Words, conversion_of, text_of
from relax_lint.migrate.engines import refuse_other_engines
from relax_lint.migrate.mapping import PASS, Entry, all_entries, entry, entry_in, plain_key
from relax_lint.migrate.own_settings import meant, own_program, own_steps
from relax_lint.migrate.plan import Fate, Passed, Refusal, Step, Todo
from relax_lint.migrate.settings import NOT_THERE
from relax_lint.migrate.values import Data, Template, is_known
from relax_lint.shell.launch import Unknown

if TYPE_CHECKING:
    from relax_lint.catalog.flags import Flag
    from relax_lint.migrate.carrying.sources import VerlSources
    from relax_lint.migrate.settings import Setting, Settings

_BY_ITSELF = "Relax does so by itself"
_OFF_ANYHOW = "this asks for nothing that Relax does not do anyhow"
_SAFE_DEFAULT = re.compile(r"[\w./+-]+")
"""What stands in ``${X:-…}`` without quotes."""
_MOST_NAMED = 3
"""How many settings a sentence names."""
_LONGEST = 60
"""How much of a value a sentence quotes."""


def direct_steps(
    settings: Settings, catalogue: Catalogue | None = None, sources: VerlSources | None = None
) -> Iterator[Step]:
    """What becomes of every setting that is not derived together with others; ``sources`` have the code at hand."""
    program = entry_in(settings, "main")
    if program is not None and program.refuse:
        raise Refusal(_refused(program), place=settings.launch.argv[settings.launch.entry].place)
    planner = _Direct(settings, catalogue or embedded())
    _refuse_strangers(settings)
    refuse_other_engines(settings)
    yield from own_program(settings, sources)
    for setting in settings.leaves.values():
        yield from planner.steps(setting)
    yield from own_steps(planner.own, settings, sources)
    yield from planner.todos()


def _refuse_strangers(settings: Settings) -> None:
    """Raise a refusal for settings that Hydra refuses, and of which no verl is known that would have them: what the
    run was meant to be is not known then."""
    strangers = [
        setting
        for setting in settings.leaves.values()
        if setting.problem == NOT_THERE and not setting.known and entry_in(settings, setting.key) is None
    ]
    if not strangers:
        return
    named = " and ".join(f"{one.given}{meant(one)}" for one in strangers[:_MOST_NAMED])
    more = f" and {len(strangers) - _MOST_NAMED} more" if len(strangers) > _MOST_NAMED else ""
    first = strangers[0]
    raise Refusal(
        f"Hydra refuses {named}{more}: verl {settings.version} has no such setting, and Hydra adds one only with a + "
        "before it. If the verl that you run has it, give its checkout by --verl-root",
        first.key,
        first.place,
    )


def as_flags(key: str, value: Data, catalogue: Catalogue | None = None) -> list[tuple[str, tuple[str, ...]]] | str:
    """What a setting that stands in a launch of Relax is as flags, or else what to tell its author.

    ``key`` may have Hydra's signs in front. The list is empty when Relax needs nothing in its place.
    """
    name = plain_key(key)
    found = entry(name)
    if found is None:
        return f"verl has no setting {name}, and Relax none that says the same"
    if not found.flags:
        return _advice(found, value)
    try:
        words = [
            (flag, _fitting(flag, conversion_of(conversion).words(value), catalogue or embedded()))
            for flag, conversion in found.flags
        ]
    except Unsuitable as error:
        return f"{error.reason}{f': {error.todo}' if error.todo else ''}"
    return [(flag, tuple(map(str, given))) for flag, given in words if given is not None]


def _advice(found: Entry, value: Data) -> list[tuple[str, tuple[str, ...]]] | str:
    if found.kind in ("dropped", "no effect") or found.is_neutral(value):
        return []
    if found.kind == "unsupported":
        return f"{found.reason}{f': {found.todo}' if found.todo else ''}"
    return found.advice or f"{found.key} goes into several flags of Relax, together with other settings"


def _acted(setting: Setting) -> Iterator[Step]:
    """What becomes of a word that is no setting itself."""
    key, flags = setting.key, [] if setting.problem else _flags_below(setting.key.removeprefix("~"))
    if not (key.startswith("~") and flags):
        yield Fate(key, "no effect", reason=_act(key))
        return
    todo = (
        f"{key}: without it verl takes what its code has, which is not in its configuration: see there, and pass "
        f"{', '.join(flags)}"
    )
    yield Fate(key, "by hand", reason=_act(key), todo=todo)
    yield Todo(todo, (key,))


def _flags_below(key: str) -> list[str]:
    """The flags that say what a setting, or those below it, says."""
    found = (one for one in all_entries() if one.key == key or one.key.startswith(f"{key}."))
    return list(dict.fromkeys(flag for one in found for flag, _ in one.flags if "*" not in flag))


def _act(key: str) -> str:
    """What a word does that is no setting itself."""
    if key.startswith("hydra."):
        return "it is for Hydra itself, which Relax does not have"
    if key.startswith("~"):
        return "it takes a setting away; the others are as verl has them without it"
    return "it chooses a file of the configuration; what that sets is among the settings"


class _Direct:
    def __init__(self, settings: Settings, catalogue: Catalogue) -> None:
        self.settings, self.catalogue = settings, catalogue
        self.derived_from = {
            setting.variable
            for setting in settings.leaves.values()
            if setting.variable and (found := entry_in(settings, setting.key)) is not None and found.kind == "derived"
        }
        """Variables that other numbers are worked out from: what they give is written as it is."""
        self.passed: dict[str, Passed] = {}
        self.lacking: dict[str, list[Setting]] = {}
        """What is to be done by hand, and for which settings."""
        self.own: list[Setting] = []
        """Settings that no verl known here has."""

    def steps(self, setting: Setting) -> Iterator[Step]:
        found = entry_in(self.settings, setting.key)
        if found is None and setting.acts:
            yield from _acted(setting)
        elif found is None:
            self.own.append(setting)
        elif found.kind in ("dropped", "no effect"):
            yield Fate(setting.key, "dropped" if found.kind == "dropped" else "no effect", reason=found.reason)
        elif found.kind == "unsupported":
            yield self._unsupported(setting, found)
        elif found.kind == "flag":
            yield from self._flagged(setting, found)

    # ------------------------------------------------------------ flags

    def _flagged(self, setting: Setting, found: Entry) -> Iterator[Step]:
        if found.given and setting.origin == "verl default":
            yield Fate(setting.key, "dropped", reason=found.given)
            return
        try:
            passed = tuple(self._passed(setting, found))
        except Unsuitable as error:
            todo = error.todo or f"decide what {found.flags[0][0]} should be"
            yield Fate(setting.key, "unsupported", reason=error.reason, todo=todo)
            self.lacking.setdefault(todo, []).append(setting)
            return
        for step in passed:
            if step.flag not in self.passed:
                self.passed[step.flag] = step
                yield step
        flags = tuple(step.flag for step in passed)
        yield Fate(setting.key, "mapped" if flags else "same", flags, "" if flags else _BY_ITSELF)

    def _passed(self, setting: Setting, found: Entry) -> Iterator[Passed]:
        for flag, conversion in found.flags:
            words = self._words(setting, flag, conversion)
            if words is None or (setting.origin == "verl default" and self._is_default(flag, words)):
                continue
            known = self.passed.get(flag)
            if known is not None and known.values != words:
                raise Unsuitable(f"{known.because[0]} says otherwise, and {flag} takes one value", "choose one of them")
            yield Passed(flag, words, found.group, (setting.key,), modes=found.modes)

    def _words(self, setting: Setting, flag: str, conversion: str) -> Words:
        convert = conversion_of(conversion)
        if not is_known(setting.value) and not convert.carries:
            raise Unsuitable(
                f"only bash knows its value, {_shown(setting.value)}, and {flag} does not take it as verl does",
                f"work out {flag} from {_shown(setting.value)}",
            )
        words = _fitting(flag, convert.words(setting.value), self.catalogue)
        if words is None or len(words) != 1 or conversion != PASS or isinstance(words[0], Template):
            return words
        text = _as_written(words[0], setting)
        if setting.variable and setting.variable not in self.derived_from and _SAFE_DEFAULT.fullmatch(text):
            return (Template((Unknown(f"${{{setting.variable}:-{text}}}", setting.variable),)),)
        return (text,)

    # ------------------------------------------------------------ what Relax lacks

    def _unsupported(self, setting: Setting, found: Entry) -> Fate:
        if found.is_neutral(setting.value):
            return Fate(setting.key, "same" if setting.origin == "verl default" else "dropped", reason=_OFF_ANYHOW)
        if found.refuse and is_known(setting.value):
            raise Refusal(f"{setting.key}={_shown(setting.value)}: {_refused(found)}", setting.key, setting.place)
        if found.todo:
            self.lacking.setdefault(found.todo, []).append(setting)
        return Fate(setting.key, "unsupported", reason=found.reason, todo=found.todo)

    def todos(self) -> Iterator[Todo]:
        """One for all settings that ask for the same: the values given are named, else the first default."""
        for todo, settings in self.lacking.items():
            given = [setting for setting in settings if setting.origin != "verl default"] or settings[:1]
            named = ", ".join(f"{setting.key}={_shown(setting.value)}" for setting in given[:_MOST_NAMED])
            more = f" and {len(given) - _MOST_NAMED} more" if len(given) > _MOST_NAMED else ""
            yield Todo(f"{named}{more}: {todo}", tuple(setting.key for setting in settings))

    # ------------------------------------------------------------ words

    def _is_default(self, name: str, words: tuple[str | Template, ...]) -> bool:
        flag = self.catalogue.flag(name)
        if flag is None or flag.is_switch or len(words) != 1 or isinstance(words[0], Template):
            return False
        return bool(converted(words[0], flag.type, flag.choices) == self.catalogue.defaults.get(flag.dest))


def _refused(found: Entry) -> str:
    return f"{found.reason}; {found.todo}" if found.todo else found.reason


def _fitting(name: str, words: Words, catalogue: Catalogue) -> Words:
    """The words as the flag takes them. Raises :class:`Unsuitable` for what it does not take."""
    flag = catalogue.flag(name)
    if flag is None:
        raise Unsuitable(f"this Relax has no {name}")
    if words is None or flag.is_switch:
        return words
    return tuple(word if isinstance(word, Template) else _fitting_word(word, flag) for word in words)


def _fitting_word(word: str, flag: Flag) -> str:
    whole = f"{float(word):.0f}" if flag.type == "int" and re.fullmatch(r"-?\d+\.0*", word) else word
    try:
        converted(whole, flag.type, flag.choices)
    except BadValue as error:
        raise Unsuitable(f"{flag.name} does not take it: {error}") from None
    return whole


def _as_written(text: str, setting: Setting) -> str:
    """A number as its author wrote it: 1e-6, not 1e-06."""
    written = setting.given.partition("=")[2]
    try:
        return written if float(written) == float(text) else text
    except ValueError:
        return text


def _shown(value: Data) -> str:
    text = value.quoted if isinstance(value, Template) else text_of(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
