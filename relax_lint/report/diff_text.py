"""What became of launches, for people: a block for each, a line for each argument, old and new with their places."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from relax_lint.launch_changes import Change, LaunchChange, Setting, Status, command_of, conditions_of, read_as
from relax_lint.report import plural, shown_path
from relax_lint.report.columns import WIDTH, hanging, printable, row, shortened
from relax_lint.report.conditions import joined, short
from relax_lint.report.effective import unless
from relax_lint.shell.queries import start_of

if TYPE_CHECKING:
    from relax_lint.launch_history import Differences
    from relax_lint.shell.launch import Launch

_MARKS: dict[Status, str] = {"changed": "~", "added": "+", "removed": "-", "moved": ">"}
_COLOURS = {"~": "33", "+": "32", "-": "31", ">": "36"}
_MARKED = re.compile(r"  ([~+>-]) ")
_ORDER: tuple[Status, ...] = ("changed", "added", "removed", "moved")
_BY_DEFAULT = {
    True: "launched now when nothing is set and no argument is given",
    False: "no longer launched when nothing is set and no argument is given",
}
_BOLD = "1"
_LABEL = 12
_WIDEST_FLAG = 34
_MOST_CONDITIONS = 3
_MOST_LINES = 4
_AROUND = 20
_LONG = 44
"""Values that together are longer stand below each other."""


def render(differences: Differences, *, colour: bool = False) -> str:
    """All launches of which something has changed, and how many."""
    blocks = []
    for alike in _grouped(differences.changes):
        title, *body = [printable(line.rstrip()) for line in _Block(alike).lines()]
        lines = [_painted(title, _BOLD), *map(_marked, body)] if colour else [title, *body]
        blocks.append("".join(f"{line}\n" for line in lines))
    return "\n".join([*blocks, f"{_summary(differences)}\n"])


def _summary(differences: Differences) -> str:
    what = differences.span
    between = f"since {what.old}" if what.new is None else f"from {what.old} to {what.new}"
    counts = [
        (sum(change.status == status for change in differences.changes), word)
        for status, word in (("changed", "changed"), ("added", "new"), ("removed", "gone"))
    ]
    told = [f"{count} {word}" for count, word in counts if count]
    if not told and differences.submodules:
        return f"No launch outside of submodules has changed {between}."
    if not told:
        return f"No launch has changed {between}."
    (first, word), *rest = [(count, word) for count, word in counts if count]
    return (
        ", ".join([f"{plural(first, 'launch')} {word}", *(f"{count} {word}" for count, word in rest)]) + f" {between}."
    )


def _grouped(changes: Iterable[LaunchChange]) -> list[list[LaunchChange]]:
    """The launches of one script of which the same is to be said, together."""
    groups: dict[object, list[LaunchChange]] = {}
    for change in changes:
        alike = change.status == "changed" and not change.differs(conditions_of)
        said = tuple(_Block([change]).changes()) if alike else id(change)
        groups.setdefault((change.launch.script, change.launch.kind, said), []).append(change)
    return list(groups.values())


class _Block:
    """A launch, or several of one script of which the same is to be said."""

    def __init__(self, alike: Sequence[LaunchChange]) -> None:
        self._alike = alike
        change = alike[0]
        self._change = change
        arguments = sorted(change.arguments, key=lambda one: _ORDER.index(one.status))
        self._arguments = arguments
        known = [len(one.name) for one in arguments if len(one.name) <= _WIDEST_FLAG]
        self._column = max(known, default=0) + 6

    def lines(self) -> Iterator[str]:
        place, text = f"{_where([change.launch for change in self._alike])}:", self._title()
        yield from [f"{place} {text}"] if len(place) + len(text) < WIDTH else [place, f"  {text}"]
        yield from self._when()
        yield from self.changes()

    def _title(self) -> str:
        change, count = self._change, len(self._alike)
        what = f"{change.launch.kind} launch{'es' if count > 1 else ''}"
        if count > 1:
            every = "both" if count == 2 else f"all {count}"
            what = f"{every} {what}" if count == change.among else f"{count} of {change.among} {what}"
        if change.launch.kind == "relax":
            what += f", {' and '.join(dict.fromkeys(one.launch.mode for one in self._alike))}"
        return {"added": f"new {what}", "removed": f"{what}, gone"}.get(change.status, what)

    def _when(self) -> Iterator[str]:
        change, count = self._change, len(self._alike)
        if change.old is not None and change.new is not None and change.differs(conditions_of):
            yield from _conditions(change.old, "  was when")
            yield from _conditions(change.new, "  is when")
        elif count == 1:
            yield from _conditions(change.launch, "  when")
        elif count < change.among:
            for at, one in enumerate(self._alike[:_MOST_CONDITIONS]):
                yield from hanging("  when" if at == 0 else "  or", joined(one.launch.conditions), _LABEL, 2)
            if count > _MOST_CONDITIONS:
                yield from hanging("", f"… and {count - _MOST_CONDITIONS} more", _LABEL)

    def changes(self) -> Iterator[str]:
        """What became of it, but for when it is launched."""
        change = self._change
        if change.old is None or change.new is None:
            count = len(change.arguments)
            yield f"  {plural(count, 'argument')}" + ("; `relax-lint show` lists them" if change.old is None else "")
            return
        old, new = change.old, change.new
        if old.script != new.script:
            yield from hanging("  was in", shown_path(old.script), _LABEL)
        if command_of(old) != command_of(new):
            yield from hanging("  was", _command(old), _LABEL, 3)
            yield from hanging("  is", _command(new), _LABEL, 3)
        if old.by_default != new.by_default:
            yield from hanging("  default", _BY_DEFAULT[new.by_default], _LABEL)
        if old.mode != new.mode and new.kind == "relax":
            yield from hanging("  mode", f"{old.mode} → {new.mode}", _LABEL)
        if None not in change.gpus and change.gpus[0] != change.gpus[1]:
            yield from hanging("  GPUs", " → ".join(map(str, change.gpus)), _LABEL)
        for argument in self._arguments:
            yield from self._argument(argument)

    # ------------------------------------------------------------ arguments

    def _argument(self, change: Change) -> Iterator[str]:
        head = f"  {_MARKS[change.status]} {change.name}"
        old, new = _value(change.old), _value(change.new)
        below: list[str] = []
        if change.status == "changed":
            value = f"{old} → {new}"
            if len(value) > _LONG:
                value, below = "", _both(old, new)
        elif change.status == "moved":
            value = new
        else:
            value = (new if change.old is None else change.old.text) + _default(change)
        yield from row(head, value, self._places(change), self._column)
        yield from below

    def _places(self, change: Change) -> str:
        """Where it was written, and where it is, as far as that differs."""
        old, new = self._place(change.old), self._place(change.new)
        if not old or not new or old == new:
            return new or old
        return f"{old} → {new}"

    def _place(self, setting: Setting | None) -> str:
        """The line in the script, with the name of the file where it is another one."""
        if setting is None or setting.place is None:
            return ""
        path, line = setting.place
        return f":{line}" if path in self._scripts() else f"{shortened(path.name, 24)}:{line}"

    def _scripts(self) -> list[Path]:
        sides = (self._change.old, self._change.new)
        return [launch.script for launch in sides if launch is not None]


def _painted(text: str, code: str) -> str:
    return f"\033[{code}m{text}\033[0m"


def _marked(line: str) -> str:
    """A line whose mark, if it has one, is coloured."""
    found = _MARKED.match(line)
    return line if found is None else f"  {_painted(found[1], _COLOURS[found[1]])}{line[found.end(1) :]}"


def _both(old: str, new: str) -> list[str]:
    """Two long values below each other; where they would look the same, what differs in them."""
    if _part("", old) == _part("", new):
        same = _alike(old, new)
        alike = min(_alike(old[::-1], new[::-1]), min(len(old), len(new)) - same)
        start = max(0, same - _AROUND)
        old, new = (f"…{text[start : len(text) - alike + _AROUND]}…" for text in (old, new))
    return [*_part("-", old), *_part("+", new)]


def _alike(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (here, there) in pairs if here != there), min(len(one), len(other)))


def _part(mark: str, text: str) -> list[str]:
    return hanging(f"      {mark}", text or "''", 8)


def _value(setting: Setting | None) -> str:
    if setting is None:
        return ""
    return " ".join(filter(None, [setting.text, unless(setting.unless)]))


def _default(change: Change) -> str:
    """What holds without the flag, where the catalogue knows it."""
    flag = change.flag
    if flag is None or flag.is_switch or flag.required:
        return ""
    default = "unset" if flag.suppressed or flag.default is None else str(flag.default)
    setting = change.new or change.old
    if setting is not None and setting.meaning == (read_as(flag, default),):
        return "  (its default)"
    return f"  (default {default})" if change.new is not None else f" → {default}, its default"


def _conditions(launch: Launch, label: str) -> Iterator[str]:
    for at, condition in enumerate(launch.conditions):
        yield from hanging(label if at == 0 else "  and", short(condition), _LABEL, 3)


def _command(launch: Launch) -> str:
    words = launch.argv[: launch.entry + 1]
    return " ".join(quote(word.text) if word.known else word.text for word in words)


def _where(launches: Sequence[Launch]) -> str:
    """A script with the lines of some launches."""
    places = [start_of(launch) for launch in launches]
    lines = list(dict.fromkeys(place.source.position(place.start)[0] for place in places))
    shown = ",".join(map(str, lines[:_MOST_LINES])) + (",…" if len(lines) > _MOST_LINES else "")
    return f"{shown_path(places[0].source.path)}:{shown}"
