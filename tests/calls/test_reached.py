"""What is reached when Relax calls a recipe, and what is known there of args and the sample."""

from __future__ import annotations

from relax_lint.calls.entries import entries, reached
from relax_lint.calls.reached import Reached, ReachedFunction
from relax_lint.calls.values import ARGS, SAMPLE, SAMPLES, Given
from relax_lint.project import Project

LAUNCHER = "examples/demo/run_demo.sh"
REWARD = "examples/demo/reward_demo.py"


def reach(files: str | dict[str, str], flags: str = "", kind: str = "reward") -> Reached:
    tree = {REWARD: files} if isinstance(files, str) else files
    command = f"python3 relax/entrypoints/train.py --custom-rm-path examples.demo.reward_demo.reward_func {flags}\n"
    project = Project.from_files({LAUNCHER: command, **tree})
    found = [entry for entry in entries(project.recipes[0].launches[0], project) if entry.kind == kind]
    return reached(found[0], project)


def names(result: Reached, *, on_loop: bool | None = None) -> set[str]:
    return {function.name for function in result.functions if on_loop in (None, function.on_loop)}


def function(result: Reached, name: str) -> ReachedFunction:
    return next(function for function in result.functions if function.name == name)


def test_the_sample_travels_under_other_names() -> None:
    result = reach("""\
def grade(config, item, *, deep=False):
    text = item.response
    return helper(config, other=item)


def helper(a, other):
    return other.label == a.reward_key


async def reward_func(args, sample, **kwargs):
    s = sample
    return grade(args, s)
""")
    assert function(result, "helper").names_of(SAMPLE) == {"other"}
    assert function(result, "helper").names_of(ARGS) == {"a"}
    assert [reading.name for reading in result.readings(SAMPLE)] == ["response", "label"]
    assert [reading.name for reading in result.readings(ARGS)] == ["reward_key"]


def test_a_parameter_that_others_give_something_else_is_not_the_sample() -> None:
    result = reach("""\
import json


def text_of(item):
    return item.response


async def reward_func(args, sample, **kwargs):
    return text_of(sample) == text_of(json.loads(sample.label))
""")
    assert function(result, "text_of").names_of(SAMPLE) == frozenset()


def test_what_runs_in_threads_is_reached_but_not_on_the_loop() -> None:
    result = reach("""\
import asyncio
import functools
import threading
from concurrent.futures import ThreadPoolExecutor

POOL = ThreadPoolExecutor()


def one(sample): return two(sample)
def two(sample): return sample.response
def three(sample): return sample.label
def four(sample): return sample.prompt
def five(sample): return sample.tokens
def plain(sample): return sample.index


async def reward_func(args, sample, **kwargs):
    loop = asyncio.get_running_loop()
    await asyncio.to_thread(one, sample)
    await loop.run_in_executor(None, three, sample)
    await loop.run_in_executor(POOL, functools.partial(four, sample))
    threading.Thread(target=five, args=(sample,)).start()
    return plain(sample)
""")
    assert names(result, on_loop=False) == {"one", "two", "three", "four", "five"}
    assert names(result, on_loop=True) == {"reward_func", "plain"}
    assert {reading.name for reading in result.readings(SAMPLE)} == {"response", "label", "prompt", "tokens", "index"}


def test_objects_registries_and_decorators_are_followed() -> None:
    result = reach("""\
import functools

SCORERS = {}


def register(name):
    def add(function):
        SCORERS[name] = function
        return function
    return add


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)
    return wrapper


@register("math")
def math(judge):
    return judge.score()


class Judge:
    def __init__(self, args, sample):
        self.args = args
        self.sample = sample

    @property
    def text(self):
        return self.sample.response

    def score(self):
        return len(self.text) > self.args.limit


@logged
async def reward_func(args, sample, **kwargs):
    return SCORERS[sample.metadata["kind"]](Judge(args, sample))
""")
    assert names(result) >= {"wrapper", "reward_func", "math", "score", "text", "__init__"}
    assert "add" not in names(result)
    assert {reading.name for reading in result.readings(SAMPLE)} >= {"response"}


def test_a_batch_reward_gets_samples_and_its_loops_one_of_them() -> None:
    result = reach(
        """\
import asyncio


async def one(args, item):
    return item.response


async def reward_func(args, samples, **kwargs):
    for index, (first, second) in enumerate(zip(samples, samples)):
        first.label
    return await asyncio.gather(*[one(args, sample) for sample in samples])
""",
        "--group-rm",
    )
    assert function(result, "reward_func").names_of(SAMPLES) == {"samples"}
    assert function(result, "one").names_of(SAMPLE) == {"item"}
    assert [reading.name for reading in result.readings(SAMPLE)] == ["label", "response"]


def test_passing_a_function_is_no_call_but_what_calls_it_is() -> None:
    result = reach("""\
def never(x): return x
def tried(x): return x


def attempt(function, *args):
    return function(*args)


async def reward_func(args, sample, **kwargs):
    handlers = {"never": never}
    return attempt(tried, sample)
""")
    assert names(result) == {"reward_func", "attempt", "tried"}


