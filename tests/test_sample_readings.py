"""What rewards read of the label and the metadata."""

from __future__ import annotations

import pytest

from relax_lint.project import Project
from relax_lint.sample_readings import SampleReadings, sample_readings
from tests.cases import for_each

HEAD = "async def reward_func(args, sample, **kwargs):\n"
RUN = "python3 relax/entrypoints/train.py --custom-rm-path examples.demo.reward_demo.reward_func"


def readings(code: str, flags: str = "", **files: str) -> SampleReadings | None:
    more = {f"examples/demo/{name}.py": text for name, text in files.items()}
    tree = {
        "examples/demo/run_demo.sh": f"{RUN} {flags}\n",
        "examples/demo/__init__.py": "",
        "examples/demo/reward_demo.py": code,
    }
    project = Project.from_files({**tree, **more})
    return sample_readings(project.recipes[0].launches[0], project)


def body(*lines: str) -> str:
    return HEAD + "".join(f"    {line}\n" for line in lines)


@pytest.mark.parametrize(
    "code",
    [
        body("return float(sample.response == sample.label)"),
        body("truth = (sample.label or '').strip()", "return float(truth in sample.response)"),
        body("truth = getattr(sample, 'label')", "return float(truth in sample.response)"),
        body("if not sample.label:", "    return 0.0", "return float(sample.label in sample.response)"),
        body("if sample.label is None:", "    raise ValueError", "return float(sample.label in sample.response)"),
        "def score(one):\n    return float(one.label in one.response)\n\n\n" + body("return score(sample)"),
        "import asyncio\n\n\ndef score(one):\n    return float(one.label in one.response)\n\n\n"
        + body("return await asyncio.to_thread(score, sample)"),
    ],
)
def test_labels_that_are_needed(code: str) -> None:
    found = readings(code)
    assert found is not None
    assert found.label is not None


@pytest.mark.parametrize(
    "code",
    [
        body("return float(len(sample.response))"),
        body("truth = sample.label or sample.metadata['answer']", "return float(truth in sample.response)"),
        body("if sample.label:", "    return 1.0", "return float(len(sample.response))"),
        body("truth = sample.label if sample.label else sample.prompt", "return float(truth in sample.response)"),
        body("return float(sample.metadata.get('answer', sample.label) in sample.response)"),
        body("if isinstance(sample.label, str):", "    return 1.0", "return 0.5"),
        body("print(f'label {sample.label}')", "return 1.0"),
        body("if sample.metadata['kind'] == 'exact':", "    return float(sample.label in sample.response)", "return 1"),
        body("sample.label = 'x'", "return float(sample.label in sample.response)"),
    ],
)
def test_labels_that_the_code_does_without(code: str) -> None:
    found = readings(code)
    assert found is not None
    assert found.label is None


@for_each(
    ("code", "keys"),
    [
        (body("return sample.metadata['a'] + sample.metadata.get('b')"), {"a": True, "b": False}),
        (body("more = sample.metadata or {}", "return more['a']"), {"a": True}),
        (body("return sample.metadata.get('a') or sample.label"), {}),
        (body("return sample.metadata.get('a', 'x')"), {}),
        (body("return sample.metadata.get('a', None)"), {"a": False}),
        (body("if 'a' in sample.metadata:", "    return sample.metadata['a']", "return 0"), {}),
        (body("sample.metadata.setdefault('a', 1)", "return sample.metadata['a']"), {}),
        (body("sample.metadata.update(a=1, b=2)", "return sample.metadata['a'] + sample.metadata['c']"), {"c": True}),
        (body("try:", "    return sample.metadata['a']", "except KeyError:", "    return 0"), {}),
        (
            "def score(text, extra_info=None):\n    return extra_info['a']\n\n\n"
            + body("return score(sample.response, extra_info=sample.metadata)"),
            {"a": True},
        ),
    ],
)
def test_keys_of_the_metadata(code: str, keys: dict[str, bool]) -> None:
    found = readings(code)
    assert found is not None
    assert {key: reading.needed for key, reading in found.keys.items()} == keys


@pytest.mark.parametrize(
    ("flags", "files"),
    [
        ("--rollout-function-path examples.demo.rollout.run", {}),
        ("--use-agentic-rollout", {}),
        ("--custom-generate-function-path examples.demo.absent.generate", {}),
        (
            "--custom-generate-function-path examples.demo.rollout.generate",
            {"rollout": "async def generate(args, sample, params):\n    sample.metadata = build(sample)\n"},
        ),
    ],
)
def test_nothing_is_said_where_something_else_fills_samples(flags: str, files: dict[str, str]) -> None:
    assert readings(body("return float(sample.label == sample.metadata['a'])"), flags, **files) is None
