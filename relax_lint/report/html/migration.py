"""A migration that could be: what is left to do, every setting with its fate, the files, and what they are made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from relax_lint.migrate.todo_list import Line, numbers, todo_lines
from relax_lint.report import plural
from relax_lint.report.html.markup import EMPTY, Child, Html, code, element, folded, join, prose, text
from relax_lint.report.html.settings import Data, at, file, settings, table
from relax_lint.report.html.sources import Sources
from relax_lint.report.html.wording import conditions


def migration(told: Data, sources: Sources) -> Html:
    """All of it, from the data of `relax-lint migrate --format json`."""
    launches = told["launches"]
    parts = [*_todos(launches), *_obstacles(told, sources)]
    for number, launch in enumerate(launches, 1):
        parts += settings(launch, number, launches, sources)
    return join([*parts, *_files(told, launches, sources), *_packages(told, sources), *_left(told, sources)])


def _todos(launches: Sequence[Data]) -> Iterator[Html]:
    lines = todo_lines(list(launches))
    if lines:
        yield element("h3", "To do by hand")
        yield element("ol", *(element("li", _todo(line, len(launches))) for line in lines), class_="todos")


def _todo(line: Line, of: int) -> Html:
    keys = [key for key in line.because if key not in line.text and key.rpartition(".")[2] not in line.text]
    some = f"launch{'es' if len(line.launches) > 1 else ''} {numbers(line.launches)}" if len(line.launches) < of else ""
    parts = [*map(code, keys), *([text(some)] if some else [])]
    about = element("span", " (", join(parts, ", "), ")", class_="muted") if parts else EMPTY
    return join([prose(line.text), about])


def _obstacles(told: Data, sources: Sources) -> Iterator[Html]:
    """What is not migrated, and what is not carried over."""
    rows = [join([at(one, sources), _when(one["conditions"]), ": ", prose(one["reason"])]) for one in told["refused"]]
    rows += [join([at(one, sources), ": ", prose(one["message"])]) for one in told["problems"]]
    rows += [join(["another way through the script", _when(ways)]) for ways in told["not_written"]]
    if rows:
        yield element("h3", "Not migrated")
        yield element("ul", *(element("li", row) for row in rows))
    if told["same"]:
        same = [join(["what runs", _when(one["conditions"]), " is ", code(one["script"])]) for one in told["same"]]
        yield element("p", "The same to Relax: ", join(same, "; "), ".")


def _when(needs: Sequence[str]) -> Html:
    return join([" when ", conditions(needs, " and ")]) if needs else EMPTY


def _files(told: Data, launches: Sequence[Data], sources: Sources) -> Iterator[Html]:
    """The files that would be written, with what is of others in them."""
    if not launches:
        return  # then nothing is written
    rows = []
    for written in told["files"]:
        pieces = [piece for piece in told["carried"] if piece["path"] == written["path"]]
        made = [element("div", _piece(piece, sources)) for piece in pieces]
        rows.append(_row(file(written["path"], sources), join(made)))
    yield element("h3", "Files that would be written")
    yield table(("file", "made of"), rows, "files")


def _piece(piece: Data, sources: Sources) -> Html:
    version = f", verl {piece['verl']}" if piece["verl"] else ""
    names = join([": ", join(map(code, piece["names"]), ", ")]) if piece["names"] else EMPTY
    return join([file(piece["from"], sources), version, names])


def _packages(told: Data, sources: Sources) -> Iterator[Html]:
    if told["packages"]:
        rows = [
            _row(code(one["package"]), one["used_by"], at(one, sources), _how_needed(one)) for one in told["packages"]
        ]
        yield element("h3", "Packages that they import")
        yield table(("package", "for", "imported at", ""), rows, "packages")


def _how_needed(package: Data) -> Html:
    if package["comes_with_relax"]:
        return text("Relax brings it")
    if package["optional"]:
        return text("would be used: install it, if you want it")
    return element("strong", "install it")


def _left(told: Data, sources: Sources) -> Iterator[Html]:
    left, unused = told["not_carried_over"], told["unused"]
    if left:
        rows = [_row(code(one["text"]), at(one, sources), prose(one["reason"])) for one in left]
        lines = table(("what", "at", "why"), rows, "not carried over")
        yield folded(f"{plural(len(left), 'line')} of the verl script not carried over", lines)
    if unused:
        rows = [_row(file(one["path"], sources), prose(one["reason"])) for one in unused]
        yield folded(f"{plural(len(unused), 'file')} that nothing uses", table(("file", "why"), rows, "unused"))


def _row(*cells: Child) -> Html:
    return element("tr", *(element("td", cell) for cell in cells))
