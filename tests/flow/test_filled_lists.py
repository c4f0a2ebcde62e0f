"""Batch rewards that fill a list: by index, by append, under another name, for a part of the samples only."""

from __future__ import annotations

import textwrap

import pytest

from tests.cases import for_each
from tests.flow.faults import faults

HELPERS = """
import asyncio, functools, itertools, logging, operator
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor, as_completed

logger = logging.getLogger(__name__)

def judge(s):
    return 1.0

def fill(out, i):
    out[i] = 1.0

def parse(text):
    if text:
        return 1.0
    return None
"""
NONE_LEFT = "returns a list that can hold None"
NO_ITEMS = "returns a list of 0, however many samples there are"
FEWER = "returns a list that can have fewer items than there are samples"
MORE = "returns a list that can have more items than there are samples"

PLACEHOLDERS = [
    "out = [None] * len(samples)",
    "out = [None for _ in samples]",
    "out = len(samples) * [None]",
    "n = len(samples); out = [None] * n",
    "out: list = list([None] * len(samples))",
]

FILLED_BY_AN_INDEX_NOBODY_CAN_TELL = [
    """\
groups = {}
for i, s in enumerate(samples): groups.setdefault(s.label, []).append(i)
for idx in groups.values():
    for i in idx: out[i] = {"score": 1.0 / len(idx)}""",
    """\
groups = defaultdict(list)
for i, s in enumerate(samples): groups[s.label].append((i, s))
for group in groups.values():
    for i, s in group:
        out[i] = 1.0""",
    "futs = {}\nfor f in as_completed(futs): out[futs[f]] = f.result()",
    """\
for start in range(0, len(samples), 8):
    for j, s in enumerate(samples[start:start + 8]):
        out[start + j] = 1.0""",
    """\
for start in range(0, len(samples), 8):
    chunk = samples[start:start+8]
    out[start:start+8] = [judge(s) for s in chunk]""",
    """\
idx = [i for i, s in enumerate(samples) if s.response]
rest = [i for i, s in enumerate(samples) if not s.response]
for i in idx: out[i] = 1.0
for i in rest: out[i] = 0.0""",
    """\
idx = [i for i, s in enumerate(samples) if s.response]
if idx:
    for i, v in zip(idx, await judge(idx)): out[i] = v
for i in args.rest: out[i] = 0.0""",
    "order = sorted(range(len(samples)))\nfor rank, i in enumerate(order): out[i] = 1.0",
    """\
for i, s in enumerate(samples):
    if s.response: out[i] = 1.0
for i, s in enumerate(samples):
    if not s.response: out[i] = 0.0""",
    """\
for i, s in enumerate(samples):
    if s.response: out[i] = 1.0
for i, s in enumerate(samples):
    if out[i] is None: out[i] = 0.0""",
    "pending = list(range(len(samples)))\nwhile pending:\n    i = pending.pop()\n    out[i] = 1.0",
    "for i in range(0, len(samples), 2):\n    out[i] = 1.0\n    out[i + 1] = 0.0",
    "scores = await judge(samples)\nfor i, v in enumerate(scores): out[i] = v",
    "async def one(i, s):\n    out[i] = 1.0\nawait asyncio.gather(*(one(i, s) for i, s in enumerate(samples)))",
    "for i, s in enumerate(samples): fill(out, i)",
    "[fill(out, i) for i in args.idx]",
    "[out.__setitem__(i, 1.0) for i in args.idx]",
    "o = out\nfor g in args.groups:\n    for i in g: o[i] = 1.0",
    "put = out.__setitem__\nfor i in args.idx: put(i, 1.0)",
    'for k in ("a", "b"):\n    for i in args.groups[k]: out[i] = 1.0',
    "args.out = out\nargs.fill()",
    "for i in args.idx:\n    out[i], x = 1.0, 2",
    "for g in args.groups:\n    for out[g.i] in g: pass",
    "[*map(functools.partial(fill, out), range(3))]",
    "async for i, v in judge(samples):\n    out[i] = v",
    """\
with ThreadPoolExecutor() as pool:
    futs = {pool.submit(judge, s): i for i, s in enumerate(samples)}
    for f in as_completed(futs):
        i = futs[f]
        out[i] = f.result()""",
    """\
match args.mode:
    case "a":
        for i in args.idx: out[i] = 1.0
    case _:
        for i in args.idx: out[i] = 2.0""",
]

