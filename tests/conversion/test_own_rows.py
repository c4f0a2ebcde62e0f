"""Which preprocessing of a recipe's own is understood, and what is said of the rest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from relax_lint.conversion.own_rows import NotUnderstood, own_rows
from relax_lint.migrate.carrying.sources import VerlSources
from relax_lint.project import Project
from tests.conversion.test_script import OWN

HEAD = """\
import datasets
from os.path import join
args = parse()
data = datasets.load_dataset('a')
rows = data['train']
"""
TAIL = "rows.to_parquet(join(args.out, 'train.parquet'))\n"


def made(text: str, sources: VerlSources | None = None) -> dict[str, tuple[str, Any]]:
    names: dict[str, Any] = {}
    exec("from __future__ import annotations\n" + own_rows(Path("p.py"), text, "p.py", sources).text, names)
    splits: dict[str, tuple[str, Any]] = names["own_rows"]()
    return splits


def test_closures_helpers_and_constants_go_along() -> None:
    splits = made(OWN)
    assert {split: file for split, (file, _) in splits.items()} == {"train": "train.parquet", "test": "test.parquet"}
    row = splits["test"][1]({"question": "1 + 1?", "answer": "so #### 2"}, 7)
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
    assert made(HEAD + maps + TAIL)["train"][1]({"n": 1}, 5) == row


def test_a_program_in_a_function(tmp_path: Path) -> None:
    body = (HEAD + "rows = rows.map(lambda row: {'n': 1})\n" + TAIL).splitlines(keepends=True)
    text = "def main():\n" + "".join(f"    {line}" for line in body) + "\nmain()\n"
    assert made(text)["train"][1]({}, 0) == {"n": 1}


def test_definitions_of_verl_and_of_the_user_are_copied() -> None:
    files = {
        "verl/utils/boxed.py": "import re\nP = 'x(.)'\n\n\ndef boxed(text):\n    return re.findall(P, text)[0]\n",
        "verl/__init__.py": "",
        "examples/mine.py": "def twice(text):\n    return text * 2\n",
    }
    project = Project.from_files(files)
    sources = VerlSources(project, project.root / "verl")
    text = HEAD + "from verl.utils.boxed import boxed\nrows = rows.map(lambda row: {'n': boxed(row['n'])})\n" + TAIL
    assert made(text, sources)["train"][1]({"n": "x7"}, 0) == {"n": "7"}
    with pytest.raises(NotUnderstood, match=r"the rows need verl\.utils\.boxed, which is not at hand") as refused:
        made(text)
    assert refused.value.line == 6


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("def f(:\n", 1, "cannot be read as Python"),
        ("print()\n", 1, "no split of a data set"),
        (HEAD + "rows = rows.filter(len)\n" + TAIL, 6, "what filter does to the rows"),
        (HEAD + "rows = rows.map(f, batched=True)\n" + TAIL, 6, "mapped in batches"),
        (HEAD + "rows = rows.map(f).map(g)\n" + TAIL, 6, "mapped twice"),
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
