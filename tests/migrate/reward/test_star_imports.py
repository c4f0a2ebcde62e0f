"""What ``from module import *`` gives is what Python gives: to the produced reward, too."""

from __future__ import annotations

import pytest

from relax_lint.migrate.reward.request import Function
from tests.migrate.reward.produced import Workshop, original, run

_HEAD = "def compute_score(data_source, solution_str, ground_truth, extra_info=None):\n    return "
_STAR = f"from util import *\n\n\n{_HEAD}"
_NORM = "def norm(text):\n    return text * 3\n"
_CASES = {
    "nested": {
        "util/__init__.py": "from .a import *\n",
        "util/a.py": _NORM,
        "main.py": f"{_STAR}float(len(norm(str(solution_str))))\n",
    },
    "of_all": {
        "util/__init__.py": "from .a import *\nfrom .b import number as num\n\n"
        "__all__ = ['norm', '_num']\n_num = num\n",
        "util/a.py": f"{_NORM}\n\n__all__ = ['norm', 'LEFT']\nLEFT = 1\n",
        "util/b.py": "def number(text):\n    return 5\n",
        "main.py": f"LEFT = 100\n{_STAR}len(norm(solution_str)) + _num('1') + LEFT\n",
    },
    "all_that_grows": {
        "util/__init__.py": "from . import a\nfrom .a import *\n\n__all__ = ['LEFT']\n__all__ += a.__all__\n"
        "__all__.extend(['sum'])\nLEFT = 1\n\n\ndef sum(values):\n    return 7\n",
        "util/a.py": f"__all__ = ['norm']\n\n\n{_NORM}",
        "main.py": f"{_STAR}len(norm(solution_str)) + sum([1, 2]) + LEFT\n",
    },
    "private": {
        "util.py": f"{_NORM}\n\n_LEFT = 1\n\n\ndef _len(value):\n    return 5\n",
        "main.py": f"_LEFT = 70\n{_STAR}len(norm(solution_str)) + _LEFT\n",
    },
    "the_last_counts": {
        "util.py": "W = 1\nV = 2\nU = 3\n",
        "more.py": "W = 10\nV = 20\n",
        "main.py": f"U = 300\nfrom util import *\nfrom more import *\n\nV = 2000\n\n\n{_HEAD}W + V + U\n",
    },
    "in_branches": {
        "util.py": "try:\n    import no_such_package_at_all\n\n"
        "    def fast():\n        return 1\nexcept ImportError:\n    pass\n"
        "import sys\nif sys.version_info > (3,):\n    W = 4\nelse:\n    W = 5\nif sys.maxsize < 0:\n    V = 6\n",
        "main.py": f"fast, V = 30, 600\n{_STAR}fast + W + V\n",
    },
    "in_a_try": {
        "util.py": "W = 3\n",
        "main.py": "try:\n    from no_such_package_at_all import *\nexcept ImportError:\n    from util import *\n\n\n"
        f"{_HEAD}W\n",
    },
    "builtins_of_its_own": {
        "util.py": "def len(value):\n    return 50\n\n\ndef max(*values):\n    return 8\n\n\ndel max\n",
        "main.py": f"{_STAR}len('four') + max(1, 2)\n",
    },
    "modules": {
        "util/__init__.py": "from .a import norm\n",
        "util/a.py": f"{_NORM}\n\nW = 4\n",
        "main.py": f"{_STAR}a.W + len(norm('x'))\n",
    },
    "modules_of_all": {
        "util/__init__.py": "__all__ = ['a']\n",
        "util/a.py": "W = 4\n",
        "main.py": f"{_STAR}a.W\n",
    },
    "in_turn": {
        "util.py": "from other import *\n\nW = 1\n",
        "other.py": "from util import *\n\nV = 20\n",
        "main.py": f"{_STAR}W + V\n",
    },
    "a_package": {
        "main.py": f"from math import *\n\n\n{_HEAD}floor(2.5) + len('ab')\n",
    },
    "by_a_module": {
        "util/__init__.py": "from .a import *\n",
        "util/a.py": _NORM,
        "main.py": f"import util\nimport util.a as other\nfrom util import norm as third\n\n\n"
        f"{_HEAD}len(util.norm('a') + other.norm('b') + third('c'))\n",
    },
}


@pytest.mark.parametrize("case", _CASES)
def test_star_imports_give_what_python_gives(workshop: Workshop, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    for name, text in _CASES[case].items():
        workshop.write(name, text)
    expected = original(workshop, monkeypatch)
    carried = workshop.carry("mine", function=Function(workshop.user / "main.py", "compute_score"))
    assert not carried.problems, carried.problems
    assert run(workshop.reward("mine"), [workshop.sample("r", "l", data_source="d")]) == [{"score": float(expected)}]