FILLED_IN_PART = [
    "pass",
    "for i, s in enumerate(samples):\n    if s.response: out[i] = 1.0",
    "for i in range(len(samples)):\n    if samples[i].response: out[i] = 1.0",
    """\
for i, s in enumerate(samples):
    if s.response:
        out[i] = 1.0
    elif s.label:
        out[i] = 0.5""",
    """\
for i, s in enumerate(samples):
    try:
        out[i] = float(s.response)
    except ValueError:
        pass""",
    "for i, s in enumerate(samples):\n    if not s.response: continue\n    out[i] = 1.0",
    "for i, s in enumerate(samples):\n    out[i] = parse(s.response)",
    "for i, s in enumerate(samples):\n    out[i] = None",
    "for i, (s, k) in enumerate(zip(samples, samples)):\n    if k.label: out[i] = 1.0",
]

ADDED_TO_UNDER_ANOTHER_NAME = [
    'add = out.append\nfor s in samples: add({"score": 1.0})',
    "alias = out\nfor s in samples: alias.append(1.0)",
    "for s in samples:\n    o = out\n    o.append(1.0)",
    "push = (lambda x: out.append(x))\nfor s in samples: push(1.0)",
    "args.out = out\nargs.fill()",
    "list(map(out.append, samples))",
    "for s in samples: list.append(out, 1.0)",
    'box = {"out": out}\nfor s in samples: box["out"].append(1.0)',
    "box = [out]\nfor s in samples: box[0].append(1.0)",
    "args.sink(out.append)",
    'exec("out += [1] * len(samples)")',
    "def push(x):\n    o = out\n    o.append(x)\nfor s in samples: push(1)",
    "def push(x):\n    operator.iadd(out, [x])\nfor s in samples: push(1)",
    "(o := out).extend(1.0 for s in samples)",
    "match out:\n    case o:\n        for s in samples: o.append(1.0)",
    "match out:\n    case [*_] as o:\n        o.extend([1.0 for s in samples])",
    "i = iter(samples)\no = out\nwhile args.go:\n    o.append(1.0)",
    "out.__iadd__([1.0 for s in samples])",
    "[out.append(1.0) for s in samples]",
    "for s in samples: out += [1.0]",
    "for s in samples: out.extend([1.0])",
    "for s in samples: out[len(out):] = [1.0]",
    "out[:] = [1.0 for s in samples]",
]

NOT_ADDED_TO = ["pass", "print(out)", "size = out.__len__", "if out: pass", "copy = list(out); copy.append(1.0)"]

ADDED_TO_FOR_SOME = [
    "for s in samples:\n    if s.label: out.append(1.0)",
    "for s in samples:\n    out.append(1.0)\n    if s.label: out.append(2.0)",
    "for s in samples[1:]: out.append(1.0)",
    "for s in samples[:-1]: out.append(1.0)",
    "for i, s in enumerate(samples[1:]): out.append(1.0)",
    "rest = samples[1:]\nfor s in rest: out.append(1.0)",
    "good = [s for s in samples if s.label]\nfor s in good: out.append(1.0)",
    "for s in samples[1:]: out += [1.0]",
    "for s in filter(None, samples): out.append(1.0)",
    "for s in itertools.islice(samples, 1, None): out.append(1.0)",
    "for s in samples[1:]:\n    if s.label: out.append(1.0)",
]

ADDED_TO_FOR_ALL = [
    "for s in samples[0:]: out.append(1.0)",
    "out.append(1.0)\nfor s in samples[1:]: out.append(1.0)",
    "for s in samples[1:]: out.append(1.0)\nout.insert(0, 1.0)",
    "for s in samples[1:]: out.append(1.0)\nout = [0.0] + out",
    "for s in samples[1:]: out.append(1.0)\nwhile len(out) < len(samples): out.append(0.0)",
    "for s in samples[:args.n]: out.append(1.0)",
    "for s in samples[::-1]: out.append(1.0)",
    "for a, b in zip(samples, samples[1:]): out.append(1.0)\nout.append(1.0)",
    "if len(samples) == 1: return [1.0]\nfor s in samples[1:]: out.append(1.0)\nout.append(0.0)",
    """\
good = [s for s in samples if s.label]
bad = [s for s in samples if not s.label]
for s in good: out.append(1.0)
for s in bad: out.append(0.0)""",
    "for s in samples[:]: out.append(1.0)",
]

