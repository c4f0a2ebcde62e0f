"""Where the model of a launch comes from: several files, checkouts, configs, and what cannot be told."""

from __future__ import annotations

import json

import pytest

from relax_lint.catalog.model_configs import numbers, perceives
from relax_lint.config import Settings
from relax_lint.engine import Report, lint
from relax_lint.project import Project
from relax_lint.rules import load_rules
from relax_lint.selection import Layer

RUN = "examples/demo/run_demo.sh"
TRAIN = "python3 relax/entrypoints/train.py"
SOURCE = 'source "${MODEL_CONFIG_DIR}/small.sh"\n'
LAUNCH = f'{TRAIN} "${{MODEL_ARGS[@]}}"'
MODEL = "MODEL_ARGS=(--num-layers 28 --hidden-size 1024 --num-attention-heads 16 --num-query-groups 8)\n"
CHECKOUT = {"relax/entrypoints/train.py": "", "scripts/models/small.sh": MODEL}


def judged(files: str | dict[str, str]) -> Report:
    settings = Settings(selection=(Layer(select=("RLX418",)),))
    tree = files if isinstance(files, dict) else {RUN: files}
    return lint(Project.from_files({**CHECKOUT, **tree}, settings), load_rules(), settings)


def said(files: str | dict[str, str]) -> list[str]:
    return [found.message for found in judged(files).diagnostics]


def of_checkpoint(config: object, flags: str = "") -> list[str]:
    launch = f"{SOURCE}{LAUNCH} --hf-checkpoint models/small {flags}\n"
    return said({RUN: launch, "models/small/config.json": json.dumps(config)})


@pytest.mark.parametrize(
    ("text", "because"),
    [
        (f'source "$MODEL_FILE"\n{LAUNCH}\n', 'source "$MODEL_FILE"'),
        (f'source "${{MODEL_CONFIG_DIR}}/${{MODEL}}.sh"\n{LAUNCH}\n', 'source "${MODEL_CONFIG_DIR}/${MODEL}.sh"'),
        (f'{SOURCE}{TRAIN} "$@"\n', '"$@"'),
        (f"{SOURCE}{TRAIN} --lr 1\n    --colocate\n", "a broken continuation"),
        (f"{TRAIN} --lr 1\r\n", "CRLF line ends"),
    ],
)
def test_what_is_not_known_is_recorded(text: str, because: str) -> None:
    report = judged(text)
    assert report.diagnostics == []
    assert [silence.because for silence in report.not_checked] == [because]


def test_without_a_checkout_any_model_may_be_there() -> None:
    settings = Settings(selection=(Layer(select=("RLX418",)),))
    tree = {RUN: f'source "${{MODEL_CONFIG_DIR}}/huge.sh"\n{LAUNCH}\n'}
    assert lint(Project.from_files(tree), load_rules(), settings).diagnostics == []


def test_a_model_that_relax_does_not_have_is_named_with_the_one_meant() -> None:
    [message] = said(f'source "${{MODEL_CONFIG_DIR}}/smal.sh"\n{LAUNCH}\n')
    assert message == "Relax has no model file scripts/models/smal.sh; did you mean small.sh?"


@pytest.mark.parametrize(
    ("name", "is_found"),
    [("smal", True), ("Small", True), ("small", False), ("qwen3-4B", False), ("qwen3-4b", True), ("${MODEL}", False)],
)
def test_without_a_checkout_the_models_of_the_repository_and_of_relax_may_be_there(name: str, is_found: bool) -> None:
    settings = Settings(selection=(Layer(select=("RLX418",)),))
    for source in (f'"${{MODEL_CONFIG_DIR}}/{name}.sh"', f'"$(dirname "$0")/../../scripts/models/{name}.sh"'):
        tree = {RUN: f"source {source}\n{LAUNCH}\n", "scripts/models/small.sh": MODEL}
        report = lint(Project.from_files(tree), load_rules(), settings)
        assert [found.line for found in report.diagnostics] == [1] * is_found


@pytest.mark.parametrize(
    "text",
    [
        f'case "$1" in\n    b) source "${{MODEL_CONFIG_DIR}}/big.sh" ;;\n    *) {SOURCE.strip()} ;;\nesac\n{LAUNCH}\n',
        f'for file in "${{MODEL_CONFIG_DIR}}/small.sh"; do source "$file"; done\n{LAUNCH}\n',
        f'MODEL_DIR_OF=scripts/models\nsource "$MODEL_DIR_OF/small.sh"\n{LAUNCH}\n',
        f'{SOURCE}ALL=("${{MODEL_ARGS[@]}}")\nALL+=(--lr 1e-6)\n{TRAIN} "${{ALL[@]}}"\n',
        f"{SOURCE}{TRAIN} ${{MODEL_ARGS[*]}}\n",
        f'{SOURCE}eval "{TRAIN} ${{MODEL_ARGS[*]}}"\n',
        f'launch() {{ {TRAIN} "${{MODEL_ARGS[@]}}" "$@"; }}\n{SOURCE}launch --lr 1e-6\n',
        f"{SOURCE}nohup {LAUNCH} > run.log 2>&1 &\nwait\n",
    ],
)
def test_ways_to_source_and_to_pass_a_model(text: str) -> None:
    assert said({RUN: text, "scripts/models/big.sh": MODEL}) == []


