"""Conditions that keep None from being returned, in the many ways they are written."""

from __future__ import annotations

import textwrap

import pytest

from tests.cases import for_each
from tests.flow.faults import faults

HELPERS = """
NUMBER = (int, float)
EMPTY = (None, "", "x")

def parse(text):
    if text:
        return 1.0
    return None

def is_ok(x):
    return x is not None
"""
NONE = "returns None on some way"

MADE = [
    "r = parse(sample.response)",
    "r = (1.0 if sample.response else None)",
    'r = {"a": 1.0, "b": None}[sample.response]',
    'r = {"a": 1.0}.get(sample.label)',
    "for r in (parse(sample.response), parse(sample.label)): pass",
]

KEEPING_NONE_OUT = [
    'if r in (None, ""): return 0.0',
    "if r in [None]: return 0.0",
    'if r in {None, ""}: return 0.0',
    'if r not in (None, ""): return r\nelse: return 0.0',
    'if not (r in (None, "")): return r\nreturn 0.0',
    "ok = r is not None\nif ok: return r\nreturn 0.0",
    "ok = r is not None\nif not ok: return 0.0",
    "bad = r is None\nif bad: return 0.0",
    "bad = r == None\nif bad: return 0.0",
    "ok = bool(r)\nif not ok: return 0.0",
    "ok = not r\nif ok: return 0.0",
    "ok = r is not None and r > 0\nif not ok: return 0.0",
    "ok = isinstance(r, float)\nif not ok: return 0.0",
    'ok = r not in (None, "")\nif not ok: return 0.0',
    "if type(r) is float: return r\nreturn 0.0",
    "if type(r) == float: return r\nreturn 0.0",
    "if type(r) in (int, float): return r\nreturn 0.0",
    "if type(r) is not float: return 0.0",
    "if not type(r) is float: return 0.0",
    "if type(r) not in (int, float): return 0.0",
    "if type(r) is type(None): return 0.0",
    "if isinstance(r, type(None)): return 0.0",
    "if r.__class__ is float: return r\nreturn 0.0",
    'if type(r).__name__ == "float": return r\nreturn 0.0',
    "if float is type(r): return r\nreturn 0.0",
    "if None is r: return 0.0",
    "if None == r: return 0.0",
    "if None is not r: return r\nreturn 0.0",
    "if None in (r, sample.label): return 0.0",
    "if None not in (r, 1): return r\nreturn 0.0",
    "if isinstance(r, NUMBER): return r\nreturn 0.0",
    "if type(r) in NUMBER: return r\nreturn 0.0",
    "if r in EMPTY: return 0.0",
    "t = type(r)\nif t is float: return r\nreturn 0.0",
    "ok = type(r) is float\nif not ok: return 0.0",
    "if (ok := r is not None): return r\nreturn 0.0",
    "if (r is None) == True: return 0.0",
    "if is_ok(r): return r\nreturn 0.0",
    "ok = True if r is not None else False\nif not ok: return 0.0",
    "if isinstance(r, float | int): return r\nreturn 0.0",
    "r = 0.0 if r is None else r",
    "match r:\n    case None: return 0.0\n    case _: return r",
    "match r:\n    case float(): return r\n    case _: return 0.0",
    'match r:\n    case None | "": return 0.0',
    "try:\n    r = r + 1\nexcept TypeError:\n    return 0.0",
    "if r != None: return r\nreturn 0.0",
    'if r is None or r == "": return 0.0',
    "valid = r is not None\nwhile not valid:\n    return 0.0",
    "if not all((r is not None, sample)): return 0.0",
    "if any([r is None]): return 0.0",
    "if callable(r) or r is None: return 0.0",
    'if hasattr(r, "real"): return r\nreturn 0.0',
    "if isinstance(r, (int, float)) is False: return 0.0",
    "if isinstance(r, float) == False: return 0.0",
]

LETTING_NONE_THROUGH = [
    "pass",
    'if r in ("", "x"): return 0.0',
    "ok = r is not None",
    'if r in (None, ""): return r\nreturn 0.0',
    "ok = r is None\nif ok: return r\nreturn 0.0",
    "if type(r) is float: return 0.0",
    "if type(r) is str: return 0.0",
    "ok = r is not None\nr = parse(sample.label)\nif ok: return r\nreturn 0.0",
    "if type(r) is not float: return r\nreturn 0.0",
    'if r not in (None, ""): return 0.0',
    "if isinstance(r, NUMBER): return 0.0",
    "if None in (sample.label, 1): return 0.0",
    "bad = r is not None\nif bad: return 0.0",
    "if type(r) is type(None): return r\nreturn 0.0",
]


def of_value(code: str, made: str) -> set[str]:
    body = textwrap.indent(f"{made}\n{code}\nreturn r", "    ")
    return faults(f"{HELPERS}\nasync def f(args, sample, **kwargs):\n{body}\n", "single")


def of_items(code: str) -> set[str]:
    inside = code.replace("return 0.0", "out.append(0.0); continue").replace("return r", "out.append(r); continue")
    return faults(
        f"""{HELPERS}
async def f(args, samples, **kwargs):
    out = []
    sample = args.sample
    rewards = [parse(s.response) for s in samples]
    for r in rewards:
{textwrap.indent(inside, "        ")}
        out.append(r)
    return out
""",
        "batch",
    )


NO_LOOPS = {"match", "try:", "while", "t"}
IN_LOOPS = [code for code in KEEPING_NONE_OUT if "return" in code and not NO_LOOPS & set(code.split())]


@for_each("made", MADE[:-1])
@for_each("code", KEEPING_NONE_OUT)
def test_a_value_that_is_looked_at_first_is_not_none(code: str, made: str) -> None:
    assert not of_value(code, made)


@for_each("code", IN_LOOPS)
def test_items_that_are_looked_at_first_are_not_none(code: str) -> None:
    assert not of_items(code)


@for_each("made", MADE[:-1])
@for_each("code", LETTING_NONE_THROUGH)
def test_none_that_no_condition_keeps_out_is_found(code: str, made: str) -> None:
    assert of_value(code, made) == {NONE}


@pytest.mark.parametrize("pattern", ["None", "None | ''"])
def test_a_case_for_none_keeps_it_from_the_others(pattern: str) -> None:
    assert not of_value(f"match r:\n    case {pattern}: return 0.0\n    case _: return r", MADE[0])
