"""Coroutines that keep the event loop waiting: as they are carried over, others go on meanwhile, and the scores are the
same."""

from __future__ import annotations

import asyncio
import importlib.util
from pathlib import Path
from typing import Any

import pytest

from relax_lint.migrate.reward.request import Argument, Function
from tests.migrate.reward.produced import Workshop, run

pytestmark = [pytest.mark.filterwarnings("ignore::ResourceWarning"), pytest.mark.usefixtures("ends_clients")]


_HEAD = "async def compute_score(data_source, solution_str, ground_truth, extra_info=None, url='u'):\n"
_COUNTS = "N = 0\nimport time\n\n\ndef count():\n    global N\n    time.sleep(0)\n    N += 1\n    return N\n\n\n"
_FORMS = {
    "time": f"import time\n\n\n{_HEAD}    time.sleep(0.01)\n    return 1\n",
    "time as": f"import time as t, json\n\n\n{_HEAD}    return t.sleep(0.01) or float(json.loads('2'))\n",
    "sleep": f"from time import sleep\n\n\n{_HEAD}    for _ in range(2):\n        sleep(0.01)\n    return 1\n",
    "sleep as": f"from time import sleep as nap, time\n\n\n{_HEAD}    nap(0.01)\n    return float(time() > 0)\n",
    "within": f"{_HEAD}    import time\n    time.sleep(0.01)\n    return 1\n",
    "list": f"import time\n\n\n{_HEAD}    return len([time.sleep(0) for _ in range(3)])\n",
    "made of itself": f"import time\n\n\n{_HEAD}    solution = solution_str\n    solution = solution.strip()\n"
    "    first = solution.partition(' ')\n    second = first[0].join('a')\n    first = second.split()\n"
    "    time.sleep(0.01)\n    return len(solution) + len(first)\n",
    "made of each other": f"import time\n\n\n{_HEAD}    one = solution_str.strip()\n    two = one.strip()\n"
    "    one = two.strip()\n    time.sleep(0.01)\n    return len(one)\n",
    "nested": f"import time\n\n\n{_HEAD}    async def inner():\n        time.sleep(0)\n        return 3\n"
    "    return await inner()\n",
    "process": f"import subprocess\n\n\n{_HEAD}    done = subprocess.run(['echo', 'ab'], capture_output=True)\n"
    "    return len(done.stdout)\n",
    "output": f"from subprocess import check_output\n\n\n{_HEAD}    return len(check_output(['echo', solution_str]))\n",
    "system": f"import os\n\n\n{_HEAD}    return os.system('exit 0') + 1\n",
    "helper": "import time\n\n\ndef wait(n):\n    time.sleep(n)\n    return 5\n\n\ndef later(n, *, by=1):\n"
    f"    return wait(n) * by\n\n\n{_HEAD}    return later(0.01, by=2) + wait(0)\n",
    "asked": f"import requests\n\n\n{_HEAD}    return requests.post(url, json={{'t': solution_str}}).json()['n']\n",
    "asked as value": "import requests\n\n\ndef ask(url, text):\n"
    f"    return requests.post(url, json={{'t': text}}).json()['n']\n\n\n{_HEAD}"
    "    return list(map(ask, [url], [solution_str]))[0] + ask(url, 'x')\n",
    "session": "import requests\n\nS = requests.Session()\nS.hooks['response'].append(lambda *a, **b: None)\n\n\n"
    f"{_HEAD}    return S.post(url, json={{'t': solution_str}}).json()['n']\n",
    "urllib": f"import json\nimport urllib.request\n\n\n{_HEAD}"
    '    asked = urllib.request.Request(url, b\'{"t": "abc"}\')\n'
    "    with urllib.request.urlopen(asked) as answer:\n        return json.load(answer)['n']\n",
}


def _original(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("original", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.compute_score


@pytest.mark.parametrize("form", _FORMS)
def test_what_waits_is_awaited_and_gives_the_same(form: str, judge: str, workshop: Workshop) -> None:
    path = workshop.write("mine.py", _FORMS[form])
    expected = [asyncio.run(_original(path)("d", text, "l", {}, judge)) for text in ("ab", "")]
    carried = workshop.carry(
        "mine", function=Function(path, "compute_score"), arguments=(Argument("url", "judge_url", judge),)
    )
    assert not carried.problems
    assert "await " in carried.files[0].text.partition("async def reward_func")[0].replace("await verl_compute", "")
    samples = [workshop.sample(text, "l", data_source="d") for text in ("ab", "")]
    assert [each["score"] for each in run(workshop.reward("mine"), samples)] == [float(each) for each in expected]


@pytest.mark.parametrize(
    "text",
    [
        f"class time:\n    def sleep(self):\n        pass\n\n\n{_HEAD}    time().sleep()\n    return 1\n",
        f"import time\n\n\n{_HEAD}    def inner(n):\n        time.sleep(n)\n        return 1\n    return inner(0)\n",
        f"import time\n\n\n{_HEAD}    return len(list(map(lambda n: time.sleep(n), [0])))\n",
        f"import time\n\n\n{_HEAD.replace('url=', 'x=time.sleep(0), url=')}    return 1\n",
        f"import time\n\nasyncio = 1\n\n\n{_HEAD}    time.sleep(0)\n    return asyncio\n",
        f"{_COUNTS}{_HEAD}    return count() * 0 + 1\n",
    ],
)
def test_what_is_another_thing_or_cannot_be_awaited_is_left(text: str, workshop: Workshop) -> None:
    path = workshop.write("mine.py", text)
    carried = workshop.carry("mine", function=Function(path, "compute_score"))
    assert not carried.problems
    assert "asyncio.sleep" not in carried.files[0].text
    assert "to_thread" not in carried.files[0].text
    assert run(workshop.reward("mine"), [workshop.sample("r", "l", data_source="d")]) == [{"score": 1.0}]


def test_coroutines_of_other_modules_do_not_wait_either(workshop: Workshop) -> None:
    workshop.write("asking.py", "from time import sleep\n\n\nasync def ask(n):\n    sleep(n)\n    return 2\n")
    path = workshop.write("mine.py", f"from asking import ask\n\n\n{_HEAD}    return await ask(0.01)\n")
    carried = workshop.carry("mine", function=Function(path, "compute_score"))
    (asking,) = [each.text for each in carried.files if each.name == "asking.py"]
    assert "await asyncio.sleep(n)" in asking
    assert "import sleep" not in asking
    assert run(workshop.reward("mine"), [workshop.sample("r", "l", data_source="d")]) == [{"score": 2.0}]
