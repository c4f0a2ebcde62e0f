"""Which preprocessing of a recipe's own is understood, and what is said of the rest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from relax_lint.conversion import steps
from relax_lint.conversion.own_rows import NotUnderstood, own_rows
from relax_lint.conversion.steps import Course, OwnFile
from relax_lint.migrate.carrying.sources import VerlSources
from relax_lint.project import Project
from tests.cases import for_each
from tests.conversion.test_script import OWN

HEAD = """\
import datasets
from os.path import join
args = parse()
data = datasets.load_dataset('a')
rows = data['train']
"""
GROWN = HEAD + "grown = []\nfor row in rows:\n    grown.append(row)\n"
TAIL = "rows.to_parquet(join(args.out, 'train.parquet'))\n"


def made(text: str, sources: VerlSources | None = None) -> dict[str, OwnFile]:
    """The files of a script."""
    names: dict[str, Any] = dict(vars(steps))
    exec("from __future__ import annotations\n" + own_rows(Path("p.py"), text, "p.py", sources).text, names)
    files: dict[str, OwnFile] = names["own_rows"]()
    return files


def row_of(file: OwnFile, row: dict[str, Any], number: int = 0) -> dict[str, Any] | None:
    return Course(file, number).go(row, 0)


def test_closures_helpers_and_constants_go_along() -> None:
    files = made(OWN)
    assert {name: file.parts[0][0] for name, file in files.items()} == {
        "train.parquet": "train",
        "test.parquet": "test",
    }
    row = row_of(files["test.parquet"], {"question": "1 + 1?", "answer": "so #### 2"}, 7)
    assert row is not None
    assert row["reward_model"] == {"style": "rule", "ground_truth": "2"}
    assert row["extra_info"] == {"split": "test", "index": 7}


def test_comments_and_texts_of_several_lines_stay_as_they_are() -> None:
    text = own_rows(Path("p.py"), OWN, "p.py").text
    assert '    # how an answer ends\n    ENDS = r"""####\n *(.*)"""\n' in text
    assert "group(1)  # the answer" in text
    assert "Copyright" not in text


@pytest.mark.parametrize(
    ("maps", "row"),
    [
        ("rows = rows.map(lambda row: {'n': row['n'] + 1})\n", {"n": 2}),
        ("rows = rows.map(lambda row, i: {'n': i}, with_indices=True)\n", {"n": 5}),
        ("def f(row):\n    row['n'] = K\n    return row\nK = 3\nrows = data['train'].map(f, num_proc=8)\n", {"n": 3}),
        ("import json as j\nrows = rows.map(function=lambda row: {'n': j.loads('4')})\n", {"n": 4}),
    ],
)
def test_ways_to_map(maps: str, row: dict[str, int]) -> None:
    assert row_of(made(HEAD + maps + TAIL)["train.parquet"], {"n": 1}, 5) == row


def test_a_program_in_a_function(tmp_path: Path) -> None:
    body = (HEAD + "rows = rows.map(lambda row: {'n': 1})\n" + TAIL).splitlines(keepends=True)
    text = "def main():\n" + "".join(f"    {line}" for line in body) + "\nmain()\n"
    assert row_of(made(text)["train.parquet"], {}) == {"n": 1}


def test_definitions_of_verl_and_of_the_user_are_copied() -> None:
    files = {
        "verl/utils/boxed.py": "import re\nP = 'x(.)'\n\n\ndef boxed(text):\n    return re.findall(P, text)[0]\n",
        "verl/__init__.py": "",
        "examples/mine.py": "def twice(text):\n    return text * 2\n",
    }
    project = Project.from_files(files)
    sources = VerlSources(project, project.root / "verl")
    text = HEAD + "from verl.utils.boxed import boxed\nrows = rows.map(lambda row: {'n': boxed(row['n'])})\n" + TAIL
    assert row_of(made(text, sources)["train.parquet"], {"n": "x7"}) == {"n": "7"}
    with pytest.raises(NotUnderstood, match=r"the rows need verl\.utils\.boxed, which is not at hand") as refused:
        made(text)
    assert refused.value.line == 6


