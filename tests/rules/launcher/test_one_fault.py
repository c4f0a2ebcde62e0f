"""One fault in a launcher that is right gives one finding, of the rule whose matter it is, at the line to edit."""

from __future__ import annotations

import pytest

from relax_lint.config import Settings
from relax_lint.diagnostics import Severity
from relax_lint.engine import Report, lint
from relax_lint.project import Project
from relax_lint.rules import load_rules
from relax_lint.selection import Layer
from tests.cases import for_each

SCRIPT = "examples/demo/run_demo.sh"
CODES = ("RLX406", "RLX407", *(f"RLX{number}" for number in range(411, 418)), "RLX505", "RLX508")
CLEAN = """\
#!/bin/bash
MODE=${1:-sync}
MODEL_ARGS=(
    --num-layers 36
    --hidden-size 4096
    --kv-channels 128
    --num-attention-heads 32
    --group-query-attention
    --num-query-groups 8
)
CKPT_ARGS=(
    --hf-checkpoint /m/Demo-8B
    --ref-load /m/Demo-8B
    --megatron-to-hf-mode bridge
)
ROLLOUT_ARGS=(
    --prompt-data /d/train.parquet
    --apply-chat-template
    --custom-rm-path examples.demo.reward_demo.reward_func
    --num-rollout 200
    --rollout-batch-size 32
    --n-samples-per-prompt 8
    --global-batch-size 256
    --rollout-max-response-len 4096
)
GRPO_ARGS=(
    --use-kl-loss
    --kl-loss-coef 0.001
    --kl-loss-type low_var_kl
    --use-tis
)
OPTIMIZER_ARGS=(
    --optimizer adam
    --lr 1e-6
    --optimizer-cpu-offload
    --overlap-cpu-optimizer-d2h-h2d
    --use-precision-aware-optimizer
)
PERF_ARGS=(
    --tensor-model-parallel-size 4
    --sequence-parallel
    --pipeline-model-parallel-size 1
    --context-parallel-size 1
    --expert-model-parallel-size 1
    --expert-tensor-parallel-size 1
    --micro-batch-size 1
    --rollout-num-gpus-per-engine 2
)
ALL=("${MODEL_ARGS[@]}" "${CKPT_ARGS[@]}" "${ROLLOUT_ARGS[@]}" "${GRPO_ARGS[@]}")
ALL+=("${OPTIMIZER_ARGS[@]}" "${PERF_ARGS[@]}")
if [ "$MODE" = async ]; then
    python3 relax/entrypoints/train.py \\
        --fully-async \\
        --resource '{"actor": [1, 4], "rollout": [1, 2], "reference": [1, 1], "advantages": [1, 0]}' \\
        --ref-actor-config '{"tensor_model_parallel_size": 1, "sequence_parallel": false}' \\
        --max-staleness 2 \\
        --num-iters-per-train-update 8 \\
        "${ALL[@]}"
else
    python3 relax/entrypoints/train.py \\
        --colocate \\
        --resource '{"actor": [1, 8], "rollout": [1, 8]}' \\
        --max-staleness 0 \\
        "${ALL[@]}"
fi
"""
SHARED = '--resource \'{"actor": [1, 8], "rollout": [1, 8]}\''
SPLIT = '--resource \'{"actor": [1, 4], "rollout": [1, 2], "reference": [1, 1], "advantages": [1, 0]}\''


def reported(text: str, **options: object) -> Report:
    tree = {SCRIPT: text, "examples/demo/reward_demo.py": "async def reward_func(args, sample, **kwargs): ...\n"}
    settings = Settings(selection=(Layer(select=CODES),), **options)  # type: ignore[arg-type]
    return lint(Project.from_files(tree, settings), load_rules(), settings)


def with_fault(old: str, new: str) -> str:
    """The launcher with a piece replaced; with its whole line gone when nothing takes its place."""
    assert CLEAN.count(old) == 1
    lines = CLEAN.splitlines(keepends=True)
    return "".join(line.replace(old, new) for line in lines if new or old not in line)


def test_nothing_is_wrong_with_it() -> None:
    report = reported(CLEAN)
    assert [(found.code, found.message) for found in report.diagnostics] == []
    assert [silence.because for silence in report.not_checked if silence.because != "/m/Demo-8B"] == []


E, W, A = Severity.ERROR, Severity.WARNING, Severity.ADVICE


