"""What is kept while files change is what would be worked out anew."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from relax_lint.calls.graph import Readings
from relax_lint.config import Configuration
from relax_lint.engine import Report, lint
from relax_lint.files import Files
from relax_lint.flow.interpreter import interpreter_of
from relax_lint.groups import Group, find
from relax_lint.kept import Kept, follow_changes, forget, kept_property, note
from relax_lint.project import Project
from relax_lint.rules import load_rules

ONE, OTHER = Path("/one"), Path("/other")
RECIPES = Path(__file__).parent / "recipes"
SUFFIXES = (".py", ".sh", ".yaml")


@pytest.fixture
def following() -> Iterator[None]:
    with follow_changes():
        yield


def test_an_answer_is_worked_out_once() -> None:
    table, times = Kept(), iter(range(3))
    assert [table.ask("question", lambda: next(times)) for _ in range(3)] == [0, 0, 0]


@pytest.mark.usefixtures("following")
def test_a_change_forgets_what_was_made_from_the_file_and_nothing_else() -> None:
    table = Kept()
    for path in (ONE, OTHER):
        table.ask(path, lambda path=path: note(path))  # type: ignore[misc]
    forget([ONE])
    assert list(table) == [OTHER]


@pytest.mark.usefixtures("following")
def test_what_an_answer_was_made_of_goes_for_all_that_was_made_of_it_be_it_known_already() -> None:
    table = Kept()
    table.ask("inner", lambda: note(ONE))
    table.ask("outer", lambda: table.ask("inner", lambda: None))
    table.ask("outermost", lambda: table.ask("outer", lambda: None))
    forget([ONE])
    assert not table


@pytest.mark.usefixtures("following")
def test_properties_are_forgotten_like_other_answers() -> None:
    texts = {ONE: "before"}

    class Holder:
        @kept_property
        def text(self) -> str:
            """The text."""
            note(ONE)
            return texts[ONE]

    holder = Holder()
    assert holder.text == "before"
    texts[ONE] = "after"
    assert holder.text == "before"
    forget([ONE])
    assert holder.text == "after"


@pytest.mark.usefixtures("following")
def test_an_answer_that_needs_itself_is_told_what_stands_for_it_meanwhile() -> None:
    table = Kept()

    def answer() -> str:
        return "around " + table.ask_within("question", "itself", answer)

    assert table.ask_within("question", "itself", answer) == "around itself"
    assert table.ask_within("question", "itself", answer) == "around itself"


class Lengths:
    """A file with a text, how long that is, whether that is even, and a story of it, as a chain of answers."""

    def __init__(self) -> None:
        self.text, self.told = "some", 0
        self.table = Kept()

    def length(self) -> int:
        def answer() -> int:
            note(ONE)
            if self.text == "fails":
                raise ValueError(self.text)
            return len(self.text)

        return self.table.ask_firmly("length", answer)

    def is_even(self) -> bool:
        return self.table.ask_firmly("is even", lambda: self.length() % 2 == 0)

    def story(self) -> str:
        def answer() -> str:
            self.told += 1
            return f"even: {self.is_even()}"

        return self.table.ask("story", answer)

    def become(self, text: str) -> None:
        self.text = text
        forget([ONE])


@pytest.mark.usefixtures("following")
@pytest.mark.parametrize("text", ["same", "longer"])
def test_what_was_made_of_a_firm_answer_stands_where_that_is_the_same_after_a_change(text: str) -> None:
    lengths = Lengths()
    assert lengths.story() == "even: True"
    lengths.become(text)
    assert (lengths.story(), lengths.told) == ("even: True", 1)
    assert lengths.length() == len(text)


@pytest.mark.usefixtures("following")
def test_what_was_made_of_a_firm_answer_goes_where_that_is_another_one_after_a_change() -> None:
    lengths = Lengths()
    for round_, text in enumerate(("some", "odd", "even", "other", "fifth"), 1):
        lengths.become(text)
        assert lengths.story() == f"even: {len(text) % 2 == 0}"
        assert lengths.told == min(round_, 4), "the last two are both odd"


@pytest.mark.usefixtures("following")
def test_a_firm_answer_that_fails_is_asked_again() -> None:
    lengths = Lengths()
    lengths.story()
    lengths.become("fails")
    for _ in range(2):
        with pytest.raises(ValueError, match="fails"):
            lengths.story()
    lengths.become("odd")
    assert lengths.story() == "even: False"


def test_without_changes_a_firm_answer_is_one_like_others() -> None:
    lengths = Lengths()
    lengths.story()
    lengths.text = "odd"
    assert lengths.story() == "even: True"


@pytest.mark.usefixtures("following")
def test_what_shows_on_the_way_stands_as_long_as_what_showed_it() -> None:
    table, seen = Kept(), Kept()

    def answer() -> None:
        seen.add("sight", True)
        note(ONE)

    table.ask("question", answer)
    forget([OTHER])
    assert "sight" in seen
    forget([ONE])
    assert "sight" not in seen


@pytest.mark.usefixtures("following")
def test_what_fails_is_asked_again_and_what_it_looked_at_counts_for_who_asked() -> None:
    table = Kept()

    def failing() -> None:
        note(ONE)
        raise ValueError

    def asking() -> str:
        with pytest.raises(ValueError):  # noqa: PT011
            table.ask("inner", failing)
        return "survived"

    assert table.ask("outer", asking) == "survived"
    assert "inner" not in table
    forget([ONE])
    assert "outer" not in table


def judged(group: Group) -> Report:
    return lint(group.project, load_rules(), group.settings, group.targets, group.targets)


def told(report: Report) -> object:
    """All that a report says, fixes included."""
    found = [
        (
            item.code, item.path, item.start, item.end, item.message, item.severity, item.suppressed, item.fingerprint,
            item.launch, item.related, item.fix and (item.fix.title, item.fix.safe, list(item.fix.edits())),
        )
        for item in report.diagnostics
    ]  # fmt: skip
    return found, report.not_checked, report.failures, report.launches


def typed(text: bytes, everything: list[bytes], dice: random.Random) -> bytes:
    """A text after somebody has worked on one of its lines."""
    lines = text.split(b"\n")
    at = dice.randrange(len(lines))
    words = lines[at].split(b" ")
    match dice.randrange(5):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, dice.choice(dice.choice(everything).split(b"\n")))
        case 2:
            dice.shuffle(words)
            lines[at] = b" ".join(words)
        case 3:
            lines[at] = lines[at].replace(dice.choice(words) or b" ", dice.choice((b"", b"8", b"score", b"await")))
        case _:
            lines.insert(at, b"# said aside")
    return b"\n".join(lines)


@pytest.mark.parametrize("recipe", ["broken_countdown", "good_gsm8k"])
def test_after_each_of_many_changes_all_is_found_that_would_be_found_from_the_start(
    recipe: str, tmp_path: Path
) -> None:
    tree = Path(shutil.copytree(RECIPES / recipe, tmp_path / "tree"))
    examples, dice = tree / "examples", random.Random(recipe)
    with follow_changes():
        (group,) = find([examples], Configuration(), Files())
        judged(group)
        originals = {path: path.read_bytes() for path in group.targets if path.suffix in SUFFIXES}
        texts = dict(originals)
        for _ in range(15):
            path = dice.choice(list(texts))
            texts[path] = originals[path] if dice.random() < 0.3 else typed(texts[path], list(originals.values()), dice)
            group.project.take(path, texts[path])
            (fresh,) = find([examples], Configuration(), Files(texts))
            assert told(judged(group)) == told(judged(fresh)), f"{path} is {texts[path]!r}"


NAMES = [
    "compute_score = None",
    "FINAL_ANSWER = 3",
    "reward_func = compute_score",
    "final_answer, compute_score = compute_score, final_answer",
    "del final_answer",
    "def final_answer(text): return text",
    "def compute_score(response, label): return 1, 2",
    "if FINAL_ANSWER:\n    def compute_score(response, label): return 1, 2",
    "def change():\n    global compute_score\n    compute_score = None",
    "def change():\n    FINAL_ANSWER.append(1)",
    "globals()['compute_score'] = len",
    "from math import *",
    "from .missing import final_answer",
    "import re as compute_score",
    "try:\n    from math import compute_score\nexcept ImportError:\n    pass",
    "class Sample: ...",
    "for compute_score in (): ...",
    "@staticmethod",
]


@pytest.mark.parametrize("above", [True, False])
def test_what_a_name_of_a_module_becomes_shows_in_all_that_uses_it(above: bool, tmp_path: Path) -> None:
    tree = Path(shutil.copytree(RECIPES / "good_gsm8k", tmp_path / "tree"))
    (reward,) = tree.rglob("reward_gsm8k.py")
    before = reward.read_text()
    head, rest = before.split("def final_answer", 1)
    with follow_changes():
        (group,) = find([tree / "examples"], Configuration(), Files())
        clean = told(judged(group))
        for typed in NAMES:
            text = f"{head}{typed}\ndef final_answer{rest}" if above else f"{before}{typed}\n"
            group.project.take(reward, text.encode())
            (fresh,) = find([tree / "examples"], Configuration(), Files({reward: text.encode()}))
            assert told(judged(group)) == told(judged(fresh)), text
            group.project.take(reward, before.encode())
            assert told(judged(group)) == clean, typed


@pytest.mark.usefixtures("following")
def test_which_functions_bind_a_name_of_their_module_is_read_anew() -> None:
    reward = Path("examples/toy/reward.py")
    project = Project.from_files({reward.as_posix(): "CLIENT = None\n\n\ndef connect():\n    ...\n"})
    source = project.python(project.root / reward)
    assert source is not None
    interpreter = interpreter_of(project)
    readings = Readings(project, interpreter.resolver)
    for text, setters in [("    global CLIENT\n    CLIENT = 1", ["connect"]), ("    ...", [])]:
        project.take(source.path, f"CLIENT = None\n\n\ndef connect():\n{text}\n".encode())
        assert [function.name for function in readings.setters(source).get("CLIENT", ())] == setters
        assert (interpreter.resolver.names.changed_after_import(source) == {"CLIENT"}) == bool(setters)
