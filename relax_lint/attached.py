"""Answers about a thing that are kept with the thing itself, and go away with it.

What is kept anywhere else holds on to what it was asked about: files to their trees, launches to their scripts, scripts
to their projects. A run from the command line ends before that matters; a language server goes on for days.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from relax_lint.sources.text import SourceFile

About = TypeVar("About")
Rest = ParamSpec("Rest")
Answer = TypeVar("Answer")

_NAME = " attached"
"""Where an object has its answers: no name that anybody could write."""


def attached(
    answer: Callable[Concatenate[About, Rest], Answer],
) -> Callable[Concatenate[About, Rest], Answer]:
    """Have an answer about the first argument, and others that can be hashed, worked out once and kept with it."""

    @wraps(answer)
    def kept(about: About, /, *rest: Rest.args, **named: Rest.kwargs) -> Answer:
        own: dict[str, Any] = vars(about.as_it_is if isinstance(about, SourceFile) else about)
        answers: dict[object, Answer] | None = own.get(_NAME)
        if answers is None:
            answers = own[_NAME] = {}
        question = (answer, *rest) if rest else answer
        if question not in answers:
            answers[question] = answer(about, *rest, **named)
        return answers[question]

    return kept
