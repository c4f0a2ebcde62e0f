from __future__ import annotations

import textwrap

import pytest

from relax_lint.flow.interpreter import Interpreter, interpreter_of
from relax_lint.flow.shapes import (
    SAMPLES_LENGTH,
    UNKNOWN,
    Arguments,
    Awaitable,
    Class,
    Constant,
    Dictionary,
    Function,
    Instance,
    Library,
    NoneValue,
    Sample,
    Sequence,
    Shape,
    alternatives,
    is_scalar,
    is_text,
)
from relax_lint.project import Project


def load(text: str, **others: str) -> tuple[Interpreter, Shape]:
    tree = {"examples/demo/f.py": textwrap.dedent(text)}
    tree.update({f"examples/demo/{name}.py": textwrap.dedent(other) for name, other in others.items()})
    project = Project.from_files(tree)
    module = project.module("examples.demo.f")
    assert module is not None
    interpreter = interpreter_of(project)
    _KEPT.append(project)
    return interpreter, interpreter.named(module, "f")


_KEPT: list[Project] = []
"""Interpreters hold their projects weakly."""


def outcomes(text: str, *, batch: bool = False, **others: str) -> set[str]:
    """What the ways out of ``f(args, sample)`` give, in short."""
    interpreter, function = load(text, **others)
    second = Sequence(Sample(), SAMPLES_LENGTH) if batch else Sample()
    exits = interpreter.outcomes(function, Arguments((UNKNOWN, second)))
    return {"nothing known"} if exits is None else {short(part) for way in exits for part in alternatives(way.shape)}


def short(shape: Shape) -> str:
    if isinstance(shape, NoneValue):
        return "None"
    if is_text(shape):
        return "text"
    if is_scalar(shape):
        return "number"
    if isinstance(shape, Dictionary):
        keys = " ".join(f"{entry.key}{'' if entry.sure else '?'}" for entry in shape.entries)
        return f"dict({keys}{'…' if shape.open else ''})"
    if isinstance(shape, Sequence):
        return f"{shape.kind} of {shape.length.kind}"
    if isinstance(shape, Awaitable):
        return f"awaitable {short(shape.result)}"
    return type(shape).__name__.lower()


def test_decorators_of_the_recipe_are_followed() -> None:
    text = """
        import functools

        def retry(times):
            def decorate(function):
                @functools.wraps(function)
                async def inner(*args, **kwargs):
                    for _ in range(times):
                        result = await function(*args, **kwargs)
                        if result is not None:
                            return result
                    return {"score": 0.0}
                return inner
            return decorate

        @retry(times=3)
        async def f(args, sample):
            return None if args.lazy else {"score": 1.0, "acc": 1}
    """
    assert outcomes(text) == {"dict(score acc)", "dict(score)"}


def test_decorators_from_elsewhere_hide_what_is_decorated() -> None:
    _, function = load("from tenacity import retry\n\n@retry()\nasync def f(args, sample):\n    return 1\n")
    assert not isinstance(function, Function)


@pytest.mark.parametrize("decorator", ["@functools.lru_cache(maxsize=9)", "@functools.cache", "@torch.no_grad()"])
def test_harmless_decorators_leave_the_function(decorator: str) -> None:
    _, function = load(f"import functools, torch\n\n{decorator}\ndef f(args, sample):\n    return 1\n")
    assert isinstance(function, Function)


def test_closures_see_what_is_bound_once_and_nothing_else() -> None:
    text = """
        def make(weight, kind):
            scale = {"score": weight}
            changing = None
            if kind:
                changing = 1.0
            def inner(args, sample):
                if args.a:
                    return scale
                return changing
            return inner

        f = make(1.0, "x")
    """
    assert outcomes(text) == {"dict(score)", "unknown"}


