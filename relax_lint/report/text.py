"""For people: one line a finding, the source below it with a caret, and a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from relax_lint.diagnostics import Diagnostic, Severity
from relax_lint.report import Outcome, plural, shown_path
from relax_lint.report.columns import printable
from relax_lint.report.conditions import joined

WIDEST = 160
NEAREST = 3
MOST_RULES = 6
"""Rules that the line which says how many findings were fixed names one by one."""
MOST_STALE = 10
"""Entries of a baseline that are shown one by one; JSON has them all."""
_COLOURS = {Severity.ERROR: "31", Severity.WARNING: "33", Severity.ADVICE: "36"}
_BOLD, _DIM, _BLUE = "1", "2", "34"


def render(outcome: Outcome) -> str:
    """The whole report."""
    paint = _Paint(outcome.colour)
    blocks = ["\n".join(_block(found, outcome, paint)) for found in outcome.shown]
    text = "".join(f"{line}\n" for line in (*blocks, *_fixes(outcome)))
    if not outcome.quiet:
        text += "".join(f"{line}\n" for line in _summary(outcome))
    return text


def statistics(outcome: Outcome) -> str:
    """How many findings each rule has, the most frequent first: ``[*]`` can be fixed, ``[-]`` some of them can."""
    counts = Counter((found.code, found.name) for found in outcome.shown)
    fixable = Counter(found.code for found in outcome.shown if outcome.would_fix(found))
    width = max((len(str(count)) for count in counts.values()), default=0)
    lines = [
        f"{count:>{width}}  {code}  [{_share(fixable[code], count)}] {name}"
        for (code, name), count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    ]
    return "".join(f"{line}\n" for line in [*lines, *_fixes(outcome), *([] if outcome.quiet else _summary(outcome))])


def _share(fixable: int, count: int) -> str:
    return "*" if fixable == count else "-" if fixable else " "


def _block(found: Diagnostic, outcome: Outcome, paint: _Paint) -> Iterator[str]:
    name = printable(shown_path(found.path))
    # A line that begins with two colons is a command to GitHub's runners.
    place = f"{'./' if name.startswith(':') else ''}{name}:{found.line}:{found.column}:"
    mark = " [*]" if outcome.would_fix(found) else ""
    weight = "" if found.severity is Severity.ERROR else f" ({found.severity.value})"
    code = paint(found.code, _BOLD, _COLOURS[found.severity])
    yield f"{paint(place, _BOLD)} {code}{paint(mark, _BLUE)} {printable(found.message)}{weight}"
    gutter = " " * len(str(found.line))
    if found.excerpt.strip():
        text, before, width = _excerpt(found)
        yield paint(f"{gutter} |", _BLUE)
        yield f"{paint(f'{found.line} |', _BLUE)} {text}".rstrip()
        yield f"{paint(f'{gutter} |', _BLUE)} {before}{paint('^' * width, _BOLD, _COLOURS[found.severity])}"
    for note in _notes(found):
        yield f"{paint(f'{gutter} =', _BLUE)} {printable(note)}"
    yield ""


def _notes(found: Diagnostic) -> Iterator[str]:
    if found.fix is not None:
        yield f"fix{'' if found.fix.safe else ' (unsafe)'}: {found.fix.title}"
        if found.fix.reason:
            yield f"unsafe because {found.fix.reason}"
    for note in found.related:
        yield f"{shown_path(note.path)}:{note.line}: {note.message}"
    if found.launch is not None:
        yield f"in the launch at {shown_path(found.launch.path)}:{found.launch.line}{when(found.launch.conditions)}"
    if found.suppressed is not None:
        where = found.suppressed_by
        by = "" if where is None else f" at {shown_path(where.path)}:{where.line}"
        yield f"suppressed{by}: {found.suppressed or 'no reason given'}"


def when(conditions: tuple[str, ...]) -> str:
    """The conditions of a launch, those next to it if there are many."""
    near = conditions[-NEAREST:]
    more = f" (and {len(conditions) - NEAREST} more)" if len(conditions) > NEAREST else ""
    return f", when {joined(near)}{more}" if near else ""


def _excerpt(found: Diagnostic) -> tuple[str, str, int]:
    """The line, what stands under it before the caret, and the caret's width. Long lines are cut round the place."""
    from unicodedata import east_asian_width

    def columns(text: str) -> int:
        return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)

    text = found.excerpt.removeprefix("\ufeff")
    start = found.column - 1
    end = found.end_column - 1 if found.end_line == found.line else len(text)
    skip = max(0, start - WIDEST // 2) if len(text) > WIDEST else 0
    cut = text[skip : skip + WIDEST]
    shown = f"{'…' if skip else ''}{cut}{'…' if skip + WIDEST < len(text) else ''}"
    lead = ("…" if skip else "") + text[skip:start]
    before = "".join(character if character == "\t" else " " * columns(character) for character in lead)
    width = columns(text[start : min(end, skip + WIDEST)])
    return printable(shown, keep="\t"), before, max(1, width)


def _summary(outcome: Outcome) -> Iterator[str]:
    report = outcome.report
    counts = [plural(outcome.count(severity), severity.value) for severity in Severity if outcome.count(severity)]
    fixed = f"Fixed {plural(len(outcome.fixed), 'finding')}{_by_rule(outcome.fixed)}. " if outcome.fixed else ""
    found = f"Found {', '.join(counts)}" if counts else "Nothing found" if report.failures else "All clean"
    seen = f"{plural(report.files, 'file')}, {plural(report.recipes, 'recipe')}, {plural(report.launches, 'launch')}"
    failed = f", with {plural(len(report.failures), 'internal error')}" if report.failures else ""
    yield f"{fixed}{found} in {seen}{failed}." if counts or report.files else "Nothing to check."
    marked = sum(outcome.would_fix(item) for item in report.standing)
    unsafe = sum(item.fix is not None for item in report.standing) - marked
    if marked:
        more = f" ({unsafe} more with `--unsafe-fixes`)" if unsafe else ""
        yield f"[*] {marked} can be fixed with `--fix{' --unsafe-fixes' if outcome.unsafe else ''}`{more}."
    elif unsafe:
        yield f"{unsafe} can be fixed with `--fix --unsafe-fixes`."
    silenced = len(report.diagnostics) - len(report.standing)
    if silenced:
        yield f"{silenced} silenced; `--show-suppressed` shows what, and why."
    yield from _stale(outcome)
    if outcome.unjudged:
        yield f"{outcome.unjudged} could not be judged; `--format json` lists what, and why."


def _by_rule(fixed: Sequence[Diagnostic]) -> str:
    """How many findings of each rule, if that is short."""
    counts = sorted(Counter(found.code for found in fixed).items(), key=lambda item: (-item[1], item[0]))
    told = ", ".join(f"{count} {code}" for code, count in counts) if len(counts) > 1 else counts[0][0]
    return f" ({told})" if len(counts) <= MOST_RULES else f" of {len(counts)} rules (`--show-fixes` lists them)"


def _fixes(outcome: Outcome) -> Iterator[str]:
    """What was fixed, file by file, if that is asked for."""
    if not outcome.show_fixes or not outcome.fixed:
        return
    yield f"Fixed {plural(len(outcome.fixed), 'finding')}:"
    by_path: dict[str, Counter[tuple[str, str]]] = {}
    for found in outcome.fixed:
        by_path.setdefault(shown_path(found.path), Counter())[found.code, found.name] += 1
    for path, counts in sorted(by_path.items()):
        yield f"- {printable(path)}:"
        width = max(len(str(count)) for count in counts.values())
        for (code, name), count in sorted(counts.items()):
            yield f"    {count:>{width}} × {code} ({name})"
    if not outcome.quiet:
        yield ""


def _stale(outcome: Outcome) -> Iterator[str]:
    """What baselines remember in vain."""
    if not outcome.stale:
        return
    files = ", ".join(dict.fromkeys(shown_path(entry.baseline) for entry in outcome.stale))
    count = len(outcome.stale)
    told = f"{plural(count, 'entry')} of {files} {'is' if count == 1 else 'are'} stale"
    yield f"{told}; `--prune-baseline` takes {'it' if count == 1 else 'them'} out:"
    for entry in outcome.stale[:MOST_STALE]:
        yield f"  {printable(f'{shown_path(entry.path)}: {entry.code} {entry.message}'.rstrip())}"
    if count > MOST_STALE:
        yield f"  … and {count - MOST_STALE} more"


class _Paint:
    """Colours text, or leaves it alone."""

    def __init__(self, on: bool) -> None:
        self._on = on

    def __call__(self, text: str, *codes: str) -> str:
        return f"\033[{';'.join(codes)}m{text}\033[0m" if self._on and text else text
