"""verl's rejection of what the rollout found otherwise likely than the trainer, as a function that Relax calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relax_lint.migrate.texts import REJECTION
from relax_lint.records import record

if TYPE_CHECKING:
    from relax_lint.migrate.settings import Settings

REJECTION_KEY = "algorithm.rollout_correction.rollout_rs"
THRESHOLD = f"{REJECTION_KEY}_threshold"
FUNCTION = "reject"
_LEVELS = ("token", "seq_sum", "seq_mean", "seq_max")
_KINDS = frozenset(f"{level}_k{number}" for level in _LEVELS for number in (1, 2, 3)) - {"seq_max_k1"}


@record
class Limit:
    """What a measure of a token or a response may be; of k1, the ratio itself is bounded on both sides."""

    kind: str
    upper: float
    lower: float | None = None

    @property
    def written(self) -> str:
        """As an entry of the function's table."""
        if self.lower is None:
            return f'("{self.kind}", -math.inf, {self.upper:g}),'
        return f'("{self.kind}", math.log({self.lower:g}), math.log({self.upper:g})),'


def limits_of(settings: Settings) -> list[Limit]:
    """The limits that a launch sets; none where it rejects nothing, or by what this program does not know."""
    kinds, bounds = _listed(settings.value(REJECTION_KEY)), _listed(settings.value(THRESHOLD))
    kinds = list(dict.fromkeys(kinds))
    if not kinds or not _KINDS.issuperset(kinds) or len(bounds) not in (1, len(kinds)):
        return []
    try:
        pairs = zip(kinds, bounds * len(kinds) if len(bounds) == 1 else bounds, strict=True)
        return [_limit(kind, bound) for kind, bound in pairs]
    except ValueError:
        return []


def function_text(name: str, limits: list[Limit]) -> str:
    """The module of the recipe that rejects."""
    return REJECTION.format(name=name, limits="\n    ".join(limit.written for limit in limits))


def _listed(value: object) -> list[str]:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return []
    return [part.strip() for part in str(value).split(",") if part.strip()]


def _limit(kind: str, bound: str) -> Limit:
    """Raises :class:`ValueError` for what verl refuses."""
    if not kind.endswith("k1"):
        return Limit(kind, _positive(bound))
    lower, both, upper = bound.partition("_")
    return (
        Limit(kind, _positive(upper), _positive(lower)) if both else Limit(kind, _positive(lower), 1 / _positive(lower))
    )


def _positive(text: str) -> float:
    # A second _ would be taken for one between digits.
    number = float(text.replace("_", "?"))
    if not 0 < number < float("inf"):
        raise ValueError(text)
    return number