def test_what_nested_functions_fill_is_not_claimed_empty() -> None:
    text = """
        import asyncio

        async def f(args, samples):
            out, seen = [], {}

            async def one(sample):
                out.append(1.0)
                seen["score"] = 1.0

            await asyncio.gather(*[one(s) for s in samples])
            return out if args.lists else seen
    """
    assert outcomes(text, batch=True) == {"list of unknown", "dict(…)"}


def test_calls_are_followed_with_what_they_are_given() -> None:
    text = """
        from .other import compute as score

        async def f(args, sample):
            return score(sample.response, verbose=False)
    """
    other = """
        def compute(text, *, verbose=True):
            if verbose:
                return {"score": 1.0}
            return 1.0
    """
    assert outcomes(text, other=other) == {"number"}


def test_recursion_is_not_followed_forever() -> None:
    assert "unknown" in outcomes("def f(args, sample):\n    return f(args, sample) if sample.label else 1.0\n")


def test_functions_that_always_raise_end_the_way() -> None:
    text = """
        import sys

        def stop(why):
            raise ValueError(why)

        def f(args, sample):
            if args.a:
                stop("a")
            elif args.b:
                sys.exit(1)
            else:
                return 1.0
    """
    assert outcomes(text) == {"number"}


def test_methods_objects_and_partials() -> None:
    text = """
        from functools import partial

        class Base:
            def base(self, sample):
                return {"score": 1.0}

            @staticmethod
            def plain(sample):
                return "text"

        class Judge(Base):
            async def score(self, kind, args, sample):
                if kind == "dict":
                    return self.base(sample)
                return self.plain(sample)

        f = partial(Judge().score, "dict")
    """
    assert outcomes(text) == {"dict(score)"}


def test_dataclasses_become_dicts_of_their_fields() -> None:
    text = """
        from dataclasses import asdict, dataclass

        @dataclass(frozen=True)
        class Base:
            score: float

        @dataclass(frozen=True)
        class Result(Base):
            acc: float = 0.0

        def f(args, sample):
            return asdict(Result(1.0))
    """
    assert outcomes(text) == {"dict(score acc)"}


def test_registries_that_are_filled_elsewhere_are_not_known() -> None:
    text = """
        SCORERS = {"a": lambda text: 1.0}

        def register(function):
            SCORERS[function.__name__] = function
            return function

        @register
        def exact(text):
            return {"score": 1.0}

        def f(args, sample):
            return SCORERS[args.kind](sample.response)
    """
    assert outcomes(text) == {"unknown"}


def test_fixed_registries_are() -> None:
    text = """
        SCORERS = {"a": lambda text: 1.0, "b": lambda text: {"score": 1.0}}

        def f(args, sample):
            scorer = SCORERS.get(args.kind)
            if scorer is None:
                return "unknown kind"
            return scorer(sample.response)
    """
    assert outcomes(text) == {"number", "dict(score)", "text"}


def test_dicts_changed_after_they_were_put_into_a_list_are_open() -> None:
    text = """
        def f(args, samples):
            results = []
            for sample in samples:
                one = {"acc": 1.0}
                results.append(one)
                one["score"] = 1.0
            return results[0]
    """
    assert outcomes(text, batch=True) == {"dict(acc?…)"}


def test_a_loop_that_completes_each_result_opens_them() -> None:
    text = """
        def f(args, samples):
            results = [{"acc": 1.0} for sample in samples]
            for result in results:
                result["score"] = result["acc"] / 2
            return results[0]
    """
    assert outcomes(text, batch=True) == {"dict(acc?…)"}


def test_unknown_code_may_add_keys() -> None:
    text = """
        import helpers

        def keep(result):
            return len(result)

        def add(result):
            result["more"] = 1

        def f(args, sample):
            result = {"acc": 1.0}
            if args.a:
                helpers.add(result)
            elif args.b:
                add(result)
            else:
                keep(result)
                print(result)
            return result
    """
    assert outcomes(text) == {"dict(acc?…)", "dict(acc)"}


