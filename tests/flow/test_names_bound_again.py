"""A name of a module that is bound more than once means what it meant where it is read; Python has the last word."""

from __future__ import annotations

import inspect

import pytest

from tests.flow.test_interpreter import outcomes

BEGINNING = """\
import functools

def plain(f):
    return f

def wrapped(f):
    def inner(*args, **kwargs):
        return f(*args, **kwargs)
    return inner

def listed(f):
    def inner(*args):
        return [f(*args)]
    return inner

def f(args, sample):
    return "first"

"""
BOUND_AGAIN = [
    "f = f",
    "f = plain(f)",
    "f = wrapped(f)",
    "f = wrapped(wrapped(f))",
    "f = wrapped(f)\nf = listed(f)",
    "f = functools.partial(f)",
    "f = [f][0]",
    "f = listed(f)\ndef g(args, sample):\n    return 1.0",
    "old = f\ndef f(args, sample):\n    return old(args, sample)",
    "old = f\ndef f(args, sample):\n    return {'a': old(args, sample)}",
    "old = f\nf = lambda args, sample: [old(args, sample)]",
    "old = f\nf = None\nf = old",
    "old = f\nf = listed(f)\nolder = old\nf = older",
    "old = wrapped(f)\ndef f(args, sample):\n    return old(args, sample)",
    "old, keep = f, None\ndel f\nf = old",
    "class Box:\n    held = f\nold = f\ndel f\nf = old",
    "def f(args, sample):\n    return 2.0\nf = wrapped(f)",
    "f = wrapped(f)\ndef f(args, sample):\n    return 2.0",
    "old = f\nif True:\n    old = listed(f)\nf = old",
    "try:\n    f = wrapped(f)\nexcept TypeError:\n    raise",
    "from functools import partial as f\nf = f(lambda a, b: 3.0)",
]


@pytest.mark.parametrize("code", BOUND_AGAIN)
def test_what_a_name_gives_is_among_what_is_said_of_it(code: str) -> None:
    said = outcomes(BEGINNING + code)
    names: dict[str, object] = {}
    exec(BEGINNING + code, names)
    function = names["f"]
    assert callable(function)
    value = function(None, None)
    kind = {str: "text", float: "number", list: "list", dict: "dict"}[type(value)]
    assert any(each.startswith(kind) or each == "nothing known" or "unknown" in each for each in said), (value, said)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("f = wrapped(f)", {"text"}),
        ("f = wrapped(wrapped(f))", {"text"}),
        ("f = wrapped(f)\nf = listed(f)", {"list"}),
        ("old = f\ndef f(args, sample):\n    return old(args, sample)", {"text"}),
        ("old = f\ndef f(args, sample):\n    return {'a': 1, 'b': old(args, sample)}", {"dict"}),
        ("old = f\nf = None\nf = old", {"text"}),
        ("f = wrapped(f)\ndef f(args, sample):\n    return 2.0", {"number"}),
    ],
)
def test_what_is_made_of_an_earlier_value_is_known(code: str, said: set[str]) -> None:
    assert {each.partition(" ")[0].partition("(")[0].partition("[")[0] for each in outcomes(BEGINNING + code)} == said


@pytest.mark.parametrize("code", ["f = lambda *given: f(*given)", "def f(args, sample):\n    return f(args, sample)"])
def test_what_comes_back_to_itself_is_not_told(code: str) -> None:
    assert "text" not in outcomes(inspect.cleandoc(BEGINNING) + "\n" + code)
