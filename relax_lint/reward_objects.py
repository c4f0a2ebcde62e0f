"""Objects that are given as rewards: of a class that is no number, and in which Relax finds no key."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from relax_lint.catalog.rewards import OWN_TRAINING_VALUES
from relax_lint.flow.shapes import Dictionary, Instance, Library, Shape, alternatives
from relax_lint.launch_config import overridden_by_config
from relax_lint.reward_values import CalledForm, of_one_sample

if TYPE_CHECKING:
    from relax_lint.flow.shapes import Exit
    from relax_lint.rewards import RewardUse

_NAMESPACES = {"types.SimpleNamespace()": "SimpleNamespace", "argparse.Namespace()": "Namespace"}
_ITEM = "__getitem__"
_AS_NUMBER = (
    *("__float__", "__index__", "__int__", "__len__", "__array__", "__array_interface__", "__array_struct__"),
    *("__cuda_array_interface__", "__dlpack__", "__torch_function__"),
)
"""What torch can make a number of an object by."""


def fault_of_object(use: RewardUse, ways: Iterable[Exit], form: CalledForm) -> str | None:
    """What is wrong with the objects that one ``return`` gives; nothing where it gives others, too, since code tells
    objects from them in more ways than are followed."""
    parts = [part for way in ways for part in of_one_sample(way.shape, form)]
    if _is_made_into_numbers(use) or not parts:
        return None
    if not use.key:
        named = _name_of(parts, use, (_ITEM, *_AS_NUMBER))
        return None if named is None else f"returns {named}, no number and no dict"
    if (named := _name_of(parts, use, (_ITEM,))) is not None:
        return f"returns {named}, in which --reward-key looks for {use.key} as in a dict"
    entries = [part.get(use.key) for part in parts if isinstance(part, Dictionary) and not part.open]
    values = [value for entry in entries if entry is not None for value in alternatives(entry.value)]
    named = _name_of(values, use, (_ITEM, *_AS_NUMBER)) if len(entries) == len(parts) else None
    return None if named is None else f"returns {named} under {use.key}, where --reward-key looks for a number"


def _is_made_into_numbers(use: RewardUse) -> bool:
    """Whether code of the user's makes of rewards what is learned from."""
    return any(
        use.launch.has(flag) or overridden_by_config(use.launch, use.project, flag) for flag in OWN_TRAINING_VALUES
    )


def _name_of(shapes: Sequence[Shape], use: RewardUse, without: tuple[str, ...]) -> str | None:
    """What some values are, if all are objects that certainly have none of some methods."""
    if not shapes or not all(_is_object(shape, use, without) for shape in shapes):
        return None
    first = shapes[0]
    if isinstance(first, Instance):
        return f"an object of the class {first.cls.node.name}"
    return f"a {_NAMESPACES[first.name]}" if isinstance(first, Library) else None


def _is_object(shape: Shape, use: RewardUse, without: tuple[str, ...]) -> bool:
    if not isinstance(shape, Instance):
        return isinstance(shape, Library) and shape.name in _NAMESPACES
    text = shape.cls.source.text
    return all(use.lacks(shape, name) for name in (*without, "__await__")) and not any(
        f"{before}{name}" in text for name in without for before in (".", '"', "'")
    )