@for_each(
    ("old", "new", "code", "severity", "at"),
    [
        # RLX406
        ("    --optimizer-cpu-offload", "", "RLX406", W, "--optimizer adam"),
        ("    --use-precision-aware-optimizer", "", "RLX406", E, "--optimizer adam"),
        # RLX407
        ("--global-batch-size 256", "--global-batch-size 100", "RLX407", E, "--global-batch-size"),
        ("--global-batch-size 256", "--global-batch-size 512", "RLX407", E, "--global-batch-size"),
        ("--rollout-batch-size 32", "--rollout-batch-size 16", "RLX407", E, "--global-batch-size"),
        ("--n-samples-per-prompt 8", "--n-samples-per-prompt 7", "RLX407", E, "--global-batch-size"),
        ("    --global-batch-size 256", "", "RLX407", E, "--rollout-batch-size"),
        ("    --rollout-batch-size 32", "", "RLX407", E, "--n-samples-per-prompt"),
        ("--num-rollout 200", "--num-rollout 200 --num-steps-per-rollout 3", "RLX407", E, "--global-batch-size"),
        # RLX411
        ('"sequence_parallel": false}\'', '"sequence-parallel": false}\'', "RLX411", A, "--ref-actor-config"),
        ("'{\"tensor_model", "'{tensor_model", "RLX411", E, "--ref-actor-config"),
        # RLX412
        (f"        {SHARED}", "", "RLX412", E, "--colocate"),
        (SHARED, '--resource {"actor": [1, 8], "rollout": [1, 8]}', "RLX412", E, "--resource {"),
        (SHARED, SHARED.replace('"actor": [1, 8]', '"actor": 8'), "RLX412", E, '"actor": 8'),
        (SHARED, SHARED.replace('"rollout": [1, 8]', '"rollout": [1, 4]'), "RLX412", E, '"rollout": [1, 4]'),
        (SHARED, SHARED.replace(', "rollout": [1, 8]', ""), "RLX412", E, '"actor": [1, 8]}'),
        (SHARED, SHARED.replace("8", "12"), "RLX412", E, '"actor": [1, 12]'),
        (SHARED, SHARED.replace('"actor": [1, 8]', '"actor": [1, 0]'), "RLX412", E, '[1, 0], "rollout"'),
        (SHARED, SHARED.replace('"actor": [1, 8]', '"actor": [1, -4]'), "RLX412", E, "-4"),
        (SHARED, SHARED.replace('"actor": [1, 8]', '"actor": [2, 8]'), "RLX412", E, "[2, 8]"),
        (SHARED, SHARED.replace("}", ', "reference": [1, 2]}'), "RLX412", A, '"reference": [1, 2]'),
        (SPLIT, SPLIT.replace('"reference": [1, 1], ', ""), "RLX412", E, '[1, 2], "advantages"'),
        (SPLIT, SPLIT.replace(', "advantages": [1, 0]', ""), "RLX412", W, '"reference": [1, 1]}'),
        (SPLIT, SPLIT.replace('"reference": [1, 1]', '"reference": [1, 0]'), "RLX412", E, '"reference": [1, 0]'),
        (SPLIT, SPLIT.replace('"rollout": [1, 2]', '"rollout": [1, 0]'), "RLX412", E, '"rollout": [1, 0]'),
        # RLX413
        ("        --colocate", "", "RLX413", W, "python3 relax/entrypoints/train.py \\\n        --resource"),
        ("--colocate", "--colocate --fully-async", "RLX413", E, "--colocate"),
        # RLX414
        ("--max-staleness 0", "--max-staleness 2", "RLX414", W, '--max-staleness 2 \\\n        "${ALL'),
        ("--max-staleness 0", "--max-staleness 1", "RLX414", A, "--max-staleness 1"),
        ("--max-staleness 0", "--max-staleness -1", "RLX414", E, "--max-staleness -1"),
        ("--max-staleness 2", "--max-staleness 1", "RLX414", W, "--max-staleness 1"),
        ("        --max-staleness 2", "", "RLX414", W, "--fully-async"),
        ("    --use-tis", "", "RLX414", A, "--max-staleness 2"),
        # RLX415
        ("        --num-iters-per-train-update 8", "", "RLX415", W, "--fully-async"),
        ("-update 8", "-update 64", "RLX415", E, "-update 64"),
        ("--max-staleness 0", "--max-staleness 0 --num-iters-per-train-update 8", "RLX415", W, "--max-staleness 0"),
        # RLX416
        ("--tensor-model-parallel-size 4", "--tensor-model-parallel-size 3", "RLX416", E, "-parallel-size 3"),
        ("--pipeline-model-parallel-size 1", "--pipeline-model-parallel-size 5", "RLX416", E, "-size 5"),
        ("--pipeline-model-parallel-size 1", "--pipeline-model-parallel-size 2", "RLX416", E, SPLIT),
        ("--expert-model-parallel-size 1", "--expert-model-parallel-size 3", "RLX416", E, "expert-model"),
        ("--expert-tensor-parallel-size 1", "--expert-tensor-parallel-size 3", "RLX416", E, "expert-tensor"),
        ('size": 1, "seq', 'size": 2, "seq', "RLX416", E, "--ref-actor-config"),
        (SHARED, SHARED.replace("8", "6"), "RLX416", E, '"actor": [1, 6]'),
        (SPLIT, SPLIT.replace('"actor": [1, 4]', '"actor": [1, 3]'), "RLX416", E, "[1, 3]"),
        ("--rollout-num-gpus-per-engine 2", "--rollout-num-gpus-per-engine 5", "RLX416", E, "-engine 5"),
        ("--rollout-num-gpus-per-engine 2", "--rollout-num-gpus-per-engine 0", "RLX416", E, "-engine 0"),
        ("--num-attention-heads 32", "--num-attention-heads 30", "RLX416", E, "--tensor-model-parallel-size"),
        ("--num-attention-heads 32", "--num-attention-heads 33", "RLX416", E, "--tensor-model-parallel-size"),
        ("--num-query-groups 8", "--num-query-groups 3", "RLX416", E, "--tensor-model-parallel-size"),
        ("--micro-batch-size 1", "--micro-batch-size 3", "RLX416", E, "--micro-batch-size"),
        ("--num-rollout 200", "--num-rollout 0", "RLX416", E, "--num-rollout"),
        # RLX417
        ("    --use-kl-loss", "", "RLX417", E, "--kl-loss-coef"),
        ("    --kl-loss-coef 0.001", "", "RLX417", W, "--use-kl-loss"),
        ("low_var_kl", "kl", "RLX417", E, "--kl-loss-type"),
        ("--use-tis", "--use-tis --kl-coef 0.1", "RLX417", E, "--kl-coef"),
        ("--kl-loss-coef 0.001", "--kl-loss-coef 0 --kl-coef 0.1", "RLX417", W, "--kl-coef"),
        ("    --ref-load /m/Demo-8B", "", "RLX417", E, "--use-kl-loss"),
    ],
)
def test_a_fault_is_told_once(old: str, new: str, code: str, severity: Severity, at: str) -> None:
    text = with_fault(old, new)
    assert text.count(at) == 1 or at in ("--colocate", "--fully-async")
    line = text[: text.index(at)].count("\n") + 1
    if code == "RLX412" and at == "--colocate":
        line -= 1  # the launch itself, since there is no flag to point at
    found = reported(text).diagnostics
    assert [(one.code, one.severity, one.line) for one in found] == [(code, severity, line)], [
        f"{one.code} {one.line} {one.message}" for one in found
    ]


