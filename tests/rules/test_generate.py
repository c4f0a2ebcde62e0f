"""What is found in functions that generate samples, where several files or launches have a say."""

from __future__ import annotations

from pathlib import Path

from relax_lint.config import Settings
from relax_lint.diagnostics import Diagnostic, Severity
from relax_lint.engine import Report, lint
from relax_lint.project import MEMORY_ROOT, Project
from relax_lint.rules import load_rules
from relax_lint.selection import Layer
from tests.cases import for_each

RULES = load_rules()
TRAIN = "python3 relax/entrypoints/train.py"
NAMES_IT = "--custom-generate-function-path examples.demo.rollout.generate"
RUN, ROLLOUT = "examples/demo/run_demo.sh", "examples/demo/rollout.py"
GOOD = """\
async def generate(args, sample, sampling_params):
    sample.rollout_log_probs = await play(args, sampling_params)
    return sample
"""
WITHOUT_LOG_PROBS = "async def generate(args, sample, sampling_params):\n    return sample\n"


def report(tree: dict[str, str], *codes: str, only: str | None = None) -> Report:
    settings = Settings(selection=(Layer(select=codes or ("RLX306",)),))
    targets = None if only is None else [MEMORY_ROOT / only]
    result = lint(Project.from_files(tree), RULES, settings, targets)
    assert not result.failures
    return result


def shown(found: list[Diagnostic]) -> list[tuple[str, int, str]]:
    return [(Path(item.path).name, item.line, item.code) for item in found]


def test_log_probs_may_be_stored_in_any_file_of_the_recipe() -> None:
    env = "class Env:\n    def step(self, text):\n        self.sample.rollout_log_probs = []\n"
    tree = {RUN: f"{TRAIN} --rm-type math {NAMES_IT}\n", ROLLOUT: WITHOUT_LOG_PROBS}
    assert shown(report(tree).diagnostics) == [("rollout.py", 1, "RLX306")]
    assert report({**tree, "examples/demo/env_demo.py": env}).diagnostics == []


def test_an_evaluation_trains_nothing() -> None:
    tree = {
        RUN: f"{TRAIN} --rm-type math --eval-config examples/demo/eval.yaml\n",
        ROLLOUT: WITHOUT_LOG_PROBS,
        "examples/demo/eval.yaml": """\
datasets:
  - {name: a, path: a.jsonl, custom_generate_function_path: examples.demo.rollout.generate}
""",
    }
    assert report(tree).diagnostics == []


def test_what_is_not_known_is_recorded() -> None:
    hidden = f'{TRAIN} --rm-type math --custom-generate-function-path "$GENERATE"\n'
    assert [item.because for item in report({RUN: hidden, ROLLOUT: GOOD}).not_checked] == ["${GENERATE}"]
    made = "generate = make_generate()\n"
    result = report(
        {RUN: f"{TRAIN} --rm-type math {NAMES_IT}\n", ROLLOUT: f"from elsewhere import make_generate\n\n{made}"}
    )
    assert result.diagnostics == []
    assert [item.because for item in result.not_checked] == ["examples.demo.rollout.generate"]


def test_a_file_asked_about_alone_is_judged_by_the_launches_of_its_recipe() -> None:
    for run in (
        f"{TRAIN} --rm-type math {NAMES_IT}\n",
        f'FN=examples.demo.rollout.generate\n{TRAIN} --rm-type math --custom-generate-function-path "$FN"\n',
    ):
        tree = {RUN: run, ROLLOUT: WITHOUT_LOG_PROBS}
        assert shown(report(tree, only=ROLLOUT).diagnostics) == [("rollout.py", 1, "RLX306")]


