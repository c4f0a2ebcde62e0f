from __future__ import annotations

from pathlib import Path

import pytest

from relax_lint.shell.launch import Unknown, Word
from tools import corpus_check
from tools.bash_oracle import Oracle, Outcome, Run


def spelled(*argv: str) -> str:
    return "".join("\0" + word for word in argv)


@pytest.mark.parametrize(
    ("argv", "matching", "differing"),
    [
        ([Word("ray"), Word("a.py")], [("ray", "a.py")], [("ray", "a.py", ""), ("ray",), ("ray", "a_py")]),
        ([Word("x-$D", (Unknown("$D"),))], [("x-",), ("x-1 2",)], [("y-1",), ("x-1", "2")]),
        ([Word("$A", (Unknown("$A", split=True),)), Word("b")], [("b",), ("1", "2", "b")], [("b", "1")]),
        ([Word("a$A", (Unknown("$A", split=True),))], [("a",), ("a1", "2")], [()]),
        ([Word("$A$B", (Unknown("$A", split=True), Unknown("$B", split=True)))], [(), ("a", "b")], []),
        ([Word("$A/$B", (Unknown("$A"), Unknown("$B")))], [("/",), ("1/2",)], [("12",)]),
    ],
)  # fmt: skip
def test_an_unresolved_part_stands_for_any_text(
    argv: list[Word], matching: list[tuple[str, ...]], differing: list[tuple[str, ...]]
) -> None:
    pattern = corpus_check.launch_pattern(argv)
    assert all(pattern.fullmatch(spelled(*words)) for words in matching)
    assert not any(pattern.fullmatch(spelled(*words)) for words in differing)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    launcher = tmp_path / "examples" / "x" / "run_x.sh"
    launcher.parent.mkdir(parents=True)
    launcher.write_text(
        'set -u\nMODE=${1:-${MODE:-sync}}\ncd "$WORK_DIR"\nARGS=(--seed 1 --out "$SAVE_DIR/$(date +%s)")\n'
        '[ "$MODE" = async ] && ARGS+=(--fully-async)\npython3 relax/entrypoints/train.py "${ARGS[@]}"\n'
    )
    return tmp_path


def test_launchers_that_agree(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert corpus_check.main([str(checkout)]) == 0
    printed = capsys.readouterr().out
    assert "3 runs, 3 launches exact (3 words with an unresolved part), 0 missing, 0 extra" in printed


def test_what_a_launcher_insists_on_is_given(checkout: Path) -> None:
    script = checkout / "examples" / "x" / "run_x.sh"
    with Oracle() as oracle:
        run, outcome = corpus_check.ask_until_content(oracle, corpus_check.runs_of(script, checkout)[0])
    assert run.environment["WORK_DIR"] == "/x/WORK_DIR"
    assert outcome.launches[0][:4] == ("python3", "relax/entrypoints/train.py", "--seed", "1")


def test_launches_that_differ_are_named(checkout: Path) -> None:
    run = corpus_check.runs_of(checkout / "examples" / "x" / "run_x.sh", checkout)[0]
    evaluation = corpus_check.predicted(run, {"WORK_DIR": "/w", "SAVE_DIR": "/s"})
    real = ("python3", "relax/entrypoints/train.py", "--seed", "2", "--out", "/s/9")
    result = corpus_check.compare(run, Outcome(0, (real,), ""), evaluation)
    assert result.missing == [real]
    assert len(result.extra) == 1
    told = corpus_check.differing_word(real, [[word.text for word in evaluation.launches[0].argv]])
    assert told == "word 3: bash has '2', predicted '1'"


def test_a_run_without_launches_makes_each_predicted_one_extra(checkout: Path) -> None:
    run = Run(checkout / "examples" / "x" / "run_x.sh", (), {}, checkout)
    evaluation = corpus_check.predicted(run, {"WORK_DIR": "/w", "SAVE_DIR": "/s"})
    assert len(corpus_check.compare(run, Outcome(0, (), ""), evaluation).extra) == 1
