"""Named tuples, images, ``super()``, and where what a function returns is written."""

from __future__ import annotations

import ast
import textwrap

import pytest

from relax_lint.flow.exits import innermost
from relax_lint.flow.interpreter import Interpreter, interpreter_of
from relax_lint.flow.shapes import (
    IMAGE,
    TEXT,
    UNKNOWN,
    Arguments,
    Class,
    Constant,
    Dictionary,
    Exit,
    Function,
    Instance,
    Sequence,
    Shape,
    is_text,
    truth,
)
from relax_lint.project import Project
from tests.cases import for_each

_KEPT: list[Project] = []
"""Interpreters hold their projects weakly."""


def load(text: str, name: str = "f") -> tuple[Interpreter, Shape]:
    project = Project.from_files({"examples/demo/f.py": textwrap.dedent(text)})
    _KEPT.append(project)
    module = project.module("examples.demo.f")
    assert module is not None
    interpreter = interpreter_of(project)
    return interpreter, interpreter.named(module, name)


def exits(text: str, *arguments: Shape) -> list[Exit]:
    interpreter, function = load(text)
    found = interpreter.outcomes(function, Arguments(arguments))
    assert found is not None
    return list(found)


def items_of(way: Exit) -> tuple[Shape, ...]:
    assert isinstance(way.shape, Sequence)
    assert way.shape.items is not None
    return way.shape.items


def text_at(way: Exit, node: ast.AST) -> str:
    return way.source.segment(node)


@pytest.mark.parametrize(
    "definition",
    [
        'from collections import namedtuple\nStep = namedtuple("Step", "obs done info")',
        'import collections\nStep = collections.namedtuple("Step", ["obs", "done", "info"], defaults=[None])',
        "from typing import NamedTuple\nclass Step(NamedTuple):\n    obs: dict\n    done: bool\n    info: dict = {}",
    ],
)
def test_named_tuples_have_as_many_parts_as_fields(definition: str) -> None:
    (way,) = exits(f"{definition}\ndef f():\n    return Step({{'a': 1}}, done=True)\n")
    first, done, _ = items_of(way)
    assert isinstance(first, Dictionary)
    assert done == Constant(True)


def test_a_field_of_a_named_tuple_that_is_not_known() -> None:
    _, shape = load("from collections import namedtuple\nf = namedtuple('T', names())(1, 2)\n")
    assert shape == UNKNOWN


def test_super_is_what_the_next_class_has() -> None:
    text = """
        class A:
            def step(self, text):
                return 1, self.name()

            def name(self):
                return "a"

        class B(A):
            def step(self, text):
                return super().step(text)

            def name(self):
                return "b"
    """
    interpreter, cls = load(text, "B")
    assert isinstance(cls, Class)
    step = interpreter.method(Instance(cls), "step")
    assert isinstance(step, Function)
    (way,) = interpreter.outcomes(step, Arguments((TEXT,))) or ()
    assert items_of(way) == (Constant(1), Constant("b"))
    assert text_at(way, innermost(interpreter, way).node) == "return 1, self.name()"


def test_super_of_what_is_not_known() -> None:
    text = """
        from elsewhere import Base
        class A(Base):
            def step(self, text):
                return super().step(text)
    """
    interpreter, cls = load(text, "A")
    assert isinstance(cls, Class)
    step = interpreter.method(Instance(cls), "step")
    assert isinstance(step, Function)
    assert [way.shape for way in interpreter.outcomes(step, Arguments((TEXT,))) or ()] == [UNKNOWN]


def test_images_stay_images() -> None:
    text = """
        from PIL import Image
        def f(path):
            image = Image.open(path).convert("RGB")
            return image.crop((1, 2, 3, 4))
    """
    (way,) = exits(text, TEXT)
    assert way.shape == IMAGE


def test_sizes_of_images_are_not_known() -> None:
    (way,) = exits("from PIL import Image\ndef f(p):\n    return Image.open(p).getpixel((0, 0))\n", TEXT)
    assert way.shape == UNKNOWN


