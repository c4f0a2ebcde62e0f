"""What keeps the reward rules silent is said."""

from __future__ import annotations

import pytest

from relax_lint.config import Settings
from relax_lint.engine import lint
from relax_lint.project import Project
from relax_lint.rules import load_rules
from relax_lint.selection import Layer
from tests.cases import for_each

RUN = "examples/demo/run_demo.sh"
REWARD = "examples/demo/reward_demo.py"
TRAIN = "python3 relax/entrypoints/train.py"
NAMED = "--custom-rm-path examples.demo.reward_demo.reward_func"
DICT = "async def reward_func(args, sample, **kwargs):\n    return {'acc': 1.0}\n"
BATCH = "async def reward_func(args, samples, **kwargs):\n    return [1.0] * len(samples)\n"


def silences(code: str, flags: str, reward: str = DICT, **files: str) -> list[str]:
    tree = {RUN: f"{TRAIN} {flags}\n", REWARD: reward}
    tree.update({f"examples/demo/{name}.py": text for name, text in files.items()})
    report = lint(Project.from_files(tree), load_rules(), Settings(selection=(Layer(select=(code,)),)))
    assert report.diagnostics == []
    assert report.failures == []
    return [silence.because for silence in report.not_checked]


@pytest.mark.parametrize("code", ["RLX201", "RLX202", "RLX203", "RLX204", "RLX205", "RLX206", "RLX208"])
def test_an_unknown_module_path(code: str) -> None:
    assert silences(code, '--custom-rm-path "examples.${ALGO}.reward_func"') == ["${ALGO}"]


@pytest.mark.parametrize("code", ["RLX202", "RLX203", "RLX204", "RLX205", "RLX206", "RLX208"])
def test_a_function_from_elsewhere(code: str) -> None:
    dotted = "examples.demo.reward_demo.reward_func"
    assert silences(code, NAMED, "from judges import reward_func\n") == [dotted]


def test_a_word_that_could_be_the_key() -> None:
    assert silences("RLX206", f"{NAMED} ${{EXTRA}}") == ["${EXTRA}"]
    assert silences("RLX207", f'{NAMED} --reward-key "${{KEY}}"') == ["${KEY}"]


def test_a_word_that_could_be_the_group_flag() -> None:
    assert silences("RLX204", f"{NAMED} $EXTRA", BATCH) == ["${EXTRA}"]


def test_an_unknown_built_in_reward() -> None:
    assert silences("RLX206", '--rm-type "${RM}"') == ["${RM}"]
    assert silences("RLX207", '--rm-type "${RM}" --reward-key score') == ["${RM}"]


def test_a_generate_function_that_may_return_several_samples() -> None:
    flags = f"{NAMED} --custom-generate-function-path examples.demo.rollout.generate"
    rollout = "async def generate(args, sample, sampling_params):\n    return await run(sample)\n"
    assert silences("RLX204", flags, BATCH, rollout=rollout) == ["what the generate function returns"]


@for_each("word", ["$(cat flags.txt)", "`cat flags.txt`", "$(tr , ' ' < flags.txt)", "$(python3 flags.py)"])
@for_each("before", ["", "--colocate ", "--lr 1e-6 "])
def test_the_output_of_a_program_that_could_be_the_key(word: str, before: str) -> None:
    assert silences("RLX206", f"{NAMED} {before}{word}") == [word]
