"""Generated functions, followed statically and run for real on every input: what is claimed must happen, and what
happens must be claimed."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from relax_lint.flow.interpreter import interpreter_of
from relax_lint.flow.shapes import (
    UNKNOWN,
    Arguments,
    Dictionary,
    Sample,
    Shape,
    Unknown,
    alternatives,
    in_words,
)
from relax_lint.project import Project

INPUTS = ("a", "b", "c")
LENGTHS = (0, 1, 2)
PROGRAMS = 600


class Generator:
    """Random function bodies over three opaque flags, one list of unknown length, and the variables x, y and z."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.in_loop = 0
        self.counters = 0

    def function(self) -> str:
        body = [*self.block(4, 2), *(["return x"] if self.random.random() < 0.8 else [])]
        lines = ["def f(args, sample):", "    x = y = None", "    z = False", *(f"    {line}" for line in body)]
        return "\n".join(lines) + "\n"

    def block(self, most: int, depth: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self.random.randint(1, most)):
            lines += self.statement(depth)
        return lines

    def statement(self, depth: int) -> list[str]:
        simple = [self.assignment, self.assignment, self.mutation, self.leave]
        compound = [self.branch, self.branch, self.loop, self.attempt, self.counted, self.choice]
        return self.random.choice([*simple, *(compound if depth else [])])(depth)

    def value(self) -> str:
        return self.random.choice(
            ["None", "1", "0", "True", "{}", "{'score': 1}", "'text'", "(1, 2)", "[]", "x", "y", "z", "{**y}"]
            if self.random.random() < 0.3
            else ["None", "1", "{'score': 1}", "{'acc': 0}", "'text'", "x"]
        ).replace("{**y}", "dict(y) if isinstance(y, dict) else {}")

    def condition(self) -> str:
        return self.random.choice(
            [
                "args.a",
                "args.b",
                "not args.a",
                "x is None",
                "y is not None",
                "not y",
                "x",
                "z",
                "not z",
                "args.a and x is None",
                "args.b or z",
                "isinstance(x, dict)",
                "isinstance(x, (int, float))",
                "x == 'text'",
            ]
        )

    def assignment(self, depth: int) -> list[str]:
        name = self.random.choice("xxyyz")
        if name == "z":
            return [f"z = {self.random.choice(['True', 'False', 'not z', 'bool(args.c)'])}"]
        if self.random.random() < 0.2:
            return [f"{name} = {self.value()} if {self.condition()} else {self.value()}"]
        return [f"{name} = {self.value()}"]

    def mutation(self, depth: int) -> list[str]:
        key = self.random.choice(["'score'", "'acc'"])
        change = self.random.choice(
            [f"x[{key}] = 2", f"x.update({{{key}: 3}})", f"x.setdefault({key}, 4)", f"x.pop({key}, 0)"]
        )
        return ["if isinstance(x, dict):", f"    {change}"]

    def leave(self, depth: int) -> list[str]:
        if self.in_loop and self.random.random() < 0.5:
            return (
                [self.random.choice(["break", "continue"])] if self.random.random() < 0.4 else [f"y = {self.value()}"]
            )
        if self.random.random() < 0.25:
            return [
                f"if {self.condition()}:",
                f"    {self.random.choice(['return', f'return {self.value()}', 'raise ValueError'])}",
            ]
        return [f"y = {self.value()}"]

    def branch(self, depth: int) -> list[str]:
        lines = [f"if {self.condition()}:", *self.indented(depth)]
        if self.random.random() < 0.3:
            lines += [f"elif {self.condition()}:", *self.indented(depth)]
        return lines + (["else:", *self.indented(depth)] if self.random.random() < 0.5 else [])

    def loop(self, depth: int) -> list[str]:
        head = self.random.choice(["for item in args.items:", "for item in (1, 2):", "for i in range(2):"])
        self.in_loop += 1
        lines = [head, *self.indented(depth)]
        self.in_loop -= 1
        return lines + (["else:", *self.indented(depth)] if self.random.random() < 0.2 else [])

    def counted(self, depth: int) -> list[str]:
        self.in_loop += 1
        self.counters += 1
        name = f"n{self.counters}"
        lines = [f"{name} = 0", f"while {name} < 2:", f"    {name} += 1", *self.indented(depth)]
        self.in_loop -= 1
        return lines

    def attempt(self, depth: int) -> list[str]:
        lines = ["try:", *self.indented(depth), "    args.fail()"]
        lines += ["except ValueError:", *self.indented(depth)]
        if self.random.random() < 0.3:
            lines += ["else:", *self.indented(depth)]
        return lines + (["finally:", f"    y = {self.value()}"] if self.random.random() < 0.3 else [])

    def choice(self, depth: int) -> list[str]:
        return [
            "match x:",
            "    case None:",
            *(f"    {line}" for line in self.indented(depth)),
            "    case _:",
            *(f"    {line}" for line in self.indented(depth)),
        ]

    def indented(self, depth: int) -> list[str]:
        return [f"    {line}" for line in self.block(2, depth - 1)]


def claimed(source: str) -> set[str] | None:
    """The kinds of value that are found statically; ``None`` stands for anything."""
    project = Project.from_files({"examples/demo/f.py": source})
    module = project.module("examples.demo.f")
    assert module is not None
    interpreter = interpreter_of(project)
    exits = interpreter.outcomes(interpreter.named(module, "f"), Arguments((UNKNOWN, Sample())))
    return None if exits is None else {kind(part) for way in exits for part in alternatives(way.shape)}


def kind(shape: Shape) -> str:
    if isinstance(shape, Unknown):
        return "unknown"
    if isinstance(shape, Dictionary):
        return "dict" if shape.open else "dict of " + " ".join(sorted(str(entry.key) for entry in shape.entries))
    return in_words(shape)


def happening(source: str) -> set[str]:
    """The kinds of value that really come out, over every input."""
    namespace: dict[str, Any] = {}
    exec(compile(source, "<generated>", "exec"), namespace)
    return set(_results(namespace["f"]))


def _results(function: Any) -> Iterator[str]:
    for flags in itertools.product((False, True), repeat=len(INPUTS)):
        for length, fails in itertools.product(LENGTHS, range(32)):
            calls = itertools.count()

            def fail(fails: int = fails, calls: Any = calls) -> None:
                if fails >> min(next(calls), 4) & 1:
                    raise ValueError

            args = SimpleNamespace(**dict(zip(INPUTS, flags, strict=True)), items=list(range(length)), fail=fail)
            try:
                yield _kind_of(function(args, None))
            except ValueError:
                continue


def _kind_of(value: object) -> str:
    if isinstance(value, dict):
        return "dict of " + " ".join(sorted(value))
    names = {type(None): "None", str: "a string", tuple: "a tuple", list: "a list"}
    return names.get(type(value), "a number")


def differences(seed: int) -> tuple[str, set[str], set[str]]:
    source = Generator(seed).function()
    static, real = claimed(source), happening(source)
    if static is None:
        return source, set(), set()
    if "unknown" in static or "dict" in static:
        return source, static - {"unknown", "dict"} - real, set()
    return source, static - real, real - static


@pytest.mark.parametrize("first", range(0, PROGRAMS, 50))
def test_claims_are_what_happens(first: int) -> None:
    for seed in range(first, first + 50):
        source, false, missed = differences(seed)
        assert not missed, source
        assert not false, source


def test_most_programs_are_followed_to_the_end() -> None:
    known = sum(claimed(Generator(seed).function()) is not None for seed in range(0, PROGRAMS, 4))
    assert known > 0.9 * PROGRAMS / 4
