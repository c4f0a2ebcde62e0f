"""Which datasets a launch names, and how they are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from relax_lint.catalog.hidden import is_hidden
from relax_lint.datasets import DatasetUse, datasets_of
from relax_lint.files import Files
from relax_lint.project import Project
from relax_lint.sources.dataset import DataFile
from tests.cases import for_each

RUN = "examples/demo/run_demo.sh"
DATA = {"data/train.jsonl": '{"prompt": "1", "label": "2"}\n' * 10, "data/test.jsonl": '{"prompt": "3"}\n' * 4}


def uses(flags: str, before: str = "", **files: str) -> list[DatasetUse]:
    more = {"/".join(name.split("__")).replace("_", "."): text for name, text in files.items()}
    script = f"{before}python3 relax/entrypoints/train.py {flags}\n"
    project = Project.from_files({RUN: script, **DATA, **more})
    (launch,) = project.recipes[0].launches
    return datasets_of(launch, project)


def told(use: DatasetUse) -> tuple[str, str, str, list[str]]:
    return use.role, use.name, use.flag, [file.text for file in use.files]


def test_training_and_evaluation_data() -> None:
    found = uses(
        "--prompt-data data/train.jsonl --eval-interval 5 --eval-prompt-data a data/test.jsonl b data/train.jsonl"
    )
    assert list(map(told, found)) == [
        ("train", "", "--prompt-data", ["data/train.jsonl"]),
        ("eval", "a", "--eval-prompt-data", ["data/test.jsonl"]),
        ("eval", "b", "--eval-prompt-data", ["data/train.jsonl"]),
    ]


def test_one_word_of_evaluation_data_is_a_path() -> None:
    assert told(uses("--eval-interval 5 --eval-prompt-data data/test.jsonl")[0])[1] == "aime"


@for_each(
    "flags",
    [
        '--prompt-data "$DATA_DIR/train.jsonl"',
        "--prompt-data /nowhere/train.jsonl",
        "--prompt-data data/train.jsonl --debug-train-only",
        "--prompt-data data/train.jsonl --load-debug-rollout-data x.pt",
        "--prompt-data data/train.jsonl --disable-rollout-global-dataset",
        "--prompt-data data/train.jsonl --data-source-path examples.demo.source.Source",
        "--prompt-data data/train.jsonl --loss-type sft --custom-dataset-class-path examples.demo.source.Source",
        "--eval-prompt-data a data/test.jsonl",
        "--eval-interval 5 --eval-prompt-data a $TEST",
        "--eval-interval 5 --eval-prompt-data a data/test.jsonl --eval-config $CONFIG",
    ],
)
def test_data_that_is_elsewhere_or_never_read(flags: str) -> None:
    assert uses(flags) == []


def test_nothing_is_said_of_a_launch_that_is_cut_in_two() -> None:
    script = "python3 relax/entrypoints/train.py --prompt-data data/train.jsonl \\ \n    --input-key prompt\n"
    project = Project.from_files({RUN: script, **DATA})
    assert [datasets_of(launch, project) for launch in project.recipes[0].launches] == [[]]


def test_a_launch_of_verl_names_none() -> None:
    project = Project.from_files({RUN: "python3 -m verl.trainer.main_ppo --prompt-data data/train.jsonl\n", **DATA})
    assert datasets_of(project.recipes[0].launches[0], project) == []


def test_it_is_worked_out_once() -> None:
    project = Project.from_files({RUN: "python3 relax/entrypoints/train.py --prompt-data data/train.jsonl\n", **DATA})
    (launch,) = project.recipes[0].launches
    assert datasets_of(launch, project) is datasets_of(launch, project)
    assert datasets_of(launch, project)[0].files[0] is datasets_of(launch, project)[0].files[0]


# ------------------------------------------------------------ keys


def test_keys_of_training_and_evaluation() -> None:
    train, test = uses(
        "--prompt-data data/train.jsonl --eval-interval 1 --eval-prompt-data a data/test.jsonl --input-key question "
        '--label-key answer --eval-label-key gold --multimodal-keys \'{"image": "images"}\''
    )
    assert (train.keys.input, train.keys.label, train.keys.metadata, train.keys.tool) == (
        "question", "answer", "metadata", "tools",
    )  # fmt: skip
    assert (test.keys.input, test.keys.label) == ("question", "gold")
    assert train.keys.media_columns == {"image": "images"}


def test_what_relax_takes_without_flags() -> None:
    keys = uses("--prompt-data data/train.jsonl")[0].keys
    assert (keys.input, keys.label, keys.metadata, keys.tool, keys.media) == ("input", None, "metadata", "tools", None)


def test_keys_that_are_not_known_are_hidden() -> None:
    keys = uses("--prompt-data data/train.jsonl --label-key $LABEL")[0].keys
    assert is_hidden(keys.label)
    assert keys.input == "input"


def test_the_config_of_the_launch_has_the_last_word_on_training_alone() -> None:
    train, test = uses(
        "--prompt-data data/train.jsonl --eval-interval 1 --eval-prompt-data a data/test.jsonl --label-key answer "
        "--custom-config-path examples/demo/demo.yaml",
        examples__demo__demo_yaml="label_key: truth\ninput_key: null\n",
    )
    assert (train.keys.label, train.keys.input) == ("truth", None)
    assert (test.keys.label, test.keys.input) == ("answer", "input")
    naming = train.naming("label")
    assert naming is not None
    assert naming.flag == "--custom-config-path"


def test_fine_tuning_evaluates_with_the_keys_of_training() -> None:
    _, test = uses(
        "--loss-type sft --prompt-data data/train.jsonl --eval-interval 5 --eval-prompt-data a data/test.jsonl "
        "--label-key answer --eval-label-key gold"
    )
    assert test.keys.label == "answer"


# ------------------------------------------------------------ the model


@for_each(
    ("name", "sees"),
    [
        ("Qwen3-VL-4B-Instruct", True),
        ("Qwen3.5-35B-A3B", True),
        ("Qwen3-Omni-30B-A3B-Instruct", True),
        ("Qwen2.5-VL-7B", True),
        ("dots.mocr", True),
        ("Kimi-K2.6", True),
        ("Qwen3-4B", False),
        ("Qwen3-30B-A3B-FP8", False),
        ("Qwen2.5-Math-7B", False),
        ("DeepSeek-R1-Distill-Qwen-7B", False),
        ("GLM-5", False),
        ("my-model", None),
    ],
)
def test_models_for_media_by_their_names(name: str, sees: bool | None) -> None:
    for word in (f"models/{name}", f"${{MODEL_DIR}}/{name}/"):
        (use,) = uses(f'--prompt-data data/train.jsonl --hf-checkpoint "{word}"')
        assert use.arguments.sees_media is sees


def test_a_checkpoint_at_hand_has_the_say() -> None:
    files = {"models__Qwen3-4B__config_json": '{"vision_config": {}}'}
    (use,) = uses("--prompt-data data/train.jsonl --hf-checkpoint models/Qwen3-4B", **files)
    assert use.arguments.sees_media is True


@pytest.mark.parametrize(
    ("name", "sees"), [("qwen3-vl-4B", True), ("qwen35-9B", True), ("dotsocr2", True), ("qwen3-4B", False), ("x", None)]
)
def test_the_model_file_tells_where_the_checkpoint_does_not(name: str, sees: bool | None) -> None:
    before = f'source "${{MODEL_CONFIG_DIR}}/{name}.sh"\n'
    (use,) = uses('--prompt-data data/train.jsonl --hf-checkpoint "$CKPT" "${MODEL_ARGS[@]}"', before)
    assert use.arguments.sees_media is sees


# ------------------------------------------------------------ evaluation configs


def test_datasets_of_an_evaluation_config() -> None:
    text = """\