def test_a_function_that_another_recipe_launches_is_looked_at_with_its_own() -> None:
    tree = {
        "examples/other/run_other.sh": f"{TRAIN} --rm-type math {NAMES_IT}\n",
        "examples/other/reward_other.py": "",
        ROLLOUT: WITHOUT_LOG_PROBS,
    }
    assert shown(report(tree).diagnostics) == [("rollout.py", 1, "RLX306")]
    assert shown(report(tree, only=ROLLOUT).diagnostics) == [("rollout.py", 1, "RLX306")]


def test_a_rollout_too_long_to_be_followed_is_told_by_what_it_says_plainly() -> None:
    turns = "".join(
        f"    if args.a{i} and sample.b{i}:\n        sample.c{i} = await play(args.a{i})\n" for i in range(40)
    )
    head = "async def generate(args, sample, sampling_params):\n    sample.rollout_log_probs = []\n"
    run = f"{TRAIN} --rm-type math {NAMES_IT}\n"
    assert report({RUN: run, ROLLOUT: head + turns + "    return sample\n"}).diagnostics == []
    for end, line in (
        ("    return\n", 83),
        ("    print('done')\n", 1),
        ("    try:\n        return sample\n    except OSError:\n        pass\n", 1),
    ):
        found = report({RUN: run, ROLLOUT: head + turns + end}).diagnostics
        assert shown(found) == [("rollout.py", line, "RLX306")]


def test_a_helper_whose_result_is_returned_gives_a_sample_too() -> None:
    run = f"{TRAIN} --rm-type math {NAMES_IT}\n"
    text = GOOD.replace("return sample", "return await finish(sample)")
    for helper, line in (
        ("async def finish(sample):\n    sample.status = 'done'\n", 6),
        ("async def finish(sample):\n    if sample.label:\n        return sample\n", 6),
        ("async def finish(sample):\n    if sample.label:\n        return None\n    return sample\n", 8),
    ):
        assert shown(report({RUN: run, ROLLOUT: f"{text}\n\n{helper}"}).diagnostics) == [("rollout.py", line, "RLX306")]
    good = "async def finish(sample):\n    if sample.label:\n        return sample\n    return [sample]\n"
    assert report({RUN: run, ROLLOUT: f"{text}\n\n{good}"}).diagnostics == []


def test_rewards_that_generate_gives_are_followed_by_both_rules() -> None:
    run = f"{TRAIN} {NAMES_IT}\n"
    always = GOOD.replace("    return sample", "    sample.reward = 1.0\n    return sample")
    sometimes = GOOD.replace(
        "    return sample", "    if sample.label:\n        sample.reward = 1.0\n    return sample"
    )
    assert report({RUN: run, ROLLOUT: always}, "RLX306", "RLX408").diagnostics == []
    found = report({RUN: run, ROLLOUT: sometimes}, "RLX306", "RLX408").diagnostics
    assert [(item.code, item.severity) for item in found] == [("RLX306", Severity.ERROR), ("RLX408", Severity.ADVICE)]
    never = report({RUN: run, ROLLOUT: GOOD}, "RLX306", "RLX408").diagnostics
    assert [(item.code, item.severity) for item in never] == [("RLX306", Severity.ERROR), ("RLX408", Severity.ERROR)]
    in_data = report({RUN: f"{run[:-1]} --metadata-key extra\n", ROLLOUT: GOOD}, "RLX306", "RLX408").diagnostics
    assert [(item.code, item.severity) for item in in_data] == [("RLX408", Severity.ADVICE)]
    as_group = report({RUN: f"{run[:-1]} --group-rm\n", ROLLOUT: always}, "RLX306", "RLX408").diagnostics
    assert [(item.code, item.severity) for item in as_group] == [("RLX408", Severity.ERROR)]


HEAD = "async def generate(args, sample, sampling_params):\n    sample.rollout_log_probs = await play()\n"