@pytest.mark.parametrize("word", ['"$@"', '"${ROUTING_REPLAY_ARGS[@]}"', "$EXTRA_ARGS"])
def test_a_word_that_may_hold_anything_is_told_once_for_each_rule(word: str) -> None:
    report = reported(CLEAN.replace('"${ALL[@]}"', f'"${{ALL[@]}}" {word}'))
    assert report.diagnostics == []
    silences = [(silence.code, silence.line) for silence in report.not_checked if silence.because != "/m/Demo-8B"]
    assert len(silences) == len(set(silences))
    assert {"RLX407", "RLX412", "RLX414", "RLX416"} <= {code for code, _ in silences}


@pytest.mark.parametrize(
    ("old", "new", "warning", "error"),
    [
        ("--global-batch-size 256", "--global-batch-size 128", "RLX407", "RLX412"),
        ("--rollout-batch-size 32", "--rollout-batch-size 64", "RLX407", "RLX412"),
    ],
)
def test_a_warning_does_not_stand_for_an_error_that_follows(old: str, new: str, warning: str, error: str) -> None:
    found = {(one.code, one.severity) for one in reported(with_fault(old, new)).diagnostics}
    assert found == {(warning, W), (error, E)}
    found = {(one.code, one.severity) for one in reported(with_fault(old, new), profile="runtime").diagnostics}
    assert found == {(error, E)}


def test_a_missing_config_that_ends_the_services_is_said_once() -> None:
    found = [(one.code, one.severity) for one in reported(with_fault("        --ref-actor-config", "")).diagnostics]
    assert found == [("RLX411", E)]


def test_what_megatron_refuses_is_said_of_launchers_outside_recipes_too() -> None:
    text = with_fault("    --use-precision-aware-optimizer", "")
    settings = Settings(selection=(Layer(select=CODES),))
    project = Project.from_files({"scripts/training/text/run-demo.sh": text}, settings)
    found = lint(project, load_rules(), settings).diagnostics
    assert {(one.code, one.severity) for one in found} == {("RLX505", E)}


def test_a_wrong_size_that_both_modes_share_is_told_once() -> None:
    text = with_fault("--tensor-model-parallel-size 4", "--tensor-model-parallel-size 5")
    (found,) = reported(text).diagnostics
    assert "= 5 does not divide the actor's 4 GPUs" in found.message


def test_a_size_that_suits_one_mode_is_told_where_the_other_says_how_many_gpus_it_has() -> None:
    text = with_fault("--tensor-model-parallel-size 4", "--tensor-model-parallel-size 8")
    (found,) = reported(text).diagnostics
    assert text.splitlines()[found.line - 1].strip().startswith(SPLIT[:30])
