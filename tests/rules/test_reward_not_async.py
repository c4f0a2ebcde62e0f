"""RLX202 says what it is that cannot be awaited, for each way in which a thing can be that."""

from __future__ import annotations

from relax_lint.config import Settings
from relax_lint.engine import lint
from relax_lint.project import Project
from relax_lint.rules import load_rules
from relax_lint.selection import Layer
from tests.cases import for_each

LAUNCHER = "python3 relax/entrypoints/train.py --custom-rm-path examples.demo.reward_demo.reward_func\n"
JUDGE = "async def judge(sample):\n    return 1.0\n\n\n"
HEAD = "def reward_func(args, sample, **kwargs):\n"

NOT_ASYNC = "reward_func is not async: Relax awaits it, and "


def said(reward: str) -> list[str]:
    project = Project.from_files({"examples/demo/run_demo.sh": LAUNCHER, "examples/demo/reward_demo.py": reward})
    report = lint(project, load_rules(), Settings(selection=(Layer(select=("RLX202",)),)))
    assert report.failures == []
    return [found.message for found in report.diagnostics]


@for_each(
    ("body", "what"),
    [
        ("return {'score': 1.0}", "a dict cannot be awaited"),
        ("return None", "None cannot be awaited"),
        ("print(sample)", "None cannot be awaited"),
        ("yield 1.0", "a generator cannot be awaited"),
        ("return None if sample.response else {'score': 1.0}", "neither a dict nor None can be awaited"),
        ("if sample.response:\n        return 1.0", "neither a number nor None can be awaited"),
        (
            "if sample.response:\n        return {'score': 1.0}\n    return 0.0",
            "neither a dict nor a number can be awaited",
        ),
        (
            "if not sample.response:\n        return\n    return 0.0 if sample.label else {'score': 1.0}",
            "neither a number, a dict nor None can be awaited",
        ),
        (
            "if not sample.response:\n        return None\n    return judge(sample)",
            "on some way it returns None, which cannot be awaited",
        ),
        (
            "if not sample.response:\n        return {'score': 0.0}\n    return judge(sample)",
            "on some way it returns a dict, which cannot be awaited",
        ),
        (
            "if not sample.response:\n        return\n    return judge(sample) if sample.label else 0.0",
            "on some way it returns a number or None, which cannot be awaited",
        ),
        (
            "if not sample.response:\n        return 0.0\n    return unknown_judge(sample)",
            "on some way it returns a number, which cannot be awaited",
        ),
    ],
)
def test_what_it_returns(body: str, what: str) -> None:
    imports = "from judges import unknown_judge\n\n\n"
    assert said(f"{imports}{JUDGE}{HEAD}    {body}\n") == [NOT_ASYNC + what]


def test_each_of_the_functions_that_it_can_be() -> None:
    functions = (
        "import os\n\n\ndef one(args, sample, **kwargs):\n    return 1.0\n\n\n"
        "def other(args, sample, **kwargs):\n    return None\n\n\n"
    )
    messages = [NOT_ASYNC + "a number cannot be awaited", NOT_ASYNC + "None cannot be awaited"]
    assert said(functions + "reward_func = one if os.environ.get('ONE') else other\n") == messages
    assert (
        said(functions + "if os.environ.get('ONE'):\n    reward_func = one\nelse:\n    reward_func = other\n")
        == messages
    )


def test_an_async_generator_is_not_called_not_async() -> None:
    (message,) = said("async def reward_func(args, sample, **kwargs):\n    yield 1.0\n")
    assert message.startswith("reward_func has a yield, which makes it no coroutine: ")
    assert message.endswith("Relax awaits it, and an async generator cannot be awaited")


def test_a_class_is_called_a_class() -> None:
    assert said("class reward_func:\n    def __init__(self, args, sample):\n        self.score = 1.0\n") == [
        "reward_func is a class, not an async function: Relax awaits it, and an object cannot be awaited"
    ]
