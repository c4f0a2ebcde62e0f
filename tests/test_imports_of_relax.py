"""Imports of Relax that certainly fail, where its sources are at hand."""

from __future__ import annotations

from relax_lint.engine import lint
from relax_lint.failing_imports import failing_imports
from relax_lint.project import Project
from relax_lint.rules import load_rules
from tests.cases import for_each

REWARD = "examples/demo/reward_demo.py"
ROLLOUT = "examples/demo/rollout.py"
ENV = "examples/demo/env_demo.py"
SCORE = "\n\nasync def reward_func(args, sample, **kwargs):\n    return 1.0\n"
GENERATE = "\n\nasync def generate(args, sample, sampling_params):\n    return await call(sample)\n"
BUILD = "\n\ndef build_env(sample=None, args=None, **_):\n    return make(sample, args)\n"
BAD = "from relax.utils.typez import Sample\n"
RELAX = {
    "relax/__init__.py": "",
    "relax/entrypoints/train.py": "",
    "relax/utils/__init__.py": "import sys\n\nif 'hook' in sys.modules:\n    pass\n",
    "relax/utils/types.py": "class Sample: ...\n\n\nif Sample:\n    Late = Sample\n",
    "relax/utils/lazy.py": "def __getattr__(name):\n    return name\n",
    "relax/utils/stars.py": "from elsewhere import *\n",
    "relax/utils/guarded.py": "try:\n    from fast import score\nexcept ImportError:\n    score = None\n",
    "relax/utils/filled.py": "import relax.utils.filled as this\n\nsetattr(this, 'made', 1)\n",
    "relax/core/plain.py": "x = 1\n",
    "relax/_version.py": "",
}
TREE = {
    **RELAX,
    "examples/demo/__init__.py": "",
    "examples/demo/demo.yaml": "max_turns: 3\nrollout_interaction_env_path: examples.demo.env_demo\n",
    "examples/demo/run_demo.sh": (
        "python3 relax/entrypoints/train.py --custom-rm-path examples.demo.reward_demo.reward_func "
        "--custom-generate-function-path examples.demo.rollout.generate "
        "--custom-config-path examples/demo/demo.yaml\n"
    ),
    REWARD: SCORE,
    ROLLOUT: GENERATE,
    ENV: BUILD,
}


def failing(reward: str, more: dict[str, str] | None = None) -> list[str]:
    """What fails of Relax when the reward module is imported."""
    project = Project.from_files({**TREE, **(more or {}), REWARD: f"{reward}{SCORE}"})
    source = project.python(project.root / REWARD)
    assert source is not None
    found = failing_imports(source, project.recipes[0], project)
    return [".".join(filter(None, (one.module, one.name))) for one in found]


@for_each(
    ("statement", "missing"),
    [
        ("from relax.utils.typez import Sample\n", "relax.utils.typez"),
        ("import relax.utils.typez as t\n", "relax.utils.typez"),
        ("import re, relax.utils.typez\n", "relax.utils.typez"),
        ("from relax.utils.types import Sampl\n", "relax.utils.types.Sampl"),
        ("from relax.utils.types import Sample, Sampl\n", "relax.utils.types.Sampl"),
        ("from relax.util.types import Sample\n", "relax.util.types"),
        ("from relax.utils import typez\n", "relax.utils.typez"),
        ("from relax.core.plane import x\n", "relax.core.plane"),
        ("from relax.core.plain import y\n", "relax.core.plain.y"),
        (
            "import sys\nfrom relax.utils.typez import Sample\n\n\ndef load(one):\n    sys.modules['env'] = one\n",
            "relax.utils.typez",
        ),
    ],
)
def test_what_relax_has_not_fails(statement: str, missing: str) -> None:
    assert failing(statement) == [missing]


@for_each(
    "statement",
    [
        "from relax.utils.types import Sample\n",
        "from relax.utils.types import Late\n",
        "from relax.utils import types, lazy\n",
        "import relax.utils.types\n",
        "from relax.core import plain\n",
        "from relax.utils.lazy import anything\n",
        "from relax.utils.stars import anything\n",
        "from relax.utils.guarded import score\n",
        "from relax.utils.filled import made\n",
        "from relax.version import number\n",
        "from relax.proto.x_pb2 import Message\n",
        "from relaxed.utils import typez\n",
        "try:\n    from relax.utils.typez import Sample\nexcept ImportError:\n    Sample = None\n",
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from relax.utils.typez import Sample\n",
        "import sys\n\nsys.modules['relax.utils.typez'] = sys\nfrom relax.utils.typez import Sample\n",
        f"import sys\n\n\ndef put():\n    sys.modules['relax.utils.typez'] = sys\n\n\nput()\n{BAD}",
    ],
)
def test_what_relax_may_have_does_not_fail(statement: str) -> None:
    assert failing(statement, {"relax/proto/x.proto": ""}) == []


@for_each(
    ("path", "text"),
    [
        (".gitignore", "relax/utils/typez.py\n"),
        (".git/info/sparse-checkout", "/relax/\n"),
        ("setup.py", "write('relax/utils/typez.py')\n"),
        ("relax/utils/typez.pyx", ""),
        ("relax/utils/hooks.py", "import sys\n\nsys.modules['relax.utils.typez'] = sys\n"),
    ],
)
def test_a_module_of_relax_that_may_be_made_or_left_out_is_no_fault(path: str, text: str) -> None:
    assert failing("from relax.utils.typez import Sample\n", {path: text}) == []


def test_without_relax_at_hand_nothing_is_said() -> None:
    project = Project.from_files(
        {path: text for path, text in TREE.items() if path not in RELAX} | {REWARD: f"from relax.x import y\n{SCORE}"}
    )
    source = project.python(project.root / REWARD)
    assert source is not None
    assert list(failing_imports(source, project.recipes[0], project)) == []


@for_each(
    ("more", "expected"),
    [
        ({REWARD: f"{BAD}{SCORE}"}, [("RLX201", REWARD)]),
        ({ROLLOUT: f"{BAD}{GENERATE}"}, [("RLX306", ROLLOUT)]),
        ({ENV: f"{BAD}{BUILD}"}, [("RLX304", ENV)]),
        (
            {
                REWARD: f"from .shared import x\n{SCORE}",
                ROLLOUT: f"from .shared import x\n{GENERATE}",
                ENV: f"from .shared import x\n{BUILD}",
                "examples/demo/shared.py": f"{BAD}x = 1\n",
            },
            [("RLX201", "examples/demo/shared.py")],
        ),
    ],
)
def test_each_import_is_said_once_by_the_rule_of_what_imports_it(
    more: dict[str, str], expected: list[tuple[str, str]]
) -> None:
    project = Project.from_files({**TREE, **more})
    rules = {code: rule for code, rule in load_rules().items() if code in ("RLX201", "RLX304", "RLX306")}
    targets = project.recipes[0].files
    found = lint(project, rules, project.settings, targets, targets).diagnostics
    assert [(one.code, one.path.relative_to(project.root).as_posix()) for one in found] == expected
    assert all(one.message == "there is no module relax.utils.typez; did you mean relax.utils.types?" for one in found)
