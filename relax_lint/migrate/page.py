"""MIGRATION.md: what was made of a verl script, for who takes the recipe over."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from relax_lint.migrate.todo_list import Line, numbers, todo_lines
from relax_lint.report.conditions import one_line

_ACTED_ON = ("mapped", "derived", "by hand", "unsupported", "unknown key")
_MEANINGS = {
    "mapped": "one flag says the same",
    "derived": "goes into flags together with other settings",
    "same": "Relax does so by itself",
    "no effect": "verl does not read it in this run",
    "dropped": "Relax needs nothing like it",
    "unsupported": "Relax cannot do it",
    "by hand": "something is left for you to do",
    "unknown key": "verl does not know it either",
}
_EXPONENT = re.compile(r"e(-?)0+(?=\d)")
_PIPE = "\\|"
_Data = dict[str, Any]


def page(told: _Data) -> str:
    """The page, from the data of :func:`relax_lint.migrate.report.report`."""
    blocks = [*_opening(told), *_by_hand(told), *_carried(told), *_how_it_runs(told), *_counted(told)]
    first: _Data | None = None
    for number, launch in enumerate(told["launches"], 1):
        blocks += _settings(launch, number, first, len(told["launches"]))
        first = first or launch
    blocks += [*_no_longer_read(told), *_left(told)]
    return "\n\n".join(blocks) + "\n"


# ---------------------------------------------------------------- what it is about


def _opening(told: _Data) -> Iterator[str]:
    name = told["target"].rpartition("/")[2]
    yield f"# {name}: from verl to Relax"
    several = len(told["launches"]) > 1
    rows = [
        [
            *([str(number)] if several else []),
            f"`{launch['script']}`" + (f", {launch['run']}" if launch["run"] else ""),
            f"{_at(launch)}{_when(launch['conditions'])}",
            f"`{launch['main']}`, {launch['engine']}",
            f"`scripts/models/{launch['model']}.sh`",
        ]
        for number, launch in enumerate(told["launches"], 1)
    ]
    versions = dict.fromkeys(launch["verl"] for launch in told["launches"])
    head = [*(["launch"] if several else []), "launcher", "made of", "verl ran", "model"]
    yield "\n".join(_table(head, rows))
    yield (
        f"The values are those that the verl run really used: its command line, over the configuration that it names, "
        f"over the defaults of verl {', '.join(versions)}."
    )
    for same in told["same"]:
        yield f"What verl runs{_when(same['conditions'])} is the same to Relax: `{same['script']}`."
    if told["not_written"]:
        yield (
            f"**Not written:** {len(told['not_written'])} other ways through the script, each taken when its "
            "conditions hold. Give `relax-lint migrate` the variables of one by `--env` to have it written:"
        )
        yield "\n".join(f"-{_when(conditions)}" for conditions in told["not_written"])
    yield from _not_done(told)


def _not_done(told: _Data) -> Iterator[str]:
    """What is not migrated, or not carried over; what is said of several places stands once."""
    reasons: dict[str, list[str]] = {}
    for refused in told["refused"]:
        at = f"{_at(refused)}{_when(refused['conditions'])}"
        reasons.setdefault(refused["reason"].rstrip("."), []).append(at)
    for reason, places in reasons.items():
        which = "the launch at" if len(places) == 1 else "the launches at"
        yield f"**Not migrated:** {which} {', '.join(places)}: {one_line(reason)}."
    problems: dict[str, list[str]] = {}
    for problem in told["problems"]:
        at = problem["path"] if problem["line"] is None else f"{problem['path']}:{problem['line']}"
        problems.setdefault(problem["message"], []).append(_code(at))
    if problems:
        yield "**Not carried over:**"
        yield "\n".join(f"- {one_line(message)} ({', '.join(places)})" for message, places in problems.items())


def _by_hand(told: _Data) -> Iterator[str]:
    lines = todo_lines(told["launches"])
    yield "## To do by hand"
    if not lines:
        yield "Nothing."
        return
    yield "\n".join(
        f"{number}. {one_line(line.text)}{_about(line, len(told['launches']))}" for number, line in enumerate(lines, 1)
    )


def _about(line: Line, launches: int) -> str:
    """The settings that a line does not name itself, and the launches, where it is not about all of them."""
    keys = [key for key in line.because if key not in line.text and key.rpartition(".")[2] not in line.text]
    some = f"launch{'es' if len(line.launches) > 1 else ''} {numbers(line.launches)}"
    parts = [", ".join(map(_code, keys)), some if len(line.launches) < launches else ""]
    said = "; ".join(filter(None, parts))
    return f" ({said})" if said else ""


def _carried(told: _Data) -> Iterator[str]:
    """Which code comes from where, and what it needs."""
    if told["carried"]:
        yield "## Code that was carried over"
        rows = [
            [
                _code(each["path"]),
                _code(each["from"]) + (f", verl {each['verl']}" if each["verl"] else ""),
                ", ".join(map(_code, each["names"])),
            ]
            for each in told["carried"]
        ]
        yield "\n".join(_table(["file", "made of", "what is of it"], rows))
    if told["packages"]:
        yield "## Packages that it imports"
        rows = [
            [_code(each["package"]), each["used_by"], f"`{each['path']}:{each['line']}`", _how_needed(each)]
            for each in told["packages"]
        ]
        yield "\n".join(_table(["package", "for", "imported at", ""], rows))


def _how_needed(package: _Data) -> str:
    if package["comes_with_relax"]:
        return "Relax brings it"
    return "would be used: install it, if you want it" if package["optional"] else "**install it**"


def _how_it_runs(told: _Data) -> Iterator[str]:
    paragraphs = dict.fromkeys(launch["batch"] for launch in told["launches"] if launch["batch"])
    if paragraphs:
        yield "## Batch sizes"
        yield from map(one_line, paragraphs)
    refusals = dict.fromkeys(
        (mode["mode"], mode["reason"]) for launch in told["launches"] for mode in launch["refused_modes"]
    )
    if refusals:
        yield "## Modes"
        yield "\n".join(f"- `{mode}` is refused by the launcher: {one_line(reason)}" for mode, reason in refusals)
    if told["findings"]:
        yield "## Please check"
        yield "\n".join(
            f"- {found['code']} at `{found['path']}:{found['line']}`: {one_line(found['message'])}"
            for found in told["findings"]
        )


def _counted(told: _Data) -> Iterator[str]:
    yield "## Settings"
    rows = [
        [kind, str(told["launches"][0]["counts"][kind]), meaning]
        for kind, meaning in _MEANINGS.items()
        if told["launches"] and kind in told["launches"][0]["counts"]
    ]
    total = sum(told["launches"][0]["counts"].values()) if told["launches"] else 0
    yield f"What became of the {total} settings" + (" of the first launch" if len(told["launches"]) > 1 else "") + ":"
    yield "\n".join(_table(["fate", "count", "meaning"], rows))


# ---------------------------------------------------------------- the settings of a launch


def _settings(launch: _Data, number: int, first: _Data | None, of: int) -> Iterator[str]:
    settings = launch["settings"]
    if of > 1:
        run = f" ({launch['run']})" if launch["run"] else ""
        yield f"## Launch {number}: `{launch['script']}`{run}"
    if first is not None:
        settings = unlike(first["settings"], settings)
        gone = {setting["key"] for setting in first["settings"]} - {setting["key"] for setting in launch["settings"]}
        yield "All as in the first launch, but:" if settings else "All as in the first launch."
        if gone:
            yield f"Without {', '.join(map(_code, sorted(gone)))}."
    given = [setting for setting in settings if setting["origin"] != "verl default"]
    acted = [setting for setting in settings if setting["origin"] == "verl default" and setting["fate"] in _ACTED_ON]
    rest = [setting for setting in settings if setting["origin"] == "verl default" and setting["fate"] not in _ACTED_ON]
    yield from _given(given)
    yield from _acted(acted)
    yield from _rest(rest)
    yield from _added(launch, first)


def unlike(first: Iterable[_Data], others: Iterable[_Data]) -> list[_Data]:
    """Those of a launch's settings that another launch has not in the same way, wherever they are written."""

    def identity(setting: _Data) -> str:
        same = {name: value for name, value in setting.items() if name not in ("path", "line", "column", "given")}
        return json.dumps(same, sort_keys=True)

    known = set(map(identity, first))
    return [setting for setting in others if identity(setting) not in known]


