"""The columns that conversion scripts write."""

from __future__ import annotations

from pathlib import Path

from relax_lint.converted_columns import Conversion, conversion, is_conversation, is_no_list
from relax_lint.sources.python import PythonSource
from tests.cases import for_each


def read(code: str) -> Conversion:
    return conversion(PythonSource(Path("process_demo.py"), code.encode()))


@for_each(
    ("code", "always", "sometimes", "complete"),
    [
        ('row = {"prompt": p, "label": a}\n', "prompt label", "", True),
        ('row = dict(prompt=p, label=a, images=[i])\n', "prompt label images", "", True),
        ('row = {"prompt": p, "label": a}\nrow["images"] = [i]\n', "prompt label images", "", True),
        ('row = {"prompt": p, "label": a}\nif i:\n    row["image"] = [i]\n', "prompt label", "image", True),
        ('row = {"prompt": p, "label": a}\nrow.update({"image": [i]}, level=1)\n', "prompt label image level", "",
         True),
        ('row = {**old, "prompt": p, "label": a}\n', "prompt label", "", False),
        ('row = {"prompt": p, "label": a}\nrow.update(old)\n', "prompt label", "", False),
        ('row = {"prompt": p, "label": a}\nrow[name] = 1\n', "prompt label", "", False),
        ('a = {"prompt": p, "label": x}\nb = {"prompt": p, "label": x, "image": [i]}\n', "prompt label", "image", True),
        ('row = {"prompt": p, "label": a, "extra_info": {"question": q, "answer": a}}\n', "prompt label extra_info", "",
         True),
        ('data = data.map(lambda one: {"prompt": one["q"], "label": one["a"]})\n', "prompt label", "", False),
        ('d = d.map(lambda one: {"prompt": one["q"], "label": 1}, remove_columns=d.column_names)\n', "prompt label", "",
         True),
        ('rows = pool.map(convert, old)\nrow = {"prompt": p, "label": a}\n', "prompt label", "", True),
        ('frame = pd.read_parquet(f)\nframe["label"] = 1\nrow = {"prompt": p, "label": a}\n', "prompt label", "",
         False),
        ('message = {"role": "user", "content": p}\npart = {"type": "image", "image": i}\n', "", "", False),
        ("print()\n", "", "", False),
    ],
)  # fmt: skip
def test_columns(code: str, always: str, sometimes: str, complete: bool) -> None:
    found = read(code)
    assert {name for name, column in found.columns.items() if column.always} == set(always.split())
    assert {name for name, column in found.columns.items() if not column.always} == set(sometimes.split())
    assert found.complete is complete


@for_each(
    ("value", "single"),
    [
        ('"a.png"', True), ('f"{d}/a.png"', True), ('item["bytes"]', True), ("os.path.join(d, p)", True),
        ('{"bytes": b}', True), ("base64.b64encode(b).decode()", True), ("[path]", False), ('item["images"]', False),
        ("load(path)", False), ("list(paths)", False), ("paths", False), ("[one['bytes'] for one in images]", False),
    ],
)  # fmt: skip
def test_single_items(value: str, single: bool) -> None:
    found = read(f'row = {{"prompt": p, "label": a, "image": {value}}}\n')
    assert is_no_list(found.source, found.columns["image"].value) is single


def test_prompts_that_are_conversations() -> None:
    found = read('p = [{"role": "user", "content": q}]\nrow = {"prompt": p, "messages": old, "label": a}\n')
    assert is_conversation(found.source, found.columns["prompt"].value)
    assert not is_conversation(found.source, found.columns["messages"].value)


def test_media_that_are_read_and_dropped() -> None:
    found = read('x = row["preprocessed_images"]\ny = row.get("video")\nframe.drop(columns=["images", "ability"])\n')
    assert found.reads == {"preprocessed_images", "video"}
    assert list(found.drops) == ["images"]
