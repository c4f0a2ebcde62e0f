"""The keys of the configuration, with their types and defaults, as the reader of configuration files asks for them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

from relax_lint.command_line import parser_for
from relax_lint.config import PROFILES, Profile, TableReader, settings_from
from relax_lint.constraints.schema import MODES, Constraint, Kind, Severity
from tools.docs_builder.blocks import GENERATED, cell, code, table

PAGE = Path("docs/reference/settings.md")
OWN_WORDS = {
    "cache": "keep what a run has read and found for the next one; `--no-cache` does without",
    "constraint": "a team's own constraints, as often as you like; see [below](#constraints)",
    "env": "what variables of launchers are at this site; `--env NAME=VALUE` gives one more",
    "extra-flags": "flags that a Relax of yours knows, dashes included; RLX501 takes them for known",
    "require-checked": "what could not be judged is a failure",
    "require-reasons": "a suppression that does not say why is a failure",
    "show-fixes": "after `--fix`, list how many findings of which rule were fixed in each file",
    "per-file-ignores": "patterns of files, each with the rules that say nothing there",
}
"""What keys mean where no option of `check` has their name, or its help leans on its neighbour's."""
CONSTRAINT = {
    "id": "its name, which the message tells; required",
    "when": "the condition under which a launch is wrong; required",
    "message": "what is wrong, with `{name}` for a value; required",
    "kind": f"{' or '.join(map(code, get_args(Kind)))}, by default `refusal`: says the rule and how grave it is",
    "severity": f"{' or '.join(map(code, get_args(Severity)))}, where it is another than that of the kind",
    "modes": f"launches of which modes it concerns, by default all: {', '.join(map(code, MODES))}",
    "flags": "where to point, by default at the flags that `when` names",
    "fix": "`drop --flag` or `set --flag VALUE`, applied with `--unsafe-fixes`",
    "source": "a note of your own",
}
SWITCHED = {True: "true", False: "false"}


class _Recorder(TableReader):
    """A reader of an empty table that remembers what it is asked for."""

    def __init__(self) -> None:
        super().__init__({}, Path("relax-lint.toml"))
        self.rows: dict[str, tuple[str, str]] = {}

    def _note(self, key: str, kind: str, default: str) -> None:
        self.rows[key] = (kind, default)

    def strings(self, key: str) -> tuple[str, ...]:
        self._note(key, "list of strings", "`[]`")
        return super().strings(key)

    def flags(self, key: str) -> tuple[str, ...]:
        found = super().flags(key)
        self._note(key, "list of flags", "`[]`")
        return found

    def switch(self, key: str, default: bool = False) -> bool:
        self._note(key, "boolean", code(SWITCHED[default]))
        return super().switch(key, default)

    def profile(self, key: str) -> Profile:
        found = super().profile(key)
        self._note(key, " or ".join(code(f'"{profile}"') for profile in PROFILES), code(f'"{found}"'))
        return found

    def path(self, key: str) -> Path | None:
        self._note(key, "path, relative to the file", "–")
        return super().path(key)

    def constraints(self, key: str) -> tuple[Constraint, ...]:
        self._note(key, "array of tables", "–")
        return super().constraints(key)

    def table(self, key: str, read: Callable[[str, object], Any]) -> dict[str, Any]:
        kind = "lists of strings" if read == self.strings_of else "strings"
        self._note(key, f"table of {kind}", "–")
        return super().table(key, read)


def page() -> str:
    """The page."""
    recorder = _Recorder()
    settings_from(recorder)
    told = {option: action.help or "" for action in parser_for("check")._actions for option in action.option_strings}
    rows = [
        (code(key), kind, default, cell(_meaning(key, told)), code(f"--{key}") if f"--{key}" in told else "–")
        for key, (kind, default) in sorted(recorder.rows.items())
    ]
    constraint = [(code(name), cell(text)) for name, text in CONSTRAINT.items()]
    return f"""\
{GENERATED}
# Settings

The keys of `relax-lint.toml`, and of `[tool.relax-lint]` in `pyproject.toml`. [Configuration](../configuration.md) says
which file counts for what, and shows them all.

{table(("key", "value", "default", "meaning", "option"), rows)}

## Constraints

The keys of a `[[tool.relax-lint.constraint]]`, of which [Configuration](../configuration.md#constraints-of-your-own)
says more.

{table(("key", "meaning"), constraint)}
"""


def _meaning(key: str, told: dict[str, str]) -> str:
    return OWN_WORDS[key] if key in OWN_WORDS else told[f"--{key}"]
