"""Files that a user's code reads by its own path, or from where verl was started: they come along, or it is said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from relax_lint.migrate.carrying.beside import LARGEST
from relax_lint.migrate.reward.request import CarriedReward, Function
from tests.migrate.reward.originals import originals
from tests.migrate.reward.produced import Workshop, run

_SCORE = "\n\ndef compute_score(data_source, solution_str, ground_truth, extra_info=None):\n    return VALUE\n"
_IMPORTS = "import glob\nimport importlib.resources\nimport os\nimport os.path as osp\nimport pkgutil\n"
_IMPORTS += "from os.path import dirname, join\nfrom pathlib import Path\n\n"
_READ = "with open({}) as file:\n    VALUE = float(file.read())\n"
_FORMS = {
    "constant": "HERE = Path(__file__).parent\nVALUE = float((HERE / 'a' / 'w.txt').read_text())\n",
    "of_os": "ROOT = os.path.dirname(os.path.abspath(__file__))\n" + _READ.format("os.path.join(ROOT, 'a', 'w.txt')"),
    "joinpath": _READ.format("Path(__file__).resolve().parent.joinpath('a/w.txt')"),
    "other_names": "_DIR = dirname(osp.realpath(__file__))\n" + _READ.format("join(_DIR, 'a/w.txt')"),
    "text": "HERE = os.path.dirname(__file__)\n" + _READ.format("HERE + '/a/w.txt'"),
    "formatted": "HERE = os.path.dirname(__file__)\n" + _READ.format("f'{HERE}/a/w.txt'"),
    "with_name": _READ.format("Path(__file__).with_name('a') / 'w.txt'"),
    "by_steps": "A = Path(__file__).parent / 'a'\nW: Path = A / 'w.txt'\nVALUE = float(W.read_text())\n",
    "resources": "VALUE = float((importlib.resources.files(__package__) / 'a' / 'w.txt').read_text())\n",
    "get_data": "VALUE = float(pkgutil.get_data(__package__, 'a/w.txt'))\n",
    "parents": "UP = Path(__file__).resolve().parents[1]\n" + _READ.format("UP / 'up' / 'w.txt'"),
    "above": "UP = osp.dirname(osp.dirname(osp.abspath(__file__)))\n" + _READ.format("osp.join(UP, 'up', 'w.txt')"),
    "dots": _READ.format("os.path.join(os.path.dirname(__file__), '..', 'up', 'w.txt')"),
    "parameter": "def load(name='w.txt'):\n"
    "    return float(Path(osp.join(dirname(__file__), 'a', name)).read_text())\n\n\n"
    "VALUE = load()\n",
    "called_with": "def load(name):\n    return float((Path(__file__).parent / name).read_text())\n\n\n"
    "VALUE = load('a/w.txt') + load('a/other.txt') - 1\n",
    "in_a_loop": "HERE = Path(__file__).parent\n"
    "VALUE = sum(float((HERE / each).read_text()) for each in ('a/w.txt', 'a/other.txt')) - 1\n",
    "table": "FILES = {'w': 'w.txt', 'o': 'other.txt'}\n" + _READ.format("Path(__file__).parent / 'a' / FILES['w']"),
    "unknown_name": "def load(name):\n    return float((Path(__file__).parent / 'a' / name).read_text())\n\n\n"
    "VALUE = load(max('w.txt', 'v'))\n",
    "all_in_it": "VALUE = sum(float(each.read_text()) for each in (Path(__file__).parent / 'a').iterdir()) - 1\n",
    "pattern": "FILES = glob.glob(join(dirname(__file__), 'a', 'w*.txt'))\n"
    "VALUE = sum(float(Path(each).read_text()) for each in FILES)\n",
    "in_a_class": "class Words:\n    HERE = Path(__file__).parent\n\n    def value(self):\n"
    "        return float((self.HERE / 'a/w.txt').read_text())\n\n\nVALUE = Words().value()\n",
    "from_the_start": _READ.format("'up/w.txt'"),
    "from_the_start_by_a_name": "WORDS = Path('up') / 'w.txt'\n" + _READ.format("WORDS"),
    "from_the_start_by_a_helper": "def load(path):\n    with open(path) as file:\n"
    "        return float(file.read())\n\n\n"
    "VALUE = load('up/w.txt')\n",
    "through_above": "UP = Path(__file__, '..', '..').resolve()\n" + _READ.format("UP / 'up/w.txt'"),
    "both": "UP = Path(__file__).parents[1]\nVALUE = float((UP / 'up/w.txt').read_text()) * "
    "float(Path('up/one.txt').read_text())\n",
}


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    made = Workshop(tmp_path, originals())
    for name, text in {"a/w.txt": "7", "a/other.txt": "1", "up/w.txt": "7", "up/one.txt": "1"}.items():
        made.write(name if name.startswith("up") else f"lib/{name}", text)
    made.write("lib/__init__.py", "")
    yield made
    made.close()


def _carried(workshop: Workshop, text: str) -> CarriedReward:
    workshop.write("lib/words.py", text)
    workshop.write("main.py", f"from lib.words import VALUE\n{_SCORE}")
    return workshop.carry("mine", function=Function(workshop.user / "main.py", "compute_score"))


def _score(workshop: Workshop) -> object:
    return run(workshop.reward("mine"), [workshop.sample("r", "l", data_source="d")])[0]


@pytest.mark.parametrize("form", _FORMS)
def test_a_file_beside_code_is_found_from_the_copy(
    form: str, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    carried = _carried(workshop, _IMPORTS + _FORMS[form])
    assert not carried.problems, carried.problems
    for path in (*workshop.user.rglob("*.txt"), *workshop.user.rglob("*.py")):
        path.unlink()
    monkeypatch.chdir(workshop.root)
    assert _score(workshop) == {"score": 7.0}


def test_a_path_that_another_module_has_is_followed(workshop: Workshop) -> None:
    workshop.write("lib/where.py", "from pathlib import Path\n\nA = Path(__file__).parent / 'a'\n")
    carried = _carried(
        workshop,
        "from lib import where\nfrom lib.where import A\n\nVALUE = float((A / 'w.txt').read_text())\n"
        "VALUE += 0 * len((where.A / 'other.txt').read_text())\n",
    )
    assert not carried.problems, carried.problems
    assert _score(workshop) == {"score": 7.0}


def test_a_file_comes_as_it_is_whatever_it_holds(workshop: Workshop) -> None:
    data = bytes(range(256)) + b"\r\n"
    (workshop.user / "lib/a/bytes").write_bytes(data)
    read = "from pathlib import Path\n\nVALUE = len((Path(__file__).parent / 'a' / 'bytes').read_bytes())\n"
    assert not _carried(workshop, read).problems
    assert (workshop.root / "examples/mine/a/bytes").read_bytes() == data


def test_what_is_written_need_not_be_there(workshop: Workshop) -> None:
    text = "import logging\nimport os\n\nLOG = os.path.join(os.path.dirname(__file__), 'log.txt')\n"
    text += "logging.getLogger(__file__)\nos.makedirs(os.path.dirname(__file__) + '/more', exist_ok=True)\n"
    assert not _carried(workshop, f"{text}\n\ndef say(text):\n    open(LOG, 'a').write(text)\n\n\nVALUE = 1\n").problems


@pytest.mark.parametrize(
    ("read", "said"),
    [
        ("open(HERE / name)", "HERE / name looks for a file beside the code: which files it reads is known only when"),
        ("open(HERE / 'big.bin')", "big.bin is larger than 1 MB: copy it to examples/mine/big.bin"),
        ("open(HERE / 'none.txt')", "none.txt is not there: it has to be examples/mine/none.txt"),
        ("exec(open(HERE / 'run.py').read())", "run.py is code that is not imported: copy it to examples/mine/run.py"),
        ("print(__file__)", "__file__ looks for a file beside the code: the path of the file itself is another one"),
    ],
)
def test_what_does_not_come_along_is_said_and_raised_when_it_is_wanted(
    workshop: Workshop, read: str, said: str
) -> None:
    workshop.write("lib/big.bin", "x" * (LARGEST + 1))
    workshop.write("lib/run.py", "x = 1\n")
    text = "import os\nfrom pathlib import Path\n\nHERE = Path(__file__).parent\nname = os.environ.get('X', 'none')\n"
    carried = _carried(workshop, f"{text}{read}\nVALUE = 1\n")
    assert [(each.path.name, each.line) for each in carried.problems] == [("words.py", 6)]
    assert said in carried.problems[0].message
    scored = _score(workshop)
    assert scored == "RuntimeError" if "print" not in read else {"score": 1.0}
