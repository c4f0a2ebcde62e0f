"""What cannot be carried over is told with its place, and the rest is carried over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from relax_lint.engine import lint
from relax_lint.migrate.environment.configs import tool_entries
from relax_lint.migrate.environment.literals import literal
from relax_lint.project import Project
from relax_lint.rules import load_rules
from tests.migrate.environment.originals import FILES, NEWER, TOOLS_YAML, VERL, schema, write
from tests.migrate.environment.recipes import args, environment, sample, written

__all__ = ["environment"]
BROKEN = {
    "dynamic.py": """\
import importlib

from verl.tools.base_tool import BaseTool


class DynamicTool(BaseTool):
    async def execute(self, instance_id, parameters, **kwargs):
        return importlib.import_module(parameters["name"]).run()
""",
    "torn.py": "class TornTool(\n",
    "worker.py": "from verl.workers.fsdp_workers import Worker\n\n\nclass WorkerTool(Worker):\n    pass\n",
    "bad.yaml": f"""\
tools:
  - class_name: "${{oc.env:TOOL}}"
    config: {{type: native}}
  - class_name: my_tools.GoneTool
    config: {{type: native}}
  - class_name: nowhere.to.be.Found
    config: {{type: native}}
  - class_name: dynamic.DynamicTool
    config: {{type: native}}
  - class_name: torn.TornTool
    config: {{type: native}}
  - class_name: worker.WorkerTool
    config: {{type: native}}
  - class_name: my_tools.LongTool
    config: {{type: strange}}
  - config: {{type: native}}
  - just a word
  - class_name: my_tools.LongTool
    config: {{type: mcp}}
  - class_name: my_tools.LongTool
    config: {{type: native}}
{schema("long", "times: {type: integer}")}\
""",
}


def test_a_bad_tool_is_told_and_the_others_work(tmp_path: Path, environment: Any) -> None:
    root = write(tmp_path / "checkout", {**VERL, **FILES, **BROKEN})
    module, carried = environment(root, tools="bad.yaml")
    told = [(problem.path.name, problem.line) for problem in carried.problems]
    assert told == [
        ("bad.yaml", 2),
        ("bad.yaml", 14),
        ("bad.yaml", 16),
        ("bad.yaml", 17),
        ("bad.yaml", 18),
        ("bad.yaml", 4),
        ("bad.yaml", 6),
        ("dynamic.py", 8),
        ("bad.yaml", 10),
        ("worker.py", 1),
    ]
    messages = "\n".join(problem.message for problem in carried.problems)
    assert "known only when it runs: name the class as package.module.Class" in messages
    assert "nowhere.to.be.Found cannot be carried over: its code is not found" in messages
    assert "torn.TornTool cannot be carried over: torn.py:1 " in messages
    assert "config.type is 'strange'; it has to be native or mcp" in messages
    env = module.build_env(sample(), args())
    assert env.step('<tool_call>{"name": "long", "arguments": {"times": 1}}</tool_call>')[0]["obs_str"] == "abcdefghij"
    (text,) = [file.text for file in carried.files if file.name == "env_demo.py"]
    assert "    # To be carried over by hand: dynamic.DynamicTool (bad.yaml, line 8)\n" in text


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("tools: [\n", 2, "this is no YAML"),
        ("other: 1\n", 1, "there is no list tools in it"),
        ("tools: 3\n", 1, "there is no list tools in it"),
        ("", 1, "there is no list tools in it"),
        ("tools:\n  - class_name: a.B\n    config: {type: native, url: '${not.it}'}\n", 2, "${not.it}"),
        ("tools:\n  - class_name: a.B\n    config: [1]\n", 2, "config has to be a mapping"),
        ("tools:\n  - class_name: a.B\n    config: {type: native}\n    tool_schema: x\n", 2, "has to be a mapping"),
        ("a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
            f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdef", "bcdefg", strict=True)
        ) + "tools: [*g]\n", 1, "too large"),
    ],
)  # fmt: skip
def test_a_bad_file_is_told(tmp_path: Path, text: str, line: int, message: str) -> None:
    path = write(tmp_path, {"tools.yaml": text}) / "tools.yaml"
    _, problems = tool_entries(path, Project(tmp_path))
    assert problems[0].line == line
    assert message in problems[0].message


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    _, problems = tool_entries(tmp_path / "none.yaml", Project(tmp_path))
    assert [problem.message for problem in problems] == ["there is no such file"]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("def f(x: int): ...", "it has no docstring to read its schema off"),
        ('def f(x):\n    """Do.\n\n    Args:\n        x: X.\n    """', "its argument x has no type"),
        ('def f(x: int):\n    """Do."""', "its docstring says nothing of the argument x"),
        ('def f(*x: int):\n    """Do."""', "it takes any number of arguments, which no schema says"),
        ('def f(x: Path):\n    """Do.\n\n    Args:\n        x: X.\n    """', "the type Path has no place in a schema"),
    ],
)
def test_a_function_without_a_schema_is_told(tmp_path: Path, function: str, message: str) -> None:
    text = f"from verl.tools.function_tool import function_tool\n\n\n@function_tool\n{function}\n"
    root = write(tmp_path / "checkout", {**VERL, **NEWER, "f.py": text})
    carried, _ = written(root, tmp_path, functions="f.py")
    assert [(each.path.name, each.line, each.message) for each in carried.problems] == [("f.py", 5, f"f: {message}")]
    assert carried.unknown == ["f"]


@pytest.mark.parametrize(
    "request_", [{"tools": "tools.yaml"}, {"tools": "mcp.yaml"}, {"interactions": "interaction.yaml"}]
)
def test_nothing_is_found_in_what_is_written(tmp_path: Path, request_: dict[str, str]) -> None:
    root = write(tmp_path / "checkout", {**VERL, **FILES, **NEWER})
    carried, package = written(root, tmp_path / "relax", functions="my_functions.py", **request_)
    assert not carried.problems
    files = {f"examples/demo/{file.name}": file.text.replace(package, "examples.demo") for file in carried.files} | {
        "examples/demo/__init__.py": ""
    }
    launcher = (
        "python3 relax/entrypoints/train.py --rm-type math --custom-config-path examples/demo/config.yaml "
        "--custom-generate-function-path examples.demo.rollout.generate\n"
    )
    files["examples/demo/config.yaml"] = "max_turns: 3\nrollout_interaction_env_path: examples.demo.env_demo\n"
    files["examples/demo/run_demo.sh"] = launcher
    judged = lint(Project.from_files(files), load_rules())
    found = [each for each in judged.standing if each.path.suffix == ".py"]
    assert found == []
    for name, text in files.items():
        if name.endswith(".py"):
            compile(text, name, "exec")


def test_values_are_written_as_code_that_gives_them() -> None:
    value = {
        "text": 'a "quoted" \\ line\n\x00é',
        "numbers": [1, -2.5, 1e300, float("inf"), True, None],
        "deep": {"list": [{"a": {}, "b": []}] * 3, "long": "x" * 200},
    }
    assert eval(literal(value, 4), {"float": float}) == value
    assert json.dumps(eval(literal(json.loads('{"a": ["b"]}')))) == '{"a": ["b"]}'
    assert "tools:" in TOOLS_YAML


@pytest.mark.parametrize(
    ("request_of", "who"),
    [({"tools": "half.yaml"}, "the tools do"), ({"interactions": "talks.yaml"}, "the interactions do")],
)
def test_what_is_left_out_of_a_users_module_is_said(tmp_path: Path, request_of: dict[str, str], who: str) -> None:
    root = write(tmp_path, {**VERL, "half.py": _HALF, "half.yaml": _HALF_YAML, "talks.yaml": _TALKS_YAML})
    carried, _ = written(root, tmp_path / "out", **request_of)
    assert not carried.problems
    other = "Interaction" if "tools" in request_of else "Tool"
    assert [note.partition(": ")[0] for note in carried.notes] == [f"left out of half.py, since {who} not reach it"]
    assert "Loop" in carried.notes[0]
    assert f"Half{other}" in carried.notes[0]


_HALF = """\
from verl.interactions.base import BaseInteraction
from verl.tools.base_tool import BaseTool
from verl.workers.fsdp_workers import Worker


class HalfTool(BaseTool):
    pass


class HalfInteraction(BaseInteraction):
    pass


class Loop(Worker):
    pass
"""
_HALF_SCHEMA = schema("half", "of: {type: string}")
_HALF_YAML = f"tools:\n  - class_name: half.HalfTool\n    config: {{type: native}}\n{_HALF_SCHEMA}"
_TALKS_YAML = "interaction:\n  - class_name: half.HalfInteraction\n    config: {}\n"
