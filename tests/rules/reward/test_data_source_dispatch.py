"""The sources of a recipe are told by its data where it is here, else by what its conversion scripts write."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from relax_lint.config import Settings
from relax_lint.engine import lint
from relax_lint.project import Project
from relax_lint.rules import load_rules
from relax_lint.selection import Layer
from tests.cases import for_each
from tests.parquet_files import parquet

RUN = "examples/demo/run_demo.sh"
TRAIN = "python3 relax/entrypoints/train.py --custom-rm-path examples.demo.reward_demo.reward_func"
REWARD = """\
def score(data_source, text):
    if data_source == "gsm8k":
        return 1.0
    elif data_source == "math":
        return 0.5
    raise NotImplementedError


async def reward_func(args, sample, **kwargs):
    return {"score": score(sample.metadata["data_source"], sample.response)}
"""


def found(tree: Mapping[str, str | bytes], launcher: str = TRAIN) -> list[str]:
    project = Project.from_files({RUN: f"{launcher}\n", "examples/demo/reward_demo.py": REWARD, **tree})
    report = lint(project, load_rules(), Settings(selection=(Layer(select=("RLX209",)),)))
    assert report.failures == []
    return [f"{item.line} {item.severity.value}" for item in report.diagnostics]


def rows(*sources: str) -> bytes:
    return parquet([{"prompt": "a", "metadata": {"data_source": source}} for source in sources])


DATA = f"{TRAIN} --prompt-data d/train.parquet --metadata-key metadata"


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        (("gsm8k", "gsm8k"), ["2 warning"]),
        (("gsm8k", "math"), []),
        (("gsm8k", "aime"), ["2 error"]),
        (("aime",), ["2 error"]),
    ],
)
def test_the_data_decides_where_it_is_here(sources: tuple[str, ...], expected: list[str]) -> None:
    assert found({"d/train.parquet": rows(*sources)}, DATA) == expected


def test_data_that_is_not_here_leaves_the_scripts_to_decide() -> None:
    script = {"scripts/tools/process_demo.py": "ROW = {'data_source': 'math'}\n"}
    assert found(script, DATA) == ["2 warning"]
    assert found({**script, "d/train.parquet": rows("gsm8k", "math")}, DATA) == []


def test_evaluation_data_counts() -> None:
    launcher = f"{DATA} --eval-interval 5 --eval-prompt-data test d/test.parquet"
    assert found({"d/train.parquet": rows("gsm8k"), "d/test.parquet": rows("math")}, launcher) == []
    assert found({"d/train.parquet": rows("gsm8k"), "d/test.parquet": rows("gsm8k")}, launcher) == ["2 warning"]
    assert found({"d/train.parquet": rows("gsm8k")}, launcher) == []


def test_all_launches_of_the_recipe_count() -> None:
    other = {"examples/demo/run_math.sh": DATA.replace("train.parquet", "math.parquet") + "\n"}
    data = {"d/train.parquet": rows("gsm8k"), "d/math.parquet": rows("math")}
    assert found({**other, **data}, DATA) == []


def test_a_column_of_the_rows_counts_too() -> None:
    data = parquet([{"prompt": "a", "data_source": "gsm8k"}])
    assert found({"d/train.parquet": data}, DATA) == ["2 warning"]


@pytest.mark.parametrize(
    "script",
    [
        "def convert(row):\n    return {'data_source': row['source']}\n",
        "import sys\n\nSOURCE = sys.argv[1]\nROW = {'data_source': SOURCE}\n",
        "def row(source):\n    return {'data_source': source}\n",
        "for source in ('gsm8k',):\n    print({'data_source': source})\n",
        "print('no data_source at all')\n",
    ],
)
def test_a_script_that_takes_sources_from_elsewhere_tells_nothing(script: str) -> None:
    assert found({"scripts/tools/process_demo.py": script}) == []


HEAD = "async def reward_func(args, sample, **kwargs):\n"
ONE = "ROW = {'data_source': 'gsm8k'}\n"
OTHER = "ROW = {'data_source': 'aime'}\n"


def found_in(reward: str, script: str) -> list[str]:
    return found({"examples/demo/reward_demo.py": reward, "scripts/tools/process_demo.py": script})


@for_each(
    ("reward", "with_one", "with_other"),
    [
        (f"{HEAD}    return 1.0 if sample.metadata['data_source'] == 'gsm8k' else 0.0\n", ["2 warning"], ["2 warning"]),
        (
            (
                f"{HEAD}    source = sample.metadata['data_source']\n    if source == 'gsm8k':\n        score = 1.0\n"
                "    else:\n        raise ValueError(source)\n    return score\n"
            ),
            ["3 warning"],
            ["3 error"],
        ),
        (
            f"{HEAD}    if sample.metadata.get('data_source') == 'gsm8k':\n        print('seen')\n    return 1.0\n",
            [],
            [],
        ),
        (
            (
                "class Scores:\n    table = {'gsm8k': 1.0, 'math': 0.0}\n\n    def of(self, sample):\n"
                f"        return self.table[sample.metadata['data_source']]\n\n\n{HEAD}    return Scores().of(sample)\n"
            ),
            ["5 warning"],
            ["5 error"],
        ),
        (
            (
                "TABLE = {'gsm8k': 1.0, 'math': 0.0}\n\n\n"
                f"{HEAD}    try:\n        return TABLE[sample.metadata['data_source']]\n    except KeyError:\n"
                "        return 0.0\n"
            ),
            [],
            [],
        ),
        (
            (
                "TABLE = {'gsm8k': 1.0, 'math': 0.0}\n\n\n"
                f"{HEAD}    found = TABLE.get(sample.metadata['data_source'])\n    if found is None:\n"
                "        raise KeyError\n    return found\n"
            ),
            ["5 warning"],
            ["5 error"],
        ),
        (f"{HEAD}    assert sample.metadata['data_source'] in ('gsm8k', 'math')\n    return 1.0\n", [], []),
        (
            (
                f"{HEAD}    match sample.metadata['data_source']:\n        case 'gsm8k':\n            return 1.0\n"
                "    raise ValueError\n"
            ),
            ["2 warning"],
            ["2 error"],
        ),
        (
            f"TABLE = {{'gsm8k': len}}\n\n\n{HEAD}    return TABLE[sample.metadata['data_source']](sample.response)\n",
            ["5 warning"],
            ["5 error"],
        ),
        (
            (
                f"{HEAD}    weight = 1.0\n    if sample.metadata['data_source'] == 'gsm8k':\n        weight = 0.5\n"
                "    return weight\n"
            ),
            [],
            [],
        ),
    ],
)
def test_ways_to_choose(reward: str, with_one: list[str], with_other: list[str]) -> None:
    assert found_in(reward, ONE) == with_one
    assert found_in(reward, OTHER) == with_other
