"""The GPU layout of a launch as a picture: a box a machine, a column a GPU, a row a role."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from relax_lint.gpu_layout import Blocks, Layout, RoleLayout
from relax_lint.report import plural
from relax_lint.report.columns import shortened
from relax_lint.report.html.launches import lost, named
from relax_lint.report.html.markup import Html, code, element, join
from relax_lint.report.html.wording import conditions

if TYPE_CHECKING:
    from relax_lint.report.html.content import Column, Placing
    from relax_lint.report.html.sources import Sources

MOST_NODES = 32
"""More machines than this are counted, not drawn."""
_SLOT, _ROW, _NAME, _TOP, _PAD = 36, 28, 70, 24, 8
_KNOWN = ("actor", "rollout", "reference", "actor_fwd", "genrm", "teacher", "critic", "sft")
_LETTER = 6.3
"""About how wide a letter is."""


class Run(NamedTuple):
    """GPUs side by side that a role has: a block of its model, or all that it has where blocks are not known."""

    role: RoleLayout
    first: int
    last: int
    label: str


# ---------------------------------------------------------------- where what lies


def placed(layout: Layout, per_node: int) -> list[Run]:
    """Where the roles lie, packed: those that share GPUs together, each other one on as few machines as it fits.

    Of those that share, what serves another model comes behind the rollout where there is room for both.
    """
    runs: list[Run] = []
    started = [role for role in layout.roles if role.gpus and role.name not in layout.idle]
    shared = [role for role in started if role.shared]
    total = max((role.gpus or 0 for role in shared), default=0)
    rollout = next((role.gpus or 0 for role in shared if role.name == "rollout"), 0)
    for role in shared:
        behind = role.name in ("genrm", "teacher") and rollout + (role.gpus or 0) <= total
        runs += _runs(role, rollout if behind else 0)
    free = _Free(per_node, total)
    for role in started:
        if not role.shared:
            runs += _runs(role, free.take(role.gpus or 0))
    return runs


class _Free:
    """GPUs that are left on the machines."""

    def __init__(self, per_node: int, taken: int) -> None:
        self._per_node = per_node
        self._used = [min(per_node, taken - start) for start in range(0, taken, per_node)]

    def take(self, count: int) -> int:
        """The first of so many GPUs: on a machine that has room for all, else on new ones."""
        for node, used in enumerate(self._used):
            if used + count <= self._per_node:
                self._used[node] += count
                return node * self._per_node + used
        start = len(self._used) * self._per_node
        self._used += [min(self._per_node, count - at) for at in range(0, count, self._per_node)]
        return start


def _runs(role: RoleLayout, start: int) -> Iterator[Run]:
    gpus, blocks = role.gpus or 0, role.blocks
    if blocks is None:
        yield Run(role, start, start + gpus - 1, role.name)
        return
    count = gpus // blocks.size
    for number in range(count):
        at = start + number * blocks.size
        yield Run(role, at, at + blocks.size - 1, _label(blocks, number, count))


def _label(blocks: Blocks, number: int, count: int) -> str:
    if blocks.stages == 1:
        return f"{blocks.noun} {number}"
    stage, copy = divmod(number, count // blocks.stages)
    return f"{blocks.noun} {copy} PP {stage}"


# ---------------------------------------------------------------- drawing


def drawings(columns: Sequence[Column], sources: Sources) -> Html:
    """The layouts of launches, each once, with the launches that have it."""
    together: dict[tuple[object, ...], list[Column]] = {}
    for column in columns:
        if column.placing is not None:
            placing = column.placing
            together.setdefault((placing.layout, placing.per_node, placing.unless), []).append(column)
    figures = [_figure(members, sources) for members in together.values()]
    figures += [_cut_off(column, sources) for column in columns if column.lost_from is not None]
    return join(figures) if figures else element("p", "Nothing is placed.", class_="muted")


def _figure(columns: Sequence[Column], sources: Sources) -> Html:
    placing = columns[0].placing
    assert placing is not None
    layout = placing.layout
    names = join([_told(column, sources) for column in columns], ", ")
    told = element("figcaption", element("div", names, class_="launches"), element("div", _total(placing)))
    runs = placed(layout, placing.per_node) if not _why_not(layout) else []
    drawn = element("div", _legend(layout), *_nodes(runs, placing.per_node), class_="drawn")
    return element("figure", told, drawn if layout.roles else None, class_="gpus")


def _cut_off(column: Column, sources: Sources) -> Html:
    caption = element("figcaption", element("div", _told(column, sources), class_="launches"), lost(column, sources))
    return element("figure", caption, class_="gpus")


def _told(column: Column, sources: Sources) -> Html:
    return join([named(column, sources), conditions(column.when)], " ")


def _why_not(layout: Layout) -> str:
    if layout.hidden is not None:
        hidden = shortened(" ".join(word.text for word in layout.hidden.words), 60)
        return f"not known: {hidden}" if hidden else "not known"
    return layout.why_none


def _total(placing: Placing) -> Html:
    layout = placing.layout
    why = _why_not(layout)
    if why:
        return element("span", why, class_="muted")
    total = "GPUs: not known" if layout.total is None else plural(layout.total, "GPU")
    shared = [role.name for role in layout.roles if role.shared and role.gpus]
    parts: list[str | None] = [element("b", total)]
    if len(shared) > 1:
        parts.append(f", shared by {', '.join(shared[:-1])} and {shared[-1]}")
    if placing.unless:
        parts += [", unless ", code(placing.unless), " changes it"]
    if layout.missing:
        parts.append(element("span", f"; not in --resource: {', '.join(layout.missing)}", class_="lacking"))
    return join(parts)


def _legend(layout: Layout) -> Html:
    rows = [
        element(
            "tr",
            element("th", element("span", class_=f"swatch {_class(role.name)}"), role.name, scope="row"),
            element("td", "?" if role.gpus is None else str(role.gpus), class_="number"),
            element("td", "; ".join(role.model)),
        )
        for role in layout.roles
    ]
    return element("table", element("tbody", *rows), class_="roles")


def _class(role: str) -> str:
    return f"role-{role}" if role in _KNOWN else "role-other"


def _nodes(runs: Sequence[Run], per_node: int) -> Iterator[Html]:
    if not runs:
        return
    count = max(run.last for run in runs) // per_node + 1
    shown = min(count, MOST_NODES)
    yield element("div", *(_node(number, runs, per_node) for number in range(shown)), class_="nodes")
    if count > shown:
        yield element("p", f"and {count - shown} more machines", class_="muted")


def _node(number: int, runs: Iterable[Run], per_node: int) -> Html:
    """One machine."""
    start = number * per_node
    here = [run for run in runs if run.first < start + per_node and run.last >= start]
    roles = list(dict.fromkeys(run.role.name for run in here))
    width, height = _NAME + per_node * _SLOT + _PAD, _TOP + len(roles) * _ROW + _PAD
    numbers = [_text(_middle(slot), 16, str(start + slot), "gpu") for slot in range(per_node)]
    names = [_text(_PAD, _TOP + at * _ROW + 18, role, "name") for at, role in enumerate(roles)]
    blocks = [_block(run, start, per_node, roles.index(run.role.name)) for run in here]
    box = element("rect", x=0.5, y=0.5, width=width - 1, height=height - 1, rx=8, class_="node")
    return element(
        "svg",
        box,
        *numbers,
        *names,
        *blocks,
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        role="img",
        aria_label=f"machine {number + 1}: {_said(here)}",
    )


def _said(runs: Iterable[Run]) -> str:
    """A machine in words."""
    by_role: dict[str, list[Run]] = {}
    for run in runs:
        by_role.setdefault(run.role.name, []).append(run)
    return "; ".join(
        f"{role} on GPUs {members[0].first} to {members[-1].last}"
        + (f" in {len(members)} blocks" if len(members) > 1 else "")
        for role, members in by_role.items()
    )


def _middle(slot: float) -> float:
    return _NAME + slot * _SLOT + _SLOT / 2


def _block(run: Run, start: int, per_node: int, row: int) -> Html:
    first, last = max(run.first - start, 0), min(run.last - start, per_node - 1)
    x, y = _NAME + first * _SLOT + 1.5, _TOP + row * _ROW + 2
    width, height = (last - first + 1) * _SLOT - 3, _ROW - 4
    lines = [
        element("line", x1=at, x2=at, y1=y + height - 4, y2=y + height, class_="cut")
        for at in (_NAME + slot * _SLOT for slot in range(first + 1, last + 1))
    ]
    rect = element("rect", x=x, y=y, width=width, height=height, rx=5, class_=_class(run.role.name))
    title = element("title", f"{run.role.name}, {run.label}: GPUs {run.first} to {run.last}")
    label = _text(_middle((first + last) / 2), y + 16, _fitting(run.label, width), "label")
    return element("g", title, rect, *lines, label)


def _fitting(label: str, width: float) -> str:
    """A label, or as much of it as there is room for: its initials and numbers. A role's name stands in its row."""
    if len(label) * _LETTER <= width - 4:
        return label
    words = label.split()
    if len(words) == 1:
        return ""
    short = "".join(word if word.isdigit() else word[0].upper() for word in words)
    return short if len(short) * _LETTER <= width - 2 else ""


def _text(x: float, y: float, words: str, class_: str) -> Html:
    return element("text", words, x=x, y=y, class_=class_)
