"""Findings: each with its place in the source, what to do about it as a diff, and why it matters."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Diagnostic, Edit, Severity
from relax_lint.report import plural, shown_path
from relax_lint.report.html.manual import summary_of
from relax_lint.report.html.markdown import inline
from relax_lint.report.html.markup import EMPTY, Html, code, element, folded, join, prose, scrolling, text
from relax_lint.report.html.toolbars import Choice, toolbar
from relax_lint.report.html.wording import conditions

if TYPE_CHECKING:
    from pathlib import Path

    from relax_lint.engine import Unjudged
    from relax_lint.report.html.sources import Sources
    from relax_lint.rules import Rule

_CONTEXT = 2
_MOST_DIFF = 80
"""Lines of a diff that are shown."""
_WIDEST = 300
_NEAREST = 2
"""Conditions of a launch that are told: those next to it."""
_CLASSES = {"+": "add", "-": "del", "@": "hunk"}


class Findings:
    """Draws findings; every one gets a number, by which other places lead to it."""

    def __init__(self, sources: Sources, rules: Mapping[str, Rule], found: Iterable[Diagnostic]) -> None:
        self._sources = sources
        self._rules = rules
        self._anchors: dict[Diagnostic, str] = {}
        for number, each in enumerate(found, 1):
            self._anchors[each] = f"f{number}"
            sources.note(each, f"f{number}")

    def section(self, found: Sequence[Diagnostic], of: str, level: str) -> Html:
        """All findings of a part, file by file under headings of a level, with what chooses among them."""
        if not found:
            return element("p", "Nothing found.", class_="fine")
        name = f"findings-{of}"
        choices = [
            Choice("severity", severity.value, count)
            for severity in Severity
            if (count := sum(one.severity is severity for one in found))
        ]
        fixable = sum(one.fix is not None for one in found)
        choices += [Choice("fix", "yes", fixable, "can be fixed")] if fixable else []
        return join(
            [toolbar(name, "finding", choices, len(found)), element("div", *self._files(found, level), id=name)]
        )

    def _files(self, found: Iterable[Diagnostic], level: str) -> Iterator[Html]:
        for path, here in groupby(found, key=lambda one: one.path):
            yield element(
                "section",
                element(level, self._sources.link(path, 1, shown_path(path), "path")),
                *map(self._card, here),
                data_holder=True,
                class_="of-file",
            )

    def _card(self, found: Diagnostic) -> Html:
        severity = found.severity.value
        head = element(
            "header",
            element("span", severity, class_=f"badge {severity}"),
            element("a", f"{found.code} {found.name}", href=f"#rule-{found.code}", class_="rule"),
            self._sources.link(found.path, found.line, f"{found.path.name}:{found.line}:{found.column}"),
        )
        return element(
            "article",
            head,
            element("p", prose(found.message), class_="message"),
            self._sources.excerpt(found),
            self._fix(found),
            self._related(found),
            self._help(found),
            id=self._anchors[found],
            class_=f"finding {severity}",
            data_item=True,
            data_severity=severity,
            data_fix="yes" if found.fix is not None else None,
        )

    def _help(self, found: Diagnostic) -> Html:
        rule = self._rules.get(found.code)
        if rule is None:
            return EMPTY
        more = element("a", f"All about {found.code}", href=f"#rule-{found.code}")
        return element("p", inline(summary_of(rule)), " ", more, class_="help")

    def _related(self, found: Diagnostic) -> Html:
        rows = [join([self._sources.link(note.path, note.line), " ", prose(note.message)]) for note in found.related]
        if found.launch is not None:
            rows.append(join(["in the launch at ", self._sources.link(found.launch.path, found.launch.line)]))
            if found.launch.conditions:
                rows[-1] = join([rows[-1], ", when ", conditions(found.launch.conditions[-_NEAREST:], " and ")])
        return element("ul", *(element("li", row) for row in rows), class_="related") if rows else EMPTY

    # ------------------------------------------------------------ fixes

    def _fix(self, found: Diagnostic) -> Html:
        fix = found.fix
        edits = [] if fix is None else list(fix.edits())
        if fix is None or not (edits or fix.migrates):
            return EMPTY
        option = "--fix" if fix.safe else "--fix --unsafe-fixes"
        summary = join(
            [
                "Fix: ",
                prose(fix.title),
                element("span", code(option) if fix.safe else join([code(option), ", not safe"]), class_="muted"),
            ],
            " ",
        )
        why = element("p", "Not safe, because ", prose(fix.reason), ".", class_="muted") if fix.reason else None
        return folded(summary, why, *self._diffs(edits), class_="fix")

    def _diffs(self, edits: Iterable[Edit]) -> Iterator[Html]:
        by_path: dict[Path, list[Edit]] = {}
        for edit in edits:
            by_path.setdefault(edit.path, []).append(edit)
        for path, here in by_path.items():
            rows = list(_diff(before_after(self._sources, path, here)))
            more = [element("span", f"… {len(rows) - _MOST_DIFF} lines more", class_="line hunk")]
            shown = rows[:_MOST_DIFF] + (more if len(rows) > _MOST_DIFF else [])
            label = f"{'new file ' if any(edit.create for edit in here) else ''}{shown_path(path)}"
            body = scrolling(f"changes of {label}", element("pre", join(shown)), class_="diff") if shown else None
            yield element("div", element("p", label, class_="path"), body)


def before_after(sources: Sources, path: Path, edits: Sequence[Edit]) -> tuple[str, str]:
    """A file's text without and with some edits of it."""
    if any(edit.create for edit in edits):
        return "", "".join(edit.text for edit in edits if edit.create)
    source = sources.find(path)
    before = after = "" if source is None else source.text
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end), reverse=True):
        after = after[: edit.start] + edit.text + after[edit.end :]
    return before, after


