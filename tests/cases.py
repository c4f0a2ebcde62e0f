"""Tables of cases, tried in one test: what pytest does around a test takes longer than most of them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

Test = Callable[..., None]


def for_each(
    names: str | tuple[str, ...], cases: Iterable[Any], ids: Iterable[str] | Callable[[Any], str] | None = None
) -> Callable[[Test], Test]:
    """As ``pytest.mark.parametrize``, for tests that take nothing but their case, or what no case changes. The test
    fails with all cases that fail, each by its name and with what it says."""
    arguments = tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else names
    listed = list(cases)
    if ids is None or callable(ids):
        named = [_name(each, arguments, ids) for each in listed]
    else:
        named = list(ids)
    assert listed, f"no {' and '.join(arguments)} to try"

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)
        others = [each for name, each in signature.parameters.items() if name not in arguments]

        @functools.wraps(test)
        def of_all(**fixtures: Any) -> None:
            wrong: dict[str, BaseException] = {}
            for name, case in zip(named, listed, strict=True):
                values = case if len(arguments) > 1 else (case,)
                try:
                    test(**dict(zip(arguments, values, strict=True)), **fixtures)
                except (Exception, pytest.fail.Exception) as failure:
                    wrong[f"{len(wrong) + 1}. {name}"] = failure
            if wrong:
                said = "\n".join(f"{name}: {type(each).__name__}: {each}" for name, each in wrong.items())
                raise AssertionError(f"{len(wrong)} of {len(listed)} cases fail:\n{said}") from next(
                    iter(wrong.values())
                )

        of_all.__dict__["__signature__"] = signature.replace(parameters=others)
        return of_all

    return decorate


def _name(case: Any, arguments: tuple[str, ...], named: Callable[[Any], str] | None) -> str:
    values = case if len(arguments) > 1 else (case,)
    if named is not None:
        return "-".join(map(named, values))
    return ", ".join(f"{name}={value!r}" for name, value in zip(arguments, values, strict=True))