def _given(settings: Sequence[_Data]) -> Iterator[str]:
    if settings:
        yield "### What the verl launch sets"
    for part, members in _by_part(settings):
        rows = [
            [_key(setting), _value(setting), _at(setting), _fate(setting), _outcome(setting)] for setting in members
        ]
        yield "\n".join([f"**{part}**", "", *_table(["setting", "value", "written at", "fate", "in Relax"], rows)])


def _acted(settings: Sequence[_Data]) -> Iterator[str]:
    if settings:
        yield "### Defaults of verl that the launcher states or that need you"
        rows = [[_key(setting), _value(setting), _fate(setting), _outcome(setting)] for setting in settings]
        yield "\n".join(_table(["setting", "verl's default", "fate", "in Relax"], rows))


def _rest(settings: Sequence[_Data]) -> Iterator[str]:
    """Defaults that nothing comes of, those of one reason together."""
    if not settings:
        return
    yield "### Other defaults of verl"
    together: dict[tuple[str, str], list[str]] = {}
    for setting in settings:
        together.setdefault((setting["fate"], _outcome(setting)), []).append(f"{_key(setting)} {_value(setting)}")
    order = list(_MEANINGS)
    for (fate, why), members in sorted(together.items(), key=lambda item: order.index(item[0][0])):
        shown = textwrap.fill(", ".join(members), 118, break_long_words=False, break_on_hyphens=False)
        yield f"*{fate}: {why or _MEANINGS[fate]}*\\\n{shown}"


