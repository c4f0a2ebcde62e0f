"""What a module of the user's does when it is imported: the produced reward does it, too, and scores the same."""

from __future__ import annotations

import decimal
from pathlib import Path
from typing import Any

import pytest

from relax_lint.migrate.reward.request import PRIME, Argument, CarriedReward, Function, Manager
from tests.migrate.reward.produced import Workshop, original, run

_HEAD = "def compute_score(data_source, solution_str, ground_truth, extra_info=None, **more):\n    return "
_REGISTER = (
    "SCORERS = {}\n\n\ndef register(name):\n    def put(scorer):\n        SCORERS[name] = scorer\n"
    "        return scorer\n\n    return put\n"
)
_CASES = {
    "registered": {
        "main.py": f"{_REGISTER}\n\n@register('exact')\ndef exact(said, truth):\n    return 0.5\n\n\n"
        f"{_HEAD}SCORERS.get('exact', lambda *_: 0.0)(solution_str, ground_truth)\n"
    },
    "filled": {
        "main.py": "W = {'fmt': 0.1}\nW['acc'] = 0.9\nW['len'], Z = 0.5, 1\nUNITS = []\nfor unit in ('cm', 'kg'):\n"
        "    UNITS.append(unit)\nSTOP = set()\nSTOP |= {'the'}\nwith open(__import__('os').devnull) as _file:\n"
        "    W['with'] = 2.0\ntry:\n    W['try'] = 3.0\nexcept Exception:\n    pass\ndel W['fmt']\n\n\n"
        f"class Config:\n    pass\n\n\nConfig.alpha = 5.0\n\n\n{_HEAD}"
        "sum(W.values()) + len(UNITS) * 10 + len(STOP) * 100 + getattr(Config, 'alpha', 0) * 1000\n"
    },
    "filled_elsewhere": {
        "tables.py": "NAMES = {}\nRULES = []\n\n\ndef rule(made):\n    RULES.append(made)\n    return made\n\n\n"
        "def add(name, value):\n    NAMES[name] = value\n\n\nadd('x', 1)\nNAMES.update(z=4)\n\n\n"
        "@rule\ndef short(text):\n    return 1000.0 * (len(text) <= 3)\n\n\n"
        "for number in range(3):\n    NAMES[f'i{number}'] = 8\n",
        "main.py": "from tables import NAMES, RULES\n\n\n"
        f"{_HEAD}sum(NAMES.values()) + sum(each(solution_str) for each in RULES)\n",
    },
    "imported_for_its_effect": {
        "scorers.py": _REGISTER,
        "impl.py": "from scorers import register\n\n\n@register('exact')\ndef exact(said, truth):\n    return 0.25\n",
        "main.py": "import scorers as known\nimport impl  # noqa: F401\n\nif not known.SCORERS:\n"
        f"    raise RuntimeError('nothing')\n\n\n{_HEAD}known.SCORERS['exact'](solution_str, ground_truth)\n",
    },
    "the_package_above": {
        "lib/__init__.py": "from . import impl\n",
        "lib/scorers.py": _REGISTER,
        "lib/impl.py": "from .scorers import register\n\n\n@register('exact')\ndef exact(said, truth):\n"
        "    return 0.75\n",
        "main.py": f"from lib.scorers import SCORERS\n\n\n{_HEAD}len(SCORERS)\n",
    },
    "subclasses": {
        "main.py": "class Check:\n    w = 0.0\n\n\nclass Exact(Check):\n    w = 1.0\n\n\nclass Short(Check):\n"
        f"    w = 0.5\n\n\n{_HEAD}sum(each.w for each in Check.__subclasses__())\n"
    },
    "globals": {
        "main.py": "def check_a(said):\n    return 0.25\n\n\ndef compute_more():\n    return 8\n\n\n"
        f"{_HEAD}sum(1 for name in globals() if name.startswith(('check_', 'compute_', 'reward_')))\n"
    },
    "of_this_module": {
        "main.py": "import sys\n\n\ndef score_z():\n    return 3\n\n\n"
        f"{_HEAD}getattr(sys.modules[__name__], 'score_' + 'z')()\n"
    },
    "an_instance": {
        "main.py": "class Judge:\n    def __init__(self, weight):\n        self.weight = weight\n\n"
        "    def __call__(self, data_source, solution_str, ground_truth, extra_info=None):\n"
        "        return self.weight * len(solution_str)\n\n\ncompute_score = Judge(weight=2.0)\n"
    },
    "partial": {
        "main.py": "from functools import partial\n\nfrom verl.utils.reward_score.gsm8k import compute_score as gsm\n"
        "\n\ndef score(solution_str, ground_truth, bonus, **rest):\n"
        "    return gsm('#### 1', '1') + bonus\n\n\ncompute_score = partial(score, bonus=0.5)\n"
    },
    "bound": {
        "main.py": "class Judge:\n    def rate(self, data_source, solution_str, ground_truth, extra_info=None):\n"
        "        return len(solution_str)\n\n\n_judge = Judge()\ncompute_score = _judge.rate\n"
    },
    "made": {
        "main.py": "def make(weight):\n    def score(data_source, solution_str, ground_truth, extra_info=None):\n"
        "        return weight\n\n    return score\n\n\ncompute_score = make(3)\n"
    },
    "data": {
        "lib/__init__.py": "",
        "lib/weights.json": '{"hit": 2.0}\n',
        "lib/weights.py": "import json\nfrom pathlib import Path\n\n"
        'W = json.loads((Path(__file__).parent / "weights.json").read_text())\n',
        "main.py": f"from lib.weights import W\n\n\n{_HEAD}W['hit']\n",
    },
    "cut_down": {
        "main.py": "from verl import DataProto\nfrom impl import also\n\n"
        f"{_REGISTER}\n\n@register('exact')\ndef exact(said, truth):\n    return 0.5\n\n\nW = {{}}\n"
        "W['a'], other = 1, 2\nfor each in 'bc':\n    W[each] = 3\n\n\n"
        "class Manager:\n    def __call__(self, data: DataProto):\n        return 0\n\n\n"
        f"@also\ndef late():\n    return 4\n\n\n{_HEAD}SCORERS['exact'](1, 1) + sum(W.values()) + also.late()\n",
        "impl.py": "def also(made):\n    also.late = made\n    return made\n",
    },
}