def test_environments_are_what_build_env_makes() -> None:
    result = reach(
        {
            REWARD: "async def reward_func(args, sample, **kwargs):\n    return 0.0\n",
            "examples/demo/config.yaml": "rollout_interaction_env_path: examples.demo.env_demo\nmax_turns: 3\n",
            "examples/demo/env_demo.py": """\
class Base:
    def step(self, response_text):
        return self.run(response_text), True, {}


class Search(Base):
    def __init__(self, sample, turns):
        self.sample = sample
        self.turns = turns

    def reset(self):
        return {}, {}

    def run(self, text):
        return {"obs_str": self.sample.label}


def build_env(sample=None, args=None, **_):
    return Search(sample, args.max_turns)
""",
        },
        "--custom-config-path examples/demo/config.yaml",
        "environment",
    )
    assert names(result, on_loop=True) == {"build_env", "__init__", "reset", "step", "run"}
    assert [reading.name for reading in result.readings(SAMPLE)] == ["label"]
    assert [reading.name for reading in result.readings(ARGS)] == ["max_turns"]


def test_the_step_of_an_environment_may_run_in_threads() -> None:
    result = reach(
        {
            REWARD: "async def reward_func(args, sample, **kwargs):\n    return 0.0\n",
            "examples/demo/config.yaml": "max_turns: 3\n",
            "examples/demo/rollout.py": """\
import asyncio

DEFAULT_ENV_MODULE = "examples.demo.env_demo"


async def generate(args, sample, sampling_params):
    await asyncio.to_thread(env.step, sample.response)
    return sample
""",
            "examples/demo/env_demo.py": """\
class Env:
    def step(self, text):
        return self.run(text), True, {}

    def run(self, text):
        return {}


def build_env(sample=None, args=None, **_):
    return Env()
""",
        },
        "--custom-generate-function-path examples.demo.rollout.generate",
        "environment",
    )
    assert names(result, on_loop=False) == {"step", "run"}
    assert names(result, on_loop=True) == {"build_env"}


def test_star_arguments_keep_their_places() -> None:
    result = reach("""\
def last(*items, **named):
    return items[-1].response, named


async def reward_func(*given, **kwargs):
    args, sample = given
    return last(args, sample), last(*given)
""")
    assert [reading.name for reading in result.readings(SAMPLE)] == []
    assert function(result, "reward_func").names_of(SAMPLE) == {"sample"}


def test_recursion_comes_to_an_end() -> None:
    result = reach("""\
def even(sample, n, seen=()):
    seen = [seen, [seen]]
    return n == 0 or odd(sample, n - 1, seen)


def odd(sample, n, seen):
    return n and even(sample, n - 1, (seen,))


async def reward_func(args, sample, **kwargs):
    return even(sample, len(sample.response))
""")
    assert result.whole
    assert function(result, "odd").names_of(SAMPLE) == {"sample"}


def test_parts_of_the_sample_are_known_by_their_keys() -> None:
    result = reach("""\
def ask(question, info):
    return question, info


async def reward_func(args, sample, **kwargs):
    meta = sample.metadata or {}
    extra = dict(meta)
    return ask(meta["question"], meta.get("more", {}).get("deep"))
""")
    asked = function(result, "ask")
    assert asked.names_of(Given("sample", ("metadata", "[question]"))) == {"question"}
    assert asked.names_of(Given("sample", ("metadata", "[more]", "[deep]"))) == {"info"}
    assert function(result, "reward_func").names_of(Given("sample", ("metadata",))) == {"meta", "extra"}


def test_values_that_grow_with_every_pass_are_given_up() -> None:
    result = reach("""\
class Picture:
    def __init__(self, image):
        self.image = image
        self.stack = []

    def zoom(self):
        self.image = self.image.crop((0, 0, 1, 1)).resize((2, 2))
        self.stack = [self.stack, self.image]
        return self


async def reward_func(args, sample, **kwargs):
    import PIL.Image

    picture = Picture(PIL.Image.open(sample.label))
    for _ in range(3):
        picture = picture.zoom().zoom()
    return sample.index
""")
    assert result.whole
    assert [reading.name for reading in result.readings(SAMPLE)] == ["label", "index"]


def test_partials_super_and_class_methods_are_followed() -> None:
    result = reach("""\
from functools import partial


class Base:
    def score(self, sample):
        return sample.response


class Strict(Base):
    @classmethod
    def make(cls):
        return cls()

    def score(self, sample):
        return super().score(sample) == sample.label


async def entry(limit, args, sample, **kwargs):
    return Strict.make().score(sample), args.limit, limit


reward_func = partial(entry, 3)
""")
    assert {reading.name for reading in result.readings(SAMPLE)} == {"response", "label"}
    assert [reading.name for reading in result.readings(ARGS)] == ["limit"]


def test_what_a_module_keeps_is_known_in_functions() -> None:
    result = reach("""\
import openai

_client = None


def client():
    global _client
    from openai import OpenAI

    if _client is None:
        _client = OpenAI()
    return _client


async def reward_func(args, sample, **kwargs):
    return client().models.list()
""")
    reward = function(result, "reward_func")
    names = [reward.outside_names(call.func) for call in reward.calls]
    assert names[0] == frozenset({"openai.OpenAI().models.list"})