def test_coroutines_and_threads() -> None:
    text = """
        import asyncio

        def score(text):
            return {"score": 1.0}

        async def slow(text):
            return 1.0

        async def f(args, sample):
            loop = asyncio.get_running_loop()
            if args.a:
                return await asyncio.to_thread(score, sample.response)
            if args.b:
                return await loop.run_in_executor(None, score, sample.response)
            if args.c:
                return await asyncio.wait_for(slow(""), timeout=1)
            task = asyncio.create_task(slow(""))
            return task if args.d else await task
    """
    assert outcomes(text) == {"dict(score)", "number", "awaitable number"}


def test_deep_code_gives_no_answer_rather_than_a_wrong_one() -> None:
    deep = "x" + " + x" * 900
    assert outcomes(f"def f(args, sample):\n    x = 1\n    return {deep}\n") <= {"number", "unknown", "nothing known"}
    nested = "".join("    " * depth + f"if args.a{depth}:\n" for depth in range(1, 90))
    text = f"def f(args, sample):\n{nested}{'    ' * 90}return 1\n"
    assert outcomes(text) <= {"number", "None", "nothing known"}


def test_endless_branching_is_given_up() -> None:
    lines = "".join(f"    if args.a{n}:\n        x{n} = 1\n    else:\n        x{n} = None\n" for n in range(400))
    assert outcomes(f"def f(args, sample):\n{lines}    return 1.0\n") <= {"number", "nothing known"}


def test_shapes_of_module_names() -> None:
    text = "class f:\n    pass\n"
    _, shape = load(text)
    assert isinstance(shape, Class)
    _, shape = load("class A:\n    pass\n\n\nf = A()\n")
    assert isinstance(shape, Instance)
    _, shape = load("import numpy as np\n\nf = np.mean\n")
    assert shape == Library("numpy.mean")
    _, shape = load("LIMIT = 2\nf = LIMIT + 1\n")
    assert shape == Constant(3)
    _, shape = load("f = None\n\n\ndef change():\n    global f\n    f = 1\n")
    assert shape == UNKNOWN


@pytest.mark.parametrize(
    ("value", "keys"),
    [
        ("dict(zip(['score', 'acc'], [1.0, 0.0]))", "dict(score acc)"),
        ("dict([('score', 1.0), ('acc', 0.0)])", "dict(score acc)"),
        ("dict({'n': 1}.items(), score=1.0)", "dict(n score)"),
        ("dict.fromkeys(('score', 'acc'), 0.0)", "dict(score acc)"),
        ("dict.fromkeys(sample.metadata, 0.0)", "dict(…)"),
        ("dict(zip(sample.tokens, [1.0]))", "dict(…)"),
        ("{**{'acc': 0.0}, **dict([(sample.label, 1.0)])}", "dict(acc…)"),
    ],
)
def test_dictionaries_of_pairs(value: str, keys: str) -> None:
    assert outcomes(f"async def f(args, sample):\n    return {value}\n") == {keys}
    assert outcomes(f"async def f(args, sample):\n    d = {{}}\n    d.update({value})\n    return d\n") == {keys}


@pytest.mark.parametrize(
    "change",
    ["held[0]['score'] = 1.0", "held[0].update(score=1.0)", "by['d']['score'] = 1.0"],
)
def test_what_is_in_a_container_can_be_changed_through_it(change: str) -> None:
    text = f"""
        async def f(args, sample):
            d = {{"acc": 0.0}}
            held, by = [d], {{"d": d}}
            {change}
            return d
    """
    assert outcomes(text) == {"dict(acc?…)"}


KINDS = """
    async def f(args, sample):
        single = not isinstance(sample, list)
        out = [1.0 for s in ([sample] if single else sample)]
        return out[0] if single else out
"""
TYPE = """
    async def f(args, sample):
        if type(sample) is list:
            return [1.0 for s in sample]
        return 1.0
"""
TYPES = TYPE.replace("is list", "in (list, tuple)")
CLASSES = """
    async def f(args, sample):
        match sample:
            case list():
                return [1.0 for s in sample]
            case _:
                return 1.0
"""
PATTERNS = CLASSES.replace("list()", "[_, *_]")


