"""A Python file that is typed into has the tree of its text, and keeps what nobody touched."""

from __future__ import annotations

import ast
import random
import warnings
from pathlib import Path

import pytest

from relax_lint.sources.changing import ChangingPython
from relax_lint.sources.python import PythonSource

FILE = Path("/project/examples/reward.py")
REWARD = '''\
"""Scores answers."""

from __future__ import annotations

import re; import os

LIMIT = 8  # tokens
if os.environ.get("STRICT"):
    LIMIT = 4


@staticmethod
def clean(text: str) -> str:
    """What counts, “quoted” or not."""
    return text.strip() or """
nothing
"""


class Scorer:
    best = (
        1.0
    )

    def score(self, text: str) -> float:
        return self.best if clean(text) else 0.0


async def reward_func(args, sample):
    try:
        value = Scorer().score(sample.response)
    except ValueError:
        value = 0.0
    return {"score": value}
'''
LINES = [
    *("else:", "elif x:", "except ValueError:", "finally:", "try:", "    x = 1", "\tx = 1", "x = 1", "pass; pass"),
    *("@decorator", "'''", '"""', "(", ")", "[1,", "]", "\\", "x = 1 \\", "+ 2", ".strip()", "; y = 2", "# said"),
    *("def clean(x): ...", "class A:", "from __future__ import division", "from __future__ import gone", "é = 'ü'"),
    *("match x:", "case 1:", "    case 1: pass", "# coding: latin-1", "\x0c", "x = 1\r", "\r", "\0", "lambda: 0"),
    *("async", "if a: b; c = 3", ""),
]  # fmt: skip


def shown(source: PythonSource) -> object:
    tree = source.tree
    return None if tree is None else ast.dump(tree, include_attributes=True), source.error


def statements(source: PythonSource) -> list[ast.stmt]:
    assert source.tree is not None
    return source.tree.body


@pytest.fixture
def reward() -> ChangingPython:
    source = ChangingPython(FILE, REWARD.encode())
    assert source.tree is not None
    return source


@pytest.mark.parametrize("line", LINES)
def test_a_line_anywhere_comes_to_the_tree_that_the_text_has(line: str) -> None:
    lines = REWARD.split("\n")
    for at in range(len(lines) + 1):
        source = ChangingPython(FILE, REWARD.encode())
        assert source.tree is not None
        text = "\n".join([*lines[:at], line, *lines[at:]])
        for now in (text, REWARD, text):
            source.take(now.encode())
            assert shown(source) == shown(PythonSource(FILE, now.encode())), (at, line)


@pytest.mark.parametrize("seed", range(20))
def test_a_text_that_is_worked_on_has_the_tree_of_what_it_became(seed: int, reward: ChangingPython) -> None:
    dice, text = random.Random(seed), REWARD
    for _ in range(40):
        at = dice.randrange(len(text) + 1)
        match dice.randrange(4):
            case 0:
                text = text[:at] + dice.choice(LINES) + text[at:]
            case 1:
                text = text[:at] + text[at + dice.randrange(30) :]
            case 2:
                text = "\n".join([*text.split("\n"), dice.choice(LINES)])
            case _:
                text = REWARD
        reward.take(text.encode())
        if dice.random() < 0.7:  # else somebody types on before anybody looks
            assert shown(reward) == shown(PythonSource(FILE, text.encode())), text


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        ("LIMIT = 8", "LIMIT = 9", [4]),
        ("LIMIT = 8", "MORE = 1\nLIMIT = 8", [4, 5]),
        ("import re; ", "", [2]),
        ('return text.strip() or """', 'text += "."\n    return text.strip() or """', [6]),
        ("class Scorer:", "@final\nclass Scorer:", [7]),
        ('    return {"score": value}\n', '    return {"score": value}\n\n\nlast = 1', [9]),
    ],
)
def test_statements_that_nobody_touched_keep_their_nodes(
    before: str, after: str, changed: list[int], reward: ChangingPython
) -> None:
    nodes = statements(reward)
    reward.take(REWARD.replace(before, after, 1).encode())
    assert [at for at, node in enumerate(statements(reward)) if node not in nodes] == changed


def test_statements_are_known_again_after_a_text_that_was_no_python(reward: ChangingPython) -> None:
    nodes = statements(reward)
    for text in (REWARD.replace("LIMIT = 8", "LIMIT = ("), REWARD.replace("LIMIT = 8", "LIMIT = (9")):
        reward.take(text.encode())
        assert reward.tree is None
    reward.take(REWARD.replace("LIMIT = 8", "\n\nLIMIT = (9)").encode())
    assert len(set(nodes).intersection(statements(reward))) == len(nodes) - 1


def test_what_it_was_stays_to_be_asked_for(reward: ChangingPython) -> None:
    before = reward.as_it_is
    reward.take(b"\n" * 5)
    assert before.text == REWARD
    assert before.position(len(REWARD)) == (REWARD.count("\n") + 1, 1)
    assert (reward.text, reward.position(3)) == ("\n" * 5, (4, 1))


def test_what_is_around_a_node_is_told_without_the_module(reward: ChangingPython) -> None:
    (value,) = (node for node in reward.nodes(ast.Attribute) if node.attr == "best")
    assert [type(node).__name__ for node in reward.around(value)] == [
        "IfExp", "Return", "FunctionDef", "ClassDef",
    ]  # fmt: skip


def test_warnings_of_the_parser_are_no_matter(reward: ChangingPython) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        reward.take(REWARD.replace("LIMIT = 8", r"LIMIT = '\d'").encode())
    assert isinstance(statements(reward)[4], ast.Assign)
