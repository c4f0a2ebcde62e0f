"""Imports of a recipe's own modules: which certainly fail, and which may be met by something that is not seen."""

from __future__ import annotations

from relax_lint.failing_imports import failing_imports
from relax_lint.project import Project
from tests.cases import for_each

REWARD = "examples/demo/reward_demo.py"
TREE = {
    "examples/demo/run_demo.sh": "python3 relax/entrypoints/train.py --custom-rm-path examples.demo.reward_demo.f\n",
    "examples/demo/__init__.py": "LIMIT = 1\n",
    "examples/demo/core.py": "def score(text):\n    return 1.0\n",
    "examples/demo/deep/__init__.py": "from .inner import name\n",
    "examples/demo/deep/inner.py": "name = 1\n",
    "examples/demo/assets/schema.json": "{}\n",
}


def failing(reward: str, more: dict[str, str] | None = None) -> list[str]:
    """What fails when the reward module of the demo is imported, with more files of the recipe."""
    files = {f"examples/demo/{name}": text for name, text in (more or {}).items()}
    project = Project.from_files({**TREE, **files, REWARD: reward})
    source = project.python(project.root / REWARD)
    assert source is not None
    found = failing_imports(source, project.recipes[0], project)
    return [f"{one.source.path.name}: {'.'.join(filter(None, (one.module, one.name)))}" for one in found]


@for_each(
    ("statement", "missing"),
    [
        ("from .helper import f", "helper"),
        ("from examples.demo.helper import f", "helper"),
        ("import examples.demo.helper", "helper"),
        ("import os; import examples.demo.helper as helper", "helper"),
        ("from . import helper", "helper"),
        ("from .deep.other import f", "deep.other"),
        ("from .core import f", "core.f"),
        ("from .deep import other", "deep.other"),
    ],
)
def test_what_is_not_in_the_recipe_fails(statement: str, missing: str) -> None:
    assert failing(f'"""Scores."""\n\n{statement}\n') == [f"reward_demo.py: examples.demo.{missing}"]


@for_each(
    "code",
    [
        "from .core import score",
        "from . import core, LIMIT, deep, assets",
        "from .deep import name, inner",
        "import examples.demo.deep.inner",
        "from .assets import helper",
        "from .helper import *",
        "from helper import f",
        "from ..common import f",
        "from ....far import f",
        "from examples.other.helper import f",
        "from relax.helper import f",
        "from .tables_pb2 import Table",
        "import sys\n\nsys.modules['examples.demo.helper'] = sys\nfrom .helper import f",
        "try:\n    from .helper import f\nexcept ImportError:\n    f = None",
        "try:\n    from .helper import f\nfinally:\n    pass",
        "from contextlib import suppress\n\nwith suppress(ImportError):\n    from .helper import f",
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from .helper import f",
        "def late():\n    from .helper import f\n    return f",
        "import examples.demo.core as core\n\ncore.f = print\nfrom .core import f",
        "def broken(:\nfrom .helper import f",
    ],
)
def test_what_may_be_met_does_not_fail(code: str) -> None:
    assert failing(f"{code}\n") == []


@for_each(
    ("name", "text"),
    [
        ("helper.pyi", "f: int\n"),
        ("helper.cpython-311-x86_64-linux-gnu.so", ""),
        ("helper.pyx", "f = 1\n"),
        (".gitignore", "/helper.py\n"),
        ("build.sh", "cp templates/helper.py .\n"),
        ("make_tables.py", "open('helper.py', 'w').write('f = 1')\n"),
        ("__init__.py", "from pkgutil import extend_path\n\n__path__ = extend_path(__path__, __name__)\n"),
    ],
)
def test_a_file_that_is_elsewhere_or_made_is_no_fault(name: str, text: str) -> None:
    assert failing("from .helper import f\n", {name: text}) == []


def test_without_init_a_directory_may_be_one_of_several() -> None:
    tree = {path: text for path, text in TREE.items() if path != "examples/demo/__init__.py"}
    project = Project.from_files({**tree, REWARD: "from .helper import f\n"})
    source = project.python(project.root / REWARD)
    assert source is not None
    assert list(failing_imports(source, project.recipes[0], project)) == []


@for_each(
    ("core", "fails"),
    [
        ("from .helper import f\n", ["core.py: examples.demo.helper"]),
        ("from .deep.inner import f\n", ["core.py: examples.demo.deep.inner.f"]),
        ("if True:\n    from .helper import f\n", []),
        ("def set_up():\n    global f\n    f = 1\n\n\nset_up()\n", []),
        ("def __getattr__(name):\n    return name\n", []),
        ("from elsewhere import *\n", []),
        ("from reward_demo import f\n", ["core.py: reward_demo"]),
        ("from elsewhere import f\n", []),
    ],
)
def test_modules_that_are_imported_are_followed(core: str, fails: list[str]) -> None:
    assert failing("from .core import f\n", {"core.py": core}) == fails


def test_the_package_of_a_module_is_imported_before_it() -> None:
    assert failing("x = 1\n", {"__init__.py": "from .helper import f\n"}) == ["__init__.py: examples.demo.helper"]
