"""What a Python file may take names from."""

from __future__ import annotations

from relax_lint.imports import Imports
from relax_lint.project import Project
from tests.cases import for_each

START = "examples/demo/parts/start.py"
WANTED = "examples/other/impl.py"


def leads(text: str, others: dict[str, str] | None = None, wanted: str = WANTED) -> bool:
    project = Project.from_files({START: text, WANTED: "", **(others or {})})
    return project.root / wanted in Imports(project).reached(project.root / START)


@for_each(
    "text",
    [
        "from examples.other.impl import f\n",
        "from examples.other import impl\n",
        "from examples.other import (  # (all of it)\n    helpers,  # ) no\n    impl as its,\n)\n",
        "from examples \\\n    . other . impl import f\n",
        "from examples import other\n",
        "from examples import *\n",
        "import examples.other.impl\n",
        "import os, examples.other.impl as impl\n",
        "import examples\n\ndef f():\n    return examples.other.impl.f()\n",
        "import examples.demo.parts.start\nf = examples.other.impl.f\n",
        "from ...other.impl import f\n",
        "from ... import other\n",
        "from ...other import *\n",
        "def f():\n    from ...other import impl\n",
        "x = 1; from ...other import impl\n",
        "try:\n\timport examples.other.impl\nexcept ImportError: pass\n",
        "import examples.ｏther.impl\n",
        "from .import helper\n",
        "from . import helper\n",
        "from .helper import f\n",
        "from examples.demo.parts import helper\n",
        "from shared.again import f\n",
        "import shared\n",
        "import alone\n",
        "from .. import f\n",
        "from examples.demo.nested import g\n",
    ],
)
def test_what_a_file_imports_is_reached(text: str) -> None:
    importing = "from examples.other.impl import f\n"
    others = {
        "examples/demo/parts/helper.py": importing,
        "shared/again.py": "from shared import more\n",
        "shared/more/__init__.py": importing,
        "alone.py": importing,
        "examples/demo/__init__.py": importing if text.startswith("from .. import f") else "",
        "examples/demo/nested/__init__.py": importing,
    }
    assert leads(text, others)


@for_each(
    "text",
    [
        "",
        "import re\nfrom math import log\n",
        "from examples.demo.parts import own\n",
        "from . import own\n",
        "from .own import other, impl\n",
        "from relax.utils import other\n",
        "import other\nfrom impl import examples\n",
        "from ....... import other\n",
        "# the others have examples.other.impl\n",
        "from examples.other.helpers import f\n",
    ],
)
def test_other_files_are_not(text: str) -> None:
    others = {"examples/demo/parts/own.py": "", "relax/utils/__init__.py": "from examples import other\n"}
    assert not leads(text, others)
