"""What is read of samples, where guards, classes and other launches have a say."""

from __future__ import annotations

import pytest

from relax_lint.config import Settings
from relax_lint.engine import lint
from relax_lint.project import MEMORY_ROOT, Project
from relax_lint.rules import load_rules
from relax_lint.selection import Layer
from tests.cases import for_each

RULES = load_rules()
RUN, REWARD = "examples/demo/run_demo.sh", "examples/demo/reward_demo.py"
TRAIN = "python3 relax/entrypoints/train.py --custom-rm-path examples.demo.reward_demo.reward_func"
HEAD = "async def reward_func(args, sample, **kwargs):\n"


def found(tree: dict[str, str], only: str | None = None) -> list[tuple[str, int]]:
    targets = None if only is None else [MEMORY_ROOT / only]
    report = lint(Project.from_files(tree), RULES, Settings(selection=(Layer(select=("RLX212",)),)), targets)
    assert not report.failures
    return [(item.path.name, item.line) for item in report.diagnostics]


def of_reward(body: str, flags: str = "", **more: str) -> list[tuple[str, int]]:
    text = body if "reward_func" in body else HEAD + body
    return found({RUN: f"{TRAIN} {flags}\n", REWARD: text, **{f"examples/demo/{k}.py": v for k, v in more.items()}})


@for_each(
    "body",
    [
        "    return sample.turns if isinstance(sample, Episode) else 0.0\n",
        "    if type(sample) is dict:\n        return sample.get('x')\n    return 1.0\n",
        "    with contextlib.suppress(AttributeError):\n        return sample.turns\n    return 0.0\n",
        "    try:\n        return sample.turns\n    except (KeyError, AttributeError):\n        return 0.0\n",
        "    if not hasattr(sample, 'turns'):\n        return 0.0\n    return sample.turns\n",
        "    sample = wrap(sample)\n    return sample.turns\n",
        "    for name in ('a', 'b'):\n        setattr(sample, name, 1)\n    return sample.turns\n",
        "    sample.__dict__.update(turns=3)\n    return sample.turns\n",
        "    vars(sample).update(load())\n    return sample.turns\n",
        "    return sample.__class__.__name__ == 'Sample'\n",
    ],
)
def test_what_the_code_expects_is_fine(body: str) -> None:
    assert of_reward(body) == []


@pytest.mark.parametrize(
    "body",
    [
        "    if not isinstance(sample, Sample):\n        raise TypeError\n    return sample.turns\n",
        "    try:\n        return sample.turns\n    except KeyError:\n        return 0.0\n",
        "    return hasattr(sample, 'label') and sample.turns\n",
        "    return [s.turns for s in [sample]][0]\n",
        "    copy = sample\n    copy.label = 'x'\n    return copy.turns\n",
        "    return (lambda s: s.turns)(sample)\n",
        "    self = sample\n    return self.turns\n",
        "    other = type('O', (), {})()\n    return sample.turns if other else 0.0\n",
    ],
)
def test_what_nobody_stores_is_found_under_any_name(body: str) -> None:
    assert [line for _, line in of_reward(body)] == [body[: body.index(".turns")].count("\n") + 2]


def test_fields_of_a_class_of_the_recipe_that_derives_from_sample_are_known() -> None:
    episode = "from relax.utils.types import Sample\n\n\nclass Episode(Sample):\n    turns: int = 0\n"
    assert of_reward("    return sample.turns\n", episode=episode) == []
    assert of_reward("    return sample.hits\n", episode=episode) == [("reward_demo.py", 2)]


def test_a_data_source_from_elsewhere_may_put_anything_on_samples() -> None:
    body = "    return sample.turns\n"
    assert of_reward(body, "--data-source-path elsewhere.data.Source") == []
    assert of_reward(body, "--data-source-path relax.engine.rollout.data_source.RolloutDataSource") != []
    own = "class Source:\n    def get_samples(self, n):\n        self.sample.turns = 1\n"
    assert of_reward(body, "--data-source-path examples.demo.source.Source", source=own) == []


