"""The data rules on real parquet files, where examples in memory cannot show it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from relax_lint.config import Settings
from relax_lint.engine import Report, lint
from relax_lint.extras import how_to_install
from relax_lint.files import Files
from relax_lint.project import Project
from relax_lint.rules import load_rules
from relax_lint.selection import Layer
from tests.parquet_files import asked, image, write_parquet

RULES = load_rules()
CODES = ("RLX702", "RLX703", "RLX704", "RLX705", "RLX708")
KEYS = "--input-key prompt --label-key label --apply-chat-template"
IMAGES = '--multimodal-keys \'{"image": "images"}\''
PLAIN = {"prompt": asked("1 + 1?"), "label": "2"}
SEEN = {"prompt": asked("<image>What?"), "label": "x", "images": [image()]}


class Recipe:
    """A recipe with one launcher, and data beside it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.flags = ""

    def data(self, rows: list[dict[str, Any]], schema: Any = None, name: str = "train.parquet", **options: Any) -> Path:
        return write_parquet(self.root / "data" / name, rows, schema, **options)

    def report(self, flags: str, reward: str = "") -> Report:
        home = self.root / "examples/demo"
        home.mkdir(parents=True, exist_ok=True)
        (home / "run_demo.sh").write_text(f"python3 relax/entrypoints/train.py {flags}\n")
        (home / "reward_demo.py").write_text(reward)
        (home / "__init__.py").write_text("")
        settings = Settings(selection=(Layer(select=CODES),))
        report = lint(Project(self.root, settings, Files()), RULES, settings)
        assert report.failures == []
        return report

    def found(self, flags: str, reward: str = "") -> list[tuple[str, str, str]]:
        report = self.report(f"--prompt-data data/train.parquet {flags}", reward)
        return [(item.code, item.severity.name[0], item.message) for item in report.diagnostics]


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    return Recipe(tmp_path)


def codes(found: list[tuple[str, str, str]]) -> list[str]:
    return [f"{code} {severity}" for code, severity, _ in found]


@pytest.mark.parametrize("options", [{}, {"row_group_size": 3}, {"compression": "gzip"}, {"use_dictionary": False}])
def test_good_data_is_silent(recipe: Recipe, options: dict[str, Any]) -> None:
    recipe.data([SEEN] * 10, **options)
    assert recipe.found(f"{KEYS} {IMAGES} --rm-type math --hf-checkpoint m/Qwen3-VL-4B") == []


def test_a_missing_column_is_told_by_the_footer(recipe: Recipe) -> None:
    recipe.data([], pa.schema({"prompt": pa.string(), "ground_truth": pa.string()}), name="other.parquet")
    recipe.data([{"prompt": "x", "ground_truth": "y"}] * 3)
    ((code, severity, message),) = recipe.found("--input-key prompt --label-key ground_thruth")
    assert (code, severity) == ("RLX702", "E")
    assert message.endswith(
        "data/train.parquet has no such column, did you mean ground_truth?; a KeyError at the first row"
    )


def test_a_struct_label_and_a_reward_that_compares_it(recipe: Recipe) -> None:
    recipe.data([{"prompt": asked("x"), "reward_model": {"ground_truth": "2", "style": "rule"}}] * 3)
    flags = "--input-key prompt --apply-chat-template --label-key reward_model "
    flags += "--custom-rm-path examples.demo.reward_demo.reward_func"
    head = "async def reward_func(args, sample, **kwargs):\n"
    assert codes(recipe.found(flags, head + "    return float(sample.label.strip() == 'x')\n")) == ["RLX703 E"]
    assert recipe.found(flags, head + "    return float(sample.label['ground_truth'] == 'x')\n") == []


def test_nulls_beyond_the_sample_are_told_by_the_footer(recipe: Recipe) -> None:
    recipe.data([*[PLAIN] * 2000, {**PLAIN, "label": None}])
    assert recipe.found(f"{KEYS} --rm-type math") == [
        ("RLX703", "W", "1 labels of data/train.parquet are null"),
    ]


def test_nulls_out_of_the_slice_do_not_count(recipe: Recipe) -> None:
    recipe.data([*[PLAIN] * 2000, {**PLAIN, "label": None}])
    report = recipe.report(f"--prompt-data data/train.parquet@[0:2000] {KEYS} --rm-type math")
    assert report.diagnostics == []


@pytest.mark.parametrize(
    ("kind", "values", "severity"),
    [
        (pa.int64(), [1, 2], "W"),
        (pa.float64(), [1.0, 2.5], "W"),
        (pa.list_(pa.string()), [["a"], ["b"]], "E"),
        (pa.map_(pa.string(), pa.string()), [[("a", "b")], [("c", "d")]], "E"),
        (pa.binary(), [b"a", b"b"], "W"),
        (pa.dictionary(pa.int8(), pa.string()), ["a", "b"], ""),
        (pa.large_string(), ["a", "b"], ""),
    ],
)
def test_kinds_of_labels(recipe: Recipe, kind: Any, values: list[Any], severity: str) -> None:
    schema = pa.schema({"prompt": pa.string(), "label": kind})
    recipe.data([{"prompt": "x", "label": value} for value in values], schema)
    found = codes(recipe.found("--input-key prompt --label-key label --rm-type math"))
    assert found == ([f"RLX703 {severity}"] if severity else [])


def test_parts_that_parquet_gives_all_keys(recipe: Recipe) -> None:
    parts = [{"type": "image", "image": "a.png"}, {"type": "text", "text": "What?"}]
    recipe.data([{"prompt": asked(parts), "label": "x"}] * 2)
    ((code, severity, message),) = recipe.found(f"{KEYS} --rm-type math --hf-checkpoint m/Qwen3-VL-4B")
    assert (code, severity) == ("RLX704", "E")
    assert message.startswith("a text part has the key image, null there")


