"""Which attributes may have been stored on each way out of a function."""

from __future__ import annotations

from relax_lint.flow.interpreter import interpreter_of
from relax_lint.flow.shapes import UNKNOWN, Arguments, Sample
from relax_lint.project import Project

PATH = "examples/demo/rollout.py"


def stored(text: str, **more: str) -> list[set[str]]:
    """What each way out of ``play`` may have stored, in the order of the ways."""
    tree = {PATH: text, **{f"examples/demo/{name}.py": content for name, content in more.items()}}
    project = Project.from_files(tree)
    source = project.module("examples.demo.rollout")
    assert source is not None
    interpreter = interpreter_of(project)
    arguments = Arguments((UNKNOWN, Sample()))
    ways = interpreter.outcomes_with_stores(interpreter.named(source, "play"), arguments)
    assert ways is not None
    return sorted((set(way.stored) for way in ways), key=lambda names: (len(names), sorted(names)))


def test_each_way_has_its_own_stores() -> None:
    ways = stored("""\
def play(args, sample):
    if not sample.response:
        return sample
    sample.reward = 1.0
    if sample.label:
        sample.tokens, other = [], 1
    return sample
""")
    assert ways == [set(), {"reward"}, {"reward", "tokens"}]


def test_conditions_that_are_asked_again_lead_the_same_way() -> None:
    ways = stored("""\
def play(args, sample):
    done = False
    if sample.label:
        sample.reward = 1.0
        done = True
    if not done:
        sample.reward = 0.0
    return sample
""")
    assert all("reward" in names for names in ways)


def test_what_helpers_store_counts_with_what_they_are_called_with() -> None:
    ways = stored(
        """\
from .more import finish


async def play(args, sample):
    if not sample.response:
        return finish(sample, False)
    return finish(sample, True)
""",
        more="""\
def finish(sample, won):
    if won:
        sample.reward = 1.0
    return sample
""",
    )
    assert ways == [set(), {"reward"}]


def test_attributes_of_own_objects_are_none_of_the_sample() -> None:
    ways = stored("""\
class Player:
    def __init__(self, sample):
        self.sample = sample

    def play(self):
        self.reward = 0.0
        self.sample.response = ''


def play(args, sample):
    Player(sample).play()
    return sample
""")
    assert ways == [{"response"}]


def test_code_from_elsewhere_may_store_anything_on_a_sample_that_it_is_given() -> None:
    outside = "import judges\n\n\ndef play(args, sample):\n    judges.score(sample)\n    return sample\n"
    unseen = "def play(args, sample):\n    args.judge(sample)\n    return sample\n"
    nothing = "import judges\n\n\ndef play(args, sample):\n    judges.score(sample.response)\n    return sample\n"
    harmless = "def play(args, sample):\n    print(sample)\n    return sample\n"
    assert [stored(text) for text in (outside, unseen, nothing, harmless)] == [[{"*"}], [{"?"}], [set()], [set()]]


def test_setattr_constructors_and_callbacks_store() -> None:
    by_name = "def play(args, sample):\n    setattr(sample, 'reward', 1)\n    return sample\n"
    any_name = "def play(args, sample):\n    setattr(sample, args.name, 1)\n    return sample\n"
    made = "def play(args, sample):\n    return Sample(reward=1.0)\n"
    called_back = """\
import asyncio


def score(sample):
    sample.reward = 1.0


async def play(args, sample):
    await asyncio.to_thread(score, sample)
    return sample
"""
    assert stored(by_name) == [{"reward"}]
    assert stored(any_name) == [{"?"}]
    assert stored(made) == [{"reward"}]
    assert all("reward" in names for names in stored(called_back))


def test_status_is_kept_with_its_value() -> None:
    ways = stored("""\
def play(args, sample):
    if args.late:
        sample.status = Sample.Status.ABORTED
    else:
        sample.status = args.status
    return sample
""")
    assert ways == [{"status", "status=?"}, {"status", "status=ABORTED"}]


def test_a_loop_that_is_passed_by_tells_nothing() -> None:
    ways = stored("""\
def play(args, sample):
    for turn in range(args.turns):
        sample.reward = 1.0
    return sample
""")
    assert {frozenset(names) for names in ways} == {frozenset({"?"}), frozenset({"reward"})}


def test_nothing_is_noted_where_nobody_asks() -> None:
    text = "def play(args, sample):\n    sample.reward = 1.0\n    return sample\n"
    project = Project.from_files({PATH: text})
    source = project.module("examples.demo.rollout")
    assert source is not None
    interpreter = interpreter_of(project)
    (way,) = interpreter.outcomes(interpreter.named(source, "play"), Arguments((UNKNOWN, Sample()))) or ()
    assert way.stored == frozenset()