def test_whoever_launches_it_the_function_is_looked_at_once() -> None:
    other = {"examples/other/run_other.sh": f"{TRAIN}\n", "examples/other/x.yaml": "a: 1\n"}
    tree = {REWARD: f"{HEAD}    return sample.turns\n", **other}
    assert found(tree) == [("reward_demo.py", 2)]
    assert found({**tree, RUN: f"{TRAIN}\n{TRAIN} --colocate\n"}) == [("reward_demo.py", 2)]
    assert found({**tree, RUN: f"{TRAIN}\n"}, only=REWARD) == [("reward_demo.py", 2)]


def test_launches_that_use_no_rewards_are_no_reason() -> None:
    for flags in ("--loss-type sft", "--debug-train-only", "--load-debug-rollout-data x.pt"):
        assert of_reward("    return sample.turns\n", flags) == []


PROMPT_USES = {
    "text": [
        "    return sample.prompt.startswith('x')\n",
        "    p = sample.prompt\n    return p.lower() == 'x'\n",
        "    return sample.prompt + '\\n' == sample.label\n",
    ],
    "list": [
        "    return sample.prompt[-1]['content'] == 'x'\n",
        "    return [m['role'] for m in sample.prompt] == ['user']\n",
        "    sample.prompt.append({})\n    return 1.0\n",
    ],
}
AS_LIST, AS_TEXT = '--multimodal-keys \'{"image": "images"}\'', "--apply-chat-template"


@for_each("flags", [AS_LIST, AS_TEXT, f"{AS_LIST} {AS_TEXT}", "", f'{AS_LIST} "$@"'])
@for_each("kind", PROMPT_USES)
def test_prompts_are_what_the_launch_makes_of_them(kind: str, flags: str) -> None:
    made = {AS_LIST: "list", AS_TEXT: "text", f"{AS_LIST} {AS_TEXT}": "text"}.get(flags)
    for body in PROMPT_USES[kind]:
        assert bool(of_reward(body, flags)) == (made is not None and made != kind), body


def test_prompts_that_the_recipe_makes_itself_are_not_judged() -> None:
    generate = "async def generate(args, sample, sampling_params):\n    sample.prompt = 'x'\n    return sample\n"
    assert of_reward("    return sample.prompt.split()[0]\n", AS_LIST, rollout=generate) == []
    as_key = {
        RUN: f"{TRAIN} {AS_LIST} --custom-config-path examples/demo/demo.yaml\n",
        REWARD: f"{HEAD}    return sample.prompt.split()[0]\n",
        "examples/demo/demo.yaml": "apply_chat_template: true\n",
    }
    assert found(as_key) == []


BATCH = "async def reward_func(args, samples, **kwargs):\n"
TRAVELS = {
    "a formatted string": HEAD + "    return len(f'{sample.turns}')\n",
    "a closure": HEAD + "    def inner():\n        return sample.turns\n\n    return inner()\n",
    "a method": f"class Judge:\n    def score(self, item):\n        return item.turns\n\n\nJUDGE = Judge()\n\n\n"
    f"{HEAD}    return JUDGE.score(sample)\n",
    "a keyword": f"def score(*, s):\n    return s.turns\n\n\n{HEAD}    return score(s=sample)\n",
    "unpacking": HEAD + "    a, b = sample, 1\n    return a.turns\n",
    "a decorator": "import functools\n\n\ndef logged(f):\n    @functools.wraps(f)\n"
    "    async def inner(args, sample, **more):\n"
    f"        return await f(args, sample)\n\n    return inner\n\n\n@logged\n{HEAD}    return sample.turns\n",
    "a thread": f"import asyncio\n\n\ndef score(s):\n    return s.turns\n\n\n"
    f"{HEAD}    return await asyncio.to_thread(score, sample)\n",
    "a table": f"def score(s):\n    return s.turns\n\n\nTABLE = {{'a': score}}\n\n\n"
    f"{HEAD}    return TABLE['a'](sample)\n",
    "a partial": "from functools import partial\n\n\nasync def _score(weight, args, sample):\n"
    "    return sample.turns\n\n\nreward_func = partial(_score, 1)\n",
    "a walrus": HEAD + "    return 1.0 if (s := sample).turns else 0.0\n",
    "a pattern": HEAD + "    match sample.turns:\n        case 1:\n            return 1.0\n    return 0.0\n",
    "an index": BATCH + "    return [samples[0].turns] * len(samples)\n",
    "enumerate": BATCH + "    return [s.turns for i, s in enumerate(samples)]\n",
    "zip": BATCH + "    return [s.turns for s, n in zip(samples, range(9))]\n",
    "map": BATCH + "    return list(map(lambda s: s.turns, samples))\n",
    "tasks": f"import asyncio\n\n\nasync def one(s):\n    return s.turns\n\n\n"
    f"{BATCH}    return await asyncio.gather(*[one(s) for s in samples])\n",
}