@pytest.mark.parametrize(
    ("prompt", "what"),
    [
        (pa.struct({"role": pa.string(), "content": pa.string()}), "a prompt is an object"),
        (pa.int32(), "a prompt is a number"),
        (pa.list_(pa.string()), "a prompt is a list of texts"),
        (pa.list_(pa.struct({"from": pa.string(), "value": pa.string()})), "a message has no role and no content"),
        (pa.list_(pa.map_(pa.string(), pa.string())), "a prompt is a list of lists"),
        (pa.string(), "a prompt is null"),
    ],
)
def test_prompts_that_are_none(recipe: Recipe, prompt: Any, what: str) -> None:
    values: dict[str, Any] = {
        "a prompt is an object": {"role": "user", "content": "x"},
        "a prompt is a number": 3,
        "a prompt is a list of texts": ["x"],
        "a message has no role and no content": [{"from": "human", "value": "x"}],
        "a prompt is a list of lists": [[("role", "user")]],
        "a prompt is null": None,
    }
    schema = pa.schema({"prompt": prompt, "label": pa.string()})
    recipe.data([{"prompt": values[what], "label": "x"}], schema)
    ((code, severity, message),) = recipe.found(f"{KEYS} --rm-type math")
    assert (code, severity) == ("RLX704", "E")
    assert message.startswith(what)


def test_images_and_places_are_counted_without_reading_the_images(recipe: Recipe) -> None:
    rows = [{**SEEN, "images": [image(size=60_000 + number)]} for number in range(300)]
    rows[290] = {**SEEN, "images": [image()] * 2}
    recipe.data(rows, use_dictionary=False)
    ((code, severity, message),) = recipe.found(f"{KEYS} {IMAGES} --rm-type math")
    assert (code, severity) == ("RLX705", "E")
    assert message == "2 images in images, 1 place for them: Relax fails at it (row 291 of data/train.parquet)"


def test_large_photos_and_a_limit_that_was_meant_for_texts(recipe: Recipe) -> None:
    recipe.data([{**SEEN, "images": [image(1920, 1080)]}] * 4)
    assert codes(recipe.found(f"{KEYS} {IMAGES} --rm-type math --rollout-max-prompt-len 1024")) == ["RLX708 A"]
    assert recipe.found(f"{KEYS} {IMAGES} --rm-type math --rollout-max-prompt-len 4096") == []


def test_a_broken_file_is_an_error_at_the_flag(recipe: Recipe) -> None:
    path = recipe.data([PLAIN])
    path.write_bytes(path.read_bytes()[:-30])
    ((code, severity, message),) = recipe.found(f"{KEYS} --rm-type math")
    assert (code, severity) == ("RLX702", "E")
    assert message.startswith("data/train.parquet cannot be read: ")


def test_without_pyarrow_nothing_is_judged_and_it_is_said(recipe: Recipe, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe.data([{"prompt": None, "label": None}])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    report = recipe.report(f"--prompt-data data/train.parquet {KEYS}")
    assert report.diagnostics == []
    assert [(item.code, item.because) for item in report.not_checked] == [
        ("RLX702", f"data/train.parquet: reading parquet needs pyarrow: {how_to_install('data')}")
    ]


def test_data_of_another_machine_is_not_counted_as_not_checked(recipe: Recipe) -> None:
    report = recipe.report(
        '--prompt-data "$DATA_DIR/train.parquet" --input-key prompt --label-key "$LABEL" --eval-interval 5 '
        "--eval-prompt-data a /data/elsewhere/test.parquet"
    )
    assert (report.diagnostics, report.not_checked) == ([], [])


def test_files_of_a_directory_are_all_looked_at(recipe: Recipe) -> None:
    for number in range(3):
        recipe.data([PLAIN], name=f"part-{number}.parquet")
    recipe.data([{"prompt": asked("x"), "answer": "2"}], name="deep/part-9.parquet")
    report = recipe.report(f"--prompt-data data {KEYS} --rm-type math")
    (found,) = report.diagnostics
    assert found.message == (
        "--label-key label: data/deep/part-9.parquet has no such column, it has prompt, answer; "
        "a KeyError at the first row"
    )


def test_the_same_data_in_several_launches_is_reported_once(recipe: Recipe) -> None:
    recipe.data([{"prompt": None, "label": "x"}])
    home = recipe.root / "examples/demo"
    home.mkdir(parents=True)
    (home / "run_both.sh").write_text(
        f"ARGS=(--prompt-data data/train.parquet {KEYS} --rm-type math)\n"
        'if [ "$1" = async ]; then\n  python3 relax/entrypoints/train.py "${ARGS[@]}" --fully-async\nelse\n'
        '  python3 relax/entrypoints/train.py "${ARGS[@]}" --colocate\nfi\n'
    )
    settings = Settings(selection=(Layer(select=CODES),))
    report = lint(Project(recipe.root, settings, Files()), RULES, settings)
    assert [(item.code, item.line) for item in report.diagnostics] == [("RLX704", 1)]


def test_launchers_outside_recipes_are_judged_too(recipe: Recipe) -> None:
    recipe.data([{"prompt": None, "label": "x"}])
    run = recipe.root / "scripts/training/run.sh"
    run.parent.mkdir(parents=True)
    run.write_text(f"python3 relax/entrypoints/train.py --prompt-data data/train.parquet {KEYS} --rm-type math\n")
    settings = Settings(selection=(Layer(select=CODES),))
    report = lint(Project(recipe.root, settings, Files()), RULES, settings, targets=[run])
    assert [item.code for item in report.diagnostics] == ["RLX704"]
