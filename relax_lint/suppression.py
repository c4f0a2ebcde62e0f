"""Comments that silence findings, in Python, shell and YAML; which of them silence nothing; how to add them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from relax_lint.comments import Comment, comments, units
from relax_lint.diagnostics import Diagnostic, Edit, Finding, Fix, Place, Site
from relax_lint.records import record
from relax_lint.rules.index import INDEX
from relax_lint.selection import EVERYTHING, UnknownRule

if TYPE_CHECKING:
    from relax_lint.rules import Rule
    from relax_lint.sources.text import SourceFile

# flake8 reads comments so: anything that is no code ends the list, and an empty list silences everything.
_NOQA = re.compile(r"# noqa(?P<codes>:\s?(?:[A-Z]+[0-9]+(?:[,\s]+)?)+)?", re.IGNORECASE)
_NOQA_CODE = re.compile(r"[A-Z]+[0-9]+", re.IGNORECASE)
_OWN = re.compile(r"#\s*relax-lint:\s*(?P<kind>ignore|file-ignore)\s*\[(?P<items>[^\]\n]*)\]", re.IGNORECASE)
_MEANT = re.compile(r"#\s*relax-lint:\s*(?:\w+-)*(?:ignore|disable|noqa|skip|off|suppress)\b[\w-]*", re.IGNORECASE)
"""How a comment begins that is meant to silence something, well-formed or not."""
_ITEM = re.compile(r"[^,\s][^,]*")
_HEAD = re.compile(r"\ufeff?(?:#!.*\n)?(?:[ \t\f]*#.*?coding[:=][ \t]*[-\w.]+.*\n)?")
_BEYOND_COMMENTS = ("RLX001", "RLX002")
_BEFORE_REASON = " \t,:;-–—"
_NEXT_COMMENT = re.compile(r"\s+#(?!\s?\d)")
"""Another comment right behind a directive, which gives no reason then; `#12` and `# 12` are numbers of issues."""
_NEXT_DIRECTIVE = re.compile(
    r"\s#\s*(?:(?:noqa|nosec|nosem|nosemgrep|nolint|pyre-ignore|pyre-fixme)\b"
    r"|(?:relax-lint|type|mypy|pyright|pyre|pytype|ty|ruff|flake8|pylint|pragma|isort|fmt|yapf|black|autopep8|bandit"
    r"|codespell|cspell|lint)\s*:"
    r"|shellcheck\s+[\w-]+=|yamllint\s+(?:disable|enable)|noinspection\s+\w)",
    re.IGNORECASE,
)
"""Where a reason ends before its comment does: what follows is for a tool. Any other `#` is a part of the reason."""


@record
class Item:
    """One code, prefix or name, narrowed to some subjects; where it is written."""

    selector: str
    subjects: tuple[str, ...]
    start: int
    end: int

    def means(self, code: str, name: str) -> bool:
        """Whether a rule is meant."""
        selector = self.selector.upper()
        return selector == EVERYTHING or code.startswith(selector) or name == self.selector.lower()

    def silences(self, found: Diagnostic) -> bool:
        """Whether a finding is meant."""
        narrowed = not self.subjects or found.subject.partition("=")[0] in self.subjects
        return narrowed and self.means(found.code, found.name)


@record
class Suppression:
    """One directive. Without items it silences everything on its lines; ``lines`` of ``None`` are the whole file."""

    kind: Literal["noqa", "ignore", "file-ignore"]
    items: tuple[Item, ...]
    reason: str
    comment: Comment
    start: int
    end: int
    lines: range | None

    def matching(self, found: Diagnostic) -> list[Item] | None:
        """The items that silence a finding: ``None`` when it stands, no item when a bare ``noqa`` silences it."""
        if self.lines is not None and found.line not in self.lines:
            return None
        items = [item for item in self.items if item.silences(found) and self._is_spelt(item)]
        return items if items or (self.kind == "noqa" and not self.items) else None

    def _is_spelt(self, item: Item) -> bool:
        """Whether flake8 finds its codes in it, too: it looks for capital letters behind a ``noqa`` in any letters."""
        return self.kind != "noqa" or item.selector.isupper()


class Directives(NamedTuple):
    """The comments of a file, and the directives in them."""

    comments: list[Comment]
    suppressions: list[Suppression]


def directives(source: SourceFile) -> Directives:
    """Every directive in the comments of a file."""
    found = comments(source)
    return Directives(found, [one for comment in found for one in _directives(source.text, comment)])


def _directives(text: str, comment: Comment) -> Iterator[Suppression]:
    for match in _NOQA.finditer(text, comment.start, comment.end):
        codes = _NOQA_CODE.finditer(text, *match.span("codes")) if match["codes"] else ()
        items = tuple(Item(code[0], (), *code.span()) for code in codes)
        last = items[-1].end if items else match.end()
        end = _directive_end(text, last, comment.end)
        reason = text[last:end].strip(_BEFORE_REASON)
        # A noqa speaks for its own line only, so one that stands alone speaks for nothing.
        lines = comment.lines if comment.trailing else range(0)
        yield Suppression("noqa", items, reason, comment, match.start(), end, lines)
    for match in _OWN.finditer(text, comment.start, comment.end):
        items = tuple(_item(found) for found in _ITEM.finditer(text, *match.span("items")))
        end = _directive_end(text, match.end(), comment.end)
        reason = text[match.end() : end].strip(_BEFORE_REASON)
        if match["kind"].lower() == "ignore":
            yield Suppression("ignore", items, reason, comment, match.start(), end, comment.lines)
        else:
            yield Suppression("file-ignore", items, reason, comment, match.start(), end, None)


def _directive_end(text: str, at: int, comment_end: int) -> int:
    """Where a directive and its reason end: at the next one in the same comment, of whatever tool, or with the
    comment."""
    following = _NEXT_COMMENT.match(text, at, comment_end) or _NEXT_DIRECTIVE.search(text, at, comment_end)
    return following.start() if following else comment_end


def _item(match: re.Match[str]) -> Item:
    selector, *subjects = match[0].split()
    return Item(selector, tuple(subjects), match.start(), match.start() + len(match[0].rstrip()))


class Suppressor:
    """Silences the findings of one file and remembers which directives did something."""

    def __init__(self, source: SourceFile, found: Directives) -> None:
        self.source = source
        self.suppressions = found.suppressions
        self._comments = found.comments
        self.without_reason: list[Site] = []
        self._used: set[tuple[int, int]] = set()
        self._of_file = [one for one in self.suppressions if one.lines is None]
        self._by_line: dict[int, list[Suppression]] = {}
        for one in self.suppressions:
            for line in one.lines or ():
                self._by_line.setdefault(line, []).append(one)

    def apply(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Mark what is silenced, with the reason given."""
        for found in diagnostics:
            speaking = [*self._of_file, *self._by_line.get(found.line, ())]
            for suppression in sorted(speaking, key=lambda one: one.start):
                items = suppression.matching(found)
                if items is None:
                    continue
                self._used.update((suppression.start, item.start) for item in items)
                site = Site(self.source.path, self.source.position(suppression.start)[0])
                if found.suppressed is None:
                    found.suppressed, found.suppressed_by = suppression.reason, site
                if not suppression.reason and site not in self.without_reason:
                    self.without_reason.append(site)

    def unused(self, rules: Iterable[Rule], decided: Callable[[], set[str]]) -> Iterator[Finding]:
        """The directives of which something can go: every rule that it means ran, decided, and found nothing."""
        rules, decided = list(rules), cache(decided)
        meant_by: dict[str, list[str]] = {}
        for item in (item for one in self.suppressions for item in one.items):
            if item.selector not in meant_by:
                meant_by[item.selector] = [rule.code for rule in rules if item.means(rule.code, rule.name)]
        for suppression in self.suppressions:
            idle = [
                item
                for item in suppression.items
                if (suppression.start, item.start) not in self._used
                if (meant := meant_by[item.selector])
                if decided().issuperset(meant)
            ]
            if idle:
                yield self._finding(suppression, idle)

    def mistaken(self, rules: Mapping[str, Rule]) -> Iterator[Finding]:
        """What can silence nothing, whatever is found: ``relax-lint:`` comments that are not well-formed or of no rule,
        and codes of ours that a ``noqa`` names and no rule has."""
        text = self.source.text
        for comment in self._comments:
            meant = _MEANT.match(text, comment.start, comment.end)
            formed = _OWN.match(text, comment.start, comment.end)
            if meant is not None and (formed is None or not formed["items"].strip(" \t,")):
                message = "this silences nothing: the form is `# relax-lint: ignore[CODE] reason`"
                yield Finding(Place(self.source, *meant.span()), message)
        known = [(code, name) for code, name, *_ in INDEX] + [(rule.code, rule.name) for rule in rules.values()]
        items = (item for found in self.suppressions for item in found.items if found.kind != "noqa" or _is_ours(item))
        for item in items:
            if not any(item.means(code, name) for code, name in known):
                message = f"this silences nothing: {UnknownRule(item.selector, rules)}"
                yield Finding(Place(self.source, item.start, item.end), message, subject=item.selector)

    def _finding(self, suppression: Suppression, idle: Sequence[Item]) -> Finding:
        written = ", ".join(self.source.text[item.start : item.end] for item in idle)
        return Finding(
            Place(self.source, idle[0].start, idle[-1].end),
            f"{written} silences nothing here",
            fix=Fix(f"Remove {written}", lambda: [_removal(self.source, suppression, idle)]),
            subject=written,
        )


