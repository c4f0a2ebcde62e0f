from __future__ import annotations

import ast

import pytest

from relax_lint.flow.names import Resolution, Resolver, import_target
from relax_lint.project import Project
from tests.cases import for_each

TREE = {
    "examples/__init__.py": "",
    "examples/x/__init__.py": "from .scores import *\nfrom .scores import hidden as shown\nfrom . import scores as s\n",
    "examples/x/scores.py": "__all__ = ['f']\n\n\ndef f(): ...\ndef hidden(): ...\nalias = hidden\n",
    "examples/x/more.py": "from examples.x import shown, f\nfrom .scores import alias\nimport examples.x.scores as m\n",
    "examples/x/open.py": "from elsewhere import *\nimport numpy as np\n",
    "examples/x/cycle_a.py": "from .cycle_b import g\n",
    "examples/x/cycle_b.py": "from .cycle_a import g\n",
    "examples/x/branches.py": "import sys\nif sys.argv:\n    def h(): ...\nelse:\n    h = None\n",
    "examples/x/attempts.py": "try:\n    from fast import k\nexcept ImportError:\n    def k(): ...\n",
    "examples/x/strict.py": "try:\n    from .scores import f as k\nexcept ImportError:\n    raise\n",
    "examples/x/types_only.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .scores import f\n",
    "examples/x/script.py": "if __name__ == '__main__':\n    f = 1\n",
    "examples/x/last.py": "def f(): ...\nf = 2\n",
    "examples/x/gone.py": "def f(): ...\ng = f\ndel f\nfor i in ():\n    pass\ndel i\n",
    "examples/x/back.py": "def f(): ...\ndel f\ndef f(): ...\n",
    "examples/x/perhaps.py": "import sys\ndef f(): ...\nif sys.argv:\n    del f\n",
    "examples/x/starred.py": "from .scores import *\ndel f\n",
    "examples/x/lazy.py": "def __getattr__(name): ...\n",
    "examples/x/nested/deep/mod.py": "from ...scores import f\n",
}


def resolve(module: str, name: str) -> Resolution:
    project = Project.from_files(TREE)
    return Resolver(project).attribute(module, name)


def where(resolution: Resolution) -> list[tuple[str, str]]:
    return [(found.source.path.stem, found.binding.name) for found in resolution.found]


@for_each(
    ("module", "name", "expected"),
    [
        ("examples.x.scores", "f", [("scores", "f")]),
        ("examples.x", "f", [("scores", "f")]),
        ("examples.x", "shown", [("scores", "hidden")]),
        ("examples.x.more", "shown", [("scores", "hidden")]),
        ("examples.x.more", "alias", [("scores", "hidden")]),
        ("examples.x.nested.deep.mod", "f", [("scores", "f")]),
        ("examples.x.branches", "h", [("branches", "h"), ("branches", "h")]),
        ("examples.x.last", "f", [("last", "f")]),
        ("examples.x.gone", "g", [("gone", "f")]),
        ("examples.x.back", "f", [("back", "f")]),
        ("examples.x.strict", "k", [("scores", "f")]),
    ],
)
def test_names_are_followed_to_where_they_are_bound(module: str, name: str, expected: list[tuple[str, str]]) -> None:
    resolution = resolve(module, name)
    assert resolution.complete
    assert where(resolution) == expected


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("examples.x.scores", "nothing"),
        ("examples.x", "hidden"),
        ("examples.x.types_only", "f"),
        ("examples.x.script", "f"),
        ("examples.x.gone", "f"),
        ("examples.x.gone", "i"),
        ("examples.x.nested", "f"),
    ],
)
def test_what_nothing_binds_is_missing(module: str, name: str) -> None:
    assert resolve(module, name).missing


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("examples.x.open", "anything"),
        ("examples.x.cycle_a", "g"),
        ("examples.x.perhaps", "f"),
        ("examples.x.starred", "f"),
        ("examples.x.lazy", "anything"),
        ("examples.x.attempts", "k"),
    ],
)
def test_what_cannot_be_told_is_not_called_missing(module: str, name: str) -> None:
    resolution = resolve(module, name)
    assert not resolution.missing
    assert not resolution.complete


def test_modules_and_what_comes_from_elsewhere() -> None:
    assert resolve("examples.x", "s").module == "examples.x.scores"
    assert resolve("examples.x", "nested").module == "examples.x.nested"
    assert resolve("examples.x.more", "m").module == "examples.x.scores"
    assert resolve("examples.x.open", "np").external == "numpy"
    assert resolve("torch.nn", "Linear").external == "torch.nn.Linear"


@pytest.mark.parametrize(
    ("text", "package", "expected"),
    [
        ("from . import a", "examples.x", "examples.x"),
        ("from .. import a", "examples.x", "examples"),
        ("from ..y.z import a", "examples.x", "examples.y.z"),
        ("from .... import a", "examples.x", ""),
        ("from b import a", "examples.x", "b"),
    ],
)
def test_relative_imports(text: str, package: str, expected: str) -> None:
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.ImportFrom)
    assert import_target(node, package) == expected
