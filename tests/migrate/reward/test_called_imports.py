"""Modules of the user's that are imported by a call: they are carried, or it is said that they cannot be."""

from __future__ import annotations

import pytest

from relax_lint.migrate.reward.request import CarriedReward, Function
from tests.migrate.reward.produced import Workshop, original, run

_HEAD = "def compute_score(data_source, solution_str, ground_truth, extra_info=None):\n    return "
_SUM = f"from lib import SCORERS\n\n\n{_HEAD}sum(SCORERS.values())\n"
_BASE = "SCORERS = {}\n"
_EACH = {
    "lib/base.py": _BASE,
    "lib/one.py": "from .base import SCORERS\n\nSCORERS['one'] = 1\nVALUE = 5\n",
    "lib/two.py": "from lib.base import SCORERS\n\nSCORERS['two'] = 20\nVALUE = 7\n",
    "lib/_own.py": "from .base import SCORERS\n\nSCORERS['own'] = 300\n",
    "main.py": _SUM,
}
_MODULE = "from importlib import import_module\n\nfrom .base import SCORERS\n"
_PACKAGES = {
    "names": f"{_MODULE}\nfor _name in ('one', 'two'):\n    import_module('.' + _name, __package__)\n",
    "own_name": f"{_MODULE}\nNAMES = ['one']\nNAMES.append('two')\nfor name in NAMES:\n"
    "    import_module(f'{__name__}.{name}')\n",
    "prefix_elsewhere": f"{_MODULE}\nPACKAGE = __name__\nfor name in ('one', 'two'):\n"
    "    module = '{}.{}'.format(PACKAGE, name)\n    import_module(module)\n",
    "pkgutil": f"import importlib\nimport pkgutil\n\n{_BASE}for _m in pkgutil.iter_modules(__path__):\n"
    "    if _m.name.startswith('_') or _m.name == 'base':\n        continue\n"
    "    importlib.import_module(f'{__name__}.{_m.name}')\nfrom .base import SCORERS\n",
    "walk": f"{_MODULE}from pkgutil import walk_packages\n\n"
    "for _, name, is_package in walk_packages(__path__, prefix=__name__ + '.'):\n"
    "    if not is_package and not name.endswith('_own'):\n        import_module(name)\n",
    "listdir": f"{_MODULE}import os\n\nHERE = os.path.dirname(os.path.abspath(__file__))\n"
    "for file in sorted(os.listdir(HERE)):\n"
    "    if file.endswith('.py') and not file.startswith('_') and os.path.isfile(os.path.join(HERE, file)):\n"
    "        import_module('.' + file[:-3], package=__name__)\n",
    "glob": f"{_MODULE}from pathlib import Path\n\n"
    "MODULES = [each.stem for each in Path(__file__).parent.glob('*.py')]\n"
    "for name in MODULES:\n    if name not in ('__init__', '_own'):\n        import_module('lib.' + name)\n",
    "all": "import glob\nfrom os.path import basename, dirname, isfile, join\n\nfrom .base import SCORERS\n\n"
    "modules = glob.glob(join(dirname(__file__), '*.py'))\n"
    "__all__ = [basename(f)[:-3] for f in modules if isfile(f) and not f.endswith('__init__.py')]\n"
    "from . import *\n",
    "function": f"{_MODULE}import pkgutil\n\n\ndef _load():\n    for module in pkgutil.iter_modules(__path__):\n"
    "        try:\n            import_module(f'.{module.name}', __name__)\n        except ImportError:\n"
    "            pass\n\n\n_load()\n",
    "values": f"{_MODULE}\nMODULES = {{name: import_module(f'lib.{{name}}') for name in ('one', 'two')}}\n"
    "SCORERS.update({name: module.VALUE for name, module in MODULES.items()})\n",
    "dunder": f"{_MODULE}\nfor name in ('one', 'two'):\n"
    "    SCORERS[name] = __import__('lib.' + name, fromlist=['x']).VALUE\n",
    "for_its_effect": f"{_MODULE}\nif SCORERS is not None:\n"
    "    __import__('lib.one')\nelse:\n    import_module('lib.two')\n",
    "renamed": "from importlib import import_module as load\n\nfrom .base import SCORERS\n\nload('lib.two')\n",
    "two_packages": f"{_MODULE}\nfor name in ('deep.three', 'one'):\n    import_module(f'lib.{{name}}')\n",
}
_REFUSED = {
    "environment": "import os\nfor name in os.environ['NAMES'].split():\n    import_module('.' + name, __package__)\n",
    "handed_on": "list(map(import_module, ['lib.one', 'lib.two']))\n",
    "in_a_function": "import os\n\n\ndef _load():\n    import_module(os.environ['NAME'])\n\n\n_load()\n",
    "elsewhere": "import os\nfor name in os.listdir('/'):\n    import_module(name)\n",
    "by_its_loader": "import pkgutil\nfor finder, name, _ in pkgutil.iter_modules(__path__):\n"
    "    finder.find_spec(name).loader.load_module(name)\n",
    "perhaps": "import os\nfor name in ('one', 'two'):\n    if os.environ.get(name):\n        continue\n"
    "    import_module('.' + name, __package__)\n",
}


