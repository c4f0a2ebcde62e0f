"""What JSON a flag wants."""

from __future__ import annotations

from relax_lint.catalog.flags import embedded
from relax_lint.catalog.json_shapes import fault
from tests.cases import for_each


@for_each(
    ("shape", "given", "wrong"),
    [
        ("object", {}, None),
        ("object", {"a": [1]}, None),
        ("object", None, None),
        ("object", [], "must be an object, not []"),
        ("object", "x", 'must be an object, not "x"'),
        ("object of name: text", {"A": "1"}, None),
        ("object of name: text", {"A": 1}, "'A' must be a text, not 1"),
        ("object of medium: number", {"image": 1.5}, None),
        ("object of medium: number", {"image": True}, "'image' must be a number, not true"),
        ("object of medium: object", {"image": {}}, None),
        ("object of medium: object", {"image": 3}, "'image' must be an object, not 3"),
        ("object of setting: value", {"a": None, "b": []}, None),
        ("object of role: [1, gpus]", {"actor": 3}, None),
        ("list of numbers", [1, 2], None),
        ("list of numbers", [1, "2"], '1 must be a number, not "2"'),
        ("list of objects", {"a": 1}, 'must be a list, not {"a": 1}'),
        ("something else", 3, None),
    ],
)
def test_faults(shape: str, given: object, wrong: str | None) -> None:
    assert fault(shape, given) == wrong


def test_every_shape_of_the_catalogue_is_understood() -> None:
    shapes = {flag.json_shape for flag in embedded() if flag.json_shape is not None}
    assert len(shapes) > 5
    for shape in shapes:
        assert fault(shape, 3) is not None, shape


def test_a_long_value_is_cut() -> None:
    message = fault("object", ["x" * 500])
    assert message is not None
    assert len(message) < 100
