from __future__ import annotations

import json
from pathlib import Path

import pytest

from relax_lint.migrate.model_config import model_of, text_of
from tests.commands.running import Run, running_in
from tests.migrate.model_configs import PUBLIC


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    (tmp_path / "Qwen3-8B").mkdir()
    (tmp_path / "Qwen3-8B" / "config.json").write_text(json.dumps(PUBLIC["qwen3-8B"]))
    return running_in(tmp_path, monkeypatch, capsys)


def wanted(name: str) -> str:
    return text_of(model_of(PUBLIC["qwen3-8B"]), name)


def test_it_is_printed(run: Run) -> None:
    done = run("model-config", "Qwen3-8B/config.json")
    assert (done.status, done.out, done.err) == (0, wanted("Qwen3-8B"), "")


def test_the_directory_of_a_checkpoint_will_do(run: Run) -> None:
    assert run("model-config", "Qwen3-8B").out == wanted("Qwen3-8B")


def test_it_is_written_where_told(run: Run) -> None:
    done = run("model-config", "Qwen3-8B", "--output", "scripts/models/mine.sh")
    assert (done.status, done.out) == (0, "")
    assert Path("scripts/models/mine.sh").read_text() == wanted("mine")


def test_a_name_of_one_s_own(run: Run) -> None:
    assert run("model-config", "Qwen3-8B", "--name", "other").out == wanted("other")


def test_what_is_there_stays(run: Run) -> None:
    Path("mine.sh").write_text("precious")
    done = run("model-config", "Qwen3-8B", "--output", "mine.sh")
    assert (done.status, done.err) == (2, "relax-lint: mine.sh is there already; --force replaces it\n")
    assert Path("mine.sh").read_text() == "precious"
    assert run("model-config", "Qwen3-8B", "--output", "mine.sh", "--force").status == 0
    assert Path("mine.sh").read_text() == wanted("mine")


NO_THETA = {key: value for key, value in PUBLIC["qwen3-8B"].items() if key != "rope_theta"}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{", "it is no JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        (b"[]", "it is no config of a model: it holds no mapping"),
        (json.dumps(NO_THETA).encode(), "rope_theta is missing"),
        (b'"\xff"', "it is no JSON: "),
        (b"[" * 100_000, "it is no JSON: "),
    ],
    ids=["broken", "list", "incomplete", "bytes", "nested"],
)
def test_bad_configs_are_refused_in_a_sentence(run: Run, content: bytes, said: str) -> None:
    Path("bad.json").write_bytes(content)
    done = run("model-config", "bad.json")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"relax-lint: bad.json: {said}")


def test_files_that_are_not_there(run: Run) -> None:
    done = run("model-config", "nowhere/config.json")
    assert (done.status, done.err) == (2, "relax-lint: no such file: nowhere/config.json\n")


def test_an_output_that_cannot_be_written(run: Run) -> None:
    Path("full").mkdir()
    done = run("model-config", "Qwen3-8B", "--output", "full")
    assert (done.status, done.err) == (2, "relax-lint: full was not written: Is a directory\n")


def test_an_architecture_without_a_bridge_is_said(run: Run) -> None:
    Path("config.json").write_text(json.dumps(PUBLIC["seed-oss-36B"]))
    done = run("model-config", "config.json")
    assert done.status == 0
    assert "does not know seed_oss" in done.err


@pytest.mark.parametrize("said", ['"rope_theta": NaN', '"rope_theta": 1e400', '"num_attention_heads": 0'])
def test_numbers_that_are_none_are_refused_in_a_sentence(run: Run, said: str) -> None:
    text = json.dumps(PUBLIC["qwen3-8B"])
    Path("bad.json").write_text(f"{text[:-1]}, {said}}}")
    done = run("model-config", "bad.json")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"relax-lint: bad.json: {said.split(':')[0].strip(chr(34))} is ")
    assert done.err.count("\n") == 1


def test_a_name_of_two_lines_stays_a_comment(run: Run) -> None:
    assert run("model-config", "Qwen3-8B", "--name", "a\nb").out == wanted("a?b")
