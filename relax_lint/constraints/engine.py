"""Judges a launch by a table of constraints."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple, cast
from weakref import WeakKeyDictionary

from relax_lint.catalog.hidden import UNKNOWN, is_hidden
from relax_lint.catalog.namespace import Namespace, Parsers
from relax_lint.constraints.derived import DERIVED, Function
from relax_lint.constraints.expressions import Expression, Failed
from relax_lint.constraints.facts import Facts, UnknownName, is_missing
from relax_lint.constraints.needs import asks_environment, needs
from relax_lint.constraints.schema import BEFORE_CONFIG, NO_EFFECT, SKIPPED_WHEN, STAGES, STOPS, Constraint
from relax_lint.constraints.spelling import is_about_spelling
from relax_lint.diagnostics import Place
from relax_lint.records import record
from relax_lint.shell.launch import Argument, Launch, Word

_NAME = re.compile(r"--[\w-]+|[A-Za-z_]\w*")
_HOLE = re.compile(r"\{(\w+)\}")


@record
class Violation:
    """A constraint that a launch violates; ``arguments`` are the flags that it is about, none where that is the launch
    itself."""

    constraint: Constraint
    message: str
    arguments: tuple[Argument, ...]

    @property
    def argument(self) -> Argument | None:
        """Where to point, the launch itself when it is ``None``."""
        return self.arguments[0] if self.arguments else None


@record
class Undecided:
    """A constraint that cannot be judged: these words hide what decides, or its values do not fit (``because``)."""

    constraint: Constraint
    words: tuple[Word, ...]
    because: str | None = None


class Judgement(NamedTuple):
    """What a table says of a launch; ``refused`` is whether Relax stops for sure."""

    violations: list[Violation]
    undecided: list[Undecided]
    refused: bool


class Table:
    """Constraints in the order in which Relax comes to them, found by the flags that they name."""

    def __init__(self, constraints: Iterable[Constraint]) -> None:
        given = list(constraints)
        order = {stage: at for at, stage in enumerate(STAGES)}
        self.constraints = sorted((one for one in given if one.static is None), key=lambda one: order[one.stage])
        self.not_static = [one for one in given if one.static is not None]
        self._expressions = [_condition(one) for one in self.constraints]
        self._shortlists: WeakKeyDictionary[Parsers, _Shortlist] = WeakKeyDictionary()
        self._elsewhere: WeakKeyDictionary[Parsers, dict[int, bool]] = WeakKeyDictionary()

    def concerned(self, facts: Facts, everything: bool = False) -> Iterator[tuple[Constraint, Expression]]:
        """The constraints that a launch may violate: one of their flags is passed, or they hold by default."""
        if everything:
            found = set(range(len(self.constraints)))
        elif facts.is_plain and not facts.namespace.skips_engines:
            found = self._shortlist(facts.namespace.parsers).of(facts.set_names)
        else:
            found = self.mentioning(facts.set_names)
        if not facts.knows_environment:
            found -= self._of_environment
        for at in sorted(found):
            if not self._is_of_another_relax(at, facts.namespace.parsers):
                yield self.constraints[at], self._expressions[at]

    def mentioning(self, names: Iterable[str]) -> set[int]:
        """Those that ask for one of these names, or may hold in a launch that sets nothing."""
        found = set(self._by_default)
        for name in names:
            found.update(self._by_name.get(name, ()))
        return found

    def _shortlist(self, parsers: Parsers) -> _Shortlist:
        if parsers not in self._shortlists:
            self._shortlists[parsers] = _Shortlist(self, Facts(Namespace(_NOTHING, parsers)))
        return self._shortlists[parsers]

    def _is_of_another_relax(self, at: int, parsers: Parsers) -> bool:
        """Whether a constraint asks for an argument which this Relax has not: what it checks in its place is not known.
        A mode that it has not is no reason to leave out what asks for the mode, but what asks for its flag."""
        known = self._elsewhere.setdefault(parsers, {})
        if at not in known:
            missing = {name for name in self._names[at] if is_missing(name, parsers)}
            modes = missing & _behind("mode")
            asked = any(name in self.constraints[at].when for name in modes)
            known[at] = bool(missing - modes) or (asked and not modes.isdisjoint(self._expressions[at].names))
        return known[at]

    @cached_property
    def _of_environment(self) -> frozenset[int]:
        asking = (at for at, one in enumerate(self.constraints) if 'env("' in one.when)
        return frozenset(at for at in asking if asks_environment(self.constraints[at].when))

    @cached_property
    def _names(self) -> list[frozenset[str]]:
        return [mentioned(constraint.when) for constraint in self.constraints]

    @cached_property
    def _by_name(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for at, names in enumerate(self._names):
            for name in names:
                found.setdefault(name, []).append(at)
        return found

    @cached_property
    def _by_default(self) -> frozenset[int]:
        return frozenset(at for at, one in enumerate(self.constraints) if one.by_default)


class _Shortlist:
    """The constraints that a launch of which all flags are known may violate, by what it sets."""

    def __init__(self, table: Table, defaults: Facts) -> None:
        self._table = table
        self._ask = _asking(defaults)
        self._wanted: dict[int, list[frozenset[str]]] = {}

    def of(self, names: frozenset[str]) -> set[int]:
        """Those that these names concern."""
        return {at for at in self._table.mentioning(names) if self._may_hold(at, names)}

    def _may_hold(self, at: int, names: frozenset[str]) -> bool:
        """Whether these names hold something of all that a condition needs."""
        if at not in self._wanted:
            self._wanted[at] = sorted(needs(self._table.constraints[at].when, self._ask, mentioned), key=len)
        return not any(map(names.isdisjoint, self._wanted[at]))


def _asking(facts: Facts) -> Callable[[str], Any]:
    """Values of names; hidden for those that there are not, which a team may have written."""

    def ask(name: str) -> Any:
        try:
            return facts.get(name)
        except UnknownName:
            return UNKNOWN

    return ask


_NOTHING = Launch("relax", (Word("python3"), Word("relax/entrypoints/train.py")), cast(Place, None), Path())
"""A launch that sets nothing."""


def _condition(constraint: Constraint) -> Expression:
    """The condition of a constraint; what teams write is checked before anything of it is worked out."""
    condition = Expression(constraint.when)
    if constraint.stage == "team":
        _ = condition.tree
    return condition


def mentioned(text: str) -> frozenset[str]:
    """The attributes and flags that a condition asks for, also through derived values."""
    names = set(_NAME.findall(text))
    return frozenset(names).union(*(_behind(name) for name in names if name in DERIVED))


@cache
def _behind(name: str) -> frozenset[str]:
    """The attributes and flags behind a derived value."""
    derived = DERIVED[name]
    return mentioned(" ".join(derived.reads) if isinstance(derived, Function) else derived)


def judge(
    facts: Facts,
    table: Table,
    *,
    past_refusals: bool = False,
    stages: Sequence[str] = STAGES,
) -> Judgement:
    """What a launch violates, in Relax's order, and what cannot be told.

    Relax stops at its first refusal: later stages are judged only with ``past_refusals``. What only follows from
    something else is left out: violations behind others, and what cannot be worked out behind a refusal, such as a
    parallel size of 0. What stops a launch is never left out behind what does not.
    """
    violations: list[Violation] = []
    undecided: list[Undecided] = []
    stopped_in: str | None = None
    before, after = facts, facts.overlaid()
    left_out = frozenset(stage for stage, skipped in SKIPPED_WHEN.items() if after.get(skipped) is True)
    modes = {id(before): before.get("mode"), id(after): after.get("mode")}
    for constraint, condition in table.concerned(after):
        if constraint.stage not in stages or constraint.stage in left_out:
            continue
        if stopped_in not in (None, constraint.stage) and not past_refusals:
            break
        facts = before if constraint.stage in BEFORE_CONFIG else after
        mode = modes[id(facts)]
        if constraint.modes and not is_hidden(mode) and mode not in constraint.modes:
            continue
        try:
            if condition.fails(facts.values):
                continue
            outcome = _outcome(constraint, condition, facts, mode)
        except UnknownName as unknown:
            outcome = Undecided(constraint, (), f"there is no {unknown.args[0]}")
        if isinstance(outcome, Violation):
            violations.append(outcome)
            if constraint.kind in STOPS:
                stopped_in = constraint.stage
        elif outcome is not None:
            undecided.append(outcome)
    told = {one.constraint.id for one in violations}
    errors = {one.constraint.id for one in violations if one.constraint.level == "E"}

    def follows(constraint: Constraint) -> bool:
        return not (errors if constraint.level == "E" else told).isdisjoint(constraint.behind)

    refused_words = {problem.word for problem in before.namespace.problems}
    undecided = [one for one in undecided if one.because is not None or not refused_words.issuperset(one.words)]
    return Judgement(
        [one for one in violations if not follows(one.constraint)],
        [one for one in undecided if not follows(one.constraint) and not (stopped_in and one.because)],
        stopped_in is not None,
    )


def _outcome(constraint: Constraint, condition: Expression, facts: Facts, mode: object) -> Violation | Undecided | None:
    try:
        truth = condition.truth(facts.values)
    except Failed as failure:
        return Undecided(constraint, (), str(failure))
    if is_hidden(truth):
        return Undecided(constraint, truth.words) if truth.words else None
    if not truth:
        return None
    if constraint.modes and is_hidden(mode):
        return Undecided(constraint, mode.words)
    return Violation(constraint, filled(constraint.message, facts), tuple(pointed_at(constraint, facts)))


def shown_names(message: str) -> list[str]:
    """The names in braces of a message."""
    return _HOLE.findall(message)


def filled(message: str, facts: Facts) -> str:
    """A message with the values of the names in braces."""

    def shown(found: re.Match[str]) -> str:
        value = facts.get(found[1])
        if isinstance(value, dict):
            return ", ".join(f"{key}: {each}" for key, each in value.items())
        if isinstance(value, list):
            return ", ".join(map(str, value))
        return "?" if is_hidden(value) else str(value)

    return _HOLE.sub(shown, message)


def pointed_at(constraint: Constraint, facts: Facts) -> Iterator[Argument]:
    """The flags of a constraint that the launch passes: each that is void, else the first."""
    namespace = facts.namespace
    each = constraint.kind in NO_EFFECT
    names = constraint.flags or (_asked_for(constraint) if each else ()) or _NAME.findall(constraint.when)
    told: set[str] = set()
    refused = {problem.option for problem in namespace.problems}
    for name in names:
        dest = namespace.parsers.dest_of(name) or name
        argument = namespace.argument(dest) if dest not in told and namespace.knows(dest) else None
        if name in refused and (argument is None or is_about_spelling(name, dest, constraint.when)):
            argument = namespace.refused(name) or argument
        if argument is not None:
            told.add(dest)
            yield argument
            if not each:
                return


def _asked_for(constraint: Constraint) -> list[str]:
    """The flags of which a condition asks whether they are passed."""
    return re.findall(r"--[\w-]+", constraint.when)
