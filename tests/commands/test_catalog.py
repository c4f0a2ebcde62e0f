"""`relax-lint catalog show`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from relax_lint.catalog.flags import embedded
from relax_lint.cli import main
from tests.catalog.small_relax import RELAX


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def shown(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> tuple[str, str]:
    assert main(["catalog", "show", *words]) == status
    captured = capsys.readouterr()
    return captured.out, captured.err


def as_json(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> dict[str, Any]:
    out, _ = shown(capsys, *words, "--format", "json", status=status)
    loaded: dict[str, Any] = json.loads(out)
    return loaded


@pytest.mark.parametrize("word", ["--lr", "lr", "--lr=3"])
def test_what_is_known_of_a_flag(capsys: pytest.CaptureFixture[str], word: str) -> None:
    out, err = shown(capsys, word)
    lines = [line.split(maxsplit=1) for line in out.splitlines()[2:]]
    assert out.startswith("--lr\n----\n")
    assert ["takes", "float"] in lines
    assert ["default", "1e-06"] in lines
    assert ["sets", "args.lr"] in lines
    assert any(label == "owner" and text.startswith("megatron, core ") for label, text in lines)
    assert err == ""


def test_pages_fit_eighty_columns(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = shown(capsys, "--sglang-quantization", "--exit-signal", "--resource", "--teacher-sglang-tp-size")
    assert max(map(len, out.splitlines())) <= 80
    assert out.count("\n\n") == 3


def test_a_flag_that_two_parsers_read_is_shown_once(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = shown(capsys, "--rollout-num-gpus-per-engine")
    assert out.count("--rollout-num-gpus-per-engine\n") == 1


def test_an_abbreviation_shows_what_it_stands_for(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = shown(capsys, "--sglang-mem-frac")
    assert out.startswith("--sglang-mem-fraction-static\n")
    assert "abbreviated" in out


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("--rollout-batchsize", "did you mean --rollout-batch-size?"),
        ("--mem-fraction-static", "did you mean --sglang-mem-fraction-static or --teacher-sglang-mem-fraction-static?"),
        ("--rope-fusion", "did you mean --no-rope-fusion?"),
        ("tp-size", "did you mean --sglang-tp-size or "),
        ("--use-gated-attention", "Relax's megatron patch 20251218-3714d81d had it"),
        ("--sglang-model-path", "the server has it, and Relax does not pass it on"),
        ("--zzzz-qqqq", "no flag --zzzz-qqqq in Relax"),
    ],
)
def test_an_unknown_flag_is_refused_with_what_is_near(capsys: pytest.CaptureFixture[str], word: str, said: str) -> None:
    out, err = shown(capsys, word, status=2)
    assert out == ""
    assert said in err


def test_the_rewards_that_relax_has_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = shown(capsys, "--rm-type")
    assert "  known       dapo, " in out
    assert "remote_rm; also" in out


def test_known_ones_are_shown_beside_unknown_ones(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = shown(capsys, "--lr", "--lrr", status=2)
    assert out.startswith("--lr\n")
    assert "--lrr" in err


def test_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    told = as_json(capsys, "--resource", "--rollout_batch_size", status=2)
    (flag,) = told["flags"]
    assert told["schema"] == 1
    assert set(told["versions"]) == {"relax", "megatron", "sglang", "router"}
    assert (flag["word"], flag["name"], flag["type"], flag["owner"]) == ("--resource", "--resource", "json", "relax")
    assert told["unknown"] == [
        {"word": "--rollout_batch_size", "near": ["--rollout-batch-size"], "earlier": None, "left_out": False}
    ]


def test_the_json_is_what_its_schema_says(capsys: pytest.CaptureFixture[str]) -> None:
    schema = json.loads((Path(__file__).parents[2] / "docs/schema/catalog.schema.json").read_text())
    words = [flag.name for flag in embedded() if flag.action != "help"]
    told = as_json(capsys, *words, "--sglang-mem-frac", "--sglang-port", "--use-gated-attention", "--lrr", status=2)
    jsonschema.validate(told, schema)
    assert len(told["unknown"]) == 3


def test_by_the_checkout_around_or_the_one_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path, text in RELAX.items():
        (tmp_path / "checkout" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "checkout" / path).write_text(text)
    out, _ = shown(capsys, "--only-relax", "--relax-root", "checkout")
    assert "relax, the checkout" in out
    monkeypatch.chdir(tmp_path / "checkout/relax/utils")
    assert shown(capsys, "--only-relax")[0] == out


def test_a_root_that_is_no_checkout_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "half/relax").mkdir(parents=True)
    for root in ("nowhere", "half"):
        assert "relax-root must be a directory that holds" in shown(capsys, "--lr", "--relax-root", root, status=2)[1]


def test_a_root_whose_flags_cannot_be_read_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for path in ("relax/entrypoints/train.py", "relax/utils/arguments.py"):
        (tmp_path / "broken" / path).parent.mkdir(parents=True)
        (tmp_path / "broken" / path).write_text("def (")
    out, err = shown(capsys, "--lr", "--relax-root", "broken")
    assert "float" in out
    assert "broken/relax/utils/arguments.py cannot be read as Relax's" in err


def test_no_flag_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert "name a flag" in shown(capsys, status=2)[1]


def test_the_command_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert re.search(r"\n  catalog +what is known of a flag", capsys.readouterr().out)
