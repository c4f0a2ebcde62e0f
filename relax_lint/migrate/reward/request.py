"""What a reward is to be made of, and what came of it."""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence
from pathlib import Path

from relax_lint.migrate.carrying.closure import Problem, Requirement
from relax_lint.migrate.plan import RecipeFile
from relax_lint.records import record

BATCH, PRIME, DAPO, NAIVE, LIMITED, REMOTE = "batch", "prime", "dapo", "naive", "rate_limited", "remote"
MANAGERS = (NAIVE, DAPO, PRIME, BATCH, LIMITED, REMOTE)
"""The reward managers of verl whose ways are known."""

_OTHERS = re.compile(
    r"(?:(?:data_source|solution_str|ground_truth|extra_info)s?|processes|functools|asyncio|score_apart|call_by_name|list|dict|float"
    r"|args|samples?|verl_compute_score|compute_score)\Z|given_|_"
)
"""Names that mean something else where the function is called."""


@record
class Function:
    """A function of the user's: the file that it is in, and its name."""

    path: Path
    name: str


@record
class Argument:
    """A value that the reward reads from the config: ``name`` is the parameter of the function, ``option`` what it is
    called there, and ``default`` what it is unless the config says otherwise."""

    name: str
    option: str
    default: object = None

    @property
    def parameter(self) -> str:
        """What ``compute_score`` calls it: its name, unless that cannot be a parameter beside those there are."""
        if self.name.isidentifier() and not keyword.iskeyword(self.name) and not _OTHERS.match(self.name):
            return self.name
        plain = (each if each.isalnum() or each == "_" else f"_{ord(each):x}_" for each in self.name)
        return f"given_{''.join(plain)}"


@record
class Overlong:
    """The penalty of verl's DAPO manager: the options that hold the numbers, with their values. ``longest`` without an
    option is Relax's own bound."""

    buffer: Argument
    factor: Argument
    longest: Argument | None
    log: bool = False


@record
class Manager:
    """verl's reward manager. ``timeout`` bounds one scoring, which gives 0 when it takes longer; ``at_once`` is how
    many may run at a time."""

    kind: str = NAIVE
    overlong: Overlong | None = None
    timeout: Argument | None = None
    at_once: Argument | None = None


@record
class Request:
    """A reward to carry over, for a recipe of this ``name`` in this ``package`` (dotted, the recipe's own): a function
    of the user's, or without one verl's own scoring by the source of the data. ``sources`` are all that the data has;
    none where they are not known.

    With ``turns``, a response holds several turns, between which Relax leaves special tokens that verl reads without.
    ``sandbox`` are the arguments of a code sandbox, which verl's own scoring is given. ``place`` is where problems with
    no place of their own are said to be. ``instead_of`` is a reward manager whose ways are not known: the reward is a
    substitute for it. ``main`` is what the launch runs.
    """

    name: str
    package: str
    function: Function | None = None
    sources: tuple[str, ...] = ()
    manager: Manager = Manager()
    arguments: tuple[Argument, ...] = ()
    sandbox: tuple[Argument, ...] = ()
    place: Problem | None = None
    turns: bool = False
    instead_of: str = ""
    main: str = ""


@record
class CarriedReward:
    """The files of a reward, the reward itself first; none when ``problems`` stand in the way.

    ``notes`` are for MIGRATION.md: what was left out, and what the user has to look at. ``group`` says that the reward
    takes all samples of a prompt at once.
    """

    files: Sequence[RecipeFile] = ()
    requires: Sequence[Requirement] = ()
    problems: Sequence[Problem] = ()
    notes: Sequence[str] = ()
    group: bool = False