@for_each(
    ("text", "line", "reason"),
    [
        ("def f(:\n", 1, "cannot be read as Python"),
        ("x = 1\nbreak\n", 2, "cannot be read as Python"),
        ("x = 1\nreturn\n", 2, "cannot be read as Python"),
        ("print()\n", 1, "nothing is written to parquet"),
        (HEAD + "rows = rows.sort('n')\n" + TAIL, 6, "what sort does to the rows"),
        (
            HEAD + "\nrows = rows.train_test_split(0.1)['train']\n" + TAIL,
            7,
            "train_test_split parts the rows by random",
        ),
        (
            HEAD + "rows = rows.shuffle(3)\nrows = rows.select(range(2))\n" + TAIL,
            7,
            r"order that shuffle makes .*line 6",
        ),
        (HEAD + "rows = rows.shuffle(3).map(len, True)\n" + TAIL, 6, "order that shuffle makes"),
        (HEAD + "n = [2, 1]\nn.sort()\nrows = rows.select(n)\n" + TAIL, 8, "which rows are selected"),
        (HEAD + "n = list(range(9))\nmix(n)\nrows = rows.select(n)\n" + TAIL, 8, "which rows are selected"),
        (HEAD + "rows = rows.map(len, **more)\n" + TAIL, 6, "what is given to map is not all written out"),
        (HEAD + "rows = rows.map(len, features=x)\n" + TAIL, 6, "what features does in map"),
        (HEAD + "rows = rows.map(len, remove_columns=names())\n" + TAIL, 6, "the columns that are removed"),
        (HEAD + "for name in data:\n    data[name].to_parquet(name)\n", 6, "which splits the data set has"),
        (
            HEAD + "for n in names():\n    rows.to_parquet(n)\n",
            6,
            "rows are written in a loop over what is not written out",
        ),
        (HEAD + "if found():\n    rows = rows.map(len)\n" + TAIL, 6, "rows depends on what the script finds"),
        (HEAD + "if found():\n    rows.to_parquet('a.parquet')\n", 6, "rows are written or not, which depends on what"),
        (HEAD + "rows.to_parquet('a/x.parquet')\nrows.to_parquet('b/x.parquet')\n", 7, "x.parquet is written twice"),
        ("import pandas as pd\nt = [1]\nd = pd.DataFrame(t)\nd.to_parquet('a.parquet')\n", 3, "what DataFrame makes"),
        (HEAD + "rows.set_format('numpy')\n" + TAIL, 6, "what set_format does to the rows"),
        *(
            (
                GROWN + change + "Dataset.from_list(grown).to_parquet('a.parquet')\n",
                9,
                "what is in grown is not followed",
            )
            for change in ("grown.append({})\n", "mix(grown)\n", "grown.pop()\n", "random.shuffle(grown)\n")
        ),
        (
            GROWN.replace("append(row)", "append(row)\n    grown.append(row)")
            + "Dataset.from_list(grown).to_parquet('a.parquet')\n",
            7,
            "grown comes out of a loop over the rows",
        ),
        ("d = mine()\n\nd.to_parquet('a.parquet')\n", 1, "how d, which is written to parquet, is made"),
        (
            HEAD + "t = json.load(open('t'))\nrows = rows.map(lambda row: t)\n" + TAIL,
            6,
            "t depends on what the script reads",
        ),
        (
            HEAD + "import random\nrandom.seed(4)\nrows = rows.map(lambda row: {'n': random.random()})\n" + TAIL,
            7,
            "random numbers that begin here",
        ),
        (
            HEAD
            + "seen = set()\nrows = rows.filter(lambda row: seen.add(row['n']))\n"
            + TAIL
            + "data['test'].map(lambda row: seen.pop()).to_parquet('test.parquet')\n",
            9,
            "seen is kept from the rows of one file to those of the next",
        ),
        (
            "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', required=True)\na = p.parse_args()\n"
            "rows = load_dataset('a', split='train').map(lambda row: {'n': a.n})\n" + TAIL.replace("args.out", "'o'"),
            3,
            "the rows depend on --n, which has no default",
        ),
        (HEAD + "rows = rows.map(f, batched=True)\n" + TAIL, 6, "mapped in batches"),
        (HEAD + "rows = rows.map(f).map(g)\n" + TAIL, 6, "f is not bound"),
        (HEAD + "rows = rows.map(lambda row: {'n': args.n})\n" + TAIL, 6, "parse is not bound"),
        (HEAD + "rows = rows.map(lambda row: {'n': len(data)})\n" + TAIL, 4, "depend on the whole data set data"),
        (
            HEAD + "n = 0\ndef f(row):\n    global n\n    n += 1\n    return row\nrows = rows.map(f)\n" + TAIL,
            8,
            "global",
        ),
        (
            HEAD + "if args.x:\n    K = 1\nelse:\n    K = 2\nrows = rows.map(lambda row: {'n': K})\n" + TAIL,
            6,
            "K depends",
        ),
        (HEAD + "import verl\nrows = rows.map(lambda row: verl.f(row))\n" + TAIL, 6, "need a module of verl"),
        (HEAD + "rows = rows.map(lambda row: {'n': K})\n" + TAIL, 6, "K is not bound"),
    ],
)
def test_what_is_not_understood_is_said_with_its_line(text: str, line: int, reason: str) -> None:
    with pytest.raises(NotUnderstood, match=reason) as refused:
        own_rows(Path("p.py"), text, "p.py")
    assert refused.value.line == line
