"""What is meant by names that no sample has, and how it is written."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Edit, Fix, Place
from relax_lint.slips import is_slip

if TYPE_CHECKING:
    from relax_lint.recipe_readings import Read
    from relax_lint.sources.python import PythonSource

OF_VERL = {"ground_truth": "label", "solution_str": "response", "extra_info": "metadata"}
"""What the guide maps to the fields of a sample."""
MEANT = {
    **OF_VERL,
    "data_source": 'metadata["data_source"]',
    "response_str": "response",
    "reward_score": "reward",
    "response_mask": "loss_mask",
    "log_probs": "rollout_log_probs",
    "input_ids": "tokens",
    "images": "multimodal_inputs",
}
"""What others call things, by Relax's names for them; too far from them to be put right unasked."""
_WORDS_OF_THEIR_OWN = frozenset({"stats", "state", "statuses", "metrics", "meta"})
"""Names that are no slips, however near a field they are."""


def near(name: str, names: frozenset[str]) -> list[str]:
    """The one or two names that are like another."""
    from difflib import get_close_matches

    candidates = sorted(known for known in names if not known.startswith("_"))
    begun = [known for known in candidates if len(name) > 3 and known.startswith(name)]
    return begun if len(begun) == 1 else get_close_matches(name, candidates, n=2, cutoff=0.8)


def renamed(read: Read, alike: list[str], *, of_sample: bool) -> Fix | None:
    """What is meant, where one thing is: by the guide, by a slip, or, as a guess, by its likeness."""
    of_verl = OF_VERL.get(read.name) if of_sample else None
    if of_verl is None and len(alike) != 1:
        return None
    name = of_verl or alike[0]
    source, end = read.source, read.source.place(read.node).end
    edit = Edit.at(Place(source, end - len(read.name), end), name)
    if of_verl is not None or (is_slip(read.name, name) and read.name not in _WORDS_OF_THEIR_OWN):
        return Fix(f"read {name}", lambda: [edit])
    return Fix(f"read {name}", lambda: [edit], safe=False, reason="the names are alike, and may mean two things")


def as_attribute(source: PythonSource, node: ast.Subscript, key: str, names: frozenset[str]) -> Fix | None:
    """The attribute in place of a key, where a sample has one that is meant."""
    name = OF_VERL.get(key, key)
    if name not in names:
        return None
    edit = Edit.at(Place(source, source.place(node.value).end, source.place(node).end), f".{name}")
    return Fix(f"write .{name}", lambda: [edit])
