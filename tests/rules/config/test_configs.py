from __future__ import annotations

from pathlib import Path

import pytest

from relax_lint.config import Settings
from relax_lint.constraints.documents import eval_config_fault
from relax_lint.engine import Report, lint
from relax_lint.project import MEMORY_ROOT, Project
from relax_lint.rules import load_rules
from relax_lint.rules.config.eval_config import faults
from relax_lint.selection import Layer
from relax_lint.sources.config_yaml import YamlSource
from tests.cases import for_each

RULES = load_rules()
TRAIN = "python3 relax/entrypoints/train.py"
RUN, CONFIG = "examples/demo/run_demo.sh", "examples/demo/demo_config.yaml"
NAMED = f"--custom-config-path {CONFIG}"


def judged(tree: dict[str, str], *targets: str, select: str = "RLX6") -> Report:
    settings = Settings(selection=(Layer(select=tuple(select.split(","))),))
    paths = [MEMORY_ROOT / path for path in targets] or None
    report = lint(Project.from_files(tree), RULES, settings, paths)
    assert not report.failures
    return report


def found(report: Report) -> list[tuple[str, str, int]]:
    return [(item.code, item.path.name, item.line) for item in report.standing]


SHADOWING = {
    RUN: f"{TRAIN} --seed 3 {NAMED}\n",
    CONFIG: "seed: 4\n",
}


@for_each(
    "launch",
    [
        f"{TRAIN} --seed 3 {NAMED}\n",
        f"{TRAIN} --seed 3 --cus'tom-config'-path {CONFIG}\n",
        f"F=config\n{TRAIN} --seed 3 --custom-$F-path {CONFIG}\n",
        f"{TRAIN} --seed 3 --custom-\\\nconfig-path {CONFIG}\n",
        f'ARGS=(--custom-config-path)\nARGS+=({CONFIG})\n{TRAIN} --seed 3 "${{ARGS[@]}}"\n',
    ],
)
@for_each("at", [RUN, "examples/other/run_other.sh"])
def test_what_a_launch_makes_of_a_config_is_found_when_only_the_config_is_judged(launch: str, at: str) -> None:
    tree = {at: launch, CONFIG: "seed: 4\n"}
    everything = found(judged(tree))
    assert everything == [("RLX603", "demo_config.yaml", 1)]
    assert found(judged(tree, CONFIG)) == everything


def test_what_a_sourced_file_passes_is_found_when_only_the_config_is_judged() -> None:
    tree = {
        "examples/other/run_other.sh": f'source "$(dirname "$0")/args.sh"\n{TRAIN} "${{ARGS[@]}}"\n',
        "examples/other/args.sh": f"ARGS=(--seed 3 {NAMED})\n",
        CONFIG: "seed: 4\n",
    }
    assert found(judged(tree, CONFIG)) == found(judged(tree)) == [("RLX603", "demo_config.yaml", 1)]


def test_what_is_found_in_a_config_is_not_shown_for_its_launcher_alone() -> None:
    assert found(judged(SHADOWING, RUN)) == []


def test_a_comment_in_the_config_silences_what_a_launch_finds_there() -> None:
    assert found(judged({**SHADOWING, CONFIG: "seed: 4  # noqa: RLX603\n"}, select="RLX6,RLX002")) == []
    assert found(judged({**SHADOWING, CONFIG: "# relax-lint: file-ignore[shadowed-argument] ours\nseed: 4\n"})) == []


def test_several_launches_say_the_same_of_a_config_once() -> None:
    tree = {**SHADOWING, "examples/demo/run_more.sh": f"{TRAIN} --seed 3 {NAMED} --lr 1e-6\n"}
    report = judged(tree)
    assert found(report) == [("RLX603", "demo_config.yaml", 1)]
    [item] = report.standing
    assert "4, not 3" in item.message
    assert [(site.path.name, site.line) for site in item.related] == [("run_demo.sh", 1)]


def test_a_number_without_a_dot_is_a_text() -> None:
    [item] = judged({RUN: f"{TRAIN} --lr 1e-6 {NAMED}\n", CONFIG: "lr: 1e-6\n"}).standing
    assert "the text '1e-6', not 1e-06" in item.message


@pytest.mark.parametrize(
    ("launch", "because"),
    [
        (f'{TRAIN} --custom-config-path "${{CONFIG}}"\n', "${CONFIG}"),
        (f"{TRAIN} --custom-config-path /site/demo.yaml\n", "/site/demo.yaml is not in this repository"),
        (
            f"sed s/a/b/ in.yaml > {CONFIG}.yaml\n{TRAIN} {NAMED}.yaml\n",
            f"{CONFIG}.yaml may be written by the launcher",
        ),
        (f'C={CONFIG}.yaml\nmake_config --out "$C" > log\n{TRAIN} --custom-config-path $C\n', "may be written"),
    ],
)
def test_a_config_that_is_not_known_is_told(launch: str, because: str) -> None:
    report = judged({RUN: launch, CONFIG: "max_turns: 5\n"}, select="RLX604")
    assert found(report) == []
    assert [because in silence.because for silence in report.not_checked] == [True]


