"""What a launch of verl really uses: its settings, each with where its value comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from relax_lint.records import node, record

if TYPE_CHECKING:
    from relax_lint.diagnostics import Place
    from relax_lint.migrate.values import Data
    from relax_lint.shell.launch import Launch

Origin = Literal["command line", "recipe config", "verl default"]
Flavour = Literal["fsdp", "megatron"]
NOT_THERE = "verl has no such setting, so that Hydra asks for a + before it"
"""What Hydra has against a setting that is not in the configuration, which it takes for a slip."""


@record
class Setting:
    """One leaf of the configuration that verl runs with.

    ``given`` is the override or YAML entry as it was written, empty for defaults; ``place`` where. ``variable`` names
    the variable that the whole value comes from when the script gives it a default that a user may override
    (``${N:-8}``). ``known`` says that verl's own tree has such a key; ``meant`` is the key that was probably meant
    when it has not. ``problem`` is what Hydra has against it although it is clear what is meant. ``acts`` says that it
    is no leaf but a word that decides over others: it chooses a file, takes something away, or is for Hydra itself.
    ``declared`` is where a configuration on disk has a setting that the mapping does not know.
    """

    key: str
    value: Data
    origin: Origin
    place: Place | None = None
    given: str = ""
    variable: str | None = None
    known: bool = True
    meant: str | None = None
    problem: str = ""
    acts: bool = False
    declared: Place | None = None


@node
class Settings:
    """All settings of one launch, by dotted key; a list and an empty mapping are leaves.

    ``main`` is the module or file that runs (``verl.trainer.main_ppo``), ``flavour`` the trainer's engine, ``version``
    the verl whose defaults count.
    """

    launch: Launch
    main: str
    flavour: Flavour
    version: str
    leaves: Mapping[str, Setting]

    def value(self, key: str) -> Data:
        """The value of a key; ``None`` when there is no such leaf."""
        setting = self.leaves.get(key)
        return None if setting is None else setting.value