eval:
  defaults: {label_key: gold}
  datasets:
    - {name: a, path: data/test.jsonl, input_key: question}
    - {name: b, path: "${oc.env:DATA}/x.jsonl"}
    - {name: c, path: data/train.jsonl, label_key: null}
"""
    found = uses(
        "--eval-interval 5 --label-key answer --eval-config examples/demo/eval.yaml", examples__demo__eval_yaml=text
    )
    assert [(use.name, use.flag, use.keys.input, use.keys.label) for use in found] == [
        ("a", "--eval-config", "question", "gold"),
        ("c", "--eval-config", "input", None),
    ]


def test_datasets_of_an_evaluation_config_by_name() -> None:
    text = "datasets:\n  small: {path: data/test.jsonl}\n"
    found = uses("--eval-interval 5 --eval-config examples/demo/eval.yaml", examples__demo__eval_yaml=text)
    assert [(use.name, use.spec) for use in found] == [("small", "data/test.jsonl")]


@pytest.mark.parametrize(
    "text", ["", "[1]", "eval: 3", "eval: {datasets: 3}", "a: [", "datasets: [{name: x, path: 3}, 4]"]
)
def test_other_evaluation_configs_name_nothing(text: str) -> None:
    assert uses("--eval-interval 5 --eval-config examples/demo/eval.yaml", examples__demo__eval_yaml=text) == []


# ------------------------------------------------------------ files and rows


def rows_of(files: list[DataFile]) -> list[tuple[str, int]]:
    return [(file.text, sum(map(len, file.batches()))) for file in files]


@pytest.mark.parametrize(
    ("spec", "rows"),
    [
        ("data/train.jsonl@[2:5]", [("data/train.jsonl", 3)]),
        ("['data/train.jsonl','data/test.jsonl']@[8:12]", [("data/train.jsonl", 2), ("data/test.jsonl", 2)]),
        ("['data/train.jsonl@[0:3]','data/test.jsonl']@[2:]", [("data/train.jsonl", 1), ("data/test.jsonl", 4)]),
        ("['data/train.jsonl','data/test.jsonl']@[10:11]", [("data/test.jsonl", 1)]),
        ("data/train.jsonl@[-3:]", [("data/train.jsonl", 3)]),
        ("['data/train.jsonl@[4:6]','data/test.jsonl@[1:2]']", [("data/train.jsonl", 2), ("data/test.jsonl", 1)]),
        ("data/train.jsonl@[50:60]", [("data/train.jsonl", 0)]),
    ],
)
def test_slices_pick_rows_over_all_files(spec: str, rows: list[tuple[str, int]]) -> None:
    (use,) = uses(f'--prompt-data "{spec}"')
    assert rows_of(use.files) == rows


def test_files_are_seen_from_where_the_launcher_goes(tmp_path: Path) -> None:
    run = tmp_path / RUN
    run.parent.mkdir(parents=True)
    run.write_text("cd examples/demo\npython3 ../../relax/entrypoints/train.py --prompt-data train.jsonl\n")
    (run.parent / "train.jsonl").write_text('{"input": "x"}\n')
    project = Project(tmp_path, files=Files())
    (use,) = datasets_of(project.recipes[0].launches[0], project)
    assert [file.path for file in use.files] == [run.parent / "train.jsonl"]
    assert use.missing == []


def test_missing_files_are_named_where_their_neighbours_are() -> None:
    (use,) = uses("--prompt-data \"['data/train.jsonl', 'data/gone.jsonl']\"")
    assert use.missing == ["data/gone.jsonl"]
    assert [file.text for file in use.files] == ["data/train.jsonl"]
