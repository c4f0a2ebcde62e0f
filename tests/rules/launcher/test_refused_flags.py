"""argparse looks at a flag each time that it is passed: the time that it refuses is the one to mend."""

from __future__ import annotations

import pytest

from relax_lint.engine import lint
from relax_lint.fixing import fix
from relax_lint.project import Project
from relax_lint.rules import load_rules

SCRIPT = "examples/demo/run_demo.sh"
FLAGS = {
    "--kl-loss-type": ("RLX417", "kl", "k1", "low_var_kl"),
    "--resource": (
        "RLX412", '{"actor": [1, 8]}', "'{\"actor\": [1, 8]}'", '\'{"actor": [1, 8], "rollout": [1, 8]}\'',
    ),
    "--ref-actor-config": (
        "RLX411", '{"sequence_parallel": false}', "'{\"sequence_parallel\": false}'",
        "'{\"tensor_model_parallel_size\": 1}'",
    ),
}  # fmt: skip
WAYS = {
    "in one array": 'ARGS=(\n    {first}\n    {second}\n)\n{train} "${{ARGS[@]}}"\n',
    "in two arrays": 'A=(\n    {first}\n)\nB=({second})\n{train} "${{A[@]}}" "${{B[@]}}"\n',
    "in the command": "{train} \\\n    {first} \\\n    {second}\n",
    "behind an array": 'A=(\n    {first}\n)\n{train} "${{A[@]}}" {second}\n',
    "around another flag": "{train} \\\n    {first} \\\n    --lr 1e-6 \\\n    {second}\n",
}


def launcher(way: str, first: str, second: str) -> Project:
    text = WAYS[way].format(first=first, second=second, train="python3 relax/entrypoints/train.py")
    return Project.from_files({SCRIPT: text})


def found(project: Project, flag: str) -> list[int]:
    """The lines at which the rule of a flag finds it refused."""
    code = FLAGS[flag][0]
    standing = lint(project, {code: load_rules()[code]}).standing
    return [one.line for one in standing if one.message.startswith((f"{flag}:", f"{flag} takes"))]


@pytest.mark.parametrize("flag", FLAGS)
@pytest.mark.parametrize("way", WAYS)
def test_the_time_that_is_refused_is_reported_and_mended(flag: str, way: str) -> None:
    code, bad, mended, good = FLAGS[flag]
    for first, second in ((bad, good), (good, bad)):
        project = launcher(way, f"{flag} {first}", f"{flag} {second}")
        text = project.text(project.root / SCRIPT)
        assert text is not None
        at = next(line for line, words in enumerate(text.text.splitlines(), 1) if f"{flag} {bad}" in words)
        assert found(project, flag) == [at]
        after = fix(project, {code: load_rules()[code]}, targets=[project.root / SCRIPT]).changes
        assert after[project.root / SCRIPT].decode() == text.text.replace(f"{flag} {bad}", f"{flag} {mended}")


@pytest.mark.parametrize("flag", FLAGS)
@pytest.mark.parametrize("way", WAYS)
def test_a_flag_that_is_right_each_time_is_not_refused(flag: str, way: str) -> None:
    _, _, mended, good = FLAGS[flag]
    assert found(launcher(way, f"{flag} {mended}", f"{flag} {good}"), flag) == []


def test_the_first_of_several_is_reported_and_all_are_mended() -> None:
    project = launcher("in the command", "--kl-loss-type=kl", "--kl-loss-type mse")
    assert found(project, "--kl-loss-type") == [2]
    after = fix(project, {"RLX417": load_rules()["RLX417"]}, targets=[project.root / SCRIPT]).changes
    assert b"--kl-loss-type=k1 \\\n    --kl-loss-type k2\n" in after[project.root / SCRIPT]


def test_a_flag_without_its_value_is_reported_where_that_is() -> None:
    assert found(launcher("in the command", "--kl-loss-type", "--kl-loss-type k1"), "--kl-loss-type") == [2]


def test_what_else_is_said_of_a_flag_is_said_of_the_value_that_counts() -> None:
    project = launcher("in the command", "--kl-loss-coef x", "--kl-loss-coef 0.1")
    standing = lint(project, {"RLX417": load_rules()["RLX417"]}).standing
    assert [(one.line, one.subject) for one in standing] == [(3, "--kl-loss-coef")]
