from __future__ import annotations

from pathlib import Path

import pytest

from tools.bash_oracle import Oracle, Run


def ask(folder: Path, text: str, *arguments: str, **environment: str) -> tuple[tuple[str, ...], ...]:
    script = folder / "run.sh"
    script.write_text(text)
    with Oracle() as oracle:
        outcome = oracle.ask(Run(script, arguments, environment))
    assert outcome.status == 0, outcome.errors
    return outcome.launches


def test_words_arrive_whole(tmp_path: Path) -> None:
    text = "X='a  b'\npython3 train.py $X \"$X\" '' $'n\\nl' \"$1\" \"$E\" \\\n  --last"
    assert ask(tmp_path, text, "two words", E="é") == (
        ("python3", "train.py", "a", "b", "a  b", "", "n\nl", "two words", "é", "--last"),
    )


@pytest.mark.parametrize(
    "wrapped",
    [
        "nohup python3 t.py", "timeout -k 5 60 python3 t.py", "stdbuf -oL python3 t.py", "exec python3 t.py",
        "env A=1 python3 t.py", "numactl --cpunodebind 0 python3 t.py", "bash -c 'python3 t.py'", "time python3 t.py",
        "nsys profile -o out python3 t.py", "setsid python3 t.py & wait", "python3 t.py 2>&1 | tee log.txt",
    ],
)  # fmt: skip
def test_wrappers_run_what_they_wrap(tmp_path: Path, wrapped: str) -> None:
    assert ask(tmp_path, wrapped) == (("python3", "t.py"),)


def test_nothing_outside_is_touched(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("kept")
    assert ask(tmp_path, f"rm {precious}; echo gone > {precious}; touch {tmp_path}/new; ray stop") == (("ray", "stop"),)
    assert precious.read_text() == "kept"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["precious", "run.sh"]


def test_what_a_script_needs_can_be_given(tmp_path: Path) -> None:
    script = tmp_path / "run.sh"
    script.write_text("[ -d /given/data ] && [ -f /given/setup.sh ] && python3 $(pwd) $(date)")
    run = Run(script, cwd=Path("/usr"), directories=("/given/data",), files=("/given/setup.sh",))
    with Oracle() as oracle:
        assert oracle.ask(run).launches == (("python3", "/usr", "@DATE@"),)


def test_runs_do_not_see_each_other(tmp_path: Path) -> None:
    script = tmp_path / "run.sh"
    script.write_text("[ -e /mark ] || python3 first; echo > /mark")
    with Oracle() as oracle:
        outcomes = list(oracle.each(oracle.ask, [Run(script)] * 5))
    assert {outcome.launches for outcome in outcomes} == {(("python3", "first"),)}


def test_a_script_that_never_ends_is_cut_off(tmp_path: Path) -> None:
    script = tmp_path / "run.sh"
    script.write_text("python3 once\nwhile :; do :; done")
    with Oracle(seconds=0.5) as oracle:
        outcome = oracle.ask(Run(script))
    assert outcome.status is None
    assert outcome.launches == (("python3", "once"),)
