"""Generated batch functions: what is claimed of the lists that they return is held against real runs."""

from __future__ import annotations

import itertools
import random
from types import SimpleNamespace
from typing import Any

import pytest

from relax_lint.flow.interpreter import interpreter_of
from relax_lint.flow.shapes import SAMPLES_LENGTH, UNKNOWN, Arguments, Sample, Sequence, alternatives, in_words
from relax_lint.project import Project

PROGRAMS = 400
CONDITIONS = ("s.a", "s.b", "not s.a", "not s.b")
VALUES = ("1", "{'score': 1}", "None", "'text'")


class Generator:
    """Random functions that build a list with one pass or several over the samples."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def function(self) -> str:
        starts = ["out = []", "out = list()", "out = [0] * len(samples)", "out = [1 for s in samples]"]
        body = [self.random.choice(starts)]
        for _ in range(self.random.randint(1, 2)):
            body += self.random.choice([self.loop, self.loop, self.loop, self.comprehension, self.padding])()
        ends = ["return out", "return out", "return list(out)", "return out + []", "return out[1:]"]
        body.append(self.random.choice(ends))
        return "\n".join(["def f(args, samples):", *(f"    {line}" for line in body)]) + "\n"

    def loop(self) -> list[str]:
        iterables = [
            "s in samples",
            "i, s in enumerate(samples)",
            "s in list(samples)",
            "s, _ in zip(samples, samples)",
        ]
        return [f"for {self.random.choice(iterables)}:", *(f"    {line}" for line in self.steps(2))]

    def steps(self, depth: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self.random.randint(1, 3)):
            lines += self.step(depth)
        return lines

    def step(self, depth: int) -> list[str]:
        value = self.random.choice(VALUES)
        simple = [f"out.append({value})", f"out.append({value})", f"out += [{value}]", f"out.extend([{value}, 1])", "s"]
        if not depth or self.random.random() < 0.5:
            return [self.random.choice(simple)]
        test = self.random.choice(CONDITIONS)
        leaving = [["continue"], ["break"], [f"out.append({value})", "continue"]]
        inner = self.random.choice([self.steps(depth - 1), *leaving])
        lines = [f"if {test}:", *(f"    {line}" for line in inner)]
        if self.random.random() < 0.4:
            lines += ["else:", *(f"    {line}" for line in self.steps(depth - 1))]
        return lines

    def comprehension(self) -> list[str]:
        condition = self.random.choice(["", "", f" if {self.random.choice(CONDITIONS)}"])
        return [f"out = [{self.random.choice(VALUES)} for s in samples{condition}]"]

    def padding(self) -> list[str]:
        return ["while len(out) < len(samples):", "    out.append(0)"]


def real_lists(source: str) -> list[tuple[int, list[Any]]]:
    """The numbers of samples with the lists that come out."""
    namespace: dict[str, Any] = {}
    exec(compile(source, "<generated>", "exec"), namespace)
    found = []
    for count in (1, 2, 3):
        for flags in itertools.product(itertools.product((False, True), repeat=2), repeat=count):
            samples = [SimpleNamespace(a=a, b=b) for a, b in flags]
            found.append((count, namespace["f"](None, samples)))
    return found


def claimed(source: str) -> list[Sequence]:
    project = Project.from_files({"examples/demo/f.py": source})
    module = project.module("examples.demo.f")
    assert module is not None
    interpreter = interpreter_of(project)
    samples = Sequence(Sample(), SAMPLES_LENGTH)
    exits = interpreter.outcomes(interpreter.named(module, "f"), Arguments((UNKNOWN, samples)))
    return [way.shape for way in exits or () if isinstance(way.shape, Sequence)]


def word_for(value: object) -> str:
    return {dict: "a dict", int: "a number", str: "a string", type(None): "None"}[type(value)]


@pytest.mark.parametrize("first", range(0, PROGRAMS, 50))
def test_claims_of_lists_are_what_happens(first: int) -> None:
    for seed in range(first, first + 50):
        check(Generator(seed).function())


def check(source: str) -> None:
    lists = real_lists(source)
    surplus = {len(items) - count for count, items in lists}
    kinds = {word_for(item) for _, items in lists for item in items}
    shapes = claimed(source)
    for shape in shapes:
        happens = {
            "samples": 0 in surplus,
            "fewer": min(surplus) < 0,
            "more": max(surplus) > 0,
            "exact": any(len(items) == shape.length.count for _, items in lists),
        }
        assert happens.get(shape.length.kind, True), (source, shape)
        words = {in_words(part) for part in alternatives(shape.element)} - {"an object"}
        if "while" not in source:  # how often a list is filled up depends on numbers, which are not followed
            assert words <= kinds, (source, shape)
    if shapes and all(shape.length.kind == "samples" for shape in shapes):
        assert surplus == {0}, (source, shapes)


def test_most_lengths_are_told() -> None:
    told = [
        any(shape.length.kind != "unknown" for shape in claimed(Generator(seed).function()))
        for seed in range(0, PROGRAMS, 4)
    ]
    assert sum(told) > len(told) / 3