def test_a_missing_config_that_lies_beside_the_script_is_named() -> None:
    [item] = judged({RUN: f"{TRAIN} --custom-config-path demo_config.yaml\n", CONFIG: "a: 1\n"}).standing
    assert item.message.endswith(f"did you mean {CONFIG}?")
    [item] = judged({RUN: f"{TRAIN} --custom-config-path examples/demo/demo_conf.yaml\n", CONFIG: "a: 1\n"}).standing
    assert item.message.endswith(f"did you mean {CONFIG}?")


def test_a_broken_config_is_reported_once() -> None:
    tree = {RUN: f"{TRAIN} {NAMED}\n", CONFIG: "a: [1\n"}
    assert found(judged(tree, select="RLX001,RLX6")) == [("RLX001", "demo_config.yaml", 2)]
    elsewhere = {RUN: f"{TRAIN} --custom-config-path configs/demo.yaml\n", "configs/demo.yaml": "a: [1\n"}
    assert found(judged(elsewhere, select="RLX001,RLX6")) == [("RLX604", "run_demo.sh", 1)]


DOCUMENTS = [
    "",
    "[]",
    "a",
    "datasets:",
    "datasets: []",
    "datasets: {}",
    "datasets: [{name: a, path: b}]",
    "datasets: [{name: a}]",
    "datasets: [{path: a}]",
    "datasets: [a]",
    "datasets: [null]",
    "datasets: {a: {path: b}}",
    "datasets: {a: }",
    "datasets: {a: [b]}",
    "datasets: a",
    "eval:",
    "eval: []",
    "eval: {datasets: {a: {path: b, wrong: c}}}",
    "eval: {datasets: {a: {path: b, metadata_overrides: c}}}",
    "eval: {datasets: {a: {path: b, metadata_overrides: }}}",
    "eval: {defaults: [a], datasets: {a: {path: b}}}",
    "eval: {defaults: [], datasets: {a: {path: b}}}",
    "eval: {defaults: , datasets: {a: {path: b, stop: [c], rm_type: d}}}",
]


@for_each("text", DOCUMENTS)
def test_an_evaluation_config_is_refused_here_where_the_table_refuses_it(text: str) -> None:
    source = YamlSource(Path("/project/eval.yaml"), text.encode())
    by_table = eval_config_fault(source.load() or {}) is not None
    root_is_wrong = source.root is not None and source.root.kind != "mapping"
    assert by_table == (bool(list(faults(source))) or (root_is_wrong and text != "[]") or text == "[]")


def test_an_evaluation_config_tells_what_may_be_meant() -> None:
    tree = {
        RUN: f"{TRAIN} --eval-config {CONFIG}\n",
        CONFIG: "datasets:\n  - {name: a, path: b, n_samples_per_eval_promt: 4}\ndefault: {top_p: 1}\n",
    }
    messages = [item.message for item in judged(tree).standing]
    assert "did you mean n_samples_per_eval_prompt?" in messages[0]
    assert "did you mean defaults?" in messages[1]


def test_the_function_behind_an_environment_is_taken_away() -> None:
    report = judged({CONFIG: "max_turns: 5\nrollout_interaction_env_path: examples.demo.env_demo.build_env\n",
                     "examples/demo/env_demo.py": "def build_env(sample, args):\n    return 1\n"})  # fmt: skip
    [item] = report.standing
    assert item.fix is not None
    assert [edit.text for edit in item.fix.edits()] == ["examples.demo.env_demo"]


@pytest.mark.parametrize(
    ("key", "meant"), [("n_sample", "n_samples_per_eval_prompt"), ("custom_gen", "custom_generate_function_path")]
)
def test_the_beginning_of_a_key_is_told_from_a_misspelt_one(key: str, meant: str) -> None:
    text = f"datasets:\n  - {{name: a, path: b.jsonl, {key}: 1}}\n"
    launch = "python3 relax/entrypoints/train.py --eval-config examples/demo/eval.yaml\n"
    project = Project.from_files({"examples/demo/run_demo.sh": launch, "examples/demo/eval.yaml": text})
    report = lint(project, {code: rule for code, rule in load_rules().items() if code == "RLX606"})
    assert [f"did you mean {meant}?" in found.message for found in report.diagnostics] == [True]
