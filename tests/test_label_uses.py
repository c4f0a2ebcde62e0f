"""What rewards do with labels."""

from __future__ import annotations

import pytest

from relax_lint.label_uses import label_use
from relax_lint.project import Project
from tests.cases import for_each

HEAD = "async def reward_func(args, sample, **kwargs):\n"
RUN = "python3 relax/entrypoints/train.py --custom-rm-path examples.demo.reward_demo.reward_func"


def verdict(code: str, flags: str = "", **files: str) -> tuple[str, str | None]:
    more = {f"examples/demo/{name}.py": text for name, text in files.items()}
    tree = {
        "examples/demo/run_demo.sh": f"{RUN} {flags}\n",
        "examples/demo/__init__.py": "",
        "examples/demo/reward_demo.py": code,
    }
    project = Project.from_files({**tree, **more})
    use = label_use(project.recipes[0].launches[0], project)
    return use.verdict, use.place and use.place.source.text[use.place.start : use.place.end]


def body(*lines: str) -> str:
    return HEAD + "".join(f"    {line}\n" for line in lines)


@for_each(
    ("code", "where"),
    [
        (body("return float(sample.response.strip() == sample.label)"), "sample.label"),
        (body("return float(sample.response == sample.label)"), "sample.label"),
        (body("truth = sample.label", "return float(truth.strip() in sample.response)"), "truth"),
        (body("return float(int(sample.label) == 3)"), "sample.label"),
        (body("label = getattr(sample, 'label', None)", "return float(label.lower() == 'yes')"), "label"),
        ("import re\n" + body("return float(bool(re.search(sample.label, sample.response)))"), "sample.label"),
        ("import json\n" + body("return float(json.loads(sample.label)['x'] == 1)"), "sample.label"),
        (
            "def score(text, truth):\n    return float(text == truth.strip())\n\n\n"
            + body("return score(sample.response, sample.label)"),
            "truth",
        ),
        (
            "def score(text, *, truth):\n    return float(truth.lower() in text)\n\n\n"
            + body("return score('', truth=sample.label)"),
            "truth",
        ),
        (
            "class Judge:\n    def __init__(self, truth):\n        self.truth = truth\n\n"
            "    def __call__(self, text):\n        return float(self.truth.strip() == text)\n\n\n"
            + body("return Judge(sample.label)(sample.response)"),
            "self.truth",
        ),
        (body("return {'a': 1.0}.get(sample.label, 0.0) + float('the ' + sample.label == 'x')"), "sample.label"),
        (body("table = {'a': 1.0}", "return table[sample.label]"), "sample.label"),
    ],
)
def test_labels_that_are_taken_for_texts(code: str, where: str) -> None:
    assert verdict(code) == ("text", where)


@pytest.mark.parametrize(
    "code",
    [
        body("return float(sample.label['ground_truth'].strip() == sample.response)"),
        body("return float(sample.label.get('ground_truth', '') == sample.response.strip())"),
        body(
            "truth = sample.label",
            "if isinstance(truth, dict):",
            "    truth = truth['ground_truth']",
            "return float(truth.strip() == sample.response)",
        ),
        body("return float(any(one.strip() in sample.response for one in sample.label))"),
        body("for one in sample.label:", "    pass", "return 0.0"),
        body("truth = (sample.metadata or {}).get('answer', sample.label)", "return float(truth.strip() == '1')"),
        "def answer(label):\n    return label if isinstance(label, str) else label['x']\n\n\n"
        + body("return float(answer(sample.label).strip() == sample.response)"),
        body("match sample.label:", "    case {'x': x}:", "        return 1.0", "    case _:", "        return 0.0"),
    ],
)
def test_labels_whose_kind_is_seen_to(code: str) -> None:
    assert verdict(code)[0] == "taken"


@pytest.mark.parametrize(
    "code",
    [
        body("return float(len(sample.response) < 10)"),
        body("return float(sample.metadata['answer'] == sample.response)"),
        "import logging\n" + body("logging.info(sample.label)", "return 1.0"),
    ],
)
def test_labels_that_nobody_reads(code: str) -> None:
    assert verdict(code)[0] == "unused"


@pytest.mark.parametrize(
    "code",
    [
        "from mathlib import judge\n" + body("return judge(sample.response, sample.label)"),
        "from mathlib import judge\n" + body("return judge(sample)"),
        body("return score(f'{sample.response} and {sample.label}')"),
        "from mathlib import reward_func\n",
        "",
    ],
)
def test_labels_of_which_nothing_is_known(code: str) -> None:
    assert verdict(code)[0] == "unclear"


def test_a_batch_of_samples() -> None:
    code = (
        "async def reward_func(args, samples: list, **kwargs):\n"
        "    return [float(sample.label.strip() == sample.response) for sample in samples]\n"
    )
    assert verdict(code, "--group-rm") == ("text", "sample.label")


def test_code_of_other_files_of_the_recipe() -> None:
    code = "from examples.demo.scoring import score\n\n\n" + body("return score(sample)")
    scoring = "def score(sample):\n    return float(sample.label['x'] == 'y')\n"
    assert verdict(code, scoring=scoring)[0] == "taken"


def test_no_reward_of_its_own() -> None:
    project = Project.from_files({"examples/demo/run_demo.sh": "python3 relax/entrypoints/train.py --rm-type math\n"})
    assert label_use(project.recipes[0].launches[0], project).verdict == "unclear"
