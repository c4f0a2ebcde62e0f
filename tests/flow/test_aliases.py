"""Dictionaries that code changes under another name than the one that is returned."""

from __future__ import annotations

import textwrap

import pytest

from tests.cases import for_each
from tests.flow.test_interpreter import outcomes

HELPERS = """
import asyncio, functools, logging, operator

logger = logging.getLogger(__name__)
CACHE = {}

def _add(*dicts, **named):
    for d in dicts:
        d["score"] = 1.0

def _put(d, box):
    box.append(d)

def mark(d):
    d["score"] = 1.0

def weigh(d):
    return len(d)
"""

CHANGES = [
    "box = [r, {}]; max(box, key=len).update(score=1)",
    "box = [r, {}]; up = max(box, key=len).update; up(score=1)",
    "box = [r, {}]; mark(max(box, key=len))",
    'sample.metadata["r"] = r; sample.metadata["r"]["score"] = 1.0',
    'sample.metadata["r"] = r; sample.metadata["r"].update(score=1)',
    'sample.metadata["r"] = r; sample.metadata["r"] |= {"score": 1}',
    'sample.metadata["r"] = r; m = sample.metadata["r"]; m["score"] = 1',
    'sample.metadata["r"] = r; fill(sample)',
    'sample.reward = r; sample.reward["score"] = 1',
    "sample.reward = r; args.fill()",
    "self = args; self.r = r; self.fill()",
    'setattr(args, "r", r); args.fill()',
    "up = r.update; up(score=1.0)",
    "f = (r.update if sample else r.update); f(score=1)",
    "functools.partial(r.update, score=1.0)()",
    'list(map(r.update, [{"score": 1}]))',
    'r.__setitem__("score", 1)',
    'r.__ior__({"score": 1})',
    "dict.update(r, score=1)",
    'dict.__setitem__(r, "score", 1)',
    'operator.setitem(r, "score", 1)',
    'getattr(r, "update")(score=1)',
    "_add(*[r])",
    "_add(r)",
    "_add(d=r)",
    "_add([r])",
    '_add({"a": r})',
    "_add((r, 1))",
    "_add(x=[r])",
    "_add(*(r,), *[])",
    '_add(**{"d": r})',
    "mark(r)",
    "mark(d=r)",
    "mark(r if sample else r)",
    "mark(r or {})",
    "mark((q := r))",
    "[mark(r) for _ in range(1)]",
    "[mark(d) for d in [r]]",
    "list(map(mark, [r]))",
    "mark(r) if sample else None",
    "sample and mark(r)",
    '(alias := r)["score"] = 1',
    '(r or {})["score"] = 1',
    '(r if sample else r)["score"]=1',
    '[r][0]["score"] = 1',
    '{"a": r}["a"]["score"] = 1',
    'alias = r; alias["score"] = 1',
    "alias = q = r; q.update(score=1)",
    'alias, _ = r, 1; alias["score"] = 1',
    'alias, *_ = [r]; alias["score"]=1',
    '[alias] = [r]; alias["score"] = 1',
    'alias = [r][0]; alias["score"] = 1',
    'for d in (r,): d["score"] = 1',
    "for d in [r]: mark(d)",
    'box = [r]; box[0]["score"] = 1',
    'box = {"r": r}; box["r"]["score"]=1',
    'box = {}; box["r"] = r; box["r"].update(score=1)',
    'box = []; box.append(r); box[0]["score"] = 1',
    "box = []; box.append(r); box[-1].update(score=1)",
    'box = []; _put(r, box); box[0]["score"]=1',
    'CACHE[sample.label] = r; CACHE[sample.label]["score"] = 1',
    'box = {sample.label: r}; box[sample.label]["score"]=1',
    'box = {}; box[sample.label] = r; box[sample.label]["score"] = 1',
    'box={}; box[sample.label] = r; d = box[sample.label]; d["score"] = 1',
    "exec(\"r['score'] = 1\")",
    'eval("r.update(score=1)")',
    "exec(\"r['score'] = 1\", globals(), locals())",
    'locals()["r"]["score"] = 1',
    "global G; G = r; fill()",
    'max([r], key=len)["score"] = 1',
    'next(iter([r]))["score"]=1',
    'sorted([r], key=len)[0]["score"] = 1',
    'list([r])[0]["score"] = 1',
    'd = max([r], key=len); d["score"] = 1',
    "(lambda: r.update(score=1))()",
    "(lambda d: d.update(score=1))(r)",
    "(lambda: mark(r))()",
    '(lambda: r.__setitem__("score", 1))()',
    'sample.a.b = r; sample.a.b["score"]=1',
    "args.history.append(r); args.fill()",
    "args.box = [r]; args.fill()",
    "box = [r]; args.box = box; args.fill()",
    'box = {"r": r}; fill(box)',
    'match r:\n    case {"acc": a} as d:\n        d["score"] = a',
    'match r:\n    case dict() as d:\n        d["score"] = 1',
    'match r:\n    case d:\n        d["score"] = 1',
    'match r:\n    case dict(d):\n        d["score"] = 1',
    'match (r, 1):\n    case (d, _):\n        d["score"] = 1',
    'match [r, r]:\n    case [d, *_]:\n        d["score"] = 1',
    'match {"r": r}:\n    case {"r": d}:\n        d["score"] = 1',
    'def fill():\n    r["score"] = 1\nfill()',
    'def fill():\n    d = r\n    d["score"] = 1\nfill()',
    "def fill():\n    mark(r)\nfill()",
    'def fill(d=r):\n    d["score"] = 1\nfill()',
    'with open("x") as f:\n    sample.metadata["r"] = r\nsample.finish()',
    'for alias in [r]:\n    pass\nalias["score"] = 1',
    'for sample.metadata["r"] in [r]:\n    fill(sample)',
    "try:\n    args.r = r\nfinally:\n    args.fill()",
    "class Box:\n    pass\nbox = Box()\nbox.r = r\nbox.fill()",
    'alias = r\nfor k in args.ks:\n    alias["score"] = 1',
    'if (d := r):\n    d["score"] = 1',
    'while (d := r) and len(d) < 2:\n    d["score"] = 1',
    "pass; fill(r)",
]

