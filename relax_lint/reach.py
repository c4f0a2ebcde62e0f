"""Which scripts a script may source or run, told by its text, without working out what it does.

What is said is never too little: whoever is not reached by this is not reached by working it out either.
"""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.discovery import SHELL_SUFFIXES, is_launcher, walk, walked
from relax_lint.kept import Kept
from relax_lint.patterns import pattern
from relax_lint.records import record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from relax_lint.project import Project

SHARED = "scripts"
"""Where scripts lie, beside the recipes themselves, that launchers source."""

_COMMENT_LINE = pattern(r"\n[ \t]*#(?![ \t]*shellcheck\b)[^\n]*")
"""A comment that names nothing; `# shellcheck source=…` does. It begins with a fixed character, which is what makes a
search fast."""
_SUFFIX = pattern(r"\.(?:sh|bash)\b")
_JOINS = "$}*?])\"'`"
"""What may stand within a word in front of its literal end: `$NAME.sh`, `"${DIR}/run_"*.sh`, `"$NAME".sh`."""
_WORD = r"[ \t]+((?:\$\((?:[^()]|\([^()]*\))*\)|[^\s;&|)])+)"
_SOURCED = pattern(rf"source(?<![^\s;&|({{]source){_WORD}")
_DOTTED = pattern(rf"\.(?<![^\s;&|({{]\.){_WORD}")
_STAR = pattern(r"\*[\"']?(?:[\s;]|\Z)")
_IN = pattern(r"\sin\s+\Z")
_SELF = r"(?:\$0|\$\{0\}|\$BASH_SOURCE|\$\{BASH_SOURCE(?:\[0\])?(?::-\$0)?\})"
_DIRECTORY = rf"(?:\$\(dirname (?:-- )?\"?{_SELF}\"?\)|\$\{{(?:0|BASH_SOURCE(?:\[0\])?)%/\*\}})"
_ABSOLUTE = rf"\$\(cd (?:-P )?(?:-- )?\"?{_DIRECTORY}\"?(?: *&?> ?/dev/null(?: 2>&1)?)? *&& *pwd(?: -P)?\)"
_OWN_DIRECTORY = pattern(rf"=\"?(?:{_ABSOLUTE}|{_DIRECTORY})\"?(?=[\s;&|]|\Z)")
"""What gives a variable the directory of the script that holds this."""
_ASSIGNED = pattern(r"(?<![\w$])\w+\Z")
_SEARCHED = pattern(r"-(?<=\s-)i?name[ \t]+\S+")
"""What `find` looks for; what it finds is not known."""
_BRACED = pattern(r"\$\{(\w+)\}\Z")
_QUOTES = str.maketrans("", "", "\"'\\")
_PLAIN_VALUE = pattern(
    r"\+?=(?P<quote>[\"']?)(?:\$\{\w+:?-(?P<default>[\w.+@/-]*)\}|(?P<text>[\w.+@/-]*))(?P=quote)(?=[\s;&|)]|\Z)"
)
"""What is written out, or is so unless something else is given, which nobody knows."""
_BESIDE = pattern(rf"(?:\$(\w+)|\$\{{(\w+)\}}|{_ABSOLUTE}|{_DIRECTORY})\"?/([\w.+@-]+\.(?:sh|bash)\b)")
"""A script in that directory, or in the one that a variable names."""


@record
class _Names:
    """The names of scripts in a text, and the literal ends of others; whether these are all that it may mean.

    ``names`` go with the name of the directory that they are in, empty where that is not known. ``variables`` are those
    that hold a name up to its ending, with the ending. ``beside`` are scripts
    in the directory of the one that holds the text, each with the variable that has been given it, if one has.
    """

    names: frozenset[tuple[str, str]]
    endings: frozenset[str]
    variables: frozenset[tuple[str, str]]
    beside: frozenset[tuple[str, str]]
    are_all: bool


@record
class _Step:
    """The scripts that a script names, the directories of these, and names of others beside it; whether these are
    certainly all."""

    scripts: frozenset[Path]
    directories: frozenset[Path]
    beside: frozenset[tuple[str, str]]
    are_all: bool


@record
class _Reached:
    """The scripts that a script may source or run, itself included; whether these are certainly all."""

    scripts: frozenset[Path]
    are_all: bool


