"""Launches for people: what runs, when, on which GPUs, and where each flag comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from shlex import quote
from typing import TYPE_CHECKING

from relax_lint.report import Shown, shown_path
from relax_lint.report.columns import WIDTH, hanging, printable, row, shortened
from relax_lint.report.conditions import short
from relax_lint.report.effective import Effective, effective, is_hidden_whole, of_verl, overriders, values_of
from relax_lint.shell.launch import Argument, Launch, Word
from relax_lint.shell.queries import start_of

if TYPE_CHECKING:
    from relax_lint.diagnostics import Place
    from relax_lint.gpu_layout import Layout
    from relax_lint.project import Project

_WIDEST_FLAG, _WIDEST_KEY = 34, 44
_LABEL = 12
_MOST_CHANGES = 6
"""By how many arguments a launch may differ from another one to be shown by these."""
_MORE = "further arguments, if any"
_MARKS = {"overridden": "-", "unknown": "?"}
TITLES = {
    "relax": "Relax",
    "megatron": "Megatron",
    "sglang": "SGLang",
    "router": "router",
    "teacher": "teacher",
    "extra": "known by the configuration",
    "unknown": "unknown to Relax, and ignored by it",
}
"""Whose flags they are, in the order in which they are shown."""
_ARGUMENTS: dict[str, Callable[[Launch, Project], list[Effective]]] = {
    "relax": effective,
    "verl": lambda launch, project: of_verl(launch),
    "other": lambda launch, project: [],
}


def render(shown: Iterable[Shown]) -> str:
    """A block for each launch."""
    return "\n".join(block for script in shown for block in _blocks(script))


def _blocks(script: Shown) -> Iterator[str]:
    if not script.launches:
        what = "launches nothing" if script.is_whole else "no launch in what was followed"
        yield f"{printable(shown_path(script.path))}: {what}\n"
    whole: list[_Block] = []
    for number, launch in enumerate(script.launches, start=1):
        block = _Block(launch, script, number)
        yield "".join(f"{printable(line.rstrip())}\n" for line in block.lines(whole))
        if block.is_whole:
            whole.append(block)


class _Block:
    """One launch. ``is_whole`` says that it was not shown by what makes it differ from another one."""

    def __init__(self, launch: Launch, script: Shown, number: int) -> None:
        self.launch = launch
        self.number = number
        self.count = len(script.launches)
        self.is_whole = launch.kind != "other"
        self.arguments = _ARGUMENTS[launch.kind](launch, script.project)
        self.layout = list(_layout(launch, script.project)) if launch.kind == "relax" else []

    def lines(self, whole: Sequence[_Block]) -> Iterator[str]:
        launch = self.launch
        yield from self._title()
        for at, condition in enumerate(launch.conditions):
            yield from hanging("  when" if at == 0 else "  and", short(condition), _LABEL, 3)
        yield from hanging("  command", " ".join(map(_shown, self._command())), _LABEL, 4)
        if launch.site.source is not start_of(launch).source:
            yield from hanging("  run by", _where(launch.site), _LABEL)
        alike = min(whole, key=self._distance, default=None)
        if launch.kind == "other":
            return
        if alike is None or self._distance(alike) > _MOST_CHANGES:
            yield from self.layout
            yield from self._files()
            yield from self._groups(self.arguments)
            yield from _uncertain(launch.arguments)
        else:
            self.is_whole = False
            yield from self._changes(alike)

    def _title(self) -> Iterator[str]:
        launch = self.launch
        kind = "" if launch.kind == "other" else f"{launch.kind} "
        number = f" {self.number} of {self.count}" if self.count > 1 else ""
        mode = f", {launch.mode}" if launch.kind == "relax" else ""
        place, text = f"{_where(start_of(launch))}:", f"{kind}launch{number}{mode}"
        yield from [f"{place} {text}"] if len(place) + len(text) < WIDTH else [place, f"  {text}"]

    def _command(self) -> list[Word]:
        """The words up to the entry point: all of them when there is none."""
        launch = self.launch
        return list(launch.argv if launch.kind == "other" else launch.argv[: launch.entry + 1])

    # ------------------------------------------------------------ like another one

    def _beyond(self, other: _Block) -> list[Effective]:
        """The arguments that another launch has not."""
        known = {argument.identity for argument in other.arguments}
        return [argument for argument in self.arguments if argument.identity not in known]

    def _distance(self, other: _Block) -> float:
        """How many arguments differ."""
        if other.launch.kind != self.launch.kind:
            return float("inf")
        return len(self._beyond(other)) + len(other._beyond(self))

    def _changes(self, other: _Block) -> Iterator[str]:
        new = self._beyond(other)
        names = {argument.flag for argument in new}
        gone = [argument for argument in other._beyond(self) if argument.flag not in names]
        if self.layout != other.layout:
            yield from self.layout
        yield f"  arguments as in launch {other.number}{', but with' if new else ', without' if gone else ''}"
        yield from self._rows(new)
        if new and gone:
            yield "  and without"
        yield from self._rows(gone)
        yield from _uncertain([argument.argument for argument in new])

    # ------------------------------------------------------------ arguments

    def _files(self) -> Iterator[str]:
        """The other files that arguments are written in."""
        places = (argument.argument.word.place for argument in self.arguments)
        paths = dict.fromkeys(place.source.path for place in places if place is not None)
        others = [shown_path(path) for path in paths if path != self.launch.script]
        if others:
            yield from hanging("  files", ", ".join(others), _LABEL)

    def _groups(self, found: Sequence[Effective]) -> Iterator[str]:
        by_owner: dict[str, list[Effective]] = {}
        for argument in found:
            by_owner.setdefault(argument.owner, []).append(argument)
        for owner in TITLES if self.launch.kind == "relax" else by_owner:
            if owner in by_owner:
                yield f"  {TITLES[owner] if self.launch.kind == 'relax' else owner}"
                yield from self._rows(by_owner[owner])
        if any(argument.mark == "overridden" for argument in found):
            yield "  - a later one counts"

    def _rows(self, arguments: Iterable[Effective]) -> Iterator[str]:
        widest = _WIDEST_FLAG if self.launch.kind == "relax" else _WIDEST_KEY
        known = [len(argument.flag) for argument in self.arguments if len(argument.flag) <= widest]
        column = max(known, default=0) + 6
        for argument in arguments:
            yield from row(
                f"  {_MARKS.get(argument.mark, ' ')} {argument.flag}",
                argument.value,
                self._place(argument.argument),
                column,
            )
            if argument.note:
                yield f"        {shortened(argument.note, WIDTH - 8)}"

    def _place(self, argument: Argument) -> str:
        """The line in the script, with the name of the file where it is another one."""
        place = argument.word.place
        if place is None:
            return ""
        own = place.source.path == self.launch.script
        return f":{_line(place)}" if own else f"{shortened(place.source.path.name, 24)}:{_line(place)}"


def _where(place: Place) -> str:
    return f"{shown_path(place.source.path)}:{_line(place)}"


def _line(place: Place) -> int:
    return place.source.position(place.start)[0]


def _shown(word: Word) -> str:
    """A word as one would type it; what is not known stands as it is written in the script."""
    return quote(word.text) if word.known else word.text


# ---------------------------------------------------------------- GPUs


def _layout(launch: Launch, project: Project) -> Iterator[str]:
    from relax_lint.gpu_layout import batches, facts_for_layout, layout

    facts, unless = facts_for_layout(launch, project)
    found = layout(facts)
    yield from hanging("  GPUs", _total(found) + (f", unless {unless} changes it" if unless else ""), _LABEL, 2)
    width = max((len(role.name) for role in found.roles), default=0)
    for role in found.roles:
        gpus = "?" if role.gpus is None else str(role.gpus)
        head = f"    {role.name:<{width}}  {gpus:>4}"
        model = "; ".join(role.model)
        for part in [model] if len(head) + 2 + len(model) <= WIDTH else role.model:
            yield from hanging(head, part, width + 12, 2)
            head = ""
    if found.missing:
        yield from hanging("  missing", f"{', '.join(found.missing)}: not in --resource", _LABEL)
    told = batches(facts)
    if told:
        yield from hanging("  batch", told, _LABEL)


def _total(found: Layout) -> str:
    if found.hidden is not None:
        hidden = [word.text for word in found.hidden.words]
        return f"not known: {shortened(' '.join(hidden), 50)}" if hidden else "not known"
    if found.why_none:
        return found.why_none
    total = "not known" if found.total is None else str(found.total)
    shared = [role.name for role in found.roles if role.shared]
    if len(shared) > 1:
        total += f", shared by {', '.join(shared[:-1])} and {shared[-1]}"
    return total


# ---------------------------------------------------------------- what is not certain


def _uncertain(arguments: Sequence[Argument]) -> Iterator[str]:
    yield from _table("  unresolved", _unresolved(arguments))
    yield from _table("  by default, unless the variable is set", _by_default(arguments))


def _unresolved(arguments: Iterable[Argument]) -> dict[str, list[str]]:
    """What is not known, and the flags that it keeps from being known."""
    found: dict[str, list[str]] = {}
    for argument in arguments:
        own = {id(word) for word in (argument.word, *values_of(argument))}
        for word in (argument.word, *argument.values):
            belongs = id(word) in own and argument.flag and not is_hidden_whole(argument.word)
            users = argument.flag.partition("=")[0] if belongs else _MORE
            for unknown in word.unknowns:
                _add(found, " ".join(unknown.text.split()), users)
    return found


def _by_default(arguments: Iterable[Argument]) -> dict[str, list[str]]:
    """The variables of the script that count with its own default, and may be set to something else."""
    found: dict[str, list[str]] = {}
    for argument in arguments:
        for word in (argument.word, *argument.own_values):
            for name in overriders([word]):
                _add(found, f"${name}" if name.isdecimal() else name, argument.flag.partition("=")[0])
    return found


def _add(found: dict[str, list[str]], name: str, user: str) -> None:
    users = found.setdefault(name, [])
    if user not in users:
        users.append(user)


def _table(title: str, rows: dict[str, list[str]]) -> Iterator[str]:
    if not rows:
        return
    yield title
    names = {name: shortened(name, _WIDEST_FLAG) for name in rows}
    width = max(map(len, names.values()))
    for name, users in rows.items():
        yield from hanging(f"    {names[name]}", ", ".join(users), width + 6, 3)