OF_SOME_SAMPLES = [
    "return list({s.response: 1.0 for s in samples}.values())",
    "return [*{s.response: 1.0 for s in samples}.values()]",
    "d = {s.response: 1.0 for s in samples}\nreturn list(d.values())",
    "d = {s.label: judge(s) for s in samples}\nreturn [v for v in d.values()]",
    "d = {s.response.strip(): judge(s) for s in samples}\nreturn [v for k, v in d.items()]",
    "d = {}\nfor s in samples: d[s.response] = 1.0\nreturn list(d.values())",
    "return [await r for r in asyncio.as_completed([judge(s) for s in samples if s])]",
    "return [await r for r in asyncio.as_completed([judge(s) for s in samples if s.label])]",
    """\
out = []
for r in asyncio.as_completed([judge(s) for s in samples if s.label]): out.append(await r)
return out""",
]

OF_NOTHING = ["return logging.warning('x')", "return logger.info('x %s', samples)", "return print('x')"]

OF_ALL_SAMPLES = [
    "return list({i: 1.0 for i, s in enumerate(samples)}.values())",
    "return list({s.index: 1.0 for s in samples}.values())",
    "return [await r for r in asyncio.as_completed([judge(s) for s in samples])]",
    "d = {s.response: 1.0 for s in samples}\nreturn [d[s.response] for s in samples]",
    "return list({id(s): 1.0 for s in samples}.values())",
    "d = {(s.label, i): 1.0 for i, s in enumerate(samples)}\nreturn list(d.values())",
    """\
d = {s.response: 1.0 for s in samples}
if len(d) == len(samples): return list(d.values())
return [0.0 for s in samples]""",
    "d = {s.label: [] for s in samples}\nreturn [x for v in d.values() for x in v]",
    "out = []\nfor r in asyncio.as_completed([judge(s) for s in samples]): out.append(await r)\nreturn out",
    'logger.warning("x")\nreturn [1.0 for s in samples]',
    "d = {s.response: 1.0 for s in samples}\nd.update(args.more)\nreturn list(d.values())",
]


def of_list(code: str, made: str = "out = []") -> set[str]:
    return of_batch(f"{made}\n{code}\nreturn out")


def of_batch(code: str) -> set[str]:
    return faults(f"{HELPERS}\nasync def f(args, samples, **kwargs):\n{textwrap.indent(code, '    ')}\n", "batch")


@for_each("made", PLACEHOLDERS)
@for_each("code", FILLED_BY_AN_INDEX_NOBODY_CAN_TELL)
def test_nothing_is_said_of_places_that_may_all_be_filled(code: str, made: str) -> None:
    assert not of_list(code, made)


@pytest.mark.parametrize("code", FILLED_IN_PART)
def test_places_that_stay_empty_are_found(code: str) -> None:
    assert of_list(code, "out = [None] * len(samples)") == {NONE_LEFT}


@for_each("code", ADDED_TO_UNDER_ANOTHER_NAME)
def test_nothing_is_said_of_a_list_that_is_added_to_under_another_name(code: str) -> None:
    assert not of_list(code)


@pytest.mark.parametrize("code", NOT_ADDED_TO)
def test_a_list_that_nothing_is_added_to_is_found(code: str) -> None:
    assert of_list(code) == {NO_ITEMS}


@for_each("code", ADDED_TO_FOR_SOME)
def test_a_list_that_is_added_to_for_some_samples_is_found(code: str) -> None:
    assert of_list(code) & {FEWER, MORE}


@for_each("code", ADDED_TO_FOR_ALL)
def test_a_list_that_is_added_to_for_all_samples_is_none(code: str) -> None:
    assert not of_list(code)


@pytest.mark.parametrize("code", OF_SOME_SAMPLES)
def test_a_list_of_what_samples_have_in_common_or_of_some_is_found(code: str) -> None:
    assert of_batch(code) == {FEWER}


@pytest.mark.parametrize("code", OF_NOTHING)
def test_what_a_log_gives_back_is_none(code: str) -> None:
    assert of_batch(code) == {"returns None on some way"}


@for_each("code", OF_ALL_SAMPLES)
def test_a_list_with_one_for_each_sample_is_right(code: str) -> None:
    assert not of_batch(code)