@pytest.mark.parametrize("text", [KINDS, TYPE, TYPES, CLASSES])
def test_what_the_second_parameter_is_decides_the_way(text: str) -> None:
    assert outcomes(text) == {"number"}
    assert outcomes(text, batch=True) == {"list of samples"}


def test_a_sample_fits_no_pattern_of_a_list() -> None:
    assert outcomes(PATTERNS) == {"number"}


@pytest.mark.parametrize(
    ("value", "length"),
    [
        ("[x for s in samples for x in (1.0, 2.0)]", "more"),
        ("[x for s in samples for x in (1.0,)]", "samples"),
        ("[x for s in samples for x in s.tokens]", "unknown"),
        ("[x for s in samples if s.label for x in (1.0,)]", "fewer"),
        ("list({s.label for s in samples})", "fewer"),
        ("sorted(set(s.label for s in samples))", "fewer"),
    ],
)
def test_lists_that_are_not_as_long_as_the_batch(value: str, length: str) -> None:
    assert outcomes(f"async def f(args, samples):\n    return {value}\n", batch=True) == {f"list of {length}"}


def test_a_generator_is_no_reward_function_to_follow() -> None:
    assert outcomes("async def f(args, sample):\n    yield 1.0\n") == {"nothing known"}


@pytest.mark.parametrize(
    "body",
    [
        "for number in itertools.count():\n        if args.retries < number:\n            return 1.0",
        "if sample.label:\n        return 1.0\n    typing.assert_never(sample.label)",
    ],
)
def test_ends_that_are_never_reached(body: str) -> None:
    assert outcomes(f"import itertools, typing\n\nasync def f(args, sample):\n    {body}\n") == {"number"}


@pytest.mark.parametrize(
    "body",
    [
        "first, second = samples\n    return [1.0, 0.0]",
        "match samples:\n        case [first, second]:\n            return [1.0, 0.0]\n    raise ValueError",
        "out = []\n    for group in by_label(samples):\n        out.extend([1.0] * len(group))\n    return out",
    ],
)
def test_lists_that_may_well_be_as_long_as_the_batch(body: str) -> None:
    text = f"from groups import by_label\n\nasync def f(args, samples):\n    {body}\n"
    assert outcomes(text, batch=True) <= {"unknown", "list of unknown"}


@pytest.mark.parametrize(
    ("body", "dumped", "keys"),
    [
        ("score: float\n    acc: float = 0", "R(score=1.0).model_dump()", "dict(score acc)"),
        ("score: float\n    def half(self):\n        return self.score / 2", "R(score=1.0).dict()", "dict(score)"),
        ("score: float", "R(score=1.0).model_dump(exclude={'score'})", "dict(score?…)"),
        ("score: float = Field(exclude=True)", "R(score=1.0).model_dump()", "dict(score?…)"),
        ("score: float\n    model_config = {'extra': 'allow'}", "R(score=1.0).model_dump()", "dict(score?…)"),
        ("score: float\n    def model_dump(self):\n        return None", "R(score=1.0).model_dump()", "None"),
    ],
)
def test_models_are_dumped_by_their_fields(body: str, dumped: str, keys: str) -> None:
    text = f"""from pydantic import BaseModel, Field

class R(BaseModel):
    {body}

async def f(args, sample):
    return {dumped}
"""
    assert outcomes(text) == {keys}


def test_the_attributes_of_an_object_as_a_dictionary() -> None:
    text = "class R:\n    x = 1\n\nasync def f(args, sample):\n    return R().__dict__\n"
    assert outcomes(text) == {"dict(…)"}


def test_a_named_tuple_as_a_dictionary() -> None:
    text = """
        from typing import NamedTuple

        class R(NamedTuple):
            score: float

        async def f(args, sample):
            return R(1.0)._asdict()
    """
    assert outcomes(text) == {"dict(…)"}
