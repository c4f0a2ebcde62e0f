"""RLX501 by what it is told: another Relax, flags of one's own, suppressions, sourced files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from relax_lint.catalog.flags import embedded
from relax_lint.cli import main
from relax_lint.config import Settings
from tests.cases import for_each
from tests.catalog.small_relax import RELAX
from tests.rules.flags.judging import LAUNCHER, TRAIN, messages, report_on, silences

CODE = "RLX501"
VERSION = f"Relax {embedded().versions['relax']}"


def test_messages_name_the_relax_that_this_program_knows() -> None:
    assert messages(f"{TRAIN} --made-up 3\n", CODE) == [f"--made-up is no flag of {VERSION}: it is ignored silently"]


def test_a_flag_of_a_newer_relax_is_known_at_once() -> None:
    launcher = f"{TRAIN} --only-relax 3 --made-up 4\n"
    assert messages(launcher, CODE) == [
        f"--only-relax is no flag of {VERSION}: it is ignored silently",
        f"--made-up is no flag of {VERSION}: it is ignored silently",
    ]
    assert messages({**RELAX, LAUNCHER: launcher}, CODE) == [
        "--made-up is no flag of the Relax of the checkout: it is ignored silently"
    ]


def test_a_flag_that_another_relax_has_is_said_to_be_there() -> None:
    found = messages({**RELAX, LAUNCHER: f"{TRAIN} --rollout-batch-size 8 --use-gated-attention\n"}, CODE)
    assert found[0].endswith(f"it is ignored silently; {VERSION} had it")
    assert found[1].endswith(f"; {embedded().earlier('--use-gated-attention')} had it")


def test_a_checkout_passes_on_what_it_wants_of_a_server() -> None:
    launcher = f"{TRAIN} --sglang-port 30000 --sglang-model-path /m/Q\n"
    assert [message.partition(" ")[0] for message in messages(launcher, CODE)] == [
        "--sglang-port",
        "--sglang-model-path",
    ]
    (message,) = messages({**RELAX, LAUNCHER: launcher}, CODE)
    assert message.startswith("--sglang-model-path is no flag of the Relax of the checkout: it is ignored silently; ")
    assert message.endswith("; the server has it, and Relax does not pass it on")


@for_each(
    ("flag", "candidates"),
    [
        ("--rollout-batch-sizes", "--rollout-batch-size"),
        ("--rollout_batch_size", "--rollout-batch-size"),
        ("--Rollout-Batch-Size", "--rollout-batch-size"),
        ("--batch-size-rollout", "--rollout-batch-size"),
        ("--n-sample-per-prompt", "--n-samples-per-prompt"),
        ("--no-colocate", None),
        ("--disable-colocate", None),
        ("--genrm-timeout", None),
        ("--kl-loss", "--kl-loss-coef or --kl-loss-type"),
        ("-lr", "--lr"),
        ("—lr", "--lr"),
        ("−−lr", "--lr"),
    ],
)
def test_what_may_be_meant(flag: str, candidates: str | None) -> None:
    (message,) = messages(f"{TRAIN} {flag} 3\n", CODE)
    assert message.partition("did you mean ")[2] == ("" if candidates is None else f"{candidates}?")


def test_flags_of_ones_own_are_known_and_proposed() -> None:
    settings = Settings(extra_flags=("--team-flag", "--team-switch"))
    launcher = f"{TRAIN} --team-flag 3 --team-switch --team-flags=4 --team-${{X}} 5\n"
    report = report_on(launcher, CODE, settings)
    assert [found.message.partition("; ")[2] for found in report.diagnostics] == ["did you mean --team-flag?"]
    assert [silence.because for silence in report.not_checked] == ["${X}"]


def test_the_configuration_gives_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    launcher = tmp_path / LAUNCHER
    launcher.parent.mkdir(parents=True)
    launcher.write_text(f"{TRAIN} --team-flag 3\n")
    monkeypatch.chdir(tmp_path)
    options = ["check", "--select", CODE, "--format", "json", "examples"]
    assert main(options) == 1
    judged_by = json.loads(capsys.readouterr().out)["judged_by"]["catalogue"]
    assert all(f"{owner} {version}" in judged_by for owner, version in embedded().versions.items())
    (tmp_path / "relax-lint.toml").write_text('extra-flags = ["--team-flag"]\n')
    assert main(options) == 0
    capsys.readouterr()


def test_a_suppression_may_mean_one_flag() -> None:
    launcher = f"# relax-lint: ignore[RLX501 --made-up] ours\n{TRAIN} --made-up 3 --other-one=4\n"
    assert [message.partition(" ")[0] for message in messages(launcher, CODE)] == ["--other-one"]


def test_a_sourced_file_is_reported_once_and_where_it_is() -> None:
    files = {
        "scripts/models/demo.sh": "MODEL_ARGS=(\n    --num-layers 4\n    --use-gated-attention\n)\n",
        **{
            f"scripts/training/text/run-{name}.sh": f'source scripts/models/demo.sh\n{TRAIN} "${{MODEL_ARGS[@]}}"\n'
            for name in ("a", "b", "c")
        },
    }
    (found,) = report_on(files, CODE).diagnostics
    assert (found.path.name, found.line, found.column, found.subject) == ("demo.sh", 3, 5, "--use-gated-attention")
    assert found.fix is None


def test_no_fix_makes_two_of_one_flag_or_gives_a_switch_a_value() -> None:
    for flags in ("--num-rollouts 5 --num-rollout 7", "--colocated 5", "--colocated=yes"):
        (found,) = report_on(f"{TRAIN} {flags}\n", CODE).diagnostics
        assert "did you mean" in found.message
        assert found.fix is None


@pytest.mark.parametrize(
    ("array", "first", "second", "fixable"),
    [
        ("--colocat", "--fully-async", "--lr 1e-6", False),
        ("--colocat", "--lr 1e-6", "--hybrid", False),
        ("--fully-asynch", "--colocate", "--colocate", False),
        ("--num-rollot 3", "--lr 1e-6", "--num-rollout 5", False),
        ("--colocat", "--lr 1e-6", "--lr 2e-6", True),
        ("--num-rollot 3", "--fully-async", "--colocate", True),
    ],
)
def test_no_fix_suits_one_launch_and_breaks_another(array: str, first: str, second: str, fixable: bool) -> None:
    run = f'{TRAIN} "${{ARGS[@]}}"'
    launcher = f'ARGS=({array})\nif [ "$1" = a ]; then\n    {run} {first}\nelse\n    {run} {second}\nfi\n'
    (found,) = report_on(launcher, CODE).diagnostics
    assert (found.fix is not None) is fixable


def test_a_name_that_is_not_known_keeps_silent_unless_no_flag_begins_so() -> None:
    launcher = f"{TRAIN} --rollout-${{A}} 3\n"
    assert messages(launcher, CODE) == []
    assert silences(launcher, CODE) == [(1, "${A}")]
    assert len(messages(f"{TRAIN} --rolout-${{A}} 3\n", CODE)) == 1


def test_what_only_debugging_reads_is_known_all_the_same() -> None:
    assert messages(f"{TRAIN} --debug-train-only --sglang-mem-frac 0.8 --sglang-tp-size 2\n", CODE) == []
    assert len(messages(f"{TRAIN} --debug-train-only --sglang-tp-sizes 2\n", CODE)) == 1


@pytest.mark.parametrize("flags", ["--rollout-num-gpus-per 2", "--rollout-n 2"])
def test_abbreviations_that_only_compute_a_default_are_ignored(flags: str) -> None:
    assert len(messages(f"{TRAIN} {flags}\n", CODE)) == 1


def test_each_of_the_flags_that_relax_registers_is_known() -> None:
    words = embedded().words
    assert len(words) > 2_000
    flags = " ".join(word for word in words if word not in ("--help", "-h"))
    assert messages(f"{TRAIN} {flags}\n", CODE) == []


@for_each("word", ['"--${G}" 1', '"--${G} 1"', "--$G", '"--$(name)" 1', "--${G}=1", '--"$G" 1'])
def test_a_flag_whose_whole_name_is_not_known_ends_nothing(word: str) -> None:
    launcher = f"{TRAIN} --colocate {word} --lr 1e-6\n"
    assert messages(launcher, CODE) == []
    assert messages(launcher.replace("--lr ", "--made-up "), CODE) == [
        f"--made-up is no flag of {VERSION}: it is ignored silently"
    ]
