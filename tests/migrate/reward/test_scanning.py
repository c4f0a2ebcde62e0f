"""Scoring that asks for names or classes which it does not name, beside a class of verl's trainer that is left out."""

from __future__ import annotations

import pytest

from relax_lint.migrate.reward.request import Function
from tests.migrate.reward.produced import Workshop, original, run

_TRAINER = "from verl import DataProto\n\n\nclass Manager:\n    kind = DataProto\n\n\n"
_HEAD = "def compute_score(data_source, solution_str, ground_truth, extra_info=None):\n    return "
_CLASSES = "class Base:\n    w = 0\n\n\nclass One(Base):\n    w = 1\n\n\nclass Two(One):\n    w = 20\n\n\n"
_ALL = "def below(kind):\n    return [each for sub in kind.__subclasses__() for each in (sub, *below(sub))]\n\n\n"
_CHECKS = (
    "def check_one():\n    return 1\n\n\ndef check_two():\n    return 20\n\n\ndef two_checks():\n    return 300\n\n\n"
)
_CASES = {
    "subclasses": f"{_CLASSES}if Base.w == 0:\n\n    class Three(Base):\n        w = 300\n\n\n"
    f"Four = type('Four', (Base,), {{'w': 4000}})\n\n\n{_HEAD}sum(each.w for each in Base.__subclasses__())\n",
    "subclasses_of_subclasses": f"{_CLASSES}{_ALL}{_HEAD}sum(each.w for each in below(Base))\n",
    "subclasses_by_a_method": "class Base:\n    w = 0\n\n    @classmethod\n    def all(cls):\n"
    "        return cls.__subclasses__()\n\n\nclass One(Base):\n    w = 7\n\n\n"
    f"{_HEAD}sum(each.w for each in Base.all())\n",
    "one_of_globals": f"{_CHECKS}{_HEAD}globals()['check_two']() + globals().get('check_one')()\n",
    "globals_by_beginning": f"{_CHECKS}CHECKS = [v for k, v in globals().items() if k.startswith('check_')]\n\n\n"
    f"{_HEAD}sum(each() for each in CHECKS)\n",
    "globals_by_end": f"{_CHECKS}{_HEAD}"
    "sum(v() for k, v in list(globals().items()) if k.endswith(('_checks', 'k_one')))\n",
    "globals_in_a_loop": f"{_CHECKS}FOUND = {{}}\nfor k, v in list(globals().items()):\n"
    "    if callable(v) and k.startswith('check_'):\n        FOUND[k] = v\n\n\n"
    f"{_HEAD}sum(each() for each in FOUND.values())\n",
    "globals_of_a_text": f"{_CHECKS}{_HEAD}"
    "globals()[f'check_{data_source and \"one\"}']() + globals()['two_' + 'checks']()\n",
    "of_this_module": f"import sys\n\n\n{_CHECKS}{_HEAD}getattr(sys.modules[__name__], f'check_{{\"two\"}}')()\n",
    "nothing_of_the_module": f"import sys\n\n\nclass Point:\n    def __init__(self):\n        self.w = 5\n\n"
    "    def __len__(self):\n        return len(vars(self)) + len(self.__dict__)\n\n\n"
    f"{_HEAD}len(Point()) + len(locals()) + ('no_such' in sys.modules)\n",
}


@pytest.mark.parametrize("case", _CASES)
def test_what_scans_takes_only_what_it_may_ask_for(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    workshop.write("main.py", _TRAINER + _CASES[case])
    expected = original(workshop, monkeypatch)
    carried = workshop.carry("mine", function=Function(workshop.user / "main.py", "compute_score"))
    assert not carried.problems, carried.problems
    assert run(workshop.reward("mine"), [workshop.sample("r", "l", data_source="d")]) == [{"score": float(expected)}]
    assert any("Manager" in each for each in carried.notes if each.startswith("left out"))


@pytest.mark.parametrize(
    ("what", "asked"),
    [
        ("globals()", "globals()[ground_truth]"),
        ("globals()", "[v for k, v in globals().items() if callable(v)]"),
        ("vars()", "vars()"),
        ("object.__subclasses__()", "object.__subclasses__()"),
        ("sys.modules", "sys.modules[__name__]"),
    ],
)
def test_what_may_ask_for_anything_is_named_where_that_stands_in_the_way(
    workshop: Workshop, what: str, asked: str
) -> None:
    workshop.write("main.py", f"import sys\n{_TRAINER}{_HEAD}len({asked})\n")
    carried = workshop.carry("mine", function=Function(workshop.user / "main.py", "compute_score"))
    assert not carried.files
    assert [(each.line, each.message.partition("; ")[2]) for each in carried.problems] == [
        (2, f"nothing names it, but {what} in line 10 may ask for it")
    ]
