"""What a comparison found, as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tools.validator.requests import Outcome
from tools.validator.sites import Site, elsewhere, refusals
from tools.validator.unreachable import why_unreachable

SHOWN = 300
"""Characters of a message, or a change."""


def matrix(title: str, outcomes: Sequence[Outcome]) -> Iterator[str]:
    """The confusion matrix of some outcomes, and what it comes to."""
    counts = Counter((outcome.ours.accepted, outcome.relax.accepted) for outcome in outcomes)
    yield f"{title:24}{'Relax accepts':>16}{'Relax refuses':>16}"
    for accepted, verb in ((True, "accepts"), (False, "refuses")):
        yield f"  relax-lint {verb:11}{counts[accepted, True]:>16}{counts[accepted, False]:>16}"
    total = len(outcomes)
    refused = counts[True, False] + counts[False, False]
    agreement = share(counts[True, True] + counts[False, False], total)
    yield f"  agreement {agreement} of {total}; Relax refuses {refused}, {share(refused, total)}"


def share(part: int, total: int) -> str:
    """A share in per cent; all of nothing is all."""
    return f"{100 * part / total if total else 100:.2f} %"


def by_kind(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """How many mutations of each kind there are, and how they end."""
    kinds = Counter(outcome.request.kind for outcome in outcomes)
    refused = Counter(outcome.request.kind for outcome in outcomes if not outcome.relax.accepted)
    differing = Counter(outcome.request.kind for outcome in outcomes if not outcome.agrees)
    for kind, count in kinds.most_common():
        yield f"  {kind:10}{count:>6}, {refused[kind]} refused, {differing[kind]} disagreements"


def disagreement(outcome: Outcome) -> Iterator[str]:
    """A case in which both differ."""
    request = outcome.request
    yield f"{request.name}: {request.kind} {request.change}"[:SHOWN]
    surroundings = [f"{name}={value}" for name, value in request.environment.items()]
    surroundings += [f"no {path}" for path in request.missing]
    surroundings += ["a saved checkpoint"] * request.saved
    surroundings += [f"config.json {request.config}"] * (request.config is not None)
    if surroundings:
        yield f"  with {', '.join(surroundings)}"
    if outcome.relax.accepted:
        yield "  Relax accepts"
    else:
        yield f"  Relax: {outcome.relax.kind} at {outcome.relax.place}: {outcome.relax.message}"[:SHOWN]
    yield f"  relax-lint {'accepts' if outcome.ours.accepted else 'refuses: ' + outcome.ours.message}"[:SHOWN]


def listing(sites: Sequence[Site], outcomes: Sequence[Outcome], not_static: Mapping[str, str]) -> Iterator[str]:
    """Every site and how often it occurred, then those that did not, then where else Relax stopped."""
    counts = refusals(outcomes)
    never = [site for site in sites if not counts[site.place]]
    yield f"refusals: {len(sites)} sites, {len(sites) - len(never)} occurred"
    file = ""
    for site in sites:
        here, _, line = site.place.rpartition(":")
        if here != file:
            yield f"  {here}"
            file = here
        if counts[site.place]:
            yield f"    {line:>5} {counts[site.place]:>5}  {site.function}"
    if never:
        yield "did not occur:"
    for site in never:
        reason = not_static.get(site.place) or why_unreachable(site.place)
        yield f"  {site.place} {site.function}: {reason or 'NO REASON KNOWN'}"
    yield "elsewhere:"
    for (kind, place), count in elsewhere(outcomes, sites).most_common():
        yield f"  {count:>5}  {kind} at {place}"


def full(outcomes: Sequence[Outcome], sites: Sequence[Site], not_static: Mapping[str, str]) -> Iterable[str]:
    """The whole report."""
    real = [outcome for outcome in outcomes if outcome.request.kind == "launch"]
    mutations = [outcome for outcome in outcomes if outcome.request.kind != "launch"]
    differing = [outcome for outcome in outcomes if not outcome.agrees]
    yield f"disagreements: {len(differing)}"
    for outcome in differing:
        yield from disagreement(outcome)
    yield ""
    yield from listing(sites, outcomes, not_static)
    yield ""
    yield from matrix("real launches", real)
    yield from matrix("mutations", mutations)
    yield from by_kind(mutations)
    yield from matrix("all", outcomes)