@for_each(
    ("text", "line"),
    [
        (
            (
                "def go(s):\n    s.rollout_log_probs = []\n    return s\n\n\n"
                "generate = lambda args, sample, more: go(sample)\n"
            ),
            6,
        ),
        (HEAD.replace(", sampling_params", "") + "    return sample\n", 1),
        (HEAD + "    yield sample\n", 1),
        (HEAD + "    return sample if sample.response else None\n", 3),
        (HEAD + "    return sample.response\n", 3),
        (HEAD + "    out = {'sample': sample}\n    return out\n", 4),
        (HEAD + "    out = None\n    if sample.response:\n        out = sample\n    return out\n", 6),
        (HEAD + "    for turn in range(args.seed):\n        if await step(turn):\n            return sample\n", 1),
        (HEAD + "    while True:\n        if await step():\n            break\n", 1),
        (HEAD + "    match sample.status:\n        case 1:\n            return sample\n", 1),
        (
            HEAD.replace("generate", "run")
            + "    return sample\n\n\nasync def generate(args, sample, p):\n    return run(args, sample, p)\n",
            7,
        ),
        (HEAD.replace("async def", "def") + "    return sample\n", 1),
        (HEAD.replace("sample, sampling", "sample, evaluation, sampling") + "    return sample\n", 1),
        (
            "from functools import partial\n\n\n"
            + HEAD.replace("generate", "_play")
            + "    return sample\n\n\ngenerate = partial(_play, 1)\n",
            4,
        ),
    ],
)
def test_faults_are_found_whatever_form_they_have(text: str, line: int) -> None:
    found = report({RUN: f"{TRAIN} --rm-type math {NAMES_IT}\n", ROLLOUT: text}).diagnostics
    assert shown(found) == [("rollout.py", line, "RLX306")]


@for_each(
    "text",
    [
        HEAD + "    for turn in range(3):\n        if await step() or turn == 2:\n            return sample\n",
        HEAD + "    while True:\n        if await step():\n            return sample\n",
        HEAD + "    for turn in range(3):\n        await step(turn)\n    else:\n        return sample\n",
        HEAD + "    if not sample.response:\n        raise ValueError\n    else:\n        return sample\n",
        HEAD + "    return await run(sample)\n\n\nasync def run(sample):\n    return [sample]\n",
        (
            "async def generate(args, sample, p):\n    async def run():\n        sample.rollout_log_probs = []\n"
            "        return sample\n    return await run()\n"
        ),
        (
            "import dataclasses\n\n\nasync def generate(args, sample, p):\n"
            "    return dataclasses.replace(sample, rollout_log_probs=[])\n"
        ),
        (
            "from swe import Agent\n\n\nasync def generate(args, sample, p):\n    agent = Agent(args)\n"
            "    await agent.run(sample)\n    return sample\n"
        ),
        "from swe import run\n\n\nasync def generate(args, sample, p):\n    return await run(args, sample)\n",
        (
            "async def generate(args, sample, p):\n"
            "    play = load_function('relax.engine.rollout.sglang_rollout.generate')\n"
            "    return await play(args, sample, p)\n"
        ),
        (
            "async def generate(args, sample, p):\n    for name in ('tokens', 'response'):\n"
            "        setattr(sample, name, await play(name))\n    return sample\n"
        ),
        (
            "async def generate(args, sample, p):\n    data = sample.to_dict()\n    data['rollout_log_probs'] = []\n"
            "    return Sample.from_dict(data)\n"
        ),
    ],
)
def test_what_works_is_not_reported(text: str) -> None:
    assert report({RUN: f"{TRAIN} --rm-type math {NAMES_IT}\n", ROLLOUT: text}).diagnostics == []


def test_two_mistakes_of_a_function_are_said_at_once() -> None:
    wrong = "def generate(sample):\n    sample.rollout_log_probs = []\n    return sample\n"
    found = report({RUN: f"{TRAIN} --rm-type math {NAMES_IT}\n", ROLLOUT: wrong}).diagnostics
    assert [one.message for one in found] == [
        "generate cannot be called as (args, sample, sampling_params): it takes (sample)",
        "generate is not async: Relax awaits what it returns",
    ]