def _added(launch: _Data, first: _Data | None) -> Iterator[str]:
    """Arguments that come from no setting: the launcher's own, such as what the guide always wants."""
    own = [argument for argument in launch["arguments"] if not argument["because"]]
    if first is not None:
        known = [argument["written"] for argument in first["arguments"]]
        own = [argument for argument in own if argument["written"] not in known]
    if own:
        yield "### Flags that no setting of verl stands for"
        rows = [[_code(argument["written"]), argument["modes"], one_line(argument["note"] or "")] for argument in own]
        yield "\n".join(_table(["flag", "modes", "why"], rows))


def _by_part(settings: Iterable[_Data]) -> Iterable[tuple[str, list[_Data]]]:
    """Settings by the part of verl's configuration that they are of."""
    found: dict[str, list[_Data]] = {}
    for setting in settings:
        parts = setting["key"].split(".")
        part = ".".join(parts[:2]) if parts[0] == "actor_rollout_ref" and len(parts) > 2 else parts[0]
        found.setdefault(part, []).append(setting)
    return found.items()


def _fate(setting: _Data) -> str:
    return str(setting["fate"])


def _outcome(setting: _Data) -> str:
    """What a setting becomes, and why."""
    flags = "<br>".join(_code(text) for text in setting["becomes"])
    meant = f"did you mean `{setting['meant']}`?" if setting["meant"] else ""
    why = [setting["reason"] or "", meant]
    return "<br>".join(part for part in [flags, *map(one_line, why)] if part)


# ---------------------------------------------------------------- what else the script did


def _no_longer_read(told: _Data) -> Iterator[str]:
    found: dict[str, dict[str, None]] = {}
    for launch in told["launches"]:
        for one in launch["no_longer_read"]:
            found.setdefault(one["variable"], {}).update(dict.fromkeys(one["in"]))
    if found:
        yield "## Variables that are no longer read"
        yield "The verl launcher gave them defaults, and these are in the launcher of Relax now."
        rows = [[_code(name), ", ".join(map(_code, keys))] for name, keys in found.items()]
        yield "\n".join(_table(["variable", "was part of"], rows))


def _left(told: _Data) -> Iterator[str]:
    if told["unused"]:
        yield "## Files of the recipe that nothing uses"
        yield "They were left where they are."
        rows = [[_code(each["path"]), one_line(each["reason"])] for each in told["unused"]]
        yield "\n".join(_table(["file", "why"], rows))
    if told["not_carried_over"]:
        yield "## Not carried over from the verl script"
        rows = [[_code(left["text"]), _at(left), one_line(left["reason"])] for left in told["not_carried_over"]]
        yield "\n".join(_table(["what", "at", "why"], rows))


def what_was_there(files: Iterable[tuple[str, str, str]]) -> str:
    """A last part of a page, about a recipe that is migrated where it stands: what became of each file that was there,
    and where it is now as it was; git has it where nothing is said."""
    rows = [[_code(path), became, _code(before) if before else "in git"] for path, became, before in files]
    return "\n## Files that were there\n\n" + "\n".join(_table(["file", "now", "as it was"], rows)) + "\n"


# ---------------------------------------------------------------- Markdown


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', _PIPE) for cell in row)} |"


def _key(setting: _Data) -> str:
    return _code(setting["key"])


def _value(setting: _Data) -> str:
    value = setting["value"]
    text = value if isinstance(value, str) else _EXPONENT.sub(r"e\1", json.dumps(value, ensure_ascii=False))
    variable = setting["variable"]
    return _code(text) + (f" by `{variable}`" if variable else "")


def _at(where: _Data) -> str:
    return "" if where["path"] is None else f"`{where['path']}:{where['line']}`"


def _when(conditions: Sequence[str]) -> str:
    return f" when {' and '.join(_code(condition) for condition in conditions)}" if conditions else ""


def _code(text: str) -> str:
    """A text as code."""
    shown = one_line(text)
    if not shown:
        return "(empty)"
    ticks = "`"
    while ticks in shown:
        ticks += "`"
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"