@for_each("way", TRAVELS)
def test_samples_are_followed_wherever_they_go(way: str) -> None:
    text = TRAVELS[way]
    flags = "--group-rm" if "samples, " in text else ""
    assert of_reward(text, flags) == [("reward_demo.py", text[: text.index(".turns")].count("\n") + 1)]
    assert of_reward(text.replace(".turns", ".response_length"), flags) == []


TOLD_BY_NOBODY = (
    "from toolbox import play\n\n\nasync def generate(args, sample, sampling_params):\n    return await play(sample)\n"
)
RECURSION = "    if isinstance(sample, list):\n        return [await reward_func(args, s, **kwargs) for s in sample]\n"


def of_either(body: str, parameter: str = "sample") -> list[tuple[str, int]]:
    """What is found where nobody knows whether Relax scores a sample or what generate made of it, a list."""
    head = f"from relax.utils.types import Sample\nasync def reward_func(args, {parameter}, **kwargs):\n"
    return of_reward(
        head + body, "--custom-generate-function-path examples.demo.rollout.generate", rollout=TOLD_BY_NOBODY
    )


@pytest.mark.parametrize(
    "parameter", ["sample", "sample: Sample | list[Sample]", "sample: 'Union[Sample, list[Sample]]'"]
)
def test_behind_the_answer_for_lists_there_is_one_sample(parameter: str) -> None:
    assert of_either(f"{RECURSION}    return len(sample.response_text)\n", parameter) == [("reward_demo.py", 5)]
    assert of_either(f"{RECURSION}    return len(sample.response)\n", parameter) == []


@pytest.mark.parametrize(
    "body",
    [
        "    many = sample if isinstance(sample, (tuple, list)) else [sample]\n    return [s.turns for s in many]\n",
        "    if not isinstance(sample, list):\n        return sample.turns\n    return [0.0 for s in sample]\n",
        "    return [s.turns for s in sample] if isinstance(sample, list) else 0.0\n",
        "    one = sample[0] if isinstance(sample, list) else sample\n    return one.metadata['x'] + one.turns\n",
        "    f = lambda s: s.turns\n    return [f(sample[0])] if type(sample) is list else f(sample)\n",
        "    match sample:\n      case [*_]:\n        return [0.0]\n      case _:\n        return sample.turns\n",
    ],
)
def test_both_ways_of_a_function_for_samples_and_lists_are_read(body: str) -> None:
    assert len(of_either(body)) == 1


@pytest.mark.parametrize(
    "body",
    [
        "    many = sample.copy() if isinstance(sample, list) else [sample]\n    return [s.index for s in many]\n",
        "    if hasattr(sample, 'append'):\n        sample.append(1)\n    return 0.0\n",
        "    if isinstance(sample, Episode):\n        return sample.turns\n    return [0.0] * len(sample)\n",
        "    return sample.metadata['turns'] if not isinstance(sample, list) else [s.metadata for s in sample]\n",
    ],
)
def test_what_lists_have_is_fine_where_they_may_come(body: str) -> None:
    assert of_either(body) == []
