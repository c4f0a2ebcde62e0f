"""Files in a report: links to lines, excerpts with the place marked, and whole files with their findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.report import plural, shown_path
from relax_lint.report.html.markup import EMPTY, Html, element, folded, join, scrolling, text

if TYPE_CHECKING:
    from relax_lint.diagnostics import Diagnostic
    from relax_lint.sources.text import SourceFile

MOST_LINES = 3000
"""More of a file is not shown: nobody reads it here, and every line costs."""
WIDEST = 400
"""Characters of a line; what is longer is cut, round the place that matters where there is one."""
_AROUND = 2
"""Lines shown before and behind the place of a finding."""
_MOST_MARKED = 8
_MARKS = {"error": "●", "warning": "▲", "advice": "○"}
"""What stands in the margin, the worst first: shapes, too, since not everybody sees colours."""


class Sources:
    """The files that a report refers to. What is linked to is shown whole at its end."""

    def __init__(self, find: Callable[[Path], SourceFile | None]) -> None:
        self._find = find
        self._ids: dict[Path, str] = {}
        self._linked: dict[Path, set[int]] = {}
        self._margin: dict[Path, dict[int, list[tuple[str, Diagnostic]]]] = {}

    def find(self, path: Path) -> SourceFile | None:
        """A file, when it is there and can be read."""
        return self._find(path)

    def link(self, path: Path, line: int, label: str | None = None, class_: str = "place") -> Html:
        """A link to a line, named by the path, or by a label in place of it; just the name where there is no file."""
        name = label if label is not None else f"{shown_path(path)}:{line}"
        source = self._find(path)
        if source is None:
            return element("span", name, class_=class_)
        known = self._ids.setdefault(path, f"s{len(self._ids) + 1}")
        line = max(1, min(line, len(source.line_starts), MOST_LINES))
        self._linked.setdefault(path, set()).add(line)
        return element("a", name, href=f"#{known}-{line}", class_=class_)

    def near(self, path: Path, line: int) -> Html:
        """The same with the file's name alone, where its directory is clear or does not matter."""
        return self.link(path, line, f"{path.name}:{line}")

    def note(self, found: Diagnostic, anchor: str) -> None:
        """Have a finding in the margin of its file, and wherever its line is spoken of."""
        self.link(found.path, found.line)
        self._margin.setdefault(found.path, {}).setdefault(found.line, []).append((anchor, found))

    def marks(self, path: Path, line: int) -> Html:
        """A small link to each finding of a line."""
        return join(
            [
                element(
                    "a",
                    _MARKS[found.severity.value],
                    href=f"#{anchor}",
                    class_=f"mark {found.severity.value}",
                    title=f"{found.code} {found.message}",
                    aria_label=f"{found.severity.value} {found.code}",
                )
                for anchor, found in self._margin.get(path, {}).get(line, ())
            ]
        )

    # ------------------------------------------------------------ excerpts

    def excerpt(self, found: Diagnostic) -> Html:
        """The lines of a finding with its place marked, and those around it."""
        source = self._find(found.path)
        if source is None or found.end > len(source.text) or not source.text.strip():
            return EMPTY
        last = min(found.end_line, found.line + _MOST_MARKED)
        first, end = max(1, found.line - _AROUND), min(len(source.line_starts), last + _AROUND)
        while first < found.line and not source.line_text(first).strip():
            first += 1
        while end > last and not source.line_text(end).strip():
            end -= 1
        width = len(str(end))
        rows = [
            element(
                "span",
                element("span", f"{line:>{width}}", class_="n"),
                _marked(source, line, found),
                class_="line at" if found.line <= line <= last else "line",
            )
            for line in range(first, end + 1)
        ]
        label = f"{shown_path(found.path)}, line {found.line}"
        return scrolling(label, element("pre", join(rows)), class_=f"excerpt {found.severity.value}")

    # ------------------------------------------------------------ whole files

    def __len__(self) -> int:
        return len(self._ids)

    def whole(self) -> Iterator[Html]:
        """Every file that is linked to, by path."""
        for path in sorted(self._ids, key=shown_path):
            source = self._find(path)
            if source is not None:
                yield self._file(path, source)

    def _file(self, path: Path, source: SourceFile) -> Html:
        known, linked, margin = self._ids[path], self._linked[path], self._margin.get(path, {})
        count = len(source.line_starts) - source.text.endswith("\n")
        rows = [
            self._line(source, line, f"{known}-{line}" if line in linked else None, margin.get(line, []))
            for line in range(1, min(max(count, 1), MOST_LINES) + 1)
        ]
        more = element("p", f"… {count - MOST_LINES} lines more", class_="muted") if count > MOST_LINES else None
        found = sum(map(len, margin.values()))
        told = plural(count, "line") + (f", {plural(found, 'finding')}" if found else "")
        return folded(
            join([element("span", shown_path(path), class_="path"), element("span", told, class_="muted")], " "),
            scrolling(shown_path(path), element("pre", join(rows)), class_="source"),
            more,
            class_="file",
            id=known,
        )

    def _line(self, source: SourceFile, line: int, anchor: str | None, found: list[tuple[str, Diagnostic]]) -> Html:
        body = Html(f"{_cut(_line_of(source, line))}\n")
        if not found:
            return element("span", body, class_="l", id=anchor)
        worst = min((one.severity.value for _, one in found), key=list(_MARKS).index)
        notes = [
            element(
                "a",
                f"{_MARKS[one.severity.value]} {one.code} {one.message}",
                href=f"#{to}",
                class_=f"note {one.severity.value}",
            )
            for to, one in found
        ]
        return join([element("span", body, class_=f"l {worst}", id=anchor), *notes])


def _cut(line: str) -> Html:
    """A line, or as much of it as is shown."""
    rest = len(line) - WIDEST
    return join([text(line[:WIDEST], "\t"), _left_out(f" … {rest} characters") if rest > 0 else None])


def _line_of(source: SourceFile, number: int) -> str:
    """A line as its columns are counted."""
    return source.line_text(number).removeprefix("\ufeff" if number == 1 else "")


def _left_out(what: str) -> Html:
    return element("span", what, class_="muted")


def _marked(source: SourceFile, number: int, found: Diagnostic) -> Html:
    """A line of an excerpt, what of it the finding is about in a mark."""
    line = _line_of(source, number)
    if not found.line <= number <= found.end_line:
        return Html(f"{_cut(line)}\n")
    start = found.column - 1 if number == found.line else len(line) - len(line.lstrip())
    end = found.end_column - 1 if number == found.end_line else len(line)
    skip = max(0, start - WIDEST // 2) if len(line) > WIDEST else 0
    stop = skip + WIDEST if len(line) > WIDEST else len(line)
    return join(
        [
            _left_out(f"… {skip} characters … ") if skip else None,
            text(line[skip:start], "\t"),
            element("mark", text(line[start : min(max(end, start), stop)] or " ", "\t")),
            text(line[max(end, start) : stop], "\t"),
            _left_out(f" … {len(line) - stop} characters") if stop < len(line) else None,
            Html("\n"),
        ]
    )
