"""RLX202 writes `async` only where nothing needs the function as it is, and says what does otherwise."""

from __future__ import annotations

from relax_lint.diagnostics import Diagnostic
from relax_lint.engine import lint
from relax_lint.project import Project
from relax_lint.rules import load_rules
from tests.cases import for_each

RULES = {"RLX202": load_rules()["RLX202"]}
LAUNCHER = "python3 relax/entrypoints/train.py --custom-rm-path examples.demo.reward_demo.reward_func\n"
REWARD = "examples/demo/reward_demo.py"
PLAIN = "def reward_func(args, sample, **kwargs):\n    return {'score': 1.0}\n"
CLASS = "class Judge:\n    def __call__(self, args, sample, **kwargs):\n        return {'score': 1.0}\n"
METHOD = "class Judge:\n    def score(self, args, sample, **kwargs):\n        return {'score': 1.0}\n"
STATIC = "class Judge:\n    @staticmethod\n    def score(args, sample, **kwargs):\n        return {'score': 1.0}\n"
DECORATOR = """\
def scored(function):
    def inner(*args, **kwargs):
        return {'score': function(*args, **kwargs)}
    return inner
"""
MAKER = """\
def scored(scale):
    def wrap(function):
        def inner(*args, **kwargs):
            return {'score': scale}
        return inner
    return wrap
"""
DECORATED = "@scored\n" + PLAIN
MADE = "@scored(2)\n" + PLAIN
FACTORY = """\
def judge(scale):
    def inner(args, sample, **kwargs):
        return {'score': scale}
    return inner
"""


def found(reward: str, others: dict[str, str] | None = None) -> Diagnostic:
    files = {"examples/demo/run_demo.sh": LAUNCHER, REWARD: reward}
    project = Project.from_files({**files, **{f"examples/{name}": text for name, text in (others or {}).items()}})
    (one,) = lint(project, RULES).standing
    return one


@for_each(
    "reward",
    [
        PLAIN,
        PLAIN + "__all__ = ['reward_func']\n",
        PLAIN.replace("reward_func", "score") + "reward_func = score\n",
        PLAIN.replace("reward_func", "score") + "import functools\nreward_func = functools.partial(score, k=1)\n",
        PLAIN + "def other(reward_func):\n    return reward_func(1)\n",
        PLAIN + "def other(items):\n    reward_func = sum\n    return reward_func(items)\n",
        PLAIN + "def other(item):\n    return item.reward_func(1)\n",
        CLASS + "reward_func = Judge()\n",
        CLASS + "judge = Judge()\nreward_func = judge\n",
        METHOD + "reward_func = Judge().score\n",
        METHOD + "judge = Judge()\nreward_func = judge.score\n",
        STATIC + "reward_func = Judge.score\n",
        DECORATOR + DECORATED,
        DECORATOR + "@scored\ndef unused(x):\n    return x\n" + DECORATED,
        DECORATOR + "def wider(inner):\n    return inner(1)\n" + DECORATED,
        MAKER + MADE,
        FACTORY + "reward_func = judge(2)\n",
    ],
)
def test_what_nothing_needs_as_it_is_becomes_async(reward: str) -> None:
    one = found(reward)
    assert one.fix is not None
    assert one.related == ()


