"""What became of the settings of a verl run, each with its fate."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from relax_lint.commands import absolute
from relax_lint.migrate.page import unlike
from relax_lint.report import plural
from relax_lint.report.html.markup import EMPTY, Html, code, element, folded, join, prose, scrolling
from relax_lint.report.html.sources import Sources
from relax_lint.report.html.toolbars import Choice, toolbar

FATES: Mapping[str, str] = {
    "mapped": "one flag says the same",
    "derived": "goes into flags together with other settings",
    "by hand": "something is left for you to do",
    "unsupported": "Relax cannot do it",
    "unknown key": "verl does not know it either",
    "same": "Relax does so by itself",
    "dropped": "Relax needs nothing like it",
    "no effect": "verl does not read it in this run",
}
"""What can become of a setting, what concerns the reader most first."""
_ACTED_ON = ("mapped", "derived", "by hand", "unsupported", "unknown key")
_WIDEST = 300
_DEFAULT = "verl default"
Data = Mapping[str, Any]
"""A part of what `relax-lint migrate --format json` prints."""


def settings(launch: Data, number: int, all_: Sequence[Data], sources: Sources) -> Iterator[Html]:
    """The settings of one launch; of a further one, what differs from the first."""
    name = f"settings-{number}"
    run = f", {launch['run']}" if launch["run"] else ""
    yield element("h3", f"Settings of launch {number}" if len(all_) > 1 else "Settings")
    made = [at(launch, sources), " becomes ", file(launch["script"], sources), f"{run}; verl {launch['verl']}"]
    yield element("p", *made, class_="muted")
    if launch["batch"]:
        yield element("p", prose(launch["batch"]))
    for refused in launch["refused_modes"]:
        yield element("p", code(refused["mode"]), " is refused by the launcher: ", prose(refused["reason"]))
    own = list(launch["settings"])
    if number > 1:
        own = unlike(all_[0]["settings"], own)
        yield element("p", "As in launch 1, but for these:" if own else "All as in launch 1.")
    if own:
        counts = {fate: sum(setting["fate"] == fate for setting in own) for fate in FATES}
        choices = [Choice("fate", fate, count) for fate, count in counts.items() if count]
        yield toolbar(name, "setting", choices, len(own))
        yield element("div", *_tables(own, launch["path"], sources), id=name)


def _tables(settings: Sequence[Data], script: str, sources: Sources) -> Iterator[Html]:
    given = [setting for setting in settings if setting["origin"] != _DEFAULT]
    defaults = [setting for setting in settings if setting["origin"] == _DEFAULT]
    acted = [setting for setting in defaults if setting["fate"] in _ACTED_ON]
    rest = [setting for setting in defaults if setting["fate"] not in _ACTED_ON]
    head = ("setting", "verl", "fate", "in Relax")
    if given or acted:
        bodies = [_body("what the verl launch sets", given, script, sources)] if given else []
        bodies += [_body("defaults of verl that make a difference", acted, script, sources)] if acted else []
        yield table(head, bodies, "settings", class_="settings tall")
    if rest:
        body = _body("", rest, script, sources)
        yield folded(
            f"{plural(len(rest), 'default')} of verl that nothing has to be done for",
            table(head, [body], "other defaults of verl", class_="settings tall"),
        )


def _body(title: str, settings: Iterable[Data], script: str, sources: Sources) -> Html:
    head = [element("tr", element("th", title, scope="rowgroup", colspan=4), class_="owner")] if title else []
    return element("tbody", *head, *(_setting(one, script, sources) for one in settings), data_holder=True)


def _setting(setting: Data, script: str, sources: Sources) -> Html:
    fate = setting["fate"]
    kind = fate.replace(" ", "-")
    value = setting["value"]
    shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    by = element("div", "by ", code(setting["variable"]), class_="muted") if setting["variable"] else EMPTY
    meant = f"did you mean {setting['meant']}?" if setting["meant"] else ""
    why = [prose(part) for part in (setting["reason"], setting["todo"], meant) if part]
    becomes = [element("div", code(_short(flag))) for flag in setting["becomes"]]
    return element(
        "tr",
        element("th", _key(setting["key"]), scope="row"),
        element("td", code(_short(shown)), " ", _line(setting, script, sources), by),
        element("td", element("span", fate, class_=f"fate {kind}", title=FATES[fate])),
        element("td", *becomes, *(element("div", each, class_="why") for each in why)),
        data_item=True,
        data_fate=fate,
    )


def _key(key: str) -> Html:
    """A key that may be broken behind its dots."""
    return element("code", join(key.split("."), Html(".<wbr>")))


def _line(setting: Data, script: str, sources: Sources) -> Html:
    """Where a setting is written: just the line where it is the script that all is about."""
    if setting["path"] is None:
        return EMPTY
    name = "" if setting["path"] == script else Path(setting["path"]).name
    return sources.link(absolute(setting["path"]), setting["line"], f"{name}:{setting['line']}")


def _short(value: str) -> str:
    line = " ".join(value.split())
    return line if len(line) <= _WIDEST else f"{line[:_WIDEST]}…"


def at(where: Data, sources: Sources) -> Html:
    """A place, with the name of its file alone."""
    if where["path"] is None:
        return EMPTY
    return sources.near(absolute(where["path"]), where["line"] or 1)


def file(name: str, sources: Sources) -> Html:
    """A file, by its whole path."""
    return sources.link(absolute(name), 1, name)


def table(head: Iterable[str], rows: Sequence[Html], label: str, class_: str = "told") -> Html:
    """A table of rows, or of whole bodies."""
    titles = element("tr", *(element("th", title, scope="col") for title in head))
    bodies = rows if rows and rows[0].startswith("<tbody") else [element("tbody", *rows)]
    return scrolling(label, element("table", element("thead", titles), *bodies), class_=class_)
