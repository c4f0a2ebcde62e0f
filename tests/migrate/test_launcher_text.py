"""The launcher that is written: real bash runs it, and the rules have nothing to say of it."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from relax_lint.diagnostics import Severity
from relax_lint.engine import lint
from relax_lint.migrate.launcher_text import Facts, launcher_text
from relax_lint.migrate.plan import ModeRefused, Passed, Plan
from relax_lint.migrate.values import Template
from relax_lint.project import Project
from relax_lint.records import changed
from relax_lint.rules import load_rules
from relax_lint.shell.launch import Unknown
from tests.migrate.plans import PASSED, plan_of, template

FACTS = Facts("math", "examples/math/run_math.sh", "examples/math/train.sh")
LOCAL = 'export RELAX_ENTRYPOINT_MODE=local\nexport MODEL_CONFIG_DIR="$PWD/scripts/models"\n'
MODEL = """\
MODEL_ARGS=(
    --num-layers 36
    --hidden-size 4096
    --num-attention-heads 32
    --group-query-attention
    --num-query-groups 8
)
"""
SAY = '#!/bin/bash\nprintf "<%s>" "$@" >> "$SAID"\necho >> "$SAID"\n'


def with_changes(*changes: Passed) -> list[Passed]:
    """The arguments of a whole launch, some with other values."""
    given = {each.flag: each for each in changes}
    return [given.get(each.flag, each) for each in PASSED]


def run(text: str, root: Path, *arguments: str, **env: str) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """Run a launcher in a checkout of stubs; what its python3 was given, a line a call."""
    for path, content in {
        "examples/math/run_math.sh": text,
        "scripts/entrypoint/local.sh": LOCAL,
        "scripts/models/qwen3-8B.sh": MODEL,
        "scripts/models/qwen3-4B.sh": MODEL.replace("32", "16"),
        "bin/python3": SAY,
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content)
    (root / "bin/python3").chmod(0o755)
    said = root / "said"
    environment = {"PATH": f"{root}/bin:/usr/bin:/bin", "HOME": "/home/me", "SAID": str(said), "MODEL_DIR": "/models"}
    environment |= {"DATA_DIR": "/data", **env}
    done = subprocess.run(
        ["bash", "examples/math/run_math.sh", *arguments],
        cwd=root, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done, said.read_text().splitlines() if said.exists() else []


def faults(text: str) -> list[str]:
    """What the rules say of a launcher in a checkout."""
    tree = {
        "examples/math/run_math.sh": text,
        "scripts/tools/process_math.py": "print()\n",
        "scripts/entrypoint/local.sh": LOCAL,
        "scripts/models/qwen3-8B.sh": MODEL,
        "scripts/models/qwen3-4B.sh": MODEL,
    }
    report = lint(Project.from_files(tree), load_rules())
    assert not report.failures
    return [f"{each.line}: {each.code} {each.message}" for each in report.standing if each.severity != Severity.ADVICE]


def test_both_modes_pass_all_that_is_planned(tmp_path: Path) -> None:
    text = launcher_text([plan_of()], FACTS)
    for mode, others in (("sync", "async"), ("async", "sync")):
        done, said = run(text, tmp_path / mode, mode)
        assert done.returncode == 0, done.stderr
        (words,) = said
        assert words.startswith("<relax/entrypoints/train.py>")
        for passed in PASSED:
            values = "".join(f"<{value}>" for value in passed.values if isinstance(value, str))
            if passed.modes != others and len(passed.values) < 2:
                assert f"<{passed.flag}>{values}" in words
        assert "<--num-layers><36>" in words
        assert "<--hf-checkpoint></models/Qwen3-8B>" in words
        assert "<--prompt-data><['/data/gsm8k/train.parquet']>" in words
        assert "<--lr><1e-6>" in words


def test_what_a_variable_of_the_verl_launcher_gave_a_default_stays_open(tmp_path: Path) -> None:
    _, said = run(launcher_text([plan_of()], FACTS), tmp_path, LR="3e-5")
    assert "<--lr><3e-5>" in said[0]
    assert "<--colocate>" in said[0]


def test_a_mode_that_there_is_not_is_refused(tmp_path: Path) -> None:
    done, said = run(launcher_text([plan_of()], FACTS), tmp_path, "asynchronous")
    assert done.returncode == 2
    assert "usage: bash examples/math/run_math.sh [sync|async]: no such mode: asynchronous" in done.stderr
    assert not said


def test_the_rules_have_nothing_to_say() -> None:
    assert faults(launcher_text([plan_of()], FACTS)) == []


def test_a_mode_that_relax_refuses_ends_with_the_reason(tmp_path: Path) -> None:
    text = launcher_text([plan_of(refused=[ModeRefused("async", 'the 2 GPUs of "verl\'s" run are too few')])], FACTS)
    assert faults(text) == []
    done, said = run(text, tmp_path, "async")
    assert done.returncode == 1
    assert 'async is not possible here: the 2 GPUs of "verl\'s" run are too few' in done.stderr
    assert not said
    assert run(text, tmp_path, "sync")[0].returncode == 0


def test_further_flags_follow_the_mode(tmp_path: Path) -> None:
    text = launcher_text([plan_of()], changed(FACTS, forwards=True))
    assert faults(text) == []
    _, said = run(text, tmp_path, "async", "--lr", "2e-6")
    assert said[0].endswith("<--lr><2e-6>")
    assert "bash examples/math/run_math.sh [sync|async [FLAG OF RELAX...]]\n" in text
    done, _ = run(text, tmp_path / "first", "--lr", "2e-6")
    assert "no such mode: --lr; flags for Relax go behind the mode" in done.stderr
    _, said = run(text, tmp_path / "none")
    assert "<--colocate>" in said[0]


def test_exports_are_there_when_the_entry_point_runs_and_assignments_where_they_are_needed(tmp_path: Path) -> None:
    plan = plan_of(with_changes(Passed("--tb-experiment-name", (template("run-$(date +%Y)-$NAME"),), "log")))
    facts = changed(FACTS, exports=(("NCCL_DEBUG", "NCCL_DEBUG=WARN"),), assignments=(("NAME", 'NAME="a b"'),))
    text = launcher_text([plan], facts)
    assert faults(text) == []
    assert text.index("export NCCL_DEBUG=WARN") < text.index("local.sh")
    _, said = run(text, tmp_path)
    assert "-a b>" in said[0]


@pytest.mark.parametrize(("gpus", "given"), [("16", "16"), ("4", "4"), ("8", ""), ("", "")])
def test_ray_is_started_with_the_gpus_of_the_machine(gpus: str, given: str, tmp_path: Path) -> None:
    more = [Passed("--num-gpus-per-node", (gpus,), "launch")] if gpus else []
    text = launcher_text([plan_of([*PASSED, *more])], FACTS)
    assert faults(text) == []
    assert (f'export NUM_GPUS="${{NUM_GPUS:-{given}}}"' in text) == bool(given)
    assert run(text, tmp_path)[0].returncode == 0


def test_ray_is_started_with_as_many_gpus_as_bash_works_out() -> None:
    shared = Template(('{"actor": [1, ', Unknown("$((1 * N))"), "]}"))
    others = [each for each in PASSED if (each.flag, each.modes) != ("--resource", "sync")]
    text = launcher_text([plan_of([*others, Passed("--resource", (shared,), "launch", modes="sync")])], FACTS)
    assert 'export NUM_GPUS="${NUM_GPUS:-$((1 * N))}"' in text
    assert text.index("NUM_GPUS") < text.index("local.sh")


def test_variables_that_nothing_sets_are_told_at_the_head() -> None:
    save = Passed("--save", (template("$CKPTS_DIR/${USER}/x"),), "ckpt")
    text = launcher_text([plan_of([*PASSED, save, Passed("--save-interval", ("5",), "ckpt")])], FACTS)
    assert faults(text) == []
    variables = text.partition("2. Set the variables:")[2].partition("3. ")[0]
    assert [name for name in ("MODEL_DIR", "DATA_DIR", "CKPTS_DIR", "USER", "HOME") if name in variables] == [
        "MODEL_DIR",
        "DATA_DIR",
        "CKPTS_DIR",
    ]
    assert "for --save" in variables


def runs_of(*changes: Sequence[Passed], model: Sequence[str] = ()) -> list[Plan]:
    return [
        plan_of(with_changes(*each), model=model[number] if model else "qwen3-8B")
        for number, each in enumerate(changes)
    ]


def test_several_launches_are_runs_one_after_another(tmp_path: Path) -> None:
    plans = runs_of(
        [Passed("--lr", ("1e-6",), "optimizer"), Passed("--tb-experiment-name", ("low",), "log")],
        [Passed("--lr", ("1e-5",), "optimizer"), Passed("--tb-experiment-name", ("high",), "log")],
    )
    text = launcher_text(plans, FACTS)
    assert faults(text) == []
    for mode in ("sync", "async"):
        done, said = run(text, tmp_path / mode, mode)
        assert done.returncode == 0, done.stderr
        assert len(said) == 2
        assert "<--lr><1e-6>" in said[0]
        assert "<--lr><1e-5>" in said[1]
        assert "<--tb-experiment-name><high>" in said[1]
        assert text.count("--rollout-batch-size") == text.count("train lr-1e-6") == 1
    logs = {path.name.partition("-sync")[0] for path in (tmp_path / "sync/logs").iterdir()}
    assert logs == {"math-lr-1e-6", "math-lr-1e-5"}


def test_runs_with_other_models_and_resources_stay_one_script(tmp_path: Path) -> None:
    small = Passed("--resource", ('{"actor": [1, 4], "rollout": [1, 4]}',), "launch", modes="sync")
    plans = runs_of([], [], model=("qwen3-8B", "qwen3-4B"))
    others = [small if (each.flag, each.modes) == ("--resource", "sync") else each for each in PASSED]
    plans[1] = changed(plans[1], passed=others)
    text = launcher_text(plans, changed(FACTS, forwards=True))
    assert faults(text) == []
    _, said = run(text, tmp_path, "sync", "--seed", "3")
    assert ['"actor": [1, 8]' in said[0], '"actor": [1, 4]' in said[1]] == [True, True]
    assert ["<--num-attention-heads><32>" in said[0], "<--num-attention-heads><16>" in said[1]] == [True, True]
    assert all(line.endswith("<--seed><3>") for line in said)


@pytest.mark.parametrize(
    "value", ["a b", "it's", 'say "x"', "$HOME", "`id`", "back\\slash", "", "*", "a\nb", "~/x", "!x"]
)
def test_values_reach_relax_as_they_are(value: str, tmp_path: Path) -> None:
    plan = plan_of(with_changes(Passed("--tb-experiment-name", (value,), "log")))
    _, said = run(launcher_text([plan], FACTS), tmp_path)
    assert f"<--tb-experiment-name><{value}>" in "\n".join(said)


@pytest.mark.parametrize(
    ("value", "said_of_it"),
    [
        ("-mine", "<--tb-experiment-name=-mine>"),
        (Template((Unknown("${WHO}", "WHO"), "-mine")), "<--tb-experiment-name=-mine>"),
        ("-1", "<--tb-experiment-name><-1>"),
    ],
)
def test_a_value_is_no_flag(value: str | Template, said_of_it: str, tmp_path: Path) -> None:
    plan = plan_of(with_changes(Passed("--tb-experiment-name", (value,), "log")))
    _, said = run(launcher_text([plan], FACTS), tmp_path)
    assert said_of_it in "\n".join(said)


def test_a_note_stands_above_its_flag_and_swallows_nothing(tmp_path: Path) -> None:
    note = "why\nthis is so \\"
    plan = plan_of(with_changes(Passed("--lr", ("1e-6",), "optimizer", note=note)))
    text = launcher_text([plan], FACTS)
    assert faults(text) == []
    assert "<--lr><1e-6>" in run(text, tmp_path)[1][0]
