"""Which code raises on a bad reply of a model, told without running it, and held against what Python does."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

from relax_lint.flow.interpreter import interpreter_of
from relax_lint.flow.shapes import Class, Function, Instance
from relax_lint.project import Project
from relax_lint.replies import unguarded
from relax_lint.replies.patterns import holds_number
from tests.cases import for_each

HEAD = """\
import ast
import json
import re
from contextlib import suppress

CALL = re.compile(r"<call>(.*?)</call>", re.DOTALL)
COUNT = re.compile(r"count=(\\d+), rate=(-?\\d+(?:\\.\\d+)?)")
TOOLS = {"add": lambda *a, **k: "added", "mul": lambda *a, **k: "multiplied"}


class ToolError(Exception):
    pass


class Parser:
    def parse(self, text):
        return json.loads(text)


"""

REPLIES = [
    "",
    " ",
    "{",
    "}",
    "hello",
    "add",
    "div",
    "add:1",
    "add(1",
    "12",
    "-3",
    "1.5",
    "1.2.3",
    "1,000",
    "½",
    "a b c",
    "count=3, rate=-1.5",
    "count=x, rate=y",
    "{}",
    '{"name": "add"}',
    '{"name": "div", "arguments": {}}',
    '{"name": "add", "arguments": {"x": 1}}',
    '{"name": "add", "arguments": {"x": "many"}}',
    "<call>",
    "<call></call>",
    "<call>{</call>",
    "<call>add</call>",
    "<call>div</call>",
    '<call>{"name": "div"}</call>',
    '<call>{"name": "add", "arguments": {"x": 1}}</call>',
    "<answer>4</answer>",
    "<answer>four",
]
"""What a model may write, the good and the bad."""

_KEPT: list[Project] = []


def source_of(step: str, more: str = "", head: str = HEAD) -> str:
    methods = f"    def step(self, response_text):\n{textwrap.indent(textwrap.dedent(step).strip(), ' ' * 8)}\n"
    if more:
        methods += f"\n{textwrap.indent(textwrap.dedent(more).strip(), ' ' * 4)}\n"
    return f"{head}class Env:\n    tools = TOOLS\n    parser = Parser()\n\n{methods}"


def found_in(text: str) -> list[str]:
    """What is said of it."""
    project = Project.from_files({"examples/demo/env_demo.py": text})
    _KEPT.append(project)
    module = project.module("examples.demo.env_demo")
    assert module is not None
    interpreter = interpreter_of(project)
    cls = interpreter.named(module, "Env")
    assert isinstance(cls, Class)
    step = interpreter.method(Instance(cls), "step")
    assert isinstance(step, Function)
    return [risk.what for risk in unguarded(interpreter, cls, step)]


def raised_by(text: str) -> dict[str, str]:
    """What is raised for which reply."""
    names: dict[str, Any] = {"__name__": "env_demo"}
    exec(text, names)
    found = {}
    for reply in REPLIES:
        try:
            names["Env"]().step(reply)
        except Exception as problem:
            found[reply] = f"{type(problem).__name__}: {problem}"
    return found


LOAD = """\
def _load(self, text):
    try:
        return json.loads(text) if text.startswith("{") else {}
    except ValueError:
        return {}
"""


def cases(name: str) -> list[str]:
    """Environments by the bodies of their ``step``: apart from each other by ``---``, from other methods by ``~``."""
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    parts = (each.strip("\n").partition("\n~\n") for each in text.split("\n---\n"))
    return [source_of(step, more.replace("LOAD", LOAD)) for step, _, more in parts]


@for_each("text", cases("guarded.txt"))
def test_code_that_looks_first_or_catches_is_left_alone(text: str) -> None:
    assert raised_by(text) == {}, "the case is wrong: it does raise"
    assert found_in(text) == []


@for_each("text", cases("unguarded.txt"))
def test_code_that_a_bad_reply_breaks_is_found(text: str) -> None:
    assert raised_by(text) != {}, "the case is wrong: nothing raises"
    assert len(found_in(text)) == 1


@for_each(
    ("pattern", "group", "function", "expected"),
    [
        (r"(\d+)", 1, "int", True),
        (r"(-?\d+)", 1, "int", True),
        (r"\d+", 0, "int", True),
        (r"(?:a|b)(?P<n>[0-9]{1,3})", "n", "int", True),
        (r"(?P<n>[0-9]+)", 1, "int", True),
        (r"\((\d+)\)", 1, "int", True),
        (r"[(](\d+)[)]", 1, "int", True),
        (r"x=(\w+) y=(\d+)", 2, "int", True),
        (r"(-?\d+(?:\.\d+)?)", 1, "float", True),
        (r"(-?\d+(?:\.\d+)?)", 1, "int", False),
        (r"([\d.]+)", 1, "float", False),
        (r"([\d,]+)", 1, "int", False),
        (r"(\d*)", 1, "int", False),
        (r"(.*?)", 1, "float", False),
        (r"(\d+)?", 1, "int", False),
        (r"(\w+)", 1, "int", False),
        (r"(\d+)", 2, "int", False),
        (r"(\d+", 1, "int", False),
    ],
)
def test_groups_that_can_hold_nothing_but_numbers(
    pattern: str, group: int | str, function: str, expected: bool
) -> None:
    assert holds_number(pattern, group, function) is expected
