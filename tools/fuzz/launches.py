"""What launches give Relax before and after a fix: where it was not about a flag, that flag stays what it was."""

from __future__ import annotations

import re
from collections.abc import Iterator

from relax_lint.catalog.argparse_model import arity
from relax_lint.fixing import Fixed
from relax_lint.project import Project
from relax_lint.shell.launch import Launch
from tools.fuzz.outcome import Trouble

_FLAG = re.compile(r"--[\w-]+")
_OVERRIDE, _CONTINUATION = "RLX402", "RLX422"

Values = tuple[str, ...]


def changed_flags(project: Project, fixed: Fixed) -> tuple[int, list[Trouble]]:
    """The launches that could be compared, how many, and the flags that changed without a word about them. Where lines
    were joined, any flag may have other values: those of the lines that were lost."""
    spoken_of = set(_spoken_of(fixed))
    compared, troubles = 0, list[Trouble]()
    if any(one.code == _CONTINUATION for one in fixed.fixed):
        return compared, troubles
    for path in fixed.changes:
        before, after = project.launcher(path), fixed.project.launcher(path)
        if path.suffix not in (".sh", ".bash") or before is None or after is None:
            continue
        if before.script.problems or len(before.launches) != len(after.launches):
            continue
        for was, now in zip(before.launches, after.launches, strict=True):
            if was.kind != "relax" or now.kind != "relax":
                continue
            compared += 1
            became = _values(now, project)
            for flag, values in _values(was, project).items():
                if flag not in spoken_of and not _fits(values, became.get(flag), fixed):
                    detail = f"{flag}: {values} became {became.get(flag)}; {sorted({one.code for one in fixed.fixed})}"
                    troubles.append(
                        Trouble("another flag changed", " ".join(sorted({one.code for one in fixed.fixed})), detail)
                    )
    return compared, troubles


def _fits(before: Values, after: Values | None, fixed: Fixed) -> bool:
    """Whether a flag has what it had, but for overrides of verl that are gone from behind it."""
    if before == after or after is None or not any(one.code == _OVERRIDE for one in fixed.fixed):
        return before == after
    left = iter(before)
    return all(word in left for word in after)


def _values(launch: Launch, project: Project) -> dict[str, Values]:
    """The last values of each flag that Relax takes notice of, as many as it takes."""
    found: dict[str, Values] = {}
    for one in launch.arguments:
        flag = project.catalogue.flag(one.flag)
        if flag is not None:
            found[one.flag] = tuple(word.text for word in one.own_values[: arity(flag)[1]])
    return found


def _spoken_of(fixed: Fixed) -> Iterator[str]:
    for found in fixed.fixed:
        yield from _FLAG.findall(f"{found.subject} {found.message} {found.fix.title if found.fix else ''}")