def _carried(workshop: Workshop, **request: Any) -> CarriedReward:
    return workshop.carry("mine", function=Function(workshop.user / "main.py", "compute_score"), **request)


@pytest.mark.parametrize("case", _CASES)
def test_what_a_module_does_is_done(workshop: Workshop, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    for name, text in _CASES[case].items():
        workshop.write(name, text)
    expected = original(workshop, monkeypatch)
    carried = _carried(workshop)
    assert not carried.problems, carried.problems
    assert run(workshop.reward("mine"), [workshop.sample("r", "l", data_source="d")]) == [{"score": float(expected)}]
    left = [note for note in carried.notes if note.startswith("left out")]
    assert left == (["left out of main.py, since the reward does not reach it: Manager"] if case == "cut_down" else [])


def test_what_verls_own_module_registers_is_there(tmp_path: Path) -> None:
    scores = tmp_path / "checkout/verl/utils/reward_score"
    scores.mkdir(parents=True)
    for package in (scores.parents[1], scores.parent, scores):
        (package / "__init__.py").write_text("")
    (tmp_path / "checkout/verl/trainer/config").mkdir(parents=True)
    (tmp_path / "checkout/verl/trainer/config/ppo_trainer.yaml").write_text("data: {}\n")
    (scores / "known.py").write_text(
        f"{_REGISTER}\n\n@register('exact')\ndef exact(said, truth):\n    return 0.5\n\n\n"
        "for name in ('b', 'c'):\n    SCORERS[name] = exact\n\n\ndef unused():\n    return 1\n"
    )
    workshop = Workshop(tmp_path, tmp_path / "checkout")
    try:
        call = "sum(each(1, 1) for each in SCORERS.values())"
        workshop.write("main.py", f"from verl.utils.reward_score.known import SCORERS\n\n\n{_HEAD}{call}\n")
        carried = _carried(workshop)
        assert not carried.problems, carried.problems
        assert run(workshop.reward("mine"), [workshop.sample("r", "l", data_source="d")]) == [{"score": 1.5}]
        assert not any("unused" in each.text for each in carried.files)
    finally:
        workshop.close()


@pytest.mark.parametrize(
    ("name", "value"),
    [("max-len", 5), ("class", 1), ("data_source", "mine"), ("extra", float("inf")), ("a.b", {"c": [1e400, "x"]})],
)
def test_reward_kwargs_of_any_name_are_given(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, name: str, value: Any
) -> None:
    head = _HEAD.replace("data_source, solution_str", "solution_str")
    workshop.write("main.py", f"{head}{{'score': 1, 'got': more[{name!r}]}}\n")
    carried = _carried(workshop, arguments=(Argument(name, name, value),))
    assert not carried.problems, carried.problems
    sample = workshop.sample("r", "l", data_source="d")
    assert run(workshop.reward("mine"), [sample]) == [{"score": 1.0, "got": value}]


def test_what_the_prime_manager_would_give_twice_is_refused(workshop: Workshop) -> None:
    workshop.write("main.py", f"{_HEAD}1\n")
    carried = _carried(workshop, arguments=(Argument("data_source", "data_source", "x"),), manager=Manager(PRIME))
    assert [each.message for each in carried.problems] == [
        "reward_kwargs gives data_source, which verl's prime manager gives as well: no call works"
    ]


@pytest.mark.parametrize("manager", ["naive", "rate_limited"])
def test_state_of_the_importing_thread_is_not_seen_where_verl_scores(workshop: Workshop, manager: str) -> None:
    text = (
        "import decimal\nimport threading\n\ndecimal.getcontext().prec = 4\nSTATE = threading.local()\nSTATE.w = 2\n"
        f"\n\n{_HEAD}{{'score': getattr(STATE, 'w', 1), 'third': str(decimal.Decimal(1) / 3)}}\n"
    )
    workshop.write("main.py", text)
    timeout = Argument("timeout", "timeout", 60) if manager == "rate_limited" else None
    assert not _carried(workshop, manager=Manager(manager, timeout=timeout)).problems
    before = decimal.getcontext().copy()
    try:
        given = run(workshop.reward("mine"), [workshop.sample("r", "l", data_source="d")])
    finally:
        decimal.setcontext(before)
    assert given == [{"score": 1.0, "third": "0." + "3" * 28}]
