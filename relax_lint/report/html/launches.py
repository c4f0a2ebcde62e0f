"""Launches side by side: what differs, and, folded away, what is the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.gpu_layout import Batch
from relax_lint.records import node
from relax_lint.report import plural
from relax_lint.report.conditions import short
from relax_lint.report.effective import Effective, is_hidden_whole, overriders, unless, values_of
from relax_lint.report.html.markup import EMPTY, Html, code, element, folded, join, prose, scrolling
from relax_lint.report.html.toolbars import toolbar
from relax_lint.report.html.wording import conditions, relative
from relax_lint.report.show_text import TITLES
from relax_lint.shell.queries import start_of

if TYPE_CHECKING:
    from relax_lint.report.html.content import Column
    from relax_lint.report.html.sources import Sources

_WIDEST_DEFAULT = 40


def equation(batch: Batch | None) -> Html:
    """What a step takes, and what the updates make of it."""
    if batch is None:
        return element("span", "not known", class_="muted")
    made = [_number(batch.prompts, "prompt"), " × ", _number(batch.each, "sample"), " = "]
    start = element("span", *made, element("b", str(batch.samples)))
    size = element("b", str(batch.update))
    if batch.updates is None:
        return element("span", start, " ", element("span", "no multiple of the batch of ", size, class_="odd"))
    updates = element("span", _number(batch.updates, "update"), class_="odd" if batch.updates != 1 else None)
    rounds = element("span", ", ", _number(batch.rollouts, "rollout"), class_="muted") if batch.rollouts else None
    taken = element("span", "= batch of ", size, " × ", updates, rounds)
    return element("span", start, " ", taken, class_="equation")


def _number(count: int, noun: str) -> Html:
    return join([element("b", str(count)), f" {noun}{'' if count == 1 else 's'}"])


def overview(columns: Sequence[Column], sources: Sources) -> Html:
    """A line for each launch: how it runs, where, on how much, and what a step is."""
    rows = [
        element(
            "tr",
            element("th", named(column, sources), lost(column, sources), scope="row"),
            element("td", element("span", column.launch.mode, class_=f"mode {column.launch.mode}")),
            element("td", _when(column)),
            element("td", _gpus(column), class_="number"),
            element("td", equation(column.placing.batch if column.placing is not None else None)),
        )
        for column in columns
    ]
    head = [element("th", title, scope="col") for title in ("launch", "mode", "when", "GPUs", "batch")]
    table = element("table", element("thead", element("tr", *head)), element("tbody", *rows))
    return scrolling("launches", table, class_="overview")


def named(column: Column, sources: Sources) -> Html:
    """The launcher of a launch, leading to where it starts."""
    place = start_of(column.launch)
    return sources.near(place.source.path, place.source.position(place.start)[0])


def lost(column: Column, sources: Sources) -> Html:
    """That a launch breaks off, and where: it runs with what stands above."""
    if column.lost_from is None:
        return EMPTY
    path = start_of(column.launch).source.path
    line = sources.link(path, column.lost_from, f":{column.lost_from}")
    return element("div", "breaks off at ", line, ": what follows is lost", class_="odd lost")


def _when(column: Column) -> Html:
    """What tells a launch from the others of its script; folded away, all that must hold for it."""
    shown = conditions(column.when) or element("span", "always", class_="muted")
    if not column.launch.conditions:
        return shown
    ways = len(column.launches)
    several = element("p", f"One of {ways} ways to the same arguments:", class_="muted") if ways > 1 else None
    needs = element("ul", *(element("li", code(short(each))) for each in column.launch.conditions), class_="conditions")
    return folded(shown, several, needs, class_="when")


def _gpus(column: Column) -> str:
    total = column.placing.layout.total if column.placing is not None else None
    return "?" if total is None else str(total)


# ---------------------------------------------------------------- side by side


@node
class _Row:
    """A flag and what each launch has of it. ``lost`` are the launches that do not have it, as far as they go."""

    flag: str
    owner: str
    cells: list[list[Effective]]
    lost: set[int]

    @property
    def texts(self) -> list[list[tuple[str, str]]]:
        """What each launch has, to compare it."""
        return [_said(cell) for cell in self.cells]

    @property
    def is_same(self) -> bool:
        known = [said for number, said in enumerate(self.texts) if number not in self.lost]
        return all(said == known[0] for said in known)

    @property
    def given(self) -> int:
        """The first launch that has it."""
        return next(number for number, cell in enumerate(self.cells) if cell)

    def like(self, number: int) -> int | None:
        """The first launch that has the same as one, where it is known what that has."""
        return None if number in self.lost else self.texts.index(self.texts[number])


def _said(cell: Iterable[Effective]) -> list[tuple[str, str]]:
    return [(argument.value, argument.mark) for argument in cell]


def _rows(columns: Sequence[Column]) -> list[_Row]:
    """The flags of all launches, by owner and in the order in which they come."""
    found: dict[tuple[str, str], _Row] = {}
    broken = [number for number, column in enumerate(columns) if column.lost_from is not None]
    for number, column in enumerate(columns):
        for argument in column.arguments:
            key = (argument.owner, argument.flag)
            if key not in found:
                found[key] = _Row(argument.flag, argument.owner, [[] for _ in columns], set(broken))
            found[key].cells[number].append(argument)
            found[key].lost.discard(number)
    owners = list(TITLES)
    return sorted(found.values(), key=lambda row: owners.index(row.owner))


def comparison(columns: Sequence[Column], sources: Sources, of: str) -> Html:
    """The flags of launches: those that differ in a table with a column for each, the others in a list."""
    rows = _rows(columns)
    same = [row for row in rows if row.is_same and not row.lost]
    alone = [row for row in rows if row.is_same and row.lost]
    differing = [row for row in rows if not row.is_same]
    table = _Table(columns, sources)
    name = f"flags-{of}"
    parts: list[Html] = [toolbar(name, "flag", (), len(rows))]
    body: list[Html] = []
    if differing:
        body.append(table.side_by_side(differing))
    elif len(columns) > 1:
        body.append(element("p", "No flag differs.", class_="muted"))
    if same:
        among = "" if len(columns) == 1 else f" the same in {_all(len(columns))} launches"
        body.append(folded(f"{plural(len(same), 'flag')}{among}", table.shared(same), opened=not differing))
    if alone:
        title = f"{plural(len(alone), 'flag')} not compared: a launch breaks off before it could have them"
        body.append(folded(title, table.shared(alone)))
    return join([*parts, element("div", *body, id=name)])


def _all(count: int) -> str:
    return "both" if count == 2 else f"all {count}"


class _Table:
    def __init__(self, columns: Sequence[Column], sources: Sources) -> None:
        self._columns = columns
        self._sources = sources

    def side_by_side(self, rows: Sequence[_Row]) -> Html:
        head = element("tr", element("th", "flag", scope="col"), *map(self._heading, self._columns))
        bodies = [self._owner(owner, [row for row in rows if row.owner == owner]) for owner in _owners(rows)]
        table = element("table", element("thead", head), *bodies, class_="sides")
        return scrolling("flags that differ", table, class_="tall")

    def _heading(self, column: Column) -> Html:
        mode = element("span", column.launch.mode, class_=f"mode {column.launch.mode}")
        told = element("div", mode, " ", conditions(column.when), class_="told")
        choose = element("button", "compare with this", type="button", class_="base", hidden=True)
        notes = lost(column, self._sources), _open_words(column)
        return element("th", named(column, self._sources), told, *notes, choose, scope="col")

    def _owner(self, owner: str, rows: Sequence[_Row]) -> Html:
        title = element("th", TITLES[owner], scope="rowgroup", colspan=len(self._columns) + 1)
        return element("tbody", element("tr", title, class_="owner"), *map(self._row, rows), data_holder=True)

    def _row(self, row: _Row) -> Html:
        likes = [row.like(number) for number in range(len(row.cells))]
        cells = [
            self._cell(row.flag, cell, column, like, differs=None not in (like, likes[0]) and like != likes[0])
            for cell, column, like in zip(row.cells, self._columns, likes, strict=True)
        ]
        return element("tr", element("th", code(row.flag), scope="row"), *cells, data_item=True)

    def _cell(self, flag: str, cell: Sequence[Effective], column: Column, like: int | None, *, differs: bool) -> Html:
        """What a launch has; ``like`` is the first launch that has the same, if that is known."""
        absent = element("span", "lost" if like is None else _absent(flag, column), class_="muted")
        shown = [self._value(argument, column) for argument in cell] or [absent]
        return element("td", *shown, class_="differs" if differs else None, data_like=like)

    def _value(self, argument: Effective, column: Column) -> Html:
        place = argument.argument.word.place
        at = None
        if place is not None:
            line = place.source.position(place.start)[0]
            own = place.source.path == column.launch.script
            name = f":{line}" if own else f"{place.source.path.name}:{line}"
            marks = self._sources.marks(place.source.path, line)
            at = join([self._sources.link(place.source.path, line, name), marks], " ")
        shown = _value(argument, column.project.root)
        notes = [prose(note) for note in filter(None, (argument.note, _unless(argument)))]
        if argument.mark == "overridden":
            shown, notes = element("s", shown), [*notes, Html("a later one counts")]
        told = element("div", *notes, class_="muted") if notes else None
        return element("div", shown, " ", at, told, class_=f"value {argument.mark}".rstrip())

    def shared(self, rows: Sequence[_Row]) -> Html:
        """Flags with the one value that they have, and where the first launch that has it has it from."""
        bodies = []
        for owner in _owners(rows):
            title = element("tr", element("th", TITLES[owner], scope="rowgroup", colspan=2), class_="owner")
            own = [
                element(
                    "tr",
                    element("th", code(row.flag), scope="row"),
                    element(
                        "td", *(self._value(argument, self._columns[row.given]) for argument in row.cells[row.given])
                    ),
                    data_item=True,
                )
                for row in rows
                if row.owner == owner
            ]
            bodies.append(element("tbody", title, *own, data_holder=True))
        return scrolling("flags that are the same", element("table", *bodies, class_="shared"))


def _owners(rows: Iterable[_Row]) -> Iterator[str]:
    yield from dict.fromkeys(row.owner for row in rows)


def _value(argument: Effective, root: Path) -> Html:
    """The value of an argument, what nobody knows in it apart."""
    if not argument.value:
        return element("span", "on" if not values_of(argument.argument) else "(empty)", class_="on")
    value, parts = relative(argument.value, root), []
    unknown = dict.fromkeys(
        " ".join(each.text.split()) for word in values_of(argument.argument) for each in word.unknowns
    )
    pattern = "|".join(re.escape(each) for each in sorted(unknown, key=len, reverse=True) if each)
    for number, piece in enumerate(re.split(f"({pattern})", value) if pattern else [value]):
        parts.append(
            element("i", piece, title="not known before it runs") if number % 2 else code(piece) if piece else EMPTY
        )
    return join(parts)


def _unless(argument: Effective) -> str:
    """The variables that could make it something else."""
    return unless(overriders([argument.argument.word, *argument.argument.own_values]))


def _absent(flag: str, column: Column) -> str:
    """What a launch has that does not pass a flag, or the word that names the flag and may bring it."""
    hiding = column.launch.hiding(flag)
    if hiding is not None and flag in hiding.text:
        return f"? {short(hiding.text, _WIDEST_DEFAULT)}"
    known = column.project.catalogue.flag(flag)
    if known is None or known.is_switch or known.suppressed or known.default is None:
        return "–"
    default = short(str(known.default), _WIDEST_DEFAULT)
    return f"– default {default}" if default else "–"


def _open_words(column: Column) -> Html:
    """The words of which nothing is known, which may be further flags."""
    words = dict.fromkeys(
        " ".join(word.text.split())
        for argument in column.launch.arguments
        for word in (argument.word, *argument.values[len(values_of(argument)) :])
        if is_hidden_whole(word) and word.open and not any(unknown.only for unknown in word.unknowns)
    )
    return element("div", "and ", join(map(code, words), ", "), class_="muted") if words else EMPTY