@pytest.mark.parametrize(
    ("body", "key"),
    [
        ("    return {'x': 1}\n", "'x'"),
        ("    found = {}\n    found['x'] = 1\n    return found\n", "'x'"),
        ("    return dict(x=1)\n", "x=1"),
        ("    found = {'y': 2}\n    found.update({'x': 1})\n    return found\n", "'x'"),
        ("    base = {'x': 1}\n    return {**base, 'y': 2}\n", "'x'"),
        ("    return make(1)\n\ndef make(n):\n    return {'x': n}\n", "'x'"),
    ],
)
def test_keys_know_where_they_are_written(body: str, key: str) -> None:
    (way,) = exits(f"def f():\n{body}")
    assert isinstance(way.shape, Dictionary)
    entry = way.shape.get("x")
    assert entry is not None
    assert entry.at is not None
    assert text_at(way, entry.at.node) == key


def test_dictionaries_know_where_they_are_made() -> None:
    (way,) = exits("def f():\n    found = {'y': 2}\n    found['x'] = 1\n    return found\n")
    assert isinstance(way.shape, Dictionary)
    assert way.shape.at is not None
    assert text_at(way, way.shape.at.node) == "{'y': 2}"


def test_where_it_is_written_makes_no_difference_between_dictionaries() -> None:
    one, other = exits("def f(x):\n    if x:\n        return {'a': 1}\n    return {'a': 1}\n", UNKNOWN)
    assert one.shape == other.shape


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("    if done:\n        return 1, done\n    return 2, done\n", {1: True, 2: False}),
        ("    if not done:\n        return 1, done\n    return 2, done\n", {1: False, 2: True}),
        ("    if n >= 3:\n        return 1, n >= 3\n    return 2, n >= 3\n", {1: True, 2: False}),
        ("    if done:\n        done = other()\n        return 1, done\n    return 2, done\n", {1: None, 2: False}),
    ],
)
def test_a_tuple_tells_what_its_way_knows_of_conditions_in_it(body: str, expected: dict[int, bool | None]) -> None:
    found = {}
    for way in exits(f"from elsewhere import other\ndef f(done, n):\n{body}", UNKNOWN, UNKNOWN):
        number, answer = items_of(way)
        assert isinstance(number, Constant)
        found[number.value] = truth(answer)
    assert found == expected


def test_a_condition_that_is_returned_is_no_number_for_that() -> None:
    ways = exits("def f(text):\n    if text:\n        return text, 1\n    return '', 0\n", UNKNOWN)
    assert not any(isinstance(items_of(way)[0], Constant) and not is_text(items_of(way)[0]) for way in ways)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("f'examples.{NAME}.env'", Constant("examples.zoom.env")),
        ("f'{NAME}{COUNT}'", Constant("zoom3")),
        ("f'{NAME!r}'", TEXT),
        ("f'{COUNT:02d}'", TEXT),
        ("f'{elsewhere}.env'", TEXT),
    ],
)
def test_formatted_strings_of_a_module_are_told(expression: str, expected: Shape) -> None:
    _, shape = load(f"import os\nelsewhere = os.getenv('X')\nNAME = 'zoom'\nCOUNT = 3\nf = {expression}\n")
    assert shape == expected


@for_each(
    ("body", "expected"),
    [
        ("    a, b, c = pair()\n", {"a, b, c": 2}),
        ("    a, b = pair()\n", {}),
        ("    a, *rest = pair()\n", {}),
        ("    a, b, c = elsewhere()\n", {}),
        ("    found = pair()\n    if len(found) == 3:\n        a, b, c = found\n", {}),
        ("    for a, b in [(1, 2, 3)]:\n        pass\n", {"a, b": 3}),
        ("    a, b = 'x=1'.partition('=')\n", {"a, b": 3}),
        ("    a, (b, c) = 1, pair()\n", {}),
        ("    a, (b, c, d) = 1, pair()\n", {"(b, c, d)": 2}),
        ("    (a, b, c), done = pair(), True\n", {"(a, b, c)": 2}),
    ],
)
def test_values_that_are_taken_apart_into_too_many_or_too_few_are_known(body: str, expected: dict[str, int]) -> None:
    interpreter, function = load(f"from elsewhere import elsewhere\ndef pair():\n    return 1, 2\ndef f():\n{body}")
    interpreter.outcomes(function, Arguments())
    misfits = interpreter.misfits.values()
    assert {misfit.at.source.segment(misfit.at.node): misfit.count for misfit in misfits} == expected
