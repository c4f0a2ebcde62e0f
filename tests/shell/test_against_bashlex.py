"""A second opinion: where bashlex reads a command, it sees the words that we see, or real bash says it is wrong."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import bashlex

from relax_lint.shell.nodes import SimpleCommand
from relax_lint.shell.syntax import parse
from tests.shell import batch
from tests.shell.generator.scene import Scene
from tests.shell.generator.script import GeneratedScript
from tests.shell.test_against_bash import disagreement
from tools.bash_oracle import Oracle

COMMANDS = 1500
Words = list[tuple[int, int, str | None]]
"""Where each word stands and, when nothing in it is to be expanded, its text."""


def words_by_bashlex(command: str) -> Words | None:
    try:
        (node,) = bashlex.parse(command)
    except Exception:
        # It gives up in many ways, from its own errors to assertions.
        return None
    if node.kind != "command" or any(part.kind not in ("word", "assignment") for part in node.parts):
        return None
    return [(*part.pos, None if part.parts else part.word) for part in node.parts]


def words_by_us(command: str) -> Words:
    (node,) = parse(command).commands
    assert isinstance(node, SimpleCommand)
    return [(word.start, word.end, getattr(word, "literal", None)) for word in (*node.assignments, *node.words)]


def agree(one: Words, other: Words) -> bool:
    if [word[:2] for word in one] != [word[:2] for word in other]:
        return False
    return all(None in (a[2], b[2]) or a[2] == b[2] for a, b in zip(one, other, strict=True))


def test_words_that_bashlex_reads(tmp_path: Path) -> None:
    verdicts: Counter[str] = Counter()
    disputed: list[GeneratedScript] = []
    for seed in range(COMMANDS):
        command = Scene(random.Random(seed)).fill("«simple»")
        theirs = words_by_bashlex(command)
        if theirs is None:
            verdicts["unread"] += 1
        elif agree(theirs, words_by_us(command)):
            verdicts["agreed"] += 1
        else:
            disputed.append(GeneratedScript(seed, command + "\n", {}, ("first", "second one"), {}, Counter()))
    places = [batch.place(script, tmp_path) for script in disputed]
    with Oracle() as oracle:
        launches = batch.launches(disputed, tmp_path, oracle.programs)
        lost = [
            reason
            for script, here, real in zip(disputed, places, launches, strict=True)
            if (reason := disagreement(script, here, oracle.programs, real)) is not None
        ]
    assert not lost
    assert verdicts["agreed"] > COMMANDS // 3
    assert disputed