def _is_ours(item: Item) -> bool:
    """Whether a code behind a ``noqa`` is this program's, and so is no other tool's."""
    return re.fullmatch(r"RLX[0-9]+", item.selector) is not None


def _removal(source: SourceFile, suppression: Suppression, idle: Sequence[Item]) -> Edit:
    """Take out the items, or the whole directive when nothing is left of it."""
    kept = [item for item in suppression.items if item not in idle]
    if kept:
        first, last = suppression.items[0], suppression.items[-1]
        text = ", ".join(source.text[item.start : item.end] for item in kept)
        return Edit(source.path, first.start, last.end, text)
    text, comment = source.text, suppression.comment
    start, end = suppression.start, suppression.end
    rest = text[end : comment.end]
    if rest.strip():
        return Edit(source.path, start, end + len(rest) - len(rest.lstrip()), "")
    before = text[:start].rstrip(" \t")
    if comment.trailing or before.rpartition("\n")[2].strip("\ufeff"):
        return Edit(source.path, len(before), end, "")
    after = re.compile(r"[ \t]*\r?\n?").match(text, end)
    return Edit(source.path, len(before), after.end() if after else end, "")


def additions(source: SourceFile, diagnostics: Iterable[Diagnostic], reason: str) -> list[Edit]:
    """The comments that silence findings of one file: each on a line of its own above what is found, and one at the top
    for what is found of the file as a whole, or in its head, above which nothing can speak for it."""
    spans = units(source)
    wanted: dict[int, list[str]] = {}
    of_file: list[str] = []
    for found in diagnostics:
        if found.code in _BEYOND_COMMENTS:
            continue
        line = None if found.start == found.end == 0 else _unit_line(source, spans, found.line)
        if line is not None:
            codes = wanted.setdefault(line, [])
        elif found.end == 0 or _is_comment(source, found.line):
            codes = of_file
        else:
            continue
        if found.code not in codes:
            codes.append(found.code)
    edits = []
    if of_file:
        start = _behind_head(source)
        comment = _comment("file-ignore", of_file, reason)
        edits.append(Edit(source.path, start, start, comment + _line_end(source)))
    for line, codes in sorted(wanted.items()):
        text = source.line_text(line).removeprefix("\ufeff")
        start = source.line_starts[line - 1] + len(source.line_text(line)) - len(text)
        indent = text[: len(text) - len(text.lstrip(" \t"))]
        comment = _comment("ignore", codes, reason)
        edits.append(Edit(source.path, start, start, indent + comment + _line_end(source)))
    return edits


