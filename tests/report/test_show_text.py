from __future__ import annotations

import pytest

from relax_lint.config import Settings
from relax_lint.project import Project
from relax_lint.report import Shown, show_text
from relax_lint.report.columns import WIDTH

TRAIN = "python3 relax/entrypoints/train.py"
RUN = "examples/demo/run_demo.sh"
RESOURCE = '--resource \'{"actor": [1, 8], "rollout": [1, 8]}\' --colocate'


def text_of(script: str, settings: Settings | None = None, model: str = "") -> str:
    project = Project.from_files({RUN: script, "examples/demo/model.sh": model}, settings)
    launcher = project.launcher(project.root / RUN)
    assert launcher is not None
    return show_text.render([Shown(launcher.path, launcher.launches, project)])


def lines_of(script: str, settings: Settings | None = None) -> list[str]:
    return [" ".join(line.split()) for line in text_of(script, settings).splitlines()]


def block(lines: list[str], title: str, count: int) -> list[str]:
    at = lines.index(title)
    return lines[at + 1 : at + 1 + count]


EVERYBODY = (
    f"{TRAIN} --lr 1e-6 --rm-type math --sglang-mem-fraction-static 0.8 --skip-hf-validate --router-policy random "
    f"--teacher-sglang-mem-fraction-static 0.5 {RESOURCE}\n"
)


def test_arguments_are_grouped_by_their_owner() -> None:
    lines = lines_of(EVERYBODY)
    assert block(lines, "Relax", 2) == ["--rm-type math :1", "--skip-hf-validate :1"]
    assert block(lines, "Megatron", 1) == ["--lr 1e-6 :1"]
    assert block(lines, "SGLang", 1) == ["--sglang-mem-fraction-static 0.8 :1"]
    assert block(lines, "router", 1) == ["--router-policy random :1"]
    assert block(lines, "teacher", 1) == ["--teacher-sglang-mem-fraction-static 0.5 :1"]


def test_places_are_at_the_right_edge_and_name_other_files() -> None:
    text = text_of(
        f'source "$(dirname "$0")/model.sh"\n{TRAIN} "${{MODEL_ARGS[@]}}" --lr 1e-6\n',
        model="MODEL_ARGS=(\n    --num-layers 36\n)\n",
    )
    rows = [line for line in text.splitlines() if line.startswith("    --")]
    assert [line.split()[-1] for line in rows] == ["model.sh:2", ":2"]
    assert {len(line) for line in rows} == {WIDTH}
    assert any(line.split()[0] == "files" and line.endswith("examples/demo/model.sh") for line in text.splitlines())


def test_the_earlier_of_two_is_marked() -> None:
    lines = lines_of(f"{TRAIN} --lr 1e-6 --seed 3 --lr 2e-6\n")
    assert block(lines, "Megatron", 4) == ["- --lr 1e-6 :1", "--seed 3 :1", "--lr 2e-6 :1", "- a later one counts"]


def test_two_spellings_of_one_argument_are_the_same() -> None:
    lines = lines_of(f"{TRAIN} --optimizer-cpu-offload --norm-epsilon 1e-5 --norm-epsilon=1e-6\n")
    assert "- --norm-epsilon 1e-5 :1" in lines
    assert "--norm-epsilon 1e-6 :1" in lines


def test_unknown_flags_are_marked_with_what_may_be_meant() -> None:
    lines = lines_of(f"{TRAIN} --rolout-batch-size 8 --our-own 3\n")
    assert block(lines, "unknown to Relax, and ignored by it", 3) == [
        "? --rolout-batch-size 8 :1",
        "did you mean --rollout-batch-size?",
        "? --our-own 3 :1",
    ]
    known = lines_of(f"{TRAIN} --our-own 3\n", Settings(extra_flags=("--our-own",)))
    assert block(known, "known by the configuration", 1) == ["--our-own 3 :1"]


