"""The arguments of a verl script. A launcher of Relax has the mode as its first, so that they become variables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from relax_lint.migrate.plan import Todo
from relax_lint.migrate.values import Data, Template, default_of, with_default
from relax_lint.records import changed
from relax_lint.shell.launch import Unknown
from relax_lint.shell.nodes import Assignment, Function, Loop, SimpleCommand, Word
from relax_lint.shell.walk import commands_of, nodes_of

if TYPE_CHECKING:
    from relax_lint.migrate.settings import Setting, Settings
    from relax_lint.sources.launcher import LauncherSource
    from relax_lint.sources.script import ScriptFile

_READ = re.compile(r"\$(?:(?P<bare>[1-9])|\{(?P<braced>[1-9]\d*)(?=[^\w}]|\}))")
_WHOLE = re.compile(r"\"?\$(?:(?P<bare>[1-9])|\{(?P<braced>[1-9]\d*)(?P<otherwise>:?[-=?+][^{}]*)?\})\"?")
_OF_THE_LAUNCHER = re.compile(r"MODE|SCRIPT_DIR|TIMESTAMP|LOG_FILE|\w+_ARGS")
"""Names that the launcher uses itself."""
_DECLARES = frozenset({"export", "declare", "typeset", "readonly"})


class Arguments:
    """The arguments of a script by the variables that stand for them: the first that the script gives them to."""

    def __init__(self, source: LauncherSource) -> None:
        self.source = source
        self._bodies = [(each.start, each.end) for each in nodes_of(source, Function)]
        self._shifts = list(_shifts(source, self._bodies))
        self._named = dict(self._names())
        self._read = set(self._read_outside())
        self.used: dict[str, str] = {}
        """The variables that are read for arguments, with the number of each."""

    @property
    def told(self) -> Mapping[str, str]:
        """The variables that are read for arguments, with whose argument each stands for."""
        return {name: self._whose(number) for name, number in self.used.items()}

    def called(self, name: str) -> str:
        """The variable for a variable or argument of the script."""
        return self._variable(name) if name.isdecimal() and name != "0" else name

    def named(self, settings: Settings) -> Settings:
        """The settings with variables for arguments."""
        leaves = {key: self._setting(setting) for key, setting in settings.leaves.items()}
        return changed(settings, leaves=leaves)

    def statements(self, carried: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        """Statements with variables for arguments; without those by which variables get arguments, as the user does."""
        found = []
        for name, statement in carried:
            own = re.fullmatch(rf"(?:export\s+)?{re.escape(name)}=(?P<value>.*)", statement, re.DOTALL)
            if own is None:
                found.append((name, statement))
                continue
            at = self.source.text.find(statement)
            given = _WHOLE.fullmatch(own["value"])
            if given is None or self._variable(self._number(given, at)) != name:
                found.append((name, self._renamed(statement, at)))
            elif (given["otherwise"] or "").lstrip(":").startswith(("-", "=")):
                found.append((name, f"{statement[: own.start('value')]}${{{name}{given['otherwise']}}}"))
        return found

    def todos(self, keys: Mapping[str, tuple[str, ...]]) -> Iterator[Todo]:
        """What the user has to know; ``keys`` are the settings that read each variable."""
        script = self.source.path.name
        used = {name: number for name, number in sorted(self.used.items(), key=_by_number) if name in keys}
        if used:
            told = ", ".join(f"{name} for {self._whose(number)}" for name, number in used.items())
            because = tuple(dict.fromkeys(key for name in used for key in keys[name]))
            yield Todo(
                f"The first argument of the launcher is the mode, and it has no others of {script}: set variables in "
                f"their place, {told}",
                because,
            )
        loop = next(_options(self.source), None)
        if loop is not None:
            line = self.source.position(loop.start)[0]
            yield Todo(
                f"{script} reads options in a loop (line {line}), and the launcher has none of them: set the variables "
                "that the head of the launcher names; of all others, change the flags of Relax"
            )

    def _setting(self, setting: Setting) -> Setting:
        variable = setting.variable
        if variable is not None:
            variable = self.called(variable)
        value = self._value(setting.value)
        if value is setting.value and variable == setting.variable:
            return setting
        return changed(setting, value=value, variable=variable)

    def _value(self, data: Data) -> Data:
        if isinstance(data, Template):
            parts = tuple(part if isinstance(part, str) else self._part(part) for part in data.parts)
            return data if parts == data.parts else Template(parts)
        if isinstance(data, list):
            items = [self._value(item) for item in data]
            return data if all(new is old for new, old in zip(items, data, strict=True)) else items
        if isinstance(data, dict):
            made = {key: self._value(item) for key, item in data.items()}
            return data if all(made[key] is data[key] for key in data) else made
        return data

    def _part(self, part: Unknown) -> Unknown:
        if part.variable is None:
            return changed(part, text=self._renamed(part.text, self.source.text.find(part.text)))
        if not part.variable.isdecimal() or part.variable == "0":
            return part
        name, default = self._variable(part.variable), default_of(part)
        if default is not None:
            return with_default(name, default)
        return changed(part, text=f"${{{name}}}", variable=name)

    def _renamed(self, text: str, at: int) -> str:
        """A piece of bash with variables for the arguments that it reads."""

        def variable(found: re.Match[str]) -> str:
            name = self._variable(self._number(found, at))
            return f"${{{name}}}" if found["bare"] else f"${{{name}"

        return _READ.sub(variable, text)

    def _variable(self, number: str) -> str:
        name = self._named.get(number, f"ARG{number}")
        self.used[name] = number
        return name

    def _whose(self, number: str) -> str:
        return f"${number}" if number in self._read else f"${number} of a function"

    def _read_outside(self) -> Iterator[str]:
        """The numbers of the arguments that the script itself reads."""
        for found in _READ.finditer(self.source.text):
            if not _within(found.start(), self._bodies):
                yield self._number(found, found.start())

    def _number(self, found: re.Match[str], at: int) -> str:
        """Which argument of the script ``$1`` is somewhere."""
        shifted = sum(count for offset, count in self._shifts if offset < at)
        return str(int(found["bare"] or found["braced"]) + shifted)

    def _names(self) -> Iterator[tuple[str, str]]:
        """The first variable that gets each argument, by its number."""
        found: dict[str, str] = {}
        for command in commands_of(self.source):
            if _within(command.start, self._bodies):
                continue
            words = command.words[1:] if command.words and _first(command) in _DECLARES else ()
            for each in (*command.assignments, *words) if not command.words or words else ():
                if not isinstance(each, Assignment) or not isinstance(each.value, Word):
                    continue
                given = _WHOLE.fullmatch(self.source.text[each.value.start : each.value.end])
                if given and not _OF_THE_LAUNCHER.fullmatch(each.name) and each.name not in found.values():
                    found.setdefault(self._number(given, each.start), each.name)
        yield from found.items()


def _shifts(source: ScriptFile, bodies: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Where a script drops arguments for good, and how many."""
    aside = [*bodies, *((each.start, each.end) for each in nodes_of(source, Loop))]
    for command in commands_of(source):
        if _first(command) == "shift" and not _within(command.start, aside):
            count = command.words[1].literal if len(command.words) > 1 and isinstance(command.words[1], Word) else "1"
            yield command.start, int(count) if count and count.isdecimal() else 1


def _options(source: ScriptFile) -> Iterator[Loop]:
    """The loops that go through the arguments."""
    for loop in nodes_of(source, Loop):
        inside = (each for each in commands_of(source) if loop.start <= each.start < loop.end)
        if any(_first(each) in ("shift", "getopts") for each in inside):
            yield loop


def _by_number(item: tuple[str, str]) -> int:
    return int(item[1])


def _within(offset: int, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start <= offset < end for start, end in spans)


def _first(command: SimpleCommand) -> str:
    first = command.words[0] if command.words else None
    return (first.literal or "") if isinstance(first, Word) else ""
