"""What is known of Relax's Sample, embedded and read from a checkout."""

from __future__ import annotations

from relax_lint.catalog.sample import embedded, sample_class
from relax_lint.project import Project

TRAIN = {"relax/entrypoints/train.py": ""}


def test_without_a_checkout_the_embedded_class_counts() -> None:
    known = sample_class(Project.from_files({}))
    assert known == embedded()
    assert {"response", "label", "metadata", "to_dict", "Status", "_pre_encoded_mm"} <= known.names
    assert "COMPLETED" in known.nested["Status"]
    assert known.of_field("status") is not None
    assert known.of_field("label") is None


def test_the_class_of_a_checkout_is_read() -> None:
    text = """\
from dataclasses import dataclass
from enum import Enum


class Base:
    origin: str = ""

    def mark(self):
        self.marked = True


@dataclass
class Sample(Base):
    response: str = ""

    class Status(Enum):
        DONE = "done"

    class Info(Elsewhere):
        count: int = 0

    status: Status = Status.DONE
    info: Info = None
    LIMIT = 3

    @property
    def words(self):
        return self.response.split()
"""
    known = sample_class(Project.from_files({**TRAIN, "relax/utils/types.py": text}))
    assert {"origin", "mark", "marked", "response", "Status", "LIMIT", "words"} <= known.names
    assert "label" not in known.names
    assert known.nested["Status"] == {"DONE"}
    assert known.of_field("status") == frozenset({"DONE", "name", "value", "__members__", "_missing_"})
    assert known.of_field("info") is None, "its base is not known"
    assert known.closed


def test_a_class_that_makes_attributes_up_is_open() -> None:
    makes = "class Sample:\n    def __getattr__(self, name):\n        return 1\n"
    derived = "from elsewhere import Base\nclass Sample(Base):\n    x = 1\n"
    for text in (makes, derived):
        assert not sample_class(Project.from_files({**TRAIN, "relax/utils/types.py": text})).closed


def test_a_checkout_that_cannot_be_read_changes_nothing() -> None:
    for text in ("class Sample(:\n", "class Other:\n    x = 1\n"):
        assert sample_class(Project.from_files({**TRAIN, "relax/utils/types.py": text})) == embedded()
