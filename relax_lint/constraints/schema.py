"""One constraint on a launch: a condition, and what Relax does when it holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, Protocol, get_args

from relax_lint.constraints.expressions import Expression, ExpressionError
from relax_lint.patterns import pattern
from relax_lint.records import field, record

Kind = Literal["refusal", "crash", "no-effect", "overwritten", "guide"]
Stage = Literal["resource", "validate", "late", "megatron", "sglang", "start", "train", "team"]
Severity = Literal["E", "W", "A"]

STAGES: tuple[Stage, ...] = get_args(Stage)
"""In the order in which Relax comes to them: GPUs and checkpoint, its own checks before and after it has read
``--custom-config-path``, Megatron's, SGLang's, the controller,
the workers; last what a team asks for."""
SKIPPED_WHEN: Mapping[Stage, str] = {"megatron": "debug_rollout_only", "sglang": "trains_only"}
"""When Relax leaves a whole stage out."""
BEFORE_CONFIG = frozenset({"resource", "validate"})
MODES = ("sft", "hybrid", "async", "colocate", "separate")
RL = ("hybrid", "async", "colocate", "separate")

NO_EFFECT = frozenset({"no-effect", "overwritten"})
STOPS = frozenset({"refusal", "crash"})
"""Kinds with which the launch is over."""


@record
class Constraint:
    """What a launch must not be.

    ``when`` is the condition under which it is violated, ``message`` says so with ``{name}`` for values; ``modes`` is
    empty when it concerns every mode; ``flags`` is where to point, else the flags that ``when`` names; ``by_default``
    says that it may hold with none of its flags passed; ``static`` why it cannot be judged from the launch alone;
    ``behind`` the constraints of whose violation it is a mere consequence: it is not told beside them, but for an error
    beside a warning, which would leave the launch broken without a word.
    """

    id: str
    when: str
    message: str
    source: str = field(default="", kw_only=True)
    kind: Kind = field(default="refusal", kw_only=True)
    stage: Stage = field(default="team", kw_only=True)
    modes: tuple[str, ...] = field(default=(), kw_only=True)
    rule: str | None = field(default=None, kw_only=True)
    severity: Severity | None = field(default=None, kw_only=True)
    flags: tuple[str, ...] = field(default=(), kw_only=True)
    fix: str | None = field(default=None, kw_only=True)
    by_default: bool = field(default=False, kw_only=True)
    static: str | None = field(default=None, kw_only=True)
    behind: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    def code(self) -> str:
        """The rule that reports it."""
        return self.rule or ("RLX508" if self.kind in NO_EFFECT else "RLX505")

    @property
    def level(self) -> Severity:
        """How bad it is: by what Relax does, where nothing else is said."""
        return self.severity or ("E" if self.kind in STOPS else "W")


class SchemaError(Exception):
    """A constraint in the configuration that is none; ``key`` is where, ``offset`` the place in its text."""

    def __init__(self, key: str, message: str, offset: int | None = None) -> None:
        super().__init__(f"{key}: {message}")
        self.key = key
        self.message = message
        self.offset = offset


_ID = pattern(r"[\w.:/-]+")
_FIX = pattern(r"drop --[\w-]+|set --[\w-]+(?: \S.*)?")
_LISTS = frozenset({"modes", "flags"})
_CHOICES: Mapping[str, tuple[str, ...]] = {"kind": get_args(Kind), "severity": get_args(Severity)}
_TEXTS = frozenset({"id", "when", "message", "source", "fix", *_CHOICES})


def from_table(table: Mapping[str, Any]) -> Constraint:
    """A team's own constraint, as the configuration spells it. Raises :class:`SchemaError`."""
    for key in ("id", "when", "message"):
        if key not in table:
            raise SchemaError(key, "is missing")
    for key, value in table.items():
        _check_key(key, value)
    try:
        Expression(table["when"]).tree  # noqa: B018 - parsing is the check
    except ExpressionError as error:
        raise SchemaError("when", str(error), error.offset) from None
    given: dict[str, Any] = {key: tuple(value) if key in _LISTS else value for key, value in table.items()}
    given["message"] = " ".join(given["message"].split())
    return Constraint(**given, by_default=True)


def _check_key(key: str, value: object) -> None:
    if key in _LISTS:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise SchemaError(key, "is a list of texts")
        if key == "modes" and (unknown := [item for item in value if item not in MODES]):
            raise SchemaError(key, f"no mode {unknown[0]}; there are {', '.join(MODES)}")
    elif key not in _TEXTS:
        raise SchemaError(key, f"no such key; there are {', '.join(sorted(_TEXTS | _LISTS))}")
    elif not isinstance(value, str):
        raise SchemaError(key, "is a text")
    elif not value.strip():
        raise SchemaError(key, "is empty")
    elif key == "id" and not _ID.fullmatch(value):
        raise SchemaError(key, "is made of letters, digits and any of - _ . : /")
    elif key == "message" and not " ".join(value.split()).isprintable():
        raise SchemaError(key, "holds a character that cannot be printed")
    elif key == "fix" and not _FIX.fullmatch(value):
        raise SchemaError(key, 'is "drop --flag" or "set --flag VALUE"')
    elif key in _CHOICES and value not in _CHOICES[key]:
        raise SchemaError(key, f"is one of {', '.join(_CHOICES[key])}")


class Maker(Protocol):
    """Makes a constraint of one kind."""

    def __call__(self, id: str, when: str, message: str, line: int | str, /, **more: Any) -> Constraint:
        """``line`` is where in the section's file, or a place in another file."""


class Section(NamedTuple):
    """Makers for the constraints that one file holds."""

    refuses: Maker
    crashes: Maker
    ignores: Maker
    overwrites: Maker


def section(stage: Stage, file: str) -> Section:
    """Makers for the constraints of a stage in a file of Relax, Megatron or SGLang."""

    def maker(kind: Kind) -> Maker:
        def make(id: str, when: str, message: str, line: int | str, /, **more: Any) -> Constraint:
            source = f"{file}:{line}" if isinstance(line, int) else line
            return Constraint(id, when, message, source=source, kind=kind, stage=stage, **more)

        return make

    return Section(maker("refusal"), maker("crash"), maker("no-effect"), maker("overwritten"))