@for_each(
    ("reward", "line"),
    [
        (PLAIN + "def twice(s):\n    return reward_func(None, s)['score'] * 2\n", 4),
        (PLAIN + "ALL = {'demo': reward_func}\n", 3),
        (PLAIN + "def test():\n    run(reward_func)\n", 4),
        (PLAIN + "score = reward_func\ndef twice(s):\n    return score(None, s)\n", 5),
        (PLAIN + "import functools\nscore = functools.partial(reward_func, None)\nprint(score(1))\n", 5),
        (PLAIN + "def get():\n    return reward_func\n", 4),
        (PLAIN + "import sys\nprint(getattr(sys.modules[__name__], 'reward_func')(1, 2))\n", 4),
        (PLAIN + "async def both(args, s):\n    return [reward_func(args, one) for one in s]\n", 4),
        (CLASS + "reward_func = Judge()\ndef quick(s):\n    return Judge()(None, s)['score']\n", 6),
        (CLASS + "reward_func = Judge()\ndef quick(s):\n    return reward_func(None, s)['score']\n", 6),
        (CLASS + "reward_func = Judge()\ndef quick(s):\n    return reward_func.__call__(None, s)\n", 6),
        (CLASS + "reward_func = Judge()\nclass Other(Judge):\n    pass\n", 5),
        (CLASS + "judge = Judge()\nreward_func = judge\nprint(judge(None, None))\n", 6),
        (CLASS + "reward_func = Judge()\nfast = Judge()\nprint(fast(None, None))\n", 6),
        (METHOD + "reward_func = Judge().score\ndef quick(s):\n    return Judge().score(None, s)\n", 6),
        (METHOD + "    def quick(self, s):\n        return self.score(None, s)\nreward_func = Judge().score\n", 5),
        (STATIC + "reward_func = Judge.score\ndef quick(s):\n    return Judge.score(None, s)\n", 7),
        (DECORATOR + "@scored\ndef norm(x):\n    return x\n" + DECORATED + "print(norm(1)['score'])\n", 11),
        (DECORATOR + DECORATED + "norm = scored(float)\nprint(norm(1))\n", 9),
        (DECORATOR + DECORATED + "print(scored(float)(1))\n", 8),
        (DECORATOR + DECORATED + "class A:\n    @scored\n    def f(self):\n        return 1\nprint(A().f())\n", 12),
        (MAKER + "@scored(1)\ndef norm(x):\n    return x\n" + MADE + "print(norm(1)['score'])\n", 13),
        (MAKER + "twice = scored(2)\n@twice\ndef norm(x):\n    return x\n" + MADE + "print(norm(1))\n", 8),
        (FACTORY + "reward_func = judge(2)\nother = judge(3)\nprint(other(1, 2))\n", 7),
    ],
)
def test_what_needs_the_function_as_it_is_is_named(reward: str, line: int) -> None:
    one = found(reward)
    assert one.fix is None
    assert [(site.path.name, site.line) for site in one.related] == [("reward_demo.py", line)]
    assert "not to be async" in one.related[0].message


@for_each(
    ("reward", "other"),
    [
        (PLAIN, "from examples.demo.reward_demo import reward_func\nprint(reward_func(None, None)['score'])\n"),
        (PLAIN, "from .reward_demo import reward_func as score\nprint(score(None, None)['score'])\n"),
        (PLAIN, "import examples.demo.reward_demo as rewards\nprint(rewards.reward_func(None, None))\n"),
        (PLAIN, "import examples.demo.reward_demo\nprint(examples.demo.reward_demo.reward_func(None, None))\n"),
        (CLASS + "reward_func = Judge()\n", "from .reward_demo import Judge\nprint(Judge()(None, None))\n"),
        (DECORATOR + DECORATED, "from .reward_demo import scored\n@scored\ndef norm(x):\n    return x\nnorm(1)\n"),
    ],
)
def test_what_another_file_does_counts(reward: str, other: str) -> None:
    one = found(reward, {"demo/other.py": other})
    assert one.fix is None
    assert [site.path.name for site in one.related] == ["other.py"]
    elsewhere = other.replace("from .reward_demo", "from examples.demo.reward_demo")
    assert found(reward, {"other/tool.py": elsewhere}).fix is None


def test_a_second_file_that_hands_it_on_is_followed() -> None:
    package = "from .reward_demo import reward_func as demo_reward\n"
    user = "from examples.demo import demo_reward\nprint(demo_reward(None, None))\n"
    one = found(PLAIN, {"demo/__init__.py": package, "demo/use.py": user})
    assert [site.path.name for site in one.related] == ["use.py"]
    assert found(PLAIN, {"demo/__init__.py": package}).fix is not None
