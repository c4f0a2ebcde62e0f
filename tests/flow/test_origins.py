"""Where expressions come from: by every way that there is."""

from __future__ import annotations

import ast

from relax_lint.flow.origins import Defined, Origins
from relax_lint.project import Project
from tests.cases import for_each

FILE = "examples/demo/env_demo.py"


def origins(text: str, name: str = "Base", **others: str) -> set[str]:
    """What the name comes from that the last class of a file derives from."""
    tree = {FILE: text, **{f"examples/demo/{path}.py": other for path, other in others.items()}}
    project = Project.from_files(tree)
    source = project.python(project.root / FILE)
    assert source is not None
    [last] = [node for node in source.nodes(ast.ClassDef) if node.name == "Last"]
    found = Origins(project).of(source, last.bases[0])
    return {f"class {item.node.name}" if isinstance(item, Defined) else item for item in found}


@for_each(
    ("head", "base"),
    [
        ("from verl.tools.base_tool import BaseTool", "BaseTool"),
        ("from verl.tools.base_tool import BaseTool as Base", "Base"),
        ("import verl.tools.base_tool", "verl.tools.base_tool.BaseTool"),
        ("import verl.tools.base_tool as tools", "tools.BaseTool"),
        ("from verl.tools import base_tool", "base_tool.BaseTool"),
        ("from verl.tools.base_tool import BaseTool\nAlias = BaseTool\nOther = Alias", "Other"),
        ("import verl.tools.base_tool as tools\nOther = tools.BaseTool", "Other"),
        ("from verl.tools.base_tool import *", "BaseTool"),
        ("import importlib\ntools = importlib.import_module('verl.tools.base_tool')", "tools.BaseTool"),
        ("from verl.tools.base_tool import BaseTool", "BaseTool[int]"),
    ],
)
def test_one_way(head: str, base: str) -> None:
    assert origins(f"{head}\n\n\nclass Last({base}):\n    pass\n") == {"verl.tools.base_tool.BaseTool"}


def test_every_way_counts() -> None:
    head = "try:\n    from verl.tools import BaseTool\nexcept ImportError:\n    BaseTool = object\n"
    assert origins(f"{head}\nclass Last(BaseTool):\n    pass\n") == {"verl.tools.BaseTool"}
    head = "from verl.a import A\nfrom verl.b import B\n"
    assert origins(f"{head}\nclass Last(A if A else B):\n    pass\n") == {"verl.a.A", "verl.b.B"}


def test_names_lead_through_files() -> None:
    last = "class Last(Base):\n    pass\n"
    middle = "from .far import Tool as Base\n"
    assert origins(f"from .near import Base\n\n{last}", near=middle, far="from verl.tools import Tool\n") == {
        "verl.tools.Tool"
    }
    assert origins(f"from .near import *\n\n{last}", near="class Base:\n    pass\n") == {"class Base"}


def test_what_a_function_imports_counts_in_it() -> None:
    inside = "    class Last(Base):\n        pass\n"
    text = f"class Base:\n    pass\n\n\ndef make():\n    from verl.tools import Base\n\n{inside}"
    assert origins(text) == {"verl.tools.Base"}


def test_circles_come_to_an_end() -> None:
    text = "from .near import Base\n\n\nclass Last(Base):\n    pass\n"
    assert origins(text, near="from .env_demo import Base\n") == set()


def test_bases_through_classes_of_the_repository() -> None:
    text = """\
from verl.tools import Tool


class First(Tool):
    pass


class Second(First, dict):
    pass


class Last(Second):
    pass
"""
    project = Project.from_files({FILE: text})
    source = project.python(project.root / FILE)
    assert source is not None
    last = source.nodes(ast.ClassDef)[-1]
    assert Origins(project).bases(source, last) == ["verl.tools.Tool"]