def _carried(workshop: Workshop, files: dict[str, str]) -> CarriedReward:
    for name, text in files.items():
        workshop.write(name, text)
    return workshop.carry("mine", function=Function(workshop.user / "main.py", "compute_score"))


@pytest.mark.parametrize("case", _PACKAGES)
def test_modules_that_a_package_imports_by_calls_do_what_they_do(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    deep = {"lib/deep/__init__.py": "", "lib/deep/three.py": "from ..base import SCORERS\n\nSCORERS['three'] = 4000\n"}
    carried = _carried(
        workshop, {**_EACH, **(deep if case == "two_packages" else {}), "lib/__init__.py": _PACKAGES[case]}
    )
    expected = original(workshop, monkeypatch)
    assert not carried.problems, carried.problems
    assert not any(note.startswith("left out") for note in carried.notes)
    assert run(workshop.reward("mine"), [workshop.sample("r", "l", data_source="d")]) == [{"score": float(expected)}]


@pytest.mark.parametrize("case", _REFUSED)
@pytest.mark.parametrize("cut", [False, True])
def test_modules_that_nobody_knows_are_refused(workshop: Workshop, case: str, cut: bool) -> None:
    trainer = "from verl import DataProto\n\n\nclass Manager:\n    kind = DataProto\n\n\n" if cut else ""
    text = f"{_MODULE}{trainer}{_REFUSED[case]}"
    carried = _carried(workshop, {**_EACH, "lib/__init__.py": text})
    assert not carried.files
    at = [each for each in carried.problems if "known only when it runs" in each.message]
    assert {each.path.name for each in at} == {"__init__.py"}
    assert all("import_module" in text.split("\n")[each.line - 1] or "load_module" in text for each in at)


def test_what_a_call_imports_in_a_part_that_nothing_reaches_is_no_obstacle(workshop: Workshop) -> None:
    text = "from importlib import import_module\n\n\ndef load(name):\n    return import_module(name)\n\n\n"
    carried = _carried(workshop, {"main.py": f"{text}{_HEAD}2\n"})
    assert not carried.problems
    assert run(workshop.reward("mine"), [workshop.sample("r", "l", data_source="d")]) == [{"score": 2.0}]


@pytest.mark.parametrize(
    "call",
    [
        "importlib.import_module('verl.utils.reward_score.gsm8k').compute_score('#### 1', '1')",
        "getattr(importlib.import_module('.gsm8k', 'verl.utils.reward_score'), 'compute_score')('#### 1', '1')",
        "__import__('verl.utils.reward_score.gsm8k', fromlist=['compute_score']).compute_score('#### 1', '1')",
        "(lambda: importlib.import_module('verl.utils.reward_score.gsm8k'))().compute_score('#### 1', '1')",
        "importlib.import_module('json').loads('3') + __import__('lib').W",
    ],
)
def test_modules_of_known_names_are_carried_from_anywhere(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    carried = _carried(workshop, {"lib.py": "W = 2\n", "main.py": f"import importlib\n\n\n{_HEAD}{call}\n"})
    expected = original(workshop, monkeypatch)
    assert not carried.problems, carried.problems
    assert run(workshop.reward("mine"), [workshop.sample("r", "l", data_source="d")]) == [{"score": float(expected)}]


def test_a_package_beside_the_file_is_found_wherever_that_lies(workshop: Workshop) -> None:
    texts = {
        "lib/__init__.py": "from .base import *\nfrom importlib import import_module\n\n"
        "import_module('.one', __name__)\n",
        "lib/base.py": _BASE,
        "lib/one.py": "from lib.base import SCORERS\n\nSCORERS['one'] = 4\n",
        "main.py": _SUM,
    }
    for name, text in texts.items():
        workshop.write(f"rewards/own/{name}", text)
    carried = workshop.carry("mine", function=Function(workshop.user / "rewards/own/main.py", "compute_score"))
    assert not carried.problems, carried.problems
    assert run(workshop.reward("mine"), [workshop.sample("r", "l", data_source="d")]) == [{"score": 4.0}]


def test_the_path_of_a_package_that_is_asked_otherwise_is_refused(workshop: Workshop) -> None:
    text = "import sys\n\nfrom .base import SCORERS\n\nsys.path += list(__path__)\n"
    carried = _carried(workshop, {**_EACH, "lib/__init__.py": text})
    assert [(each.path.name, each.line) for each in carried.problems] == [("__init__.py", 5)]
