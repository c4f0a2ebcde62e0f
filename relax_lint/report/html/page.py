"""The whole page: one file that asks nobody for anything."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from importlib.resources import files

from relax_lint import __version__
from relax_lint.diagnostics import Severity
from relax_lint.report import plural, shown_path
from relax_lint.report.html.content import Content, Part
from relax_lint.report.html.findings import Findings, silenced, unjudged
from relax_lint.report.html.gpus import drawings
from relax_lint.report.html.launches import comparison, overview
from relax_lint.report.html.manual import manual
from relax_lint.report.html.markup import EMPTY, Html, code, element, join, plain, scrolling
from relax_lint.report.html.migrated import migrated
from relax_lint.report.html.sources import Sources

START = "<!doctype html>\n"
"""How every report begins."""


def render(content: Content) -> str:
    """The page of a report."""
    return _Page(content).render()


class _Page:
    def __init__(self, content: Content) -> None:
        self.content = content
        self.sources = Sources(content.source)
        self.findings = Findings(self.sources, content.rules, content.findings)
        self.alone = len(content.parts) == 1

    def render(self) -> str:
        body = [
            element("section", *self._summary(), id="summary"),
            *self._migration(),
            *(self._part(part, number) for number, part in enumerate(self.content.parts, 1)),
            *self._rules(),
        ]
        main = element("main", *body, *self._files(), id="top")
        skip = element("a", "to the content", href="#summary", class_="skip")
        page = element("body", skip, self._bar(), main, self._foot())
        return f"{START}{element('html', _head(self.content.title), page, lang='en')}\n"

    # ------------------------------------------------------------ frame

    def _bar(self) -> Html:
        links = [("summary", "Summary")]
        links += [("settings", "Settings")] if self.content.migration is not None else []
        if self.alone:
            links += [("launches-1", "Launches"), ("gpus-1", "GPUs")] if self.content.parts[0].columns else []
            links.append(("findings-of-1", "Findings"))
            links += [("migrated-1", "Settings")] if self._has_page(self.content.parts[0]) else []
        elif self.content.parts:
            links.append(("part-1", "Recipes"))
        links += [("rules", "Rules")] if self._named_rules() else []
        links.append(("files", "Files"))
        items = [element("a", label, href=f"#{to}") for to, label in links]
        button = element("button", "Theme", type="button", id="theme", hidden=True)
        return element(
            "header",
            element("a", "relax-lint", href="#top", class_="brand"),
            element("nav", *items, aria_label="sections"),
            button,
            class_="bar",
        )

    def _foot(self) -> Html:
        judged = [f"{what}: {by}" for what, by in self.content.judged_by.items()]
        return element("footer", element("p", "; ".join([f"relax-lint {__version__}", *judged])))

    # ------------------------------------------------------------ summary

    def _summary(self) -> Iterator[Html]:
        content = self.content
        yield element("h1", content.title)
        yield element("p", element("span", content.subject, class_="path"), class_="subject")
        if content.note:
            yield element("p", content.note, class_="muted")
        yield element("div", *self._tiles(), class_="tiles")
        if content.failures:
            yield element("ul", *(element("li", failure) for failure in content.failures), class_="failures")
        if self.alone and content.parts[0].columns:
            yield overview(content.parts[0].columns, self.sources)
        elif len(content.parts) > 1:
            yield self._contents()
        if self.alone:
            yield self._unjudged(content.parts[0])

    def _tiles(self) -> Iterator[Html]:
        content = self.content
        found = content.findings
        for severity in Severity:
            count = sum(one.severity is severity for one in found)
            label = plural(count, severity.value).partition(" ")[2]
            yield _tile(count, label, severity.value if count else "none")
        of_verl, not_migrated = content.of_verl, content.not_migrated
        if content.launches or not (of_verl or not_migrated):
            yield _tile(content.launches, plural(content.launches, "launch").partition(" ")[2])
        if of_verl:
            yield _tile(of_verl, f"{plural(of_verl, 'launch').partition(' ')[2]} of verl")
        if not_migrated:
            label = f"{plural(not_migrated, 'launch').partition(' ')[2]} of verl not migrated"
            yield _tile(not_migrated, label, Severity.WARNING.value)
        yield _tile(content.files, plural(content.files, "file").partition(" ")[2])
        unjudged = sum(len(part.unjudged) for part in content.parts)
        yield _tile(unjudged, "not judged")

    def _contents(self) -> Html:
        """The recipes of a tree."""
        rows = [
            element(
                "tr",
                element("th", element("a", shown_path(part.directory), href=f"#part-{number}"), scope="row"),
                element("td", _launches(part), class_="number"),
                *(_counted(part, severity) for severity in Severity),
                element("td", str(len(part.unjudged) or "–"), class_="number"),
            )
            for number, part in enumerate(self.content.parts, 1)
        ]
        titles = ("recipe", "launches", "errors", "warnings", "advice", "not judged")
        head = element("tr", *(element("th", title, scope="col") for title in titles))
        table = element("table", element("thead", head), element("tbody", *rows))
        return scrolling("recipes", table, class_="recipes")

    def _unjudged(self, part: Part) -> Html:
        if not part.unjudged:
            return EMPTY
        title = f"{plural(len(part.unjudged), 'question')} that could not be judged, and why"
        return element(
            "details",
            element("summary", title),
            unjudged(part.unjudged, self.sources, self.content.rules),
        )

    # ------------------------------------------------------------ parts

    def _migration(self) -> Iterator[Html]:
        if self.content.migration is not None:
            from relax_lint.report.html.migration import migration

            told = migration(self.content.migration, self.sources)
            yield element("section", element("h2", "From verl to Relax"), told, id="settings")

    def _part(self, part: Part, number: int) -> Html:
        of = str(number)
        level = "h2" if self.alone else "h3"
        parts: list[Html] = []
        if not self.alone:
            parts.append(element("h2", element("span", shown_path(part.directory), class_="path")))
            parts += [overview(part.columns, self.sources)] if part.columns else []
            parts.append(self._unjudged(part))
        if part.verl:
            parts.append(self._of_verl(part))
        if part.columns:
            flags = comparison(part.columns, self.sources, of)
            title = "Launches side by side" if len(part.columns) > 1 else "Launch"
            parts.append(element("section", element(level, title), flags, id=f"launches-{of}"))
            gpus = drawings(part.columns, self.sources)
            parts.append(element("section", element(level, "GPUs"), gpus, id=f"gpus-{of}"))
        found = self.findings.section(part.findings, of, "h3" if self.alone else "h4")
        quiet = silenced(part.silenced, self.sources)
        parts.append(element("section", element(level, "Findings"), found, quiet, id=f"findings-of-{of}"))
        if self._has_page(part):
            told = migrated(part.page, of)
            parts.append(element("section", element(level, "From verl to Relax"), told, id=f"migrated-{of}"))
        return element("section", *parts, id=f"part-{of}", class_="part")

    def _has_page(self, part: Part) -> bool:
        return bool(part.page) and self.content.migration is None

    def _of_verl(self, part: Part) -> Html:
        scripts = dict.fromkeys(launch.script for launch in part.verl)
        links = join([self.sources.link(path, 1, path.name) for path in scripts], ", ")
        more = join(
            ["; ", code("relax-lint report"), " on one of them, or on their recipe, shows what it would become"]
        )
        return element("p", "Still verl's: ", links, EMPTY if self.content.migration is not None else more, ".")

    # ------------------------------------------------------------ appendices

    def _named_rules(self) -> list[str]:
        parts = self.content.parts
        named = {found.code for part in parts for found in part.findings}
        named |= {silence.code for part in parts for silence in part.unjudged}
        return sorted(named & self.content.rules.keys())

    def _rules(self) -> Iterator[Html]:
        named = self._named_rules()
        if named:
            pages = [manual(self.content.rules[code]) for code in named]
            yield element("section", element("h2", "Rules"), *pages, id="rules")

    def _files(self) -> Iterator[Html]:
        whole = list(self.sources.whole())
        if whole:
            yield element("section", element("h2", "Files"), *whole, id="files")


def _launches(part: Part) -> str:
    own = sum(len(column.launches) for column in part.columns)
    of_verl = f"{len(part.verl)} of verl" if part.verl else ""
    return ", ".join(filter(None, [str(own) if own else "", of_verl])) or "–"


def _tile(count: int, label: str, kind: str = "") -> Html:
    return element("div", element("b", str(count)), " ", element("span", label), class_=f"tile {kind}".rstrip())


def _counted(part: Part, severity: Severity) -> Html:
    count = sum(found.severity is severity for found in part.findings)
    kind = f"number {severity.value}" if count else "number"
    return element("td", str(count or "–"), class_=kind)


# ---------------------------------------------------------------- head


def _head(title: str) -> Html:
    style, script = _asset("page.css"), _asset("page.js")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", name="generator", content=f"relax-lint {__version__}"),
        element("title", f"{plain(title)} · relax-lint"),
        element("style", Html(style)),
        element("script", Html(script)),
    )


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """What the policy knows a style or a script by."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