ONLY_READS = [
    "pass",
    "weigh(r)",
    "print(r)",
    'logger.info("%s", r)',
    "len(r)",
    "json = str(r)",
    'sample.metadata["r"] = r',
    "sample.reward = r",
    "args.r = r",
    'q = dict(r); q["score"] = 1',
    'q = {**r, "score": 1}',
    'q = r.copy(); q["score"] = 1',
    'q = r | {"score": 1}',
    'x = r["acc"]',
    'x = r.get("acc")',
    "[weigh(d) for d in [r]]",
    "for k, v in r.items(): print(k)",
    "alias = r; print(alias)",
    "box = [r]; print(box)",
    'exec("x = 1", {})',
    'get = r.get; get("acc")',
    'q = {}; q["score"] = r["acc"]',
    'box = {"r": r}; box["other"] = 1',
    'sample.metadata["a"] = r; sample.metadata["b"] = 1',
    "if r: pass",
    "assert r",
    'x = "acc" in r',
    'match r:\n    case {"acc": a}:\n        pass',
    'match sample.label:\n    case "a":\n        pass',
    '(lambda: r["acc"])()',
    'def read():\n    return r["acc"]\nread()',
    'z = {}; z["score"] = 1',
    "q = []; q.append(1)",
    'sample.metadata["r"] = r; x = float(r["acc"])',
]


def keys_after(code: str) -> set[str]:
    return outcomes(f"""{HELPERS}
async def f(args, sample):
    r = {{"acc": 1.0}}
{textwrap.indent(code, "    ")}
    return r
""")


@for_each("change", CHANGES)
def test_no_key_is_said_to_lack_that_may_have_been_added_under_another_name(change: str) -> None:
    lacking = [found for found in keys_after(change) if "score" not in found and "…" not in found]
    assert not lacking


@for_each("reading", ONLY_READS)
def test_what_only_reads_or_keeps_a_dictionary_leaves_its_keys_known(reading: str) -> None:
    assert keys_after(reading) == {"dict(acc)"}


@pytest.mark.parametrize("added", ["alias['score'] = 1.0", "alias |= {'score': 1}", "alias.update(score=1.0)"])
def test_a_key_that_is_certainly_added_is_known(added: str) -> None:
    assert keys_after(f"alias = r; {added}") == {"dict(acc score)"}


@pytest.mark.parametrize("removed", ["alias.pop('acc')", "del alias['acc']", "alias.clear()"])
def test_a_key_that_is_taken_away_under_another_name_is_not_there(removed: str) -> None:
    assert keys_after(f"alias = r; {removed}") <= {"dict()", "dict(acc?…)"}


def test_a_dictionary_in_a_list_changes_with_it() -> None:
    text = """
async def f(args, sample):
    r = {"acc": 1.0}
    box = [r, {"acc": 0.0}]
    r["score"] = 1.0
    return box[0]
"""
    assert outcomes(text) == {"dict(acc score)"}
