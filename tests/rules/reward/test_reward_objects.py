"""Objects as rewards: Relax looks --reward-key up in them, or makes a tensor of them, and can neither."""

from __future__ import annotations

import pytest

from relax_lint.engine import lint
from relax_lint.project import Project
from relax_lint.rules import load_rules

TRAIN = "python3 relax/entrypoints/train.py --custom-rm-path examples.demo.reward_demo.reward_func"
KEY = "--reward-key score"
DATACLASS = (
    "from dataclasses import asdict, dataclass\n\n\n@dataclass{options}\nclass Score:\n    score: float\n{more}\n\n"
)
PLAIN = "class Score{bases}:\n    def __init__(self, score):\n        self.score = score\n{more}\n\n"


def dataclass(more: str = "", options: str = "") -> str:
    return DATACLASS.format(more=more, options=options)


def plain(more: str = "", bases: str = "") -> str:
    return PLAIN.format(more=more, bases=bases)


def method(name: str, *parameters: str) -> str:
    return f"\n    def {name}({', '.join(('self', *parameters))}):\n        return self.score\n"


def reward(body: str) -> str:
    return f"async def reward_func(args, sample, **kwargs):\n    {body}\n"


def found(code: str, flags: str) -> list[str]:
    files = {"examples/demo/reward_demo.py": code, "examples/demo/run_demo.sh": f"{TRAIN} {flags}\n"}
    report = lint(Project.from_files(files), {"RLX205": load_rules()["RLX205"]})
    return [one.message for one in report.standing]


GIVES = reward("return Score(1.0)")
WITH_EITHER = {
    "a dataclass": dataclass() + GIVES,
    "a dataclass with options": dataclass(options="(frozen=True, slots=True)") + GIVES,
    "a class": plain() + GIVES,
    "a class of object": plain(bases="(object)") + GIVES,
    "an abstract class": f"import abc\n\n\n{plain(bases='(abc.ABC)')}{GIVES}",
    "a class of the recipe's own": f"class Base:\n    pass\n\n\n{plain(bases='(Base)')}{GIVES}",
    "a model": "from pydantic import BaseModel\n\n\nclass Score(BaseModel):\n    score: float\n\n\n"
    + reward("return Score(score=1.0)"),
    "a variable": plain() + reward("result = Score(1.0)\n    return result"),
    "one way": plain() + reward("if sample.label:\n        return Score(1.0)\n    return Score(0.0)"),
    "a choice": plain() + reward("return Score(1.0) if sample.label else Score(0.0)"),
    "a function that is called": f"{plain()}def judge(sample):\n    return Score(1.0)\n\n\n"
    + reward("return judge(sample)"),
    "a coroutine that is awaited": f"{plain()}async def judge(sample):\n    return Score(1.0)\n\n\n"
    + reward("return await judge(sample)"),
    "a thread": f"import asyncio\n\n\n{plain()}def judge(sample):\n    return Score(1.0)\n\n\n"
    + reward("return await asyncio.to_thread(judge, sample)"),
    "a namespace": "from types import SimpleNamespace\n\n\n" + reward("return SimpleNamespace(score=1.0)"),
    "a namespace of a module": "import types\n\n\n" + reward("return types.SimpleNamespace(**{'score': 1.0})"),
    "a namespace that is filled": "import argparse\n\n\n"
    + reward("result = argparse.Namespace()\n    result.score = 1.0\n    return result"),
}
METHODS_OF_NUMBERS = ("__float__", "__index__", "__array__", "__int__")
UNKNOWN = {
    "a base from elsewhere": f"from judges import Base\n\n\n{plain(bases='(Base)')}{GIVES}",
    "a dict": f"{plain(bases='(dict)')}{GIVES}",
    "a number": f"{plain(bases='(float)')}{GIVES}",
    "a text": f"{plain(bases='(str)')}{GIVES}",
    "a mapping": f"from collections import UserDict\n\n\n{plain(bases='(UserDict)')}{GIVES}",
    "a typed dict": "from typing import TypedDict\n\n\nclass Score(TypedDict):\n    score: float\n\n\n"
    + reward("return Score(score=1.0)"),
    "a metaclass": f"{plain(bases='(metaclass=Meta)')}{GIVES}",
    "a decorator": f"from judges import as_dict\n\n\n@as_dict\n{plain()}{GIVES}",
    "any attribute": plain(method("__getattr__", "name")) + GIVES,
    "another object": plain("\n    def __new__(cls, score):\n        return float(score)\n") + GIVES,
    "both": plain(method("__getitem__", "key") + method("__float__")) + GIVES,
    "both, in a base": f"class Base:\n    __getitem__ = __float__ = print\n\n\n{plain(bases='(Base)')}{GIVES}",
    "an alias": plain("\n    __getitem__ = __getattribute__\n    __float__ = lambda self: 1.0\n") + GIVES,
    "set later": f"{plain()}Score.__getitem__ = getattr\nScore.__float__ = lambda self: 1.0\n\n\n{GIVES}",
    "set by name": f"{plain()}setattr(Score, '__getitem__', getattr)\nsetattr(Score, '__float__', 1)\n\n\n{GIVES}",
    "by a condition": plain("\n    if True:\n        from judges import __getitem__, __float__\n") + GIVES,
}
DICTS = {
    "asdict": dataclass() + reward("return asdict(Score(1.0))"),
    "vars": plain() + reward("return vars(Score(1.0))"),
    "its attributes": plain() + reward("return Score(1.0).__dict__"),
    "its own method": plain("\n    def as_dict(self):\n        return {'score': self.score}\n")
    + reward("return Score(1.0).as_dict()"),
    "of a namespace": "from types import SimpleNamespace\n\n\n" + reward("return vars(SimpleNamespace(score=1.0))"),
    "an attribute of one": "from types import SimpleNamespace\n\n\n"
    + reward("result = SimpleNamespace(score=1.0)\n    return {'score': result.score}"),
    "an attribute": dataclass() + reward("return {'score': Score(1.0).score}"),
    "beside the key": dataclass() + reward("return {'score': 1.0, 'all': Score(1.0)}"),
    "a test of its attributes": plain()
    + reward(
        "result = Score(1.0) if sample.label else {'score': 0.0}\n    if hasattr(result, 'score'):\n"
        "        return {'score': result.score}\n    return result"
    ),
    "a test of its class": plain()
    + reward(
        "result = Score(1.0) if sample.label else {'score': 0.0}\n    if isinstance(result, Score):\n"
        "        return {'score': result.score}\n    return result"
    ),
    "another kind of object is tested": plain()
    + reward("result = Score(1.0)\n    return result if isinstance(result, dict) else {'score': 1.0}"),
}