def test_an_abbreviation_is_spelled_out() -> None:
    lines = lines_of(f"{TRAIN} --sglang-mem-frac 0.7\n")
    assert block(lines, "SGLang", 2) == ["--sglang-mem-frac 0.7 :1", "short for --sglang-mem-fraction-static"]


def test_what_is_not_known_is_listed_with_its_flags() -> None:
    lines = lines_of(f'{TRAIN} --load "$DIR/a" --save "$DIR/b" --use-kl-loss $EXTRA "$@"\n')
    assert (
        block(lines, "unresolved", 3)
        == [
            "${DIR} --load, --save",
            "${EXTRA} further arguments, if any",
            "$@ further arguments, if any",
        ]
        or block(lines, "unresolved", 3)[0] == "${DIR} --load, --save"
    )
    assert "--use-kl-loss :1" in lines


def test_variables_with_a_default_are_listed_with_their_flags() -> None:
    lines = lines_of(f'LR="${{LR:-1e-6}}"\n{TRAIN} --lr "$LR" --min-lr "$LR" --seed "${{1:-3}}"\n')
    assert block(lines, "by default, unless the variable is set", 2) == ["LR --lr, --min-lr", "$1 --seed"]


BRANCHES = f'if [ "$1" = a ]; then\n    N=1\nelse\n    N=2\nfi\n{TRAIN} --rm-type math --num-rollout $N {RESOURCE}\n'


def test_a_launch_like_another_one_is_shown_by_what_differs() -> None:
    lines = lines_of(BRANCHES)
    second = lines[lines.index("") + 1 :]
    assert second[0].endswith("relax launch 2 of 2, colocate")
    assert second[1] == 'when ! [ "$1" = a ]'
    assert second[3:] == ["arguments as in launch 1, but with", "--num-rollout 2 :6"]


def test_a_flag_that_only_one_launch_has_is_shown_as_left_out() -> None:
    script = f'A=(--rm-type math)\n[ -n "$1" ] && A+=(--group-rm)\n{TRAIN} --seed 3 "${{A[@]}}" {RESOURCE}\n'
    assert block(lines_of(script), "arguments as in launch 1, without", 1) == ["--group-rm :2"]


def test_another_layout_is_shown_again() -> None:
    lines = lines_of(BRANCHES.replace("--num-rollout", "--tensor-model-parallel-size"))
    assert [line for line in lines if line.startswith("actor")] == [
        "actor 8 DP 8 × TP 1 × PP 1",
        "actor 8 DP 4 × TP 2 × PP 1",
    ]


def test_overrides_of_verl_are_grouped_by_their_first_key() -> None:
    lines = lines_of(
        "python3 -m verl.trainer.main_ppo --config-name=ppo trainer.nnodes=1 data.x=1 +data.y.z='a b' data.x=2 "
        "~critic 'trainer.logger=[\"console\"]' flag $MORE\n"
    )
    start = lines.index("command line")
    assert lines[start:] == [
        *("command line", "--config-name ppo :1", "flag :1"),
        *("trainer", "nnodes 1 :1", 'logger ["console"] :1'),
        *("data", "- x 1 :1", "+y.z a b :1", "x 2 :1"),
        *("critic", "~critic :1"),
        *("- a later one counts", "unresolved", "${MORE} further arguments, if any"),
    ]


@pytest.mark.parametrize(
    "value",
    [
        "'{\"a\": 1}'",
        "$'a\\nb\\tc'",
        "''",
        "'a b' c",
        "/x/" + "y/" * 60,
        "'" + "word " * 200 + "'",
        "$(cat <<E\nx\nE\n)",
    ],
)
def test_any_value_is_readable_in_eighty_columns(value: str) -> None:
    for line in text_of(f"{TRAIN} --prompt-data {value} --lr 1e-6\n").splitlines():
        assert len(line) <= WIDTH
        assert line.isprintable()


def test_the_same_script_is_shown_the_same_way() -> None:
    assert text_of(BRANCHES) == text_of(BRANCHES)
