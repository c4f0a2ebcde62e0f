"""Follows ``match``: which cases a value can come to, and what their patterns bind."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.flow.conditions import branches, is_instance, is_none
from relax_lint.flow.effects import hand_out
from relax_lint.flow.loops import After
from relax_lint.flow.shapes import (
    SAMPLES_LENGTH,
    UNKNOWN,
    Constant,
    Dictionary,
    Instance,
    Library,
    Sequence,
    Shape,
    Union,
    Unknown,
    alternatives,
    is_text,
)
from relax_lint.flow.state import State

if TYPE_CHECKING:
    from relax_lint.flow.body import Body


def follow_match(body: Body, node: ast.Match, state: State) -> After:
    """Where a ``match`` statement leads."""
    subject = body.expressions.evaluate(node.subject, state)
    result = After()
    if isinstance(subject, Union) and isinstance(node.subject, ast.Name) and node.subject.id in state.variables:
        for part in subject.alternatives:
            way = state.copy()
            way.narrow(node.subject.id, part)
            here = follow_match(body, node, way)
            result.on.extend(here.on)
            result.jumps(here)
        return result
    rest: list[State] = [state]
    for case in node.cases:
        fits = _pattern_fits(case.pattern, subject)
        if fits is False:
            continue
        entered = [way.copy() for way in rest]
        for way in entered:
            if isinstance(case.pattern, ast.MatchSequence) and isinstance(subject, Sequence):
                way.counted = way.counted or subject.length == SAMPLES_LENGTH
            for name, shape in list(_captured(case.pattern, subject)):
                if shape is UNKNOWN:
                    hand_out(way, subject, "near")
                body.bind(way, name, shape)
        if case.guard is not None:
            entered = [good for way in entered for good in branches(body.expressions, case.guard, way)[0]]
        here = body.block(case.body, entered)
        result.on.extend(here.on)
        result.jumps(here)
        if fits and case.guard is None:
            return result
    for way in rest:
        # Cases that name the members of an enumeration may well be all there are.
        way.doubtful = way.doubtful or all(_names_members(case.pattern) for case in node.cases)
    result.on.extend(rest)
    return result


def _captured(pattern: ast.pattern, subject: Shape) -> Iterator[tuple[str, Shape]]:
    """The names that a pattern binds where it fits, with what they are then."""
    if isinstance(pattern, ast.MatchAs):
        if pattern.pattern is not None:
            yield from _captured(pattern.pattern, subject)
        if pattern.name is not None:
            yield pattern.name, subject
    elif isinstance(pattern, ast.MatchOr):
        for part in pattern.patterns:
            yield from _captured(part, subject)
    elif isinstance(pattern, ast.MatchStar):
        if pattern.name is not None:
            yield pattern.name, UNKNOWN
    elif isinstance(pattern, ast.MatchMapping):
        for key, part in zip(pattern.keys, pattern.patterns, strict=True):
            value = key.value if isinstance(key, ast.Constant) else None
            entry = subject.get(value) if isinstance(subject, Dictionary) and value is not None else None
            yield from _captured(part, UNKNOWN if entry is None else entry.value)
        if pattern.rest is not None:
            yield pattern.rest, Dictionary(open=True)
    elif isinstance(pattern, ast.MatchSequence):
        items = subject.items if isinstance(subject, Sequence) else None
        starred = any(isinstance(part, ast.MatchStar) for part in pattern.patterns)
        known = items if items is not None and len(items) == len(pattern.patterns) and not starred else None
        for index, part in enumerate(pattern.patterns):
            yield from _captured(part, UNKNOWN if known is None else known[index])
    elif isinstance(pattern, ast.MatchClass):
        itself = len(pattern.patterns) == 1 and isinstance(subject, (Dictionary, Sequence))
        for part in (*pattern.patterns, *pattern.kwd_patterns):
            yield from _captured(part, subject if itself else UNKNOWN)


def _pattern_fits(pattern: ast.pattern, subject: Shape) -> bool | None:
    if isinstance(pattern, ast.MatchAs):
        return True if pattern.pattern is None else _pattern_fits(pattern.pattern, subject)
    if isinstance(pattern, ast.MatchOr):
        parts = [_pattern_fits(part, subject) for part in pattern.patterns]
        return True if True in parts else (None if None in parts else False)
    if isinstance(pattern, ast.MatchValue) and isinstance(pattern.value, ast.Constant):
        if isinstance(subject, Constant):
            return bool(subject.value == pattern.value.value)
        return False if is_text(subject) and not isinstance(pattern.value.value, str) else None
    if isinstance(pattern, ast.MatchMapping):
        answers = {_mapping_fits(pattern, part) for part in alternatives(subject)}
        return answers.pop() if len(answers) == 1 else None
    if isinstance(pattern, ast.MatchClass):
        fits = is_instance(subject, pattern.cls)
        if len(pattern.patterns) == 1 and fits and isinstance(subject, (Dictionary, Sequence)):
            return _pattern_fits(pattern.patterns[0], subject)
        return fits if not (pattern.patterns or pattern.kwd_patterns) else (None if fits else fits)
    if isinstance(pattern, ast.MatchSequence):
        lists = [isinstance(part, (Sequence, Unknown, Library, Instance)) for part in alternatives(subject)]
        return _items_fit(pattern, subject) if any(lists) else False
    if isinstance(pattern, ast.MatchSingleton) and pattern.value is None:
        answers = {is_none(part) for part in alternatives(subject)}
        return answers.pop() if len(answers) == 1 else None
    return None


def _items_fit(pattern: ast.MatchSequence, subject: Shape) -> bool | None:
    if not isinstance(subject, Sequence) or subject.items is None or subject.kind not in ("list", "tuple"):
        return None
    starred = [index for index, part in enumerate(pattern.patterns) if isinstance(part, ast.MatchStar)]
    wanted = len(pattern.patterns) - len(starred)
    if len(subject.items) < wanted or (not starred and len(subject.items) > wanted):
        return False
    before = starred[0] if starred else wanted
    items = (*subject.items[:before], *subject.items[len(subject.items) - (wanted - before) :])
    parts = (part for part in pattern.patterns if not isinstance(part, ast.MatchStar))
    answers = {_pattern_fits(part, item) for part, item in zip(parts, items, strict=True)}
    return False if False in answers else (None if None in answers else True)


def _mapping_fits(pattern: ast.MatchMapping, subject: Shape) -> bool | None:
    if not isinstance(subject, Dictionary):
        return None if isinstance(subject, (Unknown, Library, Instance)) else False
    answers: set[bool | None] = set()
    for key, part in zip(pattern.keys, pattern.patterns, strict=True):
        entry = subject.get(key.value) if isinstance(key, ast.Constant) else None
        if entry is None:
            answers.add(None if subject.open or not isinstance(key, ast.Constant) else False)
        else:
            fits = _pattern_fits(part, entry.value)
            answers.add(fits if entry.sure or fits is False else None)
    return False if False in answers else (None if None in answers else True)


def _names_members(pattern: ast.pattern) -> bool:
    if isinstance(pattern, ast.MatchOr):
        return all(map(_names_members, pattern.patterns))
    return (isinstance(pattern, ast.MatchValue) and isinstance(pattern.value, ast.Attribute)) or (
        isinstance(pattern, ast.MatchSingleton) and pattern.value is not None
    )