def _diff(texts: tuple[str, str]) -> Iterator[Html]:
    """The lines of a unified diff, without its head."""
    before, after = (text.split("\n") if text else [] for text in texts)
    for number, line in enumerate(difflib.unified_diff(before, after, n=_CONTEXT, lineterm="")):
        if number < 2 or line.startswith("@@"):
            if number > 2:
                yield element("span", Html("⋯\n"), class_="line hunk")
            continue
        kind = _CLASSES.get(line[:1], "")
        shown = line if len(line) <= _WIDEST else f"{line[:_WIDEST]} …"
        yield element("span", Html(f"{text(shown, chr(9))}\n"), class_=f"line {kind}".rstrip())


# ---------------------------------------------------------------- what is no finding


def silenced(found: Sequence[Diagnostic], sources: Sources) -> Html:
    """Findings that somebody has silenced, with the reason that was given."""
    if not found:
        return EMPTY
    rows = [
        element(
            "tr",
            element("td", sources.near(one.path, one.line)),
            element("td", element("span", f"{one.code} {one.name}", class_="rule")),
            element("td", prose(one.message)),
            element("td", one.suppressed or element("span", "no reason given", class_="muted")),
        )
        for one in found
    ]
    return folded(f"{plural(len(found), 'finding')} silenced", _table(("at", "rule", "what", "why"), rows, "silenced"))


def unjudged(found: Sequence[Unjudged], sources: Sources, rules: Mapping[str, Rule]) -> Html:
    """What no rule could judge: the word that is not known, where it stands, and what is not known because of it."""
    if not found:
        return EMPTY
    together: dict[tuple[Path, int, str], list[str]] = {}
    for one in found:
        together.setdefault((one.path, one.line, one.because), []).append(one.code)
    rows = [
        element(
            "tr",
            element("td", sources.near(path, line)),
            element("td", code(because)),
            element("td", join([_named(each, rules) for each in dict.fromkeys(codes)], ", ")),
        )
        for (path, line, because), codes in together.items()
    ]
    return _table(("at", "not known", "so it was not judged by"), rows, "not judged")


def _named(each: str, rules: Mapping[str, Rule]) -> Html:
    rule = rules.get(each)
    return element("a", f"{each} {rule.name}" if rule is not None else each, href=f"#rule-{each}", class_="rule")


def _table(head: Sequence[str], rows: Iterable[Html], label: str) -> Html:
    titles = element("tr", *(element("th", title, scope="col") for title in head))
    return scrolling(label, element("table", element("thead", titles), element("tbody", *rows)), class_="told")
