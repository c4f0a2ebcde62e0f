"""A loop over the samples that is left in its first pass: what it fills has one item, whatever was given."""

from __future__ import annotations

import pytest

from relax_lint.engine import lint
from relax_lint.project import Project
from relax_lint.rules import load_rules

TRAIN = "python3 relax/entrypoints/train.py --custom-rm-path examples.demo.reward_demo.reward_func --group-rm\n"
TOO_SHORT = {
    "a return one level too deep": "for s in samples:\n    out.append(1.0)\n    return out",
    "with a dict": "for s in samples:\n    out.append({'score': float(s.label == s.response)})\n    return out",
    "an annotated list": "rewards: list[float] = []\nfor s in samples:\n    rewards.append(1.0)\n    return rewards",
    "counted": "for i, s in enumerate(samples):\n    out.append(1.0)\n    return out",
    "by number": "for i in range(len(samples)):\n    out.append(float(samples[i].label == 'x'))\n    return out",
    "added": "for s in samples:\n    out += [1.0]\n    return out",
    "made anew": "for s in samples:\n    out = [*out, 1.0]\n    return out",
    "two ways": (
        "for s in samples:\n    if s.label:\n        out.append(1.0)\n    else:\n        out.append(0.0)\n"
        "    return out"
    ),
    "returned on each way": (
        "for s in samples:\n    if s.label:\n        out.append(1.0)\n        return out\n"
        "    out.append(0.0)\n    return out"
    ),
    "some left out": "for s in samples:\n    if s.label:\n        out.append(1.0)\n    return out",
    "in a with": "for s in samples:\n    with LOCK:\n        out.append(1.0)\n        return out",
    "in a try": (
        "for s in samples:\n    try:\n        out.append(float(s.label))\n    except ValueError:\n"
        "        out.append(0.0)\n    return out"
    ),
    "behind a finally": "for s in samples:\n    try:\n        out.append(1.0)\n    finally:\n        return out",
    "inside of another loop": (
        "for s in samples:\n    for part in ('a', 'b'):\n        out.append(1.0)\n        return out"
    ),
    "awaited": "for s in samples:\n    out.append(await judge(s))\n    return out",
    "with an else": "for s in samples:\n    out.append(1.0)\n    return out\nelse:\n    return [0.0] * len(samples)",
    "a break": "for s in samples:\n    out.append(1.0)\n    break\nreturn out",
    "nothing at the end": "for s in samples:\n    return out",
}
RIGHT = {
    "a return behind it": "for s in samples:\n    out.append(1.0)\nreturn out",
    "a return for all": (
        "for s in samples:\n    if not s.label:\n        return [0.0] * len(samples)\n    out.append(1.0)\nreturn out"
    ),
    "all at once": "for s in samples:\n    return [1.0 for _ in samples]",
    "at the last": (
        "for i, s in enumerate(samples):\n    out.append(1.0)\n    if i == len(samples) - 1:\n        return out"
    ),
    "by the last": (
        "for s in samples:\n    out.append(1.0)\n    if s is samples[-1]:\n        return out\nraise AssertionError"
    ),
    "once there are all": (
        "for s in samples:\n    out.append(1.0)\n    if len(out) == len(samples):\n        return out\n"
        "raise AssertionError"
    ),
    "goes on": (
        "for s in samples:\n    out.append(1.0)\n    if s is not samples[-1]:\n        continue\n"
        "    return out\nraise AssertionError"
    ),
    "only one": (
        "for s in samples:\n    if len(samples) > 1:\n        raise ValueError\n    out.append(1.0)\n    return out"
    ),
    "only one, ahead": (
        "if len(samples) == 1:\n    for s in samples:\n        out.append(1.0)\n        return out\n"
        "return [0.0] * len(samples)"
    ),
    "filled up": "for s in samples:\n    out.append(1.0)\n    break\nreturn out * len(samples)",
    "filled up later": (
        "for s in samples:\n    out.append(1.0)\n    break\nout += [0.0] * (len(samples) - len(out))\nreturn out"
    ),
    "over something else": "for s in others:\n    out.append(1.0)\n    return out\nreturn [0.0] * len(samples)",
    "over some": (
        "for s in filter(None, samples):\n    out.append(1.0)\n    return [0.0] * len(samples)\n"
        "return [0.0] * len(samples)"
    ),
    "a raise": "for s in samples:\n    raise ValueError(s)",
    "the first alone": (
        "for s in samples:\n    first = s\n    break\nreturn [float(s.label == first.label) for s in samples]"
    ),
    "a function": "def fill():\n    for s in samples:\n        out.append(1.0)\n\nfill()\nreturn out",
    "an exception": (
        "for s in samples:\n    try:\n        out.append(float(s.label))\n"
        "        return [1.0] * len(samples)\n    except ValueError:\n        continue\n"
        "return [0.0] * len(samples)"
    ),
}


def found(body: str) -> list[tuple[int, str]]:
    lines = "".join(f"    {line}\n" for line in ["out = []", *body.splitlines()])
    code = f"from judges import LOCK, judge, others\n\n\nasync def reward_func(args, samples, **kwargs):\n{lines}"
    files = {"examples/demo/reward_demo.py": code, "examples/demo/run_demo.sh": TRAIN}
    standing = lint(Project.from_files(files), {"RLX205": load_rules()["RLX205"]}).standing
    return [(one.line, one.message) for one in standing]


@pytest.mark.parametrize("name", TOO_SHORT)
def test_a_list_that_is_returned_in_the_first_pass_is_too_short(name: str) -> None:
    faults = found(TOO_SHORT[name])
    assert faults
    assert all("returns a list " in message for _, message in faults), faults


@pytest.mark.parametrize("name", RIGHT)
def test_a_loop_that_goes_on_or_is_left_for_a_reason_is_right(name: str) -> None:
    assert found(RIGHT[name]) == []
