"""What is to be written for one launch: the arguments, the fate of every setting, what the user must do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from relax_lint.records import node, record

if TYPE_CHECKING:
    from relax_lint.diagnostics import Place
    from relax_lint.migrate.settings import Settings
    from relax_lint.migrate.values import Template

Group = Literal["ckpt", "rollout", "eval", "perf", "algorithm", "optimizer", "sglang", "log", "misc", "launch"]
"""The array of the launcher that an argument stands in; ``launch``: beside the mode's own flags."""
Modes = Literal["both", "sync", "async"]


@record
class Passed:
    """A flag with its values, as the launcher will pass it. A ``Template`` value is written in double quotes, a ``str``
    quoted where bash needs it. ``because`` are the keys of verl that it comes from; ``note`` is a comment above it."""

    flag: str
    values: tuple[str | Template, ...] = ()
    group: Group = "misc"
    because: tuple[str, ...] = ()
    note: str = ""
    modes: Modes = "both"


FateKind = Literal["mapped", "derived", "same", "no effect", "dropped", "unsupported", "by hand", "unknown key"]
"""mapped: one flag says the same; derived: it goes into flags together with others; same: verl's default, and Relax
does so by itself; no effect: verl itself does not read it here; dropped: Relax needs nothing like it, the reason says
why; unsupported: Relax cannot, and the value asks for it; by hand: the user must do something; unknown key: verl does
not know it either."""


@record
class Fate:
    """What becomes of one setting."""

    key: str
    kind: FateKind
    flags: tuple[str, ...] = ()
    reason: str = ""
    todo: str = ""


@record
class YamlEntry:
    """An entry of the recipe's config YAML (``--custom-config-path``)."""

    key: str
    value: object
    because: tuple[str, ...] = ()


@record
class Piece:
    """What a file of the recipe has of a file of verl's or of the user's: functions, classes, values by their names."""

    path: Path
    names: tuple[str, ...] = ()


@record
class RecipeFile:
    """A file that the arguments name and that has to be there: ``name`` in the recipe's directory. ``copy_of`` is the
    file of the user's Relax that it is copied from, where it has no text of its own; ``pieces`` is what was carried
    over into it. With ``from_root`` its name starts at the root of the checkout."""

    name: str
    text: str
    because: tuple[str, ...] = ()
    copy_of: str = ""
    pieces: tuple[Piece, ...] = ()
    from_root: bool = False


@record
class Need:
    """A package that carried code imports, with the place of the import. ``at_hand`` says that Relax brings it,
    ``optional`` that the code does without it; ``used_by`` is what imports it."""

    package: str
    path: Path
    line: int
    used_by: Literal["reward", "tools"]
    optional: bool = False
    at_hand: bool = False


@record
class Obstacle:
    """Something that kept code from being carried over: where it is, and what."""

    path: Path
    line: int
    message: str


@record
class Todo:
    """Something that the user must do by hand, in one sentence."""

    text: str
    because: tuple[str, ...] = ()


@record
class ModeRefused:
    """A mode that the launcher refuses with a message, because Relax cannot run this recipe in it."""

    mode: Literal["sync", "async"]
    reason: str


class Refusal(Exception):
    """A launch that is not migrated: what Relax lacks, and what is nearest."""

    def __init__(self, reason: str, key: str = "", place: Place | None = None) -> None:
        super().__init__(reason)
        self.reason, self.key, self.place = reason, key, place


Step = Passed | Fate | YamlEntry | RecipeFile | Todo | ModeRefused | Need | Obstacle
"""What a step of the planning yields."""


@node
class Plan:
    """One launch of verl, as Relax will run it.

    ``model`` is the stem of the file under ``scripts/models/`` that describes the architecture; ``batch`` the paragraph
    about batch sizes, with numbers; ``files`` are those that the arguments name beside the launcher. ``part`` is the
    package in the recipe that they lie in, where they are not directly there.
    """

    settings: Settings
    passed: Sequence[Passed]
    fates: Sequence[Fate]
    config: Sequence[YamlEntry]
    todos: Sequence[Todo]
    refused: Sequence[ModeRefused]
    model: str
    batch: str
    files: Sequence[RecipeFile] = ()
    needs: Sequence[Need] = ()
    obstacles: Sequence[Obstacle] = ()
    part: str = ""