def test_each_launch_that_goes_without_is_found() -> None:
    text = f"{SOURCE}{TRAIN} --colocate\n{LAUNCH}\n{TRAIN} --fully-async\n"
    assert [found.line for found in judged(text).diagnostics] == [2, 4]


def test_what_relax_lets_a_launcher_set_again_is_silent() -> None:
    flags = "--rotary-base 5000000 --kv-channels 64 --tensor-model-parallel-size 4 --num-query-groups 4"
    assert said(f"{SOURCE}{LAUNCH} {flags}\n") == []


@pytest.mark.parametrize(("value", "count"), [("28", 0), ("28.0", 0), ("$LAYERS", 0), ("4", 1)])
def test_architecture_is_compared_as_numbers(value: str, count: int) -> None:
    assert len(said(f"{SOURCE}{LAUNCH} --num-layers {value}\n")) == count


def test_a_model_file_behind_the_flag_has_the_last_word() -> None:
    assert said(f'{SOURCE}{TRAIN} --num-layers 4 "${{MODEL_ARGS[@]}}"\n') == []


def test_the_config_at_hand_decides_over_the_model_file() -> None:
    whole = {"num_hidden_layers": 28, "hidden_size": 1024, "num_attention_heads": 16, "num_key_value_heads": 8}
    assert of_checkpoint(whole) == []
    assert of_checkpoint({**whole, "num_hidden_layers": 4}, "--num-layers 4") == []
    [message] = of_checkpoint({**whole, "num_key_value_heads": 4, "hidden_size": 2048})
    assert message == (
        "small.sh is not the model of models/small: --hidden-size 1024 against hidden_size 2048, "
        "--num-query-groups 8 against num_key_value_heads 4"
    )
    [message] = of_checkpoint(whole, "--num-layers 4")
    assert message == "--num-layers 4 against num_hidden_layers 28 in the config.json of models/small"


NORM = "differs from rms_norm_eps of the checkpoint"


@pytest.mark.parametrize(
    ("flags", "eps", "expected"),
    [
        ("--norm-epsilon 1e-6", 1e-6, 0),
        ("--norm-epsilon 0.000001", 1e-6, 0),
        ("", 1e-5, 0),
        ("", 1e-6, 1),
        ("--norm-epsilon 1e-6", 1e-5, 1),
        ("--norm-epsilon 1e-6 --skip-hf-validate", 1e-5, 0),
        ("--loss-type sft --norm-epsilon 1e-6", 1e-5, 1),
        ("--debug-rollout-only --norm-epsilon 1e-6", 1e-5, 0),
        ("--norm-epsilon $EPS", 1e-5, 0),
    ],
)
def test_the_one_number_that_relax_compares(flags: str, eps: float, expected: int) -> None:
    found = [message for message in of_checkpoint({"rms_norm_eps": eps}, flags) if NORM in message]
    assert len(found) == expected


def test_a_model_written_out_is_compared_as_well() -> None:
    launch = f"{TRAIN} --num-layers 4 --norm-epsilon 1e-6 --hf-checkpoint models/small\n"
    tree = {RUN: launch, "models/small/config.json": '{"rms_norm_eps": 1e-05}'}
    assert any(NORM in message for message in said(tree))


def test_embeddings_untied_by_the_launcher() -> None:
    switch = "--untie-embeddings-and-output-weights"
    assert "the model file has them tied" in said(f"{SOURCE}{LAUNCH} {switch}\n")[0]
    assert said({RUN: f"{SOURCE}{LAUNCH} {switch}\n", "scripts/models/small.sh": MODEL[:-2] + f" {switch})\n"}) == []
    assert "the checkpoint has them tied" in of_checkpoint({"tie_word_embeddings": True}, switch)[0]
    assert of_checkpoint({"tie_word_embeddings": False}, switch) == []
    assert said(f'source "$MODEL_CONFIG_DIR/none.sh"\n{LAUNCH} {switch}\n'.replace("none", "small")) != []


def test_a_text_model_takes_no_images() -> None:
    media = '--multimodal-keys \'{"image": "images"}\''
    [message] = of_checkpoint({"hidden_size": 1024}, media)
    assert "neither sees nor hears" in message
    for part in ("vision_config", "audio_config", "thinker_config"):
        assert of_checkpoint({"hidden_size": 1024, part: {"depth": 4}}, media) == []


@pytest.mark.parametrize("config", ["{", "[]", '"text"', '{"hidden_size": "1024"}', '{"hidden_size": null}', "\0"])
def test_a_config_that_says_nothing(config: str) -> None:
    tree = {RUN: f"{SOURCE}{LAUNCH} --hf-checkpoint models/small\n", "models/small/config.json": config}
    report = judged(tree)
    assert report.failures == []
    assert report.diagnostics == []


def test_what_a_config_says_of_flags() -> None:
    config = {
        "thinker_config": {"text_config": {"hidden_size": 8, "num_experts": 4, "intermediate_size": 6}},
        "rope_theta": 1e6,
        "tie_word_embeddings": True,
    }
    assert {flag: number for flag, _, number in numbers(config)} == {
        "--hidden-size": 8,
        "--num-experts": 4,
        "--rotary-base": 1e6,
    }
    assert perceives(config)
    assert not perceives({"hidden_size": 8})
