"""Where words lead to."""

from __future__ import annotations

import pytest

from relax_lint.lsp.targets import Target, targets_at, targets_in
from relax_lint.project import MEMORY_ROOT, Project

LAUNCHER = """\
#!/bin/bash
SCRIPT_DIR="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" &>/dev/null && pwd)"
source "${SCRIPT_DIR}/common.sh"
CONFIG=examples/x/config.yaml
RM=examples.x.reward_func
X_ARGS=(
    --custom-rm-path ${RM}
    --custom-config-path "${CONFIG}"
    --rollout-function-path examples.x.rollout.generate_rollout
)
X_ARGS+=(--lr ${RATE})
UNUSED=(--custom-generate-function-path examples.x.rollout.generate)
python3 relax/entrypoints/train.py "${X_ARGS[@]}"
bash examples/x/other.sh
"""
FILES = {
    "examples/x/run_x.sh": LAUNCHER,
    "examples/x/common.sh": "RATE=1\n",
    "examples/x/other.sh": "true\n",
    "examples/x/__init__.py": "from examples.x.reward_x import score as reward_func\n",
    "examples/x/reward_x.py": "\n\nasync def score(args, sample, **kwargs): ...\n",
    "examples/x/rollout.py": "def generate(): ...\n",
    "examples/x/env_x.py": "def build_env(): ...\n",
    "examples/x/config.yaml": (
        "rollout_interaction_env_path: examples.x.env_x\ncustom_rm_path: examples.x.reward_func\n"
        "template: examples/x/other.sh\nname: a.b\n"
    ),
    "relax/entrypoints/train.py": "",
}


def told(targets: list[Target]) -> list[tuple[str, int]]:
    return [
        (str(target.path.relative_to(MEMORY_ROOT)), target.place.source.position(target.place.start)[0])
        if target.place is not None
        else (str(target.path.relative_to(MEMORY_ROOT)), 0)
        for target in targets
    ]


def leads(name: str, piece: str) -> list[tuple[str, int]]:
    project = Project.from_files(FILES)
    source = project.source(MEMORY_ROOT / "examples/x" / name)
    assert source is not None
    return told(targets_at(source, source.text.index(piece) + 1, project))


@pytest.mark.parametrize(
    ("piece", "expected"),
    [
        ("examples.x.rollout.generate_rollout", [("examples/x/rollout.py", 0)]),  # it has none of that name
        ("examples.x.rollout.generate)", [("examples/x/rollout.py", 1)]),
        ("examples/x/config.yaml", []),
        ("examples/x/other.sh", [("examples/x/other.sh", 0)]),
        ("relax/entrypoints", [("relax/entrypoints/train.py", 0)]),
        ("/common.sh", [("examples/x/common.sh", 0)]),
        ("${X_ARGS[@]}", [("examples/x/run_x.sh", 6), ("examples/x/run_x.sh", 11)]),
        ("${RM}", [("examples/x/run_x.sh", 5)]),
        ("${RATE}", [("examples/x/common.sh", 1)]),
        ("--custom-rm-path", []),
    ],
)
def test_words_of_a_launcher_lead_somewhere(piece: str, expected: list[tuple[str, int]]) -> None:
    assert leads("run_x.sh", piece) == expected


@pytest.mark.parametrize(
    ("piece", "expected"),
    [
        ("examples.x.env_x", [("examples/x/env_x.py", 0)]),
        ("examples.x.reward_func", [("examples/x/reward_x.py", 3)]),
        ("examples/x/other.sh", [("examples/x/other.sh", 0)]),
        ("a.b", []),
        ("name", []),
    ],
)
def test_values_of_a_configuration_lead_somewhere(piece: str, expected: list[tuple[str, int]]) -> None:
    assert leads("config.yaml", piece) == expected


def test_every_word_that_leads_somewhere_is_a_link() -> None:
    project = Project.from_files(FILES)
    source = project.source(MEMORY_ROOT / "examples/x/run_x.sh")
    assert source is not None
    assert {LAUNCHER[target.start : target.end]: told([target])[0][0] for target in targets_in(source, project)} == {
        '"${SCRIPT_DIR}/common.sh"': "examples/x/common.sh",
        "${RM}": "examples/x/reward_x.py",
        '"${CONFIG}"': "examples/x/config.yaml",
        "examples.x.rollout.generate_rollout": "examples/x/rollout.py",
        "examples.x.rollout.generate": "examples/x/rollout.py",
        "relax/entrypoints/train.py": "relax/entrypoints/train.py",
        "examples/x/other.sh": "examples/x/other.sh",
    }