@pytest.mark.parametrize("name", WITH_EITHER)
@pytest.mark.parametrize("flags", ["", KEY, '"$@"', '--reward-key "$KEY"'])
def test_an_object_is_no_reward(name: str, flags: str) -> None:
    messages = found(WITH_EITHER[name], flags)
    assert messages
    wanted = "in which --reward-key looks for score as in a dict" if flags == KEY else "no number and no dict"
    assert all(message.endswith(wanted) for message in messages)


@pytest.mark.parametrize("name", UNKNOWN)
@pytest.mark.parametrize("flags", ["", KEY])
def test_what_may_be_more_than_an_object_is_left_alone(name: str, flags: str) -> None:
    assert found(UNKNOWN[name], flags) == []


@pytest.mark.parametrize("name", DICTS)
def test_what_is_made_of_an_object_is_a_dict(name: str) -> None:
    assert found(DICTS[name], KEY) == []


@pytest.mark.parametrize("name", METHODS_OF_NUMBERS)
def test_an_object_that_is_a_number_has_no_key(name: str) -> None:
    code = plain(method(name)) + GIVES
    assert found(code, "") == []
    assert found(code, KEY) == [
        "reward_func returns an object of the class Score, in which --reward-key looks for score as in a dict"
    ]


def test_an_object_with_keys_has_the_one_that_is_looked_for() -> None:
    assert found(plain(method("__getitem__", "key")) + GIVES, KEY) == []
    assert found(plain(method("__getitem__", "key")) + GIVES, "") == []


@pytest.mark.parametrize("flag", ["--custom-reward-post-process-path", "--custom-convert-samples-to-train-data-path"])
@pytest.mark.parametrize("key", ["", KEY])
def test_a_function_of_ones_own_may_make_numbers_of_objects(flag: str, key: str) -> None:
    assert found(dataclass() + GIVES, f"{key} {flag} examples.demo.post.process") == []


def test_an_object_under_the_key_is_no_number() -> None:
    code = dataclass() + reward("return {'score': Score(1.0)}")
    assert found(code, KEY) == [
        "reward_func returns an object of the class Score under score, where --reward-key looks for a number"
    ]
    assert found(dataclass(method("__float__")) + reward("return {'score': Score(1.0)}"), KEY) == []


def test_objects_for_all_samples_are_no_rewards() -> None:
    code = f"{dataclass()}async def reward_func(args, samples, **kwargs):\n    return [Score(1.0) for _ in samples]\n"
    assert found(code, "--group-rm") == ["reward_func returns an object of the class Score, no number and no dict"]
    assert found(code, f"--group-rm {KEY}")
    assert found(code.replace("Score(1.0) for", "asdict(Score(1.0)) for"), f"--group-rm {KEY}") == []