class Reach:
    """The ways between the scripts of a project."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._entry_layer = f"{project.root / 'scripts' / 'entrypoint'}/"
        self._site = " ".join(project.settings.env.values())
        self._texts = Kept()
        self._others: dict[tuple[str, str], list[Path]] = {}
        self._beside: dict[tuple[Path, str], Path | None] = {}
        self._own_directory = Kept()
        self._values = Kept()
        self._names = Kept()
        self._steps = Kept()
        self._reached = Kept()

    @cached_property
    def scripts(self) -> list[Path]:
        """All scripts of recipes, and the shared ones."""
        return [path for recipe in self._project.recipes for path in recipe.launcher_paths] + self.shared

    @cached_property
    def shared(self) -> list[Path]:
        """The scripts beside the recipes that launchers source, and others that source them."""
        files, examples = self._project.files, self._project.root / "examples"
        beside = [examples / entry.name for entry in files.entries(examples) if entry.is_file]
        return [path for path in (*beside, *walk(self._project.root / SHARED, files)) if is_launcher(path, files)]

    def may_reach(self, script: Path, wanted: Iterable[Path]) -> bool:
        """Whether a script may source or run one of some others."""
        reached = self.of(script)
        return not reached.are_all or any(
            path in reached.scripts or path.suffix not in SHELL_SUFFIXES for path in wanted
        )

    def of(self, script: Path) -> _Reached:
        """What a script may source or run, directly or through others."""
        return self._reached.ask(script, lambda: self._closure(script))

    def _closure(self, script: Path) -> _Reached:
        doubted: set[str] = set()
        while True:
            reached, relied_on = self._followed(script, doubted)
            wrong = {
                name
                for name in relied_on - doubted
                if not all(self._holds_own_directory(name, path) for path in reached.scripts)
            }
            if not wrong:
                return reached
            doubted |= wrong

    def _followed(self, script: Path, doubted: set[str]) -> tuple[_Reached, set[str]]:
        """What is reached if all variables but the doubted ones hold the directories that they are given; these."""
        seen, pending, are_all = {script}, [script], True
        directories = {script.parent}
        beside: set[tuple[str, str]] = set()
        while pending:
            path = pending.pop()
            step = self._step(path, doubted)
            beside |= step.beside
            are_all = are_all and step.are_all
            pending += step.scripts - seen
            seen |= step.scripts
            directories |= step.directories
            if not pending:
                # A sourced script sees the directory of the one that sources it as its own.
                names_here = {name for holder, name in beside if holder not in doubted}
                pending += self._in_directories(directories, names_here) - seen
                seen.update(pending)
                directories.update(path.parent for path in pending)
        return _Reached(frozenset(seen), are_all), {holder for holder, _ in beside if holder}

    def _step(self, script: Path, doubted: set[str]) -> _Step:
        """What a script itself means if the doubted variables may hold any directory."""

        def answer() -> _Step:
            names = self._names_in(script)
            # The entry layer runs what it is given on the command line, which is nothing that launchers give it.
            given = str(script).startswith(self._entry_layer)
            found = frozenset(path for paths in self._named(names, doubted, exactly=given) for path in paths)
            directories = frozenset(path.parent for path in found)
            return _Step(found, directories, names.beside, names.are_all or given)

        return self._steps.ask((script, frozenset(doubted)), answer)

    def _in_directories(self, directories: Iterable[Path], names: Iterable[str]) -> set[Path]:
        found: set[Path] = set()
        for key in ((directory, name) for name in names for directory in directories):
            if key not in self._beside:
                path = key[0] / key[1]
                self._beside[key] = path if self._project.is_file(path) else None
            place = self._beside[key]
            if place is not None:
                found.add(place)
        return found

    def _named(self, names: _Names, doubted: set[str], *, exactly: bool) -> Iterator[list[Path]]:
        """For each name the scripts that may be meant."""
        for directory, name in names.names:
            yield self._by_name.get(name, []) if exactly else self._called(name, directory)
        for holder, name in names.beside:
            if holder in doubted:
                yield self._called(name)
        endings = set(names.endings)
        for variable, ending in names.variables:
            held = self._held(variable)
            endings |= {ending} if held is None else {f"{value}{ending}".rsplit("/", 1)[-1] for value in held}
        for ending in () if exactly else endings:
            yield [path for name, paths in self._by_name.items() if name.endswith(ending) for path in paths]

    def _held(self, variable: str) -> frozenset[str] | None:
        """The texts that any script gives a variable; None where one may give it another that can be worked out."""

        def answer() -> frozenset[str] | None:
            values: set[str] = set()
            told = variable not in self._project.settings.env
            for text in (self.text(script) for script in self.scripts) if told else ():
                if variable not in text:
                    continue
                for mention in re.finditer(rf"(?<![\w$])(?<!\$\{{){variable}(?!\w)", text):
                    value = _PLAIN_VALUE.match(text, mention.end())
                    told = told and value is not None
                    values.add((value["default"] or value["text"] or "") if value is not None else "")
            return frozenset(values - {""}) if told else None

        return self._values.ask(variable, answer)

    def _holds_own_directory(self, name: str, script: Path) -> bool:
        """Whether a script gives a variable nothing else, if it gives it anything."""
        text = self.text(script)
        if name not in text:
            return True

        def answer() -> bool:
            mention = rf"(?<![\w$])(?<!\$\{{){name}(?!\w)|\$\{{{name}:?="
            given = sum(assigned == name for assigned in _given_own_directory(text))
            others = len(re.findall(mention, text)) - given
            if others:
                others -= len(re.findall(rf"(?:export|readonly) {name}(?=[\s;]|\Z)", text))
            return not others

        return self._own_directory.ask((name, script), answer)

    def _called(self, name: str, directory: str = "") -> list[Path]:
        """The scripts of a name, in directories of a name; where none is known, whatever is called so, be it ignored or
        in a directory that holds neither recipes nor shared scripts."""
        paths = self._by_name.get(name, [])
        found = [path for path in paths if path.parent.name == directory] if directory else paths
        return found or self._elsewhere(name, directory)

    def _elsewhere(self, name: str, directory: str) -> list[Path]:
        if (name, directory) not in self._others:
            found = self._others_by_name.get(name, [])
            here = [path for path in found if not directory or path.parent.name == directory]
            self._others[name, directory] = list(filter(self._project.is_file, here))
        return self._others[name, directory]

    @cached_property
    def _others_by_name(self) -> dict[str, list[Path]]:
        """The scripts in the root and in directories that hold something which is not ignored, be they ignored."""
        root, files = self._project.root, self._project.files
        found: dict[str, list[Path]] = {}
        for directory, entries in {root: files.entries(root), **dict(walked(root, files))}.items():
            for entry in entries:
                if entry.is_file and entry.name.endswith(SHELL_SUFFIXES):
                    found.setdefault(entry.name, []).append(directory / entry.name)
        return found

    @cached_property
    def _by_name(self) -> dict[str, list[Path]]:
        found: dict[str, list[Path]] = {}
        for path in self.scripts:
            found.setdefault(path.name, []).append(path)
        return found

    @cached_property
    def _without_suffix(self) -> list[str]:
        return [path.name for path in self.scripts if path.suffix not in SHELL_SUFFIXES]

    def _names_in(self, script: Path) -> _Names:
        return self._names.ask(script, lambda: _names_in(self.text(script), self._without_suffix))

    def text(self, script: Path) -> str:
        """What a script says, without comments on lines of their own, and the configured site variables."""

        def answer() -> str:
            data = self._project.read(script) or b""
            text = _COMMENT_LINE.sub("\n", "\n" + data.decode("utf-8", "replace"))
            return f"{text[1:]}\n{self._site}"

        return self._texts.ask(script, answer)

    def unquoted(self, script: Path) -> str:
        """What a script says, without quotes and with its continued lines joined: flags as bash puts them together."""
        return self.text(script).replace("\\\n", "").translate(_QUOTES)


def _names_in(text: str, without_suffix: Iterable[str]) -> _Names:
    sourced = _SOURCED.findall(text) + _DOTTED.findall(text)
    are_all = all(map(_SUFFIX.search, sourced)) and not _takes_any_file(text)
    own = set(_given_own_directory(text))
    beside: set[tuple[str, str]] = set()

    def take(match: re.Match[str]) -> str:
        holder = match[1] or match[2] or ""
        if holder and holder not in own:
            return match[0]
        beside.add((holder, match[3]))
        return " "

    names, endings = {("", name) for name in without_suffix if name in text}, set()
    variables: set[tuple[str, str]] = set()
    text = _SEARCHED.sub(" ", _BESIDE.sub(take, text))
    for before, directories, name, start in _literal_paths(text):
        held = _BRACED.search(text, max(0, start - 80), start) if name in SHELL_SUFFIXES else None
        if held is not None:
            variables.add((held[1], name))
        elif directories:
            directory = directories[-1]
            known = directory not in ("", ".", "..") and (len(directories) > 1 or before not in f"{_JOINS}\\")
            names.add((directory if known else "", name))
        elif before == "$":  # a variable and its suffix
            stem, dot, suffix = name.rpartition(".")
            if stem.isidentifier():
                variables.add((stem, dot + suffix))
            else:
                endings.add(dot + suffix)
        elif before and before in _JOINS:
            endings.add(name)
        elif name not in SHELL_SUFFIXES:  # a part of a pattern, as `grep` takes it
            names.add(("", name))
    return _Names(frozenset(names), frozenset(endings), frozenset(variables), frozenset(beside), are_all)


def _literal_paths(text: str) -> Iterator[tuple[str, list[str], str, int]]:
    """The paths of scripts, as far as they are written out: the character in front, directories, name, and offset."""
    for suffix in _SUFFIX.finditer(text):
        start = suffix.start()
        while start and (text[start - 1].isalnum() or text[start - 1] in "_.+@-/"):
            start -= 1
        *directories, name = text[start : suffix.end()].split("/")
        yield text[start - 1 : start], directories, name, start


def _given_own_directory(text: str) -> Iterator[str]:
    """The variables that a script gives its directory, each time."""
    for value in _OWN_DIRECTORY.finditer(text):
        line = text.rfind("\n", 0, value.start()) + 1
        name = _ASSIGNED.search(text[line : value.start()])
        if name is not None:
            yield name[0]


def _takes_any_file(text: str) -> bool:
    """Whether a pattern means all files of a directory."""
    stars = (star.start() for star in _STAR.finditer(text))
    return any(text[at - 1 : at] == "/" or _IN.search(text[max(0, at - 80) : at]) for at in stars)