def _comment(kind: str, codes: Iterable[str], reason: str) -> str:
    """A comment of ours; a reason that begins like another comment is told from one by a colon."""
    colon = ":" if reason.startswith("#") else ""
    return f"# relax-lint: {kind}[{', '.join(sorted(codes))}]{colon} {reason}".rstrip()


def _is_comment(source: SourceFile, line: int) -> bool:
    """Whether nothing but a comment is on a line."""
    return source.line_text(line).lstrip(" \t\ufeff").startswith("#")


def _behind_head(source: SourceFile) -> int:
    """Where the first comment of a file can stand: behind its byte-order mark, the line that says what runs it, and the
    one that names its encoding."""
    match = _HEAD.match(source.text)
    return match.end() if match else 0


def _line_end(source: SourceFile) -> str:
    return "\r\n" if source.text[: source.text.find("\n") + 1].endswith("\r\n") else "\n"


def _unit_line(source: SourceFile, spans: Iterable[tuple[int, int]], line: int) -> int | None:
    """The line above which a comment can stand that speaks for ``line``: where the smallest unit round it begins."""
    best: tuple[int, int] | None = None
    for start, end in spans:
        first, last = source.position(start)[0], source.position(max(start, end - 1))[0]
        begins = not source.text[source.line_starts[first - 1] : start].strip(" \t\ufeff")
        if begins and first <= line <= last and (best is None or last - first < best[1] - best[0]):
            best = (first, last)
    return None if best is None else best[0]
